//! Puts a counter into each loop of a text, so that none runs forever.
//!
//! A loop breaks where its body would run more often than the function's bounds allow, and so do
//! all loops around it. The number of the exceeded bound is left in a private variable of the
//! invocation for the function's caller.
//!
//! A driver may end loops by itself and continue after them as if they had ended normally: Mesa's
//! llvmpipe does so after 65,535 iterations of an invocation. A loop therefore also reports where
//! it begins and where it ends regularly, through functions that do nothing on other drivers.

use crate::graph::function::body::{OVER_ITERATIONS, OVER_TOTAL};
use crate::graph::function::tokens::{self, Token};

/// The counters of a text.
pub(super) struct Counted {
    /// The text with a counter in each loop.
    pub(super) text: String,
    /// The number of loops.
    pub(super) loops: usize,
}

/// Returns a valid text with a counter in each loop; `None` if it has no loops. Added names have
/// this prefix; [`declarations`](super::loop_declarations::declarations) declares them.
pub(super) fn counted(text: &str, prefix: &str) -> Option<Counted> {
    let words = tokens::tokens(text);
    let is_loop =
        |word: &Token<'_>| word.depth > 0 && matches!(word.text, "loop" | "for" | "while");
    let keywords: Vec<usize> = (0..words.len()).filter(|&at| is_loop(&words[at])).collect();
    if keywords.is_empty() {
        return None;
    }
    let mut insertions = Vec::new();
    for (number, &keyword) in keywords.iter().enumerate() {
        Loop { words: &words, keyword, number, prefix }.insertions(&mut insertions)?;
    }
    insertions.sort_by_key(|&(at, _)| at);
    let mut counted = String::with_capacity(text.len() * 2);
    let mut copied = 0;
    for (at, inserted) in insertions {
        counted.push_str(&text[copied..at]);
        counted.push_str(&inserted);
        copied = at;
    }
    counted.push_str(&text[copied..]);
    Some(Counted { text: counted, loops: keywords.len() })
}

/// A loop of a text.
struct Loop<'a> {
    words: &'a [Token<'a>],
    /// The number of its keyword among the words.
    keyword: usize,
    /// Its number among the loops.
    number: usize,
    prefix: &'a str,
}

impl Loop<'_> {
    /// Adds the insertions for the loop, each with the byte of the text that it precedes.
    fn insertions(&self, into: &mut Vec<(usize, String)>) -> Option<()> {
        let Self { words, keyword, number, prefix: n } = *self;
        // Expressions have no braces, so the first one begins the body.
        let begin = (keyword..words.len()).find(|&at| words[at].text == "{")?;
        let is_end = |&at: &usize| words[at].text == "}" && words[at].depth == words[begin].depth;
        let end = (begin..words.len()).find(is_end)?;
        into.push((words[keyword].at, format!("{{ {n}begin({number}u); var {n}{number} = 0u; ")));
        if let Some((from, to)) = self.condition(begin) {
            into.push((from, format!(" {n}goes({number}u, ")));
            into.push((to, ")".to_owned()));
        }
        into.push((
            words[begin].at + 1,
            format!(
                " if {n}over != 0u {{ break; }} \
                 if {n}{number} >= {n}most {{ {n}over = {OVER_ITERATIONS}u; break; }} \
                 if {n}steps >= {n}total {{ {n}over = {OVER_TOTAL}u; break; }} \
                 {n}{number} += 1u; {n}steps += 1u; "
            ),
        ));
        self.breaks(begin, end, into);
        into.push((words[end].at + 1, format!(" {n}done({number}u); }}")));
        Some(())
    }

    /// Returns the bytes around the condition in the loop's head, if it has one.
    fn condition(&self, begin: usize) -> Option<(usize, usize)> {
        let Self { words, keyword, .. } = *self;
        match words[keyword].text {
            "while" => Some((words[keyword].at + "while".len(), words[begin].at)),
            "for" => {
                let mut ends = (keyword..begin).filter(|&at| words[at].text == ";");
                let (first, second) = (ends.next()?, ends.next()?);
                (second > first + 1).then_some((words[first].at + 1, words[second].at))
            }
            _ => None,
        }
    }

    /// Reports the end of the loop before each of its `break`s.
    fn breaks(&self, begin: usize, end: usize, into: &mut Vec<(usize, String)>) {
        let Self { words, number, prefix: n, .. } = *self;
        // The ends of nested loops and switches, whose breaks are their own.
        let mut inner_end = begin;
        for at in begin + 1..end {
            if at <= inner_end {
                continue;
            }
            match words[at].text {
                "loop" | "for" | "while" | "switch" => {
                    let open = (at..end).find(|&at| words[at].text == "{").unwrap_or(end);
                    let close =
                        |&at: &usize| words[at].text == "}" && words[at].depth == words[open].depth;
                    inner_end = (open..end).find(close).unwrap_or(end);
                }
                "break" if words[at + 1].text == "if" => {
                    let semicolon = (at..end).find(|&at| words[at].text == ";").unwrap_or(end);
                    let condition = words[at + 1].at + "if".len();
                    into.push((condition, format!(" {n}ends({number}u, ")));
                    into.push((words[semicolon].at, ")".to_owned()));
                }
                "break" => into.push((words[at].at, format!("{n}leave({number}u); "))),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> String {
        counted(text, "n_").unwrap().text
    }

    #[test]
    fn each_loop_has_a_counter_of_its_own() {
        let text =
            text("fn f() { for (var i = 0; i < 4; i++) { while true { } } loop { break; } }");
        for count in 0..3 {
            assert_eq!(text.matches(&format!("var n_{count} = 0u; ")).count(), 1);
            assert_eq!(text.matches(&format!("if n_{count} >= n_most {{")).count(), 1);
            assert_eq!(text.matches(&format!("n_done({count}u);")).count(), 1);
        }
        assert_eq!(text.matches('{').count(), text.matches('}').count());
        assert!(counted("fn f() { }", "n_").is_none());
    }

    #[test]
    fn each_way_out_of_a_loop_is_marked() {
        assert!(text("fn f() { while a(b) { } }").contains("while n_goes(0u,  a(b) ){"));
        assert!(text("fn f() { for (;i < (4);) { } }").contains("for (; n_goes(0u, i < (4));)"));
        assert!(text("fn f() { for (;;) { break; } }").contains("for (;;) {"));
        let nested =
            text("fn f() { loop { switch i { default { break; } } loop { break; } break; } }");
        assert_eq!(nested.matches("n_leave(0u); break;").count(), 1);
        assert_eq!(nested.matches("n_leave(1u); break;").count(), 1);
        let ends = text("fn f() { loop { continuing { break if i == (4); } } }");
        assert!(ends.contains("break if n_ends(0u,  i == (4));"));
    }
}

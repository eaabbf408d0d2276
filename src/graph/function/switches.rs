//! Writes `switch` as `if` and `else`: SwiftShader's compiler takes more than a minute, or 20 GB, for
//! a kernel that has some 80 cases of switches in it, and 0.1 s for as many ifs.

use std::fmt::Write as _;
use std::ops::Range;

use crate::graph::function::tokens::{self, Token};

/// Returns a valid text without its switches; none if there is no switch. The names that it adds have
/// this prefix. A switch stays if one of its cases has a `break` amid its statements, and one a
/// `continue` of a loop around it.
pub(super) fn as_ifs(text: &str, prefix: &str) -> Option<String> {
    let words = tokens::tokens(text);
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    for (number, keyword) in words.iter().enumerate() {
        if keyword.depth > 0 && keyword.text == "switch" {
            let switch = Switch::new(text, &words, number);
            edits.extend(
                switch
                    .and_then(|switch| switch.edits(&format!("{prefix}{number}")))
                    .into_iter()
                    .flatten(),
            );
        }
    }
    if edits.is_empty() {
        return None;
    }
    edits.sort_by_key(|(range, _)| range.start);
    let mut written = String::with_capacity(text.len() * 2);
    let mut copied = 0;
    for (range, by) in edits {
        written.push_str(&text[copied..range.start]);
        written.push_str(&by);
        copied = range.end;
    }
    written.push_str(&text[copied..]);
    Some(written)
}

/// A switch of a text. Words are named by their numbers.
struct Switch<'a> {
    text: &'a str,
    words: &'a [Token<'a>],
    keyword: usize,
    open: usize,
    close: usize,
    clauses: Vec<Clause<'a>>,
}

struct Clause<'a> {
    /// Its first word, `case` or `default`.
    begin: usize,
    open: usize,
    close: usize,
    /// The texts of the values, but for `default`.
    values: Vec<&'a str>,
    is_default: bool,
}

/// The ways by which a body is left before its end.
#[derive(Default)]
struct Exits {
    breaks: bool,
    continues: bool,
    /// A `break` that is the body's last statement, which changes nothing.
    last_break: Option<Range<usize>>,
}

impl<'a> Switch<'a> {
    fn new(text: &'a str, words: &'a [Token<'a>], keyword: usize) -> Option<Self> {
        let open = opening(words, keyword)?;
        let close = closing(words, open)?;
        let mut clauses = Vec::new();
        let mut at = open + 1;
        while at < close {
            let clause = Clause::new(text, words, at)?;
            at = clause.close + 1;
            clauses.push(clause);
        }
        Some(Self { text, words, keyword, open, close, clauses })
    }

    /// Returns what is written in place of the switch's own words; `value` is a name for its selector.
    fn edits(&self, value: &str) -> Option<Vec<(Range<usize>, String)>> {
        let Self { text, words, keyword, open, close, ref clauses } = *self;
        let exits: Vec<Exits> = clauses.iter().map(|clause| self.exits(clause)).collect();
        let breaks = exits.iter().any(|exits| exits.breaks);
        if breaks && exits.iter().any(|exits| exits.continues) {
            return None;
        }
        let selector = &text[words[keyword].place().end..words[open].at];
        let begin = if breaks { " loop {" } else { "" };
        let mut edits = vec![(
            words[keyword].at..words[open].place().end,
            format!("{{ let {value} = {selector};{begin}"),
        )];
        for (number, (clause, exits)) in clauses.iter().zip(exits).enumerate() {
            let head = self.head(number, clause, value);
            edits.push((words[clause.begin].at..words[clause.open].at, head));
            edits.extend(exits.last_break.map(|place| (place, String::new())));
        }
        if breaks {
            edits.push((words[close].at..words[close].at, "break; }".to_owned()));
        }
        Some(edits)
    }

    /// Returns what is written before the body of a clause.
    fn head(&self, number: usize, clause: &Clause<'_>, value: &str) -> String {
        let is_last = number + 1 == self.clauses.len();
        let mut head = String::from(if number == 0 { "" } else { "else " });
        if clause.is_default && is_last {
            return head;
        }
        // A default that others follow is taken where none of their values is the selector.
        let others = self.clauses.iter().filter(|other| !other.is_default);
        let values: Vec<&str> = match clause.is_default {
            true => others.flat_map(|other| &other.values).copied().collect(),
            false => clause.values.clone(),
        };
        let equal: Vec<String> = values.iter().map(|text| format!("{value} == ({text})")).collect();
        let not = if clause.is_default { "!" } else { "" };
        let _ = write!(head, "if {not}({}) ", equal.join(" || "));
        head
    }

    fn exits(&self, clause: &Clause<'_>) -> Exits {
        let words = self.words;
        let mut exits = Exits::default();
        // Where loops and switches within end: breaks there are theirs, and in loops `continue`, too.
        let (mut loop_end, mut switch_end) = (clause.open, clause.open);
        for at in clause.open + 1..clause.close {
            let end = || opening(words, at).and_then(|open| closing(words, open)).unwrap_or(at);
            match words[at].text {
                _ if at <= loop_end => {}
                "loop" | "for" | "while" => loop_end = end(),
                "switch" => switch_end = switch_end.max(end()),
                "continue" => exits.continues = true,
                "break" if at <= switch_end => {}
                "break" if at + 2 == clause.close => {
                    exits.last_break = Some(words[at].at..words[at + 1].place().end);
                }
                "break" => exits.breaks = true,
                _ => {}
            }
        }
        exits
    }
}

impl<'a> Clause<'a> {
    fn new(text: &'a str, words: &'a [Token<'a>], begin: usize) -> Option<Self> {
        let open = opening(words, begin)?;
        let close = closing(words, open)?;
        let mut labels = begin + 1..open;
        if words[open - 1].text == ":" {
            labels.end -= 1;
        }
        let mut clause = Self { begin, open, close, values: Vec::new(), is_default: false };
        match words[begin].text {
            "default" if labels.is_empty() => clause.is_default = true,
            "case" => {
                for label in split(words, labels) {
                    match &text[words[label.start].at..words[label.end - 1].place().end] {
                        "default" => clause.is_default = true,
                        value => clause.values.push(value),
                    }
                }
            }
            _ => return None,
        }
        Some(clause)
    }
}

/// Splits words at the commas that are in no brackets; there may be one more after the last part.
fn split(words: &[Token<'_>], all: Range<usize>) -> Vec<Range<usize>> {
    let (mut parts, mut begin, mut depth) = (Vec::new(), all.start, 0usize);
    for at in all.clone() {
        match words[at].text {
            "(" | "[" => depth += 1,
            ")" | "]" => depth = depth.saturating_sub(1),
            "," if depth == 0 => {
                parts.push(begin..at);
                begin = at + 1;
            }
            _ => {}
        }
    }
    parts.push(begin..all.end);
    parts.retain(|part| !part.is_empty());
    parts
}

/// Returns the first brace that opens after a word. Expressions have no braces.
fn opening(words: &[Token<'_>], from: usize) -> Option<usize> {
    (from..words.len()).find(|&at| words[at].text == "{")
}

fn closing(words: &[Token<'_>], open: usize) -> Option<usize> {
    let depth = words[open].depth;
    (open..words.len()).find(|&at| words[at].text == "}" && words[at].depth == depth)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ifs(text: &str) -> String {
        as_ifs(&format!("fn f(i: u32) {{ {text} }}"), "n_").unwrap()
    }

    #[test]
    fn cases_become_ifs() {
        assert_eq!(
            ifs("switch i { case 1u, 2u: { a(); } case N { break; } default { b(); } }"),
            "fn f(i: u32) { { let n_8 =  i ; if (n_8 == (1u) || n_8 == (2u)) { a(); } \
             else if (n_8 == (N)) {  } else { b(); } } }"
        );
        assert_eq!(
            ifs("switch i { default: { a(); } case 1u, { } }"),
            "fn f(i: u32) { { let n_8 =  i ; if !(n_8 == (1u)) { a(); } else if (n_8 == (1u)) { } } }"
        );
        assert_eq!(
            ifs("switch i { case 0, default { } }"),
            "fn f(i: u32) { { let n_8 =  i ; { } } }"
        );
    }

    #[test]
    fn breaks_leave_the_switch_and_not_a_loop_around() {
        let text = ifs("loop { switch i { case 1u { if b { break; } } default { } } break; }");
        assert_eq!(text.matches("loop {").count(), 2);
        assert!(text.contains("break; }} break; }"), "{text}");
        // A `continue` is that of the loop around.
        let both =
            "fn f() { loop { switch i { case 1u { if b { break; } } default { continue; } } } }";
        assert_eq!(as_ifs(both, "n_"), None);
        let inner = ifs(
            "switch i { case 1u { for (;;) { break; } switch j { default { break; } } } default { } }",
        );
        assert!(!inner.contains("loop {") && !inner.contains("switch"), "{inner}");
        assert_eq!(as_ifs("fn f() { }", "n_"), None);
    }
}

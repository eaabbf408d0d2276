//! Writes `&` for `&&`, and `|` for `||`, where nobody can notice that the second operand is
//! always computed: compilers treat these as branches.

use std::collections::HashSet;

use crate::graph::function::tokens::{self, Token};

/// Returns a valid text in which connectives are replaced, except before calls of functions with
/// loops: their iterations count.
pub(super) fn as_operators(text: &str) -> String {
    let words = tokens::tokens(text);
    let with_loops = with_loops(&words);
    let is_beside = |at: usize, sign: &str| {
        words.get(at + 1).is_some_and(|next| next.text == sign && next.at == words[at].at + 1)
    };
    let compares = |at: usize| {
        is_beside(at, "=")
            || at > 0 && "=!<>".contains(words[at - 1].text) && is_beside(at - 1, "=")
    };
    let mut edits = Vec::new();
    let mut open = vec![Chain::from(0)];
    for (at, word) in words.iter().enumerate() {
        match word.text {
            "(" | "[" => open.push(Chain::from(at + 1)),
            ")" | "]" => {
                if let Some(chain) = open.pop() {
                    chain.edits(&words, at, &with_loops, &mut edits);
                }
            }
            _ => {}
        }
        let Some(chain) = open.last_mut() else { break };
        match word.text {
            "{" | "}" | ";" | "," | ":" | "return" | "if" | "while" | "const_assert" => {
                let ended = std::mem::replace(chain, Chain::from(at + 1));
                ended.edits(&words, at, &with_loops, &mut edits);
            }
            "=" if !compares(at) => *chain = Chain::from(at + 1),
            "&" | "|" if is_beside(at, word.text) => chain.operators.push(at),
            _ => {}
        }
    }
    edits.sort_by_key(|&(at, ..)| at);
    let mut written = String::with_capacity(text.len() + 4 * edits.len());
    let mut copied = 0;
    for (at, dropped, by) in edits {
        written.push_str(&text[copied..at]);
        written.push_str(by);
        copied = at + dropped;
    }
    written.push_str(&text[copied..]);
    written
}

/// Returns the functions that have loops, or call functions that have.
fn with_loops<'a>(words: &[Token<'a>]) -> HashSet<&'a str> {
    let begins = |at: &usize| words[*at].text == "fn" && words[*at].depth == 0;
    let starts: Vec<usize> = (0..words.len()).filter(begins).collect();
    let ends = starts.iter().skip(1).copied().chain([words.len()]);
    let functions: Vec<_> =
        starts.iter().zip(ends).map(|(&start, end)| &words[start + 1..end]).collect();
    let mut found = HashSet::new();
    loop {
        let before = found.len();
        for function in &functions {
            let counts = |word: &Token<'_>| {
                matches!(word.text, "loop" | "for" | "while") || found.contains(word.text)
            };
            if function.iter().any(counts) {
                found.extend(function.first().map(|name| name.text));
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// A byte of a text, the number of bytes from there on, and their replacement.
type Edit = (usize, usize, &'static str);

/// Operands with connectives between them. Words are identified by their numbers.
struct Chain {
    begin: usize,
    operators: Vec<usize>,
}

impl Chain {
    fn from(begin: usize) -> Self {
        Self { begin, operators: Vec::new() }
    }

    fn edits(
        self,
        words: &[Token<'_>],
        end: usize,
        with_loops: &HashSet<&str>,
        edits: &mut Vec<Edit>,
    ) {
        let Some(&first) = self.operators.first() else { return };
        if words[first..end].iter().any(|word| with_loops.contains(word.text)) {
            return;
        }
        edits.push((words[self.begin].at, 0, "("));
        for operator in self.operators {
            let by = if words[operator].text == "&" { ") & (" } else { ") | (" };
            edits.push((words[operator].at, 2, by));
        }
        edits.push((words[end - 1].place().end, 0, ")"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_are_bracketed() {
        for (text, expected) in [
            ("let a = b < 1 && c >= 2 && d;", "let a = (b < 1 ) & ( c >= 2 ) & ( d);"),
            ("if a == b || (c && !d) { }", "if (a == b ) | ( ((c ) & ( !d))) { }"),
            ("x = f(a && b, c)[i];", "x = f((a ) & ( b), c)[i];"),
            ("break if a && b;", "break if (a ) & ( b);"),
            ("const_assert A && B;", "const_assert (A ) & ( B);"),
            ("x |= a & b;", "x |= a & b;"),
            ("if a && f(b) { }", "if (a ) & ( f(b)) { }"),
        ] {
            assert_eq!(as_operators(text), expected);
        }
        let functions = "fn h() { g(); } fn g() { loop { } } ";
        for (text, expected) in [
            ("if a && h() { }", "if a && h() { }"),
            ("if a || g() { }", "if a || g() { }"),
            ("if h() && a { }", "if (h() ) & ( a) { }"),
        ] {
            let [text, expected] =
                [text, expected].map(|text| format!("{functions}fn e() {{ {text} }}"));
            assert_eq!(as_operators(&text), expected);
        }
    }
}

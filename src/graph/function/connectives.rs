//! Writes `&` for `&&`, and `|` for `||`, where no function of the text is called after them:
//! compilers treat these as branches.

use crate::graph::function::tokens::{self, Token};

/// Returns a valid text in which connectives are replaced where possible. The names of functions of
/// the text have this prefix.
pub(super) fn as_operators(text: &str, prefix: &str) -> String {
    let words = tokens::tokens(text);
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
                    chain.edits(&words, at, prefix, &mut edits);
                }
            }
            _ => {}
        }
        let Some(chain) = open.last_mut() else { break };
        match word.text {
            "{" | "}" | ";" | "," | ":" | "return" | "if" | "while" | "const_assert" => {
                std::mem::replace(chain, Chain::from(at + 1)).edits(&words, at, prefix, &mut edits);
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

    fn edits(self, words: &[Token<'_>], end: usize, prefix: &str, edits: &mut Vec<Edit>) {
        let Some(&first) = self.operators.first() else { return };
        let calls = |pair: &[Token<'_>]| pair[0].text.starts_with(prefix) && pair[1].text == "(";
        if words[first..end].windows(2).any(calls) {
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
            ("if a && u_f(b) { }", "if a && u_f(b) { }"),
            ("if u_f(b) && a { }", "if (u_f(b) ) & ( a) { }"),
        ] {
            assert_eq!(as_operators(text, "u_"), expected);
        }
    }
}

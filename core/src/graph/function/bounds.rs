//! Refuses words that must not even be parsed, or have no place within a kernel's text.

use crate::graph::function::tokens::Token;
use crate::semantics::function_error::FunctionError;

/// The maximum nesting of brackets: naga parses by recursion.
const MAX_NESTING: usize = 64;

/// The maximum number of signs, such as `+` and `(`, between two ends of statements, for the same
/// reason. Of arguments side by side, only those with the most count.
const MAX_SIGNS: usize = 1024;

/// Checks the words of a text.
pub(super) fn check(text: &str, words: &[Token<'_>]) -> Result<(), FunctionError> {
    let (mut nesting, mut elses) = (0usize, 0usize);
    let mut signs = Signs::default();
    for token in words {
        let at = |reason: &str| Err(FunctionError::at(text, token.place(), reason));
        if !token.text.is_ascii() {
            return at("names are of ASCII letters, digits and _; others are for comments");
        }
        match token.text {
            "enable" | "requires" | "diagnostic" if token.depth == 0 => {
                return at("directives are not taken: the function becomes a part of a kernel");
            }
            "(" | "[" | "{" => nesting += 1,
            ")" | "]" | "}" => nesting = nesting.saturating_sub(1),
            "else" => elses += 1,
            _ => {}
        }
        signs.count(token);
        if signs.count > MAX_SIGNS {
            return at(&format!(
                "an expression has more than {MAX_SIGNS} signs, those in lists of arguments apart; name parts of it by let, or by const outside of functions"
            ));
        }
        if elses > MAX_NESTING {
            return at(&format!(
                "there are more than {MAX_NESTING} elses; use switch, or functions"
            ));
        }
        if nesting > MAX_NESTING {
            return at(&format!("brackets are nested deeper than {MAX_NESTING}"));
        }
    }
    Ok(())
}

/// The signs of an expression, up to the depth of its parser.
#[derive(Default)]
struct Signs {
    count: usize,
    /// For each open bracket, the signs up to it, and the maximum up to one of its commas.
    open: Vec<(usize, usize)>,
}

impl Signs {
    fn count(&mut self, token: &Token<'_>) {
        match token.text {
            ";" | "{" | "}" => *self = Self::default(),
            "(" | "[" => {
                self.count += 1;
                self.open.push((self.count, self.count));
            }
            "," => match self.open.last_mut() {
                Some((before, most)) => {
                    *most = self.count.max(*most);
                    self.count = *before;
                }
                None => self.count += 1,
            },
            ")" | "]" => {
                let most = self.open.pop().map_or(0, |(_, most)| most);
                self.count = self.count.max(most) + 1;
            }
            _ if token.is_sign() => self.count += 1,
            _ => {}
        }
    }
}

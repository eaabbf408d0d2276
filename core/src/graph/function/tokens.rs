//! Splits a WGSL text into words, as far as needed to find and change names.
//! Comments are blanked first, so that the parser sees exactly what is renamed; positions in the
//! text do not change.

use std::collections::HashSet;
use std::ops::Range;

use crate::semantics::function_error::{FunctionError, Place};

/// A word or a sign of a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token<'a> {
    pub(super) text: &'a str,
    /// Bytes from the start of the text.
    pub(super) at: usize,
    /// The number of braces around it.
    pub(super) depth: usize,
}

impl Token<'_> {
    /// Returns true if it is a name, or a word of the language.
    pub(super) fn is_name(&self) -> bool {
        self.text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
    }

    /// Returns true if it is not part of a name or a number.
    pub(super) fn is_sign(&self) -> bool {
        !self.text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
    }

    pub(super) fn place(&self) -> Place {
        Place { start: self.at, end: self.at + self.text.len() }
    }
}

/// Returns the text with spaces in place of its comments. Lines stay as they are.
pub(super) fn without_comments(text: &str) -> Result<String, FunctionError> {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let at = text.len() - rest.len();
        let length = if rest.starts_with("//") {
            rest.find(is_line_break).unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            block_comment(rest).ok_or_else(|| {
                let place = Place { start: at, end: at + 2 };
                FunctionError::at(text, place, "this comment does not end")
            })?
        } else {
            let next = rest.chars().next().map_or(1, char::len_utf8);
            plain.push_str(&rest[..next]);
            rest = &rest[next..];
            continue;
        };
        for c in rest[..length].chars() {
            if is_line_break(c) {
                plain.push(c);
            } else {
                plain.extend(std::iter::repeat_n(' ', c.len_utf8()));
            }
        }
        rest = &rest[length..];
    }
    Ok(plain)
}

fn is_line_break(c: char) -> bool {
    matches!(c, '\n' | '\u{b}' | '\u{c}' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Returns the bytes of the block comment at the start of a text, which may contain nested ones.
fn block_comment(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0usize, 0);
    while at + 1 < bytes.len() {
        match &bytes[at..at + 2] {
            b"/*" => depth += 1,
            b"*/" => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// Returns the words and signs of a text without comments. Each character outside of words is a
/// token of its own.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut tokens = Vec::new();
    let (mut at, mut depth) = (0, 0usize);
    while let Some(c) = text[at..].chars().next() {
        if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        }
        let length = if is_part(c) {
            text[at..].find(|c| !is_part(c)).unwrap_or(text.len() - at)
        } else {
            c.len_utf8()
        };
        if c == '}' {
            depth = depth.saturating_sub(1);
        }
        tokens.push(Token { text: &text[at..at + length], at, depth });
        if c == '{' {
            depth += 1;
        }
        at += length;
    }
    tokens
}

/// Splits words at commas outside of brackets; a trailing comma is allowed.
pub(super) fn split(words: &[Token<'_>], all: Range<usize>) -> Vec<Range<usize>> {
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

/// Returns the names that the text declares outside of functions: of functions, structs, constants
/// and aliases.
pub(super) fn declared_names<'a>(tokens: &[Token<'a>]) -> Vec<&'a str> {
    let declares = |word: &str| matches!(word, "fn" | "struct" | "const" | "alias");
    tokens
        .windows(2)
        .filter(|pair| pair[0].depth == 0 && declares(pair[0].text) && pair[1].is_name())
        .map(|pair| pair[1].text)
        .collect()
}

/// A text whose names have a prefix.
#[derive(Debug)]
pub(super) struct Prefixed {
    pub(super) text: String,
    /// The positions of the prefixes, in bytes from the start of the text before they were added.
    places: Vec<usize>,
    prefix: usize,
}

impl Prefixed {
    /// Maps a byte of the text to the text without prefixes.
    pub(super) fn before(&self, at: usize) -> usize {
        let mut added = 0;
        for &place in &self.places {
            if at <= place + added {
                break;
            }
            // A byte within a prefix maps to the start of the name.
            added += self.prefix.min(at - place - added);
        }
        at - added
    }
}

/// Returns the text with a prefix before each of these names, except names of members and
/// attributes.
pub(super) fn with_prefix(text: &str, names: &[&str], prefix: &str) -> Prefixed {
    let tokens = tokens(text);
    let names: HashSet<&str> = names.iter().copied().collect();
    let mut renamed = String::with_capacity(text.len() * 2);
    let mut places = Vec::new();
    let mut copied = 0;
    let mut in_struct = false;
    for (number, token) in tokens.iter().enumerate() {
        if token.depth == 0 && token.text != "}" {
            in_struct = token.text == "struct" || in_struct && token.text != "fn";
        }
        if !token.is_name() || !names.contains(token.text) {
            continue;
        }
        let neighbour = |at: Option<usize>| at.and_then(|at| tokens.get(at)).map_or("", |t| t.text);
        let (before, behind) = (neighbour(number.checked_sub(1)), neighbour(Some(number + 1)));
        let is_member = in_struct && token.depth == 1 && behind == ":";
        if before == "." || before == "@" || is_member {
            continue;
        }
        renamed.push_str(&text[copied..token.at]);
        renamed.push_str(prefix);
        places.push(token.at);
        copied = token.at;
    }
    renamed.push_str(&text[copied..]);
    Prefixed { text: renamed, places, prefix: prefix.len() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_become_spaces() {
        let plain = |text| without_comments(text).unwrap();
        assert_eq!(plain("a // b\nc"), "a     \nc");
        assert_eq!(plain("a /* b /* c\n */ d */ e"), "a          \n         e");
        assert_eq!(plain("// ü\u{2028}x").len(), "// ü\u{2028}x".len());
        assert!(without_comments("a /* b /* */").is_err());
    }

    #[test]
    fn names_get_the_prefix_and_members_do_not() {
        let text = "struct pair { a: f32, pair: f32 } const a = 1.0; \
                    fn pick(p: pair) -> f32 { return p.pair * a + p.a; }";
        let names = declared_names(&tokens(text));
        assert_eq!(names, ["pair", "a", "pick"]);
        let prefixed = with_prefix(text, &names, "u_");
        assert_eq!(
            prefixed.text,
            "struct u_pair { a: f32, pair: f32 } const u_a = 1.0; \
             fn u_pick(p: u_pair) -> f32 { return p.pair * u_a + p.a; }"
        );
        for word in ["pair {", "a: f32,", "pick(", "p.a;"] {
            let (now, before) = (prefixed.text.find(word).unwrap(), text.find(word).unwrap());
            assert_eq!(prefixed.before(now), before, "{word}");
        }
    }
}

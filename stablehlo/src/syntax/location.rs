//! Places in the source that a program was made from, as `loc(...)` has them.

use std::collections::HashMap;

use crate::syntax::lexer::{Token, lex};

/// The most bytes of locations that are read to find a place; locations may refer to each other in a
/// circle.
const MAX_BYTES: usize = 1 << 14;

/// Returns the first place in a file of a location, with the name of the operation before it, such as
/// `model.py:12:8, jit(f)/sort`. The first place of a call site is that of the callee. `aliases` has
/// the texts of locations by their names.
pub(crate) fn origin(location: &str, aliases: &HashMap<&str, &str>) -> Option<String> {
    let (mut name, mut left, mut unread) = (None, MAX_BYTES, vec![location]);
    while let Some(text) = unread.pop() {
        left = left.checked_sub(text.len() + 1)?;
        let spanned = lex(text).ok()?;
        let tokens: Vec<Token<'_>> = spanned.iter().map(|spanned| spanned.token).collect();
        for at in 0..tokens.len() {
            match tokens[at..] {
                [
                    Token::String(file),
                    Token::Sign(':'),
                    Token::Number(line),
                    Token::Sign(':'),
                    Token::Number(column),
                    ..,
                ] => {
                    let operation = name.map_or(String::new(), |name| format!(", {name}"));
                    return Some(format!("{file}:{line}:{column}{operation}"));
                }
                [Token::String(operation), Token::Sign('('), ..] => {
                    name.get_or_insert(operation);
                }
                [Token::Attribute(alias), ..] => {
                    unread.push(&text[spanned[at].span.end..]);
                    unread.extend(aliases.get(alias));
                    break;
                }
                _ => {}
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_place_is_found() {
        let aliases = HashMap::from([
            ("unknown", "loc(unknown)"),
            ("file", "loc(\"a.py\":3:8 to :19)"),
            ("called", "loc(\"f\"(#file))"),
            ("site", "loc(callsite(#called at #unknown))"),
            ("circle", "loc(callsite(#circle at #circle))"),
        ]);
        let found = |text| origin(text, &aliases);
        assert_eq!(found("loc(\"b.py\":1:2)").as_deref(), Some("b.py:1:2"));
        assert_eq!(found("loc(#called)").as_deref(), Some("a.py:3:8, f"));
        assert_eq!(found("loc(\"jit(f)/sin\"(#site))").as_deref(), Some("a.py:3:8, jit(f)/sin"));
        let fused = "loc(fused<\"x\">[#unknown, \"c.py\":5:0])";
        assert_eq!(found(fused).as_deref(), Some("c.py:5:0"));
        for nowhere in ["loc(\"x\")", "loc(#unknown)", "loc(#circle)", "loc(#other)", "loc(ä)"] {
            assert_eq!(found(nowhere), None, "{nowhere}");
        }
    }
}

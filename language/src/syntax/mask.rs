//! Adds the missing parentheses to a mask such as `x > 3 & x < 5`, in which `&` binds tighter than
//! the comparisons.

use std::ops::Range;

use crate::syntax::lexer::{Spanned, Symbol, Token};
use crate::syntax::precedence::{COMPARE, level};

/// The most bytes of a text to rewrite.
const MAX_TEXT: usize = 72;

/// A text with parentheses around its comparisons.
#[derive(Debug)]
pub(crate) struct Bracketed<'a> {
    pub(crate) text: String,
    /// The first `&`, `|` or `^` between comparisons.
    pub(crate) symbol: &'a str,
}

/// Puts parentheses around the comparisons joined by `&`, `|` and `^` in the brackets, argument or
/// statement around the token of this number. Returns `None` without such a symbol, if
/// comparisons also chain without one, or if the text is long.
pub(crate) fn bracketed<'a>(
    text: &'a str,
    tokens: &[Spanned],
    number: usize,
) -> Option<Bracketed<'a>> {
    let tokens = tokens.get(around(tokens, number))?;
    let span = tokens.first()?.span.start..tokens.last()?.span.end;
    if span.len() > MAX_TEXT || text.get(span)?.contains(char::is_control) {
        return None;
    }
    let (mut written, mut symbol) = (String::new(), None);
    let mut rest = tokens;
    loop {
        let end = position(rest, is_bitwise).unwrap_or(rest.len());
        let (part, joined) = rest.split_at_checked(end)?;
        let span = part.first()?.span.start..part.last()?.span.end;
        let own = text.get(span)?;
        match count(part, is_compare) {
            0 => written.push_str(own),
            1 => written.push_str(&format!("({own})")),
            _ => return None,
        }
        let Some((joint, after)) = joined.split_first() else { break };
        let joint = text.get(joint.span.clone())?;
        symbol.get_or_insert(joint);
        written.push_str(&format!(" {joint} "));
        rest = after;
    }
    Some(Bracketed { text: written, symbol: symbol? })
}

/// Returns the range of tokens of the brackets, the argument or the statement around a token.
fn around(tokens: &[Spanned], number: usize) -> Range<usize> {
    let mut depth = 0_usize;
    let mut start = number;
    while let Some(before) = start.checked_sub(1) {
        match tokens[before].token {
            Token::Close | Token::CloseList => depth += 1,
            Token::Open | Token::OpenList if depth > 0 => depth -= 1,
            Token::Open | Token::OpenList => break,
            Token::Comma | Token::Semicolon | Token::Assign if depth == 0 => break,
            _ => {}
        }
        start = before;
    }
    let ends = |token: &Spanned| {
        matches!(
            token.token,
            Token::Close | Token::CloseList | Token::Comma | Token::Semicolon | Token::Assign
        )
    };
    let rest = tokens.get(number..).unwrap_or_default();
    start..number + position(rest, ends).unwrap_or(rest.len())
}

/// Returns the index of the first token outside all brackets that `is` accepts.
fn position(tokens: &[Spanned], is: impl Fn(&Spanned) -> bool) -> Option<usize> {
    let mut depth = 0_usize;
    for (number, token) in tokens.iter().enumerate() {
        if depth == 0 && is(token) {
            return Some(number);
        }
        match token.token {
            Token::Open | Token::OpenList => depth += 1,
            Token::Close | Token::CloseList => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// Counts the tokens outside all brackets that `is` accepts.
fn count(mut tokens: &[Spanned], is: impl Fn(&Spanned) -> bool) -> usize {
    let mut count = 0;
    while let Some(number) = position(tokens, &is) {
        count += 1;
        tokens = tokens.get(number + 1..).unwrap_or_default();
    }
    count
}

fn is_bitwise(token: &Spanned) -> bool {
    matches!(token.token, Token::Symbol(Symbol::Ampersand | Symbol::Bar | Symbol::Caret))
}

fn is_compare(token: &Spanned) -> bool {
    matches!(token.token, Token::Symbol(symbol) if level(symbol) == COMPARE)
}

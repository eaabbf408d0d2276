//! Reads the values of attributes.

use std::ops::Range;

use crate::report::problem::Finding;
use crate::syntax::attribute::Attribute;
use crate::syntax::cursor::{Cursor, Result, integer};
use crate::syntax::lexer::Token;
use crate::syntax::module::Named;
use crate::syntax::types::Type;

/// Reads `{name = value, name, ...}`, and `<{...}>`, into a list of attributes.
pub(crate) fn dictionary<'a>(
    cursor: &mut Cursor<'a>,
    attributes: &mut Vec<Named<'a>>,
) -> Result<()> {
    let is_bracketed = cursor.eat('<');
    cursor.expect('{')?;
    while !cursor.eat('}') {
        let (Some(Token::Name(name)) | Some(Token::String(name))) = cursor.peek() else {
            return Err(cursor.unexpected("the name of an attribute"));
        };
        cursor.next();
        let span = cursor.last_span();
        if cursor.eat('=') {
            attributes.push(named(cursor, name)?);
        } else {
            attributes.push(Named { name, span, value: Attribute::Word("unit") });
        }
        if !cursor.eat(',') && cursor.peek() != Some(Token::Sign('}')) {
            return Err(cursor.unexpected("`,` or `}`"));
        }
    }
    if is_bracketed { cursor.expect('>') } else { Ok(()) }
}

/// Reads a value under a name.
pub(crate) fn named<'a>(cursor: &mut Cursor<'a>, name: &'a str) -> Result<Named<'a>> {
    let start = cursor.span();
    let value = value(cursor)?;
    Ok(Named { name, span: joined(&start, &cursor.last_span()), value })
}

/// Returns the place from one token to another.
pub(crate) fn joined(first: &Range<usize>, last: &Range<usize>) -> Range<usize> {
    first.start..last.end.max(first.end)
}

/// Reads a value, and the type after it.
fn value<'a>(cursor: &mut Cursor<'a>) -> Result<Attribute<'a>> {
    let Some(token) = cursor.peek() else { return Err(cursor.unexpected("a value")) };
    let value = match token {
        Token::Sign('[') => return list(cursor),
        Token::Sign('{') => {
            cursor.skip_balanced()?;
            return Ok(Attribute::Other);
        }
        Token::Sign('<') => return Ok(Attribute::Alias(cursor.balanced()?)),
        Token::Sign('(') => return function_type(cursor),
        Token::Name("array") if cursor.ahead(1) == Some(Token::Sign('<')) => return array(cursor),
        Token::Name("loc") => {
            cursor.location()?;
            return Ok(Attribute::Other);
        }
        Token::Name(word) if cursor.ahead(1) == Some(Token::Sign('<')) => {
            cursor.next();
            cursor.skip_balanced()?;
            return Ok(Attribute::Word(word));
        }
        Token::Number(text) => integer(text).map_or(Attribute::Number(text), Attribute::Integer),
        Token::Name(word) | Token::Type(word) => Attribute::Word(word),
        Token::String(text) => Attribute::String(text),
        Token::Symbol(name) => Attribute::Symbol(name),
        Token::Attribute(text) => Attribute::Alias(text),
        Token::Dense(text) => Attribute::Dense(text, None),
        Token::Resource(name) => Attribute::Resource(name, None),
        _ => return Err(cursor.unexpected("a value")),
    };
    cursor.next();
    while matches!(token, Token::Symbol(_)) && cursor.peek() == Some(Token::Sign(':')) {
        // A symbol within another: `@a::@b`.
        cursor.next();
        cursor.expect(':')?;
        cursor.symbol()?;
    }
    with_type(cursor, value)
}

/// Reads the type after a value. The elements of a constant need it.
fn with_type<'a>(cursor: &mut Cursor<'a>, value: Attribute<'a>) -> Result<Attribute<'a>> {
    let is_typed = matches!(
        value,
        Attribute::Integer(_)
            | Attribute::Number(_)
            | Attribute::String(_)
            | Attribute::Word(_)
            | Attribute::Dense(..)
            | Attribute::Resource(..)
    );
    if !is_typed || cursor.peek() != Some(Token::Sign(':')) {
        return Ok(value);
    }
    let mark = cursor.mark();
    cursor.next();
    // After an attribute in the pretty form, the colon may be that of the operation: `(` follows.
    if !matches!(cursor.peek(), Some(Token::Type(_) | Token::Name(_))) {
        cursor.reset(mark);
        return Ok(value);
    }
    match value {
        Attribute::Dense(text, _) => Ok(Attribute::Dense(text, Some(cursor.a_type()?))),
        Attribute::Resource(name, _) => Ok(Attribute::Resource(name, Some(cursor.a_type()?))),
        // So it may be where an array's type follows, which no number has.
        _ if matches!(cursor.peek(), Some(Token::Type(text)) if text.starts_with("tensor")) => {
            cursor.reset(mark);
            Ok(value)
        }
        _ => {
            cursor.next();
            Ok(value)
        }
    }
}

/// Reads `[...]`: integers, two lists of them, ranges of a slice, keywords, or something else.
fn list<'a>(cursor: &mut Cursor<'a>) -> Result<Attribute<'a>> {
    let mark = cursor.mark();
    if let Some(lists) = ranges(cursor)? {
        let [starts, limits, strides] = lists;
        if !limits.is_empty() {
            return Ok(Attribute::Ranges([starts, limits, strides]));
        }
        if cursor.peek() != Some(Token::Name("x")) {
            return Ok(Attribute::Integers(starts));
        }
        cursor.next();
        return match ranges(cursor)? {
            Some([second, limits, _]) if limits.is_empty() => Ok(Attribute::Pair([starts, second])),
            _ => Err(cursor.unexpected("a list of integers")),
        };
    }
    cursor.reset(mark);
    if let Some(words) = keywords(cursor) {
        return Ok(Attribute::Words(words));
    }
    cursor.reset(mark);
    cursor.skip_balanced()?;
    Ok(Attribute::Other)
}

/// Reads `[DEFAULT, #stablehlo<precision HIGH>]`; `None` if it is something else.
fn keywords<'a>(cursor: &mut Cursor<'a>) -> Option<Vec<&'a str>> {
    let mut words = Vec::new();
    cursor.next();
    loop {
        words.push(match cursor.next()? {
            Token::Name(word) => word,
            Token::Attribute(text) => Attribute::Alias(text).keyword()?,
            _ => return None,
        });
        match cursor.next()? {
            Token::Sign(',') => {}
            Token::Sign(']') => return Some(words),
            _ => return None,
        }
    }
}

/// Reads `[1, 2]` or `[0:4, 1:5:2]`; `None` if it is something else. Limits are empty of the former.
fn ranges(cursor: &mut Cursor<'_>) -> Result<Option<[Vec<i64>; 3]>> {
    let [mut starts, mut limits, mut strides] = [const { Vec::new() }; 3];
    cursor.expect('[')?;
    while !cursor.eat(']') {
        let Ok(start) = cursor.integer("an integer") else { return Ok(None) };
        starts.push(start);
        if cursor.eat(':') {
            // `1 : i64` in a list of attributes.
            if let Some(Token::Name(_)) = cursor.peek() {
                cursor.next();
            } else {
                limits.push(cursor.integer("a limit")?);
                strides.push(if cursor.eat(':') { cursor.integer("a stride")? } else { 1 });
            }
        }
        if !cursor.eat(',') && cursor.peek() != Some(Token::Sign(']')) {
            return Ok(None);
        }
    }
    let is_mixed = !limits.is_empty() && limits.len() != starts.len();
    Ok((!is_mixed).then_some([starts, limits, strides]))
}

/// Reads `array<i64: 1, 2>`.
fn array<'a>(cursor: &mut Cursor<'a>) -> Result<Attribute<'a>> {
    let mark = cursor.mark();
    cursor.next();
    cursor.expect('<')?;
    cursor.a_type()?;
    let mut numbers = Vec::new();
    if cursor.eat(':') {
        loop {
            match cursor.integer("an integer") {
                Ok(number) => numbers.push(number),
                Err(_) => {
                    cursor.reset(mark + 1);
                    cursor.skip_balanced()?;
                    return Ok(Attribute::Other);
                }
            }
            if !cursor.eat(',') {
                break;
            }
        }
    }
    cursor.expect('>')?;
    Ok(Attribute::Integers(numbers))
}

/// Reads `(types) -> types`, which is the value of one attribute only.
fn function_type<'a>(cursor: &mut Cursor<'a>) -> Result<Attribute<'a>> {
    cursor.skip_balanced()?;
    if cursor.peek() == Some(Token::Arrow) {
        cursor.next();
        if cursor.peek() == Some(Token::Sign('(')) {
            cursor.skip_balanced()?;
        } else {
            cursor.a_type()?;
        }
    }
    Ok(Attribute::Other)
}

/// Reads types between parentheses, each possibly with attributes.
pub(crate) fn types<'a>(cursor: &mut Cursor<'a>) -> Result<Vec<(Type<'a>, Option<&'a str>)>> {
    cursor.expect('(')?;
    let mut types = Vec::new();
    while !cursor.eat(')') {
        let read = cursor.a_type()?;
        types.push((read, label(cursor)?));
        if !cursor.eat(',') && cursor.peek() != Some(Token::Sign(')')) {
            return Err(cursor.unexpected("`,` or `)`"));
        }
    }
    Ok(types)
}

/// Reads the attributes of an argument or a result, if there are any, and returns the one by which
/// JAX names it.
pub(crate) fn label<'a>(cursor: &mut Cursor<'a>) -> Result<Option<&'a str>> {
    let mut attributes = Vec::new();
    if cursor.peek() == Some(Token::Sign('{')) {
        dictionary(cursor, &mut attributes)?;
    }
    cursor.location()?;
    let named =
        attributes.iter().find(|named| matches!(named.name, "jax.arg_info" | "jax.result_info"));
    Ok(named.and_then(|named| named.value.keyword()).filter(|label| !label.is_empty()))
}

/// Returns the error for an attribute that is not what the operation takes.
pub(crate) fn wrong(named: &Named<'_>, expected: &str) -> Box<Finding> {
    Finding::syntax(named.span.clone(), format!("attribute `{}` must be {expected}", named.name))
}

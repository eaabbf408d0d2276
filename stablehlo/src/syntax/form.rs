//! Reads one operation after its name, up to a region: the generic form, the forms of most
//! operations of StableHLO, and that of `reduce`.

use std::ops::Range;

use crate::report::problem::Finding;
use crate::syntax::attribute::Attribute;
use crate::syntax::cursor::{Cursor, Result};
use crate::syntax::lexer::Token;
use crate::syntax::module::{Named, Types};
use crate::syntax::types::Type;
use crate::syntax::values;

/// An operation whose operands are not looked up yet.
#[derive(Debug)]
pub(crate) struct Draft<'a> {
    pub(crate) name: &'a str,
    pub(crate) span: Range<usize>,
    /// The names and numbers of results.
    pub(crate) results: Vec<(&'a str, usize, Range<usize>)>,
    pub(crate) operands: Vec<Use<'a>>,
    pub(crate) attributes: Vec<Named<'a>>,
    pub(crate) types: Types<'a>,
    pub(crate) location: Option<&'a str>,
    pub(crate) is_skipped: bool,
}

/// A use of a value, or of one of several results.
#[derive(Debug, Clone)]
pub(crate) struct Use<'a> {
    pub(crate) name: &'a str,
    pub(crate) part: usize,
    pub(crate) span: Range<usize>,
}

/// The arguments of a region, with their types.
pub(crate) type Arguments<'a> = Vec<(&'a str, Type<'a>, Range<usize>)>;

/// Takes a use of a value, which must be next.
fn value<'a>(cursor: &mut Cursor<'a>) -> Result<Use<'a>> {
    let Some(Token::Value(name)) = cursor.peek() else {
        return Err(cursor.unexpected("a value, such as `%0`"));
    };
    cursor.next();
    let mut used = Use { name, part: 0, span: cursor.last_span() };
    if let Some(Token::Part(digits)) = cursor.peek() {
        used.part = digits.parse().map_err(|_| cursor.unexpected("the number of a result"))?;
        cursor.next();
        used.span.end = cursor.last_span().end;
    }
    Ok(used)
}

/// Takes uses of values between parentheses.
fn values_in_parentheses<'a>(cursor: &mut Cursor<'a>, to: &mut Vec<Use<'a>>) -> Result<()> {
    cursor.expect('(')?;
    while !cursor.eat(')') {
        to.push(value(cursor)?);
        if !cursor.eat(',') && cursor.peek() != Some(Token::Sign(')')) {
            return Err(cursor.unexpected("`,` or `)`"));
        }
    }
    Ok(())
}

/// Reads the generic form up to its regions. Returns true if there are any: the cursor is at the
/// brace that opens the first one.
pub(crate) fn generic<'a>(cursor: &mut Cursor<'a>, draft: &mut Draft<'a>) -> Result<bool> {
    values_in_parentheses(cursor, &mut draft.operands)?;
    if cursor.peek() == Some(Token::Sign('<')) {
        values::dictionary(cursor, &mut draft.attributes)?;
    }
    if cursor.peek() == Some(Token::Sign('[')) {
        return Err(Finding::syntax(
            cursor.span(),
            "successors are not read: a region is one block",
        ));
    }
    let has_regions = cursor.eat('(');
    Ok(has_regions)
}

/// Reads the generic form after its regions.
pub(crate) fn generic_end<'a>(cursor: &mut Cursor<'a>, draft: &mut Draft<'a>) -> Result<()> {
    if cursor.peek() == Some(Token::Sign('{')) {
        values::dictionary(cursor, &mut draft.attributes)?;
    }
    cursor.expect(':')?;
    draft.types = types(cursor)?;
    if !matches!(draft.types, Types::Function(..)) {
        return Err(Finding::syntax(
            draft.span.clone(),
            "the generic form ends in a function type",
        )
        .help("write `(operand types) -> result types` after the colon"));
    }
    draft.location = cursor.location()?;
    Ok(())
}

/// Reads the form of an operation without regions: operands, `name = value`, keywords, and types.
pub(crate) fn pretty<'a>(cursor: &mut Cursor<'a>, draft: &mut Draft<'a>) -> Result<()> {
    // The names of attributes that are written without their names, in order.
    let mut words = ["comparison_direction", "compare_type"].into_iter();
    let mut follows_operand = false;
    while let Some(token) = cursor.peek() {
        // The name of a composite is a string, too.
        let is_first = draft.attributes.is_empty() && draft.operands.is_empty();
        let is_name = matches!(token, Token::String(_)) && is_first;
        if !is_name && cursor.begins_operation() {
            break;
        }
        let is_operand = matches!(token, Token::Value(_));
        if is_operand && follows_operand {
            return Err(cursor.unexpected("`,` or `:`"));
        }
        follows_operand = is_operand;
        match token {
            Token::Value(_) => draft.operands.push(value(cursor)?),
            Token::Sign('(') => values_in_parentheses(cursor, &mut draft.operands)?,
            Token::Name(name) if cursor.ahead(1) == Some(Token::Sign('=')) => {
                cursor.next();
                cursor.next();
                draft.attributes.push(values::named(cursor, name)?);
            }
            Token::Name("loc") => break,
            Token::Name(word) => {
                let Some(name) = words.next().filter(|_| !word.contains('.')) else { break };
                cursor.next();
                let (span, value) = (cursor.last_span(), Attribute::Word(word));
                draft.attributes.push(Named { name, span, value });
            }
            Token::Symbol(_) => draft.attributes.push(values::named(cursor, "callee")?),
            Token::String(_) if is_first => {
                draft.attributes.push(values::named(cursor, "name")?);
            }
            Token::Dense(_) | Token::Resource(_) => {
                draft.attributes.push(values::named(cursor, "value")?);
            }
            Token::Sign('[') => draft.attributes.push(values::named(cursor, "ranges")?),
            Token::Sign('{') => values::dictionary(cursor, &mut draft.attributes)?,
            Token::Sign('<') if cursor.ahead(1) == Some(Token::Sign('{')) => {
                values::dictionary(cursor, &mut draft.attributes)?;
            }
            Token::Sign('<') => cursor.skip_balanced()?,
            Token::Sign(',') => {
                cursor.next();
                if matches!(cursor.peek(), None | Some(Token::Sign(',' | ':' | '}' | ')'))) {
                    return Err(cursor.unexpected("an operand or an attribute"));
                }
            }
            Token::Sign(':') => {
                cursor.next();
                draft.types = types(cursor)?;
                break;
            }
            _ => break,
        }
    }
    // A constant's type is read with its elements.
    if let (Types::None, Some(named)) = (&draft.types, draft.attributes.last())
        && let Attribute::Dense(_, Some(of)) | Attribute::Resource(_, Some(of)) = &named.value
    {
        draft.types = Types::List(vec![of.clone()]);
    }
    draft.location = cursor.location()?;
    Ok(())
}

/// Reads `reduce` after its name, up to its region. Returns the arguments of the region, if one
/// follows: the cursor is at the brace that opens it.
pub(crate) fn reduce<'a>(
    cursor: &mut Cursor<'a>,
    draft: &mut Draft<'a>,
) -> Result<Option<Arguments<'a>>> {
    let mut inits = Vec::new();
    loop {
        cursor.expect('(')?;
        draft.operands.push(value(cursor)?);
        if !cursor.eat_word("init") {
            return Err(cursor.unexpected("`init:`"));
        }
        cursor.expect(':')?;
        inits.push(value(cursor)?);
        cursor.expect(')')?;
        if !cursor.eat(',') {
            break;
        }
    }
    draft.operands.append(&mut inits);
    if cursor.eat_word("applies") {
        draft.attributes.push(values::named(cursor, "applies")?);
    }
    if !cursor.eat_word("across") || cursor.peek() != Some(Token::Name("dimensions")) {
        return Err(cursor.unexpected("`across dimensions = [...]`"));
    }
    cursor.next();
    cursor.expect('=')?;
    draft.attributes.push(values::named(cursor, "dimensions")?);
    if cursor.peek() == Some(Token::Sign('{')) {
        values::dictionary(cursor, &mut draft.attributes)?;
    }
    cursor.expect(':')?;
    draft.types = types(cursor)?;
    draft.location = cursor.location()?;
    if draft.attributes.iter().any(|named| named.name == "applies") {
        return Ok(None);
    }
    if !cursor.eat_word("reducer") {
        return Err(cursor.unexpected("`reducer(...)`"));
    }
    // Each pair of parentheses has the two arguments for one operand.
    let (mut first, mut second) = (Vec::new(), Vec::new());
    while cursor.peek() == Some(Token::Sign('(')) {
        let mut pair = arguments(cursor)?.into_iter();
        first.extend(pair.next());
        second.extend(pair);
    }
    first.append(&mut second);
    Ok(Some(first))
}

/// Reads arguments with their types between parentheses.
pub(crate) fn arguments<'a>(cursor: &mut Cursor<'a>) -> Result<Arguments<'a>> {
    Ok(labelled_arguments(cursor)?.into_iter().map(|(argument, _)| argument).collect())
}

/// Reads arguments with their types between parentheses, and the names that attributes give them.
#[allow(clippy::type_complexity, reason = "an argument with its name")]
pub(crate) fn labelled_arguments<'a>(
    cursor: &mut Cursor<'a>,
) -> Result<Vec<((&'a str, Type<'a>, Range<usize>), Option<&'a str>)>> {
    cursor.expect('(')?;
    let mut arguments = Vec::new();
    while !cursor.eat(')') {
        let Some(Token::Value(name)) = cursor.peek() else {
            return Err(cursor.unexpected("an argument, such as `%arg0`"));
        };
        cursor.next();
        let span = cursor.last_span();
        cursor.expect(':')?;
        let of = cursor.a_type()?;
        arguments.push(((name, of, span), values::label(cursor)?));
        if !cursor.eat(',') && cursor.peek() != Some(Token::Sign(')')) {
            return Err(cursor.unexpected("`,` or `)`"));
        }
    }
    Ok(arguments)
}

/// Reads types after a colon.
pub(crate) fn types<'a>(cursor: &mut Cursor<'a>) -> Result<Types<'a>> {
    let plain = |types: Vec<(Type<'a>, _)>| types.into_iter().map(|(of, _)| of).collect();
    let operands: Vec<Type<'a>> = if cursor.peek() == Some(Token::Sign('(')) {
        plain(values::types(cursor)?)
    } else {
        let mut list = vec![cursor.a_type()?];
        while cursor.eat(',') {
            list.push(cursor.a_type()?);
        }
        if cursor.peek() != Some(Token::Arrow) {
            return Ok(Types::List(list));
        }
        list
    };
    if cursor.peek() != Some(Token::Arrow) {
        return Err(cursor.unexpected("`->`"));
    }
    cursor.next();
    let results = if cursor.peek() == Some(Token::Sign('(')) {
        plain(values::types(cursor)?)
    } else {
        let mut list = vec![cursor.a_type()?];
        while cursor.eat(',') {
            list.push(cursor.a_type()?);
        }
        list
    };
    Ok(Types::Function(operands, results))
}

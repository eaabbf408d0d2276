//! Cuts a program into tokens. Types and elements of constants are one token each, since their
//! characters mean something else than outside: `2x3xf32`.

use std::ops::Range;

use winnow::Parser;
use winnow::combinator::{alt, opt, preceded, repeat};
use winnow::error::ErrMode;
use winnow::stream::{LocatingSlice, Location, Stream as _};
use winnow::token::{one_of, take_till, take_while};

use crate::report::problem::Finding;

/// A token.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Token<'a> {
    /// `%name`, without the sign.
    Value(&'a str),
    /// `#1` after a value: one of several results.
    Part(&'a str),
    /// `@name`, without the sign and quotes.
    Symbol(&'a str),
    /// `^bb0`
    Block,
    /// A name of an operation, a keyword or a short type.
    Name(&'a str),
    /// The characters between quotes.
    String(&'a str),
    /// A number, as it is written.
    Number(&'a str),
    /// `tensor<...>` and other types with parameters, as a whole.
    Type(&'a str),
    /// The text in `dense<...>`.
    Dense(&'a str),
    /// The name in `dense_resource<...>`, without quotes.
    Resource(&'a str),
    /// `{-#`, where resources begin.
    Resources,
    /// `#-}`, where resources end.
    ResourcesEnd,
    /// `#name` or `#name<...>`, without the sign.
    Attribute(&'a str),
    /// One of `( ) { } [ ] < > , : = ? * / + |`
    Sign(char),
    /// `->`
    Arrow,
}

/// A token with its byte range.
#[derive(Debug, Clone)]
pub(crate) struct Spanned<'a> {
    pub(crate) token: Token<'a>,
    pub(crate) span: Range<usize>,
}

type Input<'a> = LocatingSlice<&'a str>;
type Parsed<T> = winnow::Result<T, ErrMode<()>>;

/// Cuts a text into tokens, without white space and comments.
pub(crate) fn lex(text: &str) -> Result<Vec<Spanned<'_>>, Box<Finding>> {
    let mut input = LocatingSlice::new(text);
    let mut tokens = Vec::new();
    loop {
        // It cannot fail: it takes as much as matches, possibly nothing.
        let _: Parsed<()> = blank(&mut input);
        let start = input.current_token_start();
        if start >= text.len() {
            return Ok(tokens);
        }
        let Ok(token) = token.parse_next(&mut input) else { return Err(unknown(text, start)) };
        tokens.push(Spanned { token, span: start..input.previous_token_end() });
    }
}

/// Returns the error for a text in which no token starts at `start`.
fn unknown(text: &str, start: usize) -> Box<Finding> {
    let rest = &text[start..];
    let first = rest.chars().next().unwrap_or(' ');
    let span = start..start + first.len_utf8();
    let opened = ["tensor<", "dense<", "dense_resource<", "complex<", "tuple<", "\"", "!", "#"];
    match opened.iter().find(|opening| rest.starts_with(**opening)) {
        Some(opening) => Finding::syntax(span, format!("`{opening}` is not closed"))
            .help("close the bracket or the quotes; the text may have been cut off"),
        None => Finding::syntax(span, format!("unexpected character `{first}`"))
            .help("a program is MLIR in text form, as `jax.jit(f).lower(...).as_text()` gives it"),
    }
}

fn blank(input: &mut Input<'_>) -> Parsed<()> {
    let space = take_while(1.., char::is_whitespace).void();
    let comment = ("//", take_till(0.., '\n')).void();
    repeat(0.., alt((space, comment))).parse_next(input)
}

fn token<'a>(input: &mut Input<'a>) -> Parsed<Token<'a>> {
    alt((value, symbol, number, string, bracketed, resources, attribute, name, sign))
        .parse_next(input)
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.')
}

fn value<'a>(input: &mut Input<'a>) -> Parsed<Token<'a>> {
    let in_name = |c: char| is_name(c) || c == '-';
    let value = preceded('%', take_while(1.., in_name)).map(Token::Value);
    let part = preceded('#', take_while(1.., '0'..='9')).map(Token::Part);
    alt((value, part)).parse_next(input)
}

fn symbol<'a>(input: &mut Input<'a>) -> Parsed<Token<'a>> {
    let quoted = ('"', take_till(0.., ['"', '\n']), '"').map(|(_, name, _)| name);
    let plain = take_while(1.., |c| is_name(c) || c == '-');
    let symbol = preceded('@', alt((quoted, plain))).map(Token::Symbol);
    let block = preceded('^', take_while(1.., is_name)).map(|_| Token::Block);
    alt((symbol, block)).parse_next(input)
}

fn number<'a>(input: &mut Input<'a>) -> Parsed<Token<'a>> {
    let hexadecimal = ("0x", take_while(1.., |c: char| c.is_ascii_hexdigit())).take();
    let digits = || take_while(1.., '0'..='9');
    let exponent = (one_of(['e', 'E']), opt(one_of(['+', '-'])), digits());
    let decimal =
        (opt('-'), digits(), opt(('.', take_while(0.., '0'..='9'))), opt(exponent)).take();
    alt((hexadecimal, decimal)).map(Token::Number).parse_next(input)
}

fn string<'a>(input: &mut Input<'a>) -> Parsed<Token<'a>> {
    let text: &'a str = **input;
    if !text.starts_with('"') {
        return Err(ErrMode::Backtrack(()));
    }
    // No other token begins with quotes.
    let end = end_of_string(text).ok_or(ErrMode::Cut(()))?;
    let whole = input.next_slice(end);
    Ok(Token::String(&whole[1..end - 1]))
}

/// Returns the length of the string that a text starts with, with its quotes.
fn end_of_string(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// Reads types with parameters and elements of constants, by counting brackets.
fn bracketed<'a>(input: &mut Input<'a>) -> Parsed<Token<'a>> {
    let text: &'a str = **input;
    let head = text.trim_start_matches('!').find(|c| !is_name(c)).unwrap_or(text.len());
    let head = head + usize::from(text.starts_with('!'));
    let name = text.get(..head).unwrap_or("");
    let is_type = name.starts_with('!')
        || matches!(name, "tensor" | "tuple" | "complex" | "vector" | "memref");
    if !(is_type || name == "dense" || name == "dense_resource") {
        return Err(ErrMode::Backtrack(()));
    }
    if !text[head..].starts_with('<') {
        if !name.starts_with('!') {
            return Err(ErrMode::Backtrack(()));
        }
        return Ok(Token::Type(input.next_slice(head)));
    }
    let length = balanced(&text[head..]).ok_or(ErrMode::Cut(()))?;
    let whole = input.next_slice(head + length);
    let inner = &whole[head + 1..head + length - 1];
    Ok(match name {
        "dense" => Token::Dense(inner),
        "dense_resource" => Token::Resource(inner.trim().trim_matches('"')),
        _ => Token::Type(whole),
    })
}

fn resources<'a>(input: &mut Input<'a>) -> Parsed<Token<'a>> {
    let begin = "{-#".map(|_| Token::Resources);
    alt((begin, "#-}".map(|_| Token::ResourcesEnd))).parse_next(input)
}

fn attribute<'a>(input: &mut Input<'a>) -> Parsed<Token<'a>> {
    let text: &'a str = **input;
    let Some(rest) = text.strip_prefix('#') else { return Err(ErrMode::Backtrack(())) };
    let head = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
    let length = if rest[head..].starts_with('<') {
        balanced(&rest[head..]).ok_or(ErrMode::Cut(()))?
    } else if head == 0 {
        return Err(ErrMode::Backtrack(()));
    } else {
        0
    };
    Ok(Token::Attribute(&input.next_slice(1 + head + length)[1..]))
}

/// Returns the length of the `<...>` that a text starts with.
fn balanced(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0_usize, 0);
    loop {
        match bytes.get(at)? {
            b'<' => depth += 1,
            b'>' if at > 0 && bytes[at - 1] == b'-' => {}
            b'>' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            b'"' => at += end_of_string(&text[at..])? - 1,
            b'/' if bytes.get(at + 1) == Some(&b'/') => at += text[at..].find('\n')?,
            _ => {}
        }
        at += 1;
    }
}

fn name<'a>(input: &mut Input<'a>) -> Parsed<Token<'a>> {
    let start = one_of(|c: char| c.is_ascii_alphabetic() || c == '_');
    // An operation such as `stablehlo.cross-replica-sum` has hyphens.
    let dashed = ('-', one_of(|c: char| c.is_ascii_alphabetic()), take_while(0.., is_name));
    let name = (start, take_while(0.., is_name), repeat::<_, _, (), _, _>(0.., dashed.void()));
    name.take().map(Token::Name).parse_next(input)
}

fn sign<'a>(input: &mut Input<'a>) -> Parsed<Token<'a>> {
    let arrow = "->".map(|_| Token::Arrow);
    let signs = ['(', ')', '{', '}', '[', ']', '<', '>', ',', ':', '=', '?', '*', '/', '+', '|'];
    alt((arrow, one_of(signs).map(Token::Sign))).parse_next(input)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<Token<'_>> {
        lex(text).unwrap().into_iter().map(|spanned| spanned.token).collect()
    }

    #[test]
    fn an_operation_is_cut_into_its_parts() {
        use Token::{Arrow, Dense, Name, Number, Part, Sign, Type, Value};
        assert_eq!(
            tokens("%0:2 = call @f(%a#1) : (tensor<2x3xf32>) -> tensor<complex<f32>> // last"),
            [
                Value("0"),
                Sign(':'),
                Number("2"),
                Sign('='),
                Name("call"),
                Token::Symbol("f"),
                Sign('('),
                Value("a"),
                Part("1"),
                Sign(')'),
                Sign(':'),
                Sign('('),
                Type("tensor<2x3xf32>"),
                Sign(')'),
                Arrow,
                Type("tensor<complex<f32>>"),
            ]
        );
        assert_eq!(tokens("dense<\"0x3>\">"), [Dense("\"0x3>\"")]);
        assert_eq!(tokens("-1.5e-3 0xFF"), [Number("-1.5e-3"), Number("0xFF")]);
        assert_eq!(
            tokens("#stablehlo<precision DEFAULT>"),
            [Token::Attribute("stablehlo<precision DEFAULT>")]
        );
    }

    #[test]
    fn unclosed_brackets_are_reported_at_their_start() {
        let finding = lex("%0 = stablehlo.constant dense<[1, 2").unwrap_err();
        assert_eq!((finding.span.start, &*finding.message), (24, "`dense<` is not closed"));
        assert_eq!(lex("ä").unwrap_err().span, 0..2);
    }
}

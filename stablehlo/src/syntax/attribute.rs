//! [`Attribute`]: the values of attributes, as far as operations use them.

use crate::syntax::lexer::{Token, lex};
use crate::syntax::types::Type;

/// The value of an attribute.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Attribute<'a> {
    /// An integer.
    Integer(i128),
    /// A number with a fraction, as it is written.
    Number(&'a str),
    /// A list of integers: `[1, 0]`, `array<i64: 1, 0>`, or elements of a constant.
    Integers(Vec<i64>),
    /// Two lists of integers: `[0] x [1]`.
    Pair([Vec<i64>; 2]),
    /// Starts, limits and strides of a slice: `[0:2, 1:5:2]`.
    Ranges([Vec<i64>; 3]),
    /// A keyword, such as `LT`, `true` or `unit`.
    Word(&'a str),
    /// A list of keywords: `[DEFAULT, #stablehlo<precision HIGH>]`.
    Words(Vec<&'a str>),
    /// A text.
    String(&'a str),
    /// A function.
    Symbol(&'a str),
    /// `#name<...>`, without the sign; or `<...>`, where the form of an operation has no name.
    Alias(&'a str),
    /// The elements of a constant, with its type where one is written.
    Dense(&'a str, Option<Type<'a>>),
    /// The name of the resource that has the elements of a constant, with its type likewise.
    Resource(&'a str, Option<Type<'a>>),
    /// Anything else, which no operation here uses.
    Other,
}

impl<'a> Attribute<'a> {
    /// Returns the last word of an attribute such as `#stablehlo<comparison_direction LT>`, or the
    /// word itself.
    pub(crate) fn keyword(&self) -> Option<&'a str> {
        match self {
            Self::Word(word) | Self::String(word) => Some(word),
            Self::Alias(_) => self.tokens()?.iter().rev().find_map(|token| match token {
                Token::Name(word) => Some(*word),
                _ => None,
            }),
            _ => None,
        }
    }

    /// Returns the list of integers after a name in an attribute such as
    /// `#stablehlo.dot<lhs_contracting_dimensions = [1], ...>`; an empty one if the name is not
    /// there.
    pub(crate) fn list_within(&self, name: &str) -> Option<Vec<i64>> {
        let tokens = self.tokens()?;
        let Some(after) = after(&tokens, name) else { return Some(Vec::new()) };
        let (Token::Sign('['), mut rest) = after.split_first()? else { return None };
        let mut list = Vec::new();
        while let [Token::Number(number), after @ ..] = rest {
            list.push(number.parse().ok()?);
            rest = after.strip_prefix(&[Token::Sign(',')]).unwrap_or(after);
        }
        (rest.first() == Some(&Token::Sign(']'))).then_some(list)
    }

    /// Returns the number, the keyword or the type after a name in an attribute such as
    /// `#stablehlo.dot_algorithm<lhs_precision_type = f32, ...>`.
    pub(crate) fn text_within(&self, name: &str) -> Option<&'a str> {
        match after(&self.tokens()?, name)?.first()? {
            Token::Number(text) | Token::Name(text) | Token::Type(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the tokens of an attribute of a dialect.
    fn tokens(&self) -> Option<Vec<Token<'a>>> {
        let Self::Alias(text) = self else { return None };
        Some(lex(text).ok()?.iter().map(|spanned| spanned.token).collect())
    }
}

/// Returns the tokens after a name and `=`.
fn after<'t, 'a>(tokens: &'t [Token<'a>], name: &str) -> Option<&'t [Token<'a>]> {
    let is_it = |pair: &[Token<'_>]| pair == [Token::Name(name), Token::Sign('=')];
    let at = tokens.windows(2).position(is_it)?;
    tokens.get(at + 2..)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_attributes_of_dialects_are_found() {
        let direction = Attribute::Alias("stablehlo<comparison_direction LT>");
        assert_eq!(direction.keyword(), Some("LT"));
        let dot = Attribute::Alias("stablehlo.dot<lhs_contracting_dimensions = [1, 2], x = [0]>");
        assert_eq!(dot.list_within("lhs_contracting_dimensions"), Some(vec![1, 2]));
        assert_eq!(dot.list_within("rhs_contracting_dimensions"), Some(vec![]));
        let algorithm = Attribute::Alias("<accumulation_type = f32, lhs_component_count = -1>");
        assert_eq!(algorithm.text_within("accumulation_type"), Some("f32"));
        assert_eq!(algorithm.text_within("lhs_component_count"), Some("-1"));
        assert_eq!(algorithm.text_within("rhs_component_count"), None);
    }
}

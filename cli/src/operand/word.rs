//! Separates EXPRs from operands among the arguments.

use std::path::Path;

use indim_expr::{continues_name, starts_name};

use crate::operand::npz;
use crate::operand::parse::Argument;

/// An argument after the first EXPR.
#[derive(Debug, Clone)]
pub(crate) enum Word {
    Expr(String),
    Operand(Argument),
}

impl std::str::FromStr for Word {
    type Err = String;

    /// Parses `NAME=ARRAY` as an operand, and everything else as an EXPR unless it cannot be one.
    fn from_str(text: &str) -> Result<Self, String> {
        if let Some((name, array)) = split_name(text) {
            let (name, array) = (name.to_owned(), array.to_owned());
            return Ok(Self::Operand(Argument { name, array }));
        }
        if text.starts_with('@') {
            return Ok(Self::Expr(text.to_owned()));
        }
        // Arrays and files without a name begin or end like this; an EXPR never does.
        if text.starts_with('[') {
            return Err("an operand is written NAME=ARRAY, such as x=[1,2]".to_owned());
        }
        if text.ends_with(".npy") || npz::split(Path::new(text)).is_some() {
            return Err(format!("an operand is written NAME=ARRAY, such as x={text}"));
        }
        match text.split_once('=') {
            Some((name, rest)) if !rest.starts_with('=') && name.chars().all(continues_name) => {
                Err(format!(
                    "`{name}` is not a name; names are letters, digits and _, and begin with no digit"
                ))
            }
            _ => Ok(Self::Expr(text.to_owned())),
        }
    }
}

/// Splits `NAME=...`, without a blank before the `=`, into the name and the rest. A `==` is a
/// comparison.
pub(crate) fn split_name(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.split_once('=')?;
    let mut letters = name.chars();
    let is_name = letters.next().is_some_and(starts_name) && letters.all(continues_name);
    (is_name && !rest.starts_with('=')).then_some((name, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blank_in_front_of_the_sign_makes_an_expression() {
        let operand = |text: &str| match text.parse() {
            Ok(Word::Operand(Argument { name, array })) => Some((name, array)),
            Ok(Word::Expr(expr)) => {
                assert_eq!(expr, text);
                None
            }
            Err(error) => panic!("{text}: {error}"),
        };
        for text in ["x=1", "x= [1]", "x=a.npy", "x=", "Ω_1=3", "x=y=z", "x=2x3", "t=1;t"] {
            let (name, array) = text.split_once('=').unwrap();
            assert_eq!(operand(text), Some((name.to_owned(), array.to_owned())), "{text}");
        }
        for text in ["x =1", "x = 1", " x=1", "x", "x==1", "x == 1", "x<=1", "-", "@f=g", "t; x=1"]
        {
            assert_eq!(operand(text), None, "{text}");
        }
        for text in ["2x=1", "=1", "[1,2]", "x.npy", "_1 .npy", "a.npz", "a.npz:x"] {
            assert!(text.parse::<Word>().is_err(), "{text}");
        }
    }
}

//! Parses array literals such as `[[1, 2, 3], [4, 5, 6]]`.

use std::ops::Range;

use indim_core::num_complex::Complex32;
use indim_core::{ElementType, Scalar};

use crate::report::diagnostic::{Diagnostic, Result};
use crate::syntax::lexer::{Spanned, Symbol, Token, lex};
use crate::syntax::narrow;

/// The limit on how deep lists may be nested.
const MAX_RANK: usize = 1_000;

/// Type, sizes and elements of a literal.
#[derive(Debug, PartialEq)]
pub struct Elements {
    /// The type of all elements.
    pub element_type: ElementType,
    /// The lengths of the lists, outermost first.
    pub sizes: Vec<usize>,
    /// The elements, row-major and little-endian.
    pub bytes: Vec<u8>,
}

/// Parses a number, or lists of numbers whose lengths agree at every depth. If no type is given, it
/// is that of the first number with a suffix, else PRED if `true` or `false` occurs, else F32.
pub fn parse(text: &str, element_type: Option<ElementType>) -> Result<Elements> {
    let tokens = lex(text, 0, "save the array as a .npy file")?;
    let word = |token: &Spanned| text.get(token.span.clone()).unwrap_or_default();
    let named = |token: &Spanned| match token.token {
        Token::Number(number) => number.element_type(),
        Token::Name => narrow::not_finite(word(token)).and_then(|(_, of)| of),
        _ => None,
    };
    let truth = |token: &Spanned| matches!(word(token), "true" | "True" | "false" | "False");
    let element_type = element_type
        .or_else(|| tokens.iter().find_map(named))
        .or_else(|| tokens.iter().any(truth).then_some(ElementType::Pred))
        .unwrap_or(ElementType::F32);
    let mut reader = Reader {
        text,
        element_type,
        open: Vec::new(),
        sizes: Vec::new(),
        leaves_at: None,
        bytes: Vec::new(),
    };
    let mut rest = tokens.as_slice();
    loop {
        rest = reader.item(rest)?;
        // After an item: the end, a comma, or the end of a list, which is itself an item.
        loop {
            let (Some(next), open) = (rest.first(), !reader.open.is_empty()) else {
                return match reader.open.last() {
                    None => Ok(Elements {
                        element_type,
                        sizes: reader.sizes.into_iter().flatten().collect(),
                        bytes: reader.bytes,
                    }),
                    Some(list) => Err(Diagnostic::at(list.at..list.at + 1, "`[` is never closed")),
                };
            };
            rest = &rest[1..];
            match next.token {
                Token::CloseList if open => reader.close(next)?,
                Token::Comma if open => match rest.first() {
                    // A trailing comma is allowed, as in Python.
                    Some(close) if close.token == Token::CloseList => {}
                    _ => break,
                },
                _ => {
                    let wanted = if open { "`,` or `]`" } else { "nothing" };
                    let found = text.get(next.span.clone()).unwrap_or_default();
                    return Err(Diagnostic::at(
                        next.span.clone(),
                        format!("expected {wanted} after a value, found `{found}`"),
                    ));
                }
            }
        }
    }
}

/// An open list.
#[derive(Debug)]
struct List {
    /// The position of its `[`.
    at: usize,
    count: usize,
}

struct Reader<'a> {
    text: &'a str,
    element_type: ElementType,
    open: Vec<List>,
    /// The length of the lists at each depth, once one of them is closed.
    sizes: Vec<Option<usize>>,
    /// The depth of the numbers.
    leaves_at: Option<usize>,
    bytes: Vec<u8>,
}

impl Reader<'_> {
    /// Reads the beginning of an item: a whole number or empty list, or the opening brackets before
    /// one.
    fn item<'t>(&mut self, mut rest: &'t [Spanned]) -> Result<&'t [Spanned]> {
        loop {
            let Some((first, after)) = rest.split_first() else {
                let end = self.text.len();
                return Err(Diagnostic::at(
                    end..end,
                    "expected a number or a list, but the array ends here",
                ));
            };
            if first.token != Token::OpenList {
                return self.element(rest);
            }
            if self.leaves_at == Some(self.open.len()) {
                return Err(Diagnostic::at(
                    first.span.clone(),
                    "a list stands where its neighbours are numbers",
                )
                .help("every number stands at the same depth"));
            }
            if self.open.len() == MAX_RANK {
                return Err(Diagnostic::at(
                    first.span.clone(),
                    format!("lists are nested more than {MAX_RANK} deep"),
                ));
            }
            self.count();
            self.open.push(List { at: first.span.start, count: 0 });
            if self.sizes.len() < self.open.len() {
                self.sizes.push(None);
            }
            rest = after;
            if let Some((close, after)) = rest.split_first()
                && close.token == Token::CloseList
            {
                self.close(close)?;
                return Ok(after);
            }
        }
    }

    fn count(&mut self) {
        if let Some(list) = self.open.last_mut() {
            list.count += 1;
        }
    }

    fn close(&mut self, close: &Spanned) -> Result<()> {
        let depth = self.open.len().saturating_sub(1);
        let (Some(list), Some(size)) = (self.open.pop(), self.sizes.get_mut(depth)) else {
            return Ok(());
        };
        let expected = *size.get_or_insert(list.count);
        if list.count == expected {
            return Ok(());
        }
        let message = format!(
            "this list has length {}, but those before it at its depth have length {expected}",
            list.count
        );
        Err(Diagnostic::at(list.at..close.span.end, message)
            .help("an array's lists are of one length at each depth"))
    }

    /// Reads an element: a number or a name such as `inf`; for C64 also the sum of two.
    fn element<'t>(&mut self, rest: &'t [Spanned]) -> Result<&'t [Spanned]> {
        let complex = self.element_type == ElementType::C64;
        let open = match rest.split_first() {
            Some((open, rest)) if complex && open.token == Token::Open => Some((open, rest)),
            _ => None,
        };
        let part = self.part(open.map_or(rest, |(_, rest)| rest))?;
        self.check_depth(&part.span)?;
        let (mut scalar, mut after) = (self.scalar(&part)?, part.after);
        let signed =
            |token: &Spanned| matches!(token.token, Token::Symbol(Symbol::Plus | Symbol::Minus));
        if complex && after.first().is_some_and(signed) {
            let second = self.part(after)?;
            scalar = self.sum(&part, scalar, &second)?;
            after = second.after;
        }
        if let Some((open, _)) = open {
            match after.split_first() {
                Some((close, rest)) if close.token == Token::Close => after = rest,
                _ => return Err(Diagnostic::at(open.span.clone(), "`(` is never closed")),
            }
        }
        self.count();
        narrow::append(&mut self.bytes, scalar);
        Ok(after)
    }

    /// All numbers have the depth of the first one.
    fn check_depth(&mut self, span: &Range<usize>) -> Result<()> {
        if self.leaves_at.is_none() && self.sizes.len() == self.open.len() {
            self.leaves_at = Some(self.open.len());
        }
        if self.leaves_at == Some(self.open.len()) {
            return Ok(());
        }
        Err(Diagnostic::at(span.clone(), "a number stands where its neighbours are lists")
            .help("every number stands at the same depth"))
    }

    /// Reads signs and the token after them.
    fn part<'t>(&self, mut rest: &'t [Spanned]) -> Result<Term<'t>> {
        let start = rest.first().map_or(0, |t| t.span.start);
        let (mut negative, mut signed) = (false, false);
        while let Some(Token::Symbol(sign @ (Symbol::Minus | Symbol::Plus))) =
            rest.first().map(|t| t.token)
        {
            negative ^= sign == Symbol::Minus;
            signed = true;
            rest = &rest[1..];
        }
        let Some((token, after)) = rest.split_first() else {
            let end = self.text.len();
            return Err(Diagnostic::at(end..end, "expected a number, but the array ends here"));
        };
        Ok(Term { token, span: start..token.span.end, negative, signed, after })
    }

    /// Returns the value of a part in the array's type.
    fn scalar(&self, part: &Term<'_>) -> Result<Scalar> {
        let to = self.element_type;
        let word = self.text.get(part.token.span.clone()).unwrap_or_default();
        let refused =
            || Diagnostic::at(part.span.clone(), format!("{word} is not a value of {to}"));
        match (part.token.token, word) {
            (Token::Number(number), _) => {
                let number = if part.negative { number.negated() } else { number };
                number.to_scalar(to).map_err(|why| {
                    let text = self.text.get(part.span.clone()).unwrap_or_default();
                    Diagnostic::at(part.span.clone(), format!("{text} {why}"))
                })
            }
            (Token::Name, word)
                if narrow::not_finite(word).is_some_and(|(_, of)| of.is_none_or(|of| of == to)) =>
            {
                narrow::float(part.not_finite(word), to).ok_or_else(refused)
            }
            // NumPy prints infinite and undefined imaginary parts in this form.
            (Token::Name, "infj" | "infi" | "nanj" | "nani") if to == ElementType::C64 => {
                Ok(Scalar::new(Complex32::new(0.0, part.not_finite(word) as f32)))
            }
            // Python's and NumPy's spellings are accepted, so that their output can be pasted.
            (Token::Name, "true" | "True" | "false" | "False") => {
                if to != ElementType::Pred || part.signed {
                    return Err(refused()
                        .help("write the element type in front, as in `pred:[true, false]`"));
                }
                Ok(Scalar::new(matches!(word, "true" | "True")))
            }
            _ => Err(Diagnostic::at(
                part.token.span.clone(),
                format!("expected a number or a list, found `{word}`"),
            )),
        }
    }

    /// Returns the complex number of an imaginary part and a real one, given as `real`.
    fn sum(&self, first: &Term<'_>, real: Scalar, second: &Term<'_>) -> Result<Scalar> {
        let imaginary = self.scalar(second)?;
        if self.is_imaginary(first) || !self.is_imaginary(second) {
            return Err(Diagnostic::at(
                first.span.start..second.span.end,
                "a complex number is a real part and behind it an imaginary one",
            )
            .help("such as 1+2i"));
        }
        let part = |scalar: Scalar| scalar.get::<Complex32>().unwrap_or_default();
        Ok(Scalar::new(Complex32::new(part(real).re, part(imaginary).im)))
    }

    fn is_imaginary(&self, part: &Term<'_>) -> bool {
        let word = self.text.get(part.token.span.clone()).unwrap_or_default();
        match part.token.token {
            Token::Number(number) => number.is_imaginary(),
            _ => word.ends_with(['i', 'j']),
        }
    }
}

/// One number of an element, with the tokens after it.
struct Term<'t> {
    token: &'t Spanned,
    /// Including its signs.
    span: Range<usize>,
    negative: bool,
    signed: bool,
    after: &'t [Spanned],
}

impl Term<'_> {
    /// Returns the value of `word`, which begins with `inf` or `nan`.
    fn not_finite(&self, word: &str) -> f64 {
        let magnitude = if word.starts_with("inf") { f64::INFINITY } else { f64::NAN };
        if self.negative { -magnitude } else { magnitude }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::diagnostic::Source;

    fn ints(text: &str) -> (Vec<usize>, Vec<i32>) {
        let found = parse(text, Some(ElementType::S32))
            .unwrap_or_else(|e| panic!("{text}: {}", e.render()));
        let values =
            found.bytes.as_chunks::<4>().0.iter().map(|&c| i32::from_le_bytes(c)).collect();
        (found.sizes, values)
    }

    fn error(text: &str, element_type: ElementType) -> String {
        match parse(text, Some(element_type)) {
            Ok(found) => panic!("{text} gives {found:?}"),
            Err(e) => e.in_source(&Source::new("x", text)).render(),
        }
    }

    #[test]
    fn nesting_is_the_rank() {
        assert_eq!(ints("7"), (vec![], vec![7]));
        assert_eq!(ints("-7"), (vec![], vec![-7]));
        assert_eq!(ints("[]"), (vec![0], vec![]));
        assert_eq!(ints("[[],[]]"), (vec![2, 0], vec![]));
        assert_eq!(ints("[[[]]]"), (vec![1, 1, 0], vec![]));
        assert_eq!(ints("[1, -2, +3,]"), (vec![3], vec![1, -2, 3]));
        assert_eq!(ints("[[1,2,3],[4,5,6],]"), (vec![2, 3], vec![1, 2, 3, 4, 5, 6]));
        assert_eq!(ints("[[[1],[2]]]"), (vec![1, 2, 1], vec![1, 2]));
    }

    #[test]
    fn floats_and_truth_values() {
        let bits = |text| {
            let bytes = parse(text, None).map(|found| found.bytes).unwrap_or_default();
            f32::from_le_bytes(bytes.try_into().unwrap_or_default())
        };
        assert_eq!(bits("0.1"), 0.1);
        assert_eq!(bits("-inf"), f32::NEG_INFINITY);
        assert!(bits("nan").is_nan());
        let preds = parse("[true, False, 1, 0]", Some(ElementType::Pred)).map(|found| found.bytes);
        assert_eq!(preds.unwrap_or_default(), [1, 0, 1, 0]);
    }

    #[test]
    fn numbers_name_types() {
        for (text, element_type, bytes) in [
            ("[1u8, 2, 255]", ElementType::U8, vec![1, 2, 255]),
            ("[-1, 2s16]", ElementType::S16, vec![255, 255, 2, 0]),
            ("1.5bf16", ElementType::Bf16, vec![0xc0, 0x3f]),
            ("[inf, 1f16]", ElementType::F16, vec![0, 0x7c, 0, 0x3c]),
            ("-8s4", ElementType::S4, vec![8]),
        ] {
            let found = parse(text, None).unwrap_or_else(|e| panic!("{text}: {}", e.render()));
            assert_eq!((found.element_type, found.bytes), (element_type, bytes), "{text}");
        }
        assert!(error("[1u8]", ElementType::S32).starts_with("error: 1u8 is of u8, not of s32\n"));
        assert!(
            error("[2i]", ElementType::F32)
                .starts_with("error: 2i is imaginary, and not a value of f32\n")
        );
    }

    #[test]
    fn complex_numbers_have_two_parts() {
        let parts = |text: &str| {
            let found = parse(text, None).unwrap_or_else(|e| panic!("{text}: {}", e.render()));
            assert_eq!(found.element_type, ElementType::C64);
            let words = found.bytes.as_chunks::<4>().0.iter();
            words.map(|&word| f32::from_le_bytes(word).to_string()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(parts("[1+2i, 3, -2j, -1.5e3 - 0.5i]"), "1 2 3 0 0 -2 -1500 -0.5");
        assert_eq!(
            parts("[(1-2j), 1.+0.j, inf-infj, nan+nanj, 0i]"),
            "1 -2 1 0 inf -inf NaN NaN 0 0"
        );
        assert_eq!(parts("2i"), "0 2");
        for text in ["[1+2]", "[1i+2i]", "[2i-1]"] {
            assert!(
                error(text, ElementType::C64).starts_with("error: a complex number is a real part"),
                "{text}"
            );
        }
        assert!(error("[(1+2i]", ElementType::C64).starts_with("error: `(` is never closed\n"));
        assert!(
            error("[1+2+3i]", ElementType::F32).starts_with("error: expected `,` or `]` after")
        );
    }

    #[test]
    fn mistakes_are_pointed_at() {
        let first = |text: &str| {
            let shown = error(text, ElementType::F32);
            let lines: Vec<&str> = shown.lines().collect();
            (lines[0].trim_start_matches("error: ").to_owned(), lines[3][4..].to_owned())
        };
        for (text, message, carets) in [
            (
                "[[1,2],[3]]",
                "this list has length 1, but those before it at its depth have length 2",
                "       ^^^",
            ),
            (
                "[[1],[2,3]]",
                "this list has length 2, but those before it at its depth have length 1",
                "     ^^^^^",
            ),
            (
                "[[],[1]]",
                "this list has length 1, but those before it at its depth have length 0",
                "    ^^^",
            ),
            ("[1,[2]]", "a list stands where its neighbours are numbers", "   ^"),
            ("[[1],2]", "a number stands where its neighbours are lists", "     ^"),
            ("[1,2", "`[` is never closed", "^"),
            ("[1 2]", "expected `,` or `]` after a value, found `2`", "   ^"),
            ("1,2", "expected nothing after a value, found `,`", " ^"),
            ("[1]]", "expected nothing after a value, found `]`", "   ^"),
            ("[,]", "expected a number or a list, found `,`", " ^"),
            ("[1,-]", "expected a number or a list, found `]`", "    ^"),
            ("-", "expected a number, but the array ends here", " ^"),
            ("[a]", "expected a number or a list, found `a`", " ^"),
            ("[true]", "true is not a value of f32", " ^^^^"),
            ("[1e40]", "1e40 is too large for f32, whose largest value is 3.4028235e38", " ^^^^"),
        ] {
            assert_eq!(first(text), (message.to_owned(), carets.to_owned()), "{text}");
        }
        assert!(
            error("[1.5]", ElementType::S32)
                .starts_with("error: 1.5 is not a value of s32: it is not a whole number\n")
        );
        assert!(
            error("[-1]", ElementType::U32)
                .starts_with("error: -1 is not a value of u32, which holds 0 to 4294967295\n")
        );
        assert!(error("[inf]", ElementType::S32).starts_with("error: inf is not a value of s32\n"));
        assert!(error("[2]", ElementType::Pred).starts_with(
            "error: 2 is not a value of pred, which holds true and false (or 1 and 0)\n"
        ));
    }

    #[test]
    fn depth_has_a_limit() {
        assert!(
            error(&"[".repeat(60_000), ElementType::F32)
                .starts_with("error: lists are nested more than 1000 deep\n")
        );
        let deep = format!("{}{}", "[".repeat(1_000), "]".repeat(1_000));
        assert_eq!(ints(&deep).0.len(), 1_000);
    }
}

//! [`Cursor`]: a walk through the tokens of a program.

use std::ops::Range;

use crate::report::problem::Finding;
use crate::syntax::lexer::{Spanned, Token, lex};
use crate::syntax::types::Type;

/// The result of what reads tokens.
pub(crate) type Result<T> = std::result::Result<T, Box<Finding>>;

/// A walk through the tokens of a program.
#[derive(Debug)]
pub(crate) struct Cursor<'a> {
    text: &'a str,
    tokens: Vec<Spanned<'a>>,
    at: usize,
}

impl<'a> Cursor<'a> {
    /// Cuts a text into tokens and stands at the first one.
    pub(crate) fn new(text: &'a str) -> Result<Self> {
        Ok(Self { text, tokens: lex(text)?, at: 0 })
    }

    /// Returns the next token, without taking it.
    pub(crate) fn peek(&self) -> Option<Token<'a>> {
        self.ahead(0)
    }

    /// Returns a later token.
    pub(crate) fn ahead(&self, count: usize) -> Option<Token<'a>> {
        self.tokens.get(self.at + count).map(|spanned| spanned.token)
    }

    /// Takes the next token.
    pub(crate) fn next(&mut self) -> Option<Token<'a>> {
        let token = self.peek()?;
        self.at += 1;
        Some(token)
    }

    /// Returns the place of the next token; the end of the text if there is none.
    pub(crate) fn span(&self) -> Range<usize> {
        let end = self.text.trim_end().len();
        self.tokens.get(self.at).map_or(end..end, |spanned| spanned.span.clone())
    }

    /// Returns the place of the last taken token.
    pub(crate) fn last_span(&self) -> Range<usize> {
        let last = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        last.map_or(0..0, |spanned| spanned.span.clone())
    }

    /// Returns the position, for [`Cursor::reset`].
    pub(crate) fn mark(&self) -> usize {
        self.at
    }

    /// Goes back to a position.
    pub(crate) fn reset(&mut self, mark: usize) {
        self.at = mark;
    }

    /// Takes a sign if it is next.
    pub(crate) fn eat(&mut self, sign: char) -> bool {
        let is_next = self.peek() == Some(Token::Sign(sign));
        self.at += usize::from(is_next);
        is_next
    }

    /// Takes a keyword if it is next.
    pub(crate) fn eat_word(&mut self, word: &str) -> bool {
        let is_next = self.peek() == Some(Token::Name(word));
        self.at += usize::from(is_next);
        is_next
    }

    /// Takes a sign, which must be next.
    pub(crate) fn expect(&mut self, sign: char) -> Result<()> {
        if self.eat(sign) { Ok(()) } else { Err(self.unexpected(&format!("`{sign}`"))) }
    }

    /// Returns the error for another token than the expected one.
    pub(crate) fn unexpected(&self, expected: &str) -> Box<Finding> {
        let span = self.span();
        match self.text.get(span.clone()).filter(|found| !found.is_empty()) {
            Some(found) => {
                let found: String = found.chars().take(40).collect();
                Finding::syntax(span, format!("expected {expected}, found `{found}`"))
            }
            None => Finding::syntax(span, format!("expected {expected}, but the text ends"))
                .help("the text may have been cut off"),
        }
    }

    /// Takes an integer.
    pub(crate) fn integer<T: TryFrom<i128>>(&mut self, what: &str) -> Result<T> {
        let number = match self.peek() {
            Some(Token::Number(text)) => integer(text).and_then(|n| T::try_from(n).ok()),
            _ => None,
        };
        let number = number.ok_or_else(|| self.unexpected(what))?;
        self.at += 1;
        Ok(number)
    }

    /// Takes a name of a function.
    pub(crate) fn symbol(&mut self) -> Result<&'a str> {
        let Some(Token::Symbol(name)) = self.peek() else {
            return Err(self.unexpected("the name of a function, such as `@main`"));
        };
        self.at += 1;
        Ok(name)
    }

    /// Takes a type.
    pub(crate) fn a_type(&mut self) -> Result<Type<'a>> {
        let read = match self.peek() {
            Some(Token::Type(text)) => Type::read(text),
            Some(Token::Name(text)) => Some(Type::Other(text)),
            _ => return Err(self.unexpected("a type")),
        };
        let read = read.ok_or_else(|| {
            Finding::syntax(self.span(), "a size of this type is too large")
                .help("sizes are at most 2^63 - 1")
        })?;
        self.at += 1;
        Ok(read)
    }

    /// Takes `loc(...)` if it is next, and returns its text.
    pub(crate) fn location(&mut self) -> Result<Option<&'a str>> {
        if self.peek() != Some(Token::Name("loc")) || self.ahead(1) != Some(Token::Sign('(')) {
            return Ok(None);
        }
        let start = self.span().start;
        self.at += 1;
        self.skip_balanced()?;
        Ok(self.text.get(start..self.last_span().end))
    }

    /// Takes everything from an opening bracket to the one that closes it, and returns its text.
    pub(crate) fn balanced(&mut self) -> Result<&'a str> {
        let start = self.span().start;
        self.skip_balanced()?;
        Ok(self.text.get(start..self.last_span().end).unwrap_or_default())
    }

    /// Takes everything from an opening bracket to the one that closes it.
    pub(crate) fn skip_balanced(&mut self) -> Result<()> {
        let start = self.span();
        let mut open = Vec::new();
        while let Some(token) = self.next() {
            match token {
                Token::Sign('(') => open.push(')'),
                Token::Sign('[') => open.push(']'),
                Token::Sign('{') => open.push('}'),
                Token::Sign('<') => open.push('>'),
                Token::Sign(sign @ (')' | ']' | '}' | '>')) if open.pop() != Some(sign) => {
                    return Err(Finding::syntax(self.last_span(), format!("unexpected `{sign}`")));
                }
                _ => {}
            }
            if open.is_empty() {
                return Ok(());
            }
        }
        Err(Finding::syntax(start, "this bracket is not closed"))
    }

    /// Takes the rest of an operation of unknown form: all up to a token that may begin an operation,
    /// or to the end of the region. Returns the text of its `loc(...)`.
    pub(crate) fn skip_operation(&mut self) -> Result<Option<&'a str>> {
        let mut location = None;
        loop {
            match self.peek() {
                None | Some(Token::Sign('}')) => return Ok(location),
                Some(Token::Sign('(' | '[' | '{' | '<')) => self.skip_balanced()?,
                Some(_) if self.begins_operation() => return Ok(location),
                Some(_) => match self.location()? {
                    Some(text) => location = Some(text),
                    None => self.at += 1,
                },
            }
        }
    }

    /// Returns true if the next token may begin an operation. Lines mean nothing in MLIR, and an
    /// operation has no sign at its end, so that what stands before and after the token decides.
    pub(crate) fn begins_operation(&self) -> bool {
        let last = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        let last = last.map(|spanned| spanned.token);
        let is_open = matches!(last, Some(Token::Sign(',' | ':' | '=') | Token::Arrow));
        if is_open {
            return false;
        }
        match self.peek() {
            Some(Token::Value(_)) => self.begins_results(),
            // The short form of `reduce` is the one that names another operation.
            Some(Token::Name(name)) => {
                last != Some(Token::Name("applies"))
                    && (name.contains('.') || matches!(name, "return" | "call"))
            }
            Some(Token::String(name)) => {
                name.contains('.') && self.ahead(1) == Some(Token::Sign('('))
            }
            // The blocks that a branch names stand after its name, or a comma.
            Some(Token::Block) => !matches!(last, Some(Token::Name(_))),
            _ => false,
        }
    }

    /// Returns true if names of results are next, up to `=` and an operation: `%0:2, %1 = call`.
    fn begins_results(&self) -> bool {
        let mut ahead = 0;
        while let Some(Token::Value(_)) = self.ahead(ahead) {
            ahead += 1;
            if let (Some(Token::Sign(':')), Some(Token::Number(_))) =
                (self.ahead(ahead), self.ahead(ahead + 1))
            {
                ahead += 2;
            }
            match self.ahead(ahead) {
                Some(Token::Sign(',')) => ahead += 1,
                Some(Token::Sign('=')) => {
                    let name = self.ahead(ahead + 1);
                    return matches!(name, Some(Token::Name(_) | Token::String(_)));
                }
                _ => return false,
            }
        }
        false
    }
}

/// Reads an integer, decimal or hexadecimal.
pub(crate) fn integer(text: &str) -> Option<i128> {
    match text.strip_prefix("0x") {
        Some(digits) => i128::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

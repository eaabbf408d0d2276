//! The lexer for EXPR and for array literals.

use std::ops::Range;

use winnow::Parser;
use winnow::combinator::{alt, cut_err, opt, preceded, repeat};
use winnow::error::ErrMode;
use winnow::stream::{LocatingSlice, Location};
use winnow::token::{one_of, take_till, take_while};

use indim_core::ElementType;

use crate::report::diagnostic::{Diagnostic, Result};
use crate::report::shorten::shorten;
use crate::report::suggest::nearest;
use crate::syntax::foreign;
use crate::syntax::number::Number;

/// An operator's spelling. Lowering decides its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Symbol {
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
    StarStar,
    Ampersand,
    Bar,
    Caret,
    ShiftLeft,
    ShiftRight,
    EqualEqual,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Tilde,
}

/// Longer spellings come before their prefixes.
const SYMBOLS: [(&str, Symbol); 18] = [
    ("**", Symbol::StarStar),
    ("<<", Symbol::ShiftLeft),
    (">>", Symbol::ShiftRight),
    ("==", Symbol::EqualEqual),
    ("!=", Symbol::NotEqual),
    ("<=", Symbol::LessEqual),
    (">=", Symbol::GreaterEqual),
    ("+", Symbol::Plus),
    ("-", Symbol::Minus),
    ("*", Symbol::Star),
    ("/", Symbol::Slash),
    ("%", Symbol::Percent),
    ("&", Symbol::Ampersand),
    ("|", Symbol::Bar),
    ("^", Symbol::Caret),
    ("<", Symbol::Less),
    (">", Symbol::Greater),
    ("~", Symbol::Tilde),
];

/// Spellings from other languages, with their replacements.
const FOREIGN: [(&str, &str); 8] = [
    ("&&", "write `&`; it binds tighter than comparisons, as in Python: `(a < b) & (c < d)`"),
    ("||", "write `|`; it binds tighter than comparisons, as in Python: `(a < b) | (c < d)`"),
    ("//", "write `floor_divide(a, b)`"),
    ("<>", "write `!=`"),
    ("!", "write `~` for the complement of a pred or integer"),
    (
        "@",
        "a product of matrices is a sum of products: `reduce_sum(broadcast_in_dim(x, [2, 3, 4], [0, 1]) * broadcast_in_dim(y, [2, 3, 4], [1, 2]), [1])`, for shapes [2,3] and [3,4]",
    ),
    ("{", "only ( ) group"),
    ("}", "only ( ) group"),
];

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Token {
    Number(Number),
    /// An identifier; its text is the span's.
    Name,
    Symbol(Symbol),
    /// `(`
    Open,
    /// `)`
    Close,
    /// `[`
    OpenList,
    /// `]`
    CloseList,
    Comma,
    /// `:`, valid only in brackets after an array.
    Colon,
    /// `=`
    Assign,
    /// `;`
    Semicolon,
}

/// The most tokens of all EXPRs together, and of a literal. EXPR needs some 300 bytes per token,
/// and 1,000 per operation while it is planned, so no text takes more than 1 GiB.
pub(crate) const MAX_TOKENS: usize = 1 << 20;

/// The number of characters of an attribute that are shown.
const MAX_ATTRIBUTE: usize = 40;

/// A token and its byte range.
#[derive(Debug, Clone)]
pub(crate) struct Spanned {
    pub(crate) token: Token,
    pub(crate) span: Range<usize>,
}

type Input<'a> = LocatingSlice<&'a str>;
type Parsed<T> = winnow::Result<T, ErrMode<()>>;

/// Cuts a text into tokens, separated by white space and `#` comments. `before` counts the tokens
/// of earlier texts; `instead` is the help if there are too many.
pub(crate) fn lex(text: &str, before: usize, instead: &'static str) -> Result<Vec<Spanned>> {
    let mut input = LocatingSlice::new(text);
    let mut tokens = Vec::new();
    loop {
        // Neither parser can fail: both take as much as matches, possibly nothing.
        let _: Parsed<()> = blank(&mut input);
        let start = input.current_token_start();
        if start >= text.len() {
            return Ok(tokens);
        }
        let Ok(token) = token.parse_next(&mut input) else { return Err(unknown(text, start)) };
        let span = start..input.previous_token_end();
        if before + tokens.len() >= MAX_TOKENS {
            let message = format!(
                "the text is too long: {MAX_TOKENS} names, numbers and symbols stand before this one, and no more are read"
            );
            return Err(Diagnostic::at(span, message).help(instead));
        }
        tokens.push(Spanned { token, span });
    }
}

fn blank(input: &mut Input<'_>) -> Parsed<()> {
    let space = take_while(1.., char::is_whitespace).void();
    let comment = ('#', take_till(0.., '\n')).void();
    repeat(0.., alt((space, comment))).parse_next(input)
}

fn token(input: &mut Input<'_>) -> Parsed<Token> {
    alt((number, name, foreign, symbol, bracket)).parse_next(input)
}

fn name(input: &mut Input<'_>) -> Parsed<Token> {
    (one_of(starts_name), take_while(0.., continues_name)).value(Token::Name).parse_next(input)
}

/// Returns true if a name can begin with this character.
pub fn starts_name(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

/// Returns true if this character can follow in a name.
pub fn continues_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn symbol(input: &mut Input<'_>) -> Parsed<Token> {
    let found = SYMBOLS.iter().find(|(text, _)| input.starts_with(text));
    let (text, symbol) = found.ok_or(ErrMode::Backtrack(()))?;
    (*text).value(Token::Symbol(*symbol)).parse_next(input)
}

/// Rejects what would otherwise become two valid tokens, as `a && b`.
fn foreign(input: &mut Input<'_>) -> Parsed<Token> {
    let ours = SYMBOLS.iter().any(|(text, _)| text.len() == 2 && input.starts_with(text));
    let theirs = FOREIGN.iter().any(|(text, _)| input.starts_with(text));
    Err(if theirs && !ours { ErrMode::Cut(()) } else { ErrMode::Backtrack(()) })
}

fn bracket(input: &mut Input<'_>) -> Parsed<Token> {
    alt((
        '('.value(Token::Open),
        ')'.value(Token::Close),
        '['.value(Token::OpenList),
        ']'.value(Token::CloseList),
        ','.value(Token::Comma),
        ':'.value(Token::Colon),
        '='.value(Token::Assign),
        ';'.value(Token::Semicolon),
    ))
    .parse_next(input)
}

/// Reads Python's numbers: `12`, `1_000`, `0xff`, `1.5`, `.5`, `1e-3`, directly followed by an
/// optional element type or imaginary unit: `3u8`, `2.5bf16`, `2i`. Hexadecimal digits take
/// precedence, so `0x1f16` does not end in F16.
fn number(input: &mut Input<'_>) -> Parsed<Token> {
    let radix = |marks: [char; 2], digit: fn(char) -> bool| {
        preceded(('0', one_of(marks)), cut_err(run(digit))).void()
    };
    let digits = || run(|c| c.is_ascii_digit());
    let fraction = alt((('.', digits()).void(), (digits(), opt(('.', opt(digits())))).void()));
    let exponent = (one_of(['e', 'E']), opt(one_of(['+', '-'])), digits());
    let (taken, suffix) = (
        alt((
            radix(['x', 'X'], |c| c.is_ascii_hexdigit()),
            radix(['o', 'O'], |c| c.is_digit(8)),
            radix(['b', 'B'], |c| c.is_digit(2)),
            (fraction, opt(exponent)).void(),
        ))
        .take(),
        take_while(0.., continues_name),
    )
        .parse_next(input)?;
    let number = Number::parse(taken).ok_or(ErrMode::Cut(()))?;
    let number = match suffix {
        "" => Some(number),
        suffix => number.suffixed(suffix),
    };
    number.map(Token::Number).ok_or(ErrMode::Cut(()))
}

/// Reads digits with single underscores between them.
fn run<'a>(digit: fn(char) -> bool) -> impl Parser<Input<'a>, (), ErrMode<()>> {
    let more = (opt('_'), one_of(digit)).void();
    preceded(one_of(digit), repeat::<_, _, (), _, _>(0.., more)).void()
}

/// Returns the error for the text at `start`, which is not a token.
fn unknown(text: &str, start: usize) -> Box<Diagnostic> {
    let rest = text.get(start..).unwrap_or_default();
    if let Some((spelling, help)) = FOREIGN.iter().find(|(spelling, _)| rest.starts_with(spelling))
    {
        let span = start..start + spelling.len();
        return Diagnostic::at(span, format!("`{spelling}` is not an operator here")).help(*help);
    }
    if let Some(attribute) = rest.strip_prefix('.').filter(|rest| rest.starts_with(starts_name)) {
        let end = attribute.find(|c: char| !continues_name(c)).unwrap_or(attribute.len());
        let name = attribute.get(..end).unwrap_or_default();
        let shown = shorten(name, MAX_ATTRIBUTE);
        let message = format!("`.{shown}` is not an operator here");
        let error = Diagnostic::at(start..start + 1 + end, message);
        return match foreign::attribute(&shown) {
            Some(help) => error.help(help),
            None => error,
        };
    }
    if rest.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        let end = rest.find(|c: char| !continues_name(c) && c != '.').unwrap_or(rest.len());
        let word: String =
            rest.chars().take(40).take_while(|&c| continues_name(c) || c == '.').collect();
        let error = Diagnostic::at(start..start + end.max(1), format!("`{word}` is not a number"));
        let (factor, name) = word.split_at(word.find(char::is_alphabetic).unwrap_or(0));
        if let Some(near) = near_type(name) {
            return error.help(format!("did you mean `{factor}{near}`?"));
        }
        let is_factor = factor.contains(|c: char| c.is_ascii_digit())
            && !factor.contains('_')
            && !factor.starts_with('0');
        return if is_factor {
            error.help(format!("write `{factor} * {name}` to multiply"))
        } else {
            error
        };
    }
    let c = rest.chars().next().unwrap_or(' ');
    Diagnostic::at(start..start + c.len_utf8(), format!("unexpected character {c:?}"))
}

/// Returns the element type nearest to a misspelled suffix such as `u7`.
fn near_type(suffix: &str) -> Option<&'static str> {
    let typed =
        suffix.starts_with(char::is_alphabetic) && suffix.ends_with(|c: char| c.is_ascii_digit());
    typed.then(|| nearest(suffix, ElementType::ALL.iter().map(|t| t.name()))).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<Token> {
        lex(text, 0, "")
            .map(|tokens| tokens.into_iter().map(|t| t.token).collect())
            .unwrap_or_else(|e| panic!("{}", e.render()))
    }

    fn error(text: &str) -> String {
        match lex(text, 0, "") {
            Ok(tokens) => panic!("{text} gives {tokens:?}"),
            Err(e) => e.in_source(&crate::report::diagnostic::Source::new("EXPR", text)).render(),
        }
    }

    #[test]
    fn symbols_are_as_long_as_they_can_be() {
        use Symbol::*;
        assert_eq!(
            tokens("a**-b<<~c>=d!=e"),
            [
                Token::Name,
                Token::Symbol(StarStar),
                Token::Symbol(Minus),
                Token::Name,
                Token::Symbol(ShiftLeft),
                Token::Symbol(Tilde),
                Token::Name,
                Token::Symbol(GreaterEqual),
                Token::Name,
                Token::Symbol(NotEqual),
                Token::Name
            ]
        );
    }

    #[test]
    fn numbers_have_python_s_spellings() {
        for text in
            ["0", "1_000", "0xFF", "0b1_0", "0o17", "1.5", ".5", "1.", "1e9", "1.5E-3", "1_0.0_1"]
        {
            assert!(matches!(tokens(text)[..], [Token::Number(_)]), "{text}");
        }
        for text in
            ["3u8", "2.5bf16", "1s64", "1i32", "0x10u8", "0b1bf16", "1e3f16", "2i", ".5j", "1pred"]
        {
            assert!(matches!(tokens(text)[..], [Token::Number(_)]), "{text}");
        }
        assert_eq!(tokens("1.2.3").len(), 2);
    }

    #[test]
    fn assignments_are_no_comparisons() {
        assert_eq!(
            tokens("a=-b;c==d;"),
            [
                Token::Name,
                Token::Assign,
                Token::Symbol(Symbol::Minus),
                Token::Name,
                Token::Semicolon,
                Token::Name,
                Token::Symbol(Symbol::EqualEqual),
                Token::Name,
                Token::Semicolon
            ]
        );
    }

    #[test]
    fn comments_and_blanks_go_between_tokens() {
        assert_eq!(tokens(" # first\n\t(x ) # last"), [Token::Open, Token::Name, Token::Close]);
        assert_eq!(tokens(""), []);
    }

    #[test]
    fn the_last_token_that_is_read_is_followed_by_an_error() {
        let longest = "x ".repeat(MAX_TOKENS);
        assert_eq!(lex(&longest, 0, "").map(|tokens| tokens.len()).unwrap_or(0), MAX_TOKENS);
        let error = lex(&format!("{longest}yy"), 0, "shorten it").unwrap_err();
        let shown =
            error.in_source(&crate::report::diagnostic::Source::new("EXPR", longest)).render();
        assert!(shown.contains(&format!("\n --> EXPR:1:{}\n", 2 * MAX_TOKENS + 1)), "{shown}");
        assert!(shown.ends_with("\n  = help: shorten it\n"), "{shown}");
    }

    #[test]
    fn spans_are_in_bytes() {
        let tokens = lex("ä + x", 0, "").unwrap_or_default();
        let spans: Vec<_> = tokens.into_iter().map(|t| t.span).collect();
        assert_eq!(spans, [0..2, 3..4, 5..6]);
    }

    #[test]
    fn what_is_no_token_is_named() {
        assert_eq!(
            error("a && b"),
            "error: `&&` is not an operator here\n  |\n  | a && b\n  |   ^^\n  \
             = help: write `&`; it binds tighter than comparisons, as in Python: `(a < b) & (c < d)`\n"
        );
        assert_eq!(
            error("2x"),
            "error: `2x` is not a number\n  |\n  | 2x\n  | ^^\n  = help: write `2 * x` to multiply\n"
        );
        assert_eq!(
            error("3u9"),
            "error: `3u9` is not a number\n  |\n  | 3u9\n  | ^^^\n  = help: did you mean `3u4`?\n"
        );
        assert_eq!(error("0xg"), "error: `0xg` is not a number\n  |\n  | 0xg\n  | ^^^\n");
        assert_eq!(error("1__0"), "error: `1__0` is not a number\n  |\n  | 1__0\n  | ^^^^\n");
        assert_eq!(error("x × y"), "error: unexpected character '×'\n  |\n  | x × y\n  |   ^\n");
    }
}

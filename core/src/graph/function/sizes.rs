//! Counts the values of types and constants in the words of a text, before naga parses it: naga
//! evaluates constants while it parses, and copies a constant at each use.
//!
//! The unit is one value, such as an `f32`: a `vec3<f32>` has 3 of them, an `array<vec3<f32>, 4>`
//! has 12. A constant has as many as its type, or else as many as its expression. Counts are never
//! less than what naga makes, so its memory is bounded by these counts and by the text.

use std::collections::{HashMap, HashSet};

use crate::graph::function::tokens::Token;
use crate::semantics::function_error::FunctionError;

/// The maximum number of values of one type or constant.
const MAX_VALUES: usize = 4096;

/// The maximum number of values of a text: each name and number counts as one, or as many as what
/// is computed from it may have, and a constant as all of its values. (Naga makes up to eight
/// expressions of some 100 bytes for each, and visits all of a function's when it asks for the type
/// of a new one.)
const MAX_USED_VALUES: usize = 16_384;

/// The maximum nesting of arrays and structs in a type.
const MAX_TYPE_NESTING: usize = 16;

/// Refuses types and constants with too many values, and too many uses of them.
pub(super) fn check(text: &str, words: &[Token<'_>]) -> Result<(), FunctionError> {
    let refused = |(at, reason): Fault| match words.get(at) {
        Some(token) => FunctionError::at(text, token.place(), reason),
        None => FunctionError::new(reason),
    };
    let mut sizes = Sizes::new(words);
    sizes.of_declarations().map_err(refused)?;
    sizes.check_uses().map_err(refused)
}

/// The types of single values.
const NUMBERS: &[&str] = &["bool", "i32", "u32", "f32", "i64", "u64", "f64"];

/// The number of the word at fault, and the reason.
type Fault = (usize, String);

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Const,
    Alias,
    Struct,
}

/// A declaration outside of functions, as the range of its words.
#[derive(Debug, Clone, Copy)]
struct Declaration {
    kind: Kind,
    name: usize,
    end: usize,
}

/// The size of a type or a constant.
#[derive(Debug, Clone, Copy)]
struct Size {
    values: usize,
    /// The maximum number of values in an operation on a part: those of a vector or a matrix.
    wide: usize,
    nesting: usize,
}

impl Size {
    const NONE: Self = Self { values: 0, wide: 1, nesting: 0 };

    /// Returns the size of a number, a vector or a matrix.
    fn plain(values: usize) -> Self {
        Self { values, wide: values, nesting: 0 }
    }

    /// Returns a size that is at least this and at least another one.
    fn largest(self, other: Self) -> Self {
        Self { values: self.values.max(other.values), ..self.with(other) }
    }

    /// Returns the sum of this size and another one.
    fn with(self, other: Self) -> Self {
        Self {
            values: self.values.saturating_add(other.values),
            wide: self.wide.max(other.wide),
            nesting: self.nesting.max(other.nesting),
        }
    }
}

struct Sizes<'a> {
    words: &'a [Token<'a>],
    /// For each opening bracket, the number of the closing one.
    closing: Vec<usize>,
    declarations: HashMap<&'a str, Declaration>,
    /// The sizes of those, as far as they are known.
    known: HashMap<&'a str, Size>,
    /// The sizes of the constants that the function has declared so far, and their values if they
    /// are whole numbers. For several with one name it is the largest.
    local_sizes: HashMap<&'a str, Size>,
    local_numbers: HashMap<&'a str, Option<usize>>,
}

impl<'a> Sizes<'a> {
    fn new(words: &'a [Token<'a>]) -> Self {
        let mut declarations = HashMap::new();
        for (at, pair) in words.windows(2).enumerate() {
            let kind = match pair[0].text {
                "const" => Kind::Const,
                "alias" => Kind::Alias,
                "struct" => Kind::Struct,
                _ => continue,
            };
            if pair[0].depth > 0 || !pair[1].is_name() {
                continue;
            }
            let name = at + 1;
            let end = end_of_declaration(words, name, kind);
            declarations.insert(pair[1].text, Declaration { kind, name, end });
        }
        Self {
            words,
            closing: closing_brackets(words),
            declarations,
            known: HashMap::new(),
            local_sizes: HashMap::new(),
            local_numbers: HashMap::new(),
        }
    }

    fn text(&self, at: usize) -> &'a str {
        self.words.get(at).map_or("", |word| word.text)
    }

    /// Returns true if the word may name a declaration, rather than a member or an attribute.
    fn may_name(&self, at: usize) -> bool {
        let before = at.checked_sub(1).map_or("", |before| self.text(before));
        self.words.get(at).is_some_and(Token::is_name) && before != "." && before != "@"
    }

    /// Finds the sizes of all declarations, dependencies first. A cycle, which naga refuses before
    /// it evaluates anything, is cut.
    fn of_declarations(&mut self) -> Result<(), Fault> {
        let mut names: Vec<&str> = self.declarations.keys().copied().collect();
        names.sort_unstable_by_key(|name| self.declarations[name].name);
        let mut begun = HashSet::new();
        for name in names {
            let mut path = vec![(name, self.declarations[name].name + 1)];
            while let Some((name, from)) = path.pop() {
                begun.insert(name);
                let declaration = self.declarations[name];
                let next = (from..declaration.end).find(|&at| {
                    let named = self.text(at);
                    self.may_name(at)
                        && self.declarations.contains_key(named)
                        && !begun.contains(named)
                });
                if let Some(at) = next {
                    path.push((name, at + 1));
                    path.push((self.text(at), self.declarations[self.text(at)].name + 1));
                } else if !self.known.contains_key(name) {
                    let size = self.of_declaration(declaration)?;
                    self.check_size(declaration.name, &format!("`{name}`"), size)?;
                    self.known.insert(name, size);
                }
            }
        }
        Ok(())
    }

    fn check_size(&self, at: usize, what: &str, size: Size) -> Result<(), Fault> {
        let Size { values, nesting, .. } = size;
        if values > MAX_VALUES {
            return Err((
                at,
                format!(
                    "{what} has {values} values; {MAX_VALUES} are the most, those of parts counted: what is larger can be an operand"
                ),
            ));
        }
        if nesting > MAX_TYPE_NESTING {
            return Err((
                at,
                format!("arrays and structs are nested deeper than {MAX_TYPE_NESTING}"),
            ));
        }
        Ok(())
    }

    fn of_declaration(&self, declaration: Declaration) -> Result<Size, Fault> {
        let Declaration { kind, name, end } = declaration;
        match kind {
            Kind::Const => self.of_constant(name, end),
            Kind::Alias => Ok(self.of_type(name + 2, MAX_TYPE_NESTING)?.0),
            Kind::Struct => {
                let mut size = Size::NONE;
                for at in (name..end).filter(|&at| self.text(at) == ":") {
                    size = size.with(self.of_type(at + 1, MAX_TYPE_NESTING)?.0);
                }
                Ok(Size { nesting: size.nesting + 1, ..size })
            }
        }
    }

    /// Returns the size of a constant whose name is the word `name`.
    fn of_constant(&self, name: usize, end: usize) -> Result<Size, Fault> {
        if self.text(name + 1) == ":" {
            let (size, _) = self.of_type(name + 2, MAX_TYPE_NESTING)?;
            return Ok(Size { nesting: 0, ..size });
        }
        let (mut size, mut at) = (Size::NONE, name + 1);
        while at < end {
            let (more, next) = self.of_word(at)?;
            size = size.with(Size { nesting: 0, ..more });
            at = next;
        }
        Ok(size)
    }

    /// Returns the values that a word adds to an expression, and the number of the next word to
    /// look at. A constructor's arguments are its values, and are skipped.
    fn of_word(&self, at: usize) -> Result<(Size, usize), Fault> {
        let word = self.words[at];
        if is_number(word) {
            return Ok((Size::plain(1), at + 1));
        }
        if !word.is_name() {
            return Ok((Size::NONE, at + 1));
        }
        if !self.may_name(at) {
            // A member; a member of a vector has up to four values.
            return Ok((Size::plain(word.text.len().min(4)), at + 1));
        }
        if let Some(size) = self.of_name(word.text) {
            return Ok((size, at + 1));
        }
        match self.constructed(at)? {
            Some((size, open)) => Ok((size, self.closing[open] + 1)),
            None if word.text == "array" => Ok((Size::NONE, at + 1)),
            None if self.text(at + 1) == "(" && !NUMBERS.contains(&word.text) => {
                Ok((Size::plain(4), at + 1))
            }
            None => Ok((Size::plain(1), at + 1)),
        }
    }

    /// Returns the size of the constant of this name, if there is one.
    fn of_name(&self, name: &str) -> Option<Size> {
        let is_constant = self.declarations.get(name).is_some_and(|d| d.kind == Kind::Const);
        let declared = self.known.get(name).filter(|_| is_constant).copied();
        match (self.local_sizes.get(name).copied(), declared) {
            (Some(local), Some(declared)) => Some(local.largest(declared)),
            (local, declared) => local.or(declared),
        }
    }

    /// Returns the size of a constructor that names its type, and the number of its bracket.
    fn constructed(&self, at: usize) -> Result<Option<(Size, usize)>, Fault> {
        let name = self.text(at);
        let is_type = self.declarations.get(name).is_some_and(|d| d.kind != Kind::Const);
        if !is_type && plain_values(name) == 1 && !(name == "array" && self.text(at + 1) == "<") {
            return Ok(None);
        }
        let (size, next) = self.of_type(at, MAX_TYPE_NESTING)?;
        Ok((self.text(next) == "(").then_some((size, next)))
    }

    /// Returns the size of the type that begins at a word, and the number of the word after it.
    fn of_type(&self, at: usize, nesting: usize) -> Result<(Size, usize), Fault> {
        let name = self.text(at);
        let declared = self.declarations.get(name).filter(|d| d.kind != Kind::Const);
        if declared.is_some() {
            return Ok((self.known.get(name).copied().unwrap_or(Size::plain(1)), at + 1));
        }
        if name == "array" && self.text(at + 1) == "<" {
            return self.of_array(at, nesting);
        }
        let size = Size::plain(plain_values(name));
        let next = if self.text(at + 1) == "<" { self.after_template(at + 1) } else { at + 1 };
        Ok((size, next))
    }

    fn of_array(&self, at: usize, nesting: usize) -> Result<(Size, usize), Fault> {
        let Some(nesting) = nesting.checked_sub(1) else {
            let reason = format!("arrays and structs are nested deeper than {MAX_TYPE_NESTING}");
            return Err((at, reason));
        };
        const FORM: &str = "the type of an array is array<T, N>, where N is a whole number, or the name of a constant that is declared as one: const N = 16;";
        if self.text(at + 2) == "(" {
            return Err((at + 2, FORM.to_owned()));
        }
        let (element, mut next) = self.of_type(at + 2, nesting)?;
        let mut count = 1;
        if self.text(next) == "," && self.text(next + 1) != ">" {
            count = self.number(next + 1).ok_or_else(|| (next + 1, FORM.to_owned()))?;
            next += 2;
            if !matches!(self.text(next), ">" | ",") {
                return Err((next, FORM.to_owned()));
            }
        }
        let after = next + 1 + usize::from(self.text(next) == ",");
        let values = element.values.saturating_mul(count);
        Ok((Size { values, nesting: element.nesting + 1, ..element }, after))
    }

    /// Returns the number of the word after the template that begins here.
    fn after_template(&self, open: usize) -> usize {
        let mut depth = 0usize;
        for at in open..self.words.len() {
            match self.text(at) {
                "<" => depth += 1,
                ">" if depth == 1 => return at + 1,
                ">" => depth -= 1,
                ";" | "{" | "}" => return at,
                _ => {}
            }
        }
        self.words.len()
    }

    /// Returns the whole number that a word is, or that of the constant which it names.
    fn number(&self, at: usize) -> Option<usize> {
        let mut name = self.text(at);
        let local = match self.local_numbers.get(name) {
            Some(&number) => number?,
            None => 0,
        };
        for _ in 0..MAX_TYPE_NESTING {
            if let Some(number) = whole_number(name) {
                return Some(number.max(local));
            }
            match self.declarations.get(name) {
                Some(&Declaration { kind: Kind::Const, name: at, end }) => {
                    name = self.text(self.only_word(at, end)?);
                }
                _ => return (local > 0).then_some(local),
            }
        }
        None
    }

    /// Returns the single word of a constant's expression, if it has only one.
    fn only_word(&self, name: usize, end: usize) -> Option<usize> {
        let is = (name..end).find(|&at| self.text(at) == "=")?;
        (is + 2 == end).then_some(is + 1)
    }

    /// Visits all words, in functions and outside, and counts the values that naga may make.
    fn check_uses(&mut self) -> Result<(), Fault> {
        let (mut used, mut begin) = (0usize, 0);
        while begin < self.words.len() {
            let is_end = |word: &Token<'_>| matches!(word.text, ";" | "{" | "}");
            let rest = &self.words[begin..];
            let end = rest.iter().position(is_end).map_or(self.words.len(), |at| begin + at + 1);
            // Each value computed in this statement has at most this many parts.
            let mut wide = 1;
            for at in begin..end {
                wide = self.used_at(at)?.wide.max(wide);
            }
            for at in begin..end {
                self.declare_at(at)?;
                used =
                    used.saturating_add(self.used_at(at)?.values.max(wide * self.is_operand(at)));
                if used > MAX_USED_VALUES {
                    return Err((
                        at,
                        format!(
                            "up to here the text has more than {MAX_USED_VALUES} values: names and numbers, by the sizes of vectors and matrices among them, and constants each time that they are used; use a large one in fewer places, such as a table in one function that takes the index, or make several functions"
                        ),
                    ));
                }
            }
            begin = end;
        }
        Ok(())
    }

    /// Returns 1 if a word is an operand (a name or a number), else 0.
    fn is_operand(&self, at: usize) -> usize {
        let word = self.words[at];
        let is_fraction = at > 0 && is_number(word) && self.text(at - 1) == ".";
        usize::from(!word.is_sign() && !is_fraction)
    }

    /// Returns the size of the constant or the constructor that a word names.
    fn used_at(&self, at: usize) -> Result<Size, Fault> {
        let declares = |before: usize| matches!(self.text(before), "const" | "struct" | "alias");
        if !self.may_name(at) || at.checked_sub(1).is_some_and(declares) {
            return Ok(Size::NONE);
        }
        Ok(match self.of_name(self.text(at)) {
            Some(size) => size,
            None => self.constructed(at)?.map_or(Size::NONE, |(size, _)| size),
        })
    }

    /// Checks the array that begins with a word, or records a function's constant.
    fn declare_at(&mut self, at: usize) -> Result<(), Fault> {
        let word = self.words[at];
        if word.depth == 0 && ends_declaration(word.text) {
            self.local_sizes.clear();
            self.local_numbers.clear();
        }
        if word.text == "array" && self.text(at + 1) == "<" {
            let size = self.of_type(at, MAX_TYPE_NESTING)?.0;
            self.check_size(at, "this array", size)?;
        }
        if word.depth > 0 && word.text == "const" {
            self.declare_local(at + 1)?;
        }
        Ok(())
    }

    /// Counts a constant that is declared within a function.
    fn declare_local(&mut self, name: usize) -> Result<(), Fault> {
        let end = end_of_declaration(self.words, name, Kind::Const);
        let size = self.of_constant(name, end)?;
        self.check_size(name, &format!("`{}`", self.text(name)), size)?;
        let of_name = self.local_sizes.entry(self.text(name)).or_insert(size);
        *of_name = of_name.largest(size);
        let number = self.only_word(name, end).and_then(|at| self.number(at));
        let of_name = self.local_numbers.entry(self.text(name)).or_insert(Some(0));
        *of_name = of_name.and_then(|largest| Some(largest.max(number?)));
        Ok(())
    }
}

/// Returns the number of the word at which a declaration ends.
fn end_of_declaration(words: &[Token<'_>], name: usize, kind: Kind) -> usize {
    let is_end = |at: &usize| match words[*at].text {
        "}" => true,
        "{" | ";" => kind != Kind::Struct,
        word => ends_declaration(word),
    };
    (name..words.len()).find(is_end).unwrap_or(words.len())
}

/// Returns true if the word begins the next declaration.
fn ends_declaration(word: &str) -> bool {
    matches!(word, "fn" | "const" | "alias" | "struct")
}

/// Returns, for each opening bracket, the number of the word that closes it; the last one if none
/// does.
fn closing_brackets(words: &[Token<'_>]) -> Vec<usize> {
    let mut closing = vec![words.len().saturating_sub(1); words.len()];
    let mut open = Vec::new();
    for (at, word) in words.iter().enumerate() {
        match word.text {
            "(" => open.push(at),
            ")" => {
                if let Some(begin) = open.pop() {
                    closing[begin] = at;
                }
            }
            ";" | "{" | "}" => open.clear(),
            _ => {}
        }
    }
    closing
}

/// Returns the values of a built-in WGSL type: those of a vector or a matrix, or 1.
fn plain_values(name: &str) -> usize {
    let digit = |byte: Option<&u8>| match byte {
        Some(digit @ b'2'..=b'4') => usize::from(digit - b'0'),
        _ => 1,
    };
    match name.as_bytes() {
        [b'v', b'e', b'c', rest @ ..] => digit(rest.first()),
        [b'm', b'a', b't', columns, b'x', rest @ ..] => digit(Some(columns)) * digit(rest.first()),
        _ => 1,
    }
}

fn is_number(word: Token<'_>) -> bool {
    word.text.starts_with(|c: char| c.is_ascii_digit())
}

/// Returns the whole number that a word is.
fn whole_number(word: &str) -> Option<usize> {
    let word = word.strip_suffix(['u', 'i']).unwrap_or(word);
    match word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
        Some(digits) => usize::from_str_radix(digits, 16).ok(),
        None => word.parse().ok(),
    }
}

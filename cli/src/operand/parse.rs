//! Parses operands, written `NAME=ARRAY` on the command line.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use indim::{ElementType, Literal, Shape};
use indim_expr::{
    Declared, Diagnostic, Parsed, Result, Source, continues_name, literal, names, narrow, shorten,
    starts_name,
};
use indim_npy::{Dtype, NpyError, NpyPieces};
use winnow::Parser;
use winnow::combinator::{alt, delimited, separated};
use winnow::error::ErrMode;
use winnow::token::take_while;

use crate::operand::cast::cast;
use crate::operand::fill::Fill;
use crate::operand::npy;
use crate::operand::npz;
use crate::operand::source::{OperandSource, PieceCast};

/// The part of messages that lists what an operand can be.
const FORMS: &str = "an array is a literal (`[[1, 2], [3, 4]]`, `s32:[1, 2]`), a path to a .npy or .npz file, or a fill (`iota:2x3`, `random:2x3`)";

/// The number of characters of an array that help texts quote.
const MAX_QUOTED: usize = 60;

/// `NAME=ARRAY` as it was written; [`Word`](crate::operand::word::Word) parses it.
#[derive(Debug, Clone)]
pub(crate) struct Argument {
    pub(crate) name: String,
    pub(crate) array: String,
}

/// `--cast [NAME=]TYPE`: the type to convert a file to.
#[derive(Debug, Clone)]
pub(crate) struct CastTo {
    /// The operand to convert, whatever its stored type; without a name, every operand of 64-bit
    /// numbers, which NumPy makes by default.
    name: Option<String>,
    to: ElementType,
}

impl std::str::FromStr for CastTo {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let (name, to) =
            text.split_once('=').map_or((None, text), |(name, to)| (Some(name.to_owned()), to));
        let to = to.parse::<ElementType>().map_err(|e| e.to_string())?;
        Ok(Self { name, to })
    }
}

/// The options for reading operands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReadOptions<'a> {
    pub(crate) casts: &'a [CastTo],
    pub(crate) seed: u64,
    /// True if shapes suffice, as for `explain`.
    pub(crate) shapes_allowed: bool,
}

/// An operand whose element type and shape are known; its elements are not made yet.
#[derive(Debug)]
pub(crate) struct Operand {
    pub(crate) declared: Declared,
    elements: Elements,
    seed: u64,
}

#[derive(Debug)]
enum Elements {
    Given(Vec<u8>),
    Fill(Fill),
    File(Box<NpyPieces>, PathBuf, Option<ElementType>),
    /// No values; only the shape was given.
    None,
}

/// Reads the element types and shapes of all operands.
pub(crate) fn read_all(arguments: &[Argument], options: ReadOptions<'_>) -> Result<Vec<Operand>> {
    let mut names = HashSet::new();
    for argument in arguments {
        if !names.insert(argument.name.as_str()) {
            return Err(Diagnostic::new(format!("operand `{}` is given twice", argument.name)));
        }
    }
    for cast in options.casts {
        if let Some(name) = cast.name.as_ref().filter(|name| !names.contains(name.as_str())) {
            return Err(Diagnostic::new(format!(
                "--cast names `{name}`, but no operand has this name"
            )));
        }
    }
    arguments.iter().map(|argument| Operand::read(argument, options)).collect()
}

/// Returns the type of the last `--cast` with this name, or without a name.
fn wanted(name: Option<&str>, options: ReadOptions<'_>) -> Option<ElementType> {
    options.casts.iter().rev().find(|cast| cast.name.as_deref() == name).map(|cast| cast.to)
}

impl Operand {
    fn read(argument: &Argument, options: ReadOptions<'_>) -> Result<Self> {
        let source = Source::new(argument.name.clone(), argument.array.clone());
        let (element_type, shape, elements) = classify(argument, options).map_err(|e| {
            let e = e.prefixed(&format!("operand `{}`: ", argument.name)).in_source(&source);
            if is_operation(&argument.array) { e.help(expression_help(argument)) } else { e }
        })?;
        let name = argument.name.as_str();
        // Files have that type by now.
        if let Some(to) = wanted(Some(name), options).filter(|&to| to != element_type) {
            return Err(Diagnostic::new(format!(
                "--cast names `{name}`, but only files are converted, and that is {element_type} as it was written"
            ))
            .help(format!(
                "write the type in front of the array, as in `{name}={to}:[1, 2]`, or `convert({name}, {to})` in EXPR"
            )));
        }
        let declared = Declared { name: argument.name.clone(), element_type, shape };
        Ok(Self { declared, elements, seed: options.seed })
    }

    /// Returns an operand of these elements.
    pub(crate) fn given(name: String, literal: Literal) -> Self {
        let (element_type, shape) = (literal.element_type(), literal.shape().clone());
        let elements = Elements::Given(literal.into_bytes());
        Self { declared: Declared { name, element_type, shape }, elements, seed: 0 }
    }

    /// Returns an operand whose elements are not needed.
    pub(crate) fn without_elements(declared: Declared) -> Self {
        Self { declared, elements: Elements::None, seed: 0 }
    }

    /// Returns the elements, or `None` if only a shape was given, and notes for the user.
    pub(crate) fn literal(self) -> Result<(Option<Literal>, Vec<String>)> {
        let Declared { name, element_type, shape } = self.declared;
        let mut notes = Vec::new();
        let bytes = match self.elements {
            Elements::None => return Ok((None, notes)),
            Elements::Given(bytes) => bytes,
            Elements::Fill(fill) => fill
                .bytes(element_type, &shape, self.seed, &name)
                .map_err(|e| e.prefixed(&format!("operand `{name}`: ")))?,
            Elements::File(mut file, path, to) => {
                let dtype = file.dtype();
                let contents = file.read_all().map_err(|e| {
                    let why = npy::reason(&e);
                    Diagnostic::new(format!("operand `{name}`: {}: {why}", path.display()))
                })?;
                notes.extend(left_over(&name, &path, &file));
                match to {
                    None => contents,
                    Some(to) => {
                        let cast = cast(&contents, dtype, to).ok_or_else(|| {
                            Diagnostic::new(format!(
                                "operand `{name}`: not enough memory to convert shape {shape} to {to}"
                            ))
                        })?;
                        notes.push(format!(
                            "note: operand `{name}`: {}",
                            cast.report(dtype, to, &shape)
                        ));
                        cast.bytes
                    }
                }
            }
        };
        let literal = Literal::new(element_type, shape, bytes)
            .map_err(|e| Diagnostic::new(format!("operand `{name}`: {e}")))?;
        Ok((Some(literal), notes))
    }

    /// Returns the operand as a source of pieces, with notes for the user. If it `fits` into
    /// memory, it is read whole where reading pieces would be slower, impossible, or would not
    /// count all values changed by a conversion.
    pub(crate) fn source(self, fits: bool) -> Result<(OperandSource, Vec<String>)> {
        let is_better_whole = match &self.elements {
            Elements::File(file, _, to) => file.is_sequential() || to.is_some(),
            Elements::Given(_) | Elements::Fill(_) | Elements::None => false,
        };
        if fits && is_better_whole {
            let (literal, notes) = self.literal()?;
            let literal = literal.ok_or_else(|| Diagnostic::new("an operand has no elements"))?;
            return Ok((OperandSource::Given(literal), notes));
        }
        let Declared { name, element_type, shape } = self.declared;
        let (source, note) = match self.elements {
            Elements::None => {
                return Err(Diagnostic::new(format!("operand `{name}` has no elements")));
            }
            Elements::Given(bytes) => {
                let literal = Literal::new(element_type, shape, bytes);
                let literal =
                    literal.map_err(|e| Diagnostic::new(format!("operand `{name}`: {e}")))?;
                (OperandSource::Given(literal), None)
            }
            Elements::Fill(fill) => {
                (OperandSource::Fill { fill, element_type, shape, seed: self.seed, name }, None)
            }
            Elements::File(file, path, to) => {
                let note = left_over(&name, &path, &file);
                let cast = to.map(|to| PieceCast::new(name, file.dtype(), to));
                (OperandSource::File { file, path, element_type, shape, cast }, note)
            }
        };
        Ok((source, note.into_iter().collect()))
    }
}

/// Returns the note about bytes after an array in its file.
fn left_over(name: &str, path: &Path, file: &NpyPieces) -> Option<String> {
    let left = file.left_over();
    (left > 0).then(|| {
        let path = path.display();
        format!("warning: operand `{name}`: {path}: {left} bytes behind the array are ignored")
    })
}

type Classified = (ElementType, Shape, Elements);

/// Determines the form of an array. A text that ends in `.npy` or `.npz`, or has `.npz` before a
/// colon, is a path; otherwise one that begins like a literal, a fill or a shape is parsed as such;
/// all others are paths, too.
fn classify(argument: &Argument, options: ReadOptions<'_>) -> Result<Classified> {
    let text = argument.array.as_str();
    if text.trim().is_empty() {
        return Err(Diagnostic::new("there is nothing behind the `=`").help(FORMS));
    }
    if text.trim() == "-" {
        let help =
            format!("an array on the standard input is written {}=/dev/stdin", argument.name);
        return Err(Diagnostic::new("`-` is not an array").help(help));
    }
    let (prefix, rest) = match text.split_once(':') {
        Some((head, rest)) if head.parse::<ElementType>().is_ok() => (head.parse().ok(), rest),
        // A single letter before a colon is a Windows drive.
        Some((head, rest))
            if is_word(head)
                && head.len() > 1
                && Fill::parse(head).is_none()
                && is_array(rest)
                && !text.ends_with(".npy") =>
        {
            return Err(no_type(head, rest));
        }
        _ => (None, text),
    };
    let offset = text.len() - rest.len();
    let element_type = prefix.unwrap_or(ElementType::F32);

    if prefix.is_none() && (text.ends_with(".npy") || npz::split(Path::new(text)).is_some()) {
        return file(argument, Path::new(text), options);
    }
    if let Some((of, shape)) = written_shape(text)? {
        return only_shape(of, shape, text, options);
    }
    if let Some((name, sizes)) = rest.split_once(':')
        && let Some(fill) = Fill::parse(name)
    {
        let at = offset + name.len() + 1..text.len();
        let shape = sizes_of(sizes)
            .ok_or_else(|| {
                Diagnostic::at(at.clone(), format!("expected sizes such as 2x3 behind `{name}:`"))
            })?
            .map_err(|e| e.shifted(at.start))?;
        fill.check(element_type, &shape).map_err(|e| e.at_span(offset..text.len()))?;
        return Ok((element_type, shape, Elements::Fill(fill)));
    }
    // If elements are needed, 3 is a number rather than a shape, and so is 0x10.
    let number = |sizes: &Vec<usize>| sizes.len() == 1 || rest.starts_with("0x");
    if let Some(shape) =
        crossed_sizes(rest).filter(|sizes| options.shapes_allowed || !number(sizes))
    {
        return only_shape(element_type, Shape::from(shape), text, options);
    }
    if is_array(rest) {
        let found = literal::parse(rest, prefix).map_err(|e| {
            let e = e.shifted(offset);
            if Path::new(text).exists() {
                return e.help(format!("to read the file, write ./{text}"));
            }
            match without_brackets(rest, prefix) {
                Some(list) => {
                    let of = prefix.map(|of| format!("{of}:")).unwrap_or_default();
                    e.help(format!("a list stands in brackets: {}={of}{list}", argument.name))
                }
                None => e,
            }
        })?;
        return Ok((found.element_type, Shape::from(found.sizes), Elements::Given(found.bytes)));
    }
    if let Some(to) = prefix {
        let message = format!("`{rest}` is not a literal and no fill");
        return Err(Diagnostic::at(offset..text.len(), message).help(format!(
            "a type stands in front of those only; to convert a file, write `--cast {}={to}`",
            argument.name
        )));
    }
    file(argument, Path::new(text), options)
}

/// Returns the list for numbers separated by commas or blanks; `None` for any other text.
fn without_brackets(text: &str, of: Option<ElementType>) -> Option<String> {
    let numbers: Vec<&str> = text
        .split(|c: char| c == ',' || c.is_whitespace())
        .filter(|word| !word.is_empty())
        .collect();
    let list = format!("[{}]", numbers.join(","));
    let is_short = numbers.len() > 1 && list.len() <= MAX_QUOTED;
    (is_short && literal::parse(&list, of).is_ok()).then_some(list)
}

/// Returns the error for an unknown word before a colon. Before sizes it is taken for a fill,
/// unless it looks like a type.
fn no_type(head: &str, rest: &str) -> Box<Diagnostic> {
    let is_fill = sizes_of(rest).is_some() && !names::is_near_type(head);
    if !is_fill {
        return names::unknown_type(0..head.len(), head);
    }
    let sizes: Vec<&str> = rest.split(['x', '[', ',', ']']).map(str::trim).collect();
    let sizes: Vec<&str> = sizes.into_iter().filter(|size| !size.is_empty()).collect();
    let value = if head == "zeros" { 0 } else { 1 };
    Diagnostic::at(0..head.len(), format!("unknown fill `{head}`")).help(format!(
        "the fills are `iota:{rest}` (0, 1, 2, ...) and `random:{rest}`; an array of one value is `broadcast({value}, {})` in EXPR",
        sizes.join(", ")
    ))
}

/// Returns true if a text that is not an array could be an EXPR with an operation.
fn is_operation(text: &str) -> bool {
    !text.ends_with(".npy")
        && npz::split(Path::new(text)).is_none()
        && Parsed::new(Source::new("", text), 0).is_ok_and(|expr| expr.computes())
}

fn expression_help(argument: &Argument) -> String {
    let Argument { name, array } = argument;
    format!(
        "{FORMS}; if this is an EXPR, put a blank in front of the `=`: `{name} = {}`",
        shorten(array, MAX_QUOTED)
    )
}

/// Returns true if the text begins like a literal or a fill rather than a path.
fn is_array(text: &str) -> bool {
    let mut letters = text.trim_start().chars();
    let (first, second) = (letters.next(), letters.next());
    let number = first.is_some_and(|c| c.is_ascii_digit())
        || (first == Some('.') && second.is_some_and(|c| c.is_ascii_digit()))
        || matches!(first, Some('[' | '+' | '-'))
        // A complex number in Python's notation.
        || (first == Some('(') && text.trim_end().ends_with(')'));
    let constant = matches!(text.trim(), "true" | "false" | "True" | "False")
        || narrow::not_finite(text.trim()).is_some();
    let fill = text.split_once(':').is_some_and(|(name, _)| Fill::parse(name).is_some());
    number || constant || fill
}

fn is_word(text: &str) -> bool {
    text.starts_with(starts_name) && text.chars().all(continues_name)
}

/// Parses a shape in XLA's notation, `f32[2,3]`.
fn written_shape(text: &str) -> Result<Option<(ElementType, Shape)>> {
    let Some((head, _)) = text.split_once('[').filter(|(head, _)| is_word(head)) else {
        return Ok(None);
    };
    let list = &text[head.len()..];
    match (head.parse(), sizes_of(list)) {
        (Ok(of), Some(shape)) => Ok(Some((of, shape.map_err(|e| e.shifted(head.len()))?))),
        (Ok(_), None) => {
            Err(Diagnostic::at(head.len()..text.len(), "expected sizes such as [2,3]")
                .help(format!("a literal has a colon behind its type, as in `{head}:[1, 2]`")))
        }
        (Err(_), Some(_)) => Err(names::unknown_type(0..head.len(), head)),
        (Err(_), None) => Ok(None),
    }
}

fn only_shape(
    element_type: ElementType,
    shape: Shape,
    text: &str,
    options: ReadOptions<'_>,
) -> Result<Classified> {
    if options.shapes_allowed {
        return Ok((element_type, shape, Elements::None));
    }
    let sizes: Vec<String> = shape.dims().iter().map(usize::to_string).collect();
    let of =
        if element_type == ElementType::F32 { String::new() } else { format!("{element_type}:") };
    let sizes = if sizes.is_empty() { "[]".to_owned() } else { sizes.join("x") };
    Err(Diagnostic::at(0..text.len(), "this is a shape, but eval needs the elements, too").help(
        format!("fill it: `{of}iota:{sizes}` or `{of}random:{sizes}`; `explain` takes shapes"),
    ))
}

/// Parses sizes such as `2x3` or `[2,3]`; `None` for any other text.
fn sizes_of(text: &str) -> Option<Result<Shape>> {
    type Parsed<T> = winnow::Result<T, ErrMode<()>>;
    fn digits<'a>(input: &mut &'a str) -> Parsed<&'a str> {
        take_while(1.., |c: char| c.is_ascii_digit()).parse_next(input)
    }
    fn blanks<'a>(input: &mut &'a str) -> Parsed<&'a str> {
        take_while(0.., ' ').parse_next(input)
    }
    fn listed<'a>(input: &mut &'a str) -> Parsed<&'a str> {
        delimited(blanks, digits, blanks).parse_next(input)
    }
    fn sizes<'a>(input: &mut &'a str) -> Parsed<Vec<&'a str>> {
        alt((
            separated(1.., digits, 'x'),
            delimited(('[', blanks), separated(0.., listed, ','), ']'),
        ))
        .parse_next(input)
    }
    let found = sizes.parse(text).ok()?;
    let numbers: std::result::Result<Vec<usize>, _> =
        found.iter().map(|digits| digits.parse::<usize>()).collect();
    Some(numbers.map(Shape::from).map_err(|_| Diagnostic::at(0..text.len(), "a size is too large")))
}

/// Parses sizes such as `2x3`.
fn crossed_sizes(text: &str) -> Option<Vec<usize>> {
    text.split('x')
        .map(|size| size.parse().ok().filter(|_| size.starts_with(|c: char| c.is_ascii_digit())))
        .collect()
}

fn file(argument: &Argument, path: &Path, options: ReadOptions<'_>) -> Result<Classified> {
    let opened = match npz::split(path) {
        None => NpyPieces::open(path),
        Some((archive, member)) => {
            NpyPieces::open_member(&archive, member.as_deref().unwrap_or(&argument.name))
        }
    };
    let file = opened.map_err(|e| {
        let error = Diagnostic::new(format!("{}: {}", path.display(), npy::reason(&e)));
        match e {
            // If the file does not exist, the user may have meant something else.
            NpyError::Open(_) => error.help(FORMS),
            NpyError::NoArray { .. } => error.help(format!(
                "name one of them behind the archive, as in `{}=data.npz:x`",
                argument.name
            )),
            _ => error,
        }
    })?;
    let dtype = file.dtype();
    // NumPy makes numbers of 64 bits by default.
    let is_wide = dtype.size() / dtype.parts() == 8;
    let for_all = || wanted(None, options).filter(|_| is_wide);
    let to = wanted(Some(&argument.name), options).or_else(for_all);
    let (element_type, to) = match (dtype.element_type(), to) {
        (own, Some(to)) if own != Some(to) => (to, Some(to)),
        (Some(own), _) => (own, None),
        (None, _) => return Err(refuse(argument, path, dtype)),
    };
    let shape = file.shape().clone();
    Ok((element_type, shape, Elements::File(Box::new(file), path.to_owned(), to)))
}

/// Returns the error for a type that the library lacks.
fn refuse(argument: &Argument, path: &Path, dtype: Dtype) -> Box<Diagnostic> {
    let message = format!("{} holds {dtype}, which the engine does not have", path.display());
    Diagnostic::new(message).help(format!(
        "convert it with `--cast c64`, which says how many values changed; for this operand alone `--cast {}=c64`",
        argument.name
    ))
}

/// Returns the operands with these numbers, in their order, each once.
pub(crate) fn used(operands: Vec<Operand>, numbers: &[usize]) -> impl Iterator<Item = Operand> {
    let mut operands: Vec<Option<Operand>> = operands.into_iter().map(Some).collect();
    numbers.iter().filter_map(move |&number| operands.get_mut(number).and_then(Option::take))
}

/// Returns the note about operands not used by EXPR.
pub(crate) fn unused(operands: &[Operand], used: &[usize]) -> Vec<String> {
    let used: HashSet<usize> = used.iter().copied().collect();
    let unused = operands.iter().enumerate().filter(|(i, _)| !used.contains(i));
    unused
        .map(|(_, operand)| {
            format!("warning: operand `{}` is not used in EXPR", operand.declared.name)
        })
        .collect()
}

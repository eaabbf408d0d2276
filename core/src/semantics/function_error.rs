//! [`FunctionError`] and [`CallError`]: why a text is not a function, and why operands do not fit
//! one.

use std::fmt;
use std::ops::Range;

use crate::semantics::broadcast_error::BroadcastError;
use crate::semantics::element::ElementType;
use crate::semantics::error_debug::debug_is_text;
use crate::semantics::rule::Rule;
use crate::semantics::shape::Shape;
use crate::semantics::words::list;

/// A part of a text, in bytes from its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// A line of a function's text with the part at fault.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Excerpt {
    line: usize,
    column: usize,
    text: String,
    /// The number of characters at fault, from `column` on.
    marked: usize,
    place: Place,
}

debug_is_text! {
/// The reason why a text is not a function that can be called, with the position. The error's text
/// shows the line with a mark under the part at fault.
///
/// ```
/// # #[cfg(feature = "functions")] {
/// use indim::Function;
///
/// let error = Function::wgsl("fn half(x: f32) -> f32 {\n    return 0.5 * y;\n}").unwrap_err();
/// assert_eq!((error.line(), error.column()), (Some(2), Some(18)));
/// assert_eq!(error.reason(), "no definition in scope for identifier: `y`");
/// # }
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct FunctionError {
    reason: String,
    excerpt: Option<Excerpt>,
}
}

#[cfg_attr(not(feature = "functions"), expect(dead_code, reason = "nothing else makes them"))]
impl FunctionError {
    /// Makes an error that is about the text as a whole.
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), excerpt: None }
    }

    /// Makes an error about a part of a text.
    pub(crate) fn at(text: &str, place: Place, reason: impl Into<String>) -> Self {
        let mut start = place.start.min(text.len());
        while !text.is_char_boundary(start) {
            start -= 1;
        }
        let begin = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        let mut marked_end = place.end.clamp(start, end);
        while !text.is_char_boundary(marked_end) {
            marked_end += 1;
        }
        let shown = |c: char| if c.is_control() { ' ' } else { c };
        let excerpt = Excerpt {
            line: text[..start].matches('\n').count() + 1,
            column: text[begin..start].chars().count() + 1,
            text: text[begin..end].chars().map(shown).collect(),
            marked: text[start..marked_end].chars().count().max(1),
            place: Place { start, end: marked_end },
        };
        Self { reason: reason.into(), excerpt: Some(excerpt) }
    }

    /// Returns the reason by itself, without the line of the text.
    ///
    /// ```
    /// let text = "fn half(x: f32) -> f32 { return 0.5 * y; }";
    /// let error = indim::Function::wgsl(text).unwrap_err();
    /// assert_eq!(error.reason(), "no definition in scope for identifier: `y`");
    /// ```
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// Returns the part of the text at fault, in bytes, if the error is about one.
    ///
    /// ```
    /// let text = "fn half(x: f32) -> f32 { return 0.5 * y; }";
    /// let error = indim::Function::wgsl(text).unwrap_err();
    /// assert_eq!(error.range().map(|range| &text[range]), Some("y"));
    /// ```
    pub fn range(&self) -> Option<Range<usize>> {
        self.excerpt.as_ref().map(|excerpt| excerpt.place.start..excerpt.place.end)
    }

    /// Returns the line of the text at fault, from 1, if the error is about one.
    ///
    /// ```
    /// let text = "fn half(x: f32) -> f32 {\n    return 0.5 * y;\n}";
    /// let error = indim::Function::wgsl(text).unwrap_err();
    /// assert_eq!(error.line(), Some(2));
    /// ```
    pub fn line(&self) -> Option<usize> {
        self.excerpt.as_ref().map(|excerpt| excerpt.line)
    }

    /// Returns the column in that line, in characters from 1.
    ///
    /// ```
    /// let text = "fn half(x: f32) -> f32 {\n    return 0.5 * y;\n}";
    /// let error = indim::Function::wgsl(text).unwrap_err();
    /// assert_eq!(error.column(), Some(18));
    /// ```
    pub fn column(&self) -> Option<usize> {
        self.excerpt.as_ref().map(|excerpt| excerpt.column)
    }
}

/// The longest part of a line that an error shows, in characters.
const MAX_SHOWN: usize = 120;

impl fmt::Display for FunctionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(excerpt) = &self.excerpt else { return f.write_str(&self.reason) };
        let Excerpt { line, column, text, marked, .. } = excerpt;
        write!(f, "line {line}, column {column}: {}", self.reason)?;
        // A long line is shown around the mark.
        let skipped = if *column > MAX_SHOWN { column - MAX_SHOWN / 2 } else { 0 };
        let shown: String = text.chars().skip(skipped).take(MAX_SHOWN).collect();
        let number = line.to_string();
        let margin = " ".repeat(number.len());
        let before = column - 1 - skipped;
        let mark = "^".repeat((*marked).min(MAX_SHOWN.saturating_sub(before)).max(1));
        write!(f, "\n{number} | {}", shown.trim_end())?;
        write!(f, "\n{margin} | {}{mark}", " ".repeat(before))
    }
}

impl std::error::Error for FunctionError {}

debug_is_text! {
/// The reason why operands do not fit a user-defined function.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// There are too many or too few operands.
    #[error("it takes {wanted} operands ({}), and there are {given}", parameters.join(", "))]
    OperandCount {
        /// The number of parameters.
        wanted: usize,
        /// The parameters, as they are declared.
        parameters: Vec<String>,
        /// The number of operands.
        given: usize,
    },
    /// The number of `broadcast_dimensions` lists is not the number of operands.
    #[error(
        "there are {given} lists of broadcast_dimensions for {wanted} operands; give one for each, which may be empty"
    )]
    DimensionsCount {
        /// The number of operands.
        wanted: usize,
        /// The number of lists.
        given: usize,
    },
    /// An operand has an element type that its parameter does not take.
    #[error(
        "operand {index} is {found}, but parameter `{parameter}` is {wanted}, which takes {}; convert the operand",
        list(accepted)
    )]
    OperandType {
        /// The number of the operand, from 0.
        index: usize,
        /// The parameter's name.
        parameter: String,
        /// The parameter's type in WGSL.
        wanted: &'static str,
        /// The element types that the parameter takes.
        accepted: Vec<ElementType>,
        /// The operand's element type.
        found: ElementType,
    },
    /// A number given as an operand is not a value of its parameter's type.
    #[error(
        "operand {index} is {value}, which is not a value of parameter `{parameter}`: {wanted}; {}",
        instead_of(value, wanted)
    )]
    Scalar {
        /// The number of the operand, from 0.
        index: usize,
        /// The parameter's name.
        parameter: String,
        /// The parameter's type in WGSL.
        wanted: &'static str,
        /// The number as text.
        value: String,
    },
    /// An operand's shape does not broadcast with that of the operand of the highest rank, or with
    /// the common shape of the operands before it. In the source these are lhs, and the operand is
    /// rhs.
    #[error(
        "operand {index} (parameter `{parameter}`, rhs) does not fit {} (lhs): {}",
        lhs.map_or_else(|| "the operands before it".to_owned(), |lhs| format!("operand {lhs}")),
        if *in_dim { source.with_in_dim() } else { source.to_string() }
    )]
    Broadcast {
        /// The number of the operand, from 0.
        index: usize,
        /// The parameter's name.
        parameter: String,
        /// The number of the operand that it does not fit: the first one of the highest rank.
        /// `None` if it fits that one, but not the operands before it together.
        lhs: Option<usize>,
        /// True if operands carry `in_dim`, as in `Function::call`; false if lists of
        /// `broadcast_dimensions` are given.
        in_dim: bool,
        /// The reason for the refusal.
        r#source: BroadcastError,
    },
    /// An operand of the result's rank is given dimensions that are not all of them in order (rule
    /// B7). No operand has a higher rank to which they could refer.
    #[error(
        "operand {index} (parameter `{parameter}`) {shape} has the highest rank of all operands, {}",
        no_higher_rank(*in_dim, shape.rank(), given)
    )]
    NoHigherRank {
        /// The number of the operand, from 0.
        index: usize,
        /// The parameter's name.
        parameter: String,
        /// The operand's shape.
        shape: Shape,
        /// The dimensions given.
        given: Vec<i64>,
        /// True if operands carry `in_dim`, as in `Function::call`; false if lists of
        /// `broadcast_dimensions` are given.
        in_dim: bool,
    },
    /// The function does not return the type asked for.
    #[error(
        "it returns {found}, which is not computed as {wanted}; write `call::<{}>`, and `.convert_element_type::<{}>()` behind the call",
        rust_name(*found),
        rust_name(*wanted)
    )]
    ResultType {
        /// The element type asked for.
        wanted: ElementType,
        /// The element type that the function returns.
        found: ElementType,
    },
    /// The call reads more arrays at once than the device binds to a kernel. Numbers given as
    /// operands do not count.
    #[error(
        "it takes {arrays} arrays at once, and the device binds {most} to a kernel beside the result; give fewer arrays, such as two real ones as one complex one"
    )]
    Arrays {
        /// The number of arrays.
        arrays: usize,
        /// The maximum number of arrays.
        most: usize,
    },
    /// A loop would exceed its bound for an element, so the array is not computed. The message
    /// names the way to raise the bound.
    #[error(
        "{} more than {most} times for an element, so that the array is not computed; see that each loop ends, or raise the bound ({})",
        if *is_total { "its loops together run" } else { "a loop runs" },
        if *is_total { "Function::with_max_total_iterations" } else { "Function::with_max_iterations" }
    )]
    Loop {
        /// The bound.
        most: u32,
        /// True if it bounds all loops together.
        is_total: bool,
    },
    /// The driver ended a loop early, so the array is not computed. Mesa's llvmpipe does so after
    /// 65,535 iterations of an invocation, which computes four elements or more.
    #[error(
        "the driver {driver} has ended a loop before its end, so that the array is not computed; see that each loop ends (a bound below 16000 tells: Function::with_max_iterations), use fewer iterations, or another adapter"
    )]
    LoopOfDriver {
        /// The driver's name.
        driver: String,
    },
    /// The function has several results, but one is asked for.
    #[error("it returns a struct of {count} values ({}); ask for all of them", names.join(", "))]
    SeveralResults {
        /// The number of results.
        count: usize,
        /// The names of the struct's members.
        names: Vec<String>,
    },
}
}

impl CallError {
    /// Returns the broken rule of shapes, if the error is about one.
    ///
    /// ```
    /// use indim::{Builder, ElementType::F32, Error, Function, Rule};
    ///
    /// let blend = Function::wgsl("fn blend(a: f32, b: f32) -> f32 { return mix(a, b, 0.5); }")?;
    /// let mut b = Builder::new();
    /// let (x, y) = (b.parameter(F32, [2, 3])?, b.parameter(F32, [2, 4])?);
    /// let refused = b.call(&blend, &[x, y], &[&[], &[]]);
    /// let Err(Error::Call { source, .. }) = refused else { panic!("3 is beside 4") };
    /// assert_eq!(source.rule(), Some(Rule::B8));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rule(&self) -> Option<Rule> {
        match self {
            Self::Broadcast { source, .. } => Some(source.rule()),
            Self::NoHigherRank { .. } => Some(Rule::B7),
            _ => None,
        }
    }
}

/// Suggests what to do about an operand's dimensions when no operand has a higher rank.
fn no_higher_rank(in_dim: bool, rank: usize, given: &[i64]) -> String {
    if in_dim {
        return format!(
            "so that in_dim({given:?}) has nothing to match; take it off, or put it around the call, where the result meets an operand of a higher rank"
        );
    }
    let identity = match rank {
        0 => String::new(),
        _ => format!(" or {:?}", (0..rank).collect::<Vec<_>>()),
    };
    format!("so that its broadcast_dimensions must be empty{identity}, but they are {given:?}")
}

/// Suggests what to write instead of a number that is not a value of a WGSL type.
fn instead_of(value: &str, wanted: &str) -> String {
    let range = match wanted {
        "i32" => (i32::MIN.into(), i32::MAX.into()),
        "u32" => (0, u32::MAX.into()),
        "i64" => (i64::MIN.into(), i64::MAX.into()),
        "u64" => (0, u64::MAX.into()),
        "f32" | "f64" => return format!("write {value}.0"),
        "bool" => return "give true or false, or compare".to_owned(),
        _ => return "give an array or an expression of c64".to_owned(),
    };
    let (least, most): (i128, i128) = range;
    match value.strip_suffix(".0").unwrap_or(value).parse() {
        Ok(number) if (least..=most).contains(&number) => format!("write {number}"),
        _ => format!("give an integer from {least} to {most}"),
    }
}

/// Returns the Rust type of an element type's values.
fn rust_name(of: ElementType) -> &'static str {
    match of {
        ElementType::Pred => "bool",
        ElementType::S4 => "S4",
        ElementType::S8 => "i8",
        ElementType::S16 => "i16",
        ElementType::S32 => "i32",
        ElementType::S64 => "i64",
        ElementType::U4 => "U4",
        ElementType::U8 => "u8",
        ElementType::U16 => "u16",
        ElementType::U32 => "u32",
        ElementType::U64 => "u64",
        ElementType::F16 => "f16",
        ElementType::Bf16 => "bf16",
        ElementType::F32 => "f32",
        ElementType::F64 => "f64",
        ElementType::C64 => "Complex32",
    }
}

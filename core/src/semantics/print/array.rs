//! Prints arrays as NumPy does: aligned columns, the shortest digits that distinguish a float from
//! its neighbours, long arrays abbreviated. It follows NumPy 2.4 with its default options; of the
//! types that NumPy lacks, s4 and u4 are printed like its integers and bf16 like f16.

use std::fmt::{self, Write};

use crate::semantics::element::{ElementType, Scalar, ScalarValue};
use crate::semantics::literal::Literal;
use crate::semantics::print::float::{self, Floats, Format};

/// Arrays of more elements than this are abbreviated.
pub(super) const THRESHOLD: usize = 1000;
/// The number of elements shown at each end of an abbreviated dimension.
const EDGE: usize = 3;
const LINE_WIDTH: usize = 75;

/// Writes the values as `print` in Python shows those of NumPy's arrays, without the element type
/// and the shape: aligned columns, the shortest digits that distinguish a float from its
/// neighbours. Above 1,000 elements, three are shown at each end of a dimension.
///
/// ```
/// let literal = indim::Literal::from_slice([2, 2], &[1.0_f32, 2.5, -3.0, f32::INFINITY])?;
/// assert_eq!(literal.to_string(), "[[ 1.   2.5]\n [-3.   inf]]");
/// # Ok::<(), indim::Error>(())
/// ```
impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Shown { literal: self, abbreviated: self.len() > THRESHOLD }.fmt(f)
    }
}

/// Writes type, shape and elements on one line, `Literal(f32[2, 3], [[1. 2. 3.] [4. 5. 6.]])`: three
/// elements at each end of a dimension of more than six, and none if that leaves more than 1,000.
impl fmt::Debug for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Literal({}{}", self.element_type(), self.shape())?;
        let kept = self.shape().dims().iter().map(|&size| size.min(2 * EDGE));
        if self.is_empty() || kept.fold(1, usize::saturating_mul) <= THRESHOLD {
            let elements = Shown { literal: self, abbreviated: true }.to_string();
            let words: Vec<&str> = elements.split_whitespace().collect();
            write!(f, ", {}", words.join(" "))?;
        }
        f.write_str(")")
    }
}

/// An array as it is printed.
struct Shown<'a> {
    literal: &'a Literal,
    /// True if three elements are shown at each end of a long dimension.
    abbreviated: bool,
}

impl fmt::Display for Shown<'_> {
    // A large array may be shown in full, so nothing is stored: one pass measures the words, the
    // next one writes them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { literal, abbreviated } = *self;
        if literal.is_empty() {
            return f.write_str("[]");
        }
        let sizes = literal.shape().dims();
        let visible: Vec<Vec<Option<usize>>> =
            sizes.iter().map(|&size| shown(size, abbreviated)).collect();
        let strides = literal.shape().strides();
        let places = Places::new(&visible, &strides);
        let elements = places.filter_map(|at| literal.element(at));
        write_values(f, literal.element_type(), &visible, elements)
    }
}

/// Writes the shown elements, in row-major order.
pub(super) fn write_values(
    f: &mut fmt::Formatter<'_>,
    element_type: ElementType,
    visible: &[Vec<Option<usize>>],
    elements: impl Iterator<Item = Scalar> + Clone,
) -> fmt::Result {
    let values = elements.map(Scalar::value);
    let words = Words::new(element_type, values.clone(), visible.is_empty());
    lay_out(f, visible, values.map(|value| words.word(value)))
}

/// The format of the elements: all in one width, except in a rank-0 array.
enum Words {
    /// Each value is as wide as `False`, even if all are true.
    Preds,
    Wholes(usize),
    Floats(Floats),
    Complex(Floats, Floats),
    FloatAlone(Format),
    ComplexAlone(Format),
}

impl Words {
    fn new(
        of: ElementType,
        values: impl Iterator<Item = ScalarValue> + Clone,
        alone: bool,
    ) -> Self {
        let format = Format::of(of);
        let real = || values.clone().map(real);
        match of {
            ElementType::Pred => Self::Preds,
            ElementType::C64 if alone => Self::ComplexAlone(format),
            ElementType::C64 => {
                let imaginary = Floats::new(format, values.clone().map(imaginary), true);
                Self::Complex(Floats::new(format, real(), false), imaginary)
            }
            of if of.integer_range().is_some() => {
                Self::Wholes(values.clone().map(digits).max().unwrap_or(0))
            }
            _ if alone => Self::FloatAlone(format),
            _ => Self::Floats(Floats::new(format, real(), false)),
        }
    }

    fn word(&self, value: ScalarValue) -> String {
        match self {
            Self::Preds => {
                (if value == ScalarValue::Pred(false) { "False" } else { " True" }).to_owned()
            }
            Self::Wholes(width) => match value {
                ScalarValue::Integer(n) => format!("{n:>width$}"),
                _ => String::new(),
            },
            Self::Floats(floats) => floats.word(real(value)),
            Self::Complex(re, im) => {
                float::complex_word(&re.word(real(value)), &im.word(imaginary(value)))
            }
            Self::FloatAlone(format) => format.scalar(real(value)),
            Self::ComplexAlone(format) => format.complex_scalar(real(value), imaginary(value)),
        }
    }
}

fn real(value: ScalarValue) -> f64 {
    match value {
        ScalarValue::Float(x) | ScalarValue::Complex(x, _) => x,
        _ => 0.0,
    }
}

fn imaginary(value: ScalarValue) -> f64 {
    match value {
        ScalarValue::Complex(_, im) => im,
        _ => 0.0,
    }
}

/// Returns how many characters an integer takes.
fn digits(value: ScalarValue) -> usize {
    match value {
        ScalarValue::Integer(n) => {
            let sign = usize::from(n < 0);
            sign + 1 + n.unsigned_abs().checked_ilog10().unwrap_or(0) as usize
        }
        _ => 0,
    }
}

/// Returns the indices of a dimension that are shown; `None` is the gap between them.
pub(super) fn shown(size: usize, abbreviated: bool) -> Vec<Option<usize>> {
    if abbreviated && size > 2 * EDGE {
        (0..EDGE).map(Some).chain([None]).chain((size - EDGE..size).map(Some)).collect()
    } else {
        (0..size).map(Some).collect()
    }
}

/// The positions in the array of the shown elements, in row-major order.
#[derive(Clone)]
struct Places<'a> {
    visible: &'a [Vec<Option<usize>>],
    strides: &'a [usize],
    /// Positions among the shown indices.
    at: Vec<usize>,
    next: Option<usize>,
}

impl<'a> Places<'a> {
    fn new(visible: &'a [Vec<Option<usize>>], strides: &'a [usize]) -> Self {
        Self { visible, strides, at: vec![0; visible.len()], next: Some(0) }
    }
}

impl Iterator for Places<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let place = self.next.take()?;
        let mut base = place;
        for d in (0..self.at.len()).rev() {
            let (indices, stride) = (&self.visible[d], self.strides[d]);
            base -= indices[self.at[d]].unwrap_or(0) * stride;
            self.at[d] += 1;
            // A gap has an index after it.
            if indices.get(self.at[d]) == Some(&None) {
                self.at[d] += 1;
            }
            if let Some(&Some(index)) = indices.get(self.at[d]) {
                self.next = Some(base + index * stride);
                break;
            }
            self.at[d] = 0;
        }
        Some(place)
    }
}

/// Puts brackets and line breaks around the words.
fn lay_out(
    out: &mut fmt::Formatter<'_>,
    visible: &[Vec<Option<usize>>],
    mut words: impl Iterator<Item = String>,
) -> fmt::Result {
    let rank = visible.len();
    let Some((row, outer)) = visible.split_last() else {
        // A rank-0 array is its element alone.
        return out.write_str(words.next().unwrap_or_default().trim());
    };
    let width = LINE_WIDTH.saturating_sub(rank);
    repeat(out, "[", rank)?;
    // Positions among the shown indices, gaps included, one for each outer dimension.
    let mut at = vec![0; outer.len()];
    loop {
        write_row(out, row, &mut words, rank, width)?;
        // Steps to the next row, along the innermost dimension that has one.
        let Some(axis) = (0..outer.len()).rev().find(|&d| at[d] + 1 < outer[d].len()) else {
            return repeat(out, "]", rank);
        };
        repeat(out, "]", rank - 1 - axis)?;
        loop {
            at[axis] += 1;
            at[axis + 1..].fill(0);
            repeat(out, "\n", rank - 1 - axis)?;
            repeat(out, " ", axis + 1)?;
            if outer[axis][at[axis]].is_some() {
                break;
            }
            out.write_str("...")?;
            // A gap is always followed by another index.
        }
        repeat(out, "[", rank - 1 - axis)?;
    }
}

fn repeat(out: &mut fmt::Formatter<'_>, letter: &str, times: usize) -> fmt::Result {
    out.write_str(&letter.repeat(times))
}

/// Returns the innermost dimension: words with a space between them, broken into lines.
fn write_row(
    out: &mut fmt::Formatter<'_>,
    row: &[Option<usize>],
    words: &mut impl Iterator<Item = String>,
    indent: usize,
    width: usize,
) -> fmt::Result {
    let mut line = String::new();
    for (i, item) in row.iter().enumerate() {
        let word = match item {
            Some(_) => words.next().unwrap_or_default(),
            None => "...".to_owned(),
        };
        if i > 0 {
            line.push(' ');
        }
        if indent + line.len() + word.len() > width && !line.is_empty() {
            out.write_str(line.trim_end())?;
            line.clear();
            out.write_char('\n')?;
            repeat(out, " ", indent)?;
        }
        line.push_str(&word);
    }
    out.write_str(&line)
}

//! Arrays as NumPy prints them: aligned columns, the shortest digits that tell a float from its
//! neighbours, long arrays abbreviated. It follows NumPy 2.4 with its default options; of the types
//! that NumPy does not have, s4 and u4 are printed as its integers and bf16 as f16.

mod float;

use std::fmt::Write as _;

use indim::half::{bf16, f16};
use indim::num_complex::Complex32;
use indim::{ElementType, Literal, Scalar};

use crate::narrow;
use float::{Floats, Format};

/// More elements than this are abbreviated.
const THRESHOLD: usize = 1000;
/// How many elements are shown at each end of an abbreviated dimension.
const EDGE: usize = 3;
const LINE_WIDTH: usize = 75;

/// The array as `print` in Python would show it, without a newline at the end.
pub(crate) fn print(literal: &Literal) -> String {
    let sizes = literal.shape().dims();
    if sizes.contains(&0) {
        return "[]".to_owned();
    }
    let abbreviated = literal.shape().element_count().is_ok_and(|count| count > THRESHOLD);
    let visible: Vec<Vec<Option<usize>>> =
        sizes.iter().map(|&size| shown(size, abbreviated)).collect();
    let offsets = visible_offsets(sizes, &visible);
    let elements: Vec<Value> =
        offsets.iter().filter_map(|&i| element(literal, i)).map(value).collect();
    let words = words(literal.element_type(), &elements, sizes.is_empty());
    lay_out(&visible, &words)
}

/// The elements' words, all of one width but for a rank-0 array's.
fn words(of: ElementType, elements: &[Value], alone: bool) -> Vec<String> {
    let format = Format::of(of);
    let parts = |part: fn(&Value) -> f64| elements.iter().map(part).collect::<Vec<f64>>();
    match of {
        // Also where all are true, each takes the room of `False`.
        ElementType::Pred => aligned(elements.iter().map(|value| match value {
            Value::Truth(false) => "False".to_owned(),
            _ => " True".to_owned(),
        })),
        ElementType::C64 => {
            let (re, im) = (parts(Value::real), parts(Value::imaginary));
            match (alone, re.first(), im.first()) {
                (true, Some(&re), Some(&im)) => vec![format.complex_scalar(re, im)],
                _ => float::complex_words(format, &re, &im),
            }
        }
        of if narrow::range(of).is_some() => aligned(elements.iter().map(|value| match value {
            Value::Whole(n) => n.to_string(),
            _ => String::new(),
        })),
        _ => {
            let values = parts(Value::real);
            match (alone, values.first()) {
                (true, Some(&x)) => vec![format.scalar(x)],
                _ => Floats::new(format, &values, false).words(&values),
            }
        }
    }
}

/// An element's value in the type that can hold all of its kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Value {
    Truth(bool),
    Whole(i128),
    Float(f64),
    Complex(f64, f64),
}

impl Value {
    fn real(&self) -> f64 {
        match *self {
            Self::Float(x) | Self::Complex(x, _) => x,
            _ => 0.0,
        }
    }

    fn imaginary(&self) -> f64 {
        match *self {
            Self::Complex(_, im) => im,
            _ => 0.0,
        }
    }
}

/// An element of an array.
pub(crate) fn element(literal: &Literal, place: usize) -> Option<Scalar> {
    let of = literal.element_type();
    let size = of.size_in_bytes();
    let mut bits = [0; 8];
    bits[..size].copy_from_slice(literal.bytes().get(place * size..(place + 1) * size)?);
    Some(Scalar::from_bits(of, u64::from_le_bytes(bits)))
}

/// What a scalar is.
pub(crate) fn value(scalar: Scalar) -> Value {
    let of = scalar.element_type();
    let float = |x: Option<f64>| Value::Float(x.unwrap_or(f64::NAN));
    match of {
        ElementType::Pred => Value::Truth(scalar.bits() != 0),
        ElementType::F16 => float(scalar.get::<f16>().map(f64::from)),
        ElementType::Bf16 => float(scalar.get::<bf16>().map(f64::from)),
        ElementType::F32 => float(scalar.get::<f32>().map(f64::from)),
        ElementType::F64 => float(scalar.get::<f64>()),
        ElementType::C64 => {
            let z = scalar.get::<Complex32>().unwrap_or_default();
            Value::Complex(z.re.into(), z.im.into())
        }
        _ => {
            let signed = narrow::range(of).is_some_and(|(least, _)| least < 0);
            // Up to the top and back, which extends the sign.
            let unused = 64 - of.bits();
            Value::Whole(match signed {
                true => i128::from((scalar.bits() << unused).cast_signed() >> unused),
                false => scalar.bits().into(),
            })
        }
    }
}

/// A scalar in a sentence.
pub(crate) fn word(scalar: Scalar) -> String {
    let digits = |x: f64| match Format::of(scalar.element_type()).short(x) {
        text if x.is_finite() && !text.contains(['.', 'e']) => text + ".0",
        text => text,
    };
    match value(scalar) {
        Value::Truth(truth) => truth.to_string(),
        Value::Whole(n) => n.to_string(),
        Value::Float(x) => digits(x),
        Value::Complex(re, im) => {
            let sign = if im.is_sign_negative() { "" } else { "+" };
            format!("{}{sign}{}i", digits(re), digits(im))
        }
    }
}

/// The indices of a dimension that are shown; `None` is the gap between them.
fn shown(size: usize, abbreviated: bool) -> Vec<Option<usize>> {
    if abbreviated && size > 2 * EDGE {
        (0..EDGE).map(Some).chain([None]).chain((size - EDGE..size).map(Some)).collect()
    } else {
        (0..size).map(Some).collect()
    }
}

/// The places in the array of the elements that are shown, in row-major order.
fn visible_offsets(sizes: &[usize], visible: &[Vec<Option<usize>>]) -> Vec<usize> {
    let mut offsets = vec![0];
    for (&size, indices) in sizes.iter().zip(visible) {
        let indices: Vec<usize> = indices.iter().copied().flatten().collect();
        offsets = offsets
            .iter()
            .flat_map(|&offset| indices.iter().map(move |&i| offset * size + i))
            .collect();
    }
    offsets
}

/// Words padded on the left to one width.
fn aligned(words: impl Iterator<Item = String>) -> Vec<String> {
    let mut words: Vec<String> = words.collect();
    let width = words.iter().map(String::len).max().unwrap_or(0);
    for word in &mut words {
        word.insert_str(0, &" ".repeat(width - word.len()));
    }
    words
}

/// Puts brackets and line breaks around the words.
fn lay_out(visible: &[Vec<Option<usize>>], words: &[String]) -> String {
    let rank = visible.len();
    let mut words = words.iter();
    let Some((row, outer)) = visible.split_last() else {
        // A rank-0 array is its element alone.
        return words.next().cloned().unwrap_or_default().trim().to_owned();
    };
    let width = LINE_WIDTH.saturating_sub(rank);
    let mut out = "[".repeat(rank);
    // Positions among what is shown, the gaps included, one for each outer dimension.
    let mut at = vec![0; outer.len()];
    loop {
        write_row(&mut out, row, &mut words, rank, width);
        // To the next row: from the innermost dimension that has one.
        let Some(axis) = (0..outer.len()).rev().find(|&d| at[d] + 1 < outer[d].len()) else {
            out.push_str(&"]".repeat(rank));
            return out;
        };
        out.push_str(&"]".repeat(rank - 1 - axis));
        loop {
            at[axis] += 1;
            at[axis + 1..].fill(0);
            out.push_str(&"\n".repeat(rank - 1 - axis));
            out.push_str(&" ".repeat(axis + 1));
            if outer[axis][at[axis]].is_some() {
                break;
            }
            out.push_str("...");
            // Behind a gap there is always another index.
        }
        out.push_str(&"[".repeat(rank - 1 - axis));
    }
}

/// The innermost dimension: words with a space between them, broken into lines.
fn write_row<'a>(
    out: &mut String,
    row: &[Option<usize>],
    words: &mut impl Iterator<Item = &'a String>,
    indent: usize,
    width: usize,
) {
    let mut column = indent;
    for (i, item) in row.iter().enumerate() {
        let word = match item {
            Some(_) => words.next().map_or("", String::as_str),
            None => "...",
        };
        if i > 0 {
            out.push(' ');
            column += 1;
        }
        if column + word.len() > width && column > indent {
            out.truncate(out.trim_end().len());
            let _ = write!(out, "\n{}", " ".repeat(indent));
            column = indent;
        }
        out.push_str(word);
        column += word.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use indim::Shape;

    /// What NumPy printed, as `tests/data/make.py` wrote it down.
    const CASES: &str = include_str!("../tests/data/print.txt");

    #[test]
    fn arrays_look_as_in_numpy() {
        let mut count = 0;
        for case in CASES.split("\n---\n").filter(|case| !case.is_empty()) {
            let (head, expected) = case.split_once('\n').unwrap_or_default();
            let mut fields = head.split(' ');
            let element_type: ElementType =
                fields.next().unwrap_or_default().parse().unwrap_or_else(|e| panic!("{e}"));
            let sizes: Vec<usize> = fields
                .next()
                .unwrap_or_default()
                .split('x')
                .filter_map(|n| n.parse().ok())
                .collect();
            let hex = fields.next().unwrap_or_default().as_bytes();
            let bytes: Vec<u8> = hex
                .chunks(2)
                .filter_map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
                .collect();
            let literal = Literal::new(element_type, Shape::from(sizes), bytes)
                .unwrap_or_else(|e| panic!("{head}: {e}"));
            assert_eq!(print(&literal), expected, "{head}");
            count += 1;
        }
        assert!(count >= 120, "{count}");
    }
}

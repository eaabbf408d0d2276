//! Reads the elements of constants. A splat stays one element.

use std::borrow::Cow;
use std::ops::Range;

use indim_core::num_complex::Complex32;
use indim_core::{ElementType, Literal, Scalar, Shape};

use crate::report::problem::Finding;
use crate::syntax::cursor::{Result, integer};

/// The elements of a constant.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Elements {
    /// One for the whole array.
    Splat(Scalar),
    /// All of them.
    List(Literal),
}

/// Reads what stands in `dense<...>`, of which `place` is the place in the program.
pub(crate) fn read(
    text: &str,
    place: &Range<usize>,
    element_type: ElementType,
    shape: &Shape,
) -> Result<Elements> {
    let text = &*without_comments(text);
    let trimmed = text.trim();
    // A place within the elements, from one within the text.
    let start = place.start + "dense<".len();
    let at = |part: &str| {
        let offset = part.as_ptr() as usize - text.as_ptr() as usize;
        start + offset..start + offset + part.len().max(1)
    };
    let bytes = if trimmed.is_empty() {
        Vec::new()
    } else if let Some(digits) = trimmed.strip_prefix("\"0x").and_then(|s| s.strip_suffix('"')) {
        let bytes = hexadecimal(digits, at(digits).start)?;
        let size = element_type.size_in_bytes();
        if bytes.len() == size && shape.element_count() != Ok(1) {
            return Ok(Elements::Splat(scalar_of(element_type, &bytes)));
        }
        bytes
    } else if trimmed.starts_with('[') {
        list(trimmed, element_type, shape)
            .map_err(|(part, what)| Finding::syntax(at(part), what).help(ELEMENTS))?
    } else {
        let splat = element(trimmed, element_type);
        return splat.map(Elements::Splat).ok_or_else(|| {
            Finding::syntax(at(trimmed), format!("`{trimmed}` is not an element of {element_type}"))
                .help(ELEMENTS)
        });
    };
    splat_or_list(element_type, shape, bytes).map_err(|error| {
        Finding::syntax(place.clone(), format!("the elements do not fill the type: {error}"))
            .help(ELEMENTS)
    })
}

/// How elements are written.
const ELEMENTS: &str =
    "write one element, or as many as the type has, in a list within lists for each dimension";

/// Returns a text with spaces in place of comments, so that places within it stay the same.
fn without_comments(text: &str) -> Cow<'_, str> {
    if !text.contains("//") {
        return Cow::Borrowed(text);
    }
    let mut blanked = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let code = line.find("//").unwrap_or(line.len());
        blanked.push_str(&line[..code]);
        blanked.extend(std::iter::repeat_n(' ', line.len() - code));
    }
    Cow::Owned(blanked)
}

/// Returns elements as a splat, where all are equal.
pub(crate) fn splat_or_list(
    element_type: ElementType,
    shape: &Shape,
    bytes: Vec<u8>,
) -> indim_core::Result<Elements> {
    let list = Literal::new(element_type, shape, bytes)?;
    let size = element_type.size_in_bytes();
    let first = list.bytes().get(..size);
    match first.filter(|first| list.bytes().chunks_exact(size).all(|other| other == *first)) {
        Some(first) => Ok(Elements::Splat(scalar_of(element_type, first))),
        None => Ok(Elements::List(list)),
    }
}

/// Returns the element of these bytes.
fn scalar_of(element_type: ElementType, bytes: &[u8]) -> Scalar {
    let mut bits = [0; 8];
    bits.iter_mut().zip(bytes).for_each(|(bit, &byte)| *bit = byte);
    let bits = u64::from_le_bytes(bits);
    let bits = if element_type == ElementType::Pred { u64::from(bits != 0) } else { bits };
    Scalar::from_bits(element_type, bits & (u64::MAX >> (64 - element_type.bits().max(1))))
}

/// Reads pairs of hexadecimal digits, which begin at `start` in the program.
pub(crate) fn hexadecimal(digits: &str, start: usize) -> Result<Vec<u8>> {
    let digit = |byte: u8| (byte as char).to_digit(16);
    let mut bytes = Vec::with_capacity(digits.len() / 2);
    for (number, pair) in digits.as_bytes().chunks(2).enumerate() {
        let byte = match *pair {
            [high, low] => digit(high).zip(digit(low)).map(|(high, low)| (high * 16 + low) as u8),
            _ => None,
        };
        let Some(byte) = byte else {
            let at = start + 2 * number;
            let found = String::from_utf8_lossy(pair);
            let message = format!("`{found}` is not a pair of hexadecimal digits");
            return Err(Finding::syntax(at..at + pair.len(), message));
        };
        bytes.push(byte);
    }
    Ok(bytes)
}

/// Reads nested lists into the bytes of their elements. The error has the part of the text that it
/// is about.
fn list<'a>(
    text: &'a str,
    element_type: ElementType,
    shape: &Shape,
) -> std::result::Result<Vec<u8>, (&'a str, String)> {
    let sizes = shape.dims();
    let size = element_type.size_in_bytes();
    // The elements so far of each list that is not closed yet.
    let mut counts: Vec<usize> = Vec::new();
    let (mut bytes, mut rest, mut follows) = (Vec::new(), text, false);
    while !rest.is_empty() {
        let first = rest.as_bytes()[0];
        match first {
            b'[' if !follows && counts.len() < sizes.len() => {
                counts.push(0);
                rest = &rest[1..];
            }
            b'[' if !follows => {
                return Err((&rest[..1], format!("lists are {} deep in this type", sizes.len())));
            }
            b']' if !counts.is_empty() => {
                let depth = counts.len() - 1;
                let count = counts.pop().unwrap_or(0);
                if count != sizes[depth] {
                    let size = sizes[depth];
                    let what = format!("{count} in a list for dimension {depth} of size {size}");
                    return Err((&rest[..1], what));
                }
                if let Some(outer) = counts.last_mut() {
                    *outer += 1;
                }
                (follows, rest) = (true, &rest[1..]);
            }
            b',' if follows => (follows, rest) = (false, &rest[1..]),
            _ if first.is_ascii_whitespace() => rest = rest.trim_start(),
            _ => {
                let end = end_of_element(rest);
                let word = rest[..end].trim_end();
                let value = element(word, element_type).filter(|_| !follows && end > 0);
                let Some(value) = value else {
                    let word = if word.is_empty() { &rest[..rest.len().min(1)] } else { word };
                    return Err((word, format!("`{word}` is not an element of {element_type}")));
                };
                let depth = counts.len();
                if let Some(count) = counts.last_mut().filter(|_| depth == sizes.len()) {
                    *count += 1;
                } else {
                    return Err((word, format!("lists are {} deep in this type", sizes.len())));
                }
                bytes.extend_from_slice(&value.bits().to_le_bytes()[..size]);
                (follows, rest) = (true, &rest[end..]);
            }
        }
    }
    match counts.len() {
        0 => Ok(bytes),
        _ => Err((text, "a list is not closed".to_owned())),
    }
}

/// Returns the length of the element that a text starts with.
fn end_of_element(text: &str) -> usize {
    if text.starts_with('(') {
        return text.find(')').map_or(text.len(), |end| end + 1);
    }
    text.find([',', ']', '[']).unwrap_or(text.len())
}

/// Reads an element; `None` if it is not one of this type.
pub(crate) fn element(text: &str, element_type: ElementType) -> Option<Scalar> {
    if element_type == ElementType::C64 {
        let (real, imaginary) = text.strip_prefix('(')?.strip_suffix(')')?.split_once(',')?;
        let part = |text: &str| element(text.trim(), ElementType::F32)?.get::<f32>();
        return Some(Scalar::new(Complex32::new(part(real)?, part(imaginary)?)));
    }
    match text {
        "true" | "false" if element_type == ElementType::Pred => {
            return Some(Scalar::new(text == "true"));
        }
        _ => {}
    }
    let bits = element_type.bits();
    if let Some(digits) = text.strip_prefix("0x") {
        let value = u64::from_str_radix(digits, 16).ok()?;
        return (bits == 64 || value >> bits == 0).then(|| Scalar::from_bits(element_type, value));
    }
    let begins = text.trim_start_matches('-').as_bytes().first().copied()?;
    if !begins.is_ascii_digit() {
        return None;
    }
    match integer(text) {
        Some(value) => Scalar::from_i128(element_type, value),
        None if element_type.integer_range().is_some() => None,
        None => Scalar::from_f64(element_type, text.parse().ok()?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elements(text: &str, element_type: ElementType, sizes: &[usize]) -> Result<Elements> {
        read(text, &(0..text.len()), element_type, &Shape::new(sizes))
    }

    #[test]
    fn lists_splats_and_bytes_are_read() {
        let list = |elements| match elements {
            Ok(Elements::List(list)) => list,
            other => panic!("{other:?}"),
        };
        let numbers = list(elements("[[1, -2], [0x7f, 4]]", ElementType::S8, &[2, 2]));
        assert_eq!(numbers.to_vec::<i8>().unwrap(), [1, -2, 127, 4]);
        let floats = list(elements("[0x7FC00000, 1.5e+00]", ElementType::F32, &[2]));
        assert!(floats.to_vec::<f32>().unwrap()[0].is_nan());
        let bytes = list(elements("\"0x0000803F00000040\"", ElementType::F32, &[2]));
        assert_eq!(bytes.to_vec::<f32>().unwrap(), [1.0, 2.0]);
        let flags = list(elements("\"0x0100\"", ElementType::Pred, &[2]));
        assert_eq!(flags.to_vec::<bool>().unwrap(), [true, false]);
        let huge = elements("\"0x0000803F\"", ElementType::F32, &[1 << 40]).unwrap();
        assert_eq!(huge, Elements::Splat(Scalar::new(1.0f32)));
        let complex = elements("(1.0, -2.0)", ElementType::C64, &[3]).unwrap();
        assert_eq!(complex, Elements::Splat(Scalar::new(Complex32::new(1.0, -2.0))));
        assert!(matches!(elements("", ElementType::F32, &[0, 3]), Ok(Elements::List(_))));
    }

    #[test]
    fn wrong_lists_are_refused_at_their_place() {
        let refused = |text, sizes| elements(text, ElementType::S8, sizes).unwrap_err();
        assert_eq!(refused("[1, 2, 300]", &[3]).span, 13..16);
        assert!(refused("[1, 2]", &[3]).message.contains("2 in a list"));
        assert!(refused("[[1], [2]]", &[2]).message.contains("1 deep"));
        assert!(refused("[1 2]", &[2]).message.contains("`1 2`"));
        assert!(refused("[1, 2", &[2]).message.contains("not closed"));
        assert_eq!(refused("\"0x010\"", &[2]).span, 11..12);
        assert!(refused(&"[".repeat(100_000), &[2]).message.contains("1 deep"));
    }
}

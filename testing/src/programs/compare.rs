//! Compares a result of the library with the values that the interpreter admits.

use indim::Literal;

use crate::oracle::value::{mask, show};
use crate::programs::interpreter::Tensor;
use crate::programs::program::Type;

/// Counts how much a comparison proved.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub elements: u64,
    /// Elements for which too many values were admitted to prove anything.
    pub vague: u64,
    /// Elements that were known to the bit (a NaN counts).
    pub exact: u64,
}

impl Tally {
    pub fn add(&mut self, other: Tally) {
        self.elements += other.elements;
        self.vague += other.vague;
        self.exact += other.exact;
    }
}

/// The elements as bit patterns.
pub fn bits(literal: &Literal) -> Vec<u64> {
    let element = literal.element_type();
    let word = |bytes: &[u8]| {
        bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)) & mask(element)
    };
    literal.bytes().chunks_exact(element.size_in_bytes()).map(word).collect()
}

/// Bit patterns as an array in host memory.
pub fn literal(ty: &Type, data: &[u64]) -> Result<Literal, String> {
    let size = ty.element.size_in_bytes();
    let bytes = data.iter().flat_map(|bits| bits.to_le_bytes().into_iter().take(size)).collect();
    Literal::new(ty.element, ty.dims.as_slice(), bytes).map_err(|e| e.to_string())
}

/// Compares element by element; on a difference, the first one and how many there are.
pub fn compare(want: &Tensor, got: &Literal) -> Result<Tally, String> {
    let ty = Type::new(got.element_type(), got.shape().dims());
    if ty != want.ty {
        return Err(format!("the result is {ty}, not {}", want.ty));
    }
    let got = bits(got);
    if got.len() != want.values.len() {
        return Err(format!("{} elements for {ty}", got.len()));
    }
    let mut tally = Tally { elements: got.len() as u64, ..Tally::default() };
    let mut wrong = Vec::new();
    for (place, (&value, &got)) in want.values.iter().zip(&got).enumerate() {
        tally.vague += u64::from(value.is_vague(ty.element));
        tally.exact += u64::from(value.bits().is_some());
        if !value.admits(got, ty.element) {
            wrong.push(place);
        }
    }
    let Some(&first) = wrong.first() else {
        return Ok(tally);
    };
    Err(format!(
        "{} of {} elements differ; the first is element {first} at {:?}: expected {}, got {}",
        wrong.len(),
        got.len(),
        index(first, &ty.dims),
        want.values[first].show(ty.element),
        show(ty.element, got[first]),
    ))
}

fn index(mut place: usize, dims: &[usize]) -> Vec<usize> {
    let mut index: Vec<usize> = dims
        .iter()
        .rev()
        .map(|&size| {
            let digit = place % size;
            place /= size;
            digit
        })
        .collect();
    index.reverse();
    index
}

//! Compares an array with the golden one.

use indim::{ElementType, Opcode};

use super::complex::ComplexTolerance;
use super::line::{Case, Expected};
use super::operands;
use super::tolerance::{self, RealTolerance};
use crate::host_array::HostArray;
use crate::oracle::format::{self, Format};
use crate::oracle::value;

/// Says how near is near enough.
pub enum Closeness {
    /// The same bits as the golden value; any NaN for a NaN.
    Bits,
    /// The same, or its flushed form where the adapter flushes subnormals: a zero for a remainder
    /// that is one, and false for one as a predicate.
    BitsOrFlushed { from: Format, operands: Vec<Vec<u64>> },
    /// Within the op's tolerance of the true value. A golden value must also be near that, within
    /// XLA's error: otherwise the reference is not what XLA means, and proves nothing about the
    /// library. `operands` holds each operand's bits, one for each element of the result.
    Real { tolerance: RealTolerance, operands: Vec<Vec<u64>> },
    /// The same of complex operands.
    Complex { tolerance: ComplexTolerance, operands: Vec<Vec<u64>> },
}

/// Says what was expected, and what came.
type Mismatch = (String, String);

impl Closeness {
    /// Returns the closeness required of a result of this shape, on an adapter that flushes
    /// subnormals or not; an error where none is defined.
    pub fn of(
        case: &Case,
        exact: bool,
        shape: &[usize],
        flushes: bool,
    ) -> Result<Closeness, String> {
        if exact {
            let from = flushable(case).filter(|_| flushes);
            return Ok(match from.zip(operands::seen_from(case, shape)) {
                Some((from, operands)) => Closeness::BitsOrFlushed { from, operands },
                None => Closeness::Bits,
            });
        }
        let (opcode, element_type) = match case {
            Case::Binary { opcode, lhs, .. } => (*opcode, lhs.element_type),
            Case::Unary { opcode, operand } => (*opcode, operand.element_type),
            _ => return Err("only binary and unary operations have a tolerance".to_owned()),
        };
        let operands = operands::seen_from(case, shape)
            .ok_or_else(|| format!("operands that give no {shape:?}"))?;
        if element_type == ElementType::C64 {
            let tolerance = ComplexTolerance::of(opcode, flushes);
            return Ok(Closeness::Complex { tolerance, operands });
        }
        match tolerance::of(opcode).zip(format::of(element_type)) {
            Some((line, format)) => {
                let tolerance = RealTolerance { line, format };
                Ok(Closeness::Real { tolerance, operands })
            }
            None => {
                let name = opcode.name();
                Err(format!(
                    "{name} of {element_type} has no line in testing/src/golden/tolerance.rs"
                ))
            }
        }
    }
}

/// Compares element type, shape and values; on a mismatch, reports the first wrong element.
pub fn compare(
    expected: &Expected,
    closeness: &Closeness,
    got: &HostArray,
) -> Result<(), Mismatch> {
    let Expected::Acceptance { result, alt, two_formulas, .. } = expected else {
        return Err(("a refusal".to_owned(), "a result".to_owned()));
    };
    let form = |array: &HostArray| {
        format!("{}{:?} of {} elements", array.element_type, array.shape, array.bits.len())
    };
    let same_form = got.element_type == result.element_type
        && got.shape == result.shape
        && got.bits.len() == result.bits.len();
    if !same_form {
        return Err((form(result), form(got)));
    }
    let golden: Vec<&HostArray> = [Some(result), alt.as_ref()].into_iter().flatten().collect();
    let check = |place: usize| {
        let golden: Vec<u64> = golden.iter().map(|array| array.bits[place]).collect();
        let at = |operands: &[Vec<u64>]| -> Vec<u64> {
            operands.iter().map(|bits| bits[place]).collect()
        };
        match closeness {
            Closeness::Bits => same_bits(result.element_type, &golden, got.bits[place]),
            Closeness::BitsOrFlushed { from, operands } => {
                let got = got.bits[place];
                if is_flushed(*from, &at(operands), result.element_type, &golden, got) {
                    Ok(())
                } else {
                    same_bits(result.element_type, &golden, got)
                }
            }
            Closeness::Real { tolerance, operands } => {
                tolerance.check(&at(operands), &golden, *two_formulas, got.bits[place])
            }
            Closeness::Complex { tolerance, operands } => {
                tolerance.check(&at(operands), result.element_type, &golden, got.bits[place])
            }
        }
    };
    let mut mismatches = (0..got.bits.len()).filter_map(|place| Some((place, check(place).err()?)));
    let Some((first, (wanted, came))) = mismatches.next() else {
        return Ok(());
    };
    let wrong = 1 + mismatches.count();
    let count = got.bits.len();
    Err((
        format!("{wanted} at element {first} of {:?}", result.shape),
        format!("{came}; {wrong} of {count} elements are wrong"),
    ))
}

/// Returns the operands' format for an exact operation that computes, and so flushes where the
/// adapter does; the others move, order or round bits (docs/numerics.md, "Subnormals").
fn flushable(case: &Case) -> Option<Format> {
    match case {
        Case::Binary { opcode: Opcode::Rem, lhs, .. } => format::of(lhs.element_type),
        Case::Convert { operand, to: ElementType::Pred, .. } => format::of(operand.element_type),
        _ => None,
    }
    .filter(|format| format.flushed().is_some())
}

/// Returns true if a remainder is a zero of the sign of a subnormal golden one, or if a subnormal
/// operand is false as a predicate.
fn is_flushed(from: Format, operands: &[u64], to: ElementType, golden: &[u64], got: u64) -> bool {
    let is_subnormal = |bits: u64| {
        let value = from.decode(bits);
        value != 0.0 && value.abs() < from.smallest_normal()
    };
    if to == ElementType::Pred {
        return is_subnormal(operands[0]) && got == 0;
    }
    let zero = |bits: u64| from.encode(0f64.copysign(from.decode(bits)));
    golden.iter().any(|&bits| is_subnormal(bits) && got == zero(bits))
}

/// Compares bits. An element is right if it has the bits of one of the golden values, or if both
/// are NaN: sign and payload of a NaN result are not portable, on XLA's side either.
fn same_bits(element_type: ElementType, golden: &[u64], got: u64) -> Result<(), Mismatch> {
    if golden.iter().any(|&bits| value::Value::Bits(bits).admits(got, element_type)) {
        return Ok(());
    }
    let mut shown: Vec<String> =
        golden.iter().map(|&bits| value::show(element_type, bits)).collect();
    shown.dedup();
    Err((shown.join(" or "), value::show(element_type, got)))
}

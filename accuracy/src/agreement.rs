//! Compares the bits that two columns give for the same operands.

use std::fmt;

use crate::Result;
use crate::column::Column;
use crate::function::Function;
use crate::sweep::Sweep;

/// How far two columns agree about a function.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Agreement {
    /// The number of operands, or of pairs.
    pub inputs: u64,
    /// The results of other bits because an adapter flushed a subnormal: the operand or one of the
    /// results is one.
    pub flushed: u64,
    /// The other results of different bits; any NaN is equal to any other.
    pub different: u64,
    /// The operands of the first of these.
    pub first: Option<[u32; 2]>,
}

/// Computes a function with floats for results on both columns for all operands of a sweep, and calls `progress` after
/// every chunk with the number of chunks until then. Returns `None` if a column lacks the function.
///
/// # Errors
/// The error that a column reports.
pub fn compare(
    function: &Function,
    sweep: &Sweep<'_>,
    [one, other]: [&mut dyn Column; 2],
    mut progress: impl FnMut(u64),
) -> Result<Option<Agreement>> {
    let mut sum = Agreement::default();
    for number in 0..sweep.chunks() {
        let chunk = sweep.chunk(number);
        let (Some(ours), Some(theirs)) =
            (one.compute(function, &chunk)?, other.compute(function, &chunk)?)
        else {
            return Ok(None);
        };
        sum.inputs += chunk.len() as u64;
        // Most chunks agree: their operands are not needed.
        if ours != theirs {
            let (lhs, rhs) = (chunk.lhs(), chunk.rhs());
            for (i, (&ours, &theirs)) in ours.iter().zip(&theirs).enumerate() {
                let operands = [lhs[i], rhs.get(i).copied().unwrap_or(lhs[i])];
                sum.add(operands, [ours, theirs]);
            }
        }
        progress(number + 1);
    }
    Ok(Some(sum))
}

/// The functions whose bits differ between the two software drivers, each for at most one input in
/// this number. `pow` goes through 64-bit floats where there are any.
const DIFFERENT: [(&str, u64); 4] =
    [("Pow", 1_000), ("BesselI0e", 100_000), ("BesselI1e", 100_000), ("Digamma", 100_000)];

impl Agreement {
    /// Returns true if no result differs, or no more than docs/numerics.md says of the function.
    #[must_use]
    pub fn is_promised(&self, function: &str) -> bool {
        let known = DIFFERENT.iter().find(|(name, _)| *name == function);
        self.different == 0
            || known
                .is_some_and(|(_, one_of)| self.different.saturating_mul(*one_of) <= self.inputs)
    }

    fn add(&mut self, operands: [u32; 2], results: [u32; 2]) {
        let is_nan = |bits: u32| bits & !SIGN > INFINITY;
        if results[0] == results[1] || results.into_iter().all(is_nan) {
            return;
        }
        let is_subnormal = |bits: u32| (1..LEAST_NORMAL).contains(&(bits & !SIGN));
        // A product just below the least normal number is rounded up to it, or flushed before.
        let may_be_flushed = |bits: u32| (1..=LEAST_NORMAL).contains(&(bits & !SIGN));
        if operands.into_iter().any(is_subnormal) || results.into_iter().any(may_be_flushed) {
            self.flushed += 1;
        } else {
            self.different += 1;
            self.first = self.first.or(Some(operands));
        }
    }
}

const SIGN: u32 = 0x8000_0000;
const INFINITY: u32 = 0x7f80_0000;
const LEAST_NORMAL: u32 = 0x0080_0000;

impl fmt::Display for Agreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { inputs, flushed, different, first } = self;
        write!(f, "{different} of {inputs} differ, and {flushed} by a flushed subnormal")?;
        match first {
            Some([a, b]) => write!(f, "; the first at {a:#010x}, {b:#010x}"),
            None => Ok(()),
        }
    }
}

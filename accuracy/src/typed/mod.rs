//! The same for the functions on F16, BF16 and F64.
//!
//! Operands and results are bits in a `u64`, whatever their type. All operands of 16 bits are
//! measured; those of more are stratified, by numbers that say which. A result of 16 bits is judged
//! by float64, one of F64 by two float64 numbers ([`indim_reference::wide_unary`]).

pub mod double;
pub mod format;
pub mod function;
pub mod inputs;
pub mod library;
pub mod narrow;
pub mod sweep;

use std::sync::Arc;

/// Operands, as bits.
#[derive(Debug, Clone)]
pub struct Chunk {
    /// The first operands.
    pub lhs: Arc<[u64]>,
    /// The second ones; empty where there are none.
    pub rhs: Arc<[u64]>,
}

impl Chunk {
    /// The operands of one of them; 0 for a second one that there is not.
    pub fn operands(&self, i: usize) -> [u64; 2] {
        [self.lhs[i], self.rhs.get(i).copied().unwrap_or(0)]
    }
}

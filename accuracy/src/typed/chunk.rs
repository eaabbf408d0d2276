//! Chunks of operands, which are computed and judged together.

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
    /// Returns the operands of one of them; 0 for a missing second one.
    pub fn operands(&self, i: usize) -> [u64; 2] {
        [self.lhs[i], self.rhs.get(i).copied().unwrap_or(0)]
    }
}

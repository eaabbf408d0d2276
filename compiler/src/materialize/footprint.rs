//! [`Footprint`]: what a kernel would hold, which the partition compares with the caps.

use crate::limits::Caps;
use indim_core::graph::computation::NodeId;

/// The contents of a kernel that count towards the caps.
#[derive(Debug, Clone, Default)]
pub(super) struct Footprint {
    /// At least the weight of all operations; shared ones may be counted repeatedly.
    pub(super) ops: usize,
    /// Parameters and temporaries that are read, by node, ascending.
    pub(super) sources: Vec<NodeId>,
    /// At least the weight of all loads; shared ones may be counted repeatedly. It has 32 bits because
    /// there is one for each operation.
    pub(super) loads: u32,
    /// True if it calls a function with loops.
    pub(super) has_loops: bool,
}

/// Returns a number of loads in 32 bits.
pub(super) fn narrow(loads: usize) -> u32 {
    u32::try_from(loads).unwrap_or(u32::MAX)
}

impl Footprint {
    /// Returns the number of bound buffers other than those of the results. The word that reports
    /// whether a loop has run too often takes the place of an array.
    pub(super) fn bound(&self) -> usize {
        self.sources.len() + usize::from(self.has_loops)
    }
}

/// Counts the contents of a kernel if some value were stored.
pub(super) struct Contents {
    pub(super) ops: usize,
    /// The bound buffers other than those of the results.
    pub(super) bound: usize,
    pub(super) loads: usize,
}

impl Contents {
    pub(super) fn fits(&self, caps: Caps) -> bool {
        self.ops <= caps.ops && self.bound <= caps.sources && self.loads <= caps.loads
    }
}

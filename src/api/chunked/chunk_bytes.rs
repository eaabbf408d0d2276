//! Counts the bytes that a chunk takes in host memory.

use std::ops::Range;

use indim_core::graph::computation::Computation;
use indim_core::graph::needed::regions;
use indim_core::graph::operation::Operation;
use indim_core::semantics::element::ElementType;
use indim_core::semantics::opcode::OpClass;
use indim_core::semantics::shape::Shape;

/// Returns the number of bytes in host memory of a region of each value that is needed: those of
/// parameters and results, and the most of any other value.
pub(super) fn bytes(
    computation: &Computation,
    results: &[usize],
    region: &[Range<usize>],
) -> Bytes {
    let arguments = vec![0; computation.parameters().len()];
    let mut bytes = Bytes { arguments, others: 0, values: 0, has_gaps: false };
    let needed = regions(computation, results, region);
    for (instruction, region) in computation.instructions().iter().zip(needed) {
        let Some(region) = region else { continue };
        let all = bytes_of(instruction.element_type, &region);
        match &instruction.operation {
            &Operation::Parameter(number) => {
                bytes.arguments[number] = all;
                bytes.has_gaps |= has_gaps(&instruction.shape, &region);
            }
            // A kernel reads what it views.
            view if matches!(view.opcode().class(), OpClass::Broadcast | OpClass::View) => {}
            _ => {
                bytes.others = bytes.others.max(all);
                bytes.values = bytes.values.saturating_add(all);
            }
        }
    }
    for &result in results {
        let element_type = computation.instructions()[computation.roots()[result]].element_type;
        bytes.others = bytes.others.saturating_add(bytes_of(element_type, region));
    }
    bytes
}

fn bytes_of(element_type: ElementType, region: &[Range<usize>]) -> u64 {
    let sizes = region.iter().map(|range| range.len() as u64);
    sizes.fold(element_type.size_in_bytes() as u64, u64::saturating_mul)
}

/// The bytes that a region of the results takes.
#[derive(Debug)]
pub(super) struct Bytes {
    /// The bytes of the region of each argument.
    pub(super) arguments: Vec<u64>,
    /// The bytes of the results' region and of the largest value between.
    pub(super) others: u64,
    /// The bytes of all values that are not arguments: kernels store no more between them.
    pub(super) values: u64,
    /// True if elements of an argument lie between those of its region.
    pub(super) has_gaps: bool,
}

/// Returns whether elements of an array lie between those of a region, in row-major order.
fn has_gaps(shape: &Shape, region: &[Range<usize>]) -> bool {
    let long = region.iter().position(|range| range.len() > 1).unwrap_or(region.len());
    let mut inner = region.iter().zip(shape.dims()).skip(long + 1);
    inner.any(|(range, &size)| range.len() != size)
}

impl Bytes {
    pub(super) fn all(&self) -> u64 {
        self.arguments.iter().fold(self.others, |all, &more| all.saturating_add(more))
    }
}

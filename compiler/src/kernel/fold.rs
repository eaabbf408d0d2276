//! [`Fold`]: how a kernel combines values along dimensions that its outputs lack.

use crate::kernel::body::{Folded, KernelOp, ValueRef};
use indim_core::semantics::element::ElementType;
use indim_core::semantics::opcode::Opcode;
use indim_core::semantics::precision::Precision;

/// Neighbouring elements that are folded into one at a time: the order of a fold is a tree in which
/// each node has this many children.
///
/// Child i of a node is added to strand i mod 4, so that each strand takes 8 of them one after the
/// other, and the node is (strand 0 + strand 2) + (strand 1 + strand 3). Children that are missing
/// at the end change nothing. The order depends on indices alone, so that a fold has the same bits
/// however it is cut into kernels and parts. (Why neighbours: a column of a matrix is then read in
/// blocks of neighbouring rows. Measured on lavapipe, 2048 by 2048 elements: 1.4 of the time that
/// reading takes, and 6 times with strands that are 32 rows apart.)
pub(crate) const CHILDREN: usize = 32;

/// The strands of a node.
pub(crate) const STRANDS: usize = 4;

/// The folding of a kernel: at each position of its space, its map is computed at all positions of
/// another space, the folded one, in row-major order, and the values are combined.
#[derive(Debug, Clone)]
pub struct Fold {
    /// The sizes of the folded space.
    pub(crate) sizes: Vec<usize>,
    /// The part of it that a position of the kernel's space folds, if it is not all.
    pub(crate) part: Option<Part>,
    pub(crate) accumulators: Vec<Accumulator>,
    /// Operations on what was folded, and on loads and constants of the map; if they are computed once,
    /// on those that do not vary along folded dimensions.
    pub(crate) epilogue: Vec<KernelOp>,
    /// True if the epilogue is computed, and its values are stored, at each position of the folded
    /// space, whose dimensions are then the last ones of what is written; false if once.
    pub(crate) stores_each: bool,
}

/// The parts of what is folded, each of which is a result of the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    /// The dimension of the kernel's space that numbers the parts.
    pub(crate) dimension: usize,
    /// The number of elements in all parts. All but the last have as many as the kernel folds.
    pub(crate) of: usize,
    /// The number of elements of a part that is a range of the folded space, in row-major order;
    /// `None` if the folded space is that of one part.
    pub(crate) range: Option<usize>,
}

/// One value that is combined.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Accumulator {
    /// The value of the map, and its second word if it is a partial result in two words.
    pub(crate) values: [Option<ValueRef>; 2],
    /// The binary operation.
    pub(crate) by: Opcode,
    /// The type in which it is combined.
    pub(crate) element_type: ElementType,
    /// The number of words. A sum or a product in two words has the rounding errors of the first one's
    /// operations in the second one.
    pub(crate) words: usize,
    /// True if what two words hold is rounded to odd, to be rounded once more.
    pub(crate) to_odd: bool,
    pub(crate) precision: Precision,
    /// The number of passes over the folded space before the one in which it is combined: those of the
    /// accumulators that its value needs.
    pub(crate) pass: usize,
}

/// Returns the number of passes before the first one that has a value; `known` are those of the
/// operations before it.
pub(crate) fn passes_before(
    value: ValueRef,
    known: &[usize],
    accumulators: &[Accumulator],
) -> usize {
    match value {
        ValueRef::Op(number) => known[number],
        ValueRef::Folded(folded) => accumulators[folded.accumulator()].pass + 1,
        ValueRef::Load(_) | ValueRef::Constant(_) => 0,
    }
}

/// Returns, for each operation of a map, the number of passes before the first one that can compute it.
pub(crate) fn passes_of(ops: &[KernelOp], accumulators: &[Accumulator]) -> Vec<usize> {
    let mut known = Vec::with_capacity(ops.len());
    for op in ops {
        let of = |&operand: &ValueRef| passes_before(operand, &known, accumulators);
        known.push(op.operands.iter().map(of).max().unwrap_or(0));
    }
    known
}

/// Returns the operation that makes one value of an accumulator's two words.
pub(crate) fn words_as_one(accumulator: usize) -> KernelOp {
    KernelOp {
        opcode: Opcode::Complex,
        from: ElementType::F32,
        element_type: ElementType::C64,
        operands: [0, 1].map(|word| ValueRef::Folded(Folded::Word(accumulator, word))).to_vec(),
        precision: Precision::default(),
        call: None,
    }
}

/// Returns the operations that take the words of such a value.
pub(crate) fn word_ops(value: ValueRef) -> [KernelOp; 2] {
    [Opcode::Real, Opcode::Imag].map(|opcode| KernelOp {
        opcode,
        from: ElementType::C64,
        element_type: ElementType::F32,
        operands: vec![value],
        precision: Precision::default(),
        call: None,
    })
}

impl Fold {
    /// Returns the number of passes over the folded space.
    pub(crate) fn passes(&self) -> usize {
        let last = self.accumulators.iter().map(|accumulator| accumulator.pass).max();
        last.map_or(0, |last| last + 1) + usize::from(self.stores_each)
    }

    /// Returns true if a kernel passes over the folded space several times.
    pub(crate) fn has_passes(&self) -> bool {
        self.passes() > 1
    }

    /// Returns the number of elements that are folded into one.
    pub(crate) fn count(&self) -> usize {
        let all = self.sizes.iter().product();
        self.part.and_then(|part| part.range).unwrap_or(all)
    }

    /// Returns true if parts are ranges of the folded space.
    pub(crate) fn is_range(&self) -> bool {
        self.part.is_some_and(|part| part.range.is_some())
    }

    /// Returns the dimension of the kernel's space that numbers parts, if that matters: they are
    /// ranges, or the last one has fewer elements than others.
    pub(crate) fn numbered(&self) -> Option<usize> {
        let matters =
            |part: &Part| part.range.is_some() || !part.of.is_multiple_of(self.count().max(1));
        Some(self.part.filter(matters)?.dimension)
    }
}

//! Rows that one kernel passes over several times: first to reduce them, then to compute what the
//! results stand beside. A row lies in the processor's caches from the first pass on.

use crate::kernel::fold::CHILDREN;
use crate::limits::Tuning;
use crate::normalize::normalized::{NormalInstruction, Reduction};
use indim_core::graph::computation::NodeId;
use indim_core::semantics::element::ElementType;
use indim_core::semantics::shape::Shape;

/// The most elements of a row.
const LONGEST: usize = 4096;

/// The fewest rows: an invocation computes each, or some of a workgroup do, and others would be idle.
/// (Measured on lavapipe with 2 cores, softmax and layer norm of rows of 1,024 elements: 24 to 56 rows
/// took 1.4 to 1.9 of their floors in several kernels, 16 and 64 rows 1.1 to 1.2 in one.)
const FEWEST: usize = 16;

/// The elements up to which fewer rows will do, since dispatches take longer than they do.
const SMALL: usize = 1 << 14;

/// The most elements of a row that an invocation of a processor passes over, which has a core's cache to
/// itself: three levels of the tree.
const LONGEST_ALONE: usize = CHILDREN * CHILDREN * CHILDREN;

/// The fewest rows of more than [`LONGEST`] elements. (Measured on lavapipe with 2 cores, rows of 32,768
/// elements: of the floors 64 rows took 1.2 to 1.4 in one kernel and 1.3 to 1.7 in five; 16 rows took more
/// in one.)
const FEWEST_LONG: usize = 64;

/// Returns the most elements of a row that a kernel may pass over several times.
pub(super) fn longest(tuning: &Tuning) -> usize {
    if tuning.folds_together { LONGEST } else { LONGEST_ALONE }
}

/// Returns true if the reduced dimensions are rows that a kernel can pass over several times, of up to
/// `longest` elements.
pub(super) fn are_rows(reduction: &Reduction, longest: usize) -> bool {
    let dims = reduction.domain.dims();
    let first = reduction.reduced.iter().position(|&reduced| reduced).unwrap_or(dims.len());
    if reduction.reduced[first..].contains(&false) {
        return false;
    }
    let count = |dims: &[usize]| dims.iter().try_fold(1usize, |count, &d| count.checked_mul(d));
    let (Some(rows), Some(each)) = (count(&dims[..first]), count(&dims[first..])) else {
        return false;
    };
    let fewest = if each > LONGEST { FEWEST_LONG } else { FEWEST };
    let is_small = each <= LONGEST && rows > 0 && rows * each <= SMALL;
    (2..=longest).contains(&each) && (rows >= fewest || is_small)
}

/// Returns true if the elements of a result of this type, as many to a row, are stored in whole words.
pub(super) fn stores_rows(element_type: ElementType, each: usize) -> bool {
    element_type.elements_per_word() == 1 || element_type.bits() >= 8 && each.is_multiple_of(4)
}

/// For each node, the first of the reductions of rows that it is made of, if it has one element for
/// each row and is made of nothing else but loads: a kernel that passes over the rows computes it in
/// between. `is_single` is false for what several results need.
pub(super) fn made_of_rows(
    instructions: &[NormalInstruction],
    is_single: &[bool],
    longest: usize,
) -> Vec<Option<NodeId>> {
    let mut made: Vec<Option<NodeId>> = Vec::with_capacity(instructions.len());
    for (node, instruction) in instructions.iter().enumerate() {
        let own = || instruction.reduction().filter(|reduction| are_rows(reduction, longest));
        let of = match own() {
            Some(_) => is_single[node].then_some(node),
            None if instruction.reduction().is_some() => None,
            None => {
                let mut of = instruction.inputs.iter().filter_map(|input| made[input.node]);
                let first = of.next();
                let space = |node: NodeId| instructions[node].reduction().map(rows_of);
                first.filter(|&first| of.all(|other| space(other) == space(first)))
            }
        };
        made.push(of);
    }
    made
}

/// Returns, for each node, whether at most one result needs it; `reachable` are the needed nodes,
/// ascending.
pub(super) fn of_one_result(
    instructions: &[NormalInstruction],
    reachable: &[NodeId],
    is_root: &[bool],
) -> Vec<bool> {
    /// The results that need a node.
    #[derive(Clone, Copy, PartialEq)]
    enum Needed {
        Not,
        By(NodeId),
        BySeveral,
    }
    let mut needed = vec![Needed::Not; instructions.len()];
    for &node in reachable.iter().rev() {
        let own = if is_root[node] { Needed::By(node) } else { needed[node] };
        for input in &instructions[node].inputs {
            let known = &mut needed[input.node];
            let is_first = *known == Needed::Not || *known == own;
            *known = if is_first { own } else { Needed::BySeveral };
        }
    }
    needed.into_iter().map(|needed| needed != Needed::BySeveral).collect()
}

/// Returns the shape that a reduction reduces, and where.
fn rows_of(reduction: &Reduction) -> (&Shape, &[bool]) {
    (&reduction.domain, &reduction.reduced)
}

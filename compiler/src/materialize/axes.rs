//! Refines the axes of a kernel's iteration space until they suit its reshapes.

use crate::materialize::analysis::Analysis;
use crate::normalize::normalized::Reduction;
use indim_core::graph::computation::NodeId;
use indim_core::semantics::view::{View, blocks};

/// The axes that traverse a node's dimensions, outermost first.
#[derive(Debug, Clone)]
pub(crate) struct Axes {
    /// The node whose dimensions they traverse: the kernel's own node, or the one that it reshapes.
    pub(crate) node: NodeId,
    /// Runs of the node's dimensions: the number of dimensions, and the sizes of the axes over
    /// them.
    pub(crate) runs: Vec<(usize, Vec<usize>)>,
    /// True if they are the sizes of what is written, dimension by dimension.
    pub(crate) is_plain: bool,
    /// If the whole node is one run, the reshape that the node's own dimensions do not fit.
    pub(crate) misfit: Option<NodeId>,
}

impl Axes {
    /// Returns an axis for each of the result's own dimensions. They suit most kernels, and are
    /// what a reader expects.
    pub(crate) fn by_dimension(analysis: &Analysis<'_>, root: NodeId) -> Self {
        Self::new(analysis, root, None)
    }

    /// Returns one axis for all elements in order, or as few as possible. Only the order matters to
    /// the result, and a reshape that its dimensions do not fit may need different ones.
    pub(crate) fn flat(analysis: &Analysis<'_>, root: NodeId, misfit: NodeId) -> Self {
        Self::new(analysis, root, Some(misfit))
    }

    fn new(analysis: &Analysis<'_>, root: NodeId, misfit: Option<NodeId>) -> Self {
        let instruction = &analysis.computation.instructions[root];
        let written = analysis.written_shape(root);
        let kept = |(&full, &written): (&usize, &usize)| full == written;
        let kept: Vec<bool> =
            instruction.shape.dims().iter().zip(written.dims()).map(kept).collect();
        let (node, kept) = match instruction.inputs.as_slice() {
            [input] if input.view == View::Reshape => {
                let operand = &analysis.computation.instructions[input.node].shape;
                let mut keeps = vec![false; operand.rank()];
                for (from, to) in blocks(operand.dims(), instruction.domain().dims()) {
                    // If a run does not vary, only its dimensions of size 1 are kept.
                    keeps[from].fill(!kept[to].contains(&false));
                }
                (input.node, keeps)
            }
            _ => (root, kept),
        };
        let dims = analysis.computation.instructions[node].shape.dims();
        let mut runs: Vec<(usize, Vec<usize>)> = Vec::with_capacity(dims.len());
        let mut before = None;
        for (&size, &kept) in dims.iter().zip(&kept) {
            let size = if kept { size } else { 1 };
            match runs.last_mut() {
                Some((rank, sizes)) if misfit.is_some() && before == Some(kept) => {
                    *rank += 1;
                    // The product does not overflow: the elements of a shape can be counted.
                    sizes[0] = sizes[0].saturating_mul(size);
                }
                _ => runs.push((1, vec![size])),
            }
            before = Some(kept);
        }
        Self { node, runs, is_plain: misfit.is_none(), misfit }
    }

    /// Returns axes over the shape that a reduction reduces: these along the dimensions that it keeps,
    /// and one along each other one.
    pub(crate) fn of_domain(&self, reduction: &Reduction) -> Self {
        Self { runs: reduction.of_domain(&self.runs, |size| (1, vec![size])), ..self.clone() }
    }

    /// Returns the axes along the dimensions that a reduction keeps, of those of its domain.
    pub(crate) fn kept_of(&self, domain: &Self, reduction: &Reduction) -> Self {
        Self { runs: reduction.kept(&domain.runs), ..domain.clone() }
    }

    /// Returns the same axes with one split in two, the inner one of this size. Each split at least
    /// halves an axis, so there are few of them.
    pub(crate) fn split(mut self, mut axis: usize, inner: usize) -> Self {
        for (_, sizes) in &mut self.runs {
            if let Some(&size) = sizes.get(axis) {
                sizes.splice(axis..=axis, [size / inner.max(1), inner]);
                break;
            }
            axis -= sizes.len();
        }
        self.is_plain = false;
        self
    }

    /// Returns their sizes.
    pub(crate) fn sizes(&self) -> Vec<usize> {
        self.runs.iter().flat_map(|(_, sizes)| sizes.iter().copied()).collect()
    }
}

//! Computes which element of a node belongs to each point of a kernel's space, as an affine index.
//!
//! A point is its coordinates along the axes of the space. A [`NodeIndex`] is followed through the
//! expression from the kernel's node: a view turns the index of its result into that of its
//! operand. The final index in an array is the offset and strides of a load.

use std::rc::Rc;

use crate::materialize::analysis::NodeDims;
use crate::materialize::axes::Axes;
use indim_core::graph::computation::NodeId;
use indim_core::semantics::shape::{Shape, gcd};
use indim_core::semantics::view::{DimIndex, View, blocks};

/// `offset` plus, for each axis, a step times the coordinate. It is a valid index at every point of
/// the space at which its element is needed, so sums do not overflow there. At others it may lie
/// outside, where a view leaves its operand and another value is selected.
///
/// Trailing steps of 0 are not stored, so that thousands of dimensions of size 1, each of which
/// would have a step for every axis, take no memory.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct AffineIndex {
    pub(crate) offset: isize,
    pub(crate) steps: Vec<isize>,
}

impl AffineIndex {
    pub(super) const ZERO: Self = Self { offset: 0, steps: Vec::new() };

    /// Returns the index among all elements of an array of these sizes.
    pub(super) fn flat(sizes: &[usize]) -> Self {
        let strides = Shape::new(sizes).strides();
        Self::new(0, strides.into_iter().map(usize::cast_signed).collect())
    }

    fn new(offset: isize, mut steps: Vec<isize>) -> Self {
        let used = steps.iter().rposition(|&step| step != 0).map_or(0, |last| last + 1);
        steps.truncate(used);
        Self { offset, steps }
    }

    /// Adds `factor * other`.
    fn add(&mut self, other: &AffineIndex, factor: isize) {
        self.offset = self.offset.wrapping_add(other.offset.wrapping_mul(factor));
        let mut steps = std::mem::take(&mut self.steps);
        steps.resize(steps.len().max(other.steps.len()), 0);
        for (step, other) in steps.iter_mut().zip(&other.steps) {
            *step = step.wrapping_add(other.wrapping_mul(factor));
        }
        *self = Self::new(self.offset, steps);
    }

    /// Returns the quotient and the remainder by `divisor`.
    ///
    /// # Errors
    /// If the axes do not allow both to be affine, returns the axis at fault, and the size of an
    /// inner part of it that would allow it, if there is one.
    fn divide(
        &self,
        divisor: usize,
        axes: &[usize],
    ) -> Result<(AffineIndex, AffineIndex), Option<(usize, usize)>> {
        let by = divisor.cast_signed();
        let each = |f: fn(isize, isize) -> isize| self.steps.iter().map(|&s| f(s, by)).collect();
        // If the remainder fits at every point, including those outside of the array, quotient and
        // remainder are unique.
        let quotient = AffineIndex::new(self.offset.div_euclid(by), each(|s, by| s / by));
        let rest = AffineIndex::new(self.offset.rem_euclid(by), each(|s, by| s % by));
        // The least and the greatest value that the remainder takes: both must be in `0..divisor`.
        let (mut min, mut max) = (rest.offset as i128, rest.offset as i128);
        let mut farthest = (0, None);
        for (axis, (&step, &size)) in rest.steps.iter().zip(axes).enumerate() {
            let reach = step as i128 * (size as i128 - 1);
            min += reach.min(0);
            max += reach.max(0);
            // After `inner` steps along the axis the remainder starts over.
            let inner = divisor / gcd(divisor, self.steps[axis].unsigned_abs());
            if size > inner && size.is_multiple_of(inner) && reach.abs() > farthest.0 {
                farthest = (reach.abs(), Some((axis, inner)));
            }
        }
        let fits = 0 <= min && max < divisor as i128;
        if fits { Ok((quotient, rest)) } else { Err(farthest.1) }
    }
}

/// The reason why an index is not affine over the axes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotAffine {
    /// An axis must become two, of which the inner one has this size.
    Split { axis: usize, inner: usize },
    /// The sizes on the two sides of this reshape do not fit each other.
    Reshape(NodeId),
}

/// A run of dimensions of a node, and the index in it, counted in row-major order.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Run {
    /// The number of its dimensions.
    rank: usize,
    at: AffineIndex,
    /// The reshape that made several dimensions one run, if there are several.
    reshape: NodeId,
}

/// The element of a node that belongs to each point of the space.
#[derive(Debug, Clone)]
pub(crate) struct NodeIndex {
    /// The runs of all its dimensions, outermost first.
    runs: Vec<Run>,
    /// For each dimension of the node, the corresponding dimension of the space; `None` after a
    /// reshape.
    pub(crate) dimensions: Option<Vec<usize>>,
    /// The index among all elements of the node, for comparing two indices of one node.
    pub(crate) element: AffineIndex,
    /// True if the path from the kernel's node to this one contains a view that may leave its
    /// operand.
    may_leave: bool,
}

impl NodeIndex {
    /// Returns the index of the node that the axes traverse.
    pub(crate) fn of_axes(root: NodeId, node: NodeDims<'_>, axes: &Axes) -> Self {
        let mut runs = Vec::with_capacity(axes.runs.len());
        let mut first = 0;
        for (rank, sizes) in &axes.runs {
            let mut steps = Vec::new();
            let mut step = 1isize;
            for (axis, &size) in sizes.iter().enumerate().rev().filter(|&(_, &size)| size != 1) {
                steps.resize(steps.len().max(first + axis + 1), 0);
                steps[first + axis] = if size > 1 { step } else { 0 };
                step = step.wrapping_mul(size.cast_signed());
            }
            first += sizes.len();
            runs.push(Run { rank: *rank, at: AffineIndex::new(0, steps), reshape: root });
        }
        if axes.misfit.is_some() {
            runs = join(&runs, node.shape.dims(), 0..runs.len(), root).into_iter().collect();
        }
        let dimensions = axes.misfit.is_none().then(|| (0..node.shape.rank()).collect());
        Self::new(runs, dimensions, node)
    }

    /// Returns the index for a space without points.
    fn nowhere(node: NodeId, rank: usize) -> Self {
        let run = Run { rank: 1, at: AffineIndex::ZERO, reshape: node };
        let dimensions = Some((0..rank).collect());
        Self { runs: vec![run; rank], dimensions, element: AffineIndex::ZERO, may_leave: false }
    }

    fn new(mut runs: Vec<Run>, dimensions: Option<Vec<usize>>, node: NodeDims<'_>) -> Self {
        let mut element = AffineIndex::ZERO;
        let mut first = 0;
        for run in &mut runs {
            let dims = first..first + run.rank;
            if !node.varies[dims.clone()].contains(&true) {
                run.at = AffineIndex::ZERO;
            }
            let size: usize = node.shape.dims()[dims].iter().product();
            first += run.rank;
            if size == 1 && run.at == AffineIndex::ZERO {
                continue;
            }
            let mut sum = run.at.clone();
            sum.add(&element, size.cast_signed());
            element = sum;
        }
        Self { runs, dimensions, element, may_leave: false }
    }

    /// Returns the same index of another node of the same shape.
    pub(crate) fn at(&self, node: NodeDims<'_>) -> Self {
        let same = Self::new(self.runs.clone(), self.dimensions.clone(), node);
        Self { may_leave: self.may_leave, ..same }
    }

    /// Returns true if the two are the same element of their node at every point of the space.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        // Outside of the node, different indices along its dimensions can give the same number.
        let by_number = !self.may_leave && !other.may_leave;
        self.element == other.element && (by_number || self.runs == other.runs)
    }

    /// Returns the index of an operand that the node of this shape sees through `view`.
    pub(crate) fn through(
        self: &Rc<Self>,
        view: &View,
        (node, shape): (NodeId, &Shape),
        operand: NodeDims<'_>,
        axes: &[usize],
    ) -> Result<Rc<Self>, NotAffine> {
        if axes.contains(&0) {
            return Ok(Rc::new(Self::nowhere(node, operand.shape.rank())));
        }
        if view.is_identity(operand.shape, shape) {
            if operand.varies.iter().zip(operand.shape.dims()).all(|(&v, &size)| v || size == 1) {
                return Ok(Rc::clone(self));
            }
            return Ok(Rc::new(self.at(operand)));
        }
        let (runs, dimensions) = match view {
            View::Reshape => (self.reshaped(shape, operand.shape, node), None),
            // The operand is stored as another type, so its index is never needed.
            View::Bitcast => return Err(NotAffine::Reshape(node)),
            View::Strided(along) => {
                let apart = |d: usize| !goes_on(along, operand.shape, shape, d);
                let runs = self.split_at(shape, axes, apart)?;
                let at = |along: &DimIndex| self.dimensions.as_ref()?.get(along.dimension).copied();
                let dimensions = along.iter().map(|a| {
                    at(a).or_else(|| {
                        // Only a dimension of size 1 can lack a source.
                        (a.step == 0 && self.dimensions.is_some()).then_some(0)
                    })
                });
                (seen_by(&runs, along, node), dimensions.collect())
            }
        };
        let may_leave = self.may_leave || view.leaves(operand.shape, shape);
        Ok(Rc::new(Self { may_leave, ..Self::new(runs, dimensions, operand) }))
    }

    /// Returns the index in an array of `stored`, which has size 1 where the node does not vary.
    pub(crate) fn in_array(
        &self,
        node: NodeDims<'_>,
        stored: &Shape,
        axes: &[usize],
    ) -> Result<AffineIndex, NotAffine> {
        if stored == node.shape || axes.contains(&0) {
            return Ok(self.element.clone());
        }
        let varies = node.varies;
        let runs = self.split_at(node.shape, axes, |d| varies[d - 1] != varies[d])?;
        let strides = stored.strides();
        let mut element = AffineIndex::ZERO;
        let mut next = 0;
        for run in &runs {
            next += run.rank;
            if let Some(last) = next.checked_sub(1).filter(|&last| varies[last]) {
                element.add(&run.at, strides[last].cast_signed());
            }
        }
        Ok(element)
    }

    /// Returns the index along one dimension.
    pub(crate) fn along(
        &self,
        shape: &Shape,
        dimension: usize,
        axes: &[usize],
    ) -> Result<AffineIndex, NotAffine> {
        let apart = |d: usize| d == dimension || d == dimension + 1;
        let runs = self.split_at(shape, axes, apart)?;
        let mut next = 0;
        let found = runs.into_iter().find(|run| {
            next += run.rank;
            next > dimension
        });
        Ok(found.map_or(AffineIndex::ZERO, |run| run.at))
    }

    /// Returns the runs, split so that none continues from dimension d - 1 to dimension d where
    /// `apart(d)`.
    fn split_at(
        &self,
        shape: &Shape,
        axes: &[usize],
        apart: impl Fn(usize) -> bool,
    ) -> Result<Vec<Run>, NotAffine> {
        let mut runs = Vec::with_capacity(self.runs.len());
        let mut first = 0;
        for run in &self.runs {
            let mut inner = Vec::new();
            let mut rest = run.clone();
            for d in (first + 1..first + run.rank).rev().filter(|&d| apart(d)) {
                let rank = first + rest.rank - d;
                let size: usize = shape.dims()[d..d + rank].iter().product();
                let (quotient, remainder) =
                    rest.at.divide(size.max(1), axes).map_err(|split| match split {
                        Some((axis, inner)) => NotAffine::Split { axis, inner },
                        None => NotAffine::Reshape(run.reshape),
                    })?;
                inner.push(Run { rank, at: remainder, reshape: run.reshape });
                rest = Run { rank: rest.rank - rank, at: quotient, reshape: run.reshape };
            }
            runs.push(rest);
            runs.extend(inner.into_iter().rev());
            first += run.rank;
        }
        Ok(runs)
    }

    /// Returns the runs of the operand of a reshape to `shape`: a dimension that is the same on
    /// both sides keeps its run; dimensions that are split or merged become one run.
    fn reshaped(&self, shape: &Shape, operand: &Shape, reshape: NodeId) -> Vec<Run> {
        let mut runs = Vec::new();
        // The collected runs of the node, and the operand's dimensions that they become.
        let (mut own, mut others) = (0..0, 0..0);
        let mut dims = 0;
        for (from, to) in blocks(operand.dims(), shape.dims()) {
            others.end = from.end;
            while dims < to.end {
                dims += self.runs[own.end].rank;
                own.end += 1;
            }
            // A run may reach beyond the block; then the next block also belongs to it.
            if dims == to.end {
                let joined = join(&self.runs, shape.dims(), own.clone(), reshape);
                if let Some(mut run) = joined {
                    run.rank = others.len();
                    run.reshape = reshape;
                    if run.rank > 0 {
                        runs.push(run);
                    }
                } else {
                    // These dimensions have size 1 and are only on the operand's side.
                    runs.extend(others.clone().map(|_| Run {
                        rank: 1,
                        at: AffineIndex::ZERO,
                        reshape,
                    }));
                }
                own = own.end..own.end;
                others = others.end..others.end;
            }
        }
        runs
    }
}

/// Merges consecutive runs of a node of sizes `dims`.
fn join(
    runs: &[Run],
    dims: &[usize],
    range: std::ops::Range<usize>,
    reshape: NodeId,
) -> Option<Run> {
    let mut first: usize = runs[..range.start].iter().map(|run| run.rank).sum();
    let mut joined: Option<Run> = None;
    for run in &runs[range] {
        let size: usize = dims[first..first + run.rank].iter().product();
        first += run.rank;
        joined = Some(match joined {
            None => run.clone(),
            Some(outer) => {
                let mut at = run.at.clone();
                at.add(&outer.at, size.cast_signed());
                Run { rank: outer.rank + run.rank, at, reshape }
            }
        });
    }
    joined
}

/// Returns true if the operand's dimensions continue from dimension d - 1 of the result to
/// dimension d, in full, so that the two need not be distinguished; or if neither is one of the
/// operand's.
fn goes_on(along: &[DimIndex], operand: &Shape, result: &Shape, d: usize) -> bool {
    let of = |d: usize| along.iter().position(|a| a.step != 0 && a.dimension == d);
    let whole = |e: usize, d: usize| {
        let DimIndex { start, step, .. } = along[e];
        start == 0 && step == 1 && operand.dims()[e] == result.dims()[d]
    };
    match (of(d - 1), of(d)) {
        (None, None) => true,
        (Some(outer), Some(inner)) => inner == outer + 1 && whole(outer, d - 1) && whole(inner, d),
        _ => false,
    }
}

/// Returns the runs of an operand, each from the node's run that reads it. If only a part is read,
/// that run has one dimension.
fn seen_by(runs: &[Run], along: &[DimIndex], node: NodeId) -> Vec<Run> {
    let mut seen = Vec::with_capacity(along.len());
    let mut dimension = 0;
    while let Some(&DimIndex { dimension: at, start, step }) = along.get(dimension) {
        let mut index = AffineIndex::new(start, Vec::new());
        let mut rank = 1;
        let mut reshape = node;
        if step != 0 {
            let mut first = 0;
            let found = runs.iter().find(|run| {
                first += run.rank;
                first > at
            });
            if let Some(run) = found {
                index.add(&run.at, step);
                (rank, reshape) = (run.rank, run.reshape);
            }
        }
        seen.push(Run { rank, at: index, reshape });
        dimension += rank;
    }
    seen
}

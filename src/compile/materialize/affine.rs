//! Which element of a node belongs to each point of a kernel's space.
//!
//! A point is its coordinates along the axes of the space. A [`Position`] goes down the expression
//! with the lowering: a view turns the position of its result into that of its operand. In the end
//! the position in an array is its offset and strides.

use std::rc::Rc;

use crate::graph::computation::NodeId;
use crate::semantics::shape::Shape;
use crate::semantics::view::{DimIndex, View, blocks};

/// `offset` plus, for each axis, a step times the coordinate. An index wherever there is a point,
/// so that no sum of it overflows.
///
/// The last step is not 0: axes beyond it have none. So thousands of dimensions of size 1 take no
/// memory, each of which would have a step for every axis.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Affine {
    pub(crate) offset: usize,
    pub(crate) steps: Vec<isize>,
}

impl Affine {
    const ZERO: Self = Self { offset: 0, steps: Vec::new() };

    fn new(offset: usize, mut steps: Vec<isize>) -> Self {
        let used = steps.iter().rposition(|&step| step != 0).map_or(0, |last| last + 1);
        steps.truncate(used);
        Self { offset, steps }
    }

    /// `self += factor * other`.
    fn add(&mut self, other: &Affine, factor: isize) {
        self.offset =
            self.offset.wrapping_add_signed(other.offset.cast_signed().wrapping_mul(factor));
        let mut steps = std::mem::take(&mut self.steps);
        steps.resize(steps.len().max(other.steps.len()), 0);
        for (step, other) in steps.iter_mut().zip(&other.steps) {
            *step = step.wrapping_add(other.wrapping_mul(factor));
        }
        *self = Self::new(self.offset, steps);
    }

    /// Quotient and remainder by `divisor`. Where the axes do not allow both to be affine, the axis
    /// that stands in the way and the size of an inner part of it that would not, if there is one.
    fn divide(
        &self,
        divisor: usize,
        axes: &[usize],
    ) -> Result<(Affine, Affine), Option<(usize, usize)>> {
        let by = divisor.cast_signed();
        let part = |f: fn(isize, isize) -> isize| self.steps.iter().map(|&s| f(s, by)).collect();
        let quotient = Affine::new(self.offset / divisor, part(|s, by| s / by));
        let rest = Affine::new(self.offset % divisor, part(|s, by| s % by));
        // How far the remainder goes down and up; it must stay a remainder.
        let (mut least, mut most) = (rest.offset as i128, rest.offset as i128);
        let mut farthest = (0, None);
        for (axis, (&step, &size)) in rest.steps.iter().zip(axes).enumerate() {
            let reach = step as i128 * (size as i128 - 1);
            least += reach.min(0);
            most += reach.max(0);
            // After so many steps the remainder begins anew.
            let inner = divisor / gcd(divisor, self.steps[axis].unsigned_abs());
            if size > inner && size.is_multiple_of(inner) && reach.abs() > farthest.0 {
                farthest = (reach.abs(), Some((axis, inner)));
            }
        }
        let fits = 0 <= least && most < divisor as i128;
        if fits { Ok((quotient, rest)) } else { Err(farthest.1) }
    }
}

fn gcd(mut a: usize, mut b: usize) -> usize {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Why a position cannot be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// An axis must become two, of which the inner one has this size.
    Split { axis: usize, inner: usize },
    /// The sizes on the two sides of this reshape do not fit each other.
    Reshape(NodeId),
}

/// A run of dimensions of a node, and the place in it, counted in row-major order.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Part {
    /// How many dimensions it has.
    rank: usize,
    at: Affine,
    /// If there are several dimensions, the reshape that made them one run.
    reshape: NodeId,
}

/// Which element of a node belongs to each point of the space.
#[derive(Debug, Clone)]
pub(crate) struct Position {
    /// Of all its dimensions, outermost first.
    parts: Vec<Part>,
    /// For each dimension of the node the dimension of the space that it becomes; unknown behind
    /// a reshape.
    pub(crate) dimensions: Option<Vec<usize>>,
    /// The place among all elements of the node: what tells two positions apart.
    pub(crate) element: Affine,
}

/// A node's own side of a step of the lowering.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seen<'a> {
    pub(crate) shape: &'a Shape,
    /// Along which dimensions its value differs; along others the position does not matter.
    pub(crate) varies: &'a [bool],
}

impl Position {
    /// The position in the node that the space itself goes through. A run of its dimensions is
    /// walked through by the axes of these sizes; if `one`, all of them are one part.
    pub(crate) fn of_space(
        root: NodeId,
        node: Seen<'_>,
        runs: &[(usize, Vec<usize>)],
        one: bool,
    ) -> Self {
        let mut parts = Vec::with_capacity(runs.len());
        let mut first = 0;
        for (rank, sizes) in runs {
            let mut steps = Vec::new();
            let mut step = 1isize;
            for (place, &size) in sizes.iter().enumerate().rev().filter(|&(_, &size)| size != 1) {
                steps.resize(steps.len().max(first + place + 1), 0);
                steps[first + place] = if size > 1 { step } else { 0 };
                step = step.wrapping_mul(size.cast_signed());
            }
            first += sizes.len();
            parts.push(Part { rank: *rank, at: Affine::new(0, steps), reshape: root });
        }
        if one {
            parts = join(&parts, node.shape.dims(), 0..parts.len(), root).into_iter().collect();
        }
        let dimensions = (!one).then(|| (0..node.shape.rank()).collect());
        Self::new(parts, dimensions, node)
    }

    /// The position where there is no point.
    fn nowhere(node: NodeId, rank: usize) -> Self {
        let part = Part { rank: 1, at: Affine::ZERO, reshape: node };
        let dimensions = Some((0..rank).collect());
        Self { parts: vec![part; rank], dimensions, element: Affine::ZERO }
    }

    fn new(mut parts: Vec<Part>, dimensions: Option<Vec<usize>>, node: Seen<'_>) -> Self {
        let mut element = Affine::ZERO;
        let mut first = 0;
        for part in &mut parts {
            let dims = first..first + part.rank;
            if !node.varies[dims.clone()].contains(&true) {
                part.at = Affine::ZERO;
            }
            let size: usize = node.shape.dims()[dims].iter().product();
            first += part.rank;
            if size == 1 && part.at == Affine::ZERO {
                continue;
            }
            let mut sum = part.at.clone();
            sum.add(&element, size.cast_signed());
            element = sum;
        }
        Self { parts, dimensions, element }
    }

    /// The position in an operand that the node sees by `view`. `reshape` is the node.
    pub(crate) fn through(
        self: &Rc<Self>,
        view: &View,
        (node, shape): (NodeId, &Shape),
        operand: Seen<'_>,
        axes: &[usize],
    ) -> Result<Rc<Self>, Obstacle> {
        if axes.contains(&0) {
            return Ok(Rc::new(Self::nowhere(node, operand.shape.rank())));
        }
        if view.is_identity(operand.shape, shape) {
            if operand.varies.iter().zip(operand.shape.dims()).all(|(&v, &size)| v || size == 1) {
                return Ok(Rc::clone(self));
            }
            let parts = self.parts.clone();
            return Ok(Rc::new(Self::new(parts, self.dimensions.clone(), operand)));
        }
        let (parts, dimensions) = match view {
            View::Reshape => (self.reshaped(shape, operand.shape, node), None),
            // What it is of is stored, so that nothing asks for a place in it.
            View::Bitcast => return Err(Obstacle::Reshape(node)),
            View::Strided(along) => {
                let apart = |d: usize| !goes_on(along, operand.shape, shape, d);
                let parts = self.parted(shape, axes, apart)?;
                let at = |along: &DimIndex| self.dimensions.as_ref()?.get(along.dimension).copied();
                let dimensions = along.iter().map(|a| {
                    at(a).or_else(|| {
                        // Only one of size 1 may have come from nowhere.
                        (a.step == 0 && self.dimensions.is_some()).then_some(0)
                    })
                });
                (seen_by(&parts, along, node), dimensions.collect())
            }
        };
        Ok(Rc::new(Self::new(parts, dimensions, operand)))
    }

    /// Where the elements of the node lie in an array of `stored`, which has size 1 where the node
    /// does not vary.
    pub(crate) fn in_array(
        &self,
        node: Seen<'_>,
        stored: &Shape,
        axes: &[usize],
    ) -> Result<Affine, Obstacle> {
        if stored == node.shape || axes.contains(&0) {
            return Ok(self.element.clone());
        }
        let varies = node.varies;
        let parts = self.parted(node.shape, axes, |d| varies[d - 1] != varies[d])?;
        let strides = stored.strides();
        let mut element = Affine::ZERO;
        let mut next = 0;
        for part in &parts {
            next += part.rank;
            if let Some(last) = next.checked_sub(1).filter(|&last| varies[last]) {
                element.add(&part.at, strides[last].cast_signed());
            }
        }
        Ok(element)
    }

    /// The index along one dimension.
    pub(crate) fn along(
        &self,
        shape: &Shape,
        dimension: usize,
        axes: &[usize],
    ) -> Result<Affine, Obstacle> {
        let apart = |d: usize| d == dimension || d == dimension + 1;
        let parts = self.parted(shape, axes, apart)?;
        let mut next = 0;
        let found = parts.into_iter().find(|part| {
            next += part.rank;
            next > dimension
        });
        Ok(found.map_or(Affine::ZERO, |part| part.at))
    }

    /// The parts, none of which goes on from dimension d - 1 to dimension d where `apart(d)`.
    fn parted(
        &self,
        shape: &Shape,
        axes: &[usize],
        apart: impl Fn(usize) -> bool,
    ) -> Result<Vec<Part>, Obstacle> {
        let mut parts = Vec::with_capacity(self.parts.len());
        let mut first = 0;
        for part in &self.parts {
            let mut inner = Vec::new();
            let mut rest = part.clone();
            for d in (first + 1..first + part.rank).rev().filter(|&d| apart(d)) {
                let rank = first + rest.rank - d;
                let size: usize = shape.dims()[d..d + rank].iter().product();
                let (quotient, remainder) =
                    rest.at.divide(size.max(1), axes).map_err(|split| match split {
                        Some((axis, inner)) => Obstacle::Split { axis, inner },
                        None => Obstacle::Reshape(part.reshape),
                    })?;
                inner.push(Part { rank, at: remainder, reshape: part.reshape });
                rest = Part { rank: rest.rank - rank, at: quotient, reshape: part.reshape };
            }
            parts.push(rest);
            parts.extend(inner.into_iter().rev());
            first += part.rank;
        }
        Ok(parts)
    }

    /// The parts of the operand of a reshape to `shape`: as they are where a dimension is the same
    /// on both sides, otherwise what a run of dimensions has become, as one.
    fn reshaped(&self, shape: &Shape, operand: &Shape, reshape: NodeId) -> Vec<Part> {
        let mut parts = Vec::new();
        // Runs of both, and, for each dimension of the operand's, how far the run is collected.
        let (mut own, mut others) = (0..0, 0..0);
        let mut dims = 0;
        for (from, to) in blocks(operand.dims(), shape.dims()) {
            others.end = from.end;
            while dims < to.end {
                dims += self.parts[own.end].rank;
                own.end += 1;
            }
            // A part may reach beyond the block; then the next one belongs to it, too.
            if dims == to.end {
                let joined = join(&self.parts, shape.dims(), own.clone(), reshape);
                if let Some(mut part) = joined {
                    part.rank = others.len();
                    part.reshape = reshape;
                    if part.rank > 0 {
                        parts.push(part);
                    }
                } else {
                    // Dimensions of size 1 that are only on the operand's side.
                    parts.extend(others.clone().map(|_| Part {
                        rank: 1,
                        at: Affine::ZERO,
                        reshape,
                    }));
                }
                own = own.end..own.end;
                others = others.end..others.end;
            }
        }
        parts
    }
}

/// Consecutive parts of a node of sizes `dims` as one.
fn join(
    parts: &[Part],
    dims: &[usize],
    range: std::ops::Range<usize>,
    reshape: NodeId,
) -> Option<Part> {
    let mut first: usize = parts[..range.start].iter().map(|part| part.rank).sum();
    let mut joined: Option<Part> = None;
    for part in &parts[range] {
        let size: usize = dims[first..first + part.rank].iter().product();
        first += part.rank;
        joined = Some(match joined {
            None => part.clone(),
            Some(outer) => {
                let mut at = part.at.clone();
                at.add(&outer.at, size.cast_signed());
                Part { rank: outer.rank + part.rank, at, reshape }
            }
        });
    }
    joined
}

/// Whether the operand's dimensions go on from dimension d - 1 of the result to dimension d, in
/// full, so that the two need not be told apart; or neither is one of the operand's.
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

/// The parts of an operand that sees the node's, of which those that it walks through otherwise
/// than in full have one dimension.
fn seen_by(parts: &[Part], along: &[DimIndex], node: NodeId) -> Vec<Part> {
    let mut seen = Vec::with_capacity(along.len());
    let mut dimension = 0;
    while let Some(&DimIndex { dimension: at, start, step }) = along.get(dimension) {
        let mut at_part = Affine::new(start, Vec::new());
        let mut rank = 1;
        let mut reshape = node;
        if step != 0 {
            let mut first = 0;
            let found = parts.iter().find(|part| {
                first += part.rank;
                first > at
            });
            if let Some(part) = found {
                at_part.add(&part.at, step);
                (rank, reshape) = (part.rank, part.reshape);
            }
        }
        seen.push(Part { rank, at: at_part, reshape });
        dimension += rank;
    }
    seen
}

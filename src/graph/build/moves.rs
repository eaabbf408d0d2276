//! Assembles pad, concatenate and roll from existing operations: selects between shifted views of
//! the operands, by the position in the result. A kernel that reads a moved array thus reads the
//! array itself, and nothing is copied for the move.

use crate::graph::build::move_call::MoveCall;
use crate::graph::build::node_graph::Graph;
use crate::graph::build::operations;
use crate::graph::computation::Payload;
use crate::semantics::data_movement::ViewError;
use crate::semantics::element::{ElementType, Scalar};
use crate::semantics::error::{Error, Result};
use crate::semantics::infer::{self, Inferred, TensorType};
use crate::semantics::opcode::Opcode;
use crate::semantics::placement::{self, Padding};
use crate::semantics::shape::Shape;
use crate::semantics::view::View;

/// The number of operands that are concatenated at a time; more are concatenated in groups of this
/// size. If a kernel must be cut because it binds too many arrays, only a part of the result is
/// then stored: a group has as many operands as every device can bind in addition to a result.
const GROUP: usize = 3;

/// Adds a pad, and checks rules V7, T2, V8 and C1. Each list has one entry for each dimension.
pub(crate) fn pad<G: Graph>(
    to: &mut G,
    operand: &G::Value,
    padding_value: &G::Value,
    low: &[i64],
    high: &[i64],
    interior: &[i64],
) -> Result<G::Value> {
    let types = (to.operand(Opcode::Pad, operand)?, to.operand(Opcode::Pad, padding_value)?);
    let (result, padding) = placement::pad(types.0, types.1, low, high, interior)?;
    let from = types.0.shape.clone();
    let mut mover = Mover { to, opcode: Opcode::Pad };
    if from.dims().contains(&0) || result.dims().contains(&0) {
        return mover.filled(padding_value, operand, &result);
    }
    // A dimension of one element has nothing between its elements.
    let has_interior = |(&size, padding): (&usize, &Padding)| size > 1 && padding.interior > 0;
    let has_interior: Vec<bool> = from.dims().iter().zip(&padding).map(has_interior).collect();
    if !has_interior.contains(&true) {
        let origin: Vec<i64> = padding.iter().map(|padding| padding.low).collect();
        return mover.placed(operand, padding_value, &origin, &result);
    }

    // Along such a dimension, each element begins a group of one and the interior amount. The
    // result consists of whole groups, each with the element at the same place; the rest of the
    // last one is left out.
    let (mut apart, mut origin) = (Vec::new(), Vec::new());
    let (mut grouped, mut whole) = (Vec::new(), Vec::new());
    for ((&size, padding), has_interior) in from.dims().iter().zip(&padding).zip(has_interior) {
        let group = if has_interior { padding.interior.saturating_add(1) } else { 1 };
        apart.push(size);
        origin.push(padding.low.div_euclid(group));
        // Sizes of arrays are signed numbers, so groups that are too large cannot be counted.
        let group_size = usize::try_from(group).unwrap_or(usize::MAX);
        let groups = padding.size.div_ceil(group_size);
        grouped.push(groups);
        if has_interior {
            apart.push(1);
            origin.push(padding.low.rem_euclid(group));
            grouped.push(group_size);
        }
        whole.push(groups.saturating_mul(group_size));
    }
    let [apart, grouped, whole] = [apart, grouped, whole].map(Shape::from);
    grouped.element_count().map_err(Error::shape(Opcode::Pad.method()))?;
    let operand = mover.reshaped(operand, &apart);
    let value = mover.placed(&operand, padding_value, &origin, &grouped)?;
    let value = mover.reshaped(&value, &whole);
    let view = View::shift(&whole, &vec![0; whole.rank()], &result);
    Ok(mover.viewed(&value, view, &result))
}

/// Adds a concatenation, and checks rules V9, T2 and C1.
pub(crate) fn concatenate<G: Graph>(
    to: &mut G,
    operands: &[G::Value],
    dimension: i64,
) -> Result<G::Value> {
    let types = operands.iter().map(|value| to.operand(Opcode::Concatenate, value));
    let types: Vec<TensorType<'_>> = types.collect::<Result<_>>()?;
    let (result, dimension) = placement::concatenate(&types, dimension)?;
    let holds_some = |value: &&G::Value| to.tensor_type(value).shape.dims()[dimension] > 0;
    let mut parts: Vec<G::Value> = operands.iter().filter(holds_some).cloned().collect();
    if result.dims().contains(&0) {
        // All operands are alike without elements. Inference has checked that there is at least
        // one.
        parts = operands.iter().take(1).cloned().collect();
    }
    let mut mover = Mover { to, opcode: Opcode::Concatenate };
    while parts.len() > 1 {
        let mut groups = Vec::with_capacity(parts.len().div_ceil(GROUP));
        for group in parts.chunks(GROUP) {
            if let Some((last, others)) = group.split_last() {
                groups.push(mover.joined(others, last, dimension)?);
            }
        }
        parts = groups;
    }
    let Some(whole) = parts.pop() else {
        return Err(Error::view(Opcode::Concatenate.method())(ViewError::NothingToConcatenate));
    };
    let origin = vec![0; result.rank()];
    let view = View::shift(mover.to.tensor_type(&whole).shape, &origin, &result);
    let whole = mover.viewed(&whole, view, &result);
    let all: Vec<&G::Value> = operands.iter().collect();
    Ok(mover.to.with_context_of(whole, &all))
}

/// Adds a roll, and checks rule V10.
pub(crate) fn roll<G: Graph>(
    to: &mut G,
    operand: &G::Value,
    shifts: &[i64],
    dimensions: &[i64],
) -> Result<G::Value> {
    let rolled = placement::roll(to.operand(Opcode::Roll, operand)?, shifts, dimensions)?;
    let shape = to.tensor_type(operand).shape.clone();
    let mut mover = Mover { to, opcode: Opcode::Roll };
    let mut value = operand.clone();
    if shape.dims().contains(&0) {
        return Ok(value);
    }
    for (dimension, &shift) in rolled.iter().enumerate().filter(|&(_, &shift)| shift > 0) {
        let (shift, size) = (shift.cast_signed(), shape.dims()[dimension].cast_signed());
        let [ahead, around] = [shift, shift - size].map(|along| {
            let mut origin = vec![0; shape.rank()];
            origin[dimension] = along;
            mover.viewed(&value, View::shift(&shape, &origin, &shape), &shape)
        });
        let index = mover.index(&shape, dimension)?;
        let is_ahead = mover.on_index(Opcode::Ge, &index, shift.unsigned_abs())?;
        let rolled = operations::select(mover.to, &is_ahead, &ahead, &around)?;
        let attributes = vec![vec![shift as i64], vec![dimension as i64]];
        let call = MoveCall { opcode: Opcode::Roll, operands: vec![value], attributes };
        mover.to.assembled(&rolled, call);
        value = rolled;
    }
    Ok(value)
}

/// Assembles one move.
struct Mover<'a, G> {
    to: &'a mut G,
    /// The operation being assembled, which names its views.
    opcode: Opcode,
}

impl<G: Graph> Mover<'_, G> {
    /// Returns the operand with its first element at `origin` in a result of this shape, and the
    /// value everywhere else. Both have elements.
    fn placed(
        &mut self,
        operand: &G::Value,
        value: &G::Value,
        origin: &[i64],
        result: &Shape,
    ) -> Result<G::Value> {
        let from = self.to.tensor_type(operand).shape.clone();
        let mut starts = Vec::with_capacity(origin.len());
        let mut inside: Option<G::Value> = None;
        for (dimension, &origin) in origin.iter().enumerate() {
            let (size, result_size) = (from.dims()[dimension], result.dims()[dimension]);
            let end = i128::from(origin) + size as i128;
            if end <= 0 || i128::from(origin) >= result_size as i128 {
                return self.filled(value, operand, result);
            }
            // This fits, since the two ranges meet.
            let start = isize::try_from(origin).unwrap_or(isize::MIN);
            starts.push(start);
            let (before, behind) = (start > 0, end < result_size as i128);
            if !before && !behind {
                continue;
            }
            let index = self.index(result, dimension)?;
            let end = usize::try_from(end).unwrap_or(usize::MAX);
            let is_inside = match (before, behind) {
                (true, true) if size == 1 => {
                    self.on_index(Opcode::Eq, &index, start.unsigned_abs())?
                }
                // On unsigned numbers one comparison checks both sides.
                (true, true) => {
                    let from_start = self.on_index(Opcode::Sub, &index, start.unsigned_abs())?;
                    self.on_index(Opcode::Lt, &from_start, size)?
                }
                (true, false) => self.on_index(Opcode::Ge, &index, start.unsigned_abs())?,
                (false, _) => self.on_index(Opcode::Lt, &index, end)?,
            };
            inside = Some(match inside {
                None => is_inside,
                Some(others) => operations::binary(self.to, Opcode::And, &others, &is_inside, &[])?,
            });
        }
        let view = View::shift(&from, &starts, result);
        let moved = self.viewed(operand, view, result);
        match inside {
            None => Ok(moved),
            Some(inside) => {
                let placed = operations::select(self.to, &inside, &moved, value)?;
                // Both shapes have elements, so that their sizes are signed numbers.
                let sizes = from.dims().iter().zip(result.dims());
                let added = sizes.map(|(&size, &result)| result as i64 - size as i64);
                let high = added.zip(origin).map(|(added, low)| added.saturating_sub(*low));
                let attributes = vec![origin.to_vec(), high.collect(), vec![0; origin.len()]];
                let operands = vec![operand.clone(), value.clone()];
                self.to.assembled(&placed, MoveCall { opcode: Opcode::Pad, operands, attributes });
                Ok(placed)
            }
        }
    }

    /// Returns the other operands of a group followed by the last one, none of them empty.
    fn joined(
        &mut self,
        others: &[G::Value],
        last: &G::Value,
        dimension: usize,
    ) -> Result<G::Value> {
        let size_of = |value: &G::Value| self.to.tensor_type(value).shape.dims()[dimension];
        let sizes: Vec<usize> = others.iter().map(size_of).collect();
        let mut start: usize = sizes.iter().sum();
        let mut dims = self.to.tensor_type(last).shape.dims().to_vec();
        dims[dimension] += start;
        let result = Shape::from(dims);
        let mut joined = self.shifted(last, dimension, start, &result);
        for (value, size) in others.iter().zip(sizes).rev() {
            let end = start;
            start -= size;
            let moved = self.shifted(value, dimension, start, &result);
            let index = self.index(&result, dimension)?;
            let is_before = self.on_index(Opcode::Lt, &index, end)?;
            joined = operations::select(self.to, &is_before, &moved, &joined)?;
        }
        if !others.is_empty() {
            let operands = others.iter().chain([last]).cloned().collect();
            let attributes = vec![vec![dimension as i64]];
            let call = MoveCall { opcode: Opcode::Concatenate, operands, attributes };
            self.to.assembled(&joined, call);
        }
        Ok(joined)
    }

    /// Returns the operand with its first element at `start` along a dimension of the result.
    fn shifted(
        &mut self,
        operand: &G::Value,
        dimension: usize,
        start: usize,
        result: &Shape,
    ) -> G::Value {
        let mut origin = vec![0; result.rank()];
        origin[dimension] = start.cast_signed();
        let view = View::shift(self.to.tensor_type(operand).shape, &origin, result);
        self.viewed(operand, view, result)
    }

    fn viewed(&mut self, operand: &G::Value, view: View, result: &Shape) -> G::Value {
        let element_type = self.to.tensor_type(operand).element_type;
        let inferred = Inferred { element_type, shape: result.clone(), views: vec![view] };
        self.to.push(self.opcode, inferred, &[operand], Payload::None)
    }

    fn reshaped(&mut self, operand: &G::Value, result: &Shape) -> G::Value {
        let view = View::reshape(self.to.tensor_type(operand).shape, result);
        self.viewed(operand, view, result)
    }

    /// Returns a scalar in every element of a shape, without reading the operand.
    fn filled(&mut self, value: &G::Value, operand: &G::Value, result: &Shape) -> Result<G::Value> {
        let filled = operations::broadcast_to(self.to, value, result, &[])?;
        Ok(self.to.with_context_of(filled, &[operand]))
    }

    /// Returns each element's index along a dimension, as an unsigned number.
    fn index(&mut self, shape: &Shape, dimension: usize) -> Result<G::Value> {
        let is_short = u32::try_from(shape.dims()[dimension]).is_ok();
        let element_type = if is_short { ElementType::U32 } else { ElementType::U64 };
        let inferred = infer::iota_of(element_type, shape)?;
        Ok(self.to.push(Opcode::Iota, inferred, &[], Payload::Iota(dimension)))
    }

    /// Returns a binary operation of each index and a number.
    fn on_index(&mut self, opcode: Opcode, index: &G::Value, number: usize) -> Result<G::Value> {
        let element_type = self.to.tensor_type(index).element_type;
        let number = operations::constant(self.to, Scalar::from_bits(element_type, number as u64));
        operations::binary(self.to, opcode, index, &number, &[])
    }
}

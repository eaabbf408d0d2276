//! Assembles pad, concatenate and roll from existing operations: selects between shifted views of
//! the operands, by the position in the result. A kernel that reads a moved array thus reads the
//! array itself, and nothing is copied for the move.

use crate::graph::computation::Payload;
use crate::graph::move_call::MoveCall;
use crate::semantics::data_movement::ViewError;
use crate::semantics::element::{ElementType, Scalar};
use crate::semantics::error::{Error, Result};
use crate::semantics::infer::{self, Inferred, TensorType};
use crate::semantics::opcode::Opcode;
use crate::semantics::placement::Padding;
use crate::semantics::shape::Shape;
use crate::semantics::view::View;

/// The number of operands that are concatenated at a time; more are concatenated in groups of this
/// size. If a kernel must be cut because it binds too many arrays, only a part of the result is
/// then stored: a group has as many operands as every device can bind in addition to a result.
const GROUP: usize = 3;

/// Adds instructions: to a builder, or to the graph of an expression.
pub(crate) trait Assembler {
    /// A handle of a value.
    type Value: Clone;

    /// Returns the type of a value.
    fn tensor_type<'a>(&'a self, value: &'a Self::Value) -> TensorType<'a>;

    /// Adds an instruction with its inferred type.
    fn instruction(
        &mut self,
        opcode: Opcode,
        inferred: Inferred,
        operands: &[&Self::Value],
        payload: Payload,
    ) -> Self::Value;

    /// Returns the value, computed where `operands` are although it needs none of their elements.
    fn beside(&mut self, value: Self::Value, operands: &[&Self::Value]) -> Self::Value;

    /// Records the call that a value was assembled for, where it is needed later.
    fn assembled(&mut self, _value: &Self::Value, _call: MoveCall<Self::Value>) {}
}

/// Adds a pad, and checks rules V7, T2, V8 and C1. Each list has one entry for each dimension.
pub(crate) fn pad<A: Assembler>(
    to: &mut A,
    operand: &A::Value,
    padding_value: &A::Value,
    [low, high, interior]: [&[i64]; 3],
) -> Result<A::Value> {
    let types = (to.tensor_type(operand), to.tensor_type(padding_value));
    let (result, padding) = infer::pad(types.0, types.1, low, high, interior)?;
    let from = types.0.shape.clone();
    let mut mover = Mover { to, opcode: Opcode::Pad };
    if from.dims().contains(&0) || result.dims().contains(&0) {
        return mover.filled(padding_value, operand, &result);
    }
    // A dimension of one element has nothing between its elements.
    let spread = |(&size, padding): (&usize, &Padding)| size > 1 && padding.interior > 0;
    let spread: Vec<bool> = from.dims().iter().zip(&padding).map(spread).collect();
    if !spread.contains(&true) {
        let origin: Vec<i64> = padding.iter().map(|padding| padding.low).collect();
        return mover.placed(operand, padding_value, &origin, &result);
    }

    // Along such a dimension, each element begins a group of one and the interior amount. The
    // result consists of whole groups, each with the element at the same place; the rest of the
    // last one is left out.
    let (mut apart, mut origin) = (Vec::new(), Vec::new());
    let (mut grouped, mut whole) = (Vec::new(), Vec::new());
    for ((&size, padding), spread) in from.dims().iter().zip(&padding).zip(spread) {
        let group = if spread { padding.interior.saturating_add(1) } else { 1 };
        apart.push(size);
        origin.push(padding.low.div_euclid(group));
        // Sizes of arrays are signed numbers, so groups that are too large cannot be counted.
        let group_size = usize::try_from(group).unwrap_or(usize::MAX);
        let groups = padding.size.div_ceil(group_size);
        grouped.push(groups);
        if spread {
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
pub(crate) fn concatenate<A: Assembler>(
    to: &mut A,
    operands: &[A::Value],
    dimension: i64,
) -> Result<A::Value> {
    let types: Vec<TensorType<'_>> = operands.iter().map(|value| to.tensor_type(value)).collect();
    let (result, dimension) = infer::concatenate(&types, dimension)?;
    let holds_some = |value: &&A::Value| to.tensor_type(value).shape.dims()[dimension] > 0;
    let mut parts: Vec<A::Value> = operands.iter().filter(holds_some).cloned().collect();
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
    let all: Vec<&A::Value> = operands.iter().collect();
    Ok(mover.to.beside(whole, &all))
}

/// Adds a roll, and checks rule V10.
pub(crate) fn roll<A: Assembler>(
    to: &mut A,
    operand: &A::Value,
    shifts: &[i64],
    dimensions: &[i64],
) -> Result<A::Value> {
    let rolled = infer::roll(to.tensor_type(operand), shifts, dimensions)?;
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
        let is_ahead = mover.compared(Opcode::Ge, &index, shift.unsigned_abs())?;
        let rolled = mover.selected(&is_ahead, &ahead, &around)?;
        let call = MoveCall::Roll { operand: value, shift: shift as i64, dimension };
        mover.to.assembled(&rolled, call);
        value = rolled;
    }
    Ok(value)
}

/// Assembles one move.
struct Mover<'a, A> {
    to: &'a mut A,
    /// The operation being assembled, which names its views.
    opcode: Opcode,
}

impl<A: Assembler> Mover<'_, A> {
    /// Returns the operand with its first element at `origin` in a result of this shape, and the
    /// value everywhere else. Both have elements.
    fn placed(
        &mut self,
        operand: &A::Value,
        value: &A::Value,
        origin: &[i64],
        result: &Shape,
    ) -> Result<A::Value> {
        let from = self.to.tensor_type(operand).shape.clone();
        let mut starts = Vec::with_capacity(origin.len());
        let mut inside: Option<A::Value> = None;
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
                    self.compared(Opcode::Eq, &index, start.unsigned_abs())?
                }
                // On unsigned numbers one comparison checks both sides.
                (true, true) => {
                    let from_start = self.compared(Opcode::Sub, &index, start.unsigned_abs())?;
                    self.compared(Opcode::Lt, &from_start, size)?
                }
                (true, false) => self.compared(Opcode::Ge, &index, start.unsigned_abs())?,
                (false, _) => self.compared(Opcode::Lt, &index, end)?,
            };
            inside = Some(match inside {
                None => is_inside,
                Some(others) => self.binary(Opcode::And, &others, &is_inside)?,
            });
        }
        let view = View::shift(&from, &starts, result);
        let moved = self.viewed(operand, view, result);
        match inside {
            None => Ok(moved),
            Some(inside) => {
                let placed = self.selected(&inside, &moved, value)?;
                let (operand, padding_value) = (operand.clone(), value.clone());
                let call = MoveCall::Pad { operand, padding_value, origin: origin.to_vec() };
                self.to.assembled(&placed, call);
                Ok(placed)
            }
        }
    }

    /// Returns the other operands of a group followed by the last one, none of them empty.
    fn joined(
        &mut self,
        others: &[A::Value],
        last: &A::Value,
        dimension: usize,
    ) -> Result<A::Value> {
        let size_of = |value: &A::Value| self.to.tensor_type(value).shape.dims()[dimension];
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
            let is_before = self.compared(Opcode::Lt, &index, end)?;
            joined = self.selected(&is_before, &moved, &joined)?;
        }
        if !others.is_empty() {
            let operands = others.iter().chain([last]).cloned().collect();
            self.to.assembled(&joined, MoveCall::Concatenate { operands, dimension });
        }
        Ok(joined)
    }

    /// Returns the operand with its first element at `start` along a dimension of the result.
    fn shifted(
        &mut self,
        operand: &A::Value,
        dimension: usize,
        start: usize,
        result: &Shape,
    ) -> A::Value {
        let mut origin = vec![0; result.rank()];
        origin[dimension] = start.cast_signed();
        let view = View::shift(self.to.tensor_type(operand).shape, &origin, result);
        self.viewed(operand, view, result)
    }

    fn viewed(&mut self, operand: &A::Value, view: View, result: &Shape) -> A::Value {
        let element_type = self.to.tensor_type(operand).element_type;
        let inferred = Inferred { element_type, shape: result.clone(), views: vec![view] };
        self.to.instruction(self.opcode, inferred, &[operand], Payload::None)
    }

    fn reshaped(&mut self, operand: &A::Value, result: &Shape) -> A::Value {
        let view = View::reshape(self.to.tensor_type(operand).shape, result);
        self.viewed(operand, view, result)
    }

    /// Returns a scalar in every element of a shape, without reading the operand.
    fn filled(&mut self, value: &A::Value, operand: &A::Value, result: &Shape) -> Result<A::Value> {
        let inferred = infer::broadcast_in_dim(self.to.tensor_type(value), result, &[])?;
        let filled = self.to.instruction(Opcode::BroadcastInDim, inferred, &[value], Payload::None);
        Ok(self.to.beside(filled, &[operand]))
    }

    /// Returns each element's index along a dimension, as an unsigned number.
    fn index(&mut self, shape: &Shape, dimension: usize) -> Result<A::Value> {
        let is_short = u32::try_from(shape.dims()[dimension]).is_ok();
        let element_type = if is_short { ElementType::U32 } else { ElementType::U64 };
        let inferred = infer::iota_of(element_type, shape)?;
        Ok(self.to.instruction(Opcode::Iota, inferred, &[], Payload::Iota(dimension)))
    }

    /// Returns a comparison of each index with a number, or another binary operation on the two.
    fn compared(&mut self, opcode: Opcode, index: &A::Value, number: usize) -> Result<A::Value> {
        let element_type = self.to.tensor_type(index).element_type;
        let number = self.constant(Scalar::from_bits(element_type, number as u64));
        self.binary(opcode, index, &number)
    }

    fn constant(&mut self, value: Scalar) -> A::Value {
        let element_type = value.element_type();
        let inferred = Inferred { element_type, shape: Shape::scalar(), views: Vec::new() };
        self.to.instruction(Opcode::Constant, inferred, &[], Payload::Constant(value))
    }

    fn binary(&mut self, opcode: Opcode, lhs: &A::Value, rhs: &A::Value) -> Result<A::Value> {
        let types = (self.to.tensor_type(lhs), self.to.tensor_type(rhs));
        let inferred = infer::binary(opcode, types.0, types.1, &[])?;
        Ok(self.to.instruction(opcode, inferred, &[lhs, rhs], Payload::None))
    }

    fn selected(
        &mut self,
        pred: &A::Value,
        on_true: &A::Value,
        on_false: &A::Value,
    ) -> Result<A::Value> {
        let [p, t, f] = [pred, on_true, on_false].map(|value| self.to.tensor_type(value));
        let inferred = infer::select(p, t, f)?;
        let operands = [pred, on_true, on_false];
        Ok(self.to.instruction(Opcode::Select, inferred, &operands, Payload::None))
    }
}

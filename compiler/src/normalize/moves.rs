//! Expands pad, concatenate and roll into selects between shifted views of the operands, by the
//! position in the result. A kernel that reads a moved array thus reads the array itself, and nothing
//! is copied for the move.

use crate::normalize::list::NormalList;
use crate::normalize::normalized::{Attribute, Input, NormalInstruction};
use indim_core::graph::computation::NodeId;
use indim_core::graph::moves::Move;
use indim_core::semantics::element::{ElementType, Scalar};
use indim_core::semantics::opcode::{OpClass, Opcode};
use indim_core::semantics::placement;
use indim_core::semantics::shape::Shape;
use indim_core::semantics::view::View;

/// The number of operands that are concatenated at a time; more are concatenated in groups of this
/// size. If a kernel must be cut because it binds too many arrays, only a part of the result is
/// then stored: a group has as many operands as every device can bind in addition to a result.
const GROUP: usize = 3;

/// Adds what a move becomes, whose rules were checked. Returns its value; `None` for another
/// number of operands.
pub(super) fn expand(
    list: &mut NormalList,
    operation: &Move,
    operands: &[NodeId],
    result: &Shape,
) -> Option<NodeId> {
    let mut expander = Expander { list, opcode: operation.opcode() };
    Some(match (operation, operands) {
        (Move::Pad { low, interior, .. }, &[operand, value]) => {
            expander.pad(operand, value, (low, interior), result)
        }
        (Move::Concatenate { dimension }, _) => {
            expander.concatenate(operands, *dimension as usize, result)
        }
        (Move::Roll { shifts, dimensions }, &[operand]) => {
            expander.roll(operand, (shifts, dimensions), result)
        }
        _ => return None,
    })
}

/// Expands one move.
struct Expander<'a> {
    list: &'a mut NormalList,
    /// The operation being expanded, which names its views.
    opcode: Opcode,
}

impl Expander<'_> {
    /// Adds a pad. Each list has one entry for each dimension.
    fn pad(
        &mut self,
        operand: NodeId,
        padding_value: NodeId,
        (low, interior): (&[i64], &[i64]),
        result: &Shape,
    ) -> NodeId {
        let from = self.list.shape(operand).clone();
        if from.dims().contains(&0) || result.dims().contains(&0) {
            return self.filled(padding_value, result);
        }
        let sizes = from.dims().iter().zip(interior);
        let groups: Vec<usize> =
            sizes.map(|(&size, &interior)| placement::group_size(size, interior)).collect();
        if groups.iter().all(|&group| group == 1) {
            return self.placed(operand, padding_value, low, result);
        }

        // Along such a dimension, each element begins a group of one and the interior amount. The
        // result consists of whole groups, each with the element at the same place; the rest of the
        // last one is left out.
        let (mut apart, mut origin, mut whole) = (Vec::new(), Vec::new(), Vec::new());
        for (d, &group) in groups.iter().enumerate() {
            apart.push(from.dims()[d]);
            origin.push(low[d].div_euclid(group as i64));
            if group > 1 {
                apart.push(1);
                origin.push(low[d].rem_euclid(group as i64));
            }
            whole.push(result.dims()[d].div_ceil(group).saturating_mul(group));
        }
        let [apart, whole] = [apart, whole].map(Shape::from);
        let grouped = placement::padded_groups(&from, interior, result);
        let operand = self.reshaped(operand, &apart);
        let value = self.placed(operand, padding_value, &origin, &grouped);
        let value = self.reshaped(value, &whole);
        let view = View::shift(&whole, &vec![0; whole.rank()], result);
        self.viewed(value, view, result)
    }

    /// Adds a concatenation.
    fn concatenate(&mut self, operands: &[NodeId], dimension: usize, result: &Shape) -> NodeId {
        let holds_some = |&value: &NodeId| self.list.shape(value).dims()[dimension] > 0;
        let mut parts: Vec<NodeId> = operands.iter().copied().filter(holds_some).collect();
        if result.dims().contains(&0) {
            // All operands are alike without elements. There is at least one.
            parts = operands[..1].to_vec();
        }
        while parts.len() > 1 {
            let joined = parts.chunks(GROUP).map(|group| self.joined(group, dimension));
            parts = joined.collect();
        }
        let view = View::shift(self.list.shape(parts[0]), &vec![0; result.rank()], result);
        self.viewed(parts[0], view, result)
    }

    /// Adds a roll.
    fn roll(
        &mut self,
        operand: NodeId,
        (shifts, dimensions): (&[i64], &[i64]),
        shape: &Shape,
    ) -> NodeId {
        if shape.dims().contains(&0) {
            return operand;
        }
        let rolled = placement::rolled(shape, shifts, dimensions).into_iter().enumerate();
        let mut value = operand;
        for (dimension, shift) in rolled.filter(|&(_, shift)| shift > 0) {
            let (shift, size) = (shift.cast_signed(), shape.dims()[dimension].cast_signed());
            let [ahead, around] = [shift, shift - size].map(|along| {
                let mut origin = vec![0; shape.rank()];
                origin[dimension] = along;
                self.viewed(value, View::shift(shape, &origin, shape), shape)
            });
            let index = self.index(shape, dimension);
            let is_ahead = self.on_index(Opcode::Ge, index, shift.unsigned_abs());
            value = self.elementwise(Opcode::Select, &[is_ahead, ahead, around]);
        }
        value
    }

    /// Returns the operand with its first element at `origin` in a result of this shape, and the
    /// value everywhere else. Both have elements.
    fn placed(&mut self, operand: NodeId, value: NodeId, origin: &[i64], result: &Shape) -> NodeId {
        let from = self.list.shape(operand).clone();
        let mut starts = Vec::with_capacity(origin.len());
        let mut inside: Option<NodeId> = None;
        for (dimension, &origin) in origin.iter().enumerate() {
            let (size, result_size) = (from.dims()[dimension], result.dims()[dimension]);
            let end = i128::from(origin) + size as i128;
            if end <= 0 || i128::from(origin) >= result_size as i128 {
                return self.filled(value, result);
            }
            // This fits, since the two ranges meet.
            let start = isize::try_from(origin).unwrap_or(isize::MIN);
            starts.push(start);
            let (before, behind) = (start > 0, end < result_size as i128);
            if !before && !behind {
                continue;
            }
            let index = self.index(result, dimension);
            let end = usize::try_from(end).unwrap_or(usize::MAX);
            let is_inside = match (before, behind) {
                (true, true) if size == 1 => self.on_index(Opcode::Eq, index, start.unsigned_abs()),
                // On unsigned numbers one comparison checks both sides.
                (true, true) => {
                    let from_start = self.on_index(Opcode::Sub, index, start.unsigned_abs());
                    self.on_index(Opcode::Lt, from_start, size)
                }
                (true, false) => self.on_index(Opcode::Ge, index, start.unsigned_abs()),
                (false, _) => self.on_index(Opcode::Lt, index, end),
            };
            inside = Some(match inside {
                None => is_inside,
                Some(others) => self.elementwise(Opcode::And, &[others, is_inside]),
            });
        }
        let moved = self.viewed(operand, View::shift(&from, &starts, result), result);
        match inside {
            None => moved,
            Some(inside) => self.elementwise(Opcode::Select, &[inside, moved, value]),
        }
    }

    /// Returns these operands one after the other, none of them empty.
    fn joined(&mut self, parts: &[NodeId], dimension: usize) -> NodeId {
        let Some((&last, others)) = parts.split_last() else { return 0 };
        let size_of = |&value: &NodeId| self.list.shape(value).dims()[dimension];
        let sizes: Vec<usize> = others.iter().map(size_of).collect();
        let mut start: usize = sizes.iter().sum();
        let mut dims = self.list.shape(last).dims().to_vec();
        dims[dimension] += start;
        let result = Shape::from(dims);
        let mut joined = self.shifted(last, dimension, start, &result);
        for (&value, size) in others.iter().zip(sizes).rev() {
            let end = start;
            start -= size;
            let moved = self.shifted(value, dimension, start, &result);
            let index = self.index(&result, dimension);
            let is_before = self.on_index(Opcode::Lt, index, end);
            joined = self.elementwise(Opcode::Select, &[is_before, moved, joined]);
        }
        joined
    }

    /// Returns the operand with its first element at `start` along a dimension of the result.
    fn shifted(
        &mut self,
        operand: NodeId,
        dimension: usize,
        start: usize,
        result: &Shape,
    ) -> NodeId {
        let mut origin = vec![0; result.rank()];
        origin[dimension] = start.cast_signed();
        let view = View::shift(self.list.shape(operand), &origin, result);
        self.viewed(operand, view, result)
    }

    fn reshaped(&mut self, operand: NodeId, result: &Shape) -> NodeId {
        let view = View::reshape(self.list.shape(operand), result);
        self.viewed(operand, view, result)
    }

    /// Returns a scalar in every element of a shape.
    fn filled(&mut self, value: NodeId, result: &Shape) -> NodeId {
        let element_type = self.list.instructions[value].element_type;
        let inputs = vec![Input::scalar(value)];
        self.push(Opcode::BroadcastInDim, element_type, result, inputs, Attribute::None)
    }

    fn viewed(&mut self, node: NodeId, view: View, result: &Shape) -> NodeId {
        let element_type = self.list.instructions[node].element_type;
        let inputs = vec![Input { node, view }];
        self.push(self.opcode, element_type, result, inputs, Attribute::None)
    }

    /// Returns each element's index along a dimension, as an unsigned number.
    fn index(&mut self, shape: &Shape, dimension: usize) -> NodeId {
        let is_short = u32::try_from(shape.dims()[dimension]).is_ok();
        let element_type = if is_short { ElementType::U32 } else { ElementType::U64 };
        self.push(Opcode::Iota, element_type, shape, Vec::new(), Attribute::Iota(dimension))
    }

    /// Returns a binary operation of each index and a number.
    fn on_index(&mut self, opcode: Opcode, index: NodeId, number: usize) -> NodeId {
        let element_type = self.list.instructions[index].element_type;
        let number = self.list.constant(Scalar::from_bits(element_type, number as u64));
        self.elementwise(opcode, &[index, number])
    }

    /// Returns an operation on values of one shape and on scalars.
    fn elementwise(&mut self, opcode: Opcode, operands: &[NodeId]) -> NodeId {
        let operand = |&node: &NodeId| Input { node, view: View::identity(self.list.shape(node)) };
        let inputs: Vec<Input> = operands.iter().map(operand).collect();
        // The first one is never a scalar, and the last one has the type of what is computed.
        let element_type = match (opcode.class(), operands.last()) {
            (OpClass::Compare, _) | (_, None) => ElementType::Pred,
            (_, Some(&last)) => self.list.instructions[last].element_type,
        };
        let shape = operands.first().map_or(Shape::scalar(), |&x| self.list.shape(x).clone());
        self.push(opcode, element_type, &shape, inputs, Attribute::None)
    }

    fn push(
        &mut self,
        opcode: Opcode,
        element_type: ElementType,
        shape: &Shape,
        inputs: Vec<Input>,
        attribute: Attribute,
    ) -> NodeId {
        let shape = shape.clone();
        let precision = None;
        let instruction =
            NormalInstruction { opcode, element_type, shape, inputs, attribute, precision };
        self.list.push(instruction)
    }
}

//! Expands take and take_along_dimension: the position of each element in its array, by ordinary
//! operations on the indices, and one instruction that reads there.

use crate::normalize::list::NormalList;
use crate::normalize::normalized::{Attribute, Input, NormalInstruction};
use indim_core::graph::computation::NodeId;
use indim_core::semantics::element::{ElementType, Scalar};
use indim_core::semantics::opcode::Opcode;
use indim_core::semantics::shape::Shape;
use indim_core::semantics::view::{DimIndex, View};

/// A take whose rules were checked.
pub(super) struct Take<'a> {
    pub(super) list: &'a mut NormalList,
    /// The shape of the result.
    pub(super) result: &'a Shape,
    /// The dimension of the operand along which elements are taken.
    pub(super) dimension: usize,
    /// True for take_along_dimension.
    pub(super) along: bool,
}

/// An array, with the position of an operand's first element in it and the distance of neighbours
/// along each dimension of the operand.
struct Table {
    node: NodeId,
    first: isize,
    strides: Vec<isize>,
}

impl Take<'_> {
    /// Adds the elements of an operand at these indices. Returns their value.
    pub(super) fn of(mut self, operand: NodeId, indices: NodeId) -> NodeId {
        let element_type = self.list.instructions[operand].element_type;
        if self.result.dims().contains(&0) {
            let value = self.list.constant(Scalar::from_bits(element_type, 0));
            let inputs = vec![Input::scalar(value)];
            return self.push(Opcode::BroadcastInDim, element_type, self.result.clone(), inputs);
        }
        let size = self.list.shape(operand).dims()[self.dimension];
        let table = self.table(operand);
        let position = self.position(&table, operand, indices, size);
        let nothing = DimIndex { dimension: 0, start: 0, step: 0 };
        let view = View::Strided(vec![nothing; self.list.shape(table.node).rank()]);
        let inputs = vec![Input { node: table.node, view }, position];
        self.push(Opcode::Take, element_type, self.result.clone(), inputs)
    }

    /// Returns the array that holds an operand. A view of a parameter is not stored: its elements have
    /// their positions in the parameter.
    fn table(&self, operand: NodeId) -> Table {
        let own = |shape: &Shape| shape.strides().into_iter().map(usize::cast_signed).collect();
        let (instruction, shape) = (&self.list.instructions[operand], self.list.shape(operand));
        let stored = Table { node: operand, first: 0, strides: own(shape) };
        let (true, [input]) = (instruction.is_view(), instruction.inputs.as_slice()) else {
            return stored;
        };
        let from = &self.list.instructions[input.node];
        let Attribute::Parameter(_) = from.attribute else { return stored };
        match &input.view {
            View::Reshape => Table { node: input.node, ..stored },
            View::Strided(indices) if !input.view.leaves(&from.shape, shape) => {
                let mut table =
                    Table { node: input.node, first: 0, strides: vec![0; shape.rank()] };
                for (index, stride) in indices.iter().zip(from.shape.strides()) {
                    table.first += index.start * stride.cast_signed();
                    if index.step != 0 {
                        let along = &mut table.strides[index.dimension];
                        *along += index.step * stride.cast_signed();
                    }
                }
                table
            }
            View::Strided(_) | View::Bitcast => stored,
        }
    }

    /// Returns the position of each element of the result in the table, of which there are at most
    /// 2^32. Sums and products are modulo 2^32, so distances may be negative.
    fn position(&mut self, table: &Table, operand: NodeId, indices: NodeId, size: usize) -> Input {
        let shape = self.list.shape(indices).clone();
        let index = self.within(indices, size);
        let mut index = self.times(index, table.strides[self.dimension]);
        if table.first != 0 {
            let first = self.number(table.first);
            index = self.binary(Opcode::Add, &shape, [Input::identity(index, &shape), first]);
        }
        let rank = self.list.shape(indices).rank();
        let first = if self.along { 0 } else { self.dimension };
        let map: Vec<usize> = (first..first + rank).collect();
        let mut position = Input { node: index, view: View::broadcast(&shape, &map) };
        for (d, &stride) in table.strides.iter().enumerate() {
            let beyond = d > self.dimension && !self.along;
            let of_result = if beyond { d + rank - 1 } else { d };
            let is_one = self.list.shape(operand).dims()[d] == 1;
            if d == self.dimension || stride == 0 || is_one {
                continue;
            }
            let (result, attribute) = (self.result.clone(), Attribute::Iota(of_result));
            let iota = self.list.push(NormalInstruction {
                opcode: Opcode::Iota,
                element_type: ElementType::U32,
                shape: result.clone(),
                inputs: Vec::new(),
                attribute,
                precision: None,
            });
            let steps = self.times(iota, stride);
            let steps = Input::identity(steps, &result);
            let sum = self.binary(Opcode::Add, &result, [position, steps]);
            position = Input::identity(sum, &result);
        }
        position
    }

    /// Returns indices within a dimension of this size, as U32. They are clamped in their own type.
    fn within(&mut self, indices: NodeId, size: usize) -> NodeId {
        let shape = self.list.shape(indices).clone();
        let own = self.list.instructions[indices].element_type;
        let (least, most) = own.integer_range().unwrap_or((0, 0));
        let last = size as i128 - 1;
        let bounds = [(Opcode::Max, 0, least < 0), (Opcode::Min, last, last < most)];
        let mut index = indices;
        for (opcode, bound, _) in bounds.into_iter().filter(|&(.., applies)| applies) {
            let bound = self.list.constant(Scalar::from_bits(own, bound as u64));
            let inputs = vec![Input::identity(index, &shape), Input::scalar(bound)];
            index = self.push(opcode, own, shape.clone(), inputs);
        }
        if own == ElementType::U32 {
            return index;
        }
        let inputs = vec![Input::identity(index, &shape)];
        self.push(Opcode::ConvertElementType, ElementType::U32, shape, inputs)
    }

    /// Returns a multiple of positions.
    fn times(&mut self, positions: NodeId, by: isize) -> NodeId {
        if by == 1 {
            return positions;
        }
        let (shape, by) = (self.list.shape(positions).clone(), self.number(by));
        self.binary(Opcode::Mul, &shape, [Input::identity(positions, &shape), by])
    }

    fn binary(&mut self, opcode: Opcode, shape: &Shape, inputs: [Input; 2]) -> NodeId {
        self.push(opcode, ElementType::U32, shape.clone(), inputs.into())
    }

    /// Returns a number modulo 2^32.
    fn number(&mut self, number: isize) -> Input {
        let value = Scalar::from_bits(ElementType::U32, u64::from(number as u32));
        Input::scalar(self.list.constant(value))
    }

    fn push(
        &mut self,
        opcode: Opcode,
        element_type: ElementType,
        shape: Shape,
        inputs: Vec<Input>,
    ) -> NodeId {
        let (attribute, precision) = (Attribute::None, None);
        let instruction =
            NormalInstruction { opcode, element_type, shape, inputs, attribute, precision };
        self.list.push(instruction)
    }
}

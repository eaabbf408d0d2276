//! Finds the builder calls that make a computation. Instructions read their operands through
//! composed views; here each view is split into calls again.

use crate::graph::build::move_call::MoveCall;
use crate::graph::calls::{Call, MOST_COST};
use crate::graph::computation::{Computation, Instruction, NodeId, Payload};
use crate::graph::function::body::{SharedFunction, stored_cost};
use crate::semantics::hash::FastMap;
use crate::semantics::opcode::{OpClass, Opcode};
use crate::semantics::shape::Shape;
use crate::semantics::view::{DimIndex, View};

/// A computation as calls.
pub(crate) struct Written {
    /// The functions that are called, each once.
    pub(crate) functions: Vec<SharedFunction>,
    /// The calls, each once and in an order in which they can be made. All parameters are included,
    /// but only those other values that results need.
    pub(crate) calls: Vec<Call>,
    /// The numbers of the calls that give the results.
    pub(crate) results: Vec<usize>,
}

/// Returns the calls that make a computation.
///
/// The error names something that no call makes. In computations of a builder that can only be
/// sizes above 2^63 - 1 next to one of 0.
pub(crate) fn write_calls(computation: &Computation) -> Result<Written, String> {
    let instructions = &computation.instructions;
    let needed = needed(computation);
    let mut writer = Writer {
        computation,
        calls: Calls::default(),
        functions: Functions::default(),
        values: FastMap::default(),
    };
    for (id, instruction) in instructions.iter().enumerate().filter(|&(id, _)| needed[id]) {
        let value = writer.write(id, instruction)?;
        writer.values.insert(id, value);
    }
    let results =
        computation.roots.iter().map(|&root| writer.value(root)).collect::<Result<_, _>>()?;
    Ok(Written { functions: writer.functions.list, calls: writer.calls.list, results })
}

/// Returns for each instruction whether a result needs it, or it is a parameter.
fn needed(computation: &Computation) -> Vec<bool> {
    let instructions = &computation.instructions;
    let mut needed = vec![false; instructions.len()];
    for &root in &computation.roots {
        needed[root] = true;
    }
    // Operands come before their uses, so one backward pass finds everything.
    for (id, instruction) in instructions.iter().enumerate().rev() {
        needed[id] |= instruction.opcode == Opcode::Parameter;
        if !needed[id] {
            continue;
        }
        match computation.move_calls.get(&id) {
            Some(call) => call.operands.iter().for_each(|&operand| needed[operand] = true),
            None => instruction.inputs.iter().for_each(|input| needed[input.node] = true),
        }
    }
    needed
}

/// The calls so far.
#[derive(Default)]
struct Calls {
    list: Vec<Call>,
    numbers: FastMap<Call, usize>,
    cost: usize,
}

impl Calls {
    /// Adds a call on operands of at most this rank, unless it exists. Returns its number.
    fn add(&mut self, call: Call, rank: usize) -> Result<usize, String> {
        if let Some(&number) = self.numbers.get(&call) {
            return Ok(number);
        }
        self.count(call.cost(rank))?;
        let number = self.list.len();
        self.list.push(call.clone());
        // Two parameters of one type are distinct.
        if !matches!(call, Call::Parameter { .. }) {
            self.numbers.insert(call, number);
        }
        Ok(number)
    }

    /// Counts the cost of what is added.
    fn count(&mut self, cost: usize) -> Result<(), String> {
        self.cost = self.cost.saturating_add(cost);
        if self.cost > MOST_COST {
            return Err(format!(
                "the computation costs more than {MOST_COST}, which is the most that is stored; make it of several computations"
            ));
        }
        Ok(())
    }
}

/// The functions so far.
#[derive(Default)]
struct Functions {
    list: Vec<SharedFunction>,
    numbers: FastMap<SharedFunction, usize>,
}

impl Functions {
    /// Adds a function, unless it exists. Returns its number.
    fn add(&mut self, function: &SharedFunction, calls: &mut Calls) -> Result<usize, String> {
        if let Some(&number) = self.numbers.get(function) {
            return Ok(number);
        }
        calls.count(stored_cost(&function.0.text))?;
        let number = self.list.len();
        self.list.push(function.clone());
        self.numbers.insert(function.clone(), number);
        Ok(number)
    }
}

struct Writer<'a> {
    computation: &'a Computation,
    calls: Calls,
    functions: Functions,
    /// The numbers of the calls that give the instructions' values.
    values: FastMap<NodeId, usize>,
}

impl Writer<'_> {
    fn value(&self, id: NodeId) -> Result<usize, String> {
        let value = self.values.get(&id).copied();
        value.ok_or_else(|| format!("value {id} is used before it is defined"))
    }

    fn shape(&self, id: NodeId) -> &Shape {
        &self.computation.instructions[id].shape
    }

    /// Adds the calls of one instruction, and returns the number of the one that gives its value.
    fn write(&mut self, id: NodeId, instruction: &Instruction) -> Result<usize, String> {
        let Instruction { opcode, element_type, ref shape, ref inputs, ref payload, precision } =
            *instruction;
        if let Some(call) = self.computation.move_calls.get(&id) {
            return self.write_move(call, shape);
        }
        match *payload {
            Payload::Parameter(_) => {
                return self.calls.add(Call::Parameter { element_type, shape: shape.clone() }, 0);
            }
            Payload::Constant(value) => {
                return self.calls.add(Call::Constant { element_type, bits: value.bits() }, 0);
            }
            Payload::Iota(dimension) => {
                let (sizes, dimension) = (signed(shape)?, index(dimension)?);
                return self.calls.add(Call::Iota { element_type, sizes, dimension }, 0);
            }
            Payload::Call(_) | Payload::None => (),
        }
        if opcode == Opcode::BitcastConvertType
            && let [input] = inputs.as_slice()
            && input.view == View::Bitcast
        {
            let operand = self.value(input.node)?;
            let rank = self.shape(input.node).rank();
            return self.calls.add(Call::BitcastConvertType { operand, to: element_type }, rank);
        }
        let mut operands = Vec::with_capacity(inputs.len());
        // The format of reduce_precision is constants, which are not operands of the call.
        let values =
            if opcode == Opcode::ReducePrecision { 2..inputs.len() } else { 0..inputs.len() };
        for input in &inputs[values] {
            let from = self.value(input.node)?;
            operands.push(self.read_through(from, input.node, &input.view, shape)?);
        }
        if let Payload::Call(call) = payload {
            let function = self.functions.add(&call.function, &mut self.calls)?;
            let call = Call::Function { function, result: call.result, operands };
            return self.calls.add(call, shape.rank());
        }
        let call = match (opcode, operands.as_slice()) {
            (Opcode::ReducePrecision, &[operand]) => {
                let (exponent_bits, mantissa_bits) =
                    (self.constant(inputs[0].node)?, self.constant(inputs[1].node)?);
                Call::ReducePrecision { operand, exponent_bits, mantissa_bits }
            }
            (Opcode::ConvertElementType, &[operand]) => {
                Call::ConvertElementType { operand, to: element_type }
            }
            (Opcode::BitcastConvertType, &[operand]) => {
                Call::BitcastConvertType { operand, to: element_type }
            }
            (_, &[operand]) if instruction.is_view() => return Ok(operand),
            _ if matches!(
                opcode.class(),
                OpClass::Binary
                    | OpClass::Compare
                    | OpClass::Pair
                    | OpClass::Unary
                    | OpClass::Ternary
            ) =>
            {
                Call::Elementwise { opcode, operands, precision }
            }
            _ => {
                return Err(format!(
                    "no call makes {} of {} operands",
                    opcode.method(),
                    inputs.len()
                ));
            }
        };
        self.calls.add(call, shape.rank())
    }

    fn write_move(&mut self, call: &MoveCall<NodeId>, shape: &Shape) -> Result<usize, String> {
        let operands: Vec<usize> =
            call.operands.iter().map(|&id| self.value(id)).collect::<Result<_, _>>()?;
        let call = Call::of_move(call.opcode, &operands, &call.attributes)?;
        self.calls.add(call, shape.rank())
    }

    fn constant(&self, id: NodeId) -> Result<i64, String> {
        match self.computation.instructions[id].payload {
            Payload::Constant(value) => Ok(value.bits().cast_signed()),
            _ => Err(format!("value {id} is not a constant")),
        }
    }

    /// Adds the calls that read a value through a view.
    fn read_through(
        &mut self,
        value: usize,
        node: NodeId,
        view: &View,
        result: &Shape,
    ) -> Result<usize, String> {
        let operand = &self.computation.instructions[node].shape;
        if view.is_identity(operand, result) {
            return Ok(value);
        }
        let rank = operand.rank().max(result.rank());
        if result.dims().contains(&0) {
            return self.read_nothing(value, operand, result);
        }
        match view {
            View::Reshape => {
                self.calls.add(Call::Reshape { operand: value, sizes: signed(result)? }, rank)
            }
            View::Strided(_) if view.leaves(operand, result) => {
                Err(format!("a view of value {node} leaves it"))
            }
            View::Strided(indices) => self.read_strided(value, operand, indices, result),
            View::Bitcast => Err(format!("value {node} is bitcast within another operation")),
        }
    }

    /// Adds the calls that make an array without elements from any value.
    fn read_nothing(
        &mut self,
        value: usize,
        operand: &Shape,
        result: &Shape,
    ) -> Result<usize, String> {
        let (rank, sizes) = (operand.rank().max(result.rank()), signed(result)?);
        if operand.rank() == 0 {
            let call = Call::BroadcastInDim { operand: value, sizes, broadcast_dimensions: vec![] };
            return self.calls.add(call, rank);
        }
        let (mut value, mut shape) = (value, operand.clone());
        if !operand.dims().contains(&0) {
            let zeros = vec![0; operand.rank()];
            let call = Call::Slice {
                operand: value,
                start_indices: zeros.clone(),
                limit_indices: zeros,
                strides: vec![1; operand.rank()],
            };
            value = self.calls.add(call, rank)?;
            shape = Shape::from(vec![0; operand.rank()]);
        }
        if shape == *result {
            return Ok(value);
        }
        self.calls.add(Call::Reshape { operand: value, sizes }, rank)
    }

    /// Adds the calls that read an operand with elements by an index along each of its dimensions:
    /// those of slice, reversal, reshape, transpose and broadcast that have an effect.
    fn read_strided(
        &mut self,
        value: usize,
        operand: &Shape,
        indices: &[DimIndex],
        result: &Shape,
    ) -> Result<usize, String> {
        let (mut value, rank) = (value, operand.rank().max(result.rank()));
        let read: Vec<Read> = indices.iter().map(|along| Read::new(along, result)).collect();
        let whole = |(read, &size): (&Read, &usize)| read.count == size;
        if !read.iter().zip(operand.dims()).all(whole) {
            let of = |field: fn(&Read) -> usize| -> Result<Vec<i64>, String> {
                read.iter().map(|read| index(field(read))).collect()
            };
            let call = Call::Slice {
                operand: value,
                start_indices: of(|read| read.first)?,
                limit_indices: of(|read| read.limit)?,
                strides: of(|read| read.stride)?,
            };
            value = self.calls.add(call, rank)?;
        }
        let reversed: Vec<i64> =
            (0..).zip(&read).filter(|(_, r)| r.reversed).map(|(d, _)| d).collect();
        if !reversed.is_empty() {
            value = self.calls.add(Call::Reverse { operand: value, dimensions: reversed }, rank)?;
        }
        self.arrange(value, rank, &read, result)
    }

    /// Adds the calls that bring the read dimensions to their places in the result.
    fn arrange(
        &mut self,
        mut value: usize,
        rank: usize,
        read: &[Read],
        result: &Shape,
    ) -> Result<usize, String> {
        // A dimension read at a single place stretches like one of size 1, if no two share a
        // dimension of the result; otherwise it is removed.
        let mut taken = vec![false; result.rank()];
        let mut is_free = |read: &Read| {
            taken.get_mut(read.dimension).is_some_and(|taken| !std::mem::replace(taken, true))
        };
        let stretch = read.iter().all(&mut is_free);
        let mut kept: Vec<&Read> = read.iter().filter(|read| read.varies || stretch).collect();
        if kept.len() < read.len() {
            let sizes = kept.iter().map(|read| index(read.count)).collect::<Result<_, _>>()?;
            value = self.calls.add(Call::Reshape { operand: value, sizes }, rank)?;
        }
        let mut order: Vec<usize> = (0..kept.len()).collect();
        order.sort_by_key(|&k| kept[k].dimension);
        if !order.is_sorted() {
            let permutation = order.iter().map(|&k| index(k)).collect::<Result<_, _>>()?;
            value = self.calls.add(Call::Transpose { operand: value, permutation }, rank)?;
        }
        kept.sort_by_key(|read| read.dimension);
        if !kept.iter().map(|read| read.count).eq(result.dims().iter().copied()) {
            let to = kept.iter().map(|read| index(read.dimension));
            let broadcast_dimensions = to.collect::<Result<_, _>>()?;
            let sizes = signed(result)?;
            let call = Call::BroadcastInDim { operand: value, sizes, broadcast_dimensions };
            value = self.calls.add(call, rank)?;
        }
        Ok(value)
    }
}

/// The elements of one dimension that a view reads.
struct Read {
    /// The result's dimension along which the index changes.
    dimension: usize,
    /// The smallest index, and one past the largest.
    first: usize,
    limit: usize,
    stride: usize,
    /// The number of elements that are read.
    count: usize,
    reversed: bool,
    /// False if all elements of the result read the same index.
    varies: bool,
}

impl Read {
    /// Returns the range read by an index that does not leave the operand, for a result with
    /// elements.
    fn new(index: &DimIndex, result: &Shape) -> Self {
        let &DimIndex { dimension, start, step } = index;
        let start = start.unsigned_abs();
        let varies = step != 0;
        let count = if varies { result.dims().get(dimension).copied().unwrap_or(1) } else { 1 };
        let stride = step.unsigned_abs().max(1);
        let way = stride.saturating_mul(count.saturating_sub(1));
        let first = if step < 0 { start.saturating_sub(way) } else { start };
        let limit = first.saturating_add(way).saturating_add(1);
        Self { dimension, first, limit, stride, count, reversed: step < 0, varies }
    }
}

fn index(index: usize) -> Result<i64, String> {
    i64::try_from(index).map_err(|_| format!("size {index} is above 2^63 - 1"))
}

fn signed(shape: &Shape) -> Result<Vec<i64>, String> {
    shape.dims().iter().map(|&size| index(size)).collect()
}

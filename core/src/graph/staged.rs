//! [`Staged`]: a computation in two halves, of which the first one reduces parts of what is too much
//! for one kernel or for memory.
//!
//! A part has a power of 32 of the elements that are reduced into one, so that it is a node of the tree
//! in which they are combined (docs/numerics.md), and the second half is the rest of the tree: the bits
//! are those of the whole.

use crate::graph::computation::{Computation, Instruction, NodeId, Parameter};
use crate::graph::instruction_list::InstructionList;
use crate::graph::moves::Move;
use crate::graph::operation::{Operation, Words};
use crate::semantics::dims::List;
use crate::semantics::element::ElementType;
use crate::semantics::opcode::Opcode;
use crate::semantics::precision::Precision;
use crate::semantics::reduce;
use crate::semantics::shape::Shape;
use crate::semantics::sorted::sorted;

/// The neighbours that become one on each level of the tree.
const CHILDREN: usize = 32;

/// The bytes of the widest partial result.
const PARTIAL_BYTES: usize = 8;

/// The halves of a computation.
#[derive(Debug)]
pub struct Staged {
    /// Computes partial results, all of one shape, from the same parameters. Dimension 0 numbers the
    /// parts.
    pub partials: Computation,
    /// Computes the results from the parameters and the partial results, which are parameters after
    /// these.
    pub rest: Computation,
}

/// The memory bound of a reduction, and the default precision of operations.
#[derive(Debug, Clone, Copy)]
pub struct Bound {
    /// The bytes of what is to be reduced without parts, of one index along the dimensions before the
    /// first one that is reduced; and of all partial results.
    pub bytes: u64,
    /// The precision.
    pub precision: Precision,
}

impl Computation {
    /// Returns the halves of the computation of these results, if reductions of more than the bound are
    /// needed for them. The first half has those that need no other one, and of these the ones that
    /// reduce the same dimensions of the same shape, so that they read operands together.
    #[doc(hidden)]
    pub fn staged(&self, results: &[usize], bound: Bound) -> Option<Staged> {
        let nodes = self.long_reductions(results, bound);
        let (_, parts) = nodes.first()?;
        let together: Vec<NodeId> =
            nodes.iter().filter(|(_, other)| other == parts).map(|&(node, _)| node).collect();
        Some(Staged {
            partials: self.with_partials(&together, parts, bound.precision),
            rest: self.without(&together, parts, bound.precision),
        })
    }

    /// Returns the long reductions that need no other one.
    fn long_reductions(&self, results: &[usize], bound: Bound) -> Vec<(NodeId, Parts)> {
        let instructions = &self.instructions;
        let mut needed = vec![false; instructions.len()];
        results.iter().for_each(|&result| needed[self.roots[result]] = true);
        for node in (0..instructions.len()).rev() {
            if needed[node] {
                instructions[node].operands.iter().for_each(|&operand| needed[operand] = true);
            }
        }
        let mut rests = vec![false; instructions.len()];
        let mut found = Vec::new();
        for (node, instruction) in instructions.iter().enumerate().filter(|&(node, _)| needed[node])
        {
            rests[node] = instruction.operands.iter().any(|&operand| rests[operand]);
            if let Some(parts) = self.parts(instruction, bound) {
                if !rests[node] {
                    found.push((node, parts));
                }
                rests[node] = true;
            }
        }
        found
    }

    /// Returns the parts of an instruction, if it is a reduction of more than the bound.
    fn parts(&self, instruction: &Instruction, bound: Bound) -> Option<Parts> {
        let Operation::Reduce { dimensions, words: Words::Rounded, .. } = &instruction.operation
        else {
            return None;
        };
        let operand = &self.instructions[*instruction.operands.first()?];
        let dims = operand.shape.dims();
        let reduced = sorted(dimensions.iter().map(|&d| d as usize).collect());
        let first = *reduced.iter().find(|&&d| dims[d] > 1)?;
        let product = |sizes: &mut dyn Iterator<Item = usize>| -> u64 {
            sizes.fold(1, |product, size| product.saturating_mul(size as u64))
        };
        let bytes = operand.element_type.size_in_bytes() as u64;
        if product(&mut dims[first..].iter().copied()).saturating_mul(bytes) <= bound.bytes {
            return None;
        }
        let length = usize::try_from(product(&mut reduced.iter().map(|&d| dims[d]))).ok()?;
        let columns = product(&mut instruction.shape.dims().iter().copied());
        let wide = columns.saturating_mul(PARTIAL_BYTES as u64);
        // As many elements as fit are a part, since pieces of whole rows are read fastest.
        let is_better = |size: usize| {
            let fits = wide.saturating_mul(size as u64) <= bound.bytes / 4;
            fits || wide.saturating_mul(length.div_ceil(size / CHILDREN) as u64) > bound.bytes
        };
        let mut size = CHILDREN;
        while size < length / CHILDREN && is_better(size * CHILDREN) {
            size *= CHILDREN;
        }
        (size < length).then(|| Parts { reduced, shape: operand.shape.clone(), length, size })
    }

    /// Returns the computation of the partial results of these reductions.
    fn with_partials(&self, nodes: &[NodeId], parts: &Parts, precision: Precision) -> Computation {
        let mut list = Adding::new(self);
        let mut new_ids: Vec<NodeId> = Vec::with_capacity(self.instructions.len());
        let mut roots = Vec::with_capacity(nodes.len());
        for (node, instruction) in self.instructions.iter().enumerate() {
            let instruction = with_operands(instruction, &new_ids);
            if nodes.contains(&node) {
                roots.push(list.partial(&instruction, parts, Kind::of(&instruction, precision)));
            }
            new_ids.push(list.push(instruction));
        }
        Computation {
            parameters: self.parameters.clone(),
            instructions: list.0.finish(),
            roots,
            name: self.name.clone(),
        }
    }

    /// Returns the computation in which these reductions combine partial results.
    fn without(&self, nodes: &[NodeId], parts: &Parts, precision: Precision) -> Computation {
        let mut list = Adding::new(self);
        let mut parameters = self.parameters.clone();
        let mut new_ids: Vec<NodeId> = Vec::with_capacity(self.instructions.len());
        for (node, instruction) in self.instructions.iter().enumerate() {
            let new = if nodes.contains(&node) {
                let kind = Kind::of(instruction, precision);
                let (element_type, shape) = (kind.partial, parts.partial(instruction));
                parameters.push(Parameter { element_type, shape: shape.clone() });
                let operation = Operation::Parameter(parameters.len() - 1);
                let partials = list.add(operation, Vec::new(), (element_type, shape), None);
                list.combined(instruction, partials, kind)
            } else {
                list.push(with_operands(instruction, &new_ids))
            };
            new_ids.push(new);
        }
        Computation {
            parameters,
            instructions: list.0.finish(),
            roots: self.roots.iter().map(|&root| new_ids[root]).collect(),
            name: self.name.clone(),
        }
    }
}

fn with_operands(instruction: &Instruction, new_ids: &[NodeId]) -> Instruction {
    let operands = instruction.operands.iter().map(|&operand| new_ids[operand]).collect();
    Instruction { operands, ..instruction.clone() }
}

/// How a reduction is cut into parts.
#[derive(Debug, PartialEq, Eq)]
struct Parts {
    /// The dimensions of the operand that are reduced, in order.
    reduced: Vec<usize>,
    /// The operand's shape.
    shape: Shape,
    /// The elements that are reduced into one.
    length: usize,
    /// The number of elements in a part: a power of 32.
    size: usize,
}

impl Parts {
    /// Returns the shape of the partial results.
    fn partial(&self, instruction: &Instruction) -> Shape {
        with_first(&[self.length.div_ceil(self.size)], &instruction.shape)
    }
}

fn with_first(first: &[usize], kept: &Shape) -> Shape {
    Shape::from([first, kept.dims()].concat())
}

/// The types of a reduction in halves.
#[derive(Debug, Clone, Copy)]
struct Kind {
    /// That in which elements are combined, to which they are converted first.
    combined: ElementType,
    /// That of partial results.
    partial: ElementType,
    /// True if these are two words.
    in_words: bool,
}

impl Kind {
    fn of(instruction: &Instruction, by_default: Precision) -> Self {
        let of = instruction.element_type;
        let by = reduce::combines_by(instruction.operation.opcode());
        if !matches!(by, Some(Opcode::Add | Opcode::Mul)) {
            return Self { combined: of, partial: of, in_words: false };
        }
        let combined = match of {
            ElementType::F16 | ElementType::Bf16 => ElementType::F32,
            other => other,
        };
        let is_accurate = instruction.precision.unwrap_or(by_default) == Precision::Accurate;
        let in_words = combined == ElementType::F32 && is_accurate;
        let partial = if in_words { ElementType::C64 } else { combined };
        Self { combined, partial, in_words }
    }
}

/// Instructions under construction.
struct Adding(InstructionList);

impl Adding {
    fn new(from: &Computation) -> Self {
        Self(InstructionList::with_functions(&from.instructions.functions))
    }

    fn push(&mut self, instruction: Instruction) -> NodeId {
        self.0.push(instruction)
    }

    fn add(
        &mut self,
        operation: Operation,
        operands: Vec<NodeId>,
        (element_type, shape): (ElementType, Shape),
        precision: Option<Precision>,
    ) -> NodeId {
        self.push(Instruction { operation, operands, element_type, shape, precision })
    }

    /// Adds the partial results of a reduction, whose operand is a value here.
    fn partial(&mut self, instruction: &Instruction, parts: &Parts, kind: Kind) -> NodeId {
        let &Parts { length, size, .. } = parts;
        let kept = &instruction.shape;
        let along = self.along_first(instruction, parts, kind.combined);
        let (whole, rest) = (length / size, length % size);
        let first = self.rows(along, 0..whole * size);
        let shape = Shape::from([&[whole, size], kept.dims()].concat());
        let first = self.add(Operation::Reshape, vec![first], (kind.combined, shape), None);
        let first = self.reduced(instruction, (first, 1), kind, with_first(&[whole], kept));
        if rest == 0 {
            return first;
        }
        let last = self.rows(along, whole * size..length);
        let last = self.reduced(instruction, (last, 0), kind, kept.clone());
        let shape = with_first(&[1], kept);
        let last = self.add(Operation::Reshape, vec![last], (kind.partial, shape), None);
        let operation = Operation::Move(Move::Concatenate { dimension: 0 });
        let shape = parts.partial(instruction);
        self.add(operation, vec![first, last], (kind.partial, shape), None)
    }

    /// Adds the operand of a reduction with the reduced dimensions first, as one.
    fn along_first(&mut self, instruction: &Instruction, parts: &Parts, of: ElementType) -> NodeId {
        let Parts { reduced, shape, length, .. } = parts;
        let mut value = instruction.operands[0];
        if instruction.element_type != of {
            let operation = Operation::ConvertElementType;
            value = self.add(operation, vec![value], (of, shape.clone()), None);
        }
        let kept = (0..shape.rank()).filter(|d| !reduced.contains(d));
        let permutation: Vec<usize> = reduced.iter().copied().chain(kept).collect();
        if !permutation.is_sorted() {
            let turned: Vec<usize> = permutation.iter().map(|&d| shape.dims()[d]).collect();
            let permutation: List = permutation.iter().map(|&d| d as i64).collect();
            let operation = Operation::Transpose { permutation };
            value = self.add(operation, vec![value], (of, Shape::from(turned)), None);
        }
        if reduced.len() > 1 {
            let shape = with_first(&[*length], &instruction.shape);
            value = self.add(Operation::Reshape, vec![value], (of, shape), None);
        }
        value
    }

    /// Adds a range of a value along dimension 0.
    fn rows(&mut self, value: NodeId, range: std::ops::Range<usize>) -> NodeId {
        let Instruction { shape, element_type, .. } = &self.0.instructions[value];
        let (element_type, mut dims) = (*element_type, shape.dims().to_vec());
        if range == (0..dims[0]) {
            return value;
        }
        let mut start_indices = vec![0; dims.len()];
        start_indices[0] = range.start as i64;
        dims[0] = range.end;
        let limit_indices = dims.iter().map(|&limit| limit as i64).collect();
        dims[0] = range.len();
        let strides = vec![1; dims.len()].into();
        let operation =
            Operation::Slice { start_indices: start_indices.into(), limit_indices, strides };
        self.add(operation, vec![value], (element_type, Shape::from(dims)), None)
    }

    /// Adds a reduction along one dimension to partial results of this shape.
    fn reduced(
        &mut self,
        instruction: &Instruction,
        (value, dimension): (NodeId, i64),
        kind: Kind,
        shape: Shape,
    ) -> NodeId {
        let words = if kind.in_words { Words::Given } else { Words::Rounded };
        let operation = reduce_along(instruction, dimension, words);
        self.add(operation, vec![value], (kind.partial, shape), instruction.precision)
    }

    /// Adds a reduction of partial results.
    fn combined(&mut self, instruction: &Instruction, partials: NodeId, kind: Kind) -> NodeId {
        let Instruction { element_type, shape, precision, .. } = instruction;
        let (words, of) = if kind.in_words {
            (Words::Taken, *element_type)
        } else {
            (Words::Rounded, kind.combined)
        };
        let operation = reduce_along(instruction, 0, words);
        let sum = self.add(operation, vec![partials], (of, shape.clone()), *precision);
        if of == *element_type {
            return sum;
        }
        let operation = Operation::ConvertElementType;
        self.add(operation, vec![sum], (*element_type, shape.clone()), None)
    }
}

fn reduce_along(instruction: &Instruction, dimension: i64, words: Words) -> Operation {
    let opcode = instruction.operation.opcode();
    Operation::Reduce { opcode, dimensions: [dimension].as_slice().into(), words }
}

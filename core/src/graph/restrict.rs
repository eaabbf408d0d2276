//! [`Restricted`]: a computation of a region of its results, on regions of its arguments.

use std::ops::Range;

use crate::graph::computation::{Computation, Instruction, NodeId, Parameter};
use crate::graph::instruction_list::InstructionList;
use crate::graph::moves::{self, Move, Part};
use crate::graph::needed::{read, regions};
use crate::graph::operation::Operation;
use crate::graph::region::{Region, sizes, whole};
use crate::semantics::dims::List;
use crate::semantics::element::{ElementType, Scalar};
use crate::semantics::opcode::Opcode;
use crate::semantics::shape::Shape;

/// A computation whose results are a region of another computation's results, bit for bit.
#[derive(Debug)]
pub struct Restricted {
    /// Its parameters are those of the other computation, each for a region of the argument,
    /// followed by one of rank 0 for each of `starts`.
    pub computation: Computation,
    /// The region of each argument of the other computation that is passed.
    pub arguments: Vec<Region>,
    /// The first numbers of iotas. They are arguments, so that regions which differ only in them
    /// share one computation.
    pub starts: Vec<Scalar>,
}

impl Computation {
    /// Returns the computation of a region of these results. The region applies to all of them and
    /// holds at least one element.
    #[doc(hidden)]
    pub fn restricted(&self, results: &[usize], region: &[Range<usize>]) -> Restricted {
        Restriction::new(self, regions(self, results, region)).restrict(results, region)
    }
}

/// A restriction under construction.
struct Restriction<'a> {
    from: &'a Computation,
    regions: Vec<Option<Region>>,
    list: InstructionList,
    /// The number in the list of each computed value.
    new_ids: Vec<NodeId>,
    starts: Vec<Scalar>,
}

impl<'a> Restriction<'a> {
    fn new(from: &'a Computation, regions: Vec<Option<Region>>) -> Self {
        let new_ids = vec![0; regions.len()];
        let list = InstructionList::with_functions(&from.instructions.functions);
        Self { from, regions, list, new_ids, starts: Vec::new() }
    }

    fn restrict(mut self, results: &[usize], wanted: &[Range<usize>]) -> Restricted {
        let from = self.from;
        let mut arguments: Vec<Region> = vec![Region::new(); from.parameters.len()];
        for (number, parameter) in from.parameters.iter().enumerate() {
            // An unused parameter gets an empty region if possible.
            arguments[number] = parameter.shape.dims().iter().map(|_| 0..0).collect();
        }
        for (node, instruction) in from.instructions.iter().enumerate() {
            let Some(region) = self.regions[node].clone() else { continue };
            if let Operation::Parameter(number) = instruction.operation {
                arguments[number].clone_from(&region);
            }
            self.new_ids[node] = self.add(instruction, &region);
        }
        let roots = results.iter().map(|&result| self.sliced(from.roots[result], wanted)).collect();
        let parameter = |(parameter, region): (&Parameter, &Region)| Parameter {
            element_type: parameter.element_type,
            shape: sizes(region),
        };
        let start = |start: &Scalar| Parameter {
            element_type: start.element_type(),
            shape: Shape::scalar(),
        };
        let own = from.parameters.iter().zip(&arguments).map(parameter);
        let computation = Computation {
            parameters: own.chain(self.starts.iter().map(start)).collect(),
            instructions: self.list.finish(),
            roots,
            name: from.name.clone(),
        };
        Restricted { computation, arguments, starts: self.starts }
    }

    /// Adds an instruction that computes this region of another one's value.
    fn add(&mut self, instruction: &Instruction, region: &Region) -> NodeId {
        let read = read(instruction, region, &self.from.instructions);
        let parts = instruction.operands.iter().zip(&read);
        let operands: Vec<NodeId> = parts
            .filter_map(|(&operand, read)| Some(self.sliced(operand, read.as_ref()?)))
            .collect();
        if let Operation::Move(operation) = &instruction.operation
            && let Some(part) = moves::part(operation, &instruction.shape, &read, region)
            && let Some(&first) = operands.first()
        {
            return match part {
                Part::Moved(operation) => {
                    self.push(Operation::Move(operation), operands, instruction, sizes(region))
                }
                Part::Filled => {
                    let broadcast_dimensions = List::default();
                    let operation = Operation::BroadcastInDim { broadcast_dimensions };
                    self.push(operation, operands, instruction, sizes(region))
                }
                Part::Joined(ranges) => self.joined(first, instruction, ranges),
            };
        }
        let operation = match (&instruction.operation, operands.as_slice()) {
            (Operation::Iota { dimension }, _)
                if region[*dimension as usize].len()
                    < instruction.shape.dims()[*dimension as usize] =>
            {
                let iota = Instruction { shape: sizes(region), ..instruction.clone() };
                return self.iota(iota, region[*dimension as usize].clone());
            }
            // The elements that are read are a slice from the first one on.
            (Operation::Slice { strides, .. }, &[operand]) => {
                let limits = self.list.instructions[operand].shape.dims().iter();
                Operation::Slice {
                    start_indices: vec![0; strides.len()].into(),
                    limit_indices: limits.map(|&limit| limit as i64).collect(),
                    strides: strides.clone(),
                }
            }
            (operation, _) => operation.clone(),
        };
        self.push(operation, operands, instruction, sizes(region))
    }

    /// Adds an operation with the element type and the precision of an instruction.
    fn push(
        &mut self,
        operation: Operation,
        operands: Vec<NodeId>,
        like: &Instruction,
        shape: Shape,
    ) -> NodeId {
        let Instruction { element_type, precision, .. } = *like;
        self.list.push(Instruction { operation, operands, element_type, shape, precision })
    }

    /// Joins two ranges of a value along each of these dimensions.
    fn joined(
        &mut self,
        mut value: NodeId,
        like: &Instruction,
        ranges: Vec<(usize, [Range<usize>; 2])>,
    ) -> NodeId {
        for (along, ranges) in ranges {
            let whole = whole(&self.list.instructions[value].shape);
            let mut result = whole.clone();
            result[along] = 0..ranges.iter().map(Range::len).sum();
            let parts = ranges.map(|range| {
                let mut region = whole.clone();
                region[along] = range;
                self.part(value, &region)
            });
            let operation = Operation::Move(Move::Concatenate { dimension: along as i64 });
            value = self.push(operation, parts.to_vec(), like, sizes(&result));
        }
        value
    }

    /// Adds a region of a value.
    fn part(&mut self, node: NodeId, region: &[Range<usize>]) -> NodeId {
        let value = &self.list.instructions[node];
        if sizes(region) == value.shape {
            return node;
        }
        let bounds = |bound: fn(&Range<usize>) -> usize| -> List {
            region.iter().map(|range| bound(range) as i64).collect()
        };
        let slice = Instruction {
            operation: Operation::Slice {
                start_indices: bounds(|range| range.start),
                limit_indices: bounds(|range| range.end),
                strides: vec![1; region.len()].into(),
            },
            operands: vec![node],
            element_type: value.element_type,
            shape: sizes(region),
            precision: None,
        };
        self.list.push(slice)
    }

    /// Adds an iota that counts along a range of a dimension. Integers wrap, so the sum of an iota and
    /// a number has the bits of the iota. Floats are rounded, so they are counted as integers and
    /// converted.
    fn iota(&mut self, iota: Instruction, along: Range<usize>) -> NodeId {
        let counts = Opcode::And.accepts(iota.element_type);
        let element_type = if counts {
            iota.element_type
        } else if u32::try_from(along.end).is_ok() {
            ElementType::U32
        } else {
            ElementType::U64
        };
        let counter = self.list.push(Instruction { element_type, ..iota.clone() });
        let number = self.from.parameters.len() + self.starts.len();
        self.starts.push(Scalar::from_bits(element_type, along.start as u64));
        let start = self.list.push(Instruction {
            operation: Operation::Parameter(number),
            operands: Vec::new(),
            element_type,
            shape: Shape::scalar(),
            precision: None,
        });
        let add = Operation::Binary { opcode: Opcode::Add, broadcast_dimensions: List::default() };
        let counted = self.list.push(Instruction {
            operation: add,
            operands: vec![counter, start],
            element_type,
            ..iota.clone()
        });
        if counts {
            return counted;
        }
        let operation = Operation::ConvertElementType;
        self.list.push(Instruction { operation, operands: vec![counted], ..iota })
    }

    /// Returns the wanted region of a value, of which more may be computed.
    fn sliced(&mut self, node: NodeId, wanted: &[Range<usize>]) -> NodeId {
        let Some(computed) = self.regions[node].as_deref() else { return self.new_ids[node] };
        let within = computed.iter().zip(wanted).map(|(computed, wanted)| {
            // An empty range may lie anywhere.
            let start = wanted.start.saturating_sub(computed.start).min(computed.len());
            start..(start + wanted.len()).min(computed.len())
        });
        self.part(self.new_ids[node], &within.collect::<Region>())
    }
}

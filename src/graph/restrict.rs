//! [`Restricted`]: a computation of a region of its results, on regions of its arguments.

use std::ops::Range;

use crate::graph::computation::{Computation, Instruction, NodeId, Parameter};
use crate::graph::instruction_list::InstructionList;
use crate::graph::moved;
use crate::graph::needed::{read, regions};
use crate::graph::operation::{List, Operation};
use crate::graph::region::{Region, sizes};
use crate::semantics::element::{ElementType, Scalar};
use crate::semantics::opcode::Opcode;
use crate::semantics::placement;
use crate::semantics::shape::Shape;

/// A computation whose results are a region of another computation's results, bit for bit.
#[derive(Debug)]
pub(crate) struct Restricted {
    /// Its parameters are those of the other computation, each for a region of the argument,
    /// followed by one of rank 0 for each of `starts`.
    pub(crate) computation: Computation,
    /// The region of each argument of the other computation that is passed.
    pub(crate) arguments: Vec<Region>,
    /// The first numbers of iotas. They are arguments, so that regions which differ only in them
    /// share one computation.
    pub(crate) starts: Vec<Scalar>,
}

impl Computation {
    /// Returns the computation of a region of these results. The region applies to all of them and
    /// holds at least one element.
    pub(crate) fn restricted(&self, results: &[usize], region: &[Range<usize>]) -> Restricted {
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
        match (&instruction.operation, operands.as_slice()) {
            (Operation::Iota { dimension }, _) => {
                let along = *dimension as usize;
                let whole = 0..instruction.shape.dims()[along];
                let iota = Instruction { shape: sizes(region), ..instruction.clone() };
                if region[along] == whole {
                    self.list.push(iota)
                } else {
                    self.iota(iota, region[along].clone())
                }
            }
            // The elements that are read are a slice from the first one on.
            (Operation::Slice { strides, .. }, &[operand]) => {
                let limits = self.list.instructions[operand].shape.dims().iter();
                let operation = Operation::Slice {
                    start_indices: vec![0; strides.len()].into(),
                    limit_indices: limits.map(|&limit| limit as i64).collect(),
                    strides: strides.clone(),
                };
                self.push(operation, instruction, vec![operand], sizes(region))
            }
            (Operation::Pad { low, interior, .. }, &[operand, value]) => {
                let inside = read[0].as_deref().unwrap_or_default().iter().zip(region).enumerate();
                let amounts = inside
                    .map(|(d, (read, range))| moved::amounts(read, (low[d], interior[d]), range));
                let (low, high): (Vec<i64>, Vec<i64>) = amounts.unzip();
                let operation = Operation::Pad {
                    low: low.into(),
                    high: high.into(),
                    interior: interior.clone(),
                };
                self.push(operation, instruction, vec![operand, value], sizes(region))
            }
            // There is nothing but padding.
            (Operation::Pad { .. }, &[value]) => {
                let operation = Operation::BroadcastInDim { broadcast_dimensions: List::default() };
                self.push(operation, instruction, vec![value], sizes(region))
            }
            (Operation::Concatenate { .. }, &[operand]) => operand,
            (Operation::Roll { shifts, dimensions }, &[operand]) => {
                let shifts = placement::rolled(&instruction.shape, shifts, dimensions);
                self.rolled(instruction, operand, &shifts, region)
            }
            _ => self.one(instruction, operands, region),
        }
    }

    /// Adds the instruction itself, for this region.
    fn one(&mut self, instruction: &Instruction, operands: Vec<NodeId>, region: &Region) -> NodeId {
        self.push(instruction.operation.clone(), instruction, operands, sizes(region))
    }

    /// Adds an operation with the element type and the precision of an instruction.
    fn push(
        &mut self,
        operation: Operation,
        like: &Instruction,
        operands: Vec<NodeId>,
        shape: Shape,
    ) -> NodeId {
        let Instruction { element_type, precision, .. } = *like;
        self.list.push(Instruction { operation, operands, element_type, shape, precision })
    }

    /// Adds the region of a rolled value, from the region of the operand that is read for it. Along a
    /// dimension in which that goes around the end, all of the operand is read; then the part before
    /// the end comes first.
    fn rolled(
        &mut self,
        instruction: &Instruction,
        operand: NodeId,
        shifts: &[usize],
        region: &Region,
    ) -> NodeId {
        let mut value = operand;
        for (d, (&shift, range)) in shifts.iter().zip(region).enumerate() {
            let size = instruction.shape.dims()[d];
            let first = moved::rolled(range.start, shift, size);
            let before = size.saturating_sub(first);
            if range.len() <= before {
                continue;
            }
            let shape = self.list.instructions[value].shape.clone();
            let of = |along: Range<usize>| -> Region {
                let whole = shape.dims().iter().map(|&size| 0..size).enumerate();
                whole.map(|(k, whole)| if k == d { along.clone() } else { whole }).collect()
            };
            let [end, begin] = [of(first..size), of(0..range.len() - before)];
            let operands = vec![self.part(value, &end), self.part(value, &begin)];
            let mut dims = shape.dims().to_vec();
            dims[d] = range.len();
            let operation = Operation::Concatenate { dimension: d as i64 };
            value = self.push(operation, instruction, operands, Shape::from(dims));
        }
        value
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

    /// Returns a region of a value of the list.
    fn part(&mut self, node: NodeId, region: &Region) -> NodeId {
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
}

//! [`Restricted`]: a computation of a region of its results, on regions of its arguments.

use std::ops::Range;

use crate::graph::build::move_call::MoveCalls;
use crate::graph::computation::{
    Computation, Input, Instruction, Instructions, NodeId, Parameter, Payload,
};
use crate::graph::instruction_list::InstructionList;
use crate::graph::needed::{read, regions};
use crate::graph::region::{Region, sizes};
use crate::semantics::element::{ElementType, Scalar};
use crate::semantics::opcode::Opcode;
use crate::semantics::shape::Shape;
use crate::semantics::view::{DimIndex, View};

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
    /// For each value, whether it depends on a function with loops.
    rests_on_loops: Vec<bool>,
}

impl<'a> Restriction<'a> {
    fn new(from: &'a Computation, regions: Vec<Option<Region>>) -> Self {
        let new_ids = vec![0; regions.len()];
        Self {
            from,
            regions,
            list: InstructionList::default(),
            new_ids,
            starts: Vec::new(),
            rests_on_loops: from.rests_on_loops(),
        }
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
            if let Payload::Parameter(number) = instruction.payload {
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
            instructions: Instructions::new(self.list.instructions),
            parameters: own.chain(self.starts.iter().map(start)).collect(),
            roots,
            name: from.name.clone(),
            // Only storing a computation reads these, and a restricted one is never stored.
            move_calls: MoveCalls::default(),
        };
        Restricted { computation, arguments, starts: self.starts }
    }

    /// Adds an instruction that computes this region of another one's value.
    fn add(&mut self, instruction: &Instruction, region: &Region) -> NodeId {
        let mut inputs = Vec::with_capacity(instruction.inputs.len());
        for input in &instruction.inputs {
            inputs.push(self.input(input, instruction, region));
        }
        let restricted = Instruction { shape: sizes(region), inputs, ..instruction.clone() };
        match instruction.payload {
            Payload::Iota(dimension)
                if region[dimension] != (0..instruction.shape.dims()[dimension]) =>
            {
                self.iota(restricted, region[dimension].clone())
            }
            _ => self.list.push(restricted),
        }
    }

    /// Returns an operand of an instruction of which a region is computed.
    fn input(&mut self, input: &Input, instruction: &Instruction, region: &Region) -> Input {
        let read = read(input, instruction, region, &self.from.instructions);
        if read.is_none() && self.rests_on_loops[input.node] {
            // The view leaves the operand, whose loops must not run there.
            return self.any(self.from.instructions[input.node].element_type);
        }
        let indices = match (&input.view, &read) {
            (View::Strided(indices), _) => indices,
            // These views use all that they read; what other uses need beyond it is sliced off.
            (View::Bitcast, Some(read)) => {
                return Input { node: self.sliced(input.node, read), view: View::Bitcast };
            }
            (_, read) => {
                let read = read.clone().unwrap_or_default();
                let view = View::reshape(&sizes(&read), &sizes(region));
                return Input { node: self.sliced(input.node, &read), view };
            }
        };
        let operand = self.regions[input.node].as_deref().unwrap_or_default();
        let index = |(index, operand): (&DimIndex, &Range<usize>)| {
            let along = region.get(index.dimension).cloned().unwrap_or(0..1);
            // Where the view leaves the operand, any value may be read.
            let at = match read {
                Some(_) => (moved(index, &along, operand.start), index.step),
                None => (0, 0),
            };
            DimIndex::new(index.dimension, at, operand.len(), along.len())
        };
        let view = View::Strided(indices.iter().zip(operand).map(index).collect());
        Input { node: self.new_ids[input.node], view }
    }

    /// Returns an operand with an arbitrary value.
    fn any(&mut self, element_type: ElementType) -> Input {
        let node = self.list.push(Instruction {
            opcode: Opcode::Constant,
            element_type,
            shape: Shape::scalar(),
            inputs: Vec::new(),
            payload: Payload::Constant(Scalar::from_bits(element_type, 0)),
            precision: None,
        });
        Input { node, view: View::Strided(Vec::new()) }
    }

    /// Adds an iota that counts along this range. Integers wrap, so the sum of an iota and a number
    /// has the bits of the iota. Floats are rounded, so they are counted as integers and converted.
    fn iota(&mut self, iota: Instruction, along: Range<usize>) -> NodeId {
        let counts = Opcode::And.accepts(iota.element_type);
        let element_type = if counts {
            iota.element_type
        } else if u32::try_from(along.end).is_ok() {
            ElementType::U32
        } else {
            ElementType::U64
        };
        let shape = iota.shape.clone();
        let counter = self.list.push(Instruction { element_type, ..iota.clone() });
        let number = self.from.parameters.len() + self.starts.len();
        self.starts.push(Scalar::from_bits(element_type, along.start as u64));
        let parameter = self.list.push(Instruction {
            opcode: Opcode::Parameter,
            element_type,
            shape: Shape::scalar(),
            inputs: Vec::new(),
            payload: Payload::Parameter(number),
            precision: None,
        });
        let start = Input { node: parameter, view: View::Strided(Vec::new()) };
        let counted = self.list.push(Instruction {
            opcode: Opcode::Add,
            element_type,
            shape: shape.clone(),
            inputs: vec![Input { node: counter, view: View::identity(&shape) }, start],
            payload: Payload::None,
            precision: None,
        });
        if counts {
            return counted;
        }
        self.list.push(Instruction {
            opcode: Opcode::ConvertElementType,
            inputs: vec![Input { node: counted, view: View::identity(&shape) }],
            payload: Payload::None,
            ..iota
        })
    }

    /// Returns the wanted region of a value, of which more may be computed.
    fn sliced(&mut self, node: NodeId, wanted: &[Range<usize>]) -> NodeId {
        let new = self.new_ids[node];
        let Some(computed) = self.regions[node].as_deref().filter(|computed| *computed != wanted)
        else {
            return new;
        };
        let ranges = computed.iter().zip(wanted).enumerate();
        let index = |(d, (computed, wanted)): (usize, (&Range<usize>, &Range<usize>))| {
            let start = wanted.start.cast_signed().wrapping_sub(computed.start.cast_signed());
            DimIndex::new(d, (start, 1), computed.len(), wanted.len())
        };
        let view = View::Strided(ranges.map(index).collect());
        self.list.push(Instruction {
            opcode: Opcode::Slice,
            element_type: self.from.instructions[node].element_type,
            shape: sizes(wanted),
            inputs: vec![Input { node: new, view }],
            payload: Payload::None,
            precision: None,
        })
    }
}

/// Returns where an index begins if the result begins at the start of `along`, and the operand at
/// `operand`.
fn moved(index: &DimIndex, along: &Range<usize>, operand: usize) -> isize {
    // The index of an existing element does not overflow; any other may be wrong.
    let start = index.start.wrapping_add(index.step.wrapping_mul(along.start.cast_signed()));
    start.wrapping_sub(operand.cast_signed())
}

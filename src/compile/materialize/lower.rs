//! Lowers one kernel's part of a computation to straight-line code over one iteration space.
//!
//! Broadcasts and views disappear here: an operand that is broadcast is the same operand with a
//! stride of 0, one that is reversed has a negative stride. What is left are leaves (arrays and
//! iotas, with an offset and strides in the kernel's space), constants and operations on single
//! elements.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::compile::materialize::uses::{self, Demands, Facts};
use crate::graph::computation::{NodeId, Payload};
use crate::semantics::element::{ElementType, Form, Scalar};
use crate::semantics::opcode::{OpClass, Opcode};
use crate::semantics::precision::Precision;
use crate::semantics::shape::Shape;

/// Where a leaf's elements come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
    /// The array given for this parameter.
    Parameter(usize),
    /// The temporary array of this number, written by an earlier kernel.
    Temporary(usize),
    /// No array: the value is the position along a dimension.
    Iota,
}

/// An array as one operand of a kernel reads it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Leaf {
    pub(crate) source: Source,
    pub(crate) element_type: ElementType,
    /// Shape of the array as it is stored.
    pub(crate) shape: Shape,
    /// For each of its dimensions, the dimension of the kernel's space that it becomes; none behind
    /// a reshape that splits or merges dimensions.
    pub(crate) dimensions: Option<Vec<usize>>,
    /// Elements from the array's first one to the one at the origin of the kernel's space.
    pub(crate) offset: usize,
    /// Distance in elements between neighbours, for each dimension of the kernel's space; 0 where
    /// the array is broadcast, negative where it is walked through backwards.
    pub(crate) strides: Vec<isize>,
}

impl Leaf {
    /// Elements from the start of a binding to the one at the origin, if the array begins so many
    /// bytes behind it.
    pub(crate) fn place(&self, bytes: u32) -> i64 {
        let before = self.element_type.elements_in(u64::from(bytes)).cast_signed();
        before.wrapping_add(self.offset as i64)
    }

    /// Whether all bits of its position count, and not only the lower 32, where it is an iota: in all
    /// types but integers of as many.
    pub(crate) fn is_long_as_iota(&self) -> bool {
        !matches!(self.element_type.form(), Form::S32 | Form::U32)
    }
}

/// A value inside a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ValueRef {
    Leaf(usize),
    Constant(usize),
    Value(usize),
}

/// One operation on single elements.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Value {
    pub(crate) opcode: Opcode,
    /// Type that the spelling is chosen by: the (last) operand's.
    pub(crate) from: ElementType,
    pub(crate) element_type: ElementType,
    pub(crate) operands: Vec<ValueRef>,
    pub(crate) precision: Precision,
}

/// One kernel, before planning.
#[derive(Debug, Clone)]
pub(crate) struct Fragment {
    /// The node that it computes.
    pub(crate) node: NodeId,
    /// Whether that is the computation's result; else a temporary.
    pub(crate) is_result: bool,
    /// The shape of the array that is written.
    pub(crate) shape: Shape,
    /// The iteration space: those sizes, or others with the same elements in the same order, where
    /// a reshape needs dimensions to be split or merged.
    pub(crate) space: Shape,
    pub(crate) element_type: ElementType,
    pub(crate) leaves: Vec<Leaf>,
    pub(crate) constants: Vec<Scalar>,
    pub(crate) values: Vec<Value>,
    pub(crate) result: ValueRef,
}

impl Fragment {
    /// The types of all that it reads, computes and writes; some of them several times.
    pub(crate) fn element_types(&self) -> impl Iterator<Item = ElementType> + '_ {
        let leaves = self.leaves.iter().map(|leaf| leaf.element_type);
        let constants = self.constants.iter().map(|constant| constant.element_type());
        let values = self.values.iter().flat_map(|value| [value.from, value.element_type]);
        leaves.chain(constants).chain(values).chain([self.element_type])
    }

    /// The same without the space's dimensions of size 1, for what need not know them: there may be
    /// thousands of these, and of windows, too.
    pub(crate) fn without_degenerate(&self) -> Cow<'_, Self> {
        let dims = self.space.dims();
        if !dims.contains(&1) {
            return Cow::Borrowed(self);
        }
        let kept: Vec<usize> = (0..dims.len()).filter(|&d| dims[d] != 1).collect();
        let leaf = |leaf: &Leaf| Leaf {
            source: leaf.source,
            element_type: leaf.element_type,
            shape: leaf.shape.clone(),
            dimensions: None,
            offset: leaf.offset,
            strides: kept.iter().map(|&d| leaf.strides[d]).collect(),
        };
        Cow::Owned(Self {
            node: self.node,
            is_result: self.is_result,
            shape: self.shape.clone(),
            space: Shape::from(kept.iter().map(|&d| dims[d]).collect::<Vec<usize>>()),
            element_type: self.element_type,
            leaves: self.leaves.iter().map(leaf).collect(),
            constants: self.constants.clone(),
            values: self.values.clone(),
            result: self.result,
        })
    }

    /// The arrays that it reads, each once, ascending.
    pub(crate) fn sources(&self) -> Vec<Source> {
        let mut sources: Vec<Source> =
            self.leaves.iter().map(|l| l.source).filter(|&s| s != Source::Iota).collect();
        sources.sort_unstable();
        sources.dedup();
        sources
    }
}

/// Lowers the kernel that computes `node`.
///
/// # Errors
/// The nodes that must be temporaries before it can be, or had better be.
pub(crate) fn lower(facts: &Facts<'_>, node: NodeId, cap: usize) -> Result<Fragment, Vec<NodeId>> {
    let demands = uses::demands(facts, node, cap)?;
    let is_result = node == facts.computation.root;
    let mut lowering = Lowering {
        facts,
        demands: &demands,
        done: vec![None; demands.instances.len()],
        numbers: HashMap::new(),
        leaves: Vec::new(),
        constants: Vec::new(),
        values: Vec::new(),
    };
    let result = lowering.run();
    Ok(Fragment {
        node,
        is_result,
        shape: facts.written_shape(node),
        element_type: facts.computation.instructions[node].element_type,
        leaves: lowering.leaves,
        constants: lowering.constants,
        values: lowering.values,
        result,
        space: Shape::from(demands.axes),
    })
}

struct Lowering<'a> {
    facts: &'a Facts<'a>,
    demands: &'a Demands,
    /// By instance.
    done: Vec<Option<ValueRef>>,
    /// Values that are computed already, so that equal ones are computed once.
    numbers: HashMap<Value, usize>,
    leaves: Vec<Leaf>,
    constants: Vec<Scalar>,
    values: Vec<Value>,
}

impl Lowering<'_> {
    /// Depth first with a stack of its own: expressions may be deeper than the thread's stack.
    fn run(&mut self) -> ValueRef {
        let mut stack = vec![(self.demands.root, false)];
        while let Some((place, operands_done)) = stack.pop() {
            if self.done[place].is_some() {
                continue;
            }
            if let Some(leaf) = self.leaf(place) {
                self.done[place] = Some(leaf);
                continue;
            }
            let instance = &self.demands.instances[place];
            if operands_done {
                // Each of them was above this one on the stack.
                let operands = instance.operands.iter().filter_map(|&o| self.done[o]).collect();
                self.done[place] = Some(self.operation(instance.node, operands));
            } else {
                stack.push((place, true));
                stack.extend(instance.operands.iter().rev().map(|&operand| (operand, false)));
            }
        }
        // Constant 0 is never reached: the root was on the stack.
        self.done[self.demands.root].unwrap_or(ValueRef::Constant(0))
    }

    fn leaf(&mut self, place: usize) -> Option<ValueRef> {
        let instance = &self.demands.instances[place];
        let instruction = &self.facts.computation.instructions[instance.node];
        if let Payload::Constant(value) = instruction.payload {
            let place = self.constants.iter().position(|&c| c == value);
            return Some(ValueRef::Constant(place.unwrap_or_else(|| {
                self.constants.push(value);
                self.constants.len() - 1
            })));
        }
        let (source, shape, element) = instance.read.clone()?;
        let mut strides = element.steps;
        strides.resize(self.demands.axes.len(), 0);
        let leaf = Leaf {
            source,
            element_type: instruction.element_type,
            shape,
            dimensions: self.demands.dimensions(place),
            offset: element.offset,
            strides,
        };
        let same = |known: &Leaf| {
            known.source == leaf.source
                && known.offset == leaf.offset
                && known.strides == leaf.strides
                && known.element_type == leaf.element_type
        };
        let place = self.leaves.iter().position(same);
        Some(ValueRef::Leaf(place.unwrap_or_else(|| {
            self.leaves.push(leaf);
            self.leaves.len() - 1
        })))
    }

    fn operation(&mut self, node: NodeId, operands: Vec<ValueRef>) -> ValueRef {
        let instruction = &self.facts.computation.instructions[node];
        let opcode = instruction.opcode;
        let from = instruction.inputs.last().map_or(instruction.element_type, |i| {
            self.facts.computation.instructions[i.node].element_type
        });
        let moves = instruction.is_view()
            || (opcode == Opcode::Real && from == instruction.element_type)
            || (opcode.class() == OpClass::Convert && from == instruction.element_type);
        if let (true, Some(&operand)) = (moves, operands.first()) {
            return operand;
        }
        let value = Value {
            opcode,
            from,
            element_type: instruction.element_type,
            operands,
            precision: instruction.precision.unwrap_or_default(),
        };
        let next = self.values.len();
        let number = *self.numbers.entry(value.clone()).or_insert(next);
        if number == next {
            self.values.push(value);
        }
        ValueRef::Value(number)
    }
}

//! Lowers one kernel's part of a computation to straight-line code over one iteration space.
//!
//! Broadcasts disappear here: an operand that is broadcast is the same operand with a stride of 0,
//! so what is left are leaves (arrays and iotas, with strides in the kernel's space), constants and
//! operations on single elements.

use std::collections::HashMap;

use crate::broadcast::DimMap;
use crate::computation::{Computation, NodeId, Payload};
use crate::element::{ElementType, Scalar};
use crate::opcode::{OpClass, Opcode};
use crate::shape::Shape;

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
    /// For each of its dimensions, the dimension of the kernel's space that it becomes.
    pub(crate) dimensions: DimMap,
    /// Elements from the array's first one to the one at the origin of the kernel's space.
    pub(crate) offset: usize,
    /// Distance in elements between neighbours, for each dimension of the kernel's space; 0 where
    /// the array is broadcast, negative where it is walked through backwards.
    pub(crate) strides: Vec<isize>,
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
}

/// One kernel, before planning.
#[derive(Debug, Clone)]
pub(crate) struct Fragment {
    /// The node that it computes.
    pub(crate) node: NodeId,
    /// Whether that is the computation's result; else a temporary.
    pub(crate) is_result: bool,
    /// The iteration space, which is the shape of the array that is written.
    pub(crate) space: Shape,
    pub(crate) element_type: ElementType,
    pub(crate) leaves: Vec<Leaf>,
    pub(crate) constants: Vec<Scalar>,
    pub(crate) values: Vec<Value>,
    pub(crate) result: ValueRef,
}

impl Fragment {
    /// The arrays that it reads, each once, ascending.
    pub(crate) fn sources(&self) -> Vec<Source> {
        let mut sources: Vec<Source> =
            self.leaves.iter().map(|l| l.source).filter(|&s| s != Source::Iota).collect();
        sources.sort_unstable();
        sources.dedup();
        sources
    }
}

/// Lowering passed the cap on operations, because these nodes are used under several broadcasts.
#[derive(Debug)]
pub(crate) struct TooLarge {
    pub(crate) shared: Vec<NodeId>,
}

/// For each node and dimension, whether the value differs along it.
pub(crate) fn varying_dimensions(computation: &Computation) -> Vec<Vec<bool>> {
    let mut varies: Vec<Vec<bool>> = Vec::with_capacity(computation.instructions.len());
    for instruction in &computation.instructions {
        let dims = instruction.shape.dims();
        let mut own = vec![false; dims.len()];
        match instruction.payload {
            Payload::Parameter(_) => own.fill(true),
            Payload::Iota(dimension) => own[dimension] = true,
            Payload::Constant(_) | Payload::None => {}
        }
        for input in &instruction.inputs {
            for (&to, &along) in input.map.iter().zip(&varies[input.node]) {
                own[to] |= along;
            }
        }
        for (own, &size) in own.iter_mut().zip(dims) {
            *own &= size != 1;
        }
        varies.push(own);
    }
    varies
}

/// The shape in which a node's value is stored as a temporary: 1 where it does not vary.
///
/// An array without elements stays one.
fn stored_shape(shape: &Shape, varies: &[bool]) -> Shape {
    let keep = |(&size, &varies): (&usize, &bool)| if varies || size == 0 { size } else { 1 };
    Shape::from(shape.dims().iter().zip(varies).map(keep).collect::<Vec<_>>())
}

/// A node seen through a broadcast: for each of its dimensions, its place in the kernel's space.
/// Under which broadcast a node is seen matters only for the dimensions along which it varies, so
/// the others are not part of the key.
#[derive(Debug, Clone)]
struct Instance {
    node: NodeId,
    map: DimMap,
    key: Key,
}

type Key = (NodeId, Vec<Option<usize>>);

pub(crate) fn lower(
    computation: &Computation,
    varies: &[Vec<bool>],
    node: NodeId,
    is_cut: &[bool],
    cap: usize,
) -> Result<Fragment, TooLarge> {
    let is_result = node == computation.root;
    let instruction = &computation.instructions[node];
    let space = if is_result {
        instruction.shape.clone()
    } else {
        stored_shape(&instruction.shape, &varies[node])
    };
    let mut lowering = Lowering {
        computation,
        root: node,
        is_cut,
        varies,
        cap,
        rank: space.rank(),
        done: HashMap::new(),
        numbers: HashMap::new(),
        leaves: Vec::new(),
        constants: Vec::new(),
        values: Vec::new(),
    };
    let result = lowering.run()?;
    Ok(Fragment {
        node,
        is_result,
        space,
        element_type: instruction.element_type,
        leaves: lowering.leaves,
        constants: lowering.constants,
        values: lowering.values,
        result,
    })
}

struct Lowering<'a> {
    computation: &'a Computation,
    root: NodeId,
    is_cut: &'a [bool],
    varies: &'a [Vec<bool>],
    cap: usize,
    rank: usize,
    done: HashMap<Key, ValueRef>,
    /// Values that are computed already, so that equal ones are computed once.
    numbers: HashMap<Value, usize>,
    leaves: Vec<Leaf>,
    constants: Vec<Scalar>,
    values: Vec<Value>,
}

impl Lowering<'_> {
    /// Depth first with a stack of its own: expressions may be deeper than the thread's stack.
    fn run(&mut self) -> Result<ValueRef, TooLarge> {
        let root = self.instance(self.root, (0..self.rank).collect());
        let mut stack = vec![(root.clone(), false)];
        while let Some((instance, operands_done)) = stack.pop() {
            if self.done.contains_key(&instance.key) {
                continue;
            }
            if let Some(leaf) = self.leaf(&instance) {
                self.done.insert(instance.key, leaf);
                continue;
            }
            let operands = self.operands(&instance);
            if operands_done {
                let refs = operands.iter().map(|operand| self.done[&operand.key]).collect();
                let value = self.operation(instance.node, refs);
                self.done.insert(instance.key, value);
                if self.values.len() > self.cap {
                    let shared = self.shared();
                    if !shared.is_empty() {
                        return Err(TooLarge { shared });
                    }
                }
            } else {
                stack.push((instance, true));
                stack.extend(operands.into_iter().rev().map(|operand| (operand, false)));
            }
        }
        Ok(self.done[&root.key])
    }

    fn instance(&self, node: NodeId, map: DimMap) -> Instance {
        let varies = self.varies[node].iter();
        let key = map.iter().zip(varies).map(|(&to, &varies)| varies.then_some(to)).collect();
        Instance { node, map, key: (node, key) }
    }

    fn operands(&self, instance: &Instance) -> Vec<Instance> {
        self.computation.instructions[instance.node]
            .inputs
            .iter()
            .map(|input| {
                let composed = input.map.iter().map(|&to| instance.map[to]).collect();
                self.instance(input.node, composed)
            })
            .collect()
    }

    fn leaf(&mut self, instance: &Instance) -> Option<ValueRef> {
        let node = instance.node;
        let instruction = &self.computation.instructions[node];
        let (source, shape) = match instruction.payload {
            Payload::Constant(value) => {
                let place = self.constants.iter().position(|&c| c == value);
                return Some(ValueRef::Constant(place.unwrap_or_else(|| {
                    self.constants.push(value);
                    self.constants.len() - 1
                })));
            }
            Payload::Parameter(number) => (Source::Parameter(number), instruction.shape.clone()),
            Payload::Iota(_) => (Source::Iota, instruction.shape.clone()),
            Payload::None if self.is_cut[node] && node != self.root => {
                let shape = stored_shape(&instruction.shape, &self.varies[node]);
                (Source::Temporary(node), shape)
            }
            Payload::None => return None,
        };
        let own_strides = match instruction.payload {
            Payload::Iota(dimension) => {
                let mut strides = vec![0; shape.rank()];
                strides[dimension] = 1;
                strides
            }
            _ => shape.strides(),
        };
        let mut strides = vec![0; self.rank];
        for (place, stride) in instance.key.1.iter().zip(own_strides) {
            if let Some(dimension) = *place {
                // Strides of an array that can be counted are below 2^63.
                strides[dimension] = stride.cast_signed();
            }
        }
        let leaf = Leaf {
            source,
            element_type: instruction.element_type,
            shape,
            dimensions: instance.map.clone(),
            offset: 0,
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
        let instruction = &self.computation.instructions[node];
        let opcode = instruction.opcode;
        let from = instruction.inputs.last().map_or(instruction.element_type, |i| {
            self.computation.instructions[i.node].element_type
        });
        let moves = opcode.class() == OpClass::Broadcast
            || opcode == Opcode::Real
            || (opcode.class() == OpClass::Convert && from == instruction.element_type);
        if moves {
            return operands[0];
        }
        let value = Value { opcode, from, element_type: instruction.element_type, operands };
        let next = self.values.len();
        let number = *self.numbers.entry(value.clone()).or_insert(next);
        if number == next {
            self.values.push(value);
        }
        ValueRef::Value(number)
    }

    /// The nodes that were reached under more than one broadcast.
    fn shared(&self) -> Vec<NodeId> {
        let mut uses: HashMap<NodeId, usize> = HashMap::new();
        for (node, _) in self.done.keys() {
            *uses.entry(*node).or_default() += 1;
        }
        let computed = |node: NodeId| {
            let payload = self.computation.instructions[node].payload;
            payload == Payload::None && !self.is_cut[node] && node != self.root
        };
        let mut shared: Vec<NodeId> =
            uses.into_iter().filter(|&(node, n)| n > 1 && computed(node)).map(|(n, _)| n).collect();
        shared.sort_unstable();
        shared
    }
}

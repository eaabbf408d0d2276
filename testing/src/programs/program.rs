//! A random expression as data: a list of calls, each of which uses the results of earlier ones.
//! The builder is given these calls, the interpreter evaluates them, the reducer takes them apart.

use std::fmt;

use indim::{ElementType, Opcode};

use crate::oracle::value::show;

/// The position of a node in its program.
pub type Id = usize;

/// Element type and sizes of a result.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Type {
    pub element: ElementType,
    pub dims: Vec<usize>,
}

impl Type {
    pub fn new(element: ElementType, dims: &[usize]) -> Self {
        Self { element, dims: dims.to_vec() }
    }

    pub fn count(&self) -> usize {
        // A size of 0 means no elements, even if the product of the other sizes cannot be counted.
        if self.dims.contains(&0) { 0 } else { self.dims.iter().product() }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sizes: Vec<String> = self.dims.iter().map(usize::to_string).collect();
        write!(f, "{}[{}]", self.element, sizes.join(","))
    }
}

/// Where a parameter's elements are when the program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In an array that was uploaded.
    Uploaded,
    /// In a test-owned buffer, which all such parameters of the program share, `gap` words after
    /// the previous one: at offsets and ends that no upload has.
    Foreign { gap: usize },
}

/// One call of a `Builder` method. Numbers are as its API takes them, so that wrong ones can also
/// be written. Values are bit patterns, as many bits as the type has.
#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    Parameter { ty: Type, data: Vec<u64>, place: Place },
    Constant { element: ElementType, bits: u64 },
    Iota { element: ElementType, sizes: Vec<i64>, dimension: i64 },
    Binary { opcode: Opcode, lhs: Id, rhs: Id, dims: Vec<i64> },
    Unary { opcode: Opcode, x: Id },
    Convert { x: Id, to: ElementType },
    Bitcast { x: Id, to: ElementType },
    Select { pred: Id, on_true: Id, on_false: Id },
    Clamp { min: Id, x: Id, max: Id },
    NextAfter { from: Id, to: Id },
    ReducePrecision { x: Id, exponent_bits: i64, mantissa_bits: i64 },
    Broadcast { x: Id, sizes: Vec<i64> },
    BroadcastInDim { x: Id, sizes: Vec<i64>, dims: Vec<i64> },
    Transpose { x: Id, permutation: Vec<i64> },
    Slice { x: Id, starts: Vec<i64>, limits: Vec<i64>, strides: Vec<i64> },
    Reverse { x: Id, dims: Vec<i64> },
    Reshape { x: Id, sizes: Vec<i64> },
    Pad { x: Id, value: Id, low: Vec<i64>, high: Vec<i64>, interior: Vec<i64> },
    Concatenate { operands: Vec<Id>, dimension: i64 },
    Roll { x: Id, shifts: Vec<i64>, dims: Vec<i64> },
    Reduce { opcode: Opcode, x: Id, dims: Vec<i64> },
    // Of the largest or of the smallest element, in S32, or in S64 if it is wide.
    Position { largest: bool, wide: bool, x: Id, dims: Vec<i64> },
}

impl Call {
    pub fn opcode(&self) -> Opcode {
        match self {
            Self::Parameter { .. } => Opcode::Parameter,
            Self::Constant { .. } => Opcode::Constant,
            Self::Iota { .. } => Opcode::Iota,
            Self::Binary { opcode, .. }
            | Self::Unary { opcode, .. }
            | Self::Reduce { opcode, .. } => *opcode,
            // What it is composed of, which takes the same types.
            Self::Position { largest: true, .. } => Opcode::ReduceMax,
            Self::Position { .. } => Opcode::ReduceMin,
            Self::Convert { .. } => Opcode::ConvertElementType,
            Self::Bitcast { .. } => Opcode::BitcastConvertType,
            Self::Select { .. } => Opcode::Select,
            Self::Clamp { .. } => Opcode::Clamp,
            Self::NextAfter { .. } => Opcode::NextAfter,
            Self::ReducePrecision { .. } => Opcode::ReducePrecision,
            Self::Broadcast { .. } => Opcode::Broadcast,
            Self::BroadcastInDim { .. } => Opcode::BroadcastInDim,
            Self::Transpose { .. } => Opcode::Transpose,
            Self::Slice { .. } => Opcode::Slice,
            Self::Reverse { .. } => Opcode::Reverse,
            Self::Reshape { .. } => Opcode::Reshape,
            Self::Pad { .. } => Opcode::Pad,
            Self::Concatenate { .. } => Opcode::Concatenate,
            Self::Roll { .. } => Opcode::Roll,
        }
    }

    /// The operands, for reading and for rewriting.
    pub fn operands_mut(&mut self) -> Vec<&mut Id> {
        match self {
            Self::Parameter { .. } | Self::Constant { .. } | Self::Iota { .. } => vec![],
            Self::Binary { lhs, rhs, .. } => vec![lhs, rhs],
            Self::Unary { x, .. }
            | Self::Convert { x, .. }
            | Self::Bitcast { x, .. }
            | Self::ReducePrecision { x, .. }
            | Self::Broadcast { x, .. }
            | Self::BroadcastInDim { x, .. }
            | Self::Transpose { x, .. }
            | Self::Slice { x, .. }
            | Self::Reverse { x, .. }
            | Self::Reshape { x, .. }
            | Self::Roll { x, .. }
            | Self::Reduce { x, .. }
            | Self::Position { x, .. } => vec![x],
            Self::Pad { x, value, .. } => vec![x, value],
            Self::Concatenate { operands, .. } => operands.iter_mut().collect(),
            Self::Select { pred, on_true, on_false } => vec![pred, on_true, on_false],
            Self::Clamp { min, x, max } => vec![min, x, max],
            Self::NextAfter { from, to } => vec![from, to],
        }
    }

    /// Returns whether it is a pad, a concatenation or a roll.
    pub fn is_move(&self) -> bool {
        matches!(self, Self::Pad { .. } | Self::Concatenate { .. } | Self::Roll { .. })
    }

    pub fn operands(&self) -> Vec<Id> {
        match self {
            // No copy of the data only to find no operand.
            Self::Parameter { .. } => vec![],
            other => other.clone().operands_mut().into_iter().map(|id| *id).collect(),
        }
    }
}

/// A call and what it gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    pub call: Call,
    pub ty: Type,
}

/// Nodes in an order in which they can be built; the last one is the result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    pub nodes: Vec<Node>,
}

impl Program {
    pub fn root(&self) -> &Node {
        self.nodes.last().expect("a program has at least one node")
    }

    /// The program that computes node `root` alone, without unneeded nodes.
    pub fn rooted_at(&self, root: Id) -> Program {
        let mut needed = vec![false; root + 1];
        needed[root] = true;
        // Operands come before what uses them, so one pass backwards finds everything.
        for id in (0..=root).rev() {
            if needed[id] {
                for operand in self.nodes[id].call.operands() {
                    needed[operand] = true;
                }
            }
        }
        let mut renamed = vec![usize::MAX; root + 1];
        let mut nodes = Vec::new();
        for id in 0..=root {
            if !needed[id] {
                continue;
            }
            let mut node = self.nodes[id].clone();
            for operand in node.call.operands_mut() {
                *operand = renamed[*operand];
            }
            renamed[id] = nodes.len();
            nodes.push(node);
        }
        Program { nodes }
    }

    /// The parameters, in the order in which the builder numbers them.
    pub fn parameters(&self) -> impl Iterator<Item = Parameter<'_>> {
        self.nodes.iter().filter_map(|node| match &node.call {
            Call::Parameter { ty, data, place } => Some(Parameter { ty, data, place: *place }),
            _ => None,
        })
    }
}

/// The fields of a `Call::Parameter`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter<'a> {
    pub ty: &'a Type,
    pub data: &'a [u64],
    pub place: Place,
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 24;
        let name = self.opcode().name();
        match self {
            Self::Parameter { ty, data, place } => {
                let shown: Vec<_> = data.iter().take(SHOWN).map(|&b| show(ty.element, b)).collect();
                let rest = if data.len() > SHOWN { ", ..." } else { "" };
                write!(f, "{name} {{{}{rest}}}", shown.join(", "))?;
                match place {
                    Place::Uploaded => Ok(()),
                    Place::Foreign { gap } => write!(f, " in a foreign buffer, gap {gap}"),
                }
            }
            Self::Constant { element, bits } => write!(f, "{name} {}", show(*element, *bits)),
            Self::Iota { element, sizes, dimension } => {
                write!(f, "{name} {element}{sizes:?} along {dimension}")
            }
            Self::Binary { lhs, rhs, dims, .. } => {
                write!(f, "{name}(%{lhs}, %{rhs}) dims {dims:?}")
            }
            Self::Unary { x, .. } => write!(f, "{name}(%{x})"),
            Self::Convert { x, to } | Self::Bitcast { x, to } => write!(f, "{name}(%{x}) to {to}"),
            Self::Select { pred, on_true, on_false } => {
                write!(f, "{name}(%{pred}, %{on_true}, %{on_false})")
            }
            Self::Clamp { min, x, max } => write!(f, "{name}(%{min}, %{x}, %{max})"),
            Self::NextAfter { from, to } => write!(f, "{name}(%{from}, %{to})"),
            Self::ReducePrecision { x, exponent_bits, mantissa_bits } => {
                write!(f, "{name}(%{x}) to {exponent_bits} and {mantissa_bits} bits")
            }
            Self::Broadcast { x, sizes } => write!(f, "{name}(%{x}) sizes {sizes:?}"),
            Self::BroadcastInDim { x, sizes, dims } => {
                write!(f, "{name}(%{x}) sizes {sizes:?} dims {dims:?}")
            }
            Self::Transpose { x, permutation } => write!(f, "{name}(%{x}) {permutation:?}"),
            Self::Slice { x, starts, limits, strides } => {
                write!(f, "{name}(%{x}) from {starts:?} to {limits:?} by {strides:?}")
            }
            Self::Reverse { x, dims } | Self::Reduce { x, dims, .. } => {
                write!(f, "{name}(%{x}) dims {dims:?}")
            }
            Self::Position { wide, x, dims, .. } => {
                let of = if *wide { "s64" } else { "s32" };
                write!(f, "{of} position of {name}(%{x}) dims {dims:?}")
            }
            Self::Reshape { x, sizes } => write!(f, "{name}(%{x}) sizes {sizes:?}"),
            Self::Pad { x, value, low, high, interior } => {
                write!(f, "{name}(%{x}, %{value}) low {low:?} high {high:?} interior {interior:?}")
            }
            Self::Concatenate { operands, dimension } => {
                let names: Vec<String> = operands.iter().map(|id| format!("%{id}")).collect();
                write!(f, "{name}({}) along {dimension}", names.join(", "))
            }
            Self::Roll { x, shifts, dims } => write!(f, "{name}(%{x}) by {shifts:?} dims {dims:?}"),
        }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (id, node) in self.nodes.iter().enumerate() {
            writeln!(f, "  %{id}: {} = {}", node.ty, node.call)?;
        }
        Ok(())
    }
}

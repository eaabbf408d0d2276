//! Cumulative operations, composed of reductions: each element becomes what the elements up to it
//! combine to.
//!
//! The dimension is cut into blocks. Within a block, each element reduces the elements before it; the
//! reductions of whole blocks are scanned likewise, and then combined with each element of the next
//! block. An element combines at most [`BLOCK`] elements at each of its levels, and takes no loop over
//! the dimension.

use crate::graph::build::node_graph::Graph;
use crate::graph::build::operations::{
    binary, broadcast_in_dim, broadcast_to, in_type, iota, pad, reduce, reshape, select, slice,
};
use crate::semantics::dims::Dims as _;
use crate::semantics::element::ElementType;
use crate::semantics::error::Result;
use crate::semantics::opcode::Opcode;
use crate::semantics::reduce as rules;

/// The number of elements of a block.
const BLOCK: i64 = 16;

/// Adds the sums of the elements up to each one (rules T1, R1).
pub fn cumsum<G: Graph>(g: &mut G, operand: &G::Value, dimension: i64) -> Result<G::Value> {
    cumulative(g, ("cumsum", Opcode::ReduceSum), operand, dimension)
}

/// Adds the products of the elements up to each one (rules T1, R1).
pub fn cumprod<G: Graph>(g: &mut G, operand: &G::Value, dimension: i64) -> Result<G::Value> {
    cumulative(g, ("cumprod", Opcode::ReduceProd), operand, dimension)
}

/// Adds the largest of the elements up to each one (rules T1, R1).
pub fn cummax<G: Graph>(g: &mut G, operand: &G::Value, dimension: i64) -> Result<G::Value> {
    cumulative(g, ("cummax", Opcode::ReduceMax), operand, dimension)
}

/// Adds the smallest of the elements up to each one (rules T1, R1).
pub fn cummin<G: Graph>(g: &mut G, operand: &G::Value, dimension: i64) -> Result<G::Value> {
    cumulative(g, ("cummin", Opcode::ReduceMin), operand, dimension)
}

fn cumulative<G: Graph>(
    g: &mut G,
    (name, opcode): (&'static str, Opcode),
    operand: &G::Value,
    dimension: i64,
) -> Result<G::Value> {
    let operand_type = g.operand(opcode, operand)?;
    let accepted: Vec<ElementType> = opcode.accepted().collect();
    rules::check(name, &accepted, operand_type, &[dimension])?;
    let element_type = operand_type.element_type;
    let wide = match (opcode, element_type) {
        (Opcode::ReduceSum | Opcode::ReduceProd, ElementType::F16 | ElementType::Bf16) => {
            ElementType::F32
        }
        (_, other) => other,
    };
    // Other opcodes have no method here.
    let by = rules::combines_by(opcode).unwrap_or(opcode);
    let x = in_type(g, operand, wide)?;
    // What no elements combine to. (A constant could have another value when kernels are run again.)
    let none = iota(g, wide, &[0], 0)?;
    let identity = reduce(g, opcode, &none, &[0])?;
    let scan = Scan { opcode, by, identity, d: dimension as usize };
    let result = scan.combined(g, &x, Opcode::Le)?;
    in_type(g, &result, element_type)
}

/// A cumulative operation along a dimension.
struct Scan<V> {
    opcode: Opcode,
    by: Opcode,
    /// The scalar that changes nothing.
    identity: V,
    d: usize,
}

impl<V: Clone> Scan<V> {
    /// Returns what the elements up to each one combine to, or, by `Lt`, those before each one.
    fn combined<G: Graph<Value = V>>(&self, g: &mut G, x: &V, up_to: Opcode) -> Result<V> {
        let d = self.d;
        let sizes = sizes(g, x);
        let count = sizes[d];
        if count <= BLOCK {
            return self.within(g, x, d, up_to);
        }
        let blocks = (count as u64).div_ceil(BLOCK as u64).cast_signed();
        let whole = blocks.saturating_mul(BLOCK);
        let filled = if whole == count { x.clone() } else { self.filled(g, x, whole - count)? };
        let mut cut = sizes.clone();
        cut.splice(d..=d, [blocks, BLOCK]);
        let cut = reshape(g, &filled, &cut)?;
        let of_blocks = reduce(g, self.opcode, &cut, &[d as i64 + 1])?;
        let before_block = self.combined(g, &of_blocks, Opcode::Lt)?;
        let within = self.within(g, &cut, d + 1, up_to)?;
        let kept: Vec<i64> = (0..=sizes.len() as i64).filter(|&k| k != d as i64 + 1).collect();
        let combined = binary(g, self.by, &before_block, &within, &kept)?;
        let mut joined = sizes.clone();
        joined[d] = whole;
        let joined = reshape(g, &combined, &joined)?;
        if whole == count {
            return Ok(joined);
        }
        let ones = vec![1; sizes.len()];
        slice(g, &joined, &vec![0; sizes.len()], &sizes, &ones)
    }

    /// Version of `combined` for a short dimension.
    fn within<G: Graph<Value = V>>(&self, g: &mut G, x: &V, d: usize, up_to: Opcode) -> Result<V> {
        let mut square = sizes(g, x);
        square.insert(d, square[d]);
        let rank = square.len() as i64;
        let others: Vec<i64> = (0..rank).filter(|&k| k != d as i64).collect();
        let elements = broadcast_in_dim(g, x, &square, &others)?;
        let [of_result, of_element] =
            [d, d + 1].map(|d| iota(g, ElementType::U32, &square, d as i64));
        let is_before = binary(g, up_to, &of_element?, &of_result?, &[])?;
        let shape = g.tensor_type(&elements).shape.clone();
        let nothing = broadcast_to(g, &self.identity, &shape, &[])?;
        let before = select(g, &is_before, &elements, &nothing)?;
        reduce(g, self.opcode, &before, &[d as i64 + 1])
    }

    /// Returns a value with more elements at the end of the dimension, which change nothing.
    fn filled<G: Graph<Value = V>>(&self, g: &mut G, x: &V, more: i64) -> Result<V> {
        let none = vec![0; g.tensor_type(x).shape.rank()];
        let mut high = none.clone();
        high[self.d] = more;
        pad(g, x, &self.identity, &none, &high, &none)
    }
}

/// Returns the sizes of a value.
fn sizes<G: Graph>(g: &G, x: &G::Value) -> Vec<i64> {
    g.tensor_type(x).shape.to_signed().into_owned()
}

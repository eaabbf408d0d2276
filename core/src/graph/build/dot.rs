//! Products of matrices: a broadcast product, reduced.

use crate::graph::build::node_graph::Graph;
use crate::graph::build::operations::{binary, broadcast_to, in_type, reduce_sum, transpose};
use crate::semantics::element::ElementType;
use crate::semantics::error::Result;
use crate::semantics::opcode::Opcode;
use crate::semantics::product::{self as rules, DotDimensionNumbers, Known};
use crate::semantics::shape::Shape;
use crate::semantics::sorted::sorted;

/// Adds the product of two vectors or matrices (rules M3, T2, M1, M2, C1).
pub fn dot<G: Graph>(g: &mut G, lhs: &G::Value, rhs: &G::Value) -> Result<G::Value> {
    let shapes = [g.operand(Opcode::Mul, lhs)?.shape, g.operand(Opcode::Mul, rhs)?.shape];
    let numbers = rules::of_matrices("dot", shapes)?;
    product(g, "dot", [lhs, rhs], &numbers)
}

/// Adds a product by dimensions of both operands (rules T2, M1, M2, C1).
pub fn dot_general<G: Graph>(
    g: &mut G,
    lhs: &G::Value,
    rhs: &G::Value,
    numbers: &DotDimensionNumbers,
) -> Result<G::Value> {
    product(g, "dot_general", [lhs, rhs], numbers)
}

/// Multiplies the operands in a common shape, and sums along the contracting dimensions. F16 and BF16
/// are multiplied and added in F32, and rounded once.
fn product<G: Graph>(
    g: &mut G,
    op: &'static str,
    operands: [&G::Value; 2],
    numbers: &DotDimensionNumbers,
) -> Result<G::Value> {
    let types = [g.operand(Opcode::Mul, operands[0])?, g.operand(Opcode::Mul, operands[1])?];
    let known = rules::general(op, types, numbers)?;
    let element_type = types[0].element_type;
    let shapes = types.map(|of| of.shape.clone());
    let wide = match element_type {
        ElementType::F16 | ElementType::Bf16 => ElementType::F32,
        other => other,
    };
    let common = Common::new(&shapes, &known);
    let mut factor = |side: usize| {
        let x = in_type(g, operands[side], wide)?;
        let (order, to) = common.places(side, &known[side]);
        let x = if order.is_sorted() { x } else { transpose(g, &x, &order)? };
        broadcast_to(g, &x, &common.shape, &to)
    };
    let (lhs, rhs) = (factor(0)?, factor(1)?);
    let products = binary(g, Opcode::Mul, &lhs, &rhs, &[])?;
    let sum = match common.contracting.as_slice() {
        [] => products,
        contracting => reduce_sum(g, &products, contracting)?,
    };
    in_type(g, &sum, element_type)
}

/// The shape of the products: the batch dimensions, the free ones of `lhs`, and those of `rhs`, with the
/// contracting ones before the free ones of `rhs` if its last dimension is free, so that neighbouring
/// elements of the result read neighbouring ones of `rhs`; else behind them.
struct Common {
    shape: Shape,
    contracting: Vec<i64>,
    /// The first dimension of the free ones of each operand.
    free: [usize; 2],
}

impl Common {
    fn new(shapes: &[Shape; 2], [lhs, rhs]: &[Known; 2]) -> Self {
        let [of_lhs, of_rhs] = shapes.each_ref().map(Shape::dims);
        let sizes = |dims: &[usize], list: &[usize]| -> Vec<usize> {
            list.iter().map(|&d| dims[d]).collect()
        };
        let contracted = sizes(of_lhs, &lhs.contracting);
        let mut common = sizes(of_lhs, &lhs.batch);
        let first = common.len();
        common.extend(sizes(of_lhs, &lhs.free));
        let second = common.len();
        common.extend(sizes(of_rhs, &rhs.free));
        let neighbours = rhs.free.last().is_some_and(|&last| last + 1 == of_rhs.len());
        let at = if neighbours { second } else { common.len() };
        common.splice(at..at, contracted.iter().copied());
        let contracting = (at..at + contracted.len()).map(|d| d as i64).collect();
        let second = if neighbours { second + contracted.len() } else { second };
        Self { shape: Shape::from(common), contracting, free: [first, second] }
    }

    /// Returns the dimensions of an operand in the order of the common shape, and where they are in it.
    fn places(&self, side: usize, known: &Known) -> (Vec<i64>, Vec<i64>) {
        let free = self.free[side];
        let batch = (0_i64..).zip(&known.batch);
        let free = (free as i64..).zip(&known.free);
        let contracting = self.contracting.iter().copied().zip(&known.contracting);
        let places = batch.chain(free).chain(contracting).map(|(to, &from)| (to, from as i64));
        sorted(places.collect()).into_iter().map(|(to, from)| (from, to)).unzip()
    }
}

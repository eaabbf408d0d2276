//! Operations that are composed of reductions. Narrow floats are computed in F32 and rounded once.

use crate::graph::build::node_graph::Graph;
use crate::graph::build::operations::{
    binary, constant, in_type, reduce, reduce_max, reduce_sum, select, unary,
};
use crate::semantics::element::{ElementType, Scalar};
use crate::semantics::error::Result;
use crate::semantics::opcode::Opcode;
use crate::semantics::reduce as rules;
use crate::semantics::shape::Shape;

/// One of these operations under construction.
pub(super) struct Composed<'a, G: Graph> {
    g: &'a mut G,
    /// The operand, in the type in which it is computed.
    pub(super) x: G::Value,
    /// The type of the result.
    element_type: ElementType,
    dimensions: &'a [i64],
    /// The other dimensions, at which what was reduced stands beside the operand.
    kept: Vec<i64>,
    /// The number of elements that are reduced into one.
    pub(super) count: f64,
}

impl<'a, G: Graph> Composed<'a, G> {
    /// Checks rules T1, R1 and R2.
    fn new(
        g: &'a mut G,
        name: &'static str,
        operand: &G::Value,
        dimensions: &'a [i64],
    ) -> Result<Self> {
        let operand_type = g.operand(Opcode::ReduceSum, operand)?;
        let (element_type, shape) = (operand_type.element_type, operand_type.shape.clone());
        let float = [ElementType::F16, ElementType::Bf16, ElementType::F32, ElementType::F64];
        rules::check(name, &float, operand_type, dimensions)?;
        Self::of_checked(g, operand, (element_type, &shape), dimensions)
    }

    /// Begins an operation on an operand of an inexact type, and on dimensions that were checked.
    pub(super) fn of_checked(
        g: &'a mut G,
        operand: &G::Value,
        (element_type, shape): (ElementType, &Shape),
        dimensions: &'a [i64],
    ) -> Result<Self> {
        let is_kept = |d: &i64| !dimensions.contains(d);
        let kept = (0..shape.rank() as i64).filter(is_kept).collect();
        let sizes = dimensions.iter().map(|&d| shape.dims()[d as usize] as f64);
        let count = sizes.product();
        let wide = match element_type {
            ElementType::F16 | ElementType::Bf16 => ElementType::F32,
            other => other,
        };
        let x = in_type(g, operand, wide)?;
        Ok(Self { g, x, element_type, dimensions, kept, count })
    }

    /// Returns a number as a constant.
    fn number(&mut self, value: f64) -> G::Value {
        let of = self.g.tensor_type(&self.x).element_type;
        let zero = Scalar::from_bits(of, 0);
        constant(self.g, Scalar::from_f64(of, value).unwrap_or(zero))
    }

    fn unary(&mut self, opcode: Opcode, x: &G::Value) -> Result<G::Value> {
        unary(self.g, opcode, x)
    }

    /// Returns an operation on two values of one shape, or of which one is a scalar.
    fn alike(&mut self, opcode: Opcode, x: &G::Value, y: &G::Value) -> Result<G::Value> {
        binary(self.g, opcode, x, y, &[])
    }

    /// Returns an operation on a value of the operand's shape and one that was reduced.
    fn beside(&mut self, opcode: Opcode, x: &G::Value, reduced: &G::Value) -> Result<G::Value> {
        binary(self.g, opcode, x, reduced, &self.kept)
    }

    fn sum(&mut self, x: &G::Value) -> Result<G::Value> {
        reduce_sum(self.g, x, self.dimensions)
    }

    pub(super) fn mean(&mut self, x: &G::Value) -> Result<G::Value> {
        self.sum_over(x, self.count)
    }

    /// Returns the sum of a value divided by a number.
    pub(super) fn sum_over(&mut self, x: &G::Value, count: f64) -> Result<G::Value> {
        let sum = self.sum(x)?;
        let of = self.g.tensor_type(x).element_type;
        let zero = Scalar::from_bits(of, 0);
        let count = constant(self.g, Scalar::from_f64(of, count).unwrap_or(zero));
        self.alike(Opcode::Div, &sum, &count)
    }

    /// Returns the operand less its mean.
    pub(super) fn centered(&mut self) -> Result<G::Value> {
        let x = self.x.clone();
        let mean = self.mean(&x)?;
        self.beside(Opcode::Sub, &x, &mean)
    }

    fn mean_of_squares(&mut self, x: &G::Value) -> Result<G::Value> {
        let squares = self.unary(Opcode::Square, x)?;
        self.mean(&squares)
    }

    /// Returns a value divided by the root of a mean and a small number.
    fn over_root(&mut self, x: &G::Value, mean: &G::Value, epsilon: f64) -> Result<G::Value> {
        let epsilon = self.number(epsilon);
        let sum = self.alike(Opcode::Add, mean, &epsilon)?;
        let root = self.unary(Opcode::Sqrt, &sum)?;
        self.beside(Opcode::Div, x, &root)
    }

    /// Returns the operand less its maximum.
    fn below_maximum(&mut self) -> Result<G::Value> {
        let x = self.x.clone();
        let maximum = reduce_max(self.g, &x, self.dimensions)?;
        self.beside(Opcode::Sub, &x, &maximum)
    }

    /// Returns a value in the type of the result.
    fn result(self, value: &G::Value) -> Result<G::Value> {
        in_type(self.g, value, self.element_type)
    }
}

/// Adds a reduction that is combined with an initial value (rules T1, T2, R1, R2, and those of the
/// binary operation).
pub fn reduce_with_init<G: Graph>(
    g: &mut G,
    opcode: Opcode,
    operand: &G::Value,
    init: &G::Value,
    dimensions: &[i64],
) -> Result<G::Value> {
    let reduced = reduce(g, opcode, operand, dimensions)?;
    // Other opcodes were refused.
    let by = rules::combines_by(opcode).unwrap_or(opcode);
    binary(g, by, &reduced, init, &[])
}

/// Adds a mean (rules T1, R1, R2).
pub fn mean<G: Graph>(g: &mut G, operand: &G::Value, dimensions: &[i64]) -> Result<G::Value> {
    let mut composed = Composed::new(g, "mean", operand, dimensions)?;
    let x = composed.x.clone();
    let mean = composed.mean(&x)?;
    composed.result(&mean)
}

/// Adds a variance (rules T1, R1, R2).
pub fn var<G: Graph>(g: &mut G, operand: &G::Value, dimensions: &[i64]) -> Result<G::Value> {
    let mut composed = Composed::new(g, "var", operand, dimensions)?;
    let centered = composed.centered()?;
    let variance = composed.mean_of_squares(&centered)?;
    composed.result(&variance)
}

/// Adds the logarithm of a sum of exponentials (rules T1, R1, R2).
pub fn logsumexp<G: Graph>(g: &mut G, operand: &G::Value, dimensions: &[i64]) -> Result<G::Value> {
    let mut composed = Composed::new(g, "logsumexp", operand, dimensions)?;
    let x = composed.x.clone();
    // An infinite maximum would make NaN of itself.
    let maximum = reduce_max(composed.g, &x, dimensions)?;
    let is_finite = composed.unary(Opcode::IsFinite, &maximum)?;
    let zero = composed.number(0.0);
    let maximum = select(composed.g, &is_finite, &maximum, &zero)?;
    let below = composed.beside(Opcode::Sub, &x, &maximum)?;
    let powers = composed.unary(Opcode::Exp, &below)?;
    let sum = composed.sum(&powers)?;
    let log = composed.unary(Opcode::Log, &sum)?;
    let result = composed.alike(Opcode::Add, &log, &maximum)?;
    composed.result(&result)
}

/// Adds exponentials over their sum (rules T1, R1, R2).
pub fn softmax<G: Graph>(g: &mut G, operand: &G::Value, dimensions: &[i64]) -> Result<G::Value> {
    let mut composed = Composed::new(g, "softmax", operand, dimensions)?;
    let below = composed.below_maximum()?;
    let powers = composed.unary(Opcode::Exp, &below)?;
    let sum = composed.sum(&powers)?;
    let result = composed.beside(Opcode::Div, &powers, &sum)?;
    composed.result(&result)
}

/// Adds the logarithm of a softmax (rules T1, R1, R2).
pub fn log_softmax<G: Graph>(
    g: &mut G,
    operand: &G::Value,
    dimensions: &[i64],
) -> Result<G::Value> {
    let mut composed = Composed::new(g, "log_softmax", operand, dimensions)?;
    let below = composed.below_maximum()?;
    let powers = composed.unary(Opcode::Exp, &below)?;
    let sum = composed.sum(&powers)?;
    let log = composed.unary(Opcode::Log, &sum)?;
    let result = composed.beside(Opcode::Sub, &below, &log)?;
    composed.result(&result)
}

/// Adds a normalisation to mean 0 and variance 1 (rules T1, R1, R2).
pub fn layer_norm<G: Graph>(
    g: &mut G,
    operand: &G::Value,
    dimensions: &[i64],
    epsilon: f64,
) -> Result<G::Value> {
    let mut composed = Composed::new(g, "layer_norm", operand, dimensions)?;
    let centered = composed.centered()?;
    let variance = composed.mean_of_squares(&centered)?;
    let result = composed.over_root(&centered, &variance, epsilon)?;
    composed.result(&result)
}

/// Adds a normalisation to a mean of squares of 1 (rules T1, R1, R2).
pub fn rms_norm<G: Graph>(
    g: &mut G,
    operand: &G::Value,
    dimensions: &[i64],
    epsilon: f64,
) -> Result<G::Value> {
    let mut composed = Composed::new(g, "rms_norm", operand, dimensions)?;
    let x = composed.x.clone();
    let mean = composed.mean_of_squares(&x)?;
    let result = composed.over_root(&x, &mean, epsilon)?;
    composed.result(&result)
}

//! NumPy's reductions, composed of XLA's.

use crate::graph::build::composed::{Composed, logsumexp};
use crate::graph::build::extremes::{argmax_s64, argmin_s64};
use crate::graph::build::node_graph::Graph;
use crate::graph::build::operations::{
    binary, constant, in_type, reduce, reduce_sum, reshape, select, unary,
};
use crate::semantics::element::{ElementType, Scalar};
use crate::semantics::error::{Error, Result};
use crate::semantics::numpy::{Axis, NumpyReduction};
use crate::semantics::opcode::Opcode;
use crate::semantics::reduce as rules;
use crate::semantics::shape::Shape;
use crate::semantics::view_error::ViewError;

/// Returns indices of which the negative ones count from the end of a dimension of this size.
pub fn wrapped_indices<G: Graph>(g: &mut G, indices: &G::Value, size: usize) -> Result<G::Value> {
    let own = g.operand(Opcode::Take, indices)?.element_type;
    if own.integer_range().is_none_or(|(least, _)| least >= 0) {
        return Ok(indices.clone());
    }
    // A size may be too large a number for the type of the indices.
    let wide = if own == ElementType::S64 { own } else { ElementType::S32 };
    let wide = if i32::try_from(size).is_err() { ElementType::S64 } else { wide };
    let indices = in_type(g, indices, wide)?;
    let [zero, size] = [0, size as u64].map(|number| constant(g, Scalar::from_bits(wide, number)));
    let is_negative = binary(g, Opcode::Lt, &indices, &zero, &[])?;
    let from_end = binary(g, Opcode::Add, &indices, &size, &[])?;
    select(g, &is_negative, &from_end, &indices)
}

/// Adds a reduction by NumPy's rules (rules T1, R1, R2, R3).
pub fn reduce_as_numpy<G: Graph>(
    g: &mut G,
    reduction: NumpyReduction,
    operand: &G::Value,
    axis: &Axis,
) -> Result<G::Value> {
    let operand_type = g.operand(Opcode::ReduceSum, operand)?;
    let (element_type, shape) = (operand_type.element_type, operand_type.shape.clone());
    let dimensions = axis.dimensions(shape.rank());
    let accepted: Vec<ElementType> = accepted(reduction).collect();
    rules::check(reduction.name(), &accepted, operand_type, &dimensions)?;
    let mut of = Reduced { g, operand, element_type, shape: &shape, dimensions: &dimensions };
    let result = of.reduce(reduction)?;
    if !axis.keeps() {
        return Ok(result);
    }
    let size = |(d, &size): (usize, &usize)| {
        if dimensions.contains(&(d as i64)) { 1 } else { size as i64 }
    };
    let sizes: Vec<i64> = shape.dims().iter().enumerate().map(size).collect();
    reshape(of.g, &result, &sizes)
}

/// Returns the element types that a reduction takes. NumPy orders complex numbers; XLA does not.
fn accepted(reduction: NumpyReduction) -> impl Iterator<Item = ElementType> {
    use NumpyReduction::{Argmax, Argmin, Logsumexp, Max, Min};
    let ordered = matches!(reduction, Argmax | Argmin | Max | Min | Logsumexp);
    let takes = move |of: &ElementType| !ordered || *of != ElementType::C64;
    ElementType::ALL.iter().copied().filter(takes)
}

/// The operand of a reduction, and its dimensions.
struct Reduced<'a, G: Graph> {
    g: &'a mut G,
    operand: &'a G::Value,
    element_type: ElementType,
    shape: &'a Shape,
    dimensions: &'a [i64],
}

impl<G: Graph> Reduced<'_, G> {
    fn reduce(&mut self, reduction: NumpyReduction) -> Result<G::Value> {
        use NumpyReduction::{
            All, Any, Argmax, Argmin, CountNonzero, Logsumexp, Max, Mean, Min, Prod, Std, Sum, Var,
        };
        match reduction {
            Sum { dtype } => self.in_type(Opcode::ReduceSum, dtype.unwrap_or(self.whole())),
            Prod { dtype } => self.in_type(Opcode::ReduceProd, dtype.unwrap_or(self.whole())),
            Any => {
                let nonzero = self.nonzero()?;
                reduce(self.g, Opcode::ReduceOr, &nonzero, self.dimensions)
            }
            All => {
                let nonzero = self.nonzero()?;
                reduce(self.g, Opcode::ReduceAnd, &nonzero, self.dimensions)
            }
            CountNonzero => {
                let nonzero = self.nonzero()?;
                let ones = self.to(&nonzero, ElementType::S64)?;
                reduce_sum(self.g, &ones, self.dimensions)
            }
            Max => self.extreme("max", Opcode::ReduceMax),
            Min => self.extreme("min", Opcode::ReduceMin),
            Argmax => argmax_s64(self.g, self.operand, self.dimensions),
            Argmin => argmin_s64(self.g, self.operand, self.dimensions),
            Logsumexp => {
                let x = self.converted(self.inexact())?;
                logsumexp(self.g, &x, self.dimensions)
            }
            Mean { dtype } => {
                let to = dtype.unwrap_or(self.inexact());
                let mut composed = self.composed(self.operand, to)?;
                let x = composed.x.clone();
                let mean = composed.mean(&x)?;
                self.to(&mean, to)
            }
            Var { dtype, ddof } => {
                let to = dtype.unwrap_or(self.inexact());
                let variance = self.variance(to, ddof)?;
                self.to(&variance, real(to))
            }
            Std { dtype, ddof } => {
                let to = dtype.unwrap_or(self.inexact());
                let variance = self.variance(to, ddof)?;
                let deviation = unary(self.g, Opcode::Sqrt, &variance)?;
                self.to(&deviation, real(to))
            }
        }
    }

    /// Returns the type in which elements are added.
    fn whole(&self) -> ElementType {
        match self.element_type.integer_range() {
            None if self.element_type == ElementType::Pred => ElementType::S64,
            None => self.element_type,
            Some((0, _)) => ElementType::U64,
            Some(_) => ElementType::S64,
        }
    }

    /// Returns the type of a mean.
    fn inexact(&self) -> ElementType {
        let is_whole =
            self.element_type == ElementType::Pred || self.element_type.integer_range().is_some();
        if is_whole { ElementType::F64 } else { self.element_type }
    }

    /// Begins an operation of this type on a value of the operand's shape.
    fn composed(&mut self, x: &G::Value, of: ElementType) -> Result<Composed<'_, G>> {
        Composed::of_checked(self.g, x, (of, self.shape), self.dimensions)
    }

    fn to(&mut self, x: &G::Value, element_type: ElementType) -> Result<G::Value> {
        in_type(self.g, x, element_type)
    }

    fn converted(&mut self, element_type: ElementType) -> Result<G::Value> {
        self.to(self.operand, element_type)
    }

    /// Returns whether each element is not 0. (A conversion to PRED takes a complex number's real part
    /// alone.)
    fn nonzero(&mut self) -> Result<G::Value> {
        if self.element_type != ElementType::C64 {
            return self.converted(ElementType::Pred);
        }
        let zero = constant(self.g, Scalar::from_bits(self.element_type, 0));
        binary(self.g, Opcode::Ne, self.operand, &zero, &[])
    }

    fn in_type(&mut self, opcode: Opcode, element_type: ElementType) -> Result<G::Value> {
        let x = self.converted(element_type)?;
        reduce(self.g, opcode, &x, self.dimensions)
    }

    /// Returns the largest or the smallest element. Of none there is one only where the result has
    /// no elements.
    fn extreme(&mut self, name: &'static str, opcode: Opcode) -> Result<G::Value> {
        let is_kept = |&d: &usize| !self.dimensions.contains(&(d as i64));
        let mut kept = (0..self.shape.rank()).filter(is_kept);
        let reduced = || self.dimensions.iter().map(|&d| self.shape.dims()[d as usize]);
        if reduced().any(|size| size == 0) && kept.all(|d| self.shape.dims()[d] > 0) {
            let (operand, dimensions) = (self.shape.clone(), self.dimensions.to_vec());
            let error = ViewError::Positions { operand, dimensions, count: 0 };
            return Err(Error::view(name)(error));
        }
        reduce(self.g, opcode, self.operand, self.dimensions)
    }

    /// Returns the mean square of the distances from the mean, in the type in which it is computed.
    fn variance(&mut self, of: ElementType, ddof: f64) -> Result<G::Value> {
        let mut composed = self.composed(self.operand, of)?;
        let (distances, count) = (composed.centered()?, composed.count);
        let squares = if of == ElementType::C64 {
            let [real, imaginary] = [Opcode::Real, Opcode::Imag].map(|part| {
                let part = unary(self.g, part, &distances)?;
                unary(self.g, Opcode::Square, &part)
            });
            binary(self.g, Opcode::Add, &real?, &imaginary?, &[])?
        } else {
            unary(self.g, Opcode::Square, &distances)?
        };
        let of_squares = self.g.tensor_type(&squares).element_type;
        self.composed(&squares, of_squares)?.sum_over(&squares, (count - ddof).max(0.0))
    }
}

/// Returns the type of the parts of a complex number, or a real type itself.
fn real(of: ElementType) -> ElementType {
    if of == ElementType::C64 { ElementType::F32 } else { of }
}

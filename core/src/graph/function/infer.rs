//! The rules by which operands fit a user-defined function.
//!
//! Shapes broadcast like operands of a binary operation, from the first operand to the last:
//! different ranks need `broadcast_dimensions`, scalars broadcast freely, and dimensions of size 1
//! stretch.

use crate::graph::function::body::{FunctionBody, Value, element_type, wgsl_name};
use crate::semantics::broadcast;
use crate::semantics::broadcast_error::BroadcastError;
use crate::semantics::element::{ElementType, Scalar};
use crate::semantics::error::{Error, Result};
use crate::semantics::function_error::CallError;
use crate::semantics::infer::{Inferred, TensorType};
use crate::semantics::shape::Shape;

/// The name of a call, in the place of an operation's name.
const CALL: &str = "call";

impl FunctionBody {
    fn refuse<T>(&self, source: CallError) -> Result<T> {
        Err(Error::Call { function: self.name.clone(), source: Box::new(source) })
    }

    /// Checks the element types and shapes of a call's operands, each with its
    /// `broadcast_dimensions`, carried as `in_dim` or given in a list. Returns the type of each
    /// result.
    pub fn infer(
        &self,
        operands: &[(TensorType<'_>, &[i64])],
        in_dim: bool,
    ) -> Result<Vec<Inferred>> {
        self.check_count(operands.len())?;
        for (index, (operand, _)) in operands.iter().enumerate() {
            self.check_type(index, operand.element_type)?;
        }
        let shape = self.broadcast(operands, in_dim)?;
        shape.element_count().map_err(Error::shape(CALL))?;
        let inferred = |result: &Value| Inferred {
            element_type: element_type(result.form),
            shape: shape.clone(),
        };
        Ok(self.results.iter().map(inferred).collect())
    }

    pub fn check_count(&self, given: usize) -> Result<()> {
        if given == self.parameters.len() {
            return Ok(());
        }
        let parameter = |value: &Value| format!("{}: {}", value.name, wgsl_name(value.form));
        self.refuse(CallError::OperandCount {
            wanted: self.parameters.len(),
            parameters: self.parameters.iter().map(parameter).collect(),
            given,
        })
    }

    fn check_type(&self, index: usize, found: ElementType) -> Result<()> {
        let parameter = &self.parameters[index];
        if found.form() == parameter.form {
            return Ok(());
        }
        let all = ElementType::ALL.iter().copied();
        self.refuse(CallError::OperandType {
            index,
            parameter: parameter.name.clone(),
            wanted: wgsl_name(parameter.form),
            accepted: all.filter(|accepted| accepted.form() == parameter.form).collect(),
            found,
        })
    }

    fn broadcast(&self, operands: &[(TensorType<'_>, &[i64])], in_dim: bool) -> Result<Shape> {
        let rank = operands.iter().map(|(operand, _)| operand.shape.rank()).max().unwrap_or(0);
        // All sizes are 1 at first, so that the first operand stretches them to its own.
        let mut shape = Shape::from(vec![1; rank]);
        for (index, &(operand, dimensions)) in operands.iter().enumerate() {
            shape = broadcast::binary(&shape, operand.shape, dimensions)
                .or_else(|source| self.refuse(self.unfitting(operands, index, in_dim, source)))?;
        }
        Ok(shape)
    }

    /// Returns the error of an operand that does not fit those before it. It compares with an
    /// operand of the highest rank, which explains more than the first operand would.
    fn unfitting(
        &self,
        operands: &[(TensorType<'_>, &[i64])],
        index: usize,
        in_dim: bool,
        source: BroadcastError,
    ) -> CallError {
        let parameter = self.parameters[index].name.clone();
        let (operand, dimensions) = operands[index];
        if let BroadcastError::NotIdentity { given, .. } = source {
            let shape = operand.shape.clone();
            return CallError::NoHigherRank { index, parameter, shape, given, in_dim };
        }
        let rank = |number: &usize| operands[*number].0.shape.rank();
        // The first one of several.
        let highest = (0..operands.len()).rev().max_by_key(rank).filter(|&other| other != index);
        let refused = highest.and_then(|other| {
            let refused = broadcast::binary(operands[other].0.shape, operand.shape, dimensions);
            Some((other, refused.err()?))
        });
        let (lhs, source) = match refused {
            Some((other, source)) => (Some(other), source),
            None => (None, source),
        };
        CallError::Broadcast { index, parameter, lhs, in_dim, source }
    }

    /// Returns a number given as an operand as a value of its parameter: rounded to a float, or
    /// unchanged as an integer.
    pub fn scalar(&self, index: usize, number: Number) -> Result<Scalar> {
        let parameter = &self.parameters[index];
        let of_type = element_type(parameter.form);
        let scalar = match number {
            Number::Float(value) if matches!(of_type, ElementType::F32 | ElementType::F64) => {
                Scalar::from_f64(of_type, value)
            }
            Number::Integer(value) if of_type.integer_range().is_some() => {
                Scalar::from_i128(of_type, value.into())
            }
            _ => None,
        };
        scalar.map_or_else(
            || {
                self.refuse(CallError::Scalar {
                    index,
                    parameter: parameter.name.clone(),
                    wanted: wgsl_name(parameter.form),
                    value: number.to_string(),
                })
            },
            Ok,
        )
    }

    /// Returns the one result, or the error of a function that has several.
    pub fn only_result(&self, results: Vec<Inferred>) -> Result<Inferred> {
        let count = results.len();
        let mut results = results.into_iter();
        match (results.next(), results.next()) {
            (Some(result), None) => Ok(result),
            _ => self.refuse(CallError::SeveralResults {
                count,
                names: self.results.iter().map(|result| result.name.clone()).collect(),
            }),
        }
    }

    /// Returns true if the result must be converted to become this type, which is possible if
    /// shaders hold both in one type.
    pub fn converts_to(&self, found: ElementType, wanted: ElementType) -> Result<bool> {
        if found.form() == wanted.form() {
            return Ok(found != wanted);
        }
        self.refuse(CallError::ResultType { wanted, found })
    }
}

/// A Rust number given as an operand, whose type is the parameter's.
#[derive(Debug, Clone, Copy)]
pub enum Number {
    Float(f64),
    Integer(i64),
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            // With a point, to distinguish 2.0 from 2.
            Self::Float(value) => write!(f, "{value:?}"),
            Self::Integer(value) => write!(f, "{value}"),
        }
    }
}

//! [`Value`]: what a name in the program stands for.

use std::rc::Rc;

use indim_core::{ElementType, Literal, Op, Scalar, Shape};

use crate::syntax::module::OperationId;
use crate::syntax::types::{Element, Tensor, Type};

/// A value of the program.
#[derive(Debug, Clone)]
pub(crate) struct Value<'a> {
    pub(crate) of: Type<'a>,
    pub(crate) kind: Kind,
    /// The dimension along which its elements are their own indices, if they are.
    pub(crate) iota: Option<i64>,
}

/// How a value is computed.
#[derive(Debug, Clone)]
pub(crate) enum Kind {
    /// By operations of the builder.
    Op(Op),
    /// A constant whose elements are all equal.
    Splat(Scalar),
    /// A constant, which becomes a parameter where it is used; and the operation that it is from.
    List(Rc<Literal>, OperationId),
    /// Not at all: an operation before it was refused.
    Refused,
}

impl<'a> Value<'a> {
    /// Returns a value of the builder.
    pub(crate) fn new(of: Type<'a>, op: Op) -> Self {
        Self { of, kind: Kind::Op(op), iota: None }
    }

    /// Returns a value that nothing can be computed from.
    pub(crate) fn refused(of: Type<'a>) -> Self {
        Self { of, kind: Kind::Refused, iota: None }
    }

    /// Returns true if it is a constant of one element, which regions may use from outside.
    pub(crate) fn is_scalar_constant(&self) -> bool {
        matches!(self.kind, Kind::Splat(_))
            && self.of.tensor().is_some_and(|of| of.sizes.is_empty())
    }

    /// Returns true if nothing can be computed from it.
    pub(crate) fn is_refused(&self) -> bool {
        matches!(self.kind, Kind::Refused)
    }
}

/// Returns the type of an array as a program has it.
pub(crate) fn type_of<'a>(element_type: ElementType, shape: &Shape) -> Type<'a> {
    let sizes = shape.dims().iter().map(|&size| i64::try_from(size).ok()).collect();
    Type::Tensor(Tensor { sizes, element: Element::Known(element_type), is_encoded: false })
}

/// Returns the element type and the shape of a type, or the reason for which no array here has it.
pub(crate) fn array_type(of: &Type<'_>) -> Result<(ElementType, Shape), String> {
    let Type::Tensor(tensor) = of else {
        return Err(format!("values of type {of} are not implemented, only arrays are"));
    };
    if tensor.is_encoded || tensor.sizes.contains(&None) {
        return Err("dynamic shapes are not implemented: all sizes must be known".to_owned());
    }
    match (tensor.element, tensor.shape()) {
        (Element::Known(element_type), Some(shape)) => Ok((element_type, shape)),
        (Element::Other(text), _) if text.starts_with("!quant") => {
            Err("quantised types are not implemented".to_owned())
        }
        (element, _) => Err(format!("the element type {element} is not implemented")),
    }
}

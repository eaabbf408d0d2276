//! Calls of user-defined functions, whose operands may be of any types.

use std::sync::Arc;

use crate::api::any_expr::AnyExpr;
use crate::api::expr::Expr;
use crate::api::expr_node::Node;
use crate::api::function::Function;
use crate::api::nodes::Nodes;
use crate::api::operand::{InDim, IntoExpr, Operand};
use crate::device::arrays::typed::Array;
use indim_core::graph::build;
use indim_core::graph::function::infer::Number;
use indim_core::semantics::element::{Element, Scalar};
use indim_core::semantics::error::Result;
#[cfg(doc)]
use indim_core::semantics::function_error::CallError;
use indim_core::semantics::infer::Inferred;
use indim_core::semantics::opcode::Opcode;
use indim_core::semantics::tuples::for_tuples;

mod sealed {
    use super::Argument;

    pub trait Sealed {}

    /// An operand before the function's parameter is known.
    pub trait IntoArgument: Sealed {
        fn into_argument(self) -> Argument;
    }

    pub trait IntoArguments {
        fn into_arguments(self) -> Vec<Argument>;
    }
}

/// An operand of a call.
#[doc(hidden)]
#[derive(Debug)]
pub struct Argument(Kind);

#[derive(Debug)]
enum Kind {
    /// A value, with its `broadcast_dimensions` if it carries `in_dim`.
    Value(Result<Arc<Node>>, Option<Vec<i64>>),
    /// A number, which takes the parameter's type.
    Number(Number),
}

/// An operand of a [`Function`]: an expression or an array of any element type, one of these with
/// `in_dim`, or a number. A floating-point number becomes a value of an `f32` or `f64` parameter,
/// and an integer one of an integer parameter; `bool` is PRED. The trait is sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an operand of a function",
    label = "this is not an operand of a function",
    note = "an operand is an array or an expression, as `x` or `&x`, one with `in_dim`, a number, or true or false"
)]
pub trait CallOperand: sealed::IntoArgument {}

/// The operands of a [`Function`], as a tuple of one to eight [`CallOperand`]s. The trait is sealed.
///
/// ```
/// use indim::{Expr, Function};
///
/// let blend = "fn blend(a: f32, b: f32, t: f32) -> f32 { return mix(a, b, t); }";
/// let blend = Function::wgsl(blend)?;
/// let (a, b) = (Expr::<f32>::iota([2, 3], 0), Expr::<f32>::iota([3], 0));
/// let c = blend.call::<f32>((&a, b.in_dim([1]), 0.5))?;
/// assert_eq!(c.shape()?.dims(), [2, 3]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tuple of one to eight operands of a function",
    label = "this is not a tuple of operands",
    note = "write one operand as `(&x,)`, with a comma, and several as `(&x, &y, 0.5)`",
    note = "more than eight operands go to `call_any` or to `Builder::call`"
)]
pub trait CallOperands: sealed::IntoArguments {}

fn value<T: Element>(operand: impl Operand<T>) -> Argument {
    let (expr, dimensions) = operand.into_operand();
    Argument(Kind::Value(expr.node(), dimensions))
}

macro_rules! operands {
    ($($operand:ty),*) => {$(
        impl<T: Element> sealed::Sealed for $operand {}

        impl<T: Element> sealed::IntoArgument for $operand {
            fn into_argument(self) -> Argument {
                value(self)
            }
        }

        impl<T: Element> CallOperand for $operand {}
    )*};
}

operands!(Expr<T>, &Expr<T>, Array<T>, &Array<T>, InDim<T>);

macro_rules! numbers {
    ($($number:ty: |$this:ident| $argument:expr;)*) => {$(
        impl sealed::Sealed for $number {}

        impl sealed::IntoArgument for $number {
            fn into_argument(self) -> Argument {
                let $this = self;
                $argument
            }
        }

        impl CallOperand for $number {}
    )*};
}

numbers! {
    f64: |number| Argument(Kind::Number(Number::Float(number)));
    f32: |number| Argument(Kind::Number(Number::Float(number.into())));
    i32: |number| Argument(Kind::Number(Number::Integer(number.into())));
    i64: |number| Argument(Kind::Number(Number::Integer(number)));
    u32: |number| Argument(Kind::Number(Number::Integer(number.into())));
    bool: |truth| value::<bool>(IntoExpr::<bool>::into_expr(truth));
}

macro_rules! tuples {
    ($(($($name:ident $number:tt)+))*) => {$(
        impl<$($name: CallOperand),+> sealed::IntoArguments for ($($name,)+) {
            fn into_arguments(self) -> Vec<Argument> {
                vec![$(self.$number.into_argument()),+]
            }
        }

        impl<$($name: CallOperand),+> CallOperands for ($($name,)+) {}
    )*};
}

for_tuples! { tuples }

impl Function {
    /// Returns a call of the function as an expression. `T` is the type of its result, or a narrower
    /// one that shaders hold in the same type, to which the result is rounded: `f16` and `bf16` for
    /// `f32`, integers of up to 16 bits for `i32` and `u32`.
    ///
    /// Operands are expressions, arrays and numbers; those of a lower rank than the result carry
    /// `in_dim`. They broadcast as the operands of [`Builder::call`](crate::Builder::call).
    ///
    /// ```
    /// # let gpu = indim::Context::blocking()?;
    /// # let image = gpu.zeros::<f32>([480, 640])?;
    /// use indim::{Expr, Function};
    ///
    /// // The index of an element is an operand, too.
    /// let dither = Function::wgsl("
    ///     fn dither(value: f32, x: u32, y: u32) -> f32 {
    ///         return floor(value * 4.0 + f32((x ^ y) & 1u) * 0.5) / 4.0;
    ///     }")?;
    /// let [x, y] = [0, 1].map(|dimension| Expr::<u32>::iota(&[480, 640], dimension));
    /// let dithered = dither.call::<f32>((&image, x, y))?.eval()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`CallError`]: for operands that do not fit the parameters in number, element type or shape,
    /// for a function of several results ([`Function::call_all`]), and for another type of result.
    /// An operand's own error, as [`Error::Expression`](crate::Error::Expression).
    pub fn call<T: Element>(&self, operands: impl CallOperands) -> Result<Expr<T>> {
        let Inputs { nodes, dimensions, results } = self.inputs(operands.into_arguments())?;
        let result = self.body().only_result(results)?;
        let converts = self.body().converts_to(result.element_type, T::ELEMENT_TYPE)?;
        let inputs: Vec<&Arc<Node>> = nodes.iter().collect();
        let dimensions: Vec<&[i64]> = dimensions.iter().map(Vec::as_slice).collect();
        let node = build::call::result(&mut Nodes, self, (0, result), &inputs, &dimensions);
        Ok(Expr::of_shared(if converts {
            build::convert(&mut Nodes, Opcode::ConvertElementType, &node, T::ELEMENT_TYPE)?
        } else {
            node
        }))
    }

    /// Returns a call of the function, with all its results in the order of the struct's members.
    /// [`eval`](crate::eval) computes several at once.
    ///
    /// ```
    /// use indim::Function;
    ///
    /// let polar = Function::wgsl(
    ///     "struct Polar { length: f32, angle: f32 }
    ///      fn polar(x: f32, y: f32) -> Polar { return Polar(length(vec2(x, y)), atan2(y, x)); }",
    /// )?;
    /// let x = indim::Context::blocking()?.array([2], &[3_f32, 4.])?;
    /// let results = polar.call_all((&x, 0.0))?;
    /// let lengths = results[0].eval()?.to_literal_blocking()?;
    /// assert_eq!((results.len(), lengths.to_vec::<f32>()?), (2, vec![3., 4.]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// It returns those of [`Function::call`], but for the number and type of results.
    pub fn call_all(&self, operands: impl CallOperands) -> Result<Vec<AnyExpr>> {
        let Inputs { nodes, dimensions, results } = self.inputs(operands.into_arguments())?;
        let inputs: Vec<&Arc<Node>> = nodes.iter().collect();
        let dimensions: Vec<&[i64]> = dimensions.iter().map(Vec::as_slice).collect();
        Ok(any(build::call::all(&mut Nodes, self, results, &inputs, &dimensions)))
    }

    /// Returns a call on values whose types are known at run time, with all its results. There are
    /// `broadcast_dimensions` for each operand, as for [`Builder::call`](crate::Builder::call).
    ///
    /// ```
    /// use indim::{AnyExpr, ElementType::F32, Function};
    ///
    /// let blend = "fn blend(a: f32, b: f32) -> f32 { return mix(a, b, 0.5); }";
    /// let (a, b) = (AnyExpr::iota(F32, [2, 3], 0)?, AnyExpr::iota(F32, [3], 0)?);
    /// let results = Function::wgsl(blend)?.call_any(&[&a, &b], &[&[], &[1]])?;
    /// assert_eq!((results.len(), results[0].shape().dims()), (1, &[2, 3][..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`CallError`], as for [`Function::call`].
    pub fn call_any(
        &self,
        operands: &[&AnyExpr],
        broadcast_dimensions: &[&[i64]],
    ) -> Result<Vec<AnyExpr>> {
        let operands: Vec<&Arc<Node>> = operands.iter().map(|operand| &operand.node).collect();
        build::call::call_all(&mut Nodes, self, &operands, broadcast_dimensions).map(any)
    }

    /// Returns the operands and what each result is.
    fn inputs(&self, arguments: Vec<Argument>) -> Result<Inputs> {
        self.body().check_count(arguments.len())?;
        let mut nodes = Vec::with_capacity(arguments.len());
        let mut dimensions = Vec::with_capacity(arguments.len());
        for (index, Argument(kind)) in arguments.into_iter().enumerate() {
            let (node, given) = match kind {
                Kind::Value(node, given) => (node?, given),
                Kind::Number(number) => {
                    let scalar: Scalar = self.body().scalar(index, number)?;
                    (build::constant(&mut Nodes, scalar), None)
                }
            };
            nodes.push(node);
            dimensions.push(given.unwrap_or_default());
        }
        let typed: Vec<_> = nodes
            .iter()
            .zip(&dimensions)
            .map(|(node, given)| (node.tensor_type(), given.as_slice()))
            .collect();
        let results = self.body().infer(&typed, true)?;
        Ok(Inputs { nodes, dimensions, results })
    }
}

/// The operands of a call, with their `broadcast_dimensions`, and what each result is.
struct Inputs {
    nodes: Vec<Arc<Node>>,
    dimensions: Vec<Vec<i64>>,
    results: Vec<Inferred>,
}

fn any(nodes: Vec<Arc<Node>>) -> Vec<AnyExpr> {
    nodes.into_iter().map(|node| AnyExpr { node }).collect()
}

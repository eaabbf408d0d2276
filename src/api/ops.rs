//! Eager operations with XlaBuilder's signatures. Each call is evaluated by itself: it checks its
//! operands, records a separate kernel, and returns without waiting for the GPU.
//!
//! Commands that these functions and [`Expr::eval`] record wait in a batch. The batch is submitted
//! when it has 128 dispatches or writes 8 MiB, when an array is read back or its buffer taken, and
//! by [`Context::flush`] and `Context::wait`.
//!
//! Operands are arrays, expressions or scalars; sizes and indices count elements. Each function
//! evaluates an [`Expr`], so that it returns the errors of [`Expr::eval`] besides those that it
//! lists: [`ArrayError::NoContext`](crate::ArrayError::NoContext) where all operands are scalars,
//! [`ArrayError::TwoContexts`](crate::ArrayError::TwoContexts),
//! [`DeviceError`](crate::DeviceError). [`Error::rule`](crate::Error::rule) returns the rule that
//! is broken.
//!
//! Commands that are recorded and not yet submitted see what you write later to a buffer that they
//! read ([`Array::buffer`], [`Context::array_from_buffer`]): call [`Context::flush`] before you
//! write.

use num_complex::Complex32;

use crate::api::expr::Expr;
use crate::api::nodes::Nodes;
use crate::api::operand::{Choice, IntoExpr};
use crate::api::operations;
use crate::device::arrays::array::Array;
use crate::device::context::Context;
use crate::graph::build;
use crate::semantics::dims::Dims;
use crate::semantics::element::{
    Bitwise, Element, Float, Inexact, Integer, Number, Ordered, Real, Signed,
};
use crate::semantics::error::Result;
use crate::semantics::op::table::{
    attribute, attribute_type, example_type, for_each_op, result_element,
};
use crate::semantics::opcode::Opcode;

fn binary<T: Element, R: Element>(
    opcode: Opcode,
    lhs: &Expr<T>,
    rhs: &Expr<T>,
    dimensions: &[i64],
) -> Result<Array<R>> {
    operations::eagerly(|| {
        build::binary(&mut Nodes, opcode, lhs.node_ref()?, rhs.node_ref()?, dimensions)
    })
}

fn unary<T: Element, R: Element>(opcode: Opcode, operand: &Expr<T>) -> Result<Array<R>> {
    operations::eagerly(|| build::unary(&mut Nodes, opcode, operand.node_ref()?))
}

fn converted<T: Element, R: Element>(opcode: Opcode, x: &Expr<T>) -> Result<Array<R>> {
    operations::eagerly(|| build::convert(&mut Nodes, opcode, x.node_ref()?, R::ELEMENT_TYPE))
}

macro_rules! function {
    // Written by hand.
    ($kind:ident $class:ident $name:ident $method:ident F32 $($rest:tt)*) => {};
    ($kind:ident $class:ident $name:ident $method:ident Parts $($rest:tt)*) => {};
    (binary $class:ident $name:ident $method:ident $bound:ident $result:ident [$($doc:literal)+] []) => {
        $(#[doc = $doc])+
        ///
        /// `broadcast_dimensions[i]` is the dimension of the higher-rank operand that dimension i
        /// of the lower-rank one matches. It is empty for operands of equal rank and for scalars.
        /// In matched dimensions, size 1 stretches to the other size.
        ///
        /// ```no_run
        #[doc = concat!(
            "# type T = ", example_type!($bound), ";\n",
            "# fn example(x: indim::Array<T>, v: indim::Array<T>) -> indim::Result<()> {\n",
            "let y = indim::", stringify!($method), "(&x, &v, [1])?;",
        )]
        /// # Ok(())
        /// # }
        /// ```
        ///
        /// # Errors
        /// [`BroadcastError`](crate::BroadcastError) by rules B1 to B8 of XLA's document
        /// "Broadcasting semantics"; [`ShapeError`](crate::ShapeError) by rule C1; those of
        /// [`Expr::eval`].
        pub fn $method<T: $bound>(
            lhs: impl IntoExpr<T>,
            rhs: impl IntoExpr<T>,
            broadcast_dimensions: impl Dims,
        ) -> Result<Array<result_element!($result)>> {
            let (lhs, rhs) = (lhs.into_expr(), rhs.into_expr());
            binary(Opcode::$name, &lhs, &rhs, &broadcast_dimensions.to_signed())
        }
    };
    (unary $class:ident $name:ident $method:ident $bound:ident $result:ident [$($doc:literal)+] []) => {
        $(#[doc = $doc])+
        ///
        /// ```no_run
        #[doc = concat!(
            "# fn example(x: indim::Array<", example_type!($bound), ">) -> indim::Result<()> {\n",
            "let y = indim::", stringify!($method), "(&x)?;",
        )]
        /// # Ok(())
        /// # }
        /// ```
        ///
        /// # Errors
        /// It returns the errors of [`Expr::eval`].
        pub fn $method<T: $bound>(operand: impl IntoExpr<T>) -> Result<Array<result_element!($result)>> {
            unary(Opcode::$name, &operand.into_expr())
        }
    };
    (
        structured $class:ident $name:ident $method:ident $bound:ident $result:ident [$($doc:literal)+]
        [$first:ident $(, $other:ident)*; $($attribute:ident: $kind:ident = $value:tt),*; $shape:tt; $errors:literal]
    ) => {
        $(#[doc = $doc])+
        ///
        #[doc = concat!(
            "The result is in row-major order. In an expression, [`Expr::", stringify!($method),
            "`] stores none.",
        )]
        ///
        /// ```no_run
        #[doc = concat!(
            "# fn example(x: indim::Array<f32>) -> indim::Result<()> {\n",
            "let y = indim::", stringify!($method), "(&x, ",
            $(other!($other), ", ",)* stringify!($($value),*), ")?;",
        )]
        /// # Ok(())
        /// # }
        /// ```
        ///
        /// # Errors
        /// It returns the errors of [`Expr::eval`].
        #[doc = $errors]
        pub fn $method<T: $bound>(
            $first: impl IntoExpr<T>,
            $($other: impl IntoExpr<T>,)*
            $($attribute: attribute_type!($kind),)*
        ) -> Result<Array<result_element!($result)>> {
            let $first = $first.into_expr();
            $(let $other = $other.into_expr();)*
            operations::eagerly(|| {
                build::$method(
                    &mut Nodes,
                    $first.node_ref()?
                    $(, $other.node_ref()?)*
                    $(, attribute!($kind $attribute))*
                )
            })
        }
    };
}

/// An operand that is not the first, in an example.
macro_rules! other {
    ($name:ident) => {
        "1.0"
    };
}

for_each_op! { function }

/// Computes [`Opcode::Conj`] of each element. The result has the operand's shape.
///
/// ```no_run
/// # fn example(z: indim::Array<indim::num_complex::Complex32>) -> indim::Result<()> {
/// let y = indim::conj(&z)?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// It returns the errors of [`Expr::eval`].
pub fn conj(operand: impl IntoExpr<Complex32>) -> Result<Array<Complex32>> {
    unary(Opcode::Conj, &operand.into_expr())
}

/// Computes [`Opcode::Complex`]: complex numbers of real and imaginary parts.
/// `broadcast_dimensions` is that of [`add()`].
///
/// ```no_run
/// # fn example(re: indim::Array<f32>, im: indim::Array<f32>) -> indim::Result<()> {
/// let z = indim::complex(&re, &im, [])?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// It returns the errors of [`add()`].
pub fn complex(
    real: impl IntoExpr<f32>,
    imag: impl IntoExpr<f32>,
    broadcast_dimensions: impl Dims,
) -> Result<Array<Complex32>> {
    let (real, imag) = (real.into_expr(), imag.into_expr());
    binary(Opcode::Complex, &real, &imag, &broadcast_dimensions.to_signed())
}

/// Converts the values to elements of type `R`, as in `convert_element_type::<_, i32>(&x)`. The
/// shape stays; see [`Opcode::ConvertElementType`] for the rules.
///
/// ```no_run
/// # fn example(x: indim::Array<f32>) -> indim::Result<()> {
/// let whole: indim::Array<i32> = indim::convert_element_type(&x)?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// It returns the errors of [`Expr::eval`].
pub fn convert_element_type<T: Element, R: Element>(operand: impl IntoExpr<T>) -> Result<Array<R>> {
    converted(Opcode::ConvertElementType, &operand.into_expr())
}

/// Reads the bits as elements of type `R`. For a narrower type, the result has one more dimension,
/// the last, which holds the parts of each operand element, lowest bits first. For a wider type,
/// the operand's last dimension must have that size, and is removed.
///
/// ```no_run
/// # fn example(x: indim::Array<f32>) -> indim::Result<()> {
/// let bytes: indim::Array<u8> = indim::bitcast_convert_type(&x)?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`TypeError`](crate::TypeError) by rule T4; [`ShapeError`](crate::ShapeError) by rule C1; those
/// of [`Expr::eval`].
pub fn bitcast_convert_type<T: Element, R: Element>(operand: impl IntoExpr<T>) -> Result<Array<R>> {
    converted(Opcode::BitcastConvertType, &operand.into_expr())
}

/// Selects elements of `on_true` where `pred` is true, else of `on_false`. The operands have one
/// shape or are scalars.
///
/// ```no_run
/// # fn example(x: indim::Array<f32>) -> indim::Result<()> {
/// let relu = indim::select(x.gt(0.0), &x, 0.0)?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`BroadcastError`](crate::BroadcastError) by rule S1; those of [`Expr::eval`].
pub fn select<T: Element>(
    pred: impl IntoExpr<bool>,
    on_true: impl Choice<T>,
    on_false: impl Choice<T>,
) -> Result<Array<T>> {
    let (pred, on_true, on_false) =
        (pred.into_expr(), on_true.into_choice(), on_false.into_choice());
    operations::eagerly(|| {
        let (pred, on_true) = (pred.node_ref()?, on_true.node_ref()?);
        build::select(&mut Nodes, pred, on_true, on_false.node_ref()?)
    })
}

/// Clamps each element: the smaller one of `max` and the larger one of `min` and `x`. The operands
/// have one shape or are scalars.
///
/// ```no_run
/// # fn example(x: indim::Array<f32>) -> indim::Result<()> {
/// let y = indim::clamp(0.0, &x, 1.0)?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`BroadcastError`](crate::BroadcastError) by rule S1; those of [`Expr::eval`].
pub fn clamp<T: Real>(
    min: impl IntoExpr<T>,
    x: impl IntoExpr<T>,
    max: impl IntoExpr<T>,
) -> Result<Array<T>> {
    let (min, x, max) = (min.into_expr(), x.into_expr(), max.into_expr());
    operations::eagerly(|| {
        build::clamp(&mut Nodes, min.node_ref()?, x.node_ref()?, max.node_ref()?)
    })
}

/// Returns the operands one after the other along a dimension, as `concatenate([&x, &y], 0)`;
/// XlaBuilder's `ConcatInDim`. They have equal sizes along all others.
///
/// ```no_run
/// # fn example(x: indim::Array<f32>, y: indim::Array<f32>) -> indim::Result<()> {
/// let both = indim::concatenate([&x, &y], 0)?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`ViewError`](crate::ViewError) by rule V9; [`ShapeError`](crate::ShapeError) by rule C1; those of
/// [`Expr::eval`].
pub fn concatenate<T: Element>(
    operands: impl IntoIterator<Item = impl IntoExpr<T>>,
    dimension: i64,
) -> Result<Array<T>> {
    operations::eagerly(|| build::concatenate(&mut Nodes, &operations::nodes(operands)?, dimension))
}

/// Returns a shape of these sizes in which each element is its index along `iota_dimension`.
///
/// ```no_run
/// # fn example(gpu: indim::Context) -> indim::Result<()> {
/// let columns: indim::Array<f32> = indim::iota(&gpu, [2, 3], 1)?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`ShapeError`](crate::ShapeError) by rules N1, I1 and C1; [`DeviceError`](crate::DeviceError).
pub fn iota<T: Number>(
    context: &Context,
    sizes: impl Dims,
    iota_dimension: i64,
) -> Result<Array<T>> {
    context.eval(&Expr::iota(sizes, iota_dimension))
}

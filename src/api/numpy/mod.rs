//! NumPy's implicit broadcasting, by name. Each function aligns shapes at the last dimension,
//! computes the `broadcast_dimensions` that this means, and calls the explicit operation.
//!
//! XLA's document "Broadcasting semantics" says that implicit features belong in client-level
//! wrappers; this is one. The rule is NumPy's, of the page "Broadcasting" in its manual.
//!
//! The functions build expressions, as operators do; [`Expr::eval`] computes them. An error stays in
//! the expression, with the place of the call, until then. [`apply`] is for operands whose types are
//! known at run time. Types are not converted; [`result_type`] says to which NumPy would convert.
//!
//! ```
//! # fn main() -> indim::Result<()> {
//! use indim::numpy;
//!
//! let gpu = indim::Context::blocking()?;
//! let x = gpu.array([2, 3], &[1_f32, 2., 3., 4., 5., 6.])?;
//! let v = gpu.array([3], &[7_f32, 8., 9.])?;
//! let y = numpy::mul(numpy::add(&x, &v), 2.0).eval()?;
//! assert_eq!(y.to_vec_blocking()?, [16., 20., 24., 22., 26., 30.]);
//! # Ok(())
//! # }
//! ```

mod alignment;
mod apply;
mod reductions;
mod taking;

use std::panic::Location;

pub use apply::apply;
#[doc(inline)]
pub use indim_core::numpy::{
    Axis, NumpyReduction, broadcast_dimensions, broadcast_shapes, result_type,
};
pub use reductions::*;
pub use taking::*;

use self::alignment::{aligned_binary, elementwise, stretched};
use crate::api::expr::Expr;
use crate::api::operand::{Choice, IntoExpr};
use crate::api::operations::lazily;
use indim_core::semantics::dims::Dims;
use indim_core::semantics::element::{
    Bitwise, ComplexPart, Element, Float, Inexact, Integer, Number, Ordered, Real,
};
use indim_core::semantics::error::Error;
use indim_core::semantics::op::table::{example_type, for_each_op, result_element};
use indim_core::semantics::opcode::Opcode;

/// Broadcasts the operand to a shape, aligned at the last dimension: NumPy's `broadcast_to`. The
/// expression keeps an error by rules D1 to D4 and C1 for [`Expr::eval`].
///
/// ```
/// use indim::{Expr, numpy};
///
/// let v = Expr::<f32>::iota([3], 0);
/// assert_eq!(numpy::broadcast_to(v, [2, 3]).shape()?.dims(), [2, 3]);
/// # Ok::<(), indim::Error>(())
/// ```
#[track_caller]
pub fn broadcast_to<T: Element>(x: impl IntoExpr<T>, shape: impl Dims) -> Expr<T> {
    let x = x.into_expr();
    lazily(Location::caller(), || {
        let shape = shape.to_shape().map_err(Error::shape(Opcode::BroadcastInDim.method()))?;
        stretched(x.node_ref()?, &shape)
    })
}

/// Selects elements of `on_true` where `pred` is true, else of `on_false`: NumPy's `where`. All
/// three operands broadcast. The expression keeps an error by rules P1 and C1 for [`Expr::eval`].
///
/// ```
/// use indim::{Expr, numpy};
///
/// let (x, v) = (Expr::<f32>::iota([2, 3], 0), Expr::<f32>::iota([3], 0));
/// assert_eq!(numpy::select(v.gt(1.0), x, 0.0).shape()?.dims(), [2, 3]);
/// # Ok::<(), indim::Error>(())
/// ```
#[track_caller]
pub fn select<T: Element>(
    pred: impl IntoExpr<bool>,
    on_true: impl Choice<T>,
    on_false: impl Choice<T>,
) -> Expr<T> {
    let (pred, on_true, on_false) =
        (pred.into_expr(), on_true.into_choice(), on_false.into_choice());
    lazily(Location::caller(), || {
        let operands = [pred.node_ref()?, on_true.node_ref()?, on_false.node_ref()?];
        elementwise(Opcode::Select, &operands)
    })
}

/// Clamps each element of `x` to `min` and `max`: NumPy's `clip`. All three operands broadcast. The
/// expression keeps an error by rules P1 and C1 for [`Expr::eval`].
///
/// ```
/// use indim::{Expr, numpy};
///
/// let (x, v) = (Expr::<f32>::iota([2, 3], 0), Expr::<f32>::iota([3], 0));
/// assert_eq!(numpy::clamp(0.0, x, v).shape()?.dims(), [2, 3]);
/// # Ok::<(), indim::Error>(())
/// ```
#[track_caller]
pub fn clamp<T: Real>(
    min: impl IntoExpr<T>,
    x: impl IntoExpr<T>,
    max: impl IntoExpr<T>,
) -> Expr<T> {
    let (min, x, max) = (min.into_expr(), x.into_expr(), max.into_expr());
    lazily(Location::caller(), || {
        elementwise(Opcode::Clamp, &[min.node_ref()?, x.node_ref()?, max.node_ref()?])
    })
}

macro_rules! function {
    (binary $class:ident $name:ident $method:ident $bound:ident $result:ident [$($doc:literal)+] []) => {
        $(#[doc = $doc])+
        ///
        /// The expression keeps an error by rules P1 and C1 for [`Expr::eval`].
        ///
        /// ```
        #[doc = concat!(
            "let x = indim::Expr::<", example_type!($bound), ">::iota([2, 3], 0);\n",
            "let v = indim::Expr::<", example_type!($bound), ">::iota([3], 0);\n",
            "assert_eq!(indim::numpy::", stringify!($method), "(x, v).shape()?.dims(), [2, 3]);",
        )]
        /// # Ok::<(), indim::Error>(())
        /// ```
        #[track_caller]
        pub fn $method<T: $bound>(
            lhs: impl IntoExpr<T>,
            rhs: impl IntoExpr<T>,
        ) -> Expr<result_element!($result)> {
            binary(Opcode::$name, &lhs.into_expr(), &rhs.into_expr(), Location::caller())
        }
    };
    (
        structured Pair $name:ident $method:ident $bound:ident $result:ident [$($doc:literal)+]
        [$first:ident, $second:ident; ; $shape:tt; $errors:literal]
    ) => {
        $(#[doc = $doc])+
        ///
        /// Here they broadcast. The expression keeps an error by rules P1 and C1 for [`Expr::eval`].
        ///
        /// ```
        #[doc = concat!(
            "let x = indim::Expr::<", example_type!($bound), ">::iota([2, 3], 0);\n",
            "let v = indim::Expr::<", example_type!($bound), ">::iota([3], 0);\n",
            "assert_eq!(indim::numpy::", stringify!($method), "(x, v).shape()?.dims(), [2, 3]);",
        )]
        /// # Ok::<(), indim::Error>(())
        /// ```
        #[track_caller]
        pub fn $method<T: $bound>(
            $first: impl IntoExpr<T>,
            $second: impl IntoExpr<T>,
        ) -> Expr<result_element!($result)> {
            let ($first, $second) = ($first.into_expr(), $second.into_expr());
            lazily(Location::caller(), || {
                elementwise(Opcode::$name, &[$first.node_ref()?, $second.node_ref()?])
            })
        }
    };
    // Nothing broadcasts, or only scalars do. Select and clamp are written by hand.
    ($kind:ident $($rest:tt)*) => {};
}

for_each_op! { function }

fn binary<T: Element, R: Element>(
    opcode: Opcode,
    lhs: &Expr<T>,
    rhs: &Expr<T>,
    location: &'static Location<'static>,
) -> Expr<R> {
    lazily(location, || aligned_binary(opcode, lhs.node_ref()?, rhs.node_ref()?))
}

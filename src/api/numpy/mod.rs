//! NumPy's implicit broadcasting, by name. Each function aligns shapes at the last dimension,
//! computes the `broadcast_dimensions` that this means, and calls the explicit operation.
//!
//! XLA's document "Broadcasting semantics" says that implicit features belong in client-level
//! wrappers; this is one. The rule is NumPy's, of the page "Broadcasting" in its manual.
//!
//! The functions here take operands of one element type; those of [`promoted`] first convert theirs
//! by NumPy's [`result_type`]. Those of [`expr`] build lazy expressions, and those of [`any`] the
//! same with types known at run time.
//!
//! ```no_run
//! # fn main() -> indim::Result<()> {
//! let gpu = indim::Context::blocking()?;
//! let x = gpu.array([2, 3], &[1_f32, 2., 3., 4., 5., 6.])?;
//! let v = gpu.array([3], &[7_f32, 8., 9.])?;
//! let sum = indim::numpy::add(&x, &v)?;
//! assert_eq!(sum.to_vec_blocking()?, [8., 10., 12., 11., 13., 15.]);
//! # Ok(())
//! # }
//! ```

mod alignment;
pub mod any;
pub mod expr;
pub mod promoted;
mod promotion;
mod typed;

use num_complex::Complex32;

pub use alignment::broadcast_dimensions;
pub use promotion::result_type;

use self::alignment::aligned;
#[cfg(doc)]
use crate::api::expr::Expr;
use crate::api::operand::{Choice, IntoExpr};
use crate::device::arrays::array::Array;
use crate::semantics::element::{Bitwise, Element, Float, Inexact, Integer, Number, Ordered, Real};
use crate::semantics::error::Result;
use crate::semantics::opcode::Opcode;
use crate::semantics::shape::Shape;

/// Returns the shape that NumPy broadcasts these shapes to: its `broadcast_shapes`. Without shapes
/// it has rank 0.
///
/// # Errors
/// [`BroadcastError`](crate::BroadcastError) by rule P1; [`ShapeError`](crate::ShapeError) by rule
/// C1.
pub fn broadcast_shapes(shapes: &[&Shape]) -> Result<Shape> {
    aligned("broadcast_shapes", shapes)
}

/// Broadcasts the operand to a shape, aligned at the last dimension: NumPy's `broadcast_to`.
///
/// # Errors
/// [`BroadcastError`](crate::BroadcastError) by rules D1 to D4; [`ShapeError`](crate::ShapeError)
/// by rule C1; those of [`Expr::eval`].
pub fn broadcast_to<T: Element>(x: impl IntoExpr<T>, shape: impl Into<Shape>) -> Result<Array<T>> {
    typed::broadcast_to(&x.into_expr(), &shape.into())?.eval()
}

/// Selects elements of `on_true` where `pred` is true, else of `on_false`: NumPy's `where`. All
/// three operands broadcast.
///
/// # Errors
/// [`BroadcastError`](crate::BroadcastError) by rule P1; [`ShapeError`](crate::ShapeError) by rule
/// C1; those of [`Expr::eval`].
pub fn select<T: Element>(
    pred: impl IntoExpr<bool>,
    on_true: impl Choice<T>,
    on_false: impl Choice<T>,
) -> Result<Array<T>> {
    let (on_true, on_false) = (on_true.into_choice(), on_false.into_choice());
    typed::select(&pred.into_expr(), &on_true, &on_false)?.eval()
}

/// Clamps each element of `x` to `min` and `max`: NumPy's `clip`. All three operands broadcast.
///
/// # Errors
/// [`BroadcastError`](crate::BroadcastError) by rule P1; [`ShapeError`](crate::ShapeError) by rule
/// C1; those of [`Expr::eval`].
pub fn clamp<T: Real>(
    min: impl IntoExpr<T>,
    x: impl IntoExpr<T>,
    max: impl IntoExpr<T>,
) -> Result<Array<T>> {
    typed::clamp(&min.into_expr(), &x.into_expr(), &max.into_expr())?.eval()
}

/// Computes the float next to `from` in the direction of `to`: NumPy's `nextafter`. Both operands
/// broadcast.
///
/// # Errors
/// [`BroadcastError`](crate::BroadcastError) by rule P1; [`ShapeError`](crate::ShapeError) by rule
/// C1; those of [`Expr::eval`].
pub fn next_after<T: Float>(from: impl IntoExpr<T>, to: impl IntoExpr<T>) -> Result<Array<T>> {
    typed::next_after(&from.into_expr(), &to.into_expr())?.eval()
}

macro_rules! binary {
    ($bound:ident -> $result:ident: $($name:ident $opcode:ident,)*) => {$(
        #[doc = concat!("Computes [`Opcode::", stringify!($opcode), "`] of operands aligned at the last dimension.")]
        ///
        /// # Errors
        /// [`BroadcastError`](crate::BroadcastError) by rule P1; [`ShapeError`](crate::ShapeError)
        /// by rule C1; those of [`Expr::eval`].
        pub fn $name<T: $bound>(lhs: impl IntoExpr<T>, rhs: impl IntoExpr<T>) -> Result<Array<$result>> {
            typed::binary(Opcode::$opcode, &lhs.into_expr(), &rhs.into_expr())?.eval()
        }
    )*};
}

binary!(Element -> T: add Add, mul Mul,);
binary!(Ordered -> T: max Max, min Min,);
binary!(Number -> T: sub Sub, div Div, pow Pow,);
binary!(Real -> T: rem Rem, floor_divide FloorDivide, remainder Remainder,);
binary!(Float -> T: copysign Copysign, hypot Hypot, logaddexp Logaddexp,);
binary!(Inexact -> T: atan2 Atan2,);
binary!(Bitwise -> T: and And, or Or, xor Xor,);
binary!(Integer -> T:
    shift_left ShiftLeft, shift_right_logical ShiftRightLogical,
    shift_right_arithmetic ShiftRightArithmetic,
);
binary!(Element -> bool: eq Eq, ne Ne,);
binary!(Ordered -> bool: lt Lt, le Le, gt Gt, ge Ge,);

/// Computes [`Opcode::Complex`] of operands aligned at the last dimension.
///
/// # Errors
/// [`BroadcastError`](crate::BroadcastError) by rule P1; [`ShapeError`](crate::ShapeError) by rule
/// C1; those of [`Expr::eval`].
pub fn complex(real: impl IntoExpr<f32>, imag: impl IntoExpr<f32>) -> Result<Array<Complex32>> {
    typed::binary(Opcode::Complex, &real.into_expr(), &imag.into_expr())?.eval()
}

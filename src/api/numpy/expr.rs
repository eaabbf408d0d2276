//! NumPy's implicit broadcasting for lazy, typed expressions. The functions build an [`Expr`] and
//! compute nothing; those of [`numpy`](crate::numpy) have the same names and compute an array.
//!
//! ```
//! use indim::{Expr, numpy};
//!
//! let (x, v) = (Expr::<f32>::iota([2, 3], 0), Expr::<f32>::iota([3], 0));
//! let y = numpy::expr::mul(numpy::expr::add(&x, &v), 2.0).exp();
//! assert_eq!(y.shape()?.dims(), [2, 3]);
//! # Ok::<(), indim::Error>(())
//! ```
//!
//! An error stays in the expression, with the place of the call, until [`Expr::eval`] returns it.

use std::panic::Location;

use num_complex::Complex32;

use super::typed;
use crate::api::expr::Expr;
use crate::api::operand::{Choice, IntoExpr};
use crate::api::operations::or_error;
use crate::semantics::element::{Bitwise, Element, Float, Inexact, Integer, Number, Ordered, Real};
use crate::semantics::opcode::Opcode;
use crate::semantics::shape::Shape;

/// Broadcasts the operand to a shape, aligned at the last dimension: NumPy's `broadcast_to`. The
/// expression keeps an error by rules D1 to D4 and C1 for [`Expr::eval`].
#[track_caller]
pub fn broadcast_to<T: Element>(x: impl IntoExpr<T>, shape: impl Into<Shape>) -> Expr<T> {
    or_error(typed::broadcast_to(&x.into_expr(), &shape.into()), Location::caller())
}

/// Selects elements of `on_true` where `pred` is true, else of `on_false`: NumPy's `where`. All
/// three operands broadcast. The expression keeps an error by rules P1 and C1 for [`Expr::eval`].
#[track_caller]
pub fn select<T: Element>(
    pred: impl IntoExpr<bool>,
    on_true: impl Choice<T>,
    on_false: impl Choice<T>,
) -> Expr<T> {
    let (on_true, on_false) = (on_true.into_choice(), on_false.into_choice());
    or_error(typed::select(&pred.into_expr(), &on_true, &on_false), Location::caller())
}

/// Clamps each element of `x` to `min` and `max`: NumPy's `clip`. All three operands broadcast. The
/// expression keeps an error by rules P1 and C1 for [`Expr::eval`].
#[track_caller]
pub fn clamp<T: Real>(
    min: impl IntoExpr<T>,
    x: impl IntoExpr<T>,
    max: impl IntoExpr<T>,
) -> Expr<T> {
    let made = typed::clamp(&min.into_expr(), &x.into_expr(), &max.into_expr());
    or_error(made, Location::caller())
}

/// Builds the float next to `from` in the direction of `to`: NumPy's `nextafter`. Both operands
/// broadcast. The expression keeps an error by rules P1 and C1 for [`Expr::eval`].
#[track_caller]
pub fn next_after<T: Float>(from: impl IntoExpr<T>, to: impl IntoExpr<T>) -> Expr<T> {
    or_error(typed::next_after(&from.into_expr(), &to.into_expr()), Location::caller())
}

/// Builds [`Opcode::Complex`] of operands aligned at the last dimension. The expression keeps an
/// error by rules P1 and C1 for [`Expr::eval`].
#[track_caller]
pub fn complex(real: impl IntoExpr<f32>, imag: impl IntoExpr<f32>) -> Expr<Complex32> {
    let made = typed::binary(Opcode::Complex, &real.into_expr(), &imag.into_expr());
    or_error(made, Location::caller())
}

macro_rules! binary {
    ($bound:ident -> $result:ident: $($name:ident $opcode:ident,)*) => {$(
        #[doc = concat!("Builds [`Opcode::", stringify!($opcode), "`] of operands aligned at the last dimension.")]
        /// The expression keeps an error by rules P1 and C1 for [`Expr::eval`].
        #[track_caller]
        pub fn $name<T: $bound>(lhs: impl IntoExpr<T>, rhs: impl IntoExpr<T>) -> Expr<$result> {
            let made = typed::binary(Opcode::$opcode, &lhs.into_expr(), &rhs.into_expr());
            or_error(made, Location::caller())
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

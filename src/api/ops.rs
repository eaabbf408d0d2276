//! Eager operations with XlaBuilder's signatures: each computes its result at once, without
//! waiting for the GPU.
//!
//! What is computed comes from [`Expr::eval`], and so do errors that are not of a rule:
//! [`ArrayError::NoContext`](crate::ArrayError::NoContext) where all operands are numbers,
//! [`ArrayError::TwoContexts`](crate::ArrayError::TwoContexts), [`DeviceError`](crate::DeviceError).

use crate::device::array::Array;
use crate::device::context::Context;
use num_complex::Complex32;

use crate::api::expr::{Expr, IntoExpr};
use crate::api::operations;
use crate::semantics::element::{
    Bitwise, Element, Float, Inexact, Integer, Number, Ordered, Real, Signed,
};
use crate::semantics::error::Result;
use crate::semantics::opcode::Opcode;

macro_rules! binary {
    ($bound:ident -> $result:ident: $($name:ident $opcode:ident,)*) => {$(
        #[doc = concat!("[`Opcode::", stringify!($opcode), "`]. `broadcast_dimensions` says which dimension of the higher-rank operand each dimension of the lower-rank one matches; empty for equal ranks and scalars.")]
        ///
        /// # Errors
        /// Rules B1 to B8, C1; those of [`Expr::eval`].
        pub fn $name<T: $bound>(
            lhs: impl IntoExpr<T>,
            rhs: impl IntoExpr<T>,
            broadcast_dimensions: &[i64],
        ) -> Result<Array<$result>> {
            let (lhs, rhs) = (lhs.into_expr(), rhs.into_expr());
            operations::binary(Opcode::$opcode, &lhs, &rhs, broadcast_dimensions)?.eval()
        }
    )*};
}

binary!(Element -> T: add Add, mul Mul,);
binary!(Ordered -> T: max Max, min Min,);
binary!(Number -> T: sub Sub, div Div, pow Pow,);
binary!(Real -> T: rem Rem,);
binary!(Inexact -> T: atan2 Atan2,);
binary!(Bitwise -> T: and And, or Or, xor Xor,);
binary!(Integer -> T:
    shift_left ShiftLeft, shift_right_logical ShiftRightLogical,
    shift_right_arithmetic ShiftRightArithmetic,
);
binary!(Element -> bool: eq Eq, ne Ne,);
binary!(Ordered -> bool:
    lt Lt, le Le, gt Gt, ge Ge,
    eq_total_order EqTotalOrder, ne_total_order NeTotalOrder, lt_total_order LtTotalOrder,
    le_total_order LeTotalOrder, gt_total_order GtTotalOrder, ge_total_order GeTotalOrder,
);

macro_rules! unary {
    ($bound:ident -> $result:ident: $($name:ident $opcode:ident,)*) => {$(
        #[doc = concat!("[`Opcode::", stringify!($opcode), "`].")]
        ///
        /// # Errors
        /// Those of [`Expr::eval`].
        pub fn $name<T: $bound>(operand: impl IntoExpr<T>) -> Result<Array<$result>> {
            operations::unary::<T, $result>(Opcode::$opcode, &operand.into_expr())?.eval()
        }
    )*};
}

unary!(Number -> T: neg Neg,);
unary!(Signed -> T: sign Sign,);
unary!(Element -> T: square Square,);
unary!(Bitwise -> T: not Not,);
unary!(Integer -> T: clz Clz, population_count PopulationCount,);
unary!(Float -> bool: is_finite IsFinite,);
unary!(Float -> T:
    ceil Ceil, floor Floor, round Round, round_nearest_even RoundNearestEven, cbrt Cbrt, erf Erf,
    erfc Erfc, erf_inv ErfInv, lgamma Lgamma, digamma Digamma, bessel_i0e BesselI0e,
    bessel_i1e BesselI1e,
);
unary!(Inexact -> T:
    sqrt Sqrt, rsqrt Rsqrt, exp Exp, expm1 Expm1, log Log, log1p Log1p, logistic Logistic,
    sin Sin, cos Cos, tan Tan, tanh Tanh, sinh Sinh, cosh Cosh, asin Asin, acos Acos, atan Atan,
    asinh Asinh, acosh Acosh, atanh Atanh, reciprocal Reciprocal,
);

/// [`Opcode::Abs`]; of C64, it is F32.
///
/// # Errors
/// Those of [`Expr::eval`].
pub fn abs<T: Signed>(operand: impl IntoExpr<T>) -> Result<Array<T::Magnitude>> {
    operations::unary::<T, T::Magnitude>(Opcode::Abs, &operand.into_expr())?.eval()
}

/// [`Opcode::Real`]; of C64, it is F32.
///
/// # Errors
/// Those of [`Expr::eval`].
pub fn real<T: Inexact>(operand: impl IntoExpr<T>) -> Result<Array<T::Part>> {
    operations::unary::<T, T::Part>(Opcode::Real, &operand.into_expr())?.eval()
}

/// [`Opcode::Imag`]; of C64, it is F32.
///
/// # Errors
/// Those of [`Expr::eval`].
pub fn imag<T: Inexact>(operand: impl IntoExpr<T>) -> Result<Array<T::Part>> {
    operations::unary::<T, T::Part>(Opcode::Imag, &operand.into_expr())?.eval()
}

/// [`Opcode::Conj`].
///
/// # Errors
/// Those of [`Expr::eval`].
pub fn conj(operand: impl IntoExpr<Complex32>) -> Result<Array<Complex32>> {
    operations::unary::<Complex32, Complex32>(Opcode::Conj, &operand.into_expr())?.eval()
}

/// [`Opcode::Complex`]. `broadcast_dimensions` as in [`add()`].
///
/// # Errors
/// As [`add()`].
pub fn complex(
    real: impl IntoExpr<f32>,
    imag: impl IntoExpr<f32>,
    broadcast_dimensions: &[i64],
) -> Result<Array<Complex32>> {
    let (real, imag) = (real.into_expr(), imag.into_expr());
    operations::binary(Opcode::Complex, &real, &imag, broadcast_dimensions)?.eval()
}

/// The same values as elements of type `R`: `convert_element_type::<_, i32>(&x)`.
///
/// # Errors
/// Those of [`Expr::eval`].
pub fn convert_element_type<T: Element, R: Element>(operand: impl IntoExpr<T>) -> Result<Array<R>> {
    operations::convert::<T, R>(Opcode::ConvertElementType, &operand.into_expr())?.eval()
}

/// The same bits as elements of type `R`. Where that is narrower, the result has a last dimension
/// more, of so many as an element holds, the lowest bits first; where it is wider, such a dimension
/// less.
///
/// # Errors
/// Rules T4, C1; those of [`Expr::eval`].
pub fn bitcast_convert_type<T: Element, R: Element>(operand: impl IntoExpr<T>) -> Result<Array<R>> {
    operations::convert::<T, R>(Opcode::BitcastConvertType, &operand.into_expr())?.eval()
}

/// `on_true` where `pred` holds, else `on_false`; only scalars broadcast.
///
/// # Errors
/// Rule S1; those of [`Expr::eval`].
pub fn select<T: Element>(
    pred: impl IntoExpr<bool>,
    on_true: impl IntoExpr<T>,
    on_false: impl IntoExpr<T>,
) -> Result<Array<T>> {
    operations::select(&pred.into_expr(), &on_true.into_expr(), &on_false.into_expr())?.eval()
}

/// `min(max(min_bound, x), max_bound)`; only scalars broadcast.
///
/// # Errors
/// Rule S1; those of [`Expr::eval`].
pub fn clamp<T: Real>(
    min: impl IntoExpr<T>,
    x: impl IntoExpr<T>,
    max: impl IntoExpr<T>,
) -> Result<Array<T>> {
    operations::clamp(&min.into_expr(), &x.into_expr(), &max.into_expr())?.eval()
}

/// The float next to `from` in the direction of `to`; only scalars broadcast.
///
/// # Errors
/// Rule S1; those of [`Expr::eval`].
pub fn next_after<T: Float>(from: impl IntoExpr<T>, to: impl IntoExpr<T>) -> Result<Array<T>> {
    operations::next_after(&from.into_expr(), &to.into_expr())?.eval()
}

/// The operand rounded to a format with so many exponent and mantissa bits: f16's are 5 and 10,
/// bf16's 8 and 7.
///
/// # Errors
/// Rule T5; those of [`Expr::eval`].
pub fn reduce_precision<T: Float>(
    operand: impl IntoExpr<T>,
    exponent_bits: i64,
    mantissa_bits: i64,
) -> Result<Array<T>> {
    operations::reduce_precision(&operand.into_expr(), exponent_bits, mantissa_bits)?.eval()
}

/// The operand repeated along new major dimensions of these sizes.
///
/// # Errors
/// Rules N1, C1; those of [`Expr::eval`].
pub fn broadcast<T: Element>(operand: impl IntoExpr<T>, sizes: &[i64]) -> Result<Array<T>> {
    operations::broadcast(&operand.into_expr(), sizes)?.eval()
}

/// The operand in a shape of these sizes; `broadcast_dimensions` says where its dimensions go.
///
/// # Errors
/// Rules N1, D1 to D5, C1; those of [`Expr::eval`].
pub fn broadcast_in_dim<T: Element>(
    operand: impl IntoExpr<T>,
    out_sizes: &[i64],
    broadcast_dimensions: &[i64],
) -> Result<Array<T>> {
    operations::broadcast_in_dim(&operand.into_expr(), out_sizes, broadcast_dimensions)?.eval()
}

/// The operand's dimensions in another order: dimension i of the result is dimension
/// `permutation[i]` of the operand.
///
/// As an array has its elements in row-major order, this copies them; in an expression it does not
/// ([`Expr::transpose`]). The same holds for [`slice()`] and [`reverse()`].
///
/// # Errors
/// Rule V1; those of [`Expr::eval`].
pub fn transpose<T: Element>(operand: impl IntoExpr<T>, permutation: &[i64]) -> Result<Array<T>> {
    operations::transpose(&operand.into_expr(), permutation)?.eval()
}

/// In each dimension the elements from `start_indices` up to, but without, `limit_indices`, every
/// `strides`-th one.
///
/// # Errors
/// Rules V2, V3, V4; those of [`Expr::eval`].
pub fn slice<T: Element>(
    operand: impl IntoExpr<T>,
    start_indices: &[i64],
    limit_indices: &[i64],
    strides: &[i64],
) -> Result<Array<T>> {
    operations::slice(&operand.into_expr(), start_indices, limit_indices, strides)?.eval()
}

/// The operand backwards along these dimensions; XlaBuilder's `Rev`.
///
/// # Errors
/// Rule V5; those of [`Expr::eval`].
pub fn reverse<T: Element>(operand: impl IntoExpr<T>, dimensions: &[i64]) -> Result<Array<T>> {
    operations::reverse(&operand.into_expr(), dimensions)?.eval()
}

/// The operand's elements, in the same row-major order, in a shape of these sizes: of an array, the
/// same memory.
///
/// # Errors
/// Rules N1, C1, V6; those of [`Expr::eval`].
pub fn reshape<T: Element>(operand: impl IntoExpr<T>, new_sizes: &[i64]) -> Result<Array<T>> {
    operations::reshape(&operand.into_expr(), new_sizes)?.eval()
}

/// 0, 1, 2, ... along one dimension of a shape of these sizes.
///
/// # Errors
/// Rules N1, I1, C1; those of [`Expr::eval`].
pub fn iota<T: Number>(context: &Context, sizes: &[i64], iota_dimension: i64) -> Result<Array<T>> {
    context.eval(&Expr::iota(sizes, iota_dimension))
}

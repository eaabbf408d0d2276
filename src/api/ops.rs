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

use crate::device::arrays::array::Array;
use crate::device::context::Context;
use num_complex::Complex32;

use crate::api::expr::Expr;
use crate::api::operand::{Choice, IntoExpr};
use crate::api::operations;
use crate::semantics::dims::Dims;
use crate::semantics::element::{
    Bitwise, Element, Float, Inexact, Integer, Number, Ordered, Real, Signed,
};
use crate::semantics::error::Result;
use crate::semantics::opcode::Opcode;

macro_rules! binary {
    ($bound:ident -> $result:ident: $($name:ident $opcode:ident,)*) => {$(
        #[doc = concat!("Computes [`Opcode::", stringify!($opcode), "`] elementwise.")]
        ///
        /// `broadcast_dimensions[i]` is the dimension of the higher-rank operand that dimension i
        /// of the lower-rank one matches. It is empty for operands of equal rank and for scalars.
        /// In matched dimensions, size 1 stretches to the other size.
        ///
        /// # Errors
        /// [`BroadcastError`](crate::BroadcastError) by rules B1 to B8 of XLA's document
        /// "Broadcasting semantics"; [`ShapeError`](crate::ShapeError) by rule C1; those of
        /// [`Expr::eval`].
        pub fn $name<T: $bound>(
            lhs: impl IntoExpr<T>,
            rhs: impl IntoExpr<T>,
            broadcast_dimensions: impl Dims,
        ) -> Result<Array<$result>> {
            let (lhs, rhs) = (lhs.into_expr(), rhs.into_expr());
            operations::binary(Opcode::$opcode, &lhs, &rhs, &broadcast_dimensions.to_signed())?.eval()
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
binary!(Ordered -> bool:
    lt Lt, le Le, gt Gt, ge Ge,
    eq_total_order EqTotalOrder, ne_total_order NeTotalOrder, lt_total_order LtTotalOrder,
    le_total_order LeTotalOrder, gt_total_order GtTotalOrder, ge_total_order GeTotalOrder,
);

macro_rules! unary {
    ($bound:ident -> $result:ident: $($name:ident $opcode:ident,)*) => {$(
        #[doc = concat!("Computes [`Opcode::", stringify!($opcode), "`] of each element. The result has the operand's shape.")]
        ///
        /// # Errors
        /// It returns the errors of [`Expr::eval`].
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
unary!(Float -> bool: is_finite IsFinite, signbit Signbit,);
unary!(Inexact -> bool: is_inf IsInf, is_nan IsNan,);
unary!(Float -> T:
    ceil Ceil, floor Floor, trunc Trunc, round Round, round_nearest_even RoundNearestEven,
    cbrt Cbrt, erf Erf, erfc Erfc, erf_inv ErfInv, lgamma Lgamma, digamma Digamma, bessel_i0e BesselI0e,
    bessel_i1e BesselI1e,
);
unary!(Inexact -> T:
    sqrt Sqrt, rsqrt Rsqrt, exp Exp, expm1 Expm1, log Log, log2 Log2, log10 Log10,
    log1p Log1p, logistic Logistic,
    sin Sin, cos Cos, tan Tan, tanh Tanh, sinh Sinh, cosh Cosh, asin Asin, acos Acos, atan Atan,
    asinh Asinh, acosh Acosh, atanh Atanh, reciprocal Reciprocal,
);

/// Computes [`Opcode::Abs`] of each element: F32 for C64, else the operand's type.
///
/// # Errors
/// It returns the errors of [`Expr::eval`].
pub fn abs<T: Signed>(operand: impl IntoExpr<T>) -> Result<Array<T::Magnitude>> {
    operations::unary::<T, T::Magnitude>(Opcode::Abs, &operand.into_expr())?.eval()
}

/// Computes [`Opcode::Real`] of each element: F32 for C64, else the operand's type.
///
/// # Errors
/// It returns the errors of [`Expr::eval`].
pub fn real<T: Inexact>(operand: impl IntoExpr<T>) -> Result<Array<T::Part>> {
    operations::unary::<T, T::Part>(Opcode::Real, &operand.into_expr())?.eval()
}

/// Computes [`Opcode::Imag`] of each element: F32 for C64, else the operand's type.
///
/// # Errors
/// It returns the errors of [`Expr::eval`].
pub fn imag<T: Inexact>(operand: impl IntoExpr<T>) -> Result<Array<T::Part>> {
    operations::unary::<T, T::Part>(Opcode::Imag, &operand.into_expr())?.eval()
}

/// Computes [`Opcode::Conj`] of each element. The result has the operand's shape.
///
/// # Errors
/// It returns the errors of [`Expr::eval`].
pub fn conj(operand: impl IntoExpr<Complex32>) -> Result<Array<Complex32>> {
    operations::unary::<Complex32, Complex32>(Opcode::Conj, &operand.into_expr())?.eval()
}

/// Computes [`Opcode::Complex`]: complex numbers of real and imaginary parts.
/// `broadcast_dimensions` is that of [`add()`].
///
/// # Errors
/// It returns the errors of [`add()`].
pub fn complex(
    real: impl IntoExpr<f32>,
    imag: impl IntoExpr<f32>,
    broadcast_dimensions: impl Dims,
) -> Result<Array<Complex32>> {
    let (real, imag) = (real.into_expr(), imag.into_expr());
    operations::binary(Opcode::Complex, &real, &imag, &broadcast_dimensions.to_signed())?.eval()
}

/// Converts the values to elements of type `R`, as in `convert_element_type::<_, i32>(&x)`. The
/// shape stays; see [`Opcode::ConvertElementType`] for the rules.
///
/// # Errors
/// It returns the errors of [`Expr::eval`].
pub fn convert_element_type<T: Element, R: Element>(operand: impl IntoExpr<T>) -> Result<Array<R>> {
    operations::convert::<T, R>(Opcode::ConvertElementType, &operand.into_expr())?.eval()
}

/// Reads the bits as elements of type `R`. For a narrower type, the result has one more dimension,
/// the last, which holds the parts of each operand element, lowest bits first. For a wider type,
/// the operand's last dimension must have that size, and is removed.
///
/// # Errors
/// [`TypeError`](crate::TypeError) by rule T4; [`ShapeError`](crate::ShapeError) by rule C1; those
/// of [`Expr::eval`].
pub fn bitcast_convert_type<T: Element, R: Element>(operand: impl IntoExpr<T>) -> Result<Array<R>> {
    operations::convert::<T, R>(Opcode::BitcastConvertType, &operand.into_expr())?.eval()
}

/// Selects elements of `on_true` where `pred` is true, else of `on_false`. The operands have one
/// shape or are scalars.
///
/// # Errors
/// [`BroadcastError`](crate::BroadcastError) by rule S1; those of [`Expr::eval`].
pub fn select<T: Element>(
    pred: impl IntoExpr<bool>,
    on_true: impl Choice<T>,
    on_false: impl Choice<T>,
) -> Result<Array<T>> {
    operations::select(&pred.into_expr(), &on_true.into_choice(), &on_false.into_choice())?.eval()
}

/// Clamps each element: the smaller one of `max` and the larger one of `min` and `x`. The operands
/// have one shape or are scalars.
///
/// # Errors
/// [`BroadcastError`](crate::BroadcastError) by rule S1; those of [`Expr::eval`].
pub fn clamp<T: Real>(
    min: impl IntoExpr<T>,
    x: impl IntoExpr<T>,
    max: impl IntoExpr<T>,
) -> Result<Array<T>> {
    operations::clamp(&min.into_expr(), &x.into_expr(), &max.into_expr())?.eval()
}

/// Computes the float next to `from` in the direction of `to`, as C's `nextafter`. The operands
/// have one shape or are scalars.
///
/// # Errors
/// [`BroadcastError`](crate::BroadcastError) by rule S1; those of [`Expr::eval`].
pub fn next_after<T: Float>(from: impl IntoExpr<T>, to: impl IntoExpr<T>) -> Result<Array<T>> {
    operations::next_after(&from.into_expr(), &to.into_expr())?.eval()
}

/// Rounds each element to a format with `exponent_bits` and `mantissa_bits` bits; F16 has 5 and 10,
/// BF16 has 8 and 7. Element type and shape stay.
///
/// # Errors
/// [`TypeError`](crate::TypeError) by rule T5; those of [`Expr::eval`].
pub fn reduce_precision<T: Float>(
    operand: impl IntoExpr<T>,
    exponent_bits: i64,
    mantissa_bits: i64,
) -> Result<Array<T>> {
    operations::reduce_precision(&operand.into_expr(), exponent_bits, mantissa_bits)?.eval()
}

/// Repeats the operand along new dimensions of these sizes, which stand before its own.
///
/// # Errors
/// [`ShapeError`](crate::ShapeError) by rules N1 and C1; those of [`Expr::eval`].
pub fn broadcast<T: Element>(operand: impl IntoExpr<T>, sizes: impl Dims) -> Result<Array<T>> {
    operations::broadcast(&operand.into_expr(), &sizes.to_signed())?.eval()
}

/// Broadcasts the operand to the output sizes: its dimension i becomes dimension
/// `broadcast_dimensions[i]` of the output. Size 1 stretches.
///
/// # Errors
/// [`BroadcastError`](crate::BroadcastError) by rules D1 to D5; [`ShapeError`](crate::ShapeError)
/// by rules N1 and C1; those of [`Expr::eval`].
pub fn broadcast_in_dim<T: Element>(
    operand: impl IntoExpr<T>,
    out_sizes: impl Dims,
    broadcast_dimensions: impl Dims,
) -> Result<Array<T>> {
    let (sizes, dims) = (out_sizes.to_signed(), broadcast_dimensions.to_signed());
    operations::broadcast_in_dim(&operand.into_expr(), &sizes, &dims)?.eval()
}

/// Transposes the operand: dimension i of the result is dimension `permutation[i]` of the operand.
///
/// The result is an array in row-major order, so that this copies the elements. In an expression a
/// transpose copies nothing ([`Expr::transpose`]). The same holds for [`slice()`] and
/// [`reverse()`].
///
/// # Errors
/// [`ViewError`](crate::ViewError) by rule V1; those of [`Expr::eval`].
pub fn transpose<T: Element>(
    operand: impl IntoExpr<T>,
    permutation: impl Dims,
) -> Result<Array<T>> {
    operations::transpose(&operand.into_expr(), &permutation.to_signed())?.eval()
}

/// Slices the operand: in dimension d it takes the elements from index `start_indices[d]` up to,
/// but without, `limit_indices[d]`, every `strides[d]`-th one.
///
/// # Errors
/// [`ViewError`](crate::ViewError) by rules V2, V3 and V4; those of [`Expr::eval`].
pub fn slice<T: Element>(
    operand: impl IntoExpr<T>,
    start_indices: impl Dims,
    limit_indices: impl Dims,
    strides: impl Dims,
) -> Result<Array<T>> {
    let (starts, limits) = (start_indices.to_signed(), limit_indices.to_signed());
    operations::slice(&operand.into_expr(), &starts, &limits, &strides.to_signed())?.eval()
}

/// Reverses the operand's elements along these dimensions; XlaBuilder's `Rev`.
///
/// # Errors
/// [`ViewError`](crate::ViewError) by rule V5; those of [`Expr::eval`].
pub fn reverse<T: Element>(operand: impl IntoExpr<T>, dimensions: impl Dims) -> Result<Array<T>> {
    operations::reverse(&operand.into_expr(), &dimensions.to_signed())?.eval()
}

/// Reshapes the operand: the result has its elements, in the same row-major order, in a shape of
/// these sizes. The result of an array shares its memory.
///
/// # Errors
/// [`ShapeError`](crate::ShapeError) by rules N1 and C1; [`ViewError`](crate::ViewError) by rule
/// V6; those of [`Expr::eval`].
pub fn reshape<T: Element>(operand: impl IntoExpr<T>, new_sizes: impl Dims) -> Result<Array<T>> {
    operations::reshape(&operand.into_expr(), &new_sizes.to_signed())?.eval()
}

/// Pads the operand with a scalar: in dimension d, `low[d]` elements stand before its own,
/// `high[d]` after them, and `interior[d]` between any two neighbours. A negative low or high
/// amount removes that many elements at that end.
///
/// The result is a new array; in an expression a pad copies nothing ([`Expr::pad`]). The same holds
/// for [`concatenate()`] and [`roll()`].
///
/// # Errors
/// [`ViewError`](crate::ViewError) by rules V7 and V8; [`ShapeError`](crate::ShapeError) by rule C1;
/// those of [`Expr::eval`].
pub fn pad<T: Element>(
    operand: impl IntoExpr<T>,
    padding_value: impl IntoExpr<T>,
    low: impl Dims,
    high: impl Dims,
    interior: impl Dims,
) -> Result<Array<T>> {
    let (operand, padding_value) = (operand.into_expr(), padding_value.into_expr());
    let (low, high) = (low.to_signed(), high.to_signed());
    operations::pad(&operand, &padding_value, &low, &high, &interior.to_signed())?.eval()
}

/// Returns the operands one after the other along a dimension, as `concatenate([&x, &y], 0)`;
/// XlaBuilder's `ConcatInDim`. They have equal sizes along all others.
///
/// # Errors
/// [`ViewError`](crate::ViewError) by rule V9; [`ShapeError`](crate::ShapeError) by rule C1; those of
/// [`Expr::eval`].
pub fn concatenate<T: Element>(
    operands: impl IntoIterator<Item = impl IntoExpr<T>>,
    dimension: i64,
) -> Result<Array<T>> {
    operations::concatenate(operands, dimension)?.eval()
}

/// Rolls the operand, as NumPy does: in dimension `dimensions[k]`, the element at index i goes to
/// index i + `shifts[k]`, counted modulo the size. Shifts may be negative, and larger than the size.
///
/// # Errors
/// [`ViewError`](crate::ViewError) by rule V10; those of [`Expr::eval`].
pub fn roll<T: Element>(
    operand: impl IntoExpr<T>,
    shifts: impl Dims,
    dimensions: impl Dims,
) -> Result<Array<T>> {
    operations::roll(&operand.into_expr(), &shifts.to_signed(), &dimensions.to_signed())?.eval()
}

/// Returns a shape of these sizes in which each element is its index along `iota_dimension`.
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

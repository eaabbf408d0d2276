//! Rust's operators, and XlaBuilder's operations as methods, on expressions and arrays. They never
//! panic; the expression keeps an error for [`Expr::eval`].

use std::ops;
use std::panic::Location;

use crate::device::array::Array;
use half::{bf16, f16};
use num_complex::Complex32;

use crate::api::expr::{Expr, InDim, IntoExpr, Operand};
use crate::api::operations;
use crate::semantics::element::{
    Bitwise, Element, Float, Inexact, Integer, Number, Ordered, Real, Signed,
};
use crate::semantics::opcode::Opcode;

macro_rules! binary_operators {
    ($($trait:ident $method:ident $bound:ident $opcode:ident, scalars $($scalar:ty)*;)*) => {$(
        binary_operators!(@left $trait $method $bound $opcode, Expr<T>, &Expr<T>, Array<T>, &Array<T>, InDim<T>);
        $(binary_operators!(@scalar $trait $method $opcode $scalar, Expr<$scalar>, &Expr<$scalar>, Array<$scalar>, &Array<$scalar>, InDim<$scalar>);)*
    )*};
    (@left $trait:ident $method:ident $bound:ident $opcode:ident, $($left:ty),*) => {$(
        impl<T: $bound, O: Operand<T>> ops::$trait<O> for $left {
            type Output = Expr<T>;
            #[doc = concat!("Builds [`Opcode::", stringify!($opcode), "`].")]
            #[track_caller]
            fn $method(self, rhs: O) -> Expr<T> {
                operations::binary_operands(Opcode::$opcode, self, rhs, Location::caller())
            }
        }
    )*};
    (@scalar $trait:ident $method:ident $opcode:ident $scalar:ty, $($right:ty),*) => {$(
        impl ops::$trait<$right> for $scalar {
            type Output = Expr<$scalar>;
            #[doc = concat!("Builds [`Opcode::", stringify!($opcode), "`].")]
            #[track_caller]
            fn $method(self, rhs: $right) -> Expr<$scalar> {
                operations::binary_operands(Opcode::$opcode, self, rhs, Location::caller())
            }
        }
    )*};
}

binary_operators! {
    Add add Element Add, scalars i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 Complex32;
    Sub sub Number Sub, scalars i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 Complex32;
    Mul mul Element Mul, scalars i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 Complex32;
    Div div Number Div, scalars i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 Complex32;
    Rem rem Real Rem, scalars i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64;
    BitAnd bitand Bitwise And, scalars bool i8 i16 i32 i64 u8 u16 u32 u64;
    BitOr bitor Bitwise Or, scalars bool i8 i16 i32 i64 u8 u16 u32 u64;
    BitXor bitxor Bitwise Xor, scalars bool i8 i16 i32 i64 u8 u16 u32 u64;
    Shl shl Integer ShiftLeft, scalars i8 i16 i32 i64 u8 u16 u32 u64;
}

macro_rules! shift_right {
    ($($left:ty),*) => {$(
        impl<T: Integer, O: Operand<T>> ops::Shr<O> for $left {
            type Output = Expr<T>;
            /// Builds [`Opcode::ShiftRightArithmetic`] on signed types and
            /// [`Opcode::ShiftRightLogical`] on unsigned ones, as Rust's and NumPy's `>>` do.
            #[track_caller]
            fn shr(self, rhs: O) -> Expr<T> {
                let signed = Opcode::Abs.accepts(T::ELEMENT_TYPE);
                let opcode =
                    if signed { Opcode::ShiftRightArithmetic } else { Opcode::ShiftRightLogical };
                operations::binary_operands(opcode, self, rhs, Location::caller())
            }
        }
    )*};
}
shift_right!(Expr<T>, &Expr<T>, Array<T>, &Array<T>, InDim<T>);

macro_rules! unary_operators {
    ($($trait:ident $method:ident $bound:ident $opcode:ident: $($operand:ty),*;)*) => {$($(
        impl<T: $bound> ops::$trait for $operand {
            type Output = Expr<T>;
            #[doc = concat!("Builds [`Opcode::", stringify!($opcode), "`].")]
            #[track_caller]
            fn $method(self) -> Expr<T> {
                operations::or_error(operations::unary(Opcode::$opcode, &self.into_expr()), Location::caller())
            }
        }
    )*)*};
}

unary_operators! {
    Neg neg Number Neg: Expr<T>, &Expr<T>, Array<T>, &Array<T>;
    Not not Bitwise Not: Expr<T>, &Expr<T>, Array<T>, &Array<T>;
}

/// Defines methods of one kind on expressions and, for convenience, on arrays.
macro_rules! methods {
    (binary $bound:ident: $($name:ident $opcode:ident,)*) => {
        methods!(@binary Expr $bound T: $($name $opcode,)*);
        methods!(@binary Array $bound T: $($name $opcode,)*);
    };
    (compare $bound:ident: $($name:ident $opcode:ident,)*) => {
        methods!(@binary Expr $bound bool: $($name $opcode,)*);
        methods!(@binary Array $bound bool: $($name $opcode,)*);
    };
    (unary $bound:ident: $($name:ident $opcode:ident,)*) => {
        methods!(@unary Expr $bound T: $($name $opcode,)*);
        methods!(@unary Array $bound T: $($name $opcode,)*);
    };
    (test $bound:ident: $($name:ident $opcode:ident,)*) => {
        methods!(@unary Expr $bound bool: $($name $opcode,)*);
        methods!(@unary Array $bound bool: $($name $opcode,)*);
    };
    (@binary $ty:ident $bound:ident $result:ident: $($name:ident $opcode:ident,)*) => {
        impl<T: $bound> $ty<T> {$(
            #[doc = concat!("Builds [`Opcode::", stringify!($opcode), "`]; it keeps an error, by rules B1 to B9 and C1, for [`Expr::eval`].")]
            #[track_caller]
            pub fn $name(&self, rhs: impl Operand<T>) -> Expr<$result> {
                operations::binary_operands(Opcode::$opcode, self, rhs, Location::caller())
            }
        )*}
    };
    (@unary $ty:ident $bound:ident $result:ident: $($name:ident $opcode:ident,)*) => {
        impl<T: $bound> $ty<T> {$(
            #[doc = concat!("Builds [`Opcode::", stringify!($opcode), "`]. The result has the same shape.")]
            #[track_caller]
            pub fn $name(&self) -> Expr<$result> {
                operations::or_error(operations::unary(Opcode::$opcode, &self.into_expr()), Location::caller())
            }
        )*}
    };
}

methods!(binary Ordered: max Max, min Min,);
methods!(binary Number: pow Pow,);
methods!(binary Inexact: atan2 Atan2,);
methods!(binary Real: floor_divide FloorDivide, remainder Remainder,);
methods!(binary Float: copysign Copysign, hypot Hypot, logaddexp Logaddexp,);
methods!(binary Integer: shift_right_logical ShiftRightLogical, shift_right_arithmetic ShiftRightArithmetic,);
methods!(compare Element: eq Eq, ne Ne,);
methods!(compare Ordered:
    lt Lt, le Le, gt Gt, ge Ge,
    eq_total_order EqTotalOrder, ne_total_order NeTotalOrder, lt_total_order LtTotalOrder,
    le_total_order LeTotalOrder, gt_total_order GtTotalOrder, ge_total_order GeTotalOrder,
);
methods!(unary Element: square Square,);
methods!(unary Signed: sign Sign,);
methods!(unary Integer: clz Clz, population_count PopulationCount,);
methods!(unary Float:
    ceil Ceil, floor Floor, trunc Trunc, round Round, round_nearest_even RoundNearestEven,
    cbrt Cbrt, erf Erf, erfc Erfc, erf_inv ErfInv, lgamma Lgamma, digamma Digamma, bessel_i0e BesselI0e,
    bessel_i1e BesselI1e,
);
methods!(unary Inexact:
    sqrt Sqrt, rsqrt Rsqrt, exp Exp, expm1 Expm1, log Log, log2 Log2, log10 Log10,
    log1p Log1p, logistic Logistic,
    sin Sin, cos Cos, tan Tan, tanh Tanh, sinh Sinh, cosh Cosh, asin Asin, acos Acos, atan Atan,
    asinh Asinh, acosh Acosh, atanh Atanh, reciprocal Reciprocal,
);
methods!(test Float: is_finite IsFinite, signbit Signbit,);
methods!(test Inexact: is_inf IsInf, is_nan IsNan,);

impl<T: Element> Expr<T> {
    /// Returns the operands, arrays or expressions of one type, one after the other along a
    /// dimension: `Expr::concatenate([&x, &y], 0)`. They have equal sizes along all others.
    ///
    /// # Errors
    /// The expression keeps them for `eval`: [`ViewError`](crate::ViewError) by rule V9,
    /// [`ShapeError`](crate::ShapeError) by rule C1.
    #[track_caller]
    pub fn concatenate(
        operands: impl IntoIterator<Item = impl IntoExpr<T>>,
        dimension: i64,
    ) -> Self {
        operations::or_error(operations::concatenate(operands, dimension), Location::caller())
    }
}

macro_rules! shape_methods {
    ($($ty:ident)*) => {$(
        impl<T: Element> $ty<T> {
            /// Converts the values to elements of type `R`; [`Opcode::ConvertElementType`] says
            /// how.
            #[track_caller]
            pub fn convert<R: Element>(&self) -> Expr<R> {
                let made = operations::convert(Opcode::ConvertElementType, &self.into_expr());
                operations::or_error(made, Location::caller())
            }

            /// Reads the bits as elements of type `R`: a narrower type adds a last dimension, a
            /// wider one removes it ([`Opcode::BitcastConvertType`]; rules T4, C1).
            #[track_caller]
            pub fn bitcast<R: Element>(&self) -> Expr<R> {
                let made = operations::convert(Opcode::BitcastConvertType, &self.into_expr());
                operations::or_error(made, Location::caller())
            }

            /// Repeats the value along new dimensions of these sizes, which stand before its own
            /// (rules N1, C1).
            #[track_caller]
            pub fn broadcast(&self, sizes: &[i64]) -> Expr<T> {
                operations::or_error(operations::broadcast(&self.into_expr(), sizes), Location::caller())
            }

            /// Broadcasts the value to the output sizes: its dimension i becomes dimension
            /// `broadcast_dimensions[i]` of the output (rules N1, D1 to D5, C1).
            #[track_caller]
            pub fn broadcast_in_dim(&self, out_sizes: &[i64], broadcast_dimensions: &[i64]) -> Expr<T> {
                let made =
                    operations::broadcast_in_dim(&self.into_expr(), out_sizes, broadcast_dimensions);
                operations::or_error(made, Location::caller())
            }

            /// Transposes the value: dimension i of the result is dimension `permutation[i]` of
            /// this one (rule V1). As every view, it copies nothing.
            #[track_caller]
            pub fn transpose(&self, permutation: &[i64]) -> Expr<T> {
                operations::or_error(operations::transpose(&self.into_expr(), permutation), Location::caller())
            }

            /// Slices the value: in dimension d it takes the elements from index `start_indices[d]`
            /// up to, but without, `limit_indices[d]`, every `strides[d]`-th one (rules V2 to V4).
            #[track_caller]
            pub fn slice(
                &self,
                start_indices: &[i64],
                limit_indices: &[i64],
                strides: &[i64],
            ) -> Expr<T> {
                let made = operations::slice(&self.into_expr(), start_indices, limit_indices, strides);
                operations::or_error(made, Location::caller())
            }

            /// Reverses the elements along these dimensions (rule V5).
            #[track_caller]
            pub fn reverse(&self, dimensions: &[i64]) -> Expr<T> {
                operations::or_error(operations::reverse(&self.into_expr(), dimensions), Location::caller())
            }

            /// Pads the value with a scalar: in dimension d, `low[d]` elements before its own,
            /// `high[d]` behind them and `interior[d]` between neighbours; a negative low or high
            /// amount takes elements away (rules V7, V8, C1). What reads it copies nothing.
            #[track_caller]
            pub fn pad(
                &self,
                padding_value: impl IntoExpr<T>,
                low: &[i64],
                high: &[i64],
                interior: &[i64],
            ) -> Expr<T> {
                let padding_value = padding_value.into_expr();
                let made = operations::pad(&self.into_expr(), &padding_value, low, high, interior);
                operations::or_error(made, Location::caller())
            }

            /// Rolls the value, as NumPy does: in dimension `dimensions[k]`, the element at index i
            /// goes to index i + `shifts[k]` modulo the size (rule V10). What reads it copies
            /// nothing: with `u.roll(&[1], &[0])` a stencil sees each element's neighbour.
            #[track_caller]
            pub fn roll(&self, shifts: &[i64], dimensions: &[i64]) -> Expr<T> {
                let made = operations::roll(&self.into_expr(), shifts, dimensions);
                operations::or_error(made, Location::caller())
            }

            /// Reshapes the value: its elements, in the same row-major order, in a shape of these
            /// sizes (rules N1, C1, V6).
            #[track_caller]
            pub fn reshape(&self, new_sizes: &[i64]) -> Expr<T> {
                operations::or_error(operations::reshape(&self.into_expr(), new_sizes), Location::caller())
            }
        }

        impl<T: Signed> $ty<T> {
            /// Builds [`Opcode::Abs`]: F32 for C64, else the same type.
            #[track_caller]
            pub fn abs(&self) -> Expr<T::Magnitude> {
                operations::or_error(operations::unary(Opcode::Abs, &self.into_expr()), Location::caller())
            }
        }

        impl<T: Inexact> $ty<T> {
            /// Builds [`Opcode::Real`]: F32 for C64, else the same type.
            #[track_caller]
            pub fn real(&self) -> Expr<T::Part> {
                operations::or_error(operations::unary(Opcode::Real, &self.into_expr()), Location::caller())
            }

            /// Builds [`Opcode::Imag`]: F32 for C64, else the same type.
            #[track_caller]
            pub fn imag(&self) -> Expr<T::Part> {
                operations::or_error(operations::unary(Opcode::Imag, &self.into_expr()), Location::caller())
            }
        }

        impl $ty<Complex32> {
            /// Builds [`Opcode::Conj`].
            #[track_caller]
            pub fn conj(&self) -> Expr<Complex32> {
                operations::or_error(operations::unary(Opcode::Conj, &self.into_expr()), Location::caller())
            }
        }

        impl $ty<f32> {
            /// Builds [`Opcode::Complex`] with this as the real part; it keeps an error, by rules
            /// B1 to B9 and C1, for [`Expr::eval`].
            #[track_caller]
            pub fn complex(&self, imag: impl Operand<f32>) -> Expr<Complex32> {
                operations::binary_operands(Opcode::Complex, self, imag, Location::caller())
            }
        }

        impl<T: Real> $ty<T> {
            /// Clamps each element to `min` and `max`, which have the same shape or are scalars
            /// (rule S1).
            #[track_caller]
            pub fn clamp(&self, min: impl IntoExpr<T>, max: impl IntoExpr<T>) -> Expr<T> {
                let made =
                    operations::clamp(&min.into_expr(), &self.into_expr(), &max.into_expr());
                operations::or_error(made, Location::caller())
            }
        }

        impl<T: Float> $ty<T> {
            /// Builds the float next to each element in the direction of `to`, which has the same
            /// shape or is a scalar (rule S1).
            #[track_caller]
            pub fn next_after(&self, to: impl IntoExpr<T>) -> Expr<T> {
                let made = operations::next_after(&self.into_expr(), &to.into_expr());
                operations::or_error(made, Location::caller())
            }

            /// Rounds to a format with `exponent_bits` and `mantissa_bits` bits (rule T5); F16 has
            /// 5 and 10, BF16 has 8 and 7.
            #[track_caller]
            pub fn reduce_precision(&self, exponent_bits: i64, mantissa_bits: i64) -> Expr<T> {
                let made =
                    operations::reduce_precision(&self.into_expr(), exponent_bits, mantissa_bits);
                operations::or_error(made, Location::caller())
            }
        }

        impl $ty<bool> {
            /// Selects elements of `on_true` where this is true, else of `on_false`. The operands
            /// have one shape or are scalars (rule S1).
            #[track_caller]
            pub fn select<T: Element>(
                &self,
                on_true: impl IntoExpr<T>,
                on_false: impl IntoExpr<T>,
            ) -> Expr<T> {
                let made = operations::select(
                    &self.into_expr(),
                    &on_true.into_expr(),
                    &on_false.into_expr(),
                );
                operations::or_error(made, Location::caller())
            }
        }
    )*};
}

shape_methods!(Expr Array);

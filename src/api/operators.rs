//! Rust's operators and XlaBuilder's methods on expressions and arrays. They never panic; an error
//! is kept for `eval`.

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
            #[doc = concat!("[`Opcode::", stringify!($opcode), "`].")]
            #[track_caller]
            fn $method(self, rhs: O) -> Expr<T> {
                operations::binary_operands(Opcode::$opcode, self, rhs, Location::caller())
            }
        }
    )*};
    (@scalar $trait:ident $method:ident $opcode:ident $scalar:ty, $($right:ty),*) => {$(
        impl ops::$trait<$right> for $scalar {
            type Output = Expr<$scalar>;
            #[doc = concat!("[`Opcode::", stringify!($opcode), "`].")]
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
            /// [`Opcode::ShiftRightArithmetic`] on signed types, [`Opcode::ShiftRightLogical`] on
            /// unsigned ones, as Rust's and Python's `>>` mean.
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
            #[doc = concat!("[`Opcode::", stringify!($opcode), "`].")]
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

/// A family of methods on expressions and, for convenience, on arrays.
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
            #[doc = concat!("[`Opcode::", stringify!($opcode), "`]; an error is kept for `eval`.")]
            #[track_caller]
            pub fn $name(&self, rhs: impl Operand<T>) -> Expr<$result> {
                operations::binary_operands(Opcode::$opcode, self, rhs, Location::caller())
            }
        )*}
    };
    (@unary $ty:ident $bound:ident $result:ident: $($name:ident $opcode:ident,)*) => {
        impl<T: $bound> $ty<T> {$(
            #[doc = concat!("[`Opcode::", stringify!($opcode), "`]; an error is kept for `eval`.")]
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
    ceil Ceil, floor Floor, round Round, round_nearest_even RoundNearestEven, cbrt Cbrt, erf Erf,
    erfc Erfc, erf_inv ErfInv, lgamma Lgamma, digamma Digamma, bessel_i0e BesselI0e,
    bessel_i1e BesselI1e,
);
methods!(unary Inexact:
    sqrt Sqrt, rsqrt Rsqrt, exp Exp, expm1 Expm1, log Log, log1p Log1p, logistic Logistic,
    sin Sin, cos Cos, tan Tan, tanh Tanh, sinh Sinh, cosh Cosh, asin Asin, acos Acos, atan Atan,
    asinh Asinh, acosh Acosh, atanh Atanh, reciprocal Reciprocal,
);
methods!(test Float: is_finite IsFinite,);

macro_rules! shape_methods {
    ($($ty:ident)*) => {$(
        impl<T: Element> $ty<T> {
            /// The same values as elements of type `R`.
            #[track_caller]
            pub fn convert<R: Element>(&self) -> Expr<R> {
                let made = operations::convert(Opcode::ConvertElementType, &self.into_expr());
                operations::or_error(made, Location::caller())
            }

            /// The same bits as elements of type `R`: with a last dimension more where that is
            /// narrower, less where it is wider (rules T4, C1).
            #[track_caller]
            pub fn bitcast<R: Element>(&self) -> Expr<R> {
                let made = operations::convert(Opcode::BitcastConvertType, &self.into_expr());
                operations::or_error(made, Location::caller())
            }

            /// Repeated along new major dimensions of these sizes (rules N1, C1).
            #[track_caller]
            pub fn broadcast(&self, sizes: &[i64]) -> Expr<T> {
                operations::or_error(operations::broadcast(&self.into_expr(), sizes), Location::caller())
            }

            /// In a shape of these sizes; `broadcast_dimensions` says where its dimensions go (rules N1,
            /// D1 to D5, C1).
            #[track_caller]
            pub fn broadcast_in_dim(&self, out_sizes: &[i64], broadcast_dimensions: &[i64]) -> Expr<T> {
                let made =
                    operations::broadcast_in_dim(&self.into_expr(), out_sizes, broadcast_dimensions);
                operations::or_error(made, Location::caller())
            }

            /// With its dimensions in another order: dimension i of the result is dimension
            /// `permutation[i]` of this one (rule V1). No copy, as all views.
            #[track_caller]
            pub fn transpose(&self, permutation: &[i64]) -> Expr<T> {
                operations::or_error(operations::transpose(&self.into_expr(), permutation), Location::caller())
            }

            /// In each dimension the elements from a start up to, but without, a limit, every
            /// `strides`-th one (rules V2 to V4).
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

            /// Backwards along these dimensions (rule V5).
            #[track_caller]
            pub fn reverse(&self, dimensions: &[i64]) -> Expr<T> {
                operations::or_error(operations::reverse(&self.into_expr(), dimensions), Location::caller())
            }

            /// The elements, in the same row-major order, in a shape of these sizes (rules N1, C1,
            /// V6).
            #[track_caller]
            pub fn reshape(&self, new_sizes: &[i64]) -> Expr<T> {
                operations::or_error(operations::reshape(&self.into_expr(), new_sizes), Location::caller())
            }
        }

        impl<T: Signed> $ty<T> {
            /// [`Opcode::Abs`], of C64 an F32; an error is kept for `eval`.
            #[track_caller]
            pub fn abs(&self) -> Expr<T::Magnitude> {
                operations::or_error(operations::unary(Opcode::Abs, &self.into_expr()), Location::caller())
            }
        }

        impl<T: Inexact> $ty<T> {
            /// [`Opcode::Real`], of C64 an F32; an error is kept for `eval`.
            #[track_caller]
            pub fn real(&self) -> Expr<T::Part> {
                operations::or_error(operations::unary(Opcode::Real, &self.into_expr()), Location::caller())
            }

            /// [`Opcode::Imag`], of C64 an F32; an error is kept for `eval`.
            #[track_caller]
            pub fn imag(&self) -> Expr<T::Part> {
                operations::or_error(operations::unary(Opcode::Imag, &self.into_expr()), Location::caller())
            }
        }

        impl $ty<Complex32> {
            /// [`Opcode::Conj`]; an error is kept for `eval`.
            #[track_caller]
            pub fn conj(&self) -> Expr<Complex32> {
                operations::or_error(operations::unary(Opcode::Conj, &self.into_expr()), Location::caller())
            }
        }

        impl $ty<f32> {
            /// [`Opcode::Complex`], this the real part; an error is kept for `eval`.
            #[track_caller]
            pub fn complex(&self, imag: impl Operand<f32>) -> Expr<Complex32> {
                operations::binary_operands(Opcode::Complex, self, imag, Location::caller())
            }
        }

        impl<T: Real> $ty<T> {
            /// `min(max(min_bound, self), max_bound)`; only scalars broadcast (rule S1).
            #[track_caller]
            pub fn clamp(&self, min: impl IntoExpr<T>, max: impl IntoExpr<T>) -> Expr<T> {
                let made =
                    operations::clamp(&min.into_expr(), &self.into_expr(), &max.into_expr());
                operations::or_error(made, Location::caller())
            }
        }

        impl<T: Float> $ty<T> {
            /// The float next to this one in the direction of `to`; only scalars broadcast (rule
            /// S1).
            #[track_caller]
            pub fn next_after(&self, to: impl IntoExpr<T>) -> Expr<T> {
                let made = operations::next_after(&self.into_expr(), &to.into_expr());
                operations::or_error(made, Location::caller())
            }

            /// Rounded to a format with so many exponent and mantissa bits (rule T5): f16's are 5
            /// and 10, bf16's 8 and 7.
            #[track_caller]
            pub fn reduce_precision(&self, exponent_bits: i64, mantissa_bits: i64) -> Expr<T> {
                let made =
                    operations::reduce_precision(&self.into_expr(), exponent_bits, mantissa_bits);
                operations::or_error(made, Location::caller())
            }
        }

        impl $ty<bool> {
            /// `on_true` where this holds, else `on_false`; only scalars broadcast (rule S1).
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

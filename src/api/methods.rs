//! XlaBuilder's operations as methods on expressions and arrays, and on operands with `in_dim` those
//! that change no shape. They never panic; the expression keeps an error for [`Expr::eval`].

use std::panic::Location;

use num_complex::Complex32;

use crate::api::expr::Expr;
use crate::api::operand::{Choice, InDim, IntoExpr, Operand};
use crate::api::operations;
use crate::device::arrays::array::Array;
use crate::semantics::dims::Dims;
use crate::semantics::element::{Element, Float, Inexact, Integer, Number, Ordered, Real, Signed};
use crate::semantics::opcode::Opcode;
use crate::semantics::precision::Precision;

/// Defines methods of one kind on expressions, for convenience on arrays, and on operands with
/// `in_dim`.
macro_rules! methods {
    (binary $bound:ident: $($name:ident $opcode:ident,)*) => {
        methods!(@binary Expr $bound T: $($name $opcode,)*);
        methods!(@binary Array $bound T: $($name $opcode,)*);
        methods!(@binary_in_dim $bound T: $($name $opcode,)*);
    };
    (compare $bound:ident: $($name:ident $opcode:ident,)*) => {
        methods!(@binary Expr $bound bool: $($name $opcode,)*);
        methods!(@binary Array $bound bool: $($name $opcode,)*);
        methods!(@binary_in_dim $bound bool: $($name $opcode,)*);
    };
    (unary $bound:ident -> $result:ty: $($name:ident $opcode:ident,)*) => {
        methods!(@unary Expr $bound $result: $($name $opcode,)*);
        methods!(@unary Array $bound $result: $($name $opcode,)*);
        impl<T: $bound> InDim<T> {$(
            #[doc = concat!("Builds [`Opcode::", stringify!($opcode), "`] of the operand, which keeps its `broadcast_dimensions`.")]
            #[track_caller]
            pub fn $name(&self) -> InDim<$result> {
                let location = Location::caller();
                self.map(|expr| operations::or_error(operations::unary(Opcode::$opcode, expr), location))
            }
        )*}
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
    (@binary_in_dim $bound:ident $result:ident: $($name:ident $opcode:ident,)*) => {
        impl<T: $bound> InDim<T> {$(
            #[doc = concat!("Builds [`Opcode::", stringify!($opcode), "`]: an `InDim` again beside a scalar, else an expression, which keeps an error, by rules B1 to B9 and C1, for [`Expr::eval`].")]
            #[track_caller]
            pub fn $name<O: Operand<T>>(&self, rhs: O) -> O::BesideInDim<$result> {
                operations::beside_in_dim(Opcode::$opcode, self.clone(), rhs, Location::caller())
            }
        )*}
    };
    (@unary $ty:ident $bound:ident $result:ty: $($name:ident $opcode:ident,)*) => {
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
methods!(unary Element -> T: square Square,);
methods!(unary Signed -> T: sign Sign,);
methods!(unary Integer -> T: clz Clz, population_count PopulationCount,);
methods!(unary Float -> T:
    ceil Ceil, floor Floor, trunc Trunc, round Round, round_nearest_even RoundNearestEven,
    cbrt Cbrt, erf Erf, erfc Erfc, erf_inv ErfInv, lgamma Lgamma, digamma Digamma, bessel_i0e BesselI0e,
    bessel_i1e BesselI1e,
);
methods!(unary Inexact -> T:
    sqrt Sqrt, rsqrt Rsqrt, exp Exp, expm1 Expm1, log Log, log2 Log2, log10 Log10,
    log1p Log1p, logistic Logistic,
    sin Sin, cos Cos, tan Tan, tanh Tanh, sinh Sinh, cosh Cosh, asin Asin, acos Acos, atan Atan,
    asinh Asinh, acosh Acosh, atanh Atanh, reciprocal Reciprocal,
);
methods!(unary Float -> bool: is_finite IsFinite, signbit Signbit,);
methods!(unary Inexact -> bool: is_inf IsInf, is_nan IsNan,);
// These are real of complex numbers.
methods!(unary Signed -> T::Magnitude: abs Abs,);
methods!(unary Inexact -> T::Part: real Real, imag Imag,);

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
            /// Converts the values to elements of type `R`; see [`Opcode::ConvertElementType`].
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
            pub fn broadcast(&self, sizes: impl Dims) -> Expr<T> {
                operations::or_error(operations::broadcast(&self.into_expr(), &sizes.to_signed()), Location::caller())
            }

            /// Broadcasts the value to the output sizes: its dimension i becomes dimension
            /// `broadcast_dimensions[i]` of the output (rules N1, D1 to D5, C1).
            #[track_caller]
            pub fn broadcast_in_dim(&self, out_sizes: impl Dims, broadcast_dimensions: impl Dims) -> Expr<T> {
                let (sizes, dims) = (out_sizes.to_signed(), broadcast_dimensions.to_signed());
                let made = operations::broadcast_in_dim(&self.into_expr(), &sizes, &dims);
                operations::or_error(made, Location::caller())
            }

            /// Broadcasts the value to the shape of `other`, of which nothing but the shape is taken:
            /// its dimension i becomes dimension `broadcast_dimensions[i]` of the result (rules D1 to
            /// D5, C1). So `select`, `clamp` and [`Expr::eval_into`] take a value of lower rank:
            ///
            /// ```
            /// use indim::Expr;
            ///
            /// let (x, limit) = (Expr::<f32>::iota([2, 3], 1), Expr::<f32>::iota([3], 0));
            /// let capped = x.clamp(0.0, limit.broadcast_like(&x, [1]));
            /// assert_eq!(capped.shape()?.dims(), [2, 3]);
            /// # Ok::<(), indim::Error>(())
            /// ```
            #[track_caller]
            pub fn broadcast_like<U: Element>(
                &self,
                other: impl IntoExpr<U>,
                broadcast_dimensions: impl Dims,
            ) -> Expr<T> {
                let (other, dims) = (other.into_expr(), broadcast_dimensions.to_signed());
                let made = other.shape().and_then(|shape| {
                    operations::broadcast_to(&self.into_expr(), shape, &dims)
                });
                operations::or_error(made, Location::caller())
            }

            /// Transposes the value: dimension i of the result is dimension `permutation[i]` of
            /// this one (rule V1). As every view, it copies nothing.
            #[track_caller]
            pub fn transpose(&self, permutation: impl Dims) -> Expr<T> {
                operations::or_error(operations::transpose(&self.into_expr(), &permutation.to_signed()), Location::caller())
            }

            /// Slices the value: in dimension d it takes the elements from index `start_indices[d]`
            /// up to, but without, `limit_indices[d]`, every `strides[d]`-th one (rules V2 to V4).
            #[track_caller]
            pub fn slice(
                &self,
                start_indices: impl Dims,
                limit_indices: impl Dims,
                strides: impl Dims,
            ) -> Expr<T> {
                let (starts, limits) = (start_indices.to_signed(), limit_indices.to_signed());
                let strides = strides.to_signed();
                let made = operations::slice(&self.into_expr(), &starts, &limits, &strides);
                operations::or_error(made, Location::caller())
            }

            /// Reverses the elements along these dimensions (rule V5).
            #[track_caller]
            pub fn reverse(&self, dimensions: impl Dims) -> Expr<T> {
                operations::or_error(operations::reverse(&self.into_expr(), &dimensions.to_signed()), Location::caller())
            }

            /// Pads the value with a scalar: in dimension d, `low[d]` elements before its own,
            /// `high[d]` after them and `interior[d]` between neighbours; a negative low or high
            /// amount takes elements away (rules V7, V8, C1). What reads it copies nothing.
            #[track_caller]
            pub fn pad(
                &self,
                padding_value: impl IntoExpr<T>,
                low: impl Dims,
                high: impl Dims,
                interior: impl Dims,
            ) -> Expr<T> {
                let padding_value = padding_value.into_expr();
                let (low, high, interior) = (low.to_signed(), high.to_signed(), interior.to_signed());
                let made = operations::pad(&self.into_expr(), &padding_value, &low, &high, &interior);
                operations::or_error(made, Location::caller())
            }

            /// Rolls the value, as NumPy does: in dimension `dimensions[k]`, the element at index i
            /// goes to index i + `shifts[k]` modulo the size (rule V10). What reads it copies
            /// nothing: with `u.roll(&[1], &[0])` a stencil sees each element's neighbour.
            #[track_caller]
            pub fn roll(&self, shifts: impl Dims, dimensions: impl Dims) -> Expr<T> {
                let made = operations::roll(&self.into_expr(), &shifts.to_signed(), &dimensions.to_signed());
                operations::or_error(made, Location::caller())
            }

            /// Reshapes the value: its elements, in the same row-major order, in a shape of these
            /// sizes (rules N1, C1, V6).
            #[track_caller]
            pub fn reshape(&self, new_sizes: impl Dims) -> Expr<T> {
                operations::or_error(operations::reshape(&self.into_expr(), &new_sizes.to_signed()), Location::caller())
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
            /// have one shape or are scalars (rule S1). Of two numbers that have points, the type is
            /// to be told: `mask.select::<f32>(1.0, 0.0)` ([`Choice`]).
            #[track_caller]
            pub fn select<T: Element>(
                &self,
                on_true: impl Choice<T>,
                on_false: impl Choice<T>,
            ) -> Expr<T> {
                let made = operations::select(
                    &self.into_expr(),
                    &on_true.into_choice(),
                    &on_false.into_choice(),
                );
                operations::or_error(made, Location::caller())
            }
        }
    )*};
}

shape_methods!(Expr Array);

impl<T: Element> InDim<T> {
    /// Converts the values to elements of type `R`; see [`Opcode::ConvertElementType`].
    #[track_caller]
    pub fn convert<R: Element>(&self) -> InDim<R> {
        let location = Location::caller();
        self.map(|expr| {
            operations::or_error(operations::convert(Opcode::ConvertElementType, expr), location)
        })
    }

    /// Returns the same operand, computed with this precision; see [`Expr::with_precision`].
    pub fn with_precision(&self, precision: Precision) -> Self {
        self.map(|expr| expr.with_precision(precision))
    }
}

impl InDim<f32> {
    /// Builds [`Opcode::Complex`] with this as the real part: an `InDim` again beside a scalar, else an
    /// expression, which keeps an error, by rules B1 to B9 and C1, for [`Expr::eval`].
    #[track_caller]
    pub fn complex<O: Operand<f32>>(&self, imag: O) -> O::BesideInDim<Complex32> {
        operations::beside_in_dim(Opcode::Complex, self.clone(), imag, Location::caller())
    }
}

impl InDim<Complex32> {
    /// Builds [`Opcode::Conj`].
    #[track_caller]
    pub fn conj(&self) -> Self {
        let location = Location::caller();
        self.map(|expr| operations::or_error(operations::unary(Opcode::Conj, expr), location))
    }
}

impl<T: Float> InDim<T> {
    /// Rounds to a format with `exponent_bits` and `mantissa_bits` bits (rule T5).
    #[track_caller]
    pub fn reduce_precision(&self, exponent_bits: i64, mantissa_bits: i64) -> Self {
        let location = Location::caller();
        self.map(|expr| {
            let made = operations::reduce_precision(expr, exponent_bits, mantissa_bits);
            operations::or_error(made, location)
        })
    }
}

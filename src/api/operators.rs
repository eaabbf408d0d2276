//! Rust's operators on expressions, arrays and operands with `in_dim`; assignment operators, and
//! sums and products of iterators. They never panic; the expression keeps an error for
//! [`Expr::eval`].

use std::iter::{Product, Sum};
use std::ops;
use std::panic::Location;

use half::{bf16, f16};
use num_complex::Complex32;

use crate::api::expr::Expr;
use crate::api::operand::{InDim, IntoExpr, Operand};
use crate::api::operations;
use crate::device::arrays::typed::Array;
use indim_core::semantics::element::{Bitwise, Element, Integer, Number, Real};
use indim_core::semantics::opcode::Opcode;

/// Defines operators of two operands: with an expression or an array on the left, with `in_dim`
/// there, with a scalar there, and the one that assigns.
macro_rules! binary_operators {
    ($($trait:ident $method:ident, $assign:ident $assign_method:ident, $bound:ident $opcode:ident, scalars $($scalar:ty)*;)*) => {$(
        binary_operators!(@operator $trait $method, $assign $assign_method, $bound,
            concat!("Builds [`Opcode::", stringify!($opcode), "`]."), Opcode::$opcode);
        $(binary_operators!(@scalar $trait $method $opcode $scalar, Expr<$scalar>, &Expr<$scalar>, Array<$scalar>, &Array<$scalar>);)*
    )*};
    (@operator $trait:ident $method:ident, $assign:ident $assign_method:ident, $bound:ident, $doc:expr, $opcode:expr) => {
        binary_operators!(@left $trait $method $bound $doc, $opcode, Expr<T>, &Expr<T>, Array<T>, &Array<T>);

        impl<T: $bound, O: Operand<T>> ops::$trait<O> for InDim<T> {
            type Output = O::BesideInDim<T>;
            #[doc = $doc]
            #[track_caller]
            fn $method(self, rhs: O) -> O::BesideInDim<T> {
                operations::beside_in_dim($opcode, self, rhs, Location::caller())
            }
        }

        impl<T: $bound, O: Operand<T>> ops::$assign<O> for Expr<T> {
            #[doc = $doc]
            #[track_caller]
            fn $assign_method(&mut self, rhs: O) {
                *self = operations::binary($opcode, &*self, rhs, Location::caller());
            }
        }
    };
    (@left $trait:ident $method:ident $bound:ident $doc:expr, $opcode:expr, $($left:ty),*) => {$(
        impl<T: $bound, O: Operand<T>> ops::$trait<O> for $left {
            type Output = Expr<T>;
            #[doc = $doc]
            #[track_caller]
            fn $method(self, rhs: O) -> Expr<T> {
                operations::binary($opcode, self, rhs, Location::caller())
            }
        }
    )*};
    (@scalar $trait:ident $method:ident $opcode:ident $scalar:ty, $($right:ty),*) => {
        $(impl ops::$trait<$right> for $scalar {
            type Output = Expr<$scalar>;
            #[doc = concat!("Builds [`Opcode::", stringify!($opcode), "`].")]
            #[track_caller]
            fn $method(self, rhs: $right) -> Expr<$scalar> {
                operations::binary(Opcode::$opcode, self, rhs, Location::caller())
            }
        })*

        impl ops::$trait<InDim<$scalar>> for $scalar {
            type Output = InDim<$scalar>;
            #[doc = concat!("Builds [`Opcode::", stringify!($opcode), "`].")]
            #[track_caller]
            fn $method(self, rhs: InDim<$scalar>) -> InDim<$scalar> {
                let location = Location::caller();
                rhs.map(|rhs| operations::binary(Opcode::$opcode, self, rhs, location))
            }
        }
    };
}

binary_operators! {
    Add add, AddAssign add_assign, Element Add, scalars i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 Complex32;
    Sub sub, SubAssign sub_assign, Number Sub, scalars i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 Complex32;
    Mul mul, MulAssign mul_assign, Element Mul, scalars i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 Complex32;
    Div div, DivAssign div_assign, Number Div, scalars i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 Complex32;
    Rem rem, RemAssign rem_assign, Real Rem, scalars i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64;
    BitAnd bitand, BitAndAssign bitand_assign, Bitwise And, scalars bool i8 i16 i32 i64 u8 u16 u32 u64;
    BitOr bitor, BitOrAssign bitor_assign, Bitwise Or, scalars bool i8 i16 i32 i64 u8 u16 u32 u64;
    BitXor bitxor, BitXorAssign bitxor_assign, Bitwise Xor, scalars bool i8 i16 i32 i64 u8 u16 u32 u64;
    Shl shl, ShlAssign shl_assign, Integer ShiftLeft, scalars i8 i16 i32 i64 u8 u16 u32 u64;
}

binary_operators!(@operator Shr shr, ShrAssign shr_assign, Integer,
    "Builds [`Opcode::ShiftRightArithmetic`] on signed types and [`Opcode::ShiftRightLogical`] on \
     unsigned ones, as Rust's and NumPy's `>>` do.",
    shift_right::<T>());

fn shift_right<T: Element>() -> Opcode {
    if Opcode::Abs.accepts(T::ELEMENT_TYPE) {
        Opcode::ShiftRightArithmetic
    } else {
        Opcode::ShiftRightLogical
    }
}

macro_rules! unary_operators {
    ($($trait:ident $method:ident $bound:ident $opcode:ident: $($operand:ty),*;)*) => {$(
        $(impl<T: $bound> ops::$trait for $operand {
            type Output = Expr<T>;
            #[doc = concat!("Builds [`Opcode::", stringify!($opcode), "`].")]
            #[track_caller]
            fn $method(self) -> Expr<T> {
                operations::unary(Opcode::$opcode, &self.into_expr(), Location::caller())
            }
        })*

        impl<T: $bound> ops::$trait for InDim<T> {
            type Output = InDim<T>;
            #[doc = concat!("Builds [`Opcode::", stringify!($opcode), "`].")]
            #[track_caller]
            fn $method(self) -> InDim<T> {
                let location = Location::caller();
                self.map(|expr| operations::unary(Opcode::$opcode, expr, location))
            }
        }
    )*};
}

unary_operators! {
    Neg neg Number Neg: Expr<T>, &Expr<T>, Array<T>, &Array<T>;
    Not not Bitwise Not: Expr<T>, &Expr<T>, Array<T>, &Array<T>;
}

/// The sum of expressions or arrays of equal shapes and scalars, from the first to the last one:
/// [`Opcode::Add`], which is "or" on PRED. Without any it is the scalar 0.
///
/// An error that [`Iterator::sum`] meets names a place in Rust's library, which calls this.
///
/// ```
/// use indim::Expr;
///
/// let powers = (0..4).map(|n| Expr::<f32>::iota([8], 0).pow(n as f32));
/// assert_eq!(powers.sum::<Expr<f32>>().shape()?.dims(), [8]);
/// assert_eq!([Expr::<f32>::iota([8], 0); 0].into_iter().sum::<Expr<f32>>().rank()?, 0);
/// # Ok::<(), indim::Error>(())
/// ```
impl<T: Element, E: IntoExpr<T>> Sum<E> for Expr<T> {
    #[track_caller]
    fn sum<I: Iterator<Item = E>>(iter: I) -> Self {
        let add = |sum, next| operations::binary(Opcode::Add, sum, next, Location::caller());
        iter.map(E::into_expr).reduce(add).unwrap_or_else(|| T::of(0.0).into_expr())
    }
}

/// The product of expressions or arrays of equal shapes and scalars, from the first to the last
/// one: [`Opcode::Mul`], which is "and" on PRED. Without any it is the scalar 1.
///
/// An error that [`Iterator::product`] meets names a place in Rust's library, which calls this.
impl<T: Element, E: IntoExpr<T>> Product<E> for Expr<T> {
    #[track_caller]
    fn product<I: Iterator<Item = E>>(iter: I) -> Self {
        let mul = |all, next| operations::binary(Opcode::Mul, all, next, Location::caller());
        iter.map(E::into_expr).reduce(mul).unwrap_or_else(|| T::of(1.0).into_expr())
    }
}

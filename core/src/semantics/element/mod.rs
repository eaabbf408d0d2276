//! Element types: the name at run time ([`ElementType`]), the Rust types that have one
//! ([`Element`]), and a constant of any of them ([`Scalar`]).
//!
//! Files of this folder import each other, and `semantics` imports their names from here. Rust
//! values enter as a [`Scalar`] and leave as its bits.

mod element_type;
mod int4;
mod rust_types;
mod scalar;

pub use num_complex::Complex32;

pub use element_type::{ElementType, Form, UnknownElementType};
pub use int4::{S4, U4};
pub use rust_types::{
    Bitwise, ComplexPart, Conjugable, Element, Float, Inexact, Integer, Number, Ordered, Real,
    Signed,
};
pub use scalar::{Scalar, ScalarValue};

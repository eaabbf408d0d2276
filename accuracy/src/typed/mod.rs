//! Measures the functions on F16, BF16 and F64 as the rest of this crate does those on F32.
//!
//! Operands and results are bits in a `u64`, whatever their type. All operands of 16 bits are
//! measured; those of more are stratified, by numbers that say which. A result of 16 bits is judged
//! by float64, one of F64 by two float64 numbers ([`indim_reference::wide_unary`]).

pub mod chunk;
pub mod double;
pub mod format;
pub mod function;
pub mod inputs;
pub mod library;
pub mod narrow;
pub mod sweep;

//! Draws random expressions, builds and plans them, computes them on the host and on the device,
//! and compares the results. The interpreter shares nothing with the library but the names of
//! element types and opcodes.

pub mod arguments;
pub mod build;
pub mod compare;
pub mod data;
pub mod generate;
pub mod interpreter;
pub mod invalid;
pub mod moves;
#[cfg(not(target_arch = "wasm32"))]
pub mod plans;
pub mod program;
pub mod rules;
pub mod run;
pub mod shapes;
pub mod takes;
pub mod views;

//! From a text to a tree: tokens, numbers, names, and literals of arrays. Imports `report`.

pub(crate) mod composed;
pub(crate) mod foreign;
pub(crate) mod lexer;
pub mod literal;
pub(crate) mod mask;
pub mod names;
pub mod narrow;
pub(crate) mod number;
pub(crate) mod parsed;
pub(crate) mod parser;
#[cfg(test)]
mod parser_tests;
pub(crate) mod precedence;
pub(crate) mod random;

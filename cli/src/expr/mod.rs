//! EXPR: from its text to the library's expressions. Nothing here depends on a GPU.

pub(crate) mod advice;
pub(crate) mod calls;
pub(crate) mod compare;
pub(crate) mod foreign;
pub(crate) mod functions;
pub(crate) mod lexer;
pub(crate) mod literal;
pub(crate) mod lower;
pub(crate) mod lowering;
pub(crate) mod mask;
pub(crate) mod names;
pub(crate) mod narrow;
pub(crate) mod number;
pub(crate) mod parser;
#[cfg(test)]
mod parser_tests;
pub(crate) mod precedence;
pub(crate) mod print;
pub(crate) mod promote;
pub(crate) mod promotions;
pub(crate) mod scope;
pub(crate) mod subscript;

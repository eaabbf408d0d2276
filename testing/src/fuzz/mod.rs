//! The checks of the fuzz targets, which run on inputs that a fuzzer chose or that are random:
//! `calls`, `builder` and `functions`. Those of the command are in `cli/testing/`.

pub mod builder;
pub mod calls;
pub mod drive;
pub mod expression;
pub mod function_texts;
pub mod functions;
pub mod hostile;
mod into;

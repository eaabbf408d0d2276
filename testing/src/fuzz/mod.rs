//! The checks of the fuzz targets, which run on inputs that a fuzzer chose or that are random:
//! `calls`, `builder` and `functions` of the library, `text` and `npy` of the command.

pub mod builder;
pub mod calls;
#[cfg(feature = "command")]
pub mod command;
pub mod drive;
pub mod expression;
pub mod function_texts;
pub mod functions;
pub mod hostile;
mod into;

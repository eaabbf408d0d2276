//! The checks of the fuzz targets, of inputs that a fuzzer chose or that are random: `calls` and
//! `builder` of the library, `text` and `npy` of the command.

pub mod builder;
pub mod calls;
pub mod command;
pub mod drive;
pub mod expression;
pub mod hostile;

//! The operands of an EXPR: what NAME=ARRAY stands for, and where its elements come from.

pub(crate) mod cast;
pub(crate) mod fill;
pub(crate) mod npy;
pub(crate) mod npz;
pub(crate) mod parse;
pub(crate) mod source;
pub(crate) mod upload;
pub(crate) mod word;

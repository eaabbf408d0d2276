//! The operands of an EXPR: parsing NAME=ARRAY, and reading or generating elements.

pub(crate) mod cast;
pub(crate) mod fill;
pub(crate) mod npy;
pub(crate) mod npz;
pub(crate) mod parse;
pub(crate) mod source;
pub(crate) mod upload;
pub(crate) mod word;

//! The inputs of a computation: parsing NAME=ARRAY, reading or generating elements, and reading
//! functions; and why the device refuses to upload or to compute.

pub(crate) mod cast;
pub(crate) mod fill;
pub(crate) mod functions;
pub(crate) mod npy;
pub(crate) mod npz;
pub(crate) mod parse;
pub(crate) mod print;
pub(crate) mod refused;
pub(crate) mod source;
pub(crate) mod upload;
pub(crate) mod word;

//! The errors of arrays, textures and devices, as data.
//!
//! [`Error`](crate::Error) is one type for all layers, so the lowest layer has to name what the
//! device reports. What it names is here: shapes, numbers and texts, and no type of wgpu. The device
//! and the API make these errors; of the layers below them, only
//! [`Literal`](crate::Literal) returns one, [`array::ArrayError`].
//!
//! Files of this folder import element types, shapes and words of `semantics`.

pub mod array;
pub mod device;
pub mod texture;

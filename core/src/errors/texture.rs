//! [`TextureError`]: why a texture does not fit an array.

use crate::semantics::error_debug::debug_is_text;
use crate::semantics::shape::Shape;

debug_is_text! {
/// A texture, its mip level or its layer does not fit the request.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TextureError {
    /// The texture has a format that cannot be written, or not be read.
    #[error("the texture's format is {format}, but only {formats}; {advice}")]
    Format {
        /// The texture's format, in wgpu's words.
        format: String,
        /// Which formats can be written or read, in words.
        formats: &'static str,
        /// What to do instead.
        advice: &'static str,
    },
    /// The texture lacks a usage flag.
    #[error("the texture's usage is {usage}, but {missing} is needed; create it with that flag")]
    Usage {
        /// The texture's flags.
        usage: String,
        /// The flag that is missing.
        missing: &'static str,
    },
    /// The texture is not a 2D texture with one sample per texel.
    #[error(
        "the texture is {dimension} with samples per texel: {samples}; take a 2D texture of one sample"
    )]
    Kind {
        /// The texture's dimension, in wgpu's words.
        dimension: String,
        /// The samples of each texel.
        samples: u32,
    },
    /// The texture belongs to another device than the context.
    #[error(
        "the texture belongs to another device than the context's; create it with Context::device"
    )]
    OtherDevice,
    /// The texture does not have this mip level or array layer.
    #[error("{what} {index} was asked for, but the texture has {count}, numbered from 0")]
    Index {
        /// `"mip level"` or `"array layer"`.
        what: &'static str,
        /// The index asked for.
        index: u32,
        /// The number of mip levels or array layers.
        count: u32,
    },
    /// The array's shape does not match the mip level.
    #[error(
        "an array of shape {array} does not fit {width} x {height} texels; its shape must be \
         [{height}, {width}] or [{height}, {width}, C], where C is {channels}"
    )]
    Shape {
        /// The array's shape.
        array: Shape,
        /// The texels of each row of the mip level.
        width: u32,
        /// The rows of the mip level.
        height: u32,
        /// The channel counts of arrays that fit such a texture, in words.
        channels: &'static str,
    },
}
}

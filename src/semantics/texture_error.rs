//! Defines [`TextureError`]: why a texture does not fit an array.

use crate::semantics::error_debug::debug_is_text;
use crate::semantics::shape::Shape;

debug_is_text! {
/// A texture, or its mip level or layer, does not fit what is asked of it.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TextureError {
    /// The texture has another format than Rgba8Unorm, Rgba16Float, R32Float and Rgba32Float.
    #[error(
        "the texture's format is {format}, but only Rgba8Unorm, Rgba16Float, R32Float and Rgba32Float can be written and read; {advice}"
    )]
    Format {
        /// The texture's format, in wgpu's words.
        format: String,
        /// It says what to do instead.
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
    /// The texture is no 2D texture of one sample a texel.
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
    /// The texture has no such mip level or array layer.
    #[error("{what} {index} was asked for, but the texture has {count}, numbered from 0")]
    Index {
        /// `"mip level"` or `"array layer"`.
        what: &'static str,
        /// The one that was asked for.
        index: u32,
        /// How many there are.
        count: u32,
    },
    /// An array's shape is none of the mip level's.
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
        /// The channels that an array for such a texture may have, in words.
        channels: &'static str,
    },
}
}

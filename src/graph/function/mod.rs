//! Functions of the user's own, written in WGSL, as operations.
//!
//! Here live [`body::FunctionBody`], a function that was checked, with its signature, and
//! [`infer`], the rules by which a call's operands fit it; and, with the feature `functions`,
//! [`Function`](wgsl::Function), which is what users hold, [`source`], which checks a text without a
//! GPU, [`tokens`], which gives its names a prefix, and [`counters`], which bounds its loops.
//! [`loop_declarations`] has what these counters need. With the feature
//! `serde`, `stored` has a function as data.

pub(crate) mod body;
#[cfg(feature = "functions")]
mod counters;
#[cfg(feature = "functions")]
pub(crate) mod infer;
pub(crate) mod loop_declarations;
#[cfg(feature = "functions")]
mod source;
#[cfg(feature = "serde")]
pub(crate) mod stored;
#[cfg(feature = "functions")]
mod tokens;
#[cfg(feature = "functions")]
pub(crate) mod wgsl;

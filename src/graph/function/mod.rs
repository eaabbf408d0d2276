//! Functions of the user's own, written in WGSL, as operations.
//!
//! Here live [`body::FunctionBody`], a function that was checked, with its signature, and
//! [`infer`], the rules by which a call's operands fit it; and, with the feature `functions`,
//! [`Function`](wgsl::Function), which is what users hold, [`source`], which checks a text without a
//! GPU, and what it asks: [`bounds`] and [`sizes`], by which a text is small enough for naga, and
//! [`weight`], by which it is small enough for drivers; [`tokens`], which gives its names a prefix;
//! [`indices`] and [`counters`], which bound its indices and its loops; [`branches`] and
//! [`connectives`], which write a text with loops so that all compilers get through it.
//! [`loop_declarations`] has what these counters need. With the feature `serde`, `stored` has a function as data.

pub(crate) mod body;
#[cfg(feature = "functions")]
mod bounds;
#[cfg(feature = "functions")]
mod branches;
#[cfg(feature = "functions")]
mod connectives;
#[cfg(feature = "functions")]
mod counters;
#[cfg(feature = "functions")]
mod indices;
#[cfg(feature = "functions")]
pub(crate) mod infer;
pub(crate) mod loop_declarations;
#[cfg(feature = "functions")]
mod sizes;
#[cfg(feature = "functions")]
mod source;
#[cfg(feature = "serde")]
pub(crate) mod stored;
#[cfg(feature = "functions")]
mod tokens;
#[cfg(feature = "functions")]
mod weight;
#[cfg(feature = "functions")]
pub(crate) mod wgsl;

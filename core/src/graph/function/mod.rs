//! User-defined functions, written in WGSL, as operations.
//!
//! [`body::FunctionBody`] is a checked function with its signature, and [`infer`] has the rules by
//! which a call's operands fit it. With the feature `functions`,
//! [`WgslFunction`](wgsl::WgslFunction) is the public handle and `source` checks a text without a
//! GPU. It uses `bounds` and `sizes`, which keep a text small enough for naga, and `weight`, which
//! keeps it small enough for drivers; `tokens`, which gives its names a prefix; `indices` and
//! `counters`, which bound its indices and its loops; `branches` and `connectives`, which rewrite a
//! text with loops so that all compilers can handle it. `loop_declarations` has the declarations
//! for these counters. With the feature `serde`, `stored` is a function as data.

pub mod body;
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
pub mod infer;
pub mod loop_declarations;
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
pub mod wgsl;

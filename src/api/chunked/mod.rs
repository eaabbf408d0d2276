//! Computations on arrays that are larger than memory: the results are computed chunk by chunk, on
//! pieces of operands that come from sources, and go to sinks.
//!
//! [`endpoint`] defines the traits of sources and sinks, [`error`] the errors; [`cut`] chooses the
//! chunks by their [`chunk_bytes`], [`need`] checks that the smallest ones fit, [`transfer`] moves
//! their elements, [`staged`] reduces parts of what is longer than a chunk, and [`run`] defines the
//! public type.
//!
//! Not available on the web, where calls cannot wait.

mod chunk_bytes;
pub(crate) mod cut;
pub(crate) mod endpoint;
pub(crate) mod error;
mod need;
pub(crate) mod run;
mod staged;
mod transfer;

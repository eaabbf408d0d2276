//! Computations on arrays that are larger than memory: the results are computed chunk by chunk, on
//! pieces of operands that come from sources, and go to sinks.
//!
//! [`endpoint`] has the traits of sources and sinks, [`error`] what may go wrong, [`cut`] decides the
//! chunks by their [`chunk_bytes`], [`need`] whether the smallest ones fit, [`transfer`] moves their elements, and [`run`] has the type that callers use.
//!
//! It is not there on the web, where no call may wait.

mod chunk_bytes;
pub(crate) mod cut;
pub(crate) mod endpoint;
pub(crate) mod error;
mod need;
pub(crate) mod run;
mod transfer;

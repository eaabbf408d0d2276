//! [`ChunkedError`]: the reasons why a chunked run ends early.

use std::io;

use indim_core::semantics::error::Error;
use indim_core::semantics::error_debug::debug_is_text;

debug_is_text! {
/// The reason why a chunked run ended early.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum ChunkedError {
    /// The sources do not fit the computation, or the device cannot do what is asked.
    #[error(transparent)]
    Run(#[from] Error),
    /// The device does not take the elements of an operand.
    #[error("parameter {parameter}: {error}")]
    Upload {
        /// The number of the parameter.
        parameter: usize,
        /// The device's error.
        error: Error,
    },
    /// A source failed.
    #[error("cannot read parameter {parameter}: {error}")]
    Source {
        /// The number of the parameter.
        parameter: usize,
        /// The source's error.
        error: io::Error,
    },
    /// A sink failed.
    #[error("cannot write result {result}: {error}")]
    Sink {
        /// The number of the result.
        result: usize,
        /// The sink's error.
        error: io::Error,
    },
    /// The computation lacks this result.
    #[error(
        "the computation has {results} results, and none of number {result}; they are numbered from 0"
    )]
    NoResult {
        /// The requested number.
        result: usize,
        /// The number of results.
        results: usize,
    },
    /// The result has no such region.
    #[error(
        "result {result} has no region {region}; a region has a range for each dimension, within its size"
    )]
    Region {
        /// The number of the result.
        result: usize,
        /// The region, in words.
        region: String,
    },
    /// The smallest chunk is too large.
    #[error("result {result} cannot be cut into chunks that fit in {max_bytes} bytes: {bytes} bytes of {} are needed for a single element; {}", of(*.parameter), cure(*.needed))]
    TooLarge {
        /// The number of the result.
        result: usize,
        /// The parameter that takes the most bytes; `None` if an intermediate value takes more.
        parameter: Option<usize>,
        /// The number of bytes that it takes.
        bytes: u64,
        /// The number of bytes that the caller allows.
        max_bytes: u64,
        /// The number of bytes that suffice for every element of the requested results, possibly
        /// more than the minimum; `None` if the device's largest buffer is too small.
        needed: Option<u64>,
    },
    /// A thread to read or to compute on could not be started.
    #[error("a thread for reading or computing cannot be started: {0}")]
    Thread(io::Error),
    /// The caller asked to stop.
    #[error("the run was stopped")]
    Stopped,
}
}

impl ChunkedError {
    /// Returns the one of two outcomes that asks for more: the first one that failed otherwise than by
    /// [`ChunkedError::TooLarge`], or the one that needs more bytes.
    pub(super) fn larger(first: Result<(), Self>, second: Result<(), Self>) -> Result<(), Self> {
        let rank = |outcome: &Result<(), Self>| match outcome {
            Ok(()) => 0,
            Err(Self::TooLarge { needed: Some(needed), .. }) => u128::from(*needed) + 1,
            Err(Self::TooLarge { needed: None, .. }) => u128::from(u64::MAX) + 2,
            Err(_) => u128::MAX,
        };
        if rank(&second) > rank(&first) { second } else { first }
    }
}

fn cure(needed: Option<u64>) -> String {
    match needed {
        Some(bytes) => format!("allow {bytes} bytes"),
        None => {
            "the device's largest buffer is smaller, so that only parts can be computed".to_owned()
        }
    }
}

fn of(parameter: Option<usize>) -> String {
    match parameter {
        Some(number) => format!("parameter {number}"),
        None => "a value that is computed on the way".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::*;
    use indim_core::semantics::error::BuilderError;

    /// The text includes that of the inner error, which is therefore not a source.
    #[test]
    fn errors_say_each_thing_once() {
        let io = || io::Error::other("the disk is full");
        for (error, within) in [
            (ChunkedError::Run(BuilderError::NoResult.into()), "at least one result"),
            (
                ChunkedError::Upload { parameter: 0, error: BuilderError::NoResult.into() },
                "at least one result",
            ),
            (ChunkedError::Source { parameter: 0, error: io() }, "the disk is full"),
            (ChunkedError::Sink { result: 0, error: io() }, "the disk is full"),
            (ChunkedError::Thread(io()), "the disk is full"),
        ] {
            let text = error.to_string();
            assert!(text.contains(within), "{text}");
            assert_eq!(format!("{error:?}"), text);
            assert!(error.source().is_none(), "{text}");
        }
    }
}

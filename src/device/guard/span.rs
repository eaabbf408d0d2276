//! Defines [`span!`](crate::device::guard::span::span): spans of the `tracing` crate, where the feature
//! `tracing` is on.

/// Opens a span of this name until the end of the block, if the feature is on.
#[cfg(feature = "tracing")]
macro_rules! span {
    ($name:literal) => {
        let _span = ::tracing::debug_span!(target: "indim", $name).entered();
    };
}

#[cfg(not(feature = "tracing"))]
macro_rules! span {
    ($name:literal) => {};
}

pub(crate) use span;

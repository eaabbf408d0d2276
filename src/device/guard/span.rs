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

/// Wraps a future that waits for the device in a span, if the feature is on.
#[cfg(feature = "tracing")]
pub(crate) fn waiting<F: Future>(future: F) -> impl Future<Output = F::Output> {
    ::tracing::Instrument::instrument(future, ::tracing::debug_span!(target: "indim", "wait"))
}

#[cfg(not(feature = "tracing"))]
pub(crate) fn waiting<F: Future>(future: F) -> impl Future<Output = F::Output> {
    future
}

//! Error scopes. Every call that wgpu may refuse goes through here, so that nothing reaches wgpu's
//! handler of uncaptured errors, which panics.
//!
//! Scopes belong to a thread: they are pushed and popped within one call, never across an await.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use crate::error::{DeviceError, Result};
use crate::memory;

/// Runs `work` and gives its result, or what wgpu has against it.
///
/// `bytes` is the size of the allocation in it, for the message, if it is one.
pub(crate) fn checked<T>(
    device: &wgpu::Device,
    what: &'static str,
    bytes: Option<u64>,
    work: impl FnOnce() -> T,
) -> Result<T> {
    let internal = device.push_error_scope(wgpu::ErrorFilter::Internal);
    let memory = device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
    let validation = device.push_error_scope(wgpu::ErrorFilter::Validation);
    let result = work();
    // Each scope must be popped, in this order, whatever the others hold.
    let found = [now(validation.pop()), now(memory.pop()), now(internal.pop())];
    match found.into_iter().flatten().next() {
        None => Ok(result),
        Some(wgpu::Error::OutOfMemory { .. }) => {
            Err(memory::out_of_memory(bytes.unwrap_or_default()).into())
        }
        Some(other) => Err(DeviceError::Wgpu { what, reason: other.to_string() }.into()),
    }
}

/// The error, where wgpu knows it at once, as it does everywhere but in a browser. There the answer
/// comes later; what can be refused was checked before the call, and the browser logs the rest.
fn now(scope: impl Future<Output = Option<wgpu::Error>>) -> Option<wgpu::Error> {
    match pin!(scope).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(error) => error,
        Poll::Pending => None,
    }
}

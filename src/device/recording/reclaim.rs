//! Reclaims memory when it runs out: frees as much as possible, and restarts the call once.
//!
//! The whole call is retried, not just the allocation, because locks are released only between
//! whole calls, and waiting for the device runs callbacks, which must not run under a lock. Nothing
//! reads the results that the first attempt recorded.

use crate::device::recording::stream::Stream;
use crate::device::wait::tasks::Registration;
use indim_core::errors::device::DeviceError;
use indim_core::semantics::error::{Error, Result};

/// Runs a whole user call that allocates; see [`GuardedDevice::check_loss`].
///
/// [`GuardedDevice::check_loss`]: crate::device::guard::error_scope::GuardedDevice::check_loss
pub(crate) fn checked_with_retry<T>(stream: &Stream, call: impl Fn() -> Result<T>) -> Result<T> {
    stream.gpu.device.check_loss(with_retry(stream, call))
}

/// Version of [`checked_with_retry`] for a call that only records; see
/// [`GuardedDevice::check_failure`].
///
/// [`GuardedDevice::check_failure`]: crate::device::guard::error_scope::GuardedDevice::check_failure
pub(crate) fn recorded_with_retry<T>(stream: &Stream, call: impl Fn() -> Result<T>) -> Result<T> {
    stream.gpu.device.check_failure(with_retry(stream, call))
}

/// Version of [`checked_with_retry`] that does not check for a lost device.
pub(crate) fn with_retry<T>(stream: &Stream, call: impl Fn() -> Result<T>) -> Result<T> {
    match call() {
        Err(error) if lacks_memory(&error) => {
            reclaim(stream)?;
            call()
        }
        result => result,
    }
}

/// Version of [`checked_with_retry`] for a task, which must not block and waits by `registration`.
pub(crate) async fn checked_with_retry_async<T>(
    stream: &Stream,
    registration: &Registration,
    call: impl Fn() -> Result<T>,
) -> Result<T> {
    let result = match call() {
        Err(error) if lacks_memory(&error) => {
            begin_reclaim(stream)?;
            stream.gpu.wait_async(registration).await?;
            stream.gpu.pool.trim();
            call()
        }
        result => result,
    };
    stream.gpu.device.check_loss(result)
}

fn reclaim(stream: &Stream) -> Result<()> {
    begin_reclaim(stream)?;
    // In a browser a call cannot wait.
    #[cfg(not(target_arch = "wasm32"))]
    stream.wait()?;
    stream.gpu.pool.trim();
    Ok(())
}

/// Frees unused memory, and submits what is recorded: recorded commands keep buffers alive until
/// the device has run them.
fn begin_reclaim(stream: &Stream) -> Result<()> {
    stream.gpu.pool.trim();
    // If wgpu rejects the batch, this call does not return the error: the arrays that the batch
    // should have written do.
    stream.flush()
}

fn lacks_memory(error: &Error) -> bool {
    matches!(error, Error::Device(DeviceError::OutOfMemory { .. }))
}

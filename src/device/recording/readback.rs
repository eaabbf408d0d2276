//! Reads arrays back: by mapping the array's buffer if that can be done at once, else through
//! staging.

use std::sync::Arc;
use std::sync::atomic::Ordering;
#[cfg(not(target_arch = "wasm32"))]
use std::task::Poll;

#[cfg(not(target_arch = "wasm32"))]
use crate::device::gpu::Gpu;
use crate::device::guard::error_scope::GuardedDevice;
#[cfg(target_arch = "wasm32")]
use crate::device::guard::poison::Poison;
use crate::device::guard::span;
use crate::device::memory::pool::PooledBuffer;
use crate::device::memory::staging::Staging;
use crate::device::program::commands::Copy;
use crate::device::recording::reclaim;
use crate::device::recording::stream::Stream;
#[cfg(not(target_arch = "wasm32"))]
use crate::device::wait::channel::Receiver;
use crate::device::wait::channel::{self, Sender};
use indim_core::errors::device::DeviceError;
use indim_core::semantics::error::Result;

/// The number of attempts at a readback whose callbacks are lost.
const TRIES: usize = 4;

fn no_answer() -> DeviceError {
    DeviceError::Wgpu { what: "mapping a buffer", reason: "its callback is dropped".to_owned() }
}

/// A part of a buffer that is to be read back.
#[derive(Clone, Copy)]
pub(crate) struct ReadRequest<'a> {
    pub(crate) buffer: &'a wgpu::Buffer,
    /// The range, in bytes.
    pub(crate) offset: u64,
    pub(crate) bytes: usize,
    /// The same buffer as a pooled one, if it is.
    pub(crate) own: Option<&'a PooledBuffer>,
    /// The reason why the array was not written, if so.
    #[cfg(target_arch = "wasm32")]
    pub(crate) poison: &'a Poison,
}

/// The answer of a callback: whether a buffer could be mapped.
type Mapped = Result<(), wgpu::BufferAsyncError>;

/// A copy into staging, and its mapping under way. Dropping it abandons the readback.
struct Staged {
    staging: Staging,
    bytes: usize,
}

impl ReadRequest<'_> {
    /// Returns the value of `take` for the bytes, once all commands that write them have run.
    pub(crate) async fn read<R>(self, stream: &Stream, take: impl Fn(&[u8]) -> R) -> Result<R> {
        // Keeps the device polled until the end of this function.
        let gpu = &stream.gpu;
        let registration = gpu.poller.register();
        let lost = &gpu.device.lost;
        #[cfg(not(target_arch = "wasm32"))]
        if let Some(memory) = self.own.filter(|_| gpu.pool.mappable) {
            gpu.device.check_loss(stream.submit_for(self.own, &[]))?;
            gpu.wait_async(&registration).await?;
            if let Some(taken) = read_mapped(stream, memory, self.bytes, &take)? {
                return Ok(taken);
            }
        }
        for _ in 0..TRIES {
            let copy_and_map = || {
                let (sender, receiver) = channel::for_task(&registration);
                Ok((self.copy_and_map(stream, sender)?, receiver))
            };
            #[cfg(target_arch = "wasm32")]
            let errors = gpu.device.deferred_errors.errors();
            let (staged, receiver) =
                reclaim::checked_with_retry_async(stream, &registration, copy_and_map).await?;
            // wgpu may lose a callback; see `GuardedDevice::poll`.
            let mapped = span::waiting(receiver.recv(&registration, lost)).await?;
            #[cfg(target_arch = "wasm32")]
            {
                stream.settle().await?;
                self.poison.check()?;
                // The commands may have run again after the copy.
                if gpu.device.deferred_errors.errors() != errors {
                    continue;
                }
            }
            if let Some(mapped) = mapped {
                return gpu.device.check_loss(staged.collect(&gpu.device, mapped, take));
            }
        }
        Err(no_answer().into())
    }

    /// Version of [`ReadRequest::read`] that polls the device on this thread.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn read_blocking<R>(self, stream: &Stream, take: impl Fn(&[u8]) -> R) -> Result<R> {
        let gpu = &stream.gpu;
        if let Some(memory) = self.own.filter(|_| gpu.pool.mappable) {
            gpu.device.check_loss(stream.submit_for(self.own, &[]))?;
            gpu.wait()?;
            if let Some(taken) = read_mapped(stream, memory, self.bytes, &take)? {
                return Ok(taken);
            }
        }
        for _ in 0..TRIES {
            let (staged, receiver) = reclaim::checked_with_retry(stream, || {
                let (sender, receiver) = channel::for_thread();
                Ok((self.copy_and_map(stream, sender)?, receiver))
            })?;
            // wgpu may lose a callback; see `GuardedDevice::poll`.
            if let Some(mapped) = staged.recv_blocking(gpu, &receiver)? {
                return gpu.device.check_loss(staged.collect(&gpu.device, mapped, take));
            }
        }
        Err(no_answer().into())
    }

    fn copy_and_map(&self, stream: &Stream, sender: Sender<Mapped>) -> Result<Staged> {
        let gpu = &stream.gpu;
        // Copies are in whole words; the buffer's last word is whole.
        let words = (self.bytes as u64).next_multiple_of(4);
        let staging = Staging::take(&gpu.pool, &gpu.device, words)?;
        let copy = Copy {
            from: self.buffer.clone(),
            from_offset: self.offset,
            to: staging.buffer.clone(),
            bytes: words,
        };
        stream.submit_for(self.own, &[copy])?;
        gpu.device.checked("mapping a buffer", None, || {
            let range = staging.buffer.slice(..words);
            #[cfg(test)]
            let fault = Arc::clone(&gpu.device.fault);
            let is_mapped = Arc::clone(&staging.mapped);
            range.map_async(wgpu::MapMode::Read, move |mapped| {
                #[cfg(test)]
                let Some(mapped) = fault.mapped(mapped) else { return };
                is_mapped.store(mapped.is_ok(), Ordering::Release);
                sender.send(mapped);
            });
        })?;
        Ok(Staged { staging, bytes: self.bytes })
    }
}

/// Reads an array's buffer by mapping it, if that can be done at once; see [`Mappings`].
///
/// [`Mappings`]: crate::device::memory::mapping::Mappings
#[cfg(not(target_arch = "wasm32"))]
fn read_mapped<R>(
    stream: &Stream,
    memory: &PooledBuffer,
    bytes: usize,
    take: impl Fn(&[u8]) -> R,
) -> Result<Option<R>> {
    let Stream { gpu, .. } = stream;
    let begun = {
        let Ok(_batch) = stream.batch() else { return Ok(None) };
        gpu.mappings.begin_read(&gpu.device, memory)
    };
    let Some(mapping) = begun else { return Ok(None) };
    gpu.mappings.finish_read(&gpu.device, &mapping, memory, bytes, take)
}

impl Staged {
    #[cfg(not(target_arch = "wasm32"))]
    fn recv_blocking(&self, gpu: &Gpu, receiver: &Receiver<Mapped>) -> Result<Option<Mapped>> {
        span::span!("wait");
        let mut answer = Poll::Pending;
        loop {
            gpu.device.lost.check()?;
            gpu.poller.poll(None, || {
                answer = receiver.try_recv();
                answer.is_ready()
            })?;
            // The poll may end after the callback without calling the closure again.
            if answer.is_pending() {
                answer = receiver.try_recv();
            }
            if let Poll::Ready(mapped) = answer {
                return Ok(mapped);
            }
        }
    }

    fn collect<R>(
        &self,
        device: &GuardedDevice,
        mapped: Mapped,
        take: impl Fn(&[u8]) -> R,
    ) -> Result<R> {
        // A lost device may report a successful mapping.
        device.lost.check()?;
        let failed = |reason: String| DeviceError::Wgpu { what: "mapping a buffer", reason };
        mapped.map_err(|error| failed(error.to_string()))?;
        let words = self.bytes.next_multiple_of(4) as u64;
        let view = self
            .staging
            .buffer
            .slice(..words)
            .get_mapped_range()
            .map_err(|error| failed(error.to_string()))?;
        device.counters.downloaded_bytes.add(self.bytes as u64);
        Ok(take(&view[..self.bytes]))
    }
}

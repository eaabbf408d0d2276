//! Bringing bytes back to the host: staging and mapping.

use std::sync::Arc;
use std::sync::atomic::Ordering;
#[cfg(not(target_arch = "wasm32"))]
use std::task::Poll;

use crate::device::context::Inner;
use crate::device::exec::batch::Copy;
use crate::device::memory::pool::PooledBuffer;
use crate::device::memory::staging::Staging;
#[cfg(not(target_arch = "wasm32"))]
use crate::device::wait::channel::Receiver;
use crate::device::wait::channel::{self, Sender};
use crate::device::wait::tasks::Registration;
use crate::semantics::error::{DeviceError, Result};

/// How often to begin a readback whose callback is lost.
const TRIES: usize = 4;

fn no_answer() -> DeviceError {
    DeviceError::Wgpu { what: "mapping a buffer", reason: "its callback is dropped".to_owned() }
}

/// What is to be read back.
#[derive(Clone, Copy)]
pub(crate) struct Reading<'a> {
    pub(crate) buffer: &'a wgpu::Buffer,
    /// In bytes.
    pub(crate) offset: u64,
    pub(crate) bytes: usize,
    /// The buffer again, if it is of the pool.
    pub(crate) own: Option<&'a PooledBuffer>,
}

/// Whether a buffer is mapped.
type Mapped = Result<(), wgpu::BufferAsyncError>;

/// A copy into staging, and its mapping under way. Dropping it gives it up.
struct Staged {
    staging: Staging,
    bytes: usize,
    #[cfg(not(target_arch = "wasm32"))]
    submission: Option<wgpu::SubmissionIndex>,
}

impl Inner {
    /// What `take` makes of the bytes, once they are there.
    pub(crate) async fn read<R>(
        &self,
        reading: Reading<'_>,
        take: impl Fn(&[u8]) -> R,
    ) -> Result<R> {
        // Keeps the device polled until the end of this function.
        let registration = self.poller.register();
        let lost = &self.device.lost;
        #[cfg(not(target_arch = "wasm32"))]
        if let Some(memory) = reading.own.filter(|_| self.pool.mappable) {
            let submission = self.device.settle(self.submit_for(reading.own, &[]))?;
            self.done(&registration, submission).await?;
            if let Some(taken) = self.read_mapped(memory, reading.bytes, &take)? {
                return Ok(taken);
            }
        }
        for _ in 0..TRIES {
            let copy_and_map = || {
                let (sender, receiver) = channel::for_task(&registration);
                Ok((self.copy_and_map(reading, sender)?, receiver))
            };
            let (staged, receiver) = self.whole_awaited(&registration, copy_and_map).await?;
            #[cfg(not(target_arch = "wasm32"))]
            registration.wait_for(staged.submission.clone());
            // wgpu may lose a callback; see `GuardedDevice::poll`.
            if let Some(mapped) = receiver.recv(&registration, lost).await? {
                return self.device.settle(self.collect(&staged, mapped, take));
            }
        }
        Err(no_answer().into())
    }

    /// Waits for all up to a submission.
    pub(crate) async fn done(
        &self,
        registration: &Registration,
        submission: Option<wgpu::SubmissionIndex>,
    ) -> Result<()> {
        let (sender, receiver) = channel::for_task(registration);
        self.queue.on_submitted_work_done(move || sender.send(()));
        #[cfg(not(target_arch = "wasm32"))]
        registration.wait_for(submission);
        #[cfg(target_arch = "wasm32")]
        drop(submission);
        receiver.recv(registration, &self.device.lost).await?;
        Ok(())
    }

    /// The same, polling the device on this thread.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn read_blocking<R>(
        &self,
        reading: Reading<'_>,
        take: impl Fn(&[u8]) -> R,
    ) -> Result<R> {
        if let Some(memory) = reading.own.filter(|_| self.pool.mappable) {
            let submission = self.device.settle(self.submit_for(reading.own, &[]))?;
            self.wait_for(submission)?;
            if let Some(taken) = self.read_mapped(memory, reading.bytes, &take)? {
                return Ok(taken);
            }
        }
        for _ in 0..TRIES {
            let (staged, receiver) = self.whole(|| {
                let (sender, receiver) = channel::for_thread();
                Ok((self.copy_and_map(reading, sender)?, receiver))
            })?;
            // wgpu may lose a callback; see `GuardedDevice::poll`.
            if let Some(mapped) = self.recv_blocking(&staged, &receiver)? {
                return self.device.settle(self.collect(&staged, mapped, take));
            }
        }
        Err(no_answer().into())
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn recv_blocking(
        &self,
        staged: &Staged,
        receiver: &Receiver<Mapped>,
    ) -> Result<Option<Mapped>> {
        let mut answer = Poll::Pending;
        loop {
            self.device.lost.check()?;
            self.poller.poll(staged.submission.clone(), || {
                answer = receiver.try_recv();
                answer.is_ready()
            })?;
            // The poll may end after a callback that it has not asked about.
            if answer.is_pending() {
                answer = receiver.try_recv();
            }
            if let Poll::Ready(mapped) = answer {
                return Ok(mapped);
            }
        }
    }

    /// Submits what is recorded, then the copies. The submission to wait for. Whether something
    /// else was refused is not of interest here, but whether `own` was.
    pub(crate) fn submit_for(
        &self,
        own: Option<&PooledBuffer>,
        copies: &[Copy],
    ) -> Result<Option<wgpu::SubmissionIndex>> {
        self.device.lost.check()?;
        let mut batch = self.batch()?;
        let submitted = batch.submit(self, copies);
        if let Some(memory) = own {
            batch.check(memory.contents)?;
        }
        if !copies.is_empty() {
            submitted?;
        }
        Ok(batch.last.clone())
    }

    fn copy_and_map(&self, reading: Reading<'_>, sender: Sender<Mapped>) -> Result<Staged> {
        // Copies are in whole words; the buffer's last word is whole.
        let words = (reading.bytes as u64).next_multiple_of(4);
        let staging = Staging::take(&self.pool, &self.device, words)?;
        let copy = Copy {
            from: reading.buffer.clone(),
            from_offset: reading.offset,
            to: staging.buffer.clone(),
            bytes: words,
        };
        let submission = self.submit_for(reading.own, &[copy])?;
        #[cfg(target_arch = "wasm32")]
        drop(submission);
        self.device.checked("mapping a buffer", None, || {
            let range = staging.buffer.slice(..words);
            #[cfg(test)]
            let fault = Arc::clone(&self.device.fault);
            let is_mapped = Arc::clone(&staging.mapped);
            range.map_async(wgpu::MapMode::Read, move |mapped| {
                #[cfg(test)]
                let Some(mapped) = fault.mapped(mapped) else { return };
                is_mapped.store(mapped.is_ok(), Ordering::Release);
                sender.send(mapped);
            });
        })?;
        Ok(Staged {
            staging,
            bytes: reading.bytes,
            #[cfg(not(target_arch = "wasm32"))]
            submission,
        })
    }

    fn collect<R>(&self, staged: &Staged, mapped: Mapped, take: impl Fn(&[u8]) -> R) -> Result<R> {
        // A lost device may pretend that the mapping went well.
        self.device.lost.check()?;
        let failed = |reason: String| DeviceError::Wgpu { what: "mapping a buffer", reason };
        mapped.map_err(|error| failed(error.to_string()))?;
        let words = staged.bytes.next_multiple_of(4) as u64;
        let view = staged
            .staging
            .buffer
            .slice(..words)
            .get_mapped_range()
            .map_err(|error| failed(error.to_string()))?;
        self.device.counters.downloaded_bytes.add(staged.bytes as u64);
        Ok(take(&view[..staged.bytes]))
    }
}

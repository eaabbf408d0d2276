//! Bringing bytes back to the host: staging and mapping.

use std::future::Future as _;
use std::sync::atomic::Ordering;
use std::task::Poll;

use futures_intrusive::channel::shared::{OneshotReceiver, oneshot_channel};

use crate::batch::Copy;
use crate::context::Inner;
use crate::error::{DeviceError, Result};
use crate::memory::PooledBuffer;
use crate::staging::Staging;
use crate::sync::lock;

/// How often to begin a readback whose callback is lost.
const TRIES: usize = 4;

fn went_away() -> DeviceError {
    DeviceError::Wgpu { what: "mapping a buffer", reason: "the device went away".to_owned() }
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

/// A copy into staging, and its mapping under way. Dropping it gives it up.
struct Staged {
    staging: Staging,
    mapped: OneshotReceiver<Result<(), wgpu::BufferAsyncError>>,
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
        let _waiting = self.poller.waiting();
        #[cfg(not(target_arch = "wasm32"))]
        if let Some(memory) = reading.own.filter(|_| self.pool.mappable) {
            self.device.settle(self.submit_for(reading, &[]))?;
            self.done().await?;
            if let Some(taken) = self.read_mapped(memory, reading.bytes, &take)? {
                return Ok(taken);
            }
        }
        for _ in 0..TRIES {
            let staged = self.whole_awaited(|| self.copy_and_map(reading)).await?;
            self.poller.submitted();
            // wgpu may lose a callback; see `GuardedDevice::poll`.
            if let Some(mapped) = self.hear(&staged.mapped).await? {
                return self.collect(&staged, mapped, take);
            }
        }
        Err(went_away().into())
    }

    /// Waits for all that is submitted. The device must be polled meanwhile, see
    /// [`Poller::waiting`](crate::poller::Poller::waiting).
    pub(crate) async fn done(&self) -> Result<()> {
        let (sender, done) = oneshot_channel();
        self.queue.on_submitted_work_done(move || {
            // Nobody listens any more if the reading was given up.
            let _ = sender.send(());
        });
        self.poller.submitted();
        self.hear(&done).await?;
        Ok(())
    }

    /// What a callback of wgpu's sends; `None` if it went away.
    async fn hear<T>(&self, sent: &OneshotReceiver<T>) -> Result<Option<T>> {
        let watch = self.device.lost.watch();
        let mut receive = std::pin::pin!(sent.receive());
        let heard = std::future::poll_fn(|task| {
            // A device that is lost may never answer.
            if let Err(lost) = watch.check(task.waker()) {
                return Poll::Ready(Err(lost));
            }
            receive.as_mut().poll(task).map(Ok)
        });
        Ok(heard.await?)
    }

    /// The same, polling the device on this thread.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn read_blocking<R>(
        &self,
        reading: Reading<'_>,
        take: impl Fn(&[u8]) -> R,
    ) -> Result<R> {
        use std::task::{Context, Waker};

        if let Some(memory) = reading.own.filter(|_| self.pool.mappable) {
            let submission = self.device.settle(self.submit_for(reading, &[]))?;
            self.wait_for(submission)?;
            if let Some(taken) = self.read_mapped(memory, reading.bytes, &take)? {
                return Ok(taken);
            }
        }
        for _ in 0..TRIES {
            let staged = self.whole(|| self.copy_and_map(reading))?;
            let mut receive = std::pin::pin!(staged.mapped.receive());
            let mut heard = None;
            let mut has_heard = || {
                let mut waker = Context::from_waker(Waker::noop());
                if heard.is_none()
                    && let Poll::Ready(mapped) = receive.as_mut().poll(&mut waker)
                {
                    heard = Some(mapped);
                }
                heard.is_some()
            };
            while !has_heard() {
                self.device.lost.check()?;
                self.poller.poll(staged.submission.clone(), &mut has_heard)?;
            }
            // wgpu may lose a callback; see `GuardedDevice::poll`.
            if let Some(mapped) = heard.flatten() {
                return self.collect(&staged, mapped, take);
            }
        }
        Err(went_away().into())
    }

    /// Submits what is recorded, then the copies. The submission to wait for.
    fn submit_for(
        &self,
        reading: Reading<'_>,
        copies: &[Copy],
    ) -> Result<Option<wgpu::SubmissionIndex>> {
        self.device.lost.check()?;
        let mut batch = lock(&self.batch);
        batch.submit(self, copies)?;
        if let Some(memory) = reading.own {
            batch.check(memory.written_in.load(Ordering::Acquire))?;
        }
        Ok(batch.last.clone())
    }

    fn copy_and_map(&self, reading: Reading<'_>) -> Result<Staged> {
        // Copies are in whole words; the buffer's last word is whole.
        let words = (reading.bytes as u64).next_multiple_of(4);
        let mut staging = Staging::take(&self.pool, &self.device, words)?;
        let copy = Copy {
            from: reading.buffer.clone(),
            from_offset: reading.offset,
            to: staging.buffer.clone(),
            bytes: words,
        };
        let submission = self.submit_for(reading, &[copy])?;
        #[cfg(target_arch = "wasm32")]
        drop(submission);
        let (sender, mapped) = oneshot_channel();
        self.device.checked("mapping a buffer", None, || {
            staging.buffer.slice(..words).map_async(wgpu::MapMode::Read, move |result| {
                let _ = sender.send(result);
            });
        })?;
        staging.mapping = true;
        Ok(Staged {
            staging,
            mapped,
            bytes: reading.bytes,
            #[cfg(not(target_arch = "wasm32"))]
            submission,
        })
    }

    fn collect<R>(
        &self,
        staged: &Staged,
        mapped: Result<(), wgpu::BufferAsyncError>,
        take: impl Fn(&[u8]) -> R,
    ) -> Result<R> {
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

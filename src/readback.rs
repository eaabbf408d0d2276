//! Bringing bytes back to the host: staging, mapping, and the one place that polls the device.

#[cfg(not(target_arch = "wasm32"))]
pub(crate) use native::Poller;
#[cfg(target_arch = "wasm32")]
pub(crate) use web::Poller;

use std::future::Future as _;
use std::task::Poll;

use futures_intrusive::channel::shared::{OneshotReceiver, oneshot_channel};

use crate::batch::Copy;
use crate::context::Inner;
use crate::error::{DeviceError, Result};
use crate::staging::Staging;
use crate::sync::lock;

/// A mapping under way. Dropping it gives it up; nothing waits for it then.
pub(crate) struct Reading {
    staging: Staging,
    mapped: OneshotReceiver<Result<(), wgpu::BufferAsyncError>>,
    bytes: usize,
    #[cfg(not(target_arch = "wasm32"))]
    submission: Option<wgpu::SubmissionIndex>,
}

impl Inner {
    /// Submits what is recorded and a copy of `bytes` bytes from the buffer, and asks for them.
    /// `written_in` is the batch that writes the buffer.
    pub(crate) fn start_reading(
        &self,
        from: &wgpu::Buffer,
        from_offset: u64,
        bytes: usize,
        written_in: Option<u64>,
    ) -> Result<Reading> {
        self.device.lost.check()?;
        self.device.settle(self.copy_and_map(from, from_offset, bytes, written_in))
    }

    fn copy_and_map(
        &self,
        from: &wgpu::Buffer,
        from_offset: u64,
        bytes: usize,
        written_in: Option<u64>,
    ) -> Result<Reading> {
        // Copies are in whole words; the buffer's last word is whole.
        let words = (bytes as u64).next_multiple_of(4);
        let mut staging = self.staging.take(&self.device, words, self.limits.max_buffer_size)?;
        let to = staging.buffer.clone();
        let copy = Copy { from: from.clone(), from_offset, to, bytes: words };
        let mut batch = lock(&self.batch);
        batch.submit(self, &[copy])?;
        if let Some(number) = written_in {
            batch.check(number)?;
        }
        #[cfg(not(target_arch = "wasm32"))]
        let submission = batch.last.clone();
        drop(batch);
        let (sender, mapped) = oneshot_channel();
        self.device.checked("mapping a buffer", None, || {
            staging.buffer.slice(..words).map_async(wgpu::MapMode::Read, move |result| {
                // Nobody listens any more if the reading was given up.
                let _ = sender.send(result);
            });
        })?;
        staging.mapping = true;
        Ok(Reading {
            staging,
            mapped,
            bytes,
            #[cfg(not(target_arch = "wasm32"))]
            submission,
        })
    }

    /// What `take` makes of the bytes, once they are there.
    pub(crate) async fn finish_reading<R>(
        &self,
        reading: Reading,
        take: impl FnOnce(&[u8]) -> R,
    ) -> Result<R> {
        // Keeps the device polled until the end of this function.
        let _waiting = self.poller.waiting();
        let watch = self.device.lost.watch();
        let mut receive = std::pin::pin!(reading.mapped.receive());
        let mapped = std::future::poll_fn(|task| {
            // A device that is lost may never answer.
            if let Err(lost) = watch.check(task.waker()) {
                return Poll::Ready(Err(lost));
            }
            receive.as_mut().poll(task).map(Ok)
        })
        .await?;
        self.collect(&reading, mapped, take)
    }

    /// The same, polling the device on this thread.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn finish_reading_blocking<R>(
        &self,
        reading: Reading,
        take: impl FnOnce(&[u8]) -> R,
    ) -> Result<R> {
        use std::task::{Context, Waker};

        let mut receive = std::pin::pin!(reading.mapped.receive());
        let mapped = loop {
            let mut waker = Context::from_waker(Waker::noop());
            if let Poll::Ready(mapped) = receive.as_mut().poll(&mut waker) {
                break mapped;
            }
            self.device.lost.check()?;
            self.poller.poll(reading.submission.clone())?;
        };
        self.collect(&reading, mapped, take)
    }

    fn collect<R>(
        &self,
        reading: &Reading,
        mapped: Option<Result<(), wgpu::BufferAsyncError>>,
        take: impl FnOnce(&[u8]) -> R,
    ) -> Result<R> {
        // A lost device may pretend that the mapping went well.
        self.device.lost.check()?;
        let failed = |reason: String| DeviceError::Wgpu { what: "mapping a buffer", reason };
        match mapped {
            Some(Ok(())) => {}
            Some(Err(error)) => return Err(failed(error.to_string()).into()),
            None => return Err(failed("the device went away".to_owned()).into()),
        }
        let view = reading
            .staging
            .buffer
            .slice(..reading.bytes.next_multiple_of(4) as u64)
            .get_mapped_range()
            .map_err(|error| failed(error.to_string()))?;
        self.device.counters.downloaded_bytes.add(reading.bytes as u64);
        Ok(take(&view[..reading.bytes]))
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod native {
    use std::sync::{Arc, Condvar, Mutex, OnceLock};
    use std::thread::JoinHandle;
    use std::time::Duration;

    use crate::error::Result;
    use crate::scope::GuardedDevice;
    use crate::sync::lock;

    /// How long one wait lasts before it looks whether the device is lost or the context gone.
    const PATIENCE: Duration = Duration::from_millis(100);

    /// Polls the device: for a caller that blocks, and in a thread of its own while futures wait,
    /// since nothing else would make wgpu look at its fences.
    #[derive(Debug)]
    pub(crate) struct Poller {
        shared: Arc<Shared>,
        thread: OnceLock<Option<JoinHandle<()>>>,
    }

    #[derive(Debug)]
    struct Shared {
        device: GuardedDevice,
        state: Mutex<State>,
        changed: Condvar,
    }

    #[derive(Debug, Default)]
    struct State {
        /// Futures that wait.
        waiting: usize,
        /// The context is gone.
        stopped: bool,
    }

    /// Keeps the thread polling as long as it lives.
    pub(crate) struct Waiting {
        shared: Arc<Shared>,
    }

    impl Drop for Waiting {
        fn drop(&mut self) {
            lock(&self.shared.state).waiting -= 1;
        }
    }

    impl Poller {
        pub(crate) fn new(device: GuardedDevice) -> Self {
            let shared = Shared { device, state: Mutex::default(), changed: Condvar::new() };
            Self { shared: Arc::new(shared), thread: OnceLock::new() }
        }

        /// A future starts to wait.
        pub(crate) fn waiting(&self) -> Waiting {
            self.thread.get_or_init(|| {
                let shared = Arc::clone(&self.shared);
                let thread = std::thread::Builder::new().name("indim poll".to_owned());
                // Without the thread futures would never end; there is no other way to poll.
                thread
                    .spawn(move || shared.run())
                    .map_err(|error| {
                        self.shared
                            .device
                            .lost
                            .set(&format!("no thread to poll the device: {error}"));
                    })
                    .ok()
            });
            lock(&self.shared.state).waiting += 1;
            self.shared.changed.notify_one();
            Waiting { shared: Arc::clone(&self.shared) }
        }

        /// Waits for a submission, a short while at most. Whether it is done.
        pub(crate) fn poll(&self, submission: Option<wgpu::SubmissionIndex>) -> Result<bool> {
            self.shared.poll(submission)
        }
    }

    impl Drop for Poller {
        fn drop(&mut self) {
            lock(&self.shared.state).stopped = true;
            self.shared.changed.notify_one();
            // The thread must not outlive the context: as the device's last owner it would take
            // the driver down while the process ends. It may itself drop the last context, in a
            // waker; then there is nothing to wait for.
            if let Some(thread) = self.thread.take().flatten()
                && thread.thread().id() != std::thread::current().id()
            {
                // It only fails if the thread panicked, which is over then.
                let _ = thread.join();
            }
        }
    }

    impl Shared {
        fn run(&self) {
            loop {
                let mut state = lock(&self.state);
                while state.waiting == 0 && !state.stopped {
                    state =
                        self.changed.wait(state).unwrap_or_else(std::sync::PoisonError::into_inner);
                }
                if state.stopped {
                    return;
                }
                drop(state);
                if self.poll(None).is_err() {
                    return;
                }
            }
        }

        fn poll(&self, submission_index: Option<wgpu::SubmissionIndex>) -> Result<bool> {
            let timeout = Some(PATIENCE);
            Ok(self.device.poll(wgpu::PollType::Wait { submission_index, timeout })?)
        }
    }
}

#[cfg(target_arch = "wasm32")]
mod web {
    use crate::scope::GuardedDevice;

    /// The browser's event loop polls.
    #[derive(Debug)]
    pub(crate) struct Poller;

    impl Poller {
        pub(crate) fn new(_device: GuardedDevice) -> Self {
            Self
        }

        pub(crate) fn waiting(&self) {}
    }
}

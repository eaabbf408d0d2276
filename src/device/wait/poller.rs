//! Waiting for the device: the callers that block, and the thread that polls while futures wait.

#[cfg(not(target_arch = "wasm32"))]
pub(crate) use native::Poller;
#[cfg(target_arch = "wasm32")]
pub(crate) use web::Poller;

#[cfg(not(target_arch = "wasm32"))]
mod native {
    use std::sync::{Arc, OnceLock, Weak};
    use std::thread::JoinHandle;
    use std::time::{Duration, Instant};

    use crate::device::guard::error_scope::GuardedDevice;
    use crate::device::wait::tasks::{Tasks, Waiting};
    use crate::semantics::error::Result;

    /// How long one wait lasts before it looks whether the device is lost or the context gone.
    const PATIENCE: Duration = Duration::from_millis(100);

    /// How long a wait asks again and again before it sleeps. A software adapter computes on the
    /// host's cores, and each thread of it that has to be woken from an idle core costs more than a
    /// small dispatch does: measured on lavapipe, 64 elements and a wait take 0.17 ms asleep and
    /// 0.07 awake, 100 dependent dispatches 8.8 and 2.0 ms. Longer work takes the same either way,
    /// because a thread that yields gives its core away.
    const EAGER: Duration = Duration::from_millis(5);
    /// The same for other adapters, where it saves the host's own waking only.
    const EAGER_ON_GPU: Duration = Duration::from_micros(100);

    /// How long whoever drops the context waits for the thread to end, which takes it a wait, and the
    /// callbacks behind it.
    const LAST_PATIENCE: Duration = PATIENCE.saturating_mul(10);

    /// How often it looks meanwhile.
    const LOOK: Duration = Duration::from_micros(100);

    /// How long the thread rests where nothing is under way, if nobody submits; and how long a wait
    /// rests between two looks where it must not hold the device.
    const PAUSE: Duration = Duration::from_millis(1);

    /// Polls the device: for a caller that blocks, and in a thread of its own while futures wait,
    /// since nothing else would make wgpu look at its fences.
    #[derive(Debug)]
    pub(crate) struct Poller {
        shared: Arc<Shared>,
        tasks: Arc<Tasks>,
        thread: OnceLock<Option<JoinHandle<()>>>,
    }

    #[derive(Debug)]
    struct Shared {
        device: GuardedDevice,
        eager: Duration,
        /// Whether others can use the device while one waits.
        waits_apart: bool,
    }

    impl Poller {
        pub(crate) fn new(device: GuardedDevice) -> Self {
            let info = device.adapter_info();
            let software = info.device_type == wgpu::DeviceType::Cpu;
            let eager = if software { EAGER } else { EAGER_ON_GPU };
            // By OpenGL, wgpu locks the context that submissions need, too, as long as it waits.
            let waits_apart = info.backend != wgpu::Backend::Gl;
            let shared = Arc::new(Shared { device, eager, waits_apart });
            Self { shared, tasks: Arc::default(), thread: OnceLock::new() }
        }

        /// A future starts to wait. The thread polls for it as long as the result lives.
        pub(crate) fn waiting(&self) -> Waiting {
            self.thread.get_or_init(|| {
                let (shared, tasks) = (Arc::downgrade(&self.shared), Arc::clone(&self.tasks));
                let thread = std::thread::Builder::new().name("indim poll".to_owned());
                // Without the thread futures would never end; there is no other way to poll.
                thread
                    .spawn(move || run(&shared, &tasks))
                    .map_err(|error| {
                        self.shared
                            .device
                            .lost
                            .set(&format!("no thread to poll the device: {error}"));
                    })
                    .ok()
            });
            self.tasks.enter()
        }

        /// Waits for a submission, a short while at most, or until `done`. Whether it is done.
        ///
        /// Polling tells only whether the whole queue is empty; while others keep it busy, `done`
        /// knows what is waited for, from a callback.
        pub(crate) fn poll(
            &self,
            submission: Option<wgpu::SubmissionIndex>,
            done: impl FnMut() -> bool,
        ) -> Result<bool> {
            self.shared.poll(submission, done)
        }
    }

    impl Drop for Poller {
        fn drop(&mut self) {
            let wakes = self.tasks.stop();
            let Some(thread) = self.thread.take().flatten() else { return };
            // While it calls wakers it owns nothing of the device's; and a waker may wait for a lock
            // that whoever drops the context holds, or drop the context itself.
            if wakes || thread.thread().id() == std::thread::current().id() {
                return;
            }
            // Else it should not outlive the context: as the device's last owner it would take the
            // driver down while the process ends. But a callback of the device's owner may wait for
            // such a lock, too, and where a poll is at cannot be seen.
            let begun = Instant::now();
            while !thread.is_finished() && begun.elapsed() < LAST_PATIENCE {
                std::thread::sleep(LOOK);
            }
            if thread.is_finished() {
                // It only fails if the thread panicked, which is over then.
                let _ = thread.join();
            }
        }
    }

    fn run(shared: &Weak<Shared>, tasks: &Tasks) {
        while let Some(submission) = tasks.first() {
            let Some(shared) = shared.upgrade() else { return };
            let polled = shared.poll(submission, || tasks.has_news());
            drop(shared);
            match polled {
                Err(_) => {
                    tasks.wake(|_| true);
                    return;
                }
                Ok(idle) => {
                    // All callbacks have run; whoever still waits has not submitted.
                    if !tasks.wake(|told| told) && idle {
                        tasks.pause(PAUSE);
                    }
                }
            }
        }
    }

    impl Shared {
        fn poll(
            &self,
            submission_index: Option<wgpu::SubmissionIndex>,
            mut done: impl FnMut() -> bool,
        ) -> Result<bool> {
            let begun = Instant::now();
            while begun.elapsed() < self.eager {
                // True where nothing is under way at all.
                if self.device.poll(wgpu::PollType::Poll)? || done() {
                    return Ok(true);
                }
                std::thread::yield_now();
            }
            if !self.waits_apart {
                std::thread::sleep(PAUSE);
                return Ok(self.device.poll(wgpu::PollType::Poll)? || done());
            }
            let timeout = Some(PATIENCE);
            Ok(self.device.poll(wgpu::PollType::Wait { submission_index, timeout })?)
        }
    }
}

#[cfg(target_arch = "wasm32")]
mod web {
    use std::sync::Arc;

    use crate::device::guard::error_scope::GuardedDevice;
    use crate::device::wait::tasks::{Tasks, Waiting};

    /// The browser's event loop polls.
    #[derive(Debug)]
    pub(crate) struct Poller {
        tasks: Arc<Tasks>,
    }

    impl Poller {
        pub(crate) fn new(_device: GuardedDevice) -> Self {
            Self { tasks: Arc::default() }
        }

        pub(crate) fn waiting(&self) -> Waiting {
            self.tasks.enter()
        }
    }
}

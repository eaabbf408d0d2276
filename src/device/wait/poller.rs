//! Polls the device, for callers that block and, in a separate thread, while tasks wait.

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
    use crate::device::wait::tasks::{Registration, Tasks};
    use indim_core::semantics::error::Result;

    /// A wait ends after this time, to see whether the context is gone.
    const WAIT_TIMEOUT: Duration = Duration::from_millis(100);

    /// A wait that no longer spins sleeps between polls for this fraction of the time that it has
    /// waited so far, which also bounds its relative delay.
    ///
    /// wgpu's own wait would keep the device locked throughout, so that no buffer could be
    /// destroyed meanwhile.
    const PAUSE_PART: u32 = 64;
    /// The shortest of these pauses, about the time that systems take to wake a thread.
    const MIN_PAUSE: Duration = Duration::from_micros(50);

    /// A wait polls in a loop for this time before it sleeps. A software adapter computes on the
    /// host's cores, and each thread of it that has to be woken from an idle core costs more than a
    /// small dispatch does: measured on lavapipe, 64 elements and a wait take 0.17 ms asleep and
    /// 0.07 awake, 100 dependent dispatches 8.8 and 2.0 ms. Longer work takes the same either way,
    /// because a thread that yields gives its core away.
    const SPIN: Duration = Duration::from_millis(5);
    /// The same time on other adapters, where spinning only saves waking the host thread.
    const SPIN_ON_GPU: Duration = Duration::from_micros(100);

    /// Dropping the context waits this long for the thread to end. The thread may be in a wait and
    /// its callbacks.
    const JOIN_TIMEOUT: Duration = WAIT_TIMEOUT.saturating_mul(10);

    /// Time between two checks whether the thread has ended.
    const JOIN_INTERVAL: Duration = Duration::from_micros(100);

    /// The thread sleeps this long if nothing is under way, unless something is submitted. It is
    /// also the longest pause between two polls of a wait.
    const PAUSE: Duration = Duration::from_millis(1);

    /// Polls the device for a caller that blocks, and in a separate thread while tasks wait:
    /// nothing else would make wgpu look at its fences.
    #[derive(Debug)]
    pub(crate) struct Poller {
        shared: Arc<Shared>,
        tasks: Arc<Tasks>,
        thread: OnceLock<Option<JoinHandle<()>>>,
    }

    #[derive(Debug)]
    struct Shared {
        device: GuardedDevice,
        spin: Duration,
        /// The shortest pause between two polls of a wait that does not spin.
        min_pause: Duration,
    }

    impl Poller {
        pub(crate) fn new(device: GuardedDevice) -> Self {
            let info = device.adapter_info();
            let software = info.device_type == wgpu::DeviceType::Cpu;
            let spin = if software { SPIN } else { SPIN_ON_GPU };
            // On OpenGL, a poll locks the context, which submissions need, too.
            let gl = info.backend == wgpu::Backend::Gl;
            let min_pause = if gl { PAUSE } else { MIN_PAUSE };
            let shared = Arc::new(Shared { device, spin, min_pause });
            Self { shared, tasks: Arc::new(Tasks::new(true)), thread: OnceLock::new() }
        }

        /// Registers a waiting task. The thread polls for it while the result lives.
        pub(crate) fn register(&self) -> Registration {
            self.thread.get_or_init(|| {
                let (shared, tasks) = (Arc::downgrade(&self.shared), Arc::clone(&self.tasks));
                let thread = std::thread::Builder::new().name("indim poll".to_owned());
                // Without the thread no task would ever be woken, so the device counts as lost.
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
            self.tasks.register()
        }

        /// Waits until all that was submitted has run, or until `done` returns true, after which it
        /// is not called again; a short while at most, and not beyond the deadline. Returns true if
        /// the wait is over.
        ///
        /// Polling shows only whether the whole queue is empty; while other work keeps it busy,
        /// `done` learns from a callback whether the awaited submission has run.
        pub(crate) fn poll(
            &self,
            deadline: Option<Instant>,
            done: impl FnMut() -> bool,
        ) -> Result<bool> {
            self.shared.poll(deadline, done)
        }
    }

    impl Drop for Poller {
        fn drop(&mut self) {
            let wakes = self.tasks.stop();
            let Some(thread) = self.thread.take().flatten() else { return };
            // While the thread calls wakers, it does not own any part of the device; and a waker
            // may wait for a lock that the thread dropping the context holds, or drop the context
            // itself.
            if wakes || thread.thread().id() == std::thread::current().id() {
                return;
            }
            // Otherwise the thread should not outlive the context: as the device's last owner it
            // would shut the driver down while the process ends. But a callback of the device's
            // owner may wait for such a lock, too, and it is unknown whether the thread is in one;
            // so this waits for a limited time.
            let begun = Instant::now();
            while !thread.is_finished() && begun.elapsed() < JOIN_TIMEOUT {
                std::thread::sleep(JOIN_INTERVAL);
            }
            if thread.is_finished() {
                // Joining fails only if the thread panicked; then nothing is left to do.
                let _ = thread.join();
            }
        }
    }

    fn run(shared: &Weak<Shared>, tasks: &Tasks) {
        while tasks.wait_for_one() {
            let Some(shared) = shared.upgrade() else { return };
            let polled = shared.poll(None, || tasks.has_signalled());
            drop(shared);
            match polled {
                Err(_) => {
                    tasks.wake_all();
                    return;
                }
                Ok(idle) => {
                    // If the queue is idle, all callbacks have run, and a task that still waits has
                    // not submitted yet.
                    if !tasks.wake_signalled() && idle {
                        tasks.pause(PAUSE);
                    }
                }
            }
        }
    }

    impl Shared {
        fn poll(&self, deadline: Option<Instant>, mut done: impl FnMut() -> bool) -> Result<bool> {
            let begun = Instant::now();
            let timeout = deadline.map_or(WAIT_TIMEOUT, |deadline| {
                deadline.saturating_duration_since(begun).min(WAIT_TIMEOUT)
            });
            loop {
                // Also true if nothing is under way at all.
                if self.device.poll(wgpu::PollType::Poll)? || done() {
                    return Ok(true);
                }
                let waited = begun.elapsed();
                if waited >= timeout {
                    return Ok(false);
                } else if waited < self.spin {
                    std::thread::yield_now();
                } else {
                    std::thread::sleep((waited / PAUSE_PART).clamp(self.min_pause, PAUSE));
                }
            }
        }
    }
}

#[cfg(target_arch = "wasm32")]
mod web {
    use std::sync::Arc;

    use crate::device::guard::error_scope::GuardedDevice;
    use crate::device::wait::tasks::{Registration, Tasks};

    /// Registers the tasks that wait; the browser's event loop polls.
    #[derive(Debug)]
    pub(crate) struct Poller {
        tasks: Arc<Tasks>,
    }

    impl Poller {
        pub(crate) fn new(_device: GuardedDevice) -> Self {
            Self { tasks: Arc::new(Tasks::new(false)) }
        }

        pub(crate) fn register(&self) -> Registration {
            self.tasks.register()
        }
    }
}

//! Keeps the threads on which kernels are compiled: drivers may recurse deeper than a caller's
//! stack allows.
//!
//! Threads are reused: wgpu keeps a list of error scopes, some 250 bytes, for each thread that ever
//! opened one, until the device is dropped. One thread per kernel would leak that.

#[cfg(not(target_arch = "wasm32"))]
pub(crate) use native::CompileThreads;
#[cfg(target_arch = "wasm32")]
pub(crate) use web::CompileThreads;

#[cfg(not(target_arch = "wasm32"))]
mod native {
    use std::sync::{Mutex, mpsc};
    use std::thread::{Builder, JoinHandle};

    use crate::device::guard::lock::lock;
    use crate::device::guard::panics::catch_panic;

    /// The largest number of threads that wait for work. There are as many as callers compile at
    /// once.
    const MAX_IDLE: usize = 16;

    type Job = Box<dyn FnOnce() + Send>;

    /// The threads that wait for a kernel.
    #[derive(Debug, Default)]
    pub(crate) struct CompileThreads {
        idle: Mutex<Vec<CompileThread>>,
    }

    #[derive(Debug)]
    struct CompileThread {
        stack_bytes: usize,
        /// The thread ends when this is gone.
        jobs: Option<mpsc::Sender<Job>>,
        thread: Option<JoinHandle<()>>,
    }

    impl CompileThreads {
        /// Runs `work` on a stack of at least `stack_bytes` bytes, however little of the current one
        /// is left, and returns its result or its panic message.
        pub(crate) fn run<T: Send + 'static>(
            &self,
            stack_bytes: usize,
            work: impl FnOnce() -> T + Send + 'static,
        ) -> Result<T, String> {
            // Powers of two are few, so most kernels find a thread.
            let bytes = stack_bytes.next_power_of_two();
            let Some(thread) = self.idle(bytes).or_else(|| CompileThread::new(bytes)) else {
                // No thread could be started, so use the caller's stack.
                return catch_panic(work);
            };
            let (sender, receiver) = mpsc::channel();
            thread.begin(Box::new(move || {
                // Only the waiting thread has the receiver.
                let _ = sender.send(catch_panic(work));
            }));
            let result = receiver.recv();
            // It ends without the lock.
            drop(self.keep(thread));
            result.unwrap_or_else(|_| Err("the thread that compiles has ended".to_owned()))
        }

        /// Keeps a thread that is idle again; if there are too many, returns the one with the
        /// smallest stack.
        fn keep(&self, thread: CompileThread) -> Option<CompileThread> {
            let mut idle = lock(&self.idle);
            idle.push(thread);
            idle.sort_unstable_by_key(|thread| thread.stack_bytes);
            (idle.len() > MAX_IDLE).then(|| idle.remove(0))
        }

        /// Takes an idle thread with such a stack.
        fn idle(&self, stack_bytes: usize) -> Option<CompileThread> {
            let mut idle = lock(&self.idle);
            let place = idle.iter().position(|thread| thread.stack_bytes >= stack_bytes)?;
            Some(idle.remove(place))
        }
    }

    impl CompileThread {
        fn new(stack_bytes: usize) -> Option<Self> {
            let (sender, receiver) = mpsc::channel::<Job>();
            let thread = Builder::new()
                .name("indim compile".to_owned())
                .stack_size(stack_bytes)
                .spawn(move || receiver.into_iter().for_each(|job| job()))
                .ok()?;
            Some(Self { stack_bytes, jobs: Some(sender), thread: Some(thread) })
        }

        fn begin(&self, job: Job) {
            // The thread lives as long as this sender, since no job panics.
            let _ = self.jobs.as_ref().map(|jobs| jobs.send(job));
        }
    }

    impl Drop for CompileThread {
        /// Waits until the thread has ended, which is immediate, as it is idle: it must not run
        /// when the process ends and the driver shuts down.
        fn drop(&mut self) {
            self.jobs = None;
            if let Some(thread) = self.thread.take() {
                // It has not panicked; if it had, nothing would be left to do.
                let _ = thread.join();
            }
        }
    }
}

#[cfg(target_arch = "wasm32")]
mod web {
    use crate::device::guard::panics::catch_panic;

    /// In a browser, compiling does not use the caller's stack.
    #[derive(Debug, Default)]
    pub(crate) struct CompileThreads;

    impl CompileThreads {
        pub(crate) fn run<T>(&self, _: usize, work: impl FnOnce() -> T) -> Result<T, String> {
            catch_panic(work)
        }
    }
}

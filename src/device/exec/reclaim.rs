//! What is done when memory runs out: all that could be freed is freed, and the call begins again,
//! once.

use crate::device::context::Inner;
use crate::device::wait::tasks::Registration;
use crate::semantics::error::{DeviceError, Error, Result};

impl Inner {
    /// The result of a whole call of the user's that allocates; see [`GuardedDevice::settle`].
    ///
    /// If there was no memory for it, it is tried once more when everything is freed that is not in
    /// use, which waits for the device. The whole of it, since this is where no lock is held: waiting
    /// runs callbacks. What the first try has recorded, it has recorded for nobody.
    ///
    /// [`GuardedDevice::settle`]: crate::scope::GuardedDevice::settle
    pub(crate) fn whole<T>(&self, call: impl Fn() -> Result<T>) -> Result<T> {
        self.device.settle(self.with_memory(call))
    }

    /// The same before it is settled.
    pub(crate) fn with_memory<T>(&self, call: impl Fn() -> Result<T>) -> Result<T> {
        match call() {
            Err(error) if lacks_memory(&error) => {
                self.reclaim()?;
                call()
            }
            result => result,
        }
    }

    /// The same in a task, which must not block and waits as `registration` says.
    pub(crate) async fn whole_awaited<T>(
        &self,
        registration: &Registration,
        call: impl Fn() -> Result<T>,
    ) -> Result<T> {
        let result = match call() {
            Err(error) if lacks_memory(&error) => {
                self.begin_reclaim()?;
                let submission = self.batch()?.last.clone();
                self.done(registration, submission).await?;
                self.pool.trim();
                call()
            }
            result => result,
        };
        self.device.settle(result)
    }

    fn reclaim(&self) -> Result<()> {
        self.begin_reclaim()?;
        // In a browser one cannot wait.
        #[cfg(not(target_arch = "wasm32"))]
        self.wait()?;
        self.pool.trim();
        Ok(())
    }

    /// Frees what is not in use, and submits what is recorded: recorded commands keep buffers alive,
    /// and so does the device until it has run them.
    fn begin_reclaim(&self) -> Result<()> {
        self.pool.trim();
        match self.flush() {
            Err(Error::Device(lost @ DeviceError::Lost { .. })) => Err(lost.into()),
            // A batch that wgpu refuses is not what the call is about; whoever reads what it should
            // have written is told.
            _ => Ok(()),
        }
    }
}

fn lacks_memory(error: &Error) -> bool {
    matches!(error, Error::Device(DeviceError::OutOfMemory { .. }))
}

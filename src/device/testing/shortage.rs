//! Makes memory run out when a test wants it to.

use std::sync::Mutex;

use crate::device::guard::lock::lock;
use indim_core::errors::device::DeviceError;
use indim_core::semantics::error::Result;

/// The allocations that are to fail.
#[derive(Debug, Default)]
pub(crate) struct Shortage(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// The number of allocations requested so far.
    asked: u64,
    fails: Option<std::ops::Range<u64>>,
}

impl Shortage {
    /// Lets these allocations fail; the next one is number 0.
    pub(crate) fn set(&self, fails: Option<std::ops::Range<u64>>) {
        *lock(&self.0) = State { asked: 0, fails };
    }

    pub(crate) fn asked(&self) -> u64 {
        lock(&self.0).asked
    }

    pub(crate) fn check(&self, bytes: u64) -> Result<()> {
        let mut state = lock(&self.0);
        let number = state.asked;
        state.asked += 1;
        match &state.fails {
            Some(fails) if fails.contains(&number) => {
                Err(DeviceError::OutOfMemory { bytes }.into())
            }
            _ => Ok(()),
        }
    }
}

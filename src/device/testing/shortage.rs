//! Memory that runs out when a test wants it to, and what happens then.

use std::sync::Mutex;

use crate::device::guard::lock::lock;
use crate::semantics::error::{DeviceError, Result};

/// Which of the next allocations fail.
#[derive(Debug, Default)]
pub(crate) struct Shortage(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Allocations asked for.
    asked: u64,
    fails: Option<std::ops::Range<u64>>,
}

impl Shortage {
    /// The next allocation is number 0.
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

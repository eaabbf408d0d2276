//! Keeps account of the loops in functions of the user's own that arrays depend on.
//!
//! All calls of one evaluation share a word on the device. It is 0 until a loop passes its bound;
//! then it says of which function and which bound. Nothing waits for it: an array keeps the words
//! that it depends on, hands them on to what is computed from it, and reads them before its own
//! elements are read.

use std::sync::{Arc, Mutex, OnceLock};

use crate::device::context::Context;
use crate::device::guard::lock::lock;
use crate::device::storage::Storage;
use crate::graph::function::body::{LOOP_STATUS_BITS, OVER_DRIVER, OVER_TOTAL, SharedFunction};
use crate::semantics::error::{Error, Result};
use crate::semantics::function_error::CallError;

const WORD_BYTES: usize = 4;

/// A word on the device that says if a loop has run too often.
#[derive(Debug)]
pub(crate) struct LoopStatus {
    context: Context,
    /// The memory of the word.
    pub(crate) word: Arc<Storage>,
    /// The functions of which it may say so.
    pub(crate) functions: Vec<SharedFunction>,
    /// The value of the word, once it was read.
    answer: OnceLock<u32>,
}

/// The words that the elements of an array depend on.
#[derive(Debug, Default)]
pub(crate) struct LoopStatuses(Mutex<Vec<Arc<LoopStatus>>>);

impl LoopStatus {
    /// Makes the status of these functions, whose word is an array of one element.
    pub(crate) fn new(
        context: &Context,
        word: Arc<Storage>,
        functions: Vec<SharedFunction>,
    ) -> Arc<Self> {
        Arc::new(Self { context: context.clone(), word, functions, answer: OnceLock::new() })
    }

    /// Checks that no loop has run too often, once the commands that it may be in have run.
    pub(crate) async fn check(&self) -> Result<()> {
        if self.answer.get().is_none() && self.has_run() {
            let stream = &self.context.inner.stream;
            if let Some(request) = self.word.read_request(WORD_BYTES)? {
                let _ = self.answer.set(request.read(stream, word_of).await?);
            }
        }
        self.judge()
    }

    /// Does as [`LoopStatus::check`], and blocks.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn check_blocking(&self) -> Result<()> {
        if self.answer.get().is_none() && self.has_run() {
            let stream = &self.context.inner.stream;
            if let Some(request) = self.word.read_request(WORD_BYTES)? {
                let _ = self.answer.set(request.read_blocking(stream, word_of)?);
            }
        }
        self.judge()
    }

    /// Returns false if the commands are in an encoder that the caller has dropped: they have
    /// written nothing.
    pub(crate) fn has_run(&self) -> bool {
        self.word.encodings().check().is_ok()
    }

    fn is_well(&self) -> bool {
        self.answer.get() == Some(&0)
    }

    fn judge(&self) -> Result<()> {
        let value = self.answer.get().copied().unwrap_or_default();
        if value == 0 {
            return Ok(());
        }
        let code = value & !LOOP_STATUS_BITS;
        let of_code = self.functions.iter().find(|f| f.loop_status_code() == code);
        let Some(function) = of_code.or(self.functions.first()) else { return Ok(()) };
        let body = &function.0;
        let bounds = body.bounds();
        let source = Box::new(match value & LOOP_STATUS_BITS {
            OVER_DRIVER => CallError::LoopOfDriver {
                driver: self.context.gpu().device.adapter_info().driver.clone(),
            },
            OVER_TOTAL => CallError::Loop { most: bounds.total, is_total: true },
            _ => CallError::Loop { most: bounds.iterations, is_total: false },
        });
        Err(Error::Call { function: body.name.clone(), source })
    }
}

/// Returns functions, each once.
pub(crate) fn distinct<'a>(
    functions: impl Iterator<Item = &'a SharedFunction>,
) -> Vec<SharedFunction> {
    let mut distinct: Vec<SharedFunction> = Vec::new();
    for function in functions {
        if !distinct.contains(function) {
            distinct.push(function.clone());
        }
    }
    distinct
}

fn word_of(bytes: &[u8]) -> u32 {
    bytes.first_chunk().map_or(0, |&word| u32::from_le_bytes(word))
}

impl LoopStatuses {
    /// Returns those that may say something else than 0.
    pub(crate) fn open(&self) -> Vec<Arc<LoopStatus>> {
        let mut kept = lock(&self.0);
        kept.retain(|status| !status.is_well());
        kept.clone()
    }

    pub(crate) fn is_empty(&self) -> bool {
        lock(&self.0).is_empty()
    }

    pub(crate) fn add(&self, statuses: &[Arc<LoopStatus>]) {
        let mut kept = lock(&self.0);
        for status in statuses {
            if !status.is_well() && !kept.iter().any(|known| Arc::ptr_eq(known, status)) {
                kept.push(Arc::clone(status));
            }
        }
    }

    /// Removes all, and returns them.
    pub(crate) fn take(&self) -> Vec<Arc<LoopStatus>> {
        std::mem::take(&mut lock(&self.0))
    }

    /// Keeps one in the place of some others.
    pub(crate) fn replace(&self, old: &[Arc<LoopStatus>], new: Arc<LoopStatus>) {
        let mut kept = lock(&self.0);
        kept.retain(|status| !old.iter().any(|gone| Arc::ptr_eq(gone, status)));
        kept.push(new);
    }
}

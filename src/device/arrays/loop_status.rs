//! Tracks the loop limits of user-defined functions that an array's contents depend on.
//!
//! Each call in an evaluation has a word on the device. It is 0 until a loop exceeds its bound;
//! then it identifies the function and the bound. Nothing waits for it: an array keeps the words of
//! the calls that it depends on, passes them on to whatever is computed from it, and checks them
//! before its elements are read.

use std::sync::{Arc, Mutex, OnceLock};

use crate::device::arrays::storage::Storage;
use crate::device::context::Context;
use crate::device::guard::lock::lock;
use crate::device::memory::encoding::Encoding;
use indim_core::graph::function::body::{
    LOOP_STATUS_BITS, OVER_DRIVER, OVER_TOTAL, SharedFunction,
};
use indim_core::semantics::error::{Error, Result};
use indim_core::semantics::function_error::CallError;

/// The words of the calls of one evaluation.
#[derive(Debug)]
pub(crate) struct StatusWords {
    pub(crate) context: Context,
    /// Their memory.
    pub(crate) storage: Arc<Storage>,
    pub(crate) count: usize,
    /// Their values, once they have been read.
    answer: OnceLock<Vec<u32>>,
}

/// The words of one evaluation on which an array's elements depend.
#[derive(Debug)]
pub(crate) struct LoopStatus {
    pub(crate) words: Arc<StatusWords>,
    /// The numbers of the words, in the order of their calls.
    pub(crate) own: Vec<usize>,
    /// The functions that the words may refer to.
    pub(crate) functions: Vec<SharedFunction>,
}

/// The words that the elements of an array depend on.
#[derive(Debug, Default)]
pub(crate) struct LoopStatuses(Mutex<Vec<Kept>>);

/// A word that an array's elements depend on: always, or only if certain commands in an encoder
/// run, or only if they do not.
#[derive(Debug, Clone)]
pub(crate) struct Kept {
    status: Arc<LoopStatus>,
    /// The commands that write elements which depend on it.
    since: Option<Arc<Encoding>>,
    /// The commands that write all elements anew.
    until: Option<Arc<Encoding>>,
}

impl Kept {
    fn always(status: Arc<LoopStatus>) -> Self {
        Self { status, since: None, until: None }
    }

    /// Returns true if it is the same word on the same conditions.
    fn is_alike(&self, other: &Self) -> bool {
        let same = |a: &Option<Arc<Encoding>>, b: &Option<Arc<Encoding>>| match (a, b) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        };
        Arc::ptr_eq(&self.status, &other.status)
            && same(&self.since, &other.since)
            && same(&self.until, &other.until)
    }

    fn matters(&self) -> bool {
        self.since.as_ref().is_none_or(|since| !since.never_runs())
            && self.until.as_ref().is_none_or(|until| until.never_runs())
    }

    /// Returns true if it no longer matters, whatever the caller does.
    fn is_over(&self) -> bool {
        self.status.is_well() || self.until.as_ref().is_some_and(|until| until.is_run())
    }
}

impl StatusWords {
    pub(crate) fn new(context: &Context, storage: Arc<Storage>, count: usize) -> Arc<Self> {
        Arc::new(Self { context: context.clone(), storage, count, answer: OnceLock::new() })
    }

    /// Reads the words, once the commands that write them have run.
    async fn read(&self) -> Result<()> {
        if self.answer.get().is_none() && self.have_run() {
            let stream = &self.context.inner.stream;
            if let Some(request) = self.storage.read_request(4 * self.count)? {
                let _ = self.answer.set(request.read(stream, words_of).await?);
            }
        }
        Ok(())
    }

    /// Blocking version of [`StatusWords::read`].
    #[cfg(not(target_arch = "wasm32"))]
    fn read_blocking(&self) -> Result<()> {
        if self.answer.get().is_none() && self.have_run() {
            let stream = &self.context.inner.stream;
            if let Some(request) = self.storage.read_request(4 * self.count)? {
                let _ = self.answer.set(request.read_blocking(stream, words_of)?);
            }
        }
        Ok(())
    }

    /// Returns false if the commands are in an encoder that the caller has dropped: they have
    /// written nothing.
    pub(crate) fn have_run(&self) -> bool {
        self.storage.encodings().check().is_ok()
    }
}

impl LoopStatus {
    /// Checks that no loop has exceeded its bound, once the commands that contain it have run.
    pub(crate) async fn check(&self) -> Result<()> {
        self.words.read().await?;
        self.judge()
    }

    /// Blocking version of [`LoopStatus::check`].
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn check_blocking(&self) -> Result<()> {
        self.words.read_blocking()?;
        self.judge()
    }

    fn is_well(&self) -> bool {
        self.words.answer.get().is_some_and(|words| self.first_of(words).is_none())
    }

    /// Returns the first word that reports a loop that exceeded its bound.
    fn first_of(&self, words: &[u32]) -> Option<u32> {
        self.own.iter().filter_map(|&number| words.get(number)).copied().find(|&word| word != 0)
    }

    fn judge(&self) -> Result<()> {
        let Some(value) = self.words.answer.get().and_then(|words| self.first_of(words)) else {
            return Ok(());
        };
        let code = value & !LOOP_STATUS_BITS;
        let of_code = self.functions.iter().find(|f| f.loop_status_code() == code);
        let Some(function) = of_code.or(self.functions.first()) else { return Ok(()) };
        let body = &function.0;
        let bounds = body.bounds();
        let source = Box::new(match value & LOOP_STATUS_BITS {
            OVER_DRIVER => CallError::LoopOfDriver {
                driver: self.words.context.gpu().device.adapter_info().driver.clone(),
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

fn words_of(bytes: &[u8]) -> Vec<u32> {
    let (words, _) = bytes.as_chunks();
    words.iter().map(|&word| u32::from_le_bytes(word)).collect()
}

impl LoopStatuses {
    /// Returns those that may not be 0.
    pub(crate) fn open(&self) -> Vec<Arc<LoopStatus>> {
        self.those(Kept::matters)
    }

    /// Returns those that the elements depend on whether or not commands in encoders run.
    pub(crate) fn settled(&self) -> Vec<Arc<LoopStatus>> {
        self.those(|kept| {
            kept.until.is_none() && kept.since.as_ref().is_none_or(|since| since.is_run())
        })
    }

    fn those(&self, is_one: impl Fn(&Kept) -> bool) -> Vec<Arc<LoopStatus>> {
        let mut kept = lock(&self.0);
        kept.retain(|kept| !kept.is_over());
        kept.iter().filter(|kept| is_one(kept)).map(|kept| Arc::clone(&kept.status)).collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        lock(&self.0).is_empty()
    }

    pub(crate) fn add(&self, statuses: &[Arc<LoopStatus>]) {
        let mut kept = lock(&self.0);
        for status in statuses.iter().filter(|status| !status.is_well()) {
            let new = Kept::always(Arc::clone(status));
            match kept.iter_mut().find(|known| Arc::ptr_eq(&known.status, status)) {
                Some(known) => *known = new,
                None => kept.push(new),
            }
        }
    }

    /// Returns all, with their conditions.
    pub(crate) fn kept(&self) -> Vec<Kept> {
        lock(&self.0).clone()
    }

    /// Removes all, and returns them.
    pub(crate) fn take(&self) -> Vec<Kept> {
        std::mem::take(&mut lock(&self.0))
    }

    /// Restores the earlier words and discards all others.
    pub(crate) fn restore(&self, before: Vec<Kept>) {
        *lock(&self.0) = before;
    }

    /// Restores the earlier words, which were taken or not. Words added since depend on these
    /// commands; if these overwrite all elements, so do the earlier ones.
    pub(crate) fn encoded(
        &self,
        mut before: Vec<Kept>,
        taken: bool,
        anew: bool,
        encoding: &Arc<Encoding>,
    ) {
        let mut kept = lock(&self.0);
        if !taken {
            let is_old = |kept: &Kept| before.iter().any(|old| old.is_alike(kept));
            kept.retain(|kept| !is_old(kept));
        }
        kept.iter_mut().for_each(|kept| kept.since = Some(Arc::clone(encoding)));
        if anew {
            before.iter_mut().for_each(|kept| kept.until = Some(Arc::clone(encoding)));
        }
        kept.append(&mut before);
    }

    /// Keeps one in the place of some others.
    pub(crate) fn replace(&self, old: &[Arc<LoopStatus>], new: Arc<LoopStatus>) {
        let mut kept = lock(&self.0);
        kept.retain(|kept| !old.iter().any(|gone| Arc::ptr_eq(gone, &kept.status)));
        kept.push(Kept::always(new));
    }
}

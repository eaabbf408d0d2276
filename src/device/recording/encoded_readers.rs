//! Tracks the memory that commands in caller-owned encoders use, while a browser may still reject a
//! batch whose results they have read.

use std::sync::Arc;

use crate::device::guard::poison::Poison;
use crate::device::memory::bind_groups::BufferId;
use crate::device::memory::encoding::{Encoding, Role};
use indim_core::semantics::error::Error;

/// The encodings that may have read the results of a pending batch, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct EncodedReaders(Vec<Reader>);

#[derive(Debug)]
struct Reader {
    encoding: Arc<Encoding>,
    uses: Vec<Use>,
    /// The number of the first batch whose results it cannot have read, once it is known.
    end: Option<u64>,
}

/// An array that an encoding uses.
#[derive(Debug)]
pub(crate) struct Use {
    pub(crate) buffer: BufferId,
    pub(crate) poison: Arc<Poison>,
    pub(crate) role: Role,
}

impl Reader {
    /// Poisons all that it writes.
    fn poison(&self, error: &Error) {
        let written = self.uses.iter().filter(|used| used.role != Role::Operand);
        written.for_each(|written| written.poison.set(error));
    }
}

impl EncodedReaders {
    pub(crate) fn push(&mut self, encoding: Arc<Encoding>, uses: Vec<Use>) {
        self.0.push(Reader { encoding, uses, end: None });
    }

    /// Notes that the batch of this number is submitted now: encodings submitted earlier have not
    /// read its results.
    pub(crate) fn end_before(&mut self, batch: u64) {
        for reader in self.0.iter_mut().filter(|reader| !reader.encoding.is_unsettled()) {
            reader.end.get_or_insert(batch);
        }
    }

    /// Forgets those that can only have read the results of answered batches; `batch` is the first
    /// pending one.
    pub(crate) fn forget_before(&mut self, batch: u64) {
        self.0.retain(|reader| reader.end.is_none_or(|end| end > batch));
    }

    /// Forgets those that are settled: all batches have been answered.
    pub(crate) fn forget_settled(&mut self) {
        self.0.retain(|reader| reader.encoding.is_unsettled());
    }

    /// Poisons all that was computed from arrays poisoned by now.
    pub(crate) fn poison_what_lacks_operands(&self) {
        for reader in &self.0 {
            // A target is also read.
            if let Some(error) = reader.uses.iter().find_map(|used| used.poison.check().err()) {
                reader.poison(&error);
            }
        }
    }

    /// Poisons all that was computed, directly or not, from these arrays, which had not been
    /// written yet.
    pub(crate) fn poison_readers_of<'a>(
        &self,
        stale: impl Iterator<Item = &'a Arc<Poison>>,
        error: &Error,
    ) {
        let stale: Vec<_> = stale.map(Arc::as_ptr).collect();
        for reader in &self.0 {
            if reader.uses.iter().any(|used| stale.contains(&Arc::as_ptr(&used.poison))) {
                reader.poison(error);
            }
        }
        self.poison_what_lacks_operands();
    }

    /// Returns the buffers that they write.
    pub(crate) fn written(&self) -> impl Iterator<Item = BufferId> + '_ {
        let uses = self.0.iter().flat_map(|reader| &reader.uses);
        uses.filter(|used| used.role != Role::Operand).map(|used| used.buffer)
    }
}

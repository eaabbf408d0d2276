//! Keeps the batches that a browser may still reject, since it answers a submission later, and the
//! commands in caller-owned encoders that may have read their results.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::device::guard::deferred_errors::{BatchAnswer, DeferredErrors};
use crate::device::guard::poison::Poison;
use crate::device::memory::bind_groups::BufferId;
use crate::device::memory::encoding::Encoding;
use crate::device::program::commands::{BoundArray, EncodedDispatch, Upload};
use crate::device::recording::encoded_readers::{EncodedReaders, Use};
use indim_core::semantics::error::Error;
use indim_core::semantics::hash::FastSet;

/// The batches that have no answer yet, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct PendingBatches {
    batches: VecDeque<PendingBatch>,
    encoded: EncodedReaders,
    next: u64,
}

/// The commands of a batch, with everything needed to run them again, except the copies to the
/// host, which their readers repeat.
#[derive(Debug, Default)]
pub(crate) struct Submitted {
    pub(crate) uploads: Vec<Upload>,
    pub(crate) dispatches: Vec<EncodedDispatch>,
    /// The arrays of all dispatches, in one list; see [`EncodedDispatch::arrays`].
    pub(crate) arrays: Vec<BoundArray>,
}

/// A batch that the browser may still reject.
#[derive(Debug)]
pub(crate) struct PendingBatch {
    number: u64,
    commands: Submitted,
    /// True if it is one command of a rejected batch.
    again: bool,
    /// The queue's writes before it.
    writes: u64,
}

impl PendingBatches {
    /// Returns the number that the next batch will have.
    pub(crate) fn next_number(&self) -> u64 {
        self.next
    }

    /// Returns true if this batch may run after waiting batches and commands in caller-owned
    /// encoders that were submitted after it, because none of these write memory that it reads or
    /// writes.
    pub(crate) fn leave_alone(&self, batch: &PendingBatch) -> bool {
        let own = &batch.commands;
        let read = own.arrays.iter().map(|array| array.buffer);
        let touched: FastSet<BufferId> = read.chain(own.written()).collect();
        let later = self.batches.iter().flat_map(|later| later.commands.written());
        later.chain(self.encoded.written()).all(|buffer| !touched.contains(&buffer))
    }

    /// Poisons everything that waiting batches and commands in caller-owned encoders have computed
    /// from the results of this batch, of which nothing had run.
    pub(crate) fn poison_readers_of(&self, batch: &PendingBatch, error: &Error) {
        let mut stale: FastSet<BufferId> = batch.commands.written().collect();
        for later in &self.batches {
            let commands = &later.commands;
            for dispatch in &commands.dispatches {
                let all = &commands.arrays[dispatch.arrays.clone()];
                if all.iter().any(|array| stale.contains(&array.buffer)) {
                    commands.poison_results(dispatch, error);
                    stale.extend(commands.results(dispatch).iter().map(|result| result.buffer));
                }
            }
        }
        self.encoded.poison_readers_of(batch.commands.poison_of_written(), error);
    }

    /// Notes the uses of an encoding in a caller-owned encoder.
    pub(crate) fn encoded(&mut self, encoding: &Arc<Encoding>, uses: Vec<Use>) {
        if self.batches.is_empty() {
            self.encoded.forget_settled();
        }
        self.encoded.push(Arc::clone(encoding), uses);
    }

    /// Poisons the results that commands in caller-owned encoders computed from arrays poisoned by
    /// now.
    pub(crate) fn poison_encoded(&self) {
        self.encoded.poison_what_lacks_operands();
    }

    /// Adds a batch that was just submitted.
    pub(crate) fn push(&mut self, deferred: &DeferredErrors, commands: Submitted, again: bool) {
        let (number, writes) = (self.next, deferred.writes());
        self.next += 1;
        self.encoded.end_before(number);
        self.batches.push_back(PendingBatch { number, commands, again, writes });
    }

    /// Takes the batch that was answered; those before it have been.
    pub(crate) fn take(&mut self, answer: &BatchAnswer) -> Option<PendingBatch> {
        self.encoded.poison_what_lacks_operands();
        self.encoded.forget_before(answer.number);
        let place = self.batches.iter().position(|batch| batch.number == answer.number)?;
        self.batches.remove(place)
    }
}

impl PendingBatch {
    /// Returns true if running it now gives the same results: nothing of it has run so far, and the
    /// queue has not written to memory that it reads. The caller checks for batches submitted after
    /// it.
    pub(crate) fn may_run_again(&self, deferred: &DeferredErrors) -> bool {
        !self.again && self.writes == deferred.writes()
    }

    /// Poisons all that it writes.
    pub(crate) fn poison_all(&self, error: &Error) {
        self.commands.poison_all(error);
    }

    /// Poisons the results of dispatches that have read a poisoned array: they are meaningless.
    pub(crate) fn poison_what_lacks_operands(&self) {
        let Submitted { dispatches, arrays, .. } = &self.commands;
        for dispatch in dispatches {
            let mut read = arrays[dispatch.arrays.clone()].iter();
            if let Err(error) = read.try_for_each(BoundArray::check) {
                self.commands.poison_results(dispatch, &error);
            }
        }
    }

    /// Returns its commands one by one, in order.
    pub(crate) fn apart(self) -> impl Iterator<Item = Submitted> {
        let Submitted { uploads, dispatches, arrays } = self.commands;
        let uploads = uploads
            .into_iter()
            .map(|upload| Submitted { uploads: vec![upload], ..Submitted::default() });
        let dispatches = dispatches.into_iter().map(move |mut dispatch| {
            let own = arrays[dispatch.arrays.clone()].to_vec();
            dispatch.arrays = 0..own.len();
            Submitted { uploads: Vec::new(), dispatches: vec![dispatch], arrays: own }
        });
        uploads.chain(dispatches)
    }
}

impl Submitted {
    /// Poisons all that they write.
    pub(crate) fn poison_all(&self, error: &Error) {
        self.uploads.iter().for_each(|upload| upload.poison.set(error));
        self.dispatches.iter().for_each(|dispatch| self.poison_results(dispatch, error));
    }

    /// Poisons the arrays that a dispatch writes.
    fn poison_results(&self, dispatch: &EncodedDispatch, error: &Error) {
        self.results(dispatch).iter().for_each(|result| result.poison(error));
    }

    /// Returns the arrays that a dispatch writes.
    fn results(&self, dispatch: &EncodedDispatch) -> &[BoundArray] {
        let all = &self.arrays[dispatch.arrays.clone()];
        &all[all.len().saturating_sub(dispatch.pipeline.layout.kind.outputs)..]
    }

    /// Returns the poison states of the arrays that are written.
    fn poison_of_written(&self) -> impl Iterator<Item = &Arc<Poison>> {
        let results = self.dispatches.iter().flat_map(|dispatch| self.results(dispatch));
        let uploads = self.uploads.iter().map(|upload| &upload.poison);
        uploads.chain(results.filter_map(BoundArray::poison_state))
    }

    /// Returns the buffers that are written.
    fn written(&self) -> impl Iterator<Item = BufferId> + '_ {
        let results = self.dispatches.iter().flat_map(|dispatch| self.results(dispatch));
        let uploads = self.uploads.iter().map(|upload| upload.to);
        uploads.chain(results.map(|result| result.buffer))
    }
}

//! Defines [`Encoding`]: commands of ours in an encoder of the caller's, which the caller submits
//! when it pleases, or never; and [`Encodings`], by which memory knows of those that use it.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use crate::device::guard::lock::lock;
use crate::device::guard::refusal::Refusal;
use crate::semantics::error::{ArrayError, Result};

/// A type has this if it may cross threads where wgpu's objects may, as they do off the web.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) trait Shared: Send + Sync {}
#[cfg(not(target_arch = "wasm32"))]
impl<T: Send + Sync> Shared for T {}

#[cfg(target_arch = "wasm32")]
pub(crate) trait Shared {}
#[cfg(target_arch = "wasm32")]
impl<T> Shared for T {}

/// Memory that commands use.
pub(crate) trait Held: fmt::Debug + Shared {
    /// Keeps the memory from being used again, since nobody will know when commands that use it have
    /// run.
    #[cfg(target_arch = "wasm32")]
    fn retire(&self);
}

/// The phases tell how far commands are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// They are in the encoder, and the caller is to say when they are submitted.
    Open = 0,
    /// The caller has dropped what it would say that by. The encoder may still be submitted.
    Dropped = 1,
    /// The caller has said that they are submitted.
    Submitted = 2,
    /// They have run, and the caller has not said that they are submitted, and cannot any more.
    Ran = 3,
    /// The encoder was dropped, and they with it.
    Discarded = 4,
}

const PHASES: [Phase; 5] =
    [Phase::Open, Phase::Dropped, Phase::Submitted, Phase::Ran, Phase::Discarded];

/// Keeps how far commands are, as far as the caller and the device have told.
#[derive(Debug, Default)]
struct Progress {
    phase: AtomicU8,
    /// True once the commands have run.
    ran: AtomicBool,
    /// True if the commands have read what was never written.
    lacks_operands: AtomicBool,
}

impl Progress {
    fn phase(&self) -> Phase {
        PHASES[usize::from(self.phase.load(Ordering::Acquire))]
    }

    /// Goes to another phase from one of `from`, and returns true if it was in one of them.
    fn go(&self, from: &[Phase], to: Phase) -> bool {
        let exchange = |&from: &Phase| {
            let (order, other) = (Ordering::AcqRel, Ordering::Acquire);
            self.phase.compare_exchange(from as u8, to as u8, order, other).is_ok()
        };
        from.iter().any(exchange)
    }
}

/// The number of encodings so far.
static ENCODINGS: AtomicU64 = AtomicU64::new(0);

/// Commands in an encoder of the caller's.
#[derive(Debug)]
pub(crate) struct Encoding {
    /// It is larger than that of all encodings before.
    number: u64,
    progress: Arc<Progress>,
    /// A number that identifies the encoder.
    encoder: u64,
    /// The commands use this memory, which is kept until they are submitted, or cannot be.
    held: Mutex<Vec<Arc<dyn Held>>>,
    /// The refusals of what they write.
    written: Mutex<Vec<Arc<Refusal>>>,
    /// The commands that write what these read, to be submitted before or with these.
    before: Mutex<Vec<Arc<Self>>>,
}

/// A role says what commands do with memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// They read it, or use it for themselves.
    Operand,
    /// They write an array that is new.
    Result,
    /// They write an array that was there before.
    Target,
}

impl Encoding {
    /// Makes the encoding of commands that are about to be recorded in the encoder that this
    /// number identifies. `before` are those that are to be submitted before or with these.
    pub(crate) fn new(encoder: u64, before: Vec<Arc<Self>>) -> Arc<Self> {
        Arc::new(Self {
            number: ENCODINGS.fetch_add(1, Ordering::Relaxed),
            // It begins open.
            progress: Arc::default(),
            encoder,
            held: Mutex::default(),
            written: Mutex::default(),
            before: Mutex::new(before),
        })
    }

    fn phase(&self) -> Phase {
        self.progress.phase()
    }

    /// Returns true as long as the commands may yet be submitted, as far as the caller has said.
    pub(crate) fn is_unsettled(&self) -> bool {
        matches!(self.phase(), Phase::Open | Phase::Dropped)
    }

    /// Returns true if the commands have not run and will not, as far as the caller has said.
    pub(crate) fn never_runs(&self) -> bool {
        matches!(self.phase(), Phase::Dropped | Phase::Discarded)
    }

    /// Returns true if the commands are submitted, and nobody can take that back.
    pub(crate) fn is_run(&self) -> bool {
        matches!(self.phase(), Phase::Submitted | Phase::Ran)
    }

    /// Keeps memory alive until the commands are submitted, or cannot be.
    pub(crate) fn hold(&self, held: Arc<dyn Held>) {
        lock(&self.held).push(held);
    }

    /// Notes the refusal of an array that the commands write.
    pub(crate) fn writes(&self, refusal: Arc<Refusal>) {
        lock(&self.written).push(refusal);
    }

    /// Notes that the caller has submitted the commands, and with them those that write what they
    /// read.
    pub(crate) fn submitted(self: &Arc<Self>) {
        if self.phase() == Phase::Discarded {
            return;
        }
        // A list and no recursion: the chain may be long.
        let mut all = BTreeMap::from([(self.number, Arc::clone(self))]);
        let mut next = vec![Arc::clone(self)];
        while let Some(encoding) = next.pop() {
            for before in lock(&encoding.before).iter() {
                let is_new = !matches!(before.phase(), Phase::Submitted | Phase::Discarded)
                    && all.insert(before.number, Arc::clone(before)).is_none();
                if is_new {
                    next.push(Arc::clone(before));
                }
            }
        }
        // Those before come first.
        for encoding in all.values() {
            let before = std::mem::take(&mut *lock(&encoding.before));
            let lacks = before.iter().any(|before| before.wrote_nothing());
            let from = [Phase::Open, Phase::Dropped, Phase::Ran];
            if encoding.progress.go(&from, Phase::Submitted) && lacks {
                encoding.progress.lacks_operands.store(true, Ordering::Release);
                encoding.refuse_written();
            }
            encoding.release();
        }
    }

    /// Returns true if the commands have written nothing that is worth to be read.
    fn wrote_nothing(&self) -> bool {
        self.phase() == Phase::Discarded || self.progress.lacks_operands.load(Ordering::Acquire)
    }

    fn refuse_written(&self) {
        let error = ArrayError::NotSubmitted.into();
        lock(&self.written).iter().for_each(|refusal| refusal.set(&error));
    }

    /// Notes that the caller will not say any more that the commands are submitted.
    pub(crate) fn dropped(&self) {
        let Self { progress, .. } = self;
        if progress.go(&[Phase::Open], Phase::Dropped) && progress.ran.load(Ordering::Acquire) {
            progress.go(&[Phase::Dropped], Phase::Ran);
        }
        #[cfg(target_arch = "wasm32")]
        {
            if self.phase() == Phase::Dropped {
                lock(&self.held).iter().for_each(|held| held.retire());
            }
            self.release();
        }
    }

    /// Stops holding memory.
    fn release(&self) {
        // What is dropped here locks others, so that this lock is given back before.
        let held = std::mem::take(&mut *lock(&self.held));
        drop(held);
    }
}

impl Drop for Encoding {
    /// Drops a long chain in a loop. Recursion would overflow the stack.
    fn drop(&mut self) {
        let mut stack = std::mem::take(&mut *lock(&self.before));
        while let Some(before) = stack.pop() {
            if let Some(encoding) = Arc::into_inner(before) {
                stack.append(&mut lock(&encoding.before));
            }
        }
    }
}

/// The encoder's callback owns this, which goes with the encoder, or when the commands have run.
///
/// In a browser the callback must be `Send`, which buffers are not there: it does not hold them.
#[derive(Debug)]
pub(crate) struct Watch {
    progress: Arc<Progress>,
    #[cfg(not(target_arch = "wasm32"))]
    encoding: Arc<Encoding>,
}

impl Watch {
    pub(crate) fn new(encoding: &Arc<Encoding>) -> Self {
        Self {
            progress: Arc::clone(&encoding.progress),
            #[cfg(not(target_arch = "wasm32"))]
            encoding: Arc::clone(encoding),
        }
    }

    /// Notes that the commands have run, though the caller may not have said yet that they are
    /// submitted.
    pub(crate) fn ran(self) {
        self.progress.ran.store(true, Ordering::Release);
        self.progress.go(&[Phase::Dropped], Phase::Ran);
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if !self.progress.ran.load(Ordering::Acquire) {
            self.progress.go(&[Phase::Open, Phase::Dropped], Phase::Discarded);
        }
        #[cfg(not(target_arch = "wasm32"))]
        self.encoding.release();
    }
}

/// The encodings that use some memory.
#[derive(Debug, Default)]
pub(crate) struct Encodings {
    /// True if the list has entries, so that most calls need not lock it.
    any: AtomicBool,
    uses: Mutex<Vec<(Arc<Encoding>, Role)>>,
}

impl Encodings {
    /// Notes that an encoding uses the memory, in one role: whoever writes it may read it, too.
    pub(crate) fn note(&self, encoding: &Arc<Encoding>, role: Role) {
        let mut uses = lock(&self.uses);
        uses.push((Arc::clone(encoding), role));
        self.any.store(true, Ordering::Release);
    }

    /// Checks that the memory has what a command of the context's is to read: that all that write
    /// it are submitted.
    pub(crate) fn check(&self) -> Result<()> {
        self.check_that(|phase, role| match role {
            Role::Operand => true,
            Role::Result => phase == Phase::Submitted,
            // What is in it is whole, whether the commands will run or not.
            Role::Target => phase != Phase::Open,
        })
    }

    /// Checks the same for commands in an encoder, and returns the encoding that is to be submitted
    /// before or with them, if there is one; those before it are known to it.
    pub(crate) fn check_encoded(&self) -> Result<Option<Arc<Encoding>>> {
        self.check_that(|phase, role| {
            role != Role::Result || matches!(phase, Phase::Open | Phase::Submitted)
        })?;
        let mut last = None;
        self.look(|uses| last = open_writers(uses).last().cloned());
        Ok(last)
    }

    /// Returns true if commands that may yet be submitted use the memory.
    pub(crate) fn is_any_unsettled(&self) -> bool {
        self.is_any(|encoding| encoding.is_unsettled())
    }

    /// Returns true if such commands are in another encoder than the one that this number
    /// identifies.
    pub(crate) fn is_any_unsettled_outside(&self, encoder: u64) -> bool {
        self.is_any(|encoding| encoding.is_unsettled() && encoding.encoder != encoder)
    }

    /// Returns true if open commands write the memory.
    pub(crate) fn is_written(&self) -> bool {
        let mut is_written = false;
        self.look(|uses| is_written = open_writers(uses).next().is_some());
        is_written
    }

    /// Returns true if such commands are in another encoder than the one that this number
    /// identifies.
    pub(crate) fn is_written_outside(&self, encoder: u64) -> bool {
        let mut is_written = false;
        self.look(|uses| is_written = open_writers(uses).any(|open| open.encoder != encoder));
        is_written
    }

    /// Returns true if the array is the result of commands that are not submitted, so that there is
    /// nothing in it without them.
    pub(crate) fn is_made(&self) -> bool {
        let mut is_made = false;
        self.look(|uses| is_made = uses.iter().any(|(_, role)| *role == Role::Result));
        is_made
    }

    fn is_any(&self, is_it: impl Fn(&Encoding) -> bool) -> bool {
        let mut is_any = false;
        self.look(|uses| is_any = uses.iter().any(|(encoding, _)| is_it(encoding)));
        is_any
    }

    fn check_that(&self, fits: impl Fn(Phase, Role) -> bool) -> Result<()> {
        let mut fit = true;
        self.look(|uses| fit = uses.iter().all(|(encoding, role)| fits(encoding.phase(), *role)));
        if fit { Ok(()) } else { Err(ArrayError::NotSubmitted.into()) }
    }

    /// Runs `work` on the list without the entries that no longer matter, if it has any.
    fn look(&self, work: impl FnOnce(&mut Vec<(Arc<Encoding>, Role)>)) {
        if !self.any.load(Ordering::Acquire) {
            return;
        }
        let mut uses = lock(&self.uses);
        let gone: Vec<_> = uses
            .extract_if(.., |(encoding, role)| match role {
                Role::Operand | Role::Target => !encoding.is_unsettled(),
                Role::Result => encoding.phase() == Phase::Submitted,
            })
            .collect();
        work(&mut uses);
        self.any.store(!uses.is_empty(), Ordering::Release);
        drop(uses);
        // An encoding that is dropped here may hold others' memory.
        drop(gone);
    }
}

/// Returns the open encodings that write, in the order in which they were made.
fn open_writers(uses: &[(Arc<Encoding>, Role)]) -> impl Iterator<Item = &Arc<Encoding>> {
    let writes = |(encoding, role): &&(Arc<Encoding>, Role)| {
        *role != Role::Operand && encoding.phase() == Phase::Open
    };
    uses.iter().filter(writes).map(|(encoding, _)| encoding)
}

//! Defines [`Encoding`]: our commands in a caller-owned encoder, which the caller submits at any
//! time, or never; and [`Encodings`], the list of those that use some memory.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use crate::device::guard::lock::lock;
use crate::device::guard::poison::Poison;
use indim_core::errors::array::ArrayError;
use indim_core::semantics::error::Result;

/// Types that may cross threads where wgpu's objects may, as they do off the web.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) trait Shared: Send + Sync {}
#[cfg(not(target_arch = "wasm32"))]
impl<T: Send + Sync> Shared for T {}

#[cfg(target_arch = "wasm32")]
pub(crate) trait Shared {}
#[cfg(target_arch = "wasm32")]
impl<T> Shared for T {}

/// Memory that commands use.
pub(crate) trait RetainedMemory: fmt::Debug + Shared {
    /// Keeps the memory from being reused, since it will be unknown when commands that use it have
    /// run.
    #[cfg(target_arch = "wasm32")]
    fn retire(&self);
}

/// The phases of commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// They are in the encoder, and the caller is expected to report their submission.
    Open = 0,
    /// The caller has dropped the handle for reporting that. The encoder may still be submitted.
    Dropped = 1,
    /// The caller has reported their submission.
    Submitted = 2,
    /// They have run, though the caller did not report their submission and no longer can.
    Ran = 3,
    /// The encoder was dropped with them.
    Discarded = 4,
}

const PHASES: [Phase; 5] =
    [Phase::Open, Phase::Dropped, Phase::Submitted, Phase::Ran, Phase::Discarded];

/// The phase of commands, as far as the caller and the device have reported it.
#[derive(Debug, Default)]
struct Progress {
    phase: AtomicU8,
    /// True once the commands have run.
    ran: AtomicBool,
    /// True if the commands have read memory that was never written.
    lacks_operands: AtomicBool,
}

impl Progress {
    fn phase(&self) -> Phase {
        PHASES[usize::from(self.phase.load(Ordering::Acquire))]
    }

    /// Moves to another phase from any of `from`; returns true if it was in one of them.
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

/// Commands in a caller-owned encoder.
#[derive(Debug)]
pub(crate) struct Encoding {
    /// It is larger than that of all encodings before.
    number: u64,
    progress: Arc<Progress>,
    /// A number that identifies the encoder.
    encoder: u64,
    /// Memory that the commands use. It is kept until they are submitted or can no longer be.
    retained: Mutex<Vec<Arc<dyn RetainedMemory>>>,
    /// The poison states of what they write.
    written: Mutex<Vec<Arc<Poison>>>,
    /// The commands that write the arrays that these read, to be submitted before or with these.
    before: Mutex<Vec<Arc<Self>>>,
}

/// The use that commands make of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// They read it, or use it as scratch.
    Operand,
    /// They write a new array.
    Result,
    /// They write an existing array.
    Target,
}

impl Encoding {
    /// Makes the encoding of commands that are about to be recorded in the encoder with this
    /// number. `before` are those that must be submitted before or with these.
    pub(crate) fn new(encoder: u64, before: Vec<Arc<Self>>) -> Arc<Self> {
        Arc::new(Self {
            number: ENCODINGS.fetch_add(1, Ordering::Relaxed),
            // It begins open.
            progress: Arc::default(),
            encoder,
            retained: Mutex::default(),
            written: Mutex::default(),
            before: Mutex::new(before),
        })
    }

    fn phase(&self) -> Phase {
        self.progress.phase()
    }

    /// Returns true if, as far as the caller has reported, the commands may still be submitted.
    pub(crate) fn is_unsettled(&self) -> bool {
        matches!(self.phase(), Phase::Open | Phase::Dropped)
    }

    /// Returns true if, as far as the caller has reported, the commands have not run and will not.
    pub(crate) fn never_runs(&self) -> bool {
        matches!(self.phase(), Phase::Dropped | Phase::Discarded)
    }

    /// Returns true if the commands are irrevocably submitted.
    pub(crate) fn is_run(&self) -> bool {
        matches!(self.phase(), Phase::Submitted | Phase::Ran)
    }

    /// Keeps memory alive until the commands are submitted or can no longer be.
    pub(crate) fn retain(&self, memory: Arc<dyn RetainedMemory>) {
        lock(&self.retained).push(memory);
    }

    /// Notes the poison state of an array that the commands write.
    pub(crate) fn writes(&self, poison: Arc<Poison>) {
        lock(&self.written).push(poison);
    }

    /// Notes that the caller has submitted the commands, and with them those that write what they
    /// read.
    pub(crate) fn submitted(self: &Arc<Self>) {
        if self.phase() == Phase::Discarded {
            return;
        }
        // A list, not recursion: the chain may be long.
        let mut all = BTreeMap::new();
        all.insert(self.number, Arc::clone(self));
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
                encoding.poison_written();
            }
            encoding.release();
        }
    }

    /// Returns true if the commands have written nothing worth reading.
    fn wrote_nothing(&self) -> bool {
        self.phase() == Phase::Discarded || self.progress.lacks_operands.load(Ordering::Acquire)
    }

    fn poison_written(&self) {
        let error = ArrayError::NotSubmitted.into();
        lock(&self.written).iter().for_each(|poison| poison.set(&error));
    }

    /// Notes that the caller can no longer report the commands as submitted.
    pub(crate) fn dropped(&self) {
        let Self { progress, .. } = self;
        if progress.go(&[Phase::Open], Phase::Dropped) && progress.ran.load(Ordering::Acquire) {
            progress.go(&[Phase::Dropped], Phase::Ran);
        }
        #[cfg(target_arch = "wasm32")]
        {
            if self.phase() == Phase::Dropped {
                lock(&self.retained).iter().for_each(|memory| memory.retire());
            }
            self.release();
        }
    }

    /// Stops holding memory.
    fn release(&self) {
        // Dropping these takes other locks, so release this one first.
        let retained = std::mem::take(&mut *lock(&self.retained));
        drop(retained);
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

/// Owned by the encoder's callback, which is dropped with the encoder or once the commands have
/// run.
///
/// In a browser the callback must be `Send`; buffers are not, so it does not hold them.
#[derive(Debug)]
pub(crate) struct DropObserver {
    progress: Arc<Progress>,
    #[cfg(not(target_arch = "wasm32"))]
    encoding: Arc<Encoding>,
}

impl DropObserver {
    pub(crate) fn new(encoding: &Arc<Encoding>) -> Self {
        Self {
            progress: Arc::clone(&encoding.progress),
            #[cfg(not(target_arch = "wasm32"))]
            encoding: Arc::clone(encoding),
        }
    }

    /// Notes that the commands have run, though the caller may not have reported their submission
    /// yet.
    pub(crate) fn ran(self) {
        self.progress.ran.store(true, Ordering::Release);
        self.progress.go(&[Phase::Dropped], Phase::Ran);
    }
}

impl Drop for DropObserver {
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
    /// Notes that an encoding uses the memory, in one role. Writers may also read it.
    pub(crate) fn note(&self, encoding: &Arc<Encoding>, role: Role) {
        let mut uses = lock(&self.uses);
        uses.push((Arc::clone(encoding), role));
        self.any.store(true, Ordering::Release);
    }

    /// Checks that all commands that write the memory are submitted, so that a command of the
    /// context may read it.
    pub(crate) fn check(&self) -> Result<()> {
        self.check_that(|phase, role| match role {
            Role::Operand => true,
            Role::Result => phase == Phase::Submitted,
            // Its contents are complete whether or not the commands run.
            Role::Target => phase != Phase::Open,
        })
    }

    /// Checks that commands in an encoder may read the memory, and returns the encoding that must
    /// be submitted before or with them, if any; that one holds those before it.
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

    /// Returns true if the array is the result of commands that are not submitted, and so has no
    /// contents without them.
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
        // An encoding that is dropped here may hold memory of other arrays.
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

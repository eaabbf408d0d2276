//! Defines [`Encoding`]: commands of ours in an encoder of the caller's, which the caller submits
//! when it pleases, or never; and [`Encodings`], by which memory knows of those that use it.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex};

use crate::device::guard::lock::lock;
use crate::semantics::error::{ArrayError, Error, Result};

/// What may cross threads off the web, where wgpu's objects may.
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
    /// Notes that commands on which its contents depend never run.
    fn refuse(&self, error: &Error);

    /// Keeps the memory from being used again, since nobody will know when commands that use it have
    /// run.
    #[cfg(target_arch = "wasm32")]
    fn retire(&self);
}

/// How far the commands are.
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

/// How far commands are, as far as the caller and the device have told.
#[derive(Debug, Default)]
struct Progress {
    phase: AtomicU8,
    /// True once the commands have run.
    ran: AtomicBool,
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

/// Commands in an encoder of the caller's.
#[derive(Debug)]
pub(crate) struct Encoding {
    progress: Arc<Progress>,
    /// A number that identifies the encoder.
    encoder: u64,
    /// What the commands use, kept until they are submitted, or cannot be.
    held: Mutex<Vec<(Arc<dyn Held>, Role)>>,
    /// The commands that write what these read, to be submitted before or with these.
    before: Mutex<Vec<Arc<Self>>>,
}

/// What commands do with memory.
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
    /// number identifies.
    pub(crate) fn new(encoder: u64) -> Arc<Self> {
        Arc::new(Self {
            // It begins open.
            progress: Arc::default(),
            encoder,
            held: Mutex::default(),
            before: Mutex::default(),
        })
    }

    fn phase(&self) -> Phase {
        self.progress.phase()
    }

    /// Returns true as long as the commands may yet be submitted, as far as the caller has said.
    fn is_unsettled(&self) -> bool {
        matches!(self.phase(), Phase::Open | Phase::Dropped)
    }

    /// Keeps memory alive until the commands are submitted, or cannot be.
    pub(crate) fn hold(&self, held: Arc<dyn Held>, role: Role) {
        lock(&self.held).push((held, role));
    }

    /// Notes that other commands are to be submitted before or with these.
    pub(crate) fn follows(&self, before: Vec<Arc<Self>>) {
        let mut all = lock(&self.before);
        for each in before {
            if !all.iter().any(|known| Arc::ptr_eq(known, &each)) {
                all.push(each);
            }
        }
    }

    /// Notes that the caller has submitted the commands, and with them those that write what they
    /// read.
    pub(crate) fn submitted(self: &Arc<Self>) {
        // A list and no recursion: the chain may be long.
        let mut order = vec![Arc::clone(self)];
        let mut next = 0;
        while let Some(encoding) = order.get(next).cloned() {
            order.append(&mut lock(&encoding.before));
            next += 1;
        }
        let lacks_some = order.iter().any(|encoding| encoding.phase() == Phase::Discarded);
        for encoding in &order {
            let from = [Phase::Open, Phase::Dropped, Phase::Ran];
            if encoding.progress.go(&from, Phase::Submitted) && lacks_some {
                // What they read was never written.
                encoding.refuse_written();
            }
            encoding.release();
        }
    }

    fn refuse_written(&self) {
        let error = ArrayError::NotSubmitted.into();
        let held = lock(&self.held);
        let written = held.iter().filter(|(_, role)| *role != Role::Operand);
        written.for_each(|(held, _)| held.refuse(&error));
    }

    /// Notes that the caller will not say any more that the commands are submitted.
    pub(crate) fn dropped(&self) {
        let Self { progress, .. } = self;
        if !progress.go(&[Phase::Open], Phase::Dropped) {
            return;
        }
        if progress.ran.load(Ordering::Acquire) {
            progress.go(&[Phase::Dropped], Phase::Ran);
        }
        #[cfg(target_arch = "wasm32")]
        {
            lock(&self.held).iter().for_each(|(held, _)| held.retire());
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

/// What the encoder's callback owns: it goes with the encoder, or when the commands have run.
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

    /// Checks the same for commands in an encoder, and returns the encodings that are to be
    /// submitted before or with them.
    pub(crate) fn check_encoded(&self) -> Result<Vec<Arc<Encoding>>> {
        self.check_that(|phase, role| {
            role != Role::Result || matches!(phase, Phase::Open | Phase::Submitted)
        })?;
        let mut before = Vec::new();
        self.look(|uses| {
            let writes = |(encoding, role): &&mut (Arc<Encoding>, Role)| {
                *role != Role::Operand && encoding.phase() == Phase::Open
            };
            before.extend(uses.iter_mut().filter(writes).map(|(encoding, _)| Arc::clone(encoding)));
        });
        Ok(before)
    }

    /// Returns true if commands that use the memory may yet be submitted.
    pub(crate) fn is_any_unsettled(&self) -> bool {
        let mut is_any = false;
        self.look(|uses| is_any = uses.iter().any(|(encoding, _)| encoding.is_unsettled()));
        is_any
    }

    /// Returns how many encodings in the encoder that this number identifies hold the memory.
    pub(crate) fn holds_in(&self, encoder: u64) -> usize {
        let mut count = 0;
        let holds =
            |encoding: &Encoding| encoding.encoder == encoder && !lock(&encoding.held).is_empty();
        self.look(|uses| count = uses.iter().filter(|(encoding, _)| holds(encoding)).count());
        count
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

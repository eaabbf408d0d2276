//! Locking without poison, and calls of code that is not ours: a panic in a user's code must not
//! take the context from others. What the locks guard is consistent at every point where user code
//! could panic.

use std::any::Any;
use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A lock under which other people's callbacks run, one of which may want it again: it is told so,
/// where another lock would keep it waiting for itself for ever.
#[derive(Debug)]
pub(crate) struct EntryLock<T> {
    mutex: Mutex<T>,
    /// The thread that has it, by the address of something of its own; 0 if none.
    holder: AtomicUsize,
}

/// The thread has the lock already.
#[derive(Debug)]
pub(crate) struct Entered;

pub(crate) struct EntryGuard<'a, T> {
    guard: MutexGuard<'a, T>,
    holder: &'a AtomicUsize,
}

impl<T> EntryLock<T> {
    pub(crate) fn new(value: T) -> Self {
        Self { mutex: Mutex::new(value), holder: AtomicUsize::new(0) }
    }

    pub(crate) fn lock(&self) -> Result<EntryGuard<'_, T>, Entered> {
        thread_local!(static OWN: u8 = const { 0 });
        let this = OWN.with(|own| std::ptr::from_ref(own).addr());
        // Only this thread writes its own number there.
        if self.holder.load(Ordering::Relaxed) == this {
            return Err(Entered);
        }
        let guard = lock(&self.mutex);
        self.holder.store(this, Ordering::Relaxed);
        Ok(EntryGuard { guard, holder: &self.holder })
    }
}

impl<T> Deref for EntryGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.guard
    }
}

impl<T> DerefMut for EntryGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.guard
    }
}

impl<T> Drop for EntryGuard<'_, T> {
    fn drop(&mut self) {
        self.holder.store(0, Ordering::Relaxed);
    }
}

/// What `work` gives, or what it panicked with, in words. For calls of wgpu, which has paths that
/// panic and runs other people's callbacks, and for a user's wakers.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let said = words(&*panic);
        // What a panic carries may panic when dropped.
        std::mem::forget(panic);
        said
    })
}

fn words(panic: &(dyn Any + Send)) -> String {
    let said = panic.downcast_ref::<&str>().copied();
    let said = said.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    said.unwrap_or("a panic without words").to_owned()
}

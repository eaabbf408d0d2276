//! Defines locks that a panic does not poison, and one that its holder cannot lock again.
//!
//! A panic in user code must not make the context unusable. The data behind these locks is
//! consistent wherever user code could panic.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex, even if a holder has panicked.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A mutex under which user callbacks run. If one of them locks it again, it gets an error instead
/// of deadlocking.
#[derive(Debug)]
pub(crate) struct NonReentrantMutex<T> {
    mutex: Mutex<T>,
    /// The thread that holds the mutex, identified by the address of a thread-local; 0 if none.
    holder: AtomicUsize,
}

/// The error of a thread that locks a mutex it already holds.
#[derive(Debug)]
pub(crate) struct WouldDeadlock;

/// Keeps a [`NonReentrantMutex`] locked while it lives.
pub(crate) struct NonReentrantGuard<'a, T> {
    guard: MutexGuard<'a, T>,
    holder: &'a AtomicUsize,
}

impl<T> NonReentrantMutex<T> {
    pub(crate) fn new(value: T) -> Self {
        Self { mutex: Mutex::new(value), holder: AtomicUsize::new(0) }
    }

    /// Waits until no other thread holds the mutex, and locks it.
    ///
    /// # Errors
    /// [`WouldDeadlock`] if this thread holds it.
    pub(crate) fn lock(&self) -> Result<NonReentrantGuard<'_, T>, WouldDeadlock> {
        thread_local!(static OWN: u8 = const { 0 });
        let this = OWN.with(|own| std::ptr::from_ref(own).addr());
        // Only this thread ever stores its own address there.
        if self.holder.load(Ordering::Relaxed) == this {
            return Err(WouldDeadlock);
        }
        let guard = lock(&self.mutex);
        self.holder.store(this, Ordering::Relaxed);
        Ok(NonReentrantGuard { guard, holder: &self.holder })
    }
}

impl<T> Deref for NonReentrantGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.guard
    }
}

impl<T> DerefMut for NonReentrantGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.guard
    }
}

impl<T> Drop for NonReentrantGuard<'_, T> {
    fn drop(&mut self) {
        self.holder.store(0, Ordering::Relaxed);
    }
}

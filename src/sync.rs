//! Locking without poison: a panic in one thread's user code must not take the context from others.
//! What the locks guard is consistent at every point where user code could panic.

use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

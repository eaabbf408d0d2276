//! Locking without poison, and calls of code that is not ours: a panic in a user's code must not
//! take the context from others. What the locks guard is consistent at every point where user code
//! could panic.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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

//! Keeps the list of files that are being written beside their targets, so that none is left behind
//! when the command is interrupted.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The files that exist now.
static FILES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// The list, which nobody else reads or changes meanwhile: whoever makes, removes or renames one of
/// its files holds it, so that an interruption finds each of them before or after that.
pub(crate) struct Files(MutexGuard<'static, Vec<PathBuf>>);

impl Files {
    pub(crate) fn lock() -> Self {
        Self(FILES.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn add(&mut self, path: &Path) {
        self.0.push(path.to_owned());
    }

    /// Forgets a file that was renamed.
    pub(crate) fn forget(&mut self, path: &Path) {
        self.0.retain(|file| file != path);
    }

    /// Removes a file, if it is still there. The first error is the one to tell of.
    pub(crate) fn remove(&mut self, path: &Path) {
        let _ = fs::remove_file(path);
        self.forget(path);
    }

    /// Removes all files.
    pub(crate) fn remove_all(&mut self) {
        for file in self.0.drain(..) {
            let _ = fs::remove_file(file);
        }
    }
}

/// Has an interruption, by Ctrl-C or by a signal that asks the process to end, remove the files first.
pub(crate) fn remove_when_interrupted() {
    // Where a handler cannot be set, an interruption ends the process as it always does.
    let _ = ctrlc::set_handler(|| {
        // Nobody makes another file from here on.
        let mut files = Files::lock();
        files.remove_all();
        std::process::exit(INTERRUPTED);
    });
}

/// The exit status that shells give to what Ctrl-C ended.
const INTERRUPTED: i32 = 130;

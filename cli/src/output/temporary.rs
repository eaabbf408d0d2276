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

    /// Removes a file, if it is still there. That it cannot be removed is no error: it is removed
    /// because of one, of which the user is told, or when it has taken its target's place.
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
///
/// Where the caller has one of these signals ignored, as `nohup` does with SIGHUP and a shell does with
/// SIGINT for what it runs in the background, none of them is handled: a handler would end what the
/// caller wants to go on. Another signal ends the process then as it always does, and a file may be left.
pub(crate) fn remove_when_interrupted() {
    // `set_handler` would take the place of what ignores a signal; this one is refused then.
    let _ = ctrlc::try_set_handler(|| {
        // Nobody makes another file from here on.
        let mut files = Files::lock();
        files.remove_all();
        std::process::exit(INTERRUPTED);
    });
}

/// The exit status that shells give to what Ctrl-C ended.
const INTERRUPTED: i32 = 130;

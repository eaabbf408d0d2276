//! The list of files being written beside their targets, so that an interrupted command leaves none
//! behind.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The temporary files that exist now.
static FILES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// The locked list. Creating, removing or renaming one of its files happens under this lock, so
/// that an interruption comes before or after that.
pub(crate) struct Files(MutexGuard<'static, Vec<PathBuf>>);

impl Files {
    pub(crate) fn lock() -> Self {
        Self(FILES.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn add(&mut self, path: &Path) {
        self.0.push(path.to_owned());
    }

    /// Drops a renamed file from the list.
    pub(crate) fn forget(&mut self, path: &Path) {
        self.0.retain(|file| file != path);
    }

    /// Removes a file, if it still exists. A failure is ignored: either the error that led here is
    /// reported, or the file has already replaced its target.
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

/// Removes the files when the process is interrupted, by Ctrl-C or by a signal that asks it to end.
///
/// If the caller ignores one of these signals, as `nohup` does with SIGHUP and shells do with
/// SIGINT for background jobs, none of them is handled: a handler would end a process that is meant
/// to go on. Another signal then ends the process as usual, and may leave a file.
pub(crate) fn remove_when_interrupted() {
    // `set_handler` would replace an ignored signal's disposition; `try_set_handler` fails instead.
    let _ = ctrlc::try_set_handler(|| {
        // No file is created from here on, since the list stays locked.
        let mut files = Files::lock();
        files.remove_all();
        std::process::exit(INTERRUPTED);
    });
}

/// The shells' exit status for a command ended by Ctrl-C.
const INTERRUPTED: i32 = 130;

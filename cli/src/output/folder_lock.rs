//! [`FolderLocks`]: locks on folders against other processes of this command. A lock ends with the
//! process at the latest, and leaves nothing behind.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use indim_expr::short;

/// A wait longer than this is reported to the user.
const QUIETLY: Duration = Duration::from_secs(2);

/// The time between two attempts to lock a folder.
const PAUSE: Duration = Duration::from_millis(5);

/// Locks on folders, released on drop.
#[derive(Debug)]
pub(crate) struct FolderLocks {
    /// The open files that carry the locks.
    _locked: Vec<File>,
}

impl FolderLocks {
    /// Locks the folder of each path, and waits for folders that another process has locked. Every
    /// process locks folders in the same order, which avoids deadlocks.
    ///
    /// A folder that the system cannot lock stays unlocked.
    pub(crate) fn of<'a>(paths: impl Iterator<Item = &'a Path>) -> io::Result<Self> {
        let folders = paths.map(|path| match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        });
        Ok(Self { _locked: lock_all(folders)? })
    }
}

/// Opens each folder once, however many paths lead to it, and locks them in the order of their
/// device and inode numbers.
#[cfg(unix)]
fn lock_all<'a>(folders: impl Iterator<Item = &'a Path>) -> io::Result<Vec<File>> {
    use std::os::unix::fs::MetadataExt as _;
    let mut open = Vec::new();
    for folder in folders {
        // A folder that may be entered but not read cannot be opened.
        let Ok(file) = File::open(folder) else { continue };
        let there = file.metadata()?;
        open.push(((there.dev(), there.ino()), folder, file));
    }
    open.sort_by_key(|(number, ..)| *number);
    open.dedup_by_key(|(number, ..)| *number);
    let mut locked = Vec::with_capacity(open.len());
    for (_, folder, file) in open {
        if lock(&file, folder)? {
            locked.push(file);
        }
    }
    Ok(locked)
}

/// Locks an open folder. Returns false if the file system has no locks.
#[cfg(unix)]
fn lock(file: &File, folder: &Path) -> io::Result<bool> {
    use rustix::fs::{FlockOperation, flock};
    use rustix::io::Errno;

    let mut wait = Wait::new(folder);
    loop {
        match flock(file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(true),
            Err(Errno::INTR) => {}
            Err(Errno::WOULDBLOCK) => wait.pause(),
            Err(Errno::BADF | Errno::INVAL | Errno::NOLCK | Errno::NOSYS | Errno::OPNOTSUPP) => {
                return Ok(false);
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// Creates a file in each folder that no other process can open meanwhile, and that Windows removes
/// when it is closed.
#[cfg(windows)]
fn lock_all<'a>(folders: impl Iterator<Item = &'a Path>) -> io::Result<Vec<File>> {
    let folders: io::Result<Vec<_>> = folders.map(std::fs::canonicalize).collect();
    let mut folders = folders?;
    folders.sort();
    folders.dedup();
    folders.iter().map(|folder| lock(folder)).collect()
}

#[cfg(windows)]
fn lock(folder: &Path) -> io::Result<File> {
    use std::os::windows::fs::OpenOptionsExt as _;

    const GENERIC_WRITE: u32 = 0x4000_0000;
    const DELETE: u32 = 0x0001_0000;
    const FILE_FLAG_DELETE_ON_CLOSE: u32 = 0x0400_0000;
    const ERROR_ACCESS_DENIED: i32 = 5;
    const ERROR_SHARING_VIOLATION: i32 = 32;
    /// A file that is being removed refuses access until it is gone.
    const WHILE_REMOVED: Duration = Duration::from_secs(10);

    let mut options = File::options();
    options.write(true).create(true).access_mode(GENERIC_WRITE | DELETE).share_mode(0);
    options.custom_flags(FILE_FLAG_DELETE_ON_CLOSE);
    let mut wait = Wait::new(folder);
    loop {
        let error = match options.open(folder.join(".indim-lock~")) {
            Ok(file) => return Ok(file),
            Err(error) => error,
        };
        match error.raw_os_error() {
            Some(ERROR_SHARING_VIOLATION) => {}
            Some(ERROR_ACCESS_DENIED) if wait.begin.elapsed() < WHILE_REMOVED => {}
            _ => return Err(error),
        }
        wait.pause();
    }
}

#[cfg(not(any(unix, windows)))]
fn lock_all<'a>(_: impl Iterator<Item = &'a Path>) -> io::Result<Vec<File>> {
    Ok(Vec::new())
}

/// A wait for a folder that another process has locked.
struct Wait<'a> {
    folder: &'a Path,
    begin: Instant,
    is_told: bool,
}

impl<'a> Wait<'a> {
    fn new(folder: &'a Path) -> Self {
        Self { folder, begin: Instant::now(), is_told: false }
    }

    /// Waits for the next attempt.
    fn pause(&mut self) {
        if !self.is_told && self.begin.elapsed() > QUIETLY {
            self.is_told = true;
            let folder = self.folder.display();
            let note =
                format!("note: another process is replacing an archive in {folder}; waiting");
            // A failure to write this has nowhere to be reported.
            let _ = writeln!(anstream::stderr(), "{}", short(&note));
        }
        std::thread::sleep(PAUSE);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// Locking one folder by two paths would deadlock.
    #[test]
    fn a_folder_is_locked_once_whichever_paths_lead_to_it() {
        let folder = std::env::temp_dir();
        let by_another = folder.join(".").join("b.npz");
        let paths = [folder.join("a.npz"), by_another, folder.join("./c.npz")];
        let locks = FolderLocks::of(paths.iter().map(std::path::PathBuf::as_path)).unwrap();
        assert_eq!(locks._locked.len(), 1);
    }
}

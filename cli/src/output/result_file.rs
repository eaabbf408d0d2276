//! [`ResultFile`]: a file that results are written to. Archives may keep their other arrays,
//! including those that another process of this command adds during the copy.

use std::cell::RefCell;
use std::fs::{self, File, Metadata};
use std::io::{self, BufReader, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use indim_expr::Result;
use indim_npy::{Compression, NpyError, NpzReader, NpzWriter};

use crate::output::folder_lock::FolderLocks;
use crate::output::whole_files::{Ready, cannot_write};

/// A file that results are written to.
#[derive(Debug)]
pub(crate) struct ResultFile {
    pub(crate) path: PathBuf,
    pub(crate) contents: Contents,
    /// True if an `-o` names an array of this archive, so that its other arrays stay.
    pub(crate) keeps_others: bool,
    /// Identifies the archive whose other arrays were copied.
    pub(crate) copied: Copied,
}

/// The results in a file, by their numbers, from 0.
#[derive(Debug)]
pub(crate) enum Contents {
    Npy(usize),
    /// An archive of arrays, each with its name.
    Npz(Vec<(usize, String)>),
}

impl Contents {
    /// Returns the number of the result in a `.npy` file, or `None` for an archive.
    pub(crate) fn npy(&self) -> Option<usize> {
        match self {
            Self::Npy(number) => Some(*number),
            Self::Npz(_) => None,
        }
    }

    /// Returns the results, each with its name in an archive.
    pub(crate) fn results(&self) -> impl Iterator<Item = (usize, Option<&str>)> {
        let (npy, npz) = match self {
            Self::Npy(number) => (Some((*number, None)), [].as_slice()),
            Self::Npz(members) => (None, members.as_slice()),
        };
        npy.into_iter().chain(npz.iter().map(|(number, name)| (*number, Some(name.as_str()))))
    }
}

/// Returns the path of the file with this result, if there is one.
pub(crate) fn path_of(files: &[ResultFile], number: usize) -> Option<String> {
    let file = files.iter().find(|file| file.is_of(number))?;
    Some(file.path.display().to_string())
}

impl ResultFile {
    /// Returns true if the file contains this result.
    pub(crate) fn is_of(&self, number: usize) -> bool {
        self.contents.results().any(|(result, _)| result == number)
    }
}

/// Identifies an archive, to compare it with the one that was copied.
#[derive(Debug, Default)]
pub(crate) struct Copied(RefCell<Option<Version>>);

/// The state of a file when it was opened.
#[derive(Debug)]
struct Version {
    there: Metadata,
    /// While the file is open, its inode number is not reused.
    #[cfg(unix)]
    _open: File,
}

impl Version {
    fn of(file: &BufReader<File>) -> io::Result<Self> {
        Ok(Self {
            there: file.get_ref().metadata()?,
            #[cfg(unix)]
            _open: file.get_ref().try_clone()?,
        })
    }

    /// Returns true if the path still leads to this file, unmodified.
    fn is_at(&self, path: &Path) -> bool {
        let Ok(there) = fs::metadata(path) else { return false };
        let written = |there: &Metadata| (there.len(), there.modified().ok());
        written(&there) == written(&self.there) && is_same_file(&there, &self.there)
    }
}

#[cfg(unix)]
fn is_same_file(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

#[cfg(not(unix))]
fn is_same_file(a: &Metadata, b: &Metadata) -> bool {
    a.created().ok() == b.created().ok()
}

impl Copied {
    /// Returns true if the path still leads to the copied archive, or still has no file.
    fn is_current(&self, path: &Path) -> bool {
        match &*self.0.borrow() {
            Some(version) => version.is_at(path),
            None => !is_file(path),
        }
    }
}

fn is_file(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|there| there.is_file())
}

type Written<T> = std::result::Result<T, NpyError>;

impl ResultFile {
    /// Begins the archive that will replace this one, with the arrays that stay.
    pub(crate) fn begin_archive<W: Write + Seek>(&self, to: W) -> Written<NpzWriter<W>> {
        let mut archive = NpzWriter::new(to, Compression::Stored);
        let old = self.old_archive()?;
        let version = old.as_ref().map(Version::of).transpose().map_err(NpyError::Open)?;
        *self.copied.0.borrow_mut() = version;
        if let Some(old) = old {
            archive.copy_others(old, &self.names())?;
        }
        Ok(archive)
    }

    /// Returns the names of the results in an archive.
    fn names(&self) -> Vec<&str> {
        self.contents.results().filter_map(|(_, name)| name).collect()
    }

    /// Opens the existing archive if arrays of it are to stay. Anything but a regular file has
    /// none.
    fn old_archive(&self) -> Written<Option<BufReader<File>>> {
        if !self.keeps_others || !is_file(&self.path) {
            return Ok(None);
        }
        File::open(&self.path).map(BufReader::new).map(Some).map_err(NpyError::Open)
    }

    /// Rejects an archive that cannot be read, before anything is computed.
    pub(crate) fn check_old_archive(&self) -> Result<()> {
        let old = self.old_archive();
        let read = old.and_then(|old| old.map(|old| NpzReader::new(old, 0)).transpose());
        read.map(|_| ()).map_err(|error| {
            let path = self.path.display();
            cannot_write(&self.path, &format!("its other arrays cannot be kept: {error}"))
                .help(format!("`-o {path}`, without a name behind it, writes a new archive"))
        })
    }

    /// Rewrites an archive: the arrays that stay come from the one that exists by now, the results
    /// from the one already written.
    fn write_anew(&self, written: &File, to: &File) -> Written<()> {
        let mut archive = self.begin_archive(BufWriter::new(to))?;
        archive.copy_arrays(BufReader::new(written), &self.names())?;
        archive.finish().map(|_| ())
    }
}

/// Prepares finished archives to replace their targets: locks their folders, so that no other
/// process replaces one meanwhile, and rewrites those whose target has changed since the copy. The
/// locks last until all files are in place.
pub(crate) fn settle(
    files: &[ResultFile],
    ready: &mut [Ready],
) -> std::result::Result<FolderLocks, (usize, io::Error)> {
    let mut archives: Vec<&mut Ready> = ready
        .iter_mut()
        .filter(|ready| matches!(files[ready.number].contents, Contents::Npz(_)))
        .collect();
    let first = archives.first().map_or(0, |ready| ready.number);
    let locks = FolderLocks::of(archives.iter().map(|ready| ready.target()));
    let locks = locks.map_err(|error| (first, error))?;
    for ready in &mut archives {
        let (number, file) = (ready.number, &files[ready.number]);
        if file.keeps_others && !file.copied.is_current(&file.path) {
            let anew = |written: &File, to: &File| Ok(file.write_anew(written, to)?);
            ready.rewrite(anew).map_err(|error| (number, error))?;
        }
    }
    Ok(locks)
}

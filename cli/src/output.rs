//! Writes files whole or not at all: a failure leaves the file that was there before.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The ways in which a file comes to be written.
enum Destination {
    /// Into another file beside it, which takes its place in the end.
    Replace { target: PathBuf, beside: PathBuf },
    /// The file is written in place: it is a pipe or a device, or lies in a folder in which no
    /// other file can be made.
    Directly,
}

/// Fails where writing would, as far as that can be known, so that nothing is computed in vain.
pub(crate) fn check(path: &Path) -> io::Result<()> {
    destination(path).map(drop)
}

/// Writes what `contents` writes.
pub(crate) fn write(
    path: &Path,
    contents: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let write = |file: File| {
        let mut writer = BufWriter::new(file);
        contents(&mut writer)?;
        writer.flush()
    };
    let Destination::Replace { target, beside } = destination(path)? else {
        return write(File::create(path)?);
    };
    let file = File::create_new(&beside)?;
    // Permissions are copied before the file has contents. If the file system has no permissions,
    // there are none to keep.
    let before = fs::metadata(&target);
    if let Ok(before) = &before {
        let _ = fs::set_permissions(&beside, before.permissions());
    }
    let replaced = write(file).and_then(|()| match fs::rename(&beside, &target) {
        // Some files cannot be replaced, only written to, such as one that is mounted by itself.
        Err(_) if before.is_ok() => {
            fs::copy(&beside, &target)?;
            fs::remove_file(&beside)
        }
        renamed => renamed,
    });
    if replaced.is_err() {
        // The first error is the one to tell of.
        let _ = fs::remove_file(&beside);
    }
    replaced
}

fn destination(path: &Path) -> io::Result<Destination> {
    let folder = path.to_string_lossy().ends_with(std::path::is_separator);
    let (target, is_new) = match fs::metadata(path) {
        Ok(there) if there.is_dir() => return Err(ErrorKind::IsADirectory.into()),
        Ok(there) if !there.is_file() => return Ok(Destination::Directly),
        Ok(_) => {
            // A file that may not be written is not replaced either.
            OpenOptions::new().write(true).open(path)?;
            // A link goes on leading to the file.
            match fs::canonicalize(path) {
                Ok(target) => (target, false),
                Err(_) => return Ok(Destination::Directly),
            }
        }
        // A link that leads nowhere yet.
        Err(_) if path.is_symlink() => return Ok(Destination::Directly),
        Err(_) if folder => return Err(ErrorKind::IsADirectory.into()),
        Err(error) if path.file_name().is_none() => return Err(error),
        Err(_) => (path.to_owned(), true),
    };
    // A name that no other process of ours takes.
    let mut name = OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(format!(".{}.part", std::process::id()));
    let beside = target.with_file_name(name);
    // Making a file there is the best way to know whether one can be made.
    match File::create_new(&beside).map_err(|error| (error.kind(), error)) {
        Ok(_) => fs::remove_file(&beside).map(|()| Destination::Replace { target, beside }),
        // Only this temporary name is too long, or taken.
        Err((ErrorKind::InvalidFilename | ErrorKind::AlreadyExists, _)) => {
            Ok(Destination::Directly)
        }
        Err((_, error)) if is_new => Err(error),
        Err(_) => Ok(Destination::Directly),
    }
}

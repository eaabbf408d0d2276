//! Writes files whole or not at all: a failure leaves the previous files in place.

use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use indim_expr::Diagnostic;

use crate::output::temporary::Files;

/// The ways to write a file.
enum Destination {
    /// Write a file beside this target, then rename it over the target.
    Replace(PathBuf),
    /// Write the target in place: it is a pipe, a device, or an open file without a name.
    Directly,
}

/// The most names to try for a file beside the target. There are 2^40 of them, so repeated
/// collisions mean that something takes every name.
const MAX_NAMES: usize = 16;

/// The most links to follow in a row, as in Linux.
const MAX_LINKS: usize = 40;

/// Returns the error for a file that cannot be written.
pub(crate) fn cannot_write(path: &Path, why: &str) -> Box<Diagnostic> {
    Diagnostic::new(format!("cannot write {}: {why}", path.display()))
}

/// Fails early if writing is bound to fail, as far as that can be known, so that nothing is
/// computed in vain.
pub(crate) fn check(path: &Path) -> io::Result<()> {
    let Destination::Replace(target) = destination(path)? else { return Ok(()) };
    // Creating a file there is the most reliable test.
    let (_, beside) = create_beside(&target, random_name)?;
    Files::lock().remove(&beside);
    Ok(())
}

/// Returns an identity of the target that does not depend on the path or link that leads to it.
pub(crate) fn place(path: &Path) -> io::Result<PathBuf> {
    match destination(path)? {
        // A pipe has no path.
        Destination::Directly => Ok(fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())),
        Destination::Replace(target) => {
            let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
            let folder = fs::canonicalize(folder.unwrap_or(Path::new(".")))?;
            Ok(target.file_name().map_or(folder.clone(), |name| folder.join(name)))
        }
    }
}

/// Writes the output of `contents` to each path; both `contents` and an error get the path's
/// number.
///
/// All regular files are first written beside their targets and synced, then pipes and devices are
/// written, and only then does each file replace its target. So no target is ever half written, and
/// none changes if one of them runs out of space. `settle` is called directly before the first
/// replacement, and its value is kept until after the last.
pub(crate) fn write_all<L>(
    paths: &[&Path],
    contents: impl Fn(usize, &mut BufWriter<&File>) -> io::Result<()>,
    settle: impl FnOnce(&mut [Ready]) -> Result<L, (usize, io::Error)>,
) -> Result<(), (usize, io::Error)> {
    let write = |number: usize, file: &File| {
        let mut writer = BufWriter::new(file);
        contents(number, &mut writer)?;
        writer.flush()
    };
    let (mut ready, mut direct) = (Vec::new(), Vec::new());
    for (number, path) in paths.iter().enumerate() {
        let at = |error| (number, error);
        match destination(path).map_err(at)? {
            Destination::Directly => direct.push(number),
            Destination::Replace(target) => {
                let (file, replacement) = Replacement::begin(target).map_err(at)?;
                write(number, &file).and_then(|()| stored(&file)).map_err(at)?;
                ready.push(Ready { number, replacement });
            }
        }
    }
    for number in direct {
        let written = File::create(paths[number]).and_then(|file| write(number, &file));
        written.map_err(|error| (number, error))?;
    }
    replace_all(ready, settle)
}

/// A file whose contents are written as they are computed: beside its target, which it replaces in
/// the end, or directly to a pipe or a device.
#[derive(Debug)]
pub(crate) struct Pending {
    file: File,
    replacement: Option<Replacement>,
}

impl Pending {
    pub(crate) fn begin(path: &Path) -> io::Result<Self> {
        match destination(path)? {
            Destination::Directly => Ok(Self { file: File::create(path)?, replacement: None }),
            Destination::Replace(target) => {
                let (file, replacement) = Replacement::begin(target)?;
                Ok(Self { file, replacement: Some(replacement) })
            }
        }
    }

    pub(crate) fn file(&self) -> &File {
        &self.file
    }
}

/// Replaces the targets by the finished files once all of them are synced; an error comes with the
/// number of the file. See [`write_all`] for `settle`.
pub(crate) fn finish<L>(
    files: Vec<Pending>,
    settle: impl FnOnce(&mut [Ready]) -> Result<L, (usize, io::Error)>,
) -> Result<(), (usize, io::Error)> {
    let mut ready = Vec::with_capacity(files.len());
    for (number, Pending { file, replacement }) in files.into_iter().enumerate() {
        let Some(replacement) = replacement else { continue };
        stored(&file).map_err(|error| (number, error))?;
        ready.push(Ready { number, replacement });
    }
    replace_all(ready, settle)
}

/// A complete, synced file, with its number, that has not replaced its target yet.
#[derive(Debug)]
pub(crate) struct Ready {
    pub(crate) number: usize,
    replacement: Replacement,
}

impl Ready {
    /// Returns the path that the file will replace.
    pub(crate) fn target(&self) -> &Path {
        &self.replacement.target
    }

    /// Replaces this file by a new one. `write` gets this one and the new one.
    pub(crate) fn rewrite(
        &mut self,
        write: impl FnOnce(&File, &File) -> io::Result<()>,
    ) -> io::Result<()> {
        let (file, anew) = Replacement::begin(self.replacement.target.clone())?;
        write(&File::open(&self.replacement.beside)?, &file)?;
        stored(&file)?;
        self.replacement = anew;
        Ok(())
    }
}

/// Replaces all targets. An interruption takes effect before the first or after the last one.
fn replace_all<L>(
    mut ready: Vec<Ready>,
    settle: impl FnOnce(&mut [Ready]) -> Result<L, (usize, io::Error)>,
) -> Result<(), (usize, io::Error)> {
    let _kept = settle(&mut ready)?;
    let mut files = Files::lock();
    let mut failed = Ok(());
    for Ready { number, replacement } in &ready {
        let replaced = fs::rename(&replacement.beside, &replacement.target);
        failed = replaced.map_err(|error| (*number, error));
        if failed.is_err() {
            break;
        }
        files.forget(&replacement.beside);
    }
    drop(files);
    failed
}

/// A file beside the target that it is to replace, removed unless it does.
#[derive(Debug)]
struct Replacement {
    beside: PathBuf,
    target: PathBuf,
}

impl Replacement {
    /// Makes a file beside the target.
    fn begin(target: PathBuf) -> io::Result<(File, Self)> {
        let (file, beside) = create_beside(&target, random_name)?;
        let replacement = Self { beside, target };
        // Set these before the file has contents.
        if let Ok(before) = fs::metadata(&replacement.target) {
            keep_owner_and_permissions(&file, &before);
        }
        Ok((file, replacement))
    }
}

/// Gives a file the owner, the group and the permissions of the one that it replaces, as far as the
/// system allows. If the group cannot be kept, the file's group gets the permissions of others.
#[cfg(unix)]
fn keep_owner_and_permissions(file: &File, before: &fs::Metadata) {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};
    let Ok(own) = file.metadata() else { return };
    let keeps_owner = own.uid() == before.uid() || fchown(file, Some(before.uid()), None).is_ok();
    let keeps_group = own.gid() == before.gid() || fchown(file, None, Some(before.gid())).is_ok();
    let mut mode = before.mode() & 0o7777;
    if !keeps_owner || !keeps_group {
        mode &= 0o777;
    }
    if !keeps_group {
        mode = mode & !0o070 | (mode & 0o007) << 3;
    }
    // File systems without permissions refuse this; there is nothing to keep then.
    let _ = file.set_permissions(fs::Permissions::from_mode(mode));
}

/// Gives a file the permissions of the one that it replaces.
#[cfg(not(unix))]
fn keep_owner_and_permissions(file: &File, before: &fs::Metadata) {
    let _ = file.set_permissions(before.permissions());
}

impl Drop for Replacement {
    fn drop(&mut self) {
        // After the replacement there is nothing left to remove.
        Files::lock().remove(&self.beside);
    }
}

/// Waits until the contents are stored, because some file systems report only then that they are
/// full. Files that do not support it are skipped.
fn stored(file: &File) -> io::Result<()> {
    match file.sync_all() {
        Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => {
            Ok(())
        }
        stored => stored,
    }
}

fn destination(path: &Path) -> io::Result<Destination> {
    let names_folder = path.to_string_lossy().ends_with(std::path::is_separator);
    match fs::metadata(path) {
        Ok(there) if there.is_dir() => Err(ErrorKind::IsADirectory.into()),
        Ok(there) if !there.is_file() => Ok(Destination::Directly),
        Ok(_) => {
            // A read-only file is not replaced either.
            OpenOptions::new().write(true).open(path)?;
            let target = behind_links(path)?;
            // On Linux, links to open files such as /dev/stdout give no path once the file is
            // deleted.
            let has_name = target.exists();
            Ok(if has_name { Destination::Replace(target) } else { Destination::Directly })
        }
        Err(_) if names_folder => Err(ErrorKind::IsADirectory.into()),
        Err(error) if path.file_name().is_none() => Err(error),
        Err(_) => behind_links(path).map(Destination::Replace),
    }
}

/// Returns the final target of a link, which need not exist yet; the link itself is kept.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    let mut target = path.to_owned();
    for _ in 0..MAX_LINKS {
        if !target.is_symlink() {
            return Ok(target);
        }
        // The target of a link is relative to the link's own folder, unless it is absolute.
        target = target.with_file_name("").join(fs::read_link(&target)?);
    }
    Err(io::Error::other("too many links lead to each other"))
}

/// Creates a file in the target's folder, and returns it with its path. Its name is short, since
/// the target's may have the maximal length, and unused.
fn create_beside(target: &Path, name: impl Fn() -> String) -> io::Result<(File, PathBuf)> {
    let mut taken = ErrorKind::AlreadyExists.into();
    for _ in 0..MAX_NAMES {
        let beside = target.with_file_name(name());
        let mut files = Files::lock();
        match File::create_new(&beside) {
            Ok(file) => {
                files.add(&beside);
                return Ok((file, beside));
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => taken = error,
            Err(error) if target.exists() => {
                let why = format!(
                    "no file can be made beside it, which would replace it when it is whole: {error}; write to another folder"
                );
                return Err(io::Error::new(error.kind(), why));
            }
            Err(error) => return Err(error),
        }
    }
    Err(taken)
}

/// Returns a random name of 12 letters. The standard library seeds each hash map differently, from
/// the operating system's random numbers.
fn random_name() -> String {
    format!(".{:010x}~", RandomState::new().hash_one(0_u8) >> 24)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// A folder for one test, removed on drop.
    struct Folder(PathBuf);

    impl Folder {
        fn new() -> Self {
            let path = std::env::temp_dir().join(format!("indim{}", random_name()));
            fs::create_dir(&path).unwrap();
            Self(path)
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn settled(_: &mut [Ready]) -> Result<(), (usize, io::Error)> {
        Ok(())
    }

    #[test]
    fn a_name_that_is_taken_is_left_alone() {
        let folder = Folder::new();
        let target = folder.0.join("out.npy");
        fs::write(folder.0.join("name0"), "another's").unwrap();
        let next = Cell::new(0);
        let name = || format!("name{}", next.replace(next.get() + 1));
        let (_, beside) = create_beside(&target, name).unwrap();
        assert_eq!(beside, folder.0.join("name1"));
        assert_eq!(fs::read(folder.0.join("name0")).unwrap(), b"another's");
        let all = create_beside(&target, || "name0".to_owned()).unwrap_err();
        assert_eq!(all.kind(), ErrorKind::AlreadyExists);
    }

    /// The last file fails, and the ones before it, complete by then, must not replace their
    /// targets.
    #[test]
    fn all_files_are_replaced_or_none_is() {
        let folder = Folder::new();
        let paths = ["a", "b", "c"].map(|name| folder.0.join(name));
        let paths = paths.each_ref().map(PathBuf::as_path);
        fs::write(paths[0], "before").unwrap();
        let fails_at = |last: usize| {
            move |number: usize, writer: &mut BufWriter<&File>| {
                write!(writer, "{number}")?;
                if number == last { Err(io::Error::other("full")) } else { Ok(()) }
            }
        };
        let (number, error) = write_all(&paths, fails_at(2), settled).unwrap_err();
        assert_eq!((number, error.to_string().as_str()), (2, "full"));
        assert_eq!(fs::read(paths[0]).unwrap(), b"before");
        assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1);
        write_all(&paths, fails_at(3), settled).unwrap();
        assert_eq!(paths.map(|path| fs::read_to_string(path).unwrap()), ["0", "1", "2"]);
        assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 3);
    }

    #[test]
    fn a_place_is_the_same_by_any_path() {
        let folder = Folder::new();
        fs::create_dir(folder.0.join("inner")).unwrap();
        let direct = place(&folder.0.join("out.npy")).unwrap();
        assert_eq!(place(&folder.0.join("inner/../out.npy")).unwrap(), direct);
        assert_ne!(place(&folder.0.join("inner/out.npy")).unwrap(), direct);
        fs::write(&direct, "").unwrap();
        assert_eq!(place(&folder.0.join("inner/../out.npy")).unwrap(), direct);
    }

    #[test]
    fn names_differ_and_are_short() {
        let names: std::collections::HashSet<String> = (0..1000).map(|_| random_name()).collect();
        assert_eq!(names.len(), 1000);
        assert!(names.iter().all(|name| name.len() == 12));
    }

    /// A half-written file must not be left at the link's target.
    #[cfg(unix)]
    #[test]
    fn links_that_lead_nowhere_yet_get_a_whole_file_or_none() {
        use std::os::unix::fs::symlink;
        let folder = Folder::new();
        fs::create_dir(folder.0.join("inner")).unwrap();
        let link = folder.0.join("link");
        symlink("inner/second", &link).unwrap();
        symlink("file", folder.0.join("inner/second")).unwrap();
        let fail = |_, writer: &mut BufWriter<&File>| {
            writer.write_all(&[1; 100_000])?;
            Err(io::Error::other("full"))
        };
        assert_eq!(write_all(&[&link], fail, settled).unwrap_err().1.to_string(), "full");
        assert_eq!(fs::read_dir(folder.0.join("inner")).unwrap().count(), 1);
        write_all(&[&link], |_, writer| writer.write_all(b"all"), settled).unwrap();
        assert_eq!(fs::read(folder.0.join("inner/file")).unwrap(), b"all");
        assert!(link.is_symlink());

        symlink("circle", folder.0.join("circle")).unwrap();
        assert!(check(&folder.0.join("circle")).is_err());
    }
}

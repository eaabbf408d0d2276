//! [`Target`]: what an archive is written to, until writing fails.

use std::io::{self, Seek, SeekFrom, Write};

/// A writer that takes everything in vain once it has failed.
///
/// An archive that is dropped unfinished is ended by `ZipWriter`, which prints an error on the standard
/// error if that fails. Who wrote has been told the first error, and is to be told no other.
pub(crate) struct Target<W> {
    writer: W,
    has_failed: bool,
}

impl<W> Target<W> {
    pub(crate) fn new(writer: W) -> Self {
        Self { writer, has_failed: false }
    }

    /// Returns the writer, if all was written.
    pub(crate) fn into_whole(self) -> io::Result<W> {
        match self.has_failed {
            true => {
                Err(io::Error::other("the archive is not whole, since writing it failed before"))
            }
            false => Ok(self.writer),
        }
    }

    /// Does something that may fail, unless something has failed before.
    fn attempt<T>(&mut self, in_vain: T, act: impl Fn(&mut W) -> io::Result<T>) -> io::Result<T> {
        if self.has_failed {
            return Ok(in_vain);
        }
        let done = act(&mut self.writer);
        let is_fatal = |error: &io::Error| error.kind() != io::ErrorKind::Interrupted;
        self.has_failed = done.as_ref().is_err_and(is_fatal);
        done
    }
}

impl<W: Write> Write for Target<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.attempt(bytes.len(), |writer| writer.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.attempt((), Write::flush)
    }
}

impl<W: Seek> Seek for Target<W> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.attempt(0, |writer| writer.seek(to))
    }
}

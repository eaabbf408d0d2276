//! [`Target`]: what an archive is written to, until writing fails.

use std::io::{self, Seek, SeekFrom, Write};

/// A writer that discards everything once it has failed.
///
/// An archive that is dropped unfinished is ended by `ZipWriter`, which prints an error on the
/// standard error if that fails. The caller already has the first error, and must not get another.
pub(crate) struct Target<W> {
    writer: W,
    has_failed: bool,
    /// The place of the next byte, which is where it would be if writing had not failed.
    at: u64,
}

impl<W> Target<W> {
    pub(crate) fn new(writer: W) -> Self {
        Self { writer, has_failed: false, at: 0 }
    }

    /// Returns the writer, if all was written.
    pub(crate) fn into_whole(self) -> io::Result<W> {
        if self.has_failed {
            Err(io::Error::other("the archive is not whole, since writing it failed before"))
        } else {
            Ok(self.writer)
        }
    }

    /// Remembers an error.
    fn noting<T>(&mut self, done: io::Result<T>) -> io::Result<T> {
        let is_fatal = |error: &io::Error| error.kind() != io::ErrorKind::Interrupted;
        self.has_failed |= done.as_ref().is_err_and(is_fatal);
        done
    }
}

impl<W: Write> Write for Target<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = if self.has_failed {
            bytes.len()
        } else {
            let written = self.writer.write(bytes);
            self.noting(written)?
        };
        self.at = self.at.saturating_add(written as u64);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.has_failed {
            return Ok(());
        }
        let flushed = self.writer.flush();
        self.noting(flushed)
    }
}

impl<W: Seek> Seek for Target<W> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.at = match (self.has_failed, to) {
            (false, to) => {
                let at = self.writer.seek(to);
                self.noting(at)?
            }
            (true, SeekFrom::Start(at)) => at,
            // Writes after a failure end at the last successful one.
            (true, SeekFrom::Current(by) | SeekFrom::End(by)) => self.at.saturating_add_signed(by),
        };
        Ok(self.at)
    }
}

//! [`Bytes`]: the bytes behind a header, of a file or of a stream.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use crc32fast::Hasher;
use flate2::read::DeflateDecoder;

/// A reader that only goes on.
pub(crate) type Stream = Box<dyn Read + Send>;

/// Begins a stream from its first byte again.
pub(crate) type Reopen = Box<dyn Fn() -> io::Result<Stream> + Send>;

/// The bytes behind a header, numbered from 0.
pub(crate) enum Bytes {
    /// They lie in a file, from `start` on.
    File { file: File, start: u64 },
    /// They come one after the other; `at` is the number of the next one.
    Stream {
        stream: Stream,
        at: u64,
        /// Gives the bytes from the first one on; none for a pipe, which has them once.
        reopen: Option<Reopen>,
    },
}

impl Bytes {
    /// Reads the bytes from `offset` on. A stream goes on to there, or begins again.
    ///
    /// The error is of the kind `UnexpectedEof` where there are fewer, and of the kind `NotSeekable`
    /// where they have come by and cannot be had again.
    pub(crate) fn read_at(&mut self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        match self {
            Self::File { file, start } => {
                file.seek(SeekFrom::Start(start.saturating_add(offset)))?;
                file.read_exact(into)
            }
            Self::Stream { stream, at, reopen } => {
                if offset < *at {
                    let Some(reopen) = reopen else {
                        return Err(io::ErrorKind::NotSeekable.into());
                    };
                    (*stream, *at) = (reopen()?, 0);
                }
                let between = offset - *at;
                let skipped = io::copy(&mut stream.by_ref().take(between), &mut io::sink())?;
                *at += skipped;
                if skipped < between {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                let mut read = 0;
                while read < into.len() {
                    match stream.read(&mut into[read..]) {
                        Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                        Ok(more) => (read, *at) = (read + more, *at + more as u64),
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                        Err(error) => return Err(error),
                    }
                }
                Ok(())
            }
        }
    }

    /// Returns how many bytes there are, as far as that is known.
    pub(crate) fn found(&self) -> u64 {
        match self {
            Self::File { file, start } => {
                file.metadata().map_or(0, |file| file.len().saturating_sub(*start))
            }
            Self::Stream { at, .. } => *at,
        }
    }
}

/// A deflated member of an archive, whose checksum is compared at its end.
pub(crate) struct Inflated {
    decoder: DeflateDecoder<io::Take<File>>,
    hasher: Hasher,
    /// The checksum that the archive has of the member.
    checksum: u32,
    is_checked: bool,
}

impl Inflated {
    /// Begins with the bytes of a file that are the member.
    pub(crate) fn new(mut file: File, start: u64, size: u64, checksum: u32) -> io::Result<Self> {
        file.seek(SeekFrom::Start(start))?;
        let decoder = DeflateDecoder::new(file.take(size));
        Ok(Self { decoder, hasher: Hasher::new(), checksum, is_checked: false })
    }
}

impl Read for Inflated {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.decoder.read(into)?;
        self.hasher.update(&into[..read]);
        if read == 0 && !into.is_empty() && !self.is_checked {
            if self.hasher.clone().finalize() != self.checksum {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "its checksum is wrong"));
            }
            self.is_checked = true;
        }
        Ok(read)
    }
}

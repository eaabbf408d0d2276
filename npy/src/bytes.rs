//! [`Bytes`]: the bytes after a header, of a file or a stream.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use crc32fast::Hasher;
use flate2::read::DeflateDecoder;

/// A forward-only reader.
pub(crate) type Stream = Box<dyn Read + Send>;

/// Restarts a stream from its first byte.
pub(crate) type Reopen = Box<dyn Fn() -> io::Result<Stream> + Send>;

/// The bytes after a header, numbered from 0, readable from any offset.
pub(crate) struct Bytes {
    origin: Origin,
    /// The number of the byte that is read next.
    at: u64,
}

enum Origin {
    /// Bytes of a file, from `start` on. A member of an archive has a checksum.
    File { file: File, start: u64, checksum: Option<Checksum> },
    /// Bytes of a stream. `reopen` restarts it; a pipe has none, since its bytes can be read only
    /// once.
    Stream { stream: Stream, reopen: Option<Reopen> },
}

impl Bytes {
    /// Takes the bytes that lie in a file from `start` on.
    pub(crate) fn of_file(file: File, start: u64, checksum: Option<Checksum>) -> Self {
        Self { origin: Origin::File { file, start, checksum }, at: 0 }
    }

    /// Takes the bytes that a stream has from here on.
    pub(crate) fn of_stream(stream: Stream, reopen: Option<Reopen>) -> Self {
        Self { origin: Origin::Stream { stream, reopen }, at: 0 }
    }

    /// Returns whether the bytes can only be read in order.
    pub(crate) fn is_stream(&self) -> bool {
        matches!(self.origin, Origin::Stream { .. })
    }

    /// Reads the bytes from `offset` on. See [`Bytes::go_to`] for the errors.
    pub(crate) fn read_at(&mut self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        self.go_to(offset)?;
        self.read_exact(into)
    }

    /// Continues reading at `offset`. A stream skips the bytes before it, or restarts.
    ///
    /// The error is of the kind `UnexpectedEof` if there are fewer bytes, and `NotSeekable` if they
    /// have been read already and cannot be read again.
    pub(crate) fn go_to(&mut self, offset: u64) -> io::Result<()> {
        match &mut self.origin {
            Origin::File { file, start, .. } => {
                file.seek(SeekFrom::Start(start.saturating_add(offset)))?;
                self.at = offset;
            }
            Origin::Stream { stream, reopen } => {
                if offset < self.at {
                    let reopen = reopen.as_ref().ok_or(io::ErrorKind::NotSeekable)?;
                    (*stream, self.at) = (reopen()?, 0);
                }
                let between = offset - self.at;
                let skipped = io::copy(&mut stream.by_ref().take(between), &mut io::sink())?;
                self.at += skipped;
                if skipped < between {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
            }
        }
        Ok(())
    }

    /// Checks the end of an array of `size` bytes, up to which they were read: a member of an
    /// archive has no byte more, and its checksum is right. That of a member that is only stored is
    /// compared if every byte was read since the array was opened, in order.
    ///
    /// The error is of the kind `InvalidData`.
    pub(crate) fn check_end(&mut self, size: u64) -> io::Result<()> {
        match &mut self.origin {
            Origin::File { checksum: Some(checksum), .. } if checksum.taken == size => {
                checksum.check()
            }
            // The stream compares the checksum at its end, so read to the end.
            Origin::Stream { stream, reopen: Some(_) } => match stream.read(&mut [0])? {
                0 => Ok(()),
                _ => Err(invalid("it has bytes behind its last element")),
            },
            _ => Ok(()),
        }
    }

    /// Returns how many bytes there are, as far as that is known.
    pub(crate) fn found(&self) -> u64 {
        match &self.origin {
            Origin::File { file, start, .. } => {
                file.metadata().map_or(0, |file| file.len().saturating_sub(*start))
            }
            Origin::Stream { .. } => self.at,
        }
    }
}

impl Read for Bytes {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = match &mut self.origin {
            Origin::File { file, checksum, .. } => {
                let read = file.read(into)?;
                if let Some(checksum) = checksum {
                    checksum.take(self.at, &into[..read]);
                }
                read
            }
            Origin::Stream { stream, .. } => stream.read(into)?,
        };
        self.at += read as u64;
        Ok(read)
    }
}

/// The CRC-32 of a member, as far as its bytes were read in their order.
pub(crate) struct Checksum {
    hasher: Hasher,
    /// The number of bytes taken after the header.
    taken: u64,
    /// The checksum that the archive has of the member.
    expected: u32,
}

impl Checksum {
    /// Takes a member's header.
    pub(crate) fn new(header: &[u8], expected: u32) -> Self {
        let mut hasher = Hasher::new();
        hasher.update(header);
        Self { hasher, taken: 0, expected }
    }

    /// Takes those of the bytes at `offset` that come next.
    fn take(&mut self, offset: u64, bytes: &[u8]) {
        let known = self.taken.checked_sub(offset).and_then(|known| usize::try_from(known).ok());
        if let Some(new) = known.and_then(|known| bytes.get(known..)) {
            self.hasher.update(new);
            self.taken += new.len() as u64;
        }
    }

    fn check(&self) -> io::Result<()> {
        if self.hasher.clone().finalize() == self.expected {
            Ok(())
        } else {
            Err(invalid("its checksum is wrong"))
        }
    }
}

/// A deflated member of an archive, whose checksum is compared at its end.
pub(crate) struct Inflated {
    decoder: DeflateDecoder<io::Take<File>>,
    checksum: Checksum,
}

impl Inflated {
    /// Begins with the bytes of a file that are the member.
    pub(crate) fn new(mut file: File, start: u64, size: u64, checksum: u32) -> io::Result<Self> {
        file.seek(SeekFrom::Start(start))?;
        let decoder = DeflateDecoder::new(file.take(size));
        Ok(Self { decoder, checksum: Checksum::new(&[], checksum) })
    }
}

impl Read for Inflated {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.decoder.read(into)?;
        self.checksum.hasher.update(&into[..read]);
        if read == 0 && !into.is_empty() {
            self.checksum.check()?;
        }
        Ok(read)
    }
}

fn invalid(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

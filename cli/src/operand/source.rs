//! [`OperandSource`]: an operand read in pieces because it is larger than memory.

use std::io;
use std::ops::Range;
use std::path::PathBuf;

use indim::{ChunkSource, ElementType, Literal, Shape};
use indim_npy::{Dtype, NpyPieces};

use crate::operand::cast::{cast, report};
use crate::operand::fill::Fill;
use crate::operand::npy;

/// An operand that is read in pieces.
#[derive(Debug)]
pub(crate) enum OperandSource {
    Given(Literal),
    Fill {
        fill: Fill,
        element_type: ElementType,
        shape: Shape,
        seed: u64,
        name: String,
    },
    File {
        file: Box<NpyPieces>,
        path: PathBuf,
        element_type: ElementType,
        shape: Shape,
        cast: Option<PieceCast>,
    },
}

impl OperandSource {
    /// Returns the note on the conversion of the elements, if there was one.
    pub(crate) fn note(&self) -> Option<String> {
        match self {
            Self::File { cast: Some(cast), .. } => Some(cast.note()),
            _ => None,
        }
    }
}

impl ChunkSource for OperandSource {
    fn element_type(&self) -> ElementType {
        match self {
            Self::Given(literal) => literal.element_type(),
            Self::Fill { element_type, .. } | Self::File { element_type, .. } => *element_type,
        }
    }

    fn shape(&self) -> &Shape {
        match self {
            Self::Given(literal) => literal.shape(),
            Self::Fill { shape, .. } | Self::File { shape, .. } => shape,
        }
    }

    fn read(&mut self, region: &[Range<usize>], into: &mut [u8]) -> io::Result<()> {
        match self {
            Self::Given(literal) => literal.read(region, into),
            Self::Fill { fill, element_type, shape, seed, name } => {
                fill.piece((*element_type, shape), region, (*seed, name), into);
                Ok(())
            }
            Self::File { file, path, cast, .. } => {
                let mut read = |into: &mut [u8]| {
                    file.read(region, into).map_err(|error| {
                        io::Error::other(format!("{}: {}", path.display(), npy::reason(&error)))
                    })
                };
                match cast {
                    None => read(into),
                    Some(cast) => cast.read(region, read, into),
                }
            }
        }
    }
}

/// Converts the pieces of a file, and counts how many values changed.
#[derive(Debug)]
pub(crate) struct PieceCast {
    /// The operand's name.
    name: String,
    from: Dtype,
    to: ElementType,
    /// The numbers of values read, and of those changed by more than rounding.
    values: u64,
    changed: u64,
    /// The first changed value, and its result.
    first: Option<String>,
}

impl PieceCast {
    pub(crate) fn new(name: String, from: Dtype, to: ElementType) -> Self {
        Self { name, from, to, values: 0, changed: 0, first: None }
    }

    fn read(
        &mut self,
        region: &[Range<usize>],
        read: impl FnOnce(&mut [u8]) -> io::Result<()>,
        into: &mut [u8],
    ) -> io::Result<()> {
        let count = region.iter().map(Range::len).product::<usize>();
        let mut stored = Vec::new();
        let size = count.saturating_mul(self.from.size());
        stored.try_reserve_exact(size).map_err(|_| io::ErrorKind::OutOfMemory)?;
        stored.resize(size, 0);
        read(&mut stored)?;
        let cast = cast(&stored, self.from, self.to).ok_or(io::ErrorKind::OutOfMemory)?;
        self.values += count as u64;
        self.changed += cast.changed as u64;
        if self.first.is_none() {
            self.first = cast.first_changed(None);
        }
        into.copy_from_slice(&cast.bytes);
        Ok(())
    }

    /// Returns the note on the conversion.
    fn note(&self) -> String {
        let values = format!("{} values that were read", self.values);
        let did = report((self.from, self.to), &values, self.changed, self.first.as_deref());
        format!("note: operand `{}`: {did}", self.name)
    }
}

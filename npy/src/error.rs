//! [`NpyError`]: every error of this crate.

use std::io;

use indim::{ElementType, Shape, debug_is_text};

use crate::dtype::Dtype;

debug_is_text! {
/// The reason why a file cannot be read as an array of `indim`, or an array cannot be written.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum NpyError {
    /// The file cannot be opened.
    #[error("cannot open it: {0}")]
    Open(io::Error),
    /// The file cannot be read.
    #[error("cannot read it: {0}")]
    Read(io::Error),
    /// The file cannot be written.
    #[error("cannot write it: {0}")]
    Write(io::Error),
    /// The file does not begin as a `.npy` file does.
    #[error("it is not a .npy file (it does not begin with \\x93NUMPY)")]
    NotNpy,
    /// The header cannot be understood.
    #[error("its .npy header is malformed: {0}")]
    Header(String),
    /// The elements are not plain numbers or bools.
    #[error("its dtype is {0}, which is not a plain number or bool")]
    Dtype(String),
    /// The elements are raw bytes, this many each, as NumPy saves unknown types.
    #[error("{}", raw(*.0))]
    Raw(usize),
    /// The elements are complex128, which `indim` lacks.
    #[error(
        "its dtype is {0}, which is not an element type of indim; save it as one that is, such as `x.astype(np.complex64)`"
    )]
    NoElementType(Dtype),
    /// The header claims more elements or bytes than can be counted.
    #[error("its header claims more elements than can be counted")]
    Uncountable,
    /// Fewer bytes follow than the header claims.
    #[error("its header claims {claims}, {expected} bytes, but only {found} bytes follow")]
    Truncated {
        /// The shape and the type that the header claims, in words.
        claims: String,
        /// The size in bytes that they make.
        expected: usize,
        /// The number of bytes after the header.
        found: u64,
    },
    /// The file lacks the region, or the memory for it has another size.
    #[error("shape {shape} has no region {region}, or it takes another number of bytes")]
    Region {
        /// The region, in words.
        region: String,
        /// The shape.
        shape: Shape,
    },
    /// The requested elements of a pipe have been read already.
    #[error(
        "it is a pipe, which gives its elements once and in their order, but they are needed twice or in another order; write them to a file first"
    )]
    Again,
    /// This many bytes of elements were not written.
    #[error("{0} bytes of its elements were not written")]
    Missing(u64),
    /// There is not enough memory for this many bytes.
    #[error("not enough memory for its {0} bytes")]
    Memory(usize),
    /// NumPy lacks the type.
    #[error(".npy files have no dtype for {0}; {hint}", hint = instead(*.0))]
    NoDtype(ElementType),
    /// The shape has more dimensions than a header has room for.
    #[error("a .npy header has no room for {rank} dimensions; drop those of size 1 by `reshape`")]
    Rank {
        /// The number of dimensions.
        rank: usize,
    },
    /// The product of the sizes overflows, even though one of them is 0.
    #[error("shape {0} does not fit in a .npy file")]
    Shape(Shape),
    /// The file is not an archive, or is broken or uses an unsupported feature.
    #[error("the .npz archive cannot be used: {0}")]
    Archive(String),
    /// The archive has no array of this name.
    #[error("the .npz archive has no array {name:?}; it has {}", list(names))]
    NoArray {
        /// The name.
        name: String,
        /// The names that it has.
        names: Vec<String>,
    },
    /// The arrays of an archive take more bytes than the caller allows.
    #[error(
        "array {name:?} takes {bytes} bytes unpacked, but {left} of the {limit} bytes that the caller allows are left; allow more if the archive is to be trusted"
    )]
    Limit {
        /// The array's name.
        name: String,
        /// The number of bytes that its header claims.
        bytes: u64,
        /// The number of bytes that are left.
        left: u64,
        /// The number of bytes that the caller allows for all arrays that are read.
        limit: u64,
    },
    /// An array of an archive is rejected.
    #[error("array {name:?}: {source}")]
    Array {
        /// The array's name.
        name: String,
        /// The reason.
        r#source: Box<NpyError>,
    },
}
}

impl NpyError {
    /// Returns a function that adds the name of an archive's array to an error.
    pub(crate) fn of(name: &str) -> impl FnOnce(Self) -> Self {
        move |source| Self::Array { name: name.to_owned(), source: Box::new(source) }
    }
}

impl From<NpyError> for io::Error {
    fn from(error: NpyError) -> Self {
        match error {
            NpyError::Open(error) | NpyError::Read(error) | NpyError::Write(error) => error,
            other => Self::other(other),
        }
    }
}

fn raw(size: usize) -> &'static str {
    match size {
        2 => {
            "its elements are 2 raw bytes each, as ml_dtypes saves bfloat16; save `x.view(np.uint16)` and bitcast it to bf16, or save `x.astype(np.float32)`"
        }
        _ => {
            "its elements are raw bytes, as NumPy saves types that it does not know, such as ml_dtypes' int4; save them as one that it knows, such as `x.astype(np.int8)`"
        }
    }
}

fn instead(element_type: ElementType) -> &'static str {
    match element_type {
        ElementType::Bf16 => "f32 has the same values, and a bitcast to u16 the same bits",
        ElementType::S4 => "s8 has the same values",
        ElementType::U4 => "u8 has the same values",
        _ => "convert it to a type that NumPy has",
    }
}

/// Lists names for a message, limited to a readable number.
fn list(names: &[String]) -> String {
    const SHOWN: usize = 8;
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("{name:?}")).collect();
    match names.len() {
        0 => "none".to_owned(),
        n if n > SHOWN => format!("{} and {} more", shown.join(", "), n - SHOWN),
        _ => shown.join(", "),
    }
}

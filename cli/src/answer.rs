//! Holds the answer of a command, and prints it.

use std::fmt;
use std::io::{self, Write};

use indim::{ElementType, Literal, Shape, Summary};

use crate::json;

/// A result of a command.
pub(crate) struct Labelled {
    /// Stands in front of the result's type.
    pub(crate) label: String,
    pub(crate) array: Printed,
    pub(crate) name: Option<String>,
    /// The file that the elements are in, if they are in one; then they are not printed.
    pub(crate) path: Option<String>,
}

/// A result that is printed.
#[derive(Debug)]
pub(crate) enum Printed {
    Whole(Literal),
    /// All that printing shows of it.
    Summary(Summary),
}

impl Printed {
    pub(crate) fn element_type(&self) -> ElementType {
        match self {
            Self::Whole(literal) => literal.element_type(),
            Self::Summary(summary) => summary.element_type(),
        }
    }

    pub(crate) fn shape(&self) -> &Shape {
        match self {
            Self::Whole(literal) => literal.shape(),
            Self::Summary(summary) => summary.shape(),
        }
    }
}

impl fmt::Display for Printed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(literal) => literal.fmt(f),
            Self::Summary(summary) => summary.fmt(f),
        }
    }
}

/// An answer goes to the standard output. An array becomes text while it is written: that may take
/// many times the array's memory.
pub(crate) enum Answer {
    Text(String),
    Arrays(Vec<Labelled>),
    Json(Vec<Labelled>),
}

impl Answer {
    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Text(text) => out.write_all(text.as_bytes()),
            Self::Json(arrays) => arrays.iter().try_for_each(|array| json::result(out, array)),
            Self::Arrays(arrays) => {
                for (number, Labelled { label, array, path, .. }) in arrays.iter().enumerate() {
                    if number > 0 {
                        writeln!(out)?;
                    }
                    // Element type and shape on a line, the values below.
                    let sizes: Vec<String> =
                        array.shape().dims().iter().map(usize::to_string).collect();
                    writeln!(out, "{label}{}[{}]", array.element_type(), sizes.join(","))?;
                    if path.is_none() {
                        writeln!(out, "{array}")?;
                    }
                }
                Ok(())
            }
        }
    }
}

//! The answer of a command, and how it is printed.

use std::io::{self, Write};

use crate::output::json;
use crate::output::printed::Labelled;

/// An answer for the standard output. An array becomes text as it is written, since the text may
/// take many times the array's memory.
pub(crate) enum Answer {
    Text(String),
    Arrays(Vec<Labelled>),
    Json {
        arrays: Vec<Labelled>,
        /// The number of the answered line, in a batch.
        line: Option<usize>,
    },
}

impl Answer {
    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Text(text) => out.write_all(text.as_bytes()),
            Self::Json { arrays, line } => {
                arrays.iter().try_for_each(|array| json::result(out, array, *line))
            }
            Self::Arrays(arrays) => {
                for (number, Labelled { label, array, path, .. }) in arrays.iter().enumerate() {
                    if number > 0 {
                        writeln!(out)?;
                    }
                    // Element type and shape on one line, the values below.
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

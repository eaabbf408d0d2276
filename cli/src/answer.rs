//! Holds the answer of a command, and prints it.

use std::io::{self, Write};

use indim::Literal;

/// A result, with what stands in front of its type.
pub(crate) type Labelled = (String, Literal);

/// An answer goes to the standard output. An array becomes text while it is written: that may take
/// many times the array's memory.
pub(crate) enum Answer {
    Text(String),
    Arrays(Vec<Labelled>),
}

impl Answer {
    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Text(text) => out.write_all(text.as_bytes()),
            Self::Arrays(arrays) => {
                for (number, (label, array)) in arrays.iter().enumerate() {
                    if number > 0 {
                        writeln!(out)?;
                    }
                    // Element type and shape on a line, the values below.
                    let sizes: Vec<String> =
                        array.shape().dims().iter().map(usize::to_string).collect();
                    writeln!(out, "{label}{}[{}]", array.element_type(), sizes.join(","))?;
                    writeln!(out, "{array}")?;
                }
                Ok(())
            }
        }
    }
}

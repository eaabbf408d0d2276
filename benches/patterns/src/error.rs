//! Why something could not be measured.

use std::fmt;

/// The reason why something could not be measured, as a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BenchError(String);

/// The result of everything that a device may refuse.
pub type Result<T> = std::result::Result<T, BenchError>;

impl BenchError {
    /// Returns an error of this message.
    pub fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }
}

impl fmt::Display for BenchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BenchError {}

impl From<indim::Error> for BenchError {
    fn from(error: indim::Error) -> Self {
        Self(error.to_string())
    }
}

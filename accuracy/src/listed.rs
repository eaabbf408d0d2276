//! A function's entry in the tables, for any element type.

/// A function as tables have it.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// Its name.
    pub name: String,
    /// The largest error that it may have.
    pub limit: f64,
    /// True if it takes pairs.
    pub binary: bool,
    /// True if its results must be right bit for bit.
    pub exact: bool,
}

//! A function's entry in the tables of every element type.

/// A function as tables have it.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// Its name.
    pub name: String,
    /// The largest error that it may have.
    pub limit: f64,
    /// Whether it takes pairs.
    pub binary: bool,
    /// Whether its results are due bit for bit.
    pub exact: bool,
}

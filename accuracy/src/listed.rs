//! A function's entry in the tables of every element type.

/// A function as tables have it.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// Its name.
    pub name: String,
    /// The largest error that it may have.
    pub limit: f64,
    /// This is set where it takes pairs.
    pub binary: bool,
    /// This is set where its results are due bit for bit.
    pub exact: bool,
}

//! From a computation to StableHLO's text. Imports `syntax` and, of `lower`, the values that
//! reductions begin with.

pub(crate) mod body;
pub(crate) mod decomposition;
pub(crate) mod number;
pub(crate) mod operation;
pub(crate) mod text;

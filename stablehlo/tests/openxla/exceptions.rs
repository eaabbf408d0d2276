//! Elements of which the library's value is nearer to the true one than the expected value.

use crate::judge::Difference;

/// Checks whether a difference is known.
pub(crate) fn holds(_name: &str, _found: &Difference) -> bool {
    false
}

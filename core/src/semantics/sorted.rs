//! Lists in ascending order.

use std::collections::BinaryHeap;

/// Returns these values in ascending order.
///
/// A heap takes 0.4 kB of WebAssembly for each type of values, and the standard library's `sort` 4 kB.
///
/// ```
/// use indim_core::semantics::sorted::sorted;
///
/// assert_eq!(sorted(vec![3, 1, 2, 1]), [1, 1, 2, 3]);
/// ```
#[must_use]
pub fn sorted<T: Ord>(list: Vec<T>) -> Vec<T> {
    BinaryHeap::from(list).into_sorted_vec()
}

/// Returns these values in ascending order, each once.
///
/// ```
/// use indim_core::semantics::sorted::sorted_set;
///
/// assert_eq!(sorted_set(vec![3, 1, 2, 1]), [1, 2, 3]);
/// ```
#[must_use]
pub fn sorted_set<T: Ord>(list: Vec<T>) -> Vec<T> {
    let mut list = sorted(list);
    list.dedup();
    list
}

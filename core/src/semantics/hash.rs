//! The hash of the caches and of sets of nodes: foldhash with a fixed seed.
//!
//! With SipHash, the standard library's, hashing is a sixth of the host's work for a small
//! operation, and as much of planning a large one. No random seed is needed: the caches hold a
//! bounded number of entries and compare whole keys, so deliberate collisions cost at most a walk
//! through these entries; node numbers are consecutive, so nobody can choose them. A web page
//! downloads one hash instead of two.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hash, Hasher};

use foldhash::fast::FixedState;

/// A map with the caches' hash.
pub type FastMap<K, V> = HashMap<K, V, FixedState>;

/// A set with the caches' hash.
pub type FastSet<K> = HashSet<K, FixedState>;

/// Returns a hasher with the same results in every map and every run.
pub fn hasher() -> impl Hasher {
    FixedState::default().build_hasher()
}

/// Returns the hash of one value.
pub fn hash_of(value: &(impl Hash + ?Sized)) -> u64 {
    FixedState::default().hash_one(value)
}

//! The hash of the caches, which is foldhash with a fixed seed.
//!
//! With SipHash, the standard library's, hashing is a sixth of the host's work for a small
//! operation. The caches hold a bounded number of entries and compare whole keys, so that keys that
//! collide, which somebody would have to make on purpose, cost at most a walk through these: no
//! random seed is needed.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, Hasher};

use foldhash::fast::FixedState;

/// A map with the caches' hash.
pub(crate) type FastMap<K, V> = HashMap<K, V, FixedState>;

/// Returns a hasher that hashes the same to the same in every map and every run.
pub(crate) fn hasher() -> impl Hasher {
    FixedState::default().build_hasher()
}

/// Returns the hash of one value.
pub(crate) fn hash_of(value: &(impl Hash + ?Sized)) -> u64 {
    FixedState::default().hash_one(value)
}

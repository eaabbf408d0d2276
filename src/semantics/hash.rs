//! A hash for the caches. SipHash, the standard library's, is a sixth of the host's work for a
//! small operation; the caches hold a bounded number of entries, so that colliding keys, which
//! somebody would have to make on purpose, cost at most a walk through these.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

pub(crate) type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<FastHasher>>;

/// Digits of pi, as an odd number: nothing up the sleeve.
const MULTIPLIER: u64 = 0x243f_6a88_85a3_08d3;

/// Multiplies each word in and folds the product's halves onto each other.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct FastHasher(u64);

impl FastHasher {
    fn add(&mut self, word: u64) {
        // The count goes in, too: without it, zeros would be the same however many they are.
        let mixed = u128::from(self.0.wrapping_add(MULTIPLIER) ^ word.rotate_left(17));
        let product = mixed * u128::from(MULTIPLIER);
        self.0 = (product as u64) ^ ((product >> 64) as u64);
    }
}

impl Hasher for FastHasher {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for &word in words {
            self.add(u64::from_le_bytes(word));
        }
        if !rest.is_empty() {
            let mut last = [0; 8];
            last[..rest.len()].copy_from_slice(rest);
            self.add(u64::from_le_bytes(last));
        }
    }

    fn write_u8(&mut self, n: u8) {
        self.add(u64::from(n));
    }

    fn write_u32(&mut self, n: u32) {
        self.add(u64::from(n));
    }

    fn write_u64(&mut self, n: u64) {
        self.add(n);
    }

    fn write_usize(&mut self, n: usize) {
        self.add(n as u64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// The hash of one value.
pub(crate) fn hash_of(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = FastHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// Keys as the caches have them: small numbers in many places.
    #[test]
    fn small_keys_do_not_collide() {
        let mut seen = HashSet::new();
        let mut low = HashSet::new();
        for a in 0..40usize {
            for b in 0..40usize {
                for length in 0..5 {
                    let mut key = vec![0usize; length];
                    key.extend([a, 1 << b, 0]);
                    let hash = hash_of(&key);
                    assert!(seen.insert(hash), "{key:?}");
                    low.insert(hash & 0xffff);
                }
            }
        }
        // 8,000 keys over 65,536 places: some 460 share one in a random function.
        assert!(low.len() > 7_300, "{}", low.len());
    }
}

//! Defines [`Lru`]: a cache that drops the least recently used values.

use indim_core::semantics::hash::FastMap;
use indim_core::semantics::sorted::sorted;

/// The values, by the hash of their keys; of several with the same hash, only the last is kept.
#[derive(Debug)]
pub(crate) struct Lru<V> {
    entries: FastMap<u64, LruEntry<V>>,
    /// The weight of all values together.
    weight: usize,
    max_weight: usize,
    /// The number of uses so far, which orders them.
    clock: u64,
}

#[derive(Debug)]
struct LruEntry<V> {
    value: V,
    weight: usize,
    last_use: u64,
}

impl<V> Lru<V> {
    /// Makes an empty cache for values with a total weight of at most `max_weight`.
    pub(crate) fn new(max_weight: usize) -> Self {
        Self { entries: FastMap::default(), weight: 0, max_weight, clock: 0 }
    }

    /// Returns the value of this hash, if `is_it` returns true for it.
    pub(crate) fn get(&mut self, hash: u64, is_it: impl FnOnce(&V) -> bool) -> Option<&V> {
        let entry = self.entries.get_mut(&hash).filter(|entry| is_it(&entry.value))?;
        self.clock += 1;
        entry.last_use = self.clock;
        Some(&entry.value)
    }

    /// Keeps a value. If the weight exceeds the maximum, the least recently used values are dropped
    /// until half of it remains.
    pub(crate) fn insert(&mut self, hash: u64, value: V, weight: usize) {
        self.clock += 1;
        self.weight += weight;
        let entry = LruEntry { value, weight, last_use: self.clock };
        if let Some(other) = self.entries.insert(hash, entry) {
            self.weight -= other.weight;
        }
        if self.weight <= self.max_weight {
            return;
        }
        let uses = self.entries.values().map(|entry| (entry.last_use, entry.weight));
        if let Some(last) = last_dropped(uses, self.max_weight) {
            self.entries.retain(|_, entry| entry.last_use > last);
            self.weight = self.entries.values().map(|entry| entry.weight).sum();
        }
    }

    /// Drops the values for which `keep` returns false.
    pub(crate) fn retain(&mut self, keep: impl Fn(&V) -> bool) {
        self.entries.retain(|_, entry| keep(&entry.value));
        self.weight = self.entries.values().map(|entry| entry.weight).sum();
    }

    pub(crate) fn clear(&mut self) {
        self.entries = FastMap::default();
        self.weight = 0;
    }
}

/// Returns the last use of the most recently used value that is dropped, given the last uses and
/// the weights of all. If the weight exceeds the maximum, the least recently used values are dropped
/// until half of it remains.
pub(crate) fn last_dropped(
    uses: impl Iterator<Item = (u64, usize)>,
    max_weight: usize,
) -> Option<u64> {
    let uses: Vec<(u64, usize)> = uses.collect();
    let mut weight: usize = uses.iter().map(|&(_, weight)| weight).sum();
    if weight <= max_weight {
        return None;
    }
    let is_dropped = |&&(_, of_value): &&(u64, usize)| {
        let is_dropped = weight > max_weight / 2;
        weight = weight.saturating_sub(of_value);
        is_dropped
    };
    sorted(uses).iter().take_while(is_dropped).last().map(|&(last_use, _)| last_use)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(lru: &mut Lru<u64>, hashes: std::ops::Range<u64>) -> Vec<u64> {
        hashes.filter(|&hash| lru.get(hash, |_| true).is_some()).collect()
    }

    #[test]
    fn what_was_not_used_for_the_longest_time_goes() {
        let mut lru = Lru::new(4);
        (0..4).for_each(|hash| lru.insert(hash, hash, 1));
        assert_eq!(lru.get(1, |&value| value == 1), Some(&1));
        assert_eq!(lru.get(0, |&value| value == 7), None, "another of the same hash");
        lru.insert(4, 4, 1);
        assert_eq!(kept(&mut lru, 0..5), [1, 4]);
        lru.insert(5, 5, 2);
        assert_eq!(kept(&mut lru, 0..6), [1, 4, 5]);
        lru.insert(6, 6, 1);
        assert_eq!(kept(&mut lru, 0..7), [6], "5 alone weighs 2");
        lru.insert(7, 7, 5);
        assert_eq!(kept(&mut lru, 0..8), [0; 0], "more than there may be");
    }

    #[test]
    fn weights_are_given_back() {
        let mut lru = Lru::new(4);
        lru.insert(0, 0, 3);
        lru.insert(0, 1, 4);
        assert_eq!(lru.get(0, |_| true), Some(&1), "in place of the first");
        lru.insert(1, 1, 0);
        lru.retain(|&value| value != 1);
        (2..6).for_each(|hash| lru.insert(hash, hash, 1));
        assert_eq!(kept(&mut lru, 0..6), [2, 3, 4, 5]);
        lru.clear();
        (2..6).for_each(|hash| lru.insert(hash, hash, 1));
        assert_eq!(kept(&mut lru, 0..6), [2, 3, 4, 5]);
    }
}

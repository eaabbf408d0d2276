//! A small random generator. A test that prints its seed needs the same numbers on every machine
//! and in every version of its dependencies, so it brings its own.
//!
//! A fuzzer chooses the numbers itself: then they are its bytes, as far as those go.

/// SplitMix64 (Steele, Lea, Flood 2014): 64 bits of state, and any seed is a good one.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
    /// Bytes that a fuzzer chose, the next one last. They come before all that is drawn.
    chosen: Vec<u8>,
    /// True where a fuzzer chose: its bytes come to an end.
    ends: bool,
}

impl Random {
    pub fn new(seed: u64) -> Self {
        Self { state: seed, chosen: Vec::new(), ends: false }
    }

    /// The numbers that these bytes spell, and then always the same ones.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self { state: 0, chosen: bytes.iter().rev().copied().collect(), ends: true }
    }

    /// Returns whether a fuzzer's bytes are used up.
    pub fn is_over(&self) -> bool {
        self.ends && self.chosen.is_empty()
    }

    /// Returns what is left of a fuzzer's bytes.
    pub fn rest(&mut self) -> Vec<u8> {
        let mut rest = std::mem::take(&mut self.chosen);
        rest.reverse();
        rest
    }

    pub fn bits(&mut self) -> u64 {
        self.spelled(8).unwrap_or_else(|| self.drawn())
    }

    fn drawn(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// The number that the fuzzer's next bytes are, if it chose any.
    fn spelled(&mut self, bytes: usize) -> Option<u64> {
        let first = self.chosen.pop()?;
        let more = (1..bytes).map_while(|_| self.chosen.pop());
        Some(more.fold(u64::from(first), |number, byte| number << 8 | u64::from(byte)))
    }

    /// Draws data too large to be chosen byte by byte, such as the elements of an array: it takes
    /// two of a fuzzer's bytes.
    pub fn apart<T>(&mut self, draw: impl FnOnce(&mut Random) -> T) -> T {
        match self.spelled(2) {
            Some(seed) => draw(&mut Random::new(seed)),
            None => draw(self),
        }
    }

    /// One of 0, 1, ..., n - 1. The bias of the remainder is below 2^-32 for the small n of tests.
    pub fn below(&mut self, n: usize) -> usize {
        assert!(n > 0, "below(0) has nothing to choose from");
        let bytes = if n <= 1 << 8 { 1 } else { 4 };
        let bits = self.spelled(bytes).unwrap_or_else(|| self.drawn());
        (bits % n as u64) as usize
    }

    /// True in `percent` of 100 calls.
    pub fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Close to a normal distribution (the sum of twelve uniforms): test data, not statistics.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// An index into `weights`, each with a probability in proportion to its weight.
    pub fn weighted(&mut self, weights: &[usize]) -> usize {
        let mut left = self.below(weights.iter().sum());
        for (index, &weight) in weights.iter().enumerate() {
            if left < weight {
                return index;
            }
            left -= weight;
        }
        unreachable!("below() is less than the sum of the weights")
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }

    /// `count` of the numbers 0, 1, ..., n - 1, increasing.
    pub fn subset(&mut self, n: usize, count: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..n).collect();
        self.shuffle(&mut all);
        all.truncate(count);
        all.sort_unstable();
        all
    }
}

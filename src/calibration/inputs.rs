//! Makes the values that the probes' operands consist of: random bits, and floats where rounding,
//! overflow or the sign of a zero is easily wrong.

/// A linear congruential generator with the constants of W. H. Press et al., "Numerical Recipes",
/// whose upper bits are random enough here.
pub(super) struct Random(u32);

impl Random {
    pub(super) fn new(seed: u32) -> Self {
        Self(seed)
    }

    pub(super) fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        // The low bits have short periods.
        self.0.rotate_left(16) ^ (self.0 >> 13)
    }
}

/// Floats where the rules change: zero, neighbours of 1, the largest values with a half and with
/// odd integers, infinity and NaN. None of their sums with products comes near to the subnormals,
/// which an adapter may flush on the way.
const SPECIAL: [f32; 12] = [
    0.0,
    1.972_152_3e-31,
    0.5,
    0.999_999_94,
    1.0,
    1.000_000_1,
    3.0,
    8_388_607.5,
    16_777_216.0,
    f32::MAX,
    f32::INFINITY,
    f32::NAN,
];

/// Returns every special value with either sign.
pub(super) fn special() -> Vec<f32> {
    SPECIAL.iter().flat_map(|&x| [x, -x]).collect()
}

/// Returns values around 1, the smallest normal float and the largest one, with either sign.
pub(super) fn boundaries() -> Vec<f32> {
    let least = f32::MIN_POSITIVE;
    let near = [1.0, 1.5, 2.0, 3.0, 0.999_999_94, 1.000_000_1];
    let values = near.iter().flat_map(|&x| [x, x * 2.0 * least, f32::MAX / x.max(1.0)]);
    values.chain([least, 1e19, 1e-19]).flat_map(|x| [x, -x]).collect()
}

/// Returns all pairs of these values.
pub(super) fn pairs(values: &[f32]) -> Vec<[f32; 2]> {
    values.iter().flat_map(|&x| values.iter().map(move |&y| [x, y])).collect()
}

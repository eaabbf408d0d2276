//! Operands for the self-check: special values, and values of every size.

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

/// Where floats change their nature. None whose sums with products are near the subnormals, which
/// may be flushed on the way.
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

/// Integers where arithmetic wraps, and shift amounts.
const SPECIAL_INTEGERS: [u32; 16] = [
    0,
    1,
    2,
    3,
    7,
    31,
    32,
    33,
    0xffff,
    0x1_0000,
    0x00ff_ffff,
    0x7fff_fffe,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xffff_ffff,
];

/// Every special value with either sign.
pub(super) fn special() -> Vec<f32> {
    SPECIAL.iter().flat_map(|&x| [x, -x]).collect()
}

/// All pairs of special values.
pub(super) fn special_pairs() -> Vec<[f32; 2]> {
    pairs(&special())
}

/// Values around 1, the smallest normal float and the largest one.
pub(super) fn boundaries() -> Vec<f32> {
    let least = f32::MIN_POSITIVE;
    let near = [1.0, 1.5, 2.0, 3.0, 0.999_999_94, 1.000_000_1];
    let values = near.iter().flat_map(|&x| [x, x * 2.0 * least, f32::MAX / x.max(1.0)]);
    values.chain([least, 1e19, 1e-19]).flat_map(|x| [x, -x]).collect()
}

/// All pairs of these.
pub(super) fn boundary_pairs() -> Vec<[f32; 2]> {
    pairs(&boundaries())
}

/// All pairs of special integers, then random ones of every size.
pub(super) fn integers() -> Vec<[u32; 2]> {
    let mut random = Random::new(2);
    let mut all = pairs(&SPECIAL_INTEGERS);
    all.extend((0..1024).map(|i| {
        let mut sized = |bits: u32| random.next() >> bits;
        [sized(i % 32), sized(i / 32)]
    }));
    all
}

fn pairs<T: Copy>(values: &[T]) -> Vec<[T; 2]> {
    values.iter().flat_map(|&x| values.iter().map(move |&y| [x, y])).collect()
}

/// Pairs whose exponents differ by all that matters to a sum, and whose sums, products and sums of
/// products neither over- nor underflow; some of neighbours, whose difference is exact.
pub(super) fn moderate() -> Vec<[f32; 2]> {
    let mut random = Random::new(3);
    let mut value = |exponent: i32| {
        let bits = random.next();
        let significand = 1.0 + (bits >> 9) as f32 / (1 << 23) as f32;
        let signed = if bits & 1 == 0 { significand } else { -significand };
        signed * 2f32.powi(exponent)
    };
    (0..4096)
        .map(|i| {
            let exponent = i % 41 - 20;
            let x = value(exponent);
            let y = match i / 41 % 4 {
                0 => f32::from_bits(x.to_bits() ^ (i as u32 & 7)),
                1 => -f32::from_bits(x.to_bits().wrapping_add(i as u32 & 0xff)),
                _ => value(exponent - 27 + i / 4 % 55),
            };
            [x, y]
        })
        .collect()
}

/// Positive values of every exponent, about evenly, without subnormals.
pub(super) fn positive() -> Vec<f32> {
    let mut random = Random::new(4);
    (0..4064)
        .map(|i| f32::from_bits((random.next() & 0x007f_ffff) | ((1 + i % 254) << 23)))
        .collect()
}

/// Integers, the numbers halfway between them, and neighbours of both, up to 2^25.
pub(super) fn near_integers() -> Vec<f32> {
    let mut values = Vec::new();
    for power in 0..26u32 {
        for base in [1u32 << power, (1 << power) + 1, (1 << power) - 1, (5 << power) / 4] {
            for halves in 0..3 {
                let x = base as f32 + 0.5 * halves as f32;
                let around = [x.to_bits().wrapping_sub(1), x.to_bits(), x.to_bits() + 1];
                for near in around.map(f32::from_bits).into_iter().filter(|x| x.is_normal()) {
                    values.extend([near, -near]);
                }
            }
        }
    }
    values.extend(special());
    values
}

/// Any bits: NaN of every kind, subnormals.
pub(super) fn bits() -> Vec<u32> {
    let mut random = Random::new(5);
    let mut all: Vec<u32> = (0..1024).map(|_| random.next()).collect();
    all.extend((0..512).map(|_| random.next() | 0x7f80_0000));
    all.extend((0..512).map(|_| random.next() & 0x807f_ffff));
    all.extend(special().iter().map(|x| x.to_bits()));
    all
}

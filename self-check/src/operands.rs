//! Makes the operands of the cases: special values, and values of every size. A case of one operand
//! ignores the second one of each row.

use indim::hard_cases;

/// A generator of random bits by SplitMix64 (G. L. Steele, D. Lea and C. H. Flood, "Fast splittable
/// pseudorandom number generators", 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 32) as u32
    }
}

/// Integers where arithmetic wraps, and amounts of shifts.
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

// ---- pairs --------------------------------------------------------------------------------------

/// Returns pairs of floats whose exponents differ by all that matters to a sum, and whose sums,
/// products and sums of products neither overflow nor underflow. Some are neighbours, whose
/// difference is exact.
pub(crate) fn float_pairs() -> Vec<[u32; 2]> {
    let mut random = Random(3);
    let mut value = |exponent: i32| {
        let bits = random.next();
        let significand = 1.0 + (bits >> 9) as f32 / (1 << 23) as f32;
        let signed = if bits & 1 == 0 { significand } else { -significand };
        signed * 2f32.powi(exponent)
    };
    let pair = |i: i32| {
        let exponent = i % 41 - 20;
        let x = value(exponent);
        let y = match i / 41 % 4 {
            0 => f32::from_bits(x.to_bits() ^ (i as u32 & 7)),
            1 => -f32::from_bits(x.to_bits().wrapping_add(i as u32 & 0xff)),
            _ => value(exponent - 27 + i / 4 % 55),
        };
        [x, y].map(f32::to_bits)
    };
    (0..4096).map(pair).collect()
}

/// Returns all pairs of special floats.
pub(crate) fn special_pairs() -> Vec<[u32; 2]> {
    pairs(&bits_of(hard_cases::special()))
}

/// Returns the pairs of both kinds.
pub(crate) fn either_pairs() -> Vec<[u32; 2]> {
    [float_pairs(), special_pairs()].concat()
}

/// Returns pairs whose quotients are hard to round, and the others.
pub(crate) fn quotients() -> Vec<[u32; 2]> {
    let hard = hard_cases::quotients().into_iter().map(|pair| pair.map(f32::to_bits));
    hard.chain(float_pairs()).collect()
}

/// Returns all pairs of special integers, then random ones of every size.
pub(crate) fn integer_pairs() -> Vec<[u32; 2]> {
    let mut random = Random(2);
    let mut sized = |bits: u32| random.next() >> bits;
    let sizes = (0..1024u32).map(|i| [sized(i % 32), sized(i / 32)]);
    pairs(&SPECIAL_INTEGERS).into_iter().chain(sizes).collect()
}

/// Returns pairs of any bits: NaN of every kind, subnormals and others.
pub(crate) fn any_bits() -> Vec<[u32; 2]> {
    let mut random = Random(5);
    let mut all: Vec<u32> = (0..1024).map(|_| random.next()).collect();
    all.extend((0..512).map(|_| random.next() | 0x7f80_0000));
    all.extend((0..512).map(|_| random.next() & 0x807f_ffff));
    all.extend(bits_of(hard_cases::special()));
    all.iter().zip(all.iter().rev()).map(|(&x, &y)| [x, y]).collect()
}

fn pairs(values: &[u32]) -> Vec<[u32; 2]> {
    values.iter().flat_map(|&x| values.iter().map(move |&y| [x, y])).collect()
}

fn bits_of(values: Vec<f32>) -> Vec<u32> {
    values.into_iter().map(f32::to_bits).collect()
}

// ---- single operands ----------------------------------------------------------------------------

/// Returns divisors of 1 whose quotients are hard to round.
pub(crate) fn divisors() -> Vec<[u32; 2]> {
    singles(hard_cases::reciprocals())
}

/// Returns floats whose square roots are hard to round, and positive ones of every exponent.
pub(crate) fn radicands() -> Vec<[u32; 2]> {
    [singles(hard_cases::square_roots()), positive()].concat()
}

/// Returns floats from `-most` to `most`.
pub(crate) fn up_to(most: f32) -> Vec<[u32; 2]> {
    let values = float_pairs().into_iter().map(|[x, _]| f32::from_bits(x) % most);
    singles(values.filter(|x| x.is_normal()).collect())
}

/// Returns floats from 1 on, many of them next to it.
pub(crate) fn above_one() -> Vec<[u32; 2]> {
    singles(float_pairs().into_iter().map(|[x, _]| 1.0 + f32::from_bits(x).abs()).collect())
}

/// Returns positive floats of every exponent, about evenly, without subnormals.
pub(crate) fn positive() -> Vec<[u32; 2]> {
    let mut random = Random(4);
    let exponents = (0..4064u32).map(|i| 1 + i % 254);
    exponents.map(|exponent| [(random.next() & 0x007f_ffff) | (exponent << 23), 0]).collect()
}

/// Returns integers, the numbers halfway between them, and neighbours of both, up to 2^25.
pub(crate) fn near_integers() -> Vec<[u32; 2]> {
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
    values.extend(hard_cases::special());
    singles(values)
}

fn singles(values: Vec<f32>) -> Vec<[u32; 2]> {
    bits_of(values).into_iter().map(|x| [x, 0]).collect()
}

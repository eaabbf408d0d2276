//! Computes sine, cosine and tangent of any operand, and their inverses.

use std::f64::consts::FRAC_PI_4;

use crate::double_double::{DoubleDouble, PI, two_sum};
use crate::real::Real as _;
use crate::wide::number::Wide;

/// Below this magnitude `x + c x^3` is x itself: the square is below 2^-110.
const LINEAR: f64 = 1.0 / (1u64 << 55) as f64;

/// 2/pi, 64 bits a word; by mpmath.
const TWO_OVER_PI: [u64; 20] = [
    0xa2f9_836e_4e44_1529,
    0xfc27_57d1_f534_ddc0,
    0xdb62_9599_3c43_9041,
    0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0,
    0x0649_2eea_09d1_921c,
    0xfe1d_eb1c_b129_a73e,
    0xe882_35f5_2ebb_4484,
    0xe99c_7026_b45f_7e41,
    0x3991_d639_8353_39f4,
    0x9c84_5f8b_bdf9_283b,
    0x1ff8_97ff_de05_980f,
    0xef2f_118b_5a0a_6d1f,
    0x6d36_7ecf_27cb_09b7,
    0x4f46_3f66_9e5f_ea2d,
    0x7527_bac7_ebe5_f17b,
    0x3d07_39f7_8a52_92ea,
    0x6bfb_5fb1_1f8d_5d08,
    0x5603_3046_fc7b_6bab,
    0xf0cf_bc20_9af4_361d,
];

/// Returns the operand as `quadrant * pi/2 + rest`, the rest at most pi/4 and to some 2^-100 of
/// itself.
///
/// Where quadrants count modulo 4, only a window of 256 bits of 2/pi matters: M. H. Payne and R. N.
/// Hanek, "Radian reduction for trigonometric functions", 1983. The fraction's bits are kept as
/// they are, so that however many of them cancel, enough are left.
fn reduced(x: f64) -> (u64, DoubleDouble) {
    let a = x.abs();
    if a <= FRAC_PI_4 {
        return (0, DoubleDouble::of(x));
    }
    // a = m 2^e
    let e = (a.to_bits() >> 52) as i32 - 1075;
    let m = (a.to_bits() & ((1 << 52) - 1)) | 1 << 52;
    // Bits before the window stand for multiples of 4 times m.
    let skipped = (e - 2).max(0) as usize;
    let (word, shift) = (skipped / 64, skipped % 64);
    let window = [0, 1, 2, 3].map(|i| {
        let wide = u128::from(TWO_OVER_PI[word + i]) << 64 | u128::from(TWO_OVER_PI[word + i + 1]);
        (wide << shift >> 64) as u64
    });
    // m times the window, least word first.
    let mut product = [0u64; 5];
    let mut carry = 0u128;
    for (digit, &w) in product.iter_mut().zip(window.iter().rev()) {
        let sum = u128::from(m) * u128::from(w) + carry;
        (*digit, carry) = (sum as u64, sum >> 64);
    }
    product[4] = carry as u64;
    // The operand in units of 2^-254 quadrants.
    let right = (2 - e).max(0) as u32;
    let mut turned = [0u64; 4];
    for i in 0..4 {
        let wide = u128::from(product[i + 1]) << 64 | u128::from(product[i]);
        turned[i] = (wide >> right) as u64;
    }
    let fraction = [turned[0], turned[1], turned[2], turned[3] << 2 >> 2];
    let quadrant = turned[3] >> 62;
    // From 1/2 on the next quadrant is nearer.
    let (quadrant, rest) = if fraction[3] >> 61 == 1 {
        (quadrant + 1, -of_words(negated(fraction)))
    } else {
        (quadrant, of_words(fraction))
    };
    let rest = rest * PI.scaled(-1);
    if x < 0.0 { (quadrant.wrapping_neg() & 3, -rest) } else { (quadrant & 3, rest) }
}

/// Returns 2^254 less the number.
fn negated(words: [u64; 4]) -> [u64; 4] {
    let mut carry = true;
    let mut result = words.map(|word| !word);
    for word in &mut result {
        (*word, carry) = word.overflowing_add(carry.into());
    }
    result[3] = result[3] << 2 >> 2;
    result
}

/// Returns the words over 2^254, by the 128 bits from the first one on.
fn of_words(words: [u64; 4]) -> DoubleDouble {
    let Some(top) = (0..4).rev().find(|&i| words[i] != 0) else { return DoubleDouble::of(0.0) };
    let word = |i: usize| if i < 4 { words[i] } else { 0 };
    let zeros = words[top].leading_zeros();
    let below = |i: usize| if i > top { 0 } else { word(top - i) };
    let pair = u128::from(below(0)) << 64 | u128::from(below(1));
    let bits =
        pair << zeros | u128::from(below(2)) >> (64 - zeros).min(63) >> u32::from(zeros == 0);
    // The leading 53 bits, then 53 more.
    let high = (bits >> 75) as f64;
    let low = ((bits >> 22) as u64 & ((1 << 53) - 1)) as f64;
    let exponent = 64 * top as i32 + 64 - zeros as i32 - 254 - 53;
    let value = two_sum(high, DoubleDouble::of(low).scaled(-53).high);
    value.scaled(exponent)
}

fn sin_cos(x: f64) -> (DoubleDouble, DoubleDouble) {
    let (quadrant, rest) = reduced(x);
    let (sin, cos) = rest.sin_cos();
    match quadrant {
        0 => (sin, cos),
        1 => (cos, -sin),
        2 => (-sin, -cos),
        _ => (-cos, sin),
    }
}

pub(super) fn sin(x: f64) -> Wide {
    if x.abs() < LINEAR { Wide::of(x) } else { sin_cos(x).0.into() }
}

pub(super) fn cos(x: f64) -> Wide {
    sin_cos(x).1.into()
}

pub(super) fn tan(x: f64) -> Wide {
    if x.abs() < LINEAR {
        return Wide::of(x);
    }
    let (sin, cos) = sin_cos(x);
    (sin / cos).into()
}

/// Returns the angle of (x, y), of which neither is so small that products with it underflow:
/// float64's, and what the rotation by it leaves.
fn angle(y: DoubleDouble, x: DoubleDouble) -> DoubleDouble {
    let start = DoubleDouble::of(y.high.atan2(x.high));
    let (sin, cos) = start.sin_cos();
    let (over, under) = (y * cos - x * sin, x * cos + y * sin);
    start + over / under
}

pub(super) fn atan(x: f64) -> Wide {
    atan2(x, 1.0)
}

/// Returns the angle of y and x other than 0.
pub(super) fn atan2(y: f64, x: f64) -> Wide {
    let exponent = |x: f64| ((x.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    // Both are scaled by powers of two, to be near 1.
    let (down, across) = (exponent(y), exponent(x));
    let dy = DoubleDouble::of(y).scaled(-down);
    let dx = DoubleDouble::of(x).scaled(-across);
    let steep = down - across;
    if steep > 60 {
        // pi/2 - x/y
        let quotient = (dx / dy).scaled((-steep).max(-500));
        let half = PI.scaled(-1);
        let half = if y < 0.0 { -half } else { half };
        return (half - quotient).into();
    }
    if steep >= -60 {
        return angle(dy.scaled(steep), dx).into();
    }
    let quotient = dy / dx;
    if x > 0.0 {
        return Wide { value: quotient, exponent: steep };
    }
    let straight = if y < 0.0 { -PI } else { PI };
    (straight + quotient.scaled(steep.max(-500))).into()
}

/// Returns `sqrt(1 - x^2)`.
fn other_side(x: f64) -> DoubleDouble {
    (two_sum(1.0, -x) * two_sum(1.0, x)).sqrt()
}

pub(super) fn asin(x: f64) -> Wide {
    if x.abs() < LINEAR { Wide::of(x) } else { angle(DoubleDouble::of(x), other_side(x)).into() }
}

pub(super) fn acos(x: f64) -> Wide {
    angle(other_side(x), DoubleDouble::of(x)).into()
}

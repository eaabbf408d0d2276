//! Quotients and square roots that lie as near to the middle of two floats as any do, so that one
//! that is not computed to twice a float's bits is rounded to the wrong side about every other time.

use super::inputs::Random;

/// The multiplicative inverse of an odd number modulo 2^32, by Newton's iteration: each step doubles
/// the low bits that are right, of which every odd number is its own inverse's first three.
fn inverse(odd: u32) -> u32 {
    (0..4).fold(odd, |x, _| x.wrapping_mul(2u32.wrapping_sub(odd.wrapping_mul(x))))
}

fn scaled(significand: u64, exponent: i32) -> f32 {
    (significand as f64 * 2f64.powi(exponent)) as f32
}

/// Dividends and divisors.
///
/// For an odd divisor b of 24 bits and d = 1 or -1, the m with m b = -d modulo 2^25 is odd; where it
/// has 25 bits, it is the middle of two floats, and a = (m b + d) / 2^25 is a float: a / b misses
/// m / 2^25 by d / b alone. Every exponent is tried, since drivers divide by way of a reciprocal,
/// which may be subnormal.
pub(super) fn quotients() -> Vec<[f32; 2]> {
    let mut random = Random::new(1);
    let mut pairs = Vec::new();
    for number in 0..2048u32 {
        let divisor = (random.next() >> 8) | 0x0080_0001;
        for d in [1i64, -1] {
            let middle = inverse(divisor).wrapping_mul((-d) as u32) & 0x01ff_ffff;
            if middle < 1 << 24 {
                continue;
            }
            let product = u64::from(middle) * u64::from(divisor);
            let dividend = product.wrapping_add_signed(d) >> 25;
            // The quotient's exponent, and the divisor's.
            let (times, of) = ((number * 7 % 201) as i32 - 100, (number % 244) as i32 - 140);
            let pair =
                [scaled(dividend, (of + times).clamp(-140, 103)), scaled(divisor.into(), of)];
            if (pair[0] / pair[1]).is_normal() {
                pairs.push(pair);
            }
        }
    }
    pairs
}

/// Radicands.
///
/// The root of X = s^2 + s + d is s + 1/2, the middle of two floats, but for about (d - 1/4) / 2s. It
/// is a float if X is a multiple of 2^23 or 2^24, which Newton's iteration modulo powers of 2
/// (Hensel's lemma) finds for every even d from either root modulo 2.
pub(super) fn roots() -> Vec<f32> {
    let mut radicands = Vec::new();
    for d in (-1024i64..1024).step_by(2) {
        for (bits, start) in [(23, 0), (23, 1), (24, 0), (24, 1)] {
            let value = |s: u32| s.wrapping_mul(s).wrapping_add(s).wrapping_add(d as u32);
            let step = |s: u32| {
                let slope = s.wrapping_mul(2).wrapping_add(1);
                s.wrapping_sub(value(s).wrapping_mul(inverse(slope)))
            };
            let s = u64::from((0..5).fold(start, |s, _| step(s)) & ((1 << bits) - 1));
            // The roots modulo 2^23 are those with the next bit either way.
            let s = s | 1 << 23;
            let square = (s * s + s).wrapping_add_signed(d);
            let radicand = square >> bits;
            if square.trailing_zeros() >= bits && radicand < 1 << 24 {
                let even = (d as i32 / 2 % 37) * 2;
                radicands.push(scaled(radicand, bits as i32 + even));
            }
        }
    }
    radicands
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The distance from the nearest middle of two floats, in units of the last place.
    fn from_the_middle(exact: f64, rounded: f32) -> f64 {
        let ulp = f64::from(rounded.abs().to_bits().wrapping_add(1).min(0x7f7f_ffff));
        let next = f64::from(f32::from_bits(ulp as u32)) - f64::from(rounded.abs());
        (0.5 - ((exact - f64::from(rounded)) / next).abs()).abs()
    }

    #[test]
    fn quotients_are_near_the_middle() {
        let pairs = quotients();
        assert!(pairs.len() > 1500, "{}", pairs.len());
        for [a, b] in pairs {
            let far = from_the_middle(f64::from(a) / f64::from(b), a / b);
            assert!(far < 1e-6, "{a:e} / {b:e}: {far}");
        }
    }

    #[test]
    fn roots_are_near_the_middle() {
        let radicands = roots();
        assert!(radicands.len() > 1000, "{}", radicands.len());
        for x in radicands {
            let far = from_the_middle(f64::from(x).sqrt(), x.sqrt());
            assert!(far < 1e-4, "sqrt({x:e}): {far}");
        }
    }

    /// What drivers do: a product with the reciprocal, or with the inverse of the root.
    #[test]
    fn what_is_nearly_right_is_found_out() {
        let wrong = quotients().iter().filter(|[a, b]| a * (1.0 / b) != a / b).count();
        assert!(wrong > 300, "{wrong}");
        let wrong = roots().iter().filter(|&&x| x * (1.0 / x.sqrt()) != x.sqrt()).count();
        assert!(wrong > 300, "{wrong}");
        // With 48 bits, which an uncorrected pair of floats has.
        let cut = |x: f64| f64::from_bits(x.to_bits() & !0x1f);
        let short = |[a, b]: &&[f32; 2]| cut(f64::from(*a) / f64::from(*b)) as f32 != a / b;
        assert!(quotients().iter().filter(short).count() > 0);
    }
}

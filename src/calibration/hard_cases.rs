//! Makes operands whose quotients, reciprocals and square roots are hard to round.
//!
//! Most lie as near to the middle of two floats as any do, so that a result that is not computed to
//! twice a float's bits is rounded to the wrong side about every other time. The others are those
//! where floats change their nature. [`Context::calibrate`](crate::Context::calibrate) tries these
//! on an adapter; they are public for others that have to judge how it computes.

use super::inputs::{self, Random};

/// Returns pairs of a dividend and a divisor: hard ones, and all pairs of values where floats
/// change their nature (zeros, ones, the smallest and the largest floats, infinities, NaN).
pub fn quotients() -> Vec<[f32; 2]> {
    let special = inputs::pairs(&inputs::special());
    let boundaries = inputs::pairs(&inputs::boundaries());
    hard_quotients().into_iter().chain(special).chain(boundaries).collect()
}

/// Returns divisors of 1: hard ones, and values where floats change their nature. A driver may have
/// instructions for reciprocals, by which it replaces a quotient of 1 and no other.
pub fn reciprocals() -> Vec<f32> {
    let special = inputs::boundaries().into_iter().chain(inputs::special());
    hard_reciprocals().into_iter().chain(special).collect()
}

/// Returns radicands: hard ones, and values where floats change their nature.
pub fn square_roots() -> Vec<f32> {
    hard_radicands().into_iter().chain(inputs::special()).collect()
}

/// Returns the special values alone, each with either sign: zeros, neighbours of 1, the largest
/// floats with a half and with odd integers, infinities and NaN.
pub fn special() -> Vec<f32> {
    inputs::special()
}

/// Returns the multiplicative inverse of an odd number modulo 2^32, by Newton's iteration. Each
/// step doubles the low bits that are right, and an odd number is its own inverse modulo 8.
fn inverse(odd: u32) -> u32 {
    (0..4).fold(odd, |x, _| x.wrapping_mul(2u32.wrapping_sub(odd.wrapping_mul(x))))
}

fn scaled(significand: u64, exponent: i32) -> f32 {
    (significand as f64 * 2f64.powi(exponent)) as f32
}

/// Returns dividends and divisors.
///
/// For an odd divisor b of 24 bits and d = 1 or -1, the m with m b = -d modulo 2^25 is odd; where
/// it has 25 bits, it is the middle of two floats, and a = (m b + d) / 2^25 is a float: a / b
/// misses m / 2^25 by d / b alone. Every exponent is tried, since drivers divide by way of a
/// reciprocal, which may be subnormal.
fn hard_quotients() -> Vec<[f32; 2]> {
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
            // These are the quotient's exponent and the divisor's.
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

/// The significands b of 24 bits for which an odd m of 25 bits has |m b - 2^48| <= 64, all of them:
/// 1 / b misses m / 2^48, the middle of two floats, by at most 64 / 2^48 b. A test tries all b.
const DIVISORS: [u32; 86] = [
    0x0080_f686,
    0x0081_21ff,
    0x0081_64b0,
    0x0084_0415,
    0x0085_018f,
    0x0086_908f,
    0x0086_9913,
    0x0087_71e7,
    0x0087_cc45,
    0x0089_48cf,
    0x0089_4ff9,
    0x0089_bcb0,
    0x008a_e8f1,
    0x008c_1284,
    0x008e_fa43,
    0x0090_9909,
    0x0090_ce81,
    0x0091_2240,
    0x0092_abab,
    0x0094_f105,
    0x0096_dbcf,
    0x0098_6799,
    0x0099_791b,
    0x009b_eaaf,
    0x009d_b140,
    0x009f_1fe9,
    0x00a0_13d1,
    0x00a0_ddd1,
    0x00a1_4925,
    0x00a2_4cf7,
    0x00a5_7997,
    0x00a6_449f,
    0x00a7_6b84,
    0x00aa_aaac,
    0x00ab_27b2,
    0x00ab_8be1,
    0x00ad_1367,
    0x00ad_1c3e,
    0x00ad_8f69,
    0x00ae_4f88,
    0x00b1_7931,
    0x00b1_f990,
    0x00b3_20b4,
    0x00b7_6f40,
    0x00b8_4a93,
    0x00b8_d32a,
    0x00c1_00c1,
    0x00c2_3dc3,
    0x00c6_6730,
    0x00c6_98d0,
    0x00ca_5940,
    0x00cc_ccd0,
    0x00cf_7d05,
    0x00cf_ba38,
    0x00d0_0340,
    0x00d0_ac19,
    0x00d0_dd0d,
    0x00d2_5d25,
    0x00d4_3d43,
    0x00dc_23dd,
    0x00de_86a9,
    0x00de_9bd0,
    0x00e0_5475,
    0x00e1_368b,
    0x00e2_5473,
    0x00e3_8e40,
    0x00e4_01c8,
    0x00e5_8fd0,
    0x00e8_ba34,
    0x00ec_63ba,
    0x00ec_7ec7,
    0x00ed_ca28,
    0x00ee_4bc5,
    0x00f0_0ff1,
    0x00f0_2a3b,
    0x00f0_ff0f,
    0x00f1_8c03,
    0x00fc_3237,
    0x00fc_62e2,
    0x00fc_9b37,
    0x00fe_01ff,
    0x00ff_44fe,
    0x00ff_fff9,
    0x00ff_fffb,
    0x00ff_fffd,
    0x00ff_ffff,
];

/// Returns divisors of 1: the hardest ones at exponents over the whole range, and those of the
/// quotients.
fn hard_reciprocals() -> Vec<f32> {
    let sized = |exponent| DIVISORS.iter().map(move |&b| scaled(b.into(), exponent));
    let hardest = (-146..=102).step_by(31).flat_map(sized);
    let signed = hardest.zip([1.0, -1.0].into_iter().cycle()).map(|(b, sign)| b * sign);
    signed.chain(hard_quotients().into_iter().map(|[_, b]| b)).collect()
}

/// Returns radicands.
///
/// The root of X = s^2 + s + d is s + 1/2, the middle of two floats, but for about (d - 1/4) / 2s.
/// It is a float if X is a multiple of 2^23 or 2^24, which Newton's iteration modulo powers of 2
/// (Hensel's lemma) finds for every even d from either root modulo 2.
fn hard_radicands() -> Vec<f32> {
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

    /// Returns the distance from the nearest middle of two floats, in units of the last place.
    fn from_the_middle(exact: f64, rounded: f32) -> f64 {
        let ulp = f64::from(rounded.abs().to_bits().wrapping_add(1).min(0x7f7f_ffff));
        let next = f64::from(f32::from_bits(ulp as u32)) - f64::from(rounded.abs());
        (0.5 - ((exact - f64::from(rounded)) / next).abs()).abs()
    }

    #[test]
    fn quotients_are_near_the_middle() {
        let pairs = hard_quotients();
        assert!(pairs.len() > 1500, "{}", pairs.len());
        for [a, b] in pairs {
            let far = from_the_middle(f64::from(a) / f64::from(b), a / b);
            assert!(far < 1e-6, "{a:e} / {b:e}: {far}");
        }
    }

    #[test]
    fn reciprocals_are_near_the_middle() {
        let is_near = |b: &u32| {
            let b = u64::from(*b);
            let odd = ((1 << 48) / b) | 1;
            [odd, odd - 2].iter().any(|m| (m * b).abs_diff(1 << 48) <= 64)
        };
        assert!(((1 << 23) + 1..1 << 24).filter(is_near).eq(DIVISORS));
        let hardest = &hard_reciprocals()[..DIVISORS.len() * 9];
        for b in hardest.iter().filter(|b| b.recip().is_normal()) {
            let far = from_the_middle(f64::from(*b).recip(), b.recip());
            assert!(far < 1e-5, "1 / {b:e}: {far}");
        }
        assert!(hard_reciprocals().iter().all(|b| b.is_normal()));
    }

    #[test]
    fn roots_are_near_the_middle() {
        let radicands = hard_radicands();
        assert!(radicands.len() > 1000, "{}", radicands.len());
        for x in radicands {
            let far = from_the_middle(f64::from(x).sqrt(), x.sqrt());
            assert!(far < 1e-4, "sqrt({x:e}): {far}");
        }
    }

    /// Drivers compute a product with the reciprocal, or with the inverse of the root.
    #[test]
    fn nearly_right_results_are_found_out() {
        let wrong = hard_quotients().iter().filter(|[a, b]| a * (1.0 / b) != a / b).count();
        assert!(wrong > 300, "{wrong}");
        let wrong = hard_radicands().iter().filter(|&&x| x * (1.0 / x.sqrt()) != x.sqrt()).count();
        assert!(wrong > 300, "{wrong}");
        // A reciprocal that is rounded up where it lies just below the middle, or down above it.
        let cut = |b: f32| (f64::from(b).recip() * (1.0 + 4e-12)) as f32;
        assert!(hard_reciprocals().iter().filter(|b| cut(**b) != b.recip()).count() > 0);
        let cut = |b: f32| (f64::from(b).recip() * (1.0 - 4e-12)) as f32;
        assert!(hard_reciprocals().iter().filter(|b| cut(**b) != b.recip()).count() > 0);
        // An uncorrected pair of floats has 48 bits.
        let cut = |x: f64| f64::from_bits(x.to_bits() & !0x1f);
        let short = |[a, b]: &&[f32; 2]| cut(f64::from(*a) / f64::from(*b)) as f32 != a / b;
        assert!(quotients().iter().filter(short).count() > 0);
    }
}

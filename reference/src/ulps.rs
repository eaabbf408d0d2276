//! Measures how far a float32 result is from the true value.

/// The biased exponent of the smallest normal float32 number, in float64's format.
const SMALLEST_NORMAL_EXPONENT: u64 = 1023 - 126;
/// The same of the largest one.
const LARGEST_EXPONENT: u64 = 1023 + 127;
/// 2^128, where float32 would go on if it could.
const BEYOND: f64 = 340_282_366_920_938_463_463_374_607_431_768_211_456.0;
/// The largest subnormal number of float32.
const LARGEST_SUBNORMAL: f64 = f32::from_bits(0x007f_ffff) as f64;

/// Returns the error of `got` in ULP of the true value: in the spacing of float32 numbers at
/// `|truth|`, where `truth` itself lies between two of them. Both NaN is 0, one of them NaN is
/// infinite.
///
/// An infinite `got` stands for all numbers from 2^128 on, and a zero, of either sign, for all that
/// [`may_be_flushed`], because an adapter that flushes makes zeros of them: the error is the distance
/// of the nearest of these, in the second case that of the largest subnormal number. So a result
/// that overflows or is flushed is right where it should be, and a rounding error across the border
/// counts by its size. The caller compares the signs of zeros.
#[inline]
#[must_use]
pub fn ulps(got: f32, truth: f64) -> f64 {
    let exponent = (truth.to_bits() >> 52) & 0x7ff;
    let in_range = (SMALLEST_NORMAL_EXPONENT..=LARGEST_EXPONENT).contains(&exponent);
    if in_range && got.is_finite() && got != 0.0 {
        // The spacing is 2^(exponent - 23); this is one by it.
        let steps = f64::from_bits((2 * 1023 + 23 - exponent) << 52);
        return (f64::from(got) - truth).abs() * steps;
    }
    at_the_border(got, truth)
}

/// Returns the same, where one of the two is special, subnormal or out of range.
#[cold]
fn at_the_border(got: f32, truth: f64) -> f64 {
    if got.is_nan() || truth.is_nan() {
        return if got.is_nan() && truth.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if got.is_infinite() {
        let infinity = f64::from(got);
        let beyond = BEYOND.copysign(infinity);
        let same_side = truth.is_sign_positive() == infinity.is_sign_positive();
        let is_beyond = same_side && truth.abs() >= BEYOND;
        return if is_beyond { 0.0 } else { (beyond - truth).abs() / spacing(truth) };
    }
    if truth.is_infinite() {
        return f64::INFINITY;
    }
    if got == 0.0 {
        if may_be_flushed(truth) {
            return 0.0;
        }
        return (truth.abs() - LARGEST_SUBNORMAL).max(0.0) / spacing(truth);
    }
    (f64::from(got) - truth).abs() / spacing(truth)
}

/// Returns the distance of neighbours at `|truth|`.
fn spacing(truth: f64) -> f64 {
    let exponent = (truth.to_bits() >> 52) & 0x7ff;
    let exponent = exponent.clamp(SMALLEST_NORMAL_EXPONENT, LARGEST_EXPONENT);
    f64::from_bits((exponent - 23) << 52)
}

/// Returns whether an adapter that flushes makes a zero of this true value: whether it is below
/// 2^-126 once it is rounded to 24 bits, however small its exponent. Processors flush by that and
/// not by the result, which may be 2^-126 where the spacing is that of subnormal numbers (IEEE 754,
/// section 7.5: tininess after rounding).
#[inline]
#[must_use]
pub fn may_be_flushed(truth: f64) -> bool {
    // Half of the spacing below 2^-126 that an exponent of -127 would have.
    const HALF: f64 = f64::from_bits((1023 - 151) << 52);
    truth.abs() < f64::from(f32::MIN_POSITIVE) - HALF
}

/// Returns the operand as an adapter that flushes subnormals sees it: those become zeros of x's
/// sign.
///
/// An adapter may do so or not, and both results are right: that of `x`, and that of this.
#[inline]
#[must_use]
pub fn flushed(x: f64) -> f64 {
    if x.abs() < f64::from(f32::MIN_POSITIVE) { 0f64.copysign(x) } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TINY: f32 = f32::MIN_POSITIVE;
    /// The spacing of subnormal numbers.
    const MINIMUM: f64 = f32::from_bits(1) as f64;

    #[test]
    fn in_the_spacing_of_the_truth() {
        assert_eq!(ulps(1.0, 1.0), 0.0);
        assert_eq!(ulps(1.0 + f32::EPSILON, 1.0), 1.0);
        assert_eq!(ulps(-1.0, -1.0 - f64::from(f32::EPSILON) / 4.0), 0.25);
        // Below 1 the spacing is half of that above.
        assert_eq!(ulps(1.0, 1.0 - f64::from(f32::EPSILON)), 2.0);
        assert_eq!(ulps(f32::MAX, f64::from(f32::MAX.next_down())), 1.0);
        assert_eq!(ulps(TINY, f64::from(TINY.next_up())), 1.0);
        assert_eq!(ulps(1.0, -1.0), f64::from(1 << 24));
    }

    #[test]
    fn flushed_results_are_right_and_normal_ones_are_not() {
        let subnormal = f32::from_bits(0x1000);
        assert_eq!(ulps(0.0, f64::from(subnormal)), 0.0);
        assert_eq!(ulps(subnormal, f64::from(subnormal)), 0.0);
        assert_eq!(ulps(f32::from_bits(0x1003), f64::from(subnormal)), 3.0);
        assert_eq!(ulps(TINY, f64::from(TINY) - MINIMUM / 2.0), 0.5);
        assert_eq!(ulps(0.0, f64::from(TINY) - MINIMUM / 2.0), 0.0);
        assert_eq!(ulps(0.0, f64::from(TINY) - MINIMUM / 4.0), 0.75);
        assert!(may_be_flushed(f64::from(TINY) - MINIMUM * 0.2500001));
        assert!(!may_be_flushed(f64::from(TINY) - MINIMUM / 4.0));
        assert_eq!(ulps(0.0, f64::from(TINY)), 1.0);
        assert_eq!(ulps(-0.0, 2.0 * f64::from(TINY)), f64::from((1 << 23) + 1) / 2.0);
        assert_eq!(ulps(0.0, 1e-60), 0.0);
        assert_eq!(ulps(f32::from_bits(2), 0.0), 2.0);
        assert_eq!(ulps(1e-38, 1e-60), f64::from(1e-38f32) / MINIMUM - 1e-60 / MINIMUM);
    }

    #[test]
    fn overflow_begins_at_the_next_power() {
        let last = 2f64.powi(104);
        assert_eq!(BEYOND, 2f64.powi(128));
        assert_eq!(ulps(f32::INFINITY, f64::INFINITY), 0.0);
        assert_eq!(ulps(f32::INFINITY, BEYOND), 0.0);
        assert_eq!(ulps(f32::INFINITY, 1e300), 0.0);
        assert_eq!(ulps(f32::INFINITY, BEYOND - last / 2.0), 0.5);
        assert_eq!(ulps(f32::INFINITY, f64::from(f32::MAX)), 1.0);
        assert_eq!(ulps(f32::MAX, BEYOND), 1.0);
        assert_eq!(ulps(f32::MAX, f64::INFINITY), f64::INFINITY);
        assert_eq!(ulps(f32::NEG_INFINITY, f64::INFINITY), f64::INFINITY);
        assert!(ulps(f32::NEG_INFINITY, BEYOND) >= f64::from(1 << 25));
        assert!(ulps(f32::INFINITY, 1.0) > 1e30);
        assert!(ulps(0.0, 1e300) > 1e30);
    }

    #[test]
    fn nan_is_only_nan() {
        assert_eq!(ulps(f32::NAN, f64::NAN), 0.0);
        for other in [0.0, 1.0, f64::INFINITY] {
            assert_eq!(ulps(f32::NAN, other), f64::INFINITY);
            assert_eq!(ulps(other as f32, f64::NAN), f64::INFINITY);
        }
    }

    #[test]
    fn what_is_flushed() {
        assert!(flushed(-1e-40).is_sign_negative() && flushed(-1e-40) == 0.0);
        assert_eq!(flushed(f64::from(TINY)), f64::from(TINY));
        assert!(flushed(f64::NAN).is_nan());
    }
}

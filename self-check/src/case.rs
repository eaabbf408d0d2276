//! Defines an assumption: cases of operands, the operations on them, and the results that they must
//! give.

use indim::{Builder, ElementType, Op, Result};

/// A property that results rest on and that no kernel can enforce.
pub(crate) struct Assumption {
    pub(crate) text: &'static str,
    /// True if the assumption is about the adapter's own quotients and roots, which a context takes
    /// only if they are right.
    pub(crate) native: bool,
    /// True if the assumption is about F64, which not every device has.
    pub(crate) double: bool,
    pub(crate) cases: &'static [Case],
}

/// One operation, or some in one kernel, on operands of these types.
///
/// A row has 32 bits for each operand. For an operand of 64 bits they are the high half, and
/// [`spread`] gives the low one.
pub(crate) struct Case {
    pub(crate) operation: &'static str,
    pub(crate) types: &'static [ElementType],
    pub(crate) operands: fn() -> Vec<[u32; 2]>,
    pub(crate) build: fn(&mut Builder, &[Op]) -> Result<Op>,
    pub(crate) expected: fn(&[u32; 2]) -> Expected,
}

/// The result that a row of operands must give.
#[derive(Debug)]
pub(crate) enum Expected {
    /// The result has these 32 bits.
    Bits(u32),
    /// The result has these 64 bits.
    Long(u64),
    /// The result is this value rounded to an f32. Any NaN is right for a NaN, and a subnormal may
    /// be flushed to zero.
    Float(f64),
    /// The result is this f64. Any NaN is right for a NaN, and a subnormal may be flushed to zero.
    Double(f64),
    /// The result is an f32 within this many units in the last place of this value.
    Within(f64, f32),
}

/// Returns the bits of a 64-bit operand, given the high half from its row.
pub(crate) fn spread(high: u32) -> u64 {
    let low = u64::from(high).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    u64::from(high) << 32 | low
}

impl Expected {
    /// Returns whether a result with these bits is right; one of 32 bits uses only the low half.
    pub(crate) fn is_met(&self, got: u64) -> bool {
        let low = got as u32;
        match *self {
            Self::Bits(bits) => low == bits,
            Self::Long(bits) => got == bits,
            Self::Float(exact) => is_correctly_rounded(f32::from_bits(low), exact),
            Self::Double(exact) => {
                let flushed = exact.is_subnormal() && got == exact.to_bits() & 1 << 63;
                let both_nan = exact.is_nan() && f64::from_bits(got).is_nan();
                got == exact.to_bits() || both_nan || flushed
            }
            Self::Within(exact, ulps) => {
                let (got, nearest) = (f32::from_bits(low), exact as f32);
                let normal = f64::from(nearest.abs().max(f32::MIN_POSITIVE));
                // The spacing of floats at the exact value.
                let spacing = 2f64.powi(normal.log2().floor() as i32 - 23);
                // The distance to a value that overflows is infinite and meaningless.
                let near = nearest.is_finite()
                    && (f64::from(got) - exact).abs() <= f64::from(ulps) * spacing;
                near || is_correctly_rounded(got, exact)
            }
        }
    }

    /// Returns the bits of the result that is expected, or of the f32 nearest to it.
    pub(crate) fn bits(&self) -> u64 {
        match *self {
            Self::Bits(bits) => u64::from(bits),
            Self::Long(bits) => bits,
            Self::Double(value) => value.to_bits(),
            Self::Float(exact) | Self::Within(exact, _) => u64::from((exact as f32).to_bits()),
        }
    }

    /// Returns the tolerance of a result in units in the last place.
    pub(crate) fn tolerance(&self) -> f32 {
        match *self {
            Self::Within(_, ulps) => ulps,
            _ => 0.0,
        }
    }
}

/// Returns whether a result is the exact one, rounded once; a subnormal one may be flushed to zero.
fn is_correctly_rounded(got: f32, exact: f64) -> bool {
    let nearest = exact as f32;
    let flushed = exact.abs() < f64::from(f32::MIN_POSITIVE)
        && got == 0.0
        && got.is_sign_negative() == exact.is_sign_negative();
    got.to_bits() == nearest.to_bits() || (got.is_nan() && nearest.is_nan()) || flushed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_judged() {
        let bits = |x: f32| u64::from(x.to_bits());
        assert!(Expected::Float(1.0).is_met(bits(1.0)));
        assert!(!Expected::Float(1.0).is_met(bits(1.0) + 1));
        assert!(!Expected::Float(0.0).is_met(bits(-0.0)));
        assert!(Expected::Double(0.1).is_met(0.1f64.to_bits()));
        assert!(!Expected::Double(0.1).is_met(0.1f64.to_bits() + 1));
        assert!(Expected::Double(-1e-310).is_met((-0f64).to_bits()));
        assert!(!Expected::Double(-1e-310).is_met(0));
        assert!(Expected::Double(f64::NAN).is_met(u64::MAX));
        assert!(!Expected::Long(1 << 32).is_met(0));
        assert!(Expected::Float(f64::NAN).is_met(0xffff_ffff));
        assert!(!Expected::Float(f64::NAN).is_met(0));
        assert!(Expected::Float(1e-40).is_met(0) && !Expected::Float(1e-40).is_met(1 << 31));
        assert!(!Expected::Bits(0x7fc0_0000).is_met(0x7fc0_0001));
        let third = Expected::Within(1.0 / 3.0, 1.0);
        let nearest = third.bits();
        // A third is rounded up.
        assert!(third.is_met(nearest) && third.is_met(nearest - 1));
        assert!(!third.is_met(nearest + 1) && !third.is_met(bits(f32::NAN)));
        assert!(Expected::Within(1e300, 1.0).is_met(bits(f32::INFINITY)));
        assert!(Expected::Within(f64::INFINITY, 1.0).is_met(bits(f32::INFINITY)));
        for exact in [1e300, f64::INFINITY] {
            for got in [0.0, 1.0, f32::MAX, f32::NEG_INFINITY, f32::NAN] {
                assert!(!Expected::Within(exact, 1.0).is_met(bits(got)), "{got} for {exact}");
            }
        }
        assert!(!Expected::Within(-1e300, 1.0).is_met(bits(f32::INFINITY)));
        assert!(!Expected::Within(f64::NAN, 1.0).is_met(0));
        assert!(Expected::Within(f64::NAN, 1.0).is_met(!0));
        assert!(!Expected::Within(1.0, 1.0).is_met(bits(f32::INFINITY)));
    }
}

//! Judges a result by its error in ULP, or as a mistake of another sort.
//!
//! A ULP is the spacing of f32 at the true value, also where that is subnormal. Subnormals may be
//! flushed to zero on their way in and out, since XLA's CPU backend and many drivers do that; the
//! sign stays.

use indim_reference::ulps;
use serde::{Deserialize, Serialize};

/// From this many ULP on, an infinity in place of a number, or the reverse, cannot come from
/// rounding.
const OVERFLOW_ULPS: f64 = 8.0;

/// The largest f32 is less.
const BEYOND: f64 = f32::MAX as f64;

/// The verdict on one result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Verdict {
    /// Its distance from the true value in ULP.
    Error(f64),
    /// NaN where a number is expected or the reverse, a wrong infinity, or the wrong sign of a
    /// zero.
    Mistake,
}

impl Verdict {
    /// Returns whether no verdict is better.
    fn is_perfect(self) -> bool {
        self == Self::Error(0.0)
    }

    /// Returns the better of two: any error is better than a mistake.
    pub fn or_better(self, other: Self) -> Self {
        match (self, other) {
            (Self::Error(a), Self::Error(b)) => Self::Error(a.min(b)),
            (Self::Mistake, other) => other,
            (this, Self::Mistake) => this,
        }
    }
}

/// Judges a float against the true value.
pub fn judge(got: f32, truth: f64) -> Verdict {
    let error = ulps(got, truth);
    // If an infinity or a NaN is wrong, the distance is infinite, or far larger than any rounding
    // error.
    let special = !got.is_finite() || truth.abs() >= BEYOND || truth.is_nan();
    let no_number = error.is_infinite() || special && error >= OVERFLOW_ULPS;
    let zero = got == 0.0 && truth.abs() < f64::from(f32::MIN_POSITIVE);
    let wrong_sign = zero && got.is_sign_negative() != truth.is_sign_negative();
    if no_number || wrong_sign { Verdict::Mistake } else { Verdict::Error(error) }
}

/// Returns a float with its subnormals flushed to zero.
pub fn flushed(bits: u32) -> u32 {
    if bits & 0x7f80_0000 == 0 { bits & 0x8000_0000 } else { bits }
}

/// Returns the operands as they are, and with subnormals flushed, where that changes them.
pub fn variants(operands: [u32; 2], float: bool) -> impl Iterator<Item = [u32; 2]> {
    let [a, b] = operands;
    let (fa, fb) = if float { (flushed(a), flushed(b)) } else { (a, b) };
    let others = [[fa, fb], [fa, b], [a, fb]];
    std::iter::once(operands).chain(others.into_iter().filter(move |&other| other != operands))
}

/// Returns the best verdict over the variants of the operands.
pub fn judge_flushing(
    operands: [u32; 2],
    float: bool,
    got: u32,
    truth: impl Fn([u32; 2]) -> f64,
) -> Verdict {
    let mut best = Verdict::Mistake;
    for operands in variants(operands, float) {
        best = best.or_better(judge(f32::from_bits(got), truth(operands)));
        if best.is_perfect() {
            break;
        }
    }
    best
}

/// One result, with the operands that it is of; floats as bits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Case {
    /// The operands' bits; the second is 0 for a unary operation.
    pub operands: [u64; 2],
    /// The result's bits.
    pub got: u64,
    /// The true value, rounded to f64; `None` for a NaN, which JSON has not, and for infinities.
    pub truth: Option<f64>,
}

impl Case {
    /// Returns the case of these operands.
    pub fn new<T: Into<u64>>(operands: [T; 2], got: T, truth: f64) -> Self {
        let truth = truth.is_finite().then_some(truth);
        Self { operands: operands.map(Into::into), got: got.into(), truth }
    }
}

/// The findings so far about one function in one column.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// Operands, or pairs of them, that were judged.
    pub inputs: u64,
    /// The largest error in ULP.
    pub max_ulp: f64,
    /// The case of the largest error.
    pub at: Option<Case>,
    /// The largest error above the limit that is allowed as it stands; see
    /// [`limits::absolute`](indim_reference::limits::absolute).
    #[serde(default)]
    pub beside_zeros_ulp: f64,
    /// Results that are mistakes.
    pub special_mistakes: u64,
    /// The first of them.
    pub first_mistake: Option<Case>,
    /// Results that differ in some bit, where exact bits are required.
    pub not_rounded: u64,
    /// The first of them.
    pub first_not_rounded: Option<Case>,
}

impl Tally {
    /// Counts a verdict.
    pub fn add(&mut self, verdict: Verdict, case: impl FnOnce() -> Case) {
        match verdict {
            Verdict::Error(error) if error > self.max_ulp => {
                self.max_ulp = error;
                self.at = Some(case());
            }
            Verdict::Error(_) => {}
            Verdict::Mistake => {
                self.special_mistakes += 1;
                self.first_mistake.get_or_insert_with(case);
            }
        }
    }

    /// Counts a wrong result.
    pub fn add_not_rounded(&mut self, case: impl FnOnce() -> Case) {
        self.not_rounded += 1;
        self.first_not_rounded.get_or_insert_with(case);
    }

    /// Adds the findings on later inputs.
    pub fn merge(&mut self, later: Self) {
        self.inputs += later.inputs;
        if later.max_ulp > self.max_ulp {
            self.max_ulp = later.max_ulp;
            self.at = later.at;
        }
        self.beside_zeros_ulp = self.beside_zeros_ulp.max(later.beside_zeros_ulp);
        self.special_mistakes += later.special_mistakes;
        self.first_mistake = self.first_mistake.take().or(later.first_mistake);
        self.not_rounded += later.not_rounded;
        self.first_not_rounded = self.first_not_rounded.take().or(later.first_not_rounded);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The spacing of subnormal numbers, 2^-149.
    const TINY: f64 = 1.401_298_464_324_817e-45;

    fn error(got: f32, truth: f64) -> f64 {
        match judge(got, truth) {
            Verdict::Error(error) => error,
            Verdict::Mistake => panic!("{got} for {truth} is a mistake"),
        }
    }

    #[test]
    fn errors_are_in_spacings_at_the_truth() {
        assert_eq!(error(1.0, 1.0), 0.0);
        assert_eq!(error(1.0 + f32::EPSILON, 1.0), 1.0);
        assert_eq!(error(1.0 + f32::EPSILON, 1.0 + f64::from(f32::EPSILON) * 0.75), 0.25);
        // Below a power of two the spacing is half of that above.
        assert_eq!(error(1.0, 1.0 - f64::from(f32::EPSILON) / 4.0), 0.5);
        assert_eq!(error(-2.0, 2.0), 4.0 / 2f64.powi(-22));
    }

    #[test]
    fn subnormals_may_be_flushed() {
        assert_eq!(error(0.0, 1e-40), 0.0);
        assert_eq!(error(1e-40, 1e-40), error(1e-40, 1e-40));
        assert!(error(1e-40, 1e-40) < 0.5);
        assert_eq!(judge(-0.0, 1e-40), Verdict::Mistake);
        assert_eq!(error(2.0 * TINY as f32, TINY), 1.0);
        // log(2^-149) may be log(0).
        let log = |[x, _]: [u32; 2]| f64::from(f32::from_bits(x)).ln();
        let infinite = f32::NEG_INFINITY.to_bits();
        assert_eq!(judge_flushing([1, 0], true, infinite, log), Verdict::Error(0.0));
        assert_eq!(judge_flushing([0x0080_0000, 0], true, infinite, log), Verdict::Mistake);
    }

    #[test]
    fn special_values_are_exact() {
        let (inf, nan) = (f64::INFINITY, f64::NAN);
        for (got, truth) in [
            (f32::NAN, 1.0),
            (1.0, nan),
            (f32::MAX, inf),
            (f32::NEG_INFINITY, inf),
            (f32::INFINITY, 3e38),
            (0.0, -0.0),
            (-0.0, 0.0),
            (1.0, 1e300),
            (f32::NEG_INFINITY, 1e300),
        ] {
            assert_eq!(judge(got, truth), Verdict::Mistake, "{got} for {truth}");
        }
        assert_eq!(error(f32::INFINITY, 1e300), 0.0);
        assert_eq!(error(-f32::NAN, nan), 0.0);
        assert_eq!(error(f32::INFINITY, f32::MAX.into()), 1.0);
        assert_eq!(error(f32::MAX, 2f64.powi(128)), 1.0);
    }

    #[test]
    fn tallies_merge_in_order() {
        let case = |x: u32| move || Case::new([x, 0], 0, 1.0);
        let mut first = Tally { inputs: 3, ..Tally::default() };
        first.add(Verdict::Error(1.0), case(1));
        let mut later = Tally { inputs: 2, ..Tally::default() };
        later.add(Verdict::Error(1.0), case(2));
        later.add(Verdict::Mistake, case(3));
        first.merge(later);
        assert_eq!((first.inputs, first.special_mistakes), (5, 1));
        assert_eq!(first.at.unwrap().operands, [1, 0]);
        assert_eq!(first.first_mistake.unwrap().operands, [3, 0]);
    }
}

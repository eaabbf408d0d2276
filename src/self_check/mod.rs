//! [`Context::self_check`]: whether an adapter computes as every result here rests on it.
//!
//! WGSL promises less than XLA does, and drivers differ. What is not guarded against is assumed
//! ([`assumptions`] has the list); the check runs this crate's own operations on a few thousand
//! operands for each assumption and compares with the CPU. [`division`] does the same for quotients
//! and square roots when a context is made, because there is another way to compute these.

mod assumptions;
mod division;
mod half;
mod hard;
mod inputs;
mod truths;
mod wide;

use std::fmt;

use crate::compile::limits::{Division, Half, PlanLimits};
use crate::device::array::AnyArray;
use crate::device::context::Context;
use crate::graph::builder::{Builder, Op};
use crate::graph::computation::Computation;
use crate::semantics::element::{ElementType, Scalar};
use crate::semantics::error::{DeviceError, Error, Result};
use crate::semantics::literal::Literal;
use crate::semantics::precision::Precision;

use assumptions::{ASSUMPTIONS, Assumption, Case, Want};

/// Chooses how a context computes quotients, square roots and F16, where its options leave it open.
pub(crate) async fn calibrate(context: &Context) {
    let settings = &context.inner.settings;
    if !settings.is_calibrated() {
        let chosen = division::choose(context).await;
        let half = match settings.requested_half {
            Some(half) => half,
            None => half::choose(context).await,
        };
        settings.set_calibration(chosen, half);
    }
}

/// What [`Context::self_check`] found.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SelfCheck {
    /// One for each assumption.
    pub findings: Vec<Finding>,
    /// How quotients are computed in this context.
    pub division: Division,
    /// How square roots are.
    pub square_root: Division,
    /// What F16 is added and multiplied in.
    pub half: Half,
}

/// What was found of one assumption.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Finding {
    /// What is assumed.
    pub assumption: &'static str,
    /// Whether results rest on it. They do not rest on native quotients and roots, in whose place
    /// there are others.
    pub needed: bool,
    /// Whether it holds.
    pub outcome: Outcome,
}

/// Whether an assumption holds.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Outcome {
    /// Every operand that was tried gave what it should.
    Holds,
    /// One did not.
    Broken(Counterexample),
    /// It could not be tried.
    Unanswered(String),
}

/// The first operands, in an order of no meaning, that show an assumption to be wrong.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Counterexample {
    /// What was computed, of operands `x` and `y`.
    pub operation: &'static str,
    /// The operands.
    pub operands: Vec<Scalar>,
    /// What came out.
    pub got: Scalar,
    /// What should have.
    pub want: Scalar,
    /// By how many units in the last place of `want` the result may differ; 0 for none.
    pub tolerance: f32,
}

impl SelfCheck {
    /// Whether all that results rest on was tried and holds.
    pub fn holds(&self) -> bool {
        self.needed().all(|f| matches!(f.outcome, Outcome::Holds))
    }

    /// What results rest on and is broken.
    pub fn broken(&self) -> impl Iterator<Item = &Finding> {
        self.needed().filter(|f| matches!(f.outcome, Outcome::Broken(_)))
    }

    /// What results rest on and could not be tried.
    pub fn unanswered(&self) -> impl Iterator<Item = &Finding> {
        self.needed().filter(|f| matches!(f.outcome, Outcome::Unanswered(_)))
    }

    fn needed(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|f| f.needed)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Holds => f.pad("holds"),
            Self::Broken(example) => write!(f, "BROKEN: {example}"),
            Self::Unanswered(why) => write!(f, "unanswered: {why}"),
        }
    }
}

impl fmt::Display for Counterexample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.operation)?;
        for (name, operand) in ["x", "y"].iter().zip(&self.operands) {
            write!(f, ", {name} = {}", shown(*operand))?;
        }
        write!(f, ": {}, not {}", shown(self.got), shown(self.want))?;
        if self.tolerance > 0.0 {
            write!(f, " within {} ULP", self.tolerance)?;
        }
        Ok(())
    }
}

/// A value in as many digits as tell it from its neighbours; NaN by its bits.
fn shown(value: Scalar) -> String {
    match (value.get::<f32>(), value.get::<i32>(), value.get::<u32>(), value.get::<bool>()) {
        (Some(x), ..) if x.is_nan() => format!("NaN ({:#010x})", x.to_bits()),
        (Some(x), ..) => format!("{x:?}"),
        (_, Some(x), ..) => x.to_string(),
        (_, _, Some(x), _) => x.to_string(),
        (.., Some(x)) => x.to_string(),
        _ => String::new(),
    }
}

impl Context {
    /// Whether this adapter computes as all results rest on it, by some 60 small kernels, which are
    /// compiled on a context of their own: on Mesa's lavapipe it takes 0.3 s.
    ///
    /// What it finds broken, no setting repairs, but for quotients and square roots: of these the
    /// context takes a way that is right ([`PlanLimits::division`]), in a browser from the first
    /// check on that was awaited.
    ///
    /// # Errors
    /// [`DeviceError::Lost`]; [`DeviceError::Wgpu`] or [`DeviceError::OutOfMemory`] if the device gives
    /// not even the small buffers of a context. Whatever else it has against a kernel or an array is
    /// an [`Outcome::Unanswered`].
    pub async fn self_check(&self) -> Result<SelfCheck> {
        self.self_check_of(Precision::Accurate, false).await
    }

    /// [`Context::self_check`], waiting.
    ///
    /// # Errors
    /// As [`Context::self_check`].
    #[cfg(not(target_arch = "wasm32"))]
    pub fn self_check_blocking(&self) -> Result<SelfCheck> {
        pollster::block_on(self.self_check_of(Precision::Accurate, true))
    }

    /// The same check of operations of any precision. Relaxed ones break what accurate ones promise,
    /// which shows that the check finds something. If it may wait, the thread that polls for futures
    /// is not needed.
    #[doc(hidden)]
    pub async fn self_check_of(&self, precision: Precision, may_wait: bool) -> Result<SelfCheck> {
        self.gpu().device.lost.check()?;
        calibrate(self).await;
        let limits = self.plan_limits().clone();
        let native = PlanLimits {
            division: Some(Division::Native),
            square_root: Some(Division::Native),
            ..limits.clone()
        };
        let ours = self.beside(limits.clone(), precision)?;
        let native = self.beside(native, precision)?;
        let mut findings = Vec::with_capacity(ASSUMPTIONS.len());
        let has_f64 = self.gpu().check_supported(ElementType::F64).is_ok();
        let all = ASSUMPTIONS.iter().chain(wide::ASSUMPTIONS);
        for assumption in all.filter(|assumption| has_f64 || !assumption.double) {
            let context = if assumption.native { &native } else { &ours };
            let outcome = outcome(context, assumption, precision, may_wait).await?;
            findings.push(Finding {
                assumption: assumption.text,
                needed: !assumption.native,
                outcome,
            });
        }
        Ok(SelfCheck {
            findings,
            division: limits.division.unwrap_or_default(),
            square_root: limits.square_root.unwrap_or_default(),
            half: limits.half.unwrap_or_default(),
        })
    }
}

async fn outcome(
    context: &Context,
    assumption: &Assumption,
    precision: Precision,
    may_wait: bool,
) -> Result<Outcome> {
    if !context.gpu().computes() {
        return Ok(Outcome::Unanswered("the backend computes nothing".to_owned()));
    }
    for case in assumption.cases {
        match answer(context, case, precision, may_wait).await {
            Ok(None) => (),
            Ok(Some(example)) => return Ok(Outcome::Broken(example)),
            Err(lost @ Error::Device(DeviceError::Lost { .. })) => return Err(lost),
            Err(error) => return Ok(Outcome::Unanswered(error.to_string())),
        }
    }
    Ok(Outcome::Holds)
}

/// The first wrong result of a case.
async fn answer(
    context: &Context,
    case: &Case,
    precision: Precision,
    may_wait: bool,
) -> Result<Option<Counterexample>> {
    let rows = (case.operands)();
    let computation = computation(case, rows.len(), precision)?;
    let mut arrays = Vec::new();
    for (number, &element_type) in case.types.iter().enumerate() {
        let operand = |row: &[u32; 2]| operand(element_type, row[number]).to_le_bytes();
        let width = element_type.size_in_bytes();
        let bytes = rows.iter().flat_map(|row| operand(row).into_iter().take(width)).collect();
        arrays.push(context.upload(&Literal::new(element_type, [rows.len()], bytes)?)?);
    }
    let result = context.run(&computation, &arrays.iter().collect::<Vec<_>>())?;
    let literal = read(&result, may_wait).await?;
    let element_type = literal.element_type();
    let width = element_type.size_in_bytes();
    let words = literal
        .bytes()
        .chunks_exact(width)
        .map(|bytes| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)));
    for (row, got) in rows.iter().zip(words) {
        let want = (case.want)(row);
        if want.is_met(got) {
            continue;
        }
        let operands = case.types.iter().zip(row);
        return Ok(Some(Counterexample {
            operation: case.operation,
            operands: operands
                .map(|(&ty, &bits)| Scalar::from_bits(ty, operand(ty, bits)))
                .collect(),
            got: Scalar::from_bits(element_type, got),
            want: Scalar::from_bits(element_type, want.bits()),
            tolerance: want.tolerance(),
        }));
    }
    Ok(None)
}

/// The bits of a case's operand.
fn operand(element_type: ElementType, row: u32) -> u64 {
    if element_type.bits() == 64 { wide::spread(row) } else { u64::from(row) }
}

fn computation(case: &Case, count: usize, precision: Precision) -> Result<Computation> {
    let mut b = Builder::new();
    b.set_precision(precision);
    let operands: Vec<Op> = case
        .types
        .iter()
        .map(|&element_type| b.parameter(element_type, [count]))
        .collect::<Result<_>>()?;
    let root = (case.build)(&mut b, &operands)?;
    b.build(root)
}

/// The array's elements. Off the web it may wait for them, which spares the thread that polls.
async fn read(array: &AnyArray, may_wait: bool) -> Result<Literal> {
    #[cfg(not(target_arch = "wasm32"))]
    if may_wait {
        return array.to_literal_blocking();
    }
    let _ = may_wait;
    array.to_literal().await
}

/// Whether a result is the exact one, rounded once; a subnormal one may be flushed to zero.
fn is_rounded(got: f32, exact: f64) -> bool {
    let want = exact as f32;
    let flushed = exact.abs() < f64::from(f32::MIN_POSITIVE)
        && got == 0.0
        && got.is_sign_negative() == exact.is_sign_negative();
    got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan()) || flushed
}

impl Want {
    fn is_met(&self, got: u64) -> bool {
        // Of results of 32 bits there are no others.
        let low = got as u32;
        match *self {
            Self::Bits(bits) => low == bits,
            Self::Long(bits) => got == bits,
            Self::Float(exact) => is_rounded(f32::from_bits(low), exact),
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
                // Of what overflows, infinite itself, the distance says nothing.
                let near = nearest.is_finite()
                    && (f64::from(got) - exact).abs() <= f64::from(ulps) * spacing;
                near || is_rounded(got, exact)
            }
        }
    }

    fn bits(&self) -> u64 {
        match *self {
            Self::Bits(bits) => u64::from(bits),
            Self::Long(bits) => bits,
            Self::Double(value) => value.to_bits(),
            Self::Float(exact) | Self::Within(exact, _) => u64::from((exact as f32).to_bits()),
        }
    }

    fn tolerance(&self) -> f32 {
        match *self {
            Self::Within(_, ulps) => ulps,
            _ => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_judged() {
        let bits = |x: f32| u64::from(x.to_bits());
        assert!(Want::Float(1.0).is_met(bits(1.0)));
        assert!(!Want::Float(1.0).is_met(bits(1.0) + 1));
        assert!(!Want::Float(0.0).is_met(bits(-0.0)));
        assert!(Want::Double(0.1).is_met(0.1f64.to_bits()));
        assert!(!Want::Double(0.1).is_met(0.1f64.to_bits() + 1));
        assert!(
            Want::Double(-1e-310).is_met((-0f64).to_bits()) && !Want::Double(-1e-310).is_met(0)
        );
        assert!(Want::Double(f64::NAN).is_met(u64::MAX) && !Want::Long(1 << 32).is_met(0));
        assert!(Want::Float(f64::NAN).is_met(0xffff_ffff));
        assert!(!Want::Float(f64::NAN).is_met(0));
        assert!(Want::Float(1e-40).is_met(0) && !Want::Float(1e-40).is_met(1 << 31));
        assert!(!Want::Bits(0x7fc0_0000).is_met(0x7fc0_0001));
        let third = Want::Within(1.0 / 3.0, 1.0);
        let nearest = third.bits();
        // A third is rounded up.
        assert!(third.is_met(nearest) && third.is_met(nearest - 1));
        assert!(!third.is_met(nearest + 1) && !third.is_met(bits(f32::NAN)));
        assert!(Want::Within(1e300, 1.0).is_met(bits(f32::INFINITY)));
        assert!(Want::Within(f64::INFINITY, 1.0).is_met(bits(f32::INFINITY)));
        for exact in [1e300, f64::INFINITY] {
            for got in [0.0, 1.0, f32::MAX, f32::NEG_INFINITY, f32::NAN] {
                assert!(!Want::Within(exact, 1.0).is_met(bits(got)), "{got} for {exact}");
            }
        }
        assert!(!Want::Within(-1e300, 1.0).is_met(bits(f32::INFINITY)));
        assert!(!Want::Within(f64::NAN, 1.0).is_met(0) && Want::Within(f64::NAN, 1.0).is_met(!0));
        assert!(!Want::Within(1.0, 1.0).is_met(bits(f32::INFINITY)));
    }

    #[test]
    fn only_what_was_tried_holds() {
        let example = Counterexample {
            operation: "-x",
            operands: vec![Scalar::new(1.0f32)],
            got: Scalar::new(1.0f32),
            want: Scalar::new(-1.0f32),
            tolerance: 0.0,
        };
        let unanswered = Outcome::Unanswered(String::new());
        for (needed, outcome, counts) in [
            (true, Outcome::Holds, (true, 0, 0)),
            (true, Outcome::Broken(example.clone()), (false, 1, 0)),
            (true, unanswered.clone(), (false, 0, 1)),
            (false, Outcome::Broken(example), (true, 0, 0)),
            (false, unanswered, (true, 0, 0)),
        ] {
            let holds = Finding { assumption: "", needed: true, outcome: Outcome::Holds };
            let check = SelfCheck {
                findings: vec![holds, Finding { assumption: "", needed, outcome }],
                division: Division::Native,
                square_root: Division::Native,
                half: Half::Native,
            };
            let found = (check.holds(), check.broken().count(), check.unanswered().count());
            assert_eq!(found, counts, "{:?}", check.findings);
        }
    }

    #[test]
    fn examples_are_told() {
        let example = Counterexample {
            operation: "x / y",
            operands: vec![Scalar::new(1.5f32), Scalar::new(-0.0f32)],
            got: Scalar::new(f32::from_bits(0x7fc0_0001)),
            want: Scalar::new(f32::NEG_INFINITY),
            tolerance: 0.0,
        };
        assert_eq!(example.to_string(), "x / y, x = 1.5, y = -0.0: NaN (0x7fc00001), not -inf");
    }
}

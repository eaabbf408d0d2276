//! How far an inexact result of complex operands may be from the true one, or from XLA's.
//!
//! Distances are by the magnitude of the complex number: a part that is small beside the other one
//! may have no digit right. XLA's results are far off in places, or not finite where the true ones
//! are, so a result must be near one of them or the true value.

use indim::{ElementType, Opcode};

use crate::oracle::complex::{self, Complex};
use crate::oracle::format::F32;
use crate::oracle::value::{parts, show};

/// The unit of complex errors.
const UNIT: f64 = 1.0 / (1 << 23) as f64;
/// A few subnormal numbers may be flushed on the way.
const FLOOR: f64 = 1.0 / (1u128 << 124) as f64;

/// Says what was expected, and what came.
type Mismatch = (String, String);

/// The tolerance of one op on complex numbers.
#[derive(Clone, Copy)]
pub struct ComplexTolerance {
    pub opcode: Opcode,
    /// The largest error, in units of 2^-23 of the magnitude.
    pub units: f64,
    /// True if the adapter flushes subnormals.
    pub flushes: bool,
}

impl ComplexTolerance {
    pub fn of(opcode: Opcode, flushes: bool) -> Self {
        // A power's exponent multiplies the logarithm's error.
        let units = if opcode == Opcode::Pow { 16.0 } else { 8.0 };
        Self { opcode, units, flushes }
    }

    /// Compares one element. Its type is C64, or F32 of Abs.
    pub fn check(
        self,
        operands: &[u64],
        element_type: ElementType,
        golden: &[u64],
        got: u64,
    ) -> Result<(), Mismatch> {
        let number = |bits: u64| decode(bits, element_type);
        let operands: Vec<Complex> =
            operands.iter().map(|&bits| decode(bits, ElementType::C64)).collect();
        let (value, golden_values): (_, Vec<Complex>) =
            (number(got), golden.iter().map(|&bits| number(bits)).collect());
        if self.has_no_digits(&operands) {
            return Ok(());
        }
        let truths = self.truths(&operands, &golden_values);
        let is_near_truth = || truths.iter().any(|&truth| self.is_near_truth(value, truth));
        let is_near_xla =
            || golden_values.iter().any(|&xla| self.is_near_xla(value, xla, &operands));
        if is_near_truth() || is_near_xla() {
            return Ok(());
        }
        let shown: Vec<String> = golden.iter().map(|&bits| show(element_type, bits)).collect();
        Err((
            format!(
                "within {} / 2^23 of {truths:?} or of XLA's {}, of {operands:?}",
                self.units,
                shown.join(" or ")
            ),
            show(element_type, got),
        ))
    }

    /// A power whose angle is too many turns for float32 to keep any digit of it.
    fn has_no_digits(self, operands: &[Complex]) -> bool {
        const MOST: f64 = (1 << 16) as f64;
        match *operands {
            [z, w] if self.opcode == Opcode::Pow => {
                let log = libm::hypot(libm::log(z.magnitude()), libm::atan2(z.im, z.re));
                w.magnitude() * log > MOST
            }
            _ => false,
        }
    }

    /// The true value, and those of operands of which subnormal parts are flushed. On an axis,
    /// where the oracle does not say which side of a cut it is, that of the side that XLA takes.
    fn truths(self, operands: &[Complex], golden: &[Complex]) -> Vec<Complex> {
        let truth = |z: Complex| match *operands {
            [_] => complex::truth(self.opcode, z),
            [_, w] => complex::truth_of_two(self.opcode, z, w),
            _ => None,
        };
        let mut truths = Vec::new();
        for z in [operands[0], flushed(operands[0])] {
            match truth(z) {
                Some(found) => truths.push(found),
                None => truths.extend(
                    sides(z).into_iter().filter_map(truth).filter(|&side| is_side(side, golden)),
                ),
            }
        }
        // A number that is flushed to zero is the pole of the logarithm.
        let [re, im] = [flushed(operands[0]).re, flushed(operands[0]).im];
        if self.flushes && self.opcode == Opcode::Log && re == 0.0 && im == 0.0 {
            truths.push(Complex { re: f64::NEG_INFINITY, im: 0.0 });
        }
        truths.dedup();
        truths
    }

    fn is_near_truth(self, value: Complex, truth: Complex) -> bool {
        let overflows = [truth.re, truth.im].iter().any(|part| part.abs() >= F32.largest());
        if overflows {
            return !is_finite(value);
        }
        is_finite(value) && self.is_near(value, truth)
    }

    /// Results are compared part by part if one is not finite. On operands that are not finite XLA
    /// follows no standard: where it gives NaN and C's functions have a limit, nothing is required,
    /// and elsewhere a result that is not finite either.
    fn is_near_xla(self, value: Complex, xla: Complex, operands: &[Complex]) -> bool {
        if is_finite(value) && is_finite(xla) {
            return self.is_near(value, xla);
        }
        let no_number = xla.re.is_nan() && xla.im.is_nan();
        if operands.iter().any(|&z| !is_finite(z)) && (no_number || !is_finite(value)) {
            return !is_finite(xla);
        }
        let part = |a: f64, b: f64| {
            let finite = (a - b).abs() <= self.units * UNIT * b.abs() + FLOOR;
            a == b || a.is_nan() && b.is_nan() || finite
        };
        part(value.re, xla.re) && part(value.im, xla.im)
    }

    fn is_near(self, value: Complex, wanted: Complex) -> bool {
        let distance = libm::hypot(value.re - wanted.re, value.im - wanted.im);
        distance <= self.units * UNIT * wanted.magnitude() + FLOOR
    }
}

/// The numbers beside an axis on which z lies.
fn sides(z: Complex) -> Vec<Complex> {
    const BESIDE: f64 = 1e-200;
    let parts = |x: f64| if x == 0.0 { vec![BESIDE, -BESIDE] } else { vec![x] };
    let beside = |&re: &f64| parts(z.im).into_iter().map(move |im| Complex { re, im });
    parts(z.re).iter().flat_map(beside).collect()
}

/// Returns whether a true value beside a cut is XLA's, as far as that one has digits.
fn is_side(side: Complex, golden: &[Complex]) -> bool {
    let near = |&xla: &Complex| {
        let distance = libm::hypot(xla.re - side.re, xla.im - side.im);
        !is_finite(xla) || distance <= 1e-3 * side.magnitude()
    };
    golden.iter().any(near)
}

fn decode(bits: u64, element_type: ElementType) -> Complex {
    let (re, im) = if element_type == ElementType::C64 { parts(bits) } else { (bits, 0) };
    Complex { re: F32.decode(re), im: F32.decode(im) }
}

fn is_finite(z: Complex) -> bool {
    z.re.is_finite() && z.im.is_finite()
}

fn flushed(z: Complex) -> Complex {
    let part = |x: f64| if x.abs() < F32.smallest_normal() { 0f64.copysign(x) } else { x };
    Complex { re: part(z.re), im: part(z.im) }
}

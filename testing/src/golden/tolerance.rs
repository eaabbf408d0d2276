//! How far an inexact result may be from the true value, for the library and for XLA.
//!
//! Errors are in ULP of the true value, as [`ulps`] counts them. The library's are those of
//! [`limits`], which `indim-accuracy` proves over all inputs. XLA's, which are only here, are what
//! `tests/golden/generate/accuracy.py` prints: a golden value that is farther off is not XLA's.

use indim::Opcode;
use indim_reference::{binary, limits, may_be_flushed, unary, wide_binary, wide_unary};

use crate::oracle::format::{Format, power_of_two};

/// The tolerance of one op: of F32, from which [`RealTolerance`] makes that of other types.
pub struct Tolerance {
    pub opcode: Opcode,
    /// The largest error of XLA's that was found, where its formula does not drift, rounded up.
    pub xla: f64,
    /// Added to that at the first operand, where XLA's formula loses digits.
    pub drift: fn(f64) -> f64,
    /// XLA's absolute error near the function's zeros, where an ULP is too small a unit.
    pub beside_zeros: f64,
    /// Says where XLA's error comes from.
    pub reason: &'static str,
}

/// Every op with inexact results.
pub const TABLE: &[Tolerance] = &[
    Tolerance {
        drift: |x| 0.25 / (1.0 - x * x),
        ..line(
            Opcode::Acos,
            4.0,
            "1 - x * x cancels near 1, where it is not fused: 423 ULP at 0.9998",
        )
    },
    Tolerance {
        drift: |x| 1.0 / (x * x - 1.0).sqrt(),
        ..line(
            Opcode::Acosh,
            5.0,
            "log(x + sqrt(x * x - 1)) rounds early near 1: 50 ULP at 1.00005",
        )
    },
    line(Opcode::Asin, 3.0, "2 ULP from 0.01 upwards"),
    line(Opcode::Asinh, 4.0, "3 ULP around 0.45"),
    line(Opcode::Atan, 2.0, NEAREST),
    line(Opcode::Atan2, 2.0, NEAREST),
    line(Opcode::Atanh, 4.0, "3 ULP around 0.45"),
    line(Opcode::BesselI0e, 6.0, "a sum of Chebyshev polynomials that cancels"),
    line(Opcode::BesselI1e, 12.0, "the same: 9 ULP at 8"),
    Tolerance {
        drift: |x| x.abs().log2().abs() / 8.0,
        ..line(
            Opcode::Cbrt,
            2.0,
            "digits are lost with the exponent: 15 ULP at the smallest normal number",
        )
    },
    line(Opcode::Cos, 2.0, NEAREST),
    Tolerance {
        drift: |x| x.abs() / 4.0,
        ..line(
            Opcode::Cosh,
            4.0,
            "x is shifted by log(2) before exp, which rounds a large x: 23 ULP at 88",
        )
    },
    Tolerance {
        beside_zeros: 4e-6,
        ..line(Opcode::Digamma, 6.0, "a sum and a reflection, which cancel beside zeros")
    },
    line(Opcode::Erf, 8.0, "5 ULP around 3.8, and 7 in a longer run"),
    Tolerance {
        drift: |x| if x > 0.0 { 0.75 * x * x } else { 0.0 },
        ..line(Opcode::Erfc, 4.0, "exp(-x * x) with x * x rounded: 37 ULP at 9.1")
    },
    Tolerance {
        drift: |x| 0.02 / (1.0 - x * x),
        ..line(Opcode::ErfInv, 6.0, "log(1 - x * x) with x * x rounded: 36 ULP at 0.9999")
    },
    line(Opcode::Exp, 2.0, NEAREST),
    line(Opcode::Expm1, 6.0, "5 ULP around 0.25"),
    Tolerance {
        beside_zeros: 8e-6,
        ..line(Opcode::Lgamma, 12.0, "a sum and a reflection, which cancel beside zeros")
    },
    line(Opcode::Log, 2.0, NEAREST),
    line(Opcode::Log1p, 3.0, "2 ULP around 0.5"),
    line(Opcode::Logistic, 3.0, "exp, an addition and a division"),
    line(Opcode::Pow, 2.0, NEAREST),
    line(Opcode::Rsqrt, 2.0, NEAREST),
    line(Opcode::Sin, 2.0, NEAREST),
    Tolerance {
        drift: |x| x.abs() / 4.0,
        ..line(Opcode::Sinh, 8.0, "7 ULP at -0.47, and for a large x as in Cosh")
    },
    line(Opcode::Tan, 3.0, "sine by cosine"),
    line(Opcode::Tanh, 6.0, "a rational function: 5 ULP from 3.8 upwards"),
];

const NEAREST: &str = "rounds nearly always to the nearest number";

const fn line(opcode: Opcode, xla: f64, reason: &'static str) -> Tolerance {
    Tolerance { opcode, xla, drift: |_| 0.0, beside_zeros: 0.0, reason }
}

/// The tolerance of `opcode`; None for an op whose results are exact.
pub fn of(opcode: Opcode) -> Option<&'static Tolerance> {
    TABLE.iter().find(|line| line.opcode == opcode)
}

/// The largest error that is accepted: one of the two.
#[derive(Clone, Copy)]
pub struct Limit {
    pub ulps: f64,
    /// The error itself.
    pub absolute: f64,
}

/// Says what was expected, and what came.
type Mismatch = (String, String);

/// The tolerance of one op on a real type.
#[derive(Clone, Copy)]
pub struct RealTolerance {
    pub line: &'static Tolerance,
    pub format: Format,
}

impl RealTolerance {
    /// The library's largest error.
    pub fn of_library(self) -> Limit {
        let ulps = match self.format.mantissa_bits {
            // Rounded once from F32, whose error is far below.
            ..23 => 1.0,
            23 => limits::approximate(self.line.opcode.name()).unwrap_or_default(),
            // Four, and the error of the reference itself.
            _ => 5.0,
        };
        let absolute = if self.is_double() && self.line.beside_zeros > 0.0 { 1e-14 } else { 0.0 };
        Limit { ulps, absolute }
    }

    /// The largest error of XLA's for the operands.
    pub fn of_xla(self, operands: &[f64]) -> Limit {
        // At an end of the domain, where drift is infinite, XLA has a value of its own.
        let drift = operands.first().map_or(0.0, |&x| (self.line.drift)(x));
        let own = match self.format.mantissa_bits {
            // Acos near 1.
            ..23 => self.line.xla.max(3.0),
            23 => self.line.xla,
            // ErfInv, and Cbrt near the largest number.
            _ => self.line.xla.max(16.0),
        };
        let ulps = own + if drift.is_finite() { drift } else { 0.0 };
        let digits = 2f64.powi(23 - self.format.mantissa_bits as i32);
        Limit { ulps, absolute: self.line.beside_zeros * digits.min(1.0) }
    }

    fn is_double(self) -> bool {
        self.format.mantissa_bits == 52
    }

    /// The true value, not rounded, but for F64's; None for a wrong number of operands.
    pub fn truth(self, operands: &[f64]) -> Option<f64> {
        let name = self.line.opcode.name();
        let quick = match *operands {
            [x] => unary(name)?(x),
            [x, y] => binary(name)?(x, y),
            _ => return None,
        };
        // The wide ones are for numbers other than zero.
        let usual = |x: &f64| x.is_finite() && *x != 0.0;
        if !self.is_double() || !usual(&quick) || !operands.iter().all(usual) {
            return Some(quick);
        }
        let wide = match *operands {
            [x] => wide_unary(name)?(x),
            [x, y] => wide_binary(name)?(x, y),
            _ => return None,
        };
        Some(wide.to_f64())
    }

    /// Returns whether `value` is within the limit of a truth: of the operands as they are, or with
    /// subnormal ones taken for zeros, by one operand or by all. XLA's compiled code flushes them,
    /// its constant folding does in some threads, and an adapter may.
    pub fn is_near(self, value: f64, operands: &[f64], limit: Limit) -> bool {
        (0..1 << operands.len()).any(|choice| {
            let seen: Vec<f64> = operands
                .iter()
                .enumerate()
                .map(|(n, &x)| if choice >> n & 1 == 1 { self.flushed(x) } else { x })
                .collect();
            self.truth(&seen).is_some_and(|truth| limit.holds(self.format, value, truth))
        })
    }

    /// An operand as an adapter sees it that flushes subnormals.
    fn flushed(self, x: f64) -> f64 {
        let flushes = self.format.flushed().is_some();
        if flushes && x.abs() < self.format.smallest_normal() { 0f64.copysign(x) } else { x }
    }

    /// Returns whether XLA's value proves nothing: its Pow and Atan2 of subnormal numbers may be
    /// anything.
    pub fn is_lost_in_xla(self, operands: &[f64]) -> bool {
        let is_subnormal = |x: f64| x != 0.0 && x.abs() < self.format.smallest_normal();
        operands.len() == 2 && operands.iter().any(|&x| is_subnormal(x))
    }

    /// Compares one element, whose operands, golden values and bits these are.
    pub fn check(
        self,
        operands: &[u64],
        golden: &[u64],
        two_formulas: bool,
        got: u64,
    ) -> Result<(), Mismatch> {
        let operands: Vec<f64> = operands.iter().map(|&bits| self.format.decode(bits)).collect();
        let golden: Vec<f64> = golden.iter().map(|&bits| self.format.decode(bits)).collect();
        let got = self.format.decode(got);
        let Some(truth) = self.truth(&operands) else {
            return Err(("a function of these operands".to_owned(), format!("{operands:?}")));
        };
        let expected =
            |limit: Limit| format!("within {:.1} ULP of {truth:?}, of {operands:?}", limit.ulps);
        let off = |value: f64| format!("{value:?}, {:.3} ULP off", ulps(self.format, value, truth));
        let of_xla = self.of_xla(&operands);
        // XLA has two formulas here, and one has lost its digits.
        let says_nothing = two_formulas || self.is_lost_in_xla(&operands);
        if !says_nothing && !golden.iter().any(|&value| self.is_near(value, &operands, of_xla)) {
            return Err((expected(of_xla), format!("golden value {}", off(golden[0]))));
        }
        let of_library = self.of_library();
        if self.is_near(got, &operands, of_library) {
            return Ok(());
        }
        Err((expected(of_library), off(got)))
    }
}

impl Limit {
    /// Returns whether `value` is near the truth, and of its kind: NaN for NaN, infinite for
    /// infinite, zero for zero, and of its sign.
    pub fn holds(self, format: Format, value: f64, truth: f64) -> bool {
        if (value - truth).abs() < self.absolute {
            return true;
        }
        if truth.is_nan() || truth.is_infinite() || truth == 0.0 {
            return (truth.is_nan() && value.is_nan()) || truth.to_bits() == value.to_bits();
        }
        // A result that is flushed, or of a truth so small that the type has only zeros for it,
        // also has the truth's sign.
        let same_sign = value.is_sign_negative() == truth.is_sign_negative();
        ulps(format, value, truth) <= self.ulps && same_sign
    }
}

/// The error of a value in ULP of the true one, as [`indim_reference::ulps`] counts them in F32: in
/// the spacing of the format's numbers at the truth. An infinite value stands for all numbers that
/// the format would have beyond its largest; and a zero for all that may be flushed to it.
pub fn ulps(format: Format, value: f64, truth: f64) -> f64 {
    if value.is_nan() || truth.is_nan() {
        return if value.is_nan() && truth.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if truth.is_infinite() {
        return if value == truth { 0.0 } else { f64::INFINITY };
    }
    let smallest = format.smallest_normal();
    let binade = truth.abs().clamp(smallest, format.largest());
    let exponent = ((binade.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    let spacing = power_of_two(exponent - format.mantissa_bits as i32);
    if value.is_infinite() {
        if truth.is_sign_positive() != value.is_sign_positive() {
            return f64::INFINITY;
        }
        let last = 2f64.powi(format.bias() - format.mantissa_bits as i32);
        return ((format.largest() - truth.abs() + last) / spacing).max(0.0);
    }
    if value == 0.0 && format.flushed().is_some() {
        if may_be_flushed(truth) {
            return 0.0;
        }
        return (truth.abs() - (smallest - format.smallest())).max(0.0) / spacing;
    }
    (value - truth).abs() / spacing
}

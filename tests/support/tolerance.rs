//! How far an inexact result may be from the one that XLA recorded: the only place that says so.
//!
//! Distances are in ULP: steps between representable numbers, see [`super::compare::ulps`]. XLA's
//! own errors against float64 are what `tests/golden/generate/accuracy.py` prints.

use indim::Opcode;

use super::compare::ulps;

/// The tolerance of one op on f32: what XLA and the library are off by, and what an adapter may
/// add.
pub struct Tolerance {
    pub opcode: Opcode,
    /// The largest error of XLA's that was found, where its formula does not drift.
    pub xla: u32,
    /// The largest error that the library allows itself.
    pub library: u32,
    /// Whether a subnormal may stand where XLA recorded a zero of the same sign.
    ///
    /// XLA's CPU backend flushes subnormal results to zero, and `alt` holds what its constant
    /// folding keeps. But folding spreads a costly binary op of some hundred elements over threads,
    /// and all but the first flush as well: then neither value is the unflushed one (atan2(2^-126,
    /// 10) in `binary-02810` has both, at elements 26 and 59).
    pub unflushed: bool,
    /// Where XLA's own formula loses digits.
    pub drift: Option<Drift>,
    pub reason: &'static str,
}

/// Where XLA's recorded value itself is far from the truth, the truth is right, too.
pub struct Drift {
    /// The function in float64.
    pub truth: fn(f64) -> f64,
    /// How far the recorded value may be from the truth at an operand, in ULP. A recorded value
    /// that is farther off is no rounding error of XLA's.
    pub ulps: fn(f64) -> f64,
}

/// What an adapter may add: WGSL lets a division be 2.5 ULP off, and the library's errors were
/// measured on an adapter that divides exactly.
const ADAPTER: u32 = 2;

impl Tolerance {
    /// How far a result may be from XLA's.
    pub fn ulps(&self) -> u32 {
        self.xla + self.library + ADAPTER
    }

    /// Whether `got` is right where `golden` is recorded. Neither is NaN; `operand` is the unary
    /// op's operand.
    pub fn allows(&self, golden: f32, got: f32, operand: Option<f32>) -> bool {
        // One step leads from the largest finite number to infinity, and none from zero to zero;
        // but a saturated result and a lost sign are mistakes of another sort than rounding, and
        // XLA makes neither.
        if golden.is_infinite() || got.is_infinite() || (golden == 0.0 && got == 0.0) {
            return golden.to_bits() == got.to_bits();
        }
        let near = |a, b| ulps(a, b) <= u64::from(self.ulps());
        if near(golden, got) {
            return true;
        }
        let same_sign = golden.is_sign_negative() == got.is_sign_negative();
        if self.unflushed && golden == 0.0 && got.is_subnormal() && same_sign {
            return true;
        }
        let (Some(drift), Some(operand)) = (&self.drift, operand) else {
            return false;
        };
        let operand = f64::from(operand);
        let truth = (drift.truth)(operand) as f32;
        truth.is_normal() && near(truth, got) && ulps(truth, golden) as f64 <= (drift.ulps)(operand)
    }
}

/// Every op with inexact results.
pub const TABLE: &[Tolerance] = &[
    Tolerance {
        unflushed: true,
        ..line(Opcode::Pow, 1, 4, "XLA rounds nearly always to the nearest number")
    },
    Tolerance {
        unflushed: true,
        ..line(Opcode::Atan2, 1, 3, "XLA rounds nearly always to the nearest number")
    },
    Tolerance {
        drift: Some(Drift { truth: f64::acos, ulps: |x| 4.0 + 0.25 / (1.0 - x * x) }),
        ..line(
            Opcode::Acos,
            3,
            2,
            "XLA's 1 - x * x cancels near 1, where it is not fused: 423 ULP at 0.9998",
        )
    },
    Tolerance {
        drift: Some(Drift { truth: f64::acosh, ulps: |x| 4.0 + 1.0 / (x * x - 1.0).sqrt() }),
        ..line(
            Opcode::Acosh,
            4,
            4,
            "XLA's log(x + sqrt(x * x - 1)) rounds early near 1: 50 ULP at 1.00005",
        )
    },
    Tolerance {
        drift: Some(Drift { truth: f64::cosh, ulps: |x| 4.0 + x.abs() / 4.0 }),
        ..line(
            Opcode::Cosh,
            1,
            2,
            "XLA shifts x by log(2) before exp, which rounds a large x: 23 ULP at 88",
        )
    },
    Tolerance {
        drift: Some(Drift { truth: f64::sinh, ulps: |x| 4.0 + x.abs() / 4.0 }),
        ..line(Opcode::Sinh, 7, 3, "XLA is 7 ULP off at -0.47, and for a large x as in Cosh")
    },
    Tolerance {
        drift: Some(Drift { truth: f64::cbrt, ulps: |x| 2.0 + x.abs().log2().abs() / 8.0 }),
        ..line(
            Opcode::Cbrt,
            2,
            1,
            "XLA loses digits with the exponent: 15 ULP at the smallest normal number",
        )
    },
    line(Opcode::Asin, 2, 2, "XLA is 2 ULP off from 0.01 upwards"),
    line(Opcode::Asinh, 3, 3, "XLA is 3 ULP off around 0.45"),
    line(Opcode::Atan, 1, 2, "XLA rounds nearly always to the nearest number"),
    line(Opcode::Atanh, 3, 3, "XLA is 3 ULP off around 0.45"),
    line(Opcode::Cos, 1, 2, "XLA rounds nearly always to the nearest number"),
    line(Opcode::Erf, 7, 2, "XLA is 5 ULP off around 3.8, and 7 in a longer run"),
    line(Opcode::Exp, 1, 1, "XLA rounds nearly always to the nearest number"),
    line(Opcode::Expm1, 5, 1, "XLA is 5 ULP off around 0.25"),
    line(Opcode::Log, 1, 1, "XLA rounds nearly always to the nearest number"),
    line(Opcode::Log1p, 2, 1, "XLA is 2 ULP off around 0.5"),
    line(Opcode::Logistic, 2, 3, "exp, an addition and a division, in XLA and in the library"),
    line(Opcode::Rsqrt, 1, 2, "a root and a division in the library"),
    line(Opcode::Sin, 1, 2, "XLA rounds nearly always to the nearest number"),
    line(
        Opcode::Tan,
        2,
        4,
        "sine by cosine in XLA; a division in every other quadrant in the library",
    ),
    line(Opcode::Tanh, 5, 2, "XLA's rational function is 5 ULP off from 3.8 upwards"),
];

const fn line(opcode: Opcode, xla: u32, library: u32, reason: &'static str) -> Tolerance {
    Tolerance { opcode, xla, library, unflushed: false, drift: None, reason }
}

/// The tolerance of `opcode`; None for an op whose results are exact.
pub fn of(opcode: Opcode) -> Option<&'static Tolerance> {
    TABLE.iter().find(|line| line.opcode == opcode)
}

//! Decompositions of the operations that StableHLO and CHLO lack, as computations. A composite names the
//! operation; readers that do not know the name compute the decomposition, which is less accurate.

use std::f64::consts::{LN_2, LN_10};

use indim_core::{Builder, Computation, ElementType, Op, OpClass, Opcode, Result, Scalar, Shape};

/// The value of an operation on operands of this type and shape.
pub(crate) fn decomposition(opcode: Opcode, of: ElementType, shape: &Shape) -> Option<Computation> {
    let mut parts = Parts { b: Builder::new(), of };
    let x = parts.b.parameter(of, shape).ok()?;
    let mut y = x;
    if opcode.class() == OpClass::Binary {
        y = parts.b.parameter(of, shape).ok()?;
    }
    let result = match opcode {
        Opcode::Trunc => parts.trunc(x),
        Opcode::Log2 => parts.logarithm(x, LN_2),
        Opcode::Log10 => parts.logarithm(x, LN_10),
        Opcode::Signbit => parts.signbit(x),
        Opcode::BesselI0e => parts.bessel_i0e(x),
        Opcode::Copysign => parts.copysign([x, y]),
        Opcode::Hypot => parts.hypot([x, y]),
        Opcode::Logaddexp => parts.logaddexp([x, y]),
        Opcode::Remainder => parts.remainder([x, y]),
        Opcode::FloorDivide => parts.floor_divide([x, y]),
        _ => return None,
    };
    parts.b.build(result.ok()?).ok()
}

/// The most of the argument for the series of I0 around 0.
const NEAR: f64 = 3.75;

/// I0(x) by powers of (x/3.75)^2, from the highest on: M. Abramowitz and I. Stegun, Handbook of
/// Mathematical Functions, 9.8.1, with an error of 1.6e-7.
const I0_NEAR: [f64; 7] =
    [0.004_581_3, 0.036_076_8, 0.265_973_2, 1.206_749_2, 3.089_942_4, 3.515_622_9, 1.0];

/// sqrt(x) e^-x I0(x) by powers of 3.75/x, likewise: 9.8.2, with an error of 1.9e-7.
const I0_FAR: [f64; 9] = [
    0.003_923_77,
    -0.016_476_33,
    0.026_355_37,
    -0.020_577_06,
    0.009_162_81,
    -0.001_575_65,
    0.002_253_19,
    0.013_285_92,
    0.398_942_28,
];

struct Parts {
    b: Builder,
    /// The type of the operands.
    of: ElementType,
}

impl Parts {
    fn number(&mut self, value: f64) -> Result<Op> {
        let zero = Scalar::from_bits(self.of, 0);
        self.b.constant(Scalar::from_f64(self.of, value).unwrap_or(zero))
    }

    fn zero(&mut self, of: ElementType) -> Result<Op> {
        self.b.constant(Scalar::from_bits(of, 0))
    }

    /// Rounds towards 0. The sign of a zero is the operand's, as that of its ceiling is.
    fn trunc(&mut self, x: Op) -> Result<Op> {
        let zero = self.zero(self.of)?;
        let is_below = self.b.lt(x, zero, [])?;
        let (ceil, floor) = (self.b.ceil(x)?, self.b.floor(x)?);
        self.b.select(is_below, ceil, floor)
    }

    fn logarithm(&mut self, x: Op, of_base: f64) -> Result<Op> {
        let (log, of_base) = (self.b.log(x)?, self.number(of_base)?);
        self.b.div(log, of_base, [])
    }

    /// The bits as a signed integer, with the type of that.
    fn bits(&mut self, x: Op) -> Result<(Op, ElementType)> {
        let to = match self.of.bits() {
            16 => ElementType::S16,
            32 => ElementType::S32,
            _ => ElementType::S64,
        };
        Ok((self.b.bitcast_convert_type(x, to)?, to))
    }

    fn signbit(&mut self, x: Op) -> Result<Op> {
        let (bits, of) = self.bits(x)?;
        let zero = self.zero(of)?;
        self.b.lt(bits, zero, [])
    }

    fn copysign(&mut self, [x, sign]: [Op; 2]) -> Result<Op> {
        let (x, of) = self.bits(x)?;
        let (sign, _) = self.bits(sign)?;
        let lowest = self.b.constant(Scalar::from_bits(of, 1 << (of.bits() - 1)))?;
        let others = self.b.not(lowest)?;
        let (magnitude, sign) = (self.b.and(x, others, [])?, self.b.and(sign, lowest, [])?);
        let bits = self.b.or(magnitude, sign, [])?;
        self.b.bitcast_convert_type(bits, self.of)
    }

    /// sqrt(1 + (s/l)^2) times the larger magnitude l, where s is the smaller one: no square of a finite
    /// number overflows.
    fn hypot(&mut self, [x, y]: [Op; 2]) -> Result<Op> {
        let (x, y) = (self.b.abs(x)?, self.b.abs(y)?);
        let (large, small) = (self.b.max(x, y, [])?, self.b.min(x, y, [])?);
        let (zero, one) = (self.zero(self.of)?, self.number(1.0)?);
        let is_zero = self.b.eq(large, zero, [])?;
        let ratio = self.b.div(small, large, [])?;
        let square = self.b.mul(ratio, ratio, [])?;
        let sum = self.b.add(square, one, [])?;
        let root = self.b.sqrt(sum)?;
        let length = self.b.mul(large, root, [])?;
        self.b.select(is_zero, large, length)
    }

    /// The larger one and log(1 + e^-d) for their distance d.
    fn logaddexp(&mut self, [x, y]: [Op; 2]) -> Result<Op> {
        let (large, difference) = (self.b.max(x, y, [])?, self.b.sub(x, y, [])?);
        let distance = self.b.abs(difference)?;
        let down = self.b.neg(distance)?;
        let power = self.b.exp(down)?;
        let rest = self.b.log1p(power)?;
        self.b.add(large, rest, [])
    }

    /// True where a remainder of the truncating division has not the divisor's sign.
    fn is_turned(&mut self, rest: Op, y: Op) -> Result<Op> {
        let zero = self.zero(self.of)?;
        let is_rest = self.b.ne(rest, zero, [])?;
        let (rest, y) = (self.b.lt(rest, zero, [])?, self.b.lt(y, zero, [])?);
        let differs = self.b.ne(rest, y, [])?;
        self.b.and(is_rest, differs, [])
    }

    fn remainder(&mut self, [x, y]: [Op; 2]) -> Result<Op> {
        let rest = self.b.rem(x, y, [])?;
        let is_turned = self.is_turned(rest, y)?;
        let sum = self.b.add(rest, y, [])?;
        self.b.select(is_turned, sum, rest)
    }

    fn floor_divide(&mut self, [x, y]: [Op; 2]) -> Result<Op> {
        let quotient = self.b.div(x, y, [])?;
        if self.of.integer_range().is_none() {
            return self.b.floor(quotient);
        }
        let rest = self.b.rem(x, y, [])?;
        let is_turned = self.is_turned(rest, y)?;
        let by = self.b.convert_element_type(is_turned, self.of)?;
        self.b.sub(quotient, by, [])
    }

    /// A polynomial by its coefficients, from that of the highest power on.
    fn polynomial(&mut self, x: Op, coefficients: &[f64]) -> Result<Op> {
        let mut sum = self.zero(self.of)?;
        for &next in coefficients {
            let (product, next) = (self.b.mul(sum, x, [])?, self.number(next)?);
            sum = self.b.add(product, next, [])?;
        }
        Ok(sum)
    }

    /// e^-|x| I0(x).
    fn bessel_i0e(&mut self, x: Op) -> Result<Op> {
        let (x, near) = (self.b.abs(x)?, self.number(NEAR)?);
        let is_near = self.b.le(x, near, [])?;
        let t = self.b.div(x, near, [])?;
        let square = self.b.mul(t, t, [])?;
        let series = self.polynomial(square, &I0_NEAR)?;
        let down = self.b.neg(x)?;
        let power = self.b.exp(down)?;
        let small = self.b.mul(series, power, [])?;
        let inverse = self.b.div(near, x, [])?;
        let series = self.polynomial(inverse, &I0_FAR)?;
        let root = self.b.sqrt(x)?;
        let large = self.b.div(series, root, [])?;
        self.b.select(is_near, small, large)
    }
}

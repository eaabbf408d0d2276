//! The operations on F32 that are measured, and how the results of each are judged.

use indim::{ElementType, OpClass, Opcode};
use indim_reference::limits;

use crate::exact::{self, Due};
use crate::judge::{self, Case, Tally, Verdict, judge_flushing, variants};
use crate::listed::Listed;

/// The library's operation that computes a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// One operand.
    Unary(Opcode),
    /// Two operands.
    Binary(Opcode),
    /// `ConvertElementType`.
    Convert(ElementType, ElementType),
    /// `ReducePrecision` to these numbers of exponent and mantissa bits.
    Reduce(u32, u32),
}

/// The symmetry that gives f(-x) of f(x), which saves half of the reference's work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Parity {
    None,
    Even,
    Odd,
}

const ODD: &[&str] = &[
    "Sin",
    "Tan",
    "Tanh",
    "Sinh",
    "Asin",
    "Atan",
    "Asinh",
    "Atanh",
    "Erf",
    "ErfInv",
    "Cbrt",
    "BesselI1e",
];
const EVEN: &[&str] = &["Cos", "Cosh", "BesselI0e"];

#[derive(Debug, Clone, Copy)]
enum Judgement {
    Unary(fn(f64) -> f64, Parity),
    Binary(fn(f64, f64) -> f64),
    Due(Due),
}

/// A function that is measured.
#[derive(Debug, Clone)]
pub struct Function {
    /// XLA's name of the operation, or such as `ConvertF32ToS32`.
    pub name: String,
    /// The operation that computes it.
    pub operation: Operation,
    /// The largest error that is allowed, in ULP.
    pub limit: f64,
    /// An error that is allowed whatever the limit is, as it stands.
    absolute: f64,
    /// True if results must be right bit for bit: correctly rounded, or exact.
    pub exact: bool,
    judgement: Judgement,
}

impl Function {
    /// Returns every operation with an F32 operand or result, in the order of the table of
    /// operations.
    ///
    /// # Errors
    /// An operation without a reference.
    pub fn all() -> crate::Result<Vec<Self>> {
        let mut functions = Vec::new();
        for &opcode in Opcode::ALL {
            // Complex results are not measured.
            if matches!(opcode, Opcode::Complex | Opcode::Conj) {
                continue;
            }
            match opcode.class() {
                OpClass::Unary if opcode.accepts(ElementType::F32) => {
                    functions.push(Self::named(opcode.name(), Operation::Unary(opcode))?);
                }
                OpClass::Binary | OpClass::Compare | OpClass::Pair
                    if opcode.accepts(ElementType::F32) =>
                {
                    functions.push(Self::named(opcode.name(), Operation::Binary(opcode))?);
                }
                _ => {}
            }
        }
        // Half precision, bfloat16, and two formats of a byte.
        functions.push(Self::reduction::<5, 10>());
        functions.push(Self::reduction::<8, 7>());
        functions.push(Self::reduction::<5, 2>());
        functions.push(Self::reduction::<4, 3>());
        for &to in ElementType::ALL {
            functions.extend(Self::conversion(ElementType::F32, to));
            functions.extend(Self::conversion(to, ElementType::F32));
        }
        Ok(functions)
    }

    /// Returns the functions of these names, in any case; all without one.
    ///
    /// # Errors
    /// A name that there is not.
    pub fn select(names: &[String]) -> crate::Result<Vec<Self>> {
        let all = Self::all()?;
        if names.is_empty() {
            return Ok(all);
        }
        let of_name = |name: &String| {
            let found = all.iter().find(|f| {
                let snake = |text: &str| text.to_lowercase().replace('_', "");
                snake(&f.name) == snake(name)
            });
            found.cloned().ok_or_else(|| {
                let known: Vec<&str> = all.iter().map(|f| f.name.as_str()).collect();
                format!("no function `{name}`; there are {}", known.join(", ")).into()
            })
        };
        names.iter().map(of_name).collect()
    }

    fn named(name: &str, operation: Operation) -> crate::Result<Self> {
        let parity = match name {
            _ if ODD.contains(&name) => Parity::Odd,
            _ if EVEN.contains(&name) => Parity::Even,
            _ => Parity::None,
        };
        let judgement = exact::due(name)
            .map(Judgement::Due)
            .or_else(|| match operation {
                Operation::Unary(_) => {
                    Some(Judgement::Unary(indim_reference::unary(name)?, parity))
                }
                _ => Some(Judgement::Binary(indim_reference::binary(name)?)),
            })
            .ok_or_else(|| format!("{name} has no reference"))?;
        let limit = match judgement {
            Judgement::Due(due) => due_limit(due),
            _ => limits::approximate(name).ok_or_else(|| format!("{name} has no limit"))?,
        };
        let exact = matches!(judgement, Judgement::Due(_));
        let absolute = limits::absolute(name);
        Ok(Self { name: name.to_owned(), operation, limit, absolute, exact, judgement })
    }

    fn reduction<const EXPONENT: u32, const MANTISSA: u32>() -> Self {
        let due = exact::reduction::<EXPONENT, MANTISSA>();
        Self {
            name: format!("ReducePrecision{EXPONENT}And{MANTISSA}"),
            operation: Operation::Reduce(EXPONENT, MANTISSA),
            limit: due_limit(due),
            absolute: 0.0,
            exact: true,
            judgement: Judgement::Due(due),
        }
    }

    fn conversion(from: ElementType, to: ElementType) -> Option<Self> {
        let due = exact::conversion(from.name(), to.name())?;
        Some(Self {
            name: format!("Convert{from:?}To{to:?}"),
            operation: Operation::Convert(from, to),
            limit: due_limit(due),
            absolute: 0.0,
            exact: true,
            judgement: Judgement::Due(due),
        })
    }

    /// Returns its entry in a table.
    pub fn listed(&self) -> Listed {
        let (name, binary) = (self.name.clone(), self.is_binary());
        Listed { name, limit: self.limit, binary, exact: self.exact }
    }

    /// Returns true if its results are F32.
    pub fn has_float_results(&self) -> bool {
        use Opcode::{IsFinite, IsInf, IsNan, Signbit};
        match self.operation {
            Operation::Unary(opcode) => !matches!(opcode, IsFinite | IsInf | IsNan | Signbit),
            Operation::Binary(opcode) => opcode.class() != OpClass::Compare,
            Operation::Convert(..) => false,
            Operation::Reduce(..) => true,
        }
    }

    /// Tells whether it takes pairs.
    pub fn is_binary(&self) -> bool {
        matches!(self.operation, Operation::Binary(_))
    }

    /// Returns whether f(-x) follows from f(x).
    pub fn has_parity(&self) -> bool {
        matches!(self.judgement, Judgement::Unary(_, Parity::Even | Parity::Odd))
    }

    /// Returns whether its results are PRED.
    pub(crate) fn gives_pred(&self) -> bool {
        match self.operation {
            Operation::Unary(opcode) | Operation::Binary(opcode) => gives_pred(opcode),
            Operation::Convert(_, to) => to == ElementType::Pred,
            Operation::Reduce(..) => false,
        }
    }

    /// Returns whether its operands are floats.
    fn of_floats(&self) -> bool {
        !matches!(self.operation, Operation::Convert(ElementType::S32 | ElementType::U32, _))
    }

    /// Returns the true value at operands given as bits.
    pub fn truth(&self, [a, b]: [u32; 2]) -> f64 {
        let d = |bits| f64::from(f32::from_bits(bits));
        match self.judgement {
            Judgement::Unary(truth, _) => truth(d(a)),
            Judgement::Binary(truth) => truth(d(a), d(b)),
            Judgement::Due(Due::Rounded(truth, _)) => truth([a, b]),
            Judgement::Due(Due::Float(bits)) => d(bits([a, b])),
            Judgement::Due(Due::Integer(bits)) => f64::from(bits([a, b])),
        }
    }

    /// Computes the true values of a block.
    pub(crate) fn truths(&self, operands: Operands<'_>, truths: &mut [f64]) {
        let d = |bits: &u32| f64::from(f32::from_bits(*bits));
        let Operands { lhs, rhs } = operands;
        match self.judgement {
            Judgement::Unary(truth, _) => {
                truths.iter_mut().zip(lhs).for_each(|(t, a)| *t = truth(d(a)));
            }
            Judgement::Binary(truth) => {
                let pairs = lhs.iter().zip(rhs);
                truths.iter_mut().zip(pairs).for_each(|(t, (a, b))| *t = truth(d(a), d(b)));
            }
            Judgement::Due(Due::Rounded(truth, _)) => {
                for (i, t) in truths.iter_mut().enumerate() {
                    *t = truth(operands.get(i));
                }
            }
            // Judged by their bits.
            Judgement::Due(_) => {}
        }
    }

    /// Makes the true values at x those at -x; only where [`Function::has_parity`].
    pub(crate) fn turn(&self, truths: &mut [f64]) {
        if matches!(self.judgement, Judgement::Unary(_, Parity::Odd)) {
            truths.iter_mut().for_each(|t| *t = -*t);
        }
    }

    /// Judges one block of results.
    pub(crate) fn judge(
        &self,
        operands: Operands<'_>,
        truths: &[f64],
        got: &[u32],
        tally: &mut Tally,
    ) {
        tally.inputs += got.len() as u64;
        match self.judgement {
            Judgement::Unary(..) | Judgement::Binary(_) => {
                self.judge_errors(operands, truths, got, tally);
            }
            Judgement::Due(due) => {
                if matches!(due, Due::Rounded(..)) {
                    self.judge_errors(operands, truths, got, tally);
                }
                self.judge_bits(due, operands, got, tally);
            }
        }
    }

    fn judge_errors(&self, operands: Operands<'_>, truths: &[f64], got: &[u32], tally: &mut Tally) {
        // The whole block without a branch first: most blocks have nothing new.
        let mut worst = 0.0;
        let mut plain = true;
        for (&truth, &got) in truths.iter().zip(got) {
            let (normal, error) = normal_error(truth, got);
            plain &= normal;
            worst = if normal & (error > worst) { error } else { worst };
        }
        if plain && worst <= tally.max_ulp {
            return;
        }
        for (i, (&truth, &got)) in truths.iter().zip(got).enumerate() {
            let (normal, error) = normal_error(truth, got);
            if normal && error <= tally.max_ulp {
                continue;
            }
            let mut verdict = judge::judge(f32::from_bits(got), truth);
            if verdict == Verdict::Error(0.0) {
                continue;
            }
            let operands = operands.get(i);
            if self.of_floats() {
                verdict = judge_flushing(operands, true, got, |operands| self.truth(operands));
            }
            if let Verdict::Error(error) = verdict
                && error > self.limit
                && (f64::from(f32::from_bits(got)) - truth).abs() <= self.absolute
            {
                tally.beside_zeros_ulp = tally.beside_zeros_ulp.max(error);
                continue;
            }
            tally.add(verdict, || Case::new(operands, got, truth));
        }
    }

    fn judge_bits(&self, due: Due, operands: Operands<'_>, got: &[u32], tally: &mut Tally) {
        let (Due::Rounded(_, bits) | Due::Float(bits) | Due::Integer(bits)) = due;
        for (i, &got) in got.iter().enumerate() {
            let operands = operands.get(i);
            if bits(operands) == got || self.is_right(due, bits, operands, got) {
                continue;
            }
            let case = || Case::new(operands, got, self.truth(operands));
            tally.add_not_rounded(case);
            match due {
                Due::Rounded(..) => {}
                Due::Float(_) => {
                    let truth = |operands| self.truth(operands);
                    tally.add(judge_flushing(operands, true, got, truth), case);
                }
                Due::Integer(_) => {
                    let special = operands.iter().any(|&x| !f32::from_bits(x).is_finite());
                    if special && self.of_floats() {
                        tally.add(Verdict::Mistake, case);
                    }
                }
            }
        }
    }

    /// Returns whether a result that differs in some bits counts as right: any NaN is one, and
    /// subnormals may be flushed.
    fn is_right(&self, due: Due, bits: exact::Bits, operands: [u32; 2], got: u32) -> bool {
        variants(operands, self.of_floats()).any(|operands| {
            let due_bits = bits(operands);
            if due_bits == got || matches!(due, Due::Integer(_)) {
                return due_bits == got;
            }
            let wanted = f32::from_bits(due_bits);
            // A result that rounds up to the smallest normal number may have been flushed before.
            let tiny = wanted.is_subnormal()
                || wanted.abs() == f32::MIN_POSITIVE
                    && self.truth(operands).abs() < f64::from(f32::MIN_POSITIVE);
            let flushed = tiny && got == due_bits & 0x8000_0000;
            flushed || wanted.is_nan() && f32::from_bits(got).is_nan()
        })
    }
}

/// Returns whether an operation on floats gives PRED.
pub(crate) fn gives_pred(opcode: Opcode) -> bool {
    use Opcode::{IsFinite, IsInf, IsNan, Signbit};
    opcode.class() == OpClass::Compare || matches!(opcode, IsFinite | IsInf | IsNan | Signbit)
}

fn due_limit(due: Due) -> f64 {
    if matches!(due, Due::Rounded(..)) { 0.5 } else { 0.0 }
}

/// Returns the error in ULP if both the true value and the result lie in f32's normal range.
#[inline]
fn normal_error(truth: f64, got: u32) -> (bool, f64) {
    let exponent = (truth.to_bits() >> 52) & 0x7ff;
    let normal =
        (exponent.wrapping_sub(1023 - 126) < 254) & (((got >> 23) & 0xff).wrapping_sub(1) < 254);
    // 2^(23 - e) for a true value from 2^e on.
    let scale = f64::from_bits((2046 + 23u64).wrapping_sub(exponent) << 52);
    (normal, ((f64::from(f32::from_bits(got)) - truth) * scale).abs())
}

/// Operands of a block, as bits; without a second one, `rhs` is empty.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Operands<'a> {
    pub(crate) lhs: &'a [u32],
    pub(crate) rhs: &'a [u32],
}

impl Operands<'_> {
    fn get(&self, i: usize) -> [u32; 2] {
        [self.lhs[i], self.rhs.get(i).copied().unwrap_or(0)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::judge;

    /// Returns bits over all exponents and both signs.
    fn sample() -> impl Iterator<Item = u32> {
        (0..=u32::MAX).step_by(65_521)
    }

    #[test]
    fn every_operation_on_f32_is_measured() {
        let functions = Function::all().unwrap();
        assert!(functions.len() > 50);
        let names: Vec<&str> = functions.iter().map(|f| f.name.as_str()).collect();
        for conversion in ["F32ToS32", "F32ToU32", "F32ToPred", "S32ToF32", "U32ToF32"] {
            assert!(names.contains(&format!("Convert{conversion}").as_str()));
        }
    }

    #[test]
    fn parities_hold_in_the_reference() {
        for function in Function::all().unwrap().iter().filter(|f| f.has_parity()) {
            for x in sample() {
                let mut turned = [function.truth([x, 0])];
                function.turn(&mut turned);
                let there = function.truth([x ^ 0x8000_0000, 0]);
                let same = turned[0].to_bits() == there.to_bits();
                assert!(same || turned[0].is_nan() && there.is_nan(), "{}: {x:#x}", function.name);
            }
        }
    }

    #[test]
    fn the_quick_error_is_the_slow_one() {
        for x in sample() {
            for step in -3i32..=3 {
                let truth = f64::from(f32::from_bits(x)) * 1.000_000_3;
                let got = x.wrapping_add_signed(step);
                let (normal, error) = normal_error(truth, got);
                if normal {
                    assert_eq!(judge(f32::from_bits(got), truth), Verdict::Error(error));
                }
            }
        }
    }

    #[test]
    fn wrong_results_are_counted() {
        let function = &Function::select(&["div".to_owned()]).unwrap()[0];
        let operands = [[3f32, 7.0], [1.0, 0.0], [0.0, 0.0], [1e-30, 1e30]];
        let got = [f32::from_bits((3f32 / 7.0).to_bits() + 1), -f32::INFINITY, 0.0, 0.0];
        let lhs = operands.map(|o| o[0].to_bits());
        let rhs = operands.map(|o| o[1].to_bits());
        let block = Operands { lhs: &lhs, rhs: &rhs };
        let mut truths = [0.0; 4];
        function.truths(block, &mut truths);
        let mut tally = Tally::default();
        function.judge(block, &truths, &got.map(f32::to_bits), &mut tally);
        assert_eq!((tally.inputs, tally.not_rounded, tally.special_mistakes), (4, 3, 2));
        assert!(tally.max_ulp > 0.5 && tally.max_ulp < 1.5);
        let case = |i: usize| [lhs[i], rhs[i]].map(u64::from);
        assert_eq!(tally.at.unwrap().operands, case(0));
        assert_eq!(tally.first_mistake.unwrap().operands, case(1));
    }
}

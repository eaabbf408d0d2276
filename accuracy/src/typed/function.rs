//! The functions that are measured on a type, and how the results of each are judged.

use indim::wgpu::Features;
use indim::{Context, ElementType, OpClass, Opcode};
use indim_reference::limits;

use crate::function::{Operation, gives_pred};
use crate::judge::{Case, Tally, Verdict};
use crate::listed::Listed;
use crate::typed::chunk::Chunk;
use crate::typed::double::{self, Double};
use crate::typed::format::Format;
use crate::typed::narrow::{self, Narrow};

#[derive(Debug, Clone, Copy)]
enum Judgement {
    Narrow(Narrow),
    Double(Double),
    /// The bits that a conversion is to give.
    Conversion(ElementType, ElementType),
}

/// A function that is measured.
#[derive(Debug, Clone)]
pub struct Function {
    /// XLA's name of the operation, or such as `ConvertF64ToS64`.
    pub name: String,
    /// The operation that computes it.
    pub operation: Operation,
    /// The operands' type.
    pub operand: ElementType,
    /// The largest error that is allowed, in ULP of the type.
    pub limit: f64,
    /// An error that is allowed whatever the limit is, as it stands.
    absolute: f64,
    /// True if results must be right bit for bit.
    pub exact: bool,
    judgement: Judgement,
    /// The operands' and the result's format, where they are floats.
    formats: [Option<Format>; 2],
    /// The largest error of the float64 value in ULP, if known.
    bound: Option<f64>,
}

impl Function {
    /// Returns every operation on this type, F16, BF16 or F64, in the order of the table of
    /// operations, and the conversions from and to it.
    ///
    /// # Errors
    /// An operation without a reference.
    pub fn all(element_type: ElementType) -> crate::Result<Vec<Self>> {
        let mut functions = Vec::new();
        for &opcode in Opcode::ALL {
            // Complex results are not measured.
            if !opcode.accepts(element_type) || matches!(opcode, Opcode::Complex | Opcode::Conj) {
                continue;
            }
            match opcode.class() {
                OpClass::Unary => {
                    functions.push(Self::named(element_type, Operation::Unary(opcode), opcode)?);
                }
                OpClass::Binary | OpClass::Compare | OpClass::Pair => {
                    functions.push(Self::named(element_type, Operation::Binary(opcode), opcode)?);
                }
                _ => {}
            }
        }
        for &other in ElementType::ALL {
            for (from, to) in [(element_type, other), (other, element_type)] {
                if from != to && is_measured(from, to) {
                    functions.push(Self::conversion(from, to));
                }
            }
        }
        Ok(functions)
    }

    /// Returns the functions of these names, in any case; all without one.
    ///
    /// # Errors
    /// A name that there is not.
    pub fn select(element_type: ElementType, names: &[String]) -> crate::Result<Vec<Self>> {
        let all = Self::all(element_type)?;
        if names.is_empty() {
            return Ok(all);
        }
        let plain = |text: &str| text.to_lowercase().replace('_', "");
        let of_name = |name: &String| {
            let found = all.iter().find(|function| plain(&function.name) == plain(name));
            found.cloned().ok_or_else(|| format!("no function `{name}` on this type").into())
        };
        names.iter().map(of_name).collect()
    }

    fn named(operand: ElementType, operation: Operation, opcode: Opcode) -> crate::Result<Self> {
        let name = opcode.name();
        let missing = || format!("{name} has no reference");
        let (judgement, exact, limit) = if operand == ElementType::F64 {
            let double = Double::of(name).ok_or_else(missing)?;
            let limit = if double.is_exact() { 0.0 } else { limits::DOUBLE };
            (Judgement::Double(double), double.is_exact(), limit)
        } else {
            let narrow = Narrow::of(name).ok_or_else(missing)?;
            (Judgement::Narrow(narrow), narrow.is_exact(), narrow.limit())
        };
        let pred = gives_pred(opcode);
        let format = Format::of(operand);
        Ok(Self {
            name: name.to_owned(),
            operation,
            operand,
            limit,
            absolute: if operand == ElementType::F64 { limits::absolute_double(name) } else { 0.0 },
            exact,
            judgement,
            formats: [format, if pred { None } else { format }],
            bound: double::bound(name).filter(|_| operand == ElementType::F64),
        })
    }

    fn conversion(from: ElementType, to: ElementType) -> Self {
        Self {
            name: format!("Convert{from:?}To{to:?}"),
            operation: Operation::Convert(from, to),
            operand: from,
            limit: 0.0,
            absolute: 0.0,
            exact: true,
            judgement: Judgement::Conversion(from, to),
            formats: [Format::of(from), Format::of(to)],
            bound: None,
        }
    }

    /// Tells whether it takes pairs.
    pub fn is_binary(&self) -> bool {
        matches!(self.operation, Operation::Binary(_))
    }

    /// Returns whether the device has what it needs: not all have 64-bit floats.
    pub fn runs_on(&self, context: &Context) -> bool {
        let needed = Features::SHADER_F64 | Features::SHADER_INT64;
        let of_f64 = match self.operation {
            Operation::Convert(from, to) => [from, to].contains(&ElementType::F64),
            _ => self.operand == ElementType::F64,
        };
        !of_f64 || context.device().features().contains(needed)
    }

    /// Returns its entry in a table.
    pub fn listed(&self) -> Listed {
        let (name, binary) = (self.name.clone(), self.is_binary());
        Listed { name, limit: self.limit, binary, exact: self.exact }
    }

    /// Judges the results of a chunk.
    pub fn judge(&self, chunk: &Chunk, got: &[u64]) -> Tally {
        let mut tally = Tally { inputs: got.len() as u64, ..Tally::default() };
        for (i, &got) in got.iter().enumerate() {
            let operands = chunk.operands(i);
            match self.judgement {
                Judgement::Double(double) if !self.exact => {
                    self.judge_double(double, operands, got, &mut tally);
                }
                _ => self.judge_bits(operands, got, &mut tally),
            }
        }
        tally
    }

    /// Returns the operands as they are, and with subnormals flushed, where that changes them.
    fn variants(&self, operands: [u64; 2]) -> impl Iterator<Item = [u64; 2]> {
        let [a, b] = operands;
        let flushed = |x| self.formats[0].map_or(x, |format| format.flushed(x));
        let others = [[flushed(a), flushed(b)], [flushed(a), b], [a, flushed(b)]];
        std::iter::once(operands).chain(others.into_iter().filter(move |&other| other != operands))
    }

    fn judge_double(&self, double: Double, operands: [u64; 2], got: u64, tally: &mut Tally) {
        // The float64 value, whose error is already known.
        if self.bound.is_some_and(|bound| tally.max_ulp >= bound)
            && double.quick(operands).to_bits() == got
        {
            return;
        }
        let verdict = self.best(operands, |operands| double.judge(operands, got));
        if let Verdict::Error(error) = verdict
            && error > self.limit
            && double.distance(operands, got) <= self.absolute
        {
            tally.beside_zeros_ulp = tally.beside_zeros_ulp.max(error);
            return;
        }
        tally.add(verdict, || Case::new(operands, got, double.quick(operands)));
    }

    fn best(&self, operands: [u64; 2], judge: impl Fn([u64; 2]) -> Verdict) -> Verdict {
        let verdicts = self.variants(operands).map(judge);
        verdicts.reduce(Verdict::or_better).unwrap_or(Verdict::Mistake)
    }

    /// Returns the expected bits, if exact ones are required.
    fn due(&self, operands: [u64; 2]) -> Option<u64> {
        match (self.judgement, self.formats[0]) {
            (Judgement::Narrow(narrow), Some(format)) => narrow.due(format, operands),
            (Judgement::Double(Double::Float(bits) | Double::Pred(bits)), _) => {
                Some(bits(operands))
            }
            (Judgement::Conversion(from, to), _) => Some(converted(operands[0], from, to)),
            _ => None,
        }
    }

    /// Returns the true value, to measure an error by.
    fn truth(&self, operands: [u64; 2]) -> f64 {
        match (self.judgement, self.formats) {
            (Judgement::Narrow(narrow), [Some(format), _]) => narrow.truth(format, operands),
            (_, [_, Some(format)]) => format.decode(self.due(operands).unwrap_or_default()),
            _ => self.due(operands).unwrap_or_default() as f64,
        }
    }

    /// Judges a result that must be exact, or whose true value float64 has.
    fn judge_bits(&self, operands: [u64; 2], got: u64, tally: &mut Tally) {
        let due = self.due(operands);
        let case = || Case::new(operands, got, self.truth(operands));
        let error = || {
            let [_, Some(format)] = self.formats else { return Verdict::Error(0.0) };
            self.best(operands, |operands| narrow::judge(format, got, self.truth(operands)))
        };
        if due.is_none() {
            tally.add(error(), case);
            return;
        }
        let right = self.variants(operands).any(|operands| {
            let due = self.due(operands).unwrap_or_default();
            let Some(format) = self.formats[1] else { return due == got };
            let both_nan = format.is_nan(due) && format.is_nan(got);
            due == got || both_nan || self.is_flushed(format, operands, due, got)
        });
        if right {
            // Correctly rounded results of 16 bits are off by what rounding takes.
            if matches!(self.judgement, Judgement::Narrow(_)) && self.limit > 0.0 {
                tally.add(error(), case);
            }
            return;
        }
        tally.add_not_rounded(case);
        tally.add(error(), case);
    }

    /// Returns whether the result was flushed, also before it was rounded up to the smallest normal
    /// number.
    fn is_flushed(&self, format: Format, operands: [u64; 2], due: u64, got: u64) -> bool {
        let smallest = format.decode(due).abs() == format.smallest_normal();
        let tiny = format.is_subnormal(due)
            || smallest && self.truth(operands).abs() < format.smallest_normal();
        format.flushes && tiny && got == due & format.sign()
    }
}

/// Returns whether a conversion is measured: those to 16 bits or F64, and those from F64. The
/// library's tests cover conversions of all 2^16 operands and of integers of up to 16 bits.
fn is_measured(from: ElementType, to: ElementType) -> bool {
    use ElementType::{Bf16, F16, F32, F64, S32, S64, U32, U64};
    match (from, to) {
        (F64, _) => matches!(to, F16 | Bf16 | F32 | S32 | U32 | S64 | U64),
        (_, F64) => matches!(from, F32 | S32 | U32 | S64 | U64),
        (F32 | S32 | U32 | S64 | U64, F16 | Bf16) | (F16 | Bf16, F32) => true,
        _ => false,
    }
}

/// Returns the result of a conversion: truncated and saturated integers, 0 for NaN, and floats
/// rounded once.
fn converted(bits: u64, from: ElementType, to: ElementType) -> u64 {
    use ElementType::{S32, S64, U32, U64};
    if let Some(format) = Format::of(from) {
        let x = format.decode(bits);
        return match to {
            S32 => u64::from((x as i32).cast_unsigned()),
            U32 => u64::from(x as u32),
            S64 => (x as i64).cast_unsigned(),
            U64 => x as u64,
            _ => Format::of(to).map_or(0, |format| format.round(x)),
        };
    }
    let integer = match from {
        S32 => i128::from(bits as u32 as i32),
        S64 => i128::from(bits.cast_signed()),
        _ => i128::from(bits),
    };
    if to == ElementType::F64 {
        return (integer as f64).to_bits();
    }
    // Rounded to odd, float64 has all that a shorter format's rounding asks of an integer.
    let mut near = integer as f64;
    if near as i128 != integer && near.to_bits() & 1 == 0 {
        let up = (near as i128) < integer;
        near = if up == (integer > 0) {
            f64::from_bits(near.to_bits() + 1)
        } else {
            f64::from_bits(near.to_bits() - 1)
        };
    }
    Format::of(to).map_or(0, |format| format.round(near))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "in tests a panic is the report")]

    use super::*;

    #[test]
    fn every_operation_is_measured() {
        for element_type in [ElementType::F16, ElementType::Bf16, ElementType::F64] {
            let functions = Function::all(element_type).unwrap();
            assert!(functions.len() > 50, "{element_type:?}: {}", functions.len());
            assert!(functions.iter().all(|f| f.exact || f.limit >= 1.0));
        }
    }

    #[test]
    fn integers_are_rounded_once() {
        use ElementType::{Bf16, F16, S64, U64};
        // Through F32 this were 1.0 times a power of two.
        assert_eq!(converted((257 << 30) + 1, S64, Bf16), converted(258 << 30, S64, Bf16));
        assert_eq!(converted(257 << 30, S64, Bf16), converted(256 << 30, S64, Bf16));
        assert_eq!(converted((257 << 50) + 1, U64, Bf16), converted(258 << 50, U64, Bf16));
        assert_eq!(converted((-3i64).cast_unsigned(), S64, F16), 0xc200);
        assert_eq!(converted(u64::MAX, U64, F16), 0x7c00);
    }

    #[test]
    fn wrong_results_are_found() {
        let of = |element_type, name: &str| {
            let mut all = Function::all(element_type).unwrap().into_iter();
            all.find(|function| function.name == name).unwrap()
        };
        let judge = |function: &Function, a: u64, b: u64, got: u64| {
            function.judge(&Chunk { lhs: [a].into(), rhs: [b].into() }, &[got])
        };
        let (one, three) = (1f64.to_bits(), 3f64.to_bits());
        let div = of(ElementType::F64, "Div");
        let due = (1f64 / 3.0).to_bits();
        assert_eq!(judge(&div, one, three, due).not_rounded, 0);
        assert_eq!(judge(&div, one, three, due + 1).not_rounded, 1);
        let exp = of(ElementType::F64, "Exp");
        let e = 1f64.exp().to_bits();
        assert!(judge(&exp, one, 0, e).max_ulp < 0.51);
        let two_off = judge(&exp, one, 0, e + 2).max_ulp;
        assert!(two_off > 1.49 && two_off < 2.51, "{two_off}");
        assert_eq!(judge(&exp, one, 0, f64::NAN.to_bits()).special_mistakes, 1);
        let half = of(ElementType::F16, "Exp");
        // 2.71875 is the nearest to e, 2.7207 its neighbour.
        assert!(judge(&half, 0x3c00, 0, 0x4170).max_ulp < 0.5);
        assert!(judge(&half, 0x3c00, 0, 0x4171).max_ulp > 1.0);
        let add = of(ElementType::Bf16, "Add");
        assert_eq!(judge(&add, 0x3f80, 0x3f80, 0x4000).not_rounded, 0);
        assert_eq!(judge(&add, 0x3f80, 0x3f80, 0x4001).not_rounded, 1);
        // BF16's subnormal numbers may be flushed, F16's may not.
        assert_eq!(judge(&add, 0x0001, 0x0001, 0x0000).not_rounded, 0);
        let add = of(ElementType::F16, "Add");
        assert_eq!(judge(&add, 0x0001, 0x0001, 0x0002).not_rounded, 0);
        assert_eq!(judge(&add, 0x0001, 0x0001, 0x0000).not_rounded, 1);
    }
}

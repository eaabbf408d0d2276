//! Probes whether an adapter rounds integers to the nearest F32, and, in the same kernel, whether
//! its arithmetic keeps subnormals.

use super::inputs::Random;
use super::probe::read;
use crate::compile::limits::{Conversion, PlanLimits, Subnormals};
use crate::device::context::Context;
use crate::graph::builder::{Builder, Op};
use crate::graph::computation::Computation;
use crate::semantics::element::{ElementType, Scalar};
use crate::semantics::error::Result;
use crate::semantics::literal::Literal;
use crate::semantics::precision::Precision;

/// Sets how integers become floats, and how subnormals are taken, where the limits leave it open.
pub(super) async fn probe(context: &Context, limits: &mut PlanLimits) {
    if limits.conversion.is_some() && limits.subnormals.is_some() {
        return;
    }
    let (conversion, subnormals) = choose(context, limits).await;
    limits.conversion.get_or_insert(conversion);
    limits.subnormals.get_or_insert(subnormals);
}

/// Returns what the adapter's own operations were found to do. On a backend that computes nothing
/// they are taken as they are, and where the device fails not at all.
async fn choose(context: &Context, limits: &PlanLimits) -> (Conversion, Subnormals) {
    if !context.gpu().computes() {
        return (Conversion::Native, Subnormals::Kept);
    }
    let rows = rows();
    match try_on(context, limits, &rows).await {
        Ok(results) => judged(&rows, &results),
        Err(_) => (Conversion::ByIntegers, Subnormals::FlushedByBits),
    }
}

/// An operation of the probe, in the order of its number in the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tried {
    Unsigned,
    Signed,
    Sum,
    Product,
    Quotient,
    Root,
    Ceiling,
    Less,
}

use Tried::{Ceiling, Less, Product, Quotient, Root, Signed, Sum, Unsigned};

const ALL: [Tried; 8] = [Unsigned, Signed, Sum, Product, Quotient, Root, Ceiling, Less];

impl Tried {
    /// Returns the bits of the result that it has if it is rounded once, and no subnormal flushed.
    fn of(self, x: u32, y: u32) -> f32 {
        let [a, b] = [x, y].map(f32::from_bits);
        match self {
            Unsigned => x as f32,
            Signed => x.cast_signed() as f32,
            Sum => a + b,
            Product => a * b,
            Quotient => a / b,
            Root => a.sqrt(),
            Ceiling => a.ceil(),
            Less => f32::from(u8::from(a < b)),
        }
    }

    /// Returns the same if operands and results are flushed.
    fn flushed(self, x: u32, y: u32) -> f32 {
        flushed(self.of(flushed(f32::from_bits(x)).to_bits(), flushed(f32::from_bits(y)).to_bits()))
    }

    fn converts(self) -> bool {
        matches!(self, Unsigned | Signed)
    }
}

fn flushed(x: f32) -> f32 {
    if x.is_subnormal() { 0f32.copysign(x) } else { x }
}

/// Returns operations with the bits of their operands. Of floats each row has a subnormal operand
/// or result by which one that keeps it is told from one that flushes it.
fn rows() -> Vec<(Tried, [u32; 2])> {
    let mut rows = Vec::new();
    let mut random = Random::new(7);
    for number in 0..512 {
        // The last bits decide: just below, at and above the middle, and anything.
        let bits = random.next() >> (number % 9);
        let middle = (bits & !0xff) | 0x80;
        for x in [bits, middle, middle - 1, middle + 1, u32::MAX - number / 4] {
            rows.extend([(Unsigned, [x, 0]), (Signed, [x, 0])]);
        }
    }
    let least = f32::MIN_POSITIVE;
    let subnormals = [1, 0x1000, 0x0040_0001, 0x007f_ffff].map(f32::from_bits);
    for tiny in subnormals.into_iter().flat_map(|x| [x, -x]) {
        let large = 1e30f32;
        rows.extend(
            [
                (Sum, [tiny, tiny * 0.0]),
                (Sum, [least, tiny - least]),
                (Product, [tiny, large]),
                (Product, [tiny * large, 1.0 / large]),
                (Quotient, [tiny, least]),
                (Quotient, [tiny * large, large]),
                (Root, [tiny.abs(), 0.0]),
                (Ceiling, [tiny.abs(), 0.0]),
                (Less, [tiny, tiny * -0.5]),
                (Less, [tiny * -0.5, tiny]),
                (Less, [0.0, tiny.abs()]),
                (Less, [-tiny.abs(), 0.0]),
            ]
            .map(|(tried, operands)| (tried, operands.map(f32::to_bits))),
        );
    }
    rows.retain(|&(tried, [x, y])| {
        tried.converts() || tried.of(x, y).to_bits() != tried.flushed(x, y).to_bits()
    });
    rows
}

async fn try_on(
    context: &Context,
    limits: &PlanLimits,
    rows: &[(Tried, [u32; 2])],
) -> Result<Vec<f32>> {
    // Compiling takes the most time, and less of it the smaller the unit is.
    let limits = PlanLimits {
        conversion: Some(Conversion::Native),
        subnormals: Some(Subnormals::Kept),
        quads_per_unit: 1,
        wide: false,
        ..limits.clone()
    };
    let context = context.beside(limits, Precision::Accurate)?;
    let upload = |column: Vec<u32>| context.upload(&Literal::from_slice([column.len()], &column)?);
    let number = upload(rows.iter().map(|&(tried, _)| tried as u32).collect())?;
    let x = upload(rows.iter().map(|&(_, [x, _])| x).collect())?;
    let y = upload(rows.iter().map(|&(_, [_, y])| y).collect())?;
    let results = context.run(&computation(rows.len())?, &[&number, &x, &y])?;
    read(&results).await?.to_vec()
}

/// Returns the kernel of all operations, of which each row takes one by its number.
fn computation(count: usize) -> Result<Computation> {
    let mut b = Builder::new();
    let number = b.parameter(ElementType::U32, [count])?;
    let x = b.parameter(ElementType::U32, [count])?;
    let y = b.parameter(ElementType::U32, [count])?;
    let signed = b.bitcast_convert_type(x, ElementType::S32)?;
    let lhs = b.bitcast_convert_type(x, ElementType::F32)?;
    let rhs = b.bitcast_convert_type(y, ElementType::F32)?;
    let mut result = b.convert_element_type(x, ElementType::F32)?;
    for tried in ALL.into_iter().skip(1) {
        let value: Op = match tried {
            Unsigned => result,
            Signed => b.convert_element_type(signed, ElementType::F32)?,
            Sum => b.add(lhs, rhs, &[])?,
            Product => b.mul(lhs, rhs, &[])?,
            Quotient => b.div(lhs, rhs, &[])?,
            Root => b.sqrt(lhs)?,
            Ceiling => b.ceil(lhs)?,
            Less => {
                let less = b.lt(lhs, rhs, &[])?;
                b.convert_element_type(less, ElementType::F32)?
            }
        };
        let own = b.constant(Scalar::new(tried as u32))?;
        let is_this = b.eq(number, own, &[])?;
        result = b.select(is_this, value, result)?;
    }
    b.build(result)
}

/// Chooses by the results of the rows.
fn judged(rows: &[(Tried, [u32; 2])], results: &[f32]) -> (Conversion, Subnormals) {
    let complete = results.len() == rows.len();
    let all = |converts: bool, want: fn(Tried, u32, u32) -> f32| {
        let mut rows =
            rows.iter().zip(results).filter(|((tried, _), _)| tried.converts() == converts);
        complete && rows.all(|(&(tried, [x, y]), got)| got.to_bits() == want(tried, x, y).to_bits())
    };
    let conversion = match all(true, Tried::of) {
        true => Conversion::Native,
        false => Conversion::ByIntegers,
    };
    let subnormals = match (all(false, Tried::of), all(false, Tried::flushed)) {
        (true, _) => Subnormals::Kept,
        (_, true) => Subnormals::Flushed,
        _ => Subnormals::FlushedByBits,
    };
    (conversion, subnormals)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(compute: impl Fn(Tried, u32, u32) -> f32) -> (Conversion, Subnormals) {
        let rows = rows();
        let results: Vec<f32> = rows.iter().map(|&(tried, [x, y])| compute(tried, x, y)).collect();
        judged(&rows, &results)
    }

    #[test]
    fn adapters_are_told_apart() {
        use Conversion::{ByIntegers, Native};
        use Subnormals::{Flushed, FlushedByBits, Kept};
        assert_eq!(found(Tried::of), (Native, Kept));
        let flushes = |tried: Tried, x, y| match tried.converts() {
            true => tried.of(x, y),
            false => tried.flushed(x, y),
        };
        assert_eq!(found(flushes), (Native, Flushed));
        // One operation alone that does otherwise is found.
        for other in ALL.into_iter().filter(|tried| !tried.converts()) {
            let kept = found(|tried, x, y| match tried == other {
                true => tried.flushed(x, y),
                false => tried.of(x, y),
            });
            assert_eq!(kept, (Native, FlushedByBits), "{other:?}");
            let flushed = found(|tried, x, y| match tried == other {
                true => tried.of(x, y),
                false => flushes(tried, x, y),
            });
            assert_eq!(flushed, (Native, FlushedByBits), "{other:?}");
        }
        // Truncated; rounded with halves away from zero; and by way of halves of the integer.
        let truncated = |x: u32| (x & (u32::MAX << (8 - x.leading_zeros().min(8)))) as f32;
        let away = |x: u32| {
            let nearest = x as f32;
            let below = f64::from(x) - f64::from(nearest);
            let next = f32::from_bits(nearest.to_bits() + 1);
            if below * 2.0 >= f64::from(next) - f64::from(nearest) { next } else { nearest }
        };
        let halved = |x: u32| (x >> 1) as f32 + (x - (x >> 1)) as f32;
        for convert in [&truncated as &dyn Fn(u32) -> f32, &away, &halved] {
            let found = found(|tried, x, y| match tried {
                Unsigned => convert(x),
                _ => tried.of(x, y),
            });
            assert_eq!(found, (ByIntegers, Kept));
        }
        assert_eq!(judged(&rows(), &[]), (ByIntegers, FlushedByBits));
    }

    #[test]
    fn every_operation_is_tried() {
        let rows = rows();
        for tried in ALL {
            let count = rows.iter().filter(|(each, _)| *each == tried).count();
            assert!(count >= 4, "{tried:?}: {count}");
        }
    }
}

//! Reductions: of known elements by the order of docs/numerics.md, of others where no order counts.

use std::cmp::Ordering;

use indim::{ElementType, Opcode, Scalar, ScalarValue};

use crate::oracle;
use crate::oracle::format;
use crate::oracle::order;
use crate::oracle::value::{Span, Value};

/// Returns the value of a reduction of no elements.
fn identity(opcode: Opcode, of: ElementType) -> u64 {
    let one = Scalar::from_f64(of, 1.0).map_or(1, Scalar::bits);
    let all = u64::MAX >> (64 - if of == ElementType::Pred { 1 } else { of.bits() });
    let infinity = |x| Scalar::from_f64(of, x).map(Scalar::bits);
    let range = of.integer_range();
    let end = |end: i128| Scalar::from_i128(of, end).map_or(0, Scalar::bits);
    match opcode {
        Opcode::ReduceProd => one,
        Opcode::ReduceAnd => all,
        Opcode::ReduceMax if of == ElementType::Pred => 0,
        Opcode::ReduceMin if of == ElementType::Pred => 1,
        Opcode::ReduceMax => {
            range.map_or_else(|| infinity(f64::NEG_INFINITY).unwrap(), |r| end(r.0))
        }
        Opcode::ReduceMin => range.map_or_else(|| infinity(f64::INFINITY).unwrap(), |r| end(r.1)),
        _ => 0,
    }
}

/// Returns the operation by which a reduction combines two elements.
pub fn by(opcode: Opcode) -> Opcode {
    match opcode {
        Opcode::ReduceSum => Opcode::Add,
        Opcode::ReduceProd => Opcode::Mul,
        Opcode::ReduceMax => Opcode::Max,
        Opcode::ReduceMin => Opcode::Min,
        Opcode::ReduceAnd => Opcode::And,
        Opcode::ReduceOr => Opcode::Or,
        _ => Opcode::Xor,
    }
}

fn single(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

/// Returns the values that a reduction may give.
pub fn of_values(opcode: Opcode, of: ElementType, elements: &[Value]) -> Value {
    let known: Option<Vec<u64>> = elements.iter().map(|value| value.bits()).collect();
    match known {
        Some(known) => reduced(opcode, of, &known),
        None if has_order(opcode, of) => Value::Unknown,
        None => any_nan(of, combined(opcode, of, elements.iter().copied())),
    }
}

/// Returns the position of the first extreme, or of the first NaN, of elements that are all known.
pub fn position(largest: bool, of: ElementType, group: &[u64]) -> usize {
    let is_nan = |&bits: &u64| format::of(of).is_some_and(|format| format.decode(bits).is_nan());
    if let Some(position) = group.iter().position(is_nan) {
        return position;
    }
    let is_nearer = |a: u64, b: u64| {
        let order = match (format::of(of), of.integer_range()) {
            (Some(format), _) => format.decode(a).partial_cmp(&format.decode(b)),
            (None, Some((0, _)) | None) => Some(a.cmp(&b)),
            (None, Some(_)) => {
                let unused = 64 - of.bits();
                let [a, b] = [a, b].map(|bits| (bits << unused).cast_signed());
                Some(a.cmp(&b))
            }
        };
        order == Some(if largest { Ordering::Greater } else { Ordering::Less })
    };
    (1..group.len()).fold(0, |best, i| if is_nearer(group[i], group[best]) { i } else { best })
}

/// Returns the same of elements that may be unknown, where nothing is known, or flushed.
pub fn position_of_values(largest: bool, of: ElementType, elements: &[Value]) -> Value {
    let least = if of == ElementType::F64 { -1022 } else { -126 };
    let may_be_flushed =
        |&bits: &u64| format::of(of).is_some_and(|format| is_tiny(format.decode(bits), least));
    let known: Option<Vec<u64>> = elements.iter().map(|value| value.bits()).collect();
    match known {
        Some(known) if !known.iter().any(may_be_flushed) => {
            Value::Bits(position(largest, of, &known) as u64)
        }
        _ => Value::Unknown,
    }
}

/// Returns true if rounding makes the order count.
fn has_order(opcode: Opcode, of: ElementType) -> bool {
    use ElementType::{Bf16, C64, F16, F32, F64};
    let computes = matches!(opcode, Opcode::ReduceSum | Opcode::ReduceProd);
    computes && matches!(of, F16 | Bf16 | F32 | F64 | C64)
}

fn combined(opcode: Opcode, of: ElementType, elements: impl Iterator<Item = Value>) -> Value {
    let by = by(opcode);
    elements.fold(Value::Bits(identity(opcode, of)), |sum, element| {
        oracle::binary(by, of, sum, element)
    })
}

/// Returns a value that may have another payload if it is NaN: which one an extreme has is not said.
fn any_nan(of: ElementType, value: Value) -> Value {
    match (format::of(of), value) {
        (Some(format), Value::Bits(bits)) if format.decode(bits).is_nan() => {
            Value::Span(Span { ends: None, nan: true })
        }
        _ => value,
    }
}

/// Returns true if a number may be flushed to 0, or be too small for the rest of a product.
fn is_tiny(x: f64, least: i32) -> bool {
    x != 0.0 && x.abs() < 2f64.powi(least)
}

/// Returns the values that a reduction of these elements may give. A sum of zeros is 0.
pub fn reduced(opcode: Opcode, of: ElementType, elements: &[u64]) -> Value {
    use ElementType::{Bf16, C64, F16, F32, F64};
    if !has_order(opcode, of) {
        let values = elements.iter().map(|&bits| Value::Bits(bits));
        return any_nan(of, combined(opcode, of, values));
    }
    let wide = |bits: &u64| match Scalar::from_bits(of, *bits).value() {
        ScalarValue::Float(value) => value,
        other => panic!("{other:?}"),
    };
    let is_sum = opcode == Opcode::ReduceSum;
    let result = match of {
        F16 | Bf16 | F32 => {
            let values: Vec<f32> = elements.iter().map(|bits| wide(bits) as f32).collect();
            let (least, words) = if is_sum {
                (-80, order::sum_in_words(&values))
            } else {
                (-100, order::product_in_words(&values))
            };
            let smallest = order::tree(values.clone(), f32::INFINITY, &|a, b| {
                if is_sum { a.abs().min(b.abs()) } else { (a * b).abs() }
            });
            if values.iter().any(|&x| is_tiny(x.into(), least)) || is_tiny(smallest.into(), least) {
                return Value::Unknown;
            }
            let [high, low] = words;
            let sum = if high.is_finite() { f64::from(high) + f64::from(low) } else { high.into() };
            if !is_sum && !high.is_finite() && values.iter().all(|x| x.is_finite()) {
                // Partial products overflow in one order and not in another, but this one is known.
                f64::from(high)
            } else if is_sum && sum == 0.0 {
                0.0
            } else if !is_sum && low == 0.0 {
                f64::from(high)
            } else {
                sum
            }
        }
        F64 => {
            let values: Vec<f64> = elements.iter().map(wide).collect();
            if values.iter().any(|&x| is_tiny(x, -500)) {
                return Value::Unknown;
            }
            if is_sum {
                // The identity is added first, so that no sum is -0.
                order::tree(values, 0.0, &|a, b| a + b)
            } else {
                order::tree(values, 1.0, &|a, b| a * b)
            }
        }
        // Products of complex numbers may over- and underflow on the way.
        C64 if !is_sum => return Value::Unknown,
        _ => {
            let part = |part: u32| -> f32 {
                let values = elements.iter().map(|bits| single(bits >> (32 * part)));
                order::tree(values.collect(), 0.0, &|a, b| a + b)
            };
            let tiny =
                |bits: &u64| [0, 32].iter().any(|by| is_tiny(single(bits >> by).into(), -80));
            if elements.iter().any(tiny) {
                return Value::Unknown;
            }
            return Value::complex(Span::of(part(0).into()), Span::of(part(1).into()));
        }
    };
    match format::of(of) {
        Some(_) if result.is_nan() => Value::Span(Span { ends: None, nan: true }),
        _ => Value::Bits(Scalar::from_f64(of, result).map_or(0, Scalar::bits)),
    }
}

//! JavaScript's numbers as elements and as sizes.

use indim::half::{bf16, f16};
use indim::{ElementType, Scalar};
use wasm_bindgen::JsValue;

use crate::thrown;

/// All integers up to this one are numbers of JavaScript.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// Returns a number as an element: rounded to a float, or unchanged as an integer.
pub(crate) fn element(of_type: ElementType, number: f64) -> Result<Scalar, JsValue> {
    use ElementType::{Bf16, C64, F16, F32, F64, Pred};
    let bits = match of_type {
        F16 => u64::from(f16::from_f64(number).to_bits()),
        Bf16 => u64::from(bf16::from_f64(number).to_bits()),
        F32 => u64::from((number as f32).to_bits()),
        C64 => u64::from((number as f32).to_bits()),
        F64 => number.to_bits(),
        Pred if number == 0.0 || number == 1.0 => number as u64,
        Pred => return Err(thrown(format!("{number} is no element of pred, which are 0 and 1"))),
        integer => integer_bits(integer, number)?,
    };
    Ok(Scalar::from_bits(of_type, bits))
}

fn integer_bits(of_type: ElementType, number: f64) -> Result<u64, JsValue> {
    use ElementType::{S4, S8, S16, S32, S64, U4, U8, U16, U32};
    let (width, signed) = match of_type {
        S4 => (4, true),
        S8 => (8, true),
        S16 => (16, true),
        S32 => (32, true),
        S64 => (64, true),
        U4 => (4, false),
        U8 => (8, false),
        U16 => (16, false),
        U32 => (32, false),
        _ => (64, false),
    };
    // These are powers of two, which a float holds.
    let (low, end) = if signed {
        (-(2f64.powi(width - 1)), 2f64.powi(width - 1))
    } else {
        (0.0, 2f64.powi(width))
    };
    if number.fract() != 0.0 || !(low..end).contains(&number) {
        return Err(thrown(format!("{number} is no element of {of_type}")));
    }
    let bits = if signed { (number as i64).cast_unsigned() } else { number as u64 };
    Ok(if width == 64 { bits } else { bits & ((1 << width) - 1) })
}

/// Returns numbers that must be integers, such as sizes and dimensions. `what` is in the message.
pub(crate) fn integers(what: &str, numbers: &[f64]) -> Result<Vec<i64>, JsValue> {
    let integer = |(i, &number): (usize, &f64)| {
        let exact = number.fract() == 0.0 && number.abs() <= MAX_EXACT;
        exact
            .then_some(number as i64)
            .ok_or_else(|| thrown(format!("{what}[{i}] is {number}, which is no integer")))
    };
    numbers.iter().enumerate().map(integer).collect()
}

/// Returns numbers that must be sizes of dimensions.
pub(crate) fn sizes(numbers: &[f64]) -> Result<Vec<usize>, JsValue> {
    let size = |(i, size): (usize, i64)| {
        usize::try_from(size)
            .map_err(|_| thrown(format!("shape[{i}] is {size}; sizes are 0 to {}", usize::MAX)))
    };
    integers("shape", numbers)?.into_iter().enumerate().map(size).collect()
}

//! JavaScript's numbers as elements and as sizes.

use indim::{ElementType, Scalar};
use wasm_bindgen::JsValue;

use crate::thrown;

/// JavaScript's `Number.MAX_SAFE_INTEGER`; a larger number may have been typed as another integer.
const MAX_SAFE: f64 = 9_007_199_254_740_991.0;

/// Returns a number as JavaScript writes it. Rust's own text of it would be 25 kB of code and tables.
pub(crate) fn text(number: f64) -> String {
    js_sys::Number::from(number)
        .to_string_with_radix(10)
        .map_or_else(|_| String::new(), String::from)
}

/// Returns a number as an element: rounded to a float, or unchanged as an integer.
pub(crate) fn element(of_type: ElementType, number: f64) -> Result<Scalar, JsValue> {
    Scalar::from_f64(of_type, number).ok_or_else(|| {
        thrown(match of_type {
            ElementType::Pred => {
                format!("{} is not an element of pred, which are 0 and 1", text(number))
            }
            _ => format!("{} is not an element of {of_type}", text(number)),
        })
    })
}

/// Returns numbers that must be integers, such as sizes and dimensions. `what` is in the message.
pub(crate) fn integers(what: &str, numbers: &[f64]) -> Result<Vec<i64>, JsValue> {
    let integer = |(i, &number): (usize, &f64)| {
        if number.fract() == 0.0 && number.abs() <= MAX_SAFE {
            return Ok(number as i64);
        }
        let what_is_wrong = if number.abs() > MAX_SAFE {
            "beyond 2^53 - 1, up to which integers are exact in JavaScript"
        } else {
            "which is not an integer"
        };
        Err(thrown(format!("{what}[{i}] is {}, {what_is_wrong}", text(number))))
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

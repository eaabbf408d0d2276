//! Numbers as MLIR writes them.

use indim_core::{ElementType, Scalar, ScalarValue};

use crate::syntax::dense;

/// Returns a scalar as an element of a constant: with a point where it is a float, and by its bits
/// where no decimal number gives them.
pub(crate) fn element(value: Scalar) -> String {
    let of = value.element_type();
    match value.value() {
        ScalarValue::Pred(flag) => flag.to_string(),
        ScalarValue::Integer(number) => number.to_string(),
        ScalarValue::Float(number) => float(value, number, of),
        ScalarValue::Complex(..) => {
            let part = |bits: u64| element(Scalar::from_bits(ElementType::F32, bits & 0xffff_ffff));
            format!("({}, {})", part(value.bits()), part(value.bits() >> 32))
        }
    }
}

fn float(value: Scalar, number: f64, of: ElementType) -> String {
    let digits = match of {
        ElementType::F64 => format!("{number:e}"),
        // The fewest digits that tell it from other f32, which a narrower type's are, too.
        _ => format!("{:e}", number as f32),
    };
    let decimal = match digits.split_once('e') {
        Some((digits, exponent)) => {
            let point = if digits.contains('.') { "" } else { ".0" };
            format!("{digits}{point}e{exponent}")
        }
        None => digits,
    };
    let is_exact = number.is_finite() && dense::element(&decimal, of) == Some(value);
    if is_exact { decimal } else { format!("0x{:0width$X}", value.bits(), width = of.bits() / 4) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_points_or_bits() {
        assert_eq!(element(Scalar::new(0.5f32)), "5.0e-1");
        assert_eq!(element(Scalar::new(-0.0f64)), "-0.0e0");
        assert_eq!(element(Scalar::new(f32::NEG_INFINITY)), "0xFF800000");
        assert_eq!(element(Scalar::new(true)), "true");
        assert_eq!(element(Scalar::new(-7i8)), "-7");
    }
}

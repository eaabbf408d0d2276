//! Spells single elements in sentences and pictures. Whole arrays are printed by [`Literal`].

use indim::half::{bf16, f16};
use indim::{Element, ElementType, Literal, Scalar, ScalarValue};

/// Returns a scalar's spelling in a sentence. Floats are spelled as in NumPy.
pub(crate) fn word(scalar: Scalar) -> String {
    fn alone<T: Element>(x: T) -> String {
        Literal::from_slice([], &[x]).map_or_else(|error| error.to_string(), |x| x.to_string())
    }
    match (scalar.value(), scalar.element_type()) {
        (ScalarValue::Pred(pred), _) => pred.to_string(),
        (ScalarValue::Integer(n), _) => n.to_string(),
        (ScalarValue::Float(x), ElementType::F16) => alone(f16::of(x)),
        (ScalarValue::Float(x), ElementType::Bf16) => alone(bf16::of(x)),
        (ScalarValue::Float(x), ElementType::F32) => alone(x as f32),
        (ScalarValue::Float(x), _) => alone(x),
        (ScalarValue::Complex(re, im), _) => {
            let sign = if im.is_sign_negative() { "" } else { "+" };
            format!("{}{sign}{}i", alone(re as f32), alone(im as f32))
        }
    }
}

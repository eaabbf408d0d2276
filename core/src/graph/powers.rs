//! Exponents whose powers are computed by simpler operations.

use crate::semantics::element::{Scalar, ScalarValue};

/// An exponent of this value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Exponent {
    Zero,
    One,
    Two,
    Three,
    MinusOne,
    Half,
    MinusHalf,
}

impl Exponent {
    /// Returns the exponent of this value, of a real type.
    pub fn of(value: Scalar) -> Option<Self> {
        let value = match value.value() {
            ScalarValue::Float(value) => value,
            // Negative powers of integers are left to `pow`.
            ScalarValue::Integer(value @ 0..=3) => value as f64,
            _ => return None,
        };
        let known = [
            (0.0, Self::Zero),
            (1.0, Self::One),
            (2.0, Self::Two),
            (3.0, Self::Three),
            (-1.0, Self::MinusOne),
            (0.5, Self::Half),
            (-0.5, Self::MinusHalf),
        ];
        known.into_iter().find(|(of, _)| *of == value).map(|(_, exponent)| exponent)
    }
}

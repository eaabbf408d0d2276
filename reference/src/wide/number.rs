//! A number as two float64 numbers and a power of two.

use crate::double_double::DoubleDouble;
use crate::real::Real as _;

/// A number `value * 2^exponent`, so that nothing over- or underflows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wide {
    /// Two numbers whose sum it is, but for the power of two; its magnitude is moderate.
    pub value: DoubleDouble,
    /// The power of two.
    pub exponent: i32,
}

impl Wide {
    pub(crate) fn of(x: f64) -> Self {
        Self::from(DoubleDouble::of(x))
    }

    /// Returns the nearest float64 number; infinite where that is too large.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        let sum = self.value.high + self.value.low;
        DoubleDouble::of(sum).scaled(self.exponent.clamp(-2000, 2000)).high
    }
}

impl From<DoubleDouble> for Wide {
    fn from(value: DoubleDouble) -> Self {
        Self { value, exponent: 0 }
    }
}

//! NumPy's `floor_divide` and `remainder` of floats, whose steps are rounded one by one.

macro_rules! numpy_division {
    ($float:ident) => {
        /// The functions in this type.
        pub(crate) mod $float {
            /// Returns the quotient rounded down, as NumPy's `npy_divmod` steps give it.
            pub(crate) fn floor_divide(a: $float, b: $float) -> $float {
                if b == 0.0 {
                    return a / b;
                }
                let rest = a % b;
                let mut quotient = (a - rest) / b;
                if rest != 0.0 && (b < 0.0) != (rest < 0.0) {
                    quotient -= 1.0;
                }
                if quotient == 0.0 {
                    return $float::copysign(0.0, a / b);
                }
                let whole = quotient.floor();
                if quotient - whole > 0.5 { whole + 1.0 } else { whole }
            }

            /// Returns the remainder of the division that rounds down, with the divisor's sign.
            pub(crate) fn remainder(a: $float, b: $float) -> $float {
                let rest = a % b;
                if rest == 0.0 {
                    rest.copysign(b)
                } else if (rest < 0.0) == (b < 0.0) {
                    rest
                } else {
                    rest + b
                }
            }
        }
    };
}

numpy_division!(f32);
numpy_division!(f64);

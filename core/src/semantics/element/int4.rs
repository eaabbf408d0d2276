//! [`S4`] and [`U4`], the 4-bit integers that Rust does not have.

use std::fmt;

macro_rules! int4 {
    ($(#[$doc:meta])* $name:ident $of:ty, $min:literal to $max:literal, $wrap:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub struct $name($of);

        impl $name {
            /// The smallest value.
            pub const MIN: Self = Self($min);
            /// The largest value.
            pub const MAX: Self = Self($max);

            /// Returns the value if 4 bits hold it.
            ///
            /// ```
            #[doc = concat!("use indim::", stringify!($name), " as Int4;")]
            ///
            /// assert_eq!(Int4::new(7).map(Int4::get), Some(7));
            /// assert_eq!(Int4::new(16), None);
            /// ```
            pub const fn new(value: $of) -> Option<Self> {
                if $wrap(value) == value { Some(Self(value)) } else { None }
            }

            /// Returns the value modulo 16.
            ///
            /// ```
            #[doc = concat!("use indim::", stringify!($name), " as Int4;")]
            ///
            /// assert_eq!(Int4::wrapping(16 + 7).get(), 7);
            /// ```
            pub const fn wrapping(value: $of) -> Self {
                Self($wrap(value))
            }

            /// Returns the value.
            ///
            /// ```
            #[doc = concat!("use indim::", stringify!($name), " as Int4;")]
            ///
            /// assert_eq!(Int4::default().get(), 0);
            /// ```
            pub const fn get(self) -> $of {
                self.0
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl From<$name> for $of {
            fn from(value: $name) -> $of {
                value.0
            }
        }
    };
}

/// Sign-extends the low four bits.
const fn signed(value: i8) -> i8 {
    (value << 4) >> 4
}

/// Zero-extends the low four bits.
const fn unsigned(value: u8) -> u8 {
    value & 15
}

int4! {
    /// A signed 4-bit integer, -8 to 7.
    S4 i8, -8 to 7, signed
}

int4! {
    /// An unsigned 4-bit integer, 0 to 15.
    U4 u8, 0 to 15, unsigned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_bits_wrap() {
        assert_eq!(S4::wrapping(8), S4::MIN);
        assert_eq!(S4::wrapping(-9), S4::MAX);
        assert_eq!(U4::wrapping(0xf7).get(), 7);
        assert_eq!((S4::new(8), U4::new(16)), (None, None));
        assert_eq!(format!("{:?} {}", S4::MIN, U4::MAX), "-8 15");
    }
}

//! Which versions of the functions of `shaders/` a kernel links.

use indim_shaders::Versions;

use crate::arithmetic::{Arithmetic, Conversion, Guard, Rounding, Sums};

/// Returns the versions for this arithmetic. `int64` is true if the shader has 64-bit integers, and
/// `through_f64` if functions use 64-bit floats where there is such a version.
pub(super) fn versions(arithmetic: Arithmetic, int64: bool, through_f64: bool) -> Versions {
    let rounded = |rounding| match rounding {
        Rounding::Native => indim_shaders::Rounding::Native,
        Rounding::ThroughF64 => indim_shaders::Rounding::ThroughF64,
        Rounding::ByIntegers => indim_shaders::Rounding::ByIntegers,
    };
    Versions {
        quotient: rounded(arithmetic.division),
        root: rounded(arithmetic.square_root),
        conversion_by_integers: arithmetic.conversion == Conversion::ByIntegers,
        guard_by_bits: arithmetic.guard == Guard::Bits,
        sums_regrouped: arithmetic.sums == Sums::Regrouped,
        words: !int64,
        through_f64,
    }
}

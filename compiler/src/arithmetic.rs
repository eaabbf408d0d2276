//! [`Arithmetic`]: how kernels compute what WGSL leaves to the adapter.

use std::fmt;

/// How kernels compute what WGSL does not define to the last bit: quotients, square roots, F16,
/// floats of integers, subnormals and guarded sums.
///
/// Which ways give XLA's results depends on the adapter. A context tests its adapter
/// (`Context::calibrate`) unless [`PlanLimits::arithmetic`](crate::limits::PlanLimits::arithmetic) is
/// set, which it uses untested: `Native` and [`Guard::Minimum`] then give wrong results on an
/// adapter that rounds differently.
///
/// The default is the adapter's own arithmetic of F32, as plans without a context have it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Arithmetic {
    /// How quotients are computed, including reciprocals and those inside functions.
    pub division: Rounding,
    /// How square roots are computed.
    pub square_root: Rounding,
    /// The floats in which F16 is added and multiplied.
    pub half: Half,
    /// How integers become F32.
    pub conversion: Conversion,
    /// How operations treat subnormals. [`Subnormals::Kept`] and [`Subnormals::Flushed`] are for
    /// adapters that do exactly that.
    pub subnormals: Subnormals,
    /// How functions guard their sums.
    pub guard: Guard,
    /// How the compiler treats sums of several floats, such as those in two words.
    pub sums: Sums,
}

impl Arithmetic {
    /// Returns the ways that are right on every adapter, which are slower than an adapter's own.
    /// Subnormals are flushed by bits.
    ///
    /// ```
    /// use indim::plan::{Arithmetic, Rounding};
    ///
    /// assert_eq!(Arithmetic::portable().division, Rounding::ByIntegers);
    /// assert_eq!(Arithmetic::default().division, Rounding::Native);
    /// ```
    #[must_use]
    pub const fn portable() -> Self {
        Self {
            division: Rounding::ByIntegers,
            square_root: Rounding::ByIntegers,
            half: Half::ThroughF32,
            conversion: Conversion::ByIntegers,
            subnormals: Subnormals::FlushedByBits,
            guard: Guard::Bits,
            sums: Sums::Regrouped,
        }
    }
}

/// How a quotient or a square root is rounded correctly, as in XLA. WGSL allows the native ones
/// errors of some units in the last place, and drivers make use of that.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Rounding {
    /// Uses the adapter's own division or root, which is correct only on adapters that round
    /// correctly.
    #[default]
    Native,
    /// Computes in 64-bit floats and rounds to 32 bits. Needs `Features::SHADER_F64`.
    ThroughF64,
    /// Corrects an approximation by its remainder in integers. Correct on every adapter.
    ByIntegers,
}

impl fmt::Display for Rounding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Native => "native",
            Self::ThroughF64 => "through f64",
            Self::ByIntegers => "by integers",
        })
    }
}

/// The floats in which kernels that only add, subtract and multiply F16 compute.
///
/// WGSL allows f16 to flush subnormals and to round either way, so [`Half::Native`] is used only
/// where a test found that it does neither.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Half {
    /// Computes in 32-bit floats and rounds to 16 bits by integers. Correct on every adapter.
    #[default]
    ThroughF32,
    /// Computes in the shader's 16-bit floats. Needs `Features::SHADER_F16` and
    /// `Features::SHADER_I16`.
    Native,
}

impl fmt::Display for Half {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::ThroughF32 => "through f32",
            Self::Native => "native",
        })
    }
}

/// How an integer becomes an F32 (or a C64) rounded to nearest even, as in XLA. WGSL does not
/// define how an integer of more than 24 bits is rounded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Conversion {
    /// Uses the adapter's own conversion, which is correct only on adapters that round to nearest
    /// even.
    #[default]
    Native,
    /// Rounds the integer to 24 bits in integer arithmetic. Correct on every adapter.
    ByIntegers,
}

impl fmt::Display for Conversion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Native => "native",
            Self::ByIntegers => "by integers",
        })
    }
}

/// How operations treat the subnormals of F32, the numbers between zero and 2^-126. WGSL allows an
/// adapter to flush them to zero at any point; all operations of a context treat them alike.
///
/// If they are flushed, an operation takes a subnormal operand for a zero of the same sign, and
/// returns such a zero for a subnormal result. Operations that only move or compare bits, which
/// docs/numerics.md lists, always keep them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Subnormals {
    /// Subnormals are ordinary numbers, and the adapter's arithmetic loses none.
    #[default]
    Kept,
    /// The adapter's own arithmetic flushes subnormal operands and results, and so do functions.
    Flushed,
    /// Operations flush subnormals by their bits, because the adapter keeps some and flushes
    /// others. Gives the same results on every adapter.
    FlushedByBits,
}

impl fmt::Display for Subnormals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Kept => "kept",
            Self::Flushed => "flushed",
            Self::FlushedByBits => "flushed by bits",
        })
    }
}

/// How functions keep compilers from regrouping their sums, and from contracting them with the
/// products in them, where that would change more than the last bits.
///
/// Between operations, guards always work as in [`Guard::Bits`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Guard {
    /// A term passes through its minimum with 2^100; no compiler is known to see through that.
    #[default]
    Minimum,
    /// A term passes through its bits and an or with a number of the parameter block that is always
    /// 0, which compilers cannot know. Correct on every adapter.
    Bits,
}

impl fmt::Display for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Minimum => "by a minimum",
            Self::Bits => "by bits",
        })
    }
}

/// How the compiler treats sums of several floats. A two-word reduction has seven such operations
/// for each element.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Sums {
    /// It computes them in the order in which they are written, and at most cancels `(a + b) - a`.
    /// Two guards keep it from that.
    #[default]
    AsWritten,
    /// It may regroup them, so that each operation is guarded. Correct on every adapter.
    Regrouped,
}

impl fmt::Display for Sums {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::AsWritten => "as written",
            Self::Regrouped => "regrouped",
        })
    }
}

//! Chooses how a value is brought back into a type that is narrower than the form in which shaders
//! hold it.

use indim_core::semantics::element::{ElementType, Form};

/// The operation that turns a value of a form into one of a narrow type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Narrowing {
    /// Nothing: the value already has the type.
    Keep,
    /// Keeps the low bits of an integer.
    Wrap,
    /// Clamps an integer that was a float to the type's range.
    Saturate,
    /// Rounds a float to nearest even.
    Round,
}

impl Narrowing {
    /// Returns the narrowing that brings an operation's results back into their type.
    pub(super) fn to_type(element_type: ElementType) -> Self {
        match element_type.form() {
            _ if !element_type.is_narrow() => Self::Keep,
            Form::F32 => Self::Round,
            _ => Self::Wrap,
        }
    }

    /// Returns the text of a value narrowed to a type.
    pub(super) fn apply(self, text: String, to: ElementType, quad: bool) -> String {
        let bits = to.bits();
        let above = 32_usize.saturating_sub(bits);
        let signed = to.form() == Form::S32;
        let (i, u) = if quad { ("vec4<i32>", "vec4<u32>") } else { ("i32", "u32") };
        match self {
            Self::Keep => text,
            Self::Wrap if signed => format!("(({text} << {u}({above}u)) >> {u}({above}u))"),
            Self::Wrap => format!("({text} & {u}({}u))", mask(bits)),
            Self::Saturate if signed => {
                let max = mask(bits) / 2;
                format!("clamp({text}, {i}(-{}), {i}({max}))", max + 1)
            }
            Self::Saturate => format!("min({text}, {u}({}u))", mask(bits)),
            Self::Round => {
                let many = if quad { "_4" } else { "" };
                format!("xla_{to}_round{many}({text})")
            }
        }
    }
}

/// Returns a word whose lowest `bits` bits are set, which are 1 to 32.
pub(super) fn mask(bits: usize) -> u32 {
    u32::MAX >> 32_usize.saturating_sub(bits).min(31)
}

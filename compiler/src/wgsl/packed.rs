//! Computes 8- and 16-bit integers without extracting them from their words.
//!
//! If a kernel only adds, subtracts and combines bits of one such type, and reads its operands
//! contiguously, it computes all elements of a word at once: a quad is held as one u32 (8 bits) or
//! a `vec2<u32>` (16 bits), and a single value is repeated in every lane of it. Carries are kept
//! from crossing into the next element as in H. S. Warren, "Hacker's Delight", 2-18.

use crate::plan::access::Access;
use crate::plan::kernel::{Kernel, KernelOutput};
use indim_core::semantics::element::{ElementType, Form};
use indim_core::semantics::opcode::Opcode;
use indim_core::semantics::text::replaced;

/// The type that holds a quad of such a kernel's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Packed {
    /// Four bytes are in a u32.
    Bytes,
    /// Two half words are in each word of a `vec2<u32>`.
    Halves,
}

impl Packed {
    /// Returns the type that holds a kernel's quads, if the kernel can compute without splitting
    /// words.
    pub(super) fn of(kernel: &Kernel) -> Option<Self> {
        let element_type = kernel.outputs[0].element_type;
        let other_type = |output: &KernelOutput| output.element_type != element_type;
        if kernel.fold.is_some() || kernel.outputs.iter().any(other_type) {
            return None;
        }
        let packed = match (element_type.bits(), element_type.form()) {
            (8, Form::S32 | Form::U32) => Self::Bytes,
            (16, Form::S32 | Form::U32) => Self::Halves,
            _ => return None,
        };
        let in_words = kernel.map.loads.iter().all(|load| {
            let loaded = matches!(load.mode.access, Access::Contiguous | Access::Splat);
            load.element_type == element_type && loaded && load.binding.is_some()
        });
        let same = |&constant: &ElementType| constant == element_type;
        let together = kernel.map.ops.iter().all(|value| {
            let stays = value.from == element_type && value.element_type == element_type;
            stays && packed.spelling(value.opcode).is_some()
        });
        (in_words && kernel.map.constants.iter().all(same) && together).then_some(packed)
    }

    /// Returns the type of a quad, and of a repeated value.
    pub(super) fn wgsl_type(self) -> &'static str {
        match self {
            Self::Bytes => "u32",
            Self::Halves => "vec2<u32>",
        }
    }

    /// Returns the number of 32-bit words of a quad.
    pub(super) fn words(self) -> usize {
        match self {
            Self::Bytes => 1,
            Self::Halves => 2,
        }
    }

    /// Returns the value in the low bits of a word, repeated in every lane.
    pub(super) fn repeated(self, word: &str) -> String {
        match self {
            Self::Bytes => format!("(({word} & 255u) * 16843009u)"),
            Self::Halves => format!("vec2<u32>(({word} & 65535u) * 65537u)"),
        }
    }

    /// Returns the template of an operation; `{high}` is a mask of each element's top bit, `{low}`
    /// of all others.
    fn spelling(self, opcode: Opcode) -> Option<&'static str> {
        Some(match opcode {
            Opcode::Add => "((({a} & {low}) + ({b} & {low})) ^ (({a} ^ {b}) & {high}))",
            Opcode::Sub => "((({a} | {high}) - ({b} & {low})) ^ (({a} ^ ~{b}) & {high}))",
            Opcode::Neg => "(({high} - ({a} & {low})) ^ (~{a} & {high}))",
            Opcode::And => "({a} & {b})",
            Opcode::Or => "({a} | {b})",
            Opcode::Xor => "({a} ^ {b})",
            Opcode::Not => "(~{a})",
            _ => return None,
        })
    }

    /// Returns an operation on these operands.
    pub(super) fn operation(self, opcode: Opcode, operands: &[&str]) -> String {
        let ty = self.wgsl_type();
        let (high, low) = match self {
            Self::Bytes => ("2155905152u", "2139062143u"),
            Self::Halves => ("2147516416u", "2147450879u"),
        };
        let mut text = self.spelling(opcode).unwrap_or_default().to_owned();
        for (name, operand) in ["{a}", "{b}"].iter().zip(operands) {
            text = replaced(&text, name, operand);
        }
        let text = replaced(&text, "{high}", &format!("{ty}({high})"));
        replaced(&text, "{low}", &format!("{ty}({low})"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the formulas of the spellings on words of all pairs of bytes.
    #[test]
    fn no_carry_crosses_an_element() {
        let (high, low) = (0x8080_8080_u32, 0x7f7f_7f7f);
        for a in 0..=255u8 {
            for b in 0..=255u8 {
                let word = |x: u8, y: u8| u32::from_le_bytes([x, y, x, y]);
                let (p, q) = (word(a, b), word(b, !a));
                let add = ((p & low) + (q & low)) ^ ((p ^ q) & high);
                let sub = ((p | high) - (q & low)) ^ ((p ^ !q) & high);
                let neg = (high - (p & low)) ^ (!p & high);
                assert_eq!(add, word(a.wrapping_add(b), b.wrapping_add(!a)));
                assert_eq!(sub, word(a.wrapping_sub(b), b.wrapping_sub(!a)));
                assert_eq!(neg, word(a.wrapping_neg(), b.wrapping_neg()));
            }
        }
    }

    #[test]
    fn masks_are_the_top_bits() {
        let text = Packed::Bytes.operation(Opcode::Add, &["p", "q"]);
        assert!(text.contains(&format!("u32({}u)", 0x8080_8080_u32)), "{text}");
        assert!(text.contains(&format!("u32({}u)", 0x7f7f_7f7f_u32)), "{text}");
        let text = Packed::Halves.operation(Opcode::Sub, &["p", "q"]);
        assert!(text.contains(&format!("vec2<u32>({}u)", 0x8000_8000_u32)), "{text}");
        assert!(text.contains(&format!("vec2<u32>({}u)", 0x7fff_7fff_u32)), "{text}");
        assert!(!text.contains('{'), "{text}");
    }
}

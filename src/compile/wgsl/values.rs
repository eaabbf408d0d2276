//! How values are spelled: the types that hold one element or a quad of them, and the way from a
//! spelling of the op table, by names and lanes, to text.

use super::packed::Packed;
use super::writer::Writer;
use crate::compile::wgsl::conversion::Finish;
use crate::semantics::element::{ElementType, Form};
use crate::semantics::opcode::{Opcode, Spelling};

pub(super) const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

/// What holds the values of an element type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holder {
    Bool,
    I32,
    U32,
    I64,
    U64,
    /// F16, computed as such.
    F16,
    F32,
    F64,
    /// Two words, the low one first.
    Words,
    /// A real and an imaginary part.
    Complex,
    /// A quad in the words of memory, or one value in every place of it.
    Packed(Packed),
}

impl Holder {
    /// The type of one value.
    pub(super) fn scalar(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::I32 => "i32",
            Self::U32 => "u32",
            Self::I64 => "i64",
            Self::U64 => "u64",
            Self::F16 => "f16",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::Words => "vec2<u32>",
            Self::Complex => "vec2<f32>",
            Self::Packed(packed) => packed.holder(),
        }
    }

    /// The type of a quad: a vector, or an array where values are vectors themselves.
    pub(super) fn quad(self) -> &'static str {
        match self {
            Self::Bool => "vec4<bool>",
            Self::I32 => "vec4<i32>",
            Self::U32 => "vec4<u32>",
            Self::I64 => "vec4<i64>",
            Self::U64 => "vec4<u64>",
            Self::F16 => "vec4<f16>",
            Self::F32 => "vec4<f32>",
            Self::F64 => "vec4<f64>",
            Self::Words => "array<vec2<u32>, 4>",
            Self::Complex => "array<vec2<f32>, 4>",
            Self::Packed(packed) => packed.holder(),
        }
    }

    pub(super) fn is_vector(self) -> bool {
        matches!(self, Self::Words | Self::Complex)
    }

    /// One value of the quad of this name.
    pub(super) fn lane(self, name: &str, lane: usize) -> String {
        match self.is_vector() {
            true => format!("{name}[{lane}]"),
            false => format!("{name}.{}", COMPONENTS[lane]),
        }
    }

    pub(super) fn of_lanes(self, lanes: &[String]) -> String {
        format!("{}({})", self.quad(), lanes.join(", "))
    }

    /// A quad of one value, by its name.
    pub(super) fn splat(self, name: &str) -> String {
        match self {
            Self::Packed(_) => name.to_owned(),
            _ if self.is_vector() => self.of_lanes(&[name; 4].map(str::to_owned)),
            _ => format!("{}({name})", self.quad()),
        }
    }
}

/// An operand by its name.
#[derive(Debug, Clone)]
pub(super) struct Named {
    pub(super) name: String,
    /// Whether it is a quad; else one value for all.
    pub(super) is_quad: bool,
    pub(super) holder: Holder,
}

impl Named {
    fn lane(&self, lane: usize) -> String {
        if self.is_quad { self.holder.lane(&self.name, lane) } else { self.name.clone() }
    }

    pub(super) fn quad(&self) -> String {
        if self.is_quad { self.name.clone() } else { self.holder.splat(&self.name) }
    }
}

/// An operation's spelling with what it is to be filled with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Filling {
    pub(super) spelling: Spelling,
    pub(super) opcode: Opcode,
    /// Type of the operands that the spelling is by.
    pub(super) from: ElementType,
    pub(super) to: ElementType,
    /// What is to be done to bring the result into its type.
    pub(super) finish: Finish,
    /// Whether no compiler may rewrite the result together with its uses.
    pub(super) guarded: bool,
}

impl Writer<'_> {
    pub(super) fn holder(&self, element_type: ElementType) -> Holder {
        if let Some(packed) = self.packed {
            return Holder::Packed(packed);
        }
        match element_type.form() {
            Form::Bool => Holder::Bool,
            Form::S32 => Holder::I32,
            Form::U32 => Holder::U32,
            Form::F32 if element_type == ElementType::F16 && self.kernel.half => Holder::F16,
            Form::F32 => Holder::F32,
            Form::F64 => Holder::F64,
            Form::C64 => Holder::Complex,
            Form::S64 if self.kernel.int64 => Holder::I64,
            Form::U64 if self.kernel.int64 => Holder::U64,
            Form::S64 | Form::U64 => Holder::Words,
        }
    }

    /// An operation on operands, as one value or a quad.
    pub(super) fn filled(&self, filling: Filling, operands: &[Named], quad: bool) -> String {
        let holder = self.holder(filling.to);
        match filling.spelling {
            Spelling::Scalar(template) if quad => {
                let lanes: Vec<String> = (0..4)
                    .map(|lane| {
                        let parts: Vec<String> = operands.iter().map(|o| o.lane(lane)).collect();
                        let text = fill(template, &parts, &filling, false);
                        let text = finished(text, filling.finish, filling.to, false);
                        if filling.guarded && holder.is_vector() {
                            guard(&text, holder, false)
                        } else {
                            text
                        }
                    })
                    .collect();
                let text = holder.of_lanes(&lanes);
                if filling.guarded && !holder.is_vector() {
                    guard(&text, holder, true)
                } else {
                    text
                }
            }
            Spelling::Any(template) | Spelling::Scalar(template) => {
                let parts: Vec<String> =
                    operands.iter().map(|o| if quad { o.quad() } else { o.name.clone() }).collect();
                let text = fill(template, &parts, &filling, quad);
                let text = finished(text, filling.finish, filling.to, quad);
                if filling.guarded { guard(&text, holder, quad) } else { text }
            }
            // Inference refuses these, so that no kernel has one; the text would not compile.
            Spelling::No => String::new(),
        }
    }
}

/// The same value, by way of its bits and a zero that no compiler knows to be one.
pub(super) fn guard(text: &str, holder: Holder, quad: bool) -> String {
    match (holder, quad) {
        (Holder::F16, false) => format!("bitcast<f16>(bitcast<u16>({text}) ^ u16(params.zero))"),
        (Holder::F16, true) => {
            format!("bitcast<vec4<f16>>(bitcast<vec4<u16>>({text}) ^ vec4<u16>(u16(params.zero)))")
        }
        (Holder::F32, false) => format!("bitcast<f32>(bitcast<u32>({text}) ^ params.zero)"),
        (Holder::F32, true) => {
            format!("bitcast<vec4<f32>>(bitcast<vec4<u32>>({text}) ^ vec4<u32>(params.zero))")
        }
        (Holder::F64, false) => format!("bitcast<f64>(bitcast<u64>({text}) ^ u64(params.zero))"),
        (Holder::F64, true) => {
            format!("bitcast<vec4<f64>>(bitcast<vec4<u64>>({text}) ^ vec4<u64>(u64(params.zero)))")
        }
        (Holder::Complex, _) => {
            format!("bitcast<vec2<f32>>(bitcast<vec2<u32>>({text}) ^ vec2<u32>(params.zero))")
        }
        _ => text.to_owned(),
    }
}

/// A result as one of its type.
pub(super) fn finished(text: String, finish: Finish, to: ElementType, quad: bool) -> String {
    let bits = to.bits();
    let above = 32_usize.saturating_sub(bits);
    let signed = to.form() == Form::S32;
    let (i, u) = if quad { ("vec4<i32>", "vec4<u32>") } else { ("i32", "u32") };
    match finish {
        Finish::Keep => text,
        Finish::Wrap if signed => format!("(({text} << {u}({above}u)) >> {u}({above}u))"),
        Finish::Wrap => format!("({text} & {u}({}u))", mask(bits)),
        Finish::Saturate if signed => {
            let most = mask(bits) / 2;
            format!("clamp({text}, {i}(-{}), {i}({most}))", most + 1)
        }
        Finish::Saturate => format!("min({text}, {u}({}u))", mask(bits)),
        Finish::Round => {
            let name = if to == ElementType::F16 { "f16" } else { "bf16" };
            let many = if quad { "_4" } else { "" };
            format!("xla_{name}_round{many}({text})")
        }
    }
}

/// So many bits that are set.
pub(super) fn mask(bits: usize) -> u32 {
    u32::MAX >> 32_usize.saturating_sub(bits).min(31)
}

/// A spelling with its operands, types and names put in.
fn fill(template: &str, operands: &[String], filling: &Filling, quad: bool) -> String {
    let types = match quad {
        true => ["vec4<f32>", "vec4<i32>", "vec4<u32>", "vec4<f64>", "vec4<u64>"],
        false => ["f32", "i32", "u32", "f64", "u64"],
    };
    let bits = filling.from.bits();
    let mut out = String::with_capacity(template.len() + 32);
    let mut rest = template;
    while let Some(start) = rest.find('{') {
        out.push_str(&rest[..start]);
        // Every brace in a spelling is of the form {X}.
        let (key, after) = rest[start + 1..].split_once('}').unwrap_or((&rest[start + 1..], ""));
        match key {
            "a" => out.push_str(&operands[0]),
            "b" => out.push_str(&operands[1]),
            "c" => out.push_str(&operands[2]),
            "F" => out.push_str(types[0]),
            "I" => out.push_str(types[1]),
            "U" => out.push_str(types[2]),
            "D" => out.push_str(types[3]),
            "W" => out.push_str(types[4]),
            "m" => out.push_str(filling.opcode.method()),
            "T" => out.push_str(filling.from.form().name()),
            "mask" => out.push_str(&format!("{}u", mask(bits))),
            "above" => out.push_str(&format!("{}u", 32_usize.saturating_sub(bits))),
            "narrow" => out.push_str(match filling.from {
                ElementType::F16 => "_f16",
                ElementType::Bf16 => "_bf16",
                _ => "",
            }),
            // How a position becomes a float.
            _ => out.push_str(match filling.from {
                ElementType::F32 => "xla_u32_to_f32",
                _ => "xla_u32_to_f32_odd",
            }),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

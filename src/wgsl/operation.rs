//! Operations on the values of a unit: spellings from the op table with names put in, and the
//! guards that keep compilers from rewriting floats.

use super::{Writer, line};
use crate::element::ElementType;
use crate::limits::Division;
use crate::lower::{Value, ValueRef};
use crate::opcode::{self, Opcode, Spelling};
use crate::plan::Kernel;
use crate::precision::{self, Precision};
use crate::shader_library;
use std::fmt::Write as _;

impl Writer<'_> {
    pub(super) fn constants(&self, out: &mut String) {
        for (number, &element_type) in self.kernel.constants.iter().enumerate() {
            let component = COMPONENTS[number % 4];
            let word = format!("params.constants[{}].{component}", number / 4);
            line!(out, "    let c{number} = {};", from_bits(element_type, &word, false));
        }
    }

    pub(super) fn operations(&self, out: &mut String, indent: &str, hoisted: bool) {
        for (number, value) in self.kernel.values.iter().enumerate() {
            let known = &self.values[number];
            if known.hoisted != hoisted {
                continue;
            }
            let unit = self.unit_function(value).filter(|_| known.vector);
            if let Some(function) = &unit {
                self.units(out, indent, number, function);
            }
            for quad in 0..if known.vector { self.quads() } else { 1 } {
                let mut text = match unit {
                    Some(_) => format!("u{number}_{}[{}]", quad / UNIT, quad % UNIT),
                    None => self.operation(value, known.vector, quad),
                };
                if self.guarded[number] {
                    text = fill(GUARD, &[text], known.vector);
                }
                line!(out, "{indent}let {} = {text};", self.in_quad(known, quad));
            }
        }
    }

    /// The function that computes this value in a unit at once, where the kernel is to take those and
    /// there is one.
    fn unit_function(&self, value: &Value) -> Option<&'static str> {
        if !self.kernel.by_units || value.from != ElementType::F32 || is_relaxed(value) {
            return None;
        }
        match value.opcode.spelling(value.from) {
            Spelling::Scalar(template) => shader_library::unit_function(template),
            _ => None,
        }
    }

    /// Declares a value's quads `u{number}_{group}`, of up to four at a time. Where there are fewer,
    /// the first ones stand in for the others, whose results no one asks for.
    fn units(&self, out: &mut String, indent: &str, number: usize, function: &str) {
        for first in (0..self.quads()).step_by(UNIT) {
            let array = |&operand: &ValueRef| {
                let quads: Vec<String> = (0..UNIT)
                    .map(|quad| self.widened(operand, true, (first + quad) % self.quads()))
                    .collect();
                format!("array<vec4<f32>, {UNIT}>({})", quads.join(", "))
            };
            let operands: Vec<String> =
                self.kernel.values[number].operands.iter().map(array).collect();
            let name = format!("u{number}_{}", first / UNIT);
            line!(out, "{indent}let {name} = {function}({});", operands.join(", "));
        }
    }

    fn operation(&self, value: &Value, vector: bool, quad: usize) -> String {
        let spelling = match value.opcode {
            Opcode::ConvertElementType => opcode::conversion(value.from, value.element_type),
            Opcode::BitcastConvertType => opcode::bitcast(value.element_type),
            op => self.corrected(value).unwrap_or_else(|| match value.precision {
                Precision::Accurate => op.spelling(value.from),
                Precision::Relaxed => {
                    precision::relaxed_spelling(op).unwrap_or_else(|| op.spelling(value.from))
                }
            }),
        };
        match spelling {
            Spelling::Scalar(template) if vector => {
                let lanes: Vec<String> = COMPONENTS
                    .iter()
                    .map(|lane| {
                        let lane_of = |&operand: &ValueRef| {
                            let known = self.known(operand);
                            let name = self.in_quad(&known, quad);
                            if known.vector { format!("{name}.{lane}") } else { name }
                        };
                        let parts: Vec<String> = value.operands.iter().map(lane_of).collect();
                        fill(template, &parts, false)
                    })
                    .collect();
                format!("{}({})", vector_type(value.element_type), lanes.join(", "))
            }
            Spelling::Any(template) | Spelling::Scalar(template) => {
                let mut parts: Vec<String> =
                    value.operands.iter().map(|&o| self.widened(o, vector, quad)).collect();
                // `x - x` is not 0 and `x / x` not 1 where x is infinite.
                let same = parts.len() == 2 && parts[0] == parts[1];
                if value.from == ElementType::F32 && same && !is_relaxed(value) {
                    parts[1] = fill(GUARD, &parts[1..], vector);
                }
                fill(template, &parts, vector)
            }
            // Inference refuses these, so that no kernel has one; the text would not compile.
            Spelling::No => String::new(),
        }
    }

    /// How an accurate quotient or root of floats is written where the native one is not rounded
    /// correctly.
    fn corrected(&self, value: &Value) -> Option<Spelling> {
        if value.from != ElementType::F32 || is_relaxed(value) {
            return None;
        }
        let (how, spelling) = match value.opcode {
            Opcode::Div => (self.kernel.division, "xla_quotient({a}, {b})"),
            Opcode::Reciprocal => (self.kernel.division, "xla_quotient(1.0, {a})"),
            Opcode::Sqrt => (self.kernel.square_root, "xla_root({a})"),
            _ => return None,
        };
        (how != Division::Native).then_some(Spelling::Scalar(spelling))
    }

    /// The operand at the width of the operation.
    pub(super) fn widened(&self, operand: ValueRef, vector: bool, quad: usize) -> String {
        let known = self.known(operand);
        let name = self.in_quad(&known, quad);
        if known.vector || !vector {
            return name;
        }
        format!("{}({name})", vector_type(self.type_of(operand)))
    }
}

/// Quads that a function of a unit takes.
const UNIT: usize = 4;

pub(super) const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

/// Whether an operation only passes on the bits of another value, or changes its sign.
fn moves_float(value: &Value) -> bool {
    use Opcode::{Abs, BitcastConvertType, Neg, Select};
    matches!(value.opcode, Abs | BitcastConvertType | Neg | Select)
}

fn is_relaxed(value: &Value) -> bool {
    value.precision == Precision::Relaxed
}

/// The float values that pass through [`GUARD`]: those that something accurate is computed from.
///
/// Compilers rewrite neighbouring operations together: they contract a product and a sum, cancel
/// `(x + y) - x` and `-(-x) - x`, take `1 / (1 / x)` for `x` and `0 * x` for 0. XLA rounds each by
/// itself. (Measured: lavapipe does all of these but the contraction, which GPUs do.) Moves are
/// seen through, so that they need no guard among themselves. What is relaxed may be rewritten
/// with its operands: that changes its own value only, not theirs.
pub(super) fn guarded_values(kernel: &Kernel) -> Vec<bool> {
    let mut guarded = vec![false; kernel.values.len()];
    for value in kernel.values.iter().filter(|value| !moves_float(value) && !is_relaxed(value)) {
        for &operand in &value.operands {
            if let ValueRef::Value(number) = operand {
                guarded[number] = kernel.values[number].element_type == ElementType::F32;
            }
        }
    }
    guarded
}

/// The same value, by way of its bits and a zero that no compiler knows to be one.
const GUARD: &str = "bitcast<{F}>(bitcast<{U}>({a}) ^ {U}(params.zero))";

pub(super) fn vector_type(element_type: ElementType) -> &'static str {
    match element_type {
        ElementType::Pred => "vec4<bool>",
        ElementType::S32 => "vec4<i32>",
        ElementType::U32 => "vec4<u32>",
        ElementType::F32 => "vec4<f32>",
    }
}

/// A word, or a vector of words, as a value of this type.
pub(super) fn from_bits(element_type: ElementType, word: &str, vector: bool) -> String {
    match element_type {
        ElementType::Pred => fill("({a} != {U}(0u))", &[word.to_owned()], vector),
        ElementType::U32 => word.to_owned(),
        ElementType::S32 => fill("bitcast<{I}>({a})", &[word.to_owned()], vector),
        ElementType::F32 => fill("bitcast<{F}>({a})", &[word.to_owned()], vector),
    }
}

/// A position as an iota's value. Inference refuses PRED, which has no spelling.
pub(super) fn iota(element_type: ElementType, position: &str, vector: bool) -> String {
    match Opcode::Iota.spelling(element_type) {
        Spelling::Any(template) | Spelling::Scalar(template) => {
            fill(template, &[position.to_owned()], vector)
        }
        Spelling::No => String::new(),
    }
}

/// A spelling with its operands and types put in.
pub(super) fn fill(template: &str, operands: &[String], vector: bool) -> String {
    let types = if vector {
        ["vec4<f32>", "vec4<i32>", "vec4<u32>", "vec4<bool>"]
    } else {
        ["f32", "i32", "u32", "bool"]
    };
    let mut out = String::with_capacity(template.len() + 32);
    let mut rest = template;
    while let Some(start) = rest.find('{') {
        out.push_str(&rest[..start]);
        // Every brace in a spelling is of the form {X}.
        let (key, after) = rest[start + 1..].split_once('}').unwrap_or((&rest[start + 1..], ""));
        out.push_str(match key {
            "a" => &operands[0],
            "b" => &operands[1],
            "c" => &operands[2],
            "F" => types[0],
            "I" => types[1],
            "U" => types[2],
            _ => types[3],
        });
        rest = after;
    }
    out.push_str(rest);
    out
}

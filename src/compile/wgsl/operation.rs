//! Operations on the values of a unit: which spelling, with which names, and the guards that keep
//! compilers from rewriting floats.

use super::values::{Filling, Holder, Named, guard};
use super::writer::{Writer, line};
use crate::compile::kernel_ir::{KernelOp, ValueRef};
use crate::compile::limits::Division;
use crate::compile::plan::kernel::Kernel;
use crate::compile::wgsl::conversion::{self, Finish};
use crate::compile::wgsl::library;
use crate::semantics::element::{ElementType, Form};
use crate::semantics::opcode::{Cost, Opcode, Spelling};
use crate::semantics::precision::{self, Precision};
use std::fmt::Write as _;

impl Writer<'_> {
    pub(super) fn constants(&self, out: &mut String) {
        let places = self.kernel.constant_places();
        let apart = constants_apart(self.kernel);
        if apart.contains(&true) {
            line!(out, "    let none = min(local, params.zero);");
        }
        for (number, &element_type) in self.kernel.constants.iter().enumerate() {
            let word = |place: usize| {
                let component = super::values::COMPONENTS[place % 4];
                format!("params.constants[{}].{component}", place / 4)
            };
            let (mut low, mut high) = (word(places[number]), word(places[number] + 1));
            if apart[number] {
                (low, high) = (format!("({low} ^ none)"), format!("({high} ^ none)"));
            }
            line!(out, "    let c{number} = {};", self.constant(element_type, &low, &high));
        }
    }

    pub(super) fn operations(&self, out: &mut String, indent: &str, hoisted: bool) {
        for (number, value) in self.kernel.values.iter().enumerate() {
            let known = &self.values[number];
            if known.hoisted != hoisted {
                continue;
            }
            let unit = self.unit_function(value).filter(|_| known.vector);
            if let Some(function) = unit {
                self.units(out, indent, number, function);
            }
            for quad in 0..if known.vector { self.quads() } else { 1 } {
                let text = match unit {
                    Some(_) => self.of_unit(number, quad),
                    None => self.operation(number, value, known.vector, quad),
                };
                line!(out, "{indent}let {} = {text};", self.in_quad(known, quad));
            }
        }
    }

    /// The function that computes this value in a unit at once, where the kernel is to take those and
    /// there is one.
    fn unit_function(&self, value: &KernelOp) -> Option<&'static str> {
        if !self.kernel.by_units || value.from != ElementType::F32 || is_relaxed(value) {
            return None;
        }
        match value.opcode.spelling(value.from) {
            Spelling::Scalar(template) if template.starts_with("xla_{m}(") => {
                library::unit_function(&format!("xla_{}", value.opcode.method()))
            }
            _ => None,
        }
    }

    /// Declares a value's quads `u{number}_{group}`, of up to four at a time. Where there are fewer,
    /// the first ones stand in for the others, whose results no one asks for.
    fn units(&self, out: &mut String, indent: &str, number: usize, function: &str) {
        for first in (0..self.quads()).step_by(UNIT) {
            let array = |&operand: &ValueRef| {
                let quads: Vec<String> = (0..UNIT)
                    .map(|quad| self.named(operand, (first + quad) % self.quads()).quad())
                    .collect();
                format!("array<vec4<f32>, {UNIT}>({})", quads.join(", "))
            };
            let operands: Vec<String> =
                self.kernel.values[number].operands.iter().map(array).collect();
            let name = format!("u{number}_{}", first / UNIT);
            line!(out, "{indent}let {name} = {function}({});", operands.join(", "));
        }
    }

    /// A value's quad that such a function gave.
    fn of_unit(&self, number: usize, quad: usize) -> String {
        let text = format!("u{number}_{}[{}]", quad / UNIT, quad % UNIT);
        if self.guarded[number] { guard(&text, Holder::F32, true) } else { text }
    }

    fn operation(&self, number: usize, value: &KernelOp, vector: bool, quad: usize) -> String {
        let mut operands: Vec<Named> =
            value.operands.iter().map(|&operand| self.named(operand, quad)).collect();
        if let Some(packed) = self.packed {
            let names: Vec<&str> = operands.iter().map(|operand| operand.name.as_str()).collect();
            return packed.operation(value.opcode, &names);
        }
        if value.opcode == Opcode::BitcastConvertType {
            return self.bitcast_value(number, value, &operands, vector);
        }
        let (spelling, finish) = match value.opcode {
            Opcode::ConvertElementType => conversion::conversion(value.from, value.element_type),
            op => (self.spelling(value), finish(op, value)),
        };
        // `x - x` is not 0 and `x / x` not 1 where x is infinite.
        let computed = match spelling {
            Spelling::Any(_) => matches!(value.from.form(), Form::F32 | Form::F64),
            _ => value.from.form() == Form::C64,
        };
        match operands.as_mut_slice() {
            [first, second] if first.name == second.name && computed && !is_relaxed(value) => {
                *second = guarded_copy(second);
            }
            _ => {}
        }
        let filling = Filling {
            spelling,
            opcode: value.opcode,
            from: value.from,
            to: value.element_type,
            // What is only stored is brought into its type there, and a shader's f16 is in its.
            finish: if self.kernel.half || self.only_stored(number) && finish != Finish::Saturate {
                Finish::Keep
            } else {
                finish
            },
            guarded: self.guarded[number],
        };
        self.filled(filling, &operands, vector)
    }

    fn spelling(&self, value: &KernelOp) -> Spelling {
        let op = value.opcode;
        self.corrected(value).unwrap_or_else(|| match value.precision {
            Precision::Accurate => op.spelling(value.from),
            Precision::Relaxed => {
                precision::relaxed_spelling(op).unwrap_or_else(|| op.spelling(value.from))
            }
        })
    }

    /// How an accurate quotient or root of floats is written where the native one is not rounded
    /// correctly.
    fn corrected(&self, value: &KernelOp) -> Option<Spelling> {
        if value.from.form() != Form::F32 || is_relaxed(value) {
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

    fn bitcast_value(
        &self,
        number: usize,
        value: &KernelOp,
        operands: &[Named],
        vector: bool,
    ) -> String {
        let [operand] = operands else { return String::new() };
        let (from, to) = (value.from, value.element_type);
        let holder = self.holder(to);
        // Of types that are vectors themselves there is no other bitcast than to the same type.
        let guarded = |text: String, quad| match self.guarded[number] {
            true => guard(&text, holder, quad),
            false => text,
        };
        if !vector {
            return guarded(self.bitcast(from, to, &operand.name), false);
        }
        let lanes: Vec<String> = (0..4)
            .map(|lane| self.bitcast(from, to, &self.holder(from).lane(&operand.name, lane)))
            .collect();
        guarded(holder.of_lanes(&lanes), true)
    }

    /// Whether a value is the kernel's result and nothing is computed from it.
    fn only_stored(&self, number: usize) -> bool {
        let this = ValueRef::Op(number);
        self.kernel.result == this
            && !self.kernel.values.iter().any(|value| value.operands.contains(&this))
    }

    /// A value as an operand, in one quad of the unit.
    pub(super) fn named(&self, value: ValueRef, quad: usize) -> Named {
        let known = self.known(value);
        Named {
            name: self.in_quad(&known, quad),
            is_quad: known.vector,
            holder: self.holder(self.type_of(value)),
        }
    }

    /// A position, by the name of one or of a quad of them, as an iota's value.
    pub(super) fn iota(&self, number: usize, position: &str, quad: bool) -> String {
        let leaf = &self.kernel.leaves[number];
        let element_type = leaf.element_type;
        if leaf.high {
            let from = ElementType::U64;
            let (spelling, finish) = conversion::conversion(from, element_type);
            let opcode = Opcode::ConvertElementType;
            // What is made of it may not know the zero of a complex number either.
            let guarded = element_type == ElementType::C64;
            let filling = Filling { spelling, opcode, from, to: element_type, finish, guarded };
            let name = format!("xla_u64_of_words(vec2<u32>({position}, params.high_{number}))");
            let operand = Named { name, is_quad: false, holder: self.holder(from) };
            return self.filled(filling, &[operand], false);
        }
        let filling = Filling {
            spelling: Opcode::Iota.spelling(element_type),
            opcode: Opcode::Iota,
            from: element_type,
            to: element_type,
            finish: conversion::finish(element_type),
            guarded: false,
        };
        let operand = Named { name: position.to_owned(), is_quad: quad, holder: Holder::U32 };
        self.filled(filling, &[operand], quad)
    }
}

/// Quads that a function of a unit takes.
const UNIT: usize = 4;

/// The constants from which much is computed that no array has a part in: operands of costly
/// operations, which begin with something of each operand, and constants among themselves.
///
/// lavapipe asks of every condition whether it depends on uniforms alone, by a walk that goes through
/// shared operands once for each use: in `z ** w` with a complex constant it does not come to an
/// end. A zero that depends on the invocation ends the walk at once.
fn constants_apart(kernel: &Kernel) -> Vec<bool> {
    let mut apart = vec![false; kernel.constants.len()];
    let mut known: Vec<bool> = Vec::with_capacity(kernel.values.len());
    for value in &kernel.values {
        let all = value.operands.iter().all(|&operand| match operand {
            ValueRef::Constant(_) => true,
            ValueRef::Op(number) => known[number],
            ValueRef::Load(_) => false,
        });
        known.push(all);
        let is_costly = value.opcode.cost_on(value.from) != Cost::Cheap;
        for &operand in value.operands.iter().filter(|_| all || is_costly) {
            if let ValueRef::Constant(number) = operand {
                apart[number] = true;
            }
        }
    }
    apart
}

/// What remains to be done so that an operation's result is of its type.
fn finish(op: Opcode, value: &KernelOp) -> Finish {
    if op.stays_in_type(value.element_type) {
        Finish::Keep
    } else {
        conversion::finish(value.element_type)
    }
}

/// The same operand by another text, which no compiler knows to be the same.
fn guarded_copy(operand: &Named) -> Named {
    let Named { name, is_quad, holder } = operand;
    let name = match (is_quad, holder) {
        (true, Holder::Complex) => {
            let lanes: Vec<String> =
                (0..4).map(|lane| guard(&holder.lane(name, lane), *holder, false)).collect();
            holder.of_lanes(&lanes)
        }
        _ => guard(name, *holder, *is_quad),
    };
    Named { name, is_quad: *is_quad, holder: *holder }
}

/// Whether an operation only passes on the bits of another value, or changes its sign.
fn moves_float(value: &KernelOp) -> bool {
    use Opcode::{Abs, BitcastConvertType, Neg, Select};
    // The magnitude of a complex number is computed.
    let real = value.from.form() != Form::C64;
    matches!(value.opcode, BitcastConvertType | Neg | Select) || (value.opcode == Abs && real)
}

fn is_relaxed(value: &KernelOp) -> bool {
    value.precision == Precision::Relaxed
}

/// The float values that are guarded: those that something accurate is computed from.
///
/// Compilers rewrite neighbouring operations together: they contract a product and a sum, cancel
/// `(x + y) - x` and `-(-x) - x`, take `1 / (1 / x)` for `x` and `0 * x` for 0. XLA rounds each by
/// itself. (Measured: lavapipe does all of these but the contraction, which GPUs do.) Moves are
/// seen through, so that they need no guard among themselves. What is relaxed may be rewritten
/// with its operands: that changes its own value only, not theirs. What is rounded to F16 or BF16 on
/// its bits no compiler sees through.
pub(super) fn guarded_values(kernel: &Kernel) -> Vec<bool> {
    let mut guarded = vec![false; kernel.values.len()];
    for value in kernel.values.iter().filter(|value| !moves_float(value) && !is_relaxed(value)) {
        for &operand in &value.operands {
            if let ValueRef::Op(number) = operand {
                guarded[number] = match kernel.values[number].element_type {
                    ElementType::F16 => kernel.half,
                    ElementType::F32 | ElementType::F64 | ElementType::C64 => true,
                    _ => false,
                };
            }
        }
    }
    guarded
}

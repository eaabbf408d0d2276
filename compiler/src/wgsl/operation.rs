//! Writes the operations on the values of a unit, with the guards that keep compilers from
//! rewriting floats.

use super::conversion::conversion;
use super::guards::{guard_by, guarded_constants, is_relaxed};
use super::narrowing::Narrowing;
use super::relaxed::relaxed_spelling;
use super::spelling::{SpelledOp, Spelling, spelling};
use super::subnormals::{Flush, flush};
use super::wgsl_type::{COMPONENTS, GuardBy, OperandText, WgslType, guard};
use super::writer::{Writer, line};
use crate::arithmetic::Rounding;
use crate::kernel::body::{KernelOp, ValueRef};
use indim_core::semantics::element::{ElementType, Form};
use indim_core::semantics::opcode::{Cost, Opcode};
use std::fmt::Write as _;
use std::ops::Range;

/// The number of quads that a function on a unit takes.
const UNIT_QUADS: usize = 4;

impl Writer<'_> {
    /// Declares the constants, `c{number}`.
    pub(super) fn constants(&self, out: &mut String) {
        let offsets = self.kernel.constant_offsets();
        let mut guarded = guarded_constants(self.body);
        if let Some(fold) = &self.kernel.fold {
            let in_epilogue = guarded_constants(&fold.epilogue);
            guarded.iter_mut().zip(in_epilogue).for_each(|(guarded, also)| *guarded |= also);
        }
        if guarded.contains(&true) {
            line!(out, "    let none = min(local, params.zero);");
        }
        for (number, &element_type) in self.body.constants.iter().enumerate() {
            let word = |offset: usize| {
                format!("params.constants[{}].{}", offset / 4, COMPONENTS[offset % 4])
            };
            let (mut low, mut high) = (word(offsets[number]), word(offsets[number] + 1));
            if guarded[number] {
                (low, high) = (format!("({low} ^ none)"), format!("({high} ^ none)"));
            }
            line!(out, "    let c{number} = {};", self.constant(element_type, &low, &high));
        }
    }

    /// Declares the results of the hoisted operations.
    pub(super) fn hoisted_operations(&self, out: &mut String, indent: &str) {
        self.operations(out, indent, 0..self.quads(), |number| self.ops[number].hoisted);
    }

    /// Declares the results of the given operations in these quads of the unit. A scalar for the
    /// unit is declared with its first quad, and functions on a unit take all of its quads.
    pub(super) fn operations(
        &self,
        out: &mut String,
        indent: &str,
        quads: Range<usize>,
        is_meant: impl Fn(usize) -> bool,
    ) {
        for (number, op) in self.body.ops.iter().enumerate() {
            let info = self.ops[number];
            if !is_meant(number) || !info.vector && quads.start > 0 {
                continue;
            }
            let unit = self.unit_function(op).filter(|_| info.vector);
            if let Some(function) = unit {
                self.units(out, indent, number, function);
            }
            for quad in if info.vector { quads.clone() } else { 0..1 } {
                self.call_of_struct(out, indent, number, (info.vector, quad));
                let text = match unit {
                    Some(_) => self.of_unit(number, quad),
                    None => self.operation(number, op, info.vector, quad),
                };
                line!(out, "{indent}let {} = {text};", self.name(ValueRef::Op(number), quad));
            }
        }
    }

    /// Returns the operations that a function's operands are made of, excluding other functions'
    /// results. They are best computed in all quads before the first function, because then only a
    /// value or two of each quad wait for it, and not everything that is loaded.
    pub(super) fn before_functions(&self) -> Vec<bool> {
        let ops = &self.body.ops;
        // Calls with several results are computed together, where the first of them is.
        let gives_struct = |op: &KernelOp| {
            op.call.as_ref().is_some_and(|call| call.function.0.result_struct.is_some())
        };
        let is_function = |op: &KernelOp| op.cost().class != Cost::Cheap || gives_struct(op);
        let of_function = |operand: &ValueRef, behind: &[bool]| match operand {
            ValueRef::Op(number) => behind[*number],
            _ => false,
        };
        let mut behind = Vec::with_capacity(ops.len());
        for op in ops {
            let is_behind = op.operands.iter().any(|operand| of_function(operand, &behind));
            behind.push(is_behind || is_function(op));
        }
        let mut before = vec![false; ops.len()];
        for (number, op) in ops.iter().enumerate().rev() {
            if !is_function(op) && !before[number] {
                continue;
            }
            for operand in &op.operands {
                if let ValueRef::Op(operand) = *operand {
                    before[operand] = !behind[operand];
                }
            }
        }
        before
    }

    /// Returns true if the kernel calls a function that takes all quads of the unit.
    pub(super) fn has_unit_functions(&self) -> bool {
        let mut ops = self.body.ops.iter().zip(&self.ops);
        ops.any(|(op, info)| info.vector && !info.hoisted && self.unit_function(op).is_some())
    }

    /// Returns the function that computes this operation in a unit at once, if there is one and the
    /// kernel calls such functions.
    fn unit_function(&self, op: &KernelOp) -> Option<&'static str> {
        if !self.kernel.by_units || op.from != ElementType::F32 || is_relaxed(op) {
            return None;
        }
        match spelling(op.opcode, op.from) {
            Spelling::Each(template) if template.starts_with("xla_{m}(") => {
                indim_shaders::unit_function(&format!("xla_{}", op.opcode.method()))
            }
            _ => None,
        }
    }

    /// Declares a result's quads `u{number}_{group}`, up to four at a time. If there are fewer
    /// quads, the first ones are repeated as operands, and the results for those are not used.
    fn units(&self, out: &mut String, indent: &str, number: usize, function: &str) {
        let flushes = Flush::of_function(self.kernel.arithmetic.subnormals).operands;
        for first in (0..self.quads()).step_by(UNIT_QUADS) {
            let array = |&operand: &ValueRef| {
                let quads: Vec<String> = (0..UNIT_QUADS)
                    .map(|quad| self.operand(operand, (first + quad) % self.quads()).quad())
                    .map(|text| if flushes { flush(&text, WgslType::F32, true) } else { text })
                    .collect();
                format!("array<vec4<f32>, {UNIT_QUADS}>({})", quads.join(", "))
            };
            let operands: Vec<String> = self.body.ops[number].operands.iter().map(array).collect();
            let name = format!("u{number}_{}", first / UNIT_QUADS);
            line!(out, "{indent}let {name} = {function}({});", operands.join(", "));
        }
    }

    /// Returns one quad of a result that a function on a unit computed.
    fn of_unit(&self, number: usize, quad: usize) -> String {
        let mut text = format!("u{number}_{}[{}]", quad / UNIT_QUADS, quad % UNIT_QUADS);
        if Flush::of_function(self.kernel.arithmetic.subnormals).result {
            text = flush(&text, WgslType::F32, true);
        }
        match guard_by(&self.body.ops[number], self.guarded[number]) {
            Some(by) => guard(by, &text, WgslType::F32, true),
            None => text,
        }
    }

    fn operation(&self, number: usize, op: &KernelOp, vector: bool, quad: usize) -> String {
        let mut operands: Vec<OperandText> =
            op.operands.iter().map(|&operand| self.operand(operand, quad)).collect();
        if let (Opcode::Take, &[ValueRef::Load(table), _], [_, position]) =
            (op.opcode, &op.operands[..], &operands[..])
        {
            return self.taken(table, position, vector);
        }
        if let Some(packed) = self.packed {
            let names: Vec<&str> = operands.iter().map(|operand| operand.name.as_str()).collect();
            return packed.operation(op.opcode, &names);
        }
        if let Some(call) = &op.call {
            return self.call(number, call, &operands, (vector, quad));
        }
        if op.opcode == Opcode::BitcastConvertType {
            return self.bitcast_value(number, op, &operands, vector);
        }
        let (spelling, narrowing) = match op.opcode {
            Opcode::ConvertElementType => conversion(op.from, op.element_type),
            opcode if opcode.stays_in_type(op.element_type) => (self.spelling(op), Narrowing::Keep),
            _ => (self.spelling(op), Narrowing::to_type(op.element_type)),
        };
        // `x - x` is not 0 and `x / x` not 1 where x is infinite.
        let computed = match spelling {
            Spelling::Any(_) => matches!(op.from.form(), Form::F32 | Form::F64),
            Spelling::Each(_) => op.from.form() == Form::C64,
        };
        match operands.as_mut_slice() {
            [first, second] if first.name == second.name && computed && !is_relaxed(op) => {
                *second = guarded_copy(second);
            }
            _ => {}
        }
        // A value that is only stored is narrowed by the store, and the shader's f16 needs no
        // narrowing.
        let keeps = self.only_stored(number) && narrowing != Narrowing::Saturate;
        let spelled = SpelledOp {
            spelling,
            opcode: op.opcode,
            from: op.from,
            to: op.element_type,
            narrowing: if self.kernel.is_half() || keeps { Narrowing::Keep } else { narrowing },
            guarded: guard_by(op, self.guarded[number]),
            flush: Flush::of(
                op,
                matches!(spelling, Spelling::Any(_)),
                self.kernel.arithmetic.subnormals,
            ),
        };
        self.spelled(spelled, &operands, vector)
    }

    fn spelling(&self, op: &KernelOp) -> Spelling {
        if op.is_word_shift() {
            return Spelling::Each("xla_shift_left_by_word_{T}({a})");
        }
        let special = if is_relaxed(op) { relaxed_spelling(op.opcode) } else { self.corrected(op) };
        special.unwrap_or_else(|| spelling(op.opcode, op.from))
    }

    /// Returns how an accurate quotient or root of floats is written where the native one is not
    /// correctly rounded.
    fn corrected(&self, op: &KernelOp) -> Option<Spelling> {
        if op.from.form() != Form::F32 {
            return None;
        }
        let (division, spelling) = match op.opcode {
            Opcode::Div => (self.kernel.arithmetic.division, "xla_quotient({a}, {b})"),
            Opcode::Reciprocal => (self.kernel.arithmetic.division, "xla_quotient(1.0, {a})"),
            Opcode::Sqrt => (self.kernel.arithmetic.square_root, "xla_root({a})"),
            _ => return None,
        };
        (division != Rounding::Native).then_some(Spelling::Each(spelling))
    }

    /// Returns an operation on operands, as one value or a quad.
    pub(super) fn spelled(&self, op: SpelledOp, operands: &[OperandText], quad: bool) -> String {
        let ty = self.wgsl_type(op.to);
        let guard_if = |applies: bool, text: String, quad: bool| match op.guarded {
            Some(by) if applies => guard(by, &text, ty, quad),
            _ => text,
        };
        let whole = |template: &str, operands: &[String], quad: bool| {
            let text = op.fill(template, operands, quad);
            let text = if op.flush.result { flush(&text, ty, quad) } else { text };
            op.narrowing.apply(text, op.to, quad)
        };
        let flushed = |operand: &OperandText, text: String, quad: bool| {
            if op.flush.operands { flush(&text, operand.ty, quad) } else { text }
        };
        match op.spelling {
            Spelling::Each(template) if quad => {
                let lanes: Vec<String> = (0..4)
                    .map(|lane| {
                        let texts: Vec<String> =
                            operands.iter().map(|o| flushed(o, o.lane(lane), false)).collect();
                        guard_if(ty.is_vector(), whole(template, &texts, false), false)
                    })
                    .collect();
                guard_if(!ty.is_vector(), ty.join_lanes(&lanes), true)
            }
            Spelling::Any(template) | Spelling::Each(template) => {
                let text = |o: &OperandText| if quad { o.quad() } else { o.name.clone() };
                let texts: Vec<String> =
                    operands.iter().map(|o| flushed(o, text(o), quad)).collect();
                guard_if(true, whole(template, &texts, quad), quad)
            }
        }
    }

    fn bitcast_value(
        &self,
        number: usize,
        op: &KernelOp,
        operands: &[OperandText],
        vector: bool,
    ) -> String {
        let [operand] = operands else { return String::new() };
        let (from, to) = (op.from, op.element_type);
        let ty = self.wgsl_type(to);
        // WGSL bitcasts types that are vectors only to the same type.
        let guarded = |text: String, quad| match guard_by(op, self.guarded[number]) {
            Some(by) => guard(by, &text, ty, quad),
            None => text,
        };
        if !vector {
            return guarded(self.bitcast(from, to, &operand.name), false);
        }
        let lanes: Vec<String> = (0..4)
            .map(|lane| self.bitcast(from, to, &operand.ty.lane(&operand.name, lane)))
            .collect();
        guarded(ty.join_lanes(&lanes), true)
    }

    /// Returns true if an operation's value is stored and nothing is computed from it.
    fn only_stored(&self, number: usize) -> bool {
        let this = ValueRef::Op(number);
        let is_stored = self.kernel.outputs.iter().any(|output| output.value == this);
        self.has_outputs()
            && is_stored
            && !self.body.ops.iter().any(|op| op.operands.contains(&this))
    }

    /// Returns a value as an operand, in one quad of the unit.
    pub(super) fn operand(&self, value: ValueRef, quad: usize) -> OperandText {
        OperandText {
            name: self.name(value, quad),
            is_quad: self.info(value).vector,
            ty: self.wgsl_type(self.type_of(value)),
        }
    }

    /// Returns the value of an iota at an index, or its values at a quad of indices.
    pub(super) fn iota(&self, number: usize, index: &str, quad: bool) -> String {
        let load = &self.body.loads[number];
        let to = load.element_type;
        if load.high {
            let from = ElementType::U64;
            let (spelling, narrowing) = conversion(from, to);
            let opcode = Opcode::ConvertElementType;
            // Here, too, compilers must not learn that the imaginary part of a complex iota is 0.
            let guarded = (to == ElementType::C64).then_some(GuardBy::Or);
            let op =
                SpelledOp { spelling, opcode, from, to, narrowing, guarded, flush: Flush::NEVER };
            let name = format!("xla_u64_of_words(vec2<u32>({index}, params.high_{number}))");
            let operand = OperandText { name, is_quad: false, ty: self.wgsl_type(from) };
            return self.spelled(op, &[operand], false);
        }
        let op = SpelledOp {
            spelling: spelling(Opcode::Iota, to),
            opcode: Opcode::Iota,
            from: to,
            to,
            narrowing: Narrowing::to_type(to),
            guarded: None,
            flush: Flush::NEVER,
        };
        let operand = OperandText { name: index.to_owned(), is_quad: quad, ty: WgslType::U32 };
        self.spelled(op, &[operand], quad)
    }
}

/// Returns the same operand by a different text, which compilers cannot recognize as the same.
fn guarded_copy(operand: &OperandText) -> OperandText {
    let OperandText { name, is_quad, ty } = operand;
    let name = match (is_quad, ty) {
        (true, WgslType::Complex) => {
            let lanes: Vec<String> =
                (0..4).map(|lane| guard(GuardBy::Xor, &ty.lane(name, lane), *ty, false)).collect();
            ty.join_lanes(&lanes)
        }
        _ => guard(GuardBy::Xor, name, *ty, *is_quad),
    };
    OperandText { name, is_quad: *is_quad, ty: *ty }
}

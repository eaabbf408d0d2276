//! Writes calls of user-defined functions, and their texts.
//!
//! A function with loops is called through another one, which records in a word for the call
//! whether a loop has run too often. Elements of a unit past the end of the result are not
//! computed: their operands are arbitrary data, on which a loop might not end.

use std::fmt::Write as _;

use super::guards::guard_by;
use super::wgsl_type::{OperandText, guard};
use super::writer::{Writer, line};
use crate::layout::QUAD;
use crate::plan::kernel::Kernel;
use indim_core::graph::function::body::{Call, FunctionBody, counter_prefix, wgsl_name};
use indim_core::graph::function::loop_declarations::{INVOCATION, declarations};

/// The name of the words that record whether a loop has run too often.
pub(super) const LOOP_STATUS: &str = "loop_status";

/// The number of elements of the unit before the end of the result.
const LEFT: &str = "elements_left";

/// Returns the texts of the functions that a kernel calls, each once.
pub(super) fn functions(kernel: &Kernel) -> String {
    let mut text = String::new();
    let mut written = Vec::new();
    if kernel.bounded_loops {
        line!(text, "var<private> {INVOCATION}: u32;");
    }
    let epilogue = kernel.fold.iter().flat_map(|fold| &fold.epilogue.ops);
    for call in kernel.map.ops.iter().chain(epilogue).filter_map(|op| op.call.as_ref()) {
        let body = &call.function.0;
        if written.contains(&&body.entry) {
            continue;
        }
        written.push(&body.entry);
        if let Some(loops) = body.loops {
            let by_driver = kernel.bounded_loops.then_some(kernel.workgroup_size);
            text.push_str(&declarations(&counter_prefix(&body.prefix), loops, by_driver));
        }
        line!(text, "{}\n", body.wgsl.trim_end());
        if body.loops.is_some() {
            bounded(body, call.loop_status_code(), &mut text);
        }
    }
    text
}

/// Returns the name of the function that calls a function with loops.
fn bounded_name(body: &FunctionBody) -> String {
    format!("{}call", counter_prefix(&body.prefix))
}

/// Writes a function that calls one with loops. It returns zeros for an element past the end, and
/// as soon as a loop of this call, whose word has this number, has run too often for any element.
fn bounded(body: &FunctionBody, code: u32, out: &mut String) {
    let prefix = counter_prefix(&body.prefix);
    let names = (0..body.parameters.len()).map(|number| format!("a{number}"));
    let names: Vec<String> = names.collect();
    let typed = names.iter().zip(&body.parameters);
    let typed: Vec<String> =
        typed.map(|(name, value)| format!("{name}: {}", wgsl_name(value.form))).collect();
    let result = match &body.result_struct {
        Some(name) => name.as_str(),
        None => wgsl_name(body.results[0].form),
    };
    let name = bounded_name(body);
    line!(out, "fn {name}(is_element: bool, word: u32, {}) -> {result} {{", typed.join(", "));
    line!(out, "    var value: {result};");
    // WGSL's `&&` would add a branch, and calls that are inlined repeat it many times for
    // compilers.
    line!(out, "    let goes_on = atomicLoad(&{LOOP_STATUS}[word]) == 0u;");
    line!(out, "    if is_element & goes_on {{");
    line!(out, "        {prefix}steps = 0u;");
    line!(out, "        {prefix}over = 0u;");
    line!(out, "        value = {}({});", body.entry, names.join(", "));
    line!(out, "        if {prefix}over != 0u {{");
    line!(out, "            atomicMax(&{LOOP_STATUS}[word], {code}u | {prefix}over);");
    line!(out, "        }}");
    line!(out, "    }}");
    line!(out, "    return value;");
    line!(out, "}}\n");
}

impl Writer<'_> {
    /// Gives functions with loops the number of this invocation in its workgroup, if they use it.
    pub(super) fn set_invocation(&self, out: &mut String) {
        if self.kernel.bounded_loops {
            line!(out, "    {INVOCATION} = local;");
        }
    }

    /// Declares how many elements of the unit whose first word is at `at` are before the end of the
    /// result, if a call needs it.
    pub(super) fn declare_left(&self, out: &mut String, indent: &str, at: &str) {
        if !self.kernel.has_loops() {
            return;
        }
        let words = self.stores();
        let each = self.kernel.unit() / words;
        line!(out, "{indent}let words_left = select(params.end - {at}, 0u, {at} > params.end);");
        line!(
            out,
            "{indent}let {LEFT} = min(words_left, {words}u) * {each}u + select(0u, params.end_elements, {at} <= params.end && words_left < {words}u);"
        );
    }

    /// Calls a function with several results, for the first of these that the kernel has.
    pub(super) fn call_of_struct(
        &self,
        out: &mut String,
        indent: &str,
        number: usize,
        (vector, quad): (bool, usize),
    ) {
        let op = &self.body.ops[number];
        let Some(call) = op.call.as_ref().filter(|call| call.function.0.result_struct.is_some())
        else {
            return;
        };
        if self.first_of_call(number) != number {
            return;
        }
        let operands = op.operands.iter().map(|&operand| self.operand(operand, quad));
        let operands: Vec<OperandText> = operands.collect();
        for lane in 0..if vector { QUAD } else { 1 } {
            let texts = operands.iter().map(|o| if vector { o.lane(lane) } else { o.name.clone() });
            let text = self.called(number, call, (quad, lane), &texts.collect::<Vec<_>>());
            line!(out, "{indent}let {} = {text};", struct_name(number, quad, lane));
        }
    }

    /// Returns the first operation that is a result of the same call.
    fn first_of_call(&self, number: usize) -> usize {
        let op = &self.body.ops[number];
        let mut before = self.body.ops[..number].iter();
        before.position(|other| other.is_same_call(op)).unwrap_or(number)
    }

    /// Returns a call on one element.
    fn called(
        &self,
        number: usize,
        call: &Call,
        (quad, lane): (usize, usize),
        operands: &[String],
    ) -> String {
        let body = &call.function.0;
        // The condition that the element is needed, if there is one, comes after the operands.
        let condition = operands.get(body.parameters.len());
        let operands = operands.iter().take(body.parameters.len()).cloned();
        let operands = operands.collect::<Vec<_>>().join(", ");
        let Some(word) = self.loop_words[number] else {
            return format!("{}({operands})", body.entry);
        };
        // Values known before the first unit are those of elements: a kernel with loops never
        // continues past its last unit, and a value that is the same in all rows is that of an
        // element in one.
        let is_element = match (self.ops[number].hoisted, condition) {
            (true, None) => "true".to_owned(),
            (true, Some(condition)) => condition.clone(),
            (false, None) => format!("{LEFT} > {}u", quad * QUAD + lane),
            (false, Some(condition)) => {
                format!("({LEFT} > {}u) & {condition}", quad * QUAD + lane)
            }
        };
        format!("{}({is_element}, {word}u, {operands})", bounded_name(body))
    }

    /// Returns one result of a call, as one value or as this quad of the unit.
    pub(super) fn call(
        &self,
        number: usize,
        call: &Call,
        operands: &[OperandText],
        (vector, quad): (bool, usize),
    ) -> String {
        let op = &self.body.ops[number];
        let ty = self.wgsl_type(op.element_type);
        let body = &call.function.0;
        let one = |lane: usize| match body.result_struct {
            Some(_) => {
                let name = struct_name(self.first_of_call(number), quad, lane);
                format!("{name}.{}", body.results[call.result].name)
            }
            None => {
                let texts =
                    operands.iter().map(|o| if vector { o.lane(lane) } else { o.name.clone() });
                self.called(number, call, (quad, lane), &texts.collect::<Vec<_>>())
            }
        };
        let text =
            if vector { ty.join_lanes(&(0..QUAD).map(one).collect::<Vec<_>>()) } else { one(0) };
        match guard_by(op, self.guarded[number]) {
            Some(by) => guard(by, &text, ty, vector),
            None => text,
        }
    }
}

/// Returns the name of the struct that a call returns for one element, by the number of the first
/// operation that is a result of it.
fn struct_name(number: usize, quad: usize, lane: usize) -> String {
    format!("s{number}_{quad}_{lane}")
}

//! Writes calls of functions of the user's own, and their texts.
//!
//! A function with loops is called through another one, which says in a word that all calls of an
//! evaluation share if a loop has run too often. Elements that a unit has behind the end of the
//! result are not computed: their operands are whatever lies there, on which a loop might not end.

use std::fmt::Write as _;

use super::guards::guard_by;
use super::wgsl_type::{OperandText, guard};
use super::writer::{Writer, line};
use crate::compile::plan::kernel::Kernel;
use crate::graph::function::body::{Call, FunctionBody, counter_prefix, wgsl_name};
use crate::graph::function::loop_declarations::{INVOCATION, declarations};

/// The name of the word that says if a loop has run too often.
pub(super) const LOOP_STATUS: &str = "loop_status";

/// The number of elements of the unit that are in front of the end of the result.
const LEFT: &str = "elements_left";

/// Returns the texts of the functions that a kernel calls, each once.
pub(super) fn functions(kernel: &Kernel) -> String {
    let mut text = String::new();
    let mut written = Vec::new();
    for call in kernel.ops.iter().filter_map(|op| op.call.as_ref()) {
        let body = &call.function.0;
        if written.contains(&&body.entry) {
            continue;
        }
        written.push(&body.entry);
        if let Some(loops) = body.loops {
            if kernel.bounded_loops && written.len() == 1 {
                line!(text, "var<private> {INVOCATION}: u32;");
            }
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

/// Returns the name of the function that calls one with loops.
fn bounded_name(body: &FunctionBody) -> String {
    format!("{}call", counter_prefix(&body.prefix))
}

/// Writes a function that calls one with loops. It gives zeros for an element that is none, and as
/// soon as a loop has run too often for any element.
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
    line!(out, "fn {name}(is_element: bool, {}) -> {result} {{", typed.join(", "));
    line!(out, "    var value: {result};");
    line!(out, "    if is_element && atomicLoad(&{LOOP_STATUS}) == 0u {{");
    line!(out, "        {prefix}steps = 0u;");
    line!(out, "        {prefix}over = 0u;");
    line!(out, "        value = {}({});", body.entry, names.join(", "));
    line!(out, "        if {prefix}over != 0u {{");
    line!(out, "            atomicMax(&{LOOP_STATUS}, {code}u | {prefix}over);");
    line!(out, "        }}");
    line!(out, "    }}");
    line!(out, "    return value;");
    line!(out, "}}\n");
}

impl Writer<'_> {
    /// Tells functions with loops which invocation of its workgroup this is, if they ask for it.
    pub(super) fn set_invocation(&self, out: &mut String) {
        if self.kernel.bounded_loops {
            line!(out, "    {INVOCATION} = local;");
        }
    }

    /// Declares how many elements of the unit whose first word is at `at` are in front of the end
    /// of the result, if a call asks for it.
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

    /// Returns one result of a call, as one value or a quad, which is this one of the unit.
    pub(super) fn call(
        &self,
        number: usize,
        call: &Call,
        operands: &[OperandText],
        (vector, quad): (bool, usize),
    ) -> String {
        let op = &self.kernel.ops[number];
        let ty = self.wgsl_type(op.element_type);
        let body = &call.function.0;
        let member = match body.result_struct {
            Some(_) => format!(".{}", body.results[call.result].name),
            None => String::new(),
        };
        let is_hoisted = self.ops[number].hoisted;
        let one = |lane: usize, operands: Vec<String>| {
            let operands = operands.join(", ");
            if !call.has_loops() {
                return format!("{}({operands}){member}", body.entry);
            }
            let name = bounded_name(body);
            // Values that are known before the first unit are those of elements.
            if is_hoisted {
                return format!("{name}(true, {operands}){member}");
            }
            format!("{name}({LEFT} > {}u, {operands}){member}", quad * 4 + lane)
        };
        let guarded = |text: String, quad: bool| match guard_by(op, self.guarded[number]) {
            Some(by) => guard(by, &text, ty, quad),
            None => text,
        };
        if !vector {
            return guarded(one(0, operands.iter().map(|o| o.name.clone()).collect()), false);
        }
        let lane = |lane: usize| one(lane, operands.iter().map(|o| o.lane(lane)).collect());
        let lanes: Vec<String> = (0..4).map(lane).collect();
        guarded(ty.join_lanes(&lanes), true)
    }
}

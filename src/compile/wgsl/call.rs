//! Writes calls of functions of the user's own, and their texts.

use std::fmt::Write as _;

use super::guards::guard_by;
use super::wgsl_type::{OperandText, guard};
use super::writer::{Writer, line};
use crate::compile::plan::kernel::Kernel;
use crate::graph::function::body::Call;

/// Returns the texts of the functions that a kernel calls, each once.
pub(super) fn functions(kernel: &Kernel) -> String {
    let mut text = String::new();
    let mut written = Vec::new();
    for call in kernel.ops.iter().filter_map(|op| op.call.as_ref()) {
        let body = &call.function.0;
        if !written.contains(&&body.entry) {
            written.push(&body.entry);
            line!(text, "{}\n", body.wgsl.trim_end());
        }
    }
    text
}

impl Writer<'_> {
    /// Returns one result of a call, as one value or a quad.
    pub(super) fn call(
        &self,
        number: usize,
        call: &Call,
        operands: &[OperandText],
        quad: bool,
    ) -> String {
        let op = &self.kernel.ops[number];
        let ty = self.wgsl_type(op.element_type);
        let body = &call.function.0;
        let member = match body.returns_struct {
            true => format!(".{}", body.results[call.result].name),
            false => String::new(),
        };
        let one =
            |operands: Vec<String>| format!("{}({}){member}", body.entry, operands.join(", "));
        let guarded = |text: String, quad: bool| match guard_by(op, self.guarded[number]) {
            Some(by) => guard(by, &text, ty, quad),
            None => text,
        };
        if !quad {
            return guarded(one(operands.iter().map(|o| o.name.clone()).collect()), false);
        }
        let lane = |lane: usize| one(operands.iter().map(|o| o.lane(lane)).collect());
        let lanes: Vec<String> = (0..4).map(lane).collect();
        guarded(ty.join_lanes(&lanes), true)
    }
}

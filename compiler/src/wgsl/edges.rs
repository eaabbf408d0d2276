//! Writes the code that keeps existing elements at the ends of widened rows: a branch that only the
//! first and the last unit of a row take. (Measured on lavapipe, an array into the inside of another one:
//! 0.8 of the time that reading and selecting in all units takes.)

use super::writer::{Writer, line};
use crate::kernel::output::Edges;
use indim_core::semantics::opcode::Opcode;
use std::fmt::Write as _;
use std::ops::Range;

impl Writer<'_> {
    /// Returns the condition under which a unit has elements to keep.
    pub(super) fn has_edges(&self, edges: Edges) -> String {
        let (at, unit) = (format!("o{}", edges.index), self.kernel.unit());
        let conditions = self.body.ops[edges.first_op..].iter().filter_map(|op| {
            let bound = self.name(*op.operands.last()?, 0);
            match op.opcode {
                Opcode::Ge => Some(format!("{at} < {bound}")),
                Opcode::Lt => Some(format!("{at} + {unit}u > {bound}")),
                _ => None,
            }
        });
        conditions.collect::<Vec<_>>().join(" || ")
    }

    /// Declares these quads of the output, with the existing elements at the ends of a row.
    pub(super) fn keep_edges(
        &self,
        out: &mut String,
        indent: &str,
        quads: &Range<usize>,
        edges: Edges,
    ) {
        let select = self.body.ops.len() - 1;
        let [_, own, _] = self.body.ops[select].operands[..] else { return };
        for quad in quads.clone() {
            line!(out, "{indent}var {} = {};", kept(quad), self.operand(own, quad).quad());
        }
        line!(out, "{indent}if {} {{", self.has_edges(edges));
        let inner = format!("{indent}    ");
        self.operations(out, &inner, quads.clone(), |number| number >= edges.first_op);
        for quad in quads.clone() {
            let selected = self.operand(self.kernel.outputs[0].value, quad).quad();
            line!(out, "{inner}{} = {selected};", kept(quad));
        }
        line!(out, "{indent}}}");
    }
}

/// Returns the name of a quad of the output.
pub(super) fn kept(quad: usize) -> String {
    format!("kept_{quad}")
}

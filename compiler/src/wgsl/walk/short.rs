//! Writes a walk through units of whole short rows.

use crate::layout::QUAD;
use crate::plan::walk::short::Short;
use crate::wgsl::writer::{Writer, line};
use indim_core::semantics::sorted::sorted_set;
use std::fmt::Write as _;

impl Writer<'_> {
    pub(super) fn short(&self, out: &mut String, short: &Short) {
        self.one_unit(out, short.branchless);
    }

    /// Loads each element of a unit of whole rows of this length once: which are the same is fixed
    /// in the text.
    pub(in crate::wgsl) fn load_short_rows(
        &self,
        out: &mut String,
        indent: &str,
        number: usize,
        row_len: usize,
    ) {
        let load = &self.body.loads[number];
        let index_of = |element: usize| {
            let row = if load.hoisted { 0 } else { element / row_len };
            let column = if load.mode.step == 0 { 0 } else { element % row_len };
            (row, column)
        };
        let indices = (0..self.kernel.unit()).map(index_of).collect();
        for (row, column) in sorted_set(indices) {
            let stride = format!("params.stride_{number}");
            let at = format!("(o{number} + {row}u * {stride}_0 + {column}u * {stride}_1)");
            let element = self.element(number, &at);
            line!(out, "{indent}let e{number}_{row}_{column} = {element};");
        }
        for quad in 0..self.quads() {
            let lanes: Vec<String> = (quad * QUAD..(quad + 1) * QUAD)
                .map(index_of)
                .map(|(row, column)| format!("e{number}_{row}_{column}"))
                .collect();
            self.declare_lanes(out, indent, number, quad, &lanes);
        }
    }
}

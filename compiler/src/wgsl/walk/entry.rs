//! Writes the entry point of a kernel.

use crate::plan::walk::kinds::Walk;
use crate::wgsl::writer::{Writer, line};
use std::fmt::Write as _;

impl Writer<'_> {
    /// Writes the entry point, `main`.
    pub(in crate::wgsl) fn entry_point(&self, out: &mut String) {
        self.workgroup_memory(out);
        line!(out, "@compute @workgroup_size({})", self.kernel.workgroup_size);
        line!(
            out,
            "fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {{"
        );
        self.set_invocation(out);
        line!(out, "    let line = group.y * params.fold + group.x;");
        match &self.kernel.walk {
            Walk::Flat(flat) => self.flat(out, flat),
            Walk::Rows(rows) => self.rows(out, rows),
            Walk::Periods(periods) => self.periods(out, periods),
            Walk::Short(short) => self.short(out, short),
            Walk::Blocks(blocks) => self.blocks(out, blocks),
            Walk::Carry(carry) => self.carry(out, carry),
            Walk::FoldRows(rows) => self.fold_rows(out, rows),
            Walk::FoldColumns(columns) => self.fold_columns(out, columns),
            Walk::Passes(passes) => self.passes(out, passes),
            Walk::Scan(scan) => self.scan(out, *scan),
        }
        line!(out, "}}");
    }
}

//! Writes a walk that passes over rows several times. Each pass but the last one folds a row, as
//! [`fold_rows`](super::fold_rows) does; the last one stores what is made of the row, or of the
//! results.

use crate::kernel::body::ValueRef;
use crate::kernel::fold::passes_of;
use crate::layout::QUAD;
use crate::plan::kernel::PlannedFold;
use crate::plan::walk::fold_rows::Nodes;
use crate::plan::walk::passes::{Passes, Stores};
use crate::wgsl::store::Place;
use crate::wgsl::wgsl_type::COMPONENTS;
use crate::wgsl::writer::{Writer, line};
use std::fmt::Write as _;

impl<'a> Writer<'a> {
    pub(super) fn passes(&self, out: &mut String, passes: &Passes) {
        let Some(fold) = &self.kernel.fold else { return };
        let kept = fold.folded.start;
        self.begin_rows(out, &passes.rows, kept);
        for number in self.loads_where(true) {
            line!(out, "    let o{number} = b{number};");
            self.load(out, "    ", number);
        }
        if passes.rows.above == 0 {
            line!(out, "    let count = params.folded;");
        }
        let mut epilogue = self.epilogue(fold);
        if passes.stores != Stores::Once {
            let to = self.kept_base("result_offset", "result_stride", kept);
            line!(out, "    let first_of_row = {to};");
        }
        for pass in 0..passes.folds {
            self.of_pass(pass).fold_pass(out, passes, &epilogue);
        }
        if let Some([_, given]) = passes.kept {
            epilogue.without(given);
        }
        epilogue.last_pass(out, passes, fold);
    }

    /// Writes one pass that folds a row.
    fn fold_pass(&self, out: &mut String, passes: &Passes, epilogue: &Self) {
        let accumulators = self.kernel.fold.as_ref().map_or(&[][..], |fold| &fold.accumulators);
        let before = passes_of(&self.body.ops, accumulators);
        let own = |number: usize| self.ops[number].hoisted && Some(before[number]) == self.pass();
        self.operations(out, "    ", 0..self.quads(), own);
        self.identities(out);
        let rows = &passes.rows;
        let first = if rows.above > 0 { "block + " } else { "" };
        let needed = self.needed_loads();
        let loads: Vec<usize> = self.loads_where(false).filter(|&number| needed[number]).collect();
        self.fold_row(out, rows, &loads, |out| {
            if let (Some([kept, _]), true) = (passes.kept, self.pass() == Some(passes.folds - 1)) {
                let indent = "        ";
                line!(out, "{indent}let to = {};", self.unit_of_row(first));
                self.store_value(out, indent, ValueRef::Op(kept), "to");
            }
        });
        for accumulator in self.accumulators() {
            let lanes = self.row_lanes(accumulator, rows);
            self.join_strands(out, ("    ", false), accumulator.1, &lanes);
            epilogue.declare_folded(out, "    ", accumulator, &lanes[0], 0);
        }
    }

    /// Returns the position in the result of the unit from element `done` on, which is counted from
    /// `before`.
    fn unit_of_row(&self, before: &str) -> String {
        format!("first_of_row + ({before}done) / {}u * {}u", self.kernel.unit(), self.stores())
    }

    /// Returns the loads that this pass needs.
    pub(super) fn needed_loads(&self) -> Vec<bool> {
        let ops = self.body.ops.iter().enumerate().filter(|(number, _)| self.is_written(*number));
        let operands = ops.flat_map(|(_, op)| &op.operands);
        let values = self.accumulators().flat_map(|(_, of)| of.values.iter().flatten());
        let outputs = self.kernel.outputs.iter().map(|output| &output.value);
        let outputs = outputs.filter(|_| self.has_outputs());
        let mut needed = vec![false; self.body.loads.len()];
        for value in operands.chain(values.filter(|_| !self.has_outputs())).chain(outputs) {
            if let ValueRef::Load(number) = *value {
                needed[number] = true;
            }
        }
        needed
    }

    /// Computes and stores what is made of a row or of its results; this is the writer of these
    /// operations.
    fn last_pass(&self, out: &mut String, passes: &Passes, fold: &'a PlannedFold) {
        let together = match passes.rows.nodes {
            Nodes::One | Nodes::InTurn => None,
            Nodes::Together { lanes } => Some(lanes),
        };
        if passes.stores == Stores::Once {
            if together.is_some() {
                line!(out, "    if lane != 0u || element >= params.total {{ return; }}");
            }
            self.operations(out, "    ", 0..1, |_| true);
            let to = self.kept_base("result_offset", "result_stride", fold.folded.start);
            line!(out, "    let to = {to};");
            self.store_one(out, "    ", "to");
            return;
        }
        if together.is_some() {
            line!(out, "    if element >= params.total {{ return; }}");
        }
        self.hoisted_operations(out, "    ");
        if passes.rows.above > 0 {
            line!(out, "    let count = params.folded;");
        }
        let unit = self.kernel.unit();
        let (begin, step) = match together {
            None => ("0u".to_owned(), unit),
            Some(lanes) => (format!("lane * {unit}u"), lanes * unit),
        };
        line!(out, "    for (var done = {begin}; done < count; done += {step}u) {{");
        let (indent, rows) = ("        ", &passes.rows);
        self.folded_place(out, rows, "");
        let needed = self.needed_loads();
        self.fold_loads(out, rows, self.loads_where(false).filter(|&number| needed[number]));
        if passes.stores == Stores::Units {
            line!(out, "{indent}let to = {};", self.unit_of_row(""));
            if let Some([_, given]) = passes.kept {
                self.stored_value(out, indent, ValueRef::Op(given), "to");
            }
            self.finish(out, indent, Place::Words("to"));
        } else {
            line!(out, "{indent}let elements_left = count - done;");
            for quad in 0..self.quads() {
                for (lane, component) in COMPONENTS.into_iter().enumerate() {
                    let element = quad * QUAD + lane;
                    line!(
                        out,
                        "{indent}let at_{quad}_{component} = first_of_row + done + {element}u;"
                    );
                }
            }
            self.finish(out, indent, Place::Elements);
        }
        line!(out, "    }}");
    }
}

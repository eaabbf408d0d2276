//! Writes a fold of columns: the strands of a node side by side, each of neighbouring units.

use super::copies::{self, UnitText};
use crate::kernel::fold::{Accumulator, CHILDREN, STRANDS};
use crate::plan::walk::fold_columns::FoldColumns;
use crate::wgsl::fold::WordNames;
use crate::wgsl::store::Place;
use crate::wgsl::writer::{Writer, line};
use std::fmt::Write as _;

impl Writer<'_> {
    pub(super) fn fold_columns(&self, out: &mut String, columns: &FoldColumns) {
        let Some(fold) = &self.kernel.fold else { return };
        self.linear_unit(out, false);
        line!(out, "    let outer = unit / params.columns;");
        line!(out, "    let column = unit - outer * params.columns;");
        self.coordinates(out, "outer");
        let row = self.kernel.rank - 2;
        for number in 0..self.body.loads.len() {
            self.load_base(out, number);
        }
        self.constants(out);
        self.hoisted_loads(out);
        self.folded_count(out, fold.part);
        self.identities(out);
        if columns.in_turn {
            self.declare_nodes(out, NODE);
            line!(out, "    for (var node = 0u; node < count; node += {CHILDREN}u) {{");
            line!(out, "    let end = min(count, node + {CHILDREN}u);");
        }
        self.declare_nodes(out, STRAND);
        let [first, end] = if columns.in_turn { ["node", "end"] } else { ["0u", "count"] };
        line!(out, "    for (var first = {first}; first < {end}; first += {STRANDS}u) {{");
        copies::write(out, STRANDS, |strand| {
            let mut unit = UnitText::default();
            let UnitText { loads, rest } = &mut unit;
            let indent = "        ";
            let row_text = if columns.whole {
                format!("first + {strand}u")
            } else {
                format!("min(first + {strand}u, count - 1u)")
            };
            line!(loads, "{indent}let row = {row_text};");
            for number in self.loads_where(false) {
                let stride = format!("params.stride_{number}_{row}");
                line!(loads, "{indent}let o{number} = b{number} + row * {stride};");
                self.load(loads, indent, number);
            }
            self.operations(rest, indent, 0..self.quads(), |number| !self.ops[number].hoisted);
            let mask = (!columns.whole).then_some("inside");
            if mask.is_some() {
                line!(rest, "{indent}let inside = vec4<bool>(first + {strand}u < count);");
            }
            for accumulator in self.accumulators() {
                for quad in 0..self.quads() {
                    let value = self.folded_value(accumulator, quad, mask);
                    let into = names(self, STRAND, accumulator, strand, quad);
                    self.combine(rest, (indent, true), accumulator.1, &into, &value);
                }
            }
            unit
        });
        line!(out, "    }}");
        let all = |of, accumulator, quad| {
            [0, 1, 2, 3].map(|strand| names(self, of, accumulator, strand, quad))
        };
        if columns.in_turn {
            for accumulator in self.accumulators() {
                let strands = all(STRAND, accumulator, 0);
                self.join_strands(out, ("    ", true), accumulator.1, &strands);
                let nodes = all(NODE, accumulator, 0);
                self.add_to_next(out, ("    ", true), accumulator.1, &nodes, &strands[0]);
            }
            line!(out, "    }}");
            self.turn_back(out, ("count", CHILDREN), |writer, accumulator, strand| {
                names(writer, NODE, accumulator, strand, 0)
            });
        }
        let epilogue = self.epilogue(fold);
        let last = if columns.in_turn { NODE } else { STRAND };
        for accumulator in self.accumulators() {
            for quad in 0..self.quads() {
                let strands = all(last, accumulator, quad);
                self.join_strands(out, ("    ", true), accumulator.1, &strands);
                epilogue.declare_folded(out, "    ", accumulator, &strands[0], quad);
            }
        }
        line!(out, "    let to = {};", self.result_base());
        epilogue.hoisted_operations(out, "    ");
        epilogue.finish(out, "    ", Place::Words("to"));
    }

    /// Declares four strands of each quad, of a node or of the one above it.
    pub(super) fn declare_nodes(&self, out: &mut String, of: &str) {
        for accumulator in self.accumulators() {
            for strand in 0..STRANDS {
                for quad in 0..self.quads() {
                    let names = names(self, of, accumulator, strand, quad);
                    self.declare_words(out, ("    ", true), accumulator, &names);
                }
            }
        }
    }

    /// Declares `count`, the number of elements that are folded.
    pub(super) fn folded_count(&self, out: &mut String, part: Option<usize>) {
        match part {
            None => {
                line!(out, "    let count = params.folded;");
            }
            Some(part) => {
                let left = format!("params.of_parts - i{part} * params.folded");
                line!(out, "    let count = min(params.folded, {left});");
            }
        }
    }
}

/// How names of words begin: those of a node, and those of the one above it.
pub(super) const STRAND: &str = "a";
const NODE: &str = "n";

/// Returns the names of an accumulator's words in one strand and quad.
pub(super) fn names(
    writer: &Writer<'_>,
    of: &str,
    (number, accumulator): (usize, &Accumulator),
    strand: usize,
    quad: usize,
) -> WordNames {
    writer.words(accumulator, &format!("{of}{number}_{strand}_{quad}"))
}

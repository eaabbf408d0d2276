//! Writes a fold of columns: the strands of a node side by side, each of neighbouring units.

use super::copies::{self, UnitText};
use crate::kernel::fold::STRANDS;
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
        for accumulator in self.accumulators() {
            for (strand, quad) in self.strands_and_quads() {
                let names = names(self, accumulator.0, strand, quad);
                self.declare_words(out, ("    ", true), accumulator, &names);
            }
        }
        line!(out, "    for (var first = 0u; first < count; first += {STRANDS}u) {{");
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
                    let into = names(self, accumulator.0, strand, quad);
                    self.combine(rest, (indent, true), accumulator.1, &into, &value);
                }
            }
            unit
        });
        line!(out, "    }}");
        let epilogue = self.epilogue(fold);
        for accumulator in self.accumulators() {
            for quad in 0..self.quads() {
                let strands = [0, 1, 2, 3].map(|strand| names(self, accumulator.0, strand, quad));
                self.join_strands(out, ("    ", true), accumulator.1, &strands);
                epilogue.declare_folded(out, "    ", accumulator, &strands[0], quad);
            }
        }
        line!(out, "    let to = {};", self.result_base());
        epilogue.hoisted_operations(out, "    ");
        epilogue.finish(out, "    ", Place::Words("to"));
    }

    fn strands_and_quads(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let quads = self.quads();
        (0..STRANDS).flat_map(move |strand| (0..quads).map(move |quad| (strand, quad)))
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

/// Returns the names of an accumulator's words in one strand and quad.
fn names(writer: &Writer<'_>, number: usize, strand: usize, quad: usize) -> WordNames {
    let accumulators = writer.accumulators().skip(number);
    let name = format!("a{number}_{strand}_{quad}");
    accumulators.take(1).flat_map(|(_, accumulator)| writer.words(accumulator, &name)).collect()
}

//! Writes a walk through blocks that stores what it has combined so far. The four strands of the
//! block's node are kept, and joined anew for each element.

use super::copies::{self, UnitText};
use super::fold_columns::{STRAND, names};
use crate::kernel::fold::{Accumulator, STRANDS};
use crate::layout::QUAD;
use crate::plan::walk::scan::Scan;
use crate::wgsl::fold::WordNames;
use crate::wgsl::store::Place;
use crate::wgsl::writer::{Writer, line};
use std::fmt::Write as _;

impl Writer<'_> {
    pub(super) fn scan(&self, out: &mut String, scan: Scan) {
        let Some(fold) = &self.kernel.fold else { return };
        // The mask is not among what the accumulators are made of.
        let (map, epilogue) = (self.of_pass(0), self.epilogue(fold));
        self.short_unit(out);
        if scan.columns {
            line!(out, "    let outer = unit / params.columns;");
            line!(out, "    let column = unit - outer * params.columns;");
            self.coordinates(out, "outer");
        } else {
            line!(out, "    let column = 0u;");
            self.coordinates(out, "unit");
        }
        let of_map = map.needed_loads().into_iter().zip(epilogue.needed_loads());
        let needed: Vec<bool> = of_map.map(|(map, epilogue)| map || epilogue).collect();
        let loads = |hoisted| self.loads_where(hoisted).filter(|&number| needed[number]);
        for number in loads(true).chain(loads(false)) {
            self.load_base(out, number);
        }
        self.constants(out);
        for number in loads(true) {
            line!(out, "    let o{number} = b{number};");
            self.load(out, "    ", number);
        }
        let is_own = |number: usize| map.ops[number].hoisted && map.is_written(number);
        map.operations(out, "    ", 0..self.quads(), is_own);
        epilogue.hoisted_operations(out, "    ");
        self.identities(out);
        line!(out, "    let first_of_block = {};", self.result_base());
        let loads: Vec<usize> = loads(false).collect();
        if scan.columns {
            map.scan_columns(out, scan, &epilogue, &loads);
        } else {
            map.scan_row(out, scan, &epilogue, &loads);
        }
    }

    /// Writes a block that is one unit.
    fn scan_row(&self, out: &mut String, scan: Scan, epilogue: &Self, loads: &[usize]) {
        let place = ("    ", true);
        for number in loads {
            line!(out, "    let o{number} = b{number};");
            self.load(out, "    ", *number);
        }
        self.unit_of_map(out, "    ");
        for accumulator in self.accumulators() {
            let (number, of) = accumulator;
            let strands = self.words(of, &format!("{STRAND}{number}"));
            self.declare_words(out, place, accumulator, &strands);
            for quad in 0..self.quads() {
                let before = self.words(of, &format!("p{number}_{quad}"));
                for (name, strands) in before.iter().zip(&strands) {
                    line!(out, "    let {name} = {strands};");
                }
                let value = self.folded_value(accumulator, quad, None);
                if quad == 0 {
                    self.begin(out, "    ", accumulator, &strands, &value);
                } else {
                    self.combine(out, place, of, &strands, &value);
                }
                let all =
                    self.strands_of_lanes(out, scan, accumulator, (quad, [&before, &strands]));
                self.join_strands(out, place, of, &all);
                epilogue.declare_folded(out, "    ", accumulator, &all[0], quad);
            }
        }
        epilogue.finish(out, "    ", Place::Words("first_of_block"));
    }

    /// Declares the four strands that each lane of a quad joins: of those before the quad and after it,
    /// whose lanes are strands, the ones that have the lane's elements.
    fn strands_of_lanes(
        &self,
        out: &mut String,
        scan: Scan,
        (number, of): (usize, &Accumulator),
        (quad, [before, after]): (usize, [&WordNames; 2]),
    ) -> [WordNames; STRANDS] {
        let ty = self.word_type(of);
        [0, 1, 2, 3].map(|strand| {
            let joined = self.words(of, &format!("s{number}_{quad}_{strand}"));
            for (word, name) in joined.iter().enumerate() {
                let from = |lane: usize| {
                    let has_element = strand + usize::from(scan.exclusive) <= lane;
                    let words = if has_element { after } else { before };
                    ty.lane(&words[word], strand)
                };
                let lanes: Vec<String> = (0..QUAD).map(from).collect();
                line!(out, "    var {name} = {};", ty.join_lanes(&lanes));
            }
            joined
        })
    }

    /// Writes a block of several rows of units.
    fn scan_columns(&self, out: &mut String, scan: Scan, epilogue: &Self, loads: &[usize]) {
        let (indent, row) = ("        ", self.kernel.rank - 2);
        self.declare_nodes(out, STRAND);
        line!(out, "    for (var first = 0u; first < params.folded; first += {STRANDS}u) {{");
        copies::write(out, STRANDS, |strand| {
            let mut unit = UnitText::default();
            let UnitText { loads: text, rest } = &mut unit;
            line!(text, "{indent}let row = first + {strand}u;");
            for number in loads {
                let stride = format!("params.stride_{number}_{row}");
                line!(text, "{indent}let o{number} = b{number} + row * {stride};");
                self.load(text, indent, *number);
            }
            self.unit_of_map(rest, indent);
            for accumulator in self.accumulators() {
                for quad in 0..self.quads() {
                    let value = self.folded_value(accumulator, quad, None);
                    let into = names(self, STRAND, accumulator, strand, quad);
                    if scan.exclusive {
                        self.so_far(rest, epilogue, accumulator, quad);
                    }
                    self.combine(rest, (indent, true), accumulator.1, &into, &value);
                    if !scan.exclusive {
                        self.so_far(rest, epilogue, accumulator, quad);
                    }
                }
            }
            line!(rest, "{indent}let to = first_of_block + row * params.result_stride_{row};");
            epilogue.finish(rest, indent, Place::Words("to"));
            unit
        });
        line!(out, "    }}");
    }

    /// Computes what the accumulators of a unit combine.
    fn unit_of_map(&self, out: &mut String, indent: &str) {
        let is_meant = |number: usize| !self.ops[number].hoisted && self.is_written(number);
        self.operations(out, indent, 0..self.quads(), is_meant);
    }

    /// Declares what an accumulator has combined so far, in one quad of a column.
    fn so_far(
        &self,
        out: &mut String,
        epilogue: &Self,
        accumulator: (usize, &Accumulator),
        quad: usize,
    ) {
        let indent = "        ";
        let joined = [0, 1, 2, 3].map(|strand| {
            let joined = names(self, "s", accumulator, strand, quad);
            for (name, kept) in joined.iter().zip(names(self, STRAND, accumulator, strand, quad)) {
                line!(out, "{indent}var {name} = {kept};");
            }
            joined
        });
        self.join_strands(out, (indent, true), accumulator.1, &joined);
        epilogue.declare_folded(out, indent, accumulator, &joined[0], quad);
    }
}

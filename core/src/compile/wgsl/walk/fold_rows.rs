//! Writes a fold of rows, into one element: a quad has the strands of a node. How invocations fold the
//! nodes of a row together is in [`together`](super::together).

use super::copies::UnitText;
use crate::compile::kernel::fold::{Accumulator, CHILDREN, STRANDS};
use crate::compile::plan::access::Access;
use crate::compile::plan::walk::fold_rows::{FoldRows, Nodes};
use crate::compile::wgsl::fold::WordNames;
use crate::compile::wgsl::writer::{Writer, line};
use std::fmt::Write as _;

impl Writer<'_> {
    pub(super) fn fold_rows(&self, out: &mut String, rows: &FoldRows) {
        let Some(fold) = &self.kernel.fold else { return };
        match rows.nodes {
            Nodes::One | Nodes::InTurn => self.linear_unit(out, false),
            Nodes::Together { lanes } => self.shared_element(out, lanes),
        }
        self.kept_coordinates(out, fold.folded.start);
        for number in 0..self.body.loads.len() {
            let base = self.kept_base(&format!("offset_{number}"), &format!("stride_{number}"));
            line!(out, "    let b{number} = {base};");
        }
        self.constants(out);
        self.hoisted_loads(out);
        self.folded_count(out, fold.part);
        if let (true, Some(part)) = (rows.is_range, fold.part) {
            line!(out, "    let first = params.first_folded + i{part} * params.folded;");
        }
        self.identities(out);
        for accumulator in self.accumulators() {
            self.declare_words(out, ("    ", true), accumulator, &self.strands(accumulator));
            for strand in 0..if rows.nodes == Nodes::InTurn { STRANDS } else { 0 } {
                self.declare_words(
                    out,
                    ("    ", false),
                    accumulator,
                    &nodes(self, accumulator, strand),
                );
            }
        }
        let unit = self.kernel.unit();
        let [first, end] = match rows.nodes {
            Nodes::One | Nodes::InTurn => ["0u", "count"],
            Nodes::Together { .. } => {
                line!(out, "    let begin = lane * {CHILDREN}u;");
                line!(out, "    let end = min(count, begin + {CHILDREN}u);");
                ["begin", "end"]
            }
        };
        line!(out, "    for (var done = {first}; done < {end}; done += {unit}u) {{");
        self.one(out, |text| self.fold_unit(text, rows));
        if rows.nodes == Nodes::InTurn {
            self.close_nodes(out);
        }
        line!(out, "    }}");
        match rows.nodes {
            Nodes::One => {}
            Nodes::InTurn => self.turn_back(out),
            Nodes::Together { lanes } => self.meet(out, lanes),
        }
        let epilogue = self.epilogue(fold);
        for accumulator in self.accumulators() {
            let lanes = match rows.nodes {
                Nodes::One => self.lanes_of(accumulator.1, &self.strands(accumulator)),
                Nodes::InTurn | Nodes::Together { .. } => {
                    [0, 1, 2, 3].map(|strand| nodes(self, accumulator, strand))
                }
            };
            self.join_strands(out, ("    ", false), accumulator.1, &lanes);
            epilogue.declare_folded(out, "    ", accumulator, &lanes[0], 0);
        }
        epilogue.operations(out, "    ", 0..1, |_| true);
        line!(out, "    let to = {};", self.kept_base("result_offset", "result_stride"));
        epilogue.store_one(out, "    ", "to");
    }

    /// Declares the coordinates of element `unit` along the first dimensions, which are kept.
    fn kept_coordinates(&self, out: &mut String, kept: usize) {
        let mut rest = "unit".to_owned();
        for d in (1..kept).rev() {
            line!(out, "    let rest_{d} = {rest} / params.size_{d};");
            line!(out, "    let i{d} = {rest} - rest_{d} * params.size_{d};");
            rest = format!("rest_{d}");
        }
        line!(out, "    let i0 = {rest};");
    }

    /// Returns a position at these coordinates.
    fn kept_base(&self, offset: &str, stride: &str) -> String {
        let kept = self.kernel.fold.as_ref().map_or(0, |fold| fold.folded.start);
        let mut text = format!("params.{offset}");
        for d in 0..kept {
            let _ = write!(text, " + i{d} * params.{stride}_{d}");
        }
        text
    }

    /// Loads, computes and combines the unit from element `done` on.
    fn fold_unit(&self, UnitText { loads, rest }: &mut UnitText, rows: &FoldRows) {
        let (indent, unit) = ("        ", self.kernel.unit());
        self.fold_positions(loads, rows);
        for number in self.loads_where(false) {
            self.load(loads, indent, number);
        }
        self.operations(rest, indent, 0..self.quads(), |number| !self.ops[number].hoisted);
        for quad in 0..self.quads() {
            let inside = format!("inside_{quad}");
            if !rows.whole {
                let elements: Vec<String> =
                    (quad * 4..quad * 4 + 4).map(|element| format!("{element}u")).collect();
                line!(
                    rest,
                    "{indent}let {inside} = vec4<u32>({}) < vec4<u32>(count - done);",
                    elements.join(", ")
                );
            }
            let mask = (!rows.whole).then_some(inside.as_str());
            for accumulator in self.accumulators() {
                let value = self.folded_value(accumulator, quad, mask);
                let into = self.strands(accumulator);
                if quad == 0 && unit == CHILDREN {
                    self.begin(rest, indent, accumulator, &into, &value);
                } else {
                    self.combine(rest, (indent, true), accumulator.1, &into, &value);
                }
            }
        }
        debug_assert!(CHILDREN.is_multiple_of(unit));
    }

    /// Declares the positions of the loads of the unit from element `done` on.
    fn fold_positions(&self, out: &mut String, rows: &FoldRows) {
        let (indent, unit, rank) = ("        ", self.kernel.unit(), self.kernel.rank);
        let first = rank - rows.dimensions;
        let before = if rows.is_range { "first + " } else { "" };
        let loads: Vec<usize> = self.loads_where(false).collect();
        if rows.spans_rows {
            for element in 0..unit {
                let at = format!("{before}min(done + {element}u, count - 1u)");
                self.folded_coordinates(out, first, &at, &format!("_{element}"));
            }
            for number in loads {
                line!(out, "{indent}let o{number} = b{number};");
                for element in 0..unit {
                    let steps: Vec<String> = (first..rank)
                        .map(|d| format!("f{d}_{element} * params.stride_{number}_{d}"))
                        .collect();
                    line!(out, "{indent}let d{number}_{element} = {};", steps.join(" + "));
                }
            }
            return;
        }
        self.folded_coordinates(out, first, &format!("{before}done"), "");
        for number in loads {
            let mut text = format!("b{number}");
            for d in first..rank - 1 {
                let _ = write!(text, " + f{d} * params.stride_{number}_{d}");
            }
            let load = &self.body.loads[number];
            let inner = rank - 1;
            let step = match load.mode.access {
                Access::Contiguous | Access::Strided => {
                    format!("f{inner} / {unit}u * {}", self.unit_stride(number))
                }
                _ => format!("f{inner} * params.stride_{number}_{inner}"),
            };
            line!(out, "{indent}let o{number} = {text} + {step};");
        }
    }

    /// Declares the coordinates of a folded element along the dimensions from `first` on.
    fn folded_coordinates(&self, out: &mut String, first: usize, at: &str, suffix: &str) {
        let indent = "        ";
        let mut rest = at.to_owned();
        for d in (first + 1..self.kernel.rank).rev() {
            line!(out, "{indent}let at_{d}{suffix} = {rest};");
            line!(out, "{indent}let above_{d}{suffix} = at_{d}{suffix} / params.size_{d};");
            line!(
                out,
                "{indent}let f{d}{suffix} = at_{d}{suffix} - above_{d}{suffix} * params.size_{d};"
            );
            rest = format!("above_{d}{suffix}");
        }
        line!(out, "{indent}let f{first}{suffix} = {rest};");
    }

    /// Adds the strands to a node of the level above, after its last element, and turns that node's
    /// strands, so that the first one is always the next. (An index that varies would cost lavapipe as
    /// much as eight loads.)
    fn close_nodes(&self, out: &mut String) {
        let unit = self.kernel.unit();
        let (indent, is_whole) = ("            ", unit == CHILDREN);
        if is_whole {
            line!(out, "        {{");
        } else {
            line!(
                out,
                "        if (done + {unit}u) % {CHILDREN}u == 0u || done + {unit}u >= count {{"
            );
        }
        for accumulator in self.accumulators() {
            let lanes = self.lanes_of(accumulator.1, &self.strands(accumulator));
            self.join_strands(out, (indent, false), accumulator.1, &lanes);
            let strands = [0, 1, 2, 3].map(|strand| nodes(self, accumulator, strand));
            self.combine(out, (indent, false), accumulator.1, &strands[0], &lanes[0]);
            for [first, second, third, last] in by_word(&strands) {
                line!(out, "{indent}let turned_{first} = {first};");
                line!(out, "{indent}{first} = {second};");
                line!(out, "{indent}{second} = {third};");
                line!(out, "{indent}{third} = {last};");
                line!(out, "{indent}{last} = turned_{first};");
            }
            if is_whole {
                continue;
            }
            for (word, name) in self.strands(accumulator).iter().enumerate() {
                let identity = self.word_identity(accumulator.0, accumulator.1, word);
                line!(out, "{indent}{name} = {};", self.word_type(accumulator.1).splat(&identity));
            }
        }
        line!(out, "        }}");
    }

    /// Returns the names of the words that hold the four strands of a node.
    pub(super) fn strands(&self, (number, accumulator): (usize, &Accumulator)) -> WordNames {
        self.words(accumulator, &format!("a{number}"))
    }

    /// Turns the strands of the node above to where they began.
    fn turn_back(&self, out: &mut String) {
        line!(out, "    let turns = ({CHILDREN}u - 1u + count) / {CHILDREN}u;");
        line!(out, "    let by_one = turns % 2u != 0u;");
        line!(out, "    let by_two = (turns + 1u) / 2u % 2u != 0u;");
        for accumulator in self.accumulators() {
            let strands = [0, 1, 2, 3].map(|strand| nodes(self, accumulator, strand));
            for names in by_word(&strands) {
                for (strand, name) in names.iter().enumerate() {
                    let next = names[(strand + 1) % STRANDS];
                    line!(out, "    let one_{name} = select({name}, {next}, by_one);");
                }
                for (strand, name) in names.iter().enumerate() {
                    let next = names[(strand + 2) % STRANDS];
                    line!(out, "    {name} = select(one_{name}, one_{next}, by_two);");
                }
            }
        }
    }
}

/// Returns the names of the words that hold a strand of the node above.
pub(super) fn nodes(
    writer: &Writer<'_>,
    (number, accumulator): (usize, &Accumulator),
    strand: usize,
) -> WordNames {
    writer.words(accumulator, &format!("n{number}_{strand}"))
}

/// Returns the names of each word in the four strands.
fn by_word(strands: &[WordNames; STRANDS]) -> impl Iterator<Item = [&String; STRANDS]> {
    (0..strands[0].len()).map(|word| [0, 1, 2, 3].map(|strand| &strands[strand][word]))
}

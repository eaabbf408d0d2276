//! Writes a fold of rows, into one element: a quad has the strands of a node. How invocations fold the
//! nodes of a row together is in [`together`](super::together).

use super::copies;
use crate::kernel::fold::{Accumulator, CHILDREN, STRANDS};
use crate::plan::access::Access;
use crate::plan::kernel::PlannedFold;
use crate::plan::walk::fold_rows::{FoldRows, Group, Nodes};
use crate::wgsl::fold::WordNames;
use crate::wgsl::writer::{Writer, line};
use std::fmt::Write as _;

/// The text of one element of a group.
#[derive(Default)]
struct ElementText {
    /// Its coordinate and positions of loads.
    place: String,
    /// Loads and operations that are the same along folded dimensions.
    hoisted: String,
    /// Its accumulators.
    words: String,
    loads: String,
    rest: String,
    /// The lines after the loop.
    end: String,
}

impl ElementText {
    /// Returns the text with names that end in the element's number.
    fn numbered(self, element: usize) -> Self {
        let Self { place, hoisted, words, loads, rest, end } = self;
        let texts = [place, hoisted, words, loads, rest, end];
        let [place, hoisted, words, loads, rest, end] = copies::parts(texts, element);
        Self { place, hoisted, words, loads, rest, end }
    }
}

impl<'a> Writer<'a> {
    pub(super) fn fold_rows(&self, out: &mut String, rows: &FoldRows) {
        let Some(fold) = &self.kernel.fold else { return };
        if rows.above > 0 {
            self.long_rows(out, rows, fold);
            return;
        }
        match rows.nodes {
            Nodes::One if rows.is_unit => self.short_unit(out),
            Nodes::One | Nodes::InTurn => self.linear_unit(out, false),
            Nodes::Together { lanes } => self.shared_element(out, lanes),
        }
        let kept = fold.folded.start;
        self.kept_coordinates(out, kept, &rows.group);
        let elements: Vec<ElementText> = (0..rows.group.elements)
            .map(|element| self.element_text(rows, fold, element))
            .collect();
        let of_all = |out: &mut String, part: fn(&ElementText) -> &String| {
            elements.iter().for_each(|element| out.push_str(part(element)));
        };
        for &number in &rows.group.shared {
            self.load_kept_base(out, number, kept - 1);
        }
        of_all(out, |element| &element.place);
        self.constants(out);
        of_all(out, |element| &element.hoisted);
        self.folded_count(out, fold.part);
        if let (true, Some(part)) = (rows.is_range, fold.part) {
            line!(out, "    let first = params.first_folded + i{part} * params.folded;");
        }
        self.identities(out);
        of_all(out, |element| &element.words);
        let unit = self.kernel.unit();
        let [first, end] = match rows.nodes {
            Nodes::One | Nodes::InTurn => ["0u", "count"],
            Nodes::Together { .. } => {
                line!(out, "    let begin = lane * {CHILDREN}u;");
                line!(out, "    let end = min(count, begin + {CHILDREN}u);");
                ["begin", "end"]
            }
        };
        if rows.is_unit {
            // With a loop of one turn lavapipe took 1.3 times as long.
            line!(out, "    {{");
            line!(out, "        let done = 0u;");
        } else {
            line!(out, "    for (var done = {first}; done < {end}; done += {unit}u) {{");
        }
        self.folded_place(out, rows, if rows.is_range { "first + " } else { "" });
        self.fold_loads(out, rows, rows.group.shared.iter().copied());
        of_all(out, |element| &element.loads);
        of_all(out, |element| &element.rest);
        line!(out, "    }}");
        of_all(out, |element| &element.end);
    }

    /// Writes what is done for one of the elements of a group.
    fn element_text(&self, rows: &FoldRows, fold: &'a PlannedFold, element: usize) -> ElementText {
        let kept = fold.folded.start;
        let mut text = ElementText::default();
        if let (true, Some(last)) = (rows.group.elements > 1, kept.checked_sub(1)) {
            let (number, end) =
                (format!("first_element + {element}u"), format!("params.size_{last}"));
            // Past the end it is the last one again, which has the same values.
            line!(text.place, "    let i{last} = min({number}, {end} - 1u);");
        }
        let is_own = |number: &usize| !rows.group.shared.contains(number);
        for number in (0..self.body.loads.len()).filter(is_own) {
            self.load_kept_base(&mut text.place, number, kept);
        }
        self.hoisted_loads(&mut text.hoisted);
        for accumulator in self.accumulators() {
            let words = self.strands(accumulator);
            self.declare_words(&mut text.words, ("    ", true), accumulator, &words);
            for strand in 0..if rows.nodes == Nodes::InTurn { STRANDS } else { 0 } {
                let words = nodes(self, accumulator, strand);
                self.declare_words(&mut text.words, ("    ", false), accumulator, &words);
            }
        }
        self.fold_loads(&mut text.loads, rows, self.loads_where(false).filter(is_own));
        self.fold_unit(&mut text.rest, rows);
        if rows.nodes == Nodes::InTurn {
            self.close_nodes(&mut text.rest);
        }
        self.end_element(&mut text.end, rows, fold);
        if rows.group.elements > 1 { text.numbered(element) } else { text }
    }

    /// Folds the nodes of an element, and stores what is made of it.
    fn end_element(&self, out: &mut String, rows: &FoldRows, fold: &'a PlannedFold) {
        match rows.nodes {
            Nodes::One => {}
            Nodes::InTurn => self.turn_back(out, ("count", CHILDREN), nodes),
            Nodes::Together { lanes } => self.meet(out, lanes),
        }
        self.store_folded(out, rows, fold);
    }

    /// Joins the strands of a row, computes what is made of it, and stores this.
    pub(super) fn store_folded(&self, out: &mut String, rows: &FoldRows, fold: &'a PlannedFold) {
        let epilogue = self.epilogue(fold);
        for accumulator in self.accumulators() {
            let lanes = self.row_lanes(accumulator, rows);
            self.join_strands(out, ("    ", false), accumulator.1, &lanes);
            epilogue.declare_folded(out, "    ", accumulator, &lanes[0], 0);
        }
        epilogue.operations(out, "    ", 0..1, |_| true);
        let to = self.kept_base("result_offset", "result_stride", fold.folded.start);
        line!(out, "    let to = {to};");
        epilogue.store_one(out, "    ", "to");
    }

    /// Declares the coordinates of element `unit` along the first dimensions, which are kept; of a
    /// group of several elements those that all have, and `first_element`, the last one of the first.
    pub(super) fn kept_coordinates(&self, out: &mut String, kept: usize, group: &Group) {
        let mut rest = "unit".to_owned();
        let mut all = kept;
        if group.elements > 1 {
            all = kept - 1;
            line!(out, "    let groups = unit / params.columns;");
            let within = "(unit - groups * params.columns)";
            line!(out, "    let first_element = {within} * {}u;", group.elements);
            rest = "groups".to_owned();
        }
        for d in (1..all).rev() {
            line!(out, "    let rest_{d} = {rest} / params.size_{d};");
            line!(out, "    let i{d} = {rest} - rest_{d} * params.size_{d};");
            rest = format!("rest_{d}");
        }
        if group.elements == 1 || all > 0 {
            line!(out, "    let i0 = {rest};");
        }
    }

    /// Declares `b{number}`, the position of a load at the first coordinates, as many as `kept`.
    pub(super) fn load_kept_base(&self, out: &mut String, number: usize, kept: usize) {
        let base = self.kept_base(&format!("offset_{number}"), &format!("stride_{number}"), kept);
        line!(out, "    let b{number} = {base};");
    }

    /// Returns a position at these coordinates.
    pub(super) fn kept_base(&self, offset: &str, stride: &str, kept: usize) -> String {
        let mut text = format!("params.{offset}");
        for d in 0..kept {
            let _ = write!(text, " + i{d} * params.{stride}_{d}");
        }
        text
    }

    /// Computes and combines the unit from element `done` on.
    pub(super) fn fold_unit(&self, rest: &mut String, rows: &FoldRows) {
        let (indent, unit) = ("        ", self.kernel.unit());
        let is_meant = |number: usize| !self.ops[number].hoisted && self.is_written(number);
        self.operations(rest, indent, 0..self.quads(), is_meant);
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
                if quad == 0 && (unit == CHILDREN || rows.is_unit) {
                    self.begin(rest, indent, accumulator, &into, &value);
                } else {
                    self.combine(rest, (indent, true), accumulator.1, &into, &value);
                }
            }
        }
        debug_assert!(CHILDREN.is_multiple_of(unit));
    }

    /// Declares the coordinates of the unit from element `done` on, which is counted from `before`.
    pub(super) fn folded_place(&self, out: &mut String, rows: &FoldRows, before: &str) {
        let first = self.kernel.rank - rows.dimensions;
        if !rows.spans_rows {
            self.folded_coordinates(out, first, &format!("{before}done"), "");
            return;
        }
        for element in 0..self.kernel.unit() {
            let at = format!("{before}min(done + {element}u, count - 1u)");
            self.folded_coordinates(out, first, &at, &format!("_{element}"));
        }
    }

    /// Loads the unit from element `done` on.
    pub(super) fn fold_loads(
        &self,
        out: &mut String,
        rows: &FoldRows,
        loads: impl Iterator<Item = usize>,
    ) {
        let loads: Vec<usize> = loads.collect();
        self.fold_positions(out, rows, &loads);
        for number in loads {
            self.load(out, "        ", number);
        }
    }

    /// Declares the positions of these loads.
    fn fold_positions(&self, out: &mut String, rows: &FoldRows, loads: &[usize]) {
        let (indent, unit, rank) = ("        ", self.kernel.unit(), self.kernel.rank);
        let first = rank - rows.dimensions;
        if rows.spans_rows {
            for &number in loads {
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
        for &number in loads {
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
    pub(super) fn close_nodes(&self, out: &mut String) {
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
            self.add_to_next(out, (indent, false), accumulator.1, &strands, &lanes[0]);
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

    /// Adds a node to the first strand of the one above, and turns these.
    pub(super) fn add_to_next(
        &self,
        out: &mut String,
        (indent, quad): (&str, bool),
        accumulator: &Accumulator,
        strands: &[WordNames; STRANDS],
        node: &WordNames,
    ) {
        self.combine(out, (indent, quad), accumulator, &strands[0], node);
        for [first, second, third, last] in by_word(strands) {
            line!(out, "{indent}let turned_{first} = {first};");
            line!(out, "{indent}{first} = {second};");
            line!(out, "{indent}{second} = {third};");
            line!(out, "{indent}{third} = {last};");
            line!(out, "{indent}{last} = turned_{first};");
        }
    }

    /// Returns the names of the words that hold the four strands of a node.
    pub(super) fn strands(&self, (number, accumulator): (usize, &Accumulator)) -> WordNames {
        self.words(accumulator, &format!("a{number}"))
    }

    /// Turns the strands of the node above to where they began, after as many turns as `count` elements
    /// have children of `each`.
    pub(super) fn turn_back(
        &self,
        out: &mut String,
        (count, each): (&str, usize),
        strands: impl Fn(&Self, (usize, &Accumulator), usize) -> WordNames,
    ) {
        line!(out, "    let turns = ({each}u - 1u + {count}) / {each}u;");
        line!(out, "    let by_one = turns % 2u != 0u;");
        line!(out, "    let by_two = (turns + 1u) / 2u % 2u != 0u;");
        for accumulator in self.accumulators() {
            let strands = [0, 1, 2, 3].map(|strand| strands(self, accumulator, strand));
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

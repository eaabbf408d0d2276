//! Writes how a row is folded: in one loop, or block by block, each of two levels of the tree. Above
//! blocks each level has four strands, to which the nodes below are added in turn.

use super::fold_rows::nodes;
use crate::kernel::fold::{Accumulator, CHILDREN, STRANDS};
use crate::plan::kernel::PlannedFold;
use crate::plan::walk::fold_rows::{BLOCK, FoldRows, Nodes};
use crate::wgsl::fold::WordNames;
use crate::wgsl::writer::{Writer, line};
use std::fmt::Write as _;

impl<'a> Writer<'a> {
    /// Writes a walk over rows of several blocks.
    pub(super) fn long_rows(&self, out: &mut String, rows: &FoldRows, fold: &'a PlannedFold) {
        self.begin_rows(out, rows, fold.folded.start);
        self.hoisted_loads(out);
        self.identities(out);
        let loads: Vec<usize> = self.loads_where(false).collect();
        self.fold_row(out, rows, &loads, |_| {});
        if let Nodes::Together { .. } = rows.nodes {
            line!(out, "    if lane != 0u || element >= params.total {{ return; }}");
        }
        self.store_folded(out, rows, fold);
    }

    /// Declares what is the same for a whole row, whose coordinates are along the first dimensions, as
    /// many as `kept`.
    pub(super) fn begin_rows(&self, out: &mut String, rows: &FoldRows, kept: usize) {
        match rows.nodes {
            Nodes::One | Nodes::InTurn => self.linear_unit(out, false),
            Nodes::Together { lanes } => {
                self.shared_element(out, lanes);
                line!(out, "    let first_strand = local / {lanes}u * {STRANDS}u;");
            }
        }
        self.kept_coordinates(out, kept, &rows.group);
        for number in 0..self.body.loads.len() {
            self.load_kept_base(out, number, kept);
        }
        self.constants(out);
    }

    /// Folds a row into the four strands of [`row_lanes`](Self::row_lanes). `count` is the number of its
    /// elements, of a block's within the loop over these. `each_unit` writes what else is done with a
    /// unit.
    pub(super) fn fold_row(
        &self,
        out: &mut String,
        rows: &FoldRows,
        loads: &[usize],
        each_unit: impl Fn(&mut String),
    ) {
        if rows.above == 0 {
            self.fold_block(out, (rows, ""), loads, each_unit);
            return;
        }
        for level in 0..rows.above {
            self.declare_strands(out, |writer, of, strand| above(writer, of, level, strand));
        }
        line!(out, "    for (var block = 0u; block < params.folded; block += {BLOCK}u) {{");
        line!(out, "    let count = min(params.folded - block, {BLOCK}u);");
        self.fold_block(out, (rows, "block + "), loads, each_unit);
        for accumulator in self.accumulators() {
            let lanes = self.block_lanes(accumulator, rows.nodes);
            self.join_strands(out, ("    ", false), accumulator.1, &lanes);
            let strands = self.above(accumulator, 0);
            self.add_to_next(out, ("    ", false), accumulator.1, &strands, &lanes[0]);
        }
        for level in 1..rows.above {
            // The last node of a level ends with the row, below.
            let each = BLOCK * CHILDREN.pow(level as u32);
            line!(out, "    let end_{level} = block + {BLOCK}u;");
            line!(out, "    if end_{level} % {each}u == 0u && end_{level} < params.folded {{");
            self.close_level(out, level);
            line!(out, "    }}");
        }
        line!(out, "    }}");
        for level in 0..rows.above {
            if level > 0 {
                line!(out, "    {{");
                self.close_level(out, level);
                line!(out, "    }}");
            }
            let each = BLOCK * CHILDREN.pow(level as u32);
            line!(out, "    {{");
            self.turn_back(out, ("params.folded", each), |writer, of, strand| {
                above(writer, of, level, strand)
            });
            line!(out, "    }}");
        }
    }

    /// Adds the node of the level below to this one, and empties the level below.
    fn close_level(&self, out: &mut String, level: usize) {
        for accumulator in self.accumulators() {
            let below = self.above(accumulator, level - 1);
            self.join_strands(out, ("    ", false), accumulator.1, &below);
            let strands = self.above(accumulator, level);
            self.add_to_next(out, ("    ", false), accumulator.1, &strands, &below[0]);
            for strand in &below {
                for (word, name) in strand.iter().enumerate() {
                    let identity = self.word_identity(accumulator.0, accumulator.1, word);
                    line!(out, "    {name} = {identity};");
                }
            }
        }
    }

    /// Folds the elements of a block, which begins at `first`, into four strands.
    fn fold_block(
        &self,
        out: &mut String,
        (rows, first): (&FoldRows, &str),
        loads: &[usize],
        each_unit: impl Fn(&mut String),
    ) {
        for accumulator in self.accumulators() {
            let words = self.strands(accumulator);
            self.declare_words(out, ("    ", true), accumulator, &words);
        }
        if rows.nodes == Nodes::InTurn {
            self.declare_strands(out, nodes);
        }
        let unit = self.kernel.unit();
        let [begin, end] = match rows.nodes {
            Nodes::One | Nodes::InTurn => ["0u".to_owned(), "count".to_owned()],
            Nodes::Together { .. } => {
                let begin = format!("lane * {CHILDREN}u");
                [begin.clone(), format!("min(count, {begin} + {CHILDREN}u)")]
            }
        };
        line!(out, "    for (var done = {begin}; done < {end}; done += {unit}u) {{");
        self.folded_place(out, rows, first);
        self.fold_loads(out, rows, loads.iter().copied());
        self.fold_unit(out, rows);
        each_unit(out);
        if rows.nodes == Nodes::InTurn {
            self.close_nodes(out);
        }
        line!(out, "    }}");
        match rows.nodes {
            Nodes::One => {}
            Nodes::InTurn => {
                line!(out, "    {{");
                self.turn_back(out, ("count", CHILDREN), nodes);
                line!(out, "    }}");
            }
            Nodes::Together { .. } => {
                self.store_nodes(out);
                self.fold_nodes(out);
                self.take_strands(out);
            }
        }
    }

    /// Declares the four strands of a node of each accumulator.
    fn declare_strands(
        &self,
        out: &mut String,
        names: impl Fn(&Self, (usize, &Accumulator), usize) -> WordNames,
    ) {
        for accumulator in self.accumulators() {
            for strand in 0..STRANDS {
                let words = names(self, accumulator, strand);
                self.declare_words(out, ("    ", false), accumulator, &words);
            }
        }
    }

    /// Returns the names of the four strands that a row was folded into.
    pub(super) fn row_lanes(
        &self,
        accumulator: (usize, &Accumulator),
        rows: &FoldRows,
    ) -> [WordNames; STRANDS] {
        match rows.above.checked_sub(1) {
            Some(last) => self.above(accumulator, last),
            None => self.block_lanes(accumulator, rows.nodes),
        }
    }

    /// Returns the names of the four strands that a block was folded into.
    fn block_lanes(&self, accumulator: (usize, &Accumulator), of: Nodes) -> [WordNames; STRANDS] {
        match of {
            Nodes::One => self.lanes_of(accumulator.1, &self.strands(accumulator)),
            Nodes::InTurn | Nodes::Together { .. } => {
                [0, 1, 2, 3].map(|strand| nodes(self, accumulator, strand))
            }
        }
    }

    /// Returns the names of the four strands of a level above blocks.
    fn above(&self, accumulator: (usize, &Accumulator), level: usize) -> [WordNames; STRANDS] {
        [0, 1, 2, 3].map(|strand| above(self, accumulator, level, strand))
    }
}

/// Returns the names of the words that hold a strand of a level above blocks.
fn above(
    writer: &Writer<'_>,
    (number, accumulator): (usize, &Accumulator),
    level: usize,
    strand: usize,
) -> WordNames {
    writer.words(accumulator, &format!("m{number}_{level}_{strand}"))
}

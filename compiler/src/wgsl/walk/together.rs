//! Writes how invocations of a workgroup fold the nodes of a row together: each stores its node, four of
//! them add these to the strands of the node above, and the first one has the result.

use super::fold_rows::nodes;
use crate::kernel::fold::{Accumulator, CHILDREN, STRANDS};
use crate::plan::walk::fold_rows::Nodes;
use crate::wgsl::writer::{Writer, line};
use std::fmt::Write as _;

impl Writer<'_> {
    /// Declares the memory in which the invocations of a workgroup meet.
    pub(super) fn workgroup_memory(&self, out: &mut String) {
        let Some(rows) = self.kernel.walk.fold_rows() else { return };
        let Nodes::Together { lanes } = rows.nodes else { return };
        let workgroup = self.kernel.workgroup_size as usize;
        for accumulator in self.accumulators() {
            let ty = self.word_type(accumulator.1).scalar();
            for (node, strand) in self.meeting_words(accumulator) {
                let strands = workgroup / lanes * STRANDS;
                line!(out, "var<workgroup> {node}: array<{ty}, {workgroup}>;");
                line!(out, "var<workgroup> {strand}: array<{ty}, {strands}>;");
            }
        }
    }

    /// Declares `unit`, the element that `lanes` invocations compute, and `lane`, the number of this
    /// one among them. All of a workgroup meet: those past the end compute the last element once more.
    pub(super) fn shared_element(&self, out: &mut String, lanes: usize) {
        let elements = self.kernel.workgroup_size as usize / lanes;
        line!(out, "    let lane = local % {lanes}u;");
        line!(out, "    let element = line * {elements}u + local / {lanes}u;");
        line!(out, "    let unit = min(element, params.total - 1u);");
    }

    /// Folds the nodes of a row into four strands, which the first of the invocations then has.
    pub(super) fn meet(&self, out: &mut String, lanes: usize) {
        self.store_nodes(out);
        line!(out, "    let first_strand = local / {lanes}u * {STRANDS}u;");
        self.fold_nodes(out);
        line!(out, "    if lane != 0u || element >= params.total {{ return; }}");
        self.take_strands(out);
    }

    /// Stores the node of each of the invocations.
    pub(super) fn store_nodes(&self, out: &mut String) {
        for accumulator in self.accumulators() {
            let strands = self.lanes_of(accumulator.1, &self.strands(accumulator));
            self.join_strands(out, ("    ", false), accumulator.1, &strands);
            for ((node, _), word) in self.meeting_words(accumulator).zip(&strands[0]) {
                line!(out, "    {node}[local] = {word};");
            }
        }
    }

    /// Folds the stored nodes of a row into four strands, which all can take then.
    pub(super) fn fold_nodes(&self, out: &mut String) {
        let (inner, within) = ("        ", "            ");
        line!(out, "    workgroupBarrier();");
        line!(out, "    if lane < {STRANDS}u {{");
        for accumulator in self.accumulators() {
            self.declare_words(out, (inner, false), accumulator, &nodes(self, accumulator, 0));
        }
        line!(out, "{inner}let nodes = (count + {CHILDREN}u - 1u) / {CHILDREN}u;");
        line!(out, "{inner}for (var node = lane; node < nodes; node += {STRANDS}u) {{");
        for accumulator in self.accumulators() {
            let words = self.meeting_words(accumulator).map(|(stored, _)| {
                let name = format!("of_{stored}");
                line!(out, "{within}let {name} = {stored}[local - lane + node];");
                name
            });
            let words = words.collect();
            let into = nodes(self, accumulator, 0);
            self.combine(out, (within, false), accumulator.1, &into, &words);
        }
        line!(out, "{inner}}}");
        for accumulator in self.accumulators() {
            let words = nodes(self, accumulator, 0);
            for ((_, strand), word) in self.meeting_words(accumulator).zip(&words) {
                line!(out, "{inner}{strand}[first_strand + lane] = {word};");
            }
        }
        line!(out, "    }}");
        line!(out, "    workgroupBarrier();");
    }

    /// Declares the four strands of a row.
    pub(super) fn take_strands(&self, out: &mut String) {
        for accumulator in self.accumulators() {
            for number in 0..STRANDS {
                let words = nodes(self, accumulator, number);
                for ((_, strand), word) in self.meeting_words(accumulator).zip(&words) {
                    line!(out, "    var {word} = {strand}[first_strand + {number}u];");
                }
            }
        }
    }

    /// Returns the names of the words of an accumulator's nodes and strands in a workgroup's memory.
    fn meeting_words(
        &self,
        (number, accumulator): (usize, &Accumulator),
    ) -> impl Iterator<Item = (String, String)> + use<> {
        let words = self.words(accumulator, &format!("{number}"));
        words.into_iter().map(|word| (format!("node_{word}"), format!("strand_{word}")))
    }
}

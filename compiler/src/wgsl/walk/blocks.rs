//! Writes a walk through square blocks, in which transposed operands are transposed back.

use super::copies::{self, UnitText};
use crate::plan::access::Access;
use crate::plan::walk::blocks::Blocks;
use crate::wgsl::store::Place;
use crate::wgsl::writer::{Writer, line};
use std::fmt::Write as _;

impl Writer<'_> {
    pub(super) fn blocks(&self, out: &mut String, blocks: &Blocks) {
        let kernel = self.kernel;
        let unit = kernel.unit();
        let [across, down] = Blocks::group(kernel.workgroup_size as usize);
        line!(out, "    if line >= params.total {{ return; }}");
        line!(out, "    let across = (params.columns + {}u) / {across}u;", across - 1);
        line!(out, "    let down = (params.rows + {}u) / {down}u;", down - 1);
        line!(out, "    let column = line % across * {across}u + local % {across}u;");
        line!(out, "    let block = line / across % down * {down}u + local / {across}u;");
        line!(out, "    if column >= params.columns || block >= params.rows {{ return; }}");
        self.coordinates(out, "line / across / down");
        line!(out, "    let to = {};", self.result_base());
        for number in 0..self.body.loads.len() {
            self.load_base(out, number);
        }
        self.constants(out);
        for number in self.loads_by(Access::Transposed) {
            let load = &self.body.loads[number];
            let stride = format!("params.stride_{number}_{}", kernel.rank - 1);
            for element in 0..unit {
                let at = format!("b{number} + block + {element}u * {stride}");
                let word = self.word_at(load.binding.unwrap_or_default(), &at, load.clamped);
                line!(out, "    let t{number}_{element} = {word};");
            }
        }
        self.hoisted_loads(out);
        if blocks.unrolled {
            copies::write(out, unit, |row| {
                let mut unit = UnitText::default();
                self.block_row(&mut unit, "    ", blocks.row, row);
                unit
            });
            return;
        }
        for row in 0..unit {
            line!(out, "    {{");
            self.one(out, |unit| self.block_row(unit, "        ", blocks.row, row));
            line!(out, "    }}");
        }
    }

    /// Writes a block's row of this number; rows follow one another along `dimension`.
    fn block_row(
        &self,
        UnitText { loads, rest }: &mut UnitText,
        indent: &str,
        dimension: usize,
        row: usize,
    ) {
        line!(loads, "{indent}let row = block * {}u + {row}u;", self.kernel.unit());
        for number in self.loads_where(false) {
            if self.body.loads[number].mode.access == Access::Transposed {
                self.turn(loads, indent, number, row);
                continue;
            }
            let stride = format!("params.stride_{number}_{dimension}");
            line!(loads, "{indent}let o{number} = b{number} + row * {stride};");
            self.load(loads, indent, number);
        }
        line!(rest, "{indent}let at = to + row * params.result_stride_{dimension};");
        self.finish(rest, indent, Place::Words("at"));
    }
}

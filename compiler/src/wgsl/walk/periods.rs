//! Writes a walk along periods, within which rows end.

use super::tiles::Tiled;
use crate::layout::QUAD;
use crate::plan::access::Access;
use crate::plan::walk::periods::Periods;
use crate::plan::walk::tile::Tile;
use crate::wgsl::writer::{Writer, line};
use std::fmt::Write as _;

impl Writer<'_> {
    pub(super) fn periods(&self, out: &mut String, Periods(tiles): &Periods) {
        if tiles.tile != Tile::Linear {
            let row = self.kernel.rank - 2;
            return self.tiles(out, &Tiled { tiles, row, ends_within: true });
        }
        self.linear_unit(out, tiles.branchless);
        line!(out, "    let column = unit;");
        self.within_period(out);
        self.linear_loads(out, |out, number| {
            self.period_base(out, number);
            line!(out, "    let o{number} = b{number};");
        });
    }

    /// Declares the position of the invocation's first unit in a period, and so where rows end in
    /// it.
    pub(super) fn within_period(&self, out: &mut String) {
        let unit = self.kernel.unit();
        let size = format!("params.size_{}", self.kernel.rank - 1);
        line!(out, "    let row_in_period = column * {unit}u / {size};");
        line!(out, "    let j_0 = column * {unit}u - row_in_period * {size};");
        if self.loads_by(Access::Split).next().is_some() {
            line!(out, "    let left = {size} - j_0;");
            for quad in 0..self.quads() {
                let lanes: Vec<String> =
                    (0..QUAD).map(|lane| format!("{}u", quad * QUAD + lane)).collect();
                line!(
                    out,
                    "    let next_{quad} = vec4<u32>({}) >= vec4<u32>(left);",
                    lanes.join(", ")
                );
            }
        }
        if self.loads_by(Access::Gather).next().is_some() {
            for element in 1..unit {
                let before = element - 1;
                line!(out, "    let wraps_{element} = j_{before} + 1u == {size};");
                line!(out, "    let j_{element} = select(j_{before} + 1u, 0u, wraps_{element});");
            }
        }
    }

    /// Declares `b{number}`, a load's position in the invocation's column of the first period, and
    /// the other variables for reading it.
    pub(super) fn period_base(&self, out: &mut String, number: usize) {
        let row_stride = format!("params.row_stride_{number}");
        match self.body.loads[number].mode.access {
            Access::Split => {
                let base = self.base_of(number, "0u");
                let unit = self.kernel.unit();
                line!(out, "    let s{number} = select(0u, {row_stride}, left < {unit}u);");
                line!(out, "    let b{number} = {base} + row_in_period * {row_stride};");
            }
            Access::Gather => {
                line!(out, "    let b{number} = {};", self.base_of(number, "0u"));
                let inner = format!("params.stride_{number}_{}", self.kernel.rank - 1);
                let size = format!("params.size_{}", self.kernel.rank - 1);
                line!(out, "    let d{number}_0 = row_in_period * {row_stride} + j_0 * {inner};");
                line!(out, "    let e{number} = {row_stride} - ({size} - 1u) * {inner};");
                for element in 1..self.kernel.unit() {
                    let before = element - 1;
                    line!(
                        out,
                        "    let d{number}_{element} = d{number}_{before} + select({inner}, e{number}, wraps_{element});"
                    );
                }
            }
            _ => self.load_base(out, number),
        }
    }
}

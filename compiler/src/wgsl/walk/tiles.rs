//! Writes walks by tiles of rows. In this file a row may be a period.

use super::copies::{self, UnitText};
use crate::plan::access::KernelLoad;
use crate::plan::walk::tile::{Tile, Tiles};
use crate::wgsl::store::Place;
use crate::wgsl::writer::{Writer, line};
use std::fmt::Write as _;

/// A walk by tiles of rows.
pub(super) struct Tiled<'a> {
    pub(super) tiles: &'a Tiles,
    /// The dimension of the rows.
    pub(super) row: usize,
    /// True for periods: rows end within them, and the last one may be incomplete.
    pub(super) ends_within: bool,
}

impl Writer<'_> {
    pub(super) fn tiles(&self, out: &mut String, walk: &Tiled<'_>) {
        let branchless = walk.tiles.branchless;
        line!(out, "    let id = line * {}u + local;", self.kernel.workgroup_size);
        if branchless {
            line!(out, "    let past = id >= params.total;");
            line!(out, "    let place = min(id, params.total - 1u);");
        } else {
            line!(out, "    if id >= params.total {{ return; }}");
            line!(out, "    let place = id;");
        }
        self.first_row(out, walk);
        let to = self.result_base();
        if branchless {
            let row = walk.row;
            line!(out, "    let spare = params.spare + local * {}u;", self.stores());
            line!(out, "    let to = select({to}, spare, past);");
            line!(out, "    let to_row = select(params.result_stride_{row}, 0u, past);");
        } else {
            line!(out, "    let to = {to};");
        }
        if walk.ends_within {
            self.within_period(out);
        }
        for number in 0..self.body.loads.len() {
            if walk.ends_within {
                self.period_base(out, number);
            } else {
                self.load_base(out, number);
            }
        }
        self.constants(out);
        self.hoisted_loads(out);
        self.tile_rows(out, walk);
    }

    /// Declares `column` and `first`, the first row, and the outer coordinates.
    fn first_row(&self, out: &mut String, walk: &Tiled<'_>) {
        line!(out, "    let tiles = place / params.columns;");
        line!(out, "    let column = place - tiles * params.columns;");
        let tile = if walk.row == 0 {
            "tiles"
        } else {
            line!(out, "    let outer = tiles / params.tiles;");
            line!(out, "    let tile = tiles - outer * params.tiles;");
            self.coordinates(out, "outer");
            "tile"
        };
        match walk.tiles.tile {
            Tile::Linear | Tile::One | Tile::Unrolled { .. } => {
                line!(out, "    let first = {tile};");
            }
            Tile::Loop { rows, interleaved: false } => {
                line!(out, "    let first = {tile} * {rows}u;");
            }
            Tile::Loop { rows, interleaved: true } => {
                line!(out, "    let block = {tile} / params.row_step;");
                line!(
                    out,
                    "    let first = block * ({rows}u * params.row_step) + ({tile} - block * params.row_step);"
                );
            }
        }
    }

    /// Writes the units of a tile's rows.
    fn tile_rows(&self, out: &mut String, walk: &Tiled<'_>) {
        match walk.tiles.tile {
            Tile::Linear | Tile::One => {
                line!(out, "    let row = first;");
                self.one_row(out, "    ", walk, "return");
            }
            Tile::Unrolled { rows } => self.row_copies(out, rows, walk),
            Tile::Loop { rows, interleaved } => {
                if !walk.tiles.branchless {
                    line!(
                        out,
                        "    let last = min(first + {rows}u * params.row_step, params.rows);"
                    );
                    line!(out, "    for (var row = first; row < last; row += params.row_step) {{");
                } else {
                    line!(out, "    for (var k = 0u; k < {rows}u; k++) {{");
                    if interleaved {
                        line!(out, "        let row = first + k * params.row_step;");
                    } else {
                        line!(out, "        let row = min(first + k, params.rows - 1u);");
                    }
                }
                self.one_row(out, "        ", walk, "break");
                line!(out, "    }}");
            }
        }
    }

    /// Writes a tile's rows one after the other, up to `last`, the last one that has the
    /// invocation's column. Its first row is before that one: there are two rows, or all is one row
    /// and within it.
    fn row_copies(&self, out: &mut String, rows: u32, walk: &Tiled<'_>) {
        if walk.ends_within {
            // The last period may be incomplete, unless it is the only one.
            line!(
                out,
                "    let ends = (params.rows - 1u) * params.columns + column >= params.units;"
            );
            line!(out, "    let last = params.rows - select(1u, 2u, ends);");
        } else {
            line!(out, "    let last = params.rows - 1u;");
        }
        copies::write(out, rows as usize, |copy| {
            let mut unit = UnitText::default();
            copies::place(&mut unit, copy, ["row", "first", "params.row_step", "<= last"]);
            self.row_unit(&mut unit, "    ", walk);
            unit
        });
    }

    /// Writes the unit of a row, alone or inside a loop, which ends by `stop` at the last unit.
    fn one_row(&self, out: &mut String, indent: &str, walk: &Tiled<'_>, stop: &str) {
        // The last period may be incomplete.
        if walk.ends_within && !walk.tiles.branchless {
            line!(out, "{indent}if row * params.columns + column >= params.units {{ {stop}; }}");
        }
        self.one(out, |unit| self.row_unit(unit, indent, walk));
    }

    fn row_unit(
        &self,
        UnitText { loads, rest }: &mut UnitText,
        indent: &str,
        &Tiled { tiles, row, ends_within }: &Tiled<'_>,
    ) {
        for number in self.loads_where(false) {
            line!(loads, "{indent}let o{number} = b{number} + row * params.stride_{number}_{row};");
            self.load(loads, indent, number);
        }
        let at = match (tiles.branchless, ends_within) {
            (true, true) => {
                "select(to + row * to_row, spare, row * params.columns + column >= params.units)"
                    .to_owned()
            }
            (true, false) => "to + row * to_row".to_owned(),
            (false, _) => format!("to + row * params.result_stride_{row}"),
        };
        line!(rest, "{indent}let at = {at};");
        self.finish(rest, indent, Place::Words("at"));
    }

    /// Declares `unit`, the invocation's, in a walk whose units are numbered as in the result.
    pub(super) fn linear_unit(&self, out: &mut String, branchless: bool) {
        line!(out, "    let unit = line * {}u + local;", self.kernel.workgroup_size);
        if !branchless {
            line!(out, "    if unit >= params.total {{ return; }}");
        }
    }

    /// Declares `unit` likewise, in a walk without long loops. On processors, where a branch costs more
    /// than the rest of such a walk, invocations past the end repeat the last unit, whose values they
    /// store again; unless these would be read there. (Measured on lavapipe, sums of blocks of 16 of
    /// (2048,2048): 3.8 ms of a processor's time, and 3.2 without the branch.)
    pub(super) fn short_unit(&self, out: &mut String) {
        let kernel = self.kernel;
        let is_read = |load: &KernelLoad| {
            load.binding.is_some_and(|binding| binding >= kernel.bindings.len())
        };
        let has_edges = kernel.outputs.iter().any(|output| output.edges.is_some());
        let returns = !kernel.by_units || kernel.has_loops() || has_edges;
        if returns || kernel.map.loads.iter().any(is_read) {
            self.linear_unit(out, false);
            return;
        }
        line!(
            out,
            "    let unit = min(line * {}u + local, params.total - 1u);",
            kernel.workgroup_size
        );
    }

    /// Loads, computes and stores that unit; `place` declares the position of a load that is not in
    /// the order of the result.
    pub(super) fn linear_loads(&self, out: &mut String, place: impl Fn(&mut String, usize)) {
        self.constants(out);
        for number in 0..self.body.loads.len() {
            if self.body.loads[number].dense {
                let stride = self.unit_stride(number);
                line!(out, "    let o{number} = params.offset_{number} + unit * {stride};");
            } else {
                place(out, number);
            }
            self.load(out, "    ", number);
        }
        self.hoisted_operations(out, "    ");
        line!(out, "    let to = params.result_offset + unit * {}u;", self.stores());
        self.finish(out, "    ", Place::Words("to"));
    }
}

//! Writes a walk along rows.

use super::tiles::Tiled;
use crate::plan::walk::rows::Rows;
use crate::plan::walk::tile::Tile;
use crate::wgsl::writer::{Writer, line};
use std::fmt::Write as _;

impl Writer<'_> {
    pub(super) fn rows(&self, out: &mut String, Rows(tiles): &Rows) {
        let row = self.kernel.rank - 2;
        if tiles.tile != Tile::Linear {
            return self.tiles(out, &Tiled { tiles, row, ends_within: false });
        }
        self.linear_unit(out, tiles.branchless);
        line!(out, "    let rows = unit / params.columns;");
        line!(out, "    let column = unit - rows * params.columns;");
        if row == 0 {
            line!(out, "    let row = rows;");
        } else {
            line!(out, "    let outer = rows / params.rows;");
            line!(out, "    let row = rows - outer * params.rows;");
            self.coordinates(out, "outer");
        }
        self.linear_loads(out, |out, number| {
            self.load_base(out, number);
            line!(out, "    let o{number} = b{number} + row * params.stride_{number}_{row};");
        });
    }
}

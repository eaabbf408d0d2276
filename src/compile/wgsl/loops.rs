//! Writes the entry point by schedule: from an invocation's number to the positions of its
//! operands, and the loops over its units.
//!
//! Positions and strides of an operand that is read in words count words, others count elements.
//! They are modulo 2^32, so a negative stride is a large one.

use super::copies::{self, UnitText};
use super::writer::{Writer, line};
use crate::compile::layout::QUAD;
use crate::compile::plan::access::Access;
use crate::compile::plan::schedule::Schedule;
use std::fmt::Write as _;

impl Writer<'_> {
    /// Returns the distance of a load's units along the innermost dimension, as text.
    pub(super) fn unit_stride(&self, number: usize) -> String {
        let load = &self.kernel.loads[number];
        let unit = self.kernel.unit();
        match (load.mode.access, load.binding) {
            (Access::Contiguous | Access::Strided, Some(binding)) => {
                let elements = self.kernel.width(binding).elements(load.element_type) as i64;
                let words = i64::from(load.mode.step) * unit as i64 / elements;
                // The distance is modulo 2^32, as all positions are.
                format!("{}u", words as u32)
            }
            (Access::Contiguous | Access::Strided, None) => format!("{unit}u"),
            _ if self.kernel.schedule == Schedule::Short => {
                format!("{}u * params.stride_{number}_0", unit / self.kernel.row_len)
            }
            _ => format!("{unit}u * params.stride_{number}_{}", self.kernel.rank - 1),
        }
    }

    /// Returns the product of a number and a stride.
    fn times(&self, number: &str, stride: &str) -> String {
        if self.kernel.unrolled && stride == "1u" {
            number.to_owned()
        } else {
            format!("{number} * {stride}")
        }
    }

    /// Writes a kernel over units of the flat result.
    pub(super) fn flat(&self, out: &mut String) {
        let size = self.kernel.workgroup_size;
        let units = self.kernel.units_per_invocation;
        if units == 1 {
            line!(out, "    let unit = line * {size}u + local;");
            if !self.kernel.branchless {
                line!(out, "    if unit >= params.total {{ return; }}");
            }
        } else {
            let (first, count, step) = if self.kernel.interleaved {
                let count = format!("(params.total - first + {}u) / {size}u", size - 1);
                (format!("line * {}u + local", size * units), count, format!("k * {size}u"))
            } else {
                let first = format!("(line * {size}u + local) * {units}u");
                (first, "params.total - first".to_owned(), "k".to_owned())
            };
            line!(out, "    let first = {first};");
            line!(out, "    if first >= params.total {{ return; }}");
            if self.kernel.unrolled {
                self.fixed_loads(out);
                let step = if self.kernel.interleaved { size } else { 1 };
                copies::write(out, units as usize, |copy| {
                    let mut unit = UnitText::default();
                    let step = format!("{step}u");
                    copies::place(&mut unit, copy, ["unit", "first", &step, "< params.total"]);
                    self.flat_unit(&mut unit, "    ");
                    unit
                });
                return;
            }
            line!(out, "    let units = min({units}u, {count});");
            self.fixed_loads(out);
            line!(out, "    for (var k = 0u; k < units; k++) {{");
            line!(out, "        let unit = first + {step};");
            self.one(out, |unit| self.flat_unit(unit, "        "));
            line!(out, "    }}");
            return;
        }
        self.fixed_loads(out);
        self.one(out, |unit| self.flat_unit(unit, "    "));
    }

    /// Writes a unit, alone or inside a loop.
    fn one(&self, out: &mut String, write: impl FnOnce(&mut UnitText)) {
        let mut unit = UnitText::default();
        write(&mut unit);
        out.push_str(&unit.loads);
        out.push_str(&unit.rest);
    }

    /// Declares the constants, and loads and computes what is the same in all units of a flat or a
    /// carry kernel.
    pub(super) fn fixed_loads(&self, out: &mut String) {
        self.constants(out);
        for number in self.loads_where(true) {
            line!(out, "    let o{number} = params.offset_{number};");
            self.load(out, "    ", number);
        }
        self.hoisted_operations(out, "    ");
    }

    /// Loads and computes what is the same in all rows, from the bases of the loads.
    fn hoisted_loads(&self, out: &mut String) {
        for number in self.loads_where(true) {
            line!(out, "    let o{number} = b{number};");
            self.load(out, "    ", number);
        }
        self.hoisted_operations(out, "    ");
    }

    fn flat_unit(&self, UnitText { loads, rest }: &mut UnitText, indent: &str) {
        for number in self.loads_where(false) {
            let distance = self.times("unit", &self.unit_stride(number));
            line!(loads, "{indent}let o{number} = params.offset_{number} + {distance};");
            self.load(loads, indent, number);
        }
        let distance = self.times("unit", &format!("{}u", self.stores()));
        line!(rest, "{indent}let to = params.result_offset + {distance};");
        self.compute_and_store(rest, indent, "to");
    }

    // ---- rows and periods ----------------------------------------------------------------------

    /// Writes a kernel over rows, or over periods of them.
    pub(super) fn rows(&self, out: &mut String) {
        let kernel = self.kernel;
        if kernel.linear_units {
            return self.linear_units(out);
        }
        let row = kernel.row;
        line!(out, "    let id = line * {}u + local;", kernel.workgroup_size);
        if kernel.branchless {
            line!(out, "    let past = id >= params.total;");
            line!(out, "    let place = min(id, params.total - 1u);");
        } else {
            line!(out, "    if id >= params.total {{ return; }}");
            line!(out, "    let place = id;");
        }
        self.tiles(out);
        let stores = self.stores();
        let to = self.base("params.result_offset", "params.result_stride", &format!("{stores}u"));
        if kernel.branchless {
            line!(out, "    let spare = params.spare + local * {stores}u;");
            line!(out, "    let to = select({to}, spare, past);");
            line!(out, "    let to_row = select(params.result_stride_{row}, 0u, past);");
        } else {
            line!(out, "    let to = {to};");
        }
        if kernel.schedule == Schedule::Periods {
            self.within_period(out);
        }
        for number in 0..kernel.loads.len() {
            self.load_base(out, number);
        }
        self.constants(out);
        self.hoisted_loads(out);
        self.row_loop(out);
    }

    /// Writes a kernel in which each invocation computes one unit, numbered as in the result.
    /// Invocations past the end write to spare memory, so no branch is needed.
    fn linear_units(&self, out: &mut String) {
        let kernel = self.kernel;
        line!(out, "    let unit = line * {}u + local;", kernel.workgroup_size);
        if !kernel.branchless {
            line!(out, "    if unit >= params.total {{ return; }}");
        }
        if kernel.schedule == Schedule::Periods {
            line!(out, "    let column = unit;");
            self.within_period(out);
        } else {
            line!(out, "    let rows = unit / params.columns;");
            line!(out, "    let column = unit - rows * params.columns;");
            if kernel.outer_dimensions().next().is_none() {
                line!(out, "    let row = rows;");
            } else {
                line!(out, "    let outer = rows / params.rows;");
                line!(out, "    let row = rows - outer * params.rows;");
                self.coordinates(out, "outer");
            }
        }
        self.constants(out);
        for number in 0..kernel.loads.len() {
            if kernel.loads[number].dense {
                let stride = self.unit_stride(number);
                line!(out, "    let o{number} = params.offset_{number} + unit * {stride};");
            } else {
                self.load_base(out, number);
                let step = match kernel.schedule {
                    Schedule::Rows => {
                        format!(" + row * params.stride_{number}_{}", kernel.row)
                    }
                    _ => String::new(),
                };
                line!(out, "    let o{number} = b{number}{step};");
            }
            self.load(out, "    ", number);
        }
        self.hoisted_operations(out, "    ");
        line!(out, "    let to = params.result_offset + unit * {}u;", self.stores());
        self.compute_and_store(out, "    ", "to");
    }

    /// Declares `column` and `first`, the first row, and the outer coordinates.
    fn tiles(&self, out: &mut String) {
        let kernel = self.kernel;
        let tile = kernel.tile_rows;
        line!(out, "    let tiles = place / params.columns;");
        line!(out, "    let column = place - tiles * params.columns;");
        let tiles = if kernel.outer_dimensions().next().is_none() {
            "tiles"
        } else {
            line!(out, "    let outer = tiles / params.tiles;");
            line!(out, "    let tile = tiles - outer * params.tiles;");
            self.coordinates(out, "outer");
            "tile"
        };
        if kernel.unrolled {
            line!(out, "    let first = {tiles};");
        } else if kernel.row_interleaved {
            line!(out, "    let block = {tiles} / params.lanes;");
            line!(
                out,
                "    let first = block * ({tile}u * params.lanes) + ({tiles} - block * params.lanes);"
            );
        } else {
            let rows = if tile == 1 { String::new() } else { format!(" * {tile}u") };
            line!(out, "    let first = {tiles}{rows};");
        }
    }

    fn row_loop(&self, out: &mut String) {
        let kernel = self.kernel;
        let tile = kernel.tile_rows;
        if tile == 1 {
            line!(out, "    let row = first;");
            self.one_row(out, "    ");
        } else if kernel.unrolled {
            self.row_copies(out);
        } else if !kernel.branchless {
            line!(out, "    let last = min(first + {tile}u * params.lanes, params.rows);");
            line!(out, "    for (var row = first; row < last; row += params.lanes) {{");
            self.one_row(out, "        ");
            line!(out, "    }}");
        } else if kernel.row_interleaved {
            line!(out, "    for (var k = 0u; k < {tile}u; k++) {{");
            line!(out, "        let row = first + k * params.lanes;");
            self.one_row(out, "        ");
            line!(out, "    }}");
        } else {
            line!(out, "    for (var k = 0u; k < {tile}u; k++) {{");
            line!(out, "        let row = min(first + k, params.rows - 1u);");
            self.one_row(out, "        ");
            line!(out, "    }}");
        }
    }

    /// Writes a tile's rows one after the other, up to `last`, the last one that has the
    /// invocation's column. Its first row is before that one: there are two rows, or all is one row
    /// and within it.
    fn row_copies(&self, out: &mut String) {
        let kernel = self.kernel;
        if kernel.schedule == Schedule::Periods {
            // The last period may be incomplete, unless it is the only one.
            line!(
                out,
                "    let ends = (params.rows - 1u) * params.columns + column >= params.units;"
            );
            line!(out, "    let last = params.rows - select(1u, 2u, ends);");
        } else {
            line!(out, "    let last = params.rows - 1u;");
        }
        copies::write(out, kernel.tile_rows as usize, |copy| {
            let mut unit = UnitText::default();
            copies::place(&mut unit, copy, ["row", "first", "params.lanes", "<= last"]);
            self.row_unit(&mut unit, "    ");
            unit
        });
    }

    /// Writes the unit of a row, alone or inside a loop.
    fn one_row(&self, out: &mut String, indent: &str) {
        let kernel = self.kernel;
        // The last period may be incomplete.
        if kernel.schedule == Schedule::Periods && !kernel.branchless {
            let stop = if kernel.tile_rows > 1 { "break" } else { "return" };
            line!(out, "{indent}if row * params.columns + column >= params.units {{ {stop}; }}");
        }
        self.one(out, |unit| self.row_unit(unit, indent));
    }

    fn row_unit(&self, UnitText { loads, rest: out }: &mut UnitText, indent: &str) {
        let kernel = self.kernel;
        let row = kernel.row;
        let ends = kernel.schedule == Schedule::Periods;
        for number in self.loads_where(false) {
            line!(loads, "{indent}let o{number} = b{number} + row * params.stride_{number}_{row};");
            self.load(loads, indent, number);
        }
        let at = match (kernel.branchless, ends) {
            (true, true) => {
                "select(to + row * to_row, spare, row * params.columns + column >= params.units)"
                    .to_owned()
            }
            (true, false) => "to + row * to_row".to_owned(),
            (false, _) => format!("to + row * params.result_stride_{row}"),
        };
        line!(out, "{indent}let at = {at};");
        self.compute_and_store(out, indent, "at");
    }

    /// Declares the position of the invocation's first unit in a period, and so where rows end in
    /// it.
    fn within_period(&self, out: &mut String) {
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

    /// Declares `b{number}`, a load's position in the invocation's column of row 0, and the other
    /// variables for reading it.
    fn load_base(&self, out: &mut String, number: usize) {
        let (offset, stride) =
            (format!("params.offset_{number}"), format!("params.stride_{number}"));
        let access = self.kernel.loads[number].mode.access;
        let periods = self.kernel.schedule == Schedule::Periods;
        let in_row = match access {
            Access::Splat | Access::Split => "0u".to_owned(),
            Access::Gather if periods => "0u".to_owned(),
            _ => self.unit_stride(number),
        };
        let mut base = self.base(&offset, &stride, &in_row);
        if periods && access == Access::Split {
            let _ = write!(base, " + row_in_period * params.row_stride_{number}");
            let unit = self.kernel.unit();
            line!(
                out,
                "    let s{number} = select(0u, params.row_stride_{number}, left < {unit}u);"
            );
        }
        line!(out, "    let b{number} = {base};");
        if periods && access == Access::Gather {
            let inner = format!("{stride}_{}", self.kernel.rank - 1);
            let size = format!("params.size_{}", self.kernel.rank - 1);
            let row = format!("params.row_stride_{number}");
            line!(out, "    let d{number}_0 = row_in_period * {row} + j_0 * {inner};");
            line!(out, "    let e{number} = {row} - ({size} - 1u) * {inner};");
            for element in 1..self.kernel.unit() {
                let before = element - 1;
                line!(
                    out,
                    "    let d{number}_{element} = d{number}_{before} + select({inner}, e{number}, wraps_{element});"
                );
            }
        }
    }

    /// Returns a position in column `column`, at the outer coordinates.
    fn base(&self, offset: &str, stride: &str, in_row: &str) -> String {
        let mut text = offset.to_owned();
        if in_row != "0u" {
            let _ = write!(text, " + {}", self.times("column", in_row));
        }
        for d in self.kernel.outer_dimensions() {
            let _ = write!(text, " + i{d} * {stride}_{d}");
        }
        text
    }

    /// Declares the coordinates along the dimensions outside the rows.
    fn coordinates(&self, out: &mut String, index: &str) {
        let mut rest = index.to_owned();
        let mut outer = self.kernel.outer_dimensions().rev().peekable();
        while let Some(d) = outer.next() {
            if outer.peek().is_none() {
                line!(out, "    let i{d} = {rest};");
            } else if self.kernel.unrolled {
                // A remainder would take another division.
                line!(out, "    let outer_{d} = {rest};");
                line!(out, "    let rest_{d} = outer_{d} / params.size_{d};");
                line!(out, "    let i{d} = outer_{d} - rest_{d} * params.size_{d};");
                rest = format!("rest_{d}");
            } else {
                line!(out, "    let outer_{d} = {rest};");
                line!(out, "    let i{d} = outer_{d} % params.size_{d};");
                rest = format!("outer_{d} / params.size_{d}");
            }
        }
    }

    // ---- blocks --------------------------------------------------------------------------------

    /// Writes a kernel over square blocks, in which transposed operands are transposed back.
    pub(super) fn blocks(&self, out: &mut String) {
        let kernel = self.kernel;
        let unit = kernel.unit();
        let [across, down] = kernel.block_group();
        line!(out, "    if line >= params.total {{ return; }}");
        line!(out, "    let across = (params.columns + {}u) / {across}u;", across - 1);
        line!(out, "    let down = (params.rows + {}u) / {down}u;", down - 1);
        line!(out, "    let column = line % across * {across}u + local % {across}u;");
        line!(out, "    let block = line / across % down * {down}u + local / {across}u;");
        line!(out, "    if column >= params.columns || block >= params.rows {{ return; }}");
        self.coordinates(out, "line / across / down");
        let stores = self.stores();
        let to = self.base("params.result_offset", "params.result_stride", &format!("{stores}u"));
        line!(out, "    let to = {to};");
        for number in 0..kernel.loads.len() {
            self.load_base(out, number);
        }
        self.constants(out);
        for number in self.loads_by(Access::Transposed) {
            let binding = kernel.loads[number].binding.unwrap_or_default();
            let stride = format!("params.stride_{number}_{}", kernel.rank - 1);
            for element in 0..unit {
                let at = format!("b{number} + block + {element}u * {stride}");
                let word = self.word_at(binding, &at, kernel.loads[number].clamped);
                line!(out, "    let t{number}_{element} = {word};");
            }
        }
        self.hoisted_loads(out);
        if kernel.unrolled {
            copies::write(out, unit, |row| {
                let mut unit = UnitText::default();
                self.block_row(&mut unit, "    ", row);
                unit
            });
            return;
        }
        for row in 0..unit {
            line!(out, "    {{");
            self.one(out, |unit| self.block_row(unit, "        ", row));
            line!(out, "    }}");
        }
    }

    /// Writes a block's row of this number.
    fn block_row(&self, UnitText { loads, rest }: &mut UnitText, indent: &str, row: usize) {
        let kernel = self.kernel;
        line!(loads, "{indent}let row = block * {}u + {row}u;", kernel.unit());
        for number in self.loads_where(false) {
            if kernel.loads[number].mode.access == Access::Transposed {
                self.turn(loads, indent, number, row);
                continue;
            }
            let stride = format!("params.stride_{number}_{}", kernel.row);
            line!(loads, "{indent}let o{number} = b{number} + row * {stride};");
            self.load(loads, indent, number);
        }
        line!(rest, "{indent}let at = to + row * params.result_stride_{};", kernel.row);
        self.compute_and_store(rest, indent, "at");
    }
}

//! Writes a walk through units of the flat result.

use super::copies::{self, UnitText};
use crate::plan::walk::flat::Flat;
use crate::wgsl::store::Place;
use crate::wgsl::writer::{Writer, line};
use std::fmt::Write as _;

impl Writer<'_> {
    pub(super) fn flat(&self, out: &mut String, flat: &Flat) {
        match *flat {
            Flat::One { branchless } => self.one_unit(out, branchless),
            Flat::Several { units, interleaved, unrolled } => {
                let size = self.kernel.workgroup_size;
                let first = if interleaved {
                    format!("line * {}u + local", size * units)
                } else {
                    format!("(line * {size}u + local) * {units}u")
                };
                line!(out, "    let first = {first};");
                line!(out, "    if first >= params.total {{ return; }}");
                let step = if interleaved { size } else { 1 };
                if unrolled {
                    self.flat_copies(out, units, step);
                } else {
                    self.flat_loop(out, units, step);
                }
            }
        }
    }

    /// Writes a walk in which each invocation computes one unit of the flat result.
    pub(super) fn one_unit(&self, out: &mut String, branchless: bool) {
        line!(out, "    let unit = line * {}u + local;", self.kernel.workgroup_size);
        if !branchless {
            line!(out, "    if unit >= params.total {{ return; }}");
        }
        self.fixed_loads(out);
        self.one(out, |unit| self.flat_unit(unit, "    "));
    }

    fn flat_copies(&self, out: &mut String, units: u32, step: u32) {
        self.fixed_loads(out);
        copies::write(out, units as usize, |copy| {
            let mut unit = UnitText::default();
            let step = format!("{step}u");
            copies::place(&mut unit, copy, ["unit", "first", &step, "< params.total"]);
            self.flat_unit(&mut unit, "    ");
            unit
        });
    }

    fn flat_loop(&self, out: &mut String, units: u32, step: u32) {
        let (count, step) = match step {
            1 => ("params.total - first".to_owned(), "k".to_owned()),
            _ => {
                let count = format!("(params.total - first + {}u) / {step}u", step - 1);
                (count, format!("k * {step}u"))
            }
        };
        line!(out, "    let units = min({units}u, {count});");
        self.fixed_loads(out);
        line!(out, "    for (var k = 0u; k < units; k++) {{");
        line!(out, "        let unit = first + {step};");
        self.one(out, |unit| self.flat_unit(unit, "        "));
        line!(out, "    }}");
    }

    fn flat_unit(&self, UnitText { loads, rest }: &mut UnitText, indent: &str) {
        for number in self.loads_where(false) {
            let distance = self.times("unit", &self.unit_stride(number));
            line!(loads, "{indent}let o{number} = params.offset_{number} + {distance};");
            self.load(loads, indent, number);
        }
        let distance = self.times("unit", &format!("{}u", self.stores()));
        line!(rest, "{indent}let to = params.result_offset + {distance};");
        self.finish(rest, indent, Place::Words("to"));
    }
}

//! Writes a walk with carry: each element steps to the next along the innermost dimension, and into
//! the outer ones where that one ends.

use crate::plan::access::Access;
use crate::plan::walk::carry::Carry;
use crate::wgsl::store::Place;
use crate::wgsl::wgsl_type::COMPONENTS;
use crate::wgsl::writer::{Writer, line};
use std::fmt::Write as _;

impl Writer<'_> {
    pub(super) fn carry(&self, out: &mut String, &Carry { units, element_stores }: &Carry) {
        let kernel = self.kernel;
        let unit = kernel.unit();
        line!(out, "    let first = (line * {}u + local) * {units}u;", kernel.workgroup_size);
        line!(out, "    if first >= params.total {{ return; }}");
        line!(out, "    let flat = params.start + first * {unit}u;");
        self.carry_coordinates(out);
        let gathered: Vec<usize> = self.loads_by(Access::Gather).collect();
        for &number in &gathered {
            let (offset, stride) = (format!("offset_{number}"), format!("stride_{number}"));
            line!(out, "    var p{number} = {};", self.carry_base(&offset, &stride));
        }
        if element_stores {
            line!(out, "    var to = {};", self.carry_base("result_offset", "result_stride"));
        }
        self.fixed_loads(out);
        if units == 1 {
            line!(out, "    {{");
            line!(out, "        let k = 0u;");
        } else {
            line!(out, "    let units = min({units}u, params.total - first);");
            line!(out, "    for (var k = 0u; k < units; k++) {{");
        }
        line!(out, "        let unit = params.start / {unit}u + first + k;");
        self.carry_unit(out, &gathered, element_stores);
        line!(out, "    }}");
    }

    /// Loads, computes and stores one unit of a carry kernel, and steps to the next.
    fn carry_unit(&self, out: &mut String, gathered: &[usize], element_stores: bool) {
        let kernel = self.kernel;
        let unit = kernel.unit();
        for number in self.loads_where(false) {
            if self.body.loads[number].mode.access == Access::Contiguous {
                let stride = self.unit_stride(number);
                line!(out, "        let o{number} = params.offset_{number} + unit * {stride};");
                self.load(out, "        ", number);
            }
        }
        for (quad, lane) in (0..self.quads()).flat_map(|q| COMPONENTS.map(|lane| (q, lane))) {
            for &number in gathered {
                let element = self.element(number, &format!("p{number}"));
                line!(out, "        let e{number}_{quad}_{lane} = {element};");
            }
            if element_stores {
                line!(out, "        let at_{quad}_{lane} = to;");
            }
            self.step(out, gathered, element_stores);
        }
        for (quad, &number) in (0..self.quads()).flat_map(|q| gathered.iter().map(move |n| (q, n)))
        {
            let lanes = COMPONENTS.map(|lane| format!("e{number}_{quad}_{lane}"));
            self.declare_lanes(out, "        ", number, quad, &lanes);
        }
        if element_stores {
            line!(out, "        let elements_left = params.count - (first + k) * {unit}u;");
            self.finish(out, "        ", Place::Elements);
        } else {
            let stores = self.stores();
            line!(out, "        let at = params.result_offset + (first + k) * {stores}u;");
            self.finish(out, "        ", Place::Words("at"));
        }
    }

    /// Returns a position at the coordinates of element `flat`.
    fn carry_base(&self, offset: &str, stride: &str) -> String {
        let mut text = format!("params.{offset}");
        for d in 0..self.kernel.rank {
            let _ = write!(text, " + i{d} * params.{stride}_{d}");
        }
        text
    }

    /// Declares the coordinates of element `flat`.
    fn carry_coordinates(&self, out: &mut String) {
        let mut rest = "flat".to_owned();
        for d in (1..self.kernel.rank).rev() {
            line!(out, "    var i{d} = {rest} % params.size_{d};");
            line!(out, "    let rest_{d} = {rest} / params.size_{d};");
            rest = format!("rest_{d}");
        }
        line!(out, "    let i0 = {rest};");
    }

    /// Steps to the next element along the innermost dimension, with carry into the outer ones.
    fn step(&self, out: &mut String, gathered: &[usize], element_stores: bool) {
        let inner = self.kernel.rank - 1;
        if inner > 0 {
            line!(out, "        i{inner}++;");
        }
        for number in gathered {
            line!(out, "        p{number} += params.stride_{number}_{inner};");
        }
        if element_stores {
            line!(out, "        to += params.result_stride_{inner};");
        }
        let mut indent = "        ".to_owned();
        for d in (0..inner).rev() {
            line!(out, "{indent}if i{} == params.size_{} {{", d + 1, d + 1);
            indent.push_str("    ");
            line!(out, "{indent}i{} = 0u;", d + 1);
            // The outermost coordinate does not carry, so it is not compared with its size.
            if d > 0 {
                line!(out, "{indent}i{d}++;");
            }
            for number in gathered {
                line!(out, "{indent}p{number} += params.carry_{number}_{d};");
            }
            if element_stores {
                line!(out, "{indent}to += params.result_carry_{d};");
            }
        }
        for _ in 0..inner {
            indent.truncate(indent.len() - 4);
            line!(out, "{indent}}}");
        }
    }
}

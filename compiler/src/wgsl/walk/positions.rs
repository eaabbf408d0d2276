//! Writes positions of operands and of the result, from coordinates and strides.
//!
//! Positions and strides of an operand that is read in words count words, others count elements.
//! They are modulo 2^32, so a negative stride is a large one.

use super::copies::UnitText;
use crate::plan::access::Access;
use crate::plan::walk::kinds::Walk;
use crate::wgsl::writer::{Writer, line};
use std::fmt::Write as _;

impl Writer<'_> {
    /// Returns the distance of a load's units along the innermost dimension, as text.
    pub(super) fn unit_stride(&self, number: usize) -> String {
        let load = &self.body.loads[number];
        let unit = self.kernel.unit();
        match (load.mode.access, load.binding, &self.kernel.walk) {
            (Access::Contiguous | Access::Strided, Some(binding), _) => {
                let elements = self.kernel.width(binding).elements(load.element_type) as i64;
                let words = i64::from(load.mode.step) * unit as i64 / elements;
                // The distance is modulo 2^32, as all positions are.
                format!("{}u", words as u32)
            }
            (Access::Contiguous | Access::Strided, None, _) => format!("{unit}u"),
            (_, _, Walk::Short(short)) => {
                format!("{}u * params.stride_{number}_0", unit / short.row_len)
            }
            _ => format!("{unit}u * params.stride_{number}_{}", self.kernel.rank - 1),
        }
    }

    /// Returns the product of a number and a stride.
    pub(super) fn times(&self, number: &str, stride: &str) -> String {
        if self.kernel.walk.is_unrolled() && stride == "1u" {
            number.to_owned()
        } else {
            format!("{number} * {stride}")
        }
    }

    /// Writes a unit, alone or inside a loop.
    pub(super) fn one(&self, out: &mut String, write: impl FnOnce(&mut UnitText)) {
        let mut unit = UnitText::default();
        write(&mut unit);
        out.push_str(&unit.loads);
        out.push_str(&unit.rest);
    }

    /// Declares the constants, and loads and computes what is the same in all units of a walk
    /// without rows.
    pub(super) fn fixed_loads(&self, out: &mut String) {
        self.constants(out);
        for number in self.loads_where(true) {
            line!(out, "    let o{number} = params.offset_{number};");
            self.load(out, "    ", number);
        }
        self.hoisted_operations(out, "    ");
    }

    /// Loads and computes what is the same in all rows, from the bases of the loads.
    pub(super) fn hoisted_loads(&self, out: &mut String) {
        for number in self.loads_where(true) {
            line!(out, "    let o{number} = b{number};");
            self.load(out, "    ", number);
        }
        self.hoisted_operations(out, "    ");
    }

    /// Declares `b{number}`, the position of a load whose units lie in rows, in the invocation's
    /// column of row 0.
    pub(super) fn load_base(&self, out: &mut String, number: usize) {
        let in_row = match self.body.loads[number].mode.access {
            Access::Splat => "0u".to_owned(),
            _ => self.unit_stride(number),
        };
        line!(out, "    let b{number} = {};", self.base_of(number, &in_row));
    }

    /// Returns the position of a load in column `column`, at the outer coordinates.
    pub(super) fn base_of(&self, number: usize, in_row: &str) -> String {
        let (offset, stride) =
            (format!("params.offset_{number}"), format!("params.stride_{number}"));
        self.base(&offset, &stride, in_row)
    }

    /// Returns the position of the result in column `column`, at the outer coordinates.
    pub(super) fn result_base(&self) -> String {
        let in_row = format!("{}u", self.stores());
        self.base("params.result_offset", "params.result_stride", &in_row)
    }

    fn base(&self, offset: &str, stride: &str, in_row: &str) -> String {
        let mut text = offset.to_owned();
        if in_row != "0u" {
            let _ = write!(text, " + {}", self.times("column", in_row));
        }
        for d in self.outer_dimensions() {
            let _ = write!(text, " + i{d} * {stride}_{d}");
        }
        text
    }

    /// Returns the dimensions around the rows.
    pub(super) fn outer_dimensions(&self) -> impl DoubleEndedIterator<Item = usize> + '_ {
        let row = self.kernel.walk.traverse().row(self.kernel.rank);
        (0..self.kernel.rank.saturating_sub(1)).filter(move |&d| Some(d) != row)
    }

    /// Declares the coordinates along the dimensions outside the rows.
    pub(super) fn coordinates(&self, out: &mut String, index: &str) {
        let mut rest = index.to_owned();
        let mut outer = self.outer_dimensions().rev().peekable();
        while let Some(d) = outer.next() {
            if outer.peek().is_none() {
                line!(out, "    let i{d} = {rest};");
            } else if self.kernel.walk.is_unrolled() {
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
}

//! Writes the loads of a unit's operands, from words or element by element.

use std::fmt::Write as _;

use super::bits::Words;
use super::module::word_type;
use super::wgsl_type::{COMPONENTS, OperandText};
use super::writer::{Writer, line};
use crate::kernel::body::ValueRef;
use crate::layout::{LoadWidth, QUAD};
use crate::plan::access::Access;
use crate::plan::walk::kinds::Walk;

/// Returns the elements of a unit in one of its quads.
fn elements_of(quad: usize) -> std::ops::Range<usize> {
    quad * QUAD..(quad + 1) * QUAD
}

impl Writer<'_> {
    /// Declares a load's values, `x{number}` or one for each quad, read at position `o{number}`.
    pub(super) fn load(&self, out: &mut String, indent: &str, number: usize) {
        let load = &self.body.loads[number];
        if load.table {
            // Operations read its elements.
            return;
        }
        let at = format!("o{number}");
        match (load.mode.access, load.binding) {
            // The position is XORed with a zero that depends on the invocation, so that lavapipe
            // does not assume that the value depends on uniforms alone.
            (Access::Splat, None) => {
                let position = format!("({at} ^ min(local, params.zero))");
                line!(out, "{indent}let x{number} = {};", self.element(number, &position));
            }
            (Access::Splat, _) => {
                line!(out, "{indent}let x{number} = {};", self.element(number, &at));
            }
            (Access::Contiguous | Access::Strided, Some(binding)) => {
                self.load_words(out, indent, number, binding);
            }
            (Access::Contiguous | Access::Strided, None) if load.high => {
                let position = |element| format!("({at} + {element}u)");
                self.load_elements(out, indent, number, position);
            }
            (Access::Contiguous | Access::Strided, None) => self.load_iota(out, indent, number),
            (Access::Split, _) => self.load_split(out, indent, number),
            (Access::Gather | Access::Transposed | Access::Taken, _) => match &self.kernel.walk {
                Walk::Short(short) => self.load_short_rows(out, indent, number, short.row_len),
                walk if matches!(walk, Walk::Periods(_))
                    || walk.fold_rows().is_some_and(|rows| rows.spans_rows) =>
                {
                    let position = |element| format!("({at} + d{number}_{element})");
                    self.load_elements(out, indent, number, position);
                }
                _ => {
                    let stride = format!("params.stride_{number}_{}", self.kernel.rank - 1);
                    let position = |element| format!("({at} + {element}u * {stride})");
                    self.load_elements(out, indent, number, position);
                }
            },
        }
    }

    /// Loads each element by itself, at its position.
    fn load_elements(
        &self,
        out: &mut String,
        indent: &str,
        number: usize,
        position: impl Fn(usize) -> String,
    ) {
        for quad in 0..self.quads() {
            let lanes: Vec<String> =
                elements_of(quad).map(|element| self.element(number, &position(element))).collect();
            self.declare_lanes(out, indent, number, quad, &lanes);
        }
    }

    /// Computes the elements of an iota, which are their positions.
    fn load_iota(&self, out: &mut String, indent: &str, number: usize) {
        for quad in 0..self.quads() {
            let lanes: Vec<String> =
                elements_of(quad).map(|element| format!("{element}u")).collect();
            line!(
                out,
                "{indent}let i{number}_{quad} = vec4<u32>(o{number}) + vec4<u32>({});",
                lanes.join(", ")
            );
            let text = self.iota(number, &format!("i{number}_{quad}"), true);
            self.declare(out, indent, number, quad, &text);
        }
    }

    /// Loads one element up to the end of a row and one from there on, and selects between them.
    fn load_split(&self, out: &mut String, indent: &str, number: usize) {
        let at = format!("o{number}");
        line!(out, "{indent}let x{number}_a = {};", self.element(number, &at));
        let beyond = format!("({at} + s{number})");
        line!(out, "{indent}let x{number}_b = {};", self.element(number, &beyond));
        let ty = self.wgsl_type(self.body.loads[number].element_type);
        for quad in 0..self.quads() {
            if ty.is_vector() {
                let lanes = COMPONENTS
                    .map(|c| format!("select(x{number}_a, x{number}_b, next_{quad}.{c})"));
                self.declare_lanes(out, indent, number, quad, &lanes);
                continue;
            }
            let ty = ty.quad();
            let text = format!("select({ty}(x{number}_a), {ty}(x{number}_b), next_{quad})");
            self.declare(out, indent, number, quad, &text);
        }
    }

    fn declare(&self, out: &mut String, indent: &str, number: usize, quad: usize, text: &str) {
        line!(out, "{indent}let {} = {text};", self.name(ValueRef::Load(number), quad));
    }

    pub(super) fn declare_lanes(
        &self,
        out: &mut String,
        indent: &str,
        number: usize,
        quad: usize,
        lanes: &[String],
    ) {
        let ty = self.wgsl_type(self.body.loads[number].element_type);
        self.declare(out, indent, number, quad, &ty.join_lanes(lanes));
    }

    /// Loads every word that contains elements of the unit, each once, and extracts them.
    fn load_words(&self, out: &mut String, indent: &str, number: usize, binding: usize) {
        let load = &self.body.loads[number];
        let width = self.kernel.width(binding);
        let lanes = width.elements(load.element_type) as i64;
        // Lanes are counted from the start of the first element's word, and the phase is within it.
        let lane_of = |element: usize| {
            i64::from(load.mode.phase) + i64::from(load.mode.step) * element as i64
        };
        let ends = [lane_of(0), lane_of(self.kernel.unit() - 1)].map(|lane| lane.div_euclid(lanes));
        let first = ends[0].min(ends[1]);
        let mut words = Words::default();
        let edges = self.edges.filter(|edges| edges.there == Some(number));
        let mut assignments = String::new();
        for relative in first..=ends[0].max(ends[1]) {
            let at = match relative {
                0 => format!("o{number}"),
                1.. => format!("o{number} + {relative}u"),
                _ => format!("o{number} - {}u", -relative),
            };
            let name = format!("w{number}_{}", relative - first);
            let word = self.word_at(binding, &at, load.clamped);
            if edges.is_some() {
                line!(out, "{indent}var {name}: {};", word_type(width));
                line!(assignments, "{indent}    {name} = {word};");
            } else {
                line!(out, "{indent}let {name} = {word};");
            }
            words.push_loaded(&name, width);
        }
        if let Some(edges) = edges {
            line!(out, "{indent}if {} {{\n{assignments}{indent}}}", self.has_edges(edges));
        }
        let name = |index: usize| format!("w{number}_{index}");
        for quad in 0..self.quads() {
            if load.mode.access == Access::Contiguous {
                let text = self.quad_of(load.element_type, &words, (width, &name), quad);
                self.declare(out, indent, number, quad, &text);
                continue;
            }
            let texts: Vec<String> = elements_of(quad)
                .map(|element| {
                    let from = lane_of(element) - first * lanes;
                    let (index, lane) = (from / lanes, from % lanes);
                    let name = format!("w{number}_{index}");
                    self.element_of_word(width, load.element_type, &name, lane as usize)
                })
                .collect();
            self.declare_lanes(out, indent, number, quad, &texts);
        }
    }

    /// Declares a transposed load's values in row `row` of a block, from its words `t{number}_*`.
    pub(super) fn turn(&self, out: &mut String, indent: &str, number: usize, row: usize) {
        let load = &self.body.loads[number];
        let width = load.binding.map_or(LoadWidth::Bytes4, |b| self.kernel.width(b));
        for quad in 0..self.quads() {
            let lanes: Vec<String> = elements_of(quad)
                .map(|element| {
                    let name = format!("t{number}_{element}");
                    self.element_of_word(width, load.element_type, &name, row)
                })
                .collect();
            self.declare_lanes(out, indent, number, quad, &lanes);
        }
    }

    /// Returns the elements of an array at computed positions, as one value or a quad.
    pub(super) fn taken(&self, number: usize, position: &OperandText, vector: bool) -> String {
        let element = |position: String| {
            self.element(number, &format!("({position} + params.offset_{number})"))
        };
        if !vector {
            return element(position.name.clone());
        }
        let lanes: Vec<String> = (0..QUAD).map(|lane| element(position.lane(lane))).collect();
        self.wgsl_type(self.body.loads[number].element_type).join_lanes(&lanes)
    }

    /// Returns the single element of a load at position `at`.
    pub(super) fn element(&self, number: usize, at: &str) -> String {
        let load = &self.body.loads[number];
        match load.binding {
            Some(binding) => self.element_at(binding, load.element_type, at, load.clamped),
            None => self.iota(number, at, false),
        }
    }
}

//! Writes the stores of a unit's results, in words or element by element.
//!
//! Positions count words of the first output. The outputs of one kernel have the same elements, so
//! a position in another one is a multiple or a fraction of it.

use std::fmt::Write as _;
use std::ops::Range;

use super::bits::Words;
use super::edges;
use super::wgsl_type::COMPONENTS;
use super::writer::{Writer, line};
use crate::kernel::body::ValueRef;
use crate::layout::{LoadWidth, QUAD};
use crate::plan::kernel::KernelOutput;
use indim_core::semantics::element::ElementType;

/// Returns the name of an output's buffer, by its number.
pub(super) fn buffer(number: usize) -> String {
    numbered("result", number)
}

/// Returns the name of the function that stores one element of an output in its word.
pub(super) fn store_element(number: usize) -> String {
    numbered("store_element", number)
}

/// Names of the first output have no number.
fn numbered(name: &str, number: usize) -> String {
    if number == 0 { name.to_owned() } else { format!("{name}_{number}") }
}

/// Where a unit is stored.
#[derive(Clone, Copy)]
pub(super) enum Place<'a> {
    /// In whole words; the first one in the first output is at this position.
    Words(&'a str),
    /// Each element of the first `elements_left` at a position of its own, `at_{quad}_{component}`.
    Elements,
}

impl Writer<'_> {
    fn outputs(&self) -> impl Iterator<Item = (usize, &KernelOutput)> {
        self.kernel.outputs.iter().enumerate()
    }

    /// Returns the name of a binding's buffer: inputs come first, then the outputs.
    pub(super) fn buffer(&self, binding: usize) -> String {
        match binding.checked_sub(self.kernel.bindings.len()) {
            Some(output) => buffer(output),
            None => format!("in_{binding}"),
        }
    }

    /// Returns true if the words of a binding are atomic, because several invocations may write to
    /// one.
    pub(super) fn is_atomic(&self, binding: usize) -> bool {
        let output = binding.checked_sub(self.kernel.bindings.len());
        let output = output.and_then(|output| self.kernel.outputs.get(output));
        output.is_some_and(|output| self.kernel.stores_in_words(output))
    }

    /// Returns the number of words of the first output in a unit.
    pub(super) fn stores(&self) -> usize {
        self.kernel.stores(&self.kernel.outputs[0])
    }

    /// Computes the unit, whose operands are loaded, and stores it: the end of every walk.
    pub(super) fn finish(&self, out: &mut String, indent: &str, place: Place<'_>) {
        match place {
            Place::Words(at) => self.compute_and_store(out, indent, at),
            Place::Elements => {
                let is_meant = |number: usize| !self.ops[number].hoisted && self.is_written(number);
                self.operations(out, indent, 0..self.quads(), is_meant);
                self.scatter(out, indent);
            }
        }
    }

    /// Computes the unit and stores it, with its first word in the first output at `at`.
    ///
    /// As many quads as fill whole words of all outputs are computed and stored at a time, so that
    /// few values wait in registers; but operands of functions are computed before. (Measured on
    /// lavapipe, relative to one operation after the other on the whole unit: tanh 0.8, Adam's step
    /// 0.9.)
    fn compute_and_store(&self, out: &mut String, indent: &str, at: &str) {
        let positions: Vec<String> =
            self.outputs().map(|(number, _)| self.position(out, indent, number, at)).collect();
        self.declare_left(out, indent, at);
        let before = self.before_functions();
        let first_of_edges = self.edges.map_or(self.ops.len(), |edges| edges.first_op);
        let is_meant = |number: usize| !self.ops[number].hoisted && self.is_written(number);
        let left = |number: usize| is_meant(number) && !before[number] && number < first_of_edges;
        let ahead = |number: usize| is_meant(number) && before[number];
        self.operations(out, indent, 0..self.quads(), ahead);
        let together = self.quads_together();
        for first in (0..self.quads()).step_by(together) {
            let quads = first..(first + together).min(self.quads());
            self.operations(out, indent, quads.clone(), left);
            if let Some(edges) = self.edges {
                self.keep_edges(out, indent, &quads, edges);
            }
            for (number, position) in positions.iter().enumerate() {
                for quad in quads.clone() {
                    self.declare_bits(out, indent, number, quad);
                }
                self.store_words(out, indent, number, &quads, position);
            }
        }
    }

    /// Returns how many quads are computed and stored at a time.
    fn quads_together(&self) -> usize {
        if self.has_unit_functions() {
            return self.quads();
        }
        let elements = |output: &KernelOutput| output.width.elements(output.element_type);
        let widest = self.kernel.outputs.iter().map(elements).max();
        widest.map_or(self.quads(), |elements| elements.div_ceil(QUAD))
    }

    /// Returns the position in an output that belongs to `at` in the first one.
    fn position(&self, out: &mut String, indent: &str, number: usize, at: &str) -> String {
        let (first, own) = (self.stores(), self.kernel.stores(&self.kernel.outputs[number]));
        let position = match own.cmp(&first) {
            std::cmp::Ordering::Equal => return at.to_owned(),
            std::cmp::Ordering::Greater => format!("{at} * {}u", own / first),
            std::cmp::Ordering::Less => format!("{at} / {}u", first / own),
        };
        line!(out, "{indent}let at_{number} = {position};");
        format!("at_{number}")
    }

    /// Stores the words of an output that contain these quads of the unit.
    fn store_words(
        &self,
        out: &mut String,
        indent: &str,
        number: usize,
        quads: &Range<usize>,
        at: &str,
    ) {
        let KernelOutput { element_type, width, .. } = self.kernel.outputs[number];
        let buffer = buffer(number);
        let words = self.output_words(element_type, |quad| bits(number, quad));
        let elements = width.elements(element_type);
        for word in quads.start * QUAD / elements..quads.end * QUAD / elements {
            let text = self.word(&words, (element_type, width), number, word);
            let text = whole(element_type, width, text);
            match word {
                0 => {
                    line!(out, "{indent}{buffer}[{at}] = {text};");
                }
                _ => {
                    line!(out, "{indent}{buffer}[{at} + {word}u] = {text};");
                }
            }
        }
    }

    /// Returns a word of an output.
    fn word(
        &self,
        words: &Words,
        (element_type, width): (ElementType, LoadWidth),
        number: usize,
        word: usize,
    ) -> String {
        let each = width.bytes() / 4;
        match width {
            LoadWidth::Bytes32 if self.lanes_are_u64(element_type) => bits(number, word),
            LoadWidth::Bytes32 => {
                let (low, high) = (words.take(8 * word, 4), words.take(8 * word + 4, 4));
                format!("word_of({low}, {high})")
            }
            _ => words.take(word * each, each),
        }
    }

    /// Stores a value of the unit in the first output, whose type it has, in whole words.
    pub(super) fn store_value(&self, out: &mut String, indent: &str, value: ValueRef, at: &str) {
        let element_type = self.kernel.outputs[0].element_type;
        for quad in 0..self.quads() {
            let text = self.output_bits(element_type, &self.operand(value, quad).quad());
            line!(out, "{indent}let {} = {text};", bits(0, quad));
        }
        self.store_words(out, indent, 0, &(0..self.quads()), at);
    }

    /// Declares a value of the unit as what the first output has at this place.
    pub(super) fn stored_value(&self, out: &mut String, indent: &str, value: ValueRef, at: &str) {
        let KernelOutput { element_type, width, .. } = self.kernel.outputs[0];
        let mut words = Words::default();
        let name = |word: usize| format!("kept_{word}");
        for word in 0..self.stores() {
            line!(out, "{indent}let {} = {}[{at} + {word}u];", name(word), buffer(0));
            words.push_loaded(&name(word), width);
        }
        for quad in 0..self.quads() {
            let text = self.quad_of(element_type, &words, (width, &name), quad);
            line!(out, "{indent}let {} = {text};", self.name(value, quad));
        }
    }

    fn declare_bits(&self, out: &mut String, indent: &str, number: usize, quad: usize) {
        let KernelOutput { value, element_type, .. } = self.kernel.outputs[number];
        let value = self.operand(value, quad);
        let bits = bits(number, quad);
        let name = if self.edges.is_some() {
            edges::kept(quad)
        } else if value.is_quad {
            value.name
        } else {
            let name = format!("q{}", &bits[1..]);
            line!(out, "{indent}let {name} = {};", value.quad());
            name
        };
        line!(out, "{indent}let {bits} = {};", self.output_bits(element_type, &name));
    }

    /// Stores one element of each output, at `at`.
    pub(super) fn store_one(&self, out: &mut String, indent: &str, at: &str) {
        for (number, output) in self.outputs() {
            self.declare_bits(out, indent, number, 0);
            let store = self.store_lane((number, output), at, (0, 0));
            line!(out, "{indent}{store}");
        }
    }

    /// Returns the store of one element of an output's quad at a position.
    fn store_lane(
        &self,
        (number, output): (usize, &KernelOutput),
        at: &str,
        (quad, lane): (usize, usize),
    ) -> String {
        let (element_type, name) = (output.element_type, bits(number, quad));
        if self.kernel.stores_in_words(output) {
            let element = Self::narrow_lane(element_type, &name, lane);
            format!("{}({at}, {element});", store_element(number))
        } else {
            let element = self.wide_lane(element_type, &name, lane);
            format!("{}[{at}] = {element};", buffer(number))
        }
    }

    /// Stores the elements of a unit one by one, `left` of them.
    fn scatter(&self, out: &mut String, indent: &str) {
        for (number, output) in self.outputs() {
            for quad in 0..self.quads() {
                self.declare_bits(out, indent, number, quad);
                for (lane, component) in COMPONENTS.into_iter().enumerate() {
                    let at = format!("at_{quad}_{component}");
                    let store = self.store_lane((number, output), &at, (quad, lane));
                    line!(out, "{indent}if elements_left > {}u {{ {store} }}", quad * QUAD + lane);
                }
            }
        }
    }
}

/// Returns the name of the bits of an output's quad.
fn bits(number: usize, quad: usize) -> String {
    numbered(&format!("r{quad}"), number)
}

/// Guards a word assembled from several elements, so that compilers store it as one. (Measured on
/// lavapipe, adding 4M elements: F16 1.4 times as fast, BF16 1.2 times.)
fn whole(element_type: ElementType, width: LoadWidth, text: String) -> String {
    if element_type.elements_per_word() == 1 {
        return text;
    }
    let name = match width {
        LoadWidth::Bytes4 => "xla_whole_u32",
        LoadWidth::Bytes8 => "xla_whole_2",
        LoadWidth::Bytes16 => "xla_whole_4",
        LoadWidth::Bytes32 => "xla_whole_u64",
    };
    format!("{name}({text})")
}

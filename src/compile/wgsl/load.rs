//! Loads of a unit's operands, from words or element by element, and the store of its result.

use super::bits::Words;
use super::writer::{Writer, line};
use crate::compile::plan::access::{Access, Word};
use crate::compile::plan::kernel::{QUAD, Schedule};
use std::fmt::Write as _;

impl Writer<'_> {
    /// Declares the leaf's values, `x{number}` or one for each quad, read at position `o{number}`.
    pub(super) fn load(&self, out: &mut String, indent: &str, number: usize) {
        let leaf = &self.kernel.leaves[number];
        let at = format!("o{number}");
        match (leaf.access, leaf.binding) {
            // Not of uniforms alone, as constants among themselves are not.
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
            (Access::Contiguous | Access::Strided, None) if leaf.high => {
                for quad in 0..self.quads() {
                    let elements: Vec<String> = (quad * QUAD..(quad + 1) * QUAD)
                        .map(|place| self.element(number, &format!("({at} + {place}u)")))
                        .collect();
                    self.declare_lanes(out, indent, number, quad, &elements);
                }
            }
            // An iota's element is its position.
            (Access::Contiguous | Access::Strided, None) => {
                for quad in 0..self.quads() {
                    let lanes: Vec<String> =
                        (0..QUAD).map(|lane| format!("{}u", quad * QUAD + lane)).collect();
                    line!(
                        out,
                        "{indent}let i{number}_{quad} = vec4<u32>({at}) + vec4<u32>({});",
                        lanes.join(", ")
                    );
                    let position = format!("i{number}_{quad}");
                    let text = self.iota(number, &position, true);
                    self.declare(out, indent, number, quad, &text);
                }
            }
            (Access::Split, _) => self.load_split(out, indent, number),
            (Access::Gather, _) if self.kernel.schedule == Schedule::Short => {
                self.load_short_rows(out, indent, number);
            }
            (Access::Gather | Access::Transposed, _) => {
                for quad in 0..self.quads() {
                    let elements: Vec<String> = (quad * QUAD..(quad + 1) * QUAD)
                        .map(|place| self.element(number, &self.gathered(number, place)))
                        .collect();
                    self.declare_lanes(out, indent, number, quad, &elements);
                }
            }
        }
    }

    /// Loads one element up to the end of a row and one from there on, and selects by place.
    fn load_split(&self, out: &mut String, indent: &str, number: usize) {
        let at = format!("o{number}");
        line!(out, "{indent}let x{number}_a = {};", self.element(number, &at));
        let beyond = format!("({at} + s{number})");
        line!(out, "{indent}let x{number}_b = {};", self.element(number, &beyond));
        let holder = self.holder(self.kernel.leaves[number].element_type);
        for quad in 0..self.quads() {
            if holder.is_vector() {
                let lanes: Vec<String> = super::values::COMPONENTS
                    .iter()
                    .map(|lane| format!("select(x{number}_a, x{number}_b, next_{quad}.{lane})"))
                    .collect();
                self.declare_lanes(out, indent, number, quad, &lanes);
                continue;
            }
            let ty = holder.quad();
            let text = format!("select({ty}(x{number}_a), {ty}(x{number}_b), next_{quad})");
            self.declare(out, indent, number, quad, &text);
        }
    }

    /// Loads each element of a unit of whole short rows once: the text knows which are the same.
    fn load_short_rows(&self, out: &mut String, indent: &str, number: usize) {
        let leaf = &self.kernel.leaves[number];
        let columns = self.kernel.short;
        let place_of = |element: usize| {
            let row = if leaf.hoisted { 0 } else { element / columns };
            let column = if leaf.step == 0 { 0 } else { element % columns };
            (row, column)
        };
        let mut places: Vec<(usize, usize)> = (0..self.kernel.unit()).map(place_of).collect();
        places.sort_unstable();
        places.dedup();
        for (row, column) in places {
            let stride = format!("params.stride_{number}");
            let at = format!("(o{number} + {row}u * {stride}_0 + {column}u * {stride}_1)");
            let element = self.element(number, &at);
            line!(out, "{indent}let e{number}_{row}_{column} = {element};");
        }
        for quad in 0..self.quads() {
            let lanes: Vec<String> = (quad * QUAD..(quad + 1) * QUAD)
                .map(place_of)
                .map(|(row, column)| format!("e{number}_{row}_{column}"))
                .collect();
            self.declare_lanes(out, indent, number, quad, &lanes);
        }
    }

    /// Position of the unit's element `place`.
    fn gathered(&self, number: usize, place: usize) -> String {
        if self.kernel.schedule == Schedule::Periods {
            return format!("(o{number} + d{number}_{place})");
        }
        let inner = self.kernel.rank - 1;
        format!("(o{number} + {place}u * params.stride_{number}_{inner})")
    }

    fn declare(&self, out: &mut String, indent: &str, number: usize, quad: usize, text: &str) {
        line!(out, "{indent}let {} = {text};", self.in_quad(&self.leaves[number], quad));
    }

    pub(super) fn declare_lanes(
        &self,
        out: &mut String,
        indent: &str,
        number: usize,
        quad: usize,
        lanes: &[String],
    ) {
        let holder = self.holder(self.kernel.leaves[number].element_type);
        self.declare(out, indent, number, quad, &holder.of_lanes(lanes));
    }

    /// Loads every word that the unit's elements lie in, each once, and takes them out.
    fn load_words(&self, out: &mut String, indent: &str, number: usize, binding: usize) {
        let leaf = &self.kernel.leaves[number];
        let word = self.kernel.bindings[binding];
        let elements = word.elements(leaf.element_type) as i64;
        let place = |element: usize| i64::from(leaf.phase) + i64::from(leaf.step) * element as i64;
        let ends = [place(0), place(self.kernel.unit() - 1)].map(|p| p.div_euclid(elements));
        let first = ends[0].min(ends[1]);
        let mut words = Words::default();
        for relative in first..=ends[0].max(ends[1]) {
            let at = match relative {
                0 => format!("o{number}"),
                1.. => format!("o{number} + {relative}u"),
                _ => format!("o{number} - {}u", -relative),
            };
            let name = format!("w{number}_{}", relative - first);
            line!(out, "{indent}let {name} = in_{binding}[{at}];");
            words.push_loaded(&name, word);
        }
        let name = |index: usize| format!("w{number}_{index}");
        for quad in 0..self.quads() {
            if leaf.access == Access::Contiguous {
                let text = self.quad_of(leaf.element_type, &words, (word, &name), quad);
                self.declare(out, indent, number, quad, &text);
                continue;
            }
            let lanes: Vec<String> = (quad * QUAD..(quad + 1) * QUAD)
                .map(|element| {
                    let from = place(element) - first * elements;
                    let (index, within) = (from / elements, from % elements);
                    let name = format!("w{number}_{index}");
                    self.element_of_word(word, leaf.element_type, &name, within as usize)
                })
                .collect();
            self.declare_lanes(out, indent, number, quad, &lanes);
        }
    }

    /// Declares a transposed leaf's values in row `row` of a block, from its words `t{number}_*`.
    pub(super) fn turn(&self, out: &mut String, indent: &str, number: usize, row: usize) {
        let leaf = &self.kernel.leaves[number];
        let word = leaf.binding.map_or(Word::Bytes4, |binding| self.kernel.bindings[binding]);
        for quad in 0..self.quads() {
            let lanes: Vec<String> = (quad * QUAD..(quad + 1) * QUAD)
                .map(|place| {
                    let name = format!("t{number}_{place}");
                    self.element_of_word(word, leaf.element_type, &name, row)
                })
                .collect();
            self.declare_lanes(out, indent, number, quad, &lanes);
        }
    }

    /// The single element of leaf `number` at position `at`.
    pub(super) fn element(&self, number: usize, at: &str) -> String {
        let leaf = &self.kernel.leaves[number];
        match leaf.binding {
            Some(binding) => self.element_at(binding, leaf.element_type, at),
            None => self.iota(number, at, false),
        }
    }

    /// Stores the unit, its first word at `at`.
    pub(super) fn store(&self, out: &mut String, indent: &str, at: &str) {
        for quad in 0..self.quads() {
            self.declare_bits(out, indent, quad);
        }
        let words = self.result_words(self.quads());
        let word = self.kernel.result_word;
        let each = word.bytes() / 4;
        for number in 0..words.len() / each {
            let text = match word {
                Word::Bytes32 if self.result_lanes_are_longs() => format!("r{number}"),
                Word::Bytes32 => {
                    let (low, high) = (words.take(8 * number, 4), words.take(8 * number + 4, 4));
                    format!("word_of({low}, {high})")
                }
                _ => words.take(number * each, each),
            };
            let text = self.whole(word, text);
            if number == 0 {
                line!(out, "{indent}result[{at}] = {text};");
            } else {
                line!(out, "{indent}result[{at} + {number}u] = {text};");
            }
        }
    }

    /// A word of the result, kept in one where it was put together of several elements. (Measured on
    /// lavapipe, adding 4M elements: F16 1.4 times as fast, BF16 1.2 times.)
    fn whole(&self, word: Word, text: String) -> String {
        if self.kernel.element_type.elements_per_word() == 1 {
            return text;
        }
        let name = match word {
            Word::Bytes4 => "xla_whole_u32",
            Word::Bytes8 => "xla_whole_2",
            Word::Bytes16 => "xla_whole_4",
            Word::Bytes32 => "xla_whole_u64",
        };
        format!("{name}({text})")
    }

    fn declare_bits(&self, out: &mut String, indent: &str, quad: usize) {
        let value = self.named(self.kernel.result, quad);
        let name = if value.is_quad {
            value.name
        } else {
            line!(out, "{indent}let q{quad} = {};", value.quad());
            format!("q{quad}")
        };
        line!(out, "{indent}let r{quad} = {};", self.result_bits(&name));
    }

    /// Stores the elements of a unit one by one, as many as are `left`.
    pub(super) fn scatter(&self, out: &mut String, indent: &str) {
        let in_words = self.kernel.stores_in_words();
        for quad in 0..self.quads() {
            self.declare_bits(out, indent, quad);
            for (place, lane) in super::values::COMPONENTS.into_iter().enumerate() {
                let (at, name) = (format!("at_{quad}_{lane}"), format!("r{quad}"));
                let store = match in_words {
                    true => format!("store_element({at}, {});", self.narrow_lane(&name, place)),
                    false => format!("result[{at}] = {};", self.result_lane(&name, place)),
                };
                line!(out, "{indent}if left > {}u {{ {store} }}", quad * QUAD + place);
            }
        }
    }
}

//! Loads of a unit's operands, from words or element by element, and the store of its result.

use super::operation::{COMPONENTS, from_bits, iota, vector_type};
use super::{Writer, line};
use crate::element::ElementType;
use crate::plan::{Access, QUAD, Schedule, Word};
use std::fmt::Write as _;

impl Writer<'_> {
    /// Declares the leaf's values, `x{number}` or one for each quad, read at position `o{number}`.
    pub(super) fn load(&self, out: &mut String, indent: &str, number: usize) {
        let leaf = &self.kernel.leaves[number];
        let at = format!("o{number}");
        match (leaf.access, leaf.binding) {
            (Access::Splat, _) => {
                line!(out, "{indent}let x{number} = {};", self.element(number, &at));
            }
            (Access::Contiguous | Access::Strided, Some(binding)) => {
                self.load_words(out, indent, number, binding);
            }
            // An iota's element is its position.
            (Access::Contiguous | Access::Strided, None) => {
                for quad in 0..self.quads() {
                    let lanes: Vec<String> =
                        (0..QUAD).map(|lane| format!("{}u", quad * QUAD + lane)).collect();
                    let position = format!("(vec4<u32>({at}) + vec4<u32>({}))", lanes.join(", "));
                    self.declare(
                        out,
                        indent,
                        number,
                        quad,
                        &iota(leaf.element_type, &position, true),
                    );
                }
            }
            (Access::Split, _) => {
                line!(out, "{indent}let x{number}_a = {};", self.element(number, &at));
                let beyond = format!("({at} + s{number})");
                line!(out, "{indent}let x{number}_b = {};", self.element(number, &beyond));
                let ty = vector_type(leaf.element_type);
                for quad in 0..self.quads() {
                    let text = format!("select({ty}(x{number}_a), {ty}(x{number}_b), next_{quad})");
                    self.declare(out, indent, number, quad, &text);
                }
            }
            (Access::Gather, _) if self.kernel.schedule == Schedule::Short => {
                self.load_short_rows(out, indent, number);
            }
            (Access::Gather | Access::Transposed, _) => {
                for quad in 0..self.quads() {
                    let elements: Vec<String> = (quad * QUAD..(quad + 1) * QUAD)
                        .map(|place| self.element(number, &self.gathered(number, place)))
                        .collect();
                    let text =
                        format!("{}({})", vector_type(leaf.element_type), elements.join(", "));
                    self.declare(out, indent, number, quad, &text);
                }
            }
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
            let text = format!("{}({})", vector_type(leaf.element_type), lanes.join(", "));
            self.declare(out, indent, number, quad, &text);
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

    /// Loads every word that the unit's elements lie in, each once, and takes them out.
    fn load_words(&self, out: &mut String, indent: &str, number: usize, binding: usize) {
        let leaf = &self.kernel.leaves[number];
        let word = self.kernel.bindings[binding];
        let elements = word.elements(leaf.element_type) as i64;
        let place = |element: usize| i64::from(leaf.phase) + i64::from(leaf.step) * element as i64;
        let ends = [place(0), place(self.kernel.unit() - 1)].map(|p| p.div_euclid(elements));
        let first = ends[0].min(ends[1]);
        for relative in first..=ends[0].max(ends[1]) {
            let at = match relative {
                0 => format!("o{number}"),
                1.. => format!("o{number} + {relative}u"),
                _ => format!("o{number} - {}u", -relative),
            };
            line!(out, "{indent}let w{number}_{} = in_{binding}[{at}];", relative - first);
        }
        for quad in 0..self.quads() {
            let name = |index: usize| format!("w{number}_{index}");
            let text = if leaf.access == Access::Contiguous {
                whole_quad(word, leaf.element_type, quad, name)
            } else {
                None
            };
            let text = text.unwrap_or_else(|| {
                let lanes: Vec<String> = (quad * QUAD..(quad + 1) * QUAD)
                    .map(|element| {
                        let from = place(element) - first * elements;
                        let (index, within) = (from / elements, from % elements);
                        let name = format!("w{number}_{index}");
                        element_of_word(word, leaf.element_type, &name, within as usize)
                    })
                    .collect();
                format!("{}({})", vector_type(leaf.element_type), lanes.join(", "))
            });
            self.declare(out, indent, number, quad, &text);
        }
    }

    /// Declares a transposed leaf's values in row `row` of a block, from its words `t{number}_*`.
    pub(super) fn turn(&self, out: &mut String, indent: &str, number: usize, row: usize) {
        let leaf = &self.kernel.leaves[number];
        let word = leaf.binding.map_or(Word::Bytes4, |binding| self.kernel.bindings[binding]);
        for quad in 0..self.quads() {
            let lanes: Vec<String> = (quad * QUAD..(quad + 1) * QUAD)
                .map(|place| {
                    element_of_word(word, leaf.element_type, &format!("t{number}_{place}"), row)
                })
                .collect();
            let text = format!("{}({})", vector_type(leaf.element_type), lanes.join(", "));
            self.declare(out, indent, number, quad, &text);
        }
    }

    /// The single element of leaf `number` at position `at`.
    pub(super) fn element(&self, number: usize, at: &str) -> String {
        let leaf = &self.kernel.leaves[number];
        let Some(binding) = leaf.binding else {
            return iota(leaf.element_type, at, false);
        };
        let word = self.kernel.bindings[binding];
        if leaf.element_type == ElementType::Pred {
            let u32_at = match word {
                Word::Bytes4 => format!("in_{binding}[{at} >> 2u]"),
                Word::Bytes8 => format!("in_{binding}[{at} >> 3u][({at} >> 2u) & 1u]"),
                Word::Bytes16 | Word::Bytes32 => {
                    format!("in_{binding}[{at} >> 4u][({at} >> 2u) & 3u]")
                }
            };
            return format!("((({u32_at} >> (({at} & 3u) * 8u)) & 255u) != 0u)");
        }
        let bits = match word {
            Word::Bytes4 => format!("in_{binding}[{at}]"),
            Word::Bytes8 => format!("in_{binding}[{at} >> 1u][{at} & 1u]"),
            Word::Bytes16 => format!("in_{binding}[{at} >> 2u][{at} & 3u]"),
            Word::Bytes32 => {
                format!("u32(in_{binding}[{at} >> 3u][({at} >> 1u) & 3u] >> (({at} & 1u) * 32u))")
            }
        };
        from_bits(leaf.element_type, &bits, false)
    }

    /// Stores the unit, its first word at `at`.
    pub(super) fn store(&self, out: &mut String, indent: &str, at: &str) {
        let quads: Vec<String> = (0..self.quads()).map(|quad| self.stored(quad)).collect();
        let pred = self.kernel.element_type == ElementType::Pred;
        let words: Vec<String> = match (self.kernel.result_word, pred) {
            (Word::Bytes32, _) => {
                quads.chunks(2).map(|pair| format!("word_of({})", pair.join(", "))).collect()
            }
            (Word::Bytes16, true) => {
                quads.chunks(4).map(|four| format!("vec4<u32>({})", four.join(", "))).collect()
            }
            (Word::Bytes8, true) => {
                quads.chunks(2).map(|pair| format!("vec2<u32>({})", pair.join(", "))).collect()
            }
            (Word::Bytes16, false) | (Word::Bytes4, true) => quads,
            (Word::Bytes8, false) => {
                let halves = |quad: &String| ["xy", "zw"].map(|half| format!("({quad}).{half}"));
                quads.iter().flat_map(halves).collect()
            }
            (Word::Bytes4, false) => {
                let lanes = |quad: &String| COMPONENTS.map(|lane| format!("({quad}).{lane}"));
                quads.iter().flat_map(lanes).collect()
            }
        };
        for (number, word) in words.iter().enumerate() {
            if number == 0 {
                line!(out, "{indent}result[{at}] = {word};");
            } else {
                line!(out, "{indent}result[{at} + {number}u] = {word};");
            }
        }
    }

    /// Stores the elements of a quad one by one, as many as are `left`.
    pub(super) fn scatter(&self, out: &mut String, indent: &str) {
        line!(out, "{indent}let bits = {};", self.stored(0));
        for (place, lane) in COMPONENTS.into_iter().enumerate() {
            line!(out, "{indent}if left > {place}u {{ result[at_{lane}] = bits.{lane}; }}");
        }
    }

    /// One quad of the result as bits: four u32, or one of four bytes for PRED.
    fn stored(&self, quad: usize) -> String {
        let value = self.widened(self.kernel.result, true, quad);
        match self.kernel.element_type {
            ElementType::Pred => {
                format!(
                    "dot(select(vec4<u32>(0u), vec4<u32>(1u, 256u, 65536u, 16777216u), {value}), vec4<u32>(1u))"
                )
            }
            ElementType::U32 => value,
            ElementType::S32 | ElementType::F32 => format!("bitcast<vec4<u32>>({value})"),
        }
    }
}

/// A quad that begins with its words, where there is a shorter way than element by element.
fn whole_quad(
    word: Word,
    element_type: ElementType,
    quad: usize,
    name: impl Fn(usize) -> String,
) -> Option<String> {
    if element_type == ElementType::Pred {
        let bytes = match word {
            Word::Bytes4 => name(quad),
            Word::Bytes8 => format!("{}.{}", name(quad / 2), COMPONENTS[quad % 2]),
            Word::Bytes16 | Word::Bytes32 => format!("{}.{}", name(quad / 4), COMPONENTS[quad % 4]),
        };
        return Some(format!(
            "((vec4<u32>({bytes}) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(255u)) != vec4<u32>(0u)"
        ));
    }
    let bits = match (word, quad % 2) {
        (Word::Bytes16, _) => name(quad),
        (Word::Bytes32, 0) => format!("word_low({})", name(quad / 2)),
        (Word::Bytes32, _) => format!("word_high({})", name(quad / 2)),
        _ => return None,
    };
    Some(from_bits(element_type, &bits, true))
}

/// Element `place` of a word.
fn element_of_word(word: Word, element_type: ElementType, name: &str, place: usize) -> String {
    let u32_of = |index: usize| match word {
        Word::Bytes4 => name.to_owned(),
        _ => format!("{name}.{}", COMPONENTS[index]),
    };
    if element_type == ElementType::Pred {
        return format!("((({} >> {}u) & 255u) != 0u)", u32_of(place / 4), place % 4 * 8);
    }
    let bits = match (word, place % 2) {
        (Word::Bytes32, 0) => format!("u32({})", u32_of(place / 2)),
        (Word::Bytes32, _) => format!("u32({} >> 32u)", u32_of(place / 2)),
        _ => u32_of(place),
    };
    from_bits(element_type, &bits, false)
}

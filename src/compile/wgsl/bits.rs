//! Elements as they lie in memory: taking them out of words, and putting a quad's together.

use super::values::{COMPONENTS, Holder, mask};
use super::writer::Writer;
use crate::compile::plan::access::Word;
use crate::compile::plan::kernel::QUAD;
use crate::semantics::element::ElementType;

/// Neighbouring 32-bit words, by what holds them: u32, `vec2<u32>` or `vec4<u32>`.
#[derive(Debug, Default)]
pub(super) struct Words {
    parts: Vec<(String, usize)>,
}

impl Words {
    /// Appends so many words: 1, 2 or 4.
    pub(super) fn push(&mut self, text: String, count: usize) {
        self.parts.push((text, count));
    }

    /// Appends what a loaded word holds.
    pub(super) fn push_loaded(&mut self, name: &str, word: Word) {
        match word {
            Word::Bytes4 => self.push(name.to_owned(), 1),
            Word::Bytes8 => self.push(name.to_owned(), 2),
            Word::Bytes16 => self.push(name.to_owned(), 4),
            Word::Bytes32 => {
                self.push(format!("word_low({name})"), 4);
                self.push(format!("word_high({name})"), 4);
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        self.parts.iter().map(|&(_, count)| count).sum()
    }

    /// `count` of them (1, 2 or 4) from `first` on, a multiple of that, in one.
    pub(super) fn take(&self, first: usize, count: usize) -> String {
        let mut start = 0;
        for (text, size) in &self.parts {
            if first < start + size {
                let within = first - start;
                return match count.cmp(size) {
                    std::cmp::Ordering::Equal => text.clone(),
                    std::cmp::Ordering::Less => {
                        format!("{text}.{}", COMPONENTS[within..within + count].concat())
                    }
                    std::cmp::Ordering::Greater => {
                        let parts: Vec<String> =
                            (0..count / size).map(|i| self.take(first + i * size, *size)).collect();
                        format!("vec{count}<u32>({})", parts.join(", "))
                    }
                };
            }
            start += size;
        }
        String::new()
    }
}

/// How the bits of one element are held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Raw {
    /// In the low bits of a u32; what is above them counts for nothing.
    U32,
    /// In a u64.
    U64,
    /// In a `vec2<u32>`, the low word first.
    Words,
}

impl Writer<'_> {
    fn raw(&self, element_type: ElementType) -> Raw {
        match (element_type.bits(), self.holder(element_type)) {
            (..=32, _) => Raw::U32,
            (_, Holder::Words | Holder::Complex) => Raw::Words,
            _ => Raw::U64,
        }
    }

    /// The value of these bits.
    pub(super) fn decoded(&self, element_type: ElementType, raw: &str, quad: bool) -> String {
        if let Some(packed) = self.packed {
            return packed.repeated(raw);
        }
        let (i, u, f) = types(quad);
        let bits = element_type.bits();
        match (element_type, self.holder(element_type)) {
            (ElementType::Pred, _) => format!("(({raw} & {u}(255u)) != {u}(0u))"),
            (_, Holder::F16) if quad => format!("bitcast<vec4<f16>>(vec4<u16>({raw}))"),
            (_, Holder::F16) => format!("bitcast<f16>(u16({raw}))"),
            (ElementType::F16, _) => {
                let many = if quad { "_4" } else { "" };
                format!("xla_f16_of_bits{many}({raw})")
            }
            (ElementType::Bf16, _) => format!("bitcast<{f}>({raw} << {u}(16u))"),
            (_, Holder::U32) if bits == 32 => raw.to_owned(),
            (_, Holder::U32) => format!("({raw} & {u}({}u))", mask(bits)),
            (_, Holder::I32) if bits == 32 => format!("bitcast<{i}>({raw})"),
            (_, Holder::I32) => {
                let above = format!("{u}({}u)", 32 - bits);
                format!("(bitcast<{i}>({raw} << {above}) >> {above})")
            }
            (_, Holder::Words | Holder::U64) => raw.to_owned(),
            (_, holder) if quad && !holder.is_vector() => {
                format!("bitcast<{}>({raw})", holder.quad())
            }
            (_, holder) => format!("bitcast<{}>({raw})", holder.scalar()),
        }
    }

    /// The bits of a value, zeros above them.
    pub(super) fn encoded(&self, element_type: ElementType, value: &str, quad: bool) -> String {
        let (_, u, _) = types(quad);
        let bits = element_type.bits();
        let many = if quad { "_4" } else { "" };
        match (element_type, self.holder(element_type)) {
            (ElementType::Pred, _) => format!("select({u}(0u), {u}(1u), {value})"),
            (_, Holder::F16) if quad => format!("vec4<u32>(bitcast<vec4<u16>>({value}))"),
            (_, Holder::F16) => format!("u32(bitcast<u16>({value}))"),
            (ElementType::F16, _) => format!("xla_f16_to_bits{many}({value})"),
            (ElementType::Bf16, _) => format!("xla_bf16_to_bits{many}({value})"),
            (_, Holder::U32) if bits == 32 => value.to_owned(),
            (_, Holder::U32) => format!("({value} & {u}({}u))", mask(bits)),
            (_, Holder::I32 | Holder::F32) if bits == 32 => format!("bitcast<{u}>({value})"),
            (_, Holder::I32) => format!("(bitcast<{u}>({value}) & {u}({}u))", mask(bits)),
            (_, Holder::Words | Holder::U64) => value.to_owned(),
            (_, Holder::Complex) => format!("bitcast<vec2<u32>>({value})"),
            _ if quad => format!("bitcast<vec4<u64>>({value})"),
            _ => format!("bitcast<u64>({value})"),
        }
    }

    /// The same bits as a value of another type of as many, of one value by its name.
    pub(super) fn bitcast(&self, from: ElementType, to: ElementType, name: &str) -> String {
        // Storing makes NaN quiet, whose bits a bitcast keeps.
        let raw = match from {
            ElementType::F16 => format!("xla_f16_kept_bits({name})"),
            ElementType::Bf16 => format!("(bitcast<u32>({name}) >> 16u)"),
            _ => self.encoded(from, name, false),
        };
        let raw = match (self.raw(from), self.raw(to)) {
            (Raw::Words, Raw::U64) => format!("word_pair({raw}.x, {raw}.y)"),
            (Raw::U64, Raw::Words) => words_of(&raw),
            _ => raw,
        };
        self.decoded(to, &raw, false)
    }

    /// The quad of a unit whose elements are `words`, which were loaded as `loaded`.
    pub(super) fn quad_of(
        &self,
        element_type: ElementType,
        words: &Words,
        loaded: (Word, &dyn Fn(usize) -> String),
        quad: usize,
    ) -> String {
        if let Some(packed) = self.packed {
            return words.take(quad * packed.words(), packed.words());
        }
        let raw = match element_type.bits() {
            4 => {
                let shifts =
                    if quad.is_multiple_of(2) { "0u, 4u, 8u, 12u" } else { "16u, 20u, 24u, 28u" };
                format!("(vec4<u32>({}) >> vec4<u32>({shifts}))", words.take(quad / 2, 1))
            }
            8 => format!("(vec4<u32>({}) >> vec4<u32>(0u, 8u, 16u, 24u))", words.take(quad, 1)),
            16 => format!("({}.xxyy >> vec4<u32>(0u, 16u, 0u, 16u))", words.take(2 * quad, 2)),
            32 => words.take(4 * quad, 4),
            _ => return self.wide_quad_of(element_type, words, loaded, quad),
        };
        self.decoded(element_type, &raw, true)
    }

    fn wide_quad_of(
        &self,
        element_type: ElementType,
        words: &Words,
        (word, name): (Word, &dyn Fn(usize) -> String),
        quad: usize,
    ) -> String {
        if self.raw(element_type) == Raw::U64 {
            let raw = match word {
                Word::Bytes32 => name(quad),
                _ => {
                    format!("word_of({}, {})", words.take(8 * quad, 4), words.take(8 * quad + 4, 4))
                }
            };
            return self.decoded(element_type, &raw, true);
        }
        let lanes: Vec<String> = (0..QUAD)
            .map(|lane| self.decoded(element_type, &words.take(8 * quad + 2 * lane, 2), false))
            .collect();
        self.holder(element_type).of_lanes(&lanes)
    }

    /// The value of element `place` of a word.
    pub(super) fn element_of_word(
        &self,
        word: Word,
        element_type: ElementType,
        name: &str,
        place: usize,
    ) -> String {
        let bits = element_type.bits();
        let first = place * bits / 32;
        let u32_of = |index: usize| match word {
            Word::Bytes4 => name.to_owned(),
            Word::Bytes8 | Word::Bytes16 => format!("{name}.{}", COMPONENTS[index]),
            Word::Bytes32 if index.is_multiple_of(2) => {
                format!("u32({name}.{})", COMPONENTS[index / 2])
            }
            Word::Bytes32 => format!("u32({name}.{} >> 32u)", COMPONENTS[index / 2]),
        };
        let raw = match (self.raw(element_type), place * bits % 32) {
            (Raw::U32, 0) => u32_of(first),
            (Raw::U32, shift) => format!("({} >> {shift}u)", u32_of(first)),
            (Raw::U64, _) if word == Word::Bytes32 => format!("{name}.{}", COMPONENTS[place]),
            (Raw::U64, _) => format!("word_pair({}, {})", u32_of(first), u32_of(first + 1)),
            (Raw::Words, _) => format!("vec2<u32>({}, {})", u32_of(first), u32_of(first + 1)),
        };
        self.decoded(element_type, &raw, false)
    }

    /// The value of the element at a position of a binding, counted in elements.
    pub(super) fn element_at(&self, binding: usize, element_type: ElementType, at: &str) -> String {
        let word = self.kernel.bindings[binding];
        let u32_at = |at: &str| match word {
            Word::Bytes4 => format!("in_{binding}[{at}]"),
            Word::Bytes8 => format!("in_{binding}[{at} >> 1u][{at} & 1u]"),
            Word::Bytes16 => format!("in_{binding}[{at} >> 2u][{at} & 3u]"),
            Word::Bytes32 => {
                format!("u32(in_{binding}[{at} >> 3u][({at} >> 1u) & 3u] >> (({at} & 1u) * 32u))")
            }
        };
        let halves = || {
            let low = format!("({at} * 2u)");
            let high = format!("({at} * 2u + 1u)");
            (u32_at(&low), u32_at(&high))
        };
        let raw = match (self.raw(element_type), word) {
            (Raw::U32, _) if element_type.bits() == 32 => u32_at(at),
            (Raw::U32, _) => {
                let each = element_type.elements_per_word();
                let (shift, bits) = (each.trailing_zeros(), element_type.bits());
                let words = u32_at(&format!("({at} >> {shift}u)"));
                format!("({words} >> (({at} & {}u) * {bits}u))", each - 1)
            }
            (Raw::U64, Word::Bytes32) => format!("in_{binding}[{at} >> 2u][{at} & 3u]"),
            (Raw::Words, Word::Bytes8) => format!("in_{binding}[{at}]"),
            (Raw::Words, Word::Bytes32) => {
                words_of(&format!("in_{binding}[{at} >> 2u][{at} & 3u]"))
            }
            (Raw::U64, _) => {
                let (low, high) = halves();
                format!("word_pair({low}, {high})")
            }
            (Raw::Words, _) => {
                let (low, high) = halves();
                format!("vec2<u32>({low}, {high})")
            }
        };
        self.decoded(element_type, &raw, false)
    }

    /// The value of a constant, whose words are these texts; there is a high one for 64 bits.
    pub(super) fn constant(&self, element_type: ElementType, low: &str, high: &str) -> String {
        let raw = match self.raw(element_type) {
            Raw::U32 => low.to_owned(),
            Raw::U64 => format!("word_pair({low}, {high})"),
            Raw::Words => format!("vec2<u32>({low}, {high})"),
        };
        self.decoded(element_type, &raw, false)
    }

    /// Whether the bits of the result's elements are a u64 each.
    pub(super) fn result_lanes_are_longs(&self) -> bool {
        self.raw(self.kernel.element_type) == Raw::U64
    }

    /// The words of the result's quads, by the names `r{quad}` of their bits as [`Writer::result_bits`]
    /// has them.
    pub(super) fn result_words(&self, quads: usize) -> Words {
        let element_type = self.kernel.element_type;
        let mut words = Words::default();
        for quad in 0..quads {
            let name = format!("r{quad}");
            match (element_type.bits(), self.raw(element_type)) {
                (4, _) if quad.is_multiple_of(2) => {
                    words.push(format!("({name} | (r{} << 16u))", quad + 1), 1);
                }
                (4, _) => {}
                (8, _) => words.push(name, 1),
                (16, _) => words.push(name, 2),
                (32, _) => words.push(name, 4),
                (_, Raw::U64) => {
                    words.push(format!("word_low({name})"), 4);
                    words.push(format!("word_high({name})"), 4);
                }
                _ => {
                    words.push(format!("vec4<u32>({name}[0], {name}[1])"), 4);
                    words.push(format!("vec4<u32>({name}[2], {name}[3])"), 4);
                }
            }
        }
        words
    }

    /// The bits of a quad of the result, by the quad's name, put together as far as a quad goes.
    pub(super) fn result_bits(&self, name: &str) -> String {
        let element_type = self.kernel.element_type;
        let holder = self.holder(element_type);
        if self.packed.is_some() {
            return name.to_owned();
        }
        if element_type == ElementType::Pred {
            return format!(
                "dot(select(vec4<u32>(0u), vec4<u32>(1u, 256u, 65536u, 16777216u), {name}), vec4<u32>(1u))"
            );
        }
        if holder == Holder::Complex {
            let lanes: Vec<String> = (0..QUAD)
                .map(|i| self.encoded(element_type, &holder.lane(name, i), false))
                .collect();
            return Holder::Words.of_lanes(&lanes);
        }
        let bits = self.encoded(element_type, name, true);
        match element_type.bits() {
            4 => format!("dot({bits}, vec4<u32>(1u, 16u, 256u, 4096u))"),
            8 => format!("dot({bits}, vec4<u32>(1u, 256u, 65536u, 16777216u))"),
            16 => format!("xla_pairs({bits})"),
            _ => bits,
        }
    }

    /// The same for elements of fewer bits, with others' bits above it.
    pub(super) fn narrow_lane(&self, name: &str, lane: usize) -> String {
        let bits = self.kernel.element_type.bits();
        let (word, shift) = (lane * bits / 32, lane * bits % 32);
        // Quads of 16 bits are two words.
        let word =
            if bits == 16 { format!("{name}.{}", COMPONENTS[word]) } else { name.to_owned() };
        format!("{word} >> {shift}u")
    }

    /// One element of the result's quad of these bits, for elements of 32 bits or more.
    pub(super) fn result_lane(&self, name: &str, lane: usize) -> String {
        match self.raw(self.kernel.element_type) {
            Raw::U32 => format!("{name}.{}", COMPONENTS[lane]),
            Raw::U64 => words_of(&format!("{name}.{}", COMPONENTS[lane])),
            Raw::Words => format!("{name}[{lane}]"),
        }
    }
}

fn words_of(long: &str) -> String {
    format!("vec2<u32>(u32({long}), u32({long} >> 32u))")
}

/// The i32, u32 and f32 type of one value or a quad.
fn types(quad: bool) -> (&'static str, &'static str, &'static str) {
    if quad { ("vec4<i32>", "vec4<u32>", "vec4<f32>") } else { ("i32", "u32", "f32") }
}

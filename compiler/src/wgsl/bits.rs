//! Extracts elements from the words of memory, and assembles a quad's words.

use super::narrowing::mask;
use super::wgsl_type::{COMPONENTS, WgslType};
use super::writer::Writer;
use crate::layout::LoadWidth;
use crate::layout::QUAD;
use indim_core::semantics::element::ElementType;

/// Neighbouring 32-bit words, each part with its name and its number of words: u32, `vec2<u32>` or
/// `vec4<u32>`.
#[derive(Debug, Default)]
pub(super) struct Words {
    parts: Vec<(String, usize)>,
}

impl Words {
    /// Appends `count` words: 1, 2 or 4.
    pub(super) fn push(&mut self, text: String, count: usize) {
        self.parts.push((text, count));
    }

    /// Appends the words of one load of this width.
    pub(super) fn push_loaded(&mut self, name: &str, width: LoadWidth) {
        match width {
            LoadWidth::Bytes4 => self.push(name.to_owned(), 1),
            LoadWidth::Bytes8 => self.push(name.to_owned(), 2),
            LoadWidth::Bytes16 => self.push(name.to_owned(), 4),
            LoadWidth::Bytes32 => {
                self.push(format!("word_low({name})"), 4);
                self.push(format!("word_high({name})"), 4);
            }
        }
    }

    /// Returns `count` words (1, 2 or 4) as one value, from word `first` on, which is a multiple of
    /// `count`.
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

/// The type that holds the bits of one element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Raw {
    /// In the low bits of a u32; the bits above them are ignored.
    U32,
    /// In a u64.
    U64,
    /// In a `vec2<u32>`, the low word first.
    Words,
}

impl Writer<'_> {
    fn raw(&self, element_type: ElementType) -> Raw {
        match (element_type.bits(), self.wgsl_type(element_type)) {
            (..=32, _) => Raw::U32,
            (_, WgslType::Words | WgslType::Complex) => Raw::Words,
            _ => Raw::U64,
        }
    }

    /// Returns the value that has these bits.
    pub(super) fn decoded(&self, element_type: ElementType, raw: &str, quad: bool) -> String {
        if let Some(packed) = self.packed {
            return packed.repeated(raw);
        }
        let (i, u, f) = types(quad);
        let bits = element_type.bits();
        match (element_type, self.wgsl_type(element_type)) {
            (ElementType::Pred, _) => format!("(({raw} & {u}(255u)) != {u}(0u))"),
            (_, WgslType::F16) if quad => format!("bitcast<vec4<f16>>(vec4<u16>({raw}))"),
            (_, WgslType::F16) => format!("bitcast<f16>(u16({raw}))"),
            (ElementType::F16, _) => {
                let many = if quad { "_4" } else { "" };
                format!("xla_f16_of_bits{many}({raw})")
            }
            (ElementType::Bf16, _) => format!("bitcast<{f}>({raw} << {u}(16u))"),
            (_, WgslType::U32) if bits == 32 => raw.to_owned(),
            (_, WgslType::U32) => format!("({raw} & {u}({}u))", mask(bits)),
            (_, WgslType::I32) if bits == 32 => format!("bitcast<{i}>({raw})"),
            (_, WgslType::I32) => {
                let above = format!("{u}({}u)", 32 - bits);
                format!("(bitcast<{i}>({raw} << {above}) >> {above})")
            }
            (_, WgslType::Words | WgslType::U64) => raw.to_owned(),
            (_, ty) if quad && !ty.is_vector() => {
                format!("bitcast<{}>({raw})", ty.quad())
            }
            (_, ty) => format!("bitcast<{}>({raw})", ty.scalar()),
        }
    }

    /// Returns the bits of a value, zeros above them.
    pub(super) fn encoded(&self, element_type: ElementType, value: &str, quad: bool) -> String {
        let (_, u, _) = types(quad);
        let bits = element_type.bits();
        let many = if quad { "_4" } else { "" };
        match (element_type, self.wgsl_type(element_type)) {
            (ElementType::Pred, _) => format!("select({u}(0u), {u}(1u), {value})"),
            (_, WgslType::F16) if quad => format!("vec4<u32>(bitcast<vec4<u16>>({value}))"),
            (_, WgslType::F16) => format!("u32(bitcast<u16>({value}))"),
            (ElementType::F16, _) => format!("xla_f16_to_bits{many}({value})"),
            (ElementType::Bf16, _) => format!("xla_bf16_to_bits{many}({value})"),
            (_, WgslType::U32) if bits == 32 => value.to_owned(),
            (_, WgslType::U32) => format!("({value} & {u}({}u))", mask(bits)),
            (_, WgslType::I32 | WgslType::F32) if bits == 32 => format!("bitcast<{u}>({value})"),
            (_, WgslType::I32) => format!("(bitcast<{u}>({value}) & {u}({}u))", mask(bits)),
            (_, WgslType::Words | WgslType::U64) => value.to_owned(),
            (_, WgslType::Complex) => format!("bitcast<vec2<u32>>({value})"),
            _ if quad => format!("bitcast<vec4<u64>>({value})"),
            _ => format!("bitcast<u64>({value})"),
        }
    }

    /// Returns the bits of one value, by its name, as a value of another type of as many bits.
    pub(super) fn bitcast(&self, from: ElementType, to: ElementType, name: &str) -> String {
        // The encoding for storing would make a NaN quiet; a bitcast keeps all bits.
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

    /// Returns a quad of the unit whose elements are `words`, loaded as `loaded`: the width and the
    /// names of the loads.
    pub(super) fn quad_of(
        &self,
        element_type: ElementType,
        words: &Words,
        loaded: (LoadWidth, &dyn Fn(usize) -> String),
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
        (width, name): (LoadWidth, &dyn Fn(usize) -> String),
        quad: usize,
    ) -> String {
        if self.raw(element_type) == Raw::U64 {
            let raw = match width {
                LoadWidth::Bytes32 => name(quad),
                _ => {
                    format!("word_of({}, {})", words.take(8 * quad, 4), words.take(8 * quad + 4, 4))
                }
            };
            return self.decoded(element_type, &raw, true);
        }
        let lanes: Vec<String> = (0..QUAD)
            .map(|lane| self.decoded(element_type, &words.take(8 * quad + 2 * lane, 2), false))
            .collect();
        self.wgsl_type(element_type).join_lanes(&lanes)
    }

    /// Returns the value of one element of a loaded word, by its lane.
    pub(super) fn element_of_word(
        &self,
        width: LoadWidth,
        element_type: ElementType,
        name: &str,
        lane: usize,
    ) -> String {
        let bits = element_type.bits();
        let first = lane * bits / 32;
        let u32_of = |index: usize| match width {
            LoadWidth::Bytes4 => name.to_owned(),
            LoadWidth::Bytes8 | LoadWidth::Bytes16 => format!("{name}.{}", COMPONENTS[index]),
            LoadWidth::Bytes32 if index.is_multiple_of(2) => {
                format!("u32({name}.{})", COMPONENTS[index / 2])
            }
            LoadWidth::Bytes32 => format!("u32({name}.{} >> 32u)", COMPONENTS[index / 2]),
        };
        let raw = match (self.raw(element_type), lane * bits % 32) {
            (Raw::U32, 0) => u32_of(first),
            (Raw::U32, shift) => format!("({} >> {shift}u)", u32_of(first)),
            (Raw::U64, _) if width == LoadWidth::Bytes32 => format!("{name}.{}", COMPONENTS[lane]),
            (Raw::U64, _) => format!("word_pair({}, {})", u32_of(first), u32_of(first + 1)),
            (Raw::Words, _) => format!("vec2<u32>({}, {})", u32_of(first), u32_of(first + 1)),
        };
        self.decoded(element_type, &raw, false)
    }

    /// Returns the word at a place of a binding; if `clamped`, any word for a place outside.
    pub(super) fn word_at(&self, binding: usize, at: &str, clamped: bool) -> String {
        let from = self.buffer(binding);
        let place = if clamped {
            format!("{from}[min({at}, arrayLength(&{from}) - 1u)]")
        } else {
            format!("{from}[{at}]")
        };
        if self.is_atomic(binding) { format!("atomicLoad(&{place})") } else { place }
    }

    /// Returns the value of the element at a position of a binding, which counts elements. If it is
    /// `clamped`, the position may be outside, where any element of the binding is returned.
    pub(super) fn element_at(
        &self,
        binding: usize,
        element_type: ElementType,
        at: &str,
        clamped: bool,
    ) -> String {
        let width = self.kernel.width(binding);
        let word = |at: &str| self.word_at(binding, at, clamped);
        let u32_at = |at: &str| match width {
            LoadWidth::Bytes4 => word(at),
            LoadWidth::Bytes8 => format!("{}[{at} & 1u]", word(&format!("{at} >> 1u"))),
            LoadWidth::Bytes16 => format!("{}[{at} & 3u]", word(&format!("{at} >> 2u"))),
            LoadWidth::Bytes32 => {
                let word = word(&format!("{at} >> 3u"));
                format!("u32({word}[({at} >> 1u) & 3u] >> (({at} & 1u) * 32u))")
            }
        };
        let u64_at = || format!("{}[{at} & 3u]", word(&format!("{at} >> 2u")));
        let halves = || {
            let low = format!("({at} * 2u)");
            let high = format!("({at} * 2u + 1u)");
            (u32_at(&low), u32_at(&high))
        };
        let raw = match (self.raw(element_type), width) {
            (Raw::U32, _) if element_type.bits() == 32 => u32_at(at),
            (Raw::U32, _) => {
                let each = element_type.elements_per_word();
                let (shift, bits) = (each.trailing_zeros(), element_type.bits());
                let words = u32_at(&format!("({at} >> {shift}u)"));
                format!("({words} >> (({at} & {}u) * {bits}u))", each - 1)
            }
            (Raw::U64, LoadWidth::Bytes32) => u64_at(),
            (Raw::Words, LoadWidth::Bytes8) => word(at),
            (Raw::Words, LoadWidth::Bytes32) => words_of(&u64_at()),
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

    /// Returns the value of a constant, whose words are these texts; only 64-bit types use `high`.
    pub(super) fn constant(&self, element_type: ElementType, low: &str, high: &str) -> String {
        let raw = match self.raw(element_type) {
            Raw::U32 => low.to_owned(),
            Raw::U64 => format!("word_pair({low}, {high})"),
            Raw::Words => format!("vec2<u32>({low}, {high})"),
        };
        self.decoded(element_type, &raw, false)
    }

    /// Returns true if the bits of an element of this type are a u64.
    pub(super) fn lanes_are_u64(&self, element_type: ElementType) -> bool {
        self.raw(element_type) == Raw::U64
    }

    /// Returns the words of an output's quads. `name` gives the name of each quad's bits, which are
    /// packed as [`Writer::output_bits`] packs them.
    pub(super) fn output_words(
        &self,
        element_type: ElementType,
        name_of: impl Fn(usize) -> String,
    ) -> Words {
        let mut words = Words::default();
        for quad in 0..self.quads() {
            let name = name_of(quad);
            match (element_type.bits(), self.raw(element_type)) {
                (4, _) if quad.is_multiple_of(2) => {
                    words.push(format!("({name} | ({} << 16u))", name_of(quad + 1)), 1);
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

    /// Returns the bits of a quad of an output, packed into as few words as one quad fills.
    pub(super) fn output_bits(&self, element_type: ElementType, name: &str) -> String {
        let ty = self.wgsl_type(element_type);
        if self.packed.is_some() {
            return name.to_owned();
        }
        if element_type == ElementType::Pred {
            return format!(
                "dot(select(vec4<u32>(0u), vec4<u32>(1u, 256u, 65536u, 16777216u), {name}), vec4<u32>(1u))"
            );
        }
        if ty == WgslType::Complex {
            let lanes: Vec<String> =
                (0..QUAD).map(|i| self.encoded(element_type, &ty.lane(name, i), false)).collect();
            return WgslType::Words.join_lanes(&lanes);
        }
        let bits = self.encoded(element_type, name, true);
        match element_type.bits() {
            4 => format!("dot({bits}, vec4<u32>(1u, 16u, 256u, 4096u))"),
            8 => format!("dot({bits}, vec4<u32>(1u, 256u, 65536u, 16777216u))"),
            16 => format!("xla_pairs({bits})"),
            _ => bits,
        }
    }

    /// Returns one element of an output's quad of these bits, for elements of fewer than 32 bits,
    /// with the bits of others above it.
    pub(super) fn narrow_lane(element_type: ElementType, name: &str, lane: usize) -> String {
        let bits = element_type.bits();
        let (word, shift) = (lane * bits / 32, lane * bits % 32);
        // Quads of 16-bit elements are two words.
        let word =
            if bits == 16 { format!("{name}.{}", COMPONENTS[word]) } else { name.to_owned() };
        format!("{word} >> {shift}u")
    }

    /// Returns one element of an output's quad of these bits, for elements of 32 bits or more.
    pub(super) fn wide_lane(&self, element_type: ElementType, name: &str, lane: usize) -> String {
        match self.raw(element_type) {
            Raw::U32 => format!("{name}.{}", COMPONENTS[lane]),
            Raw::U64 => words_of(&format!("{name}.{}", COMPONENTS[lane])),
            Raw::Words => format!("{name}[{lane}]"),
        }
    }
}

/// Returns the two words of a u64.
fn words_of(value: &str) -> String {
    format!("vec2<u32>(u32({value}), u32({value} >> 32u))")
}

/// Returns the i32, u32 and f32 type of one value or a quad.
fn types(quad: bool) -> (&'static str, &'static str, &'static str) {
    if quad { ("vec4<i32>", "vec4<u32>", "vec4<f32>") } else { ("i32", "u32", "f32") }
}

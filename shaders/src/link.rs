//! Links functions of the files into a kernel's text, which holds only those that it calls.
//!
//! WGSL has no imports, and compilers spend time even on functions that are not called. The files
//! keep to a form that a line-wise reader can split: items start and end at column 0.

use std::sync::OnceLock;

use crate::text::{shader, shader_of_64_bits};
use crate::words::words;

const FILES: &[&str] = &[
    shader!("words.wgsl"),
    shader!("exact.wgsl"),
    shader!("division.wgsl"),
    shader!("conversion.wgsl"),
    shader!("integer.wgsl"),
    shader!("narrow.wgsl"),
    shader!("fold.wgsl"),
    shader!("long.wgsl"),
    shader_of_64_bits!("long_native.wgsl"),
    shader_of_64_bits!("double.wgsl"),
    shader_of_64_bits!("double_exp_log.wgsl"),
    shader_of_64_bits!("double_trig.wgsl"),
    shader_of_64_bits!("double_hyperbolic.wgsl"),
    shader_of_64_bits!("double_special.wgsl"),
    shader!("exp_log.wgsl"),
    shader!("trig.wgsl"),
    shader!("unit.wgsl"),
    shader!("hyperbolic.wgsl"),
    shader!("pair.wgsl"),
    shader!("special.wgsl"),
    shader!("complex.wgsl"),
    shader!("complex_inverse.wgsl"),
];

/// The choice under which a file replaces another one with the same functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Instead {
    /// Replaces `division.wgsl`, if quotients or roots are computed in this way.
    Rounding(Rounding),
    /// Replaces `conversion.wgsl`, if integers become floats by integers.
    Conversion,
    /// Replaces `long_native.wgsl`, if shaders lack 64-bit integers.
    Words,
    /// Replaces functions of two floats, if shaders have 64-bit floats.
    ThroughF64,
    /// Replaces `xla_keep`, if functions guard their sums by bits.
    Bits,
    /// Replaces the errors of sums in `fold.wgsl`, if compilers regroup them.
    Regrouped,
}

const INSTEAD: [(Instead, &str); 7] = [
    (Instead::Rounding(Rounding::ThroughF64), shader_of_64_bits!("division_f64.wgsl")),
    (Instead::Rounding(Rounding::ByIntegers), shader!("division_integer.wgsl")),
    (Instead::Conversion, shader!("conversion_integer.wgsl")),
    (Instead::Words, shader!("long_words.wgsl")),
    (Instead::ThroughF64, shader_of_64_bits!("pow_f64.wgsl")),
    (Instead::Bits, shader!("guard_bits.wgsl")),
    (Instead::Regrouped, shader!("fold_regrouped.wgsl")),
];

/// The name of the quotient's function in `division.wgsl`, which is chosen separately from the
/// root's.
const QUOTIENT: &str = "xla_quotient";
const ROOT: &str = "xla_root";

/// How quotients or square roots are rounded correctly.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// By the adapter's own division or root.
    #[default]
    Native,
    /// In 64-bit floats.
    ThroughF64,
    /// By the remainder of an approximation, in integers.
    ByIntegers,
}

/// The choices among several functions of the same name in a kernel. The default is what WGSL has
/// of its own.
#[derive(Debug, Clone, Copy, Default)]
pub struct Versions {
    /// How quotients are computed.
    pub quotient: Rounding,
    /// How square roots are computed.
    pub root: Rounding,
    /// True if integers become floats by integers.
    pub conversion_by_integers: bool,
    /// True if functions guard their sums by bits.
    pub guard_by_bits: bool,
    /// True if compilers regroup the sums by which a fold finds its rounding errors.
    pub sums_regrouped: bool,
    /// True if 64-bit integers are words of 32 bits, since the shader has none.
    pub words: bool,
    /// True if functions use 64-bit floats where there is such a version.
    pub through_f64: bool,
}

struct Item {
    text: String,
    /// Numbers of the items that this one names.
    needs: Vec<usize>,
    /// The items that may replace this one, each with the choice that asks for it.
    instead: Vec<(Instead, usize)>,
}

struct Library {
    items: Vec<Item>,
    names: Vec<&'static str>,
    /// The items' numbers by their names, in the order of these. (A `BTreeMap` takes 2.8 kB more of
    /// WebAssembly.)
    numbers: Vec<(&'static str, usize)>,
}

impl Library {
    fn new() -> Self {
        let mut texts: Vec<(&'static str, String)> =
            FILES.iter().flat_map(|file| items(file)).collect();
        let mut numbers = Vec::new();
        for (i, &(name, _)) in texts.iter().enumerate() {
            known_or(&mut numbers, name, i);
        }
        let mut instead = Vec::new();
        for (of, file) in INSTEAD {
            for (name, text) in items(file) {
                // A function that only the replacing file has is found by its name like all others.
                let replaced = known_or(&mut numbers, name, texts.len());
                instead.push((replaced, (of, texts.len())));
                texts.push((name, text));
            }
        }
        let names = texts.iter().map(|&(name, _)| name).collect();
        let mut items: Vec<Item> = texts
            .into_iter()
            .enumerate()
            .map(|(own, (_, text))| Item {
                needs: words(&text)
                    .filter_map(|(_, word)| found(&numbers, word))
                    .map(|(_, number)| number)
                    .filter(|&needed| needed != own)
                    .collect(),
                text,
                instead: Vec::new(),
            })
            .collect();
        for (replaced, by) in instead {
            items[replaced].instead.push(by);
        }
        Self { items, names, numbers }
    }

    /// Returns the item that is used when this one is called.
    fn chosen(&self, item: usize, versions: Versions) -> usize {
        let instead = &self.items[item].instead;
        let of = |wanted| instead.iter().find(|(of, _)| *of == wanted).map(|&(_, by)| by);
        match self.names[item] {
            QUOTIENT => of(Instead::Rounding(versions.quotient)),
            ROOT => of(Instead::Rounding(versions.root)),
            _ => of(Instead::Words)
                .filter(|_| versions.words)
                .or_else(|| of(Instead::Conversion).filter(|_| versions.conversion_by_integers))
                .or_else(|| of(Instead::ThroughF64).filter(|_| versions.through_f64))
                .or_else(|| of(Instead::Bits).filter(|_| versions.guard_by_bits))
                .or_else(|| of(Instead::Regrouped).filter(|_| versions.sums_regrouped)),
        }
        .unwrap_or(item)
    }
}

/// Returns the entry of this name in a list in the order of names.
fn found<'a>(numbers: &[(&'a str, usize)], name: &str) -> Option<(&'a str, usize)> {
    let at = numbers.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
    Some(numbers[at])
}

/// Returns the number of this name in a list in the order of names, which is `number` if it is new.
fn known_or<'a>(numbers: &mut Vec<(&'a str, usize)>, name: &'a str, number: usize) -> usize {
    match numbers.binary_search_by(|(known, _)| (*known).cmp(name)) {
        Ok(at) => numbers[at].1,
        Err(at) => {
            numbers.insert(at, (name, number));
            number
        }
    }
}

fn library() -> &'static Library {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    LIBRARY.get_or_init(Library::new)
}

/// Returns the items of one file with their names, without comments.
fn items(file: &'static str) -> Vec<(&'static str, String)> {
    let mut items: Vec<(&'static str, String)> = Vec::new();
    let mut open = false;
    for line in file.lines() {
        let name = |keyword| {
            let rest = line.strip_prefix(keyword)?;
            words(rest).next().map(|(_, name)| name)
        };
        if let Some(name) = name("fn ").or_else(|| name("const ")) {
            items.push((name, String::new()));
            open = true;
        }
        let comment = line.as_bytes().windows(2).position(|pair| pair == b"//");
        let code = comment.map_or(line, |at| &line[..at]).trim_end();
        if let Some((_, text)) = items.last_mut().filter(|_| open && !code.is_empty()) {
            text.push_str(code);
            text.push('\n');
        }
        let ends_const = line.starts_with("const ") && code.ends_with(';');
        if line.starts_with('}') || ends_const {
            open = false;
        }
    }
    items
}

/// Returns the function that computes four quads at once, if there is one for this function of one
/// element.
pub fn unit_function(function: &str) -> Option<&'static str> {
    found(&library().numbers, &format!("{function}_unit")).map(|(unit, _)| unit)
}

/// Returns the items that `text` needs, directly and indirectly, in the files' order, and only the
/// chosen one of several versions.
pub fn needed_by(text: &str, versions: Versions) -> String {
    let library = library();
    let mut stack: Vec<usize> =
        words(text).filter_map(|(_, word)| Some(found(&library.numbers, word)?.1)).collect();
    let mut wanted = vec![false; library.items.len()];
    while let Some(item) = stack.pop() {
        let item = library.chosen(item, versions);
        if !std::mem::replace(&mut wanted[item], true) {
            stack.extend(&library.items[item].needs);
        }
    }
    let mut needed = String::new();
    for (item, _) in library.items.iter().zip(wanted).filter(|&(_, wanted)| wanted) {
        needed.push_str(&item.text);
        needed.push('\n');
    }
    needed
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn items_bring_what_they_call() {
        let needed_by = |text| super::needed_by(text, Versions::default());
        assert_eq!(needed_by("a + b"), "");
        let clamp = needed_by("xla_clamp(a, b, c)");
        for called in ["fn xla_clamp(", "fn xla_max(", "fn xla_min("] {
            assert_eq!(clamp.matches(called).count(), 1, "{called}");
        }
        assert!(!clamp.contains("fn xla_exp("));
    }

    #[test]
    fn quotients_and_roots_are_chosen_each_by_itself() {
        let all = [Rounding::Native, Rounding::ThroughF64, Rounding::ByIntegers];
        let texts: BTreeSet<String> = all
            .iter()
            .flat_map(|&quotient| {
                all.map(|root| {
                    needed_by("xla_rsqrt(a)", Versions { quotient, root, ..Versions::default() })
                })
            })
            .collect();
        assert_eq!(texts.len(), 9);
        for text in texts {
            for called in ["fn xla_rsqrt(", "fn xla_quotient(", "fn xla_root("] {
                assert_eq!(text.matches(called).count(), 1, "{called} in {text}");
            }
        }
    }

    #[test]
    fn words_stand_in_for_64_bits() {
        for name in ["xla_div_s64", "xla_u64_to_f32", "xla_s64_to_words"] {
            let native = needed_by(name, Versions::default());
            let words = needed_by(name, Versions { words: true, ..Versions::default() });
            for text in [&native, &words] {
                assert_eq!(text.matches(&format!("fn {name}(")).count(), 1, "{text}");
            }
            assert!(!words.contains("i64"), "{words}");
        }
    }

    #[test]
    fn integers_become_floats_by_integers_where_they_must() {
        for name in ["xla_u32_to_f32", "xla_s32_to_f32"] {
            let native = needed_by(name, Versions::default());
            let versions = Versions { conversion_by_integers: true, ..Versions::default() };
            let by_integers = needed_by(name, versions);
            for text in [&native, &by_integers] {
                assert_eq!(text.matches(&format!("fn {name}(")).count(), 1, "{text}");
            }
            assert!(native.contains("return f32(x);"), "{native}");
            assert!(!by_integers.contains("f32(x)"), "{by_integers}");
        }
    }

    #[test]
    fn powers_go_through_64_bits_where_they_may() {
        let through_f64 =
            needed_by("xla_pow(a, b)", Versions { through_f64: true, ..Versions::default() });
        let native = needed_by("xla_pow(a, b)", Versions::default());
        for text in [&through_f64, &native] {
            assert_eq!(text.matches("fn xla_pow_parts(").count(), 1, "{text}");
        }
        assert!(through_f64.contains("f64(") && !native.contains("f64"), "{native}");
    }

    #[test]
    fn functions_of_a_unit_are_known_by_their_name() {
        assert_eq!(unit_function("xla_sin"), Some("xla_sin_unit"));
        assert_eq!(unit_function("xla_exp"), None);
        assert_eq!(unit_function("abs"), None);
    }

    #[test]
    fn conditions_are_not_branches() {
        for item in &library().items {
            assert!(!item.text.contains("&&") && !item.text.contains("||"), "{}", item.text);
        }
    }

    #[test]
    fn every_item_is_found_whole() {
        for item in &library().items {
            let closed = item.text.matches('{').count() == item.text.matches('}').count();
            assert!(
                closed && (item.text.ends_with("}\n") || item.text.ends_with(";\n")),
                "{}",
                item.text
            );
        }
        let files = FILES.iter().chain(INSTEAD.iter().map(|(_, file)| file));
        let functions: usize = files.map(|f| f.matches("\nfn ").count()).sum();
        let found = library().items.iter().filter(|i| i.text.starts_with("fn ")).count();
        assert_eq!(functions, found);
    }
}

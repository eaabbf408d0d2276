//! The fixed WGSL of `shaders/`, by function: a kernel's text holds only those that it calls.
//!
//! WGSL has no imports, and compilers take their time over what is not called, too. The files keep
//! to a form that a line-wise reader can take apart: items start and end at column 0.

use std::collections::{BTreeSet, HashMap};
use std::sync::OnceLock;

use crate::limits::Division;

const FILES: &[&str] = &[
    include_str!("../shaders/words.wgsl"),
    include_str!("../shaders/exact.wgsl"),
    include_str!("../shaders/division.wgsl"),
    include_str!("../shaders/integer.wgsl"),
    include_str!("../shaders/narrow.wgsl"),
    include_str!("../shaders/long_native.wgsl"),
    include_str!("../shaders/exp_log.wgsl"),
    include_str!("../shaders/trig.wgsl"),
    include_str!("../shaders/hyperbolic.wgsl"),
    include_str!("../shaders/pair.wgsl"),
    include_str!("../shaders/special.wgsl"),
];

/// What stands in the place of `division.wgsl`, with the same functions.
const DIVISION: [(Division, &str); 2] = [
    (Division::ThroughF64, include_str!("../shaders/division_f64.wgsl")),
    (Division::ByIntegers, include_str!("../shaders/division_integer.wgsl")),
];

/// The functions that it may stand in for.
const QUOTIENT: &str = "xla_quotient";
const ROOT: &str = "xla_root";

struct Item {
    text: String,
    /// Numbers of the items that it names.
    needs: Vec<usize>,
}

struct Library {
    items: Vec<Item>,
    numbers: HashMap<&'static str, usize>,
    /// Numbers of the items that stand in the place of others.
    instead: HashMap<(&'static str, Division), usize>,
}

impl Library {
    fn new() -> Self {
        let mut texts: Vec<(&'static str, String)> =
            FILES.iter().flat_map(|file| items(file)).collect();
        let numbers: HashMap<_, _> =
            texts.iter().enumerate().map(|(i, &(name, _))| (name, i)).collect();
        let mut instead = HashMap::new();
        for (division, file) in DIVISION {
            for (name, text) in items(file) {
                instead.insert((name, division), texts.len());
                texts.push((name, text));
            }
        }
        let items = texts
            .into_iter()
            .enumerate()
            .map(|(own, (_, text))| Item {
                needs: identifiers(&text)
                    .filter_map(|word| numbers.get(word).copied())
                    .filter(|&needed| needed != own)
                    .collect(),
                text,
            })
            .collect();
        Self { items, numbers, instead }
    }

    /// The item that stands where this one is called.
    fn chosen(&self, item: usize, division: Division, square_root: Division) -> usize {
        let of = |name, how| {
            let native = self.numbers.get(name) == Some(&item);
            self.instead.get(&(name, how)).copied().filter(|_| native)
        };
        of(QUOTIENT, division).or_else(|| of(ROOT, square_root)).unwrap_or(item)
    }
}

fn library() -> &'static Library {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    LIBRARY.get_or_init(Library::new)
}

/// The items of one file with their names, comments left out.
fn items(file: &'static str) -> Vec<(&'static str, String)> {
    let mut items: Vec<(&'static str, String)> = Vec::new();
    let mut open = false;
    for line in file.lines() {
        let name = |keyword| {
            let rest = line.strip_prefix(keyword)?;
            rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()
        };
        if let Some(name) = name("fn ").or_else(|| name("const ")) {
            items.push((name, String::new()));
            open = true;
        }
        let code = line.split("//").next().unwrap_or_default().trim_end();
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

fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// The items that `text` needs, directly and through one another, in the files' order; quotients
/// and roots as they are to be computed.
pub(crate) fn needed_by(text: &str, division: Division, square_root: Division) -> String {
    let library = library();
    let mut stack: Vec<usize> =
        identifiers(text).filter_map(|word| library.numbers.get(word).copied()).collect();
    let mut wanted = BTreeSet::new();
    while let Some(item) = stack.pop() {
        let item = library.chosen(item, division, square_root);
        if wanted.insert(item) {
            stack.extend(&library.items[item].needs);
        }
    }
    wanted.into_iter().map(|item| format!("{}\n", library.items[item].text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_bring_what_they_call() {
        let needed_by = |text| super::needed_by(text, Division::Native, Division::Native);
        assert_eq!(needed_by("a + b"), "");
        let clamp = needed_by("xla_clamp(a, b, c)");
        for called in ["fn xla_clamp(", "fn xla_max(", "fn xla_min("] {
            assert_eq!(clamp.matches(called).count(), 1, "{called}");
        }
        assert!(!clamp.contains("fn xla_exp("));
    }

    #[test]
    fn quotients_and_roots_are_chosen_each_by_itself() {
        let all = [Division::Native, Division::ThroughF64, Division::ByIntegers];
        let texts: BTreeSet<String> = all
            .iter()
            .flat_map(|&quotient| all.map(|root| needed_by("xla_rsqrt(a)", quotient, root)))
            .collect();
        assert_eq!(texts.len(), 9);
        for text in texts {
            for called in ["fn xla_rsqrt(", "fn xla_quotient(", "fn xla_root("] {
                assert_eq!(text.matches(called).count(), 1, "{called} in {text}");
            }
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
        let files = FILES.iter().chain(DIVISION.iter().map(|(_, file)| file));
        let functions: usize = files.map(|f| f.matches("\nfn ").count()).sum();
        let found = library().items.iter().filter(|i| i.text.starts_with("fn ")).count();
        assert_eq!(functions, found);
    }
}

//! The fixed WGSL of `shaders/`, by function: a kernel's text holds only those that it calls.
//!
//! WGSL has no imports, and compilers take their time over what is not called, too. The files keep
//! to a form that a line-wise reader can take apart: items start and end at column 0.

use std::collections::{BTreeSet, HashMap};
use std::sync::OnceLock;

const FILES: &[&str] = &[
    include_str!("../shaders/words.wgsl"),
    include_str!("../shaders/exact.wgsl"),
    include_str!("../shaders/division.wgsl"),
    include_str!("../shaders/integer.wgsl"),
    include_str!("../shaders/exp_log.wgsl"),
    include_str!("../shaders/trig.wgsl"),
    include_str!("../shaders/hyperbolic.wgsl"),
    include_str!("../shaders/pair.wgsl"),
    include_str!("../shaders/special.wgsl"),
];

struct Item {
    text: String,
    /// Numbers of the items that it names.
    needs: Vec<usize>,
}

struct Library {
    items: Vec<Item>,
    numbers: HashMap<&'static str, usize>,
}

fn library() -> &'static Library {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let texts: Vec<(&'static str, String)> =
            FILES.iter().flat_map(|file| items(file)).collect();
        let numbers: HashMap<_, _> =
            texts.iter().enumerate().map(|(i, &(name, _))| (name, i)).collect();
        let items = texts
            .iter()
            .enumerate()
            .map(|(own, (_, text))| Item {
                text: text.clone(),
                needs: identifiers(text)
                    .filter_map(|word| numbers.get(word).copied())
                    .filter(|&needed| needed != own)
                    .collect(),
            })
            .collect();
        Library { items, numbers }
    })
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

/// The items that `text` needs, directly and through one another, in the files' order.
pub(crate) fn needed_by(text: &str) -> String {
    let library = library();
    let mut stack: Vec<usize> =
        identifiers(text).filter_map(|word| library.numbers.get(word).copied()).collect();
    let mut wanted = BTreeSet::new();
    while let Some(item) = stack.pop() {
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
        assert_eq!(needed_by("a + b"), "");
        let clamp = needed_by("xla_clamp(a, b, c)");
        for called in ["fn xla_clamp(", "fn xla_max(", "fn xla_min("] {
            assert_eq!(clamp.matches(called).count(), 1, "{called}");
        }
        assert!(!clamp.contains("fn xla_exp("));
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
        let functions: usize = FILES.iter().map(|f| f.matches("\nfn ").count()).sum();
        let found = library().items.iter().filter(|i| i.text.starts_with("fn ")).count();
        assert_eq!(functions, found);
    }
}

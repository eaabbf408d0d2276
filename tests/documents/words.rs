//! Tests that comments, messages and documents are free of four habits that read like a translation.

use std::fs;
use std::path::{Path, PathBuf};

use crate::markdown::root;
use crate::none;

/// Folders and files of texts that are read.
const READ: &[&str] = &[
    ".ci",
    ".github",
    "accuracy",
    "benches",
    "cli",
    "compiler",
    "core",
    "demos",
    "docs",
    "examples",
    "fuzz",
    "language",
    "npy",
    "python",
    "reference",
    "scripts",
    "self-check",
    "shaders",
    "src",
    "stablehlo",
    "testing",
    "tests",
    "web",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Cargo.toml",
    "README.md",
    "clippy.toml",
    "deny.toml",
    "rustfmt.toml",
];

/// Folders that hold no texts of the project: what is built, fetched or generated.
const SKIPPED: &[&str] = &["__pycache__", "bin", "corpus", "node_modules", "target", "venv"];

/// How the names of texts end. A script without an ending begins with `#!`.
const ENDINGS: &[&str] =
    &["css", "html", "js", "md", "mjs", "py", "pyi", "rs", "toml", "ts", "wgsl", "yml"];

/// Phrases that stand nowhere, and what to write instead.
const PHRASES: &[(&str, &str)] = &[
    ("of the caller's", "caller-owned"),
    ("of the user's own", "user-defined, or your"),
    ("of ours", "our"),
    ("of theirs", "their"),
    ("of yours", "your"),
    ("  true => ", "if and else"),
    ("  false => ", "if and else"),
    ("Does as ", "the blocking version of"),
    ("Does the same as ", "the blocking version of, or as"),
    ("So many", "the number of"),
    ("so many", "this number of, or a name"),
    ("so often", "this number of times"),
    ("for so long", "for the given time"),
];

/// Words after which "is no" and "are no" are English.
const AFTER_NO: &[&str] =
    &["longer", "more", "less", "fewer", "larger", "smaller", "better", "faster"];

/// Returns the words of `line` that say "is no" of a thing that is not another thing.
fn is_no(line: &str) -> Option<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_it = |at: usize| {
        let before = at.checked_sub(1).map_or("", |at| words[at]).to_lowercase();
        let after = words[at + 2].trim_end_matches(|c: char| !c.is_alphanumeric());
        matches!(words[at], "is" | "are")
            && words[at + 1] == "no"
            && !before.ends_with("there")
            && !AFTER_NO.contains(&after)
            && after.starts_with(|c: char| c.is_ascii_lowercase())
    };
    let at = (0..words.len().saturating_sub(2)).find(|&at| is_it(at))?;
    Some(words[at..at + 3].join(" "))
}

/// Returns true if a file is a text, not data.
fn is_text(path: &Path) -> bool {
    match path.extension() {
        Some(ending) => ENDINGS.iter().any(|&text| ending == text),
        None => fs::read(path).unwrap().starts_with(b"#!"),
    }
}

/// Adds the files of texts in a folder, or a file.
fn add_files(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_dir() {
        if SKIPPED.iter().any(|&name| path.ends_with(name)) {
            return;
        }
        for entry in fs::read_dir(path).unwrap() {
            add_files(&entry.unwrap().path(), files);
        }
    } else if is_text(path) {
        files.push(path.to_owned());
    }
}

#[test]
fn texts_are_plain() {
    let mut files = Vec::new();
    READ.iter().for_each(|path| add_files(&root().join(path), &mut files));
    assert!(files.len() > 1000, "{} files", files.len());
    let mut faults = Vec::new();
    for file in files {
        // This file has the phrases.
        if file.ends_with("tests/documents/words.rs") {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap();
        let name = file.strip_prefix(root()).unwrap().display();
        for (number, line) in text.lines().enumerate() {
            if let Some(words) = is_no(line) {
                faults.push(format!(
                    "{name}:{}: {words}; write \"is not a\", or \"not an\"",
                    number + 1
                ));
            }
            for (phrase, instead) in PHRASES {
                if line.contains(phrase) {
                    faults.push(format!("{name}:{}: \"{phrase}\"; write {instead}", number + 1));
                }
            }
        }
    }
    none(faults);
}

#[test]
fn habits_are_found() {
    assert_eq!(is_no("`x` is no array, but").as_deref(), Some("is no array,"));
    assert_eq!(is_no("// Parts that are no tiles."), Some("are no tiles.".to_owned()));
    for fine in ["There is no array here.", "it is no longer there", "it is no"] {
        assert_eq!(is_no(fine), None, "{fine}");
    }
}

//! Tests that the documents are true. Every message in them is the library's for the same operands,
//! every link has a target, every file that they name exists, and every table of figures is that of
//! `benches/results/`. Blocks of `$ indim ...` are run by `cli/tests/command/documents.rs`.
//!
//! Nothing here needs a GPU.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]

mod calls;
mod counted;
mod examples;
mod figures;
mod markdown;
mod operations;
mod scripts;
mod tree;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use indim::{Error, Expr, Opcode, Rule};

use calls::Outcome;
use markdown::{Document, document, documents, root};

/// The info string of blocks that `calls` runs.
const CALLS: &str = "text calls";

/// The info string of the block with the message of an expression.
const MESSAGE: &str = "text message";

/// Fails with all faults at once, so that one run shows them.
#[track_caller]
fn none(faults: Vec<String>) {
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

// ---- messages -----------------------------------------------------------------------------------

#[test]
fn calls_give_what_is_said_of_them() {
    let (mut faults, mut count) = (Vec::new(), 0);
    for document in documents() {
        for block in document.blocks().iter().filter(|block| block.info == CALLS) {
            for example in calls::parse(&block.lines) {
                count += 1;
                let found = calls::run(&example.call);
                if found != example.outcome {
                    faults.push(format!(
                        "{}:{}: {}\n  document: {:?}\n  library:  {found:?}",
                        document.path, block.line, example.call, example.outcome
                    ));
                }
            }
        }
    }
    none(faults);
    assert!(count >= 50, "only {count} calls were found");
}

/// docs/broadcasting.md states every rule in the words of `Rule::statement` and breaks it once.
#[test]
fn every_rule_is_stated_and_broken() {
    let document = document("docs/broadcasting.md");
    let mut stated = BTreeMap::new();
    for (_, line) in document.prose() {
        if let Some([label, statement]) = markdown::cells(line).as_deref() {
            stated.insert((*label).to_owned(), statement.replace('`', ""));
        }
    }
    let mut broken = BTreeSet::new();
    for block in document.blocks().iter().filter(|block| block.info == CALLS) {
        for example in calls::parse(&block.lines) {
            if let Outcome::Refused(rule, _) = example.outcome {
                broken.insert(rule);
            }
        }
    }
    for rule in Rule::ALL {
        assert_eq!(stated.get(rule.label()).map(String::as_str), Some(rule.statement()), "{rule}");
        assert!(broken.contains(rule.label()), "no call breaks {rule}");
    }
}

/// README.md's error is that of its own code, with the place of the expression.
#[test]
fn an_expressions_message_has_its_place() {
    // The line also stands below, so that the column is the same.
    const LINE: &str = "    let error = (&x + &v).exp().eval().unwrap_err();";
    let (x, v) = (Expr::<f32>::iota(&[2, 3], 0), Expr::<f32>::iota(&[3], 0));
    let error = (&x + &v).exp().eval().unwrap_err();
    let Error::Expression { location, .. } = error else { panic!("{error}") };
    let own = include_str!("main.rs").lines().nth(location.line() as usize - 1);
    assert_eq!(own, Some(LINE), "the line that the error tells");

    let readme = document("README.md");
    let blocks = readme.blocks();
    let code = blocks.iter().find(|block| block.info.starts_with("rust")).expect("code");
    let line = code.lines.iter().position(|line| *line == LINE).expect("the expression") + 1;
    let place = format!("src/main.rs:{line}:{}", location.column());
    let expected = error.to_string().replace(&location.to_string(), &place);
    let message = blocks.iter().find(|block| block.info == MESSAGE).expect("the message");
    assert_eq!(message.lines.join(" "), expected);
}

/// Every message is in a block that some test checks.
#[test]
fn messages_stand_in_blocks_that_are_run() {
    let operations: Vec<String> = Opcode::ALL
        .iter()
        .map(|opcode| opcode.method())
        .chain(["broadcast_shapes", "result_type", "error"])
        .map(|name| format!("{name}: "))
        .collect();
    let is_message = |text: &str| operations.iter().any(|name| text.trim().starts_with(name));
    let mut faults = Vec::new();
    for document in documents() {
        for (line, span) in document.code_spans() {
            if is_message(span) || (span.contains("; ") && !span.contains(['{', '='])) {
                faults.push(format!("{}:{line}: `{span}`", document.path));
            }
        }
        for block in document.blocks() {
            let is_run = [CALLS, MESSAGE, "console"].contains(&block.info);
            if let Some(line) = block.lines.iter().find(|line| !is_run && is_message(line)) {
                faults.push(format!("{}:{}: {line}", document.path, block.line));
            }
        }
    }
    none(faults);
}

// ---- links, names and length --------------------------------------------------------------------

#[test]
fn links_lead_somewhere() {
    let (mut faults, mut count) = (Vec::new(), 0);
    for document in documents() {
        let path = root().join(&document.path);
        for (line, link) in document.links() {
            if link.contains("://") {
                continue;
            }
            count += 1;
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => path.clone(),
                _ => path.parent().unwrap().join(file),
            };
            let mut fault = |what: &str| {
                faults.push(format!("{}:{line}: {link}: {what}", document.path));
            };
            if !target.exists() {
                fault("no such file");
            } else if !anchor.is_empty() {
                let text = fs::read_to_string(&target).unwrap();
                let target = Document { path: file.to_owned(), text };
                if !target.anchors().iter().any(|known| known == anchor) {
                    fault("no such heading");
                }
            }
        }
    }
    none(faults);
    assert!(count >= 30, "only {count} links were found");
}

/// Every text that looks like a path from the root is one. (A changelog may name files that are
/// gone.)
#[test]
fn files_that_are_named_exist() {
    let entries = fs::read_dir(root()).unwrap().map(|entry| entry.unwrap());
    let folders = entries.filter(|entry| entry.path().is_dir()).map(|entry| entry.file_name());
    let folders: BTreeSet<String> =
        folders.map(|name| name.to_string_lossy().into_owned()).collect();
    let is_path = |span: &str| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
        let first = span.split('/').next().unwrap_or_default();
        span.contains('/') && span.chars().all(plain) && folders.contains(first)
    };
    // Cargo makes the first; the others stand for any name.
    let is_open = |span: &str| ["target/", "NAME", "ADAPTER"].iter().any(|p| span.contains(p));
    let (mut faults, mut count) = (Vec::new(), 0);
    for document in documents().iter().filter(|document| document.path != "CHANGELOG.md") {
        for (line, span) in document.code_spans() {
            if is_path(span) && !is_open(span) {
                count += 1;
                if !root().join(span).exists() {
                    faults.push(format!("{}:{line}: {span}", document.path));
                }
            }
        }
    }
    none(faults);
    assert!(count >= 30, "only {count} names were found");
}

#[test]
fn documents_are_short() {
    let readme = document("README.md").text.lines().count();
    assert!(readme <= 200, "README.md has {readme} lines");
    let mut faults = Vec::new();
    // The length of what programs write into benches/results is not limited.
    let by_hand = |document: &&Document| {
        !document.path.starts_with("benches/results/") || document.path.ends_with("README.md")
    };
    for document in documents().iter().filter(by_hand) {
        for (number, line) in document.prose() {
            let is_picture = line.starts_with("    ") || line.starts_with("![");
            let length = line.chars().count();
            if length > 120 && markdown::cells(line).is_none() && !is_picture {
                faults.push(format!("{}:{number}: {length} characters", document.path));
            }
        }
    }
    none(faults);
}

/// Every page is in README.md's index.
#[test]
fn pages_are_found_from_the_readme() {
    let readme = document("README.md");
    let links: BTreeSet<&str> = readme.links().into_iter().map(|(_, link)| link).collect();
    for document in documents() {
        if document.path.starts_with("docs/") {
            assert!(
                links.contains(document.path.as_str()),
                "{} is not in README.md",
                document.path
            );
        }
    }
}

// ---- figures ------------------------------------------------------------------------------------

#[test]
fn figures_are_those_of_the_results() {
    let write = std::env::var("INDIM_DOCUMENTS").is_ok_and(|value| value == "write");
    let (mut faults, mut count) = (Vec::new(), 0);
    for document in documents() {
        let (updated, figures) = figures::updated(&document);
        count += figures;
        if updated == document.text {
            continue;
        }
        if write {
            fs::write(root().join(&document.path), &updated).unwrap();
        }
        let pairs = document.text.lines().zip(updated.lines()).zip(1..);
        faults.extend(pairs.filter(|((old, new), _)| old != new).map(|((old, new), number)| {
            format!("{}:{number}:\n  document: {old}\n  results:  {new}", document.path)
        }));
    }
    if write {
        println!("{} lines were written", faults.len());
    } else {
        none(faults);
    }
    assert!(count >= 50, "only {count} figures were found");
}

/// Numbers that the prose repeats are those of the files that have them.
#[test]
fn numbers_in_the_prose_are_right() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let value = |key: &str| {
        let line = manifest.lines().find_map(|line| line.strip_prefix(key)).expect("the key");
        line.split('"').nth(1).expect("its value").to_owned()
    };
    let source = fs::read_to_string(root().join("benches/patterns/src/patterns.rs")).unwrap();
    let (_, list) = source.split_once("\npatterns! {\n").expect("the list of patterns");
    let (list, _) = list.split_once("\n}").expect("the end of the list");
    let names = list.lines().filter(|line| line.trim_end().ends_with("\","));
    let patterns = format!("measures {} patterns", names.count());
    let readme = document("README.md").text;
    for expected in [
        format!("Rust {} or newer", value("rust-version =")),
        format!("(wgpu {}, which is", value("wgpu =")),
        patterns.clone(),
    ] {
        assert!(readme.contains(&expected), "README.md does not say `{expected}`");
    }
    assert!(document("docs/performance.md").text.contains(&patterns), "{patterns}");
}

/// Lines of code that a page quotes stand in the library.
#[test]
fn quoted_lines_stand_in_the_source() {
    let mut paths = BTreeSet::new();
    for folder in ["compiler/src", "core/src", "src"] {
        sources(&root().join(folder), folder, &mut paths);
    }
    let files = paths.iter().map(|path| fs::read_to_string(root().join(path)).unwrap());
    let source = files.collect::<Vec<_>>().join("\n");
    let (mut faults, mut count) = (Vec::new(), 0);
    for document in documents() {
        for block in document.blocks().iter().filter(|block| block.info == "rust,ignore") {
            for line in &block.lines {
                // A note after the code explains it.
                let code = line.split("    // ").next().unwrap_or(line).trim();
                count += 1;
                if !source.contains(code) {
                    faults.push(format!("{}:{}: {code}", document.path, block.line));
                }
            }
        }
    }
    none(faults);
    assert!(count >= 4, "only {count} lines were found");
}

/// Types and functions that a page names by their Rust names are there.
#[test]
fn names_of_code_stand_in_the_source() {
    let mut paths = BTreeSet::new();
    for folder in ["compiler/src", "core/src", "src", "self-check"] {
        sources(&root().join(folder), folder, &mut paths);
    }
    let mut words = BTreeSet::new();
    for path in paths {
        let text = fs::read_to_string(root().join(path)).unwrap();
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        words.extend(text.split(|c| !is_part(c)).map(str::to_owned));
    }
    let is_name = |span: &str| {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let parts: Vec<&str> = span.split("::").collect();
        let is_word = |part: &&str| !part.is_empty() && part.chars().all(plain);
        // Features of wgpu are in capitals throughout.
        let is_type = parts[0].starts_with(|c: char| c.is_ascii_uppercase())
            && parts[0].contains(|c: char| c.is_ascii_lowercase());
        parts.iter().all(is_word) && (is_type || parts[0].starts_with("indim"))
    };
    // A changelog names removed items, and these pages name types of other libraries.
    let of_others = ["CHANGELOG.md", "docs/interop.md", "docs/why.md"];
    let is_ours = |document: &&Document| {
        let page = !document.path.contains('/') || document.path.starts_with("docs/");
        page && !of_others.contains(&document.path.as_str())
    };
    let (mut faults, mut count) = (Vec::new(), 0);
    for document in documents().iter().filter(is_ours) {
        for (line, span) in document.code_spans().into_iter().filter(|(_, span)| is_name(span)) {
            count += 1;
            if !span.split("::").all(|part| part.starts_with("indim") || words.contains(part)) {
                faults.push(format!("{}:{line}: {span}", document.path));
            }
        }
    }
    none(faults);
    assert!(count >= 60, "only {count} names were found");
}

// ---- the tree and the stops ---------------------------------------------------------------------

/// ARCHITECTURE.md's tree has every file of `core/src/`, `compiler/src/` and `src/`, and nothing
/// else.
#[test]
fn the_tree_is_the_tree() {
    let document = document("ARCHITECTURE.md");
    let blocks = document.blocks();
    let tree = blocks.iter().find(|block| block.info == "text tree").expect("the tree");
    let mut drawn = BTreeSet::new();
    let mut folders: Vec<&str> = Vec::new();
    for line in &tree.lines {
        let text = line.trim_start();
        let depth = (line.len() - text.len()) / 2;
        folders.truncate(depth);
        for name in text.split("  ").next().unwrap_or_default().split(", ") {
            match name.strip_suffix('/') {
                Some(folder) => folders.push(folder),
                None => assert!(drawn.insert(format!("{}/{name}", folders.join("/"))), "{name}"),
            }
        }
    }
    let mut found = BTreeSet::new();
    for folder in ["compiler/src", "core/src", "src"] {
        sources(&root().join(folder), folder, &mut found);
    }
    // A folder's mod.rs is drawn by the folder, and tests stand beside what they test.
    let is_drawn_by_folder =
        |path: &&String| path.ends_with("/mod.rs") || path.ends_with("tests.rs");
    let missing = found.difference(&drawn).filter(|path| !is_drawn_by_folder(path));
    let missing = missing.map(|path| format!("not drawn: {path}"));
    let gone = drawn.difference(&found).map(|path| format!("not there: {path}"));
    none(missing.chain(gone).collect());
}

/// Collects the source files below a folder.
fn sources(folder: &Path, name: &str, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let file = entry.file_name().to_string_lossy().into_owned();
        let name = format!("{name}/{file}");
        if entry.path().is_dir() {
            sources(&entry.path(), &name, found);
        } else if file.ends_with(".rs") {
            found.insert(name);
        }
    }
}

/// The paths of two calls have at most 16 and 18 stops; each names a file, and what that defines.
#[test]
fn stops_are_where_they_are_said_to_be() {
    let document = document("ARCHITECTURE.md");
    let (mut numbers, mut planned) = ([0; 2], 0);
    for (number, line) in document.prose() {
        let Some(cells) = markdown::cells(line) else { continue };
        let (file, item) = match cells.as_slice() {
            [add, into, file, item, _] if file.ends_with(".rs`") => {
                for (stop, number) in [add, into].into_iter().zip(&mut numbers) {
                    if let Ok(stop) = stop.parse::<usize>() {
                        *number += 1;
                        assert_eq!(stop, *number, "ARCHITECTURE.md: {file}");
                    }
                }
                (file, item)
            }
            [file, item, _] if file.ends_with(".rs`") => {
                planned += 1;
                (file, item)
            }
            _ => continue,
        };
        let text = fs::read_to_string(root().join(file.trim_matches('`')))
            .unwrap_or_else(|error| panic!("ARCHITECTURE.md:{number}: {file}: {error}"));
        for item in item.split(", ").map(|item| item.trim_matches('`')) {
            let name = item.rsplit("::").next().unwrap_or(item).trim_end_matches(['(', ')', '!']);
            let defines = |word: &str| {
                text.match_indices(&format!("{word} {name}")).any(|(at, found)| {
                    let next = text[at + found.len()..].chars().next();
                    next.is_none_or(|c| !c.is_alphanumeric() && c != '_')
                })
            };
            let words = ["struct", "enum", "trait", "type", "fn", "macro_rules!"];
            let found = words.iter().any(|word| defines(word));
            assert!(found, "ARCHITECTURE.md:{number}: {file} does not define {item}");
        }
    }
    let [add, into] = numbers;
    assert!((10..=16).contains(&add) && (10..=18).contains(&into), "{numbers:?} stops");
    assert_eq!(planned, 6, "stops of a program that is not cached");
}

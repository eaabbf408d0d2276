//! Tests the documents' calls of the command: every ```` ```console ```` block is run, and its
//! output must equal the document's, the standard output first and then the standard error.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::indim;

/// A call in a document, with the text up to the next call.
struct Call {
    place: String,
    text: String,
    output: String,
}

#[test]
fn calls_print_what_the_documents_show() {
    let calls = calls();
    let mut faults = Vec::new();
    for Call { place, text, output } in &calls {
        let words = words(text);
        assert_eq!(words[0], "indim", "{place}: {text}");
        let arguments: Vec<&str> = words[1..].iter().map(String::as_str).collect();
        let outcome = indim(&arguments);
        let found = outcome.stdout + &outcome.stderr;
        // Calls are separated by a blank line, which may be missing after the last line of an
        // output.
        if found.trim_end() != output.trim_end() {
            faults.push(format!("{place}: $ {text}\n{found}"));
        }
    }
    assert!(
        faults.is_empty(),
        "{} calls print something else:\n{}",
        faults.len(),
        faults.join("\n")
    );
    assert!(calls.len() >= 8, "only {} calls were found", calls.len());
}

/// README.md's second command; its output is the block after it.
#[test]
fn the_readmes_command_prints_what_it_shows() {
    let text = fs::read_to_string(root().join("README.md")).unwrap();
    let (_, rest) = text.split_once("scripts/with-adapter cargo run --release -- ").unwrap();
    let (command, rest) = rest.split_once('\n').unwrap();
    let (_, rest) = rest.split_once("```text\n").unwrap();
    let (shown, _) = rest.split_once("```").unwrap();
    let words = words(command);
    let arguments: Vec<&str> = words.iter().map(String::as_str).collect();
    assert_eq!(indim(&arguments).stdout, shown);
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn calls() -> Vec<Call> {
    let mut paths = vec![root().join("README.md"), root().join("cli/README.md")];
    paths.extend(fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path()));
    paths.sort();
    let mut calls: Vec<Call> = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).unwrap();
        let mut is_open = false;
        for (line, number) in text.lines().zip(1..) {
            if line.starts_with("```") {
                is_open = line == "```console";
            } else if is_open {
                match (line.strip_prefix("$ "), calls.last_mut()) {
                    (Some(text), _) => calls.push(Call {
                        place: format!("{}:{number}", path.display()),
                        text: text.to_owned(),
                        output: String::new(),
                    }),
                    (None, Some(call)) => call.output += &format!("{line}\n"),
                    (None, None) => panic!("{}:{number}: no call yet", path.display()),
                }
            }
        }
    }
    calls
}

/// Splits a line into words as a shell does, with single quotes.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted) = (Vec::new(), String::new(), false);
    for c in line.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(std::mem::take(&mut word)),
            _ => word.push(c),
        }
    }
    assert!(!quoted, "a quote is not closed: {line}");
    words.push(word);
    words
}

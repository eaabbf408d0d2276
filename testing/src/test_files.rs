//! Checks the test files themselves.

use std::fs;
use std::path::{Path, PathBuf};

use crate::repository;

/// Every Rust file in a folder, and in those below it.
fn files(folder: &Path) -> Vec<PathBuf> {
    let (mut folders, mut files) = (vec![folder.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files
}

/// Checks that tests make contexts by this crate only, so that every test can be run on devices
/// with low limits.
#[test]
fn tests_take_their_contexts_from_one_place() {
    let ways = ["Context::blocking()", "ContextOptions::from_env()"];
    let files = files(&repository().join("tests"));
    let strays: Vec<_> = files
        .iter()
        .filter(|path| {
            let text = fs::read_to_string(path).expect("a file in UTF-8");
            ways.iter().any(|way| text.contains(way))
        })
        .collect();
    assert!(files.len() > 40, "{}", files.len());
    assert!(strays.is_empty(), "contexts come from indim_testing::contexts: {strays:?}");
}

/// Lets a newcomer find which test covers what.
#[test]
fn the_readme_has_every_file_of_tests() {
    let tests = repository().join("tests");
    let readme = fs::read_to_string(tests.join("README.md")).expect("tests/README.md");
    let mut missing = Vec::new();
    for (root, before) in [
        ("tests", ""),
        ("cli/tests", "../cli/tests/"),
        ("accuracy/tests", "../accuracy/tests/"),
        ("reference/tests", "../reference/tests/"),
    ] {
        let root = repository().join(root);
        for path in files(&root) {
            let name = path.strip_prefix(&root).expect("a file below").to_string_lossy();
            let name = name.replace('\\', "/");
            // Roots of test targets list their modules, and helpers test nothing.
            let is_root = name.ends_with("main.rs") || name == "lib.rs";
            let shows = !is_root && !name.ends_with("common.rs");
            if shows && !readme.contains(&format!("| `{before}{name}` |")) {
                missing.push(format!("{before}{name}"));
            }
        }
    }
    assert!(missing.is_empty(), "not in tests/README.md: {missing:?}");
}

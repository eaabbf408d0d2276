//! Tests that the tables of kernel costs on classes of GPUs match the current counts.
//!
//! Such a table follows a line that names its classes:
//!
//! ```text
//! <!-- counted: Apple on Metal; Mali on Vulkan -->
//! ```
//!
//! `INDIM_DOCUMENTS=write cargo test --test documents counted` writes them into the document, after
//! the kernels have changed.

use indim_testing::{gpu_classes, kernel_cost, patterns};

use crate::markdown::{document, root};

const PAGE: &str = "docs/performance.md";
const MARK: &str = "<!-- counted: ";

/// Returns the document with the tables as they are counted, and the lines of marks.
fn updated(text: &str) -> (String, Vec<String>) {
    let mut tables = kernel_cost::tables().into_iter();
    let (mut lines, mut marks) = (Vec::new(), Vec::new());
    let mut in_table = false;
    for line in text.lines() {
        if line.starts_with(MARK) {
            let (classes, table) = tables.next().expect("a table for each mark");
            marks.push(format!("{MARK}{} -->", classes.join("; ")));
            lines.extend(marks.last().cloned());
            lines.extend(table);
            in_table = true;
        } else if !in_table || !line.starts_with('|') {
            in_table = false;
            lines.push(line.to_owned());
        }
    }
    let left: Vec<_> = tables.map(|(classes, _)| classes.join("; ")).collect();
    assert!(left.is_empty(), "{PAGE} has no table for {left:?}");
    (lines.join("\n") + "\n", marks)
}

#[test]
fn tables_of_costs_are_as_counted() {
    let page = document(PAGE);
    let (updated, marks) = updated(&page.text);
    if std::env::var("INDIM_DOCUMENTS").is_ok_and(|value| value == "write") {
        std::fs::write(root().join(PAGE), &updated).unwrap();
        return;
    }
    for (old, new) in page.text.lines().zip(updated.lines()) {
        assert_eq!(old, new, "{PAGE}");
    }
    assert_eq!(page.text, updated);
    let classes = gpu_classes::all();
    assert!(classes.iter().all(|class| marks.iter().any(|mark| mark.contains(class.name))));
}

/// The patterns that are counted are those that `indim bench` measures, in its order.
#[test]
fn patterns_are_those_that_are_measured() {
    let results = std::fs::read_to_string(root().join("benches/results/llvmpipe.jsonl")).unwrap();
    let measured: Vec<String> = results
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .map(|line| line["pattern"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(measured, patterns::names());
}

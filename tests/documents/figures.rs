//! Tests that the tables of figures in the documents are those of `benches/results/`.
//!
//! A table that follows a line such as
//!
//! ```text
//! <!-- figures: benches/results/llvmpipe.jsonl, benches/results/peers-llvmpipe.md -->
//! ```
//!
//! has its rows' names in the first column. Each column whose head occurs in one of the files has
//! that file's figures; other columns are free. `INDIM_DOCUMENTS=write cargo test --test documents`
//! writes the figures into the documents after a new measurement.

use std::collections::BTreeMap;
use std::fs;

use crate::markdown::{self, Document};

const MARK: &str = "<!-- figures: ";

/// Figures by the names of their column and row.
type Figures = BTreeMap<(String, String), String>;

/// Returns the document with the figures of the files that it names, and how many there are.
pub(crate) fn updated(document: &Document) -> (String, usize) {
    let (mut lines, mut count) = (Vec::new(), 0);
    let mut table: Option<(Figures, Vec<String>)> = None;
    for line in document.text.lines() {
        if let Some(names) = line.strip_prefix(MARK) {
            let names = names.strip_suffix(" -->").expect("the end of the comment");
            table = Some((names.split(", ").flat_map(load).collect(), Vec::new()));
            lines.push(line.to_owned());
            continue;
        }
        let cells = markdown::cells(line);
        match (&mut table, cells) {
            (Some((figures, head)), Some(cells)) if head.is_empty() => {
                *head = cells.iter().map(|cell| (*cell).to_owned()).collect();
                let known = |name: &String| figures.keys().any(|(column, _)| column == name);
                assert!(
                    head.iter().any(known),
                    "{}: no column of {head:?} is known",
                    document.path
                );
                lines.push(line.to_owned());
            }
            (Some((figures, head)), Some(cells)) if !cells[0].starts_with("--") => {
                let name = cells[0].trim_matches('`').to_owned();
                assert!(
                    figures.keys().any(|(_, row)| *row == name),
                    "{}: there are no figures of `{name}`",
                    document.path
                );
                let cells = cells.iter().zip(&*head).map(|(cell, column)| {
                    let is_known = figures.keys().any(|(known, _)| known == column);
                    match figures.get(&(column.clone(), name.clone())) {
                        Some(figure) => {
                            count += 1;
                            figure.clone()
                        }
                        // The column is known, and has no figure for this row.
                        None if is_known => String::new(),
                        None => (*cell).to_owned(),
                    }
                });
                lines.push(format!("| {} |", cells.collect::<Vec<_>>().join(" | ")));
            }
            (Some((_, head)), None) if !head.is_empty() => {
                table = None;
                lines.push(line.to_owned());
            }
            _ => lines.push(line.to_owned()),
        }
    }
    (lines.join("\n") + "\n", count)
}

fn load(path: &str) -> Figures {
    let text = fs::read_to_string(markdown::root().join(path))
        .unwrap_or_else(|error| panic!("{path}: {error}"));
    if path.ends_with(".jsonl") { measured(&text) } else { tabled(&text) }
}

/// Reads what `indim bench --json` wrote.
fn measured(text: &str) -> Figures {
    let rows: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
    let number = |row: &serde_json::Value, field: &str| row[field].as_f64();
    let ns = |row| Some(number(row, "median_ms")? * 1e6 / number(row, "result_elements")?);
    let same = rows.iter().find(|row| row["pattern"] == "same").and_then(ns).expect("`same`");
    let mut figures = Figures::new();
    for row in &rows {
        let name = row["pattern"].as_str().expect("a name").to_owned();
        let mut add = |column: &str, figure: Option<String>| {
            figure.map(|figure| figures.insert((column.to_owned(), name.clone()), figure))
        };
        let ms = number(row, "median_ms").expect("a time");
        let floor = number(row, "floor_ms");
        add("of its floor", floor.map(|floor| format!("{:.2}", ms / floor)));
        add("ms", Some(digits(ms)));
        // In these patterns, the wait takes the time.
        let latency = ["small", "batch100", "batch100_expr", "new_shapes"];
        if !latency.contains(&name.as_str()) {
            add("per element, of `same`", ns(row).map(|ns| format!("{:.2}", ns / same)));
            add("GB/s", number(row, "gb_per_s").map(digits));
        }
    }
    figures
}

/// Returns the number with three significant digits.
fn digits(number: f64) -> String {
    let decimals = (2 - number.max(1e-9).log10().floor() as i32).clamp(0, 6);
    format!("{number:.*}", decimals as usize)
}

/// Reads the tables of a Markdown file, whose rows are named in the first column.
fn tabled(text: &str) -> Figures {
    let mut figures = Figures::new();
    let mut head: Vec<String> = Vec::new();
    for line in text.lines() {
        let Some(cells) = markdown::cells(line) else {
            head.clear();
            continue;
        };
        if head.is_empty() {
            head = cells.iter().map(|cell| (*cell).to_owned()).collect();
        } else if !cells[0].starts_with("--") {
            let name = cells[0].trim_matches('`');
            for (column, cell) in head.iter().zip(&cells).skip(1) {
                figures.insert((column.clone(), name.to_owned()), (*cell).to_owned());
            }
        }
    }
    figures
}

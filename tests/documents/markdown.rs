//! Parses Markdown, as far as the checks need it: fenced blocks, prose, tables and links.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders that hold no documents of the project.
const SKIPPED: [&str; 3] = ["target", "corpus", "node_modules"];

/// A Markdown file of the repository.
pub(crate) struct Document {
    /// Relative to the root, with `/` between folders.
    pub(crate) path: String,
    pub(crate) text: String,
}

/// A fenced block.
pub(crate) struct Block<'a> {
    /// The text after the fence's backticks.
    pub(crate) info: &'a str,
    /// Line number of the fence, from 1.
    pub(crate) line: usize,
    pub(crate) lines: Vec<&'a str>,
}

pub(crate) fn root() -> &'static Path {
    indim_testing::repository()
}

/// Returns every Markdown file of the repository.
pub(crate) fn documents() -> Vec<Document> {
    let mut paths = Vec::new();
    collect(root(), &mut paths);
    paths.sort();
    let documents: Vec<Document> = paths.iter().map(|path| read(path)).collect();
    for expected in ["README.md", "ARCHITECTURE.md", "docs/broadcasting.md", "cli/README.md"] {
        assert!(documents.iter().any(|d| d.path == expected), "{expected} was not found");
    }
    documents
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !name.starts_with('.') && !SKIPPED.contains(&name.as_str()) {
            collect(&path, paths);
        } else if path.is_file() && name.ends_with(".md") {
            paths.push(path);
        }
    }
}

fn read(path: &Path) -> Document {
    let relative = path.strip_prefix(root()).unwrap();
    let names: Vec<_> = relative.iter().map(|name| name.to_string_lossy()).collect();
    Document { path: names.join("/"), text: fs::read_to_string(path).unwrap() }
}

/// Returns the document of this path.
pub(crate) fn document(path: &str) -> Document {
    read(&root().join(path))
}

impl Document {
    /// Returns the fenced blocks, and the lines outside of them with their numbers from 1.
    pub(crate) fn parts(&self) -> (Vec<Block<'_>>, Vec<(usize, &str)>) {
        let (mut blocks, mut prose) = (Vec::new(), Vec::new());
        let mut open: Option<Block<'_>> = None;
        for (line, number) in self.text.lines().zip(1..) {
            match (line.trim_start().strip_prefix("```"), open.take()) {
                (Some(_), Some(block)) => blocks.push(block),
                (Some(info), None) => open = Some(Block { info, line: number, lines: Vec::new() }),
                (None, Some(mut block)) => {
                    block.lines.push(line);
                    open = Some(block);
                }
                (None, None) => prose.push((number, line)),
            }
        }
        assert!(open.is_none(), "{}: a fence is not closed", self.path);
        (blocks, prose)
    }

    pub(crate) fn blocks(&self) -> Vec<Block<'_>> {
        self.parts().0
    }

    pub(crate) fn prose(&self) -> Vec<(usize, &str)> {
        self.parts().1
    }

    /// Returns the targets of all links in the prose, with their line numbers.
    pub(crate) fn links(&self) -> Vec<(usize, &str)> {
        let mut links = Vec::new();
        for (number, line) in self.prose() {
            for (start, _) in line.match_indices("](") {
                let target = &line[start + 2..];
                links.push((number, &target[..target.find(')').unwrap_or(target.len())]));
            }
        }
        links
    }

    /// Returns what stands between backticks in the prose, with line numbers.
    pub(crate) fn code_spans(&self) -> Vec<(usize, &str)> {
        let mut all = Vec::new();
        for (number, line) in self.prose() {
            all.extend(line.split('`').skip(1).step_by(2).map(|span| (number, span)));
        }
        all
    }

    /// Returns the anchors that links may name: a heading in lower case, its words joined by `-`.
    pub(crate) fn anchors(&self) -> Vec<String> {
        let headings = self.prose().into_iter().filter(|(_, line)| line.starts_with('#'));
        let anchor = |heading: &str| {
            let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
            heading.to_lowercase().chars().filter(kept).collect::<String>().replace(' ', "-")
        };
        headings.map(|(_, line)| anchor(line.trim_start_matches('#').trim())).collect()
    }
}

/// Returns the cells of a table's row; `None` if the line is not a row.
pub(crate) fn cells(line: &str) -> Option<Vec<&str>> {
    let inner = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    Some(inner.split('|').map(str::trim).collect())
}

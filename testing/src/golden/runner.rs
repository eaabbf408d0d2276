//! Runs every line of a list of files through a judge and counts.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::judge::Failure;
use crate::share;
use crate::workers::on_every_core;

/// The number of failures that are listed; the rest are only counted.
const LISTED: usize = 40;

/// The number of lines that passed, and the failed ones, each with its place.
#[derive(Default)]
pub struct Tally {
    /// One line in this many was judged.
    pub every: usize,
    pub passed: usize,
    pub failures: Vec<(String, Failure)>,
}

/// The `*.jsonl` files of a folder below `tests/golden` in alphabetic order, then the files that an
/// environment variable names, separated by `:`.
pub fn files(folder: &str, variable: &str) -> Vec<PathBuf> {
    let folder = crate::repository().join("tests/golden").join(folder);
    let entries = match fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) => panic!("{}: {error}", folder.display()),
    };
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no golden file in {}", folder.display());
    let named = env::var(variable).unwrap_or_default();
    files.extend(named.split(':').filter(|path| !path.is_empty()).map(PathBuf::from));
    files
}

/// Returns `INDIM_GOLDEN_EVERY`, n where one line of n is judged, if it is set.
fn every() -> Option<usize> {
    let text = env::var("INDIM_GOLDEN_EVERY").ok()?;
    match text.parse() {
        Ok(every) if every > 0 => Some(every),
        _ => panic!("INDIM_GOLDEN_EVERY is {text}, which is not a number of lines"),
    }
}

/// A line that is to be judged, and its place.
struct Asked {
    file: usize,
    number: usize,
    line: Vec<u8>,
}

/// The number of lines that one judge takes in a row: neighbours often share a kernel.
const BLOCK: usize = 64;

/// Judges the lines that are not blank, on every core, each with a judge of its own: as many as the
/// environment says, else a share of the repository's files and all of others. A file that cannot be
/// read, or that has no line at all, is a failure.
pub fn run<J>(files: &[PathBuf], judge: impl Fn() -> J + Sync) -> Tally
where
    J: Fn(&[u8]) -> Result<(), Failure>,
{
    let share = every();
    let own = share.unwrap_or_else(|| share::one_of(120));
    let mut tally = Tally { every: own, ..Tally::default() };
    let mut asked = Vec::new();
    for (file, path) in files.iter().enumerate() {
        let every = if path.starts_with(crate::repository()) { own } else { share.unwrap_or(1) };
        if let Err(error) = read(file, path, every, &mut asked) {
            let failure = unjudged("a golden file", error.to_string());
            tally.failures.push((path.display().to_string(), failure));
        }
    }
    let next = AtomicUsize::new(0);
    let found = on_every_core(|| {
        let judge = judge();
        let mut failures = Vec::new();
        loop {
            let begin = next.fetch_add(BLOCK, Ordering::Relaxed);
            let Some(rest) = asked.get(begin..).filter(|rest| !rest.is_empty()) else {
                return failures;
            };
            for asked in rest.iter().take(BLOCK) {
                if let Err(failure) = guarded(&judge, &asked.line) {
                    failures.push((asked.file, asked.number, failure));
                }
            }
        }
    });
    let mut failures: Vec<_> = found.into_iter().flatten().collect();
    failures.sort_by_key(|&(file, number, _)| (file, number));
    tally.passed = asked.len() - failures.len();
    tally.failures.extend(
        failures.into_iter().map(|(file, number, failure)| {
            (format!("{}:{number}", files[file].display()), failure)
        }),
    );
    tally
}

/// Adds the lines of a file that are to be judged.
fn read(file: usize, path: &Path, every: usize, asked: &mut Vec<Asked>) -> io::Result<()> {
    let before = asked.len();
    let text = fs::read(path)?;
    for (place, line) in text.split(|&byte| byte == b'\n').enumerate() {
        if !line.trim_ascii().is_empty() && place % every == 0 {
            asked.push(Asked { file, number: place + 1, line: line.to_vec() });
        }
    }
    if asked.len() == before {
        return Err(io::Error::other("not one line in it"));
    }
    Ok(())
}

/// A panic in the library fails its own line, so that the total is of all lines.
fn guarded(judge: &impl Fn(&[u8]) -> Result<(), Failure>, line: &[u8]) -> Result<(), Failure> {
    panic::catch_unwind(AssertUnwindSafe(|| judge(line))).unwrap_or_else(|payload| {
        let message = payload
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| payload.downcast_ref::<&str>().copied())
            .unwrap_or("no message");
        let line = String::from_utf8_lossy(line);
        let start: String = line.chars().take(60).collect();
        Err(unjudged(&format!("an answer to {start}"), format!("a panic: {message}")))
    })
}

fn unjudged(expected: &str, got: String) -> Failure {
    Failure {
        id: "?".to_owned(),
        op: "?".to_owned(),
        expected: expected.to_owned(),
        got,
        malformed: true,
    }
}

impl Tally {
    /// Prints the first failures and one total, and fails the test where there is a failure.
    ///
    /// It writes to the process's own stdout, because `cargo test` hides what `println!` says in a
    /// test that passes.
    pub fn report(&self, name: &str) {
        let mut out = io::stdout().lock();
        // The harness may have begun a line with the test's name.
        let mut text = String::from("\n");
        for (place, failure) in self.failures.iter().take(LISTED) {
            text += &format!(
                "{} {} at {place}\n  expected {}\n  got      {}\n",
                failure.id, failure.op, failure.expected, failure.got
            );
        }
        if self.failures.len() > LISTED {
            text += &format!("... and {} more\n", self.failures.len() - LISTED);
        }
        let part = match self.every {
            0 | 1 => String::new(),
            every => format!(" (one line of {every})"),
        };
        let (passed, failed) = (self.passed, self.failures.len());
        text += &format!("{name}: {passed} passed, {failed} failed{part}\n");
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        drop(out);
        assert!(written.is_ok(), "stdout cannot be written");
        assert!(self.failures.is_empty(), "the lines listed above failed");
    }
}

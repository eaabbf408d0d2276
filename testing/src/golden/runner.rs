//! Runs every line of a list of files through a judge and counts.

use std::env;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};

use super::judge::Failure;

/// So many failures are listed; the rest is only counted.
const LISTED: usize = 40;

/// How many lines passed, and which did not, each with its place.
#[derive(Default)]
pub struct Tally {
    /// Of how many lines one was judged.
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

/// Of how many lines one is judged: `INDIM_GOLDEN_EVERY`, for adapters that compile slowly.
fn every() -> usize {
    env::var("INDIM_GOLDEN_EVERY").map_or(1, |text| match text.parse() {
        Ok(every) if every > 0 => every,
        _ => panic!("INDIM_GOLDEN_EVERY is {text}, which is no number of lines"),
    })
}

/// Judges every line that is not blank, or as many as the environment says. A file that cannot be
/// read, or that has no line at all, is a failure.
pub fn run(files: &[PathBuf], judge: impl Fn(&[u8]) -> Result<(), Failure>) -> Tally {
    let mut tally = Tally { every: every(), ..Tally::default() };
    for path in files {
        if let Err(error) = run_file(path, &judge, &mut tally) {
            let failure = unjudged("a golden file", error.to_string());
            tally.failures.push((path.display().to_string(), failure));
        }
    }
    tally
}

fn run_file(
    path: &Path,
    judge: &impl Fn(&[u8]) -> Result<(), Failure>,
    tally: &mut Tally,
) -> io::Result<()> {
    let mut reader = BufReader::new(File::open(path)?);
    let mut line = Vec::new();
    let mut number = 0;
    let mut judged = 0;
    while reader.read_until(b'\n', &mut line)? > 0 {
        number += 1;
        if !line.trim_ascii().is_empty() && (number - 1) % tally.every == 0 {
            judged += 1;
            match guarded(judge, &line) {
                Ok(()) => tally.passed += 1,
                Err(failure) => {
                    tally.failures.push((format!("{}:{number}", path.display()), failure))
                }
            }
        }
        line.clear();
    }
    if judged == 0 {
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

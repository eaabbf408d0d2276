//! Counts how programs fared, and tells it.

use std::collections::BTreeMap;
use std::io::Write as _;

use crate::run::Outcome;

/// How many programs fared in which way, with the operations that others were refused for.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) passed: usize,
    pub(crate) failed: Vec<String>,
    pub(crate) refused: usize,
    operations: BTreeMap<String, usize>,
}

impl Tally {
    pub(crate) fn add(&mut self, name: &str, outcome: Outcome) {
        match outcome {
            Outcome::Passed => self.passed += 1,
            Outcome::Failed(message) => self.failed.push(format!("{name}: {message}")),
            Outcome::Refused(operations) => {
                self.refused += 1;
                for operation in operations {
                    *self.operations.entry(operation).or_default() += 1;
                }
            }
        }
    }

    pub(crate) fn join(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed.extend(other.failed);
        self.refused += other.refused;
        for (operation, count) in other.operations {
            *self.operations.entry(operation).or_default() += count;
        }
    }

    /// Returns how many programs there were.
    pub(crate) fn count(&self) -> usize {
        self.passed + self.failed.len() + self.refused
    }

    pub(crate) fn line(&self, name: &str) -> String {
        let Self { passed, failed, refused, .. } = self;
        format!("{name}: {passed} passed, {} failed, {refused} refused", failed.len())
    }

    /// Writes what failed and what was refused, and the numbers in a last line.
    pub(crate) fn tell(&self, name: &str) {
        for failed in &self.failed {
            say(&format!("  failed: {failed}"));
        }
        let operations = self.operations.iter();
        let refused: Vec<String> =
            operations.map(|(operation, count)| format!("{operation} {count}")).collect();
        if !refused.is_empty() {
            say(&format!("  refused by operation: {}", refused.join(", ")));
        }
        say(&self.line(name));
    }
}

/// Writes to where the test harness does not hide it.
pub(crate) fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

//! Saves the state of a measurement, so that it can go on after an interruption.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::Result;
use crate::file::replace_file;
use crate::judge::Tally;
use crate::record::Record;

/// The settings that must be the same for a measurement to go on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The columns, each with its adapter.
    pub columns: Vec<String>,
    /// The distance from one magnitude to the next.
    pub step: u32,
    /// The number of pairs that are measured.
    pub pairs: u64,
    /// The operands' type.
    pub element_type: String,
    /// The number of operands measured of a type of more than 16 bits other than F32.
    pub inputs: u64,
    /// The number of inputs computed together.
    pub chunk: u32,
}

/// The function that was being measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Current {
    /// Its name.
    pub op: String,
    /// The first chunk that is not judged.
    pub next: u64,
    /// The tallies, one for each column.
    pub tallies: Vec<Tally>,
    /// The seconds spent so far.
    pub seconds: f64,
}

/// All that is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// The measurement has these settings.
    pub settings: Settings,
    /// These functions are done.
    pub finished: Vec<Record>,
    /// The function that was being measured.
    pub current: Option<Current>,
}

impl State {
    /// Returns a measurement that begins.
    pub fn new(settings: Settings) -> Self {
        Self { settings, finished: Vec::new(), current: None }
    }

    /// Returns the one in the file, if there is one with these settings.
    ///
    /// # Errors
    /// A file that does not hold a state, or holds one with other settings.
    pub fn open(path: &Path, settings: Settings) -> Result<Self> {
        if !path.exists() {
            return Ok(Self::new(settings));
        }
        let state: Self = serde_json::from_str(&fs::read_to_string(path)?)?;
        if state.settings != settings {
            let (path, old) = (path.display(), &state.settings);
            return Err(format!(
                "{path} is of a measurement with other settings, {old:?} and not {settings:?}; \
                 delete it to begin again"
            )
            .into());
        }
        Ok(state)
    }

    /// Returns where to begin with this function: where it was interrupted, or at its first input.
    pub fn begin(&mut self, op: &str) -> Current {
        self.current.take().filter(|current| current.op == op).unwrap_or_else(|| Current {
            op: op.to_owned(),
            next: 0,
            tallies: vec![Tally::default(); self.settings.columns.len()],
            seconds: 0.0,
        })
    }

    /// Notes that a function is done.
    pub fn finish(&mut self, records: &[Record]) {
        self.current = None;
        self.finished.extend_from_slice(records);
    }

    /// Writes it.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        replace_file(path, &serde_json::to_string(self)?)
    }
}

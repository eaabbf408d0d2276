//! Tracks the conversions that `--numpy` makes.

/// The most conversions to mention one by one.
const MAX_MENTIONED: usize = 8;

/// The conversions made so far, to be reported to the user.
#[derive(Debug, Default)]
pub(crate) struct Promotions {
    notes: Vec<String>,
    /// The number of conversions without a note.
    more: usize,
    /// How to avoid the first conversion to f64, which many GPUs lack.
    pub(crate) narrower: Option<String>,
}

impl Promotions {
    pub(crate) fn add(&mut self, note: String) {
        if self.notes.contains(&note) {
            return;
        }
        if self.notes.len() < MAX_MENTIONED {
            self.notes.push(note);
        } else {
            self.more += 1;
        }
    }

    /// Returns the notes, and how to avoid f64.
    pub(crate) fn finish(self) -> (Vec<String>, Option<String>) {
        let Self { mut notes, more, narrower } = self;
        if more > 0 {
            let (plural, are) = if more == 1 { ("", "is") } else { ("s", "are") };
            notes.push(format!("note: {more} more operand{plural} {are} converted"));
        }
        (notes, narrower)
    }
}

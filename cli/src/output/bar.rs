//! [`Bar`]: shows how far a long evaluation has come, with its rate and the time that is left.

use std::io::IsTerminal as _;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use indim::Progress;

/// The bytes of results that were written, the rate, and the time that is left.
const TEMPLATE: &str = "{wide_bar} {bytes} of {total_bytes}, {binary_bytes_per_sec}, {eta} left";

/// A bar on the standard error, where that is a terminal, which is gone when the evaluation is done.
pub(crate) struct Bar {
    bar: ProgressBar,
    /// The bytes of all results that are written.
    bytes: u64,
}

impl Bar {
    pub(crate) fn new(bytes: u64) -> Self {
        let target = match std::io::stderr().is_terminal() {
            true => ProgressDrawTarget::stderr(),
            false => ProgressDrawTarget::hidden(),
        };
        let bar = ProgressBar::with_draw_target(Some(bytes), target);
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style);
        }
        Self { bar, bytes }
    }

    /// Shows how far one of the evaluation's runs has come, which begins at `from` bytes and has
    /// `share` bytes of them.
    pub(crate) fn show(&self, (from, share): (u64, u64), progress: Progress) {
        let part =
            u128::from(share) * u128::from(progress.done) / u128::from(progress.total.max(1));
        self.bar.set_position((from + part as u64).min(self.bytes));
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

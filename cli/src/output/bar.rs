//! [`Bar`]: the progress of a long evaluation, with its rate and the remaining time.

use std::io::IsTerminal as _;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use indim::Progress;

/// Bytes written, rate, and remaining time.
const TEMPLATE: &str = "{wide_bar} {bytes} of {total_bytes}, {binary_bytes_per_sec}, {eta} left";

/// A progress bar on the standard error if that is a terminal; removed when the evaluation ends.
pub(crate) struct Bar {
    bar: ProgressBar,
    /// The total size in bytes of all results to be written.
    bytes: u64,
}

impl Bar {
    pub(crate) fn new(bytes: u64) -> Self {
        let target = if std::io::stderr().is_terminal() {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(bytes), target);
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style);
        }
        Self { bar, bytes }
    }

    /// Shows the progress of one run of the evaluation, which begins at `from` bytes and writes
    /// `share` bytes.
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

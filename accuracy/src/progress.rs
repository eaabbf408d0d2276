//! The progress line on standard error.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Returns the bar of one function; it is drawn only if standard error is a terminal.
pub fn bar(name: &str, chunks: u64, done: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(chunks), ProgressDrawTarget::stderr());
    // A template that is wrong leaves the plain bar.
    if let Ok(style) =
        ProgressStyle::with_template("{msg:20} {wide_bar} {percent:>3} %, {eta} left")
    {
        bar.set_style(style);
    }
    bar.set_message(name.to_owned());
    bar.set_position(done);
    // The work of an earlier run does not help to estimate the remaining time.
    bar.reset_eta();
    bar
}

//! Draws a line on standard error that says how far the measurement is.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Returns the bar of one function; it is not drawn where standard error is no terminal.
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
    // The work of an earlier run says nothing about the time that is left.
    bar.reset_eta();
    bar
}

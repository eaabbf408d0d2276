//! Prints to the standard output and the standard error.

use std::io::{BufWriter, ErrorKind, Write};
use std::ops::ControlFlow;

use indim_expr::{Diagnostic, Result, short};

use crate::output::answer::Answer;

/// Prints notes to the standard error and the answer to the standard output.
pub(crate) fn finish(answer: &Answer, notes: &[String]) -> Result<()> {
    for note in notes {
        to_stderr(&line(note));
    }
    print(&mut BufWriter::new(std::io::stdout().lock()), answer).map(drop)
}

/// Prints an answer. A reader that closes the pipe early, such as `head`, ends it without an error.
pub(crate) fn print(out: &mut impl Write, answer: &Answer) -> Result<ControlFlow<()>> {
    match answer.write(out).and_then(|()| out.flush()) {
        Ok(()) => Ok(ControlFlow::Continue(())),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(ControlFlow::Break(())),
        Err(error) => Err(Diagnostic::new(format!("cannot write the output: {error}"))),
    }
}

/// Returns a note, printed besides the output, as a line.
pub(crate) fn line(note: &str) -> String {
    short(note) + "\n"
}

/// Prints reports to the standard error, in colours if that is a terminal and `NO_COLOR` is not
/// set. A failure has nowhere to be reported.
pub(crate) fn to_stderr(text: &str) {
    let _ = anstream::stderr().write_all(painted(text).as_bytes());
}

/// Colours the words that the lines of reports begin with. Quoted user input begins with a bar, so
/// it is never taken for such a word.
fn painted(text: &str) -> String {
    const STYLES: [(&str, &str); 4] = [
        ("error:", "\x1b[1;31m"),
        ("warning:", "\x1b[1;33m"),
        ("note:", "\x1b[1;36m"),
        ("  = help:", "\x1b[1;32m"),
    ];
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match STYLES.iter().find(|(word, _)| line.starts_with(word)) {
            Some((word, style)) => {
                out.extend([style, word, "\x1b[0m", line.get(word.len()..).unwrap_or_default()]);
            }
            None => out.push_str(line),
        }
    }
    out
}

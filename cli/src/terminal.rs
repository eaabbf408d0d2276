//! Prints to the standard output and the standard error.

use std::io::{BufWriter, ErrorKind, Write};

use crate::answer::Answer;
use crate::diagnostic::{Diagnostic, Result, short};

/// Prints notes to the standard error and the answer to the standard output.
pub(crate) fn finish(answer: &Answer, notes: &[String]) -> Result<()> {
    for note in notes {
        to_stderr(&line(note));
    }
    let mut stdout = BufWriter::new(std::io::stdout().lock());
    match answer.write(&mut stdout).and_then(|()| stdout.flush()) {
        // A reader that has seen enough, such as `head`, is no error.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        done => done.map_err(|e| Diagnostic::new(format!("cannot write the output: {e}"))),
    }
}

/// Returns a note, which the user is told besides the output, as a line.
pub(crate) fn line(note: &str) -> String {
    short(note) + "\n"
}

/// Prints to the standard error. There is nowhere to say that this does not work.
pub(crate) fn to_stderr(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

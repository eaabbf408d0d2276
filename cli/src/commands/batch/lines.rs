//! Reads lines one at a time, each of bounded size.

use std::io::{self, BufRead, Read};

/// The most bytes of a line; an input without line ends must not fill the memory.
const MAX_LINE_BYTES: usize = 1 << 20;

/// A line, without its end.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    Text(String),
    /// The line is not UTF-8 text or too long; the string is the message.
    Refused(String),
    /// The input has no more lines.
    End,
}

/// The lines of an input.
pub(super) struct Lines<R> {
    input: R,
    number: usize,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input, number: 0 }
    }

    /// Returns the number of the line read last, counted from 1.
    pub(super) fn number(&self) -> usize {
        self.number
    }

    /// Reads the next line, without waiting for any input after it.
    pub(super) fn next(&mut self) -> io::Result<Line> {
        let mut bytes = Vec::new();
        let most = MAX_LINE_BYTES as u64 + 1;
        if self.input.by_ref().take(most).read_until(b'\n', &mut bytes)? == 0 {
            return Ok(Line::End);
        }
        self.number += 1;
        if bytes.last() == Some(&b'\n') {
            bytes.pop();
        } else if bytes.len() > MAX_LINE_BYTES {
            self.input.skip_until(b'\n')?;
            return Ok(Line::Refused(format!(
                "the line is too long; the most are {MAX_LINE_BYTES} bytes"
            )));
        }
        Ok(match String::from_utf8(bytes) {
            Ok(text) => Line::Text(text),
            Err(_) => Line::Refused("the line is not UTF-8 text".to_owned()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(input: &[u8]) -> Vec<Line> {
        let mut lines = Lines::new(input);
        let mut found = Vec::new();
        loop {
            match lines.next().unwrap() {
                Line::End => return found,
                line => found.push(line),
            }
        }
    }

    fn text(text: &str) -> Line {
        Line::Text(text.to_owned())
    }

    #[test]
    fn the_last_line_needs_no_end() {
        assert_eq!(all(b""), []);
        assert_eq!(all(b"a\n\nb"), [text("a"), text(""), text("b")]);
        assert_eq!(all(b"a\n"), [text("a")]);
    }

    #[test]
    fn a_line_that_is_too_long_or_no_text_does_not_stop_the_next() {
        let longest = "x".repeat(MAX_LINE_BYTES);
        let lines =
            all(format!("{longest}\n{longest}y\n{longest}{longest}{longest}z\nb").as_bytes());
        let refused = || Line::Refused("the line is too long; the most are 1048576 bytes".into());
        assert_eq!(lines, [text(&longest), refused(), refused(), text("b")]);
        let broken = Line::Refused("the line is not UTF-8 text".into());
        assert_eq!(all(b"a\xff\nb\n"), [broken, text("b")]);
    }
}

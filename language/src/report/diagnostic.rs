//! Errors that point at their cause in the text.

use std::fmt::Write as _;
use std::ops::Range;
use std::rc::Rc;

use crate::report::shorten::shorten;

/// The number of characters of a source line that are shown; longer lines are cut around the place.
const LINE_WIDTH: usize = 72;

/// The number of characters of a message that are shown.
const MAX_SENTENCE: usize = 1_000;

/// A text from the user: EXPR, or the array of one operand.
#[derive(Debug)]
pub struct Source {
    /// The name before line and column: `EXPR`, a file name, `x`.
    pub name: String,
    /// The text that places are in.
    pub text: String,
}

impl Source {
    /// Returns a text by its name, to be shared by what points into it.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Rc<Self> {
        Rc::new(Self { name: name.into(), text: text.into() })
    }
}

/// An error: what is wrong, where, and what to do about it.
#[derive(Debug)]
pub struct Diagnostic {
    message: String,
    /// The place, as a byte range of the source text.
    span: Option<Range<usize>>,
    source: Option<Rc<Source>>,
    help: Option<String>,
    /// Lines between the message and the help.
    details: String,
}

/// The result of everything that reads user input.
pub type Result<T> = std::result::Result<T, Box<Diagnostic>>;

impl Diagnostic {
    /// Returns an error without a place.
    pub fn new(message: impl Into<String>) -> Box<Self> {
        let (message, details) = (message.into(), String::new());
        Box::new(Self { message, span: None, source: None, help: None, details })
    }

    /// Returns an error at a place; [`Diagnostic::in_source`] sets the text.
    pub fn at(span: Range<usize>, message: impl Into<String>) -> Box<Self> {
        let (message, details) = (message.into(), String::new());
        Box::new(Self { message, span: Some(span), source: None, help: None, details })
    }

    /// Returns the message alone, without its place and help.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Adds what to do about it.
    pub fn help(mut self: Box<Self>, help: impl Into<String>) -> Box<Self> {
        self.help = Some(help.into());
        self
    }

    /// Adds what to do about it, unless there is a help already.
    pub fn or_help(mut self: Box<Self>, help: &str) -> Box<Self> {
        self.help.get_or_insert_with(|| help.to_owned());
        self
    }

    /// Adds printable lines that stand after the message.
    pub fn details(mut self: Box<Self>, details: &str) -> Box<Self> {
        self.details.push_str(details);
        self
    }

    /// Prefixes the message with what it is about.
    pub fn prefixed(mut self: Box<Self>, prefix: &str) -> Box<Self> {
        self.message.insert_str(0, prefix);
        self
    }

    /// Moves the place by `offset` bytes, for an error in the tail of a text.
    pub fn shifted(mut self: Box<Self>, offset: usize) -> Box<Self> {
        self.span = self.span.map(|span| span.start + offset..span.end + offset);
        self
    }

    /// Sets the place.
    pub fn at_span(mut self: Box<Self>, span: Range<usize>) -> Box<Self> {
        self.span = Some(span);
        self
    }

    /// Sets the text that the place is in, unless it is set already.
    pub fn in_source(mut self: Box<Self>, source: &Rc<Source>) -> Box<Self> {
        self.source.get_or_insert_with(|| Rc::clone(source));
        self
    }

    /// Returns what to do about it.
    pub fn help_text(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// Returns the name of the source that the error is about, and the byte range in its text.
    pub fn place(&self) -> Option<(&str, &Range<usize>)> {
        Some((self.source.as_ref()?.name.as_str(), self.span.as_ref()?))
    }

    /// Returns the whole report, ending in a newline.
    pub fn render(&self) -> String {
        let mut out = format!("error: {}\n", short(&self.message));
        if let (Some(span), Some(source)) = (&self.span, &self.source) {
            excerpt(&mut out, source, span);
        }
        out.push_str(&self.details);
        if let Some(help) = &self.help {
            let _ = writeln!(out, "  = help: {}", short(help));
        }
        out
    }
}

/// Shortens a very long sentence in the middle, such as one with a shape of rank 1,000. Unprintable
/// characters are replaced, since the quoted text may come from an untrusted file.
pub fn short(sentence: &str) -> String {
    shorten(sentence, MAX_SENTENCE).chars().map(printable).collect()
}

/// Draws the line that `span` starts in, with carets under the place.
fn excerpt(out: &mut String, source: &Source, span: &Range<usize>) {
    let text = &source.text;
    let start = floor_boundary(text, span.start);
    let line_start = text[..start].rfind('\n').map_or(0, |i| i + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |i| start + i);
    let line: Vec<char> = text[line_start..line_end].chars().map(printable).collect();

    let column = text[line_start..start].chars().count();
    let end = floor_boundary(text, span.end.clamp(start, line_end));
    let width = text[start..end].chars().count().max(1);

    // A window of the line around the place.
    let first = if line.len() <= LINE_WIDTH {
        0
    } else {
        column
            .saturating_sub((LINE_WIDTH / 2).saturating_sub(width / 2).max(LINE_WIDTH / 6))
            .min(line.len().saturating_sub(LINE_WIDTH))
    };
    let last = (first + LINE_WIDTH).min(line.len());
    let head = if first > 0 { "..." } else { "" };
    let tail = if last < line.len() { "..." } else { "" };

    let number = text[..line_start].matches('\n').count() + 1;
    let many_lines = text.trim_end_matches('\n').contains('\n');
    if many_lines || !head.is_empty() || !tail.is_empty() {
        let _ = writeln!(out, " --> {}:{number}:{}", source.name, column + 1);
    }
    let shown: String = line.get(first..last).unwrap_or_default().iter().collect();
    let carets = width.min((last + 1).saturating_sub(column)).max(1);
    let indent = head.len() + column.saturating_sub(first);
    let _ = writeln!(out, "  |\n  | {head}{shown}{tail}");
    let _ = writeln!(out, "  | {}{}", " ".repeat(indent), "^".repeat(carets));
}

/// Returns the last character boundary at or before byte `at`.
fn floor_boundary(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0)
}

/// Returns a printable form of a character: control characters could drive the terminal.
fn printable(c: char) -> char {
    match c {
        '\t' => ' ',
        c if c.is_control() => char::REPLACEMENT_CHARACTER,
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(text: &str, span: Range<usize>) -> String {
        Diagnostic::at(span, "no").in_source(&Source::new("EXPR", text)).render()
    }

    #[test]
    fn a_short_line_is_shown_whole() {
        assert_eq!(report("x + v", 2..3), "error: no\n  |\n  | x + v\n  |   ^\n");
        assert_eq!(report("x + v", 4..5), "error: no\n  |\n  | x + v\n  |     ^\n");
        assert_eq!(report("", 0..0), "error: no\n  |\n  | \n  | ^\n");
        assert_eq!(report("x +", 3..3), "error: no\n  |\n  | x +\n  |    ^\n");
    }

    #[test]
    fn of_several_lines_the_one_in_question_is_shown() {
        assert_eq!(
            report("x +\n  foo +\ny", 6..9),
            "error: no\n --> EXPR:2:3\n  |\n  |   foo +\n  |   ^^^\n"
        );
    }

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let text = format!("{}!{}", "(".repeat(60_000), ")".repeat(60_000));
        let shown = report(&text, 60_000..60_001);
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[1], " --> EXPR:1:60001");
        assert!(lines[3].starts_with("  | ...((") && lines[3].ends_with("))..."), "{shown}");
        let caret = lines[4].find('^').unwrap_or_default();
        assert_eq!(lines[3].as_bytes().get(caret), Some(&b'!'));
        assert!(shown.len() < 300);
    }

    #[test]
    fn a_long_message_loses_its_middle() {
        let message = format!("from {} to", "x".repeat(2_000));
        let shown = Diagnostic::new(message).help("y".repeat(2_000)).render();
        assert!(shown.starts_with("error: from xx") && shown.contains("xx ... xx"));
        assert!(shown.contains("x to\n  = help: yy") && shown.len() < 2_100);
    }

    #[test]
    fn columns_count_characters_and_control_characters_are_replaced() {
        assert_eq!(report("äö\u{1b}?", 5..6), "error: no\n  |\n  | äö\u{fffd}?\n  |    ^\n");
        // A place inside a character is moved to its start and does not panic.
        assert_eq!(report("äö", 1..9), "error: no\n  |\n  | äö\n  | ^^\n");
    }
}

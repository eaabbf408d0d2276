//! [`Problems`]: all that keeps a program from being read, each with its place.

use std::fmt::{self, Write as _};
use std::ops::Range;

use crate::report::remedy::remedy;

/// The number of characters of a source line that are shown; longer lines are cut around the place.
const LINE_WIDTH: usize = 96;

/// The number of characters of a message that are shown.
const MAX_MESSAGE: usize = 1_000;

/// The number of problems that are kept; of any others only the number is.
pub(crate) const MAX_PROBLEMS: usize = 1_000;

/// The kind of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ProblemKind {
    /// The text is not MLIR, or an operation is not written as StableHLO writes it.
    Syntax,
    /// A constraint of StableHLO's specification is broken.
    Rule,
    /// The program may be right, but has something that is not implemented here.
    Unsupported,
}

/// A problem with its place, before lines and columns are known.
#[derive(Debug, Clone)]
pub(crate) struct Finding {
    pub(crate) kind: ProblemKind,
    pub(crate) operation: Option<String>,
    pub(crate) rule: Option<String>,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
    /// The place in the source that the program was made from.
    pub(crate) origin: Option<String>,
    pub(crate) span: Range<usize>,
}

impl Finding {
    fn new(kind: ProblemKind, span: Range<usize>, message: impl Into<String>) -> Box<Self> {
        let message = message.into();
        let (operation, rule, help, origin) = (None, None, None, None);
        Box::new(Self { kind, operation, rule, message, help, origin, span })
    }

    /// Returns an error in the syntax.
    pub(crate) fn syntax(span: Range<usize>, message: impl Into<String>) -> Box<Self> {
        Self::new(ProblemKind::Syntax, span, message)
    }

    /// Returns a broken constraint of an operation, such as `C2` of `stablehlo.reduce`. Operations
    /// without constraints in the specification get no label, and an empty constraint is none either.
    pub(crate) fn rule(
        (operation, span): (&str, Range<usize>),
        constraint: &str,
        message: impl Into<String>,
    ) -> Box<Self> {
        let (dialect, mnemonic) = operation.rsplit_once('.').unwrap_or(("func", operation));
        let has_labels = matches!(dialect, "stablehlo" | "mhlo")
            && !matches!(mnemonic, "broadcast" | "custom_call" | "dot");
        let mut finding = Self::new(ProblemKind::Rule, span, message);
        finding.operation = Some(operation.to_owned());
        finding.rule = Some(match constraint {
            label if has_labels && !label.is_empty() => format!("{mnemonic} ({label})"),
            _ => mnemonic.to_owned(),
        });
        finding
    }

    /// Returns a refusal of something that is not implemented.
    pub(crate) fn unsupported(
        (operation, span): (&str, Range<usize>),
        message: impl Into<String>,
    ) -> Box<Self> {
        let mut finding = Self::new(ProblemKind::Unsupported, span, message);
        finding.operation = Some(operation.to_owned());
        finding
    }

    /// Adds what to do about it.
    pub(crate) fn help(mut self: Box<Self>, help: impl Into<String>) -> Box<Self> {
        self.help = Some(help.into());
        self
    }

    /// Sets the operation, unless it is set already.
    pub(crate) fn of(mut self: Box<Self>, operation: &str) -> Box<Self> {
        self.operation.get_or_insert_with(|| operation.to_owned());
        self
    }
}

/// One reason for which a program is refused.
///
/// ```
/// use indim_stablehlo::{Module, ProblemKind};
///
/// let text = "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
///   %0 = stablehlo.sort %x : tensor<3xf32>
///   return %0 : tensor<3xf32>
/// }";
/// let problems = Module::parse("sort.mlir", text)?.program("main").unwrap_err();
/// let problem = &problems.problems()[0];
/// assert_eq!(problem.kind(), ProblemKind::Unsupported);
/// assert_eq!((problem.line(), problem.column()), (2, 8));
/// assert_eq!(problem.operation(), Some("stablehlo.sort"));
/// # Ok::<(), indim_stablehlo::Problems>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    kind: ProblemKind,
    operation: Option<String>,
    rule: Option<String>,
    message: String,
    help: String,
    origin: Option<String>,
    line: usize,
    column: usize,
    excerpt: String,
}

impl Problem {
    /// Returns the kind.
    ///
    /// ```
    /// use indim_stablehlo::{Module, ProblemKind};
    ///
    /// let problems = Module::parse("empty.mlir", "func.func").unwrap_err();
    /// assert_eq!(problems.problems()[0].kind(), ProblemKind::Syntax);
    /// ```
    pub fn kind(&self) -> ProblemKind {
        self.kind
    }

    /// Returns the name of the operation, such as `stablehlo.reduce`.
    ///
    /// ```
    /// # let problems = indim_stablehlo::Module::parse("empty.mlir", "func.func").unwrap_err();
    /// assert_eq!(problems.problems()[0].operation(), None);
    /// ```
    pub fn operation(&self) -> Option<&str> {
        self.operation.as_deref()
    }

    /// Returns the broken constraint by its name in the specification, such as `reduce (C2)`; the
    /// operation alone, such as `dot`, where the specification has no label for it.
    ///
    /// ```
    /// let text = "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
    ///   %0 = stablehlo.reverse %x, dims = [1] : tensor<3xf32>
    ///   return %0 : tensor<3xf32>
    /// }";
    /// let module = indim_stablehlo::Module::parse("reverse.mlir", text)?;
    /// let problems = module.program("main").unwrap_err();
    /// assert_eq!(problems.problems()[0].rule(), Some("reverse (C3)"));
    /// # Ok::<(), indim_stablehlo::Problems>(())
    /// ```
    pub fn rule(&self) -> Option<&str> {
        self.rule.as_deref()
    }

    /// Returns what is wrong.
    ///
    /// ```
    /// let problems = indim_stablehlo::Module::parse("empty.mlir", "func.func").unwrap_err();
    /// assert!(problems.problems()[0].message().contains("expected"));
    /// ```
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns what to do about it.
    ///
    /// ```
    /// let problems = indim_stablehlo::Module::parse("empty.mlir", "").unwrap_err();
    /// assert!(problems.problems()[0].help().contains("jax.jit(f).lower(...)"));
    /// ```
    pub fn help(&self) -> &str {
        &self.help
    }

    /// Returns the line, counted from 1.
    ///
    /// ```
    /// let problems = indim_stablehlo::Module::parse("empty.mlir", "\n\nfunc.func").unwrap_err();
    /// assert_eq!(problems.problems()[0].line(), 3);
    /// ```
    pub fn line(&self) -> usize {
        self.line
    }

    /// Returns the column, counted in characters from 1.
    ///
    /// ```
    /// let problems = indim_stablehlo::Module::parse("empty.mlir", "  ?").unwrap_err();
    /// assert_eq!(problems.problems()[0].column(), 3);
    /// ```
    pub fn column(&self) -> usize {
        self.column
    }

    /// Returns the place in the source that the program was made from, with the operation there, if
    /// `loc` has it.
    ///
    /// ```
    /// let text = "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
    ///   %0 = stablehlo.sort %x : tensor<3xf32> loc(\"jit(f)/sort\"(#loc1))
    ///   return %0 : tensor<3xf32>
    /// }
    /// #loc1 = loc(\"f.py\":7:11)";
    /// let module = indim_stablehlo::Module::parse("f.mlir", text)?;
    /// let problems = module.program("main").unwrap_err();
    /// assert_eq!(problems.problems()[0].origin(), Some("f.py:7:11, jit(f)/sort"));
    /// # Ok::<(), indim_stablehlo::Problems>(())
    /// ```
    pub fn origin(&self) -> Option<&str> {
        self.origin.as_deref()
    }

    /// Returns the line, and the place in the source that the program was made from.
    fn line_with_origin(&self) -> String {
        let origin = self.origin.as_ref().map(|origin| format!(" ({origin})"));
        format!("{}{}", self.line, origin.unwrap_or_default())
    }

    /// Returns the first line of its report.
    fn headline(&self) -> String {
        let about = self.rule.as_deref().or(self.operation.as_deref());
        match about {
            Some(about) => format!("{about}: {}", self.message),
            None => self.message.clone(),
        }
    }
}

/// All problems found in a program, in the order of its text. Its text shows each line with a mark;
/// equal refusals are shown once, with the other lines.
///
/// ```
/// let problems = indim_stablehlo::Module::parse("x.mlir", "func.func @main() -> ? {}").unwrap_err();
/// let shown = problems.to_string();
/// assert!(shown.starts_with("error: expected a type, found `?`"), "{shown}");
/// assert!(shown.contains(" --> x.mlir:1:22"), "{shown}");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Problems {
    name: String,
    problems: Vec<Problem>,
    more: usize,
}

impl Problems {
    /// Returns the problems of a text with this name.
    pub(crate) fn new(name: &str, text: &str, mut findings: Vec<Finding>) -> Self {
        findings.sort_by_key(|finding| finding.span.start);
        let more = findings.len().saturating_sub(MAX_PROBLEMS);
        findings.truncate(MAX_PROBLEMS);
        let starts: Vec<usize> =
            std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let problem = |finding| placed(text, &starts, finding);
        Self { name: name.to_owned(), problems: findings.into_iter().map(problem).collect(), more }
    }

    /// Returns the problems.
    ///
    /// ```
    /// let problems = indim_stablehlo::Module::parse("empty.mlir", "").unwrap_err();
    /// assert_eq!(problems.problems().len(), 1);
    /// ```
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = vec![false; self.problems.len()];
        for (index, problem) in self.problems.iter().enumerate() {
            if shown[index] {
                continue;
            }
            let headline = problem.headline();
            let mut lines = Vec::new();
            // Rules are broken in different ways; a missing operation is missing everywhere.
            if problem.kind == ProblemKind::Unsupported {
                for (other, shown) in self.problems.iter().zip(&mut shown).skip(index + 1) {
                    if other.kind == problem.kind && other.headline() == headline {
                        *shown = true;
                        lines.push(other.line_with_origin());
                    }
                }
            }
            writeln!(f, "error: {}", shorten(&headline))?;
            writeln!(f, " --> {}:{}:{}", self.name, problem.line, problem.column)?;
            f.write_str(&problem.excerpt)?;
            if let Some(origin) = &problem.origin {
                writeln!(f, "  = from: {}", shorten(origin))?;
            }
            if !lines.is_empty() {
                writeln!(f, "  = also: line {}", shorten(&lines.join(", ")))?;
            }
            writeln!(f, "  = help: {}", shorten(&problem.help))?;
        }
        match self.more {
            0 => Ok(()),
            more => writeln!(f, "error: {more} more problems are not shown"),
        }
    }
}

/// The text, so that `main` and `unwrap` show it.
impl fmt::Debug for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Problems {}

/// Returns a problem with its line, column and excerpt; `starts` are the starts of the lines.
fn placed(text: &str, starts: &[usize], finding: Finding) -> Problem {
    let at = floor_boundary(text, finding.span.start);
    let line = starts.partition_point(|&start| start <= at).max(1);
    let start = starts[line - 1];
    let end = text[at..].find('\n').map_or(text.len(), |found| at + found);
    let until = floor_boundary(text, finding.span.end.clamp(at, end));
    let column = text[start..at].chars().count();
    let excerpt = excerpt(&text[start..end], column, text[at..until].chars().count());
    let Finding { kind, operation, rule, message, help, origin, .. } = finding;
    let is_unsupported = kind == ProblemKind::Unsupported;
    let of_kind = || remedy(is_unsupported, operation.as_deref(), rule.as_deref(), &message);
    let help = help.unwrap_or_else(of_kind);
    Problem { kind, operation, rule, message, help, origin, line, column: column + 1, excerpt }
}

/// Draws a line with a mark below `width` characters from `column` on.
fn excerpt(line: &str, column: usize, width: usize) -> String {
    let first = column.saturating_sub(LINE_WIDTH / 3);
    let first = if column + width < LINE_WIDTH { 0 } else { first };
    let mut shown: String = line.chars().skip(first).take(LINE_WIDTH).map(printable).collect();
    let (mut head, mut mark) = ("", column - first);
    if first > 0 {
        (head, mark) = ("...", mark + 3);
    }
    if line.chars().nth(first + LINE_WIDTH).is_some() {
        shown.push_str("...");
    }
    let width = width.clamp(1, LINE_WIDTH.saturating_sub(column - first).max(1));
    let mut drawn = format!("  |\n  | {head}{}\n", shown.trim_end());
    let _ = writeln!(drawn, "  | {}{}", " ".repeat(mark), "^".repeat(width));
    drawn
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

/// Shortens a long sentence in the middle, and replaces what does not print.
fn shorten(sentence: &str) -> String {
    let count = sentence.chars().count();
    if count <= MAX_MESSAGE {
        return sentence.chars().map(printable).collect();
    }
    let (head, tail) = (MAX_MESSAGE / 2, count - MAX_MESSAGE / 2);
    let parts = sentence.chars().take(head).chain(" ... ".chars());
    parts.chain(sentence.chars().skip(tail)).map(printable).collect()
}

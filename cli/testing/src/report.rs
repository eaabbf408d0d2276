//! Checks the properties that every answer of the command must have.

use indim_cli::Outcome;

/// The answer of a command of which any input is right or wrong, but none is misuse: done, with
/// nothing but notes, or one report.
pub fn checked(outcome: &Outcome) -> Result<(), String> {
    printable(&outcome.stderr)?;
    match outcome.code {
        0 => {
            printable(&outcome.stdout)?;
            let note = |line: &str| line.starts_with("warning: ") || line.starts_with("note: ");
            match outcome.stderr.lines().find(|line| !note(line)) {
                Some(line) => Err(format!("done, and yet it says {line:?}")),
                None => Ok(()),
            }
        }
        1 if outcome.stdout.is_empty() => excerpt(&outcome.stderr).map(drop),
        code => Err(format!("exit code {code}: {outcome:?}")),
    }
}

/// Nothing that drives a terminal.
pub fn printable(text: &str) -> Result<(), String> {
    match text.chars().find(|&c| c.is_control() && c != '\n') {
        Some(c) => Err(format!("{c:?} is in {text:?}")),
        None => Ok(()),
    }
}

/// The line of a user's text that a report shows, without the dots of one that is cut; none if
/// the report points nowhere.
pub fn excerpt(report: &str) -> Result<Option<String>, String> {
    let wrong = |why: &str| Err(format!("{why} in the report\n{report}"));
    let Some(rest) = report.strip_prefix("error: ").filter(|rest| rest.ends_with('\n')) else {
        return wrong("no error");
    };
    let mut lines = rest.lines().skip(1).peekable();
    let placed = lines.next_if(|line| line.starts_with(" --> ")).is_some();
    let mut shown = None;
    if lines.next_if(|line| *line == "  |").is_some() {
        let (line, carets) = (lines.next().unwrap_or(""), lines.next().unwrap_or(""));
        let (Some(line), Some(carets)) = (line.strip_prefix("  | "), carets.strip_prefix("  | "))
        else {
            return wrong("half an excerpt");
        };
        let marked = carets.trim_start();
        if marked.is_empty() || marked.chars().any(|c| c != '^') {
            return wrong("no carets");
        }
        // Something missing is reported one column after the end.
        if carets.chars().count() > line.chars().count() + 1 {
            return wrong("carets beyond the line");
        }
        let line = line.strip_prefix("...").filter(|_| placed).unwrap_or(line);
        let line = line.strip_suffix("...").filter(|_| placed).unwrap_or(line);
        shown = Some(line.to_owned());
    } else if placed {
        return wrong("a place without its line");
    }
    let help = lines.next();
    if help.is_some_and(|line| !line.starts_with("  = help: ")) || lines.next().is_some() {
        return wrong("more lines than a report has");
    }
    Ok(shown)
}

/// The text as excerpts show it.
pub fn shown(text: &str) -> String {
    let shown = |c: char| match c {
        '\n' => '\n',
        '\t' => ' ',
        c if c.is_control() => char::REPLACEMENT_CHARACTER,
        c => c,
    };
    text.chars().map(shown).collect()
}

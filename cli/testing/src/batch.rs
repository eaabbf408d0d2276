//! Checks `indim batch` on lines of any text: each has the answer that `indim eval` gives it alone,
//! and a wrong line does not affect the next.

use indim_cli::Session;

use crate::report;
use crate::soup;
use crate::text;
use indim_testing::random::Random;

pub fn check(session: &mut Session, random: &mut Random) -> Result<(), String> {
    let operands = text::operands();
    let mut lines = Vec::new();
    for _ in 0..=random.below(4) {
        let any = match random.below(8) {
            0 => ["", "  # nothing", "y = x", "x = x + 1"][random.below(4)].to_owned(),
            _ => soup::expression(random),
        };
        // `eval` takes a first letter for an option or a file's name, and an argument ends at a NUL.
        for line in any.replace('\0', " ").split('\n').map(|line| format!(" {line}")) {
            let question = ["explain".to_owned(), line.clone()];
            let explained = session.run(question.into_iter().chain(operands.iter().cloned()));
            if explained.code != 0 || text::is_small(&explained) {
                lines.push(line);
            }
        }
    }
    let all = lines.join("\n");
    answered(session, &operands, &lines).map_err(|why| format!("{why}\nof the lines {all:?}"))
}

/// The answers are those of the lines one by one, up to the first line that may name its result:
/// after that, `eval` cannot resolve the names.
fn answered(session: &mut Session, operands: &[String], lines: &[String]) -> Result<(), String> {
    let outcome = session.batch(operands, lines.join("\n").as_bytes());
    report::printable(&outcome.stdout)?;
    report::printable(&outcome.stderr)?;
    let is_blank = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
    let (mut answers, mut computed, mut failed) = (String::new(), 0, 0);
    for line in lines.iter().filter(|line| !is_blank(line)) {
        let question = ["eval".to_owned(), line.clone()];
        let alone = session.run(question.into_iter().chain(operands.iter().cloned()));
        computed += 1;
        failed += usize::from(alone.code != 0);
        answers += &alone.stdout;
        if alone.code == 0 && line.contains('=') {
            return if outcome.stdout.starts_with(&answers) {
                Ok(())
            } else {
                Err(format!("{outcome:?} does not begin with {answers:?}"))
            };
        }
    }
    let last = match failed {
        0 => String::new(),
        _ => format!("error: lines that failed: {failed} of {computed}\n"),
    };
    let code = i32::from(failed > 0);
    if outcome.code == code && outcome.stdout == answers && outcome.stderr.ends_with(&last) {
        Ok(())
    } else {
        Err(format!("{outcome:?} is not {code}, {answers:?} and {last:?}"))
    }
}

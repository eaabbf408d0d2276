//! Expands a floor kernel's template: adds constants at the top, and unrolls repeated lines.
//!
//! Lines between `//@ repeat NAME` and `//@ end` are repeated as often as the constant NAME says.
//! In them, `$k` is the number of the repetition, `$q` that of its quad, `$c` the component. Loops
//! are unrolled because a checked module counts the iterations of the remaining ones.

use std::fmt::Write as _;

/// A constant of a kernel.
pub(crate) type Constant = (&'static str, usize);

/// Returns the template with its constants, and `prelude` between them.
pub(crate) fn text(constants: &[Constant], prelude: &str, template: &str) -> String {
    let mut out = String::new();
    for (name, value) in constants {
        let _ = writeln!(out, "const {name} = {value}u;");
    }
    out.push_str(prelude);
    let mut repeated: Option<(usize, String)> = None;
    for line in template.lines() {
        let directive = line.trim_start().strip_prefix("//@ ");
        match (directive.map(|d| d.split_once(' ')), &mut repeated) {
            (Some(Some(("repeat", name))), _) => {
                let found = constants.iter().find(|(constant, _)| *constant == name);
                repeated = Some((found.map_or(0, |(_, value)| *value), String::new()));
            }
            (Some(_), _) => {
                let (times, lines) = repeated.take().unwrap_or_default();
                (0..times).for_each(|k| out.push_str(&turn(&lines, k)));
            }
            (None, Some((_, lines))) => {
                lines.push_str(line);
                lines.push('\n');
            }
            (None, None) => {
                out.push_str(line);
                out.push('\n');
            }
        }
    }
    out
}

fn turn(lines: &str, k: usize) -> String {
    lines
        .replace("$k", &k.to_string())
        .replace("$q", &(k / 4).to_string())
        .replace("$c", ["x", "y", "z", "w"][k % 4])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_lines_are_written_out() {
        let template = "a\n  //@ repeat N\n  x$k = v$q.$c;\n  //@ end\nb";
        assert_eq!(
            text(&[("M", 9), ("N", 2)], "p\n", template),
            "const M = 9u;\nconst N = 2u;\np\na\n  x0 = v0.x;\n  x1 = v0.y;\nb\n"
        );
        assert!(turn("v$q.$c", 6).contains("v1.z"));
    }
}

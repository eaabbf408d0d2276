//! The options and help of `indim batch`.

use clap::Args;

use crate::commands::language::{Settings, language};
use crate::operand::parse::Argument;
use crate::operand::word::split_name;

#[derive(Debug, Args)]
pub(crate) struct Batch {
    /// The operands of all lines, each a literal, a path to a .npy or .npz file, or a fill such as
    /// iota:2x3
    #[arg(value_name = "NAME=ARRAY", value_parser = argument)]
    pub(crate) operands: Vec<Argument>,
    #[command(flatten)]
    pub(crate) settings: Settings,
    /// Print each result as an object of JSON in a line, with all elements in row-major order and the
    /// number of its line, and an error as one on the standard output and the standard error
    #[arg(long)]
    pub(crate) json: bool,
    /// Compute on an adapter whose name contains this, in any case; see `indim adapters`
    #[arg(long, value_name = "NAME")]
    pub(crate) adapter: Option<String>,
}

/// Parses an operand. EXPRs come from the lines of the standard input.
fn argument(text: &str) -> Result<Argument, String> {
    let Some((name, array)) = split_name(text) else {
        return Err("an operand is written NAME=ARRAY, such as x=[1,2], and an EXPR stands in a line of the standard input".to_owned());
    };
    Ok(Argument { name: name.to_owned(), array: array.to_owned() })
}

pub(crate) fn batch_help() -> String {
    language()
        + "
Each line is an EXPR, and its result is printed as `indim eval` prints it, before the next line is
read. A line 'y = x + 1' also makes y an array for the lines behind it: it stays on the device, and
takes the place of the array that had this name. Empty lines and comments are skipped. The operands
are uploaded once, before the first line.

A line that is wrong prints its error, with its number, and the next one goes on; the exit status is
1 then. A line has at most 1 MiB.

Example:
  printf 'm = 0.9*m + 0.1*g\\nsqrt(m)\\n' | indim batch m=m.npy g=g.npy
"
}

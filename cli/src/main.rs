//! The `indim` command; see the library for what it does.

use std::process::ExitCode;

fn main() -> ExitCode {
    indim_cli::main()
}

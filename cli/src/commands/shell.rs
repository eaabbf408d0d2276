//! Prints completions for shells, and man pages.

use clap::CommandFactory as _;
use clap_complete::Shell;
use clap_mangen::Man;
use indim_expr::{Diagnostic, Result, nearest};

use crate::commands::args::Cli;

/// Returns the completion script for a shell.
pub(crate) fn completions(shell: Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "indim", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

/// Returns the man page of the command, or of one of its subcommands, in roff.
pub(crate) fn man(of: Option<&str>) -> Result<String> {
    let mut all = Cli::command();
    // This names the subcommands' pages `indim-eval`, and their usage `indim eval`.
    all.build();
    let command = match of {
        None => all,
        Some(name) => match all.find_subcommand(name) {
            Some(one) => one.clone(),
            None => return Err(unknown(&all, name)),
        },
    };
    let mut page = Vec::new();
    Man::new(command)
        .render(&mut page)
        .map_err(|e| Diagnostic::new(format!("cannot make the man page: {e}")))?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}

fn unknown(all: &clap::Command, name: &str) -> Box<Diagnostic> {
    let known = || all.get_subcommands().map(clap::Command::get_name);
    let help = match nearest(name, known()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the commands are {}", known().collect::<Vec<_>>().join(", ")),
    };
    Diagnostic::new(format!("no command is named `{name}`")).help(help)
}

//! Tests the completions and man pages, which are generated from the command's help.
use std::process::{Command, Stdio};

use crate::common::{Scratch, command, error, indim, outcome};

const COMMANDS: [&str; 8] =
    ["eval", "batch", "explain", "adapters", "ops", "bench", "completions", "man"];

fn printed(args: &[&str]) -> String {
    let outcome = indim(args);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""), "{args:?}");
    outcome.stdout
}

#[test]
fn every_shell_completes_every_command() {
    // Each shell refers to subcommands in its own way.
    let shells = [
        ("bash", "indim__subcmd__", "\""),
        ("elvish", "indim;", "'"),
        ("fish", "-f -a \"", "\""),
        ("powershell", "'indim;", "'"),
        ("zsh", "(", ")"),
    ];
    for (shell, before, behind) in shells {
        let script = printed(&["completions", shell]);
        for command in COMMANDS {
            let named = format!("{before}{command}{behind}");
            assert!(script.contains(&named), "{shell}: {named}");
        }
        assert!(script.contains("numpy"), "{shell}");
    }
    let outcome = indim(&["completions", "tcsh"]);
    assert_eq!(outcome.code, Some(2));
    assert!(outcome.stderr.contains("possible values: bash, elvish, fish"), "{}", outcome.stderr);
}

/// Bash itself completes `indim ev`.
#[cfg(unix)]
#[test]
fn bash_completes_a_command_and_an_option() {
    let script = Scratch::with("indim.bash", printed(&["completions", "bash"]));
    let complete = |words: &str, last: usize| {
        let asked = format!(
            "source {}; COMP_WORDS=({words}); COMP_CWORD={last}; _indim indim \"${{COMP_WORDS[{last}]}}\" \"\" 2>/dev/null; echo \"${{COMPREPLY[@]}}\"",
            script.path()
        );
        let output =
            Command::new("bash").args(["-c", &asked]).stdin(Stdio::null()).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(complete("indim ev", 1), "eval\n");
    assert_eq!(complete("indim eval --num", 2), "--numpy\n");
}

#[test]
fn each_command_has_a_man_page() {
    let page = printed(&["man"]);
    assert!(page.contains(".TH indim 1"), "{page}");
    for command in COMMANDS {
        assert!(page.contains(&format!("indim\\-{command}(1)")), "{command}: {page}");
        let one = printed(&["man", command]);
        assert!(one.contains(&format!(".TH indim-{command} 1")), "{one}");
        assert!(one.contains(&format!("\\fBindim {command}\\fR")), "{one}");
    }
    // The pages of commands that read EXPRs describe the language.
    for command in ["eval", "batch", "explain"] {
        let page = printed(&["man", command]);
        assert!(page.contains("select(p, x, y)"), "{page}");
        assert!(page.contains("reduce_sum(x, [1])") && page.contains("axis=\\-1"), "{page}");
    }
    assert_eq!(
        error(&["man", "evall"]),
        "error: no command is named `evall`\n  = help: did you mean `eval`?\n"
    );
}

/// The tests' standard error is not a terminal; `CLICOLOR_FORCE` simulates one.
#[test]
fn reports_are_coloured_unless_no_color_is_set() {
    let plain = "error: unknown name `y`\n  |\n  | y\n  | ^\n  = help: did you mean `xy`?\n";
    let args = ["eval", "y", "xy=1"];
    let run = |variables: &[(&str, &str)]| {
        let mut command = command();
        command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").args(args);
        outcome(command.envs(variables.iter().copied())).stderr
    };
    assert_eq!(run(&[]), plain);
    let coloured = run(&[("CLICOLOR_FORCE", "1")]);
    assert!(
        coloured.starts_with("\x1b[1;31merror:\x1b[0m unknown name `y`\n  |\n"),
        "{coloured:?}"
    );
    assert!(coloured.contains("\n\x1b[1;32m  = help:\x1b[0m "), "{coloured:?}");
    assert_eq!(run(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]), plain);
}

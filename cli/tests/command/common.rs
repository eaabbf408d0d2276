//! Runs the command as a user would.
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The command left this behind.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The command, with an environment in which drivers have nothing to complain about.
pub(crate) fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_indim"));
    // Mesa's EGL writes to the standard error without it.
    command.env("XDG_RUNTIME_DIR", std::env::temp_dir());
    command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data"));
    command
}

/// The command where no GPU is to be found.
pub(crate) fn without_gpu() -> Command {
    let mut command = command();
    command.env("WGPU_BACKEND", "vulkan");
    command.env("VK_DRIVER_FILES", "/nowhere.json").env("VK_ICD_FILENAMES", "/nowhere.json");
    command
}

pub(crate) fn outcome(command: &mut Command) -> Outcome {
    let output = command.output().unwrap();
    Outcome {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

pub(crate) fn indim(args: &[&str]) -> Outcome {
    outcome(command().args(args))
}

/// Runs with this on the standard input.
pub(crate) fn with_stdin(args: &[&str], input: &str) -> Outcome {
    let mut child = command()
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    Outcome {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Evaluates without a word on the standard error; gives what was printed.
pub(crate) fn eval(args: &[&str]) -> String {
    let outcome = indim(&[&["eval"], args].concat());
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""), "{args:?}");
    outcome.stdout
}

/// The report of a command that fails with exit code 1 and prints nothing.
pub(crate) fn error(args: &[&str]) -> String {
    let outcome = indim(args);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(1), ""), "{args:?}");
    outcome.stderr
}

/// Evaluations and the report that each gives where no GPU is; all end with exit code 1.
pub(crate) fn refused(cases: &[(&[&str], &str)]) {
    for (args, expected) in cases {
        let args = [&["eval"], *args].concat();
        let outcome = outcome(without_gpu().args(&args));
        assert_eq!(outcome.stderr, *expected, "{args:?}");
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(1), ""), "{args:?}");
    }
}

/// A file for one test to write, which is removed again.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    pub(crate) fn new(name: &str) -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Self(std::env::temp_dir().join(format!("indim-{}-{number}-{name}", std::process::id())))
    }

    pub(crate) fn with(name: &str, contents: impl AsRef<[u8]>) -> Self {
        let scratch = Self::new(name);
        std::fs::write(&scratch.0, contents).unwrap();
        scratch
    }

    pub(crate) fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }

    pub(crate) fn at_path(&self) -> String {
        format!("@{}", self.path())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

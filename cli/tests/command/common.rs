//! Runs the command as a user would.
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The outcome of a command.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The command, in an environment in which drivers print no complaints.
pub(crate) fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_indim"));
    // Mesa's EGL writes to the standard error without it.
    command.env("XDG_RUNTIME_DIR", std::env::temp_dir());
    command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data"));
    command
}

/// The command without any GPU to find.
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

/// Runs with this standard input.
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

/// Runs the command without a GPU and with at most 1 GiB of address space; it is killed if it
/// requests more.
#[cfg(target_os = "linux")]
pub(crate) fn below_a_gib(args: &[&str]) -> Outcome {
    below_a_gib_by(&without_gpu(), args)
}

/// Runs a command with the same limit on its address space.
#[cfg(target_os = "linux")]
pub(crate) fn below_a_gib_by(command: &Command, args: &[&str]) -> Outcome {
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -v 1048576 && exec \"$0\" \"$@\""]).arg(command.get_program());
    shell.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    outcome(shell.args(args))
}

/// Runs `indim eval` with files limited to 512 KiB for this process, like a full disk; SwiftShader
/// writes less code than that. `runner` runs the command; it is empty or ends with a space.
#[cfg(unix)]
pub(crate) fn on_a_full_disk(runner: &str, args: &[&str]) -> Outcome {
    let mut shell = Command::new("sh");
    let script = format!("trap '' XFSZ; ulimit -f 1024; exec {runner}\"$0\" eval \"$@\"");
    shell.args(["-c", &script]).arg(env!("CARGO_BIN_EXE_indim")).args(args);
    outcome(shell.env("XDG_RUNTIME_DIR", std::env::temp_dir()))
}

/// Evaluates with an empty standard error, and returns the standard output.
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

/// Evaluations without a GPU, and the report of each; all end with exit code 1.
pub(crate) fn refused(cases: &[(&[&str], &str)]) {
    for (args, expected) in cases {
        let args = [&["eval"], *args].concat();
        let outcome = outcome(without_gpu().args(&args));
        assert_eq!(outcome.stderr, *expected, "{args:?}");
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(1), ""), "{args:?}");
    }
}

/// A file for one test to write, removed on drop.
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

/// A folder for one test, removed on drop.
pub(crate) struct Folder(pub(crate) Scratch);

impl Folder {
    pub(crate) fn new() -> Self {
        let folder = Scratch::new("folder");
        std::fs::create_dir(&folder.0).unwrap();
        Self(folder)
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.0.0.join(name).to_str().unwrap().to_owned()
    }

    /// The number of files in it.
    pub(crate) fn count(&self) -> usize {
        std::fs::read_dir(&self.0.0).unwrap().count()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0.0);
    }
}

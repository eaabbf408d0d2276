//! Runs a test in a separate process, and makes tests fail instead of hanging.

use std::io::Write as _;
use std::process::Command;
use std::sync::{LazyLock, mpsc};
use std::time::{Duration, Instant};

/// Fails instead of hanging.
#[track_caller]
pub fn at_once<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || sender.send(work()));
    match receiver.recv_timeout(Duration::from_secs(300)) {
        Ok(answer) => answer,
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("it hangs"),
        Err(mpsc::RecvTimeoutError::Disconnected) => panic!("it failed, as told above"),
    }
}

/// Returns true in a process started for the test. Elsewhere it runs the test of this name in such
/// a process, limited to `most_kib` KiB of address space, and returns false once it has passed.
pub fn alone(test: &str, most_kib: Option<u32>) -> bool {
    const CHILD: &str = "INDIM_TEST_ALONE";
    if std::env::var_os(CHILD).is_some() {
        return true;
    }
    let this = std::env::current_exe().unwrap_or_else(|error| panic!("{error}"));
    let mut command = match most_kib {
        Some(kib) => {
            let mut shell = Command::new("sh");
            shell.args(["-c", &format!("ulimit -v {kib} && exec \"$0\" \"$@\"")]).arg(this);
            shell
        }
        None => Command::new(this),
    };
    command.args(["--exact", test, "--nocapture", "--include-ignored"]).env(CHILD, "1");
    let output = command.output().unwrap_or_else(|error| panic!("{error}"));
    let said = String::from_utf8_lossy(&output.stdout);
    if std::env::var_os("VK_INSTANCE_LAYERS").is_some() {
        // Vulkan's layers write there, and no test's capture may hide their messages.
        let written = std::io::stdout().write_all(&output.stdout);
        assert!(written.is_ok(), "stdout cannot be written");
    } else {
        print!("{said}");
    }
    assert!(output.status.success() && said.contains("1 passed"), "{output:?}");
    false
}

/// Returns the seconds for which processors have run this process, which other processes do not
/// lengthen; off Linux, how long the process has run since this was first called.
pub fn processor_seconds() -> f64 {
    static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
    let since = || BEGIN.elapsed().as_secs_f64();
    let Ok(stat) = std::fs::read_to_string("/proc/self/stat") else { return since() };
    // The name of the process, in parentheses, may have spaces.
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: Vec<f64> = fields.skip(11).take(2).filter_map(|ticks| ticks.parse().ok()).collect();
    if ticks.len() == 2 { (ticks[0] + ticks[1]) / 100.0 } else { since() }
}

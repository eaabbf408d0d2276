//! indim's benchmark patterns, run by burn on wgpu: `indim-peers-burn [PATTERN...] [--elements N]`.
//!
//! One JSON line a pattern on stdout. Each pattern runs in a process of its own, so that one that
//! burn cannot run leaves an entry with `error` and does not affect the others.

mod map;
mod measure;
mod operand;
mod patterns;
mod programs;

use std::io::Read;
use std::process::{Command, ExitCode, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use burn::tensor::Device;
use burn::tensor::wgpu::wgpu;
use measure::Bench;
use serde_json::{Value, json};

/// The adapter is the one that burn's default device takes: a GPU before a software adapter, Vulkan
/// before OpenGL. `CUBECL_WGPU_DEFAULT_DEVICE` chooses another.
const USAGE: &str =
    "usage: indim-peers-burn [PATTERN...] [--elements N] [--repeat N] [--timeout SECONDS]
  --elements N       elements of a result, but for the patterns of latency (4194304;
                     16777216 for outer, outer_chain and rank5, 67108864 for big; of dot and
                     dot_tall, the products: 134217728 and 16777216)
  --repeat N         evaluations for each wait (1 on a software adapter, 20 on others;
                     always 1 for small, batch100, batch100_expr and new_shapes)
  --timeout SECONDS  for each pattern (300)
usage: indim-peers-burn --map FUNCTION < operands > results
  for indim-accuracy --peer, see src/map.rs";

const LIBRARY: &str = if cfg!(feature = "fusion") { "burn-fusion" } else { "burn" };

struct Options {
    patterns: Vec<String>,
    elements: Option<usize>,
    repeat: Option<usize>,
    timeout: Duration,
    /// Given by this program to itself.
    child: bool,
}

/// The patterns, in the order of every table.
fn names() -> impl Iterator<Item = &'static str> {
    patterns::NAMES.into_iter().chain(programs::NAMES)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [mode, name] = arguments.as_slice()
        && mode == "--map"
    {
        return match map::map(name) {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::from(map::NO_FUNCTION),
            Err(message) => {
                eprintln!("{message}");
                ExitCode::FAILURE
            }
        };
    }
    let options = match parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("{message}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    if options.child {
        return match measure(&options) {
            Ok(line) => {
                println!("{line}");
                ExitCode::SUCCESS
            }
            Err(message) => {
                eprintln!("{message}");
                ExitCode::FAILURE
            }
        };
    }
    for pattern in &options.patterns {
        let line = run_child(pattern, &options).unwrap_or_else(|error| {
            json!({"library": LIBRARY, "version": version("burn"), "pattern": pattern,
                "elements": patterns::elements(pattern, options.elements), "error": error})
        });
        match (&line["median_ms"], &line["error"]) {
            (Value::Number(median), _) => eprintln!("{LIBRARY} {pattern}: {median} ms"),
            (_, error) => eprintln!("{LIBRARY} {pattern}: {error}"),
        }
        println!("{line}");
    }
    ExitCode::SUCCESS
}

fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut options = Options {
        patterns: Vec::new(),
        elements: None,
        repeat: None,
        timeout: Duration::from_secs(300),
        child: false,
    };
    while let Some(argument) = arguments.next() {
        let mut number = || {
            let value = arguments
                .next()
                .and_then(|value| value.parse().ok())
                .filter(|&value: &u32| value > 0);
            value.ok_or(format!("{argument} takes a number above zero"))
        };
        match argument.as_str() {
            "--elements" => options.elements = Some(number()? as usize),
            "--repeat" => options.repeat = Some(number()? as usize),
            "--timeout" => options.timeout = Duration::from_secs(number()?.into()),
            "--child" => options.child = true,
            name if names().any(|known| known == name) => options.patterns.push(argument),
            _ => return Err(format!("neither an option nor a pattern: {argument}")),
        }
    }
    if options.patterns.is_empty() {
        options.patterns = names().map(String::from).collect();
    }
    Ok(options)
}

/// Measures the one pattern of a child, and gives its line.
fn measure(options: &Options) -> Result<Value, String> {
    let (device, setup) =
        Device::wgpu_options().init_with_setup().map_err(|error| error.to_string())?;
    let info = setup.adapter.get_info();
    let software = info.device_type == wgpu::DeviceType::Cpu;
    let repeat = options.repeat.unwrap_or(if software { 1 } else { 20 });
    let bench = Bench { device, repeat };
    let pattern = &options.patterns[0];
    let elements = patterns::elements(pattern, options.elements);
    let measured = bench.run(pattern, elements)?;
    Ok(json!({
        "library": LIBRARY,
        "version": version("burn"),
        "cubecl": version("cubecl"),
        "wgpu": version("wgpu"),
        "pattern": pattern,
        "adapter": info.name,
        "backend": info.backend.to_string(),
        "driver": info.driver_info,
        "elements": elements,
        "result_elements": measured.result_elements,
        "bytes": measured.bytes,
        "median_ms": rounded(measured.median_ms),
        "min_ms": rounded(measured.min_ms),
        "samples": measured.samples,
        "clock": clock(measured.repeat),
    }))
}

fn clock(repeat: usize) -> String {
    match repeat {
        1 => "wall, one evaluation and a wait".into(),
        _ => format!("wall, {repeat} evaluations and a wait"),
    }
}

/// To a nanosecond.
fn rounded(ms: f64) -> f64 {
    (ms * 1e6).round() / 1e6
}

/// The version of a crate that this program was built with.
fn version(name: &str) -> &'static str {
    let entry = format!("name = \"{name}\"\nversion = \"");
    let lock = include_str!("../Cargo.lock");
    lock.split_once(&entry).and_then(|(_, rest)| rest.split('"').next()).unwrap_or("unknown")
}

/// Runs this program for one pattern; the error is its last message.
fn run_child(pattern: &str, options: &Options) -> Result<Value, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    command.args(["--child", pattern]);
    if let Some(elements) = options.elements {
        command.args(["--elements", &elements.to_string()]);
    }
    if let Some(repeat) = options.repeat {
        command.args(["--repeat", &repeat.to_string()]);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    // Both at once, so that neither pipe fills up.
    let stdout = child.stdout.take().map(|pipe| thread::spawn(|| read(pipe)));
    let stderr = child.stderr.take().map(|pipe| thread::spawn(|| read(pipe)));

    let begin = Instant::now();
    let status = loop {
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) => break status,
            None if begin.elapsed() > options.timeout => {
                child.kill().map_err(|error| error.to_string())?;
                child.wait().map_err(|error| error.to_string())?;
                return Err(format!("no result after {} s", options.timeout.as_secs()));
            }
            None => thread::sleep(Duration::from_millis(20)),
        }
    };
    let text =
        |reader: Option<thread::JoinHandle<String>>| reader.and_then(|reader| reader.join().ok());
    let (stdout, stderr) = (text(stdout).unwrap_or_default(), text(stderr).unwrap_or_default());
    let line = stdout.lines().last().and_then(|line| serde_json::from_str(line).ok());
    line.ok_or_else(|| format!("{status}: {}", reason(&stderr)))
}

fn read(mut pipe: impl Read) -> String {
    let mut bytes = Vec::new();
    // The output before an error is kept.
    let _ = pipe.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The message of the first panic, or else all output, on one line.
fn reason(stderr: &str) -> String {
    let panic = stderr.lines().skip_while(|line| !line.contains("panicked at")).nth(1);
    let said = || {
        let lines = stderr.lines().map(str::trim);
        // burn's errors come with headings and without backtraces.
        let lines = lines.filter(|line| !line.is_empty() && !line.ends_with(':'));
        lines.filter(|line| *line != "No backtrace available").collect::<Vec<_>>().join("; ")
    };
    panic.map_or_else(said, String::from).chars().take(400).collect()
}

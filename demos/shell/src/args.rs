//! The command line.

use std::path::PathBuf;
use std::process::ExitCode;

use crate::{Demo, Result, headless, window};

/// Shows the demo in a window, or, with `--frames N --out DIR`, draws N frames without one. Prints
/// an error, and returns the program's exit status.
pub fn run<D: Demo>() -> ExitCode {
    match parse().and_then(|parsed| match parsed.headless {
        Some((count, directory)) => headless::write::<D>(count, &directory),
        None => window::show::<D>(),
    }) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", D::NAME);
            ExitCode::FAILURE
        }
    }
}

/// Returns the arguments that [`run`] does not take itself, such as the path of a photograph.
pub fn rest_of_arguments() -> Vec<String> {
    parse().map(|parsed| parsed.rest).unwrap_or_default()
}

#[derive(Default)]
struct Parsed {
    headless: Option<(u32, PathBuf)>,
    rest: Vec<String>,
}

fn parse() -> Result<Parsed> {
    let (mut frames, mut out, mut rest) = (None, None, Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
        match argument.as_str() {
            "--frames" => frames = Some(value()?.parse().map_err(|e| format!("--frames: {e}"))?),
            "--out" => out = Some(PathBuf::from(value()?)),
            option if option.starts_with("--") => {
                return Err(format!("{option}? Options are --frames N --out DIR").into());
            }
            _ => rest.push(argument),
        }
    }
    match (frames, out) {
        (None, None) => Ok(Parsed { headless: None, rest }),
        (Some(frames), Some(out)) => Ok(Parsed { headless: Some((frames, out)), rest }),
        _ => Err("--frames N and --out DIR come together".into()),
    }
}

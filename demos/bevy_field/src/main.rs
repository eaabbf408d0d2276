//! Shows the field; the pointer takes one charge along. `--frames N --out DIR` draws without a window.

use std::path::Path;

use bevy::app::AppExit;

const HELP: &str = "\
Usage: bevy_field [OPTIONS]

Options:
  --frames N --out DIR  draws N frames without a window, and writes each to DIR as a PNG file
  -h, --help            prints this

In the window, the pointer takes one charge along.";

fn main() -> AppExit {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments[..] {
        [] => return bevy_field::show(),
        ["-h" | "--help"] => {
            println!("{HELP}");
            return AppExit::Success;
        }
        ["--frames", frames, "--out", directory] | ["--out", directory, "--frames", frames] => {
            match frames.parse() {
                Ok(frames) if frames > 0 => bevy_field::write(frames, Path::new(directory)),
                _ => Err(format!("--frames `{frames}`: give a number of frames, 1 or more").into()),
            }
        }
        _ => Err("options are --frames N --out DIR, which come together; see --help".into()),
    };
    match result {
        Ok(()) => AppExit::Success,
        Err(error) => {
            eprintln!("bevy_field: {error}");
            AppExit::error()
        }
    }
}

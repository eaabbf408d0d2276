//! Shows the field; the pointer takes one charge along. `--frames N --out DIR` draws without a window.

use std::path::Path;

use bevy::app::AppExit;

fn main() -> AppExit {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments[..] {
        [] => return bevy_field::show(),
        ["--frames", frames, "--out", directory] | ["--out", directory, "--frames", frames] => {
            match frames.parse() {
                Ok(frames) => bevy_field::write(frames, Path::new(directory)),
                Err(error) => Err(format!("--frames: {error}").into()),
            }
        }
        _ => Err("options are --frames N --out DIR, which come together".into()),
    };
    match result {
        Ok(()) => AppExit::Success,
        Err(error) => {
            eprintln!("bevy_field: {error}");
            AppExit::error()
        }
    }
}

//! Shows a photograph, that of a PNG file if one is named: the mouse exposes.

fn main() -> std::process::ExitCode {
    shell::run::<tonemap::Tonemap>()
}

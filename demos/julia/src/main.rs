//! Shows Julia sets; the wheel zooms, and with the left button the mouse moves the constant.

fn main() -> std::process::ExitCode {
    shell::run::<julia::Julia>()
}

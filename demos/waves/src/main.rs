//! Shows the waves; the left button drops.

fn main() -> std::process::ExitCode {
    shell::run::<waves::Waves>()
}

//! Shows two galaxies that pass through each other; with the left button the mouse attracts them.

fn main() -> std::process::ExitCode {
    shell::run::<nbody::Galaxies>()
}

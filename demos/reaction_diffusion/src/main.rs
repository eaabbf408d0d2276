//! Shows the reaction; the left button adds some of the second substance.

fn main() -> std::process::ExitCode {
    shell::run::<reaction_diffusion::ReactionDiffusion>()
}

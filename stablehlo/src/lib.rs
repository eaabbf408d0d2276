#![doc = include_str!("../README.md")]
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        reason = "a test fails by panicking"
    )
)]

mod judge;
mod lower;
mod module;
mod print;
mod report;
mod syntax;

pub use judge::Difference;
pub use lower::program::{Argument, Check, Checked, Measure, Program};
pub use module::Module;
pub use print::text::{NotInStableHlo, text};
pub use report::problem::{Problem, ProblemKind, Problems};

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

mod lower;
mod report;
mod syntax;

pub use lower::state::{Declared, Given, Lowered};
pub use lower::statements::lower;
pub use report::diagnostic::{Diagnostic, Result, Source, short};
pub use report::shorten::shorten;
pub use report::suggest::nearest;
pub use syntax::lexer::{continues_name, starts_name};
pub use syntax::parsed::Parsed;
pub use syntax::{literal, names, narrow};

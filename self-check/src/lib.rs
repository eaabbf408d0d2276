//! Checks the assumptions about an adapter's arithmetic on which the results of [`indim`] rest.
//!
//! WGSL promises less than XLA does, and drivers differ. The library guards against some of the
//! differences, and assumes that the others do not occur. [`check`] runs the library's own
//! operations on some thousand operands for each assumption, compares the results with the CPU's,
//! and names the first operands that break one.
//!
//! ```no_run
//! let gpu = indim::Context::blocking()?;
//! let check = indim_self_check::check_blocking(&gpu)?;
//! for finding in &check.findings {
//!     println!("{}: {}", finding.assumption, finding.outcome);
//! }
//! assert!(check.holds());
//! # Ok::<(), indim::Error>(())
//! ```
//!
//! `operands` makes operands and `exact_values` lists results that the standard library cannot
//! compute; `assumptions` and `wide` list cases of both, in the form that `case` gives them;
//! `check` runs them and `report` describes the findings.

mod assumptions;
mod case;
mod check;
mod exact_values;
mod operands;
mod report;
mod wide;

#[cfg(not(target_arch = "wasm32"))]
pub use check::check_blocking;
pub use check::{check, check_with_precision};
pub use report::{Counterexample, Finding, Outcome, SelfCheck};

/// The README's code compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

//! The tests share this crate.
//!
//! - [`contexts`] makes every context that a test uses; [`process`] runs a test in its own process.
//! - [`gpu_classes`] lists the limits and features of common GPUs.
//! - [`patterns`] has the patterns of `indim bench`, and [`kernel_cost`] counts what they cost there.
//! - [`host_time`] measures what calls cost the host.
//! - [`not_tested`] is the only way for a test to leave something out.
//! - [`oracle`] gives XLA's result for one element, [`xla`] the element types that it accepts.
//! - [`golden`] reads and judges lines of golden files.
//! - [`programs`] draws random expressions, computes them on the host, and runs them.
//! - [`share`] says how many cases of a long test run.
//! - [`messages`] has refused calls, and what their messages say.
//! - [`operations`] asks a builder for any operation.
//! - [`fast_math`] rewrites kernels as compilers of GPUs rewrite sums.
//! - [`fuzz`] checks random calls of the library; `fuzz/` runs it under a fuzzer.
//!
//! In a browser, only golden lines and random programs are available.

// Blocking functions are left out there, and with them the only use of some imports.
#![cfg_attr(target_arch = "wasm32", allow(unused_imports))]

pub mod compute;
#[cfg(not(target_arch = "wasm32"))]
pub mod contexts;
#[cfg(not(target_arch = "wasm32"))]
pub mod fast_math;
#[cfg(not(target_arch = "wasm32"))]
pub mod fuzz;
pub mod golden;
#[cfg(not(target_arch = "wasm32"))]
pub mod gpu_classes;
pub mod host_array;
#[cfg(not(target_arch = "wasm32"))]
pub mod host_time;
#[cfg(not(target_arch = "wasm32"))]
pub mod kernel_cost;
pub mod messages;
#[cfg(not(target_arch = "wasm32"))]
pub mod not_tested;
pub mod operations;
pub mod oracle;
#[cfg(not(target_arch = "wasm32"))]
pub mod patterns;
#[cfg(not(target_arch = "wasm32"))]
pub mod process;
pub mod programs;
pub mod random;
pub mod samples;
pub mod share;
#[cfg(test)]
mod test_files;
#[cfg(not(target_arch = "wasm32"))]
pub mod workers;
pub mod xla;

#[cfg(not(target_arch = "wasm32"))]
use std::path::Path;

/// Returns the root of the repository.
#[cfg(not(target_arch = "wasm32"))]
pub fn repository() -> &'static Path {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own)
}

//! The tests share this crate.
//!
//! - [`contexts`] makes every context that a test takes, and [`process`] a process of a test's own.
//! - [`gpu_classes`] has what common GPUs give a device.
//! - [`patterns`] has the patterns of `indim bench`, and [`kernel_cost`] counts what they cost there.
//! - [`not_tested`] is the only way for a test to leave something out.
//! - [`oracle`] says what XLA gives for one element, [`xla`] which element types it accepts.
//! - [`golden`] reads and judges lines of golden files.
//! - [`programs`] draws random expressions, computes them on the host, and runs them.
//! - [`operations`] asks a builder for any operation.
//! - [`fast_math`] rewrites kernels as compilers of GPUs rewrite sums.
//! - [`fuzz`] checks random calls of the library and of the command; `fuzz/` runs it under a fuzzer.

pub mod compute;
pub mod contexts;
pub mod fast_math;
pub mod fuzz;
pub mod golden;
pub mod gpu_classes;
pub mod host_array;
pub mod kernel_cost;
pub mod not_tested;
pub mod operations;
pub mod oracle;
pub mod patterns;
pub mod process;
pub mod programs;
pub mod random;
pub mod samples;
#[cfg(test)]
mod test_files;
pub mod workers;
pub mod xla;

use std::path::Path;

/// Returns the root of the repository.
pub fn repository() -> &'static Path {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own)
}

//! Counts this process's allocations with a counting allocator, which includes wgpu and all other
//! crates but not the driver. Each test of this folder runs in a separate process.

#[cfg(target_os = "linux")]
mod functions;
mod instructions;
mod soak;

use std::alloc::System;

use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Returns how many bytes are allocated now.
fn allocated() -> i64 {
    let stats = ALLOCATOR.stats();
    stats.bytes_allocated as i64 - stats.bytes_deallocated as i64
}

//! Counts what this process has allocated, by an allocator that counts: wgpu and all other crates
//! are in it, the driver is not. Each test of this folder runs in a process of its own, which it counts
//! alone.

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

//! Where the tests' contexts come from: all of them can be made to ask little of the device.
//!
//! `INDIM_TEST_LIMITS` names what is asked: `adapter`, all that there is, as without it; `webgpu`,
//! WebGPU's default limits; `downlevel`, wgpu's for older devices, with four storage buffers; `low`,
//! so little that arrays of some thousand elements are bound and dispatched in parts. What a test
//! asks by itself comes before it.

#![allow(
    dead_code,
    unreachable_pub,
    reason = "every test binary compiles this module for itself and uses a part of it"
)]
#![allow(clippy::panic, reason = "a test fails by panicking")]

use indim::{Context, ContextOptions, Result, wgpu};

/// Options for the adapter that the environment names, with the limits that it names.
pub fn options() -> ContextOptions {
    let mut options = ContextOptions::from_env();
    options.required_limits = limits();
    options
}

/// The context of these options.
pub fn blocking() -> Result<Context> {
    Context::blocking_with_options(options())
}

/// A context with all that the adapter has, for what needs it.
pub fn of_the_adapter() -> Context {
    Context::blocking().unwrap_or_else(|error| panic!("{error}"))
}

/// `None` for all that the adapter has.
pub fn limits() -> Option<wgpu::Limits> {
    match std::env::var("INDIM_TEST_LIMITS").as_deref() {
        Err(_) | Ok("" | "adapter") => None,
        Ok("webgpu") => Some(wgpu::Limits::default()),
        Ok("downlevel") => Some(wgpu::Limits::downlevel_defaults()),
        Ok("low") => Some(low()),
        Ok(other) => panic!("INDIM_TEST_LIMITS is {other}: adapter, webgpu, downlevel or low"),
    }
}

/// Bindings of 64 KiB that begin at multiples of 256 bytes, four of them in a kernel, and no more
/// than eight by eight workgroups in a dispatch.
pub fn low() -> wgpu::Limits {
    wgpu::Limits {
        max_storage_buffer_binding_size: 64 << 10,
        max_storage_buffers_per_shader_stage: 4,
        max_compute_workgroups_per_dimension: 8,
        min_storage_buffer_offset_alignment: 256,
        ..wgpu::Limits::default()
    }
}

//! Where the tests' contexts come from: all of them can be made to ask little of the device.
//!
//! `INDIM_TEST_LIMITS` names what is asked: `adapter`, all that there is, as without it; `webgpu`,
//! WebGPU's default limits; `downlevel`, wgpu's for older devices, with four storage buffers; `low`,
//! so little that arrays of some thousand elements are bound and dispatched in parts. What a test
//! asks by itself comes before it.
//!
//! Beside them stands what tests ask of any context.

#![allow(
    dead_code,
    unreachable_pub,
    reason = "every test binary compiles this module for itself and uses a part of it"
)]
#![allow(clippy::panic, reason = "a test fails by panicking")]

use std::process::Command;
use std::sync::mpsc;
use std::time::Duration;

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

/// On a device of the test's, made without the features that a context would take, such as the one
/// for mapping arrays.
pub fn foreign(options: &ContextOptions) -> Context {
    let mut instance = wgpu::InstanceDescriptor::new_without_display_handle();
    instance.backends = of_the_adapter().adapter_info().backend.into();
    let instance = wgpu::Instance::new(instance);
    let request = wgpu::RequestAdapterOptions::default();
    let adapter = pollster::block_on(instance.request_adapter(&request))
        .unwrap_or_else(|error| panic!("{error}"));
    let device = adapter.request_device(&wgpu::DeviceDescriptor {
        required_limits: limits().unwrap_or_else(|| adapter.limits()),
        ..wgpu::DeviceDescriptor::default()
    });
    let (device, queue) = pollster::block_on(device).unwrap_or_else(|error| panic!("{error}"));
    Context::from_device_with_options(device, queue, options)
        .unwrap_or_else(|error| panic!("{error}"))
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

/// Bytes that the driver has given for buffers, if it tells.
pub fn allocated(gpu: &Context) -> Option<u64> {
    // What was dropped is freed when the device is looked after.
    gpu.wait().unwrap_or_else(|error| panic!("{error}"));
    let polled = gpu.device().poll(wgpu::PollType::Poll);
    polled.unwrap_or_else(|error| panic!("{error}"));
    Some(gpu.device().generate_allocator_report()?.total_allocated_bytes)
}

/// Fails instead of hanging.
#[track_caller]
pub fn at_once<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || sender.send(work()));
    match receiver.recv_timeout(Duration::from_secs(300)) {
        Ok(answer) => answer,
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("it hangs"),
        Err(mpsc::RecvTimeoutError::Disconnected) => panic!("it failed, as told above"),
    }
}

/// Whether this is a process of the test's own; if not, runs the test of this name in one, which may
/// take so many KiB of addresses, if that is given.
pub fn alone(test: &str, most_kib: Option<u32>) -> bool {
    const CHILD: &str = "INDIM_TEST_ALONE";
    if std::env::var_os(CHILD).is_some() {
        return true;
    }
    let this = std::env::current_exe().unwrap_or_else(|error| panic!("{error}"));
    let mut command = match most_kib {
        Some(kib) => {
            let mut shell = Command::new("sh");
            shell.args(["-c", &format!("ulimit -v {kib} && exec \"$0\" \"$@\"")]).arg(this);
            shell
        }
        None => Command::new(this),
    };
    command.args(["--exact", test, "--nocapture"]).env(CHILD, "1");
    let output = command.output().unwrap_or_else(|error| panic!("{error}"));
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{output:?}");
    false
}

//! Makes every context of the tests; all of them can be made to require little of the device.
//!
//! `INDIM_TEST_LIMITS` names the limits to request: `adapter`, all that it has, which is the
//! default; `webgpu`, WebGPU's default limits; `downlevel`, wgpu's for older devices, with four
//! storage buffers; `low`, so little that arrays of some thousand elements are bound and dispatched
//! in parts. A test's own requests take precedence.
//!
//! Helpers for any context are here too.

use crate::fast_math;

use indim::{Array, Context, ContextOptions, Result, wgpu};

use crate::gpu_classes::GpuClass;

/// Options for the adapter that the environment names, with the limits that it names.
pub fn options() -> ContextOptions {
    let mut options = ContextOptions::from_env();
    options.required_limits = limits();
    match fast_math::from_env() {
        Some(rewrite) => rewrite.of_a_gpu(options),
        None => options,
    }
}

/// The context of these options.
pub fn blocking() -> Result<Context> {
    Context::blocking_with_options(options())
}

/// The same; the test fails, with what to do about it, where there is none.
pub fn gpu() -> Context {
    blocking().unwrap_or_else(|error| panic!("{error}"))
}

/// A context with everything the adapter has, for tests that need it.
pub fn of_the_adapter() -> Context {
    Context::blocking().unwrap_or_else(|error| panic!("{error}"))
}

/// On a test-owned device without the features that a context would request, such as the one for
/// mapping arrays.
pub fn foreign(options: &ContextOptions) -> Context {
    on_own_device(options, |adapter| wgpu::DeviceDescriptor {
        required_limits: limits().unwrap_or_else(|| adapter.limits()),
        ..wgpu::DeviceDescriptor::default()
    })
}

/// On a test-owned device, which `descriptor` requests from the adapter that the environment names.
fn on_own_device(
    options: &ContextOptions,
    descriptor: impl FnOnce(&wgpu::Adapter) -> wgpu::DeviceDescriptor<'static>,
) -> Context {
    let mut instance = wgpu::InstanceDescriptor::new_without_display_handle();
    instance.backends = of_the_adapter().adapter_info().backend.into();
    let instance = wgpu::Instance::new(instance);
    let request = wgpu::RequestAdapterOptions::default();
    let adapter = pollster::block_on(instance.request_adapter(&request))
        .unwrap_or_else(|error| panic!("{error}"));
    let device = adapter.request_device(&descriptor(&adapter));
    let (device, queue) = pollster::block_on(device).unwrap_or_else(|error| panic!("{error}"));
    Context::from_device_with_options(device, queue, options)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// A context that poses as one on a GPU of this class: on a device without features for mapping
/// arrays, with the class's features as far as the adapter has them, with the lower ones of its
/// limits and the adapter's, and with the class's plan.
///
/// The device is test-owned, so that the context's choices for a software adapter do not apply.
/// What the class has and the adapter has not (a million buffers, starts at multiples of 32 bytes)
/// is for plans and for wgpu's `noop` backend.
pub fn posing_as(class: &GpuClass) -> Context {
    let mut options = ContextOptions::default();
    options.plan_limits = Some(class.plan_limits());
    on_own_device(&options, |adapter| wgpu::DeviceDescriptor {
        required_features: class.features & adapter.features(),
        required_limits: class.limits.clone().or_worse_values_from(&adapter.limits()),
        ..wgpu::DeviceDescriptor::default()
    })
}

/// A context on a device that poses as this class on wgpu's `noop` backend, with all limits of the
/// class; nothing is computed there.
pub fn posing_on_noop(class: &GpuClass) -> Context {
    let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor {
        required_features: class.features,
        required_limits: class.limits.clone().or_worse_values_from(&wgpu::Limits::unlimited()),
        ..wgpu::DeviceDescriptor::default()
    });
    let mut options = ContextOptions::default();
    options.plan_limits = Some(class.plan_limits());
    Context::from_device_with_options(device, queue, &options)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Returns true if tests that pose as the common classes of GPUs are to try everything on each of
/// them, as `INDIM_GPU_CLASSES=all` says, and not a part of it, which takes an eighth of the time
/// or less.
pub fn all_on_every_class() -> bool {
    match std::env::var("INDIM_GPU_CLASSES").as_deref() {
        Err(_) | Ok("" | "some") => false,
        Ok("all") => true,
        Ok(other) => panic!("INDIM_GPU_CLASSES is {other}: some or all"),
    }
}

/// `None` for the adapter's limits.
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

/// Bytes that the driver has allocated for buffers, if it reports them.
pub fn allocated(gpu: &Context) -> Option<u64> {
    // Dropped buffers are freed when the device is polled.
    gpu.wait().unwrap_or_else(|error| panic!("{error}"));
    let polled = gpu.device().poll(wgpu::PollType::Poll);
    polled.unwrap_or_else(|error| panic!("{error}"));
    Some(gpu.device().generate_allocator_report()?.total_allocated_bytes)
}

/// Makes a buffer of 64 bytes, which the device's owner may map to read.
pub fn mappable_buffer(device: &wgpu::Device) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 64,
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}

/// Returns the numbers 0, 1, 2, ..., `count` of them.
pub fn iota(count: usize) -> Vec<f32> {
    (0..count).map(|i| i as f32).collect()
}

/// Returns an array's elements.
pub fn values(array: &Array<f32>) -> Vec<f32> {
    array.to_vec_blocking().unwrap_or_else(|error| panic!("{error}"))
}

/// Returns how many dispatches `work` takes.
pub fn dispatches(gpu: &Context, work: impl FnOnce()) -> u64 {
    let before = gpu.stats().dispatches;
    work();
    gpu.stats().dispatches - before
}

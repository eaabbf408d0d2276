//! Tests the messages of devices: adapters, limits, sizes and a loss.

use indim::ElementType::{F32, Pred, U32};
use indim::{Context, ContextOptions, DeviceError, Error, wgpu};

use super::{context_says, gpu, still_computes};
use indim_testing::messages::says;

fn options() -> ContextOptions {
    ContextOptions::default()
}

/// The adapters of these backends, as the library lists them.
fn adapters(backends: wgpu::Backends) -> String {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends,
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let infos = pollster::block_on(instance.enumerate_adapters(backends));
    let infos = infos.iter().map(|adapter| adapter.get_info());
    infos.map(|info| format!("{} ({})", info.name, info.backend)).collect::<Vec<_>>().join(", ")
}

#[test]
fn no_adapter() {
    const INSTALL: &str = "Mesa's lavapipe (Debian and Ubuntu: apt-get install \
        mesa-vulkan-drivers libvulkan1; Fedora: dnf install mesa-vulkan-drivers vulkan-loader; \
        Arch: pacman -S vulkan-swrast vulkan-icd-loader; Alpine: apk add mesa-vulkan-swrast \
        vulkan-loader)";
    let told = |wanted: &str, backends| {
        format!(
            "no GPU adapter with {wanted} can compute; found: {}; choose another one with \
             ContextOptions, or with WGPU_ADAPTER_NAME and WGPU_BACKEND, or install a driver: {INSTALL}",
            adapters(backends),
        )
    };
    let backends = wgpu::Backends::from(gpu().adapter_info().backend);
    let backend = backends.iter_names().map(|(name, _)| name).collect::<Vec<_>>().join(" or ");
    let mut wanted = options();
    wanted.backends = Some(backends);
    wanted.adapter_name = Some("No Such Adapter".to_owned());
    says(
        Context::blocking_with_options(wanted),
        &told(&format!("a name that contains `No Such Adapter`, backend {backend}"), backends),
    );
    // No backend is left: wgpu's stub is not enabled.
    let mut wanted = options();
    wanted.backends = Some(wgpu::Backends::NOOP | wgpu::Backends::BROWSER_WEBGPU);
    wanted.force_fallback_adapter = true;
    says(
        Context::blocking_with_options(wanted),
        &told("backend NOOP or BROWSER_WEBGPU, software rendering", wgpu::Backends::all()),
    );
    // There is one here, or the tests would not run.
    assert_eq!(
        DeviceError::NoAdapter.to_string(),
        format!("no GPU adapter found; install a driver, or a software one: {INSTALL}")
    );
}

#[test]
fn limits_that_the_adapter_lacks() {
    let mut wanted = options();
    wanted.required_limits =
        Some(wgpu::Limits { max_bind_groups: u32::MAX, ..wgpu::Limits::default() });
    let error = Context::blocking_with_options(wanted).unwrap_err();
    let Error::Device(DeviceError::RequestDevice { adapter, reason }) = &error else {
        panic!("{error}")
    };
    // The reason is wgpu's.
    assert!(reason.contains("max_bind_groups"), "{reason}");
    assert_eq!(error.to_string(), format!("adapter {adapter} did not provide a device: {reason}"));
}

#[test]
fn arrays_that_are_too_large() {
    let gpu = gpu();
    let limit = gpu.device().limits().max_buffer_size;
    let told = |shape: &[usize], ty, bytes: u64| {
        format!(
            "shape {shape:?} of {ty} takes {bytes} bytes, but the device's max_buffer_size is \
             {limit}; split the array"
        )
    };
    let one = gpu.array([1], &[1.0f32]).unwrap();
    context_says(&gpu, indim::broadcast(&one, &[1_i64 << 50]), &told(&[1 << 50, 1], F32, 1 << 52));
    context_says(
        &gpu,
        indim::is_finite(&one).and_then(|p| indim::broadcast(&p, &[i64::MAX])),
        &told(&[i64::MAX as usize, 1], Pred, i64::MAX as u64),
    );
    // The most elements whose bytes can be counted.
    context_says(
        &gpu,
        indim::iota::<u32>(&gpu, &[(1_i64 << 61) - 1], 0),
        &told(&[(1 << 61) - 1], U32, i64::MAX as u64 - 3),
    );
    context_says(
        &gpu,
        indim::iota::<u32>(&gpu, &[1_i64 << 61], 0),
        "array: shape [2305843009213693952] of u32 takes more bytes than can be counted (2^63 - 1, or \
         what this machine can address); use smaller sizes or split the array",
    );
}

#[test]
fn a_lost_device() {
    let gpu = gpu();
    let x = gpu.array([2], &[1.0f32, 2.0]).unwrap();
    gpu.notify_lost("unplugged");
    gpu.notify_lost("the first reason stays");
    let told = "the device is lost (unplugged); its arrays are gone, make a new Context";
    says(gpu.array([1], &[1.0f32]), told);
    says(indim::neg(&x), told);
    says(x.to_vec_blocking(), told);
    still_computes(&self::gpu());
}

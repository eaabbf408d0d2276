//! The common classes of GPUs: the limits and the features that wgpu gives to their devices, and the
//! plan that a context chooses there.
//!
//! The tests pose as these devices on software adapters, and count what kernels cost on them. Limits
//! that kernels do not depend on are WebGPU's defaults. The numbers are what wgpu 30 makes of the
//! drivers' own: `to_wgpu_limits` of its Vulkan backend takes half of the buffers that a descriptor
//! set holds (for vertex and fragment stages) and bindings below 2 GiB, and `adjust_raw_limits` of
//! wgpu-hal raises alignments to 32 bytes. The drivers' own are from `vulkaninfo`, as
//! <https://vulkan.gpuinfo.org> lists it and as reports of bugs quote it:
//!
//! - NVIDIA: a GTX 1050 Ti (KhronosGroup/Vulkan-Tools#106), 1,048,576 storage buffers and ranges of
//!   4 GiB; their alignment is 16 (bottlerocket-os/bottlerocket-kernel-kit#138).
//! - AMD: an RX 6500 XT (KomputeProject/kompute#275), 2^32 - 1 storage buffers, of which wgpu leaves
//!   some hundred million; a million stands for them.
//! - Intel: Mesa's driver (smxi/inxi#284), 65,535 storage buffers in a stage and 393,210 in a set.
//! - Adreno: Mesa's `tu_device.cc` has ranges of 128 MiB, and the manufacturer's driver for Adreno
//!   6xx the same, 24 storage buffers, an alignment of 64 and no 64-bit integers.
//! - Mali: 35 storage buffers, ranges of 256 MiB (termux/termux-packages#19460).
//!   gpuweb/gpuweb#1863 has the alignment, 256, of most GPUs of phones.
//! - Metal and DX12: wgpu-hal's `metal/adapter.rs` and `dx12/adapter.rs`, which ask the driver for
//!   little: 31 buffers less two on Macs; in tier 3 a quarter of the million descriptors of a heap.
//!
//! `robust_buffers` is about what naga writes: where it is true, no index into a buffer is checked.
//! Vulkan's driver does it where it has `robustBufferAccess2`, which current drivers for desktops
//! have; for DX12, naga writes byte address buffers, which Direct3D checks.

use indim::{PlanLimits, wgpu};
use wgpu::{Backend, Features, Limits};

/// A class of GPUs.
#[derive(Debug, Clone)]
pub struct GpuClass {
    /// The name in tables and messages.
    pub name: &'static str,
    pub backend: Backend,
    /// True if the backend has no index into a storage buffer checked by the kernel.
    pub robust_buffers: bool,
    /// The features that a context takes if an adapter has them, and timestamps.
    pub features: Features,
    pub limits: Limits,
}

/// Features of floats and integers of 16 bits, which native F16 needs.
const HALF: Features = Features::SHADER_F16.union(Features::SHADER_I16);

/// The most bytes of a binding that wgpu gives on Vulkan and DX12: 2^31 - 1, down to whole words.
const LARGEST_BINDING: u64 = (1 << 31) - 4;

/// Returns all classes, those of desktops first.
pub fn all() -> Vec<GpuClass> {
    let desktop = |storage_buffers| Limits {
        max_storage_buffers_per_shader_stage: storage_buffers,
        max_bindings_per_bind_group: (2 * storage_buffers).max(1_000),
        max_storage_buffer_binding_size: LARGEST_BINDING,
        max_buffer_size: LARGEST_BINDING,
        min_storage_buffer_offset_alignment: 32,
        max_compute_invocations_per_workgroup: 1_024,
        max_compute_workgroup_size_x: 1_024,
        ..Limits::default()
    };
    let timestamps = Features::TIMESTAMP_QUERY;
    let vulkan = |name, robust_buffers, features, limits| GpuClass {
        name,
        backend: Backend::Vulkan,
        robust_buffers,
        features: features | timestamps,
        limits,
    };
    let int64 = Features::SHADER_INT64;
    let float64 = Features::SHADER_F64;
    vec![
        vulkan("NVIDIA on Vulkan", true, int64 | float64 | HALF, desktop(524_288)),
        vulkan("AMD on Vulkan", true, int64 | float64 | HALF, desktop(1_000_000)),
        vulkan("Intel on Vulkan", true, int64 | HALF, desktop(65_535)),
        GpuClass {
            name: "DX12, tier 3",
            backend: Backend::Dx12,
            robust_buffers: true,
            features: int64 | HALF | timestamps,
            limits: Limits { max_bindings_per_bind_group: u32::MAX, ..desktop(250_000) },
        },
        GpuClass {
            name: "Apple on Metal",
            backend: Backend::Metal,
            robust_buffers: false,
            features: int64 | HALF | timestamps,
            limits: Limits {
                max_bindings_per_bind_group: u32::MAX,
                max_buffers_and_acceleration_structures_per_shader_stage: 29,
                max_storage_buffer_binding_size: 4 << 30,
                max_buffer_size: 4 << 30,
                ..desktop(29)
            },
        },
        vulkan(
            "Adreno on Vulkan",
            false,
            HALF,
            Limits {
                max_storage_buffer_binding_size: 128 << 20,
                min_storage_buffer_offset_alignment: 64,
                ..desktop(24)
            },
        ),
        vulkan(
            "Mali on Vulkan",
            false,
            int64 | HALF,
            Limits {
                max_storage_buffer_binding_size: 256 << 20,
                min_storage_buffer_offset_alignment: 256,
                max_compute_invocations_per_workgroup: 512,
                max_compute_workgroup_size_x: 512,
                ..desktop(35)
            },
        ),
        GpuClass {
            name: "WebGPU's default",
            backend: Backend::BrowserWebGpu,
            robust_buffers: false,
            features: Features::empty(),
            limits: Limits::default(),
        },
    ]
}

impl GpuClass {
    /// Returns the plan that a context takes on such a device, but for what it finds out by
    /// computing: quotients, roots and F16 are left to the plan's defaults.
    pub fn plan_limits(&self) -> PlanLimits {
        let mut plan = PlanLimits::default();
        let limits = &self.limits;
        plan.max_storage_buffers_per_shader_stage = limits.max_storage_buffers_per_shader_stage;
        plan.max_compute_workgroups_per_dimension = limits.max_compute_workgroups_per_dimension;
        plan.max_storage_buffer_binding_size = limits.max_storage_buffer_binding_size;
        plan.min_storage_buffer_offset_alignment = limits.min_storage_buffer_offset_alignment;
        plan.int64 = self.features.contains(Features::SHADER_INT64);
        plan
    }
}

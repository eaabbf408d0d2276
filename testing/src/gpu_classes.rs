//! The common classes of GPUs: the limits and the features that wgpu gives to their devices, and the
//! plan that a context chooses there.
//!
//! The tests pose as these devices on software adapters, and count what kernels cost on them. The
//! numbers are what wgpu 30 makes of the drivers' own. Its Vulkan backend (`to_wgpu_limits`) takes
//! half of the storage buffers that a descriptor set holds, for vertex and fragment stages, shares
//! half of the descriptors of a set out among six kinds of resources, and takes bindings below 2 GiB;
//! `adjust_raw_limits` of wgpu-hal raises alignments to 32 bytes. The drivers' own are from Mesa's
//! sources and from `vulkaninfo` as reports of bugs on GitHub quote it; each class names its sources.
//! Where none was found, the number is a lower estimate and is called one. Limits that kernels do
//! not depend on are WebGPU's defaults.
//!
//! `robust_buffers` is about what naga writes: where it is true, no index into a buffer is checked.
//! Vulkan's driver does it where it has `robustBufferAccess2`, which current drivers for desktops
//! have; for DX12, naga writes byte address buffers, which Direct3D checks.

use indim::plan::PlanLimits;
use indim::wgpu;
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
    // RX 6500 XT, GTX 1050 Ti and RADV have ranges of 4 GiB, which wgpu cuts; so it does buffers of
    // Vulkan on Linux and of DX12, but for NVIDIA's. Alignments of 16 bytes and less become 32, and
    // RADV, ANV, Direct3D and Metal have 1,024 invocations in a workgroup.
    let desktop = |storage_buffers| Limits {
        max_storage_buffers_per_shader_stage: storage_buffers,
        max_bindings_per_bind_group: (2 * storage_buffers).max(1_000),
        max_buffers_and_acceleration_structures_per_shader_stage: u32::MAX,
        max_storage_buffer_binding_size: LARGEST_BINDING,
        max_buffer_size: i32::MAX as u64,
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
        // A GTX 1050 Ti has 1,048,576 storage buffers (KhronosGroup/Vulkan-Tools#106), and NVIDIA's
        // driver as many in a set, whose descriptors it does not bound (LunarG/VulkanTools#1223).
        // The alignment is 16 (bottlerocket-os/bottlerocket-kernel-kit#138).
        vulkan("NVIDIA on Vulkan", true, int64 | float64 | HALF, desktop(1 << 19)),
        // AMD's driver has 2^32 - 1 storage buffers on an RX 6500 XT (KomputeProject/kompute#275), of
        // which wgpu leaves some hundred million; of the 8,388,606 of Mesa's (`radv_constants.h` and
        // GPUOpen-Drivers/AMDVLK#248) it leaves some two million. A million is a lower estimate.
        // Mesa's alignment is 4 (`radv_physical_device.c`).
        vulkan("AMD on Vulkan", true, int64 | float64 | HALF, desktop(1_000_000)),
        // Mesa's driver has 65,535 storage buffers in a stage, but bounds a set to 1,024 descriptors
        // (`anv_physical_device.c` and smxi/inxi#284), of which wgpu leaves 112, or 89 where the GPU
        // traces rays. A UHD 630 has ranges of 1 GiB (KhronosGroup/Vulkan-Tools#491), newer ones have
        // 4. The alignment is 4 (`anv_constants.h`). To have no 64-bit floats is a lower estimate.
        vulkan(
            "Intel on Vulkan",
            true,
            int64 | HALF,
            Limits {
                max_storage_buffer_binding_size: 1 << 30,
                max_buffer_size: 1 << 30,
                ..desktop(89)
            },
        ),
        // wgpu-hal's `dx12/adapter.rs` asks the driver for the tier, and takes a quarter of the 2^20
        // descriptors of a heap; 16 is Direct3D's alignment.
        GpuClass {
            name: "DX12, tier 3",
            backend: Backend::Dx12,
            robust_buffers: true,
            features: int64 | HALF | timestamps,
            limits: Limits { max_bindings_per_bind_group: u32::MAX, ..desktop(1 << 18) },
        },
        // wgpu-hal's `metal/adapter.rs` has 31 buffers less two of its own, an alignment of 32 and
        // 64-bit integers from the family Apple3 on. It asks the device for the largest buffer, which
        // is 36 GiB on an M1 Max of 64 (gfx-rs/wgpu#2502); 4 GiB are a lower estimate.
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
        // The manufacturer's driver has ranges of 128 MiB (o3de/o3de#9398, and `tu_common.h` of Mesa,
        // which follows it) and an alignment of 64 (MicroPerceptron/virtio-accel#183). It lacks
        // `uniformAndStorageBuffer16BitAccess` (gpuweb/gpuweb#5006), and therefore wgpu's features of
        // 16 bits. Lower estimates are 24 storage buffers, no 64-bit integers and no
        // `robustBufferAccess2`, for which no source was found.
        vulkan(
            "Adreno on Vulkan",
            false,
            Features::empty(),
            Limits {
                max_storage_buffer_binding_size: 128 << 20,
                min_storage_buffer_offset_alignment: 64,
                ..desktop(24)
            },
        ),
        // The manufacturer's driver has 35 storage buffers and ranges of 256 MiB
        // (termux/termux-packages#19460); newer ones have more (termux/termux-packages#19839). Most
        // drivers for Android have an alignment of 256 (gpuweb/gpuweb#1863), and workgroups of 256
        // invocations are a lower estimate, which only the oldest are below (`results-core.txt` of
        // teoxoy/gpuinfo-vulkan-query). Mesa's `panvk_physical_device.c` has 64-bit integers and loads
        // of 16 bits. Floats of 16 bits are left to what gpuweb/gpuweb#5006 says of others than
        // Qualcomm's. No source was found for `robustBufferAccess2`, so that it is left out.
        vulkan(
            "Mali on Vulkan",
            false,
            int64 | HALF,
            Limits {
                max_storage_buffer_binding_size: 256 << 20,
                min_storage_buffer_offset_alignment: 256,
                max_compute_invocations_per_workgroup: 256,
                max_compute_workgroup_size_x: 256,
                ..desktop(35)
            },
        ),
        // `Limits::default` of wgpu-types.
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
        // The parameter block also counts as a buffer of the stage and as a binding.
        let buffers = limits.max_buffers_and_acceleration_structures_per_shader_stage;
        let beside = buffers.min(limits.max_bindings_per_bind_group) - 1;
        plan.device.max_storage_buffers_per_shader_stage =
            limits.max_storage_buffers_per_shader_stage.min(beside);
        plan.device.max_compute_workgroups_per_dimension =
            limits.max_compute_workgroups_per_dimension;
        plan.device.max_storage_buffer_binding_size = limits.max_storage_buffer_binding_size;
        plan.device.min_storage_buffer_offset_alignment =
            limits.min_storage_buffer_offset_alignment;
        plan.device.max_compute_workgroup_storage_size = limits.max_compute_workgroup_storage_size;
        plan.tuning.int64 = self.features.contains(Features::SHADER_INT64);
        plan
    }
}

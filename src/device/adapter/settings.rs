//! Defines [`Settings`]: the limits and the precision that a context's plans keep to, from its
//! options, its device and its calibration.

use std::sync::OnceLock;

use crate::device::adapter::open;
use crate::device::adapter::options::ContextOptions;
use crate::device::memory::{mapping, pool};
use indim_compiler::arithmetic::{Arithmetic, Half, Rounding};
use indim_compiler::limits::{PlanLimits, Tuning};
use indim_core::errors::device::DeviceError;
use indim_core::semantics::precision::Precision;
use indim_core::semantics::text::parted;

#[derive(Debug)]
pub(crate) struct Settings {
    /// The precision of operations that do not request one.
    pub(crate) precision: Precision,
    /// The limits until the arithmetic is known. Results under them are right on every adapter.
    uncalibrated: PlanLimits,
    /// The limits with the arithmetic that the options set or calibration chose.
    calibrated: OnceLock<PlanLimits>,
}

impl Settings {
    pub(crate) fn new(
        options: &ContextOptions,
        device: &wgpu::Device,
        limits: &wgpu::Limits,
    ) -> Self {
        let features = device.features();
        let int64 = features.contains(wgpu::Features::SHADER_INT64);
        let software = device.adapter_info().device_type == wgpu::DeviceType::Cpu;
        let chosen = options.plan_limits.clone().unwrap_or_else(|| {
            let mut chosen = PlanLimits::default();
            if software {
                chosen.tuning = Tuning::for_cpu(int64);
                chosen.tuning.through_f64 = features.contains(wgpu::Features::SHADER_F64);
            } else {
                chosen.tuning.int64 = int64;
            }
            chosen
        });
        let mut limits = within(chosen, limits, features);
        limits.device.bounded_loops |= parted(&device.adapter_info().name, "llvmpipe").is_some();
        if let Some(ops) = options.max_ops_per_kernel {
            limits.tuning.max_ops_per_kernel = ops;
        }
        let calibrated = OnceLock::new();
        match limits.arithmetic {
            Some(_) => _ = calibrated.set(limits.clone()),
            None => limits.arithmetic = Some(Arithmetic::portable()),
        }
        Self { precision: options.precision, uncalibrated: limits, calibrated }
    }

    pub(crate) fn plan_limits(&self) -> &PlanLimits {
        self.calibrated.get().unwrap_or(&self.uncalibrated)
    }

    /// Returns true if the options set the arithmetic, or calibration chose it.
    pub(crate) fn is_calibrated(&self) -> bool {
        self.calibrated.get().is_some()
    }

    /// Makes plans compute in this way from now on. Compiled kernels stay right.
    pub(crate) fn set_calibration(&self, arithmetic: Arithmetic) {
        // The first calibration stays; a later one finds the same.
        self.calibrated.get_or_init(|| {
            let mut limits = self.uncalibrated.clone();
            limits.arithmetic = Some(arithmetic);
            limits
        });
    }
}

/// Returns the usages that the options request, if arrays' buffers can have them.
pub(crate) fn result_usages(
    options: &ContextOptions,
    device: &wgpu::Device,
) -> Result<wgpu::BufferUsages, DeviceError> {
    use wgpu::BufferUsages as Usages;
    const MORE: Usages = Usages::VERTEX
        .union(Usages::INDEX)
        .union(Usages::UNIFORM)
        .union(Usages::INDIRECT)
        .union(Usages::MAP_READ);
    let asked = options.result_usages.unwrap_or(Usages::empty());
    let refused = |usages: Usages, reason| {
        let usage = usages.iter_names().map(|(name, _)| name).collect::<Vec<_>>().join(" | ");
        Err(DeviceError::ResultUsages { usage, reason })
    };
    let others = asked - (pool::USAGE | MORE);
    if !others.is_empty() {
        return refused(others, "it is none of VERTEX, INDEX, UNIFORM, INDIRECT and MAP_READ");
    }
    if asked.contains(Usages::MAP_READ) && !device.features().contains(mapping::FEATURE) {
        let reason = "the device lacks MAPPABLE_PRIMARY_BUFFERS; read arrays by to_vec, or copy them into your own buffer";
        return refused(Usages::MAP_READ, reason);
    }
    Ok(asked)
}

/// Returns the choices reduced to what the device and its limits allow.
fn within(mut chosen: PlanLimits, limits: &wgpu::Limits, features: wgpu::Features) -> PlanLimits {
    let PlanLimits { device, tuning, arithmetic, .. } = &mut chosen;
    let uniform = u32::try_from(limits.max_uniform_buffer_binding_size).unwrap_or(u32::MAX);
    device.max_storage_buffers_per_shader_stage = storage_buffers(limits);
    device.max_compute_workgroups_per_dimension = limits.max_compute_workgroups_per_dimension;
    device.max_uniform_bytes = uniform.min(device.max_uniform_bytes);
    device.max_storage_buffer_binding_size = limits.max_storage_buffer_binding_size;
    device.min_storage_buffer_offset_alignment = limits.min_storage_buffer_offset_alignment;
    device.max_compute_workgroup_storage_size = limits.max_compute_workgroup_storage_size;
    tuning.workgroup_size = tuning
        .workgroup_size
        .min(limits.max_compute_invocations_per_workgroup)
        .min(limits.max_compute_workgroup_size_x);
    tuning.wide &= features.contains(wgpu::Features::SHADER_INT64);
    tuning.int64 &= features.contains(wgpu::Features::SHADER_INT64);
    tuning.through_f64 &= features.contains(wgpu::Features::SHADER_F64);
    if let Some(arithmetic) = arithmetic {
        keep_possible(arithmetic, features);
    }
    chosen
}

/// Replaces the ways of computing in floats that the device lacks.
fn keep_possible(arithmetic: &mut Arithmetic, features: wgpu::Features) {
    for way in [&mut arithmetic.division, &mut arithmetic.square_root] {
        if *way == Rounding::ThroughF64 && !features.contains(wgpu::Features::SHADER_F64) {
            *way = Rounding::ByIntegers;
        }
    }
    if !features.contains(open::HALF) {
        arithmetic.half = Half::ThroughF32;
    }
}

/// Returns how many storage buffers a kernel may bind beside its parameter block, which also counts
/// as a buffer of the stage and a binding of the group.
fn storage_buffers(limits: &wgpu::Limits) -> u32 {
    let buffers = limits.max_buffers_and_acceleration_structures_per_shader_stage;
    let room = buffers.min(limits.max_bindings_per_bind_group).saturating_sub(1);
    limits.max_storage_buffers_per_shader_stage.min(room)
}

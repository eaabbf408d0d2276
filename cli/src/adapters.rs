//! `indim adapters`: what wgpu sees here, with the limits and features that matter.

use std::fmt::Write as _;

use indim::wgpu::{self, Backends, Features};
use indim::{Context, DeviceError};

use crate::diagnostic::{Diagnostic, Result};

/// A list of all adapters.
pub(crate) fn adapters() -> Result<String> {
    let backends = Backends::from_env().unwrap_or(Backends::all());
    let descriptor = wgpu::InstanceDescriptor {
        backends,
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    };
    let adapters = pollster::block_on(wgpu::Instance::new(descriptor).enumerate_adapters(backends));
    if adapters.is_empty() {
        // The library says what to do, and whether other backends have some.
        let why = Context::blocking().err().unwrap_or(DeviceError::NoAdapter.into());
        return Err(Diagnostic::new(why.to_string()));
    }
    let mut out = String::new();
    for adapter in &adapters {
        let info = adapter.get_info();
        let _ = writeln!(out, "{}", info.name);
        let driver = format!("{} {}", info.driver, info.driver_info);
        let rows = [
            ("backend", info.backend.to_string()),
            ("type", format!("{:?}", info.device_type)),
            ("driver", driver.trim().to_owned()),
        ];
        for (name, value) in rows {
            let _ = writeln!(out, "  {name:<37} {value}");
        }
        let limits = adapter.limits();
        let limits = [
            ("max_storage_buffer_binding_size", bytes(limits.max_storage_buffer_binding_size)),
            ("max_buffer_size", bytes(limits.max_buffer_size)),
            (
                "max_storage_buffers_per_shader_stage",
                limits.max_storage_buffers_per_shader_stage.to_string(),
            ),
            (
                "min_storage_buffer_offset_alignment",
                limits.min_storage_buffer_offset_alignment.to_string(),
            ),
            (
                "max_compute_workgroups_per_dimension",
                limits.max_compute_workgroups_per_dimension.to_string(),
            ),
            (
                "max_compute_invocations_per_workgroup",
                limits.max_compute_invocations_per_workgroup.to_string(),
            ),
        ];
        for (name, value) in limits {
            let _ = writeln!(out, "  {name:<37} {value}");
        }
        let has = adapter.features();
        let features = [
            ("timestamp query", Features::TIMESTAMP_QUERY),
            ("f16 in shaders", Features::SHADER_F16),
            ("f64 in shaders", Features::SHADER_F64),
            ("64-bit integers in shaders", Features::SHADER_INT64),
        ];
        for (name, feature) in features {
            let _ =
                writeln!(out, "  {name:<37} {}", if has.contains(feature) { "yes" } else { "no" });
        }
        let _ = writeln!(out);
    }
    let _ = match Context::blocking() {
        Ok(context) => {
            let info = context.adapter_info();
            writeln!(
                out,
                "eval takes {} ({}); `--adapter NAME` or WGPU_BACKEND takes another",
                info.name, info.backend
            )
        }
        Err(error) => writeln!(out, "eval can take none of these: {error}"),
    };
    Ok(out)
}

/// A size in bytes, with a unit that divides it.
fn bytes(size: u64) -> String {
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    match units.iter().find(|(shift, _)| size > 0 && size.trailing_zeros() >= *shift) {
        Some((shift, unit)) => format!("{size} ({} {unit})", size >> shift),
        None => size.to_string(),
    }
}

//! `indim adapters`: lists the adapters that wgpu sees, with the limits and features that matter,
//! and tests the assumptions that results rest on.

use std::fmt::Write as _;

use indim::wgpu::{self, Backends, Features};
use indim::{Context, DeviceError};
use indim_expr::{Diagnostic, Result};
use indim_self_check::{Outcome, SelfCheck};

/// Returns a list of all adapters, with the findings of each self-check if `check` is set, and
/// whether any of them breaks an assumption that results rest on, or could not be tested.
pub(crate) fn adapters(check: bool) -> Result<(String, bool)> {
    let backends = Backends::from_env().unwrap_or(Backends::all());
    let descriptor = wgpu::InstanceDescriptor {
        backends,
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    };
    let adapters = pollster::block_on(wgpu::Instance::new(descriptor).enumerate_adapters(backends));
    if adapters.is_empty() {
        // The library's error has the help, and mentions other backends with adapters.
        let why = Context::blocking().err().unwrap_or(DeviceError::NoAdapter.into());
        return Err(Diagnostic::new(why.to_string()));
    }
    let mut out = String::new();
    let mut in_doubt = false;
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
        if check {
            in_doubt |= !write_check(&mut out, &self_check(adapter));
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
    Ok((out, in_doubt))
}

/// Runs the self-check on exactly this adapter, which its name may not identify.
fn self_check(adapter: &wgpu::Adapter) -> std::result::Result<SelfCheck, String> {
    let descriptor = wgpu::DeviceDescriptor {
        required_features: ARITHMETIC & adapter.features(),
        required_limits: adapter.limits(),
        ..Default::default()
    };
    let (device, queue) =
        pollster::block_on(adapter.request_device(&descriptor)).map_err(|e| e.to_string())?;
    Context::from_device(device, queue)
        .and_then(|context| indim_self_check::check_blocking(&context))
        .map_err(|e| e.to_string())
}

/// Writes the findings, and returns whether all assumptions that results rest on were tested and
/// hold.
fn write_check(out: &mut String, check: &std::result::Result<SelfCheck, String>) -> bool {
    let check = match check {
        Ok(check) => check,
        Err(why) => {
            let _ = writeln!(out, "  {:<37} none: {why}", "self-check");
            return false;
        }
    };
    let arithmetic = check.arithmetic;
    let _ = writeln!(out, "  self-check");
    let _ = writeln!(out, "    quotients are computed              {}", arithmetic.division);
    let _ = writeln!(out, "    square roots are computed           {}", arithmetic.square_root);
    let _ = writeln!(out, "    f16 is added and multiplied         {}", arithmetic.half);
    let _ = writeln!(out, "    integers become f32                 {}", arithmetic.conversion);
    let _ = writeln!(out, "    subnormals are                      {}", arithmetic.subnormals);
    let _ = writeln!(out, "    functions guard their sums          {}", arithmetic.guard);
    let _ = writeln!(out, "    sums of reductions are computed     {}", arithmetic.sums);
    for finding in &check.findings {
        let outcome = match (&finding.outcome, finding.needed) {
            (Outcome::Broken(example), false) => format!("no: {example}"),
            (Outcome::Holds, false) => "yes".to_owned(),
            (outcome, _) => outcome.to_string(),
        };
        let _ = writeln!(out, "    {}: {outcome}", finding.assumption);
    }
    check.holds()
}

/// Results could depend on these features; a context requests them, too.
const ARITHMETIC: Features = Features::SHADER_F64
    .union(Features::SHADER_INT64)
    .union(Features::SHADER_F16)
    .union(Features::SHADER_I16);

/// Writes a size in bytes, with a unit that divides it.
fn bytes(size: u64) -> String {
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    match units.iter().find(|(shift, _)| size > 0 && size.trailing_zeros() >= *shift) {
        Some((shift, unit)) => format!("{size} ({} {unit})", size >> shift),
        None => size.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_not_be_tried_is_no_pass() {
        let mut out = String::new();
        assert!(!write_check(&mut out, &Err("no device".to_owned())));
        assert_eq!(out, format!("  {:<37} none: no device\n", "self-check"));
    }
}

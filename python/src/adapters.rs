//! Lists the adapters that wgpu sees.

use indim::wgpu;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Returns the adapters that wgpu sees here, each with its name, backend, driver and type, and
/// with whether it computes float64.
#[pyfunction]
pub(crate) fn adapters(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let backends = wgpu::Backends::from_env().unwrap_or(wgpu::Backends::all());
    let found = py.detach(|| {
        let descriptor = wgpu::InstanceDescriptor {
            backends,
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        };
        pollster::block_on(wgpu::Instance::new(descriptor).enumerate_adapters(backends))
    });
    let f64 = wgpu::Features::SHADER_F64 | wgpu::Features::SHADER_INT64;
    let has_f64 = |adapter: &wgpu::Adapter| adapter.features().contains(f64);
    found.iter().map(|adapter| described(py, adapter.get_info(), has_f64(adapter))).collect()
}

/// Returns an adapter's name, backend and driver, its type, such as "Cpu" or "DiscreteGpu", and
/// whether it computes float64.
pub(crate) fn described(
    py: Python<'_>,
    info: wgpu::AdapterInfo,
    has_f64: bool,
) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("name", info.name)?;
    dict.set_item("backend", info.backend.to_string())?;
    dict.set_item("driver", format!("{} {}", info.driver, info.driver_info).trim())?;
    dict.set_item("type", format!("{:?}", info.device_type))?;
    dict.set_item("float64", has_f64)?;
    Ok(dict)
}

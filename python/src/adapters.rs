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
    let described = found.iter().map(|adapter| {
        let info = adapter.get_info();
        let f64 = wgpu::Features::SHADER_F64 | wgpu::Features::SHADER_INT64;
        let dict = PyDict::new(py);
        dict.set_item("name", info.name)?;
        dict.set_item("backend", info.backend.to_string())?;
        dict.set_item("driver", format!("{} {}", info.driver, info.driver_info).trim())?;
        dict.set_item("type", format!("{:?}", info.device_type))?;
        dict.set_item("float64", adapter.features().contains(f64))?;
        Ok(dict)
    });
    described.collect()
}

//! Finds an adapter and opens its device.

use crate::device::adapter::options::ContextOptions;
use crate::device::memory::mapping;
use indim_core::errors::device::DeviceError;
use indim_core::semantics::error::Result;

/// Storage buffers that a kernel of one operation needs: three operands and a result.
const MIN_STORAGE_BUFFERS: u32 = 4;

/// `Rounding::ThroughF64` needs these features.
pub(crate) const F64: wgpu::Features = wgpu::Features::SHADER_F64;

/// `Half::Native` needs these features.
pub(crate) const HALF: wgpu::Features =
    wgpu::Features::SHADER_F16.union(wgpu::Features::SHADER_I16);

pub(crate) async fn open(options: &ContextOptions) -> Result<(wgpu::Device, wgpu::Queue)> {
    let adapter = find(options).await?;
    let info = adapter.get_info();
    let required_limits = options.required_limits.clone().unwrap_or_else(|| adapter.limits());
    adapter
        .request_device(&wgpu::DeviceDescriptor {
            label: Some(options.label.as_deref().unwrap_or("indim")),
            required_features: (options.optional_features
                | features(info.device_type)
                | features_for(options))
                & adapter.features(),
            required_limits,
            ..Default::default()
        })
        .await
        .map_err(|error| {
            let reason = reason(&error.to_string());
            DeviceError::RequestDevice { adapter: info.name, reason }.into()
        })
}

/// Returns the reason in an error of wgpu. In a browser that is the debug format of the exception:
/// `JsValue(OperationError: no device`, with lines of the stack after it.
fn reason(error: &str) -> String {
    let Some(exception) = error.strip_prefix("JsValue(") else { return error.to_owned() };
    let line = exception.lines().next().unwrap_or_default();
    line.strip_suffix(')').unwrap_or(line).to_owned()
}

/// Returns the features that are used if the adapter has them: 64-bit integers, for loads and
/// stores of 32 bytes; 64-bit floats, for F64, and for quotients and square roots that are inexact
/// without them; 16-bit floats, with integers of the same width, to add and multiply F16; and
/// mapping of arrays' buffers, where that is the fastest way.
fn features(device_type: wgpu::DeviceType) -> wgpu::Features {
    let mapping =
        if mapping::suits(device_type) { mapping::FEATURE } else { wgpu::Features::empty() };
    wgpu::Features::SHADER_INT64 | F64 | HALF | mapping
}

/// Returns the features that the options imply, where the adapter has them.
fn features_for(options: &ContextOptions) -> wgpu::Features {
    let maps = |usages: wgpu::BufferUsages| usages.contains(wgpu::BufferUsages::MAP_READ);
    let mut features = wgpu::Features::empty();
    features.set(mapping::FEATURE, options.result_usages.is_some_and(maps));
    features.set(wgpu::Features::TIMESTAMP_QUERY, options.timings);
    features
}

fn instance(backends: wgpu::Backends) -> wgpu::Instance {
    wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends,
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    })
}

/// Returns the reason why an adapter cannot run our kernels, if it cannot.
fn unusable(adapter: &wgpu::Adapter) -> Option<&'static str> {
    let flags = adapter.get_downlevel_capabilities().flags;
    if !flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS) {
        return Some("no compute shaders");
    }
    let buffers = adapter.limits().max_storage_buffers_per_shader_stage;
    (buffers < MIN_STORAGE_BUFFERS).then_some("fewer than 4 storage buffers a shader")
}

#[cfg(target_arch = "wasm32")]
async fn find(options: &ContextOptions) -> Result<wgpu::Adapter> {
    let instance = instance(options.backends.unwrap_or(wgpu::Backends::all()));
    let request = wgpu::RequestAdapterOptions {
        power_preference: options.power_preference,
        force_fallback_adapter: options.force_fallback_adapter,
        ..Default::default()
    };
    let adapter = instance.request_adapter(&request).await.map_err(|_| DeviceError::NoAdapter)?;
    match unusable(&adapter) {
        None => Ok(adapter),
        Some(why) => {
            let found = format!("the browser's, which has {why}");
            Err(DeviceError::NoFittingAdapter { wanted: String::new(), found }.into())
        }
    }
}

/// Chooses from a list of all adapters, so that the error can name them. OpenGL is tried only if
/// nothing else fits: it is slower to start and the last choice anyway.
#[cfg(not(target_arch = "wasm32"))]
async fn find(options: &ContextOptions) -> Result<wgpu::Adapter> {
    let backends = options.backends.unwrap_or(wgpu::Backends::all());
    let mut seen = Vec::new();
    for stage in [backends - wgpu::Backends::GL, backends & wgpu::Backends::GL] {
        if stage.is_empty() {
            continue;
        }
        let adapters = instance(stage).enumerate_adapters(stage).await;
        let best = adapters
            .iter()
            .filter(|a| unusable(a).is_none() && fits(&a.get_info(), options))
            // Among equals, the first in wgpu's order is taken.
            .min_by_key(|a| rank(&a.get_info(), options.power_preference));
        if let Some(adapter) = best {
            return Ok(adapter.clone());
        }
        seen.extend(adapters);
    }
    if seen.is_empty() && options.backends.is_some() {
        // The message names the adapters of other backends.
        let all = wgpu::Backends::all();
        seen = instance(all).enumerate_adapters(all).await;
    }
    if seen.is_empty() {
        return Err(DeviceError::NoAdapter.into());
    }
    Err(DeviceError::NoFittingAdapter { wanted: wanted(options), found: found(&seen) }.into())
}

#[cfg(not(target_arch = "wasm32"))]
fn fits(info: &wgpu::AdapterInfo, options: &ContextOptions) -> bool {
    let name_fits = options
        .adapter_name
        .as_ref()
        .is_none_or(|wanted| info.name.to_lowercase().contains(&wanted.to_lowercase()));
    let software = info.device_type == wgpu::DeviceType::Cpu;
    name_fits && (software || !options.force_fallback_adapter)
}

/// Ranks adapters by their type; the smaller, the better.
#[cfg(not(target_arch = "wasm32"))]
fn rank(info: &wgpu::AdapterInfo, preference: wgpu::PowerPreference) -> u8 {
    let frugal = preference == wgpu::PowerPreference::LowPower;
    match info.device_type {
        wgpu::DeviceType::DiscreteGpu => u8::from(frugal),
        wgpu::DeviceType::IntegratedGpu => u8::from(!frugal),
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Other => 3,
        wgpu::DeviceType::Cpu => 4,
    }
}

#[cfg(not(target_arch = "wasm32"))]
fn wanted(options: &ContextOptions) -> String {
    let mut parts = Vec::new();
    if let Some(name) = &options.adapter_name {
        parts.push(format!("a name that contains `{name}`"));
    }
    if let Some(backends) = options.backends {
        let names: Vec<&str> = backends.iter_names().map(|(name, _)| name).collect();
        parts.push(match names.as_slice() {
            [] => "no backend at all".to_owned(),
            names => format!("backend {}", names.join(" or ")),
        });
    }
    if options.force_fallback_adapter {
        parts.push("software rendering".to_owned());
    }
    if parts.is_empty() { String::new() } else { format!(" with {}", parts.join(", ")) }
}

#[cfg(not(target_arch = "wasm32"))]
fn found(all: &[wgpu::Adapter]) -> String {
    let names: Vec<String> = all
        .iter()
        .map(|adapter| {
            let info = adapter.get_info();
            let why = unusable(adapter).map(|why| format!(", unusable: {why}"));
            format!("{} ({}{})", info.name, info.backend, why.unwrap_or_default())
        })
        .collect();
    names.join(", ")
}

//! The renderer's device.

use indim::wgpu;

use crate::Result;

/// Makes an instance. wgpu's variables of the environment choose among backends: `WGPU_BACKEND`.
pub fn instance(mut descriptor: wgpu::InstanceDescriptor) -> wgpu::Instance {
    // Builds with debug assertions hand debug groups to the driver, and lavapipe of Mesa 22.3
    // crashes at the next one after two that end one after the other.
    descriptor.flags.remove(wgpu::InstanceFlags::DEBUG);
    wgpu::Instance::new(descriptor.with_env())
}

/// Opens an adapter that can draw on the surface, if there is one: one with this in its name, or that
/// wgpu's variables of the environment choose, such as `WGPU_ADAPTER_NAME`.
///
/// # Errors
/// It returns the errors of wgpu, and one that lists the adapters if none has such a name.
pub fn open(
    instance: &wgpu::Instance,
    surface: Option<&wgpu::Surface<'_>>,
    name: Option<&str>,
) -> Result<(wgpu::Adapter, wgpu::Device, wgpu::Queue)> {
    let from_environment = std::env::var("WGPU_ADAPTER_NAME").ok();
    let name = name.map(str::to_owned).or(from_environment);
    pollster::block_on(async {
        let adapter = match name {
            Some(name) => named(instance, surface, &name).await?,
            None => {
                let options = wgpu::RequestAdapterOptions {
                    power_preference: wgpu::PowerPreference::from_env().unwrap_or_default(),
                    compatible_surface: surface,
                    ..Default::default()
                };
                instance.request_adapter(&options).await?
            }
        };
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("demo"),
            required_limits: adapter.limits(),
            ..Default::default()
        };
        let (device, queue) = adapter.request_device(&descriptor).await?;
        Ok((adapter, device, queue))
    })
}

/// Returns the first adapter with this in its name, in letters of either case.
async fn named(
    instance: &wgpu::Instance,
    surface: Option<&wgpu::Surface<'_>>,
    name: &str,
) -> Result<wgpu::Adapter> {
    let mut adapters = instance.enumerate_adapters(wgpu::Backends::all()).await;
    adapters.retain(|adapter| surface.is_none_or(|surface| adapter.is_surface_supported(surface)));
    let names: Vec<String> = adapters.iter().map(|adapter| adapter.get_info().name).collect();
    let wanted = name.to_lowercase();
    let found = names.iter().position(|name| name.to_lowercase().contains(&wanted));
    match found {
        Some(index) => Ok(adapters.swap_remove(index)),
        None => {
            let names = names.join(", ");
            Err(format!("there is no adapter `{name}` that can draw; there are: {names}").into())
        }
    }
}

/// Makes a small buffer that the renderer writes before a frame and kernels read, for an array
/// ([`indim::Context::array_from_buffer`]).
pub fn settings_buffer(device: &wgpu::Device, label: &str, size: u64) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}

/// Makes a texture that kernels write and passes draw, draw on and copy.
pub fn texture(device: &wgpu::Device, label: &str, [width, height]: [u32; 2]) -> wgpu::Texture {
    device.create_texture(&wgpu::TextureDescriptor {
        label: Some(label),
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba8Unorm,
        usage: wgpu::TextureUsages::STORAGE_BINDING
            | wgpu::TextureUsages::TEXTURE_BINDING
            | wgpu::TextureUsages::RENDER_ATTACHMENT
            | wgpu::TextureUsages::COPY_SRC,
        view_formats: &[],
    })
}

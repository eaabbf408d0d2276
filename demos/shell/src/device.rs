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

/// Opens an adapter that can draw on the surface, if there is one. wgpu's variables of the
/// environment choose among adapters: `WGPU_ADAPTER_NAME`.
///
/// # Errors
/// It returns the errors of wgpu.
pub fn open(
    instance: &wgpu::Instance,
    surface: Option<&wgpu::Surface<'_>>,
) -> Result<(wgpu::Adapter, wgpu::Device, wgpu::Queue)> {
    pollster::block_on(async {
        let adapter = wgpu::util::initialize_adapter_from_env_or_default(instance, surface).await?;
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("demo"),
            required_limits: adapter.limits(),
            ..Default::default()
        };
        let (device, queue) = adapter.request_device(&descriptor).await?;
        Ok((adapter, device, queue))
    })
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

//! Compiles the kernels between arrays and textures, and keeps them.

use std::sync::{Arc, Mutex};

use crate::device::guard::error_scope::GuardedDevice;
use crate::device::guard::lock::lock;
use indim_compiler::wgsl::texture::{Texel, TexelAccess, TexelFormat, TextureKernel};
use indim_core::semantics::error::Result;
use indim_core::semantics::hash::FastMap;

#[derive(Debug)]
pub(crate) struct TexturePipeline {
    pub(crate) pipeline: wgpu::ComputePipeline,
    pub(crate) bindings: wgpu::BindGroupLayout,
}

/// The compiled kernels. There are few: one for each format, number of channels, direction and, for
/// caller-owned buffers, place in a binding.
#[derive(Debug, Default)]
pub(crate) struct TexturePipelines(Mutex<FastMap<TextureKernel, Arc<TexturePipeline>>>);

impl TexturePipelines {
    pub(crate) fn get(
        &self,
        device: &GuardedDevice,
        kernel: TextureKernel,
    ) -> Result<Arc<TexturePipeline>> {
        if let Some(pipeline) = lock(&self.0).get(&kernel) {
            return Ok(Arc::clone(pipeline));
        }
        // Two threads may compile the same kernel, which is cheap.
        let made = Arc::new(compile(device, kernel)?);
        Ok(Arc::clone(lock(&self.0).entry(kernel).or_insert(made)))
    }

    pub(crate) fn trim(&self) {
        lock(&self.0).clear();
    }
}

fn compile(device: &GuardedDevice, kernel: TextureKernel) -> Result<TexturePipeline> {
    let label = Some(device.labels.texture.as_str());
    let view_dimension = wgpu::TextureViewDimension::D2;
    let (image, read_only) = match kernel.access {
        TexelAccess::Write(format) => {
            let (access, format) = (wgpu::StorageTextureAccess::WriteOnly, wgpu_format(format));
            (wgpu::BindingType::StorageTexture { access, format, view_dimension }, true)
        }
        TexelAccess::Read(texel, _) => {
            let (sample_type, multisampled) = (sample_type(texel), false);
            (wgpu::BindingType::Texture { sample_type, view_dimension, multisampled }, false)
        }
    };
    let elements = wgpu::BindingType::Buffer {
        ty: wgpu::BufferBindingType::Storage { read_only },
        has_dynamic_offset: false,
        min_binding_size: None,
    };
    let entry = |(ty, binding)| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty,
        count: None,
    };
    let entries = [(elements, 0), (image, 1)].map(entry);
    let text = kernel.text();
    let compiled = device.checked("a kernel for textures", None, || {
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label,
            source: wgpu::ShaderSource::Wgsl(text.into()),
        });
        let bindings = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label,
            entries: &entries,
        });
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label,
            bind_group_layouts: &[Some(&bindings)],
            immediate_size: 0,
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label,
            layout: Some(&layout),
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        TexturePipeline { pipeline, bindings }
    })?;
    device.counters.compilations.add(1);
    Ok(compiled)
}

fn sample_type(texel: Texel) -> wgpu::TextureSampleType {
    match texel {
        Texel::Float => wgpu::TextureSampleType::Float { filterable: false },
        Texel::Uint => wgpu::TextureSampleType::Uint,
        Texel::Sint => wgpu::TextureSampleType::Sint,
        Texel::Depth => wgpu::TextureSampleType::Depth,
    }
}

fn wgpu_format(format: TexelFormat) -> wgpu::TextureFormat {
    match format {
        TexelFormat::Rgba8Unorm => wgpu::TextureFormat::Rgba8Unorm,
        TexelFormat::Rgba16Float => wgpu::TextureFormat::Rgba16Float,
        TexelFormat::R32Float => wgpu::TextureFormat::R32Float,
        TexelFormat::Rgba32Float => wgpu::TextureFormat::Rgba32Float,
    }
}

//! Compiled kernels, by structure. A new shape, stride or constant finds its pipeline here.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use crate::error::Result;
use crate::plan::Kernel;
use crate::scope::GuardedDevice;
use crate::sync::lock;
use crate::wgsl;

#[derive(Debug)]
pub(crate) struct Pipeline {
    pub(crate) pipeline: wgpu::ComputePipeline,
    pub(crate) layout: wgpu::BindGroupLayout,
}

#[derive(Debug, Default)]
pub(crate) struct Pipelines {
    by_kernel: Mutex<HashMap<Kernel, Arc<Pipeline>>>,
}

impl Pipelines {
    pub(crate) fn get(&self, device: &GuardedDevice, kernel: &Kernel) -> Result<Arc<Pipeline>> {
        if let Some(pipeline) = lock(&self.by_kernel).get(kernel) {
            return Ok(Arc::clone(pipeline));
        }
        // Compiled without the lock: others' kernels need not wait for this one. If two threads
        // compile the same kernel, the second one's is dropped.
        let pipeline = Arc::new(compile(device, kernel)?);
        let mut by_kernel = lock(&self.by_kernel);
        Ok(Arc::clone(by_kernel.entry(kernel.clone()).or_insert(pipeline)))
    }

    /// Those that a recorded dispatch needs live on with it.
    pub(crate) fn trim(&self) {
        lock(&self.by_kernel).clear();
    }

    pub(crate) fn len(&self) -> usize {
        lock(&self.by_kernel).len()
    }
}

fn compile(device: &GuardedDevice, kernel: &Kernel) -> Result<Pipeline> {
    let text = wgsl::text(kernel);
    device.checked("a kernel", None, || {
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("indim kernel"),
            source: wgpu::ShaderSource::Wgsl(text.into()),
        });
        let entries = entries(kernel);
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("indim kernel"),
            entries: &entries,
        });
        let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("indim kernel"),
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("indim kernel"),
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions {
                // There is no workgroup memory to clear.
                zero_initialize_workgroup_memory: false,
                ..Default::default()
            },
            cache: None,
        });
        Pipeline { pipeline, layout }
    })
}

/// Named one by one, because a layout that wgpu derives leaves out what a kernel does not use.
fn entries(kernel: &Kernel) -> Vec<wgpu::BindGroupLayoutEntry> {
    let params = if kernel.params_in_storage {
        wgpu::BufferBindingType::Storage { read_only: true }
    } else {
        wgpu::BufferBindingType::Uniform
    };
    let inputs =
        kernel.bindings.iter().map(|_| wgpu::BufferBindingType::Storage { read_only: true });
    let result = wgpu::BufferBindingType::Storage { read_only: false };
    std::iter::once(params)
        .chain(inputs)
        .chain(std::iter::once(result))
        .zip(0..)
        .map(|(ty, binding)| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
            count: None,
        })
        .collect()
}

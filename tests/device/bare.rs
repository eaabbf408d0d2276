//! Does with wgpu alone what this crate does: an upload, a dispatch whose parameters have a dynamic
//! offset, a copy, a readback. `scripts/validation` runs it to compare: messages of Vulkan's
//! validation layers that also appear here are not about this crate.

use indim::wgpu::{self, BufferUsages};
use indim_testing::contexts;

const TEXT: &str = "
struct Params { count: u32, factor: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<u32>;
@group(0) @binding(2) var<storage, read_write> result: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < params.count { result[id.x] = x[id.x] * params.factor; }
}";

const COUNT: u32 = 1000;

/// A device as the library asks for one.
fn device() -> (wgpu::Device, wgpu::Queue) {
    let ours = contexts::blocking().unwrap();
    let backends = wgpu::Backends::from(ours.adapter_info().backend);
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends,
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let adapters = pollster::block_on(instance.enumerate_adapters(backends));
    let name = ours.adapter_info().name;
    let adapter = adapters.into_iter().find(|adapter| adapter.get_info().name == name).unwrap();
    let wanted = wgpu::DeviceDescriptor {
        required_features: ours.device().features(),
        required_limits: ours.device().limits(),
        ..Default::default()
    };
    pollster::block_on(adapter.request_device(&wanted)).unwrap()
}

fn buffer(device: &wgpu::Device, size: u64, usage: BufferUsages) -> wgpu::Buffer {
    let mapped_at_creation = false;
    device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation })
}

fn layout(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    let read_only = |read_only| wgpu::BufferBindingType::Storage { read_only };
    let types = [wgpu::BufferBindingType::Uniform, read_only(true), read_only(false)];
    let entries = [0, 1, 2].map(|binding: u32| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: types[binding as usize],
            has_dynamic_offset: binding == 0,
            min_binding_size: None,
        },
        count: None,
    });
    let wanted = wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries };
    device.create_bind_group_layout(&wanted)
}

fn pipeline(device: &wgpu::Device, layout: &wgpu::BindGroupLayout) -> wgpu::ComputePipeline {
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(TEXT.into()),
    });
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &[Some(layout)],
        immediate_size: 0,
    });
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: Some(&layout),
        module: &module,
        entry_point: Some("main"),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    })
}

#[test]
fn a_dispatch_by_wgpu_alone() {
    let (device, queue) = device();
    let bytes = u64::from(COUNT) * 4;
    let arrays = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
    let params = buffer(&device, 1024, BufferUsages::UNIFORM | BufferUsages::COPY_DST);
    let [x, result] = [(); 2].map(|()| buffer(&device, bytes, arrays));
    let staging = buffer(&device, bytes, BufferUsages::MAP_READ | BufferUsages::COPY_DST);
    let numbers: Vec<u32> = (0..COUNT).collect();
    queue.write_buffer(&x, 0, bytemuck::cast_slice(&numbers));
    queue.write_buffer(&params, 256, bytemuck::cast_slice(&[COUNT, 3]));

    let layout = layout(&device);
    let whole = |binding, buffer: &wgpu::Buffer| (binding, buffer.clone());
    let bound = [whole(1, &x), whole(2, &result)];
    let mut entries = vec![wgpu::BindGroupEntry {
        binding: 0,
        resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
            buffer: &params,
            offset: 0,
            size: std::num::NonZeroU64::new(256),
        }),
    }];
    entries.extend(bound.iter().map(|(binding, buffer)| wgpu::BindGroupEntry {
        binding: *binding,
        resource: buffer.as_entire_binding(),
    }));
    let wanted = wgpu::BindGroupDescriptor { label: None, layout: &layout, entries: &entries };
    let group = device.create_bind_group(&wanted);
    let pipeline = pipeline(&device, &layout);

    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[256]);
        pass.dispatch_workgroups(COUNT.div_ceil(64), 1, 1);
    }
    encoder.copy_buffer_to_buffer(&result, 0, &staging, 0, Some(bytes));
    queue.submit([encoder.finish()]);
    staging.slice(..).map_async(wgpu::MapMode::Read, |mapped| mapped.unwrap());
    device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    let got: Vec<u32> = {
        let view = staging.slice(..).get_mapped_range().unwrap();
        bytemuck::cast_slice(&view).to_vec()
    };
    staging.unmap();
    assert!(got.iter().zip(&numbers).all(|(got, number)| *got == number * 3));
}

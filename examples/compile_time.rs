//! Measures how much longer compilers take for kernels whose units are written out than for loops
//! over the same: naga and the driver, by turns in one run, each up to the end of a first dispatch.
//!
//! With a driver that keeps compiled shaders, switch that off: `MESA_SHADER_CACHE_DISABLE=true`.

use std::time::Instant;

use indim::plan::PlanLimits;
use indim::{Context, ContextOptions, Result, wgpu};
use indim_testing::patterns;

/// Rounds of which the fastest counts: what else the machine does only adds to a time.
const ROUNDS: usize = 15;

fn main() -> Result<()> {
    let mut options = ContextOptions::from_env();
    // The context is only asked for its device; this spares it the choice of how to compute.
    options.plan_limits = Some(PlanLimits::for_cpu(false));
    let gpu = Context::blocking_with_options(options)?;
    let mut written_out = PlanLimits::default();
    let mut in_loops = PlanLimits::default();
    (written_out.tuning.unroll, in_loops.tuning.unroll) = (2, 1);
    for name in patterns::names().into_iter().filter(|name| *name != "new_shapes") {
        let mut least = [f64::INFINITY; 2];
        for computation in patterns::computations(name) {
            for _ in 0..ROUNDS {
                for (limits, least) in [&in_loops, &written_out].into_iter().zip(&mut least) {
                    let kernels = limits.explain(&computation)?.kernels;
                    // A new device, so that nothing of it is compiled.
                    let (device, queue) = device(&gpu);
                    let start = Instant::now();
                    for kernel in &kernels {
                        dispatch(&device, &queue, &kernel.wgsl);
                    }
                    *least = least.min(start.elapsed().as_secs_f64() * 1e3);
                }
            }
        }
        let [in_loops, written_out] = least;
        println!(
            "{name}: {in_loops:.1} ms, written out {written_out:.1} ms, {:.2} times",
            written_out / in_loops
        );
    }
    Ok(())
}

/// Creates another device on the context's adapter.
fn device(gpu: &Context) -> (wgpu::Device, wgpu::Queue) {
    let mut instance = wgpu::InstanceDescriptor::new_without_display_handle();
    instance.backends = gpu.adapter_info().backend.into();
    let instance = wgpu::Instance::new(instance);
    let adapter = pollster::block_on(instance.request_adapter(&Default::default()));
    let device =
        adapter.map(|adapter| pollster::block_on(adapter.request_device(&Default::default())));
    match device {
        Ok(Ok(device)) => device,
        other => unreachable!("the context has a device, and yet: {other:?}"),
    }
}

/// Compiles a kernel and dispatches it once, with a parameter block of zeros: there is nothing to
/// compute.
fn dispatch(device: &wgpu::Device, queue: &wgpu::Queue, wgsl: &str) {
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(wgsl.into()),
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: Some("main"),
        compilation_options: Default::default(),
        cache: None,
    });
    let buffer = |usage| {
        device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 4096,
            usage,
            mapped_at_creation: false,
        })
    };
    let arrays =
        (0..wgsl.matches("var<storage").count()).map(|_| buffer(wgpu::BufferUsages::STORAGE));
    let buffers: Vec<wgpu::Buffer> =
        [buffer(wgpu::BufferUsages::UNIFORM)].into_iter().chain(arrays).collect();
    let entries: Vec<wgpu::BindGroupEntry<'_>> = (0..)
        .zip(&buffers)
        .map(|(binding, buffer)| wgpu::BindGroupEntry {
            binding,
            resource: buffer.as_entire_binding(),
        })
        .collect();
    let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &entries,
    });
    let mut encoder = device.create_command_encoder(&Default::default());
    let mut pass = encoder.begin_compute_pass(&Default::default());
    pass.set_pipeline(&pipeline);
    pass.set_bind_group(0, &group, &[]);
    pass.dispatch_workgroups(1, 1, 1);
    drop(pass);
    queue.submit([encoder.finish()]);
    // A device that is lost has nothing to wait for.
    let _ = device.poll(wgpu::PollType::wait_indefinitely());
}

//! Measures what a frame's steps cost the host, beside dispatches of a kernel that is written by
//! hand: until the encoder is submitted, by turns, with the device idle before each.

use std::mem::swap;
use std::time::Instant;

use indim::{Array, Context, wgpu};
use shell::Result;
use waves::{N, STEPS, step};

const FRAMES: usize = 400;

fn main() -> Result<()> {
    let instance = shell::instance(wgpu::InstanceDescriptor::new_without_display_handle());
    let (adapter, device, queue) = shell::open(&instance, None, None)?;
    let gpu = Context::from_device(device, queue)?;
    let drop = gpu.array([3], &[500.0, 400.0, 0.01])?;
    let mut fields = Vec::new();
    for _ in 0..4 {
        let field = gpu.array([N as usize; 2], &vec![0.0; (N * N) as usize])?;
        field.buffer()?;
        fields.push(field);
    }
    let [mut old, mut now, hand_old, hand_now] =
        <[Array<f32>; 4]>::try_from(fields).map_err(|_| "four fields")?;
    let hand = Hand::new(&gpu, [&hand_old, &hand_now], &drop)?;
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..FRAMES {
        gpu.device().poll(wgpu::PollType::wait_indefinitely())?;
        let begin = Instant::now();
        let mut encoder = gpu.device().create_command_encoder(&Default::default());
        let mut encoded = Vec::new();
        for _ in 0..STEPS {
            let next = step(&old, &now, &drop).named("wave");
            let inner = old.slice_mut([1, 1], [N - 1, N - 1])?;
            encoded.push(next.encode_into(&mut encoder, inner)?);
            swap(&mut old, &mut now);
        }
        gpu.queue().submit([encoder.finish()]);
        encoded.iter().for_each(|encoded| encoded.submitted());
        times[0].push(begin.elapsed());

        gpu.device().poll(wgpu::PollType::wait_indefinitely())?;
        let begin = Instant::now();
        let mut encoder = gpu.device().create_command_encoder(&Default::default());
        (0..STEPS).for_each(|step| hand.step(&mut encoder, step));
        gpu.queue().submit([encoder.finish()]);
        times[1].push(begin.elapsed());
    }
    let pairs = now.to_vec_blocking()?.into_iter().zip(hand_now.to_vec_blocking()?);
    let difference = pairs.map(|(one, other)| (one - other).abs()).fold(0.0, f32::max);
    if difference.is_nan() || difference > 1e-3 {
        return Err(format!("the two differ by {difference}").into());
    }
    println!(
        "{}, {FRAMES} frames of {STEPS} steps, host time of a frame:",
        adapter.get_info().name
    );
    for (name, mut times) in ["indim", "by hand"].into_iter().zip(times) {
        times.sort_unstable();
        let at = |share: usize| times[FRAMES * share / 100].as_secs_f64() * 1e6;
        println!("  {name}: median {:.0} us, quartiles {:.0} and {:.0} us", at(50), at(25), at(75));
    }
    Ok(())
}

/// The kernel that is written by hand, with a bind group for each of two fields that it writes.
struct Hand {
    pipeline: wgpu::ComputePipeline,
    groups: [wgpu::BindGroup; 2],
}

impl Hand {
    fn new(gpu: &Context, [old, now]: [&Array<f32>; 2], drop: &Array<f32>) -> Result<Self> {
        let device = gpu.device();
        let module = device.create_shader_module(wgpu::include_wgsl!("step.wgsl"));
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: None,
            compilation_options: Default::default(),
            cache: None,
        });
        let ranges = [old.buffer()?, now.buffer()?, drop.buffer()?];
        let groups = [[0, 1, 2], [1, 0, 2]].map(|order| {
            let entries = [0, 1, 2].map(|binding| wgpu::BindGroupEntry {
                binding: binding as u32,
                resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                    buffer: &ranges[order[binding]].buffer,
                    offset: ranges[order[binding]].offset,
                    size: None,
                }),
            });
            device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: None,
                layout: &pipeline.get_bind_group_layout(0),
                entries: &entries,
            })
        });
        Ok(Self { pipeline, groups })
    }

    fn step(&self, encoder: &mut wgpu::CommandEncoder, step: usize) {
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.groups[step % 2], &[]);
        pass.dispatch_workgroups((N as u32 - 2).div_ceil(64), N as u32 - 2, 1);
    }
}

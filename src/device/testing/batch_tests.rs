//! Tests a result that several dispatches write.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::device::arrays::array::AnyArray;
use crate::device::context::Context;
use crate::device::memory::pool::BufferUse;
use crate::device::run::execute;
use crate::{Builder, Opcode};
use indim_core::semantics::error::Result;

/// Returns a context on a device whose bindings hold only a part of the array each.
fn small_bindings() -> Context {
    let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor {
        required_limits: wgpu::Limits {
            max_storage_buffer_binding_size: 64 << 10,
            ..wgpu::Limits::default()
        },
        ..wgpu::DeviceDescriptor::default()
    });
    Context::from_device(device, queue).unwrap()
}

/// Makes the next submission panic, which poisons what the batch writes.
fn breaks(gpu: &Context) {
    let theirs = gpu.device().create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 64,
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    theirs.map_async(wgpu::MapMode::Read, .., |_| {
        std::panic::resume_unwind(Box::new("the owner's callback"));
    });
    // Using an array of the batch returns it.
    gpu.flush().unwrap();
}

/// Records as `run` does, but another thread submits the batch after the first part, and wgpu
/// rejects it. Returns the result, and the outcome of recording each later part.
fn broken_behind_a_part(gpu: &Context, x: &AnyArray) -> (AnyArray, Vec<Result<()>>) {
    let mut builder = Builder::new();
    let p = builder.parameter(x.element_type(), x.shape().clone()).unwrap();
    let root = builder.unary(Opcode::Neg, p).unwrap();
    let computation = builder.build(root).unwrap();
    let program = execute::program(gpu, &computation, &[x.storage().layout()], None).unwrap();
    let [step] = &program.steps[..] else { panic!("one kernel") };
    let result =
        AnyArray::uninitialized(gpu, step.element_types[0], &step.shape, BufferUse::Result)
            .unwrap();
    let mut returned = Vec::new();
    for (number, part) in step.parts.iter().enumerate() {
        let bindings = [
            x.storage().binding(&part.operands[0].bytes),
            result.storage().binding(&part.results[0]),
        ];
        let mut batch = gpu.inner.stream.batch().unwrap();
        let recorded =
            batch.record(gpu.gpu(), &part.dispatch, &part.dispatch.words, &bindings, None);
        drop(batch);
        if number == 0 {
            recorded.unwrap();
            breaks(gpu);
        } else {
            returned.push(recorded);
        }
    }
    (result, returned)
}

#[test]
fn a_result_lacks_a_part_that_was_poisoned() {
    let gpu = small_bindings();
    let x = gpu.array([40_000], &vec![1.0f32; 40_000]).unwrap();
    gpu.wait().unwrap();
    let (result, returned) = broken_behind_a_part(&gpu, x.as_any());
    assert!(returned.len() >= 2, "{}", returned.len());
    for error in returned {
        assert!(error.unwrap_err().to_string().contains("the owner's callback"));
    }
    let whole = || {
        let result = result.clone().downcast::<f32>().unwrap();
        [
            result.to_vec_blocking().map(drop),
            pollster::block_on(result.to_vec()).map(drop),
            result.buffer().map(drop),
            (&result + 1.0).eval().map(drop),
        ]
    };
    for error in whole() {
        assert!(error.unwrap_err().to_string().contains("the owner's callback"));
    }
    // Its memory may then be another array's.
    drop(result);
    let reuses = gpu.stats().reuses;
    let other = (&x + 1.0).eval().unwrap();
    assert!(gpu.stats().reuses > reuses);
    other.to_vec_blocking().unwrap();
    (&other + 1.0).eval().unwrap().to_vec_blocking().unwrap();
}

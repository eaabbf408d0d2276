//! Tests the messages of arrays: data, arguments, contexts and the caller's buffers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use indim::ElementType::{F32, S32};
use indim::{ArrayError, Builder, Context, DeviceError, Error, Literal, Shape, wgpu};

use indim_testing::not_tested;

use super::{context_says, gpu, still_computes};
use indim_testing::messages::says;

#[test]
fn data_that_does_not_fill_the_shape() {
    says(Literal::from_slice([2, 3], &[true; 7]), "shape [2, 3] has 6 elements, but 7 were given");
    says(
        Literal::new(S32, [2, 3], vec![0; 6]),
        "shape [2, 3] of s32 takes 24 bytes, but 6 were given",
    );
    says(
        Literal::from_slice([2], &[1.0f32; 2]).unwrap().to_vec::<u32>(),
        "the array's element type is f32, not u32",
    );
    let gpu = gpu();
    context_says(
        &gpu,
        gpu.array([0, 3], &[1.0f32]),
        "shape [0, 3] has 0 elements, but 1 was given",
    );
    context_says(
        &gpu,
        gpu.array::<i32>(Shape::scalar(), &[]),
        "shape [] has 1 element, but 0 were given",
    );
    context_says(
        &gpu,
        gpu.array([usize::MAX, usize::MAX], &[1u32]),
        "array: shape [18446744073709551615, 18446744073709551615] has more elements than can be \
         counted (2^63 - 1, or what this machine can address); use smaller sizes or split the \
         array",
    );
    let literal = Literal::from_slice([2], &[true, false]).unwrap();
    context_says(
        &gpu,
        gpu.upload(&literal).unwrap().downcast::<f32>(),
        "the array's element type is pred, not f32",
    );
}

#[test]
fn arguments_that_do_not_fit_the_parameters() {
    let gpu = gpu();
    let mut b = Builder::new();
    let (x, y) = (b.parameter(F32, [2, 3]).unwrap(), b.parameter(F32, [3]).unwrap());
    let sum = b.add(x, y, &[1]).unwrap();
    let sum = b.build(sum).unwrap();
    let matrix = gpu.array([2, 3], &[1.0f32; 6]).unwrap();
    let (floats, integers) =
        (gpu.array([3], &[1.0f32; 3]).unwrap(), gpu.array([3], &[1i32; 3]).unwrap());
    context_says(
        &gpu,
        gpu.run(&sum, &[matrix.as_any()]),
        "the computation has 2 parameters, but 1 argument was given",
    );
    context_says(
        &gpu,
        gpu.run(&sum, &[matrix.as_any(), integers.as_any()]),
        "argument 1 is s32 [3], but parameter 1 is f32 [3]",
    );
    context_says(
        &gpu,
        gpu.run(&sum, &[floats.as_any(), floats.as_any()]),
        "argument 0 is f32 [3], but parameter 0 is f32 [2, 3]",
    );
    let good = gpu.run(&sum, &[matrix.as_any(), floats.as_any()]).unwrap();
    assert_eq!(good.downcast::<f32>().unwrap().to_vec_blocking().unwrap(), [2.0; 6]);
}

#[test]
fn arrays_of_two_contexts() {
    let first = gpu();
    // On the same device, so that they differ only in the context; then on another one.
    let shared = Context::from_device(first.device().clone(), first.queue().clone()).unwrap();
    for second in [shared, gpu()] {
        let x = first.array([2], &[1.0f32, 2.0]).unwrap();
        let y = second.array([2], &[3.0f32, 4.0]).unwrap();
        let told = "the arrays of one operation come from two contexts; upload them to one, or \
                    share one context by cloning it";
        context_says(&first, indim::add(&x, &y, &[]), told);
        context_says(&second, (&y * &x).eval(), told);
        context_says(&first, first.eval(&y.expr()), told);
        let mut b = Builder::new();
        let p = b.parameter(F32, [2]).unwrap();
        let identity = b.build(p).unwrap();
        context_says(&first, first.run(&identity, &[y.as_any()]), told);
        // A clone is the same context.
        let z = first.clone().array([2], &[5.0f32, 6.0]).unwrap();
        assert_eq!((&x + &z).eval().unwrap().to_vec_blocking().unwrap(), [6.0, 8.0]);
    }
}

const FOREIGN: wgpu::BufferUsages = wgpu::BufferUsages::STORAGE
    .union(wgpu::BufferUsages::COPY_SRC)
    .union(wgpu::BufferUsages::COPY_DST);

fn buffer(device: &wgpu::Device, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("the test's"),
        size,
        usage,
        mapped_at_creation: false,
    })
}

#[test]
fn buffers_that_do_not_fit() {
    let gpu = gpu();
    let take = |shape: &[usize], size, usage, offset| {
        gpu.array_from_buffer::<f32>(shape, buffer(gpu.device(), size, usage), offset)
    };
    context_says(&gpu, take(&[2], 64, FOREIGN, 2), "offset 2 is not a multiple of 4 bytes");
    context_says(
        &gpu,
        take(&[2, 8], 64, FOREIGN, 4),
        "shape [2, 8] of f32 takes 64 bytes (whole 4-byte words) from offset 4, but the buffer has \
         only 64 bytes",
    );
    context_says(
        &gpu,
        take(&[2], 64, FOREIGN, u64::MAX - 3),
        "shape [2] of f32 takes 8 bytes (whole 4-byte words) from offset 18446744073709551612, but \
         the buffer has only 64 bytes",
    );
    context_says(
        &gpu,
        take(&[(1 << 61) - 1], 64, FOREIGN, 8),
        "shape [2305843009213693951] of f32 takes 9223372036854775804 bytes (whole 4-byte words) \
         from offset 8, but the buffer has only 64 bytes",
    );
    context_says(
        &gpu,
        take(&[usize::MAX], 64, FOREIGN, 0),
        "array: shape [18446744073709551615] has more elements than can be counted (2^63 - 1, or \
         what this machine can address); use smaller sizes or split the array",
    );
    // The last word of truth values must also be there.
    let bytes = buffer(gpu.device(), 64, FOREIGN);
    context_says(
        &gpu,
        gpu.array_from_buffer::<bool>([61], bytes.clone(), 4),
        "shape [61] of pred takes 64 bytes (whole 4-byte words) from offset 4, but the buffer has \
         only 64 bytes",
    );
    assert!(gpu.array_from_buffer::<bool>([57], bytes, 4).is_ok());
    context_says(
        &gpu,
        take(&[2], 64, wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST, 0),
        "the buffer's usage is COPY_SRC | COPY_DST, but STORAGE is needed; create it with that flag",
    );
    let unreadable = take(&[2], 64, wgpu::BufferUsages::STORAGE, 0).unwrap();
    context_says(
        &gpu,
        unreadable.to_vec_blocking(),
        "the buffer's usage is STORAGE, but COPY_SRC is needed; create it with that flag",
    );
    assert_eq!(indim::neg(&unreadable).unwrap().to_vec_blocking().unwrap(), [-0.0, -0.0]);
    // Nothing is read of an array without elements, wherever it starts.
    let none = take(&[0], 64, FOREIGN, 64).unwrap();
    assert!(indim::neg(&none).unwrap().to_vec_blocking().unwrap().is_empty());
}

/// wgpu numbers the buffers of each instance from 0, so another instance's buffer may have
/// the number of one of the context's.
#[test]
fn buffers_of_another_device() {
    let gpu = gpu();
    #[track_caller]
    fn refused(gpu: &Context, buffer: &wgpu::Buffer) {
        let error = gpu.array_from_buffer::<f32>([4], buffer.clone(), 0).unwrap_err();
        assert!(matches!(&error, Error::Array(ArrayError::OtherDevice)), "{error}");
        assert_eq!(
            error.to_string(),
            "the buffer belongs to another device than the context's; create it with \
             Context::device"
        );
        still_computes(gpu);
    }
    // The buffer is of a context on an instance of its own.
    let other = self::gpu();
    for _ in 0..3 {
        let theirs = buffer(other.device(), 64, FOREIGN);
        refused(&gpu, &theirs);
        let ours = buffer(gpu.device(), 64, FOREIGN);
        refused(&other, &ours);
        // Having been refused elsewhere changes nothing.
        let x = other.array_from_buffer::<f32>([4], theirs.clone(), 0).unwrap();
        let y = other.array_from_buffer::<f32>([4], theirs, 16).unwrap();
        assert_eq!((&x + &y).eval().unwrap().to_vec_blocking().unwrap(), [0.0; 4]);
        assert!(gpu.array_from_buffer::<f32>([4], ours, 0).is_ok());
    }
    // The buffer is on a caller-owned device, whose errors go to wgpu's default handler, which
    // panics.
    let (plain, _queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
    refused(&gpu, &buffer(&plain, 64, FOREIGN));
    // The buffer is of another device on the same adapter.
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends: gpu.adapter_info().backend.into(),
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let adapter = pollster::block_on(instance.request_adapter(&Default::default())).unwrap();
    let open = || pollster::block_on(adapter.request_device(&Default::default())).unwrap();
    let ((device, queue), (second, _)) = (open(), open());
    let mine = Context::from_device(device, queue).unwrap();
    refused(&mine, &buffer(&second, 64, FOREIGN));
    // A destroyed buffer still belongs to this device.
    let gone = buffer(gpu.device(), 64, FOREIGN);
    gone.destroy();
    let error = gpu.array_from_buffer::<f32>([4], gone, 0).unwrap_err();
    assert!(matches!(&error, Error::Device(DeviceError::Wgpu { .. })), "{error}");
    still_computes(&gpu);
}

/// Returns a caller-owned device that maps any buffer, if the adapter can, so that buffers of its
/// contexts are mappable on software adapters. Uncaught errors go to `told`.
fn mapping_device(told: &Arc<AtomicUsize>) -> (wgpu::Device, wgpu::Queue) {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends: gpu().adapter_info().backend.into(),
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let adapter = pollster::block_on(instance.request_adapter(&Default::default())).unwrap();
    let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
        required_features: adapter.features() & wgpu::Features::MAPPABLE_PRIMARY_BUFFERS,
        ..Default::default()
    }))
    .unwrap();
    let told = Arc::clone(told);
    device.on_uncaptured_error(Arc::new(move |_| {
        told.fetch_add(1, Ordering::SeqCst);
    }));
    (device, queue)
}

/// On software adapters their buffers can be mapped.
#[test]
fn buffers_that_another_context_gave_out() {
    #[track_caller]
    fn refused(gpu: &Context, buffer: &wgpu::Buffer) {
        for _ in 0..2 {
            let error = gpu.array_from_buffer::<f32>([4], buffer.clone(), 0).unwrap_err();
            assert!(matches!(&error, Error::Array(ArrayError::OtherDevice)), "{error}");
        }
        still_computes(gpu);
    }
    let told = Arc::new(AtomicUsize::new(0));
    let theirs = || {
        let (device, queue) = mapping_device(&told);
        Context::from_device(device, queue).unwrap()
    };
    let contexts = [gpu(), gpu(), theirs(), theirs()];
    let numbers = [1.0f32, 2.0, 3.0, 4.0];
    let arrays = contexts.each_ref().map(|gpu| gpu.array([4], &numbers).unwrap());
    let buffers = arrays.each_ref().map(|array| array.buffer().unwrap().buffer);
    for (owner, buffer) in buffers.iter().enumerate() {
        for (number, gpu) in contexts.iter().enumerate() {
            if number != owner {
                refused(gpu, buffer);
            }
        }
        // Having been refused elsewhere changes nothing.
        let again = contexts[owner].array_from_buffer::<f32>([4], buffer.clone(), 0).unwrap();
        assert_eq!((&again + 1.0).eval().unwrap().to_vec_blocking().unwrap(), [2.0, 3.0, 4.0, 5.0]);
    }
    // Another context on the same device may have it.
    let (device, queue) = (contexts[0].device().clone(), contexts[0].queue().clone());
    let beside = Context::from_device(device, queue).unwrap();
    let shared = beside.array_from_buffer::<f32>([4], buffers[0].clone(), 0).unwrap();
    assert_eq!(shared.to_vec_blocking().unwrap(), numbers);
    assert_eq!(told.load(Ordering::SeqCst), 0, "no owner hears of it");

    // The context that exported it is gone.
    let (left, [gone, staying, ..]) = (buffers[0].clone(), contexts);
    drop((shared, beside, arrays, gone));
    refused(&staying, &left);
    // It can still be mapped, if its usage says so.
    if left.usage().contains(wgpu::BufferUsages::MAP_READ) {
        let failed = Arc::new(AtomicBool::new(false));
        let tells = Arc::clone(&failed);
        left.map_async(wgpu::MapMode::Read, .., move |mapped| {
            tells.store(mapped.is_err(), Ordering::SeqCst);
        });
        assert!(!failed.load(Ordering::SeqCst));
    }
}

/// A buffer that its owner has mapped, or is about to map, does not reveal its device.
#[test]
fn buffers_that_are_mapped() {
    let gpu = gpu();
    let x = gpu.array([4], &[1.0f32, 2.0, 3.0, 4.0]).unwrap();
    let buffer = x.buffer().unwrap().buffer;
    if !buffer.usage().contains(wgpu::BufferUsages::MAP_READ) {
        return not_tested::on_this_adapter(&gpu, "nobody can map a buffer of an array");
    }
    let mapped = Arc::new(AtomicBool::new(false));
    let tells = Arc::clone(&mapped);
    buffer.map_async(wgpu::MapMode::Read, .., move |result| {
        result.unwrap();
        tells.store(true, Ordering::SeqCst);
    });
    let take = || gpu.array_from_buffer::<f32>([4], buffer.clone(), 0);
    context_says(&gpu, take(), "the buffer is mapped, or about to be; unmap it first");
    gpu.wait().unwrap();
    assert!(mapped.load(Ordering::SeqCst), "the owner's mapping goes on");
    context_says(&gpu, take(), "the buffer is mapped, or about to be; unmap it first");
    let view = buffer.get_mapped_range(..16).unwrap();
    assert_eq!(view[..4], 1.0f32.to_le_bytes());
    drop(view);
    buffer.unmap();
    assert_eq!(take().unwrap().to_vec_blocking().unwrap(), [1.0, 2.0, 3.0, 4.0]);
}

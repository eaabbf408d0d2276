//! Tests arrays and contexts: foreign buffers, the pool, waiting, loss.

use std::future::Future;
use std::pin::pin;
use std::task::{Poll, Waker};
use std::time::Duration;

use indim::half::slice::{HalfBitsSliceExt as _, HalfFloatSliceExt as _};
use indim::half::{bf16, f16};
use indim::num_complex::Complex32;
use indim::{Array, ArrayError, Context, DeviceError, Error, Expr, wgpu};
use indim_testing::contexts::{gpu, iota, values};
use indim_testing::{contexts, not_tested, process};

const FOREIGN: wgpu::BufferUsages = wgpu::BufferUsages::STORAGE
    .union(wgpu::BufferUsages::COPY_SRC)
    .union(wgpu::BufferUsages::COPY_DST);

fn buffer(gpu: &Context, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    gpu.device().create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size,
        usage,
        mapped_at_creation: false,
    })
}

#[test]
fn faces_are_send_and_sync() {
    fn check<T: Send + Sync>() {}
    check::<Context>();
    check::<Array<f32>>();
    check::<Expr<bool>>();
    check::<Error>();
}

#[test]
fn arrays_are_shown_by_type_and_shape() {
    let x = gpu().array([2, 3], &iota(6)).unwrap();
    assert_eq!(format!("{x:?} {:?}", x.as_any()), "Array(f32[2, 3]) AnyArray(f32[2, 3])");
}

/// Slices of types with the bits of an element are cast, and each bit arrives.
#[test]
fn contexts_are_shown_by_adapter() {
    let gpu = gpu();
    let info = gpu.adapter_info();
    let shown = format!("Context({}, {})", info.name, info.backend);
    assert_eq!(format!("{gpu:?}"), shown);
    (gpu.array([4], &iota(4)).unwrap() + 1.0).eval().unwrap();
    assert_eq!(format!("{gpu:#?}"), shown, "kernels are not in it");
}

#[test]
fn bit_patterns_go_up_and_come_back() {
    let gpu = gpu();
    let patterns: &[u16] = &[0x3f80, 0x7fc1, 0x8000];
    let halves = gpu.array([3], patterns.reinterpret_cast::<f16>()).unwrap();
    assert_eq!(halves.to_vec_blocking().unwrap().reinterpret_cast(), patterns);
    let brains = gpu.array([3], patterns.reinterpret_cast::<bf16>()).unwrap();
    assert_eq!(brains.to_vec_blocking().unwrap().reinterpret_cast(), patterns);
    let pairs: &[[f32; 2]] = &[[1.0, -2.0], [0.5, 0.0]];
    let complex = gpu.array([2], bytemuck::cast_slice::<_, Complex32>(pairs)).unwrap();
    let back = complex.to_vec_blocking().unwrap();
    assert_eq!(back, [Complex32::new(1.0, -2.0), Complex32::new(0.5, 0.0)]);
    assert_eq!(bytemuck::cast_slice::<_, [f32; 2]>(&back), pairs);
}

#[test]
fn the_pool_does_not_upload_into_what_is_still_to_be_read() {
    let gpu = gpu();
    let x = gpu.array([1000], &iota(1000)).unwrap();
    let y = gpu.array([1000], &vec![1.0f32; 1000]).unwrap();
    gpu.wait().unwrap();
    // Recorded, not submitted: a write through the queue would come before it.
    let sum = indim::add(&x, &y, &[]).unwrap();
    drop(x);
    drop(y);
    let other = gpu.array([1000], &vec![-5.0f32; 1000]).unwrap();
    assert_eq!(values(&sum), (0..1000).map(|i| i as f32 + 1.0).collect::<Vec<_>>());
    assert_eq!(values(&other), vec![-5.0; 1000]);
}

/// Recorded work is submitted first, and has run when the wait returns true.
#[test]
fn a_wait_of_limited_time_ends_with_the_work_or_with_the_time() {
    let gpu = gpu();
    let x = gpu.array([1 << 20], &iota(1 << 20)).unwrap();
    let sines = |count| (0..count).fold(x.expr(), |x, _| x.sin()).eval().unwrap();
    drop(sines(40));
    assert!(gpu.wait_timeout(Duration::MAX).unwrap());
    let submissions = gpu.stats().submissions;
    let long: Vec<_> = (0..5).map(|_| sines(40)).collect();
    assert!(!gpu.wait_timeout(Duration::from_micros(1)).unwrap());
    assert!(gpu.stats().submissions > submissions);
    while !gpu.wait_timeout(Duration::from_millis(20)).unwrap() {}
    drop(long);
}

#[test]
fn results_are_recycled() {
    let gpu = gpu();
    let x = gpu.array([10_000], &iota(10_000)).unwrap();
    for _ in 0..100 {
        drop((&x + 1.0).eval().unwrap());
    }
    let stats = gpu.stats();
    assert_eq!((stats.allocations, stats.reuses), (2, 99), "x, one result, and that 99 times");
    gpu.trim();
    assert_eq!((gpu.stats().pooled_bytes, gpu.stats().pipelines), (0, 0));
    assert_eq!(values(&(&x + 1.0).eval().unwrap())[9_999], 10_000.0);
}

#[test]
fn a_buffer_given_out_is_never_recycled() {
    let gpu = gpu();
    let x = gpu.array([6], &iota(6)).unwrap();
    let y = (&x + 1.0).eval().unwrap();
    let range = y.buffer().unwrap();
    assert_eq!((range.offset, range.size), (0, 24));
    drop(y);
    for _ in 0..10 {
        drop(gpu.array([6], &[9.0f32; 6]).unwrap());
        drop((&x * 9.0).eval().unwrap());
    }
    let seen = gpu.array_from_buffer::<f32>([6], range.buffer, range.offset).unwrap();
    assert_eq!(values(&seen), [1., 2., 3., 4., 5., 6.]);
}

#[test]
fn foreign_buffers_of_any_offset_and_size_are_read_whole() {
    let gpu = gpu();
    for count in [1, 3, 4, 5, 7, 8, 64, 129] {
        for offset in [0u64, 4, 8, 12, 16, 20, 252, 256, 260, 512] {
            for slack in [0, 4, 12, 16] {
                let bytes = offset + 4 * count as u64;
                let foreign = buffer(&gpu, bytes + slack, FOREIGN);
                gpu.queue().write_buffer(&foreign, offset, bytemuck::cast_slice(&iota(count)));
                let x = gpu.array_from_buffer::<f32>([count], foreign, offset).unwrap();
                let label = format!("{count} elements at {offset}, {slack} bytes behind");
                assert_eq!(values(&x), iota(count), "{label}");
                let sum = (&x + 0.5).eval().unwrap();
                let want: Vec<f32> = iota(count).iter().map(|v| v + 0.5).collect();
                assert_eq!(values(&sum), want, "{label}");
                let column = gpu.array([3, 1], &[0.0f32, 100.0, 200.0]).unwrap();
                let outer = (x.in_dim([1]) + &column).eval().unwrap();
                let want: Vec<f32> = (0..3 * count)
                    .map(|k| (k % count) as f32 + 100.0 * (k / count) as f32)
                    .collect();
                assert_eq!(values(&outer), want, "{label}");
            }
        }
    }
}

#[test]
fn foreign_truth_values_are_bytes() {
    let gpu = gpu();
    for count in [1usize, 4, 5, 11] {
        for offset in [0u64, 4, 8, 256] {
            let bytes = (offset + count as u64).next_multiple_of(4);
            let foreign = buffer(&gpu, bytes, FOREIGN);
            let data: Vec<u8> = (0..bytes).map(|i| u8::from(i.is_multiple_of(3))).collect();
            gpu.queue().write_buffer(&foreign, 0, &data);
            let p = gpu.array_from_buffer::<bool>([count], foreign, offset).unwrap();
            let got = (!&p).eval().unwrap().to_vec_blocking().unwrap();
            let want: Vec<bool> =
                (0..count).map(|i| !(offset as usize + i).is_multiple_of(3)).collect();
            assert_eq!(got, want, "{count} at {offset}");
        }
    }
}

#[test]
fn what_a_foreign_buffer_lacks_is_said() {
    let gpu = gpu();
    let take = |size, usage, offset| {
        gpu.array_from_buffer::<f32>([4], buffer(&gpu, size, usage), offset).unwrap_err()
    };
    let text = take(64, FOREIGN, 2).to_string();
    assert_eq!(text, "offset 2 is not a multiple of 4 bytes");
    assert!(matches!(take(16, FOREIGN, 4), Error::Array(ArrayError::BufferTooSmall { .. })));
    assert!(matches!(take(16, FOREIGN, u64::MAX - 3), Error::Array(_)), "no overflow");
    assert_eq!(
        take(16, wgpu::BufferUsages::COPY_DST, 0).to_string(),
        "the buffer's usage is COPY_DST, but STORAGE is needed; create it with that flag"
    );
    let unreadable = buffer(&gpu, 16, wgpu::BufferUsages::STORAGE);
    let x = gpu.array_from_buffer::<f32>([4], unreadable, 0).unwrap();
    assert!(matches!(x.to_vec_blocking(), Err(Error::Array(ArrayError::Usage { .. }))));
    assert_eq!(values(&(&x + 1.0).eval().unwrap()), [1.0; 4], "it can be computed with");
}

#[test]
fn a_callers_device_serves_too() {
    let own = gpu();
    // A caller-owned device, with the caller's callbacks.
    let shared = Context::from_device(own.device().clone(), own.queue().clone()).unwrap();
    let x = shared.array([3], &[1.0f32, 2.0, 3.0]).unwrap();
    assert_eq!(values(&(&x * 2.0).eval().unwrap()), [2.0, 4.0, 6.0]);
    shared.notify_lost("the caller says so");
    let error = x.to_vec_blocking().unwrap_err();
    assert!(matches!(error, Error::Device(DeviceError::Lost { .. })), "{error}");
    assert!((&x + 1.0).eval().is_err() && shared.array([1], &[0.0f32]).is_err());
    assert_eq!(values(&own.array([1], &[7.0f32]).unwrap()), [7.0], "the other one lives");
}

#[test]
fn readings_may_be_awaited_together_and_given_up() {
    let gpu = gpu();
    let x = gpu.array([100], &iota(100)).unwrap();
    let arrays: Vec<_> = (0..8).map(|i| (&x + i as f32).eval().unwrap()).collect();
    std::thread::scope(|scope| {
        for (i, array) in arrays.iter().enumerate() {
            scope.spawn(move || {
                let got = pollster::block_on(array.to_vec()).unwrap();
                assert_eq!(got[99], 99.0 + i as f32);
            });
        }
    });
    // Polled once, then dropped.
    for array in &arrays {
        let mut reading = Box::pin(array.to_vec());
        let mut context = std::task::Context::from_waker(Waker::noop());
        let _: Poll<_> = reading.as_mut().poll(&mut context);
    }
    assert_eq!(values(&arrays[3])[0], 3.0);
}

#[test]
fn a_task_that_waits_hears_of_the_loss() {
    let gpu = gpu();
    let x = gpu.array([1 << 20], &vec![1.0f32; 1 << 20]).unwrap();
    let mut slow = x.clone();
    for _ in 0..40 {
        slow = slow.tan().tan().eval().unwrap();
    }
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| pollster::block_on(slow.to_vec()));
        gpu.device().destroy();
        // Either it was read in time or the loss is reported; it does not hang.
        if let Err(error) = waiting.join().unwrap() {
            assert!(matches!(error, Error::Device(_)), "{error}");
        }
    });
    gpu.notify_lost("destroyed");
    let started = std::time::Instant::now();
    assert!(matches!(x.to_vec_blocking(), Err(Error::Device(DeviceError::Lost { .. }))));
    assert!(started.elapsed().as_secs() < 5);
    assert_eq!(values(&self::gpu().array([1], &[2.0f32]).unwrap()), [2.0], "a new context works");
}

#[test]
fn the_first_call_after_a_loss_says_so() {
    let gpu = gpu();
    let x = gpu.array([3], &[1.0f32, 2.0, 3.0]).unwrap();
    let sum = (&x + 1.0).eval().unwrap();
    gpu.device().destroy();
    let error = sum.to_vec_blocking().unwrap_err();
    assert!(matches!(error, Error::Device(DeviceError::Lost { .. })), "{error}");
}

#[test]
fn bad_input_leaves_the_context_usable() {
    let gpu = gpu();
    let count = gpu.array([2, 3], &iota(5)).unwrap_err();
    assert_eq!(count.to_string(), "shape [2, 3] has 6 elements, but 5 were given");
    assert!(gpu.array([usize::MAX, usize::MAX], &iota(1)).is_err());
    let one = gpu.array([1], &[1.0f32]).unwrap();
    let huge = indim::broadcast(&one, &[1_i64 << 40]).unwrap_err();
    assert!(matches!(huge, Error::Device(DeviceError::TooLarge { .. })), "{huge}");
    let overflow = indim::broadcast(&one, &[i64::MAX, 4]).unwrap_err();
    assert_eq!(overflow.rule(), Some(indim::Rule::C1));
    assert_eq!(values(&(&one + &one).eval().unwrap()), [2.0]);
}

#[test]
fn a_future_is_not_needed_to_be_polled_twice_for_nothing() {
    // An array without elements is there at once.
    let gpu = gpu();
    let none = gpu.array([0], &[] as &[f32]).unwrap();
    let mut reading = pin!(none.to_vec());
    let mut context = std::task::Context::from_waker(Waker::noop());
    assert!(matches!(reading.as_mut().poll(&mut context), Poll::Ready(Ok(v)) if v.is_empty()));
}

/// The test runs in a process of its own, whose memory is limited.
#[cfg(target_os = "linux")]
#[test]
fn what_waits_for_reuse_is_given_back_when_memory_runs_out() {
    if gpu().adapter_info().device_type != wgpu::DeviceType::Cpu {
        return not_tested::on_this_adapter(&gpu(), "its memory is not the process's");
    }
    if !process::alone(
        "arrays::what_waits_for_reuse_is_given_back_when_memory_runs_out",
        Some(3_000_000),
    ) {
        return;
    }
    // The arrays are to be large.
    let gpu = contexts::of_the_adapter();
    let one = gpu.array([1], &[1.0f32]).unwrap();
    // Mesa's OpenGL promises memory that it does not have, and never reports a shortage.
    let promised = gpu.adapter_info().backend == wgpu::Backend::Gl;
    let mut before = 0;
    // SwiftShader allocates less than 1 GiB at a time. The third does not fit beside the others.
    for (mebibytes, fits) in [(832, true), (896, true), (960, false)] {
        let large = indim::broadcast(&one, &[mebibytes << 18]).unwrap();
        gpu.wait().unwrap();
        drop(large);
        // The others are no longer there when the third one has come.
        let kept = if fits || promised { before } else { 0 };
        assert_eq!(gpu.stats().pooled_bytes >> 20, kept + mebibytes as u64);
        before += mebibytes as u64;
    }
}

// ---- ways in and out ----------------------------------------------------------------------------

/// Returns a context on a caller-owned device without the feature that mapping arrays takes.
fn plain() -> Context {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapter =
        pollster::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default()));
    let device = adapter.unwrap().request_device(&wgpu::DeviceDescriptor::default());
    let (device, queue) = pollster::block_on(device).unwrap();
    Context::from_device(device, queue).unwrap()
}

#[test]
fn every_size_goes_up_and_comes_back() {
    for gpu in [gpu(), plain()] {
        for round in 0..3 {
            for count in [1usize, 2, 3, 5, 64, 1023, 1024, 70_001] {
                let data: Vec<u32> = (0..count as u32).map(|i| i.wrapping_mul(7) + round).collect();
                let x = gpu.array([count], &data).unwrap();
                assert!(x.to_vec_blocking().unwrap() == data, "{count}");
                assert!(pollster::block_on(x.to_vec()).unwrap() == data, "{count}");
                let p: Vec<bool> = data.iter().map(|n| n % 3 == 0).collect();
                let y = gpu.array([count], &p).unwrap();
                assert!(
                    (!&y)
                        .eval()
                        .unwrap()
                        .to_vec_blocking()
                        .unwrap()
                        .iter()
                        .zip(&p)
                        .all(|(a, b)| a != b)
                );
                let literal = y.as_any().to_literal_blocking().unwrap();
                assert!(literal.to_vec::<bool>().unwrap() == p);
            }
        }
        assert!(gpu.array::<f32>([0, 3], &[]).unwrap().to_vec_blocking().unwrap().is_empty());
    }
}

/// Software adapters read arrays where they lie; others copy them into staging.
#[test]
fn the_way_back_goes_by_the_adapter() {
    for (gpu, may_map) in [(gpu(), true), (plain(), false)] {
        let software = gpu.adapter_info().device_type == wgpu::DeviceType::Cpu
            && gpu.device().features().contains(wgpu::Features::MAPPABLE_PRIMARY_BUFFERS);
        let x = gpu.array([100], &iota(100)).unwrap();
        let sum = (&x + 1.0).eval().unwrap();
        assert_eq!(values(&sum)[99], 100.0);
        let stats = gpu.stats();
        assert_eq!(stats.downloaded_bytes, 400);
        assert_eq!(stats.copied_bytes, if may_map && software { 0 } else { 400 });
        // Also for a caller-owned buffer, which may be in use.
        let buffer = sum.buffer().unwrap().buffer;
        let copied = gpu.stats().copied_bytes;
        assert_eq!(values(&sum)[99], 100.0);
        assert_eq!(gpu.stats().copied_bytes, copied + 400);
        drop(buffer);
    }
}

/// A mapped buffer must not be in a submission: reading and computing meet here.
#[test]
fn readings_and_computations_of_one_array_at_a_time() {
    let gpu = gpu();
    let x = gpu.array([40_000], &iota(40_000)).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for _ in 0..100 {
                    assert_eq!(values(&x)[39_999], 39_999.0);
                }
            });
        }
        scope.spawn(|| {
            for _ in 0..100 {
                assert_eq!(pollster::block_on(x.to_vec()).unwrap()[39_998], 39_998.0);
            }
        });
        for n in 0..2 {
            let (gpu, x) = (&gpu, &x);
            scope.spawn(move || {
                for step in 0..150 {
                    let sum = (x + (n + step) as f32).eval().unwrap();
                    gpu.flush().unwrap();
                    if step % 10 == 0 {
                        assert_eq!(values(&sum)[1], 1.0 + (n + step) as f32);
                    }
                }
            });
        }
        scope.spawn(|| {
            for step in 0..100 {
                let y = gpu.array([40_000], &vec![step as f32; 40_000]).unwrap();
                assert_eq!(values(&(&x + &y).eval().unwrap())[2], 2.0 + step as f32);
            }
        });
    });
}

/// A readback does not disturb commands that the caller submits with an exported buffer.
#[test]
fn a_buffer_given_out_is_never_mapped() {
    let gpu = gpu();
    let x = gpu.array([1000], &iota(1000)).unwrap();
    let range = x.buffer().unwrap();
    let copy = buffer(&gpu, 4000, FOREIGN);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..100 {
                assert_eq!(values(&x)[999], 999.0);
            }
        });
        for _ in 0..100 {
            let mut encoder = gpu.device().create_command_encoder(&Default::default());
            encoder.copy_buffer_to_buffer(&range.buffer, range.offset, &copy, 0, Some(4000));
            let scope = gpu.device().push_error_scope(wgpu::ErrorFilter::Validation);
            gpu.queue().submit([encoder.finish()]);
            assert!(pollster::block_on(scope.pop()).is_none());
        }
    });
    let copied = gpu.array_from_buffer::<f32>([1000], copy, 0).unwrap();
    assert_eq!(values(&copied), iota(1000));
}

/// Uploads take buffers whose last use may not have run yet.
#[test]
fn uploads_wait_for_nobody_and_overwrite_nothing() {
    for gpu in [gpu(), plain()] {
        let mut sums = Vec::new();
        for n in 0..60 {
            let x = gpu.array([300_000], &vec![n as f32; 300_000]).unwrap();
            sums.push((&x * 2.0).tanh().eval().unwrap());
            drop(x);
            if n % 3 == 0 {
                gpu.flush().unwrap();
            }
        }
        for (n, sum) in sums.iter().enumerate() {
            let all = values(sum);
            let want = (2.0 * n as f32).tanh();
            assert!(all.iter().all(|v| (v - want).abs() < 1e-5), "{n}: {} {want}", all[0]);
        }
        assert!(gpu.stats().allocations < 100, "{:?}", gpu.stats());
    }
}

/// The order of writes, as it is documented: a write is seen by what is submitted after it, also if
/// that was recorded before it.
#[test]
fn a_flush_keeps_a_later_write_from_what_is_recorded() {
    for gpu in [gpu(), plain()] {
        let (old, new) = (vec![1.0f32; 1000], vec![5.0f32; 1000]);
        let exported = gpu.array([1000], &old).unwrap();
        let given_out = exported.buffer().unwrap().buffer;
        let theirs = buffer(&gpu, 4000, FOREIGN);
        let taken = gpu.array_from_buffer::<f32>([1000], theirs.clone(), 0).unwrap();
        for (array, buffer) in [(&exported, &given_out), (&taken, &theirs)] {
            for flushes in [false, true] {
                let write = |values: &[f32]| {
                    gpu.queue().write_buffer(buffer, 0, bytemuck::cast_slice(values));
                };
                write(&old);
                gpu.queue().submit([]);
                // Eager functions also record.
                let before =
                    [(array + 1.0).eval().unwrap(), indim::add(array, array, &[]).unwrap()];
                if flushes {
                    gpu.flush().unwrap();
                }
                write(&new);
                let after = (array + 1.0).eval().unwrap();
                let seen = if flushes { 1.0 } else { 5.0 };
                assert_eq!(values(&before[0])[7], seen + 1.0);
                assert_eq!(values(&before[1])[999], seen + seen);
                assert_eq!(values(&after)[7], 6.0);
                assert_eq!(values(array)[7], 5.0);
            }
        }
    }
}

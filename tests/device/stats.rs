//! Tests the counts that stand still in a loop that repeats itself: nothing is compiled, allocated,
//! bound or written twice. It compares [`indim::Stats`] and takes no times, so that it holds on any
//! machine.

use indim::{Array, Builder, Computation, Context, ElementType, Expr, Stats, wgpu};
use indim_testing::contexts::gpu;
use indim_testing::{contexts, not_tested};

fn noop() -> Context {
    let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
    Context::from_device(device, queue).unwrap()
}

fn ones(gpu: &Context, shape: &[usize]) -> Array<f32> {
    gpu.array(shape, &vec![1.0; shape.iter().product()]).unwrap()
}

/// Returns what must not grow in a loop that repeats itself.
fn standing(stats: Stats) -> [u64; 7] {
    [
        stats.pipelines,
        stats.compilations,
        stats.allocations,
        stats.staging_allocations,
        stats.bind_groups,
        stats.uniform_bytes,
        stats.pooled_bytes,
    ]
}

/// Runs `round` until it is warm, then some more; gives what the later rounds cost.
#[track_caller]
fn stands_still(gpu: &Context, mut round: impl FnMut()) -> Stats {
    for _ in 0..3 {
        round();
    }
    let before = gpu.stats();
    for _ in 0..20 {
        round();
    }
    let after = gpu.stats();
    assert_eq!(standing(before), standing(after), "{before:#?} {after:#?}");
    let mut cost = Stats::default();
    cost.dispatches = after.dispatches - before.dispatches;
    cost.submissions = after.submissions - before.submissions;
    cost.reuses = after.reuses - before.reuses;
    cost.bind_group_reuses = after.bind_group_reuses - before.bind_group_reuses;
    cost.uploaded_bytes = after.uploaded_bytes - before.uploaded_bytes;
    cost.downloaded_bytes = after.downloaded_bytes - before.downloaded_bytes;
    cost.copied_bytes = after.copied_bytes - before.copied_bytes;
    cost
}

#[test]
fn eager_operations_stand_still() {
    let gpu = noop();
    let (x, y) = (ones(&gpu, &[64]), ones(&gpu, &[64]));
    // 100 dependent ones and a wait: one submission.
    let cost = stands_still(&gpu, || {
        let mut sum = x.clone();
        for _ in 0..100 {
            sum = indim::add(&sum, &y, &[]).unwrap();
        }
        gpu.wait().unwrap();
    });
    assert_eq!((cost.dispatches, cost.submissions), (2000, 20));
    assert_eq!((cost.reuses, cost.bind_group_reuses), (2000, 2000));
    assert_eq!((cost.uploaded_bytes, cost.downloaded_bytes, cost.copied_bytes), (0, 0, 0));
}

/// Eager calls are recorded when they return, and submitted when a batch is full or a result is
/// requested.
#[test]
fn eager_operations_are_recorded_and_submitted_together() {
    let gpu = noop();
    let x = ones(&gpu, &[64]);
    gpu.flush().unwrap();
    let before = gpu.stats();
    let since =
        |now: Stats| (now.dispatches - before.dispatches, now.submissions - before.submissions);
    for count in 1..=300 {
        drop(indim::add(&x, 1.0, &[]).unwrap());
        assert_eq!(since(gpu.stats()), (count, count / 128));
    }
    gpu.flush().unwrap();
    assert_eq!(since(gpu.stats()), (300, 3));
    let read = indim::add(&x, 1.0, &[]).unwrap();
    assert_eq!(since(gpu.stats()), (301, 3));
    read.to_vec_blocking().unwrap();
    assert_eq!(since(gpu.stats()), (301, 4));
}

#[test]
fn expressions_of_changing_constants_stand_still_but_for_their_parameters() {
    let gpu = noop();
    let (x, v) = (ones(&gpu, &[30, 8]), ones(&gpu, &[8]));
    let mut before = gpu.stats();
    for step in 0..500 {
        drop(((&x * step as f32) + v.in_dim([1])).eval().unwrap());
        gpu.flush().unwrap();
        if step == 3 {
            before = gpu.stats();
        }
    }
    let after = gpu.stats();
    assert_eq!(standing(before)[..5], standing(after)[..5]);
    // For a new constant, its block is written, with the gap between it and the block before.
    let written = (after.uniform_bytes - before.uniform_bytes) / 496;
    assert!((64..=256).contains(&written), "{written} bytes a kernel");
}

#[test]
fn uploads_and_readbacks_stand_still() {
    let gpu = noop();
    for count in [1usize, 5, 64, 1000, 70_000] {
        let data = vec![1.0_f32; count];
        let bytes = 4 * count as u64;
        let cost = stands_still(&gpu, || {
            let x = gpu.array([count], &data).unwrap();
            let sum = (&x + 1.0).eval().unwrap();
            assert_eq!(sum.to_vec_blocking().unwrap().len(), count);
        });
        assert_eq!((cost.uploaded_bytes, cost.downloaded_bytes), (20 * bytes, 20 * bytes));
        assert!([0, 20 * bytes].contains(&cost.copied_bytes), "{}", cost.copied_bytes);
    }
}

/// The last results wait for reuse, however large they are; others only up to a limit.
#[test]
fn large_results_are_recycled() {
    let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor {
        required_limits: wgpu::Limits { max_buffer_size: 1 << 30, ..wgpu::Limits::default() },
        ..wgpu::DeviceDescriptor::default()
    });
    let gpu = Context::from_device(device, queue).unwrap();
    let x = ones(&gpu, &[1 << 10]);
    let mebibytes = |n: i64| indim::broadcast(&x, &[n << 8]).unwrap();
    for _ in 0..3 {
        let two = [mebibytes(320), mebibytes(320)];
        gpu.flush().unwrap();
        drop(two);
    }
    assert_eq!((gpu.stats().allocations, gpu.stats().reuses), (3, 4));
    assert_eq!(gpu.stats().pooled_bytes >> 20, 640);
    for n in [64, 72, 80, 88, 96, 104, 112] {
        drop(mebibytes(n));
    }
    assert!(gpu.stats().pooled_bytes >> 20 <= 512, "{:?}", gpu.stats());
    gpu.trim();
    assert_eq!(gpu.stats().pooled_bytes, 0);
}

/// If nothing is recorded, a dropped buffer can be uploaded to at once.
#[test]
fn uploads_alone_stand_still() {
    let gpu = noop();
    for _ in 0..10 {
        drop(ones(&gpu, &[100]));
    }
    assert_eq!((gpu.stats().allocations, gpu.stats().reuses), (1, 9));
    // Now a command that waits reads it.
    drop((ones(&gpu, &[100]) + 1.0).eval().unwrap());
    drop(ones(&gpu, &[100]));
    assert_eq!(gpu.stats().allocations, 3, "the operand, the result, another upload");
}

/// An expression keeps what it needs to be evaluated again; that changes nothing.
#[test]
fn expressions_may_be_evaluated_again() {
    let (gpu, other) = (self::gpu(), self::gpu());
    let (x, y) = (gpu.array([3], &[1.0f32, 2.0, 3.0]).unwrap(), ones(&gpu, &[3]));
    for length in [1, 100, 400] {
        let sum = (0..length).fold(x.expr(), |sum, _| sum + &y);
        let shared = &sum * 2.0;
        for _ in 0..4 {
            let n = length as f32;
            assert_eq!(sum.eval().unwrap().to_vec_blocking().unwrap(), [n + 1.0, n + 2.0, n + 3.0]);
            let doubled = shared.eval().unwrap().to_vec_blocking().unwrap();
            assert_eq!(doubled, [2.0 * n + 2.0, 2.0 * n + 4.0, 2.0 * n + 6.0]);
            assert!(other.eval(&sum).is_err(), "its arrays are another context's");
        }
    }
    // An expression without arrays belongs to no context.
    let count = Expr::<f32>::iota(&[4], 0) + 1.0;
    for _ in 0..3 {
        for gpu in [&gpu, &other] {
            let array = gpu.eval(&count).unwrap();
            assert_eq!(array.to_vec_blocking().unwrap(), [1.0, 2.0, 3.0, 4.0]);
        }
        assert!(count.eval().is_err());
    }
}

/// Each array that is kept is a buffer and, once it is used, a bind group; no more than that.
#[test]
fn many_shapes_share_kernels_and_buffers() {
    let gpu = noop();
    let columns = |k: usize| 64 + k / 4;
    let shapes: Vec<_> = (0..1000).map(|k| [(1 << 14) / columns(k) + k % 4, columns(k)]).collect();
    let operands: Vec<_> = shapes.iter().map(|s| (ones(&gpu, s), ones(&gpu, &s[1..]))).collect();
    for (x, v) in &operands {
        drop(indim::add(x, v, &[1]).unwrap());
    }
    let first = gpu.stats();
    // A few rows are another kernel than many, and so is one; so are rows of 4.
    assert!(first.compilations <= 6, "{} kernels", first.compilations);
    assert!(first.allocations < 2000 + 50, "{} buffers", first.allocations);
    assert!(first.bind_groups <= 1000, "{} bind groups", first.bind_groups);
    for (x, v) in &operands {
        drop(indim::add(x, v, &[1]).unwrap());
    }
    let second = gpu.stats();
    assert_eq!((second.compilations, second.allocations), (first.compilations, first.allocations));
    assert_eq!(second.dispatches, 2000);
}

/// More blocks than the ring has room for, in many batches: each dispatch must see its own.
#[test]
fn the_ring_of_parameters_begins_again() {
    let ring = 16 << 10;
    let options = {
        let mut options = contexts::options();
        options.required_limits =
            Some(wgpu::Limits { max_buffer_size: ring, ..wgpu::Limits::default() });
        options
    };
    let gpu = Context::blocking_with_options(options).unwrap();
    let x = gpu.array([4], &[1.0f32, 2.0, 3.0, 4.0]).unwrap();
    let mut results = Vec::new();
    for step in 0..400 {
        results.push((&x * step as f32).eval().unwrap());
        if step % 50 == 0 {
            // One that was there before, and one with a table of its own.
            results.push((&x * 7.0).eval().unwrap());
            let table = (0..600).fold(x.expr(), |sum, n| sum + n as f32);
            results.push(table.eval().unwrap());
        }
    }
    let mut results = results.iter();
    for step in 0..400 {
        let factor = step as f32;
        let want = [factor, 2.0 * factor, 3.0 * factor, 4.0 * factor];
        assert_eq!(results.next().unwrap().to_vec_blocking().unwrap(), want);
        if step % 50 == 0 {
            assert_eq!(results.next().unwrap().to_vec_blocking().unwrap(), [7., 14., 21., 28.]);
            let sums = [1.0, 2.0, 3.0, 4.0].map(|x| x + 179_700.0);
            assert_eq!(results.next().unwrap().to_vec_blocking().unwrap(), sums);
        }
    }
    assert!(gpu.stats().uniform_bytes > 3 * ring, "{:?}", gpu.stats());
}

/// More bind groups than are kept.
#[test]
fn bind_groups_are_bounded() {
    let gpu = gpu();
    let x = gpu.array([2], &[1.0f32, 2.0]).unwrap();
    for _ in 0..2 {
        let arrays: Vec<_> = (0..5000).map(|n| (&x + n as f32).eval().unwrap()).collect();
        for (n, array) in arrays.iter().enumerate().step_by(501) {
            let doubled = (array * 2.0).eval().unwrap();
            let n = 2.0 * n as f32;
            assert_eq!(doubled.to_vec_blocking().unwrap(), [n + 2.0, n + 4.0]);
        }
    }
    assert!(gpu.stats().bind_groups > 5000);
}

/// A bind group keeps its buffers alive; a cached one must not do so for a buffer without an owner.
#[test]
fn bind_groups_keep_no_memory() {
    const BYTES: u64 = 16 << 20;
    let gpu = gpu();
    if contexts::allocated(&gpu).is_none() {
        return not_tested::on_this_adapter(&gpu, "it does not tell what it has allocated");
    }
    let x = gpu.array([2], &[1.0f32, 2.0]).unwrap();
    drop((&x + 1.0).eval().unwrap());
    gpu.trim();
    let allocated = |gpu: &Context| contexts::allocated(gpu).expect("a Vulkan device");
    let before = allocated(&gpu);

    // The pool's.
    drop((ones(&gpu, &[BYTES as usize / 4]) + 1.0).eval().unwrap());
    assert!(allocated(&gpu) >= before + BYTES, "it waits for reuse");
    gpu.trim();
    assert!(allocated(&gpu) < before + BYTES, "the pool is empty");

    // A foreign buffer, and an exported one.
    let foreign = gpu.device().create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: BYTES,
        usage: wgpu::BufferUsages::STORAGE,
        mapped_at_creation: false,
    });
    let array = gpu.array_from_buffer::<f32>([4], foreign, 0).unwrap();
    drop((&array + 1.0).eval().unwrap());
    drop(array);
    assert!(allocated(&gpu) < before + BYTES, "the foreign buffer is gone");
    let wide = ones(&gpu, &[BYTES as usize / 4]);
    let given_out = wide.buffer().unwrap();
    drop(wide.expr().lt(3.0).eval().unwrap());
    drop(wide);
    let held = allocated(&gpu);
    assert!(held >= before + BYTES, "it was given out");
    drop(given_out);
    assert!(allocated(&gpu) <= held - BYTES, "it is gone");

    // And they still bind what is there.
    assert_eq!((&x + 1.0).eval().unwrap().to_vec_blocking().unwrap(), [2.0, 3.0]);
}

/// A buffer of the same address and size may come after one that is gone.
#[test]
fn bind_groups_know_buffers_apart() {
    let gpu = gpu();
    let x = gpu.array([4], &[1.0f32; 4]).unwrap();
    for round in 0..50 {
        let foreign = gpu.device().create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 16,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        gpu.queue().write_buffer(&foreign, 0, bytemuck::cast_slice(&[round as f32; 4]));
        let foreign = gpu.array_from_buffer::<f32>([4], foreign, 0).unwrap();
        let sum = indim::add(&x, &foreign, &[]).unwrap();
        drop(foreign);
        if round % 7 == 0 {
            gpu.trim();
        }
        assert_eq!(sum.to_vec_blocking().unwrap(), [round as f32 + 1.0; 4]);
    }
}

// ---- prewarm ------------------------------------------------------------------------------------

fn sum_of_row(rows: i64, columns: i64) -> Computation {
    let mut b = Builder::new();
    let x = b.parameter(ElementType::F32, [rows as usize, columns as usize]).unwrap();
    let v = b.parameter(ElementType::F32, [columns as usize]).unwrap();
    let sum = b.add(x, v, &[1]).unwrap();
    b.build(sum).unwrap()
}

/// Two kernels: the sine of the column comes first.
fn sine_of_column() -> Computation {
    let mut b = Builder::new();
    let x = b.parameter(ElementType::F32, [64, 64]).unwrap();
    let v = b.parameter(ElementType::F32, [64]).unwrap();
    let v = b.sin(v).unwrap();
    let product = b.mul(x, v, &[0]).unwrap();
    b.build(product).unwrap()
}

#[test]
fn prewarmed_kernels_are_compiled_once() {
    let gpu = noop();
    let (wide, narrow, sine) = (sum_of_row(5, 8), sum_of_row(7, 12), sine_of_column());
    gpu.prewarm(&[]).unwrap();
    assert_eq!(gpu.stats(), noop().stats());
    gpu.prewarm(&[&wide, &narrow, &sine, &wide]).unwrap();
    let warm = gpu.stats();
    assert_eq!((warm.compilations, warm.pipelines), (3, 3), "a sum, a sine, a product");
    // One workgroup of each was run, on memory outside any array.
    assert_eq!((warm.dispatches, warm.submissions, warm.allocations), (3, 1, 0));
    gpu.prewarm(&[&sine, &narrow]).unwrap();
    let (x, v) = (ones(&gpu, &[64, 64]), ones(&gpu, &[64]));
    gpu.run(&sine, &[x.as_any(), v.as_any()]).unwrap();
    let (x, v) = (ones(&gpu, &[5, 8]), ones(&gpu, &[8]));
    gpu.run(&wide, &[x.as_any(), v.as_any()]).unwrap();
    // An expression of the same operation.
    drop(indim::add(&x, &v, &[1]).unwrap());
    assert_eq!((gpu.stats().compilations, gpu.stats().dispatches), (3, 3 + 4));
    // Kernels that were trimmed are compiled again.
    gpu.trim();
    gpu.prewarm(&[&wide]).unwrap();
    assert_eq!((gpu.stats().compilations, gpu.stats().pipelines), (4, 1));
}

#[test]
fn prewarm_refuses_what_a_run_refuses() {
    let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor {
        required_limits: wgpu::Limits { max_buffer_size: 1 << 16, ..wgpu::Limits::default() },
        ..wgpu::DeviceDescriptor::default()
    });
    let gpu = Context::from_device(device, queue).unwrap();
    let large = {
        let mut b = Builder::new();
        let v = b.parameter(ElementType::F32, [1 << 10]).unwrap();
        let large = b.broadcast(v, &[1 << 5]).unwrap();
        b.build(large).unwrap()
    };
    let v = ones(&gpu, &[1 << 10]);
    let said = gpu.prewarm(&[&large]).unwrap_err().to_string();
    assert_eq!(said, gpu.run(&large, &[v.as_any()]).unwrap_err().to_string());
    assert!(said.contains("max_buffer_size"), "{said}");
    assert_eq!(gpu.stats().compilations, 0);
    // A computation whose result is its argument needs no kernel.
    let mut b = Builder::new();
    let x = b.parameter(ElementType::F32, [4]).unwrap();
    gpu.prewarm(&[&b.build(x).unwrap()]).unwrap();
    assert_eq!(gpu.stats().compilations, 0);
    gpu.notify_lost("unplugged");
    assert!(gpu.prewarm(&[&sum_of_row(2, 4)]).unwrap_err().to_string().contains("unplugged"));
}

/// An array may be dropped while kernels that read it wait.
#[test]
fn dropped_operands_are_not_overwritten() {
    let gpu = gpu();
    let mut sums: Vec<(f32, Array<f32>)> = Vec::new();
    for n in 0..300 {
        let n = n as f32;
        let (x, y) = (gpu.array([5], &[n; 5]).unwrap(), gpu.array([5], &[1.0f32; 5]).unwrap());
        let sum: Expr<f32> = &x + &y * n;
        sums.push((2.0 * n, sum.eval().unwrap()));
    }
    for (want, sum) in sums {
        assert_eq!(sum.to_vec_blocking().unwrap(), [want; 5]);
    }
}

//! Tests the device's memory: the counts, how much waits for reuse, and what happens when there is
//! no more. `src/device/testing/reclaim_tests.rs` has the same for every allocation by
//! itself.

use indim::plan::PlanLimits;
use indim::{Array, Context, ContextOptions, DeviceError, Error, Memory, Result, wgpu};
use indim_testing::contexts::gpu;
use indim_testing::{contexts, not_tested, process};

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

/// Returns a context whose bytes go in and out through staging, and whose arrays have no spare
/// memory after them.
fn noop(options: &ContextOptions) -> Context {
    let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
    let mut options = options.clone();
    options.plan_limits = Some(PlanLimits::default());
    Context::from_device_with_options(device, queue, &options).unwrap()
}

fn bounded(bytes: u64) -> ContextOptions {
    let mut options = contexts::options();
    options.max_pooled_bytes = Some(bytes);
    options
}

fn ones(gpu: &Context, kibibytes: u64) -> Array<u8> {
    gpu.array([(kibibytes * KIB) as usize], &vec![1; (kibibytes * KIB) as usize]).unwrap()
}

#[track_caller]
fn counts(gpu: &Context, in_use: u64, pooled: u64, peak: u64) {
    let memory: Memory = gpu.memory();
    let kib = |bytes: u64| bytes as f64 / KIB as f64;
    assert_eq!(
        [memory.in_use, memory.pooled, memory.peak].map(kib),
        [in_use, pooled, peak].map(|n| n as f64)
    );
    assert_eq!(gpu.stats().pooled_bytes, memory.pooled);
}

// ---- what is counted ----------------------------------------------------------------------------

#[test]
fn buffers_of_arrays_are_counted() {
    let gpu = noop(&ContextOptions::default());
    counts(&gpu, 0, 0, 0);
    let x = ones(&gpu, 4);
    counts(&gpu, 4, 0, 4);
    let (clone, same) = (x.clone(), x.expr().eval().unwrap());
    counts(&gpu, 4, 0, 4);
    let y = (&x + 1).eval().unwrap();
    counts(&gpu, 8, 0, 8);
    drop((x, clone));
    counts(&gpu, 8, 0, 8);
    drop(same);
    counts(&gpu, 4, 4, 8);
    // Sizes are rounded up.
    let odd = gpu.array([5], &[1.0f32; 5]).unwrap();
    assert_eq!(gpu.memory().in_use, 4 * KIB + 256);
    drop((odd, y));
    assert_eq!((gpu.memory().in_use, gpu.memory().pooled), (0, 8 * KIB + 256));
    gpu.trim();
    assert_eq!((gpu.memory().in_use, gpu.memory().pooled, gpu.memory().peak), (0, 0, 8 * KIB));
}

/// On every adapter; on CPU adapters, arrays have spare memory after them.
#[test]
fn small_arrays_take_at_most_512_bytes_each() {
    const COUNT: u64 = 100;
    let gpu = gpu();
    for (len, most) in [(1, 256), (64, 256), (128, 512)] {
        let before = gpu.memory().in_use;
        let uploaded: Vec<_> =
            (0..COUNT).map(|n| gpu.array([len], &vec![n as f32; len]).unwrap()).collect();
        let computed: Vec<_> = uploaded.iter().map(|x| (x * 2.0).eval().unwrap()).collect();
        assert!(gpu.memory().in_use - before <= 2 * COUNT * most, "{len} elements");
        for (n, array) in computed.iter().enumerate() {
            assert_eq!(array.to_vec_blocking().unwrap(), vec![2.0 * n as f32; len]);
        }
    }
}

#[test]
fn intermediate_values_and_readbacks_are_counted() {
    let gpu = noop(&ContextOptions::default());
    let x = gpu.array([1024], &[1.0f32; 1024]).unwrap();
    let v = gpu.array([1024], &[1.0f32; 1024]).unwrap();
    // The sine comes first, as an array of its own.
    let product = (x.expr().broadcast(&[1024]) * v.sin().in_dim([0])).eval().unwrap();
    assert_eq!(gpu.stats().dispatches, 2);
    counts(&gpu, 4104, 4, 4108);
    drop((v, product));
    gpu.trim();
    counts(&gpu, 4, 0, 4108);
    // Bytes under way lie in a buffer that waits for the next readback.
    for _ in 0..3 {
        x.to_vec_blocking().unwrap();
        counts(&gpu, 4, 4, 4108);
    }
    gpu.trim();
    counts(&gpu, 4, 0, 4108);
    let reading = x.to_vec();
    assert_eq!(pollster::block_on(reading).unwrap().len(), 1024);
    counts(&gpu, 4, 4, 4108);
}

/// Fifty kernels, each of which reads only the result of the one before.
#[test]
fn an_intermediate_value_is_held_until_it_is_read_for_the_last_time() {
    let gpu = noop(&ContextOptions::default());
    let x = gpu.array([1 << 20], &vec![1.0f32; 1 << 20]).unwrap();
    gpu.flush().unwrap();
    let begin = gpu.memory().peak;
    let y = (0..50_000).fold(x.expr(), |e, _| e + 1.0).eval().unwrap();
    assert!(gpu.stats().dispatches >= 50, "{:?}", gpu.stats());
    assert!(gpu.memory().peak < begin.max(5 * 4 * MIB), "{:?}", gpu.memory());
    assert_eq!(gpu.memory().in_use, 2 * 4 * MIB);
    drop((x, y));
}

/// Results take the memory of intermediate values that are read no more, and of no other ones: each
/// operation is a kernel here, and reads any of the last six values.
#[test]
fn intermediate_values_in_used_memory_are_right() {
    let mut options = contexts::options();
    options.max_ops_per_kernel = Some(1);
    let gpus = [Context::blocking_with_options(options.clone()), Ok(contexts::foreign(&options))];
    for gpu in gpus.map(Result::unwrap) {
        const COUNT: usize = 3_000;
        let begin: Vec<u32> = (0..COUNT as u32).collect();
        let x = gpu.array([COUNT], &begin).unwrap();
        for seed in 1..=4u32 {
            let mut values = vec![(x.expr(), begin.clone())];
            let mut state = seed;
            let mut random = |below: usize| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 16) as usize % below
            };
            for step in 0..400 {
                let reach = values.len().min(6);
                let [a, b] = [(); 2].map(|()| &values[values.len() - 1 - random(reach)]);
                let combine =
                    |f: fn(u32, u32) -> u32| a.1.iter().zip(&b.1).map(|(&a, &b)| f(a, b)).collect();
                let next = match step % 3 {
                    0 => (&a.0 + &b.0, combine(u32::wrapping_add)),
                    1 => (&a.0 * &b.0, combine(u32::wrapping_mul)),
                    _ => (&a.0 - &b.0, combine(u32::wrapping_sub)),
                };
                values.push(next);
            }
            // The arrays that are left are read once more, in another order.
            let last = values.drain(values.len() - 6..).rev();
            let (sum, want) = last
                .reduce(|(a, x), (b, y)| (a ^ b, x.iter().zip(&y).map(|(x, y)| x ^ y).collect()))
                .unwrap();
            let before = gpu.stats();
            let result = sum.eval().unwrap();
            let kernels = gpu.stats().dispatches - before.dispatches;
            assert!(kernels > 100, "{kernels}");
            assert!(gpu.stats().allocations - before.allocations < 20, "{:?}", gpu.stats());
            assert!(result.to_vec_blocking().unwrap() == want, "seed {seed}");
        }
    }
}

#[test]
fn uploads_under_way_are_counted() {
    let gpu = noop(&ContextOptions::default());
    let x = ones(&gpu, 256);
    // The staging buffer counts as much again until the upload is submitted.
    counts(&gpu, 512, 0, 512);
    gpu.flush().unwrap();
    counts(&gpu, 256, 0, 512);
    drop(x);
    counts(&gpu, 0, 256, 512);
    // Many of them are submitted by themselves.
    let arrays: Vec<_> = (0..256).map(|_| ones(&gpu, 256)).collect();
    assert!(gpu.memory().peak < 64 * MIB + 16 * MIB, "{:?}", gpu.memory());
    drop(arrays);
}

#[test]
fn the_callers_buffers_are_not_counted() {
    let gpu = noop(&ContextOptions::default());
    let foreign = gpu.device().create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: MIB,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
        mapped_at_creation: false,
    });
    let foreign = gpu.array_from_buffer::<u8>([MIB as usize], foreign, 0).unwrap();
    counts(&gpu, 0, 0, 0);
    drop(foreign);
    counts(&gpu, 0, 0, 0);
    // An exported buffer counts as the context's as long as the array lives.
    let x = ones(&gpu, 4);
    let given_out = x.buffer().unwrap();
    counts(&gpu, 4, 0, 4);
    drop(x);
    counts(&gpu, 0, 0, 4);
    drop(given_out);
    counts(&gpu, 0, 0, 4);
}

#[test]
fn nothing_is_in_use_after_a_failure() {
    let gpu = noop(&ContextOptions::default());
    let x = ones(&gpu, 4);
    assert!(gpu.array([2], &[1.0f32]).is_err());
    assert!(indim::broadcast(&x, &[1_i64 << 40]).is_err());
    assert!((&x + &ones(&gpu, 8)).eval().is_err());
    assert_eq!(gpu.memory().in_use, 4 * KIB);
    gpu.notify_lost("unplugged");
    assert!(x.to_vec_blocking().is_err() && (&x + 1).eval().is_err());
    drop(x);
    assert_eq!(gpu.memory().in_use, 0);
}

// ---- the bound ----------------------------------------------------------------------------------

#[test]
fn a_bound_is_a_bound() {
    let gpu = noop(&bounded(16 * KIB));
    let arrays = [8, 4, 8, 4].map(|n| ones(&gpu, n));
    counts(&gpu, 24, 0, 24);
    let [first, second, third, fourth] = arrays;
    drop(first);
    drop(second);
    counts(&gpu, 12, 12, 24);
    // The one that waits longest goes.
    drop(third);
    counts(&gpu, 4, 12, 24);
    drop(fourth);
    counts(&gpu, 0, 16, 24);
    let allocations = gpu.stats().allocations;
    drop([4, 4, 8].map(|n| ones(&gpu, n)));
    assert_eq!(gpu.stats().allocations, allocations, "these waited");
    // A buffer too large to keep does not evict others.
    drop(ones(&gpu, 20));
    counts(&gpu, 0, 16, 24);
    // Readbacks' buffers wait under the same bound.
    let x = ones(&gpu, 12);
    x.to_vec_blocking().unwrap();
    assert_eq!((gpu.memory().in_use, gpu.memory().pooled), (12 * KIB, 16 * KIB - 4 * KIB));
    ones(&gpu, 64).to_vec_blocking().unwrap();
    assert!(gpu.memory().pooled <= 16 * KIB);
}

#[test]
fn with_a_bound_of_nothing_nothing_waits() {
    for gpu in [
        Context::blocking_with_options(bounded(0)).unwrap(),
        contexts::foreign(&bounded(0)),
        noop(&bounded(0)),
    ] {
        let computes = gpu.adapter_info().backend != wgpu::Backend::Noop;
        for round in 0..20u32 {
            let x = gpu.array([50_000], &vec![round; 50_000]).unwrap();
            let sum = (&x + 1).eval().unwrap();
            drop(x);
            assert_eq!(gpu.memory().pooled, 0);
            // The kernel reads an array that has been dropped.
            let other = gpu.array([50_000], &vec![77u32; 50_000]).unwrap();
            let read = [sum.to_vec_blocking().unwrap(), pollster::block_on(sum.to_vec()).unwrap()];
            for read in read {
                assert!(!computes || read.iter().all(|&n| n == round + 1));
            }
            drop((sum, other));
            assert_eq!((gpu.memory().in_use, gpu.memory().pooled), (0, 0));
        }
        assert_eq!(gpu.stats().reuses, 0);
    }
}

/// Buffers that are counted as freed are also freed by the driver: no cached bind group keeps them.
#[test]
fn what_is_freed_is_freed() {
    for free_at_once in [true, false] {
        let mut options = contexts::options();
        options.max_pooled_bytes = free_at_once.then_some(0);
        for gpu in
            [Context::blocking_with_options(options.clone()).unwrap(), contexts::foreign(&options)]
        {
            let mut held = 0;
            let mut round = |kibibytes| {
                let x = ones(&gpu, kibibytes);
                let sum = (&x + 1).eval().unwrap();
                assert_eq!(sum.to_vec_blocking().unwrap()[9], 2);
                held = gpu.memory().in_use;
            };
            round(1);
            gpu.trim();
            let Some(before) = contexts::allocated(&gpu) else {
                // Only Vulkan and DirectX report how much memory the driver holds.
                assert_eq!(gpu.memory().pooled, 0);
                continue;
            };
            round(16 << 10);
            let after = contexts::allocated(&gpu).unwrap();
            assert_eq!(after >= before + 16 * MIB, !free_at_once, "{before} {after}");
            gpu.trim();
            let after = contexts::allocated(&gpu).unwrap();
            assert!(after < before + MIB, "{before} {after}");
            assert!(held >= 32 * MIB);
        }
    }
}

// ---- memory that runs out -----------------------------------------------------------------------

#[track_caller]
fn lacks<T: std::fmt::Debug>(result: Result<T>, wanted: u64) {
    match result {
        Err(Error::Device(DeviceError::OutOfMemory { bytes })) => assert_eq!(bytes, wanted),
        other => panic!("{:?}", other.map(|_| "a success")),
    }
}

/// The test runs in a process of its own, whose address space is limited: a software adapter's
/// buffers lie in it.
#[cfg(target_os = "linux")]
#[test]
#[ignore = "long: in `.ci/run`"]
fn the_context_goes_on_when_memory_runs_out() {
    let info = gpu().adapter_info();
    if info.device_type != wgpu::DeviceType::Cpu || info.backend != wgpu::Backend::Vulkan {
        let why = "its memory is its own; and by OpenGL wgpu does not ask whether there was any";
        return not_tested::on_this_adapter(&gpu(), why);
    }
    if !process::alone("memory::the_context_goes_on_when_memory_runs_out", Some(3_000_000)) {
        return;
    }
    for (gpu, mapped) in [(gpu(), true), (contexts::foreign(&ContextOptions::default()), false)] {
        runs_out(&gpu, mapped);
        assert_eq!(gpu.memory().in_use, 0);
    }
}

/// `mapped` is whether the host writes to arrays in place.
fn runs_out(gpu: &Context, mapped: bool) {
    const BYTES: u64 = 192 * MIB;
    let data = vec![7u8; BYTES as usize];
    let one = gpu.array([1], &[1u8]).unwrap();
    let works = || assert_eq!((&one + 1).eval().unwrap().to_vec_blocking().unwrap(), [2]);
    works();
    // Keeps memory for the host, which must not run out.
    let reserve: Vec<u8> = Vec::with_capacity(32 << 20);
    let mut kept = Vec::new();
    let fill = |kept: &mut Vec<Array<u8>>| loop {
        match indim::broadcast(&one, &[BYTES as i64]) {
            Ok(more) => kept.push(more),
            failed => break lacks(failed, BYTES),
        }
        assert!(kept.len() < 20);
    };
    fill(&mut kept);
    drop(reserve);
    assert!(kept.len() >= 2, "{}", kept.len());
    works();

    lacks(gpu.array([BYTES as usize], &data), BYTES);
    works();
    // With room for the array, and none for the bytes on their way.
    kept.pop();
    match gpu.array([BYTES as usize], &data) {
        Ok(array) if mapped => drop(array),
        other => lacks(other, BYTES),
    }
    works();
    fill(&mut kept);
    if !mapped {
        lacks(kept[0].to_vec_blocking(), BYTES);
        lacks(pollster::block_on(kept[0].to_vec()), BYTES);
    }
    works();

    // Commands that are recorded or running keep the memory of dropped arrays.
    let first = |array: &Array<u8>| (array.slice(&[0, 0], &[1, 1]) + 5).eval().unwrap();
    let firsts: Vec<_> = kept.iter().map(first).collect();
    let allowed = gpu.device().limits().max_buffer_size / BYTES;
    let most = allowed.min((kept.len() - 1) as u64) * BYTES;
    drop(kept);
    let large = indim::broadcast(&one, &[most as i64]).unwrap();
    assert!(firsts.iter().all(|first| first.to_vec_blocking().unwrap() == [6]));
    drop(large);
    works();

    let array = gpu.array([BYTES as usize], &data).unwrap();
    let sum = (&array + 1).eval().unwrap();
    drop((array, data));
    assert!(sum.to_vec_blocking().unwrap().iter().all(|&n| n == 8));
    works();
}

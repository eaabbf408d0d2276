//! Tests that precompiled kernels have no work left at their first evaluation: some drivers compile
//! only when a kernel is dispatched.

use std::time::{Duration, Instant, SystemTime};

use indim::{AnyArray, Builder, Computation, Context, ElementType, Op, Opcode, wgpu};
use indim_testing::random::Random;
use indim_testing::{contexts, not_tested};

const ELEMENTS: usize = 1 << 20;

/// The shape of the matrix whose columns are added.
const ROWS: usize = 1 << 17;
const COLUMNS: usize = 64;

/// Kernels whose times are compared; the median of their ratios counts.
const KERNELS: usize = 9;

/// A chain of operations that no driver has in its cache on disk: there are more than 10^20.
fn unseen(random: &mut Random) -> Computation {
    let mut b = Builder::new();
    let operands = [(); 3].map(|()| b.parameter(ElementType::F32, [ELEMENTS]).unwrap());
    let root = (0..24).fold(operands[0], |x, _| {
        let opcode =
            random.pick(&[Opcode::Add, Opcode::Sub, Opcode::Mul, Opcode::Max, Opcode::Min]);
        let y = random.pick(&operands);
        let sum = b.binary(opcode, x, y, &[]).unwrap();
        b.sqrt(sum).unwrap()
    });
    let root = operands.into_iter().fold(root, |x, y| b.add(x, y, &[]).unwrap());
    b.build(root).unwrap()
}

/// Sums and differences of 64 columns that are sliced out of a matrix, in an order that no driver
/// has seen.
fn columns(random: &mut Random) -> Computation {
    let mut b = Builder::new();
    let matrix = b.parameter(ElementType::F32, [ROWS, COLUMNS]).unwrap();
    let rows = ROWS as i64;
    let sliced: Vec<Op> = (0..COLUMNS as i64)
        .map(|column| b.slice(matrix, &[0, column], &[rows, column + 1], &[1, 1]).unwrap())
        .collect();
    let root = sliced[1..].iter().fold(sliced[0], |sum, &column| {
        let opcode = random.pick(&[Opcode::Add, Opcode::Sub]);
        b.binary(opcode, sum, column, &[]).unwrap()
    });
    b.build(root).unwrap()
}

/// Returns how long the first evaluation after `prewarm` takes, in times of the second.
fn first_by_second(gpu: &Context, computation: &Computation, arguments: &[&AnyArray]) -> f64 {
    let run = || -> Duration {
        let begin = Instant::now();
        let result = gpu.run(computation, arguments).unwrap();
        gpu.wait().unwrap();
        drop(result);
        begin.elapsed()
    };
    gpu.prewarm(&[computation]).unwrap();
    let first = run();
    first.as_secs_f64() / run().as_secs_f64()
}

/// Asserts that the median of the ratios is at most 1.5, as `Context::prewarm` promises.
fn are_quick(mut ratios: Vec<f64>, seed: u64) {
    ratios.sort_by(f64::total_cmp);
    println!("first by second: {ratios:.2?}");
    assert!(ratios[ratios.len() / 2] <= 1.5, "seed {seed}: {ratios:.2?}");
}

fn seed() -> u64 {
    SystemTime::UNIX_EPOCH.elapsed().unwrap().as_nanos() as u64
}

fn software() -> Option<Context> {
    let gpu = contexts::gpu();
    if gpu.adapter_info().device_type == wgpu::DeviceType::Cpu {
        return Some(gpu);
    }
    not_tested::on_this_adapter(&gpu, "a GPU's evaluation is too short to compare");
    None
}

#[test]
fn the_first_evaluation_after_it_is_as_quick_as_the_second() {
    let Some(gpu) = software() else { return };
    let seed = seed();
    let mut random = Random::new(seed);
    let arrays = [1.5f32, 2.5, 0.5].map(|x| gpu.array([ELEMENTS], &vec![x; ELEMENTS]).unwrap());
    let arguments = [0, 1, 2].map(|n: usize| arrays[n].as_any());
    // Memory that a fresh result would take some milliseconds to get.
    drop([(); 2].map(|()| indim::neg(&arrays[0]).unwrap()));
    gpu.wait().unwrap();
    let ratio = |_| first_by_second(&gpu, &unseen(&mut random), &arguments);
    are_quick((0..KERNELS).map(ratio).collect(), seed);
}

/// Loads that lie apart take the longest to compile: unless their number in a kernel were bounded,
/// these took lavapipe 13 s.
#[test]
#[ignore = "long: in `.ci/run`"]
fn so_it_is_of_a_sum_of_many_columns() {
    let Some(gpu) = software() else { return };
    let seed = seed();
    let mut random = Random::new(seed);
    let matrix = gpu.array([ROWS, COLUMNS], &vec![0.5f32; ROWS * COLUMNS]).unwrap();
    let ratio = |_| first_by_second(&gpu, &columns(&mut random), &[matrix.as_any()]);
    let begin = Instant::now();
    are_quick((0..3).map(ratio).collect(), seed);
    println!("{:.2?} for three, with compiling", begin.elapsed());
}

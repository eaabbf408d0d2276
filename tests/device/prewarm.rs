//! Tests that kernels which were compiled ahead have nothing left to do at their first evaluation:
//! some drivers compile when a kernel is dispatched, and not before.

use std::time::{Duration, Instant, SystemTime};

use indim::{Builder, Computation, ElementType, Opcode, wgpu};
use indim_testing::random::Random;
use indim_testing::{contexts, not_tested};

const ELEMENTS: usize = 1 << 20;

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

#[test]
fn the_first_evaluation_after_it_is_as_quick_as_the_second() {
    let gpu = contexts::gpu();
    if gpu.adapter_info().device_type != wgpu::DeviceType::Cpu {
        return not_tested::on_this_adapter(&gpu, "a GPU's evaluation is too short to compare");
    }
    let seed = SystemTime::UNIX_EPOCH.elapsed().unwrap().as_nanos() as u64;
    let mut random = Random::new(seed);
    let arrays = [1.5f32, 2.5, 0.5].map(|x| gpu.array([ELEMENTS], &vec![x; ELEMENTS]).unwrap());
    let arguments = [0, 1, 2].map(|n: usize| arrays[n].as_any());
    // Memory that a fresh result would take some milliseconds to get.
    drop([(); 2].map(|()| indim::neg(&arrays[0]).unwrap()));
    gpu.wait().unwrap();
    let run = |computation: &Computation| -> Duration {
        let begin = Instant::now();
        let result = gpu.run(computation, &arguments).unwrap();
        gpu.wait().unwrap();
        drop(result);
        begin.elapsed()
    };
    let mut ratios: Vec<f64> = (0..KERNELS)
        .map(|_| {
            let computation = unseen(&mut random);
            gpu.prewarm(&[&computation]).unwrap();
            let first = run(&computation);
            first.as_secs_f64() / run(&computation).as_secs_f64()
        })
        .collect();
    ratios.sort_by(f64::total_cmp);
    println!("first by second: {ratios:.2?}");
    assert!(ratios[KERNELS / 2] <= 1.5, "seed {seed}: {ratios:.2?}");
}

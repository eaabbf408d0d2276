//! `cargo bench`: an evaluation and a wait, for each pattern that `indim bench` has, by the same
//! names. For development: `indim bench` measures against floors.
//!
//! F32. Throughput counts every operand array read once and the result written once, so that
//! patterns compare by bytes. Operands are uploaded and kernels compiled before the measurement;
//! results are dropped in it, so that their memory is recycled, as in a loop of a program.

#![allow(clippy::expect_used, reason = "a benchmark that cannot run has nothing to report")]

use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, SamplingMode, Throughput};
use indim::{Context, DeviceError, ElementType, Error};
use indim_bench::{Pattern, Workload};

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let gpu = Context::blocking().expect("an adapter");
    let info = gpu.adapter_info();
    eprintln!("adapter: {} ({}, {} {})", info.name, info.backend, info.driver, info.driver_info);

    let mut group = criterion.benchmark_group("patterns");
    // As many iterations in each sample: some take 50 ms, and growing counts would take minutes.
    group.sampling_mode(SamplingMode::Flat).sample_size(20).warm_up_time(Duration::from_secs(1));
    for &pattern in Pattern::ALL {
        bench(&gpu, &mut group, pattern);
        // One after the other, so that the operands of all need not fit into memory together.
        gpu.trim();
    }
    group.finish();
    criterion.final_summary();
}

fn bench(gpu: &Context, group: &mut BenchmarkGroup<'_, WallTime>, pattern: Pattern) {
    // Made only if the pattern was requested.
    let mut made = None;
    group.throughput(Throughput::Bytes(pattern.bytes(pattern.elements(), ElementType::F32)));
    group.bench_function(pattern.name(), |bencher| {
        let workload = made.get_or_insert_with(|| {
            Workload::new(gpu, pattern, pattern.elements(), ElementType::F32)
                .expect("memory for the operands")
        });
        match workload.run() {
            Err(Error::Device(
                error @ (DeviceError::TooLarge { .. } | DeviceError::OutOfMemory { .. }),
            )) => {
                eprintln!("not on this adapter: {error}");
                // Criterion wants every benchmark to have measured something.
                bencher.iter(|| ());
            }
            first => {
                drop(first.expect("a result"));
                bencher.iter(|| {
                    let result = workload.run().expect("a result");
                    gpu.wait().expect("a device");
                    result
                });
            }
        }
    });
}

//! Tests the kernels that are kept: there is a bound on them, and threads that miss the same one
//! compile it once.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::HashSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use crate::device::program::pipelines::Pipeline;
use crate::device::run::execute;
use crate::{Builder, Computation, Context, ElementType, Opcode, Result, wgpu};
use indim_compiler::layout::Layout;

const KEPT: usize = 1024;

fn noop() -> Context {
    let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
    Context::from_device(device, queue).unwrap()
}

/// Returns computations with a different kernel each: the bits of the number choose between two
/// operations.
fn computation(number: usize) -> Computation {
    let mut builder = Builder::new();
    let mut root = builder.parameter(ElementType::U32, [4]).unwrap();
    for bit in 0..11 {
        let opcode = if number >> bit & 1 == 0 { Opcode::Not } else { Opcode::Clz };
        root = builder.unary(opcode, root).unwrap();
    }
    builder.build(root).unwrap()
}

/// Runs a computation, and returns its kernels.
fn kernels(gpu: &Context, computation: &Computation) -> Vec<Weak<Pipeline>> {
    let program = execute::program(gpu, computation, &[Layout::OWN], None).unwrap();
    program.kernels().map(Arc::downgrade).collect()
}

#[test]
fn two_thousand_kernels_are_not_kept() {
    let gpu = noop();
    let x = gpu.array([4], &[1u32; 4]).unwrap();
    let used_always = computation(2047);
    let mut made = Vec::new();
    for number in 0..2000 {
        let computation = computation(number);
        gpu.run(&computation, &[x.as_any()]).unwrap();
        made.extend(kernels(&gpu, &computation));
        gpu.run(&used_always, &[x.as_any()]).unwrap();
        gpu.flush().unwrap();
        assert!(gpu.stats().pipelines as usize <= KEPT);
    }
    let different: HashSet<_> = made.iter().map(Weak::as_ptr).collect();
    assert!(different.len() > KEPT, "{} different kernels", different.len());
    let alive = made.iter().filter(|kernel| kernel.strong_count() > 0).count();
    assert!(alive <= KEPT, "{alive} kernels live, in programs or elsewhere");
    // Twice one more than the bound was compiled, and half of them kept: the one that was used all
    // the time, and of the others the last 511.
    let compilations = || gpu.stats().compilations;
    assert_eq!(compilations(), 2001);
    for number in [1999, 1026, 2047] {
        gpu.run(&computation(number), &[x.as_any()]).unwrap();
    }
    assert_eq!(compilations(), 2001);
    for number in [1025, 0] {
        gpu.run(&computation(number), &[x.as_any()]).unwrap();
    }
    assert_eq!(compilations(), 2003);
}

/// Has eight threads ask for one new kernel: one compiles it, and seven wait until `compiled` is
/// released. Returns their outcomes.
fn eight_threads(gpu: &Context, computation: &Computation) -> Vec<Result<()>> {
    let fault = &gpu.gpu().device.fault;
    let held = crate::device::guard::lock::lock(&fault.compiling);
    std::thread::scope(|scope| {
        let ask = || execute::program(gpu, computation, &[Layout::OWN], None).map(drop);
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
        let begun = Instant::now();
        while gpu.inner.pipelines.waiting() < 7 {
            assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", gpu.inner.pipelines);
            std::thread::yield_now();
        }
        drop(held);
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

#[test]
fn threads_that_miss_the_same_kernel_compile_it_once() {
    for gpu in [noop(), Context::blocking().unwrap()] {
        let before = gpu.stats();
        for got in eight_threads(&gpu, &computation(0)) {
            got.unwrap();
        }
        let after = gpu.stats();
        assert_eq!(after.compilations, before.compilations + 1);
        assert_eq!(after.pipelines, before.pipelines + 1);
    }
}

#[test]
fn an_error_or_a_panic_is_told_to_all_who_wait() {
    for gpu in [noop(), Context::blocking().unwrap()] {
        let fault = &gpu.gpu().device.fault;
        for (number, (failing, words)) in
            [(&fault.refused_kernels, "expected"), (&fault.panicking_kernels, "panicked")]
                .into_iter()
                .enumerate()
        {
            let computation = computation(number);
            let before = gpu.stats();
            failing.store(1, Ordering::SeqCst);
            for got in eight_threads(&gpu, &computation) {
                let error = got.unwrap_err().to_string();
                assert!(error.contains("a kernel") && error.contains(words), "{error}");
            }
            assert_eq!(gpu.stats(), before);
            // Nothing is left of it: the next request gets the kernel.
            kernels(&gpu, &computation);
            assert_eq!(gpu.stats().compilations, before.compilations + 1);
        }
    }
}

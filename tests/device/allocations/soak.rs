//! Repeats a closed set of operations, and checks that allocated memory stays the same.
//! `INDIM_SOAK_OPERATIONS` is the number of repetitions: 200,000 where it is not set, a million in
//! `.ci/run`.

use indim::{Array, Builder, Computation, Context, ContextOptions, ElementType, wgpu};
use indim_testing::{contexts, process};

use super::allocated;

/// The most that may be allocated at the end of 200,000 operations or more, beyond what is after the
/// first fifth. A leak of 16 bytes in one operation of eight is six times as much.
const MAX_GROWTH: i64 = (256 << 10) / 5;

/// The operands of all operations.
struct Operands {
    matrix: Array<f32>,
    row: Array<f32>,
    bytes: Array<u8>,
    affine: Computation,
}

impl Operands {
    fn new(gpu: &Context) -> Self {
        let mut b = Builder::new();
        let x = b.parameter(ElementType::F32, [16, 8]).unwrap();
        let v = b.parameter(ElementType::F32, [8]).unwrap();
        let product = b.mul(x, v, &[1]).unwrap();
        let sum = b.add(product, v, &[1]).unwrap();
        Self {
            matrix: gpu.array([16, 8], &[0.5; 128]).unwrap(),
            row: gpu.array([8], &[2.0; 8]).unwrap(),
            bytes: gpu.array([33], &[7; 33]).unwrap(),
            affine: b.build(sum).unwrap(),
        }
    }

    /// Does one operation of the set.
    fn step(&self, gpu: &Context, number: usize) {
        let Self { matrix, row, bytes, affine } = self;
        match number % 8 {
            0 => drop(indim::add(matrix, row, &[1]).unwrap()),
            1 => drop(indim::mul(matrix, number as f32, &[]).unwrap()),
            2 => drop((matrix * 2.0 - row.in_dim([1])).max(0.0).eval().unwrap()),
            3 => drop(matrix.gt(0.0).select(matrix, 0.0).eval().unwrap()),
            4 => drop(indim::xor(bytes, number as u8, &[]).unwrap()),
            5 => drop(indim::transpose(matrix, &[1, 0]).unwrap()),
            6 => drop(gpu.run(affine, &[matrix.as_any(), row.as_any()]).unwrap()),
            _ if number % 1_000 == 7 => {
                let uploaded = gpu.array([3], &[number as u32; 3]).unwrap();
                let sum = indim::add(&uploaded, 1, &[]).unwrap();
                let read = sum.to_vec_blocking().unwrap();
                // A noop device computes nothing, and returns whatever the memory held.
                let computes = gpu.adapter_info().backend != wgpu::Backend::Noop;
                assert!(!computes || read == [number as u32 + 1; 3], "{read:?}");
            }
            _ => drop(indim::sub(row, row, &[]).unwrap()),
        }
    }
}

/// Returns how much more is allocated after all operations than after the first fifth of them, with
/// all caches emptied each time. `beside` runs with each operation.
fn growth(gpu: &Context, operations: usize, beside: impl Fn()) -> i64 {
    let operands = Operands::new(gpu);
    let (mut first, mut last) = (None, 0);
    for number in 0..operations {
        operands.step(gpu, number);
        beside();
        if (number + 1) % (operations / 5) == 0 {
            // Memory kept for reuse varies by more than a leak of a few bytes.
            gpu.wait().unwrap();
            gpu.trim();
            gpu.wait().unwrap();
            let now = allocated();
            println!("{} operations: {now} bytes", number + 1);
            (first, last) = (first.or(Some(now)), now);
        }
    }
    last - first.unwrap_or(last)
}

fn noop() -> Context {
    let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
    Context::from_device(device, queue).unwrap()
}

#[test]
#[ignore = "long: in `.ci/run`"]
fn operations_leave_nothing_behind() {
    if !process::alone("allocations::soak::operations_leave_nothing_behind", None) {
        return;
    }
    let operations = std::env::var("INDIM_SOAK_OPERATIONS")
        .map_or(200_000, |text| text.parse().expect("INDIM_SOAK_OPERATIONS is a number"));
    assert!(operations >= 200_000, "INDIM_SOAK_OPERATIONS is {operations}, less than 200000");
    let grown = growth(&contexts::gpu(), operations, || ());
    assert!(grown <= MAX_GROWTH, "{grown} bytes");
}

/// Uploads and readbacks go through staging buffers here.
#[test]
#[ignore = "long: in `.ci/run`"]
fn nor_do_they_where_arrays_are_not_mapped() {
    if !process::alone("allocations::soak::nor_do_they_where_arrays_are_not_mapped", None) {
        return;
    }
    let grown = growth(&contexts::foreign(&ContextOptions::default()), 200_000, || ());
    assert!(grown <= MAX_GROWTH, "{grown} bytes");
}

/// Returns the computation with this number, whose kernel is unique: each bit of the number selects
/// one of two operations.
fn different(number: usize) -> Computation {
    let mut b = Builder::new();
    let mut root = b.parameter(ElementType::U32, [4]).unwrap();
    for bit in 0..12 {
        root = if number >> bit & 1 == 0 { b.not(root) } else { b.clz(root) }.unwrap();
    }
    b.build(root).unwrap()
}

/// Once there are as many kernels as are kept, more of them allocate no more.
#[test]
fn thousands_of_kernels_take_as_much_as_those_that_are_kept() {
    const KEPT: u64 = 1_024;

    if !process::alone(
        "allocations::soak::thousands_of_kernels_take_as_much_as_those_that_are_kept",
        None,
    ) {
        return;
    }
    let gpu = noop();
    let x = gpu.array([4], &[1u32; 4]).unwrap();
    let (mut half, mut full) = (None, Vec::new());
    for number in 0..2_100 {
        gpu.run(&different(number), &[x.as_any()]).unwrap();
        gpu.wait().unwrap();
        match gpu.stats().pipelines {
            kept if kept == KEPT / 2 => half = half.or(Some(allocated())),
            KEPT => full.push(allocated()),
            _ => (),
        }
    }
    println!("{half:?} bytes with half of the kernels, {full:?} with all");
    // That is so after 1,024 kernels, and each time half of them have been replaced.
    let [first, .., last] = full[..] else { panic!("{full:?}") };
    assert_eq!((gpu.stats().compilations, full.len()), (2_100, 3));
    // 64 bytes for each of 1,024 kernels, less than wgpu keeps for a thread that compiles.
    assert!(last - first <= 64 << 10, "{full:?}");
    // The control: kernels are seen.
    assert!(first - half.unwrap() > 1 << 20, "{half:?}, {full:?}");
}

/// The control: if each operation leaked 16 bytes, the tests above would fail.
#[test]
fn a_leak_of_16_bytes_an_operation_is_seen() {
    if !process::alone("allocations::soak::a_leak_of_16_bytes_an_operation_is_seen", None) {
        return;
    }
    const OPERATIONS: usize = 100_000;
    let kept = growth(&noop(), OPERATIONS, || ());
    // A compiler may remove an unused allocation.
    let leak = || std::mem::forget(std::hint::black_box(Box::new([0_u8; 16])));
    let leaked = growth(&noop(), OPERATIONS, leak);
    assert!(kept <= MAX_GROWTH / 2, "{kept} bytes");
    assert!(leaked > MAX_GROWTH, "{leaked} bytes");
    let expected = 16 * (OPERATIONS - OPERATIONS / 5) as i64;
    assert!((leaked - expected).abs() <= MAX_GROWTH / 2, "{leaked} bytes, and not {expected}");
}

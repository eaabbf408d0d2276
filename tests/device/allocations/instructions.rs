//! The memory of an operation in a builder and in an expression, as documented in `Builder`.

use indim::{Builder, ElementType, Expr};
#[cfg(target_os = "linux")]
use indim::{Context, wgpu};
use indim_testing::process;

use super::allocated;

/// The number of operations in each.
const OPERATIONS: usize = 100_000;

/// Returns the bytes for each operation that this keeps.
fn each<T>(make: impl FnOnce() -> T) -> i64 {
    let before = allocated();
    let made = make();
    let bytes = (allocated() - before) / OPERATIONS as i64;
    drop(made);
    bytes
}

#[test]
fn an_operation_takes_as_much_as_is_documented() {
    if !process::alone(
        "allocations::instructions::an_operation_takes_as_much_as_is_documented",
        None,
    ) {
        return;
    }
    for (rank, most) in [(1, 300), (8, 300)] {
        let sizes = vec![2; rank];
        let built = each(|| {
            let mut b = Builder::new();
            let x = b.parameter(ElementType::F32, sizes.clone()).unwrap();
            (0..OPERATIONS).fold(x, |sum, _| b.sub(sum, x, &[]).unwrap());
            b
        });
        let signed: Vec<i64> = sizes.iter().map(|&size| size as i64).collect();
        let expressed = each(|| {
            let x = Expr::<f32>::iota(&signed, 0);
            (0..OPERATIONS).fold(x.clone(), |sum, _| sum - &x)
        });
        println!("rank {rank}: {built} bytes in a builder, {expressed} in an expression");
        assert!(built <= most && expressed <= most, "rank {rank}: {built}, {expressed}");
    }
}

/// Returns the current or peak memory of this process, by its name in Linux.
#[cfg(target_os = "linux")]
pub(super) fn memory(name: &str) -> i64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    1024 * line.trim().trim_end_matches(" kB").parse::<i64>().unwrap()
}

/// The peak counts, so that the driver's memory is in it; on wgpu's noop backend it has none.
#[cfg(target_os = "linux")]
#[test]
fn evaluating_takes_as_much_more_as_is_documented() {
    if !process::alone(
        "allocations::instructions::evaluating_takes_as_much_more_as_is_documented",
        None,
    ) {
        return;
    }
    let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
    let gpu = Context::from_device(device, queue).unwrap();
    for (rank, most) in [(1, 1_000), (8, 1_000)] {
        let x = gpu.array(vec![2; rank], &vec![1.0f32; 1 << rank]).unwrap();
        let sum = (0..OPERATIONS).fold(x.expr(), |sum, _| sum - &x);
        // The peak is from now on.
        std::fs::write("/proc/self/clear_refs", "5").unwrap();
        let before = memory("VmRSS:");
        sum.eval().unwrap();
        let bytes = (memory("VmHWM:") - before) / OPERATIONS as i64;
        println!("rank {rank}: {bytes} bytes while it is evaluated");
        assert!((1..=most).contains(&bytes), "rank {rank}: {bytes}");
    }
}

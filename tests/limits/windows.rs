//! Tests arrays larger than a binding: on a device that is required to have little, so that small
//! arrays are; and one that is larger than what lavapipe and WebGPU's defaults bind.

use indim::{Array, Context, DeviceError, Error, Expr, wgpu};
use indim_testing::{contexts, share};

/// Returns a context whose bindings hold at most `bytes` bytes.
fn gpu(bytes: u64) -> Context {
    let mut options = contexts::options();
    options.required_limits =
        Some(wgpu::Limits { max_storage_buffer_binding_size: bytes, ..wgpu::Limits::default() });
    Context::blocking_with_options(options).unwrap_or_else(|error| panic!("{error}"))
}

fn numbers(count: usize) -> Vec<f32> {
    (0..count).map(|i| (i % 4093) as f32).collect()
}

fn values(expr: &Expr<f32>) -> Vec<f32> {
    expr.eval().unwrap().to_vec_blocking().unwrap()
}

/// Runs `work` on a device that binds little and on one that binds all, and compares.
#[track_caller]
fn alike<R: PartialEq>(bytes: u64, work: impl Fn(&Context) -> R) {
    let (little, all) = (gpu(bytes), gpu(128 << 20));
    assert!(work(&little) == work(&all), "in windows of {bytes} bytes");
    let (parts, whole) = (little.stats().dispatches, all.stats().dispatches);
    assert!(parts > whole, "{parts} dispatches in parts, {whole} of wholes");
}

#[test]
fn rows_and_columns_in_windows() {
    let shapes =
        [[64, 64], [63, 64], [16, 1000], [1000, 16], [63, 65], [4, 4096], [2047, 3], [1, 5000]];
    for shape in shapes.into_iter().step_by(share::one_of(2)) {
        alike(4096, |gpu| {
            let x = gpu.array(shape, &numbers(shape[0] * shape[1])).unwrap();
            let row = gpu.array([shape[1]], &numbers(shape[1])).unwrap();
            let column = gpu.array([shape[0]], &numbers(shape[0])).unwrap();
            let sum = (&x + row.in_dim([1])) * 3.0 - column.in_dim([0]);
            let i = Expr::<f32>::iota(&shape.map(|n| n as i64), 0);
            [values(&sum), values(&(&x * &x)), values(&(&i + row.in_dim([1])))]
        });
    }
}

#[test]
fn truth_values_in_windows() {
    for columns in [64, 20, 63] {
        alike(1024, |gpu| truth_values(gpu, columns));
    }
}

fn truth_values(gpu: &Context, columns: usize) -> (Vec<bool>, Vec<f32>) {
    let x = gpu.array([37, columns], &numbers(37 * columns)).unwrap();
    let row = gpu.array([columns], &numbers(columns)).unwrap();
    let larger: Array<bool> = x.gt(row.in_dim([1])).eval().unwrap();
    (larger.to_vec_blocking().unwrap(), values(&larger.select(&x, -&x)))
}

/// Views of one array that are far from each other, so that it is bound twice.
#[test]
fn transposed_arrays_in_windows() {
    for side in [64, 61, 60, 63].into_iter().take(4 / share::one_of(2)) {
        for bytes in [4096, 1024] {
            alike(bytes, |gpu| {
                let x = gpu.array([side, side], &numbers(side * side)).unwrap();
                let y = gpu.array([side, side], &numbers(side * side)).unwrap();
                let row = gpu.array([side], &numbers(side)).unwrap();
                let turned = x.transpose(&[1, 0]);
                [
                    values(&(&y + &turned)),
                    values(&(&x - &turned)),
                    values(&(&turned * x.reverse(&[0, 1]) + row.in_dim([1]))),
                ]
            });
        }
    }
}

/// Arrays have several dimensions, some of them broadcast, and some lie in caller-owned buffers.
#[test]
fn many_dimensions_and_foreign_buffers_in_windows() {
    for inner in [8, 10, 7] {
        alike(2048, |gpu| {
            let bytes = bytemuck::cast_slice::<f32, u8>(&numbers(5 * 6 * 7 * inner)).to_vec();
            let foreign = gpu.device().create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: 260 + bytes.len() as u64,
                usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            gpu.queue().write_buffer(&foreign, 260, &bytes);
            let x = gpu.array_from_buffer::<f32>([5, 6, 7, inner], foreign, 260).unwrap();
            let y = gpu.array([5, 1, 7, 1], &numbers(35)).unwrap();
            let z = gpu.array([6, inner], &numbers(6 * inner)).unwrap();
            let sum = (&x + &y) * z.in_dim([1, 3]);
            let outer = x.broadcast(&[3]);
            [values(&sum), values(&outer), values(&(&outer - z.in_dim([2, 4])))]
        });
    }
}

/// 256 MiB, twice what lavapipe binds.
#[test]
#[ignore = "long: in `.ci/run`"]
fn a_large_result() {
    let gpu = contexts::blocking().unwrap();
    let (x, y) = (numbers(32 * 64 * 64), numbers(16 * 32 * 64));
    let (a, b) =
        (gpu.array([32, 1, 64, 1, 64], &x).unwrap(), gpu.array([1, 16, 1, 32, 64], &y).unwrap());
    let sum = values(&(&a + &b));
    let mut position = 0;
    for i in 0..32 {
        for j in 0..16 {
            for k in 0..64 {
                for l in 0..32 {
                    let (x, y) = (&x[(i * 64 + k) * 64..][..64], &y[(j * 32 + l) * 64..][..64]);
                    let same = sum[position..].iter().zip(x).zip(y).all(|((&s, x), y)| s == x + y);
                    assert!(same, "row {position}");
                    position += 64;
                }
            }
        }
    }
    assert_eq!(position, sum.len());
}

/// Uploaded, computed and read back in one piece each, where the host maps arrays and where it does
/// not.
#[test]
#[ignore = "long: in `.ci/run`"]
fn a_large_operand() {
    const COUNT: usize = (160 << 20) / 4 + 1;
    let data = numbers(COUNT);
    for gpu in [contexts::blocking().unwrap(), staged()] {
        let x = gpu.array([COUNT], &data).unwrap();
        let sum = values(&(&x + 1.0));
        assert!(sum.iter().zip(&data).all(|(sum, x)| *sum == x + 1.0) && sum.len() == COUNT);
    }
}

/// Returns a context without the feature that mapping arrays takes, so that bytes go through
/// staging.
fn staged() -> Context {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let wanted = wgpu::RequestAdapterOptions::default();
    let adapter = pollster::block_on(instance.request_adapter(&wanted)).unwrap();
    let device = adapter.request_device(&wgpu::DeviceDescriptor::default());
    let (device, queue) = pollster::block_on(device).unwrap();
    Context::from_device(device, queue).unwrap()
}

/// As large as a buffer may be, up to 2 GiB: of bytes, written in parts, and read from its far end.
#[test]
#[ignore = "long: in `.ci/run`"]
fn the_largest_array() {
    const ROW: usize = 1 << 16;
    let gpu = contexts::blocking().unwrap();
    // SwiftShader allocates some bytes besides the buffer's, which also count towards its limit.
    let most = gpu.device().limits().max_buffer_size - ROW as u64;
    let rows = most.min((1 << 31) - 1) as usize / ROW;
    let (row, column): (Vec<u8>, Vec<u8>) =
        ((0..ROW).map(|i| (i % 241) as u8).collect(), (0..rows).map(|i| (i % 251) as u8).collect());
    let (x, y) = (gpu.array([ROW], &row).unwrap(), gpu.array([rows], &column).unwrap());
    let whole = x.broadcast(&[rows as i64]) ^ y.in_dim([0]);
    let before = gpu.stats().dispatches;
    let whole = gpu.eval(&whole).unwrap();
    let most = gpu.plan_limits().device.max_storage_buffer_binding_size;
    let parts = (rows * ROW) as u64 / most;
    assert!(gpu.stats().dispatches - before >= parts, "{parts} bindings of {most} bytes");
    // Its corners and its middle, through views of it; in the last one it is transposed.
    for first in [0, rows / 2 - 1, rows - 3] {
        let start = [first as i64, ROW as i64 - 5];
        let some = whole.slice(&start, &[first as i64 + 3, ROW as i64]);
        for (turned, some) in [(false, some.clone()), (true, some.transpose(&[1, 0]))] {
            let got = gpu.eval(&some).unwrap().to_vec_blocking().unwrap();
            let wanted = |place: usize| {
                let (i, j) = if turned { (place % 3, place / 3) } else { (place / 5, place % 5) };
                column[first + i] ^ row[ROW - 5 + j]
            };
            assert!(
                (0..15).all(|place| got[place] == wanted(place)),
                "rows from {first} on: {got:?}"
            );
        }
    }
}

/// The limit that remains.
#[test]
fn what_no_buffer_holds_is_refused() {
    let gpu = contexts::blocking().unwrap();
    let most = gpu.device().limits().max_buffer_size;
    let one = gpu.array([1], &[1.0f32]).unwrap();
    let error = indim::broadcast(&one, &[(most / 4) as i64 + 1]).unwrap_err();
    assert!(matches!(error, Error::Device(DeviceError::TooLarge { .. })), "{error}");
    assert!(error.to_string().contains(&format!("max_buffer_size is {most}")), "{error}");
}

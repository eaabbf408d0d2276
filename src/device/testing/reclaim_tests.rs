//! Tests that each allocation of a context may fail once, or for good.

use crate::{Array, Context, DeviceError, Error, Expr, Result, S4, wgpu};

#[derive(Clone, Copy)]
struct Work {
    /// Number of elements of the larger array.
    elements: usize,
    /// Number of constants in one kernel.
    constants: usize,
    /// Size in bytes of each buffer that waits in the pool before; together they are more than the
    /// work needs.
    waiting: usize,
    /// True if the device computes, so that results can be compared.
    compare: bool,
}

/// Work whose larger array is uploaded through staging, if arrays are not mapped.
const LARGE: Work = Work { elements: 40_000, constants: 10, waiting: 1 << 20, compare: true };

/// Work for a device that has small buffers only, into whose ring of parameters the constants do
/// not fit.
const SMALL: Work = Work { elements: 1000, constants: 600, waiting: MOST, compare: false };
const MOST: usize = 16 << 10;

fn noop(max_buffer_size: u64) -> Context {
    let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor {
        required_limits: wgpu::Limits { max_buffer_size, ..wgpu::Limits::default() },
        ..wgpu::DeviceDescriptor::default()
    });
    Context::from_device(device, queue).unwrap()
}

/// Returns two contexts on the adapter: one that maps arrays if that suits the adapter, and one
/// that does not.
fn real() -> [Context; 2] {
    let chosen = Context::blocking().unwrap();
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let wanted = wgpu::RequestAdapterOptions::default();
    let adapter = pollster::block_on(instance.request_adapter(&wanted)).unwrap();
    let device = adapter.request_device(&wgpu::DeviceDescriptor::default());
    let (device, queue) = pollster::block_on(device).unwrap();
    [chosen, Context::from_device(device, queue).unwrap()]
}

/// Runs work with every kind of allocation: uploads through the queue and through staging, of whole
/// bytes and of halves; temporary arrays, a result, constants beyond the ring of parameters;
/// readbacks that block and that are awaited.
fn run(gpu: &Context, work: Work) -> Result<()> {
    let Work { elements, constants, compare, .. } = work;
    let few = gpu.array([5], &[1.0f32, 2.0, 3.0, 4.0, 5.0])?;
    let many = gpu.array([elements], &vec![1.5f32; elements])?;
    let halves = gpu.array([3], &[1, 2, 3].map(|n| S4::new(n).unwrap()))?;
    // The exponential of the column is a separate array.
    let product: Array<f32> = (few.exp().in_dim([0]) * Expr::<f32>::iota(&[5, 64], 1)).eval()?;
    let doubled = (&many * 2.0).eval()?;
    let sum = (0..constants).fold(few.expr(), |sum, n| sum + (n % 2) as f32).eval()?;
    let read = (
        pollster::block_on(product.to_vec())?,
        doubled.to_vec_blocking()?,
        pollster::block_on(doubled.to_vec())?,
        sum.to_vec_blocking()?,
        halves.to_vec_blocking()?,
    );
    if compare {
        assert!((read.0[64 * 2 + 3] / (3.0 * 3f32.exp()) - 1.0).abs() < 1e-6);
        assert_eq!((read.1[elements - 1], read.2[0]), (3.0, 3.0));
        assert_eq!(read.3[4], 5.0 + (constants / 2) as f32);
        assert_eq!(read.4, [1, 2, 3].map(|n| S4::new(n).unwrap()));
    }
    Ok(())
}

/// Checks the work with each allocation failing. On a software adapter, readbacks need staging only
/// while others submit.
fn check(gpu: &Context, work: Work) {
    let shortage = &gpu.gpu().device.shortage;
    let waiting = 8 * work.waiting as u64;
    let begin = |fails| {
        // The kernels are kept, since they take long to compile.
        gpu.gpu().pool.trim();
        // The pool may keep buffers that are of no use here.
        shortage.set(None);
        let bytes = vec![1u8; work.waiting];
        drop([(); 8].map(|()| gpu.array([work.waiting], &bytes).unwrap()));
        assert!(gpu.memory().pooled >= waiting);
        shortage.set(fails);
    };
    begin(None);
    run(gpu, work).unwrap();
    let allocations = shortage.asked();
    assert!(allocations >= 6, "{allocations}");
    let before = gpu.memory().in_use;
    for failing in 0..allocations {
        begin(Some(failing..failing + 1));
        run(gpu, work).unwrap();
        assert!(shortage.asked() > allocations, "{failing} was tried again");

        begin(Some(failing..u64::MAX));
        let error = run(gpu, work).unwrap_err();
        assert_eq!(shortage.asked(), 3 + failing, "twice, and the probe for a loss");
        match error {
            Error::Device(DeviceError::OutOfMemory { bytes }) => assert!(bytes > 0),
            other => panic!("{other}"),
        }
        assert!(gpu.memory().pooled < waiting, "what waited was freed");
        shortage.set(None);
        run(gpu, work).unwrap();
        assert_eq!(gpu.memory().in_use, before);
    }
}

#[test]
fn a_noop_device_goes_on() {
    check(&noop(256 << 20), Work { compare: false, ..LARGE });
    check(&noop(MOST as u64), SMALL);
}

#[test]
fn a_device_goes_on() {
    for gpu in real() {
        check(&gpu, LARGE);
    }
}

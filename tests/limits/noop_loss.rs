//! Tests, on wgpu's `noop` backend, devices that are lost at a chosen moment.

use std::sync::mpsc;

use super::noop::{accepted, context, ones, says};
use indim::{Array, Builder, Context, ElementType, Expr, Literal, Result, wgpu};
use indim_testing::contexts::mappable_buffer;
use indim_testing::process::at_once;

/// Everything that a context can be asked for is refused with the loss.
fn is_lost(gpu: &Context, x: &Array<f32>, sum: &Array<f32>, reason: &str) {
    let told = format!("the device is lost ({reason}); its arrays are gone, make a new Context");
    let (gpu, x, sum) = (gpu.clone(), x.clone(), sum.clone());
    at_once(move || {
        let mut b = Builder::new();
        let p = b.parameter(ElementType::F32, [4]).unwrap();
        let identity = b.build(p).unwrap();
        let no_element = gpu.array::<f32>([0], &[]);
        says(no_element, &told);
        says(gpu.array([1], &[1.0f32]), &told);
        says(gpu.upload(&Literal::from_slice([1], &[true]).unwrap()), &told);
        says((&x + 1.0).eval(), &told);
        says(x.expr().eval(), &told);
        says(indim::neg(&x), &told);
        says(indim::reduce_sum(&x, [0]), &told);
        says(indim::softmax(&x, [0]), &told);
        says(x.argmax([0]).eval(), &told);
        says(gpu.eval(&Expr::<i32>::iota(&[4], 0)), &told);
        says(gpu.run(&identity, &[x.as_any()]), &told);
        for array in [&x, &sum] {
            says(array.to_vec_blocking(), &told);
            says(pollster::block_on(array.to_vec()), &told);
            says(array.as_any().to_literal_blocking(), &told);
            says(array.buffer(), &told);
        }
        says(gpu.flush(), &told);
        says(gpu.wait(), &told);
        let buffer = gpu.device().create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 16,
            usage: wgpu::BufferUsages::STORAGE,
            mapped_at_creation: false,
        });
        says(gpu.array_from_buffer::<f32>([4], buffer, 0), &told);
        gpu.trim();
        let _ = gpu.stats();
        gpu.notify_lost("the first reason stays");
        says(gpu.flush(), &told);
    });
    let new = context(wgpu::Limits::default());
    accepted(&new, &(ones(&new, &[4]) + 1.0));
}

#[test]
fn a_loss_that_the_caller_tells() {
    let gpu = context(wgpu::Limits::default());
    let x = ones(&gpu, &[4]);
    // Recorded, not submitted.
    let sum = (&x + &x).eval().unwrap();
    gpu.notify_lost("unplugged");
    is_lost(&gpu, &x, &sum, "unplugged");
}

#[test]
fn a_loss_that_the_device_tells() {
    let gpu = context(wgpu::Limits::default());
    let x = ones(&gpu, &[4]);
    let sum = (&x + &x).eval().unwrap();
    sum.to_vec_blocking().unwrap();
    // The caller's callback passes it on; `from_device` installs none.
    let told = gpu.clone();
    gpu.device().set_device_lost_callback(move |why, _| told.notify_lost(&format!("{why:?}")));
    gpu.device().destroy();
    // wgpu calls back when it is polled, which the first refusal does.
    says(
        gpu.array([1], &[1.0f32]),
        "the device is lost (Destroyed); its arrays are gone, make a new Context",
    );
    is_lost(&gpu, &x, &sum, "Destroyed");
}

/// Also between the kernels of a split sum and of rows that are passed over several times.
#[test]
fn a_loss_while_reductions_are_recorded() {
    let gpu = context(wgpu::Limits::default());
    let x = ones(&gpu, &[64, 5000]);
    let before = gpu.stats().dispatches;
    let sum = x.reduce_sum([0, 1]).eval().unwrap();
    let rows = x.slice([0, 0], [64, 100]).softmax([1]).eval().unwrap();
    assert!(gpu.stats().dispatches - before > 2);
    gpu.notify_lost("unplugged");
    is_lost(&gpu, &rows, &sum, "unplugged");
}

/// The caller installs no callback and reports nothing.
#[test]
fn a_loss_that_nobody_tells_ends_in_errors() {
    let gpu = context(wgpu::Limits::default());
    let x = ones(&gpu, &[4]);
    let sum = (&x + &x).eval().unwrap();
    gpu.device().destroy();
    at_once(move || {
        for _ in 0..2 {
            assert!(gpu.array([1], &[1.0f32]).is_err());
            assert!(x.to_vec_blocking().is_err());
            assert!(pollster::block_on(sum.to_vec()).is_err());
            // This may still look like a success; reading it does not.
            if let Ok(new) = (&x + 1.0).eval() {
                assert!(new.to_vec_blocking().is_err());
            }
        }
        let _ = gpu.wait();
    });
}

/// A callback of the device's owner keeps the poll, and so the reading, waiting; but the reading may
/// have been answered by a poll before, since this backend has nothing to do. Then another one is
/// made.
#[test]
fn a_reading_under_way_hears_of_the_loss() {
    at_once(|| {
        let refused = (0..20).find_map(|_| reading_during_a_loss().err());
        let error = refused.expect("a reading is refused");
        let message = "the device is lost (unplugged); its arrays are gone, make a new Context";
        assert_eq!(error.to_string(), message);
    });
}

fn reading_during_a_loss() -> Result<Vec<f32>> {
    let gpu = context(wgpu::Limits::default());
    let x = ones(&gpu, &[4]);
    let sum = (&x + &x).eval().unwrap();
    let (entered, has_entered) = mpsc::channel();
    let (release, is_released) = mpsc::channel::<()>();
    let theirs = mappable_buffer(gpu.device());
    theirs.map_async(wgpu::MapMode::Read, .., move |_| {
        entered.send(()).unwrap();
        is_released.recv().unwrap();
    });
    let reading = std::thread::spawn(move || pollster::block_on(sum.to_vec()));
    has_entered.recv().unwrap();
    gpu.notify_lost("unplugged");
    release.send(()).unwrap();
    reading.join().unwrap()
}

//! Tests what happens when something breaks under the library: a device that is lost at any point,
//! buffers that their owner destroys, readbacks that are abandoned, callbacks and wakers that
//! panic. The tests run on wgpu's `noop` backend and on whatever adapter there is.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]

mod buffers;
mod entrances;
mod given_up;
mod loss;
mod panics;
mod scopes;

use std::fmt::Debug;

use indim::{Array, Context, ContextOptions, DeviceError, Error, Result, wgpu};
use indim_testing::contexts;
use indim_testing::process::{alone, at_once};

/// wgpu's backend that checks everything and computes nothing, on a test-owned device.
fn noop() -> Context {
    let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor {
        // The features that F64 needs.
        required_features: wgpu::Features::SHADER_F64 | wgpu::Features::SHADER_INT64,
        ..wgpu::DeviceDescriptor::default()
    });
    Context::from_device(device, queue).unwrap()
}

/// Any adapter, on the context's device.
fn own() -> Context {
    contexts::blocking().unwrap_or_else(|error| panic!("{error}"))
}

/// The same adapter, on a test-owned device.
fn foreign() -> Context {
    contexts::foreign(&ContextOptions::default())
}

fn computes(gpu: &Context) -> bool {
    gpu.adapter_info().backend != wgpu::Backend::Noop
}

fn is_lost(error: &Error) -> bool {
    matches!(error, Error::Device(DeviceError::Lost { .. }))
}

#[track_caller]
fn lost<T: Debug>(result: Result<T>) {
    let error = result.expect_err("the device is lost");
    assert!(is_lost(&error), "{error}");
}

fn iota(count: usize) -> Vec<f32> {
    (0..count).map(|i| i as f32).collect()
}

fn values(array: &Array<f32>) -> Vec<f32> {
    array.to_vec_blocking().unwrap_or_else(|error| panic!("{error}"))
}

/// Checks that a context computes, if its backend does at all.
#[track_caller]
fn works(gpu: &Context) {
    let x = gpu.array([100], &iota(100)).unwrap();
    let sum = (&x + 1.0).eval().unwrap();
    let read = [values(&sum), pollster::block_on(sum.to_vec()).unwrap()];
    assert!(!computes(gpu) || read.iter().all(|values| values[99] == 100.0));
}

/// Tangents of tangents: some milliseconds on a software adapter, so that there is something to
/// happen meanwhile.
fn slow(x: &Array<f32>) -> Array<f32> {
    let mut slow = x.clone();
    for _ in 0..10 {
        slow = slow.tan().tan().eval().unwrap();
    }
    slow
}

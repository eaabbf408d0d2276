//! Tests every error message of the library, verbatim, so that a change of one is seen and meant.
//!
//! Calls go to a [`Context`], which must still compute, or to a builder, which must be unchanged.

mod arrays;
mod computations;
mod devices;

use std::fmt::Debug;

use indim::{Context, Result};
use indim_testing::contexts;
use indim_testing::messages::says;

fn gpu() -> Context {
    contexts::blocking().unwrap_or_else(|error| panic!("{error}"))
}

/// The context's refusal, after which it must still compute.
#[track_caller]
fn context_says<T: Debug>(gpu: &Context, result: Result<T>, text: &str) {
    says(result, text);
    still_computes(gpu);
}

#[track_caller]
fn still_computes(gpu: &Context) {
    let x = gpu.array([3], &[1.0f32, 2.0, 3.0]).unwrap();
    assert_eq!((&x + 1.0).eval().unwrap().to_vec_blocking().unwrap(), [2.0, 3.0, 4.0]);
}

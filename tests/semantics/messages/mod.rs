//! Tests every error message of the library, verbatim, so that a change of one is seen and meant.
//!
//! Calls that need no GPU go to a [`Builder`], which must be unchanged after each refusal; the
//! others to a [`Context`], which must still compute.

mod arrays;
mod compiler;
mod computations;
mod devices;
mod rules;
mod shapes;
mod types;
mod unwrapped;

use std::fmt::Debug;

use indim::ElementType::F32;
use indim::{Builder, Context, ElementType, Op, Result};
use indim_testing::contexts;

/// The refusal's message. The builder must be left as it was.
#[track_caller]
fn refused(b: &mut Builder, call: impl FnOnce(&mut Builder) -> Result<Op>) -> String {
    let before = format!("{b:?}");
    let error = call(b).expect_err("to be refused");
    assert_eq!(format!("{b:?}"), before, "the builder has changed");
    message(&error)
}

/// Returns an error's message, which is all of its text: `{:?}` is the same, and no source repeats
/// a part of it.
#[track_caller]
fn message(error: &(impl std::error::Error + 'static)) -> String {
    let text = error.to_string();
    assert_eq!(format!("{error:?}"), text, "Debug is the text");
    let mut said = vec![text.clone()];
    let mut cause = error.source();
    while let Some(source) = cause {
        let again = source.to_string();
        assert!(!said.iter().any(|text| text.contains(&again)), "said before: {again}");
        said.push(again);
        cause = source.source();
    }
    text
}

/// Returns the message of `add` on f32 operands of these shapes.
#[track_caller]
fn add(lhs: &[usize], rhs: &[usize], broadcast_dimensions: &[i64]) -> String {
    let mut b = Builder::new();
    let (x, y) = (b.parameter(F32, lhs).unwrap(), b.parameter(F32, rhs).unwrap());
    let text = refused(&mut b, |b| b.add(x, y, broadcast_dimensions));
    let sum = b.add(x, x, &[]).unwrap();
    assert!(b.build(sum).is_ok(), "the builder still builds");
    text
}

/// Returns the message of `broadcast_in_dim` on an f32 operand of this shape.
#[track_caller]
fn in_dim(operand: &[usize], out_sizes: &[i64], broadcast_dimensions: &[i64]) -> String {
    let mut b = Builder::new();
    let x = b.parameter(F32, operand).unwrap();
    refused(&mut b, |b| b.broadcast_in_dim(x, out_sizes, broadcast_dimensions))
}

/// Returns the message of an operation on parameters of these types and shapes.
#[track_caller]
fn apply<const N: usize>(
    operands: [(ElementType, &[usize]); N],
    call: impl FnOnce(&mut Builder, [Op; N]) -> Result<Op>,
) -> String {
    let mut b = Builder::new();
    let ops = operands.map(|(ty, dims)| b.parameter(ty, dims).unwrap());
    refused(&mut b, |b| call(b, ops))
}

#[track_caller]
fn says<T: Debug>(result: Result<T>, text: &str) {
    assert_eq!(message(&result.expect_err("to be refused")), text);
}

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

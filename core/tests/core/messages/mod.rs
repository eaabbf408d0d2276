//! Tests the messages of refusals that need no device, verbatim, so that a change of one is seen and
//! meant. Calls go to a [`Builder`], which must be unchanged after each refusal.

mod calls;
mod compiler;
mod rules;
mod shapes;
mod types;
mod unwrapped;

use indim::Builder;
use indim::ElementType::F32;
use indim_testing::messages::refused;

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

//! The ten functions as expressions of built-in operations.

use indim::{Expr, IntoExpr};

use crate::Inputs;

pub(crate) fn squared_diff(i: &Inputs) -> Expr<f32> {
    (&i.matrix - i.row.in_dim([1])).square()
}

pub(crate) fn my_exp(i: &Inputs) -> Expr<f32> {
    i.matrix.exp()
}

pub(crate) fn leaky(i: &Inputs) -> Expr<f32> {
    let x = &i.matrix;
    x.gt(0.0).select(x, 0.1 * x).min(0.75)
}

pub(crate) fn huber(i: &Inputs) -> Expr<f32> {
    let e = (&i.matrix - i.row.in_dim([1])).abs();
    e.le(0.5).select(0.5 * &e * &e, 0.5 * (&e - 0.25))
}

pub(crate) fn smooth(i: &Inputs) -> Expr<f32> {
    let t = ((&i.matrix - -0.5) / (0.5 - -0.5)).clamp(0.0, 1.0);
    &t * &t * (3.0 - 2.0 * &t)
}

pub(crate) fn uniform_of(i: &Inputs) -> Expr<f32> {
    corner(&(&i.columns).into_expr(), &(&i.rows).into_expr())
}

pub(crate) fn noise(i: &Inputs) -> Expr<f32> {
    let (x, y) = (
        i.columns.convert_element_type::<f32>() * 0.125,
        i.rows.convert_element_type::<f32>() * 0.125,
    );
    let (left, top) =
        (x.floor().convert_element_type::<u32>(), y.floor().convert_element_type::<u32>());
    let (right, bottom) = (&left + 1, &top + 1);
    let (across, down) = (fade(&(&x - x.floor())), fade(&(&y - y.floor())));
    let low = mix(&corner(&left, &top), &corner(&right, &top), &across);
    let high = mix(&corner(&left, &bottom), &corner(&right, &bottom), &across);
    mix(&low, &high, &down)
}

pub(crate) fn morton(i: &Inputs) -> Expr<f32> {
    let index = spread(&(&i.columns).into_expr()) | (spread(&(&i.rows).into_expr()) << 1);
    index.convert_element_type::<f32>() / 16384.0
}

pub(crate) fn escape(i: &Inputs) -> Expr<f32> {
    let c = i.matrix.complex(i.row.in_dim([1]));
    let z = &c * &c + &c;
    (&z * &z + &c).abs()
}

pub(crate) fn linear(i: &Inputs) -> Expr<f32> {
    let v = &i.gray;
    v.le(0.04045).select(v / 12.92, ((v + 0.055) / 1.055).pow(2.4))
}

/// Returns a number in [0, 1) of two indices, by PCG's output permutation.
fn corner(x: &Expr<u32>, y: &Expr<u32>) -> Expr<f32> {
    let state = (x + 1_664_525 * y) * 747_796_405 + 2_891_336_453;
    let word = ((&state >> ((&state >> 28) + 4)) ^ &state) * 277_803_737;
    (((&word >> 22) ^ &word) >> 8).convert_element_type::<f32>() / 16_777_216.0
}

fn fade(t: &Expr<f32>) -> Expr<f32> {
    t * t * (3.0 - 2.0 * t)
}

fn mix(a: &Expr<f32>, b: &Expr<f32>, t: &Expr<f32>) -> Expr<f32> {
    a + (b - a) * t
}

fn spread(x: &Expr<u32>) -> Expr<u32> {
    let a = (x | (x << 4)) & 0x0f0f;
    let b = (&a | (&a << 2)) & 0x3333;
    (&b | (&b << 1)) & 0x5555
}

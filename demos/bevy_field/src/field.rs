//! The field of charges in the plane, as expressions of their places.

use indim::{Array, Expr};

use crate::{CHARGES, N};

/// From the first pixel's centre to the picture's.
const MIDDLE: f32 = (N - 1) as f32 * 0.5;
/// Lines of the field that leave a charge of 1. Charges are integers, and so lines meet where the
/// angle jumps by a turn.
const LINES: f32 = 12.0;
/// The difference of the potential from one equipotential line to the next.
const LEVEL: f32 = 0.5;

/// Returns the potential, shape (N, N): each charge's is the logarithm of the distance.
pub fn potential(charges: &Array<f32>) -> Expr<f32> {
    sum(charges, |right, up, charge| square(right, up).log() * (charge * -0.5))
}

/// Returns lines of the field and equipotential lines, 0 to 1, shape (N, N).
///
/// The angles seen from the charges are constant along a line of the field. Both they and the
/// potential grow by the field's strength from pixel to pixel, which makes all lines equally wide.
pub fn net(charges: &Array<f32>, potential: &Array<f32>) -> Expr<f32> {
    let east = sum(charges, |right, up, charge| charge * &right / square(right, up));
    let north = sum(charges, |right, up, charge| charge * &up / square(right, up));
    let angle = sum(charges, |right, up, charge| charge * up.atan2(right));
    let strength = (east.square() + north.square()).sqrt().max(1e-3);
    let line = |turns: Expr<f32>, distance: f32| {
        let gap = distance / &strength;
        let away = (&turns - turns.floor() - 0.5).abs() * &gap;
        // No lines where they would be closer than some pixels.
        (1.4 - away).clamp(0.0, 1.0) * (gap * 0.25 - 0.75).clamp(0.0, 1.0)
    };
    let turn = std::f32::consts::TAU / LINES;
    let lines = line(angle * (1.0 / turn), turn);
    lines.max(line(potential * (1.0 / LEVEL), LEVEL) * 0.5)
}

/// Returns the picture, shape (N, N, 3), in colours of positive and of negative potentials, shape
/// (2, 3).
pub fn colours(potential: &Array<f32>, net: &Array<f32>, palette: &Array<f32>) -> Expr<f32> {
    let colour = |i| palette.index(0, i).in_dim([2]);
    let deep = |value: Expr<f32>| value.broadcast_in_dim(&[N, N, 3], &[0, 1]);
    let height = (potential * 0.7).tanh();
    let positive = deep(height.max(0.0)) * colour(0);
    let negative = deep((-height).max(0.0)) * colour(1);
    (positive + negative) * (deep(net * 0.9) + 0.6) + deep(net * 0.25) + 0.03
}

/// Sums `of` over the charges. Its arguments are how far each pixel is to the right of a charge,
/// shape (1, N), how far above it, shape (N, 1), and the charge, a scalar.
fn sum(
    charges: &Array<f32>,
    of: impl Fn(Expr<f32>, Expr<f32>, Expr<f32>) -> Expr<f32>,
) -> Expr<f32> {
    let term = |i: i64| {
        let charge = charges.index(0, i);
        let part = |j| charge.index(0, j);
        let right = Expr::iota(&[1, N], 1) - MIDDLE - part(0);
        let up = MIDDLE - Expr::iota(&[N, 1], 0) - part(1);
        of(right, up, part(2))
    };
    (1..CHARGES as i64).fold(term(0), |sum, i| sum + term(i))
}

/// Returns the square of the distance, which is never 0.
fn square(right: Expr<f32>, up: Expr<f32>) -> Expr<f32> {
    right.square() + up.square() + 1.0
}

//! Compares the field with one that loops over the pixels compute on the host, in 64 bits.

use bevy_field::{N, ORBITS};

/// Half a level is what rounding costs. The rest is for lines, whose distance from a pixel is a small
/// difference of angles.
const LEVELS: f64 = 0.75;

#[test]
fn the_field_is_as_loops_on_the_host_compute_it() {
    let mut checked = 0;
    bevy_field::frames(4, |frame, bytes| {
        let charges = ORBITS.map(|(charge, middle, radius, turns)| {
            let angle = frame as f64 / 60.0 * f64::from(turns) * std::f64::consts::TAU;
            let [x, y] = middle.map(f64::from);
            let radius = f64::from(radius);
            [x + angle.cos() * radius, y + angle.sin() * radius, f64::from(charge)]
        });
        let mut largest = 0.0;
        for (at, pixel) in bytes.chunks_exact(4).enumerate() {
            let middle = (N - 1) as f64 * 0.5;
            let (x, y) = ((at as i64 % N) as f64 - middle, middle - (at as i64 / N) as f64);
            for (byte, colour) in pixel.iter().zip(colour(&charges, x, y)) {
                let difference = (f64::from(*byte) - colour.clamp(0.0, 1.0) * 255.0).abs();
                // Not `max`, which would pass over a NaN.
                largest = if difference <= largest { largest } else { difference };
            }
        }
        assert_eq!(bytes.len() as i64, 4 * N * N);
        assert!(largest <= LEVELS, "frame {frame}: {largest} levels");
        checked += 1;
        Ok(())
    })
    .unwrap();
    assert_eq!(checked, 4);
}

fn colour(charges: &[[f64; 3]], x: f64, y: f64) -> [f64; 4] {
    let (mut potential, mut east, mut north, mut angle) = (0.0, 0.0, 0.0, 0.0);
    for [charge_x, charge_y, charge] in charges {
        let (right, up) = (x - charge_x, y - charge_y);
        let square = right * right + up * up + 1.0;
        potential -= charge * 0.5 * square.ln();
        east += charge * right / square;
        north += charge * up / square;
        angle += charge * up.atan2(right);
    }
    let strength = east.hypot(north).max(1e-3);
    let line = |value: f64, distance: f64| {
        let gap = distance / strength;
        let turns = value / distance;
        let away = (turns - turns.floor() - 0.5).abs() * gap;
        (1.4 - away).clamp(0.0, 1.0) * (gap * 0.25 - 0.75).clamp(0.0, 1.0)
    };
    let net = line(angle, std::f64::consts::TAU / 12.0).max(line(potential, 0.5) * 0.5);
    let height = (potential * 0.7).tanh();
    let palette = if height > 0.0 { [1.0, 0.42, 0.10] } else { [0.12, 0.46, 1.0] };
    let [r, g, b] =
        palette.map(|colour| colour * height.abs() * (net * 0.9 + 0.6) + net * 0.25 + 0.03);
    [r, g, b, 1.0]
}

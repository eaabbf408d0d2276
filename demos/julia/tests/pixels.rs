//! Compares Julia sets with those that loops over the pixels compute on the host.

use julia::Julia;
use shell::Demo as _;

const WIDTH: usize = 960;
const LIMIT: f32 = 256.0;

/// The steps of z are rounded as Rust's, logarithms and cosines have 4 ULP, which is below a
/// hundredth of a level: half a level is what rounding to 8 bits costs.
const LEVELS: f32 = 0.51;

#[test]
fn the_sets_are_as_loops_on_the_host_compute_them() {
    let (mut centre, mut distance) = ([0.0_f32; 2], 3.3 / WIDTH as f32);
    shell::frames::<Julia>(3, |frame, picture| {
        let input = Julia::rehearsal(frame);
        let nearer = distance * 0.9_f32.powf(input.scroll);
        for (centre, (pointer, middle)) in
            centre.iter_mut().zip(input.pointer.into_iter().zip([480.0, 360.0]))
        {
            *centre += (pointer - middle) * (distance - nearer);
        }
        distance = nearer;
        let difference = picture.difference(0, |row, column| {
            let re = (column as f32 - 480.0) * distance + centre[0];
            let im = (row as f32 - 360.0) * distance + centre[1];
            colour(re, im)
        });
        assert!(difference <= LEVELS, "frame {frame}: {difference} levels");
        Ok(())
    })
    .unwrap();
}

#[test]
fn users_do_not_break_it() {
    shell::exercise::<Julia>(|values| {
        assert!(values.iter().all(|value| (-0.001..=1.001).contains(value)), "all are colours");
        Ok(())
    })
    .unwrap();
}

fn colour(mut re: f32, mut im: f32) -> [f32; 3] {
    let (c_re, c_im) = (-0.8, 0.156);
    let mut count = 0.0;
    while count < 192.0 && re * re + im * im <= LIMIT {
        (re, im) = (re * re - im * im + c_re, re * im + im * re + c_im);
        count += 1.0;
    }
    // In a step beyond the limit log |z| doubles, so that this has no jumps where the count has.
    let escape = count + 1.0 - ((re * re + im * im).ln() / LIMIT.ln()).log2();
    // Points that the last step takes beyond the limit are also black.
    if count == 192.0 {
        return [0.0; 3];
    }
    let wave = |phase: f32| (std::f32::consts::TAU * (escape.max(0.0).sqrt() * 0.21 + phase)).cos();
    [0.62, 0.52, 0.38].map(|phase| 0.5 - 0.5 * wave(phase))
}

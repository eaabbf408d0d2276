//! Computes the Mandelbrot set, from a row of real and a column of imaginary parts.
//!
//! `scripts/with-adapter cargo run --release --example mandelbrot [-- PATH]`
//!
//! Writes a NetPBM image to PATH, or to `mandelbrot.ppm` in the current directory. The complex
//! plane is never uploaded: dimensions of size 1 stretch, so that shapes [1, width] and [height, 1]
//! broadcast to [height, width].

use std::time::Instant;

use indim::{Context, Expr, IntoExpr as _};

/// Each expression has `STEPS` iterations, and `ROUNDS` of them are evaluated one after the other.
const STEPS: i32 = 16;
const ROUNDS: i32 = 12;
const LIMIT: i32 = STEPS * ROUNDS;

const WIDTH: usize = 960;
const HEIGHT: usize = 641;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args_os().nth(1).unwrap_or_else(|| "mandelbrot.ppm".into());
    let gpu = Context::blocking()?;
    println!("on {}", gpu.adapter_info().name);

    // The counts of some points are known: 0, -1 and -2 stay inside; 1 goes 1, 2, 5.
    let known = counts(&gpu, &[0.0, -1.0, -2.0, 1.0, 2.0], &[0.0, 2.0])?;
    assert_eq!(known[..5], [LIMIT, LIMIT, LIMIT, 2, 1]);
    assert_eq!(known[9], 0, "2+2i is outside from the start");

    let reals: Vec<f32> = (0..WIDTH).map(|i| (i as f32 - 720.0) / 320.0).collect();
    let imaginaries: Vec<f32> = (0..HEIGHT).map(|j| (320.0 - j as f32) / 320.0).collect();
    let before = (gpu.stats(), Instant::now());
    let counts = counts(&gpu, &reals, &imaginaries)?;
    let seconds = before.1.elapsed().as_secs_f64();

    // The image is symmetric to the last bit, because rows differ only in the imaginary part's
    // sign.
    for row in 0..HEIGHT / 2 {
        let mirrored = HEIGHT - 1 - row;
        assert_eq!(
            counts[row * WIDTH..][..WIDTH],
            counts[mirrored * WIDTH..][..WIDTH],
            "rows {row} and {mirrored}"
        );
    }
    let inside = counts.iter().filter(|&&n| n == LIMIT).count();
    println!(
        "{WIDTH} x {HEIGHT} points, {LIMIT} iterations in {} kernels: {seconds:.2} s; {inside} points are inside",
        gpu.stats().dispatches - before.0.dispatches
    );

    let mut image = format!("P6\n{WIDTH} {HEIGHT}\n255\n").into_bytes();
    image.extend(counts.iter().flat_map(|&n| colour(n)));
    std::fs::write(&path, image).map_err(|error| format!("{}: {error}", path.display()))?;
    println!("wrote {}", path.display());
    Ok(())
}

/// Returns, row by row, how many of the points z = c, c² + c, ... have |z| <= 2 before one has not.
fn counts(gpu: &Context, reals: &[f32], imaginaries: &[f32]) -> indim::Result<Vec<i32>> {
    let re = gpu.array([1, reals.len()], reals)?.expr();
    let im = gpu.array([imaginaries.len(), 1], imaginaries)?.expr();
    let (mut x, mut y, mut count) = (re.clone(), im.clone(), 0.into_expr());
    for _ in 0..ROUNDS {
        for _ in 0..STEPS {
            (x, y, count) = step(&x, &y, &count, &re, &im);
        }
        // Each eval() is one kernel, which reads the three arrays of the round before.
        (x, y, count) = (x.eval()?.expr(), y.eval()?.expr(), count.eval()?.expr());
    }
    count.eval()?.to_vec_blocking()
}

type Step = (Expr<f32>, Expr<f32>, Expr<i32>);

/// Returns z² + c and the count, which increases where |z|² <= 4. Points outside go on to infinity
/// and NaN, which are not <= 4, so that they need no mask.
fn step(x: &Expr<f32>, y: &Expr<f32>, count: &Expr<i32>, re: &Expr<f32>, im: &Expr<f32>) -> Step {
    let (xx, yy) = (x * x, y * y);
    let inside = (&xx + &yy).le(4.0);
    (xx - yy + re, x * y * 2.0 + im, inside.select(count + 1, count))
}

/// Maps a count to red, green and blue.
fn colour(count: i32) -> [u8; 3] {
    if count == LIMIT {
        return [0, 0, 0];
    }
    let t = (count as f32 / LIMIT as f32).sqrt();
    let s = 1.0 - t;
    [9.0 * s * t * t * t, 15.0 * s * s * t * t, 8.5 * s * s * s * t].map(|c| (255.0 * c) as u8)
}

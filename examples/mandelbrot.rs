//! The Mandelbrot set: a row of reals by a column of imaginaries.
//!
//! `scripts/with-adapter cargo run --release --example mandelbrot [-- PATH]`
//!
//! Writes `mandelbrot.ppm`, a NetPBM image, into the current directory, or PATH. No complex plane is
//! uploaded: dimensions of size 1 broadcast, so that (1, width) and (height, 1) make
//! (height, width).

use std::time::Instant;

use indim::{Context, Expr, IntoExpr as _};

/// Iterations in one expression, and how many times it is evaluated.
const STEPS: i32 = 16;
const ROUNDS: i32 = 12;
const LIMIT: i32 = STEPS * ROUNDS;

const WIDTH: usize = 960;
const HEIGHT: usize = 641;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args_os().nth(1).unwrap_or_else(|| "mandelbrot.ppm".into());
    let gpu = Context::blocking()?;
    println!("on {}", gpu.adapter_info().name);

    // Points whose counts are known: 0, -1 and -2 stay, 1 takes the way 1, 2, 5.
    let known = counts(&gpu, &[0.0, -1.0, -2.0, 1.0, 2.0], &[0.0, 2.0])?;
    assert_eq!(known[..5], [LIMIT, LIMIT, LIMIT, 2, 1]);
    assert_eq!(known[9], 0, "2+2i is outside from the start");

    let reals: Vec<f32> = (0..WIDTH).map(|i| (i as f32 - 720.0) / 320.0).collect();
    let imaginaries: Vec<f32> = (0..HEIGHT).map(|j| (320.0 - j as f32) / 320.0).collect();
    let before = (gpu.stats(), Instant::now());
    let counts = counts(&gpu, &reals, &imaginaries)?;
    let seconds = before.1.elapsed().as_secs_f64();

    // The set is its own mirror image, to the bit: only the sign of the imaginary part differs.
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

/// How many of the points z = c, c² + c, ... have |z| <= 2, before one has not; row by row.
fn counts(gpu: &Context, reals: &[f32], imaginaries: &[f32]) -> indim::Result<Vec<i32>> {
    let re = gpu.array([1, reals.len()], reals)?.expr();
    let im = gpu.array([imaginaries.len(), 1], imaginaries)?.expr();
    let (mut x, mut y, mut count) = (re.clone(), im.clone(), 0.into_expr());
    for _ in 0..ROUNDS {
        for _ in 0..STEPS {
            (x, y, count) = step(&x, &y, &count, &re, &im);
        }
        // Each is one kernel, and reads what the round before wrote.
        (x, y, count) = (x.eval()?.expr(), y.eval()?.expr(), count.eval()?.expr());
    }
    count.eval()?.to_vec_blocking()
}

type Step = (Expr<f32>, Expr<f32>, Expr<i32>);

/// One iteration: counts where |z|² <= 4, then z² + c. What has left goes on to infinity and NaN,
/// which are not <= 4, so that it needs no mask.
fn step(x: &Expr<f32>, y: &Expr<f32>, count: &Expr<i32>, re: &Expr<f32>, im: &Expr<f32>) -> Step {
    let (xx, yy) = (x * x, y * y);
    let inside = (&xx + &yy).le(4.0);
    (xx - yy + re, x * y * 2.0 + im, inside.select(count + 1, count))
}

fn colour(count: i32) -> [u8; 3] {
    if count == LIMIT {
        return [0, 0, 0];
    }
    let t = (count as f32 / LIMIT as f32).sqrt();
    let s = 1.0 - t;
    [9.0 * s * t * t * t, 15.0 * s * s * t * t, 8.5 * s * s * s * t].map(|c| (255.0 * c) as u8)
}

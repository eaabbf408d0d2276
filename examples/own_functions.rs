//! Ten functions in WGSL as operations: each broadcasts, fuses with two built-in operations into one
//! kernel, and is compared with the same computation on the host.
//!
//!     cargo run --release --example own_functions

use std::error::Error;

use indim::{Array, Context, Expr, Function};

type Run = fn(&Context, &Function) -> indim::Result<(Expr<f32>, Vec<f32>)>;

const COLUMNS: usize = 96;
const ROWS: usize = 64;

fn main() -> Result<(), Box<dyn Error>> {
    let gpu = Context::blocking()?;
    for (text, run) in FUNCTIONS {
        let function = Function::wgsl(text)?;
        let (result, expected) = run(&gpu, &function)?;
        // Two operations around the call.
        let around = (result * 2.0 + 1.0).eval()?;
        let explanation = indim::explain(&(run(&gpu, &function)?.0 * 2.0 + 1.0))?;
        let values = around.to_vec_blocking()?;
        let differences: Vec<f32> = values
            .iter()
            .zip(&expected)
            .map(|(value, expected)| (value - (expected * 2.0 + 1.0)).abs())
            .collect();
        let error = differences.iter().copied().fold(0f32, f32::max);
        // A NaN is no difference that the maximum shows.
        let is_right = differences.iter().all(|&difference| difference <= 1e-3);
        if !is_right || explanation.kernels.len() != 1 {
            return Err(format!("{}: off by {error}", function.name()).into());
        }
        println!(
            "{:14} {} elements, 1 kernel, off by at most {error:.1e}",
            function.name(),
            values.len()
        );
    }
    Ok(())
}

/// Texts, and how each is called; the second result is what the host computes.
const FUNCTIONS: &[(&str, Run)] = &[
    // The first example of CuPy's guide to user-defined kernels.
    ("fn squared_diff(x: f32, y: f32) -> f32 { return (x - y) * (x - y); }", |gpu, f| {
        let (x, y) = (matrix(gpu)?, row(gpu)?);
        let expected = each(|r, c| (at(r, c) - of_row(c)).powi(2));
        Ok((f.call((&x, y.in_dim([1])))?, expected))
    }),
    // MLX's first custom kernel.
    ("fn my_exp(a: f32) -> f32 { return exp(a); }", |gpu, f| {
        Ok((f.call((&matrix(gpu)?,))?, each(|r, c| at(r, c).exp())))
    }),
    // The fused multiply-add and clamp of neural networks: a bounded ReLU with a slope.
    (
        "fn leaky(x: f32, slope: f32, most: f32) -> f32 { return min(select(slope * x, x, x > 0.0), most); }",
        |gpu, f| {
            let leaky = |x: f32| if x > 0.0 { x.min(0.75) } else { 0.1 * x };
            Ok((f.call((&matrix(gpu)?, 0.1, 0.75))?, each(|r, c| leaky(at(r, c)))))
        },
    ),
    // The Huber loss.
    (
        "fn huber(x: f32, y: f32, delta: f32) -> f32 {
          let e = abs(x - y);
          return select(delta * (e - 0.5 * delta), 0.5 * e * e, e <= delta);
      }",
        |gpu, f| {
            let huber = |e: f32| if e <= 0.5 { 0.5 * e * e } else { 0.5 * (e - 0.25) };
            let (x, y) = (matrix(gpu)?, row(gpu)?);
            let expected = each(|r, c| huber((at(r, c) - of_row(c)).abs()));
            Ok((f.call((&x, y.in_dim([1]), 0.5))?, expected))
        },
    ),
    // Smoothstep, Perlin's first fade function.
    (
        "fn smooth(low: f32, high: f32, x: f32) -> f32 {
          let t = clamp((x - low) / (high - low), 0.0, 1.0);
          return t * t * (3.0 - 2.0 * t);
      }",
        |gpu, f| {
            let smooth = |x: f32| {
                let t = ((x + 0.5) / 1.0).clamp(0.0, 1.0);
                t * t * (3.0 - 2.0 * t)
            };
            Ok((f.call((-0.5, 0.5, &matrix(gpu)?))?, each(|r, c| smooth(at(r, c)))))
        },
    ),
    // PCG's output permutation as a hash (Jarzynski and Olano, 2020), as a number in [0, 1).
    (
        concat!(
            "fn uniform_of(x: u32, y: u32) -> f32 { return f32(hash(x + 1664525u * y) >> 8u) / 16777216.0; }\n",
            "fn hash(x: u32) -> u32 {
          let state = x * 747796405u + 2891336453u;
          let word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
          return (word >> 22u) ^ word;
      }"
        ),
        |gpu, f| Ok((call_on_indices(gpu, f)?, each(|r, c| uniform(c as u32, r as u32)))),
    ),
    // Value noise: the hashes of four corners, faded.
    (
        "const SCALE = 0.125;
      fn hash(x: u32) -> u32 {
          let state = x * 747796405u + 2891336453u;
          let word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
          return (word >> 22u) ^ word;
      }
      fn corner(x: u32, y: u32) -> f32 { return f32(hash(x + 1664525u * y) >> 8u) / 16777216.0; }
      fn fade(t: f32) -> f32 { return t * t * (3.0 - 2.0 * t); }
      fn noise(column: u32, row: u32) -> f32 {
          let at = vec2(f32(column), f32(row)) * SCALE;
          let cell = vec2<u32>(floor(at));
          let t = fract(at);
          let low = mix(corner(cell.x, cell.y), corner(cell.x + 1u, cell.y), fade(t.x));
          let high = mix(corner(cell.x, cell.y + 1u), corner(cell.x + 1u, cell.y + 1u), fade(t.x));
          return mix(low, high, fade(t.y));
      }",
        |gpu, f| Ok((call_on_indices(gpu, f)?, each(noise))),
    ),
    // The interleaving of two indices: Morton's order, by the masks of Hacker's Delight, 7-2.
    (
        "fn spread(x: u32) -> u32 {
          let a = (x | (x << 4u)) & 0x0f0fu;
          let b = (a | (a << 2u)) & 0x3333u;
          return (b | (b << 1u)) & 0x5555u;
      }
      fn morton(x: u32, y: u32) -> f32 { return f32(spread(x) | (spread(y) << 1u)) / 16384.0; }",
        |gpu, f| Ok((call_on_indices(gpu, f)?, each(|r, c| morton(c, r) as f32 / 16384.0))),
    ),
    // A product of complex numbers and its magnitude, of two indices on the plane.
    (
        "fn product(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
          return vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
      }
      fn escape(x: f32, y: f32) -> f32 {
          let c = vec2(x, y);
          let z = product(c, c) + c;
          return length(product(z, z) + c);
      }",
        |gpu, f| {
            let (x, y) = (matrix(gpu)?, row(gpu)?);
            Ok((f.call((&x, y.in_dim([1])))?, each(|r, c| escape(at(r, c), of_row(c)))))
        },
    ),
    // Luminance of sRGB, whose curve has two parts, of a gray value.
    (
        "fn linear(v: f32) -> f32 { return select(pow((v + 0.055) / 1.055, 2.4), v / 12.92, v <= 0.04045); }",
        |gpu, f| {
            let linear =
                |v: f32| if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) };
            let gray = matrix(gpu)?.abs().eval()?;
            Ok((f.call((&gray,))?, each(|r, c| linear(at(r, c).abs()))))
        },
    ),
];

fn at(row: usize, column: usize) -> f32 {
    ((row * COLUMNS + column) % 257) as f32 / 128.5 - 1.0
}

fn of_row(column: usize) -> f32 {
    column as f32 / COLUMNS as f32
}

fn each(value: impl Fn(usize, usize) -> f32) -> Vec<f32> {
    (0..ROWS * COLUMNS).map(|i| value(i / COLUMNS, i % COLUMNS)).collect()
}

fn matrix(gpu: &Context) -> indim::Result<Array<f32>> {
    gpu.array([ROWS, COLUMNS], &each(at))
}

fn row(gpu: &Context) -> indim::Result<Array<f32>> {
    gpu.array([COLUMNS], &(0..COLUMNS).map(of_row).collect::<Vec<_>>())
}

/// Calls a function of the column and the row of each element, which stretch to the shape of both.
fn call_on_indices(gpu: &Context, function: &Function) -> indim::Result<Expr<f32>> {
    let columns = gpu.array([1, COLUMNS], &(0..COLUMNS as u32).collect::<Vec<_>>())?;
    let rows = gpu.array([ROWS, 1], &(0..ROWS as u32).collect::<Vec<_>>())?;
    function.call((&columns, &rows))
}

fn uniform(x: u32, y: u32) -> f32 {
    let x = x.wrapping_add(y.wrapping_mul(1_664_525));
    let state = x.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
    let word = ((state >> ((state >> 28) + 4)) ^ state).wrapping_mul(277_803_737);
    (((word >> 22) ^ word) >> 8) as f32 / 16_777_216.0
}

fn noise(row: usize, column: usize) -> f32 {
    let (x, y) = (column as f32 / 8.0, row as f32 / 8.0);
    let (left, top) = (x as u32, y as u32);
    let fade = |t: f32| t * t * (3.0 - 2.0 * t);
    let mix = |a: f32, b: f32, t: f32| a + (b - a) * t;
    let along = |y: u32| mix(uniform(left, y), uniform(left + 1, y), fade(x.fract()));
    mix(along(top), along(top + 1), fade(y.fract()))
}

fn morton(x: usize, y: usize) -> usize {
    (0..8).map(|bit| ((x >> bit & 1) | (y >> bit & 1) << 1) << (2 * bit)).sum()
}

fn escape(x: f32, y: f32) -> f32 {
    let square = |(a, b): (f32, f32)| (a * a - b * b + x, 2.0 * a * b + y);
    let (re, im) = square(square((x, y)));
    re.hypot(im)
}

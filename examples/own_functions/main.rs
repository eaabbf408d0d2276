//! Ten functions in WGSL as operations: each broadcasts, fuses with two built-in operations into one
//! kernel, and is compared with the same computation on the host.
//!
//!     cargo run --release --example own_functions
//!
//! With `--time` each is also timed beside the same written with built-in operations:
//!
//!     cargo run --release --example own_functions -- --time

mod built_in;
mod host;
mod timing;

use std::error::Error;

use indim::{Array, Context, Expr, Function};

/// A function, and the same computation in two other ways.
struct Operation {
    text: &'static str,
    call: fn(&Function, &Inputs) -> indim::Result<Expr<f32>>,
    /// Returns what the host computes for an element of this row and column.
    host: fn(usize, usize) -> f32,
    /// The expression of built-in operations.
    built_in: fn(&Inputs) -> Expr<f32>,
}

/// The operands, on the device.
struct Inputs {
    /// The values of [`host::at`], of shape `[rows, columns]`.
    matrix: Array<f32>,
    /// Their absolute values.
    gray: Array<f32>,
    /// The values of [`host::of_row`], of shape `[columns]`.
    row: Array<f32>,
    /// The index of each column, of shape `[1, columns]`, and that of each row, `[rows, 1]`: both
    /// stretch to the shape of the two together.
    columns: Array<u32>,
    rows: Array<u32>,
}

impl Inputs {
    fn new(gpu: &Context, [rows, columns]: [usize; 2]) -> indim::Result<Self> {
        let matrix = gpu.array([rows, columns], &each([rows, columns], host::at))?;
        Ok(Self {
            gray: matrix.abs().eval()?,
            matrix,
            row: gpu.array([columns], &(0..columns).map(host::of_row).collect::<Vec<_>>())?,
            columns: gpu.array([1, columns], &(0..columns as u32).collect::<Vec<_>>())?,
            rows: gpu.array([rows, 1], &(0..rows as u32).collect::<Vec<_>>())?,
        })
    }
}

fn each([rows, columns]: [usize; 2], value: impl Fn(usize, usize) -> f32) -> Vec<f32> {
    (0..rows * columns).map(|i| value(i / columns, i % columns)).collect()
}

/// Puts two operations around one.
fn fused(operation: Expr<f32>) -> Expr<f32> {
    operation * 2.0 + 1.0
}

fn main() -> Result<(), Box<dyn Error>> {
    let gpu = Context::blocking()?;
    match std::env::args().nth(1).as_deref() {
        None => check(&gpu),
        Some("--time") => timing::run(&gpu),
        Some(other) => Err(format!("{other} is not an argument; there is --time").into()),
    }
}

/// Compares each function with the host.
fn check(gpu: &Context) -> Result<(), Box<dyn Error>> {
    let sizes = [64, 96];
    let inputs = Inputs::new(gpu, sizes)?;
    for operation in OPERATIONS {
        let function = Function::wgsl(operation.text)?;
        let result = fused((operation.call)(&function, &inputs)?);
        let kernels = indim::explain(&result)?.kernels.len();
        let values = result.eval()?.to_vec_blocking()?;
        let differences: Vec<f32> = values
            .iter()
            .zip(each(sizes, operation.host))
            .map(|(value, expected)| (value - (expected * 2.0 + 1.0)).abs())
            .collect();
        let error = differences.iter().copied().fold(0f32, f32::max);
        // The maximum skips a NaN; this comparison does not.
        let is_right = differences.iter().all(|&difference| difference <= 1e-3);
        if !is_right || kernels != 1 {
            return Err(format!("{}: off by {error}, {kernels} kernels", function.name()).into());
        }
        println!(
            "{:14} {} elements, 1 kernel, off by at most {error:.1e}",
            function.name(),
            values.len()
        );
    }
    Ok(())
}

const OPERATIONS: &[Operation] = &[
    // This is the first example of CuPy's guide to user-defined kernels.
    Operation {
        text: "fn squared_diff(x: f32, y: f32) -> f32 { return (x - y) * (x - y); }",
        call: |f, i| f.call((&i.matrix, i.row.in_dim([1]))),
        host: host::squared_diff,
        built_in: built_in::squared_diff,
    },
    // This is MLX's first custom kernel.
    Operation {
        text: "fn my_exp(a: f32) -> f32 { return exp(a); }",
        call: |f, i| f.call((&i.matrix,)),
        host: |r, c| host::at(r, c).exp(),
        built_in: built_in::my_exp,
    },
    // Neural networks have this multiply-add and clamp: a bounded ReLU with a slope.
    Operation {
        text: "fn leaky(x: f32, slope: f32, most: f32) -> f32 { return min(select(slope * x, x, x > 0.0), most); }",
        call: |f, i| f.call((&i.matrix, 0.1, 0.75)),
        host: host::leaky,
        built_in: built_in::leaky,
    },
    // This is the Huber loss.
    Operation {
        text: "fn huber(x: f32, y: f32, delta: f32) -> f32 {
          let e = abs(x - y);
          return select(delta * (e - 0.5 * delta), 0.5 * e * e, e <= delta);
      }",
        call: |f, i| f.call((&i.matrix, i.row.in_dim([1]), 0.5)),
        host: host::huber,
        built_in: built_in::huber,
    },
    // Smoothstep was Perlin's first fade function.
    Operation {
        text: "fn smooth(low: f32, high: f32, x: f32) -> f32 {
          let t = clamp((x - low) / (high - low), 0.0, 1.0);
          return t * t * (3.0 - 2.0 * t);
      }",
        call: |f, i| f.call((-0.5, 0.5, &i.matrix)),
        host: host::smooth,
        built_in: built_in::smooth,
    },
    // PCG's output permutation is a hash (Jarzynski and Olano, 2020), here a number in [0, 1).
    Operation {
        text: concat!(
            "fn uniform_of(x: u32, y: u32) -> f32 { return f32(hash(x + 1664525u * y) >> 8u) / 16777216.0; }\n",
            "fn hash(x: u32) -> u32 {
          let state = x * 747796405u + 2891336453u;
          let word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
          return (word >> 22u) ^ word;
      }"
        ),
        call: |f, i| f.call((&i.columns, &i.rows)),
        host: |r, c| host::uniform_of(c as u32, r as u32),
        built_in: built_in::uniform_of,
    },
    // Value noise fades between the hashes of four corners.
    Operation {
        text: "const SCALE = 0.125;
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
        call: |f, i| f.call((&i.columns, &i.rows)),
        host: host::noise,
        built_in: built_in::noise,
    },
    // Morton's order interleaves two indices, by the masks of Hacker's Delight, 7-2.
    Operation {
        text: "fn spread(x: u32) -> u32 {
          let a = (x | (x << 4u)) & 0x0f0fu;
          let b = (a | (a << 2u)) & 0x3333u;
          return (b | (b << 1u)) & 0x5555u;
      }
      fn morton(x: u32, y: u32) -> f32 { return f32(spread(x) | (spread(y) << 1u)) / 16384.0; }",
        call: |f, i| f.call((&i.columns, &i.rows)),
        host: host::morton,
        built_in: built_in::morton,
    },
    // Two indices on the plane have a product of complex numbers, whose magnitude is taken.
    Operation {
        text: "fn product(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
          return vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
      }
      fn escape(x: f32, y: f32) -> f32 {
          let c = vec2(x, y);
          let z = product(c, c) + c;
          return length(product(z, z) + c);
      }",
        call: |f, i| f.call((&i.matrix, i.row.in_dim([1]))),
        host: host::escape,
        built_in: built_in::escape,
    },
    // The luminance of a gray value of sRGB has a curve of two parts.
    Operation {
        text: "fn linear(v: f32) -> f32 { return select(pow((v + 0.055) / 1.055, 2.4), v / 12.92, v <= 0.04045); }",
        call: |f, i| f.call((&i.gray,)),
        host: host::linear,
        built_in: built_in::linear,
    },
];

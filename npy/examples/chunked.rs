//! Computes on a file in pieces of at most 64 KiB: the file could be larger than memory.

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::ops::ControlFlow;

use indim::{Builder, ChunkSource as _, Context, Literal};
use indim_npy::{NpySink, NpySource};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::temp_dir();
    let [from, to] = ["x", "y"]
        .map(|name| folder.join(format!("indim-example-{}-{name}.npy", std::process::id())));
    let values: Vec<f32> = (0..100_000).map(|i| i as f32 * 1e-4).collect();
    indim_npy::write_file(&from, &Literal::from_slice([1000, 100], &values)?)?;

    let gpu = Context::blocking()?;
    let mut x = NpySource::open(&from)?;
    let mut b = Builder::new();
    let operand = b.parameter(x.element_type(), x.shape().clone())?;
    let result = b.exp(operand)?;
    let computation = b.build(result)?;

    let writer = BufWriter::new(File::create(&to)?);
    let mut y = NpySink::new(writer, computation.element_type(), computation.shape())?;
    let chunked = gpu.chunked(&computation).max_bytes(64 << 10);
    let mut chunks = 0;
    chunked.run(&mut [&mut x], &mut [(0, &mut y)], |_| {
        chunks += 1;
        ControlFlow::Continue(())
    })?;
    y.finish()?;

    let result: Vec<f32> = indim_npy::read_file(&to)?.to_vec()?;
    println!("{} elements in {chunks} chunks, the last one {}", result.len(), result[99_999]);
    assert!((result[99_999] - 9.9999_f32.exp()).abs() < 0.1);
    std::fs::remove_file(&from)?;
    std::fs::remove_file(&to)?;
    Ok(())
}

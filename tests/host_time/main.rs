//! What calls cost the host, relative to each other: commands in an encoder and submitted ones, scalars
//! that change and constants. `cargo bench --bench host_time` shows the times.
//!
//! It is a target of the library's own package, which is optimised, as what calls it should be here.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]

use indim::{Context, Result};
use indim_testing::contexts::gpu;
use indim_testing::host_time;

const ROUNDS: u32 = 256;
const GROUPS: u32 = 8;

/// Each comparison is repeated up to this number of times, since others use the machine.
const ATTEMPTS: usize = 10;

fn least(gpu: &Context, round: impl FnMut(f32) -> Result<()>) -> Result<f64> {
    Ok(host_time::least(gpu, [GROUPS, ROUNDS], round)?.as_secs_f64())
}

/// Returns the times of a round that writes an array in place: of constants and of scalars that
/// change.
fn eval_into(gpu: &Context) -> Result<[f64; 2]> {
    let (mut x, b) = (gpu.array([64], &[1.0; 64])?, gpu.array([64], &[1.0; 64])?);
    let constant = least(gpu, |_| (&x * 0.5 + &b).eval_into(&mut x))?;
    let changing = least(gpu, |by| (&x * by + &b).eval_into(&mut x))?;
    Ok([constant, changing])
}

/// As many rounds as `eval_into` submits at once: `device/recording/batch.rs` has the number.
const ROUNDS_PER_ENCODER: usize = 128;

/// Version of [`eval_into`] in encoders, which have as many rounds as it submits at once.
fn encode_into(gpu: &Context) -> Result<[f64; 2]> {
    let (mut x, b) = (gpu.array([64], &[1.0; 64])?, gpu.array([64], &[1.0; 64])?);
    let encoder = || gpu.device().create_command_encoder(&Default::default());
    let (mut open, mut encoded) = (encoder(), Vec::new());
    let mut round = |by: f32| {
        encoded.push((&x * by + &b).encode_into(&mut open, &mut x)?);
        if encoded.len() == ROUNDS_PER_ENCODER {
            gpu.queue().submit([std::mem::replace(&mut open, encoder()).finish()]);
            encoded.drain(..).for_each(|encoded| encoded.submitted());
        }
        Ok(())
    };
    let constant = least(gpu, |_| round(0.5))?;
    Ok([constant, least(gpu, round)?])
}

#[test]
fn encoders_and_scalars_that_change_cost_little_more() -> Result<()> {
    let gpu = gpu();
    let mut all = Vec::new();
    for _ in 0..ATTEMPTS {
        let [into, into_changing] = eval_into(&gpu)?;
        let [encoded, encoded_changing] = encode_into(&gpu)?;
        let ratios = [encoded / into, into_changing / into, encoded_changing / encoded];
        if ratios[0] <= 3.0 && ratios[1..].iter().all(|&ratio| ratio <= 2.0) {
            return Ok(());
        }
        all.push(ratios);
    }
    panic!("encode_into to eval_into, changing scalars to constants in each: {all:.2?}");
}

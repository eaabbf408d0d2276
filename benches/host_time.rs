//! `cargo bench --bench host_time`: what calls cost the host, for the ways to run one kernel on small
//! arrays, as `indim_testing::host_time` measures it.

#![allow(clippy::expect_used, reason = "a benchmark that cannot run has nothing to report")]
#![allow(clippy::panic, reason = "a benchmark that cannot run has nothing to report")]

use indim::{Array, Context, Result};
use indim_testing::host_time::least;

const ROUNDS: u32 = 1000;
const GROUPS: u32 = 15;

/// A round of a loop; its number is a scalar that changes.
type Round<'a> = Box<dyn FnMut(f32) -> Result<()> + 'a>;

fn main() {
    let gpu = Context::blocking().expect("an adapter");
    let info = gpu.adapter_info();
    println!(
        "{} ({}), {ROUNDS} rounds, host time of one: least of {GROUPS} groups",
        info.name, info.driver_info
    );
    if let Err(error) = measure(&gpu) {
        panic!("{error}");
    }
}

fn array(gpu: &Context) -> Result<Array<f32>> {
    gpu.array([64], &[1.0; 64])
}

fn measure(gpu: &Context) -> Result<()> {
    let a = array(gpu)?;
    let b = array(gpu)?;
    let line = |name: &str, round: Round<'_>| -> Result<()> {
        println!(
            "  {name:<44} {:>7.2} us",
            least(gpu, [GROUPS, ROUNDS], round)?.as_secs_f64() * 1e6
        );
        Ok(())
    };
    line("add(&a, &b)", Box::new(|_| indim::add(&a, &b, &[]).map(drop)))?;
    line("(&a * 0.5 + &b).eval()", Box::new(|_| (&a * 0.5 + &b).eval().map(drop)))?;
    line("(&a * c + &b).eval(), c changes", Box::new(|c| (&a * c + &b).eval().map(drop)))?;
    let longer = (0..12).fold(a.expr(), |sum, _| (sum * 0.5 + &b).abs());
    line("an expression of 36 operations, again", Box::new(|_| longer.eval().map(drop)))?;
    let mut x = array(gpu)?;
    line(
        "(&x * 0.5 + &b).eval_into(&mut x)",
        Box::new(move |_| (&x * 0.5 + &b).eval_into(&mut x)),
    )?;
    let (mut x, b) = (array(gpu)?, array(gpu)?);
    line(
        "(&x * c + &b).eval_into(&mut x), c changes",
        Box::new(move |c| (&x * c + &b).eval_into(&mut x)),
    )?;
    for changes in [false, true] {
        let (mut x, b) = (array(gpu)?, array(gpu)?);
        let name = if changes {
            "(&x * c + &b).encode_into(.., &mut x), c changes"
        } else {
            "(&x * 0.5 + &b).encode_into(.., &mut x)"
        };
        let mut encoder = gpu.device().create_command_encoder(&Default::default());
        let mut open = Vec::new();
        let mut number = 0;
        line(
            name,
            Box::new(move |c| {
                let c = if changes { c } else { 0.5 };
                open.push((&x * c + &b).encode_into(&mut encoder, &mut x)?);
                number += 1;
                // An encoder of 128 steps, as in the test of host time.
                if number % 128 == 0 {
                    let full = std::mem::replace(
                        &mut encoder,
                        gpu.device().create_command_encoder(&Default::default()),
                    );
                    gpu.queue().submit([full.finish()]);
                    open.drain(..).for_each(|encoded| encoded.submitted());
                }
                Ok(())
            }),
        )?;
    }
    Ok(())
}

//! Random programs give in a browser what the interpreter of XLA's semantics gives.

use indim::{Context, ContextOptions, wgpu};
use indim_testing::programs::compare::Tally;
use indim_testing::programs::generate::{self, Case};
use indim_testing::programs::{build, run};
use indim_testing::random::Random;
use wasm_bindgen::prelude::*;

use crate::thrown;

/// The size of a window in bytes.
const WINDOW_BYTES: u64 = 2048;

/// Runs random programs on contexts of several plans, and returns how many elements were compared.
#[wasm_bindgen]
pub async fn random_programs(count: u32) -> Result<String, JsValue> {
    let contexts = contexts().await?;
    let mut tally = Tally::default();
    let mut refused = 0;
    for seed in 0..u64::from(count) {
        let case = generate::case(&mut Random::new(seed ^ 0x5eb));
        let context = &contexts[(seed % 3) as usize];
        match one(context, &case).await {
            Ok(Some(found)) => tally.add(found),
            Ok(None) => refused += 1,
            Err(text) => return Err(thrown(format!("seed {seed}: {text}\n{}", case.program))),
        }
    }
    if refused * 2 > count {
        return Err(thrown(format!("{refused} of {count} programs are refused")));
    }
    let Tally { elements, exact, .. } = tally;
    Ok(format!(
        "{count} programs, {refused} of them refused for what the device lacks; {elements} elements, {exact} to the bit"
    ))
}

async fn one(context: &Context, case: &Case) -> Result<Option<Tally>, String> {
    let Case { program, tensors } = case;
    let computation = build::build(program)?;
    match run::launch(context, program, &computation) {
        Err(text) if run::may_refuse(context, program, &text) => Ok(None),
        Err(text) => Err(text),
        Ok(result) => {
            let want = tensors.last().ok_or("a program without nodes")?;
            run::finish_async(&result, want).await.map(Some)
        }
    }
}

/// The adapter as it is; with little in a kernel and in a binding; in windows.
async fn contexts() -> Result<[Context; 3], JsValue> {
    let open = async |set: &dyn Fn(&mut ContextOptions)| {
        let mut options = ContextOptions::default();
        set(&mut options);
        Context::with_options(options).await.map_err(thrown)
    };
    let limits = wgpu::Limits::default();
    Ok([
        open(&|_| {}).await?,
        open(&|options| {
            options.max_ops_per_kernel = Some(2);
            options.required_limits = Some(wgpu::Limits {
                max_storage_buffers_per_shader_stage: 5,
                max_uniform_buffer_binding_size: 96,
                ..limits.clone()
            });
        })
        .await?,
        open(&|options| {
            options.required_limits = Some(wgpu::Limits {
                max_storage_buffer_binding_size: WINDOW_BYTES,
                max_compute_workgroups_per_dimension: 1,
                ..limits.clone()
            });
        })
        .await?,
    ])
}

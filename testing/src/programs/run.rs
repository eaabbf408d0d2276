//! Runs a program on the device.

use indim::{AnyArray, Computation, Context, ElementType, wgpu};

use crate::compute;
use crate::programs::arguments::arguments;
use crate::programs::build::build;
use crate::programs::compare::{self, Tally, compare};
use crate::programs::interpreter::{self, Tensor};
use crate::programs::program::{Call, Program, Type};

/// Starts the computation; the result may still be on its way.
pub fn launch(
    context: &Context,
    program: &Program,
    computation: &Computation,
) -> Result<AnyArray, String> {
    let arguments = arguments(context, program)?;
    let arguments: Vec<&AnyArray> = arguments.iter().collect();
    context.run(computation, &arguments).map_err(|e| format!("run: {e}"))
}

/// Runs a computation of several results of a program, and compares each with what its node is.
#[cfg(not(target_arch = "wasm32"))]
pub fn compare_results(
    context: &Context,
    program: &Program,
    computation: &Computation,
    wanted: &[&Tensor],
) -> Result<(), String> {
    let arguments = arguments(context, program)?;
    let arguments: Vec<&AnyArray> = arguments.iter().collect();
    let results = context.run_all(computation, &arguments).map_err(|e| format!("run_all: {e}"))?;
    for (number, (result, want)) in results.iter().zip(wanted).enumerate() {
        finish(result, want).map_err(|text| format!("result {number}: {text}"))?;
    }
    Ok(())
}

/// Runs a computation into a slice of an array with other elements around it, and compares both.
#[cfg(not(target_arch = "wasm32"))]
pub fn compare_into(
    context: &Context,
    program: &Program,
    computation: &Computation,
    want: &Tensor,
    margins: &[(usize, usize)],
) -> Result<(), String> {
    let arguments = arguments(context, program)?;
    let arguments: Vec<&AnyArray> = arguments.iter().collect();
    let written = compute::into_slice(context, computation, &arguments, margins);
    compare(want, &written.map_err(|e| format!("into a slice: {e}"))?).map(drop)
}

/// Returns whether the program has values of F64 and the adapter's shaders have none.
pub fn lacks_f64(context: &Context, program: &Program) -> bool {
    let needed = wgpu::Features::SHADER_F64 | wgpu::Features::SHADER_INT64;
    let has_f64 = context.device().features().contains(needed);
    !has_f64 && program.nodes.iter().any(|node| node.ty.element == ElementType::F64)
}

/// Returns whether a text is the library's refusal of a program that this device cannot compute: of
/// values of F64, or of a take from an array larger than a binding.
pub fn may_refuse(context: &Context, program: &Program, text: &str) -> bool {
    let f64s = text.contains("f64 needs ") && text.contains("SHADER_F64");
    let takes = text.contains("take reads an operand of at most ");
    f64s && lacks_f64(context, program) || takes && takes_beyond_a_binding(context, program)
}

/// Returns whether the program takes elements, and has an array larger than a binding of the device.
fn takes_beyond_a_binding(context: &Context, program: &Program) -> bool {
    let binding = context.device().limits().max_storage_buffer_binding_size;
    let is_larger = |ty: &Type| {
        let count = ty.dims.iter().map(|&size| size as u64).product();
        ty.element.device_bytes(count).is_none_or(|bytes| bytes > binding)
    };
    program.nodes.iter().any(|node| matches!(node.call, Call::Take { .. }))
        && program.nodes.iter().any(|node| is_larger(&node.ty))
}

/// Waits for the result and compares it.
#[cfg(not(target_arch = "wasm32"))]
pub fn finish(result: &AnyArray, want: &Tensor) -> Result<Tally, String> {
    let literal = result.to_literal_blocking().map_err(|e| format!("download: {e}"))?;
    compare(want, &literal)
}

/// Blocking version of `finish`.
pub async fn finish_async(result: &AnyArray, want: &Tensor) -> Result<Tally, String> {
    let literal = result.to_literal().await.map_err(|e| format!("download: {e}"))?;
    compare(want, &literal)
}

/// The result's elements as bit patterns.
#[cfg(not(target_arch = "wasm32"))]
pub fn bits(
    context: &Context,
    program: &Program,
    computation: &Computation,
) -> Result<Vec<u64>, String> {
    let result = launch(context, program, computation)?;
    let literal = result.to_literal_blocking().map_err(|e| format!("download: {e}"))?;
    Ok(compare::bits(&literal))
}

/// Runs all checks on one program, and returns any failure, a panic of the library included. A
/// refusal of what the device cannot compute is none.
#[cfg(not(target_arch = "wasm32"))]
pub fn complaint(context: &Context, program: &Program) -> Option<String> {
    caught(|| {
        let computation = build(program)?;
        let result = launch(context, program, &computation)?;
        let want = interpreter::evaluate(program).pop().ok_or("a program without nodes")?;
        finish(&result, &want)
    })
    .err()
    .filter(|text| !may_refuse(context, program, text))
}

/// The result of `f`, or its error, or its panic as an error.
pub fn caught<T>(f: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).unwrap_or_else(|panic| {
        let text = panic
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| panic.downcast_ref::<&str>().map(|&text| text.to_owned()))
            .unwrap_or_default();
        Err(format!("panicked: {text}"))
    })
}

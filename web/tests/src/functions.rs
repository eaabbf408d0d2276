//! User-defined functions are compiled by the browser, and one that does not end is an error.

use indim::{CallError, Error, Function};
use wasm_bindgen::prelude::*;

use crate::{context, ensure, thrown};

const COLLATZ: &str = "fn collatz(start: u32) -> u32 {
    var n = 0u;
    for (var x = start; x != 1u; n++) { x = select(x / 2u, 3u * x + 1u, x % 2u == 1u); }
    return n;
}";

/// A call broadcasts and fuses, and a struct gives several results.
#[wasm_bindgen]
pub async fn functions_compute() -> Result<(), JsValue> {
    let gpu = context().await?;
    let text = "struct polar { radius: f32, angle: f32 }
        fn to_polar(x: f32, y: f32) -> polar { return polar(length(vec2(x, y)), atan2(y, x)); }";
    let polar = Function::wgsl(text).map_err(thrown)?;
    let x = gpu.array([2, 2], &[3f32, 0., 6., 0.]).map_err(thrown)?;
    let y = gpu.array([2], &[4f32, 2.]).map_err(thrown)?;
    let results = polar.call_all((&x, y.in_dim([1]))).map_err(thrown)?;
    let radius = gpu.eval(&results[0]).and_then(|any| any.downcast::<f32>()).map_err(thrown)?;
    let radius = radius.to_vec().await.map_err(thrown)?;
    let expected = [5f32, 2., 52f32.sqrt(), 2.];
    let near = radius.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-5);
    ensure(near && radius.len() == 4, &format!("{radius:?}"))
}

/// A loop that does not end is an error of its own result, and the context goes on.
#[wasm_bindgen]
pub async fn endless_loops_are_errors() -> Result<String, JsValue> {
    let gpu = context().await?;
    let collatz = Function::wgsl(COLLATZ).map_err(thrown)?;
    let bad = gpu.array([3], &[6u32, 0, 7]).map_err(thrown)?;
    let good = gpu.array([3], &[6u32, 7, 27]).map_err(thrown)?;
    let of_bad = collatz.call::<u32>((&bad,)).and_then(|call| call.eval()).map_err(thrown)?;
    let of_good = collatz.call::<u32>((&good,)).and_then(|call| call.eval()).map_err(thrown)?;
    let dependent = (&of_bad + &of_good).eval().map_err(thrown)?;
    let mut told = String::new();
    for array in [&of_bad, &dependent] {
        told = match array.to_vec().await {
            Err(Error::Call { source, .. }) if matches!(*source, CallError::Loop { .. }) => {
                source.to_string()
            }
            other => return Err(thrown(format!("{other:?} is not an error of a loop"))),
        };
    }
    ensure(of_good.to_vec().await.map_err(thrown)? == [8, 16, 111], "the other array")?;
    ensure(bad.to_vec().await.map_err(thrown)? == [6, 0, 7], "the operand")?;
    Ok(told)
}

//! Tests of the library that run in a browser: a page calls them, and a script looks at what they
//! return. They panic or return an error where something is wrong.

mod errors;
mod functions;
mod programs;

use indim::{Context, ContextOptions};
use indim_testing::golden::judge::Judge;
use wasm_bindgen::prelude::*;

fn thrown(error: impl std::fmt::Display) -> JsValue {
    js_sys::Error::new(&error.to_string()).into()
}

fn ensure(holds: bool, what: &str) -> Result<(), JsValue> {
    if holds { Ok(()) } else { Err(thrown(what)) }
}

async fn context() -> Result<Context, JsValue> {
    Context::with_options(ContextOptions::default()).await.map_err(thrown)
}

/// Judges golden lines.
#[wasm_bindgen]
pub struct Golden {
    judge: Judge,
}

#[wasm_bindgen]
impl Golden {
    pub async fn open() -> Result<Golden, JsValue> {
        Ok(Self { judge: Judge::on(context().await?) })
    }

    /// Judges lines, and returns a text for each that does not pass.
    pub async fn judge(&self, lines: String) -> Vec<String> {
        let mut failures = Vec::new();
        for line in lines.lines().filter(|line| !line.trim().is_empty()) {
            if let Err(failure) = self.judge.judge_async(line.as_bytes()).await {
                failures.push(format!(
                    "{} {}: expected {}, got {}",
                    failure.id, failure.op, failure.expected, failure.got
                ));
            }
        }
        failures
    }
}

//! The GPU: opening it, evaluating on it, reading from it.

use indim::ContextOptions;
use js_sys::Uint8Array;
use wasm_bindgen::prelude::*;

use crate::expr::Expr;
use crate::refused;

/// A GPU to compute on.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Context {
    inner: indim::Context,
}

#[wasm_bindgen]
impl Context {
    /// Opens the browser's adapter. Rejects with what to do where there is none.
    pub async fn open() -> Result<Context, JsValue> {
        let options = ContextOptions::default();
        let inner = indim::Context::with_options(options).await.map_err(refused)?;
        Ok(Self { inner })
    }

    /// True if arrays of this element type can be on the device.
    pub fn supports(&self, element_type: &str) -> Result<bool, JsValue> {
        Ok(self.inner.supports(crate::element_type(element_type)?))
    }

    /// Computes values together, so that what they share is computed once. Returns when their
    /// commands are recorded.
    pub fn eval(&self, values: Vec<Expr>) -> Result<Vec<Expr>, JsValue> {
        let values: Vec<indim::AnyExpr> = values.into_iter().map(|expr| expr.inner).collect();
        let arrays = self.inner.eval(values.as_slice()).map_err(refused)?;
        Ok(arrays.iter().map(|array| Expr { inner: indim::AnyExpr::from(array) }).collect())
    }

    /// Returns the bytes of a value's elements, in row-major order, which it evaluates if that was
    /// not done.
    pub async fn read(&self, expr: &Expr) -> Result<Uint8Array, JsValue> {
        let array = match expr.inner.array() {
            Some(array) => array.clone(),
            None => self.inner.eval(&expr.inner).map_err(refused)?,
        };
        // The copy is made while the memory is mapped.
        array.read_with(|bytes| Uint8Array::from(bytes)).await.map_err(refused)
    }

    /// Resolves when all that was evaluated has run.
    pub async fn wait(&self) -> Result<(), JsValue> {
        self.inner.wait_async().await.map_err(refused)
    }

    /// Returns the WGSL of the kernels as which a value is computed.
    pub fn kernels(&self, expr: &Expr) -> Result<Vec<String>, JsValue> {
        let explanation = self.inner.explain(&expr.inner).map_err(refused)?;
        Ok(explanation.kernels.into_iter().map(|kernel| kernel.wgsl).collect())
    }

    /// Gives the device what was recorded for it.
    pub fn flush(&self) -> Result<(), JsValue> {
        self.inner.flush().map_err(refused)
    }

    /// Destroys the device; what is evaluated afterwards is an error.
    pub fn destroy(&self) {
        self.inner.device().destroy();
    }
}

//! The GPU: opening it, evaluating on it, reading from it.

use indim::{AnyArray, AnyExpr, ArrayError, ContextOptions, DeviceError, Error};
use js_sys::Uint8Array;
use wasm_bindgen::prelude::*;

use crate::expr::Expr;
use crate::{memory, refused};

/// A GPU to compute on.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Context {
    pub(crate) inner: indim::Context,
}

#[wasm_bindgen]
impl Context {
    /// Opens the browser's adapter. Rejects with advice if there is none.
    pub async fn open() -> Result<Context, JsValue> {
        let options = ContextOptions::default();
        let inner = indim::Context::with_options(options).await.map_err(refused)?;
        Ok(Self { inner })
    }

    /// The browser's device.
    #[wasm_bindgen(getter)]
    pub fn device(&self) -> JsValue {
        let device = self.inner.device().as_webgpu();
        device.map_or(JsValue::UNDEFINED, |device| AsRef::<JsValue>::as_ref(device).clone())
    }

    /// Returns the bytes of device memory in use and in the pool, and the most that were in use.
    pub fn memory(&self) -> Vec<f64> {
        let memory = self.inner.memory();
        [memory.in_use, memory.pooled, memory.peak].map(|bytes| bytes as f64).into()
    }

    /// Gives back the memory of the pool, and forgets kernels.
    pub fn trim(&self) {
        self.inner.trim();
    }

    /// True if arrays of this element type can be on the device.
    pub fn supports(&self, element_type: &str) -> Result<bool, JsValue> {
        Ok(self.inner.supports(crate::element_type(element_type)?))
    }

    /// Computes values together, so that shared parts are computed once. Returns when their
    /// commands are recorded.
    pub fn eval(&self, values: Vec<Expr>) -> Result<Vec<Expr>, JsValue> {
        let arrays = self.here(&values, |values| self.inner.eval(values)).map_err(refused)?;
        Ok(arrays.iter().map(|array| Expr::of(AnyExpr::from(array))).collect())
    }

    /// Returns the bytes of a value's elements, in row-major order, which it evaluates if that was
    /// not done.
    pub async fn read(&self, expr: Expr) -> Result<Uint8Array, JsValue> {
        let kept = expr.value().array().cloned();
        let lost = match &kept {
            None => None,
            Some(array) => match bytes(array).await? {
                Err(Error::Device(lost @ DeviceError::Lost { .. })) => Some(lost),
                read => return read.map_err(refused),
            },
        };
        // If the elements were lost with their device, this context computes them from the host's
        // data.
        let evaluated = self.here(&[expr], |values| self.inner.eval(values));
        let evaluated = evaluated.map_err(|error| match (error, lost) {
            (Error::Array(ArrayError::TwoContexts), Some(lost)) => refused(lost.into()),
            (error, _) => refused(error),
        })?;
        match evaluated.first() {
            Some(array) => bytes(array).await?.map_err(refused),
            None => Ok(Uint8Array::new_with_length(0)),
        }
    }

    /// Resolves when all evaluations have run.
    pub async fn wait(&self) -> Result<(), JsValue> {
        self.inner.wait_async().await.map_err(refused)
    }

    /// Returns the WGSL of the kernels as which a value is computed.
    pub fn kernels(&self, expr: &Expr) -> Result<Vec<String>, JsValue> {
        let exprs = std::slice::from_ref(expr);
        let explanation = self.here(exprs, |values| self.inner.explain(values)).map_err(refused)?;
        Ok(explanation.kernels.into_iter().map(|kernel| kernel.wgsl).collect())
    }

    /// Submits the recorded commands.
    pub fn flush(&self) -> Result<(), JsValue> {
        self.inner.flush().map_err(refused)
    }

    /// Destroys the device; later evaluations are errors.
    pub fn destroy(&self) {
        self.inner.device().destroy();
    }
}

impl Context {
    /// Calls a function with values on this context. Values that another context has evaluated move
    /// here: their operands are computed or uploaded again.
    pub(crate) fn here<T>(
        &self,
        exprs: &[Expr],
        run: impl Fn(&[AnyExpr]) -> indim::Result<T>,
    ) -> indim::Result<T> {
        let values: Vec<AnyExpr> = exprs.iter().map(Expr::value).collect();
        let result = run(&values);
        if !matches!(result, Err(Error::Array(ArrayError::TwoContexts))) {
            return result;
        }
        let values = AnyExpr::unevaluated(&values);
        let result = run(&values)?;
        exprs.iter().zip(values).for_each(|(expr, value)| expr.replace(value));
        Ok(result)
    }
}

/// Returns an array's bytes. The outer error is that memory is short.
async fn bytes(array: &AnyArray) -> Result<indim::Result<Uint8Array>, JsValue> {
    // The library maps them into this memory, and unpacks 4-bit elements there.
    let size = array.len().saturating_mul(array.element_type().size_in_bytes());
    memory::reserve(if array.element_type().bits() == 4 { size.saturating_mul(2) } else { size })?;
    // The copy is made while the memory is mapped.
    Ok(array.read_with(|bytes| Uint8Array::from(bytes)).await)
}

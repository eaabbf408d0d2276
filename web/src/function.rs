//! User-defined functions in WGSL, with the feature `functions`.

use indim::{AnyExpr, ElementType, FunctionCost};
use wasm_bindgen::prelude::*;

use crate::expr::Expr;
use crate::number::integers;
use crate::{refused, thrown};

/// A function that was checked.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Function {
    inner: indim::Function,
}

/// Returns names with the names of their element types, one after the other.
fn named<'a>(values: impl Iterator<Item = (&'a str, ElementType)>) -> Vec<String> {
    values.flat_map(|(name, of)| [name.to_owned(), of.to_string()]).collect()
}

/// Returns a bound on iterations.
fn bound(option: &str, number: f64) -> Result<u32, JsValue> {
    let integer = integers(option, &[number])?[0];
    u32::try_from(integer)
        .map_err(|_| thrown(format!("{option} is {integer}; it is 0 to {}", u32::MAX)))
}

fn cost_of(name: &str) -> Result<FunctionCost, JsValue> {
    match name {
        "cheap" => Ok(FunctionCost::Cheap),
        "costly" => Ok(FunctionCost::Costly),
        "heavy" => Ok(FunctionCost::Heavy),
        _ => Err(thrown(format!("there is no cost {name:?}; there are cheap, costly and heavy"))),
    }
}

#[wasm_bindgen]
impl Function {
    /// Checks a text.
    pub fn wgsl(
        text: &str,
        cost: Option<String>,
        max_iterations: Option<f64>,
        max_total_iterations: Option<f64>,
    ) -> Result<Function, JsValue> {
        let mut inner = indim::Function::wgsl(text).map_err(thrown)?;
        if let Some(cost) = cost {
            inner = inner.with_cost(cost_of(&cost)?);
        }
        if let Some(most) = max_iterations {
            inner = inner.with_max_iterations(bound("maxIterations", most)?);
        }
        if let Some(most) = max_total_iterations {
            inner = inner.with_max_total_iterations(bound("maxTotalIterations", most)?);
        }
        Ok(Self { inner })
    }

    /// The name in the text.
    #[wasm_bindgen(getter)]
    pub fn name(&self) -> String {
        self.inner.name().to_owned()
    }

    /// The parameters, each as its name and the widest element type that it takes.
    #[wasm_bindgen(getter)]
    pub fn parameters(&self) -> Vec<String> {
        named(self.inner.parameters())
    }

    /// The results, each as the name of the struct's member, empty without a struct, and its element type.
    #[wasm_bindgen(getter)]
    pub fn results(&self) -> Vec<String> {
        named(self.inner.results())
    }

    /// Returns all results of a call. `broadcast_dimensions` has a list for each operand, those of all
    /// one after the other, with `counts` elements each.
    pub fn call(
        &self,
        operands: Vec<Expr>,
        broadcast_dimensions: &[f64],
        counts: &[u32],
    ) -> Result<Vec<Expr>, JsValue> {
        let all = integers("broadcastDimensions", broadcast_dimensions)?;
        let mut left = all.as_slice();
        let mut dimensions = Vec::with_capacity(counts.len());
        for &count in counts {
            let (own, behind) = left.split_at(left.len().min(count as usize));
            dimensions.push(own);
            left = behind;
        }
        let operands: Vec<AnyExpr> = operands.iter().map(Expr::value).collect();
        let operands: Vec<&AnyExpr> = operands.iter().collect();
        let results = self.inner.call_any(&operands, &dimensions).map_err(refused)?;
        Ok(results.into_iter().map(Expr::of).collect())
    }
}

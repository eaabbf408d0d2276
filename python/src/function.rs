//! `Function`: a user-defined operation in WGSL.

use indim::{ElementType, FunctionCost};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::{FunctionError, exception};
use crate::expr::Expr;

/// A function that was checked. It never changes.
#[pyclass(frozen, module = "indim._core")]
pub(crate) struct Function {
    function: indim::Function,
}

/// The name of a value with that of its element type.
type Named = (String, String);

fn named<'a>(values: impl Iterator<Item = (&'a str, ElementType)>) -> Vec<Named> {
    values.map(|(name, element_type)| (name.to_owned(), element_type.to_string())).collect()
}

fn cost(name: &str) -> PyResult<FunctionCost> {
    match name {
        "cheap" => Ok(FunctionCost::Cheap),
        "costly" => Ok(FunctionCost::Costly),
        "heavy" => Ok(FunctionCost::Heavy),
        _ => Err(PyValueError::new_err(format!(
            "there is no cost {name:?} of a function; there are cheap, costly and heavy"
        ))),
    }
}

#[pymethods]
impl Function {
    /// Checks a text. Takes the cost of a call for the planner, or estimates it, and the bound on
    /// the iterations of a loop, or the default.
    #[new]
    #[pyo3(signature = (text, cost=None, max_iterations=None, /))]
    fn new(
        py: Python<'_>,
        text: &str,
        cost: Option<&str>,
        max_iterations: Option<u32>,
    ) -> PyResult<Self> {
        let cost = cost.map(self::cost).transpose()?;
        let checked = py.detach(|| indim::Function::wgsl(text));
        let mut function = checked.map_err(|error| FunctionError::new_err(error.to_string()))?;
        if let Some(cost) = cost {
            function = function.with_cost(cost);
        }
        if let Some(most) = max_iterations {
            function = function.with_max_iterations(most);
        }
        Ok(Self { function })
    }

    /// The name in the text.
    #[getter]
    fn name(&self) -> &str {
        self.function.name()
    }

    /// The parameters, each with its name and the name of the widest element type that it takes.
    #[getter]
    fn parameters(&self) -> Vec<Named> {
        named(self.function.parameters())
    }

    /// The results; the name is that of the struct's member, and empty if there is no struct.
    #[getter]
    fn results(&self) -> Vec<Named> {
        named(self.function.results())
    }

    /// Returns all results of a call, with `broadcast_dimensions` for each operand.
    fn call(
        &self,
        py: Python<'_>,
        operands: Vec<PyRef<'_, Expr>>,
        broadcast_dimensions: Vec<Vec<i64>>,
    ) -> PyResult<Vec<Expr>> {
        let operands = operands.iter().map(|operand| operand.value());
        let (operands, depths): (Vec<_>, Vec<u32>) = operands.unzip();
        let operands: Vec<_> = operands.iter().collect();
        let dimensions: Vec<&[i64]> = broadcast_dimensions.iter().map(Vec::as_slice).collect();
        let results = self.function.call_any(&operands, &dimensions).map_err(exception)?;
        let depth = depths.into_iter().max().unwrap_or(0);
        results.into_iter().map(|result| Expr::operation(py, result, depth)).collect()
    }
}

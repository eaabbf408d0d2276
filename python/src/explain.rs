//! Explains values: the kernels that evaluating them takes.

use indim::AnyExpr;
use indim::plan::{KernelExplanation, Source};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use crate::context::{context, failed};
use crate::expr::Expr;

/// Returns the kernels that evaluating these values together takes, in order. Nothing is run.
#[pyfunction]
pub(crate) fn explain<'py>(
    py: Python<'py>,
    exprs: Vec<PyRef<'_, Expr>>,
) -> PyResult<Bound<'py, PyList>> {
    let values: Vec<AnyExpr> = exprs.iter().map(|expr| expr.value().0).collect();
    let context = context(py)?;
    let explanation =
        py.detach(|| context.explain(&values)).map_err(|error| failed(&context, error))?;
    let kernels = explanation.kernels.iter().map(|each| kernel(py, each));
    PyList::new(py, kernels.collect::<PyResult<Vec<_>>>()?)
}

/// Returns the name of an array that a kernel reads or writes; arguments are arrays here.
fn name(array: Source) -> String {
    match array {
        Source::Parameter(number) => format!("array {number}"),
        other => other.to_string(),
    }
}

fn kernel<'py>(py: Python<'py>, kernel: &KernelExplanation) -> PyResult<Bound<'py, PyDict>> {
    let writes = kernel.writes.iter();
    let writes = writes.map(|written| (name(written.array), written.element_type.to_string()));
    let operands = kernel.operands.iter().map(|operand| {
        let dict = PyDict::new(py);
        dict.set_item("source", name(operand.source))?;
        dict.set_item("dtype", operand.element_type.to_string())?;
        dict.set_item("shape", PyTuple::new(py, operand.shape.dims())?)?;
        dict.set_item("broadcast_dimensions", &operand.broadcast_dimensions)?;
        dict.set_item("strides", &operand.strides)?;
        dict.set_item("offset", operand.offset)?;
        dict.set_item("access", operand.access.to_string())?;
        Ok(dict)
    });
    let dict = PyDict::new(py);
    dict.set_item("writes", writes.collect::<Vec<_>>())?;
    dict.set_item("shape", PyTuple::new(py, kernel.shape.dims())?)?;
    dict.set_item("space", &kernel.space)?;
    dict.set_item("iteration_space", &kernel.iteration_space)?;
    dict.set_item("schedule", kernel.schedule.to_string())?;
    dict.set_item("unit", kernel.unit)?;
    dict.set_item("dispatches", kernel.dispatches)?;
    dict.set_item("operands", operands.collect::<PyResult<Vec<_>>>()?)?;
    dict.set_item("ops", kernel.ops)?;
    dict.set_item("bytes_read", kernel.bytes_read)?;
    dict.set_item("bytes_written", kernel.bytes_written)?;
    dict.set_item("wgsl", &kernel.wgsl)?;
    Ok(dict)
}

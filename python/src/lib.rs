//! `indim._core`: lazy values of the library `indim`, for the Python package `indim`.
//!
//! The package has NumPy's and the Array API standard's rules, in Python. This module has none: it
//! builds the library's expressions, evaluates them and reads them back.

mod adapters;
mod calls;
mod context;
mod element_types;
mod errors;
mod exit;
mod explain;
mod expr;
mod function;
mod program;
mod random;
mod wait;

use pyo3::prelude::*;

/// Returns the module.
#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<expr::Expr>()?;
    module.add_class::<function::Function>()?;
    module.add_class::<program::Program>()?;
    calls::add_to(module)?;
    context::add_to(module)?;
    errors::add_to(module)?;
    random::add_to(module)?;
    module.add_function(wrap_pyfunction!(adapters::adapters, module)?)?;
    module.add_function(wrap_pyfunction!(explain::explain, module)?)?;
    Ok(())
}

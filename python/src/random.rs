//! Random numbers by counter, a function for each row of the library's table.

use indim::AnyExpr;
use indim_core::semantics::op::random_table::for_each_random;
use pyo3::prelude::*;

use crate::element_types;
use crate::errors::exception;
use crate::expr::Expr;

/// Returns the key of a seed.
#[pyfunction]
fn random_key(seed: u64) -> PyResult<Expr> {
    AnyExpr::random_key(seed).map(Expr::leaf).map_err(exception)
}

macro_rules! function {
    (
        [$($doc:literal)+] $method:ident [$($bound:tt)*]
        ($($operand:ident: $of:ident ($operand_of:ident) = $value:literal),*)
        [$($element_type:ident)?] [$($sizes:ident)?] -> $($rest:tt)*
    ) => {
        #[pyfunction]
        #[allow(non_snake_case, reason = "the table names a type parameter")]
        fn $method(
            py: Python<'_>,
            key: &Expr,
            $($operand: &Expr,)*
            $($element_type: &str,)?
            $($sizes: Vec<i64>,)?
        ) -> PyResult<Expr> {
            let (key, depth) = key.value();
            $(let ($operand, below) = $operand.value();
            let depth = depth.max(below);)*
            $(let $element_type = element_types::element_type($element_type)?;)?
            let made = key.$method($(&$operand,)* $($element_type,)? $(&$sizes)?);
            Expr::operation(py, made.map_err(exception)?, depth)
        }
    };
}

for_each_random! { function }

pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(random_key, module)?)?;
    macro_rules! add {
        ([$($doc:literal)+] $method:ident $($rest:tt)*) => {
            module.add_function(wrap_pyfunction!($method, module)?)?;
        };
    }
    for_each_random! { add }
    Ok(())
}

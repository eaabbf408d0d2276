//! The operations, each on values that the package has prepared: of one element type where the
//! library requires that.

use std::collections::HashMap;
use std::sync::LazyLock;

use indim::num_complex::Complex32;
use indim::numpy::{Axis, NumpyReduction};
use indim::{AnyExpr, ElementType, OpClass, Opcode, Scalar, numpy};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyComplex;

use crate::element_types;
use crate::errors::exception;
use crate::expr::{self, Expr};

static OPCODES: LazyLock<HashMap<&'static str, Opcode>> =
    LazyLock::new(|| Opcode::ALL.iter().map(|opcode| (opcode.method(), *opcode)).collect());

fn opcode(name: &str) -> PyResult<Opcode> {
    let unknown = || PyValueError::new_err(format!("there is no operation {name:?}"));
    OPCODES.get(name).copied().ok_or_else(unknown)
}

/// Returns a value made from one.
fn on(
    py: Python<'_>,
    x: &Expr,
    make: impl FnOnce(&AnyExpr) -> indim::Result<AnyExpr>,
) -> PyResult<Expr> {
    let (x, depth) = x.value();
    Expr::operation(py, make(&x).map_err(exception)?, depth)
}

/// Returns a value made from three.
fn on_three(py: Python<'_>, opcode: Opcode, [a, b, c]: [&Expr; 3]) -> PyResult<Expr> {
    let [(a, of_a), (b, of_b), (c, of_c)] = [a, b, c].map(Expr::value);
    let made = numpy::apply(opcode, &[&a, &b, &c]).map_err(exception)?;
    Expr::operation(py, made, of_a.max(of_b).max(of_c))
}

/// Returns a reduction by NumPy's rules; along all axes, where none are given.
#[pyfunction]
#[pyo3(signature = (name, x, axis=None, keepdims=false, dtype=None, ddof=0.0))]
fn reduce(
    py: Python<'_>,
    name: &str,
    x: &Expr,
    axis: Option<Vec<i64>>,
    keepdims: bool,
    dtype: Option<&str>,
    ddof: f64,
) -> PyResult<Expr> {
    let dtype = dtype.map(element_types::element_type).transpose()?;
    let reduction = match NumpyReduction::of_name(name) {
        Some(NumpyReduction::Sum { .. }) => NumpyReduction::Sum { dtype },
        Some(NumpyReduction::Prod { .. }) => NumpyReduction::Prod { dtype },
        Some(NumpyReduction::Mean { .. }) => NumpyReduction::Mean { dtype },
        Some(NumpyReduction::Var { .. }) => NumpyReduction::Var { dtype, ddof },
        Some(NumpyReduction::Std { .. }) => NumpyReduction::Std { dtype, ddof },
        Some(other) => other,
        None => return Err(PyValueError::new_err(format!("there is no reduction {name:?}"))),
    };
    let axis = axis.map_or_else(Axis::default, |axis| Axis::from(&axis[..]));
    let axis = if keepdims { axis.keepdims() } else { axis };
    on(py, x, |x| numpy::reduce(reduction, x, axis))
}

/// Returns what an operation of two values makes of all elements along dimensions: `reduce_xor`.
#[pyfunction]
fn fold(py: Python<'_>, op: &str, x: &Expr, dimensions: Vec<i64>) -> PyResult<Expr> {
    let opcode = opcode(op)?;
    on(py, x, |x| AnyExpr::reduce(opcode, x, &dimensions))
}

/// Returns exponentials over their sum along these dimensions.
#[pyfunction]
fn softmax(py: Python<'_>, x: &Expr, dimensions: Vec<i64>) -> PyResult<Expr> {
    on(py, x, |x| x.softmax(&dimensions))
}

/// Returns the logarithms of a softmax.
#[pyfunction]
fn log_softmax(py: Python<'_>, x: &Expr, dimensions: Vec<i64>) -> PyResult<Expr> {
    on(py, x, |x| x.log_softmax(&dimensions))
}

/// Returns the elements at indices along a dimension, clamped where they are out of range.
#[pyfunction]
fn take(py: Python<'_>, x: &Expr, indices: &Expr, dimension: i64) -> PyResult<Expr> {
    let ((x, of_x), (indices, of_indices)) = (x.value(), indices.value());
    let made = x.take(&indices, dimension).map_err(exception)?;
    Expr::operation(py, made, of_x.max(of_indices))
}

/// Returns the elements at an index of their own along a dimension, clamped likewise.
#[pyfunction]
fn take_along_dimension(
    py: Python<'_>,
    x: &Expr,
    indices: &Expr,
    dimension: i64,
) -> PyResult<Expr> {
    let ((x, of_x), (indices, of_indices)) = (x.value(), indices.value());
    let made = x.take_along_dimension(&indices, dimension).map_err(exception)?;
    Expr::operation(py, made, of_x.max(of_indices))
}

/// Returns the sums of the elements up to each one along a dimension.
#[pyfunction]
fn cumsum(py: Python<'_>, x: &Expr, dimension: i64) -> PyResult<Expr> {
    on(py, x, |x| x.cumsum(dimension))
}

/// Returns the products of the elements up to each one along a dimension.
#[pyfunction]
fn cumprod(py: Python<'_>, x: &Expr, dimension: i64) -> PyResult<Expr> {
    on(py, x, |x| x.cumprod(dimension))
}

/// Returns the largest of the elements up to each one along a dimension.
#[pyfunction]
fn cummax(py: Python<'_>, x: &Expr, dimension: i64) -> PyResult<Expr> {
    on(py, x, |x| x.cummax(dimension))
}

/// Returns the smallest of the elements up to each one along a dimension.
#[pyfunction]
fn cummin(py: Python<'_>, x: &Expr, dimension: i64) -> PyResult<Expr> {
    on(py, x, |x| x.cummin(dimension))
}

/// Returns a constant of rank 0.
#[pyfunction]
fn constant(dtype: &str, value: &Bound<'_, PyAny>) -> PyResult<Expr> {
    let scalar = scalar(element_types::element_type(dtype)?, value)?;
    Ok(Expr::leaf(AnyExpr::constant(scalar)))
}

fn scalar(element_type: ElementType, value: &Bound<'_, PyAny>) -> PyResult<Scalar> {
    if element_type == ElementType::Pred {
        return Ok(Scalar::new(value.is_truthy()?));
    }
    if element_type == ElementType::C64 {
        let (real, imaginary) = parts(value)?;
        return Ok(Scalar::new(Complex32::new(real as f32, imaginary as f32)));
    }
    let none = || PyTypeError::new_err(format!("there are no constants of {element_type}"));
    let Some((least, most)) = element_type.integer_range() else {
        return Scalar::from_f64(element_type, value.extract()?).ok_or_else(none);
    };
    let too_large = || {
        PyOverflowError::new_err(format!(
            "Python integer {value} out of bounds for {}, which holds {least} to {most}",
            numpy_name(element_type)
        ))
    };
    let whole: i128 = value.extract().map_err(|error: PyErr| {
        if error.is_instance_of::<PyOverflowError>(value.py()) { too_large() } else { error }
    })?;
    Scalar::from_i128(element_type, whole).ok_or_else(too_large)
}

/// Returns NumPy's name of an integer type: its own "u8" is another one, of 8 bytes.
fn numpy_name(element_type: ElementType) -> String {
    let name = element_type.to_string();
    match name.split_at(1) {
        ("s", bits) => format!("int{bits}"),
        ("u", bits) => format!("uint{bits}"),
        _ => name,
    }
}

/// Returns the real and the imaginary part of a Python number.
fn parts(value: &Bound<'_, PyAny>) -> PyResult<(f64, f64)> {
    match value.cast::<PyComplex>() {
        Ok(complex) => {
            Ok((complex.getattr("real")?.extract()?, complex.getattr("imag")?.extract()?))
        }
        Err(_) => Ok((value.extract()?, 0.0)),
    }
}

/// Returns a value in which each element is its index along a dimension.
#[pyfunction]
fn iota(dtype: &str, shape: Vec<i64>, dimension: i64) -> PyResult<Expr> {
    let element_type = element_types::element_type(dtype)?;
    AnyExpr::iota(element_type, &shape, dimension).map(Expr::leaf).map_err(exception)
}

#[pyfunction]
fn unary(py: Python<'_>, op: &str, x: &Expr) -> PyResult<Expr> {
    let opcode = opcode(op)?;
    on(py, x, |x| AnyExpr::unary(opcode, x))
}

/// Without `broadcast_dimensions`, the operands are aligned by NumPy's rule; with them, by XLA's.
#[pyfunction]
#[pyo3(signature = (op, x, y, broadcast_dimensions=None))]
fn binary(
    py: Python<'_>,
    op: &str,
    x: &Expr,
    y: &Expr,
    broadcast_dimensions: Option<Vec<i64>>,
) -> PyResult<Expr> {
    let opcode = opcode(op)?;
    let ((x, of_x), (y, of_y)) = (x.value(), y.value());
    let made = match (broadcast_dimensions, opcode.class()) {
        (None, _) => numpy::apply(opcode, &[&x, &y]),
        (Some(_), OpClass::Pair) => {
            return Err(PyTypeError::new_err(format!("{op} takes no broadcast_dimensions")));
        }
        (Some(dims), _) => AnyExpr::binary(opcode, &x, &y, &dims),
    };
    Expr::operation(py, made.map_err(exception)?, of_x.max(of_y))
}

/// Returns the same values in another element type.
#[pyfunction]
fn convert(py: Python<'_>, x: &Expr, dtype: &str) -> PyResult<Expr> {
    let to = element_types::element_type(dtype)?;
    on(py, x, |x| x.convert_element_type(to))
}

/// Returns the same bits as another element type.
#[pyfunction]
fn bitcast(py: Python<'_>, x: &Expr, dtype: &str) -> PyResult<Expr> {
    let to = element_types::element_type(dtype)?;
    on(py, x, |x| x.bitcast_convert_type(to))
}

#[pyfunction]
fn select(py: Python<'_>, pred: &Expr, on_true: &Expr, on_false: &Expr) -> PyResult<Expr> {
    on_three(py, Opcode::Select, [pred, on_true, on_false])
}

#[pyfunction]
fn clamp(py: Python<'_>, min: &Expr, x: &Expr, max: &Expr) -> PyResult<Expr> {
    on_three(py, Opcode::Clamp, [min, x, max])
}

/// Returns the value broadcast to a shape, aligned at the last dimension.
#[pyfunction]
fn broadcast_to(py: Python<'_>, x: &Expr, shape: Vec<i64>) -> PyResult<Expr> {
    on(py, x, |x| x.broadcast_to(&shape))
}

#[pyfunction]
fn broadcast_in_dim(
    py: Python<'_>,
    x: &Expr,
    shape: Vec<i64>,
    broadcast_dimensions: Vec<i64>,
) -> PyResult<Expr> {
    on(py, x, |x| x.broadcast_in_dim(&shape, &broadcast_dimensions))
}

#[pyfunction]
fn transpose(py: Python<'_>, x: &Expr, permutation: Vec<i64>) -> PyResult<Expr> {
    on(py, x, |x| x.transpose(&permutation))
}

#[pyfunction]
fn slice(
    py: Python<'_>,
    x: &Expr,
    starts: Vec<i64>,
    limits: Vec<i64>,
    strides: Vec<i64>,
) -> PyResult<Expr> {
    on(py, x, |x| {
        let part = x.slice(&starts, &limits)?;
        if strides.iter().all(|&stride| stride == 1) { Ok(part) } else { part.step_by(&strides) }
    })
}

#[pyfunction]
fn reverse(py: Python<'_>, x: &Expr, dimensions: Vec<i64>) -> PyResult<Expr> {
    on(py, x, |x| x.reverse(&dimensions))
}

#[pyfunction]
fn reshape(py: Python<'_>, x: &Expr, shape: Vec<i64>) -> PyResult<Expr> {
    on(py, x, |x| x.reshape(&shape))
}

#[pyfunction]
fn pad(
    py: Python<'_>,
    x: &Expr,
    value: &Expr,
    low: Vec<i64>,
    high: Vec<i64>,
    interior: Vec<i64>,
) -> PyResult<Expr> {
    let ((x, of_x), (value, of_value)) = (x.value(), value.value());
    let made = x.pad(&value, &low, &high, &interior).map_err(exception)?;
    Expr::operation(py, made, of_x.max(of_value))
}

#[pyfunction]
fn concatenate(py: Python<'_>, operands: Vec<PyRef<'_, Expr>>, dimension: i64) -> PyResult<Expr> {
    let operands = operands.iter().map(|operand| operand.value());
    let (operands, depths): (Vec<AnyExpr>, Vec<u32>) = operands.unzip();
    let made = AnyExpr::concatenate(&operands, dimension).map_err(exception)?;
    Expr::operation(py, made, depths.into_iter().max().unwrap_or(0))
}

#[pyfunction]
fn roll(py: Python<'_>, x: &Expr, shifts: Vec<i64>, dimensions: Vec<i64>) -> PyResult<Expr> {
    on(py, x, |x| x.roll(&shifts, &dimensions))
}

pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    macro_rules! add {
        ($($path:path),* $(,)?) => {
            $(module.add_function(wrap_pyfunction!($path, module)?)?;)*
        };
    }
    add!(
        constant,
        iota,
        unary,
        binary,
        convert,
        bitcast,
        select,
        clamp,
        broadcast_to,
        broadcast_in_dim,
        transpose,
        slice,
        reverse,
        reshape,
        pad,
        concatenate,
        roll,
        take,
        take_along_dimension,
        reduce,
        fold,
        softmax,
        log_softmax,
        cumsum,
        cumprod,
        cummax,
        cummin,
        expr::literal,
        expr::eval,
        expr::read,
    );
    Ok(())
}

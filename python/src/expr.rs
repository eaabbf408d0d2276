//! `Expr`: a lazy value, which becomes an array when it is evaluated and bytes when it is read.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use indim::{AnyArray, AnyExpr, Context, Literal, Scalar};
use pyo3::exceptions::{PyBufferError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMemoryView, PyString, PyTuple};

use crate::context::{check_process, context, failed, forget, is_gone, is_loss, is_orphaned};
use crate::element_types;
use crate::errors::exception;
use crate::exit::Call;
use crate::wait;

/// A value deeper than this many operations is evaluated when it is made, so that a loop whose
/// results are not read does not build up a chain.
const MAX_DEPTH: u32 = 128;

/// Recording this many operations on elements may wait for the GPU to accept earlier commands; less
/// is recorded at once.
const LONG_WORK: u64 = 1 << 24;

/// A lazy value. It never changes; evaluating and reading it only cache their results.
#[pyclass(frozen, module = "indim._core")]
pub(crate) struct Expr {
    state: Mutex<State>,
}

struct State {
    value: AnyExpr,
    /// The number of operations on the longest way down to an array.
    depth: u32,
    /// The bytes, once they were read.
    bytes: Option<Py<PyBytes>>,
}

impl Expr {
    fn with_depth(value: AnyExpr, depth: u32) -> Self {
        Self { state: Mutex::new(State { value, depth, bytes: None }) }
    }

    /// Returns a value that no operations lie below.
    pub(crate) fn leaf(value: AnyExpr) -> Self {
        Self::with_depth(value, 0)
    }

    /// Returns an operation on values of at most this depth.
    pub(crate) fn operation(py: Python<'_>, value: AnyExpr, depth: u32) -> PyResult<Self> {
        let made = Self::with_depth(value, depth.saturating_add(1));
        if depth >= MAX_DEPTH {
            evaluate(py, &[&made])?;
        }
        Ok(made)
    }

    // No holder of this lock waits or calls Python.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the value and its depth.
    pub(crate) fn value(&self) -> (AnyExpr, u32) {
        let mut state = self.state();
        if state.value.array().is_some_and(is_gone) {
            drop(state);
            return self.restored();
        }
        // The operations below a value that another evaluation kept are no longer needed.
        if state.depth > 0
            && let Some(array) = state.value.array()
        {
            let kept = AnyExpr::from(array);
            let before = std::mem::replace(&mut state.value, kept);
            state.depth = 0;
            let value = state.value.clone();
            drop(state);
            drop(before);
            return (value, 0);
        }
        (state.value.clone(), state.depth)
    }

    /// Returns the value and its depth after the loss of the device that had its elements. If the host
    /// has them as well, they are uploaded again, else every use of the value is an error.
    fn restored(&self) -> (AnyExpr, u32) {
        let literal = {
            let state = self.state();
            match (state.value.as_literal(), &state.bytes) {
                (Some(literal), _) => Some(literal),
                (None, Some(bytes)) => {
                    let bytes = Python::try_attach(|py| bytes.bind(py).as_bytes().to_vec());
                    let (of, shape) = (state.value.element_type(), state.value.shape());
                    bytes.and_then(|bytes| Literal::new(of, shape.dims(), bytes).ok()).map(Arc::new)
                }
                (None, None) => None,
            }
        };
        let mut state = self.state();
        let before = literal.map(|literal| {
            state.depth = 0;
            std::mem::replace(&mut state.value, AnyExpr::literal_once(literal))
        });
        let restored = (state.value.clone(), state.depth);
        drop(state);
        drop(before);
        restored
    }

    /// Returns true if evaluating the value takes no work and cannot fail.
    fn is_there(&self) -> bool {
        let state = self.state();
        state.bytes.is_some() || state.value.array().is_some_and(|array| !is_gone(array))
    }

    /// Returns the value, and about how many operations on elements it takes.
    pub(crate) fn value_and_work(&self) -> (AnyExpr, u64) {
        let (value, depth) = self.value();
        let elements: usize = value.shape().dims().iter().product();
        (value, (elements as u64).saturating_mul(u64::from(depth)))
    }

    /// Keeps the value's array in place of the operations that it was computed by.
    pub(crate) fn keep(&self, array: &AnyArray) {
        let mut state = self.state();
        let before = std::mem::replace(&mut state.value, AnyExpr::from(array));
        state.depth = 0;
        drop(state);
        drop(before);
    }
}

/// Evaluates values together. Returns when their kernels are recorded.
pub(crate) fn evaluate(py: Python<'_>, exprs: &[&Expr]) -> PyResult<Vec<AnyArray>> {
    let _call = Call::begin(py);
    let first = context(py)?;
    let arrays = match recorded_exprs(py, &first, exprs)? {
        Err(loss) if is_loss(&loss) => {
            // Expressions without elements on the lost device are computed on a new one.
            forget(&first);
            let second = context(py)?;
            let again = recorded_exprs(py, &second, exprs)?;
            if again.as_ref().is_err_and(is_loss) {
                forget(&second);
            }
            again.map_err(|_| exception(loss))?
        }
        arrays => arrays.map_err(exception)?,
    };
    for (expr, array) in exprs.iter().zip(&arrays) {
        expr.keep(array);
    }
    Ok(arrays)
}

/// Returns true if recording this many operations on elements may take long.
pub(crate) fn is_long(work: u64) -> bool {
    work >= LONG_WORK
}

fn recorded_exprs(
    py: Python<'_>,
    context: &Context,
    exprs: &[&Expr],
) -> PyResult<indim::Result<Vec<AnyArray>>> {
    let values = exprs.iter().map(|expr| expr.value_and_work());
    let (values, work): (Vec<AnyExpr>, Vec<u64>) = values.unzip();
    recorded(py, context, values, work.into_iter().fold(0, u64::saturating_add))
}

/// Returns the arrays of values, whose kernels are recorded. The outer error is that of a signal.
pub(crate) fn recorded(
    py: Python<'_>,
    context: &Context,
    values: Vec<AnyExpr>,
    work: u64,
) -> PyResult<indim::Result<Vec<AnyArray>>> {
    if !is_long(work) {
        return Ok(py.detach(|| context.eval(&values)));
    }
    let context = context.clone();
    wait::for_thread(py, move || context.eval(&values))
}

/// Returns a value's array.
fn evaluated(py: Python<'_>, expr: &Expr) -> PyResult<AnyArray> {
    if let Some(array) = expr.value().0.array() {
        return Ok(array.clone());
    }
    let array = evaluate(py, &[expr])?.pop();
    array.ok_or_else(|| PyRuntimeError::new_err("the evaluation gave no array"))
}

#[pymethods]
impl Expr {
    /// The element type's name, such as "f32".
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        let element_type = self.state().value.element_type();
        element_types::name(py, element_type)
    }

    /// The sizes.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let value = self.value().0;
        PyTuple::new(py, value.shape().dims())
    }

    #[getter]
    fn ndim(&self) -> usize {
        self.state().value.shape().rank()
    }

    /// The number of elements.
    #[getter]
    fn size(&self) -> PyResult<usize> {
        let value = self.value().0;
        Ok(value.shape().dims().iter().product())
    }

    /// True if reading it takes no GPU work, because its bytes are in host memory.
    #[getter]
    fn is_read(&self) -> bool {
        let state = self.state();
        state.bytes.is_some() || state.value.as_literal().is_some()
    }

    /// True if no operations are left to compute.
    #[getter]
    fn is_evaluated(&self) -> bool {
        let state = self.state();
        state.bytes.is_some() || state.value.array().is_some()
    }
}

impl Drop for Expr {
    fn drop(&mut self) {
        if is_orphaned() {
            // Freeing memory takes locks that may be held by threads that no longer exist.
            let nothing = AnyExpr::constant(Scalar::new(false));
            std::mem::forget(std::mem::replace(&mut self.state().value, nothing));
        }
    }
}

/// Returns elements of host memory, which are copied.
#[pyfunction]
pub(crate) fn literal(
    py: Python<'_>,
    dtype: &str,
    shape: Vec<usize>,
    buffer: &Bound<'_, PyAny>,
) -> PyResult<Expr> {
    let element_type = element_types::element_type(dtype)?;
    let bytes = match buffer.cast::<PyBytes>() {
        Ok(bytes) => bytes.as_bytes().to_vec(),
        Err(_) => copied(py, buffer)?,
    };
    let literal = Literal::new(element_type, shape.as_slice(), bytes).map_err(exception)?;
    Ok(Expr::leaf(AnyExpr::literal_once(literal)))
}

/// Returns a copy of a buffer's bytes.
fn copied(py: Python<'_>, buffer: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    let view = pyo3::buffer::PyUntypedBuffer::get(buffer)?;
    if !view.is_c_contiguous() {
        return Err(PyBufferError::new_err("the buffer is not C-contiguous; copy it first"));
    }
    let flat = PyMemoryView::from(buffer)?.call_method1("cast", ("B",))?;
    let bytes = pyo3::buffer::PyBuffer::<u8>::get(&flat)?;
    bytes.to_vec(py)
}

/// Evaluates values together, without waiting for the GPU: shared parts are computed once.
#[pyfunction]
pub(crate) fn eval(py: Python<'_>, exprs: Vec<PyRef<'_, Expr>>) -> PyResult<()> {
    let exprs: Vec<&Expr> = exprs.iter().map(|expr| &**expr).collect();
    let todo: Vec<&Expr> = exprs.into_iter().filter(|expr| !expr.is_there()).collect();
    if !todo.is_empty() {
        evaluate(py, &todo)?;
    }
    Ok(())
}

/// Returns the elements' bytes, in row-major order; it evaluates the value and waits for it.
#[pyfunction]
pub(crate) fn read<'py>(py: Python<'py>, expr: &Expr) -> PyResult<Bound<'py, PyBytes>> {
    if let Some(bytes) = &expr.state().bytes {
        return Ok(bytes.bind(py).clone());
    }
    let bytes = match expr.value().0.as_literal() {
        Some(literal) => PyBytes::new(py, literal.bytes()).unbind(),
        None => {
            check_process()?;
            let _call = Call::begin(py);
            let array = evaluated(py, expr)?;
            let copy = |bytes: &[u8]| Python::try_attach(|py| PyBytes::new(py, bytes).unbind());
            // Only a copy remains afterwards, which needs no interruption. An error of this array
            // comes with its bytes; errors of others are not asked for here.
            let _ = wait::for_gpu(py, array.context())?;
            let read = py.detach(|| array.read_with_blocking(copy));
            let read = read.map_err(|error| failed(array.context(), error))?;
            // Only a destructor that runs at the very end gets here.
            read.ok_or_else(|| PyRuntimeError::new_err("the interpreter is shutting down"))?
        }
    };
    let mut state = expr.state();
    Ok(state.bytes.get_or_insert(bytes).bind(py).clone())
}

//! The one context of the process, which is opened when something is evaluated for the first time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use indim::{AnyArray, Context, ContextOptions, DeviceError, Element as _, Error};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::adapters::described;
use crate::errors::exception;
use crate::exit;
use crate::wait;

static OPENED: Mutex<Option<Context>> = Mutex::new(None);

/// True in a process that was forked while the parent had a context. The threads of the driver and
/// of the library do not exist there, so the context must not be used.
static ORPHANED: AtomicBool = AtomicBool::new(false);

/// True once a device of this process was lost. Arrays of it may be met from then on.
static HAS_LOST: AtomicBool = AtomicBool::new(false);

const AFTER_FORK: &str = "this process was forked after indim had opened a GPU, whose driver does not \
    outlive a fork; start processes by \"spawn\", as in \
    ProcessPoolExecutor(mp_context=multiprocessing.get_context(\"spawn\")), or fork before the first \
    evaluation";

/// Returns true if the context belongs to a process that this one was forked from.
pub(crate) fn is_orphaned() -> bool {
    ORPHANED.load(Ordering::Relaxed)
}

/// Returns an error if the context belongs to a process that this one was forked from.
pub(crate) fn check_process() -> PyResult<()> {
    if is_orphaned() {
        return Err(PyRuntimeError::new_err(AFTER_FORK));
    }
    Ok(())
}

/// Returns the context, if there is one.
fn opened() -> Option<Context> {
    OPENED.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Returns the context, which is opened by the first call.
pub(crate) fn context(py: Python<'_>) -> PyResult<Context> {
    check_process()?;
    if let Some(context) = opened() {
        return Ok(context);
    }
    let _call = exit::Call::begin(py);
    // Other threads run meanwhile. If two open a context at once, the first one's is kept.
    let made = py.detach(|| Context::blocking_with_options(ContextOptions::from_env()));
    let made = made.map_err(exception)?;
    Ok(OPENED.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(made).clone())
}

/// Returns the exception of an error of a context. If its device is lost, the next evaluation opens
/// the GPU anew.
pub(crate) fn failed(context: &Context, error: Error) -> PyErr {
    if is_loss(&error) {
        forget(context);
    }
    exception(error)
}

/// Returns true for the error of a lost device.
pub(crate) fn is_loss(error: &Error) -> bool {
    match error {
        Error::Expression { source, .. } => is_loss(source),
        error => matches!(error, Error::Device(DeviceError::Lost { .. })),
    }
}

/// Records the loss of a context's device. A context that was opened since is kept.
pub(crate) fn forget(context: &Context) {
    HAS_LOST.store(true, Ordering::Relaxed);
    let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    let lost = opened.take_if(|opened| is_same(opened, context));
    drop(opened);
    drop(lost);
}

/// Returns true if an array's elements are gone with a device that is known to be lost.
pub(crate) fn is_gone(array: &AnyArray) -> bool {
    HAS_LOST.load(Ordering::Relaxed)
        && opened().is_none_or(|opened| !is_same(&opened, array.context()))
}

/// Returns true if two contexts are clones of one. wgpu counts the devices of each instance by
/// itself, so that those of two may look equal.
fn is_same(one: &Context, other: &Context) -> bool {
    std::ptr::eq(one.plan_limits(), other.plan_limits())
}

/// Destroys the device, for tests of its loss.
#[pyfunction]
fn destroy_device(py: Python<'_>) -> PyResult<()> {
    context(py)?.device().destroy();
    Ok(())
}

/// Records that the process was forked. Python calls it in the child.
#[pyfunction]
fn after_fork() {
    exit::forget_calls();
    // The lock may be held by a thread that no longer exists.
    let has_context = OPENED.try_lock().map_or(true, |opened| opened.is_some());
    if has_context {
        ORPHANED.store(true, Ordering::Relaxed);
    }
}

/// Waits until all evaluations started before have run.
#[pyfunction(name = "wait")]
fn wait_(py: Python<'_>) -> PyResult<()> {
    check_process()?;
    let Some(context) = opened() else { return Ok(()) };
    wait::for_gpu(py, &context)?.map_err(|error| failed(&context, error))
}

/// Waits for the work under way. Python calls it when the interpreter exits, because a driver may
/// crash if its process ends while it works.
#[pyfunction]
fn at_exit(py: Python<'_>) {
    if is_orphaned() {
        return;
    }
    exit::await_calls(py);
    if let Some(context) = opened() {
        // An error has nobody to hear it.
        let _ = py.detach(|| context.wait());
    }
}

/// Returns whether the adapter computes float64; None if there is no adapter to ask.
#[pyfunction]
fn has_f64(py: Python<'_>) -> Option<bool> {
    let context = context(py).ok()?;
    Some(context.supports(f64::ELEMENT_TYPE))
}

/// Returns a description of the adapter, as in `adapters`. Opens it if necessary.
#[pyfunction]
fn adapter(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let context = context(py)?;
    described(py, context.adapter_info(), context.supports(f64::ELEMENT_TYPE))
}

/// Returns counts of the process's requests to the GPU.
#[pyfunction]
fn stats(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let stats = opened().map(|context| context.stats()).unwrap_or_default();
    let dict = PyDict::new(py);
    for (name, count) in [
        ("compilations", stats.compilations),
        ("dispatches", stats.dispatches),
        ("submissions", stats.submissions),
        ("read_bytes", stats.read_bytes),
        ("written_bytes", stats.written_bytes),
        ("allocations", stats.allocations),
        ("reuses", stats.reuses),
        ("uploaded_bytes", stats.uploaded_bytes),
        ("downloaded_bytes", stats.downloaded_bytes),
    ] {
        dict.set_item(name, count)?;
    }
    Ok(dict)
}

/// Returns the bytes of GPU memory that arrays occupy.
#[pyfunction]
fn memory(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let memory = opened().map(|context| context.memory()).unwrap_or_default();
    let dict = PyDict::new(py);
    dict.set_item("in_use", memory.in_use)?;
    dict.set_item("pooled", memory.pooled)?;
    Ok(dict)
}

pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let os = py.import("os")?;
    // Windows has no forks.
    if os.hasattr("register_at_fork")? {
        let hooks = PyDict::new(py);
        hooks.set_item("after_in_child", wrap_pyfunction!(after_fork, module)?)?;
        os.call_method("register_at_fork", (), Some(&hooks))?;
    }
    py.import("atexit")?.call_method1("register", (wrap_pyfunction!(at_exit, module)?,))?;
    module.add_function(wrap_pyfunction!(destroy_device, module)?)?;
    module.add_function(wrap_pyfunction!(wait_, module)?)?;
    module.add_function(wrap_pyfunction!(has_f64, module)?)?;
    module.add_function(wrap_pyfunction!(adapter, module)?)?;
    module.add_function(wrap_pyfunction!(stats, module)?)?;
    module.add_function(wrap_pyfunction!(memory, module)?)
}

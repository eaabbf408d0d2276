//! The library's errors as Python's exceptions.

use indim::{ArrayError, CallError, Error};
use pyo3::create_exception;
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;

// Each type is named as the package exports it: that is where `pickle` looks for it.
create_exception!(
    indim,
    DeviceError,
    PyRuntimeError,
    "The GPU, or its driver, cannot do what is asked, or can no longer."
);
create_exception!(
    indim,
    NoAdapterError,
    DeviceError,
    "There is no GPU adapter that indim could open; the message says what to install."
);
create_exception!(
    indim,
    FunctionError,
    PyValueError,
    "A text is not a function that can be called; the message has the line, with a mark under the part \
     at fault."
);
create_exception!(
    indim,
    ProgramError,
    PyValueError,
    "A program in StableHLO is refused; the message has each reason, with its line."
);

/// Returns the exception of an error: `TypeError` for element types, `ValueError` for shapes and
/// indices, `RuntimeError` for loops that do not end, `MemoryError`, and `DeviceError` for errors
/// of the GPU.
pub(crate) fn exception(error: Error) -> PyErr {
    let message = error.to_string();
    match error {
        Error::Expression { source, .. } => exception(*source),
        Error::Type { .. } => PyTypeError::new_err(message),
        Error::Call { source, .. } => match *source {
            CallError::OperandCount { .. }
            | CallError::OperandType { .. }
            | CallError::Scalar { .. } => PyTypeError::new_err(message),
            CallError::Loop { .. } | CallError::LoopOfDriver { .. } => {
                PyRuntimeError::new_err(in_keywords(&message))
            }
            _ => PyValueError::new_err(message),
        },
        // The process has one context after another, so of arrays of two contexts some are of a
        // lost device.
        Error::Array(ArrayError::TwoContexts) => DeviceError::new_err(lost("")),
        Error::Device(device) => match device {
            indim::DeviceError::OutOfMemory { .. } | indim::DeviceError::TooLarge { .. } => {
                PyMemoryError::new_err(message)
            }
            indim::DeviceError::NoAdapter | indim::DeviceError::NoFittingAdapter { .. } => {
                NoAdapterError::new_err(message)
            }
            indim::DeviceError::Lost { reason } => DeviceError::new_err(lost(&reason)),
            _ => DeviceError::new_err(message),
        },
        _ => PyValueError::new_err(message),
    }
}

/// Returns the message of a lost device, for the reason that the driver gives.
fn lost(reason: &str) -> String {
    let reason = if reason.is_empty() { String::new() } else { format!(" ({reason})") };
    format!(
        "the device of these arrays was lost{reason}, and their elements with it; make the arrays anew, \
         for the next evaluation opens the GPU again"
    )
}

/// Returns the message of a loop's bound in which Python's keyword stands for the library's methods.
fn in_keywords(message: &str) -> String {
    message
        .replace("Function::with_max_iterations", "max_iterations=")
        .replace("Function::with_max_total_iterations", "max_iterations= above that number")
}

pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("DeviceError", module.py().get_type::<DeviceError>())?;
    module.add("NoAdapterError", module.py().get_type::<NoAdapterError>())?;
    module.add("FunctionError", module.py().get_type::<FunctionError>())?;
    module.add("ProgramError", module.py().get_type::<ProgramError>())
}

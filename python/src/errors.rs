//! The library's errors as Python's exceptions.

use indim::{CallError, DeviceError, Error};
use pyo3::create_exception;
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;

create_exception!(
    indim,
    DeviceError_,
    PyRuntimeError,
    "The GPU, or its driver, cannot do what is asked, or can no longer."
);
create_exception!(
    indim,
    NoAdapterError,
    DeviceError_,
    "There is no GPU adapter that indim could open; the message says what to install."
);
create_exception!(
    indim,
    FunctionError,
    PyValueError,
    "A text is no function that can be called; the message has the line, with a mark under the part \
     at fault."
);

/// Returns the exception of an error: `TypeError` for element types, `ValueError` for shapes and
/// indices, `RuntimeError` for loops that do not end, `MemoryError`, and `DeviceError` for all that is about the GPU.
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
        Error::Device(device) => match device {
            DeviceError::OutOfMemory { .. } | DeviceError::TooLarge { .. } => {
                PyMemoryError::new_err(message)
            }
            DeviceError::NoAdapter | DeviceError::NoFittingAdapter { .. } => {
                NoAdapterError::new_err(message)
            }
            _ => DeviceError_::new_err(message),
        },
        _ => PyValueError::new_err(message),
    }
}

/// Returns the message of a loop's bound in which Python's keyword stands for the library's methods.
fn in_keywords(message: &str) -> String {
    message
        .replace("Function::with_max_iterations", "max_iterations=")
        .replace("Function::with_max_total_iterations", "max_iterations= above that number")
}

pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("DeviceError", module.py().get_type::<DeviceError_>())?;
    module.add("NoAdapterError", module.py().get_type::<NoAdapterError>())?;
    module.add("FunctionError", module.py().get_type::<FunctionError>())
}

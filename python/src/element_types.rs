//! Element types by their names in the library, such as `f32`.

use indim::ElementType;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyString;

/// Returns the element type of this name.
pub(crate) fn element_type(name: &str) -> PyResult<ElementType> {
    name.parse().map_err(|error: indim::UnknownElementType| PyTypeError::new_err(error.to_string()))
}

/// Returns the name, as the same object each time.
pub(crate) fn name(py: Python<'_>, element_type: ElementType) -> Bound<'_, PyString> {
    static NAMES: PyOnceLock<Vec<Py<PyString>>> = PyOnceLock::new();
    let names = NAMES.get_or_init(py, || {
        let names =
            ElementType::ALL.iter().map(|each| PyString::intern(py, &each.to_string()).unbind());
        names.collect()
    });
    match names.get(element_type as usize) {
        Some(name) => name.bind(py).clone(),
        None => PyString::new(py, &element_type.to_string()),
    }
}

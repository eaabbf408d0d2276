//! Says why the device does not take an operand, and what to do about it.

use indim::{DeviceError, Error};

use crate::diagnostic::Diagnostic;

/// Returns the error for an operand that the device does not take.
pub(crate) fn refused_upload(error: &Error, name: &str) -> Box<Diagnostic> {
    let diagnostic = Diagnostic::new(format!("operand `{name}`: {error}"));
    match error {
        Error::Device(DeviceError::Unsupported { instead, .. }) => {
            diagnostic.help(format!("a file is converted by `--cast {name}={instead}`"))
        }
        _ => diagnostic,
    }
}

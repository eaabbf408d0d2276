//! Errors of the library, in the command's words.

use indim::{DeviceError, ElementType, Error};
use indim_expr::Diagnostic;

/// Library methods that messages mention, with the command's option for each.
const OPTIONS: [(&str, &str); 2] = [
    ("Function::with_max_iterations", "--max-iterations"),
    ("Function::with_max_total_iterations", "--max-iterations above that number"),
];

/// Returns the error of a computation that did not run; `narrower` is the help on avoiding the f64
/// that operands were promoted to.
pub(crate) fn refused_run(error: &Error, narrower: Option<&str>) -> Box<Diagnostic> {
    let diagnostic = Diagnostic::new(in_options(error.to_string()));
    match (error, narrower) {
        (
            Error::Device(DeviceError::Unsupported { element_type: ElementType::F64, .. }),
            Some(narrower),
        ) => diagnostic.help(narrower),
        _ => diagnostic,
    }
}

/// Returns the error for an operand that the device rejects.
pub(crate) fn refused_upload(error: &Error, name: &str) -> Box<Diagnostic> {
    let diagnostic = Diagnostic::new(format!("operand `{name}`: {error}"));
    match error {
        Error::Device(DeviceError::Unsupported { instead, .. }) => {
            diagnostic.help(format!("a file is converted by `--cast {name}={instead}`"))
        }
        _ => diagnostic,
    }
}

/// Replaces the library's methods in a message by the command's options.
fn in_options(message: String) -> String {
    OPTIONS.iter().fold(message, |message, (method, option)| message.replace(method, option))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_stand_for_the_librarys_methods() {
        let shown = |source| {
            let error = Error::Call { function: "f".to_owned(), source: Box::new(source) };
            refused_run(&error, None).render()
        };
        let call = |is_total| shown(indim::CallError::Loop { most: 9, is_total });
        assert!(call(false).ends_with("raise the bound (--max-iterations)\n"));
        assert!(call(true).ends_with("raise the bound (--max-iterations above that number)\n"));
        let driver = indim::CallError::LoopOfDriver { driver: "d".to_owned() };
        assert!(!shown(driver).contains("Function::"));
    }

    #[test]
    fn a_device_without_f64_is_helped_where_operands_were_promoted() {
        let error = |element_type| {
            Error::Device(DeviceError::Unsupported {
                element_type,
                needed: "a feature",
                missing: "a feature".to_owned(),
                instead: ElementType::F32,
            })
        };
        let wide = error(ElementType::F64);
        let help = |error, narrower| refused_run(error, narrower).help_text().map(str::to_owned);
        assert_eq!(help(&wide, Some("write it so")).as_deref(), Some("write it so"));
        assert_eq!(help(&wide, None), None);
        assert_eq!(help(&error(ElementType::S64), Some("write it so")), None);
    }
}

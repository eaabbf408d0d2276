//! Refused calls, and what their messages say.

use std::fmt::Debug;

use indim::{Builder, ElementType, Op, Result};

/// The refusal's message. The builder must be left as it was.
#[track_caller]
pub fn refused(b: &mut Builder, call: impl FnOnce(&mut Builder) -> Result<Op>) -> String {
    let before = format!("{b:?}");
    let error = call(b).expect_err("to be refused");
    assert_eq!(format!("{b:?}"), before, "the builder has changed");
    message(&error)
}

/// Returns an error's message, which is all of its text: `{:?}` is the same, and no source repeats
/// a part of it.
#[track_caller]
pub fn message(error: &(impl std::error::Error + 'static)) -> String {
    let text = error.to_string();
    assert_eq!(format!("{error:?}"), text, "Debug is the text");
    let mut said = vec![text.clone()];
    let mut cause = error.source();
    while let Some(source) = cause {
        let again = source.to_string();
        assert!(!said.iter().any(|text| text.contains(&again)), "said before: {again}");
        said.push(again);
        cause = source.source();
    }
    text
}

/// Returns the message of an operation on parameters of these types and shapes.
#[track_caller]
pub fn apply<const N: usize>(
    operands: [(ElementType, &[usize]); N],
    call: impl FnOnce(&mut Builder, [Op; N]) -> Result<Op>,
) -> String {
    let mut b = Builder::new();
    let ops = operands.map(|(ty, dims)| b.parameter(ty, dims).unwrap());
    refused(&mut b, |b| call(b, ops))
}

/// Asserts that the result is a refusal with this message.
#[track_caller]
pub fn says<T: Debug>(result: Result<T>, text: &str) {
    assert_eq!(message(&result.expect_err("to be refused")), text);
}

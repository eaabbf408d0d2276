//! Attributes of operations that are integers or lists of them, in each spelling.

use crate::lower::value::array_type;
use crate::report::problem::Finding;
use crate::syntax::attribute::Attribute;
use crate::syntax::cursor::Result;
use crate::syntax::dense::{self, Elements};
use crate::syntax::module::Operation;
use crate::syntax::values;

/// Returns an attribute of integers, by one of its names.
pub(crate) fn list(operation: &Operation<'_>, names: &[&str]) -> Result<Vec<i64>> {
    let Some(named) = names.iter().find_map(|name| operation.attribute(name)) else {
        let message = format!("attribute `{}` is missing", names[0]);
        return Err(Finding::syntax(operation.span.clone(), message).of(operation.name));
    };
    match &named.value {
        Attribute::Integers(list) => Ok(list.clone()),
        // As older versions print lists: `dense<[0, 1]> : tensor<2xi64>`.
        Attribute::Dense(text, Some(of)) => {
            let wrong = || values::wrong(named, "a list of integers");
            let (element_type, shape) = array_type(of).map_err(|_| wrong())?;
            // A splat of a huge shape is not a list of this operation's.
            let count = shape.element_count().ok().filter(|&count| count <= 1 << 16);
            let count = count.ok_or_else(wrong)?;
            let integer = |value: indim_core::Scalar| value.get::<i64>().ok_or_else(wrong);
            match dense::read(text, &named.span, element_type, &shape)? {
                Elements::Splat(value) => Ok(vec![integer(value)?; count]),
                Elements::List(list) => list.to_vec::<i64>().map_err(|_| wrong()),
            }
        }
        _ => Err(values::wrong(named, "a list of integers")),
    }
}

/// Returns an attribute that is an integer, by one of its names.
pub(crate) fn integer(operation: &Operation<'_>, names: &[&str]) -> Result<i64> {
    let named = names.iter().find_map(|name| operation.attribute(name));
    match named.map(|named| &named.value) {
        Some(Attribute::Integer(value)) if i64::try_from(*value).is_ok() => Ok(*value as i64),
        _ => {
            let message = format!("attribute `{}` must be an integer", names[0]);
            Err(Finding::syntax(operation.span.clone(), message).of(operation.name))
        }
    }
}

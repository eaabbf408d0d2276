//! Replacements for brackets after an array, such as `x[:, 1:3]`.

use crate::lower::state::{Lowering, NodeValue};
use crate::report::diagnostic::{Diagnostic, Result};
use crate::syntax::parser::NodeId;

/// The hint if the brackets hold anything but whole numbers, or do not fit the array.
const GENERAL: &str = "a part of an array is `slice(x, [0], [3])`, with starts and limits";

/// The part of a dimension selected by brackets.
#[derive(Debug, PartialEq, Eq)]
struct Part {
    start: i64,
    limit: i64,
    stride: i64,
    /// True if the dimension is dropped.
    is_one: bool,
}

/// Rejects brackets after an array, with a hint on the call that takes the same elements.
pub(crate) fn refused(lowering: &mut Lowering<'_>, id: NodeId, base: NodeId) -> Result<NodeValue> {
    let value = lowering.value(base)?;
    let at = lowering.node(id).at.clone();
    let inner = lowering.text(&(at.start + 1..at.end.saturating_sub(1)));
    let sizes = match value {
        NodeValue::Op(op) => lowering.builder.shape(op).map_err(lowering.at(base))?.dims(),
        NodeValue::Number(_) | NodeValue::NotFinite(_) => &[],
    };
    let sizes: Option<Vec<i64>> = sizes.iter().map(|&size| i64::try_from(size).ok()).collect();
    let call = sizes.and_then(|sizes| call(lowering.quote(base, "..."), inner, &sizes));
    let help = call.map_or(GENERAL.to_owned(), |call| format!("write `{call}`"));
    let error = Diagnostic::at(at.start..at.start + 1, "expected an operator, found `[`");
    Err(error.help(help))
}

/// Returns the call for the same parts of an array of these sizes; `None` if the text between the
/// brackets does not select parts.
fn call(base: &str, inner: &str, sizes: &[i64]) -> Option<String> {
    let inner = inner.trim();
    let inner = inner.strip_suffix(',').unwrap_or(inner);
    let texts: Vec<&str> = inner.split(',').collect();
    if texts.len() > sizes.len() {
        return None;
    }
    // Dimensions without an index are taken whole.
    let texts = texts.into_iter().chain(std::iter::repeat(":"));
    let parts: Option<Vec<Part>> =
        texts.zip(sizes).map(|(text, &size)| part(text.trim(), size)).collect();
    let parts = parts?;
    let list = |of: fn(&Part) -> i64| {
        let numbers: Vec<String> = parts.iter().map(|part| of(part).to_string()).collect();
        format!("[{}]", numbers.join(", "))
    };
    let (starts, limits) = (list(|part| part.start), list(|part| part.limit));
    let slice = if parts.iter().all(|part| part.stride == 1) {
        format!("slice({base}, {starts}, {limits})")
    } else {
        format!("slice({base}, {starts}, {limits}, {})", list(|part| part.stride))
    };
    if parts.iter().all(|part| !part.is_one) {
        return Some(slice);
    }
    let left = parts.iter().filter(|part| !part.is_one);
    let left: Vec<String> = left
        .map(|part| ((part.limit - part.start + part.stride - 1) / part.stride).to_string())
        .collect();
    Some(format!("reshape({slice}, [{}])", left.join(", ")))
}

/// Reads the index for a dimension of this size, by Python's rules.
fn part(text: &str, size: i64) -> Option<Part> {
    let number = |text: &str| text.trim().parse::<i64>().ok();
    let counted = |at: i64| if at < 0 { at + size } else { at };
    let Some((start, rest)) = text.split_once(':') else {
        let at = counted(number(text)?);
        let is_there = (0..size).contains(&at);
        return is_there.then_some(Part { start: at, limit: at + 1, stride: 1, is_one: true });
    };
    let (limit, stride) = rest.split_once(':').unwrap_or((rest, ""));
    let or = |text: &str, other: i64| match text.trim() {
        "" => Some(other),
        text => number(text),
    };
    let start = counted(or(start, 0)?).clamp(0, size);
    let limit = counted(or(limit, size)?).clamp(start, size);
    let stride = or(stride, 1).filter(|&stride| stride > 0)?;
    Some(Part { start, limit, stride, is_one: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_are_slices() {
        let of = |inner| call("x", inner, &[4, 6]).unwrap_or_default();
        assert_eq!(of(":, 1:3"), "slice(x, [0, 1], [4, 3])");
        assert_eq!(of("1:"), "slice(x, [1, 0], [4, 6])");
        assert_eq!(of("::2, -2:"), "slice(x, [0, 4], [4, 6], [2, 1])");
        assert_eq!(of("0"), "reshape(slice(x, [0, 0], [1, 6]), [6])");
        assert_eq!(of("-1, 1::2"), "reshape(slice(x, [3, 1], [4, 6], [1, 2]), [3])");
        assert_eq!(of("1, 2"), "reshape(slice(x, [1, 2], [2, 3]), [])");
        assert_eq!(of("3:1, 9:99"), "slice(x, [3, 6], [3, 6])");
        for inner in ["1, 2, 3", "::-1", "p > 0", "4", "None", "", "1:2:3:4"] {
            assert_eq!(of(inner), "", "{inner}");
        }
    }
}

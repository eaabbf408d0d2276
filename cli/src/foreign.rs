//! Knows the functions and attributes of NumPy that EXPR does not have, and says what to write
//! instead.

/// The functions that combine elements of an array, which no elementwise operation does.
const REDUCTIONS: [&str; 20] = [
    "sum", "mean", "prod", "std", "var", "any", "all", "amax", "amin", "argmax", "argmin",
    "median", "cumsum", "cumprod", "norm", "dot", "matmul", "einsum", "sort", "average",
];

/// Functions that have another name here.
const RENAMED: [(&str, &str); 12] = [
    ("where", "`select(pred, on_true, on_false)`"),
    ("clip", "`clamp(min, x, max)`"),
    ("maximum", "`max(x, y)`"),
    ("minimum", "`min(x, y)`"),
    ("power", "`pow(x, y)`"),
    ("absolute", "`abs(x)`"),
    ("astype", "`convert(x, s32)`"),
    ("multiply", "`mul(x, y)`"),
    ("subtract", "`sub(x, y)`"),
    ("divide", "`div(x, y)`"),
    ("flip", "`reverse(x, [1])`, with the dimensions"),
    (
        "broadcast_to",
        "`broadcast_in_dim(v, [2, 3], [1])`, with the sizes of the result and the dimensions of it that v's go to",
    ),
];

/// Returns what to write instead of a function.
pub(crate) fn function(name: &str) -> Option<String> {
    if REDUCTIONS.contains(&name) {
        return Some(format!(
            "`{name}` combines elements of an array, and every operation here is elementwise"
        ));
    }
    let (_, instead) = RENAMED.iter().find(|(theirs, _)| *theirs == name)?;
    Some(format!("write {instead}"))
}

/// Returns what to write instead of an attribute, such as the `T` of `x.T`.
pub(crate) fn attribute(name: &str) -> Option<String> {
    match name {
        "T" | "mT" => {
            Some("write `transpose(x, [1, 0])`, with the dimensions in their new order".to_owned())
        }
        "real" | "imag" => Some(format!("write `{name}(x)`")),
        // A file is an operand, which the caller explains.
        "npy" => None,
        _ => function(name).or_else(|| {
            Some("values have no attributes; a function stands in front of its operands, as in `exp(x)`".to_owned())
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names;

    #[test]
    fn what_is_foreign_is_no_function_here() {
        for name in REDUCTIONS.iter().chain(RENAMED.iter().map(|(name, _)| name)) {
            assert!(!names::is_function(name), "{name}");
        }
        for (_, instead) in RENAMED {
            let (name, _) = instead.trim_start_matches('`').split_once('(').unwrap();
            assert!(names::is_function(name), "{instead}");
        }
    }
}

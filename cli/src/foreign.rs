//! Knows the functions and attributes of NumPy that EXPR does not have, and says what to write
//! instead.

/// The functions that combine elements of an array, which no elementwise operation does.
const REDUCTIONS: [&str; 20] = [
    "sum", "mean", "prod", "std", "var", "any", "all", "amax", "amin", "argmax", "argmin",
    "median", "cumsum", "cumprod", "norm", "dot", "matmul", "einsum", "sort", "average",
];

/// A function that has another name here, or another order of operands.
struct Renamed {
    theirs: &'static str,
    /// The names of its operands.
    operands: &'static [&'static str],
    /// The text to write instead. `{0}` stands for the first operand.
    instead: &'static str,
    /// A remark behind it.
    remark: &'static str,
}

const fn renamed(
    theirs: &'static str,
    operands: &'static [&'static str],
    instead: &'static str,
    remark: &'static str,
) -> Renamed {
    Renamed { theirs, operands, instead, remark }
}

const RENAMED: [Renamed; 14] = [
    renamed("where", &["pred", "on_true", "on_false"], "select({0}, {1}, {2})", ""),
    renamed("clip", &["x", "min", "max"], "clamp({1}, {0}, {2})", ""),
    renamed("maximum", &["x", "y"], "max({0}, {1})", ""),
    renamed("minimum", &["x", "y"], "min({0}, {1})", ""),
    renamed("power", &["x", "y"], "pow({0}, {1})", ""),
    renamed("absolute", &["x"], "abs({0})", ""),
    renamed("astype", &["x", "s32"], "convert({0}, {1})", ""),
    renamed("multiply", &["x", "y"], "mul({0}, {1})", ""),
    renamed("subtract", &["x", "y"], "sub({0}, {1})", ""),
    renamed("divide", &["x", "y"], "div({0}, {1})", ""),
    renamed("flip", &["x", "[1]"], "reverse({0}, {1})", ", with the dimensions"),
    renamed(
        "mod",
        &["x", "y"],
        "{0} % {1}",
        ", whose sign is the dividend's; `remainder` has the divisor's sign, as NumPy's mod",
    ),
    renamed("relu", &["x"], "max({0}, 0)", ""),
    renamed(
        "broadcast_to",
        &["v", "[2, 3]"],
        "broadcast_in_dim({0}, {1}, [1])",
        ", with the sizes of the result and the dimensions of it that v's go to",
    ),
];

/// Element types that have another name here.
const TYPES: [(&str, &str); 21] = [
    ("bool", "`pred`"),
    ("bool_", "`pred`"),
    ("int8", "`s8`"),
    ("int16", "`s16`"),
    ("int32", "`s32`"),
    ("int64", "`s64`"),
    ("int", "`s32` or `s64`"),
    ("long", "`s64`"),
    ("uint8", "`u8`"),
    ("uint16", "`u16`"),
    ("uint32", "`u32`"),
    ("uint64", "`u64`"),
    ("i8", "`s8`"),
    ("i16", "`s16`"),
    ("i64", "`s64`"),
    ("float16", "`f16`"),
    ("bfloat16", "`bf16`"),
    ("float32", "`f32`"),
    ("float64", "`f64`"),
    ("complex64", "`c64`"),
    ("complex", "`c64`"),
];

/// Returns what to write instead of an element type's name.
pub(crate) fn element_type(name: &str) -> Option<String> {
    let instead = match name {
        "float" => "`f32` or `f64`",
        "double" => "`f64`",
        "half" => "`f16`",
        _ => TYPES.iter().find(|(theirs, _)| *theirs == name)?.1,
    };
    Some(format!("write {instead}"))
}

/// Returns what to write instead of a function with these operands.
pub(crate) fn function(name: &str, operands: &[&str]) -> Option<String> {
    if REDUCTIONS.contains(&name) {
        return Some(format!(
            "`{name}` combines elements of an array, and every operation here is elementwise; write the array to a file, as by `-o out.npy`, and give that to NumPy"
        ));
    }
    if let Some(instead) = element_type(name) {
        let operand = match operands {
            [operand] => operand,
            _ => "x",
        };
        let to = instead.trim_start_matches("write `").split('`').next().unwrap_or_default();
        return Some(format!("write `convert({operand}, {to})`"));
    }
    let found = RENAMED.iter().find(|renamed| renamed.theirs == name)?;
    let own = operands.len() == found.operands.len();
    let operands = if own { operands } else { found.operands };
    let mut parts = found.instead.split('{');
    let mut instead = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (number, rest) = part.split_once('}').unwrap_or_default();
        let operand = number.parse::<usize>().ok().and_then(|number| operands.get(number));
        instead.push_str(operand.copied().unwrap_or_default());
        instead.push_str(rest);
    }
    Some(format!("write `{instead}`{}", found.remark))
}

/// Returns what to write instead of an attribute, such as the `T` of `x.T`.
pub(crate) fn attribute(name: &str) -> Option<String> {
    match name {
        "T" | "mT" => {
            Some("write `transpose(x, [1, 0])`, with the dimensions in their new order".to_owned())
        }
        "real" | "imag" => Some(format!("write `{name}(x)`")),
        // A file is an operand, which the caller explains.
        "npy" | "npz" => None,
        _ => function(name, &[]).or_else(|| {
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
        for name in REDUCTIONS.iter().chain(RENAMED.iter().map(|renamed| &renamed.theirs)) {
            assert!(!names::is_function(name), "{name}");
        }
        for Renamed { instead, .. } in RENAMED {
            let ours = instead.split_once('(').map(|(name, _)| name);
            assert!(ours.is_none_or(names::is_function), "{instead}");
        }
    }

    #[test]
    fn types_that_are_foreign_are_none_here() {
        for (theirs, ours) in TYPES {
            assert!(theirs.parse::<indim::ElementType>().is_err(), "{theirs}");
            for name in ours.split(" or ") {
                assert!(name.trim_matches('`').parse::<indim::ElementType>().is_ok(), "{name}");
            }
        }
    }
}

//! NumPy functions and attributes that EXPR lacks, with replacements.

/// Functions that order or place elements by their values. EXPR has no such operations.
const ORDERS: [&str; 4] = ["median", "sort", "argsort", "histogram"];

/// A function that combines elements of an array, and what it is here.
struct Combines {
    theirs: &'static str,
    /// The replacement. `{0}` and `{1}` stand for the operands.
    instead: &'static str,
    /// Whether `--numpy` has the function.
    by_numpy: bool,
}

const fn by_numpy(theirs: &'static str, instead: &'static str) -> Combines {
    Combines { theirs, instead, by_numpy: true }
}

const fn combines(theirs: &'static str, instead: &'static str) -> Combines {
    Combines { theirs, instead, by_numpy: false }
}

const COMBINES: [Combines; 18] = [
    by_numpy("sum", "reduce_sum({0}, [0])"),
    by_numpy("prod", "reduce_prod({0}, [0])"),
    by_numpy("amax", "reduce_max({0}, [0])"),
    by_numpy("amin", "reduce_min({0}, [0])"),
    by_numpy("any", "reduce_or({0}, [0])"),
    by_numpy("all", "reduce_and({0}, [0])"),
    by_numpy("count_nonzero", "reduce_sum(convert({0} != 0, s32), [0])"),
    by_numpy("std", "sqrt(var({0}, [0]))"),
    combines("norm", "sqrt(reduce_sum({0} * {0}, [0]))"),
    combines("average", "mean({0}, [0])"),
    combines("ptp", "reduce_max({0}, [0]) - reduce_min({0}, [0])"),
    combines("nansum", "reduce_sum(select({0} == {0}, {0}, 0), [0])"),
    combines("nanmax", "reduce_max(select({0} == {0}, {0}, -inf), [0])"),
    combines("nanmin", "reduce_min(select({0} == {0}, {0}, inf), [0])"),
    combines(
        "nanmean",
        "reduce_sum(select({0} == {0}, {0}, 0), [0]) / reduce_sum(convert({0} == {0}, f32), [0])",
    ),
    combines("matmul", PRODUCT),
    combines("vdot", PRODUCT),
    combines("einsum", PRODUCT),
];

/// A product of vectors or matrices.
const PRODUCT: &str = "dot({0}, {1})";

/// Properties of an array that are known before anything is computed.
const KNOWN_BEFORE: [&str; 5] = ["len", "shape", "size", "ndim", "dtype"];

/// Python's constants, and their values.
const CONSTANTS: [(&str, &str); 3] =
    [("pi", "3.141592653589793"), ("e", "2.718281828459045"), ("tau", "6.283185307179586")];

/// A function with another name here, or another order of operands.
struct Renamed {
    theirs: &'static str,
    /// The names of its operands.
    operands: &'static [&'static str],
    /// The replacement. `{0}` stands for the first operand.
    instead: &'static str,
    /// A remark after the replacement.
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

const RENAMED: [Renamed; 21] = [
    renamed("diff", &["x"], "slice({0}, [1], [5]) - slice({0}, [0], [4])", ", for 5 elements"),
    renamed("batch_norm", &["x"], "layer_norm({0}, [0], 1e-5)", ", with the dimensions of a batch"),
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
    renamed("mod", &["x", "y"], "remainder({0}, {1})", ", whose sign is the divisor's"),
    renamed("fmod", &["x", "y"], "rem({0}, {1})", ", whose sign is the dividend's"),
    renamed("relu", &["x"], "max({0}, 0)", ""),
    renamed("sigmoid", &["x"], "logistic({0})", ""),
    renamed("expit", &["x"], "logistic({0})", ""),
    renamed("softplus", &["x"], "log1p(exp({0}))", ""),
    renamed("rint", &["x"], "round_nearest_even({0})", ""),
    renamed(
        "broadcast_to",
        &["v", "[2, 3]"],
        "broadcast_in_dim({0}, {1}, [1])",
        ", with the sizes of the result and the dimensions of it that v's go to",
    ),
];

/// Element types with another name here.
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

/// Returns the replacement for an element type's name.
pub(crate) fn element_type(name: &str) -> Option<String> {
    let instead = match name {
        "float" => "`f32` or `f64`",
        "double" => "`f64`",
        "half" => "`f16`",
        _ => TYPES.iter().find(|(theirs, _)| *theirs == name)?.1,
    };
    Some(format!("write {instead}"))
}

/// Returns the replacement for a function that combines elements.
fn combined(name: &str, operands: &[&str]) -> Option<String> {
    let found = COMBINES.iter().find(|combines| combines.theirs == name)?;
    let or = |at: usize, other| operands.get(at).copied().unwrap_or(other);
    let instead = found.instead.replace("{0}", or(0, "x")).replace("{1}", or(1, "y"));
    if found.instead == PRODUCT {
        return Some(format!("write `{instead}`, for vectors and matrices"));
    }
    let dimensions = "with the dimensions along which elements are combined";
    Some(if found.by_numpy {
        format!("write `{instead}`, {dimensions}; `--numpy` has NumPy's `{name}`")
    } else {
        format!("write `{instead}`, {dimensions}")
    })
}

/// Returns the replacement for a function with these operands.
pub(crate) fn function(name: &str, operands: &[&str]) -> Option<String> {
    let first = operands.first().copied().unwrap_or("x");
    if let Some(help) = combined(name, operands) {
        return Some(help);
    }
    if ORDERS.contains(&name) {
        return Some(format!(
            "`{name}` compares all elements with each other, and EXPR has no operation for that: write the array to a file, as by `-o out.npy`, and give that to NumPy"
        ));
    }
    if KNOWN_BEFORE.contains(&name) {
        return Some(format!(
            "the type and the shape of an array are printed before its elements, as those of `{first}` where that is EXPR"
        ));
    }
    if let Some(made) = creation(name, operands) {
        return Some(format!("write `{made}`"));
    }
    let operand = if operands.len() == 1 { first } else { "x" };
    if name.parse::<indim_core::ElementType>().is_ok() {
        return Some(format!("write `convert({operand}, {name})`"));
    }
    if let Some(instead) = element_type(name) {
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

/// Returns the EXPR for the array of a function such as `arange(5)`, or an example if the operands
/// are not numbers.
fn creation(name: &str, operands: &[&str]) -> Option<String> {
    let whole = |at: usize| operands.get(at).and_then(|text| text.parse::<i64>().ok());
    let is_size = |text: &&str| text.parse::<u32>().is_ok() || text.starts_with('[');
    Some(match (name, operands) {
        ("zeros" | "ones" | "empty", _) => {
            let value = i32::from(name == "ones");
            let given = !operands.is_empty() && operands.iter().all(is_size);
            let sizes = if given { operands.join(", ") } else { "2, 3".to_owned() };
            format!("broadcast({value}, {sizes})")
        }
        ("full", [sizes, value]) if is_size(sizes) => format!("broadcast({value}, {sizes})"),
        ("full", _) => "broadcast(1.5, 2, 3)".to_owned(),
        ("arange" | "range", _) => {
            let (first, limit) = match operands.len() {
                1 => (Some(0), whole(0)),
                _ => (whole(0), whole(1)),
            };
            let step = if operands.len() == 3 { whole(2) } else { Some(1) };
            match (first, limit, step) {
                (Some(first), Some(limit), Some(step)) => range(first, limit, step),
                _ => range(0, 5, 1),
            }
        }
        ("linspace", _) => match (operands, whole(2)) {
            ([first, last, _], Some(count)) if count > 1 => spaced(first, last, count),
            _ => spaced("0", "1", 5),
        },
        _ => return None,
    })
}

/// Returns the EXPR for the whole numbers from `first` up to, but not including, `limit`.
fn range(first: i64, limit: i64, step: i64) -> String {
    let between = i128::from(limit) - i128::from(first);
    let step = i128::from(if step == 0 { 1 } else { step });
    let count = ((between + step - step.signum()) / step).max(0);
    let mut made = format!("iota(s32, [{count}], 0)");
    if step != 1 {
        made += &format!(" * {step}");
    }
    if first != 0 {
        made += &format!(" + {first}");
    }
    made
}

/// Returns the EXPR for equally spaced numbers.
fn spaced(first: &str, last: &str, count: i64) -> String {
    let steps = count - 1;
    format!("{first} + ({last} - ({first})) * iota(f32, [{count}], 0) / {steps}")
}

/// Returns the replacement for a Python constant.
pub(crate) fn constant(name: &str) -> Option<String> {
    let (_, value) = CONSTANTS.iter().find(|(theirs, _)| *theirs == name)?;
    Some(format!("write `{value}`"))
}

/// Returns the replacement for an attribute, such as the `T` of `x.T`.
pub(crate) fn attribute(name: &str) -> Option<String> {
    match name {
        "T" | "mT" => {
            Some("write `transpose(x, [1, 0])`, with the dimensions in their new order".to_owned())
        }
        "real" | "imag" => Some(format!("write `{name}(x)`")),
        // A file is an operand, which the caller explains.
        "npy" | "npz" => None,
        _ if constant(name).is_some() => constant(name),
        _ => function(name, &[]).or_else(|| {
            Some("values have no attributes; a function stands in front of its operands, as in `exp(x)`".to_owned())
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::names;

    #[test]
    fn what_is_foreign_is_no_function_here() {
        let combines = COMBINES.iter().map(|combines| &combines.theirs);
        let renamed = RENAMED.iter().map(|renamed| &renamed.theirs);
        for name in ORDERS.iter().chain(combines).chain(renamed) {
            assert!(!names::is_function(name), "{name}");
        }
        for Combines { theirs, by_numpy, .. } in COMBINES {
            assert_eq!(indim_core::numpy::NumpyReduction::of_name(theirs).is_some(), by_numpy);
        }
        for Renamed { instead, .. } in RENAMED {
            let ours = instead.split_once('(').map(|(name, _)| name);
            assert!(ours.is_none_or(names::is_function), "{instead}");
        }
    }

    #[test]
    fn types_that_are_foreign_are_none_here() {
        for (theirs, ours) in TYPES {
            assert!(theirs.parse::<indim_core::ElementType>().is_err(), "{theirs}");
            for name in ours.split(" or ") {
                assert!(
                    name.trim_matches('`').parse::<indim_core::ElementType>().is_ok(),
                    "{name}"
                );
            }
        }
    }
}

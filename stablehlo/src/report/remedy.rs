//! Remedies for problems whose finder gives none.

/// The specification, whose sections have the names of operations.
const SPECIFICATION: &str = "https://openxla.org/stablehlo/spec";

/// Remedies for broken constraints.
const REMEDIES: &[(&str, &str)] = &[
    (
        "bitcast_convert (C1)",
        "reshape the operand first, so that its last dimension is one element",
    ),
    ("bitcast_convert (C2)", "take the parts of a complex number by `real` and `imag`"),
    ("concatenate (C3)", "give it one operand or more"),
    ("concatenate (C4)", "dimensions count from 0"),
    ("constant (C1)", "write one element, or as many as the type has, of its element type"),
    ("dynamic_slice (C2)", "give one index and one size for each dimension of the operand"),
    ("dynamic_slice (C3)", "convert the indices to one integer type"),
    ("dynamic_slice (C4)", "sizes are 0 or more, and at most the operand's"),
    ("dynamic_slice (I2)", "give scalars of an integer type"),
    ("map (C1)", "give all operands one shape, by `broadcast_in_dim`"),
    ("map (C2)", "give it one operand or more"),
    ("map (C3)", "write `dimensions = [0, 1, ...]`, one for each dimension of the operands"),
    ("map (C4)", "give the region a scalar for each operand, and return one scalar"),
    ("pad (C3)", "to take elements out, slice with strides"),
    ("pad (I2)", "give a value of rank 0, such as a `constant`"),
    ("reduce (C1)", "give all inputs one shape, by `broadcast_in_dim` or `reshape`"),
    ("reduce (C2)", "give each initial value the element type of its input, by `convert`"),
    ("reduce (C3)", "give one initial value and write one result for each input"),
    ("reduce (C6)", "give the region two scalars for each input, of the types that it returns"),
    ("reduce (C7)", "write the shape of the inputs without the reduced dimensions"),
    ("reduce (C8)", "return values of the element types of the results"),
    ("reduce (I1)", "give arrays as inputs"),
];

/// Returns what to do about a problem of an operation: a broken constraint, a text that is not
/// StableHLO, or something that is not implemented.
pub(crate) fn remedy(
    is_unsupported: bool,
    operation: Option<&str>,
    rule: Option<&str>,
    message: &str,
) -> String {
    if let Some((_, remedy)) = REMEDIES.iter().find(|(label, _)| Some(*label) == rule) {
        return (*remedy).to_owned();
    }
    if is_unsupported {
        return if message.contains("dynamic shapes") {
            "lower the program for arrays of known sizes"
        } else if message.contains("type") {
            "convert to a type that is implemented where the program is written"
        } else {
            "the README of indim-stablehlo lists what is implemented; compute it in another way"
        }
        .to_owned();
    }
    let section = operation.and_then(|name| name.strip_prefix("stablehlo."));
    match section {
        Some(section) => format!("{SPECIFICATION}#{section} has the form and the constraints"),
        None => format!("{SPECIFICATION} has the form of programs"),
    }
}

//! From the library's rules to the constraints of StableHLO's specification.

use indim_core::{Error, Rule};

use crate::report::problem::Finding;
use crate::syntax::module::Operation;
use crate::syntax::names::{Meaning, meaning};

/// Returns the problem for an error of the library.
pub(crate) fn finding(operation: &Operation<'_>, error: &Error) -> Box<Finding> {
    let text = error.to_string();
    // The library's name of the operation stands before its message.
    let message = text.split_once(": ").map_or(text.as_str(), |(_, message)| message);
    let Some(rule) = error.rule() else {
        return Finding::unsupported(operation.place(), text);
    };
    match (rule, constraint(operation, rule)) {
        // Arrays beyond the library's bounds, and types that the specification accepts here.
        (Rule::C1 | Rule::R3, _) => Finding::unsupported(operation.place(), message),
        (Rule::T1 | Rule::T4, _) if is_of_accepted_types(operation, message) => {
            Finding::unsupported(operation.place(), message)
        }
        (_, constraint) => Finding::rule(operation.place(), constraint, message),
    }
}

/// Checks whether a type that the library refuses is one that StableHLO accepts: complex numbers and,
/// in operations that move or choose elements, all types.
fn is_of_accepted_types(operation: &Operation<'_>, message: &str) -> bool {
    let is = |found: &str| message.contains(&format!("is {found}")) || message.contains(found);
    match meaning(operation.name) {
        Some(Meaning::Clamp | Meaning::BitcastConvert | Meaning::Compare) => true,
        Some(Meaning::Reduce | Meaning::Map) => true,
        _ => is("c64 "),
    }
}

/// Returns the constraint of an operation that one of the library's rules is.
fn constraint(operation: &Operation<'_>, rule: Rule) -> &'static str {
    let Some(meaning) = meaning(operation.name) else { return "" };
    match (meaning, rule) {
        (_, Rule::T1) => "I1",
        (Meaning::Select, Rule::T3) => "I1",
        (Meaning::Select, Rule::S1) => "C1",
        (Meaning::Select, _) => "C2",
        (Meaning::Clamp, Rule::T2) => "C3",
        (Meaning::Clamp, _) => "C1",
        (Meaning::BroadcastInDim, Rule::D2) => "C2",
        (Meaning::BroadcastInDim, Rule::D1 | Rule::D3) => "C3",
        (Meaning::BroadcastInDim, Rule::D5) => "C4",
        (Meaning::BroadcastInDim, _) => "C5",
        (Meaning::Transpose | Meaning::Reshape, _) => "C2",
        (Meaning::Slice, Rule::V2) => "C2",
        (Meaning::Slice, Rule::V3) => "C3",
        (Meaning::Slice, _) => "C4",
        (Meaning::Reverse, _) => "C3",
        (Meaning::Pad, Rule::T2) => "C1",
        (Meaning::Pad, Rule::V7) => "C2",
        (Meaning::Pad, _) => "C4",
        (Meaning::Concatenate, Rule::T2) => "C1",
        (Meaning::Concatenate, _) => "C2",
        (Meaning::Reduce, Rule::R1) => "C4",
        (Meaning::Reduce, Rule::R2) => "C5",
        (Meaning::Reduce, _) => "C6",
        (Meaning::ReducePrecision, _) => "C2",
        (Meaning::DynamicSlice, _) => "C4",
        (Meaning::Constant, _) => "C1",
        _ => "C1",
    }
}

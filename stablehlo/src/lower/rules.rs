//! From the library's rules to the constraints of StableHLO's specification.

use indim_core::{ElementType, Error, Opcode, Rule, TypeError};

use crate::report::problem::Finding;
use crate::syntax::module::Operation;
use crate::syntax::names::{Meaning, meaning};

/// Returns the problem for an error of the library.
pub(crate) fn finding(operation: &Operation<'_>, error: &Error) -> Box<Finding> {
    let text = error.to_string();
    // The library's name of the operation stands before its message.
    let message = text.split_once(": ").map_or(text.as_str(), |(_, message)| message);
    let message = message.replace("convert_element_type", "stablehlo.convert");
    let (Some(rule), Some(meaning)) = (error.rule(), meaning(operation.name)) else {
        return Finding::unsupported(operation.place(), text);
    };
    let is_accepted = match error {
        Error::Type { source: TypeError::NotAccepted { found, .. }, .. } => {
            is_accepted(meaning, *found)
        }
        _ => false,
    };
    match rule {
        // Arrays beyond the library's bounds, and types that the specification accepts here.
        Rule::C1 | Rule::R3 | Rule::T4 => Finding::unsupported(operation.place(), message),
        _ if is_accepted => Finding::unsupported(operation.place(), message),
        _ => Finding::rule(operation.place(), constraint(meaning, rule), message),
    }
}

/// Checks whether an element type that the library refuses is one that StableHLO accepts.
fn is_accepted(meaning: Meaning, found: ElementType) -> bool {
    match meaning {
        // They take all types, or consist of operations in which the library refuses the type.
        Meaning::Clamp
        | Meaning::Compare
        | Meaning::Composite
        | Meaning::CustomCall
        | Meaning::Dot
        | Meaning::DotGeneral
        | Meaning::Map
        | Meaning::Reduce => true,
        Meaning::Binary(Opcode::Complex) => found == ElementType::F64,
        // They take no complex numbers.
        Meaning::Binary(
            Opcode::And
            | Opcode::Or
            | Opcode::ShiftLeft
            | Opcode::ShiftRightArithmetic
            | Opcode::ShiftRightLogical
            | Opcode::Xor,
        )
        | Meaning::Unary(
            Opcode::Ceil
            | Opcode::Clz
            | Opcode::Floor
            | Opcode::IsFinite
            | Opcode::Not
            | Opcode::PopulationCount
            | Opcode::Round
            | Opcode::RoundNearestEven,
        )
        | Meaning::ReducePrecision => false,
        _ => found == ElementType::C64,
    }
}

/// Returns the constraint of an operation that one of the library's rules is.
fn constraint(meaning: Meaning, rule: Rule) -> &'static str {
    match (meaning, rule) {
        // The type of an iota is one of an output, and the operand of `not` has no label.
        (Meaning::Iota | Meaning::Unary(Opcode::Not), Rule::T1) => "",
        // The rules are those of the operation that it stands for.
        (Meaning::Composite | Meaning::Gather, _) => "",
        (_, Rule::T1) => "I1",
        (Meaning::Select, Rule::T3) => "I1",
        (Meaning::Select, Rule::S1) => "C1",
        (Meaning::Select, _) => "C2",
        (Meaning::Clamp, Rule::T2) => "C3",
        (Meaning::Clamp, _) => "C1",
        (Meaning::BroadcastInDim, Rule::D2) => "C2",
        // The lengths were compared, so that an entry is out of range where the rank is too small.
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
        _ => "C1",
    }
}

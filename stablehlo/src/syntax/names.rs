//! The operations that are implemented, by their names in the dialects.

use indim_core::{OpClass, Opcode};

/// The meaning of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// An elementwise operation on one operand.
    Unary(Opcode),
    /// An elementwise operation on two operands of one type.
    Binary(Opcode),
    /// One of `chlo`, whose operands broadcast.
    Broadcasting(Opcode),
    Compare,
    BroadcastingCompare,
    Select,
    Clamp,
    NextAfter,
    BroadcastingNextAfter,
    BroadcastingSelect,
    /// A test for this infinity.
    IsInfinity(Sign),
    Convert,
    BitcastConvert,
    ReducePrecision,
    Constant,
    Iota,
    BroadcastInDim,
    Broadcast,
    Transpose,
    Reshape,
    Slice,
    DynamicSlice,
    Reverse,
    Pad,
    Concatenate,
    Map,
    Reduce,
    DotGeneral,
    Dot,
    Gather,
    /// Its results are its operands.
    Identity,
    CustomCall,
    Composite,
    Call,
    Return,
    /// A check of the interpreter's: `expect_eq`, `expect_close`, `expect_almost_eq`, each also with
    /// a constant.
    Check,
}

/// A sign of an infinity.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sign {
    Plus,
    Minus,
}

/// The elementwise operations of StableHLO on one operand.
const UNARY: [(&str, Opcode); 25] = [
    ("abs", Opcode::Abs),
    ("cbrt", Opcode::Cbrt),
    ("ceil", Opcode::Ceil),
    ("cosine", Opcode::Cos),
    ("count_leading_zeros", Opcode::Clz),
    ("exponential", Opcode::Exp),
    ("exponential_minus_one", Opcode::Expm1),
    ("floor", Opcode::Floor),
    ("imag", Opcode::Imag),
    ("is_finite", Opcode::IsFinite),
    ("log", Opcode::Log),
    ("log_plus_one", Opcode::Log1p),
    ("logistic", Opcode::Logistic),
    ("negate", Opcode::Neg),
    ("not", Opcode::Not),
    ("popcnt", Opcode::PopulationCount),
    ("real", Opcode::Real),
    ("round_nearest_afz", Opcode::Round),
    ("round_nearest_even", Opcode::RoundNearestEven),
    ("rsqrt", Opcode::Rsqrt),
    ("sign", Opcode::Sign),
    ("sine", Opcode::Sin),
    ("sqrt", Opcode::Sqrt),
    ("tan", Opcode::Tan),
    ("tanh", Opcode::Tanh),
];

/// Elementwise operations on two operands, without comparisons.
const BINARY: [(&str, Opcode); 16] = [
    ("add", Opcode::Add),
    ("and", Opcode::And),
    ("atan2", Opcode::Atan2),
    ("complex", Opcode::Complex),
    ("divide", Opcode::Div),
    ("maximum", Opcode::Max),
    ("minimum", Opcode::Min),
    ("multiply", Opcode::Mul),
    ("or", Opcode::Or),
    ("power", Opcode::Pow),
    ("remainder", Opcode::Rem),
    ("shift_left", Opcode::ShiftLeft),
    ("shift_right_arithmetic", Opcode::ShiftRightArithmetic),
    ("shift_right_logical", Opcode::ShiftRightLogical),
    ("subtract", Opcode::Sub),
    ("xor", Opcode::Xor),
];

/// The operations of `chlo` on one operand that the library has.
const CHLO: [(&str, Opcode); 18] = [
    ("acos", Opcode::Acos),
    ("acosh", Opcode::Acosh),
    ("asin", Opcode::Asin),
    ("asinh", Opcode::Asinh),
    ("atan", Opcode::Atan),
    ("atanh", Opcode::Atanh),
    ("bessel_i1e", Opcode::BesselI1e),
    ("conj", Opcode::Conj),
    ("cosh", Opcode::Cosh),
    ("digamma", Opcode::Digamma),
    ("erf", Opcode::Erf),
    ("erfc", Opcode::Erfc),
    ("erf_inv", Opcode::ErfInv),
    ("is_inf", Opcode::IsInf),
    ("lgamma", Opcode::Lgamma),
    ("sinh", Opcode::Sinh),
    ("square", Opcode::Square),
    ("tan", Opcode::Tan),
];

/// The namespace of composites that are operations of the library which StableHLO lacks.
pub(crate) const OWN: &str = "indim.";

/// Returns the operation of the library that a composite names.
pub(crate) fn own(name: &str) -> Option<Meaning> {
    let opcode = Opcode::from_method(name.strip_prefix(OWN)?)?;
    match opcode.class() {
        OpClass::Unary => Some(Meaning::Unary(opcode)),
        OpClass::Binary => Some(Meaning::Binary(opcode)),
        _ => None,
    }
}

/// Returns what an operation does, if it is implemented.
pub(crate) fn meaning(name: &str) -> Option<Meaning> {
    let (dialect, mnemonic) = name.split_once('.').unwrap_or(("func", name));
    match dialect {
        "stablehlo" | "mhlo" => elementwise(mnemonic).or_else(|| structured(mnemonic)),
        "chlo" => chlo(mnemonic),
        "func" => match mnemonic {
            "call" => Some(Meaning::Call),
            "return" => Some(Meaning::Return),
            _ => None,
        },
        "check" => mnemonic.starts_with("expect_").then_some(Meaning::Check),
        "sdy" => (mnemonic == "sharding_constraint").then_some(Meaning::Identity),
        _ => None,
    }
}

/// Returns the opcode of a name in a table.
fn find(table: &[(&str, Opcode)], name: &str) -> Option<Opcode> {
    table.iter().find(|(known, _)| *known == name).map(|&(_, opcode)| opcode)
}

/// Returns the meaning of an elementwise operation of StableHLO.
fn elementwise(mnemonic: &str) -> Option<Meaning> {
    let unary = find(&UNARY, mnemonic).map(Meaning::Unary);
    unary.or_else(|| binary(mnemonic).map(Meaning::Binary))
}

/// Returns the opcode of an elementwise operation on two operands.
pub(crate) fn binary(mnemonic: &str) -> Option<Opcode> {
    find(&BINARY, mnemonic)
}

/// Returns the name of an elementwise operation, with its dialect, if StableHLO has it.
pub(crate) fn name_of(opcode: Opcode) -> Option<String> {
    let name = |dialect: &str, table: &[(&str, Opcode)]| {
        let row = table.iter().find(|&&(_, known)| known == opcode)?;
        Some(format!("{dialect}.{}", row.0))
    };
    name("stablehlo", &UNARY).or_else(|| name("stablehlo", &BINARY)).or_else(|| name("chlo", &CHLO))
}

/// Returns the meaning of another operation of StableHLO.
fn structured(mnemonic: &str) -> Option<Meaning> {
    Some(match mnemonic {
        "compare" => Meaning::Compare,
        "select" => Meaning::Select,
        "clamp" => Meaning::Clamp,
        "convert" => Meaning::Convert,
        "bitcast_convert" => Meaning::BitcastConvert,
        "reduce_precision" => Meaning::ReducePrecision,
        "constant" => Meaning::Constant,
        "iota" => Meaning::Iota,
        "broadcast_in_dim" => Meaning::BroadcastInDim,
        "broadcast" => Meaning::Broadcast,
        "transpose" => Meaning::Transpose,
        "reshape" => Meaning::Reshape,
        "slice" => Meaning::Slice,
        "dynamic_slice" => Meaning::DynamicSlice,
        "reverse" => Meaning::Reverse,
        "pad" => Meaning::Pad,
        "concatenate" => Meaning::Concatenate,
        "map" => Meaning::Map,
        "reduce" => Meaning::Reduce,
        "dot_general" => Meaning::DotGeneral,
        "dot" => Meaning::Dot,
        "gather" => Meaning::Gather,
        "optimization_barrier" => Meaning::Identity,
        "custom_call" => Meaning::CustomCall,
        "composite" => Meaning::Composite,
        "return" => Meaning::Return,
        _ => return None,
    })
}

/// Returns the meaning of an operation of `chlo`, the client's dialect.
pub(crate) fn chlo(mnemonic: &str) -> Option<Meaning> {
    if let Some(opcode) = find(&CHLO, mnemonic) {
        return Some(Meaning::Unary(opcode));
    }
    Some(match mnemonic {
        "is_neg_inf" => Meaning::IsInfinity(Sign::Minus),
        "is_pos_inf" => Meaning::IsInfinity(Sign::Plus),
        "constant" => Meaning::Constant,
        "next_after" => Meaning::NextAfter,
        "broadcast_compare" => Meaning::BroadcastingCompare,
        "broadcast_next_after" => Meaning::BroadcastingNextAfter,
        "broadcast_select" => Meaning::BroadcastingSelect,
        _ => {
            return mnemonic.strip_prefix("broadcast_").and_then(binary).map(Meaning::Broadcasting);
        }
    })
}

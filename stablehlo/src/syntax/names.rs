//! The operations that are implemented, by their names in the dialects.

use indim_core::Opcode;

/// What an operation does.
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
    /// Whether an element is this infinity.
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

/// Returns the meaning of an elementwise operation of StableHLO.
fn elementwise(mnemonic: &str) -> Option<Meaning> {
    use Meaning::{Binary, Unary};
    Some(match mnemonic {
        "abs" => Unary(Opcode::Abs),
        "cbrt" => Unary(Opcode::Cbrt),
        "ceil" => Unary(Opcode::Ceil),
        "cosine" => Unary(Opcode::Cos),
        "count_leading_zeros" => Unary(Opcode::Clz),
        "exponential" => Unary(Opcode::Exp),
        "exponential_minus_one" => Unary(Opcode::Expm1),
        "floor" => Unary(Opcode::Floor),
        "imag" => Unary(Opcode::Imag),
        "is_finite" => Unary(Opcode::IsFinite),
        "log" => Unary(Opcode::Log),
        "log_plus_one" => Unary(Opcode::Log1p),
        "logistic" => Unary(Opcode::Logistic),
        "negate" => Unary(Opcode::Neg),
        "not" => Unary(Opcode::Not),
        "popcnt" => Unary(Opcode::PopulationCount),
        "real" => Unary(Opcode::Real),
        "round_nearest_afz" => Unary(Opcode::Round),
        "round_nearest_even" => Unary(Opcode::RoundNearestEven),
        "rsqrt" => Unary(Opcode::Rsqrt),
        "sign" => Unary(Opcode::Sign),
        "sine" => Unary(Opcode::Sin),
        "sqrt" => Unary(Opcode::Sqrt),
        "tan" => Unary(Opcode::Tan),
        "tanh" => Unary(Opcode::Tanh),
        _ => return binary(mnemonic).map(Binary),
    })
}

/// Returns the opcode of an elementwise operation on two operands.
pub(crate) fn binary(mnemonic: &str) -> Option<Opcode> {
    Some(match mnemonic {
        "add" => Opcode::Add,
        "and" => Opcode::And,
        "atan2" => Opcode::Atan2,
        "complex" => Opcode::Complex,
        "divide" => Opcode::Div,
        "maximum" => Opcode::Max,
        "minimum" => Opcode::Min,
        "multiply" => Opcode::Mul,
        "or" => Opcode::Or,
        "power" => Opcode::Pow,
        "remainder" => Opcode::Rem,
        "shift_left" => Opcode::ShiftLeft,
        "shift_right_arithmetic" => Opcode::ShiftRightArithmetic,
        "shift_right_logical" => Opcode::ShiftRightLogical,
        "subtract" => Opcode::Sub,
        "xor" => Opcode::Xor,
        _ => return None,
    })
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
        "optimization_barrier" => Meaning::Identity,
        "custom_call" => Meaning::CustomCall,
        "composite" => Meaning::Composite,
        "return" => Meaning::Return,
        _ => return None,
    })
}

/// Returns the meaning of an operation of `chlo`, the client's dialect.
pub(crate) fn chlo(mnemonic: &str) -> Option<Meaning> {
    use Meaning::Unary;
    Some(match mnemonic {
        "acos" => Unary(Opcode::Acos),
        "acosh" => Unary(Opcode::Acosh),
        "asin" => Unary(Opcode::Asin),
        "asinh" => Unary(Opcode::Asinh),
        "atan" => Unary(Opcode::Atan),
        "atanh" => Unary(Opcode::Atanh),
        "bessel_i1e" => Unary(Opcode::BesselI1e),
        "conj" => Unary(Opcode::Conj),
        "cosh" => Unary(Opcode::Cosh),
        "digamma" => Unary(Opcode::Digamma),
        "erf" => Unary(Opcode::Erf),
        "erfc" => Unary(Opcode::Erfc),
        "erf_inv" => Unary(Opcode::ErfInv),
        "is_inf" => Unary(Opcode::IsInf),
        "is_neg_inf" => Meaning::IsInfinity(Sign::Minus),
        "is_pos_inf" => Meaning::IsInfinity(Sign::Plus),
        "lgamma" => Unary(Opcode::Lgamma),
        "sinh" => Unary(Opcode::Sinh),
        "square" => Unary(Opcode::Square),
        "tan" => Unary(Opcode::Tan),
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

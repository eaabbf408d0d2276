//! Lists the element types that XLA accepts an operation on, from XLA's own checks. It is the
//! tests' only source of this, and the library's table is compared with it.

use std::collections::HashSet;
use std::sync::LazyLock;

use indim::{ElementType, Opcode};

/// Operations, and sets of element types. For Select they are the types of its values, for Clamp of
/// all three operands.
const ACCEPTED: &[(&str, &str)] = &[
    ("Add Mul Eq Ne Square Select", "pred int flt cplx"),
    ("Sub Div Pow Neg", "int flt cplx"),
    ("Max Min Lt Le Gt Ge", "pred int flt"),
    // A type without NaN has only the total order.
    (
        "EqTotalOrder NeTotalOrder LtTotalOrder LeTotalOrder GtTotalOrder GeTotalOrder",
        "pred int flt",
    ),
    ("ReduceSum ReduceProd", "pred int flt cplx"),
    ("ReduceMax ReduceMin", "pred int flt"),
    ("ReduceAnd ReduceOr ReduceXor", "pred int"),
    ("Rem Clamp", "int flt"),
    ("And Or Xor Not", "pred int"),
    ("ShiftLeft ShiftRightLogical ShiftRightArithmetic Clz PopulationCount", "int"),
    ("Abs Sign", "sint flt cplx"),
    ("Atan2", "flt cplx"),
    // From two F64 XLA makes a complex type that is not supported here.
    ("Complex", "f32"),
    ("Conj", "f32 cplx"),
    ("Real Imag", "flt cplx"),
    ("Ceil Floor Round RoundNearestEven IsFinite Cbrt Erf Erfc ErfInv Lgamma Digamma", "flt"),
    ("BesselI0e BesselI1e ReducePrecision NextAfter", "flt"),
    ("Cos Sin Tan Exp Expm1 Log Log1p Logistic Tanh Sqrt Rsqrt Reciprocal", "flt cplx"),
    ("Acos Acosh Asin Asinh Atan Atanh Cosh Sinh", "flt cplx"),
    ("Broadcast BroadcastInDim ConvertElementType BitcastConvertType", "pred int flt cplx"),
    ("Transpose Slice Reverse Reshape Parameter Constant", "pred int flt cplx"),
    // XLA has no roll; it would take what a slice takes.
    ("Pad Concatenate Roll", "pred int flt cplx"),
    // XLA's gather, of elements.
    ("Take TakeAlongDimension", "pred int flt cplx"),
    // XLA has none of these either; they take the types that NumPy's functions do not convert.
    ("FloorDivide Remainder", "int flt"),
    ("Copysign Hypot Logaddexp Signbit Trunc", "flt"),
    ("IsInf IsNan Log2 Log10", "flt cplx"),
    ("Iota", "int flt cplx"),
];

fn types_of(set: &str) -> Vec<ElementType> {
    let names = |names: &str| names.split(' ').map(|name| name.parse().expect("a type")).collect();
    match set {
        "sint" => names("s4 s8 s16 s32 s64"),
        "int" => [types_of("sint"), names("u4 u8 u16 u32 u64")].concat(),
        "flt" => names("f16 bf16 f32 f64"),
        "cplx" => names("c64"),
        name => names(name),
    }
}

/// Every operation with a type that XLA accepts it on.
static ALL: LazyLock<Vec<(Opcode, ElementType)>> = LazyLock::new(|| {
    let mut pairs = Vec::new();
    for (names, sets) in ACCEPTED {
        let types: Vec<ElementType> = sets.split(' ').flat_map(types_of).collect();
        for name in names.split(' ') {
            let opcode = Opcode::from_name(name).unwrap_or_else(|| panic!("no operation {name}"));
            pairs.extend(types.iter().map(|&element| (opcode, element)));
        }
    }
    pairs
});

static SET: LazyLock<HashSet<(Opcode, ElementType)>> =
    LazyLock::new(|| ALL.iter().copied().collect());

/// Returns every operation with a type that XLA accepts it of.
pub fn accepted() -> &'static [(Opcode, ElementType)] {
    &ALL
}

/// Returns whether XLA accepts the operation of this type.
pub fn accepts(opcode: Opcode, element: ElementType) -> bool {
    SET.contains(&(opcode, element))
}

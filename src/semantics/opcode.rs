//! The one table of operations: name, class, accepted element types, cost and spelling in WGSL.
//!
//! Inference, code generation, the docs and the tests read it; an operation that is not here does
//! not exist, and a type that an entry has no spelling for is refused (rule T1). Names and accepted
//! types are XLA's.

use crate::semantics::element::{ElementType, Form};

/// The class of an operation, which says how many operands it takes and how they broadcast.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OpClass {
    /// It takes two operands and `broadcast_dimensions`. The result has their element type; that of
    /// [`Opcode::Complex`] is C64.
    Binary,
    /// It takes two operands and `broadcast_dimensions`. The result is PRED.
    Compare,
    /// It takes two operands, of which only scalars broadcast, and no `broadcast_dimensions`.
    Pair,
    /// It takes one operand.
    Unary,
    /// It takes one operand and the floating-point format to round it to.
    Format,
    /// It takes one operand and the element type to convert it to.
    Convert,
    /// It takes three operands, of which only scalars broadcast.
    Ternary,
    /// It takes one operand and the shape to broadcast it to.
    Broadcast,
    /// It takes one operand and returns its elements in another order, or only some of them.
    View,
    /// It takes no operand.
    Nullary,
}

/// The cost of evaluating an operation once, which tells the planner where not to repeat it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cost {
    /// A few instructions.
    Cheap,
    /// Tens of instructions. The planner does not repeat such an operation over a space larger than its
    /// own.
    Costly,
    /// Hundreds of instructions. Nor does a kernel's text hold more than one copy of it for each
    /// element of a quad.
    Heavy,
}

/// How one form's version of an operation is written in WGSL.
///
/// `{a}`, `{b}`, `{c}` stand for the operands; `{F}`, `{I}`, `{U}`, `{D}` and `{W}` for the f32, i32,
/// u32, f64 and u64 type of the operands' width (a scalar or a vector of four); `{m}` for the
/// operation's method, `{T}` for the form's name, `{narrow}` for `_f16` or `_bf16` where the type is
/// one of these; `{mask}` for the bits that a narrow integer has, `{above}` for how many it lacks to
/// 32.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spelling {
    /// The type is refused.
    No,
    /// Works on a scalar and on a vector of four alike.
    Any(&'static str),
    /// Works on scalars; a vector is taken apart.
    Scalar(&'static str),
}

use Cost::{Cheap, Costly, Heavy};
use ElementType::{Bf16, C64, F16, F32, F64, Pred, S4, S8, S16, S32, S64, U4, U8, U16, U32, U64};
use OpClass::{Binary, Broadcast, Compare, Convert, Format, Nullary, Pair, Ternary, Unary, View};
use Spelling::{Any, No, Scalar as Each};

/// One entry of the table.
struct OpInfo {
    name: &'static str,
    method: &'static str,
    class: OpClass,
    cost: Cost,
    /// The accepted types of the operands, or of the result where there is no operand.
    types: &'static [ElementType],
    /// By how the operands (of select, the values) are held; the first one that has the form.
    spellings: &'static [(&'static [Form], Spelling)],
}

macro_rules! opcodes {
    ($($(#[doc = $doc:literal])+ $name:ident $method:literal $class:ident $cost:ident $types:ident $spellings:expr;)*) => {
        /// An operation, by XLA's name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Opcode {
            $($(#[doc = $doc])+ $name,)*
        }

        impl Opcode {
            /// Every operation, in the order of the table.
            pub const ALL: &'static [Opcode] = &[$(Opcode::$name),*];
        }

        static TABLE: &[OpInfo] = &[$(OpInfo {
            name: stringify!($name),
            method: $method,
            class: $class,
            cost: $cost,
            types: $types,
            spellings: $spellings,
        }),*];
    };
}

// XLA's sets of element types.
const ANY: &[ElementType] = ElementType::ALL;
const NUMBERS: &[ElementType] =
    &[S4, S8, S16, S32, S64, U4, U8, U16, U32, U64, F16, Bf16, F32, F64, C64];
const ORDERED: &[ElementType] =
    &[Pred, S4, S8, S16, S32, S64, U4, U8, U16, U32, U64, F16, Bf16, F32, F64];
const REALS: &[ElementType] = &[S4, S8, S16, S32, S64, U4, U8, U16, U32, U64, F16, Bf16, F32, F64];
const INTEGERS: &[ElementType] = &[S4, S8, S16, S32, S64, U4, U8, U16, U32, U64];
const BITWISE: &[ElementType] = &[Pred, S4, S8, S16, S32, S64, U4, U8, U16, U32, U64];
const SIGNED: &[ElementType] = &[S4, S8, S16, S32, S64, F16, Bf16, F32, F64, C64];
const INEXACT: &[ElementType] = &[F16, Bf16, F32, F64, C64];
const FLOATS: &[ElementType] = &[F16, Bf16, F32, F64];
// XLA takes F64 here, too, and gives a complex number of two F64, which is no type here.
const PARTS: &[ElementType] = &[F32, C64];
const PART: &[ElementType] = &[F32];

// The forms that entries share: B for bool, S and U for integers of up to 32 bits, I for both, L for
// 64 bits, F for f32, D for f64, C for complex.
const B: &[Form] = &[Form::Bool];
const S: &[Form] = &[Form::S32];
const U: &[Form] = &[Form::U32];
const I: &[Form] = &[Form::S32, Form::U32];
const L: &[Form] = &[Form::S64, Form::U64];
const F: &[Form] = &[Form::F32];
const D: &[Form] = &[Form::F64];
const C: &[Form] = &[Form::C64];
const BI: &[Form] = &[Form::Bool, Form::S32, Form::U32];
const BIFD: &[Form] = &[Form::Bool, Form::S32, Form::U32, Form::F32, Form::F64];
const SL: &[Form] = &[Form::S32, Form::S64, Form::U64];
const UL: &[Form] = &[Form::U32, Form::S64, Form::U64];
const IL: &[Form] = &[Form::S32, Form::U32, Form::S64, Form::U64];
const ILD: &[Form] = &[Form::S32, Form::U32, Form::S64, Form::U64, Form::F64];
const ILC: &[Form] = &[Form::S32, Form::U32, Form::S64, Form::U64, Form::C64];
const ILDC: &[Form] = &[Form::S32, Form::U32, Form::S64, Form::U64, Form::F64, Form::C64];
const IFD: &[Form] = &[Form::S32, Form::U32, Form::F32, Form::F64];
const LC: &[Form] = &[Form::S64, Form::U64, Form::C64];
const LD: &[Form] = &[Form::S64, Form::U64, Form::F64];
const LDC: &[Form] = &[Form::S64, Form::U64, Form::F64, Form::C64];
const LFD: &[Form] = &[Form::S64, Form::U64, Form::F32, Form::F64];
const LFDC: &[Form] = &[Form::S64, Form::U64, Form::F32, Form::F64, Form::C64];
const FD: &[Form] = &[Form::F32, Form::F64];
const DC: &[Form] = &[Form::F64, Form::C64];
const ALL_FORMS: &[Form] =
    &[Form::Bool, Form::S32, Form::U32, Form::S64, Form::U64, Form::F32, Form::F64, Form::C64];

// Functions of shaders/, by the operation's name; those on f32 carry no type.
const F32_1: Spelling = Each("xla_{m}({a})");
const F32_2: Spelling = Each("xla_{m}({a}, {b})");
const NAMED_1: Spelling = Each("xla_{m}_{T}({a})");
const NAMED_2: Spelling = Each("xla_{m}_{T}({a}, {b})");
const FUNCTION: &[(&[Form], Spelling)] = &[(F, F32_1), (DC, NAMED_1)];
// The identity, for operations that only move elements.
const MOVE: &[(&[Form], Spelling)] = &[(ALL_FORMS, Any("{a}"))];

#[rustfmt::skip]
opcodes! {
    /// `lhs + rhs`; integers wrap, PRED is or.
    Add "add" Binary Cheap ANY &[
        (B, Any("({a} | {b})")),
        (IFD, Any("({a} + {b})")),
        (C, Each("({a} + {b})")),
        (L, NAMED_2),
    ];
    /// `lhs - rhs`; integers wrap.
    Sub "sub" Binary Cheap NUMBERS &[
        (IFD, Any("({a} - {b})")),
        (C, Each("({a} - {b})")),
        (L, NAMED_2),
    ];
    /// `lhs * rhs`; integers wrap, PRED is and.
    Mul "mul" Binary Cheap ANY &[(B, Any("({a} & {b})")), (IFD, Any("({a} * {b})")), (LC, NAMED_2)];
    /// `lhs / rhs`; integers truncate, x/0 has all bits set, MIN/-1 is MIN.
    Div "div" Binary Cheap NUMBERS &[(FD, Any("({a} / {b})")), (ILC, NAMED_2)];
    /// The remainder of the truncating division, with the dividend's sign; floats: C's `fmod`. Integers: x%0 is x, MIN%-1 is 0.
    Rem "rem" Binary Costly REALS &[(F, F32_2), (ILD, NAMED_2)];
    /// `lhs` to the power `rhs`; floats: C99's `pow`. Integers wrap; a negative exponent gives 1 for base 1, else 0.
    Pow "pow" Binary Costly NUMBERS &[(F, F32_2), (ILDC, NAMED_2)];
    /// The larger one; NaN if either is, and +0 over -0.
    Max "max" Binary Cheap ORDERED &[
        (B, Any("({a} | {b})")),
        (I, Any("max({a}, {b})")),
        (F, F32_2),
        (LD, NAMED_2),
    ];
    /// The smaller one; NaN if either is, and -0 over +0.
    Min "min" Binary Cheap ORDERED &[
        (B, Any("({a} & {b})")),
        (I, Any("min({a}, {b})")),
        (F, F32_2),
        (LD, NAMED_2),
    ];
    /// The angle of the point (`rhs`, `lhs`), in radians.
    Atan2 "atan2" Binary Costly INEXACT &[(F, F32_2), (DC, NAMED_2)];
    /// The complex number of this real and this imaginary part.
    Complex "complex" Binary Cheap PART &[(F, Each("vec2<f32>({a}, {b})"))];
    /// Bitwise, for PRED logical, and.
    And "and" Binary Cheap BITWISE &[(BI, Any("({a} & {b})")), (L, NAMED_2)];
    /// Bitwise, for PRED logical, or.
    Or "or" Binary Cheap BITWISE &[(BI, Any("({a} | {b})")), (L, NAMED_2)];
    /// Bitwise, for PRED logical, exclusive or.
    Xor "xor" Binary Cheap BITWISE &[
        (B, Any("({a} != {b})")),
        (I, Any("({a} ^ {b})")),
        (L, NAMED_2),
    ];
    /// `lhs << rhs`; 0 from an amount of the width on, the amount read as unsigned.
    ShiftLeft "shift_left" Binary Cheap INTEGERS &[(IL, NAMED_2)];
    /// `lhs >> rhs` with zeros shifted in; 0 from an amount of the width on.
    ShiftRightLogical "shift_right_logical" Binary Cheap INTEGERS &[
        (S, Each("bitcast<i32>(xla_{m}_u32(bitcast<u32>({a}) & {mask}, bitcast<u32>({b})))")),
        (UL, NAMED_2),
    ];
    /// `lhs >> rhs` with the top bit shifted in, on unsigned types too; all top bit from an amount of the width on.
    ShiftRightArithmetic "shift_right_arithmetic" Binary Cheap INTEGERS &[
        (U, Each("xla_{m}_u32(bitcast<u32>(bitcast<i32>({a} << {above}) >> {above}), {b})")),
        (SL, NAMED_2),
    ];
    /// `lhs == rhs`; false with a NaN.
    Eq "eq" Compare Cheap ANY &[(BI, Any("({a} == {b})")), (LFDC, NAMED_2)];
    /// `lhs != rhs`; true with a NaN.
    Ne "ne" Compare Cheap ANY &[(BI, Any("({a} != {b})")), (LFDC, NAMED_2)];
    /// `lhs < rhs`; false with a NaN.
    Lt "lt" Compare Cheap ORDERED &[
        (B, Any("(!{a} & {b})")),
        (I, Any("({a} < {b})")),
        (LFD, NAMED_2),
    ];
    /// `lhs <= rhs`; false with a NaN.
    Le "le" Compare Cheap ORDERED &[
        (B, Any("(!{a} | {b})")),
        (I, Any("({a} <= {b})")),
        (LFD, NAMED_2),
    ];
    /// `lhs > rhs`; false with a NaN.
    Gt "gt" Compare Cheap ORDERED &[
        (B, Any("({a} & !{b})")),
        (I, Any("({a} > {b})")),
        (LFD, NAMED_2),
    ];
    /// `lhs >= rhs`; false with a NaN.
    Ge "ge" Compare Cheap ORDERED &[
        (B, Any("({a} | !{b})")),
        (I, Any("({a} >= {b})")),
        (LFD, NAMED_2),
    ];
    /// `lhs == rhs` in the total order -NaN < -inf < ... < -0 < +0 < ... < inf < NaN, payloads counted.
    EqTotalOrder "eq_total_order" Compare Cheap ORDERED &[
        (BI, Any("({a} == {b})")),
        (L, Each("xla_eq_{T}({a}, {b})")),
        (F, Any("(bitcast<{U}>({a}) == bitcast<{U}>({b}))")),
        (D, Any("(bitcast<{W}>({a}) == bitcast<{W}>({b}))")),
    ];
    /// `lhs != rhs` in the total order.
    NeTotalOrder "ne_total_order" Compare Cheap ORDERED &[
        (BI, Any("({a} != {b})")),
        (L, Each("xla_ne_{T}({a}, {b})")),
        (F, Any("(bitcast<{U}>({a}) != bitcast<{U}>({b}))")),
        (D, Any("(bitcast<{W}>({a}) != bitcast<{W}>({b}))")),
    ];
    /// `lhs < rhs` in the total order.
    LtTotalOrder "lt_total_order" Compare Cheap ORDERED &[
        (B, Any("(!{a} & {b})")),
        (I, Any("({a} < {b})")),
        (L, Each("xla_lt_{T}({a}, {b})")),
        (F, Each("(xla_total_order_key({a}) < xla_total_order_key({b}))")),
        (D, Each("(xla_total_order_key_f64({a}) < xla_total_order_key_f64({b}))")),
    ];
    /// `lhs <= rhs` in the total order.
    LeTotalOrder "le_total_order" Compare Cheap ORDERED &[
        (B, Any("(!{a} | {b})")),
        (I, Any("({a} <= {b})")),
        (L, Each("xla_le_{T}({a}, {b})")),
        (F, Each("(xla_total_order_key({a}) <= xla_total_order_key({b}))")),
        (D, Each("(xla_total_order_key_f64({a}) <= xla_total_order_key_f64({b}))")),
    ];
    /// `lhs > rhs` in the total order.
    GtTotalOrder "gt_total_order" Compare Cheap ORDERED &[
        (B, Any("({a} & !{b})")),
        (I, Any("({a} > {b})")),
        (L, Each("xla_gt_{T}({a}, {b})")),
        (F, Each("(xla_total_order_key({a}) > xla_total_order_key({b}))")),
        (D, Each("(xla_total_order_key_f64({a}) > xla_total_order_key_f64({b}))")),
    ];
    /// `lhs >= rhs` in the total order.
    GeTotalOrder "ge_total_order" Compare Cheap ORDERED &[
        (B, Any("({a} | !{b})")),
        (I, Any("({a} >= {b})")),
        (L, Each("xla_ge_{T}({a}, {b})")),
        (F, Each("(xla_total_order_key({a}) >= xla_total_order_key({b}))")),
        (D, Each("(xla_total_order_key_f64({a}) >= xla_total_order_key_f64({b}))")),
    ];
    /// The float next to `from` in the direction of `to`; C's `nextafter`. Subnormals count.
    NextAfter "next_after" Pair Cheap FLOATS &[
        (F, Each("xla_{m}{narrow}({a}, {b})")),
        (D, NAMED_2),
    ];
    /// The magnitude; MIN stays MIN, and of a complex number it is real.
    Abs "abs" Unary Cheap SIGNED &[
        (S, Any("abs({a})")),
        (F, Any("bitcast<{F}>(bitcast<{U}>({a}) & {U}(0x7fffffffu))")),
        (LDC, NAMED_1),
    ];
    /// `-x`; integers wrap.
    Neg "neg" Unary Cheap NUMBERS &[
        (S, Any("(-{a})")),
        (U, Any("(~{a} + {U}(1u))")),
        (F, Any("bitcast<{F}>(bitcast<{U}>({a}) ^ {U}(0x80000000u))")),
        (LDC, NAMED_1),
    ];
    /// -1, 0 or 1; a zero keeps its sign, NaN stays NaN. Of a complex number, that over its magnitude.
    Sign "sign" Unary Cheap SIGNED &[(S, Any("sign({a})")), (F, F32_1), (LDC, NAMED_1)];
    /// Rounded up to an integer.
    Ceil "ceil" Unary Cheap FLOATS FUNCTION;
    /// Rounded down to an integer.
    Floor "floor" Unary Cheap FLOATS FUNCTION;
    /// Rounded to the nearest integer, halves away from zero.
    Round "round" Unary Cheap FLOATS FUNCTION;
    /// Rounded to the nearest integer, halves to the even one.
    RoundNearestEven "round_nearest_even" Unary Cheap FLOATS FUNCTION;
    /// Square root.
    Sqrt "sqrt" Unary Cheap INEXACT &[(FD, Any("sqrt({a})")), (C, NAMED_1)];
    /// `1 / sqrt(x)`.
    Rsqrt "rsqrt" Unary Costly INEXACT FUNCTION;
    /// Cube root.
    Cbrt "cbrt" Unary Costly FLOATS FUNCTION;
    /// e to the power x.
    Exp "exp" Unary Costly INEXACT FUNCTION;
    /// `exp(x) - 1` without the loss near 0.
    Expm1 "expm1" Unary Costly INEXACT FUNCTION;
    /// Natural logarithm.
    Log "log" Unary Costly INEXACT FUNCTION;
    /// `log(1 + x)` without the loss near 0.
    Log1p "log1p" Unary Costly INEXACT FUNCTION;
    /// `1 / (1 + exp(-x))`.
    Logistic "logistic" Unary Costly INEXACT FUNCTION;
    /// Sine, x in radians.
    Sin "sin" Unary Costly INEXACT FUNCTION;
    /// Cosine, x in radians.
    Cos "cos" Unary Costly INEXACT FUNCTION;
    /// Tangent, x in radians.
    Tan "tan" Unary Costly INEXACT FUNCTION;
    /// Hyperbolic tangent.
    Tanh "tanh" Unary Costly INEXACT FUNCTION;
    /// Hyperbolic sine.
    Sinh "sinh" Unary Costly INEXACT FUNCTION;
    /// Hyperbolic cosine.
    Cosh "cosh" Unary Costly INEXACT FUNCTION;
    /// Inverse sine, in radians.
    Asin "asin" Unary Costly INEXACT FUNCTION;
    /// Inverse cosine, in radians.
    Acos "acos" Unary Costly INEXACT FUNCTION;
    /// Inverse tangent, in radians.
    Atan "atan" Unary Costly INEXACT FUNCTION;
    /// Inverse hyperbolic sine.
    Asinh "asinh" Unary Costly INEXACT FUNCTION;
    /// Inverse hyperbolic cosine.
    Acosh "acosh" Unary Costly INEXACT FUNCTION;
    /// Inverse hyperbolic tangent.
    Atanh "atanh" Unary Costly INEXACT FUNCTION;
    /// The error function.
    Erf "erf" Unary Costly FLOATS FUNCTION;
    /// `1 - erf(x)` without the loss for large x.
    Erfc "erfc" Unary Costly FLOATS FUNCTION;
    /// The y for which `erf(y)` is x.
    ErfInv "erf_inv" Unary Costly FLOATS FUNCTION;
    /// The logarithm of the magnitude of the gamma function; infinity at its poles.
    Lgamma "lgamma" Unary Heavy FLOATS FUNCTION;
    /// The derivative of the gamma function's logarithm; NaN at its poles.
    Digamma "digamma" Unary Heavy FLOATS FUNCTION;
    /// `exp(-|x|)` times the modified Bessel function of the first kind and order 0.
    BesselI0e "bessel_i0e" Unary Costly FLOATS FUNCTION;
    /// `exp(-|x|)` times the modified Bessel function of the first kind and order 1.
    BesselI1e "bessel_i1e" Unary Costly FLOATS FUNCTION;
    /// `1 / x`.
    Reciprocal "reciprocal" Unary Cheap INEXACT &[
        (F, Any("({F}(1.0) / {a})")),
        (D, Any("({D}(1.0) / {a})")),
        (C, NAMED_1),
    ];
    /// `x * x`; integers wrap.
    Square "square" Unary Cheap ANY &[
        (B, Any("{a}")),
        (IFD, Any("({a} * {a})")),
        (L, Each("xla_mul_{T}({a}, {a})")),
        (C, NAMED_1),
    ];
    /// True where x is neither infinite nor NaN; the result is PRED.
    IsFinite "is_finite" Unary Cheap FLOATS &[
        (F, Any("((bitcast<{U}>({a}) & {U}(0x7f800000u)) != {U}(0x7f800000u))")),
        (D, NAMED_1),
    ];
    /// The real part; of a real number, itself.
    Real "real" Unary Cheap INEXACT &[(FD, Any("{a}")), (C, Each("{a}.x"))];
    // Not written as a literal, which a compiler would multiply out of the kernel, NaN and signs
    // lost.
    /// The imaginary part; of a real number, +0.
    Imag "imag" Unary Cheap INEXACT &[
        (F, Any("bitcast<{F}>(bitcast<{U}>({a}) & {U}(params.zero))")),
        (D, Each("bitcast<f64>(bitcast<u64>({a}) & u64(params.zero))")),
        (C, Each("{a}.y")),
    ];
    /// The complex conjugate; of a real number the same as complex.
    Conj "conj" Unary Cheap PARTS &[
        (F, Each("vec2<f32>({a}, bitcast<f32>(0x80000000u))")),
        (C, NAMED_1),
    ];
    /// Bitwise, for PRED logical, complement.
    Not "not" Unary Cheap BITWISE &[(B, Any("(!{a})")), (I, Any("(~{a})")), (L, NAMED_1)];
    /// The number of leading zero bits.
    Clz "clz" Unary Cheap INTEGERS &[
        (S, Any("(countLeadingZeros(bitcast<{I}>(bitcast<{U}>({a}) & {U}({mask}))) - bitcast<{I}>({U}({above})))")),
        (U, Any("(countLeadingZeros({a}) - {U}({above}))")),
        (L, NAMED_1),
    ];
    /// The number of bits that are 1.
    PopulationCount "population_count" Unary Cheap INTEGERS &[
        (S, Any("countOneBits(bitcast<{I}>(bitcast<{U}>({a}) & {U}({mask})))")),
        (U, Any("countOneBits({a})")),
        (L, NAMED_1),
    ];
    // The bits are operands a and b of the spelling.
    /// The nearest value of a format with so many exponent and mantissa bits, ties to even. Larger values give infinity, those below the format's smallest normal number 0; NaN stays, but without mantissa bits it is infinity.
    ReducePrecision "reduce_precision" Format Cheap FLOATS &[
        (F, Each("xla_{m}{narrow}({a}, {b}, {c})")),
        (D, Each("xla_{m}_f64({a}, {b}, {c})")),
    ];
    /// The same value in another element type. Floats to integers truncate and saturate, NaN gives 0; integers to floats round to nearest even; to PRED: whether it is other than 0, NaN included.
    ConvertElementType "convert_element_type" Convert Cheap ANY MOVE;
    /// The same bits as another element type. Where that one is narrower, a last dimension of so many as an element holds is new, the lowest bits first; where it is wider, such a dimension goes.
    BitcastConvertType "bitcast_convert_type" Convert Cheap ANY MOVE;
    // The spelling is by the type of the values.
    /// `on_true` where `pred` holds, else `on_false`.
    Select "select" Ternary Cheap ANY &[
        (BIFD, Any("select({c}, {b}, {a})")),
        (LC, Each("select({c}, {b}, {a})")),
    ];
    /// `min(max(min_bound, x), max_bound)`; NaN if any is.
    Clamp "clamp" Ternary Cheap REALS &[
        (I, Any("min(max({a}, {b}), {c})")),
        (L, Each("xla_min_{T}(xla_max_{T}({a}, {b}), {c})")),
        (F, Each("xla_{m}({a}, {b}, {c})")),
        (D, Each("xla_{m}_{T}({a}, {b}, {c})")),
    ];
    /// The operand in a shape that is given whole.
    BroadcastInDim "broadcast_in_dim" Broadcast Cheap ANY MOVE;
    /// The operand repeated along new major dimensions.
    Broadcast "broadcast" Broadcast Cheap ANY MOVE;
    /// Dimension i of the result is dimension `permutation[i]` of the operand.
    Transpose "transpose" View Cheap ANY MOVE;
    /// In each dimension the elements from a start up to a limit, every `stride`-th one.
    Slice "slice" View Cheap ANY MOVE;
    /// The elements backwards along some dimensions; XlaBuilder's `Rev`.
    Reverse "reverse" View Cheap ANY MOVE;
    /// The elements in the same row-major order under other sizes.
    Reshape "reshape" View Cheap ANY MOVE;
    // The imaginary part is no literal, as that of a real number.
    /// 0, 1, 2, ... along one dimension.
    Iota "iota" Nullary Cheap NUMBERS &[
        (S, Any("{I}({a})")),
        (U, Any("{a}")),
        (L, Each("xla_u32_to_{T}({a})")),
        (F, Each("{iota}({a})")),
        (D, Each("f64({a})")),
        (C, Each("vec2<f32>(xla_u32_to_f32({a}), bitcast<f32>(params.zero))")),
    ];
    /// An array that is given when the computation runs.
    Parameter "parameter" Nullary Cheap ANY MOVE;
    /// A scalar that is known when the computation is built.
    Constant "constant" Nullary Cheap ANY MOVE;
}

impl Opcode {
    fn info(self) -> &'static OpInfo {
        &TABLE[self as usize]
    }

    /// Returns XLA's name, such as `ShiftRightLogical`.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// Returns the name in snake case, such as `shift_right_logical`; methods and functions have it.
    pub fn method(self) -> &'static str {
        self.info().method
    }

    /// Returns the operation with this name of XLA's, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|op| op.name() == name)
    }

    /// Returns the operation with this snake-case name, if there is one.
    pub fn from_method(method: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|op| op.method() == method)
    }

    /// Returns the operation's class.
    pub fn class(self) -> OpClass {
        self.info().class
    }

    /// Checks whether the operation takes operands of this element type (rule T1). For `Iota` it is
    /// the result's type, and for `Select` the type of the values.
    pub fn accepts(self, element_type: ElementType) -> bool {
        self.info().types.contains(&element_type)
    }

    /// Returns the element types that [`Opcode::accepts`] accepts.
    pub fn accepted(self) -> impl Iterator<Item = ElementType> {
        self.info().types.iter().copied()
    }

    pub(crate) fn spelling(self, element_type: ElementType) -> Spelling {
        if !self.accepts(element_type) {
            return No;
        }
        let form = element_type.form();
        let mut spellings = self.info().spellings.iter();
        spellings.find(|(forms, _)| forms.contains(&form)).map_or(No, |&(_, spelling)| spelling)
    }

    /// Checks whether the result, on operands that a narrow type can represent, is one that the type
    /// can represent too, so that a kernel need not round or wrap it.
    pub(crate) fn stays_in_type(self, element_type: ElementType) -> bool {
        use Opcode::{
            Abs, And, Ceil, Clamp, Clz, Floor, Imag, Max, Min, Neg, NextAfter, Or, PopulationCount,
            Real, ReducePrecision, Rem, Round, RoundNearestEven, Select, Sign, Xor,
        };
        // The magnitude and the negative of an integer type's MIN do not fit the type.
        let float = element_type.form() == Form::F32;
        match self {
            Abs | Neg => float,
            And | Ceil | Clamp | Clz | Floor | Imag | Max | Min | NextAfter | Or
            | PopulationCount | Real | ReducePrecision | Rem | Round | RoundNearestEven
            | Select | Sign | Xor => true,
            _ => false,
        }
    }

    /// Returns the cost on F32 and on integers of up to 32 bits.
    pub(crate) fn cost(self) -> Cost {
        self.info().cost
    }

    /// Returns the cost on operands of this type.
    pub(crate) fn cost_on(self, element_type: ElementType) -> Cost {
        use Opcode::{Div, Pow, Reciprocal, Rem, Sign, Sqrt};
        match (self.cost(), element_type.form()) {
            (Costly, Form::F64) => Heavy,
            // The power of integers is a loop that compilers unroll: 32 of them on S8 took lavapipe half
            // a second to compile.
            (_, form) if self == Pow && form != Form::F32 => Heavy,
            (_, Form::F32) if self == Rem && element_type.is_narrow() => Heavy,
            (Cheap, Form::C64) if matches!(self, Div | Reciprocal | Sign | Sqrt) => Costly,
            (Cheap, Form::S64 | Form::U64) if matches!(self, Div | Rem) => Costly,
            (cost, _) => cost,
        }
    }
}

//! The one table of operations: name, class, accepted element types, cost and spelling in WGSL.
//!
//! Inference, code generation, the docs and the tests read it; an operation that is not here does
//! not exist, and a type that an entry has no spelling for is refused (rule T1). Names and accepted
//! types are XLA's.

use crate::element::ElementType;

/// What kind of operation an opcode is: which operands it takes and how they broadcast.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OpClass {
    /// Two operands and `broadcast_dimensions`; the result has their element type.
    Binary,
    /// Two operands and `broadcast_dimensions`; the result is PRED.
    Compare,
    /// Two operands of which only scalars broadcast, without `broadcast_dimensions`.
    Pair,
    /// One operand.
    Unary,
    /// One operand and the floating-point format to round it to.
    Format,
    /// One operand and the element type to convert to.
    Convert,
    /// Three operands of which only scalars broadcast.
    Ternary,
    /// One operand and the shape to broadcast it to.
    Broadcast,
    /// One operand, its elements in another order or only some of them.
    View,
    /// No operand.
    Nullary,
}

/// What one evaluation costs, as far as planning asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cost {
    /// A few instructions.
    Cheap,
    /// Tens of instructions: not to be repeated over a space larger than its own.
    Costly,
    /// Hundreds of them: nor to be written more than once for each element of a quad.
    Heavy,
}

/// How one element type's version of an operation is written in WGSL.
///
/// `{a}`, `{b}`, `{c}` stand for the operands; `{F}`, `{I}`, `{U}` and `{B}` for the f32, i32, u32
/// and bool type of the operands' width (a scalar or a vector of four).
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
use OpClass::{Binary, Broadcast, Compare, Convert, Format, Nullary, Pair, Ternary, Unary, View};
use Spelling::{Any, No, Scalar as Each};

struct Row {
    name: &'static str,
    method: &'static str,
    class: OpClass,
    cost: Cost,
    /// One for each element type, in the order of [`ElementType::ALL`]; of the operands' type, or
    /// the result's where there is no operand.
    spelling: [Spelling; ElementType::ALL.len()],
}

macro_rules! opcodes {
    ($($(#[doc = $doc:literal])+ $name:ident $method:literal $class:ident $cost:ident $spelling:expr;)*) => {
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

        static TABLE: &[Row] = &[$(Row {
            name: stringify!($name),
            method: $method,
            class: $class,
            cost: $cost,
            spelling: $spelling,
        }),*];
    };
}

// The identity, for operations that only move elements.
const MOVE: [Spelling; ElementType::ALL.len()] = [Any("{a}"), Any("{a}"), Any("{a}"), Any("{a}")];

#[rustfmt::skip]
opcodes! {
    //                                                                pred                s32                     u32                     f32
    /// `lhs + rhs`; integers wrap, PRED is or.
    Add "add" Binary Cheap                                            [Any("({a} | {b})"), Any("({a} + {b})"), Any("({a} + {b})"), Any("({a} + {b})")];
    /// `lhs - rhs`; integers wrap.
    Sub "sub" Binary Cheap                                            [No, Any("({a} - {b})"), Any("({a} - {b})"), Any("({a} - {b})")];
    /// `lhs * rhs`; integers wrap, PRED is and.
    Mul "mul" Binary Cheap                                            [Any("({a} & {b})"), Any("({a} * {b})"), Any("({a} * {b})"), Any("({a} * {b})")];
    /// `lhs / rhs`; integers truncate, x/0 has all bits set, MIN/-1 is MIN.
    Div "div" Binary Cheap                                            [No, Each("xla_div_s32({a}, {b})"), Each("xla_div_u32({a}, {b})"), Any("({a} / {b})")];
    /// The remainder of the truncating division, with the dividend's sign; floats: C's `fmod`. Integers: x%0 is x, MIN%-1 is 0.
    Rem "rem" Binary Costly                                           [No, Each("xla_rem_s32({a}, {b})"), Each("xla_rem_u32({a}, {b})"), Each("xla_rem({a}, {b})")];
    /// `lhs` to the power `rhs`; floats: C99's `pow`. Integers wrap; a negative exponent gives 1 for base 1, else 0.
    Pow "pow" Binary Costly                                           [No, Each("xla_pow_s32({a}, {b})"), Each("xla_pow_u32({a}, {b})"), Each("xla_pow({a}, {b})")];
    /// The larger one; NaN if either is, and +0 over -0.
    Max "max" Binary Cheap                                            [Any("({a} | {b})"), Any("max({a}, {b})"), Any("max({a}, {b})"), Each("xla_max({a}, {b})")];
    /// The smaller one; NaN if either is, and -0 over +0.
    Min "min" Binary Cheap                                            [Any("({a} & {b})"), Any("min({a}, {b})"), Any("min({a}, {b})"), Each("xla_min({a}, {b})")];
    /// The angle of the point (`rhs`, `lhs`), in radians.
    Atan2 "atan2" Binary Costly                                       [No, No, No, Each("xla_atan2({a}, {b})")];
    /// Bitwise, for PRED logical, and.
    And "and" Binary Cheap                                            [Any("({a} & {b})"), Any("({a} & {b})"), Any("({a} & {b})"), No];
    /// Bitwise, for PRED logical, or.
    Or "or" Binary Cheap                                              [Any("({a} | {b})"), Any("({a} | {b})"), Any("({a} | {b})"), No];
    /// Bitwise, for PRED logical, exclusive or.
    Xor "xor" Binary Cheap                                            [Any("({a} != {b})"), Any("({a} ^ {b})"), Any("({a} ^ {b})"), No];
    /// `lhs << rhs`; 0 from an amount of 32 on, the amount read as unsigned.
    ShiftLeft "shift_left" Binary Cheap                               [No, Each("xla_shift_left_s32({a}, {b})"), Each("xla_shift_left_u32({a}, {b})"), No];
    /// `lhs >> rhs` with zeros shifted in; 0 from an amount of 32 on.
    ShiftRightLogical "shift_right_logical" Binary Cheap              [No, Each("xla_shift_right_logical_s32({a}, {b})"), Each("xla_shift_right_logical_u32({a}, {b})"), No];
    /// `lhs >> rhs` with the top bit shifted in, on unsigned types too; all top bit from an amount of 32 on.
    ShiftRightArithmetic "shift_right_arithmetic" Binary Cheap        [No, Each("xla_shift_right_arithmetic_s32({a}, {b})"), Each("xla_shift_right_arithmetic_u32({a}, {b})"), No];

    /// `lhs == rhs`; false with a NaN.
    Eq "eq" Compare Cheap                                             [Any("({a} == {b})"), Any("({a} == {b})"), Any("({a} == {b})"), Each("xla_eq_f32({a}, {b})")];
    /// `lhs != rhs`; true with a NaN.
    Ne "ne" Compare Cheap                                             [Any("({a} != {b})"), Any("({a} != {b})"), Any("({a} != {b})"), Each("xla_ne_f32({a}, {b})")];
    /// `lhs < rhs`; false with a NaN.
    Lt "lt" Compare Cheap                                             [Any("(!{a} & {b})"), Any("({a} < {b})"), Any("({a} < {b})"), Each("xla_lt_f32({a}, {b})")];
    /// `lhs <= rhs`; false with a NaN.
    Le "le" Compare Cheap                                             [Any("(!{a} | {b})"), Any("({a} <= {b})"), Any("({a} <= {b})"), Each("xla_le_f32({a}, {b})")];
    /// `lhs > rhs`; false with a NaN.
    Gt "gt" Compare Cheap                                             [Any("({a} & !{b})"), Any("({a} > {b})"), Any("({a} > {b})"), Each("xla_gt_f32({a}, {b})")];
    /// `lhs >= rhs`; false with a NaN.
    Ge "ge" Compare Cheap                                             [Any("({a} | !{b})"), Any("({a} >= {b})"), Any("({a} >= {b})"), Each("xla_ge_f32({a}, {b})")];
    /// `lhs == rhs` in the total order -NaN < -inf < ... < -0 < +0 < ... < inf < NaN, payloads counted.
    EqTotalOrder "eq_total_order" Compare Cheap                       [Any("({a} == {b})"), Any("({a} == {b})"), Any("({a} == {b})"), Any("(bitcast<{U}>({a}) == bitcast<{U}>({b}))")];
    /// `lhs != rhs` in the total order.
    NeTotalOrder "ne_total_order" Compare Cheap                       [Any("({a} != {b})"), Any("({a} != {b})"), Any("({a} != {b})"), Any("(bitcast<{U}>({a}) != bitcast<{U}>({b}))")];
    /// `lhs < rhs` in the total order.
    LtTotalOrder "lt_total_order" Compare Cheap                       [Any("(!{a} & {b})"), Any("({a} < {b})"), Any("({a} < {b})"), Each("(xla_total_order_key({a}) < xla_total_order_key({b}))")];
    /// `lhs <= rhs` in the total order.
    LeTotalOrder "le_total_order" Compare Cheap                       [Any("(!{a} | {b})"), Any("({a} <= {b})"), Any("({a} <= {b})"), Each("(xla_total_order_key({a}) <= xla_total_order_key({b}))")];
    /// `lhs > rhs` in the total order.
    GtTotalOrder "gt_total_order" Compare Cheap                       [Any("({a} & !{b})"), Any("({a} > {b})"), Any("({a} > {b})"), Each("(xla_total_order_key({a}) > xla_total_order_key({b}))")];
    /// `lhs >= rhs` in the total order.
    GeTotalOrder "ge_total_order" Compare Cheap                       [Any("({a} | !{b})"), Any("({a} >= {b})"), Any("({a} >= {b})"), Each("(xla_total_order_key({a}) >= xla_total_order_key({b}))")];

    /// The float next to `from` in the direction of `to`; C's `nextafter`. Subnormals count.
    NextAfter "next_after" Pair Cheap                                 [No, No, No, Each("xla_next_after({a}, {b})")];

    /// The magnitude; MIN stays MIN.
    Abs "abs" Unary Cheap                                             [No, Any("abs({a})"), No, Any("bitcast<{F}>(bitcast<{U}>({a}) & {U}(0x7fffffffu))")];
    /// `-x`; integers wrap.
    Neg "neg" Unary Cheap                                             [No, Any("(-{a})"), Any("(~{a} + {U}(1u))"), Any("bitcast<{F}>(bitcast<{U}>({a}) ^ {U}(0x80000000u))")];
    /// -1, 0 or 1; a zero keeps its sign, NaN stays NaN.
    Sign "sign" Unary Cheap                                           [No, Any("sign({a})"), No, Each("xla_sign({a})")];
    /// Rounded up to an integer.
    Ceil "ceil" Unary Cheap                                           [No, No, No, Each("xla_ceil({a})")];
    /// Rounded down to an integer.
    Floor "floor" Unary Cheap                                         [No, No, No, Each("xla_floor({a})")];
    /// Rounded to the nearest integer, halves away from zero.
    Round "round" Unary Cheap                                         [No, No, No, Each("xla_round({a})")];
    /// Rounded to the nearest integer, halves to the even one.
    RoundNearestEven "round_nearest_even" Unary Cheap                 [No, No, No, Each("xla_round_nearest_even({a})")];
    /// Square root.
    Sqrt "sqrt" Unary Cheap                                           [No, No, No, Any("sqrt({a})")];
    /// `1 / sqrt(x)`.
    Rsqrt "rsqrt" Unary Costly                                        [No, No, No, Each("xla_rsqrt({a})")];
    /// Cube root.
    Cbrt "cbrt" Unary Costly                                          [No, No, No, Each("xla_cbrt({a})")];
    /// e to the power x.
    Exp "exp" Unary Costly                                            [No, No, No, Each("xla_exp({a})")];
    /// `exp(x) - 1` without the loss near 0.
    Expm1 "expm1" Unary Costly                                        [No, No, No, Each("xla_expm1({a})")];
    /// Natural logarithm.
    Log "log" Unary Costly                                            [No, No, No, Each("xla_log({a})")];
    /// `log(1 + x)` without the loss near 0.
    Log1p "log1p" Unary Costly                                        [No, No, No, Each("xla_log1p({a})")];
    /// `1 / (1 + exp(-x))`.
    Logistic "logistic" Unary Costly                                  [No, No, No, Each("xla_logistic({a})")];
    /// Sine, x in radians.
    Sin "sin" Unary Costly                                            [No, No, No, Each("xla_sin({a})")];
    /// Cosine, x in radians.
    Cos "cos" Unary Costly                                            [No, No, No, Each("xla_cos({a})")];
    /// Tangent, x in radians.
    Tan "tan" Unary Costly                                            [No, No, No, Each("xla_tan({a})")];
    /// Hyperbolic tangent.
    Tanh "tanh" Unary Costly                                          [No, No, No, Each("xla_tanh({a})")];
    /// Hyperbolic sine.
    Sinh "sinh" Unary Costly                                          [No, No, No, Each("xla_sinh({a})")];
    /// Hyperbolic cosine.
    Cosh "cosh" Unary Costly                                          [No, No, No, Each("xla_cosh({a})")];
    /// Inverse sine, in radians.
    Asin "asin" Unary Costly                                          [No, No, No, Each("xla_asin({a})")];
    /// Inverse cosine, in radians.
    Acos "acos" Unary Costly                                          [No, No, No, Each("xla_acos({a})")];
    /// Inverse tangent, in radians.
    Atan "atan" Unary Costly                                          [No, No, No, Each("xla_atan({a})")];
    /// Inverse hyperbolic sine.
    Asinh "asinh" Unary Costly                                        [No, No, No, Each("xla_asinh({a})")];
    /// Inverse hyperbolic cosine.
    Acosh "acosh" Unary Costly                                        [No, No, No, Each("xla_acosh({a})")];
    /// Inverse hyperbolic tangent.
    Atanh "atanh" Unary Costly                                        [No, No, No, Each("xla_atanh({a})")];
    /// The error function.
    Erf "erf" Unary Costly                                            [No, No, No, Each("xla_erf({a})")];
    /// `1 - erf(x)` without the loss for large x.
    Erfc "erfc" Unary Costly                                          [No, No, No, Each("xla_erfc({a})")];
    /// The y for which `erf(y)` is x.
    ErfInv "erf_inv" Unary Costly                                     [No, No, No, Each("xla_erf_inv({a})")];
    /// The logarithm of the magnitude of the gamma function; infinity at its poles.
    Lgamma "lgamma" Unary Heavy                                       [No, No, No, Each("xla_lgamma({a})")];
    /// The derivative of the gamma function's logarithm; NaN at its poles.
    Digamma "digamma" Unary Heavy                                     [No, No, No, Each("xla_digamma({a})")];
    /// `exp(-|x|)` times the modified Bessel function of the first kind and order 0.
    BesselI0e "bessel_i0e" Unary Costly                               [No, No, No, Each("xla_bessel_i0e({a})")];
    /// `exp(-|x|)` times the modified Bessel function of the first kind and order 1.
    BesselI1e "bessel_i1e" Unary Costly                               [No, No, No, Each("xla_bessel_i1e({a})")];
    /// `1 / x`.
    Reciprocal "reciprocal" Unary Cheap                               [No, No, No, Any("({F}(1.0) / {a})")];
    /// `x * x`; integers wrap.
    Square "square" Unary Cheap                                       [Any("{a}"), Any("({a} * {a})"), Any("({a} * {a})"), Any("({a} * {a})")];
    /// Whether x is neither infinite nor NaN; the result is PRED.
    IsFinite "is_finite" Unary Cheap                                  [No, No, No, Any("((bitcast<{U}>({a}) & {U}(0x7f800000u)) != {U}(0x7f800000u))")];
    /// The real part; x itself, as no type here is complex.
    Real "real" Unary Cheap                                           [No, No, No, Any("{a}")];
    /// The imaginary part; +0, as no type here is complex. Not written as a literal, which a compiler
    /// would multiply out of the kernel, NaN and signs lost.
    Imag "imag" Unary Cheap                                           [No, No, No, Any("bitcast<{F}>(bitcast<{U}>({a}) & {U}(params.zero))")];
    /// Bitwise, for PRED logical, complement.
    Not "not" Unary Cheap                                             [Any("(!{a})"), Any("(~{a})"), Any("(~{a})"), No];
    /// The number of leading zero bits.
    Clz "clz" Unary Cheap                                             [No, Any("countLeadingZeros({a})"), Any("countLeadingZeros({a})"), No];
    /// The number of bits that are 1.
    PopulationCount "population_count" Unary Cheap                    [No, Any("countOneBits({a})"), Any("countOneBits({a})"), No];

    /// The nearest value of a format with so many exponent and mantissa bits, ties to even. Larger values give infinity, those below the format's smallest normal number 0; NaN stays, but without mantissa bits it is infinity. The bits are operands a and b of the spelling.
    ReducePrecision "reduce_precision" Format Cheap                   [No, No, No, Each("xla_reduce_precision({a}, {b}, {c})")];
    /// The same value in another element type. Floats to integers truncate and saturate, NaN gives 0; integers to floats round to nearest even; to PRED: whether it is other than 0, NaN included.
    ConvertElementType "convert_element_type" Convert Cheap           MOVE;
    /// The same bits as another element type of equal width.
    BitcastConvertType "bitcast_convert_type" Convert Cheap           MOVE;
    /// `on_true` where `pred` holds, else `on_false`; the spelling is by the type of the values.
    Select "select" Ternary Cheap                                     [Any("select({c}, {b}, {a})"), Any("select({c}, {b}, {a})"), Any("select({c}, {b}, {a})"), Any("select({c}, {b}, {a})")];
    /// `min(max(min_bound, x), max_bound)`; NaN if any is.
    Clamp "clamp" Ternary Cheap                                       [No, Any("min(max({a}, {b}), {c})"), Any("min(max({a}, {b}), {c})"), Each("xla_clamp({a}, {b}, {c})")];
    /// The operand in a shape that is given whole.
    BroadcastInDim "broadcast_in_dim" Broadcast Cheap                 MOVE;
    /// The operand repeated along new major dimensions.
    Broadcast "broadcast" Broadcast Cheap                             MOVE;
    /// Dimension i of the result is dimension `permutation[i]` of the operand.
    Transpose "transpose" View Cheap                                  MOVE;
    /// In each dimension the elements from a start up to a limit, every `stride`-th one.
    Slice "slice" View Cheap                                          MOVE;
    /// The elements backwards along some dimensions; XlaBuilder's `Rev`.
    Reverse "reverse" View Cheap                                      MOVE;
    /// The elements in the same row-major order under other sizes.
    Reshape "reshape" View Cheap                                      MOVE;
    /// 0, 1, 2, ... along one dimension.
    Iota "iota" Nullary Cheap                                         [No, Any("{I}({a})"), Any("{a}"), Any("{F}({a})")];
    /// An array that is given when the computation runs.
    Parameter "parameter" Nullary Cheap                               MOVE;
    /// A scalar that is known when the computation is built.
    Constant "constant" Nullary Cheap                                 MOVE;
}

impl Opcode {
    fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }

    /// XLA's name, such as `ShiftRightLogical`.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The name of XlaBuilder's method in snake case, such as `shift_right_logical`.
    pub fn method(self) -> &'static str {
        self.row().method
    }

    /// The operation of this XLA name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|op| op.name() == name)
    }

    /// The operation of this snake-case name.
    pub fn from_method(method: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|op| op.method() == method)
    }

    /// Which operands it takes.
    pub fn class(self) -> OpClass {
        self.row().class
    }

    /// Whether operands of this element type are accepted; for `Iota`, the result's type, and for
    /// `Select`, the type of the values.
    pub fn accepts(self, element_type: ElementType) -> bool {
        self.spelling(element_type) != No
    }

    /// The element types that are accepted.
    pub fn accepted(self) -> impl Iterator<Item = ElementType> {
        ElementType::ALL.iter().copied().filter(move |&t| self.accepts(t))
    }

    pub(crate) fn spelling(self, element_type: ElementType) -> Spelling {
        self.row().spelling[element_type.column()]
    }

    pub(crate) fn cost(self) -> Cost {
        self.row().cost
    }
}

/// How `ConvertElementType` from one type to another is written.
pub(crate) fn conversion(from: ElementType, to: ElementType) -> Spelling {
    use ElementType::{F32, Pred, S32, U32};
    match (from, to) {
        (Pred, Pred) | (S32, S32) | (U32, U32) | (F32, F32) => Any("{a}"),
        (Pred, S32) => Any("select({I}(0), {I}(1), {a})"),
        (Pred, U32) => Any("select({U}(0u), {U}(1u), {a})"),
        (Pred, F32) => Any("select({F}(0.0), {F}(1.0), {a})"),
        (S32, Pred) => Any("({a} != {I}(0))"),
        (U32, Pred) => Any("({a} != {U}(0u))"),
        (F32, Pred) => Each("xla_f32_to_pred({a})"),
        (S32, U32) => Any("bitcast<{U}>({a})"),
        (U32, S32) => Any("bitcast<{I}>({a})"),
        (S32, F32) => Each("xla_s32_to_f32({a})"),
        (U32, F32) => Each("xla_u32_to_f32({a})"),
        (F32, S32) => Each("xla_f32_to_s32({a})"),
        (F32, U32) => Each("xla_f32_to_u32({a})"),
    }
}

/// How `BitcastConvertType` to a type is written; both widths are equal (rule T4).
pub(crate) fn bitcast(to: ElementType) -> Spelling {
    match to {
        ElementType::Pred => Any("{a}"),
        ElementType::S32 => Any("bitcast<{I}>({a})"),
        ElementType::U32 => Any("bitcast<{U}>({a})"),
        ElementType::F32 => Any("bitcast<{F}>({a})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_enum_s_order() {
        for (i, &op) in Opcode::ALL.iter().enumerate() {
            assert_eq!(op as usize, i);
            assert_eq!(op.name(), format!("{op:?}"));
            assert_eq!(Opcode::from_name(op.name()), Some(op));
            assert_eq!(Opcode::from_method(op.method()), Some(op));
        }
    }

    #[test]
    fn the_faces_have_every_operation() {
        let faces = [include_str!("computation.rs"), include_str!("ops.rs")];
        for &op in Opcode::ALL {
            if matches!(op.class(), OpClass::Binary | OpClass::Compare | OpClass::Unary) {
                for face in faces {
                    let entry = format!("{} {},", op.method(), op.name());
                    assert!(face.contains(&entry), "`{entry}` is missing");
                }
            }
        }
    }

    #[test]
    fn methods_are_the_names_in_snake_case() {
        for &op in Opcode::ALL {
            let mut snake = String::new();
            for (i, c) in op.name().chars().enumerate() {
                if c.is_ascii_uppercase() && i > 0 {
                    snake.push('_');
                }
                snake.push(c.to_ascii_lowercase());
            }
            assert_eq!(op.method(), snake);
        }
    }
}

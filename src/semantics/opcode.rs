//! The table of operations: name, class, cost and accepted element types.
//!
//! Inference, code generation, the docs and the tests read it: an operation that is missing here
//! does not exist, and a type that an entry does not list is refused (rule T1). Names and accepted
//! types are XLA's. The code generator has a table of the operations in WGSL; a test checks that
//! the two tables agree on the types.

use crate::semantics::element::{ElementType, Form};

/// The class of an operation: how many operands it takes and how they broadcast.
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
    /// It takes one operand or more and puts their elements, and a padding value, at other places of
    /// its result. A kernel selects between views of the operands.
    Move,
    /// It takes no operand.
    Nullary,
    /// It takes the operands of a user-defined function.
    Call,
}

/// The cost of evaluating an operation once, by which the planner decides where not to repeat it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub(crate) enum Cost {
    /// A few instructions.
    Cheap,
    /// Tens of instructions. The planner does not repeat such an operation over a space larger than
    /// its own.
    Costly,
    /// Hundreds of instructions. In addition, a kernel's text holds at most one copy of it for each
    /// element of a quad.
    Heavy,
}

use Cost::{Cheap, Costly, Heavy};
use ElementType::{Bf16, C64, F16, F32, F64, Pred, S4, S8, S16, S32, S64, U4, U8, U16, U32, U64};
use OpClass::{
    Binary, Broadcast, Compare, Convert, Format, Move, Nullary, Pair, Ternary, Unary, View,
};

/// One entry of the table.
struct OpInfo {
    name: &'static str,
    method: &'static str,
    class: OpClass,
    cost: Cost,
    /// The accepted types of the operands, or of the result if there are no operands.
    types: &'static [ElementType],
}

macro_rules! opcodes {
    ($($(#[doc = $doc:literal])+ $name:ident $method:literal $class:ident $cost:ident $types:ident;)*) => {
        /// An operation, by XLA's name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Opcode {
            $($(#[doc = $doc])+ $name,)*
            /// A call of a user-defined function; not in [`Opcode::ALL`].
            Call,
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
        },)*
        // The properties of a call depend on its function.
        OpInfo { name: "Call", method: "call", class: OpClass::Call, cost: Cost::Cheap, types: &[] }];
    };
}

// The sets of element types that XLA's operations accept.
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
// XLA also accepts F64 here and returns a complex number of two F64, a type that this crate lacks.
const PARTS: &[ElementType] = &[F32, C64];
const PART: &[ElementType] = &[F32];

#[rustfmt::skip]
opcodes! {
    /// `lhs + rhs`; integers wrap, PRED is or.
    Add "add" Binary Cheap ANY;
    /// `lhs - rhs`; integers wrap.
    Sub "sub" Binary Cheap NUMBERS;
    /// `lhs * rhs`; integers wrap, PRED is and.
    Mul "mul" Binary Cheap ANY;
    /// `lhs / rhs`; integers truncate, x/0 has all bits set, MIN/-1 is MIN.
    Div "div" Binary Cheap NUMBERS;
    /// The remainder of the truncating division, with the dividend's sign; floats: C's `fmod`. Integers: x%0 is x, MIN%-1 is 0.
    Rem "rem" Binary Costly REALS;
    /// `lhs` to the power `rhs`; floats: C99's `pow`. Integers wrap; a negative exponent gives 1 for base 1, else 0.
    Pow "pow" Binary Costly NUMBERS;
    /// The larger one; NaN if either is, and +0 over -0.
    Max "max" Binary Cheap ORDERED;
    /// The smaller one; NaN if either is, and -0 over +0.
    Min "min" Binary Cheap ORDERED;
    /// The angle of the point (`rhs`, `lhs`), in radians.
    Atan2 "atan2" Binary Costly INEXACT;
    /// `lhs / rhs` rounded down, NumPy's `floor_divide`; XLA has none. Floats: NumPy's `npy_divmod`, by which an infinite `lhs` gives NaN, and a zero `rhs` what `lhs / rhs` is. Integers: x//0 is 0, MIN//-1 is MIN.
    FloorDivide "floor_divide" Binary Costly REALS;
    /// The remainder of the division that rounds down, with the divisor's sign: Python's `%` and NumPy's `remainder`; XLA has none. Floats: x%inf is x, or inf if the signs differ, and x%0 is NaN. Integers: x%0 is 0, MIN%-1 is 0.
    Remainder "remainder" Binary Costly REALS;
    /// The length `sqrt(lhs * lhs + rhs * rhs)`, which no square in it makes over- or underflow; C99's `hypot`, by which an infinity wins over NaN. XLA has none.
    Hypot "hypot" Binary Costly FLOATS;
    /// `log(exp(lhs) + exp(rhs))`, without the exponentials' overflow and accurate near 0; NumPy's, XLA has none.
    Logaddexp "logaddexp" Binary Heavy FLOATS;
    /// The magnitude of `lhs` with the sign bit of `rhs`, that of a NaN included; C's `copysign`. XLA has none.
    Copysign "copysign" Binary Cheap FLOATS;
    /// The complex numbers with `lhs` as real and `rhs` as imaginary part.
    Complex "complex" Binary Cheap PART;
    /// Bitwise and; logical and on PRED.
    And "and" Binary Cheap BITWISE;
    /// Bitwise or; logical or on PRED.
    Or "or" Binary Cheap BITWISE;
    /// Bitwise exclusive or; logical exclusive or on PRED.
    Xor "xor" Binary Cheap BITWISE;
    /// `lhs << rhs`, with `rhs` read as unsigned. Shifts by the type's width or more give 0.
    ShiftLeft "shift_left" Binary Cheap INTEGERS;
    /// `lhs >> rhs` with zeros shifted in, with `rhs` read as unsigned. Shifts by the type's width or more give 0.
    ShiftRightLogical "shift_right_logical" Binary Cheap INTEGERS;
    /// `lhs >> rhs` with copies of the top bit shifted in, even on unsigned types, with `rhs` read as unsigned. Shifts by the type's width or more give the top bit in every place.
    ShiftRightArithmetic "shift_right_arithmetic" Binary Cheap INTEGERS;
    /// `lhs == rhs`; false with a NaN.
    Eq "eq" Compare Cheap ANY;
    /// `lhs != rhs`; true with a NaN.
    Ne "ne" Compare Cheap ANY;
    /// `lhs < rhs`; false with a NaN.
    Lt "lt" Compare Cheap ORDERED;
    /// `lhs <= rhs`; false with a NaN.
    Le "le" Compare Cheap ORDERED;
    /// `lhs > rhs`; false with a NaN.
    Gt "gt" Compare Cheap ORDERED;
    /// `lhs >= rhs`; false with a NaN.
    Ge "ge" Compare Cheap ORDERED;
    /// `lhs == rhs` in the total order -NaN < -inf < ... < -0 < +0 < ... < inf < NaN, payloads counted.
    EqTotalOrder "eq_total_order" Compare Cheap ORDERED;
    /// `lhs != rhs` in the total order.
    NeTotalOrder "ne_total_order" Compare Cheap ORDERED;
    /// `lhs < rhs` in the total order.
    LtTotalOrder "lt_total_order" Compare Cheap ORDERED;
    /// `lhs <= rhs` in the total order.
    LeTotalOrder "le_total_order" Compare Cheap ORDERED;
    /// `lhs > rhs` in the total order.
    GtTotalOrder "gt_total_order" Compare Cheap ORDERED;
    /// `lhs >= rhs` in the total order.
    GeTotalOrder "ge_total_order" Compare Cheap ORDERED;
    /// The float next to `from` in the direction of `to`; C's `nextafter`. Subnormals count.
    NextAfter "next_after" Pair Cheap FLOATS;
    /// The magnitude; MIN stays MIN, and of a complex number it is real.
    Abs "abs" Unary Cheap SIGNED;
    /// `-x`; integers wrap.
    Neg "neg" Unary Cheap NUMBERS;
    /// -1, 0 or 1; a zero keeps its sign, NaN stays NaN. A complex number is divided by its magnitude; 0 stays 0.
    Sign "sign" Unary Cheap SIGNED;
    /// x rounded up to an integer.
    Ceil "ceil" Unary Cheap FLOATS;
    /// x rounded down to an integer.
    Floor "floor" Unary Cheap FLOATS;
    /// x rounded towards zero to an integer.
    Trunc "trunc" Unary Cheap FLOATS;
    /// x rounded to the nearest integer, halves away from zero.
    Round "round" Unary Cheap FLOATS;
    /// x rounded to the nearest integer, halves to the even one.
    RoundNearestEven "round_nearest_even" Unary Cheap FLOATS;
    /// The square root.
    Sqrt "sqrt" Unary Cheap INEXACT;
    /// `1 / sqrt(x)`.
    Rsqrt "rsqrt" Unary Costly INEXACT;
    /// The cube root.
    Cbrt "cbrt" Unary Costly FLOATS;
    /// e to the power x.
    Exp "exp" Unary Costly INEXACT;
    /// `exp(x) - 1`, accurate near 0.
    Expm1 "expm1" Unary Costly INEXACT;
    /// The natural logarithm.
    Log "log" Unary Costly INEXACT;
    /// The logarithm to base 2, exact at powers of two; NumPy's, XLA has none.
    Log2 "log2" Unary Costly INEXACT;
    /// The logarithm to base 10, exact at powers of ten; NumPy's, XLA has none.
    Log10 "log10" Unary Costly INEXACT;
    /// `log(1 + x)`, accurate near 0.
    Log1p "log1p" Unary Costly INEXACT;
    /// `1 / (1 + exp(-x))`.
    Logistic "logistic" Unary Costly INEXACT;
    /// The sine of x in radians.
    Sin "sin" Unary Costly INEXACT;
    /// The cosine of x in radians.
    Cos "cos" Unary Costly INEXACT;
    /// The tangent of x in radians.
    Tan "tan" Unary Costly INEXACT;
    /// The hyperbolic tangent.
    Tanh "tanh" Unary Costly INEXACT;
    /// The hyperbolic sine.
    Sinh "sinh" Unary Costly INEXACT;
    /// The hyperbolic cosine.
    Cosh "cosh" Unary Costly INEXACT;
    /// The inverse sine, in radians.
    Asin "asin" Unary Costly INEXACT;
    /// The inverse cosine, in radians.
    Acos "acos" Unary Costly INEXACT;
    /// The inverse tangent, in radians.
    Atan "atan" Unary Costly INEXACT;
    /// The inverse hyperbolic sine.
    Asinh "asinh" Unary Costly INEXACT;
    /// The inverse hyperbolic cosine.
    Acosh "acosh" Unary Costly INEXACT;
    /// The inverse hyperbolic tangent.
    Atanh "atanh" Unary Costly INEXACT;
    /// The error function.
    Erf "erf" Unary Costly FLOATS;
    /// `1 - erf(x)`, accurate for large x.
    Erfc "erfc" Unary Costly FLOATS;
    /// The y for which `erf(y)` is x.
    ErfInv "erf_inv" Unary Costly FLOATS;
    /// The logarithm of the magnitude of the gamma function; infinity at its poles.
    Lgamma "lgamma" Unary Heavy FLOATS;
    /// The derivative of the gamma function's logarithm; NaN at its poles.
    Digamma "digamma" Unary Heavy FLOATS;
    /// `exp(-|x|)` times the modified Bessel function of the first kind and order 0.
    BesselI0e "bessel_i0e" Unary Costly FLOATS;
    /// `exp(-|x|)` times the modified Bessel function of the first kind and order 1.
    BesselI1e "bessel_i1e" Unary Costly FLOATS;
    /// `1 / x`.
    Reciprocal "reciprocal" Unary Cheap INEXACT;
    /// `x * x`; integers wrap.
    Square "square" Unary Cheap ANY;
    /// True where x is neither infinite nor NaN; the result is PRED.
    IsFinite "is_finite" Unary Cheap FLOATS;
    /// True where x is an infinity of either sign, a complex number where a part is; the result is PRED.
    IsInf "is_inf" Unary Cheap INEXACT;
    /// True where x is NaN, a complex number where a part is; the result is PRED.
    IsNan "is_nan" Unary Cheap INEXACT;
    /// True where the sign bit is set, of -0 and of NaN, too; the result is PRED.
    Signbit "signbit" Unary Cheap FLOATS;
    /// The real part; a real number stays.
    Real "real" Unary Cheap INEXACT;
    /// The imaginary part; +0 for a real number.
    Imag "imag" Unary Cheap INEXACT;
    /// The complex conjugate. The result is complex even for real numbers.
    Conj "conj" Unary Cheap PARTS;
    /// Bitwise complement; logical not on PRED.
    Not "not" Unary Cheap BITWISE;
    /// The number of leading zero bits.
    Clz "clz" Unary Cheap INTEGERS;
    /// The number of bits that are 1.
    PopulationCount "population_count" Unary Cheap INTEGERS;
    /// The nearest value of a format with given numbers of exponent and mantissa bits, ties to even. Values beyond the format's range give infinity, those below its smallest normal number 0. NaN stays; without mantissa bits it becomes infinity.
    ReducePrecision "reduce_precision" Format Cheap FLOATS;
    /// The same value in another element type. Floats become integers by truncation, with saturation, and NaN gives 0. Integers become floats by rounding to nearest, ties to even. Everything but 0 becomes a true PRED, NaN included.
    ConvertElementType "convert_element_type" Convert Cheap ANY;
    /// The same bits as another element type. To a narrower type, the result has one more dimension, the last one, of as many elements as fit into one of the operand's, the lowest bits first. To a wider type, such a dimension goes.
    BitcastConvertType "bitcast_convert_type" Convert Cheap ANY;
    /// `on_true` where `pred` holds, else `on_false`.
    Select "select" Ternary Cheap ANY;
    /// `min(max(min_bound, x), max_bound)`; NaN if any is.
    Clamp "clamp" Ternary Cheap REALS;
    /// The operand broadcast to a given output shape.
    BroadcastInDim "broadcast_in_dim" Broadcast Cheap ANY;
    /// The operand repeated along new dimensions, which stand before its own.
    Broadcast "broadcast" Broadcast Cheap ANY;
    /// The operand with its dimensions permuted: dimension i of the result is dimension `permutation[i]` of the operand.
    Transpose "transpose" View Cheap ANY;
    /// The elements, in each dimension, from a start index up to, but without, a limit index, every `stride`-th one.
    Slice "slice" View Cheap ANY;
    /// The elements backwards along some dimensions; XlaBuilder's `Rev`.
    Reverse "reverse" View Cheap ANY;
    /// The elements in the same row-major order under other sizes.
    Reshape "reshape" View Cheap ANY;
    /// The operand with a scalar around it, and between its elements: a low and a high amount, of which a negative one takes elements away, and an interior amount for each dimension.
    Pad "pad" Move Cheap ANY;
    /// The operands one after the other along one dimension.
    Concatenate "concatenate" Move Cheap ANY;
    /// The operand with its elements shifted along dimensions, from each end to the other: element i goes to (i + shift) modulo the size. It is NumPy's; XLA has none.
    Roll "roll" Move Cheap ANY;
    /// Each element's index along one dimension: 0, 1, 2, ...
    Iota "iota" Nullary Cheap NUMBERS;
    /// An array that is given when the computation runs.
    Parameter "parameter" Nullary Cheap ANY;
    /// A scalar that is known when the computation is built.
    Constant "constant" Nullary Cheap ANY;
}

impl Opcode {
    fn info(self) -> &'static OpInfo {
        &TABLE[self as usize]
    }

    /// Returns XLA's name, such as `ShiftRightLogical`.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// Returns the snake-case name, such as `shift_right_logical`, which methods and functions
    /// have.
    pub fn method(self) -> &'static str {
        self.info().method
    }

    /// Returns the operation with this XLA name, if there is one.
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

    /// Checks whether the operation takes operands of this element type (rule T1). For `Iota` this
    /// is the result's type, and for `Select` the type of the values.
    pub fn accepts(self, element_type: ElementType) -> bool {
        self.info().types.contains(&element_type)
    }

    /// Returns the element types that [`Opcode::accepts`] accepts.
    pub fn accepted(self) -> impl Iterator<Item = ElementType> {
        self.info().types.iter().copied()
    }

    /// Checks whether the result, for operands that a narrow type can represent, also fits that
    /// type, so that a kernel need not round or wrap it.
    pub(crate) fn stays_in_type(self, element_type: ElementType) -> bool {
        use Opcode::{
            Abs, And, Ceil, Clamp, Clz, Copysign, Floor, Imag, Max, Min, Neg, NextAfter, Or,
            PopulationCount, Real, ReducePrecision, Rem, Remainder, Round, RoundNearestEven,
            Select, Sign, Trunc, Xor,
        };
        // The magnitude and the negative of an integer type's MIN do not fit the type.
        let float = element_type.form() == Form::F32;
        match self {
            Abs | Neg => float,
            // For floats, `remainder` may add the divisor, which rounds.
            Remainder => !float,
            And | Ceil | Clamp | Clz | Copysign | Floor | Imag | Max | Min | NextAfter | Or
            | PopulationCount | Real | ReducePrecision | Rem | Round | RoundNearestEven
            | Select | Sign | Trunc | Xor => true,
            _ => false,
        }
    }

    /// Returns the cost on F32 and on integers of up to 32 bits.
    pub(crate) fn cost(self) -> Cost {
        self.info().cost
    }

    /// Returns the cost on operands of this type.
    pub(crate) fn cost_on(self, element_type: ElementType) -> Cost {
        use Opcode::{
            Div, Expm1, FloorDivide, Logistic, Pow, Reciprocal, Rem, Remainder, Sign, Sqrt,
        };
        let divides = matches!(self, FloorDivide | Rem | Remainder);
        match (self.cost(), element_type.form()) {
            (Costly, Form::F64) => Heavy,
            // The power of integers is a loop that compilers unroll: 32 of them on S8 took lavapipe
            // half a second to compile.
            (_, form) if self == Pow && form != Form::F32 => Heavy,
            // Computed in pairs of floats: lavapipe took 2.2 times as long to compile them, and 1.5
            // times as long to run them, in units of 16 elements as in quads.
            (_, Form::C64) if matches!(self, Expm1 | Logistic) => Heavy,
            (_, Form::F32) if divides && element_type.is_narrow() => Heavy,
            (Cheap, Form::C64) if matches!(self, Div | Reciprocal | Sign | Sqrt) => Costly,
            (Cheap, Form::S64 | Form::U64) if matches!(self, Div | Rem) => Costly,
            (cost, _) => cost,
        }
    }
}

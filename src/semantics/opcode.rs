//! The one table of operations: name, class, cost and accepted element types.
//!
//! Inference, code generation, the docs and the tests read it; an operation that is not here does
//! not exist, and a type that an entry does not list is refused (rule T1). Names and accepted types
//! are XLA's. How an operation is written in WGSL is not said here: the code generator has a table
//! of that, and a test that the two agree on the types.

use crate::semantics::element::{ElementType, Form};

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

use Cost::{Cheap, Costly, Heavy};
use ElementType::{Bf16, C64, F16, F32, F64, Pred, S4, S8, S16, S32, S64, U4, U8, U16, U32, U64};
use OpClass::{Binary, Broadcast, Compare, Convert, Format, Nullary, Pair, Ternary, Unary, View};

struct Row {
    name: &'static str,
    method: &'static str,
    class: OpClass,
    cost: Cost,
    /// Those of the operands, or of the result where there is no operand.
    types: &'static [ElementType],
}

macro_rules! opcodes {
    ($($(#[doc = $doc:literal])+ $name:ident $method:literal $class:ident $cost:ident $types:ident;)*) => {
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
            types: $types,
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
    /// The complex number of this real and this imaginary part.
    Complex "complex" Binary Cheap PART;
    /// Bitwise, for PRED logical, and.
    And "and" Binary Cheap BITWISE;
    /// Bitwise, for PRED logical, or.
    Or "or" Binary Cheap BITWISE;
    /// Bitwise, for PRED logical, exclusive or.
    Xor "xor" Binary Cheap BITWISE;
    /// `lhs << rhs`; 0 from an amount of the width on, the amount read as unsigned.
    ShiftLeft "shift_left" Binary Cheap INTEGERS;
    /// `lhs >> rhs` with zeros shifted in; 0 from an amount of the width on.
    ShiftRightLogical "shift_right_logical" Binary Cheap INTEGERS;
    /// `lhs >> rhs` with the top bit shifted in, on unsigned types too; all top bit from an amount of the width on.
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
    /// -1, 0 or 1; a zero keeps its sign, NaN stays NaN. Of a complex number, that over its magnitude.
    Sign "sign" Unary Cheap SIGNED;
    /// Rounded up to an integer.
    Ceil "ceil" Unary Cheap FLOATS;
    /// Rounded down to an integer.
    Floor "floor" Unary Cheap FLOATS;
    /// Rounded to the nearest integer, halves away from zero.
    Round "round" Unary Cheap FLOATS;
    /// Rounded to the nearest integer, halves to the even one.
    RoundNearestEven "round_nearest_even" Unary Cheap FLOATS;
    /// Square root.
    Sqrt "sqrt" Unary Cheap INEXACT;
    /// `1 / sqrt(x)`.
    Rsqrt "rsqrt" Unary Costly INEXACT;
    /// Cube root.
    Cbrt "cbrt" Unary Costly FLOATS;
    /// e to the power x.
    Exp "exp" Unary Costly INEXACT;
    /// `exp(x) - 1` without the loss near 0.
    Expm1 "expm1" Unary Costly INEXACT;
    /// Natural logarithm.
    Log "log" Unary Costly INEXACT;
    /// `log(1 + x)` without the loss near 0.
    Log1p "log1p" Unary Costly INEXACT;
    /// `1 / (1 + exp(-x))`.
    Logistic "logistic" Unary Costly INEXACT;
    /// Sine, x in radians.
    Sin "sin" Unary Costly INEXACT;
    /// Cosine, x in radians.
    Cos "cos" Unary Costly INEXACT;
    /// Tangent, x in radians.
    Tan "tan" Unary Costly INEXACT;
    /// Hyperbolic tangent.
    Tanh "tanh" Unary Costly INEXACT;
    /// Hyperbolic sine.
    Sinh "sinh" Unary Costly INEXACT;
    /// Hyperbolic cosine.
    Cosh "cosh" Unary Costly INEXACT;
    /// Inverse sine, in radians.
    Asin "asin" Unary Costly INEXACT;
    /// Inverse cosine, in radians.
    Acos "acos" Unary Costly INEXACT;
    /// Inverse tangent, in radians.
    Atan "atan" Unary Costly INEXACT;
    /// Inverse hyperbolic sine.
    Asinh "asinh" Unary Costly INEXACT;
    /// Inverse hyperbolic cosine.
    Acosh "acosh" Unary Costly INEXACT;
    /// Inverse hyperbolic tangent.
    Atanh "atanh" Unary Costly INEXACT;
    /// The error function.
    Erf "erf" Unary Costly FLOATS;
    /// `1 - erf(x)` without the loss for large x.
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
    /// Whether x is neither infinite nor NaN; the result is PRED.
    IsFinite "is_finite" Unary Cheap FLOATS;
    /// The real part; of a real number, itself.
    Real "real" Unary Cheap INEXACT;
    /// The imaginary part; of a real number, +0.
    Imag "imag" Unary Cheap INEXACT;
    /// The complex conjugate; of a real number the same as complex.
    Conj "conj" Unary Cheap PARTS;
    /// Bitwise, for PRED logical, complement.
    Not "not" Unary Cheap BITWISE;
    /// The number of leading zero bits.
    Clz "clz" Unary Cheap INTEGERS;
    /// The number of bits that are 1.
    PopulationCount "population_count" Unary Cheap INTEGERS;
    /// The nearest value of a format with so many exponent and mantissa bits, ties to even. Larger values give infinity, those below the format's smallest normal number 0; NaN stays, but without mantissa bits it is infinity.
    ReducePrecision "reduce_precision" Format Cheap FLOATS;
    /// The same value in another element type. Floats to integers truncate and saturate, NaN gives 0; integers to floats round to nearest even; to PRED: whether it is other than 0, NaN included.
    ConvertElementType "convert_element_type" Convert Cheap ANY;
    /// The same bits as another element type. Where that one is narrower, a last dimension of so many as an element holds is new, the lowest bits first; where it is wider, such a dimension goes.
    BitcastConvertType "bitcast_convert_type" Convert Cheap ANY;
    /// `on_true` where `pred` holds, else `on_false`.
    Select "select" Ternary Cheap ANY;
    /// `min(max(min_bound, x), max_bound)`; NaN if any is.
    Clamp "clamp" Ternary Cheap REALS;
    /// The operand in a shape that is given whole.
    BroadcastInDim "broadcast_in_dim" Broadcast Cheap ANY;
    /// The operand repeated along new major dimensions.
    Broadcast "broadcast" Broadcast Cheap ANY;
    /// Dimension i of the result is dimension `permutation[i]` of the operand.
    Transpose "transpose" View Cheap ANY;
    /// In each dimension the elements from a start up to a limit, every `stride`-th one.
    Slice "slice" View Cheap ANY;
    /// The elements backwards along some dimensions; XlaBuilder's `Rev`.
    Reverse "reverse" View Cheap ANY;
    /// The elements in the same row-major order under other sizes.
    Reshape "reshape" View Cheap ANY;
    /// 0, 1, 2, ... along one dimension.
    Iota "iota" Nullary Cheap NUMBERS;
    /// An array that is given when the computation runs.
    Parameter "parameter" Nullary Cheap ANY;
    /// A scalar that is known when the computation is built.
    Constant "constant" Nullary Cheap ANY;
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
        self.row().types.contains(&element_type)
    }

    /// The element types that are accepted.
    pub fn accepted(self) -> impl Iterator<Item = ElementType> {
        self.row().types.iter().copied()
    }

    /// Whether what it makes of numbers that a narrow type has is such a number, so that nothing
    /// needs to be rounded or wrapped.
    pub(crate) fn stays_in_type(self, element_type: ElementType) -> bool {
        use Opcode::{
            Abs, And, Ceil, Clamp, Clz, Floor, Imag, Max, Min, Neg, NextAfter, Or, PopulationCount,
            Real, ReducePrecision, Rem, Round, RoundNearestEven, Select, Sign, Xor,
        };
        // MIN of an integer has no magnitude and no negative.
        let float = element_type.form() == Form::F32;
        match self {
            Abs | Neg => float,
            And | Ceil | Clamp | Clz | Floor | Imag | Max | Min | NextAfter | Or
            | PopulationCount | Real | ReducePrecision | Rem | Round | RoundNearestEven
            | Select | Sign | Xor => true,
            _ => false,
        }
    }

    /// What it costs on f32 and integers of up to 32 bits.
    pub(crate) fn cost(self) -> Cost {
        self.row().cost
    }

    /// What it costs on operands of this type.
    pub(crate) fn cost_on(self, element_type: ElementType) -> Cost {
        use Opcode::{Div, Pow, Reciprocal, Rem, Sign, Sqrt};
        match (self.cost(), element_type.form()) {
            (Costly, Form::F64) => Heavy,
            // Integers in a loop that compilers unroll: 32 of S8 took lavapipe half a second.
            (_, form) if self == Pow && form != Form::F32 => Heavy,
            (_, Form::F32) if self == Rem && element_type.is_narrow() => Heavy,
            (Cheap, Form::C64) if matches!(self, Div | Reciprocal | Sign | Sqrt) => Costly,
            (Cheap, Form::S64 | Form::U64) if matches!(self, Div | Rem) => Costly,
            (cost, _) => cost,
        }
    }
}

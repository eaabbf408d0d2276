//! The one list of operations.
//!
//! From a row come the opcode with all its properties, and every way to call it: the methods of
//! `Builder`, `Expr`, `Array`, `InDim` and `AnyExpr`, the eager functions and those of `numpy`. The
//! command prints the rows as `indim ops`; the lists of other languages are compared with it.
//!
//! A row is
//!
//! ```text
//! /// The documentation, in one sentence or a few.
//! Opcode method Class(arguments) Bound -> Result, properties;
//! ```
//!
//! - `Opcode` is XLA's name, and `method` is it in snake case.
//! - `Class` is an `OpClass`. The classes `Binary`, `Compare` and `Unary`
//!   have no list of arguments. For the others it is `operands; attributes`. If the operation is
//!   called alike everywhere, each attribute has its type (`Dims`, `i64`, `f64`, or `Type` for an
//!   element type) and a value for the example in its documentation; then come the shape that the example
//!   gives from an operand of shape (2,3), and the errors. Without these, the ways to call it are
//!   written by hand, and `api::by_hand_tests` fails to compile unless it calls all of them.
//! - `Bound` selects the accepted element types, by the trait that Rust's types for them have.
//! - `Result` is the element type of the result: `Same` is that of the operands, `Pred` is PRED,
//!   `Complex` is C64, `Index` is S32, `LargeIndex` S64, and `Magnitude` and `Part` are F32 for C64, else that of the operands.
//! - The properties begin with the cost on F32 and on integers of up to 32 bits, `cheap()`, `costly()`
//!   or `heavy()`. `.on(types, cost)` is another cost on some types; `.fits(types)` says on which
//!   types a result fits the type if the operands do, so that a kernel need not round or wrap it;
//!   `.exact()` says that [`Precision`](crate::Precision) makes no difference.

/// Calls a macro with all rows, after its other arguments in brackets.
#[doc(hidden)]
#[macro_export]
macro_rules! op_table {
    ([$($callback:tt)+] $($argument:tt)*) => {
        $($callback)+! {
            [$($argument)*]

            /// `lhs + rhs`; integers wrap, PRED is or.
            Add add Binary Element -> Same, cheap();
            /// `lhs - rhs`; integers wrap.
            Sub sub Binary Number -> Same, cheap();
            /// `lhs * rhs`; integers wrap, PRED is and.
            Mul mul Binary Element -> Same, cheap();
            /// `lhs / rhs`; integers truncate, x/0 has all bits set, MIN/-1 is MIN.
            Div div Binary Number -> Same, cheap().on(&[S64, U64, C64], Costly);
            /// The remainder of the truncating division, with the dividend's sign; floats: C's `fmod`. Integers: x%0 is x, MIN%-1 is 0.
            Rem rem Binary Real -> Same, costly().on(NARROW_FLOATS, Heavy).fits(ANY);
            // The power of integers is a loop that compilers unroll: 32 of them on S8 took lavapipe
            // half a second to compile.
            /// `lhs` to the power `rhs`; floats: C99's `pow`. Integers wrap; a negative exponent gives 1 for base 1, else 0.
            Pow pow Binary Number -> Same, costly().on(NOT_F32, Heavy);
            /// The larger one; NaN if either is, and +0 over -0.
            Max max Binary Ordered -> Same, cheap().fits(ANY);
            /// The smaller one; NaN if either is, and -0 over +0.
            Min min Binary Ordered -> Same, cheap().fits(ANY);
            /// The angle of the point (`rhs`, `lhs`), in radians.
            Atan2 atan2 Binary Inexact -> Same, costly();
            /// `lhs / rhs` rounded down, NumPy's `floor_divide`; XLA has none. Floats: NumPy's `npy_divmod`, by which an infinite `lhs` gives NaN, and a zero `rhs` what `lhs / rhs` is. Integers: x//0 is 0, MIN//-1 is MIN.
            FloorDivide floor_divide Binary Real -> Same, costly().on(NARROW_FLOATS, Heavy);
            /// The remainder of the division that rounds down, with the divisor's sign: Python's `%` and NumPy's `remainder`; XLA has none. Floats: x%inf is x, or inf if the signs differ, and x%0 is NaN. Integers: x%0 is 0, MIN%-1 is 0.
            Remainder remainder Binary Real -> Same, costly().on(NARROW_FLOATS, Heavy).fits(INTEGERS);
            /// The length `sqrt(lhs * lhs + rhs * rhs)`, which no square in it makes over- or underflow; C99's `hypot`, by which an infinity wins over NaN. XLA has none.
            Hypot hypot Binary Float -> Same, costly();
            /// `log(exp(lhs) + exp(rhs))`, without the exponentials' overflow and accurate near 0; NumPy's, XLA has none.
            Logaddexp logaddexp Binary Float -> Same, heavy();
            /// The magnitude of `lhs` with the sign bit of `rhs`, that of a NaN included; C's `copysign`. XLA has none.
            Copysign copysign Binary Float -> Same, cheap().fits(ANY).exact();
            /// The complex numbers with `lhs` as real and `rhs` as imaginary part.
            Complex complex Binary ComplexPart -> Complex, cheap();
            /// Bitwise and; logical and on PRED.
            And and Binary Bitwise -> Same, cheap().fits(ANY);
            /// Bitwise or; logical or on PRED.
            Or or Binary Bitwise -> Same, cheap().fits(ANY);
            /// Bitwise exclusive or; logical exclusive or on PRED.
            Xor xor Binary Bitwise -> Same, cheap().fits(ANY);
            /// `lhs << rhs`, with `rhs` read as unsigned. Shifts by the type's width or more give 0.
            ShiftLeft shift_left Binary Integer -> Same, cheap();
            /// `lhs >> rhs` with zeros shifted in, with `rhs` read as unsigned. Shifts by the type's width or more give 0.
            ShiftRightLogical shift_right_logical Binary Integer -> Same, cheap();
            /// `lhs >> rhs` with copies of the top bit shifted in, even on unsigned types, with `rhs` read as unsigned. Shifts by the type's width or more give the top bit in every place.
            ShiftRightArithmetic shift_right_arithmetic Binary Integer -> Same, cheap();
            /// `lhs == rhs`; false with a NaN.
            Eq eq Compare Element -> Pred, cheap();
            /// `lhs != rhs`; true with a NaN.
            Ne ne Compare Element -> Pred, cheap();
            /// `lhs < rhs`; false with a NaN.
            Lt lt Compare Ordered -> Pred, cheap();
            /// `lhs <= rhs`; false with a NaN.
            Le le Compare Ordered -> Pred, cheap();
            /// `lhs > rhs`; false with a NaN.
            Gt gt Compare Ordered -> Pred, cheap();
            /// `lhs >= rhs`; false with a NaN.
            Ge ge Compare Ordered -> Pred, cheap();
            /// `lhs == rhs` in the total order -NaN < -inf < ... < -0 < +0 < ... < inf < NaN, payloads counted.
            EqTotalOrder eq_total_order Compare Ordered -> Pred, cheap();
            /// `lhs != rhs` in the total order.
            NeTotalOrder ne_total_order Compare Ordered -> Pred, cheap();
            /// `lhs < rhs` in the total order.
            LtTotalOrder lt_total_order Compare Ordered -> Pred, cheap();
            /// `lhs <= rhs` in the total order.
            LeTotalOrder le_total_order Compare Ordered -> Pred, cheap();
            /// `lhs > rhs` in the total order.
            GtTotalOrder gt_total_order Compare Ordered -> Pred, cheap();
            /// `lhs >= rhs` in the total order.
            GeTotalOrder ge_total_order Compare Ordered -> Pred, cheap();
            /// The float next to `from` in the direction of `to`, as C's `nextafter`; subnormals count. The operands have one shape or are scalars.
            NextAfter next_after Pair(
                from, to; ;
                [2, 3];
                "[`BroadcastError`](crate::BroadcastError) by rule S1; [`TypeError`](crate::TypeError) by rules T1 and T2."
            ) Float -> Same, cheap().fits(ANY);
            /// The magnitude; MIN stays MIN, and of a complex number it is real.
            Abs abs Unary Signed -> Magnitude, cheap().fits(FLOATS).exact();
            /// `-x`; integers wrap.
            Neg neg Unary Number -> Same, cheap().fits(FLOATS).exact();
            /// -1, 0 or 1; a zero keeps its sign, NaN stays NaN. A complex number is divided by its magnitude; 0 stays 0.
            Sign sign Unary Signed -> Same, cheap().on(&[C64], Costly).fits(ANY);
            /// x rounded up to an integer.
            Ceil ceil Unary Float -> Same, cheap().fits(ANY);
            /// x rounded down to an integer.
            Floor floor Unary Float -> Same, cheap().fits(ANY);
            /// x rounded towards zero to an integer.
            Trunc trunc Unary Float -> Same, cheap().fits(ANY);
            /// x rounded to the nearest integer, halves away from zero.
            Round round Unary Float -> Same, cheap().fits(ANY);
            /// x rounded to the nearest integer, halves to the even one.
            RoundNearestEven round_nearest_even Unary Float -> Same, cheap().fits(ANY);
            /// The square root.
            Sqrt sqrt Unary Inexact -> Same, cheap().on(&[C64], Costly);
            /// `1 / sqrt(x)`.
            Rsqrt rsqrt Unary Inexact -> Same, costly();
            /// The cube root.
            Cbrt cbrt Unary Float -> Same, costly();
            /// e to the power x.
            Exp exp Unary Inexact -> Same, costly();
            // Complex numbers are computed in pairs of floats: lavapipe took 2.2 times as long to
            // compile them, and 1.5 times as long to run them, in units of 16 elements as in quads.
            /// `exp(x) - 1`, accurate near 0.
            Expm1 expm1 Unary Inexact -> Same, costly().on(&[C64], Heavy);
            /// The natural logarithm.
            Log log Unary Inexact -> Same, costly();
            /// The logarithm to base 2, exact at powers of two; NumPy's, XLA has none.
            Log2 log2 Unary Inexact -> Same, costly();
            /// The logarithm to base 10, exact at powers of ten; NumPy's, XLA has none.
            Log10 log10 Unary Inexact -> Same, costly();
            /// `log(1 + x)`, accurate near 0.
            Log1p log1p Unary Inexact -> Same, costly();
            /// `1 / (1 + exp(-x))`.
            Logistic logistic Unary Inexact -> Same, costly().on(&[C64], Heavy);
            /// The sine of x in radians.
            Sin sin Unary Inexact -> Same, costly();
            /// The cosine of x in radians.
            Cos cos Unary Inexact -> Same, costly();
            /// The tangent of x in radians.
            Tan tan Unary Inexact -> Same, costly();
            /// The hyperbolic tangent.
            Tanh tanh Unary Inexact -> Same, costly();
            /// The hyperbolic sine.
            Sinh sinh Unary Inexact -> Same, costly();
            /// The hyperbolic cosine.
            Cosh cosh Unary Inexact -> Same, costly();
            /// The inverse sine, in radians.
            Asin asin Unary Inexact -> Same, costly();
            /// The inverse cosine, in radians.
            Acos acos Unary Inexact -> Same, costly();
            /// The inverse tangent, in radians.
            Atan atan Unary Inexact -> Same, costly();
            /// The inverse hyperbolic sine.
            Asinh asinh Unary Inexact -> Same, costly();
            /// The inverse hyperbolic cosine.
            Acosh acosh Unary Inexact -> Same, costly();
            /// The inverse hyperbolic tangent.
            Atanh atanh Unary Inexact -> Same, costly();
            /// The error function.
            Erf erf Unary Float -> Same, costly();
            /// `1 - erf(x)`, accurate for large x.
            Erfc erfc Unary Float -> Same, costly();
            /// The y for which `erf(y)` is x.
            ErfInv erf_inv Unary Float -> Same, costly();
            /// The logarithm of the magnitude of the gamma function; infinity at its poles.
            Lgamma lgamma Unary Float -> Same, heavy();
            /// The derivative of the gamma function's logarithm; NaN at its poles.
            Digamma digamma Unary Float -> Same, heavy();
            /// `exp(-|x|)` times the modified Bessel function of the first kind and order 0.
            BesselI0e bessel_i0e Unary Float -> Same, costly();
            /// `exp(-|x|)` times the modified Bessel function of the first kind and order 1.
            BesselI1e bessel_i1e Unary Float -> Same, costly();
            /// `1 / x`.
            Reciprocal reciprocal Unary Inexact -> Same, cheap().on(&[C64], Costly);
            /// `x * x`; integers wrap.
            Square square Unary Element -> Same, cheap();
            /// True where x is neither infinite nor NaN; the result is PRED.
            IsFinite is_finite Unary Float -> Pred, cheap();
            /// True where x is an infinity of either sign, a complex number where a part is; the result is PRED.
            IsInf is_inf Unary Inexact -> Pred, cheap();
            /// True where x is NaN, a complex number where a part is; the result is PRED.
            IsNan is_nan Unary Inexact -> Pred, cheap();
            /// True where the sign bit is set, of -0 and of NaN, too; the result is PRED.
            Signbit signbit Unary Float -> Pred, cheap();
            /// The real part; a real number stays.
            Real real Unary Inexact -> Part, cheap().fits(ANY).exact();
            /// The imaginary part; +0 for a real number.
            Imag imag Unary Inexact -> Part, cheap().fits(ANY).exact();
            /// The complex conjugate. The result is complex even for real numbers.
            Conj conj Unary Conjugable -> Complex, cheap();
            /// Bitwise complement; logical not on PRED.
            Not not Unary Bitwise -> Same, cheap();
            /// The number of leading zero bits.
            Clz clz Unary Integer -> Same, cheap().fits(ANY);
            /// The number of bits that are 1.
            PopulationCount population_count Unary Integer -> Same, cheap().fits(ANY);
            /// The nearest value of a format with `exponent_bits` and `mantissa_bits` bits, ties to even; F16 has 5 and 10, BF16 has 8 and 7. Values beyond the format's range give infinity, those below its smallest normal number 0. NaN stays; without mantissa bits it becomes infinity.
            ReducePrecision reduce_precision Format(
                operand; exponent_bits: i64 = 5, mantissa_bits: i64 = 10;
                [2, 3];
                "[`TypeError`](crate::TypeError) by rules T1 and T5."
            ) Float -> Same, cheap().fits(ANY);
            /// The same value in another element type. Floats become integers by truncation, with saturation, and NaN gives 0. Integers become floats by rounding to nearest, ties to even. Everything but 0 becomes a true PRED, NaN included.
            ConvertElementType convert_element_type Convert(
                operand; to: Type = i32;
                [2, 3];
                "None by the conversion itself: every type converts to every other."
            ) Element -> Same, cheap();
            /// The same bits as another element type. To a narrower type, the result has one more dimension, the last one, of as many elements as fit into one of the operand's, the lowest bits first. To a wider type, such a dimension goes.
            BitcastConvertType bitcast_convert_type Convert(
                operand; to: Type = u8;
                [2, 3, 4];
                "[`TypeError`](crate::TypeError) by rule T4; [`ShapeError`](crate::ShapeError) by rule C1."
            ) Element -> Same, cheap();
            /// `on_true` where `pred` holds, else `on_false`.
            Select select Ternary(pred, on_true, on_false;) Element -> Same, cheap().fits(ANY);
            /// `min(max(min_bound, x), max_bound)`; NaN if any is.
            Clamp clamp Ternary(min, x, max;) Real -> Same, cheap().fits(ANY);
            /// The operand broadcast to the output sizes, in elements: dimension i of the operand becomes dimension `broadcast_dimensions[i]` of the output. Size 1 stretches.
            BroadcastInDim broadcast_in_dim Broadcast(
                operand; out_sizes: Dims = [4, 2, 3], broadcast_dimensions: Dims = [1, 2];
                [4, 2, 3];
                "[`BroadcastError`](crate::BroadcastError) by rules D1 to D5; [`ShapeError`](crate::ShapeError) by rules N1 and C1."
            ) Element -> Same, cheap();
            /// The operand repeated along new dimensions of these sizes, in elements, which stand before its own.
            Broadcast broadcast Broadcast(
                operand; sizes: Dims = [4];
                [4, 2, 3];
                "[`ShapeError`](crate::ShapeError) by rules N1 and C1."
            ) Element -> Same, cheap();
            /// The operand with its dimensions permuted: dimension i of the result is dimension `permutation[i]` of the operand.
            Transpose transpose View(
                operand; permutation: Dims = [1, 0];
                [3, 2];
                "[`ViewError`](crate::ViewError) by rule V1."
            ) Element -> Same, cheap();
            /// The elements, in each dimension d, from index `start_indices[d]` up to, but without, `limit_indices[d]`, every `strides[d]`-th one.
            Slice slice View(
                operand; start_indices: Dims = [0, 1], limit_indices: Dims = [2, 3], strides: Dims = [1, 1];
                [2, 2];
                "[`ViewError`](crate::ViewError) by rules V2, V3 and V4."
            ) Element -> Same, cheap();
            /// The elements backwards along some dimensions; XlaBuilder's `Rev`.
            Reverse reverse View(
                operand; dimensions: Dims = [0];
                [2, 3];
                "[`ViewError`](crate::ViewError) by rule V5."
            ) Element -> Same, cheap();
            /// The elements, in the same row-major order, in a shape of the new sizes.
            Reshape reshape View(
                operand; new_sizes: Dims = [3, 2];
                [3, 2];
                "[`ShapeError`](crate::ShapeError) by rules N1 and C1; [`ViewError`](crate::ViewError) by rule V6."
            ) Element -> Same, cheap();
            /// The operand with a scalar, the padding value, around it and between its elements: in dimension d, `low[d]` elements come before the operand's, `high[d]` after them, and `interior[d]` between any two neighbours. A negative low or high amount removes as many elements at that end.
            Pad pad Move(
                operand, padding_value; low: Dims = [1, 0], high: Dims = [1, 0], interior: Dims = [0, 1];
                [4, 5];
                "[`ViewError`](crate::ViewError) by rules V7 and V8; [`TypeError`](crate::TypeError) by rule T2; [`ShapeError`](crate::ShapeError) by rule C1, where sizes with interior elements are rounded up to whole groups of an element and those after it."
            ) Element -> Same, cheap();
            /// The operands one after the other along one dimension.
            Concatenate concatenate Move(operands; dimension) Element -> Same, cheap();
            /// The operand with its elements shifted, as NumPy does (XLA has no roll): in dimension `dimensions[k]`, the element at index i goes to index i + `shifts[k]`, modulo the size, so that elements which leave at one end come back at the other. Shifts may be negative, and larger than the size; shifts of a repeated dimension add up.
            Roll roll Move(
                operand; shifts: Dims = [1], dimensions: Dims = [0];
                [2, 3];
                "[`ViewError`](crate::ViewError) by rule V10."
            ) Element -> Same, cheap();
            /// The elements at computed indices along `dimension`, which the result has the dimensions of `indices` in place of. Indices of any integer type; one that is out of range is clamped, as XLA's gather does: a negative one reads the first element, one that is too large the last.
            Take take Take(operand, indices; dimension) Element -> Same, cheap().fits(ANY);
            /// The elements at an index of their own along `dimension`: those of `indices` at the same place. Both have one rank; in other dimensions, size 1 stretches. Indices of any integer type; one that is out of range is clamped, as XLA's gather does.
            TakeAlongDimension take_along_dimension Take(operand, indices; dimension) Element -> Same, cheap().fits(ANY);
            /// The sum of the elements along `dimensions`, which the result lacks; 0 of none. Integers wrap, PRED is or. Floats: in an order that depends on indices alone, and in F32, F16 and BF16 with twice the precision, rounded once.
            ReduceSum reduce_sum Reduce(
                operand; dimensions: Dims = [1];
                [2];
                "[`ViewError`](crate::ViewError) by rules R1 and R2; [`TypeError`](crate::TypeError) by rule T1."
            ) Element -> Same, costly().fits(ANY);
            /// The product of the elements along `dimensions`, which the result lacks; 1 of none. Integers wrap, PRED is and. F16 and BF16 are multiplied in F32 and rounded once.
            ReduceProd reduce_prod Reduce(
                operand; dimensions: Dims = [1];
                [2];
                "[`ViewError`](crate::ViewError) by rules R1 and R2; [`TypeError`](crate::TypeError) by rule T1."
            ) Element -> Same, costly().fits(ANY);
            /// The largest of the elements along `dimensions`, which the result lacks; the lowest value, of floats -inf, of none. NaN if any is, and +0 over -0.
            ReduceMax reduce_max Reduce(
                operand; dimensions: Dims = [1];
                [2];
                "[`ViewError`](crate::ViewError) by rules R1 and R2; [`TypeError`](crate::TypeError) by rule T1."
            ) Ordered -> Same, costly().fits(ANY);
            /// The smallest of the elements along `dimensions`, which the result lacks; the highest value, of floats inf, of none. NaN if any is, and -0 over +0.
            ReduceMin reduce_min Reduce(
                operand; dimensions: Dims = [1];
                [2];
                "[`ViewError`](crate::ViewError) by rules R1 and R2; [`TypeError`](crate::TypeError) by rule T1."
            ) Ordered -> Same, costly().fits(ANY);
            /// Bitwise and of the elements along `dimensions`, which the result lacks, logical and on PRED; all bits set of none.
            ReduceAnd reduce_and Reduce(
                operand; dimensions: Dims = [1];
                [2];
                "[`ViewError`](crate::ViewError) by rules R1 and R2; [`TypeError`](crate::TypeError) by rule T1."
            ) Bitwise -> Same, costly().fits(ANY);
            /// Bitwise or of the elements along `dimensions`, which the result lacks, logical or on PRED; 0 of none.
            ReduceOr reduce_or Reduce(
                operand; dimensions: Dims = [1];
                [2];
                "[`ViewError`](crate::ViewError) by rules R1 and R2; [`TypeError`](crate::TypeError) by rule T1."
            ) Bitwise -> Same, costly().fits(ANY);
            /// Bitwise exclusive or of the elements along `dimensions`, which the result lacks, logical exclusive or on PRED; 0 of none.
            ReduceXor reduce_xor Reduce(
                operand; dimensions: Dims = [1];
                [2];
                "[`ViewError`](crate::ViewError) by rules R1 and R2; [`TypeError`](crate::TypeError) by rule T1."
            ) Bitwise -> Same, costly().fits(ANY);
            /// Each element's index along one dimension: 0, 1, 2, ...
            Iota iota Nullary(; element_type, sizes, iota_dimension) Number -> Same, cheap();
            /// An array that is given when the computation runs.
            Parameter parameter Nullary(; element_type, shape) Element -> Same, cheap();
            /// A scalar that is known when the computation is built.
            Constant constant Nullary(; value) Element -> Same, cheap();
        }
    };
}

/// Calls a macro with the operations that are composed of others: they are called as those of the
/// table are, and stored as the ones that they consist of.
#[doc(hidden)]
#[macro_export]
macro_rules! composed_table {
    ([$($callback:tt)+] $($argument:tt)*) => {
        $($callback)+! {
            [$($argument)*]

            /// The elements at position `index` along `dimension`, which the result lacks: NumPy's `x[:, index]` for dimension 1. Positions count from 0; negative ones are refused.
            Index index View(
                operand; dimension: i64 = 0, index: i64 = 1;
                [3];
                "[`ViewError`](crate::ViewError) by rule V3."
            ) Element -> Same, cheap();
            /// Every `steps[d]`-th element of each dimension d, from the first one on.
            StepBy step_by View(
                operand; steps: Dims = [1, 2];
                [2, 2];
                "[`ViewError`](crate::ViewError) by rules V2 and V4."
            ) Element -> Same, cheap();
            /// The position of the largest element along `dimensions`, which the result lacks, in S32: the first one in row-major order of these; the first NaN, if any element is.
            Argmax argmax Reduce(
                operand; dimensions: Dims = [1];
                [2];
                "[`ViewError`](crate::ViewError) by rules R1, R2 and R3; [`TypeError`](crate::TypeError) by rule T1."
            ) Ordered -> Index, costly();
            /// The position of the smallest element along `dimensions`, which the result lacks, in S32: the first one in row-major order of these; the first NaN, if any element is.
            Argmin argmin Reduce(
                operand; dimensions: Dims = [1];
                [2];
                "[`ViewError`](crate::ViewError) by rules R1, R2 and R3; [`TypeError`](crate::TypeError) by rule T1."
            ) Ordered -> Index, costly();
            /// [`argmax`](crate::Builder::argmax) in S64, of 2^31 elements and more, too: where there are fewer, positions are found in S32.
            ArgmaxS64 argmax_s64 Reduce(
                operand; dimensions: Dims = [1];
                [2];
                "[`ViewError`](crate::ViewError) by rules R1, R2 and R3, which has no upper bound here; [`TypeError`](crate::TypeError) by rule T1."
            ) Ordered -> LargeIndex, costly();
            /// [`argmin`](crate::Builder::argmin) in S64, of 2^31 elements and more, too: where there are fewer, positions are found in S32.
            ArgminS64 argmin_s64 Reduce(
                operand; dimensions: Dims = [1];
                [2];
                "[`ViewError`](crate::ViewError) by rules R1, R2 and R3, which has no upper bound here; [`TypeError`](crate::TypeError) by rule T1."
            ) Ordered -> LargeIndex, costly();
            /// The sum of the elements along `dimensions`, which the result lacks, divided by their number; NaN of none. F16 and BF16 are added and divided in F32, and rounded once.
            Mean mean Reduce(
                operand; dimensions: Dims = [1];
                [2];
                "[`ViewError`](crate::ViewError) by rules R1 and R2; [`TypeError`](crate::TypeError) by rule T1."
            ) Float -> Same, costly();
            /// The mean of the squares of the distances from the mean along `dimensions`, which the result lacks: the mean is computed first. F16 and BF16 are computed in F32, and rounded once.
            Var var Reduce(
                operand; dimensions: Dims = [1];
                [2];
                "[`ViewError`](crate::ViewError) by rules R1 and R2; [`TypeError`](crate::TypeError) by rule T1."
            ) Float -> Same, costly();
            /// The logarithm of the sum of the exponentials along `dimensions`, which the result lacks. The maximum is subtracted before and added after, so that no exponential overflows; -inf of elements that all are.
            Logsumexp logsumexp Reduce(
                operand; dimensions: Dims = [1];
                [2];
                "[`ViewError`](crate::ViewError) by rules R1 and R2; [`TypeError`](crate::TypeError) by rule T1."
            ) Float -> Same, costly();
            /// The sum of the elements up to each one along `dimension`. F16 and BF16 are added in F32, and rounded once. Backwards it is `x.reverse([d]).cumsum(d).reverse([d])`.
            Cumsum cumsum Reduce(
                operand; dimension: i64 = 1;
                [2, 3];
                "[`ViewError`](crate::ViewError) by rule R1; [`TypeError`](crate::TypeError) by rule T1."
            ) Number -> Same, costly();
            /// The product of the elements up to each one along `dimension`. F16 and BF16 are multiplied in F32, and rounded once. Backwards it is `x.reverse([d]).cumprod(d).reverse([d])`.
            Cumprod cumprod Reduce(
                operand; dimension: i64 = 1;
                [2, 3];
                "[`ViewError`](crate::ViewError) by rule R1; [`TypeError`](crate::TypeError) by rule T1."
            ) Number -> Same, costly();
            /// The largest of the elements up to each one along `dimension`: NaN from the first NaN on, and +0 over -0. Backwards it is `x.reverse([d]).cummax(d).reverse([d])`.
            Cummax cummax Reduce(
                operand; dimension: i64 = 1;
                [2, 3];
                "[`ViewError`](crate::ViewError) by rule R1; [`TypeError`](crate::TypeError) by rule T1."
            ) Ordered -> Same, costly();
            /// The smallest of the elements up to each one along `dimension`: NaN from the first NaN on, and -0 over +0. Backwards it is `x.reverse([d]).cummin(d).reverse([d])`.
            Cummin cummin Reduce(
                operand; dimension: i64 = 1;
                [2, 3];
                "[`ViewError`](crate::ViewError) by rule R1; [`TypeError`](crate::TypeError) by rule T1."
            ) Ordered -> Same, costly();
            /// The product of two vectors or matrices: the sum of products along the last dimension of `lhs` and the first of `rhs`, in the order of `reduce_sum`. F16 and BF16 are multiplied and added in F32, and rounded once. Each element of the result reads a row and a column again, so it is for small and for thin matrices.
            Dot dot Reduce(lhs, rhs;) Element -> Same, costly();
            /// The sum of products along contracting dimensions of `lhs` and `rhs`, for each index of the batch dimensions: XLA's DotGeneral, computed as `dot` is.
            DotGeneral dot_general Reduce(lhs, rhs; dimension_numbers) Element -> Same, costly();
            /// The exponentials, divided by their sum along `dimensions`. The maximum is subtracted before, so that none overflows; NaN of elements that all are -inf.
            Softmax softmax Reduce(
                operand; dimensions: Dims = [1];
                [2, 3];
                "[`ViewError`](crate::ViewError) by rules R1 and R2; [`TypeError`](crate::TypeError) by rule T1."
            ) Float -> Same, costly();
            /// The logarithm of the softmax along `dimensions`: the elements less their maximum, less the logarithm of the sum of the exponentials of these.
            LogSoftmax log_softmax Reduce(
                operand; dimensions: Dims = [1];
                [2, 3];
                "[`ViewError`](crate::ViewError) by rules R1 and R2; [`TypeError`](crate::TypeError) by rule T1."
            ) Float -> Same, costly();
            /// The elements less their mean along `dimensions`, divided by the square root of their variance and `epsilon`.
            LayerNorm layer_norm Reduce(
                operand; dimensions: Dims = [1], epsilon: f64 = 1e-5;
                [2, 3];
                "[`ViewError`](crate::ViewError) by rules R1 and R2; [`TypeError`](crate::TypeError) by rule T1."
            ) Float -> Same, costly();
            /// The elements, divided by the square root of the mean of their squares along `dimensions` and `epsilon`.
            RmsNorm rms_norm Reduce(
                operand; dimensions: Dims = [1], epsilon: f64 = 1e-5;
                [2, 3];
                "[`ViewError`](crate::ViewError) by rules R1 and R2; [`TypeError`](crate::TypeError) by rule T1."
            ) Float -> Same, costly();
        }
    };
}

/// Calls a macro for each row of the two tables.
///
/// The macro is given `kind Class Opcode method Bound Result [documentation] [arguments]`. The kind
/// is `binary`, `unary` or `by_hand`, whose arguments are empty, or `structured`; then they are
/// `first, others; attribute: type = example, ...; shape of the example; errors`.
#[doc(hidden)]
#[macro_export]
macro_rules! for_each_op {
    ($callback:ident) => {
        $crate::semantics::op::table::op_table! {
            [$crate::semantics::op::table::each_op] $callback
        }
        $crate::semantics::op::table::composed_table! {
            [$crate::semantics::op::table::each_op] $callback
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! each_op {
    ([$callback:ident] $(
        $(#[doc = $doc:literal])+
        $name:ident $method:ident $class:ident $(($($arguments:tt)*))? $bound:ident
            -> $result:ident, $properties:expr;
    )*) => {
        $($crate::semantics::op::table::one_op! {
            $callback $class ($($($arguments)*)?) $name $method $bound $result [$($doc)+]
        })*
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! one_op {
    ($callback:ident Binary () $($row:tt)*) => { $callback! { binary Binary $($row)* [] } };
    ($callback:ident Compare () $($row:tt)*) => { $callback! { binary Compare $($row)* [] } };
    ($callback:ident Unary () $($row:tt)*) => { $callback! { unary Unary $($row)* [] } };
    (
        $callback:ident $class:ident
        ($($operand:ident),+; $($attribute:ident: $kind:ident = $value:tt),*; $shape:tt; $errors:literal)
        $($row:tt)*
    ) => {
        $callback! {
            structured $class $($row)*
            [$($operand),+; $($attribute: $kind = $value),*; $shape; $errors]
        }
    };
    // Its arguments have no types, so that a mistake in another row matches nothing.
    (
        $callback:ident $class:ident ($($operand:ident),*; $($attribute:ident),*) $($row:tt)*
    ) => {
        $callback! { by_hand $class $($row)* [] }
    };
}

/// The Rust type of the elements of a result; `T` is that of the operands.
#[doc(hidden)]
#[macro_export]
macro_rules! result_element {
    (Same) => {
        T
    };
    (Pred) => {
        bool
    };
    (Complex) => {
        $crate::semantics::element::Complex32
    };
    (Magnitude) => {
        T::Magnitude
    };
    (Part) => {
        T::Part
    };
    (Index) => {
        i32
    };
    (LargeIndex) => {
        i64
    };
}

/// The Rust type of an attribute.
#[doc(hidden)]
#[macro_export]
macro_rules! attribute_type {
    (Dims) => { impl $crate::semantics::dims::Dims };
    (i64) => { i64 };
    (f64) => { f64 };
}

/// An attribute as functions of `graph::build` take it.
#[doc(hidden)]
#[macro_export]
macro_rules! attribute {
    (Dims $attribute:ident) => {
        &$attribute.to_signed()
    };
    ($number:ident $attribute:ident) => {
        $attribute
    };
}

/// The name of a Rust type that an operation accepts, for its example.
#[doc(hidden)]
#[macro_export]
macro_rules! example_type {
    (Bitwise) => {
        "i32"
    };
    (Integer) => {
        "i32"
    };
    ($bound:ident) => {
        "f32"
    };
}

// `macro_export` puts them at the root of the crate; they belong here.
#[doc(hidden)]
pub use {
    attribute, attribute_type, composed_table, each_op, example_type, for_each_op, one_op,
    op_table, result_element,
};

//! Tests every error message of the library, verbatim, so that a change of one is seen and meant.
//!
//! Calls that need no GPU go to a [`Builder`], which must be unchanged after each refusal; the
//! others to a [`Context`], which must still compute.

use std::collections::BTreeSet;
use std::fmt::Debug;

use indim::ElementType::{C64, F32, Pred, S32, U8, U16, U32, U64};
use indim::{
    ArrayError, Builder, Context, ContextOptions, DeviceError, ElementType, Error, Expr, Literal,
    Op, Opcode, PlanLimits, Result, Rule, Scalar, Shape, numpy, wgpu,
};
use indim_testing::contexts;

// ---- asking -------------------------------------------------------------------------------------

/// The refusal's message. The builder must be left as it was.
#[track_caller]
fn refused(b: &mut Builder, call: impl FnOnce(&mut Builder) -> Result<Op>) -> String {
    let before = format!("{b:?}");
    let error = call(b).expect_err("to be refused");
    assert_eq!(format!("{b:?}"), before, "the builder has changed");
    error.to_string()
}

/// Returns the message of `add` on f32 operands of these shapes.
#[track_caller]
fn add(lhs: &[usize], rhs: &[usize], broadcast_dimensions: &[i64]) -> String {
    let mut b = Builder::new();
    let (x, y) = (b.parameter(F32, lhs).unwrap(), b.parameter(F32, rhs).unwrap());
    let text = refused(&mut b, |b| b.add(x, y, broadcast_dimensions));
    let sum = b.add(x, x, &[]).unwrap();
    assert!(b.build(sum).is_ok(), "the builder still builds");
    text
}

/// Returns the message of `broadcast_in_dim` on an f32 operand of this shape.
#[track_caller]
fn in_dim(operand: &[usize], out_sizes: &[i64], broadcast_dimensions: &[i64]) -> String {
    let mut b = Builder::new();
    let x = b.parameter(F32, operand).unwrap();
    refused(&mut b, |b| b.broadcast_in_dim(x, out_sizes, broadcast_dimensions))
}

/// Returns the message of an operation on parameters of these types and shapes.
#[track_caller]
fn apply<const N: usize>(
    operands: [(ElementType, &[usize]); N],
    call: impl FnOnce(&mut Builder, [Op; N]) -> Result<Op>,
) -> String {
    let mut b = Builder::new();
    let ops = operands.map(|(ty, dims)| b.parameter(ty, dims).unwrap());
    refused(&mut b, |b| call(b, ops))
}

#[track_caller]
fn says<T: Debug>(result: Result<T>, text: &str) {
    assert_eq!(result.expect_err("to be refused").to_string(), text);
}

fn gpu() -> Context {
    contexts::blocking().unwrap_or_else(|error| panic!("{error}"))
}

/// The context's refusal, after which it must still compute.
#[track_caller]
fn context_says<T: Debug>(gpu: &Context, result: Result<T>, text: &str) {
    says(result, text);
    still_computes(gpu);
}

#[track_caller]
fn still_computes(gpu: &Context) {
    let x = gpu.array([3], &[1.0f32, 2.0, 3.0]).unwrap();
    assert_eq!((&x + 1.0).eval().unwrap().to_vec_blocking().unwrap(), [2.0, 3.0, 4.0]);
}

// ---- binary operations --------------------------------------------------------------------------

#[test]
fn b1_ranks_differ() {
    assert_eq!(
        add(&[2, 3], &[3], &[]),
        "add: lhs [2, 3] has rank 2 and rhs [3] has rank 1, but broadcast_dimensions is empty; \
         say which dimension of lhs each dimension of rhs matches, such as [1]"
    );
    assert_eq!(
        add(&[2], &[2, 3], &[]),
        "add: lhs [2] has rank 1 and rhs [2, 3] has rank 2, but broadcast_dimensions is empty; \
         say which dimension of rhs each dimension of lhs matches, such as [0]"
    );
    // Several fit: the ones furthest to the right, equal sizes before stretched ones.
    assert_eq!(
        add(&[4, 4, 4], &[4], &[]),
        "add: lhs [4, 4, 4] has rank 3 and rhs [4] has rank 1, but broadcast_dimensions is empty; \
         say which dimension of lhs each dimension of rhs matches, such as [2]"
    );
    assert_eq!(
        add(&[4, 1, 5], &[4, 5], &[]),
        "add: lhs [4, 1, 5] has rank 3 and rhs [4, 5] has rank 2, but broadcast_dimensions is \
         empty; say which dimension of lhs each dimension of rhs matches, such as [0, 2]"
    );
    assert_eq!(
        add(&[1, 7], &[5], &[]),
        "add: lhs [1, 7] has rank 2 and rhs [5] has rank 1, but broadcast_dimensions is empty; \
         say which dimension of lhs each dimension of rhs matches, such as [0]"
    );
    // None fits.
    assert_eq!(
        add(&[2, 3], &[4], &[]),
        "add: lhs [2, 3] has rank 2 and rhs [4] has rank 1, but broadcast_dimensions is empty; \
         no choice fits either: each size of rhs must, in order, equal one of lhs, or one of the \
         two be 1; change one of the operands"
    );
    let (ones, list) = (vec![1; 100], vec!["1"; 100].join(", "));
    assert_eq!(
        add(&[0, usize::MAX], &ones, &[]),
        format!(
            "add: lhs [0, 18446744073709551615] has rank 2 and rhs [{list}] has rank 100, but \
             broadcast_dimensions is empty; say which dimension of rhs each dimension of lhs \
             matches, such as [98, 99]"
        )
    );
}

#[test]
fn b2_length_of_broadcast_dimensions() {
    assert_eq!(
        add(&[2, 3], &[3], &[0, 1]),
        "add: broadcast_dimensions [0, 1] has length 2, but rhs [3] has rank 1; give one dimension \
         of lhs for each dimension of rhs, such as [1]"
    );
    assert_eq!(
        add(&[5], &[2, 3], &[0, 1, 2]),
        "add: broadcast_dimensions [0, 1, 2] has length 3, but lhs [5] has rank 1; give one \
         dimension of rhs for each dimension of lhs"
    );
    assert_eq!(
        add(&[2, 3], &[], &[0]),
        "add: broadcast_dimensions [0] has length 1, but rhs [] has rank 0; a scalar broadcasts \
         freely, so leave broadcast_dimensions empty"
    );
    // Before a look at what the entries are.
    assert_eq!(
        add(&[], &[2, 3], &[i64::MIN, i64::MAX]),
        "add: broadcast_dimensions [-9223372036854775808, 9223372036854775807] has length 2, but \
         lhs [] has rank 0; a scalar broadcasts freely, so leave broadcast_dimensions empty"
    );
}

#[test]
fn b3_negative_dimensions() {
    assert_eq!(
        add(&[2, 3], &[3], &[-1]),
        "add: broadcast_dimensions[0] is -1; dimensions count from 0, and those of lhs [2, 3] are \
         0 to 1"
    );
    assert_eq!(
        add(&[2, 3], &[4, 2, 3], &[1, i64::MIN]),
        "add: broadcast_dimensions[1] is -9223372036854775808; dimensions count from 0, and those \
         of rhs [4, 2, 3] are 0 to 2"
    );
}

#[test]
fn b4_dimensions_out_of_range() {
    assert_eq!(
        add(&[2, 3], &[3], &[2]),
        "add: broadcast_dimensions[0] is 2, but lhs [2, 3] has rank 2; its dimensions are 0 to 1"
    );
    assert_eq!(
        add(&[3], &[2, 3], &[i64::MAX]),
        "add: broadcast_dimensions[0] is 9223372036854775807, but rhs [2, 3] has rank 2; its \
         dimensions are 0 to 1"
    );
}

#[test]
fn b5_sizes_of_matched_dimensions() {
    assert_eq!(
        add(&[2, 3], &[2], &[1]),
        "add: dimension 0 of rhs has size 2 but is matched to dimension 1 of lhs, which has size \
         3; sizes must be equal or one of them 1; dimension 0 of lhs has size 2"
    );
    assert_eq!(
        add(&[2], &[2, 3, 2], &[1]),
        "add: dimension 0 of lhs has size 2 but is matched to dimension 1 of rhs, which has size \
         3; sizes must be equal or one of them 1; dimensions 0 and 2 of rhs have size 2"
    );
    assert_eq!(
        add(&[2, 3, 2, 2], &[9, 2], &[0, 1]),
        "add: dimension 0 of rhs has size 9 but is matched to dimension 0 of lhs, which has size \
         2; sizes must be equal or one of them 1"
    );
    assert_eq!(
        add(&[2, 3, 2, 2], &[2], &[1]),
        "add: dimension 0 of rhs has size 2 but is matched to dimension 1 of lhs, which has size \
         3; sizes must be equal or one of them 1; dimensions 0, 2 and 3 of lhs have size 2"
    );
    assert_eq!(
        add(&[0, 3], &[2], &[0]),
        "add: dimension 0 of rhs has size 2 but is matched to dimension 0 of lhs, which has size \
         0; sizes must be equal or one of them 1"
    );
}

#[test]
fn b6_order_of_broadcast_dimensions() {
    assert_eq!(
        add(&[2, 3, 4], &[4, 2], &[2, 0]),
        "add: broadcast_dimensions [2, 0] is not strictly increasing: 0 comes after 2; list the \
         dimensions of lhs in increasing order, each once (a binary operation does not transpose)"
    );
    assert_eq!(
        add(&[3, 3], &[2, 3, 4], &[1, 1]),
        "add: broadcast_dimensions [1, 1] is not strictly increasing: 1 comes after 1; list the \
         dimensions of rhs in increasing order, each once (a binary operation does not transpose)"
    );
}

#[test]
fn b7_equal_ranks_take_the_identity_alone() {
    assert_eq!(
        add(&[2, 3], &[2, 3], &[1, 0]),
        "add: lhs [2, 3] and rhs [2, 3] have the same rank, so broadcast_dimensions must be empty \
         or [0, 1], but it is [1, 0]"
    );
    assert_eq!(
        add(&[2], &[2], &[i64::MIN]),
        "add: lhs [2] and rhs [2] have the same rank, so broadcast_dimensions must be empty or \
         [0], but it is [-9223372036854775808]"
    );
    assert_eq!(
        add(&[], &[], &[0]),
        "add: lhs [] and rhs [] have the same rank, so broadcast_dimensions must be empty, but \
         it is [0]"
    );
}

#[test]
fn b8_degenerate_dimensions() {
    assert_eq!(
        add(&[2, 3], &[2, 4], &[]),
        "add: in dimension 1 of the result lhs [2, 3] has size 3 and rhs [2, 4] has size 4; sizes \
         must be equal or one of them 1"
    );
    assert_eq!(
        add(&[0], &[2], &[0]),
        "add: in dimension 0 of the result lhs [0] has size 0 and rhs [2] has size 2; sizes must \
         be equal or one of them 1"
    );
}

#[test]
fn b9_in_dim_on_the_wrong_operand() {
    let matrix = Expr::<f32>::iota(&[2, 3], 0);
    let row = Expr::<f32>::iota(&[3], 0);
    let source = |expr: &Expr<f32>| match expr.shape().unwrap_err() {
        Error::Expression { source, .. } => source.to_string(),
        other => panic!("without its place: {other}"),
    };
    assert_eq!(
        source(&(matrix.in_dim([0, 1]) + &row)),
        "add: in_dim([0, 1]) stands on lhs [2, 3], which has the higher rank; it says where the \
         dimensions of the lower-rank operand go, so put it on rhs"
    );
    assert_eq!(
        source(&(2.0 * row.in_dim([i64::MAX]))),
        "mul: in_dim([9223372036854775807]) stands on rhs [3], which has the higher rank; it says \
         where the dimensions of the lower-rank operand go, so put it on lhs"
    );
    assert_eq!(
        source(&(matrix.in_dim([]) - row.in_dim([1]))),
        "sub: both operands carry in_dim, [] and [1]; only the lower-rank operand of a binary \
         operation does, so take it off the other"
    );
}

// ---- select, clamp, broadcasts ------------------------------------------------------------------

#[test]
fn s1_only_scalars_broadcast() {
    assert_eq!(
        apply([(Pred, &[2, 3]), (F32, &[2, 3]), (F32, &[3])], |b, [p, x, y]| b.select(p, x, y)),
        "select: on_false [3] differs from pred [2, 3]; all operands must have one shape or be \
         scalars, so broadcast on_false with broadcast_in_dim first"
    );
    assert_eq!(
        apply([(Pred, &[]), (F32, &[1, 3]), (F32, &[2, 3])], |b, [p, x, y]| b.select(p, x, y)),
        "select: on_false [2, 3] differs from on_true [1, 3]; all operands must have one shape or \
         be scalars, so broadcast on_false with broadcast_in_dim first"
    );
    assert_eq!(
        apply([(F32, &[]), (F32, &[2]), (F32, &[1])], |b, [min, x, max]| b.clamp(min, x, max)),
        "clamp: max [1] differs from x [2]; all operands must have one shape or be scalars, so \
         broadcast max with broadcast_in_dim first"
    );
}

#[test]
fn d1_to_d5_broadcast_in_dim() {
    assert_eq!(
        in_dim(&[2, 3], &[3], &[]),
        "broadcast_in_dim: operand [2, 3] has rank 2 and the output [3] only 1; the output needs \
         at least the operand's rank"
    );
    assert_eq!(
        in_dim(&[3], &[2, 3], &[]),
        "broadcast_in_dim: broadcast_dimensions [] has length 0, but operand [3] has rank 1; give \
         one dimension of the output for each dimension of the operand"
    );
    assert_eq!(
        in_dim(&[3], &[2, 3], &[2]),
        "broadcast_in_dim: broadcast_dimensions[0] is 2, but the output [2, 3] has rank 2; its \
         dimensions are 0 to 1"
    );
    assert_eq!(
        in_dim(&[3], &[3], &[i64::MIN]),
        "broadcast_in_dim: broadcast_dimensions[0] is -9223372036854775808, but the output [3] has \
         rank 1; its only dimension is 0"
    );
    assert_eq!(
        in_dim(&[3], &[2, 4], &[1]),
        "broadcast_in_dim: dimension 0 of operand [3] has size 3 but goes to dimension 1 of the \
         output [2, 4], which has size 4; it must have that size or 1"
    );
    // Unlike a binary operation's, the output's size of 1 does not stretch.
    assert_eq!(
        in_dim(&[3], &[1], &[0]),
        "broadcast_in_dim: dimension 0 of operand [3] has size 3 but goes to dimension 0 of the \
         output [1], which has size 1; it must have that size or 1"
    );
    assert_eq!(
        in_dim(&[3, 2], &[2, 3], &[1, 0]),
        "broadcast_in_dim: broadcast_dimensions [1, 0] is not strictly increasing: 0 comes after \
         1; list the dimensions of the output in increasing order, each once"
    );
}

#[test]
fn n1_negative_sizes() {
    let x: &[usize] = &[2];
    assert_eq!(
        in_dim(x, &[2, i64::MIN], &[0]),
        "broadcast_in_dim: size 1 is -9223372036854775808; sizes are 0 or more"
    );
    assert_eq!(
        apply([(F32, x)], |b, [x]| b.broadcast(x, &[-1])),
        "broadcast: size 0 is -1; sizes are 0 or more"
    );
    let mut b = Builder::new();
    assert_eq!(
        refused(&mut b, |b| b.iota(F32, &[0, -3], 0)),
        "iota: size 1 is -3; sizes are 0 or more"
    );
}

#[test]
fn i1_iota_dimension() {
    let mut b = Builder::new();
    let mut iota = |sizes: &[i64], dimension| refused(&mut b, |b| b.iota(S32, sizes, dimension));
    assert_eq!(
        iota(&[], 0),
        "iota: iota_dimension is 0, but shape [] has rank 0; a scalar has no dimensions"
    );
    assert_eq!(
        iota(&[5], i64::MIN),
        "iota: iota_dimension is -9223372036854775808, but shape [5] has rank 1; its only \
         dimension is 0"
    );
    assert_eq!(
        iota(&[2, 3], i64::MAX),
        "iota: iota_dimension is 9223372036854775807, but shape [2, 3] has rank 2; its dimensions \
         are 0 to 1"
    );
}

#[test]
fn c1_too_many_elements() {
    const WHY: &str = "has more elements than can be counted (2^63 - 1, or what this machine can \
                       address); use smaller sizes or split the array";
    let mut b = Builder::new();
    assert_eq!(
        refused(&mut b, |b| b.parameter(Pred, [1 << 62, 2])),
        format!("parameter: shape [4611686018427387904, 2] {WHY}")
    );
    assert_eq!(
        refused(&mut b, |b| b.parameter(Pred, [usize::MAX, usize::MAX])),
        format!("parameter: shape [18446744073709551615, 18446744073709551615] {WHY}")
    );
    assert!(b.parameter(Pred, [usize::MAX, 0]).is_ok(), "no element at all");
    assert!(b.parameter(Pred, [i64::MAX as usize]).is_ok(), "just as many as can be");
    assert_eq!(
        add(&[1 << 32, 1], &[1, 1 << 31], &[]),
        format!("add: shape [4294967296, 2147483648] {WHY}")
    );
    assert_eq!(
        apply([(F32, &[3])], |b, [x]| b.broadcast(x, &[i64::MAX])),
        format!("broadcast: shape [9223372036854775807, 3] {WHY}")
    );
    assert_eq!(
        in_dim(&[], &[i64::MAX, 2], &[]),
        format!("broadcast_in_dim: shape [9223372036854775807, 2] {WHY}")
    );
    assert_eq!(
        refused(&mut b, |b| b.iota(F32, &[i64::MAX, i64::MAX], 0)),
        format!("iota: shape [9223372036854775807, 9223372036854775807] {WHY}")
    );
    // So many bytes, though not so many elements.
    says(
        Literal::new(F32, [i64::MAX as usize], Vec::new()),
        &format!(
            "array: shape [9223372036854775807] of f32 {}",
            WHY.replace("has more elements", "takes more bytes")
        ),
    );
}

#[test]
fn p1_numpy_alignment() {
    let shapes = |dims: &[&[usize]]| {
        let shapes: Vec<Shape> = dims.iter().map(|&d| d.into()).collect();
        numpy::broadcast_shapes(&shapes.iter().collect::<Vec<_>>())
    };
    says(
        shapes(&[&[2, 3], &[4]]),
        "broadcast_shapes: shapes [2, 3], [4] do not align: counted from the last dimension, \
         dimension -1 has size 4 in operand 1 and 3 in operand 0; sizes must be equal or 1",
    );
    says(
        shapes(&[&[], &[1, 5], &[7, 0, 5], &[2, 5]]),
        "broadcast_shapes: shapes [], [1, 5], [7, 0, 5], [2, 5] do not align: counted from the \
         last dimension, dimension -2 has size 2 in operand 3 and 0 in operand 2; sizes must be \
         equal or 1",
    );
    assert_eq!(shapes(&[]).unwrap(), Shape::scalar());
    says(
        shapes(&[&[usize::MAX, 1], &[usize::MAX]]),
        "broadcast_shapes: shape [18446744073709551615, 18446744073709551615] has more elements \
         than can be counted (2^63 - 1, or what this machine can address); use smaller sizes or \
         split the array",
    );
    // The functions name themselves by the operation; without arrays, so that no GPU is asked.
    let (matrix, row) = (Expr::<f32>::iota(&[2, 3], 0), Expr::<f32>::iota(&[4], 0));
    says(
        numpy::add(&matrix, &row),
        "add: shapes [2, 3], [4] do not align: counted from the last dimension, dimension -1 has \
         size 4 in operand 1 and 3 in operand 0; sizes must be equal or 1",
    );
    says(
        numpy::clamp(0.0, &matrix, &row),
        "clamp: shapes [], [2, 3], [4] do not align: counted from the last dimension, dimension \
         -1 has size 4 in operand 2 and 3 in operand 1; sizes must be equal or 1",
    );
    says(
        numpy::broadcast_to(&matrix, [3]),
        "broadcast_to: operand [2, 3] has rank 2 and the output [3] only 1; the output needs at \
         least the operand's rank",
    );
}

// ---- element types ------------------------------------------------------------------------------

#[test]
fn t1_types_that_are_not_accepted() {
    let x: &[usize] = &[2];
    assert_eq!(
        apply([(F32, x), (F32, x)], |b, [x, y]| b.and(x, y, &[])),
        "and: lhs has element type f32; this operation accepts pred, s4, s8, s16, s32, s64, u4, \
         u8, u16, u32 and u64; convert it with convert_element_type"
    );
    assert_eq!(
        apply([(F32, x), (Pred, x)], |b, [x, y]| b.sub(x, y, &[])),
        "sub: rhs has element type pred; this operation accepts s4, s8, s16, s32, s64, u4, u8, \
         u16, u32, u64, f16, bf16, f32, f64 and c64; convert it with convert_element_type"
    );
    assert_eq!(
        apply([(U32, x)], |b, [x]| b.abs(x)),
        "abs: operand has element type u32; this operation accepts s4, s8, s16, s32, s64, f16, \
         bf16, f32, f64 and c64; convert it with convert_element_type"
    );
    assert_eq!(
        apply([(S32, x)], |b, [x]| b.sin(x)),
        "sin: operand has element type s32; this operation accepts f16, bf16, f32, f64 and c64; \
         convert it with convert_element_type"
    );
    assert_eq!(
        apply([(Pred, x); 3], |b, [min, x, max]| b.clamp(min, x, max)),
        "clamp: x has element type pred; this operation accepts s4, s8, s16, s32, s64, u4, u8, \
         u16, u32, u64, f16, bf16, f32 and f64; convert it with convert_element_type"
    );
    let mut b = Builder::new();
    assert_eq!(
        refused(&mut b, |b| b.iota(Pred, &[2], 0)),
        "iota: the result has element type pred; this operation accepts s4, s8, s16, s32, s64, \
         u4, u8, u16, u32, u64, f16, bf16, f32, f64 and c64; make it one of these and convert \
         the result with convert_element_type"
    );
}

#[test]
fn t2_to_t4_types_that_do_not_fit_together() {
    let x: &[usize] = &[2];
    assert_eq!(
        apply([(F32, x), (S32, x)], |b, [x, y]| b.add(x, y, &[])),
        "add: lhs has element type f32 and rhs has s32; convert one of them with \
         convert_element_type"
    );
    assert_eq!(
        apply([(Pred, x), (F32, x), (U32, x)], |b, [p, x, y]| b.select(p, x, y)),
        "select: on_true has element type f32 and on_false has u32; convert one of them with \
         convert_element_type"
    );
    assert_eq!(
        apply([(S32, x), (F32, x), (F32, x)], |b, [min, x, max]| b.clamp(min, x, max)),
        "clamp: min has element type s32 and x has f32; convert one of them with \
         convert_element_type"
    );
    assert_eq!(
        apply([(S32, x), (F32, x), (F32, x)], |b, [p, x, y]| b.select(p, x, y)),
        "select: pred has element type s32, but it must be pred; compare or convert it first"
    );
    assert_eq!(
        apply([(Pred, x)], |b, [x]| b.bitcast_convert_type(x, F32)),
        "bitcast_convert_type: the bits of pred are no f32; pred is bitcast to pred only; use \
         convert_element_type"
    );
    assert_eq!(
        apply([(S32, x), (S32, x)], |b, [from, to]| b.next_after(from, to)),
        "next_after: from has element type s32; this operation accepts f16, bf16, f32 and f64; \
         convert it with convert_element_type"
    );
    assert_eq!(
        apply([(F32, x), (S32, x)], |b, [from, to]| b.next_after(from, to)),
        "next_after: from has element type f32 and to has s32; convert one of them with \
         convert_element_type"
    );
    assert_eq!(
        apply([(U32, x)], |b, [x]| b.reduce_precision(x, 5, 10)),
        "reduce_precision: operand has element type u32; this operation accepts f16, bf16, f32 \
         and f64; convert it with convert_element_type"
    );
    for (exponent_bits, mantissa_bits) in [(0, 10), (5, -1), (i64::MIN, i64::MIN)] {
        assert_eq!(
            apply([(F32, x)], |b, [x]| b.reduce_precision(x, exponent_bits, mantissa_bits)),
            format!(
                "reduce_precision: the format has {exponent_bits} exponent bits and \
                 {mantissa_bits} mantissa bits, but it takes 1 or more of the first and 0 or more \
                 of the second; f16 is 5 and 10, bf16 is 8 and 7"
            )
        );
    }
    assert_eq!(
        apply([(C64, x)], |b, [x]| b.bitcast_convert_type(x, U64)),
        "bitcast_convert_type: the bits of c64 are no u64; a complex type is bitcast to itself only; \
         use convert_element_type"
    );
    assert_eq!(
        apply([(U8, &[2, 3])], |b, [x]| b.bitcast_convert_type(x, F32)),
        "bitcast_convert_type: u8 is 8 bits wide and f32 32 bits, so that 4 elements become one, but \
         the operand's shape [2, 3] has a last dimension of size 3; reshape it so that its last \
         dimension has size 4"
    );
    assert_eq!(
        apply([(U8, &[])], |b, [x]| b.bitcast_convert_type(x, U16)),
        "bitcast_convert_type: u8 is 8 bits wide and u16 16 bits, so that 2 elements become one, but \
         the operand's shape [] has no dimension; reshape it so that its last dimension has size 2"
    );
    assert_eq!(
        "f8".parse::<ElementType>().unwrap_err().to_string(),
        "`f8` is no element type; those are pred, s4, s8, s16, s32, s64, u4, u8, u16, u32, u64, f16, \
         bf16, f32, f64 and c64"
    );
}

// ---- rules --------------------------------------------------------------------------------------

/// The rule that an operation on parameters of these types and shapes breaks.
fn broken<const N: usize>(
    operands: [(ElementType, &[usize]); N],
    call: impl FnOnce(&mut Builder, [Op; N]) -> Result<Op>,
) -> Option<Rule> {
    let mut b = Builder::new();
    let ops = operands.map(|(ty, dims)| b.parameter(ty, dims).unwrap());
    call(&mut b, ops).expect_err("to be refused").rule()
}

#[test]
fn views() {
    let transpose = |dims: &[usize], permutation: &[i64]| {
        apply([(F32, dims)], |b, [x]| b.transpose(x, permutation))
    };
    assert_eq!(
        transpose(&[2, 3], &[1]),
        "transpose: permutation [1] has length 1, but operand [2, 3] has rank 2; name each dimension of the operand once, such as [1, 0]"
    );
    assert_eq!(
        transpose(&[], &[0]),
        "transpose: permutation [0] has length 1, but operand [] has rank 0; a scalar has no dimensions, so leave it empty"
    );
    assert_eq!(
        transpose(&[2, 3], &[2, 0]),
        "transpose: permutation[0] is 2, but operand [2, 3] has rank 2; its dimensions are 0 to 1"
    );
    assert_eq!(
        transpose(&[2, 3], &[0, -1]),
        "transpose: permutation[1] is -1, but operand [2, 3] has rank 2; its dimensions are 0 to 1"
    );
    assert_eq!(
        transpose(&[2, 3, 4], &[2, 0, 2]),
        "transpose: permutation [2, 0, 2] has dimension 2 twice; name each dimension of the operand once, such as [2, 1, 0]"
    );

    let slice = |dims: &[usize], starts: &[i64], limits: &[i64], strides: &[i64]| {
        apply([(F32, dims)], |b, [x]| b.slice(x, starts, limits, strides))
    };
    assert_eq!(
        slice(&[2, 3], &[0], &[2, 3], &[1, 1]),
        "slice: start_indices has length 1, but operand [2, 3] has rank 2; give one start, one limit and one stride for each dimension of the operand"
    );
    assert_eq!(
        slice(&[2, 3], &[0, 0], &[2, 3, 4], &[1, 1]),
        "slice: limit_indices has length 3, but operand [2, 3] has rank 2; give one start, one limit and one stride for each dimension of the operand"
    );
    assert_eq!(
        slice(&[2, 3], &[0, 0], &[2, 3], &[]),
        "slice: strides has length 0, but operand [2, 3] has rank 2; give one start, one limit and one stride for each dimension of the operand"
    );
    assert_eq!(
        slice(&[2, 3], &[0, -1], &[2, 3], &[1, 1]),
        "slice: start_indices[1] is -1; indices count from 0, and dimension 1 of operand [2, 3] has size 3"
    );
    assert_eq!(
        slice(&[2, 3], &[0, 0], &[3, 3], &[1, 1]),
        "slice: limit_indices[0] is 3, but dimension 0 of operand [2, 3] has size 2; a limit is at most the size"
    );
    assert_eq!(
        slice(&[2, 3], &[0, 2], &[2, 1], &[1, 1]),
        "slice: start_indices[1] is 2 and limit_indices[1] is 1; a start is at most its limit, so exchange them or slice nothing with equal ones"
    );
    assert_eq!(
        slice(&[2, 3], &[0, 0], &[2, 3], &[1, -1]),
        "slice: strides[1] is -1; strides of slice are 1 or more, and reverse walks backwards"
    );

    let reverse =
        |dims: &[usize], given: &[i64]| apply([(F32, dims)], |b, [x]| b.reverse(x, given));
    assert_eq!(
        reverse(&[2, 3], &[1, 0, 1]),
        "reverse: dimensions [1, 0, 1] has dimension 1 twice; name each dimension that is to be reversed once"
    );
    assert_eq!(
        reverse(&[3], &[1]),
        "reverse: dimensions[0] is 1, but operand [3] has rank 1; its only dimension is 0"
    );
    assert_eq!(
        reverse(&[], &[-1]),
        "reverse: dimensions[0] is -1, but operand [] has rank 0; a scalar has no dimensions"
    );

    let reshape =
        |dims: &[usize], sizes: &[i64]| apply([(F32, dims)], |b, [x]| b.reshape(x, sizes));
    assert_eq!(
        reshape(&[4, 6], &[5, 8]),
        "reshape: operand [4, 6] has 24 elements, but the new sizes [5, 8] are for 40 elements; with size 3 in dimension 0 there are as many"
    );
    assert_eq!(
        reshape(&[1], &[7, 5]),
        "reshape: operand [1] has 1 element, but the new sizes [7, 5] are for 35 elements; a reshape keeps every element, so choose sizes whose product is the same"
    );
    assert_eq!(
        reshape(&[2, 3], &[]),
        "reshape: operand [2, 3] has 6 elements, but the new sizes [] are for 1 element; a reshape keeps every element, so choose sizes whose product is the same"
    );
    assert_eq!(reshape(&[2, 3], &[6, -1]), "reshape: size 1 is -1; sizes are 0 or more");
    assert!(reshape(&[2], &[1 << 40, 1 << 40]).starts_with("reshape: shape [1099511627776, "));

    // In an expression the first refusal is kept.
    let x = Expr::<f32>::iota(&[2, 3], 0);
    let error = (x.transpose(&[0]).reverse(&[7]) + 1.0).shape().unwrap_err();
    assert_eq!(error.rule(), Some(Rule::V1));
    assert!(error.to_string().contains("permutation [0] has length 1"), "{error}");
    assert!(matches!(error, Error::Expression { .. }));
}

#[test]
fn every_rule_is_provoked() {
    use Rule::*;
    let binary = |lhs: &[usize], rhs: &[usize], dims: &[i64]| {
        broken([(F32, lhs), (F32, rhs)], |b, [x, y]| b.add(x, y, dims))
    };
    let in_dim = |operand: &[usize], sizes: &[i64], dims: &[i64]| {
        broken([(F32, operand)], |b, [x]| b.broadcast_in_dim(x, sizes, dims))
    };
    let row = Expr::<f32>::iota(&[3], 0);
    let matrix = Expr::<f32>::iota(&[2, 3], 0);
    let x: &[usize] = &[2];
    let provoked = [
        (B1, binary(&[2, 3], &[3], &[])),
        (B2, binary(&[2, 3], &[3], &[0, 1])),
        (B3, binary(&[2, 3], &[3], &[-1])),
        (B4, binary(&[2, 3], &[3], &[2])),
        (B5, binary(&[2, 3], &[3], &[0])),
        (B6, binary(&[2, 3, 3], &[3, 3], &[2, 1])),
        (B7, binary(&[2, 3], &[2, 3], &[1, 0])),
        (B8, binary(&[2], &[3], &[])),
        (B9, (matrix.in_dim([0]) + &row).shape().unwrap_err().rule()),
        (T1, broken([(F32, x)], |b, [x]| b.not(x))),
        (T2, broken([(F32, x), (U32, x)], |b, [x, y]| b.eq(x, y, &[]))),
        (T3, broken([(U32, x); 3], |b, [p, x, y]| b.select(p, x, y))),
        (T4, broken([(F32, x)], |b, [x]| b.bitcast_convert_type(x, Pred))),
        (T5, broken([(F32, x)], |b, [x]| b.reduce_precision(x, 0, 10))),
        (S1, broken([(F32, x), (F32, &[3]), (F32, x)], |b, [l, x, h]| b.clamp(l, x, h))),
        (D1, in_dim(&[2, 3], &[3], &[1])),
        (D2, in_dim(&[3], &[2, 3], &[0, 1])),
        (D3, in_dim(&[3], &[2, 3], &[-1])),
        (D4, in_dim(&[3], &[2, 3], &[0])),
        (D5, in_dim(&[3, 3], &[3, 3], &[0, 0])),
        (V1, broken([(F32, x)], |b, [x]| b.transpose(x, &[1]))),
        (V2, broken([(F32, x)], |b, [x]| b.slice(x, &[0], &[2], &[]))),
        (V3, broken([(F32, x)], |b, [x]| b.slice(x, &[0], &[3], &[1]))),
        (V4, broken([(F32, x)], |b, [x]| b.slice(x, &[0], &[2], &[0]))),
        (V5, broken([(F32, x)], |b, [x]| b.reverse(x, &[1]))),
        (V6, broken([(F32, x)], |b, [x]| b.reshape(x, &[3]))),
        (N1, broken([(F32, x)], |b, [x]| b.broadcast(x, &[-1]))),
        (I1, broken([], |b, []| b.iota(F32, &[2], 1))),
        (C1, broken([], |b, []| b.iota(F32, &[i64::MAX, 2], 0))),
        (P1, numpy::broadcast_shapes(&[&[2].into(), &[3].into()]).unwrap_err().rule()),
        (P2, numpy::result_type(&[F32, indim::ElementType::Bf16]).unwrap_err().rule()),
    ];
    for (rule, found) in provoked {
        assert_eq!(found, Some(rule));
    }
    let seen: BTreeSet<Rule> = provoked.into_iter().map(|(rule, _)| rule).collect();
    assert_eq!(seen, Rule::ALL.iter().copied().collect());
}

#[test]
fn rules_have_labels_and_statements() {
    let labels: BTreeSet<&str> = Rule::ALL.iter().map(|r| r.label()).collect();
    assert_eq!(labels.len(), Rule::ALL.len(), "distinct");
    assert_eq!(Rule::B1.label(), "B1");
    assert_eq!(format!("{}|{:>4}", Rule::D5, Rule::D5), "D5|  D5");
    assert_eq!(
        Rule::B1.statement(),
        "operands of different ranks need broadcast_dimensions, unless one is a scalar (rank 0)"
    );
    assert!(Error::from(ArrayError::NoContext).rule().is_none(), "no rule of shapes or types");
}

/// XLA's order: of several faults the one that it looks for first is told.
#[test]
fn order_of_checks() {
    use Rule::*;
    let (x, y): (&[usize], &[usize]) = (&[2, 3], &[4]);
    let add = |l, r, dims: &'static [i64]| broken([l, r], |b, [x, y]| b.add(x, y, dims));
    // Binary operations look at types before shapes ...
    assert_eq!(add((F32, x), (S32, y), &[]), Some(T2));
    assert_eq!(broken([(Pred, x), (F32, y)], |b, [x, y]| b.sub(x, y, &[])), Some(T1));
    assert_eq!(broken([(F32, x), (Pred, y)], |b, [x, y]| b.sub(x, y, &[])), Some(T1));
    assert_eq!(broken([(F32, x), (S32, y)], |b, [x, y]| b.and(x, y, &[])), Some(T1));
    // ... but for the type of atan2's and the shifts' operands at B7 alone.
    let atan2 =
        |rhs, dims: &'static [i64]| broken([(S32, x), (S32, rhs)], |b, [x, y]| b.atan2(x, y, dims));
    assert_eq!(atan2(x, &[1, 0]), Some(B7));
    assert_eq!(atan2(y, &[]), Some(T1));
    assert_eq!(atan2(x, &[0, 1]), Some(T1));
    // Entries are looked at one by one, each for all of its faults.
    assert_eq!(add((F32, x), (F32, y), &[0, -1]), Some(B2));
    assert_eq!(add((F32, &[2, 3, 4]), (F32, &[9, 9]), &[0, -1]), Some(B5));
    assert_eq!(add((F32, &[2, 3, 4]), (F32, &[4, 9]), &[2, 1]), Some(B5));
    assert_eq!(add((F32, &[2, 3, 4]), (F32, &[4, 3]), &[2, 1]), Some(B6));
    // A slice's dimensions are looked at one by one; what is reversed twice before what is not
    // there.
    let slice = |starts: &'static [i64], limits: &'static [i64], strides: &'static [i64]| {
        broken([(F32, &[2, 3])], |b, [x]| b.slice(x, starts, limits, strides))
    };
    assert_eq!(slice(&[-1], &[9, 9], &[0, 0]), Some(V2));
    assert_eq!(slice(&[0, -1], &[2, 3], &[0, 1]), Some(V4));
    assert_eq!(slice(&[2, -1], &[1, 3], &[0, 1]), Some(V3));
    assert_eq!(broken([(F32, x)], |b, [x]| b.reverse(x, &[7, 7])), Some(V5));
    assert_eq!(broken([(F32, x)], |b, [x]| b.reshape(x, &[-1, 7])), Some(N1));
    // select, clamp and next_after look at shapes first.
    let select = |types: [ElementType; 3], on_false| {
        let [p, t, f] = types;
        broken([(p, x), (t, x), (f, on_false)], |b, [p, t, f]| b.select(p, t, f))
    };
    assert_eq!(select([F32, F32, S32], y), Some(S1));
    assert_eq!(select([F32, F32, S32], x), Some(T2));
    assert_eq!(select([F32, F32, F32], x), Some(T3));
    let clamp = |types: [ElementType; 3], max| {
        let [l, v, h] = types;
        broken([(l, x), (v, x), (h, max)], |b, [l, v, h]| b.clamp(l, v, h))
    };
    assert_eq!(clamp([S32, Pred, Pred], y), Some(S1));
    assert_eq!(clamp([S32, Pred, Pred], x), Some(T2));
    assert_eq!(clamp([Pred, Pred, Pred], x), Some(T1));
    let next_after = |types: [ElementType; 2], to| {
        broken([(types[0], x), (types[1], to)], |b, [from, to]| b.next_after(from, to))
    };
    assert_eq!(next_after([Pred, S32], y), Some(S1));
    assert_eq!(next_after([Pred, S32], x), Some(T2));
    assert_eq!(next_after([Pred, Pred], x), Some(T1));
    assert_eq!(broken([(U32, x)], |b, [x]| b.reduce_precision(x, 0, 10)), Some(T1));
    // Sizes before the rest; a result that cannot be counted last.
    let in_dim = |sizes: &'static [i64], dims: &'static [i64]| {
        broken([(F32, x)], |b, [x]| b.broadcast_in_dim(x, sizes, dims))
    };
    assert_eq!(in_dim(&[-1], &[7]), Some(N1));
    assert_eq!(in_dim(&[2], &[7]), Some(D1));
    assert_eq!(in_dim(&[2, i64::MAX, i64::MAX], &[7]), Some(D2));
    let iota = |ty, sizes: &'static [i64], dim| broken([], |b, []| b.iota(ty, sizes, dim));
    assert_eq!(iota(Pred, &[-1], 1), Some(N1));
    assert_eq!(iota(Pred, &[1], 1), Some(T1));
    assert_eq!(iota(F32, &[i64::MAX, i64::MAX], 2), Some(I1));
}

// ---- builders and computations ------------------------------------------------------------------

#[test]
fn builder_misuse() {
    let mut other = Builder::new();
    let foreign = other.constant(Scalar::new(1.0f32)).unwrap();
    let mut b = Builder::new();
    let x = b.parameter(F32, [2]).unwrap();
    let told = |op| {
        format!(
            "an operand of {op} comes from another builder; an Op is good only for the builder \
             that gave it"
        )
    };
    assert_eq!(refused(&mut b, |b| b.add(x, foreign, &[])), told("add"));
    assert_eq!(refused(&mut b, |b| b.select(foreign, x, x)), told("select"));
    says(b.shape(foreign), &told("shape"));
    says(b.element_type(foreign), &told("element_type"));
    assert_eq!(
        refused(&mut b, |b| b.unary(Opcode::Add, x)),
        "add is no unary operation; call the builder's method of its own name"
    );
    assert_eq!(
        refused(&mut b, |b| b.binary(Opcode::ConvertElementType, x, x, &[])),
        "convert_element_type is no binary operation; call the builder's method of its own name"
    );
    says(b.build(foreign), &told("build"));
}

// ---- expressions --------------------------------------------------------------------------------

#[test]
fn expressions_keep_the_first_error_and_its_place() {
    let v = Expr::<f32>::iota(&[3], 0);
    let (wrong, line) = (Expr::<f32>::iota(&[2, 3], 0) + &v, line!());
    // Nothing that is built on it panics or tells another story.
    let all = [
        wrong.clone(),
        -&wrong,
        wrong.exp() * 2.0,
        v.in_dim([7]) - &wrong,
        wrong.broadcast_in_dim(&[-1], &[i64::MAX]),
        wrong.gt(&v).select(&v, &wrong).convert::<i32>().bitcast(),
    ];
    for expr in &all {
        let error = expr.eval().unwrap_err();
        let Error::Expression { location, source } = &error else { panic!("{error}") };
        assert_eq!((location.file(), location.line()), (file!(), line));
        assert_eq!(error.rule(), Some(Rule::B1));
        assert_eq!(error.rule(), source.rule());
        assert_eq!(
            error.to_string(),
            format!(
                "add: lhs [2, 3] has rank 2 and rhs [3] has rank 1, but broadcast_dimensions is \
                 empty; say which dimension of lhs each dimension of rhs matches, such as [1] (in \
                 the expression built at {}:{line}:{})",
                file!(),
                location.column(),
            )
        );
        assert_eq!(expr.shape().unwrap_err().to_string(), error.to_string());
        assert_eq!(format!("{expr:?}"), format!("Expr({error})"));
    }
}

/// Each way to build an expression tells the line that calls it.
#[test]
fn each_face_tells_the_callers_line() {
    #[track_caller]
    fn here<T: indim::Element>(expr: &Expr<T>) {
        let caller = std::panic::Location::caller();
        match expr.shape() {
            Err(Error::Expression { location, .. }) => {
                assert_eq!((location.file(), location.line()), (caller.file(), caller.line()));
            }
            other => panic!("{other:?} at {caller}"),
        }
    }
    let (v, w) = (Expr::<f32>::iota(&[3], 0), Expr::<f32>::iota(&[4], 0));
    let (i, j) = (Expr::<i32>::iota(&[3], 0), Expr::<i32>::iota(&[4], 0));
    here(&(&v + &w));
    here(&(v.in_dim([1]) % &w));
    here(&(1.5 / v.in_dim([0, 1])));
    here(&(&i >> &j));
    here(&(&i & j.clone()));
    here(&v.atan2(&w));
    here(&v.le_total_order(&w));
    here(&v.clamp(&w, 1.0));
    here(&v.gt(0.0).select(&w, 0.0));
    here(&v.bitcast::<bool>());
    here(&v.broadcast(&[-1]));
    here(&v.broadcast_in_dim(&[2], &[0]));
    here(&Expr::<u32>::iota(&[2], 1));
    here(&Expr::<bool>::iota(&[2], 0));
}

#[test]
fn an_expression_without_arrays_needs_a_context() {
    let numbers = Expr::<f32>::iota(&[2, 2], 1);
    let told =
        "the expression has no array in it, so it does not say where to run; use Context::eval";
    says(numbers.eval(), told);
    says(indim::neg(&numbers), told);
    let gpu = gpu();
    assert_eq!(gpu.eval(&numbers).unwrap().to_vec_blocking().unwrap(), [0.0, 1.0, 0.0, 1.0]);
}

// ---- arrays -------------------------------------------------------------------------------------

#[test]
fn data_that_does_not_fill_the_shape() {
    says(Literal::from_slice([2, 3], &[true; 7]), "shape [2, 3] has 6 elements, but 7 were given");
    says(
        Literal::new(S32, [2, 3], vec![0; 6]),
        "shape [2, 3] of s32 takes 24 bytes, but 6 were given",
    );
    says(
        Literal::from_slice([2], &[1.0f32; 2]).unwrap().to_vec::<u32>(),
        "the array's element type is f32, not u32",
    );
    let gpu = gpu();
    context_says(
        &gpu,
        gpu.array([0, 3], &[1.0f32]),
        "shape [0, 3] has 0 elements, but 1 was given",
    );
    context_says(
        &gpu,
        gpu.array::<i32>(Shape::scalar(), &[]),
        "shape [] has 1 element, but 0 were given",
    );
    context_says(
        &gpu,
        gpu.array([usize::MAX, usize::MAX], &[1u32]),
        "array: shape [18446744073709551615, 18446744073709551615] has more elements than can be \
         counted (2^63 - 1, or what this machine can address); use smaller sizes or split the \
         array",
    );
    let literal = Literal::from_slice([2], &[true, false]).unwrap();
    context_says(
        &gpu,
        gpu.upload(&literal).unwrap().downcast::<f32>(),
        "the array's element type is pred, not f32",
    );
}

#[test]
fn arguments_that_do_not_fit_the_parameters() {
    let gpu = gpu();
    let mut b = Builder::new();
    let (x, y) = (b.parameter(F32, [2, 3]).unwrap(), b.parameter(F32, [3]).unwrap());
    let sum = b.add(x, y, &[1]).unwrap();
    let sum = b.build(sum).unwrap();
    let matrix = gpu.array([2, 3], &[1.0f32; 6]).unwrap();
    let (floats, integers) =
        (gpu.array([3], &[1.0f32; 3]).unwrap(), gpu.array([3], &[1i32; 3]).unwrap());
    context_says(
        &gpu,
        gpu.run(&sum, &[matrix.as_any()]),
        "the computation has 2 parameters, but 1 argument was given",
    );
    context_says(
        &gpu,
        gpu.run(&sum, &[matrix.as_any(), integers.as_any()]),
        "argument 1 is s32 [3], but parameter 1 is f32 [3]",
    );
    context_says(
        &gpu,
        gpu.run(&sum, &[floats.as_any(), floats.as_any()]),
        "argument 0 is f32 [3], but parameter 0 is f32 [2, 3]",
    );
    let good = gpu.run(&sum, &[matrix.as_any(), floats.as_any()]).unwrap();
    assert_eq!(good.downcast::<f32>().unwrap().to_vec_blocking().unwrap(), [2.0; 6]);
}

#[test]
fn arrays_of_two_contexts() {
    let first = gpu();
    // On the same device, so that only the context tells them apart; then on another one.
    let shared = Context::from_device(first.device().clone(), first.queue().clone()).unwrap();
    for second in [shared, gpu()] {
        let x = first.array([2], &[1.0f32, 2.0]).unwrap();
        let y = second.array([2], &[3.0f32, 4.0]).unwrap();
        let told = "the arrays of one operation come from two contexts; upload them to one, or \
                    share one context by cloning it";
        context_says(&first, indim::add(&x, &y, &[]), told);
        context_says(&second, (&y * &x).eval(), told);
        context_says(&first, first.eval(&y.expr()), told);
        let mut b = Builder::new();
        let p = b.parameter(F32, [2]).unwrap();
        let identity = b.build(p).unwrap();
        context_says(&first, first.run(&identity, &[y.as_any()]), told);
        // A clone is the same context.
        let z = first.clone().array([2], &[5.0f32, 6.0]).unwrap();
        assert_eq!((&x + &z).eval().unwrap().to_vec_blocking().unwrap(), [6.0, 8.0]);
    }
}

const FOREIGN: wgpu::BufferUsages = wgpu::BufferUsages::STORAGE
    .union(wgpu::BufferUsages::COPY_SRC)
    .union(wgpu::BufferUsages::COPY_DST);

fn buffer(device: &wgpu::Device, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("the test's"),
        size,
        usage,
        mapped_at_creation: false,
    })
}

#[test]
fn buffers_that_do_not_fit() {
    let gpu = gpu();
    let take = |shape: &[usize], size, usage, offset| {
        gpu.array_from_buffer::<f32>(shape, buffer(gpu.device(), size, usage), offset)
    };
    context_says(
        &gpu,
        take(&[2], 64, FOREIGN, 2),
        "offset 2 bytes is no multiple of 4; elements start at multiples of 4 bytes",
    );
    context_says(
        &gpu,
        take(&[2, 8], 64, FOREIGN, 4),
        "shape [2, 8] of f32 takes 64 bytes (whole 4-byte words) from offset 4, but the buffer has \
         only 64 bytes",
    );
    context_says(
        &gpu,
        take(&[2], 64, FOREIGN, u64::MAX - 3),
        "shape [2] of f32 takes 8 bytes (whole 4-byte words) from offset 18446744073709551612, but \
         the buffer has only 64 bytes",
    );
    context_says(
        &gpu,
        take(&[(1 << 61) - 1], 64, FOREIGN, 8),
        "shape [2305843009213693951] of f32 takes 9223372036854775804 bytes (whole 4-byte words) \
         from offset 8, but the buffer has only 64 bytes",
    );
    context_says(
        &gpu,
        take(&[usize::MAX], 64, FOREIGN, 0),
        "array: shape [18446744073709551615] has more elements than can be counted (2^63 - 1, or \
         what this machine can address); use smaller sizes or split the array",
    );
    // The last word of truth values must be there, too.
    let bytes = buffer(gpu.device(), 64, FOREIGN);
    context_says(
        &gpu,
        gpu.array_from_buffer::<bool>([61], bytes.clone(), 4),
        "shape [61] of pred takes 64 bytes (whole 4-byte words) from offset 4, but the buffer has \
         only 64 bytes",
    );
    assert!(gpu.array_from_buffer::<bool>([57], bytes, 4).is_ok());
    context_says(
        &gpu,
        take(&[2], 64, wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST, 0),
        "the buffer's usage is COPY_SRC | COPY_DST, but STORAGE is needed; create it with that flag",
    );
    let unreadable = take(&[2], 64, wgpu::BufferUsages::STORAGE, 0).unwrap();
    context_says(
        &gpu,
        unreadable.to_vec_blocking(),
        "the buffer's usage is STORAGE, but COPY_SRC is needed; create it with that flag",
    );
    assert_eq!(indim::neg(&unreadable).unwrap().to_vec_blocking().unwrap(), [-0.0, -0.0]);
    // Nothing is read of an array without elements, wherever it starts.
    let none = take(&[0], 64, FOREIGN, 64).unwrap();
    assert!(indim::neg(&none).unwrap().to_vec_blocking().unwrap().is_empty());
}

/// wgpu numbers the buffers of each instance from 0, so that another instance's buffer has a number
/// that may be one of ours, too.
#[test]
fn buffers_of_another_device() {
    let gpu = gpu();
    #[track_caller]
    fn refused(gpu: &Context, buffer: &wgpu::Buffer) {
        let error = gpu.array_from_buffer::<f32>([4], buffer.clone(), 0).unwrap_err();
        assert!(matches!(&error, Error::Array(ArrayError::OtherDevice)), "{error}");
        assert_eq!(
            error.to_string(),
            "the buffer belongs to another device than the context's; create it with \
             Context::device"
        );
        still_computes(gpu);
    }
    // The buffer is of a context on an instance of its own.
    let other = self::gpu();
    for _ in 0..3 {
        let theirs = buffer(other.device(), 64, FOREIGN);
        refused(&gpu, &theirs);
        let ours = buffer(gpu.device(), 64, FOREIGN);
        refused(&other, &ours);
        // Having been refused elsewhere changes nothing.
        let x = other.array_from_buffer::<f32>([4], theirs.clone(), 0).unwrap();
        let y = other.array_from_buffer::<f32>([4], theirs, 16).unwrap();
        assert_eq!((&x + &y).eval().unwrap().to_vec_blocking().unwrap(), [0.0; 4]);
        assert!(gpu.array_from_buffer::<f32>([4], ours, 0).is_ok());
    }
    // The buffer is of a device of the caller's whose errors go to wgpu's own handler, which
    // panics.
    let (plain, _queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
    refused(&gpu, &buffer(&plain, 64, FOREIGN));
    // The buffer is of another device on the same adapter.
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends: gpu.adapter_info().backend.into(),
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let adapter = pollster::block_on(instance.request_adapter(&Default::default())).unwrap();
    let open = || pollster::block_on(adapter.request_device(&Default::default())).unwrap();
    let ((device, queue), (second, _)) = (open(), open());
    let mine = Context::from_device(device, queue).unwrap();
    refused(&mine, &buffer(&second, 64, FOREIGN));
    // A destroyed buffer still belongs to this device.
    let gone = buffer(gpu.device(), 64, FOREIGN);
    gone.destroy();
    let error = gpu.array_from_buffer::<f32>([4], gone, 0).unwrap_err();
    assert!(matches!(&error, Error::Device(DeviceError::Wgpu { .. })), "{error}");
    still_computes(&gpu);
}

// ---- devices ------------------------------------------------------------------------------------

fn options() -> ContextOptions {
    ContextOptions::default()
}

/// The adapters of these backends, as the library lists them.
fn adapters(backends: wgpu::Backends) -> String {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends,
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let infos = pollster::block_on(instance.enumerate_adapters(backends));
    let infos = infos.iter().map(|adapter| adapter.get_info());
    infos.map(|info| format!("{} ({})", info.name, info.backend)).collect::<Vec<_>>().join(", ")
}

#[test]
fn no_adapter() {
    const INSTALL: &str = "Mesa's lavapipe (Debian and Ubuntu: apt-get install \
        mesa-vulkan-drivers libvulkan1; Fedora: dnf install mesa-vulkan-drivers vulkan-loader; \
        Arch: pacman -S vulkan-swrast vulkan-icd-loader; Alpine: apk add mesa-vulkan-swrast \
        vulkan-loader)";
    let told = |wanted: &str, backends| {
        format!(
            "no GPU adapter with {wanted} that can compute; there are: {}; choose another one by \
             the options or WGPU_ADAPTER_NAME and WGPU_BACKEND, or install a driver: {INSTALL}",
            adapters(backends),
        )
    };
    let backends = wgpu::Backends::from(gpu().adapter_info().backend);
    let backend = backends.iter_names().map(|(name, _)| name).collect::<Vec<_>>().join(" or ");
    let mut wanted = options();
    wanted.backends = Some(backends);
    wanted.adapter_name = Some("No Such Adapter".to_owned());
    says(
        Context::blocking_with_options(wanted),
        &told(&format!("a name that contains `No Such Adapter`, backend {backend}"), backends),
    );
    // No backend is left: wgpu's stub is not enabled.
    let mut wanted = options();
    wanted.backends = Some(wgpu::Backends::NOOP | wgpu::Backends::BROWSER_WEBGPU);
    wanted.force_fallback_adapter = true;
    says(
        Context::blocking_with_options(wanted),
        &told("backend NOOP or BROWSER_WEBGPU, software rendering", wgpu::Backends::all()),
    );
    // There is one here, or the tests would not run.
    assert_eq!(
        DeviceError::NoAdapter.to_string(),
        format!("no GPU adapter found; install a driver, or a software one: {INSTALL}")
    );
}

#[test]
fn limits_that_the_adapter_lacks() {
    let mut wanted = options();
    wanted.required_limits =
        Some(wgpu::Limits { max_bind_groups: u32::MAX, ..wgpu::Limits::default() });
    let error = Context::blocking_with_options(wanted).unwrap_err();
    let Error::Device(DeviceError::RequestDevice { adapter, reason }) = &error else {
        panic!("{error}")
    };
    // The reason is wgpu's.
    assert!(reason.contains("max_bind_groups"), "{reason}");
    assert_eq!(error.to_string(), format!("adapter {adapter} gives no device: {reason}"));
}

#[test]
fn arrays_that_are_too_large() {
    let gpu = gpu();
    let limit = gpu.device().limits().max_buffer_size;
    let told = |shape: &[usize], ty, bytes: u64| {
        format!(
            "shape {shape:?} of {ty} takes {bytes} bytes, but the device's max_buffer_size is \
             {limit}; split the array"
        )
    };
    let one = gpu.array([1], &[1.0f32]).unwrap();
    context_says(&gpu, indim::broadcast(&one, &[1 << 50]), &told(&[1 << 50, 1], F32, 1 << 52));
    context_says(
        &gpu,
        indim::is_finite(&one).and_then(|p| indim::broadcast(&p, &[i64::MAX])),
        &told(&[i64::MAX as usize, 1], Pred, i64::MAX as u64),
    );
    // The most elements whose bytes can be counted.
    context_says(
        &gpu,
        indim::iota::<u32>(&gpu, &[(1 << 61) - 1], 0),
        &told(&[(1 << 61) - 1], U32, i64::MAX as u64 - 3),
    );
    context_says(
        &gpu,
        indim::iota::<u32>(&gpu, &[1 << 61], 0),
        "array: shape [2305843009213693952] of u32 takes more bytes than can be counted (2^63 - 1, or \
         what this machine can address); use smaller sizes or split the array",
    );
}

#[test]
fn a_lost_device() {
    let gpu = gpu();
    let x = gpu.array([2], &[1.0f32, 2.0]).unwrap();
    gpu.notify_lost("unplugged");
    gpu.notify_lost("the first reason stays");
    let told = "the device is lost (unplugged); its arrays are gone, make a new Context";
    says(gpu.array([1], &[1.0f32]), told);
    says(indim::neg(&x), told);
    says(x.to_vec_blocking(), told);
    still_computes(&self::gpu());
}

// ---- nothing panics -----------------------------------------------------------------------------

/// Sizes that are at the edge of what can be computed with, next to a size of 0.
#[test]
fn arrays_without_elements_may_have_any_other_sizes() {
    let max = i64::MAX;
    let shapes: [&[i64]; 5] = [&[max, max, 0], &[0, max, max], &[max, 0, max], &[0], &[0, 0]];
    for sizes in shapes {
        let dims: Vec<usize> = sizes.iter().map(|&s| s as usize).collect();
        let mut b = Builder::new();
        let x = b.parameter(F32, &dims[..]).unwrap();
        let one = b.constant(Scalar::new(1.0f32)).unwrap();
        let i = b.iota(F32, sizes, 0).unwrap();
        let row = b.parameter(F32, [1]).unwrap();
        let row = b.broadcast_in_dim(row, sizes, &[sizes.len() as i64 - 1]).unwrap();
        let sum = [one, i, row].into_iter().fold(x, |sum, term| b.add(sum, term, &[]).unwrap());
        let explanation = b.build(sum).unwrap().explain(&PlanLimits::default()).unwrap();
        let kernel = &explanation.kernels[0];
        assert_eq!((kernel.workgroups, kernel.bytes_written), ([0, 0], 0), "{sizes:?}");

        let gpu = gpu();
        let x = gpu.array::<f32>(&dims[..], &[]).unwrap();
        let y = ((&x + 1.0).sin() * Expr::iota(sizes, 0)).eval().unwrap();
        assert_eq!(y.shape().dims(), dims);
        assert!(y.to_vec_blocking().unwrap().is_empty());
        let filled = gpu.eval(&Expr::<f32>::iota(&[1], 0).broadcast(sizes)).unwrap();
        assert!(filled.to_vec_blocking().unwrap().is_empty());
        let alike = numpy::broadcast_to(1.0f32, [0, usize::MAX]).unwrap_err();
        assert!(matches!(alike, Error::Array(ArrayError::NoContext)), "{alike}");
        still_computes(&gpu);
    }
}

#[test]
fn ranks_and_counts_at_the_edge() {
    // As many elements as there can be, in one dimension and in as many as there can be.
    for dims in [vec![i64::MAX as usize], vec![2; 62], vec![1; 1000]] {
        let mut b = Builder::new();
        let x = b.parameter(Pred, &dims[..]).unwrap();
        let y = b.not(x).unwrap();
        let kernels = b.build(y).unwrap().explain(&PlanLimits::default()).unwrap().kernels;
        assert_eq!((kernels.len(), kernels[0].iteration_space.len()), (1, 1));
    }
    // Nothing merges: every other dimension of the second operand is stretched.
    let (all, some) = (vec![2; 62], [[2, 1]; 31].concat());
    let mut b = Builder::new();
    let (x, y) = (b.parameter(Pred, &all[..]).unwrap(), b.parameter(Pred, &some[..]).unwrap());
    let both = b.and(x, y, &[]).unwrap();
    let kernels = b.build(both).unwrap().explain(&PlanLimits::default()).unwrap().kernels;
    assert_eq!(kernels[0].iteration_space.len(), 62);
    let gpu = gpu();
    let x = gpu.array(vec![1; 100], &[2.0f32]).unwrap();
    assert_eq!((&x + &x).eval().unwrap().to_vec_blocking().unwrap(), [4.0]);
    let mut b = Builder::new();
    let wide = b.parameter(F32, vec![1; 1000]).unwrap();
    let text = refused(&mut b, |b| b.broadcast_in_dim(wide, &[], &[]));
    assert!(text.ends_with(
        "has rank 1000 and the output [] only 0; the output needs at least the operand's rank"
    ));
}

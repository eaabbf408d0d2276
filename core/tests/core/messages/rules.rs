//! Tests that every rule is broken by some call, and which rule comes first where several are.

use std::collections::BTreeSet;

use indim::ElementType::{F32, Pred, S32, U32};
use indim::{
    ArrayError, Builder, DotDimensionNumbers, ElementType, Error, Expr, Op, Result, Rule, numpy,
};

use indim_testing::messages::apply;
use indim_testing::random::Random;

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
fn reductions() {
    let reduce =
        |dims: &[usize], given: &[i64]| apply([(F32, dims)], |b, [x]| b.reduce_sum(x, given));
    assert_eq!(
        reduce(&[2, 3], &[1, 2]),
        "reduce_sum: dimensions[1] is 2, but operand [2, 3] has rank 2; its dimensions are 0 to 1"
    );
    assert_eq!(
        reduce(&[2, 3, 4], &[2, 0, 2]),
        "reduce_sum: dimensions [2, 0, 2] of operand [2, 3, 4] have dimension 2 twice; name each dimension that is to be reduced once"
    );
    assert_eq!(
        apply([(F32, &[2, 0])], |b, [x]| b.argmin(x, [1])),
        "argmin: dimensions [1] of operand [2, 0] have 0 elements, but a result is one of them or its position; give an array with elements along these"
    );
}

#[test]
fn moves() {
    let pad = |lists: [&[i64]; 3], value: &[usize]| {
        let [low, high, interior] = lists;
        apply([(F32, &[2, 3]), (F32, value)], |b, [x, v]| b.pad(x, v, low, high, interior))
    };
    assert_eq!(
        pad([&[0, 0], &[0, 0], &[0, 0]], &[1]),
        "pad: padding_value [1] has rank 1; pad takes one value of rank 0, such as a constant"
    );
    for (place, list) in ["low", "high", "interior"].into_iter().enumerate() {
        let mut lists: [&[i64]; 3] = [&[0, 0]; 3];
        lists[place] = &[0];
        assert_eq!(
            pad(lists, &[]),
            format!(
                "pad: {list} has length 1, but operand [2, 3] has rank 2; give one low, one high and one interior amount for each dimension of the operand"
            )
        );
    }
    assert_eq!(
        pad([&[0, 0], &[0, 0], &[0, -1]], &[]),
        "pad: interior[1] is -1; interior amounts are 0 or more, and a slice with strides takes elements out"
    );
    assert_eq!(
        pad([&[0, -2], &[0, -2], &[0, 0]], &[]),
        "pad: low[1] is -2 and high[1] is -2, but dimension 1 of operand [2, 3] has size 3; take away no more elements than there are"
    );
    assert_eq!(
        pad([&[-9, 0], &[0, 0], &[4, 0]], &[]),
        "pad: low[0] is -9 and high[0] is 0, but dimension 0 of operand [2, 3] has size 2, 6 with 4 between neighbours; take away no more elements than there are"
    );
    let many = pad([&[i64::MAX, i64::MAX], &[0, 0], &[0, 0]], &[]);
    assert!(many.starts_with("pad: shape [9223372036854775809, 9223372036854775810] has more"));
    // Sizes too large for the machine's integers are cut to the largest one.
    let most = pad([&[i64::MAX, 0], &[i64::MAX, 0], &[i64::MAX, 0]], &[]);
    assert!(most.starts_with("pad: shape [18446744073709551615, 3] has more"), "{most}");
    assert_eq!(
        apply([(F32, &[2]), (S32, &[])], |b, [x, v]| b.pad(x, v, &[1], &[1], &[0])),
        "pad: operand has element type f32 and padding_value has s32; convert one of them with convert_element_type"
    );

    let join = |shapes: [&[usize]; 3], dimension: i64| {
        let [x, y, z] = shapes.map(|shape| (F32, shape));
        apply([x, y, z], |b, [x, y, z]| b.concatenate(&[x, y, z], dimension))
    };
    assert_eq!(
        apply([(F32, &[2])], |b, [_]| b.concatenate(&[], 0)),
        "concatenate: no operand is given; give at least one, with or without elements"
    );
    assert_eq!(
        join([&[2, 3], &[2, 3], &[2, 3]], 2),
        "concatenate: dimension is 2, but operand 0 [2, 3] has rank 2; its dimensions are 0 to 1"
    );
    assert_eq!(
        join([&[], &[], &[]], 0),
        "concatenate: dimension is 0, but operand 0 [] has rank 0; a scalar has no dimensions"
    );
    assert_eq!(
        join([&[2, 3], &[2, 3], &[6]], 1),
        "concatenate: operand 2 [6] has rank 1 and operand 0 [2, 3] has rank 2; reshape one of them to the rank of the other"
    );
    assert_eq!(
        join([&[2, 3], &[4, 3], &[2, 4]], 0),
        "concatenate: dimension 1 of operand 2 [2, 4] has size 4 and that of operand 0 [2, 3] has size 3; sizes differ along dimension 0 only, so slice or pad one of them"
    );
    assert_eq!(
        apply([(F32, &[2]), (S32, &[2])], |b, [x, y]| b.concatenate(&[x, x, y], 0)),
        "concatenate: operand 2 has element type s32 and operand 0 has f32; convert one of them with convert_element_type"
    );

    let roll = |shifts: &[i64], dimensions: &[i64]| {
        apply([(F32, &[2, 3])], |b, [x]| b.roll(x, shifts, dimensions))
    };
    assert_eq!(
        roll(&[1, 1], &[0]),
        "roll: shifts has length 2 and dimensions has length 1; give one shift for each dimension, or reshape to rank 1 to roll all elements in their order"
    );
    assert_eq!(
        roll(&[1, 1], &[0, 2]),
        "roll: dimensions[1] is 2, but operand [2, 3] has rank 2; its dimensions are 0 to 1"
    );

    // XLA's order: lists, types, amounts; ranks, types, sizes.
    let order = |value: ElementType, low: &'static [i64]| {
        broken([(F32, &[2]), (value, &[])], |b, [x, v]| b.pad(x, v, low, &[0], &[0]))
    };
    assert_eq!(order(S32, &[]), Some(Rule::V7));
    assert_eq!(order(S32, &[-3]), Some(Rule::T2));
    assert_eq!(order(F32, &[-3]), Some(Rule::V8));
    let order = |other: &'static [usize]| {
        broken([(F32, &[2, 3]), (S32, other)], |b, [x, y]| b.concatenate(&[x, y], 0))
    };
    assert_eq!(order(&[3]), Some(Rule::V9));
    assert_eq!(order(&[2, 4]), Some(Rule::T2));
}

#[test]
fn takes() {
    let take = |x: &[usize], indices: (ElementType, &[usize]), dimension| {
        apply([(F32, x), indices], |b, [x, i]| b.take(x, i, dimension))
    };
    assert_eq!(
        take(&[2, 3], (S32, &[4]), 2),
        "take: dimension is 2, but operand [2, 3] has rank 2; its dimensions are 0 to 1"
    );
    assert_eq!(
        take(&[2, 0], (S32, &[4]), 1),
        "take: dimension 1 of operand [2, 0] has no elements, but indices [4] are for some; give indices without elements, or an operand that has some"
    );
    assert_eq!(
        take(&[2, 3], (F32, &[4]), 1),
        "take: indices has element type f32; this operation accepts s4, s8, s16, s32, s64, u4, u8, u16, u32 and u64; convert it with convert_element_type"
    );
    let beside = |x: &[usize], indices: &[usize], dimension| {
        let indices = (S32, indices);
        apply([(F32, x), indices], |b, [x, i]| b.take_along_dimension(x, i, dimension))
    };
    assert_eq!(
        beside(&[2, 3], &[2], 1),
        "take_along_dimension: indices [2] have rank 1 and operand [2, 3] has rank 2; reshape one of them to the rank of the other, or take whole parts of the operand with take"
    );
    assert_eq!(
        beside(&[2, 3], &[4, 7], 1),
        "take_along_dimension: dimension 0 of indices [4, 7] has size 4 and that of operand [2, 3] has size 2; but along dimension 1 sizes are equal or 1, so slice or reshape one of them"
    );
}

#[test]
fn products() {
    let numbers = |lists: [&[i64]; 4]| {
        DotDimensionNumbers::contracting(lists[0], lists[1]).batch(lists[2], lists[3])
    };
    let general = |x: &[usize], y: &[usize], lists| {
        apply([(F32, x), (F32, y)], |b, [x, y]| b.dot_general(x, y, &numbers(lists)))
    };
    assert_eq!(
        general(&[2, 3], &[3, 4], [&[2], &[0], &[], &[]]),
        "dot_general: lhs_contracting[0] is 2, but operand [2, 3] has rank 2; its dimensions are 0 to 1"
    );
    assert_eq!(
        general(&[8, 2, 3], &[8, 3, 4], [&[2], &[0], &[0], &[0]]),
        "dot_general: rhs_contracting[0] is dimension 0 of rhs [8, 3, 4], which is named before; name each dimension at most once, as contracting or as batch"
    );
    assert_eq!(
        general(&[8, 2, 3], &[7, 3, 4], [&[2], &[1], &[0], &[0]]),
        "dot_general: dimension 0 of lhs [8, 2, 3] has size 8 and dimension 0 of rhs [7, 3, 4] has size 7, but lhs_batch and rhs_batch match them; transpose or slice one of them"
    );
    assert_eq!(
        general(&[2, 3], &[3, 4], [&[1], &[], &[], &[]]),
        "dot_general: lhs_contracting has length 1 and rhs_contracting has length 0; each dimension of one matches one of the other"
    );
    let dot =
        |x: &[usize], y: (ElementType, &[usize])| apply([(F32, x), y], |b, [x, y]| b.dot(x, y));
    assert_eq!(
        dot(&[2, 3], (F32, &[2, 4])),
        "dot: dimension 1 of lhs [2, 3] has size 3 and dimension 0 of rhs [2, 4] has size 2, but lhs_contracting and rhs_contracting match them; transpose or slice one of them"
    );
    assert_eq!(
        dot(&[], (F32, &[2])),
        "dot: lhs [] has rank 0; dot takes vectors and matrices, and dot_general other ranks, by dimension numbers"
    );
    assert_eq!(
        dot(&[2], (S32, &[2])),
        "dot: lhs has element type f32 and rhs has s32; convert one of them with convert_element_type"
    );
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
    let dots = |[lhs, rhs]: [&[i64]; 2]| {
        let numbers = DotDimensionNumbers::contracting(lhs, rhs);
        broken([(F32, &[2, 3]), (F32, &[3, 4])], |b, [x, y]| b.dot_general(x, y, &numbers))
    };
    let taken = |x: &[usize], indices: (ElementType, &[usize]), dimension| {
        broken([(F32, x), indices], |b, [x, i]| b.take(x, i, dimension))
    };
    let beside = |x: &[usize], indices: &[usize], dimension| {
        let indices = (S32, indices);
        broken([(F32, x), indices], |b, [x, i]| b.take_along_dimension(x, i, dimension))
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
        (V7, broken([(F32, x), (F32, x)], |b, [x, v]| b.pad(x, v, &[0], &[0], &[0]))),
        (V8, broken([(F32, x), (F32, &[])], |b, [x, v]| b.pad(x, v, &[-1], &[-2], &[0]))),
        (V9, broken([(F32, x)], |b, [x]| b.concatenate(&[x, x], 1))),
        (V10, broken([(F32, x)], |b, [x]| b.roll(x, &[1], &[1]))),
        (R1, broken([(F32, x)], |b, [x]| b.reduce_sum(x, &[1]))),
        (R2, broken([(F32, x)], |b, [x]| b.reduce_sum(x, &[0, 0]))),
        (R3, broken([(F32, &[2, 0])], |b, [x]| b.argmax(x, &[1]))),
        (G1, taken(&[2, 3], (S32, &[2]), 2)),
        (G2, taken(&[0, 3], (S32, &[2]), 0)),
        (G3, beside(&[2, 3], &[2], 1)),
        (M1, dots([&[2], &[0]])),
        (M2, dots([&[0], &[0]])),
        (M3, broken([(F32, &[2, 3]), (F32, &[])], |b, [x, y]| b.dot(x, y))),
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

/// XLA's order: of several faults, the one that it checks first is reported.
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

/// Whatever its lists hold, a product is made or refused by a rule, and its shape is counted.
#[test]
fn products_of_any_lists_are_made_or_refused_by_a_rule() {
    let random = &mut Random::new(20_261_129);
    let mut seen: BTreeSet<Option<Rule>> = BTreeSet::new();
    for _ in 0..4_000 {
        let mut b = Builder::new();
        let mut operand = || {
            let sizes: Vec<i64> = (0..random.below(5))
                .map(|_| random.pick(&[0, 1, 2, 2, 3, 1 << 31, 1 << 40]))
                .collect();
            b.parameter(F32, sizes)
        };
        let (Ok(x), Ok(y)) = (operand(), operand()) else { continue };
        let mut list = || -> Vec<i64> {
            let any = [0, 0, 1, 1, 2, 3, -1, i64::MIN, i64::MAX];
            (0..random.pick(&[0, 0, 1, 1, 2])).map(|_| random.pick(&any)).collect()
        };
        let numbers = DotDimensionNumbers::contracting(list(), list()).batch(list(), list());
        match b.dot_general(x, y, &numbers) {
            Ok(made) => assert!(b.shape(made).unwrap().rank() <= 8),
            Err(error) => assert!(seen.insert(error.rule()) || error.rule().is_some(), "{error}"),
        }
        assert!(b.neg(x).is_ok(), "the builder stays usable");
    }
    assert_eq!(seen, [Rule::M1, Rule::M2, Rule::C1].map(Some).into());
}

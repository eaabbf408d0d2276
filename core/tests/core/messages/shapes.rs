//! Tests the messages of refused shapes: binary operations, select, clamp and broadcasts.

use indim::ElementType::{F32, Pred, S32};
use indim::{Builder, Error, Expr, Literal, Shape, numpy};

use super::{add, in_dim};
use indim_testing::messages::{apply, refused, says};

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
        source(&(&row - matrix.in_dim([i64::MAX]))),
        "sub: in_dim([9223372036854775807]) stands on rhs [2, 3], which has the higher rank; it \
         says where the dimensions of the lower-rank operand go, so put it on lhs"
    );
    // An expression of rank 0 has no dimensions to list.
    let two = Expr::full(2.0, []);
    assert_eq!(
        source(&(&matrix + &two * row.in_dim([1]))),
        "mul: in_dim([1]) stands on rhs [3], but lhs is a scalar, which broadcasts freely; put \
         in_dim on the result of this operation, where that meets an operand of higher rank"
    );
    assert_eq!(
        source(&(row.in_dim([1]) / &two + &matrix)),
        "div: in_dim([1]) stands on lhs [3], but rhs is a scalar, which broadcasts freely; put \
         in_dim on the result of this operation, where that meets an operand of higher rank"
    );
    assert_eq!((&matrix + (2.0 * &row).in_dim([1])).shape().unwrap().dims(), [2, 3]);
    assert_eq!(
        source(&(matrix.in_dim([]) - row.in_dim([1]))),
        "sub: both operands carry in_dim, [] and [1]; only the lower-rank operand of a binary \
         operation does, so take it off the other"
    );
}

#[test]
fn s1_only_scalars_broadcast() {
    assert_eq!(
        apply([(Pred, &[2, 3]), (F32, &[2, 3]), (F32, &[3])], |b, [p, x, y]| b.select(p, x, y)),
        "select: on_false [3] differs from pred [2, 3]; all operands must have one shape or be \
         scalars, so broadcast on_false with broadcast_in_dim first"
    );
    assert_eq!(
        apply([(Pred, &[]), (F32, &[1, 3]), (F32, &[2, 3])], |b, [p, x, y]| b.select(p, x, y)),
        "select: on_true [1, 3] differs from on_false [2, 3]; all operands must have one shape or \
         be scalars, so broadcast on_true with broadcast_in_dim first"
    );
    assert_eq!(
        apply([(F32, &[]), (F32, &[2]), (F32, &[1])], |b, [min, x, max]| b.clamp(min, x, max)),
        "clamp: max [1] differs from x [2]; all operands must have one shape or be scalars, so \
         broadcast max with broadcast_in_dim first"
    );
}

/// The operand that is named is the one that can be broadcast, wherever it stands.
#[test]
fn s1_names_the_operand_to_be_broadcast() {
    let source = |expr: Expr<f32>| match expr.shape().unwrap_err() {
        Error::Expression { source, .. } => source.to_string(),
        other => panic!("without its place: {other}"),
    };
    let (x, v) = (Expr::<f32>::iota(&[2, 3], 0), Expr::<f32>::iota(&[3], 0));
    assert_eq!(
        source(x.clamp(&v, 9.0)),
        "clamp: min [3] differs from x [2, 3]; all operands must have one shape or be scalars, so \
         broadcast min with broadcast_in_dim first"
    );
    assert_eq!(
        source(v.clamp(0.0, &x)),
        "clamp: x [3] differs from max [2, 3]; all operands must have one shape or be scalars, so \
         broadcast x with broadcast_in_dim first"
    );
    assert_eq!(
        source(v.gt(0.0).select(&x, 0.0)),
        "select: pred [3] differs from on_true [2, 3]; all operands must have one shape or be \
         scalars, so broadcast pred with broadcast_in_dim first"
    );
    assert_eq!(
        source(v.next_after(&x)),
        "next_after: from [3] differs from to [2, 3]; all operands must have one shape or be \
         scalars, so broadcast from with broadcast_in_dim first"
    );
    // Both have to be stretched, or nothing helps.
    let (row, column) = (Expr::<f32>::iota(&[1, 3], 1), Expr::<f32>::iota(&[2, 1], 0));
    assert_eq!(
        source(row.next_after(&column)),
        "next_after: to [2, 1] differs from from [1, 3]; all operands must have one shape or be \
         scalars, so broadcast both to [2, 3] with broadcast_in_dim first"
    );
    for other in [Expr::<f32>::iota(&[4], 0), Expr::iota(&[2, 4], 0), Expr::iota(&[3, 2, 2], 0)] {
        let shape = other.shape().unwrap();
        assert_eq!(
            source(x.next_after(&other)),
            format!(
                "next_after: to {shape} differs from from [2, 3]; all operands must have one shape \
                 or be scalars, and neither of these two can be broadcast to the other's shape; \
                 change one of them"
            )
        );
    }
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
        refused(&mut b, |b| b.parameter(Pred, [1_usize << 62, 2])),
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
    // Too many bytes, though not too many elements.
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
        "broadcast_shapes: shapes [2, 3] and [4] do not align: counted from the last dimension, \
         dimension -1 has size 4 in operand 1 and 3 in operand 0; sizes must be equal or 1",
    );
    says(
        shapes(&[&[], &[1, 5], &[7, 0, 5], &[2, 5]]),
        "broadcast_shapes: shapes [], [1, 5], [7, 0, 5] and [2, 5] do not align: counted from the \
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
    // The functions use the operation's name.
    let refusal = |refused: Expr<f32>| -> Result<(), Error> {
        match refused.shape() {
            Err(Error::Expression { source, .. }) => Err(*source),
            other => other.map(drop),
        }
    };
    let (matrix, row) = (Expr::<f32>::iota(&[2, 3], 0), Expr::<f32>::iota(&[4], 0));
    says(
        refusal(numpy::add(&matrix, &row)),
        "add: shapes [2, 3] and [4] do not align: counted from the last dimension, dimension -1 has \
         size 4 in operand 1 and 3 in operand 0; sizes must be equal or 1",
    );
    says(
        refusal(numpy::clamp(0.0, &matrix, &row)),
        "clamp: shapes [], [2, 3] and [4] do not align: counted from the last dimension, dimension \
         -1 has size 4 in operand 2 and 3 in operand 1; sizes must be equal or 1",
    );
    says(
        refusal(numpy::broadcast_to(&matrix, [3])),
        "broadcast_to: operand [2, 3] has rank 2 and the output [3] only 1; the output needs at \
         least the operand's rank",
    );
}

//! Reductions with an initial value, in every way to call.

use indim::{
    AnyExpr, Array, Builder, Computation, Context, ElementType, Expr, Literal, OpClass, Opcode,
    Rule, Scalar,
};
use indim_testing::contexts::gpu;
use indim_testing::oracle;
use indim_testing::oracle::reduce::{by, reduced};
use indim_testing::oracle::value::Value;
use indim_testing::share;

fn all() -> impl Iterator<Item = Opcode> {
    Opcode::ALL.iter().copied().filter(|opcode| opcode.class() == OpClass::Reduce)
}

/// Small numbers of a type, of both signs if it has them, whose sums and products are exact.
fn numbers(of: ElementType, count: usize) -> Literal {
    let each = of.bits().div_ceil(8);
    let bits = |i: usize| {
        let small =
            [1.0, 2.0, 1.0, if of.integer_range().is_some_and(|r| r.0 == 0) { 3.0 } else { -1.0 }];
        match Scalar::from_f64(of, small[i % 4]) {
            Some(scalar) => scalar.bits(),
            None => Scalar::from_i128(of, small[i % 4] as i128)
                .map_or(i.is_multiple_of(3).into(), Scalar::bits),
        }
    };
    let bytes = (0..count).flat_map(|i| bits(i).to_le_bytes()[..each].to_vec());
    Literal::new(of, [count], bytes.collect::<Vec<u8>>()).unwrap()
}

/// Checks a reduction with one initial value for all results, or with one for each.
fn check(
    gpu: &Context,
    (opcode, of): (Opcode, ElementType),
    [rows, columns]: [usize; 2],
    one: bool,
) {
    let label = format!("{opcode:?} of {of}, {rows} {columns}, one: {one}");
    let flat = numbers(of, rows * columns);
    let x = AnyExpr::literal(flat.clone()).reshape([rows, columns]).unwrap();
    let all = numbers(of, rows + 1);
    let init = AnyExpr::literal(all.clone());
    let init = if one {
        init.slice([0], [1]).unwrap().reshape([]).unwrap()
    } else {
        init.slice([1], [rows as i64 + 1]).unwrap()
    };
    let result = AnyExpr::reduce_with_init(opcode, &x, &init, [1]).expect(&label);
    let found = gpu.eval(&result).expect(&label).to_literal_blocking().unwrap();
    for row in 0..rows {
        let element = |i: usize| flat.element(row * columns + i).unwrap().bits();
        let elements: Vec<u64> = (0..columns).map(element).collect();
        let init = all.element(if one { 0 } else { row + 1 }).unwrap().bits();
        let alone = reduced(opcode, of, &elements);
        let expected = oracle::binary(by(opcode), of, alone, Value::Bits(init));
        let found = found.element(row).unwrap().bits();
        assert!(expected.admits(found, of), "{label}: {found:x}, not {expected:?}");
    }
}

/// Every reduction of every type, also of nothing.
#[test]
fn initial_values_are_combined_with_the_result() {
    let gpu = gpu();
    let pairs: Vec<_> =
        all().flat_map(|opcode| opcode.accepted().map(move |of| (opcode, of))).collect();
    assert!(pairs.len() > 50, "{}", pairs.len());
    // Not a divisor of the number of types of any reduction.
    for (number, &pair) in pairs.iter().enumerate().step_by(share::one_of(7)) {
        if gpu.supports(pair.1) {
            check(&gpu, pair, [4, 40], number % 2 == 0);
            check(&gpu, pair, [2, 0], number % 2 == 1);
        }
    }
}

#[test]
fn all_ways_to_call_agree() {
    let gpu = gpu();
    let x: Array<f32> = gpu.array([2, 3], &[1., 2., 3., 4., 5., 6.]).unwrap();
    let init: Array<f32> = gpu.array([2], &[10., 20.]).unwrap();
    let of = Opcode::ReduceSum;
    let eager = indim::reduce_with_init(of, &x, &init, [1]).unwrap();
    assert_eq!(eager.to_vec_blocking().unwrap(), [16., 35.]);
    let scalar = indim::reduce_with_init(of, &x, 0.5, [0, 1]).unwrap();
    assert_eq!(scalar.to_vec_blocking().unwrap(), [21.5]);
    let lazy = (&x * 2.0).reduce_with_init(of, &init * 2.0, [1]);
    assert_eq!(lazy.eval().unwrap().to_vec_blocking().unwrap(), [32., 70.]);
    let most = x.reduce_with_init(Opcode::ReduceMax, 3.0, [1]).eval().unwrap();
    assert_eq!(most.to_vec_blocking().unwrap(), [3., 6.]);
    // One kernel: the initial value is part of the epilogue.
    assert_eq!(lazy.explain().unwrap().kernels.len(), 1);
}

#[test]
fn other_types_and_shapes_are_refused() {
    let mut b = Builder::new();
    let x = b.parameter(ElementType::F32, [2, 3]).unwrap();
    let [three, whole] = [(ElementType::F32, 3), (ElementType::S32, 2)]
        .map(|(of, size)| b.parameter(of, [size]).unwrap());
    let rule = |result: indim::Result<indim::Op>| result.unwrap_err().rule();
    let sum = Opcode::ReduceSum;
    assert_eq!(rule(b.reduce_with_init(sum, x, three, [1])), Some(Rule::B8));
    assert_eq!(rule(b.reduce_with_init(sum, x, whole, [1])), Some(Rule::T2));
    assert_eq!(rule(b.reduce_with_init(sum, x, three, [2])), Some(Rule::R1));
    assert_eq!(rule(b.reduce_with_init(sum, x, three, [0, 0])), Some(Rule::R2));
    assert_eq!(rule(b.reduce_with_init(Opcode::ReduceAnd, x, three, [0])), Some(Rule::T1));
    assert!(b.reduce_with_init(Opcode::Add, x, three, [0]).is_err());
    // Expressions keep them.
    let x: Expr<f32> = Expr::iota([2, 3], 0);
    let kept = x.reduce_with_init(sum, Expr::<f32>::iota([3], 0), [1]) + 1.0;
    assert_eq!(kept.shape().unwrap_err().rule(), Some(Rule::B8));
    assert_eq!(
        x.reduce_with_init(Opcode::ReduceXor, 1.0, [1]).shape().unwrap_err().rule(),
        Some(Rule::T1)
    );
}

#[test]
fn initial_values_come_back_from_storage_and_for_other_shapes() {
    let mut b = Builder::new();
    let x = b.parameter(ElementType::S32, [2, 3]).unwrap();
    let init = b.parameter(ElementType::S32, [2]).unwrap();
    let sum = b.reduce_with_init(Opcode::ReduceSum, x, init, [1]).unwrap();
    let computation = b.build(sum).unwrap();
    let text = serde_json::to_string(&computation).unwrap();
    let back: Computation = serde_json::from_str(&text).unwrap();
    let other = back.for_shapes([&[1, 4][..], &[1]]).unwrap();
    let gpu = gpu();
    for (computation, rows, columns) in [(&back, 2, 3), (&other, 1, 4)] {
        let elements: Vec<i32> = (0..rows * columns).collect();
        let sizes = [rows as usize, columns as usize];
        let x: Array<i32> = gpu.array(sizes, &elements).unwrap();
        let init: Array<i32> = gpu.array([sizes[0]], &vec![100; sizes[0]]).unwrap();
        let result = gpu.run(computation, &[x.as_any(), init.as_any()]).unwrap();
        let found: Vec<i32> = result.to_literal_blocking().unwrap().to_vec().unwrap();
        let expected: Vec<i32> =
            elements.chunks(sizes[1]).map(|row| 100 + row.iter().sum::<i32>()).collect();
        assert_eq!(found, expected);
    }
}

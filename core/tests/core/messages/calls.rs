//! Operands that do not fit a function are refused, with the parameter's name and what to do.

use indim::ElementType::{F32, F64, S32};
use indim::{Builder, CallError, Error, Function, Rule};

const MIX: &str = "fn blend(a: f32, b: f32, n: i32) -> f32 { return mix(a, b, f32(n)); }";

/// Returns the message of a call of [`MIX`] on parameters of these types and shapes.
fn refused(operands: &[(indim::ElementType, &[usize])], dimensions: &[&[i64]]) -> Error {
    let blend = Function::wgsl(MIX).unwrap();
    let mut builder = Builder::new();
    let operands: Vec<_> = operands
        .iter()
        .map(|&(element_type, shape)| builder.parameter(element_type, shape).unwrap())
        .collect();
    builder.call(&blend, &operands, dimensions).unwrap_err()
}

#[test]
fn each_refusal_names_the_operand() {
    let no = &[][..];
    let all = [(F32, &[2, 3][..]), (F32, &[3][..]), (S32, &[][..])];
    let cases = [
        (
            refused(&all[..2], &[no, &[1]]),
            "blend: it takes 3 operands (a: f32, b: f32, n: i32), and there are 2",
        ),
        (
            refused(&all, &[no, &[1]]),
            "blend: there are 2 lists of broadcast_dimensions for 3 operands; give one for each, which may be empty",
        ),
        (
            refused(&[all[0], (F64, &[3]), all[2]], &[no, &[1], no]),
            "blend: operand 1 is f64, but parameter `b` is f32, which takes f16, bf16 and f32; convert the operand",
        ),
        (
            refused(&[all[0], all[1], (F32, &[])], &[no, &[1], no]),
            "blend: operand 2 is f32, but parameter `n` is i32, which takes s4, s8, s16 and s32; convert the operand",
        ),
        (
            refused(&all, &[no, no, no]),
            "blend: operand 1 (parameter `b`, rhs) does not fit operand 0 (lhs): lhs [2, 3] has rank 2 and rhs [3] has rank 1, but broadcast_dimensions is empty; say which dimension of lhs each dimension of rhs matches, such as [1]",
        ),
        (
            refused(&all, &[no, &[0], no]),
            "blend: operand 1 (parameter `b`, rhs) does not fit operand 0 (lhs): dimension 0 of rhs has size 3 but is matched to dimension 0 of lhs, which has size 2; sizes must be equal or one of them 1; dimension 1 of lhs has size 3",
        ),
    ];
    for (error, expected) in cases {
        let text = error.to_string();
        assert!(text.starts_with(expected), "{text}\nbut it was to be\n{expected}");
        assert!(matches!(error, Error::Call { .. }), "{error:?}");
    }
    assert_eq!(refused(&all, &[no, &[0], no]).rule(), Some(Rule::B5));
}

#[test]
fn expressions_keep_their_own_errors_and_numbers_their_types() {
    let blend = Function::wgsl(MIX).unwrap();
    let x = indim::Expr::<f32>::iota(&[2, 3], 0);
    let text = |result: indim::Result<indim::Expr<f32>>| result.unwrap_err().to_string();
    assert_eq!(
        text(blend.call((&x, 0.5, 1.5))),
        "blend: operand 2 is 1.5, which is not a value of parameter `n`: i32; give an integer from -2147483648 to 2147483647"
    );
    assert_eq!(
        text(blend.call((&x, 0.5, 2.0))),
        "blend: operand 2 is 2.0, which is not a value of parameter `n`: i32; write 2"
    );
    assert_eq!(
        text(blend.call((&x, 1, 1))),
        "blend: operand 1 is 1, which is not a value of parameter `b`: f32; write 1.0"
    );
    assert_eq!(
        text(blend.call((&x, 0.5, 3_000_000_000u32))),
        "blend: operand 2 is 3000000000, which is not a value of parameter `n`: i32; give an integer from -2147483648 to 2147483647"
    );
    let wrong = &x + indim::Expr::<f32>::iota(&[4], 0);
    assert!(text(blend.call((&wrong, 0.5, 1))).starts_with("add: lhs [2, 3] has rank 2"));
    assert_eq!(
        blend.call::<i32>((&x, 0.5, 1)).unwrap_err().to_string(),
        "blend: it returns f32, which is not computed as s32; write `call::<f32>`, and `.convert_element_type::<i32>()` behind the call"
    );
    assert_eq!(
        blend
            .call::<f32>((&x, 0.5, 1))
            .unwrap()
            .convert_element_type::<i32>()
            .shape()
            .unwrap()
            .rank(),
        2
    );
    let two = Function::wgsl(
        "struct two { low: f32, high: f32 } fn split(x: f32) -> two { return two(x, x); }",
    )
    .unwrap();
    let error = two.call::<f32>((&x,)).unwrap_err();
    let Error::Call { source, .. } = &error else { panic!("{error:?}") };
    assert!(matches!(**source, CallError::SeveralResults { count: 2, .. }));
    assert_eq!(
        error.to_string(),
        "split: it returns a struct of 2 values (low, high); ask for all of them"
    );
    // Nothing remains of it: the same function can be called again.
    assert_eq!(two.call_all((&x,)).unwrap().len(), 2);
}

#[test]
fn numbers_of_each_type_have_their_cure() {
    let of = |parameter: &str, number: indim::Error| {
        let text = number.to_string();
        assert!(text.starts_with("f: operand 0 is "), "{text}");
        let (_, cure) = text.split_once(&format!("parameter `x`: {parameter}; ")).unwrap();
        cure.to_owned()
    };
    let refused = |parameter: &str, operand: f64| {
        let text = format!("fn f(x: {parameter}) -> bool {{ return true; }}");
        Function::wgsl(&text).unwrap().call::<bool>((operand,)).unwrap_err()
    };
    let cases = [
        ("i32", -2.0, "write -2"),
        ("u32", 3e9, "write 3000000000"),
        ("u32", -1.0, "give an integer from 0 to 4294967295"),
        ("i32", f64::NAN, "give an integer from -2147483648 to 2147483647"),
        ("i32", f64::INFINITY, "give an integer from -2147483648 to 2147483647"),
        ("u64", 1e30, "give an integer from 0 to 18446744073709551615"),
        ("i64", 0.5, "give an integer from -9223372036854775808 to 9223372036854775807"),
        ("bool", 1.0, "give true or false, or compare"),
        ("vec2<f32>", 1.0, "give an array or an expression of c64"),
    ];
    for (parameter, operand, cure) in cases {
        assert_eq!(of(parameter, refused(parameter, operand)), cure, "{operand} for {parameter}");
    }
}

#[test]
fn dimensions_that_no_operand_of_a_higher_rank_has_are_refused() {
    let f = Function::wgsl("fn f(a: f32, b: f32) -> f32 { return a + b; }").unwrap();
    let (x, v) = (indim::Expr::<f32>::iota(&[2, 3], 0), indim::Expr::<f32>::iota(&[3], 0));
    let alone = Function::wgsl("fn g(x: f32) -> f32 { return x; }").unwrap();
    let text = |error: &Error| error.to_string();
    let only = alone.call::<f32>((v.in_dim([1]),)).unwrap_err();
    assert_eq!(
        text(&only),
        "g: operand 0 (parameter `x`) [3] has the highest rank of all operands, so that in_dim([1]) has nothing to match; take it off, or put it around the call, where the result meets an operand of a higher rank"
    );
    assert_eq!(only.rule(), Some(Rule::B7));
    // What it says to do.
    assert!((&x + alone.call::<f32>((&v,)).unwrap().in_dim([1])).shape().is_ok());
    let first = f.call::<f32>((x.in_dim([1]), &v)).unwrap_err();
    assert!(
        text(&first).starts_with("f: operand 0 (parameter `a`) [2, 3] has the highest rank"),
        "{first}"
    );
    let scalar = alone.call::<f32>((indim::Expr::<f32>::full(1.0, []).in_dim([0]),)).unwrap_err();
    assert!(
        text(&scalar).contains("operand 0 (parameter `x`) [] has the highest rank"),
        "{scalar}"
    );
    // The messages for lists are the same in other words.
    let mut b = Builder::new();
    let p = b.parameter(F32, [3]).unwrap();
    assert_eq!(
        text(&b.call(&alone, &[p], &[&[1]]).unwrap_err()),
        "g: operand 0 (parameter `x`) [3] has the highest rank of all operands, so that its broadcast_dimensions must be empty or [0], but they are [1]"
    );
    let p = b.parameter(F32, []).unwrap();
    assert!(
        text(&b.call(&alone, &[p], &[&[0]]).unwrap_err())
            .ends_with("must be empty, but they are [0]")
    );
}

#[test]
fn the_first_operand_is_compared_with_the_one_of_the_highest_rank() {
    let f = Function::wgsl("fn f(a: f32, b: f32) -> f32 { return a + b; }").unwrap();
    let (x, v) = (indim::Expr::<f32>::iota(&[2, 3], 0), indim::Expr::<f32>::iota(&[3], 0));
    let of = |operand: indim::InDim<f32>| f.call::<f32>((operand, &x)).unwrap_err();
    let bare = f.call::<f32>((&v, &x)).unwrap_err();
    assert_eq!(
        bare.to_string(),
        "f: operand 0 (parameter `a`, rhs) does not fit operand 1 (lhs): lhs [2, 3] has rank 2 and rhs [3] has rank 1, but rhs carries no in_dim; say which dimension of lhs each dimension of rhs matches, such as rhs.in_dim([1])"
    );
    assert_eq!(bare.rule(), Some(Rule::B1));
    assert!(f.call::<f32>((v.in_dim([1]), &x)).is_ok());
    assert_eq!(
        of(v.in_dim([5])).to_string(),
        "f: operand 0 (parameter `a`, rhs) does not fit operand 1 (lhs): in_dim[0] is 5, but lhs [2, 3] has rank 2; its dimensions are 0 to 1"
    );
    // Here no operand by itself is at fault.
    let of = |sizes: [i64; 2]| indim::Expr::<f32>::iota(sizes, 0);
    let three =
        Function::wgsl("fn t(a: f32, b: f32, c: f32) -> f32 { return a + b + c; }").unwrap();
    let error = three.call::<f32>((of([2, 1]), of([1, 4]), of([2, 3]))).unwrap_err();
    assert!(error.to_string().contains("does not fit the operands before it (lhs)"), "{error}");
}

#[test]
fn a_function_says_how_it_is_declared() {
    let shown = |text: &str| format!("{:?}", Function::wgsl(text).unwrap());
    assert_eq!(shown(MIX), "Function(fn blend(a: f32, b: f32, n: i32) -> f32)");
    assert_eq!(
        shown(
            "struct two { low: f32, high: bool } fn split(x: u32) -> two { return two(1.0, x > 1u); }"
        ),
        "Function(fn split(x: u32) -> { low: f32, high: bool })"
    );
}

#[test]
fn a_builder_is_as_it_was_after_a_refusal() {
    let blend = Function::wgsl(MIX).unwrap();
    let mut builder = Builder::new();
    let a = builder.parameter(F32, [2]).unwrap();
    let n = builder.parameter(S32, []).unwrap();
    builder.call(&blend, &[a, a, a], &[&[], &[], &[]]).unwrap_err();
    let root = builder.call(&blend, &[a, a, n], &[&[], &[], &[]]).unwrap();
    assert_eq!(builder.build(root).unwrap().parameters().len(), 2);
}

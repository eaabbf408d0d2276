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
            "blend: operand 1 (parameter `b`, rhs) does not fit the operands before it (lhs): lhs [2, 3] has rank 2 and rhs [3] has rank 1, but broadcast_dimensions is empty; say which dimension of lhs each dimension of rhs matches, such as [1]",
        ),
        (
            refused(&all, &[no, &[0], no]),
            "blend: operand 1 (parameter `b`, rhs) does not fit the operands before it (lhs): dimension 0 of rhs has size 3 but is matched to dimension 0 of lhs, which has size 2; sizes must be equal or one of them 1; dimension 1 of lhs has size 3",
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
        "blend: operand 2 is 1.5, which is no value of parameter `n`: i32"
    );
    assert_eq!(
        text(blend.call((&x, 1, 1))),
        "blend: operand 1 is 1, which is no value of parameter `b`: f32"
    );
    assert_eq!(
        text(blend.call((&x, 0.5, 3_000_000_000u32))),
        "blend: operand 2 is 3000000000, which is no value of parameter `n`: i32"
    );
    let wrong = &x + indim::Expr::<f32>::iota(&[4], 0);
    assert!(text(blend.call((&wrong, 0.5, 1))).starts_with("add: lhs [2, 3] has rank 2"));
    assert_eq!(
        blend.call::<i32>((&x, 0.5, 1)).unwrap_err().to_string(),
        "blend: it returns f32, which is not computed as s32; convert the result"
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
    // Nothing is left behind: the same function is called again.
    assert_eq!(two.call_all((&x,)).unwrap().len(), 2);
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

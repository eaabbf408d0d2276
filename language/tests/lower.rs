//! Texts become computations, or errors at their place, without a device.

use indim_core::{ElementType, Shape, WgslFunction};
use indim_expr::{Declared, Diagnostic, Given, Lowered, Parsed, Source, lower};

fn operand(name: &str, element_type: ElementType, shape: &[usize]) -> Declared {
    Declared { name: name.to_owned(), element_type, shape: Shape::new(shape) }
}

/// Lowers texts over `x: f32[2,3]`, `v: f32[2]` and `n: s32[3]`.
fn lowered(texts: &[&str], given: Given<'_>) -> Result<Lowered, Box<Diagnostic>> {
    let operands = [
        operand("x", ElementType::F32, &[2, 3]),
        operand("v", ElementType::F32, &[2]),
        operand("n", ElementType::S32, &[3]),
    ];
    let (mut exprs, mut tokens) = (Vec::new(), 0);
    for (number, text) in (1..).zip(texts) {
        let expr = Parsed::new(Source::new(format!("text {number}"), *text), tokens)?;
        tokens += expr.tokens();
        exprs.push(expr);
    }
    lower(&exprs, Given { operands: &operands, ..given })
}

fn results(lowered: &Lowered) -> Vec<String> {
    lowered.computation.results().map(|(of, shape)| format!("{of}{shape}")).collect()
}

#[test]
fn texts_share_names_and_take_the_operands_that_they_name() {
    let made = lowered(&["m = x * 2", "p = m + in_dim(v, 0)"], Given::default()).unwrap();
    assert_eq!(results(&made), ["f32[2, 3]", "f32[2, 3]"]);
    assert_eq!(made.names, [Some("m".to_owned()), Some("p".to_owned())]);
    assert_eq!(made.parameters, [0, 1]);
    // By the library alone: one kernel for both.
    let plan = indim_compiler::limits::PlanLimits::default().explain(&made.computation).unwrap();
    assert_eq!(plan.kernels.len(), 1);
}

#[test]
fn numpys_rules_promote_and_align() {
    let given = Given { numpy: true, ..Given::default() };
    let made = lowered(&["x + n"], given).unwrap();
    assert_eq!(results(&made), ["f64[2, 3]"]);
    assert!(made.notes[0].contains("f64") && made.narrower.is_some(), "{:?}", made.notes);
}

#[test]
fn an_error_has_its_place_and_its_cure() {
    let refused = |text| lowered(&["x", text], Given::default()).unwrap_err();
    let error = refused("1 + (x + v)");
    assert_eq!(error.place(), Some(("text 2", &(7..8))));
    assert!(error.help_text().unwrap().contains("in_dim(v, 0)"), "{}", error.render());
    assert!(error.render().starts_with("error: ") && error.render().contains("  | 1 + (x + v)\n"));
    assert!(refused("wher(x > 0, x, 1)").help_text().is_some());
    assert_eq!(refused("x +").place(), Some(("text 2", &(3..3))));
}

#[test]
fn functions_are_called_by_their_name() {
    let square = WgslFunction::wgsl("fn square(a: f32) -> f32 { return a * a; }").unwrap();
    let given = Given { functions: std::slice::from_ref(&square), ..Given::default() };
    assert_eq!(results(&lowered(&["square(x) + 1"], given).unwrap()), ["f32[2, 3]"]);
    assert!(lowered(&["square(x, x)"], given).is_err());
}

#[test]
fn reductions_take_numpys_arguments_by_name() {
    let numpy = Given { numpy: true, ..Given::default() };
    for (text, expected) in [
        ("sum(n)", "s64[]"),
        ("sum(x, axis=-1, keepdims=true)", "f32[2, 1]"),
        ("x - mean(x, axis=1, keepdims=True)", "f32[2, 3]"),
        ("mean(n, dtype=f32, axis=0)", "f32[]"),
        ("var(n, axis=None, ddof=1)", "f64[]"),
        ("max(x, axis=0)", "f32[3]"),
        ("max(x, n)", "f64[2, 3]"),
        ("argmax(x, axis=[0, 1], keepdims=true)", "s64[1, 1]"),
        ("softmax(x, axis=-1)", "f32[2, 3]"),
        ("cumsum(n, -1)", "s64[3]"),
    ] {
        assert_eq!(results(&lowered(&[text], numpy).unwrap()), [expected], "{text}");
    }
    // The name of an argument is not an operand.
    assert_eq!(lowered(&["sum(v, axis=0)"], numpy).unwrap().parameters, [1]);
    let place = |text, given| lowered(&[text], given).unwrap_err().place().unwrap().1.clone();
    assert_eq!(place("sum(x, axes=0)", numpy), 7..11);
    assert_eq!(place("sum(x, 0, axis=1)", numpy), 10..14);
    assert_eq!(place("max(x, 0, axis=1)", numpy), 10..14);
    assert_eq!(place("mean(x, axis=1)", Given::default()), 8..12);
}

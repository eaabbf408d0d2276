//! Constants whose bytes stand in a section at the end of the file: `dense_resource<name>`.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use indim_stablehlo::{Checked, Module, ProblemKind, Problems, Program};

/// Returns a program that returns a constant of this type, with a section of these resources.
fn text(of: &str, resources: &str) -> String {
    format!(
        "func.func @main() -> {of} {{
  %0 = stablehlo.constant dense_resource<weights> : {of}
  return %0 : {of}
}}

{{-#
  dialect_resources: {{
    builtin: {{
      {resources}
    }}
  }}
#-}}
"
    )
}

fn program(text: &str) -> Result<Program, Problems> {
    Module::parse("r.mlir", text)?.program("main")
}

/// Checks the place and the parts of the message of the only problem.
#[track_caller]
fn refused(text: &str, place: (usize, usize), parts: &[&str]) {
    let problems = program(text).unwrap_err();
    let [problem] = problems.problems() else { panic!("{problems}") };
    assert_eq!((problem.line(), problem.column()), place, "{problems}");
    assert_eq!(problem.kind(), ProblemKind::Syntax, "{problems}");
    assert!(!problem.help().is_empty(), "{problems}");
    for part in parts {
        assert!(problems.to_string().contains(part), "{problems}");
    }
}

#[test]
fn elements_are_little_endian_after_the_alignment() {
    let floats = text("tensor<3xf32>", "weights: \"0x040000000000803F000000400000404f\"");
    let constants = program(&floats).unwrap().constants().to_vec();
    assert_eq!(constants[0].to_vec::<f32>().unwrap(), [1.0, 2.0, 3_221_225_472.0]);
    let wide = text("tensor<1x2xi64>", "weights: \"0x080000000100000000000000FFFFFFFFFFFFFFFF\"");
    let constants = program(&wide).unwrap().constants().to_vec();
    assert_eq!(constants[0].to_vec::<i64>().unwrap(), [1, -1]);
    assert_eq!(constants[0].shape().dims(), [1, 2]);
    // A byte for each, as MLIR's own reader takes them.
    let flags = text("tensor<3xi1>", "weights: \"0x01000000010001\"");
    let constants = program(&flags).unwrap().constants().to_vec();
    assert_eq!(constants[0].to_vec::<bool>().unwrap(), [true, false, true]);
    let half = text("tensor<2xi4>", "weights: \"0x010000000FF8\"");
    assert_eq!(program(&half).unwrap().constants()[0].bytes(), [0xFF, 0xF8]);
    let complex = "weights: \"0x040000000000803F0000004000000000000000C0\"";
    let constants = program(&text("tensor<2xcomplex<f32>>", complex)).unwrap().constants().to_vec();
    assert_eq!(constants[0].to_string(), "[1.+2.j 0.-2.j]");
}

#[test]
fn the_section_may_stand_anywhere_among_functions_and_have_other_parts() {
    let others = "{-# external_resources: { mlir_reproducer: { verify_each: true, pipeline: \"x\" } },
        dialect_resources: { other: { a: true }, builtin: { \"weights\": \"0x020000000100\" } } #-}";
    let function = "func.func @main() -> tensor<i16> {
      %0 = stablehlo.constant dense_resource<\"weights\"> : tensor<i16> return %0 : tensor<i16> }";
    for text in [format!("{others} {function}"), format!("module {{ {function} }} {others}")] {
        assert_eq!(program(&text).unwrap().constants().len(), 0, "equal elements become a scalar");
    }
    let generic = text("tensor<2xi8>", "a: \"0x01000000\", weights: \"0x010000000102\"").replace(
        "stablehlo.constant dense_resource<weights> : tensor<2xi8>",
        "\"stablehlo.constant\"() <{value = dense_resource<weights> : tensor<2xi8>}> : () -> tensor<2xi8>",
    );
    assert_eq!(program(&generic).unwrap().constants()[0].bytes(), [1, 2]);
}

#[test]
fn a_check_compares_with_a_resource() {
    let text = "func.func @main(%x: tensor<2xi8>) {
      check.expect_eq_const %x, dense_resource<w> : tensor<2xi8>
      return
    }
    {-# dialect_resources: { builtin: { w: \"0x010000000102\" } } #-}";
    let program = Module::parse("r.mlir", text).unwrap().program_with_checks("main").unwrap();
    let Checked::Elements(list) = &program.checks()[0].expected else { panic!("not elements") };
    assert_eq!(list.bytes(), [1, 2]);
}

#[test]
fn wrong_resources_are_refused_at_their_place() {
    let of = "tensor<3xf32>";
    let with = |digits: &str| text(of, &format!("weights: \"{digits}\""));
    refused(
        &text(of, "biases: \"0x04000000\""),
        (2, 27),
        &["the resource `weights` is missing", "`biases`"],
    );
    refused(
        &text(of, "weights: \"0x04000000\"").replace("<weights>", "<__elided__>"),
        (2, 27),
        &["elided", "large constants"],
    );
    let size = &["has 4 bytes", "tensor<3xf32>", "takes 4 bytes"];
    refused(&with("0x040000000000803F"), (2, 27), size);
    refused(&with("040000000000803F"), (9, 16), &["`0x`"]);
    refused(&with("0x0400000000008g3F"), (9, 31), &["`8g`", "hexadecimal"]);
    refused(&with("0x040000000000803"), (9, 33), &["`3`", "hexadecimal"]);
    refused(&with("0x0400"), (9, 16), &["alignment"]);
    refused(&with("0x030000000000803F"), (9, 16), &["alignment", "3", "power of two"]);
    refused(&text(of, "weights: true"), (9, 16), &["`true`", "0x"]);
    refused(&text(of, "weights: \"0x04\", weights: \"0x04\""), (9, 33), &["twice"]);
    refused(&text(of, "weights \"0x04\""), (9, 15), &["expected `:`"]);
    let open = with("0x04000000").replace("#-}", "");
    refused(&open, (11, 4), &["expected `,` or `#-}`", "ends"]);
    refused("{-# 3", (1, 5), &["expected the name"]);
}

/// Each use of a resource would else be a copy.
#[test]
fn many_uses_take_the_memory_of_one() {
    let bytes = "01020304".repeat(1 << 16);
    let uses = |of: &dyn Fn(usize) -> String| {
        let mut text = String::from("func.func @main() {\n");
        for number in 0..5_000 {
            let of = of(number);
            text += &format!("%{number} = stablehlo.constant dense_resource<w> : {of}\n");
            text += &format!("%n{number} = stablehlo.not %{number} : {of}\n");
        }
        text += "return }\n{-# dialect_resources: { builtin: { w: \"0x01000000";
        text + &bytes + "\" } } #-}"
    };
    let text = uses(&|_| "tensor<262144xi8>".to_owned());
    let module = Module::parse("r.mlir", &text).unwrap();
    // It returns nothing.
    let problems = module.program("main").unwrap_err();
    assert!(problems.to_string().contains("has no result"), "{problems}");
    let ones = |number: usize| format!("tensor<{}262144xi8>", "1x".repeat(number % 60));
    let text = uses(&ones);
    let problems = program(&text).unwrap_err();
    assert!(problems.to_string().contains("too many types"), "{problems}");
}

//! Deep, long and large programs: what they take is in proportion to their text.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use indim_stablehlo::Module;

#[test]
fn depth_takes_no_stack() {
    let regions = "\"stablehlo.map\"() ({\n".repeat(100_000);
    let problems = Module::parse("p.mlir", &format!("func.func @f() {{ {regions}")).unwrap_err();
    assert!(problems.to_string().contains("regions are within each other"), "{problems}");
    let lists = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    for value in [format!("dense<{lists}>"), format!("{{a = {lists}}}")] {
        let text =
            format!("func.func @f() {{ %0 = stablehlo.constant {value} : tensor<1xf32> return }}");
        let lowered = Module::parse("p.mlir", &text).and_then(|module| module.program("f"));
        assert!(lowered.is_err());
    }
}

#[test]
fn ten_thousand_operations_are_read_at_once() {
    let mut text = String::from("func.func @main(%0: tensor<4xf32>) -> tensor<4xf32> {\n");
    for number in 0..10_000 {
        let next = number + 1;
        text += &format!("  %{next} = stablehlo.add %{number}, %0 : tensor<4xf32>\n");
    }
    text += "  return %10000 : tensor<4xf32>\n}";
    let times = (0..20).map(|_| {
        let start = std::time::Instant::now();
        let program = Module::parse("p.mlir", &text).unwrap().program("main").unwrap();
        assert_eq!(program.computation().parameters().len(), 1);
        start.elapsed()
    });
    // Others may run beside it: 27 ms where nothing does.
    let least = times.min().unwrap();
    assert!(least.as_millis() < 50, "{least:?}");
}

/// Time and memory grow with the number of functions, not with its square.
#[test]
fn many_functions_are_read_at_once() {
    const FUNCTIONS: usize = 20_000;
    let of = "tensor<4xf32>";
    let mut text = format!("func.func @main(%x: {of}) -> {of} {{\n");
    text += &format!("%0 = call @f0(%x) : ({of}) -> {of}\nreturn %0 : {of}\n}}\n");
    for number in 0..FUNCTIONS {
        let next = number + 1;
        text += &format!("func.func private @f{number}(%x: {of}) -> {of} {{\n");
        text += &format!("%0 = call @f{next}(%x) : ({of}) -> {of}\nreturn %0 : {of}\n}}\n");
    }
    text += &format!("func.func private @f{FUNCTIONS}(%x: {of}) -> {of} {{ return %x : {of} }}");
    let start = std::time::Instant::now();
    Module::parse("p.mlir", &text).unwrap().program("main").unwrap();
    // 0.2 s where nothing else runs; 3 s where each function was compared with all others.
    assert!(start.elapsed().as_secs() < 1, "{:?}", start.elapsed());
}

/// A call of a function costs what its text is long.
#[test]
fn long_operations_count_as_several() {
    let results = "func.func private @f() { %0:65536 = foo.bar\n return }\n";
    let list = "1, ".repeat(100_000) + "1";
    let dimensions = format!(
        "func.func private @f() {{ %0 = stablehlo.constant dense<1> : tensor<i32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [{list}] : (tensor<i32>) -> tensor<2xi32> return }}\n"
    );
    for function in [results.to_owned(), dimensions] {
        let mut text = function;
        text += "func.func private @g() {\n";
        text += &"call @f() : () -> ()\n".repeat(1_000);
        text += "return }\nfunc.func @main() {\n";
        text += &"call @g() : () -> ()\n".repeat(1_000);
        text += "return }\n";
        let start = std::time::Instant::now();
        let problems = Module::parse("p.mlir", &text).unwrap().program("main").unwrap_err();
        assert!(problems.to_string().contains("more than 1048576 operations"), "{problems}");
        assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    }
}

/// A check has a copy of what it compares with.
#[test]
fn checks_take_memory_in_proportion() {
    let list = format!("dense<[{}1]>", "0, ".repeat(99_999));
    let of = "tensor<100000xi8>";
    let constants = format!(
        "func.func @main(%x: {of}) {{\n%c = stablehlo.constant {list} : {of}\n{}return }}",
        format!("check.expect_eq %x, %c : {of}, {of}\n").repeat(2_000)
    );
    let calls = format!(
        "func.func @main(%x: {of}) {{\n{}return }}
        func.func private @f(%x: {of}) {{
          check.expect_eq_const %x, {list} : {of} return }}",
        format!("call @f(%x) : ({of}) -> ()\n").repeat(2_000)
    );
    for text in [constants, calls] {
        let module = Module::parse("p.mlir", &text).unwrap();
        let problems = module.program_with_checks("main").unwrap_err();
        assert!(problems.to_string().contains("checks compare with more than"), "{problems}");
    }
}

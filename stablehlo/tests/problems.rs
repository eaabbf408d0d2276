//! Programs that are refused: the kind of each problem, the constraint by its name in StableHLO's
//! specification, and the place.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use indim_stablehlo::{Module, ProblemKind, Problems};

/// Returns the problems of a function with these arguments, and these operations before its end.
fn problems(arguments: &str, body: &str) -> Problems {
    let text = format!("func.func @main({arguments}) {{\n{body}\n  return\n}}");
    let lowered = Module::parse("p.mlir", &text).and_then(|module| module.program("main"));
    match lowered {
        Err(problems) => problems,
        Ok(_) => panic!("accepted:\n{text}"),
    }
}

/// Checks that the second line breaks a constraint, at this word. Where the specification has no label
/// for what is wrong, the operation's name stands alone.
#[track_caller]
fn breaks(rule: &str, arguments: &str, line: &str, at: &str) {
    let problems = problems(arguments, line);
    let problem = &problems.problems()[0];
    assert_eq!(problem.kind(), ProblemKind::Rule, "{problems}");
    assert_eq!(problem.rule(), Some(rule), "{problems}");
    assert_eq!((problem.line(), problem.column()), (2, line.find(at).unwrap() + 1), "{problems}");
}

#[test]
fn elementwise_constraints_have_their_names() {
    let two = "%x: tensor<2xf32>, %y: tensor<3xf32>, %n: tensor<2xi32>, %p: tensor<2xi1>";
    let of = |line: &str, rule: &str| {
        breaks(rule, two, line, line.split("= ").nth(1).unwrap().split(' ').next().unwrap())
    };
    of("%0 = stablehlo.add %x, %y : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>", "add (C1)");
    of(
        "%0 = stablehlo.power %x, %n : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>",
        "power (C1)",
    );
    of("%0 = stablehlo.exponential %n : tensor<2xi32>", "exponential (I1)");
    of("%0 = stablehlo.abs %x : (tensor<2xf32>) -> tensor<3xf32>", "abs (C1)");
    of(
        "%0 = stablehlo.compare EQ, %x, %n : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xi1>",
        "compare (C1)",
    );
    of(
        "%0 = stablehlo.compare EQ, %x, %y : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xi1>",
        "compare (C2)",
    );
    of(
        "%0 = stablehlo.compare EQ, %n, %n, UNSIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>",
        "compare (C3)",
    );
    of("%0 = stablehlo.select %p, %y, %y : tensor<2xi1>, tensor<3xf32>", "select (C1)");
    of(
        "%0 = stablehlo.select %p, %x, %n : (tensor<2xi1>, tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>",
        "select (C2)",
    );
    of("%0 = stablehlo.select %n, %x, %x : tensor<2xi32>, tensor<2xf32>", "select (I1)");
    of(
        "%0 = stablehlo.clamp %y, %x, %x : (tensor<3xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>",
        "clamp (C1)",
    );
    of(
        "%0 = stablehlo.clamp %x, %x, %y : (tensor<2xf32>, tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>",
        "clamp (C2)",
    );
    of(
        "%0 = stablehlo.clamp %n, %x, %x : (tensor<2xi32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>",
        "clamp (C3)",
    );
    of("%0 = stablehlo.convert %x : (tensor<2xf32>) -> tensor<3xi32>", "convert (C1)");
    of(
        "%0 = stablehlo.reduce_precision %x, format = e0m3 : tensor<2xf32>",
        "reduce_precision (C2)",
    );
    of(
        "%0 = stablehlo.select %p, %x, %x : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>",
        "select (C2)",
    );
    of(
        "%0 = stablehlo.clamp %x, %x, %x : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>",
        "clamp (C4)",
    );
    of("%0 = stablehlo.is_finite %x : (tensor<2xf32>) -> tensor<3xi1>", "is_finite (C1)");
    of("%0 = stablehlo.is_finite %x : (tensor<2xf32>) -> tensor<2xi32>", "is_finite");
    of(
        "%0 = stablehlo.compare EQ, %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi32>",
        "compare",
    );
    of("%0 = stablehlo.not %x : tensor<2xf32>", "not");
    of(
        "%0 = stablehlo.bitcast_convert %x : (tensor<2xf32>) -> tensor<3xi32>",
        "bitcast_convert (C1)",
    );
    of(
        "%0 = stablehlo.bitcast_convert %y : (tensor<3xf32>) -> tensor<f64>",
        "bitcast_convert (C1)",
    );
    of(
        "%0 = stablehlo.bitcast_convert %x : (tensor<2xf32>) -> tensor<complex<f32>>",
        "bitcast_convert (C2)",
    );
    of("%0 = chlo.erf %x : (tensor<2xf32>) -> tensor<3xf32>", "erf");
}

#[test]
fn constraints_on_complex_numbers_have_their_names() {
    let arguments = "%c: tensor<2xcomplex<f32>>, %x: tensor<2xf32>, %y: tensor<3xf32>";
    let of = |line: &str, rule: &str| breaks(rule, arguments, line, "stablehlo");
    for part in ["abs", "imag", "real"] {
        let line = |to: &str| {
            format!("%0 = stablehlo.{part} %c : (tensor<2xcomplex<f32>>) -> tensor<{to}>")
        };
        of(&line("3xf32"), &format!("{part} (C1)"));
        of(&line("2xcomplex<f32>"), &format!("{part} (C2)"));
    }
    let complex = |second: &str, sizes: &str, to: &str, rule: &str| {
        of(
            &format!(
                "%0 = stablehlo.complex %x, {second} : (tensor<2xf32>, tensor<{sizes}xf32>) -> tensor<{to}>"
            ),
            rule,
        );
    };
    complex("%y", "3", "2xcomplex<f32>", "complex (C1)");
    complex("%x", "2", "3xcomplex<f32>", "complex (C2)");
    complex("%x", "2", "2xf32", "complex (C3)");
    of("%0 = stablehlo.floor %c : tensor<2xcomplex<f32>>", "floor (I1)");
    // Types that the specification accepts, and the library does not.
    let line = "%0 = stablehlo.remainder %c, %c : tensor<2xcomplex<f32>>";
    assert_eq!(problems(arguments, line).problems()[0].kind(), ProblemKind::Unsupported);
}

#[test]
fn constraints_of_composites_have_their_names() {
    let composite = |name: &str, callee: &str, of: &str, rule: &str| {
        let text = format!(
            "func.func @main(%x: tensor<2xf32>, %n: tensor<2xi32>) {{
  %0 = stablehlo.composite \"{name}\" {of} {{decomposition = @{callee}}} : {}
  return
}}
func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {{ return %x : tensor<2xf32> }}",
            if of == "%n" {
                "(tensor<2xi32>) -> tensor<2xf32>"
            } else {
                "(tensor<2xf32>) -> tensor<3xf32>"
            }
        );
        let problems = Module::parse("p.mlir", &text).unwrap().program("main").unwrap_err();
        assert_eq!(problems.problems()[0].rule(), Some(rule), "{problems}");
    };
    composite("halves", "f", "%x", "composite (C1)");
    composite("my.halves", "g", "%x", "composite (C2)");
    composite("my.halves", "f", "%n", "composite (C3)");
    composite("my.halves", "f", "%x", "composite (C4)");
}

#[test]
fn constraints_of_moves_have_their_names() {
    let x = "%x: tensor<2x3xf32>, %s: tensor<f32>, %n: tensor<2x3xi32>";
    let of = |line: &str, rule: &str| {
        breaks(rule, x, line, line.split("= ").nth(1).unwrap().split(' ').next().unwrap())
    };
    let broadcast = |dims: &str, to: &str, rule: &str| {
        of(
            &format!(
                "%0 = stablehlo.broadcast_in_dim %x, dims = {dims} : (tensor<2x3xf32>) -> {to}"
            ),
            rule,
        );
    };
    broadcast("[0]", "tensor<2x3xf32>", "broadcast_in_dim (C2)");
    broadcast("[0]", "tensor<2xf32>", "broadcast_in_dim (C2)");
    broadcast("[0, 1]", "tensor<2xf32>", "broadcast_in_dim (C3)");
    broadcast("[0, 2]", "tensor<2x3xf32>", "broadcast_in_dim (C3)");
    broadcast("[1, 1]", "tensor<2x3xf32>", "broadcast_in_dim (C4)");
    broadcast("[0, 1]", "tensor<2x4xf32>", "broadcast_in_dim (C5)");
    broadcast("[0, 1]", "tensor<2x3xi32>", "broadcast_in_dim (C1)");
    of(
        "%0 = stablehlo.transpose %x, dims = [0, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>",
        "transpose (C2)",
    );
    of(
        "%0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>",
        "transpose (C3)",
    );
    of("%0 = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<5xf32>", "reshape (C2)");
    of("%0 = stablehlo.slice %x [0:2] : (tensor<2x3xf32>) -> tensor<2xf32>", "slice (C2)");
    of("%0 = stablehlo.slice %x [0:2, 1:4] : (tensor<2x3xf32>) -> tensor<2x3xf32>", "slice (C3)");
    of("%0 = stablehlo.slice %x [0:2, 1:3:0] : (tensor<2x3xf32>) -> tensor<2x3xf32>", "slice (C4)");
    of("%0 = stablehlo.slice %x [0:2, 1:3] : (tensor<2x3xf32>) -> tensor<2x3xf32>", "slice (C5)");
    of("%0 = stablehlo.slice %x [0:2, 1:3] : (tensor<2x3xf32>) -> tensor<2x2xi32>", "slice (C1)");
    of("%0 = stablehlo.reverse %x, dims = [0, 0] : tensor<2x3xf32>", "reverse (C2)");
    of("%0 = stablehlo.reverse %x, dims = [2] : tensor<2x3xf32>", "reverse (C3)");
    let pad = |amounts: &str, to: &str, rule: &str| {
        of(
            &format!(
                "%0 = stablehlo.pad %x, %s, {amounts} : (tensor<2x3xf32>, tensor<f32>) -> {to}"
            ),
            rule,
        );
    };
    pad("low = [0], high = [0, 0], interior = [0, 0]", "tensor<2x3xf32>", "pad (C2)");
    pad("low = [0, 0], high = [0, 0], interior = [0, -1]", "tensor<2x3xf32>", "pad (C3)");
    pad("low = [0, 0], high = [0, 1], interior = [0, 0]", "tensor<2x3xf32>", "pad (C4)");
    of(
        "%0 = stablehlo.concatenate %x, %n, dim = 0 : (tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<4x3xf32>",
        "concatenate (C1)",
    );
    of(
        "%0 = stablehlo.concatenate %x, %s, dim = 0 : (tensor<2x3xf32>, tensor<f32>) -> tensor<4x3xf32>",
        "concatenate (C2)",
    );
    of(
        "%0 = stablehlo.concatenate %x, %x, dim = 2 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>",
        "concatenate (C4)",
    );
    of(
        "%0 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<5x3xf32>",
        "concatenate (C6)",
    );
    of(
        "%0 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xi32>",
        "concatenate (C5)",
    );
    of("%0 = stablehlo.iota dim = 2 : tensor<2x3xf32>", "iota (C1)");
    of("%0 = stablehlo.iota dim = 0 : tensor<2x3xi1>", "iota");
    of(
        "%0 = stablehlo.optimization_barrier %x : (tensor<2x3xf32>) -> tensor<3x2xf32>",
        "optimization_barrier (C1)",
    );
    let dot = |dims: &str, rule: &str| {
        of(
            &format!(
                "%0 = stablehlo.dot_general %x, %x, {dims} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>"
            ),
            rule,
        );
    };
    dot("contracting_dims = [0, 1] x [0]", "dot_general (C2)");
    dot("contracting_dims = [1] x [0]", "dot_general (C10)");
    dot("batching_dims = [1] x [1], contracting_dims = [1] x [1]", "dot_general (C3)");
    dot("contracting_dims = [1] x [2]", "dot_general (C8)");
    dot("contracting_dims = [0] x [0]", "dot_general (C12)");
    dot("batching_dims = [0, 1] x [0]", "dot_general (C1)");
    dot("batching_dims = [0] x [1], contracting_dims = [1] x [1]", "dot_general (C4)");
    dot("batching_dims = [2] x [0]", "dot_general (C5)");
    dot("contracting_dims = [2] x [1]", "dot_general (C6)");
    dot("batching_dims = [0] x [2]", "dot_general (C7)");
    dot("batching_dims = [0] x [1]", "dot_general (C9)");
    of(
        "%0 = stablehlo.dot_general %x, %n, contracting_dims = [1] x [1] : (tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<2x2xf32>",
        "dot_general (C13)",
    );
    precisions_have_their_names(&dot);
    // The specification has no section on it.
    of("%0 = stablehlo.dot %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>", "dot");
}

/// Returns an algorithm of a product, with another part in place of one.
fn algorithm(part: &str, with: &str) -> String {
    "algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, \
     lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, \
     allow_imprecise_accumulation = false>"
        .replace(part, with)
}

fn precisions_have_their_names(dot: &dyn Fn(&str, &str)) {
    let of = |rest: &str, rule| dot(&format!("contracting_dims = [1] x [1], {rest}"), rule);
    of("precision = [DEFAULT]", "dot_general (C11)");
    of("precision = [HIGH, HIGH, HIGH]", "dot_general (C11)");
    let both = format!("precision = [DEFAULT, HIGH], {}", algorithm("", ""));
    of(&both, "dot_general (C21)");
    of(&algorithm("lhs_component_count = 1", "lhs_component_count = 0"), "dot_general (C22)");
    of(&algorithm("rhs_component_count = 1", "rhs_component_count = -1"), "dot_general (C23)");
    of(&algorithm("operations = 3", "operations = 0"), "dot_general (C24)");
}

#[test]
fn algorithms_are_known_or_refused() {
    let x = "%x: tensor<2x3xf32>";
    let line = |algorithm: &str| {
        format!(
            "%0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1], {algorithm} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>"
        )
    };
    let refused = |algorithm: &str, kind, part: &str| {
        let problems = problems(x, &line(algorithm));
        assert_eq!(problems.problems()[0].kind(), kind, "{problems}");
        assert!(problems.to_string().contains(part), "{problems}");
    };
    let unsupported = ProblemKind::Unsupported;
    refused(&algorithm("operations = 3", "operations = 2"), unsupported, "tf32, tf32 and f32");
    refused(
        &algorithm("lhs_precision_type = tf32", "lhs_precision_type = bf16"),
        unsupported,
        "bf16",
    );
    refused(
        &algorithm("lhs_component_count = 1", "lhs_component_count = 2"),
        unsupported,
        "2 and 1",
    );
    refused(&algorithm("= false", "= true"), unsupported, "is not known");
    let syntax = ProblemKind::Syntax;
    refused(&algorithm("accumulation_type = f32, ", ""), syntax, "no `accumulation_type`");
    refused(&algorithm("operations = 3", "operations = many"), syntax, "not `many`");
    refused("precision = [DEFAULT, FASTEST]", syntax, "DEFAULT, HIGH or HIGHEST");
    // The other form, in which a dialect's name stands before each.
    let generic = "%0 = \"stablehlo.dot_general\"(%x, %x) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>], ALGORITHM}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>";
    let named = algorithm("= <", "= #stablehlo.dot_algorithm<");
    let problems = problems(x, &generic.replace("ALGORITHM", &named));
    assert_eq!(problems.problems()[0].rule(), Some("dot_general (C21)"), "{problems}");
}

#[test]
fn constraints_of_dynamic_slices_have_their_names() {
    let arguments = "%x: tensor<2x3xf32>, %i: tensor<i32>, %l: tensor<i64>, %s: tensor<f32>";
    let slice = |indices: [&str; 2], sizes: &str, to: &str, rule: &str| {
        let of = indices.map(|index| match index {
            "%i" => "i32",
            "%l" => "i64",
            _ => "f32",
        });
        let line = format!(
            "%0 = stablehlo.dynamic_slice %x, {}, {}, sizes = {sizes} : (tensor<2x3xf32>, tensor<{}>, tensor<{}>) -> tensor<{to}>",
            indices[0], indices[1], of[0], of[1]
        );
        breaks(rule, arguments, &line, "stablehlo");
    };
    slice(["%i", "%i"], "[1]", "1x1xf32", "dynamic_slice (C2)");
    slice(["%i", "%s"], "[1, 1]", "1x1xf32", "dynamic_slice (I2)");
    slice(["%i", "%l"], "[1, 1]", "1x1xf32", "dynamic_slice (C3)");
    slice(["%i", "%i"], "[1, 4]", "1x1xf32", "dynamic_slice (C4)");
}

#[test]
fn constraints_of_reductions_and_maps_have_their_names() {
    let x = "%x: tensor<2x3xf32>, %s: tensor<f32>, %n: tensor<i32>, %v: tensor<2xf32>";
    let reduce = |rest: &str, rule: &str| {
        let line = format!("%0 = stablehlo.reduce(%x init: {rest}");
        breaks(rule, x, &line, "stablehlo");
    };
    reduce(
        "%s) applies stablehlo.add across dimensions = [2] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>",
        "reduce (C4)",
    );
    reduce(
        "%s) applies stablehlo.add across dimensions = [1, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>",
        "reduce (C5)",
    );
    reduce(
        "%s) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xi32>",
        "reduce (C6)",
    );
    reduce(
        "%n) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<i32>) -> tensor<2xf32>",
        "reduce (C2)",
    );
    reduce(
        "%s) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>",
        "reduce (C7)",
    );
    let region = "({ ^bb0(%a: tensor<f32>): stablehlo.return %a : tensor<f32> })";
    let map = |operands: &str, dimensions: &str, of: &str, rule: &str| {
        let line = format!(
            "%0 = \"stablehlo.map\"({operands}) {region} {{dimensions = array<i64: {dimensions}>}} : {of}"
        );
        breaks(rule, x, &line, "\"stable");
    };
    map("%x", "0", "(tensor<2x3xf32>) -> tensor<2x3xf32>", "map (C3)");
    map("%x, %v", "0, 1", "(tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>", "map (C1)");
    map("%x, %x", "0, 1", "(tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>", "map (C4)");
    map("%x", "0, 1", "(tensor<2x3xf32>) -> tensor<3x2xf32>", "map (C1)");
    map("%x", "0, 1", "(tensor<2x3xf32>) -> tensor<2x3xi32>", "map (C4)");
    let region = "({ ^bb0(%a: tensor<f32>, %b: tensor<f32>): stablehlo.return %a : tensor<f32> })";
    let line = format!(
        "%0 = \"stablehlo.reduce\"(%x, %s) {region} {{dimensions = array<i64: 1>}} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xi32>"
    );
    breaks("reduce (C8)", x, &line, "\"stable");
    // The short form is MLIR's, and what it takes is syntax.
    let line = "%0 = stablehlo.reduce(%x init: %s) applies stablehlo.subtract across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>";
    let problems = problems(x, line);
    assert_eq!(problems.problems()[0].kind(), ProblemKind::Syntax, "{problems}");
}

/// A region may use constants of one element from outside: MLIR moves them there.
#[test]
fn values_from_outside_of_a_region_are_named() {
    let x = "%x: tensor<2xf32>, %s: tensor<f32>";
    let regions = [
        (
            "%0 = \"stablehlo.map\"(%x) ({ ^bb0(%a: tensor<f32>): %1 = stablehlo.add %a, %s : tensor<f32> stablehlo.return %1 : tensor<f32> }) {dimensions = array<i64: 0>} : (tensor<2xf32>) -> tensor<2xf32>",
            "the region of stablehlo.map uses `%s`",
            "give `%s` to the map",
        ),
        (
            "%0 = stablehlo.reduce(%x init: %s) across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32> reducer(%a: tensor<f32>, %b: tensor<f32>) { %1 = stablehlo.add %a, %s : tensor<f32> stablehlo.return %1 : tensor<f32> }",
            "the region of stablehlo.reduce uses `%s`",
            "and `%s` after it",
        ),
    ];
    for (line, message, help) in regions {
        let problems = problems(x, line);
        let [problem] = problems.problems() else { panic!("{problems}") };
        assert_eq!(problem.kind(), ProblemKind::Unsupported, "{problems}");
        assert_eq!(problem.operation(), Some("stablehlo.add"));
        assert!(problem.message().starts_with(message), "{problems}");
        assert!(problem.help().contains(help), "{problems}");
        assert_eq!(problem.column(), line.find("%a, %s").unwrap() + 5, "{problems}");
    }
}

/// The words of a remedy, for problems of every kind.
#[test]
fn every_problem_says_what_to_do() {
    let lines = [
        (
            "%0 = stablehlo.compare %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>",
            "`compare LT, %x, %y`",
        ),
        (
            "%0 = stablehlo.custom_call @cholesky(%x) : (tensor<2xf32>) -> tensor<2xf32>",
            "write what it computes in StableHLO",
        ),
        (
            "%0 = stablehlo.convert %x : (tensor<2xf32>) -> tensor<2xf8E4M3FN>",
            "a type that is implemented",
        ),
        (
            "%0 = stablehlo.maximum %n, %x : (tensor<2xi32>, tensor<2xf32>) -> tensor<2xf32>",
            "or convert it",
        ),
        ("%0 = stablehlo.constant dense<[1, 2, 3]> : tensor<2xi32>", "one element, or as many"),
        ("%0 = stablehlo.add %x, %zz : tensor<2xf32>", "a value is defined before its uses"),
        (
            "%0 = stablehlo.reduce(%x init: %s) across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32> reducer(%a: tensor<f32>, %b: tensor<f32>) { stablehlo.return %a : tensor<f32> }",
            "implemented are add",
        ),
        (
            "%0 = stablehlo.reduce(%x init: %s) across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32> reducer(%a: tensor<f32>) { stablehlo.return %a : tensor<f32> }",
            "two scalars for each input",
        ),
        (
            "%0 = stablehlo.concatenate %x, %x, dim = 3 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>",
            "dimensions count from 0",
        ),
        ("%0 = stablehlo.reshape %x", "https://openxla.org/stablehlo/spec#reshape"),
    ];
    for (line, help) in lines {
        let problems = problems("%x: tensor<2xf32>, %n: tensor<2xi32>, %s: tensor<f32>", line);
        let problem = &problems.problems()[0];
        assert!(problem.help().contains(help), "{problems}");
        assert!(problems.to_string().contains(&format!("  = help: {}", problem.help())));
    }
    let undefined = problems("%x: tensor<2xf32>", "%0 = stablehlo.add %x, %zz : tensor<2xf32>");
    assert_eq!(undefined.problems()[0].operation(), Some("stablehlo.add"));
    // StableHLO's name of the library's operation.
    let pad = "%0 = stablehlo.pad %x, %i, low = [1], high = [0], interior = [0] : (tensor<2xf32>, tensor<i32>) -> tensor<3xf32>";
    let shown = problems("%x: tensor<2xf32>, %i: tensor<i32>", pad).to_string();
    assert!(shown.contains("stablehlo.convert") && !shown.contains("element_type"), "{shown}");
}

#[test]
fn constraints_hold_where_sizes_are_not_known() {
    let problems = problems(
        "%x: tensor<?x3xf32>, %y: tensor<?x4xf32>",
        "%0 = stablehlo.add %x, %y : (tensor<?x3xf32>, tensor<?x4xf32>) -> tensor<?x3xf32>",
    );
    let told: Vec<(ProblemKind, Option<&str>)> =
        problems.problems().iter().map(|problem| (problem.kind(), problem.rule())).collect();
    let unsupported = (ProblemKind::Unsupported, None);
    assert_eq!(told, [unsupported, (ProblemKind::Rule, Some("add (C1)"))], "{problems}");
}

#[test]
fn all_refusals_are_told_at_once() {
    let body = "  %0 = stablehlo.sort %x : tensor<3xf32>
  %1 = stablehlo.add %0, %x : tensor<3xf32>
  %2:2 = \"stablehlo.while\"(%x, %x) ({
    ^bb0(%a: tensor<3xf32>, %b: tensor<3xf32>):
      stablehlo.return %a : tensor<3xf32>
  }, {
  }) : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  %3 = stablehlo.sort %2#1 : tensor<3xf32>
  %4 = stablehlo.convert %x : (tensor<3xf32>) -> tensor<3xf8E4M3FN>";
    let problems = problems("%x: tensor<3xf32>", body);
    let told: Vec<(usize, Option<&str>)> =
        problems.problems().iter().map(|problem| (problem.line(), problem.operation())).collect();
    assert_eq!(
        told,
        [
            (2, Some("stablehlo.sort")),
            (4, Some("stablehlo.while")),
            (9, Some("stablehlo.sort")),
            (10, Some("stablehlo.convert")),
        ]
    );
    let shown = problems.to_string();
    assert!(shown.contains(" --> p.mlir:2:8\n") && shown.contains("also: line 9"), "{shown}");
    assert!(shown.contains("f8E4M3FN is not implemented"), "{shown}");
}

/// Slices of two rows at each index, and rows of another type than the written one.
#[test]
fn gathers_of_other_forms_are_refused() {
    let gather = |offsets: &str, slice: &str, result: &str| {
        format!(
            "%0 = \"stablehlo.gather\"(%x, %i) <{{dimension_numbers = #stablehlo.gather<{offsets}, \
             start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: {slice}>}}> : \
             (tensor<5x4xf32>, tensor<3x1xi32>) -> tensor<{result}xf32>"
        )
    };
    let arguments = "%x: tensor<5x4xf32>, %i: tensor<3x1xi32>";
    for (offsets, slice, result) in [
        ("offset_dims = [1, 2]", "2, 4", "3x2x4"),
        ("offset_dims = [1], collapsed_slice_dims = [0]", "1, 3", "3x3"),
        ("offset_dims = [2], collapsed_slice_dims = [0]", "1, 4", "3x4"),
        ("collapsed_slice_dims = [0, 1]", "1, 1", "3"),
    ] {
        let shown = problems(arguments, &gather(offsets, slice, result)).to_string();
        assert!(shown.contains("a gather of this form is not implemented"), "{shown}");
    }
    let rows = gather("offset_dims = [1], collapsed_slice_dims = [0]", "1, 4", "3x5");
    breaks("gather (C22)", arguments, &rows, "\"stablehlo.gather\"");
}

/// As JAX writes it with `debug_info=True`.
#[test]
fn refusals_name_the_source_that_the_program_was_made_from() {
    let text = r#"#loc1 = loc("x")
module @jit_f {
  func.func public @main(%x: tensor<3xf32> loc("x")) -> tensor<3xf32> {
    %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
    ^bb0(%a: tensor<f32> loc("jit(f)/sort"(#loc4)), %b: tensor<f32> loc(unknown)):
      %9 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1> loc(#loc6)
      stablehlo.return %9 : tensor<i1> loc(#loc6)
    }) : (tensor<3xf32>) -> tensor<3xf32> loc(#loc5)
    %1 = stablehlo.while(%iterArg = %0) : tensor<3xf32>
     cond {
      stablehlo.return %x : tensor<3xf32> loc(#loc)
    } do {
      stablehlo.return %iterArg : tensor<3xf32> loc(#loc)
    } loc(#loc6)
    %2 = stablehlo.sort %1 : tensor<3xf32> loc(#loc6)
    %3 = stablehlo.reverse %x, dims = [1] : tensor<3xf32> loc(#loc2)
    %4 = call @cumsum(%3) : (tensor<3xf32>) -> tensor<3xf32> loc(#loc5)
    %5 = call @cumsum(%4) : (tensor<3xf32>) -> tensor<3xf32> loc(#loc6)
    return %5 : tensor<3xf32> loc(#loc)
  } loc(#loc)
  func.func private @cumsum(%x: tensor<3xf32> loc(unknown)) -> tensor<3xf32> {
    %0 = stablehlo.scan %x : tensor<3xf32> loc("scan")
    return %0 : tensor<3xf32> loc(#loc)
  } loc(#loc)
} loc(#loc)
#loc = loc(unknown)
#loc2 = loc("model.py":3:11 to :22)
#loc3 = loc("layer"(#loc2))
#loc4 = loc(callsite(#loc3 at #loc))
#loc5 = loc("jit(f)/sort"(#loc4))
#loc6 = loc("jit(f)/while"("other.py":7:4))
"#;
    let problems = Module::parse("p.mlir", text).unwrap().program("main").unwrap_err();
    let (sort, other) = ("model.py:3:11, jit(f)/sort", "other.py:7:4, jit(f)/while");
    let told: Vec<_> =
        problems.problems().iter().map(|problem| (problem.line(), problem.origin())).collect();
    let place = Some("model.py:3:11");
    assert_eq!(told[..4], [(4, Some(sort)), (9, Some(other)), (15, Some(other)), (16, place)]);
    // What has no place has that of its call.
    assert_eq!(told[4..], [(22, Some(sort)), (22, Some(other))]);
    let shown = problems.to_string();
    assert!(shown.contains(&format!("\n  = from: {sort}\n")), "{shown}");
    assert!(shown.contains(&format!("\n  = also: line 15 ({other})\n")), "{shown}");
}

#[test]
fn what_is_not_mlir_is_refused_at_its_place() {
    let refused = |text: &str, place: (usize, usize), part: &str| {
        let problems = Module::parse("p.mlir", text).unwrap_err();
        let problem = &problems.problems()[0];
        assert_eq!(problem.kind(), ProblemKind::Syntax);
        assert_eq!((problem.line(), problem.column()), place, "{problems}");
        assert!(problems.to_string().contains(part), "{problems}");
    };
    refused("", (1, 1), "no function");
    refused("x = 3", (1, 1), "expected `module`");
    refused("func.func @f(%x: tensor<2xf32) {", (1, 18), "is not closed");
    refused("func.func @f() {\n  return %x : tensor<f32>\n}", (2, 10), "`%x` is not defined");
    refused("func.func @f() {", (1, 17), "the text ends");
    refused("func.func @f() { return }\nfunc.func @f() { return }", (2, 11), "twice");
    refused(
        "func.func @f(%x: tensor<f32>) { %x = stablehlo.iota dim = 0 : tensor<f32> }",
        (1, 33),
        "twice",
    );
    refused("func.func @f(%x: tensor<f32>) { return ^bb1: return }", (1, 40), "several blocks");
}

#[test]
fn calls_are_refused_where_they_cannot_be_inlined() {
    let text = "func.func @main() { call @f() : () -> () return }
func.func private @f() { call @main() : () -> () return }";
    let problems = Module::parse("p.mlir", text).unwrap().program("main").unwrap_err();
    assert!(problems.to_string().contains("`@main` calls itself"), "{problems}");
    // 2^40 calls.
    let mut text = String::new();
    for number in 0..40 {
        let next = number + 1;
        text += &format!(
            "func.func private @f{number}() {{ call @f{next}() : () -> () call @f{next}() : () -> () return }}\n"
        );
    }
    text += "func.func private @f40() { return }";
    let problems = Module::parse("p.mlir", &text).unwrap().program("f0").unwrap_err();
    assert!(problems.to_string().contains("more than 1048576 operations"), "{problems}");
}

//! Each text that is not a function of values is refused, with its line, its column and a mark.

use indim::Function;

/// Texts, and what is said of each.
#[rustfmt::skip]
const CASES: &[(&str, &str)] = &[
    (
        "",
        "there is no function in the text: it needs one, such as fn half(x: f32) -> f32 { return 0.5 * x; }",
    ),
    (
        "const half = 0.5;",
        "there is no function in the text: it needs one, such as fn half(x: f32) -> f32 { return 0.5 * x; }",
    ),
    (
        "fn half(x: f32) -> f32 { return 0.5 * x }",
        "line 1, column 41: expected `;`, found \"}\"\n1 | fn half(x: f32) -> f32 { return 0.5 * x }\n  |                                         ^",
    ),
    (
        "fn half(x: f32) -> f32 {\n    return 0.5 * y;\n}",
        "line 2, column 18: no definition in scope for identifier: `y`\n2 |     return 0.5 * y;\n  |                  ^",
    ),
    (
        "fn half(x: f32) -> f32 {\n    return x * vec3(1.0);\n}",
        "line 2, column 12: not every way through the function returns a value of the type that it declares\n2 |     return x * vec3(1.0);\n  |            ^^^^^^^^^^^^^",
    ),
    (
        "fn half(x: f32) -> i32 { return x; }",
        "line 1, column 9: not every way through the function returns a value of the type that it declares\n1 | fn half(x: f32) -> i32 { return x; }\n  |         ^",
    ),
    (
        "fn half(x: f32) -> f32 { let y = 0.5 * x; }",
        "line 1, column 1: not every way through the function returns a value of the type that it declares\n1 | fn half(x: f32) -> f32 { let y = 0.5 * x; }\n  | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
    ),
    (
        "fn half(x: f32) { }",
        "line 1, column 4: `half` returns nothing; parameters and results are bool, i32, u32, f32, vec2<f32> (c64), i64, u64 and f64\n1 | fn half(x: f32) { }\n  |    ^^^^",
    ),
    (
        "fn half() -> f32 { return 0.5; }",
        "line 1, column 4: `half` has no parameter; it needs one, whose shape the result has\n1 | fn half() -> f32 { return 0.5; }\n  |    ^^^^",
    ),
    (
        "fn half(x: vec3<f32>) -> f32 { return x.x; }",
        "line 1, column 4: parameter `x` of `half` is of a type that no element has; parameters and results are bool, i32, u32, f32, vec2<f32> (c64), i64, u64 and f64\n1 | fn half(x: vec3<f32>) -> f32 { return x.x; }\n  |    ^^^^",
    ),
    (
        "fn half(x: f32) -> mat2x2<f32> { return mat2x2(x, x, x, x); }",
        "line 1, column 4: `half` returns a type that no element has; parameters and results are bool, i32, u32, f32, vec2<f32> (c64), i64, u64 and f64\n1 | fn half(x: f32) -> mat2x2<f32> { return mat2x2(x, x, x, x); }\n  |    ^^^^",
    ),
    (
        "struct pair { a: f32, b: vec4<f32> }\nfn half(x: f32) -> pair { return pair(x, vec4(x)); }",
        "line 2, column 4: member `b` of what `half` returns is of a type that no element has; parameters and results are bool, i32, u32, f32, vec2<f32> (c64), i64, u64 and f64\n2 | fn half(x: f32) -> pair { return pair(x, vec4(x)); }\n  |    ^^^^",
    ),
    (
        "fn half(x: ptr<function, f32>) -> f32 { return *x; }",
        "line 1, column 4: parameter `x` of `half` is a pointer, which is not taken: pass and return values\n1 | fn half(x: ptr<function, f32>) -> f32 { return *x; }\n  |    ^^^^",
    ),
    (
        "fn add(x: ptr<function, f32>) { *x += 1.0; }\nfn half(x: f32) -> f32 { var y = x; add(&y); return y; }",
        "line 1, column 4: parameter `x` of `add` is a pointer, which is not taken: pass and return values\n1 | fn add(x: ptr<function, f32>) { *x += 1.0; }\n  |    ^^^",
    ),
    (
        "@compute @workgroup_size(1)\nfn main() { }",
        "line 2, column 4: `main` is an entry point; a function that is called has no attribute of a stage\n2 | fn main() { }\n  |    ^^^^",
    ),
    (
        "@group(0) @binding(0) var<storage> table: array<f32>;\nfn half(x: f32) -> f32 { return table[0]; }",
        "line 1, column 23: bindings are not taken: `table` can be a parameter, or a variable within the function\n1 | @group(0) @binding(0) var<storage> table: array<f32>;\n  |                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
    ),
    (
        "var<workgroup> shared_values: array<f32, 4>;\nfn half(x: f32) -> f32 { return x; }",
        "line 1, column 1: workgroup variables are not taken: `shared_values` can be a parameter, or a variable within the function\n1 | var<workgroup> shared_values: array<f32, 4>;\n  | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
    ),
    (
        "var<private> count: u32;\nfn half(x: f32) -> f32 { return x; }",
        "line 1, column 1: private variables are not taken: `count` can be a parameter, or a variable within the function\n1 | var<private> count: u32;\n  | ^^^^^^^^^^^^^^^^^^^^^^^^",
    ),
    (
        "@group(0) @binding(0) var image: texture_2d<f32>;\nfn half(x: f32) -> f32 { return textureLoad(image, vec2(0), 0).x; }",
        "line 1, column 23: textures and samplers are not taken: `image` can be a parameter, or a variable within the function\n1 | @group(0) @binding(0) var image: texture_2d<f32>;\n  |                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^",
    ),
    (
        "override factor: f32 = 2.0;\nfn half(x: f32) -> f32 { return x * factor; }",
        "line 1, column 1: overrides are not taken: write const, or a parameter\n1 | override factor: f32 = 2.0;\n  | ^^^^^^^^^^^^^^^^^^^^^^^^^^^",
    ),
    (
        "enable f16;\nfn half(x: f32) -> f32 { return x; }",
        "line 1, column 1: directives are not taken: the function becomes a part of a kernel\n1 | enable f16;\n  | ^^^^^^",
    ),
    (
        "fn half(x: f32) -> f32 {\n    workgroupBarrier();\n    return x;\n}",
        "line 2, column 5: barriers are not taken: a function sees the values of one element\n2 |     workgroupBarrier();\n  |     ^^^^^^^^^^^^^^^^",
    ),
    (
        "fn half(x: f32) -> f32 { return dpdx(x); }",
        "line 1, column 33: derivatives are not taken: a function sees the values of one element\n1 | fn half(x: f32) -> f32 { return dpdx(x); }\n  |                                 ^^^^",
    ),
    (
        "var<workgroup> n: atomic<u32>;\nfn half(x: f32) -> f32 { return f32(atomicAdd(&n, 1u)); }",
        "line 1, column 1: workgroup variables are not taken: `n` can be a parameter, or a variable within the function\n1 | var<workgroup> n: atomic<u32>;\n  | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
    ),
    (
        "fn half(x: f32) -> f32 {\n    if x > 1.0 { discard; }\n    return x;\n}",
        "line 2, column 18: discard is not taken: return a value\n2 |     if x > 1.0 { discard; }\n  |                  ^^^^^^^^",
    ),
    (
        "fn even(n: u32) -> u32 { return odd(n - 1u); }\nfn odd(n: u32) -> u32 { return even(n - 1u); }",
        "line 2, column 4: declaration of `even` is cyclic\n2 | fn odd(n: u32) -> u32 { return even(n - 1u); }\n  |    ^^^",
    ),
    (
        "fn fact(n: u32) -> u32 { return n * fact(n - 1u); }",
        "line 1, column 4: declaration of `fact` is recursive\n1 | fn fact(n: u32) -> u32 { return n * fact(n - 1u); }\n  |    ^^^^",
    ),
    (
        "fn half(x: f32) -> f32 { return 0.5 * x; }\nfn twice(x: f32) -> f32 { return 2.0 * x; }",
        "line 2, column 4: neither `half` nor `twice` is called by the other, so that it is not clear which is the operation; leave out one, or make two texts\n2 | fn twice(x: f32) -> f32 { return 2.0 * x; }\n  |    ^^^^^",
    ),
    (
        "fn half(x: f32) -> f32 { return 0.5 * x; }\nfn half(x: f32) -> f32 { return x; }",
        "line 2, column 4: redefinition of `half`\n2 | fn half(x: f32) -> f32 { return x; }\n  |    ^^^^",
    ),
    (
        "fn sum(n: u32) -> u32 { loop { } }",
        "line 1, column 1: not every way through the function returns a value of the type that it declares\n1 | fn sum(n: u32) -> u32 { loop { } }\n  | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
    ),
    (
        "fn sum(n: u32) -> u32 {\n    for (var i = 0u; i < n; i++) { workgroupBarrier(); }\n    return n;\n}",
        "line 2, column 36: barriers are not taken: a function sees the values of one element\n2 |     for (var i = 0u; i < n; i++) { workgroupBarrier(); }\n  |                                    ^^^^^^^^^^^^^^^^",
    ),
    (
        "fn sum(n: u32) -> u32 { continue; return n; }",
        "line 1, column 25: The `continue` is used outside of a `loop` context\n1 | fn sum(n: u32) -> u32 { continue; return n; }\n  |                         ^^^^^^^^^",
    ),
    (
        "fn sum(n: u32) -> u32 {\n    loop { if n == 0u { break } }\n    return n;\n}",
        "line 2, column 31: expected `;`, found \"}\"\n2 |     loop { if n == 0u { break } }\n  |                               ^",
    ),
    (
        "fn half(x: f32) -> f32 { /* return 0.5 * x; }",
        "line 1, column 26: this comment does not end\n1 | fn half(x: f32) -> f32 { /* return 0.5 * x; }\n  |                          ^^",
    ),
    (
        "fn größe(x: f32) -> f32 { return x; }",
        "line 1, column 6: names are of ASCII letters, digits and _; others are for comments\n1 | fn größe(x: f32) -> f32 { return x; }\n  |      ^",
    ),
    (
        "fn half(x: f32) -> f32 { var a: array<f32, 100000>; return a[u32(x)]; }",
        "line 1, column 33: this array has 100000 values; 4096 are the most, those of parts counted: what is larger can be an operand\n1 | fn half(x: f32) -> f32 { var a: array<f32, 100000>; return a[u32(x)]; }\n  |                                 ^^^^^",
    ),
    (
        "fn half(x: f16) -> f32 { return f32(x); }",
        "line 1, column 12: the `f16` enable extension is not enabled\n1 | fn half(x: f16) -> f32 { return f32(x); }\n  |            ^^^",
    ),
    (
        "fn half(x: f32) -> f32 { return 1.0 / 0.0 * x; }",
        "line 1, column 33: Divide operation overflowed\n1 | fn half(x: f32) -> f32 { return 1.0 / 0.0 * x; }\n  |                                 ^^^^^^^^^",
    ),
    (
        "fn half(x: f32, x: f32) -> f32 { return x; }",
        "line 1, column 17: redefinition of `x`\n1 | fn half(x: f32, x: f32) -> f32 { return x; }\n  |                 ^",
    ),
    (
        "fn half(x: f32) -> f32 { return unknown(x); }",
        "line 1, column 33: no definition in scope for identifier: `unknown`\n1 | fn half(x: f32) -> f32 { return unknown(x); }\n  |                                 ^^^^^^^",
    ),
    (
        "struct many { a: f32, b: f32, c: f32, d: f32, e: f32, f: f32, g: f32, h: f32, i: f32 }\nfn half(x: f32) -> many { return many(x, x, x, x, x, x, x, x, x); }",
        "line 2, column 4: `half` returns a struct of 9 members; 8 are the most, for each is an array\n2 | fn half(x: f32) -> many { return many(x, x, x, x, x, x, x, x, x); }\n  |    ^^^^",
    ),
    (
        "fn half(x: f32) -> f32 {\n\treturn subgroupAdd(x);\n}",
        "line 2, column 9: subgroup operations are not taken: a function sees the values of one element\n2 |  return subgroupAdd(x);\n  |         ^^^^^^^^^^^",
    ),
    (
        "\0\u{feff}",
        "line 1, column 2: names are of ASCII letters, digits and _; others are for comments\n1 |  ﻿\n  |  ^",
    ),
    (
        "}}}}",
        "line 1, column 1: expected global item (`struct`, `const`, `var`, `alias`, `fn`, `diagnostic`, `enable`, `requires`, `;`) or the end of the file, found \"}\"\n1 | }}}}\n  | ^",
    ),
    (
        "fn half(x: f32) -> f32 { return x; } garbage",
        "line 1, column 38: expected global item (`struct`, `const`, `var`, `alias`, `fn`, `diagnostic`, `enable`, `requires`, `;`) or the end of the file, found \"garbage\"\n1 | fn half(x: f32) -> f32 { return x; } garbage\n  |                                      ^^^^^^^",
    ),
];

#[test]
fn each_refusal_shows_the_text_at_fault() {
    assert!(CASES.len() >= 40);
    for &(text, expected) in CASES {
        match Function::wgsl(text) {
            Ok(function) => panic!("{text:?} is taken: {function:?}"),
            Err(error) => assert_eq!(error.to_string(), expected, "of {text:?}"),
        }
    }
}

/// Returns the reason for the refusal of a text, which there must be.
fn reason(text: &str) -> String {
    match Function::wgsl(text) {
        Ok(_) => panic!("{} bytes are taken: {:.200}", text.len(), text),
        Err(error) => error.reason().to_owned(),
    }
}

#[test]
fn what_would_take_a_stack_or_a_compiler_down_is_refused() {
    let in_function = |body: &str| format!("fn f(x: f32) -> f32 {{ {body} }}");
    let brackets = format!("return {}x{};", "(".repeat(5_000), ")".repeat(5_000));
    assert_eq!(reason(&in_function(&brackets)), "brackets are nested deeper than 64");
    for repeated in ["- ", "x + ", "x * x - "] {
        let chain = format!("return {}x;", repeated.repeat(60_000 / repeated.len()));
        assert_eq!(
            reason(&in_function(&chain)),
            "an expression has more than 1024 signs, those in lists of arguments apart; name parts of it by let, or by const outside of functions"
        );
    }
    let elses = "else if x > 0.5 { return x; } ".repeat(2_000);
    let elses = format!("if x > 1.0 {{ return x; }} {elses} return 0.0;");
    assert_eq!(
        reason(&in_function(&elses)),
        "there are more than 64 elses; use switch, or functions"
    );
    // Each of these calls the one before it twice: 2^40 operations in 40 lines.
    let mut calls = "fn g0(x: f32) -> f32 { return x + 1.0; }\n".to_owned();
    for i in 1..40 {
        calls += &format!("fn g{i}(x: f32) -> f32 {{ return g{0}(x) + g{0}(x); }}\n", i - 1);
    }
    assert_eq!(
        reason(&calls),
        "`g39` computes 6597069766647 operations, with those of the functions that it calls; 8192 are the most"
    );
    let loops = "for (var i = 0; i < 2; i++) { y += 1.0; } ".repeat(33);
    let loops = in_function(&format!("var y = x; {loops} return y;"));
    assert_eq!(
        reason(&loops),
        "`f` has 33 loops, with those of the functions that it calls; 32 are the most"
    );
    let twice = "fn g(x: f32) -> f32 { var y = x; while y < 9.0 { y += 1.0; } return y; }
        fn h(x: f32) -> f32 { return g(g(g(g(g(g(x)))))); }
        fn f(x: f32) -> f32 { return h(h(h(h(h(h(x)))))); }";
    assert_eq!(
        reason(twice),
        "`f` has 36 loops, with those of the functions that it calls; 32 are the most"
    );
    let long = " ".repeat(65_537);
    assert_eq!(reason(&long), "the text has 65537 bytes; texts have at most 65536");
}

#[test]
#[ignore = "long: in `.ci/run`"]
fn the_largest_texts_that_are_taken_are_checked_and_compiled() {
    let gpu = indim_testing::contexts::gpu();
    let x = gpu.array([3], &[1f32, 2., 3.]).unwrap();
    let chain = format!("return x{};", " + x".repeat(1_000));
    let elses = "else if x == 7.5 { return x; } ".repeat(64);
    let brackets = format!("return {}x{};", "(".repeat(63), ")".repeat(63));
    let loops = "for (var i = 0; i < 2; i++) { y += 1.0; } ".repeat(32);
    let nested = format!("{}y += 1.0;{}", "loop { ".repeat(32), " break; }".repeat(32));
    for (body, expected) in [
        (format!("var y = x; {loops} return y;"), [65., 66., 67.]),
        (format!("var y = x; {nested} return y;"), [2., 3., 4.]),
        (chain, [1001., 2002., 3003.]),
        (format!("if x > 100.0 {{ return x; }} {elses} return 0.5;"), [0.5; 3]),
        (brackets, [1., 2., 3.]),
    ] {
        let text = format!("fn f(x: f32) -> f32 {{ {body} }}");
        let function = Function::wgsl(&text).unwrap_or_else(|error| panic!("{error}"));
        let y = function.call::<f32>((&x,)).unwrap().eval().unwrap().to_vec_blocking().unwrap();
        assert_eq!(y, expected);
    }
}

#[test]
fn names_that_the_language_reserves_are_names() {
    let text = "fn smooth(a: f32) -> f32 { return a; }";
    assert_eq!(Function::wgsl(text).unwrap().name(), "smooth");
    // Those of parameters and variables are not changed, and WGSL refuses them.
    let error = Function::wgsl("fn f(smooth: f32) -> f32 { return smooth; }").unwrap_err();
    assert_eq!(error.reason(), "name `smooth` is a reserved keyword");
    assert_eq!((error.line(), error.column()), (Some(1), Some(6)));
}

/// Members, parameters and variables have no prefix, which keeps the names of functions from being
/// words of WGSL's.
#[test]
fn words_that_wgsl_reserves_are_no_names_of_members_and_values() {
    let member = |name: &str| {
        Function::wgsl(&format!(
            "struct R {{ {name}: f32, x: f32 }} fn f(x: f32) -> R {{ return R(x, x); }}"
        ))
    };
    for name in ["class", "loop"] {
        assert_eq!(member(name).expect_err(name).line(), Some(1));
    }
    assert!(member("exp").is_ok() && member("lambda").is_ok());
    assert!(Function::wgsl("fn f(class: f32) -> f32 { return class; }").is_err());
    assert!(Function::wgsl("fn f(x: f32) -> f32 { let class = x; return class; }").is_err());
    let class = "const self = 2.0; fn class(exp: f32) -> f32 { return exp * self; }";
    assert!(Function::wgsl(class).is_ok(), "{:?}", Function::wgsl(class));
}

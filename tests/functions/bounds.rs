//! Texts are bounded by their cost to compilers, and indices by their arrays.

use std::time::SystemTime;

use indim::{AnyExpr, Element, Function, FunctionCost, Literal};
use indim_testing::contexts::gpu;
use indim_testing::{process, share};

/// Returns the reason for the refusal of a text, which there must be.
fn reason(text: &str) -> String {
    match Function::wgsl(text) {
        Ok(_) => panic!("{} bytes are taken: {:.200}", text.len(), text),
        Err(error) => error.reason().to_owned(),
    }
}

/// Each function calls the one before it twice.
fn tree(leaf: &str, lines: usize) -> String {
    let mut text = format!("fn g0(x: f32) -> f32 {{ {leaf} }}\n");
    for i in 1..lines {
        text += &format!("fn g{i}(x: f32) -> f32 {{ return g{0}(g{0}(x)); }}\n", i - 1);
    }
    text
}

#[test]
fn a_call_counts_however_little_it_does() {
    for leaf in ["return x;", "return 0.0;", "let y = x; return y;", "var y = x; return y;"] {
        assert!(Function::wgsl(&tree(leaf, 8)).is_ok(), "{leaf}");
        for lines in [13, 20, 40] {
            let said = reason(&tree(leaf, lines));
            assert!(said.ends_with("8192 are the most"), "{leaf}: {said}");
        }
    }
    let deep = (1..70).fold(tree("return x;", 1), |text, i| {
        text + &format!("fn g{i}(x: f32) -> f32 {{ return g{}(x); }}\n", i - 1)
    });
    assert_eq!(
        reason(&deep),
        "`g69` calls functions 70 deep, with those of the functions that it calls; 64 are the most"
    );
}

#[test]
fn what_constants_and_types_claim_is_refused_with_a_place() {
    let f = "fn f(x: f32) -> f32 { return x; }";
    #[rustfmt::skip]
    let cases = [
        (format!("alias A = array<f32, 536870911>; const c = -A(); {f}"), "line 1, column 7: `A` has 536870911 values; 4096 are the most"),
        (format!("const a = array(1, 2);\nconst b = array<array<f32, 65>, 64>(); {f}"), "line 2, column 7: `b` has 4160 values; 4096 are the most"),
        (format!("struct S {{ a: array<f32, 4000>, b: array<vec4<f32>, 25> }} {f}"), "line 1, column 8: `S` has 4100 values; 4096 are the most"),
        ("fn f(x: f32) -> f32 { var a: array<f32, 0x1001>; return a[0]; }".to_owned(), "line 1, column 30: this array has 4097 values; 4096 are the most"),
        ("const N = 4097u; const M = N; fn f(x: f32) -> f32 { var a: array<f32, M>; return a[0]; }".to_owned(), "line 1, column 60: this array has 4097 values; 4096 are the most"),
        ("fn f(x: f32) -> f32 { const N = 5; { const N = 5000; } var a: array<f32, N>; return a[0]; }".to_owned(), "line 1, column 63: this array has 5000 values; 4096 are the most"),
        ("const N = 4; fn f(x: f32) -> f32 { const N = 1 << 30; var a: array<f32, N>; return a[0]; }".to_owned(), "line 1, column 73: the type of an array is array<T, N>, where N is a whole number, or the name of a constant that is declared as one"),
        (format!("const c = -array<f32, 64 * 64 * 64>(); {f}"), "line 1, column 26: the type of an array is array<T, N>"),
        (format!("const c = -array<f32, (64000)>(); {f}"), "line 1, column 23: the type of an array is array<T, N>"),
    ];
    for (text, expected) in cases {
        let error = Function::wgsl(&text).expect_err(&text);
        assert!(error.to_string().starts_with(expected), "{error}, of {text}");
    }
    let many = format!(
        "const T = array<f32, 4096>(); fn f(x: u32) -> f32 {{ return {}; }}",
        "T[5] + T[7] + T[6] + T[x] + T[1]"
    );
    assert!(reason(&many).starts_with("up to here the text has more than 16384 values"));
    let nested = "array<".repeat(17) + "f32" + &", 1>".repeat(17);
    assert_eq!(
        reason(&format!("fn f(x: f32) -> f32 {{ var a: {nested}; return x; }}")),
        "arrays and structs are nested deeper than 16"
    );
}

/// Each limit on a text: a text past it, the end of the refusal, and how the documentation of
/// [`Function::wgsl`] gives it.
#[test]
fn the_documents_list_every_limit() {
    let function = |body: &str| format!("fn f(x: f32) -> f32 {{ {body} return x; }}");
    let members: String = (0..9).map(|i| format!("m{i}: f32, ")).collect();
    let deep = (1..65).fold(tree("return x;", 1), |text, i| {
        text + &format!("fn g{i}(x: f32) -> f32 {{ return g{}(x); }}\n", i - 1)
    });
    #[rustfmt::skip]
    let limits = [
        (" ".repeat(65_537), "at most 65536", "of a text: 64 KiB"),
        (function(&format!("return {}x{};", "(".repeat(64), ")".repeat(64))), "deeper than 64", "64 nested brackets"),
        (function(&"if x > 1.0 { } else { } ".repeat(65)), "more than 64 elses; use switch, or functions", "64 `else`"),
        (function(&format!("let y = x{};", " + x".repeat(1025))), "outside of functions", "1,024 signs between two ends of statements"),
        (function("var a: array<f32, 4097>;"), "those of parts counted: what is larger can be an operand", "4,096 values and 16 KiB"),
        (function("var a: array<vec3<f32>, 1100>;"), "16384 are the most, for each invocation has its own", "4,096 values and 16 KiB"),
        (function(&format!("var a: {}f32{};", "array<".repeat(17), ", 1>".repeat(17))), "deeper than 16", "16 nested arrays or structs"),
        (format!("const T = array<f32, 4096>(); {}", function("let y = T[0] + T[1] + T[2] + T[3] + T[4];")), "make several functions", "16,384 values used by a text"),
        (tree("return x;", 13), "8192 are the most", "8,192 operations without repetitions"),
        (deep, "64 are the most", "of which 64 may call each other"),
        (function(&"for (var i = 0; i < 2; i++) { } ".repeat(33)), "32 are the most", "32 loops"),
        (format!("struct S {{ {members} }} fn f(x: f32) -> S {{ return S(); }}"), "8 are the most, for each is an array", "8 members of a returned struct"),
    ];
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let api = words(&include_str!("../../src/api/function.rs").replace("///", ""));
    for (text, end, listed) in limits {
        let said = reason(&text);
        assert!(said.ends_with(end), "{said}");
        assert!(api.contains(listed), "not listed: {listed}");
    }
    let guide = words(include_str!("../../docs/functions.md"));
    for listed in ["64 KiB of text, 16,384 values", "8,192 operations and 32 loops"] {
        assert!(guide.contains(listed), "docs/functions.md does not list: {listed}");
    }
}

/// The functions of real programs are within the bounds.
#[test]
fn usual_constants_and_types_are_taken() {
    for text in [
        "const N = 3; alias Row = array<f32, N>; fn f(x: f32) -> f32 { var r = Row(x, x, x); return r[1]; }",
        "const A = array(1.0, 2.0); const B = array(A, A); fn f(i: u32) -> f32 { return B[1][i]; }",
        "struct P { a: vec3f, b: array<vec2<f32>, 4,> } fn f(x: f32) -> f32 { var p = P(); p.b[3].x = x; return p.b[3].x; }",
        "fn f(x: f32) -> f32 { const N = 4; var a: array<i32, N>; a[0] = i32(x); return f32(a[0]); }",
        "fn f(x: f32) -> f32 { const m = mat2x2(1.0, 2.0, 3.0, 4.0) * 2.0; return (m * vec2(x))[0]; }",
        "fn f(array: f32, x: f32) -> f32 { return select(0.5, 1.5, array < x); }",
        "const K = array<mat4x4f, 8>(); fn f(x: u32) -> f32 { return K[x][x][x]; }",
    ] {
        let taken = Function::wgsl(text);
        assert!(taken.is_ok(), "{text}: {}", taken.unwrap_err());
    }
}

/// Returns the results of a function on these operands.
fn results<R: Element, T: Element>(text: &str, operand: &[T]) -> Vec<R> {
    let function = Function::wgsl(text).unwrap_or_else(|error| panic!("{error}, of {text}"));
    let x = AnyExpr::literal(Literal::from_slice([operand.len()], operand).unwrap());
    let results = function.call_any(&[&x], &[&[]]).unwrap();
    let array = gpu().eval(&results[0]).unwrap();
    array.to_literal_blocking().unwrap().to_vec().unwrap()
}

/// Returns the text of the kernel that calls a function of an `i32`.
fn kernel(text: &str) -> String {
    let x = AnyExpr::literal(Literal::from_slice([1], &[0i32]).unwrap());
    let results = Function::wgsl(text).unwrap().call_any(&[&x], &[&[]]).unwrap();
    gpu().explain(&results[0]).unwrap().kernels[0].wgsl.clone()
}

#[test]
fn an_index_past_the_end_is_that_of_the_last_element() {
    let at = [0, 1, 3, 4, 5, 1000, i32::MAX, -1, i32::MIN];
    let clamped = [0, 1, 3, 3, 3, 3, 3, 3, 3];
    let array = "var a = array(10.0, 20.0, 30.0, 40.0);";
    #[rustfmt::skip]
    let texts = [
        "const T = array(10.0, 20.0, 30.0, 40.0); fn f(i: i32) -> f32 { return T[i]; }".to_owned(),
        "const T = array(10.0, 20.0, 30.0, 40.0); fn f(i: i32) -> f32 { return T[u32(i)]; }".to_owned(),
        "const T = array(10.0, 20.0, 30.0, 40.0); fn f(i: i32) -> f32 { let t = T; return t[i]; }".to_owned(),
        "const T = array(10.0, 20.0, 30.0, 40.0); const I = array(0, 1, 2, 3); fn f(i: i32) -> f32 { return (T)[I[i]]; }".to_owned(),
        "const T = array(vec2(0.5, 10.0), vec2(0.5, 20.0), vec2(0.5, 30.0), vec2(0.5, 40.0)); fn f(i: i32) -> f32 { return T[i].y; }".to_owned(),
        "const T = vec4(10.0, 20.0, 30.0, 40.0); fn f(i: i32) -> f32 { return T[i]; }".to_owned(),
        format!("fn f(i: i32) -> f32 {{ {array} return a[i]; }}"),
        format!("fn f(i: i32) -> f32 {{ {array} let p = &a; return (*p)[i]; }}"),
        format!("fn f(i: i32) -> f32 {{ {array} let j = i; let b = a; return b[j]; }}"),
        format!("fn f(i: i32) -> f32 {{ {array} let p = &a[i]; return *p; }}"),
        "fn f(i: i32) -> f32 { var a = array(array(0.0, 10.0), array(0.0, 20.0), array(0.0, 30.0), array(0.0, 40.0)); return a[i][1]; }".to_owned(),
        "fn f(i: i32) -> f32 { var a = vec4(10.0, 20.0, 30.0, 40.0); return a[i]; }".to_owned(),
        "fn f(i: i32) -> f32 { var a = mat4x2(0.0, 10.0, 0.0, 20.0, 0.0, 30.0, 0.0, 40.0); return a[i][1]; }".to_owned(),
        "struct S { v: f32, a: array<f32, 4> } fn f(i: i32) -> f32 { var s: S; s.a = array(10.0, 20.0, 30.0, 40.0); return s.a[i]; }".to_owned(),
        "fn t() -> array<f32, 4> { return array(10.0, 20.0, 30.0, 40.0); } fn f(i: i32) -> f32 { return t()[i]; }".to_owned(),
    ];
    let expected: Vec<f32> = clamped.iter().map(|&i| 10.0 * (i + 1) as f32).collect();
    for text in &texts {
        assert_eq!(results::<f32, i32>(text, &at), expected, "of {text}");
        // Backends that bound indices themselves hide a text that does not.
        let kernel = kernel(text);
        assert!(kernel.contains("min(u32(") || kernel.contains("min(index, 3u)"), "{kernel}");
    }
    // Writes past the end go to the last element.
    for write in ["a[i] = 7.0;", "a[i] -= 3.0;", "let p = &a[i]; *p = 7.0;"] {
        let text = format!(
            "fn f(i: i32) -> f32 {{ var a = array(10.0, 10.0, 10.0, 10.0); {write} return 1000.0 * a[0] + 100.0 * a[1] + 10.0 * a[2] + a[3]; }}"
        );
        let expected: Vec<f32> =
            clamped.iter().map(|&i| 11110.0 - 3.0 * 10f32.powi(3 - i)).collect();
        assert_eq!(results::<f32, i32>(&text, &at), expected, "of {text}");
    }
    let text = "fn f(i: i32) -> i32 { var a = array(0, 0, 0, 0); a[i]++; return a[3]; }";
    assert_eq!(results::<i32, i32>(text, &at), clamped.map(|i| i32::from(i == 3)));
}

#[test]
fn a_table_has_the_values_that_stand_in_it() {
    for count in [1, 2, 3, 5, 64, 255, 1000, 4096] {
        let values: Vec<f32> = (0..count).map(|i| (i * 37 % 101) as f32 / 7.0 - 3.0).collect();
        let list = values.iter().map(f32::to_string).collect::<Vec<_>>().join(", ");
        let text = format!(
            "const T = array<f32, {count}>({list}); fn f(i: u32) -> f32 {{ return T[i]; }}"
        );
        let at: Vec<u32> = (0..count as u32 + 3).chain([u32::MAX]).collect();
        let expected: Vec<f32> = at.iter().map(|&i| values[(i as usize).min(count - 1)]).collect();
        assert_eq!(results::<f32, u32>(&text, &at), expected, "{count}");
    }
    let text =
        "const T = array(-2147483648, 2147483647, -1, 0); fn f(i: u32) -> i32 { return T[i]; }";
    assert_eq!(results::<i32, u32>(text, &[0, 1, 2, 3]), [i32::MIN, i32::MAX, -1, 0]);
    let text = "const T = array(4294967295u, 0u); fn f(i: u32) -> u32 { return T[i]; }";
    assert_eq!(results::<u32, u32>(text, &[0, 1]), [u32::MAX, 0]);
    let text = "const T = array(1e-38, 3.4028234e38, -0.0, 0.1); fn f(i: u32) -> u32 { return bitcast<u32>(T[i]); }";
    let bits = [1e-38f32, f32::MAX, -0.0, 0.1].map(f32::to_bits);
    assert_eq!(results::<u32, u32>(text, &[0, 1, 2, 3]), bits);
    let text = "const T = array<bool, 3>(); const U = array(true, false, true); fn f(i: u32) -> u32 { return 2u * u32(T[i]) + u32(U[i]); }";
    assert_eq!(results::<u32, u32>(text, &[0, 1, 2, 3]), [1, 0, 1, 1]);
    let text = "const T = array(vec3(1.0), vec3<f32>(), vec3(vec2(2.0), 5.0)); fn f(i: u32) -> f32 { let t = T[i]; return t.x + 10.0 * t.z; }";
    assert_eq!(results::<f32, u32>(text, &[0, 1, 2]), [11., 0., 52.]);
}

/// The time within which what is taken is compiled, as `docs/functions.md` has it, and how much slower
/// the machine may be than the one where that was measured.
const SECONDS: f64 = 15.0;
const SLACK: f64 = 2.0;

#[test]
fn connectives_before_calls_with_loops_are_few() {
    let text = |count: usize| {
        let line = "if s < 9.0 && g(s) { s *= 0.5; } ".repeat(count);
        format!(
            "fn g(x: f32) -> bool {{ for (var k = 0; k < 3; k++) {{ }} return x > 3.5; }} \
             fn f(i: u32) -> f32 {{ var s = f32(i); {line} return s; }}"
        )
    };
    Function::wgsl(&text(16)).unwrap();
    assert_eq!(
        Function::wgsl(&text(17)).unwrap_err().to_string(),
        "the text has loops and 17 branches with two ways, with those of each call; 16 are the \
         most; call functions with loops outside of `&&` and `||`"
    );
}

/// The texts are close to the limit, each by another part of it.
#[test]
fn what_is_taken_compiles_within_the_stated_time() {
    if !process::alone("bounds::what_is_taken_compiles_within_the_stated_time", None) {
        return;
    }
    let repeated = |statement: &str, count: usize| {
        format!("fn f(i: u32) -> f32 {{ var s = f32(i); {} return s; }}", statement.repeat(count))
    };
    let in_loop = |statement: &str, count: usize| {
        repeated(&format!("for (var k = 0; k < 3; k++) {{ {} }}", statement.repeat(count)), 1)
    };
    let list = |count: usize| (0..count).map(|i| format!("{}.5", i % 97)).collect::<Vec<_>>();
    let table = |count: usize, body: &str| {
        let list = list(count).join(", ");
        format!("const T = array<f32, {count}>({list}); fn f(i: u32) -> f32 {{ {body} }}")
    };
    let variable = |count: usize, body: &str, times: usize| {
        let body = body.repeat(times);
        format!("fn f(i: u32) -> f32 {{ var a: array<f32, {count}>; {body} return a[i]; }}")
    };
    let cases = |count: usize| {
        let cases = (0..count).map(|i| format!("case {i}u: {{ s *= {i}.5; }} "));
        let cases: String = cases.collect();
        format!("switch i {{ {cases} default: {{ }} }}")
    };
    let calls = tree("return x;", 9).replace("fn g8(x: f32)", "fn g8(y: u32)");
    #[rustfmt::skip]
    let texts = [
        ("a palette of 256", 1.0, table(256, "return T[i];")),
        ("a palette of 4096", SECONDS, table(4096, "return T[i];")),
        ("lookups", SECONDS, table(256, "var s = T[i]; for (var k = 0u; k < 4u; k++) { s += T[i ^ k] + T[i + k] + T[i * k] + T[i | k]; s -= T[i / 2u] * T[i / 3u]; } return s;")),
        ("an array of 16", SECONDS, variable(16, "a[i % 17u] += f32(i) * 0.5;", 110)),
        ("an array of 64", SECONDS, variable(64, "a[i % 67u] += f32(i) * 0.5;", 60)),
        ("an array of 256", SECONDS, variable(256, "a[i] += 0.5;", 1)),
        ("sines", SECONDS, repeated("s = sin(s);", 230)),
        ("powers", SECONDS, repeated("s = pow(s, 1.5);", 230)),
        ("arcs", SECONDS, repeated("s = atan2(s, 1.5);", 80)),
        ("few sines", SECONDS, repeated("s = sin(s);", 50)),
        ("products", SECONDS, repeated("s = s * 1.5 + 0.25;", 2000)),
        ("quotients", SECONDS, "fn f(i: u32) -> f32 { var s = i; var t = i + 1u;".to_owned() + &"s = s / (t | 1u); t = t % (s | 1u);".repeat(40) + " return f32(s); }"),
        ("branches", SECONDS, repeated("if s > 0.5 { s -= 0.25; }", 600)),
        ("matrices", SECONDS, "fn f(i: u32) -> f32 { let x = f32(i); var m = mat4x4f(); m[0][0] = x; let k = mat4x4f(vec4f(x), vec4f(0.25), vec4f(x), vec4f(1.5));".to_owned() + &"m = m * k;".repeat(45) + " return m[1][1]; }"),
        ("cases", SECONDS, repeated(&cases(75), 1)),
        ("copies of cases", SECONDS, repeated(&cases(20), 1)),
        ("switches", SECONDS, repeated(&cases(4), 14)),
        ("returns", SECONDS, format!("fn g(x: f32) -> f32 {{ if x > 3.5 {{ return x * 0.5; }} return x + 1.0; }} {}", repeated("s = g(s);", 300))),
        ("elses in a loop", SECONDS, in_loop("if s > 1000.0 { s = 0.5; } else { s = s + 1.0; }", 60)),
        ("connectives in a loop", SECONDS, in_loop("s = select(s, s + 1.0, s > 1.0 && s < 5.0);", 350)),
        ("cases in a loop", SECONDS, in_loop(&cases(4), 14)),
        ("returns in a loop", SECONDS, format!("fn g(x: f32) -> f32 {{ if x > 3.5 {{ return x * 0.5; }} return x + 1.0; }} {}", in_loop("s = g(s);", 300))),
        ("many returns in a loop", SECONDS, format!("fn g(x: f32) -> f32 {{ {} return x + 1.0; }} {}", "if x > 3.5 { return x * 0.5; } ".repeat(250), in_loop("s = g(s);", 2))),
        ("a constant condition in a loop", SECONDS, in_loop("{ const c = true; if c { s += 1.0; } else { s -= 1.0; } const d = !c; if s > 9.0 || d { s *= 0.5; } else { s += 2.0; } }", 30)),
        ("a constant selector in a loop", SECONDS, in_loop("{ const c = 1; switch c { case 1u: { s += 1.0; } case 2u: { s -= 1.0; } default: { s = 0.0; } } if s > 9.0 { s *= 0.5; } else { s += 2.0; } }", 25)),
        ("a parameter named as a type, in a loop", SECONDS, format!("alias T = f32; fn g(T: f32) -> T {{ if T > 3.5 {{ return T * 0.5; }} return T + 1.0; }} {}", in_loop("s = g(s);", 100))),
        ("branches as a loop continues", SECONDS, in_loop(&format!("var n = 0; loop {{ if n > 2 {{ break; }} continuing {{ n += 1; {} }} }}", "if s > 4.5 { s *= 0.75; } else { s += 0.5; }".repeat(60)), 1)),
        ("connectives of calls in a loop", SECONDS, format!("fn g(x: f32) -> bool {{ return x > 3.5; }} {}", in_loop("if s < 9.0 && g(s) { s *= 0.5; } if g(s) || g(s + 1.0) { s += 1.0; }", 60))),
        ("breaks in a loop", SECONDS, in_loop("if s > 1000.0 { break; } s += 1.0; if s == 500.0 { s = 0.5; continue; }", 150)),
        ("connectives of calls with loops", SECONDS, format!("fn g(x: f32) -> bool {{ for (var k = 0; k < 3; k++) {{ }} return x > 3.5; }} {}", in_loop("if s < 9.0 && g(s) { s *= 0.5; }", 16))),
        ("calls", SECONDS, calls.replace("fn g8(y: u32) -> f32 { return", "fn g8(y: u32) -> f32 { let x = f32(y); return")),
    ];
    // No cache of a driver has seen these texts.
    let now = SystemTime::UNIX_EPOCH.elapsed().unwrap().as_nanos() % 1_000_000_007;
    let x = gpu().array([4], &[1u32, 2, 63, 255]).unwrap();
    let mut slow = Vec::new();
    for (kind, seconds, text) in texts.into_iter().step_by(share::one_of(64)) {
        let text = match kind {
            "calls" => text.replace("let x = f32(y)", &format!("let x = f32(y) + {now}.0")),
            _ => {
                let head = "fn f(i: u32) -> f32 {";
                text.replacen(head, &format!("{head} if i == {now}u {{ return 0.5; }}"), 1)
            }
        };
        let begin = process::processor_seconds();
        let function = Function::wgsl(&text).unwrap_or_else(|error| panic!("{kind}: {error}"));
        function.call::<f32>((&x,)).unwrap().eval().unwrap().to_vec_blocking().unwrap();
        let taken = process::processor_seconds() - begin;
        println!("{kind}: {taken:.2} s");
        if taken > SLACK * seconds {
            slow.push((kind, taken));
        }
    }
    assert!(slow.is_empty(), "{slow:?}");
}

/// A kernel has few copies of a text that is long for compilers, whatever cost the user gives it.
/// Of a short one it has up to 16.
#[test]
fn copies_of_a_text_count_by_what_it_is_compiled_to() {
    let lines = "s = atan2(s, 1.5);".repeat(60);
    let text = format!("fn arcs(x: f32) -> f32 {{ var s = x; {lines} return s; }}");
    let arcs = Function::wgsl(&text).unwrap();
    let x = gpu().full([1 << 16], 0.5_f32).unwrap();
    for arcs in [arcs.clone(), arcs.with_cost(FunctionCost::Cheap)] {
        let explanation = arcs.call::<f32>((&x,)).unwrap().explain().unwrap();
        let calls = explanation.kernels[0].wgsl.matches("_arcs(").count() - 1;
        assert!((1..=4).contains(&calls), "{calls} calls");
    }
}

/// Switches are compiled as ifs: breaks, defaults that others follow, loops around and returns mean the
/// same.
#[test]
fn switches_choose_what_they_say() {
    let text = "
        fn f(i: u32) -> u32 {
            var n = 0u;
            switch i % 4u { case 0u, 1u: { n = 1u; break; } default: { n = 2u; } case 3u { n = 3u; } }
            for (var k = 0u; k < 5u; k++) {
                switch k + i {
                    case 2u { continue; }
                    case 4u { if i > 2u { n += 1000u; } else { switch k { case 3u { n += 7u; } default { break; } } } }
                    default { n += 10u; }
                }
                switch k {
                    case 1u { if i == 5u { break; } n += 100u; }
                    default { }
                }
            }
            switch i { case 6u { return 6u; } default { return n; } }
        }";
    let expected = |i: u32| {
        let mut n = match i % 4 {
            0 | 1 => 1,
            3 => 3,
            _ => 2,
        };
        for k in 0..5 {
            match k + i {
                2 => continue,
                4 if i > 2 => n += 1000,
                4 => n += if k == 3 { 7 } else { 0 },
                _ => n += 10,
            }
            n += if k == 1 && i != 5 { 100 } else { 0 };
        }
        if i == 6 { 6 } else { n }
    };
    let indices: Vec<u32> = (0..12).collect();
    let x = gpu().array([12], &indices).unwrap();
    let found = Function::wgsl(text).unwrap().call::<u32>((&x,)).unwrap().eval().unwrap();
    let expected: Vec<u32> = indices.into_iter().map(expected).collect();
    assert_eq!(found.to_vec_blocking().unwrap(), expected);
}

//! Texts of functions that expand far beyond their length: trees of calls, trees of constants,
//! tables, and others that a compiler expands.

use std::fmt::Write as _;

/// A kind of text: its name, and what writes one of about this many bytes.
pub type Kind = (&'static str, fn(usize) -> String);

/// All kinds of text.
pub const KINDS: &[Kind] = &[
    ("calls", calls),
    ("nested calls", nested_calls),
    ("arrays of arrays", constant_tree),
    ("arrays of abstract numbers", abstract_tree),
    ("structs of structs", struct_tree),
    ("arrays of types of arrays", type_tree),
    ("huge arrays", |_| {
        "alias A = array<f32, 536870911>; const c = -A(); fn f(x: f32) -> f32 { return x; }".into()
    }),
    ("computed lengths", |_| {
        "const N = 65536; const M = N * N / 8; const c = -array<f32, M>(); fn f(x: f32) -> f32 { return x; }".into()
    }),
    ("reads of a table", |size| {
        let text = format!("const T = array<f32, 4096>(); {}", repeated("x", " + T[5]", 400, size));
        text
    }),
    ("a table of all values", |size| {
        let count = (size / 4).saturating_sub(64);
        let values = "1.5,".repeat(count);
        format!("const T = array({values}2.0); fn f(x: u32) -> f32 {{ return T[x]; }}")
    }),
    ("lookups", |size| {
        let table = "const T = array(1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5);";
        format!("{table} {}", repeated("x", " + T[u32(x)]", 60, size))
    }),
    ("negated arrays", |size| repeated("x", "; _ = -array<f32, 4000>()", 1, size)),
    ("sums of arrays", |size| {
        format!("const T = array<f32, 999>(); {}", repeated("x", "; _ = T + T", 1, size))
    }),
    ("choices of arrays", |size| {
        format!(
            "const T = array<f32, 999>(); {}",
            repeated("x", "; _ = select(T, T, true)", 1, size)
        )
    }),
    ("products of matrices", |size| {
        format!("const m = mat4x4f(); {}", repeated("x", "; _ = m*m*m*m*m*m*m*m", 1, size))
    }),
    ("sums of vectors", |size| {
        format!(
            "const v = vec4f(1.0, 2.0, 3.0, 4.0); {}",
            repeated("x", "; _ = v+v+v+v+v+v+v+v", 1, size)
        )
    }),
    ("sums of numbers", |size| repeated("x", "; _ = 1+1+1+1+1+1+1+1+1+1+1+1+1+1", 1, size)),
    ("long sums of numbers", |size| repeated("1", "+1", 500, size)),
    ("long products", |size| repeated("b", "*b", 500, size).replace("{", "{ var b = x;")),
    ("sums of vectors and numbers", |size| {
        format!("const v = vec4f(1.0, 2.0, 3.0, 4.0); {}", repeated("v", "+1", 500, size))
    }),
    ("sums of matrices and numbers", |size| {
        format!("const m = mat4x4f(); {}", repeated("m", "*2", 500, size))
    }),
    ("constants of matrices", |size| {
        let mut text = "fn f(x: f32) -> f32 { const a0 = mat4x4f() * 2;".to_owned();
        for i in 1..size / 24 {
            let _ = write!(text, " const a{i} = a{} * 2;", i - 1);
        }
        text + " return x; }"
    }),
    ("products of constructed matrices", |size| repeated("mat4x4f()", "*mat4x4f()", 50, size)),
    ("negated matrices", |size| repeated("x", "; _ = -mat4x4f()", 1, size)),
    ("tables in functions", |size| {
        repeated("x", "; _ = array(1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7)[u32(x)]", 1, size)
    }),
    ("sums outside of functions", |size| {
        let sums = format!("const _{{}} = 1{};", "+1".repeat(400));
        let mut text = "fn f(x: f32) -> f32 { return x; }".to_owned();
        for i in 0..size / sums.len() {
            text.push_str(&sums.replace("_{}", &format!("c{i}")));
        }
        text
    }),
    ("assertions", |size| {
        let text = "const_assert 1 + 1 + 1 + 1 == 4; ";
        text.repeat(size / text.len()) + "fn f(x: f32) -> f32 { return x; }"
    }),
    ("swizzles", |size| repeated("x", "; _ = vec4f().xyzw.wzyx.xxxx.yyyy", 1, size)),
    ("constants in functions", |size| {
        let mut text = "fn f(x: f32) -> f32 { const a0 = array(1.0, 2.0);".to_owned();
        for i in 1..size / 24 {
            let _ = write!(text, " const a{i} = array(a{0}, a{0});", i - 1);
        }
        text + " return x; }"
    }),
    ("shadowed constants", |size| {
        let mut text = "const a = array(1.0, 2.0); fn f(x: f32) -> f32 { ".to_owned();
        let depth = (size / 32).min(60);
        text.push_str(&"{ const a = array(a, a); ".repeat(depth));
        text + &"} ".repeat(depth) + " return x; }"
    }),
    ("indices", |size| {
        let text = repeated("x", "; b += a[u32(b)]", 1, size);
        text.replace("{", "{ var a = array<f32, 4>(); var b = x;")
    }),
    ("cases", |size| {
        let mut text = "fn f(x: u32) -> u32 { var y = x; switch x { ".to_owned();
        for i in 0..size / 28 {
            let _ = write!(text, "case {i}u: {{ y += {i}u; }} ");
        }
        text + " default: {} } return y; }"
    }),
    ("members", |size| {
        let mut text = "struct S { ".to_owned();
        for i in 0..size / 16 {
            let _ = write!(text, "m{i}: f32, ");
        }
        text + "} fn f(x: f32) -> f32 { var s = S(); s.m1 = x; return s.m1; }"
    }),
    ("statements", |size| repeated("x", "; b = b * b", 1, size).replace("{", "{ var b = x;")),
    ("arguments", |size| repeated("x", "; _ = array(x,x,x,x,x,x,x,x,x,x,x,x,x,x)", 1, size)),
    ("blocks", |size| repeated("x", "; { { { { { } } } } }", 1, size)),
    ("loops", |size| repeated("x", "; loop { break; }", 1, size)),
    ("names", |size| repeated("f", "; _ = f(f(f(f(f(f(f(f(x))))))))", 1, size)),
    ("constants", |size| {
        let mut text = "fn f(x: f32) -> f32 { return x; } const a0 = 1;".to_owned();
        for i in 1..size / 20 {
            let _ = write!(text, " const a{i} = a{};", i - 1);
        }
        text
    }),
    ("aliases", |size| {
        let mut text = "fn f(x: f32) -> f32 { return x; } alias a0 = f32;".to_owned();
        for i in 1..size / 28 {
            let _ = write!(text, " alias a{i} = array<a{}, 1>;", i - 1);
        }
        text
    }),
    ("declarations that do not end", |size| "const a ".repeat(size / 8)),
    ("types that do not end", |size| "fn f ( ) { var a : array < vec3 < ".repeat(size / 35)),
    ("comments", |size| "/**/".repeat(size / 4)),
];

/// Returns a function whose statement `_ = `, or result, begins with `first` and continues with the
/// repeated text; a new statement begins after `each` repetitions.
fn repeated(first: &str, text: &str, each: usize, size: usize) -> String {
    let mut out = "fn f(x: f32) -> f32 { ".to_owned();
    let statement = format!("_ = {first}{}; ", text.repeat(each));
    while out.len() + statement.len() + 16 < size {
        out.push_str(&statement);
    }
    out + "return x; }"
}

/// Each function calls the one before it twice, and the first one returns its argument.
fn calls(size: usize) -> String {
    let mut text = "fn g0(x: f32) -> f32 { return x; }\n".to_owned();
    for i in 1..(size / 55).max(2) {
        let _ = writeln!(text, "fn g{i}(x: f32) -> f32 {{ return g{0}(g{0}(x)); }}", i - 1);
    }
    text
}

/// Each function calls the one before it once.
fn nested_calls(size: usize) -> String {
    let mut text = "fn g0(x: f32) -> f32 { return x; }\n".to_owned();
    for i in 1..(size / 48).max(2) {
        let _ = writeln!(text, "fn g{i}(x: f32) -> f32 {{ return g{}(x); }}", i - 1);
    }
    text
}

fn constant_tree(size: usize) -> String {
    tree("array(1.0f, 2.0f)", size)
}

fn abstract_tree(size: usize) -> String {
    tree("array(1, 2)", size)
}

/// Each constant has the one before it twice.
fn tree(first: &str, size: usize) -> String {
    let mut text = format!("const a0 = {first};\n");
    let last = (size / 32).max(2);
    for i in 1..last {
        let _ = writeln!(text, "const a{i} = array(a{0}, a{0});", i - 1);
    }
    let indices = "[0]".repeat(last.min(60));
    text + &format!("fn f(x: f32) -> f32 {{ return x + f32(a{}{indices}); }}", last - 1)
}

fn struct_tree(size: usize) -> String {
    let mut text = "struct S0 { a: f32, b: f32 }\n".to_owned();
    let last = (size / 34).max(2);
    for i in 1..last {
        let _ = writeln!(text, "struct S{i} {{ a: S{0}, b: S{0} }}", i - 1);
    }
    text + &format!("const c = S{}(); fn f(x: f32) -> f32 {{ return x + c.a.b; }}", last - 1)
}

fn type_tree(size: usize) -> String {
    let mut text = "alias A0 = array<f32, 2>;\n".to_owned();
    let last = (size / 32).max(2);
    for i in 1..last {
        let _ = writeln!(text, "alias A{i} = array<A{}, 2>;", i - 1);
    }
    text + &format!("const c = -A{}(); fn f(x: f32) -> f32 {{ return x; }}", last - 1)
}

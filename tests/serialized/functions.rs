//! Tests that calls of user-defined functions come back as they were, and that changed texts and
//! numbers are errors.

use indim::plan::PlanLimits;
use indim::{AnyArray, Builder, Computation, ElementType, Function, FunctionCost};
use indim_testing::contexts;
use indim_testing::fuzz::function_texts::KINDS;
use indim_testing::random::Random;
use serde_json::{Value, from_value, json, to_value};

use crate::computations::{kernels, stored, types};

const HALF: &str = "fn half(x: f32) -> f32 { return 0.5 * x; }";

/// A text with comments, some of the library's names, and two results.
const ROTATE: &str = "
/* Rotates a point; the comment /* nests */. */
struct Point { x: f32, select: f32 } // Here is the result.
const SCALE = 2.0;
fn scaled(x: f32) -> f32 { return SCALE * x; }
fn rotate(x: f32, y: f32, angle: f32) -> Point {
    let c = cos(angle);
    let s = sin(angle);
    return Point(scaled(c * x - s * y), s * x + c * y);
}";

const CHANGES: usize = 3_000;
const SEED: u64 = 20_261_125;

/// Returns a computation of two functions, one of them called twice with two results each.
fn rotated() -> Computation {
    let half = Function::wgsl(HALF).unwrap().with_cost(FunctionCost::Heavy);
    let rotate = Function::wgsl(ROTATE).unwrap();
    let mut b = Builder::new();
    let x = b.parameter(ElementType::F32, [2, 3]).unwrap();
    let v = b.parameter(ElementType::F32, [3]).unwrap();
    let angle = b.constant(indim::Scalar::new(0.5f32)).unwrap();
    let first = b.call_all(&rotate, &[x, v, angle], &[&[], &[1], &[]]).unwrap();
    let halved = b.call(&half, &[first[1]], &[&[]]).unwrap();
    let again = b.call_all(&rotate, &[halved, first[0], x], &[&[], &[], &[]]).unwrap();
    let sum = b.add(again[0], first[0], &[]).unwrap();
    b.build_all(&[sum, again[1], halved]).unwrap().named("rotated")
}

/// Returns data with one function and one call of it.
fn data(function: Value, call: Value) -> Value {
    json!({
        "version": 1,
        "name": null,
        "functions": [function],
        "calls": [{"parameter": {"element_type": "f32", "shape": [2]}}, {"call": call}],
        "results": [1],
    })
}

fn error(data: Value) -> String {
    from_value::<Computation>(data).unwrap_err().to_string()
}

#[test]
fn functions_become_the_same_kernels() {
    let computation = rotated();
    let read = stored(&computation);
    assert_eq!(types(&read), types(&computation));
    assert_eq!(kernels(&read), kernels(&computation));
    // Each is stored once, as the user has written it, with the cost of its calls.
    let value = to_value(&computation).unwrap();
    let functions = value["functions"].as_array().unwrap();
    assert_eq!(
        functions,
        &[
            json!({"text": ROTATE, "cost": "cheap", "loops": null}),
            json!({"text": HALF, "cost": "heavy", "loops": null})
        ]
    );
    let instructions = value["instructions"].as_array().unwrap();
    let called: Vec<u64> = instructions
        .iter()
        .filter_map(|instruction| instruction["operation"].get("call"))
        .map(|call| call["function"].as_u64().unwrap())
        .collect();
    assert_eq!(called, [0, 0, 1, 0, 0]);
}

#[test]
fn functions_give_the_same_bits() {
    let gpu = contexts::gpu();
    let computation = rotated();
    let x = gpu.array([2, 3], &[1_f32, -2., 3., 0.25, 5., 6.]).unwrap();
    let v = gpu.array([3], &[7_f32, -8., 9.]).unwrap();
    let arguments: [&AnyArray; 2] = [x.as_any(), v.as_any()];
    let [first, again] = [&computation, &stored(&computation)].map(|computation| {
        let results = gpu.run_all(computation, &arguments).unwrap();
        results.iter().map(|array| array.to_literal_blocking().unwrap()).collect::<Vec<_>>()
    });
    assert_eq!(first, again);
}

#[test]
fn a_reader_may_lower_the_bounds_of_loops() {
    let gpu = contexts::gpu();
    let text = "fn count(n: u32) -> u32 { var i = 0u; while i < n { i++; } return i; }";
    let function = json!({
        "text": text, "cost": "heavy", "loops": {"iterations": u32::MAX, "total": u32::MAX},
    });
    let data = json!({
        "version": 1,
        "name": null,
        "functions": [function, {"text": HALF, "cost": "cheap", "loops": null}],
        "calls": [
            {"parameter": {"element_type": "u32", "shape": [2]}},
            {"parameter": {"element_type": "f32", "shape": [2]}},
            {"call": {"function": 0, "result": 0, "operands": [0]}},
            {"call": {"function": 0, "result": 0, "operands": [2]}},
            {"call": {"function": 1, "result": 0, "operands": [1]}},
        ],
        "results": [3, 4],
    });
    let read = from_value::<Computation>(data).unwrap();
    let bounds = |of: &Computation| -> Vec<_> {
        let functions = of.functions().into_iter();
        functions
            .map(|f| (f.name().to_owned(), f.max_iterations(), f.max_total_iterations()))
            .collect()
    };
    let half = ("half".to_owned(), None, None);
    let most = Some(u32::MAX);
    assert_eq!(bounds(&read), [("count".to_owned(), most, most), half.clone()]);
    let capped = read.cap_iterations(100);
    assert_eq!(bounds(&capped), [("count".to_owned(), Some(100), Some(100)), half]);
    // Bounds are never raised by it, and stay when the computation is stored.
    assert_eq!(bounds(&stored(&capped.clone().cap_iterations(1 << 20))), bounds(&capped));
    let x = gpu.array([2], &[1_f32, 2.0]).unwrap();
    let run = |n: [u32; 2]| {
        let n = gpu.array([2], &n).unwrap();
        let results = gpu.run_all(&capped, &[n.as_any(), x.as_any()]).unwrap();
        results[0].to_literal_blocking().map(|values| values.to_vec::<u32>().unwrap())
    };
    assert_eq!(run([3, 100]).unwrap(), [3, 100]);
    let error = run([3, 101]).unwrap_err().to_string();
    assert!(error.starts_with("count: a loop runs more than 100 times"), "{error}");
}

#[test]
fn the_format_is_as_documented() {
    let half = Function::wgsl(HALF).unwrap();
    let mut b = Builder::new();
    let x = b.parameter(ElementType::F32, [2]).unwrap();
    let y = b.call(&half, &[x], &[&[]]).unwrap();
    let value = to_value(b.build(y).unwrap()).unwrap();
    assert_eq!(value["functions"], json!([{"text": HALF, "cost": "cheap", "loops": null}]));
    let operation = json!({"call": {"function": 0, "result": 0, "broadcast_dimensions": [[]]}});
    assert_eq!(value["instructions"][1]["operation"], operation);
    // Data without functions has no list of them, if it is older.
    let older = json!({
        "version": 1,
        "name": null,
        "calls": [{"parameter": {"element_type": "f32", "shape": [2]}}],
        "results": [0],
    });
    from_value::<Computation>(older).unwrap();
}

#[test]
fn what_no_builder_makes_is_refused() {
    let half = json!({"text": HALF, "cost": "cheap"});
    let call = |function: u64, result: u64, operands: Value| {
        error(data(
            half.clone(),
            json!({"function": function, "result": result, "operands": operands}),
        ))
    };
    assert_eq!(call(1, 0, json!([0])), "call 1: function 1 is called, and there are 1");
    assert_eq!(
        call(0, 1, json!([0])),
        "call 1: result 1 of `half` is used, and it has 1, counted from 0"
    );
    assert!(call(u64::MAX, 0, json!([0])).starts_with("call 1: function 18446744073709551615"));
    assert!(call(0, u64::MAX, json!([0])).starts_with("call 1: result 18446744073709551615"));
    assert_eq!(
        call(0, 0, json!([])),
        "call 1: half: it takes 1 operands (x: f32), and there are 0"
    );
    assert!(call(0, 0, json!([1])).starts_with("call 1: value 1 is used"));
    let of = |text: &str, cost: &str| {
        error(data(
            json!({"text": text, "cost": cost}),
            json!({"function": 0, "result": 0, "operands": [0]}),
        ))
    };
    assert_eq!(
        of("fn half(x: f32) -> f32 { return 0.5 * y; }", "cheap"),
        "function 0: line 1, column 39: no definition in scope for identifier: `y`\n\
         1 | fn half(x: f32) -> f32 { return 0.5 * y; }\n  |                                       ^"
    );
    assert!(of("@group(0) @binding(0) var<storage> a: f32;", "cheap").starts_with("function 0: "));
    assert!(of(HALF, "free").contains("unknown variant `free`"));
    let why = of("fn half(x: i32) -> f32 { return f32(x); }", "cheap");
    assert!(why.starts_with("call 1: half: operand 0 is f32, but parameter `x` is i32"), "{why}");
    let call = json!({"function": 0, "result": 0, "operands": [0]});
    let why = error(data(json!({"text": HALF, "cost": "cheap", "colour": "red"}), call));
    assert!(why.contains("unknown field `colour`"), "{why}");
}

/// Too many texts are refused before all of them are checked, and data that reading would refuse is
/// not written.
#[test]
fn too_many_functions_are_refused() {
    let text = |number: usize| format!("fn f(x: f32) -> f32 {{ return x + {number}.0; }}");
    let functions: Vec<Value> =
        (0..5_000).map(|number| json!({"text": text(number), "cost": "cheap"})).collect();
    let why = error(json!({
        "version": 1, "name": null, "functions": functions, "calls": [], "results": [],
    }));
    assert!(
        why.starts_with("function 4")
            && why.contains(
                "the computation costs more than 33554432, which is the most that is read"
            ),
        "{why}"
    );
    let mut b = Builder::new();
    let mut x = b.parameter(ElementType::F32, [2]).unwrap();
    for number in 0..4_100 {
        let function = Function::wgsl(&text(number)).unwrap();
        x = b.call(&function, &[x], &[&[]]).unwrap();
    }
    let why = to_value(b.build(x).unwrap()).unwrap_err().to_string();
    assert!(why.contains("which is the most that is stored"), "{why}");
}

/// Reading checks texts as `Function::wgsl` does, by their words before anything is evaluated.
#[test]
fn texts_that_claim_too_much_are_refused_as_new_ones() {
    for (kind, text) in KINDS {
        let text = text(1500);
        let Err(refused) = Function::wgsl(&text) else { continue };
        let call = json!({"function": 0, "result": 0, "operands": [0]});
        let function = json!({"text": text, "cost": "cheap"});
        let said = error(data(function, call));
        assert!(said.contains(refused.reason()), "{kind}: {said}");
    }
    // Each constant has twice the values of the one before. The words alone tell that.
    let doubled = (1..14).map(|i| format!("const a{i} = array(a{0}, a{0}); ", i - 1));
    let text = format!("const a0 = array(1, 2); {}{HALF}", doubled.collect::<String>());
    let call = json!({"function": 0, "result": 0, "operands": [0]});
    let said = error(data(json!({"text": text, "cost": "cheap"}), call));
    assert!(said.contains("`a12` has 8192 values; 4096 are the most"), "{said}");
}

#[test]
fn bounds_of_loops_are_stored() {
    let sum =
        "fn sum(n: u32) -> u32 { var s = 0u; for (var i = 0u; i < n; i++) { s += i; } return s; }";
    let sum = Function::wgsl(sum).unwrap();
    let computation = |of: &Function| {
        let mut b = Builder::new();
        let x = b.parameter(ElementType::U32, [2]).unwrap();
        let result = b.call(of, &[x], &[&[]]).unwrap();
        b.build(result).unwrap()
    };
    let few = computation(&sum.clone().with_max_iterations(5).with_max_total_iterations(9));
    let value = to_value(&few).unwrap();
    assert_eq!(value["functions"][0]["loops"], json!({"iterations": 5, "total": 9}));
    assert_eq!(kernels(&stored(&few)), kernels(&few));
    assert_ne!(kernels(&few), kernels(&computation(&sum)));
    // Without bounds, they are the default.
    let mut value = to_value(computation(&sum)).unwrap();
    value["functions"][0].as_object_mut().unwrap().remove("loops");
    assert_eq!(kernels(&from_value(value).unwrap()), kernels(&computation(&sum)));
}

/// Changes of texts, costs and numbers are errors, or give what a builder could also make.
#[test]
fn changed_functions_do_no_harm() {
    let value = to_value(rotated()).unwrap();
    let random = &mut Random::new(SEED);
    let words =
        ["loop", "fn", "vec2<f32>", "(", "}", "@compute", "//", "/*", "1e999", "é", "u0", ""];
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..CHANGES {
        let mut changed = value.clone();
        if random.percent(70) {
            let function = &mut changed["functions"][random.below(2)];
            let mut text = function["text"].as_str().unwrap().to_owned();
            for _ in 0..1 + random.below(3) {
                // The texts are ASCII until a word is put in.
                let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
                let at = ends[random.below(ends.len())];
                let end = ends.iter().copied().find(|&end| end > at + random.below(4));
                text.replace_range(at..end.unwrap_or(text.len()).max(at), random.pick(&words));
                if text.is_empty() {
                    text.push(' ');
                }
            }
            function["text"] = json!(text);
        } else {
            let instructions = changed["instructions"].as_array_mut().unwrap();
            let at = random.below(instructions.len());
            if let Some(call) = instructions[at]["operation"].get_mut("call") {
                let number = [0, 1, 2, 3, 7, u64::MAX][random.below(6)];
                call[["function", "result"][random.below(2)]] = json!(number);
            }
        }
        match from_value::<Computation>(changed) {
            Ok(read) => {
                let value = to_value(&read).unwrap();
                let again: Computation = from_value(value.clone()).unwrap();
                assert_eq!(to_value(&again).unwrap(), value);
                PlanLimits::default().explain(&read).unwrap();
                accepted += 1;
            }
            Err(_) => refused += 1,
        }
    }
    println!("{accepted} were accepted, {refused} refused");
    assert!(accepted > 100 && refused > 1_000, "{accepted}, {refused}");
}

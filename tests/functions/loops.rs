//! Loops in functions run as their text says, and one that does not end is an error of the arrays
//! that depend on it, and of no other.

use indim::plan::PlanLimits;
use indim::{Array, Builder, CallError, Context, ElementType, Error, Expr, Function, Result, eval};
use indim_testing::contexts;

/// The number of steps of Collatz's sequence until 1; of 0 it does not end.
const COLLATZ: &str = "fn collatz(start: u32) -> u32 {
    var n = 0u;
    for (var x = start; x != 1u; n++) { x = select(x / 2u, 3u * x + 1u, x % 2u == 1u); }
    return n;
}";

fn function(text: &str) -> Function {
    Function::wgsl(text).unwrap_or_else(|error| panic!("{error}"))
}

fn steps(start: u32) -> u32 {
    let next = |&x: &u32| Some(if x % 2 == 1 { 3 * x + 1 } else { x / 2 });
    std::iter::successors(Some(start), next).take_while(|&x| x != 1).count() as u32
}

fn sequence(gpu: &Context, rows: usize, columns: usize) -> (Array<u32>, Vec<u32>) {
    let starts: Vec<u32> = (1..=(rows * columns) as u32).collect();
    let expected = starts.iter().map(|&start| steps(start)).collect();
    (gpu.array([rows, columns], &starts).unwrap(), expected)
}

/// Returns the bound that a refused reading exceeded, and whether it is that of all loops together;
/// a bound of 0 is the driver's.
#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T>, name: &str) -> (u32, bool) {
    match result {
        Err(Error::Call { function, source }) if function == name => match *source {
            CallError::Loop { most, is_total } => (most, is_total),
            // Mesa's llvmpipe ends loops before the default bounds.
            CallError::LoopOfDriver { driver } if driver == "llvmpipe" => (0, false),
            other => panic!("{other}"),
        },
        other => panic!("{other:?} is not an error of a loop of {name}"),
    }
}

#[test]
fn loops_of_each_kind_run_as_the_text_says() {
    let gpu = contexts::gpu();
    let texts = [
        "fn sum(n: u32) -> u32 { var s = 0u; for (var i = 1u; i <= n; i++) { s += i; } return s; }",
        "fn sum(n: u32) -> u32 { var s = 0u; var i = 0u; while i < n { i++; s += i; } return s; }",
        "fn sum(n: u32) -> u32 { var s = 0u; var i = 0u; loop { if i == n { break; } i++; s += i; } return s; }",
        "fn sum(n: u32) -> u32 {
            var s = 0u; var i = 0u;
            loop { s += i; continuing { i++; break if i > n; } }
            return s;
        }",
        "fn sum(n: u32) -> u32 {
            var s = 0u;
            for (var i = 0u; i < 2u * n; i++) { if i % 2u == 0u { continue; } s += (i + 1u) / 2u; }
            return s;
        }",
        "fn row(n: u32) -> u32 { var s = 0u; for (var i = 0u; i < n; i++) { s++; } return s; }
         fn sum(n: u32) -> u32 { var s = 0u; for (var i = 1u; i <= n; i++) { s += row(i); } return s; }",
    ];
    let n: Vec<u32> = (0..37).collect();
    let array = gpu.array([37], &n).unwrap();
    for text in texts {
        let sum = function(text).call::<u32>((&array,)).unwrap();
        let doubled = (sum * 2_u32 + 1_u32).eval().unwrap().to_vec_blocking().unwrap();
        let expected: Vec<u32> = n.iter().map(|n| n * (n + 1) + 1).collect();
        assert_eq!(doubled, expected, "{text}");
    }
}

/// Reads a result, which must be the sequence's steps.
#[track_caller]
fn check(what: &str, result: Result<Array<u32>>, expected: &[u32]) {
    let values = result.and_then(|array| array.to_vec_blocking());
    let values = values.unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(values, expected, "{what}");
}

/// Calls the function over all ways in which kernels walk through a result. Behind its end lie zeros
/// and other results, for which the loop does not end.
fn check_ends(gpu: &Context, rows: usize, columns: usize) {
    let collatz = function(COLLATZ);
    let (array, expected) = sequence(gpu, rows, columns);
    let what = |how: &str| format!("{how}, {rows} x {columns}");
    let call = |operand: &Expr<u32>| collatz.call::<u32>((operand,)).unwrap();
    check(&what("flat"), call(&array.expr()).eval(), &expected);
    let turned = call(&array.expr().reverse([0, 1])).reverse([0, 1]);
    check(&what("reversed"), turned.eval(), &expected);
    let columns_first = gpu.array([columns, rows], &transposed(&array)).unwrap();
    check(&what("transposed"), call(&columns_first.expr().transpose([1, 0])).eval(), &expected);
    // Calls of operands that are the same in each row or each column are computed once.
    let (row, column) = (
        gpu.array([1, columns], &expected[..columns]).unwrap(),
        gpu.zeros::<u32>([rows, 1]).unwrap(),
    );
    let of_row: Vec<u32> = (0..rows * columns).map(|i| steps(1 + (i % columns) as u32)).collect();
    let starts = gpu.array([1, columns], &(1..=columns as u32).collect::<Vec<_>>()).unwrap();
    check(&what("rows"), (call(&starts.expr()) + &column).eval(), &of_row);
    let sum: Vec<u32> =
        expected.iter().zip((0..).map(|i| i % columns)).map(|(n, c)| n + expected[c]).collect();
    check(&what("both"), (call(&array.expr()) + &row).eval(), &sum);
    let first: Vec<u32> = (0..rows).map(|r| (r * columns + 1) as u32).collect();
    let first = gpu.array([rows, 1], &first).unwrap();
    let of_column: Vec<u32> =
        (0..rows * columns).map(|i| expected[i / columns * columns]).collect();
    let all = gpu.zeros::<u32>([rows, columns]).unwrap();
    check(&what("columns"), (call(&first.expr()) + &all).eval(), &of_column);
    // Results also have other widths.
    let narrow =
        call(&array.expr()).convert_element_type::<u8>().eval().unwrap().to_vec_blocking().unwrap();
    let modulo: Vec<u8> = expected.iter().map(|&n| n as u8).collect();
    assert_eq!(narrow, modulo, "{}", what("u8"));
    let wide = call(&array.expr())
        .convert_element_type::<u64>()
        .eval()
        .unwrap()
        .to_vec_blocking()
        .unwrap();
    assert!(wide.iter().zip(&expected).all(|(&n, &e)| n == u64::from(e)), "{}", what("u64"));
    // A part of an array has neighbours that keep their values.
    let mut target = gpu.full([rows + 2, columns + 3], 7_u32).unwrap();
    let place = target.slice_mut([1, 2], [rows as i64 + 1, columns as i64 + 2]).unwrap();
    call(&array.expr()).eval_into(place).unwrap();
    let found =
        target.to_vec_blocking().unwrap_or_else(|error| panic!("{}: {error}", what("part")));
    for (i, &value) in found.iter().enumerate() {
        let (row, column) = (i / (columns + 3), i % (columns + 3));
        let inside = (1..=rows).contains(&row) && (2..columns + 2).contains(&column);
        let wanted = if inside { expected[(row - 1) * columns + column - 2] } else { 7 };
        assert_eq!(value, wanted, "{}: element {i}", what("part"));
    }
}

fn transposed(array: &Array<u32>) -> Vec<u32> {
    array.expr().transpose([1, 0]).eval().unwrap().to_vec_blocking().unwrap()
}

#[test]
fn what_lies_behind_the_end_of_a_result_is_not_computed() {
    let gpu = contexts::gpu();
    for (rows, columns) in [(1, 1), (1, 3), (1, 17), (2, 15), (7, 5), (3, 130), (64, 33), (5, 4097)]
    {
        check_ends(&gpu, rows, columns);
    }
}

#[test]
#[ignore = "long: in `.ci/run`"]
fn nor_in_windows_with_few_bindings_or_by_other_schedules() {
    let mut odd = PlanLimits::default();
    (odd.tuning.tile_rows, odd.tuning.short_row_tile, odd.tuning.quads_per_unit) = (3, 2, 2);
    (odd.tuning.workgroup_size, odd.tuning.branchless) = (32, true);
    let plans = [None, Some(PlanLimits::default()), Some(odd)];
    for (limits, plan) in
        plans.into_iter().flat_map(|p| [(None, p.clone()), (Some(contexts::low()), p)])
    {
        let mut options = contexts::options();
        (options.required_limits, options.plan_limits) = (limits, plan);
        let gpu = Context::blocking_with_options(options).unwrap();
        for (rows, columns) in [(7, 5), (3, 9001), (257, 129)] {
            check_ends(&gpu, rows, columns);
        }
    }
}

#[test]
fn a_loop_that_does_not_end_is_an_error_of_its_own_result() {
    let gpu = contexts::gpu();
    for text in [
        "fn endless(x: f32) -> f32 { var y = x; loop { y += 1.0; } return y; }",
        "fn endless(x: f32) -> f32 { var y = x; while true { y += 1.0; } return y; }",
        "fn endless(x: f32) -> f32 { var y = x; for (;;) { y += 1.0; } return y; }",
        "fn endless(x: f32) -> f32 { var y = x; loop { loop { loop { y += 1.0; } } } return y; }",
        "fn inner(x: f32) -> f32 { var y = x; loop { y += 1.0; if y > 1e30 { break; } } return y; }
         fn endless(x: f32) -> f32 { var y = x; loop { y = inner(-y); } return y; }",
        "fn endless(x: f32) -> f32 { var y = x; loop { y += 1.0; continue; } return y; }",
        "fn endless(x: f32) -> f32 { var y = x; loop { y += 1.0; continuing { loop { y += 1.0; } } } return y; }",
    ] {
        let expected =
            if gpu.plan_limits().device.bounded_loops { (0, false) } else { (65_536, false) };
        let x = gpu.array([3, 700], &contexts::iota(2100)).unwrap();
        let endless = function(text);
        let y = endless.call::<f32>((&x,)).unwrap().eval().unwrap();
        let other = (&x + 1.0).eval().unwrap();
        assert_eq!(refused(y.to_vec_blocking(), "endless"), expected, "{text}");
        assert_eq!(refused(y.to_vec_blocking(), "endless"), expected, "{text}, again");
        let few = endless.with_max_iterations(1000).call::<f32>((&x,)).unwrap().eval().unwrap();
        assert_eq!(refused(few.to_vec_blocking(), "endless"), (1000, false), "{text}, few");
        // The context and other arrays go on.
        assert_eq!(other.to_vec_blocking().unwrap()[2099], 2100.0);
        assert_eq!(x.to_vec_blocking().unwrap(), contexts::iota(2100));
    }
}

#[test]
fn what_is_computed_from_it_is_refused_too() {
    let gpu = contexts::gpu();
    let collatz = function(COLLATZ).with_max_iterations(200);
    let bad = gpu.array([3], &[3_u32, 0, 5]).unwrap();
    let good = gpu.array([3], &[3_u32, 1, 5]).unwrap();
    let of_bad = collatz.call::<u32>((&bad,)).unwrap().eval().unwrap();
    let of_good = collatz.call::<u32>((&good,)).unwrap().eval().unwrap();
    let mut next = of_bad.clone();
    for _ in 0..3 {
        next = (&next + &of_good).eval().unwrap();
    }
    assert_eq!(refused(next.to_vec_blocking(), "collatz"), (200, false));
    let reshaped = of_bad.expr().reshape([3, 1]).eval().unwrap();
    assert_eq!(refused(reshaped.to_vec_blocking(), "collatz"), (200, false));
    assert_eq!(of_good.to_vec_blocking().unwrap(), [7, 0, 5]);
    // Of several results that are computed together, those without loops are there.
    let (both, alone) = eval((collatz.call::<u32>((&bad,)).unwrap(), &good * 2_u32)).unwrap();
    assert_eq!(refused(both.to_vec_blocking(), "collatz"), (200, false));
    assert_eq!(alone.to_vec_blocking().unwrap(), [6, 2, 10]);
    // A target that is written anew is there again, in the same memory or in other memory.
    let mut shared = of_bad.clone();
    (&good + 1_u32).eval_into(&mut shared).unwrap();
    assert_eq!(shared.to_vec_blocking().unwrap(), [4, 2, 6]);
    let mut target = collatz.call::<u32>((&bad,)).unwrap().eval().unwrap();
    let again = &target + 1_u32;
    again.eval_into(&mut target).unwrap();
    assert_eq!(refused(target.to_vec_blocking(), "collatz"), (200, false));
    (&good + 1_u32).eval_into(&mut target.slice_mut([0], [2]).unwrap()).unwrap_err();
    let two = gpu.array([2], &[1_u32, 2]).unwrap();
    (&two + 1_u32).eval_into(target.slice_mut([0], [2]).unwrap()).unwrap();
    assert_eq!(refused(target.to_vec_blocking(), "collatz"), (200, false));
    (&good + 1_u32).eval_into(&mut target).unwrap();
    assert_eq!(target.to_vec_blocking().unwrap(), [4, 2, 6]);
    let error = next.to_vec_blocking().unwrap_err().to_string();
    assert_eq!(
        error,
        "collatz: a loop runs more than 200 times for an element, so that the array is not computed; \
         see that each loop ends, or raise the bound (Function::with_max_iterations)"
    );
}

/// Returns the name of the function whose loop a reading is refused for.
#[track_caller]
fn refusing<T: indim::Element>(result: &Array<T>) -> String {
    match result.to_vec_blocking() {
        Err(Error::Call { function, .. }) => function,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it is given"),
    }
}

#[test]
fn of_one_evaluation_only_what_was_computed_from_the_loop_is_refused() {
    let gpu = contexts::gpu();
    let steps = function(
        "fn steps(x: f32) -> f32 {
            var n = 0.0; var y = x;
            while (y != 1.0) { y = y - 1.0; n = n + 1.0; }
            return n;
        }",
    );
    let count = function(
        "fn count(x: f32) -> f32 { var n = 0.0; for (var i = 0.0; i < x; i += 1.0) { n += 1.0; } return n; }",
    );
    // By the driver's bound, if it has one, and by the caller's.
    for steps in [steps.clone(), steps.with_max_iterations(100)] {
        for size in [1, 3, 5000] {
            let bad = gpu.full([size], 3.5_f32).unwrap();
            let good = gpu.full([size], 7_f32).unwrap();
            let other = gpu.full([4, 4], 7_f32).unwrap();
            let call = |f: &Function, x: &Array<f32>| f.call::<f32>((x,)).unwrap();
            let results = vec![
                call(&steps, &bad),
                call(&count, &good),
                // The same function, on another array and in another shape.
                call(&steps, &good),
                call(&steps, &other),
                call(&count, &good) + call(&steps, &bad),
                call(&count, &(call(&steps, &bad) * 100.0 + &good).eval().unwrap()),
                call(&steps, &good) + call(&count, &good),
            ];
            let results = eval(results).unwrap();
            for (number, value) in [(1, 7.0), (2, 6.0), (3, 6.0), (6, 13.0)] {
                let values = results[number].to_vec_blocking();
                let values = values.unwrap_or_else(|error| panic!("{number}, {size}: {error}"));
                assert!(values.iter().all(|&v| v == value), "{number}, {size}: {values:?}");
            }
            for number in [0, 4, 5] {
                assert_eq!(refusing(&results[number]), "steps", "{number}, {size}");
            }
            // The function whose loop it is, where another one is called first.
            let second = (call(&count, &good) + call(&steps, &bad)).eval().unwrap();
            assert_eq!(refusing(&second), "steps", "{size}");
            // Values computed from these are refused by the same rule.
            let (from_bad, from_good) =
                eval((&results[0] + &results[1], call(&count, &results[2]))).unwrap();
            assert_eq!(refusing(&from_bad), "steps");
            assert!(from_good.to_vec_blocking().unwrap().iter().all(|&n| n == 6.0));
        }
    }
}

#[test]
fn the_first_of_nested_calls_is_named() {
    let gpu = contexts::gpu();
    let text = |name: &str| {
        format!(
            "fn {name}(x: u32) -> u32 {{ var y = x; loop {{ if y >= 5u {{ break; }} }} return y; }}"
        )
    };
    let [inner, outer] =
        ["inner", "outer"].map(|name| function(&text(name)).with_max_iterations(20));
    let x = gpu.array([6], &[1_u32, 6, 7, 8, 9, 10]).unwrap();
    let called = inner.call::<u32>((&x,)).unwrap();
    let together = outer.call::<u32>((&called,)).unwrap();
    assert_eq!(refusing(&together.eval().unwrap()), "inner");
    let apart = outer.call::<u32>((&called.eval().unwrap(),)).unwrap();
    let apart = apart.eval().unwrap();
    assert_eq!(refusing(&apart), "inner");
    // Also where words of many evaluations have become one.
    let mut last = apart;
    for _ in 0..12 {
        last = outer.call::<u32>((&last,)).unwrap().eval().unwrap();
    }
    assert_eq!(refusing(&last), "inner");
}

#[test]
fn encoded_results_are_refused_one_by_one() {
    let gpu = contexts::gpu();
    let collatz = function(COLLATZ).with_max_iterations(300);
    let mut b = Builder::new();
    let (x, y) =
        (b.parameter(ElementType::U32, [5]).unwrap(), b.parameter(ElementType::U32, [5]).unwrap());
    let [of_x, of_y] = [x, y].map(|operand| b.call(&collatz, &[operand], &[&[]]).unwrap());
    let computation = b.build_all(&[of_x, of_y]).unwrap();
    let bad = gpu.array([5], &[1_u32, 2, 0, 4, 5]).unwrap();
    let good = gpu.array([5], &[1_u32, 2, 3, 4, 5]).unwrap();
    let mut encoder = gpu.device().create_command_encoder(&Default::default());
    let encoded =
        computation.on(&gpu, &[bad.as_any(), good.as_any()]).unwrap().encode(&mut encoder).unwrap();
    gpu.queue().submit([encoder.finish()]);
    encoded.submitted();
    let results: Vec<Array<u32>> =
        encoded.results().iter().map(|result| result.clone().downcast().unwrap()).collect();
    assert_eq!(refused(results[0].to_vec_blocking(), "collatz"), (300, false));
    assert_eq!(results[1].to_vec_blocking().unwrap(), [0, 1, 7, 2, 5]);
}

#[test]
fn functions_with_and_without_loops_share_a_kernel() {
    let gpu = contexts::gpu();
    let double = function("fn double(x: u32) -> u32 { return 2u * x; }");
    let collatz = function(COLLATZ).with_max_iterations(300);
    let x = gpu.array([3], &[3_u32, 1, 5]).unwrap();
    let doubled = double.call::<u32>((&x,)).unwrap();
    let before = gpu.stats().dispatches;
    let steps = double.call::<u32>((&collatz.call::<u32>((&doubled,)).unwrap(),)).unwrap();
    assert_eq!(steps.eval().unwrap().to_vec_blocking().unwrap(), [16, 2, 12]);
    assert_eq!(gpu.stats().dispatches, before + 1);
}

#[test]
fn bounds_are_the_callers() {
    let gpu = contexts::gpu();
    let count = function(
        "fn count(n: u32, m: u32) -> u32 {
            var s = 0u;
            for (var i = 0u; i < n; i++) { for (var j = 0u; j < m; j++) { s++; } }
            return s;
        }",
    );
    let run = |of: &Function, n: u32, m: u32| {
        let n = gpu.array([1], &[n]).unwrap();
        of.call::<u32>((&n, gpu.array([1], &[m]).unwrap()))
            .unwrap()
            .eval()
            .unwrap()
            .to_vec_blocking()
    };
    // The bounds themselves are kept to, those of all loops together with the outer ones.
    let (most, square) =
        if gpu.plan_limits().device.bounded_loops { (10_000, 100) } else { (65_536, 1024) };
    let count = if gpu.plan_limits().device.bounded_loops {
        count.with_max_iterations(most).with_max_total_iterations(square * square)
    } else {
        // These are the default.
        count
    };
    assert_eq!(run(&count, most, 0).unwrap(), [0]);
    assert_eq!(refused(run(&count, most + 1, 0), "count"), (most, false));
    assert_eq!(run(&count, square, square - 1).unwrap(), [square * (square - 1)]);
    assert_eq!(refused(run(&count, square, square), "count"), (square * square, true));
    let few = count.clone().with_max_iterations(3).with_max_total_iterations(8);
    assert_eq!(run(&few, 2, 3).unwrap(), [6]);
    assert_eq!(refused(run(&few, 3, 3), "count"), (8, true));
    assert_eq!(refused(run(&few, 4, 0), "count"), (3, false));
    let many = count.clone().with_max_iterations(1 << 20).with_max_total_iterations(1 << 22);
    let all = run(&many, 1 << 20, 1);
    if gpu.plan_limits().device.bounded_loops {
        assert_eq!(refused(all, "count"), (0, false))
    } else {
        assert_eq!(all.unwrap(), [1 << 20])
    }
    // Functions of one text and other bounds live in one kernel.
    let n = gpu.array([2], &[2_u32, 4]).unwrap();
    let one = (many.call::<u32>((&n, 2_u32)).unwrap(), few.call::<u32>((&n, 2_u32)).unwrap());
    let before = gpu.stats().dispatches;
    let (right, wrong) = eval(one).unwrap();
    // Where a driver ends loops, it ends all of a kernel.
    let kernels = if gpu.plan_limits().device.bounded_loops { 2 } else { 1 };
    assert_eq!(gpu.stats().dispatches, before + kernels);
    assert_eq!(refused(wrong.to_vec_blocking(), "count"), (8, true));
    assert_eq!(right.to_vec_blocking().unwrap(), [4, 8]);
    assert_eq!(
        many.call::<u32>((&n, 2_u32)).unwrap().eval().unwrap().to_vec_blocking().unwrap(),
        [4, 8]
    );
    // Bounds have no effect where there is no loop.
    let half = function("fn half(x: f32) -> f32 { return 0.5 * x; }");
    assert_eq!(half, half.clone().with_max_iterations(0).with_max_total_iterations(0));
}

#[test]
fn a_struct_of_several_types_comes_out_of_loops() {
    let gpu = contexts::gpu();
    let text = "struct found { root: f32, steps: i32, ended: bool, both: vec2<f32> }
        fn newton(x: f32) -> found {
            var y = x;
            var n = 0;
            while abs(y * y - x) > 1e-4 * x { y = 0.5 * (y + x / y); n++; }
            return found(y, n, true, vec2(y, -y));
        }";
    let x = gpu.array([5], &[1_f32, 4., 9., 2., 100.]).unwrap();
    let results = function(text).call_all((&x,)).unwrap();
    let root = gpu.eval(&results[0]).unwrap().downcast::<f32>().unwrap().to_vec_blocking().unwrap();
    for (root, x) in root.iter().zip([1_f32, 2., 3., 2_f32.sqrt(), 10.]) {
        assert!((root - x).abs() < 1e-2, "{root}, not {x}");
    }
    let steps = gpu.eval(&results[1]).unwrap().downcast::<i32>().unwrap();
    let steps = steps.to_vec_blocking().unwrap();
    assert!(steps[0] == 0 && steps[1..].iter().all(|n| (1..20).contains(n)), "{steps:?}");
    let both = gpu.eval(&results[3]).unwrap().downcast::<indim::num_complex::Complex32>().unwrap();
    for (both, root) in both.to_vec_blocking().unwrap().iter().zip(&root) {
        assert_eq!((both.re, both.im), (*root, -*root));
    }
    let ended = gpu.eval(&results[2]).unwrap().downcast::<bool>().unwrap();
    assert_eq!(ended.to_vec_blocking().unwrap(), [true; 5]);
}

#[test]
fn many_evaluations_after_each_other_keep_few_words() {
    let gpu = contexts::gpu();
    let step = function(
        "fn step(x: f32) -> f32 { var y = x; for (var i = 0; i < 4; i++) { y += 0.25; } return y; }",
    );
    let mut x = gpu.array([1000], &contexts::iota(1000)).unwrap();
    let sum = gpu.array([1000], &contexts::iota(1000)).unwrap();
    for _ in 0..500 {
        x = step.call::<f32>((&(&x + &sum * 0.0),)).unwrap().eval().unwrap();
    }
    let memory = gpu.memory().in_use;
    for _ in 0..500 {
        x = step.call::<f32>((&(&x + &sum * 0.0),)).unwrap().eval().unwrap();
    }
    assert!(gpu.memory().in_use <= memory + (64 << 10), "{} then {}", memory, gpu.memory().in_use);
    assert_eq!(x.to_vec_blocking().unwrap()[999], 1999.0);
    let bad = function(COLLATZ).with_max_iterations(9);
    let mut y = bad.call::<u32>((&gpu.zeros::<u32>([4]).unwrap(),)).unwrap().eval().unwrap();
    let same = function(
        "fn same(x: u32) -> u32 { var y = x; for (var i = 0; i < 4; i++) { y += 1u; } return y; }",
    );
    for _ in 0..100 {
        y = same.call::<u32>((&y,)).unwrap().eval().unwrap();
    }
    assert_eq!(refused(y.to_vec_blocking(), "collatz"), (9, false));
}

#[test]
fn targets_that_are_never_read_keep_few_words() {
    let gpu = contexts::gpu();
    let step = function(
        "fn step(x: f32) -> f32 { var y = x; for (var i = 0; i < 4; i++) { y += 0.25; } return y; }",
    );
    let x = gpu.array([1000], &contexts::iota(1000)).unwrap();
    let mut target = gpu.zeros::<f32>([2, 1000]).unwrap();
    let mut encoded_target = gpu.zeros::<f32>([1000]).unwrap();
    let mut write = |times: usize| {
        for _ in 0..times {
            let part = target.slice_mut([1, 0], [2, 1000]).unwrap();
            let row = step.call::<f32>((&x,)).unwrap().reshape([1, 1000]);
            row.eval_into(part).unwrap();
            let mut encoder = gpu.device().create_command_encoder(&Default::default());
            let call = step.call::<f32>((&x,)).unwrap();
            let encoded = call.encode_into(&mut encoder, &mut encoded_target).unwrap();
            gpu.queue().submit([encoder.finish()]);
            encoded.submitted();
        }
        gpu.wait().unwrap();
        gpu.memory().in_use
    };
    // The words of this many evaluations alone would take a megabyte.
    let memory = write(100);
    let later = write(2000);
    assert!(later <= memory + (256 << 10), "{memory} then {later}");
    assert_eq!(target.to_vec_blocking().unwrap()[1999], 1000.0);
    assert_eq!(encoded_target.to_vec_blocking().unwrap()[999], 1000.0);
}

#[test]
fn callers_encoders_have_loops() {
    let gpu = contexts::gpu();
    let collatz = function(COLLATZ).with_max_iterations(300);
    let (array, expected) = sequence(&gpu, 9, 11);
    let mut results = Vec::new();
    for operand in [&array, &gpu.zeros::<u32>([9, 11]).unwrap()] {
        let mut target = gpu.zeros::<u32>([9, 11]).unwrap();
        let mut encoder = gpu.device().create_command_encoder(&Default::default());
        let call = collatz.call::<u32>((operand,)).unwrap();
        let encoded = call.encode_into(&mut encoder, &mut target).unwrap();
        gpu.queue().submit([encoder.finish()]);
        encoded.submitted();
        results.push(target);
    }
    assert_eq!(results[0].to_vec_blocking().unwrap(), expected);
    assert_eq!(refused(results[1].to_vec_blocking(), "collatz"), (300, false));
    // A target of commands that were never submitted keeps its elements.
    let mut target = gpu.full([9, 11], 5_u32).unwrap();
    let mut encoder = gpu.device().create_command_encoder(&Default::default());
    let call = collatz.call::<u32>((&gpu.zeros::<u32>([9, 11]).unwrap(),)).unwrap();
    let encoded = call.encode_into(&mut encoder, &mut target).unwrap();
    drop((encoder, encoded));
    assert_eq!(target.to_vec_blocking().unwrap(), [5; 99]);
}

#[test]
fn the_bound_of_a_loop_raises_that_of_all_loops_together() {
    let endless = function(
        "fn endless(x: u32) -> u32 { var y = x; loop { y++; if x == y { break; } } return y; }",
    );
    let set = |most: u32| endless.clone().with_max_iterations(most);
    // Functions are equal if their bounds are.
    assert_eq!(set(1 << 21), set(1 << 21).with_max_total_iterations(1 << 21));
    assert_eq!(set(5), set(5).with_max_total_iterations(1 << 20));
    assert_eq!(
        set(5).with_max_total_iterations(3).with_max_iterations(9),
        set(9).with_max_total_iterations(9)
    );
    assert_ne!(set(1 << 21), set(1 << 21).with_max_total_iterations(1 << 20));
}

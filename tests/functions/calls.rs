//! Calls broadcast and fuse with what is around them, and compute what the text says.

use indim::half::{bf16, f16};
use indim::num_complex::Complex32;
use indim::plan::PlanLimits;
use indim::{AnyExpr, Builder, Context, ElementType, Expr, Function, FunctionCost, Literal, eval};
use indim_testing::contexts;

const SMOOTH: &str = "fn smooth(a: f32, b: f32, t: f32) -> f32 {
    let s = t * t * (3.0 - 2.0 * t);
    return mix(a, b, s);
}";

fn function(text: &str) -> Function {
    Function::wgsl(text).unwrap_or_else(|error| panic!("{error}"))
}

fn ramp(gpu: &Context, rows: usize, columns: usize) -> indim::Array<f32> {
    let values: Vec<f32> = (0..rows * columns).map(|i| i as f32 / 8.0).collect();
    gpu.array([rows, columns], &values).unwrap()
}

#[test]
fn operands_broadcast_by_the_rules_of_operations() {
    let gpu = contexts::gpu();
    let smooth = function(SMOOTH);
    let (x, v) = (ramp(&gpu, 5, 9), ramp(&gpu, 1, 9).expr().reshape(&[9]).eval().unwrap());
    let y = smooth.call::<f32>((&x, v.in_dim([1]), 0.25)).unwrap().eval().unwrap();
    let (x, v, y) =
        [x.to_vec_blocking(), v.to_vec_blocking(), y.to_vec_blocking()].map(Result::unwrap).into();
    let s = 0.25 * 0.25 * (3.0 - 2.0 * 0.25);
    for (i, &y) in y.iter().enumerate() {
        let expected = x[i] * (1.0 - s) + v[i % 9] * s;
        assert!((y - expected).abs() <= 1e-5, "element {i}: {y}, expected {expected}");
    }
    // Sizes of 1 stretch in every operand, and none of them need have the result's shape.
    let difference = function("fn difference(a: f32, b: f32) -> f32 { return a - b; }");
    let (rows, columns) = (ramp(&gpu, 3, 1), ramp(&gpu, 1, 4));
    let outer = difference.call::<f32>((&rows, &columns)).unwrap();
    assert_eq!(outer.shape().unwrap().dims(), [3, 4]);
    let outer = outer.eval().unwrap().to_vec_blocking().unwrap();
    for (i, &value) in outer.iter().enumerate() {
        assert_eq!(value, (i / 4) as f32 / 8.0 - (i % 4) as f32 / 8.0, "element {i}");
    }
}

#[test]
fn a_call_fuses_with_what_is_around_it() {
    let gpu = contexts::gpu();
    let smooth = function(SMOOTH);
    let x = ramp(&gpu, 16, 16);
    let y = (smooth.call::<f32>((&x * 2.0, &x, 0.5)).unwrap() + &x).exp();
    let explanation = indim::explain(&y).unwrap();
    assert_eq!(explanation.kernels.len(), 1);
    let wgsl = &explanation.kernels[0].wgsl;
    assert_eq!(wgsl.matches("_smooth(a: f32").count(), 1, "{wgsl}");
}

#[test]
fn functions_with_equal_names_live_in_one_kernel() {
    let gpu = contexts::gpu();
    let text = |factor: &str| {
        format!(
            "const factor = {factor};
             struct part {{ whole: f32, factor: f32 }}
             alias number = f32;
             fn helper(p: part) -> number {{ return p.whole * factor + p.factor; }}
             fn scale(x: f32) -> number {{ return helper(part(x, 1.0)); }}"
        )
    };
    let [double, triple] = ["2.0", "3.0"].map(|factor| function(&text(factor)));
    let x = gpu.array([4], &[1f32, 2., 3., 4.]).unwrap();
    let y = double.call::<f32>((&x,)).unwrap() * triple.call::<f32>((&x,)).unwrap();
    assert_eq!(indim::explain(&y).unwrap().kernels.len(), 1);
    let y = y.eval().unwrap().to_vec_blocking().unwrap();
    assert_eq!(y, [3. * 4., 5. * 7., 7. * 10., 9. * 13.]);
}

#[test]
fn equal_texts_are_one_function_and_one_kernel() {
    let gpu = contexts::gpu();
    let [first, second] = [SMOOTH, SMOOTH].map(function);
    assert_eq!(first, second);
    let x = ramp(&gpu, 4, 4);
    let call = |function: &Function, t: f64| {
        function.call::<f32>((&x, &x, t)).unwrap().eval().unwrap().to_vec_blocking().unwrap()
    };
    call(&first, 0.25);
    let compiled = gpu.stats().pipelines;
    call(&second, 0.5);
    assert_eq!(gpu.stats().pipelines, compiled);
    let other = function(SMOOTH).with_cost(FunctionCost::Heavy);
    assert_ne!(first, other);
}

#[test]
fn narrow_types_are_computed_in_their_form_and_rounded_if_asked() {
    let gpu = contexts::gpu();
    let third = function("fn third(x: f32) -> f32 { return x / 3.0; }");
    let halves = gpu.array([3], &[1.0, 2.0, 5.0].map(f16::from_f32)).unwrap();
    let brains = gpu.array([3], &[1.0, 2.0, 5.0].map(bf16::from_f32)).unwrap();
    let wide = third.call::<f32>((&halves,)).unwrap().eval().unwrap().to_vec_blocking().unwrap();
    let rounded = third.call::<f16>((&halves,)).unwrap().eval().unwrap().to_vec_blocking().unwrap();
    let of_brains =
        third.call::<bf16>((&brains,)).unwrap().eval().unwrap().to_vec_blocking().unwrap();
    for (i, value) in [1.0f32, 2.0, 5.0].into_iter().enumerate() {
        assert!((wide[i] - value / 3.0).abs() <= 1e-6);
        assert_eq!(rounded[i], f16::from_f32(wide[i]));
        assert_eq!(of_brains[i], bf16::from_f32(wide[i]));
    }
    let add = function("fn add(a: i32, b: u32) -> i32 { return a + i32(b); }");
    let (signed, bytes) = (gpu.array([2], &[-5i8, 100]), gpu.array([2], &[250u8, 7]));
    let (signed, bytes) = (signed.unwrap(), bytes.unwrap());
    let sum = add.call::<i32>((&signed, &bytes)).unwrap().eval().unwrap();
    assert_eq!(sum.to_vec_blocking().unwrap(), [245, 107]);
    let sum = add.call::<i8>((&signed, &bytes)).unwrap().eval().unwrap();
    assert_eq!(sum.to_vec_blocking().unwrap(), [-11, 107]);
}

#[test]
fn truth_and_complex_numbers_are_values_too() {
    let gpu = contexts::gpu();
    let pick = function(
        "fn pick(which: bool, a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
             return select(b, vec2(-a.y, a.x), which);
         }",
    );
    let which = gpu.array([5], &[true, false, true, true, false]).unwrap();
    let a: Vec<Complex32> = (0..5).map(|i| Complex32::new(i as f32, 1.0)).collect();
    let a = gpu.array([5], &a).unwrap();
    let b = gpu.array([1], &[Complex32::new(7.0, 8.0)]).unwrap();
    let picked = pick.call::<Complex32>((&which, &a, &b)).unwrap().eval().unwrap();
    let one = |re, im| Complex32::new(re, im);
    let expected = [one(-1., 0.), one(7., 8.), one(-1., 2.), one(-1., 3.), one(7., 8.)];
    assert_eq!(picked.to_vec_blocking().unwrap(), expected);
    let positive = function("fn positive(x: f32) -> bool { return x > 0.0; }");
    let x = gpu.array([3], &[-1f32, 0., 2.]).unwrap();
    let selected = positive.call::<bool>((&x,)).unwrap().select(&x, 0.0).eval().unwrap();
    assert_eq!(selected.to_vec_blocking().unwrap(), [0., 0., 2.]);
}

#[test]
fn one_call_gives_all_members_of_a_struct() {
    let both = function(
        "struct pair { sum: f32, product: f32 }
         fn both(x: f32, y: f32) -> pair { return pair(x + y, x * y); }",
    );
    let looped = function(
        "struct pair { sum: f32, count: u32 }
         fn both(x: f32, y: f32) -> pair {
             var s = x; var n = 0u;
             while s < y { s += 1.0; n++; }
             return pair(s, n);
         }",
    );
    for function in [both, looped] {
        let calls = |members: usize| {
            let mut b = Builder::new();
            let x = b.parameter(ElementType::F32, [30, 40]).unwrap();
            let y = b.parameter(ElementType::F32, [40]).unwrap();
            let results = b.call_all(&function, &[x, y], &[&[], &[1]]).unwrap();
            let computation = b.build_all(&results[..members]).unwrap();
            let explained = PlanLimits::default().explain(&computation).unwrap();
            assert_eq!(explained.kernels.len(), 1);
            let wgsl = &explained.kernels[0].wgsl;
            wgsl.matches("= u").count() + wgsl.matches("_call(elements_left").count()
        };
        assert!(calls(1) > 0);
        assert_eq!(calls(2), calls(1));
    }
}

#[test]
fn a_struct_is_several_results() {
    let gpu = contexts::gpu();
    let polar = function(
        "struct polar { radius: f32, angle: f32, quadrant: u32 }
         fn to_polar(x: f32, y: f32) -> polar {
             return polar(sqrt(x * x + y * y), atan2(y, x), select(0u, 1u, x < 0.0));
         }",
    );
    let names: Vec<_> = polar.results().collect();
    use ElementType::{F32, U32};
    assert_eq!(names, [("radius", F32), ("angle", F32), ("quadrant", U32)]);
    let x = gpu.array([3], &[3f32, -5., 0.]).unwrap();
    let y = gpu.array([3], &[4f32, 12., 2.]).unwrap();
    let results = polar.call_all((&x, &y)).unwrap();
    let evaluated = eval(&results).unwrap();
    let literal = |number: usize| evaluated[number].to_literal_blocking().unwrap();
    assert_eq!(literal(0).to_vec::<f32>().unwrap(), [5., 13., 2.]);
    assert_eq!(literal(2).to_vec::<u32>().unwrap(), [0, 1, 0]);
    let angle = literal(1).to_vec::<f32>().unwrap();
    assert!((angle[2] - std::f32::consts::FRAC_PI_2).abs() < 1e-3, "{angle:?}");
}

#[test]
fn an_iota_is_the_index_of_an_element() {
    let gpu = contexts::gpu();
    let place = function(
        "fn place(x: f32, row: u32, column: u32) -> f32 { return x + f32(row * 10u + column); }",
    );
    let x = gpu.array([2, 3], &[0.5f32; 6]).unwrap();
    let [row, column] = [0, 1].map(|dimension| Expr::<u32>::iota(&[2, 3], dimension));
    let y = place.call::<f32>((&x, row, column)).unwrap().eval().unwrap();
    assert_eq!(y.to_vec_blocking().unwrap(), [0.5, 1.5, 2.5, 10.5, 11.5, 12.5]);
}

#[test]
fn types_of_64_bits_compute_or_are_refused_by_name() {
    let gpu = contexts::of_the_adapter();
    let features = gpu.device().features();
    let square = function("fn square(x: i64) -> i64 { return x * x; }");
    let x = gpu.array([2], &[3_000_000_000i64, -4]).unwrap();
    let squared = square.call::<i64>((&x,)).unwrap().eval();
    if features.contains(indim::wgpu::Features::SHADER_INT64) {
        assert_eq!(squared.unwrap().to_vec_blocking().unwrap(), [9_000_000_000_000_000_000, 16]);
    } else {
        let text = squared.unwrap_err().to_string();
        assert!(text.starts_with("s64 needs the feature SHADER_INT64 in a function"), "{text}");
    }
    // A type that occurs only within the function is also needed.
    let within = function("fn within(x: f32) -> f32 { return f32(f64(x) * 0.1lf); }");
    let x = gpu.array([1], &[10f32]).unwrap();
    let result = within.call::<f32>((&x,)).unwrap().eval();
    if features.contains(indim::wgpu::Features::SHADER_F64) {
        assert_eq!(result.unwrap().to_vec_blocking().unwrap(), [1.0]);
    } else {
        let text = result.unwrap_err().to_string();
        assert!(text.starts_with("f64 needs "), "{text}");
    }
}

#[test]
fn types_known_at_run_time_are_called_too() {
    let gpu = contexts::gpu();
    let smooth = function(SMOOTH);
    let literal = |shape: &[usize], values: &[f32]| {
        AnyExpr::literal(Literal::from_slice(shape, values).unwrap())
    };
    let (x, v) = (literal(&[2, 2], &[1., 2., 3., 4.]), literal(&[2], &[5., 6.]));
    let half = AnyExpr::constant(indim::Scalar::new(0.5f32));
    let results = smooth.call_any(&[&x, &v, &half], &[&[], &[0], &[]]).unwrap();
    let y = gpu.eval(&results[0]).unwrap().to_literal_blocking().unwrap();
    assert_eq!(y.to_vec::<f32>().unwrap(), [3., 3.5, 4.5, 5.]);
}

#[test]
fn a_costly_call_in_a_small_space_is_computed_first() {
    let gpu = contexts::gpu();
    let text = "fn wave(x: f32) -> f32 { return sin(x) * 2.0; }";
    let rows = ramp(&gpu, 512, 1);
    let columns = ramp(&gpu, 1, 512);
    let kernels = |cost| {
        let wave = function(text).with_cost(cost);
        let y = wave.call::<f32>((&rows,)).unwrap() * wave.call::<f32>((&columns,)).unwrap();
        indim::explain(&y).unwrap().kernels.len()
    };
    assert_eq!(kernels(FunctionCost::Cheap), 1);
    assert_eq!(kernels(FunctionCost::Costly), 3);
}

#[test]
fn the_operands_are_kept_from_being_rewritten() {
    let gpu = contexts::gpu();
    // Without a guard a compiler may contract the product with the sum within the function.
    let add = function("fn add(a: f32, b: f32) -> f32 { return a + b; }");
    let x = gpu.array([4096], &(0..4096).map(|i| 1.0 + i as f32 * 1e-6).collect::<Vec<_>>());
    let x = x.unwrap();
    let fused = add.call::<f32>((&x * &x, -1.0)).unwrap().eval().unwrap();
    let apart = (&x * &x).eval().unwrap();
    let apart = add.call::<f32>((&apart, -1.0)).unwrap().eval().unwrap();
    let [fused, apart] = [fused, apart].map(|array| array.to_vec_blocking().unwrap());
    assert_eq!(fused, apart);
}

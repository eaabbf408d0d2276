//! Tests that in one kernel each operation rounds as it does by itself: drivers regroup sums,
//! contract products and cancel terms where nothing stops them, and XLA does none of that.

use indim::num_complex::Complex32;
use indim::plan::{PlanLimits, Rounding};
use indim::{Array, Context, Expr};
use indim_testing::contexts;

/// Values that make a regrouping visible: magnitudes far apart, infinities, NaN, odd last bits.
fn values() -> Vec<f32> {
    let mut values = vec![0.0, -0.0, 1.0, -1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
    let mut state = 1u32;
    for _ in 0..249 {
        // A linear congruential generator (Numerical Recipes' constants) is random enough here.
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let unit = (state >> 8) as f32 / (1 << 24) as f32 + 0.5;
        let scale = (state % 40) as i32 - 20;
        values.push(unit * 2f32.powi(scale) * if state & 64 == 0 { 1.0 } else { -1.0 });
    }
    values
}

fn same(got: f32, want: f32) -> bool {
    got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan()
}

type Case = (&'static str, fn(&Array<f32>, &Array<f32>) -> Expr<f32>, fn(f32, f32) -> f32);

// One line is clearer than the "simpler" forms that clippy proposes: they are what is at stake.
#[allow(clippy::eq_op, clippy::suboptimal_flops)]
const CASES: &[Case] = &[
    ("(x + y) - x", |x, y| (x + y) - x, |x, y| (x + y) - x),
    ("x - (x + y)", |x, y| x - (x + y), |x, y| x - (x + y)),
    ("(x - y) + y", |x, y| (x - y) + y, |x, y| (x - y) + y),
    ("x - x", |x, _| x - x, |x, _| x - x),
    ("x / x", |x, _| x / x, |x, _| x / x),
    ("x * y + y", |x, y| x * y + y, |x, y| x * y + y),
    ("x * y - x * x", |x, y| x * y - x.square(), |x, y| x * y - x * x),
    ("x * y + x * 3.1", |x, y| x * y + x * 3.1, |x, y| x * y + x * 3.1),
    ("(x + 0.1) + 0.2", |x, _| (x + 0.1) + 0.2, |x, _| (x + 0.1) + 0.2),
    ("(x * 0.1) * 0.3", |x, _| (x * 0.1) * 0.3, |x, _| (x * 0.1) * 0.3),
    ("(x + y) + y", |x, y| (x + y) + y, |x, y| (x + y) + y),
    ("x * 0 + y", |x, y| x * 0.0 + y, |x, y| x * 0.0 + y),
    ("(x * y) / y", |x, y| (x * y) / y, |x, y| (x * y) / y),
    ("(x / y) * y", |x, y| (x / y) * y, |x, y| (x / y) * y),
    ("1 / (1 / x)", |x, _| x.reciprocal().reciprocal(), |x, _| 1.0 / (1.0 / x)),
    ("sqrt(x) * sqrt(x)", |x, _| x.sqrt() * x.sqrt(), |x, _| x.sqrt() * x.sqrt()),
    ("sqrt(x * x)", |x, _| x.square().sqrt(), |x, _| (x * x).sqrt()),
    ("-(x - y)", |x, y| -(x - y), |x, y| -(x - y)),
    ("-x + y", |x, y| -x + y, |x, y| -x + y),
    ("x + -0", |x, _| x + -0.0, |x, _| x + -0.0),
    ("x + 0", |x, _| x + 0.0, |x, _| x + 0.0),
    ("x * 1 - x", |x, _| x * 1.0 - x, |x, _| x * 1.0 - x),
    ("x * 2 - x", |x, _| x * 2.0 - x, |x, _| x * 2.0 - x),
    ("x * imag(y)", |x, y| x * y.imag(), |x, _| x * 0.0),
    ("x + imag(y)", |x, y| x + y.imag(), |x, _| x + 0.0),
    (
        "x * convert(y > 1)",
        |x, y| x * y.gt(1.0).convert_element_type::<f32>(),
        |x, y| x * if y > 1.0 { 1.0 } else { 0.0 },
    ),
    (
        "x * sign(y)",
        |x, y| x * y.sign(),
        |x, y| x * if y == 0.0 || y.is_nan() { y } else { y.signum() },
    ),
    ("x * floor(y)", |x, y| x * y.floor(), |x, y| x * y.floor()),
    ("-(-x) - x", |x, _| -(-x) - x, |x, _| x - x),
    ("|(|x|)| - |x|", |x, _| x.abs().abs() - x.abs(), |x, _| x.abs() - x.abs()),
    (
        "bitcast there and back - x",
        |x, _| x.bitcast_convert_type::<u32>().bitcast_convert_type::<f32>() - x,
        |x, _| x - x,
    ),
    ("select(p, x, x) - x", |x, y| y.gt(0.0).select(x, x) - x, |x, _| x - x),
    (
        "bits & bits - x",
        |x, _| {
            (x.bitcast_convert_type::<u32>() & x.bitcast_convert_type::<u32>())
                .bitcast_convert_type::<f32>()
                - x
        },
        |x, _| x - x,
    ),
    ("max(x, x) - x", |x, _| x.max(x) - x, |x, _| x - x),
    ("x == x", |x, _| x.eq(x).convert_element_type(), |x, _| f32::from(x == x)),
    ("abs(x - y)", |x, y| (x - y).abs(), |x, y| (x - y).abs()),
];

#[test]
fn fused_operations_round_one_by_one() {
    round_one_by_one(&contexts::blocking().unwrap());
}

/// So do those that compute quotients and roots in another way than the adapter does.
#[test]
fn so_do_quotients_and_roots_that_are_not_native() {
    for division in [Rounding::ThroughF64, Rounding::ByIntegers] {
        let mut limits = contexts::blocking().unwrap().plan_limits().clone();
        let arithmetic = limits.arithmetic.as_mut().unwrap();
        (arithmetic.division, arithmetic.square_root) = (division, division);
        let mut options = contexts::options();
        options.plan_limits = Some(limits);
        round_one_by_one(&Context::blocking_with_options(options).unwrap());
    }
}

fn round_one_by_one(gpu: &Context) {
    let values = values();
    let count = values.len();
    let x = gpu.array([count], &values).unwrap();
    let reversed: Vec<f32> = values.iter().rev().copied().collect();
    let y = gpu.array([count], &reversed).unwrap();
    let mut wrong = Vec::new();
    for (name, expr, reference) in CASES {
        let got = expr(&x, &y).eval().unwrap().to_vec_blocking().unwrap();
        for i in 0..count {
            let want = reference(values[i], reversed[i]);
            // Subnormals may be flushed, as XLA does.
            if !same(got[i], want) && !want.is_subnormal() && !values[i].is_subnormal() {
                wrong.push(format!(
                    "{name} of {:e}, {:e}: {:e}, not {want:e}",
                    values[i], reversed[i], got[i]
                ));
                break;
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn compares_of_differences_are_not_simplified() {
    let gpu = contexts::blocking().unwrap();
    let x = gpu.array([4], &[1e30f32, f32::INFINITY, 1.0, f32::NAN]).unwrap();
    let y = gpu.array([4], &[1.0f32, f32::INFINITY, 1.0, 1.0]).unwrap();
    // (x + y) > x is false where y vanishes in the sum, though y > 0.
    let got = (&x + &y).gt(&x).eval().unwrap().to_vec_blocking().unwrap();
    assert_eq!(got, [false, false, true, false]);
    // inf - inf is NaN, so it is not 0, although inf equals inf.
    let got = (&x - &y).eq(0.0).eval().unwrap().to_vec_blocking().unwrap();
    assert_eq!(got, [false, false, true, false]);
}

/// lavapipe makes constants of uniforms that alone decide the length of a loop, and of one more, so
/// that `x * 0` loses its sign where the zero that no compiler should know is among them: in tiles
/// of every kind, with and without branches.
#[test]
fn the_zero_stays_unknown_in_loops_over_rows() {
    let mut options = contexts::options();
    options.plan_limits = Some(PlanLimits::default());
    let contexts =
        [contexts::blocking().unwrap(), Context::blocking_with_options(options).unwrap()];
    for gpu in &contexts {
        for [outer, rows, columns] in
            [[1, 8, 16], [1, 64, 64], [1, 64, 2048], [4, 64, 16], [1, 64, 33], [3, 64, 17]]
        {
            let count = outer * rows;
            let column: Vec<f32> =
                (0..count).map(|i| if i % 3 == 0 { -1.5 } else { 2.0 }).collect();
            let x = gpu.array([outer, rows, 1], &column).unwrap();
            let y = gpu.array([1, 1, columns], &vec![1.0f32; columns]).unwrap();
            let zeros = (&x * y.imag()).eval().unwrap().to_vec_blocking().unwrap();
            for (place, zero) in zeros.iter().enumerate() {
                let want = 0.0f32.copysign(column[place / columns]);
                assert_eq!(zero.to_bits(), want.to_bits(), "{outer} {rows} {columns}: {place}");
            }
        }
    }
}

/// An iota's values are made in the kernel, also the zeros of complex ones: no compiler may know
/// them.
#[test]
fn iotas_are_as_good_as_arrays() {
    let gpu = contexts::blocking().expect("an adapter");
    let (zero, inf) = (0.0, f32::INFINITY);
    let part = |n: usize| [zero, -zero, 1.5, inf, -inf, -3.0, f32::NAN, 0.25][n % 8];
    let numbers: Vec<_> = (0..64).map(|n| Complex32::new(part(n / 8), part(n))).collect();
    let x = gpu.array([64], &numbers).unwrap();
    let iota = || Expr::<Complex32>::iota(&[64], 0);
    let array = gpu.eval(&iota()).unwrap();
    type Operation = fn(&Expr<Complex32>, &Expr<Complex32>) -> Expr<Complex32>;
    // One line is clearer than the "simpler" forms.
    #[allow(clippy::eq_op)]
    let operations: [(&str, Operation); 9] = [
        ("i - i", |i, _| i - i),
        ("i - x", |i, x| i - x),
        ("x - i", |i, x| x - i),
        ("i + x", |i, x| i + x),
        ("i * x", |i, x| i * x),
        ("i * i", |i, _| i * i),
        ("i / x", |i, x| i / x),
        ("x / i", |i, x| x / i),
        ("-i - i", |i, _| -i - i),
    ];
    for (name, operation) in operations {
        let made = operation(&iota(), &x.expr());
        let got = gpu.eval(&made).unwrap().to_vec_blocking().unwrap();
        let wanted = operation(&array.expr(), &x.expr()).eval().unwrap();
        for (n, (got, want)) in got.iter().zip(wanted.to_vec_blocking().unwrap()).enumerate() {
            let alike = same(got.re, want.re) && same(got.im, want.im);
            assert!(alike, "{name} of {n} and {}: {got}, stored {want}", numbers[n]);
        }
    }
}

//! A function with a loop is called on elements alone: on no value that a kernel computes beside
//! them, such as one past the end of an array, beyond the operand of a move, or of a stored array
//! of which a part is used.

use indim::plan::PlanLimits;
use indim::{AnyExpr, Array, Context, Error, Expr, Function};
use indim_testing::contexts;
use indim_testing::random::Random;
use indim_testing::share;

/// Functions are called on values in this range; on others they loop for ever.
const GOOD: std::ops::Range<u32> = 1000..100_000;

fn function(text: &str) -> Function {
    Function::wgsl(text).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns its operand, which is in the range.
fn same() -> Function {
    function(
        "fn same(x: u32) -> u32 {
            var y = x;
            while (y < 1000u || y >= 100000u) { y = x; }
            for (var i = 0u; i < 3u; i++) { y += i; }
            return y - 3u;
        }",
    )
    .with_max_iterations(50)
}

/// Returns the larger one of two numbers in the range.
fn larger() -> Function {
    function(
        "fn larger(x: u32, y: u32) -> u32 {
            var n = 0u;
            loop { if (min(x, y) >= 1000u && max(x, y) < 100000u) { break; } n++; }
            return max(x, y) + n;
        }",
    )
    .with_max_iterations(50)
}

/// Returns two numbers in the range in order.
fn ordered() -> Function {
    function(
        "struct order { less: u32, more: u32 }
        fn ordered(x: u32, y: u32) -> order {
            loop { if (min(x, y) >= 1000u && max(x, y) < 100000u) { break; } }
            return order(min(x, y), max(x, y));
        }",
    )
    .with_max_iterations(50)
}

/// Contexts that plan in many ways.
fn contexts() -> Vec<Context> {
    let mut odd = PlanLimits::default();
    (odd.tuning.tile_rows, odd.tuning.short_row_tile, odd.tuning.quads_per_unit) = (3, 2, 2);
    (odd.tuning.workgroup_size, odd.tuning.branchless) = (32, true);
    let mut cut = PlanLimits::default();
    (cut.tuning.max_ops_per_kernel, cut.tuning.max_loads_per_kernel, cut.tuning.branchless) =
        (3, 6, true);
    let plans = [
        (None, None),
        (Some(contexts::low()), None),
        (None, Some(odd)),
        (Some(contexts::low()), Some(cut.clone())),
        (None, Some(cut)),
    ];
    let context = |(limits, plan)| {
        let mut options = contexts::options();
        (options.required_limits, options.plan_limits) = (limits, plan);
        let gpu = Context::blocking_with_options(options.clone()).unwrap();
        if !gpu.adapter_info().name.contains("SwiftShader") {
            return gpu;
        }
        // Its compiler takes minutes for some kernels with three calls between moves.
        let mut plan = gpu.plan_limits().clone();
        plan.tuning.max_ops_per_kernel = plan.tuning.max_ops_per_kernel.min(300);
        options.plan_limits = Some(plan);
        Context::blocking_with_options(options).unwrap()
    };
    plans.into_iter().step_by(share::one_of(2)).map(context).collect()
}

#[track_caller]
fn check<T: indim::Element + PartialEq + std::fmt::Debug>(of: &Expr<T>, expected: &[T]) {
    let values = of.eval().and_then(|array| array.to_vec_blocking());
    assert_eq!(values.unwrap_or_else(|error| panic!("{error}")), expected);
}

#[test]
fn a_call_that_rows_share_is_not_made_past_the_end() {
    let steps = function(
        "fn steps(x: f32) -> f32 {
            var n = 0.0; var y = x;
            while (y != 1.0) { y = y - 1.0; n = n + 1.0; }
            return n;
        }",
    );
    // Only arrays above 512 bytes have spare memory, by which a kernel may do without branches.
    for gpu in contexts() {
        for [outer, shared, inner] in [[3, 3, 4], [3, 43, 4], [5, 29, 3], [7, 31, 5], [3, 3, 100]] {
            let x = gpu.full([outer, shared, inner], 6_f32).unwrap();
            let v = gpu.full([outer, inner], 6_f32).unwrap();
            let of_v = steps.call::<f32>((&v,)).unwrap();
            check(&(&x + of_v.in_dim([0, 2])), &vec![11.0; outer * shared * inner]);
        }
    }
}

#[test]
fn a_move_calls_nothing_beyond_its_operand() {
    let count = function(
        "fn count(x: u32) -> u32 { var n = 0u; for (var i = 0u; i < x; i++) { n++; } return n; }",
    );
    for gpu in contexts() {
        let counted = count.call::<u32>((Expr::<u32>::iota([5], 0),)).unwrap();
        let y = gpu.array([2], &[7_u32, 8]).unwrap();
        check(
            &(counted.pad(0_u32, [1], [1], [0]) + gpu.zeros::<u32>([7]).unwrap()),
            &[0, 0, 1, 2, 3, 4, 0],
        );
        check(&(counted.roll([1], [0]) + gpu.zeros::<u32>([5]).unwrap()), &[4, 0, 1, 2, 3]);
        let joined = Expr::concatenate([y.expr(), counted.clone()], 0);
        check(&joined, &[7, 8, 0, 1, 2, 3, 4]);
        // A move of a part ends where the part does.
        let part = counted.slice([1], [4]).roll([1], [0]);
        check(&(part + gpu.zeros::<u32>([3]).unwrap()), &[3, 1, 2]);
    }
}

#[test]
fn of_an_operand_only_what_is_used_is_computed() {
    let (same, larger) = (same(), larger());
    // Every value that is not used is bad.
    let spread = |gpu: &Context, size: usize, good: &dyn Fn(usize) -> bool| -> Array<u32> {
        let value = |i| if good(i) { 1000 + i as u32 } else { i as u32 };
        gpu.array([size], &(0..size).map(value).collect::<Vec<_>>()).unwrap()
    };
    for gpu in contexts() {
        let m = gpu.zeros::<u32>([300, 4]).unwrap();
        let rows = |part: &[u32]| part.repeat(300);
        let call = |x: &Array<u32>| same.call::<u32>((x,)).unwrap();
        let x = spread(&gpu, 6, &|i| i < 4);
        let part = call(&x).slice([0], [4]);
        check(&(part.broadcast_in_dim([300, 4], [1]) + &m), &rows(&[1000, 1001, 1002, 1003]));
        let x = spread(&gpu, 9, &|i| i % 2 == 1);
        let part = call(&x).slice([1], [9]).step_by([2]).reverse([0]);
        check(&(part.broadcast_in_dim([300, 4], [1]) + &m), &rows(&[1007, 1005, 1003, 1001]));
        // Two parts with a gap between them.
        let x = spread(&gpu, 12, &|i| i / 4 != 1);
        let (first, last) = (call(&x).slice([0], [4]), call(&x).slice([8], [12]));
        let two = larger.call::<u32>((first, last)).unwrap();
        check(&(two.broadcast_in_dim([300, 4], [1]) + &m), &rows(&[1008, 1009, 1010, 1011]));
        // A reshape that fits no rows is stored.
        let x = spread(&gpu, 15, &|i| (5..10).contains(&i)).expr().reshape([5, 3]);
        let middle = same.call::<u32>((x,)).unwrap().reshape([3, 5]).slice([1, 0], [2, 5]);
        check(&middle.reshape([5]), &[1005, 1006, 1007, 1008, 1009]);
        // A move may take elements away, and then move on.
        let x = spread(&gpu, 6, &|i| i > 0);
        let rolled = call(&x).pad(5000_u32, [-1], [1], [0]).roll([2], [0]);
        check(&rolled, &[1005, 5000, 1001, 1002, 1003, 1004]);
        let wide = call(&x).pad(5000_u32, [-1], [1], [0]).bitcast_convert_type::<u16>();
        let wide = wide.slice([0, 0], [6, 1]).reshape([6]);
        check(&wide, &[1001, 1002, 1003, 1004, 1005, 5000]);
    }
}

#[test]
fn results_of_one_call_are_each_asked_for_by_themselves() {
    let ordered = ordered();
    for gpu in contexts() {
        let x = gpu.array([5], &[1_u32, 2000, 3000, 4000, 5000]).unwrap();
        let results = ordered.call_all((&x, &x.reverse([0]))).unwrap();
        let moved = |number: usize, low: i64, high: i64| {
            let zero = AnyExpr::from(gpu.zeros::<u32>([]).unwrap().as_any());
            results[number].pad(&zero, [low], [high], [0]).unwrap()
        };
        let both = gpu.eval(vec![moved(0, -1, -1), moved(1, -2, -1)]).unwrap();
        let values = |number: usize| {
            both[number].clone().downcast::<u32>().unwrap().to_vec_blocking().unwrap()
        };
        assert_eq!(values(0), [2000, 3000, 2000]);
        assert_eq!(values(1), [3000, 4000]);
    }
}

#[test]
fn pieces_of_a_result_call_no_more() {
    let same = same();
    for gpu in contexts() {
        let x = gpu.array([4], &[1000_u32, 1, 1002, 1003]).unwrap();
        let y = gpu.array([300], &vec![2000_u32; 300]).unwrap();
        let called = same.call::<u32>((&x,)).unwrap().pad(3000_u32, [-2], [0], [0]);
        let joined = Expr::concatenate([called, y.expr()], 0).roll([7], [0]);
        let values = joined.eval().unwrap().to_vec_blocking().unwrap();
        assert_eq!(values[7..10], [1002, 1003, 2000]);
    }
}

// ---- random programs ----------------------------------------------------------------------------

/// A value with calls of functions with loops, and the same without.
#[derive(Clone)]
struct Twin {
    called: Expr<u32>,
    plain: Expr<u32>,
}

impl Twin {
    fn shape(&self) -> Vec<usize> {
        self.called.shape().unwrap().dims().to_vec()
    }

    fn map(&self, of: impl Fn(&Expr<u32>) -> Expr<u32>) -> Self {
        Self { called: of(&self.called), plain: of(&self.plain) }
    }

    fn with(&self, other: &Self, of: impl Fn(&Expr<u32>, &Expr<u32>) -> Expr<u32>) -> Self {
        Self { called: of(&self.called, &other.called), plain: of(&self.plain, &other.plain) }
    }

    /// The same in this shape, cut and padded.
    fn fitted(&self, shape: &[usize]) -> Self {
        let rank = shape.len();
        let own = self.shape();
        let mut sizes = vec![1; rank.saturating_sub(own.len())];
        sizes.extend(&own[own.len().saturating_sub(rank)..]);
        let cut = own.len().saturating_sub(rank);
        self.map(|x| {
            let zeros = vec![0; own.len()];
            let limits: Vec<usize> =
                own.iter().enumerate().map(|(d, &n)| if d < cut { 1 } else { n }).collect();
            let x = x.slice(&zeros[..], &limits[..]);
            let x = x.reshape(&sizes[..]);
            let high: Vec<i64> =
                sizes.iter().zip(shape).map(|(&a, &b)| b as i64 - a as i64).collect();
            let zeros = vec![0; rank];
            x.pad(1234_u32, &zeros[..], &high[..], &zeros[..])
        })
    }
}

struct Programs<'a> {
    gpu: &'a Context,
    random: Random,
    same: Function,
    larger: Function,
}

impl Programs<'_> {
    /// Data in the range; an array, or an iota.
    fn leaf(&mut self) -> Twin {
        let rank = 1 + self.random.below(3);
        let shape: Vec<usize> = (0..rank).map(|_| 1 + self.random.below(9)).collect();
        let value = if self.random.percent(40) {
            let dimension = self.random.below(rank) as i64;
            Expr::<u32>::iota(&shape[..], dimension) + GOOD.start
        } else {
            let count = shape.iter().product();
            let values = (0..count).map(|_| GOOD.start + self.random.below(90_000) as u32);
            let values: Vec<u32> = values.collect();
            self.gpu.array(&shape[..], &values).unwrap().expr()
        };
        Twin { called: value.clone(), plain: value }
    }

    fn called(&mut self, x: &Twin) -> Twin {
        let called = self.same.call::<u32>((&x.called,)).unwrap();
        Twin { called, plain: x.plain.clone() }
    }

    fn step(&mut self, x: &Twin, other: &Twin) -> Twin {
        let shape = x.shape();
        let rank = shape.len();
        let along = self.random.below(rank);
        let at = |random: &mut Random| random.below(4) as i64;
        let only = |value: i64| -> Vec<i64> {
            (0..rank).map(|d| if d == along { value } else { 0 }).collect()
        };
        match self.random.below(12) {
            0..=2 => self.called(x),
            3 => {
                let other = other.fitted(&shape);
                let called = self.larger.call::<u32>((&x.called, &other.called)).unwrap();
                Twin { called, plain: x.plain.max(&other.plain) }
            }
            4 => {
                let shift = self.random.below(9) as i64 - 4;
                x.map(|x| x.roll([shift], [along as i64]))
            }
            5 | 6 => {
                let (low, high) = (at(&mut self.random) - 1, at(&mut self.random) - 1);
                let keeps = shape[along] as i64 + low.min(0) + high.min(0) > 0;
                let (low, high) = if keeps { (low, high) } else { (1, 1) };
                let interior = only(self.random.below(2) as i64);
                x.map(|x| x.pad(4321_u32, &only(low)[..], &only(high)[..], &interior[..]))
            }
            7 => {
                let mut fit = shape.clone();
                fit[along] = 1 + self.random.below(4);
                let other = other.fitted(&fit);
                x.with(&other, |x, y| Expr::concatenate([y, x], along as i64))
            }
            8 => {
                let start = self.random.below(shape[along]);
                let mut starts = vec![0; rank];
                starts[along] = start;
                let mut steps = vec![1; rank];
                steps[along] = 1 + self.random.below(2);
                x.map(|x| x.slice(&starts[..], &shape[..]).step_by(&steps[..]))
            }
            9 => match self.random.below(3) {
                0 => x.map(|x| x.reverse([along as i64])),
                1 => {
                    let turned: Vec<usize> = (0..rank).rev().collect();
                    x.map(|x| x.transpose(&turned[..]))
                }
                _ => {
                    let count: usize = shape.iter().product();
                    let inner = [2, 3, 4].into_iter().find(|n| count.is_multiple_of(*n));
                    let inner = inner.unwrap_or(1);
                    x.map(|x| x.reshape([count / inner, inner]))
                }
            },
            10 if rank < 3 => {
                let count = [2, 5, 40][self.random.below(3)];
                x.map(|x| x.broadcast([count]))
            }
            _ => {
                let other = other.fitted(&shape);
                x.with(&other, |x, y| x.max(y))
            }
        }
    }

    fn program(&mut self) -> Vec<Twin> {
        let mut values = vec![self.leaf(), self.leaf()];
        for _ in 0..2 + self.random.below(7) {
            // The last one most often, so that calls and moves alternate.
            let from = if self.random.percent(70) {
                values.len() - 1
            } else {
                self.random.below(values.len())
            };
            let other = self.random.below(values.len());
            let (from, other) = (values[from].clone(), values[other].clone());
            let next = self.step(&from, &other);
            if next.shape().iter().product::<usize>() <= 4000 {
                values.push(next);
            }
        }
        let last = values.pop().unwrap();
        if self.random.percent(30) {
            vec![self.called(&last), values.pop().unwrap()]
        } else {
            vec![last]
        }
    }
}

#[test]
fn random_programs_call_functions_on_their_elements_only() {
    for (number, gpu) in contexts().iter().enumerate() {
        for seed in 0..25 / share::one_of(12) as u64 {
            let random = Random::new(seed * 8 + number as u64);
            let mut programs = Programs { gpu, random, same: same(), larger: larger() };
            let results = programs.program();
            let called: Vec<Expr<u32>> = results.iter().map(|r| r.called.clone()).collect();
            let called = gpu.eval(called).unwrap();
            for (called, Twin { plain, .. }) in called.iter().zip(&results) {
                let values = called
                    .to_vec_blocking()
                    .unwrap_or_else(|error| panic!("context {number}, seed {seed}: {error}"));
                let expected = gpu.eval(plain).unwrap().to_vec_blocking().unwrap();
                assert_eq!(values, expected, "context {number}, seed {seed}");
            }
        }
    }
}

#[test]
fn a_bad_element_is_still_refused() {
    let (gpu, same) = (contexts::gpu(), same());
    let x = gpu.array([4], &[1000_u32, 1, 1002, 1003]).unwrap();
    let call = || same.call::<u32>((&x,)).unwrap();
    for refused in [call().roll([1], [0]), call().pad(1_u32, [-1], [2], [0]), call().reverse([0])] {
        let error = refused.eval().unwrap().to_vec_blocking().unwrap_err();
        assert!(matches!(&error, Error::Call { function, .. } if function == "same"), "{error}");
    }
}

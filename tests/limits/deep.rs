//! Tests computations as large as only a loop makes them: a million operations one after the other,
//! ten thousand arrays, more constants than a uniform holds, hundreds of functions. They take time in
//! proportion to their size, and no stack.

use std::time::{Duration, Instant};

use indim::plan::PlanLimits;
use indim::{Array, Builder, Context, ContextOptions, ElementType, Expr, Scalar, wgpu};
use indim_testing::contexts;

fn gpu() -> Context {
    contexts::blocking().expect("an adapter")
}

/// For what the host does.
fn noop() -> Context {
    let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
    let mut options = ContextOptions::default();
    options.plan_limits = Some(PlanLimits::default());
    Context::from_device_with_options(device, queue, &options).unwrap()
}

/// `x + 1 + 1 + ...`.
fn chain(x: &Array<i32>, count: usize) -> Expr<i32> {
    (0..count).fold(x.expr(), |e, _| e + 1)
}

/// The factor that ten times as many may take: more of them miss caches more often, but quadratic
/// time would be 100 times as long, and time by the power of 1.6 still 40 times.
const MOST_FOR_TEN_TIMES: u32 = 15;

/// Runs this with `few` and with ten times as many, on a stack too small for recursion. Returns
/// both times if they are not in proportion. Other work on the machine lengthens both times of a
/// try alike, unless the short one fits between two of its turns, so one good try of several is enough.
fn out_of_proportion(
    few: usize,
    run: impl FnMut(usize) -> Duration + Send,
) -> Option<[Duration; 2]> {
    let measure = |mut run: Box<dyn FnMut(usize) -> Duration + Send + '_>| {
        // Compiling is done once, and fresh memory is slower than what is used again.
        run(few * 10);
        let mut times = None;
        for _ in 0..8 {
            let mut short = [(); 5].map(|()| run(few));
            short.sort_unstable();
            let (median, long) = (short[2], run(few * 10));
            println!("{median:?}, and {long:?} for 10 times");
            if long <= median * MOST_FOR_TEN_TIMES {
                return None;
            }
            times = Some([median, long]);
        }
        times
    };
    let small = std::thread::Builder::new().stack_size(256 << 10);
    let run: Box<dyn FnMut(usize) -> Duration + Send + '_> = Box::new(run);
    std::thread::scope(|scope| small.spawn_scoped(scope, || measure(run)).unwrap().join().unwrap())
}

#[track_caller]
fn in_proportion(few: usize, run: impl FnMut(usize) -> Duration + Send) {
    if let Some(times) = out_of_proportion(few, run) {
        panic!("with {few}, and ten times as many: {times:?}");
    }
}

/// The control: what grows faster than in proportion is seen.
#[test]
fn time_by_a_power_is_out_of_proportion() {
    let spin = |steps: f64, power: f64| {
        move |count: usize| {
            let begin = Instant::now();
            for step in 0..(steps * (count as f64).powf(power)) as u64 {
                std::hint::black_box(step);
            }
            begin.elapsed()
        }
    };
    assert_eq!(out_of_proportion(10, spin(200_000.0, 1.0)), None);
    assert!(out_of_proportion(10, spin(10_000.0, 1.6)).is_some());
}

#[test]
#[ignore = "long: in `.ci/run`"]
fn a_million_operations_in_a_chain() {
    let gpu = gpu();
    let x = gpu.array([3], &[0i32, 1, 2]).unwrap();
    in_proportion(100_000, |count| {
        let begin = Instant::now();
        let y = chain(&x, count).eval().unwrap();
        let n = count as i32;
        assert_eq!(y.to_vec_blocking().unwrap(), [n, n + 1, n + 2]);
        begin.elapsed()
    });
}

#[test]
#[ignore = "long: in `.ci/run`"]
fn a_million_instructions_of_a_builder() {
    in_proportion(100_000, |count| {
        let begin = Instant::now();
        let mut b = Builder::new();
        let x = b.parameter(ElementType::S32, [3]).unwrap();
        let (one, two) =
            (b.constant(Scalar::new(1i32)).unwrap(), b.constant(Scalar::new(2i32)).unwrap());
        let mut sum = x;
        for n in 0..count {
            sum = b.add(sum, if n % 2 == 0 { one } else { two }, &[]).unwrap();
        }
        let computation = b.build(sum).unwrap();
        let explanation = PlanLimits::default().explain(&computation).unwrap();
        assert!(explanation.kernels.len() >= count / 1_000);
        begin.elapsed()
    });
}

/// Each is bound by some kernel, and a kernel binds few. A thousand would fit the processor's caches,
/// where each takes less time than one of ten thousand.
#[test]
#[ignore = "long: in `.ci/run`"]
fn ten_thousand_arrays() {
    let gpu = gpu();
    in_proportion(10_000, |count| {
        let arrays: Vec<_> = (0..count).map(|n| gpu.array([5], &[n as i32; 5]).unwrap()).collect();
        let begin = Instant::now();
        let sum = arrays[1..].iter().fold(arrays[0].expr(), |sum, array| sum + array);
        // Integers wrap.
        let all = (count as u64 * (count as u64 - 1) / 2) as i32;
        assert_eq!(sum.eval().unwrap().to_vec_blocking().unwrap(), [all; 5]);
        begin.elapsed()
    });
}

/// Each is a result by itself: of its own array, of one that all share, and of what all share.
#[test]
#[ignore = "long: in `.ci/run`"]
fn ten_thousand_results() {
    let gpu = gpu();
    let shared = gpu.array([5], &[1i32; 5]).unwrap();
    for of_shared in [false, true] {
        in_proportion(1_600, |count| {
            let arrays: Vec<_> =
                (0..count).map(|n| gpu.array([5], &[n as i32; 5]).unwrap()).collect();
            let begin = Instant::now();
            let one = if of_shared { &shared * 3 - 2 } else { shared.expr() };
            let exprs: Vec<_> = arrays.iter().map(|array| array.expr() * 2 + &one).collect();
            let results = indim::eval(&exprs).unwrap();
            let elapsed = begin.elapsed();
            let last = results[count - 1].to_vec_blocking().unwrap();
            assert_eq!(last, [2 * (count as i32 - 1) + 1; 5]);
            elapsed
        });
    }
}

/// Evaluated at once, arrays take hardly longer than in groups.
#[test]
#[ignore = "long: in `.ci/run`"]
fn many_results_at_once_take_as_long_as_in_groups() {
    let gpu = gpu();
    let array = gpu.array([5], &[1i32; 5]).unwrap();
    let timed = |at_once: usize| {
        let exprs: Vec<_> = (0..16_000).map(|n| array.expr() * 2 + n).collect();
        let begin = Instant::now();
        let mut results = Vec::new();
        exprs.chunks(at_once).for_each(|some| results.extend(indim::eval(some).unwrap()));
        let elapsed = begin.elapsed();
        assert_eq!(results[15_999].to_vec_blocking().unwrap(), [16_001; 5]);
        elapsed
    };
    // Neither includes the compilation of its kernels.
    timed(64);
    timed(16_000);
    // One quiet moment of several is enough.
    let tries: Vec<_> = (0..8).map(|_| (timed(64), timed(16_000))).collect();
    println!("{tries:?}");
    assert!(tries.iter().any(|(groups, all)| *all <= *groups * 3 / 2), "{tries:?}");
}

/// The same as a tree, whose halves are wide.
#[test]
#[ignore = "long: in `.ci/run`"]
fn ten_thousand_arrays_in_a_tree() {
    let gpu = gpu();
    in_proportion(10_000, |count| {
        let arrays: Vec<_> = (0..count).map(|n| gpu.array([5], &[n as i32; 5]).unwrap()).collect();
        let begin = Instant::now();
        let mut level: Vec<Expr<i32>> = arrays.iter().map(Array::expr).collect();
        while level.len() > 1 {
            level = level
                .chunks(2)
                .map(|pair| pair[1..].iter().fold(pair[0].clone(), |a, b| a + b))
                .collect();
        }
        // Integers wrap.
        let all = (count as u64 * (count as u64 - 1) / 2) as i32;
        assert_eq!(level[0].eval().unwrap().to_vec_blocking().unwrap(), [all; 5]);
        begin.elapsed()
    });
}

/// 50,000 constants are 200 KiB, where a uniform has 16 or 64.
#[test]
fn more_constants_than_a_uniform_holds() {
    let gpu = gpu();
    let x = gpu.array([3], &[0i32, 1, 2]).unwrap();
    in_proportion(5_000, |count| {
        let begin = Instant::now();
        let sum = (0..count).fold(x.expr(), |e, n| e + n as i32);
        let n = (count * (count - 1) / 2) as i32;
        assert_eq!(sum.eval().unwrap().to_vec_blocking().unwrap(), [n, n + 1, n + 2]);
        begin.elapsed()
    });
}

/// Thousands of dimensions of size 1 around two that are not.
#[test]
fn ranks_of_thousands() {
    let gpu = gpu();
    let x = gpu.array([3, 2], &[1i32, 2, 3, 4, 5, 6]).unwrap();
    in_proportion(2_000, |rank| {
        let begin = Instant::now();
        let mut sizes = vec![1; rank];
        (sizes[rank / 3], sizes[rank / 2]) = (3, 2);
        let backwards: Vec<i64> = (0..rank as i64).rev().collect();
        let y = (x.expr() + 1).reshape(&sizes).transpose(&backwards);
        let y = (y.reverse(&[rank as i64 - 1 - rank as i64 / 2]) * 10).eval().unwrap();
        assert_eq!(y.to_vec_blocking().unwrap(), [30, 50, 70, 20, 40, 60]);
        begin.elapsed()
    });
}

/// Elements of less than a word in rows of odd sizes: windows are ranges, of which each dimension
/// has two ends.
#[test]
fn windows_of_many_dimensions() {
    let small = std::thread::Builder::new().stack_size(256 << 10);
    let run = || {
        let ones = || std::iter::repeat_n(1usize, 10_000);
        let shapes: [Vec<usize>; 4] = [
            vec![3; 18],
            vec![3; 26],
            ones().chain([3, 44_739_243]).collect(),
            [3, 3].into_iter().chain(ones()).chain([3, 14_913_081]).collect(),
        ];
        for dims in shapes {
            let begin = Instant::now();
            let mut b = Builder::new();
            let x = b.parameter(ElementType::S8, dims.clone()).unwrap();
            let negated = b.neg(x).unwrap();
            let computation = b.build(negated).unwrap();
            let limits = PlanLimits::default();
            let explanation = limits.explain(&computation).unwrap();
            let bytes: u64 = dims.iter().map(|&size| size as u64).product();
            let least = bytes.div_ceil(limits.device.max_storage_buffer_binding_size);
            assert!(explanation.kernels[0].dispatches as u64 >= least);
            assert!(begin.elapsed() < Duration::from_secs(60), "{:?}", begin.elapsed());
        }
    };
    small.spawn(run).unwrap().join().unwrap();
}

/// Each argument is compared with the others, to see which are the same array.
#[test]
fn ten_thousands_of_arguments() {
    let gpu = noop();
    in_proportion(5_000, |count| {
        let arrays: Vec<_> = (0..count).map(|_| gpu.array([1], &[0i32]).unwrap()).collect();
        let mut b = Builder::new();
        let parameters: Vec<_> =
            (0..count).map(|_| b.parameter(ElementType::S32, [1]).unwrap()).collect();
        let sum = b.add(parameters[0], parameters[count - 1], &[]).unwrap();
        let computation = b.build(sum).unwrap();
        let arguments: Vec<_> = arrays.iter().map(Array::as_any).collect();
        let begin = Instant::now();
        // Once is so short that other work on the machine passes it by.
        for _ in 0..10 {
            gpu.run(&computation, &arguments).unwrap();
        }
        begin.elapsed()
    });
}

/// Sines of columns, each a kernel of its own, which all rest on one long chain.
#[test]
fn many_costly_values_over_one_chain() {
    let mut limits = PlanLimits::default();
    limits.tuning.max_ops_per_kernel = 30;
    in_proportion(1_000, |count| {
        let mut b = Builder::new();
        let column = b.parameter(ElementType::F32, [32]).unwrap();
        let one = b.constant(Scalar::new(1.0f32)).unwrap();
        let first = b.sin(column).unwrap();
        let chain = (0..4 * count).fold(first, |sum, _| b.add(sum, one, &[]).unwrap());
        let mut sum = b.parameter(ElementType::F32, [32, 32]).unwrap();
        for n in 0..count / 4 {
            let n = b.constant(Scalar::new(n as f32)).unwrap();
            let value = b.mul(chain, n, &[]).unwrap();
            let value = b.sin(value).unwrap();
            sum = b.mul(sum, value, &[0]).unwrap();
        }
        let computation = b.build(sum).unwrap();
        let begin = Instant::now();
        let explanation = limits.explain(&computation).unwrap();
        assert!(explanation.kernels.len() >= count / 4);
        begin.elapsed()
    });
}

/// Compilers take time by the square of a kernel's length, and for a function as much as for many
/// additions.
#[test]
#[ignore = "long: in `.ci/run`"]
fn hundreds_of_functions() {
    type Step = fn(&Expr<f32>) -> Expr<f32>;
    let functions: [(&str, Step, u64); 2] = [("tanh", Expr::tanh, 31), ("lgamma", Expr::lgamma, 3)];
    for (name, step, most) in functions {
        let bits = |values: Vec<f32>| values.into_iter().map(f32::to_bits).collect::<Vec<_>>();
        in_proportion(40, |count| {
            // Nothing is compiled before.
            let gpu = gpu();
            let x = gpu.array([2], &[0.25f32, 1.0]).unwrap();
            let (begin, before) = (Instant::now(), gpu.stats().dispatches);
            let chain = (0..count).fold(x.expr(), |e, _| step(&(e * 0.5 + 1.0)));
            let chained = chain.eval().unwrap().to_vec_blocking().unwrap();
            let elapsed = begin.elapsed();
            let kernels = gpu.stats().dispatches - before;
            assert!(kernels >= count as u64 / most, "{name}: {kernels} kernels");
            let mut each = x.clone();
            for _ in 0..count {
                each = step(&(&each * 0.5 + 1.0)).eval().unwrap();
            }
            assert_eq!(bits(chained), bits(each.to_vec_blocking().unwrap()), "{name}");
            elapsed
        });
    }
}

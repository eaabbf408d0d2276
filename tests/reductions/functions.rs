//! User-defined functions before and after reductions, which are fused with them.

use indim::plan::Schedule;
use indim::{Array, CallError, Context, Error, Expr, Function, Number, eval};
use indim_testing::oracle::order;
use indim_testing::share;

use crate::limits::by_all_plans;
use crate::values::{groups, numbers};

/// Rows, columns, both; the last ones are cut into several kernels.
const WAYS: [(&[usize], &[i64]); 7] = [
    (&[5, 33], &[1]),
    (&[3, 1000], &[1]),
    (&[70, 8], &[0]),
    (&[6, 7, 13], &[0, 2]),
    (&[40, 31], &[0, 1]),
    (&[2, 5000], &[1]),
    (&[1500, 8], &[0]),
];

fn some_ways() -> impl Iterator<Item = (&'static [usize], &'static [i64])> {
    WAYS.into_iter().step_by(share::one_of(3))
}

fn function(text: &str) -> Function {
    Function::wgsl(text).unwrap_or_else(|error| panic!("{error}"))
}

fn call<T: Number>(function: &Function, x: &Expr<T>) -> Expr<T> {
    function.call((x,)).unwrap()
}

fn values<T: Number>(x: &Expr<T>, label: &str) -> Vec<T> {
    let values = x.eval().and_then(|array| array.to_vec_blocking());
    values.unwrap_or_else(|error| panic!("{label}: {error}"))
}

/// A branch, and no loop.
fn bent() -> Function {
    function("fn bent(x: f32) -> f32 { if x < 0.0 { return -0.5 * x; } return x + 1.0; }")
}

fn bent_here(x: f32) -> f32 {
    if x < 0.0 { -0.5 * x } else { x + 1.0 }
}

#[test]
fn functions_without_loops_are_fused() {
    by_all_plans(|gpu| {
        let bent = bent();
        for (sizes, dimensions) in some_ways() {
            let elements = numbers(sizes.iter().product());
            let x: Array<f32> = gpu.array(sizes, &elements).unwrap();
            let sum = call(&bent, &x.expr()).reduce_sum(dimensions) - 1000.0;
            let label = format!("{sizes:?} along {dimensions:?}");
            let found = values(&call(&bent, &sum), &label);
            let groups = groups(sizes, dimensions, &elements);
            let expected = groups.iter().map(|group| {
                let group: Vec<f32> = group.iter().copied().map(bent_here).collect();
                bent_here(order::sum(&group) - 1000.0)
            });
            assert_eq!(found, expected.collect::<Vec<_>>(), "{label}");
        }
    });
}

/// The number of steps of Collatz's sequence until 1; of 0, which stands behind an array's end, it does
/// not end.
fn collatz() -> Function {
    let text = "fn collatz(start: u32) -> u32 {
        var n = 0u;
        for (var x = start; x != 1u; n++) { x = select(x / 2u, 3u * x + 1u, x % 2u == 1u); }
        return n;
    }";
    function(text).with_max_iterations(500)
}

fn steps(start: u32) -> u32 {
    let next = |&x: &u32| Some(if x % 2 == 1 { 3 * x + 1 } else { x / 2 });
    std::iter::successors(Some(start), next).take_while(|&x| x != 1).count() as u32
}

fn starts(gpu: &Context, sizes: &[usize]) -> (Array<u32>, Vec<u32>) {
    let elements: Vec<u32> = (1..=sizes.iter().product::<usize>() as u32).collect();
    (gpu.array(sizes, &elements).unwrap(), elements)
}

#[test]
fn functions_with_loops_see_only_elements() {
    by_all_plans(|gpu| {
        let collatz = collatz();
        for (sizes, dimensions) in some_ways() {
            let (x, elements) = starts(gpu, sizes);
            let label = format!("{sizes:?} along {dimensions:?}");
            let groups = groups(sizes, dimensions, &elements);
            let sum = |group: &Vec<u32>| group.iter().copied().map(steps).sum::<u32>();
            let before = call(&collatz, &x.expr()).reduce_sum(dimensions);
            let expected: Vec<u32> = groups.iter().map(sum).collect();
            assert_eq!(values(&before, &label), expected, "{label}");
            let behind = call(&collatz, &x.expr().reduce_max(dimensions));
            let expected: Vec<u32> =
                groups.iter().map(|group| steps(*group.iter().max().unwrap())).collect();
            assert_eq!(values(&behind, &label), expected, "{label}, behind");
        }
    });
}

#[test]
fn rows_that_one_kernel_passes_over_call_functions() {
    by_all_plans(|gpu| {
        let (bent, collatz) = (bent(), collatz());
        for sizes in [[64, 33], [66, 100], [65, 1030]] {
            let label = format!("{sizes:?}");
            let [rows, columns] = sizes;
            // Before the reduction and beside the row, and without a loop.
            let elements = numbers(rows * columns);
            let x: Array<f32> = gpu.array(sizes, &elements).unwrap();
            let of_x = call(&bent, &x.expr());
            let shares = &of_x - call(&bent, &of_x.reduce_sum([1])).in_dim([0]);
            let found = values(&shares, &label);
            for row in 0..rows {
                let of_row = elements[row * columns..][..columns].iter().copied().map(bent_here);
                let of_row: Vec<f32> = of_row.collect();
                let sum = bent_here(order::sum(&of_row));
                let expected: Vec<f32> = of_row.iter().map(|x| x - sum).collect();
                assert_eq!(found[row * columns..][..columns], expected, "{label}, row {row}");
            }
            if gpu.plan_limits().device.max_storage_buffer_binding_size > 1 << 20 {
                let plan = shares.explain().unwrap();
                assert_eq!(plan.kernels.len(), 1, "{label}: {plan}");
                assert_eq!(plan.kernels[0].schedule, Schedule::Passes, "{label}");
            }
            let (x, elements) = starts(gpu, &sizes);
            let of_x = call(&collatz, &x.expr());
            let found = values(&(of_x.reduce_max([1]).in_dim([0]) - &of_x), &label);
            for row in 0..rows {
                let of_row: Vec<u32> =
                    elements[row * columns..][..columns].iter().copied().map(steps).collect();
                let most = *of_row.iter().max().unwrap();
                let expected: Vec<u32> = of_row.iter().map(|steps| most - steps).collect();
                assert_eq!(found[row * columns..][..columns], expected, "{label}, row {row}");
            }
        }
    });
}

fn is_refused<T: Number>(x: indim::Result<Array<T>>) -> bool {
    match x.and_then(|array| array.to_vec_blocking()) {
        Err(Error::Call { function, source }) => {
            function == "collatz" && matches!(*source, CallError::Loop { most: 500, .. })
        }
        _ => false,
    }
}

/// One element for which the loop does not end, first, last or within, is an error of the reduction
/// and of nothing else.
#[test]
fn endless_loops_are_errors_of_the_reduction() {
    by_all_plans(|gpu| {
        let collatz = collatz();
        for (sizes, dimensions) in some_ways() {
            let (_, mut elements) = starts(gpu, sizes);
            let last = elements.len() - 1;
            let sums = |x: &Array<u32>| call(&collatz, &x.expr()).reduce_sum(dimensions);
            let (good, _) = starts(gpu, sizes);
            let label = format!("{sizes:?} along {dimensions:?}");
            let expected = values(&sums(&good), &label);
            for at in [0, last / 2, last] {
                let kept = std::mem::replace(&mut elements[at], 0);
                let bad: Array<u32> = gpu.array(sizes, &elements).unwrap();
                elements[at] = kept;
                assert!(is_refused(sums(&bad).eval()), "{label}, at {at}");
                let (of_bad, of_good) = eval((sums(&bad), sums(&good))).unwrap();
                assert!(is_refused(Ok(of_bad)), "{label}, at {at}, beside another");
                assert_eq!(of_good.to_vec_blocking().unwrap(), expected, "{label}, at {at}");
                let behind = call(&collatz, &bad.expr().reduce_min(dimensions));
                assert!(is_refused(behind.eval()), "{label}, at {at}, behind");
                let mean = (sums(&bad) + 1).eval();
                assert!(is_refused(mean), "{label}, at {at}, with an epilogue");
            }
        }
        let (x, mut elements) = starts(gpu, &[64, 100]);
        elements[777] = 0;
        let bad: Array<u32> = gpu.array([64, 100], &elements).unwrap();
        let below = |x: &Array<u32>| {
            let of_x = call(&collatz, &x.expr());
            of_x.reduce_max([1]).in_dim([0]) - of_x
        };
        assert!(is_refused(below(&bad).eval()), "passes");
        assert!(below(&x).eval().unwrap().to_vec_blocking().is_ok());
    });
}

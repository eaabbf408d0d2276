//! Tests kernels in which an invocation has several units: as many as divide the rows, and others,
//! written out and in loops.

use indim::plan::PlanLimits;
use indim::{Array, Context, Expr};
use indim_testing::{contexts, share};

/// Rows that are less than a tile, a tile, and one more or less than some.
const ROWS: [usize; 8] = [1, 2, 3, 5, 8, 9, 16, 23];

/// Units, periods with a rest, and rows within which a unit ends.
const COLUMNS: [usize; 6] = [1, 3, 4, 12, 67, 260];

fn context(unroll: u32, interleaved: bool) -> Context {
    let mut plan = PlanLimits::default();
    (plan.tuning.unroll, plan.tuning.quads_per_invocation) = (unroll, 8);
    // Workgroups of which some are complete.
    (plan.tuning.workgroup_size, plan.tuning.interleaved) = (8, interleaved);
    let mut options = contexts::options();
    options.plan_limits = Some(plan);
    Context::blocking_with_options(options).unwrap_or_else(|error| panic!("{error}"))
}

/// Evaluates into a buffer that held other numbers, and compares.
#[track_caller]
fn gives(gpu: &Context, expr: &Expr<u32>, want: impl Fn(usize, usize) -> u32, columns: usize) {
    let result = gpu.eval(expr).and_then(|array| array.to_vec_blocking());
    let result = result.unwrap_or_else(|error| panic!("{error}"));
    for (place, &value) in result.iter().enumerate() {
        let (i, j) = (place / columns, place % columns);
        let units = gpu.plan_limits().tuning.unroll;
        assert_eq!(value, want(i, j), "({i}, {j}) of {columns} columns, {units} units in flight");
    }
}

#[test]
fn ends_of_tiles_and_of_arrays() {
    let ways = [(2, true), (8, false), (1, true), (3, false), (8, true)];
    for (units, interleaved) in ways.into_iter().take(5 / share::one_of(2)) {
        let gpu = context(units, interleaved);
        let of = |shape: &[usize], step: u32| -> Array<u32> {
            let count: usize = shape.iter().product();
            let values: Vec<u32> = (0..count as u32).map(|i| i.wrapping_mul(step)).collect();
            gpu.array(shape, &values).unwrap_or_else(|error| panic!("{error}"))
        };
        for rows in ROWS {
            for columns in COLUMNS {
                let x = of(&[rows, columns], 1);
                let (row, column) = (of(&[columns], 1_000), of(&[rows], 1_000_000));
                let at = |i: usize, j: usize| (i * columns + j) as u32;
                let twice = x.expr() + x.expr();
                gives(&gpu, &twice, |i, j| 2 * at(i, j), columns);
                let sum = x.expr() + row.in_dim([1]);
                gives(&gpu, &sum, |i, j| at(i, j) + 1_000 * j as u32, columns);
                let sum = x.expr() + column.in_dim([0]);
                gives(&gpu, &sum, |i, j| at(i, j) + 1_000_000 * i as u32, columns);
                let turned = of(&[columns, rows], 1_000).transpose(&[1, 0]);
                let sum = x.expr() + turned;
                let there = |i: usize, j: usize| 1_000 * (j * rows + i) as u32;
                gives(&gpu, &sum, |i, j| at(i, j) + there(i, j), columns);
            }
        }
        assert!(gpu.stats().dispatches >= 190, "{:?}", gpu.stats());
    }
}

/// A tile within outer dimensions, of which the last one has fewer rows.
#[test]
fn tiles_within_outer_dimensions() {
    for units in [1, 2, 3, 8] {
        let gpu = context(units, true);
        for rows in ROWS {
            let sizes = [3, rows, 2, 4];
            let count: usize = sizes.iter().product();
            let values: Vec<u32> = (0..count as u32).collect();
            let x = gpu.array(sizes, &values).unwrap();
            let v = gpu.array([3, 2, 4], &(0..24).map(|i| 10_000 * i).collect::<Vec<u32>>());
            let sum = x.expr() + v.unwrap().in_dim([0, 2, 3]);
            let want = |row: usize, j: usize| {
                let (i, inner) = (row / rows, 10_000 * j as u32);
                (row * 8 + j) as u32 + 80_000 * i as u32 + inner
            };
            gives(&gpu, &sum, want, 8);
        }
    }
}

//! Cumulative sums and their kin.

use indim::plan::{PlanLimits, Schedule};
use indim::{
    Array, Builder, Computation, Context, Element, ElementType, Expr, Literal, Op, Scalar,
};
use indim_testing::contexts::gpu;
use indim_testing::host_array::HostArray;
use indim_testing::{compute, gpu_classes, kernel_cost, not_tested, share};

use crate::limits::{by_all_plans, low};
use crate::values::numbers;

fn values<T: Element>(x: &Expr<T>) -> Vec<T> {
    x.eval().unwrap().to_vec_blocking().unwrap()
}

/// Returns what the elements up to each one of a row combine to.
fn combined<T: Copy>(row: &[T], mut by: impl FnMut(T, T) -> T) -> Vec<T> {
    let mut results: Vec<T> = Vec::new();
    for &x in row {
        results.push(results.last().map_or(x, |&last| by(last, x)));
    }
    results
}

fn integers(count: usize) -> Vec<i32> {
    (0..count as u32).map(|i| i.wrapping_mul(2_654_435_761).cast_signed()).collect()
}

/// Sums and maxima of integers, along each dimension of a matrix.
fn check(gpu: &Context, rows: usize, columns: usize) {
    let elements = integers(rows * columns);
    let x: Array<i32> = gpu.array([rows, columns], &elements).unwrap();
    let along_rows = |by: fn(i32, i32) -> i32| {
        elements.chunks(columns).flat_map(|row| combined(row, by)).collect::<Vec<i32>>()
    };
    assert!(values(&x.cumsum(1)) == along_rows(i32::wrapping_add), "{rows}x{columns}");
    assert!(values(&x.cummax(1)) == along_rows(i32::max), "{rows}x{columns}");
    let turned = x.transpose([1, 0]).cumsum(0).transpose([1, 0]);
    assert!(values(&turned) == along_rows(i32::wrapping_add), "{rows}x{columns} along 0");
}

#[test]
fn integers_are_exact_at_every_size() {
    let gpu = gpu();
    for columns in [1, 2, 15, 16, 17, 255, 256, 257, 4099] {
        check(&gpu, 3, columns);
    }
    check(&gpu, 0, 5);
    check(&gpu, 70, 33);
    let none: Array<i32> = gpu.zeros([4, 0]).unwrap();
    assert!(values(&none.cumsum(1)).is_empty());
}

#[test]
fn so_they_are_in_windows() {
    let gpu = low();
    check(&gpu, 5, 70_001);
    check(&gpu, 3, 65_536);
    check(&gpu, 6_000, 16);
}

#[test]
fn sums_round_twice_a_level() {
    let elements = numbers(5_000);
    let x: Array<f32> = gpu().array([5_000], &elements).unwrap();
    let (mut sum, mut largest) = (0.0, 0_f64);
    for (found, &x) in values(&x.cumsum(0)).into_iter().zip(&elements) {
        sum += f64::from(x);
        largest = largest.max(sum.abs());
        // 5,000 elements have four levels, each with two roundings.
        let bound = 8.0 * largest * f64::from(f32::EPSILON) / 2.0;
        assert!((f64::from(found) - sum).abs() <= bound, "{found}, not {sum}");
    }
}

#[test]
fn nan_stays_and_infinities_add() {
    let gpu = gpu();
    let (nan, infinite) = (f32::NAN, f32::INFINITY);
    let row = [1.0, -0.0, infinite, 2.0, nan, 3.0];
    let x: Array<f32> = gpu.array([6], &row).unwrap();
    let bits = |x: &Expr<f32>| -> Vec<String> { values(x).iter().map(f32::to_string).collect() };
    assert_eq!(bits(&x.cumsum(0)), ["1", "1", "inf", "inf", "NaN", "NaN"]);
    assert_eq!(bits(&x.cummax(0)), ["1", "1", "inf", "inf", "NaN", "NaN"]);
    assert_eq!(bits(&x.cummin(0)), ["1", "-0", "-0", "-0", "NaN", "NaN"]);
    assert_eq!(bits(&x.slice([0], [4]).cumprod(0)), ["1", "-0", "NaN", "NaN"]);
}

#[test]
fn views_make_them_backward_and_exclusive() {
    let x: Array<f32> = gpu().array([4], &[1.0, 2.0, 3.0, 4.0]).unwrap();
    assert_eq!(values(&x.reverse([0]).cumsum(0).reverse([0])), [10.0, 9.0, 7.0, 4.0]);
    assert_eq!(values(&x.cumsum(0).pad(0.0, [1], [-1], [0])), [0.0, 1.0, 3.0, 6.0]);
}

#[test]
fn a_map_before_is_computed_where_it_is_read() {
    let gpu = gpu();
    let x: Array<f32> = gpu.array([64, 256], &numbers(64 * 256)).unwrap();
    let count = (&x * 2.0).cumsum(1).explain().unwrap().kernels.len();
    // The sums of blocks, the sums up to each of these, and the elements.
    assert_eq!(count, 3);
}

/// Not a multiple of a workgroup's invocations, so that most of the last workgroup's are past the end.
const UNITS: usize = 200;

#[test]
fn past_the_end_nothing_is_added_again_to_what_is_overwritten() {
    let gpu = gpu();
    let rows: Array<i32> = gpu.array([UNITS, 16], &integers(UNITS * 16)).unwrap();
    let columns: Array<i32> = gpu.array([16, UNITS * 8], &integers(UNITS * 128)).unwrap();
    let changes = [rows.cumsum(1), columns.cumsum(0), rows.reduce_sum([1])];
    for change in changes {
        let expected = values(&(change.clone() * 4));
        let mut total = gpu.eval(change.clone() * 3).unwrap();
        (&total + change).eval_into(&mut total).unwrap();
        assert_eq!(total.to_vec_blocking().unwrap(), expected);
    }
}

#[test]
fn short_walks_begin_without_a_branch_on_processors() {
    let mut limits = PlanLimits::default();
    for branchless in [false, true] {
        limits.tuning.branchless = branchless;
        let mut b = Builder::new();
        let x = b.parameter(ElementType::F32, [8, 256]).unwrap();
        let sums = b.cumsum(x, 1).unwrap();
        for kernel in limits.explain(&b.build(sums).unwrap()).unwrap().kernels {
            assert_eq!(kernel.wgsl.contains("return; }"), !branchless, "{}", kernel.schedule);
        }
    }
}

#[test]
fn rows_may_begin_within_a_word() {
    let elements = integers(5 * 33);
    let x: Array<i32> = gpu().array([5, 33], &elements).unwrap();
    let rows = elements.chunks(33).flat_map(|row| combined(&row[1..], i32::wrapping_add));
    assert_eq!(values(&x.slice([0, 1], [5, 33]).cumsum(1)), rows.collect::<Vec<i32>>());
}

/// A reduction along one dimension.
type Reduce = fn(&mut Builder, Op, i64) -> indim::Result<Op>;

const REDUCTIONS: [Reduce; 4] = [
    |b, x, d| b.reduce_sum(x, [d]),
    |b, x, d| b.reduce_prod(x, [d]),
    |b, x, d| b.reduce_max(x, [d]),
    |b, x, d| b.reduce_min(x, [d]),
];

/// A cumulative operation within a block, as `core/src/graph/build/scans.rs` composes it.
#[derive(Clone, Copy)]
struct Block {
    reduce: Reduce,
    of: ElementType,
    sizes: &'static [i64],
    dimension: usize,
    exclusive: bool,
}

impl Block {
    /// Returns it on an operand of F32; if `turned`, with another comparison of the same indices, in
    /// which the planner finds no cumulative operation.
    fn computation(&self, turned: bool) -> indim::Result<Computation> {
        let Self { reduce, of, sizes, dimension: d, exclusive } = *self;
        let mut b = Builder::new();
        let x = b.parameter(ElementType::F32, sizes)?;
        let x = if of == ElementType::F32 { x } else { b.convert_element_type(x, of)? };
        let mut square = sizes.to_vec();
        square.insert(d, square[d]);
        let rank = square.len() as i64;
        let others: Vec<i64> = (0..rank).filter(|&k| k != d as i64).collect();
        let elements = b.broadcast_in_dim(x, &square, &others)?;
        let result = b.iota(ElementType::U32, &square, d as i64)?;
        let element = b.iota(ElementType::U32, &square, d as i64 + 1)?;
        let is_before = match (turned, exclusive) {
            (false, false) => b.le(element, result, &[])?,
            (false, true) => b.lt(element, result, &[])?,
            (true, false) => b.ge(result, element, &[])?,
            (true, true) => b.gt(result, element, &[])?,
        };
        let none = b.iota(of, [0], 0)?;
        let identity = reduce(&mut b, none, 0)?;
        let nothing = b.broadcast_in_dim(identity, &square, &[])?;
        let before = b.select(is_before, elements, nothing)?;
        let combined = reduce(&mut b, before, d as i64 + 1)?;
        b.build(combined)
    }
}

/// Returns the schedule of a computation's last kernel.
fn schedule(limits: &PlanLimits, computation: &Computation) -> Schedule {
    limits.explain(computation).unwrap().kernels.pop().unwrap().schedule
}

/// Blocks in rows and in columns, of one to four quads.
const BLOCKS: [(&[i64], usize); 8] = [
    (&[50, 16], 1),
    (&[70, 12], 1),
    (&[9, 4], 1),
    (&[16], 0),
    (&[16, 12], 0),
    (&[5, 8, 20], 1),
    (&[2, 16, 24], 1),
    (&[3, 16, 4], 1),
];

fn all_blocks() -> Vec<Block> {
    use ElementType::{C64, F16, F32, F64, S32, S64, U8};
    let mut blocks = Vec::new();
    for of in [F32, F16, S32, S64, U8, F64, C64] {
        for reduce in &REDUCTIONS[..if of == C64 { 2 } else { 4 }] {
            for (sizes, dimension) in BLOCKS {
                for exclusive in [false, true] {
                    blocks.push(Block { reduce: *reduce, of, sizes, dimension, exclusive });
                }
            }
        }
    }
    blocks
}

#[test]
fn a_walk_through_a_block_has_the_bits_of_reductions() {
    let blocks = all_blocks();
    let odd = [f32::NAN, f32::INFINITY, -0.0, 1e-40, f32::MAX, -1.0, 0.0];
    by_all_plans(|gpu| {
        for block in blocks.iter().step_by(share::one_of(127)) {
            if !gpu.supports(block.of) {
                not_tested::without("F64", "the adapter has none");
                continue;
            }
            let mut elements = numbers(block.sizes.iter().product::<i64>() as usize);
            // Some rows and columns have none of these.
            for (number, element) in elements.iter_mut().enumerate().skip(3).step_by(61) {
                *element = odd[number % odd.len()];
            }
            let literal = Literal::from_slice(block.sizes, &elements).unwrap();
            let operand = HostArray::from_literal(&literal);
            let [walked, reduced] = [false, true].map(|turned| {
                let computation = block.computation(turned).unwrap();
                let found = schedule(&PlanLimits::default(), &computation);
                assert_eq!(found == Schedule::Scan, !turned, "{found}");
                compute::run(gpu, &computation, &[&operand]).unwrap()
            });
            let Block { of, sizes, dimension, exclusive, .. } = block;
            let label = format!("{of} of {sizes:?} along {dimension}, exclusive: {exclusive}");
            assert!(walked.bits == reduced.bits, "{label}: {walked:?}, not {reduced:?}");
        }
    });
}

#[test]
fn a_constant_that_may_change_is_no_mask() {
    let mut b = Builder::new();
    let x = b.parameter(ElementType::F32, [8, 16]).unwrap();
    let square = b.broadcast_in_dim(x, [8, 16, 16], &[0, 2]).unwrap();
    let [result, element] =
        [1, 2].map(|d| b.iota(ElementType::U32, [8, 16, 16], d)).map(Result::unwrap);
    let is_before = b.le(element, result, &[]).unwrap();
    let zero = b.constant(Scalar::new(0_f32)).unwrap();
    let zero = b.broadcast_in_dim(zero, [8, 16, 16], &[]).unwrap();
    let before = b.select(is_before, square, zero).unwrap();
    let sums = b.reduce_sum(before, [2]).unwrap();
    let computation = b.build(sums).unwrap();
    assert_eq!(schedule(&PlanLimits::default(), &computation), Schedule::FoldRows);
}

#[test]
fn a_block_of_several_nodes_is_reduced() {
    let of = ElementType::F32;
    for (sizes, dimension) in [(&[8, 64], 1), (&[64, 8], 0)] as [(&[i64], usize); 2] {
        let block = Block { reduce: REDUCTIONS[0], of, sizes, dimension, exclusive: false };
        let computation = block.computation(false).unwrap();
        assert_ne!(schedule(&PlanLimits::default(), &computation), Schedule::Scan);
    }
}

#[test]
fn every_gpu_walks_through_blocks_and_its_text_is_valid() {
    for class in gpu_classes::all() {
        for (sizes, dimension, kernels) in [([64, 512], 1, 5), ([512, 64], 0, 5)] {
            let mut b = Builder::new();
            let x = b.parameter(ElementType::F32, sizes).unwrap();
            let sums = b.cumsum(x, dimension).unwrap();
            let explained = class.plan_limits().explain(&b.build(sums).unwrap()).unwrap();
            let schedules: Vec<Schedule> = explained.kernels.iter().map(|k| k.schedule).collect();
            assert_eq!(schedules.len(), kernels, "{}", class.name);
            // The sums of 2 blocks of blocks are reduced: 2 elements are not a quad.
            assert_eq!(schedules[3..], [Schedule::Scan; 2], "{}", class.name);
            for kernel in &explained.kernels {
                kernel_cost::spirv(&kernel.wgsl, class.robust_buffers);
            }
        }
    }
}

//! Tests expressions: their values, and their numbers of kernels and pipelines.

use indim::plan::{PlanLimits, Schedule, Source};
use indim::{
    ArrayError, Builder, Computation, Context, ElementType, Error, Expr, Op, Opcode, Result, Rule,
    Scalar, wgpu,
};
use indim_testing::contexts;
use indim_testing::contexts::{dispatches, gpu, iota, values};

/// A context with WebGPU's default limits: 8 storage buffers a kernel.
fn small_gpu(max_ops: Option<u32>) -> Context {
    let mut options = contexts::options();
    options.required_limits = Some(wgpu::Limits::default());
    options.max_ops_per_kernel = max_ops;
    Context::blocking_with_options(options).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn operators_build_and_eval_computes() -> Result<()> {
    let gpu = gpu();
    let x = gpu.array([2, 3], &[1., 2., 3., 4., 5., 6.])?;
    let v = gpu.array([3], &[7., 8., 9.])?;
    let y = (&x * 2.0 + v.in_dim([1])).eval()?;
    assert_eq!(values(&y), [9., 12., 15., 15., 18., 21.]);
    let y = (10.0 - v.in_dim([1]) + &x).eval()?;
    assert_eq!(values(&y), [4., 4., 4., 7., 7., 7.], "the scalar keeps v's dimensions");
    let relu = (&x - 3.0).gt(0.0).select(&x, 0.0).eval()?;
    assert_eq!(values(&relu), [0., 0., 0., 4., 5., 6.]);
    let i = gpu.array([4], &[-8i32, 7, 1, 0])?;
    assert_eq!((&i >> 1).eval()?.to_vec_blocking()?, [-4, 3, 0, 0]);
    assert_eq!((!(&i & 1)).eval()?.to_vec_blocking()?, [-1, -2, -2, -1]);
    assert_eq!(
        i.convert_element_type::<u32>().eval()?.to_vec_blocking()?,
        [4_294_967_288, 7, 1, 0]
    );
    let p = gpu.array([3], &[true, false, true])?;
    assert_eq!((!&p | false).eval()?.to_vec_blocking()?, [false, true, false]);
    assert_eq!(values(&indim::pow(&x, 2.0, &[])?), [1., 4., 9., 16., 25., 36.]);
    assert_eq!(x.clamp(2.0, 4.0).eval()?.to_vec_blocking()?, [2., 2., 3., 4., 4., 4.]);
    Ok(())
}

#[test]
fn the_first_error_is_kept_with_its_place() {
    let gpu = gpu();
    let x = gpu.array([2, 3], &iota(6)).unwrap();
    let v = gpu.array([3], &iota(3)).unwrap();
    let line = line!() + 1;
    let bad = &x + &v;
    let later = (bad.exp() + 1.0).tanh() * &v;
    let error = later.eval().unwrap_err();
    assert_eq!(error.rule(), Some(Rule::B1));
    let Error::Expression { location, source } = &error else { panic!("{error}") };
    assert_eq!((location.file(), location.line()), (file!(), line));
    assert!(source.to_string().starts_with("add: lhs [2, 3] has rank 2"), "{source}");
    // The operands are as good as before.
    assert_eq!(values(&(&x + 1.0).eval().unwrap()), [1., 2., 3., 4., 5., 6.]);
}

#[test]
fn an_expression_is_one_kernel() {
    let gpu = gpu();
    let a = gpu.array([64, 32], &iota(2048)).unwrap();
    let row = gpu.array([32], &iota(32)).unwrap();
    let column = gpu.array([64], &iota(64)).unwrap();
    let count = dispatches(&gpu, || {
        let e = (&a * column.in_dim([0]) + row.in_dim([1])).abs().max(&a) - &a * 0.5;
        e.eval().unwrap();
    });
    assert_eq!(count, 1);
}

#[test]
fn equal_operands_and_subexpressions_are_computed_once() {
    let mut b = Builder::new();
    let x = b.parameter(ElementType::F32, [8]).unwrap();
    let once = b.exp(x).unwrap();
    let again = b.exp(x).unwrap();
    let sum = b.add(once, again, &[]).unwrap();
    let kernel = &PlanLimits::default().explain(&b.build(sum).unwrap()).unwrap().kernels[0];
    assert_eq!((kernel.operands.len(), kernel.ops), (1, 2), "one exp, one add");

    // The same array given for two parameters is also one operand.
    let gpu = gpu();
    let array = gpu.array([8], &iota(8)).unwrap();
    let mut b = Builder::new();
    let (x, y) = (parameter(&mut b, &[8]), parameter(&mut b, &[8]));
    let product = b.mul(x, y, &[]).unwrap();
    let square = b.build(product).unwrap();
    let result = gpu.run(&square, &[array.as_any(), array.as_any()]).unwrap();
    let want: Vec<f32> = iota(8).iter().map(|v| v * v).collect();
    assert_eq!(values(&result.downcast().unwrap()), want);
    assert_eq!(values(&(&array * &array).eval().unwrap()), want);
    assert_eq!(gpu.stats().pipelines, 1, "both are the kernel of one operand");
}

fn parameter(b: &mut Builder, dims: &[usize]) -> Op {
    b.parameter(ElementType::F32, dims).unwrap()
}

#[test]
fn costly_values_are_computed_in_their_own_space() {
    let gpu = gpu();
    let (m, n) = (64, 48);
    let a = gpu.array([m, 1], &iota(m)).unwrap();
    let b = gpu.array([1, n], &iota(n)).unwrap();
    let mut got = Vec::new();
    let count = dispatches(&gpu, || got = values(&(a.sin() * b.cos()).eval().unwrap()));
    assert_eq!(count, 3, "the sines, the cosines, the products");
    for i in 0..m {
        for j in 0..n {
            let want = (i as f32).sin() * (j as f32).cos();
            assert!((got[i * n + j] - want).abs() < 1e-6);
        }
    }

    let mut b = Builder::new();
    let (column, row) = (parameter(&mut b, &[4096, 1]), parameter(&mut b, &[1, 4096]));
    let (sin, cos) = (b.sin(column).unwrap(), b.cos(row).unwrap());
    let product = b.mul(sin, cos, &[]).unwrap();
    let explanation = PlanLimits::default().explain(&b.build(product).unwrap()).unwrap();
    let written: Vec<_> =
        explanation.kernels.iter().map(|k| (k.writes[0].array, k.shape.dims().to_vec())).collect();
    assert_eq!(
        written,
        [
            (Source::Temporary(0), vec![4096, 1]),
            (Source::Temporary(1), vec![1, 4096]),
            (Source::Result(0), vec![4096, 4096]),
        ],
        "8,192 sines, not 16 million"
    );
    let sources: Vec<_> = explanation.kernels[2].operands.iter().map(|o| o.source).collect();
    assert_eq!(sources, [Source::Temporary(0), Source::Temporary(1)]);
}

#[test]
fn a_cheap_small_value_is_not_worth_a_temporary() {
    let mut b = Builder::new();
    let (x, column) = (parameter(&mut b, &[64, 64]), parameter(&mut b, &[64, 1]));
    let doubled = b.add(column, column, &[]).unwrap();
    let sum = b.add(x, doubled, &[]).unwrap();
    assert_eq!(PlanLimits::default().explain(&b.build(sum).unwrap()).unwrap().kernels.len(), 1);
}

#[test]
fn what_does_not_vary_along_a_tile_is_computed_before_its_loop() {
    let mut b = Builder::new();
    // A row over 8 rows: too few to be worth a temporary.
    let (x, row) = (parameter(&mut b, &[8, 64]), parameter(&mut b, &[64]));
    let tanh = b.tanh(row).unwrap();
    let sum = b.add(x, tanh, &[1]).unwrap();
    let explanation = PlanLimits::default().explain(&b.build(sum).unwrap()).unwrap();
    let [kernel] = &explanation.kernels[..] else {
        panic!("{} kernels", explanation.kernels.len())
    };
    assert_eq!(kernel.schedule, Schedule::Rows);
    let main = &kernel.wgsl[kernel.wgsl.find("fn main(").unwrap()..];
    let (before, inside) = main.split_once("for (").unwrap();
    assert!(before.contains("xla_tanh(") && !inside.contains("xla_tanh("), "{main}");
}

#[test]
fn a_tile_of_rows_knows_no_uniform() {
    // A compiler that knew the zero among the parameters would take x * 0 for 0, and lose its sign.
    let gpu = gpu();
    let x = gpu.array([8, 1], &[-1.0f32, 1.0, -2.0, 2.0, -3.0, 3.0, -4.0, 4.0]).unwrap();
    for columns in [16, 48, 17, 1024] {
        let y = gpu.array([1, columns], &iota(columns)).unwrap();
        let product = values(&(&x * y.imag()).eval().unwrap());
        for (place, value) in product.into_iter().enumerate() {
            let negative = place / columns % 2 == 0;
            assert_eq!(value.to_bits(), if negative { 1 << 31 } else { 0 }, "{columns}: {place}");
        }
    }
}

#[test]
fn new_shapes_compile_nothing() {
    let gpu = gpu();
    for i in 0..200 {
        let (rows, columns) = (2 + i / 10, 4 * (1 + i % 10));
        let x = gpu.array([rows, columns], &iota(rows * columns)).unwrap();
        let v = gpu.array([columns], &iota(columns)).unwrap();
        let got = values(&(&x + (&v * 2.0).in_dim([1])).eval().unwrap());
        assert!((0..rows * columns).all(|k| got[k] == k as f32 + 2.0 * (k % columns) as f32));
    }
    // Whole units in a row, or in a few rows together; and these once more for results of at most 512
    // bytes, which have no spare memory.
    assert!(gpu.stats().pipelines <= 6, "200 shapes of {} structures", gpu.stats().pipelines);
    let before = gpu.stats().pipelines;
    // Inner sizes that are not multiples of 4 share one kernel, already made.
    for i in 0..50 {
        let (rows, columns) = (2 + i / 10, 4 * (1 + i % 10) + 1);
        let x = gpu.array([rows, columns], &iota(rows * columns)).unwrap();
        let v = gpu.array([columns], &iota(columns)).unwrap();
        (&x + (&v * 2.0).in_dim([1])).eval().unwrap();
    }
    assert_eq!(gpu.stats().pipelines, before);
}

#[test]
fn new_scalars_compile_nothing() {
    let gpu = gpu();
    let x = gpu.array([6], &iota(6)).unwrap();
    for scale in 0..50 {
        let got = values(&(&x * scale as f32 + 0.25).eval().unwrap());
        assert_eq!(got[5], 5.0 * scale as f32 + 0.25);
    }
    assert_eq!(gpu.stats().pipelines, 1);
}

#[test]
fn a_long_chain_is_cut_by_operations() {
    let gpu = gpu();
    let x = gpu.array([10], &iota(10)).unwrap();
    let mut e = x.expr();
    for i in 0..5000 {
        e = if i % 2 == 0 { e + 3.0 } else { e - 2.0 };
    }
    let mut got = Vec::new();
    let count = dispatches(&gpu, || got = values(&e.eval().unwrap()));
    assert_eq!(got, iota(10).iter().map(|v| v + 2500.0).collect::<Vec<_>>());
    assert_eq!(count, 5, "a thousand operations a kernel");
}

/// Drivers recurse as deep as a kernel is long, wherever it is compiled from.
#[test]
fn a_thousand_operations_are_compiled_from_a_small_stack() {
    let gpu = gpu();
    let x = gpu.array([7], &iota(7)).unwrap();
    let small = std::thread::Builder::new().stack_size(256 << 10);
    let computed = small.spawn(move || {
        let sum = (0..1000).fold(x.expr(), |sum, i| if i % 2 == 0 { sum * 2.0 } else { sum - &x });
        values(&gpu.eval(&sum.max(0.5)).unwrap())
    });
    // x doubled, less x, is x again.
    assert_eq!(computed.unwrap().join().unwrap()[1..], iota(7)[1..]);
}

#[test]
fn many_arrays_are_cut_by_bindings() {
    let gpu = small_gpu(None);
    let arrays: Vec<_> = (0..40).map(|_| gpu.array([5], &iota(5)).unwrap()).collect();
    let mut sum = arrays[0].expr();
    for array in &arrays[1..] {
        sum += array;
    }
    let mut got = Vec::new();
    let count = dispatches(&gpu, || got = values(&sum.eval().unwrap()));
    assert_eq!(got, iota(5).iter().map(|v| v * 40.0).collect::<Vec<_>>());
    // The first kernel reads 7 arrays, each further one 6 and the temporary.
    assert_eq!(count, 1 + (40 - 7u64).div_ceil(6));
}

#[test]
fn a_cut_is_made_where_it_writes_fewest_bytes() {
    let mut b = Builder::new();
    // Eight rows are added to one another, then to a matrix: 9 arrays, 7 fit.
    let rows: Vec<Op> = (0..8).map(|_| parameter(&mut b, &[512])).collect();
    let x = parameter(&mut b, &[512, 512]);
    let mut sum = rows[0];
    for &row in &rows[1..] {
        sum = b.add(sum, row, &[]).unwrap();
    }
    let doubled = b.add(x, x, &[]).unwrap();
    let result = b.add(doubled, sum, &[1]).unwrap();
    let explanation = PlanLimits::default().explain(&b.build(result).unwrap()).unwrap();
    for kernel in &explanation.kernels[..explanation.kernels.len() - 1] {
        assert_eq!(kernel.shape.dims(), [512], "a row, not the matrix");
    }
    assert!(explanation.kernels.len() > 1);
}

#[test]
fn a_kernel_that_no_single_cut_makes_fit_is_cut_twice() {
    let mut b = Builder::new();
    let p: Vec<Op> = (0..8).map(|_| parameter(&mut b, &[5])).collect();
    let sum = |b: &mut Builder, of: &[Op]| {
        of[1..].iter().fold(of[0], |sum, &next| b.add(sum, next, &[]).unwrap())
    };
    let (x, y) = (sum(&mut b, &p[..7]), sum(&mut b, &p[1..]));
    let product = b.mul(x, y, &[]).unwrap();
    let explanation = PlanLimits::default().explain(&b.build(product).unwrap()).unwrap();
    for kernel in &explanation.kernels {
        let mut sources: Vec<Source> = kernel.operands.iter().map(|o| o.source).collect();
        sources.sort_unstable();
        sources.dedup();
        assert!(sources.len() <= 7, "{sources:?}");
    }
}

#[test]
fn a_table_of_constants_past_the_uniform_block_moves_to_storage() {
    let mut options = contexts::options();
    // Room for 64 words; the real bound is 16 KiB, which takes thousands of constants.
    options.required_limits =
        Some(wgpu::Limits { max_uniform_buffer_binding_size: 256, ..wgpu::Limits::default() });
    let gpu = Context::blocking_with_options(options).unwrap();
    let x = gpu.array([7], &[0i32; 7]).unwrap();
    let mut e = x.expr();
    for i in 0..100 {
        e += i;
    }
    let mut got = Vec::new();
    let count = dispatches(&gpu, || got = e.eval().unwrap().to_vec_blocking().unwrap());
    assert_eq!((got, count), (vec![99 * 100 / 2; 7], 1));

    let mut b = Builder::new();
    let mut e = b.parameter(ElementType::S32, [7]).unwrap();
    for i in 0..100 {
        let c = b.constant(Scalar::new(i)).unwrap();
        e = b.add(e, c, &[]).unwrap();
    }
    let computation = b.build(e).unwrap();
    let place = |limits: &PlanLimits| {
        let explanation = limits.explain(&computation).unwrap();
        explanation.kernels[0].wgsl.lines().find(|l| l.contains("params:")).unwrap().to_owned()
    };
    assert!(place(gpu.plan_limits()).contains("var<storage, read>"));
    assert!(place(&PlanLimits::default()).contains("var<uniform>"));
}

#[test]
fn a_value_under_many_broadcasts_is_not_lowered_again_and_again() {
    // Each step multiplies the number of ways in which the first value is seen.
    let mut b = Builder::new();
    let v = parameter(&mut b, &[2]);
    let mut e = b.add(v, v, &[]).unwrap();
    let mut want: Vec<f32> = vec![2.0, 4.0];
    for rank in 1..8usize {
        let sizes = vec![2i64; rank + 1];
        let first: Vec<i64> = (0..rank as i64).collect();
        let last: Vec<i64> = (1..=rank as i64).collect();
        let lhs = b.broadcast_in_dim(e, &sizes, &first).unwrap();
        let rhs = b.broadcast_in_dim(e, &sizes, &last).unwrap();
        e = b.add(lhs, rhs, &[]).unwrap();
        let half = 1 << rank;
        want = (0..2 * half).map(|k| want[k / 2] + want[k % half]).collect();
    }
    let computation = b.build(e).unwrap();
    let mut options = contexts::options();
    options.max_ops_per_kernel = Some(8);
    let gpu = Context::blocking_with_options(options).unwrap();
    let v = gpu.array([2], &[1.0f32, 2.0]).unwrap();
    let got = gpu.run(&computation, &[v.as_any()]).unwrap();
    assert_eq!(values(&got.downcast().unwrap()), want);
}

#[test]
fn arrays_without_elements_and_scalars_work_everywhere() -> Result<()> {
    let gpu = gpu();
    let none = gpu.array([0, 3], &[] as &[f32])?;
    let one = gpu.array([1, 3], &[1., 2., 3.])?;
    let sum = (&none + &one).exp().eval()?;
    assert_eq!(sum.shape().dims(), [0, 3]);
    assert_eq!(values(&sum), [0.0; 0]);
    assert_eq!(sum.buffer()?.size, 0);
    let scalar = gpu.array([], &[4.0f32])?;
    assert_eq!(values(&scalar.sqrt().eval()?), [2.0]);
    assert_eq!(values(&(&scalar * &one).eval()?), [4., 8., 12.]);
    assert_eq!(values(&indim::broadcast(&scalar, &[2, 0])?), [0.0; 0]);
    assert_eq!(scalar.gt(1.0).eval()?.to_vec_blocking()?, [true]);
    assert_eq!(values(&indim::iota::<f32>(&gpu, &[2, 2], 1)?), [0., 1., 0., 1.]);
    Ok(())
}

#[test]
fn ranks_beyond_any_fixed_table_work() {
    let gpu = gpu();
    // No two neighbouring dimensions merge: each operand varies along every other one.
    let rank = 12;
    let even: Vec<usize> = (0..rank).map(|d| if d % 2 == 0 { 2 } else { 1 }).collect();
    let odd: Vec<usize> = (0..rank).map(|d| if d % 2 == 1 { 2 } else { 1 }).collect();
    let x = gpu.array(even, &iota(64)).unwrap();
    let y = gpu.array(odd, &iota(64)).unwrap();
    let got = values(&(&x * 100.0 + &y).eval().unwrap());
    for (k, &value) in got.iter().enumerate() {
        let bits =
            |first: usize| (0..6).fold(0, |n, i| n * 2 + ((k >> (rank - 1 - (2 * i + first))) & 1));
        assert_eq!(value, bits(0) as f32 * 100.0 + bits(1) as f32);
    }
    // Many dimensions of size 1 cost nothing.
    let x = gpu.array(vec![1; 100], &[5.0f32]).unwrap();
    assert_eq!(values(&(&x + 1.0).eval().unwrap()), [6.0]);
}

#[test]
fn arrays_of_two_contexts_are_refused() {
    let (one, other) = (gpu(), gpu());
    let x = one.array([2], &[1.0f32, 2.0]).unwrap();
    let y = other.array([2], &[1.0f32, 2.0]).unwrap();
    let error = (&x + &y).eval().unwrap_err();
    assert!(matches!(error, Error::Array(ArrayError::TwoContexts)), "{error}");
    let sum: Computation = {
        let mut b = Builder::new();
        let (l, r) = (parameter(&mut b, &[2]), parameter(&mut b, &[2]));
        let sum = b.binary(Opcode::Add, l, r, &[]).unwrap();
        b.build(sum).unwrap()
    };
    assert!(one.run(&sum, &[x.as_any(), y.as_any()]).is_err());
    assert_eq!(values(&(&x + &x).eval().unwrap()), [2.0, 4.0]);
    assert_eq!(values(&(&y + &y).eval().unwrap()), [2.0, 4.0]);
}

#[test]
fn an_expression_without_arrays_runs_where_it_is_told() {
    let gpu = gpu();
    let e: Expr<i32> = Expr::iota(&[3], 0) * 2 + 1;
    assert!(matches!(e.eval(), Err(Error::Array(ArrayError::NoContext))));
    assert_eq!(gpu.eval(&e).unwrap().to_vec_blocking().unwrap(), [1, 3, 5]);
}

#[test]
fn an_operation_on_indices_that_two_views_see_keeps_to_the_cap() -> Result<()> {
    let mut b = Builder::new();
    let iota = b.iota(ElementType::U64, &[7], 0)?;
    let distance = b.constant(Scalar::new(5_u64))?;
    let shifted = b.shift_left(iota, distance, &[])?;
    let reversed = b.reverse(shifted, &[0])?;
    let clamped = b.clamp(reversed, shifted, shifted)?;
    let computation = b.build(clamped)?;
    let mut limits = PlanLimits::default();
    limits.tuning.max_ops_per_kernel = 2;
    for kernel in limits.explain(&computation)?.kernels {
        assert!(kernel.ops <= 2, "{}", kernel.ops);
    }
    // Where the cap allows it, nothing is stored.
    assert_eq!(PlanLimits::default().explain(&computation)?.kernels.len(), 1);
    Ok(())
}

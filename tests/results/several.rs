//! Tests computations of several results: their values, and in how many kernels and passes over
//! memory they come.

use indim::plan::{PlanLimits, Source};
use indim::{
    AnyArray, Array, Builder, BuilderError, Computation, Context, ElementType, Error, Expr,
    Literal, Result, wgpu,
};
use indim_testing::contexts::{self, dispatches, gpu, iota, values};
use indim_testing::share;

/// Adam's step, as a user would write it: the new parameters and both moments.
pub(crate) fn adam([p, m, v, g]: [&Expr<f32>; 4]) -> (Expr<f32>, Expr<f32>, Expr<f32>) {
    let m = m * 0.9 + g * 0.1;
    let v = v * 0.999 + g * g * 0.001;
    let p = p - &m * 0.01 / (v.sqrt() + 1e-8);
    (p, m, v)
}

fn adam_computation(count: i64) -> Computation {
    let mut b = Builder::new();
    let [p, m, v, g] = [(); 4].map(|()| b.parameter(ElementType::F32, [count as usize]).unwrap());
    let times = |b: &mut Builder, x, by: f32| {
        let by = b.constant(indim::Scalar::new(by)).unwrap();
        b.mul(x, by, &[]).unwrap()
    };
    let (m9, g1) = (times(&mut b, m, 0.9), times(&mut b, g, 0.1));
    let m = b.add(m9, g1, &[]).unwrap();
    let gg = b.mul(g, g, &[]).unwrap();
    let (v9, g2) = (times(&mut b, v, 0.999), times(&mut b, gg, 0.001));
    let v = b.add(v9, g2, &[]).unwrap();
    let root = b.sqrt(v).unwrap();
    let step = times(&mut b, m, 0.01);
    let step = b.div(step, root, &[]).unwrap();
    let p = b.sub(p, step, &[]).unwrap();
    b.build_all(&[p, m, v]).unwrap()
}

#[test]
fn adams_step_is_one_kernel_of_seven_passes() {
    let explanation = PlanLimits::default().explain(&adam_computation(4 << 20)).unwrap();
    let [kernel] = explanation.kernels.as_slice() else { panic!("{explanation:?}") };
    let targets: Vec<Source> = kernel.writes.iter().map(|written| written.array).collect();
    assert_eq!(targets.len(), 3);
    assert!((0..3).all(|number| targets.contains(&Source::Result(number))), "{targets:?}");
    let array = 4 << 22;
    assert_eq!((kernel.bytes_read, kernel.bytes_written), (4 * array, 3 * array));
}

#[test]
fn tuples_and_slices_are_evaluated_at_once() -> Result<()> {
    let gpu = gpu();
    let count = 1003;
    let data = |by: f32| iota(count).iter().map(|x| x * by + 0.25).collect::<Vec<_>>();
    let arrays = [0.5, 0.125, 2.0, -0.75].map(|by| gpu.array([count], &data(by)).unwrap());
    let leaves = arrays.each_ref().map(|array| array.expr());
    let (p, m, v) = adam(leaves.each_ref());
    let mut results = None;
    assert_eq!(dispatches(&gpu, || results = Some(indim::eval((&p, &m, &v)))), 1);
    let (p1, m1, v1) = results.unwrap()?;
    for (together, alone) in [(p1, &p), (m1, &m), (v1, &v)] {
        assert_eq!(values(&together), values(&alone.eval()?));
    }
    // Types may differ, and expressions may be moved.
    let (sum, large) = indim::eval((&p + &m, p.gt(100.0)))?;
    assert_eq!(values(&sum), values(&(&p + &m).eval()?));
    assert_eq!(large.to_vec_blocking()?, p.gt(100.0).eval()?.to_vec_blocking()?);
    let all = indim::eval([p.clone(), m.clone(), p.clone()].as_slice())?;
    assert_eq!(values(&all[0]), values(&all[2]));
    let nested = indim::eval(((&p, &m), vec![v.clone(), m.clone()]))?;
    assert_eq!(values(&nested.0.1), values(&nested.1[1]));
    assert!(indim::eval(Vec::<Expr<f32>>::new())?.is_empty());
    let (rows, columns) =
        gpu.eval((Expr::<i32>::iota(&[2, 3], 0), Expr::<u8>::iota(&[2, 3], 1)))?;
    assert_eq!(rows.to_vec_blocking()?, [0, 0, 0, 1, 1, 1]);
    assert_eq!(columns.to_vec_blocking()?, [0, 1, 2, 0, 1, 2]);
    assert!(matches!(
        indim::eval((Expr::<i32>::iota(&[2], 0), Expr::<u8>::iota(&[2], 0))),
        Err(Error::Array(indim::ArrayError::NoContext))
    ));
    Ok(())
}

/// Returns the bytes of arrays that kernels read and wrote in a call.
fn moved(gpu: &Context, call: impl FnOnce()) -> (u64, u64) {
    let before = gpu.stats();
    call();
    let after = gpu.stats();
    (after.read_bytes - before.read_bytes, after.written_bytes - before.written_bytes)
}

#[test]
fn bytes_moved_are_counted() -> Result<()> {
    let gpu = gpu();
    let count = 1 << 12;
    let array = 4 << 12;
    let arrays = [0.5, 0.125, 2.0, -0.75].map(|by| gpu.array([count], &vec![by; count]).unwrap());
    let [p, m, v, g] = arrays.each_ref().map(|array| array.expr());
    let all = adam([&p, &m, &v, &g]);
    let at_once = moved(&gpu, || drop(indim::eval((&all.0, &all.1, &all.2)).unwrap()));
    assert_eq!(at_once, (4 * array, 3 * array));
    // Expression by expression, the moments are read again.
    let one_by_one = moved(&gpu, || {
        let (_, m, v) = &all;
        let (m, v) = (m.eval().unwrap(), v.eval().unwrap());
        drop((&p - &m * 0.01 / (v.sqrt() + 1e-8)).eval().unwrap());
    });
    assert_eq!(one_by_one, (7 * array, 3 * array));
    // An array that is given twice is read once; what is an argument moves nothing.
    assert_eq!(moved(&gpu, || drop((&p * &p).eval().unwrap())), (array, array));
    assert_eq!(moved(&gpu, || drop(p.eval().unwrap())), (0, 0));
    let small = gpu.array([count], &vec![3_u8; count])?;
    let mixed = moved(&gpu, || drop((p.gt(0.0)).select(&small, 1).eval().unwrap()));
    assert_eq!(mixed, (array + array / 4, array / 4));
    // In place, the target is read where it is written.
    let mut target = gpu.array([count], &vec![0.5_f32; count])?;
    let doubled = |x: &Array<f32>| x * 2.0;
    let in_place = moved(&gpu, || doubled(&target).eval_into(&mut target).unwrap());
    assert_eq!(in_place, (array, array));
    let half = |target: &mut Array<f32>| {
        let part = &p.slice(&[0], &[2048]) + 1.0;
        part.eval_into(target.slice_mut([0], [2048]).unwrap()).unwrap();
    };
    assert_eq!(moved(&gpu, || half(&mut target)), (array, array / 2));
    // Nothing is read or written ahead of time.
    let ahead = moved(&gpu, || gpu.prewarm(&[&adam_computation(64)]).unwrap());
    assert_eq!(ahead, (0, 0));
    Ok(())
}

/// Each part writes its own elements; of what it reads, it counts what it binds.
#[test]
fn bytes_of_parts_are_those_that_they_bind() -> Result<()> {
    let gpu = with_device_limits(|limits| limits.max_storage_buffer_binding_size = 1024);
    let (rows, columns) = (64, 32);
    let array = 4 * (rows * columns) as u64;
    let x = gpu.array([rows, columns], &iota(rows * columns))?;
    let y = gpu.array([columns, rows], &iota(rows * columns))?;
    let before = gpu.stats().dispatches;
    assert_eq!(moved(&gpu, || drop((&x + 1.0).eval().unwrap())), (array, array));
    assert!(gpu.stats().dispatches - before >= 8);
    let turned = y.expr().transpose(&[1, 0]);
    let (read, written) = moved(&gpu, || drop((&x + &turned).eval().unwrap()));
    assert_eq!(written, array);
    // A box reads parts of rows of the turned operand, and also binds what lies between them.
    assert!((3 * array..=17 * array).contains(&read), "{read} of {array}");
    Ok(())
}

#[test]
fn expressions_are_explained_for_their_context() -> Result<()> {
    let gpu = gpu();
    let count = 64;
    let arrays = [0.5, 0.125, 2.0, -0.75].map(|by| gpu.array([count], &vec![by; count]).unwrap());
    let [p, m, v, g] = arrays.each_ref().map(|array| array.expr());
    let (p1, m1, v1) = adam([&p, &m, &v, &g]);
    let explanation = indim::explain((&p1, &m1, &v1))?;
    let [kernel] = explanation.kernels.as_slice() else { panic!("{explanation:?}") };
    assert_eq!((kernel.bytes_read, kernel.bytes_written), (4 * 256, 3 * 256));
    assert_eq!(kernel.writes.len(), 3);
    assert_eq!(explanation.results, [0, 1, 2].map(Source::Result));
    // Arrays are numbered as they are met: p, then those of m, then v.
    let shown: Vec<Source> = kernel.operands.iter().map(|operand| operand.source).collect();
    assert_eq!(shown.len(), 4);
    assert!((0..4).all(|number| shown.contains(&Source::Parameter(number))), "{shown:?}");

    // A result may be an argument, or another result.
    let explanation = indim::explain((&m, &p1, &p1, p.reshape(&[8, 8])))?;
    let results =
        [Source::Parameter(0), Source::Result(1), Source::Result(1), Source::Parameter(1)];
    assert_eq!(explanation.results, results);
    let kept = p.explain()?;
    assert!(kept.kernels.is_empty());
    assert_eq!(kept.results, [Source::Parameter(0)]);
    assert!(indim::explain(Vec::<Expr<f32>>::new())?.kernels.is_empty());

    // The limits and the precision are those of the context.
    let mut options = contexts::options();
    options.precision = indim::Precision::Relaxed;
    let relaxed = Context::blocking_with_options(options)?;
    let x = relaxed.array([count], &vec![1f32; count])?.expr();
    assert_eq!(x.sin().explain()?.kernels[0].relaxed_ops, 1);
    assert_eq!(p.sin().explain()?.kernels[0].relaxed_ops, 0);
    let few = with_device_limits(|limits| limits.max_storage_buffers_per_shader_stage = 4);
    let x = few.array([count], &vec![1f32; count])?.expr();
    let four = |x: &Expr<f32>| indim::explain([x + 1.0, x + 2.0, x + 3.0, x + 4.0]);
    assert_eq!((four(&p)?.kernels.len(), four(&x)?.kernels.len()), (1, 2));

    // Nothing is compiled or run, and errors are those of eval.
    let before = gpu.stats();
    let shape = (&p1 * 3.25).cosh().explain()?.kernels[0].shape.clone();
    assert_eq!((shape.dims(), gpu.stats()), (&[count][..], before));
    assert!(matches!(indim::explain((&p, &x)), Err(Error::Array(indim::ArrayError::TwoContexts))));
    let without = Expr::<i32>::iota(&[2, 3], 0);
    assert!(matches!(without.explain(), Err(Error::Array(indim::ArrayError::NoContext))));
    assert_eq!(gpu.explain(&without)?.kernels[0].bytes_written, 24);
    assert!(matches!((&p + &gpu.array([3], &[1f32; 3])?).explain(), Err(Error::Expression { .. })));
    Ok(())
}

/// Builds a computation of several results from two parameters of this shape.
fn of_two(
    shape: &[usize],
    build: impl Fn(&mut Builder, [indim::Op; 2]) -> Result<Vec<indim::Op>>,
) -> Result<Computation> {
    let mut b = Builder::new();
    let x = b.parameter(ElementType::F32, shape)?;
    let y = b.parameter(ElementType::F32, shape)?;
    let roots = build(&mut b, [x, y])?;
    b.build_all(&roots)
}

/// Runs it at once, and result by result, and compares the bits.
fn compare(
    gpu: &Context,
    shape: &[usize],
    build: impl Fn(&mut Builder, [indim::Op; 2]) -> Result<Vec<indim::Op>>,
) -> Result<Computation> {
    let count = shape.iter().product();
    let x = gpu.array(shape, &iota(count))?;
    let y = gpu.array(shape, &iota(count).iter().map(|x| 0.5 - x * 0.25).collect::<Vec<_>>())?;
    let arguments: [&AnyArray; 2] = [x.as_any(), y.as_any()];
    let together = of_two(shape, &build)?;
    let results = gpu.run_all(&together, &arguments)?;
    assert_eq!(results.len(), together.results().len());
    for (number, result) in results.iter().enumerate() {
        let alone = of_two(shape, |b, xy| Ok(vec![build(b, xy)?[number]]))?;
        let alone: Literal = gpu.run(&alone, &arguments)?.to_literal_blocking()?;
        assert_eq!(result.to_literal_blocking()?, alone, "result {number} of {shape:?}");
    }
    Ok(together)
}

/// Contexts whose plans differ: this adapter's, a GPU's, one that binds little at once, one whose
/// kernels bind few arrays.
pub(crate) fn all_contexts() -> Vec<Context> {
    let with = |set: &dyn Fn(&mut PlanLimits)| {
        let mut plan = contexts::of_the_adapter().plan_limits().clone();
        set(&mut plan);
        let mut options = contexts::options();
        options.plan_limits = Some(plan);
        Context::blocking_with_options(options).unwrap()
    };
    let like_a_gpu = |plan: &mut PlanLimits| {
        let found = plan.clone();
        *plan = PlanLimits::default();
        plan.tuning.int64 = found.tuning.int64;
        plan.arithmetic = found.arithmetic;
    };
    vec![
        gpu(),
        with(&like_a_gpu),
        with_device_limits(|limits| limits.max_storage_buffer_binding_size = 1024),
        with_device_limits(|limits| limits.max_storage_buffers_per_shader_stage = 4),
    ]
}

/// A context on a device with these limits.
fn with_device_limits(set: impl FnOnce(&mut wgpu::Limits)) -> Context {
    let mut limits = contexts::of_the_adapter().device().limits();
    set(&mut limits);
    let mut options = contexts::options();
    options.required_limits = Some(limits);
    Context::blocking_with_options(options).unwrap()
}

const SHAPES: [&[usize]; 9] =
    [&[1], &[5], &[1024], &[64, 64], &[33, 16], &[16, 33], &[300, 3], &[7, 5, 12], &[2, 3, 129]];

#[test]
fn widths_may_be_mixed() -> Result<()> {
    for gpu in all_contexts() {
        for shape in SHAPES.into_iter().skip(2).step_by(share::one_of(5)) {
            compare(&gpu, shape, |b, [x, y]| {
                let sum = b.add(x, y, &[])?;
                let less = b.lt(x, y, &[])?;
                let small = b.convert_element_type(sum, ElementType::S8)?;
                let half = b.convert_element_type(x, ElementType::F16)?;
                let quarter = b.convert_element_type(y, ElementType::U4)?;
                let wide = b.convert_element_type(sum, ElementType::S64)?;
                let complex = b.complex(x, sum, &[])?;
                Ok(vec![sum, less, small, half, quarter, wide, complex])
            })?;
        }
    }
    Ok(())
}

#[test]
fn views_and_other_shapes_are_results_too() -> Result<()> {
    for gpu in all_contexts() {
        for shape in [&[33usize, 33][..], &[8, 8], &[64, 64]].into_iter().take(3 / share::one_of(3))
        {
            let size = shape[0] as i64;
            compare(&gpu, shape, |b, [x, y]| {
                let sum = b.add(x, y, &[])?;
                let turned = b.transpose(sum, &[1, 0])?;
                let back = b.reverse(sum, &[1])?;
                let mixed = b.mul(turned, sum, &[])?;
                let part = b.slice(mixed, &[1, 0], &[size - 1, size], &[1, 2])?;
                let root = b.sqrt(part)?;
                let flat = b.reshape(x, &[size * size])?;
                let two = b.constant(indim::Scalar::new(2f32))?;
                let all = b.broadcast_in_dim(two, &[size, size], &[])?;
                let iota = b.iota(ElementType::F32, &[size, size], 1)?;
                let more = b.add(iota, sum, &[])?;
                Ok(vec![sum, turned, back, mixed, root, flat, x, sum, all, iota, more, two])
            })?;
        }
    }
    Ok(())
}

#[test]
fn a_result_that_others_read_elsewhere_is_written_first() {
    let computation = of_two(&[64], |b, [x, y]| {
        let sum = b.add(x, y, &[])?;
        let sine = b.sin(sum)?;
        let back = b.reverse(sine, &[0])?;
        let both = b.add(sine, back, &[])?;
        Ok(vec![both, sine])
    })
    .unwrap();
    let kernels = PlanLimits::default().explain(&computation).unwrap().kernels;
    let written: Vec<_> = kernels.iter().map(|k| k.writes[0].array).collect();
    assert_eq!(written, [Source::Result(1), Source::Result(0)]);
    assert!(kernels[1].operands.iter().all(|operand| operand.source == Source::Result(1)));
}

#[test]
fn results_of_two_shapes_store_what_is_costly() {
    let kernels = |costly: bool| {
        let computation = of_two(&[1 << 20], |b, [x, _]| {
            let mut shared = x;
            for _ in 0..4 {
                shared = if costly { b.tanh(shared)? } else { b.neg(shared)? };
            }
            let all = b.add(shared, x, &[])?;
            let part = b.slice(shared, &[0], &[1 << 19], &[1])?;
            let part = b.exp(part)?;
            Ok(vec![all, part])
        });
        PlanLimits::default().explain(&computation.unwrap()).unwrap().kernels
    };
    let temporaries = |costly| {
        let is_temporary = |kernel: &indim::plan::KernelExplanation| {
            matches!(kernel.writes[0].array, Source::Temporary(_))
        };
        kernels(costly).iter().filter(|kernel| is_temporary(kernel)).count()
    };
    assert_eq!((temporaries(true), temporaries(false)), (1, 0));
}

#[test]
fn kernels_of_one_shape_store_what_is_costly_too() {
    // Twelve results and an operand are more than the eight arrays that a kernel binds.
    let temporaries = |costly: bool| {
        let computation = of_two(&[1 << 20], |b, [x, y]| {
            let mut shared = x;
            for _ in 0..4 {
                shared = if costly { b.tanh(shared)? } else { b.neg(shared)? };
            }
            let mut results = vec![b.add(shared, y, &[])?];
            while results.len() < 12 {
                let by = b.constant(indim::Scalar::new(results.len() as f32))?;
                results.push(b.mul(shared, by, &[])?);
            }
            Ok(results)
        });
        let kernels = PlanLimits::default().explain(&computation.unwrap()).unwrap().kernels;
        let is_temporary = |kernel: &&indim::plan::KernelExplanation| {
            matches!(kernel.writes[0].array, Source::Temporary(_))
        };
        (kernels.iter().filter(is_temporary).count(), kernels.len())
    };
    assert_eq!(temporaries(true), (1, 3));
    assert_eq!(temporaries(false), (0, 2));
}

#[test]
fn kernels_are_cut_where_a_device_binds_few_arrays() -> Result<()> {
    let eight = |b: &mut Builder, [x, y]: [indim::Op; 2]| {
        let mut values = vec![b.add(x, y, &[])?];
        while values.len() < 8 {
            let last = values[values.len() - 1];
            values.push(b.mul(last, y, &[])?);
        }
        Ok(values)
    };
    let computation = of_two(&[100], eight)?;
    for (buffers, kernels) in [(4, 4), (8, 2), (10, 1)] {
        let mut limits = PlanLimits::default();
        limits.device.max_storage_buffers_per_shader_stage = buffers;
        let explanation = limits.explain(&computation)?;
        assert_eq!(explanation.kernels.len(), kernels, "{buffers} buffers");
    }
    for gpu in all_contexts() {
        compare(&gpu, &[100], eight)?;
    }
    Ok(())
}

#[test]
fn wrong_calls_are_refused() {
    let gpu = gpu();
    let x = gpu.array([2], &[1f32, 2.]).unwrap();
    let refused = Builder::new().build_all(&[]).unwrap_err();
    assert!(matches!(refused, Error::Builder(BuilderError::NoResult)));
    assert_eq!(refused.to_string(), "a computation has at least one result, but none is given");
    let two = of_two(&[2], |b, [x, y]| Ok(vec![b.add(x, y, &[])?, b.sub(x, y, &[])?])).unwrap();
    let refused = gpu.run(&two, &[x.as_any(), x.as_any()]).unwrap_err();
    assert!(matches!(refused, Error::Builder(BuilderError::SeveralResults { count: 2 })));
    assert_eq!(
        refused.to_string(),
        "the computation has 2 results, which run_all returns; run returns the only one"
    );
    let both = gpu.run_all(&two, &[x.as_any(), x.as_any()]).unwrap();
    assert_eq!(both[1].clone().downcast::<f32>().unwrap().to_vec_blocking().unwrap(), [0., 0.]);
    // The first error of a tuple is reported with its place.
    let v = gpu.array([3], &[1f32; 3]).unwrap();
    let line = line!() + 1;
    let bad = &x + &v;
    let Err(Error::Expression { location, .. }) = indim::eval((&x.expr(), &bad)) else { panic!() };
    assert_eq!(location.line(), line);
}

/// A step of Gray and Scott's reaction, whose two fields read each other: five places of each.
fn gray_scott(
    [u, v]: [&Expr<f32>; 2],
    laplacian: impl Fn(&Expr<f32>) -> Expr<f32>,
    inner: impl Fn(&Expr<f32>) -> Expr<f32>,
) -> (Expr<f32>, Expr<f32>) {
    let (du, dv) = (laplacian(u), laplacian(v));
    let (u, v) = (inner(u), inner(v));
    let reaction = &u * &v * &v;
    let feed = (1.0 - &u) * 0.035;
    let new_u = &u + du * 0.16 - &reaction + feed;
    let new_v = &v + dv * 0.08 + reaction - &v * 0.1;
    (new_u, new_v)
}

#[test]
fn gray_scotts_two_fields_are_one_kernel() -> Result<()> {
    let size = 66;
    for (number, gpu) in all_contexts().iter().take(2).enumerate() {
        let fields = [0.5f32, 0.25].map(|at| {
            let data: Vec<f32> = iota(size * size).iter().map(|x| (x * at).sin().abs()).collect();
            gpu.array([size, size], &data).unwrap().expr()
        });
        let part = |x: &Expr<f32>, row: i64, column: i64| {
            let last = size as i64 - 2;
            x.slice(&[row, column], &[row + last, column + last])
        };
        let sliced = |x: &Expr<f32>| {
            part(x, 0, 1) + part(x, 2, 1) + part(x, 1, 0) + part(x, 1, 2) - part(x, 1, 1) * 4.0
        };
        let (u, v) = gray_scott(fields.each_ref(), sliced, |x| part(x, 1, 1));
        assert_eq!(indim::explain((&u, &v))?.kernels.len(), 1);
        let (mut together, mut rolled) = (None, None);
        assert_eq!(dispatches(gpu, || together = Some(indim::eval((&u, &v)).unwrap())), 1);
        let (u1, v1) = together.unwrap();
        assert_eq!((values(&u1), values(&v1)), (values(&u.eval()?), values(&v.eval()?)));

        // Periodic, by rolls: the same inside.
        let by_rolls = |x: &Expr<f32>| {
            let roll = |shift: i64, dimension: i64| x.roll(&[shift], &[dimension]);
            roll(1, 0) + roll(-1, 0) + roll(1, 1) + roll(-1, 1) - x * 4.0
        };
        let (u, v) = gray_scott(fields.each_ref(), by_rolls, Expr::clone);
        let count = dispatches(gpu, || rolled = Some(indim::eval((&u, &v)).unwrap()));
        // A processor's kernels load from fewer places.
        assert!(count == 1 || number == 0, "{count} dispatches");
        let inside = part(&rolled.unwrap().0.expr(), 1, 1).eval()?;
        assert_eq!(values(&inside), values(&u1));
    }
    Ok(())
}

//! Tests views in expressions: how many kernels they take, what those read, and what is stored.

use std::time::{Duration, Instant};

use indim::plan::{Access, Explanation, KernelExplanation, PlanLimits, Source};
use indim::{AnyExpr, Builder, Context, ElementType, Expr, Op, Result, Rule, Scalar, wgpu};
use indim_testing::contexts;
use indim_testing::contexts::{dispatches, gpu, iota, values};

fn parameter(b: &mut Builder, dims: &[usize]) -> Op {
    b.parameter(ElementType::F32, dims).unwrap()
}

/// Returns how the value that `build` makes is evaluated.
fn explained(build: impl FnOnce(&mut Builder) -> Result<Op>) -> Explanation {
    let mut b = Builder::new();
    let root = build(&mut b).unwrap();
    PlanLimits::default().explain(&b.build(root).unwrap()).unwrap()
}

fn sources(kernel: &KernelExplanation) -> Vec<Source> {
    let mut sources: Vec<Source> = kernel.operands.iter().map(|o| o.source).collect();
    sources.sort_unstable();
    sources.dedup();
    sources
}

// ---- strides and offsets ------------------------------------------------------------------------

#[test]
fn views_are_offsets_and_signed_strides() {
    let explanation = explained(|b| {
        let x = parameter(b, &[6, 8]);
        let turned = b.transpose(x, &[1, 0])?;
        let part = b.slice(turned, &[1, 0], &[8, 6], &[3, 1])?;
        b.reverse(part, &[1])
    });
    let [kernel] = &explanation.kernels[..] else { panic!("{explanation:?}") };
    assert_eq!((kernel.shape.dims(), kernel.ops), (&[3, 6][..], 0), "one copy");
    let [x] = &kernel.operands[..] else { panic!("{kernel:?}") };
    assert_eq!(x.broadcast_dimensions, [1, 0]);
    assert_eq!((x.offset, x.strides.as_slice()), (1 + 5 * 8, &[3, -8][..]));
}

#[test]
fn what_a_view_sees_is_computed_right() -> Result<()> {
    let gpu = gpu();
    let x = gpu.array([2, 3], &[1., 2., 3., 4., 5., 6.])?;
    assert_eq!(values(&indim::transpose(&x, &[1, 0])?), [1., 4., 2., 5., 3., 6.]);
    assert_eq!(values(&indim::slice(&x, &[0, 0], &[2, 3], &[1, 2])?), [1., 3., 4., 6.]);
    assert_eq!(values(&indim::reverse(&x, &[0, 1])?), [6., 5., 4., 3., 2., 1.]);
    let flat = indim::reshape(&x, &[6])?;
    assert_eq!((flat.shape().dims(), values(&flat)), (&[6][..], iota(7)[1..].to_vec()));
    let mixed = (x.transpose(&[1, 0]).reshape(&[2, 3]) - x.reverse(&[1])).eval()?;
    assert_eq!(values(&mixed), [-2., 2., 1., -1., -2., 2.]);
    let column = x.slice(&[0, 1], &[2, 2]);
    assert_eq!(values(&(column * &x).eval()?), [2., 4., 6., 20., 25., 30.]);
    // An iota's values are its positions, whatever the view.
    let count = Expr::<i32>::iota(&[4, 5], 1);
    let odd = count.reverse(&[1]).slice(&[0, 1], &[1, 5]).step_by(&[1, 2]);
    assert_eq!(gpu.eval(&odd)?.to_vec_blocking()?, [3, 1]);
    let truths = gpu.array([5], &[true, false, false, true, true])?;
    assert_eq!(
        (!truths.reverse(&[0])).eval()?.to_vec_blocking()?,
        [false, false, true, true, false]
    );
    Ok(())
}

#[test]
fn one_buffer_under_several_views_is_bound_once() {
    let gpu = gpu();
    let x = gpu.array([64, 64], &iota(4096)).unwrap();
    let sum = &x + x.transpose(&[1, 0]);
    let mut got = Vec::new();
    assert_eq!(dispatches(&gpu, || got = values(&sum.eval().unwrap())), 1);
    let at = |i: usize, j: usize| (i * 64 + j) as f32;
    for i in 0..64 {
        for j in 0..64 {
            assert_eq!(got[i * 64 + j], at(i, j) + at(j, i));
        }
    }
    let explanation = explained(|b| {
        let x = parameter(b, &[64, 64]);
        let turned = b.transpose(x, &[1, 0])?;
        let reversed = b.reverse(turned, &[0])?;
        let sum = b.add(x, turned, &[])?;
        b.add(sum, reversed, &[])
    });
    let [kernel] = &explanation.kernels[..] else { panic!("{explanation:?}") };
    assert_eq!(kernel.operands.len(), 3);
    assert_eq!(sources(kernel), [Source::Parameter(0)]);
    assert_eq!(kernel.wgsl.matches("var<storage, read>").count(), 1);

    // An array that was reshaped is the same buffer.
    let flat = indim::reshape(&x, &[4096]).unwrap();
    let sum = flat.reshape(&[64, 64]) + x.transpose(&[1, 0]);
    assert_eq!(values(&sum.eval().unwrap()), got);
    assert_eq!(gpu.stats().pipelines, 1, "the kernel of one buffer");
}

#[test]
fn views_that_undo_one_another_are_nothing() {
    let explanation = explained(|b| {
        let x = parameter(b, &[4, 6, 10]);
        let turned = b.transpose(x, &[2, 0, 1])?;
        let back = b.transpose(turned, &[1, 2, 0])?;
        let reversed = b.reverse(back, &[0, 2])?;
        let back = b.reverse(reversed, &[2, 0])?;
        let flat = b.reshape(back, &[240])?;
        let other = b.reshape(flat, &[24, 1, 10])?;
        let back = b.reshape(other, &[4, 6, 10])?;
        let whole = b.slice(back, &[0, 0, 0], &[4, 6, 10], &[1, 1, 1])?;
        b.add(x, whole, &[])
    });
    let [kernel] = &explanation.kernels[..] else { panic!("{explanation:?}") };
    assert_eq!(kernel.operands.len(), 1);
    assert_eq!(
        (kernel.iteration_space.as_slice(), kernel.operands[0].access),
        (&[240][..], Access::Contiguous)
    );
}

// ---- reshapes -----------------------------------------------------------------------------------

#[test]
fn a_reshape_of_an_array_is_that_array() {
    let gpu = gpu();
    let x = gpu.array([4, 6], &iota(24)).unwrap();
    let count = dispatches(&gpu, || {
        let cube = indim::reshape(&x, &[2, 3, 4]).unwrap();
        assert_eq!((cube.shape().dims(), values(&cube)), (&[2, 3, 4][..], iota(24)));
        let row = x.reshape(&[3, 8]).reshape(&[1, 24]).eval().unwrap();
        assert_eq!((row.shape().dims(), values(&row)), (&[1, 24][..], iota(24)));
        let mut b = Builder::new();
        let (x_of, y_of) = (parameter(&mut b, &[4, 6]), parameter(&mut b, &[24]));
        let root = b.reshape(y_of, &[4, 6]).unwrap();
        let _ = x_of;
        let computation = b.build(root).unwrap();
        let flat = indim::reshape(&x, &[24]).unwrap();
        let got = gpu.run(&computation, &[x.as_any(), flat.as_any()]).unwrap();
        assert_eq!(got.shape().dims(), [4, 6]);
    });
    assert_eq!(count, 0);
}

#[test]
fn a_reshape_is_free_at_the_root_and_on_dense_values() {
    // At the root: the kernel goes through the operand's dimensions.
    let explanation = explained(|b| {
        let (x, v) = (parameter(b, &[3, 4]), parameter(b, &[4]));
        let sum = b.add(x, v, &[1])?;
        b.reshape(sum, &[2, 6])
    });
    let [kernel] = &explanation.kernels[..] else { panic!("{explanation:?}") };
    assert_eq!((kernel.shape.dims(), kernel.space.as_slice()), (&[2, 6][..], &[3, 4][..]));

    // The view is just below the root, as long as nothing needs the result's dimensions.
    let below = |whole: bool| {
        explained(|b| {
            let (x, v) = (parameter(b, &[3, 4]), parameter(b, &[4]));
            let sum = b.add(x, v, &[1])?;
            let reshaped = b.reshape(sum, &[2, 6])?;
            if whole {
                let y = parameter(b, &[2, 6]);
                b.mul(reshaped, y, &[])
            } else {
                let w = parameter(b, &[6]);
                b.mul(reshaped, w, &[1])
            }
        })
    };
    let explanation = below(true);
    let [kernel] = &explanation.kernels[..] else { panic!("{explanation:?}") };
    assert_eq!(kernel.space, [3, 4]);

    // Rows of 4 and rows of 6 do not fit each other: one copy.
    let explanation = below(false);
    let written: Vec<Source> = explanation.kernels.iter().map(|k| k.writes[0].array).collect();
    assert_eq!(written, [Source::Temporary(0), Source::Result(0)]);
    assert_eq!(explanation.kernels[1].operands[0].source, Source::Temporary(0));

    // A dense value has no dimensions that could get in the way.
    let explanation = explained(|b| {
        let (x, w) = (parameter(b, &[3, 4]), parameter(b, &[6]));
        let twice = b.add(x, x, &[])?;
        let reshaped = b.reshape(twice, &[2, 6])?;
        b.mul(reshaped, w, &[1])
    });
    let [kernel] = &explanation.kernels[..] else { panic!("{explanation:?}") };
    assert_eq!(kernel.operands[0].strides, [6, 1]);
}

#[test]
fn a_reshape_splits_and_merges_dimensions() {
    // [6, 4] seen as [2, 3, 4], turned, and merged again: [3, 2, 4] as [3, 8].
    let explanation = explained(|b| {
        let x = parameter(b, &[6, 4]);
        let split = b.reshape(x, &[2, 3, 4])?;
        let turned = b.transpose(split, &[1, 0, 2])?;
        let merged = b.reshape(turned, &[3, 8])?;
        let w = parameter(b, &[8]);
        b.mul(merged, w, &[1])
    });
    let [kernel] = &explanation.kernels[..] else { panic!("{explanation:?}") };
    assert_eq!(kernel.space, [3, 2, 4], "dimension 1 of the result is split");
    assert_eq!(kernel.operands[0].strides, [4, 12, 1]);
    assert_eq!(kernel.operands[1].strides, [0, 4, 1]);
    assert_eq!(kernel.operands[0].broadcast_dimensions, [0; 0], "split ones have no names");

    let gpu = gpu();
    let x = gpu.array([6, 4], &iota(24)).unwrap();
    let w = gpu.array([8], &iota(8)).unwrap();
    let turned = x.reshape(&[2, 3, 4]).transpose(&[1, 0, 2]);
    let mut got = Vec::new();
    let count = dispatches(&gpu, || {
        got = values(&(turned.reshape(&[3, 8]) * w.in_dim([1])).eval().unwrap());
    });
    assert_eq!(count, 1);
    for (place, value) in got.into_iter().enumerate() {
        let (i, j, k) = (place / 8, place / 4 % 2, place % 4);
        assert_eq!(value, ((j * 3 + i) * 4 + k) as f32 * (place % 8) as f32);
    }
}

#[test]
fn one_position_of_a_dimension_is_an_index() -> Result<()> {
    let gpu = gpu();
    let x = gpu.array([2, 3], &iota(6))?;
    assert_eq!(values(&x.index(0, 1).eval()?), [3., 4., 5.]);
    assert_eq!(values(&indim::index(&x, 1, 2)?), [2., 5.]);
    assert_eq!(values(&x.index(0, 1).index(0, 1).eval()?), [4.]);
    let any = AnyExpr::from(x.as_any()).index(1, 0)?;
    assert_eq!(gpu.eval(&any)?.to_literal_blocking()?.to_vec::<f32>()?, [0., 3.]);
    let mut b = Builder::new();
    let p = b.parameter(ElementType::F32, [2, 3])?;
    let column = b.index(p, 1, 1)?;
    assert_eq!(b.shape(column)?.dims(), [2]);
    for (dimension, index, message) in [
        (
            0,
            2,
            "index is 2, but dimension 0 of operand [2, 3] has size 2; its positions are 0 to 1",
        ),
        (
            1,
            -1,
            "index is -1, but dimension 1 of operand [2, 3] has size 3; its positions are 0 to 2",
        ),
        (2, 0, "dimension is 2, but operand [2, 3] has rank 2; its dimensions are 0 to 1"),
        (-1, 0, "dimension is -1, but operand [2, 3] has rank 2; its dimensions are 0 to 1"),
    ] {
        let refused = b.index(p, dimension, index).unwrap_err();
        assert_eq!(refused.to_string(), format!("index: {message}"));
        assert_eq!(refused.rule(), Some(Rule::V3));
        assert_eq!(x.index(dimension, index).eval().unwrap_err().rule(), Some(Rule::V3));
    }
    Ok(())
}

#[test]
fn a_diagonal_is_a_slice_of_a_reshape() {
    let gpu = gpu();
    let x = gpu.array([5, 5], &iota(25)).unwrap();
    let diagonal = x.reshape(&[25]).slice(&[0], &[25]).step_by(&[6]);
    let mut got = Vec::new();
    assert_eq!(dispatches(&gpu, || got = values(&diagonal.eval().unwrap())), 1);
    assert_eq!(got, [0., 6., 12., 18., 24.]);
    // The same holds for a value that is computed with a row, and for its other diagonal.
    let row = gpu.array([5], &iota(5)).unwrap();
    let sum = (&x * 10.0 + row.in_dim([1])).reshape(&[25]);
    assert_eq!(
        values(&sum.slice(&[0], &[25]).step_by(&[6]).eval().unwrap()),
        [0., 61., 122., 183., 244.]
    );
    assert_eq!(
        values(&sum.slice(&[4], &[21]).step_by(&[4]).eval().unwrap()),
        [44., 83., 122., 161., 200.]
    );
}

// ---- what is stored -----------------------------------------------------------------------------

#[test]
fn a_costly_value_under_two_views_is_stored() {
    let symmetric = |size: usize, costly: bool| {
        explained(|b| {
            let x = parameter(b, &[size, size]);
            let y = if costly { b.exp(x)? } else { b.add(x, x, &[])? };
            let turned = b.transpose(y, &[1, 0])?;
            b.add(y, turned, &[])
        })
    };
    let explanation = symmetric(512, true);
    let ops: Vec<(Source, usize)> =
        explanation.kernels.iter().map(|k| (k.writes[0].array, k.ops)).collect();
    assert_eq!(ops, [(Source::Temporary(0), 1), (Source::Result(0), 1)], "one exp an element");
    assert_eq!(sources(&explanation.kernels[1]), [Source::Temporary(0)]);
    assert_eq!(symmetric(512, false).kernels.len(), 1, "a sum costs less than its way to memory");
    assert_eq!(symmetric(16, true).kernels.len(), 1, "a dispatch costs more than 256 exps");

    // The two views may be further up, above operations that are not worth a temporary.
    let explanation = explained(|b| {
        let x = parameter(b, &[512, 512]);
        let y = b.exp(x)?;
        let (up, down) = (b.add(y, x, &[])?, b.sub(y, x, &[])?);
        let turned = b.transpose(up, &[1, 0])?;
        b.mul(turned, down, &[])
    });
    assert_eq!(explanation.kernels.len(), 2);
    assert_eq!(explanation.kernels[0].ops, 1, "the exp alone");

    // The highest value that is seen twice is stored, not all below it.
    let explanation = explained(|b| {
        let x = parameter(b, &[512, 512]);
        let y = b.exp(x)?;
        let y = b.tanh(y)?;
        let reversed = b.reverse(y, &[1])?;
        b.mul(reversed, y, &[])
    });
    let ops: Vec<usize> = explanation.kernels.iter().map(|k| k.ops).collect();
    assert_eq!(ops, [2, 1]);
}

#[test]
fn a_small_part_of_a_large_value_is_computed_alone() {
    let explanation = explained(|b| {
        let x = parameter(b, &[4096, 4096]);
        let y = b.exp(x)?;
        let first = b.slice(y, &[0, 0], &[1, 4096], &[1, 1])?;
        let second = b.slice(y, &[7, 0], &[8, 4096], &[1, 1])?;
        b.add(first, second, &[])
    });
    let [kernel] = &explanation.kernels[..] else { panic!("{explanation:?}") };
    assert_eq!((kernel.shape.dims(), kernel.ops), (&[1, 4096][..], 3), "two rows of exps");
    // Also where no memory would hold the whole.
    let gpu = gpu();
    let x = gpu.array([1], &[2.0f32]).unwrap();
    let huge = x.reshape(&[]).broadcast(&[1 << 20, 1 << 20, 1 << 20]) * 3.0;
    let part = huge.slice(&[0, 5, 1 << 19], &[1, 7, (1 << 19) + 3]);
    assert_eq!(values(&part.eval().unwrap()), [6.0; 6]);
    // A small costly value is still computed in its own space, under any view.
    let explanation = explained(|b| {
        let v = parameter(b, &[1024]);
        let y = b.exp(v)?;
        let reversed = b.reverse(y, &[0])?;
        let x = parameter(b, &[1024, 1024]);
        let product = b.mul(x, reversed, &[1])?;
        b.add(product, y, &[0])
    });
    assert_eq!(explanation.kernels.len(), 2);
    assert_eq!(explanation.kernels[0].shape.dims(), [1024]);
}

// ---- many of them -------------------------------------------------------------------------------

#[test]
fn a_hundred_thousand_views_are_no_trouble() {
    let gpu = gpu();
    let x = gpu.array([2, 6], &iota(12)).unwrap();
    let start = Instant::now();
    let mut e = x.expr();
    for step in 0..100_000 {
        e = match step % 5 {
            0 => e.transpose(&[1, 0]),
            1 => e.reverse(&[0]),
            2 => e.transpose(&[1, 0]),
            3 => e.reshape(&[1, 12]).reshape(&[2, 6]),
            _ => e.slice(&[0, 0], &[2, 6]),
        };
    }
    let mut got = Vec::new();
    assert_eq!(dispatches(&gpu, || got = values(&e.eval().unwrap())), 0, "nothing is left of them");
    assert_eq!(got, iota(12));
    let small = std::thread::Builder::new().stack_size(64 << 10);
    small.spawn(move || drop(e)).unwrap().join().unwrap();
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

#[test]
fn reshapes_that_fit_no_strides_are_copies_however_many() {
    let mut b = Builder::new();
    let mut e = parameter(&mut b, &[2, 6]);
    for _ in 0..1_000 {
        let turned = b.transpose(e, &[1, 0]).unwrap();
        e = b.reshape(turned, &[2, 6]).unwrap();
    }
    let start = Instant::now();
    let explanation = PlanLimits::default().explain(&b.build(e).unwrap()).unwrap();
    assert!(explanation.kernels.len() <= 1_000, "{}", explanation.kernels.len());
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

#[test]
fn values_that_are_seen_ever_more_often_are_stored() {
    // Without, the first value would be computed 2^60 times.
    let computation = |size: usize, steps: usize| {
        let mut b = Builder::new();
        let mut e = parameter(&mut b, &[size]);
        let half = b.constant(Scalar::new(0.5f32)).unwrap();
        for step in 0..steps {
            let by = 1 + step as i64 % 3;
            let rest = size as i64 - by;
            let left = b.slice(e, &[0], &[rest], &[1]).unwrap();
            let right = b.slice(e, &[by], &[size as i64], &[1]).unwrap();
            let sum = b.add(left, right, &[]).unwrap();
            let mean = b.mul(sum, half, &[]).unwrap();
            // As long as before: the mean and its mirror image.
            let reversed = b.reverse(mean, &[0]).unwrap();
            let doubled = b.add(mean, reversed, &[]).unwrap();
            let back = b.broadcast_in_dim(doubled, &[2, rest], &[1]).unwrap();
            let flat = b.reshape(back, &[2 * rest]).unwrap();
            e = b.slice(flat, &[0], &[size as i64], &[1]).unwrap();
        }
        b.build(e).unwrap()
    };
    let start = Instant::now();
    for size in [16, 1 << 20] {
        let explanation = PlanLimits::default().explain(&computation(size, 60)).unwrap();
        assert!(explanation.kernels.len() <= 121, "{}", explanation.kernels.len());
        assert!(explanation.kernels.iter().all(|kernel| kernel.ops <= 1000));
    }
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

#[test]
fn views_of_arrays_larger_than_a_binding() {
    let mut options = contexts::options();
    options.required_limits =
        Some(wgpu::Limits { max_storage_buffer_binding_size: 4096, ..wgpu::Limits::default() });
    let gpu = Context::blocking_with_options(options).unwrap();
    let x = gpu.array([3, 20, 5, 4], &iota(1200)).unwrap();
    let turned = x.transpose(&[3, 2, 1, 0]);
    let mut got = Vec::new();
    let count = dispatches(&gpu, || got = values(&turned.eval().unwrap()));
    assert!(count > 1, "{count}");
    for (place, value) in got.into_iter().enumerate() {
        let (i, j, k, l) = (place / 300, place / 60 % 5, place / 3 % 20, place % 3);
        assert_eq!(value, (((l * 20 + k) * 5 + j) * 4 + i) as f32);
    }
    let reversed = (x.reverse(&[0, 1, 2, 3]) + &x).eval().unwrap();
    assert_eq!(values(&reversed), [1199.0; 1200]);
    let strided = x.slice(&[0, 1, 0, 1], &[3, 20, 5, 4]).step_by(&[1, 1, 2, 2]).eval().unwrap();
    assert_eq!(values(&strided)[..7], [21., 23., 29., 31., 37., 39., 41.]);
}

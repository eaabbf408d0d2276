//! Tests pad, concatenate and roll: their values in every element type, how many kernels they take,
//! what those read, and reshapes of broadcasts beside them.

use indim::plan::{Explanation, PlanLimits, Source};
use indim::{Array, Builder, Computation, Context, ElementType, Expr, Op, Result, Scalar, wgpu};
use indim_testing::compute;
use indim_testing::contexts::{self, dispatches, gpu, iota, values};
use indim_testing::host_array::HostArray;
use indim_testing::oracle::value::mask;
use indim_testing::random::Random;

fn parameter(b: &mut Builder, dims: &[usize]) -> Op {
    b.parameter(ElementType::F32, dims).unwrap()
}

/// Returns the computation of the value that `build` makes.
fn computation(build: impl FnOnce(&mut Builder) -> Result<Op>) -> Computation {
    let mut b = Builder::new();
    let root = build(&mut b).unwrap();
    b.build(root).unwrap()
}

fn explained(build: impl FnOnce(&mut Builder) -> Result<Op>) -> Explanation {
    PlanLimits::default().explain(&computation(build)).unwrap()
}

/// Calls `visit` with each index of an array of these sizes, in row-major order.
fn each_index(sizes: &[usize], mut visit: impl FnMut(&[usize])) {
    for number in 0..sizes.iter().product() {
        let (mut rest, mut index) = (number, vec![0; sizes.len()]);
        for (place, &size) in index.iter_mut().zip(sizes).rev() {
            *place = rest % size;
            rest /= size;
        }
        visit(&index);
    }
}

// ---- values -------------------------------------------------------------------------------------

#[test]
fn the_values_that_jax_documents() -> Result<()> {
    let gpu = gpu();
    let x = gpu.array([2, 3], &[1., 2., 3., 4., 5., 6.])?;
    // jax.lax.pad(x, 0., [(0, 0, 0), (1, 1, 0)]) and its like.
    let pad = |low: &[i64], high: &[i64], interior: &[i64]| {
        let padded = indim::pad(&x, 0.5, low, high, interior).unwrap();
        (padded.shape().dims().to_vec(), values(&padded))
    };
    let h = 0.5;
    let edges = vec![h, 1., 2., 3., h, h, h, 4., 5., 6., h, h];
    assert_eq!(pad(&[0, 1], &[0, 2], &[0, 0]), (vec![2, 6], edges));
    assert_eq!(pad(&[0, -1], &[0, 0], &[0, 0]), (vec![2, 2], vec![2., 3., 5., 6.]));
    assert_eq!(pad(&[-1, -2], &[1, 0], &[0, 0]), (vec![2, 1], vec![6., h]));
    let between = vec![1., h, 2., h, 3., h, h, h, h, h, 4., h, 5., h, 6.];
    assert_eq!(pad(&[0, 0], &[0, 0], &[1, 1]), (vec![3, 5], between));
    assert_eq!(
        pad(&[0, -1], &[0, -1], &[0, 2]),
        (vec![2, 5], vec![h, h, 2., h, h, h, h, 5., h, h])
    );
    // All that there was is taken away.
    assert_eq!(pad(&[-2, 0], &[3, 0], &[0, 0]), (vec![3, 3], vec![h; 9]));
    assert_eq!(pad(&[5, 0], &[-5, 0], &[0, 0]), (vec![2, 3], vec![h; 6]));
    assert_eq!(pad(&[0, -3], &[0, 0], &[0, 0]), (vec![2, 0], vec![]));

    // numpy.roll(x, 1, 0) and its like.
    let roll = |shifts: &[i64], dims: &[i64]| values(&indim::roll(&x, shifts, dims).unwrap());
    assert_eq!(roll(&[1], &[0]), [4., 5., 6., 1., 2., 3.]);
    assert_eq!(roll(&[1], &[1]), [3., 1., 2., 6., 4., 5.]);
    assert_eq!(roll(&[-1], &[1]), [2., 3., 1., 5., 6., 4.]);
    assert_eq!(roll(&[1, 1], &[1, 0]), [6., 4., 5., 3., 1., 2.]);
    assert_eq!(roll(&[1, 1], &[1, 1]), roll(&[-1], &[1]), "shifts of one dimension add up");
    assert_eq!(roll(&[3 * (1 << 40) + 1], &[1]), roll(&[1], &[1]));
    assert_eq!(roll(&[i64::MIN], &[0]), roll(&[0], &[0]));
    assert_eq!(roll(&[], &[]), [1., 2., 3., 4., 5., 6.]);

    // numpy.concatenate((x, row), 0).
    let row = gpu.array([1, 3], &[7., 8., 9.])?;
    let joined = indim::concatenate([&x, &row], 0)?;
    assert_eq!((joined.shape().dims(), values(&joined)), (&[3, 3][..], iota(10)[1..].to_vec()));
    let beside = indim::concatenate([x.expr(), x.expr() * 10.0], 1)?;
    assert_eq!(values(&beside), [1., 2., 3., 10., 20., 30., 4., 5., 6., 40., 50., 60.]);
    let nothing = gpu.array([0, 3], &[0f32; 0])?;
    assert_eq!(values(&indim::concatenate([&nothing, &x, &nothing], 0)?), values(&x));
    assert_eq!(indim::concatenate([&nothing, &nothing], 1)?.shape().dims(), [0, 6]);
    let many: Vec<Array<f32>> = vec![x.clone(); 40];
    let long = indim::concatenate(&many, 0)?;
    assert_eq!(values(&long), values(&x).repeat(40));
    Ok(())
}

/// What pad gives, written with loops: each element goes to its place.
fn padded(x: &HostArray, value: u64, low: &[i64], high: &[i64], interior: &[i64]) -> HostArray {
    let sizes = x.shape.iter().zip(low).zip(high).zip(interior);
    let shape: Vec<usize> = sizes
        .map(|(((&n, low), high), between)| {
            usize::try_from(n as i64 + (n as i64 - 1).max(0) * between + low + high).unwrap()
        })
        .collect();
    let mut bits = vec![value; shape.iter().product()];
    let mut number = 0;
    each_index(&x.shape, |index| {
        let mut place = Some(0);
        for (d, &i) in index.iter().enumerate() {
            let at = low[d] + i as i64 * (interior[d] + 1);
            let at = usize::try_from(at).ok().filter(|&at| at < shape[d]);
            place = place.zip(at).map(|(place, at)| place * shape[d] + at);
        }
        if let Some(place) = place {
            bits[place] = x.bits[number];
        }
        number += 1;
    });
    HostArray { element_type: x.element_type, shape, bits }
}

#[test]
#[ignore = "long: in `.ci/run`"]
fn every_element_type_is_moved_bit_by_bit() {
    let gpu = gpu();
    let mut random = Random::new(7);
    for element_type in compute::supported(&gpu) {
        // Rows of whole words and odd ones; one that no word of 4-bit elements divides.
        for (number, shape) in [vec![6, 16], vec![5, 13], vec![3, 4, 7]].into_iter().enumerate() {
            let count: usize = shape.iter().product();
            let bits: Vec<u64> = (0..count).map(|_| plain(&mut random, element_type)).collect();
            let x = HostArray { element_type, shape: shape.clone(), bits };
            let value = plain(&mut random, element_type);
            let rank = shape.len();
            let list = |random: &mut Random, least: i64, upto: usize| -> Vec<i64> {
                (0..rank).map(|_| random.below(upto) as i64 + least).collect()
            };
            let between = 1 + 2 * number;
            let low = list(&mut random, -1, 4);
            let (high, interior) = (list(&mut random, 0, 4), list(&mut random, 0, between));
            let done = compute::built(&[&x], |b, x| {
                let value = b.constant(Scalar::from_bits(element_type, value))?;
                b.pad(x[0], value, &low, &high, &interior)
            });
            let got = compute::run(&gpu, &done.unwrap(), &[&x]).unwrap();
            let want = padded(&x, value, &low, &high, &interior);
            assert_eq!(got, want, "{element_type} {shape:?} {low:?} {high:?} {interior:?}");
            let last = rank as i64 - 1;
            let done = compute::built(&[&x], |b, x| b.roll(x[0], &[2, -3], &[0, last]));
            let got = compute::run(&gpu, &done.unwrap(), &[&x]).unwrap();
            let (rows, columns) = (shape[0], shape[rank - 1]);
            let mut number = 0;
            each_index(&shape, |index| {
                let mut from = index.to_vec();
                from[0] = (index[0] + 2 * rows - 2) % rows;
                from[rank - 1] = (from[rank - 1] + 3) % columns;
                let place = from.iter().zip(&shape).fold(0, |place, (&i, &size)| place * size + i);
                assert_eq!(got.bits[number], x.bits[place], "{element_type} {shape:?} {index:?}");
                number += 1;
            });
            let dimension = if number == 0 { 0 } else { last };
            let along = dimension as usize;
            let done = compute::built(&[&x], |b, x| b.concatenate(&[x[0]; 5], dimension));
            let got = compute::run(&gpu, &done.unwrap(), &[&x]).unwrap();
            let mut number = 0;
            each_index(&got.shape, |index| {
                let mut from = index.to_vec();
                from[along] %= shape[along];
                let place = from.iter().zip(&shape).fold(0, |place, (&i, &size)| place * size + i);
                assert_eq!(got.bits[number], x.bits[place], "{element_type} {index:?}");
                number += 1;
            });
            assert_eq!(got.shape[along], 5 * shape[along]);
        }
    }
}

/// Bits of an element; of floats none that are a NaN, whose bits a kernel may change.
fn plain(random: &mut Random, element_type: ElementType) -> u64 {
    let bits = random.bits() & mask(element_type);
    match element_type {
        ElementType::Pred => bits & 1,
        ElementType::F16 => bits & 0xbbff,
        ElementType::Bf16 => bits & 0xbf7f,
        ElementType::F32 => bits & 0xbf7f_ffff,
        ElementType::C64 => bits & 0xbf7f_ffff_bf7f_ffff,
        ElementType::F64 => bits & 0xbfef_ffff_ffff_ffff,
        _ => bits,
    }
}

// ---- kernels ------------------------------------------------------------------------------------

/// A step of the wave equation with borders that meet: one dispatch, whose values are the stencil's.
#[test]
fn a_wave_step_by_roll_is_one_kernel() -> Result<()> {
    for [rows, columns] in [[48usize, 64], [31, 45]] {
        let gpu = gpu();
        let count = rows * columns;
        let now: Vec<f32> = (0..count).map(|i| (i * 37 % 101) as f32).collect();
        let before: Vec<f32> = (0..count).map(|i| (i * 53 % 97) as f32).collect();
        let (u, v) = (gpu.array([rows, columns], &now)?, gpu.array([rows, columns], &before)?);
        let step = || -> Result<Array<f32>> {
            let around = u.roll(&[1], &[0]) + u.roll(&[-1], &[0]) + u.roll(&[1], &[1]);
            let laplacian = around + u.roll(&[-1], &[1]) - &u * 4.0;
            (&u * 2.0 - &v + laplacian * 0.25).eval()
        };
        let mut got = Vec::new();
        assert_eq!(dispatches(&gpu, || got = values(&step().unwrap())), 1);
        for i in 0..rows {
            for j in 0..columns {
                let at = |i: usize, j: usize| now[i % rows * columns + j % columns];
                let around = at(i + rows - 1, j) + at(i + 1, j) + at(i, j + columns - 1);
                let laplacian = around + at(i, j + 1) - at(i, j) * 4.0;
                let want = at(i, j) * 2.0 - before[i * columns + j] + laplacian * 0.25;
                assert_eq!(got[i * columns + j], want, "{i} {j} of {rows} by {columns}");
            }
        }
    }
    Ok(())
}

/// The same with a border of zeros: neighbours are pads that take a row away at the other end.
#[test]
fn a_wave_step_by_pad_is_one_kernel() -> Result<()> {
    let (rows, columns) = (33usize, 60);
    let gpu = gpu();
    let now: Vec<f32> = (0..rows * columns).map(|i| (i * 37 % 101) as f32).collect();
    let u = gpu.array([rows, columns], &now)?;
    let beside = |low: [i64; 2]| u.pad(0.0, &low, &low.map(|n| -n), &[0, 0]);
    let around = beside([1, 0]) + beside([-1, 0]) + beside([0, 1]) + beside([0, -1]);
    let mut got = Vec::new();
    let step = &u + (around - &u * 4.0) * 0.25;
    assert_eq!(dispatches(&gpu, || got = values(&step.eval().unwrap())), 1);
    for i in 0..rows {
        for j in 0..columns {
            let at = |i: usize, j: usize| {
                let inside = (1..=rows).contains(&i) && (1..=columns).contains(&j);
                if inside { now[(i - 1) * columns + j - 1] } else { 0.0 }
            };
            let (i, j) = (i + 1, j + 1);
            let around = at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1);
            let want = at(i, j) + (around - at(i, j) * 4.0) * 0.25;
            assert_eq!(got[(i - 1) * columns + j - 1], want);
        }
    }

    // The interior, computed by slices, goes back where it was.
    let part = |i: i64, j: i64| {
        let (rows, columns) = (rows as i64, columns as i64);
        u.slice(&[i, j], &[rows - 2 + i, columns - 2 + j])
    };
    let inner = (part(0, 1) + part(2, 1) + part(1, 0) + part(1, 2)) * 0.25;
    let back = inner.pad(0.0, &[1, 1], &[1, 1], &[0, 0]);
    let mut got = Vec::new();
    assert_eq!(dispatches(&gpu, || got = values(&back.eval().unwrap())), 1);
    assert_eq!(got[..columns + 1], vec![0.0; columns + 1]);
    let at = |i: usize, j: usize| now[i * columns + j];
    let want = (at(0, 7) + at(2, 7) + at(1, 6) + at(1, 8)) * 0.25;
    assert_eq!(got[columns + 7], want);
    Ok(())
}

#[test]
fn moves_read_their_operand_under_shifted_views() {
    let explanation = explained(|b| {
        let x = parameter(b, &[6, 8]);
        b.roll(x, &[1], &[0])
    });
    let [kernel] = &explanation.kernels[..] else { panic!("{explanation:?}") };
    let offsets: Vec<(Source, isize)> =
        kernel.operands.iter().map(|operand| (operand.source, operand.offset)).collect();
    let x = Source::Parameter(0);
    assert_eq!(offsets, [(Source::Iota, 0), (x, -8), (x, 5 * 8)]);
    assert_eq!(kernel.ops, 2, "a compare and a select");
    // Each position is kept to the binding, and only those that may leave it.
    assert_eq!(kernel.wgsl.matches("arrayLength").count() % 2, 0);
    assert!(kernel.wgsl.contains("arrayLength(&in_0) - 1u"), "{}", kernel.wgsl);
    let views = explained(|b| {
        let x = parameter(b, &[6, 8]);
        b.slice(x, &[1, 0], &[6, 8], &[1, 1])
    });
    assert!(!views.kernels[0].wgsl.contains("arrayLength"));

    // Where elements are only cut off, it is a slice and needs no select.
    let explanation = explained(|b| {
        let (x, zero) = (parameter(b, &[6, 8]), b.constant(Scalar::new(0f32))?);
        b.pad(x, zero, &[-1, 0], &[0, -3], &[0, 0])
    });
    let [kernel] = &explanation.kernels[..] else { panic!("{explanation:?}") };
    assert_eq!((kernel.ops, kernel.operands.len()), (0, 1));
    assert_eq!(kernel.shape.dims(), [5, 5]);

    // What moves nothing is the operand itself.
    for explanation in [
        explained(|b| {
            let x = parameter(b, &[6, 8]);
            b.roll(x, &[6, -16], &[0, 1])
        }),
        explained(|b| {
            let (x, zero) = (parameter(b, &[6, 8]), b.constant(Scalar::new(0f32))?);
            b.pad(x, zero, &[0, 0], &[0, 0], &[0, 0])
        }),
        explained(|b| {
            let (x, none) = (parameter(b, &[6, 8]), parameter(b, &[0, 8]));
            b.concatenate(&[none, x, none], 0)
        }),
    ] {
        assert!(explanation.kernels.is_empty(), "{explanation:?}");
    }
}

#[test]
fn interior_amounts_take_a_temporary_only_where_groups_are_broken() {
    let kernels = |high: i64| {
        let explanation = explained(|b| {
            let (x, zero) = (parameter(b, &[40]), b.constant(Scalar::new(0f32))?);
            b.pad(x, zero, &[2], &[high], &[1])
        });
        explanation.kernels.iter().map(|kernel| kernel.writes[0].array).collect::<Vec<_>>()
    };
    // 2 + 79 + 1 elements are 41 groups of 2.
    assert_eq!(kernels(1), [Source::Result(0)]);
    assert_eq!(kernels(0), [Source::Temporary(0), Source::Result(0)]);
}

/// Both shifted indices of a row and a column are one number in the flat array; the values differ.
#[test]
fn indices_outside_are_told_apart() -> Result<()> {
    let gpu = gpu();
    let (rows, columns) = (5usize, 7usize);
    let row = gpu.array([columns], &iota(columns))?;
    let doubled = (row.broadcast(&[rows as i64]) + 0.5) * 2.0;
    let sum = doubled.roll(&[2], &[1]) + doubled.roll(&[-1, 2], &[0, 1]) * 100.0;
    let mut want = Vec::new();
    for _ in 0..rows {
        for j in 0..columns {
            let value = ((j + columns - 2) % columns) as f32 * 2.0 + 1.0;
            want.push(value + value * 100.0);
        }
    }
    assert_eq!(values(&sum.eval()?), want);
    Ok(())
}

// ---- limits -------------------------------------------------------------------------------------

/// Returns a context whose bindings hold at most `bytes` bytes.
fn little(bytes: u64, plan: Option<PlanLimits>) -> Context {
    let mut options = contexts::options();
    options.required_limits =
        Some(wgpu::Limits { max_storage_buffer_binding_size: bytes, ..wgpu::Limits::default() });
    options.plan_limits = plan;
    Context::blocking_with_options(options).unwrap()
}

#[test]
#[ignore = "long: in `.ci/run`"]
fn moves_of_arrays_larger_than_a_binding() {
    let branches = PlanLimits::default();
    let usual = gpu();
    let results = |gpu: &Context| -> Vec<Vec<f32>> {
        let mut results = Vec::new();
        for [rows, columns] in [[40usize, 64], [37, 61], [3, 1000], [1000, 3]] {
            let x = gpu.array([rows, columns], &iota(rows * columns)).unwrap();
            let (r, c) = (rows as i64, columns as i64);
            let flat = x.reshape(&[r * c]);
            let moved = [
                x.roll(&[1], &[0]) - x.roll(&[-1], &[1]) * 2.0,
                x.roll(&[r / 2, -c / 2], &[0, 1]) + &x,
                flat.roll(&[5], &[0]),
                x.pad(0.25, &[3, 1], &[0, 2], &[0, 0]),
                x.pad(0.25, &[-2, 5], &[9, -1], &[1, 0]),
                Expr::concatenate([x.expr(), x.reverse(&[0]), x.expr() * 2.0, x.expr()], 0),
                Expr::concatenate([x.expr(), x.reverse(&[1])], 1),
            ];
            results.extend(moved.map(|expr| values(&expr.eval().unwrap())));
            let truths = x.gt(100.0).roll(&[3], &[1]).pad(true, &[1, 0], &[0, 5], &[0, 0]);
            let truths = truths.eval().unwrap().to_vec_blocking().unwrap();
            results.push(truths.into_iter().map(f32::from).collect());
        }
        results
    };
    let want = results(&usual);
    for bytes in [4096, 1024] {
        for plan in [None, Some(branches.clone())] {
            let gpu = little(bytes, plan);
            let got = results(&gpu);
            for (number, (got, want)) in got.iter().zip(&want).enumerate() {
                assert!(got == want, "result {number} in windows of {bytes} bytes");
            }
            assert!(gpu.stats().dispatches > 2 * usual.stats().dispatches);
        }
    }
}

/// An operand in the middle of a caller-owned buffer, between elements that are not its own.
#[test]
fn nothing_beside_a_foreign_array_is_seen() -> Result<()> {
    let gpu = gpu();
    let around = vec![f32::NAN; 300];
    let buffer = gpu.device().create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 1200,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    gpu.queue().write_buffer(&buffer, 0, bytemuck::cast_slice(&around));
    gpu.queue().write_buffer(&buffer, 260, bytemuck::cast_slice(&iota(30)));
    let x = gpu.array_from_buffer::<f32>([5, 6], buffer, 260)?;
    let rolled = x.roll(&[1, -2], &[0, 1]).eval()?;
    let want: Vec<f32> = (0..30).map(|n| ((n / 6 + 4) % 5 * 6 + (n % 6 + 2) % 6) as f32).collect();
    assert_eq!(values(&rolled), want);
    let padded = values(&x.pad(-1.0, &[2, 3], &[4, 5], &[0, 0]).eval()?);
    assert_eq!(padded.iter().filter(|&&value| value == -1.0).count(), 11 * 14 - 30);
    assert_eq!(padded.iter().filter(|value| value.is_nan()).count(), 0);
    Ok(())
}

/// Where enough arrays can be bound: up to nine are one kernel, and of more each nine are stored.
/// Nothing else is, such as where in the result an element is.
#[test]
fn groups_of_many_operands_are_stored() {
    let plans = [PlanLimits::default(), PlanLimits::for_cpu(true)];
    for (mut limits, (count, kernels)) in plans
        .into_iter()
        .flat_map(|plan| [(2usize, 1), (9, 1), (24, 4), (27, 4)].map(|case| (plan.clone(), case)))
    {
        limits.device.max_storage_buffers_per_shader_stage = 32;
        let done = computation(|b| {
            let operands: Vec<Op> = (0..count).map(|_| parameter(b, &[64])).collect();
            let joined = b.concatenate(&operands, 0)?;
            b.neg(joined)
        });
        let explanation = limits.explain(&done).unwrap();
        assert_eq!(explanation.kernels.len(), kernels, "{count} operands");
        let all = explanation.kernels.iter();
        let written = all.clone().flat_map(|kernel| &kernel.writes);
        assert!(written.map(|array| array.element_type).all(|ty| ty == ElementType::F32));
        let most = all.map(|kernel| kernel.operands.len()).max().unwrap();
        assert!(most <= 9 + 4, "{most} loads, of which some are iotas");
    }
}

#[test]
fn many_operands_are_cut_into_kernels() {
    for count in [2usize, 3, 9, 30, 200] {
        let done = computation(|b| {
            let operands: Vec<Op> = (0..count).map(|_| parameter(b, &[8, 5])).collect();
            b.concatenate(&operands, 0)
        });
        let explanation = PlanLimits::default().explain(&done).unwrap();
        // A kernel binds 7 arrays beside its result, so that each takes part of 6 away at least.
        assert!(explanation.kernels.len() <= count.div_ceil(3), "{count}");
        for kernel in &explanation.kernels {
            assert!(kernel.wgsl.matches("var<storage").count() <= 8);
        }
        let gpu = gpu();
        let arrays: Vec<Array<f32>> =
            (0..count).map(|k| gpu.array([8, 5], &[k as f32; 40]).unwrap()).collect();
        let operands: Vec<_> = arrays.iter().map(Array::as_any).collect();
        let got = gpu.run(&done, &operands).unwrap().downcast::<f32>().unwrap();
        let want: Vec<f32> = (0..count).flat_map(|k| vec![k as f32; 40]).collect();
        assert_eq!(values(&got), want);
    }
}

// ---- reshapes of broadcasts ---------------------------------------------------------------------

/// Where sizes on both sides of the reshape have a product in common, axes are split, and nothing is
/// stored.
#[test]
fn a_reshape_of_a_broadcast_is_strides_where_they_can_say_it() -> Result<()> {
    // The sizes of v, of what it is broadcast to, its dimension there, and the new sizes.
    let cases: [(usize, &[i64], i64, &[i64]); 9] = [
        (3, &[4, 3], 1, &[12]),
        (3, &[4, 3], 1, &[2, 2, 3]),
        (3, &[4, 3], 1, &[2, 6]),
        (4, &[4, 3], 0, &[12]),
        (4, &[4, 3], 0, &[2, 2, 3]),
        (6, &[4, 6], 1, &[8, 3]),
        (6, &[6, 4, 5], 0, &[2, 12, 5]),
        (6, &[6, 4, 5], 0, &[12, 10]),
        (4, &[3, 4, 5], 1, &[12, 5]),
    ];
    for (size, sizes, dimension, new) in cases {
        let dims: Vec<usize> = new.iter().map(|&size| size as usize).collect();
        let inner = dims[dims.len() - 1];
        // Beside it stand an array of the new shape, or a row or column of it.
        let explanation = explained(|b| {
            let (v, y) = (parameter(b, &[size]), parameter(b, &dims));
            let (row, column) = (parameter(b, &[inner]), parameter(b, &dims[..1]));
            let wide = b.broadcast_in_dim(v, sizes, &[dimension])?;
            let new = b.reshape(wide, new)?;
            let sum = b.add(new, y, &[])?;
            let sum = b.add(sum, row, &[dims.len() as i64 - 1])?;
            b.add(sum, column, &[0])
        });
        let [kernel] = &explanation.kernels[..] else { panic!("{new:?}: {explanation:?}") };
        assert_eq!(kernel.writes[0].array, Source::Result(0));

        let gpu = gpu();
        let v = gpu.array([size], &iota(size))?;
        let wide = v.broadcast_in_dim(sizes, &[dimension]);
        let mut got = Vec::new();
        let sum = wide.reshape(new) + Expr::iota(new, 0) * 0.0;
        assert_eq!(dispatches(&gpu, || got = values(&sum.eval().unwrap())), 1);
        assert_eq!(got, values(&wide.eval()?));
    }
    Ok(())
}

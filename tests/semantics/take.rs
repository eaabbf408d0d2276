//! Tests take and take_along_dimension: their values in every type of elements and of indices, what of
//! an operand is read and stored, and how many kernels it takes.

use indim::plan::{PlanLimits, Source};
use indim::{Array, Builder, Context, ElementType, Expr, Op, Result, Scalar, numpy};
use indim_testing::compute;
use indim_testing::contexts::{self, dispatches, gpu, iota, values};
use indim_testing::gpu_classes;
use indim_testing::host_array::HostArray;
use indim_testing::oracle::value::{is_signed_integer, mask, width};
use indim_testing::random::Random;

/// The integer types.
fn integers() -> Vec<ElementType> {
    ElementType::ALL.iter().copied().filter(|of| of.integer_range().is_some()).collect()
}

/// The elements of an operand at the first index that is in range, for each of these indices: what the
/// operation says, written with loops.
fn taken(x: &HostArray, indices: &HostArray, along: usize, beside: bool) -> HostArray {
    let size = x.shape[along];
    let number = |bits: u64| {
        let unused = 64 - width(indices.element_type);
        if is_signed_integer(indices.element_type) {
            i128::from((bits << unused).cast_signed() >> unused)
        } else {
            i128::from(bits)
        }
    };
    let clamped = |bits: u64| number(bits).clamp(0, size as i128 - 1) as usize;
    let rank = indices.shape.len();
    let shape: Vec<usize> = if beside {
        let sizes = x.shape.iter().zip(&indices.shape).enumerate();
        sizes.map(|(d, (&a, &b))| if d == along || a == 1 { b } else { a }).collect()
    } else {
        [&x.shape[..along], &indices.shape, &x.shape[along + 1..]].concat()
    };
    let flat = |index: &[usize], sizes: &[usize]| {
        index.iter().zip(sizes).fold(0, |flat, (&i, &size)| flat * size + i.min(size - 1))
    };
    let element = |number: usize| {
        let (mut rest, mut index) = (number, vec![0; shape.len()]);
        for (place, &size) in index.iter_mut().zip(&shape).rev() {
            (*place, rest) = (rest % size, rest / size);
        }
        let (own, mut of_x) = if beside {
            (index.clone(), index)
        } else {
            let own = index[along..along + rank].to_vec();
            (own, [&index[..along], &[0], &index[along + rank..]].concat())
        };
        of_x[along] = clamped(indices.bits[flat(&own, &indices.shape)]);
        x.bits[flat(&of_x, &x.shape)]
    };
    let bits = (0..shape.iter().product()).map(element).collect();
    HostArray { element_type: x.element_type, shape, bits }
}

/// Random elements, of floats none that are a NaN, whose bits a kernel may change.
fn elements(random: &mut Random, element_type: ElementType, shape: &[usize]) -> HostArray {
    let keep = match element_type {
        ElementType::Pred => 1,
        ElementType::F16 => 0xbbff,
        ElementType::Bf16 => 0xbf7f,
        ElementType::F32 => 0xbf7f_ffff,
        ElementType::C64 => 0xbf7f_ffff_bf7f_ffff,
        ElementType::F64 => 0xbfef_ffff_ffff_ffff,
        other => mask(other),
    };
    let bits = (0..shape.iter().product::<usize>()).map(|_| random.bits() & keep).collect();
    HostArray { element_type, shape: shape.to_vec(), bits }
}

/// Indices of which most are in range, and some beyond either end.
fn indices(random: &mut Random, of: ElementType, shape: &[usize], size: usize) -> HostArray {
    let (least, most) = of.integer_range().unwrap();
    let index = |_| {
        let near = random.below(size + 6) as i128 - 3;
        let any = if random.percent(80) { near } else { random.pick(&[least, most]) };
        any.clamp(least, most) as u64 & mask(of)
    };
    let bits = (0..shape.iter().product::<usize>()).map(index).collect();
    HostArray { element_type: of, shape: shape.to_vec(), bits }
}

#[test]
fn every_element_type_and_every_integer_type() {
    every(|element, index| element % integers().len() == index);
}

#[test]
#[ignore = "long: in `.ci/run`"]
fn every_element_type_by_every_integer_type() {
    every(|_, _| true);
}

/// Takes elements by indices of some of the pairs of types.
fn every(is_meant: impl Fn(usize, usize) -> bool) {
    let gpu = gpu();
    let mut random = Random::new(39);
    for (number, element_type) in compute::supported(&gpu).into_iter().enumerate() {
        let meant = integers().into_iter().enumerate().filter(|&(n, _)| is_meant(number, n));
        for (_, of) in meant {
            // Operands and indices of odd sizes and of whole words; scalar indices; no elements.
            let shapes: [(&[usize], &[usize]); 5] = [
                (&[5, 13], &[7]),
                (&[12, 8], &[4, 16]),
                (&[3, 4, 7], &[2, 3]),
                (&[6, 3], &[]),
                (&[4, 5], &[0, 2]),
            ];
            let (x, own) = random.pick(&shapes);
            let along = random.below(x.len());
            let x = elements(&mut random, element_type, x);
            let i = indices(&mut random, of, own, x.shape[along]);
            let done = compute::built(&[&x, &i], |b, of| b.take(of[0], of[1], along as i64));
            let got = compute::run(&gpu, &done.unwrap(), &[&x, &i]).unwrap();
            let want = taken(&x, &i, along, false);
            assert_eq!(got, want, "{element_type} {:?} at {of} {own:?} {along}", x.shape);

            let mut own = x.shape.clone();
            own[along] = 1 + random.below(9);
            // One of the two stretches.
            let other = (along + 1) % own.len();
            own[other] = if random.percent(50) { 1 } else { own[other] };
            let i = indices(&mut random, of, &own, x.shape[along]);
            let done = compute::built(&[&x, &i], |b, of| {
                b.take_along_dimension(of[0], of[1], along as i64)
            });
            let got = compute::run(&gpu, &done.unwrap(), &[&x, &i]).unwrap();
            let want = taken(&x, &i, along, true);
            assert_eq!(got, want, "{element_type} {:?} beside {of} {own:?} {along}", x.shape);
        }
    }
}

#[test]
fn documented_values() -> Result<()> {
    let gpu = gpu();
    let x = gpu.array([2, 3], &[1., 2., 3., 4., 5., 6.])?;
    // jax.numpy.take(x, i, axis, mode="clip").
    let i = gpu.array([4], &[2, 0, -1, 9])?;
    assert_eq!(values(&indim::take(&x, &i, 1)?), [3., 1., 1., 3., 6., 4., 4., 6.]);
    let rows = indim::take(&x, &i, 0)?;
    assert_eq!(rows.shape().dims(), [4, 3]);
    assert_eq!(values(&rows), [4., 5., 6., 1., 2., 3., 1., 2., 3., 4., 5., 6.]);
    assert_eq!(values(&indim::take(&x, 1_u8, 1)?), [2., 5.]);
    let far = gpu.array([2], &[1_i64 << 40, -(1 << 40)])?;
    assert_eq!(values(&indim::take(&x, &far, 1)?), [3., 1., 6., 4.]);
    let chosen = gpu.array([2, 1], &[2_u64, 1])?;
    assert_eq!(values(&indim::take_along_dimension(&x, &chosen, 1)?), [3., 5.]);
    // numpy.take(x, [-1, 0], -1).
    let from_end = gpu.array([3], &[-1_i8, 0, -4])?;
    assert_eq!(values(&numpy::take(&x, &from_end, -1).eval()?), [3., 1., 1., 6., 4., 4.]);
    let last = gpu.array([1, 3], &[-1, -2, 0])?;
    assert_eq!(values(&numpy::take_along_axis(&x, &last, 0).eval()?), [4., 2., 3.]);
    Ok(())
}

// ---- kernels ------------------------------------------------------------------------------------

/// An embedding's rows are read where they are used: scaled, with positions added, and summed.
#[test]
fn what_uses_the_elements_reads_them() -> Result<()> {
    let gpu = gpu();
    let (words, width) = (50, 12);
    let table = gpu.array([words, width], &iota(words * width))?;
    let text: Vec<i32> = (0..24).map(|i| i * 37 % words as i32).collect();
    let ids = gpu.array([4, 6], &text)?;
    let at = |row: usize, place: usize, d: usize| {
        let index = (text[row * 6 + place] + 1).min(words as i32 - 1);
        (index as usize * width + d) as f32
    };
    // Of computed indices, beside an operand, as an operand of others.
    let positions = gpu.array([6, width], &iota(6 * width))?;
    let embedded = || {
        let taken = table.take(ids.expr() + 1, 0) * 2.0;
        numpy::add(taken, &positions)
    };
    let mut got = Vec::new();
    assert_eq!(dispatches(&gpu, || got = values(&embedded().eval().unwrap())), 1);
    for (number, got) in got.iter().enumerate() {
        let (row, place, d) = (number / (6 * width), number / width % 6, number % width);
        assert_eq!(*got, at(row, place, d) * 2.0 + (place * width + d) as f32);
    }
    // An embedding bag.
    let bag = || table.take(ids.expr() + 1, 0).reduce_sum([1]);
    assert_eq!(dispatches(&gpu, || got = values(&bag().eval().unwrap())), 1);
    for (number, got) in got.iter().enumerate() {
        let (row, d) = (number / width, number % width);
        assert_eq!(*got, (0..6).map(|place| at(row, place, d)).sum::<f32>());
    }
    // Elements at the largest ones' positions, which a reduction finds.
    let scores = gpu.array([4, 6], &(0..24).map(|i| (i * 29 % 23) as f32).collect::<Vec<_>>())?;
    let best = scores.argmax([1]).reshape([4, 1]);
    let most = values(&scores.take_along_dimension(&best, 1).reshape([4]).eval()?);
    assert_eq!(most, values(&scores.reduce_max([1]).eval()?));
    Ok(())
}

#[test]
fn views_of_arrays_are_read_and_values_are_stored_first() -> Result<()> {
    let gpu = gpu();
    let x = gpu.array([4, 6], &iota(24))?;
    let i = gpu.array([3], &[5, 0, 2])?;
    let all = |x: &Expr<f32>, dimension| {
        let mut got = Vec::new();
        let kernels = dispatches(&gpu, || {
            got = values(&x.take(&i, dimension).eval().unwrap());
        });
        let whole = values(&gpu.eval(x).unwrap());
        let shape = x.shape().unwrap().dims().to_vec();
        let bits = whole.iter().map(|x| u64::from(x.to_bits())).collect();
        let operand = HostArray { element_type: ElementType::F32, shape, bits };
        let own = HostArray { element_type: ElementType::S32, shape: vec![3], bits: vec![5, 0, 2] };
        let want = taken(&operand, &own, dimension as usize, false);
        let want: Vec<f32> = want.bits.iter().map(|&bits| f32::from_bits(bits as u32)).collect();
        assert_eq!(got, want);
        kernels
    };
    for dimension in [0, 1] {
        assert_eq!(all(&x.transpose([1, 0]), dimension), 1);
        assert_eq!(all(&x.reverse([0]), dimension), 1);
        assert_eq!(all(&x.slice([1, 1], [4, 6]).step_by([2, 2]), dimension), 1);
        assert_eq!(all(&x.reshape([3, 8]), dimension), 1);
        assert_eq!(all(&x.index(0, 1).broadcast_in_dim([5, 6], [1]), dimension), 1);
        assert_eq!(all(&(x.expr() * 2.0), dimension), 2);
        assert_eq!(all(&x.roll([1], [1]), dimension), 2);
        assert_eq!(all(&Expr::iota([4, 6], 1), dimension), 2);
    }
    Ok(())
}

/// The operand is bound, and nothing of its size is written.
#[test]
fn an_operand_is_never_copied() {
    let x = HostArray { element_type: ElementType::F32, shape: vec![1000, 8], bits: vec![] };
    let i = HostArray { element_type: ElementType::U16, shape: vec![5], bits: vec![] };
    let done = compute::built(&[&x, &i], |b, of| {
        let half = b.constant(Scalar::new(0.5_f32))?;
        let taken = b.take(of[0], of[1], 0)?;
        b.mul(taken, half, &[])
    });
    let explained = PlanLimits::default().explain(&done.unwrap()).unwrap();
    assert_eq!(explained.kernels.len(), 1);
    let loads = &explained.kernels[0].operands;
    let reads = |parameter| {
        loads
            .iter()
            .any(|load| matches!(load.source, Source::Parameter(number) if number == parameter))
    };
    assert!(reads(0) && reads(1), "{loads:?}");
}

#[test]
fn an_array_that_is_read_anywhere_is_not_written_in_place() -> Result<()> {
    let gpu = gpu();
    let mut x = gpu.array([6], &iota(6))?;
    let i = gpu.array([6], &[5, 4, 3, 2, 1, 0])?;
    x.take(&i, 0).eval_into(&mut x)?;
    assert_eq!(values(&x), [5., 4., 3., 2., 1., 0.]);
    let part = x.take(&gpu.array([2], &[4, 4])?, 0);
    part.eval_into(x.slice_mut([0], [2])?)?;
    assert_eq!(values(&x), [1., 1., 3., 2., 1., 0.]);
    // Indices that are written where they were read.
    let mut i = gpu.array([3], &[2, 0, 1])?;
    let y = gpu.array([3], &[10, 20, 30])?;
    y.take(&i, 0).eval_into(&mut i)?;
    assert_eq!(i.to_vec_blocking()?, [30, 10, 20]);
    Ok(())
}

/// Indices and results larger than a binding are cut into windows; an operand is bound as a whole, or
/// refused before anything runs.
#[test]
fn within_low_limits() -> Result<()> {
    let mut options = contexts::options();
    options.required_limits = Some(contexts::low());
    let gpu = Context::blocking_with_options(options)?;
    let x = gpu.array([40, 100], &iota(4000))?;
    let indices: Vec<i32> = (0..30_000).map(|i| i * 7919 % 40).collect();
    let i = gpu.array([30_000], &indices)?;
    let columns = x.index(1, 3);
    let got = values(&columns.take(&i, 0).eval()?);
    let want: Vec<f32> = indices.iter().map(|&i| (i * 100 + 3) as f32).collect();
    assert_eq!(got, want);
    let few = i.slice([0], [300]);
    let got = values(&x.take(&few, 0).reduce_sum([0]).eval()?);
    let sum = |d: usize| indices[..300].iter().map(|&i| (i as usize * 100 + d) as f32).sum::<f32>();
    assert_eq!(got, (0..100).map(sum).collect::<Vec<f32>>());
    let rows = values(&x.take(&few, 0).eval()?);
    assert_eq!(rows.len(), 30_000);
    assert!(
        rows.iter()
            .enumerate()
            .all(|(n, &x)| x == (indices[n / 100] as usize * 100 + n % 100) as f32)
    );

    let large = gpu.array([20_000], &iota(20_000))?;
    let before = gpu.stats().dispatches;
    let error = large.take(&i, 0).eval().unwrap_err().to_string();
    assert_eq!(
        error,
        "shape [20000] of f32 takes 80000 bytes, but take reads an operand of at most 65536 bytes (max_storage_buffer_binding_size) and 2^32 - 1 elements, all of which one kernel binds; take from slices of it and select between these"
    );
    assert_eq!(gpu.stats().dispatches, before);
    Ok(())
}

/// The plans of common GPUs, in all of which the elements are the same.
#[test]
fn on_every_class_of_gpus() {
    let mut random = Random::new(4);
    let x = elements(&mut random, ElementType::Bf16, &[9, 20, 33]);
    let i = indices(&mut random, ElementType::S16, &[6, 11], 20);
    let own = indices(&mut random, ElementType::U8, &[9, 20, 1], 33);
    let counted = compute::built(&[&x, &i], |b, of| b.take(of[0], of[1], 1)).unwrap();
    let beside = |b: &mut Builder, of: &[Op]| b.take_along_dimension(of[0], of[1], 2);
    let beside = compute::built(&[&x, &own], beside).unwrap();
    for class in gpu_classes::all() {
        let gpu = contexts::posing_as(&class);
        let got = compute::run(&gpu, &counted, &[&x, &i]).unwrap();
        assert_eq!(got, taken(&x, &i, 1, false), "{}", class.name);
        let got = compute::run(&gpu, &beside, &[&x, &own]).unwrap();
        assert_eq!(got, taken(&x, &own, 2, true), "{}", class.name);
    }
}

#[test]
fn several_results_of_one_array() -> Result<()> {
    let gpu = gpu();
    let x = gpu.array([8], &iota(8))?;
    let i = gpu.array([8], &[7, 6, 5, 4, 3, 2, 1, 0])?;
    let doubled = x.expr() * 2.0;
    let back = doubled.take(&i, 0);
    let again = back.take(&i, 0);
    let [doubled, back, again]: [Array<f32>; 3] =
        gpu.eval(&[doubled, back, again])?.try_into().ok().unwrap();
    assert_eq!(values(&doubled), [0., 2., 4., 6., 8., 10., 12., 14.]);
    assert_eq!(values(&back), [14., 12., 10., 8., 6., 4., 2., 0.]);
    assert_eq!(values(&again), values(&doubled));
    Ok(())
}

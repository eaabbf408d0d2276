//! Tests writing into existing arrays: whole ones, slices with steps and reversed ones, in the
//! library's memory and in caller-owned buffers, in place and not. A copy on the host is written in
//! the same way, and the memory around the target is also compared.

use indim::num_complex::Complex32;
use indim::{
    AnyArray, Array, ArrayError, Context, Element, ElementType, Error, Result, Rule, S4, U4, half,
    wgpu,
};
use indim_testing::contexts::{dispatches, gpu, iota, values};
use indim_testing::oracle::value::is_same;
use indim_testing::programs::arguments::in_buffer;
use indim_testing::programs::compare::{bits, literal};
use indim_testing::programs::data;
use indim_testing::programs::program::Type;
use indim_testing::random::Random;
use indim_testing::share;

use crate::several::all_contexts;

/// Random targets for each type on each context; `INDIM_TARGETS` sets another number.
const TARGETS: usize = 12;

/// The bytes around arrays in buffers of the test.
const FILLER: u8 = 0xee;

/// A slice of a shape: for each dimension the first index, the limit, the step, and true if it is
/// reversed.
#[derive(Debug)]
struct Part(Vec<(usize, usize, usize, bool)>);

impl Part {
    fn random(random: &mut Random, dims: &[usize]) -> Self {
        let mut along = |&size: &usize| {
            if random.percent(40) {
                return (0, size, 1, random.percent(10));
            }
            let start = random.below(size + 1);
            let limit = start + random.below(size - start + 1);
            (start, limit, 1 + random.below(3), random.percent(30))
        };
        Self(dims.iter().map(&mut along).collect())
    }

    /// Returns the index along each dimension of the array, for each element of the part.
    fn indices(&self) -> Vec<Vec<usize>> {
        let along = |&(start, limit, step, reversed): &(usize, usize, usize, bool)| {
            let mut all: Vec<usize> = (start..limit).step_by(step).collect();
            if reversed {
                all.reverse();
            }
            all
        };
        self.0.iter().map(along).collect()
    }

    fn dims(&self) -> Vec<usize> {
        self.indices().iter().map(Vec::len).collect()
    }

    /// Returns the number in the array of each element of the part.
    fn numbers(&self, dims: &[usize]) -> Vec<usize> {
        let mut numbers = vec![0];
        for (indices, &size) in self.indices().iter().zip(dims) {
            let next = |&outer: &usize| indices.iter().map(move |&index| outer * size + index);
            numbers = numbers.iter().flat_map(next).collect();
        }
        numbers
    }

    fn of<'a, T: Element>(&self, array: &'a mut Array<T>) -> Result<indim::ViewMut<'a, T>> {
        let list = |f: fn(&(usize, usize, usize, bool)) -> usize| -> Vec<i64> {
            self.0.iter().map(|along| f(along) as i64).collect()
        };
        let view = array.slice_mut(list(|a| a.0), list(|a| a.1))?.step_by(list(|a| a.2))?;
        let reversed: Vec<i64> =
            self.0.iter().zip(0..).filter(|(a, _)| a.3).map(|(_, d)| d).collect();
        view.reverse(reversed)
    }

    fn expr<T: Element>(&self, array: &Array<T>) -> indim::Expr<T> {
        let list = |f: fn(&(usize, usize, usize, bool)) -> usize| -> Vec<i64> {
            self.0.iter().map(|along| f(along) as i64).collect()
        };
        let view = array.expr().slice(&list(|a| a.0), &list(|a| a.1)).step_by(&list(|a| a.2));
        let reversed: Vec<i64> =
            self.0.iter().zip(0..).filter(|(a, _)| a.3).map(|(_, d)| d).collect();
        view.reverse(&reversed)
    }
}

/// An array, the buffer of the test that it lies in if it does, and where in it.
struct Made<T> {
    array: Array<T>,
    outside: Option<(wgpu::Buffer, u64)>,
}

fn buffer(gpu: &Context, bytes: &[u8]) -> wgpu::Buffer {
    let buffer = gpu.device().create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: bytes.len() as u64,
        usage: wgpu::BufferUsages::STORAGE
            | wgpu::BufferUsages::COPY_SRC
            | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    gpu.queue().write_buffer(&buffer, 0, bytes);
    buffer
}

fn made<T: Element>(gpu: &Context, random: &mut Random, ty: &Type, elements: &[u64]) -> Made<T> {
    let uploaded = || {
        let uploaded = gpu.upload(&literal(ty, elements).unwrap()).unwrap();
        uploaded.downcast::<T>().unwrap()
    };
    match random.below(3) {
        0 => Made { array: uploaded(), outside: None },
        1 => {
            let array = uploaded();
            let range = array.buffer().unwrap();
            Made { array, outside: Some((range.buffer, range.offset)) }
        }
        _ => {
            let packed = device_bytes(ty, elements);
            let word = ty.element.size_in_bytes().max(4);
            let before = word * random.below(70);
            let mut bytes = vec![FILLER; before];
            bytes.extend(packed);
            bytes.resize(bytes.len().next_multiple_of(4) + 4 * random.below(40), FILLER);
            let buffer = buffer(gpu, &bytes);
            let array = in_buffer(gpu, ty, buffer.clone(), before as u64).unwrap();
            Made { array: array.downcast().unwrap(), outside: Some((buffer, before as u64)) }
        }
    }
}

fn device_bytes(ty: &Type, elements: &[u64]) -> Vec<u8> {
    let host = literal(ty, elements).unwrap();
    match ty.element {
        ElementType::S4 | ElementType::U4 => {
            host.bytes().chunks(2).map(|p| p[0] & 15 | p.get(1).map_or(0, |b| b << 4)).collect()
        }
        _ => host.bytes().to_vec(),
    }
}

/// All bytes of a buffer, read by the test's commands.
fn all_bytes(gpu: &Context, buffer: &wgpu::Buffer) -> Vec<u8> {
    gpu.flush().unwrap();
    let whole = gpu
        .array_from_buffer::<u32>([(buffer.size() / 4) as usize], buffer.clone(), 0)
        .unwrap()
        .to_vec_blocking()
        .unwrap();
    whole.into_iter().flat_map(u32::to_le_bytes).collect()
}

fn same(ty: &Type, got: &AnyArray, want: &[u64], what: &dyn Fn() -> String) {
    let got = bits(&got.to_literal_blocking().unwrap());
    assert_eq!(got.len(), want.len());
    for (place, (&got, &want)) in got.iter().zip(want).enumerate() {
        assert!(
            is_same(ty.element, got, want),
            "element {place}: {got:#x} for {want:#x}: {}",
            what()
        );
    }
}

/// Writes random values to random parts of random arrays, some of them computed from the array
/// itself, and compares the array, its clones and what lies around it.
fn random_targets<T: Element>(gpu: &Context, seed: u64) {
    let random = &mut Random::new(seed ^ (T::ELEMENT_TYPE as u64) << 32);
    let targets = std::env::var("INDIM_TARGETS");
    let targets = targets
        .map_or(TARGETS / share::one_of(8), |text| text.parse().expect("a number of targets"));
    for number in 0..targets {
        let rank = random.below(4);
        let large = random.percent(30);
        let dims: Vec<usize> = (0..rank)
            .map(|_| match random.below(3) {
                0 => 1 + random.below(4),
                1 => 4 * (1 + random.below(8)),
                _ => 1 + random.below(if large { 60 } else { 20 }),
            })
            .collect();
        let ty = Type::new(T::ELEMENT_TYPE, &dims);
        let elements = |random: &mut Random, ty: &Type| {
            let count = ty.count();
            data::elements(random, ty.element, count)
        };
        let before = elements(random, &ty);
        let Made { mut array, outside } = made::<T>(gpu, random, &ty, &before);
        let around = outside.as_ref().map(|(buffer, _)| all_bytes(gpu, buffer));
        let whole = random.percent(25);
        let part = if whole {
            Part(dims.iter().map(|&size| (0, size, 1, false)).collect())
        } else {
            Part::random(random, &dims)
        };
        let part_ty = Type::new(T::ELEMENT_TYPE, &part.dims());
        let other = elements(random, &part_ty);
        let numbers = part.numbers(&dims);
        // Another holder of the memory keeps its contents, except where the caller knows the
        // buffer.
        let clone = random.percent(30).then(|| array.clone());
        let kept = random.percent(20).then(|| array.expr());
        let kind = random.below(4);
        let source = made::<T>(gpu, random, &part_ty, &other).array;
        let (expr, values) = match kind {
            // The elements themselves: each is read where it is written.
            0 => (part.expr(&array), numbers.iter().map(|&n| before[n]).collect::<Vec<_>>()),
            // The same in the opposite order, as a stencil would read them.
            1 if !part_ty.dims.is_empty() => {
                let own = part.expr(&array).reverse(&[0]);
                let inner: usize = part_ty.dims[1..].iter().product();
                let rows: Vec<Vec<u64>> = numbers
                    .chunks(inner.max(1))
                    .map(|r| r.iter().map(|&n| before[n]).collect())
                    .collect();
                (own, rows.into_iter().rev().flatten().collect())
            }
            // Every other one of its own, the rest of another array.
            2 => {
                let own = part.expr(&array);
                let turn = indim::Expr::<u32>::iota(&[part_ty.count() as i64], 0);
                let sizes: Vec<i64> = part_ty.dims.iter().map(|&size| size as i64).collect();
                let even = (turn & 1u32).eq(0u32).reshape(&sizes);
                let values = numbers.iter().zip(&other).enumerate();
                let chosen =
                    |(i, (&n, &o)): (usize, (&usize, &u64))| if i % 2 == 0 { before[n] } else { o };
                (even.select(&own, &source), values.map(chosen).collect())
            }
            _ => (source.expr(), other.clone()),
        };
        let what = || {
            format!(
                "seed {seed}, target {number}: {ty}, {part:?}, kind {kind}, outside {:?}, held {:?}",
                outside.as_ref().map(|o| o.1),
                (clone.is_some(), kept.is_some())
            )
        };
        let view = part.of(&mut array).unwrap();
        expr.eval_into(view).unwrap_or_else(|error| panic!("{error}: {}", what()));
        let mut after = before.clone();
        for (&number, &value) in numbers.iter().zip(&values) {
            after[number] = value;
        }
        same(&ty, array.as_any(), &after, &what);
        let held = if outside.is_some() { &after } else { &before };
        if let Some(clone) = &clone {
            same(&ty, clone.as_any(), held, &what);
        }
        if let Some(kept) = &kept {
            same(&ty, kept.eval().unwrap().as_any(), held, &what);
        }
        if let (Some((buffer, offset)), Some(around)) = (outside.as_ref(), around) {
            let bytes = device_bytes(&ty, &after).len();
            let now = all_bytes(gpu, buffer);
            let inside = *offset as usize..*offset as usize + bytes;
            // The memory after a library-owned array has no meaning.
            let until = if *offset == 0 && buffer.usage().contains(wgpu::BufferUsages::MAP_READ) {
                inside.end
            } else {
                now.len()
            };
            for place in (0..until).filter(|place| !inside.contains(place)) {
                assert_eq!(now[place], around[place], "byte {place} of {}: {}", now.len(), what());
            }
        }
    }
}

fn all_types(gpu: &Context, seed: u64) {
    random_targets::<bool>(gpu, seed);
    random_targets::<S4>(gpu, seed);
    random_targets::<U4>(gpu, seed);
    random_targets::<i8>(gpu, seed);
    random_targets::<u8>(gpu, seed);
    random_targets::<i16>(gpu, seed);
    random_targets::<u16>(gpu, seed);
    random_targets::<half::f16>(gpu, seed);
    random_targets::<half::bf16>(gpu, seed);
    random_targets::<i32>(gpu, seed);
    random_targets::<u32>(gpu, seed);
    random_targets::<f32>(gpu, seed);
    random_targets::<i64>(gpu, seed);
    random_targets::<u64>(gpu, seed);
    random_targets::<Complex32>(gpu, seed);
    let needed = wgpu::Features::SHADER_F64 | wgpu::Features::SHADER_INT64;
    if gpu.device().features().contains(needed) {
        random_targets::<f64>(gpu, seed);
    } else {
        let refused = gpu.array([1], &[1.0f64]).unwrap_err();
        assert!(matches!(refused, Error::Device(indim::DeviceError::Unsupported { .. })));
    }
}

#[test]
fn random_targets_of_all_types_are_written_and_nothing_else_is() {
    for (number, gpu) in all_contexts().iter().enumerate() {
        all_types(gpu, 20_261_122 + number as u64);
    }
}

#[test]
fn an_operand_is_computed_in_place() -> Result<()> {
    let gpu = gpu();
    let count = 100_000;
    let mut x = gpu.array([count], &iota(count))?;
    let other = gpu.array([count], &vec![0.5; count])?;
    gpu.wait()?;
    let before = gpu.memory().in_use;
    let expr = &x * 2.0 + &other;
    assert_eq!(dispatches(&gpu, || expr.eval_into(&mut x).unwrap()), 1);
    assert_eq!(gpu.memory().in_use, before);
    assert_eq!(values(&x), iota(count).iter().map(|x| x * 2.0 + 0.5).collect::<Vec<_>>());
    Ok(())
}

#[test]
fn a_wave_step_is_one_dispatch() -> Result<()> {
    let gpu = gpu();
    let side = 64;
    let u = gpu.array([side, side], &iota(side * side))?;
    let mut old = gpu.array([side, side], &vec![1.0; side * side])?;
    let at = |row: i64, column: i64| {
        let size = side as i64 - 2;
        u.expr().slice(&[row, column], &[row + size, column + size])
    };
    let laplacian = at(0, 1) + at(2, 1) + at(1, 0) + at(1, 2) - at(1, 1) * 4.0;
    let last = old.expr().slice(&[1, 1], &[63, 63]);
    let step = at(1, 1) * 2.0 - last + laplacian * 0.25;
    assert_eq!(
        dispatches(&gpu, || step.eval_into(old.slice_mut([1, 1], [63, 63]).unwrap()).unwrap()),
        1
    );
    let new = values(&old);
    for (place, &value) in new.iter().enumerate() {
        let (row, column) = (place / side, place % side);
        let inner = (1..63).contains(&row) && (1..63).contains(&column);
        // The Laplacian of a linear function is 0.
        assert_eq!(value, if inner { place as f32 * 2.0 - 1.0 } else { 1.0 });
    }
    Ok(())
}

#[test]
fn a_loop_into_an_exported_target_repeats_itself() -> Result<()> {
    let gpu = gpu();
    let mut frame = gpu.array([256, 256], &vec![0.0; 1 << 16])?;
    let x = gpu.array([256, 256], &iota(1 << 16))?;
    let range = frame.buffer()?;
    let mut before = None;
    for round in 0..20 {
        let shade = (&x * 0.5 + round as f32).sin();
        shade.eval_into(&mut frame)?;
        (&x - round as f32).eval_into(frame.slice_mut([0, 0], [256, 256])?)?;
        let part = x.expr().slice(&[0, 0], &[256, 128]);
        (part - round as f32).eval_into(frame.slice_mut([0, 128], [256, 256])?)?;
        gpu.flush()?;
        let stats = gpu.stats();
        let counts = (stats.allocations, stats.bind_groups, stats.compilations);
        if round > 1 {
            assert_eq!(before, Some(counts), "round {round}");
        }
        before = Some(counts);
    }
    assert_eq!(frame.buffer()?.buffer, range.buffer);
    Ok(())
}

#[test]
fn wrong_targets_are_refused_and_keep_what_they_have() {
    let gpu = gpu();
    let mut target = gpu.array([2, 3], &iota(6)).unwrap();
    let x = gpu.array([3], &iota(3)).unwrap();
    let refused = x.expr().eval_into(&mut target).unwrap_err();
    assert!(matches!(refused, Error::Array(ArrayError::TargetShape { .. })));
    assert_eq!(
        refused.to_string(),
        "the expression is [3] and its target is [2, 3]; broadcast it with broadcast_in_dim, or take a slice of the target"
    );
    let rule = |refused: Result<indim::ViewMut<'_, f32>>| refused.unwrap_err().rule();
    assert_eq!(rule(target.slice_mut([0], [1])), Some(Rule::V2));
    assert_eq!(rule(target.slice_mut([0, 1], [1, 4])), Some(Rule::V3));
    assert_eq!(rule(target.slice_mut([0, 0], [2, 3]).unwrap().step_by([1, 0])), Some(Rule::V4));
    assert_eq!(rule(target.slice_mut([0, 0], [2, 3]).unwrap().reverse([2])), Some(Rule::V5));
    let other = indim_testing::contexts::gpu();
    let y = other.array([2, 3], &iota(6)).unwrap();
    let refused = (&y + 1.0).eval_into(&mut target).unwrap_err();
    assert!(matches!(refused, Error::Array(ArrayError::TwoContexts)));
    let bad = (&target + &x).eval_into(&mut target);
    assert_eq!(bad.unwrap_err().rule(), Some(Rule::B1));
    assert_eq!(values(&target), iota(6));
    // The view may be used twice.
    let mut row = target.slice_mut([1, 0], [2, 3]).unwrap();
    (x.expr().broadcast(&[1]) * 2.0).eval_into(&mut row).unwrap();
    (x.expr().broadcast(&[1]) * 4.0).eval_into(&mut row).unwrap();
    assert_eq!(values(&target), [0., 1., 2., 0., 4., 8.]);
}

#[test]
fn what_cannot_be_written_at_once_is_copied() -> Result<()> {
    let gpu = gpu();
    // The rows of the expression are not those of the target, and a clone shares the target.
    let y = gpu.array([8, 3], &iota(24))?;
    for shared in [true, false] {
        let mut x = gpu.array([5, 6], &[9.0; 30])?;
        let clone = shared.then(|| x.clone());
        let expr = (&y + 1.0).reshape(&[4, 6]);
        expr.eval_into(x.slice_mut([0, 0], [4, 6])?)?;
        let mut want: Vec<f32> = iota(24).iter().map(|x| x + 1.0).collect();
        want.resize(30, 9.0);
        assert_eq!(values(&x), want);
        assert!(clone.is_none_or(|clone| values(&clone) == [9.0; 30]));
    }
    Ok(())
}

#[test]
fn a_stencil_in_place_is_two_kernels() -> Result<()> {
    for (context, gpu) in all_contexts().iter().enumerate() {
        for [rows, columns] in [[5, 72], [3, 64], [7, 256], [4, 20], [6, 33]] {
            let at = |grid: &[f32], row: usize, column: usize| grid[row * columns + column];
            let mut grid: Vec<f32> = iota(rows * columns).iter().map(|x| x * x % 31.0).collect();
            let mut target = gpu.array([rows, columns], &grid)?;
            target.buffer()?;
            let part = |row: usize, column: usize| {
                target.expr().slice([row, column], [row + rows - 2, column + columns - 2])
            };
            let mean = (part(1, 0) + part(1, 2) + part(0, 1) + part(2, 1)) * 0.25;
            let view = target.slice_mut([1, 1], [rows - 1, columns - 1])?;
            let count = dispatches(gpu, || mean.eval_into(view).unwrap());
            // The others cut arrays into windows.
            assert!(count == 2 || context > 0, "{count} dispatches");
            let old = grid.clone();
            for row in 1..rows - 1 {
                for column in 1..columns - 1 {
                    let beside = at(&old, row, column - 1) + at(&old, row, column + 1);
                    let all = beside + at(&old, row - 1, column) + at(&old, row + 1, column);
                    grid[row * columns + column] = all * 0.25;
                }
            }
            assert_eq!(values(&target), grid, "({rows}, {columns})");
        }
    }
    Ok(())
}

#[test]
fn a_target_is_no_alias_of_what_is_copied_into_it() -> Result<()> {
    let gpu = gpu();
    let bytes: Vec<u8> = iota(4).iter().flat_map(|x| x.to_le_bytes()).collect();
    let x = gpu.array_from_buffer::<f32>([4], buffer(&gpu, &bytes), 0)?;
    let mut y = gpu.array([4], &[7.0f32; 4])?;
    let clone = y.clone();
    x.expr().eval_into(&mut y)?;
    (&y * 2.0).eval_into(&mut y)?;
    assert_eq!((values(&x), values(&y)), (iota(4), vec![0., 2., 4., 6.]));
    assert_eq!(values(&clone), [7.0; 4]);
    Ok(())
}

#[test]
fn arrays_of_other_widths_in_the_targets_buffer() -> Result<()> {
    let gpu = gpu();
    // Four floats at byte 16, whose bytes are written from byte 4 on: all are read first.
    let bytes: Vec<u8> = (0..32).collect();
    let shared = buffer(&gpu, &bytes);
    let floats = gpu.array_from_buffer::<f32>([4], shared.clone(), 16)?;
    let mut target = gpu.array_from_buffer::<u8>([8, 4], shared, 0)?;
    floats.bitcast_convert_type::<u8>().eval_into(target.slice_mut([1, 0], [5, 4])?)?;
    let mut want = bytes.clone();
    want.copy_within(16..32, 4);
    assert_eq!(target.to_vec_blocking()?, want);
    // An operand that ends before the target does, and is padded to its size.
    let shared = buffer(&gpu, &bytes);
    let part = gpu.array_from_buffer::<u8>([4], shared.clone(), 0)?;
    let mut target = gpu.array_from_buffer::<u8>([6], shared.clone(), 0)?;
    part.pad(9, &[0], &[2], &[0]).eval_into(&mut target)?;
    assert_eq!(target.to_vec_blocking()?, [0, 1, 2, 3, 9, 9]);
    assert_eq!(all_bytes(&gpu, &shared)[6..], bytes[6..]);
    Ok(())
}

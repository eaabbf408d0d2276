//! Tests a device that is required to have little: bindings of 64 KiB that begin at multiples of
//! 256 bytes, four of them in a kernel, dispatches of eight by eight workgroups. Arrays of some
//! hundred thousand bytes are computed in thousands of parts there, and have to be what they are in
//! one.

use indim::plan::PlanLimits;
use indim::{
    AnyArray, Array, Builder, Computation, Context, Element, ElementType, Expr, Op, Opcode, Result,
    wgpu,
};
use indim_testing::host_array::HostArray;
use indim_testing::{compute, contexts, share};

use ElementType::{F32, F64, Pred, S4, U8, U16};

/// A computation on arrays of these shapes; of PRED and numbers alike.
struct Pattern {
    name: &'static str,
    shapes: Vec<Vec<usize>>,
    build: fn(&mut Builder, &[Op], ElementType) -> Result<Op>,
}

/// Rows that are whole words of every type, and rows that are not.
const SIDES: [[usize; 2]; 2] = [[136, 256], [137, 241]];

fn patterns() -> Vec<Pattern> {
    let mut patterns = vec![
        Pattern { name: "flat", shapes: vec![vec![70_001]; 2], build: |b, p, t| sum(b, p, t) },
        Pattern {
            name: "rows of three",
            shapes: vec![vec![23_001, 3], vec![3]],
            build: |b, p, t| {
                let row = b.broadcast_in_dim(p[1], &[23_001, 3], &[1])?;
                sum(b, &[p[0], row], t)
            },
        },
        Pattern {
            name: "three dimensions",
            shapes: vec![vec![5, 1, 121], vec![1, 113, 121]],
            build: |b, p, t| {
                let all = [5, 113, 121];
                let x = b.broadcast_in_dim(p[0], &all, &[0, 1, 2])?;
                let y = b.broadcast_in_dim(p[1], &all, &[0, 1, 2])?;
                sum(b, &[x, y], t)
            },
        },
    ];
    for [rows, columns] in SIDES {
        let whole = vec![rows, columns];
        patterns.extend([
            Pattern {
                name: "a row and a column",
                shapes: vec![whole.clone(), vec![columns], vec![rows]],
                build: |b, p, t| {
                    let sizes = sizes(b, p[0])?;
                    let row = b.broadcast_in_dim(p[1], &sizes, &[1])?;
                    let column = b.broadcast_in_dim(p[2], &sizes, &[0])?;
                    sum(b, &[p[0], row, column], t)
                },
            },
            Pattern {
                name: "transposed",
                shapes: vec![whole.clone(), vec![columns, rows]],
                build: |b, p, t| {
                    let turned = b.transpose(p[1], &[1, 0])?;
                    sum(b, &[p[0], turned], t)
                },
            },
            Pattern {
                name: "one array seen from four sides",
                shapes: vec![whole.clone()],
                build: |b, p, t| {
                    let views = [vec![0], vec![1], vec![0, 1]]
                        .iter()
                        .map(|dimensions| b.reverse(p[0], dimensions))
                        .collect::<Result<Vec<Op>>>()?;
                    sum(b, &[&[p[0]], &views[..]].concat(), t)
                },
            },
            Pattern {
                name: "every second column",
                shapes: vec![vec![rows + 2, 2 * columns + 1], whole.clone()],
                build: |b, p, t| {
                    let [rows, columns] = sizes(b, p[1])?[..] else { panic!("a matrix") };
                    let limits = [rows + 1, 2 * columns + 1];
                    let slice = b.slice(p[0], &[1, 1], &limits, &[1, 2])?;
                    sum(b, &[slice, p[1]], t)
                },
            },
            Pattern {
                name: "seven arrays",
                shapes: vec![whole.clone(); 7],
                build: |b, p, t| sum(b, p, t),
            },
            Pattern {
                name: "a choice",
                shapes: vec![whole.clone(), vec![columns, rows]],
                build: |b, p, _| {
                    let turned = b.transpose(p[1], &[1, 0])?;
                    let differ = b.binary(Opcode::Ne, p[0], turned, &[])?;
                    b.select(differ, turned, p[0])
                },
            },
            Pattern {
                name: "truth values",
                shapes: vec![whole.clone(), vec![columns, rows]],
                build: |b, p, _| {
                    let turned = b.transpose(p[1], &[1, 0])?;
                    b.binary(Opcode::Eq, p[0], turned, &[])
                },
            },
        ]);
    }
    patterns
}

fn sizes(b: &Builder, op: Op) -> Result<Vec<i64>> {
    Ok(b.shape(op)?.dims().iter().map(|&size| size as i64).collect())
}

/// All of them added up; of truth values, whether any is true.
fn sum(b: &mut Builder, ops: &[Op], ty: ElementType) -> Result<Op> {
    let opcode = if ty == Pred { Opcode::Or } else { Opcode::Add };
    let (first, rest) = ops.split_first().expect("an operand");
    rest.iter().try_fold(*first, |sum, &op| b.binary(opcode, sum, op, &[]))
}

/// Small numbers, which every type has.
fn numbers(shape: &[usize], salt: usize) -> HostArray {
    let count: usize = shape.iter().product();
    let bits = (0..count).map(|i| ((i * 7 + i / 241 + salt) % 5) as u64).collect();
    HostArray { element_type: U8, shape: shape.to_vec(), bits }
}

/// The pattern's arguments, of this type.
fn arguments(gpu: &Context, pattern: &Pattern, ty: ElementType) -> Vec<AnyArray> {
    let argument = |(salt, shape): (usize, &Vec<usize>)| {
        let operand = numbers(shape, salt);
        let convert = compute::built(&[&operand], |b, p| b.convert_element_type(p[0], ty)).unwrap();
        let uploaded = gpu.upload(&operand.to_literal().unwrap()).unwrap();
        gpu.run(&convert, &[&uploaded]).unwrap()
    };
    pattern.shapes.iter().enumerate().map(argument).collect()
}

fn computation(pattern: &Pattern, ty: ElementType) -> Computation {
    let mut b = Builder::new();
    let parameters: Vec<Op> =
        pattern.shapes.iter().map(|shape| b.parameter(ty, &shape[..]).unwrap()).collect();
    let root = (pattern.build)(&mut b, &parameters, ty).unwrap();
    b.build(root).unwrap()
}

fn bytes(gpu: &Context, pattern: &Pattern, ty: ElementType) -> Vec<u8> {
    let arguments = arguments(gpu, pattern, ty);
    let result = gpu.run(&computation(pattern, ty), &arguments.iter().collect::<Vec<_>>());
    result.and_then(|result| result.to_literal_blocking()).unwrap().bytes().to_vec()
}

fn little() -> [Context; 3] {
    contexts_with(&contexts::low())
}

/// Contexts with these limits: the adapter's choices, a GPU's, and others.
fn contexts_with(limits: &wgpu::Limits) -> [Context; 3] {
    let mut odd = PlanLimits::default();
    (odd.tuning.tile_rows, odd.tuning.short_row_tile, odd.tuning.quads_per_unit) = (3, 2, 2);
    (odd.tuning.workgroup_size, odd.tuning.branchless) = (32, true);
    [None, Some(PlanLimits::default()), Some(odd)].map(|plan| {
        let mut options = contexts::options();
        options.required_limits = Some(limits.clone());
        options.plan_limits = plan;
        Context::blocking_with_options(options).unwrap()
    })
}

/// Windows are also cut by work: here into the smallest parts that work allows.
#[test]
#[ignore = "long: in `.ci/run`"]
fn every_pattern_with_little_work_in_a_part() {
    let all = contexts::blocking().unwrap();
    let little = [all.plan_limits().clone(), PlanLimits::default()].map(|mut plan| {
        plan.tuning.max_work_per_submission = 0;
        let mut options = contexts::options();
        options.plan_limits = Some(plan);
        Context::blocking_with_options(options).unwrap()
    });
    for ty in [S4, U16, F32] {
        for pattern in patterns() {
            let whole = bytes(&all, &pattern, ty);
            for gpu in &little {
                let before = gpu.stats();
                let parts = bytes(gpu, &pattern, ty);
                let (name, shapes) = (pattern.name, &pattern.shapes);
                let wrong = parts.iter().zip(&whole).position(|(a, b)| a != b);
                assert!(parts == whole, "{name} of {ty}{shapes:?} from byte {wrong:?} on");
                let after = gpu.stats();
                let dispatches = after.dispatches - before.dispatches;
                assert!(dispatches > 5, "{name} of {ty}{shapes:?}: {dispatches} dispatches");
                assert!(after.submissions - before.submissions >= dispatches, "{name} of {ty}");
            }
        }
    }
}

#[test]
fn every_type_and_pattern_in_parts() {
    let (all, little) = (contexts::blocking().unwrap(), little());
    for ty in compute::supported(&all) {
        // Each type has its own share of the patterns.
        let share = patterns().into_iter().skip(ty as usize % share::one_of(96));
        for pattern in share.step_by(share::one_of(96)) {
            let whole = bytes(&all, &pattern, ty);
            // One type of each width is enough for the other choices.
            let contexts = if matches!(ty, Pred | S4 | U16 | F32 | F64) { 3 } else { 1 };
            for gpu in &little[..contexts] {
                let parts = bytes(gpu, &pattern, ty);
                let (name, shapes) = (pattern.name, &pattern.shapes);
                let wrong = parts.iter().zip(&whole).position(|(a, b)| a != b);
                assert!(parts == whole, "{name} of {ty}{shapes:?} from byte {wrong:?} on");
            }
        }
    }
    let dispatches = |gpu: &Context| gpu.stats().dispatches;
    let (parts, whole) = (little.iter().map(dispatches).sum::<u64>(), dispatches(&all));
    println!("{parts} dispatches in parts, {whole} of wholes");
    assert!(
        parts as usize > 5_000 / share::one_of(96) && parts > 5 * whole,
        "{parts} in parts, {whole} of wholes"
    );
}

/// Arrays in caller-owned buffers, which begin and end anywhere.
#[test]
fn foreign_buffers_in_parts() {
    fn check<T: Element + bytemuck::Pod + PartialEq>(gpu: &Context, values: &[T], columns: usize) {
        let shape = [values.len() / columns, columns];
        for (offset, behind) in [(0, 0), (8, 8), (256, 4), (264, 64), (1000, 12)] {
            let bytes: &[u8] = bytemuck::cast_slice(values);
            let buffer = gpu.device().create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: offset + bytes.len() as u64 + behind,
                usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            gpu.queue().write_buffer(&buffer, offset, bytes);
            let x: Array<T> = gpu.array_from_buffer(shape, buffer, offset).unwrap();
            let before = gpu.stats().dispatches;
            // Back and forth: in the kernel there are a transposed and a reversed view.
            let turned = x.expr().transpose(&[1, 0]).reverse(&[0]).eval().unwrap();
            let back = turned.expr().reverse(&[0]).transpose(&[1, 0]).eval().unwrap();
            assert!(back.to_vec_blocking().unwrap() == values, "{shape:?} at {offset}");
            let copied = x.expr().reverse(&[0, 1]).eval().unwrap().to_vec_blocking().unwrap();
            assert!(copied.iter().rev().eq(values), "{shape:?} at {offset}");
            assert!(gpu.stats().dispatches - before > 6, "{shape:?} at {offset}");
        }
    }
    for gpu in &little() {
        for columns in [96, 100, 252].into_iter().take(3 / share::one_of(3)) {
            let count = columns * 404;
            let words: Vec<u32> = (0..count as u32).map(|i| i.wrapping_mul(40_503)).collect();
            check::<u32>(gpu, &words, columns);
            check::<u8>(gpu, &[bytemuck::cast_slice(&words), &[1; 0][..]].concat(), columns);
            let pairs: &[u64] = bytemuck::cast_slice(&words);
            check::<u64>(gpu, pairs, columns / 2);
            check::<i16>(gpu, bytemuck::cast_slice(&words), columns);
        }
    }
}

/// Words of a narrow result with elements of several rows, which lie farther apart in the operand
/// than a binding is long.
#[test]
fn narrow_results_of_rows_far_apart() {
    const ROW: usize = 20_011;
    let numbers: Vec<f32> = (0..23 * ROW).map(|i| (i % 13) as f32).collect();
    for gpu in &little() {
        let x = gpu.array([23, ROW], &numbers).unwrap();
        for columns in [1, 2, 3, 5, 7, 9, 30] {
            let some = x.expr().slice(&[0, 11], &[23, 11 + columns]);
            let wanted = (0..23).flat_map(|row| {
                let first = row * ROW + 11;
                numbers[first..first + columns as usize].iter().copied()
            });
            let wanted: Vec<f32> = wanted.collect();
            let large = some.gt(5.0).eval().unwrap().to_vec_blocking().unwrap();
            assert!(large.iter().eq(wanted.iter().map(|&x| x > 5.0).collect::<Vec<_>>().iter()));
            let bytes =
                some.convert_element_type::<u8>().eval().unwrap().to_vec_blocking().unwrap();
            assert!(bytes.iter().zip(&wanted).all(|(&byte, &x)| f32::from(byte) == x));
            let nibbles = some.convert_element_type::<indim::U4>().eval().unwrap();
            let bits =
                HostArray::from_literal(&nibbles.as_any().to_literal_blocking().unwrap()).bits;
            assert!(bits.iter().zip(&wanted).all(|(&bits, &x)| bits as f32 == x));
            let halves =
                some.convert_element_type::<i16>().eval().unwrap().to_vec_blocking().unwrap();
            assert!(halves.iter().zip(&wanted).all(|(&half, &x)| f32::from(half) == x));
        }
    }
}

/// Arrays that fit into a binding, of more elements than one dispatch computes.
#[test]
#[ignore = "long: in `.ci/run`"]
fn dispatches_in_parts() {
    let groups = |most| wgpu::Limits {
        max_compute_workgroups_per_dimension: most,
        ..wgpu::Limits::default()
    };
    for gpu in &contexts_with(&groups(8)) {
        let before = gpu.stats().dispatches;
        let i = gpu.eval(&Expr::<i32>::iota(&[300_000], 0)).unwrap().to_vec_blocking().unwrap();
        assert!(i.into_iter().eq(0..300_000));
        let a_dispatch = 64 * u64::from(gpu.plan_limits().tuning.workgroup_size) * 16;
        assert!(gpu.stats().dispatches - before >= 300_000 / a_dispatch);
    }
    let (all, few) = (contexts::blocking().unwrap(), contexts_with(&groups(3)));
    for ty in [S4, F32] {
        for pattern in patterns() {
            let whole = bytes(&all, &pattern, ty);
            for gpu in &few {
                let (name, shapes) = (pattern.name, &pattern.shapes);
                assert!(bytes(gpu, &pattern, ty) == whole, "{name} of {ty}{shapes:?}");
            }
        }
    }
    let dispatches = |gpu: &Context| gpu.stats().dispatches;
    let (parts, whole) = (few.iter().map(dispatches).sum::<u64>(), dispatches(&all));
    println!("{parts} dispatches in parts, {whole} of wholes");
    assert!(parts > 1_000 && parts > 4 * whole, "{parts} in parts, {whole} of wholes");
}

//! Tests of operations on wgpu's `noop` backend, which checks every call and computes nothing, so that
//! they need no real device. `noop_limits.rs` has low limits, `noop_loss.rs` devices that are lost.
//!
//! [`indim::ContextOptions`] cannot name this backend, which wgpu wants enabled by hand; the tests
//! make the device and hand it over, as a caller with a device of its own does.

use std::fmt::Debug;

use indim::plan::{Arithmetic, PlanLimits};
use indim::{
    AnyArray, Array, Builder, Context, ContextOptions, Element, ElementType, Expr, Literal, Opcode,
    Precision, Result, Scalar, wgpu,
};
use indim_testing::{contexts, gpu_classes, operations};

fn device(limits: wgpu::Limits) -> (wgpu::Device, wgpu::Queue) {
    wgpu::Device::noop(&wgpu::DeviceDescriptor {
        required_limits: limits,
        // The features that F64 needs.
        required_features: wgpu::Features::SHADER_F64 | wgpu::Features::SHADER_INT64,
        ..wgpu::DeviceDescriptor::default()
    })
}

pub(crate) fn context(limits: wgpu::Limits) -> Context {
    let (device, queue) = device(limits);
    Context::from_device(device, queue).unwrap()
}

pub(crate) fn ones(gpu: &Context, shape: &[usize]) -> Array<f32> {
    gpu.array(shape, &vec![1.0; shape.iter().product()]).unwrap()
}

/// Evaluates and reads, so that whatever wgpu has against a kernel, its bindings or the submission
/// comes out.
#[track_caller]
pub(crate) fn accepted<T: Element>(gpu: &Context, expr: &Expr<T>) {
    if let Err(error) = gpu.eval(expr).and_then(|array| array.to_vec_blocking()) {
        panic!("{error}");
    }
}

#[track_caller]
pub(crate) fn says<T: Debug>(result: Result<T>, text: &str) {
    assert_eq!(result.expect_err("to be refused").to_string(), text);
}

// ---- pipelines and bindings ---------------------------------------------------------------------

#[test]
fn every_operation_is_accepted() {
    accepts_every_operation(&context(wgpu::Limits::default()), REDUCTIONS.len());
}

/// Kernels of several outputs, and those that write into slices and read them, as wgpu sees them.
#[test]
fn several_results_and_slices_are_accepted() {
    let gpu = context(wgpu::Limits::default());
    let mut target = ones(&gpu, &[40, 50]);
    let x = ones(&gpu, &[40, 50]);
    let (sum, less) = gpu.eval((&x + 1.0, x.lt(2.0))).unwrap();
    sum.to_vec_blocking().unwrap();
    less.to_vec_blocking().unwrap();
    let many: Vec<Expr<f32>> = (0..12).map(|number| &x * number as f32).collect();
    for result in gpu.eval(many).unwrap() {
        result.to_vec_blocking().unwrap();
    }
    let buffer = target.buffer().unwrap();
    for (start, limit, step) in
        [([0, 0], [40, 50], [1, 1]), ([1, 3], [39, 47], [1, 1]), ([0, 1], [40, 50], [3, 2])]
    {
        let part = target.expr().slice(&start, &limit).step_by(&step);
        let other = x.expr().slice(&start, &limit).step_by(&step);
        let shifted = part.reverse(&[1]);
        for expr in [other, part, shifted] {
            let slice = target.slice_mut(start, limit).unwrap().step_by(step).unwrap();
            (expr * 2.0).eval_into(slice).unwrap();
        }
    }
    target.to_vec_blocking().unwrap();
    assert_eq!(target.buffer().unwrap().buffer, buffer.buffer);
}

/// Relaxed ones, and those that are right on every adapter.
#[test]
fn every_other_spelling_is_accepted() {
    let mut relaxed = ContextOptions::default();
    relaxed.precision = Precision::Relaxed;
    let mut limits = PlanLimits::default();
    limits.arithmetic = Some(Arithmetic::portable());
    let mut portable = ContextOptions::default();
    portable.plan_limits = Some(limits);
    for options in [relaxed, portable] {
        let (device, queue) = device(wgpu::Limits::default());
        let gpu = Context::from_device_with_options(device, queue, &options).unwrap();
        // Other arithmetic is the same in the other walks of reductions.
        accepts_every_operation(&gpu, 2);
    }
}

/// What a software adapter cannot pose as: up to a million buffers, 29 for a stage, bindings that
/// begin at multiples of 32 bytes.
#[test]
fn common_gpus_accept_what_they_are_given() {
    for class in gpu_classes::all() {
        let gpu = contexts::posing_on_noop(&class);
        let plan = gpu.plan_limits();
        let buffers = plan.device.max_storage_buffers_per_shader_stage as usize;
        let wanted = class.plan_limits().device.max_storage_buffers_per_shader_stage as usize;
        assert_eq!(buffers, wanted, "{}", class.name);
        assert_eq!(plan.tuning.max_work_per_submission, 1 << 33, "{}", class.name);
        let arrays: Vec<_> = (0..1_000).map(|_| ones(&gpu, &[64])).collect();
        for count in [1_000, buffers.min(32), buffers.min(32) - 1] {
            accepted(&gpu, &arrays[1..count].iter().fold(arrays[0].expr(), |sum, x| sum + x));
        }
        let x = ones(&gpu, &[64, 40]);
        let column = |n| x.slice(&[0, n], &[64, n + 1]);
        accepted(&gpu, &(1..40).fold(column(0), |sum, n| sum + column(n)));
        accepted(&gpu, &(x.slice(&[0, 1], &[64, 40]) + ones(&gpu, &[39]).in_dim([1])));
        accepts_compositions(&gpu);
    }
}

/// Windows over arrays that no software adapter holds begin where a binding of the class may.
#[test]
fn large_arrays_are_planned_for_common_gpus() {
    for class in gpu_classes::all() {
        let limits = class.plan_limits();
        for dims in [&[3 << 30][..], &[1 << 16, 1 << 15], &[65_537, 32_771]] {
            let mut b = Builder::new();
            let x = b.parameter(ElementType::F32, dims).unwrap();
            let row = b.parameter(ElementType::F32, &dims[dims.len() - 1..]).unwrap();
            let sum = b.add(x, row, &[dims.len() as i64 - 1]).unwrap();
            let kernels = limits.explain(&b.build(sum).unwrap()).unwrap().kernels;
            let bytes = 4 * dims.iter().product::<usize>() as u64;
            let least = bytes.div_ceil(limits.device.max_storage_buffer_binding_size) as usize;
            let dispatches = kernels[0].dispatches;
            let enough = least..=(4 * least).max(64);
            assert!(enough.contains(&dispatches), "{}{dims:?}: {dispatches}", class.name);
        }
    }
}

/// Each operation and type, over a matrix, a column and a row.
fn accepts_every_operation(gpu: &Context, reductions: usize) {
    let mut count = 0;
    for &opcode in Opcode::ALL {
        for &ty in ElementType::ALL.iter().filter(|&&ty| opcode.accepts(ty)) {
            let mut b = Builder::new();
            let x = b.parameter(ty, [3, 8]).unwrap();
            let column = b.parameter(ty, [3]).unwrap();
            let column = b.broadcast_in_dim(column, &[3, 8], &[0]).unwrap();
            let root = match opcode {
                _ if operations::is_elementwise(opcode) => {
                    let first = operations::operand_type(opcode, ty, 0);
                    let row = b.parameter(first, [8]).unwrap();
                    let row = b.broadcast_in_dim(row, &[3, 8], &[1]).unwrap();
                    let operands = match operations::operand_count(opcode) {
                        1 => &[column][..],
                        2 => &[x, column],
                        _ => &[row, x, column],
                    };
                    operations::elementwise(&mut b, opcode, operands)
                }
                Opcode::BitcastConvertType => operations::conversion(&mut b, opcode, x, ty),
                Opcode::ConvertElementType => {
                    operations::conversion(&mut b, opcode, x, ElementType::S32)
                }
                Opcode::Iota => b.iota(ty, &[3, 8], 1),
                Opcode::Constant => b.constant(Scalar::from_bits(ty, 1)),
                Opcode::Parameter => Ok(x),
                Opcode::Broadcast => operations::movement(&mut b, opcode, column, [3, 8]),
                _ if opcode.class() == indim::OpClass::Reduce => {
                    REDUCTIONS[..reductions]
                        .iter()
                        .for_each(|&of| accepts_reduction(gpu, opcode, ty, of));
                    b.reduce(opcode, x, [0])
                }
                _ => operations::movement(&mut b, opcode, x, [3, 8]),
            };
            let computation = b.build(root.unwrap()).unwrap();
            let arguments: Vec<AnyArray> = computation
                .parameters()
                .iter()
                .map(|p| {
                    let bytes = p.shape.element_count().unwrap() * p.element_type.size_in_bytes();
                    gpu.upload(&Literal::new(p.element_type, &p.shape, vec![1; bytes]).unwrap())
                        .unwrap()
                })
                .collect();
            let ran = gpu.run(&computation, &arguments.iter().collect::<Vec<_>>());
            if let Err(error) = ran.and_then(|result| result.to_literal_blocking()) {
                panic!("{opcode:?} of {ty}: {error}");
            }
            count += 1;
        }
    }
    assert!(count > 100, "{count}");
    accepts_compositions(gpu);
}

/// Sizes and the dimensions that are reduced, and whether the result stands beside its rows.
type Reduced = (&'static [usize], &'static [i64], bool);

/// Columns, rows, everything, in one kernel and in several.
const REDUCTIONS: [Reduced; 6] = [
    (&[70, 8], &[0], false),
    (&[64, 40], &[1], true),
    (&[3, 8], &[1], false),
    (&[3, 7], &[1, 0], false),
    (&[3, 1100], &[1], false),
    (&[5000], &[0], false),
];

fn accepts_reduction(
    gpu: &Context,
    opcode: Opcode,
    ty: ElementType,
    (sizes, dimensions, is_beside): Reduced,
) {
    let mut b = Builder::new();
    let x = b.parameter(ty, sizes).unwrap();
    let reduced = b.reduce(opcode, x, dimensions).unwrap();
    let root = if is_beside { b.eq(x, reduced, [0]).unwrap() } else { reduced };
    let bytes = sizes.iter().product::<usize>() * ty.size_in_bytes();
    let x = gpu.upload(&Literal::new(ty, sizes, vec![1; bytes]).unwrap()).unwrap();
    let ran = gpu.run(&b.build(root).unwrap(), &[&x]);
    if let Err(error) = ran.and_then(|result| result.to_literal_blocking()) {
        panic!("{opcode:?} of {ty}{sizes:?} along {dimensions:?}: {error}");
    }
}

/// What is composed of reductions: rows of several passes, also too long ones, columns, everything.
fn accepts_compositions(gpu: &Context) {
    for (sizes, dimension) in [([64, 100], 1), ([3, 5000], 1), ([70, 8], 0), ([1, 4096], 1)] {
        let x = ones(gpu, &sizes);
        let along = [dimension];
        for expr in [
            x.softmax(along),
            x.log_softmax(along),
            x.layer_norm(along, 1e-5),
            x.rms_norm(along, 1e-5),
            x.logsumexp(along),
            x.var(along),
            x.mean([0, 1]),
            x.cumsum(dimension),
            x.reduce_with_init(Opcode::ReduceSum, 1.0, along),
        ] {
            accepted(gpu, &expr);
        }
        for expr in [x.argmax(along), x.argmin([0, 1])] {
            accepted(gpu, &expr);
        }
        accepted(gpu, &x.argmax_s64(along));
    }
}

/// Every schedule, over arrays of the pool and over caller-owned buffers, aligned to quads at both
/// ends and not.
#[test]
fn every_layout_is_accepted() {
    let gpu = context(wgpu::Limits::default());
    for [rows, columns] in
        [[1, 7], [5, 8], [5, 7], [300, 1], [1, 1], [0, 8], [64, 33], [40, 36], [2, 1100]]
    {
        for (offset, behind) in [(0, 0), (0, 16), (4, 0), (16, 4), (252, 0), (256, 12), (260, 8)] {
            let foreign = |shape: &[usize]| {
                let bytes = 4 * shape.iter().product::<usize>() as u64;
                let buffer = gpu.device().create_buffer(&wgpu::BufferDescriptor {
                    label: None,
                    size: offset + bytes + behind,
                    usage: wgpu::BufferUsages::STORAGE,
                    mapped_at_creation: false,
                });
                gpu.array_from_buffer::<f32>(shape, buffer, offset).unwrap()
            };
            let whole = foreign(&[rows, columns]);
            let (row, column) = (foreign(&[columns]), foreign(&[rows]));
            let sum = ones(&gpu, &[rows, columns]) + &whole + row.in_dim([1]) - column.in_dim([0]);
            accepted(&gpu, &sum);
            let i = Expr::<f32>::iota(&[rows as i64, columns as i64], 1);
            accepted(&gpu, &sum.gt(0.5).select(&i, &whole).lt(row.in_dim([1])));
            for dimensions in [&[0][..], &[1], &[0, 1]] {
                accepted(&gpu, &(&whole * row.in_dim([1])).reduce_sum(dimensions));
            }
            accepted(&gpu, &whole.softmax([1]));
            accepted(&gpu, &whole.cumsum(0));
            accepted(&gpu, &whole.cumsum(1));
            if rows > 0 {
                accepted(&gpu, &whole.argmax([0, 1]));
            }
        }
    }
}

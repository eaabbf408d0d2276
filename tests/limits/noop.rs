//! Tests on wgpu's `noop` backend, which checks every call and computes nothing. The tests need no
//! real device, or show what none does: low limits, folded dispatches, memory that runs out.
//! `noop_loss.rs` has devices that are lost.
//!
//! [`indim::ContextOptions`] cannot name this backend, which wgpu wants enabled by hand; the tests
//! make the device and hand it over, as a caller with a device of its own does.

use std::fmt::Debug;

use indim::plan::{Arithmetic, PlanLimits, Schedule};
use indim::{
    AnyArray, Array, Builder, Context, ContextOptions, DeviceError, Element, ElementType, Error,
    Expr, Literal, Opcode, Precision, Result, Scalar, wgpu,
};
use indim_testing::contexts;
use indim_testing::gpu_classes;
use indim_testing::{operations, process};

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
            if rows > 0 {
                accepted(&gpu, &whole.argmax([0, 1]));
            }
        }
    }
}

#[test]
fn constants_beyond_a_small_uniform_are_read_from_storage() {
    let gpu =
        context(wgpu::Limits { max_uniform_buffer_binding_size: 256, ..wgpu::Limits::default() });
    let x = ones(&gpu, &[5, 7]);
    for constants in [1, 100] {
        let sum = (0..constants).fold(x.expr(), |sum, n| sum + n as f32);
        accepted(&gpu, &sum);
    }
    assert_eq!(gpu.stats().dispatches, 2);
}

/// Values that the result does not need are not required of the device.
#[test]
fn an_unused_value_of_f64_is_not_refused() {
    let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
    let gpu = Context::from_device(device, queue).unwrap();
    let mut b = Builder::new();
    let x = b.parameter(ElementType::F32, [5]).unwrap();
    b.convert_element_type(x, ElementType::F64).unwrap();
    let root = b.neg(x).unwrap();
    let x = ones(&gpu, &[5]);
    gpu.run(&b.build(root).unwrap(), &[x.as_any()]).unwrap();
    let mut b = Builder::new();
    let parameter = b.parameter(ElementType::F32, [5]).unwrap();
    let within = b.convert_element_type(parameter, ElementType::F64).unwrap();
    let root = b.convert_element_type(within, ElementType::F32).unwrap();
    let error = gpu.run(&b.build(root).unwrap(), &[x.as_any()]).unwrap_err();
    let unsupported = DeviceError::Unsupported {
        element_type: ElementType::F64,
        needed: "the features SHADER_F64 and SHADER_INT64",
        missing: "SHADER_F64 and SHADER_INT64".to_owned(),
        instead: ElementType::F32,
    };
    assert_eq!(error.to_string(), unsupported.to_string());
}

#[test]
fn a_small_workgroup_is_enough() {
    let gpu = context(wgpu::Limits {
        max_compute_invocations_per_workgroup: 16,
        ..wgpu::Limits::default()
    });
    for shape in [[1, 1000], [40, 8], [40, 7]] {
        let column = ones(&gpu, &shape[..1]);
        accepted(&gpu, &(ones(&gpu, &shape) + column.in_dim([0])));
    }
}

// ---- dispatches ---------------------------------------------------------------------------------

/// wgpu limits the workgroups in one dimension.
#[test]
fn dispatches_are_folded() {
    let most = 16;
    let gpu = context(wgpu::Limits {
        max_compute_workgroups_per_dimension: most,
        ..wgpu::Limits::default()
    });
    for (shape, dimension, schedule) in [
        (&[1, 60_000][..], 0, Schedule::Flat),
        (&[512, 208], 0, Schedule::Rows),
        (&[4000, 31], 0, Schedule::Periods),
        (&[300, 7, 31], 1, Schedule::Carry),
    ] {
        let mut b = Builder::new();
        let x = b.parameter(ElementType::F32, shape).unwrap();
        let line = b.parameter(ElementType::F32, [shape[dimension]]).unwrap();
        let sum = b.add(x, line, &[dimension as i64]).unwrap();
        let sum = b.build(sum).unwrap();
        let kernel = &gpu.plan_limits().explain(&sum).unwrap().kernels[0];
        let [columns, lines] = kernel.workgroups;
        assert_eq!(kernel.schedule, schedule);
        assert!(columns <= most && (2..=most).contains(&lines), "{:?}", kernel.workgroups);
        let (x, line) = (ones(&gpu, shape), ones(&gpu, &[shape[dimension]]));
        let result = gpu.run(&sum, &[x.as_any(), line.as_any()]).unwrap();
        result.to_literal_blocking().unwrap();
    }
    type Reduced = fn(&Array<f32>) -> Expr<f32>;
    let of: [(_, Reduced, _); 3] = [
        ([5000, 3], |x| x.reduce_sum([1]), Schedule::FoldRows),
        ([3, 40_000], |x| x.reduce_sum([0]), Schedule::FoldColumns),
        ([5000, 40], |x| x.softmax([1]), Schedule::Passes),
    ];
    for (sizes, of, schedule) in of {
        let reduced = of(&ones(&gpu, &sizes));
        let kernel = reduced.explain().unwrap().kernels.remove(0);
        let [columns, lines] = kernel.workgroups;
        assert_eq!((kernel.schedule, kernel.dispatches), (schedule, 1));
        assert!(columns <= most && (2..=most).contains(&lines), "{:?}", kernel.workgroups);
        accepted(&gpu, &reduced);
    }
    // Past the square of the limit it takes several dispatches.
    let before = gpu.stats().dispatches;
    accepted(&gpu, &Expr::<f32>::iota(&[1_200_000], 0));
    let dispatches = gpu.stats().dispatches - before;
    let a_group = u64::from(gpu.plan_limits().tuning.workgroup_size) * 16;
    assert_eq!(dispatches, 1_200_000_u64.div_ceil(256 * a_group).next_power_of_two());
}

/// The limit that devices have: 65,535.
#[test]
fn large_dispatches_are_folded() {
    // Small workgroups, so that the array need not be as large.
    let limits = wgpu::Limits {
        max_compute_invocations_per_workgroup: 32,
        max_compute_workgroup_size_x: 32,
        ..wgpu::Limits::default()
    };
    let gpu = context(limits);
    let plan = gpu.plan_limits();
    let a_group = i64::from(plan.tuning.workgroup_size * plan.tuning.quads_per_invocation * 4);
    let elements = 65_537 * a_group;
    let many = Expr::<f32>::iota(&[1], 0).is_finite().broadcast(&[elements]);
    let array = gpu.eval(&many).unwrap();
    assert_eq!(array.shape().dims(), [elements as usize, 1]);
    gpu.wait().unwrap();
    assert_eq!(gpu.stats().dispatches, 1);
}

// ---- low limits ---------------------------------------------------------------------------------

#[test]
fn few_storage_buffers_cut_an_expression_into_kernels() {
    let gpu = context(wgpu::Limits {
        max_storage_buffers_per_shader_stage: 4,
        ..wgpu::Limits::default()
    });
    let arrays: Vec<_> = (0..40).map(|_| ones(&gpu, &[6])).collect();
    let sum = arrays.iter().skip(1).fold(arrays[0].expr(), |sum, array| sum + array);
    accepted(&gpu, &sum);
    // Three operands a kernel: the first one takes three arrays, each further one two.
    assert_eq!(gpu.stats().dispatches, 20);

    // A tree of the same arrays.
    let before = gpu.stats().dispatches;
    let mut level: Vec<Expr<f32>> = arrays.iter().map(|a| a.expr()).collect();
    while level.len() > 1 {
        level = level
            .chunks(2)
            .map(|pair| pair[1..].iter().fold(pair[0].clone(), |a, b| a * b))
            .collect();
    }
    accepted(&gpu, &level[0]);
    let dispatches = gpu.stats().dispatches - before;
    assert!((20..=39).contains(&dispatches), "{dispatches}");

    // A ternary operation just fits.
    let p = gpu.array([6], &[true; 6]).unwrap();
    accepted(&gpu, &p.select(&arrays[0], &arrays[1]));
}

#[test]
fn arrays_larger_than_a_binding_are_dispatched_in_parts() {
    let gpu =
        context(wgpu::Limits { max_storage_buffer_binding_size: 1024, ..wgpu::Limits::default() });
    let x = ones(&gpu, &[256]);
    accepted(&gpu, &-&x);
    assert_eq!(gpu.stats().dispatches, 1);
    // 257 elements: their padding passes the limit.
    accepted(&gpu, &-ones(&gpu, &[257]));
    assert_eq!(gpu.stats().dispatches, 3);
    let wide = indim::broadcast(&x, &[3]).unwrap();
    assert_eq!(wide.to_vec_blocking().unwrap().len(), 3 * 256);
    let foreign = |elements: u64, offset: u64| {
        let buffer = gpu.device().create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 8192,
            usage: wgpu::BufferUsages::STORAGE,
            mapped_at_creation: false,
        });
        gpu.array_from_buffer::<f32>([elements as usize], buffer, offset).unwrap()
    };
    for (elements, offset) in [(257, 0), (256, 256), (1000, 260), (1024, 4096)] {
        accepted(&gpu, &-foreign(elements, offset));
    }
    let before = gpu.stats().dispatches;
    let wide = Expr::<f32>::iota(&[4, 256], 0);
    accepted(&gpu, &wide);
    assert_eq!(gpu.stats().dispatches, before + 4);
    // Intermediate values need no array, so that they may be larger than one.
    accepted(&gpu, &wide.lt(2.0));
    assert_eq!(gpu.stats().dispatches, before + 5);
}

#[test]
fn buffers_larger_than_the_device_has_are_refused() {
    let gpu = context(wgpu::Limits { max_buffer_size: 1 << 16, ..wgpu::Limits::default() });
    let refused = gpu.array([1 << 14, 2], &[1u32; 1 << 15]);
    assert!(matches!(refused, Err(Error::Device(DeviceError::TooLarge { .. }))));
    says(
        refused,
        "shape [16384, 2] of u32 takes 131072 bytes, but the device's max_buffer_size is 65536; \
         split the array",
    );
    let x = ones(&gpu, &[1 << 14]);
    accepted(&gpu, &-x);
}

/// A caller-owned buffer may have the largest size there is, which need not be a multiple of the
/// words that kernels read.
#[test]
fn a_foreign_array_of_the_largest_size_is_read() {
    for size in [1000, 1020] {
        let gpu = context(wgpu::Limits {
            max_buffer_size: size,
            max_storage_buffer_binding_size: size,
            max_uniform_buffer_binding_size: 512,
            ..wgpu::Limits::default()
        });
        for bytes in [size as usize, 3, 962] {
            let buffer = gpu.device().create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size,
                usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            });
            let array = gpu.array_from_buffer::<u8>([bytes], buffer, 0).unwrap();
            for _ in 0..2 {
                assert_eq!(array.to_vec_blocking().unwrap().len(), bytes);
                assert_eq!(pollster::block_on(array.to_vec()).unwrap().len(), bytes);
            }
        }
        // The first reading's buffer serves the others of its size.
        assert_eq!(gpu.stats().staging_allocations, 2);
    }
}

/// One array seen from more sides than there are bindings, none of which is near another.
#[test]
fn an_array_seen_from_many_sides_is_bound_in_several_kernels() {
    let limits = wgpu::Limits {
        max_storage_buffer_binding_size: 1 << 12,
        max_storage_buffers_per_shader_stage: 4,
        ..wgpu::Limits::default()
    };
    let gpu = context(limits);
    let x = ones(&gpu, &[48, 48]);
    let views = [&[][..], &[0], &[1], &[0, 1]].map(|dimensions| x.reverse(dimensions));
    let turned = views.iter().map(|view| view.transpose(&[1, 0]));
    let sum = views.iter().cloned().chain(turned).reduce(|sum, view| sum + view).unwrap();
    accepted(&gpu, &sum);
    assert!(gpu.stats().dispatches > 10, "{:?}", gpu.stats());
}

/// A binding holds only a part of a row of either operand, so that each element would be a
/// dispatch.
#[test]
fn what_would_take_too_many_dispatches_is_refused() {
    let limits = wgpu::Limits { max_storage_buffer_binding_size: 1024, ..wgpu::Limits::default() };
    let gpu = context(limits);
    let x = ones(&gpu, &[512, 512]);
    let refused = (&x + x.transpose(&[1, 0])).eval();
    assert!(matches!(refused, Err(Error::Device(DeviceError::TooManyParts { .. }))));
    says(
        refused,
        "computing f32[512, 512] would take more than 65536 dispatches in parts that keep \
         to the device's max_storage_buffer_binding_size of 1024 and \
         max_compute_workgroups_per_dimension of 65535; split the array",
    );
    accepted(&gpu, &-x);
}

/// With four storage buffers, a kernel whose constants take one more reads two arrays.
#[test]
fn constants_in_storage_leave_fewer_arrays() {
    let gpu = context(wgpu::Limits {
        max_uniform_buffer_binding_size: 1024,
        max_storage_buffers_per_shader_stage: 4,
        ..wgpu::Limits::default()
    });
    let [x, y, z] = [(); 3].map(|()| ones(&gpu, &[5, 7]));
    let sum = (0..400).fold(&x + &y, |sum, n| sum * &z + n as f32);
    accepted(&gpu, &sum);
    let p = gpu.array([5, 7], &[true; 35]).unwrap();
    let chosen = p.select(&x + 1.0, &y + 2.0);
    accepted(&gpu, &(0..400).fold(chosen, |sum, n| sum * 2.0 + n as f32));
}

/// With four storage buffers, a call of a function with loops reads two arrays, since the word that
/// records whether a loop has run too often is also bound.
#[test]
fn calls_of_functions_keep_to_the_storage_buffers() {
    let gpu = context(wgpu::Limits {
        max_storage_buffers_per_shader_stage: 4,
        ..wgpu::Limits::default()
    });
    let [x, y, z, w] = [(); 4].map(|()| ones(&gpu, &[5]));
    let function = |text| indim::Function::wgsl(text).unwrap();
    let plain = function("fn plain(a: f32, b: f32, c: f32) -> f32 { return a + b * c; }");
    accepted(&gpu, &(plain.call::<f32>((&x, &y, &z)).unwrap() * &w));
    let looped = function(
        "fn looped(a: f32, b: f32) -> f32 { var s = a; while s < 9.0 { s += b; } return s; }",
    );
    let call = || looped.call::<f32>((&x, &y)).unwrap();
    accepted(&gpu, &(call() * &z + &w));
    accepted(&gpu, &call().clamp(&z, &w));
    accepted(&gpu, &looped.call::<f32>((&(&x + &y), &(&z * &w))).unwrap());
    let three = function(
        "fn three(a: f32, b: f32, c: f32) -> f32 { var s = a; while s < 9.0 { s += b; } return s * c; }",
    );
    accepted(&gpu, &three.call::<f32>((&x, &y, 2.0)).unwrap());
    says(
        three.call::<f32>((&x, &y, &z)).unwrap().eval(),
        "three: it takes 3 arrays at once, and the device binds 2 to a kernel beside the result; give fewer arrays, such as two real ones as one complex one",
    );
    let four = function("fn four(a: f32, b: f32, c: f32, d: f32) -> f32 { return a * b * c * d; }");
    says(
        four.call::<f32>((&x, &y, &z, &w)).unwrap().eval(),
        "four: it takes 4 arrays at once, and the device binds 3 to a kernel beside the result; give fewer arrays, such as two real ones as one complex one",
    );
    accepted(&gpu, &-&x);
}

#[test]
fn too_few_storage_buffers_are_an_error() {
    for buffers in 0..3 {
        let gpu = context(wgpu::Limits {
            max_storage_buffers_per_shader_stage: buffers,
            ..wgpu::Limits::default()
        });
        let (x, y) = (ones(&gpu, &[4]), ones(&gpu, &[4]));
        let error = (&x + &y).eval().unwrap_err();
        assert!(matches!(error, Error::Device(DeviceError::Wgpu { .. })), "{error}");
        assert_eq!(x.to_vec_blocking().unwrap(), [1.0; 4], "the context still works");
    }
}

/// The test runs in a process of its own, whose memory is limited: the backend's buffers lie in it.
#[cfg(target_os = "linux")]
#[test]
fn memory_that_runs_out_is_an_error() {
    if !process::alone("noop::memory_that_runs_out_is_an_error", Some(1_000_000)) {
        return;
    }
    let gpu = context(wgpu::Limits::unlimited());
    let x = ones(&gpu, &[1 << 9]);
    for _ in 0..2 {
        says(
            indim::broadcast(&x, &[1 << 19]),
            "out of device memory for 1073741824 bytes; drop arrays that are no longer used",
        );
        accepted(&gpu, &-&x);
    }
}

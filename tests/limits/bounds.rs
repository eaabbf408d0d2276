//! Tests the bounds that a context puts on its kernels, whatever the device allows: buffers that a
//! kernel binds, places that it loads from, and the work of a submission.

use indim::plan::PlanLimits;
use indim::{
    Array, Builder, Computation, Context, ContextOptions, ElementType, Expr, Function, Op, wgpu,
};
use indim_testing::contexts::{self, values};
use indim_testing::{gpu_classes, not_tested};

use ElementType::F32;

fn sum_of(arrays: &[Array<f32>]) -> Expr<f32> {
    arrays[1..].iter().fold(arrays[0].expr(), |sum, array| sum + array)
}

fn noop(limits: wgpu::Limits, options: &ContextOptions) -> Context {
    let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor {
        required_limits: limits,
        ..wgpu::DeviceDescriptor::default()
    });
    Context::from_device_with_options(device, queue, options).unwrap()
}

// ---- buffers ------------------------------------------------------------------------------------

/// The parameter block is also a buffer of the stage, and by default there are 28 in all.
#[test]
fn buffers_of_all_kinds_are_counted() {
    let whole = contexts::of_the_adapter();
    if whole.device().limits().max_storage_buffers_per_shader_stage < 32 {
        return not_tested::on_this_adapter(&whole, "its kernels bind fewer than 32 arrays");
    }
    let mut options = contexts::options();
    options.required_limits =
        Some(wgpu::Limits { max_storage_buffers_per_shader_stage: 32, ..wgpu::Limits::default() });
    let gpu = Context::blocking_with_options(options).unwrap();
    for count in [26, 27, 28, 40] {
        let arrays: Vec<_> = (0..count).map(|n| gpu.array([3], &[n as f32; 3]).unwrap()).collect();
        let sum = sum_of(&arrays).eval().unwrap();
        assert_eq!(values(&sum), [(count * (count - 1) / 2) as f32; 3], "{count} arrays");
    }
}

/// Macs have 29 buffers for a stage.
#[test]
#[ignore = "long: in `.ci/run`"]
fn the_buffers_of_a_mac_are_enough() {
    for (buffers, bindings, left) in [(29, 1_000, 28), (1_000, 9, 8), (29, 1 << 30, 28)] {
        let limits = wgpu::Limits {
            max_storage_buffers_per_shader_stage: 29,
            max_buffers_and_acceleration_structures_per_shader_stage: buffers,
            max_bindings_per_bind_group: bindings,
            ..wgpu::Limits::default()
        };
        let gpu = noop(limits, &ContextOptions::default());
        assert_eq!(gpu.plan_limits().device.max_storage_buffers_per_shader_stage, left);
        for count in [left as usize - 1, left as usize, 100] {
            let arrays: Vec<_> = (0..count).map(|_| gpu.array([4], &[1.0; 4]).unwrap()).collect();
            sum_of(&arrays).eval().and_then(|sum| sum.to_vec_blocking()).unwrap();
            // A table of constants is bound as storage.
            let many = (0..3_000).fold(sum_of(&arrays), |sum, n| sum.max(n as f32));
            many.eval().and_then(|sum| sum.to_vec_blocking()).unwrap();
        }
    }
}

/// Desktop GPUs allow up to a million.
#[test]
fn a_kernel_binds_at_most_32_buffers() {
    let mut b = Builder::new();
    let parameters: Vec<Op> = (0..1_000).map(|_| b.parameter(F32, [64]).unwrap()).collect();
    let sum = parameters[1..].iter().fold(parameters[0], |sum, &p| b.add(sum, p, &[]).unwrap());
    let computation = b.build(sum).unwrap();
    let mut limits = PlanLimits::default();
    limits.device.max_storage_buffers_per_shader_stage = 1_000_000;
    let kernels = limits.explain(&computation).unwrap().kernels;
    // 31 arrays in the first one; 30 and the partial sum in every other one.
    assert_eq!(kernels.len(), 1 + (1_000usize - 31).div_ceil(30));
    for kernel in &kernels {
        let bound = kernel.wgsl.matches("var<storage").count();
        assert!(bound <= 32, "{bound} storage buffers");
    }
    let limits = wgpu::Limits {
        max_storage_buffers_per_shader_stage: 1_000_000,
        max_buffers_and_acceleration_structures_per_shader_stage: 1 << 30,
        max_bindings_per_bind_group: 1_000_000,
        ..wgpu::Limits::default()
    };
    let gpu = noop(limits, &ContextOptions::default());
    let arrays: Vec<_> = (0..1_000).map(|_| gpu.array([64], &[1.0; 64]).unwrap()).collect();
    sum_of(&arrays).eval().unwrap().to_vec_blocking().unwrap();
    assert_eq!(gpu.stats().dispatches, kernels.len() as u64);
}

// ---- loads --------------------------------------------------------------------------------------

/// The sum of the columns of one matrix, which is an array or computed.
fn sum_of_columns(columns: usize, computed: bool) -> Computation {
    let mut b = Builder::new();
    let mut x = b.parameter(F32, [4_096, columns]).unwrap();
    if computed {
        let y = b.parameter(F32, [4_096, columns]).unwrap();
        x = b.add(x, y, &[]).unwrap();
    }
    let column = |b: &mut Builder, n: i64| b.slice(x, &[0, n], &[4_096, n + 1], &[1, 1]).unwrap();
    let first = column(&mut b, 0);
    let sum = (1..columns as i64).fold(first, |sum, n| {
        let next = column(&mut b, n);
        b.add(sum, next, &[]).unwrap()
    });
    b.build(sum).unwrap()
}

#[test]
fn the_text_of_many_loads_is_bounded() {
    for (limits, most_text) in
        [(PlanLimits::default(), 32 << 10), (PlanLimits::for_cpu(true), 20 << 10)]
    {
        for computed in [false, true] {
            let kernels = limits.explain(&sum_of_columns(64, computed)).unwrap().kernels;
            for kernel in &kernels {
                assert!(kernel.wgsl.len() < most_text, "{} bytes of text", kernel.wgsl.len());
                let loads = kernel.operands.len();
                assert!(
                    loads <= limits.tuning.max_loads_per_kernel as usize / 2 + 1,
                    "{loads} loads"
                );
            }
            assert!(kernels.len() <= 8, "{} kernels", kernels.len());
        }
        // Whole arrays count once, so that as many are read as can be bound.
        let mut limits = limits;
        limits.device.max_storage_buffers_per_shader_stage = 32;
        let mut b = Builder::new();
        let arrays: Vec<Op> = (0..31).map(|_| b.parameter(F32, [64, 64]).unwrap()).collect();
        let sum = arrays[1..].iter().fold(arrays[0], |sum, &p| b.add(sum, p, &[]).unwrap());
        let kernels = limits.explain(&b.build(sum).unwrap()).unwrap().kernels;
        assert_eq!(kernels.len(), 1);
    }
    // A ternary operation on three views fits under any bound.
    let mut limits = PlanLimits::default();
    limits.tuning.max_loads_per_kernel = 0;
    let mut b = Builder::new();
    let x = b.parameter(F32, [8, 8]).unwrap();
    let rows = [0i64, 1, 2].map(|n| b.slice(x, &[n, 0], &[n + 1, 8], &[1, 1]).unwrap());
    let clamped = b.clamp(rows[0], rows[1], rows[2]).unwrap();
    assert_eq!(limits.explain(&b.build(clamped).unwrap()).unwrap().kernels.len(), 1);
}

/// Where elements lie apart, the text repeats a load for each; so units are small.
#[test]
fn units_of_many_gathered_loads_are_small() {
    let mut limits = PlanLimits::for_cpu(true);
    limits.tuning.max_loads_per_kernel = 1_000;
    for (columns, most_elements) in [(2, 16), (6, 8), (64, 4)] {
        let mut b = Builder::new();
        let x = b.parameter(F32, [4_096, 64]).unwrap();
        let column = |b: &mut Builder, n| b.slice(x, &[0, n], &[4_096, n + 1], &[1, 1]).unwrap();
        let first = column(&mut b, 0);
        let sum = (1..columns).fold(first, |sum, n| {
            let next = column(&mut b, n);
            b.add(sum, next, &[]).unwrap()
        });
        let kernels = limits.explain(&b.build(sum).unwrap()).unwrap().kernels;
        assert_eq!(kernels[0].unit, most_elements, "{columns} columns");
        assert!(kernels[0].wgsl.len() < 32 << 10, "{} bytes of text", kernels[0].wgsl.len());
    }
}

#[test]
fn many_loads_are_right() {
    let gpu = contexts::gpu();
    let (rows, columns) = (301i64, 64i64);
    let count = (rows * columns) as usize;
    let host: Vec<f32> = (0..count).map(|n| (n % 97) as f32).collect();
    let x = gpu.array([rows as usize, columns as usize], &host).unwrap();
    let column = |e: &Expr<f32>, n| e.slice(&[0, n], &[rows, n + 1]);
    for computed in [false, true] {
        let whole = if computed { &x * 2.0 } else { x.expr() };
        let sum = (1..columns).fold(column(&whole, 0), |sum, n| sum + column(&whole, n));
        let factor = if computed { 2.0 } else { 1.0 };
        let wanted = host.chunks(columns as usize).map(|row| row.iter().sum::<f32>() * factor);
        assert_eq!(values(&sum.eval().unwrap()), wanted.collect::<Vec<_>>());
    }
}

// ---- work ---------------------------------------------------------------------------------------

fn chain_of_tanh(shape: &[usize]) -> Computation {
    let mut b = Builder::new();
    let x = b.parameter(F32, shape).unwrap();
    let chain = (0..31).fold(x, |x, _| b.tanh(x).unwrap());
    b.build(chain).unwrap()
}

#[test]
fn windows_are_cut_by_work() {
    let dispatches = |shape: &[usize], most| {
        let mut limits = PlanLimits::default();
        limits.tuning.max_work_per_submission = most;
        limits.explain(&chain_of_tanh(shape)).unwrap().kernels[0].dispatches
    };
    // 31 times 32 for the functions, twice 4 for the accesses.
    let work = 1_000u64 << 20;
    assert_eq!(dispatches(&[1 << 20], u64::MAX), 1);
    assert_eq!(dispatches(&[1 << 20], work), 1);
    assert_eq!(dispatches(&[1 << 20], work - 1), 2);
    assert_eq!(dispatches(&[1 << 10, 1 << 10], work / 64), 64);
    assert_eq!(PlanLimits::default().tuning.max_work_per_submission, 1 << 33);
    assert_eq!(dispatches(&[1 << 22], 1 << 33), 1);
    assert_eq!(dispatches(&[1 << 24], 1 << 33), 2);
    // Parts do not become as small as one likes, nor as many.
    assert_eq!(dispatches(&[1 << 20], 0), 256);
    let many = dispatches(&[1 << 20, 1 << 16], 0);
    assert!((8_192..=16_384).contains(&many), "{many} dispatches");
}

/// 64-bit floats are slow on most GPUs, and so are long functions.
#[test]
fn work_counts_types_and_functions() {
    let dispatches = |element_type, function: fn(&mut Builder, Op) -> indim::Result<Op>| {
        let mut limits = PlanLimits::default();
        limits.tuning.max_work_per_submission = 1 << 24;
        let mut b = Builder::new();
        let x = b.parameter(element_type, [1 << 20]).unwrap();
        let root = function(&mut b, x).unwrap();
        limits.explain(&b.build(root).unwrap()).unwrap().kernels[0].dispatches
    };
    let [neg, tanh, lgamma] = [Builder::neg, Builder::tanh, Builder::lgamma]
        .map(|function: fn(&mut Builder, Op) -> indim::Result<Op>| function)
        .map(|function| dispatches(F32, function));
    assert!(neg == 1 && tanh == 4 && lgamma == 32, "{neg}, {tanh}, {lgamma}");
    assert_eq!(dispatches(ElementType::F64, Builder::tanh), 128);
}

/// A call may take as long as the bound on its loops allows, where the user has set one.
#[test]
fn work_counts_iterations_of_loops() {
    let power = |times: &str| {
        let text = format!("fn f(x: f32) -> f32 {{ var y = x; {times} {{ y *= x; }} return y; }}");
        Function::wgsl(&text).unwrap()
    };
    let call = |function: &Function| {
        let mut b = Builder::new();
        let x = b.parameter(F32, [1 << 25]).unwrap();
        let y = b.call(function, &[x], &[&[]]).unwrap();
        b.build(y).unwrap()
    };
    let (straight, loops) = (power("if x > 1.0"), power("for (var i = 0; i < 9; i++)"));
    let functions = [
        straight,
        loops.clone().with_max_iterations(1),
        loops.clone(),
        loops.clone().with_max_iterations(1000),
        loops.with_max_iterations(1000).with_max_total_iterations(100_000),
    ];
    for class in gpu_classes::all() {
        let plan = class.plan_limits();
        let dispatches =
            |function: &Function| plan.explain(&call(function)).unwrap().kernels[0].dispatches;
        let [straight, once, typical, many, same] = functions.each_ref().map(dispatches);
        let name = class.name;
        assert!(straight <= once && once <= typical, "{name}: {straight}, {once}, {typical}");
        assert!(typical < many && many == same, "{name}: {typical}, {many}, {same}");
        assert!(straight < many, "{name}: {straight}, {many}");
    }
}

#[test]
fn parts_are_submitted_apart() {
    let mut plan = PlanLimits::default();
    plan.tuning.max_work_per_submission = 1 << 24;
    let mut options = ContextOptions::default();
    options.plan_limits = Some(plan);
    let submissions = |options: &ContextOptions, elements: usize, times: usize| {
        let gpu = noop(wgpu::Limits::default(), options);
        let x = gpu.array([elements], &vec![1.0f32; elements]).unwrap();
        gpu.wait().unwrap();
        let before = gpu.stats();
        let computation = chain_of_tanh(&[elements]);
        let results: Vec<_> =
            (0..times).map(|_| gpu.run(&computation, &[x.as_any()]).unwrap()).collect();
        gpu.wait().unwrap();
        drop(results);
        let after = gpu.stats();
        (after.dispatches - before.dispatches, after.submissions - before.submissions)
    };
    // 2^18 elements of work 1,000 are 16 parts; two parts pass the bound.
    assert_eq!(submissions(&options, 1 << 18, 1), (16, 16));
    // Small ones share submissions as far as the bound goes: four of 4,096 elements.
    assert_eq!(submissions(&options, 1 << 12, 8), (8, 2));
    assert_eq!(submissions(&ContextOptions::default(), 1 << 18, 1), (1, 1));
}

#[test]
fn software_has_no_watchdog() {
    let gpu = contexts::gpu();
    let software = gpu.adapter_info().device_type == wgpu::DeviceType::Cpu;
    let wanted = if software { u64::MAX } else { 1 << 33 };
    assert_eq!(gpu.plan_limits().tuning.max_work_per_submission, wanted);
}

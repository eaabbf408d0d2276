//! Tests [`indim::Precision`]: where it holds, what it changes in a kernel, and that relaxed
//! results are near the accurate ones.

use indim::plan::{KernelExplanation, PlanLimits};
use indim::{
    Builder, Computation, Context, ContextOptions, ElementType, Error, Expr, Op, OpClass, Opcode,
    Precision, Result, Scalar, wgpu,
};
use indim_testing::{contexts, operations, share};

const N: usize = 64;

fn explained(computation: &Computation) -> KernelExplanation {
    // One unit at a time: otherwise every operation stands in the text once for each.
    let mut limits = PlanLimits::default();
    limits.tuning.unroll = 1;
    let mut kernels = limits.explain(computation).unwrap().kernels;
    assert_eq!(kernels.len(), 1);
    kernels.remove(0)
}

/// An operation on parameters of one type; none for what has no arithmetic.
fn application(opcode: Opcode, ty: ElementType, precision: Precision) -> Option<Computation> {
    let mut b = Builder::new();
    b.set_precision(precision);
    if !operations::is_elementwise(opcode) || opcode == Opcode::Select {
        return None;
    }
    let mut operand = |_| b.parameter(ty, [N]).unwrap();
    let operands: Vec<Op> = (0..operations::operand_count(opcode)).map(&mut operand).collect();
    let root = operations::elementwise(&mut b, opcode, &operands);
    Some(b.build(root.ok()?).unwrap())
}

#[test]
fn relaxed_kernels_are_valid() {
    let mut count = 0;
    for &opcode in Opcode::ALL {
        let Some(computation) = application(opcode, ElementType::F32, Precision::Relaxed) else {
            continue;
        };
        for limits in [PlanLimits::default(), PlanLimits::for_cpu(true)] {
            let text = &limits.explain(&computation).unwrap().kernels[0].wgsl;
            let module = naga::front::wgsl::parse_str(text)
                .unwrap_or_else(|error| panic!("{opcode:?}: {}", error.emit_to_string(text)));
            let flags = naga::valid::ValidationFlags::all();
            naga::valid::Validator::new(flags, naga::valid::Capabilities::SHADER_INT64)
                .validate(&module)
                .unwrap_or_else(|error| panic!("{opcode:?}: {}", error.emit_to_string(text)));
            count += 1;
        }
    }
    assert!(count > 80, "{count}");
}

#[test]
fn what_has_one_precision_keeps_it() {
    for &opcode in Opcode::ALL {
        for &ty in ElementType::ALL {
            let made = |precision| application(opcode, ty, precision);
            let (Some(accurate), Some(relaxed)) =
                (made(Precision::Accurate), made(Precision::Relaxed))
            else {
                continue;
            };
            let (accurate, relaxed) = (explained(&accurate), explained(&relaxed));
            assert_eq!(accurate.relaxed_ops, 0);
            let exact = matches!(opcode, Opcode::Abs | Opcode::Neg | Opcode::Real | Opcode::Imag)
                || opcode == Opcode::Copysign
                || matches!(opcode.class(), OpClass::Pair | OpClass::Format);
            let rounds = ty == ElementType::F32 && accurate.writes[0].element_type == ty && !exact;
            assert!(relaxed.relaxed_ops == 0 || rounds, "{opcode:?} of {ty}");
            if !rounds {
                assert_eq!(accurate.wgsl, relaxed.wgsl, "{opcode:?} of {ty}");
            }
        }
    }
}

#[test]
fn relaxed_functions_are_wgsl_s_own() {
    for (opcode, accurate, relaxed) in [
        (Opcode::Sin, "xla_sin(", "= sin(x0)"),
        (Opcode::Tanh, "xla_tanh(", "= tanh(x0)"),
        (Opcode::Pow, "xla_pow(", "= pow(x0, x1)"),
        (Opcode::Max, "xla_max(", "= max(x0, x1)"),
    ] {
        let text =
            |precision| explained(&application(opcode, ElementType::F32, precision).unwrap()).wgsl;
        assert!(text(Precision::Accurate).contains(accurate), "{opcode:?}");
        let wgsl = text(Precision::Relaxed);
        assert!(wgsl.contains(relaxed) && !wgsl.contains("xla_"), "{opcode:?}: {wgsl}");
    }
}

/// Guards stand between what is computed and what is accurately computed from it.
#[test]
fn accurate_operations_guard_their_operands() {
    use Precision::{Accurate, Relaxed};
    for (inner, outer, guards, relaxed_ops) in [
        (Accurate, Accurate, 1, 0),
        (Relaxed, Accurate, 1, 1),
        (Accurate, Relaxed, 0, 1),
        (Relaxed, Relaxed, 0, 2),
    ] {
        let mut b = Builder::new();
        let x = b.parameter(ElementType::F32, [N]).unwrap();
        let y = b.parameter(ElementType::F32, [N]).unwrap();
        b.set_precision(inner);
        let sum = b.add(x, y, &[]).unwrap();
        b.set_precision(outer);
        let rest = b.sub(sum, x, &[]).unwrap();
        let kernel = explained(&b.build(rest).unwrap());
        let found = kernel.wgsl.matches("(params.zero)").count();
        assert_eq!((found, kernel.relaxed_ops), (guards, relaxed_ops), "{inner} in {outer}");
    }
    // A compare has one precision, so that the sum before it is always guarded.
    let mut b = Builder::new();
    b.set_precision(Relaxed);
    let x = b.parameter(ElementType::F32, [N]).unwrap();
    let y = b.parameter(ElementType::F32, [N]).unwrap();
    let compare = b.add(x, y, &[]).and_then(|sum| b.gt(sum, x, &[])).unwrap();
    assert!(explained(&b.build(compare).unwrap()).wgsl.contains("(params.zero)"));
}

// ---- where it holds -----------------------------------------------------------------------------

fn noop(precision: Precision) -> Context {
    let mut options = ContextOptions::default();
    options.precision = precision;
    noop_with(&options)
}

fn noop_with(options: &ContextOptions) -> Context {
    // The backend computes nothing, but counts what it compiles.
    let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
    Context::from_device_with_options(device, queue, options).unwrap()
}

/// Returns how many kernels each of these compiles that those before it did not.
fn compiled<const M: usize>(gpu: &Context, exprs: [&Expr<f32>; M]) -> [u64; M] {
    exprs.map(|expr| {
        let before = gpu.stats().compilations;
        expr.eval().unwrap();
        gpu.stats().compilations - before
    })
}

#[test]
fn the_innermost_precision_holds() {
    use Precision::{Accurate, Relaxed};
    let gpu = noop(Accurate);
    let x = gpu.array([N], &[1.0; N]).unwrap();
    let kernels = compiled(
        &gpu,
        [
            // Accurate by default.
            &x.sin(),
            &x.sin().with_precision(Accurate),
            // Relaxed, whatever encloses it.
            &x.sin().with_precision(Relaxed),
            &x.sin().with_precision(Relaxed).with_precision(Accurate),
            // A view of it does not count as an operation.
            &x.sin().reverse(&[0]).reverse(&[0]).with_precision(Relaxed),
            // One kernel of three operations, of which the outer two are relaxed.
            &(x.sin().with_precision(Accurate) + x.cos()).with_precision(Relaxed),
            &(x.sin() + x.cos().with_precision(Relaxed)),
        ],
    );
    assert_eq!(kernels, [1, 0, 1, 0, 0, 1, 1]);
}

#[test]
fn one_value_in_two_precisions_is_two_values() {
    let gpu = noop(Precision::Accurate);
    let x = gpu.array([N], &[1.0_f32; N]).unwrap();
    let sine = x.sin();
    let relaxed = sine.with_precision(Precision::Relaxed);
    let kernels = compiled(
        &gpu,
        [
            &(&sine - &sine),
            &(&sine - sine.with_precision(Precision::Accurate)),
            &(&sine - &relaxed),
            &(&relaxed - &relaxed),
        ],
    );
    assert_eq!(kernels, [1, 0, 1, 1]);
}

#[test]
fn a_context_s_precision_is_the_outermost() {
    use Precision::{Accurate, Relaxed};
    let gpu = noop(Relaxed);
    let x = gpu.array([N], &[1.0; N]).unwrap();
    let kernels = compiled(
        &gpu,
        [&x.sin(), &x.sin().with_precision(Relaxed), &x.sin().with_precision(Accurate), &x.abs()],
    );
    assert_eq!(kernels, [1, 0, 1, 1]);
    // Also for eager operations and computations.
    indim::sin(&x).unwrap();
    let mut b = Builder::new();
    let p = b.parameter(ElementType::F32, [N]).unwrap();
    let root = b.sin(p).unwrap();
    gpu.run(&b.build(root).unwrap(), &[x.as_any()]).unwrap();
    assert_eq!(gpu.stats().compilations, 3);
}

/// A value that is relaxed by default and one that requests it are one value then.
#[test]
fn one_value_in_a_relaxed_context_is_computed_once() {
    use Precision::{Accurate, Relaxed};
    // A kernel for each operation, so that dispatches are operations.
    let mut options = ContextOptions::default();
    options.precision = Relaxed;
    options.max_ops_per_kernel = Some(1);
    let gpu = noop_with(&options);
    let x = gpu.array([N], &[1.0_f32; N]).unwrap();
    let sine = x.sin();
    let relaxed = sine.with_precision(Relaxed);
    let dispatches = [
        &sine - &sine,
        &sine - &relaxed,
        &relaxed - &relaxed,
        // So are values computed from such values, also through a view.
        (&sine + &x).reverse(&[0]) * (&relaxed + &x).with_precision(Relaxed),
        // An accurate value stays another one.
        &sine - sine.with_precision(Accurate),
    ]
    .map(|expr| {
        let before = gpu.stats().dispatches;
        expr.eval().unwrap();
        gpu.stats().dispatches - before
    });
    assert_eq!(dispatches, [2, 2, 2, 3, 3]);
}

#[test]
fn an_error_keeps_its_place() {
    let gpu = noop(Precision::Accurate);
    let x = gpu.array([2], &[1.0f32; 2]).unwrap();
    let y = gpu.array([3], &[1.0f32; 3]).unwrap();
    let expr = (&x + &y).with_precision(Precision::Relaxed);
    let line = line!() - 1;
    let Err(Error::Expression { location, .. }) = expr.eval() else { panic!("accepted") };
    assert_eq!((location.file(), location.line()), (file!(), line));
}

// ---- results ------------------------------------------------------------------------------------

fn operands(opcode: Opcode) -> [Vec<f32>; 3] {
    let spread = |low: f32, high: f32| -> Vec<f32> {
        (0..N).map(|i| low + (high - low) * (i as f32 + 0.5) / N as f32).collect()
    };
    let first = match opcode {
        Opcode::Asin | Opcode::Acos | Opcode::Atanh | Opcode::ErfInv => spread(-0.95, 0.95),
        Opcode::Log
        | Opcode::Log2
        | Opcode::Log10
        | Opcode::Log1p
        | Opcode::Sqrt
        | Opcode::Rsqrt
        | Opcode::Pow => spread(0.1, 6.0),
        Opcode::Acosh => spread(1.1, 6.0),
        Opcode::Tan => spread(-1.3, 1.3),
        _ => spread(-3.0, 3.0),
    };
    [first, spread(0.3, 2.2), spread(2.5, 3.0)]
}

/// Far from special values, WGSL's functions are off by little more than 2^-11.
#[test]
fn relaxed_results_are_near_the_accurate_ones() {
    let gpu = contexts::blocking().unwrap();
    let mut count = 0;
    let every = share::one_of(4);
    let floats = Opcode::ALL.iter().filter(|op| op.accepts(ElementType::F32));
    for &opcode in floats.step_by(every) {
        let arrays = operands(opcode).map(|values| gpu.array([N], &values).unwrap());
        let arguments = arrays.each_ref().map(|array| array.as_any());
        let run = |precision| -> Option<Result<Vec<f32>>> {
            let computation = application(opcode, ElementType::F32, precision)?;
            if computation.element_type() != ElementType::F32 {
                return None;
            }
            let arguments = &arguments[..computation.parameters().len()];
            Some(gpu.run(&computation, arguments).and_then(|result| {
                Ok(result.to_literal_blocking()?.to_vec::<f32>().expect("floats"))
            }))
        };
        let (Some(accurate), Some(relaxed)) = (run(Precision::Accurate), run(Precision::Relaxed))
        else {
            continue;
        };
        for (i, (accurate, relaxed)) in
            accurate.unwrap().into_iter().zip(relaxed.unwrap()).enumerate()
        {
            let difference = (accurate - relaxed).abs();
            assert!(
                difference <= 1e-3 * accurate.abs().max(1.0),
                "{opcode:?}, element {i}: {relaxed}, accurately {accurate}"
            );
        }
        count += 1;
    }
    assert!(count > 40 / every, "{count}");
}

#[test]
fn a_builder_s_precision_holds_from_then_on() {
    let mut b = Builder::new();
    let x = b.parameter(ElementType::F32, [N]).unwrap();
    let mut sum = b.constant(Scalar::new(1.0f32)).unwrap();
    for (n, precision) in
        [Precision::Accurate, Precision::Relaxed, Precision::Accurate].into_iter().enumerate()
    {
        b.set_precision(precision);
        for _ in 0..=n {
            sum = b.add(sum, x, &[]).unwrap();
        }
    }
    let kernel = explained(&b.build(sum).unwrap());
    assert_eq!((kernel.ops, kernel.relaxed_ops), (6, 2));
}

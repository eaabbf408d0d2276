//! Lists every public function that may use the device.

use std::collections::BTreeSet;
use std::time::Duration;

use indim::{
    AnyArray, AnyExpr, Array, Builder, Computation, Context, DeviceError, DotDimensionNumbers,
    ElementType, Error, Expr, Literal, Opcode, Result, num_complex::Complex32, wgpu,
};
use indim_testing::share;

use super::{at_once, is_lost};

/// Arrays of one context, for calls.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) gpu: Context,
    pub(crate) x: Array<f32>,
    /// The result of operations that may wait to be submitted.
    pub(crate) sum: Array<f32>,
    ints: Array<i32>,
    complex: Array<Complex32>,
    pred: Array<bool>,
    empty: Array<f32>,
    buffer: wgpu::Buffer,
}

impl World {
    pub(crate) fn new(gpu: &Context) -> Result<Self> {
        let x = gpu.array([4], &[1.0f32, 2.0, 3.0, 4.0])?;
        let buffer = gpu.device().create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 16,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        Ok(Self {
            sum: (&x + &x).eval()?,
            ints: gpu.array([4], &[1i32, 2, 3, 4])?,
            complex: gpu.array([4], &[Complex32::new(1.0, 2.0); 4])?,
            pred: gpu.array([4], &[true; 4])?,
            empty: gpu.array([0], &[])?,
            gpu: gpu.clone(),
            x,
            buffer,
        })
    }

    fn encoder(&self) -> wgpu::CommandEncoder {
        self.gpu.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default())
    }

    fn texture(&self) -> wgpu::Texture {
        self.gpu.device().create_texture(&wgpu::TextureDescriptor {
            label: None,
            size: wgpu::Extent3d::default(),
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::R32Float,
            usage: wgpu::TextureUsages::STORAGE_BINDING | wgpu::TextureUsages::TEXTURE_BINDING,
            view_formats: &[],
        })
    }

    /// Every call reports the lost device, and soon.
    pub(crate) fn refuses_everything(&self) {
        let world = self.clone();
        at_once(move || {
            for (name, call) in ENTRANCES.iter().chain(OTHERS) {
                match call(&world) {
                    Err(error) if is_lost(&error) => (),
                    Err(error) => panic!("{name}: {error}"),
                    Ok(()) => panic!("{name}: no error"),
                }
            }
            // These cannot fail; they do not hang.
            world.gpu.trim();
            let _ = (world.gpu.stats(), world.gpu.plan_limits(), world.gpu.adapter_info());
            world.gpu.notify_lost("again");
            let _ = (world.x.shape(), world.x.context(), world.x.expr().shape().unwrap());
        });
    }
}

type Call = fn(&World) -> Result<()>;
type Entrance = (&'static str, Call);

fn computation(arity: usize) -> Computation {
    let mut b = Builder::new();
    let x = b.parameter(ElementType::F32, [4]).unwrap();
    let root = match arity {
        1 => x,
        _ => {
            let y = b.parameter(ElementType::F32, [4]).unwrap();
            b.add(x, y, &[]).unwrap()
        }
    };
    b.build(root).unwrap()
}

/// An array whose columns stand one after the other.
fn two_columns() -> ndarray::Array2<f32> {
    ndarray::Array2::zeros((3, 2)).reversed_axes()
}

macro_rules! calls {
    ($w:ident; $($name:ident $(<$($ty:ty),+>)? ($($argument:expr),*),)*) => {
        &[$((
            concat!("indim::", stringify!($name)),
            |$w| indim::$name$(::<$($ty),+>)?($($argument),*).map(drop),
        ),)*]
    };
}

const OPS: &[Entrance] = calls! { w;
    add(&w.x, &w.x, &[]), mul(&w.x, &w.x, &[]), max(&w.x, &w.x, &[]), min(&w.x, &w.x, &[]),
    sub(&w.x, &w.x, &[]), div(&w.x, &w.x, &[]), pow(&w.x, &w.x, &[]), rem(&w.x, &w.x, &[]),
    atan2(&w.x, &w.x, &[]), and(&w.ints, &w.ints, &[]), or(&w.ints, &w.ints, &[]),
    xor(&w.pred, &w.pred, &[]), shift_left(&w.ints, &w.ints, &[]),
    shift_right_logical(&w.ints, &w.ints, &[]), shift_right_arithmetic(&w.ints, &w.ints, &[]),
    floor_divide(&w.x, &w.x, &[]), remainder(&w.x, &w.x, &[]), copysign(&w.x, &w.x, &[]),
    hypot(&w.x, &w.x, &[]), logaddexp(&w.x, &w.x, &[]), log2(&w.x), log10(&w.x),
    eq(&w.x, &w.x, &[]), ne(&w.x, &w.x, &[]), lt(&w.x, &w.x, &[]), le(&w.x, &w.x, &[]),
    gt(&w.x, &w.x, &[]), ge(&w.x, &w.x, &[]), eq_total_order(&w.x, &w.x, &[]),
    ne_total_order(&w.x, &w.x, &[]), lt_total_order(&w.x, &w.x, &[]),
    le_total_order(&w.x, &w.x, &[]), gt_total_order(&w.x, &w.x, &[]),
    ge_total_order(&w.x, &w.x, &[]),
    neg(&w.x), sign(&w.x), square(&w.x), not(&w.ints), clz(&w.ints), population_count(&w.ints),
    is_finite(&w.x), is_inf(&w.x), is_nan(&w.x), signbit(&w.x), trunc(&w.x),
    ceil(&w.x), floor(&w.x), round(&w.x), round_nearest_even(&w.x), cbrt(&w.x),
    erf(&w.x), erfc(&w.x), erf_inv(&w.x), lgamma(&w.x), digamma(&w.x), bessel_i0e(&w.x),
    bessel_i1e(&w.x), sqrt(&w.x), rsqrt(&w.x), exp(&w.x), expm1(&w.x), log(&w.x), log1p(&w.x),
    logistic(&w.x), sin(&w.x), cos(&w.x), tan(&w.x), tanh(&w.x), sinh(&w.x), cosh(&w.x),
    asin(&w.x), acos(&w.x), atan(&w.x), asinh(&w.x), acosh(&w.x), atanh(&w.x), reciprocal(&w.x),
    abs(&w.x), real(&w.complex), imag(&w.complex), conj(&w.complex), complex(&w.x, &w.x, &[]),
    convert_element_type<f32, i32>(&w.x), bitcast_convert_type<f32, u32>(&w.x),
    select(&w.pred, &w.x, &w.x), clamp(&w.x, &w.x, &w.x), next_after(&w.x, &w.x),
    reduce_precision(&w.x, 5, 10), broadcast(&w.x, &[2]), broadcast_in_dim(&w.x, &[2, 4], &[1]),
    transpose(&w.x, &[0]), slice(&w.x, &[0], &[2], &[1]), reverse(&w.x, &[0]),
    pad(&w.x, 1.0, &[1], &[0], &[0]),
    concatenate([&w.x, &w.x], 0), roll(&w.x, &[1], &[0]), take(&w.x, &w.ints, 0),
    take_along_dimension(&w.x, &w.ints, 0),
    reduce_sum(&w.x, [0]), reduce_prod(&w.x, [0]), reduce_max(&w.x, [0]), reduce_min(&w.x, [0]),
    reduce_and(&w.ints, [0]), reduce_or(&w.ints, [0]), reduce_xor(&w.ints, [0]),
    reshape(&w.x, &[2, 2]), iota<f32>(&w.gpu, &[4], 0),
};

/// Operations that are composed of others.
const COMPOSED: &[Entrance] = calls! { w;
    argmax(&w.x, [0]), argmin(&w.x, [0]), argmax_s64(&w.x, [0]), argmin_s64(&w.x, [0]),
    mean(&w.x, [0]), var(&w.x, [0]), logsumexp(&w.x, [0]), softmax(&w.x, [0]),
    log_softmax(&w.x, [0]), layer_norm(&w.x, [0], 1e-5), rms_norm(&w.x, [0], 1e-5),
    cumsum(&w.x, 0), cumprod(&w.x, 0), cummax(&w.x, 0), cummin(&w.x, 0),
    reduce_with_init(Opcode::ReduceSum, &w.x, 1.0, [0]),
    dot(&w.x, &w.x), dot_general(&w.x, &w.x, &DotDimensionNumbers::contracting([0], [0])),
};

/// Methods, by the file that they are in.
const ENTRANCES: &[Entrance] = &[
    ("array::to_literal", |w| pollster::block_on(w.sum.as_any().to_literal()).map(drop)),
    ("array::to_literal_blocking", |w| w.sum.as_any().to_literal_blocking().map(drop)),
    ("array::read_with", |w| pollster::block_on(w.sum.as_any().read_with(<[u8]>::len)).map(drop)),
    ("array::read_with_blocking", |w| w.sum.as_any().read_with_blocking(<[u8]>::len).map(drop)),
    ("typed::to_vec", |w| pollster::block_on(w.sum.to_vec()).map(drop)),
    ("typed::to_vec_blocking", |w| w.sum.to_vec_blocking().map(drop)),
    ("array::buffer", |w| w.sum.as_any().buffer().map(drop)),
    ("typed::buffer", |w| w.sum.buffer().map(drop)),
    ("summary::summary", |w| pollster::block_on(w.sum.summary()).map(drop)),
    ("summary::summary_blocking", |w| w.sum.summary_blocking().map(drop)),
    ("write::write", |w| {
        let mut target = w.x.clone();
        target.write(&[0.0; 4])?;
        target.slice_mut([1], [3])?.write(&[1.0; 2])
    }),
    ("import::array", |w| w.gpu.array([1], &[1.0f32]).map(drop)),
    ("import::upload", |w| w.gpu.upload(&Literal::from_slice([1], &[true])?).map(drop)),
    ("import::array_from_buffer", |w| {
        w.gpu.array_from_buffer::<f32>([4], w.buffer.clone(), 0).map(drop)
    }),
    ("creation::full", |w| w.gpu.full([4], 1.5f32).map(drop)),
    ("creation::zeros", |w| w.gpu.zeros::<i32>([2, 2]).map(drop)),
    ("creation::arange", |w| w.gpu.arange::<u8>(4).map(drop)),
    ("ndarray::array_from", |w| w.gpu.array_from(&two_columns()).map(drop)),
    ("ndarray::expr_from", |w| w.gpu.expr_from(&two_columns()).map(drop)),
    ("ndarray::to_ndarray", |w| pollster::block_on(w.sum.to_ndarray()).map(drop)),
    ("ndarray::to_ndarray_blocking", |w| w.sum.to_ndarray_blocking().map(drop)),
    ("context::flush", |w| w.gpu.flush()),
    ("context::wait_async", |w| pollster::block_on(w.gpu.wait_async())),
    ("context::wait", |w| w.gpu.wait()),
    ("context::wait_timeout", |w| w.gpu.wait_timeout(Duration::MAX).map(drop)),
    ("eval::eval", |w| {
        let (sum, twice) = (&w.x + 1.0, &w.x * 2.0);
        indim::eval((&sum, twice)).map(drop)?;
        sum.eval().map(drop)
    }),
    ("eval_into::eval_into", |w| {
        let mut target = w.x.clone();
        (&w.x + 1.0).eval_into(&mut target)?;
        (&w.x + 1.0).slice(&[0], &[2]).eval_into(target.slice_mut([1], [3])?)
    }),
    ("eval_into::encode_into", |w| {
        let mut target = w.x.clone();
        (&w.x + 1.0).encode_into(&mut w.encoder(), &mut target).map(drop)
    }),
    ("encode::encode", |w| {
        computation(2)
            .on(&w.gpu, &[w.x.as_any(), w.x.as_any()])
            .and_then(|f| f.encode(&mut w.encoder()))
            .map(drop)
    }),
    ("encode::command_buffer", |w| {
        computation(2)
            .on(&w.gpu, &[w.x.as_any(), w.sum.as_any()])
            .and_then(|f| f.command_buffer())
            .map(drop)
    }),
    ("texture::encode_to_texture", |w| {
        let array = w.gpu.array([1, 1], &[1.0f32])?;
        array.encode_to_texture(&mut w.encoder(), &w.texture(), 0, 0).map(drop)
    }),
    ("texture::array_from_texture", |w| {
        w.gpu.array_from_texture(&mut w.encoder(), &w.texture(), 0, 0).map(drop)
    }),
    ("context::timings", |w| match w.gpu.timings() {
        // Only a lost device gives another answer.
        Err(Error::Device(DeviceError::NoTimings)) => Ok(()),
        other => other.map(drop),
    }),
    ("encode_into::encode_into", |w| {
        let mut target = w.x.as_any().clone();
        computation(2)
            .on(&w.gpu, &[w.x.as_any(), w.sum.as_any()])
            .and_then(|f| f.encode_into(&mut w.encoder(), target.view_mut()))
            .map(drop)
    }),
    ("any_eval::eval", |w| AnyExpr::from(w.x.as_any()).tanh()?.eval().map(drop)),
    ("any_eval::eval_into", |w| {
        let mut target = w.x.as_any().clone();
        AnyExpr::from(w.x.as_any()).tanh()?.eval_into(target.view_mut())
    }),
    ("any_eval::encode_into", |w| {
        let mut target = w.x.as_any().clone();
        AnyExpr::from(w.x.as_any())
            .tanh()?
            .encode_into(&mut w.encoder(), target.view_mut())
            .map(drop)
    }),
    ("run::eval", |w| {
        let f = computation(2);
        f.on(&w.gpu, &[w.x.as_any(), w.x.as_any()])?.eval().map(drop)
    }),
    ("bound_into::eval_into", |w| {
        let mut target = w.x.as_any().clone();
        computation(2)
            .on(&w.gpu, &[w.x.as_any(), w.sum.as_any()])
            .and_then(|f| f.eval_into(target.view_mut()))
    }),
    ("run::run_all", |w| w.gpu.run_all(&computation(2), &[w.x.as_any(), w.sum.as_any()]).map(drop)),
    ("run::run", |w| w.gpu.run(&computation(2), &[w.x.as_any(), w.sum.as_any()]).map(drop)),
    ("run::prewarm", |w| w.gpu.prewarm(&[&computation(2)])),
    ("calibrate::calibrate", |w| pollster::block_on(w.gpu.calibrate())),
    ("check::check", |w| pollster::block_on(indim_self_check::check(&w.gpu)).map(drop)),
    ("check::check_blocking", |w| indim_self_check::check_blocking(&w.gpu).map(drop)),
    ("check::check_with_precision", |w| {
        let precision = indim::Precision::Relaxed;
        pollster::block_on(indim_self_check::check_with_precision(&w.gpu, precision)).map(drop)
    }),
];

/// Ways into these that go elsewhere.
const OTHERS: &[Entrance] = &[
    ("an array without elements", |w| w.gpu.array::<f32>([0], &[]).map(drop)),
    ("a readback without elements", |w| w.empty.to_vec_blocking().map(drop)),
    ("its own buffer", |w| w.x.as_any().to_literal_blocking().map(drop)),
    ("a bare array", |w| w.x.expr().eval().map(drop)),
    ("a value that is an array", |w| w.gpu.eval(&AnyExpr::from(w.x.as_any())).map(drop)),
    ("elements of host memory", |w| {
        let literal = Literal::from_slice([1], &[1.0f32])?;
        w.gpu.eval(&AnyExpr::literal(literal)).map(drop)
    }),
    ("an expression without arrays", |w| w.gpu.eval(&Expr::<i32>::iota(&[4], 0)).map(drop)),
    ("a computation that does nothing", |w| w.gpu.run(&computation(1), &[w.x.as_any()]).map(drop)),
    ("nothing to compile", |w| w.gpu.prewarm(&[])),
    ("Any", |w| {
        let x: &AnyArray = w.x.as_any();
        x.buffer().map(drop)
    }),
];

impl World {
    /// Also every operation.
    pub(crate) fn refuses_every_operation(&self) {
        let world = self.clone();
        at_once(move || {
            for (name, call) in OPS.iter().chain(COMPOSED) {
                match call(&world) {
                    Err(error) if is_lost(&error) => (),
                    Err(error) => panic!("{name}: {error}"),
                    Ok(()) => panic!("{name}: no error"),
                }
            }
        });
    }
}

/// Without a loss they all succeed, so the errors come from the loss.
#[test]
fn every_entrance_is_open_otherwise() {
    for (gpu, share) in [(super::noop(), 1), (super::own(), share::one_of(8))] {
        let world = World::new(&gpu).unwrap();
        let all = OPS.iter().chain(COMPOSED).chain(ENTRANCES).chain(OTHERS);
        for (name, call) in all.step_by(share) {
            call(&world).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
}

/// The lists are complete: they are compared with the table of operations and with the sources.
#[test]
fn every_entrance_is_listed() {
    let is_function = |op: &&Opcode| !matches!(op, Opcode::Parameter | Opcode::Constant);
    let ops = Opcode::ALL.iter().filter(is_function);
    listed(OPS, &ops.map(|op| format!("indim::{}", op.method())).collect(), &[]);
    let table = include_str!("../../core/src/semantics/op/table.rs");
    let reduces = |line: &str| {
        let (name, _) = line.trim().split_once(" Reduce(")?;
        let (_, name) = name.split_once(' ')?;
        (!name.starts_with("reduce_")).then(|| format!("indim::{name}"))
    };
    // The table has no row of it.
    let by_hand = "indim::reduce_with_init".to_owned();
    listed(COMPOSED, &table.lines().filter_map(reduces).chain([by_hand]).collect(), &[]);
    let files = [
        ("array", include_str!("../../src/device/arrays/array.rs")),
        ("typed", include_str!("../../src/device/arrays/typed.rs")),
        ("import", include_str!("../../src/device/arrays/import.rs")),
        ("ndarray", include_str!("../../src/api/ndarray.rs")),
        ("context", include_str!("../../src/device/context.rs")),
        ("open", include_str!("../../src/api/open.rs")),
        ("expr", include_str!("../../src/api/expr.rs")),
        ("creation", include_str!("../../src/api/creation.rs")),
        ("summary", include_str!("../../src/api/summary.rs")),
        ("eval", include_str!("../../src/api/eval.rs")),
        ("eval_into", include_str!("../../src/api/eval_into.rs")),
        ("encode", include_str!("../../src/device/run/encode.rs")),
        ("texture", include_str!("../../src/device/run/texture.rs")),
        ("bound_into", include_str!("../../src/device/run/eval_into.rs")),
        ("encode_into", include_str!("../../src/device/run/encode_into.rs")),
        ("bound", include_str!("../../src/device/run/bound.rs")),
        ("bind", include_str!("../../src/api/bind.rs")),
        ("any_eval", include_str!("../../src/api/any_eval.rs")),
        ("write", include_str!("../../src/device/run/write.rs")),
        ("run", include_str!("../../src/device/run/execute.rs")),
        ("calibrate", include_str!("../../src/calibration/calibrate.rs")),
        ("check", include_str!("../../self-check/src/check.rs")),
    ];
    let found = files.map(|(module, text)| functions(module, text)).into_iter().flatten().collect();
    let others = [
        // They make a context.
        "open::new",
        "open::blocking",
        "open::with_options",
        "open::blocking_with_options",
        "open::from_device",
        "open::from_device_with_options",
        // They ask the device nothing.
        "typed::downcast",
        "expr::shape",
        "expr::rank",
        "eval::explain",
        "any_eval::explain",
        "run::explain",
        "bind::bind",
        "any_eval::bind",
        "bound::context",
    ];
    listed(ENTRANCES, &found, &others);
}

fn listed(list: &[Entrance], found: &BTreeSet<String>, others: &[&str]) {
    let listed = list.iter().map(|(name, _)| *name).chain(others.iter().copied());
    let listed: BTreeSet<String> = listed.map(str::to_owned).collect();
    assert_eq!(&listed, found);
}

/// Public functions that give a `Result`.
fn functions(module: &str, text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for part in text.split("\n").collect::<Vec<_>>().join(" ").split("pub ").skip(1) {
        let Some(rest) = part.trim_start_matches("async ").strip_prefix("fn ") else { continue };
        let name = rest.split(['(', '<']).next().unwrap_or_default();
        let signature = rest.split(" {").next().unwrap_or_default();
        let result = signature.rsplit(" -> ").next().unwrap_or_default();
        if result.starts_with("Result<") && !name.starts_with('$') {
            found.insert(format!("{module}::{name}"));
        }
    }
    found
}

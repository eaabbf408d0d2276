//! Tests that results computed in chunks have the bits that they have as a whole, that memory is
//! bounded, and that sources and sinks which fail end the run.

#![allow(clippy::single_range_in_vec_init, reason = "a region may have one dimension")]

use std::io;
use std::ops::{ControlFlow, Range};

use indim::{
    AnyArray, Builder, BuilderError, ChunkSink, ChunkSource, ChunkedError, Computation, Context,
    ElementType, Error, Literal, Scalar, Shape,
};
use indim_testing::contexts;
use indim_testing::programs::compare::literal;
use indim_testing::programs::{build, generate, run};
use indim_testing::random::Random;
use indim_testing::share;

/// Random programs that run in chunks.
const PROGRAMS: u64 = 150;
const FIRST_SEED: u64 = 20_261_201;

/// Takes what a sink is given, and checks that it comes in order.
#[derive(Default)]
struct Collected {
    bytes: Vec<u8>,
    chunks: usize,
    shape: Shape,
    elements: usize,
}

impl Collected {
    fn of(shape: &Shape) -> Self {
        Self { shape: shape.clone(), ..Self::default() }
    }
}

impl ChunkSink for Collected {
    fn write(&mut self, region: &[Range<usize>], bytes: &[u8]) -> io::Result<()> {
        let strides = self.shape.strides();
        let corner = |of: fn(&Range<usize>) -> usize| -> usize {
            region.iter().zip(&strides).map(|(range, stride)| of(range) * stride).sum()
        };
        assert_eq!(corner(|range| range.start), self.elements, "{region:?}");
        self.elements += region.iter().map(Range::len).product::<usize>();
        assert_eq!(corner(|range| range.end - 1) + 1, self.elements, "{region:?}");
        self.chunks += 1;
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }
}

/// Counts the bytes that are read of a literal.
pub(crate) struct Counting {
    literal: Literal,
    pub(crate) bytes: usize,
    largest: usize,
}

impl Counting {
    pub(crate) fn of(literal: Literal) -> Self {
        Self { literal, bytes: 0, largest: 0 }
    }
}

impl ChunkSource for Counting {
    fn element_type(&self) -> ElementType {
        self.literal.element_type()
    }

    fn shape(&self) -> &Shape {
        self.literal.shape()
    }

    fn read(&mut self, region: &[Range<usize>], into: &mut [u8]) -> io::Result<()> {
        self.bytes += into.len();
        self.largest = self.largest.max(into.len());
        self.literal.read(region, into)
    }
}

fn whole(gpu: &Context, computation: &Computation, literals: &[Literal]) -> Vec<Literal> {
    let arrays: Vec<AnyArray> = literals.iter().map(|l| gpu.upload(l).unwrap()).collect();
    let arguments: Vec<&AnyArray> = arrays.iter().collect();
    let results = gpu.run_all(computation, &arguments).unwrap();
    results.iter().map(|result| result.to_literal_blocking().unwrap()).collect()
}

/// Computes in chunks of the fewest bytes that a power of 2 allows. Returns the number of chunks.
pub(crate) fn in_small_chunks(
    gpu: &Context,
    computation: &Computation,
    literals: &[Literal],
) -> usize {
    let expected = whole(gpu, computation, literals);
    let mut max_bytes = 256;
    loop {
        let mut literals = literals.to_vec();
        let mut sources: Vec<&mut dyn ChunkSource> =
            literals.iter_mut().map(|literal| literal as _).collect();
        let mut collected: Vec<Collected> =
            computation.results().map(|(_, shape)| Collected::of(shape)).collect();
        let mut sinks: Vec<(usize, &mut dyn ChunkSink)> =
            collected.iter_mut().enumerate().map(|(number, c)| (number, c as _)).collect();
        let chunked = gpu.chunked(computation).max_bytes(max_bytes);
        match chunked.run(&mut sources, &mut sinks, |_| ControlFlow::Continue(())) {
            Ok(()) => {
                for (collected, expected) in collected.iter().zip(&expected) {
                    assert_eq!(collected.bytes, expected.bytes());
                }
                return collected.iter().map(|c| c.chunks).max().unwrap_or(0);
            }
            Err(ChunkedError::TooLarge { .. }) => max_bytes *= 2,
            Err(other) => panic!("{other}"),
        }
    }
}

#[test]
fn random_programs_have_the_same_bits_in_chunks() {
    let gpu = contexts::gpu();
    let (mut programs, mut cut, mut moves) = (0, 0, 0);
    for seed in FIRST_SEED..FIRST_SEED + PROGRAMS / share::one_of(16) as u64 {
        let case = generate::small_case(&mut Random::new(seed));
        if run::lacks_f64(&gpu, &case.program) {
            continue;
        }
        let computation = build::build(&case.program).unwrap();
        let literals: Vec<Literal> =
            case.program.parameters().map(|p| literal(p.ty, p.data).unwrap()).collect();
        let chunks = run::caught(|| Ok(in_small_chunks(&gpu, &computation, &literals)))
            .unwrap_or_else(|text| panic!("seed {seed}: {text}\n{}", case.program));
        programs += 1;
        cut += usize::from(chunks > 1);
        moves += case.program.nodes.iter().filter(|node| node.call.is_move()).count();
    }
    assert!(
        programs > 100 / share::one_of(16) && cut > programs / 3 && moves > 0,
        "{programs} {cut} {moves}"
    );
}

/// An operand of F32 that counts up.
fn counted(shape: impl Into<Shape>) -> Literal {
    let shape = shape.into();
    let count = shape.element_count().unwrap();
    let values: Vec<f32> = (0..count).map(|i| i as f32 * 0.5 - 7.0).collect();
    Literal::from_slice(shape, &values).unwrap()
}

/// Elements at computed indices, along dimensions that are cut and along others.
#[test]
fn takes_have_the_same_bits_in_chunks() {
    let gpu = contexts::gpu();
    let indices = |sizes: [usize; 2]| {
        let values: Vec<i32> = (0..600).map(|i| i * 37 % 50 - 5).collect();
        Literal::from_slice(sizes, &values[..sizes[0] * sizes[1]]).unwrap()
    };
    type Make = fn(&mut Builder, indim::Op, indim::Op) -> indim::Result<indim::Op>;
    let cases: [([usize; 2], Make); 5] = [
        ([60, 3], |b, x, i| b.take(x, i, 0)),
        ([20, 3], |b, x, i| b.take(x, i, 1)),
        ([30, 20], |b, x, i| b.take_along_dimension(x, i, 1)),
        ([40, 1], |b, x, i| b.take_along_dimension(x, i, 0)),
        ([60, 3], |b, x, i| {
            let rows = b.take(x, i, 0)?;
            b.reduce_sum(rows, &[1])
        }),
    ];
    for (sizes, make) in cases {
        let mut b = Builder::new();
        let x = b.parameter(ElementType::F32, [30, 14]).unwrap();
        let i = b.parameter(ElementType::S32, sizes).unwrap();
        let result = make(&mut b, x, i).unwrap();
        let computation = b.build(result).unwrap();
        let chunks = in_small_chunks(&gpu, &computation, &[counted([30, 14]), indices(sizes)]);
        assert!(chunks > 1, "{sizes:?}: {chunks}");
    }
}

/// Every operation that moves elements, along dimensions that are cut, on one adapter.
#[test]
fn views_and_moves_have_the_same_bits_in_chunks() {
    let gpu = contexts::gpu();
    let build = |make: &dyn Fn(&mut Builder, indim::Op, indim::Op) -> indim::Result<indim::Op>| {
        let mut b = Builder::new();
        let x = b.parameter(ElementType::F32, [30, 14]).unwrap();
        let y = b.parameter(ElementType::F32, [30]).unwrap();
        let result = make(&mut b, x, y).unwrap();
        b.build(result).unwrap()
    };
    let literals = [counted([30, 14]), counted([30])];
    let computations = [
        build(&|b, x, y| b.add(x, y, &[0])),
        build(&|b, x, y| {
            let t = b.transpose(x, &[1, 0])?;
            b.add(t, y, &[1])
        }),
        build(&|b, x, _| b.reverse(x, &[0, 1])),
        build(&|b, x, _| b.slice(x, &[3, 1], &[29, 13], &[3, 2])),
        build(&|b, x, _| b.reshape(x, &[20, 21])),
        build(&|b, x, _| b.reshape(x, &[3, 140])),
        build(&|b, x, _| b.reshape(x, &[420])),
        build(&|b, x, _| {
            let flat = b.reshape(x, &[420])?;
            let turned = b.reverse(flat, &[0])?;
            let back = b.reshape(turned, &[30, 14])?;
            b.mul(back, x, &[])
        }),
        build(&|b, x, y| {
            let zero = b.slice(y, &[0], &[1], &[1])?;
            let zero = b.reshape(zero, &[])?;
            b.pad(x, zero, &[5, -2], &[3, 4], &[2, 0])
        }),
        build(&|b, x, y| {
            let column = b.reshape(y, &[30, 1])?;
            b.concatenate(&[x, column, x], 1)
        }),
        build(&|b, x, _| b.concatenate(&[x, x, x, x, x], 0)),
        build(&|b, x, _| b.roll(x, &[11, 3], &[0, 1])),
        build(&|b, x, _| b.bitcast_convert_type(x, ElementType::U8)),
        build(&|b, x, _| {
            let bytes = b.bitcast_convert_type(x, ElementType::U8)?;
            let turned = b.reverse(bytes, &[2])?;
            b.bitcast_convert_type(turned, ElementType::F32)
        }),
        build(&|b, _, _| b.iota(ElementType::S8, &[300, 3], 0)),
        build(&|b, _, _| b.iota(ElementType::F16, &[300, 3], 0)),
        build(&|b, _, _| b.iota(ElementType::U4, &[2, 150], 1)),
        build(&|b, _, _| b.iota(ElementType::S64, &[300], 0)),
        build(&|_, x, _| Ok(x)),
        build(&|b, x, _| b.slice(x, &[3, 1], &[3, 13], &[1, 1])),
        build(&|b, _, y| {
            let rows = b.broadcast_in_dim(y, &[30, 30], &[0])?;
            let columns = b.broadcast_in_dim(y, &[30, 30], &[1])?;
            b.mul(rows, columns, &[])
        }),
    ];
    let chunks: Vec<usize> =
        computations.iter().map(|c| in_small_chunks(&gpu, c, &literals)).collect();
    // A slice of nothing has no chunk, and reshapes without common rows have one.
    let whole = chunks.iter().filter(|&&chunks| chunks <= 1).count();
    assert!(whole <= 3, "{chunks:?}");
}

#[test]
fn a_broadcast_operand_is_read_once_and_others_in_pieces() {
    let gpu = contexts::gpu();
    let mut b = Builder::new();
    let x = b.parameter(ElementType::F32, [1000, 50]).unwrap();
    let v = b.parameter(ElementType::F32, [50]).unwrap();
    let sum = b.add(x, v, &[1]).unwrap();
    let difference = b.sub(x, v, &[1]).unwrap();
    let computation = b.build_all(&[sum, difference]).unwrap();
    let counting = |literal: Literal| Counting { literal, bytes: 0, largest: 0 };
    let (mut x, mut v) = (counting(counted([1000, 50])), counting(counted([50])));
    let (mut sum, mut difference) = (Vec::new(), Vec::new());
    let mut last = None;
    gpu.chunked(&computation)
        .max_bytes(200_000)
        .run(&mut [&mut x, &mut v], &mut [(0, &mut sum), (1, &mut difference)], |progress| {
            last = Some((progress.done, progress.total));
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!((x.bytes, v.bytes), (200_000, 200));
    assert!(x.largest < 20_000, "{}", x.largest);
    assert_eq!(last, Some((100_000, 100_000)));
    let expected = whole(&gpu, &computation, &[x.literal, v.literal]);
    assert_eq!([sum.as_slice(), &difference], [expected[0].bytes(), expected[1].bytes()]);
}

#[test]
fn results_of_several_shapes_and_single_ones_and_regions() {
    let gpu = contexts::gpu();
    let mut b = Builder::new();
    let x = b.parameter(ElementType::F32, [40, 30]).unwrap();
    let doubled = b.add(x, x, &[]).unwrap();
    let turned = b.transpose(doubled, &[1, 0]).unwrap();
    let computation = b.build_all(&[doubled, turned, x]).unwrap();
    let literals = [counted([40, 30])];
    assert!(in_small_chunks(&gpu, &computation, &literals) > 1);
    let expected = whole(&gpu, &computation, &literals);
    let [mut x] = literals;
    let chunked = gpu.chunked(&computation).max_bytes(2_500);
    let mut one = Vec::new();
    chunked.run(&mut [&mut x], &mut [(1, &mut one)], |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(one, expected[1].bytes());

    let corner = chunked.region(1, &[28..30, 37..40], &mut [&mut x]).unwrap();
    let values: Vec<f32> = expected[1].to_vec().unwrap();
    let wanted = [values[28 * 40 + 37..29 * 40].to_vec(), values[29 * 40 + 37..].to_vec()].concat();
    assert_eq!(corner, Literal::from_slice([2, 3], &wanted).unwrap());
    assert!(chunked.region(1, &[3..3, 0..40], &mut [&mut x]).unwrap().is_empty());
    for (result, region) in [(1, vec![0..31, 0..1]), (1, vec![0..1])] {
        let refused = chunked.region(result, &region, &mut [&mut x]).unwrap_err();
        assert_eq!(
            refused.to_string(),
            format!(
                "result {result} has no region {region:?}; a region has a range for each dimension, within its size"
            )
        );
    }
}

/// The values that several kernels store between them count towards the bound, so chunks are smaller
/// than where one kernel computes the same.
#[test]
fn values_that_kernels_store_between_them_count() {
    const COUNT: usize = 1 << 18;
    const MAX_BYTES: u64 = 4 << 20;
    let gpu = contexts::gpu();
    let mut limits = gpu.plan_limits().clone();
    limits.tuning.max_ops_per_kernel = 2;
    let mut options = contexts::options();
    options.plan_limits = Some(limits);
    let of_small_kernels = Context::blocking_with_options(options).unwrap();
    let mut b = Builder::new();
    let x = b.parameter(ElementType::F32, [COUNT]).unwrap();
    let mut values: Vec<_> = (1..=64)
        .map(|number| {
            let number = b.constant(Scalar::new(number as f32)).unwrap();
            b.hypot(x, number, &[]).unwrap()
        })
        .collect();
    while values.len() > 1 {
        values = values.chunks(2).map(|pair| b.add(pair[0], pair[1], &[]).unwrap()).collect();
    }
    let sum = b.build(values[0]).unwrap();
    let mut x = counted([COUNT]);
    let expected = whole(&gpu, &sum, std::slice::from_ref(&x));
    let mut chunks = |context: &Context| {
        let mut collected = Collected::of(x.shape());
        let chunked = context.chunked(&sum).max_bytes(MAX_BYTES);
        let going_on = |_| ControlFlow::Continue(());
        chunked.run(&mut [&mut x], &mut [(0, &mut collected)], going_on).unwrap();
        assert_eq!(collected.bytes, expected[0].bytes());
        collected.chunks
    };
    let one_kernel = chunks(&gpu);
    let of_many = chunks(&of_small_kernels);
    assert!(of_many > one_kernel, "{of_many} chunks, {one_kernel} of one kernel");
    let peak = of_small_kernels.memory().peak;
    assert!(peak <= MAX_BYTES, "{peak} bytes were in use");

    // The bytes that an error asks for are enough, and not one too many.
    let mut element = |max_bytes: u64| {
        let chunked = of_small_kernels.chunked(&sum).max_bytes(max_bytes);
        chunked.region(0, &[5..6], &mut [&mut x])
    };
    let Err(ChunkedError::TooLarge { needed: Some(needed), .. }) = element(1) else {
        panic!("one byte is enough")
    };
    assert!(needed > 10 * 12, "{needed} bytes are needed");
    assert_eq!(element(needed).unwrap().bytes(), &expected[0].bytes()[20..24]);
    assert!(matches!(element(needed - 1), Err(ChunkedError::TooLarge { .. })));
}

/// Runs a computation of one operand by this many bytes; gives the error, and the bytes that were read
/// and written.
fn run_within(
    gpu: &Context,
    computation: &Computation,
    max_bytes: u64,
) -> (Option<ChunkedError>, usize, usize) {
    let mut source = Counting { literal: counted([90, 90]), bytes: 0, largest: 0 };
    let results = computation.results().len();
    let mut written = vec![Vec::new(); results];
    let mut sinks: Vec<(usize, &mut dyn ChunkSink)> =
        written.iter_mut().enumerate().map(|(number, sink)| (number, sink as _)).collect();
    let chunked = gpu.chunked(computation).max_bytes(max_bytes);
    let ran = chunked.run(&mut [&mut source], &mut sinks, |_| ControlFlow::Continue(()));
    (ran.err(), source.bytes, written.iter().map(Vec::len).sum())
}

/// Elements far from the diagonal need more of the operand than those before them.
#[test]
fn the_bytes_that_an_error_asks_for_suffice_for_every_element() {
    let gpu = contexts::gpu();
    let build = |make: &dyn Fn(&mut Builder, indim::Op) -> Vec<indim::Op>| {
        let mut b = Builder::new();
        let x = b.parameter(ElementType::F32, [90, 90]).unwrap();
        let results = make(&mut b, x);
        b.build_all(&results).unwrap()
    };
    let turned = build(&|b, x| {
        let turned = b.transpose(x, &[1, 0]).unwrap();
        vec![b.add(turned, x, &[]).unwrap()]
    });
    let computations = [
        // The second result needs more than the first one, and has another shape.
        build(&|b, x| {
            let part = b.slice(x, &[0, 0], &[40, 90], &[1, 1]).unwrap();
            let last = b.slice(x, &[50, 0], &[90, 90], &[1, 1]).unwrap();
            let turned = b.transpose(x, &[1, 0]).unwrap();
            vec![b.add(part, last, &[]).unwrap(), b.add(turned, x, &[]).unwrap()]
        }),
        // The largest box is that of an element in the middle.
        build(&|b, x| {
            let [low, high] = [[0, 30], [60, 60]].map(|start: [i64; 2]| {
                b.slice(x, &start, &start.map(|start| start + 30), &[1, 1]).unwrap()
            });
            let turned = b.transpose(high, &[1, 0]).unwrap();
            let turned = b.reverse(turned, &[0, 1]).unwrap();
            vec![b.sub(low, turned, &[]).unwrap()]
        }),
        // Two pieces meet within the result.
        build(&|b, x| {
            let rolled = b.roll(x, &[7], &[1]).unwrap();
            vec![b.add(rolled, x, &[]).unwrap()]
        }),
        build(&|b, x| {
            let flat = b.reshape(x, &[8100]).unwrap();
            let turned = b.reverse(flat, &[0]).unwrap();
            vec![b.add(turned, flat, &[]).unwrap()]
        }),
        turned,
    ];
    for (number, computation) in computations.iter().enumerate() {
        for max_bytes in [0, 200, 2_000, 20_000, 100_000] {
            let (error, read, written) = run_within(&gpu, computation, max_bytes);
            let Some(error) = error else { continue };
            let ChunkedError::TooLarge { needed: Some(needed), .. } = error else {
                panic!("{error}")
            };
            assert_eq!((read, written), (0, 0), "{number}: something was done before {error}");
            assert!(needed > max_bytes, "{number}: {error}");
            let (error, ..) = run_within(&gpu, computation, needed);
            assert!(error.is_none(), "{number} by {max_bytes}, then {needed}: {error:?}");
        }
    }
    // The element in the corner needs all of the operand, and two elements are computed.
    let (error, ..) = run_within(&gpu, &computations[4], 5_000);
    let Some(ChunkedError::TooLarge { needed, bytes, parameter, .. }) = error else {
        panic!("{error:?}")
    };
    assert_eq!((needed, bytes, parameter), (Some(10 * (32_400 + 8)), 32_400, Some(0)));
    assert!(run_within(&gpu, &computations[4], 10 * (32_400 + 8) - 1).0.is_some());
}

/// No more of an iota is computed than a region of it, whose bits are those of the whole.
#[test]
#[ignore = "long: in `.ci/run`"]
fn regions_of_iotas_are_those_of_the_whole() {
    let gpu = contexts::gpu();
    let types = ElementType::ALL.iter().filter(|&&of| of != ElementType::Pred && gpu.supports(of));
    for &of in types {
        let mut b = Builder::new();
        let whole = b.iota(of, &[1_i64 << 40, 3], 0).unwrap();
        let whole = b.build(whole).unwrap();
        // A chunk is a tenth of it, some ten rows.
        let chunked = gpu.chunked(&whole).max_bytes(800 * of.size_in_bytes() as u64);
        for start in [0, 2048, (1 << 32) - 35, 3 << 33] {
            let region = [start..start + 70, 1..3];
            let found = chunked.region(0, &region, &mut []).unwrap();
            let mut b = Builder::new();
            let iota = b.iota(of, &[1_i64 << 40, 3], 0).unwrap();
            let starts = [start as i64, 1];
            let slice = b.slice(iota, &starts, &[starts[0] + 70, 3], &[1, 1]).unwrap();
            let slice = gpu.run(&b.build(slice).unwrap(), &[]).unwrap();
            assert_eq!(found, slice.to_literal_blocking().unwrap(), "{of} from {start}");
        }
    }
}

/// Fails at the third call.
struct Failing(Literal, usize);

impl ChunkSource for Failing {
    fn element_type(&self) -> ElementType {
        self.0.element_type()
    }

    fn shape(&self) -> &Shape {
        self.0.shape()
    }

    fn read(&mut self, region: &[Range<usize>], into: &mut [u8]) -> io::Result<()> {
        self.1 += 1;
        if self.1 == 3 { Err(io::Error::other("gone")) } else { self.0.read(region, into) }
    }
}

impl ChunkSink for Failing {
    fn write(&mut self, _: &[Range<usize>], _: &[u8]) -> io::Result<()> {
        self.1 += 1;
        if self.1 == 3 { Err(io::Error::other("full")) } else { Ok(()) }
    }
}

#[test]
fn what_goes_wrong_is_named() {
    let gpu = contexts::gpu();
    let mut b = Builder::new();
    let x = b.parameter(ElementType::F32, [1000]).unwrap();
    let y = b.neg(x).unwrap();
    let computation = b.build(y).unwrap();
    let chunked = gpu.chunked(&computation).max_bytes(10 * 1200);
    let go_on = |_| ControlFlow::Continue(());
    let failing = || Failing(counted([1000]), 0);
    let mut sink = Vec::new();

    let error = chunked.run(&mut [&mut failing()], &mut [(0, &mut sink)], go_on).unwrap_err();
    assert_eq!(error.to_string(), "cannot read parameter 0: gone");
    // The chunks before it are there.
    assert_eq!(sink.len(), 800);
    let error =
        chunked.run(&mut [&mut counted([1000])], &mut [(0, &mut failing())], go_on).unwrap_err();
    assert_eq!(error.to_string(), "cannot write result 0: full");

    let mut calls = 0;
    let stop = |_| {
        calls += 1;
        if calls == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let error = chunked.run(&mut [&mut counted([1000])], &mut [(0, &mut sink)], stop).unwrap_err();
    assert!(matches!(error, ChunkedError::Stopped), "{error}");
    assert_eq!(calls, 2);

    let error = chunked.run(&mut [], &mut [(0, &mut sink)], go_on).unwrap_err();
    let count =
        matches!(error, ChunkedError::Run(Error::Builder(BuilderError::ArgumentCount { .. })));
    assert!(count, "{error}");
    let error = chunked.run(&mut [&mut counted([999])], &mut [(0, &mut sink)], go_on).unwrap_err();
    let argument =
        matches!(error, ChunkedError::Run(Error::Builder(BuilderError::Argument { .. })));
    assert!(argument, "{error}");
    let mut none: [(usize, &mut dyn ChunkSink); 1] = [(1, &mut sink)];
    let error = chunked.run(&mut [&mut counted([1000])], &mut none, go_on).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the computation has 1 results, and none of number 1; they are numbered from 0"
    );
    let tiny = gpu.chunked(&computation).max_bytes(32);
    let error = tiny.run(&mut [&mut counted([1000])], &mut [(0, &mut sink)], go_on).unwrap_err();
    assert_eq!(
        error.to_string(),
        "result 0 cannot be cut into chunks that fit in 32 bytes: 8 bytes of a value that is computed on the way are needed for a single element; allow 120 bytes"
    );
}

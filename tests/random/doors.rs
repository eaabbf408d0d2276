//! Every way to make random numbers gives the same ones; they fuse, also in chunks; and the errors of
//! wrong keys and operands.

use std::io;
use std::ops::{ControlFlow, Range};

use indim::plan::PlanLimits;
use indim::{
    AnyExpr, Array, Builder, ChunkSink, ChunkSource, Computation, ElementType, Error, Expr,
    Literal, Op, Rule, Scalar,
};
use indim_testing::contexts::{dispatches, gpu};

const SEED: u64 = 0x1234_5678_9abc_def0;

#[test]
fn all_ways_to_call_give_the_same_numbers() {
    let gpu = gpu();
    let key = Expr::random_key(SEED);
    let words = gpu.random_key(SEED).unwrap();
    assert_eq!(gpu.eval(&key).unwrap().to_vec_blocking().unwrap(), [0x1234_5678, 0x9abc_def0]);
    assert_eq!(words.to_vec_blocking().unwrap(), [0x1234_5678, 0x9abc_def0]);
    let any = AnyExpr::random_key(SEED).unwrap();

    let expected: Expr<f32> = key.random_normal([3, 5]);
    let expected = gpu.eval(&expected).unwrap().to_vec_blocking().unwrap();
    let of_array: Expr<f32> = words.random_normal([3, 5]);
    assert_eq!(of_array.eval().unwrap().to_vec_blocking().unwrap(), expected);
    let eager: Array<f32> = indim::random_normal(&words, [3, 5]).unwrap();
    assert_eq!(eager.to_vec_blocking().unwrap(), expected);
    let typed_later = any.random_normal(ElementType::F32, [3, 5]).unwrap();
    let typed_later = gpu.eval(&typed_later).unwrap().to_literal_blocking().unwrap();
    assert_eq!(typed_later.to_vec::<f32>().unwrap(), expected);
    let mut b = Builder::new();
    let key = b.random_key(SEED).unwrap();
    let normal = b.random_normal(key, ElementType::F32, [3, 5]).unwrap();
    let built = gpu.run(&b.build(normal).unwrap(), &[]).unwrap().to_literal_blocking().unwrap();
    assert_eq!(built.to_vec::<f32>().unwrap(), expected);
}

#[test]
fn keys_that_are_split_and_folded_are_keys() {
    let gpu = gpu();
    let keys = Expr::random_key(1).random_split([2]);
    let stored = gpu.eval(&keys).unwrap();
    let [lazy, of_stored] = [keys.index(0, 1), stored.index(0, 1)].map(|key| {
        let numbers: Expr<u32> = key.random_fold_in(3).random_bits([7]);
        gpu.eval(&numbers).unwrap().to_vec_blocking().unwrap()
    });
    assert_eq!(lazy, of_stored);
    let first: Expr<u32> = keys.index(0, 0).random_fold_in(3).random_bits([7]);
    assert_ne!(gpu.eval(&first).unwrap().to_vec_blocking().unwrap(), lazy);
}

/// The elements that a mask keeps, over the share of those.
fn dropout(b: &mut Builder, key: Op, x: Op) -> Op {
    let sizes: Vec<i64> = b.shape(x).unwrap().dims().iter().map(|&size| size as i64).collect();
    let [keep, zero] = [0.9_f32, 0.0].map(|value| b.constant(Scalar::new(value)).unwrap());
    let mask = b.random_bernoulli(key, keep, &sizes).unwrap();
    let scaled = b.div(x, keep, []).unwrap();
    b.select(mask, scaled, zero).unwrap()
}

fn dropout_of(sizes: &[usize]) -> Computation {
    let mut b = Builder::new();
    let key = b.parameter(ElementType::U32, [2]).unwrap();
    let x = b.parameter(ElementType::F32, sizes).unwrap();
    let root = dropout(&mut b, key, x);
    b.build(root).unwrap()
}

#[test]
fn dropout_is_one_kernel() {
    for sizes in [&[4096, 1024][..], &[7, 5, 3], &[100_001]] {
        let explanation = PlanLimits::default().explain(&dropout_of(sizes)).unwrap();
        assert_eq!(explanation.kernels.len(), 1, "{sizes:?}");
    }
    let gpu = gpu();
    let x: Array<f32> = gpu.full([64, 64], 1.0).unwrap();
    let key = Expr::random_key(5);
    // The key of a layer and of a step is computed once, in a kernel before.
    let derived = key.random_split([3]).index(0, 2).random_fold_in(7);
    let mut kept_elements = Vec::new();
    for (key, expected) in [(key, 1), (derived, 2)] {
        let mask = key.random_bernoulli(0.75, [64, 64]);
        let kept = mask.select(&x / 0.75, 0.0);
        let read = || kept_elements = kept.eval().unwrap().to_vec_blocking().unwrap();
        assert_eq!(dispatches(&gpu, read), expected);
    }
    let mean = kept_elements.iter().sum::<f32>() / 4096.0;
    assert!((mean - 1.0).abs() < 0.03, "{mean}");
}

#[test]
fn new_seeds_compile_nothing() {
    let gpu = gpu();
    let mut sums = Vec::new();
    let mut compilations = 0;
    for seed in [0, 1, 13, 32, 1 << 32, u64::MAX] {
        let of_scalars: Expr<u16> = Expr::random_key(seed).random_bits([100]);
        let of_array: Expr<u16> = gpu.random_key(seed).unwrap().random_bits([100]);
        let [a, b] =
            [of_scalars, of_array].map(|x| gpu.eval(&x).unwrap().to_vec_blocking().unwrap());
        assert_eq!(a, b);
        sums.push(a.iter().map(|&x| u64::from(x)).sum::<u64>());
        if seed == 0 {
            compilations = gpu.stats().compilations;
        }
    }
    assert_eq!(gpu.stats().compilations, compilations);
    sums.sort_unstable();
    sums.dedup();
    assert_eq!(sums.len(), 6);
}

#[test]
fn moments_are_those_of_the_distributions() {
    let gpu = gpu();
    let key = gpu.random_key(2026).unwrap();
    let normal: Expr<f32> = key.random_normal([1 << 16]);
    let uniform: Expr<f32> = key.random_uniform(-1.0, 3.0, [1 << 16]);
    let dice: Expr<i32> = key.random_randint(1, 7, [1 << 16]);
    let dice = dice.convert_element_type::<f32>();
    for (x, mean, variance) in
        [(normal, 0.0, 1.0), (uniform, 1.0, 4.0 / 3.0), (dice, 3.5, 35.0 / 12.0)]
    {
        let of = |x: Expr<f32>| x.eval().unwrap().to_vec_blocking().unwrap()[0];
        // Six times the standard errors of the mean, 1 / 256, and of the variance, at most twice that.
        let found = [of(x.mean([0])), of(x.var([0]))];
        assert!((found[0] - mean).abs() < 0.024 * f32::sqrt(variance), "{found:?}");
        assert!((found[1] - variance).abs() < 0.04 * variance, "{found:?}");
    }
}

/// The bytes of chunks, which come in order.
#[derive(Default)]
struct Collected {
    bytes: Vec<u8>,
    chunks: usize,
}

impl ChunkSink for Collected {
    fn write(&mut self, _: &[Range<usize>], bytes: &[u8]) -> io::Result<()> {
        self.chunks += 1;
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }
}

#[test]
fn chunks_have_the_same_numbers() {
    let gpu = gpu();
    for sizes in [&[40_000][..], &[50, 800], &[3, 17, 801]] {
        let computation = dropout_of(sizes);
        let count: usize = sizes.iter().product();
        let elements: Vec<f32> = (0..count).map(|x| x as f32).collect();
        let mut x = Literal::from_slice(sizes, &elements).unwrap();
        let mut key = Literal::from_slice([2], &[3_u32, 4]).unwrap();
        let arrays = [gpu.upload(&key).unwrap(), gpu.upload(&x).unwrap()];
        let whole = gpu.run(&computation, &[&arrays[0], &arrays[1]]).unwrap();
        let whole = whole.to_literal_blocking().unwrap();

        let mut collected = Collected::default();
        let mut sources: [&mut dyn ChunkSource; 2] = [&mut key, &mut x];
        let mut sinks: [(usize, &mut dyn ChunkSink); 1] = [(0, &mut collected)];
        let chunked = gpu.chunked(&computation).max_bytes(1 << 16);
        chunked.run(&mut sources, &mut sinks, |_| ControlFlow::Continue(())).unwrap();
        assert!(collected.chunks > 3, "{}", collected.chunks);
        assert!(collected.bytes == whole.bytes(), "{sizes:?}");
    }
}

#[test]
fn wrong_keys_and_operands_are_named() {
    let refused = |error: Error, rule: Option<Rule>, message: &str| {
        assert_eq!((error.rule(), error.to_string().as_str()), (rule, message));
    };
    let constant = |x: f32| AnyExpr::constant(Scalar::new(x));
    let key = AnyExpr::random_key(1).unwrap();
    let three = AnyExpr::iota(ElementType::U32, [3], 0).unwrap();
    refused(
        three.random_normal(ElementType::F32, [4]).unwrap_err(),
        None,
        "random_normal: key has shape [3], but a key is u32[2]; make one with random_key, or take \
         one of several with index",
    );
    let keys = key.random_split([2]).unwrap();
    assert!(matches!(keys.random_split([2]), Err(Error::Builder(_))));
    let floats = AnyExpr::iota(ElementType::F32, [2], 0).unwrap();
    refused(
        floats.random_split([4]).unwrap_err(),
        Some(Rule::T1),
        "random_split: key has element type f32; this operation accepts u32; convert it with \
         convert_element_type",
    );
    refused(
        key.random_bits(ElementType::S32, [4]).unwrap_err(),
        Some(Rule::T1),
        "random_bits: the result has element type s32; this operation accepts u8, u16, u32 and u64; \
         make it one of these and convert the result with convert_element_type",
    );
    refused(
        key.random_uniform(&constant(0.0), &three, [4]).unwrap_err(),
        Some(Rule::T2),
        "random_uniform: minval has element type f32 and maxval has u32; convert one of them with \
         convert_element_type",
    );
    let row = AnyExpr::iota(ElementType::F32, [3], 0).unwrap();
    refused(
        key.random_bernoulli(&row, [2, 3]).unwrap_err(),
        Some(Rule::S1),
        "random_bernoulli: p [3] differs from the result [2, 3]; all operands must have one shape or \
         be scalars, so broadcast p with broadcast_in_dim first",
    );
    assert_eq!(key.random_bernoulli(&row, []).unwrap_err().rule(), Some(Rule::S1));
    refused(
        key.random_normal(ElementType::F32, [2, -3]).unwrap_err(),
        Some(Rule::N1),
        "random_normal: size 1 is -3; sizes are 0 or more",
    );
    let huge = key.random_bits(ElementType::U8, [1_i64 << 40, 1 << 40]);
    assert_eq!(huge.unwrap_err().rule(), Some(Rule::C1));
    let kept: Expr<f32> = Expr::<u32>::iota([3], 0).random_normal([2]);
    assert!(kept.eval().unwrap_err().to_string().contains("a key is u32[2]"));
}

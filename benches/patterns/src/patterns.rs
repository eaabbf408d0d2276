//! The measured patterns: their names, operands and computations.

use std::sync::{Mutex, MutexGuard, PoisonError};

use indim::half::{bf16, f16};
use indim::num_complex::Complex32;
use indim::{AnyArray, Array, Context, Element, ElementType, Expr, S4, Scalar, U4};

use crate::reductions;

/// The elements of a result, unless the pattern sets another number.
const ELEMENTS: usize = 1 << 22;

/// The number of additions in a batch.
pub(crate) const BATCH: usize = 100;

/// The number of shapes in the pattern `new_shapes`.
pub(crate) const SHAPES: usize = 1_000;

/// The elements of a result in patterns that measure latency.
pub(crate) const FEW: usize = 64;

macro_rules! patterns {
    ($($(#[$doc:meta])* $pattern:ident $name:literal,)*) => {
        /// One pattern of operands and operations.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Pattern {
            $($(#[$doc])* $pattern,)*
        }

        impl Pattern {
            /// All patterns, in the order of the tables.
            pub const ALL: &[Self] = &[$(Self::$pattern),*];

            /// Returns its name in arguments and reports.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$pattern => $name,)*
                }
            }
        }
    };
}

patterns! {
    /// Two matrices of one shape.
    Same "same",
    /// A matrix and a row.
    Row "row",
    /// A matrix and a column.
    Column "column",
    /// A matrix and a constant.
    Scalar "scalar",
    /// A matrix and a single element of its rank.
    One "one",
    /// A column and a row.
    Outer "outer",
    /// Two operands of rank 5, each broadcast in other dimensions.
    Rank5 "rank5",
    /// A matrix of odd sizes and a row.
    Odd "odd",
    /// A matrix of odd sizes and a column.
    OddColumn "odd_column",
    /// A matrix of three columns and a row.
    Inner3 "inner3",
    /// A matrix and another, transposed one.
    Transposed "transposed",
    /// A product, a sum and a function of three matrices.
    Chain "chain",
    /// The same of a matrix, a column and a row.
    ChainBroadcast "chain_broadcast",
    /// A function of a matrix.
    Tanh "tanh",
    /// A choice between two operands by a comparison.
    Select "select",
    /// Every second column of a matrix.
    Strided "strided",
    /// Latency: the computation is negligible.
    Small "small",
    /// Latency: 100 operations, each on the previous result.
    Batch100 "batch100",
    /// The same additions as one expression.
    Batch100Expr "batch100_expr",
    /// Two costly small operands over a large space.
    OuterChain "outer_chain",
    /// A step of Adam: three results of four operands.
    Adam "adam",
    /// The same step as three expressions, evaluated one after the other.
    AdamApart "adam_apart",
    /// The mean of each element's four neighbours, written in its place.
    Stencil "stencil",
    /// An array copied into another one, except for the latter's first and last rows and columns.
    IntoSlice "into_slice",
    /// Latency: shapes that have not occurred before.
    NewShapes "new_shapes",
    /// A result larger than the binding limit of some devices.
    Big "big",
    /// The sum of each row of a matrix.
    SumRows "sum_rows",
    /// The sum of each column.
    SumColumns "sum_columns",
    /// The sum of all elements.
    SumAll "sum_all",
    /// The sums of many rows of 64 elements.
    SumShortRows "sum_short_rows",
    /// The sums of 64 long rows.
    SumLongRows "sum_long_rows",
    /// The sums along the second of three dimensions.
    SumMiddle "sum_middle",
    /// The sum of squares of the difference of two matrices, for each row.
    Distance "distance",
    /// The mean and the variance of each row.
    MeanVar "mean_var",
    /// The position of the largest element of each row.
    Argmax "argmax",
    /// The squared distances between all points of two lists.
    Pairwise "pairwise",
}

/// A pattern's shapes at some size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sizes {
    pub(crate) operands: Vec<Vec<usize>>,
    pub(crate) result: Vec<usize>,
}

impl Pattern {
    /// Returns true if it measures the host's latency, at its own size.
    pub fn is_latency(self) -> bool {
        matches!(self, Self::Small | Self::Batch100 | Self::Batch100Expr | Self::NewShapes)
    }

    /// Returns true if it is measured in arrays of this type. Patterns that compute more than
    /// additions and moves are measured in F32 only.
    pub(crate) fn takes(self, of: ElementType) -> bool {
        use Pattern::{Adam, AdamApart, Chain, ChainBroadcast, IntoSlice, OuterChain};
        use Pattern::{Scalar, Select, Stencil, Tanh};
        let functions =
            matches!(self, Scalar | Chain | ChainBroadcast | Tanh | Select | OuterChain);
        let results = matches!(self, Adam | AdamApart | Stencil | IntoSlice);
        let reduces = reductions::sizes(self, self.elements()).is_some();
        of == ElementType::F32 || !functions && !results && !reduces
    }

    /// Returns the approximate default number of elements of the result, or of what is reduced.
    pub fn elements(self) -> usize {
        match self {
            Self::SumShortRows => ELEMENTS / 16,
            Self::Pairwise => 64 * ELEMENTS,
            Self::Outer | Self::OuterChain | Self::Rank5 => 4 * ELEMENTS,
            Self::Big => 16 * ELEMENTS,
            Self::Small | Self::Batch100 | Self::Batch100Expr => FEW,
            Self::NewShapes => SHAPES * NEW_SHAPE_ELEMENTS,
            _ => ELEMENTS,
        }
    }

    /// Returns the shapes for a result of about `elements` elements, at least 4,096 and at most the
    /// requested number. The latency patterns have their own size.
    pub(crate) fn sizes(self, elements: usize) -> Sizes {
        if let Some(sizes) = reductions::sizes(self, elements) {
            return sizes;
        }
        let [rows, columns] = rectangle(elements);
        let (matrix, few): (&[usize], &[usize]) = (&[rows, columns], &[FEW]);
        let sizes = |operands: &[&[usize]], result: &[usize]| Sizes {
            operands: operands.iter().map(|sizes| sizes.to_vec()).collect(),
            result: result.to_vec(),
        };
        match self {
            Self::Same => sizes(&[matrix; 2], matrix),
            Self::Row => row(rows, columns),
            Self::Column => sizes(&[matrix, &[rows]], matrix),
            Self::One => sizes(&[matrix, &[1, 1]], matrix),
            Self::Outer | Self::OuterChain => sizes(&[&[rows, 1], &[1, columns]], matrix),
            Self::Rank5 | Self::Big => {
                let [a, b, c, d, e] = rank5(elements);
                sizes(&[&[a, 1, c, 1, e], &[1, b, 1, d, e]], &[a, b, c, d, e])
            }
            Self::Odd => row(rows - 1, columns + 1),
            Self::OddColumn => {
                sizes(&[&[rows - 1, columns + 1], &[rows - 1]], &[rows - 1, columns + 1])
            }
            Self::Inner3 => row(elements / 3, 3),
            Self::Transposed => sizes(&[matrix, &[columns, rows]], matrix),
            Self::Chain => sizes(&[matrix; 3], matrix),
            Self::Adam | Self::AdamApart => sizes(&[matrix; 4], matrix),
            Self::IntoSlice => sizes(&[&[rows - 2, columns - 2]], matrix),
            Self::ChainBroadcast | Self::Select => sizes(&[matrix, &[rows], &[columns]], matrix),
            Self::Strided => sizes(&[&[rows, 2 * columns]], matrix),
            Self::Small | Self::Batch100 | Self::Batch100Expr => sizes(&[few; 2], few),
            // The middle one stands for all of them.
            Self::NewShapes => {
                let [rows, columns] = new_shape(SHAPES / 2);
                row(rows, columns)
            }
            _ => sizes(&[matrix], matrix),
        }
    }

    /// Returns the shapes of each evaluation, if there are several.
    fn evaluations(self, elements: usize) -> Vec<Sizes> {
        match self {
            Self::Batch100 => vec![self.sizes(elements); BATCH],
            Self::NewShapes => (0..SHAPES).map(new_shape).map(|[r, c]| row(r, c)).collect(),
            _ => vec![self.sizes(elements)],
        }
    }

    /// Returns the total bytes of all operands of this type, read once per evaluation, and of all
    /// results.
    pub fn bytes(self, elements: usize, of: ElementType) -> u64 {
        let array = |sizes: &Vec<usize>| device_bytes(of, count(sizes));
        let each =
            |sizes: &Sizes| sizes.operands.iter().map(array).sum::<u64>() + array(&sizes.result);
        let others = self.results() as u64 - 1;
        let others = others * array(&self.sizes(elements).result);
        self.evaluations(elements).iter().map(each).sum::<u64>() + others
    }

    /// Returns the number of results of one evaluation.
    fn results(self) -> usize {
        match self {
            Self::Adam | Self::AdamApart => 3,
            Self::MeanVar => 2,
            _ => 1,
        }
    }

    /// Returns the number of elements of all results.
    pub(crate) fn result_elements(self, elements: usize) -> usize {
        let each = self.evaluations(elements);
        self.results() * each.iter().map(|sizes| count(&sizes.result)).sum::<usize>()
    }
}

/// Returns the number of elements for these sizes.
pub(crate) fn count(sizes: &[usize]) -> usize {
    sizes.iter().product()
}

/// Returns the bytes that an array of `count` elements takes on the device.
pub(crate) fn device_bytes(of: ElementType, count: usize) -> u64 {
    (count as u64 * of.bits() as u64).div_ceil(8)
}

fn row(rows: usize, columns: usize) -> Sizes {
    let matrix = vec![rows, columns];
    Sizes { operands: vec![matrix.clone(), vec![columns]], result: matrix }
}

/// The elements of each result of `new_shapes`: 64 KiB.
const NEW_SHAPE_ELEMENTS: usize = 1 << 14;

/// Returns rows and columns that are multiples of 8, as near to a square as that allows.
pub(crate) fn rectangle(elements: usize) -> [usize; 2] {
    let side = elements.isqrt();
    let columns = (side / 64 * 64).max(64);
    [(elements / columns / 8 * 8).max(8), columns]
}

/// Returns the shape (8,16,64,32,64), with the first size larger or all but the last smaller.
fn rank5(elements: usize) -> [usize; 5] {
    let mut sizes = [8, 16, 64, 32, 64];
    while count(&sizes) > elements && count(&sizes) > sizes[4] {
        let largest = (0..4).max_by_key(|&d| sizes[d]).unwrap_or(0);
        sizes[largest] /= 2;
    }
    while count(&sizes) * 2 <= elements {
        sizes[0] *= 2;
    }
    sizes
}

/// Returns the shape with this number, of about 64 KiB. Inner sizes vary, and all shapes differ.
fn new_shape(number: usize) -> [usize; 2] {
    let columns = 64 + number / 4;
    [NEW_SHAPE_ELEMENTS / columns + number % 4, columns]
}

/// A pattern on a device, ready for repeated evaluation.
pub(crate) struct Workload {
    pub(crate) operands: Vec<AnyArray>,
    /// Records it, without waiting. Gives its result, or the last one of several.
    run: Box<dyn Fn() -> indim::Result<AnyArray>>,
}

enum Work<T> {
    Expression(Expr<T>),
    /// Additions of the second operand, each as its own operation.
    Eager,
    /// One after the other.
    Each(Vec<Expr<T>>),
}

impl Workload {
    /// Uploads the operands of a pattern, in an element type that it supports, for a result of
    /// about `elements` elements.
    pub(crate) fn new(
        gpu: &Context,
        pattern: Pattern,
        elements: usize,
        of: ElementType,
    ) -> indim::Result<Self> {
        match of {
            ElementType::Pred => Self::sums::<bool>(gpu, pattern, elements),
            ElementType::S4 => Self::sums::<S4>(gpu, pattern, elements),
            ElementType::S8 => Self::sums::<i8>(gpu, pattern, elements),
            ElementType::S16 => Self::sums::<i16>(gpu, pattern, elements),
            ElementType::S32 => Self::sums::<i32>(gpu, pattern, elements),
            ElementType::S64 => Self::sums::<i64>(gpu, pattern, elements),
            ElementType::U4 => Self::sums::<U4>(gpu, pattern, elements),
            ElementType::U8 => Self::sums::<u8>(gpu, pattern, elements),
            ElementType::U16 => Self::sums::<u16>(gpu, pattern, elements),
            ElementType::U32 => Self::sums::<u32>(gpu, pattern, elements),
            ElementType::U64 => Self::sums::<u64>(gpu, pattern, elements),
            ElementType::F16 => Self::sums::<f16>(gpu, pattern, elements),
            ElementType::Bf16 => Self::sums::<bf16>(gpu, pattern, elements),
            ElementType::F64 => Self::sums::<f64>(gpu, pattern, elements),
            ElementType::C64 => Self::sums::<Complex32>(gpu, pattern, elements),
            _ if pattern.takes(ElementType::S32) => Self::sums::<f32>(gpu, pattern, elements),
            _ if reductions::sizes(pattern, elements).is_some() => {
                reductions::workload(gpu, pattern, &pattern.sizes(elements))
            }
            _ => {
                let operands = operands(gpu, &pattern.sizes(elements))?;
                match pattern {
                    Pattern::Adam => Self::adam(operands, false),
                    Pattern::AdamApart => Self::adam(operands, true),
                    Pattern::Stencil => Self::stencil(gpu, operands),
                    Pattern::IntoSlice => Self::into_slice(gpu, operands, pattern.sizes(elements)),
                    _ => {
                        let work = Work::Expression(functions(pattern, &operands));
                        Ok(Self::of(operands, work))
                    }
                }
            }
        }
    }

    /// Returns the workload that serves as a pattern's floor in place of a handwritten kernel: for
    /// `new_shapes`, as many evaluations of the middle shape; for `adam_apart`, the same step as
    /// one evaluation.
    pub(crate) fn floor(
        gpu: &Context,
        pattern: Pattern,
        elements: usize,
    ) -> indim::Result<Option<Self>> {
        match pattern {
            Pattern::NewShapes => {
                let shapes = std::iter::repeat_n(new_shape(SHAPES / 2), SHAPES);
                Self::rows::<f32>(gpu, shapes).map(Some)
            }
            Pattern::AdamApart => {
                Self::new(gpu, Pattern::Adam, elements, ElementType::F32).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn sums<T: Element>(gpu: &Context, pattern: Pattern, elements: usize) -> indim::Result<Self> {
        if pattern == Pattern::NewShapes {
            return Self::rows::<T>(gpu, (0..SHAPES).map(new_shape));
        }
        let operands = operands(gpu, &pattern.sizes(elements))?;
        let work = match pattern {
            Pattern::Batch100 => Work::Eager,
            _ => Work::Expression(sum::<T>(pattern, &operands)),
        };
        Ok(Self::of(operands, work))
    }

    /// Makes a workload that adds a row to a matrix of each of these shapes.
    fn rows<T: Element>(
        gpu: &Context,
        shapes: impl Iterator<Item = [usize; 2]>,
    ) -> indim::Result<Self> {
        let mut arrays: Vec<Array<T>> = Vec::new();
        let mut exprs = Vec::new();
        for [rows, columns] in shapes {
            // Each pair has its own arrays, even for equal shapes, so that they do not stay in the
            // caches.
            let pair = operands(gpu, &row(rows, columns))?;
            exprs.push(sum(Pattern::NewShapes, &pair));
            arrays.extend(pair);
        }
        Ok(Self::of(arrays, Work::Each(exprs)))
    }

    /// Apart, the new moments are evaluated first, so that the parameters' expression reads them.
    fn adam(mut arrays: Vec<Array<f32>>, apart: bool) -> indim::Result<Self> {
        // The second moment is never negative.
        arrays[2] = (&arrays[2] * &arrays[2]).eval()?;
        let operands = arrays.iter().map(|array| array.as_any().clone()).collect();
        let run = move || {
            let [p, m, v, g] = [0, 1, 2, 3].map(|number| arrays[number].expr());
            let mut m = m * 0.9 + &g * 0.1;
            let mut v = v * 0.999 + &g * &g * 0.001;
            if apart {
                m = m.eval()?.expr();
                v = v.eval()?.expr();
            }
            let p = p - &m * 0.01 / (v.sqrt() + 1e-8);
            let p = if apart { p.eval()? } else { indim::eval((&p, &m, &v))?.0 };
            Ok(p.as_any().clone())
        };
        Ok(Self { operands, run: Box::new(run) })
    }

    /// The target has the operand's elements at first, and is written in place: its buffer is known
    /// outside.
    fn stencil(gpu: &Context, arrays: Vec<Array<f32>>) -> indim::Result<Self> {
        let inner = signed(&arrays[0]).iter().map(|size| size - 2).collect::<Vec<i64>>();
        let mut bordered = zeros(gpu, arrays[0].shape().dims())?;
        let limits: Vec<i64> = inner.iter().map(|size| size + 1).collect();
        let middle = arrays[0].expr().slice(&[1, 1], &limits);
        middle.eval_into(bordered.slice_mut([1, 1], &limits)?)?;
        let target = zeros(gpu, bordered.shape().dims())?;
        target.buffer()?;
        let target = Mutex::new(target);
        bordered.expr().eval_into(&mut *lock(&target))?;
        let operands = vec![bordered.as_any().clone()];
        let run = move || {
            let mut target = lock(&target);
            let at = |row: i64, column: i64| {
                let limits = [row + inner[0], column + inner[1]];
                target.expr().slice(&[row, column], &limits)
            };
            let mean = (at(1, 0) + at(1, 2) + at(0, 1) + at(2, 1)) * 0.25;
            mean.eval_into(target.slice_mut([1, 1], &limits)?)?;
            Ok(target.as_any().clone())
        };
        Ok(Self { operands, run: Box::new(run) })
    }

    fn into_slice(gpu: &Context, arrays: Vec<Array<f32>>, sizes: Sizes) -> indim::Result<Self> {
        let limits: Vec<i64> = sizes.result.iter().map(|&size| size as i64 - 1).collect();
        let target = zeros(gpu, &sizes.result)?;
        target.buffer()?;
        let target = Mutex::new(target);
        let operands = arrays.iter().map(|array| array.as_any().clone()).collect();
        let run = move || {
            let mut target = lock(&target);
            arrays[0].expr().eval_into(target.slice_mut([1, 1], &limits)?)?;
            Ok(target.as_any().clone())
        };
        Ok(Self { operands, run: Box::new(run) })
    }

    /// Makes a workload that `run` records.
    pub(crate) fn new_of(
        operands: Vec<AnyArray>,
        run: impl Fn() -> indim::Result<AnyArray> + 'static,
    ) -> Self {
        Self { operands, run: Box::new(run) }
    }

    fn of<T: Element>(arrays: Vec<Array<T>>, work: Work<T>) -> Self {
        let operands = arrays.iter().map(|array| array.as_any().clone()).collect();
        let run = move || work.run(&arrays).map(|result| result.as_any().clone());
        Self { operands, run: Box::new(run) }
    }

    /// Records it, without waiting. Gives its result, or the last one of several.
    pub(crate) fn run(&self) -> indim::Result<AnyArray> {
        (self.run)()
    }
}

impl<T: Element> Work<T> {
    fn run(&self, operands: &[Array<T>]) -> indim::Result<Array<T>> {
        match self {
            Self::Expression(expr) => expr.eval(),
            Self::Eager => {
                let [x, y] = [&operands[0], &operands[1]];
                let mut sum = indim::add(x, y, &[])?;
                for _ in 1..BATCH {
                    sum = indim::add(&sum, y, &[])?;
                }
                Ok(sum)
            }
            Self::Each(exprs) => {
                let mut result = operands[0].clone();
                for expr in exprs {
                    result = expr.eval()?;
                }
                Ok(result)
            }
        }
    }
}

/// Computes a pattern's result from its operands, in any type.
fn sum<T: Element>(pattern: Pattern, operands: &[Array<T>]) -> Expr<T> {
    let a = &operands[0];
    let b = operands.get(1).unwrap_or(a);
    match pattern {
        Pattern::Row | Pattern::Odd | Pattern::Inner3 | Pattern::NewShapes => a + b.in_dim([1]),
        Pattern::Column | Pattern::OddColumn => a + b.in_dim([0]),
        Pattern::Transposed => a + b.transpose(&[1, 0]),
        Pattern::Strided => a.slice(&[0, 0], &signed(a)).step_by(&[1, 2]),
        Pattern::Batch100Expr => (1..BATCH).fold(a + b, |sum, _| sum + b),
        _ => a + b,
    }
}

/// Computes the result of the patterns that are measured in F32 only.
fn functions(pattern: Pattern, operands: &[Array<f32>]) -> Expr<f32> {
    let a = &operands[0];
    let b = operands.get(1).unwrap_or(a);
    let c = operands.get(2).unwrap_or(a);
    match pattern {
        Pattern::Scalar => a + 1.5,
        Pattern::Chain => (a * b + c).tanh(),
        Pattern::ChainBroadcast => (a * b.in_dim([0]) + c.in_dim([1])).tanh(),
        Pattern::Tanh => a.tanh(),
        Pattern::Select => {
            let sizes = signed(a);
            a.gt(c.in_dim([1])).select(a * 2.0, b.broadcast_in_dim(&sizes, &[0]))
        }
        Pattern::OuterChain => a.sin() * b.cos(),
        _ => sum(pattern, operands),
    }
}

fn zeros(gpu: &Context, sizes: &[usize]) -> indim::Result<Array<f32>> {
    gpu.array(sizes, &vec![0.0; count(sizes)])
}

/// A workload that panicked never runs again.
fn lock<T>(target: &Mutex<T>) -> MutexGuard<'_, T> {
    target.lock().unwrap_or_else(PoisonError::into_inner)
}

fn signed<T: Element>(array: &Array<T>) -> Vec<i64> {
    array.shape().dims().iter().map(|&size| size as i64).collect()
}

pub(crate) fn operands<T: Element>(gpu: &Context, sizes: &Sizes) -> indim::Result<Vec<Array<T>>> {
    (1..).zip(&sizes.operands).map(|(seed, sizes)| random(gpu, sizes, seed)).collect()
}

/// Returns elements of a type, different ones for each seed.
fn random<T: Element>(gpu: &Context, sizes: &[usize], seed: u32) -> indim::Result<Array<T>> {
    let mut state = seed;
    let data: Option<Vec<T>> = (0..count(sizes))
        .map(|_| {
            // Linear congruential generator of Numerical Recipes; its upper bits are good enough.
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            element(T::ELEMENT_TYPE, state).get()
        })
        .collect();
    // The data has the element type that was requested.
    gpu.array(sizes, &data.unwrap_or_default())
}

/// Returns an element made of random bits: floats and parts in [-1, 1), integers of any value.
fn element(of: ElementType, bits: u32) -> Scalar {
    let float = (bits >> 8) as f32 / (1 << 23) as f32 - 1.0;
    match of {
        ElementType::F16 => Scalar::new(f16::from_f32(float)),
        ElementType::Bf16 => Scalar::new(bf16::from_f32(float)),
        ElementType::F32 => Scalar::new(float),
        ElementType::F64 => Scalar::new(f64::from(float)),
        ElementType::C64 => Scalar::new(Complex32::new(float, -float)),
        ElementType::Pred => Scalar::new(bits >> 31 == 1),
        _ => {
            let wide = u64::from(bits) << 32 | u64::from(bits.reverse_bits());
            Scalar::from_bits(of, wide >> (64 - of.bits()))
        }
    }
}

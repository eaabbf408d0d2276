//! The measured patterns: their names, and the shapes of their operands.

use indim::ElementType;

/// The elements of a result, unless the pattern sets another number.
const ELEMENTS: usize = 1 << 22;

/// The number of additions in a batch.
pub(crate) const BATCH: usize = 100;

/// The size of points that `pairwise` compares, and of short rows.
const SHORT: usize = 64;

/// The columns of tall matrices, and the sizes of the square that they are multiplied by.
const SHORT_ROW: usize = 16;

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
    /// Exponentials over their sum, for each of 4,096 rows.
    Softmax "softmax",
    /// The same of rows of 128 elements.
    SoftmaxShort "softmax_short",
    /// The same of 64 long rows.
    SoftmaxLong "softmax_long",
    /// Rows of mean 0 and variance 1, of 4,096 rows.
    LayerNorm "layer_norm",
    /// The same of rows of 128 elements.
    LayerNormShort "layer_norm_short",
    /// The same of 64 long rows.
    LayerNormLong "layer_norm_long",
    /// Rows of a matrix at computed indices.
    Take "take",
    /// The sums up to each element of each row.
    CumsumRows "cumsum_rows",
    /// The same of each column.
    CumsumColumns "cumsum_columns",
    /// The same of a vector.
    CumsumAll "cumsum_all",
    /// Nine tenths of the elements of a matrix, chosen at random.
    Dropout "dropout",
    /// The product of two square matrices.
    Dot "dot",
    /// The product of a matrix of 16 columns and a square one.
    DotTall "dot_tall",
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

    /// Returns true if it ends in a reduction.
    pub(crate) fn reduces(self) -> bool {
        reduced_sizes(self, self.elements()).is_some()
    }

    /// Returns true if it is one of those that array programs are made of.
    pub(crate) fn is_program(self) -> bool {
        program_sizes(self, self.elements(), rectangle(self.elements())).is_some()
    }

    /// Returns true if it is measured in arrays of this type. Patterns that compute more than
    /// additions and moves are measured in F32 only.
    pub(crate) fn takes(self, of: ElementType) -> bool {
        use Pattern::{Adam, AdamApart, Chain, ChainBroadcast, IntoSlice, OuterChain};
        use Pattern::{Scalar, Select, Stencil, Tanh};
        let functions =
            matches!(self, Scalar | Chain | ChainBroadcast | Tanh | Select | OuterChain);
        let results = matches!(self, Adam | AdamApart | Stencil | IntoSlice);
        let others = results || self.reduces() || self.is_program();
        of == ElementType::F32 || !functions && !others
    }

    /// Returns the approximate default number of elements of the result, or of what is reduced (of
    /// products of matrices, the number of products).
    pub fn elements(self) -> usize {
        match self {
            Self::SumShortRows => ELEMENTS / 16,
            Self::SoftmaxShort | Self::LayerNormShort => ELEMENTS / 8,
            Self::SoftmaxLong | Self::LayerNormLong => ELEMENTS / 2,
            Self::Pairwise => 64 * ELEMENTS,
            Self::Dot => 32 * ELEMENTS,
            Self::Outer | Self::OuterChain | Self::Rank5 | Self::DotTall => 4 * ELEMENTS,
            Self::Big => 16 * ELEMENTS,
            Self::Small | Self::Batch100 | Self::Batch100Expr => FEW,
            Self::NewShapes => SHAPES * NEW_SHAPE_ELEMENTS,
            _ => ELEMENTS,
        }
    }

    /// Returns the shapes for a result of about `elements` elements, at least 4,096 and at most the
    /// requested number. The latency patterns have their own size.
    pub(crate) fn sizes(self, elements: usize) -> Sizes {
        if let Some(sizes) = reduced_sizes(self, elements) {
            return sizes;
        }
        let [rows, columns] = rectangle(elements);
        if let Some(sizes) = program_sizes(self, elements, [rows, columns]) {
            return sizes;
        }
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

/// Returns the shapes of a pattern, if it reduces, for about `elements` elements before the
/// reduction.
fn reduced_sizes(pattern: Pattern, elements: usize) -> Option<Sizes> {
    let [rows, columns] = rectangle(elements);
    let one = |operand: &[usize], result: &[usize]| {
        Some(Sizes { operands: vec![operand.to_vec()], result: result.to_vec() })
    };
    let same = |matrix: [usize; 2]| one(&matrix, &matrix);
    match pattern {
        Pattern::SumRows | Pattern::MeanVar | Pattern::Argmax => one(&[rows, columns], &[rows]),
        Pattern::SumColumns => one(&[rows, columns], &[columns]),
        Pattern::SumAll => one(&[rows, columns], &[1]),
        Pattern::SumShortRows => {
            let rows = (elements / SHORT / 8 * 8).max(8);
            one(&[rows, SHORT], &[rows])
        }
        Pattern::SumLongRows => one(&[SHORT, (elements / SHORT / 64 * 64).max(64)], &[SHORT]),
        Pattern::SumMiddle => {
            let middle = (elements / (SHORT * SHORT) / 32 * 32).max(32);
            one(&[SHORT, middle, SHORT], &[SHORT, SHORT])
        }
        Pattern::Softmax | Pattern::LayerNorm => same([(elements / 1024).max(8), 1024]),
        Pattern::SoftmaxShort | Pattern::LayerNormShort => same([(elements / 128).max(8), 128]),
        Pattern::SoftmaxLong | Pattern::LayerNormLong => {
            same([SHORT, (elements / SHORT / 1024 * 1024).max(1024)])
        }
        Pattern::Distance => {
            Some(Sizes { operands: vec![vec![rows, columns]; 2], result: vec![rows] })
        }
        Pattern::Pairwise => {
            let points = ((elements / SHORT).isqrt() / 8 * 8).max(8);
            let operands = vec![vec![points, 1, SHORT], vec![1, points, SHORT]];
            Some(Sizes { operands, result: vec![points; 2] })
        }
        _ => None,
    }
}

/// Returns the shapes of a pattern, if it is one of those that array programs are made of.
fn program_sizes(pattern: Pattern, elements: usize, matrix: [usize; 2]) -> Option<Sizes> {
    let [rows, _] = matrix;
    let sizes = |operands: &[&[usize]], result: &[usize]| {
        let operands = operands.iter().map(|operand| operand.to_vec()).collect();
        Some(Sizes { operands, result: result.to_vec() })
    };
    match pattern {
        Pattern::Take => sizes(&[&matrix, &[rows]], &matrix),
        Pattern::CumsumRows | Pattern::CumsumColumns | Pattern::Dropout => {
            sizes(&[&matrix], &matrix)
        }
        Pattern::CumsumAll => {
            let whole = if elements < 8192 { 64 } else { 8192 };
            let all = [elements / whole * whole];
            sizes(&[&all], &all)
        }
        Pattern::Dot => {
            let side = ((elements as f64).cbrt() as usize / 64 * 64).max(64);
            let matrix: &[usize] = &[side, side];
            sizes(&[matrix; 2], matrix)
        }
        Pattern::DotTall => {
            let few = SHORT_ROW;
            let rows = (elements / few / few / 64 * 64).max(64);
            sizes(&[&[rows, few], &[few, few]], &[rows, few])
        }
        _ => None,
    }
}

pub(crate) fn row(rows: usize, columns: usize) -> Sizes {
    let matrix = vec![rows, columns];
    Sizes { operands: vec![matrix.clone(), vec![columns]], result: matrix }
}

/// The elements of each result of `new_shapes`: 64 KiB.
const NEW_SHAPE_ELEMENTS: usize = 1 << 14;

/// Returns rows and columns that are multiples of 8, as near to a square as that allows.
fn rectangle(elements: usize) -> [usize; 2] {
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
pub(crate) fn new_shape(number: usize) -> [usize; 2] {
    let columns = 64 + number / 4;
    [NEW_SHAPE_ELEMENTS / columns + number % 4, columns]
}

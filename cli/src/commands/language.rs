//! Options common to all commands that read EXPRs, and the help on EXPR and ARRAY.

use std::path::PathBuf;

use clap::Args;
use indim::ElementType;
use indim_expr::names;

use crate::operand::parse::CastTo;

/// The options of all commands that read EXPRs.
#[derive(Debug, Args)]
pub(crate) struct Settings {
    /// Align operands of different ranks at their last dimensions, and promote element types, as
    /// NumPy does
    #[arg(long)]
    pub(crate) numpy: bool,
    /// Convert .npy files of 64-bit numbers, which NumPy makes by default, to this element type; with
    /// NAME=, that operand, whatever it holds
    #[arg(long, value_name = "[NAME=]TYPE")]
    pub(crate) cast: Vec<CastTo>,
    /// Let EXPR call the function in this file, by its name: an operation of your own on single
    /// elements, in WGSL
    #[arg(long = "fn", value_name = "FILE.wgsl")]
    pub(crate) functions: Vec<PathBuf>,
    /// Let the body of a loop in such a function run at most N times whenever the loop is reached;
    /// 65536 by default
    #[arg(long, value_name = "N", requires = "functions")]
    pub(crate) max_iterations: Option<u32>,
    /// Use WGSL's own functions where they are faster, and let the driver rewrite float operations
    /// together: nothing is promised about the last bits, NaN, infinities and the signs of zeros
    #[arg(long)]
    pub(crate) relaxed: bool,
    /// Seed of random fills
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
}

/// Returns the help on EXPR and ARRAY, which the commands that read EXPRs share.
pub(crate) fn language() -> String {
    let mut functions = String::new();
    let mut column = WIDTH;
    for name in names::functions() {
        if column + 1 + name.len() > WIDTH {
            functions.push_str("\n   ");
            column = 3;
        }
        functions.push(' ');
        functions.push_str(name);
        column += 1 + name.len();
    }
    let types: Vec<&str> = ElementType::ALL.iter().map(|t| t.name()).collect();
    format!("{SYMBOLS}{functions}\n{STATEMENTS}{ARRAYS}\nElement types: {}.\n", types.join(", "))
}

/// The width of the help, in characters.
const WIDTH: usize = 96;

const SYMBOLS: &str = "\
EXPR:
  Symbols and their precedence are Python's: + - * / % ** & | ^ << >> == != < <= > >= ~
  Their meaning is XLA's: / on integers truncates, % takes the dividend's sign, >> is arithmetic
  on signed and logical on unsigned integers, & | ^ ~ work on integers and pred. From # to the
  line's end is a comment. An EXPR such as -o, which is an option, is written (-o).

  x + in_dim(v, 1) matches dimension 0 of v to dimension 1 of x; add(x, v, [1]) is the same.
  Operands of different ranks need that, unless one is a scalar or --numpy is given. Operands of
  equal rank need nothing: in each dimension sizes are equal, or one of them is 1.

  A bare number takes the element type of the operand that it meets; two bare numbers are f32.
  It must be a value of that type. Numbers with a point or an exponent are rounded to the type's
  nearest value; whole numbers are not, so x + 16777217 is an error in f32. inf and nan are bare,
  too, true and false are pred, unless an operand has that name. A number with a type behind it has
  that one: 3u8, 2.5bf16, -1s64, inff16; 2i (or 2j) is imaginary, and 1+2i a c64.

  Functions are XlaBuilder's methods in snake case: exp(x), max(x, y), select(p, x, y),
  clamp(lo, x, hi), convert(x, s32), bitcast(x, u32), complex(re, im), broadcast(x, 2, 3),
  broadcast_in_dim(v, [2, 3], [1]), iota(s32, [2, 3], 0). Views copy nothing: transpose(x, [1, 0]),
  slice(x, [0, 1], [4, 9], [1, 2]) with starts, limits and strides, which may be left out,
  reverse(x, [1]), reshape(x, [2, 6]). So do pad(x, 0, [1, 1], [1, 1]) with low and high amounts,
  and interior ones behind them, concatenate(x, y, 0) along a dimension, and roll(x, 1, 0), which
  without a dimension rolls all elements in their order. take(x, i, 0) reads rows at computed
  indices, and take_along_dimension(x, i, 1) elements; one that is out of range is clamped.

  Reductions combine elements along dimensions, which their results lack: reduce_sum(x, [1]) of
  f32[2,3] is f32[2], and reduce_max(x, [0, 1]) one number. mean, var, logsumexp, argmax and argmin
  do so, too. softmax(x, [1]), layer_norm(x, [1], 1e-5) and cumsum(x, 1) keep the shape. What
  stands before and after them is the same kernel, as in a mean that is subtracted from its rows:
  x - in_dim(mean(x, [1]), 0). dot(x, y) multiplies vectors and matrices, and
  dot_general(x, y, [2], [1], [0], [0]) by contracting and batch dimensions. With --numpy, sum, prod, mean, var, std, max, min, any, all, argmax,
  argmin, count_nonzero and logsumexp are NumPy's: sum(x), std(x, axis=-1, ddof=1, keepdims=true),
  sum(x, [0, 1], dtype=f64).

  All functions:";

const STATEMENTS: &str = "
SEVERAL RESULTS:
  An EXPR may be several statements: 't = tanh(x); t * t + t'. The last one is its result, and one
  such as 'm = 0.9*m + 0.1*g' a result of that name. Those before it name values. Statements run one
  after the other, through all EXPRs, as in Python: a name is the value that it was given last, and
  the operand of that name before. So in 'm = 0.9*m + 0.1*g' 'p = p - m' the second m is the new
  one. All results are computed at once, and what they share is computed once.

  The first argument is an EXPR. Behind it, NAME=... is an operand, and an EXPR has a blank in front
  of its =, or begins with no NAME=. A bare number that is named takes its type where it is used.
";

const ARRAYS: &str = "
ARRAY:
  [[1, 2, 3], [4, 5, 6]]   a literal; f32 unless it says otherwise: s32:[1, 2], pred:[true, false],
                           [1u8, 2], [1+2i, 3]
  x.npy                    a file; what NumPy has is read as it is, float64 as f64, int64 as s64
  data.npz:x               an array of an archive; without :x, the one of the operand's name
  iota:2x3                 0, 1, 2, ... in row-major order; s32:iota:2x3 for another type
  random:1024x1024         uniform in [-1, 1); integers take any value, pred is a coin (--seed)
  What begins like one of these is not a path: a file named 3 is written ./3.

With --numpy operands of different types are converted to NumPy's result_type, which is said; a bare
number has a kind alone (u8 + 1 is u8, u8 * 0.5 is f64), and is rounded to floats. / is true division,
and % takes the divisor's sign.

f64 needs an adapter with 64-bit floats, which many GPUs lack. --cast TYPE converts files of 64-bit
numbers, and --cast NAME=TYPE that operand, as XLA's ConvertElementType does, and says how many
values changed by more than rounding. To floats those are finite values that become infinite or
lose more than half of the last place, as happens to f32 below 1.2e-38; to integers they are values
with a fraction, out of range, or NaN. Floats are truncated and saturate, NaN becomes 0, integers
keep their low bits. .npy files have no bf16, s4 and u4: results of these are converted to be
written, and bf16 can be read as the bits that it has: bitcast(x, bf16) of a file of uint16.
";

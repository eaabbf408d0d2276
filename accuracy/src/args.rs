//! The command line's options and help.

use std::path::PathBuf;

use clap::Parser;
use indim::ElementType;
use indim_accuracy::pairs;
use indim_accuracy::typed::format::Format;

const HELP: &str = "\
A unary function is computed for all 2^32 inputs. A binary one for 2^32 pairs: all pairs of 4,096 \
special values (zeros, infinities, NaN, powers of two and their neighbours, integers, ends of \
ranges), then, by turns and each with its seed: two of every pair of exponents, numbers of moderate \
size, neighbours, multiples, pairs with results about where they overflow or become subnormal, pairs \
with results in the middle between two floats, and powers with results in range. --pairs takes the \
first of them.

Errors are in ULP, the spacing of f32 at the true value. Subnormals that were flushed to zero are \
right, of operands and of results. A mistake is NaN for a number or the reverse, a wrong infinity, \
or the wrong sign of a zero. Of functions that are correctly rounded or exact, every result with \
other bits than those due is counted, too.

With --type f16 or bf16 all 2^16 operands are computed, with --type f64 stratified ones: of every \
exponent, near integers, near multiples of pi/2, and where functions turn. Errors are in ULP of the \
type, limits 4 ULP on f64 and 1 on the others, which are computed on F32 and rounded once more. The \
truth is float64 for 16 bits, and two float64 numbers for f64.

An interrupted measurement goes on where it was when it is started again with the same arguments.

The exit status is 1 where a column of the library's breaks a limit.";

/// Measure how far the library's functions are from the truth, over all inputs
#[derive(Debug, Parser)]
#[command(name = "indim-accuracy", version, after_long_help = HELP)]
pub(crate) struct Cli {
    /// The functions, such as Exp or atan2; all of them without one
    pub(crate) ops: Vec<String>,
    /// Measure these columns, such as accurate,builtin: the library's functions (accurate), those
    /// of Precision::Relaxed (relaxed), without functions that go through 64-bit floats (without_f64), WGSL's plain built-ins (builtin), the library's on the GL
    /// backend (gl) and on SwiftShader (swiftshader; scripts/with-adapter --swiftshader finds it)
    #[arg(long, value_delimiter = ',', default_value = "accurate")]
    pub(crate) columns: Vec<String>,
    /// Measure another program, too: it is called with the function's name, such as log1p, reads
    /// operands from its standard input (all first ones, then all second ones) and writes results
    /// to its standard output, as little-endian f32; status 3 says that it has no such function
    #[arg(long, value_name = "NAME=COMMAND")]
    pub(crate) peer: Vec<String>,
    /// The type of floats: f32, f16, bf16 or f64
    #[arg(long = "type", value_name = "TYPE", default_value = "f32", value_parser = float)]
    pub(crate) element_type: ElementType,
    /// Number of pairs on which binary functions are measured, such as 2^24; by default 2^32 on F32
    /// and 2^24 on other types
    #[arg(long, value_name = "N", value_parser = count)]
    pairs: Option<u64>,
    /// Number of operands on which functions of one operand with more than 16 bits are measured, if
    /// the type is not f32
    #[arg(long, value_name = "N", default_value = "2^28", value_parser = count)]
    pub(crate) inputs: u64,
    /// Measure unary functions on every N-th input of either sign only, and on all boundaries
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) step: u32,
    /// Write a line of JSON for each function and column; what the file has of others stays
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Write a table in Markdown, of all that is in the file of --json
    #[arg(long, value_name = "FILE.md", requires = "json")]
    pub(crate) table: Option<PathBuf>,
    /// Measure nothing, only write the table
    #[arg(long, requires = "table")]
    pub(crate) no_run: bool,
    /// Where to keep how far it is, to go on after an interruption; beside the file of --json
    /// without this
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,
    /// Measure what accurate functions cost against relaxed ones instead; the files of --json and
    /// --table are written anew
    #[arg(long, conflicts_with_all = ["peer", "pairs", "step", "state"])]
    pub(crate) cost: bool,
    /// Compare the bits of two columns instead, function by function; the file of --json is written
    /// anew, and the exit status is 1 if a function other than pow differs for more than one input of
    /// 100,000
    #[arg(long, conflicts_with_all = ["peer", "state", "table", "cost"])]
    pub(crate) agree: bool,
    /// Number of magnitudes or pairs that are computed together
    #[arg(long, value_name = "N", default_value = "2^21", value_parser = chunk, hide = true)]
    pub(crate) chunk: u32,
}

impl Cli {
    /// Returns how many pairs to take.
    pub(crate) fn pairs(&self) -> u64 {
        self.pairs.unwrap_or(match self.element_type {
            ElementType::F32 => pairs::COUNT,
            _ => 1 << 24,
        })
    }
}

/// Parses a type of real floats.
fn float(text: &str) -> Result<ElementType, String> {
    let element_type: ElementType = text.to_lowercase().parse().map_err(|e| format!("{e}"))?;
    let known = Format::of(element_type).map(|_| element_type);
    known.ok_or_else(|| "f32, f16, bf16 or f64".to_owned())
}

/// Parses a count, also as a power of two.
fn count(text: &str) -> Result<u64, String> {
    let value = match text.split_once('^') {
        Some(("2", power)) => power.parse().ok().and_then(|power| 1u64.checked_shl(power)),
        _ => text.parse().ok(),
    };
    let allowed = value.filter(|value| (1..=pairs::COUNT).contains(value));
    allowed.ok_or_else(|| format!("a number from 1 to {}, or 2^24 and the like", pairs::COUNT))
}

fn chunk(text: &str) -> Result<u32, String> {
    let value = count(text)?;
    u32::try_from(value).map_err(|_| "too many".to_owned())
}

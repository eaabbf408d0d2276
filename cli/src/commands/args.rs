//! Parses the command line: its commands, options and help.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;

use crate::commands::batch::args::{Batch, batch_help};
use crate::commands::bench::{BENCH_HELP, Bench};
use crate::commands::byte_count::ByteCount;
use crate::commands::language::{Settings, language};
use crate::commands::run::{RUN_HELP, Run};
use crate::operand::word::Word;

/// Elementwise array expressions on any GPU, with XLA's broadcasting semantics
#[derive(Debug, Parser)]
#[command(name = "indim", version, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Compute expressions and print the results
    #[command(after_long_help = eval_help())]
    Eval(Eval),
    /// Compute the EXPR in each line of the standard input, and print each result before the next
    /// line is read
    #[command(after_long_help = batch_help())]
    Batch(Batch),
    /// Show how expressions are broadcast and computed on a GPU with WebGPU's default limits; needs
    /// none
    #[command(after_long_help = explain_help())]
    Explain(Explain),
    /// Compute a function of a program in StableHLO, as JAX and PyTorch/XLA write it
    #[command(after_long_help = RUN_HELP)]
    Run(Run),
    /// List the adapters that wgpu sees, with the limits and features that matter
    Adapters(Adapters),
    /// List the operations, which are the functions that EXPR may call
    Ops(Ops),
    /// Measure how fast patterns of broadcasting are here, against kernels written by hand
    #[command(after_long_help = BENCH_HELP)]
    Bench(Bench),
    /// Print the script that completes this command's words in a shell
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print the man page of this command, or of one of its commands
    Man {
        /// The command, such as eval; without it, the page lists all
        command: Option<String>,
    },
}

impl Command {
    /// Returns true if results and errors are to be JSON.
    pub(crate) fn answers_in_json(&self) -> bool {
        match self {
            Self::Eval(args) => args.json,
            Self::Batch(args) => args.json,
            Self::Run(args) => args.json,
            _ => false,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct Eval {
    #[command(flatten)]
    pub(crate) input: Input,
    /// Write the result, or the one of this name, to a .npy file (version 1.0, little-endian, C
    /// order), or to a .npz archive: to a new one, or with :ARRAY beside the other arrays of one that
    /// is there
    #[arg(short, long, value_name = "[NAME=]OUT.npy|OUT.npz[:ARRAY]")]
    pub(crate) output: Vec<PathBuf>,
    /// Print an object of JSON in a line for each result, with all elements in row-major order or the
    /// path of its file, and an error as one on the standard error
    #[arg(long)]
    pub(crate) json: bool,
    /// Say on the standard error how many bytes the computation reads and writes, how long it takes on
    /// the device, and what share of the speed of the device's own copy that is
    #[arg(long)]
    pub(crate) stats: bool,
    /// Compute on an adapter whose name contains this, in any case; see `indim adapters`
    #[arg(long, value_name = "NAME")]
    pub(crate) adapter: Option<String>,
    /// Compute in chunks where operands and results together take more bytes than this, and keep
    /// no more of them in memory at a time
    #[arg(long, value_name = "BYTES", default_value = "512M")]
    pub(crate) max_memory: ByteCount,
}

#[derive(Debug, Args)]
pub(crate) struct Adapters {
    /// Try on each adapter whether it computes as results rest on; exits with 1 if one does
    /// not, or could not be tried
    #[arg(long)]
    pub(crate) check: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Ops {
    /// Print an object of JSON in a line for each: its names, class and arguments, the element types
    /// that it accepts with the result's for each, and whether --relaxed makes a difference to it
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Explain {
    #[command(flatten)]
    pub(crate) input: Input,
    /// Print the kernels' WGSL, too
    #[arg(long)]
    pub(crate) wgsl: bool,
    /// Print the computation as a program in StableHLO instead, which JAX's tools and `indim run` read
    #[arg(long, conflicts_with = "wgsl")]
    pub(crate) stablehlo: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Input {
    /// The expression, `@FILE` to read it from a file, or `-` for the standard input
    #[arg(allow_hyphen_values = true)]
    pub(crate) expr: String,
    /// The operands, each a literal, a path to a .npy or .npz file, or a fill such as iota:2x3; and more
    /// expressions, whose names have a blank in front of the =
    #[arg(value_name = "NAME=ARRAY|NAME = EXPR")]
    pub(crate) words: Vec<Word>,
    #[command(flatten)]
    pub(crate) settings: Settings,
}

fn eval_help() -> String {
    language()
        + "
All results are printed, under their names; of a result that is written, only type and shape
are. Each -o NAME=OUT.npy writes one of them, and -o OUT.npy the only one; -o OUT.npz writes all
to a new archive, each under its name, and -o NAME=OUT.npz:ARRAY one, which is added to the
archive that is there or takes the place of its array of that name. A file may be one of the
operands. All files are written beside the old ones first, and take their places when all are
whole: no file is ever half written, and none is changed where one of them has no room.

Files may be larger than memory: what takes more than --max-memory is read, computed and written
in chunks, with the same bits. Without -o, only the elements that are printed are computed, of
arrays of any size.

The adapter is the fastest that fits; --adapter and the environment choose: WGPU_BACKEND
(vulkan, metal, dx12, gl), WGPU_ADAPTER_NAME, WGPU_POWER_PREF (high, low).

Examples:
  indim eval 'x + in_dim(v, 1)' x='[[1,2,3],[4,5,6]]' v='[7,8,9]'
  indim eval --numpy 'select(x > 0, x, v)' x=x.npy v=random:3 -o out.npy
  indim eval 'abs((1+2i) * z)' z='[1i, 3-4i]'
  indim eval 'm = 0.9*m + 0.1*g' 'p = p - m' m=m.npy g=g.npy p=p.npy -o m=m.npy -o p=p.npy
"
}

fn explain_help() -> String {
    language()
        + "
An operand can be a shape here: 3, 2x3 or f32[2,3]; in brackets, [3] is an array.

Examples:
  indim explain 'x + in_dim(v, 1)' x=2x3 v='[7,8,9]'
  indim explain --wgsl 'sin(a) * cos(b)' a=4096x1 b=1x4096
  indim explain 'm = 0.9*m + 0.1*g' 'p = p - m' m=1024 g=1024 p=1024
"
}

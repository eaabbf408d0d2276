//! [`PlanLimits`]: the device limits that plans keep to, and performance choices that were measured
//! for each type of adapter.

use std::fmt;

/// How a quotient or a square root is computed so that it is correctly rounded, as in XLA. WGSL
/// allows the native ones errors of some units in the last place, and drivers make use of that.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Division {
    /// Uses the adapter's own division or root, which is correct only on adapters that round
    /// correctly.
    #[default]
    Native,
    /// Computes in 64-bit floats and rounds to 32 bits. Needs `Features::SHADER_F64`.
    ThroughF64,
    /// Corrects an approximation by its remainder in integers. Correct on every adapter.
    ByIntegers,
}

impl fmt::Display for Division {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Native => "native",
            Self::ThroughF64 => "through f64",
            Self::ByIntegers => "by integers",
        })
    }
}

/// The floats in which kernels that only add, subtract and multiply F16 compute.
///
/// WGSL allows f16 to flush subnormals and to round either way, so [`Half::Native`] is used only
/// where a test found that it does neither.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Half {
    /// Computes in 32-bit floats and rounds to 16 bits by integers. Correct on every adapter.
    #[default]
    ThroughF32,
    /// Computes in the shader's 16-bit floats. Needs `Features::SHADER_F16` and
    /// `Features::SHADER_I16`.
    Native,
}

impl fmt::Display for Half {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::ThroughF32 => "through f32",
            Self::Native => "native",
        })
    }
}

/// How an integer becomes an F32 (or a C64) rounded to nearest even, as in XLA. WGSL does not
/// define how an integer of more than 24 bits is rounded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Conversion {
    /// Uses the adapter's own conversion, which is correct only on adapters that round to nearest
    /// even.
    #[default]
    Native,
    /// Rounds the integer to 24 bits in integer arithmetic. Correct on every adapter.
    ByIntegers,
}

impl fmt::Display for Conversion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Native => "native",
            Self::ByIntegers => "by integers",
        })
    }
}

/// How operations treat the subnormals of F32: the numbers between zero and 2^-126, which WGSL
/// allows an adapter to flush to zero at any point. One rule holds for all operations of a context.
///
/// Where subnormals are not kept, every operation treats a subnormal operand as a zero of its sign,
/// and returns such a zero for a subnormal result. Operations that only move or compare bits always
/// keep them: docs/numerics.md lists these.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Subnormals {
    /// Subnormals are ordinary numbers, and the adapter's arithmetic loses none.
    #[default]
    Kept,
    /// The adapter's own arithmetic flushes subnormal operands and results, and so do functions.
    Flushed,
    /// Operations flush subnormals by their bits, because the adapter keeps some and flushes
    /// others. Gives the same results on every adapter.
    FlushedByBits,
}

impl fmt::Display for Subnormals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Kept => "kept",
            Self::Flushed => "flushed",
            Self::FlushedByBits => "flushed by bits",
        })
    }
}

/// How functions keep compilers from regrouping their sums, and from contracting them with the
/// products in them, where that would change more than the last bits.
///
/// Between operations, guards always work as in [`Guard::Bits`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Guard {
    /// A term passes through its minimum with 2^100; no compiler is known to see through that.
    #[default]
    Minimum,
    /// A term passes through its bits and an or with a number of the parameter block that is always
    /// 0, which compilers cannot know. Correct on every adapter.
    Bits,
}

impl fmt::Display for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Minimum => "by a minimum",
            Self::Bits => "by bits",
        })
    }
}

/// The device limits that a plan must keep to, and choices that affect only speed, except for six:
/// `division`, `square_root`, `half`, `conversion`, `subnormals` and `guard`.
///
/// [`Context`](crate::Context) fills it for its device. Every field may be changed without changing
/// results, except for the last bits of functions that are not correctly rounded, which stay within
/// their bounds. Only the six fields named above change more: `subnormals` as documented there, the
/// others if they are set to their `Native` or to [`Guard::Minimum`] and the adapter's own
/// arithmetic is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlanLimits {
    /// Storage buffers that one kernel may bind, including its result. Kernels bind at most 32 of
    /// them, whatever a device allows: some allow a million, and a kernel's text and compile time
    /// grow with each. A context fills in what the device's limits on all buffers of a stage (29 on
    /// Macs) and on the bindings of a group leave beside the parameter block.
    pub max_storage_buffers_per_shader_stage: u32,
    /// Workgroups in one dimension of a dispatch; more are folded into a second dimension.
    pub max_compute_workgroups_per_dimension: u32,
    /// Operations in one kernel; a function such as tanh counts as 32, and lgamma and digamma as
    /// 256. Compilers are worse than linear in them: naga takes 4 ms for 1,000 additions and 17 s
    /// for 100,000, lavapipe 0.5 s for 31 tanh and 88 s for 400. A kernel that reads a small part
    /// of a large value may hold up to four times as many, if that avoids storing the value.
    pub max_ops_per_kernel: u32,
    /// Maximum size in bytes of a kernel's parameter block, including constants, as a uniform; a
    /// larger one is read from storage.
    pub max_uniform_bytes: u32,
    /// Bytes that one kernel may bind of one array; larger arrays are bound in parts by several
    /// dispatches.
    pub max_storage_buffer_binding_size: u64,
    /// The offset of such a part in the array must be a multiple of this number of bytes.
    pub min_storage_buffer_offset_alignment: u32,
    /// Different places that one kernel may load from; several of one array (slices,
    /// transpositions, broadcasts of it) count twice each. Each adds text, and compilers are worse
    /// than linear in it: lavapipe takes 0.4 s for a sum of 8 sliced columns, 13 s for one of 64.
    /// An expression with more is cut, as for [`max_ops_per_kernel`](Self::max_ops_per_kernel).
    /// Less than 6 counts as 6.
    pub max_loads_per_kernel: u32,
    /// The work of one submission, and of one dispatch: above it, a kernel is dispatched over parts
    /// of its space, which are submitted separately, since systems reset a device that is busy for
    /// too long (Windows after 2 s). `u64::MAX` means no bound, as on software adapters.
    ///
    /// Its unit is one 32-bit operation or a quarter of an access to 4 bytes of memory; a function
    /// such as tanh counts as 32, lgamma and digamma as 256, and an operation on F64 as 32 times as
    /// many. A user-defined function with loops counts as 64 times its operations, or as many times
    /// as the bound on its loops allows if the user has set one. The default, 2^33, is about one
    /// second of a slow GPU, half of what Windows allows: it assumes 8 GB of memory and 8 thousand
    /// million operations a second, as of a small phone or board. For this reason a part has at
    /// least 4,096 elements, and a kernel at most about 8,192 parts.
    pub max_work_per_submission: u64,
    /// Invocations of a workgroup.
    pub workgroup_size: u32,
    /// Rows that one invocation computes at a time, if it keeps values from row to row.
    pub tile_rows: u32,
    /// Rows that one invocation computes at a time if rows are so short that a tile of `tile_rows`
    /// of them is less than two pages of memory.
    pub near_tile_rows: u32,
    /// Quads of four elements that are loaded, computed and stored together if the inner size
    /// allows it: 1, 2 or 4 for 32-bit elements, and proportionally more for narrower ones.
    pub quads_per_unit: u32,
    /// Quads that one invocation writes in kernels without rows.
    pub quads_per_invocation: u32,
    /// Units, or rows of a tile, that one invocation loads together before it stores any of them,
    /// if it keeps and computes little for each: it then computes at most this many, without a
    /// loop. With 1, or with more to keep or to compute, a loop covers `quads_per_invocation` or
    /// `tile_rows`.
    pub units_in_flight: u32,
    /// True if the quads of one invocation lie a workgroup apart, so that neighbouring invocations
    /// read neighbouring words at the same time, which suits GPUs; false if they are adjacent.
    pub interleaved: bool,
    /// True if 32 bytes are loaded and stored at once, as four 64-bit integers. Needs
    /// `Features::SHADER_INT64`.
    pub wide: bool,
    /// True if S64 and U64 are computed in the shader's 64-bit integers, which needs
    /// `Features::SHADER_INT64`; false if each is computed as two 32-bit words.
    pub int64: bool,
    /// True if kernels have no branches: an invocation past the end writes to spare memory after
    /// the result instead of returning, and one past the last row repeats that row. Functions with
    /// much more work on a few operands do that work in a loop over these.
    pub branchless: bool,
    /// How quotients are computed, including reciprocals and those inside functions. If it is
    /// `None`, the context tests its adapter and chooses, and a plan without a context uses
    /// [`Division::Native`].
    ///
    /// [`Context::plan_limits`](crate::Context::plan_limits) returns this field filled with the
    /// choice for the context's adapter. Set this and [`square_root`](Self::square_root) to `None`
    /// before giving a copy of it to a context on another adapter: a context does not test fields
    /// that are set, so results would be wrong if `Native` is wrong there.
    pub division: Option<Division>,
    /// How square roots are computed; `None` and copies as for `division`.
    pub square_root: Option<Division>,
    /// True if functions of F32 go through 64-bit floats where that was measured to be faster, as
    /// it is for powers on CPUs. Needs `Features::SHADER_F64`.
    pub through_f64: bool,
    /// The floats in which F16 is added and multiplied; copies as for `division`. If it is `None`,
    /// the context tests the adapter together with `division` and `square_root`; a plan without a
    /// context uses [`Half::ThroughF32`].
    pub half: Option<Half>,
    /// How integers become F32; `None` and copies as for `division`.
    pub conversion: Option<Conversion>,
    /// How operations treat subnormals. If it is `None`, the context tests its adapter's
    /// arithmetic, and a plan without a context uses [`Subnormals::Kept`]. [`Subnormals::Kept`] and
    /// [`Subnormals::Flushed`] are for adapters that do exactly that.
    pub subnormals: Option<Subnormals>,
    /// True if the driver itself ends the loops of user-defined functions
    /// ([`Function`](crate::Function)): Mesa's llvmpipe does so after 65,535 iterations of an
    /// invocation. Kernels then check for it, and an invocation computes few elements. A context
    /// sets it for llvmpipe.
    pub bounded_loops: bool,
    /// How functions guard their sums; `None` and copies as for `division`.
    pub guard: Option<Guard>,
}

impl Default for PlanLimits {
    /// Returns WebGPU's default limits, with choices that suit a GPU.
    fn default() -> Self {
        Self {
            max_storage_buffers_per_shader_stage: 8,
            max_compute_workgroups_per_dimension: 65_535,
            max_ops_per_kernel: 1_000,
            max_uniform_bytes: 16 << 10,
            max_storage_buffer_binding_size: 128 << 20,
            min_storage_buffer_offset_alignment: 256,
            max_loads_per_kernel: 64,
            max_work_per_submission: 1 << 33,
            workgroup_size: 64,
            tile_rows: 8,
            near_tile_rows: 8,
            quads_per_unit: 1,
            quads_per_invocation: 4,
            units_in_flight: 2,
            interleaved: true,
            wide: false,
            int64: false,
            branchless: false,
            division: None,
            square_root: None,
            through_f64: false,
            half: None,
            conversion: None,
            subnormals: None,
            bounded_loops: false,
            guard: None,
        }
    }
}

impl PlanLimits {
    /// Returns the choices measured to be fast on CPU adapters such as Mesa's lavapipe;
    /// docs/performance.md has the table. `int64` is true if shaders have 64-bit integers.
    ///
    /// [`PlanLimits::default`] has those for GPUs.
    #[must_use]
    pub fn for_cpu(int64: bool) -> Self {
        Self {
            max_loads_per_kernel: 32,
            max_work_per_submission: u64::MAX,
            near_tile_rows: 32,
            quads_per_unit: 4,
            units_in_flight: 1,
            interleaved: false,
            wide: int64,
            int64,
            branchless: true,
            ..Self::default()
        }
    }

    /// Returns the same limits, with the fewest possible elements for an invocation.
    pub(crate) fn with_few_elements(&self) -> Self {
        Self {
            tile_rows: 1,
            near_tile_rows: 1,
            quads_per_unit: 1,
            quads_per_invocation: 1,
            units_in_flight: 1,
            ..self.clone()
        }
    }

    /// Returns the caps of one kernel. If `table` is true, its parameter block also takes a storage
    /// binding.
    pub(crate) fn caps(&self, table: bool) -> Caps {
        let taken = 1 + u32::from(table);
        // A ternary operation reads three arrays, which every device binds; alone in its kernel it
        // has no table.
        let min = if table { 1 } else { 3 };
        let sources = self.storage_buffers().saturating_sub(taken).max(min);
        Caps {
            ops: self.max_ops_per_kernel.max(1) as usize,
            sources: sources as usize,
            loads: self.max_loads_per_kernel.max(MIN_LOADS) as usize,
        }
    }

    /// Returns the number of storage buffers that a kernel may bind, including its result.
    pub(crate) fn storage_buffers(&self) -> u32 {
        self.max_storage_buffers_per_shader_stage.min(MAX_STORAGE_BUFFERS)
    }
}

/// The maximum number of storage buffers that a kernel binds, even if the device allows more.
const MAX_STORAGE_BUFFERS: u32 = 32;

/// The weight of a ternary operation's loads from three places of one array.
const MIN_LOADS: u32 = 6;

/// The maximum contents of one kernel.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Caps {
    /// Operations, by their [weight](super::cost::kernel_weight).
    pub(crate) ops: usize,
    /// Storage bindings that are read.
    pub(crate) sources: usize,
    /// Loads, by their [weight](super::cost::load_weight).
    pub(crate) loads: usize,
}

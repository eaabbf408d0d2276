//! [`PlanLimits`]: the [`DeviceLimits`] that plans keep to, and a [`Tuning`] that was measured for
//! each type of adapter.

use crate::arithmetic::Arithmetic;

/// The rules of a plan: the limits of a device, choices of speed, and how its adapter computes.
///
/// A `Context` fills it for its device. Every field but `arithmetic` may be changed without
/// changing results, except for the last bits of functions that are not correctly rounded, which
/// stay within their bounds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlanLimits {
    /// The device's limits, WebGPU's by default.
    pub device: DeviceLimits,
    /// The choices of speed, those for GPUs by default.
    pub tuning: Tuning,
    /// How the adapter computes. If it is `None`, a context tests its adapter and chooses, and a
    /// plan without a context uses [`Arithmetic::default`].
    ///
    /// `Context::plan_limits` returns this field filled in. Set it to `None` in a copy for a
    /// context on another adapter.
    pub arithmetic: Option<Arithmetic>,
}

/// The limits of a device that a plan must keep to, and how its driver differs from others.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceLimits {
    /// Storage buffers that one kernel may bind, including its result. Kernels bind at most 32 of
    /// them, whatever a device allows: some allow a million, and a kernel's text and compile time
    /// grow with each. A context fills in what the device's limits on all buffers of a stage (29 on
    /// Macs) and on the bindings of a group leave beside the parameter block.
    pub max_storage_buffers_per_shader_stage: u32,
    /// Workgroups in one dimension of a dispatch; more are folded into a second dimension.
    pub max_compute_workgroups_per_dimension: u32,
    /// Maximum size in bytes of a kernel's parameter block, including constants, as a uniform; a
    /// larger one is read from storage.
    pub max_uniform_bytes: u32,
    /// Bytes that one kernel may bind of one array; larger arrays are bound in parts by several
    /// dispatches.
    pub max_storage_buffer_binding_size: u64,
    /// The offset of such a part in the array must be a multiple of this number of bytes.
    pub min_storage_buffer_offset_alignment: u32,
    /// Bytes of memory that the invocations of a workgroup may share.
    pub max_compute_workgroup_storage_size: u32,
    /// True if the driver itself ends the loops of user-defined functions (`Function`): Mesa's
    /// llvmpipe does so after 65,535 iterations of an invocation. Kernels then check for it, and an
    /// invocation computes few elements. A context sets it for llvmpipe.
    pub bounded_loops: bool,
}

impl Default for DeviceLimits {
    /// Returns WebGPU's default limits.
    fn default() -> Self {
        Self {
            max_storage_buffers_per_shader_stage: 8,
            max_compute_workgroups_per_dimension: 65_535,
            max_uniform_bytes: 16 << 10,
            max_storage_buffer_binding_size: 128 << 20,
            min_storage_buffer_offset_alignment: 256,
            max_compute_workgroup_storage_size: 16 << 10,
            bounded_loops: false,
        }
    }
}

impl DeviceLimits {
    /// Returns the number of storage buffers that a kernel may bind, including its result.
    ///
    /// ```
    /// use indim::plan::DeviceLimits;
    ///
    /// let mut limits = DeviceLimits::default();
    /// assert_eq!(limits.storage_buffers(), 8);
    /// limits.max_storage_buffers_per_shader_stage = 1_000_000;
    /// assert_eq!(limits.storage_buffers(), 32);
    /// ```
    pub fn storage_buffers(&self) -> u32 {
        self.max_storage_buffers_per_shader_stage.min(MAX_STORAGE_BUFFERS)
    }
}

/// Choices that affect the speed of kernels, and the last bits of functions that are not correctly
/// rounded.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tuning {
    /// Operations in one kernel; a function such as tanh counts as 32, and lgamma and digamma as
    /// 256. Compilers are worse than linear in them: naga takes 4 ms for 1,000 additions and 17 s
    /// for 100,000, lavapipe 0.5 s for 31 tanh and 88 s for 400. A kernel that reads a small part
    /// of a large value may hold up to four times as many, if that avoids storing the value.
    pub max_ops_per_kernel: u32,
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
    /// Invocations of a workgroup; where one invocation passes over a row several times, at most 32, and of
    /// long rows 8.
    pub workgroup_size: u32,
    /// Rows that one invocation computes at a time, if it keeps values from row to row.
    pub tile_rows: u32,
    /// Rows that one invocation computes at a time if rows are so short that a tile of `tile_rows`
    /// of them is less than two pages of memory.
    pub short_row_tile: u32,
    /// Quads of four elements that are loaded, computed and stored together if the inner size
    /// allows it: 1, 2 or 4 for 32-bit elements, and proportionally more for narrower ones.
    pub quads_per_unit: u32,
    /// Quads that one invocation writes in kernels without rows.
    pub quads_per_invocation: u32,
    /// Units, or rows of a tile, that one invocation loads together before it stores any of them,
    /// if it keeps and computes little for each: it then computes at most this many, without a
    /// loop. With 1, or with more to keep or to compute, a loop covers `quads_per_invocation` or
    /// `tile_rows`.
    pub unroll: u32,
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
    /// True if up to 32 invocations of a workgroup reduce a row together, each 32 of its elements, and
    /// meet in the workgroup's memory, which suits GPUs; false if one invocation reduces up to 1,024.
    pub folds_together: bool,
    /// True if functions of F32 go through 64-bit floats where that was measured to be faster, as
    /// it is for powers on CPUs. Needs `Features::SHADER_F64`.
    pub through_f64: bool,
}

impl Default for Tuning {
    /// Returns choices that suit a GPU.
    fn default() -> Self {
        Self {
            max_ops_per_kernel: 1_000,
            max_loads_per_kernel: 64,
            max_work_per_submission: 1 << 33,
            workgroup_size: 64,
            tile_rows: 8,
            short_row_tile: 8,
            quads_per_unit: 1,
            quads_per_invocation: 4,
            unroll: 2,
            interleaved: true,
            wide: false,
            int64: false,
            branchless: false,
            folds_together: true,
            through_f64: false,
        }
    }
}

impl Tuning {
    /// Returns the choices measured to be fast on CPU adapters such as Mesa's lavapipe;
    /// docs/performance.md has the table. `int64` is true if shaders have 64-bit integers.
    ///
    /// ```
    /// use indim::plan::Tuning;
    ///
    /// assert!(Tuning::for_cpu(true).branchless);
    /// assert!(!Tuning::default().branchless); // for GPUs
    /// ```
    #[must_use]
    pub fn for_cpu(int64: bool) -> Self {
        Self {
            max_loads_per_kernel: 32,
            max_work_per_submission: u64::MAX,
            short_row_tile: 32,
            quads_per_unit: 4,
            unroll: 1,
            interleaved: false,
            wide: int64,
            int64,
            branchless: true,
            folds_together: false,
            ..Self::default()
        }
    }

    /// Returns the same choices, with the fewest possible elements for an invocation.
    pub(crate) fn with_few_elements(&self) -> Self {
        Self {
            tile_rows: 1,
            short_row_tile: 1,
            quads_per_unit: 1,
            quads_per_invocation: 1,
            unroll: 1,
            ..self.clone()
        }
    }
}

impl PlanLimits {
    /// Returns the limits with [`Tuning::for_cpu`].
    ///
    /// ```
    /// use indim::plan::{DeviceLimits, PlanLimits, Tuning};
    ///
    /// let limits = PlanLimits::for_cpu(true);
    /// assert_eq!(limits.tuning, Tuning::for_cpu(true));
    /// assert_eq!(limits.device, DeviceLimits::default());
    /// ```
    #[must_use]
    pub fn for_cpu(int64: bool) -> Self {
        Self { tuning: Tuning::for_cpu(int64), ..Self::default() }
    }

    /// Returns true on processors whose driver compiles without optimising, as SwiftShader does: a
    /// component of a vector takes a register there, of 16, and what has none is in memory. Mesa
    /// optimises; it has wide words on Vulkan, and on OpenGL it bounds loops.
    pub(crate) fn has_few_registers(&self) -> bool {
        self.tuning.branchless && !self.tuning.wide && !self.device.bounded_loops
    }

    /// Returns the caps of one kernel. If `table` is true, its parameter block also takes a storage
    /// binding.
    pub(crate) fn caps(&self, table: bool) -> Caps {
        let taken = 1 + u32::from(table);
        // A ternary operation reads three arrays, which every device binds; alone in its kernel it
        // has no table.
        let min = if table { 1 } else { 3 };
        let sources = self.device.storage_buffers().saturating_sub(taken).max(min);
        Caps {
            ops: self.tuning.max_ops_per_kernel.max(1) as usize,
            sources: sources as usize,
            loads: self.tuning.max_loads_per_kernel.max(MIN_LOADS) as usize,
        }
    }
}

/// The maximum number of storage buffers that a kernel binds, even if the device allows more.
const MAX_STORAGE_BUFFERS: u32 = 32;

/// The weight of a ternary operation's loads from three places of one array.
const MIN_LOADS: u32 = 6;

/// The maximum contents of one kernel.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Caps {
    /// Operations, by their [weight](super::cost::OpCost::weight).
    pub(crate) ops: usize,
    /// Storage bindings that are read.
    pub(crate) sources: usize,
    /// Loads, by their [weight](super::cost::load_weight).
    pub(crate) loads: usize,
}

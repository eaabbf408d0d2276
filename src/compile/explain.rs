//! What a computation becomes, in data: its kernels, how each operand is read, and the bytes that
//! move. Pure: needs no GPU.

use crate::compile::kernel_ir::{KernelIr, LoadSource};
use crate::compile::limits::PlanLimits;
use crate::compile::plan::access::Access;
use crate::compile::plan::layout::Layout;
use crate::compile::plan::planner::{self, Launch};
use crate::compile::plan::schedule::Schedule;
use crate::compile::split::kernels::{self, Kernel};
use crate::compile::split::windows::Windows;
use crate::compile::wgsl::module;
use crate::graph::computation::{Computation, NodeId};
use crate::semantics::element::ElementType;
use crate::semantics::error::{Error, Result};
use crate::semantics::hash::FastMap;
use crate::semantics::literal::device_bytes;
use crate::semantics::precision::Precision;
use crate::semantics::shape::Shape;

/// The kernels of a computation, in order of execution; the last one writes the result. None where
/// the result is a parameter itself.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Explanation {
    /// The kernels.
    pub kernels: Vec<KernelExplanation>,
}

/// Where a kernel writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Target {
    /// The computation's result.
    Result,
    /// The temporary array of this number.
    Temporary(usize),
}

/// Where the elements of a kernel's operand come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
    /// The array given for this parameter.
    Parameter(usize),
    /// The temporary array that the kernel of this number writes.
    Temporary(usize),
    /// No array: the value is the index along a dimension.
    Iota,
}

/// One kernel.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct KernelExplanation {
    /// Element type of what it writes.
    pub element_type: ElementType,
    /// Shape of what it writes.
    pub shape: Shape,
    /// Sizes of the iteration space: those of the shape, unless a reshape within the kernel splits
    /// or merges some.
    pub space: Vec<usize>,
    /// Where it writes.
    pub writes: Target,
    /// Sizes of the iteration space after dropping and merging dimensions, outermost first.
    pub iteration_space: Vec<usize>,
    /// How invocations walk through it. Where there are several dispatches, this and what follows
    /// but [`workgroups`](Self::workgroups) are of one over the whole: each dispatch is planned for
    /// its part by itself.
    pub schedule: Schedule,
    /// Elements that are loaded, computed and stored together.
    pub unit: usize,
    /// Rows, or periods, or rows of a block, that one invocation walks through at a time.
    pub tile: usize,
    /// Dispatches that it takes: more than one where an array does not fit into a binding, or a
    /// dispatch has not workgroups enough; none where there is no element, or no way.
    pub dispatches: usize,
    /// What it reads.
    pub operands: Vec<OperandExplanation>,
    /// Number of operations an element.
    pub ops: usize,
    /// How many of them are [`Precision::Relaxed`].
    pub relaxed_ops: usize,
    /// Bytes of all arrays that are read, each counted once; `u64::MAX` where they are more.
    pub bytes_read: u64,
    /// Bytes of the array that is written.
    pub bytes_written: u64,
    /// Workgroups of the dispatch, in its two dimensions; of several, those of the first one.
    pub workgroups: [u32; 2],
    /// The shader's text.
    pub wgsl: String,
}

/// One operand of a kernel.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct OperandExplanation {
    /// Where its elements come from.
    pub source: Source,
    /// Its element type.
    pub element_type: ElementType,
    /// Its shape.
    pub shape: Shape,
    /// For each of its dimensions, the dimension of the iteration space that it becomes; empty
    /// behind a reshape that splits or merges dimensions.
    pub broadcast_dimensions: Vec<usize>,
    /// Elements from its first one to the one at the origin of the iteration space.
    pub offset: usize,
    /// Strides in elements, one for each dimension of the iteration space; 0 is a broadcast,
    /// a negative one walks backwards.
    pub strides: Vec<isize>,
    /// Strides in elements, one for each dimension of the merged iteration space.
    pub merged_strides: Vec<isize>,
    /// How a quad of it is read.
    pub access: Access,
    /// Whether it is loaded once for a tile of rows.
    pub hoisted: bool,
}

impl Computation {
    /// What this computation becomes under these limits.
    ///
    /// # Errors
    /// Rule C1 for a result that is too large to be counted in bytes.
    pub fn explain(&self, limits: &PlanLimits) -> Result<Explanation> {
        // Arrays are immutable: such a result is the argument itself, and nothing runs.
        if self.forwarded_parameter().is_some() {
            return Ok(Explanation { kernels: Vec::new() });
        }
        let spare = |_: &KernelIr| Ok::<_, Error>(Layout::OWN.spare);
        let keep = |fragment: &KernelIr, windows: Windows| Dispatches {
            count: windows.windows.len(),
            first: first_workgroups(fragment, &windows, limits),
        };
        let all = kernels::kernels(self, limits, |_| Layout::OWN, spare, keep)?;
        let numbers = kernels::numbers(&all);
        let kernels = all
            .iter()
            .map(|kernel| {
                let launch = planner::plan(&kernel.fragment, limits, |_| Layout::OWN, Layout::OWN);
                explain(kernel, launch, &numbers)
            })
            .collect::<Result<_>>()?;
        Ok(Explanation { kernels })
    }
}

/// What an explanation tells of a kernel's windows.
#[derive(Debug)]
struct Dispatches {
    count: usize,
    /// The workgroups of the first of several; `None` if there is one, or none.
    first: Option<[u32; 2]>,
}

fn first_workgroups(
    fragment: &KernelIr,
    windows: &Windows,
    limits: &PlanLimits,
) -> Option<[u32; 2]> {
    let window = windows.windows.first().filter(|_| windows.are_parts())?;
    let piece = window.piece(fragment, &windows.bound, true);
    let result = window.result_layout(true, Layout::OWN.spare);
    let launch = planner::plan_piece(fragment, limits, &piece, |_| Layout::OWN, result);
    Some(launch.groups)
}

fn explain(
    kernel: &Kernel<Dispatches>,
    launch: Launch,
    numbers: &FastMap<NodeId, usize>,
) -> Result<KernelExplanation> {
    // Temporaries are numbered by the kernel that writes them.
    let number = |node: NodeId| numbers.get(&node).copied().unwrap_or(node);
    let fragment = &kernel.fragment;
    let dispatches = kernel.windows.as_ref().ok();
    let operands: Vec<OperandExplanation> = fragment
        .loads
        .iter()
        .zip(&launch.kernel.loads)
        .zip(launch.strides)
        .map(|((leaf, planned), merged_strides)| OperandExplanation {
            source: match leaf.source {
                LoadSource::Parameter(parameter) => Source::Parameter(parameter),
                LoadSource::Stored(node) => Source::Temporary(number(node)),
                LoadSource::Iota => Source::Iota,
            },
            element_type: leaf.element_type,
            shape: leaf.shape.clone(),
            broadcast_dimensions: leaf.dimensions.clone().unwrap_or_default(),
            offset: leaf.offset,
            strides: leaf.strides.clone(),
            merged_strides,
            access: planned.mode.access,
            hoisted: planned.hoisted,
        })
        .collect();
    let mut bytes_read = 0;
    for source in &launch.sources {
        if let Some(leaf) = fragment.loads.iter().find(|l| l.source == *source) {
            let bytes = device_bytes(leaf.element_type, &leaf.shape)?;
            bytes_read = u64::saturating_add(bytes_read, bytes);
        }
    }
    Ok(KernelExplanation {
        element_type: fragment.element_type,
        shape: fragment.shape.clone(),
        space: fragment.space.dims().to_vec(),
        writes: match fragment.is_result {
            true => Target::Result,
            false => Target::Temporary(number(fragment.node)),
        },
        iteration_space: launch.space,
        schedule: launch.kernel.schedule,
        unit: launch.kernel.unit(),
        tile: match launch.kernel.schedule {
            Schedule::Blocks => launch.kernel.unit(),
            _ => launch.kernel.tile_rows as usize,
        },
        dispatches: dispatches.map_or(0, |dispatches| dispatches.count),
        operands,
        ops: fragment.ops.len(),
        relaxed_ops: fragment.ops.iter().filter(|v| v.precision == Precision::Relaxed).count(),
        bytes_read,
        bytes_written: device_bytes(fragment.element_type, &fragment.shape)?,
        workgroups: dispatches.and_then(|dispatches| dispatches.first).unwrap_or(launch.groups),
        wgsl: module::text(&launch.kernel),
    })
}

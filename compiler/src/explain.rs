//! Explains a computation, without a GPU: its kernels, how each operand is read, and how many bytes
//! are moved.

use std::fmt;

use crate::kernel::fold::Fold;
use crate::kernel::ir::KernelIr;
use crate::kernel::load::{ArrayId, LoadSource};
use crate::layout::{self, Layout};
use crate::limits::PlanLimits;
use crate::normalize::normalize;
use crate::plan::access::Access;
use crate::plan::planner::{self, Launch};
use crate::plan::schedule::Schedule;
use crate::plan::window::Window;
use crate::split::kernels::{self, WindowedKernel};
use crate::split::window_planner::{FittedWindow, WindowPlanner};
use crate::wgsl::module;
use indim_core::graph::computation::{Computation, NodeId};
use indim_core::semantics::element::ElementType;
use indim_core::semantics::error::{Error, Result};
use indim_core::semantics::hash::FastMap;
use indim_core::semantics::literal::device_bytes;
use indim_core::semantics::precision::Precision;
use indim_core::semantics::shape::Shape;
use indim_core::semantics::sorted::sorted;

/// The kernels of a computation, in order of execution. A result that is itself a parameter has
/// none. The text form has a line for each kernel; the command `indim explain` draws more of it.
///
/// ```
/// use indim::plan::PlanLimits;
/// use indim::{Builder, ElementType::F32};
///
/// let mut b = Builder::new();
/// let x = b.parameter(F32, [2, 3])?;
/// let v = b.parameter(F32, [3])?;
/// let sum = b.add(x, v, [1])?;
/// let explanation = PlanLimits::default().explain(&b.build(sum)?)?;
/// let [kernel] = &explanation.kernels[..] else { panic!("there is one kernel") };
/// assert_eq!(kernel.operands[1].broadcast_dimensions, [1]);
/// assert_eq!(kernel.operands[1].strides, [0, 1]); // v is read again for each row
/// assert_eq!(
///     explanation.to_string(),
///     "kernel 1 of 1 writes result 0, f32[2, 3], from parameter 0, f32[2, 3] (contiguous), and \
///      parameter 1, f32[3] (gather, once for a tile of rows): 1 operation, periods, 1 dispatch, \
///      36 bytes read, 24 bytes written"
/// );
/// # Ok::<(), indim::Error>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Explanation {
    /// The kernels.
    pub kernels: Vec<KernelExplanation>,
    /// The array that holds each result of the computation: [`Source::Result`] with its own number
    /// if a kernel writes it, with that of an earlier result if both are one value, and
    /// [`Source::Parameter`] if it is an argument, at most reshaped.
    pub results: Vec<Source>,
}

impl Explanation {
    /// Returns an explanation without kernels, for [`Explanation::append`].
    #[doc(hidden)]
    pub fn of_results(results: Vec<Source>) -> Self {
        Self { kernels: Vec::new(), results }
    }

    /// Returns the parameters that are passed over several times, in order, with how often they are: once
    /// by each kernel that reads them, and several times by one that reduces rows and then reads them
    /// again ([`KernelExplanation::passes`]).
    ///
    /// ```
    /// use indim::plan::{PlanLimits, Source};
    /// use indim::{Builder, ElementType::F32};
    ///
    /// let mut b = Builder::new();
    /// let x = b.parameter(F32, [64, 32768])?;
    /// let softmax = b.softmax(x, [1])?;
    /// let explanation = PlanLimits::default().explain(&b.build(softmax)?)?;
    /// // For the largest elements, for the sums of exponentials, and for the result.
    /// assert_eq!(explanation.passed_over(), [(Source::Parameter(0), 3)]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    #[must_use]
    pub fn passed_over(&self) -> Vec<(Source, usize)> {
        let mut reads = Vec::new();
        for (number, kernel) in self.kernels.iter().enumerate() {
            for operand in &kernel.operands {
                let is_folded = operand.folded.iter().any(|&stride| stride != 0);
                let times = if is_folded { kernel.passes } else { 1 };
                reads.push((operand.source, number, times));
            }
        }
        let reads = sorted(reads);
        let mut passes: Vec<(Source, usize)> = Vec::new();
        // Of a kernel's reads of one source the last one has the most passes.
        for of_kernel in reads.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let Some(&(source, _, times)) = of_kernel.last() else { continue };
            match passes.last_mut() {
                Some((known, all)) if *known == source => *all += times,
                _ => passes.push((source, times)),
            }
        }
        let is_listed = |&(source, passes): &(Source, usize)| {
            matches!(source, Source::Parameter(_)) && passes > 1
        };
        passes.into_iter().filter(is_listed).collect()
    }

    /// Adds the kernels of another computation, whose results and parameters have these numbers
    /// here.
    #[doc(hidden)]
    pub fn append(&mut self, other: Self, results: &[usize], parameters: &[usize]) {
        let before = self.kernels.len();
        let source = |source: Source| match source {
            Source::Parameter(number) => Source::Parameter(parameters[number]),
            Source::Temporary(number) => Source::Temporary(before + number),
            Source::Result(number) => Source::Result(results[number]),
            Source::Iota => Source::Iota,
        };
        for mut kernel in other.kernels {
            for written in &mut kernel.writes {
                written.array = source(written.array);
            }
            kernel.operands.iter_mut().for_each(|operand| operand.source = source(operand.source));
            self.kernels.push(kernel);
        }
        for (&number, result) in results.iter().zip(other.results) {
            self.results[number] = source(result);
        }
    }
}

/// An array that a kernel writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Written {
    /// The array: [`Source::Result`], the first one if several results are one value, or
    /// [`Source::Temporary`].
    pub array: Source,
    /// Its element type.
    pub element_type: ElementType,
}

/// The array that a kernel reads or writes, by its number, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Source {
    /// The array given for this parameter.
    Parameter(usize),
    /// The temporary array that the kernel of this number writes.
    Temporary(usize),
    /// The array of this result of the computation.
    Result(usize),
    /// No array: the value is the index along a dimension.
    Iota,
}

/// One kernel.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct KernelExplanation {
    /// The arrays that it writes, at least one: several results of one shape, or one array.
    pub writes: Vec<Written>,
    /// The shape of each of these.
    pub shape: Shape,
    /// The sizes of the iteration space: those of the shape, unless a reshape within the kernel
    /// splits or merges some; without those in [`reduced`](Self::reduced) if it stores whole rows.
    pub space: Vec<usize>,
    /// The sizes of the iteration space after dropping and merging dimensions, outermost first;
    /// reduced ones are among them.
    pub iteration_space: Vec<usize>,
    /// The sizes of the space whose elements a reduction combines at each position of the iteration
    /// space; empty if the kernel has none.
    pub reduced: Vec<usize>,
    /// How invocations traverse the iteration space. With several dispatches, each is planned
    /// separately for its part; this and the following fields, except
    /// [`workgroups`](Self::workgroups), then describe one dispatch over the whole.
    pub schedule: Schedule,
    /// The number of elements that are loaded, computed and stored together.
    pub unit: usize,
    /// The number of rows, periods, or rows of a block that one invocation computes at a time.
    pub tile: usize,
    /// How often its elements are passed over: several times only where reductions of rows stand
    /// beside these rows ([`Schedule::Passes`]).
    pub passes: usize,
    /// The number of dispatches: more than one if an array does not fit into a binding or one
    /// dispatch has too few workgroups; 0 if the result has no elements, or if the limits do not
    /// allow any dispatch.
    pub dispatches: usize,
    /// The arrays and iotas that it reads.
    pub operands: Vec<OperandExplanation>,
    /// The number of operations on each element.
    pub ops: usize,
    /// The number of operations that are [`Precision::Relaxed`].
    pub relaxed_ops: usize,
    /// The bytes of all arrays that are read, each counted once, saturated at `u64::MAX`.
    pub bytes_read: u64,
    /// The bytes of all arrays that are written, saturated at `u64::MAX`.
    pub bytes_written: u64,
    /// The workgroups of the dispatch, in its two dimensions; of the first one, if there are
    /// several.
    pub workgroups: [u32; 2],
    /// The shader's text.
    pub wgsl: String,
}

/// One operand of a kernel.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct OperandExplanation {
    /// The array that its elements come from, unless it is an iota.
    pub source: Source,
    /// The element type that it is read as.
    pub element_type: ElementType,
    /// The shape of the array.
    pub shape: Shape,
    /// For each of its dimensions, the corresponding dimension of the iteration space; empty after
    /// a reshape that splits or merges dimensions.
    pub broadcast_dimensions: Vec<usize>,
    /// The number of elements from its first one to the one at the origin of the iteration space.
    /// In pad, concatenate and roll that one may lie outside of the array; the kernel selects
    /// another value there.
    pub offset: isize,
    /// The strides in elements, one for each dimension of the iteration space; 0 is a broadcast,
    /// and a negative one goes backwards.
    pub strides: Vec<isize>,
    /// The strides in elements, one for each size of what the kernel reduces.
    pub folded: Vec<isize>,
    /// The strides in elements, one for each dimension of the merged iteration space.
    pub merged_strides: Vec<isize>,
    /// How a quad of it is read.
    pub access: Access,
    /// True if it is loaded once for a tile of rows.
    pub hoisted: bool,
}

impl PlanLimits {
    /// Returns the kernels of a computation under these limits.
    ///
    /// ```
    /// use indim::{Builder, ElementType::F32, plan::PlanLimits};
    ///
    /// let mut b = Builder::new();
    /// let x = b.parameter(F32, [2, 3])?;
    /// let (exp, sum) = (b.exp(x)?, b.reduce_sum(x, [0])?);
    /// let computation = b.build_all(&[exp, sum])?;
    /// assert_eq!(PlanLimits::default().explain(&computation)?.kernels.len(), 2);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// Rule C1 for a result whose bytes cannot be counted.
    pub fn explain(&self, computation: &Computation) -> Result<Explanation> {
        self.explain_first(computation, computation.roots().len(), Precision::Accurate)
    }

    /// The same for operations that have this precision if they requested none. Results after the
    /// first `count` count as temporary arrays.
    #[doc(hidden)]
    pub fn explain_first(
        &self,
        computation: &Computation,
        count: usize,
        precision: Precision,
    ) -> Result<Explanation> {
        let normalized = normalize(computation, precision);
        let roots = &normalized.roots;
        let mut first_results = FastMap::default();
        let result = |(number, &root): (usize, &NodeId)| match normalized.forwarded_parameter(root)
        {
            Some(parameter) => Source::Parameter(parameter),
            None => Source::Result(*first_results.entry(root).or_insert(number)),
        };
        let results: Vec<Source> = roots.iter().enumerate().take(count).map(result).collect();
        let spare = |ir: &KernelIr| Ok::<_, Error>(least_spare(ir));
        let layout = |_| Layout::OWN;
        let keep = |planner: &WindowPlanner<'_>, parts: Vec<FittedWindow>| {
            (parts.len(), planner.launches(parts).next().map(|(_, launch)| launch))
        };
        let all = kernels::kernels(&normalized, self, None, &layout, spare, keep)?;
        let names = Names { results: first_results, kernels: kernels::numbers(&all) };
        let kernels = all.into_iter().map(|kernel| explain(kernel, self, &names));
        Ok(Explanation { kernels: kernels.collect::<Result<_>>()?, results })
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.kernels.len();
        if count == 0 {
            return f.write_str("no kernel: each result is an argument");
        }
        for (i, kernel) in self.kernels.iter().enumerate() {
            let end = if i == 0 { "" } else { "\n" };
            write!(f, "{end}kernel {} of {count} {kernel}", i + 1)?;
        }
        // A single kernel says so itself.
        let passed_over = if count > 1 { self.passed_over() } else { Vec::new() };
        for (source, passes) in passed_over {
            write!(f, "\npasses over {source}: {passes}")?;
        }
        Ok(())
    }
}

impl fmt::Display for KernelExplanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let writes: Vec<String> = self
            .writes
            .iter()
            .map(|each| format!("{}, {}{}", each.array, each.element_type, self.shape))
            .collect();
        write!(f, "writes {}", list(&writes))?;
        let reads: Vec<String> = self.operands.iter().map(ToString::to_string).collect();
        if !reads.is_empty() {
            write!(f, ", from {}", list(&reads))?;
        }
        let count = |n: usize, unit, s| format!("{n} {unit}{}", if n == 1 { "" } else { s });
        if !self.reduced.is_empty() {
            write!(f, ", reduced along {:?}", self.reduced)?;
        }
        let (operations, dispatches) =
            (count(self.ops, "operation", "s"), count(self.dispatches, "dispatch", "es"));
        write!(f, ": {operations}, {}, {dispatches}", self.schedule)?;
        write!(f, ", {} bytes read, {} bytes written", self.bytes_read, self.bytes_written)
    }
}

impl fmt::Display for OperandExplanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { source, element_type, shape, access, .. } = self;
        let hoisted = if self.hoisted { ", once for a tile of rows" } else { "" };
        write!(f, "{source}, {element_type}{shape} ({access}{hoisted})")
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parameter(number) => write!(f, "parameter {number}"),
            Self::Temporary(number) => write!(f, "temporary {number}"),
            Self::Result(number) => write!(f, "result {number}"),
            Self::Iota => f.write_str("iota"),
        }
    }
}

/// Joins parts of a sentence that contain commas.
fn list(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [init @ .., last] => format!("{}, and {last}", init.join("; ")),
    }
}

/// Names arrays by numbers that a reader can count.
struct Names {
    /// The number of the first result that each node is.
    results: FastMap<NodeId, usize>,
    /// The number of the kernel that writes each node.
    kernels: FastMap<NodeId, (usize, usize)>,
}

impl Names {
    /// Returns the array in which the value of a node is stored.
    fn stored(&self, node: NodeId) -> Source {
        // Temporaries are numbered by the kernel that writes them.
        let kernel = self.kernels.get(&node).map_or(node, |&(kernel, _)| kernel);
        self.results.get(&node).map_or(Source::Temporary(kernel), |&number| Source::Result(number))
    }
}

/// Returns the number of spare bytes after each of a kernel's outputs. Sizes that cannot be counted
/// are refused elsewhere.
fn least_spare(ir: &KernelIr) -> u32 {
    let bytes = |of| device_bytes(of, &ir.shape).unwrap_or(u64::MAX);
    let spares = ir.output_types().map(|of| layout::spare_behind(bytes(of)));
    spares.min().unwrap_or_default()
}

/// Returns the bytes of the arrays that a kernel reads, each counted once, and of those that it
/// writes. If it reads a destination, it reads as much as it writes.
pub fn bytes_moved(ir: &KernelIr) -> Result<(u64, u64)> {
    let mut read = if ir.reads_destination() {
        device_bytes(ir.outputs[0].element_type, &ir.shape)?
    } else {
        0
    };
    for array in ir.arrays() {
        if let Some(load) = ir.map.loads.iter().find(|load| load.array() == Some(array)) {
            read = u64::saturating_add(read, device_bytes(load.element_type, &load.shape)?);
        }
    }
    let mut written = 0;
    for element_type in ir.output_types() {
        written = u64::saturating_add(written, device_bytes(element_type, &ir.shape)?);
    }
    Ok((read, written))
}

/// Explains one kernel, given the number of its windows and the launch of the first one.
fn explain(
    kernel: WindowedKernel<(usize, Option<Launch>)>,
    limits: &PlanLimits,
    names: &Names,
) -> Result<KernelExplanation> {
    let ir = &kernel.ir;
    let (dispatches, first) = kernel.windows.unwrap_or((0, None));
    let workgroups = first.as_ref().map(|launch| launch.groups);
    // An explanation describes the kernel over its whole space, unlike one of several windows.
    let launch = first.filter(|_| dispatches == 1).unwrap_or_else(|| {
        planner::plan(ir, limits, &Window::whole(ir), |_| Layout::OWN, Layout::OWN)
    });
    let operands: Vec<OperandExplanation> = ir
        .map
        .loads
        .iter()
        .zip(&launch.kernel.map.loads)
        .zip(launch.strides)
        .map(|((load, planned), merged_strides)| OperandExplanation {
            source: match load.source {
                LoadSource::Array(ArrayId::Parameter(parameter)) => Source::Parameter(parameter),
                LoadSource::Array(ArrayId::Stored(node)) => names.stored(node),
                LoadSource::Destination(_) | LoadSource::Iota => Source::Iota,
            },
            element_type: load.element_type,
            shape: load.shape.clone(),
            broadcast_dimensions: load.dimensions.clone().unwrap_or_default(),
            offset: load.offset,
            strides: load.strides.clone(),
            folded: load.folded.clone(),
            merged_strides,
            access: if planned.table { Access::Taken } else { planned.mode.access },
            hoisted: planned.hoisted,
        })
        .collect();
    let (bytes_read, bytes_written) = bytes_moved(ir)?;
    let writes = ir.outputs.iter().map(|output| Written {
        array: names.stored(output.node),
        element_type: output.element_type,
    });
    Ok(KernelExplanation {
        writes: writes.collect(),
        shape: ir.shape.clone(),
        space: ir.space.dims().to_vec(),
        iteration_space: launch.space,
        reduced: ir.fold.as_ref().map(|fold| fold.sizes.clone()).unwrap_or_default(),
        passes: ir.fold.as_ref().map_or(1, Fold::passes),
        schedule: launch.kernel.schedule(),
        unit: launch.kernel.unit(),
        tile: launch.kernel.tile(),
        dispatches,
        operands,
        ops: ir.map.ops.len() + ir.fold.as_ref().map_or(0, |fold| fold.epilogue.len()),
        relaxed_ops: ir.map.ops.iter().filter(|v| v.precision == Precision::Relaxed).count(),
        bytes_read,
        bytes_written,
        workgroups: workgroups.unwrap_or(launch.groups),
        wgsl: module::text(&launch.kernel),
    })
}

//! Finds a computation's kernels with their windows; each window is one dispatch.

use super::levels::levels;
use super::window_planner::{FittedWindow, SplitError, WindowPlanner};
use super::windows::windows;
use crate::kernel::destination::{self, Destination};
use crate::kernel::ir::KernelIr;
use crate::kernel::load::ArrayId;
use crate::layout::Layout;
use crate::limits::PlanLimits;
use crate::materialize::partition::{self, Fitted};
use crate::normalize::normalized::Normalized;
use indim_core::graph::computation::NodeId;
use indim_core::semantics::hash::FastMap;

/// One kernel, before planning, with the recorded part of its windows.
#[derive(Debug)]
pub struct WindowedKernel<W> {
    pub(crate) ir: KernelIr,
    /// The same code without the space's dimensions of size 1, if it has any.
    compact: Option<KernelIr>,
    /// The number of spare bytes after its result.
    pub spare: u32,
    /// The recorded part of the windows. They are windows of the compact code, if there is one.
    pub(crate) windows: Result<W, SplitError>,
}

impl<W> WindowedKernel<W> {
    /// Returns the code to plan, without the space's dimensions of size 1, and its windows.
    pub fn into_compact(self) -> (KernelIr, Result<W, SplitError>) {
        (self.compact.unwrap_or(self.ir), self.windows)
    }
}

/// Returns the number of the kernel that writes each node.
pub fn numbers<W>(kernels: &[WindowedKernel<W>]) -> FastMap<NodeId, (usize, usize)> {
    let outputs = kernels.iter().enumerate().flat_map(|(number, kernel)| {
        let nodes = kernel.ir.outputs.iter().map(|output| output.node);
        nodes.enumerate().map(move |(output, node)| (node, (number, output)))
    });
    outputs.collect()
}

/// Returns the kernels of a computation, in order of execution. If there are `destinations`, one or
/// `None` for each result, each result has memory of its own, and is written to its destination if
/// its kernel can. `layout` gives the layout of arrays, `spare` the number of spare bytes after a
/// kernel's result, or why there can be none. `keep` selects the recorded part of a kernel's
/// windows, of which there may be very many.
pub fn kernels<W, E>(
    computation: &Normalized,
    limits: &PlanLimits,
    destinations: Option<&[Option<Destination>]>,
    layout: &dyn Fn(ArrayId) -> Layout,
    spare: impl Fn(&KernelIr) -> Result<u32, E>,
    keep: impl Fn(&WindowPlanner<'_>, Vec<FittedWindow>) -> W,
) -> Result<Vec<WindowedKernel<W>>, E> {
    let is_misaligned = |number| !layout(ArrayId::Parameter(number)).offset.is_multiple_of(8);
    let own_memory = destinations.is_some();
    // Such results are the arguments themselves, so nothing runs.
    if computation.computed_roots(own_memory).is_empty() {
        return Ok(Vec::new());
    }
    partition::partition(computation, own_memory, limits, is_misaligned, |irs| {
        let roots = &computation.roots;
        let first_number = computation.instructions.len();
        let irs = levels(irs, first_number + roots.len(), limits);
        let destinations = destinations.unwrap_or_default();
        let irs = destination::place(irs, roots, destinations, first_number, limits);
        // An array that is too large for the device is refused before windows are computed.
        let spares = irs.iter().map(&spare).collect::<Result<Vec<u32>, E>>()?;
        let with_windows = |(ir, spare): (KernelIr, u32)| {
            let compact = ir.without_degenerate();
            let planner =
                WindowPlanner::new(compact.as_ref().unwrap_or(&ir), limits, layout, spare);
            let windows = windows(&planner).map(|parts| keep(&planner, parts));
            WindowedKernel { ir, compact, spare, windows }
        };
        let kernels: Vec<WindowedKernel<W>> =
            irs.into_iter().zip(spares).map(with_windows).collect();
        let weight = |kernel: &WindowedKernel<W>| -> usize {
            let ops = kernel.ir.map.ops.iter().map(|op| op.cost().weight).sum();
            // What it computes in several passes several kernels may.
            if kernel.ir.has_passes() { 2.max(ops) } else { ops }
        };
        let may_be_cut = |ir: &KernelIr| ir.map.ops.len() > 1 || ir.has_passes();
        let refused = kernels.iter().filter(|k| k.windows.is_err() && may_be_cut(&k.ir));
        let refused = refused.map(weight).max().unwrap_or(0);
        Ok(Fitted { kernels, refused })
    })
}

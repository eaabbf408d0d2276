//! Finds a computation's kernels with their windows; each window is one dispatch.

use super::window_planner::{Dispatchable, Refusal, WindowPlanner};
use super::windows::windows;
use crate::compile::destination::Destination;
use crate::compile::kernel_ir::{KernelIr, KernelOp, LoadSource};
use crate::compile::limits::PlanLimits;
use crate::compile::materialize::partition::{self, Fitted};
use crate::compile::plan::layout::Layout;
use crate::graph::computation::{Computation, NodeId};
use crate::semantics::hash::FastMap;

/// One kernel, before planning, with what is kept of its windows.
#[derive(Debug)]
pub(crate) struct WindowedKernel<W> {
    pub(crate) ir: KernelIr,
    /// The same code without the space's dimensions of size 1, if it has any.
    compact: Option<KernelIr>,
    /// The number of bytes behind its result that may be written to.
    pub(crate) spare: u32,
    /// The part of the windows that is kept. They are windows of the compact code, if there is one.
    pub(crate) windows: Result<W, Refusal>,
}

impl<W> WindowedKernel<W> {
    /// Returns the code that is planned, which is without the space's dimensions of size 1, and its
    /// windows.
    pub(crate) fn into_compact(self) -> (KernelIr, Result<W, Refusal>) {
        (self.compact.unwrap_or(self.ir), self.windows)
    }
}

/// Returns the number of the kernel that writes each node.
pub(crate) fn numbers<W>(kernels: &[WindowedKernel<W>]) -> FastMap<NodeId, (usize, usize)> {
    let outputs = kernels.iter().enumerate().flat_map(|(number, kernel)| {
        let nodes = kernel.ir.outputs.iter().map(|output| output.node);
        nodes.enumerate().map(move |(output, node)| (node, (number, output)))
    });
    outputs.collect()
}

/// Returns the kernels of a computation, in order of execution. The result of a computation that has
/// only one is written to the `destination`, if there is one and the kernel can. `layout` says how arrays lie, `spare` how many bytes may be written to behind a kernel's result,
/// or why there can be none. `keep` says which part of a kernel's windows is kept, for there may be
/// very many.
pub(crate) fn kernels<W, E>(
    computation: &Computation,
    limits: &PlanLimits,
    destination: Option<&Destination>,
    layout: &dyn Fn(LoadSource) -> Layout,
    spare: impl Fn(&KernelIr) -> Result<u32, E>,
    keep: impl Fn(&WindowPlanner<'_>, Vec<Dispatchable>) -> W,
) -> Result<Vec<WindowedKernel<W>>, E> {
    let is_misaligned = |number| !layout(LoadSource::Parameter(number)).offset.is_multiple_of(8);
    partition::partition(computation, limits, is_misaligned, |irs| {
        // Where a destination has neighbours, a kernel computes elements that are none, and keeps
        // what is there; functions with loops must not see those.
        let may_place = |ir: &KernelIr| ir.outputs[0].is_result && !ir.has_loops();
        let placed = |ir: KernelIr| match destination.filter(|_| may_place(&ir)) {
            Some(destination) => destination.place(ir.clone(), limits).unwrap_or(ir),
            None => ir,
        };
        let irs: Vec<KernelIr> = irs.into_iter().map(placed).collect();
        // An array that is too large for the device is refused before windows are looked for.
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
            kernel.ir.ops.iter().map(KernelOp::weight).sum()
        };
        let refused = kernels.iter().filter(|k| k.windows.is_err() && k.ir.ops.len() > 1);
        let refused = refused.map(weight).max().unwrap_or(0);
        Ok(Fitted { kernels, refused })
    })
}

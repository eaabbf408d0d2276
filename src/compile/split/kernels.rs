//! A computation's kernels with their windows: what is to be dispatched.

use super::windows::{self, Refusal, Windows};
use crate::compile::cost;
use crate::compile::kernel_ir::{KernelIr, LoadSource};
use crate::compile::limits::PlanLimits;
use crate::compile::materialize::partition;
use crate::compile::plan::layout::Layout;
use crate::graph::computation::{Computation, NodeId};
use crate::semantics::hash::FastMap;

/// One kernel, before planning, with what is kept of its windows.
#[derive(Debug)]
pub(crate) struct Kernel<W> {
    pub(crate) fragment: KernelIr,
    /// Of [`KernelIr::without_degenerate`].
    pub(crate) windows: Result<W, Refusal>,
}

/// The number of the kernel that writes each node.
pub(crate) fn numbers<W>(kernels: &[Kernel<W>]) -> FastMap<NodeId, usize> {
    kernels.iter().enumerate().map(|(number, kernel)| (kernel.fragment.node, number)).collect()
}

/// The kernels of a computation, in order of execution; the last one gives the result. `parameter`
/// says how the array of a parameter lies, `spare` how many bytes may be written to behind a
/// kernel's result, or why there can be none. `keep` is what is to be known of a kernel's windows,
/// which may be very many.
///
/// A kernel that sees arrays under many views may have no windows where smaller ones have: arrays
/// larger than a binding are bound once for each view, and each view may cut the space along another
/// dimension. So kernels get fewer operations until all have windows, or one operation each.
pub(crate) fn kernels<W, E>(
    computation: &Computation,
    limits: &PlanLimits,
    parameter: impl Fn(usize) -> Layout,
    spare: impl Fn(&KernelIr) -> Result<u32, E>,
    keep: impl Fn(&KernelIr, Windows) -> W,
) -> Result<Vec<Kernel<W>>, E> {
    let mut limits = limits.clone();
    loop {
        let odd = |number: usize| !parameter(number).offset.is_multiple_of(8);
        let fragments = partition::partition(computation, &limits, odd);
        let layout = |source| match source {
            LoadSource::Parameter(number) => parameter(number),
            LoadSource::Stored(_) | LoadSource::Iota => Layout::OWN,
        };
        // What is too large for the device is told before windows are looked for.
        let spares = fragments.iter().map(&spare).collect::<Result<Vec<u32>, E>>()?;
        let with_windows = |(fragment, spare): (KernelIr, u32)| {
            let cut = fragment.without_degenerate();
            let windows = windows::windows(&cut, &limits, layout, spare);
            let windows = windows.map(|windows| keep(&cut, windows));
            Kernel { fragment, windows }
        };
        let kernels: Vec<Kernel<W>> = fragments.into_iter().zip(spares).map(with_windows).collect();
        let without = kernels.iter().filter(|kernel| kernel.windows.is_err());
        let weight = |kernel: &Kernel<W>| -> usize {
            let values = kernel.fragment.ops.iter();
            values.map(|value| cost::kernel_weight(value.opcode, value.from)).sum()
        };
        let single = |kernel: &&Kernel<W>| kernel.fragment.ops.len() <= 1;
        let most_ops = without.filter(|k| !single(k)).map(weight).max().unwrap_or(0);
        if most_ops <= 1 || limits.max_ops_per_kernel <= 1 {
            return Ok(kernels);
        }
        let half = u32::try_from(most_ops / 2).unwrap_or(u32::MAX);
        limits.max_ops_per_kernel = half.min(limits.max_ops_per_kernel / 2).max(1);
    }
}

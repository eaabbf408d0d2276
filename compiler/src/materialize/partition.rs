//! Decides which values of a computation are stored, and so cuts it into kernels.
//!
//! It aims at one kernel, which makes one pass over memory. A value is written to a temporary array
//! only where that is cheaper or necessary:
//!
//! 1. a costly value, one of many operations, or what is made of a reduction, that varies over a
//!    space at least [`COSTLY_FACTOR`] times smaller than the kernel's or than what the kernel
//!    reduces (the sine of a column in a sum over a matrix), so that it is computed once, not once a
//!    row; unless a few operations compute it from another of these;
//! 2. if a kernel would pass the cap on operations or on loads (shader compilers are worse than
//!    linear in them) or on storage bindings, the value that takes the fewest bytes to write;
//! 3. if one value is needed under several views or broadcasts and computing it for each costs
//!    more, or passes the cap ([`uses`](super::uses)), that value;
//! 4. if sizes on the two sides of a reshape do not fit each other, the reshape (also
//!    [`uses`](super::uses));
//! 5. if the kernels of several results share a value, and computing it for each costs more, that
//!    value;
//! 6. if a kernel has no windows that fit into the device's bindings, the values that a lower cap
//!    on operations takes out of it;
//! 7. if a view leaves a value at most of its positions, as in a concatenation of many operands,
//!    and the kernel would make many loads there in vain, the value;
//! 8. if a reduction is read at another position than the kernel stores, or beside one along other
//!    dimensions, the reduction (also [`uses`](super::uses)).

use crate::cost::COSTLY_FACTOR;
use crate::kernel::ir::KernelIr;
use crate::limits::{Caps, PlanLimits};
use crate::materialize::analysis::Analysis;
use crate::materialize::axes::Axes;
use crate::materialize::demand::Lowering;
use crate::materialize::descending::Descending;
use crate::materialize::folds::lower;
use crate::materialize::footprint::Footprint;
use crate::materialize::join::join;
use crate::materialize::rows;
use crate::materialize::weight::{is_near, long_values};
use crate::normalize::normalized::{Input, Normalized, Reduction};
use indim_core::graph::computation::NodeId;
use indim_core::semantics::hash::FastMap;
use indim_core::semantics::opcode::Cost;
use indim_core::semantics::shape::Shape;
use indim_core::semantics::sorted::sorted;

/// Stop recording the kernels that need a value beyond this number.
const MANY_KERNELS: usize = 8;

/// A computation's kernels after their spaces have been cut into windows.
pub(crate) struct Fitted<T> {
    pub(crate) kernels: T,
    /// The weight of the heaviest kernel of several operations without windows; 0 if all have
    /// windows.
    pub(crate) refused: usize,
}

/// Cuts a computation into kernels, and returns the result of `fit` for them. `fit` receives all of
/// them, in order of execution. If `own_memory`, each result has memory of its own, even one that is
/// a parameter. `is_misaligned(n)` is true if argument n does not start at a multiple of 8 bytes.
///
/// This loop decides what is stored: first what lowering a kernel requires, then what the caps
/// require, then what is needed for all kernels to have windows. A kernel that sees arrays under
/// many views may have none where smaller kernels have: arrays larger than a binding are bound once
/// for each view, and each view may cut the space along another dimension. So the cap on operations
/// is lowered until all kernels have windows, or one operation each.
///
/// # Errors
/// The errors of `fit`.
pub(crate) fn partition<T, E>(
    computation: &Normalized,
    own_memory: bool,
    limits: &PlanLimits,
    is_misaligned: impl Fn(usize) -> bool,
    mut fit: impl FnMut(Vec<KernelIr>) -> Result<Fitted<T>, E>,
) -> Result<T, E> {
    let mut caps = limits.caps(false);
    let mut joins = computation.roots.len() > 1;
    let mut passes = true;
    let mut apart = Apart::default();
    let new = |caps: Caps, apart: &Apart, passes: bool| {
        let mut analysis = Analysis::new(computation, own_memory, &is_misaligned);
        analysis.longest_row = if passes { rows::longest(&limits.tuning) } else { 0 };
        Partition::new(analysis, caps, apart)
    };
    let mut partition = new(caps, &apart, passes);
    loop {
        if let Some((node, axes)) = partition.open.take_last() {
            let axes = axes.unwrap_or_else(|| Axes::by_dimension(&partition.analysis, node));
            match lower(&partition.analysis, node, axes, caps) {
                Lowering::Done(kernel) => partition.kernels.push(kernel),
                Lowering::Refine(axes) => {
                    *partition.open.of(node) = Some(axes);
                }
                Lowering::Materialize(nodes) => partition.store(node, nodes),
            }
            continue;
        }
        if partition.has_stored {
            // This takes operations out of kernels, but may add an array to read.
            partition.enforce_caps();
            continue;
        }
        let mut kernels = std::mem::take(&mut partition.kernels);
        kernels.reverse();
        // A parameter block bound as storage takes the place of an array.
        let with_table = limits.caps(true).sources;
        let bound = |kernel: &KernelIr| kernel.arrays().len() + usize::from(kernel.has_loops());
        let too_many =
            |kernel: &KernelIr| kernel.may_need_table(limits) && bound(kernel) > with_table;
        if caps.sources > with_table && kernels.iter().any(too_many) {
            caps.sources = with_table;
        } else {
            let count = kernels.len();
            let kernels = if joins { join(kernels, limits) } else { kernels };
            let is_joined = kernels.len() < count;
            if apart.is_empty() {
                apart = results_apart(&kernels);
                if !apart.is_empty() {
                    partition = new(caps, &apart, passes);
                    continue;
                }
            }
            let has_passes = kernels.iter().any(KernelIr::has_passes);
            let Fitted { kernels, refused } = fit(kernels)?;
            if refused <= 1 || caps.ops <= 1 && !is_joined && !has_passes {
                return Ok(kernels);
            }
            if has_passes || is_joined {
                // First, rows that are folded by several kernels need not be bound as a whole.
                (passes, joins) = (false, joins && has_passes);
                partition = new(caps, &apart, passes);
                continue;
            }
            caps = Caps { ops: (refused / 2).min(caps.ops / 2).max(1), ..limits.caps(false) };
        }
        partition = new(caps, &apart, passes);
    }
}

/// For each result whose kernel could not join another one of the same shape: the first result in
/// its kernel.
type Apart = FastMap<NodeId, NodeId>;

/// Returns the results of one shape that several kernels write, because one kernel cannot hold or
/// bind them all.
fn results_apart(kernels: &[KernelIr]) -> Apart {
    let writes_result = |kernel: &&KernelIr| kernel.outputs[0].is_result;
    let mut of_shape: FastMap<&Shape, Vec<&KernelIr>> = FastMap::default();
    for kernel in kernels.iter().filter(writes_result) {
        of_shape.entry(&kernel.shape).or_default().push(kernel);
    }
    let several = of_shape.values().filter(|kernels| kernels.len() > 1).flatten();
    let nodes = several.flat_map(|kernel| {
        let first = kernel.outputs[0].node;
        kernel.outputs.iter().map(move |output| (output.node, first))
    });
    nodes.collect()
}

/// A computation on its way to kernels under the same caps.
pub(super) struct Partition<'a> {
    pub(super) computation: &'a Normalized,
    pub(super) caps: Caps,
    /// Nodes that the root needs, ascending, so operands come before their uses.
    pub(super) reachable: Vec<NodeId>,
    /// The facts about the nodes, including which are stored.
    pub(super) analysis: Analysis<'a>,
    /// The footprint of the kernel that would compute each node, when the caps were last enforced.
    pub(super) footprints: Vec<Footprint>,
    /// The nodes whose kernels are yet to be lowered, over these axes or those of their dimensions.
    pub(super) open: Descending<Option<Axes>>,
    /// The lowered kernels, the last one first.
    pub(super) kernels: Vec<KernelIr>,
    /// True if lowering required nodes to be stored since the caps were enforced.
    pub(super) has_stored: bool,
}

impl<'a> Partition<'a> {
    fn new(analysis: Analysis<'a>, caps: Caps, apart: &Apart) -> Self {
        let computation = analysis.computation;
        let count = computation.instructions.len();
        let mut needed = analysis.is_root.clone();
        for node in (0..count).rev() {
            if needed[node] {
                for input in &computation.instructions[node].inputs {
                    needed[input.node] = true;
                }
            }
        }
        let mut new = Self {
            computation,
            caps,
            reachable: (0..count).filter(|&n| needed[n]).collect(),
            analysis,
            footprints: vec![Footprint::default(); count],
            open: Descending::default(),
            kernels: Vec::new(),
            has_stored: false,
        };
        new.store_costly_values();
        new.store_what_results_share(apart);
        new.enforce_caps();
        new
    }

    /// Stores what the kernel of `node` requires; the kernels of these values are then lowered
    /// after it.
    fn store(&mut self, node: NodeId, nodes: Vec<NodeId>) {
        let mut is_new = false;
        for stored in nodes {
            is_new |= !std::mem::replace(&mut self.analysis.materialized[stored], true);
            *self.open.of(stored) = None;
        }
        // A kernel never requires its own node to be stored, so there is always something new.
        if is_new {
            self.has_stored = true;
            *self.open.of(node) = None;
        }
    }

    // ---- 1. costly values in a small space -----------------------------------------------------

    fn store_costly_values(&mut self) {
        let is_long = long_values(&self.computation.instructions);
        let mut holds_cost = vec![false; self.footprints.len()];
        for &node in &self.reachable {
            let inputs = &self.computation.instructions[node].inputs;
            let open =
                |input: &Input| holds_cost[input.node] && !self.analysis.materialized[input.node];
            let instruction = &self.computation.instructions[node];
            // Rem and Pow are costly on floats and integers alike; moves never are. A reduction is
            // stored, so that what is made of it may be stored in its place.
            let is_costly = is_long[node]
                || instruction.cost() != Cost::Cheap
                || instruction.reduction().is_some();
            holds_cost[node] = is_costly || inputs.iter().any(open);
        }
        let space = |&root: &NodeId| {
            let count = self.computation.instructions[root].shape.element_count();
            count.map_or(u64::MAX, |count| count as u64)
        };
        let roots = self.reachable.iter().filter(|&&node| self.analysis.is_root[node]);
        let mut kernels: Vec<(NodeId, u64)> = roots.map(|root| (*root, space(root))).collect();
        let made = self.made_of_rows();
        // The reduction of the rows of this shape that a value is made of.
        let is_in_rows = |node: NodeId, shape: &Shape| {
            made[node].is_some_and(|of| *self.computation.instructions[of].domain() == *shape)
        };
        // If a node was reached before from a space at least as large, nothing more would be stored
        // below it.
        let mut seen: Vec<Option<u64>> = vec![None; self.footprints.len()];
        let mut stored = Vec::new();
        while let Some((kernel, space)) = kernels.pop() {
            let shape = &self.computation.instructions[kernel].shape;
            let mut stack = self.operands_in_space(kernel, space, shape);
            while let Some((node, space, shape)) = stack.pop() {
                if self.analysis.materialized[node]
                    || self.analysis.is_leaf(node)
                    || !holds_cost[node]
                {
                    continue;
                }
                if seen[node] >= Some(space) {
                    continue;
                }
                seen[node] = Some(space);
                let len = |node: NodeId| self.analysis.varying_len[node];
                // What a view only moves is stored below it.
                let is_below = self.is_view(node)
                    && self.operands(node).iter().all(|&of| len(of) <= len(node));
                let is_apart = !is_below && !is_in_rows(node, shape);
                if is_apart && len(node).saturating_mul(COSTLY_FACTOR) <= space {
                    self.analysis.materialized[node] = true;
                    stored.push(node);
                    kernels.push((node, len(node)));
                } else {
                    stack.extend(self.operands_in_space(node, space, shape));
                }
            }
        }
        self.compute_near_values_again(stored);
    }

    /// Stores none of these values that a few operations compute from other stored ones.
    fn compute_near_values_again(&mut self, stored: Vec<NodeId>) {
        let instructions = &self.computation.instructions;
        for node in sorted(stored) {
            let is_stored = |of: NodeId| self.analysis.materialized[of];
            if instructions[node].reduction().is_none() && is_near(instructions, node, is_stored) {
                self.analysis.materialized[node] = false;
            }
        }
    }

    // ---- 2. values that the kernels of several results share -------------------------------------

    /// Stores values that several kernels need, if reading them costs less than computing them for
    /// each. Results of one shape share a kernel, except those that are `apart`.
    fn store_what_results_share(&mut self, apart: &Apart) {
        if self.computation.roots.len() == 1 {
            return;
        }
        let instructions = &self.computation.instructions;
        // The kernels that need each node: by the shape that they cover, and their number.
        let mut needed_by: Vec<Vec<NodeId>> = vec![Vec::new(); instructions.len()];
        let mut first_of_shape: FastMap<&Shape, NodeId> = FastMap::default();
        for &node in self.reachable.iter().rev() {
            let is_stored = self.analysis.materialized[node] || self.analysis.is_root[node];
            if !is_stored && !self.analysis.is_leaf(node) && !self.is_view(node) {
                let own = self.analysis.varying_len[node];
                let elements = |&kernel: &NodeId| own.min(self.analysis.varying_len[kernel]);
                let used = needed_by[node].iter().map(elements).fold(0, u64::saturating_add);
                let is_shared = needed_by[node].len() > 1;
                self.analysis.materialized[node] |=
                    is_shared && self.analysis.pays_to_store(node, used);
            }
            let is_kernel = self.analysis.materialized[node] || self.analysis.is_root[node];
            let kernels = match (is_kernel, apart.get(&node)) {
                (true, Some(&kernel)) => vec![kernel],
                (true, None) => {
                    vec![*first_of_shape.entry(&instructions[node].shape).or_insert(node)]
                }
                (false, _) => needed_by[node].clone(),
            };
            for input in &instructions[node].inputs {
                for &kernel in &kernels {
                    let known = &mut needed_by[input.node];
                    if known.len() < MANY_KERNELS && !known.contains(&kernel) {
                        known.push(kernel);
                    }
                }
            }
        }
    }

    /// Returns the operands of a node, and the number of elements and the shape of the space in which
    /// a kernel of this space computes them: those of a reduction for each element that is reduced.
    fn operands_in_space(
        &self,
        node: NodeId,
        space: u64,
        shape: &'a Shape,
    ) -> Vec<(NodeId, u64, &'a Shape)> {
        let instruction = &self.computation.instructions[node];
        let (space, shape) = match instruction.reduction() {
            None => (space, shape),
            Some(Reduction { domain, .. }) => {
                let count = domain.element_count();
                (space.max(count.map_or(u64::MAX, |count| count as u64)), domain)
            }
        };
        instruction.inputs.iter().map(|input| (input.node, space, shape)).collect()
    }

    /// For each node, the reduction of rows that it is made of; see [`rows::made_of_rows`]. What
    /// several results need is none: it is stored for them.
    fn made_of_rows(&self) -> Vec<Option<NodeId>> {
        let instructions = &self.computation.instructions;
        if self.analysis.longest_row == 0 {
            return vec![None; instructions.len()];
        }
        let is_root = &self.analysis.is_root;
        rows::made_of_rows(
            instructions,
            &rows::of_one_result(instructions, &self.reachable, is_root),
            self.analysis.longest_row,
        )
    }

    pub(super) fn operands(&self, node: NodeId) -> Vec<NodeId> {
        self.computation.instructions[node].inputs.iter().map(|i| i.node).collect()
    }
}

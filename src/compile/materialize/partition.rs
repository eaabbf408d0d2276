//! Cuts a computation into kernels.
//!
//! One kernel and one pass over memory is the aim. A value is written to a temporary array only
//! where that is cheaper or must be:
//!
//! 1. a costly value whose own space is at least [`COSTLY_FACTOR`] times smaller than the kernel's
//!    (the sine of a column in a sum over a matrix), so that it is computed once, not once a row;
//! 2. where a kernel would pass the cap on operations (shader compilers are worse than linear in
//!    them) or on storage bindings, at the value that takes the fewest bytes to write;
//! 3. where one value is needed under several views or broadcasts and computing it for each costs
//!    more, or passes the cap ([`demand`](crate::demand));
//! 4. where sizes on the two sides of a reshape do not fit each other (there, too).

use std::collections::BTreeSet;

use crate::compile::cost::COSTLY_FACTOR;
use crate::compile::kernel_ir::KernelIr;
use crate::compile::limits::{Caps, PlanLimits};
use crate::compile::materialize::lower;
use crate::compile::materialize::uses::Facts;
use crate::graph::computation::{Computation, Input, NodeId};
use crate::semantics::opcode::{Cost, Opcode};

/// The share of the cap that a cut for operations should at least take out of the kernel, so that
/// a long chain is not cut at every step at some tiny value.
const WORTHWHILE_SHARE: usize = 8;

/// The kernels of a computation, in order of execution; the last one gives the result. `odd` is of
/// each parameter whether its array begins between multiples of 8 bytes.
pub(crate) fn partition(
    computation: &Computation,
    limits: &PlanLimits,
    odd: impl Fn(usize) -> bool,
) -> Vec<KernelIr> {
    let partition_by = |caps| partition_by(computation, caps, &odd);
    let fragments = partition_by(limits.caps(false));
    // A parameter block that is bound as storage takes the place of an array.
    let caps = limits.caps(true);
    let too_many = |fragment: &KernelIr| {
        may_need_table(fragment, limits) && fragment.sources().len() > caps.sources
    };
    if fragments.iter().any(too_many) { partition_by(caps) } else { fragments }
}

/// Whether a kernel's parameter block may be too large for a uniform, from above.
fn may_need_table(fragment: &KernelIr, limits: &PlanLimits) -> bool {
    let rank = fragment.space.rank();
    let words = 16 + rank + fragment.loads.len() * (2 * rank + 2) + fragment.constants.len();
    words * 4 > limits.max_uniform_bytes as usize
}

fn partition_by(
    computation: &Computation,
    caps: Caps,
    odd: &impl Fn(usize) -> bool,
) -> Vec<KernelIr> {
    let mut cuts = Cuts::new(computation, odd);
    cuts.most_ops = caps.ops;
    cuts.costly_values();
    loop {
        cuts.respect(caps);
        // What lowering cuts takes operations out of kernels, but may put an array in.
        if let Some(fragments) = cuts.lower_all(caps) {
            return fragments;
        }
    }
}

struct Cuts<'a> {
    computation: &'a Computation,
    /// Nodes that the root needs, ascending, so operands come before their uses.
    reachable: Vec<NodeId>,
    /// With the nodes that are written to temporaries.
    facts: Facts<'a>,
    /// The cap on operations.
    most_ops: usize,
    /// Operations and sources of the kernel that would compute the node, as of the last `respect`.
    load: Vec<Load>,
}

#[derive(Debug, Clone, Default)]
struct Load {
    /// At least the weight of all operations; shared ones may be counted repeatedly.
    ops: usize,
    /// Parameters and temporaries that are read, by node, ascending.
    sources: Vec<NodeId>,
}

impl<'a> Cuts<'a> {
    fn new(computation: &'a Computation, odd: &impl Fn(usize) -> bool) -> Self {
        let count = computation.instructions.len();
        let mut needed = vec![false; count];
        needed[computation.root] = true;
        for node in (0..=computation.root).rev() {
            if needed[node] {
                for input in &computation.instructions[node].inputs {
                    needed[input.node] = true;
                }
            }
        }
        Self {
            computation,
            reachable: (0..count).filter(|&n| needed[n]).collect(),
            facts: Facts::new(computation, odd),
            most_ops: 0,
            load: vec![Load::default(); count],
        }
    }

    fn is_leaf(&self, node: NodeId) -> bool {
        self.facts.is_leaf(node)
    }

    fn is_costly(&self, node: NodeId) -> bool {
        let instruction = &self.computation.instructions[node];
        // Rem and Pow are costly on floats and integers alike; moves never are.
        instruction.opcode.cost() != Cost::Cheap
    }

    // ---- 1. costly values in a small space -----------------------------------------------------

    fn costly_values(&mut self) {
        let mut holds_cost = vec![false; self.load.len()];
        for &node in &self.reachable {
            let inputs = &self.computation.instructions[node].inputs;
            let open = |input: &Input| holds_cost[input.node] && !self.facts.is_cut[input.node];
            holds_cost[node] = self.is_costly(node) || inputs.iter().any(open);
        }
        let root = self.computation.root;
        let root_space = self.computation.instructions[root]
            .shape
            .element_count()
            .map_or(u64::MAX, |count| count as u64);
        let mut kernels = vec![(root, root_space)];
        // The largest space from which each node was come to: from a smaller one nothing more would
        // be cut from there on.
        let mut seen: Vec<Option<u64>> = vec![None; self.load.len()];
        while let Some((kernel, space)) = kernels.pop() {
            let mut stack = self.operands(kernel);
            while let Some(node) = stack.pop() {
                if self.facts.is_cut[node] || self.is_leaf(node) || !holds_cost[node] {
                    continue;
                }
                if seen[node] >= Some(space) {
                    continue;
                }
                seen[node] = Some(space);
                if self.facts.own_space[node].saturating_mul(COSTLY_FACTOR) <= space {
                    self.facts.is_cut[node] = true;
                    kernels.push((node, self.facts.own_space[node]));
                } else {
                    stack.extend(self.operands(node));
                }
            }
        }
    }

    fn operands(&self, node: NodeId) -> Vec<NodeId> {
        self.computation.instructions[node].inputs.iter().map(|i| i.node).collect()
    }

    // ---- 2. the caps ---------------------------------------------------------------------------

    fn respect(&mut self, caps: Caps) {
        for place in 0..self.reachable.len() {
            let node = self.reachable[place];
            self.load[node] = self.load_of(node);
            while self.exceeds(node, caps) {
                let Some(victim) = self.cheapest_cut(node, caps) else {
                    break;
                };
                self.facts.is_cut[victim] = true;
                for member in self.cone(node) {
                    self.load[member] = self.load_of(member);
                }
            }
        }
    }

    /// What the kernel of `node` holds, from its operands' loads.
    fn load_of(&self, node: NodeId) -> Load {
        let instruction = &self.computation.instructions[node];
        if self.is_leaf(node) {
            let sources = match instruction.opcode {
                Opcode::Parameter => vec![node],
                _ => Vec::new(),
            };
            return Load { ops: 0, sources };
        }
        let mut load = Load { ops: self.weight(node), sources: Vec::new() };
        let mut inputs = self.operands(node);
        inputs.sort_unstable();
        inputs.dedup();
        for input in inputs {
            if self.facts.is_cut[input] {
                load.sources.push(input);
            } else {
                load.ops = load.ops.saturating_add(self.load[input].ops);
                load.sources.extend_from_slice(&self.load[input].sources);
            }
        }
        load.sources.sort_unstable();
        load.sources.dedup();
        load
    }

    fn exceeds(&mut self, node: NodeId, caps: Caps) -> bool {
        if self.load[node].sources.len() > caps.sources {
            return true;
        }
        if self.load[node].ops > caps.ops {
            // Shared operands are counted repeatedly until here; now count exactly.
            self.load[node].ops = self.count(&self.cone(node));
        }
        self.load[node].ops > caps.ops
    }

    /// The weight of these nodes.
    fn count<'b>(&self, nodes: impl IntoIterator<Item = &'b NodeId>) -> usize {
        nodes.into_iter().map(|&node| self.weight(node)).sum()
    }

    /// What an operation counts; views only move elements. Each by itself fits.
    fn weight(&self, node: NodeId) -> usize {
        if self.is_view(node) { 0 } else { self.facts.weight(node).min(self.most_ops) }
    }

    fn is_view(&self, node: NodeId) -> bool {
        let instruction = &self.computation.instructions[node];
        instruction.is_view() || instruction.bitcast_operand().is_some()
    }

    /// The operations of the kernel of `node`, itself and views included, ascending.
    fn cone(&self, node: NodeId) -> Vec<NodeId> {
        let mut members = std::collections::BTreeSet::new();
        let mut stack = vec![node];
        while let Some(member) = stack.pop() {
            let read = member != node && self.facts.is_cut[member];
            if !read && !self.is_leaf(member) && members.insert(member) {
                stack.extend(self.operands(member));
            }
        }
        members.into_iter().collect()
    }

    /// The operation in the kernel of `node` that is best written to a temporary.
    fn cheapest_cut(&mut self, node: NodeId, caps: Caps) -> Option<NodeId> {
        let cone = self.cone(node);
        let before = (self.count(&cone), self.load[node].sources.len());
        // To store a view would take no operation out.
        let fit = |&c: &NodeId| c != node && !self.is_view(c);
        let mut candidates: Vec<NodeId> = cone.iter().copied().filter(fit).collect();
        // Fewest bytes first; of equals the last one, which takes the most out of the kernel.
        candidates.sort_by_key(|&c| (self.bytes(c), std::cmp::Reverse(c)));
        let mut best: Option<(f64, NodeId)> = None;
        for candidate in candidates {
            let after = self.after_cut(node, &cone, candidate);
            let saved_ops = before.0 - after.0;
            let worthwhile = before.0 <= caps.ops || saved_ops >= caps.ops / WORTHWHILE_SHARE;
            if after.0 <= caps.ops && after.1 <= caps.sources && worthwhile {
                return Some(candidate);
            }
            let saved =
                if before.1 > caps.sources { before.1.saturating_sub(after.1) } else { saved_ops };
            let gain = saved as f64 / (self.bytes(candidate) as f64 + 1.0);
            if saved > 0 && best.is_none_or(|(most, _)| gain > most) {
                best = Some((gain, candidate));
            }
        }
        // Where no single cut helps, several do: with all its operands cut, any node fits. Begin
        // with the one that brings the most.
        best.map(|(_, candidate)| candidate).or_else(|| {
            let open = |&n: &NodeId| !self.facts.is_cut[n] && !self.is_leaf(n);
            let brings = |&n: &NodeId| (self.load[n].sources.len(), self.load[n].ops);
            self.operands(node).into_iter().filter(open).max_by_key(brings)
        })
    }

    /// Operations and sources of the kernel of `node` if `candidate` were a temporary.
    fn after_cut(&self, node: NodeId, cone: &[NodeId], candidate: NodeId) -> (usize, usize) {
        let mut kept = std::collections::HashSet::from([node]);
        let mut sources = std::collections::HashSet::new();
        for &member in cone.iter().rev() {
            if !kept.contains(&member) {
                continue;
            }
            for input in self.operands(member) {
                if input == candidate || self.facts.is_cut[input] {
                    sources.insert(input);
                } else if !self.is_leaf(input) {
                    kept.insert(input);
                } else if self.computation.instructions[input].opcode == Opcode::Parameter {
                    sources.insert(input);
                }
            }
        }
        (self.count(&kept), sources.len())
    }

    fn bytes(&self, node: NodeId) -> u64 {
        let element_type = self.computation.instructions[node].element_type;
        element_type.device_bytes(self.facts.own_space[node]).unwrap_or(u64::MAX)
    }

    // ---- 3. lowering ---------------------------------------------------------------------------

    /// The kernels in order of execution; none if lowering them cut more nodes than there were.
    fn lower_all(&mut self, caps: Caps) -> Option<Vec<KernelIr>> {
        let root = self.computation.root;
        let cut = self.reachable.iter().copied().filter(|&n| self.facts.is_cut[n] || n == root);
        let mut open: BTreeSet<NodeId> = cut.collect();
        let (mut fragments, mut cuts) = (Vec::new(), 0);
        // From the result down: what a kernel cuts becomes a kernel below it.
        while let Some(node) = open.pop_last() {
            match lower::lower(&self.facts, node, caps.ops) {
                Ok(fragment) => fragments.push(fragment),
                Err(stored) => {
                    let before = cuts;
                    for stored in stored {
                        cuts +=
                            usize::from(!std::mem::replace(&mut self.facts.is_cut[stored], true));
                        open.insert(stored);
                    }
                    // It is always another node that stands in the way.
                    if cuts > before {
                        open.insert(node);
                    }
                }
            }
        }
        fragments.reverse();
        (cuts == 0).then_some(fragments)
    }
}

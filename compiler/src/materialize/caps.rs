//! Stores values until kernels are within the caps on operations, loads and bindings.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::cost::{VIEWED_LOAD, load_weight};
use crate::materialize::descending::Descending;
use crate::materialize::footprint::{Contents, Footprint, narrow};
use crate::materialize::partition::Partition;
use crate::normalize::normalized::{Attribute, Input};
use indim_core::graph::computation::NodeId;
use indim_core::semantics::hash::{FastMap, FastSet};
use indim_core::semantics::opcode::Opcode;
use indim_core::semantics::sorted::{sorted, sorted_set};
use indim_core::semantics::view::View;

/// The share of the cap that storing a value should at least take out of a kernel with too many
/// operations, so that a long chain is not cut at every step at some tiny value.
const WORTHWHILE_SHARE: usize = 8;

/// The weight of a value's loads from which it is stored if at most three quarters of a kernel's
/// elements need it, because the kernel makes the loads at each element. With it, up to nine
/// operands of a concatenation share a kernel. (Measured on lavapipe, by turns: storing groups of
/// six operands takes 1.3 to 1.5 times as long as one kernel of 8 or 9, 0.9 times as one of 12 or
/// 16.)
const WASTED_LOADS: usize = 8;

impl Partition<'_> {
    /// Stores values until kernels are within the caps, and restarts lowering from the result down,
    /// because a value that a kernel requires becomes a kernel below it.
    pub(super) fn enforce_caps(&mut self) {
        for index in 0..self.reachable.len() {
            let node = self.reachable[index];
            for input in &self.computation.instructions[node].inputs {
                self.analysis.materialized[input.node] |= self.is_wasted(node, input);
            }
            self.footprints[node] = self.footprint_of(node);
            while self.exceeds(node) {
                let Some(chosen) = self.cheapest_to_store(node) else {
                    break;
                };
                self.analysis.materialized[chosen] = true;
                for member in self.members(node) {
                    self.footprints[member] = self.footprint_of(member);
                }
            }
        }
        let stored =
            |&node: &NodeId| self.analysis.materialized[node] || self.analysis.is_root[node];
        self.open = Descending::default();
        for node in self.reachable.iter().copied().filter(stored) {
            *self.open.of(node) = None;
        }
        self.kernels.clear();
        self.has_stored = false;
    }

    /// Returns true if `node` needs a value of many loads in only some of its elements.
    fn is_wasted(&self, node: NodeId, input: &Input) -> bool {
        let (value, user) = (input.node, self.computation.instructions[node].domain());
        let len = &self.analysis.varying_len;
        self.footprints[value].loads as usize >= WASTED_LOADS
            && len[value] / 3 <= len[node] / 4
            && input.view.leaves(&self.computation.instructions[value].shape, user)
            && !self.is_view(value)
            && self.count_loads(&self.members(value)) >= WASTED_LOADS
    }

    /// Returns the footprint of the kernel of `node`, from its operands' footprints.
    fn footprint_of(&self, node: NodeId) -> Footprint {
        let instruction = &self.computation.instructions[node];
        if self.analysis.is_leaf(node) {
            let sources = match instruction.opcode {
                Opcode::Parameter => vec![node],
                _ => Vec::new(),
            };
            return Footprint { sources, ..Footprint::default() };
        }
        let has_loops = self.has_loops(node);
        let mut footprint = Footprint { ops: self.weight(node), has_loops, ..Footprint::default() };
        for input in sorted_set(self.operands(node)) {
            if self.analysis.materialized[input] {
                footprint.sources.push(input);
            } else {
                let below = &self.footprints[input];
                footprint.ops = footprint.ops.saturating_add(below.ops);
                footprint.sources.extend_from_slice(&below.sources);
                footprint.has_loops |= below.has_loops;
                footprint.loads = footprint.loads.saturating_add(below.loads);
            }
        }
        let loaded = instruction.inputs.iter().filter(|input| self.is_loaded(input.node));
        footprint.loads = footprint.loads.saturating_add(narrow(VIEWED_LOAD * loaded.count()));
        footprint.sources = sorted_set(footprint.sources);
        footprint
    }

    /// Returns true if the kernel of `node` passes a cap.
    fn exceeds(&mut self, node: NodeId) -> bool {
        let caps = self.caps;
        if self.footprints[node].bound() > caps.sources {
            return true;
        }
        if self.footprints[node].ops > caps.ops {
            // Until here, shared operands may be counted repeatedly; now count exactly.
            self.footprints[node].ops = self.count(&self.members(node));
        }
        if self.footprints[node].loads as usize > caps.loads {
            self.footprints[node].loads = narrow(self.count_loads(&self.members(node)));
        }
        self.footprints[node].ops > caps.ops || self.footprints[node].loads as usize > caps.loads
    }

    /// Returns true if a kernel that uses this node loads its value, or counts it as an iota.
    fn is_loaded(&self, node: NodeId) -> bool {
        let attribute = &self.computation.instructions[node].attribute;
        let is_constant = matches!(attribute, Attribute::Constant { .. });
        self.analysis.materialized[node] || self.analysis.is_leaf(node) && !is_constant
    }

    /// Returns the weight of the loads of these nodes, which are the members of one kernel.
    pub(super) fn count_loads<'b>(&self, members: impl IntoIterator<Item = &'b NodeId>) -> usize {
        let mut views: FastMap<NodeId, FastSet<&View>> = FastMap::default();
        for &member in members {
            for input in &self.computation.instructions[member].inputs {
                if self.is_loaded(input.node) {
                    views.entry(input.node).or_default().insert(&input.view);
                }
            }
        }
        views.values().map(|of_one| load_weight(of_one.len())).sum()
    }

    /// Returns the weight of these nodes.
    fn count<'b>(&self, nodes: impl IntoIterator<Item = &'b NodeId>) -> usize {
        nodes.into_iter().map(|&node| self.weight(node)).sum()
    }

    /// Returns the weight of a node: 0 for a view, which only moves elements. The weight is
    /// clamped, so that a kernel of one operation always fits.
    pub(super) fn weight(&self, node: NodeId) -> usize {
        if self.is_view(node) { 0 } else { self.analysis.cost(node).weight.min(self.caps.ops) }
    }

    pub(super) fn has_loops(&self, node: NodeId) -> bool {
        let attribute = &self.computation.instructions[node].attribute;
        matches!(attribute, Attribute::Call(call) if call.has_loops())
    }

    pub(super) fn is_view(&self, node: NodeId) -> bool {
        let instruction = &self.computation.instructions[node];
        instruction.is_view() || instruction.bitcast_operand().is_some()
    }

    /// Returns the operations of the kernel of `node`, including itself and views, ascending.
    pub(super) fn members(&self, node: NodeId) -> Vec<NodeId> {
        let mut members = Vec::new();
        // Operands have lower numbers, so the heap gives equal ones in succession.
        let mut open = BinaryHeap::from([node]);
        while let Some(member) = open.pop() {
            let read = member != node && self.analysis.materialized[member];
            if !read && !self.analysis.is_leaf(member) && members.last() != Some(&member) {
                members.push(member);
                open.extend(self.operands(member));
            }
        }
        members.reverse();
        members
    }

    /// Returns the operation in the kernel of `node` that is best written to a temporary.
    fn cheapest_to_store(&self, node: NodeId) -> Option<NodeId> {
        let caps = self.caps;
        let members = self.members(node);
        let before = Contents {
            ops: self.count(&members),
            bound: self.footprints[node].bound(),
            loads: self.count_loads(&members),
        };
        // Storing a view would not take operations out of the kernel.
        let fit = |&c: &NodeId| c != node && !self.is_view(c);
        // Prefer the fewest bytes; of equals the last one, which takes the most out of the kernel.
        let candidates = members.iter().copied().filter(fit).map(|c| (self.bytes(c), Reverse(c)));
        let candidates = sorted(candidates.collect());
        let mut best: Option<(f64, NodeId)> = None;
        for (_, Reverse(candidate)) in candidates {
            let after = self.after_storing(node, &members, candidate, &before);
            let saved_ops = before.ops - after.ops;
            let saved_loads = before.loads.saturating_sub(after.loads);
            let worthwhile = (before.ops <= caps.ops || saved_ops >= caps.ops / WORTHWHILE_SHARE)
                && (before.loads <= caps.loads || saved_loads >= caps.loads / WORTHWHILE_SHARE);
            if after.fits(caps) && worthwhile {
                return Some(candidate);
            }
            let saved = if before.bound > caps.sources {
                before.bound.saturating_sub(after.bound)
            } else if before.ops > caps.ops {
                saved_ops
            } else {
                saved_loads
            };
            let gain = saved as f64 / (self.bytes(candidate) as f64 + 1.0);
            if saved > 0 && best.is_none_or(|(max, _)| gain > max) {
                best = Some((gain, candidate));
            }
        }
        // If no single value helps, several do, since any node fits with all its operands stored.
        // Begin with the one that takes the most out of the kernel.
        best.map(|(_, candidate)| candidate).or_else(|| {
            let open = |&n: &NodeId| !self.analysis.materialized[n] && !self.analysis.is_leaf(n);
            let brings = |&n: &NodeId| (self.footprints[n].sources.len(), self.footprints[n].ops);
            self.operands(node).into_iter().filter(open).max_by_key(brings)
        })
    }

    /// Returns the contents of the kernel of `node`, now `before`, if `candidate` were a temporary.
    fn after_storing(
        &self,
        node: NodeId,
        members: &[NodeId],
        candidate: NodeId,
        before: &Contents,
    ) -> Contents {
        let mut kept = FastSet::from_iter([node]);
        let mut sources = FastSet::default();
        for &member in members.iter().rev() {
            if !kept.contains(&member) {
                continue;
            }
            for input in self.operands(member) {
                if input == candidate || self.analysis.materialized[input] {
                    sources.insert(input);
                } else if !self.analysis.is_leaf(input) {
                    kept.insert(input);
                } else if self.computation.instructions[input].opcode == Opcode::Parameter {
                    sources.insert(input);
                }
            }
        }
        // A view of the candidate is also a load; it is counted when the candidate is stored. Far
        // from the cap the loads, at most one more than before, need not be counted, which takes
        // longer than everything else here.
        let loads = if before.loads < self.caps.loads {
            before.loads
        } else {
            self.count_loads(&kept) + usize::from(sources.contains(&candidate))
        };
        let has_loops = kept.iter().any(|&node| self.has_loops(node));
        let bound = sources.len() + usize::from(has_loops);
        Contents { ops: self.count(&kept), bound, loads }
    }

    fn bytes(&self, node: NodeId) -> u64 {
        let element_type = self.computation.instructions[node].element_type;
        element_type.device_bytes(self.analysis.varying_len[node]).unwrap_or(u64::MAX)
    }
}

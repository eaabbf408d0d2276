//! Nodes that wait for their turns, from the last one on.

use std::collections::BinaryHeap;
use std::collections::hash_map::Entry;

use indim_core::graph::computation::NodeId;
use indim_core::semantics::hash::FastMap;

/// Values of nodes, of which that of the last node is taken first. Operands have lower numbers than
/// their users, so all users of a node have been taken when its turn comes.
///
/// The removal from a `BTreeMap` would take five times as much WebAssembly.
#[derive(Debug)]
pub(crate) struct Descending<T> {
    nodes: BinaryHeap<NodeId>,
    values: FastMap<NodeId, T>,
}

impl<T> Default for Descending<T> {
    fn default() -> Self {
        Self { nodes: BinaryHeap::new(), values: FastMap::default() }
    }
}

impl<T: Default> Descending<T> {
    /// Returns the value of a node, which then waits for its turn.
    pub(crate) fn of(&mut self, node: NodeId) -> &mut T {
        match self.values.entry(node) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                self.nodes.push(node);
                new.insert(T::default())
            }
        }
    }

    /// Takes the last node that waits, with its value.
    pub(crate) fn take_last(&mut self) -> Option<(NodeId, T)> {
        let node = self.nodes.pop()?;
        Some((node, self.values.remove(&node).unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_node_comes_first_and_may_come_again() {
        let mut open = Descending::<usize>::default();
        for node in [3, 7, 3, 5] {
            *open.of(node) += 1;
        }
        assert_eq!(open.take_last(), Some((7, 1)));
        *open.of(7) = 4;
        let rest: Vec<_> = std::iter::from_fn(|| open.take_last()).collect();
        assert_eq!(rest, [(7, 4), (5, 1), (3, 2)]);
    }
}

//! Cuts a long list of expressions into independent batches, so that each is planned separately,
//! and its plan is found again for the same operations on other arrays.

use std::collections::hash_map::Entry;
use std::sync::Arc;

use crate::api::expr_node::Node;
use crate::device::arrays::array::AnyArray;
use indim_core::semantics::hash::FastMap;

/// The number of expressions up to which a batch is filled.
pub(super) const BATCH: usize = 64;

/// The number of operations beyond which a batch takes no more expressions. Longer computations are
/// planned each time.
const MAX_OPERATIONS: usize = 1 << 10;

/// The batches of a list of expressions.
#[derive(Debug)]
pub(super) struct Batches<'a> {
    /// The places in the list, batch by batch.
    pub(super) batches: Vec<Vec<usize>>,
    /// An array in the expressions, whose context is that of all.
    pub(super) array: Option<&'a AnyArray>,
}

/// Returns batches of expressions: those that share an operation go together, while those that only
/// start from the same array may not.
pub(super) fn batches<'a>(roots: &[&'a Arc<Node>]) -> Batches<'a> {
    let mut parts = Parts((0..roots.len()).collect());
    // The first expression that each operation was met in.
    let mut met: FastMap<*const Node, usize> = FastMap::default();
    let mut operations = vec![0; roots.len()];
    let mut array = None;
    for (number, root) in roots.iter().enumerate() {
        let mut stack: Vec<&Node> = vec![root];
        while let Some(node) = stack.pop() {
            if let Some(found) = node.array() {
                array = array.or(Some(found));
            } else if !node.inputs.is_empty() {
                match met.entry(std::ptr::from_ref(node)) {
                    Entry::Occupied(first) => parts.join(*first.get(), number),
                    Entry::Vacant(new) => {
                        new.insert(number);
                        operations[number] += 1;
                        stack.extend(node.inputs.iter().map(|input| &**input));
                    }
                }
            }
        }
    }
    Batches { batches: filled(&parts.lists(), &operations), array }
}

/// Returns batches of these parts of a list, given the operations of each of its expressions.
fn filled(parts: &[Vec<usize>], operations: &[usize]) -> Vec<Vec<usize>> {
    let mut batches: Vec<Vec<usize>> = Vec::new();
    let mut room = 0;
    for part in parts {
        let taken: usize = part.iter().map(|&number| operations[number]).sum();
        match batches.last_mut() {
            Some(batch) if batch.len() + part.len() <= BATCH && taken <= room => {
                batch.extend(part);
                room -= taken;
            }
            _ => {
                batches.push(part.clone());
                room = MAX_OPERATIONS.saturating_sub(taken);
            }
        }
    }
    batches
}

/// A list of numbers in parts that are joined: for each the number of one before it in the same part,
/// or its own.
struct Parts(Vec<usize>);

impl Parts {
    /// Returns the first number of a part.
    fn first(&mut self, mut number: usize) -> usize {
        while self.0[number] != number {
            self.0[number] = self.0[self.0[number]];
            number = self.0[number];
        }
        number
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.first(a), self.first(b));
        self.0[a.max(b)] = a.min(b);
    }

    /// Returns the parts, in the order of their first numbers.
    fn lists(&mut self) -> Vec<Vec<usize>> {
        let mut lists: Vec<Vec<usize>> = vec![Vec::new(); self.0.len()];
        for number in 0..self.0.len() {
            let first = self.first(number);
            lists[first].push(number);
        }
        lists.retain(|list| !list.is_empty());
        lists
    }
}

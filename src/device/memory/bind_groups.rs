//! Bind groups, kept for dispatches that bind the same again: results are recycled, so that a loop
//! comes back to the same buffers soon.
//!
//! A bind group keeps its buffers alive. So one is dropped with the first of its buffers that the
//! pool frees, or that is no longer an array of ours.

use crate::semantics::hash::{FastMap, hash_of};

/// Most bind groups that are kept; beyond, the half that was not used for the longest time goes.
const MAX_KEPT: usize = 2048;

/// Identifies a buffer for as long as the context lives.
pub(crate) type BufferId = u64;

/// Identifies an array: one of those that have a buffer one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ArrayId {
    pub(crate) buffer: BufferId,
    /// Counts the arrays of the pool; 0 in a buffer of the caller's.
    pub(crate) array: u64,
}

/// Part of a buffer that a kernel binds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Binding<'a> {
    pub(crate) array: ArrayId,
    pub(crate) buffer: &'a wgpu::Buffer,
    /// In bytes, as the size.
    pub(crate) offset: u64,
    pub(crate) size: u64,
}

/// Identifies a bind group by numbers: its layout and parameters, then three words a buffer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Key(Vec<u64>);

impl Key {
    /// Sets the key, in the memory that it has.
    pub(crate) fn set(&mut self, layout: u64, params_bytes: u64, bindings: &[Binding<'_>]) {
        self.0.clear();
        self.0.extend([layout, params_bytes]);
        for binding in bindings {
            self.0.extend([binding.array.buffer, binding.offset, binding.size]);
        }
    }

    fn binds(&self, ids: &[BufferId]) -> bool {
        self.0[2..].iter().step_by(3).any(|id| ids.contains(id))
    }
}

#[derive(Debug, Default)]
pub(crate) struct BindGroups {
    /// By the key's hash.
    kept: FastMap<u64, Kept>,
    clock: u64,
}

#[derive(Debug)]
struct Kept {
    key: Key,
    group: wgpu::BindGroup,
    used: u64,
}

impl BindGroups {
    pub(crate) fn get(&mut self, key: &Key) -> Option<wgpu::BindGroup> {
        let kept = self.kept.get_mut(&hash_of(&key.0)).filter(|kept| kept.key == *key)?;
        self.clock += 1;
        kept.used = self.clock;
        Some(kept.group.clone())
    }

    pub(crate) fn insert(&mut self, key: &Key, group: wgpu::BindGroup) {
        if self.kept.len() >= MAX_KEPT {
            let mut used: Vec<u64> = self.kept.values().map(|kept| kept.used).collect();
            let (_, &mut median, _) = used.select_nth_unstable(MAX_KEPT / 2);
            self.kept.retain(|_, kept| kept.used > median);
        }
        self.clock += 1;
        let kept = Kept { key: key.clone(), group, used: self.clock };
        self.kept.insert(hash_of(&key.0), kept);
    }

    /// Drops those that bind one of these buffers.
    pub(crate) fn forget(&mut self, ids: &[BufferId]) {
        self.kept.retain(|_, kept| !kept.key.binds(ids));
    }

    pub(crate) fn clear(&mut self) {
        self.kept.clear();
    }
}

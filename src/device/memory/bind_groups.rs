//! Keeps bind groups for dispatches that bind the same buffers again: results are recycled, so a
//! loop soon returns to the same buffers.
//!
//! A bind group keeps its buffers alive, so it is dropped as soon as the pool frees one of them or
//! gives one away.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use crate::device::guard::poison::Poison;
use crate::device::lru::Lru;
use indim_core::semantics::hash::hash_of;

/// The largest number of bind groups to keep.
const MAX_KEPT: usize = 2048;

/// Identifies a buffer for as long as the context lives.
pub(crate) type BufferId = u64;

/// A part of a buffer that a kernel binds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Binding<'a> {
    pub(crate) id: BufferId,
    /// The last batch with a command that uses the memory; `None` for memory outside the pool.
    pub(crate) last_batch: Option<&'a AtomicU64>,
    /// The poison state of its array; `None` in scratch memory.
    pub(crate) poison: Option<&'a Arc<Poison>>,
    pub(crate) buffer: &'a wgpu::Buffer,
    /// The offset in bytes, as the size is.
    pub(crate) offset: u64,
    pub(crate) size: u64,
}

/// Identifies a bind group by numbers: its layout, then three words per buffer, with the parameter
/// buffer first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct BindGroupKey(Vec<u64>);

impl BindGroupKey {
    /// Sets the key, without allocating. `params` is the buffer of the parameters, with the bytes
    /// of it that are bound.
    pub(crate) fn set(&mut self, layout: u64, params: (BufferId, u64), bindings: &[Binding<'_>]) {
        self.0.clear();
        let (id, bytes) = params;
        self.0.extend([layout, id, 0, bytes]);
        for binding in bindings {
            self.0.extend([binding.id, binding.offset, binding.size]);
        }
    }

    fn binds(&self, ids: &[BufferId]) -> bool {
        self.0[1..].iter().step_by(3).any(|id| ids.contains(id))
    }
}

#[derive(Debug)]
pub(crate) struct BindGroups(Lru<(BindGroupKey, wgpu::BindGroup)>);

impl Default for BindGroups {
    fn default() -> Self {
        Self(Lru::new(MAX_KEPT))
    }
}

impl BindGroups {
    pub(crate) fn get(&mut self, key: &BindGroupKey) -> Option<wgpu::BindGroup> {
        let kept = self.0.get(hash_of(&key.0), |(other, _)| other == key)?;
        Some(kept.1.clone())
    }

    pub(crate) fn insert(&mut self, key: &BindGroupKey, group: wgpu::BindGroup) {
        self.0.insert(hash_of(&key.0), (key.clone(), group), 1);
    }

    /// Drops the bind groups that bind one of these buffers.
    pub(crate) fn forget(&mut self, ids: &[BufferId]) {
        self.0.retain(|(key, _)| !key.binds(ids));
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}

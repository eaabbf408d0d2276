//! Defines [`Storage`]: the memory of an array, which belongs to the pool or to the caller.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::device::guard::poison::Poison;
use crate::device::memory::bind_groups::{Binding, BufferId};
use crate::device::memory::encoding::{Encoding, Encodings, RetainedMemory, Role};
use crate::device::memory::foreign::{self, ForeignBuffer};
use crate::device::memory::pool::PooledBuffer;
#[cfg(any(test, target_arch = "wasm32"))]
use crate::device::recording::encoded_readers::Use;
use crate::device::recording::readback::ReadRequest;
use indim_compiler::layout::Layout;
use indim_core::semantics::error::{Error, Result};

/// The memory of an array.
#[derive(Debug)]
pub(crate) enum Storage {
    Pooled(PooledBuffer),
    Foreign(ForeignBuffer),
}

impl RetainedMemory for Storage {
    #[cfg(target_arch = "wasm32")]
    fn retire(&self) {
        if let Self::Pooled(memory) = self {
            memory.retire();
        }
    }
}

impl Storage {
    /// Returns the binding of a range of the array. The range is in bytes from the last aligned
    /// offset before the first element, as [`Storage::layout`] is.
    pub(crate) fn binding(&self, bytes: &Range<u64>) -> Binding<'_> {
        let size = bytes.end - bytes.start;
        match self {
            Self::Pooled(PooledBuffer { id, last_batch, poison, buffer, .. }) => {
                let (last_batch, poison) = (Some(last_batch), Some(poison));
                Binding { id: *id, last_batch, poison, buffer, offset: bytes.start, size }
            }
            Self::Foreign(foreign) => {
                let ForeignBuffer { id, buffer, poison, .. } = foreign;
                let offset = foreign.binding_offset() + bytes.start;
                let (last_batch, poison) = (None, Some(poison));
                Binding { id: *id, last_batch, poison, buffer, offset, size }
            }
        }
    }

    /// Returns the buffer, and the offset in it of the first element, in bytes.
    pub(crate) fn place(&self) -> (&wgpu::Buffer, u64) {
        match self {
            Self::Pooled(memory) => (&memory.buffer, 0),
            Self::Foreign(foreign) => (&foreign.buffer, foreign.offset),
        }
    }

    /// Returns true if the buffer is known outside: it is caller-owned, or was exported.
    pub(crate) fn is_known_outside(&self) -> bool {
        match self {
            Self::Pooled(memory) => memory.is_exported(),
            Self::Foreign(_) => true,
        }
    }

    /// Returns true if the array is written in place whoever holds it.
    pub(crate) fn is_always_in_place(&self) -> bool {
        match self {
            Self::Pooled(memory) => {
                memory.is_exported() || memory.always_in_place.load(Ordering::Acquire)
            }
            Self::Foreign(_) => true,
        }
    }

    /// Makes [`Storage::is_always_in_place`] return true from now on.
    pub(crate) fn set_always_in_place(&self) {
        if let Self::Pooled(memory) = self {
            memory.always_in_place.store(true, Ordering::Release);
        }
    }

    /// Returns the encodings that use the array's memory.
    pub(crate) fn encodings(&self) -> &Encodings {
        match self {
            Self::Pooled(memory) => &memory.encodings,
            Self::Foreign(foreign) => &foreign.encodings,
        }
    }

    /// Notes that an encoding uses the memory, and makes it hold the memory.
    pub(crate) fn note(this: &Arc<Self>, encoding: &Arc<Encoding>, role: Role) {
        this.encodings().note(encoding, role);
        encoding.retain(Arc::clone(this) as Arc<dyn RetainedMemory>);
        if role != Role::Operand {
            encoding.writes(Arc::clone(this.poison_state()));
        }
    }

    /// Returns the use of the memory in this role.
    #[cfg(any(test, target_arch = "wasm32"))]
    pub(crate) fn used(&self, role: Role) -> Use {
        Use { buffer: self.buffer_id(), poison: Arc::clone(self.poison_state()), role }
    }

    /// Returns the number of the buffer.
    pub(crate) fn buffer_id(&self) -> BufferId {
        match self {
            Self::Pooled(memory) => memory.id,
            Self::Foreign(foreign) => foreign.id,
        }
    }

    /// Returns the memory, if it belongs to the pool.
    pub(crate) fn pooled_memory(&self) -> Option<&PooledBuffer> {
        match self {
            Self::Pooled(memory) => Some(memory),
            Self::Foreign(_) => None,
        }
    }

    /// Checks that the array is not poisoned: no commands that write it were rejected.
    pub(crate) fn check_poison(&self) -> Result<()> {
        self.poison_state().check()
    }

    fn poison_state(&self) -> &Arc<Poison> {
        match self {
            Self::Pooled(memory) => &memory.poison,
            Self::Foreign(foreign) => &foreign.poison,
        }
    }

    /// Returns true if commands that write the array were rejected.
    pub(crate) fn is_poisoned(&self) -> bool {
        self.check_poison().is_err()
    }

    /// Poisons the array: it was not written, or lacks a part.
    pub(crate) fn poison(&self, error: &Error) {
        self.poison_state().set(error);
    }

    /// Returns the layout of the elements in the binding.
    pub(crate) fn layout(&self) -> Layout {
        match self {
            Self::Pooled(_) => Layout::OWN,
            Self::Foreign(foreign) => foreign.layout,
        }
    }

    /// Returns the request that reads the first bytes of the array back; `None` if there are no
    /// bytes.
    pub(crate) fn read_request(&self, bytes: usize) -> Result<Option<ReadRequest<'_>>> {
        self.encodings().check()?;
        if bytes == 0 {
            return Ok(None);
        }
        Ok(Some(match self {
            Self::Pooled(memory) => ReadRequest {
                buffer: &memory.buffer,
                offset: 0,
                bytes,
                own: Some(memory),
                #[cfg(target_arch = "wasm32")]
                poison: &memory.poison,
            },
            Self::Foreign(ForeignBuffer { buffer, offset, poison, .. }) => {
                poison.check()?;
                foreign::check_usage(buffer, wgpu::BufferUsages::COPY_SRC)?;
                ReadRequest {
                    buffer,
                    offset: *offset,
                    bytes,
                    own: None,
                    #[cfg(target_arch = "wasm32")]
                    poison,
                }
            }
        }))
    }
}

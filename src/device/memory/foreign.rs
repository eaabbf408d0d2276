//! Holds arrays in caller-owned buffers, and checks those buffers.

use std::sync::Arc;

use crate::device::guard::error_scope::GuardedDevice;
#[cfg(not(target_arch = "wasm32"))]
use crate::device::guard::error_scope::Raised;
use crate::device::guard::poison::Poison;
use crate::device::memory::bind_groups::BufferId;
use crate::device::memory::encoding::Encodings;
use crate::device::memory::pool::Pool;
use indim_compiler::layout::{ALIGNMENT, Layout};
use indim_core::errors::array::ArrayError;
use indim_core::semantics::element::ElementType;
use indim_core::semantics::error::Result;
use indim_core::semantics::shape::Shape;

#[derive(Debug)]
pub(crate) struct ForeignBuffer {
    pub(crate) buffer: wgpu::Buffer,
    /// Offset of the first element, in bytes.
    pub(crate) offset: u64,
    pub(crate) id: BufferId,
    /// The layout of the elements in the binding, which starts at the last aligned offset before
    /// them.
    pub(crate) layout: Layout,
    /// Our commands may write to it; see [`Poison`].
    pub(crate) poison: Arc<Poison>,
    pub(crate) encodings: Encodings,
    pool: Arc<Pool>,
}

impl ForeignBuffer {
    /// Makes the place of an array of `bytes` bytes, starting at `offset`.
    pub(crate) fn new(
        pool: &Arc<Pool>,
        limits: &wgpu::Limits,
        element_type: ElementType,
        (buffer, offset, bytes): (wgpu::Buffer, u64, u64),
    ) -> Self {
        let id = pool.new_id();
        // The slack is less than the alignment of bindings, which is a few hundred bytes.
        let slack = offset % u64::from(limits.min_storage_buffer_offset_alignment.max(1));
        // The last load must not end beyond the buffer.
        let fits =
            |&load: &u64| offset - slack + (slack + bytes).next_multiple_of(load) <= buffer.size();
        let granularity = [ALIGNMENT, 32, 16, 8].into_iter().find(fits);
        let granularity = granularity.unwrap_or(min_load(element_type)) as u32;
        let layout = Layout { offset: slack as u32, granularity, spare: 0 };
        let (poison, encodings) = (Arc::default(), Encodings::default());
        Self { buffer, offset, id, layout, poison, encodings, pool: Arc::clone(pool) }
    }

    /// Returns where the binding starts, in bytes.
    pub(crate) fn binding_offset(&self) -> u64 {
        self.offset - u64::from(self.layout.offset)
    }
}

impl Drop for ForeignBuffer {
    fn drop(&mut self) {
        self.pool.forget(&[self.id]);
    }
}

/// Returns the bytes of a kernel's smallest load: a whole word, or a 64-bit element.
fn min_load(element_type: ElementType) -> u64 {
    (element_type.bits() as u64 / 8).max(4)
}

/// Checks that an array of `bytes` bytes, starting at `offset`, lies within the buffer where
/// kernels can load it.
pub(crate) fn check_range(
    element_type: ElementType,
    shape: &Shape,
    bytes: u64,
    buffer: &wgpu::Buffer,
    offset: u64,
) -> Result<(), ArrayError> {
    let word = min_load(element_type);
    if !offset.is_multiple_of(word) {
        return Err(ArrayError::Offset { offset, word });
    }
    // Bindings and copies are in whole words.
    let needed = bytes.next_multiple_of(4);
    let size = buffer.size();
    if offset.checked_add(needed).is_none_or(|end| end > size) {
        let shape = shape.clone();
        return Err(ArrayError::BufferTooSmall { element_type, shape, needed, offset, size });
    }
    check_usage(buffer, wgpu::BufferUsages::STORAGE)
}

pub(crate) fn check_usage(
    buffer: &wgpu::Buffer,
    needed: wgpu::BufferUsages,
) -> Result<(), ArrayError> {
    if buffer.usage().contains(needed) {
        return Ok(());
    }
    let names = |usage: wgpu::BufferUsages| {
        usage.iter_names().map(|(name, _)| name).collect::<Vec<_>>().join(" | ")
    };
    Err(ArrayError::Usage { usage: names(buffer.usage()), missing: names(needed) })
}

/// Checks that the device can bind the buffer.
pub(crate) fn check_binding(device: &GuardedDevice, buffer: &wgpu::Buffer) -> Result<()> {
    let bound = device.checked("a buffer", None, || {
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some(&device.labels.check),
            entries: &[wgpu::BindGroupLayoutEntry {
                binding: 0,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: wgpu::BindingType::Buffer {
                    ty: wgpu::BufferBindingType::Storage { read_only: true },
                    has_dynamic_offset: false,
                    min_binding_size: None,
                },
                count: None,
            }],
        });
        device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(&device.labels.check),
            layout: &layout,
            entries: &[wgpu::BindGroupEntry {
                binding: 0,
                resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                    buffer,
                    offset: 0,
                    size: std::num::NonZeroU64::new(4),
                }),
            }],
        })
    });
    bound.map(drop)
}

/// The check fails while another thread checks the same buffer, which takes microseconds.
#[cfg(not(target_arch = "wasm32"))]
const MAX_LOOKS: usize = 100;

/// Checks that the buffer belongs to this device and is not mapped.
///
/// wgpu does not reveal which device a buffer belongs to. It rejects binding a buffer of another
/// device of the same instance; but every instance numbers its buffers the same way, so a buffer of
/// another instance is mistaken for the one with that number here, or causes a panic if there is
/// none.
///
/// But an error that a buffer raises goes to its own device. Mapping a buffer at an unaligned
/// offset raises one before anything is mapped. If the owner has mapped the buffer, or is about to,
/// there is no error, and the owner's mapping is unaffected.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn check_owner(device: &GuardedDevice, buffer: &wgpu::Buffer) -> Result<(), ArrayError> {
    for _ in 0..MAX_LOOKS {
        let raised = device.raised_on(|| buffer.slice(1..4).map_async(wgpu::MapMode::Read, |_| ()));
        if raised != Raised::Nowhere {
            // wgpu records the range of a mapping even if it fails; this clears the record.
            device.raised_on(|| buffer.unmap());
        }
        match raised {
            Raised::Here => return Ok(()),
            Raised::Elsewhere => return Err(ArrayError::OtherDevice),
            Raised::Nowhere => std::thread::yield_now(),
        }
    }
    Err(ArrayError::Mapped)
}

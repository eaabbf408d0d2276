//! Uploads bytes; [`upload`] takes the fastest way available.

use std::sync::Arc;

#[cfg(target_arch = "wasm32")]
use crate::device::guard::deferred_errors::Blamed;
use crate::device::memory::mapping;
use crate::device::memory::pool::PooledBuffer;
use crate::device::memory::staging::{self, MIN_STAGED_BYTES};
use crate::device::program::commands::{Copy, Upload};
use crate::device::recording::stream::Stream;
use indim_core::semantics::error::Result;

/// Writes `bytes` to a buffer of the pool that no recorded command uses, or that is `mapped` since
/// its creation: by mapping it, by the queue, or by a staging buffer, in the order of the commands
/// that will be recorded.
pub(crate) fn upload(
    stream: &Stream,
    memory: &PooledBuffer,
    mapped: bool,
    bytes: &[u8],
) -> Result<()> {
    if bytes.is_empty() && !mapped {
        return Ok(());
    }
    let gpu = &stream.gpu;
    let maps = mapped || gpu.pool.mappable;
    if maps && mapping::write(&gpu.device, memory, mapped, bytes)? {
        // The bytes are there already.
    } else if bytes.len() < MIN_STAGED_BYTES {
        let (size, write) =
            (Some(bytes.len() as u64), || staging::write(&gpu.queue, &memory.buffer, bytes));
        #[cfg(not(target_arch = "wasm32"))]
        gpu.device.checked("an upload", size, write)?;
        #[cfg(target_arch = "wasm32")]
        {
            let blamed = Blamed::Array(Arc::clone(&memory.poison));
            gpu.device.checked_later("an upload", size, blamed, write)?;
            gpu.device.deferred_errors.note_write();
        }
    } else {
        let staged = staging::stage(&gpu.device, bytes)?;
        let size = staged.size();
        let copy = Copy { from: staged, from_offset: 0, to: memory.buffer.clone(), bytes: size };
        let reservation = gpu.pool.usage.reserve(size);
        let (to, poison) = (memory.id, Arc::clone(&memory.poison));
        let upload = Upload { copy, to, poison, _reservation: reservation };
        stream.batch()?.upload(gpu, upload, memory)?;
    }
    gpu.device.counters.uploaded_bytes.add(bytes.len() as u64);
    Ok(())
}

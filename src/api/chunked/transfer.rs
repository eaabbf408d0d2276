//! Moves the elements of chunks: from sources to the device, and from there to whoever takes results.
//! Reading, computing and taking overlap, on three threads.

use std::cell::RefCell;
use std::io::ErrorKind;
use std::ops::Range;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

use crate::api::chunked::cut::{Cut, DoesNotFit};
use crate::api::chunked::endpoint::ChunkSource;
use crate::api::chunked::error::ChunkedError;
use crate::device::array::AnyArray;
use crate::device::context::Context;
use crate::device::run::bytes_between;
use crate::graph::computation::Computation;
use crate::graph::region::{Region, sizes};
use crate::graph::restrict::Restricted;
use crate::semantics::element::Scalar;
use crate::semantics::error::Error;
use crate::semantics::literal::{Literal, size_in_bytes};
use crate::semantics::shape::Shape;

/// So many times a chunk's bytes are in memory at most: operands that are read, that wait twice, that
/// are uploaded and computed on, and results that are computed, that wait twice, that are read back and
/// taken. The values that several kernels store between them are in memory once.
const CHUNKS_IN_MEMORY: u64 = 10;

/// Returns the bytes in memory where a chunk has so many, and its kernels store so many between them.
fn in_memory(chunk: u64, between: u64) -> u64 {
    chunk.saturating_mul(CHUNKS_IN_MEMORY).saturating_add(between)
}

/// The results of a computation to compute, all of one shape, and a region of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted<'a> {
    pub(super) results: &'a [usize],
    pub(super) region: &'a Region,
    /// The bound that the caller set, in bytes.
    pub(super) max_bytes: u64,
    /// The bytes of the device's largest buffer.
    pub(super) largest_buffer: u64,
}

/// A chunk with the pieces of operands that it needs.
struct Pieces {
    region: Region,
    computation: Computation,
    /// The piece of each operand; none where it is the one that the last chunk had.
    pieces: Vec<Option<Literal>>,
    starts: Vec<Scalar>,
}

/// A chunk that is computed, or will be.
struct Computed {
    region: Region,
    results: Vec<AnyArray>,
}

/// Computes results chunk by chunk. `take` is given each result's place among those that are wanted,
/// the chunk, and its elements' bytes.
pub(super) fn transfer(
    context: &Context,
    computation: &Computation,
    wanted: Wanted<'_>,
    sources: &mut [&mut dyn ChunkSource],
    mut take: impl FnMut(usize, &[Range<usize>], &[u8]) -> Result<(), ChunkedError>,
) -> Result<(), ChunkedError> {
    // One chunk waits in each, so that a thread which is late for once stops no other.
    let (to_device, pieces) = sync_channel(1);
    let (to_taker, computed) = sync_channel(1);
    let (to_reader, used) = channel();
    let reader =
        Reader { context, computation, wanted, free: vec![Vec::new(); sources.len()], used };
    thread::scope(|scope| {
        let thread = || thread::Builder::new().name("indim chunks".to_owned());
        let reading = thread().spawn_scoped(scope, move || reader.run(sources, &to_device));
        let reading = reading.map_err(ChunkedError::Thread)?;
        let computing = move || compute(context, &pieces, &to_reader, &to_taker);
        let computing = thread().spawn_scoped(scope, computing).map_err(ChunkedError::Thread)?;
        let taken = take_all(wanted.results, &computed, &mut take);
        // Whoever still waits to give a chunk learns that nobody takes it.
        drop(computed);
        let computed = computing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let read = reading.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        taken.and(computed).and(read)
    })
}

/// Reads pieces of operands.
struct Reader<'a> {
    context: &'a Context,
    computation: &'a Computation,
    wanted: Wanted<'a>,
    /// Memory of each operand's pieces that were uploaded, to be filled again.
    free: Vec<Vec<u8>>,
    used: Receiver<(usize, Vec<u8>)>,
}

impl Reader<'_> {
    fn run(
        mut self,
        sources: &mut [&mut dyn ChunkSource],
        to_device: &SyncSender<Pieces>,
    ) -> Result<(), ChunkedError> {
        let Wanted { results, region, max_bytes, largest_buffer } = self.wanted;
        let bound = (max_bytes / CHUNKS_IN_MEMORY).min(largest_buffer);
        let mut last: Vec<Option<Region>> = vec![None; sources.len()];
        let mut cut = Cut::new(self.computation, results, region, bound);
        while let Some((region, restricted)) = self.next_chunk(&mut cut)? {
            let mut pieces = Vec::with_capacity(sources.len());
            for (number, region) in restricted.arguments.into_iter().enumerate() {
                if last[number].as_ref() == Some(&region) {
                    pieces.push(None);
                    continue;
                }
                let piece = self.read(number, &mut *sources[number], &region)?;
                pieces.push(Some(piece));
                last[number] = Some(region);
            }
            let (computation, starts) = (restricted.computation, restricted.starts);
            if to_device.send(Pieces { region, computation, pieces, starts }).is_err() {
                // The one that takes them has failed, and tells why.
                return Ok(());
            }
        }
        Ok(())
    }

    /// Returns the next chunk, and its computation; none behind the last one.
    fn next_chunk(&self, cut: &mut Cut<'_>) -> Result<Option<(Region, Restricted)>, ChunkedError> {
        let Wanted { results, max_bytes, .. } = self.wanted;
        while let Some(chunk) = cut.next() {
            let region = chunk.map_err(|reason| self.too_large(reason))?;
            let restricted = self.computation.restricted(results, &region);
            let between = bytes_between(self.context, &restricted.computation)?;
            if in_memory(cut.bytes(&region).all(), between) <= max_bytes {
                return Ok(Some((region, restricted)));
            }
            cut.make_smaller(&region).map_err(|reason| self.too_large(reason))?;
        }
        Ok(None)
    }

    /// Makes the error of a chunk that cannot be smaller.
    fn too_large(&self, reason: DoesNotFit) -> ChunkedError {
        let Wanted { results, max_bytes, largest_buffer, .. } = self.wanted;
        let DoesNotFit { parameter, bytes, all, chunk } = reason;
        let mut needed = None;
        if all <= largest_buffer {
            let restricted = self.computation.restricted(results, &chunk);
            match bytes_between(self.context, &restricted.computation) {
                Ok(between) => needed = Some(in_memory(all, between)),
                Err(error) => return error.into(),
            }
        }
        ChunkedError::TooLarge { result: results[0], parameter, bytes, max_bytes, needed }
    }

    fn read(
        &mut self,
        number: usize,
        source: &mut dyn ChunkSource,
        region: &Region,
    ) -> Result<Literal, ChunkedError> {
        while let Ok((number, bytes)) = self.used.try_recv() {
            self.free[number] = bytes;
        }
        let (element_type, shape) = (source.element_type(), sizes(region));
        let count = size_in_bytes(element_type, &shape)?;
        let mut bytes = std::mem::take(&mut self.free[number]);
        let failed = |error| ChunkedError::Source { parameter: number, error };
        bytes
            .try_reserve_exact(count.saturating_sub(bytes.len()))
            .map_err(|_| failed(ErrorKind::OutOfMemory.into()))?;
        bytes.resize(count, 0);
        if count > 0 {
            source.read(region, &mut bytes).map_err(failed)?;
        }
        Ok(Literal::new(element_type, shape, bytes)?)
    }
}

/// Uploads pieces and computes on them.
fn compute(
    context: &Context,
    chunks: &Receiver<Pieces>,
    to_reader: &Sender<(usize, Vec<u8>)>,
    to_taker: &SyncSender<Computed>,
) -> Result<(), ChunkedError> {
    let mut arrays: Vec<Option<AnyArray>> = Vec::new();
    while let Ok(Pieces { region, computation, pieces, starts }) = chunks.recv() {
        arrays.resize(pieces.len(), None);
        for (number, piece) in pieces.into_iter().enumerate() {
            let Some(piece) = piece else { continue };
            // The memory of the last piece is free first.
            arrays[number] = None;
            let array = context
                .upload(&piece)
                .map_err(|error| ChunkedError::Upload { parameter: number, error })?;
            arrays[number] = Some(array);
            // A reader that has read all takes none back.
            let _ = to_reader.send((number, piece.into_bytes()));
        }
        let starts: Vec<AnyArray> = starts
            .iter()
            .map(|&start| upload_scalar(context, start))
            .collect::<Result<_, Error>>()?;
        let arguments: Vec<&AnyArray> = arrays.iter().flatten().chain(&starts).collect();
        let results = context.run_all(&computation, &arguments)?;
        // It runs while the next pieces are uploaded.
        context.flush()?;
        if to_taker.send(Computed { region, results }).is_err() {
            return Ok(());
        }
    }
    Ok(())
}

fn upload_scalar(context: &Context, scalar: Scalar) -> Result<AnyArray, Error> {
    let element_type = scalar.element_type();
    let bytes = scalar.bits().to_le_bytes()[..element_type.size_in_bytes()].to_vec();
    context.upload(&Literal::new(element_type, Shape::scalar(), bytes)?)
}

/// Reads results back and gives them away.
fn take_all(
    numbers: &[usize],
    chunks: &Receiver<Computed>,
    take: &mut impl FnMut(usize, &[Range<usize>], &[u8]) -> Result<(), ChunkedError>,
) -> Result<(), ChunkedError> {
    let mut free = Vec::new();
    while let Ok(Computed { region, results }) = chunks.recv() {
        for (place, (&number, result)) in numbers.iter().zip(results).enumerate() {
            let no_room = |_| {
                let error = ErrorKind::OutOfMemory.into();
                ChunkedError::Sink { result: number, error }
            };
            let bytes = RefCell::new(std::mem::take(&mut free));
            // It may be called again, so that the bytes are kept before they are given away.
            let read = result.read_with_blocking(|read| {
                let mut bytes = bytes.borrow_mut();
                bytes.clear();
                let room = bytes.try_reserve_exact(read.len());
                room.map(|()| bytes.extend_from_slice(read))
            });
            read?.map_err(no_room)?;
            let (element_type, shape) = (result.element_type(), result.shape().clone());
            drop(result);
            // Elements of 4 bits become bytes as literals have them.
            let literal = Literal::new(element_type, shape, bytes.into_inner())?;
            take(place, &region, literal.bytes())?;
            free = literal.into_bytes();
        }
    }
    Ok(())
}

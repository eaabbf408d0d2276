//! Moves the elements of chunks: from sources to the device, and from there to the results' sinks.
//! Reading, computing and taking overlap, on three threads.

use std::cell::RefCell;
use std::io::ErrorKind;
use std::ops::Range;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

use crate::api::chunked::cut::{Cut, DoesNotFit};
use crate::api::chunked::endpoint::ChunkSource;
use crate::api::chunked::error::ChunkedError;
use crate::api::chunked::need::{Wanted, in_memory};
use crate::device::arrays::array::AnyArray;
use crate::device::context::Context;
use crate::device::run::execute::bytes_between;
use indim_core::graph::computation::Computation;
use indim_core::graph::region::{Region, sizes};
use indim_core::graph::restrict::Restricted;
use indim_core::semantics::element::Scalar;
use indim_core::semantics::error::Error;
use indim_core::semantics::literal::{Literal, size_in_bytes};
use indim_core::semantics::shape::Shape;

/// A chunk with the pieces of operands that it needs.
struct Pieces {
    region: Region,
    computation: Computation,
    /// The piece of each operand; `None` if it is the same as for the last chunk.
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
    wanted: Wanted<'_>,
    sources: &mut [&mut dyn ChunkSource],
    mut take: impl FnMut(usize, &[Range<usize>], &[u8]) -> Result<(), ChunkedError>,
) -> Result<(), ChunkedError> {
    // One chunk waits in each, so that a single delay in one thread does not stop the others.
    let (to_device, pieces) = sync_channel(1);
    let (to_taker, computed) = sync_channel(1);
    let (to_reader, used) = channel();
    let reader = Reader { wanted, free: vec![Vec::new(); sources.len()], used };
    thread::scope(|scope| {
        let thread = || thread::Builder::new().name("indim chunks".to_owned());
        let reading = thread().spawn_scoped(scope, move || reader.run(sources, &to_device));
        let reading = reading.map_err(ChunkedError::Thread)?;
        let computing = move || compute(wanted.context, &pieces, &to_reader, &to_taker);
        let computing = thread().spawn_scoped(scope, computing).map_err(ChunkedError::Thread)?;
        let taken = take_all(wanted.results, &computed, &mut take);
        // A thread that still waits to pass on a chunk learns that it is not wanted.
        drop(computed);
        let computed = computing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let read = reading.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        taken.and(computed).and(read)
    })
}

/// Reads pieces of operands.
struct Reader<'a> {
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
        let Wanted { computation, results, region, .. } = self.wanted;
        let mut last: Vec<Option<Region>> = vec![None; sources.len()];
        let mut cut = Cut::new(computation, results, region, self.wanted.bound());
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
                // The receiver has failed and reports why.
                return Ok(());
            }
        }
        Ok(())
    }

    /// Returns the next chunk, and its computation; none after the last one.
    fn next_chunk(&self, cut: &mut Cut<'_>) -> Result<Option<(Region, Restricted)>, ChunkedError> {
        let Wanted { context, computation, results, max_bytes, .. } = self.wanted;
        let too_large = |DoesNotFit(element): DoesNotFit| self.wanted.too_large(&element);
        while let Some(chunk) = cut.next() {
            let region = chunk.map_err(too_large)?;
            let restricted = computation.restricted(results, &region);
            let between = bytes_between(context, &restricted.computation)?;
            if in_memory(cut.bytes(&region).all(), between) <= max_bytes {
                return Ok(Some((region, restricted)));
            }
            cut.make_smaller(&region).map_err(too_large)?;
        }
        Ok(None)
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
            // A reader that has finished takes none back.
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

/// Reads results back and passes them on.
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
            // It may be called again, so keep the bytes before passing them on.
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

//! Defines [`Commands`]: a submission as data. Only the encoding here calls wgpu for copies and
//! dispatches, in the order of the fields.

use std::ops::Range;
use std::sync::Arc;

use crate::device::guard::error_scope::GuardedDevice;
use crate::device::guard::poison::Poison;
use crate::device::guard::stats::Counters;
use crate::device::memory::bind_groups::{Binding, BufferId};
use crate::device::memory::usage::Reservation;
use crate::device::program::pipelines::Pipeline;
use crate::device::timer::Timer;
use indim_compiler::plan::params::put_constant;
use indim_core::semantics::element::Scalar;
use indim_core::semantics::error::{Error, Result};

/// Commands of one submission.
#[derive(Clone, Copy, Default)]
pub(crate) struct Commands<'a> {
    pub(crate) uploads: &'a [Upload],
    pub(crate) dispatches: &'a [EncodedDispatch],
    pub(crate) copies: &'a [Copy],
}

/// A dispatch of a program, before its buffers are known.
#[derive(Debug)]
pub(crate) struct Dispatch {
    pub(crate) pipeline: Arc<Pipeline>,
    /// The parameter block.
    pub(crate) words: Vec<u32>,
    /// The first word in it of each constant of the computation that it has, with the constant's
    /// number.
    pub(crate) constants: Vec<(usize, usize)>,
    pub(crate) workgroups: [u32; 2],
    /// The bytes of arrays that it reads and writes; see `Stats::read_bytes`.
    pub(crate) read_bytes: u64,
    pub(crate) written_bytes: u64,
    /// The work, in the unit of `Tuning::max_work_per_submission`.
    pub(crate) work: u64,
}

impl Dispatch {
    /// Returns the parameter block with these constants of the computation.
    pub(crate) fn words_of(&self, constants: &[Scalar]) -> Vec<u32> {
        let mut words = self.words.clone();
        for &(first, number) in &self.constants {
            if let Some(&constant) = constants.get(number) {
                put_constant(constant, first, &mut words);
            }
        }
        words
    }

    /// Counts it as recorded.
    pub(crate) fn count(&self, counters: &Counters) {
        counters.dispatches.add(1);
        counters.read_bytes.add(self.read_bytes);
        counters.written_bytes.add(self.written_bytes);
    }
}

/// A dispatch that is ready to be encoded.
#[derive(Debug)]
pub(crate) struct EncodedDispatch {
    pub(crate) pipeline: Arc<Pipeline>,
    pub(crate) bindings: wgpu::BindGroup,
    /// Dynamic offset of the parameter block, in bytes.
    pub(crate) params: u32,
    pub(crate) workgroups: [u32; 2],
    /// Range of its arrays in the batch's list; those that it writes come last.
    pub(crate) arrays: Range<usize>,
    /// The name of the computation that it is a part of.
    pub(crate) name: Option<Arc<str>>,
}

/// A copy of `bytes` bytes, a multiple of 4, from one buffer to the start of another.
#[derive(Debug)]
pub(crate) struct Copy {
    pub(crate) from: wgpu::Buffer,
    pub(crate) from_offset: u64,
    pub(crate) to: wgpu::Buffer,
    pub(crate) bytes: u64,
}

/// A copy from a staging buffer, written by the host, into the buffer of an array.
#[derive(Debug)]
pub(crate) struct Upload {
    pub(crate) copy: Copy,
    /// The buffer that it writes to.
    pub(crate) to: BufferId,
    pub(crate) poison: Arc<Poison>,
    /// The staging buffer counts as in use until it is submitted.
    pub(crate) _reservation: Reservation,
}

/// An array that a recorded dispatch reads or writes.
#[derive(Debug, Clone)]
pub(crate) struct BoundArray {
    pub(crate) buffer: BufferId,
    /// See [`Binding::poison`].
    poison: Option<Arc<Poison>>,
}

impl BoundArray {
    pub(crate) fn of(binding: &Binding<'_>) -> Self {
        Self { buffer: binding.id, poison: binding.poison.cloned() }
    }

    pub(crate) fn poison(&self, error: &Error) {
        if let Some(poison) = &self.poison {
            poison.set(error);
        }
    }

    #[cfg(any(test, target_arch = "wasm32"))]
    pub(crate) fn poison_state(&self) -> Option<&Arc<Poison>> {
        self.poison.as_ref()
    }

    pub(crate) fn check(&self) -> Result<()> {
        self.poison.as_ref().map_or(Ok(()), |poison| poison.check())
    }
}

impl Commands<'_> {
    pub(crate) fn is_empty(&self) -> bool {
        self.uploads.is_empty() && self.dispatches.is_empty() && self.copies.is_empty()
    }

    pub(crate) fn encode(
        &self,
        device: &GuardedDevice,
        timer: Option<&Timer>,
    ) -> wgpu::CommandBuffer {
        let label = device.labels.batch.as_str();
        let descriptor = wgpu::CommandEncoderDescriptor { label: Some(label) };
        let mut encoder = device.create_command_encoder(&descriptor);
        self.uploads.iter().for_each(|upload| upload.copy.encode(&mut encoder));
        if !self.dispatches.is_empty() {
            encode_dispatches(device, timer, &mut encoder, label, self.dispatches);
        }
        self.copies.iter().for_each(|copy| copy.encode(&mut encoder));
        encoder.finish()
    }
}

/// Encodes dispatches in a pass. Consecutive dispatches of a named computation form a debug group
/// of that name, or, if passes are timed, a pass of that name.
pub(crate) fn encode_dispatches(
    device: &GuardedDevice,
    timer: Option<&Timer>,
    encoder: &mut wgpu::CommandEncoder,
    label: &str,
    dispatches: &[EncodedDispatch],
) {
    let named = dispatches.chunk_by(|one, next| one.name == next.name);
    let named = named.map(|chunk| (chunk[0].name.as_deref(), chunk));
    if timer.is_some() {
        for (name, chunk) in named {
            let record = |pass: &mut wgpu::ComputePass<'_>| encode_chunk(pass, chunk);
            encode_pass(device, timer, encoder, name.unwrap_or(label), record);
        }
        return;
    }
    encode_pass(device, timer, encoder, label, |pass| {
        for (name, chunk) in named {
            name.inspect(|name| pass.push_debug_group(name));
            encode_chunk(pass, chunk);
            name.inspect(|_| pass.pop_debug_group());
        }
    });
}

/// Encodes a pass, which is timed if there is a timer.
pub(crate) fn encode_pass(
    device: &GuardedDevice,
    timer: Option<&Timer>,
    encoder: &mut wgpu::CommandEncoder,
    label: &str,
    record: impl FnOnce(&mut wgpu::ComputePass<'_>),
) {
    if let Some(timer) = timer {
        return timer.pass(device, encoder, label, record);
    }
    let descriptor = wgpu::ComputePassDescriptor { label: Some(label), timestamp_writes: None };
    record(&mut encoder.begin_compute_pass(&descriptor));
}

fn encode_chunk(pass: &mut wgpu::ComputePass<'_>, dispatches: &[EncodedDispatch]) {
    let mut set: Option<&Arc<Pipeline>> = None;
    for dispatch in dispatches {
        if set.is_none_or(|pipeline| !Arc::ptr_eq(pipeline, &dispatch.pipeline)) {
            pass.set_pipeline(&dispatch.pipeline.pipeline);
            set = Some(&dispatch.pipeline);
        }
        pass.set_bind_group(0, &dispatch.bindings, &[dispatch.params]);
        let [x, y] = dispatch.workgroups;
        pass.dispatch_workgroups(x, y, 1);
    }
}

impl Copy {
    fn encode(&self, encoder: &mut wgpu::CommandEncoder) {
        let Self { from, from_offset, to, bytes } = self;
        encoder.copy_buffer_to_buffer(from, *from_offset, to, 0, Some(*bytes));
    }
}

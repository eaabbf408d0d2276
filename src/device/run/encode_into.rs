//! Records computations in caller-owned encoders that write into existing arrays.

use std::sync::Arc;

use crate::device::arrays::array::AnyArray;
use crate::device::arrays::view_mut::AnyViewMut;
use crate::device::context::Context;
use crate::device::memory::encoding::{Encoding, Role};
use crate::device::memory::pool::BufferUse;
use crate::device::recording::reclaim;
use crate::device::run::encode::{ToEncoder, ToRecord, check_encoded, number_of};
use crate::device::run::encoded::Encoded;
use crate::device::run::execute::{self, Recorder};
use crate::device::run::target::{self, Target};
use crate::errors::array::ArrayError;
use crate::graph::computation::Computation;
use crate::semantics::error::Result;

/// Records commands that write the only result of a computation, whose type and shape are the
/// target's, to the target. `arrays` are the arguments; any holder of the target's memory other
/// than these, the target and commands in the same encoder keeps its contents.
pub(crate) fn encode_into(
    context: &Context,
    encoder: &mut wgpu::CommandEncoder,
    mut computation: Computation,
    arrays: &[AnyArray],
    target: AnyViewMut<'_>,
) -> Result<Encoded> {
    context.gpu().device.lost.check()?;
    let arguments: Vec<&AnyArray> = arrays.iter().collect();
    let mut before = check_encoded(&arguments)?;
    if target.shape().dims().contains(&0) {
        let nothing = ToRecord { recorder: ToEncoder::new(context.gpu()), before, name: None };
        return Ok(Encoded::new(nothing.encode(context, encoder, Vec::new())?, Vec::new()));
    }
    execute::join_loops(&arguments)?;
    execute::join_loops(&[&*target.array])?;
    let target = Target::new(target, arrays);
    let Place { array, role, from } = place(context, &target, number_of(encoder), &mut before)?;
    let destination = target.destination_in(&array, arrays);
    // The target has its own memory, even if the result is an argument.
    computation.copies_parameters = true;
    let call = || {
        let mut recorder = ToEncoder::new(context.gpu());
        if let Some(from) = &from {
            let whole = array.clone().view_mut().destination();
            target::copy(context, from, (&array, &whole), &mut recorder)?;
        }
        let to = (&array, &destination);
        if let Some(elsewhere) =
            target::write(context, &computation, &arguments, to, &mut recorder)?
        {
            // It would have overwritten what it reads.
            target::copy(context, &elsewhere, to, &mut recorder)?;
            recorder.free(&mut vec![elsewhere]);
        }
        Ok(recorder)
    };
    let loops = array.loop_statuses();
    let old_loops = loops.take();
    let recorded = reclaim::recorded_with_retry(&context.inner.stream, call);
    let encoded = recorded.and_then(|recorder| {
        let commands = ToRecord { recorder, before, name: computation.name.as_deref() };
        let operands = arguments.iter().copied().chain(&from).map(|array| (array, Role::Operand));
        commands.encode(context, encoder, operands.chain([(&array, role)]).collect())
    });
    let encoding = match encoded {
        Ok(encoding) => encoding,
        Err(error) => {
            loops.restore(old_loops);
            return Err(error);
        }
    };
    match &encoding {
        // Once they have run, elements that a loop made invalid are gone, unless an argument or the
        // other elements hold them.
        Some(encoding) => {
            loops.encoded(old_loops, destination.is_whole() && target.own == 0, encoding);
        }
        None => loops.restore(old_loops),
    }
    *target.array = array;
    Ok(Encoded::new(encoding, Vec::new()))
}

/// The place of a target's new elements.
struct Place {
    /// The target itself, or an array that takes its place once all is recorded.
    array: AnyArray,
    /// The commands' use of that array.
    role: Role,
    /// The array to be copied there first, in the encoder.
    from: Option<AnyArray>,
}

/// Finds a place where a target can be written without affecting other holders of its memory, and
/// where it keeps its elements even if the encoder is never submitted. Adds the encodings that must
/// be submitted before or with the commands to `before`.
fn place(
    context: &Context,
    target: &Target<'_>,
    encoder: u64,
    before: &mut Vec<Arc<Encoding>>,
) -> Result<Place> {
    let array = &*target.array;
    let encodings = array.storage().encodings();
    let is_whole = target.destination.is_whole();
    let is_used_elsewhere = encodings.is_any_unsettled_outside(encoder);
    let is_lost = array.storage().is_refused() && is_whole;
    let is_shared = target.is_held_elsewhere() || is_used_elsewhere || is_lost;
    if !is_shared || target.is_known_outside() {
        before.append(&mut check_encoded(&[array])?);
        return Ok(Place { array: array.clone(), role: Role::Target, from: None });
    }
    if is_lost || encodings.is_written() {
        if encodings.is_written_outside(encoder) {
            return Err(ArrayError::NotSubmitted.into());
        }
        before.extend(encodings.check_encoded()?);
    } else {
        encodings.check()?;
    }
    if is_lost || encodings.is_made() {
        // It has no elements to keep yet.
        let fresh = reclaim::checked_with_retry(&context.inner.stream, || {
            let (of, shape) = (array.element_type(), array.shape());
            AnyArray::uninitialized(context, of, shape, BufferUse::Encoded)
        })?;
        let from = (!is_whole).then(|| array.clone());
        return Ok(Place { array: fresh, role: Role::Result, from });
    }
    array.storage().check_refusal()?;
    let copy = target::copy_of(context, array)?;
    copy.loop_statuses().restore(array.loop_statuses().kept());
    // The copy has the contents before the commands in the same encoder that write the target.
    let from = (encodings.is_written() && !is_whole).then(|| array.clone());
    Ok(Place { array: copy, role: Role::Target, from })
}

//! Records computations in encoders of the caller's that write into arrays that exist.

use crate::compile::destination::Destination;
use crate::device::array::AnyArray;
use crate::device::context::Context;
use crate::device::encode::{ToEncoder, ToRecord, check_encoded, number_of, write};
use crate::device::encoded::Encoded;
use crate::device::exec::reclaim;
use crate::device::memory::encoding::Role;
use crate::device::memory::pool::BufferUse;
use crate::device::run;
use crate::device::run_into::{aliases, copy_of, copying};
use crate::device::view_mut::AnyViewMut;
use crate::graph::computation::Computation;
use crate::semantics::error::{ArrayError, Result};

/// Records commands that write the only result of a computation, whose type and shape are the
/// target's, to the target. `arrays` are the arguments; besides them, the target and commands in the
/// same encoder, whoever else holds the target's memory keeps what is in it.
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
    run::join_loops(&arguments)?;
    run::join_loops(&[&*target.array])?;
    if target.shape().dims().contains(&0) {
        return Ok(Encoded::new(None, Vec::new()));
    }
    let mut destination = target.destination();
    let array = target.array;
    let number = number_of(encoder);
    let own = arrays.iter().filter(|argument| argument.address() == array.address()).count();
    let is_shared = array.holders() > 1 + own
        || array.storage().encodings().is_any_unsettled_outside(number)
        || array.storage().is_refused() && destination.is_whole();
    let mut role = Role::Target;
    let mut old = None;
    if is_shared && !array.storage().is_known_outside() {
        if array.storage().encodings().is_written() || array.storage().is_refused() {
            // Its elements are not there yet; they are copied in the same encoder.
            if array.storage().encodings().is_any_unsettled_outside(number) {
                return Err(ArrayError::NotSubmitted.into());
            }
            before.extend(array.storage().encodings().check_encoded()?);
            let (of, shape) = (array.element_type(), array.shape().clone());
            let fresh = AnyArray::uninitialized(context, of, &shape, BufferUse::Encoded)?;
            old = Some(std::mem::replace(array, fresh)).filter(|old| !old.storage().is_refused());
            role = Role::Result;
        } else {
            array.storage().encodings().check()?;
            // The target has its elements, in memory of its own, also if the commands never run.
            *array = copy_of(context, array)?;
        }
    }
    before.append(&mut check_encoded(&[array])?);
    destination.aliases = aliases(array, arrays);
    let whole = array.view_mut().destination();
    // The target has memory of its own, also where the result is an argument.
    computation.copies_parameters = true;
    let call = || {
        let mut recorder = ToEncoder::new(context.gpu());
        if let Some(old) = &old {
            copy(context, old, (array, &whole), &mut recorder)?;
        }
        let into = (&*array, &destination);
        if let Some(elsewhere) = write(context, &computation, &arguments, into, &mut recorder)? {
            // It would have overwritten what it reads.
            let mut destination = destination.clone();
            destination.aliases.clear();
            copy(context, &elsewhere, (array, &destination), &mut recorder)?;
            recorder.temporaries.push(elsewhere);
        }
        Ok(recorder)
    };
    let recorder = reclaim::recorded_with_retry(&context.inner.stream, call)?;
    let commands = ToRecord { recorder, before, name: computation.name.as_deref() };
    let operands = arguments.iter().map(|&array| (array, Role::Operand));
    let operands = operands.chain(old.as_ref().map(|old| (old, Role::Operand)));
    let uses = operands.chain([(&*array, role)]).collect();
    Ok(Encoded::new(commands.encode(context, encoder, uses)?, Vec::new()))
}

/// Records that an array of the destination's shape is copied to it.
fn copy(
    context: &Context,
    from: &AnyArray,
    to: (&AnyArray, &Destination),
    recorder: &mut ToEncoder<'_>,
) -> Result<()> {
    let computation = copying(from.element_type(), &to.1.shape)?;
    match write(context, &computation, &[from], to, recorder)? {
        None => Ok(()),
        Some(_) => Err(run::no_kernel()),
    }
}

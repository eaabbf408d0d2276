//! Records computations in encoders of the caller's that write into arrays that exist.

use crate::device::array::AnyArray;
use crate::device::context::Context;
use crate::device::encode::{ToEncoder, ToRecord, check_encoded, number_of, write};
use crate::device::encoded::Encoded;
use crate::device::exec::reclaim;
use crate::device::memory::encoding::Role;
use crate::device::run;
use crate::device::run_into::{aliases, copy_of, copying};
use crate::device::view_mut::AnyViewMut;
use crate::graph::computation::Computation;
use crate::semantics::error::Result;

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
    if target.shape().dims().contains(&0) {
        return Ok(Encoded::new(None, Vec::new()));
    }
    let mut destination = target.destination();
    let array = target.array;
    before.append(&mut check_encoded(&[array])?);
    // Counted first: what is given back meanwhile then makes it look shared, which is safe.
    let holders = array.holders();
    let own = arrays.iter().filter(|argument| argument.address() == array.address()).count();
    let own = 1 + own + array.encodings().holds_in(number_of(encoder));
    if holders > own && !array.is_known_outside() {
        // The target has its elements, in memory of its own, also if the commands never run.
        array.encodings().check()?;
        *array = copy_of(context, array)?;
    }
    destination.aliases = aliases(array, arrays);
    // The target has memory of its own, also where the result is an argument.
    computation.copies_parameters = true;
    let call = || {
        let mut recorder = ToEncoder::new(context.gpu());
        let into = (&*array, &destination);
        if let Some(elsewhere) = write(context, &computation, &arguments, into, &mut recorder)? {
            // It would have overwritten what it reads.
            let copy = copying(elsewhere.element_type(), &destination.shape)?;
            let mut destination = destination.clone();
            destination.aliases.clear();
            if write(context, &copy, &[&elsewhere], (array, &destination), &mut recorder)?.is_some()
            {
                return Err(run::no_kernel());
            }
            recorder.temporaries.push(elsewhere);
        }
        Ok(recorder)
    };
    let recorder = reclaim::checked_with_retry(&context.inner.stream, call)?;
    let commands = ToRecord { recorder, before, name: computation.name.as_deref() };
    let operands = arguments.iter().map(|&array| (array, Role::Operand));
    let uses = operands.chain([(&*array, Role::Target)]).collect();
    Ok(Encoded::new(commands.encode(context, encoder, uses)?, Vec::new()))
}

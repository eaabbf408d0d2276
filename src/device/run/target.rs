//! Defines [`Target`], an array to be written, or a part of one, and records the commands that
//! write it, for the context itself and for caller-owned encoders.

use crate::compile::destination::Destination;
use crate::device::arrays::array::AnyArray;
use crate::device::arrays::view_mut::AnyViewMut;
use crate::device::context::Context;
use crate::device::run::execute::{self, Recorder};
use crate::graph::builder::Builder;
use crate::graph::computation::Computation;
use crate::semantics::error::Result;
use crate::semantics::shape::Shape;

/// An array that a computation is written to, or a part of it.
pub(crate) struct Target<'a> {
    /// If the elements end up in other memory, it is reassigned once nothing can fail any more.
    pub(crate) array: &'a mut AnyArray,
    pub(crate) destination: Destination,
    /// The number of arguments that are the array itself.
    pub(crate) own: usize,
}

impl<'a> Target<'a> {
    /// Returns the target of a computation on these arguments.
    pub(crate) fn new(view: AnyViewMut<'a>, arguments: &[AnyArray]) -> Self {
        let destination = view.destination();
        let array = view.array;
        let own = arguments.iter().filter(|argument| argument.address() == array.address()).count();
        Self { array, destination, own }
    }

    /// Returns true if its memory has holders besides the arguments.
    pub(crate) fn is_held_elsewhere(&self) -> bool {
        self.array.holders() > 1 + self.own
    }

    pub(crate) fn is_known_outside(&self) -> bool {
        self.array.storage().is_known_outside()
    }

    /// Returns the destination within `array`, which is the target's array or its replacement, and
    /// notes which arguments are in the same buffer.
    pub(crate) fn destination_in(&self, array: &AnyArray, arguments: &[AnyArray]) -> Destination {
        let mut destination = self.destination.clone();
        destination.layout = array.storage().layout();
        destination.aliases = aliases(array, arguments);
        destination
    }
}

/// Returns the arguments that are in the same buffer as an array, each with the bits from the array's
/// first element to its own.
fn aliases(array: &AnyArray, arguments: &[AnyArray]) -> Vec<(usize, i64)> {
    let (buffer, start) = array.storage().place();
    let alias = |(number, argument): (usize, &AnyArray)| {
        let (other, offset) = argument.storage().place();
        let bits = offset.cast_signed().wrapping_sub(start.cast_signed()).wrapping_mul(8);
        (other == buffer).then_some((number, bits))
    };
    arguments.iter().enumerate().filter_map(alias).collect()
}

/// Records a computation that writes its only result to the destination, and returns `None`; if it
/// cannot be written there directly, returns the result as another array.
pub(crate) fn write<R: Recorder>(
    context: &Context,
    computation: &Computation,
    arguments: &[&AnyArray],
    to: (&AnyArray, &Destination),
    recorder: &mut R,
) -> Result<Option<AnyArray>> {
    let mut results = execute::record(context, computation, arguments, Some(to), recorder)?;
    let written = results.pop().ok_or_else(execute::no_kernel)?;
    Ok((written.storage().place() != to.0.storage().place()).then_some(written))
}

/// Records that an array of the destination's shape is copied to it.
pub(crate) fn copy<R: Recorder>(
    context: &Context,
    from: &AnyArray,
    (array, destination): (&AnyArray, &Destination),
    recorder: &mut R,
) -> Result<()> {
    let destination = Destination { aliases: Vec::new(), ..destination.clone() };
    let computation = copying(from, &destination.shape)?;
    match write(context, &computation, &[from], (array, &destination), recorder)? {
        None => Ok(()),
        Some(_) => Err(execute::no_kernel()),
    }
}

/// Returns a copy, in new memory, of an array's elements before the commands in caller-owned
/// encoders that are not yet submitted. It does not check that they are valid.
pub(crate) fn copy_of(context: &Context, array: &AnyArray) -> Result<AnyArray> {
    let computation = copying(array, array.shape())?;
    let mut results = execute::on_stream(context, &[], |recorder| {
        execute::record(context, &computation, &[array], None, recorder)
    })?;
    results.pop().ok_or_else(execute::no_kernel)
}

/// Returns the computation whose result is a copy of its parameter, an array of this shape.
fn copying(array: &AnyArray, shape: &Shape) -> Result<Computation> {
    let mut builder = Builder::new();
    let parameter = builder.parameter(array.element_type(), shape.clone())?;
    let computation = builder.build(parameter)?;
    Ok(Computation { copies_parameters: true, ..computation })
}

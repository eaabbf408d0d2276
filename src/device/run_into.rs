//! Runs a computation into an array that exists, or a part of one: in place where nobody else sees
//! the array change, or where the caller knows the buffer.

use crate::compile::destination::Destination;
use crate::device::array::AnyArray;
use crate::device::context::Context;
use crate::device::run::{self, execute_into};
use crate::device::view_mut::AnyViewMut;
use crate::graph::builder::Builder;
use crate::graph::computation::Computation;
use crate::semantics::element::ElementType;
use crate::semantics::error::{ArrayError, BuilderError, Result};
use crate::semantics::shape::Shape;

impl Context {
    /// Runs a computation of one result and writes it to the target, whose other elements keep their
    /// values; [`Expr::eval_into`](crate::Expr::eval_into) says when in place. An argument that is
    /// another clone of the target holds its memory, so that the target gets new memory. Does not
    /// wait.
    ///
    /// # Errors
    /// [`BuilderError::SeveralResults`]; [`ArrayError::ElementType`], [`ArrayError::TargetShape`];
    /// those of [`Context::run_all`].
    pub fn run_into(
        &self,
        computation: &Computation,
        arguments: &[&AnyArray],
        target: AnyViewMut<'_>,
    ) -> Result<()> {
        self.gpu().device.lost.check()?;
        let count = computation.results().len();
        if count > 1 {
            return Err(BuilderError::SeveralResults { count }.into());
        }
        run::check_arguments(self, computation, arguments)?;
        target.check(computation.element_type(), computation.shape())?;
        if !target.array.context().is(self) {
            return Err(ArrayError::TwoContexts.into());
        }
        let arrays: Vec<AnyArray> = arguments.iter().map(|&argument| argument.clone()).collect();
        run_into(self, computation.clone(), &arrays, target)
    }
}

/// Writes the only result of a computation, whose type and shape are the target's, to the target.
/// `arrays` are the arguments; besides them and the target, whoever else holds the target's memory
/// keeps what is in it.
pub(crate) fn run_into(
    context: &Context,
    mut computation: Computation,
    arrays: &[AnyArray],
    target: AnyViewMut<'_>,
) -> Result<()> {
    if target.shape().dims().contains(&0) {
        return Ok(context.gpu().device.lost.check()?);
    }
    target.array.storage().encodings().check()?;
    let mut destination = target.destination();
    let arguments: Vec<&AnyArray> = arrays.iter().collect();
    let array = target.array;
    let own = arrays.iter().filter(|argument| argument.address() == array.address()).count();
    let is_known_outside = array.storage().is_known_outside();
    let is_used = array.storage().encodings().is_any_unsettled();
    let is_shared = array.holders() > 1 + own || is_used || array.storage().is_refused();
    // The target has memory of its own, also where the result is an argument.
    computation.copies_parameters = true;
    if is_shared && !is_known_outside {
        if destination.is_whole() {
            let mut results = run::execute(context, &computation, &arguments)?;
            *array = results.pop().ok_or_else(run::no_kernel)?;
            return Ok(());
        }
        let fresh = copy_of(context, array)?;
        if let Some(elsewhere) = write(context, &computation, &arguments, (&fresh, &destination))? {
            copy(context, &elsewhere, (&fresh, &destination))?;
        }
        *array = fresh;
        return Ok(());
    }
    destination.aliases = aliases(array, arrays);
    run::join_loops(&[&*array])?;
    // What a loop has refused is gone, unless it is an argument or stays in the other elements.
    let stale = match destination.is_whole() && own == 0 {
        true => array.loop_statuses().take(),
        false => Vec::new(),
    };
    let written = write(context, &computation, &arguments, (array, &destination));
    if written.is_err() {
        array.loop_statuses().add(&stale);
    }
    match written? {
        None => Ok(()),
        // It would have overwritten what it reads.
        Some(elsewhere) if destination.is_whole() && !is_known_outside => {
            *array = elsewhere;
            Ok(())
        }
        Some(elsewhere) => {
            destination.aliases.clear();
            copy(context, &elsewhere, (array, &destination))
        }
    }
}

/// Writes the result to the destination, and returns none; or returns it as another array, if it
/// cannot be written there at once.
fn write(
    context: &Context,
    computation: &Computation,
    arguments: &[&AnyArray],
    destination: (&AnyArray, &Destination),
) -> Result<Option<AnyArray>> {
    let mut results = execute_into(context, computation, arguments, Some(destination))?;
    let written = results.pop().ok_or_else(run::no_kernel)?;
    Ok((written.storage().place() != destination.0.storage().place()).then_some(written))
}

/// Returns the arguments that are in the same buffer as an array, each with the bits from the array's
/// first element to its own.
pub(crate) fn aliases(array: &AnyArray, arguments: &[AnyArray]) -> Vec<(usize, i64)> {
    let (buffer, start) = array.storage().place();
    let alias = |(number, argument): (usize, &AnyArray)| {
        let (other, offset) = argument.storage().place();
        let bits = offset.cast_signed().wrapping_sub(start.cast_signed()).wrapping_mul(8);
        (other == buffer).then_some((number, bits))
    };
    arguments.iter().enumerate().filter_map(alias).collect()
}

/// Returns an array of new memory with the same elements.
pub(crate) fn copy_of(context: &Context, array: &AnyArray) -> Result<AnyArray> {
    let computation = copying(array.element_type(), array.shape())?;
    let mut results = run::execute(context, &computation, &[array])?;
    results.pop().ok_or_else(run::no_kernel)
}

/// Copies an array of the destination's shape.
fn copy(context: &Context, from: &AnyArray, to: (&AnyArray, &Destination)) -> Result<()> {
    let computation = copying(from.element_type(), &to.1.shape)?;
    match write(context, &computation, &[from], to)? {
        None => Ok(()),
        Some(_) => Err(run::no_kernel()),
    }
}

/// Returns the computation whose result is a copy of its parameter.
pub(crate) fn copying(element_type: ElementType, shape: &Shape) -> Result<Computation> {
    let mut builder = Builder::new();
    let parameter = builder.parameter(element_type, shape.clone())?;
    let computation = builder.build(parameter)?;
    Ok(Computation { copies_parameters: true, ..computation })
}

//! Runs a computation into an existing array, or a part of one: in place if nobody else can see the
//! array change, or if the caller holds the buffer.

use crate::device::arrays::array::AnyArray;
use crate::device::arrays::view_mut::AnyViewMut;
use crate::device::context::Context;
use crate::device::run::execute;
use crate::device::run::target::{self, Target};
use crate::errors::array::ArrayError;
use crate::graph::computation::Computation;
use crate::semantics::error::{BuilderError, Result};

impl Context {
    /// Runs a computation of one result and writes it to the target, whose other elements keep
    /// their values; [`Expr::eval_into`](crate::Expr::eval_into) describes when it writes in place.
    /// If an argument is another clone of the target, it shares its memory, so the target gets new
    /// memory. Does not wait.
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
        execute::check_arguments(self, computation, arguments)?;
        target.check(computation.element_type(), computation.shape())?;
        if !target.array.context().is(self) {
            return Err(ArrayError::TwoContexts.into());
        }
        let arrays: Vec<AnyArray> = arguments.iter().map(|&argument| argument.clone()).collect();
        run_into(self, computation.clone(), &arrays, target)
    }
}

/// Writes the only result of a computation, whose type and shape are the target's, to the target.
/// `arrays` are the arguments; any other holder of the target's memory keeps its contents.
pub(crate) fn run_into(
    context: &Context,
    mut computation: Computation,
    arrays: &[AnyArray],
    target: AnyViewMut<'_>,
) -> Result<()> {
    if target.shape().dims().contains(&0) {
        return Ok(context.gpu().device.lost.check()?);
    }
    let arguments: Vec<&AnyArray> = arrays.iter().collect();
    let target = Target::new(target, arrays);
    let storage = target.array.storage();
    storage.encodings().check()?;
    let is_used = storage.encodings().is_any_unsettled();
    let is_shared = target.is_held_elsewhere() || is_used || storage.is_refused();
    // The target has its own memory, even if the result is an argument.
    computation.copies_parameters = true;
    if !is_shared || target.is_known_outside() {
        return run_in_place(context, &computation, arrays, target);
    }
    if target.destination.is_whole() {
        let mut results = execute::execute(context, &computation, &arguments)?;
        *target.array = results.pop().ok_or_else(execute::no_kernel)?;
        return Ok(());
    }
    let fresh = target::copy_of(context, target.array)?;
    let to = (&fresh, &target.destination);
    execute::on_stream(context, &arguments, |recorder| {
        match target::write(context, &computation, &arguments, to, recorder)? {
            None => Ok(()),
            Some(elsewhere) => target::copy(context, &elsewhere, to, recorder),
        }
    })?;
    *target.array = fresh;
    Ok(())
}

/// Writes into the target's memory, unless that would overwrite elements that are yet to be read
/// and other memory can take its place.
fn run_in_place(
    context: &Context,
    computation: &Computation,
    arrays: &[AnyArray],
    target: Target<'_>,
) -> Result<()> {
    let arguments: Vec<&AnyArray> = arrays.iter().collect();
    let destination = target.destination_in(target.array, arrays);
    let is_whole = destination.is_whole();
    let may_move = is_whole && !target.is_known_outside();
    let Target { array, own, .. } = target;
    execute::join_loops(&[&*array])?;
    // Elements that a loop made invalid are gone, unless an argument or the other elements hold
    // them.
    let stale = if is_whole && own == 0 { array.loop_statuses().take() } else { Vec::new() };
    let to = (&*array, &destination);
    let written = execute::on_stream(context, &arguments, |recorder| {
        let elsewhere = target::write(context, computation, &arguments, to, recorder)?;
        // It would have overwritten what it reads.
        if let Some(elsewhere) = elsewhere.as_ref().filter(|_| !may_move) {
            target::copy(context, elsewhere, to, recorder)?;
        }
        Ok(elsewhere)
    });
    if written.is_err() && !stale.is_empty() {
        array.loop_statuses().restore(stale);
    }
    if let Some(elsewhere) = written?.filter(|_| may_move) {
        *array = elsewhere;
    }
    Ok(())
}

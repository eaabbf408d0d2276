//! Loops of functions are watched by words on the device. What is computed from an array depends on
//! the array's words, too, which are handed on to it here.

use std::sync::Arc;

use crate::device::array::AnyArray;
use crate::device::context::Context;
use crate::device::loop_status::{LoopStatus, distinct};
use crate::graph::builder::Builder;
use crate::graph::computation::{Computation, Payload};
use crate::semantics::element::ElementType;
use crate::semantics::error::Result;
use crate::semantics::shape::Shape;

/// An array that depends on more words than these has them joined into one before something is
/// computed from it.
const MAX_KEPT: usize = 8;

/// Hands on the words that the results of a computation depend on: those of arguments, and its own.
pub(crate) fn hand_on(
    computation: &Computation,
    arguments: &[&AnyArray],
    word: Option<&AnyArray>,
    results: &[AnyArray],
) {
    let own = word.map(|word| {
        let functions = computation.calls_with_loops().map(|call| &call.function);
        LoopStatus::new(word.context(), word.storage_arc(), distinct(functions))
    });
    let of_arguments = |number: usize| arguments[number].loop_statuses();
    if own.is_none() && (0..arguments.len()).all(|number| of_arguments(number).is_empty()) {
        return;
    }
    for (&root, result) in computation.roots.iter().zip(results) {
        let mut seen = vec![false; computation.instructions.len()];
        let mut next = vec![root];
        while let Some(node) = next.pop() {
            if std::mem::replace(&mut seen[node], true) {
                continue;
            }
            let instruction = &computation.instructions[node];
            next.extend(instruction.inputs.iter().map(|input| input.node));
            match &instruction.payload {
                // The result may be the argument itself.
                Payload::Parameter(number) if arguments[*number].address() != result.address() => {
                    result.loop_statuses().add(&of_arguments(*number).open());
                }
                Payload::Call(call) if call.has_loops() => {
                    result.loop_statuses().add(own.as_slice());
                }
                _ => {}
            }
        }
    }
}

/// Returns the words that an array depends on and which can be read, if they are too many to be kept.
pub(crate) fn too_many(array: &AnyArray) -> Option<Vec<Arc<LoopStatus>>> {
    if array.loop_statuses().is_empty() {
        return None;
    }
    let mut open = array.loop_statuses().settled();
    open.retain(|status| status.has_run());
    (open.len() > MAX_KEPT).then_some(open)
}

/// Returns the word of a status as an array.
pub(crate) fn word(context: &Context, status: &LoopStatus) -> Result<AnyArray> {
    AnyArray::of_storage(context, ElementType::U32, &Shape::scalar(), Arc::clone(&status.word))
}

/// Has an array depend on this word in the place of others, whose largest value it has.
pub(crate) fn replace(array: &AnyArray, old: &[Arc<LoopStatus>], word: &AnyArray) {
    let functions = distinct(old.iter().flat_map(|status| &status.functions));
    let joined = LoopStatus::new(word.context(), word.storage_arc(), functions);
    array.loop_statuses().replace(old, joined);
}

/// Returns the computation whose result is the largest of so many U32 scalars.
pub(crate) fn largest_of(count: usize) -> Result<Computation> {
    let mut builder = Builder::new();
    let mut largest = builder.parameter(ElementType::U32, Shape::scalar())?;
    for _ in 1..count {
        let next = builder.parameter(ElementType::U32, Shape::scalar())?;
        largest = builder.max(largest, next, &[])?;
    }
    builder.build(largest)
}

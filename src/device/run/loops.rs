//! Loops of functions are watched by words on the device. Whatever is computed from an array also
//! depends on the array's words, which are passed on here.

use std::sync::Arc;

use crate::device::arrays::array::AnyArray;
use crate::device::arrays::loop_status::{LoopStatus, StatusWords, distinct};
use crate::device::program::cache::Program;
use indim_core::graph::builder::Builder;
use indim_core::graph::computation::Computation;
use indim_core::graph::operation::Operation;
use indim_core::semantics::element::ElementType;
use indim_core::semantics::error::Result;
use indim_core::semantics::shape::Shape;

/// An array that depends on the words of more evaluations than these has them joined into one before
/// something is computed from it.
const MAX_KEPT: usize = 8;

/// Passes on the words that the results of a computation depend on: those of its arguments, and
/// those of its own calls, which the program has written to an array.
pub(crate) fn propagate(
    computation: &Computation,
    arguments: &[&AnyArray],
    own: Option<(&Program, &AnyArray)>,
    results: &[AnyArray],
) {
    let of_arguments = |number: usize| arguments[number].loop_statuses();
    if own.is_none() && (0..arguments.len()).all(|number| of_arguments(number).is_empty()) {
        return;
    }
    let own = own.map(|(program, words)| {
        let count = program.loop_words();
        (program, StatusWords::new(words.context(), words.storage_arc(), count))
    });
    for (number, (&root, result)) in computation.roots().iter().zip(results).enumerate() {
        let needed = computation.needed_for(&[root]);
        for (instruction, &needed) in computation.instructions().iter().zip(&needed) {
            let Operation::Parameter(number) = instruction.operation else { continue };
            // The result may be the argument itself.
            if needed && arguments[number].address() != result.address() {
                result.loop_statuses().add(&of_arguments(number).open());
            }
        }
        if let Some((program, words)) = &own {
            let own = words_of(program, number);
            if !own.is_empty() {
                let functions = distinct(computation.functions_with_loops());
                let status = LoopStatus { words: Arc::clone(words), own, functions };
                result.loop_statuses().add(&[Arc::new(status)]);
            }
        }
    }
}

/// Returns the numbers of the words that a result depends on, in the order of the calls: the first
/// loop that exceeds its bound may cause later ones to do so.
fn words_of(program: &Program, result: usize) -> Vec<usize> {
    let words = program.steps.iter().flat_map(|step| {
        let words = &step.loop_words;
        words.results.iter().enumerate().map(|(number, results)| (words.first + number, results))
    });
    words.filter(|(_, results)| results.contains(&result)).map(|(number, _)| number).collect()
}

/// Returns the readable words of evaluations that an array depends on, if they are too many to be
/// kept.
pub(crate) fn too_many(array: &AnyArray) -> Option<Vec<Arc<LoopStatus>>> {
    if array.loop_statuses().is_empty() {
        return None;
    }
    let mut open = array.loop_statuses().settled();
    open.retain(|status| status.words.have_run());
    (open.len() > MAX_KEPT).then_some(open)
}

/// Returns the words of a status, with others of the same evaluation, as an array.
pub(crate) fn words(status: &LoopStatus) -> Result<AnyArray> {
    let StatusWords { context, storage, count, .. } = &*status.words;
    AnyArray::of_storage(context, ElementType::U32, &Shape::from([*count]), Arc::clone(storage))
}

/// Makes an array depend on this word, the first of several that is not 0, in place of all of them.
pub(crate) fn replace(array: &AnyArray, old: &[Arc<LoopStatus>], word: &AnyArray) {
    let functions = distinct(old.iter().flat_map(|status| &status.functions));
    let words = StatusWords::new(word.context(), word.storage_arc(), 1);
    let joined = LoopStatus { words, own: vec![0], functions };
    array.loop_statuses().replace(old, Arc::new(joined));
}

/// Returns the computation whose result is the first word of these that is not 0; its parameters are
/// the words of each status.
pub(crate) fn first_of(statuses: &[Arc<LoopStatus>]) -> Result<Computation> {
    let mut builder = Builder::new();
    let zero = builder.constant(0_u32.into())?;
    let mut first = builder.broadcast(zero, &[1])?;
    for status in statuses {
        let words = builder.parameter(ElementType::U32, Shape::from([status.words.count]))?;
        for &number in &status.own {
            let (start, end) = (number as i64, number as i64 + 1);
            let word = builder.slice(words, &[start], &[end], &[1])?;
            let is_over = builder.ne(first, zero, &[])?;
            first = builder.select(is_over, first, word)?;
        }
    }
    builder.build(first)
}

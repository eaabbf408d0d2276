//! Runs computations: takes their prepared programs, binds the given arrays, and records the
//! dispatches.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::compile::destination::Destination;
use crate::compile::kernel_ir::ArrayId;
use crate::compile::plan::layout::Layout;
use crate::device::arrays::array::AnyArray;
use crate::device::context::{Context, ContextInner};
use crate::device::guard::span::span;
use crate::device::memory::bind_groups::Binding;
use crate::device::memory::pool::BufferUse;
use crate::device::program::cache::{Program, ProgramResult, Step, StepOperand, StepPart};
use crate::device::program::prepare::Preparer;
use crate::device::recording::stream::Stream;
use crate::device::recording::{reclaim, warm};
use crate::device::run::loops;
use crate::errors::array::ArrayError;
use crate::errors::device::DeviceError;
use crate::graph::computation::Computation;
use crate::semantics::element::ElementType;
use crate::semantics::error::{BuilderError, Error, Result};
use crate::semantics::hash::FastMap;
#[cfg(not(target_arch = "wasm32"))]
use crate::semantics::literal::size_in_bytes;
use crate::semantics::shape::Shape;

impl Context {
    /// Runs a computation of one result on arrays given for its parameters, in their order. Does not
    /// wait.
    ///
    /// # Errors
    /// [`BuilderError::SeveralResults`]; those of [`Context::run_all`].
    pub fn run(&self, computation: &Computation, arguments: &[&AnyArray]) -> Result<AnyArray> {
        let count = computation.results().len();
        let mut results = match count {
            1 => self.run_all(computation, arguments)?,
            _ => return Err(BuilderError::SeveralResults { count }.into()),
        };
        results.pop().ok_or_else(no_kernel)
    }

    /// Runs a computation on arrays given for its parameters, in order, and returns its results, in
    /// order. Does not wait.
    ///
    /// # Errors
    /// [`BuilderError::ArgumentCount`], [`BuilderError::Argument`], [`ArrayError::TwoContexts`],
    /// [`DeviceError`](crate::DeviceError).
    pub fn run_all(
        &self,
        computation: &Computation,
        arguments: &[&AnyArray],
    ) -> Result<Vec<AnyArray>> {
        self.gpu().device.lost.check()?;
        check_arguments(self, computation, arguments)?;
        let merged = merged(computation, arguments);
        execute(self, merged.as_ref().unwrap_or(computation), arguments)
    }

    /// Plans computations and compiles their kernels, so that the first [`Context::run`] of each,
    /// or evaluation of an equal expression, does not have to. Kernels that several computations
    /// share are compiled once.
    ///
    /// Some drivers finish compiling when a kernel is dispatched for the first time. So one
    /// workgroup of each new kernel is run, on a few kilobytes of scratch memory that are then
    /// freed; off the web this call waits until they, and all earlier submissions, have run. It
    /// allocates no arrays.
    ///
    /// Arrays are assumed to be distinct and allocated by the context; with foreign buffers at odd
    /// offsets, or with one array given twice, a run may need other kernels.
    ///
    /// # Errors
    /// [`DeviceError`](crate::DeviceError), as [`Context::run`] on arrays of this context.
    pub fn prewarm(&self, computations: &[&Computation]) -> Result<()> {
        let device = &self.gpu().device;
        device.lost.check()?;
        let with_kernels = computations.iter().filter(|c| !c.computed_roots().is_empty());
        let programs = with_kernels.map(|computation| {
            let layouts = vec![Layout::OWN; computation.parameters().len()];
            program(self, computation, &layouts, None)
        });
        let programs: Result<Vec<_>> = programs.collect();
        let workgroup_size = self.plan_limits().tuning.workgroup_size;
        let run = programs
            .and_then(|programs| warm::run_once(&self.inner.stream, &programs, workgroup_size));
        device.check_loss(run)
    }
}

/// Returns the computation's program for arrays with these `layouts`, optionally into a
/// destination.
pub(crate) fn program(
    context: &Context,
    computation: &Computation,
    layouts: &[Layout],
    destination: Option<&Destination>,
) -> Result<Arc<Program>> {
    let ContextInner { stream, pipelines, programs, settings, .. } = &*context.inner;
    #[cfg(target_arch = "wasm32")]
    context.inner.forget_tainted(&stream.gpu.device.late);
    let preparer = Preparer { gpu: &stream.gpu, settings, pipelines, layouts, destination };
    let program =
        programs.get(computation, layouts, destination, || preparer.prepare(computation))?;
    pipelines.note_use(program.kernels());
    if pipelines.has_dropped() {
        programs.drop_without_kernels();
    }
    Ok(program)
}

/// Returns the peak number of bytes of the arrays that a run of a computation makes, besides its
/// results and the arguments, which the context has allocated.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn bytes_between(context: &Context, computation: &Computation) -> Result<u64> {
    if computation.computed_roots().is_empty() {
        return Ok(0);
    }
    let layouts = vec![Layout::OWN; computation.parameters().len()];
    let most = program(context, computation, &layouts, None)?.most_bytes();
    let bytes = |(of, shape): (ElementType, &Shape)| size_in_bytes(of, shape).unwrap_or(usize::MAX);
    let results = computation.results().map(|result| bytes(result) as u64);
    Ok(results.fold(most, u64::saturating_sub))
}

/// Returns the computation with one parameter for all arguments that are the same array, so that it
/// is read once; `None` if all differ.
pub(crate) fn merged(computation: &Computation, arguments: &[&AnyArray]) -> Option<Computation> {
    let mut first_of = FastMap::default();
    let numbered = arguments.iter().enumerate();
    let representative: Vec<usize> =
        numbered.map(|(i, a)| *first_of.entry(a.address()).or_insert(i)).collect();
    let differ = representative.iter().enumerate().all(|(i, &r)| i == r);
    (!differ).then(|| computation.merge_parameters(&representative))
}

pub(crate) fn check_arguments(
    context: &Context,
    computation: &Computation,
    arguments: &[&AnyArray],
) -> Result<()> {
    computation.check_arguments(arguments.iter().map(|a| (a.element_type(), a.shape())))?;
    if arguments.iter().all(|argument| argument.context().is(context)) {
        Ok(())
    } else {
        Err(ArrayError::TwoContexts.into())
    }
}

/// Runs a computation on arguments that are known to fit it.
pub(crate) fn execute(
    context: &Context,
    computation: &Computation,
    arguments: &[&AnyArray],
) -> Result<Vec<AnyArray>> {
    on_stream(context, arguments, |recorder| {
        record(context, computation, arguments, None, recorder)
    })
}

/// Runs `call`, which adds commands on these arguments to the open batch, and runs it once more if
/// memory has run out.
pub(crate) fn on_stream<T>(
    context: &Context,
    arguments: &[&AnyArray],
    call: impl Fn(&mut ToStream<'_>) -> Result<T>,
) -> Result<T> {
    let gpu = context.gpu();
    gpu.device.lost.check()?;
    for argument in arguments {
        argument.storage().encodings().check()?;
    }
    join_loops(arguments)?;
    let open_batch = || gpu.pool.open_batch.load(Ordering::Acquire);
    let before = open_batch();
    let stream = &context.inner.stream;
    let recorded = reclaim::with_retry(stream, || call(&mut ToStream { stream }));
    // To stay cheap, a call that only records does not check for a lost device.
    if recorded.is_ok() && open_batch() == before {
        return recorded;
    }
    gpu.device.check_loss(recorded)
}

/// Joins the words for loops of arrays that depend on many, so that they do not pile up when a host
/// loop computes each array from the one before.
pub(crate) fn join_loops(arrays: &[&AnyArray]) -> Result<()> {
    for array in arrays {
        let Some(old) = loops::too_many(array) else { continue };
        let context = array.context();
        let words = old.iter().map(|status| loops::words(status));
        let words: Vec<AnyArray> = words.collect::<Result<_>>()?;
        let arguments: Vec<&AnyArray> = words.iter().collect();
        let mut joined = execute(context, &loops::first_of(&old)?, &arguments)?;
        loops::replace(array, &old, &joined.pop().ok_or_else(no_kernel)?);
    }
    Ok(())
}

/// Takes the dispatches of a program, one after the other.
pub(crate) trait Recorder {
    /// The usage of the memory for results and temporaries.
    const BUFFER_USE: BufferUse;

    /// True if dispatches already taken will run even if taking a later one fails.
    const KEEPS: bool;

    /// Makes this number of words that record loops beyond their bounds; they are 0 when the
    /// dispatches begin.
    fn loop_words(&mut self, context: &Context, count: usize) -> Result<AnyArray>;

    /// Takes the next dispatch, which binds these buffers, those of its results last.
    fn record(
        &mut self,
        program: &Program,
        part: (usize, &StepPart),
        bindings: &[Binding<'_>],
        name: Option<&Arc<str>>,
    ) -> Result<()>;

    /// Takes arrays that no further dispatch reads.
    fn free(&mut self, arrays: &mut Vec<AnyArray>);
}

/// Records in the open batch of a stream.
pub(crate) struct ToStream<'a> {
    stream: &'a Stream,
}

impl Recorder for ToStream<'_> {
    const BUFFER_USE: BufferUse = BufferUse::Result;
    const KEEPS: bool = true;

    fn loop_words(&mut self, context: &Context, count: usize) -> Result<AnyArray> {
        AnyArray::upload(context, ElementType::U32, &Shape::from([count]), &vec![0; 4 * count])
    }

    fn record(
        &mut self,
        _: &Program,
        (_, part): (usize, &StepPart),
        bindings: &[Binding<'_>],
        name: Option<&Arc<str>>,
    ) -> Result<()> {
        self.stream.batch()?.record(&self.stream.gpu, &part.dispatch, bindings, name)
    }

    fn free(&mut self, arrays: &mut Vec<AnyArray>) {
        // Commands run in order, so the next array may take this memory at once.
        arrays.clear();
    }
}

/// Passes the dispatches of a computation to a recorder, and returns the results. If there is a
/// destination (an array and the elements of it to write), the only result is written to it, and
/// that array is the result, unless this would overwrite elements that are yet to be read: then the
/// result is another array.
pub(crate) fn record<R: Recorder>(
    context: &Context,
    computation: &Computation,
    arguments: &[&AnyArray],
    destination: Option<(&AnyArray, &Destination)>,
    recorder: &mut R,
) -> Result<Vec<AnyArray>> {
    span!("record");
    // Shared arrays are never written, so a result may alias an argument.
    if let &[root] = computation.roots.as_slice()
        && let Some(number) = computation.forwarded_parameter(root)
    {
        return Ok(vec![arguments[number].reshaped(computation.shape())]);
    }
    let layouts: Vec<Layout> =
        arguments.iter().map(|argument| argument.storage().layout()).collect();
    let program = program(context, computation, &layouts, destination.map(|(_, place)| place))?;
    let loop_words = match program.loop_words() {
        0 => None,
        count => Some(recorder.loop_words(context, count)?),
    };
    let mut made: Vec<Vec<AnyArray>> = Vec::with_capacity(program.steps.len());
    let mut first_part = 0;
    for step in &program.steps {
        let existing = destination.filter(|_| step.writes_destination).map(|(array, _)| array);
        let arrays = match existing {
            Some(array) => vec![array.clone()],
            None => made_by(context, step, R::BUFFER_USE)?,
        };
        let has_loops = !step.loop_words.nodes.is_empty();
        let written = arrays.iter().chain(loop_words.as_ref().filter(|_| has_loops));
        let written: Vec<&AnyArray> = written.collect();
        let record = |(number, part): (usize, &StepPart), bindings: &[Binding<'_>]| {
            let part = (first_part + number, part);
            let recorded = recorder.record(&program, part, bindings, computation.name.as_ref());
            if let (Err(error), true) = (&recorded, R::KEEPS && number > 0 && existing.is_some()) {
                // A part has been written; do not compute from it again.
                written.iter().for_each(|array| array.storage().refuse(error));
            }
            recorded
        };
        dispatch(step, arguments, &made, &written, record)?;
        first_part += step.parts.len();
        made.push(arrays);
        step.frees.iter().for_each(|&read_no_more| recorder.free(&mut made[read_no_more]));
    }
    let result = |result: &ProgramResult| match result.array {
        ArrayId::Parameter(number) => Some(arguments[number].reshaped(&result.shape)),
        // A step whose arrays are results frees none of them.
        ArrayId::Stored(of) => made[of.step].get(of.array).cloned(),
    };
    let results = program.results.iter().map(|each| result(each).ok_or_else(no_kernel));
    let results: Vec<AnyArray> = results.collect::<Result<_>>()?;
    let own = loop_words.as_ref().map(|words| (&*program, words));
    loops::hand_on(computation, arguments, own, &results);
    Ok(results)
}

/// Returns the error of a plan that lacks a kernel for a result, which does not occur.
pub(crate) fn no_kernel() -> Error {
    let reason = "it has no kernel for its result".to_owned();
    DeviceError::Wgpu { what: "a computation", reason }.into()
}

/// Returns the arrays that a step writes, whose contents are undefined.
fn made_by(context: &Context, step: &Step, buffer_use: BufferUse) -> Result<Vec<AnyArray>> {
    let types = step.element_types.iter();
    types.map(|&of| AnyArray::uninitialized(context, of, &step.shape, buffer_use)).collect()
}

/// Passes the dispatches of a step to `record`, numbered within the step. They write the step's own
/// arrays, and words for loops if it has any.
fn dispatch(
    step: &Step,
    arguments: &[&AnyArray],
    made: &[Vec<AnyArray>],
    written: &[&AnyArray],
    mut record: impl FnMut((usize, &StepPart), &[Binding<'_>]) -> Result<()>,
) -> Result<()> {
    let read = |operand: &'_ StepOperand| match operand.array {
        ArrayId::Parameter(number) => Some(arguments[number]),
        // The array is kept until its last reader has run; see `Step::frees`.
        ArrayId::Stored(of) => made[of.step].get(of.array),
    };
    let loop_bytes = step.loop_words.bytes();
    let mut bindings: Vec<Binding<'_>> = Vec::new();
    for (number, part) in step.parts.iter().enumerate() {
        bindings.clear();
        let operands = part.operands.iter();
        bindings.extend(operands.filter_map(|o| Some(read(o)?.storage().binding(&o.bytes))));
        let ranges = part.results.iter().chain(std::iter::once(&loop_bytes));
        bindings.extend(
            written.iter().zip(ranges).map(|(array, bytes)| array.storage().binding(bytes)),
        );
        record((number, part), &bindings)?;
    }
    Ok(())
}

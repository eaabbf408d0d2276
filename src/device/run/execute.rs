//! Runs computations: takes their prepared programs, binds the given arrays, and passes the
//! dispatches to a sink.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::device::arrays::array::AnyArray;
use crate::device::context::{Context, ContextInner};
use crate::device::guard::span::span;
use crate::device::memory::bind_groups::Binding;
use crate::device::memory::pool::BufferUse;
use crate::device::program::cache::{Program, ProgramResult, Step, StepOperand, StepPart};
use crate::device::program::prepare::Preparer;
use crate::device::recording::stream::Stream;
use crate::device::recording::{reclaim, warm};
use crate::device::run::bound::{Bound, check_arguments, merged};
use crate::device::run::loops;
use indim_compiler::explain::Explanation;
use indim_compiler::kernel::destination::Destination;
use indim_compiler::kernel::load::ArrayId;
use indim_compiler::layout::Layout;
use indim_core::errors::device::DeviceError;
use indim_core::graph::computation::Computation;
use indim_core::semantics::element::{ElementType, Scalar};
use indim_core::semantics::error::{BuilderError, Error, Result};
#[cfg(not(target_arch = "wasm32"))]
use indim_core::semantics::literal::size_in_bytes;
use indim_core::semantics::shape::Shape;

impl Context {
    /// Runs a computation of one result on arrays given for its parameters, in their order. Does not
    /// wait.
    ///
    /// ```
    /// use indim::{Builder, Context, ElementType::F32};
    ///
    /// let mut b = Builder::new();
    /// let (x, y) = (b.parameter(F32, [2])?, b.parameter(F32, [2])?);
    /// let difference = b.sub(x, y, [])?;
    /// let subtract = b.build(difference)?;
    ///
    /// let gpu = Context::blocking()?;
    /// let (x, y) = (gpu.array([2], &[5_f32, 6.])?, gpu.array([2], &[1_f32, 2.])?);
    /// let result = gpu.run(&subtract, &[x.as_any(), y.as_any()])?;
    /// assert_eq!(result.to_literal_blocking()?.to_vec::<f32>()?, [4., 4.]);
    /// # Ok::<(), indim::Error>(())
    /// ```
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
    /// ```
    /// use indim::{Builder, Context, ElementType::F32};
    ///
    /// let mut b = Builder::new();
    /// let x = b.parameter(F32, [2])?;
    /// let (square, root) = (b.mul(x, x, [])?, b.sqrt(x)?);
    /// let computation = b.build_all(&[square, root])?;
    ///
    /// let gpu = Context::blocking()?;
    /// let results = gpu.run_all(&computation, &[gpu.array([2], &[4_f32, 9.])?.as_any()])?;
    /// assert_eq!(results[0].to_literal_blocking()?.to_vec::<f32>()?, [16., 81.]);
    /// assert_eq!(results[1].to_literal_blocking()?.to_vec::<f32>()?, [2., 3.]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`BuilderError::ArgumentCount`], [`BuilderError::Argument`],
    /// [`ArrayError::TwoContexts`](crate::ArrayError::TwoContexts),
    /// [`DeviceError`](crate::DeviceError).
    pub fn run_all(
        &self,
        computation: &Computation,
        arguments: &[&AnyArray],
    ) -> Result<Vec<AnyArray>> {
        self.gpu().device.lost.check()?;
        check_arguments(self, computation, arguments)?;
        let merged = merged(computation, arguments);
        execute(self, merged.as_ref().unwrap_or(computation), Inputs::new(arguments))
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
    /// ```
    /// # let mut b = indim::Builder::new();
    /// # let p = b.parameter(indim::ElementType::F32, [8])?;
    /// # let y = b.add(p, p, [])?;
    /// # let double = b.build(y)?;
    /// let gpu = indim::Context::blocking()?;
    /// gpu.prewarm(&[&double])?;
    /// let before = gpu.stats().compilations;
    /// gpu.run(&double, &[gpu.array([8], &[1_f32; 8])?.as_any()])?;
    /// assert_eq!(gpu.stats().compilations, before);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`DeviceError`](crate::DeviceError), as [`Context::run`] on arrays of this context.
    pub fn prewarm(&self, computations: &[&Computation]) -> Result<()> {
        let own = |computation: &Computation| vec![Layout::OWN; computation.parameters().len()];
        let computations: Vec<_> = computations.iter().map(|&c| (c, own(c))).collect();
        prewarm(self, &computations)
    }
}

impl Bound<'_> {
    /// Computes the results, and returns their arrays in order. Does not wait.
    ///
    /// ```
    /// let x = indim::Context::blocking()?.array([2], &[1_f32, 2.])?;
    /// let bound = indim::bind((&x + 1.0, &x * 2.0))?;
    /// let results = bound.eval()?;
    /// assert_eq!(results[0].to_literal_blocking()?.to_vec::<f32>()?, [2., 3.]);
    /// assert_eq!(results[1].to_literal_blocking()?.to_vec::<f32>()?, [2., 4.]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ArrayError::NoContext`](crate::ArrayError::NoContext) if it comes from expressions without
    /// arrays (use
    /// [`Context::bind`]); [`DeviceError`](crate::DeviceError).
    pub fn eval(&self) -> Result<Vec<AnyArray>> {
        let arguments = self.borrowed();
        execute(self.context()?, &self.computation, inputs(self, &arguments))
    }

    /// Returns the kernels as which [`Bound::eval`] computes the results, as
    /// [`PlanLimits::explain`](crate::plan::PlanLimits::explain) does, by the context's
    /// [`Context::plan_limits`] and its precision.
    ///
    /// ```
    /// let x = indim::Context::blocking()?.zeros::<f32>([8])?;
    /// let explanation = indim::bind((&x + 1.0, &x * 2.0))?.explain()?;
    /// assert_eq!(explanation.kernels.len(), 1); // it writes both results
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ArrayError::NoContext`](crate::ArrayError::NoContext) if it comes from expressions without
    /// arrays; those of
    /// [`PlanLimits::explain`](crate::plan::PlanLimits::explain).
    pub fn explain(&self) -> Result<Explanation> {
        let context = self.context()?;
        let count = self.computation.results().len();
        context.plan_limits().explain_first(&self.computation, count, context.precision())
    }

    /// Plans the computation for these arguments and compiles its kernels, as [`Context::prewarm`]
    /// does.
    ///
    /// ```
    /// let gpu = indim::Context::blocking()?;
    /// let bound = (&gpu.array([2], &[1_f32, 2.])? + 1.0).bind()?;
    /// bound.prewarm()?;
    /// let before = gpu.stats().compilations;
    /// bound.eval()?;
    /// assert_eq!(gpu.stats().compilations, before);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// It returns the errors of [`Bound::eval`].
    pub fn prewarm(&self) -> Result<()> {
        let layouts = self.arguments.iter().map(|argument| argument.storage().layout()).collect();
        prewarm(self.context()?, &[(&self.computation, layouts)])
    }
}

/// Returns what a bound computation is run on; `arguments` are its own.
pub(crate) fn inputs<'a>(bound: &'a Bound<'_>, arguments: &'a [&'a AnyArray]) -> Inputs<'a> {
    Inputs { arguments, constants: bound.constants.as_deref() }
}

/// Compiles computations for arguments with these layouts, and runs a workgroup of each new kernel.
fn prewarm(context: &Context, computations: &[(&Computation, Vec<Layout>)]) -> Result<()> {
    let device = &context.gpu().device;
    device.lost.check()?;
    let programs: Result<Vec<_>> = computations
        .iter()
        .map(|(computation, layouts)| program(context, computation, layouts, None))
        .collect();
    let workgroup_size = context.plan_limits().tuning.workgroup_size;
    let run = programs
        .and_then(|programs| warm::run_once(&context.inner.stream, &programs, workgroup_size));
    device.check_loss(run)
}

/// Returns the computation's program for arrays with these `layouts`, optionally into existing
/// memory.
pub(crate) fn program(
    context: &Context,
    computation: &Computation,
    layouts: &[Layout],
    destinations: Option<&[Option<Destination>]>,
) -> Result<Arc<Program>> {
    let ContextInner { stream, pipelines, programs, settings, .. } = &*context.inner;
    #[cfg(target_arch = "wasm32")]
    context.inner.forget_tainted(&stream.gpu.device.deferred_errors);
    let preparer = Preparer { gpu: &stream.gpu, settings, pipelines, layouts, destinations };
    let program =
        programs.get(computation, layouts, destinations, || preparer.prepare(computation))?;
    pipelines.touch(program.kernels());
    if pipelines.has_dropped() {
        programs.drop_without_kernels();
    }
    Ok(program)
}

/// Returns the peak number of bytes of the arrays that a run of a computation makes, besides its
/// results and the arguments, which the context has allocated.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn bytes_between(context: &Context, computation: &Computation) -> Result<u64> {
    let layouts = vec![Layout::OWN; computation.parameters().len()];
    let most = program(context, computation, &layouts, None)?.most_bytes();
    let bytes = |(of, shape): (ElementType, &Shape)| size_in_bytes(of, shape).unwrap_or(usize::MAX);
    let results = computation.results().map(|result| bytes(result) as u64);
    Ok(results.fold(most, u64::saturating_sub))
}

/// Runs a computation on arguments that are known to fit it.
pub(crate) fn execute(
    context: &Context,
    computation: &Computation,
    inputs: Inputs<'_>,
) -> Result<Vec<AnyArray>> {
    let record = |sink: &mut StreamSink<'_>| record(context, computation, inputs, None, sink);
    Ok(on_stream(context, inputs.arguments, record)?.results)
}

/// What a computation is run on.
#[derive(Clone, Copy)]
pub(crate) struct Inputs<'a> {
    pub(crate) arguments: &'a [&'a AnyArray],
    /// Values in the place of the computation's constants, in their order, if they are others.
    pub(crate) constants: Option<&'a [Scalar]>,
}

impl<'a> Inputs<'a> {
    /// Returns these arguments, with the constants of the computation itself.
    pub(crate) fn new(arguments: &'a [&'a AnyArray]) -> Self {
        Self { arguments, constants: None }
    }
}

/// Runs `call`, which adds commands on these arguments to the open batch, and runs it once more if
/// memory has run out.
pub(crate) fn on_stream<T>(
    context: &Context,
    arguments: &[&AnyArray],
    call: impl Fn(&mut StreamSink<'_>) -> Result<T>,
) -> Result<T> {
    let gpu = context.gpu();
    gpu.device.lost.check()?;
    check_encodings(arguments)?;
    join_loops(arguments)?;
    let open_batch = || gpu.pool.open_batch.load(Ordering::Acquire);
    let before = open_batch();
    let stream = &context.inner.stream;
    let recorded = reclaim::with_retry(stream, || call(&mut StreamSink { stream }));
    // To stay cheap, a call that only records does not check for a lost device.
    if recorded.is_ok() && open_batch() == before {
        return recorded;
    }
    gpu.device.check_loss(recorded)
}

/// Checks that all commands in caller-owned encoders that write these arrays are submitted.
pub(crate) fn check_encodings(arrays: &[&AnyArray]) -> Result<()> {
    arrays.iter().try_for_each(|array| array.storage().encodings().check())
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
        let mut joined = execute(context, &loops::first_of(&old)?, Inputs::new(&arguments))?;
        loops::replace(array, &old, &joined.pop().ok_or_else(no_kernel)?);
    }
    Ok(())
}

/// Takes the dispatches of a program, one after the other.
pub(crate) trait DispatchSink {
    /// The usage of the memory for results and temporaries.
    const BUFFER_USE: BufferUse;

    /// True if dispatches already taken will run even if taking a later one fails.
    const KEEPS: bool;

    /// Makes this number of words that record loops beyond their bounds; they are 0 when the
    /// dispatches begin.
    fn loop_words(&mut self, context: &Context, count: usize) -> Result<AnyArray>;

    /// Takes the next dispatch, which binds these buffers, those of its results last. `words` are
    /// its parameter block, if that is not the program's.
    fn record(
        &mut self,
        program: &Program,
        part: (usize, &StepPart),
        words: Option<&[u32]>,
        bindings: &[Binding<'_>],
        name: Option<&Arc<str>>,
    ) -> Result<()>;

    /// Takes arrays that no further dispatch reads.
    fn free(&mut self, arrays: &mut Vec<AnyArray>);
}

/// Records in the open batch of a stream.
pub(crate) struct StreamSink<'a> {
    stream: &'a Stream,
}

impl DispatchSink for StreamSink<'_> {
    const BUFFER_USE: BufferUse = BufferUse::Result;
    const KEEPS: bool = true;

    fn loop_words(&mut self, context: &Context, count: usize) -> Result<AnyArray> {
        AnyArray::upload(context, ElementType::U32, &Shape::from([count]), &vec![0; 4 * count])
    }

    fn record(
        &mut self,
        _: &Program,
        (_, part): (usize, &StepPart),
        words: Option<&[u32]>,
        bindings: &[Binding<'_>],
        name: Option<&Arc<str>>,
    ) -> Result<()> {
        let words = words.unwrap_or(&part.dispatch.words);
        self.stream.batch()?.record(&self.stream.gpu, &part.dispatch, words, bindings, name)
    }

    fn free(&mut self, arrays: &mut Vec<AnyArray>) {
        // Commands run in order, so the next array may take this memory at once.
        arrays.clear();
    }
}

/// Existing memory for the results of a computation: for each, the array and the elements of it to
/// write, or `None` for new memory.
#[derive(Debug, Default)]
pub(crate) struct Existing {
    pub(crate) arrays: Vec<Option<AnyArray>>,
    pub(crate) destinations: Vec<Option<Destination>>,
}

/// The results of a computation whose dispatches a sink has taken.
pub(crate) struct Recorded {
    pub(crate) results: Vec<AnyArray>,
    /// For each result, true if it is written to its existing memory; empty if there is none.
    pub(crate) in_place: Vec<bool>,
}

/// Passes the dispatches of a computation to a sink, and returns the results. If there is existing
/// memory for a result, it is written there, unless this would overwrite elements that are yet to be
/// read: then the result is another array. With a list of existing memory, no result is an argument.
pub(crate) fn record<S: DispatchSink>(
    context: &Context,
    computation: &Computation,
    Inputs { arguments, constants }: Inputs<'_>,
    existing: Option<&Existing>,
    sink: &mut S,
) -> Result<Recorded> {
    span!("record");
    let layouts: Vec<Layout> =
        arguments.iter().map(|argument| argument.storage().layout()).collect();
    let destinations = existing.map(|existing| existing.destinations.as_slice());
    let program = program(context, computation, &layouts, destinations)?;
    let loop_words = match program.loop_words() {
        0 => None,
        count => Some(sink.loop_words(context, count)?),
    };
    let arrays = existing.map_or(&[][..], |existing| &existing.arrays);
    let mut pass = Pass {
        program: &program,
        arguments,
        constants: program.other_constants(computation, constants),
        dispatched: 0,
        made: Vec::with_capacity(program.steps.len()),
        overwritten: Vec::new(),
    };
    let mut new = NewArrays::default();
    for (number, step) in program.steps.iter().enumerate() {
        let made = new.of_step(context, &program.steps[number..], arrays, S::BUFFER_USE)?;
        pass.made.push(made);
        let words = loop_words.as_ref().filter(|_| !step.loop_words.results.is_empty());
        pass.dispatch(step, words, computation.name(), sink)?;
        for &read_no_more in &step.frees {
            sink.free(&mut pass.made[read_no_more]);
        }
    }
    let result = |result: &ProgramResult| match result.array {
        ArrayId::Parameter(number) => Some(arguments[number].reshaped(&result.shape)),
        // A step whose arrays are results frees none of them.
        ArrayId::Stored(of) => pass.made[of.step].get(of.array).cloned(),
    };
    let results = program.results.iter().map(|each| result(each).ok_or_else(no_kernel));
    let results: Vec<AnyArray> = results.collect::<Result<_>>()?;
    let own = loop_words.as_ref().map(|words| (&*program, words));
    loops::propagate(computation, arguments, own, &results);
    Ok(Recorded { results, in_place: existing.map_or(Vec::new(), |_| program.in_place()) })
}

/// The arrays that the steps of a program write.
#[derive(Default)]
struct NewArrays {
    /// Those of later steps, the next one last, if they had to be made ahead.
    ahead: Option<Vec<Vec<AnyArray>>>,
}

impl NewArrays {
    /// Returns the arrays of the first of these steps, the rest of a program. All that follow are
    /// made before existing memory is overwritten: no allocation may fail after that, since the
    /// call would be repeated on other elements.
    fn of_step(
        &mut self,
        context: &Context,
        steps: &[Step],
        existing: &[Option<AnyArray>],
        buffer_use: BufferUse,
    ) -> Result<Vec<AnyArray>> {
        let arrays = |step| made_by(context, step, existing, buffer_use);
        let overwrites = |step: &Step| step.existing.iter().any(Option::is_some);
        match steps {
            [step, later @ ..] if self.ahead.is_none() && overwrites(step) => {
                let first = arrays(step)?;
                self.ahead = Some(later.iter().rev().map(arrays).collect::<Result<_>>()?);
                Ok(first)
            }
            [step, ..] => match self.ahead.as_mut().and_then(Vec::pop) {
                Some(made) => Ok(made),
                None => arrays(step),
            },
            [] => Ok(Vec::new()),
        }
    }
}

/// Returns the arrays that a step writes; the contents of new ones are undefined.
fn made_by(
    context: &Context,
    step: &Step,
    existing: &[Option<AnyArray>],
    buffer_use: BufferUse,
) -> Result<Vec<AnyArray>> {
    let array = |(&element_type, number): (&ElementType, &Option<usize>)| match number
        .and_then(|number| existing.get(number)?.clone())
    {
        Some(array) => Ok(array),
        None => AnyArray::uninitialized(context, element_type, &step.shape, buffer_use),
    };
    step.element_types.iter().zip(&step.existing).map(array).collect()
}

/// The state of recording a program's steps, one after the other.
struct Pass<'a> {
    program: &'a Program,
    arguments: &'a [&'a AnyArray],
    /// The constants, if they are not those of the program.
    constants: Option<Vec<Scalar>>,
    /// The number of dispatches so far.
    dispatched: usize,
    /// The arrays of the steps so far.
    made: Vec<Vec<AnyArray>>,
    /// Existing memory that dispatches so far write.
    overwritten: Vec<AnyArray>,
}

impl Pass<'_> {
    /// Passes the dispatches of a step, the last one whose arrays were made, to a sink. They write
    /// the step's own arrays, and words for loops if it has any.
    fn dispatch<S: DispatchSink>(
        &mut self,
        step: &Step,
        loop_words: Option<&AnyArray>,
        name: Option<&Arc<str>>,
        sink: &mut S,
    ) -> Result<()> {
        let [earlier @ .., own] = self.made.as_slice() else { return Ok(()) };
        let read = |operand: &'_ StepOperand| match operand.array {
            ArrayId::Parameter(number) => Some(self.arguments[number]),
            // The array is kept until its last reader has run; see `Step::frees`.
            ArrayId::Stored(of) => earlier[of.step].get(of.array),
        };
        let written: Vec<&AnyArray> = own.iter().chain(loop_words).collect();
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
            let words = self.constants.as_ref().map(|constants| part.dispatch.words_of(constants));
            let part = (self.dispatched, part);
            let recorded = sink.record(self.program, part, words.as_deref(), &bindings, name);
            if let (Err(error), true) = (&recorded, S::KEEPS) {
                // Do not compute again from what has been written.
                self.overwritten.iter().for_each(|array| array.storage().poison(error));
            }
            recorded?;
            self.dispatched += 1;
            if number == 0 {
                let existing =
                    own.iter().zip(&step.existing).filter(|(_, number)| number.is_some());
                self.overwritten.extend(existing.map(|(array, _)| array.clone()));
            }
        }
        Ok(())
    }
}

/// Returns the error of a plan that lacks a kernel for a result, which does not occur.
pub(crate) fn no_kernel() -> Error {
    let reason = "it has no kernel for its result".to_owned();
    DeviceError::Wgpu { what: "a computation", reason }.into()
}

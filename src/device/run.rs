//! Runs computations: takes their prepared programs, binds the arrays that are given, and records
//! the dispatches.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::compile::plan::layout::Layout;
use crate::device::array::AnyArray;
use crate::device::context::{Context, ContextInner};
use crate::device::exec::prepare::Preparer;
use crate::device::exec::program_cache::{Program, Step, StepInput, StepOperand};
use crate::device::exec::{reclaim, warm};
use crate::device::memory::bind_groups::Binding;
use crate::graph::computation::Computation;
use crate::semantics::error::{ArrayError, BuilderError, DeviceError, Result};
use crate::semantics::hash::FastMap;

impl Context {
    /// Runs a computation on arrays given for its parameters, in their order. Does not wait.
    ///
    /// # Errors
    /// [`BuilderError::ArgumentCount`], [`BuilderError::Argument`], [`ArrayError::TwoContexts`],
    /// [`DeviceError`](crate::DeviceError).
    pub fn run(&self, computation: &Computation, arguments: &[&AnyArray]) -> Result<AnyArray> {
        self.gpu().device.lost.check()?;
        check_arguments(self, computation, arguments)?;
        // Arguments that are the same array become one parameter, to be read once.
        let mut first_of = FastMap::default();
        let numbered = arguments.iter().enumerate();
        let representative: Vec<usize> =
            numbered.map(|(i, a)| *first_of.entry(a.address()).or_insert(i)).collect();
        if representative.iter().enumerate().all(|(i, &r)| i == r) {
            return execute(self, computation, arguments);
        }
        execute(self, &computation.merge_parameters(&representative), arguments)
    }

    /// Plans computations and compiles their kernels, so that the first [`Context::run`] of each,
    /// or evaluation of an equal expression, need not. Kernels are compiled once, also those that
    /// several computations share.
    ///
    /// Some drivers finish compiling when a kernel is dispatched for the first time. So one
    /// workgroup of each new kernel is run, on some kilobytes of scratch memory that are freed
    /// again; off the web this call waits until they have run, and for what was submitted before.
    /// No array is allocated.
    ///
    /// Arrays are taken to be the context's own and different ones; with foreign buffers at odd
    /// offsets, or with one array given twice, a run may need other kernels.
    ///
    /// # Errors
    /// [`DeviceError`](crate::DeviceError), as [`Context::run`] on arrays of this context.
    pub fn prewarm(&self, computations: &[&Computation]) -> Result<()> {
        let device = &self.gpu().device;
        device.lost.check()?;
        let with_kernels = computations.iter().filter(|c| c.forwarded_parameter().is_none());
        let programs = with_kernels.map(|computation| {
            let layouts = vec![Layout::OWN; computation.parameters().len()];
            program(self, computation, &layouts)
        });
        let programs: Result<Vec<_>> = programs.collect();
        let workgroup_size = self.plan_limits().workgroup_size;
        let run = programs
            .and_then(|programs| warm::run_once(&self.inner.stream, &programs, workgroup_size));
        device.check_loss(run)
    }
}

/// Returns the computation's program for arrays that lie as `layouts` says.
pub(crate) fn program(
    context: &Context,
    computation: &Computation,
    layouts: &[Layout],
) -> Result<Arc<Program>> {
    let ContextInner { stream, pipelines, programs, settings } = &*context.inner;
    let preparer = Preparer { gpu: &stream.gpu, settings, pipelines, layouts };
    let program = programs.get(computation, layouts, || preparer.prepare(computation))?;
    pipelines.note_use(program.kernels());
    if pipelines.has_dropped() {
        programs.drop_without_kernels();
    }
    Ok(program)
}

fn check_arguments(
    context: &Context,
    computation: &Computation,
    arguments: &[&AnyArray],
) -> Result<()> {
    let (expected, given) = (computation.parameters().len(), arguments.len());
    if expected != given {
        return Err(BuilderError::ArgumentCount { expected, given }.into());
    }
    for (index, (parameter, argument)) in computation.parameters().iter().zip(arguments).enumerate()
    {
        if parameter.element_type != argument.element_type() || parameter.shape != *argument.shape()
        {
            return Err(BuilderError::Argument {
                index,
                expected_type: parameter.element_type,
                expected_shape: parameter.shape.clone(),
                given_type: argument.element_type(),
                given_shape: argument.shape().clone(),
            }
            .into());
        }
        if !argument.context().is(context) {
            return Err(ArrayError::TwoContexts.into());
        }
    }
    Ok(())
}

/// Runs a computation on arguments that are known to fit it.
pub(crate) fn execute(
    context: &Context,
    computation: &Computation,
    arguments: &[&AnyArray],
) -> Result<AnyArray> {
    let gpu = context.gpu();
    gpu.device.lost.check()?;
    let open_batch = || gpu.pool.open_batch.load(Ordering::Acquire);
    let before = open_batch();
    let call = || record(context, computation, arguments);
    let recorded = reclaim::with_retry(&context.inner.stream, call);
    // A call that only records does not check the device for its loss, so that it stays cheap.
    if recorded.is_ok() && open_batch() == before {
        return recorded;
    }
    gpu.device.check_loss(recorded)
}

fn record(
    context: &Context,
    computation: &Computation,
    arguments: &[&AnyArray],
) -> Result<AnyArray> {
    // Arrays are immutable, so that the result may be the argument itself.
    if let Some(number) = computation.forwarded_parameter() {
        return Ok(arguments[number].reshaped(computation.shape()));
    }
    let layouts: Vec<Layout> = arguments.iter().map(|argument| argument.layout()).collect();
    let program = program(context, computation, &layouts)?;
    let mut results: Vec<Option<AnyArray>> = Vec::with_capacity(program.steps.len());
    for step in &program.steps {
        let result = dispatch(context, step, arguments, &results)?;
        results.push(Some(result));
        // Commands run in order, so that the next result may take this memory at once.
        step.frees.iter().for_each(|&read_no_more| results[read_no_more] = None);
    }
    // The root is a step unless it is a parameter.
    results.pop().flatten().ok_or_else(|| {
        let reason = "it has no kernel for its result".to_owned();
        DeviceError::Wgpu { what: "a computation", reason }.into()
    })
}

fn dispatch(
    context: &Context,
    step: &Step,
    arguments: &[&AnyArray],
    results: &[Option<AnyArray>],
) -> Result<AnyArray> {
    let stream = &context.inner.stream;
    let output = AnyArray::uninitialized(context, step.element_type, &step.shape)?;
    let read = |operand: &'_ StepOperand| match operand.array {
        StepInput::Argument(number) => Some(arguments[number]),
        // The array is kept until its last reader has run; see `Step::frees`.
        StepInput::Step(number) => results[number].as_ref(),
    };
    let mut bindings: Vec<Binding<'_>> = Vec::new();
    for part in &step.parts {
        bindings.clear();
        let operands = part.operands.iter();
        bindings.extend(operands.filter_map(|o| Some(read(o)?.binding(&o.bytes))));
        bindings.push(output.binding(&part.result));
        stream.batch()?.record(&stream.gpu, &part.dispatch, &bindings)?;
    }
    Ok(output)
}

//! Runs computations: cuts them into kernels, plans each over the arrays that are given, and
//! records the dispatches.

use std::collections::HashMap;

use crate::array::AnyArray;
use crate::batch::Bindings;
use crate::computation::Computation;
use crate::context::Context;
use crate::error::{ArrayError, BuilderError, Result};
use crate::lower::{Fragment, Source};
use crate::memory::Purpose;
use crate::partition;
use crate::plan::{self, Layout};
use crate::sync::lock;

impl Context {
    /// Runs a computation on arrays given for its parameters, in their order. Does not wait.
    ///
    /// # Errors
    /// [`BuilderError::ArgumentCount`], [`BuilderError::Argument`], [`ArrayError::TwoContexts`],
    /// [`DeviceError`](crate::DeviceError).
    pub fn run(&self, computation: &Computation, arguments: &[&AnyArray]) -> Result<AnyArray> {
        self.inner.device.lost.check()?;
        check_arguments(self, computation, arguments)?;
        // Arguments that are the same array become one parameter, to be read once.
        let first_of = |a: &&AnyArray| arguments.iter().position(|b| b.is(a));
        let representative: Vec<usize> =
            arguments.iter().enumerate().map(|(i, a)| first_of(a).unwrap_or(i)).collect();
        if representative.iter().enumerate().all(|(i, &r)| i == r) {
            return execute(self, computation, arguments);
        }
        execute(self, &computation.merge_parameters(&representative), arguments)
    }
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
    let device = &context.inner.device;
    device.lost.check()?;
    device.settle(record(context, computation, arguments))
}

fn record(
    context: &Context,
    computation: &Computation,
    arguments: &[&AnyArray],
) -> Result<AnyArray> {
    // Arrays are immutable, so that the result may be the argument itself.
    if let Some(number) = computation.is_parameter() {
        return Ok(arguments[number].reshaped(computation.shape()));
    }
    let fragments = partition::partition(computation, context.plan_limits());
    let mut arrays = Arrays { arguments, temporaries: HashMap::new() };
    for fragment in &fragments {
        let output = dispatch(context, fragment, &arrays)?;
        if fragment.is_result {
            return Ok(output);
        }
        arrays.temporaries.insert(fragment.node, output);
    }
    // The root is a fragment unless it is a parameter.
    Err(crate::error::DeviceError::Wgpu {
        what: "a computation",
        reason: "it has no kernel for its result".to_owned(),
    }
    .into())
}

struct Arrays<'a> {
    arguments: &'a [&'a AnyArray],
    temporaries: HashMap<usize, AnyArray>,
}

impl Arrays<'_> {
    fn get(&self, source: Source) -> Option<&AnyArray> {
        match source {
            Source::Parameter(number) => Some(self.arguments[number]),
            Source::Temporary(node) => self.temporaries.get(&node),
            Source::Iota => None,
        }
    }
}

fn dispatch(context: &Context, fragment: &Fragment, arrays: &Arrays<'_>) -> Result<AnyArray> {
    let inner = &context.inner;
    let output =
        AnyArray::uninitialized(context, fragment.element_type, &fragment.shape, Purpose::Result)?;
    let launch = plan::plan(fragment, context.plan_limits(), |source| {
        arrays.get(source).map_or(Layout::OWN, AnyArray::layout)
    });
    let Some(written_in) = output.written_in().filter(|_| launch.groups != [0, 0]) else {
        return Ok(output);
    };
    let pipeline = inner.pipelines.get(&inner.device, &launch.kernel)?;
    let bindings = Bindings {
        inputs: launch
            .sources
            .iter()
            .filter_map(|&source| arrays.get(source))
            .map(AnyArray::binding)
            .collect(),
        result: output.binding(),
    };
    lock(&inner.batch).record(inner, pipeline, &launch, bindings, written_in)?;
    Ok(output)
}

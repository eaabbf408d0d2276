//! Makes computations ready to run: cuts them into kernels, plans these and has them compiled.

use crate::device::adapter::settings::Settings;
use crate::device::gpu::Gpu;
use crate::device::guard::span::span;
use crate::device::program::cache::{
    LoopWords, Program, ProgramArray, ProgramResult, Step, StepArray, StepOperand, StepPart,
};
use crate::device::program::commands::Dispatch;
use crate::device::program::pipelines::Pipelines;
use indim_compiler::explain;
use indim_compiler::kernel::destination::Destination;
use indim_compiler::kernel::ir::KernelIr;
use indim_compiler::kernel::load::ArrayId;
use indim_compiler::layout::Layout;
use indim_compiler::limits::PlanLimits;
use indim_compiler::normalize::normalize;
use indim_compiler::normalize::normalized::{Attribute, NormalInstruction, Normalized};
use indim_compiler::plan::planner::Launch;
use indim_compiler::plan::window::Window;
use indim_compiler::split::kernels::{self, WindowedKernel};
use indim_compiler::split::window_planner::{FittedWindow, MAX_WINDOWS, SplitError, WindowPlanner};
use indim_core::errors::device::DeviceError;
use indim_core::graph::computation::{Computation, NodeId};
use indim_core::graph::function::body::Call;
use indim_core::semantics::element::ElementType;
use indim_core::semantics::error::{Error, Result};
use indim_core::semantics::function_error::CallError;
use indim_core::semantics::hash::FastSet;
use indim_core::semantics::literal::device_bytes;
use indim_core::semantics::shape::Shape;

/// Makes programs for arrays with these `layouts`, one for each parameter.
pub(crate) struct Preparer<'a> {
    pub(crate) gpu: &'a Gpu,
    pub(crate) settings: &'a Settings,
    pub(crate) pipelines: &'a Pipelines,
    pub(crate) layouts: &'a [Layout],
    /// The existing memory that each result is written to, or `None`; no list if results may be
    /// arguments.
    pub(crate) destinations: Option<&'a [Option<Destination>]>,
}

impl Preparer<'_> {
    /// Cuts a computation into kernels, plans and compiles them, which takes milliseconds if a
    /// kernel is new.
    pub(crate) fn prepare(&self, computation: &Computation) -> Result<Program> {
        span!("plan");
        let normalized = normalize(computation, self.settings.precision);
        let spare = |ir: &KernelIr| -> Result<u32> {
            for element_type in ir.element_types() {
                self.gpu.check_supported(element_type)?;
            }
            for call in ir.map.ops.iter().filter_map(|op| op.call.as_ref()) {
                self.gpu.check_callable(&call.function.0)?;
            }
            // Our existing memory has spare bytes wherever new memory has them.
            if ir.destination.as_ref().is_some_and(|placed| !placed.is_own) {
                return Ok(0);
            }
            let mut least = u32::MAX;
            for element_type in ir.output_types() {
                self.gpu.check_size(element_type, &ir.shape)?;
                least = least.min(self.gpu.spare_bytes(element_type, &ir.shape)?);
            }
            Ok(least)
        };
        let layout = |source| match source {
            ArrayId::Parameter(number) => self.layouts[number],
            ArrayId::Stored(_) => Layout::OWN,
        };
        let keep = |_: &WindowPlanner<'_>, parts| parts;
        let kernels = kernels::kernels(
            &normalized,
            self.plan_limits(),
            self.destinations,
            &layout,
            spare,
            keep,
        )?;
        let numbers = kernels::numbers(&kernels);
        let stored = |node: NodeId| {
            let &(step, array) = numbers.get(&node)?;
            Some(ArrayId::Stored(StepArray { step, array }))
        };
        let read = |array: ArrayId| match array {
            ArrayId::Parameter(number) => Some(ArrayId::Parameter(number)),
            ArrayId::Stored(node) => stored(node),
        };
        // The windows of each kernel are dropped as soon as its dispatches are made from them.
        let loops = LoopResults::new(&normalized);
        let steps = kernels.into_iter();
        let steps =
            steps.map(|kernel| self.prepare_step(kernel, &layout, &read, (&normalized, &loops)));
        let mut steps: Vec<Step> = steps.collect::<Result<_>>()?;
        let forwarded = |root| match self.destinations {
            Some(_) => None,
            None => normalized.forwarded_parameter(root),
        };
        let in_place = |result| {
            let of = |step: &Step| step.existing.iter().position(|&number| number == Some(result));
            let mut arrays = steps.iter().enumerate();
            arrays.find_map(|(step, s)| Some(ArrayId::Stored(StepArray { step, array: of(s)? })))
        };
        let result = |(number, &root): (usize, &NodeId)| {
            let of_root = || forwarded(root).map(ArrayId::Parameter).or_else(|| stored(root));
            let array = in_place(number).or_else(of_root)?;
            Some(ProgramResult { array, shape: normalized.instructions[root].shape.clone() })
        };
        // Each computed root is written by a kernel.
        let results: Vec<ProgramResult> =
            normalized.roots.iter().enumerate().filter_map(result).collect();
        note_last_readers(&mut steps, &results);
        Ok(Program::new(steps, results, computation.constants().collect()))
    }

    fn prepare_step(
        &self,
        kernel: WindowedKernel<Vec<FittedWindow>>,
        layout: &dyn Fn(ArrayId) -> Layout,
        read: &impl Fn(ArrayId) -> Option<ProgramArray>,
        (computation, loops): (&Normalized, &LoopResults),
    ) -> Result<Step> {
        let spare = kernel.spare;
        let (ir, windows) = kernel.into_compact();
        let element_types: Vec<ElementType> = ir.output_types().collect();
        let existing = ir.outputs.iter().map(|output| output.existing).collect();
        let words = ir.nodes_of_loop_words().into_iter().map(|nodes| loops.of(&nodes)).collect();
        let loop_words = LoopWords { results: words, first: 0 };
        let [_, widest] = ir.narrowest_and_widest_output();
        let binding = self.gpu.limits.max_storage_buffer_binding_size;
        let refused = |error| match ir.unbound_table(binding) {
            Some((element_type, shape)) => {
                let bytes = device_bytes(element_type, shape).unwrap_or(u64::MAX);
                let (limit, allowed) = ("max_storage_buffer_binding_size", binding);
                let shape = shape.clone();
                DeviceError::TakenTooLarge { element_type, shape, bytes, limit, allowed }.into()
            }
            None => self.without_windows(error, widest, &ir.shape),
        };
        let windows = windows.map_err(refused)?;
        self.check_call(&ir)?;
        let planner = WindowPlanner::new(&ir, self.plan_limits(), layout, spare);
        let work = ir.element_work();
        let whole = (windows.len() == 1).then(|| explain::bytes_moved(&ir)).transpose()?;
        let parts = planner.launches(windows).map(|(window, launch)| {
            let spare = window.result_layout(spare).spare;
            let work = work.saturating_mul(window.count());
            let (read_bytes, written_bytes) = whole.unwrap_or_else(|| part_bytes(&ir, &window));
            let output_bytes = window.output_bytes;
            let operands = window.bindings.arrays.iter().zip(window.bytes);
            Ok(StepPart {
                dispatch: Dispatch {
                    pipeline: self.pipelines.get(&self.gpu.device, &launch.kernel)?,
                    constants: constants_of(&ir, &launch, computation),
                    words: launch.words,
                    workgroups: launch.groups,
                    read_bytes,
                    written_bytes,
                    work,
                },
                operands: operands
                    .filter_map(|(&array, bytes)| Some(StepOperand { array: read(array)?, bytes }))
                    .collect(),
                results: output_bytes
                    .into_iter()
                    .map(|bytes| bytes.start..bytes.end + u64::from(spare))
                    .collect(),
            })
        });
        let parts = parts.collect::<Result<_>>()?;
        let (shape, frees) = (ir.shape.clone(), Vec::new());
        Ok(Step { element_types, shape, existing, loop_words, parts, frees })
    }

    /// Returns the error of an array that no kernel can write, or whose operands none can read, in
    /// parts within the device's limits.
    fn without_windows(
        &self,
        error: SplitError,
        element_type: ElementType,
        shape: &Shape,
    ) -> Error {
        let binding = self.gpu.limits.max_storage_buffer_binding_size;
        let shape = shape.clone();
        match error {
            SplitError::TooSmall => {
                let bytes = device_bytes(element_type, &shape).unwrap_or(u64::MAX);
                let (limit, allowed) = ("max_storage_buffer_binding_size", binding);
                DeviceError::TooLarge { element_type, shape, bytes, limit, allowed }.into()
            }
            SplitError::TooMany => {
                let workgroups = self.gpu.limits.max_compute_workgroups_per_dimension;
                let most = MAX_WINDOWS;
                DeviceError::TooManyParts { element_type, shape, most, binding, workgroups }.into()
            }
        }
    }

    /// Checks that the device can bind everything read by a kernel that calls a function, which
    /// cannot be split.
    fn check_call(&self, ir: &KernelIr) -> Result<()> {
        let arrays = ir.arrays().len();
        let most = self.plan_limits().device.storage_buffers() as usize;
        let most = most.saturating_sub(ir.written_buffers());
        match ir.map.ops.iter().find_map(|op| op.call.as_ref()) {
            Some(call) if arrays > most => {
                let source = Box::new(CallError::Arrays { arrays, most });
                Err(Error::Call { function: call.function.0.name.clone(), source })
            }
            _ => Ok(()),
        }
    }

    fn plan_limits(&self) -> &PlanLimits {
        self.settings.plan_limits()
    }
}

/// Returns the place in a launch's parameter block of each constant that is an instruction's value,
/// with the constant's number among those of the computation.
fn constants_of(ir: &KernelIr, launch: &Launch, computation: &Normalized) -> Vec<(usize, usize)> {
    let number = |node: NodeId| match computation.instructions[node].attribute {
        Attribute::Constant { number, .. } => number,
        _ => None,
    };
    let places = launch.kernel.constant_positions().into_iter().zip(&ir.map.constants);
    places.filter_map(|(first, constant)| Some((first, number(constant.node?)?))).collect()
}

/// The results that depend on each value that calls a function with loops; empty if none does.
struct LoopResults(Vec<Vec<bool>>);

impl LoopResults {
    fn new(computation: &Normalized) -> Self {
        let has_loops =
            |instruction: &NormalInstruction| instruction.call().is_some_and(Call::has_loops);
        if !computation.instructions.iter().any(has_loops) {
            return Self(Vec::new());
        }
        Self(computation.roots.iter().map(|&root| computation.needed_for(root)).collect())
    }

    /// Returns the numbers of the results that depend on one of these values.
    fn of(&self, nodes: &[NodeId]) -> Vec<usize> {
        let depends = |needed: &Vec<bool>| nodes.iter().any(|&node| needed[node]);
        let results = self.0.iter().enumerate().filter(|(_, needed)| depends(needed));
        results.map(|(number, _)| number).collect()
    }
}

/// Returns the bytes of arrays that one of a kernel's several windows binds for reading, and the
/// bytes of the elements that it writes.
fn part_bytes(ir: &KernelIr, window: &Window) -> (u64, u64) {
    let bound: u64 = window.bytes.iter().map(|bytes| bytes.end - bytes.start).sum();
    let written = ir.output_types().filter_map(|of| of.device_bytes(window.count())).sum();
    (if ir.reads_destination() { bound + written } else { bound }, written)
}

/// Notes for each step the steps whose arrays it is the last to read. Results belong to the caller.
fn note_last_readers(steps: &mut [Step], results: &[ProgramResult]) {
    let mut last: Vec<usize> = (0..steps.len()).collect();
    for (reader, step) in steps.iter().enumerate() {
        for operand in step.parts.iter().flat_map(|part| &part.operands) {
            if let ArrayId::Stored(made) = operand.array {
                last[made.step] = reader;
            }
        }
    }
    let step = |result: &ProgramResult| match result.array {
        ArrayId::Stored(made) => Some(made.step),
        ArrayId::Parameter(_) => None,
    };
    let kept: FastSet<usize> = results.iter().filter_map(step).collect();
    for (number, reader) in last.into_iter().enumerate().filter(|(n, _)| !kept.contains(n)) {
        steps[reader].frees.push(number);
    }
}

//! Makes computations ready to run: cuts them into kernels, plans these and has them compiled.

use crate::compile::kernel_ir::{KernelIr, LoadSource};
use crate::compile::limits::PlanLimits;
use crate::compile::plan::layout::Layout;

use crate::compile::split::kernels::{self, WindowedKernel};
use crate::compile::split::window_planner::{Dispatchable, MAX_WINDOWS, Refusal, WindowPlanner};
use crate::device::exec::commands::Dispatch;
use crate::device::exec::pipelines::Pipelines;
use crate::device::exec::program_cache::{Program, Step, StepInput, StepOperand, StepPart};
use crate::device::gpu::Gpu;
use crate::device::settings::Settings;
use crate::graph::computation::Computation;
use crate::semantics::element::ElementType;
use crate::semantics::error::{DeviceError, Error, Result};
use crate::semantics::literal::device_bytes;
use crate::semantics::precision::Precision;
use crate::semantics::shape::Shape;

/// Makes programs for arrays that lie as `layouts` says, one for each parameter.
pub(crate) struct Preparer<'a> {
    pub(crate) gpu: &'a Gpu,
    pub(crate) settings: &'a Settings,
    pub(crate) pipelines: &'a Pipelines,
    pub(crate) layouts: &'a [Layout],
}

impl Preparer<'_> {
    /// Cuts a computation into kernels, plans and compiles them, which takes milliseconds where a
    /// kernel is new.
    pub(crate) fn prepare(&self, computation: &Computation) -> Result<Program> {
        let by_default;
        let computation = match self.settings.precision {
            Precision::Accurate => computation,
            Precision::Relaxed => {
                by_default = computation.with_default_precision(self.settings.precision);
                &by_default
            }
        };
        let spare = |ir: &KernelIr| -> Result<u32> {
            let (element_type, shape) = (ir.element_type, &ir.shape);
            for element_type in ir.element_types() {
                self.gpu.check_supported(element_type)?;
            }
            self.gpu.check_size(element_type, shape)?;
            self.gpu.spare_bytes(element_type, shape)
        };
        let layout = |source| match source {
            LoadSource::Parameter(number) => self.layouts[number],
            LoadSource::Stored(_) | LoadSource::Iota => Layout::OWN,
        };
        let keep = |_: &WindowPlanner<'_>, parts| parts;
        let kernels = kernels::kernels(computation, self.plan_limits(), &layout, spare, keep)?;
        let numbers = kernels::numbers(&kernels);
        let read = |source: LoadSource| match source {
            LoadSource::Parameter(number) => Some(StepInput::Argument(number)),
            LoadSource::Stored(node) => numbers.get(&node).copied().map(StepInput::Step),
            LoadSource::Iota => None,
        };
        // The windows of each kernel are dropped as soon as its dispatches are made from them.
        let steps = kernels.into_iter().map(|kernel| self.prepare_step(kernel, &layout, &read));
        let mut steps: Vec<Step> = steps.collect::<Result<_>>()?;
        note_last_readers(&mut steps);
        Ok(Program { steps })
    }

    fn prepare_step(
        &self,
        kernel: WindowedKernel<Vec<Dispatchable>>,
        layout: &dyn Fn(LoadSource) -> Layout,
        read: &impl Fn(LoadSource) -> Option<StepInput>,
    ) -> Result<Step> {
        let spare = kernel.spare;
        let (ir, windows) = kernel.into_compact();
        let (element_type, shape) = (ir.element_type, &ir.shape);
        let refused = |refusal: Refusal| self.without_windows(refusal, element_type, shape);
        let windows = windows.map_err(refused)?;
        let planner = WindowPlanner::new(&ir, self.plan_limits(), layout, spare);
        let work = ir.element_work();
        let parts = planner.launches(windows).map(|(window, launch)| {
            let spare = window.result_layout(spare).spare;
            let work = work.saturating_mul(window.count());
            let bytes = window.result_bytes;
            let operands = window.bindings.arrays.iter().zip(window.bytes);
            Ok(StepPart {
                dispatch: Dispatch {
                    pipeline: self.pipelines.get(&self.gpu.device, &launch.kernel)?,
                    words: launch.words,
                    workgroups: launch.groups,
                    written_bytes: bytes.end - bytes.start,
                    work,
                },
                operands: operands
                    .filter_map(|(&source, bytes)| {
                        Some(StepOperand { array: read(source)?, bytes })
                    })
                    .collect(),
                result: bytes.start..bytes.end + u64::from(spare),
            })
        });
        let parts = parts.collect::<Result<_>>()?;
        Ok(Step { element_type, shape: shape.clone(), parts, frees: Vec::new() })
    }

    /// Returns the error of an array that no kernel can write, or whose operands none can read, in
    /// parts that keep to the device's limits.
    fn without_windows(&self, refusal: Refusal, element_type: ElementType, shape: &Shape) -> Error {
        let binding = self.gpu.limits.max_storage_buffer_binding_size;
        let shape = shape.clone();
        match refusal {
            Refusal::TooSmall => {
                let bytes = device_bytes(element_type, &shape).unwrap_or(u64::MAX);
                let (limit, allowed) = ("max_storage_buffer_binding_size", binding);
                DeviceError::TooLarge { element_type, shape, bytes, limit, allowed }.into()
            }
            Refusal::TooMany => {
                let workgroups = self.gpu.limits.max_compute_workgroups_per_dimension;
                let most = MAX_WINDOWS;
                DeviceError::TooManyParts { element_type, shape, most, binding, workgroups }.into()
            }
        }
    }

    fn plan_limits(&self) -> &PlanLimits {
        self.settings.plan_limits()
    }
}

/// Tells each step which arrays it is the last one to read. The result is the caller's.
fn note_last_readers(steps: &mut [Step]) {
    let mut last: Vec<usize> = (0..steps.len()).collect();
    for (reader, step) in steps.iter().enumerate() {
        for operand in step.parts.iter().flat_map(|part| &part.operands) {
            if let StepInput::Step(number) = operand.array {
                last[number] = reader;
            }
        }
    }
    last.pop();
    for (number, reader) in last.into_iter().enumerate() {
        steps[reader].frees.push(number);
    }
}

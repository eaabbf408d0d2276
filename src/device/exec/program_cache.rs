//! Computations made ready to run: cut into kernels, planned, compiled. They are kept by what they
//! do and how their arrays lie, so that the same operation on the same shapes is not planned again.

use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::{Arc, Mutex};

use crate::compile::kernel_ir::{KernelIr, LoadSource};
use crate::compile::plan::layout::Layout;
use crate::compile::split::dispatch::{Dispatchable, MAX_WINDOWS, Refusal, WindowPlanner};
use crate::compile::split::kernels::{self, Kernel};
use crate::device::array;
use crate::device::context::Inner;
use crate::device::exec::batch::Dispatch;
use crate::device::guard::sync::lock;
use crate::graph::computation::{Computation, Instruction, NodeId};
use crate::semantics::element::ElementType;
use crate::semantics::error::{DeviceError, Error, Result};
use crate::semantics::hash::{FastHasher, FastMap};
use crate::semantics::literal::device_bytes;
use crate::semantics::precision::Precision;
use crate::semantics::shape::Shape;

/// Most programs that are kept, and most instructions in all of them; beyond either, those that
/// were not used for the longest time go, down to half.
const MAX_PROGRAMS: usize = 2048;
const MAX_INSTRUCTIONS: usize = 1 << 16;

/// A computation of more instructions is planned each time: what it does takes longer.
const MAX_KEPT_INSTRUCTIONS: usize = 1 << 12;

/// A computation, ready to run on arrays that lie in one way.
#[derive(Debug)]
pub(crate) struct Program {
    /// Each gives an array; the last one's is the result.
    pub(crate) steps: Vec<Step>,
}

/// One array of a program.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) element_type: ElementType,
    pub(crate) shape: Shape,
    /// What writes it: several dispatches where it, or what they read, is larger than a binding.
    pub(crate) parts: Vec<StepPart>,
    /// The steps whose arrays nothing reads after this one.
    pub(crate) frees: Vec<usize>,
}

/// One dispatch of a program, with what it binds.
#[derive(Debug)]
pub(crate) struct StepPart {
    pub(crate) dispatch: Dispatch,
    pub(crate) operands: Vec<Operand>,
    /// The part of the step's own array that it binds, in bytes.
    pub(crate) result: Range<u64>,
}

/// A part of an array that a step reads.
#[derive(Debug, Clone)]
pub(crate) struct Operand {
    pub(crate) array: Read,
    /// In bytes from the start of the array's binding.
    pub(crate) bytes: Range<u64>,
}

/// An array that a step reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Read {
    /// The argument of this number.
    Argument(usize),
    /// What the step of this number gave.
    Step(usize),
}

impl Program {
    /// Cuts, plans and compiles, which takes milliseconds where a kernel is new.
    fn prepare(gpu: &Inner, computation: &Computation, layouts: &[Layout]) -> Result<Self> {
        let by_default;
        let computation = match gpu.precision {
            Precision::Accurate => computation,
            Precision::Relaxed => {
                by_default = computation.with_default_precision(gpu.precision);
                &by_default
            }
        };
        let spare = |ir: &KernelIr| -> Result<u32> {
            let (element_type, shape) = (ir.element_type, &ir.shape);
            for element_type in ir.element_types() {
                array::check_supported(&gpu.device, element_type)?;
            }
            array::check_size(&gpu.limits, element_type, shape)?;
            Ok(array::spare(gpu, array::padded_bytes(element_type, shape)?))
        };
        let layout = |source| match source {
            LoadSource::Parameter(number) => layouts[number],
            LoadSource::Stored(_) | LoadSource::Iota => Layout::OWN,
        };
        let keep = |_: &WindowPlanner<'_>, parts| parts;
        let kernels = kernels::kernels(computation, gpu.plan_limits(), &layout, spare, keep)?;
        let numbers = kernels::numbers(&kernels);
        let read = |source: LoadSource| match source {
            LoadSource::Parameter(number) => Some(Read::Argument(number)),
            LoadSource::Stored(node) => numbers.get(&node).copied().map(Read::Step),
            LoadSource::Iota => None,
        };
        // Each kernel's windows go when its dispatches are made of them.
        let steps = kernels.into_iter().map(|kernel| prepare_step(gpu, kernel, &layout, &read));
        let mut steps: Vec<Step> = steps.collect::<Result<_>>()?;
        note_last_readers(&mut steps);
        Ok(Self { steps })
    }
}

/// Tells each step which arrays it is the last one to read. The result is the caller's.
fn note_last_readers(steps: &mut [Step]) {
    let mut last: Vec<usize> = (0..steps.len()).collect();
    for (reader, step) in steps.iter().enumerate() {
        for operand in step.parts.iter().flat_map(|part| &part.operands) {
            if let Read::Step(number) = operand.array {
                last[number] = reader;
            }
        }
    }
    last.pop();
    for (number, reader) in last.into_iter().enumerate() {
        steps[reader].frees.push(number);
    }
}

fn prepare_step(
    gpu: &Inner,
    kernel: Kernel<Vec<Dispatchable>>,
    layout: &dyn Fn(LoadSource) -> Layout,
    read: &impl Fn(LoadSource) -> Option<Read>,
) -> Result<Step> {
    let Kernel { spare, .. } = kernel;
    let (ir, windows) = kernel.into_compact();
    let (element_type, shape) = (ir.element_type, &ir.shape);
    let windows = windows.map_err(|refusal| without_windows(gpu, refusal, element_type, shape))?;
    let planner = WindowPlanner { ir: &ir, limits: gpu.plan_limits(), layout, spare };
    let parts = planner.launches(windows).map(|(window, launch)| {
        let spare = window.result_layout(spare).spare;
        let bytes = window.result_bytes;
        let operands = window.bindings.arrays.iter().zip(window.bytes);
        Ok(StepPart {
            dispatch: Dispatch {
                pipeline: gpu.pipelines.get(&gpu.device, &launch.kernel)?,
                words: launch.words,
                groups: launch.groups,
                written_bytes: bytes.end - bytes.start,
            },
            operands: operands
                .filter_map(|(&source, bytes)| Some(Operand { array: read(source)?, bytes }))
                .collect(),
            result: bytes.start..bytes.end + u64::from(spare),
        })
    });
    let parts = parts.collect::<Result<_>>()?;
    Ok(Step { element_type, shape: shape.clone(), parts, frees: Vec::new() })
}

/// An array that no kernel can write, or whose operands none can read, in parts that keep to the
/// device's limits.
fn without_windows(
    gpu: &Inner,
    refusal: Refusal,
    element_type: ElementType,
    shape: &Shape,
) -> Error {
    let binding = gpu.limits.max_storage_buffer_binding_size;
    let shape = shape.clone();
    match refusal {
        Refusal::TooSmall => {
            let bytes = device_bytes(element_type, &shape).unwrap_or(u64::MAX);
            let (limit, allowed) = ("max_storage_buffer_binding_size", binding);
            DeviceError::TooLarge { element_type, shape, bytes, limit, allowed }.into()
        }
        Refusal::TooMany => {
            let workgroups = gpu.limits.max_compute_workgroups_per_dimension;
            let most = MAX_WINDOWS;
            DeviceError::TooManyParts { element_type, shape, most, binding, workgroups }.into()
        }
    }
}

/// The programs that are kept.
#[derive(Debug, Default)]
pub(crate) struct Launches {
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    /// By the hash of what identifies them.
    programs: FastMap<u64, Entry>,
    instructions: usize,
    clock: u64,
}

#[derive(Debug)]
struct Entry {
    instructions: Vec<Instruction>,
    root: NodeId,
    layouts: Vec<Layout>,
    program: Arc<Program>,
    used: u64,
}

impl Launches {
    /// The program of a computation over arrays that lie as `layouts` says, one for each parameter.
    pub(crate) fn get(
        &self,
        gpu: &Inner,
        computation: &Computation,
        layouts: &[Layout],
    ) -> Result<Arc<Program>> {
        if computation.instructions.len() > MAX_KEPT_INSTRUCTIONS {
            return Program::prepare(gpu, computation, layouts).map(Arc::new);
        }
        let hash = hash(computation, layouts);
        if let Some(program) = lock(&self.kept).get(hash, computation, layouts) {
            return Ok(program);
        }
        let program = Arc::new(Program::prepare(gpu, computation, layouts)?);
        lock(&self.kept).insert(hash, computation, layouts, &program);
        Ok(program)
    }

    /// They hold compiled kernels.
    pub(crate) fn trim(&self) {
        *lock(&self.kept) = Kept::default();
    }
}

impl Kept {
    fn get(
        &mut self,
        hash: u64,
        computation: &Computation,
        layouts: &[Layout],
    ) -> Option<Arc<Program>> {
        let entry = self.programs.get_mut(&hash)?;
        let same = entry.root == computation.root
            && entry.layouts == layouts
            && entry.instructions == computation.instructions;
        if !same {
            return None;
        }
        self.clock += 1;
        entry.used = self.clock;
        Some(Arc::clone(&entry.program))
    }

    fn insert(
        &mut self,
        hash: u64,
        computation: &Computation,
        layouts: &[Layout],
        program: &Arc<Program>,
    ) {
        self.clock += 1;
        let entry = Entry {
            instructions: computation.instructions.clone(),
            root: computation.root,
            layouts: layouts.to_vec(),
            program: Arc::clone(program),
            used: self.clock,
        };
        self.instructions += entry.instructions.len();
        // Another one of the same hash goes.
        if let Some(other) = self.programs.insert(hash, entry) {
            self.instructions -= other.instructions.len();
        }
        if self.programs.len() > MAX_PROGRAMS || self.instructions > MAX_INSTRUCTIONS {
            self.shrink();
        }
    }

    fn shrink(&mut self) {
        let mut oldest: Vec<(u64, u64)> =
            self.programs.iter().map(|(&hash, entry)| (entry.used, hash)).collect();
        oldest.sort_unstable();
        for (_, hash) in oldest {
            if self.programs.len() <= MAX_PROGRAMS / 2 && self.instructions <= MAX_INSTRUCTIONS / 2
            {
                break;
            }
            if let Some(entry) = self.programs.remove(&hash) {
                self.instructions -= entry.instructions.len();
            }
        }
    }
}

fn hash(computation: &Computation, layouts: &[Layout]) -> u64 {
    let mut hasher = FastHasher::default();
    computation.instructions.hash(&mut hasher);
    computation.root.hash(&mut hasher);
    for layout in layouts {
        (layout.offset, layout.granularity).hash(&mut hasher);
    }
    hasher.finish()
}

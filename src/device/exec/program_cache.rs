//! [`Program`]: a computation made ready to run. Programs are kept by what they compute and how their
//! arrays lie, so that the same operation on the same shapes is not planned again.

use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::{Arc, Mutex};

use crate::compile::plan::layout::Layout;
use crate::device::exec::commands::Dispatch;
use crate::device::guard::lock::lock;
use crate::graph::computation::{Computation, Instruction, NodeId};
use crate::semantics::element::ElementType;
use crate::semantics::error::Result;
use crate::semantics::hash::{FastHasher, FastMap};
use crate::semantics::shape::Shape;

/// Most programs that are kept, and most instructions in all of them; beyond either, those that
/// were not used for the longest time go, down to half.
const MAX_PROGRAMS: usize = 2048;
const MAX_INSTRUCTIONS: usize = 1 << 16;

/// A computation of more instructions is planned each time: running it takes longer than that.
const MAX_PROGRAM_INSTRUCTIONS: usize = 1 << 12;

/// A computation, ready to run on arrays that lie in one way.
#[derive(Debug)]
pub(crate) struct Program {
    /// Each makes an array; the last one makes the result.
    pub(crate) steps: Vec<Step>,
}

/// The dispatches that make one array of a program.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) element_type: ElementType,
    pub(crate) shape: Shape,
    /// Several dispatches write the array where it, or what they read, is larger than a binding.
    pub(crate) parts: Vec<StepPart>,
    /// The steps whose arrays nothing reads after this one.
    pub(crate) frees: Vec<usize>,
}

/// One dispatch of a program, with the ranges of arrays that it binds.
#[derive(Debug)]
pub(crate) struct StepPart {
    pub(crate) dispatch: Dispatch,
    pub(crate) operands: Vec<StepOperand>,
    /// It binds this range of the step's own array, in bytes.
    pub(crate) result: Range<u64>,
}

/// A range of an array that a step reads.
#[derive(Debug, Clone)]
pub(crate) struct StepOperand {
    pub(crate) array: StepInput,
    /// In bytes from the start of the array's binding.
    pub(crate) bytes: Range<u64>,
}

/// An array that a step reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StepInput {
    /// The argument of this number.
    Argument(usize),
    /// The array that the step of this number made.
    Step(usize),
}

#[derive(Debug, Default)]
pub(crate) struct ProgramCache {
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

impl ProgramCache {
    /// Returns the program of a computation over arrays that lie as `layouts` says, one for each
    /// parameter; if it is not kept, the one that `prepare` makes.
    pub(crate) fn get(
        &self,
        computation: &Computation,
        layouts: &[Layout],
        prepare: impl FnOnce() -> Result<Program>,
    ) -> Result<Arc<Program>> {
        if computation.instructions.len() > MAX_PROGRAM_INSTRUCTIONS {
            return prepare().map(Arc::new);
        }
        let hash = hash(computation, layouts);
        if let Some(program) = lock(&self.kept).get(hash, computation, layouts) {
            return Ok(program);
        }
        let program = Arc::new(prepare()?);
        lock(&self.kept).insert(hash, computation, layouts, &program);
        Ok(program)
    }

    /// Drops all programs, which hold compiled kernels.
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

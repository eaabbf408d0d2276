//! Defines [`Program`]: a computation made ready to run. Programs are cached by computation and
//! array layouts, so that the same operation on the same shapes is not planned again.

use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};

use crate::device::gpu::Gpu;
use crate::device::guard::lock::lock;
use crate::device::lru::Lru;
use crate::device::program::commands::Dispatch;
use crate::device::program::params::ProgramParams;
use crate::device::program::pipelines::Pipeline;
use indim_compiler::kernel::destination::Destination;
use indim_compiler::kernel::load::ArrayId;
use indim_compiler::layout::Layout;
use indim_core::graph::computation::{Computation, Instructions, NodeId};
use indim_core::semantics::element::{ElementType, Scalar};
use indim_core::semantics::error::Result;
use indim_core::semantics::hash::hasher;
use indim_core::semantics::shape::Shape;

/// The largest total number of instructions of cached programs.
const MAX_INSTRUCTIONS: usize = 1 << 16;

/// A program counts as at least this many instructions, so that at most 2,048 are cached.
const MIN_WEIGHT: usize = 32;

/// A computation of more instructions is planned each time, since running it takes longer than
/// planning.
const MAX_PROGRAM_INSTRUCTIONS: usize = 1 << 12;

/// A computation, ready to run on arrays of given layouts.
#[derive(Debug)]
pub(crate) struct Program {
    /// The steps, each of which makes arrays.
    pub(crate) steps: Vec<Step>,
    /// The place of each result.
    pub(crate) results: Vec<ProgramResult>,
    /// The constants of the computation that it was made for. It is found for computations that
    /// differ only in these; see [`Program::words`].
    constants: Vec<Scalar>,
    /// The parameters for commands that the caller submits, made for the first of them.
    params: OnceLock<ProgramParams>,
}

/// An array of a program: an argument, or one that a step made.
pub(crate) type ProgramArray = ArrayId<StepArray>;

/// An array that a step made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StepArray {
    /// The number of the step.
    pub(crate) step: usize,
    /// The number of the array among those of the step.
    pub(crate) array: usize,
}

/// A result of a program. Shared arrays are never written, so it may alias an argument.
#[derive(Debug, Clone)]
pub(crate) struct ProgramResult {
    pub(crate) array: ProgramArray,
    /// Its shape, which may differ from that of an argument.
    pub(crate) shape: Shape,
}

impl Program {
    pub(crate) fn new(
        mut steps: Vec<Step>,
        results: Vec<ProgramResult>,
        constants: Vec<Scalar>,
    ) -> Self {
        let mut end = 0_usize;
        for words in steps.iter_mut().map(|step| &mut step.loop_words) {
            if !words.results.is_empty() {
                words.first = end.next_multiple_of(LoopWords::ALIGNMENT);
                end = words.end();
            }
        }
        Self { steps, results, constants, params: OnceLock::new() }
    }

    /// Returns the number of words that record loops beyond their bounds.
    pub(crate) fn loop_words(&self) -> usize {
        self.steps.iter().map(|step| step.loop_words.end()).max().unwrap_or(0)
    }

    /// Returns the constants of a run, if they are not those in the parameter blocks: the given ones,
    /// or those of the computation.
    pub(crate) fn other_constants(
        &self,
        computation: &Computation,
        given: Option<&[Scalar]>,
    ) -> Option<Vec<Scalar>> {
        if let Some(given) = given {
            return (given != self.constants).then(|| given.to_vec());
        }
        let are_own = computation.constants().eq(self.constants.iter().copied());
        (!are_own).then(|| computation.constants().collect())
    }

    /// Returns, for each result, true if it is written to its existing memory.
    pub(crate) fn in_place(&self) -> Vec<bool> {
        let is_in_place = |(number, result): (usize, &ProgramResult)| match result.array {
            ArrayId::Stored(of) => self.steps[of.step].existing[of.array] == Some(number),
            ArrayId::Parameter(_) => false,
        };
        self.results.iter().enumerate().map(is_in_place).collect()
    }

    /// Returns the parameters for commands that the caller submits.
    pub(crate) fn params(&self, gpu: &Gpu) -> Result<&ProgramParams> {
        if let Some(params) = self.params.get() {
            return Ok(params);
        }
        let made = ProgramParams::new(gpu, self.dispatches())?;
        Ok(self.params.get_or_init(|| made))
    }

    fn dispatches(&self) -> impl Iterator<Item = &Dispatch> {
        self.steps.iter().flat_map(|step| &step.parts).map(|part| &part.dispatch)
    }

    /// Returns the kernels of all dispatches; a kernel may appear several times.
    pub(crate) fn kernels(&self) -> impl Iterator<Item = &Arc<Pipeline>> {
        self.dispatches().map(|dispatch| &dispatch.pipeline)
    }

    /// Returns the peak number of bytes of the arrays that a run makes, including its results.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn most_bytes(&self) -> u64 {
        let made = |step: &Step| {
            let count = step.shape.element_count().unwrap_or(usize::MAX) as u64;
            let sizes = step.element_types.iter().map(|of| of.size_in_bytes() as u64);
            sizes.fold(0, |all: u64, size| all.saturating_add(count.saturating_mul(size)))
        };
        let (mut held, mut most) = (0_u64, 0);
        for step in &self.steps {
            held = held.saturating_add(made(step));
            most = held.max(most);
            let freed = step.frees.iter().map(|&read_no_more| made(&self.steps[read_no_more]));
            held = freed.fold(held, u64::saturating_sub);
        }
        most
    }

    fn has_kept_kernels(&self) -> bool {
        self.kernels().all(|kernel| kernel.is_kept())
    }
}

/// The dispatches that make arrays of a program.
#[derive(Debug)]
pub(crate) struct Step {
    /// The element types of the arrays.
    pub(crate) element_types: Vec<ElementType>,
    /// The shape of each.
    pub(crate) shape: Shape,
    /// For each array, the number of the result whose existing memory it is, if it is.
    pub(crate) existing: Vec<Option<usize>>,
    /// The words for loops, which each dispatch that calls functions with loops writes after the
    /// arrays.
    pub(crate) loop_words: LoopWords,
    /// The dispatches. There are several if an array that is written or read is larger than a
    /// binding.
    pub(crate) parts: Vec<StepPart>,
    /// The steps whose arrays nothing reads after this one.
    pub(crate) frees: Vec<usize>,
}

/// The words that record loops of a step beyond their bounds.
#[derive(Debug, Default)]
pub(crate) struct LoopWords {
    /// For each word, the numbers of the results that depend on its calls.
    pub(crate) results: Vec<Vec<usize>>,
    /// The index of the first word among those of the program.
    pub(crate) first: usize,
}

impl LoopWords {
    /// The words of a step are bound separately, at an offset that is a multiple of this many: no
    /// device requires an alignment above 256 bytes.
    const ALIGNMENT: usize = 64;

    /// Returns the number of words up to the end of these.
    fn end(&self) -> usize {
        self.first + self.results.len()
    }

    /// Returns the bytes of these among those of all words.
    pub(crate) fn bytes(&self) -> Range<u64> {
        4 * self.first as u64..4 * self.end() as u64
    }
}

/// One dispatch of a program, with the ranges of arrays that it binds.
#[derive(Debug)]
pub(crate) struct StepPart {
    pub(crate) dispatch: Dispatch,
    pub(crate) operands: Vec<StepOperand>,
    /// The range of each of the step's own arrays that it binds, in bytes.
    pub(crate) results: Vec<Range<u64>>,
}

/// A range of an array that a step reads.
#[derive(Debug, Clone)]
pub(crate) struct StepOperand {
    pub(crate) array: ProgramArray,
    /// The range, in bytes from the start of the array's binding.
    pub(crate) bytes: Range<u64>,
}

#[derive(Debug)]
pub(crate) struct ProgramCache(Mutex<Lru<CachedProgram>>);

#[derive(Debug)]
struct CachedProgram {
    instructions: Arc<Instructions>,
    roots: Vec<NodeId>,
    layouts: Vec<Layout>,
    destinations: Option<Vec<Option<Destination>>>,
    program: Arc<Program>,
}

impl Default for ProgramCache {
    fn default() -> Self {
        Self(Mutex::new(Lru::new(MAX_INSTRUCTIONS)))
    }
}

impl ProgramCache {
    /// Returns the program of a computation over arrays with these `layouts`, one for each
    /// parameter, optionally into existing memory; if it is not cached, `prepare` makes it.
    pub(crate) fn get(
        &self,
        computation: &Computation,
        layouts: &[Layout],
        destinations: Option<&[Option<Destination>]>,
        prepare: impl FnOnce() -> Result<Program>,
    ) -> Result<Arc<Program>> {
        if computation.instructions().len() > MAX_PROGRAM_INSTRUCTIONS {
            return prepare().map(Arc::new);
        }
        let hash = hash(computation, layouts, destinations);
        let is_it = |kept: &CachedProgram| {
            kept.roots == computation.roots()
                && kept.layouts == layouts
                && kept.destinations.as_deref() == destinations
                && kept.instructions.are_alike(computation.instructions())
        };
        if let Some(kept) = lock(&self.0).get(hash, is_it) {
            return Ok(Arc::clone(&kept.program));
        }
        let program = Arc::new(prepare()?);
        let kept = CachedProgram {
            instructions: Arc::clone(computation.instructions()),
            roots: computation.roots().to_vec(),
            layouts: layouts.to_vec(),
            destinations: destinations.map(<[_]>::to_vec),
            program: Arc::clone(&program),
        };
        let weight = kept.instructions.len().max(MIN_WEIGHT);
        let mut programs = lock(&self.0);
        // Checked under the lock, so that none escapes `drop_without_kernels`.
        if program.has_kept_kernels() {
            programs.insert(hash, kept, weight);
        }
        Ok(program)
    }

    /// Drops the programs that contain an evicted kernel, so that the bound on kernels also covers
    /// those of programs.
    pub(crate) fn drop_without_kernels(&self) {
        lock(&self.0).retain(|kept| kept.program.has_kept_kernels());
    }

    /// Drops all programs, which hold compiled kernels.
    pub(crate) fn trim(&self) {
        lock(&self.0).clear();
    }
}

fn hash(
    computation: &Computation,
    layouts: &[Layout],
    destinations: Option<&[Option<Destination>]>,
) -> u64 {
    let mut hasher = hasher();
    computation.instructions().hash_of_structure().hash(&mut hasher);
    (computation.roots(), destinations.is_some()).hash(&mut hasher);
    for layout in layouts {
        (layout.offset, layout.granularity).hash(&mut hasher);
    }
    for destination in destinations.into_iter().flatten().flatten() {
        (destination.offset, &destination.strides, &destination.aliases).hash(&mut hasher);
    }
    hasher.finish()
}

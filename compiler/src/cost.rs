//! The cost of operations, in two measures: to compile, and to run.
//!
//! The two differ: shader compilers are worse than linear in the size of their input, so a function
//! weighs more in a kernel than the time that it takes on an element.

use indim_core::graph::function::body::{Call, LoopBounds};
use indim_core::semantics::element::ElementType;
use indim_core::semantics::opcode::{Cost, Opcode};

/// The cost of an operation, to compile it in a kernel and to run it on an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpCost {
    /// The class of the cost on operands of its type.
    pub(crate) class: Cost,
    /// How many of a kernel's operations it counts as, by the time that it adds to compilation.
    pub weight: usize,
    /// The weight where the text repeats the operation for each element of a unit.
    pub(crate) copy_weight: usize,
    /// The same within a loop.
    pub(crate) loop_weight: usize,
    /// The cost of one element, in quarters of an access to memory.
    pub(crate) run: u64,
    /// The work of one element, in the unit of
    /// [`Tuning::max_work_per_submission`](super::limits::Tuning::max_work_per_submission).
    pub(crate) work: u64,
}

impl OpCost {
    /// Returns the cost of an operation on operands of a type, or of a call of a user-defined
    /// function.
    pub fn new(opcode: Opcode, element_type: ElementType, call: Option<&Call>) -> Self {
        call.map_or_else(|| Self::of_operation(opcode, element_type), Self::of_call)
    }

    /// Measured on lavapipe: a chain of 31 functions takes 0.3 to 4 s to compile, but 60 s of
    /// digamma and 107 s of lgamma; of these, two take 0.6 s. Sixteen of expm1 on C64 took 15 s in
    /// one kernel, and 5 s in kernels of at most seven. Sixteen copies of lgamma took 15 s, four
    /// 0.2 s.
    fn of_operation(opcode: Opcode, element_type: ElementType) -> Self {
        let class = opcode.cost_on(element_type);
        let weight = match (opcode.cost(), class) {
            (Cost::Heavy, _) => 256,
            (_, Cost::Heavy) if element_type == ElementType::C64 => 128,
            (_, Cost::Cheap) => 1,
            (_, Cost::Costly | Cost::Heavy) => 32,
        };
        let copy_weight = match class {
            Cost::Cheap => 1,
            Cost::Costly => 32,
            Cost::Heavy => ONE_QUAD,
        };
        let run = if opcode.cost() == Cost::Cheap { CHEAP } else { COSTLY };
        let slower = if element_type == ElementType::F64 { F64_WORK } else { 1 };
        let (loop_weight, work) = (copy_weight, weight as u64 * slower);
        Self { class, weight, copy_weight, loop_weight, run, work }
    }

    /// Bounds of loops that the user has set are assumed to be reached, because a system that
    /// resets a busy device makes the worst case matter.
    fn of_call(call: &Call) -> Self {
        let (class, operations) = (call.cost(), call.operations());
        let (weight, copy_weight, run) = match class {
            Cost::Cheap => {
                let few = operations.clamp(1, 32);
                (few, few, CHEAP * operations.clamp(1, COSTLY as usize) as u64)
            }
            Cost::Costly => (operations.clamp(32, 256), 32, COSTLY),
            Cost::Heavy => (256, ONE_QUAD, COSTLY),
        };
        let compiled = call.compiled() / COMPILED_AT_ONCE;
        let weight = weight.max(compiled.min(256));
        let copy_weight = copy_weight.max(compiled.min(ONE_QUAD));
        let body = &call.function.0;
        let iterations = match body.loops.map(|loops| loops.bounds) {
            None => 1,
            Some(bounds) if bounds == LoopBounds::default() => TYPICAL_ITERATIONS,
            Some(bounds) => bounds.iterations.min(bounds.total).max(1),
        };
        let all = (operations as u64).saturating_mul(u64::from(iterations));
        let slower = if body.wide.contains(&ElementType::F64) { F64_WORK } else { 1 };
        let work = all.max(weight as u64).saturating_mul(slower);
        let loop_weight = copy_weight.max(call.forks().saturating_mul(FORK));
        Self { class, weight, copy_weight, loop_weight, run, work }
    }
}

/// The weight of a branch within a loop, of which eight are a straight line: SwiftShader's compiler follows
/// every path through a loop's body. (Measured: 32 copies of a function of one branch, in a sum, took it 17
/// GB; 8 are 256 paths.)
const FORK: usize = MAX_STRAIGHT_LINE / 8;

/// The copy weight of which exactly one quad fits into [`MAX_STRAIGHT_LINE`].
const ONE_QUAD: usize = MAX_STRAIGHT_LINE / 4;

// ---- to compile -------------------------------------------------------------------------------

/// Returns true if a call must not be inside a loop of a kernel: SwiftShader's compiler follows
/// every path through a loop's body, of which two branches have four, and twenty a million.
/// (Measured: a kernel of 24 ifs with an else took it 20 s within a loop, and 0.06 s without.)
pub(crate) fn is_long(call: &Call) -> bool {
    call.compiled() > 256 || call.forks() > 4
}

/// The compiled size of a call is divided by this, where that gives more than its operations or the
/// cost set by the user. All copies of its text in a straight line then come to 16 times
/// [`MAX_STRAIGHT_LINE`], or one quad. (Measured on lavapipe: 34,000 took 1 to 4 s.)
const COMPILED_AT_ONCE: usize = 16;

/// The number of loads that each one counts as if a kernel loads from several places of one array:
/// these are most often loaded element by element, but a whole array in words.
pub(crate) const VIEWED_LOAD: usize = 2;

/// Returns how many of a kernel's loads these loads of one array count as.
pub(crate) fn load_weight(places: usize) -> usize {
    if places > 1 { VIEWED_LOAD * places } else { places }
}

/// The weight of a load whose elements lie apart in memory, which the text repeats for each element
/// of a unit. (Measured on lavapipe: sums of 8, 16 and 32 sliced columns take 5 to 7 times as long
/// to compile in units of 16 elements as in units of 4, and as long to run.)
pub(crate) const GATHER_WEIGHT: usize = 32;

/// The weight of one invocation's straight line up to which a unit may exceed a quad, and tiles and
/// blocks are used: compilers are worse than linear in it, and unroll loops of constant length.
/// (Measured on lavapipe: a kernel of some 100,000 took minutes.)
pub(crate) const MAX_STRAIGHT_LINE: usize = 2048;

// ---- to run -----------------------------------------------------------------------------------

// The costs are in quarters of an access to memory. Measured on lavapipe, where an access takes
// 0.27 ns: functions take 1.4 (atan) to 4.8 accesses (asinh), most of them around 3; a dispatch
// within a batch takes less than 10 us.

/// The cost of reading or writing one element of an array.
pub(crate) const ACCESS: u64 = 4;

/// The cost of one element of an iota, or of an operation that takes a few instructions.
pub(crate) const CHEAP: u64 = 1;

/// The cost of one element of a function.
const COSTLY: u64 = 12;

/// The cost of one more dispatch.
pub(crate) const DISPATCH: u64 = 65_536;

/// A function with loops whose bounds the user has not set is assumed to run its text this many
/// times for an element.
const TYPICAL_ITERATIONS: u32 = 64;

/// On GPUs not made for it, there is one unit for 64-bit floats to 32 or 64 for 32-bit ones.
const F64_WORK: u64 = 32;

/// Returns the work of loading or storing one element of this type.
pub(crate) fn access_work(element_type: ElementType) -> u64 {
    ACCESS * (element_type.bits() as u64).div_ceil(32)
}

/// A costly value is computed first if its space is at least this many times smaller than the
/// kernel's. Smaller factors save little and cost a dispatch.
pub const COSTLY_FACTOR: u64 = 16;

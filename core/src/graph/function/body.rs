//! [`FunctionBody`]: a user-defined function after its checks; [`Call`], an operation that calls
//! one.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::semantics::element::{ElementType, Form};
use crate::semantics::hash::hash_of;
use crate::semantics::opcode::Cost;

/// A parameter of a function, or one of its results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value {
    /// The name of the parameter or struct member; empty for a result that is not a struct.
    pub name: String,
    /// The form in which a shader holds the value, which limits the element types that it can have.
    pub form: Form,
}

/// A function that was checked.
#[derive(Debug, Clone)]
#[cfg_attr(not(feature = "functions"), expect(dead_code, reason = "nothing is called"))]
pub struct FunctionBody {
    /// The user's text.
    #[cfg(feature = "serde")]
    pub(crate) text: String,
    /// The function's name in the user's text.
    pub name: String,
    pub parameters: Vec<Value>,
    /// The results: one, or those of a struct.
    pub results: Vec<Value>,
    /// The name, in `wgsl`, of the struct that the function returns, if it returns one.
    pub result_struct: Option<String>,
    /// The text without comments, in which each user-defined name has a prefix unique to the
    /// function, and each loop a counter.
    pub wgsl: String,
    /// The prefix of those names.
    pub prefix: String,
    /// The hash of the text without comments, from which the prefix is made.
    pub(crate) text_hash: u64,
    /// The function's name in that text.
    pub entry: String,
    /// The number of operations that one call computes.
    pub(crate) operations: usize,
    /// The amount of code that one call gives compilers, in operations on single values.
    pub(crate) compiled: usize,
    /// The number of statements of one call after which an invocation goes on by one of two ways.
    pub(crate) forks: usize,
    pub(crate) cost: Cost,
    /// The 64-bit types that it computes with.
    pub wide: Vec<ElementType>,
    /// Its loops, if there are any.
    pub loops: Option<Loops>,
}

/// Returns the share of a function of this text in the cost of a computation, so that data with many
/// texts is refused before all of them are checked.
#[cfg(feature = "serde")]
pub(crate) fn stored_cost(text: &str) -> usize {
    // For each a thread is started that checks it.
    text.len().saturating_add(1 << 13)
}

/// The bounds of the loops in one call of a function, that is, for one element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct LoopBounds {
    /// How often the body of a loop may run each time that the loop is reached.
    pub iterations: u32,
    /// How often the bodies of all loops together may run.
    pub total: u32,
}

/// Takes the place of functions without the feature `functions`: a value that holds it cannot be made, so
/// that compilers drop all code about functions.
#[cfg(not(feature = "functions"))]
type Never = std::convert::Infallible;

/// The loops of a function and of the functions that it calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Loops {
    /// The number of loops in the text.
    pub(crate) count: usize,
    pub bounds: LoopBounds,
    #[cfg(not(feature = "functions"))]
    #[allow(dead_code, reason = "nobody has one")]
    never: Never,
}

impl Default for LoopBounds {
    fn default() -> Self {
        Self { iterations: 65_536, total: 1 << 20 }
    }
}

impl FunctionBody {
    /// Returns the bounds of the loops.
    pub fn bounds(&self) -> LoopBounds {
        self.loops.map(|loops| loops.bounds).unwrap_or_default()
    }
}

impl LoopBounds {
    /// Returns these bounds, neither above `most`.
    #[cfg(feature = "functions")]
    pub(crate) fn at_most(self, most: u32) -> Self {
        Self { iterations: self.iterations.min(most), total: self.total.min(most) }
    }
}

#[cfg(feature = "functions")]
impl FunctionBody {
    /// Sets the bounds of the loops, if there are any.
    pub(crate) fn set_bounds(&mut self, bounds: LoopBounds) {
        let Some(loops) = self.loops.as_mut().filter(|loops| loops.bounds != bounds) else {
            return;
        };
        loops.bounds = bounds;
        // Functions with different bounds have different names, since one kernel may call both.
        let from = std::mem::take(&mut self.prefix);
        let to = prefix_of(if bounds == LoopBounds::default() {
            self.text_hash
        } else {
            hash_of(&(self.text_hash, bounds))
        });
        for names in [&mut self.wgsl, &mut self.entry].into_iter().chain(&mut self.result_struct) {
            *names = names.replace(&from, &to);
        }
        let counters = [&from, &to].map(|prefix| counter_prefix(prefix));
        self.wgsl = self.wgsl.replace(&counters[0], &counters[1]);
        self.prefix = to;
    }
}

/// Returns the prefix of a function's names.
#[cfg(feature = "functions")]
pub(crate) fn prefix_of(hash: u64) -> String {
    format!("u{hash:016x}_")
}

/// Returns the prefix of the names that count a function's loops. No user-defined name begins with
/// it.
pub fn counter_prefix(prefix: &str) -> String {
    format!("n{}", &prefix[1..])
}

/// A shared function. Functions are equal if their texts, costs and bounds are.
#[derive(Debug, Clone)]
pub struct SharedFunction(
    pub Arc<FunctionBody>,
    #[cfg(not(feature = "functions"))]
    #[allow(dead_code, reason = "nobody has one")]
    Never,
);

impl SharedFunction {
    fn key(&self) -> (&str, Cost, Option<Loops>) {
        (&self.0.wgsl, self.0.cost, self.0.loops)
    }

    /// Returns the function with the bounds of its loops capped at `most`.
    #[cfg(feature = "functions")]
    pub(crate) fn capped(&self, most: u32) -> Self {
        let mut body = FunctionBody::clone(&self.0);
        body.set_bounds(body.bounds().at_most(most));
        Self(Arc::new(body))
    }

    /// See `Call::loop_status_code`.
    pub fn loop_status_code(&self) -> u32 {
        hash_of(&self.0.entry) as u32 & !LOOP_STATUS_BITS
    }
}

/// The bits for the bound that was exceeded, and their values: the bound of a loop, of all loops
/// together, or of the driver.
pub const LOOP_STATUS_BITS: u32 = 3;
#[cfg(feature = "functions")]
pub(crate) const OVER_ITERATIONS: u32 = 1;
pub const OVER_TOTAL: u32 = 2;
pub const OVER_DRIVER: u32 = 3;

impl PartialEq for SharedFunction {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.key() == other.key()
    }
}

impl Eq for SharedFunction {}

impl Hash for SharedFunction {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // The name has a hash of the text.
        self.0.entry.hash(state);
        self.0.cost.hash(state);
    }
}

/// An operation that is one result of a call.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Call {
    pub function: SharedFunction,
    /// The number of the result among the function's results.
    pub result: usize,
}

impl Call {
    pub fn cost(&self) -> Cost {
        self.function.0.cost
    }

    pub fn operations(&self) -> usize {
        self.function.0.operations
    }

    /// Returns the amount of code that the call gives compilers, in operations on single values,
    /// whatever cost the user sets.
    pub fn compiled(&self) -> usize {
        self.function.0.compiled
    }

    /// Returns the number of its statements after which an invocation goes on by one of two ways.
    pub fn forks(&self) -> usize {
        self.function.0.forks
    }

    /// Returns a number that identifies the function in the word reporting that a loop has run too
    /// often. Its lowest bits are 0: they are for the bound that was exceeded.
    pub fn loop_status_code(&self) -> u32 {
        self.function.loop_status_code()
    }

    /// Returns true if a loop of the call may run too often.
    pub fn has_loops(&self) -> bool {
        self.function.0.loops.is_some()
    }
}

/// Returns the type in WGSL of a value of this form.
pub fn wgsl_name(form: Form) -> &'static str {
    match form {
        Form::Bool => "bool",
        Form::S32 => "i32",
        Form::U32 => "u32",
        Form::S64 => "i64",
        Form::U64 => "u64",
        Form::F32 => "f32",
        Form::F64 => "f64",
        Form::C64 => "vec2<f32>",
    }
}

/// Returns the element type of a result of this form.
#[cfg(feature = "functions")]
pub(crate) fn element_type(form: Form) -> ElementType {
    match form {
        Form::Bool => ElementType::Pred,
        Form::S32 => ElementType::S32,
        Form::U32 => ElementType::U32,
        Form::S64 => ElementType::S64,
        Form::U64 => ElementType::U64,
        Form::F32 => ElementType::F32,
        Form::F64 => ElementType::F64,
        Form::C64 => ElementType::C64,
    }
}

//! [`Computation`]: a list of instructions in which each value is defined once, before its uses.

use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use crate::graph::function::body::SharedFunction;
#[cfg(feature = "functions")]
use crate::graph::function::wgsl::WgslFunction;
use crate::graph::known_operand::{self, KnownOperand};
use crate::graph::operation::Operation;
use crate::semantics::element::{ElementType, Scalar};
use crate::semantics::error::{BuilderError, Result};
use crate::semantics::hash::hasher;
use crate::semantics::precision::Precision;
use crate::semantics::shape::Shape;

/// The index of an instruction in its list, which identifies the instruction's result.
pub type NodeId = usize;

/// One operation on values that earlier instructions define.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Instruction {
    /// The operation, with its attributes.
    pub operation: Operation,
    /// The instructions that it reads.
    pub operands: Vec<NodeId>,
    /// The element type of its value.
    pub element_type: ElementType,
    /// The shape of its value.
    pub shape: Shape,
    /// The requested precision; `None` if none was requested, or if every precision computes the
    /// same.
    pub precision: Option<Precision>,
}

/// The instructions of a computation, operands first.
#[derive(Debug)]
pub struct Instructions {
    list: Vec<Instruction>,
    /// The functions that are called, by number.
    pub functions: Vec<SharedFunction>,
    /// The hash of all but the values of constants, once it was asked for.
    hash: OnceLock<u64>,
}

impl Deref for Instructions {
    type Target = [Instruction];

    fn deref(&self) -> &[Instruction] {
        &self.list
    }
}

impl Instructions {
    pub(crate) fn new(list: Vec<Instruction>, functions: Vec<SharedFunction>) -> Arc<Self> {
        Arc::new(Self { list, functions, hash: OnceLock::new() })
    }

    /// Returns the second operand of an instruction, if it is a constant that belongs to the structure.
    pub fn known_operand(&self, instruction: &Instruction) -> Option<KnownOperand> {
        let Instruction { operation, element_type, operands, .. } = instruction;
        if !KnownOperand::may_be_of(operation, *element_type) {
            return None;
        }
        let mut second = &self.list[*operands.get(1)?];
        while known_operand::repeats(&second.operation) {
            second = &self.list[*second.operands.first()?];
        }
        match second.operation {
            Operation::Constant(value) => KnownOperand::of(operation, value),
            _ => None,
        }
    }

    /// Returns true if both are equal, except for the values of constants. As these all differ in
    /// each computation, one program serves both, unless it has other known operands.
    pub fn are_alike(&self, other: &Self) -> bool {
        let alike = |(a, b): (&Instruction, &Instruction)| match (&a.operation, &b.operation) {
            (Operation::Constant(a), Operation::Constant(b)) => {
                a.element_type() == b.element_type()
            }
            _ => a == b && self.known_operand(a) == other.known_operand(b),
        };
        std::ptr::eq(self, other)
            || self.len() == other.len()
                && self.functions == other.functions
                && self.iter().zip(other.iter()).all(alike)
    }

    /// Returns the hash of all but the values of constants, among which known operands count.
    pub fn hash_of_structure(&self) -> u64 {
        *self.hash.get_or_init(|| {
            let mut hasher = hasher();
            self.functions.hash(&mut hasher);
            for instruction in &self.list {
                match instruction.operation {
                    Operation::Constant(_) => instruction.element_type.hash(&mut hasher),
                    _ => (instruction, self.known_operand(instruction)).hash(&mut hasher),
                }
            }
            hasher.finish()
        })
    }
}

/// The element type and shape of a computation's parameter.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Parameter {
    /// The element type of its argument.
    pub element_type: ElementType,
    /// The shape of its argument.
    pub shape: Shape,
}

impl Parameter {
    #[doc(hidden)]
    pub fn new(element_type: ElementType, shape: Shape) -> Self {
        Self { element_type, shape }
    }
}

/// An elementwise computation with one result or several; XLA's term.
///
/// [`Builder::build`](crate::Builder::build) and [`Builder::build_all`](crate::Builder::build_all)
/// make one, without a GPU. `Context::run` and `Context::run_all` compute it; running it again on
/// other arrays compiles nothing new. [`Computation::for_shapes`] makes the same one for other
/// sizes, and `PlanLimits::explain` shows its kernels.
///
/// ```
/// use indim::plan::PlanLimits;
/// use indim::{Builder, ElementType::F32};
///
/// let mut b = Builder::new();
/// let x = b.parameter(F32, [2, 3])?;
/// let v = b.parameter(F32, [3])?;
/// let sum = b.add(x, v, &[1])?;
/// let root = b.tanh(sum)?;
/// let computation = b.build(root)?;
/// assert_eq!(computation.shape().dims(), [2, 3]);
/// assert_eq!(PlanLimits::default().explain(&computation)?.kernels.len(), 1);
/// # Ok::<(), indim::Error>(())
/// ```
///
/// # Storing
///
/// With the feature `serde` a computation is data: its operations with their attributes, each with
/// the numbers of its operands and the type of its result. As JSON, `x + v` of a matrix and a row is
///
/// ```json
/// {"version": 2, "name": null, "functions": [], "instructions": [
///   {"operation": {"parameter": 0}, "operands": [],
///    "element_type": "f32", "shape": [2, 3], "precision": null},
///   {"operation": {"parameter": 1}, "operands": [],
///    "element_type": "f32", "shape": [3], "precision": null},
///   {"operation": {"binary": {"opcode": "add", "broadcast_dimensions": [1]}}, "operands": [0, 1],
///    "element_type": "f32", "shape": [2, 3], "precision": null}
/// ], "results": [2]}
/// ```
///
/// A user-defined `Function` is stored as its text, its cost and the bounds of its loops, and
/// called by its number: `{"text": "fn half(x: f32) -> f32 { return 0.5 * x; }", "cost": "cheap",
/// "loops": null}` in `functions`, and `{"call": {"function": 0, "result": 0,
/// "broadcast_dimensions": [[]]}}` as an operation. Bounds look like `{"iterations": 65536,
/// "total": 1048576}`.
///
/// Reading checks the texts and makes the builder's calls, so every rule of `Function::wgsl` and of
/// the builder holds for untrusted data: anything else is an error, and so is another type of a
/// result. Version 1 of the format is read, too; an unknown `version` is refused with a message
/// that names it. Stack use does not depend on the data's length, and memory is proportional to it:
/// a computation that counts more than 2^25 is refused, written or read, where an instruction
/// counts 8, each dimension of one 3, a function 8192 and each byte of its text 1; pad, concatenate
/// and roll count as the several instructions that kernels make of them. That is some 2 million
/// operations of rank 2, in about 1 GB.
#[derive(Debug, Clone)]
pub struct Computation {
    pub(crate) instructions: Arc<Instructions>,
    pub(crate) parameters: Vec<Parameter>,
    /// The results, at least one; a node may be several of them.
    pub(crate) roots: Vec<NodeId>,
    /// The name of its commands in profilers; see [`Computation::named`].
    pub(crate) name: Option<Arc<str>>,
}

/// A device that runs computations on its arrays: `Context` of `indim`.
///
/// ```
/// use indim::{AnyArray, Bound, Computation, Result, Runs};
///
/// fn bound<'a, C: Runs>(to: &C, f: &'a Computation, x: &C::Array) -> Result<C::Bound<'a>> {
///     to.bind(f, &[x])
/// }
/// # // This crate alone has no backend to open a context with.
/// # let Ok(gpu) = indim::Context::blocking() else { return Ok(()) };
/// # let mut b = indim::Builder::new();
/// # let x = b.parameter(indim::ElementType::F32, [2])?;
/// # let y = b.add(x, x, [])?;
/// # let double = b.build(y)?;
/// let x = gpu.array([2], &[1_f32, 2.])?;
/// let results = bound(&gpu, &double, x.as_any())?.eval()?;
/// assert_eq!(results[0].to_literal_blocking()?.to_vec::<f32>()?, [2., 4.]);
/// # Ok::<(), indim::Error>(())
/// ```
pub trait Runs {
    /// An argument.
    type Array;
    /// A computation with its arguments.
    type Bound<'a>;

    /// Returns a computation with these arguments, as [`Computation::on`] does.
    ///
    /// # Errors
    /// It returns those of [`Computation::on`].
    fn bind<'a>(
        &self,
        computation: &'a Computation,
        arguments: &[&Self::Array],
    ) -> Result<Self::Bound<'a>>;
}

impl Computation {
    /// Returns the computation with these arguments, given for its parameters in order, to be run on
    /// this context.
    ///
    /// ```
    /// # let mut b = indim::Builder::new();
    /// # let x = b.parameter(indim::ElementType::F32, [2])?;
    /// # let y = b.add(x, x, [])?;
    /// # let double = b.build(y)?;
    /// # // This crate alone has no backend to open a context with.
    /// # let Ok(gpu) = indim::Context::blocking() else { return Ok(()) };
    /// let x = gpu.array([2], &[1_f32, 2.])?;
    /// let results = double.on(&gpu, &[x.as_any()])?.eval()?;
    /// assert_eq!(results[0].to_literal_blocking()?.to_vec::<f32>()?, [2., 4.]);
    /// assert!(double.on(&gpu, &[]).is_err()); // it has one parameter
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`BuilderError::ArgumentCount`], [`BuilderError::Argument`],
    /// [`ArrayError::TwoContexts`](crate::ArrayError::TwoContexts).
    pub fn on<'a, C: Runs>(&'a self, context: &C, arguments: &[&C::Array]) -> Result<C::Bound<'a>> {
        context.bind(self, arguments)
    }

    /// Returns the computation under a name for profilers: its dispatches form a debug group of
    /// that name, and the compute pass that `Bound::encode` records has it, too.
    ///
    /// ```
    /// # let mut b = indim::Builder::new();
    /// # let x = b.parameter(indim::ElementType::F32, [2])?;
    /// # let y = b.add(x, x, [])?;
    /// let double = b.build(y)?.named("double");
    /// let stored = serde_json::to_value(&double)?; // with the feature `serde`
    /// assert_eq!(stored["name"], "double");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// Returns the computation with these instructions, whose parameters and results these are.
    #[doc(hidden)]
    pub fn of(
        instructions: Arc<Instructions>,
        parameters: Vec<Parameter>,
        roots: Vec<NodeId>,
    ) -> Self {
        Self { instructions, parameters, roots, name: None }
    }

    /// Returns the computation with other results.
    #[doc(hidden)]
    #[must_use]
    pub fn with_roots(&self, roots: Vec<NodeId>) -> Self {
        Self { roots, ..self.clone() }
    }

    /// Returns the instructions.
    #[doc(hidden)]
    pub fn instructions(&self) -> &Arc<Instructions> {
        &self.instructions
    }

    /// Returns the instruction of each result.
    #[doc(hidden)]
    pub fn roots(&self) -> &[NodeId] {
        &self.roots
    }

    /// Returns the name by which profilers show it; see [`Computation::named`].
    #[doc(hidden)]
    pub fn name(&self) -> Option<&Arc<str>> {
        self.name.as_ref()
    }

    /// Returns the WGSL functions that the computation calls, each once. Their texts were checked;
    /// the bounds of their loops ([`WgslFunction::max_iterations`],
    /// [`WgslFunction::max_total_iterations`]) were chosen by the author of the computation.
    ///
    /// ```
    /// use indim::{Builder, ElementType::F32, Function};
    ///
    /// let half = Function::wgsl("fn half(x: f32) -> f32 { return 0.5 * x; }")?;
    /// let mut b = Builder::new();
    /// let x = b.parameter(F32, [3])?;
    /// let (once, twice) = (b.call(&half, &[x], &[&[]])?, b.mul(x, x, [])?);
    /// let both = b.call(&half, &[twice], &[&[]])?;
    /// let computation = b.build_all(&[once, both])?;
    /// let names: Vec<String> = computation.functions().iter().map(|f| f.name().into()).collect();
    /// assert_eq!(names, ["half"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "functions")]
    pub fn functions(&self) -> Vec<WgslFunction> {
        let functions = self.instructions.functions.iter();
        functions.map(|function| WgslFunction { shared: function.clone() }).collect()
    }

    /// Returns the computation in which the loops of a call run at most `most` times, each and all
    /// together: higher bounds of its functions are lowered, lower ones stay. Use it to limit the
    /// time for an element when reading a computation from an untrusted source.
    ///
    /// ```
    /// use indim::{Builder, ElementType::U32, Function};
    ///
    /// let count = "fn count(n: u32) -> u32 { var i = 0u; while i < n { i++; } return i; }";
    /// let count = Function::wgsl(count)?.with_max_iterations(u32::MAX);
    /// let mut b = Builder::new();
    /// let n = b.parameter(U32, [3])?;
    /// let counted = b.call(&count, &[n], &[&[]])?;
    /// let computation = b.build(counted)?.cap_iterations(1000);
    /// assert_eq!(computation.functions()[0].max_total_iterations(), Some(1000));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "functions")]
    #[must_use]
    pub fn cap_iterations(mut self, most: u32) -> Self {
        let Instructions { list, functions, .. } = &*self.instructions;
        let functions = functions.iter().map(|function| function.capped(most)).collect();
        self.instructions = Instructions::new(list.clone(), functions);
        self
    }

    /// Returns the shape of the first result.
    ///
    /// ```
    /// # let mut b = indim::Builder::new();
    /// let x = b.parameter(indim::ElementType::F32, [2, 3])?;
    /// let sums = b.reduce_sum(x, [1])?;
    /// assert_eq!(b.build(sums)?.shape().dims(), [2]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn shape(&self) -> &Shape {
        &self.instructions[self.roots[0]].shape
    }

    /// Returns the element type of the first result.
    ///
    /// ```
    /// # use indim::ElementType;
    /// # let mut b = indim::Builder::new();
    /// let x = b.parameter(ElementType::F32, [2, 3])?;
    /// let is_nan = b.is_nan(x)?;
    /// assert_eq!(b.build(is_nan)?.element_type(), ElementType::Pred);
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn element_type(&self) -> ElementType {
        self.instructions[self.roots[0]].element_type
    }

    /// Returns the element types and shapes of all results, in the order of `Context::run_all`.
    ///
    /// ```
    /// # use indim::ElementType;
    /// # let mut b = indim::Builder::new();
    /// let x = b.parameter(ElementType::F32, [2])?;
    /// let is_nan = b.is_nan(x)?;
    /// let computation = b.build_all(&[x, is_nan])?;
    /// let types: Vec<ElementType> = computation.results().map(|(of, _)| of).collect();
    /// assert_eq!(types, [ElementType::F32, ElementType::Pred]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn results(&self) -> impl ExactSizeIterator<Item = (ElementType, &Shape)> {
        let instructions = self.roots.iter().map(|&root| &self.instructions[root]);
        instructions.map(|instruction| (instruction.element_type, &instruction.shape))
    }

    /// Returns the parameters, in the order of the arguments of `Context::run`.
    ///
    /// ```
    /// # use indim::ElementType::F32;
    /// # let mut b = indim::Builder::new();
    /// let (x, v) = (b.parameter(F32, [2, 3])?, b.parameter(F32, [3])?);
    /// let sum = b.add(x, v, [1])?;
    /// let computation = b.build(sum)?;
    /// let [_, v] = computation.parameters() else { unreachable!("there are two parameters") };
    /// assert_eq!((v.element_type, v.shape.dims()), (F32, &[3][..]));
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// Checks that arguments of these element types and shapes match the parameters.
    #[doc(hidden)]
    pub fn check_arguments<'a>(
        &self,
        given: impl ExactSizeIterator<Item = (ElementType, &'a Shape)>,
    ) -> Result<()> {
        let expected = self.parameters.len();
        if expected != given.len() {
            return Err(BuilderError::ArgumentCount { expected, given: given.len() }.into());
        }
        for (index, (parameter, (element_type, shape))) in
            self.parameters.iter().zip(given).enumerate()
        {
            if parameter.element_type != element_type || parameter.shape != *shape {
                return Err(BuilderError::Argument {
                    index,
                    expected_type: parameter.element_type,
                    expected_shape: parameter.shape.clone(),
                    given_type: element_type,
                    given_shape: shape.clone(),
                }
                .into());
            }
        }
        Ok(())
    }

    /// Returns the values of constants in order, which all differ.
    #[doc(hidden)]
    pub fn constants(&self) -> impl Iterator<Item = Scalar> {
        self.instructions.iter().filter_map(|instruction| match instruction.operation {
            Operation::Constant(value) => Some(value),
            _ => None,
        })
    }

    /// Returns the functions with loops that are called.
    #[doc(hidden)]
    pub fn functions_with_loops(&self) -> impl Iterator<Item = &SharedFunction> {
        self.instructions.functions.iter().filter(|function| function.0.loops.is_some())
    }

    /// Returns, for each instruction, whether one of `values` is computed from it.
    #[doc(hidden)]
    pub fn needed_for(&self, values: &[NodeId]) -> Vec<bool> {
        let mut needed = vec![false; self.instructions.len()];
        values.iter().for_each(|&value| needed[value] = true);
        // Operands have lower numbers than what is computed from them.
        for (node, instruction) in self.instructions.iter().enumerate().rev() {
            if needed[node] {
                instruction.operands.iter().for_each(|&operand| needed[operand] = true);
            }
        }
        needed
    }
}

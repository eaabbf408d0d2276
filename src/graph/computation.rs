//! [`Computation`]: a list of instructions in which each value is defined once, before its uses.

use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use crate::graph::build::move_call::MoveCalls;
use crate::graph::function::body::Call;
#[cfg(feature = "functions")]
use crate::graph::function::body::SharedFunction;
#[cfg(feature = "functions")]
use crate::graph::function::wgsl::Function;
use crate::semantics::element::{ElementType, Scalar};
use crate::semantics::error::{BuilderError, Result};
use crate::semantics::hash::hasher;
use crate::semantics::opcode::{Cost, OpClass, Opcode};
use crate::semantics::precision::Precision;
use crate::semantics::shape::Shape;
use crate::semantics::view::View;

/// The index of an instruction in its list, which identifies the instruction's result.
pub(crate) type NodeId = usize;

/// One operand of an instruction.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Input {
    pub(crate) node: NodeId,
    /// The element of the node that each element of the result reads.
    pub(crate) view: View,
}

/// The attribute of an instruction, if its opcode has one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Payload {
    /// The opcode has no attribute.
    None,
    /// The number of the parameter.
    Parameter(usize),
    /// The constant's value.
    Constant(Scalar),
    /// The dimension along which the values count up.
    Iota(usize),
    /// The function that is called.
    Call(Call),
}

/// One operation on values that earlier instructions define.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Instruction {
    pub(crate) opcode: Opcode,
    pub(crate) element_type: ElementType,
    pub(crate) shape: Shape,
    pub(crate) inputs: Vec<Input>,
    pub(crate) payload: Payload,
    /// The requested precision; `None` if none was requested, or if every precision computes the
    /// same.
    pub(crate) precision: Option<Precision>,
}

impl Instruction {
    /// Checks whether the instruction only moves elements of its one operand: a broadcast, a view,
    /// or one of the views that a move is assembled from.
    pub(crate) fn is_view(&self) -> bool {
        matches!(self.opcode.class(), OpClass::Broadcast | OpClass::View | OpClass::Move)
    }

    /// Returns the function that the instruction calls, if it is a call.
    pub(crate) fn call(&self) -> Option<&Call> {
        match &self.payload {
            Payload::Call(call) => Some(call),
            _ => None,
        }
    }

    /// Returns true if it calls a function with loops or has an operand that depends on one.
    pub(crate) fn rests_on_loops(&self, operand_rests: impl Fn(NodeId) -> bool) -> bool {
        self.call().is_some_and(Call::has_loops)
            || self.inputs.iter().any(|input| operand_rests(input.node))
    }

    /// Returns the cost of the operation on F32 and on integers of up to 32 bits.
    pub(crate) fn cost(&self) -> Cost {
        self.call().map_or_else(|| self.opcode.cost(), Call::cost)
    }

    /// Returns the operand of a bitcast to elements of another width, and `None` for other
    /// instructions.
    pub(crate) fn bitcast_operand(&self) -> Option<NodeId> {
        match self.inputs.as_slice() {
            [Input { node, view: View::Bitcast }] => Some(*node),
            _ => None,
        }
    }
}

/// The instructions of a computation, operands first.
#[derive(Debug)]
pub(crate) struct Instructions {
    list: Vec<Instruction>,
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
    pub(crate) fn new(list: Vec<Instruction>) -> Arc<Self> {
        Arc::new(Self { list, hash: OnceLock::new() })
    }

    /// Returns true if both are equal, except for the values of constants. As these all differ in
    /// each computation, one program serves both.
    pub(crate) fn are_alike(&self, other: &Self) -> bool {
        let alike = |(a, b): (&Instruction, &Instruction)| match (&a.payload, &b.payload) {
            (Payload::Constant(a), Payload::Constant(b)) => a.element_type() == b.element_type(),
            _ => a == b,
        };
        std::ptr::eq(self, other)
            || self.len() == other.len() && self.iter().zip(other.iter()).all(alike)
    }

    /// Returns the hash of all but the values of constants.
    pub(crate) fn hash_of_structure(&self) -> u64 {
        *self.hash.get_or_init(|| {
            let mut hasher = hasher();
            for instruction in &self.list {
                match instruction.payload {
                    Payload::Constant(_) => instruction.element_type.hash(&mut hasher),
                    _ => instruction.hash(&mut hasher),
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

/// An elementwise computation with one result or several; XLA's term.
///
/// [`Builder::build`](crate::Builder::build) and [`Builder::build_all`](crate::Builder::build_all)
/// make one, without a GPU. [`Context::run`](crate::Context::run) and
/// [`Context::run_all`](crate::Context::run_all) compute it; running it again on other arrays
/// compiles nothing new. [`Computation::for_shapes`] makes the same one for other sizes, and
/// [`Computation::explain`] shows its kernels.
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
/// assert_eq!(computation.explain(&PlanLimits::default())?.kernels.len(), 1);
/// # Ok::<(), indim::Error>(())
/// ```
///
/// # Storing
///
/// With the feature `serde` a computation is data: the [`Builder`](crate::Builder) calls that make
/// it, each with the numbers of the calls whose values it takes. Its results keep the same bits. As
/// JSON, `x + v` of a matrix and a row is
///
/// ```json
/// {"version": 1, "name": null, "functions": [], "calls": [
///   {"parameter": {"element_type": "f32", "shape": [2, 3]}},
///   {"parameter": {"element_type": "f32", "shape": [3]}},
///   {"broadcast_in_dim": {"operand": 1, "sizes": [2, 3], "broadcast_dimensions": [1]}},
///   {"elementwise": {"opcode": "add", "operands": [0, 2], "precision": null}}
/// ], "results": [3]}
/// ```
///
/// A user-defined [`Function`](crate::Function) is stored as its text, its cost and the bounds of
/// its loops, and called by its number: `{"text": "fn half(x: f32) -> f32 { return 0.5 * x; }",
/// "cost": "cheap", "loops": null}` in `functions`, and `{"call": {"function": 0, "result": 0,
/// "operands": [0]}}` in `calls`. Bounds look like `{"iterations": 65536, "total": 1048576}`. Data
/// without `functions` has none.
///
/// Reading checks the texts and makes these calls, so every rule of
/// [`Function::wgsl`](crate::Function::wgsl) and of the builder holds for untrusted data: anything
/// else is an error. An unknown `version` is refused with a message that names it. Stack use does
/// not depend on the data's length, and memory is proportional to it: a computation that counts
/// more than 2^25 is refused, written or read, where an instruction counts 8, each dimension of one
/// 3, a function 8192 and each byte of its text 1. That is some 2 million operations of rank 2, in
/// about 1 GB.
#[derive(Debug, Clone)]
pub struct Computation {
    pub(crate) instructions: Arc<Instructions>,
    pub(crate) parameters: Vec<Parameter>,
    /// The results, at least one; a node may be several of them.
    pub(crate) roots: Vec<NodeId>,
    /// The name of its commands in profilers; see [`Computation::named`].
    pub(crate) name: Option<Arc<str>>,
    /// The calls of moves, if a builder made the computation.
    pub(crate) move_calls: MoveCalls,
}

impl Computation {
    /// Returns the computation under a name for profilers: its dispatches form a debug group of
    /// that name, and the compute pass that [`Bound::encode`](crate::Bound::encode) records has
    /// it, too.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        Self { name: Some(name.into()), ..self }
    }

    /// Returns the WGSL functions that the computation calls, each once. Their texts were checked;
    /// the bounds of their loops ([`Function::max_iterations`], [`Function::max_total_iterations`])
    /// were chosen by the author of the computation.
    #[cfg(feature = "functions")]
    pub fn functions(&self) -> Vec<Function> {
        let mut functions: Vec<Function> = Vec::new();
        for call in self.instructions.iter().filter_map(Instruction::call) {
            let function = Function { shared: call.function.clone() };
            if !functions.contains(&function) {
                functions.push(function);
            }
        }
        functions
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
        let mut capped: Vec<(SharedFunction, SharedFunction)> = Vec::new();
        let mut instructions = self.instructions.to_vec();
        for instruction in &mut instructions {
            let Payload::Call(call) = &mut instruction.payload else { continue };
            let known = capped.iter().find(|(from, _)| *from == call.function);
            let function = match known {
                Some((_, to)) => to.clone(),
                None => {
                    let to = call.function.capped(most);
                    capped.push((call.function.clone(), to.clone()));
                    to
                }
            };
            call.function = function;
        }
        self.instructions = Instructions::new(instructions);
        self
    }

    /// Returns the shape of the first result.
    pub fn shape(&self) -> &Shape {
        &self.instructions[self.roots[0]].shape
    }

    /// Returns the element type of the first result.
    pub fn element_type(&self) -> ElementType {
        self.instructions[self.roots[0]].element_type
    }

    /// Returns the element types and shapes of all results, in the order of
    /// [`Context::run_all`](crate::Context::run_all).
    pub fn results(&self) -> impl ExactSizeIterator<Item = (ElementType, &Shape)> {
        let instructions = self.roots.iter().map(|&root| &self.instructions[root]);
        instructions.map(|instruction| (instruction.element_type, &instruction.shape))
    }

    /// Returns the parameters, in the order of the arguments of
    /// [`Context::run`](crate::Context::run).
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// Checks that arguments of these element types and shapes match the parameters.
    pub(crate) fn check_arguments<'a>(
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

    /// Returns the number of the parameter that a result equals, at most reshaped, so that nothing
    /// is computed; `None` for other results.
    pub(crate) fn forwarded_parameter(&self, root: NodeId) -> Option<usize> {
        let root = &self.instructions[root];
        let (instruction, keeps_elements) = match root.inputs.as_slice() {
            [input] if root.is_view() => {
                let operand = &self.instructions[input.node];
                (operand, input.view.keeps_elements(&operand.shape, &root.shape))
            }
            _ => (root, true),
        };
        match instruction.payload {
            Payload::Parameter(number) if keeps_elements => Some(number),
            _ => None,
        }
    }

    /// Returns the instructions that are constants, with their values, which all differ.
    pub(crate) fn constants(&self) -> impl Iterator<Item = (NodeId, Scalar)> {
        let constant = |(node, instruction): (NodeId, &Instruction)| match instruction.payload {
            Payload::Constant(value) => Some((node, value)),
            _ => None,
        };
        self.instructions.iter().enumerate().filter_map(constant)
    }

    /// Returns the calls of functions with loops.
    pub(crate) fn calls_with_loops(&self) -> impl Iterator<Item = &Call> {
        let calls = self.instructions.iter().filter_map(Instruction::call);
        calls.filter(|call| call.has_loops())
    }

    /// Returns, for each instruction, whether it calls a function with loops or is computed from
    /// one that does.
    pub(crate) fn rests_on_loops(&self) -> Vec<bool> {
        let mut rests: Vec<bool> = Vec::with_capacity(self.instructions.len());
        for instruction in self.instructions.iter() {
            rests.push(instruction.rests_on_loops(|operand| rests[operand]));
        }
        rests
    }

    /// Returns the results that are computed, each once, ascending: those that are not parameters,
    /// or all if each is to be in memory of its own.
    pub(crate) fn computed_roots(&self, own_memory: bool) -> Vec<NodeId> {
        let roots = self.roots.iter().copied();
        let mut computed: Vec<NodeId> =
            roots.filter(|&root| own_memory || self.forwarded_parameter(root).is_none()).collect();
        computed.sort_unstable();
        computed.dedup();
        computed
    }
}

//! [`Expr`]: lazy, typed expressions. Operators and methods build, [`Expr::eval`] computes: one
//! kernel and one pass over memory, as far as that goes.
//!
//! The rules are those of [`Builder`](crate::Builder), asked at every step; the first refusal stays
//! in the expression with the place in the caller's source and comes out of `eval`.

use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use crate::device::array::{AnyArray, Array};
use crate::device::context::Context;
use crate::device::exec::run;
use crate::graph::computation::{Computation, Input, Instruction, NodeId, Parameter, Payload};
use crate::graph::instruction_list::InstructionList;
use crate::semantics::element::{Element, ElementType, Scalar};
use crate::semantics::error::{ArrayError, Error, Result};
use crate::semantics::hash::FastMap;
use crate::semantics::infer::{self, Inferred, TensorType};
use crate::semantics::opcode::Opcode;
use crate::semantics::precision::Precision;
use crate::semantics::shape::Shape;
use crate::semantics::view::View;

/// A value that is computed when it is asked for. Cheap to clone; a clone shares its computation.
#[derive(Clone)]
pub struct Expr<T> {
    /// Or the first error, from where it arose.
    value: Result<Arc<Node>, Arc<Error>>,
    marker: PhantomData<fn() -> T>,
}

/// An operand of a binary operation that says which dimensions of the other one its own match.
///
/// Made by `in_dim`; `&x + v.in_dim([1])` is XlaBuilder's `Add(x, v, {1})`.
#[derive(Clone)]
pub struct InDim<T> {
    expr: Expr<T>,
    broadcast_dimensions: Vec<i64>,
}

#[derive(Debug)]
struct Node {
    kind: Kind,
    element_type: ElementType,
    shape: Shape,
    inputs: Vec<(Arc<Node>, View)>,
    evaluated: Evaluated,
}

/// What a node keeps for being evaluated again. The first time it is only noted: what is evaluated
/// once, as each step of a long loop is, is not worth the memory.
#[derive(Debug, Default)]
struct Evaluated {
    once: AtomicBool,
    /// `None` if it is too long to be kept.
    program: OnceLock<Option<Box<Program>>>,
}

/// Most instructions of a program that an expression keeps.
const MAX_KEPT_INSTRUCTIONS: usize = 256;

#[derive(Debug)]
enum Kind {
    Array(AnyArray),
    Constant(Scalar),
    Operation(Opcode),
    /// With the dimension along which the values count up.
    Iota(usize),
    /// Its one input, whose operations have this precision where nothing nearer says otherwise.
    Precision(Precision),
}

impl Drop for Node {
    /// Takes a long chain apart in a loop: one stack frame a node would overflow the stack.
    fn drop(&mut self) {
        let mut stack = std::mem::take(&mut self.inputs);
        while let Some((input, _)) = stack.pop() {
            if let Some(mut node) = Arc::into_inner(input) {
                stack.append(&mut node.inputs);
            }
        }
    }
}

impl<T: Element> fmt::Debug for Expr<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            Ok(node) => write!(f, "Expr({}{})", node.element_type, node.shape),
            Err(error) => write!(f, "Expr({error})"),
        }
    }
}

impl<T: Element> fmt::Debug for InDim<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}.in_dim({:?})", self.expr, self.broadcast_dimensions)
    }
}

/// What can stand where an expression is wanted: an expression, an array, a scalar.
pub trait IntoExpr<T: Element> {
    /// The expression.
    fn into_expr(self) -> Expr<T>;
}

/// What can be an operand of a binary operator: an expression, or one with `in_dim`.
pub trait Operand<T: Element> {
    /// The expression, and its `broadcast_dimensions` if it carries some.
    fn into_operand(self) -> (Expr<T>, Option<Vec<i64>>);
}

macro_rules! into_expr {
    ($($operand:ty: |$this:ident| $expr:expr;)*) => {$(
        impl<T: Element> IntoExpr<T> for $operand {
            fn into_expr(self) -> Expr<T> {
                let $this = self;
                $expr
            }
        }

        impl<T: Element> Operand<T> for $operand {
            fn into_operand(self) -> (Expr<T>, Option<Vec<i64>>) {
                (self.into_expr(), None)
            }
        }
    )*};
}

into_expr! {
    T: |scalar| Expr::leaf(Kind::Constant(Scalar::new(scalar)), Shape::scalar());
    Expr<T>: |expr| expr;
    &Expr<T>: |expr| expr.clone();
    Array<T>: |array| array.expr();
    &Array<T>: |array| array.expr();
}

impl<T: Element> Operand<T> for InDim<T> {
    fn into_operand(self) -> (Expr<T>, Option<Vec<i64>>) {
        (self.expr, Some(self.broadcast_dimensions))
    }
}

impl<T: Element> Array<T> {
    /// The array as an expression.
    pub fn expr(&self) -> Expr<T> {
        let shape = self.shape().clone();
        Expr::leaf(Kind::Array(self.as_any().clone()), shape)
    }

    /// The array as an operand whose dimensions match these ones of the other operand.
    pub fn in_dim(&self, broadcast_dimensions: impl Into<Vec<i64>>) -> InDim<T> {
        self.expr().in_dim(broadcast_dimensions)
    }
}

impl<T: Element> Expr<T> {
    fn leaf(kind: Kind, shape: Shape) -> Self {
        let inferred = Inferred { element_type: T::ELEMENT_TYPE, shape, views: Vec::new() };
        let node = Node::new(kind, inferred, Vec::new());
        Self { value: Ok(Arc::new(node)), marker: PhantomData }
    }

    /// 0, 1, 2, ... along one dimension of a shape of these sizes.
    ///
    /// # Errors
    /// Kept for `eval`: rules N1, T1, I1, C1.
    #[track_caller]
    pub fn iota(sizes: &[i64], iota_dimension: i64) -> Self {
        let made = infer::iota(T::ELEMENT_TYPE, sizes, iota_dimension)
            .map(|(inferred, dimension)| Node::new(Kind::Iota(dimension), inferred, Vec::new()));
        Self::made(made, Location::caller())
    }

    /// The expression as an operand whose dimensions match these ones of the other operand.
    pub fn in_dim(&self, broadcast_dimensions: impl Into<Vec<i64>>) -> InDim<T> {
        InDim { expr: self.clone(), broadcast_dimensions: broadcast_dimensions.into() }
    }

    /// The same value, computed with this precision: of all operations in it but for those for
    /// which an inner `with_precision` said so before.
    ///
    /// ```no_run
    /// # fn example(x: indim::Array<f32>) -> indim::Result<()> {
    /// use indim::Precision;
    ///
    /// let rough = x.sin() * x.exp();
    /// let y = (rough.with_precision(Precision::Relaxed) + &x).eval()?; // an accurate sum
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn with_precision(&self, precision: Precision) -> Self {
        let Ok(node) = &self.value else { return self.clone() };
        let inferred = Inferred {
            element_type: node.element_type,
            shape: node.shape.clone(),
            views: vec![View::identity(&node.shape)],
        };
        let node = Node::new(Kind::Precision(precision), inferred, vec![Arc::clone(node)]);
        Self { value: Ok(Arc::new(node)), marker: PhantomData }
    }

    /// Shape of the value.
    ///
    /// # Errors
    /// The first error of the expression.
    pub fn shape(&self) -> Result<&Shape> {
        match &self.value {
            Ok(node) => Ok(&node.shape),
            Err(error) => Err(Error::clone(error)),
        }
    }

    /// Computes the value, on the context of the arrays in it. Does not wait for the GPU.
    ///
    /// # Errors
    /// The first error of the expression, with its place in the caller's source;
    /// [`ArrayError::TwoContexts`], [`ArrayError::NoContext`]; [`DeviceError`](crate::DeviceError).
    pub fn eval(&self) -> Result<Array<T>> {
        self.eval_on(None)
    }

    fn eval_on(&self, context: Option<&Context>) -> Result<Array<T>> {
        let root = self.node()?;
        let built;
        let program = match root.kept_program() {
            Some(kept) => kept,
            None => {
                built = Program::of(&root);
                &built
            }
        };
        let own = program.arrays.first().map(|a| a.context().clone());
        let context = match (context, own) {
            (Some(context), _) => context.clone(),
            (None, Some(own)) => own,
            (None, None) => return Err(ArrayError::NoContext.into()),
        };
        if program.arrays.iter().any(|a| !a.context().is(&context)) {
            return Err(ArrayError::TwoContexts.into());
        }
        let arguments: Vec<&AnyArray> = program.arrays.iter().collect();
        run::execute(&context, &program.computation, &arguments)?.downcast()
    }

    fn node(&self) -> Result<Arc<Node>> {
        self.value.as_ref().map(Arc::clone).map_err(|error| Error::clone(error))
    }

    /// The expression of a node, or of an error with its place.
    fn made(node: Result<Node>, location: &'static Location<'static>) -> Self {
        let value = node.map(Arc::new).map_err(|error| {
            Arc::new(match error {
                // An operand's error is older and keeps its own place.
                kept @ Error::Expression { .. } => kept,
                fresh => Error::Expression { location, source: Box::new(fresh) },
            })
        });
        Self { value, marker: PhantomData }
    }
}

impl Context {
    /// Computes an expression here; for one without arrays, which has no context of its own.
    ///
    /// # Errors
    /// As [`Expr::eval`].
    pub fn eval<T: Element>(&self, expr: &Expr<T>) -> Result<Array<T>> {
        expr.eval_on(Some(self))
    }
}

impl Node {
    fn new(kind: Kind, inferred: Inferred, inputs: Vec<Arc<Node>>) -> Self {
        Self {
            kind,
            element_type: inferred.element_type,
            shape: inferred.shape,
            inputs: inputs.into_iter().zip(inferred.views).collect(),
            evaluated: Evaluated::default(),
        }
    }

    /// The program of an expression that was evaluated before.
    fn kept_program(self: &Arc<Self>) -> Option<&Program> {
        if !self.evaluated.once.swap(true, Ordering::Relaxed) {
            return None;
        }
        let build = || {
            let program = Program::of(self);
            let short = program.computation.instructions.len() <= MAX_KEPT_INSTRUCTIONS;
            short.then(|| Box::new(program))
        };
        self.evaluated.program.get_or_init(build).as_deref()
    }

    fn tensor_type(&self) -> TensorType<'_> {
        TensorType { element_type: self.element_type, shape: &self.shape }
    }
}

// ---- operations, for the faces -----------------------------------------------------------------

/// A binary operation or compare with XlaBuilder's arguments.
pub(crate) fn binary<T: Element, R: Element>(
    opcode: Opcode,
    lhs: &Expr<T>,
    rhs: &Expr<T>,
    broadcast_dimensions: &[i64],
) -> Result<Expr<R>> {
    let (lhs, rhs) = (lhs.node()?, rhs.node()?);
    let inferred =
        infer::binary(opcode, lhs.tensor_type(), rhs.tensor_type(), broadcast_dimensions)?;
    Ok(operation(opcode, inferred, vec![lhs, rhs]))
}

/// A binary operation or compare of operands that may carry `in_dim`.
pub(crate) fn binary_operands<T: Element, R: Element>(
    opcode: Opcode,
    lhs: impl Operand<T>,
    rhs: impl Operand<T>,
    location: &'static Location<'static>,
) -> Expr<R> {
    let ((lhs, lhs_dims), (rhs, rhs_dims)) = (lhs.into_operand(), rhs.into_operand());
    let made = lhs.shape().and_then(|lhs_shape| {
        let dims = infer::in_dim_of(
            opcode,
            (lhs_shape, lhs_dims.as_deref()),
            (rhs.shape()?, rhs_dims.as_deref()),
        )?;
        binary(opcode, &lhs, &rhs, &dims)
    });
    kept(made, location)
}

pub(crate) fn unary<T: Element, R: Element>(opcode: Opcode, x: &Expr<T>) -> Result<Expr<R>> {
    let x = x.node()?;
    let inferred = infer::unary(opcode, x.tensor_type())?;
    Ok(operation(opcode, inferred, vec![x]))
}

pub(crate) fn convert<T: Element, R: Element>(opcode: Opcode, x: &Expr<T>) -> Result<Expr<R>> {
    let x = x.node()?;
    let inferred = infer::convert(opcode, x.tensor_type(), R::ELEMENT_TYPE)?;
    Ok(operation(opcode, inferred, vec![x]))
}

pub(crate) fn select<T: Element>(
    pred: &Expr<bool>,
    on_true: &Expr<T>,
    on_false: &Expr<T>,
) -> Result<Expr<T>> {
    let (pred, on_true, on_false) = (pred.node()?, on_true.node()?, on_false.node()?);
    let inferred =
        infer::select(pred.tensor_type(), on_true.tensor_type(), on_false.tensor_type())?;
    Ok(operation(Opcode::Select, inferred, vec![pred, on_true, on_false]))
}

pub(crate) fn clamp<T: Element>(min: &Expr<T>, x: &Expr<T>, max: &Expr<T>) -> Result<Expr<T>> {
    let (min, x, max) = (min.node()?, x.node()?, max.node()?);
    let inferred = infer::clamp(min.tensor_type(), x.tensor_type(), max.tensor_type())?;
    Ok(operation(Opcode::Clamp, inferred, vec![min, x, max]))
}

pub(crate) fn next_after<T: Element>(from: &Expr<T>, to: &Expr<T>) -> Result<Expr<T>> {
    let (from, to) = (from.node()?, to.node()?);
    let inferred = infer::next_after(from.tensor_type(), to.tensor_type())?;
    Ok(operation(Opcode::NextAfter, inferred, vec![from, to]))
}

pub(crate) fn reduce_precision<T: Element>(
    x: &Expr<T>,
    exponent_bits: i64,
    mantissa_bits: i64,
) -> Result<Expr<T>> {
    let x = x.node()?;
    let (inferred, format) =
        infer::reduce_precision(x.tensor_type(), exponent_bits, mantissa_bits)?;
    let [exponent, mantissa] =
        format.map(|bits| Expr::<u32>::leaf(Kind::Constant(bits), Shape::scalar()).node());
    Ok(operation(Opcode::ReducePrecision, inferred, vec![exponent?, mantissa?, x]))
}

pub(crate) fn broadcast<T: Element>(x: &Expr<T>, sizes: &[i64]) -> Result<Expr<T>> {
    let x = x.node()?;
    let inferred = infer::broadcast(x.tensor_type(), sizes)?;
    Ok(operation(Opcode::Broadcast, inferred, vec![x]))
}

pub(crate) fn broadcast_in_dim<T: Element>(
    x: &Expr<T>,
    out_sizes: &[i64],
    broadcast_dimensions: &[i64],
) -> Result<Expr<T>> {
    // The operand's own error comes first.
    x.node()?;
    let output =
        Shape::from_signed(out_sizes).map_err(Error::shape(Opcode::BroadcastInDim.method()))?;
    broadcast_to(x, &output, broadcast_dimensions)
}

/// [`broadcast_in_dim`] to a shape.
pub(crate) fn broadcast_to<T: Element>(
    x: &Expr<T>,
    output: &Shape,
    broadcast_dimensions: &[i64],
) -> Result<Expr<T>> {
    let x = x.node()?;
    let inferred = infer::broadcast_in_dim(x.tensor_type(), output, broadcast_dimensions)?;
    Ok(operation(Opcode::BroadcastInDim, inferred, vec![x]))
}

pub(crate) fn transpose<T: Element>(x: &Expr<T>, permutation: &[i64]) -> Result<Expr<T>> {
    let x = x.node()?;
    let inferred = infer::transpose(x.tensor_type(), permutation)?;
    Ok(operation(Opcode::Transpose, inferred, vec![x]))
}

pub(crate) fn slice<T: Element>(
    x: &Expr<T>,
    start_indices: &[i64],
    limit_indices: &[i64],
    strides: &[i64],
) -> Result<Expr<T>> {
    let x = x.node()?;
    let inferred = infer::slice(x.tensor_type(), start_indices, limit_indices, strides)?;
    Ok(operation(Opcode::Slice, inferred, vec![x]))
}

pub(crate) fn reverse<T: Element>(x: &Expr<T>, dimensions: &[i64]) -> Result<Expr<T>> {
    let x = x.node()?;
    let inferred = infer::reverse(x.tensor_type(), dimensions)?;
    Ok(operation(Opcode::Reverse, inferred, vec![x]))
}

pub(crate) fn reshape<T: Element>(x: &Expr<T>, new_sizes: &[i64]) -> Result<Expr<T>> {
    let x = x.node()?;
    let inferred = infer::reshape(x.tensor_type(), new_sizes)?;
    Ok(operation(Opcode::Reshape, inferred, vec![x]))
}

fn operation<R: Element>(opcode: Opcode, inferred: Inferred, inputs: Vec<Arc<Node>>) -> Expr<R> {
    let node = Node::new(Kind::Operation(opcode), inferred, inputs);
    Expr { value: Ok(Arc::new(node)), marker: PhantomData }
}

/// An expression that keeps the error and its place.
pub(crate) fn kept<R: Element>(
    made: Result<Expr<R>>,
    location: &'static Location<'static>,
) -> Expr<R> {
    made.unwrap_or_else(|error| Expr::made(Err(error), location))
}

// ---- evaluation --------------------------------------------------------------------------------

/// An expression as instructions, its arrays as parameters.
#[derive(Debug)]
struct Program {
    computation: Computation,
    arrays: Vec<AnyArray>,
}

impl Program {
    /// Depth first with a stack of its own: an expression may be deeper than the thread's stack.
    fn of(root: &Arc<Node>) -> Self {
        let mut writing = Writing::default();
        let mut last = 0;
        // A node that is reached under two precisions is two instructions.
        let mut stack: Vec<(&Node, Option<Precision>, bool)> = vec![(root, None, false)];
        while let Some((node, outer, inputs_done)) = stack.pop() {
            let key = (std::ptr::from_ref(node), outer);
            if writing.places.contains_key(&key) {
                continue;
            }
            let precision = match node.kind {
                Kind::Precision(inner) => Some(inner),
                _ => outer,
            };
            if !inputs_done && !node.inputs.is_empty() {
                stack.push((node, outer, true));
                let inputs = node.inputs.iter().rev();
                stack.extend(inputs.map(|(input, _)| (&**input, precision, false)));
                continue;
            }
            last = writing.write(node, precision);
            writing.places.insert(key, last);
        }
        let Writing { list, parameters, arrays, .. } = writing;
        let computation = Computation { instructions: list.instructions, parameters, root: last };
        Self { computation, arrays }
    }
}

/// A program that is being written.
#[derive(Default)]
struct Writing {
    list: InstructionList,
    parameters: Vec<Parameter>,
    arrays: Vec<AnyArray>,
    /// By the array's address.
    parameter_of: FastMap<usize, usize>,
    /// Of a node under the precision that holds around it.
    places: FastMap<(*const Node, Option<Precision>), NodeId>,
}

impl Writing {
    /// The place of a node's instruction, whose inputs are written.
    fn write(&mut self, node: &Node, precision: Option<Precision>) -> NodeId {
        let mut inputs: Vec<Input> = Vec::with_capacity(node.inputs.len());
        for (input, view) in &node.inputs {
            let place = self.places[&(Arc::as_ptr(input), precision)];
            inputs.push(Input { node: place, view: view.clone() });
        }
        let (opcode, payload) = match &node.kind {
            Kind::Array(array) => (Opcode::Parameter, Payload::Parameter(self.parameter(array))),
            Kind::Constant(value) => (Opcode::Constant, Payload::Constant(*value)),
            Kind::Iota(dimension) => (Opcode::Iota, Payload::Iota(*dimension)),
            Kind::Operation(opcode) => (*opcode, Payload::None),
            // It has one input.
            Kind::Precision(_) => return inputs.first().map_or(0, |input| input.node),
        };
        self.list.push(Instruction {
            opcode,
            element_type: node.element_type,
            shape: node.shape.clone(),
            inputs,
            payload,
            precision: Precision::of(precision, opcode, node.element_type),
        })
    }

    /// The number of the parameter that an array is.
    fn parameter(&mut self, array: &AnyArray) -> usize {
        let next = self.arrays.len();
        let number = *self.parameter_of.entry(array.address()).or_insert(next);
        if number == next {
            let (element_type, shape) = (array.element_type(), array.shape().clone());
            self.arrays.push(array.clone());
            self.parameters.push(Parameter { element_type, shape });
        }
        number
    }
}

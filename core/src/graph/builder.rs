//! [`Builder`], which makes a [`Computation`] and checks every rule at each call.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::graph::build;
use crate::graph::build::node_graph::{FunctionCall, Graph};
use crate::graph::computation::{Computation, Instruction, NodeId, Parameter};
use crate::graph::instruction_list::InstructionList;
use crate::graph::operation::Operation;
use crate::semantics::dims::Dims;
use crate::semantics::element::{ElementType, Scalar};
use crate::semantics::error::{BuilderError, Error, Result};
use crate::semantics::infer::{Inferred, TensorType};
use crate::semantics::opcode::Opcode;
use crate::semantics::precision::Precision;
use crate::semantics::product::DotDimensionNumbers;
use crate::semantics::shape::Shape;

/// A handle of a value in a [`Builder`], as `XlaOp` is in XLA. It is valid for that builder only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Op {
    builder: u64,
    node: NodeId,
}

/// Builds a [`Computation`] with element types known at run time. It mirrors `XlaBuilder`.
///
/// Every method checks its operands by XLA's rules at once, without a GPU; a failed call leaves the
/// builder unchanged. `broadcast_dimensions`, sizes and indices are lists of any integers
/// ([`Dims`]), signed as in XLA, and count elements; negative ones are refused, as in XLA. An empty
/// `broadcast_dimensions` means none.
///
/// A builder does not limit the number of operations: each takes less than 300 bytes until the
/// builder or its computation is dropped. An `Expr` takes as much. Count the operations when
/// building from untrusted text.
///
/// Errors carry the broken [`Rule`](crate::Rule) ([`Error::rule`](crate::Error::rule)). Every
/// method that takes an [`Op`] fails with [`BuilderError::ForeignOp`] if it belongs to another
/// builder.
///
/// ```
/// use indim::{Builder, ElementType, Opcode};
///
/// let mut b = Builder::new();
/// let x = b.parameter(ElementType::F32, [2, 3])?;
/// let v = b.parameter(ElementType::F32, [3])?;
/// let sum = b.binary(Opcode::Add, x, v, &[1])?;
/// assert_eq!(b.shape(sum)?.dims(), [2, 3]);
///
/// let refused = b.binary(Opcode::Add, x, v, &[]).unwrap_err();
/// assert_eq!(
///     refused.to_string(),
///     "add: lhs [2, 3] has rank 2 and rhs [3] has rank 1, but broadcast_dimensions is empty; \
///      say which dimension of lhs each dimension of rhs matches, such as [1]"
/// );
/// let column = b.reshape(v, [3_usize, 1])?;
/// assert_eq!(b.shape(column)?.dims(), [3, 1]);
/// let computation = b.build(sum)?;
/// assert_eq!(computation.parameters().len(), 2);
/// # Ok::<(), indim::Error>(())
/// ```
#[derive(Debug)]
pub struct Builder {
    id: u64,
    list: InstructionList,
    parameters: Vec<Parameter>,
    precision: Option<Precision>,
}

impl Default for Builder {
    fn default() -> Self {
        Self::new()
    }
}

impl Builder {
    /// Returns an empty builder.
    ///
    /// ```
    /// use indim::{Builder, ElementType::F32};
    ///
    /// let mut b = Builder::new();
    /// let x = b.parameter(F32, [2, 3])?;
    /// let y = b.tanh(x)?;
    /// assert_eq!(b.build(y)?.parameters().len(), 1);
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn new() -> Self {
        // The numbers must only differ, and no process lives long enough to make 2^64 builders.
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            list: InstructionList::default(),
            parameters: Vec::new(),
            precision: None,
        }
    }

    /// Sets the precision of the operations that are added from now on. Operations added before
    /// take the precision of the context that runs the computation.
    ///
    /// ```
    /// use indim::{Builder, ElementType::F32, Precision};
    ///
    /// let mut b = Builder::new();
    /// let x = b.parameter(F32, [2, 3])?;
    /// b.set_precision(Precision::Relaxed);
    /// let rough = b.tanh(x)?;
    /// b.set_precision(Precision::Accurate);
    /// let y = b.add(rough, x, [])?;
    /// let stored = serde_json::to_value(b.build(y)?)?; // with the feature `serde`
    /// assert_eq!(stored["instructions"][1]["precision"], "relaxed");
    /// assert_eq!(stored["instructions"][2]["precision"], "accurate");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_precision(&mut self, precision: Precision) {
        self.precision = Some(precision);
    }

    /// Sets the precision of the operations added from now on; `None` requests none.
    pub(crate) fn request_precision(&mut self, precision: Option<Precision>) {
        self.precision = precision;
    }

    /// Adds a parameter: an array that is given when the computation runs. Parameters are numbered
    /// in the order of these calls, from 0.
    ///
    /// ```
    /// # use indim::{Builder, ElementType::F32, Opcode, Scalar};
    /// let mut b = Builder::new();
    /// let x = b.parameter(F32, [2, 3])?;
    /// assert_eq!(b.shape(x)?.dims(), [2, 3]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ShapeError`](crate::ShapeError) by rule C1.
    pub fn parameter(&mut self, element_type: ElementType, shape: impl Dims) -> Result<Op> {
        let shape = shape.to_shape().map_err(Error::shape(Opcode::Parameter.method()))?;
        shape.element_count().map_err(Error::shape(Opcode::Parameter.method()))?;
        let number = self.parameters.len();
        self.parameters.push(Parameter { element_type, shape: shape.clone() });
        Ok(self.push(Operation::Parameter(number), Inferred { element_type, shape }, &[]))
    }

    /// Adds a constant of rank 0.
    ///
    /// ```
    /// # use indim::{Builder, ElementType::F32, Opcode, Scalar};
    /// let mut b = Builder::new();
    /// let x = b.parameter(F32, [2, 3])?;
    /// let half = b.constant(Scalar::new(0.5_f32))?;
    /// let y = b.mul(x, half, [])?;
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// None today.
    pub fn constant(&mut self, value: Scalar) -> Result<Op> {
        Ok(build::constant(self, value))
    }

    /// Adds a binary operation or a comparison, of class
    /// [`OpClass::Binary`](crate::OpClass::Binary) or
    /// [`OpClass::Compare`](crate::OpClass::Compare).
    ///
    /// `broadcast_dimensions[i]` is the dimension of the higher-rank operand that dimension i of
    /// the lower-rank one matches. It is empty for operands of equal rank and for scalars. In
    /// matched dimensions, size 1 stretches to the other size.
    ///
    /// ```
    /// # use indim::{Builder, ElementType::F32, Opcode, Scalar};
    /// let mut b = Builder::new();
    /// let x = b.parameter(F32, [2, 3])?;
    /// let v = b.parameter(F32, [3])?;
    /// let sum = b.binary(Opcode::Add, x, v, [1])?;
    /// assert_eq!(b.shape(sum)?.dims(), [2, 3]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`TypeError`](crate::TypeError) by rules T1 and T2;
    /// [`BroadcastError`](crate::BroadcastError) by rules B1 to B8;
    /// [`ShapeError`](crate::ShapeError) by rule C1; [`BuilderError::WrongMethod`] for an operation
    /// of another class.
    pub fn binary(
        &mut self,
        opcode: Opcode,
        lhs: Op,
        rhs: Op,
        broadcast_dimensions: impl Dims,
    ) -> Result<Op> {
        build::binary(self, opcode, &lhs, &rhs, &broadcast_dimensions.to_signed())
    }

    /// Adds a reduction of any opcode of class [`OpClass::Reduce`](crate::OpClass::Reduce) along
    /// these dimensions, which the result lacks.
    ///
    /// ```
    /// use indim::{Builder, ElementType::F32, Opcode};
    ///
    /// let mut b = Builder::new();
    /// let x = b.parameter(F32, [2, 3])?;
    /// let sum = b.reduce(Opcode::ReduceSum, x, [1])?;
    /// assert_eq!(b.shape(sum)?.dims(), [2]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`TypeError`](crate::TypeError) by rule T1; [`ViewError`](crate::ViewError) by rules R1 and
    /// R2; [`BuilderError::WrongMethod`] for another opcode.
    pub fn reduce(&mut self, opcode: Opcode, operand: Op, dimensions: impl Dims) -> Result<Op> {
        build::reduce(self, opcode, &operand, &dimensions.to_signed())
    }

    /// Adds a reduction whose result is combined with `init`, the initial value of XLA's `Reduce`: a
    /// scalar of the operand's element type, or an array of the result's shape.
    ///
    /// ```
    /// use indim::{Builder, ElementType::F32, Opcode, Scalar};
    ///
    /// let mut b = Builder::new();
    /// let (x, init) = (b.parameter(F32, [2, 3])?, b.constant(Scalar::new(1.0f32))?);
    /// let sum = b.reduce_with_init(Opcode::ReduceSum, x, init, [1])?;
    /// assert_eq!(b.shape(sum)?.dims(), [2]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// It returns the errors of [`Builder::reduce`]; [`TypeError`](crate::TypeError) by rule T2 for
    /// another element type, [`BroadcastError`](crate::BroadcastError) for another shape.
    pub fn reduce_with_init(
        &mut self,
        opcode: Opcode,
        operand: Op,
        init: Op,
        dimensions: impl Dims,
    ) -> Result<Op> {
        build::reduce_with_init(self, opcode, &operand, &init, &dimensions.to_signed())
    }

    /// Adds a unary operation, of class [`OpClass::Unary`](crate::OpClass::Unary). The result has
    /// the operand's shape.
    ///
    /// ```
    /// # use indim::{Builder, ElementType::F32, Opcode, Scalar};
    /// let mut b = Builder::new();
    /// let x = b.parameter(F32, [2, 3])?;
    /// let y = b.unary(Opcode::Tanh, x)?;
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`TypeError`](crate::TypeError) by rule T1; [`BuilderError::WrongMethod`] for an operation
    /// of another class.
    pub fn unary(&mut self, opcode: Opcode, operand: Op) -> Result<Op> {
        build::unary(self, opcode, &operand)
    }

    /// Adds a select: elements of `on_true` where `pred` is true, else of `on_false`. The operands
    /// have one shape or are scalars.
    ///
    /// ```
    /// # use indim::{Builder, ElementType::F32, Opcode, Scalar};
    /// let mut b = Builder::new();
    /// let x = b.parameter(F32, [2, 3])?;
    /// let zero = b.constant(Scalar::new(0_f32))?;
    /// let is_positive = b.gt(x, zero, [])?;
    /// let relu = b.select(is_positive, x, zero)?;
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`BroadcastError`](crate::BroadcastError) by rule S1; [`TypeError`](crate::TypeError) by
    /// rules T2 and T3.
    pub fn select(&mut self, pred: Op, on_true: Op, on_false: Op) -> Result<Op> {
        build::select(self, &pred, &on_true, &on_false)
    }

    /// Adds a clamp: the smaller one of `max` and the larger one of `min` and `x`. The operands
    /// have one shape or are scalars.
    ///
    /// ```
    /// # use indim::{Builder, ElementType::F32, Opcode, Scalar};
    /// let mut b = Builder::new();
    /// let x = b.parameter(F32, [2, 3])?;
    /// let [zero, one] = [b.constant(Scalar::new(0_f32))?, b.constant(Scalar::new(1_f32))?];
    /// let y = b.clamp(zero, x, one)?;
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`BroadcastError`](crate::BroadcastError) by rule S1; [`TypeError`](crate::TypeError) by
    /// rules T1 and T2.
    pub fn clamp(&mut self, min: Op, x: Op, max: Op) -> Result<Op> {
        build::clamp(self, &min, &x, &max)
    }

    /// Adds a concatenation: the operands one after the other along a dimension; XlaBuilder's
    /// `ConcatInDim`. An operand may have size 0 along it.
    ///
    /// ```
    /// # use indim::{Builder, ElementType::F32, Opcode, Scalar};
    /// let mut b = Builder::new();
    /// let x = b.parameter(F32, [2, 3])?;
    /// let both = b.concatenate(&[x, x], 0)?;
    /// assert_eq!(b.shape(both)?.dims(), [4, 3]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ViewError`](crate::ViewError) by rule V9; [`TypeError`](crate::TypeError) by rule T2;
    /// [`ShapeError`](crate::ShapeError) by rule C1.
    pub fn concatenate(&mut self, operands: &[Op], dimension: i64) -> Result<Op> {
        build::concatenate(self, operands, dimension)
    }

    /// Adds the elements of an operand at computed indices along a dimension, which the result has
    /// the dimensions of `indices` in place of. Indices are of any integer type; one that is out of
    /// range is clamped, as XLA's gather does: a negative one reads the first element, and one that is
    /// too large the last. A kernel reads the elements where it needs them, and nothing is copied.
    ///
    /// ```
    /// use indim::{Builder, ElementType::{F32, S32}};
    ///
    /// let mut b = Builder::new();
    /// let words = b.parameter(F32, [1000, 64])?;
    /// let text = b.parameter(S32, [8, 20])?;
    /// let embedded = b.take(words, text, 0)?;
    /// assert_eq!(b.shape(embedded)?.dims(), [8, 20, 64]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`TypeError`](crate::TypeError) by rule T1; [`ViewError`](crate::ViewError) by rules G1 and G2;
    /// [`ShapeError`](crate::ShapeError) by rule C1.
    pub fn take(&mut self, operand: Op, indices: Op, dimension: i64) -> Result<Op> {
        build::take(self, &operand, &indices, dimension)
    }

    /// Adds the elements of an operand at an index of their own along a dimension: those of `indices`
    /// at the same place. Both have one rank, and in the other dimensions sizes are equal or 1, which
    /// stretches. Indices are clamped as those of [`Self::take`].
    ///
    /// ```
    /// use indim::{Builder, ElementType::{F32, S32}};
    ///
    /// let mut b = Builder::new();
    /// let scores = b.parameter(F32, [8, 1000])?;
    /// let chosen = b.parameter(S32, [8, 1])?;
    /// let score = b.take_along_dimension(scores, chosen, 1)?;
    /// assert_eq!(b.shape(score)?.dims(), [8, 1]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`TypeError`](crate::TypeError) by rule T1; [`ViewError`](crate::ViewError) by rules G1, G2 and
    /// G3; [`ShapeError`](crate::ShapeError) by rule C1.
    pub fn take_along_dimension(&mut self, operand: Op, indices: Op, dimension: i64) -> Result<Op> {
        build::take_along_dimension(self, &operand, &indices, dimension)
    }

    /// Adds the product of two vectors or matrices: the sum of products along the last dimension of
    /// `lhs` and the first of `rhs`, in the order and with the accuracy of
    /// [`reduce_sum`](Self::reduce_sum). F16 and BF16 are multiplied and added in F32, and rounded once.
    ///
    /// ```
    /// use indim::{Builder, ElementType::F32};
    ///
    /// let mut b = Builder::new();
    /// let (x, y) = (b.parameter(F32, [2, 5])?, b.parameter(F32, [5, 3])?);
    /// let product = b.dot(x, y)?;
    /// assert_eq!(b.shape(product)?.dims(), [2, 3]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`TypeError`](crate::TypeError) by rule T2; [`ViewError`](crate::ViewError) by rules M2 and M3;
    /// [`ShapeError`](crate::ShapeError) by rule C1, for the shape of the products before their sum.
    pub fn dot(&mut self, lhs: Op, rhs: Op) -> Result<Op> {
        build::dot(self, &lhs, &rhs)
    }

    /// Adds sums of products by dimensions of both operands, as XLA's DotGeneral; else as
    /// [`Self::dot`].
    ///
    /// ```
    /// use indim::{Builder, DotDimensionNumbers, ElementType::F32};
    ///
    /// let mut b = Builder::new();
    /// let (x, y) = (b.parameter(F32, [8, 2, 5])?, b.parameter(F32, [8, 3, 5])?);
    /// let numbers = DotDimensionNumbers::contracting([2], [2]).batch([0], [0]);
    /// let products = b.dot_general(x, y, &numbers)?;
    /// assert_eq!(b.shape(products)?.dims(), [8, 2, 3]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Self::dot`], but for rule M3, and [`ViewError`](crate::ViewError) by rule M1.
    pub fn dot_general(&mut self, lhs: Op, rhs: Op, numbers: &DotDimensionNumbers) -> Result<Op> {
        build::dot_general(self, &lhs, &rhs, numbers)
    }

    /// Adds an iota: an array of these sizes, in which each element is its index along
    /// `iota_dimension`.
    ///
    /// ```
    /// # use indim::{Builder, ElementType::F32, Opcode, Scalar};
    /// let mut b = Builder::new();
    /// let x = b.parameter(F32, [2, 3])?;
    /// let columns = b.iota(F32, [2, 3], 1)?;
    /// let y = b.mul(x, columns, [])?;
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ShapeError`](crate::ShapeError) by rules N1, I1 and C1; [`TypeError`](crate::TypeError) by
    /// rule T1.
    pub fn iota(
        &mut self,
        element_type: ElementType,
        sizes: impl Dims,
        iota_dimension: i64,
    ) -> Result<Op> {
        build::iota(self, element_type, &sizes.to_signed(), iota_dimension)
    }

    /// Returns the shape of a value.
    ///
    /// ```
    /// use indim::{Builder, ElementType::F32};
    ///
    /// let mut b = Builder::new();
    /// let x = b.parameter(F32, [2, 3])?;
    /// let y = b.transpose(x, [1, 0])?;
    /// assert_eq!(b.shape(y)?.dims(), [3, 2]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`BuilderError::ForeignOp`].
    pub fn shape(&self, op: Op) -> Result<&Shape> {
        self.known("shape", op).map(|i| &i.shape)
    }

    /// Returns the element type of a value.
    ///
    /// ```
    /// use indim::{Builder, ElementType};
    ///
    /// let mut b = Builder::new();
    /// let x = b.parameter(ElementType::F32, [2, 3])?;
    /// let is_nan = b.is_nan(x)?;
    /// assert_eq!(b.element_type(is_nan)?, ElementType::Pred);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`BuilderError::ForeignOp`].
    pub fn element_type(&self, op: Op) -> Result<ElementType> {
        self.known("element_type", op).map(|i| i.element_type)
    }

    /// Returns the computation whose result is `root`.
    ///
    /// ```
    /// use indim::{Builder, ElementType::F32};
    ///
    /// let mut b = Builder::new();
    /// let x = b.parameter(F32, [2, 3])?;
    /// let y = b.reduce_sum(x, [1])?;
    /// let computation = b.build(y)?;
    /// assert_eq!(computation.shape().dims(), [2]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`BuilderError::ForeignOp`].
    pub fn build(self, root: Op) -> Result<Computation> {
        self.build_all(&[root])
    }

    /// Returns the computation whose results are `roots`, in this order; XLA's tuple. A value may
    /// occur several times. What the results share is computed once, where that costs less than
    /// computing it for each.
    ///
    /// ```
    /// # use indim::{Builder, ElementType::F32, Opcode, Scalar};
    /// let mut b = Builder::new();
    /// let x = b.parameter(F32, [2, 3])?;
    /// let y = b.exp(x)?;
    /// assert_eq!(b.build_all(&[x, y])?.results().len(), 2);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`BuilderError::ForeignOp`]; [`BuilderError::NoResult`] if `roots` is empty.
    pub fn build_all(self, roots: &[Op]) -> Result<Computation> {
        for &root in roots {
            self.known("build", root)?;
        }
        if roots.is_empty() {
            return Err(BuilderError::NoResult.into());
        }
        Ok(Computation {
            instructions: self.list.finish(),
            parameters: self.parameters,
            roots: roots.iter().map(|root| root.node).collect(),
            name: None,
        })
    }

    /// Returns the number of parameters so far.
    #[cfg(feature = "serde")]
    pub(crate) fn parameter_count(&self) -> usize {
        self.parameters.len()
    }

    fn known(&self, op: &'static str, handle: Op) -> Result<&Instruction> {
        if handle.builder != self.id {
            return Err(BuilderError::ForeignOp { op }.into());
        }
        Ok(&self.list.instructions[handle.node])
    }
}

impl Graph for Builder {
    type Value = Op;

    fn tensor_type<'a>(&'a self, value: &'a Op) -> TensorType<'a> {
        let Instruction { element_type, shape, .. } = &self.list.instructions[value.node];
        TensorType { element_type: *element_type, shape }
    }

    fn operand<'a>(&'a self, op: Opcode, value: &'a Op) -> Result<TensorType<'a>> {
        self.known(op.method(), *value)?;
        Ok(self.tensor_type(value))
    }

    fn push(&mut self, operation: Operation, inferred: Inferred, operands: &[&Op]) -> Op {
        let Inferred { element_type, shape } = inferred;
        let node = self.list.push(Instruction {
            precision: Precision::of(self.precision, operation.opcode(), element_type),
            operation,
            operands: operands.iter().map(|op| op.node).collect(),
            element_type,
            shape,
        });
        Op { builder: self.id, node }
    }

    fn push_call(&mut self, call: FunctionCall, inferred: Inferred, operands: &[&Op]) -> Op {
        let function = self.list.function(&call.function);
        self.push(call.operation(function), inferred, operands)
    }
}

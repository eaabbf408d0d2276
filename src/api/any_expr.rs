//! [`AnyExpr`]: lazy expressions whose element types are known at run time.

use std::fmt;
use std::sync::Arc;

use crate::api::expr_node::{Node, NodeKind};
use crate::api::nodes::{self, Nodes};
use crate::device::arrays::array::AnyArray;
use indim_core::graph::build;
use indim_core::semantics::dims::Dims;
use indim_core::semantics::element::{ElementType, Scalar};
use indim_core::semantics::error::Result;
use indim_core::semantics::literal::Literal;
use indim_core::semantics::opcode::Opcode;
use indim_core::semantics::precision::Precision;
use indim_core::semantics::product::DotDimensionNumbers;
use indim_core::semantics::shape::Shape;

/// A lazy value whose element type is known at run time, as [`AnyArray`] is an array of such a
/// type. Use it to build expressions from outside input, as in interpreters and bindings for other
/// languages. It is cheap to clone; a clone is the same value.
///
/// Its methods are those of [`Expr`](crate::Expr), with the same names. Binary ones take
/// `broadcast_dimensions`, as those of [`Builder`](crate::Builder) do. Each checks its operands at
/// once and returns the error, where an `Expr` keeps it.
///
/// A value that was evaluated by itself or beside others ([`eval`](crate::eval)) keeps its array:
/// expressions built on it, before or after, read the array, and it is not computed again. So does
/// a value that another evaluation kept ([`eval`](crate::eval) says which).
///
/// ```
/// # fn main() -> indim::Result<()> {
/// use indim::{AnyExpr, Context, Literal};
///
/// let x = AnyExpr::literal(Literal::from_slice([2, 2], &[1_f32, 2., 3., 4.])?);
/// let v = AnyExpr::literal(Literal::from_slice([2], &[10_f32, 20.])?);
/// let sum = x.add(&v, [1])?; // nothing needs a GPU so far
/// let gpu = Context::blocking()?;
/// let sum = gpu.eval(&sum)?.to_literal_blocking()?;
/// assert_eq!(sum.to_vec::<f32>()?, [11., 22., 13., 24.]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct AnyExpr {
    pub(super) node: Arc<Node>,
}

impl fmt::Debug for AnyExpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AnyExpr({}{})", self.element_type(), self.shape())
    }
}

impl From<&AnyArray> for AnyExpr {
    fn from(array: &AnyArray) -> Self {
        let (element_type, shape) = (array.element_type(), array.shape().clone());
        Self::of(nodes::leaf(NodeKind::Array(array.clone()), element_type, shape))
    }
}

impl AnyExpr {
    pub(super) fn of(node: Arc<Node>) -> Self {
        Self { node }
    }

    /// Returns the elements of host memory as a value. They are uploaded when it is evaluated for
    /// the first time, which needs [`Context::eval`](crate::Context::eval), and stay in host memory
    /// for [`AnyExpr::unevaluated`].
    ///
    /// ```
    /// use indim::{AnyExpr, Context, Literal};
    ///
    /// let x = AnyExpr::literal(Literal::from_slice([2], &[1_f32, 2.])?);
    /// let array = Context::blocking()?.eval(&x)?; // uploads them
    /// assert_eq!(array.to_literal_blocking()?.to_vec::<f32>()?, [1., 2.]);
    /// assert!(x.as_literal().is_some()); // they are in host memory, too
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn literal(literal: impl Into<Arc<Literal>>) -> Self {
        Self::of(nodes::host_elements(literal.into(), false))
    }

    /// Returns a value as [`AnyExpr::literal`] does, whose elements leave host memory once they are
    /// uploaded: the value is the array then, and is lost with its device.
    ///
    /// ```
    /// use indim::{AnyExpr, Context, Literal};
    ///
    /// let x = AnyExpr::literal_once(Literal::from_slice([2], &[1_f32, 2.])?);
    /// let array = Context::blocking()?.eval(&x)?; // uploads them
    /// assert_eq!(array.to_literal_blocking()?.to_vec::<f32>()?, [1., 2.]);
    /// assert!(x.as_literal().is_none()); // they have left host memory
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn literal_once(literal: impl Into<Arc<Literal>>) -> Self {
        Self::of(nodes::host_elements(literal.into(), true))
    }

    /// Returns a constant of rank 0. Kernels are the same for all constants.
    ///
    /// ```
    /// use indim::{AnyExpr, ElementType, Scalar};
    ///
    /// let half = AnyExpr::constant(Scalar::new(0.5_f32));
    /// assert_eq!((half.element_type(), half.rank()), (ElementType::F32, 0));
    /// let x = AnyExpr::iota(ElementType::F32, [3], 0)?;
    /// assert_eq!(x.mul(&half, [])?.shape().dims(), [3]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn constant(value: Scalar) -> Self {
        Self::of(build::constant(&mut Nodes, value))
    }

    /// Returns a shape of these sizes in which each element is its index along `iota_dimension`.
    ///
    /// ```
    /// use indim::{AnyExpr, Context, ElementType};
    ///
    /// let columns = Context::blocking()?.eval(AnyExpr::iota(ElementType::S32, [2, 3], 1)?)?;
    /// assert_eq!(columns.to_literal_blocking()?.to_vec::<i32>()?, [0, 1, 2, 0, 1, 2]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ShapeError`](crate::ShapeError) by rules N1, I1 and C1; [`TypeError`](crate::TypeError) by
    /// rule T1.
    pub fn iota(element_type: ElementType, sizes: impl Dims, iota_dimension: i64) -> Result<Self> {
        build::iota(&mut Nodes, element_type, &sizes.to_signed(), iota_dimension).map(Self::of)
    }

    /// Returns a value of this shape in which each element is the same.
    ///
    /// ```
    /// use indim::{AnyExpr, Scalar};
    ///
    /// assert_eq!(AnyExpr::full(Scalar::new(1_u8), [2, 3])?.shape().dims(), [2, 3]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ShapeError`](crate::ShapeError) by rules N1 and C1.
    pub fn full(value: Scalar, sizes: impl Dims) -> Result<Self> {
        let scalar = build::constant(&mut Nodes, value);
        build::broadcast(&mut Nodes, &scalar, &sizes.to_signed()).map(Self::of)
    }

    /// Broadcasts the value to the shape of `other`, of which nothing but the shape is taken: its
    /// dimension i becomes dimension `broadcast_dimensions[i]` of the result.
    ///
    /// ```
    /// use indim::{AnyExpr, ElementType::F32};
    ///
    /// let (x, v) = (AnyExpr::iota(F32, [2, 3], 0)?, AnyExpr::iota(F32, [3], 0)?);
    /// assert_eq!(v.broadcast_like(&x, [1])?.shape(), x.shape());
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`BroadcastError`](crate::BroadcastError) by rules D1 to D5; [`ShapeError`](crate::ShapeError)
    /// by rule C1.
    pub fn broadcast_like(&self, other: &Self, broadcast_dimensions: impl Dims) -> Result<Self> {
        let dims = broadcast_dimensions.to_signed();
        build::broadcast_to(&mut Nodes, &self.node, other.shape(), &dims).map(Self::of)
    }

    /// Returns the element type.
    ///
    /// ```
    /// use indim::{AnyExpr, ElementType};
    ///
    /// let x = AnyExpr::iota(ElementType::F32, [3], 0)?;
    /// assert_eq!(x.element_type(), ElementType::F32);
    /// assert_eq!(x.gt(&x, [])?.element_type(), ElementType::Pred);
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn element_type(&self) -> ElementType {
        self.node.element_type
    }

    /// Returns the shape.
    ///
    /// ```
    /// use indim::{AnyExpr, ElementType::F32};
    ///
    /// let x = AnyExpr::iota(F32, [2, 3], 0)?;
    /// assert_eq!(x.transpose([1, 0])?.shape().dims(), [3, 2]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn shape(&self) -> &Shape {
        &self.node.shape
    }

    /// Returns the number of dimensions; 0 for a scalar.
    ///
    /// ```
    /// use indim::{AnyExpr, ElementType::F32};
    ///
    /// let x = AnyExpr::iota(F32, [2, 3], 0)?;
    /// assert_eq!((x.rank(), x.reshape([6])?.rank()), (2, 1));
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn rank(&self) -> usize {
        self.node.shape.rank()
    }

    /// Returns the same value, computed with this precision; see
    /// [`Expr::with_precision`](crate::Expr::with_precision).
    ///
    /// ```
    /// use indim::{AnyExpr, Context, ElementType::F32, Precision};
    ///
    /// let x = AnyExpr::iota(F32, [2], 0)?;
    /// let rough = x.exp()?.with_precision(Precision::Relaxed);
    /// let y = Context::blocking()?.eval(&rough)?.to_literal_blocking()?.to_vec::<f32>()?;
    /// assert!((y[1] - 1_f32.exp()).abs() < 1e-3);
    /// # Ok::<(), indim::Error>(())
    /// ```
    #[must_use]
    pub fn with_precision(&self, precision: Precision) -> Self {
        Self::of(nodes::same_as(&self.node, NodeKind::Precision(precision)))
    }

    /// Returns the array of a value that is one, or that was evaluated or uploaded. The evaluation
    /// of a value that this one is broadcast in may have kept it, too; see [`eval`](crate::eval).
    ///
    /// ```
    /// use indim::{AnyExpr, Context, ElementType::F32};
    ///
    /// let x = AnyExpr::iota(F32, [2], 0)?.exp()?;
    /// assert!(x.array().is_none());
    /// Context::blocking()?.eval(&x)?;
    /// assert_eq!(x.array().map(|array| array.shape().dims()), Some(&[2][..]));
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn array(&self) -> Option<&AnyArray> {
        self.node.array().or(self.node.cache.living.get())
    }

    /// Returns the elements of a value that [`AnyExpr::literal`] or [`AnyExpr::literal_once`] made,
    /// while they are in host memory.
    ///
    /// ```
    /// use indim::{AnyExpr, Literal};
    ///
    /// let x = AnyExpr::literal(Literal::from_slice([2], &[1_i32, 2])?);
    /// assert_eq!(x.as_literal().map(|literal| literal.len()), Some(2));
    /// assert!(x.neg()?.as_literal().is_none());
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn as_literal(&self) -> Option<Arc<Literal>> {
        match &self.node.kind {
            NodeKind::Literal(literal) => literal.get(),
            _ => None,
        }
    }

    /// Returns a binary operation or a comparison, of class
    /// [`OpClass::Binary`](crate::OpClass::Binary) or
    /// [`OpClass::Compare`](crate::OpClass::Compare). [`Builder::binary`](crate::Builder::binary)
    /// describes `broadcast_dimensions`.
    ///
    /// ```
    /// use indim::{AnyExpr, ElementType::F32, Opcode};
    ///
    /// let (x, v) = (AnyExpr::iota(F32, [2, 3], 0)?, AnyExpr::iota(F32, [3], 0)?);
    /// let sum = AnyExpr::binary(Opcode::Add, &x, &v, [1])?;
    /// assert_eq!(sum.shape().dims(), [2, 3]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// It returns the errors of [`Builder::binary`](crate::Builder::binary).
    pub fn binary(
        opcode: Opcode,
        lhs: &Self,
        rhs: &Self,
        broadcast_dimensions: impl Dims,
    ) -> Result<Self> {
        let dimensions = broadcast_dimensions.to_signed();
        build::binary(&mut Nodes, opcode, &lhs.node, &rhs.node, &dimensions).map(Self::of)
    }

    /// Returns a unary operation, of class [`OpClass::Unary`](crate::OpClass::Unary).
    ///
    /// ```
    /// use indim::{AnyExpr, ElementType::F32, Opcode};
    ///
    /// let x = AnyExpr::iota(F32, [2, 3], 0)?;
    /// assert_eq!(AnyExpr::unary(Opcode::Tanh, &x)?.shape(), x.shape());
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// It returns the errors of [`Builder::unary`](crate::Builder::unary).
    pub fn unary(opcode: Opcode, x: &Self) -> Result<Self> {
        build::unary(&mut Nodes, opcode, &x.node).map(Self::of)
    }

    /// Returns a reduction, of class [`OpClass::Reduce`](crate::OpClass::Reduce), along these
    /// dimensions, which the result lacks.
    ///
    /// ```
    /// use indim::{AnyExpr, ElementType::F32, Opcode};
    ///
    /// let x = AnyExpr::iota(F32, [2, 3], 0)?;
    /// assert_eq!(AnyExpr::reduce(Opcode::ReduceSum, &x, [1])?.shape().dims(), [2]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// It returns the errors of [`Builder::reduce`](crate::Builder::reduce).
    pub fn reduce(opcode: Opcode, x: &Self, dimensions: impl Dims) -> Result<Self> {
        build::reduce(&mut Nodes, opcode, &x.node, &dimensions.to_signed()).map(Self::of)
    }

    /// Returns a reduction whose result is combined with `init`: a scalar of the operand's element
    /// type, or an array of the result's shape.
    ///
    /// ```
    /// use indim::{AnyExpr, ElementType::F32, Opcode, Scalar};
    ///
    /// let (x, init) = (AnyExpr::iota(F32, [2, 3], 0)?, AnyExpr::constant(Scalar::new(1.0f32)));
    /// let sum = AnyExpr::reduce_with_init(Opcode::ReduceSum, &x, &init, [1])?;
    /// assert_eq!(sum.shape().dims(), [2]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// It returns the errors of [`Builder::reduce_with_init`](crate::Builder::reduce_with_init).
    pub fn reduce_with_init(
        opcode: Opcode,
        x: &Self,
        init: &Self,
        dimensions: impl Dims,
    ) -> Result<Self> {
        let (nodes, dimensions) = (&mut Nodes, dimensions.to_signed());
        build::reduce_with_init(nodes, opcode, &x.node, &init.node, &dimensions).map(Self::of)
    }

    /// Returns the elements, in each dimension d, from index `start_indices[d]` up to, but without,
    /// `limit_indices[d]`. [`AnyExpr::step_by`] takes every second one of them, or so.
    ///
    /// ```
    /// use indim::{AnyExpr, ElementType::F32};
    ///
    /// let x = AnyExpr::iota(F32, [4, 6], 0)?;
    /// let odd = x.slice([1, 0], [4, 6])?.step_by([2, 1])?;
    /// assert_eq!(odd.shape().dims(), [2, 6]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ViewError`](crate::ViewError) by rules V2 and V3.
    pub fn slice(&self, start_indices: impl Dims, limit_indices: impl Dims) -> Result<Self> {
        let (start, limit) = (start_indices.to_signed(), limit_indices.to_signed());
        build::slice(&mut Nodes, &self.node, &start, &limit, &vec![1; self.rank()]).map(Self::of)
    }

    /// Returns `on_true` where this is true, else `on_false`. They have one shape or are scalars.
    ///
    /// ```
    /// use indim::{AnyExpr, ElementType::F32, Scalar};
    ///
    /// let (x, zero) = (AnyExpr::iota(F32, [2, 3], 0)?, AnyExpr::constant(Scalar::new(0_f32)));
    /// let relu = x.gt(&zero, [])?.select(&x, &zero)?;
    /// assert_eq!(relu.shape(), x.shape());
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`BroadcastError`](crate::BroadcastError) by rule S1; [`TypeError`](crate::TypeError) by
    /// rules T2 and T3.
    pub fn select(&self, on_true: &Self, on_false: &Self) -> Result<Self> {
        build::select(&mut Nodes, &self.node, &on_true.node, &on_false.node).map(Self::of)
    }

    /// Returns this value, at least `min` and at most `max`. They have one shape or are scalars.
    ///
    /// ```
    /// use indim::{AnyExpr, ElementType::F32, Scalar};
    ///
    /// let x = AnyExpr::iota(F32, [2, 3], 0)?;
    /// let [zero, one] = [0_f32, 1.].map(|number| AnyExpr::constant(Scalar::new(number)));
    /// assert_eq!(x.clamp(&zero, &one)?.shape(), x.shape());
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`BroadcastError`](crate::BroadcastError) by rule S1; [`TypeError`](crate::TypeError) by
    /// rules T1 and T2.
    pub fn clamp(&self, min: &Self, max: &Self) -> Result<Self> {
        build::clamp(&mut Nodes, &min.node, &self.node, &max.node).map(Self::of)
    }

    /// Returns the elements at computed indices along a dimension, which the result has the dimensions
    /// of `indices` in place of. Indices are of any integer type, and clamped where they are out of
    /// range.
    ///
    /// ```
    /// use indim::{AnyExpr, ElementType::{F32, S32}};
    ///
    /// let (words, text) = (AnyExpr::iota(F32, [9, 4], 0)?, AnyExpr::iota(S32, [2, 3], 1)?);
    /// assert_eq!(words.take(&text, 0)?.shape().dims(), [2, 3, 4]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// It returns the errors of [`Builder::take`](crate::Builder::take).
    pub fn take(&self, indices: &Self, dimension: i64) -> Result<Self> {
        build::take(&mut Nodes, &self.node, &indices.node, dimension).map(Self::of)
    }

    /// Returns the elements at an index of their own along a dimension: those of `indices` at the same
    /// place, clamped where they are out of range.
    ///
    /// ```
    /// use indim::{AnyExpr, ElementType::{F32, S32}};
    ///
    /// let (scores, chosen) = (AnyExpr::iota(F32, [2, 9], 0)?, AnyExpr::iota(S32, [2, 1], 0)?);
    /// assert_eq!(scores.take_along_dimension(&chosen, 1)?.shape().dims(), [2, 1]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// It returns the errors of [`Builder::take_along_dimension`](crate::Builder::take_along_dimension).
    pub fn take_along_dimension(&self, indices: &Self, dimension: i64) -> Result<Self> {
        build::take_along_dimension(&mut Nodes, &self.node, &indices.node, dimension).map(Self::of)
    }

    /// Returns the product of two vectors or matrices.
    ///
    /// ```
    /// use indim::{AnyExpr, ElementType::F32};
    ///
    /// let (x, y) = (AnyExpr::iota(F32, [2, 5], 0)?, AnyExpr::iota(F32, [5, 3], 1)?);
    /// assert_eq!(x.dot(&y)?.shape().dims(), [2, 3]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// It returns the errors of [`Builder::dot`](crate::Builder::dot).
    pub fn dot(&self, rhs: &Self) -> Result<Self> {
        build::dot(&mut Nodes, &self.node, &rhs.node).map(Self::of)
    }

    /// Returns sums of products by dimensions of both operands.
    ///
    /// ```
    /// use indim::{AnyExpr, DotDimensionNumbers, ElementType::F32};
    ///
    /// let (x, y) = (AnyExpr::iota(F32, [2, 5], 0)?, AnyExpr::iota(F32, [3, 5], 1)?);
    /// let numbers = DotDimensionNumbers::contracting([1], [1]);
    /// assert_eq!(x.dot_general(&y, &numbers)?.shape().dims(), [2, 3]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// It returns the errors of [`Builder::dot_general`](crate::Builder::dot_general).
    pub fn dot_general(&self, rhs: &Self, numbers: &DotDimensionNumbers) -> Result<Self> {
        build::dot_general(&mut Nodes, &self.node, &rhs.node, numbers).map(Self::of)
    }

    /// Returns values one after the other along one dimension.
    ///
    /// ```
    /// use indim::{AnyExpr, ElementType::F32};
    ///
    /// let (x, y) = (AnyExpr::iota(F32, [2, 3], 0)?, AnyExpr::iota(F32, [4, 3], 0)?);
    /// assert_eq!(AnyExpr::concatenate(&[x, y], 0)?.shape().dims(), [6, 3]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// It returns the errors of [`Builder::concatenate`](crate::Builder::concatenate).
    pub fn concatenate(operands: &[Self], dimension: i64) -> Result<Self> {
        let nodes: Vec<_> = operands.iter().map(|operand| Arc::clone(&operand.node)).collect();
        build::concatenate(&mut Nodes, &nodes, dimension).map(Self::of)
    }
}

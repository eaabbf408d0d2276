//! [`Expr`]: lazy, typed expressions. Operators and methods build them, [`Expr::eval`] computes
//! them, in one kernel and one pass over memory where that can be.
//!
//! Every step checks the rules, as [`Builder`](crate::Builder) does. The first error stays in the
//! expression, with the place in the caller's source, and `eval` returns it.

use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;
use std::sync::Arc;

use crate::api::expr_node::{Node, NodeKind};
use crate::api::nodes::{self, Nodes};
use indim_core::graph::build;
use indim_core::semantics::dims::Dims;
use indim_core::semantics::element::{Element, Scalar};
use indim_core::semantics::error::{Error, Result};
use indim_core::semantics::precision::Precision;
use indim_core::semantics::shape::Shape;

/// An array that is computed when [`Expr::eval`] asks for it. It is cheap to clone; a clone shares
/// its operands.
///
/// Methods and operators never panic. One whose operands break a rule returns an expression that
/// keeps the error and the place of the call; [`Expr::eval`] returns it as [`Error::Expression`].
///
/// ```
/// # fn main() -> indim::Result<()> {
/// use indim::{Context, Expr};
///
/// let gpu = Context::blocking()?;
/// let x = gpu.array([2, 3], &[1_f32, -2., 3., -4., 5., -6.])?;
/// let relu: Expr<f32> = x.gt(0.0).select(&x, 0.0); // computes nothing
/// let scaled = &relu * Expr::<f32>::iota([2, 3], 1);
/// assert_eq!(scaled.explain()?.kernels.len(), 1);
/// assert_eq!(scaled.eval()?.to_vec_blocking()?, [0., 0., 6., 0., 5., 0.]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
#[must_use = "an expression computes nothing by itself; `eval` computes it"]
pub struct Expr<T> {
    /// The value's node, or the first error of the expression.
    value: Result<Arc<Node>, Arc<Error>>,
    marker: PhantomData<fn() -> T>,
}

impl<T: Element> fmt::Debug for Expr<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            Ok(node) => write!(f, "Expr({}{})", node.element_type, node.shape),
            Err(error) => write!(f, "Expr({error})"),
        }
    }
}

impl<T> Expr<T> {
    pub(crate) fn of_shared(node: Arc<Node>) -> Self {
        Self { value: Ok(node), marker: PhantomData }
    }
}

impl<T: Element> Expr<T> {
    pub(crate) fn leaf(kind: NodeKind, shape: Shape) -> Self {
        Self::of_shared(nodes::leaf(kind, T::ELEMENT_TYPE, shape))
    }

    /// Returns an expression that keeps the error with the place of the call that failed.
    pub(crate) fn failed(error: Error, location: &'static Location<'static>) -> Self {
        let error = match error {
            // An operand's error is older and keeps its own place.
            kept @ Error::Expression { .. } => kept,
            new => Error::Expression { location, source: Box::new(new) },
        };
        Self { value: Err(Arc::new(error)), marker: PhantomData }
    }

    /// Returns a shape of these sizes in which each element is its index along `iota_dimension`.
    ///
    /// ```
    /// use indim::{Context, Expr};
    ///
    /// let gpu = Context::blocking()?;
    /// let columns = gpu.eval(Expr::<i32>::iota([2, 3], 1))?;
    /// assert_eq!(columns.to_vec_blocking()?, [0, 1, 2, 0, 1, 2]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// The expression keeps them for `eval`: [`ShapeError`](crate::ShapeError) by rules N1, I1 and
    /// C1, [`TypeError`](crate::TypeError) by rule T1.
    #[track_caller]
    pub fn iota(sizes: impl Dims, iota_dimension: i64) -> Self {
        match build::iota(&mut Nodes, T::ELEMENT_TYPE, &sizes.to_signed(), iota_dimension) {
            Ok(node) => Self::of_shared(node),
            Err(error) => Self::failed(error, Location::caller()),
        }
    }

    /// Returns a shape of these sizes in which each element is `value`. It takes no memory: an
    /// operation reads the one value. Kernels are the same for all values.
    ///
    /// ```
    /// use indim::{Element, Expr, Float};
    ///
    /// fn halves<T: Float>(sizes: &[usize]) -> Expr<T> {
    ///     Expr::full(T::of(0.5), sizes)
    /// }
    /// assert_eq!(halves::<f32>(&[2, 3]).shape()?.dims(), [2, 3]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// The expression keeps them for `eval`: [`ShapeError`](crate::ShapeError) by rules N1 and C1.
    #[track_caller]
    pub fn full(value: T, sizes: impl Dims) -> Self {
        let scalar = build::constant(&mut Nodes, Scalar::new(value));
        match build::broadcast(&mut Nodes, &scalar, &sizes.to_signed()) {
            Ok(node) => Self::of_shared(node),
            Err(error) => Self::failed(error, Location::caller()),
        }
    }

    /// Returns the same value, computed with this precision. It holds for all operations in the
    /// expression, except those inside an earlier `with_precision`.
    ///
    /// ```
    /// # let gpu = indim::Context::blocking()?;
    /// # let x = gpu.full([8], 0.5_f32)?;
    /// use indim::Precision;
    ///
    /// let rough = x.sin() * x.exp();
    /// let y = (rough.with_precision(Precision::Relaxed) + &x).eval()?; // an accurate sum
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn with_precision(&self, precision: Precision) -> Self {
        self.same_as(NodeKind::Precision(precision))
    }

    /// Returns the same value under a name, which profilers show where it is evaluated: its
    /// dispatches are a debug group of that name. An expression that it is a part of has its own
    /// name, or none.
    ///
    /// ```
    /// # let gpu = indim::Context::blocking()?;
    /// # let (x, gains) = (gpu.zeros::<f32>([4, 4, 3])?, gpu.zeros::<f32>([3])?);
    /// let graded = (&x * gains.in_dim([2])).named("gains").eval()?;
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn named(&self, name: &str) -> Self {
        self.same_as(NodeKind::Named(name.into()))
    }

    /// Returns the same value, as the one input of a node of this kind.
    fn same_as(&self, kind: NodeKind) -> Self {
        let Ok(node) = &self.value else { return self.clone() };
        Self::of_shared(nodes::same_as(node, kind))
    }

    /// Returns the shape of the value, without computing it.
    ///
    /// ```
    /// use indim::{Expr, Rule};
    ///
    /// let x = Expr::<f32>::iota([2, 3], 0);
    /// assert_eq!(x.transpose([1, 0]).shape()?.dims(), [3, 2]);
    /// assert_eq!(x.transpose([1, 1]).shape().unwrap_err().rule(), Some(Rule::V1));
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// The first error of the expression, as [`Error::Expression`].
    pub fn shape(&self) -> Result<&Shape> {
        match &self.value {
            Ok(node) => Ok(&node.shape),
            Err(error) => Err(Error::clone(error)),
        }
    }

    /// Returns the number of dimensions of the value, without computing it.
    ///
    /// ```
    /// let x = indim::Expr::<f32>::iota([2, 3], 0);
    /// assert_eq!((x.rank()?, x.reduce_sum([0]).rank()?), (2, 1));
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// The first error of the expression, as [`Error::Expression`].
    pub fn rank(&self) -> Result<usize> {
        self.shape().map(Shape::rank)
    }

    /// Returns the node of the value, or the first error of the expression.
    pub(crate) fn node(&self) -> Result<Arc<Node>> {
        self.node_ref().map(Arc::clone)
    }

    /// Version of [`Expr::node`] that borrows it.
    pub(crate) fn node_ref(&self) -> Result<&Arc<Node>> {
        self.value.as_ref().map_err(|error| Error::clone(error))
    }
}

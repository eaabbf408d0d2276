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
use crate::api::node_operations;
use crate::device::array::Array;
use crate::semantics::element::{Element, Scalar};
use crate::semantics::error::{Error, Result};
use crate::semantics::precision::Precision;
use crate::semantics::shape::Shape;

/// An array that is computed when [`Expr::eval`] asks for it. It is cheap to clone; a clone shares
/// its operands.
///
/// Methods and operators never panic. One whose operands break a rule returns an expression that
/// keeps the error and the place of the call; [`Expr::eval`] returns it as [`Error::Expression`].
#[derive(Clone)]
pub struct Expr<T> {
    /// The value's node, or the first error of the expression.
    value: Result<Arc<Node>, Arc<Error>>,
    marker: PhantomData<fn() -> T>,
}

/// The lower-rank operand of a binary operation, with its `broadcast_dimensions`: the dimensions of
/// the other operand that its own match.
///
/// `in_dim` makes one; `&x + v.in_dim([1])` is XlaBuilder's `Add(x, v, {1})`.
#[derive(Clone)]
pub struct InDim<T> {
    expr: Expr<T>,
    broadcast_dimensions: Vec<i64>,
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

mod sealed {
    pub trait Sealed<T> {}
}

/// A value that converts to an expression: an expression itself, an array or a scalar. The trait is
/// sealed, so that methods can be added to it.
pub trait IntoExpr<T: Element>: sealed::Sealed<T> {
    /// Returns the expression.
    fn into_expr(self) -> Expr<T>;
}

/// An operand of a binary operator or method: an expression, an array, a scalar, or one of the
/// first two with `in_dim`. The trait is sealed, so that methods can be added to it.
pub trait Operand<T: Element>: sealed::Sealed<T> {
    /// Returns the expression, and its `broadcast_dimensions` if it carries `in_dim`.
    fn into_operand(self) -> (Expr<T>, Option<Vec<i64>>);
}

macro_rules! into_expr {
    ($($operand:ty: |$this:ident| $expr:expr;)*) => {$(
        impl<T: Element> sealed::Sealed<T> for $operand {}

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
    T: |scalar| Expr::leaf(NodeKind::Constant(Scalar::new(scalar)), Shape::scalar());
    Expr<T>: |expr| expr;
    &Expr<T>: |expr| expr.clone();
    Array<T>: |array| array.expr();
    &Array<T>: |array| array.expr();
}

impl<T: Element> sealed::Sealed<T> for InDim<T> {}

impl<T: Element> Operand<T> for InDim<T> {
    fn into_operand(self) -> (Expr<T>, Option<Vec<i64>>) {
        (self.expr, Some(self.broadcast_dimensions))
    }
}

impl<T: Element> Array<T> {
    /// Returns the array as an expression.
    pub fn expr(&self) -> Expr<T> {
        let shape = self.shape().clone();
        Expr::leaf(NodeKind::Array(self.as_any().clone()), shape)
    }

    /// Returns the array as the lower-rank operand of a binary operation: its dimension i matches
    /// dimension `broadcast_dimensions[i]` of the other operand. The operation checks rules B1 to
    /// B9.
    pub fn in_dim(&self, broadcast_dimensions: impl Into<Vec<i64>>) -> InDim<T> {
        self.expr().in_dim(broadcast_dimensions)
    }
}

impl<T: Element> Expr<T> {
    pub(crate) fn leaf(kind: NodeKind, shape: Shape) -> Self {
        Self::of_shared(node_operations::leaf(kind, T::ELEMENT_TYPE, shape))
    }

    pub(crate) fn of_shared(node: Arc<Node>) -> Self {
        Self { value: Ok(node), marker: PhantomData }
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
    /// # Errors
    /// The expression keeps them for `eval`: [`ShapeError`](crate::ShapeError) by rules N1, I1 and
    /// C1, [`TypeError`](crate::TypeError) by rule T1.
    #[track_caller]
    pub fn iota(sizes: &[i64], iota_dimension: i64) -> Self {
        match node_operations::iota(T::ELEMENT_TYPE, sizes, iota_dimension) {
            Ok(node) => Self::of_shared(node),
            Err(error) => Self::failed(error, Location::caller()),
        }
    }

    /// Returns the expression as the lower-rank operand of a binary operation: its dimension i
    /// matches dimension `broadcast_dimensions[i]` of the other operand. The operation checks rules
    /// B1 to B9.
    pub fn in_dim(&self, broadcast_dimensions: impl Into<Vec<i64>>) -> InDim<T> {
        InDim { expr: self.clone(), broadcast_dimensions: broadcast_dimensions.into() }
    }

    /// Returns the same value, computed with this precision. It holds for all operations in the
    /// expression, except those inside an earlier `with_precision`.
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
        self.same_as(NodeKind::Precision(precision))
    }

    /// Returns the same value under a name, which profilers show where it is evaluated: its
    /// dispatches are a debug group of that name. An expression that it is a part of has its own
    /// name, or none.
    ///
    /// ```no_run
    /// # fn example(x: indim::Array<f32>, gains: indim::Array<f32>) -> indim::Result<()> {
    /// let graded = (&x * gains.in_dim([2])).named("gains").eval()?;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn named(&self, name: &str) -> Self {
        self.same_as(NodeKind::Named(name.into()))
    }

    /// Returns the same value, as the one input of a node of this kind.
    fn same_as(&self, kind: NodeKind) -> Self {
        let Ok(node) = &self.value else { return self.clone() };
        Self::of_shared(node_operations::same_as(node, kind))
    }

    /// Returns the shape of the value, without computing it.
    ///
    /// # Errors
    /// The first error of the expression, as [`Error::Expression`].
    pub fn shape(&self) -> Result<&Shape> {
        match &self.value {
            Ok(node) => Ok(&node.shape),
            Err(error) => Err(Error::clone(error)),
        }
    }

    /// Returns the node of the value, or the first error of the expression.
    pub(crate) fn node(&self) -> Result<Arc<Node>> {
        self.value.as_ref().map(Arc::clone).map_err(|error| Error::clone(error))
    }
}

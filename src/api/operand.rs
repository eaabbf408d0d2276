//! Defines the operands that operations take: [`IntoExpr`] is for those that convert to an
//! expression, [`Operand`] for those that stand beside an operator, and [`Choice`] for those that
//! `select` takes from. [`InDim`] is an operand that names the dimensions of the other one that its
//! own match.

use std::fmt;

use crate::api::expr::Expr;
use crate::api::expr_node::NodeKind;
use crate::api::nodes::Nodes;
use crate::device::arrays::typed::Array;
use indim_core::graph::build;
use indim_core::graph::operation::Operation;
use indim_core::semantics::dims::Dims;
use indim_core::semantics::element::{Element, Scalar};
use indim_core::semantics::shape::Shape;

/// The lower-rank operand of a binary operation, with its `broadcast_dimensions`: the dimensions of
/// the other operand that its own match.
///
/// `in_dim` makes one; `&x + v.in_dim([1])` is XlaBuilder's `Add(x, v, {1})`.
///
/// Operations that change no shape keep the `broadcast_dimensions`, so that their result is an `InDim`
/// again: unary operations, conversions, and operations with a scalar of Rust on either side.
///
/// ```
/// use indim::{Expr, InDim};
///
/// let (x, v) = (Expr::<f32>::iota([2, 3], 0), Expr::<f32>::iota([3], 0));
/// let scale: InDim<f32> = (-2.0 * v.in_dim([1])).exp() + 1.0;
/// assert_eq!((&x * scale).shape()?.dims(), [2, 3]);
/// # Ok::<(), indim::Error>(())
/// ```
///
/// `select`, `clamp` and `next_after` take no `InDim`: they take what
/// [`broadcast_like`](Expr::broadcast_like) returns.
#[derive(Clone)]
#[must_use = "it is one operand of a binary operation, and computes nothing by itself"]
pub struct InDim<T> {
    expr: Expr<T>,
    broadcast_dimensions: Vec<i64>,
}

impl<T: Element> fmt::Debug for InDim<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}.in_dim({:?})", self.expr, self.broadcast_dimensions)
    }
}

impl<T: Element> InDim<T> {
    /// Applies an operation that changes no shape to the operand.
    pub(crate) fn map<R>(&self, operation: impl FnOnce(&Expr<T>) -> Expr<R>) -> InDim<R> {
        let broadcast_dimensions = self.broadcast_dimensions.clone();
        InDim { expr: operation(&self.expr), broadcast_dimensions }
    }
}

mod sealed {
    pub trait Sealed<T> {}
}

/// A value that converts to an expression: an expression itself, an array or a scalar. The trait is
/// sealed, so that methods can be added to it.
///
/// ```
/// use indim::{Expr, IntoExpr};
///
/// fn midpoint(low: impl IntoExpr<f32>, high: impl IntoExpr<f32>) -> Expr<f32> {
///     (low.into_expr() + high.into_expr()) * 0.5
/// }
/// let x = Expr::<f32>::iota([3], 0);
/// assert_eq!(midpoint(&x, 1.0).shape()?.dims(), [3]);
/// # Ok::<(), indim::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a value of elements of type `{T}`",
    label = "this is not a value of `{T}`",
    note = "a number beside floats has a point, as `2.0` has, and one beside integers has none, as `2`",
    note = "types do not mix: convert an array or an expression by `.convert_element_type::<{T}>()`",
    note = "what has `in_dim` stands beside an operator; elsewhere write `.broadcast_like(&x, [1])`"
)]
pub trait IntoExpr<T: Element>: sealed::Sealed<T> {
    /// Returns the expression.
    fn into_expr(self) -> Expr<T>;
}

/// The parts of an operand: its expression, and its `broadcast_dimensions` if it has `in_dim`.
pub(crate) type Parts<T> = (Expr<T>, Option<Vec<i64>>);

/// An operand of a binary operator or method: an expression, an array, a scalar, or one of the
/// first two with `in_dim`. The trait is sealed, so that methods can be added to it.
///
/// ```
/// use indim::{Expr, Operand};
///
/// fn scaled(x: &Expr<f32>, scale: impl Operand<f32>) -> Expr<f32> {
///     x.mul(scale)
/// }
/// let (x, v) = (Expr::iota([2, 3], 0), Expr::<f32>::iota([3], 0));
/// assert_eq!(scaled(&x, 2.0).shape()?.dims(), [2, 3]);
/// assert_eq!(scaled(&x, v.in_dim([1])).shape()?.dims(), [2, 3]);
/// let (_, dimensions) = v.in_dim([1]).into_operand();
/// assert_eq!(dimensions, Some(vec![1]));
/// # Ok::<(), indim::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an operand beside elements of type `{T}`",
    label = "this is not an operand beside `{T}`",
    note = "a number beside floats has a point, as `2.0` has, and one beside integers has none, as `2`",
    note = "types do not mix: convert an array or an expression by `.convert_element_type::<{T}>()`"
)]
pub trait Operand<T: Element>: sealed::Sealed<T> {
    /// The result of a binary operation of this and an [`InDim`], whose elements are of type `R`:
    /// an `InDim` if this is a scalar, which changes no shape, else an [`Expr`].
    type BesideInDim<R: Element>;

    /// Returns the expression, and its `broadcast_dimensions` if it carries `in_dim`.
    fn into_operand(self) -> (Expr<T>, Option<Vec<i64>>);

    // Returns the result of an operation on the two.
    #[doc(hidden)]
    fn beside_in_dim<R: Element>(
        self,
        in_dim: InDim<T>,
        operation: impl FnOnce(Parts<T>, Parts<T>) -> Expr<R>,
    ) -> Self::BesideInDim<R>;
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
    )*};
}

into_expr! {
    T: |scalar| Expr::leaf(NodeKind::Operation(Operation::Constant(Scalar::new(scalar))), Shape::scalar());
    Expr<T>: |expr| expr;
    &Expr<T>: |expr| expr.clone();
    Array<T>: |array| array.expr();
    &Array<T>: |array| array.expr();
}

impl<T: Element> Operand<T> for T {
    type BesideInDim<R: Element> = InDim<R>;

    fn into_operand(self) -> (Expr<T>, Option<Vec<i64>>) {
        (self.into_expr(), None)
    }

    fn beside_in_dim<R: Element>(
        self,
        in_dim: InDim<T>,
        operation: impl FnOnce(Parts<T>, Parts<T>) -> Expr<R>,
    ) -> InDim<R> {
        in_dim.map(|expr| operation((expr.clone(), None), self.into_operand()))
    }
}

macro_rules! operands {
    ($($operand:ty: |$this:ident| $parts:expr;)*) => {$(
        impl<T: Element> Operand<T> for $operand {
            type BesideInDim<R: Element> = Expr<R>;

            fn into_operand(self) -> (Expr<T>, Option<Vec<i64>>) {
                let $this = self;
                $parts
            }

            fn beside_in_dim<R: Element>(
                self,
                in_dim: InDim<T>,
                operation: impl FnOnce(Parts<T>, Parts<T>) -> Expr<R>,
            ) -> Expr<R> {
                operation(in_dim.into_operand(), self.into_operand())
            }
        }
    )*};
}

operands! {
    Expr<T>: |expr| (expr, None);
    &Expr<T>: |expr| (expr.clone(), None);
    Array<T>: |array| (array.expr(), None);
    &Array<T>: |array| (array.expr(), None);
    InDim<T>: |in_dim| (in_dim.expr, Some(in_dim.broadcast_dimensions));
}

impl<T: Element> sealed::Sealed<T> for InDim<T> {}

/// A value that `select` takes from where its predicate is true, or where it is false. It converts
/// to an expression of `T`, as for [`IntoExpr`].
///
/// A number takes the type of what stands beside it: in `mask.select(&x, 0.0)` that of `x`. If both
/// are numbers with points and their type is not given otherwise, the compiler asks for it, since
/// Rust would choose F64, which many adapters lack: `mask.select::<f32>(1.0, 0.0)`.
///
/// The trait is sealed, so that methods can be added to it.
///
/// ```compile_fail,E0283
/// fn example(mask: indim::Expr<bool>) {
///     let _ = mask.select(1.0, 0.0);
/// }
/// ```
///
/// ```
/// fn example(mask: indim::Expr<bool>, x: indim::Array<f32>) -> indim::Expr<f32> {
///     mask.select::<f32>(1.0, 0.0) + mask.select(1.0_f32, 0.0) + mask.select(&x, 0.0)
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is nothing that select takes beside elements of type `{T}`",
    label = "this is not a value of `{T}`",
    note = "a number beside floats has a point, as `2.0` has, and one beside integers has none, as `2`",
    note = "what has `in_dim` stands beside an operator; elsewhere write `.broadcast_like(&x, [1])`"
)]
pub trait Choice<T>: sealed::Sealed<T> {
    /// Returns the expression.
    fn into_choice(self) -> Expr<T>;
}

impl<T: Element, E: IntoExpr<T>> Choice<T> for E {
    fn into_choice(self) -> Expr<T> {
        self.into_expr()
    }
}

/// No element type. With it, an `f64` is a [`Choice`] of two types, so that the compiler cannot tell
/// the type of a `select` from its numbers alone.
#[doc(hidden)]
#[derive(Debug)]
pub enum AmbiguousFloat {}

impl sealed::Sealed<AmbiguousFloat> for f64 {}

#[doc(hidden)]
impl Choice<AmbiguousFloat> for f64 {
    fn into_choice(self) -> Expr<AmbiguousFloat> {
        Expr::of_shared(build::constant(&mut Nodes, Scalar::new(self)))
    }
}

impl<T: Element> Array<T> {
    /// Returns the array as an expression.
    ///
    /// ```
    /// let x = indim::Context::blocking()?.array([2, 2], &[1_f32, 2., 3., 4.])?;
    /// let swapped = x.expr().transpose([1, 0]).eval()?;
    /// assert_eq!(swapped.to_vec_blocking()?, [1., 3., 2., 4.]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn expr(&self) -> Expr<T> {
        let shape = self.shape().clone();
        Expr::leaf(NodeKind::Array(self.as_any().clone()), shape)
    }

    /// Returns the array as the lower-rank operand of a binary operation: its dimension i matches
    /// dimension `broadcast_dimensions[i]` of the other operand. The operation checks rules B1 to
    /// B9.
    ///
    /// ```
    /// let gpu = indim::Context::blocking()?;
    /// let (x, v) = (gpu.array([2, 2], &[1_f32, 2., 3., 4.])?, gpu.array([2], &[10_f32, 20.])?);
    /// assert_eq!((&x + v.in_dim([1])).eval()?.to_vec_blocking()?, [11., 22., 13., 24.]);
    /// assert_eq!((&x + v.in_dim([0])).eval()?.to_vec_blocking()?, [11., 12., 23., 24.]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn in_dim(&self, broadcast_dimensions: impl Dims) -> InDim<T> {
        self.expr().in_dim(broadcast_dimensions)
    }
}

impl<T: Element> Expr<T> {
    /// Returns the expression as the lower-rank operand of a binary operation: its dimension i
    /// matches dimension `broadcast_dimensions[i]` of the other operand. The operation checks rules
    /// B1 to B9.
    ///
    /// ```
    /// use indim::{Expr, Rule};
    ///
    /// let (x, v) = (Expr::<f32>::iota([2, 3], 0), Expr::<f32>::iota([3], 0));
    /// assert_eq!((&x + v.in_dim([1])).shape()?.dims(), [2, 3]);
    /// let error = (&x + v.in_dim([0])).shape().unwrap_err(); // a size of 3 beside one of 2
    /// assert_eq!(error.rule(), Some(Rule::B5));
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn in_dim(&self, broadcast_dimensions: impl Dims) -> InDim<T> {
        let broadcast_dimensions = broadcast_dimensions.to_signed().into_owned();
        InDim { expr: self.clone(), broadcast_dimensions }
    }
}

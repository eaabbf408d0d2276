//! The methods that the table of operations does not give: those whose arguments or types follow no
//! pattern.

use std::panic::Location;

use crate::api::expr::Expr;
use crate::api::nodes::Nodes;
use crate::api::operand::{Choice, InDim, IntoExpr};
use crate::api::operations;
use crate::device::arrays::typed::Array;
use indim_core::graph::build;
use indim_core::semantics::dims::Dims;
use indim_core::semantics::element::{Element, Integer, Real};
use indim_core::semantics::opcode::Opcode;
use indim_core::semantics::precision::Precision;
use indim_core::semantics::product::DotDimensionNumbers;

impl<T: Element> Expr<T> {
    /// Returns the operands, arrays or expressions of one type, one after the other along a
    /// dimension. They have equal sizes along all others.
    ///
    /// ```
    /// use indim::Expr;
    ///
    /// let (x, y) = (Expr::<f32>::iota([2, 3], 0), Expr::<f32>::iota([4, 3], 0));
    /// assert_eq!(Expr::concatenate([&x, &y], 0).shape()?.dims(), [6, 3]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// The expression keeps them for `eval`: [`ViewError`](crate::ViewError) by rule V9,
    /// [`ShapeError`](crate::ShapeError) by rule C1.
    #[track_caller]
    pub fn concatenate(
        operands: impl IntoIterator<Item = impl IntoExpr<T>>,
        dimension: i64,
    ) -> Self {
        operations::lazily(Location::caller(), || {
            build::concatenate(&mut Nodes, &operations::nodes(operands)?, dimension)
        })
    }
}

macro_rules! hand_written {
    ($($ty:ident)*) => {$(
        impl<T: Element> $ty<T> {
            /// Takes the elements, in each dimension d, from index `start_indices[d]` up to, but
            /// without, `limit_indices[d]`. [`Expr::step_by`] takes every second one of them, or
            /// so, and [`Array::slice_mut`] takes the same elements to be written. As every view,
            /// it copies nothing.
            ///
            /// ```
            /// # use indim::Expr;
            /// let x = Expr::<f32>::iota([4, 6], 0);
            /// let odd = x.slice([1, 0], [4, 6]).step_by([2, 1]);
            /// assert_eq!(odd.shape()?.dims(), [2, 6]);
            /// # Ok::<(), indim::Error>(())
            /// ```
            ///
            /// # Errors
            /// The expression keeps them for [`Expr::eval`]: [`ViewError`](crate::ViewError) by
            /// rules V2 and V3.
            #[track_caller]
            pub fn slice(&self, start_indices: impl Dims, limit_indices: impl Dims) -> Expr<T> {
                let x = self.into_expr();
                let (start, limit) = (start_indices.to_signed(), limit_indices.to_signed());
                operations::lazily(Location::caller(), || {
                    let x = x.node_ref()?;
                    build::slice(&mut Nodes, x, &start, &limit, &vec![1; x.shape.rank()])
                })
            }

            /// Reduces dimensions by an operation such as [`Opcode::ReduceSum`], and combines the
            /// result with `init`, the initial value of XLA's `Reduce`: a scalar, or an array of the
            /// result's shape.
            ///
            /// ```
            /// use indim::{Expr, Opcode};
            ///
            /// let x = Expr::<f32>::iota([2, 3], 0);
            /// let sums = x.reduce_with_init(Opcode::ReduceSum, 1.0, [1]);
            /// assert_eq!(sums.shape()?.dims(), [2]);
            /// # Ok::<(), indim::Error>(())
            /// ```
            ///
            /// # Errors
            /// The expression keeps those of
            /// [`Builder::reduce_with_init`](crate::Builder::reduce_with_init).
            #[track_caller]
            pub fn reduce_with_init(
                &self,
                opcode: Opcode,
                init: impl IntoExpr<T>,
                dimensions: impl Dims,
            ) -> Expr<T> {
                let (x, init) = (self.into_expr(), init.into_expr());
                let dims = dimensions.to_signed();
                operations::lazily(Location::caller(), || {
                    let (x, init) = (x.node_ref()?, init.node_ref()?);
                    build::reduce_with_init(&mut Nodes, opcode, x, init, &dims)
                })
            }

            /// Broadcasts the value to the shape of `other`, of which nothing but the shape is taken:
            /// its dimension i becomes dimension `broadcast_dimensions[i]` of the result (rules D1 to
            /// D5, C1). So `select`, `clamp` and [`Expr::eval_into`] take a value of lower rank:
            ///
            /// ```
            /// use indim::Expr;
            ///
            /// let (x, limit) = (Expr::<f32>::iota([2, 3], 1), Expr::<f32>::iota([3], 0));
            /// let capped = x.clamp(0.0, limit.broadcast_like(&x, [1]));
            /// assert_eq!(capped.shape()?.dims(), [2, 3]);
            /// # Ok::<(), indim::Error>(())
            /// ```
            #[track_caller]
            pub fn broadcast_like<U: Element>(
                &self,
                other: impl IntoExpr<U>,
                broadcast_dimensions: impl Dims,
            ) -> Expr<T> {
                let (x, other) = (self.into_expr(), other.into_expr());
                let dims = broadcast_dimensions.to_signed();
                operations::lazily(Location::caller(), || {
                    build::broadcast_to(&mut Nodes, x.node_ref()?, other.shape()?, &dims)
                })
            }
        }

        impl<T: Element> $ty<T> {
            /// Takes the elements at computed indices along a dimension, which the result has the
            /// dimensions of `indices` in place of. Indices are of any integer type; one that is out
            /// of range is clamped, as XLA's gather does: a negative one reads the first element, and
            /// one that is too large the last. The kernel that uses the elements reads them.
            ///
            /// ```
            /// # use indim::Expr;
            /// let (words, text) = (Expr::<f32>::iota([9, 4], 0), Expr::<i32>::iota([2, 3], 1));
            /// assert_eq!(words.take(&text, 0).shape()?.dims(), [2, 3, 4]);
            /// # Ok::<(), indim::Error>(())
            /// ```
            ///
            /// # Errors
            /// The expression keeps them for [`Expr::eval`]: [`ViewError`](crate::ViewError) by rules
            /// G1 and G2, [`ShapeError`](crate::ShapeError) by rule C1.
            #[track_caller]
            pub fn take<I: Integer>(&self, indices: impl IntoExpr<I>, dimension: i64) -> Expr<T> {
                let (x, indices) = (self.into_expr(), indices.into_expr());
                operations::lazily(Location::caller(), || {
                    build::take(&mut Nodes, x.node_ref()?, indices.node_ref()?, dimension)
                })
            }

            /// Takes the elements at an index of their own along a dimension: those of `indices` at
            /// the same place, clamped where they are out of range. Both have one rank; in other
            /// dimensions, size 1 stretches.
            ///
            /// ```
            /// # use indim::Expr;
            /// let (scores, chosen) = (Expr::<f32>::iota([2, 9], 0), Expr::<i32>::iota([2, 1], 0));
            /// assert_eq!(scores.take_along_dimension(&chosen, 1).shape()?.dims(), [2, 1]);
            /// # Ok::<(), indim::Error>(())
            /// ```
            ///
            /// # Errors
            /// The expression keeps them for [`Expr::eval`]: [`ViewError`](crate::ViewError) by rules
            /// G1, G2 and G3, [`ShapeError`](crate::ShapeError) by rule C1.
            #[track_caller]
            pub fn take_along_dimension<I: Integer>(
                &self,
                indices: impl IntoExpr<I>,
                dimension: i64,
            ) -> Expr<T> {
                let (x, indices) = (self.into_expr(), indices.into_expr());
                operations::lazily(Location::caller(), || {
                    let (x, indices) = (x.node_ref()?, indices.node_ref()?);
                    build::take_along_dimension(&mut Nodes, x, indices, dimension)
                })
            }

            /// Multiplies two vectors or matrices: the sum of products along the last dimension of
            /// the value and the first of `rhs`.
            ///
            /// ```
            /// # use indim::Expr;
            /// let (x, y) = (Expr::<f32>::iota([2, 5], 0), Expr::<f32>::iota([5, 3], 1));
            /// assert_eq!(x.dot(y).shape()?.dims(), [2, 3]);
            /// # Ok::<(), indim::Error>(())
            /// ```
            ///
            /// # Errors
            /// The expression keeps them for [`Expr::eval`]: those of
            /// [`Builder::dot`](crate::Builder::dot).
            #[track_caller]
            pub fn dot(&self, rhs: impl IntoExpr<T>) -> Expr<T> {
                let (x, rhs) = (self.into_expr(), rhs.into_expr());
                operations::lazily(Location::caller(), || {
                    build::dot(&mut Nodes, x.node_ref()?, rhs.node_ref()?)
                })
            }

            /// Sums products by dimensions of both operands.
            ///
            /// ```
            /// # use indim::{DotDimensionNumbers, Expr};
            /// let (x, y) = (Expr::<f32>::iota([2, 5], 0), Expr::<f32>::iota([3, 5], 1));
            /// let numbers = DotDimensionNumbers::contracting([1], [1]);
            /// assert_eq!(x.dot_general(y, &numbers).shape()?.dims(), [2, 3]);
            /// # Ok::<(), indim::Error>(())
            /// ```
            ///
            /// # Errors
            /// The expression keeps them for [`Expr::eval`]: those of
            /// [`Builder::dot_general`](crate::Builder::dot_general).
            #[track_caller]
            pub fn dot_general(
                &self,
                rhs: impl IntoExpr<T>,
                numbers: &DotDimensionNumbers,
            ) -> Expr<T> {
                let (x, rhs) = (self.into_expr(), rhs.into_expr());
                operations::lazily(Location::caller(), || {
                    build::dot_general(&mut Nodes, x.node_ref()?, rhs.node_ref()?, numbers)
                })
            }
        }

        impl<T: Real> $ty<T> {
            /// Clamps each element to `min` and `max`, which have the same shape or are scalars
            /// (rule S1).
            ///
            /// ```
            /// # use indim::Expr;
            /// let x = Expr::<f32>::iota([2, 3], 0);
            /// assert_eq!(x.clamp(0.0, 1.0).shape()?.dims(), [2, 3]);
            /// # Ok::<(), indim::Error>(())
            /// ```
            #[track_caller]
            pub fn clamp(&self, min: impl IntoExpr<T>, max: impl IntoExpr<T>) -> Expr<T> {
                let (min, x, max) = (min.into_expr(), self.into_expr(), max.into_expr());
                operations::lazily(Location::caller(), || {
                    build::clamp(&mut Nodes, min.node_ref()?, x.node_ref()?, max.node_ref()?)
                })
            }
        }

        impl $ty<bool> {
            /// Selects elements of `on_true` where this is true, else of `on_false`. The operands
            /// have one shape or are scalars (rule S1). Of two numbers that have points, the type is
            /// to be told: `mask.select::<f32>(1.0, 0.0)` ([`Choice`]).
            ///
            /// ```
            /// # use indim::Expr;
            /// let x = Expr::<f32>::iota([2, 3], 0);
            /// assert_eq!(x.gt(0.0).select(&x, 0.0).shape()?.dims(), [2, 3]);
            /// # Ok::<(), indim::Error>(())
            /// ```
            #[track_caller]
            pub fn select<T: Element>(
                &self,
                on_true: impl Choice<T>,
                on_false: impl Choice<T>,
            ) -> Expr<T> {
                let pred = self.into_expr();
                let (on_true, on_false) = (on_true.into_choice(), on_false.into_choice());
                operations::lazily(Location::caller(), || {
                    let (pred, on_true) = (pred.node_ref()?, on_true.node_ref()?);
                    build::select(&mut Nodes, pred, on_true, on_false.node_ref()?)
                })
            }
        }
    )*};
}

hand_written!(Expr Array);

impl<T: Element> InDim<T> {
    /// Returns the same operand, computed with this precision; see [`Expr::with_precision`].
    ///
    /// ```
    /// use indim::{Expr, InDim, Precision};
    ///
    /// let v = Expr::<f32>::iota([3], 0).in_dim([1]).exp();
    /// let rough: InDim<f32> = v.with_precision(Precision::Relaxed);
    /// ```
    pub fn with_precision(&self, precision: Precision) -> Self {
        self.map(|expr| expr.with_precision(precision))
    }
}

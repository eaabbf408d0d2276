//! The methods that the table of operations does not give: those whose arguments or types follow no
//! pattern.

use std::panic::Location;

use num_complex::Complex32;

use crate::api::expr::Expr;
use crate::api::nodes::Nodes;
use crate::api::operand::{Choice, InDim, IntoExpr, Operand};
use crate::api::operations;
use crate::device::arrays::array::Array;
use crate::graph::build;
use crate::semantics::dims::Dims;
use crate::semantics::element::{Element, Real};
use crate::semantics::opcode::Opcode;
use crate::semantics::precision::Precision;

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
            /// Converts the values to elements of type `R`; see [`Opcode::ConvertElementType`].
            ///
            /// ```
            /// # use indim::Expr;
            /// let x = Expr::<f32>::iota([2, 3], 0);
            /// let whole: Expr<i32> = x.convert_element_type::<i32>();
            /// assert_eq!(whole.shape()?.dims(), [2, 3]);
            /// # Ok::<(), indim::Error>(())
            /// ```
            #[track_caller]
            pub fn convert_element_type<R: Element>(&self) -> Expr<R> {
                let x = self.into_expr();
                operations::convert(Opcode::ConvertElementType, &x, Location::caller())
            }

            /// Reads the bits as elements of type `R`: a narrower type adds a last dimension, a
            /// wider one removes it ([`Opcode::BitcastConvertType`]; rules T4, C1).
            ///
            /// ```
            /// # use indim::Expr;
            /// let x = Expr::<f32>::iota([2, 3], 0);
            /// assert_eq!(x.bitcast_convert_type::<u8>().shape()?.dims(), [2, 3, 4]);
            /// # Ok::<(), indim::Error>(())
            /// ```
            #[track_caller]
            pub fn bitcast_convert_type<R: Element>(&self) -> Expr<R> {
                let x = self.into_expr();
                operations::convert(Opcode::BitcastConvertType, &x, Location::caller())
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

        impl $ty<Complex32> {
            /// Builds [`Opcode::Conj`].
            ///
            /// ```
            /// # use indim::Expr;
            /// let x = Expr::<f32>::iota([2, 3], 0);
            /// let z = x.complex(1.0);
            /// assert_eq!(z.conj().shape()?.dims(), [2, 3]);
            /// # Ok::<(), indim::Error>(())
            /// ```
            #[track_caller]
            pub fn conj(&self) -> Expr<Complex32> {
                operations::unary(Opcode::Conj, &self.into_expr(), Location::caller())
            }
        }

        impl $ty<f32> {
            /// Builds [`Opcode::Complex`] with this as the real part; it keeps an error, by rules
            /// B1 to B9 and C1, for [`Expr::eval`].
            ///
            /// ```
            /// # use indim::Expr;
            /// let x = Expr::<f32>::iota([2, 3], 0);
            /// let v = Expr::<f32>::iota([3], 0);
            /// assert_eq!(x.complex(v.in_dim([1])).shape()?.dims(), [2, 3]);
            /// # Ok::<(), indim::Error>(())
            /// ```
            #[track_caller]
            pub fn complex(&self, imag: impl Operand<f32>) -> Expr<Complex32> {
                operations::binary(Opcode::Complex, self, imag, Location::caller())
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
    /// Converts the values to elements of type `R`; see [`Opcode::ConvertElementType`].
    ///
    /// ```
    /// use indim::{Expr, InDim};
    ///
    /// let v: InDim<f32> = Expr::<i32>::iota([3], 0).in_dim([1]).convert_element_type::<f32>();
    /// ```
    #[track_caller]
    pub fn convert_element_type<R: Element>(&self) -> InDim<R> {
        let location = Location::caller();
        self.map(|expr| operations::convert(Opcode::ConvertElementType, expr, location))
    }

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

impl InDim<f32> {
    /// Builds [`Opcode::Complex`] with this as the real part: an `InDim` again beside a scalar, else an
    /// expression, which keeps an error, by rules B1 to B9 and C1, for [`Expr::eval`].
    ///
    /// ```
    /// use indim::{Expr, InDim, num_complex::Complex32};
    ///
    /// let z: InDim<Complex32> = Expr::<f32>::iota([3], 0).in_dim([1]).complex(1.0);
    /// ```
    #[track_caller]
    pub fn complex<O: Operand<f32>>(&self, imag: O) -> O::BesideInDim<Complex32> {
        operations::beside_in_dim(Opcode::Complex, self.clone(), imag, Location::caller())
    }
}

impl InDim<Complex32> {
    /// Builds [`Opcode::Conj`].
    ///
    /// ```
    /// use indim::{Expr, InDim, num_complex::Complex32};
    ///
    /// let z: InDim<Complex32> = Expr::<f32>::iota([3], 0).in_dim([1]).complex(1.0).conj();
    /// ```
    #[track_caller]
    pub fn conj(&self) -> Self {
        let location = Location::caller();
        self.map(|expr| operations::unary(Opcode::Conj, expr, location))
    }
}

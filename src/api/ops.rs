//! Eager operations with XlaBuilder's signatures, at the crate's root. Each evaluates an [`Expr`],
//! so that it returns the errors of [`Expr::eval`] besides those that it lists.

use crate::api::examples::{gpu, other};
use crate::api::expr::Expr;
use crate::api::nodes::Nodes;
use crate::api::operand::{Choice, IntoExpr};
use crate::api::operations;
use crate::device::arrays::typed::Array;
use crate::device::context::Context;
use indim_core::graph::build;
use indim_core::semantics::dims::Dims;
use indim_core::semantics::element::{
    Bitwise, ComplexPart, Conjugable, Element, Float, Inexact, Integer, Number, Ordered, Real,
    Signed,
};
use indim_core::semantics::error::Result;
use indim_core::semantics::op::table::{
    attribute, attribute_type, example_type, for_each_op, result_element,
};
use indim_core::semantics::opcode::Opcode;
use indim_core::semantics::product::DotDimensionNumbers;

fn binary<T: Element, R: Element>(
    opcode: Opcode,
    lhs: &Expr<T>,
    rhs: &Expr<T>,
    dimensions: &[i64],
) -> Result<Array<R>> {
    operations::eagerly(|| {
        build::binary(&mut Nodes, opcode, lhs.node_ref()?, rhs.node_ref()?, dimensions)
    })
}

fn unary<T: Element, R: Element>(opcode: Opcode, operand: &Expr<T>) -> Result<Array<R>> {
    operations::eagerly(|| build::unary(&mut Nodes, opcode, operand.node_ref()?))
}

macro_rules! function {
    (by_hand $($rest:tt)*) => {};
    (binary $class:ident $name:ident $method:ident $bound:ident $result:ident [$($doc:literal)+] []) => {
        $(#[doc = $doc])+
        ///
        /// `broadcast_dimensions[i]` is the dimension of the higher-rank operand that dimension i
        /// of the lower-rank one matches. It is empty for operands of equal rank and for scalars.
        /// In matched dimensions, size 1 stretches to the other size.
        ///
        /// ```
        #[doc = gpu!()]
        #[doc = concat!(
            "let x = gpu.zeros::<", example_type!($bound), ">([2, 3])?;\n",
            "let v = gpu.zeros::<", example_type!($bound), ">([3])?;\n",
            "let y = indim::", stringify!($method), "(&x, &v, [1])?;\n",
            "assert_eq!(y.shape().dims(), [2, 3]);",
        )]
        /// # Ok::<(), indim::Error>(())
        /// ```
        ///
        /// # Errors
        /// [`BroadcastError`](crate::BroadcastError) by rules B1 to B8 of XLA's document
        /// "Broadcasting semantics"; [`ShapeError`](crate::ShapeError) by rule C1; those of
        /// [`Expr::eval`].
        pub fn $method<T: $bound>(
            lhs: impl IntoExpr<T>,
            rhs: impl IntoExpr<T>,
            broadcast_dimensions: impl Dims,
        ) -> Result<Array<result_element!($result)>> {
            let (lhs, rhs) = (lhs.into_expr(), rhs.into_expr());
            binary(Opcode::$name, &lhs, &rhs, &broadcast_dimensions.to_signed())
        }
    };
    (unary $class:ident $name:ident $method:ident $bound:ident $result:ident [$($doc:literal)+] []) => {
        $(#[doc = $doc])+
        ///
        /// ```
        #[doc = gpu!()]
        #[doc = concat!(
            "let x = gpu.zeros::<", example_type!($bound), ">([2, 3])?;\n",
            "assert_eq!(indim::", stringify!($method), "(&x)?.shape(), x.shape());",
        )]
        /// # Ok::<(), indim::Error>(())
        /// ```
        ///
        /// # Errors
        /// It returns the errors of [`Expr::eval`].
        pub fn $method<T: $bound>(operand: impl IntoExpr<T>) -> Result<Array<result_element!($result)>> {
            unary(Opcode::$name, &operand.into_expr())
        }
    };
    (
        structured Convert $name:ident $method:ident $bound:ident $result:ident [$($doc:literal)+]
        [operand; to: Type = $to:ident; $shape:tt; $errors:literal]
    ) => {
        $(#[doc = $doc])+
        ///
        /// ```
        #[doc = gpu!()]
        #[doc = concat!(
            "let x = gpu.zeros::<f32>([2, 3])?;\n",
            "let y = indim::", stringify!($method), "::<_, ", stringify!($to), ">(&x)?;\n",
            "assert_eq!(y.shape().dims(), ", stringify!($shape), ");",
        )]
        /// # Ok::<(), indim::Error>(())
        /// ```
        ///
        /// # Errors
        /// It returns the errors of [`Expr::eval`].
        #[doc = $errors]
        pub fn $method<T: Element, R: Element>(operand: impl IntoExpr<T>) -> Result<Array<R>> {
            let x = operand.into_expr();
            operations::eagerly(|| {
                build::convert(&mut Nodes, Opcode::$name, x.node_ref()?, R::ELEMENT_TYPE)
            })
        }
    };
    (
        structured $class:ident $name:ident $method:ident $bound:ident $result:ident [$($doc:literal)+]
        [$first:ident $(, $other:ident)*; $($attribute:ident: $kind:ident = $value:tt),*; $shape:tt; $errors:literal]
    ) => {
        $(#[doc = $doc])+
        ///
        #[doc = concat!(
            "The result is in row-major order. In an expression, [`Expr::", stringify!($method),
            "`] stores none.",
        )]
        ///
        /// ```
        #[doc = gpu!()]
        #[doc = concat!(
            "let x = gpu.zeros::<", example_type!($bound), ">([2, 3])?;\n",
            "let y = indim::", stringify!($method), "(&x, ",
            $(other!($other), ", ",)* stringify!($($value),*), ")?;\n",
            "assert_eq!(y.shape().dims(), ", stringify!($shape), ");",
        )]
        /// # Ok::<(), indim::Error>(())
        /// ```
        ///
        /// # Errors
        /// It returns the errors of [`Expr::eval`].
        #[doc = $errors]
        pub fn $method<T: $bound>(
            $first: impl IntoExpr<T>,
            $($other: impl IntoExpr<T>,)*
            $($attribute: attribute_type!($kind),)*
        ) -> Result<Array<result_element!($result)>> {
            let $first = $first.into_expr();
            $(let $other = $other.into_expr();)*
            operations::eagerly(|| {
                build::$method(
                    &mut Nodes,
                    $first.node_ref()?
                    $(, $other.node_ref()?)*
                    $(, attribute!($kind $attribute))*
                )
            })
        }
    };
}

for_each_op! { function }

/// Selects elements of `on_true` where `pred` is true, else of `on_false`. The operands have one
/// shape or are scalars.
///
/// ```
/// # let gpu = indim::Context::blocking()?;
/// let x = gpu.array([3], &[1_f32, -2., 3.])?;
/// let relu = indim::select(x.gt(0.0), &x, 0.0)?;
/// assert_eq!(relu.to_vec_blocking()?, [1., 0., 3.]);
/// # Ok::<(), indim::Error>(())
/// ```
///
/// # Errors
/// [`BroadcastError`](crate::BroadcastError) by rule S1; those of [`Expr::eval`].
pub fn select<T: Element>(
    pred: impl IntoExpr<bool>,
    on_true: impl Choice<T>,
    on_false: impl Choice<T>,
) -> Result<Array<T>> {
    let (pred, on_true, on_false) =
        (pred.into_expr(), on_true.into_choice(), on_false.into_choice());
    operations::eagerly(|| {
        let (pred, on_true) = (pred.node_ref()?, on_true.node_ref()?);
        build::select(&mut Nodes, pred, on_true, on_false.node_ref()?)
    })
}

/// Clamps each element: the smaller one of `max` and the larger one of `min` and `x`. The operands
/// have one shape or are scalars.
///
/// ```
/// # let gpu = indim::Context::blocking()?;
/// let x = gpu.array([3], &[0.5_f32, -2., 3.])?;
/// assert_eq!(indim::clamp(0.0, &x, 1.0)?.to_vec_blocking()?, [0.5, 0., 1.]);
/// # Ok::<(), indim::Error>(())
/// ```
///
/// # Errors
/// [`BroadcastError`](crate::BroadcastError) by rule S1; those of [`Expr::eval`].
pub fn clamp<T: Real>(
    min: impl IntoExpr<T>,
    x: impl IntoExpr<T>,
    max: impl IntoExpr<T>,
) -> Result<Array<T>> {
    let (min, x, max) = (min.into_expr(), x.into_expr(), max.into_expr());
    operations::eagerly(|| {
        build::clamp(&mut Nodes, min.node_ref()?, x.node_ref()?, max.node_ref()?)
    })
}

/// Returns the operands one after the other along a dimension, as `concatenate([&x, &y], 0)`;
/// XlaBuilder's `ConcatInDim`. They have equal sizes along all others.
///
/// ```
/// # let gpu = indim::Context::blocking()?;
/// let (x, y) = (gpu.array([2], &[1, 2])?, gpu.array([1], &[3])?);
/// assert_eq!(indim::concatenate([&x, &y], 0)?.to_vec_blocking()?, [1, 2, 3]);
/// # Ok::<(), indim::Error>(())
/// ```
///
/// # Errors
/// [`ViewError`](crate::ViewError) by rule V9; [`ShapeError`](crate::ShapeError) by rule C1; those of
/// [`Expr::eval`].
pub fn concatenate<T: Element>(
    operands: impl IntoIterator<Item = impl IntoExpr<T>>,
    dimension: i64,
) -> Result<Array<T>> {
    operations::eagerly(|| build::concatenate(&mut Nodes, &operations::nodes(operands)?, dimension))
}

/// Reduces dimensions by an operation such as [`Opcode::ReduceSum`], and combines the result with
/// `init`, the initial value of XLA's `Reduce`: a scalar, or an array of the result's shape.
///
/// ```
/// # let gpu = indim::Context::blocking()?;
/// let x = gpu.array([2, 2], &[1_i32, 2, 3, 4])?;
/// let sums = indim::reduce_with_init(indim::Opcode::ReduceSum, &x, 10, [1])?;
/// assert_eq!(sums.to_vec_blocking()?, [13, 17]);
/// # Ok::<(), indim::Error>(())
/// ```
///
/// # Errors
/// It returns the errors of [`Builder::reduce_with_init`](crate::Builder::reduce_with_init), and
/// those of [`Expr::eval`].
pub fn reduce_with_init<T: Element>(
    opcode: Opcode,
    operand: impl IntoExpr<T>,
    init: impl IntoExpr<T>,
    dimensions: impl Dims,
) -> Result<Array<T>> {
    let (x, init) = (operand.into_expr(), init.into_expr());
    operations::eagerly(|| {
        let (x, init) = (x.node_ref()?, init.node_ref()?);
        build::reduce_with_init(&mut Nodes, opcode, x, init, &dimensions.to_signed())
    })
}

/// Returns the elements at computed indices along a dimension, which the result has the dimensions of
/// `indices` in place of. Indices that are out of range are clamped, as XLA's gather does.
///
/// ```
/// # let gpu = indim::Context::blocking()?;
/// let (x, indices) = (gpu.array([3], &[1_f32, 2., 3.])?, gpu.array([4], &[2, 0, -1, 9])?);
/// assert_eq!(indim::take(&x, &indices, 0)?.to_vec_blocking()?, [3., 1., 1., 3.]);
/// # Ok::<(), indim::Error>(())
/// ```
///
/// # Errors
/// [`ViewError`](crate::ViewError) by rules G1 and G2; [`ShapeError`](crate::ShapeError) by rule C1;
/// those of [`Expr::eval`].
pub fn take<T: Element, I: Integer>(
    operand: impl IntoExpr<T>,
    indices: impl IntoExpr<I>,
    dimension: i64,
) -> Result<Array<T>> {
    let (x, indices) = (operand.into_expr(), indices.into_expr());
    operations::eagerly(|| build::take(&mut Nodes, x.node_ref()?, indices.node_ref()?, dimension))
}

/// Returns the elements at an index of their own along a dimension: those of `indices` at the same
/// place, clamped where they are out of range. Both have one rank; in other dimensions, size 1
/// stretches.
///
/// ```
/// # let gpu = indim::Context::blocking()?;
/// let (x, indices) = (gpu.array([2, 2], &[1, 2, 3, 4])?, gpu.array([2, 1], &[1, 0])?);
/// assert_eq!(indim::take_along_dimension(&x, &indices, 1)?.to_vec_blocking()?, [2, 3]);
/// # Ok::<(), indim::Error>(())
/// ```
///
/// # Errors
/// [`ViewError`](crate::ViewError) by rules G1, G2 and G3; [`ShapeError`](crate::ShapeError) by rule
/// C1; those of [`Expr::eval`].
pub fn take_along_dimension<T: Element, I: Integer>(
    operand: impl IntoExpr<T>,
    indices: impl IntoExpr<I>,
    dimension: i64,
) -> Result<Array<T>> {
    let (x, indices) = (operand.into_expr(), indices.into_expr());
    operations::eagerly(|| {
        let (x, indices) = (x.node_ref()?, indices.node_ref()?);
        build::take_along_dimension(&mut Nodes, x, indices, dimension)
    })
}

/// Returns the product of two vectors or matrices: the sum of products along the last dimension of `lhs`
/// and the first of `rhs`.
///
/// ```
/// # let gpu = indim::Context::blocking()?;
/// let (x, v) = (gpu.array([2, 2], &[1_f32, 2., 3., 4.])?, gpu.array([2], &[1_f32, 10.])?);
/// assert_eq!(indim::dot(&x, &v)?.to_vec_blocking()?, [21., 43.]);
/// # Ok::<(), indim::Error>(())
/// ```
///
/// # Errors
/// It returns the errors of [`Builder::dot`](crate::Builder::dot) and of [`Expr::eval`].
pub fn dot<T: Element>(lhs: impl IntoExpr<T>, rhs: impl IntoExpr<T>) -> Result<Array<T>> {
    let (lhs, rhs) = (lhs.into_expr(), rhs.into_expr());
    operations::eagerly(|| build::dot(&mut Nodes, lhs.node_ref()?, rhs.node_ref()?))
}

/// Returns sums of products by dimensions of both operands.
///
/// ```
/// # let gpu = indim::Context::blocking()?;
/// use indim::DotDimensionNumbers;
///
/// let x = gpu.array([2, 2], &[1_f32, 2., 3., 4.])?;
/// let rows = DotDimensionNumbers::contracting([1], [1]);
/// assert_eq!(indim::dot_general(&x, &x, &rows)?.to_vec_blocking()?, [5., 11., 11., 25.]);
/// # Ok::<(), indim::Error>(())
/// ```
///
/// # Errors
/// It returns the errors of [`Builder::dot_general`](crate::Builder::dot_general) and of [`Expr::eval`].
pub fn dot_general<T: Element>(
    lhs: impl IntoExpr<T>,
    rhs: impl IntoExpr<T>,
    numbers: &DotDimensionNumbers,
) -> Result<Array<T>> {
    let (lhs, rhs) = (lhs.into_expr(), rhs.into_expr());
    operations::eagerly(|| {
        build::dot_general(&mut Nodes, lhs.node_ref()?, rhs.node_ref()?, numbers)
    })
}

/// Returns a shape of these sizes in which each element is its index along `iota_dimension`.
///
/// ```
/// # let gpu = indim::Context::blocking()?;
/// let columns: indim::Array<f32> = indim::iota(&gpu, [2, 3], 1)?;
/// assert_eq!(columns.to_vec_blocking()?, [0., 1., 2., 0., 1., 2.]);
/// # Ok::<(), indim::Error>(())
/// ```
///
/// # Errors
/// [`ShapeError`](crate::ShapeError) by rules N1, I1 and C1; [`DeviceError`](crate::DeviceError).
pub fn iota<T: Number>(
    context: &Context,
    sizes: impl Dims,
    iota_dimension: i64,
) -> Result<Array<T>> {
    context.eval(&Expr::iota(sizes, iota_dimension))
}

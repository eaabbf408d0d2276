//! NumPy's reductions, of values whose element types are known at run time: NumPy's results have other
//! types than their operands.

use crate::api::any_expr::AnyExpr;
use crate::api::nodes::Nodes;
use indim_core::graph::build;
use indim_core::numpy::{Axis, NumpyReduction};
use indim_core::semantics::error::Result;

/// Returns a reduction by NumPy's rules, with a `dtype` or a `ddof` of its own.
///
/// ```
/// use indim::numpy::{self, NumpyReduction};
/// use indim::{AnyExpr, ElementType};
///
/// let x = AnyExpr::iota(ElementType::S8, [2, 3], 0)?;
/// let sum = numpy::reduce(NumpyReduction::Sum { dtype: Some(ElementType::F32) }, &x, 1)?;
/// assert_eq!((sum.element_type(), sum.shape().dims()), (ElementType::F32, &[2][..]));
/// # Ok::<(), indim::Error>(())
/// ```
///
/// # Errors
/// [`ViewError`](crate::ViewError) by rules R1 and R2, and by rule R3 for what is found among no
/// elements; [`TypeError`](crate::TypeError) by rule T1.
pub fn reduce(reduction: NumpyReduction, x: &AnyExpr, axis: impl Into<Axis>) -> Result<AnyExpr> {
    build::reduce_as_numpy(&mut Nodes, reduction, &x.node, &axis.into()).map(AnyExpr::of)
}

macro_rules! reductions {
    ($($(#[doc = $doc:literal])+ $name:ident $variant:ident $fields:tt -> $result:ident;)*) => {$(
        $(#[doc = $doc])+
        ///
        /// ```
        /// use indim::{AnyExpr, ElementType, numpy};
        ///
        /// let x = AnyExpr::iota(ElementType::U8, [2, 3], 0)?;
        #[doc = concat!("let of_rows = numpy::", stringify!($name), "(&x, -1)?;")]
        #[doc = concat!(
            "assert_eq!((of_rows.element_type(), of_rows.shape().dims()), (ElementType::",
            stringify!($result), ", &[2][..]));"
        )]
        /// # Ok::<(), indim::Error>(())
        /// ```
        ///
        /// # Errors
        /// It returns the errors of [`reduce`].
        pub fn $name(x: &AnyExpr, axis: impl Into<Axis>) -> Result<AnyExpr> {
            reduce(NumpyReduction::$variant $fields, x, axis)
        }
    )*};
}

reductions! {
    /// Returns sums: NumPy's `sum`. Booleans and integers are added in S64, unsigned ones in U64.
    sum Sum { dtype: None } -> U64;
    /// Returns products: NumPy's `prod`, with the types of [`sum`].
    prod Prod { dtype: None } -> U64;
    /// Returns means: NumPy's `mean`, of integers and booleans in F64.
    mean Mean { dtype: None } -> F64;
    /// Returns mean squares of the distances from the mean: NumPy's `var`, with the types of [`mean`].
    var Var { dtype: None, ddof: 0.0 } -> F64;
    /// Returns square roots of variances: NumPy's `std`.
    std Std { dtype: None, ddof: 0.0 } -> F64;
    /// Returns the largest elements: NumPy's `amax`, which is its `max`; NaN where an element is.
    amax Max {} -> U8;
    /// Returns the smallest elements: NumPy's `amin`, which is its `min`; NaN where an element is.
    amin Min {} -> U8;
    /// Returns whether an element is not 0: NumPy's `any`.
    any Any {} -> Pred;
    /// Returns whether no element is 0: NumPy's `all`.
    all All {} -> Pred;
    /// Returns the position of the first largest element, or of the first NaN: NumPy's `argmax`.
    argmax Argmax {} -> S64;
    /// Returns the position of the first smallest element, or of the first NaN: NumPy's `argmin`.
    argmin Argmin {} -> S64;
    /// Returns the number of elements that are not 0: NumPy's `count_nonzero`.
    count_nonzero CountNonzero {} -> S64;
    /// Returns the logarithms of sums of exponentials: SciPy's `logsumexp`, of integers and booleans
    /// in F64.
    logsumexp Logsumexp {} -> F64;
}

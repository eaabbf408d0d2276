//! Arguments of NumPy's reductions: [`NumpyReduction`] and [`Axis`].

use crate::semantics::dims::Dims;
use crate::semantics::element::ElementType;

/// A reduction by NumPy's rules. Each has NumPy's name, and so have its arguments beside `axis` and
/// `keepdims`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum NumpyReduction {
    /// `sum`: booleans and small integers are added in S64, unsigned ones in U64, or all in `dtype`.
    Sum {
        /// The element type in which elements are added.
        dtype: Option<ElementType>,
    },
    /// `prod`, with the types of `sum`.
    Prod {
        /// The element type in which elements are multiplied.
        dtype: Option<ElementType>,
    },
    /// `mean`, of integers and booleans in F64; NaN of none.
    Mean {
        /// The element type in which the mean is computed.
        dtype: Option<ElementType>,
    },
    /// `var`: the mean of the squared distances from the mean, of the types of `mean`.
    Var {
        /// The element type in which the variance is computed.
        dtype: Option<ElementType>,
        /// NumPy's `ddof`, the Array API's `correction`: the squares are divided by the number of
        /// elements minus this.
        ddof: f64,
    },
    /// `std`: the square root of the variance.
    Std {
        /// The element type in which the deviation is computed.
        dtype: Option<ElementType>,
        /// As for the variance.
        ddof: f64,
    },
    /// `max`; NaN if any element is.
    Max,
    /// `min`; NaN if any element is.
    Min,
    /// `any`: whether an element is not 0.
    Any,
    /// `all`: whether no element is 0.
    All,
    /// `argmax`, in S64: along several axes, or all, the position in row-major order of these.
    Argmax,
    /// `argmin`, in S64, as `argmax`.
    Argmin,
    /// `count_nonzero`, in S64.
    CountNonzero,
    /// `logsumexp`, of integers and booleans in F64.
    Logsumexp,
}

impl NumpyReduction {
    /// Returns the reduction of this name, with no `dtype` and a `ddof` of 0. `amax` and `amin` are
    /// other names of `max` and `min`, as in NumPy.
    ///
    /// ```
    /// use indim::numpy::NumpyReduction;
    ///
    /// assert_eq!(NumpyReduction::of_name("sum"), Some(NumpyReduction::Sum { dtype: None }));
    /// assert_eq!(NumpyReduction::of_name("median"), None);
    /// ```
    pub fn of_name(name: &str) -> Option<Self> {
        let (dtype, ddof) = (None, 0.0);
        let all = [
            Self::Sum { dtype },
            Self::Prod { dtype },
            Self::Mean { dtype },
            Self::Var { dtype, ddof },
            Self::Std { dtype, ddof },
            Self::Max,
            Self::Min,
            Self::Any,
            Self::All,
            Self::Argmax,
            Self::Argmin,
            Self::CountNonzero,
            Self::Logsumexp,
        ];
        let name = match name {
            "amax" => "max",
            "amin" => "min",
            other => other,
        };
        all.into_iter().find(|reduction| reduction.name() == name)
    }

    /// Returns NumPy's name of the reduction.
    ///
    /// ```
    /// assert_eq!(indim::numpy::NumpyReduction::CountNonzero.name(), "count_nonzero");
    /// ```
    pub fn name(&self) -> &'static str {
        match self {
            Self::Sum { .. } => "sum",
            Self::Prod { .. } => "prod",
            Self::Mean { .. } => "mean",
            Self::Var { .. } => "var",
            Self::Std { .. } => "std",
            Self::Max => "max",
            Self::Min => "min",
            Self::Any => "any",
            Self::All => "all",
            Self::Argmax => "argmax",
            Self::Argmin => "argmin",
            Self::CountNonzero => "count_nonzero",
            Self::Logsumexp => "logsumexp",
        }
    }
}

/// NumPy's `axis` and `keepdims`: the dimensions that are reduced, of which negative ones count from the
/// last; all, if none are given.
///
/// ```
/// use indim::numpy::Axis;
///
/// assert_eq!(Axis::from(-1), Axis::from([-1]));
/// assert_eq!(Axis::from(()), Axis::default()); // all
/// let kept = Axis::from([0, 2]).keepdims();
/// assert_ne!(kept, Axis::from([0, 2]));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Axis {
    axes: Option<Vec<i64>>,
    keepdims: bool,
}

impl Axis {
    /// Leaves each reduced dimension in the result, with size 1.
    ///
    /// ```
    /// use indim::{AnyExpr, ElementType, numpy, numpy::Axis};
    ///
    /// let x = AnyExpr::iota(ElementType::F32, [2, 3], 0)?;
    /// assert_eq!(numpy::sum(&x, Axis::from(1).keepdims())?.shape().dims(), [2, 1]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    #[must_use]
    pub fn keepdims(self) -> Self {
        Self { keepdims: true, ..self }
    }

    /// Returns whether reduced dimensions stay.
    pub(crate) fn keeps(&self) -> bool {
        self.keepdims
    }

    /// Returns the dimensions of an array of this rank. One that the array lacks stays as it is.
    pub(crate) fn dimensions(&self, rank: usize) -> Vec<i64> {
        let rank = rank as i64;
        match &self.axes {
            None => (0..rank).collect(),
            Some(axes) => {
                let counted =
                    |&axis: &i64| if (-rank..0).contains(&axis) { axis + rank } else { axis };
                axes.iter().map(counted).collect()
            }
        }
    }
}

/// All dimensions.
impl From<()> for Axis {
    fn from((): ()) -> Self {
        Self::default()
    }
}

impl From<i64> for Axis {
    fn from(axis: i64) -> Self {
        Self::from([axis])
    }
}

impl<const N: usize> From<[i64; N]> for Axis {
    fn from(axes: [i64; N]) -> Self {
        Self::from(&axes[..])
    }
}

impl From<&[i64]> for Axis {
    fn from(axes: &[i64]) -> Self {
        Self { axes: Some(axes.to_signed().into_owned()), keepdims: false }
    }
}

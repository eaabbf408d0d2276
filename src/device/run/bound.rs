//! Defines [`Bound`]: a computation with its arguments.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use crate::device::arrays::array::AnyArray;
use crate::device::context::Context;
use indim_core::errors::array::ArrayError;
use indim_core::graph::computation::{Computation, Runs};
use indim_core::semantics::element::Scalar;
use indim_core::semantics::error::Result;
use indim_core::semantics::hash::FastMap;

/// A computation with the arrays that are its arguments: everything that can be run can be made one,
/// and has all ways to run as methods.
///
/// | | new arrays | existing arrays |
/// |---|---|---|
/// | on the context | [`Bound::eval`] | [`Bound::eval_into`] |
/// | in your encoder | [`Bound::encode`], [`Bound::command_buffer`] | [`Bound::encode_into`] |
///
/// [`Bound::explain`] shows the kernels, and [`Bound::prewarm`] compiles them. A `Bound` comes from a
/// computation by [`Computation::on`], or from expressions by [`Expr::bind`](crate::Expr::bind) and
/// [`bind`](crate::bind). It holds its arguments. Methods that write existing arrays consume it, so
/// that these do not count as other holders of the memory.
///
/// ```
/// # let gpu = indim::Context::blocking()?;
/// # let mut b = indim::Builder::new();
/// # let p = b.parameter(indim::ElementType::F32, [8])?;
/// # let y = b.exp(p)?;
/// # let f = b.build(y)?;
/// # let mut x = gpu.upload(&indim::Literal::from_slice([8], &[0_f32; 8])?)?;
/// let [y] = f.on(&gpu, &[&x])?.eval()?.try_into().expect("one result");
/// f.on(&gpu, &[&x])?.eval_into(&mut x)?; // in place
/// # Ok::<(), indim::Error>(())
/// ```
pub struct Bound<'a> {
    /// `None` if it comes from expressions without arrays.
    context: Option<Context>,
    pub(crate) computation: ComputationRef<'a>,
    /// Values in the place of the computation's constants, in their order, if they are others.
    pub(crate) constants: Option<Vec<Scalar>>,
    pub(crate) arguments: Vec<AnyArray>,
}

/// A computation, borrowed or shared.
#[derive(Clone)]
pub(crate) enum ComputationRef<'a> {
    Borrowed(&'a Computation),
    Shared(Arc<Computation>),
}

impl Deref for ComputationRef<'_> {
    type Target = Computation;

    fn deref(&self) -> &Computation {
        match self {
            Self::Borrowed(computation) => computation,
            Self::Shared(computation) => computation,
        }
    }
}

impl fmt::Debug for Bound<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let results: Vec<String> =
            self.computation.results().map(|(of, shape)| format!("{of}{shape}")).collect();
        write!(f, "Bound({} arguments, {})", self.arguments.len(), results.join(", "))
    }
}

impl Runs for Context {
    type Array = AnyArray;
    type Bound<'a> = Bound<'a>;

    fn bind<'a>(&self, computation: &'a Computation, arguments: &[&AnyArray]) -> Result<Bound<'a>> {
        check_arguments(self, computation, arguments)?;
        let computation = match merged(computation, arguments) {
            Some(merged) => ComputationRef::Shared(Arc::new(merged)),
            None => ComputationRef::Borrowed(computation),
        };
        let arguments = arguments.iter().map(|&argument| argument.clone()).collect();
        Ok(Bound { context: Some(self.clone()), computation, constants: None, arguments })
    }
}

impl Bound<'static> {
    /// Returns a computation with arguments that are known to fit it, on their context, or on the
    /// given one if there are none.
    pub(crate) fn new(
        context: Option<&Context>,
        computation: Arc<Computation>,
        constants: Option<Vec<Scalar>>,
        arguments: Vec<AnyArray>,
    ) -> Result<Self> {
        let context = context.or(arguments.first().map(AnyArray::context)).cloned();
        if let Some(context) = &context
            && !arguments.iter().all(|array| array.context().is(context))
        {
            return Err(ArrayError::TwoContexts.into());
        }
        Ok(Self { context, computation: ComputationRef::Shared(computation), constants, arguments })
    }
}

impl Bound<'_> {
    /// Returns the context that it runs on.
    ///
    /// ```
    /// use indim::{Context, Expr};
    ///
    /// let gpu = Context::blocking()?;
    /// let x = gpu.zeros::<f32>([8])?;
    /// assert_eq!((&x + 1.0).bind()?.context()?.device(), gpu.device());
    /// assert!(Expr::<f32>::iota([8], 0).bind()?.context().is_err()); // it has no arrays
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ArrayError::NoContext`] if it comes from expressions without arrays.
    pub fn context(&self) -> Result<&Context> {
        self.context.as_ref().ok_or_else(|| ArrayError::NoContext.into())
    }

    /// Returns the context that it runs on, or else this one.
    pub(crate) fn context_or<'a>(&'a self, otherwise: &'a Context) -> &'a Context {
        self.context.as_ref().unwrap_or(otherwise)
    }

    pub(crate) fn borrowed(&self) -> Vec<&AnyArray> {
        self.arguments.iter().collect()
    }
}

/// Returns the computation with one parameter for all arguments that are the same array, so that it
/// is read once; `None` if all differ.
pub(crate) fn merged(computation: &Computation, arguments: &[&AnyArray]) -> Option<Computation> {
    let mut first_of = FastMap::default();
    let numbered = arguments.iter().enumerate();
    let representative: Vec<usize> =
        numbered.map(|(i, a)| *first_of.entry(a.address()).or_insert(i)).collect();
    let differ = representative.iter().enumerate().all(|(i, &r)| i == r);
    (!differ).then(|| computation.merge_parameters(&representative))
}

pub(crate) fn check_arguments(
    context: &Context,
    computation: &Computation,
    arguments: &[&AnyArray],
) -> Result<()> {
    computation.check_arguments(arguments.iter().map(|a| (a.element_type(), a.shape())))?;
    if arguments.iter().all(|argument| argument.context().is(context)) {
        Ok(())
    } else {
        Err(ArrayError::TwoContexts.into())
    }
}

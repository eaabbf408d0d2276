//! Makes a [`Bound`] of expressions.

use std::sync::Arc;

use crate::api::eval::{Exprs, roots};
use crate::api::expr::Expr;
use crate::api::expr_computation::cached_computation;
use crate::api::expr_node::{BoundComputation, Node};
use crate::device::context::Context;
use crate::device::run::bound::Bound;
use indim_core::semantics::element::Element;
use indim_core::semantics::error::Result;

/// Returns expressions as one computation with its arguments, the arrays in them: its results are the
/// values, in order. It has all ways to run ([`Bound`]), among them those that [`eval`](crate::eval)
/// lacks: into several existing arrays, and in your encoder.
///
/// Expressions given by value are consumed, so that their arrays do not count as holders of a target's
/// memory.
///
/// ```
/// let gpu = indim::Context::blocking()?;
/// let (mut x, mut y) = (gpu.array([2], &[1_f32, 2.])?, gpu.array([2], &[3_f32, 4.])?);
/// let (sum, difference) = (&x + &y, &x - &y);
/// indim::bind((sum, difference))?.eval_into((&mut x, &mut y))?; // one kernel
/// assert_eq!(x.to_vec_blocking()?, [4., 6.]);
/// assert_eq!(y.to_vec_blocking()?, [-2., -2.]);
/// # Ok::<(), indim::Error>(())
/// ```
///
/// # Errors
/// The first error of an expression, as [`Error::Expression`](crate::Error::Expression) with its
/// place in the caller's source; [`ArrayError::TwoContexts`](crate::ArrayError::TwoContexts) if their
/// arrays live on several contexts; [`ArrayError::NoContext`](crate::ArrayError::NoContext) if an
/// [`AnyExpr::literal`](crate::AnyExpr::literal) is not uploaded (use [`Context::bind`]).
pub fn bind<E: Exprs>(expressions: E) -> Result<Bound<'static>> {
    bind_on(None, expressions)
}

impl Context {
    /// Returns expressions as one computation with its arguments, as [`bind`] does, to be run on
    /// this context. Needed for those without arrays, which have no context.
    ///
    /// ```
    /// use indim::{Context, Expr};
    ///
    /// let gpu = Context::blocking()?;
    /// let bound = gpu.bind(Expr::<i32>::iota([3], 0) * 2)?;
    /// let results = bound.eval()?;
    /// assert_eq!(results[0].to_literal_blocking()?.to_vec::<i32>()?, [0, 2, 4]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// It returns the errors of [`bind`].
    pub fn bind<E: Exprs>(&self, expressions: E) -> Result<Bound<'static>> {
        bind_on(Some(self), expressions)
    }
}

impl<T: Element> Expr<T> {
    /// Returns the expression as a computation with its arguments, the arrays in it, to be run in
    /// any of the ways of [`Bound`]. It is consumed, so that its arrays do not count as holders of a
    /// target's memory.
    ///
    /// ```
    /// let x = indim::Context::blocking()?.array([2], &[1_f32, 2.])?;
    /// let bound = (&x * 10.0).bind()?;
    /// bound.prewarm()?; // compiles its kernel
    /// let results = bound.eval()?;
    /// assert_eq!(results[0].to_literal_blocking()?.to_vec::<f32>()?, [10., 20.]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// It returns the errors of [`bind`].
    pub fn bind(self) -> Result<Bound<'static>> {
        bind(self)
    }
}

fn bind_on<E: Exprs>(context: Option<&Context>, expressions: E) -> Result<Bound<'static>> {
    let roots = roots(&expressions)?;
    drop(expressions);
    bound(context, &roots.iter().collect::<Vec<_>>())
}

/// Returns the values of these nodes as a computation with its arguments.
fn bound(context: Option<&Context>, roots: &[&Arc<Node>]) -> Result<Bound<'static>> {
    if let [root] = roots
        && let Some(BoundComputation { computation, constants, arrays }) = cached_computation(root)
    {
        return Bound::new(context, Arc::clone(computation), constants.clone(), arrays.clone());
    }
    let BoundComputation { computation, constants, arrays } = BoundComputation::of(roots, context)?;
    Bound::new(context, computation, constants, arrays)
}

//! Runs [`AnyExpr`]s, in the ways of [`Expr`](crate::Expr).

use crate::api::any_expr::AnyExpr;
use crate::api::bind::bind;
use crate::api::eval::{eval, explain};
use crate::api::expr_node::NodeKind;
use crate::api::nodes;
use crate::device::arrays::array::AnyArray;
use crate::device::arrays::targets::Targets;
use crate::device::run::bound::Bound;
use crate::device::run::encoded::Encoded;
use indim_core::compile::explain::Explanation;
use indim_core::semantics::error::Result;

impl AnyExpr {
    /// Returns the same value under a name for profilers; see [`Expr::named`](crate::Expr::named).
    #[must_use]
    pub fn named(&self, name: &str) -> Self {
        Self::of(nodes::same_as(&self.node, NodeKind::Named(name.into())))
    }

    /// Computes the value on the context of the arrays in it, as [`Expr::eval`](crate::Expr::eval)
    /// does. The value keeps its array.
    ///
    /// # Errors
    /// It returns the errors of [`eval`].
    pub fn eval(&self) -> Result<AnyArray> {
        eval(self)
    }

    /// Returns the kernels as which [`AnyExpr::eval`] computes the value; see
    /// [`explain`](crate::explain).
    ///
    /// # Errors
    /// It returns the errors of [`explain`](crate::explain).
    pub fn explain(&self) -> Result<Explanation> {
        explain(self)
    }

    /// Returns the expression as a computation with its arguments, as
    /// [`Expr::bind`](crate::Expr::bind) does.
    ///
    /// # Errors
    /// It returns the errors of [`bind`].
    pub fn bind(self) -> Result<Bound<'static>> {
        bind(self)
    }

    /// Computes the value and writes it to the target, as
    /// [`Expr::eval_into`](crate::Expr::eval_into) does: an array, or a part of one, of the same
    /// element type. The value does not keep its array.
    ///
    /// # Errors
    /// It returns the errors of [`Bound::eval_into`].
    pub fn eval_into<'a>(self, target: impl Targets<'a>) -> Result<()> {
        self.bind()?.eval_into(target)
    }

    /// Records the commands that [`AnyExpr::eval_into`] would submit in your encoder, as
    /// [`Expr::encode_into`](crate::Expr::encode_into) does.
    ///
    /// # Errors
    /// It returns the errors of [`Bound::encode_into`].
    pub fn encode_into<'a>(
        self,
        encoder: &mut wgpu::CommandEncoder,
        target: impl Targets<'a>,
    ) -> Result<Encoded> {
        self.bind()?.encode_into(encoder, target)
    }
}

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
use indim_compiler::explain::Explanation;
use indim_core::semantics::error::Result;

impl AnyExpr {
    /// Returns the same value under a name for profilers; see [`Expr::named`](crate::Expr::named).
    ///
    /// ```
    /// use indim::{AnyExpr, ElementType::F32};
    ///
    /// let x = AnyExpr::iota(F32, [3], 0)?;
    /// let squares = x.mul(&x, [])?.named("squares");
    /// let squares = indim::Context::blocking()?.eval(&squares)?;
    /// assert_eq!(squares.to_literal_blocking()?.to_vec::<f32>()?, [0., 1., 4.]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    #[must_use]
    pub fn named(&self, name: &str) -> Self {
        Self::of(nodes::same_as(&self.node, NodeKind::Named(name.into())))
    }

    /// Computes the value on the context of the arrays in it, as [`Expr::eval`](crate::Expr::eval)
    /// does. The value keeps its array.
    ///
    /// ```
    /// use indim::{AnyExpr, Context, Literal};
    ///
    /// let gpu = Context::blocking()?;
    /// let x = gpu.upload(&Literal::from_slice([3], &[1_f32, 4., 9.])?)?;
    /// let roots = AnyExpr::from(&x).sqrt()?.eval()?;
    /// assert_eq!(roots.to_literal_blocking()?.to_vec::<f32>()?, [1., 2., 3.]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// It returns the errors of [`eval`].
    pub fn eval(&self) -> Result<AnyArray> {
        eval(self)
    }

    /// Returns the kernels as which [`AnyExpr::eval`] computes the value; see
    /// [`explain`](crate::explain).
    ///
    /// ```
    /// use indim::{AnyExpr, Context};
    ///
    /// let x = AnyExpr::from(Context::blocking()?.zeros::<f32>([8])?.as_any());
    /// let y = x.exp()?.mul(&x, [])?;
    /// assert_eq!(y.explain()?.kernels.len(), 1);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// It returns the errors of [`explain`](crate::explain).
    pub fn explain(&self) -> Result<Explanation> {
        explain(self)
    }

    /// Returns the expression as a computation with its arguments, as
    /// [`Expr::bind`](crate::Expr::bind) does.
    ///
    /// ```
    /// use indim::{AnyExpr, Context};
    ///
    /// let x = AnyExpr::from(Context::blocking()?.array([2], &[3_i32, 4])?.as_any());
    /// let results = x.mul(&x, [])?.bind()?.eval()?;
    /// assert_eq!(results[0].to_literal_blocking()?.to_vec::<i32>()?, [9, 16]);
    /// # Ok::<(), indim::Error>(())
    /// ```
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
    /// ```
    /// use indim::{AnyExpr, Context};
    ///
    /// let mut x = Context::blocking()?.array([2], &[1_f32, 2.])?;
    /// let value = AnyExpr::from(x.as_any());
    /// value.add(&value, [])?.eval_into(&mut x)?;
    /// assert_eq!(x.to_vec_blocking()?, [2., 4.]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// It returns the errors of [`Bound::eval_into`].
    pub fn eval_into<'a>(self, target: impl Targets<'a>) -> Result<()> {
        self.bind()?.eval_into(target)
    }

    /// Records the commands that [`AnyExpr::eval_into`] would submit in your encoder, as
    /// [`Expr::encode_into`](crate::Expr::encode_into) does.
    ///
    /// ```
    /// use indim::{AnyExpr, Context};
    ///
    /// let gpu = Context::blocking()?;
    /// let mut x = gpu.array([2], &[1_f32, 2.])?;
    /// let negative = AnyExpr::from(x.as_any()).neg()?;
    /// let mut encoder = gpu.device().create_command_encoder(&Default::default());
    /// let encoded = negative.encode_into(&mut encoder, &mut x)?;
    /// gpu.queue().submit([encoder.finish()]);
    /// encoded.submitted();
    /// assert_eq!(x.to_vec_blocking()?, [-1., -2.]);
    /// # Ok::<(), indim::Error>(())
    /// ```
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

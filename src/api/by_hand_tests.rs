//! Tests that the operations whose rows give no methods, since no other is called like them, have all
//! ways to call. Such a row needs a function of its name in [`calls`], without which this file does
//! not compile.

use indim_core::semantics::op::table::for_each_op;

macro_rules! test {
    (by_hand $class:ident $name:ident $method:ident $($rest:tt)*) => {
        #[test]
        fn $method() {
            calls::$method().unwrap();
        }
    };
    ($($rest:tt)*) => {};
}

for_each_op! { test }

/// Each calls its operation in all ways that a graph without a GPU allows, and names the others.
mod calls {
    use crate::api::any_expr::AnyExpr;
    use crate::api::expr::Expr;
    use crate::api::{numpy, ops};
    use crate::device::arrays::typed::Array;
    use crate::device::context::Context;
    use indim_core::graph::builder::Builder;
    use indim_core::semantics::element::{ElementType, Scalar};
    use indim_core::semantics::error::Result;
    use indim_core::semantics::product::DotDimensionNumbers;

    fn typed() -> Expr<f32> {
        Expr::iota([2, 3], 0)
    }

    fn any() -> AnyExpr {
        AnyExpr::constant(Scalar::new(0.5_f32))
    }

    pub(super) fn select() -> Result<()> {
        let _ = |mask: &Array<bool>, x: &Array<f32>| (mask.select(x, 0.0), ops::select(mask, x, x));
        let mut b = Builder::new();
        let (x, pred) = (b.constant(Scalar::new(1_f32))?, b.constant(Scalar::new(true))?);
        b.select(pred, x, x)?;
        typed().gt(0.0).select(typed(), 0.0).shape()?;
        numpy::select(typed().gt(0.0), typed(), 0.0).shape()?;
        any().gt(&any(), [])?.select(&any(), &any()).map(drop)
    }

    pub(super) fn clamp() -> Result<()> {
        let _ = |x: &Array<f32>| (x.clamp(0.0, 1.0), ops::clamp(0.0, x, 1.0));
        let mut b = Builder::new();
        let x = b.constant(Scalar::new(1_f32))?;
        b.clamp(x, x, x)?;
        typed().clamp(0.0, typed()).shape()?;
        numpy::clamp(0.0, typed(), 1.0).shape()?;
        any().clamp(&any(), &any()).map(drop)
    }

    pub(super) fn concatenate() -> Result<()> {
        let _ = |x: &Array<f32>| ops::concatenate([x, x], 0);
        let mut b = Builder::new();
        let x = b.parameter(ElementType::F32, [2])?;
        b.concatenate(&[x, x], 0)?;
        Expr::concatenate([typed(), typed()], 0).shape()?;
        let x = AnyExpr::iota(ElementType::F32, [2], 0)?;
        AnyExpr::concatenate(&[x.clone(), x], 0).map(drop)
    }

    pub(super) fn take() -> Result<()> {
        let _ = |x: &Array<f32>, i: &Array<i32>| (x.take(i, 0), ops::take(x, i, 0));
        let mut b = Builder::new();
        let (x, i) = (b.parameter(ElementType::F32, [2])?, b.parameter(ElementType::S32, [3])?);
        b.take(x, i, 0)?;
        typed().take(1_i32, 0).shape()?;
        numpy::take(typed(), -1_i32, -1).shape()?;
        let x = AnyExpr::iota(ElementType::F32, [2], 0)?;
        x.take(&AnyExpr::iota(ElementType::U8, [3], 0)?, 0).map(drop)
    }

    pub(super) fn take_along_dimension() -> Result<()> {
        let _ = |x: &Array<f32>, i: &Array<i32>| {
            (x.take_along_dimension(i, 0), ops::take_along_dimension(x, i, 0))
        };
        let mut b = Builder::new();
        let (x, i) = (b.parameter(ElementType::F32, [2])?, b.parameter(ElementType::S32, [3])?);
        b.take_along_dimension(x, i, 0)?;
        let indices = Expr::<i32>::iota([2, 1], 0);
        typed().take_along_dimension(&indices, 1).shape()?;
        numpy::take_along_axis(typed(), &indices, -1).shape()?;
        let x = AnyExpr::iota(ElementType::F32, [2], 0)?;
        x.take_along_dimension(&AnyExpr::iota(ElementType::U8, [3], 0)?, 0).map(drop)
    }

    pub(super) fn dot() -> Result<()> {
        let _ = |x: &Array<f32>| (x.dot(x), ops::dot(x, x));
        let mut b = Builder::new();
        let x = b.parameter(ElementType::F32, [2])?;
        b.dot(x, x)?;
        typed().dot(Expr::iota([3], 0)).shape()?;
        let x = AnyExpr::iota(ElementType::F32, [2], 0)?;
        x.dot(&x).map(drop)
    }

    pub(super) fn dot_general() -> Result<()> {
        let rows = &DotDimensionNumbers::contracting([0], [0]);
        let _ = |x: &Array<f32>| (x.dot_general(x, rows), ops::dot_general(x, x, rows));
        let mut b = Builder::new();
        let x = b.parameter(ElementType::F32, [2])?;
        b.dot_general(x, x, rows)?;
        typed().dot_general(typed(), rows).shape()?;
        let x = AnyExpr::iota(ElementType::F32, [2], 0)?;
        x.dot_general(&x, rows).map(drop)
    }

    pub(super) fn iota() -> Result<()> {
        let _ = |gpu: &Context| ops::iota::<f32>(gpu, [2, 3], 0);
        Builder::new().iota(ElementType::F32, [2, 3], 0)?;
        typed().shape()?;
        AnyExpr::iota(ElementType::F32, [2, 3], 0).map(drop)
    }

    /// Expressions have arrays in place of parameters.
    pub(super) fn parameter() -> Result<()> {
        let _ = |x: &Array<f32>| (x.expr(), AnyExpr::from(x.as_any()));
        Builder::new().parameter(ElementType::F32, [2, 3]).map(drop)
    }

    pub(super) fn constant() -> Result<()> {
        let _ = |gpu: &Context| gpu.full([], 0.5_f32);
        Builder::new().constant(Scalar::new(0.5_f32))?;
        (typed() + 0.5).shape()?;
        any().neg().map(drop)
    }
}

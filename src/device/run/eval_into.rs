//! Runs computations into existing arrays, or parts of them: in place if nobody else can see the
//! array change, or if the caller holds the buffer.

use crate::device::arrays::targets::{Targets, into_views};
use crate::device::run::bound::Bound;
use crate::device::run::execute;
use crate::device::run::target::{self, Site, Target};
use indim_core::semantics::error::Result;

impl Bound<'_> {
    /// Computes the results and writes them to these targets, one for each result in order: arrays
    /// by mutable reference, or parts of arrays ([`Array::slice_mut`](crate::Array::slice_mut)),
    /// whose other elements keep their values. One target is given by itself, several as a tuple,
    /// an array or a vector. Returns when the kernels are recorded, without waiting for the GPU.
    ///
    /// All results are computed from the elements that the arrays have before the call. A target is
    /// written in place as [`Expr::eval_into`](crate::Expr::eval_into) describes; several results
    /// that share a kernel are written in place by that kernel, if each target is a whole array that
    /// the context allocated and no element depends on other elements of a target. So a step of an optimizer reads
    /// and writes its state in one pass:
    ///
    /// ```
    /// # let gpu = indim::Context::blocking()?;
    /// # let [w, m, v, g] = [0.5_f32, 1., 2., 3.].map(|x| gpu.full([8], x));
    /// # let (mut w, mut m, mut v, g) = (w?, m?, v?, g?);
    /// let new_m = &m * 0.9 + &g * 0.1;
    /// let new_v = &v * 0.999 + &g * &g * 0.001;
    /// let new_w = &w - &new_m / (new_v.sqrt() + 1e-8) * 0.01;
    /// indim::bind((new_w, new_m, new_v))?.eval_into((&mut w, &mut m, &mut v))?; // one kernel
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// After an error the targets are unchanged, unless wgpu rejects commands that were recorded
    /// already: then reading a target returns the error.
    ///
    /// # Errors
    /// [`ArrayError::TargetCount`](crate::ArrayError::TargetCount),
    /// [`ArrayError::ElementType`](crate::ArrayError::ElementType),
    /// [`ArrayError::TargetShape`](crate::ArrayError::TargetShape): the targets must fit the results.
    /// [`ArrayError::SameTarget`](crate::ArrayError::SameTarget) if two share memory that is
    /// always written in place. [`ArrayError::TwoContexts`](crate::ArrayError::TwoContexts);
    /// [`DeviceError`](crate::DeviceError).
    pub fn eval_into<'t>(self, targets: impl Targets<'t>) -> Result<()> {
        let views = into_views(targets);
        let Some(first) = views.first() else { return target::none(&self) };
        let other = first.array.context().clone();
        let context = self.context_or(&other);
        context.gpu().device.lost.check()?;
        let targets = target::targets(context, &self, views)?;
        if targets.iter().all(Target::is_empty) {
            return execute::check_encodings(&self.borrowed());
        }
        let site = |target: &Target<'_>| target.site(context, None, &mut Vec::new());
        let sites: Vec<Site> = targets.iter().map(site).collect::<Result<_>>()?;
        let in_place = || targets.iter().zip(&sites).filter(|(_, site)| site.is_in_place());
        execute::join_loops(&in_place().map(|(target, _)| &*target.array).collect::<Vec<_>>())?;
        let existing = target::existing(&targets, &sites, &self.arguments);
        // A target that is overwritten no longer depends on the loops of its old elements.
        let stale = in_place().filter(|(target, _)| target.is_overwritten());
        let stale: Vec<_> = stale
            .map(|(target, _)| (target.array.clone(), target.array.loop_statuses().take()))
            .collect();
        let recorded = execute::on_stream(context, &self.borrowed(), |sink| {
            target::write(context, &self, (&sites, &existing), sink)
        });
        if recorded.is_err() {
            stale.into_iter().for_each(|(array, kept)| array.loop_statuses().restore(kept));
        }
        for (target, array) in targets.into_iter().zip(recorded?) {
            *target.array = array;
        }
        Ok(())
    }
}

//! Records computations in caller-owned encoders that write into existing arrays.

use crate::device::arrays::targets::{Targets, into_views};
use crate::device::memory::encoding::Role;
use crate::device::recording::reclaim;
use crate::device::run::bound::Bound;
use crate::device::run::encode::{EncoderCommands, EncoderSink, check_encoded, number_of};
use crate::device::run::encoded::Encoded;
use crate::device::run::execute;
use crate::device::run::target::{self, Site, Target};
use indim_core::semantics::error::Result;

impl Bound<'_> {
    /// Records the commands that [`Bound::eval_into`] would submit in your encoder on the context's
    /// device, as one compute pass of the computation's name. You submit it, and then call
    /// [`Encoded::submitted`]; until then the targets are for further commands in the same encoder
    /// only. [`Expr::encode_into`](crate::Expr::encode_into) has the details.
    ///
    /// After an error the targets are unchanged.
    ///
    /// ```
    /// let gpu = indim::Context::blocking()?;
    /// let mut x = gpu.array([2], &[1_f32, 2.])?;
    /// let bound = (&x * 2.0).bind()?;
    /// let mut encoder = gpu.device().create_command_encoder(&Default::default());
    /// let encoded = bound.encode_into(&mut encoder, &mut x)?;
    /// gpu.queue().submit([encoder.finish()]);
    /// encoded.submitted();
    /// assert_eq!(x.to_vec_blocking()?, [2., 4.]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// It returns the errors of [`Bound::eval_into`];
    /// [`ArrayError::NotSubmitted`](crate::ArrayError::NotSubmitted) if an array is the result of
    /// commands that were dropped, or if a target is written by commands in another encoder that is
    /// not submitted and it is not always written in place.
    pub fn encode_into<'t>(
        self,
        encoder: &mut wgpu::CommandEncoder,
        targets: impl Targets<'t>,
    ) -> Result<Encoded> {
        let views = into_views(targets);
        let Some(first) = views.first() else {
            return target::none(&self).map(|()| Encoded::new(None, Vec::new()));
        };
        let other = first.array.context().clone();
        let context = self.context_or(&other);
        context.gpu().device.lost.check()?;
        let arguments = self.borrowed();
        let targets = target::targets(context, &self, views)?;
        let mut before = check_encoded(&arguments)?;
        if targets.iter().all(Target::is_empty) {
            let nothing = EncoderCommands { sink: EncoderSink::new(context), before, name: None };
            return Ok(Encoded::new(nothing.encode(context, encoder, Vec::new())?, Vec::new()));
        }
        execute::join_loops(&arguments)?;
        for target in &targets {
            execute::join_loops(&[&*target.array])?;
        }
        let number = Some(number_of(encoder));
        let mut site = |target: &Target<'_>| target.site(context, number, &mut before);
        let sites: Vec<Site> = targets.iter().map(&mut site).collect::<Result<_>>()?;
        let existing = target::existing(&targets, &sites, &self.arguments);
        // Once the commands have run, elements that a loop made invalid are gone, unless an argument
        // or the other elements hold them.
        let loops = |(target, site): (&Target<'_>, &Site)| {
            let array = site.array.clone()?;
            let statuses = array.loop_statuses();
            let kept = if target.self_arguments == 0 { statuses.take() } else { statuses.kept() };
            Some((array, kept, target.self_arguments == 0, target.is_overwritten()))
        };
        let loops: Vec<_> = targets.iter().zip(&sites).filter_map(loops).collect();
        let recorded = reclaim::recorded_with_retry(&context.inner.stream, || {
            let mut sink = EncoderSink::new(context);
            let placed = target::write(context, &self, (&sites, &existing), &mut sink)?;
            Ok((sink, placed))
        });
        let encoded = recorded.and_then(|(sink, placed)| {
            let commands =
                EncoderCommands { sink, before, name: self.computation.name().map(|name| &**name) };
            let copied = sites.iter().filter_map(|site| site.copied.as_ref());
            let read = arguments.iter().copied().chain(copied).map(|array| (array, Role::Operand));
            let written = placed.iter().zip(&sites).map(|(array, site)| (array, site.role));
            let encoding = commands.encode(context, encoder, read.chain(written).collect())?;
            Ok((encoding, placed))
        });
        let encoding = encoded.as_ref().ok().and_then(|(encoding, _)| encoding.as_ref());
        for (array, kept, taken, anew) in loops {
            match encoding {
                Some(encoding) => array.loop_statuses().encoded(kept, taken, anew, encoding),
                None => array.loop_statuses().restore(kept),
            }
        }
        let (encoding, placed) = encoded?;
        for (target, array) in targets.into_iter().zip(placed) {
            *target.array = array;
        }
        Ok(Encoded::new(encoding, Vec::new()))
    }
}

//! [`Stages`]: reductions of more than a chunk, whose parts are reduced before a run, so that each
//! operand is read once for those that need no other one.

use std::ops::Range;

use crate::api::chunked::endpoint::{ChunkSink as _, ChunkSource};
use crate::api::chunked::error::ChunkedError;
use crate::api::chunked::need::Wanted;
use crate::api::chunked::transfer::transfer;
use indim_core::graph::computation::Computation;
use indim_core::graph::region::whole;
use indim_core::graph::staged::{Bound, Staged};
use indim_core::semantics::literal::Literal;

/// The computations of partial results, each with the partial results before it as more parameters,
/// and that of the results.
#[derive(Debug)]
pub(super) struct Stages {
    before: Vec<Computation>,
    rest: Option<Computation>,
}

impl Stages {
    /// Returns the stages of what is wanted.
    pub(super) fn of(wanted: &Wanted<'_>) -> Self {
        let bound = Bound { bytes: wanted.bound(), precision: wanted.context.precision() };
        let mut stages = Self { before: Vec::new(), rest: None };
        while let Some(Staged { partials, rest }) =
            stages.rest(wanted.computation).staged(wanted.results, bound)
        {
            stages.before.push(partials);
            stages.rest = Some(rest);
        }
        stages
    }

    /// Returns the last computation, which computes the results.
    pub(super) fn rest<'a>(&'a self, whole: &'a Computation) -> &'a Computation {
        self.rest.as_ref().unwrap_or(whole)
    }

    /// Refuses partial results that do not fit, as [`Wanted::check`] does.
    pub(super) fn check(&self, wanted: &Wanted<'_>) -> Result<(), ChunkedError> {
        let each = |stage| Self::wanted(stage, wanted, |wanted| wanted.check());
        self.before.iter().try_for_each(each)
    }

    /// Computes the partial results. `go_on` is called after each chunk, and may end the run.
    pub(super) fn run(
        &self,
        wanted: &Wanted<'_>,
        sources: &mut [&mut dyn ChunkSource],
        mut go_on: impl FnMut() -> Result<(), ChunkedError>,
    ) -> Result<Vec<Literal>, ChunkedError> {
        let mut partials: Vec<Literal> = Vec::new();
        for stage in &self.before {
            let mut bytes: Vec<Vec<u8>> = vec![Vec::new(); stage.results().len()];
            let take = |nth: usize, region: &[Range<usize>], piece: &[u8]| {
                let written = bytes[nth].write(region, piece);
                written.map_err(|error| ChunkedError::Sink { result: nth, error })?;
                go_on()
            };
            let mut sources = with_partials(sources, &mut partials);
            Self::wanted(stage, wanted, |wanted| transfer(wanted, &mut sources, take))?;
            for ((element_type, shape), bytes) in stage.results().zip(bytes) {
                partials.push(Literal::new(element_type, shape.clone(), bytes)?);
            }
        }
        Ok(partials)
    }

    /// Calls `f` with all results of a stage. An error names the first one that the caller wants.
    fn wanted<T>(
        stage: &Computation,
        wanted: &Wanted<'_>,
        f: impl FnOnce(Wanted<'_>) -> Result<T, ChunkedError>,
    ) -> Result<T, ChunkedError> {
        let results: Vec<usize> = (0..stage.results().len()).collect();
        let region = stage.results().next().map_or_else(Vec::new, |(_, shape)| whole(shape));
        let stage = Wanted { computation: stage, results: &results, region: &region, ..*wanted };
        f(stage).map_err(|mut error| {
            if let ChunkedError::TooLarge { result, .. } | ChunkedError::Sink { result, .. } =
                &mut error
            {
                *result = wanted.results[0];
            }
            error
        })
    }
}

/// Returns the sources of a computation's parameters: those of the caller, and partial results.
pub(super) fn with_partials<'a>(
    sources: &'a mut [&mut dyn ChunkSource],
    partials: &'a mut [Literal],
) -> Vec<&'a mut dyn ChunkSource> {
    let own = sources.iter_mut().map(|source| &mut **source as &mut dyn ChunkSource);
    own.chain(partials.iter_mut().map(|partial| partial as &mut dyn ChunkSource)).collect()
}

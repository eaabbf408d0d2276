//! [`Chunked`]: a computation whose operands and results are larger than memory.

use std::ops::{ControlFlow, Range};

use crate::api::chunked::endpoint::{ChunkSink, ChunkSource};
use crate::api::chunked::error::ChunkedError;
use crate::api::chunked::need::Wanted;
use crate::api::chunked::staged::{Stages, with_partials};
use crate::api::chunked::transfer::transfer;
use crate::device::context::Context;
use indim_core::graph::computation::Computation;
use indim_core::graph::region::{sizes, whole};
use indim_core::semantics::element::ElementType;
use indim_core::semantics::literal::Literal;
use indim_core::semantics::shape::Shape;

/// The default number of bytes for a run.
const MAX_BYTES: u64 = 256 << 20;

/// The progress of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// The number of result elements passed to their sinks.
    pub done: u64,
    /// The number of elements of all results of the run.
    pub total: u64,
}

/// Runs a computation chunk by chunk, so that neither its operands nor its results need to fit in
/// memory: [`Context::chunked`] makes it.
///
/// The results are cut along their outermost dimension, and along inner ones where a single index of
/// that is too much. For each chunk, the regions of the operands that it needs are read from their
/// sources, uploaded and computed on, and the chunk is given to the results' sinks, in row-major
/// order. Reading, computing and writing overlap. An operand of which a chunk needs the
/// same region as the one before it, such as a row that is broadcast, is not read again. Results of one shape are computed together,
/// those of different shapes one after the other.
///
/// A reduction of more than a chunk is computed in parts first: one reading of the operands for all
/// reductions of the same dimensions of one shape that need no other such reduction, so one for a mean
/// and two for a variance. The partial results stay in host memory.
///
/// The bits are those that [`Context::run_all`] gives for the whole operands.
///
/// ```
/// # let gpu = indim::Context::blocking()?;
/// use std::ops::ControlFlow;
/// use indim::{Builder, ElementType, Literal};
///
/// let mut b = Builder::new();
/// let x = b.parameter(ElementType::F32, [1000, 1000])?;
/// let y = b.exp(x)?;
/// let computation = b.build(y)?;
///
/// // Anything that implements `ChunkSource` and `ChunkSink`, such as `NpySource` of indim-npy.
/// let mut x = Literal::from_slice([1000, 1000], &vec![0.5_f32; 1_000_000])?;
/// let mut y: Vec<u8> = Vec::new();
/// let chunked = gpu.chunked(&computation).max_bytes(1 << 20);
/// chunked.run(&mut [&mut x], &mut [(0, &mut y)], |_| ControlFlow::Continue(()))?;
/// assert_eq!(y.len(), 4_000_000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[must_use = "it does nothing before it is run"]
pub struct Chunked<'a> {
    context: &'a Context,
    computation: &'a Computation,
    max_bytes: u64,
}

impl Context {
    /// Returns a run of this computation on operands of any size, in chunks.
    ///
    /// ```
    /// # let gpu = indim::Context::blocking()?;
    /// # let mut b = indim::Builder::new();
    /// # let x = b.parameter(indim::ElementType::F32, [4])?;
    /// # let y = b.add(x, x, [])?;
    /// # let double = b.build(y)?;
    /// use indim::Literal;
    /// use std::ops::ControlFlow;
    ///
    /// let mut x = Literal::from_slice([4], &[1_f32, 2., 3., 4.])?;
    /// let mut y = Vec::new();
    /// let chunked = gpu.chunked(&double);
    /// chunked.run(&mut [&mut x], &mut [(0, &mut y)], |_| ControlFlow::Continue(()))?;
    /// assert_eq!(y, Literal::from_slice([4], &[2_f32, 4., 6., 8.])?.bytes());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn chunked<'a>(&'a self, computation: &'a Computation) -> Chunked<'a> {
        Chunked { context: self, computation, max_bytes: MAX_BYTES }
    }
}

impl Chunked<'_> {
    /// Sets how many bytes all pieces of operands and results together may take, in host memory and
    /// on the device; 256 MiB without this. Ten times what one chunk reads and gives is counted for
    /// it, and once what the kernels of a chunk store between them, where there are several.
    /// [`ChunkedError::TooLarge`] gives the number needed.
    ///
    /// ```
    /// # let gpu = indim::Context::blocking()?;
    /// # let mut b = indim::Builder::new();
    /// # let x = b.parameter(indim::ElementType::F32, [4])?;
    /// # let y = b.add(x, x, [])?;
    /// # let double = b.build(y)?;
    /// assert!(gpu.chunked(&double).max_bytes(1 << 20).check(&[0]).is_ok());
    /// assert!(gpu.chunked(&double).max_bytes(1).check(&[0]).is_err());
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn max_bytes(mut self, max_bytes: u64) -> Self {
        self.max_bytes = max_bytes;
        self
    }

    /// Returns the error with which a run of these results would end because a single element takes too
    /// much, as far as that can be known before anything is read. Nothing is read or computed. Of
    /// several results it is the error of the one that needs the most bytes.
    ///
    /// ```
    /// # let gpu = indim::Context::blocking()?;
    /// # let mut b = indim::Builder::new();
    /// # let x = b.parameter(indim::ElementType::F32, [4])?;
    /// # let y = b.add(x, x, [])?;
    /// # let double = b.build(y)?;
    /// use indim::ChunkedError;
    ///
    /// let chunked = gpu.chunked(&double);
    /// assert!(chunked.check(&[0]).is_ok());
    /// assert!(matches!(chunked.check(&[1]), Err(ChunkedError::NoResult { .. })));
    /// let too_little = gpu.chunked(&double).max_bytes(1).check(&[0]);
    /// assert!(matches!(too_little, Err(ChunkedError::TooLarge { .. })));
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ChunkedError::TooLarge`], [`ChunkedError::NoResult`].
    pub fn check(&self, results: &[usize]) -> Result<(), ChunkedError> {
        let count = self.computation.results().len();
        if let Some(&result) = results.iter().find(|&&result| result >= count) {
            return Err(ChunkedError::NoResult { result, results: count });
        }
        if results.is_empty() {
            return Ok(());
        }
        let nothing = Vec::new();
        let all = self.wanted(results, &nothing);
        let stages = Stages::of(&all);
        let checks = self.groups(results).into_iter().map(|group| {
            let group: Vec<usize> = group.iter().map(|&place| results[place]).collect();
            let region = whole(self.shape(group[0]));
            let computation = stages.rest(self.computation);
            Wanted { computation, results: &group, region: &region, ..all }.check()
        });
        checks.fold(stages.check(&all), ChunkedError::larger)
    }

    /// Version of [`Chunked::check`] for a region of one result.
    ///
    /// ```
    /// # let gpu = indim::Context::blocking()?;
    /// # let mut b = indim::Builder::new();
    /// # let x = b.parameter(indim::ElementType::F32, [4])?;
    /// # let y = b.add(x, x, [])?;
    /// # let double = b.build(y)?;
    /// use indim::ChunkedError;
    ///
    /// let chunked = gpu.chunked(&double); // of 4 elements
    /// assert!(chunked.check_region(0, &[1..3]).is_ok());
    /// assert!(matches!(chunked.check_region(0, &[1..5]), Err(ChunkedError::Region { .. })));
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ChunkedError::TooLarge`], [`ChunkedError::NoResult`], [`ChunkedError::Region`].
    pub fn check_region(&self, result: usize, region: &[Range<usize>]) -> Result<(), ChunkedError> {
        self.result_of(result, region)?;
        let (results, region) = ([result], region.to_vec());
        let wanted = self.wanted(&results, &region);
        let stages = Stages::of(&wanted);
        let rest = Wanted { computation: stages.rest(self.computation), ..wanted };
        stages.check(&wanted).and_then(|()| rest.check())
    }

    /// Computes results, and gives each of them to its sink. There is a source for each parameter, in
    /// their order, and a sink for each result that is wanted, with the result's number. `progress` is
    /// called after each result of each chunk and may end the run.
    ///
    /// A result without elements is not written: its sink is not called.
    ///
    /// ```
    /// # let gpu = indim::Context::blocking()?;
    /// # let mut b = indim::Builder::new();
    /// # let x = b.parameter(indim::ElementType::F32, [4])?;
    /// # let y = b.add(x, x, [])?;
    /// # let double = b.build(y)?;
    /// use indim::{ChunkedError, Literal};
    /// use std::ops::ControlFlow;
    ///
    /// let mut x = Literal::from_slice([4], &[1_f32, 2., 3., 4.])?;
    /// let (mut y, mut done) = (Vec::new(), 0);
    /// gpu.chunked(&double).run(&mut [&mut x], &mut [(0, &mut y)], |progress| {
    ///     done = progress.done;
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert_eq!((y.len(), done), (16, 4)); // bytes and elements
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ChunkedError`], also [`BuilderError::ArgumentCount`](crate::BuilderError::ArgumentCount)
    /// and [`BuilderError::Argument`](crate::BuilderError::Argument) within it. Elements written
    /// until then stay with the sinks.
    ///
    /// # Panics
    /// Panics of a source, a sink or `progress` propagate to the caller.
    pub fn run(
        &self,
        sources: &mut [&mut dyn ChunkSource],
        sinks: &mut [(usize, &mut dyn ChunkSink)],
        mut progress: impl FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<(), ChunkedError> {
        self.check_sources(sources)?;
        let numbers: Vec<usize> = sinks.iter().map(|(result, _)| *result).collect();
        self.check(&numbers)?;
        let mut done = 0;
        let counts = sinks.iter().map(|&(result, _)| count(self.shape(result)));
        let total = counts.fold(0, u64::saturating_add);
        let mut go_on = |done| match progress(Progress { done, total }) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(ChunkedError::Stopped),
        };
        if numbers.is_empty() {
            return Ok(());
        }
        let nothing = Vec::new();
        let all = self.wanted(&numbers, &nothing);
        let stages = Stages::of(&all);
        let mut partials = stages.run(&all, sources, || go_on(0))?;
        let mut sources = with_partials(sources, &mut partials);
        for group in self.groups(&numbers) {
            let results: Vec<usize> = group.iter().map(|&sink| numbers[sink]).collect();
            let region = whole(self.shape(results[0]));
            let computation = stages.rest(self.computation);
            let wanted = Wanted { computation, results: &results, region: &region, ..all };
            let take = |nth: usize, region: &[Range<usize>], bytes: &[u8]| {
                let (result, sink) = &mut sinks[group[nth]];
                let written = sink.write(region, bytes);
                written.map_err(|error| ChunkedError::Sink { result: *result, error })?;
                done += count(&sizes(region));
                go_on(done)
            };
            transfer(wanted, &mut sources, take)?;
        }
        Ok(())
    }

    /// Computes a region of one result, and nothing else, and returns its elements.
    ///
    /// ```
    /// # let gpu = indim::Context::blocking()?;
    /// # let mut b = indim::Builder::new();
    /// # let x = b.parameter(indim::ElementType::F32, [4])?;
    /// # let y = b.add(x, x, [])?;
    /// # let double = b.build(y)?;
    /// use indim::Literal;
    ///
    /// let mut x = Literal::from_slice([4], &[1_f32, 2., 3., 4.])?;
    /// let middle = gpu.chunked(&double).region(0, &[1..3], &mut [&mut x])?;
    /// assert_eq!(middle.to_vec::<f32>()?, [4., 6.]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// It returns the errors of [`Chunked::run`]; [`ChunkedError::NoResult`]; and
    /// [`ChunkedError::Region`] if the result has no such region.
    pub fn region(
        &self,
        result: usize,
        region: &[Range<usize>],
        sources: &mut [&mut dyn ChunkSource],
    ) -> Result<Literal, ChunkedError> {
        let mut found = self.regions(result, &[region.to_vec()], sources)?;
        found.pop().ok_or(ChunkedError::Stopped)
    }

    /// Version of [`Chunked::region`] for several regions of one result, such as the printed ones. A
    /// reduction of more than a chunk is computed once for all of them.
    ///
    /// ```
    /// # let gpu = indim::Context::blocking()?;
    /// # let mut b = indim::Builder::new();
    /// # let x = b.parameter(indim::ElementType::F32, [4])?;
    /// # let y = b.add(x, x, [])?;
    /// # let double = b.build(y)?;
    /// use indim::Literal;
    ///
    /// let mut x = Literal::from_slice([4], &[1_f32, 2., 3., 4.])?;
    /// let regions = [vec![0..1], vec![3..4]];
    /// let ends = gpu.chunked(&double).regions(0, &regions, &mut [&mut x])?;
    /// assert_eq!(ends[1].to_vec::<f32>()?, [8.]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Chunked::region`].
    pub fn regions(
        &self,
        result: usize,
        regions: &[Vec<Range<usize>>],
        sources: &mut [&mut dyn ChunkSource],
    ) -> Result<Vec<Literal>, ChunkedError> {
        self.check_sources(sources)?;
        regions.iter().try_for_each(|region| self.check_region(result, region))?;
        let (results, nothing) = ([result], Vec::new());
        let all = self.wanted(&results, &nothing);
        let stages = Stages::of(&all);
        let mut partials = stages.run(&all, sources, || Ok(()))?;
        let mut sources = with_partials(sources, &mut partials);
        let mut found = Vec::with_capacity(regions.len());
        for region in regions {
            let mut bytes = Vec::new();
            let rest = Wanted { computation: stages.rest(self.computation), region, ..all };
            transfer(rest, &mut sources, |_, region, piece| {
                let written = bytes.write(region, piece);
                written.map_err(|error| ChunkedError::Sink { result, error })
            })?;
            let element_type = self.result_of(result, region)?;
            found.push(Literal::new(element_type, sizes(region), bytes)?);
        }
        Ok(found)
    }

    /// Returns the element type of a result that has this region.
    fn result_of(
        &self,
        result: usize,
        region: &[Range<usize>],
    ) -> Result<ElementType, ChunkedError> {
        let results = self.computation.results().len();
        let found = self.computation.results().nth(result);
        let (element_type, shape) = found.ok_or(ChunkedError::NoResult { result, results })?;
        let is_within =
            |(range, &size): (&Range<usize>, &usize)| range.start <= range.end && range.end <= size;
        if region.len() != shape.rank() || !region.iter().zip(shape.dims()).all(is_within) {
            let region = format!("{region:?}");
            return Err(ChunkedError::Region { result, region });
        }
        Ok(element_type)
    }

    fn wanted<'a>(&'a self, results: &'a [usize], region: &'a Vec<Range<usize>>) -> Wanted<'a> {
        let &Self { context, computation, max_bytes } = self;
        let largest_buffer = context.device().limits().max_buffer_size;
        Wanted { context, computation, results, region, max_bytes, largest_buffer }
    }

    /// Returns the places of these results in their list, those of one shape together.
    fn groups(&self, results: &[usize]) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (place, &result) in results.iter().enumerate() {
            let shape = self.shape(result);
            match groups.iter_mut().find(|group| self.shape(results[group[0]]) == shape) {
                Some(group) => group.push(place),
                None => groups.push(vec![place]),
            }
        }
        groups
    }

    fn shape(&self, result: usize) -> &Shape {
        &self.computation.instructions()[self.computation.roots()[result]].shape
    }

    fn check_sources(&self, sources: &[&mut dyn ChunkSource]) -> Result<(), ChunkedError> {
        let given = sources.iter().map(|source| (source.element_type(), source.shape()));
        Ok(self.computation.check_arguments(given)?)
    }
}

fn count(shape: &Shape) -> u64 {
    shape.element_count().unwrap_or(0) as u64
}

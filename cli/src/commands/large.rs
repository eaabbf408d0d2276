//! Computes EXPRs on arrays larger than memory, in chunks that are written as they are computed. Of
//! results without a file, only the printed elements are computed.

use std::fs::File;
use std::io::{self, BufWriter};
use std::ops::{ControlFlow, Range};

use indim::{ChunkSink, ChunkSource, Chunked, ChunkedError, Context, ElementType, Shape, Summary};
use indim_expr::{Declared, Diagnostic, Lowered, Result};
use indim_npy::NpySink;

use crate::operand::parse::{self as operands, Operand};
use crate::operand::refused::{refused_run, refused_upload};
use crate::operand::source::OperandSource;
use crate::output::bar::Bar;
use crate::output::printed::{Labelled, Printed};
use crate::output::result_file::{self, Contents, ResultFile};
use crate::output::result_names::Results;
use crate::output::whole_files::{self, Pending, cannot_write};

/// Returns an array's size in bytes, saturating.
fn bytes_of(element_type: ElementType, shape: &Shape) -> u64 {
    let count = shape.element_count().unwrap_or(usize::MAX) as u64;
    count.saturating_mul(element_type.size_in_bytes() as u64)
}

/// The limit that forces a computation in chunks.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Limit {
    /// An operand or result exceeds the device's largest buffer, given in bytes.
    Buffer(u64),
    /// Operands and results together exceed `--max-memory`.
    Memory,
}

/// Returns the limit that operands and results exceed, if any.
pub(crate) fn limit(
    lowered: &Lowered,
    operands: &[Operand],
    context: &Context,
    max_memory: u64,
) -> Option<Limit> {
    let used = lowered.parameters.iter().filter_map(|&number| operands.get(number));
    let used = used.map(|operand| {
        let Declared { element_type, shape, .. } = &operand.declared;
        bytes_of(*element_type, shape)
    });
    let results = lowered.computation.results().map(|(of, shape)| bytes_of(of, shape));
    let allowed = context.device().limits().max_buffer_size;
    let mut all = 0_u64;
    for bytes in used.chain(results) {
        all = all.saturating_add(bytes);
        if bytes > allowed {
            return Some(Limit::Buffer(allowed));
        }
    }
    (all > max_memory).then_some(Limit::Memory)
}

/// Returns true if printing abbreviates a result.
pub(crate) fn is_abbreviated(lowered: &Lowered) -> bool {
    lowered.computation.results().any(|(of, shape)| {
        Summary::new(of, shape.clone()).is_ok_and(|summary| summary.regions().len() > 1)
    })
}

/// An evaluation in chunks.
struct Evaluation<'a> {
    chunked: Chunked<'a>,
    lowered: &'a Lowered,
    results: &'a Results,
    sources: Vec<OperandSource>,
    /// The operands' names, in the order of their sources.
    names: Vec<String>,
    max_memory: u64,
    bar: Option<Bar>,
    /// The bytes of results written so far.
    written: u64,
}

/// Computes the EXPRs, writes the files, and returns the printed results, with notes for the user.
/// If everything `fits` into `max_memory` bytes, operands that are slow to read in pieces are read
/// whole.
pub(crate) fn eval(
    (lowered, results): (&Lowered, &Results),
    operands: Vec<Operand>,
    context: &Context,
    files: &[ResultFile],
    (max_memory, fits): (u64, bool),
) -> Result<(Vec<Labelled>, Vec<String>)> {
    let (mut sources, mut names, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    for operand in operands::used(operands, &lowered.parameters) {
        names.push(operand.declared.name.clone());
        let (source, note) = operand.source(fits)?;
        sources.push(source);
        notes.extend(note);
    }
    let chunked = context.chunked(&lowered.computation).max_bytes(max_memory);
    let mut evaluation =
        Evaluation { chunked, lowered, results, sources, names, max_memory, bar: None, written: 0 };
    let summaries = evaluation.write(files)?;
    notes.extend(evaluation.sources.iter().filter_map(OperandSource::note));
    let printed = summaries.into_iter().map(|summary| Some(Printed::Summary(summary)));
    Ok((Labelled::all(results, files, printed), notes))
}

/// Writes a result to its file, and keeps its printed elements.
struct Tee<S> {
    file: S,
    summary: Summary,
}

/// A [`Tee`] to a `.npy` file.
type NpyTee<'a> = Tee<NpySink<BufWriter<&'a File>>>;

impl<S: ChunkSink> ChunkSink for Tee<S> {
    fn write(&mut self, region: &[Range<usize>], bytes: &[u8]) -> io::Result<()> {
        self.summary.take(region, bytes);
        self.file.write(region, bytes)
    }
}

impl Evaluation<'_> {
    /// Writes the files, and returns the printed elements of each result.
    fn write(&mut self, files: &[ResultFile]) -> Result<Vec<Summary>> {
        let types: Vec<_> = self.lowered.computation.results().collect();
        if !files.is_empty() {
            let written = files.iter().flat_map(|file| file.contents.results());
            self.bar = Some(Bar::new(self.bytes_of_results(written.map(|(number, _)| number))));
        }
        let mut summaries = Vec::with_capacity(types.len());
        for (number, (of, shape)) in types.into_iter().enumerate() {
            let summary = Summary::new(of, shape.clone()).map_err(|error| {
                Diagnostic::new(format!("{}: {error}", self.results.title(number)))
            })?;
            summaries.push(summary);
        }
        let unwritten: Vec<usize> =
            (0..summaries.len()).filter(|&number| !files.iter().any(|f| f.is_of(number))).collect();
        self.check(files, &unwritten, &summaries)?;
        let mut pending = Vec::with_capacity(files.len());
        for file in files {
            let begun = Pending::begin(&file.path);
            pending.push(begun.map_err(|error| cannot_write(&file.path, &error.to_string()))?);
        }
        self.write_npy(files, &pending, &mut summaries)?;
        for (file, pending) in files.iter().zip(&pending) {
            if let Contents::Npz(members) = &file.contents {
                self.write_npz(file, members, pending.file(), &mut summaries)?;
            }
        }
        for number in unwritten {
            self.read_corners(number, &mut summaries[number])?;
        }
        whole_files::finish(pending, |ready| result_file::settle(files, ready))
            .map_err(|(number, error)| cannot_write(&files[number].path, &error.to_string()))?;
        Ok(summaries)
    }

    /// Rejects results with an element that needs too much memory, before anything is computed. The
    /// error is the one with the largest need.
    fn check(&self, files: &[ResultFile], unwritten: &[usize], of: &[Summary]) -> Result<()> {
        let npy: Vec<usize> = files.iter().filter_map(|file| file.contents.npy()).collect();
        let members = files.iter().filter(|file| file.contents.npy().is_none());
        let members = members.flat_map(|file| file.contents.results()).map(|(number, _)| number);
        let runs = std::iter::once(npy).chain(members.map(|number| vec![number]));
        let regions = unwritten.iter().flat_map(|&number| {
            of[number].regions().into_iter().map(move |region| (number, region))
        });
        let whole = runs.map(|results| self.chunked.check(&results));
        let parts = regions.map(|(number, region)| self.chunked.check_region(number, &region));
        let needed = |error: &ChunkedError| match error {
            ChunkedError::TooLarge { needed, .. } => needed.unwrap_or(u64::MAX),
            _ => u64::MAX,
        };
        let refused = whole.chain(parts).filter_map(std::result::Result::err);
        match refused.max_by_key(needed) {
            Some(error) => Err(self.explain(error, files)),
            None => Ok(()),
        }
    }

    /// Writes all `.npy` files; their results are computed together.
    fn write_npy(
        &mut self,
        files: &[ResultFile],
        pending: &[Pending],
        summaries: &mut [Summary],
    ) -> Result<()> {
        let mut tees: Vec<(usize, &ResultFile, NpyTee<'_>)> = Vec::new();
        for (file, pending) in files.iter().zip(pending) {
            let Some(number) = file.contents.npy() else { continue };
            let summary = summaries[number].clone();
            let writer = BufWriter::new(pending.file());
            let sink = NpySink::new(writer, summary.element_type(), summary.shape());
            let sink = sink.map_err(|error| cannot_write(&file.path, &error.to_string()))?;
            tees.push((number, file, Tee { file: sink, summary }));
        }
        let mut sinks: Vec<(usize, &mut dyn ChunkSink)> = Vec::with_capacity(tees.len());
        for (number, _, tee) in &mut tees {
            sinks.push((*number, tee));
        }
        if sinks.is_empty() {
            return Ok(());
        }
        self.run(&mut sinks, files)?;
        for (number, file, tee) in tees {
            let done = tee.file.finish();
            done.map_err(|error| cannot_write(&file.path, &error.to_string()))?;
            summaries[number] = tee.summary;
        }
        Ok(())
    }

    /// Writes an archive, computing its members one after the other.
    fn write_npz(
        &mut self,
        file: &ResultFile,
        members: &[(usize, String)],
        to: &File,
        summaries: &mut [Summary],
    ) -> Result<()> {
        let failed = |error: indim_npy::NpyError| cannot_write(&file.path, &error.to_string());
        let mut archive = file.begin_archive(BufWriter::new(to)).map_err(failed)?;
        for (number, name) in members {
            let summary = summaries[*number].clone();
            let member = archive.member(name, summary.element_type(), summary.shape());
            let mut tee = Tee { file: member.map_err(failed)?, summary };
            self.run(&mut [(*number, &mut tee)], std::slice::from_ref(file))?;
            summaries[*number] = tee.summary;
            tee.file.finish().map_err(failed)?;
        }
        archive.finish().map_err(failed)?;
        Ok(())
    }

    /// Returns the total size of these results in bytes.
    fn bytes_of_results(&self, numbers: impl Iterator<Item = usize>) -> u64 {
        let types: Vec<_> = self.lowered.computation.results().collect();
        let bytes =
            numbers.filter_map(|number| types.get(number).map(|(of, shape)| bytes_of(*of, shape)));
        bytes.fold(0, u64::saturating_add)
    }

    fn run(
        &mut self,
        sinks: &mut [(usize, &mut dyn ChunkSink)],
        files: &[ResultFile],
    ) -> Result<()> {
        let own = self.bytes_of_results(sinks.iter().map(|&(number, _)| number));
        let Self { chunked, sources, bar, written, .. } = self;
        let mut sources: Vec<&mut dyn ChunkSource> =
            sources.iter_mut().map(|source| source as _).collect();
        let share = (*written, own);
        *written += own;
        let ran = chunked.run(&mut sources, sinks, |progress| {
            if let Some(bar) = bar {
                bar.show(share, progress);
            }
            ControlFlow::Continue(())
        });
        ran.map_err(|error| self.explain(error, files))
    }

    /// Computes the printed elements of a result.
    fn read_corners(&mut self, number: usize, summary: &mut Summary) -> Result<()> {
        let regions = summary.regions();
        let mut sources: Vec<&mut dyn ChunkSource> =
            self.sources.iter_mut().map(|source| source as _).collect();
        let corners = self.chunked.regions(number, &regions, &mut sources);
        let corners = corners.map_err(|error| self.explain(error, &[]))?;
        for (region, corner) in regions.iter().zip(corners) {
            summary.take(region, corner.bytes());
        }
        Ok(())
    }

    /// Returns the error with the operand, result or file that it is about, and help.
    fn explain(&self, error: ChunkedError, files: &[ResultFile]) -> Box<Diagnostic> {
        let name = |parameter: usize| self.names.get(parameter).map_or("", String::as_str);
        match error {
            ChunkedError::Source { parameter, error } => {
                Diagnostic::new(format!("operand `{}`: {error}", name(parameter)))
            }
            ChunkedError::Run(error) => refused_run(&error, self.lowered.narrower.as_deref()),
            ChunkedError::Upload { parameter, error } => refused_upload(&error, name(parameter)),
            ChunkedError::Sink { result, error } => {
                let is_its = |file: &&ResultFile| file.contents.results().any(|(n, _)| n == result);
                match files.iter().find(is_its) {
                    Some(file) => cannot_write(&file.path, &error.to_string()),
                    None => Diagnostic::new(error.to_string()),
                }
            }
            ChunkedError::TooLarge { result, parameter, bytes, needed, .. } => {
                let of = match parameter {
                    Some(parameter) => format!("operand `{}`", name(parameter)),
                    None => "a value that EXPR computes on the way".to_owned(),
                };
                let (why, more) = match needed {
                    Some(needed) => (
                        format!("a chunk takes a tenth of --max-memory, {} bytes", self.max_memory),
                        format!("allow more by `--max-memory {needed}`, or "),
                    ),
                    None => ("the adapter has no buffer of that size".to_owned(), String::new()),
                };
                let title = self.results.title(result);
                Diagnostic::new(format!(
                    "{title}: {bytes} bytes of {of} are needed for a single element, but {why}"
                ))
                .help(format!("{more}compute EXPR in parts, with a file between them"))
            }
            other => Diagnostic::new(other.to_string()),
        }
    }
}

//! Runs `indim explain`, which shows the kernels of EXPRs, without a GPU.

use std::fmt::Write as _;

use indim::plan::{
    Access, Explanation, KernelExplanation, OperandExplanation, PlanLimits, Schedule, Source,
};
use indim::{Computation, Literal, Shape};
use indim_expr::{Diagnostic, Result, shorten};

use crate::commands::eval::Prepared;
use crate::output::picture::{self, Labels};
use crate::output::result_names::Results;

/// Larger operands are drawn with names instead of values, and their elements are not made.
const MAX_VALUES: usize = 10_000;

/// The maximal width, in characters, of a line's sizes and of a table cell.
const MAX_LINE: usize = 1_000;
const MAX_CELL: usize = 120;
/// The elements of a row that are folded before the next ones.
const BLOCK: usize = 1024;

/// The names of results and operands.
struct Names<'a> {
    results: &'a Results,
    drawn: &'a [Drawn],
}

/// An operand's name, with its elements if they are known and few.
struct Drawn {
    name: String,
    literal: Option<Literal>,
}

/// Returns the explanation as text, and notes for the user.
pub(crate) fn explain(prepared: Prepared, wgsl: bool) -> Result<(String, Vec<String>)> {
    let Prepared { lowered, results, operands, mut notes } = prepared;
    let computation = &lowered.computation;
    let explanation =
        PlanLimits::default().explain(computation).map_err(|e| Diagnostic::new(e.to_string()))?;

    let mut operands: Vec<_> = operands.into_iter().map(Some).collect();
    let mut drawn = Vec::new();
    for &number in &lowered.parameters {
        let Some(operand) = operands.get_mut(number).and_then(Option::take) else {
            continue;
        };
        let name = shorten(&operand.declared.name, MAX_CELL);
        let few = operand.declared.shape.element_count().is_ok_and(|count| count <= MAX_VALUES);
        let literal = if few {
            let (literal, more) = operand.literal()?;
            notes.extend(more);
            literal
        } else {
            None
        };
        drawn.push(Drawn { name, literal });
    }

    let mut out = String::new();
    let kernels = explanation.kernels.as_slice();
    let names = Names { results: &results, drawn: &drawn };
    write_results(&mut out, computation, &explanation, &names);
    for (i, kernel) in kernels.iter().enumerate() {
        let _ = writeln!(out);
        write_kernel(&mut out, kernel, (i + 1, kernels.len()), &names);
    }
    if kernels.len() > 1 {
        // The sum over arrays larger than any memory may need more bits than each of them.
        let sum = |bytes: fn(&KernelExplanation) -> u64| -> u128 {
            kernels.iter().map(|kernel| u128::from(bytes(kernel))).sum()
        };
        let (read, written) = (sum(|kernel| kernel.bytes_read), sum(|kernel| kernel.bytes_written));
        let _ = writeln!(out, "\nall kernels: {read} bytes read, {written} bytes written");
        for (source, passes) in explanation.passed_over() {
            let _ = writeln!(out, "passes over {}: {passes}", names.of(source));
        }
    }
    if wgsl {
        for (i, kernel) in kernels.iter().enumerate() {
            let _ = writeln!(out, "\nkernel {} in WGSL:\n\n{}", i + 1, kernel.wgsl.trim_end());
        }
    }
    Ok((out, notes))
}

/// Returns the computation as a program in StableHLO, and notes for the user.
pub(crate) fn stablehlo(prepared: Prepared) -> Result<(String, Vec<String>)> {
    match indim_stablehlo::text(&prepared.lowered.computation) {
        Ok(text) => Ok((text, prepared.notes)),
        Err(error) => Err(Diagnostic::new(error.to_string())
            .help("write it by other operations, as in `log(x) / log(2)` for `log2(x)`")),
    }
}

/// Writes the type of each result, and its array if no kernel writes it.
fn write_results(
    out: &mut String,
    computation: &Computation,
    explanation: &Explanation,
    names: &Names<'_>,
) {
    let results = names.results;
    let all = computation.results().zip(&explanation.results).enumerate();
    for (number, ((element_type, shape), &source)) in all {
        let is = match source {
            _ if results.count() == 1 => String::new(),
            Source::Result(other) if other == number => String::new(),
            Source::Result(other) => format!(", the same as {}", results.title(other)),
            _ => format!(", the operand {}", names.of(source)),
        };
        let _ = writeln!(out, "{}: {element_type}{}{is}", results.title(number), sizes(shape));
    }
    if explanation.kernels.is_empty() {
        let which = match results.count() {
            1 => "the result is the operand itself",
            _ => "the results are operands themselves",
        };
        let _ = writeln!(out, "\nno kernel: {which}");
    }
}

/// Describes the arrays that a kernel writes, with their types and shape.
fn written(kernel: &KernelExplanation, results: &Results) -> String {
    let shape = sizes(&kernel.shape);
    let name = |target| match target {
        Source::Result(_) if results.count() == 1 => format!("the {}", results.title(0)),
        Source::Result(number) => results.title(number),
        Source::Temporary(number) => format!("temporary {number}"),
        _ => "an array".to_owned(),
    };
    let first = kernel.writes[0];
    let of_one_type = kernel.writes.iter().all(|each| each.element_type == first.element_type);
    let each = kernel.writes.iter().map(|each| {
        if of_one_type {
            name(each.array)
        } else {
            format!("{} ({})", name(each.array), each.element_type)
        }
    });
    let names: Vec<String> = each.collect();
    match (names.split_last(), of_one_type) {
        (Some((last, others)), false) => format!("{} and {last}, {shape}", others.join(", ")),
        (Some((last, [])), true) => format!("{last}, {}{shape}", first.element_type),
        (Some((last, others)), true) => {
            format!("{} and {last}, {}{shape}", others.join(", "), first.element_type)
        }
        (None, _) => String::new(),
    }
}

/// Returns sizes in XLA's notation.
fn sizes(shape: &Shape) -> String {
    let sizes: Vec<String> = shape.dims().iter().map(usize::to_string).collect();
    shorten(&format!("[{}]", sizes.join(",")), MAX_LINE)
}

fn write_kernel(
    out: &mut String,
    kernel: &KernelExplanation,
    (number, of): (usize, usize),
    names: &Names<'_>,
) {
    let (space, plural) = (&kernel.shape, if kernel.ops == 1 { "" } else { "s" });
    let relaxed = match kernel.relaxed_ops {
        0 => String::new(),
        all if all == kernel.ops => " (relaxed)".to_owned(),
        some => format!(" ({some} relaxed)"),
    };
    let _ = writeln!(
        out,
        "kernel {number} of {of}: {} operation{plural}{relaxed}, writes {}",
        kernel.ops,
        written(kernel, names.results)
    );
    let (unit, tile) = (kernel.unit, kernel.tile);
    let schedule = match kernel.schedule {
        Schedule::Flat => format!("flat: one dimension, in units of {unit} elements"),
        Schedule::Rows if tile == 1 => format!("rows: units of {unit} elements"),
        Schedule::Rows => format!("rows: units of {unit} elements, tiles of {tile} rows"),
        Schedule::Periods => {
            format!("periods: units of {unit} elements, as many rows together as are whole units")
        }
        Schedule::Blocks => {
            format!("blocks: {unit} elements of {tile} rows, turned in registers")
        }
        Schedule::Carry => {
            format!("carry: units of {unit} elements that may span rows")
        }
        Schedule::FoldRows => {
            let blocks = if kernel.reduced.iter().product::<usize>() > BLOCK {
                format!(", in blocks of {BLOCK}")
            } else {
                String::new()
            };
            format!("fold_rows: each element from units of {unit} along what is reduced{blocks}")
        }
        Schedule::FoldColumns => {
            format!("fold_columns: units of {unit} elements, each from all rows")
        }
        Schedule::Passes => {
            let passes = kernel.passes;
            format!("passes: {passes} over each row, in units of {unit} elements")
        }
        Schedule::Scan if tile == 1 => {
            format!("scan: blocks of {unit} elements, each combined with those before it")
        }
        Schedule::Scan => {
            let rows: usize = kernel.reduced.iter().product();
            format!("scan: units of {unit} elements, combined down blocks of {rows} rows")
        }
        other => other.to_string(),
    };
    let merged = &kernel.iteration_space;
    let walked = Shape::from(kernel.space.as_slice());
    let list = |sizes: String| shorten(&sizes, MAX_LINE);
    let reshaped = if walked == *space { String::new() } else { list(format!(" as {walked}")) };
    let (all, merged) = (list(space.to_string()), list(format!("{merged:?}")));
    let _ = writeln!(out, "  iteration space  {all}{reshaped} merged to {merged}");
    if !kernel.reduced.is_empty() {
        let sizes = Shape::from(kernel.reduced.as_slice());
        let _ = writeln!(out, "  reduced          {}", list(sizes.to_string()));
    }
    let _ = writeln!(out, "  schedule         {schedule}");
    if kernel.dispatches > 1 {
        let _ =
            writeln!(out, "  dispatches       {}, each of what can be bound", kernel.dispatches);
    }
    let _ = writeln!(out, "  bytes read       {}", kernel.bytes_read);
    let _ = writeln!(out, "  bytes written    {}", kernel.bytes_written);
    if kernel.operands.is_empty() {
        return;
    }

    let named: Vec<(String, &OperandExplanation)> =
        kernel.operands.iter().map(|operand| (names.of(operand.source), operand)).collect();
    // Offsets are shown only if an operand has one; only views cause them.
    let with_offset = kernel.operands.iter().any(|operand| operand.offset != 0);
    let titles = [
        "operand",
        "shape",
        "broadcast_dimensions",
        "offset",
        "strides",
        "merged strides",
        "access",
    ];
    let mut rows = vec![titles.map(str::to_owned).to_vec()];
    for (name, operand) in &named {
        let access = match operand.access {
            Access::Contiguous => "contiguous (whole words)".to_owned(),
            Access::Splat => "splat (one element for all)".to_owned(),
            Access::Strided => "strided (parts of whole words)".to_owned(),
            Access::Transposed => "transposed (whole words along the rows)".to_owned(),
            Access::Split => "split (one element on either side of a row's end)".to_owned(),
            Access::Taken => "taken (each element by itself, at a computed position)".to_owned(),
            Access::Gather => "gather (each element by itself)".to_owned(),
            other => other.to_string(),
        };
        let hoisted = if operand.hoisted { ", once for all rows of a tile" } else { "" };
        let cells = [
            name.clone(),
            format!("{}{}", operand.element_type, sizes(&operand.shape)),
            dimensions(operand),
            operand.offset.to_string(),
            format!("{:?}", operand.strides),
            format!("{:?}", operand.merged_strides),
            format!("{access}{hoisted}"),
        ];
        rows.push(cells.map(|cell| shorten(&cell, MAX_CELL)).to_vec());
    }
    if !with_offset {
        for row in &mut rows {
            row.remove(OFFSET);
        }
    }
    let _ = writeln!(out);
    write_table(out, &rows);

    if walked.rank() > 2 {
        let _ = writeln!(out, "\n  which dimension goes where:");
        for line in picture::alignment(&walked, &named) {
            let _ = writeln!(out, "    {line}");
        }
    }
    let (reduced, others): (Vec<_>, Vec<_>) =
        named.iter().partition(|(_, operand)| operand.folded.iter().any(|&stride| stride != 0));
    for (name, operand) in reduced {
        if let Some(lines) = picture::folding(operand, &walked, &kernel.reduced) {
            let into = "each element into the one that is written with this number";
            let _ = writeln!(out, "\n  {name} is reduced, {into}:");
            for line in lines {
                let _ = writeln!(out, "    {}", line.trim_end());
            }
        }
    }
    for (name, operand) in
        others.into_iter().filter(|(_, operand)| picture::is_seen(operand, &walked))
    {
        let literal = names.parameter(operand.source).and_then(|drawn| drawn.literal.as_ref());
        let (labels, legend) = match literal {
            Some(literal) => (Labels::Values(literal), ""),
            None if name.chars().count() <= 4 => (Labels::Names(name), ""),
            None => (Labels::Places, " (its elements are numbered)"),
        };
        if let Some(lines) = picture::seeing(operand, &walked, &labels) {
            let verb = if picture::is_stretched(operand, &walked) { "stretched" } else { "viewed" };
            let _ = writeln!(out, "\n  {name} is {verb}{legend}:");
            for line in lines {
                let _ = writeln!(out, "    {}", line.trim_end());
            }
        }
    }
}

/// The column of the offsets.
const OFFSET: usize = 3;

/// Returns the dimensions of the result that correspond to an operand's own, as far as they do.
fn dimensions(operand: &OperandExplanation) -> String {
    if operand.broadcast_dimensions.len() < operand.shape.rank() {
        return "reshaped".to_owned();
    }
    format!("{:?}", operand.broadcast_dimensions)
}

/// Writes columns with two spaces between them.
fn write_table(out: &mut String, rows: &[Vec<String>]) {
    let width_of = |column: usize| {
        rows.iter()
            .filter_map(|row| row.get(column))
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..rows.first().map_or(0, Vec::len)).map(width_of).collect();
    for row in rows {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}")).collect();
        let _ = writeln!(out, "  {}", cells.join("  ").trim_end());
    }
}

impl Names<'_> {
    /// Returns the command's operand for a source.
    fn parameter(&self, source: Source) -> Option<&Drawn> {
        match source {
            Source::Parameter(number) => self.drawn.get(number),
            _ => None,
        }
    }

    /// Returns the name of an array read by a kernel.
    fn of(&self, source: Source) -> String {
        match (self.parameter(source), source) {
            (Some(drawn), _) => drawn.name.clone(),
            (None, Source::Temporary(number)) => format!("temporary {number}"),
            (None, Source::Result(number)) => self.results.title(number),
            (None, _) => "iota".to_owned(),
        }
    }
}

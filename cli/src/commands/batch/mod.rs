//! Runs `indim batch`, which computes an EXPR for each line of the standard input.

pub(crate) mod args;
mod lines;

use std::collections::HashMap;
use std::io::{BufRead, Write};

use indim::{AnyArray, Context, Precision, WgslFunction};
use indim_expr::{Declared, Diagnostic, Given, Lowered, Parsed, Result, Source, lower};

use crate::commands::batch::lines::{Line, Lines};
use crate::operand::parse::{self as operands, Argument, ReadOptions};
use crate::operand::refused::refused_run;
use crate::operand::upload::upload;
use crate::output::answer::Answer;
use crate::output::json;
use crate::output::printed::{Labelled, Printed};
use crate::output::result_names::Results;
use crate::output::terminal;

/// The settings shared by all lines.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shared<'a> {
    pub(crate) functions: &'a [WgslFunction],
    pub(crate) numpy: bool,
    pub(crate) precision: Precision,
    /// True if answers and errors are JSON.
    pub(crate) json: bool,
}

/// The arrays available to lines, on the device.
pub(crate) struct Batch<'a> {
    context: Context,
    shared: Shared<'a>,
    /// The arrays, each with its declaration in EXPR.
    arrays: Vec<(Declared, AnyArray)>,
    /// The number of each array, by its name.
    numbers: HashMap<String, usize>,
}

impl<'a> Batch<'a> {
    /// Reads the operands and uploads them. Also returns notes for the user.
    pub(crate) fn new(
        context: impl FnOnce() -> Result<Context>,
        arguments: &[Argument],
        options: ReadOptions<'_>,
        shared: Shared<'a>,
    ) -> Result<(Self, Vec<String>)> {
        let operands = operands::read_all(arguments, options)?;
        let context = context()?;
        let mut batch = Self { context, shared, arrays: Vec::new(), numbers: HashMap::new() };
        let mut notes = Vec::new();
        for operand in operands {
            let declared = operand.declared.clone();
            let (array, more) = upload(&batch.context, operand)?;
            notes.extend(more);
            if let Some(array) = array {
                batch.keep(declared, array);
            }
        }
        Ok((batch, notes))
    }

    /// Binds a name to an array, and drops the previous array of that name.
    fn keep(&mut self, declared: Declared, array: AnyArray) {
        match self.numbers.get(&declared.name).and_then(|&number| self.arrays.get_mut(number)) {
            Some(place) => *place = (declared, array),
            None => {
                self.numbers.insert(declared.name.clone(), self.arrays.len());
                self.arrays.push((declared, array));
            }
        }
    }

    /// Computes the EXPR in a line.
    fn line(&mut self, number: usize, text: String) -> Result<(Answer, Vec<String>)> {
        let source = Source::new(format!("line {number}"), text);
        let parsed = [Parsed::new(source, 0)?];
        let (lowered, used) = self.lower(&parsed)?;
        let Lowered { computation, parameters, mut names, notes, narrower } = lowered;
        let arguments: Vec<&AnyArray> = parameters
            .iter()
            .filter_map(|&parameter| Some(&self.arrays.get(*used.get(parameter)?)?.1))
            .collect();
        let array = self
            .context
            .run_all(&computation, &arguments)
            .and_then(|mut arrays| {
                let literal = arrays.first().map(AnyArray::to_literal_blocking).transpose()?;
                Ok(arrays.pop().zip(literal))
            })
            .map_err(|e| refused_run(&e, narrower.as_deref()))?;
        let Some((array, literal)) = array else {
            return Err(Diagnostic::new("there is no result"));
        };
        let name = names.pop().flatten();
        let label = Results::new(vec![name.clone()]).label(0);
        if let Some(name) = name.clone() {
            let (element_type, shape) = (array.element_type(), array.shape().clone());
            self.keep(Declared { name, element_type, shape }, array);
        }
        let result = vec![Labelled { label, name, array: Printed::Whole(literal), path: None }];
        let answer = if self.shared.json {
            Answer::Json { arrays: result, line: Some(number) }
        } else {
            Answer::Arrays(result)
        };
        Ok((answer, notes))
    }

    /// Lowers a line over the arrays that it names only, so that its cost does not depend on how
    /// many exist. Also returns the numbers of these arrays.
    fn lower(&self, parsed: &[Parsed; 1]) -> Result<(Lowered, Vec<usize>)> {
        let [expr] = parsed;
        let mut used: Vec<usize> =
            expr.names().filter_map(|name| self.numbers.get(name).copied()).collect();
        used.sort_unstable();
        used.dedup();
        let over = |numbers: &[usize]| {
            let known = numbers.iter().filter_map(|&number| self.arrays.get(number));
            let operands: Vec<Declared> = known.map(|(declared, _)| declared.clone()).collect();
            let Shared { functions, numpy, precision, .. } = self.shared;
            lower(parsed, Given { operands: &operands, functions, numpy, precision })
        };
        match over(&used) {
            Ok(lowered) => Ok((lowered, used)),
            // An error may list the available names, and suggest one.
            Err(_) => {
                let all: Vec<usize> = (0..self.arrays.len()).collect();
                Ok((over(&all)?, all))
            }
        }
    }
}

/// Computes every line of an input, and writes each result to `out` before it reads the next line.
/// Errors and notes go to `tell`. In JSON, the error of a line also goes to `out`, so that `out`
/// alone has one object for each line with an EXPR.
pub(crate) fn run(
    batch: &mut Batch<'_>,
    input: impl BufRead,
    out: &mut impl Write,
    tell: &mut impl FnMut(&str),
) -> Result<()> {
    let mut lines = Lines::new(input);
    let (mut computed, mut failed) = (0_usize, 0_usize);
    loop {
        let number = lines.number() + 1;
        let text = match lines.next() {
            Ok(Line::Text(text)) if is_blank(&text) => continue,
            Ok(Line::Text(text)) => Ok(text),
            Ok(Line::Refused(why)) => Err(Diagnostic::new(why)),
            Ok(Line::End) => break,
            Err(e) => {
                return Err(Diagnostic::new(format!("cannot read the standard input: {e}")));
            }
        };
        computed += 1;
        match text.and_then(|text| batch.line(number, text)) {
            Ok((answer, notes)) => {
                notes.iter().for_each(|note| tell(&terminal::line(note)));
                if terminal::print(out, &answer)?.is_break() {
                    break;
                }
            }
            Err(error) => {
                failed += 1;
                if !batch.shared.json {
                    tell(&error.prefixed(&format!("line {number}: ")).render());
                    continue;
                }
                let object = json::error(&error, Some(number));
                tell(&object);
                if terminal::print(out, &Answer::Text(object))?.is_break() {
                    break;
                }
            }
        }
    }
    match failed {
        0 => Ok(()),
        _ => Err(Diagnostic::new(format!("lines that failed: {failed} of {computed}"))),
    }
}

/// Returns true if a line holds only blanks and a comment.
fn is_blank(line: &str) -> bool {
    let text = line.trim_start();
    text.is_empty() || text.starts_with('#')
}

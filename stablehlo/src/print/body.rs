//! [`Body`]: the operations of a function, which get their names and their order last.

use std::collections::{BTreeMap, HashMap};

use indim_core::graph::computation::Instruction;
use indim_core::{Computation, ElementType, Shape};

use crate::syntax::types::tensor;

/// A printed value.
#[derive(Debug, Clone)]
pub(crate) struct Printed {
    /// Its name, with the sign.
    pub(crate) name: String,
    pub(crate) element_type: ElementType,
    pub(crate) shape: Shape,
}

impl Printed {
    pub(crate) fn new(name: String, instruction: &Instruction) -> Self {
        let (element_type, shape) = (instruction.element_type, instruction.shape.clone());
        Self { name, element_type, shape }
    }

    /// Returns its type.
    pub(crate) fn tensor(&self) -> String {
        tensor(self.element_type, &self.shape)
    }
}

/// Stands before and after the number of an operation in the texts of others: names are given last.
const MARK: char = '\u{1}';

/// The operations so far, in any order.
#[derive(Debug, Default)]
pub(crate) struct Body {
    operations: Vec<String>,
    /// The number of each operation, by its text.
    known: HashMap<String, usize>,
    /// The functions that composites stand for, by name.
    pub(crate) decompositions: BTreeMap<String, Computation>,
}

impl Body {
    /// Adds an operation, unless it is there already, and returns what stands for its result.
    pub(crate) fn add(&mut self, operation: &str) -> String {
        let number = *self.known.entry(operation.to_owned()).or_insert_with(|| {
            self.operations.push(operation.to_owned());
            self.operations.len() - 1
        });
        format!("{MARK}{number}{MARK}")
    }

    /// Adds a function that a composite stands for, unless it is there already; `None` if there is none.
    pub(crate) fn need(
        &mut self,
        name: &str,
        made: impl FnOnce() -> Option<Computation>,
    ) -> Option<()> {
        if !self.decompositions.contains_key(name) {
            self.decompositions.insert(name.to_owned(), made()?);
        }
        Some(())
    }

    /// Writes the operations that the last one needs, and the last one. Each stands where its result
    /// is first used, so that the text depends on the graph alone.
    pub(crate) fn written(mut self, last: &str) -> String {
        self.operations.push(last.to_owned());
        let last = self.operations.len() - 1;
        let mut names: Vec<Option<usize>> = vec![None; self.operations.len()];
        let (mut out, mut next, mut open) = (String::new(), 0, vec![last]);
        // An operation stands in the list below its operands.
        while let Some(&number) = open.last() {
            let used = uses(&self.operations[number]);
            let missing = used.iter().rev().filter(|&&operand| names[operand].is_none());
            let missing: Vec<usize> = missing.copied().collect();
            if names[number].is_none() && !missing.is_empty() {
                open.extend(missing);
                continue;
            }
            open.pop();
            if names[number].is_some() {
                continue;
            }
            let named: String = parts(&self.operations[number])
                .map(|part| match part {
                    Part::Text(text) => text.to_owned(),
                    Part::Use(operand) => format!("%{}", names[operand].unwrap_or_default()),
                })
                .collect();
            if number == last {
                out.push_str(&format!("    {named}\n"));
                break;
            }
            out.push_str(&format!("    %{next} = {named}\n"));
            names[number] = Some(next);
            next += 1;
        }
        out
    }
}

/// A part of an operation's text.
enum Part<'a> {
    Text(&'a str),
    /// The result of the operation of this number.
    Use(usize),
}

/// Returns the parts of an operation's text.
fn parts(operation: &str) -> impl Iterator<Item = Part<'_>> {
    operation.split(MARK).enumerate().map(|(index, part)| match part.parse() {
        Ok(number) if index % 2 == 1 => Part::Use(number),
        _ => Part::Text(part),
    })
}

/// Returns the numbers of the operations whose results an operation uses.
fn uses(operation: &str) -> Vec<usize> {
    let used = parts(operation).filter_map(|part| match part {
        Part::Use(number) => Some(number),
        Part::Text(_) => None,
    });
    used.collect()
}

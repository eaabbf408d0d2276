//! [`text`]: a computation as a module with one function.

use std::collections::HashMap;
use std::fmt;

use indim_core::graph::computation::Instruction;
use indim_core::{Computation, ElementType, Opcode, Shape};

use crate::print::operation;
use crate::syntax::types::tensor;

/// An operation that StableHLO lacks, for which a computation is not printed.
///
/// ```
/// use indim_core::{Builder, ElementType::F32};
///
/// let mut b = Builder::new();
/// let x = b.parameter(F32, [3]).unwrap();
/// let y = b.log2(x).unwrap();
/// let error = indim_stablehlo::text(&b.build(y).unwrap()).unwrap_err();
/// assert_eq!(error.to_string(), "StableHLO has no operation for log2");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotInStableHlo {
    opcode: Opcode,
}

impl fmt::Display for NotInStableHlo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StableHLO has no operation for {}", self.opcode.method())
    }
}

impl std::error::Error for NotInStableHlo {}

/// Returns a computation as text: a module whose function `main` takes its parameters and returns
/// its results. Reading it gives the computation again.
///
/// ```
/// use indim_core::{Builder, ElementType::F32};
///
/// let mut b = Builder::new();
/// let (x, v) = (b.parameter(F32, [2, 3]).unwrap(), b.parameter(F32, [3]).unwrap());
/// let sum = b.add(x, v, [1]).unwrap();
/// let text = indim_stablehlo::text(&b.build(sum).unwrap())?;
/// assert!(text.contains("%0 = stablehlo.broadcast_in_dim %arg1, dims = [1]"), "{text}");
/// assert!(text.contains("%1 = stablehlo.add %arg0, %0 : tensor<2x3xf32>"), "{text}");
/// # Ok::<(), indim_stablehlo::NotInStableHlo>(())
/// ```
///
/// # Errors
/// An operation that StableHLO and CHLO lack, such as `log2`.
pub fn text(computation: &Computation) -> Result<String, NotInStableHlo> {
    let mut body = Body::default();
    let needed = computation.needed_for(computation.roots());
    let mut values: Vec<Option<Printed>> = Vec::new();
    for (node, instruction) in computation.instructions().iter().enumerate() {
        if !needed[node] {
            values.push(None);
            continue;
        }
        let operands: Vec<&Printed> =
            instruction.operands.iter().filter_map(|&node| values[node].as_ref()).collect();
        let name = operation::print(&mut body, instruction, &operands)
            .ok_or_else(|| NotInStableHlo { opcode: instruction.operation.opcode() })?;
        values.push(Some(Printed::new(name, instruction)));
    }
    let parameters = computation.parameters().iter().enumerate();
    let parameters: Vec<String> = parameters
        .map(|(number, of)| format!("%arg{number}: {}", tensor(of.element_type, &of.shape)))
        .collect();
    let results: Vec<&Printed> =
        computation.roots().iter().filter_map(|&root| values[root].as_ref()).collect();
    let names: Vec<&str> = results.iter().map(|result| result.name.as_str()).collect();
    let types: Vec<String> = results.iter().map(|result| result.tensor()).collect();
    let (parameters, types) = (parameters.join(", "), types.join(", "));
    let body = body.written(&format!("return {} : {types}", names.join(", ")));
    Ok(format!(
        "module @indim {{\n  func.func public @main({parameters}) -> ({types}) {{\n{body}  }}\n}}\n"
    ))
}

/// A printed value.
#[derive(Debug, Clone)]
pub(crate) struct Printed {
    /// Its name, with the sign.
    pub(crate) name: String,
    pub(crate) element_type: ElementType,
    pub(crate) shape: Shape,
}

impl Printed {
    fn new(name: String, instruction: &Instruction) -> Self {
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

    /// Writes the operations that the last one needs, and the last one. Each stands where its result
    /// is first used, so that the text depends on the graph alone.
    fn written(mut self, last: &str) -> String {
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

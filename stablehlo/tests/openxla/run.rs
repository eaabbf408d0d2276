//! Runs programs on the device.

use indim::{AnyArray, Context};
use indim_core::Literal;
use indim_stablehlo::{Module, Problem, ProblemKind, Problems, Program, text};

use crate::exceptions;

/// How a program fared.
pub(crate) enum Outcome {
    Passed,
    Failed(String),
    /// Refused, because of these operations.
    Refused(Vec<String>),
}

/// Runs a function of a program, and judges it by its own checks.
pub(crate) fn checked(gpu: &Context, name: &str, module: &Module<'_>, function: &str) -> Outcome {
    let program = match module.program_with_checks(function) {
        Ok(program) => program,
        Err(problems) => return refused(&problems),
    };
    if let Err(message) = comes_back(&program) {
        return Outcome::Failed(message);
    }
    // A program that checks nothing is run on zeros.
    let zeros = program.arguments().iter().map(|argument| {
        let count = argument.shape().element_count().unwrap();
        let bytes = vec![0; count * argument.element_type().size_in_bytes()];
        Literal::new(argument.element_type(), argument.shape(), bytes).unwrap()
    });
    let results = match results(gpu, &program, &zeros.collect::<Vec<_>>()) {
        Ok(results) => results,
        Err(error) => return Outcome::Failed(error.to_string()),
    };
    for check in program.checks() {
        let Some(found) = check.differences(&results) else {
            return Outcome::Failed(format!(
                "the types of the check in line {} differ",
                check.line
            ));
        };
        let mut left = found.iter().filter(|found| !exceptions::holds(name, found));
        if let Some(first) = left.next() {
            let more = left.count();
            return Outcome::Failed(format!(
                "element {} is {:?} in place of {:?}, and {more} more differ, by {:?}",
                first.index, first.actual, first.expected, check.measure
            ));
        }
    }
    Outcome::Passed
}

/// Returns the operations for which a program is refused; a broken rule is a failure.
pub(crate) fn refused(problems: &Problems) -> Outcome {
    let unsupported = |problem: &&Problem| problem.kind() == ProblemKind::Unsupported;
    if problems.problems().iter().any(|problem| !unsupported(&problem)) {
        return Outcome::Failed(problems.to_string());
    }
    let mut operations: Vec<String> = Vec::new();
    for problem in problems.problems() {
        let operation = problem.operation().unwrap_or("?").to_owned();
        if !operations.contains(&operation) {
            operations.push(operation);
        }
    }
    Outcome::Refused(operations)
}

/// Returns the results of a program for these arguments.
pub(crate) fn results(
    gpu: &Context,
    program: &Program,
    arguments: &[Literal],
) -> indim::Result<Vec<Literal>> {
    let given = arguments.iter().chain(program.constants());
    let given =
        given.map(|literal| gpu.upload(literal)).collect::<indim::Result<Vec<AnyArray>>>()?;
    let given: Vec<&AnyArray> = given.iter().collect();
    let results = gpu.run_all(program.computation(), &given)?;
    results.iter().map(AnyArray::to_literal_blocking).collect()
}

/// Checks that a program comes back from its printed text.
fn comes_back(program: &Program) -> Result<(), String> {
    let printed = text(program.computation()).map_err(|error| error.to_string())?;
    let module = Module::parse("printed", &printed);
    let again = module.and_then(|module| module.program("main"));
    let again = again.map_err(|problems| format!("{problems}of the text\n{printed}"))?;
    let other = text(again.computation()).map_err(|error| error.to_string())?;
    if other == printed {
        Ok(())
    } else {
        Err(format!("the text\n{printed}comes back as\n{other}"))
    }
}

//! `Program`: a function of a module in StableHLO, which runs on arrays.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use indim::{AnyArray, AnyExpr, Computation, Context, Literal};
use indim_stablehlo::{Argument, Module, Problems};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::context::{context, forget, is_gone, is_loss, is_orphaned};
use crate::errors::{ProgramError, exception};
use crate::exit::Call;
use crate::expr::{Expr, is_long, recorded};
use crate::wait;

/// A program that was read. It never changes.
#[pyclass(frozen, module = "indim._core")]
pub(crate) struct Program {
    function: String,
    computation: Computation,
    parameters: Vec<Parameter>,
    /// The elements for the computation's parameters after the function's.
    literals: Vec<Arc<Literal>>,
    /// Their values, which keep the arrays that they were uploaded to.
    constants: Mutex<Vec<AnyExpr>>,
    /// About how many operations on elements it takes.
    work: u64,
    /// True once its kernels are compiled.
    has_run: AtomicBool,
}

/// The names of a parameter, in the program and as JAX gives it, its element type and its shape.
type Parameter = (String, Option<String>, String, Vec<usize>);

fn parameter(argument: &Argument) -> Parameter {
    let (name, label) = (argument.name().to_owned(), argument.label().map(str::to_owned));
    (name, label, argument.element_type().to_string(), argument.shape().dims().to_vec())
}

/// Returns the exception of a program that is refused.
fn refused(name: &str, problems: &Problems) -> PyErr {
    let reasons = match problems.problems().len() {
        1 => "for this reason".to_owned(),
        count => format!("for {count} reasons"),
    };
    ProgramError::new_err(format!("{name} is refused {reasons}\n{problems}"))
}

/// Reads a function of a module, by default the one that a program begins with.
fn read(name: &str, text: &str, function: Option<&str>) -> PyResult<Program> {
    let module = Module::parse(name, text).map_err(|problems| refused(name, &problems))?;
    let function = function.or(module.entry()).ok_or_else(|| {
        let functions = module.functions().join(", ");
        let message = format!("{name} has several functions, and none is main");
        PyValueError::new_err(format!("{message}: choose one by function=, of {functions}"))
    })?;
    let program = module.program(function).map_err(|problems| refused(name, &problems))?;
    let computation = program.computation().clone();
    let arguments = program.arguments().iter().map(|argument| argument.shape());
    let shapes = arguments.chain(computation.results().map(|(_, shape)| shape));
    let elements = shapes.map(|shape| shape.element_count().unwrap_or(usize::MAX) as u64);
    let elements = elements.fold(0, u64::saturating_add);
    Ok(Program {
        function: function.to_owned(),
        parameters: program.arguments().iter().map(parameter).collect(),
        literals: program.constants().iter().cloned().map(Arc::new).collect(),
        constants: Mutex::new(Vec::new()),
        // A line of the text has an operation.
        work: elements.saturating_mul(text.lines().count() as u64),
        has_run: AtomicBool::new(false),
        computation,
    })
}

#[pymethods]
impl Program {
    /// Reads a program; `name` stands before lines in errors.
    #[new]
    #[pyo3(signature = (name, text, function=None, /))]
    fn new(py: Python<'_>, name: &str, text: &str, function: Option<&str>) -> PyResult<Self> {
        py.detach(|| read(name, text, function))
    }

    /// The name of the function.
    #[getter]
    fn name(&self) -> &str {
        &self.function
    }

    #[getter]
    fn parameters(&self) -> Vec<Parameter> {
        self.parameters.clone()
    }

    /// The element type and the shape of each result.
    #[getter]
    fn results(&self) -> Vec<(String, Vec<usize>)> {
        let results = self.computation.results();
        results.map(|(of, shape)| (of.to_string(), shape.dims().to_vec())).collect()
    }

    /// Returns the results for arguments of the parameters' types and shapes. It evaluates the
    /// arguments, and returns when the program's kernels are recorded.
    fn run(&self, py: Python<'_>, arguments: Vec<PyRef<'_, Expr>>) -> PyResult<Vec<Expr>> {
        let arguments: Vec<&Expr> = arguments.iter().map(|argument| &**argument).collect();
        let _call = Call::begin(py);
        let first = context(py)?;
        let arrays = match self.run_on(py, &first, &arguments)? {
            Err(loss) if is_loss(&loss) => {
                // What the host still has is computed on a new device.
                forget(&first);
                let second = context(py)?;
                let again = self.run_on(py, &second, &arguments)?;
                if again.as_ref().is_err_and(is_loss) {
                    forget(&second);
                }
                again.map_err(|_| exception(loss))?
            }
            arrays => arrays.map_err(exception)?,
        };
        self.has_run.store(true, Ordering::Relaxed);
        Ok(arrays.iter().map(|array| Expr::leaf(AnyExpr::from(array))).collect())
    }
}

impl Program {
    /// Returns the results, whose kernels are recorded. The outer error is that of a signal.
    fn run_on(
        &self,
        py: Python<'_>,
        context: &Context,
        arguments: &[&Expr],
    ) -> PyResult<indim::Result<Vec<AnyArray>>> {
        let (mut values, mut work) = (Vec::new(), 0_u64);
        for argument in arguments {
            let (value, of_value) = argument.value_and_work();
            values.push(value);
            work = work.saturating_add(of_value);
        }
        values.extend(self.constants());
        let known: Option<Vec<AnyArray>> =
            values.iter().map(|value| value.array().cloned()).collect();
        let arrays = match known {
            Some(arrays) => arrays,
            None => match recorded(py, context, values, work)? {
                Ok(arrays) => {
                    arguments.iter().zip(&arrays).for_each(|(expr, array)| expr.keep(array));
                    arrays
                }
                Err(error) => return Ok(Err(error)),
            },
        };
        let (computation, context) = (self.computation.clone(), context.clone());
        let run = move || {
            let arrays: Vec<&AnyArray> = arrays.iter().collect();
            context.run_all(&computation, &arrays)
        };
        // Compiling kernels may take long, too.
        if is_long(self.work) || !self.has_run.load(Ordering::Relaxed) {
            return wait::for_thread(py, run);
        }
        Ok(py.detach(run))
    }

    /// Returns the values of the constants. If their arrays were lost with a device, they are made
    /// anew.
    fn constants(&self) -> Vec<AnyExpr> {
        let mut constants = self.constants.lock().unwrap_or_else(PoisonError::into_inner);
        let is_lost = |value: &AnyExpr| value.array().is_some_and(is_gone);
        if constants.len() < self.literals.len() || constants.iter().any(is_lost) {
            let literals = self.literals.iter().map(Arc::clone);
            *constants = literals.map(AnyExpr::literal).collect();
        }
        constants.clone()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if is_orphaned() {
            // As for `Expr`.
            let constants = self.constants.get_mut().unwrap_or_else(PoisonError::into_inner);
            std::mem::forget(std::mem::take(constants));
        }
    }
}

//! [`Module`]: a program as it was read.

use crate::lower::program::Program;
use crate::lower::run;
use crate::report::problem::{Finding, Problems};
use crate::syntax::module::Source;
use crate::syntax::parser;

/// A module: the functions of a program in MLIR's text form.
///
/// ```
/// use indim_stablehlo::Module;
///
/// let text = "module @jit_f {
///   func.func public @main(%arg0: tensor<2x3xf32>) -> tensor<2xf32> {
///     %cst = stablehlo.constant dense<0.0> : tensor<f32>
///     %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [1]
///       : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
///     return %0 : tensor<2xf32>
///   }
/// }";
/// let module = Module::parse("f.mlir", text)?;
/// assert_eq!(module.functions(), ["main"]);
/// let program = module.program("main")?;
/// assert_eq!(program.computation().shape().dims(), [2]);
/// # Ok::<(), indim_stablehlo::Problems>(())
/// ```
#[derive(Debug)]
pub struct Module<'a> {
    name: String,
    text: &'a str,
    source: Source<'a>,
}

impl<'a> Module<'a> {
    /// Reads a module; `name` stands before lines and columns in errors. [`Module::program`]
    /// reports operations that are not implemented.
    ///
    /// ```
    /// let module = indim_stablehlo::Module::parse("f.mlir", "func.func private @f()")?;
    /// assert_eq!(module.functions(), ["f"]);
    /// assert!(indim_stablehlo::Module::parse("f.mlir", "func.func @f(").is_err());
    /// # Ok::<(), indim_stablehlo::Problems>(())
    /// ```
    ///
    /// # Errors
    /// The first error in the syntax.
    pub fn parse(name: &str, text: &'a str) -> Result<Self, Problems> {
        match parser::parse(text) {
            Ok(source) => Ok(Self { name: name.to_owned(), text, source }),
            Err(finding) => Err(Problems::new(name, text, vec![*finding])),
        }
    }

    /// Returns the names of the functions, in the order of the text.
    ///
    /// ```
    /// let text = "func.func private @g() func.func @f() { return }";
    /// let module = indim_stablehlo::Module::parse("f.mlir", text)?;
    /// assert_eq!(module.functions(), ["g", "f"]);
    /// # Ok::<(), indim_stablehlo::Problems>(())
    /// ```
    pub fn functions(&self) -> Vec<&'a str> {
        self.source.functions.iter().map(|function| function.name).collect()
    }

    /// Returns the function that a program begins with: `main`, else the only public one.
    ///
    /// ```
    /// let text = "func.func private @g() func.func @f() { return }";
    /// assert_eq!(indim_stablehlo::Module::parse("f.mlir", text)?.entry(), Some("f"));
    /// # Ok::<(), indim_stablehlo::Problems>(())
    /// ```
    pub fn entry(&self) -> Option<&'a str> {
        let functions = &self.source.functions;
        let mut public = functions.iter().filter(|function| function.is_public);
        match (functions.iter().find(|function| function.name == "main"), public.next()) {
            (Some(main), _) => Some(main.name),
            (None, Some(only)) if public.next().is_none() => Some(only.name),
            _ => None,
        }
    }

    /// Returns a function as a computation.
    ///
    /// ```
    /// let text = "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
    ///   %0 = chlo.erf %x : tensor<3xf32> -> tensor<3xf32>
    ///   return %0 : tensor<3xf32>
    /// }";
    /// let program = indim_stablehlo::Module::parse("erf.mlir", text)?.program("main")?;
    /// assert_eq!(program.computation().parameters().len(), 1);
    /// # Ok::<(), indim_stablehlo::Problems>(())
    /// ```
    ///
    /// # Errors
    /// All that keeps it from being one: broken constraints of StableHLO's specification, and what is
    /// not implemented.
    pub fn program(&self, function: &str) -> Result<Program, Problems> {
        self.lower(function, false)
    }

    /// Returns a function as a computation whose results are also checked: the values of the
    /// operations `check.expect_...`, which [`Module::program`] ignores, are results, too.
    ///
    /// ```
    /// use indim_stablehlo::{Checked, Measure, Module};
    ///
    /// let text = "func.func @main() {
    ///   %0 = stablehlo.constant dense<2.0> : tensor<f32>
    ///   %1 = stablehlo.sqrt %0 : tensor<f32>
    ///   check.expect_almost_eq_const %1, dense<1.41421> : tensor<f32>
    ///   return
    /// }";
    /// let program = Module::parse("sqrt.mlir", text)?.program_with_checks("main")?;
    /// let check = &program.checks()[0];
    /// assert_eq!(check.measure, Measure::Almost { tolerance: 1e-4 });
    /// assert_eq!(check.actual, Checked::Result(0));
    /// # Ok::<(), indim_stablehlo::Problems>(())
    /// ```
    ///
    /// # Errors
    /// It returns the errors of [`Module::program`].
    pub fn program_with_checks(&self, function: &str) -> Result<Program, Problems> {
        self.lower(function, true)
    }

    fn lower(&self, function: &str, with_checks: bool) -> Result<Program, Problems> {
        let found = match self.source.numbers.get(function) {
            Some(&number) => run::lower(&self.source, self.text, number, with_checks),
            None => {
                let names = self.functions().join("`, `@");
                let message = format!("the program has no function `@{function}`");
                Err(vec![*Finding::syntax(0..0, message).help(format!("it has `@{names}`"))])
            }
        };
        found.map_err(|findings| Problems::new(&self.name, self.text, findings))
    }
}

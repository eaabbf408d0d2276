//! [`Program`]: the result of reading a function of a module.

use indim_core::{Computation, ElementType, Literal, Shape};

/// A function of a module as a computation.
///
/// The computation's first parameters are the function's arguments. The others are constants of the
/// program with more than one value: pass [`Program::constants`] for them, uploaded once.
///
/// ```
/// use indim_stablehlo::Module;
///
/// let text = "func.func public @main(%arg0: tensor<3xf32>) -> tensor<3xf32> {
///   %c = stablehlo.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
///   %0 = stablehlo.multiply %arg0, %c : tensor<3xf32>
///   return %0 : tensor<3xf32>
/// }";
/// let program = Module::parse("scale.mlir", text)?.program("main")?;
/// assert_eq!(program.arguments().len(), 1);
/// assert_eq!(program.constants()[0].to_vec::<f32>().unwrap(), [1., 2., 4.]);
/// assert_eq!(program.computation().parameters().len(), 2);
/// # Ok::<(), indim_stablehlo::Problems>(())
/// ```
#[derive(Debug, Clone)]
pub struct Program {
    pub(crate) computation: Computation,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) constants: Vec<Literal>,
    pub(crate) results: Vec<Option<String>>,
    pub(crate) checks: Vec<Check>,
}

impl Program {
    /// Returns the computation. Its results are the function's, and after them those that
    /// [`Program::checks`] refer to.
    ///
    /// ```
    /// let text = "func.func @main(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
    ///   %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    ///   return %0 : tensor<3x2xf32>
    /// }";
    /// let program = indim_stablehlo::Module::parse("t.mlir", text)?.program("main")?;
    /// assert_eq!(program.computation().shape().dims(), [3, 2]);
    /// # Ok::<(), indim_stablehlo::Problems>(())
    /// ```
    pub fn computation(&self) -> &Computation {
        &self.computation
    }

    /// Returns the arguments of the function, which are the first parameters.
    ///
    /// ```
    /// let text = "func.func @main(%x: tensor<i32>) -> tensor<i32> { return %x : tensor<i32> }";
    /// let program = indim_stablehlo::Module::parse("x.mlir", text)?.program("main")?;
    /// assert_eq!(program.arguments()[0].name(), "x");
    /// # Ok::<(), indim_stablehlo::Problems>(())
    /// ```
    pub fn arguments(&self) -> &[Argument] {
        &self.arguments
    }

    /// Returns the arrays for the parameters after the arguments, in order.
    ///
    /// ```
    /// let text = "func.func @main() -> tensor<2xi32> {
    ///   %0 = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
    ///   return %0 : tensor<2xi32>
    /// }";
    /// let program = indim_stablehlo::Module::parse("c.mlir", text)?.program("main")?;
    /// assert_eq!(program.constants()[0].to_string(), "[3 4]");
    /// # Ok::<(), indim_stablehlo::Problems>(())
    /// ```
    pub fn constants(&self) -> &[Literal] {
        &self.constants
    }

    /// Returns the name of each result of the function, where the program has one.
    ///
    /// ```
    /// let text = "func.func @main(%x: tensor<i32>) -> (tensor<i32> {jax.result_info = \"[0]\"}) {
    ///   return %x : tensor<i32>
    /// }";
    /// let program = indim_stablehlo::Module::parse("x.mlir", text)?.program("main")?;
    /// assert_eq!(program.results(), [Some("[0]".to_owned())]);
    /// # Ok::<(), indim_stablehlo::Problems>(())
    /// ```
    pub fn results(&self) -> &[Option<String>] {
        &self.results
    }

    /// Returns the program's own checks of its results, if they were asked for.
    ///
    /// ```
    /// let text = "func.func @main(%x: tensor<i32>) {
    ///   check.expect_eq_const %x, dense<7> : tensor<i32>
    ///   return
    /// }";
    /// let module = indim_stablehlo::Module::parse("check.mlir", text)?;
    /// assert_eq!(module.program_with_checks("main")?.checks().len(), 1);
    /// # Ok::<(), indim_stablehlo::Problems>(())
    /// ```
    pub fn checks(&self) -> &[Check] {
        &self.checks
    }
}

/// An argument of a program's function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    pub(crate) name: String,
    pub(crate) label: Option<String>,
    pub(crate) element_type: ElementType,
    pub(crate) shape: Shape,
}

impl Argument {
    /// Returns its name in the program, without the `%`.
    ///
    /// ```
    /// # let text = "func.func @f(%x: tensor<2xi32>) -> tensor<2xi32> { return %x : tensor<2xi32> }";
    /// let program = indim_stablehlo::Module::parse("x.mlir", text)?.program("f")?;
    /// assert_eq!(program.arguments()[0].name(), "x");
    /// # Ok::<(), indim_stablehlo::Problems>(())
    /// ```
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the name that JAX gives it, such as `params['w']`, if it does.
    ///
    /// ```
    /// # let text = "func.func @f(%x: tensor<2xi32>) -> tensor<2xi32> { return %x : tensor<2xi32> }";
    /// let program = indim_stablehlo::Module::parse("x.mlir", text)?.program("f")?;
    /// assert_eq!(program.arguments()[0].label(), None);
    /// # Ok::<(), indim_stablehlo::Problems>(())
    /// ```
    pub fn label(&self) -> Option<&str> {
        self.label.as_deref()
    }

    /// Returns its element type.
    ///
    /// ```
    /// # let text = "func.func @f(%x: tensor<2xi32>) -> tensor<2xi32> { return %x : tensor<2xi32> }";
    /// let program = indim_stablehlo::Module::parse("x.mlir", text)?.program("f")?;
    /// assert_eq!(program.arguments()[0].element_type(), indim_core::ElementType::S32);
    /// # Ok::<(), indim_stablehlo::Problems>(())
    /// ```
    pub fn element_type(&self) -> ElementType {
        self.element_type
    }

    /// Returns its shape.
    ///
    /// ```
    /// # let text = "func.func @f(%x: tensor<2xi32>) -> tensor<2xi32> { return %x : tensor<2xi32> }";
    /// let program = indim_stablehlo::Module::parse("x.mlir", text)?.program("f")?;
    /// assert_eq!(program.arguments()[0].shape().dims(), [2]);
    /// # Ok::<(), indim_stablehlo::Problems>(())
    /// ```
    pub fn shape(&self) -> &Shape {
        &self.shape
    }
}

/// A check that a program makes of its own results, as the operations `check.expect_...` of
/// OpenXLA's interpreter do.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Check {
    /// How both are compared.
    pub measure: Measure,
    /// The checked value.
    pub actual: Checked,
    /// The expected value.
    pub expected: Checked,
    /// The line of the check, counted from 1.
    pub line: usize,
}

/// A side of a [`Check`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Checked {
    /// The result of the computation that has this number.
    Result(usize),
    /// These elements.
    Elements(Literal),
}

/// How a [`Check`] compares elements. NaN equals NaN.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Measure {
    /// They are equal.
    Equal,
    /// They differ by at most `tolerance`.
    Almost {
        /// The largest difference; the default is 1e-4 for constants and 1e-3 for values.
        tolerance: f64,
    },
    /// The number of floats of their type from one to the other is at least `least` and at most `most`.
    Close {
        /// The smallest number.
        least: u64,
        /// The largest number, 3 by default.
        most: u64,
    },
}

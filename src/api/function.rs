//! [`Function`]: a user-defined operation that expressions call.

use std::fmt;
use std::ops::Deref;

use indim_core::{FunctionCost, FunctionError, WgslFunction};

/// A user-defined operation, written as a function in WGSL. It broadcasts like other operations and
/// fuses with the operations around it, like CuPy's `ElementwiseKernel` on CUDA.
///
/// The text is one function with what it needs: functions that it calls, constants and structs. It
/// receives the values of one element, and is checked without a GPU. Parameters and results are
/// `bool` (PRED), `i32` (S4 to S32), `u32` (U4 to U32), `f32` (F16, BF16 and F32), `vec2<f32>`
/// (C64), and `i64`, `u64` and `f64` on devices that have them. A struct as result gives several
/// results. For the index of an element, pass an iota as an operand.
///
/// Its operands, and its result if something is computed from it, are kept from being rewritten
/// together with other operations. Within the function the rules of WGSL hold: a driver may
/// contract and regroup, and WGSL's own functions may be inexact. Equal texts are one function, and
/// one kernel.
///
/// ```
/// use indim::{Context, Function};
///
/// let smooth = Function::wgsl(
///     "fn smooth(a: f32, b: f32, t: f32) -> f32 {
///          let s = t * t * (3.0 - 2.0 * t);
///          return mix(a, b, s);
///      }",
/// )?;
/// let gpu = Context::blocking()?;
/// let x = gpu.array([2, 3], &[1_f32, 2., 3., 4., 5., 6.])?;
/// let v = gpu.array([3], &[7_f32, 8., 9.])?;
/// let y = smooth.call::<f32>((&x, v.in_dim([1]), 0.5))?.eval()?;
/// assert_eq!(y.to_vec_blocking()?, [4., 5., 6., 5.5, 6.5, 7.5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// It derefs to a [`WgslFunction`], whose methods read its name, parameters, results and bounds, and
/// which [`Builder::call`](crate::Builder::call) takes.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Function(WgslFunction);

impl Function {
    /// Checks the text of a function.
    ///
    /// ```
    /// use indim::{Expr, Function};
    ///
    /// let half = Function::wgsl("fn half(x: f32) -> f32 { return 0.5 * x; }")?;
    /// let x = Expr::<f32>::iota([2, 3], 0);
    /// assert_eq!(half.call::<f32>((&x,))?.shape()?.dims(), [2, 3]);
    /// let error = Function::wgsl("fn half(x: f32) -> f32 { return 0.5 * y; }").unwrap_err();
    /// assert_eq!((error.line(), error.column()), (Some(1), Some(39)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`FunctionError`], with the line, the column and the text at fault, for a text that is not
    /// WGSL or not a function of values. Refused are entry points, bindings and other variables
    /// outside of functions, overrides, directives, barriers, atomics, derivatives, textures,
    /// pointers as parameters, types that no element has, recursion, more than one function that is
    /// not called by another, and sizes above these limits:
    ///
    /// - of a text: 64 KiB, 64 nested brackets, 64 `else`, and 1,024 signs between two ends of
    ///   statements, where of arguments side by side only those with the most count;
    /// - of a type or a constant: 4,096 values and 16 KiB, and 16 nested arrays or structs; the
    ///   length of an array is a number, or the name of a constant that is declared as one;
    /// - 16,384 values used by a text: each name and number counts as the widest vector or matrix
    ///   beside it, a constant as all its values each time that it is used;
    /// - of a call: 8,192 operations without repetitions, including the functions that it calls, of
    ///   which 64 may call each other; 32 loops; 8 members of a returned struct.
    ///
    /// `docs/functions.md` describes how operations count. An index past the end, or a negative
    /// one, is that of the last element.
    pub fn wgsl(text: &str) -> Result<Self, FunctionError> {
        WgslFunction::wgsl(text).map(Self)
    }

    /// Returns the function with this cost of a call for the planner. Without it the cost is
    /// estimated by the number of operations in the text; a function with loops is heavy.
    ///
    /// ```
    /// use indim::{Builder, ElementType::F32, Function, FunctionCost, plan::PlanLimits};
    ///
    /// let half = Function::wgsl("fn half(x: f32) -> f32 { return 0.5 * x; }")?;
    /// let kernels = |half: &Function| -> indim::Result<usize> {
    ///     let mut b = Builder::new();
    ///     let (v, x) = (b.parameter(F32, [512])?, b.parameter(F32, [512, 512])?);
    ///     let halves = b.call(half, &[v], &[&[]])?;
    ///     let sum = b.add(x, halves, [1])?; // repeats each half 512 times
    ///     Ok(PlanLimits::default().explain(&b.build(sum)?)?.kernels.len())
    /// };
    /// assert_eq!(kernels(&half)?, 1);
    /// assert_eq!(kernels(&half.with_cost(FunctionCost::Heavy))?, 2); // it is stored first
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_cost(self, cost: FunctionCost) -> Self {
        Self(self.0.with_cost(cost))
    }

    /// Returns the function with another bound on how often the body of a loop may run, each time
    /// that the loop is reached: 65,536 by default. If the bound on all loops together is lower, it
    /// is raised to the same; to set that one lower, call [`Function::with_max_total_iterations`]
    /// afterwards.
    ///
    /// An element that exceeds the bound is not computed, and neither are the remaining elements of
    /// the same call: reading an array that is computed from the result returns
    /// [`CallError::Loop`](crate::CallError::Loop). So a text cannot make a device hang. The
    /// context and its other arrays remain usable.
    ///
    /// ```
    /// use indim::{Context, Function};
    ///
    /// let steps = Function::wgsl(
    ///     "fn steps(start: u32) -> u32 { // of Collatz, until 1
    ///          var n = 0u;
    ///          for (var x = start; x != 1u; n++) { x = select(x / 2u, 3u * x + 1u, x % 2u == 1u); }
    ///          return n;
    ///      }",
    /// )?
    /// .with_max_iterations(1000);
    /// let gpu = Context::blocking()?;
    /// let counts = |of: &[u32]| -> indim::Result<Vec<u32>> {
    ///     steps.call::<u32>((&gpu.array([of.len()], of)?,))?.eval()?.to_vec_blocking()
    /// };
    /// assert_eq!(counts(&[6, 7, 27])?, [8, 16, 111]);
    /// assert!(counts(&[6, 0]).is_err()); // 0 stays 0, and is never 1.
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_max_iterations(self, most: u32) -> Self {
        Self(self.0.with_max_iterations(most))
    }

    /// Returns the function with another bound on how often the bodies of all loops together may run
    /// for one element: 1,048,576 by default. See [`Function::with_max_iterations`].
    ///
    /// ```
    /// use indim::Function;
    ///
    /// let count = "fn count(n: u32) -> u32 { var i = 0u; while i < n { i++; } return i; }";
    /// let count = Function::wgsl(count)?.with_max_total_iterations(1000);
    /// assert_eq!(count.max_total_iterations(), Some(1000));
    /// let gpu = indim::Context::blocking()?;
    /// let counted = count.call::<u32>((&gpu.array([1], &[1001_u32])?,))?.eval()?;
    /// assert!(counted.to_vec_blocking().is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_max_total_iterations(self, most: u32) -> Self {
        Self(self.0.with_max_total_iterations(most))
    }
}

impl Deref for Function {
    type Target = WgslFunction;

    fn deref(&self) -> &WgslFunction {
        &self.0
    }
}

impl From<WgslFunction> for Function {
    /// Returns a function that a computation calls
    /// ([`Computation::functions`](crate::Computation::functions)), or the command's language reads.
    fn from(function: WgslFunction) -> Self {
        Self(function)
    }
}

impl fmt::Debug for Function {
    /// Writes how the function is declared: `Function(fn half(x: f32) -> f32)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

//! [`Function`]: a user-defined operation, written in WGSL.

use std::fmt;
use std::sync::Arc;

use crate::graph::function::body::{
    Call, FunctionBody, LoopBounds, SharedFunction, Value, element_type, wgsl_name,
};
use crate::graph::function::source;
use crate::semantics::element::ElementType;
use crate::semantics::function_error::FunctionError;
use crate::semantics::opcode::Cost;

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
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Function {
    pub(crate) shared: SharedFunction,
}

impl fmt::Debug for Function {
    /// Writes how the function is declared: `Function(fn half(x: f32) -> f32)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |values: &[Value]| -> Vec<String> {
            let declared = |value: &Value| format!("{}: {}", value.name, wgsl_name(value.form));
            values.iter().map(declared).collect()
        };
        let body = self.body();
        let results = match (&body.result_struct, body.results.as_slice()) {
            (None, [result]) => wgsl_name(result.form).to_owned(),
            (_, results) => format!("{{ {} }}", list(results).join(", ")),
        };
        write!(f, "Function(fn {}({}) -> {results})", body.name, list(&body.parameters).join(", "))
    }
}

/// The approximate time of one call of a function, by which the planner decides where not to repeat
/// it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FunctionCost {
    /// A few instructions: it is repeated wherever its value is used.
    Cheap,
    /// Tens of instructions: it is computed first, and stored, if it would be repeated often.
    Costly,
    /// Hundreds of instructions: a kernel also has fewer copies of it.
    Heavy,
}

impl Function {
    /// Checks the text of a function.
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
        source::check(text).map(Self::of)
    }

    /// Returns the function with this cost of a call for the planner. Without it the cost is
    /// estimated by the number of operations in the text; a function with loops is heavy.
    #[must_use]
    pub fn with_cost(self, cost: FunctionCost) -> Self {
        self.changed(|body| {
            body.cost = match cost {
                FunctionCost::Cheap => Cost::Cheap,
                FunctionCost::Costly => Cost::Costly,
                FunctionCost::Heavy => Cost::Heavy,
            };
        })
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
        self.changed(|body| {
            let total = body.bounds().total.max(most);
            body.set_bounds(LoopBounds { iterations: most, total });
        })
    }

    /// Returns the function with another bound on how often the bodies of all loops together may run
    /// for one element: 1,048,576 by default. See [`Function::with_max_iterations`].
    #[must_use]
    pub fn with_max_total_iterations(self, most: u32) -> Self {
        self.changed(|body| {
            let bounds = LoopBounds { total: most, ..body.bounds() };
            body.set_bounds(bounds);
        })
    }

    /// Returns the bound on how often the body of a loop may run, each time that the loop is
    /// reached; `None` if the function has no loops.
    pub fn max_iterations(&self) -> Option<u32> {
        self.body().loops.map(|loops| loops.bounds.iterations)
    }

    /// Returns the bound on how often the bodies of all loops together may run for one element;
    /// `None` if the function has no loops.
    pub fn max_total_iterations(&self) -> Option<u32> {
        self.body().loops.map(|loops| loops.bounds.total)
    }

    fn of(body: FunctionBody) -> Self {
        Self { shared: SharedFunction(Arc::new(body)) }
    }

    fn changed(self, change: impl FnOnce(&mut FunctionBody)) -> Self {
        let mut body = Arc::unwrap_or_clone(self.shared.0);
        change(&mut body);
        Self::of(body)
    }

    pub(crate) fn body(&self) -> &FunctionBody {
        &self.shared.0
    }

    /// Returns the operation that is one result of a call.
    pub(crate) fn result(&self, result: usize) -> Call {
        Call { function: self.shared.clone(), result }
    }

    /// Returns the function's name in the text.
    pub fn name(&self) -> &str {
        &self.body().name
    }

    /// Returns the parameters, each with its name and the widest element type that it takes.
    pub fn parameters(&self) -> impl ExactSizeIterator<Item = (&str, ElementType)> {
        self.body().parameters.iter().map(named)
    }

    /// Returns the results, each with its element type and the name of its member in the struct;
    /// the name is empty if the result is not a struct.
    pub fn results(&self) -> impl ExactSizeIterator<Item = (&str, ElementType)> {
        self.body().results.iter().map(named)
    }
}

fn named(value: &Value) -> (&str, ElementType) {
    (&value.name, element_type(value.form))
}

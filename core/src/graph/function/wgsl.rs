//! [`WgslFunction`]: a user-defined operation, written in WGSL.

use std::fmt;
use std::sync::Arc;

use crate::graph::function::body::{
    FunctionBody, LoopBounds, SharedFunction, Value, element_type, wgsl_name,
};
use crate::graph::function::source;
use crate::semantics::element::ElementType;
use crate::semantics::function_error::FunctionError;
use crate::semantics::opcode::Cost;

/// A user-defined operation, written as a function in WGSL and checked without a GPU. A `Function` of
/// `indim` is one that expressions call.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct WgslFunction {
    pub(crate) shared: SharedFunction,
}

impl fmt::Debug for WgslFunction {
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

impl WgslFunction {
    /// Checks the text of a function.
    ///
    /// ```
    /// use indim::WgslFunction;
    ///
    /// assert!(WgslFunction::wgsl("fn half(x: f32) -> f32 { return 0.5 * x; }").is_ok());
    /// assert!(WgslFunction::wgsl("fn half(x: f32) -> f32 { return 0.5 * y; }").is_err());
    /// ```
    ///
    /// # Errors
    /// [`FunctionError`], as for `Function::wgsl`.
    pub fn wgsl(text: &str) -> Result<Self, FunctionError> {
        source::check(text).map(Self::of)
    }

    /// Returns the function with this cost of a call for the planner. Without it the cost is
    /// estimated by the number of operations in the text; a function with loops is heavy.
    ///
    /// ```
    /// use indim::{Builder, ElementType::F32, FunctionCost, WgslFunction, plan::PlanLimits};
    ///
    /// let half = WgslFunction::wgsl("fn half(x: f32) -> f32 { return 0.5 * x; }")?;
    /// let kernels = |half: &WgslFunction| -> indim::Result<usize> {
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
    /// is raised to the same.
    ///
    /// ```
    /// let count = "fn count(n: u32) -> u32 { var i = 0u; while i < n { i++; } return i; }";
    /// let count = indim::WgslFunction::wgsl(count)?.with_max_iterations(2_000_000);
    /// assert_eq!(count.max_iterations(), Some(2_000_000));
    /// assert_eq!(count.max_total_iterations(), Some(2_000_000)); // raised to the same
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
    /// for one element: 1,048,576 by default. See [`WgslFunction::with_max_iterations`].
    ///
    /// ```
    /// let count = "fn count(n: u32) -> u32 { var i = 0u; while i < n { i++; } return i; }";
    /// let count = indim::WgslFunction::wgsl(count)?.with_max_total_iterations(1000);
    /// assert_eq!(count.max_total_iterations(), Some(1000));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_max_total_iterations(self, most: u32) -> Self {
        self.changed(|body| {
            let bounds = LoopBounds { total: most, ..body.bounds() };
            body.set_bounds(bounds);
        })
    }

    /// Returns the bound on how often the body of a loop may run, each time that the loop is
    /// reached; `None` if the function has no loops.
    ///
    /// ```
    /// # use indim::WgslFunction;
    /// let half = WgslFunction::wgsl("fn half(x: f32) -> f32 { return 0.5 * x; }")?;
    /// assert_eq!(half.max_iterations(), None);
    /// let count = "fn count(n: u32) -> u32 { var i = 0u; while i < n { i++; } return i; }";
    /// assert_eq!(WgslFunction::wgsl(count)?.max_iterations(), Some(65_536));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn max_iterations(&self) -> Option<u32> {
        self.body().loops.map(|loops| loops.bounds.iterations)
    }

    /// Returns the bound on how often the bodies of all loops together may run for one element;
    /// `None` if the function has no loops.
    ///
    /// ```
    /// # use indim::WgslFunction;
    /// let half = WgslFunction::wgsl("fn half(x: f32) -> f32 { return 0.5 * x; }")?;
    /// assert_eq!(half.max_total_iterations(), None);
    /// let count = "fn count(n: u32) -> u32 { var i = 0u; while i < n { i++; } return i; }";
    /// assert_eq!(WgslFunction::wgsl(count)?.max_total_iterations(), Some(1_048_576));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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

    #[doc(hidden)]
    pub fn body(&self) -> &FunctionBody {
        &self.shared.0
    }

    /// Returns the function's name in the text.
    ///
    /// ```
    /// let half = indim::WgslFunction::wgsl("fn half(x: f32) -> f32 { return 0.5 * x; }")?;
    /// assert_eq!(half.name(), "half");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn name(&self) -> &str {
        &self.body().name
    }

    /// Returns the parameters, each with its name and the widest element type that it takes.
    ///
    /// ```
    /// use indim::{ElementType, WgslFunction};
    ///
    /// let shift = WgslFunction::wgsl("fn shift(x: u32, by: i32) -> i32 { return i32(x) + by; }")?;
    /// let parameters: Vec<_> = shift.parameters().collect();
    /// assert_eq!(parameters, [("x", ElementType::U32), ("by", ElementType::S32)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn parameters(&self) -> impl ExactSizeIterator<Item = (&str, ElementType)> {
        self.body().parameters.iter().map(named)
    }

    /// Returns the results, each with its element type and the name of its member in the struct;
    /// the name is empty if the result is not a struct.
    ///
    /// ```
    /// use indim::{ElementType::F32, WgslFunction};
    ///
    /// let polar = WgslFunction::wgsl(
    ///     "struct Polar { length: f32, angle: f32 }
    ///      fn polar(x: f32, y: f32) -> Polar { return Polar(length(vec2(x, y)), atan2(y, x)); }",
    /// )?;
    /// assert_eq!(polar.results().collect::<Vec<_>>(), [("length", F32), ("angle", F32)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn results(&self) -> impl ExactSizeIterator<Item = (&str, ElementType)> {
        self.body().results.iter().map(named)
    }
}

fn named(value: &Value) -> (&str, ElementType) {
    (&value.name, element_type(value.form))
}

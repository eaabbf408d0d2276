//! Calls of functions in a [`Builder`].

use crate::graph::build;
use crate::graph::builder::{Builder, Op};
use crate::graph::function::wgsl::WgslFunction;
use crate::semantics::error::Result;
#[cfg(doc)]
use crate::semantics::function_error::CallError;

impl Builder {
    /// Adds a call of a user-defined function, with the `broadcast_dimensions` of each operand.
    /// These are empty for a scalar and for an operand of the result's rank, which is the highest
    /// of all; for others they name the result dimensions that the operand's match. In matched
    /// dimensions, size 1 stretches.
    ///
    /// ```
    /// use indim::{Builder, ElementType::F32, Function};
    ///
    /// let lerp = Function::wgsl("fn lerp(a: f32, b: f32, t: f32) -> f32 { return mix(a, b, t); }")?;
    /// let mut builder = Builder::new();
    /// let a = builder.parameter(F32, [2, 3])?;
    /// let b = builder.parameter(F32, [3])?;
    /// let t = builder.parameter(F32, [])?;
    /// let z = builder.call(&lerp, &[a, b, t], &[&[], &[1], &[]])?;
    /// assert_eq!(builder.shape(z)?.dims(), [2, 3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`CallError`]: for operands that do not fit the parameters in number, element type or shape,
    /// and for a function of several results ([`Builder::call_all`]);
    /// [`ShapeError`](crate::ShapeError) by rule C1.
    pub fn call(
        &mut self,
        function: &WgslFunction,
        operands: &[Op],
        broadcast_dimensions: &[&[i64]],
    ) -> Result<Op> {
        let operands: Vec<&Op> = operands.iter().collect();
        build::call::call(self, function, &operands, broadcast_dimensions)
    }

    /// Adds a call of a function, and returns all its results, in the order of the struct's members.
    ///
    /// ```
    /// use indim::{Builder, ElementType::F32, Function};
    ///
    /// let polar = Function::wgsl(
    ///     "struct Polar { length: f32, angle: f32 }
    ///      fn polar(x: f32, y: f32) -> Polar { return Polar(length(vec2(x, y)), atan2(y, x)); }",
    /// )?;
    /// let mut b = Builder::new();
    /// let (x, y) = (b.parameter(F32, [2, 3])?, b.parameter(F32, [3])?);
    /// let results = b.call_all(&polar, &[x, y], &[&[], &[1]])?;
    /// assert_eq!((results.len(), b.shape(results[1])?.dims()), (2, &[2, 3][..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// It returns the errors of [`Builder::call`], except for the number of results.
    pub fn call_all(
        &mut self,
        function: &WgslFunction,
        operands: &[Op],
        broadcast_dimensions: &[&[i64]],
    ) -> Result<Vec<Op>> {
        let operands: Vec<&Op> = operands.iter().collect();
        build::call::call_all(self, function, &operands, broadcast_dimensions)
    }
}

//! [`Computation::for_shapes`]: the same computation for parameters of other shapes.

use crate::graph::builder::{Builder, Op};
use crate::graph::calls::{Call, CallFailure};
use crate::graph::computation::Computation;
use crate::graph::function::body::SharedFunction;
use crate::graph::write_calls::write_calls;
use crate::semantics::error::{BuilderError, Result};
use crate::semantics::shape::Shape;

impl Computation {
    /// Returns the same computation for parameters of other sizes, in the order of
    /// [`Computation::parameters`]: what the builder's calls make of parameters of these shapes. The
    /// ranks stay, and so do the element types.
    ///
    /// An operation on several operands broadcasts those that it broadcast before: each dimension
    /// takes the size of the operands that have it. Everything else that names a size keeps it. So
    /// the sizes of [`Builder::iota`] and [`Builder::reshape`] and the limits of [`Builder::slice`]
    /// stay, also where they equal a size of a parameter, and so do those of
    /// [`Builder::broadcast_in_dim`] in dimensions that no operand of an operation has. What does
    /// not fit any more is the error of that operation. Calls that do nothing at the old sizes are
    /// not part of a computation: a slice of everything, the reversal of a dimension of size 1.
    ///
    /// ```
    /// use indim::{Builder, ElementType::F32, Shape};
    ///
    /// let mut b = Builder::new();
    /// let x = b.parameter(F32, [64, 3])?;
    /// let v = b.parameter(F32, [3])?;
    /// let sum = b.add(x, v, &[1])?;
    /// let computation = b.build(sum)?;
    /// let larger = computation.for_shapes([Shape::from([128, 3]), Shape::from([3])])?;
    /// assert_eq!(larger.shape().dims(), [128, 3]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`BuilderError::ShapeCount`] and [`BuilderError::ParameterRank`]; the error of the first
    /// operation that the shapes do not fit; [`BuilderError::NoCalls`] for a computation that is too
    /// large to be stored.
    pub fn for_shapes<S: Into<Shape>>(&self, shapes: impl IntoIterator<Item = S>) -> Result<Self> {
        let mut shapes: Vec<Shape> = shapes.into_iter().map(Into::into).collect();
        let (expected, given) = (self.parameters().len(), shapes.len());
        if expected != given {
            return Err(BuilderError::ShapeCount { expected, given }.into());
        }
        for (index, (parameter, shape)) in self.parameters().iter().zip(&shapes).enumerate() {
            if parameter.shape.rank() != shape.rank() {
                let (parameter, given) = (parameter.shape.clone(), shape.clone());
                return Err(BuilderError::ParameterRank { index, parameter, given }.into());
            }
        }
        let written = write_calls(self).map_err(|reason| BuilderError::NoCalls { reason })?;
        shapes.reverse();
        let mut replay = Replay {
            calls: &written.calls,
            functions: &written.functions,
            shapes,
            old: Builder::new(),
            old_ops: Vec::new(),
            new: Builder::new(),
            new_ops: Vec::new(),
        };
        for call in &written.calls {
            replay.add(call)?;
        }
        let roots = written.results.iter().map(|&result| replay.op(result));
        let roots: Vec<Op> = roots.collect::<Result<_>>()?;
        let computation = replay.new.build_all(&roots)?;
        Ok(match &self.name {
            Some(name) => computation.named(name),
            None => computation,
        })
    }
}

/// The calls of a computation, made for the old shapes and for the new ones.
struct Replay<'a> {
    calls: &'a [Call],
    functions: &'a [SharedFunction],
    /// The shapes of the parameters that are yet to be added, the last one first.
    shapes: Vec<Shape>,
    old: Builder,
    old_ops: Vec<Op>,
    new: Builder,
    /// The values of the calls. A broadcast has none before something other than an operation on
    /// several operands needs it.
    new_ops: Vec<Option<Op>>,
}

impl Replay<'_> {
    /// Makes the next call.
    fn add(&mut self, call: &Call) -> Result<()> {
        let old = call.make(&mut self.old, self.functions, |number| self.old_ops[number]);
        let new = match call {
            Call::BroadcastInDim { .. } => None,
            Call::Parameter { element_type, shape } => {
                let shape = self.shapes.pop().unwrap_or_else(|| shape.clone());
                Some(self.new.parameter(*element_type, shape)?)
            }
            Call::Elementwise { operands, .. } | Call::Function { operands, .. }
                if operands.len() > 1 =>
            {
                let sizes = self.common_sizes(operands)?;
                let ops = operands.iter().map(|&number| self.broadcast(number, &sizes));
                let ops: Vec<Op> = ops.collect::<Result<_>>()?;
                Some(self.make(call, operands, &ops)?)
            }
            _ => Some(self.make_as_it_is(call)?),
        };
        self.old_ops.push(old.map_err(failed)?);
        self.new_ops.push(new);
        Ok(())
    }

    /// Returns the value of a call for the new shapes.
    fn op(&mut self, number: usize) -> Result<Op> {
        if let Some(op) = self.new_ops[number] {
            return Ok(op);
        }
        let op = self.make_as_it_is(&self.calls[number])?;
        self.new_ops[number] = Some(op);
        Ok(op)
    }

    fn make_as_it_is(&mut self, call: &Call) -> Result<Op> {
        let operands = call.operands();
        let ops = operands.iter().map(|&number| self.op(number));
        let ops: Vec<Op> = ops.collect::<Result<_>>()?;
        self.make(call, &operands, &ops)
    }

    fn make(&mut self, call: &Call, operands: &[usize], ops: &[Op]) -> Result<Op> {
        let op = |number| {
            let place = operands.iter().position(|&operand| operand == number);
            ops[place.unwrap_or(0)]
        };
        call.make(&mut self.new, self.functions, op).map_err(failed)
    }

    /// Returns the value that an operand is a broadcast of, and the dimension of the broadcast to
    /// which each of its dimensions belongs; for other operands, themselves.
    fn source(&self, number: usize) -> Result<(usize, Vec<usize>)> {
        if let Call::BroadcastInDim { operand, broadcast_dimensions, .. } = &self.calls[number] {
            // The builder that made the call has checked them.
            let dimensions = broadcast_dimensions.iter().map(|&d| usize::try_from(d).unwrap_or(0));
            return Ok((*operand, dimensions.collect()));
        }
        Ok((number, (0..self.old.shape(self.old_ops[number])?.rank()).collect()))
    }

    /// Returns the sizes to which an operation broadcasts its operands. In each dimension it is that
    /// of the operands which had the old size themselves, or else the old one.
    fn common_sizes(&mut self, operands: &[usize]) -> Result<Vec<usize>> {
        // All operands of a call have one shape.
        let old_sizes = self.old.shape(self.old_ops[operands[0]])?.dims().to_vec();
        let mut sizes: Vec<Option<usize>> = vec![None; old_sizes.len()];
        for &operand in operands {
            let (source, dimensions) = self.source(operand)?;
            let op = self.op(source)?;
            let old = self.old.shape(self.old_ops[source])?.dims();
            let new = self.new.shape(op)?.dims();
            for ((&d, &old), &new) in dimensions.iter().zip(old).zip(new) {
                if let Some(size) = sizes.get_mut(d).filter(|_| old == old_sizes[d]) {
                    // A size of 1 stretches.
                    *size = Some(size.filter(|&known| known != 1).unwrap_or(new));
                }
            }
        }
        Ok(sizes.iter().zip(&old_sizes).map(|(size, &old)| size.unwrap_or(old)).collect())
    }

    /// Returns an operand for the new shapes. What was broadcast to the sizes of its operation is
    /// broadcast to these.
    fn broadcast(&mut self, number: usize, sizes: &[usize]) -> Result<Op> {
        let (source, dimensions) = self.source(number)?;
        let op = self.op(source)?;
        if source == number {
            return Ok(op);
        }
        self.new.broadcast_in_dim(op, sizes, &dimensions)
    }
}

fn failed(failure: CallFailure) -> crate::semantics::error::Error {
    match failure {
        CallFailure::Rule(error) => error,
        CallFailure::Data(reason) => BuilderError::NoCalls { reason }.into(),
    }
}

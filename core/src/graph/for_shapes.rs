//! [`Computation::for_shapes`]: the same computation for parameters of other shapes.

use crate::graph::again::{Failure, again};
use crate::graph::build;
use crate::graph::builder::{Builder, Op};
use crate::graph::computation::{Computation, Instruction, Instructions, NodeId};
use crate::graph::operation::Operation;
use crate::semantics::dims::Dims;
use crate::semantics::error::{BuilderError, Error, Result};
use crate::semantics::shape::Shape;
use crate::semantics::view::View;

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
    /// not fit any more is the error of that operation.
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
    /// operation that the shapes do not fit.
    pub fn for_shapes<S: Dims>(&self, shapes: impl IntoIterator<Item = S>) -> Result<Self> {
        let shapes = shapes.into_iter().map(|shape| shape.to_shape());
        let shapes: Vec<Shape> =
            shapes.collect::<std::result::Result<_, _>>().map_err(Error::shape("for_shapes"))?;
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
        let mut replay = Replay {
            old: &self.instructions,
            shapes,
            new: Builder::new(),
            ops: vec![None; self.instructions.len()],
        };
        let needed = self.needed_for(&self.roots);
        for (node, instruction) in self.instructions.iter().enumerate() {
            let is_parameter = matches!(instruction.operation, Operation::Parameter(_));
            if needed[node] || is_parameter {
                replay.add(node, instruction)?;
            }
        }
        let roots = self.roots.iter().map(|&root| replay.op(root));
        let roots: Vec<Op> = roots.collect::<Result<_>>()?;
        let computation = replay.new.build_all(&roots)?;
        Ok(match &self.name {
            Some(name) => computation.named(name),
            None => computation,
        })
    }
}

/// The operations of a computation, added once more for the new shapes.
struct Replay<'a> {
    old: &'a Instructions,
    /// The new shapes of the parameters.
    shapes: Vec<Shape>,
    new: Builder,
    /// The new values. A broadcast has none before something other than an operation on several
    /// operands needs it.
    ops: Vec<Option<Op>>,
}

impl Replay<'_> {
    /// Adds the next operation.
    fn add(&mut self, node: NodeId, instruction: &Instruction) -> Result<()> {
        let op = match &instruction.operation {
            Operation::BroadcastInDim { .. } | Operation::Broadcast => return Ok(()),
            Operation::Parameter(number) => {
                self.new.parameter(instruction.element_type, &self.shapes[*number])?
            }
            Operation::Binary { .. } | Operation::Elementwise(_) | Operation::Call { .. } => {
                let sizes = self.common_sizes(instruction)?;
                let operands = (0..instruction.operands.len())
                    .map(|number| self.broadcast(instruction, number, &sizes));
                let operands: Vec<Op> = operands.collect::<Result<_>>()?;
                self.again(instruction, &operands)?
            }
            _ => self.as_it_is(instruction)?,
        };
        self.ops[node] = Some(op);
        Ok(())
    }

    /// Returns a value for the new shapes.
    fn op(&mut self, node: NodeId) -> Result<Op> {
        // Broadcasts of broadcasts, which may be many, are added from the first one on.
        let mut waiting = vec![node];
        while let Some(&last) = waiting.last() {
            let mut below = self.old[last].operands.iter().copied();
            match below.find(|&operand| self.ops[operand].is_none()) {
                Some(operand) if self.ops[last].is_none() => waiting.push(operand),
                _ => {
                    waiting.pop();
                    if self.ops[last].is_none() {
                        self.ops[last] = Some(self.as_it_is(&self.old[last])?);
                    }
                }
            }
        }
        self.ops[node].ok_or_else(|| BuilderError::NoResult.into())
    }

    /// Adds an operation that keeps the sizes given to it.
    fn as_it_is(&mut self, instruction: &Instruction) -> Result<Op> {
        let operands = instruction.operands.iter().map(|&operand| self.op(operand));
        let operands: Vec<Op> = operands.collect::<Result<_>>()?;
        self.again(instruction, &operands)
    }

    fn again(&mut self, instruction: &Instruction, operands: &[Op]) -> Result<Op> {
        let made = again(&mut self.new, instruction, &self.old.functions, operands);
        made.map_err(|failure| match failure {
            Failure::Rule(error) => error,
            Failure::Data(reason) => BuilderError::NoCalls { reason }.into(),
        })
    }

    /// Returns the value that an operand is a broadcast of, and the dimension of the broadcast to
    /// which each of its dimensions belongs; for other operands, themselves.
    fn source(&self, node: NodeId) -> (NodeId, Vec<usize>) {
        let (mut source, mut dimensions) = (node, (0..self.old[node].shape.rank()).collect());
        loop {
            let Instruction { operation, operands, shape, .. } = &self.old[source];
            let (Operation::BroadcastInDim { .. } | Operation::Broadcast, &[operand]) =
                (operation, operands.as_slice())
            else {
                return (source, dimensions);
            };
            let view = operation.view(0, &self.old[operand].shape, shape);
            let Some(View::Strided(indices)) = view else { return (source, dimensions) };
            let through: Vec<usize> =
                indices.iter().map(|index| dimensions[index.dimension]).collect();
            (source, dimensions) = (operand, through);
        }
    }

    /// Returns the dimension of a result to which each dimension of an operand belongs.
    fn dimensions(&self, instruction: &Instruction, number: usize) -> Vec<usize> {
        let operand = &self.old[instruction.operands[number]].shape;
        match instruction.operation.view(number, operand, &instruction.shape) {
            Some(View::Strided(indices)) => indices.iter().map(|index| index.dimension).collect(),
            _ => Vec::new(),
        }
    }

    /// Returns the sizes to which an operation broadcasts its operands. In each dimension it is that
    /// of the operands which had the old size themselves, or else the old one.
    fn common_sizes(&mut self, instruction: &Instruction) -> Result<Vec<usize>> {
        let old_sizes = instruction.shape.dims();
        let mut sizes: Vec<Option<usize>> = vec![None; old_sizes.len()];
        for (number, &operand) in instruction.operands.iter().enumerate() {
            let of_operand = self.dimensions(instruction, number);
            let (source, dimensions) = self.source(operand);
            let op = self.op(source)?;
            let old = self.old[source].shape.dims();
            let new = self.new.shape(op)?.dims();
            for ((&d, &old), &new) in dimensions.iter().zip(old).zip(new) {
                let d = of_operand[d];
                if old == old_sizes[d] {
                    // A size of 1 stretches.
                    sizes[d] = Some(sizes[d].filter(|&known| known != 1).unwrap_or(new));
                }
            }
        }
        Ok(sizes.iter().zip(old_sizes).map(|(size, &old)| size.unwrap_or(old)).collect())
    }

    /// Returns an operand for the new shapes. What was broadcast to the sizes of its operation is
    /// broadcast to these.
    fn broadcast(
        &mut self,
        instruction: &Instruction,
        number: usize,
        sizes: &[usize],
    ) -> Result<Op> {
        let operand = instruction.operands[number];
        let (source, dimensions) = self.source(operand);
        let is_alone = instruction.operands.len() == 1;
        if source == operand || is_alone {
            return self.op(operand);
        }
        let of_operand = self.dimensions(instruction, number);
        let old = self.old[operand].shape.dims().iter().zip(of_operand);
        let new =
            old.map(|(&old, d)| if old == instruction.shape.dims()[d] { sizes[d] } else { old });
        let op = self.op(source)?;
        let dimensions: Vec<i64> = dimensions.iter().map(|&d| d as i64).collect();
        build::broadcast_to(&mut self.new, &op, &new.collect::<Vec<_>>().into(), &dimensions)
    }
}

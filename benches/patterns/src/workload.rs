//! Patterns on a device: their operands, and how they are computed.

use std::sync::{Mutex, MutexGuard, PoisonError};

use indim::half::{bf16, f16};
use indim::num_complex::Complex32;
use indim::{AnyArray, Array, Context, Element, ElementType, Expr, S4, U4};

use crate::patterns::{BATCH, Pattern, SHAPES, Sizes, count, new_shape, row};
use crate::programs;
use crate::random::random;
use crate::reductions;

/// A pattern on a device, ready for repeated evaluation.
pub(crate) struct Workload {
    pub(crate) operands: Vec<AnyArray>,
    /// Records it, without waiting. Gives its result, or the last one of several.
    run: Box<dyn Fn() -> indim::Result<AnyArray>>,
}

enum Work<T> {
    Expression(Expr<T>),
    /// Additions of the second operand, each as its own operation.
    Eager,
    /// One after the other.
    Each(Vec<Expr<T>>),
}

impl Workload {
    /// Uploads the operands of a pattern, in an element type that it supports, for a result of
    /// about `elements` elements.
    pub(crate) fn new(
        gpu: &Context,
        pattern: Pattern,
        elements: usize,
        of: ElementType,
    ) -> indim::Result<Self> {
        match of {
            ElementType::Pred => Self::sums::<bool>(gpu, pattern, elements),
            ElementType::S4 => Self::sums::<S4>(gpu, pattern, elements),
            ElementType::S8 => Self::sums::<i8>(gpu, pattern, elements),
            ElementType::S16 => Self::sums::<i16>(gpu, pattern, elements),
            ElementType::S32 => Self::sums::<i32>(gpu, pattern, elements),
            ElementType::S64 => Self::sums::<i64>(gpu, pattern, elements),
            ElementType::U4 => Self::sums::<U4>(gpu, pattern, elements),
            ElementType::U8 => Self::sums::<u8>(gpu, pattern, elements),
            ElementType::U16 => Self::sums::<u16>(gpu, pattern, elements),
            ElementType::U32 => Self::sums::<u32>(gpu, pattern, elements),
            ElementType::U64 => Self::sums::<u64>(gpu, pattern, elements),
            ElementType::F16 => Self::sums::<f16>(gpu, pattern, elements),
            ElementType::Bf16 => Self::sums::<bf16>(gpu, pattern, elements),
            ElementType::F64 => Self::sums::<f64>(gpu, pattern, elements),
            ElementType::C64 => Self::sums::<Complex32>(gpu, pattern, elements),
            _ if pattern.takes(ElementType::S32) => Self::sums::<f32>(gpu, pattern, elements),
            _ if pattern.reduces() => {
                let arrays: Vec<Array<f32>> = operands(gpu, &pattern.sizes(elements))?;
                let operands = arrays.iter().map(|array| array.as_any().clone()).collect();
                let run = move || reductions::run(pattern, &arrays);
                Ok(Self { operands, run: Box::new(run) })
            }
            _ if pattern.is_program() => {
                let sizes = pattern.sizes(elements);
                let (operands, expr) = programs::expression(gpu, pattern, &sizes)?;
                let run = move || Ok(expr.eval()?.as_any().clone());
                Ok(Self { operands, run: Box::new(run) })
            }
            _ => {
                let operands = operands(gpu, &pattern.sizes(elements))?;
                match pattern {
                    Pattern::Adam => Self::adam(operands, false),
                    Pattern::AdamApart => Self::adam(operands, true),
                    Pattern::Stencil => Self::stencil(gpu, operands),
                    Pattern::IntoSlice => Self::into_slice(gpu, operands, pattern.sizes(elements)),
                    _ => {
                        let work = Work::Expression(functions(pattern, &operands));
                        Ok(Self::of(operands, work))
                    }
                }
            }
        }
    }

    /// Returns the workload that serves as a pattern's floor in place of a handwritten kernel: for
    /// `new_shapes`, as many evaluations of the middle shape; for `adam_apart`, the same step as
    /// one evaluation.
    pub(crate) fn floor(
        gpu: &Context,
        pattern: Pattern,
        elements: usize,
    ) -> indim::Result<Option<Self>> {
        match pattern {
            Pattern::NewShapes => {
                let shapes = std::iter::repeat_n(new_shape(SHAPES / 2), SHAPES);
                Self::rows::<f32>(gpu, shapes).map(Some)
            }
            Pattern::AdamApart => {
                Self::new(gpu, Pattern::Adam, elements, ElementType::F32).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn sums<T: Element>(gpu: &Context, pattern: Pattern, elements: usize) -> indim::Result<Self> {
        if pattern == Pattern::NewShapes {
            return Self::rows::<T>(gpu, (0..SHAPES).map(new_shape));
        }
        let operands = operands(gpu, &pattern.sizes(elements))?;
        let work = match pattern {
            Pattern::Batch100 => Work::Eager,
            _ => Work::Expression(sum::<T>(pattern, &operands)),
        };
        Ok(Self::of(operands, work))
    }

    /// Makes a workload that adds a row to a matrix of each of these shapes.
    fn rows<T: Element>(
        gpu: &Context,
        shapes: impl Iterator<Item = [usize; 2]>,
    ) -> indim::Result<Self> {
        let mut arrays: Vec<Array<T>> = Vec::new();
        let mut exprs = Vec::new();
        for [rows, columns] in shapes {
            // Each pair has its own arrays, even for equal shapes, so that they do not stay in the
            // caches.
            let pair = operands(gpu, &row(rows, columns))?;
            exprs.push(sum(Pattern::NewShapes, &pair));
            arrays.extend(pair);
        }
        Ok(Self::of(arrays, Work::Each(exprs)))
    }

    /// Apart, the new moments are evaluated first, so that the parameters' expression reads them.
    fn adam(mut arrays: Vec<Array<f32>>, apart: bool) -> indim::Result<Self> {
        // The second moment is never negative.
        arrays[2] = (&arrays[2] * &arrays[2]).eval()?;
        let operands = arrays.iter().map(|array| array.as_any().clone()).collect();
        let run = move || {
            let [p, m, v, g] = [0, 1, 2, 3].map(|number| arrays[number].expr());
            let mut m = m * 0.9 + &g * 0.1;
            let mut v = v * 0.999 + &g * &g * 0.001;
            if apart {
                m = m.eval()?.expr();
                v = v.eval()?.expr();
            }
            let p = p - &m * 0.01 / (v.sqrt() + 1e-8);
            let p = if apart { p.eval()? } else { indim::eval((&p, &m, &v))?.0 };
            Ok(p.as_any().clone())
        };
        Ok(Self { operands, run: Box::new(run) })
    }

    /// The target has the operand's elements at first, and is written in place: its buffer is known
    /// outside.
    fn stencil(gpu: &Context, arrays: Vec<Array<f32>>) -> indim::Result<Self> {
        let inner = signed(&arrays[0]).iter().map(|size| size - 2).collect::<Vec<i64>>();
        let mut bordered = zeros(gpu, arrays[0].shape().dims())?;
        let limits: Vec<i64> = inner.iter().map(|size| size + 1).collect();
        let middle = arrays[0].expr().slice(&[1, 1], &limits);
        middle.eval_into(bordered.slice_mut([1, 1], &limits)?)?;
        let target = zeros(gpu, bordered.shape().dims())?;
        target.buffer()?;
        let target = Mutex::new(target);
        bordered.expr().eval_into(&mut *lock(&target))?;
        let operands = vec![bordered.as_any().clone()];
        let run = move || {
            let mut target = lock(&target);
            let at = |row: i64, column: i64| {
                let limits = [row + inner[0], column + inner[1]];
                target.expr().slice(&[row, column], &limits)
            };
            let mean = (at(1, 0) + at(1, 2) + at(0, 1) + at(2, 1)) * 0.25;
            mean.eval_into(target.slice_mut([1, 1], &limits)?)?;
            Ok(target.as_any().clone())
        };
        Ok(Self { operands, run: Box::new(run) })
    }

    fn into_slice(gpu: &Context, arrays: Vec<Array<f32>>, sizes: Sizes) -> indim::Result<Self> {
        let limits: Vec<i64> = sizes.result.iter().map(|&size| size as i64 - 1).collect();
        let target = zeros(gpu, &sizes.result)?;
        target.buffer()?;
        let target = Mutex::new(target);
        let operands = arrays.iter().map(|array| array.as_any().clone()).collect();
        let run = move || {
            let mut target = lock(&target);
            arrays[0].expr().eval_into(target.slice_mut([1, 1], &limits)?)?;
            Ok(target.as_any().clone())
        };
        Ok(Self { operands, run: Box::new(run) })
    }

    fn of<T: Element>(arrays: Vec<Array<T>>, work: Work<T>) -> Self {
        let operands = arrays.iter().map(|array| array.as_any().clone()).collect();
        let run = move || work.run(&arrays).map(|result| result.as_any().clone());
        Self { operands, run: Box::new(run) }
    }

    /// Records it, without waiting. Gives its result, or the last one of several.
    pub(crate) fn run(&self) -> indim::Result<AnyArray> {
        (self.run)()
    }
}

impl<T: Element> Work<T> {
    fn run(&self, operands: &[Array<T>]) -> indim::Result<Array<T>> {
        match self {
            Self::Expression(expr) => expr.eval(),
            Self::Eager => {
                let [x, y] = [&operands[0], &operands[1]];
                let mut sum = indim::add(x, y, &[])?;
                for _ in 1..BATCH {
                    sum = indim::add(&sum, y, &[])?;
                }
                Ok(sum)
            }
            Self::Each(exprs) => {
                let mut result = operands[0].clone();
                for expr in exprs {
                    result = expr.eval()?;
                }
                Ok(result)
            }
        }
    }
}

/// Computes a pattern's result from its operands, in any type.
fn sum<T: Element>(pattern: Pattern, operands: &[Array<T>]) -> Expr<T> {
    let a = &operands[0];
    let b = operands.get(1).unwrap_or(a);
    match pattern {
        Pattern::Row | Pattern::Odd | Pattern::Inner3 | Pattern::NewShapes => a + b.in_dim([1]),
        Pattern::Column | Pattern::OddColumn => a + b.in_dim([0]),
        Pattern::Transposed => a + b.transpose(&[1, 0]),
        Pattern::Strided => a.slice(&[0, 0], &signed(a)).step_by(&[1, 2]),
        Pattern::Batch100Expr => (1..BATCH).fold(a + b, |sum, _| sum + b),
        _ => a + b,
    }
}

/// Computes the result of the patterns that are measured in F32 only.
fn functions(pattern: Pattern, operands: &[Array<f32>]) -> Expr<f32> {
    let a = &operands[0];
    let b = operands.get(1).unwrap_or(a);
    let c = operands.get(2).unwrap_or(a);
    match pattern {
        Pattern::Scalar => a + 1.5,
        Pattern::Chain => (a * b + c).tanh(),
        Pattern::ChainBroadcast => (a * b.in_dim([0]) + c.in_dim([1])).tanh(),
        Pattern::Tanh => a.tanh(),
        Pattern::Select => {
            let sizes = signed(a);
            a.gt(c.in_dim([1])).select(a * 2.0, b.broadcast_in_dim(&sizes, &[0]))
        }
        Pattern::OuterChain => a.sin() * b.cos(),
        _ => sum(pattern, operands),
    }
}

fn zeros(gpu: &Context, sizes: &[usize]) -> indim::Result<Array<f32>> {
    gpu.array(sizes, &vec![0.0; count(sizes)])
}

/// A workload that panicked never runs again.
fn lock<T>(target: &Mutex<T>) -> MutexGuard<'_, T> {
    target.lock().unwrap_or_else(PoisonError::into_inner)
}

fn signed<T: Element>(array: &Array<T>) -> Vec<i64> {
    array.shape().dims().iter().map(|&size| size as i64).collect()
}

fn operands<T: Element>(gpu: &Context, sizes: &Sizes) -> indim::Result<Vec<Array<T>>> {
    (1..).zip(&sizes.operands).map(|(seed, sizes)| random(gpu, sizes, seed)).collect()
}

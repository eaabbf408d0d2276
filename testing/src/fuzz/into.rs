//! Checks expressions that are evaluated into arrays: into whole ones, and into slices of them with
//! steps and reversed.

use indim::{AnyArray, Array, ArrayError, Element, Error, Result, ViewMut};

use crate::fuzz::expression::{self, Known, of_type};
use crate::programs::interpreter::{self, Tensor};
use crate::programs::program::{Call, Node, Type};
use crate::random::Random;

/// The part of an array along one dimension.
#[derive(Debug, Clone, Copy)]
struct Along {
    start: usize,
    limit: usize,
    step: usize,
    reversed: bool,
}

impl Along {
    /// Any part of a dimension of this size.
    fn any(random: &mut Random, size: usize) -> Self {
        if random.percent(40) {
            return Self { start: 0, limit: size, step: 1, reversed: random.percent(15) };
        }
        let start = random.below(size + 1);
        let limit = start + random.below(size - start + 1);
        Self { start, limit, step: 1 + random.below(3), reversed: random.percent(30) }
    }

    /// A part with the given number of indices, at most the size.
    fn of_count(random: &mut Random, count: usize, size: usize) -> Self {
        let most = if count > 1 { (size - 1) / (count - 1) } else { 3 };
        let step = 1 + random.below(most.clamp(1, 3));
        let length = if count > 0 { (count - 1) * step + 1 } else { 0 };
        let start = random.below(size - length + 1);
        Self { start, limit: start + length, step, reversed: random.percent(30) }
    }

    fn count(self) -> usize {
        (self.limit - self.start).div_ceil(self.step)
    }

    fn indices(self) -> Vec<usize> {
        let mut all: Vec<usize> = (self.start..self.limit).step_by(self.step).collect();
        if self.reversed {
            all.reverse();
        }
        all
    }
}

/// A slice of an array, with steps and reversed.
#[derive(Debug)]
struct Part(Vec<Along>);

impl Part {
    /// A part of this shape if there is one, most often; else any part.
    fn random(random: &mut Random, array: &[usize], wanted: &[usize]) -> Self {
        let fits = array.len() == wanted.len() && array.iter().zip(wanted).all(|(a, w)| w <= a);
        if fits && random.percent(70) {
            let both = array.iter().zip(wanted);
            return Self(both.map(|(&size, &n)| Along::of_count(random, n, size)).collect());
        }
        if random.percent(30) {
            let whole = |&limit: &usize| Along { start: 0, limit, step: 1, reversed: false };
            return Self(array.iter().map(whole).collect());
        }
        Self(array.iter().map(|&size| Along::any(random, size)).collect())
    }

    fn dims(&self) -> Vec<usize> {
        self.0.iter().map(|along| along.count()).collect()
    }

    /// The number in an array of these sizes of each element.
    fn numbers(&self, dims: &[usize]) -> Vec<usize> {
        // An array without elements may have sizes too large to iterate over.
        if self.dims().contains(&0) {
            return Vec::new();
        }
        let mut numbers = vec![0];
        for (along, &size) in self.0.iter().zip(dims) {
            let indices = along.indices();
            let next = |&outer: &usize| indices.iter().map(move |&index| outer * size + index);
            numbers = numbers.iter().flat_map(next).collect();
        }
        numbers
    }

    fn list(&self, f: fn(&Along) -> usize) -> Vec<i64> {
        self.0.iter().map(|along| f(along) as i64).collect()
    }

    fn reversed(&self) -> Vec<i64> {
        self.0.iter().zip(0..).filter(|(along, _)| along.reversed).map(|(_, d)| d).collect()
    }

    fn of<'a, T: Element>(&self, array: &'a mut Array<T>) -> Result<ViewMut<'a, T>> {
        let slice = array.slice_mut(self.list(|a| a.start), self.list(|a| a.limit))?;
        slice.step_by(self.list(|a| a.step))?.reverse(self.reversed())
    }
}

/// The first leaf, after an expression of the leaves, all of one element type, was evaluated into
/// it or a part of it.
pub(super) fn written(
    random: &mut Random,
    leaves: Vec<(AnyArray, Tensor)>,
    trace: &mut Vec<String>,
) -> std::result::Result<(AnyArray, Tensor), String> {
    of_type!(written_of, leaves[0].1.ty.element)(random, leaves, trace)
}

fn written_of<T: Element>(
    random: &mut Random,
    leaves: Vec<(AnyArray, Tensor)>,
    trace: &mut Vec<String>,
) -> std::result::Result<(AnyArray, Tensor), String> {
    let target = leaves[0].0.clone().downcast::<T>();
    let mut target = target.map_err(|e| format!("downcast: {e}"))?;
    let tensor = write(random, &mut target, expression::known::<T>(leaves)?, trace)?;
    Ok((target.as_any().clone(), tensor))
}

/// Evaluates an expression of these leaves, of which the first is the target, into a part of the
/// target. Returns the target's elements after that.
fn write<T: Element>(
    random: &mut Random,
    target: &mut Array<T>,
    mut known: Vec<Known<T>>,
    trace: &mut Vec<String>,
) -> std::result::Result<Tensor, String> {
    let Ok(mut tensor) = known[0].value.clone() else { return Err("the target is known".into()) };
    let last = expression::grown(random, &mut known, trace)?;
    let wanted = match &last.value {
        Ok(tensor) => tensor.ty.dims.clone(),
        Err(_) => tensor.ty.dims.clone(),
    };
    let part = Part::random(random, &tensor.ty.dims, &wanted);
    let mut source = if random.percent(90) { fitted(last, &part.dims()) } else { last };
    if random.percent(40) {
        let own = own(&known[0], &tensor, &part);
        source = sum(source, own);
    }
    drop(known);
    trace.push(format!("evaluate {:?} into {part:?} of {target:?}", source.expr));
    let Known { expr, value } = source;
    let view = part.of(target).map_err(|e| format!("a part: {e}"))?;
    match (value, expr.eval_into(view)) {
        (Ok(value), Ok(())) if value.ty.dims == part.dims() => {
            let numbers = part.numbers(&tensor.ty.dims);
            for (number, value) in numbers.into_iter().zip(value.values) {
                tensor.values[number] = value;
            }
        }
        (Ok(value), Err(Error::Array(ArrayError::TargetShape { .. })))
            if value.ty.dims != part.dims() => {}
        (Err(broken), Err(error))
            if error.rule().is_some_and(|rule| broken.contains(&rule.label())) => {}
        (Ok(value), other) => {
            return Err(format!("it is {}, and eval_into gives {other:?}", value.ty));
        }
        (Err(broken), other) => {
            return Err(format!("it breaks {broken:?}, and eval_into gives {other:?}"));
        }
    }
    Ok(tensor)
}

/// The expression in this shape: itself, or its first element all over. One that has no element
/// stays as it is.
fn fitted<T: Element>(known: Known<T>, dims: &[usize]) -> Known<T> {
    let Ok(tensor) = &known.value else { return known };
    let Some(&first) = tensor.values.first() else { return known };
    if tensor.ty.dims == dims {
        return known;
    }
    let rank = tensor.ty.dims.len();
    let element = known.expr.slice(vec![0; rank], vec![1; rank]).reshape([]);
    let sizes: Vec<i64> = dims.iter().map(|&size| size as i64).collect();
    let ty = Type::new(tensor.ty.element, dims);
    let values = vec![first; ty.count()];
    Known { expr: element.broadcast_in_dim(&sizes, []), value: Ok(Tensor { ty, values }) }
}

/// The elements of a part of the target.
fn own<T: Element>(target: &Known<T>, tensor: &Tensor, part: &Part) -> Known<T> {
    let (start, limit) = (part.list(|a| a.start), part.list(|a| a.limit));
    let slice = target.expr.slice(&start, &limit).step_by(part.list(|a| a.step));
    let numbers = part.numbers(&tensor.ty.dims);
    let values = numbers.into_iter().map(|number| tensor.values[number]).collect();
    let ty = Type::new(tensor.ty.element, &part.dims());
    Known { expr: slice.reverse(part.reversed()), value: Ok(Tensor { ty, values }) }
}

/// The sum of two expressions of one shape; of others, the first one.
fn sum<T: Element>(first: Known<T>, second: Known<T>) -> Known<T> {
    let (Ok(x), Ok(y)) = (&first.value, &second.value) else { return first };
    if x.ty.dims != y.ty.dims {
        return first;
    }
    let call = Call::Binary { opcode: indim::Opcode::Add, lhs: 0, rhs: 1, dims: Vec::new() };
    let node = Node { call, ty: x.ty.clone() };
    let tensor = interpreter::apply(&node, &[x.clone(), y.clone()]);
    Known { expr: &first.expr + &second.expr, value: Ok(tensor) }
}

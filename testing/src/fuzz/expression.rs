//! Checks lazy expressions of one element type, by the methods and operators that all types have.
//! The first call that the rules refuse decides the error of `eval`.

use indim::{AnyArray, Array, Context, Element, Expr, Opcode};

use crate::programs::interpreter::{self, Tensor};
use crate::programs::invalid;
use crate::programs::program::{Call, Node, Type};
use crate::programs::rules::{self, Broken};
use crate::random::Random;

/// An array and what it holds.
pub struct Held {
    pub array: AnyArray,
    pub tensor: Tensor,
    /// True if its buffer may be known outside, so that it is written in place even if others hold
    /// it.
    pub outside: bool,
}

/// Calls of one expression.
const MOST_CALLS: usize = 5;
/// Expressions that are evaluated at once.
const MOST_RESULTS: usize = 4;
/// Nothing larger is evaluated.
const MOST_ELEMENTS: usize = 2_000;

/// The instance of a function for the Rust type of an element type.
macro_rules! of_type {
    ($function:ident, $element:expr) => {
        match $element {
            indim::ElementType::Pred => $function::<bool>,
            indim::ElementType::S4 => $function::<indim::S4>,
            indim::ElementType::S8 => $function::<i8>,
            indim::ElementType::S16 => $function::<i16>,
            indim::ElementType::S32 => $function::<i32>,
            indim::ElementType::S64 => $function::<i64>,
            indim::ElementType::U4 => $function::<indim::U4>,
            indim::ElementType::U8 => $function::<u8>,
            indim::ElementType::U16 => $function::<u16>,
            indim::ElementType::U32 => $function::<u32>,
            indim::ElementType::U64 => $function::<u64>,
            indim::ElementType::F16 => $function::<indim::half::f16>,
            indim::ElementType::Bf16 => $function::<indim::half::bf16>,
            indim::ElementType::F32 => $function::<f32>,
            indim::ElementType::F64 => $function::<f64>,
            indim::ElementType::C64 => $function::<indim::num_complex::Complex32>,
            other => return Err(format!("{other} has no Rust type here")),
        }
    };
}
pub(super) use of_type;

/// Arrays that expressions of these leaves, all of one element type, gave.
pub fn evaluated(
    context: &Context,
    random: &mut Random,
    leaves: Vec<(AnyArray, Tensor)>,
    trace: &mut Vec<String>,
) -> Result<Vec<Held>, String> {
    of_type!(evaluated_of, leaves[0].1.ty.element)(context, random, leaves, trace)
}

/// An expression, and what it has to give: values, or one of these refusals.
pub(super) struct Known<T> {
    pub(super) expr: Expr<T>,
    pub(super) value: Result<Tensor, Broken>,
}

/// The expressions that are these leaves.
pub(super) fn known<T: Element>(leaves: Vec<(AnyArray, Tensor)>) -> Result<Vec<Known<T>>, String> {
    let leaf = |(array, tensor): (AnyArray, Tensor)| {
        let array: Array<T> = array.downcast().map_err(|e| format!("downcast: {e}"))?;
        Ok(Known { expr: array.expr(), value: Ok(tensor) })
    };
    leaves.into_iter().map(leaf).collect()
}

/// Adds expressions of those that are there, and takes the last one out.
pub(super) fn grown<T: Element>(
    random: &mut Random,
    known: &mut Vec<Known<T>>,
    trace: &mut Vec<String>,
) -> Result<Known<T>, String> {
    for _ in 0..1 + random.below(MOST_CALLS) {
        let next = step(random, known, trace)?;
        known.extend(next);
    }
    let Known { expr, value } = known.last().ok_or("there is a leaf")?;
    Ok(Known { expr: expr.clone(), value: value.clone() })
}

fn evaluated_of<T: Element>(
    context: &Context,
    random: &mut Random,
    leaves: Vec<(AnyArray, Tensor)>,
    trace: &mut Vec<String>,
) -> Result<Vec<Held>, String> {
    let mut known = known::<T>(leaves)?;
    let last = grown(random, &mut known, trace)?;
    if random.percent(30) {
        return several(context, random, known, trace);
    }
    // The last expression keeps what it needs of the dropped ones.
    drop(known);
    let mut found = Vec::new();
    for _ in 0..1 + random.below(3) {
        let by_context = random.percent(30);
        trace.push(format!("evaluate {:?}", last.expr));
        let array = if by_context { context.eval(&last.expr) } else { last.expr.eval() };
        match (&last.value, array) {
            (Ok(tensor), Ok(array)) => {
                let (array, tensor) = (array.as_any().clone(), tensor.clone());
                found.push(Held { array, tensor, outside: false });
            }
            (Err(broken), Err(error))
                if error.rule().is_some_and(|rule| broken.contains(&rule.label())) => {}
            (Err(broken), other) => {
                return Err(format!("it breaks {broken:?}, and eval gives {other:?}"));
            }
            (Ok(tensor), Err(error)) => {
                return Err(format!("it is {}, and eval says: {error}", tensor.ty));
            }
        }
    }
    Ok(found)
}

/// Evaluates some of these expressions at once.
fn several<T: Element>(
    context: &Context,
    random: &mut Random,
    mut known: Vec<Known<T>>,
    trace: &mut Vec<String>,
) -> Result<Vec<Held>, String> {
    let chosen = 1 + random.below(MOST_RESULTS.min(known.len()));
    let chosen: Vec<Known<T>> = known.drain(known.len() - chosen..).collect();
    drop(known);
    let exprs: Vec<Expr<T>> = chosen.iter().map(|known| known.expr.clone()).collect();
    trace.push(format!("evaluate at once {exprs:?}"));
    let arrays = match random.below(3) {
        0 => indim::eval(&exprs),
        1 => context.eval(exprs.as_slice()),
        _ => indim::eval((&exprs[0], &exprs[1..])).map(|(first, mut rest)| {
            rest.insert(0, first);
            rest
        }),
    };
    let broken = chosen.iter().find_map(|known| known.value.as_ref().err());
    match (broken, arrays) {
        (None, Ok(arrays)) if arrays.len() == chosen.len() => {
            let tensors = chosen.iter().filter_map(|known| known.value.clone().ok());
            let held = |(array, tensor): (Array<T>, Tensor)| Held {
                array: array.as_any().clone(),
                tensor,
                outside: false,
            };
            Ok(arrays.into_iter().zip(tensors).map(held).collect())
        }
        (Some(broken), Err(error))
            if error.rule().is_some_and(|rule| broken.contains(&rule.label())) =>
        {
            Ok(Vec::new())
        }
        (broken, other) => Err(format!("it breaks {broken:?}, and eval gives {other:?}")),
    }
}

/// One call on expressions that are there; none if it gives too much to be computed.
fn step<T: Element>(
    random: &mut Random,
    known: &[Known<T>],
    trace: &mut Vec<String>,
) -> Result<Option<Known<T>>, String> {
    // A refused expression has no shape to make calls for; a scalar's will do.
    let element = T::ELEMENT_TYPE;
    let type_of = |known: &Known<T>| match &known.value {
        Ok(tensor) => tensor.ty.clone(),
        Err(_) => Type::new(element, &[]),
    };
    let types: Vec<Type> = known.iter().map(type_of).collect();
    let Some(call) = representable(random, &types) else { return Ok(None) };
    trace.push(format!("expression of {element}: {call}"));
    let Some((expr, in_dim)) = built(random, known, &types, &call) else { return Ok(None) };
    let broken: Broken = call
        .operands()
        .iter()
        .filter_map(|&id| known[id].value.as_ref().err())
        .flatten()
        .copied()
        .collect();
    if !broken.is_empty() {
        return Ok(Some(Known { expr, value: Err(broken) }));
    }
    let ty = match rules::infer(&call, &|id| types[id].clone()) {
        _ if in_dim == InDim::OnHigherRank => {
            return Ok(Some(Known { expr, value: Err(vec!["B9"]) }));
        }
        Err(broken) => return Ok(Some(Known { expr, value: Err(broken) })),
        Ok(ty) if ty.count() > MOST_ELEMENTS || ty.dims.len() > 8 => return Ok(None),
        Ok(ty) => ty,
    };
    let tensors: Vec<Tensor> = known
        .iter()
        .zip(types)
        .map(|(known, ty)| known.value.clone().unwrap_or(Tensor { ty, values: Vec::new() }))
        .collect();
    let tensor = interpreter::apply(&Node { call, ty }, &tensors);
    Ok(Some(Known { expr, value: Ok(tensor) }))
}

/// A call that expressions of any one type have.
fn representable(random: &mut Random, types: &[Type]) -> Option<Call> {
    const TRIES: usize = 8;
    for _ in 0..TRIES {
        match invalid::call(random, types) {
            Call::Binary { lhs, rhs, dims, .. } => {
                let opcode = random.pick(&[Opcode::Add, Opcode::Mul]);
                return Some(Call::Binary { opcode, lhs, rhs, dims });
            }
            Call::Unary { x, .. } => return Some(Call::Unary { opcode: Opcode::Square, x }),
            call @ (Call::Transpose { .. }
            | Call::Slice { .. }
            | Call::Reverse { .. }
            | Call::Reshape { .. }
            | Call::Pad { .. }
            | Call::Concatenate { .. }
            | Call::Roll { .. }
            | Call::Broadcast { .. }
            | Call::BroadcastInDim { .. }) => return Some(call),
            _ => {}
        }
    }
    None
}

/// Which operand of a binary operation has the dimensions, if any.
#[derive(PartialEq)]
enum InDim {
    Fine,
    /// Rule B9.
    OnHigherRank,
}

fn built<T: Element>(
    random: &mut Random,
    known: &[Known<T>],
    types: &[Type],
    call: &Call,
) -> Option<(Expr<T>, InDim)> {
    let of = |id: &usize| &known[*id].expr;
    let expr = match call {
        Call::Binary { opcode, lhs, rhs, dims } => {
            return Some(binary(random, known, types, (*opcode, *lhs, *rhs), dims));
        }
        Call::Unary { x, .. } => of(x).square(),
        Call::Transpose { x, permutation } => of(x).transpose(permutation),
        Call::Slice { x, starts, limits, strides } => of(x).slice(starts, limits).step_by(strides),
        Call::Reverse { x, dims } => of(x).reverse(dims),
        Call::Reshape { x, sizes } => of(x).reshape(sizes),
        Call::Pad { x, value, low, high, interior } => of(x).pad(of(value), low, high, interior),
        Call::Concatenate { operands, dimension } => {
            Expr::concatenate(operands.iter().map(of), *dimension)
        }
        Call::Roll { x, shifts, dims } => of(x).roll(shifts, dims),
        Call::Broadcast { x, sizes } => of(x).broadcast(sizes),
        Call::BroadcastInDim { x, sizes, dims } => of(x).broadcast_in_dim(sizes, dims),
        _ => return None,
    };
    Some((expr, InDim::Fine))
}

/// Applies an operator, with the dimensions on either operand.
fn binary<T: Element>(
    random: &mut Random,
    known: &[Known<T>],
    types: &[Type],
    (opcode, lhs, rhs): (Opcode, usize, usize),
    dims: &[i64],
) -> (Expr<T>, InDim) {
    let (l, r) = (&known[lhs].expr, &known[rhs].expr);
    let add = opcode == Opcode::Add;
    if dims.is_empty() {
        return (if add { l + r } else { l * r }, InDim::Fine);
    }
    let (left, right) = (types[lhs].dims.len(), types[rhs].dims.len());
    if random.percent(50) {
        let l = l.in_dim(dims);
        let fine = if left > right { InDim::OnHigherRank } else { InDim::Fine };
        (if add { l + r } else { l * r }, fine)
    } else {
        let r = r.in_dim(dims);
        let fine = if right > left { InDim::OnHigherRank } else { InDim::Fine };
        (if add { l + r } else { l * r }, fine)
    }
}

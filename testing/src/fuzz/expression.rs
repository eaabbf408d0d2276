//! Checks lazy expressions of one element type, by the methods and operators that all types have.
//! The first call that the rules refuse decides the error of `eval`.

use indim::num_complex::Complex32;
use indim::{AnyArray, Array, Context, Element, ElementType, Expr, Opcode, S4, U4, half};

use crate::programs::interpreter::{self, Tensor};
use crate::programs::invalid;
use crate::programs::program::{Call, Node, Type};
use crate::programs::rules::{self, Broken};
use crate::random::Random;

/// An array and what it holds.
pub struct Held {
    pub array: AnyArray,
    pub tensor: Tensor,
}

/// Calls of one expression.
const MOST_CALLS: usize = 5;
/// Nothing larger is evaluated.
const MOST_ELEMENTS: usize = 2_000;

/// Arrays that expressions of these leaves, all of one element type, gave.
pub fn evaluated(
    context: &Context,
    random: &mut Random,
    leaves: Vec<(AnyArray, Tensor)>,
    trace: &mut Vec<String>,
) -> Result<Vec<Held>, String> {
    let typed = match leaves[0].1.ty.element {
        ElementType::Pred => of::<bool>,
        ElementType::S4 => of::<S4>,
        ElementType::S8 => of::<i8>,
        ElementType::S16 => of::<i16>,
        ElementType::S32 => of::<i32>,
        ElementType::S64 => of::<i64>,
        ElementType::U4 => of::<U4>,
        ElementType::U8 => of::<u8>,
        ElementType::U16 => of::<u16>,
        ElementType::U32 => of::<u32>,
        ElementType::U64 => of::<u64>,
        ElementType::F16 => of::<half::f16>,
        ElementType::Bf16 => of::<half::bf16>,
        ElementType::F32 => of::<f32>,
        ElementType::F64 => of::<f64>,
        ElementType::C64 => of::<Complex32>,
        other => return Err(format!("{other} has no Rust type here")),
    };
    typed(context, random, leaves, trace)
}

/// An expression, and what it has to give: values, or one of these refusals.
struct Known<T> {
    expr: Expr<T>,
    value: Result<Tensor, Broken>,
}

fn of<T: Element>(
    context: &Context,
    random: &mut Random,
    leaves: Vec<(AnyArray, Tensor)>,
    trace: &mut Vec<String>,
) -> Result<Vec<Held>, String> {
    let mut known: Vec<Known<T>> = Vec::new();
    for (array, tensor) in leaves {
        let array: Array<T> = array.downcast().map_err(|e| format!("downcast: {e}"))?;
        known.push(Known { expr: array.expr(), value: Ok(tensor) });
    }
    for _ in 0..1 + random.below(MOST_CALLS) {
        let next = step(random, &known, trace)?;
        known.extend(next);
    }
    let last = known.pop().ok_or("there is a leaf")?;
    // The last expression keeps what it needs of the ones that are dropped.
    drop(known);
    let mut found = Vec::new();
    for _ in 0..1 + random.below(3) {
        let by_context = random.percent(30);
        trace.push(format!("evaluate {:?}", last.expr));
        let array = if by_context { context.eval(&last.expr) } else { last.expr.eval() };
        match (&last.value, array) {
            (Ok(tensor), Ok(array)) => {
                found.push(Held { array: array.as_any().clone(), tensor: tensor.clone() });
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

/// Says which operand of a binary operation has the dimensions, if one can have some.
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
        Call::Slice { x, starts, limits, strides } => of(x).slice(starts, limits, strides),
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

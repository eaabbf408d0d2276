//! Checks the shape and type rules of every call, written from XLA's semantics a second time: the
//! library's inference must accept and refuse the same calls.

use indim::{ElementType, Opcode};

use crate::oracle;
use crate::oracle::value::width;
use crate::programs::moves;
use crate::programs::program::{Call, Type};
use crate::xla::accepts;
use ElementType::{C64, Pred, S32, S64};

/// Labels of the rules that are broken. More than one where XLA fixes no order among them (or
/// where a call breaks two at once): then any of them is a right answer.
pub type Broken = Vec<&'static str>;

/// The type of a call's result, or the rules that it breaks.
pub fn infer(call: &Call, type_of: &dyn Fn(usize) -> Type) -> Result<Type, Broken> {
    match call {
        Call::Parameter { ty, .. } => sized(ty.clone()),
        Call::Constant { element, .. } => Ok(Type::new(*element, &[])),
        Call::Iota { element, sizes, dimension } => iota(*element, sizes, *dimension),
        Call::Binary { opcode, lhs, rhs, dims } => {
            binary(*opcode, &type_of(*lhs), &type_of(*rhs), dims)
        }
        Call::Unary { opcode, x } => {
            let x = type_of(*x);
            if !accepts(*opcode, x.element) {
                return Err(vec!["T1"]);
            }
            Ok(Type { element: oracle::unary_type(*opcode, x.element), dims: x.dims })
        }
        Call::Convert { x, to } => Ok(Type { element: *to, dims: type_of(*x).dims }),
        Call::Bitcast { x, to } => bitcast(type_of(*x), *to),
        Call::Select { pred, on_true, on_false } => {
            let (pred, on_true, on_false) = (type_of(*pred), type_of(*on_true), type_of(*on_false));
            let mut broken = Broken::new();
            if pred.element != Pred {
                broken.push("T3");
            }
            if on_true.element != on_false.element {
                broken.push("T2");
            }
            let element = on_true.element;
            one_shape(element, &[pred.dims, on_true.dims, on_false.dims], broken)
        }
        Call::Clamp { min, x, max } => {
            let (min, x, max) = (type_of(*min), type_of(*x), type_of(*max));
            let mut broken = Broken::new();
            if [&min, &x, &max].iter().any(|t| !accepts(Opcode::Clamp, t.element)) {
                broken.push("T1");
            }
            if min.element != x.element || x.element != max.element {
                broken.push("T2");
            }
            one_shape(x.element, &[min.dims, x.dims, max.dims], broken)
        }
        Call::NextAfter { from, to } => {
            let (from, to) = (type_of(*from), type_of(*to));
            let mut broken = Broken::new();
            if [&from, &to].iter().any(|t| !accepts(Opcode::NextAfter, t.element)) {
                broken.push("T1");
            }
            if from.element != to.element {
                broken.push("T2");
            }
            one_shape(from.element, &[from.dims, to.dims], broken)
        }
        Call::ReducePrecision { x, exponent_bits, mantissa_bits } => {
            let x = type_of(*x);
            let mut broken = Broken::new();
            if !accepts(Opcode::ReducePrecision, x.element) {
                broken.push("T1");
            }
            if *exponent_bits < 1 || *mantissa_bits < 0 {
                broken.push("T5");
            }
            if broken.is_empty() { Ok(x) } else { Err(broken) }
        }
        Call::Broadcast { x, sizes } => {
            let x = type_of(*x);
            let mut dims = unsigned(sizes)?;
            dims.extend(&x.dims);
            sized(Type { element: x.element, dims })
        }
        Call::BroadcastInDim { x, sizes, dims } => in_dim(&type_of(*x), sizes, dims),
        Call::Transpose { x, permutation } => {
            let Type { element, dims } = type_of(*x);
            let mut sorted = permutation.clone();
            sorted.sort_unstable();
            if sorted != (0..dims.len() as i64).collect::<Vec<_>>() {
                return Err(vec!["V1"]);
            }
            Ok(Type { element, dims: permutation.iter().map(|&d| dims[d as usize]).collect() })
        }
        Call::Slice { x, starts, limits, strides } => slice(&type_of(*x), starts, limits, strides),
        Call::Reverse { x, dims } => {
            let x = type_of(*x);
            let mut unique = dims.clone();
            unique.sort_unstable();
            unique.dedup();
            let inside = |&d: &i64| (0..x.dims.len() as i64).contains(&d);
            let right = unique.len() == dims.len() && dims.iter().all(inside);
            if right { Ok(x) } else { Err(vec!["V5"]) }
        }
        Call::Reshape { x, sizes } => {
            let x = type_of(*x);
            let ty = sized(Type { element: x.element, dims: unsigned(sizes)? })?;
            if ty.count() == x.count() { Ok(ty) } else { Err(vec!["V6"]) }
        }
        Call::Pad { x, value, low, high, interior } => {
            let padded = moves::pad(&type_of(*x), &type_of(*value), low, high, interior);
            let [ty, in_groups] = padded.map_err(|label| vec![label])?;
            sized(in_groups)?;
            sized(ty)
        }
        Call::Concatenate { operands, dimension } => {
            let types: Vec<Type> = operands.iter().map(|&id| type_of(id)).collect();
            sized(moves::concatenate(&types, *dimension).map_err(|label| vec![label])?)
        }
        Call::Roll { x, shifts, dims } => {
            moves::roll(type_of(*x), shifts, dims).map_err(|label| vec![label])
        }
        Call::Reduce { opcode, x, dims } => reduce(*opcode, type_of(*x), dims),
        Call::Position { wide, x, dims, .. } => {
            let x = type_of(*x);
            let result = reduce(call.opcode(), x.clone(), dims)?;
            let sizes = dims.iter().map(|&d| x.dims[d as usize]);
            let most = if *wide { i64::MAX as usize } else { i32::MAX as usize };
            match sizes.clone().fold(1, usize::saturating_mul) {
                count if sizes.clone().any(|size| size == 0) || count > most => Err(vec!["R3"]),
                _ => Ok(Type { element: if *wide { S64 } else { S32 }, dims: result.dims }),
            }
        }
    }
}

/// The dimensions that are left.
fn reduce(opcode: Opcode, x: Type, dims: &[i64]) -> Result<Type, Broken> {
    if !accepts(opcode, x.element) {
        return Err(vec!["T1"]);
    }
    let mut broken = Broken::new();
    if dims.iter().any(|d| !(0..x.dims.len() as i64).contains(d)) {
        broken.push("R1");
    }
    if dims.iter().enumerate().any(|(at, d)| dims[..at].contains(d)) {
        broken.push("R2");
    }
    if !broken.is_empty() {
        return Err(broken);
    }
    let kept = x.dims.iter().enumerate().filter(|(d, _)| !dims.contains(&(*d as i64)));
    sized(Type { element: x.element, dims: kept.map(|(_, &size)| size).collect() })
}

/// To a narrower type with a last dimension more, to a wider one with one less.
fn bitcast(x: Type, to: ElementType) -> Result<Type, Broken> {
    let Type { element, mut dims } = x;
    if element == to {
        return Ok(Type { element, dims });
    }
    if [element, to].iter().any(|t| [Pred, C64].contains(t)) {
        return Err(vec!["T4"]);
    }
    let (from, wanted) = (width(element), width(to));
    if from > wanted {
        dims.push((from / wanted) as usize);
    } else if from < wanted && dims.pop() != Some((wanted / from) as usize) {
        return Err(vec!["T4"]);
    }
    sized(Type { element: to, dims })
}

fn slice(x: &Type, starts: &[i64], limits: &[i64], strides: &[i64]) -> Result<Type, Broken> {
    let rank = x.dims.len();
    if [starts, limits, strides].iter().any(|list| list.len() != rank) {
        return Err(vec!["V2"]);
    }
    let mut dims = Vec::new();
    for (dim, &size) in x.dims.iter().enumerate() {
        let (start, limit, stride) = (starts[dim], limits[dim], strides[dim]);
        // A size can be past what a limit can name.
        if start < 0 || start > limit || i128::from(limit) > size as i128 {
            return Err(vec!["V3"]);
        }
        if stride < 1 {
            return Err(vec!["V4"]);
        }
        // The first one, and as many more as there are whole strides below the last index.
        let more = |last: i64| 1 + ((last - start) / stride) as usize;
        dims.push(if start < limit { more(limit - 1) } else { 0 });
    }
    Ok(Type { element: x.element, dims })
}

/// C1: an element count is a signed 64-bit number. A size of 0 anywhere makes it 0.
fn sized(ty: Type) -> Result<Type, Broken> {
    let count = ty.dims.iter().try_fold(1u64, |n, &d| n.checked_mul(d as u64));
    let fits = ty.dims.contains(&0) || count.is_some_and(|n| n <= i64::MAX as u64);
    if fits { Ok(ty) } else { Err(vec!["C1"]) }
}

fn unsigned(sizes: &[i64]) -> Result<Vec<usize>, Broken> {
    sizes.iter().map(|&s| usize::try_from(s).map_err(|_| vec!["N1"])).collect()
}

fn iota(element: ElementType, sizes: &[i64], dimension: i64) -> Result<Type, Broken> {
    let mut broken = Broken::new();
    if !accepts(Opcode::Iota, element) {
        broken.push("T1");
    }
    if dimension < 0 || dimension >= sizes.len() as i64 {
        broken.push("I1");
    }
    match unsigned(sizes).and_then(|dims| sized(Type { element, dims })) {
        Ok(ty) if broken.is_empty() => Ok(ty),
        Ok(_) => Err(broken),
        Err(size) => Err([broken, size].concat()),
    }
}

fn binary(opcode: Opcode, lhs: &Type, rhs: &Type, dims: &[i64]) -> Result<Type, Broken> {
    let refused = [lhs, rhs].iter().any(|t| !accepts(opcode, t.element));
    if lhs.element != rhs.element {
        // The operation decides which of the two rules XLA names.
        return Err(if refused { vec!["T1", "T2"] } else { vec!["T2"] });
    }
    let joined = joined(lhs, rhs, dims);
    if refused {
        // XLA's builder checks for PRED, and for non-integers in And, Or and Xor, before it checks
        // shapes; other types are refused somewhere later.
        let bitwise = matches!(opcode, Opcode::And | Opcode::Or | Opcode::Xor);
        let late = (lhs.element != Pred && !bitwise).then_some(joined.err()).flatten();
        return Err(["T1"].into_iter().chain(late).collect());
    }
    let dims = joined.map_err(|label| vec![label])?;
    sized(Type { element: oracle::binary_type(opcode, lhs.element), dims })
}

/// The sizes of a binary operation's result, or the first rule that they break.
fn joined(lhs: &Type, rhs: &Type, dims: &[i64]) -> Result<Vec<usize>, &'static str> {
    let identity: Vec<i64> = (0..lhs.dims.len() as i64).collect();
    let (high, low) = if lhs.dims.len() >= rhs.dims.len() { (lhs, rhs) } else { (rhs, lhs) };
    // The lower-rank operand with a dimension of size 1 for each one that it lacks.
    let mut placed = vec![1; high.dims.len()];
    if lhs.dims.len() == rhs.dims.len() {
        if !dims.is_empty() && dims != identity {
            return Err("B7");
        }
        placed.clone_from(&low.dims);
    } else {
        if dims.is_empty() && !low.dims.is_empty() {
            return Err("B1");
        }
        if dims.len() != low.dims.len() {
            return Err("B2");
        }
        for (i, &dim) in dims.iter().enumerate() {
            let at = usize::try_from(dim).map_err(|_| "B3")?;
            let size = *high.dims.get(at).ok_or("B4")?;
            if low.dims[i] != size && low.dims[i] != 1 && size != 1 {
                return Err("B5");
            }
            if i > 0 && dims[i - 1] >= dim {
                return Err("B6");
            }
            placed[at] = low.dims[i];
        }
    }
    let both = placed.iter().zip(&high.dims);
    both.map(|(&a, &b)| match (a, b) {
        (a, b) if a == b => Ok(a),
        (1, b) => Ok(b),
        (a, 1) => Ok(a),
        _ => Err("B8"),
    })
    .collect()
}

/// Returns whether the result is PRED whatever the operands are.
pub fn is_compare(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        Eq | Ne
            | Lt
            | Le
            | Gt
            | Ge
            | EqTotalOrder
            | NeTotalOrder
            | LtTotalOrder
            | LeTotalOrder
            | GtTotalOrder
            | GeTotalOrder
    )
}

/// Select, Clamp, NextAfter: all operands that are not scalars have one shape, which is the
/// result's.
fn one_shape(
    element: ElementType,
    dims: &[Vec<usize>],
    mut broken: Broken,
) -> Result<Type, Broken> {
    let mut shapes = dims.iter().filter(|d| !d.is_empty());
    let shape = shapes.next().cloned().unwrap_or_default();
    if shapes.any(|d| *d != shape) {
        broken.push("S1");
    }
    if broken.is_empty() { Ok(Type { element, dims: shape }) } else { Err(broken) }
}

fn in_dim(x: &Type, sizes: &[i64], dims: &[i64]) -> Result<Type, Broken> {
    let mut broken = Broken::new();
    if sizes.iter().any(|&s| s < 0) {
        broken.push("N1");
    }
    if let Some(label) = in_dim_rule(x, sizes, dims) {
        broken.push(label);
    }
    if !broken.is_empty() {
        return Err(broken);
    }
    sized(Type { element: x.element, dims: unsigned(sizes)? })
}

fn in_dim_rule(x: &Type, sizes: &[i64], dims: &[i64]) -> Option<&'static str> {
    if x.dims.len() > sizes.len() {
        return Some("D1");
    }
    if dims.len() != x.dims.len() {
        return Some("D2");
    }
    for (i, &dim) in dims.iter().enumerate() {
        let Some(&size) = usize::try_from(dim).ok().and_then(|at| sizes.get(at)) else {
            return Some("D3");
        };
        if x.dims[i] != 1 && x.dims[i] as i64 != size {
            return Some("D4");
        }
        if i > 0 && dims[i - 1] >= dim {
            return Some("D5");
        }
    }
    None
}

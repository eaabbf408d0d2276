//! NumPy's rules: the alignment of shapes at the last dimension (P1), as the page "Broadcasting" of its
//! manual has it, and the promotion of element types (P2), as "Data type promotion in NumPy" has it;
//! the arguments of its reductions.

mod reduction;

pub use reduction::{Axis, NumpyReduction};

use crate::semantics::broadcast;
use crate::semantics::element::ElementType;
use crate::semantics::error::{Error, Result};
use crate::semantics::shape::Shape;
use crate::semantics::type_error::TypeError;

/// Returns the shape that NumPy broadcasts these shapes to: its `broadcast_shapes`. Without shapes
/// it has rank 0.
///
/// ```
/// let shape = indim::numpy::broadcast_shapes(&[&[2, 1].into(), &[3].into()])?;
/// assert_eq!(shape.dims(), [2, 3]);
/// # Ok::<(), indim::Error>(())
/// ```
///
/// # Errors
/// [`BroadcastError`](crate::BroadcastError) by rule P1; [`ShapeError`](crate::ShapeError) by rule
/// C1.
pub fn broadcast_shapes(shapes: &[&Shape]) -> Result<Shape> {
    aligned("broadcast_shapes", shapes)
}

/// Returns the `broadcast_dimensions` that align an operand of `rank` at the last dimension of an
/// array of `result_rank`.
///
/// ```
/// assert_eq!(indim::numpy::broadcast_dimensions(1, 3), [2]);
/// ```
pub fn broadcast_dimensions(rank: usize, result_rank: usize) -> Vec<i64> {
    // Ranks are lengths of lists in memory, far below 2^63.
    (result_rank.saturating_sub(rank)..result_rank).map(|d| d as i64).collect()
}

/// Checks rules P1 and C1 for operands of this operation, and returns the shape that they broadcast
/// to.
pub fn aligned(op: &'static str, shapes: &[&Shape]) -> Result<Shape> {
    let shape = broadcast::align_trailing(shapes).map_err(Error::broadcast(op))?;
    shape.element_count().map_err(Error::shape(op))?;
    Ok(shape)
}

/// Returns the element type in which NumPy computes on arrays of these types: its `result_type` of
/// dtypes. Values play no part in it.
///
/// Equal types promote to themselves, even S4, U4 and BF16, which NumPy lacks.
///
/// ```
/// use indim::{ElementType::{F32, F64, S16, S32}, numpy};
///
/// assert_eq!(numpy::result_type(&[S16, F32])?, F32);
/// assert_eq!(numpy::result_type(&[S32, F32])?, F64);
/// # Ok::<(), indim::Error>(())
/// ```
///
/// # Errors
/// [`TypeError`] by rule P2, for an empty list, for S4, U4 or BF16 among different types, and for types
/// that NumPy promotes to complex128.
pub fn result_type(types: &[ElementType]) -> Result<ElementType> {
    let refused = |source| Error::Type { op: "result_type", source };
    let Some((&first, rest)) = types.split_first() else {
        return Err(refused(TypeError::NoTypes));
    };
    if rest.iter().all(|&other| other == first) {
        return Ok(first);
    }
    if let Some(&found) = types.iter().find(|&&of| kind(of).is_none()) {
        return Err(refused(TypeError::NotNumPy { found }));
    }
    // As in NumPy, each type is promoted with the most general one first: S16, U16 and F32 all go
    // into F32, but S32, to which the first two promote, does not.
    let rank = |of: ElementType| (kind(of), of.bits());
    let general = types.iter().copied().fold(first, |a, b| if rank(b) > rank(a) { b } else { a });
    types.iter().try_fold(general, |result, &of| {
        let pair = |a, b| {
            promoted(a, b).ok_or_else(|| refused(TypeError::NoPromotion { first: a, second: b }))
        };
        pair(result, pair(general, of)?)
    })
}

/// NumPy's `dtype.kind`, from the least to the most general one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum DtypeKind {
    Bool,
    Integer { signed: bool },
    Float,
    Complex,
}

/// Returns the kind of a type; `None` if NumPy lacks the type.
fn kind(of: ElementType) -> Option<DtypeKind> {
    use ElementType::{
        Bf16, C64, F16, F32, F64, Pred, S4, S8, S16, S32, S64, U4, U8, U16, U32, U64,
    };
    match of {
        Pred => Some(DtypeKind::Bool),
        S8 | S16 | S32 | S64 => Some(DtypeKind::Integer { signed: true }),
        U8 | U16 | U32 | U64 => Some(DtypeKind::Integer { signed: false }),
        F16 | F32 | F64 => Some(DtypeKind::Float),
        C64 => Some(DtypeKind::Complex),
        S4 | U4 | Bf16 => None,
    }
}

/// Returns the smallest type that holds the values of both by NumPy's rules; none for complex128.
fn promoted(a: ElementType, b: ElementType) -> Option<ElementType> {
    let (low, high) = if (kind(a), a.bits()) <= (kind(b), b.bits()) { (a, b) } else { (b, a) };
    match (kind(low)?, kind(high)?) {
        (DtypeKind::Bool, _) => Some(high),
        (DtypeKind::Integer { signed: false }, DtypeKind::Integer { signed: true }) => {
            Some(if high.bits() > low.bits() { high } else { signed_above(low) })
        }
        (DtypeKind::Integer { .. }, DtypeKind::Float) => wider(float_for(low), high),
        (DtypeKind::Integer { .. }, DtypeKind::Complex) => wider(float_for(low), high),
        _ => wider(low, high),
    }
}

/// Returns the wider one of two types of one kind, or of a float and a complex type the complex
/// one; none for F64 and C64, which promote to complex128.
fn wider(low: ElementType, high: ElementType) -> Option<ElementType> {
    match (low, high) {
        (ElementType::F64, ElementType::C64) => None,
        (_, ElementType::C64) => Some(high),
        _ if low.bits() > high.bits() => Some(low),
        _ => Some(high),
    }
}

/// Returns the smallest signed integer that holds an unsigned one; for U64, which none holds, F64.
fn signed_above(unsigned: ElementType) -> ElementType {
    match unsigned.bits() {
        8 => ElementType::S16,
        16 => ElementType::S32,
        32 => ElementType::S64,
        _ => ElementType::F64,
    }
}

/// Returns the float to which NumPy promotes an integer beside a float. F64 rounds 64-bit integers.
fn float_for(integer: ElementType) -> ElementType {
    match integer.bits() {
        8 => ElementType::F16,
        16 => ElementType::F32,
        _ => ElementType::F64,
    }
}

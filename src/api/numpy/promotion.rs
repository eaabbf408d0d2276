//! NumPy's promotion of element types.

use crate::semantics::element::ElementType;
use crate::semantics::error::{Error, Result, TypeError};

/// The element type that NumPy computes arrays of these types in, any number of them: its
/// `result_type` of dtypes, for which values do not count.
///
/// Equal types are themselves. Types that NumPy does not have (S4, U4 and BF16) are refused beside
/// others, and so is what NumPy would make complex128.
///
/// # Errors
/// Rule P2.
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
    // Each with the most general one first, as NumPy does: of S16, U16 and F32 all go into F32, which
    // S32, the first two's own result, does not.
    let rank = |of: ElementType| (kind(of), of.bits());
    let general = types.iter().copied().fold(first, |a, b| if rank(b) > rank(a) { b } else { a });
    types.iter().try_fold(general, |result, &of| {
        let pair = |a, b| {
            promoted(a, b).ok_or_else(|| refused(TypeError::NoPromotion { first: a, second: b }))
        };
        pair(result, pair(general, of)?)
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Bool,
    Integer { signed: bool },
    Float,
    Complex,
}

/// Of the types that NumPy has.
fn kind(of: ElementType) -> Option<Kind> {
    use ElementType::{
        Bf16, C64, F16, F32, F64, Pred, S4, S8, S16, S32, S64, U4, U8, U16, U32, U64,
    };
    match of {
        Pred => Some(Kind::Bool),
        S8 | S16 | S32 | S64 => Some(Kind::Integer { signed: true }),
        U8 | U16 | U32 | U64 => Some(Kind::Integer { signed: false }),
        F16 | F32 | F64 => Some(Kind::Float),
        C64 => Some(Kind::Complex),
        S4 | U4 | Bf16 => None,
    }
}

/// The smallest type that NumPy thinks holds the values of both; nothing for complex128.
fn promoted(a: ElementType, b: ElementType) -> Option<ElementType> {
    let (low, high) = if (kind(a), a.bits()) <= (kind(b), b.bits()) { (a, b) } else { (b, a) };
    match (kind(low)?, kind(high)?) {
        (Kind::Bool, _) => Some(high),
        (Kind::Integer { signed: false }, Kind::Integer { signed: true }) => {
            Some(if high.bits() > low.bits() { high } else { signed_above(low) })
        }
        (Kind::Integer { .. }, Kind::Float) => wider(float_for(low), high),
        (Kind::Integer { .. }, Kind::Complex) => wider(float_for(low), high),
        _ => wider(low, high),
    }
}

/// Of two types of one kind, or of a float and a complex one, the one that holds both.
fn wider(low: ElementType, high: ElementType) -> Option<ElementType> {
    match (low, high) {
        (ElementType::F64, ElementType::C64) => None,
        (_, ElementType::C64) => Some(high),
        _ if low.bits() > high.bits() => Some(low),
        _ => Some(high),
    }
}

/// The signed integer that holds an unsigned one, which for 64 bits is no integer.
fn signed_above(unsigned: ElementType) -> ElementType {
    match unsigned.bits() {
        8 => ElementType::S16,
        16 => ElementType::S32,
        32 => ElementType::S64,
        _ => ElementType::F64,
    }
}

/// The float that NumPy takes for an integer's values; 64 bits are rounded in it.
fn float_for(integer: ElementType) -> ElementType {
    match integer.bits() {
        8 => ElementType::F16,
        16 => ElementType::F32,
        _ => ElementType::F64,
    }
}

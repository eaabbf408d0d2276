//! Spells single elements in sentences and pictures. Whole arrays are printed by [`Literal`].

use indim::half::{bf16, f16};
use indim::num_complex::Complex32;
use indim::{Element, ElementType, Literal, Scalar};

use crate::expr::narrow;

/// An element's value in a type that holds all elements of its kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Printable {
    Pred(bool),
    Whole(i128),
    Float(f64),
    Complex(f64, f64),
}

/// Returns an element of an array.
pub(crate) fn element(literal: &Literal, place: usize) -> Option<Scalar> {
    let of = literal.element_type();
    let size = of.size_in_bytes();
    let mut bits = [0; 8];
    bits[..size].copy_from_slice(literal.bytes().get(place * size..(place + 1) * size)?);
    Some(Scalar::from_bits(of, u64::from_le_bytes(bits)))
}

/// Returns a scalar's value, in the kind that decides its spelling.
pub(crate) fn value(scalar: Scalar) -> Printable {
    let of = scalar.element_type();
    let float = |x: Option<f64>| Printable::Float(x.unwrap_or(f64::NAN));
    match of {
        ElementType::Pred => Printable::Pred(scalar.bits() != 0),
        ElementType::F16 => float(scalar.get::<f16>().map(f64::from)),
        ElementType::Bf16 => float(scalar.get::<bf16>().map(f64::from)),
        ElementType::F32 => float(scalar.get::<f32>().map(f64::from)),
        ElementType::F64 => float(scalar.get::<f64>()),
        ElementType::C64 => {
            let z = scalar.get::<Complex32>().unwrap_or_default();
            Printable::Complex(z.re.into(), z.im.into())
        }
        _ => {
            let signed = narrow::range(of).is_some_and(|(least, _)| least < 0);
            // Shifting left and right again extends the sign.
            let unused = 64 - of.bits();
            Printable::Whole(if signed {
                i128::from((scalar.bits() << unused).cast_signed() >> unused)
            } else {
                scalar.bits().into()
            })
        }
    }
}

/// Returns a scalar's spelling in a sentence. Floats are spelled as in NumPy.
pub(crate) fn word(scalar: Scalar) -> String {
    fn alone<T: Element>(x: T) -> String {
        Literal::from_slice([], &[x]).map_or_else(|error| error.to_string(), |x| x.to_string())
    }
    match (value(scalar), scalar.element_type()) {
        (Printable::Pred(pred), _) => pred.to_string(),
        (Printable::Whole(n), _) => n.to_string(),
        (Printable::Float(x), ElementType::F16) => alone(f16::of(x)),
        (Printable::Float(x), ElementType::Bf16) => alone(bf16::of(x)),
        (Printable::Float(x), ElementType::F32) => alone(x as f32),
        (Printable::Float(x), _) => alone(x),
        (Printable::Complex(re, im), _) => {
            let sign = if im.is_sign_negative() { "" } else { "+" };
            format!("{}{sign}{}i", alone(re as f32), alone(im as f32))
        }
    }
}

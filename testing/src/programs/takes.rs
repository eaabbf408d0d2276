//! Take and take_along_dimension: their rules a second time, from XLA's and JAX's semantics; their
//! results, element by element.

use indim::{ElementType, Opcode};

use crate::oracle::value::{Value, is_signed_integer, width};
use crate::programs::moves::Elements;
use crate::programs::program::Type;

/// The result's type, or the rule that is broken.
pub fn taken_type(
    opcode: Opcode,
    x: &Type,
    indices: &Type,
    dimension: i64,
) -> Result<Type, &'static str> {
    if indices.element.integer_range().is_none() {
        return Err("T1");
    }
    let along = usize::try_from(dimension).ok().filter(|&d| d < x.dims.len()).ok_or("G1")?;
    let dims = if opcode == Opcode::Take {
        let mut dims = x.dims.clone();
        dims.splice(along..=along, indices.dims.iter().copied());
        dims
    } else {
        if x.dims.len() != indices.dims.len() {
            return Err("G3");
        }
        let mut dims = indices.dims.clone();
        for d in (0..dims.len()).filter(|&d| d != along) {
            if dims[d] == 1 {
                dims[d] = x.dims[d];
            } else if x.dims[d] != 1 && x.dims[d] != dims[d] {
                return Err("G3");
            }
        }
        dims
    };
    if x.dims[along] == 0 && !dims.contains(&0) {
        return Err("G2");
    }
    Ok(Type { element: x.element, dims })
}

/// The elements of the result, whose type is `ty`.
pub fn taken(
    (opcode, along): (Opcode, usize),
    (x_dims, x): Elements<'_>,
    (of, (dims, indices)): (ElementType, Elements<'_>),
    ty: &Type,
) -> Vec<Value> {
    let place = |index: &[usize], sizes: &[usize]| {
        index.iter().zip(sizes).fold(0, |place, (&i, &size)| place * size + i.min(size - 1))
    };
    let mut values = Vec::with_capacity(ty.count());
    for number in 0..ty.count() {
        let (mut rest, mut index) = (number, vec![0; ty.dims.len()]);
        for (i, &size) in index.iter_mut().zip(&ty.dims).rev() {
            (*i, rest) = (rest % size, rest / size);
        }
        let own = match opcode {
            Opcode::Take => index.splice(along..along + dims.len(), [0]).collect(),
            _ => index.clone(),
        };
        let element = |at: usize| {
            let mut index = index.clone();
            index[along] = at;
            x[place(&index, x_dims)]
        };
        let chosen = indices[place(&own, dims)].bits();
        values.push(match chosen {
            Some(bits) => element(clamped(bits, of, x_dims[along])),
            None => panic!("an index of a random program is one number"),
        });
    }
    values
}

/// The index in a dimension of this size that is nearest to one with these bits.
fn clamped(bits: u64, of: ElementType, size: usize) -> usize {
    let above = 64 - width(of);
    let index = if is_signed_integer(of) {
        i128::from((bits << above).cast_signed() >> above)
    } else {
        i128::from(bits)
    };
    index.clamp(0, size as i128 - 1) as usize
}

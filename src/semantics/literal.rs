//! [`Literal`]: an array in host memory whose element type is known at run time.

use crate::semantics::element::{Element, ElementType, S4, U4};
use crate::semantics::error::{ArrayError, Error, Result};
use crate::semantics::shape::{Shape, ShapeError};

/// An array in host memory, by XLA's name for it: element type, shape and bytes.
///
/// The bytes are row-major and little-endian; PRED takes one byte an element, 0 or 1, and so do S4
/// (sign-extended) and U4. C64 is the real part, then the imaginary one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Literal {
    element_type: ElementType,
    shape: Shape,
    bytes: Vec<u8>,
}

impl Literal {
    /// An array of these bytes. A PRED byte other than 0 counts as true and becomes 1; of an S4 or U4
    /// byte, the low four bits count.
    ///
    /// # Errors
    /// [`ArrayError::ByteCount`]; rule C1.
    pub fn new(
        element_type: ElementType,
        shape: impl Into<Shape>,
        mut bytes: Vec<u8>,
    ) -> Result<Self> {
        let shape = shape.into();
        let expected = size_in_bytes(element_type, &shape)?;
        if bytes.len() != expected {
            let given = bytes.len();
            return Err(ArrayError::ByteCount { element_type, shape, expected, given }.into());
        }
        let canonical: Option<fn(u8) -> u8> = match element_type {
            ElementType::Pred => Some(|byte| u8::from(byte != 0)),
            ElementType::S4 => Some(|byte| S4::wrapping(byte.cast_signed()).get().cast_unsigned()),
            ElementType::U4 => Some(|byte| U4::wrapping(byte).get()),
            _ => None,
        };
        if let Some(canonical) = canonical {
            bytes.iter_mut().for_each(|byte| *byte = canonical(*byte));
        }
        Ok(Self { element_type, shape, bytes })
    }

    /// An array of these elements, in row-major order.
    ///
    /// # Errors
    /// [`ArrayError::ElementCount`]; rule C1.
    pub fn from_slice<T: Element>(shape: impl Into<Shape>, data: &[T]) -> Result<Self> {
        let shape = shape.into();
        check_count(&shape, data.len())?;
        Ok(Self { element_type: T::ELEMENT_TYPE, shape, bytes: T::as_bytes(data).into_owned() })
    }

    /// The element type.
    pub fn element_type(&self) -> ElementType {
        self.element_type
    }

    /// The shape.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The elements' bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The elements, in row-major order.
    ///
    /// # Errors
    /// [`ArrayError::ElementType`].
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        if T::ELEMENT_TYPE != self.element_type {
            let (found, wanted) = (self.element_type, T::ELEMENT_TYPE);
            return Err(ArrayError::ElementType { found, wanted }.into());
        }
        Ok(T::bytes_to_vec(&self.bytes))
    }
}

/// Rule C1, and that `given` elements fill the shape.
pub(crate) fn check_count(shape: &Shape, given: usize) -> Result<()> {
    let expected = shape.element_count().map_err(Error::shape("array"))?;
    if given != expected {
        return Err(ArrayError::ElementCount { shape: shape.clone(), expected, given }.into());
    }
    Ok(())
}

/// Size in bytes of an array on the device.
pub(crate) fn device_bytes(element_type: ElementType, shape: &Shape) -> Result<u64> {
    // Less than in host memory, which is counted with checks.
    let bytes = size_in_bytes(element_type, shape)? as u64;
    Ok(match element_type.bits() {
        4 => bytes.div_ceil(2),
        _ => bytes,
    })
}

/// Nibbles as they lie on the device, two in a byte, the first one low.
pub(crate) fn pack_nibbles(bytes: &[u8]) -> Vec<u8> {
    let pair = |pair: &[u8]| match pair {
        [low, high, ..] => (low & 15) | (high << 4),
        [low] => low & 15,
        [] => 0,
    };
    bytes.chunks(2).map(pair).collect()
}

/// So many nibbles as they lie in host memory, a byte each.
pub(crate) fn unpack_nibbles(packed: &[u8], count: usize) -> Vec<u8> {
    packed.iter().flat_map(|&byte| [byte & 15, byte >> 4]).take(count).collect()
}

/// Size in bytes of an array in host memory; rule C1 for the bytes as for the elements.
pub(crate) fn size_in_bytes(element_type: ElementType, shape: &Shape) -> Result<usize> {
    let too_many = || ShapeError::TooManyBytes { element_type, shape: shape.clone() };
    shape
        .element_count()
        .and_then(|n| {
            let bytes = n.checked_mul(element_type.size_in_bytes());
            bytes.filter(|&b| b as u64 <= i64::MAX as u64).ok_or_else(too_many)
        })
        .map_err(Error::shape("array"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_must_match() {
        assert_eq!(
            Literal::from_slice([2, 3], &[1.0f32; 5]).unwrap_err().to_string(),
            "shape [2, 3] has 6 elements, but 5 were given"
        );
        assert_eq!(
            Literal::new(ElementType::F32, [2], vec![0; 7]).unwrap_err().to_string(),
            "shape [2] of f32 takes 8 bytes, but 7 were given"
        );
        assert!(Literal::from_slice([1 << 40, 1 << 40], &[0u32]).unwrap_err().rule().is_some());
    }

    #[test]
    fn elements_round_trip() {
        let bits = [f32::NAN.to_bits() | 0x123, 0x8000_0000, 1];
        let data = bits.map(f32::from_bits);
        let literal = Literal::from_slice([3], &data).unwrap();
        assert_eq!(literal.to_vec::<f32>().unwrap().map_bits(), bits);
        assert_eq!(
            literal.to_vec::<i32>().unwrap_err().to_string(),
            "the array's element type is f32, not s32"
        );
        let nibbles = Literal::from_slice([3], &[-8, 7, -1].map(S4::wrapping)).unwrap();
        assert_eq!(Literal::new(ElementType::S4, [3], vec![8, 7, 0xf]).unwrap(), nibbles);
        let packed = pack_nibbles(nibbles.bytes());
        assert_eq!(packed, [0x78, 0x0f]);
        assert_eq!(unpack_nibbles(&packed, 3), [8, 7, 15]);
        let pred = Literal::new(ElementType::Pred, [2], vec![0, 7]).unwrap();
        assert_eq!(pred.bytes(), [0, 1]);
    }

    trait Bits {
        fn map_bits(self) -> [u32; 3];
    }
    impl Bits for Vec<f32> {
        fn map_bits(self) -> [u32; 3] {
            [self[0].to_bits(), self[1].to_bits(), self[2].to_bits()]
        }
    }
}

//! [`Literal`]: an array in host memory whose element type is known at run time.

use crate::errors::array::ArrayError;
use crate::semantics::dims::Dims;
use crate::semantics::element::{Element, ElementType, S4, Scalar, U4};
use crate::semantics::error::{Error, Result};
use crate::semantics::shape::{Shape, ShapeError};

/// An array in host memory: element type, shape and bytes. The name is XLA's.
///
/// The elements are in row-major order and little-endian. PRED takes one byte for each element, 0
/// or 1; so do S4, sign-extended, and U4. C64 is the real part followed by the imaginary part.
///
/// With the feature `serde` a literal is stored as its `element_type`, `shape` and `bytes`: as
/// bytes in binary formats, and as hexadecimal digits, two for each byte, in human-readable
/// formats. Reading makes the checks of [`Literal::new`].
///
/// ```
/// use indim::{ElementType, Literal};
///
/// let row = Literal::from_slice([1, 2], &[0.5_f32, 1.0])?;
/// assert_eq!(row.element_type(), ElementType::F32);
/// assert_eq!(row.bytes(), [0, 0, 0, 0x3f, 0, 0, 0x80, 0x3f]);
/// assert_eq!(Literal::new(ElementType::F32, [2], row.bytes().to_vec())?.to_vec::<f32>()?, [0.5, 1.0]);
/// # Ok::<(), indim::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Literal {
    element_type: ElementType,
    shape: Shape,
    bytes: Vec<u8>,
}

impl Literal {
    /// Returns an array of these bytes. A nonzero PRED byte counts as true and becomes 1; of an S4
    /// or U4 byte, the low four bits count.
    ///
    /// ```
    /// use indim::{ElementType, Literal};
    ///
    /// let x = Literal::new(ElementType::U16, [2], vec![1, 0, 2, 1])?;
    /// assert_eq!(x.to_vec::<u16>()?, [1, 258]);
    /// assert!(Literal::new(ElementType::U16, [3], vec![1, 0, 2, 1]).is_err());
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ArrayError::ByteCount`] if the shape takes another number of bytes; [`ShapeError`] by rule
    /// C1.
    pub fn new(element_type: ElementType, shape: impl Dims, mut bytes: Vec<u8>) -> Result<Self> {
        let shape = shape.to_shape().map_err(Error::shape("array"))?;
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

    /// Returns an array of these elements, which are in row-major order.
    ///
    /// ```
    /// use indim::Literal;
    ///
    /// let x = Literal::from_slice([2, 2], &[1_f32, 2., 3., 4.])?;
    /// assert_eq!(x.to_string(), "[[1. 2.]\n [3. 4.]]");
    /// assert!(Literal::from_slice([2, 2], &[1_f32, 2., 3.]).is_err());
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ArrayError::ElementCount`] if the shape has another number of elements; [`ShapeError`] by
    /// rule C1.
    pub fn from_slice<T: Element>(shape: impl Dims, data: &[T]) -> Result<Self> {
        let shape = shape.to_shape().map_err(Error::shape("array"))?;
        check_count(&shape, data.len())?;
        Ok(Self { element_type: T::ELEMENT_TYPE, shape, bytes: T::as_bytes(data).into_owned() })
    }

    /// Returns the element type.
    ///
    /// ```
    /// let x = indim::Literal::from_slice([2], &[true, false])?;
    /// assert_eq!(x.element_type(), indim::ElementType::Pred);
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn element_type(&self) -> ElementType {
        self.element_type
    }

    /// Returns the shape.
    ///
    /// ```
    /// let x = indim::Literal::from_slice([1, 2], &[0.5_f32, 1.0])?;
    /// assert_eq!(x.shape().dims(), [1, 2]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Returns the number of dimensions; 0 for a scalar.
    ///
    /// ```
    /// assert_eq!(indim::Literal::from_slice([1, 2], &[0.5_f32, 1.0])?.rank(), 2);
    /// assert_eq!(indim::Literal::from_slice([], &[0.5_f32])?.rank(), 0);
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn rank(&self) -> usize {
        self.shape.rank()
    }

    /// Returns the number of elements, in all dimensions together.
    ///
    /// ```
    /// let pair = indim::Literal::from_slice([1, 2], &[0.5_f32, 1.0])?;
    /// assert_eq!((pair.rank(), pair.len(), pair.is_empty()), (2, 2, false));
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn len(&self) -> usize {
        self.bytes.len() / self.element_type.size_in_bytes()
    }

    /// Returns true if it has no elements: one of the sizes is 0.
    ///
    /// ```
    /// assert!(indim::Literal::from_slice::<f32>([3, 0], &[])?.is_empty());
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns the element of this number, in row-major order; `None` if there are fewer.
    ///
    /// ```
    /// # fn main() -> indim::Result<()> {
    /// let x = indim::Literal::from_slice([2, 2], &[1_i32, 2, 3, 4])?;
    /// assert_eq!(x.element(2), Some(indim::Scalar::new(3_i32)));
    /// assert_eq!(x.element(4), None);
    /// # Ok(())
    /// # }
    /// ```
    pub fn element(&self, number: usize) -> Option<Scalar> {
        let size = self.element_type().size_in_bytes();
        let begin = number.checked_mul(size)?;
        let mut bits = [0; 8];
        bits[..size].copy_from_slice(self.bytes().get(begin..begin.checked_add(size)?)?);
        Some(Scalar::from_bits(self.element_type(), u64::from_le_bytes(bits)))
    }

    /// Returns the elements' bytes, in row-major order.
    ///
    /// ```
    /// let x = indim::Literal::from_slice([2], &[1_u16, 258])?;
    /// assert_eq!(x.bytes(), [1, 0, 2, 1]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Converts the literal to the elements' bytes, in row-major order.
    ///
    /// ```
    /// let x = indim::Literal::from_slice([2], &[1_u16, 258])?;
    /// assert_eq!(x.into_bytes(), vec![1, 0, 2, 1]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Returns the elements, in row-major order.
    ///
    /// ```
    /// let x = indim::Literal::from_slice([2], &[1_u16, 258])?;
    /// assert_eq!(x.to_vec::<u16>()?, [1, 258]);
    /// assert!(x.to_vec::<i16>().is_err());
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ArrayError::ElementType`] if `T` is not the array's element type.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        if T::ELEMENT_TYPE != self.element_type {
            let (found, wanted) = (self.element_type, T::ELEMENT_TYPE);
            return Err(ArrayError::ElementType { found, wanted }.into());
        }
        Ok(T::bytes_to_vec(&self.bytes))
    }
}

/// Checks rule C1, and that `given` elements fill the shape.
pub fn check_count(shape: &Shape, given: usize) -> Result<()> {
    let expected = shape.element_count().map_err(Error::shape("array"))?;
    if given != expected {
        return Err(ArrayError::ElementCount { shape: shape.clone(), expected, given }.into());
    }
    Ok(())
}

/// Returns the size of an array on the device, in bytes (rule C1).
pub fn device_bytes(element_type: ElementType, shape: &Shape) -> Result<u64> {
    // This is at most the size in host memory, which is counted with checks.
    let bytes = size_in_bytes(element_type, shape)? as u64;
    Ok(match element_type.bits() {
        4 => bytes.div_ceil(2),
        _ => bytes,
    })
}

/// Packs 4-bit elements as the device holds them: two in a byte, the first one in the low bits.
pub fn pack_int4(bytes: &[u8]) -> Vec<u8> {
    let pair = |pair: &[u8]| match pair {
        [low, high, ..] => (low & 15) | (high << 4),
        [low] => low & 15,
        [] => 0,
    };
    bytes.chunks(2).map(pair).collect()
}

/// Unpacks `count` 4-bit elements to host memory's form, a byte each. The upper bits are zeros.
pub fn unpack_int4(packed: &[u8], count: usize) -> Vec<u8> {
    packed.iter().flat_map(|&byte| [byte & 15, byte >> 4]).take(count).collect()
}

/// Returns the size of an array in host memory, in bytes. Rule C1 applies to bytes as to elements.
pub fn size_in_bytes(element_type: ElementType, shape: &Shape) -> Result<usize> {
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
        assert!(
            Literal::from_slice([1_usize << 40, 1 << 40], &[0u32]).unwrap_err().rule().is_some()
        );
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
        let int4 = Literal::from_slice([3], &[-8, 7, -1].map(S4::wrapping)).unwrap();
        assert_eq!(Literal::new(ElementType::S4, [3], vec![8, 7, 0xf]).unwrap(), int4);
        let packed = pack_int4(int4.bytes());
        assert_eq!(packed, [0x78, 0x0f]);
        assert_eq!(unpack_int4(&packed, 3), [8, 7, 15]);
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

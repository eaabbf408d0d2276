//! Arrays of any element type on the host.

use indim::{ElementType, Literal, Shape};

use crate::oracle::value::mask;

/// An array in row-major order, one entry of `bits` an element: the element's bits, zero-extended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostArray {
    pub element_type: ElementType,
    pub shape: Vec<usize>,
    pub bits: Vec<u64>,
}

impl HostArray {
    /// The array as the library takes it.
    pub fn to_literal(&self) -> Result<Literal, indim::Error> {
        let size = self.element_type.size_in_bytes();
        let bytes =
            self.bits.iter().flat_map(|bits| bits.to_le_bytes().into_iter().take(size)).collect();
        Literal::new(self.element_type, Shape::new(&self.shape), bytes)
    }

    /// The array as the library gave it back.
    pub fn from_literal(literal: &Literal) -> HostArray {
        let element_type = literal.element_type();
        let bits = literal
            .bytes()
            .chunks(element_type.size_in_bytes())
            .map(|element| {
                let mut word = [0; 8];
                word[..element.len()].copy_from_slice(element);
                // Bytes of S4 have copies of its sign above.
                u64::from_le_bytes(word) & mask(element_type)
            })
            .collect();
        HostArray { element_type, shape: literal.shape().dims().to_vec(), bits }
    }
}

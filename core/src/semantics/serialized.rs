//! Stores element types, shapes and literals by `serde`: a type by its name, a shape as the list of
//! its sizes, a literal's bytes as bytes, or as hexadecimal digits in human-readable formats.

use std::fmt;

use serde::de::{self, Deserializer, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

use crate::semantics::element::ElementType;
use crate::semantics::literal::Literal;
use crate::semantics::shape::Shape;

impl Serialize for ElementType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for ElementType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Name)
    }
}

/// Visits the name of an element type.
struct Name;

impl Visitor<'_> for Name {
    type Value = ElementType;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of an element type, such as f32")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<ElementType, E> {
        name.parse().map_err(E::custom)
    }
}

impl Serialize for Shape {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.dims().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::<usize>::deserialize(deserializer).map(Self::from)
    }
}

/// The fields of a literal as they are written.
#[derive(Serialize)]
#[serde(rename = "Literal")]
struct Written<'a> {
    element_type: ElementType,
    shape: &'a Shape,
    bytes: Bytes<&'a [u8]>,
}

/// The fields of a literal as they are read, before validation.
#[derive(Deserialize)]
#[serde(rename = "Literal", deny_unknown_fields)]
struct Read {
    element_type: ElementType,
    shape: Shape,
    bytes: Bytes<Vec<u8>>,
}

impl Serialize for Literal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (element_type, shape) = (self.element_type(), self.shape());
        Written { element_type, shape, bytes: Bytes(self.bytes()) }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Literal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Read { element_type, shape, bytes: Bytes(bytes) } = Read::deserialize(deserializer)?;
        Self::new(element_type, shape, bytes).map_err(de::Error::custom)
    }
}

/// Bytes in the form that suits the format.
struct Bytes<B>(B);

impl Serialize for Bytes<&[u8]> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(&Hex(self.0))
        } else {
            serializer.serialize_bytes(self.0)
        }
    }
}

impl<'de> Deserialize<'de> for Bytes<Vec<u8>> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            deserializer.deserialize_str(Digits).map(Self)
        } else {
            deserializer.deserialize_byte_buf(Raw).map(Self)
        }
    }
}

/// Writes bytes as hexadecimal digits, two for each.
struct Hex<'a>(&'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Visits hexadecimal digits.
struct Digits;

impl Visitor<'_> for Digits {
    type Value = Vec<u8>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("hexadecimal digits, two for each byte")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Vec<u8>, E> {
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        if !rest.is_empty() {
            return Err(E::custom(format_args!(
                "bytes are two hexadecimal digits each, but there are {} digits",
                text.len()
            )));
        }
        let digit = |letter: u8| char::from(letter).to_digit(16).map(|digit| digit as u8);
        let byte = |[high, low]: &[u8; 2]| Some(digit(*high)? << 4 | digit(*low)?);
        let bytes: Option<Vec<u8>> = pairs.iter().map(byte).collect();
        bytes.ok_or_else(|| E::custom("bytes are hexadecimal digits, 0 to 9 and a to f"))
    }
}

/// Visits bytes of a binary format.
struct Raw;

impl<'de> Visitor<'de> for Raw {
    type Value = Vec<u8>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("bytes")
    }

    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
        Ok(bytes.to_vec())
    }

    fn visit_byte_buf<E: de::Error>(self, bytes: Vec<u8>) -> Result<Vec<u8>, E> {
        Ok(bytes)
    }

    /// Reads a list of numbers, as written by formats without a byte type.
    fn visit_seq<A: de::SeqAccess<'de>>(self, mut list: A) -> Result<Vec<u8>, A::Error> {
        // The length that the data claims is untrusted, so nothing is allocated for it.
        let mut bytes = Vec::new();
        while let Some(byte) = list.next_element()? {
            bytes.push(byte);
        }
        Ok(bytes)
    }
}

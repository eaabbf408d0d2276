//! How attributes of operations are stored.

/// An opcode, by its name in snake case.
pub(crate) mod opcode {
    use serde::de::{self, Deserialize, Deserializer};
    use serde::ser::Serializer;

    use crate::semantics::opcode::Opcode;

    pub(crate) fn serialize<S: Serializer>(
        opcode: &Opcode,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(opcode.method())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Opcode, D::Error> {
        let method = String::deserialize(deserializer)?;
        let unknown = || de::Error::custom(format_args!("there is no operation {method:?}"));
        Opcode::from_method(&method).ok_or_else(unknown)
    }
}

/// A constant, by its type and its bits, which preserves each NaN and -0.
pub(crate) mod scalar {
    use serde::de::Deserializer;
    use serde::ser::Serializer;
    use serde::{Deserialize, Serialize};

    use crate::semantics::element::{ElementType, Scalar};

    #[derive(Serialize, Deserialize)]
    #[serde(rename = "Constant", deny_unknown_fields)]
    struct Stored {
        element_type: ElementType,
        bits: u64,
    }

    pub(crate) fn serialize<S: Serializer>(
        scalar: &Scalar,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let (element_type, bits) = (scalar.element_type(), scalar.bits());
        Stored { element_type, bits }.serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Scalar, D::Error> {
        let Stored { element_type, bits } = Stored::deserialize(deserializer)?;
        Ok(Scalar::from_bits(element_type, bits))
    }
}

//! Arrays that are made up instead of read: `iota:2x3` and `random:1024x1024`.

use indim::{ElementType, Shape};

use crate::diagnostic::{Diagnostic, Result};

/// The most elements that a fill may have: 4 GiB of 4-byte elements.
pub(crate) const MAX_ELEMENTS: usize = 1 << 30;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fill {
    /// 0, 1, 2, ... in row-major order.
    Iota,
    /// f32: uniform in [-1, 1). Integers: every value as likely as another. PRED: as many true as
    /// false.
    Random,
}

impl Fill {
    pub(crate) fn parse(name: &str) -> Option<Self> {
        match name {
            "iota" => Some(Self::Iota),
            "random" => Some(Self::Random),
            _ => None,
        }
    }

    /// Whether a fill of this type and shape can be made.
    pub(crate) fn check(self, element_type: ElementType, shape: &Shape) -> Result<()> {
        let count = shape.element_count().ok().filter(|&count| count <= MAX_ELEMENTS);
        if count.is_none() {
            return Err(Diagnostic::new(format!(
                "a fill of shape {shape} has too many elements; the most are {MAX_ELEMENTS}"
            )));
        }
        if self == Self::Iota && element_type == ElementType::Pred {
            return Err(Diagnostic::new("iota counts up, which pred cannot")
                .help("write `pred:random:...`, or compare: `x > 2`"));
        }
        Ok(())
    }

    /// The elements' bytes. `stream` keeps operands with one seed apart.
    pub(crate) fn bytes(
        self,
        element_type: ElementType,
        shape: &Shape,
        seed: u64,
        stream: &str,
    ) -> Result<Vec<u8>> {
        self.check(element_type, shape)?;
        let count = shape.element_count().unwrap_or(0);
        let size = count * element_type.size_in_bytes();
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(size).map_err(|_| {
            Diagnostic::new(format!("not enough memory for a fill of shape {shape}, {size} bytes"))
        })?;
        match self {
            Self::Iota => {
                for i in 0..count as u32 {
                    bytes.extend(match element_type {
                        ElementType::F32 => (i as f32).to_le_bytes(),
                        _ => i.to_le_bytes(),
                    });
                }
            }
            Self::Random => {
                let mut random = Random::new(seed, stream);
                for _ in 0..count {
                    let bits = random.next();
                    match element_type {
                        ElementType::Pred => bytes.push(u8::from(bits >> 63 == 1)),
                        ElementType::F32 => bytes.extend(unit(bits).to_le_bytes()),
                        _ => bytes.extend(((bits >> 32) as u32).to_le_bytes()),
                    }
                }
            }
        }
        Ok(bytes)
    }
}

/// A float in [-1, 1) from the top bits: a multiple of 2^-23, so that none is rounded to 1.
fn unit(bits: u64) -> f32 {
    (bits >> 40) as f32 / (1 << 23) as f32 - 1.0
}

/// SplitMix64 (Steele, Lea, Flood 2014): small, fast and the same everywhere.
struct Random(u64);

impl Random {
    fn new(seed: u64, stream: &str) -> Self {
        // FNV-1a of the name, so that two operands of one command differ.
        let name = stream.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| {
            (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3)
        });
        Self(seed ^ name)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(fill: Fill, count: usize, seed: u64, stream: &str) -> Vec<f32> {
        let bytes =
            fill.bytes(ElementType::F32, &Shape::from([count]), seed, stream).unwrap_or_default();
        bytes.as_chunks::<4>().0.iter().map(|&c| f32::from_le_bytes(c)).collect()
    }

    #[test]
    fn iota_counts() {
        assert_eq!(floats(Fill::Iota, 4, 0, "x"), [0.0, 1.0, 2.0, 3.0]);
        let bytes = Fill::Iota.bytes(ElementType::U32, &Shape::from([2, 0]), 0, "x");
        assert!(bytes.unwrap_or(vec![1]).is_empty());
    }

    #[test]
    fn random_is_uniform_and_reproducible() {
        let values = floats(Fill::Random, 100_000, 0, "x");
        assert!(values.iter().all(|v| (-1.0..1.0).contains(v)));
        let mean = values.iter().sum::<f32>() / 1e5;
        assert!(mean.abs() < 0.01, "{mean}");
        assert!(values.iter().any(|&v| v < -0.999) && values.iter().any(|&v| v > 0.999));
        assert_eq!(values, floats(Fill::Random, 100_000, 0, "x"));
        assert_ne!(values, floats(Fill::Random, 100_000, 1, "x"));
        assert_ne!(values, floats(Fill::Random, 100_000, 0, "y"));
        assert!(unit(u64::MAX) < 1.0 && unit(0) == -1.0);
    }

    #[test]
    fn what_cannot_be_made_is_refused_before_it_is_allocated() {
        for sizes in [vec![1 << 31], vec![1 << 40, 1 << 40], vec![usize::MAX, 2]] {
            let shape = Shape::from(sizes);
            let error = Fill::Iota.bytes(ElementType::F32, &shape, 0, "x").map_err(|e| e.render());
            assert_eq!(
                error,
                Err(format!(
                    "error: a fill of shape {shape} has too many elements; the most are 1073741824\n"
                ))
            );
        }
    }
}

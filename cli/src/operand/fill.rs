//! Arrays that are generated rather than read: `iota:2x3` and `random:1024x1024`.

use std::ops::Range;

use indim::num_complex::Complex32;
use indim::{ElementType, Scalar, Shape};
use indim_expr::{Diagnostic, Result, narrow};

/// The most elements that a fill may have: 4 GiB of 4-byte elements.
pub(crate) const MAX_ELEMENTS: usize = 1 << 30;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fill {
    /// 0, 1, 2, ... in row-major order; integers wrap, 16-bit floats are rounded.
    Iota,
    /// Floats, and both parts of C64: uniform in [-1, 1). Integers: every value as likely as
    /// another. PRED: as many true as false.
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

    /// Checks that a fill of this type and shape can be made.
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

    /// Returns the elements' bytes. `stream` separates operands that share a seed.
    pub(crate) fn bytes(
        self,
        element_type: ElementType,
        shape: &Shape,
        seed: u64,
        stream: &str,
    ) -> Result<Vec<u8>> {
        self.check(element_type, shape)?;
        let count = shape.element_count().unwrap_or(0);
        let mut bytes = narrow::room(count, element_type).ok_or_else(|| {
            Diagnostic::new(format!(
                "not enough memory for a fill of shape {shape} of {element_type}"
            ))
        })?;
        match self {
            Self::Iota => {
                (0..count as u32).for_each(|i| narrow::append(&mut bytes, whole(i, element_type)));
            }
            Self::Random => {
                let mut random = Random::new(seed, stream);
                (0..count).for_each(|_| narrow::append(&mut bytes, random.scalar(element_type)));
            }
        }
        Ok(bytes)
    }

    /// Writes the elements of a region, equal to those that [`Fill::bytes`] gives for the whole
    /// array.
    pub(crate) fn piece(
        self,
        (element_type, shape): (ElementType, &Shape),
        region: &[Range<usize>],
        (seed, stream): (u64, &str),
        into: &mut [u8],
    ) {
        let strides = shape.strides();
        let size = element_type.size_in_bytes();
        let row = region.last().map_or(1, Range::len) * size;
        let mut at: Vec<usize> = region.iter().map(|range| range.start).collect();
        let mut elements = Vec::with_capacity(row);
        for into in into.chunks_exact_mut(row.max(1)) {
            let first: usize = at.iter().zip(&strides).map(|(i, stride)| i * stride).sum();
            let count = row / size;
            elements.clear();
            match self {
                Self::Iota => (first..first + count)
                    .for_each(|i| narrow::append(&mut elements, whole(i as u32, element_type))),
                Self::Random => {
                    let mut random = Random::new(seed, stream);
                    random.skip(first, element_type);
                    (0..count)
                        .for_each(|_| narrow::append(&mut elements, random.scalar(element_type)));
                }
            }
            into.copy_from_slice(&elements);
            for d in (0..region.len().saturating_sub(1)).rev() {
                at[d] += 1;
                if at[d] < region[d].end {
                    break;
                }
                at[d] = region[d].start;
            }
        }
    }
}

/// Returns a number as a value of the given type.
fn whole(i: u32, to: ElementType) -> Scalar {
    narrow::float(f64::from(i), to).unwrap_or_else(|| Scalar::from_bits(to, i.into()))
}

/// Returns a number in [-1, 1) from the top `of` bits: a multiple of 2^(1 - of), so that it is
/// exact in a float with that many significant bits, and none is rounded to 1.
fn unit(bits: u64, of: u32) -> f64 {
    (bits >> (64 - of)) as f64 / (1u64 << (of - 1)) as f64 - 1.0
}

/// SplitMix64 (Steele, Lea, Flood 2014): small, fast and the same everywhere.
struct Random(u64);

/// The increment between two states.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

impl Random {
    fn new(seed: u64, stream: &str) -> Self {
        // FNV-1a of the name, so that two operands of one command differ.
        let name = stream.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| {
            (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3)
        });
        Self(seed ^ name)
    }

    /// Moves to the element with this number.
    fn skip(&mut self, elements: usize, of: ElementType) {
        let numbers = if of == ElementType::C64 { 2 } else { 1 };
        let steps = (elements as u64).wrapping_mul(numbers);
        self.0 = self.0.wrapping_add(STEP.wrapping_mul(steps));
    }

    fn scalar(&mut self, of: ElementType) -> Scalar {
        let bits = self.next();
        let float = |of, digits| narrow::float(unit(bits, digits), of);
        let float = match of {
            ElementType::C64 => {
                let parts = [bits, self.next()].map(|bits| unit(bits, 24) as f32);
                Some(Scalar::new(Complex32::new(parts[0], parts[1])))
            }
            ElementType::F16 => float(of, 11),
            ElementType::Bf16 => float(of, 8),
            ElementType::F64 => float(of, 53),
            _ => float(of, 24),
        };
        // The top bits are of higher quality; one of them decides a coin toss.
        let width = if of == ElementType::Pred { 1 } else { of.bits() };
        float.unwrap_or_else(|| Scalar::from_bits(of, bits >> (64 - width)))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
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
    fn every_type_is_filled() {
        for &of in ElementType::ALL {
            let shape = Shape::from([300]);
            let bytes = Fill::Random.bytes(of, &shape, 0, "x").unwrap_or_default();
            assert_eq!(bytes.len(), 300 * of.size_in_bytes(), "{of}");
            if of != ElementType::Pred {
                let counted = Fill::Iota.bytes(of, &shape, 0, "x").unwrap_or_default();
                assert_eq!(counted.len(), bytes.len(), "{of}");
            }
        }
        let coins = Fill::Random.bytes(ElementType::Pred, &Shape::from([1000]), 0, "x");
        let heads = coins.unwrap_or_default().iter().filter(|&&coin| coin == 1).count();
        assert!((400..600).contains(&heads), "{heads}");
        let wrapped = Fill::Iota.bytes(ElementType::S4, &Shape::from([10]), 0, "x");
        assert_eq!(wrapped.unwrap_or_default()[7..], [7, 8, 9]);
    }

    #[test]
    fn a_piece_is_a_part_of_the_whole() {
        for (fill, of) in [
            (Fill::Iota, ElementType::F16),
            (Fill::Random, ElementType::C64),
            (Fill::Random, ElementType::S8),
        ] {
            let shape = Shape::from([5, 4, 6]);
            let whole = fill.bytes(of, &shape, 7, "x").unwrap_or_default();
            let size = of.size_in_bytes();
            let mut piece = vec![0; 2 * 2 * 3 * size];
            fill.piece((of, &shape), &[1..3, 2..4, 3..6], (7, "x"), &mut piece);
            for (number, piece) in piece.chunks_exact(3 * size).enumerate() {
                let first = ((1 + number / 2) * 4 + 2 + number % 2) * 6 + 3;
                assert_eq!(piece, &whole[first * size..(first + 3) * size], "{of}");
            }
        }
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
        assert!(unit(u64::MAX, 24) < 1.0 && unit(0, 24) == -1.0);
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

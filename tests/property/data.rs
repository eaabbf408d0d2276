//! Random element values. Much of it is small and harmless, so that results stay finite and their
//! bits tell something; some of it is what goes wrong first.

use indim::ElementType;

use crate::random::Random;
use ElementType::{F32, Pred, S32, U32};

/// A subnormal is rare on purpose: it may be flushed or not, which makes what depends on it vague.
const FLOATS: &[f32] = &[
    0.0,
    -0.0,
    1.0,
    -1.0,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    f32::MAX,
    f32::MIN,
    f32::MIN_POSITIVE,
    8_388_609.0,
    -2_147_483_648.0,
    4_294_967_040.0,
    1e-45,
];

/// For U32 read as unsigned.
const INTEGERS: &[i32] =
    &[0, 1, -1, 2, 7, -7, 31, 32, 33, 255, 65_535, 16_777_217, i32::MAX, i32::MIN, i32::MIN + 1];

/// How the elements of one array are drawn: one array has one flavour, as real data has.
#[derive(Clone, Copy)]
enum Flavour {
    /// Halves of small integers, or small integers: most arithmetic on them is exact.
    Small,
    /// Floats in (-1, 1), the domain of the inverse functions; integers of a shift's width.
    Unit,
    /// All magnitudes that are usual.
    Wide,
    /// A third of it from the lists above.
    Special,
}

pub(crate) fn elements(random: &mut Random, element: ElementType, count: usize) -> Vec<u32> {
    const FLAVOURS: &[Flavour] = &[Flavour::Small, Flavour::Unit, Flavour::Wide, Flavour::Special];
    let flavour = FLAVOURS[random.weighted(&[40, 30, 20, 10])];
    (0..count).map(|_| one(random, element, flavour)).collect()
}

fn one(random: &mut Random, element: ElementType, flavour: Flavour) -> u32 {
    let flavour = match flavour {
        Flavour::Special if !random.percent(33) => Flavour::Small,
        other => other,
    };
    match (element, flavour) {
        (Pred, _) => u32::from(random.percent(50)),
        (F32, Flavour::Small) => (random.below(65) as f32 / 2.0 - 16.0).to_bits(),
        (F32, Flavour::Unit) => (random.unit() as f32 * 2.0 - 1.0).to_bits(),
        (F32, Flavour::Wide) => {
            let scale = random.pick(&[1e-4, 1e-2, 1.0, 10.0, 1e3, 1e6]);
            (random.normal() as f32 * scale).to_bits()
        }
        (F32, Flavour::Special) => random.pick(FLOATS).to_bits(),
        (U32, Flavour::Small) => random.below(100) as u32,
        (_, Flavour::Small) => (random.below(150) as i32 - 50).cast_unsigned(),
        (_, Flavour::Unit) => random.below(34) as u32,
        (_, Flavour::Wide) => random.bits() as u32,
        (_, Flavour::Special) => random.pick(INTEGERS).cast_unsigned(),
    }
}

pub(crate) fn constant(random: &mut Random, element: ElementType) -> u32 {
    elements(random, element, 1)[0]
}

/// Whether the list of types here is the library's.
#[test]
fn every_element_type_has_data() {
    assert_eq!(ElementType::ALL, [Pred, S32, U32, F32]);
}

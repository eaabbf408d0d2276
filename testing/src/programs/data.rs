//! Makes random element values. Most are small, so that results stay finite and their bits prove
//! something; some are special values, where faults show first.

use indim::ElementType;

use crate::oracle::format::{self, Format};
use crate::oracle::integer;
use crate::oracle::value::{is_signed_integer, width};
use crate::random::Random;
use ElementType::{C64, F32, Pred};

/// How the elements of one array are drawn: one array has one flavour, as real data has.
#[derive(Clone, Copy)]
enum Flavour {
    /// Halves of small integers, or small integers: most arithmetic on them is exact.
    Small,
    /// Floats in (-1, 1), the domain of the inverse functions; integers of a shift's width.
    Unit,
    /// All magnitudes that are usual.
    Wide,
    /// A third of it from lists of special values.
    Special,
}

pub fn elements(random: &mut Random, element: ElementType, count: usize) -> Vec<u64> {
    const FLAVOURS: &[Flavour] = &[Flavour::Small, Flavour::Unit, Flavour::Wide, Flavour::Special];
    let flavour = FLAVOURS[random.weighted(&[40, 30, 20, 10])];
    random.apart(|random| (0..count).map(|_| one(random, element, flavour)).collect())
}

fn one(random: &mut Random, element: ElementType, flavour: Flavour) -> u64 {
    let flavour = match flavour {
        Flavour::Special if !random.percent(33) => Flavour::Small,
        other => other,
    };
    match format::of(element) {
        _ if element == Pred => u64::from(random.percent(50)),
        _ if element == C64 => one(random, F32, flavour) | one(random, F32, flavour) << 32,
        Some(format) => format.encode(float(random, format, flavour)),
        None => integer::encode(element, whole(random, element, flavour)),
    }
}

/// Returns a number that is still to be rounded to the format.
fn float(random: &mut Random, format: Format, flavour: Flavour) -> f64 {
    match flavour {
        Flavour::Small => random.below(65) as f64 / 2.0 - 16.0,
        Flavour::Unit => random.unit() * 2.0 - 1.0,
        Flavour::Wide => {
            let few = format.exponent_bits < 8;
            let scales =
                if few { &[1e-2, 1.0, 10.0, 1e3][..] } else { &[1e-4, 1e-2, 1.0, 10.0, 1e3, 1e6] };
            random.normal() * random.pick(scales)
        }
        Flavour::Special => {
            let odd = 2f64.powi(format.mantissa_bits as i32) + 1.0;
            // A subnormal is rare on purpose: it may be flushed or not, which makes what depends
            // on it vague.
            random.pick(&[
                0.0,
                -0.0,
                1.0,
                -1.0,
                f64::INFINITY,
                f64::NEG_INFINITY,
                f64::NAN,
                format.largest(),
                -format.largest(),
                format.smallest_normal(),
                odd,
                -2_147_483_648.0,
                4_294_967_040.0,
                format.smallest(),
            ])
        }
    }
}

/// Returns a number that is still to be wrapped to the type.
fn whole(random: &mut Random, element: ElementType, flavour: Flavour) -> i128 {
    let signed = is_signed_integer(element);
    let width = width(element) as usize;
    match flavour {
        Flavour::Small if width == 4 => random.bits().into(),
        Flavour::Small if signed => random.below(150) as i128 - 50,
        Flavour::Small => random.below(100) as i128,
        Flavour::Unit => random.below(width + 2) as i128,
        Flavour::Wide => random.bits().into(),
        Flavour::Special => {
            let (least, largest) = integer::limits(element);
            random.pick(&[
                0,
                1,
                -1,
                2,
                7,
                -7,
                31,
                32,
                33,
                255,
                65_535,
                16_777_217,
                largest,
                least,
                least + 1,
            ])
        }
    }
}

pub fn constant(random: &mut Random, element: ElementType) -> u64 {
    elements(random, element, 1)[0]
}

//! The elements of operands.

use indim::half::{bf16, f16};
use indim::num_complex::Complex32;
use indim::{Array, Context, Element, ElementType, Scalar};

use crate::patterns::count;

/// Returns elements of a type, different ones for each seed.
pub(crate) fn random<T: Element>(
    gpu: &Context,
    sizes: &[usize],
    seed: u32,
) -> indim::Result<Array<T>> {
    let mut state = seed;
    let data: Option<Vec<T>> = (0..count(sizes))
        .map(|_| {
            // Linear congruential generator of Numerical Recipes; its upper bits are good enough.
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            element(T::ELEMENT_TYPE, state).get()
        })
        .collect();
    // The data has the element type that was requested.
    gpu.array(sizes, &data.unwrap_or_default())
}

/// Returns an element made of random bits: floats and parts in [-1, 1), integers of any value.
fn element(of: ElementType, bits: u32) -> Scalar {
    let float = (bits >> 8) as f32 / (1 << 23) as f32 - 1.0;
    match of {
        ElementType::F16 => Scalar::new(f16::from_f32(float)),
        ElementType::Bf16 => Scalar::new(bf16::from_f32(float)),
        ElementType::F32 => Scalar::new(float),
        ElementType::F64 => Scalar::new(f64::from(float)),
        ElementType::C64 => Scalar::new(Complex32::new(float, -float)),
        ElementType::Pred => Scalar::new(bits >> 31 == 1),
        _ => {
            let wide = u64::from(bits) << 32 | u64::from(bits.reverse_bits());
            Scalar::from_bits(of, wide >> (64 - of.bits()))
        }
    }
}

//! Compares a floor's result with the library's on the device, since results may be too large to
//! read back.

use std::num::NonZeroU64;

use indim::wgpu::{self, BufferUsages};
use indim::{BufferRange, Context, ElementType};

use crate::device::{bind, buffer, checked, pipeline};
use crate::error::{BenchError, Result};
use crate::patterns::{Pattern, Sizes};
use crate::reduced::CHUNK;
use crate::{clock, reduced, template};

/// Words of 32 bits compared in one dispatch: 64 MiB, which every device can bind.
const WINDOW: u64 = 16 << 20;

/// Words compared by a workgroup.
const GROUP: u64 = 1024;

/// Returns the tolerance for a pattern of these sizes, as the `parts` of [`verify`].
pub(crate) fn parts(pattern: Pattern, sizes: &Sizes) -> usize {
    match pattern {
        // Its floor uses the shader's sin and cos, which in Vulkan may be off by 2^-11 (Vulkan 1.3,
        // "Precision of GLSL.std.450 Instructions"): their product is off by 2^-10.
        Pattern::OuterChain => 1 << 10,
        // Its results are as small as one in thousands.
        Pattern::Softmax | Pattern::SoftmaxShort | Pattern::SoftmaxLong => 1 << 24,
        Pattern::CumsumRows | Pattern::CumsumAll => {
            let terms = reduced::terms(pattern, sizes);
            let chunk = if pattern == Pattern::CumsumAll { CHUNK } else { terms };
            parts_of_plain_sums(16 * terms, chunk + terms / chunk.max(1) - 1)
        }
        // Elements of a column are a power of two apart among those of the generator, which then are
        // not independent: no more is known than that they are below 1.
        Pattern::CumsumColumns => {
            let terms = reduced::terms(pattern, sizes);
            parts_of_plain_sums(terms.saturating_mul(terms), terms)
        }
        // Its floor has plain sums, of hundreds of elements each.
        Pattern::Dot => 5_000,
        // Theirs are plain sums. Of n elements of either sign there are n roundings of partial sums of
        // about the root of n, so that errors grow with n.
        _ if pattern.reduces() => {
            let terms = reduced::terms(pattern, sizes).max(FEW_TERMS);
            (5_000 * FEW_TERMS).div_ceil(terms)
        }
        _ => 100_000,
    }
}

/// Returns the tolerance of plain sums, each at the end of a chain of roundings, which are of either sign:
/// k of 2^-24 of the largest sum add up to 2^-24 of it times the root of k. The largest sum of n independent
/// elements between -1 and 1 is taken as four times the root of n.
fn parts_of_plain_sums(square_of_largest: usize, roundings: usize) -> usize {
    ((1 << 24) / square_of_largest.saturating_mul(roundings).isqrt().max(1)).max(1)
}

/// Sums of as many elements are compared at one part in 5,000.
const FEW_TERMS: usize = 2048;

/// Compares two results: F32 up to one part in `parts`, relative to 1 for smaller elements; other
/// types bit by bit. Elements after the last whole word of 32 bits are not compared.
pub(crate) fn verify(
    gpu: &Context,
    (of, parts): (ElementType, usize),
    ours: &BufferRange,
    floor: &wgpu::Buffer,
    elements: u64,
) -> Result<()> {
    let (words, exact) = (elements * of.bits() as u64 / 32, of != ElementType::F32);
    let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
    let found = buffer(gpu, 16, usage)?;
    let readable = buffer(gpu, 16, BufferUsages::MAP_READ | BufferUsages::COPY_DST)?;
    gpu.queue().write_buffer(&found, 0, &[0, 0, 0, 0, 255, 255, 255, 255]);
    for first in (0..words).step_by(WINDOW as usize) {
        let count = (words - first).min(WINDOW);
        let constants = [
            ("ELEMENTS", count as usize),
            ("FIRST", first as usize),
            ("EXACT", usize::from(exact)),
            ("PARTS", parts),
        ];
        let text = template::text(&constants, "", include_str!("verify.wgsl"));
        let pipeline = pipeline(gpu, &text, [2, 1])?;
        let window = |buffer, offset| wgpu::BufferBinding {
            buffer,
            offset: offset + first * 4,
            size: NonZeroU64::new(count * 4),
        };
        let windows = [
            window(&ours.buffer, ours.offset),
            window(floor, 0),
            wgpu::BufferBinding { buffer: &found, offset: 0, size: None },
        ];
        let bindings = bind(gpu, &pipeline, &windows)?;
        checked(gpu, "comparing results", || {
            let mut encoder = gpu.device().create_command_encoder(&Default::default());
            {
                let mut pass = encoder.begin_compute_pass(&Default::default());
                pass.set_pipeline(&pipeline);
                pass.set_bind_group(0, &bindings, &[]);
                pass.dispatch_workgroups(count.div_ceil(GROUP) as u32, 1, 1);
            }
            encoder.copy_buffer_to_buffer(&found, 0, &readable, 0, 16);
            gpu.queue().submit([encoder.finish()])
        })?;
    }
    let bytes = clock::read(gpu, &readable)?;
    let word = |at: usize| {
        bytes.get(at..at + 4).and_then(|b| b.try_into().ok()).map_or(0, u32::from_le_bytes)
    };
    match word(0) {
        0 => Ok(()),
        wrong => {
            let unit = if of.bits() == 32 { "elements" } else { "words" };
            let first = u64::from(word(4)) * 32 / of.bits() as u64;
            Err(BenchError::new(format!(
                "the floor's result differs from ours in {wrong} of {words} {unit}, first in \
                 element {first}"
            )))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_element_is_found() {
        let gpu = Context::blocking().unwrap();
        let ours = vec![1.0f32; 5000];
        let verdict_of = |parts: usize, at: usize, value: f32| {
            let mut other = ours.clone();
            other[at] = value;
            let [ours, other] =
                [&ours, &other].map(|data| gpu.array([5000], data).unwrap().buffer().unwrap());
            verify(&gpu, (ElementType::F32, parts), &ours, &other.buffer, 5000)
                .map_err(|error| error.to_string())
        };
        let parts = |pattern: Pattern, elements| parts(pattern, &pattern.sizes(elements));
        let verdict = |at, value| verdict_of(parts(Pattern::Same, 5000), at, value);
        assert_eq!(verdict(0, 1.000001), Ok(()));
        let wrong = |at| {
            format!(
                "the floor's result differs from ours in 1 of 5000 elements, first in element {at}"
            )
        };
        assert_eq!(verdict(4999, 1.0001), Err(wrong(4999)));
        let product = parts(Pattern::OuterChain, 5000);
        assert_eq!(verdict_of(product, 4999, 1.0001), Ok(()));
        assert_eq!(verdict_of(product, 4999, 1.01), Err(wrong(4999)));
        // Plain sums of four times as many rows are compared a quarter as closely.
        let sums = [1 << 22, 1 << 26].map(|elements| parts(Pattern::SumColumns, elements));
        assert_eq!(sums, [5000, 1250]);
        let up_to_each = [Pattern::CumsumRows, Pattern::CumsumColumns, Pattern::CumsumAll];
        assert_eq!(up_to_each.map(|pattern| parts(pattern, 1 << 22)), [2048, 181, 28]);
        assert_eq!(verdict_of(sums[1], 7, 1.0007), Ok(()));
        assert_eq!(verdict_of(sums[0], 7, 1.0007), Err(wrong(7)));
        assert_eq!(verdict(7, f32::NAN), Err(wrong(7)));
        assert_eq!(verdict(70, f32::INFINITY), Err(wrong(70)));
    }
}

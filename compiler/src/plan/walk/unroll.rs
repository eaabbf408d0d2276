//! Chooses how many units of one invocation its text has one after the other.

use crate::cost::MAX_STRAIGHT_LINE;
use crate::layout::elements;
use crate::plan::access::{Access, KernelLoad};
use crate::plan::input::PlanInput;

/// Operations on one unit up to which its copies are written out: compilers take longer for each
/// copy. (Measured on lavapipe, from the WGSL to the end of a first dispatch: two copies of up to
/// eight additions of 4 elements take 0.9 to 1.15 times as long as a loop; four copies of one
/// addition 1.75 times, of a tanh 2.3 times.)
const FEW_COPIED_OPERATIONS: usize = 32;

/// Words that an invocation may have in flight, each of which takes a register. (An invocation has
/// up to 255 on NVIDIA's GPUs and 256 on AMD's; the more it takes, the fewer run at a time.)
const MAX_IN_FLIGHT: usize = 128;

/// Returns how many of `wanted` units the text has one after the other, all their loads first; 1 if
/// a loop covers them, or there is only one.
pub(super) fn copies(input: &PlanInput<'_>, quads: u32, loads: &[KernelLoad], wanted: u32) -> u32 {
    let unit = elements(quads);
    let straight = input.ir.map.copy_weight() * unit;
    let upto = (MAX_STRAIGHT_LINE / straight) as u32;
    let copies = wanted.min(input.limits.tuning.unroll).min(upto).max(1);
    let words = |load: &KernelLoad| match load.mode.access {
        Access::Splat => 1,
        Access::Split => 2,
        Access::Gather => unit * load.element_type.bits().div_ceil(32),
        _ => (unit * load.element_type.bits()).div_ceil(32),
    };
    let loaded = loads.iter().filter(|load| load.binding.is_some() && !load.hoisted);
    let in_flight = loaded.map(words).sum::<usize>().saturating_mul(copies as usize);
    let few = straight <= FEW_COPIED_OPERATIONS && in_flight <= MAX_IN_FLIGHT;
    if few { copies } else { 1 }
}

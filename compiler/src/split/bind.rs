//! Chooses which arrays a kernel's windows bind, and by which binding each load is read.

use crate::kernel::ir::KernelIr;
use crate::kernel::load::{ArrayId, Load, LoadSource};
use crate::layout::Layout;
use crate::limits::PlanLimits;
use crate::plan::window::{Bindings, elements};

/// The sizes of the result's windows are multiples of this number of bytes.
pub(super) const QUAD_BYTES: u64 = 16;

/// Returns the bindings of a kernel whose arrays have the given layouts.
pub(super) fn bind(
    ir: &KernelIr,
    limits: &PlanLimits,
    layout: &dyn Fn(ArrayId) -> Layout,
) -> Bindings {
    let room = (limits.device.storage_buffers() as usize).saturating_sub(ir.written_buffers());
    let max = limits.device.max_storage_buffer_binding_size;
    let fits = |load: &Load| {
        let bytes = load.element_type.device_bytes(elements(&load.shape)).unwrap_or(u64::MAX);
        let end =
            load.array().map_or(0, |array| u64::from(layout(array).offset)).saturating_add(bytes);
        end.saturating_add(QUAD_BYTES) <= max
    };
    // Loads with equal strides and nearby origins share a binding in windows, too.
    let are_near = |a: &Load, b: &Load| {
        let distance = a.element_type.device_bytes(a.offset.abs_diff(b.offset) as u64);
        a.element_type == b.element_type
            && a.strides == b.strides
            && a.folded == b.folded
            && distance.is_some_and(|bytes| bytes <= max / 4)
    };
    let together = |a: &Load, b: &Load| a.source == b.source && (fits(a) || are_near(a, b));
    let apart = group(ir, together);
    if apart.arrays.len() <= room {
        return apart;
    }
    group(ir, |a, b| a.source == b.source)
}

/// Returns one binding for each group of loads, identified by the group's first load. Arrays are in
/// ascending order, as far as each is bound once.
fn group(ir: &KernelIr, together: impl Fn(&Load, &Load) -> bool) -> Bindings {
    let mut arrays = ir.arrays();
    let mut firsts: Vec<Option<&Load>> = vec![None; arrays.len()];
    let mut of_loads: Vec<Option<usize>> = ir
        .map
        .loads
        .iter()
        .map(|load| {
            let read = load.array()?;
            let number = arrays.iter().position(|&array| array == read)?;
            if firsts[number].is_none() {
                firsts[number] = Some(load);
            }
            let joins = |first: &Option<&Load>| first.is_some_and(|first| together(first, load));
            firsts.iter().position(joins).or_else(|| {
                arrays.push(read);
                firsts.push(Some(load));
                Some(arrays.len() - 1)
            })
        })
        .collect();
    // The written arrays come after all that are only read.
    for (load, binding) in ir.map.loads.iter().zip(&mut of_loads) {
        if let LoadSource::Destination(output) = load.source {
            *binding = Some(arrays.len() + output);
        }
    }
    Bindings { arrays, of_loads }
}

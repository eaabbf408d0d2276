//! [`Window`]: the part of a kernel's iteration space that one dispatch computes, with the bytes
//! that it binds.

use std::ops::Range;
use std::rc::Rc;

use crate::kernel::ir::KernelIr;
use crate::kernel::load::{ArrayId, Load, LoadSource};
use crate::layout::{ALIGNMENT, Layout};
use indim_core::graph::region::{self, Region};
use indim_core::semantics::shape::Shape;

/// The arrays that a kernel's windows bind, except the result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bindings {
    /// The array of each binding. An array that does not fit into a binding is bound once for each
    /// group of its loads that are far from each other.
    pub arrays: Vec<ArrayId>,
    /// The number of each load's binding; the outputs come after the last one; `None` for an iota.
    pub(crate) of_loads: Vec<Option<usize>>,
}

/// The part of a kernel that one dispatch computes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// The box of the kernel's space.
    pub(crate) region: Region,
    /// The elements of the region that are computed, in its row-major order; `None` for all. If it
    /// is given, all dimensions of the region except the first one larger than 1 are whole
    /// dimensions of the space, so that the region is also a range of the result's row-major order;
    /// and both begin on a quad. Ranges consist of whole words where boxes of narrow elements
    /// cannot. (Measured on lavapipe: in windows of 4 MiB over 3 rows of 4,000,001 elements,
    /// comparing F32 takes 12 times as long in boxes whose elements are stored one by one, and
    /// adding F16 16 times.)
    pub(crate) range: Option<Range<u32>>,
    pub bindings: Rc<Bindings>,
    /// The bytes that each binding binds, counted from the binding start that the array's
    /// [`Layout`] is relative to. Starts are aligned.
    pub bytes: Vec<Range<u64>>,
    /// For each load, the elements from the start of its binding to the one at the region's origin;
    /// for an iota, its value there. It is negative if the origin lies before the bound bytes,
    /// which a `range` makes possible.
    pub(crate) offsets: Vec<i64>,
    /// The bytes that the binding of each output binds. They begin at the same element of all.
    pub output_bytes: Vec<Range<u64>>,
    /// Elements from the start of an output's binding to the region's origin, or to the first
    /// element of the `range`. If several elements share a word, it is at the start of one.
    pub(crate) result_offset: u32,
    /// True if the elements next to the window's belong to another window.
    pub(crate) has_neighbours: bool,
}

impl Window {
    /// Returns the window over all of a kernel's space, whether or not it fits into the device's
    /// limits. It is for explanations and cannot be dispatched: it binds no bytes. Arrays are in
    /// [`Layout::OWN`].
    pub(crate) fn whole(ir: &KernelIr) -> Self {
        let arrays = ir.arrays();
        let binding = |load: &Load| match load.source {
            LoadSource::Destination(output) => Some(arrays.len() + output),
            LoadSource::Array(read) => arrays.iter().position(|&array| array == read),
            LoadSource::Iota => None,
        };
        let of_loads = ir.map.loads.iter().map(binding).collect();
        let offsets = ir.map.loads.iter().map(|load| load.offset_in_binding(0)).collect();
        Self {
            region: region::whole(&ir.space),
            range: None,
            bindings: Rc::new(Bindings { arrays, of_loads }),
            bytes: Vec::new(),
            offsets,
            output_bytes: Vec::new(),
            result_offset: ir.destination.as_ref().map_or(0, |placed| placed.offset as u32),
            has_neighbours: ir.destination.as_ref().is_some_and(|placed| !placed.may_pass_end()),
        }
    }

    /// Returns its number of elements.
    pub fn count(&self) -> u64 {
        let whole = self.region.iter().map(|range| range.len() as u64).product();
        self.range.as_ref().map_or(whole, |range| u64::from(range.end - range.start))
    }

    /// Returns the result's strides: dense ones of the region if its elements are consecutive in
    /// the result; otherwise each dimension has its stride in the whole result.
    pub(crate) fn result_strides(&self, ir: &KernelIr) -> Vec<isize> {
        let strides = if ir.destination.is_none() && region::is_contiguous(&self.region, &ir.space)
        {
            let strides = region::sizes(&self.region).strides();
            strides.into_iter().map(|stride| stride * ir.stored()).collect()
        } else {
            ir.output_strides().to_vec()
        };
        strides.into_iter().map(usize::cast_signed).collect()
    }

    /// Returns the layout of each output in its binding; `spare` bytes after the whole array may be
    /// written to.
    pub fn result_layout(&self, spare: u32) -> Layout {
        let bits = |bytes: &Range<u64>| (bytes.end - bytes.start).trailing_zeros();
        let granularity = self.output_bytes.iter().map(bits).min().unwrap_or(u32::MAX);
        let granularity = 1 << granularity.min(ALIGNMENT.trailing_zeros());
        Layout { offset: 0, granularity, spare: if self.has_neighbours { 0 } else { spare } }
    }
}

/// Returns how many elements an array of this shape has; `u64::MAX` if they cannot be counted.
pub(crate) fn elements(shape: &Shape) -> u64 {
    shape.element_count().map_or(u64::MAX, |count| count as u64)
}

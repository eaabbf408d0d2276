//! Windows: a kernel whose arrays do not fit into one binding each, or which takes more workgroups
//! than one dispatch has, is dispatched over parts of its iteration space that do.
//!
//! A window is a box of the space, halved until the byte span of every operand and of the result
//! fits. Boxes meet where quads of the flat result do as far as that can be had; else elements are
//! stored one by one. Elements of fewer than 32 bits share words of memory, so that their boxes meet
//! at whole words: where the inner size forbids that, windows are ranges of the result's row-major
//! order instead. Where even these are many, or none fits, since one word has elements of rows that
//! lie far apart in an operand, boxes meet anywhere, and words are put together in memory.

use std::ops::Range;

use super::boxes::{Cutter, is_contiguous};
use crate::compile::kernel_ir::{KernelIr, Load, LoadSource};
use crate::compile::limits::PlanLimits;
use crate::compile::plan::layout::Layout;
use crate::compile::plan::planner;
use crate::compile::plan::space::Piece;
use crate::semantics::shape::Shape;

/// Bytes that windows of the result are a multiple of.
pub(super) const QUAD_BYTES: u64 = 16;

/// Bytes that the starts of bindings are multiples of, at least, so that a place in a binding is
/// the same place in a word of any size as it is in the array; own arrays are padded to as many.
pub(super) const ALIGNMENT: u64 = 64;

/// Most windows of one kernel: of 128 MiB each, they make 8 TiB.
pub(crate) const MAX_WINDOWS: usize = 1 << 16;

/// A kernel's windows, and what they bind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Windows {
    pub(crate) bound: Bound,
    /// None where there is no element.
    pub(crate) windows: Vec<Window>,
}

impl Windows {
    /// Whether the elements next to a window's belong to another one.
    pub(crate) fn are_parts(&self) -> bool {
        self.windows.len() > 1
    }
}

/// What the windows of a kernel bind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bound {
    /// The array of each binding, besides the result's. One that does not fit into a binding is
    /// bound once for each group of leaves of it that lie far from each other.
    pub(crate) arrays: Vec<LoadSource>,
    /// The number of each leaf's binding; `None` for an iota.
    pub(crate) of_leaves: Vec<Option<usize>>,
}

/// One dispatch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Window {
    /// A box of the kernel's space: along each dimension, the first place and how many there are.
    pub(crate) start: Vec<usize>,
    pub(crate) sizes: Vec<usize>,
    /// Which elements of the box, in its row-major order; `None` for all. If it is given, all
    /// dimensions of the box but the first one larger than 1 are whole dimensions of the space, so
    /// that the box, too, is a range of the result's row-major order; and both begin on a quad.
    pub(crate) range: Option<FlatRange>,
    /// What each binding binds, in bytes from the binding start that the array's [`Layout`] is
    /// relative to. Starts are aligned.
    pub(crate) bytes: Vec<Range<u64>>,
    /// For each leaf, the elements from the start of its binding to the one at the box's origin;
    /// for an iota, its value there. Negative where the origin lies in front of what is bound, as it
    /// may with a `range`.
    pub(crate) offsets: Vec<i64>,
    /// What the result's binding binds, in bytes.
    pub(crate) result_bytes: Range<u64>,
    /// Elements from the start of the result's binding to the box's origin, or to the first element
    /// of the `range`. Where several elements are in a word, at the start of one.
    pub(crate) result_offset: u32,
}

/// A part of a box's row-major order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FlatRange {
    pub(crate) start: u32,
    pub(crate) count: u32,
}

impl Window {
    /// What is to be planned for this window of the fragment, which has others or has not.
    pub(crate) fn piece(&self, fragment: &KernelIr, bound: &Bound, has_neighbours: bool) -> Piece {
        let space = match self.is_contiguous(&fragment.space) {
            true => Shape::from(self.sizes.clone()),
            false => fragment.space.clone(),
        };
        Piece {
            sizes: self.sizes.clone(),
            bindings: bound.arrays.len(),
            leaf_bindings: bound.of_leaves.clone(),
            offsets: self.offsets.clone(),
            result_strides: space.strides().into_iter().map(usize::cast_signed).collect(),
            result_offset: u64::from(self.result_offset),
            range: self
                .range
                .map(|FlatRange { start, count }| start as usize..start as usize + count as usize),
            has_neighbours,
        }
    }

    /// How the result lies in its binding; `spare` is what there is behind the whole array.
    pub(crate) fn result_layout(&self, has_neighbours: bool, spare: u32) -> Layout {
        let bytes = self.result_bytes.end - self.result_bytes.start;
        let granularity = 1 << bytes.trailing_zeros().min(ALIGNMENT.trailing_zeros());
        Layout { offset: 0, granularity, spare: if has_neighbours { 0 } else { spare } }
    }

    /// Elements in it.
    pub(super) fn count(&self) -> u64 {
        let whole = self.sizes.iter().map(|&size| size as u64).product();
        self.range.map_or(whole, |range| range.count.into())
    }

    /// Whether the box's elements lie one after the other in the result; else each dimension has
    /// the stride that it has in the whole result.
    pub(crate) fn is_contiguous(&self, space: &Shape) -> bool {
        is_contiguous(&self.sizes, space.dims())
    }
}

/// Why there are no windows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// What a single element needs does not fit.
    TooSmall,
    /// It would take more than [`MAX_WINDOWS`].
    TooMany,
}

/// The windows of a kernel whose arrays lie as `layout` says: one, where everything fits. `spare` is
/// how many bytes behind its result may be written to.
pub(crate) fn windows(
    fragment: &KernelIr,
    limits: &PlanLimits,
    layout: impl Fn(LoadSource) -> Layout,
    spare: u32,
) -> Result<Windows, Refusal> {
    let bound = bind(fragment, limits, &layout);
    if fragment.space.dims().contains(&0) {
        return Ok(Windows { bound, windows: Vec::new() });
    }
    let bytes = fragment.element_type.device_bytes(elements(&fragment.space)).unwrap_or(u64::MAX);
    if bytes / limits.max_storage_buffer_binding_size.max(1) > MAX_WINDOWS as u64 {
        return Err(Refusal::TooMany);
    }
    let most = limits.max_compute_workgroups_per_dimension;
    let is_dispatchable = |window: &Window, has_neighbours: bool| {
        // A workgroup computes an element at least, so that most windows need not be planned.
        window.count() <= u64::from(most) * u64::from(most) || {
            let piece = window.piece(fragment, &bound, has_neighbours);
            let result = window.result_layout(has_neighbours, spare);
            let launch = planner::plan_piece(fragment, limits, &piece, &layout, result);
            launch.groups.iter().all(|&groups| groups <= most)
        }
    };
    let windows = Cutter::new(fragment, limits, &bound, &layout, &is_dispatchable).windows()?;
    Ok(Windows { bound, windows })
}

/// Which array each binding is of, and which binding each leaf reads.
pub(super) fn bind(
    fragment: &KernelIr,
    limits: &PlanLimits,
    layout: &impl Fn(LoadSource) -> Layout,
) -> Bound {
    let room = (limits.max_storage_buffers_per_shader_stage as usize).saturating_sub(1);
    let most = limits.max_storage_buffer_binding_size;
    let fits = |leaf: &Load| {
        let bytes = leaf.element_type.device_bytes(elements(&leaf.shape)).unwrap_or(u64::MAX);
        let end = u64::from(layout(leaf.source).offset).saturating_add(bytes);
        end.saturating_add(QUAD_BYTES) <= most
    };
    // Leaves that go side by side, not far from each other, are bound as one also in windows.
    let are_near = |a: &Load, b: &Load| {
        let distance = a.element_type.device_bytes(a.offset.abs_diff(b.offset) as u64);
        a.element_type == b.element_type
            && a.strides == b.strides
            && distance.is_some_and(|bytes| bytes <= most / 4)
    };
    let together = |a: &Load, b: &Load| a.source == b.source && (fits(a) || are_near(a, b));
    let apart = group(fragment, together);
    if apart.arrays.len() <= room {
        return apart;
    }
    group(fragment, |a, b| a.source == b.source)
}

/// One binding for each group of leaves; each group goes by its first leaf. Arrays are in ascending
/// order, as far as each is bound once.
pub(super) fn group(fragment: &KernelIr, together: impl Fn(&Load, &Load) -> bool) -> Bound {
    let mut firsts: Vec<Option<&Load>> = vec![None; fragment.sources().len()];
    let mut arrays = fragment.sources();
    let of_leaves = fragment
        .loads
        .iter()
        .map(|leaf| {
            let place = arrays.iter().position(|&source| source == leaf.source)?;
            if firsts[place].is_none() {
                firsts[place] = Some(leaf);
            }
            let joins = |first: &Option<&Load>| first.is_some_and(|first| together(first, leaf));
            firsts.iter().position(joins).or_else(|| {
                arrays.push(leaf.source);
                firsts.push(Some(leaf));
                Some(arrays.len() - 1)
            })
        })
        .collect();
    Bound { arrays, of_leaves }
}

pub(super) fn elements(shape: &Shape) -> u64 {
    shape.element_count().map_or(u64::MAX, |count| count as u64)
}

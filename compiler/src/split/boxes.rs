//! Cuts a kernel's space into windows that fit: boxes of it, or ranges of its row-major order.

use std::cmp::Reverse;
use std::ops::Range;
use std::rc::Rc;

use super::bind::QUAD_BYTES;
use super::window_planner::{FittedWindow, MAX_WINDOWS, SplitError, WindowPlanner};
use crate::kernel::load::Load;
use crate::kernel::output::Placed;
use crate::layout::{ALIGNMENT, Layout, QUAD};
use crate::plan::window::{Bindings, Window, elements};
use indim_core::graph::region::{self, Region, box_around};
use indim_core::semantics::element::ElementType;
use indim_core::semantics::shape::gcd;
use indim_core::semantics::sorted::sorted;

/// The number of ranges of the flat result up to which no alternative is tried.
const FEW_RANGES: usize = 16;

/// One box whose elements are stored one by one costs about as much as this many ranges.
const WORTH_RANGES: usize = 4;

/// The first and the last element read.
#[derive(Debug, Clone, Copy)]
struct Span {
    first: i64,
    last: i64,
}

impl Span {
    fn join(self, other: Self) -> Self {
        Self { first: self.first.min(other.first), last: self.last.max(other.last) }
    }
}

/// The elements at which boxes may meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Alignment {
    /// They meet where no word of the result is in two of them.
    Words,
    /// They meet anywhere; a kernel stores elements that are not whole words one by one.
    Elements,
}

/// Cuts the space of one kernel. Lists about its loads are by load number.
pub(super) struct Splitter<'a> {
    planner: &'a WindowPlanner<'a>,
    dims: &'a [usize],
    /// The strides of the result, and the position of its first element in its binding.
    strides: &'a [usize],
    first: usize,
    loads: &'a [Load],
    bindings: Rc<Bindings>,
    /// The layout of each binding's array.
    layouts: Vec<Layout>,
    /// Elements from the start of the whole array's binding to the one at the space's origin; for
    /// an iota, its value there.
    offsets: Vec<i64>,
    alignment: u64,
    /// The maximum number of bytes of one binding.
    max: u64,
    /// The narrowest and the widest type of the outputs.
    narrowest: ElementType,
    widest: ElementType,
    /// The number of elements that fill whole words of every output and whole quads.
    granule: usize,
}

impl<'a> Splitter<'a> {
    pub(super) fn new(planner: &'a WindowPlanner<'a>, bindings: Rc<Bindings>) -> Self {
        let WindowPlanner { ir, limits, layout, .. } = *planner;
        let [narrowest, widest] = ir.narrowest_and_widest_output();
        let layouts: Vec<Layout> = bindings.arrays.iter().map(|&array| layout(array)).collect();
        let offset = |(load, binding): (&Load, &Option<usize>)| {
            let layout = binding.and_then(|binding| layouts.get(binding));
            load.offset_in_binding(layout.map_or(0, |layout| layout.offset))
        };
        Self {
            planner,
            dims: ir.space.dims(),
            strides: ir.output_strides(),
            first: ir.destination.as_ref().map_or(0, |placed| placed.offset),
            loads: &ir.map.loads,
            offsets: ir.map.loads.iter().zip(&bindings.of_loads).map(offset).collect(),
            bindings,
            layouts,
            alignment: u64::from(limits.device.min_storage_buffer_offset_alignment).max(ALIGNMENT),
            max: limits.device.max_storage_buffer_binding_size,
            narrowest,
            widest,
            granule: narrowest.elements_per_word().max(QUAD),
        }
    }

    /// Returns windows that fit and cover the space.
    pub(super) fn windows(&self) -> Result<Vec<FittedWindow>, SplitError> {
        let boxes = self.boxes(Alignment::Words);
        // Elements of whole words can be cut into boxes of any size, so ranges would gain nothing.
        if boxes.is_ok() || self.narrowest.elements_per_word() == 1 {
            return boxes;
        }
        // Ranges follow the order of the space, in which a destination's elements may be apart, and a
        // fold stores its elements one by one.
        let ir = self.planner.ir;
        if ir.destination.is_some() || ir.fold.is_some() {
            return self.boxes(Alignment::Elements);
        }
        let ranges = self.ranges();
        if ranges.as_ref().is_ok_and(|ranges| ranges.len() <= FEW_RANGES) {
            return ranges;
        }
        match (ranges, self.boxes(Alignment::Elements)) {
            (Ok(ranges), Ok(boxes)) if boxes.len() * WORTH_RANGES < ranges.len() => Ok(boxes),
            (Ok(ranges), _) => Ok(ranges),
            (Err(_), boxes) => boxes,
        }
    }

    // ---- boxes ---------------------------------------------------------------------------------

    /// Returns boxes that fit and cover the space.
    fn boxes(&self, alignment: Alignment) -> Result<Vec<FittedWindow>, SplitError> {
        let mut windows = Vec::new();
        let mut stack = vec![region::whole(&self.planner.ir.space)];
        while let Some(region) = stack.pop() {
            let window = self.window(&region);
            if let Some(part) = window.and_then(|new| self.planner.try_fit(new, windows.last())) {
                windows.push(part);
                if windows.len() > MAX_WINDOWS {
                    return Err(SplitError::TooMany);
                }
                continue;
            }
            let (low, high) = self.halves(&region, alignment).ok_or(SplitError::TooSmall)?;
            stack.extend([high, low]);
        }
        Ok(windows)
    }

    /// Returns the window of a box, if it fits.
    fn window(&self, region: &Region) -> Option<Window> {
        let spans = self.box_spans(region);
        let bytes = self.bind_spans(&spans)?;
        self.are_in_one_word(&spans).then_some(())?;
        let (origin, end) = self.result_span(region);
        let output_bytes = self.output_bytes(origin, end)?;
        Some(Window {
            offsets: self.offsets(&region::origin(region), &bytes, origin),
            result_offset: self.result_offset(origin)?,
            region: region.clone(),
            range: None,
            bindings: Rc::clone(&self.bindings),
            bytes,
            output_bytes,
            has_neighbours: region::sizes(region).dims() != self.dims || !self.has_padding(),
        })
    }

    /// Returns the halves of a box, cut along the dimension in which the spans that do not fit are
    /// widest.
    fn halves(&self, region: &Region, alignment: Alignment) -> Option<(Region, Region)> {
        // The widths are in bytes, by dimension; only spans that do not fit are counted.
        let mut widths = vec![0u64; self.dims.len()];
        let mut widen = |stride: &dyn Fn(usize) -> usize, element_type: ElementType| {
            for (dimension, widest) in widths.iter_mut().enumerate() {
                let steps = region[dimension].len() as u64 - 1;
                let elements = (stride(dimension) as u64).saturating_mul(steps);
                let bytes = element_type.device_bytes(elements).unwrap_or(u64::MAX);
                *widest = bytes.max(*widest);
            }
        };
        let spans = self.box_spans(region);
        let fits: Vec<bool> =
            (0..self.layouts.len()).map(|n| self.bind_span(n, &spans).is_some()).collect();
        for (number, load) in self.loads.iter().enumerate() {
            let stride = |dimension: usize| load.strides[dimension].unsigned_abs();
            match self.bindings.of_loads[number] {
                Some(binding) if fits.get(binding) == Some(&false) => {
                    widen(&stride, load.element_type)
                }
                None if !self.is_in_one_word(number, &spans) => widen(&stride, ElementType::U8),
                _ => {}
            }
        }
        let (origin, end) = self.result_span(region);
        let all_fit = !fits.contains(&false) && self.are_in_one_word(&spans);
        // If all spans fit, the box was refused because it takes too many workgroups.
        if all_fit || self.output_bytes(origin, end).is_none() {
            widen(&|dimension| self.strides[dimension], self.widest);
        }
        let widths = widths.into_iter().enumerate().filter(|&(_, width)| width > 0);
        let order = sorted(widths.map(|(dimension, width)| (Reverse(width), dimension)).collect());
        order.into_iter().find_map(|(_, dimension)| {
            let at = self.cut(region, dimension, alignment)?;
            let (mut low, mut high) = (region.clone(), region.clone());
            low[dimension].end = region[dimension].start + at;
            high[dimension].start += at;
            Some((low, high))
        })
    }

    /// Returns the number of indices of the dimension in the first half.
    fn cut(&self, region: &Region, dimension: usize, alignment: Alignment) -> Option<usize> {
        let stride = self.strides[dimension];
        let outer_is_one = region[..dimension].iter().all(|range| range.len() == 1);
        let on_quads = outer_is_one || self.rows_are_quads();
        let (start, size) = (region[dimension].start, region[dimension].len());
        // The second half begins at a multiple of the first of these that leaves two halves. A
        // binding of the result may begin at a multiple of the first one; wide loads are whole at a
        // multiple of the second.
        let steps = [self.binding_granule(), 4 * self.granule, self.granule]
            .map(|granule| granule / gcd(granule, stride));
        let near_middle = |step: usize| {
            let below = (start + size / 2) / step * step;
            let cut = if below > start { below } else { (start + 1).next_multiple_of(step) };
            (cut < start + size).then_some(cut - start)
        };
        let cut = steps.into_iter().filter(|_| on_quads).find_map(near_middle);
        // Elements of whole words share no word with another box.
        let anywhere = alignment == Alignment::Elements || self.narrowest.elements_per_word() == 1;
        cut.or_else(|| anywhere.then(|| near_middle(1)).flatten())
    }

    /// Returns true if the values of an iota share their upper 32 bits, as they must, since a
    /// kernel counts in the lower ones; also if the upper bits do not matter, or the load is not an
    /// iota.
    fn is_in_one_word(&self, load: usize, spans: &[Span]) -> bool {
        let Span { first, last } = spans[load];
        !self.is_long_iota(load) || first >> 32 == last >> 32
    }

    fn are_in_one_word(&self, spans: &[Span]) -> bool {
        (0..self.loads.len()).all(|load| self.is_in_one_word(load, spans))
    }

    /// Returns true if the load is an iota that needs more than the lower 32 bits.
    fn is_long_iota(&self, load: usize) -> bool {
        self.bindings.of_loads[load].is_none() && self.loads[load].is_long_as_iota()
    }

    fn box_spans(&self, region: &Region) -> Vec<Span> {
        (0..self.loads.len()).map(|load| self.box_span(load, region)).collect()
    }

    /// Returns the elements that a load reads in a box. Iotas that need only their lower 32 bits
    /// always fit.
    fn box_span(&self, load: usize, region: &Region) -> Span {
        if let Some(whole) = self.table_span(load) {
            return whole;
        }
        let mut span = Span { first: self.offsets[load], last: self.offsets[load] };
        if self.bindings.of_loads[load].is_none() && !self.is_long_iota(load) {
            return span;
        }
        let mut reach = |range: Range<usize>, stride: isize| {
            let stride = stride as i64;
            // Clamped loads may have positions too far outside to be counted.
            let near = (range.start as i64).saturating_mul(stride);
            let far = ((range.end - 1) as i64).saturating_mul(stride);
            span.first = span.first.saturating_add(near.min(far));
            span.last = span.last.saturating_add(near.max(far));
        };
        let load = &self.loads[load];
        region.iter().zip(&load.strides).for_each(|(range, &stride)| reach(range.clone(), stride));
        let folded = self.planner.ir.fold.iter().flat_map(|fold| &fold.sizes).zip(&load.folded);
        folded.for_each(|(&size, &stride)| reach(0..size, stride));
        span
    }

    /// Returns all elements of an array that is read at computed positions.
    fn table_span(&self, load: usize) -> Option<Span> {
        let table = Some(&self.loads[load]).filter(|load| load.table)?;
        let first = self.offsets[load];
        let count = elements(&table.shape).max(1).min(i64::MAX as u64).cast_signed();
        Some(Span { first, last: first.saturating_add(count - 1) })
    }

    /// Returns the position in the result of the box's first element, and one past that of its
    /// last.
    fn result_span(&self, region: &Region) -> (u64, u64) {
        let origin = self.first as u64 + dot(&region::origin(region), self.strides);
        let last: Vec<usize> = region.iter().map(|range| range.end - 1).collect();
        (origin, self.first as u64 + dot(&last, self.strides) + self.stored())
    }

    /// Returns the number of elements of the result at each position of the space.
    fn stored(&self) -> u64 {
        self.planner.ir.stored() as u64
    }

    /// Returns the distance in elements, or a multiple of it, between positions at which the
    /// bindings of all outputs may begin.
    fn binding_granule(&self) -> usize {
        (self.narrowest.elements_in(self.alignment) as usize).max(4 * self.granule)
    }

    /// Returns true if rows of the result begin where quads do, so that boxes may consist of many
    /// pieces.
    fn rows_are_quads(&self) -> bool {
        let stored = self.planner.ir.stored();
        let inner = std::iter::once(&stored).chain(self.dims.iter().rev()).find(|&&size| size > 1);
        inner.is_some_and(|size| size.is_multiple_of(self.granule))
    }

    // ---- ranges --------------------------------------------------------------------------------

    /// Returns ranges of the space's row-major order that fit and cover it. They consist of whole
    /// words where boxes cannot, and are stored without atomic operations.
    fn ranges(&self) -> Result<Vec<FittedWindow>, SplitError> {
        let whole = 0..self.dims.iter().map(|&size| size as u64).product();
        let mut windows = Vec::new();
        let mut stack = vec![whole];
        while let Some(range) = stack.pop() {
            let window = self.range_window(&range);
            if let Some(part) = window.and_then(|new| self.planner.try_fit(new, windows.last())) {
                windows.push(part);
                if windows.len() > MAX_WINDOWS {
                    return Err(SplitError::TooMany);
                }
                continue;
            }
            let middle = range.start + (range.end - range.start) / 2;
            let near_middle = |granule: u64| {
                let below = middle / granule * granule;
                let at = if below > range.start { below } else { range.start + granule };
                (at < range.end).then_some(at)
            };
            let granules = [self.binding_granule() as u64, self.granule as u64];
            let at = granules.into_iter().find_map(near_middle).ok_or(SplitError::TooSmall)?;
            stack.extend([at..range.end, range.start..at]);
        }
        Ok(windows)
    }

    /// Returns the window of a range, if it fits.
    fn range_window(&self, range: &Range<u64>) -> Option<Window> {
        let spans: Vec<Span> =
            (0..self.loads.len()).map(|load| self.range_span(load, range)).collect();
        let bytes = self.bind_spans(&spans)?;
        let output_bytes = self.output_bytes(range.start, range.end)?;
        let region = self.around(range);
        // Kernels count in 32 bits, starting at the box's origin.
        region.iter().try_for_each(|range| u32::try_from(range.len()).map(drop)).ok()?;
        let corner = region::origin(&region);
        let origin = dot(&corner, self.strides);
        let (first, end) = (range.start - origin, range.end - origin);
        self.are_in_one_word(&self.box_spans(&region)).then_some(())?;
        Some(Window {
            offsets: self.offsets(&corner, &bytes, range.start),
            result_offset: self.result_offset(range.start)?,
            range: Some(u32::try_from(first).ok()?..u32::try_from(end).ok()?),
            region,
            bindings: Rc::clone(&self.bindings),
            bytes,
            output_bytes,
            has_neighbours: true,
        })
    }

    /// Returns the smallest box of whole inner dimensions around a range that begins on a quad.
    fn around(&self, range: &Range<u64>) -> Region {
        let mut region = region::whole(&self.planner.ir.space);
        for (dimension, &stride) in self.strides.iter().enumerate().rev() {
            // Along this dimension, the box may begin earlier than the range.
            let (first, end) = (range.start / stride as u64, range.end.div_ceil(stride as u64));
            let index = first % self.dims[dimension] as u64;
            for back in 0..(self.granule as u64).min(index + 1) {
                let flat = (first - back) * stride as u64..end * stride as u64;
                let begin = box_around(self.dims, flat, &mut region).start;
                if begin.is_multiple_of(self.granule as u64) {
                    return region;
                }
            }
        }
        region::whole(&self.planner.ir.space)
    }

    /// Returns the elements that a load reads for a range of the row-major order.
    fn range_span(&self, load: usize, range: &Range<u64>) -> Span {
        if let Some(whole) = self.table_span(load) {
            return whole;
        }
        let rank = self.dims.len();
        let strides = &self.loads[load].strides;
        // For each dimension, the minimum and maximum that the indices of it and all inner ones add
        // to an element's number.
        let mut reach = vec![Span { first: 0, last: 0 }; rank + 1];
        for (d, (&size, &stride)) in self.dims.iter().zip(strides).enumerate().rev() {
            let end = (stride as i64).saturating_mul((size - 1) as i64);
            let Span { first, last } = reach[d + 1];
            let (first, last) = (first.saturating_add(end.min(0)), last.saturating_add(end.max(0)));
            reach[d] = Span { first, last };
        }
        // Returns the index along a dimension of an element of its rows, and the remainder.
        let divide = |at: u64, d: usize| (at / self.strides[d] as u64, at % self.strides[d] as u64);
        let at = |origin: i64, d: usize, index: u64| {
            origin.saturating_add((strides[d] as i64).saturating_mul(index as i64))
        };
        let mut span: Option<Span> = None;
        let mut touch = |origin: i64, reach: Span| {
            let (first, last) =
                (origin.saturating_add(reach.first), origin.saturating_add(reach.last));
            let touched = Span { first, last };
            span = Some(span.map_or(touched, |span| span.join(touched)));
        };

        // Find the dimension along which the ends differ.
        let (mut origin, mut split) = (self.offsets[load], 0);
        let (mut first, mut last) = (range.start, range.end - 1);
        while split < rank {
            let ((low, from), (high, upto)) = (divide(first, split), divide(last, split));
            if low != high {
                break;
            }
            (first, last) = (from, upto);
            origin = at(origin, split, low);
            split += 1;
        }
        if split == rank {
            return Span { first: origin, last: origin };
        }
        let ((low, mut first), (high, mut last)) = (divide(first, split), divide(last, split));
        if high - low > 1 {
            touch(at(origin, split, low + 1), reach[split + 1]);
            touch(at(origin, split, high - 1), reach[split + 1]);
        }
        // The range has the rest of the first row, and the beginning of the last one.
        let (mut head, mut tail) = (at(origin, split, low), at(origin, split, high));
        for d in split + 1..rank {
            let index;
            (index, first) = divide(first, d);
            let end = self.dims[d] as u64 - 1;
            if index < end {
                touch(at(head, d, index + 1), reach[d + 1]);
                touch(at(head, d, end), reach[d + 1]);
            }
            head = at(head, d, index);
            let index;
            (index, last) = divide(last, d);
            if index > 0 {
                touch(tail, reach[d + 1]);
                touch(at(tail, d, index - 1), reach[d + 1]);
            }
            tail = at(tail, d, index);
        }
        touch(head, reach[rank]);
        touch(tail, reach[rank]);
        span.unwrap_or(Span { first: origin, last: origin })
    }

    /// Returns the first and the last element of a load that a range reads.
    #[cfg(test)]
    pub(super) fn read_in(&self, load: usize, range: &Range<u64>) -> (i64, i64) {
        let Span { first, last } = self.range_span(load, range);
        (first, last)
    }

    // ---- bindings ------------------------------------------------------------------------------

    /// Returns the bytes that each binding binds for these spans of the loads, if all fit.
    fn bind_spans(&self, spans: &[Span]) -> Option<Vec<Range<u64>>> {
        (0..self.layouts.len()).map(|binding| self.bind_span(binding, spans)).collect()
    }

    fn bind_span(&self, binding: usize, spans: &[Span]) -> Option<Range<u64>> {
        let bound = |&load: &usize| self.bindings.of_loads[load] == Some(binding);
        let mut all: Option<(u64, u64)> = None;
        for load in (0..self.loads.len()).filter(bound) {
            let (element_type, span) = (self.loads[load].element_type, spans[load]);
            if self.loads[load].table && u32::try_from(span.last).is_err() {
                // Positions are counted in 32 bits.
                return None;
            }
            let Some((first, last)) = self.within(load, binding, span) else { continue };
            let start = floor_bytes(element_type, first)?;
            let end = element_type.device_bytes(last.checked_add(1)?)?;
            let (low, high) = all.unwrap_or((start, end));
            all = Some((low.min(start), high.max(end)));
        }
        // If the window reads nothing from an array, bind an arbitrary word of it.
        let (start, end) = match all {
            Some(bound) => bound,
            None => {
                let start = u64::from(self.layouts[binding].offset);
                (start, start.checked_add(1)?)
            }
        };
        self.aligned(start, end, self.layouts[binding].granularity.into())
    }

    /// Returns the first and the last element of a span that are in the array, if any are, counted
    /// from the start of the array's binding. Only clamped loads read others, in place of which any
    /// element will do.
    fn within(&self, load: usize, binding: usize, span: Span) -> Option<(u64, u64)> {
        let Load { element_type, ref shape, clamped, .. } = self.loads[load];
        let (first, last) = if clamped {
            let before = element_type.elements_in(self.layouts[binding].offset.into());
            let end = before.saturating_add(elements(shape)).cast_signed();
            (span.first.max(before.cast_signed()), span.last.min(end.saturating_sub(1)))
        } else {
            // Nothing before an array's binding is read.
            (span.first.max(0), span.last.max(0))
        };
        (first <= last).then_some((first.cast_unsigned(), last.cast_unsigned()))
    }

    /// Returns the bytes that the binding of each output binds, to write elements from `first` up to
    /// `end`. All begin at the same element.
    fn output_bytes(&self, first: u64, end: u64) -> Option<Vec<Range<u64>>> {
        // The last element of an array is followed by padding, so the binding may be rounded up;
        // any other one is followed by elements of the next window. In a PRED array a quad is a
        // word.
        let whole: u64 = self.dims.iter().map(|&size| size as u64).product::<u64>() * self.stored();
        let unit = match &self.planner.ir.destination {
            None if end == whole => ALIGNMENT,
            None => QUAD_BYTES,
            // A caller-owned buffer may have no padding.
            Some(Placed { granularity, end: of_array, .. }) => {
                if end == *of_array {
                    u64::from(*granularity)
                } else {
                    QUAD_BYTES.min(u64::from(*granularity))
                }
            }
        };
        let bound = |element_type| {
            let start = floor_bytes(element_type, self.output_start(first))?;
            self.aligned(start, element_type.device_bytes(end)?, unit)
        };
        self.planner.ir.output_types().map(bound).collect()
    }

    /// Returns true if the written array is followed by padding, into which units may reach.
    fn has_padding(&self) -> bool {
        self.planner.ir.destination.as_ref().is_none_or(Placed::may_pass_end)
    }

    /// Returns the last element, at most this one, at which the bindings of all outputs may begin.
    fn output_start(&self, element: u64) -> u64 {
        element - element % self.narrowest.elements_in(self.alignment)
    }

    /// Returns the number of elements from the start of the outputs' bindings to this one.
    fn result_offset(&self, element: u64) -> Option<u32> {
        u32::try_from(element - self.output_start(element)).ok()
    }

    fn aligned(&self, start: u64, end: u64, unit: u64) -> Option<Range<u64>> {
        let bound = start - start % self.alignment..end.checked_next_multiple_of(unit)?;
        (bound.end - bound.start <= self.max).then_some(bound)
    }

    /// Returns the position of each load at the origin of a region, in its binding; the output has
    /// it at `origin`.
    fn offsets(&self, start: &[usize], bytes: &[Range<u64>], origin: u64) -> Vec<i64> {
        let loads = self.loads.iter().zip(&self.offsets).zip(&self.bindings.of_loads);
        loads
            .map(|((load, &offset), binding)| {
                let bytes = binding.map(|binding| bytes.get(binding));
                if bytes == Some(None) {
                    return (origin - self.output_start(origin)).cast_signed();
                }
                let start_of = |bytes: &Range<u64>| load.element_type.elements_in(bytes.start);
                let bound = bytes.flatten().map_or(0, start_of);
                let steps = start.iter().zip(&load.strides);
                let origin = steps.fold(offset, |sum, (&index, &stride)| {
                    sum.wrapping_add((index as i64).wrapping_mul(stride as i64))
                });
                origin.wrapping_sub(bound.cast_signed())
            })
            .collect()
    }
}

/// Returns the number of the byte in which an element begins.
fn floor_bytes(element_type: ElementType, element: u64) -> Option<u64> {
    match element_type.bits() {
        4 => Some(element / 2),
        _ => element_type.device_bytes(element),
    }
}

/// Returns the number of an element in an array of these strides.
pub(super) fn dot(indices: &[usize], strides: &[usize]) -> u64 {
    indices.iter().zip(strides).map(|(&index, &stride)| index as u64 * stride as u64).sum()
}

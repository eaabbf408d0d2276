//! Cuts a kernel's space into windows.

use std::ops::Range;

use super::windows::{ALIGNMENT, Bound, FlatRange, MAX_WINDOWS, QUAD_BYTES, Refusal, Window};
use crate::compile::kernel_ir::{KernelIr, LoadSource};
use crate::compile::limits::PlanLimits;
use crate::compile::plan::layout::{Layout, QUAD};
use crate::semantics::element::ElementType;

/// Ranges of the flat result, up to which nothing else is tried.
const FEW_RANGES: usize = 16;

/// How many ranges one box is worth whose elements are stored one by one.
const WORTH_RANGES: usize = 4;

/// A leaf, as far as windows go.
struct View<'a> {
    /// `None` for an iota.
    binding: Option<usize>,
    /// Whether it is an iota of which more than the lower 32 bits count.
    is_long_iota: bool,
    /// Of the element at the space's origin, from the start of the whole array's binding; of an
    /// iota, its value there.
    offset: i64,
    strides: &'a [isize],
    element_type: ElementType,
    /// Bytes that the binding's end is a multiple of.
    unit: u64,
}

fn views<'a>(
    fragment: &'a KernelIr,
    bound: &Bound,
    layout: &impl Fn(LoadSource) -> Layout,
) -> Vec<View<'a>> {
    fragment
        .loads
        .iter()
        .zip(&bound.of_leaves)
        .map(|(leaf, &binding)| {
            let lies = binding.map_or(Layout::OWN, |number| layout(bound.arrays[number]));
            View {
                binding,
                is_long_iota: binding.is_none() && leaf.is_long_as_iota(),
                offset: leaf.offset_in_binding(lies.offset),
                strides: &leaf.strides,
                element_type: leaf.element_type,
                unit: u64::from(lies.granularity),
            }
        })
        .collect()
}

/// First and last element that is touched, in elements.
#[derive(Debug, Clone, Copy)]
struct Span {
    first: i64,
    last: i64,
}

impl Span {
    /// Whether the upper 32 bits are the same.
    fn in_one_word(self) -> bool {
        self.first >> 32 == self.last >> 32
    }

    fn join(self, other: Self) -> Self {
        Self { first: self.first.min(other.first), last: self.last.max(other.last) }
    }
}

/// A box of the space.
#[derive(Debug, Clone)]
struct Part {
    start: Vec<usize>,
    sizes: Vec<usize>,
}

/// Where boxes may meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Edges {
    /// Where no word of the result is in two of them.
    Words,
    /// Anywhere; a kernel stores elements that are not whole words one by one.
    Elements,
}

pub(super) struct Cutter<'a> {
    dims: &'a [usize],
    /// The result's.
    strides: Vec<usize>,
    views: Vec<View<'a>>,
    bindings: usize,
    alignment: u64,
    /// Most bytes of one binding.
    most: u64,
    /// The result's.
    element_type: ElementType,
    /// Elements of the result that are whole words of memory and whole quads.
    least: usize,
    /// Whether one dispatch has workgroups enough for a window, which has others or has not.
    is_dispatchable: &'a dyn Fn(&Window, bool) -> bool,
}

impl<'a> Cutter<'a> {
    pub(super) fn new(
        fragment: &'a KernelIr,
        limits: &PlanLimits,
        bound: &Bound,
        layout: &impl Fn(LoadSource) -> Layout,
        is_dispatchable: &'a dyn Fn(&Window, bool) -> bool,
    ) -> Self {
        Self {
            dims: fragment.space.dims(),
            strides: fragment.space.strides(),
            views: views(fragment, bound, layout),
            bindings: bound.arrays.len(),
            alignment: u64::from(limits.min_storage_buffer_offset_alignment).max(ALIGNMENT),
            most: limits.max_storage_buffer_binding_size,
            element_type: fragment.element_type,
            least: fragment.element_type.elements_per_word().max(QUAD),
            is_dispatchable,
        }
    }

    /// The space in windows that fit.
    pub(super) fn windows(&self) -> Result<Vec<Window>, Refusal> {
        let boxes = self.boxes(Edges::Words);
        // Elements that are words by themselves are in boxes of any size.
        if boxes.is_ok() || self.element_type.elements_per_word() == 1 {
            return boxes;
        }
        let ranges = self.ranges();
        if ranges.as_ref().is_ok_and(|ranges| ranges.len() <= FEW_RANGES) {
            return ranges;
        }
        match (ranges, self.boxes(Edges::Elements)) {
            (Ok(ranges), Ok(boxes)) if boxes.len() * WORTH_RANGES < ranges.len() => Ok(boxes),
            (Ok(ranges), _) => Ok(ranges),
            (Err(_), boxes) => boxes,
        }
    }

    // ---- boxes ---------------------------------------------------------------------------------

    /// The space in boxes that fit.
    fn boxes(&self, edges: Edges) -> Result<Vec<Window>, Refusal> {
        let mut windows = Vec::new();
        let mut stack = vec![Part { start: vec![0; self.dims.len()], sizes: self.dims.to_vec() }];
        while let Some(part) = stack.pop() {
            if let Some(window) = self.window(&part) {
                windows.push(window);
                if windows.len() > MAX_WINDOWS {
                    return Err(Refusal::TooMany);
                }
                continue;
            }
            let (low, high) = self.halves(&part, edges).ok_or(Refusal::TooSmall)?;
            stack.extend([high, low]);
        }
        Ok(windows)
    }

    /// The window of a box, if it fits.
    fn window(&self, part: &Part) -> Option<Window> {
        let spans = self.box_spans(part);
        let bytes = self.bind_spans(&spans)?;
        self.in_one_word(&spans).then_some(())?;
        let (origin, end) = self.result_span(part);
        let result_bytes = self.result_bytes(origin, end)?;
        let window = Window {
            offsets: self.offsets(&part.start, &bytes),
            result_offset: self.result_offset(origin, &result_bytes)?,
            start: part.start.clone(),
            sizes: part.sizes.clone(),
            range: None,
            bytes,
            result_bytes,
        };
        let is_part = part.sizes != self.dims;
        (self.is_dispatchable)(&window, is_part).then_some(window)
    }

    /// The halves of a box, along the dimension along which what does not fit is widest.
    fn halves(&self, part: &Part, edges: Edges) -> Option<(Part, Part)> {
        // In bytes along each dimension: what does not fit counts, the rest does not.
        let mut widths = vec![0u64; self.dims.len()];
        let mut widen = |strides: &dyn Fn(usize) -> u64, element_type: ElementType| {
            for (dimension, widest) in widths.iter_mut().enumerate() {
                let steps = part.sizes[dimension] as u64 - 1;
                let elements = strides(dimension).saturating_mul(steps);
                let bytes = element_type.device_bytes(elements).unwrap_or(u64::MAX);
                *widest = bytes.max(*widest);
            }
        };
        let spans = self.box_spans(part);
        for binding in 0..self.bindings {
            if self.bind_span(binding, &spans).is_none() {
                for view in self.views.iter().filter(|view| view.binding == Some(binding)) {
                    widen(
                        &|dimension| view.strides[dimension].unsigned_abs() as u64,
                        view.element_type,
                    );
                }
            }
        }
        for (view, span) in self.views.iter().zip(&spans) {
            if view.is_long_iota && !span.in_one_word() {
                widen(&|dimension| view.strides[dimension].unsigned_abs() as u64, ElementType::U8);
            }
        }
        let (origin, end) = self.result_span(part);
        let all_fit = (0..self.bindings).all(|number| self.bind_span(number, &spans).is_some())
            && self.in_one_word(&spans);
        // What fits takes too many workgroups.
        if all_fit || self.result_bytes(origin, end).is_none() {
            widen(&|dimension| self.strides[dimension] as u64, self.element_type);
        }
        let mut order: Vec<usize> = (0..self.dims.len()).filter(|&d| widths[d] > 0).collect();
        order.sort_by_key(|&dimension| std::cmp::Reverse(widths[dimension]));
        order.into_iter().find_map(|dimension| {
            let at = self.cut(part, dimension, edges)?;
            let (mut low, mut high) = (part.clone(), part.clone());
            low.sizes[dimension] = at;
            high.start[dimension] += at;
            high.sizes[dimension] -= at;
            Some((low, high))
        })
    }

    /// How many places of the dimension the first half gets.
    fn cut(&self, part: &Part, dimension: usize, edges: Edges) -> Option<usize> {
        let stride = self.strides[dimension];
        let outer_is_one = part.sizes[..dimension].iter().all(|&size| size == 1);
        let on_quads = outer_is_one || self.rows_are_quads();
        let (start, size) = (part.start[dimension], part.sizes[dimension]);
        // The first place of the second half, counted from the space's origin. On the first
        // granule a binding of the result may begin; on the second, wide loads are whole.
        let steps = [self.granule(), 4 * self.least, self.least]
            .map(|granule| granule / gcd(granule, stride));
        let near_middle = |step: usize| {
            let below = (start + size / 2) / step * step;
            let cut = if below > start { below } else { (start + 1).next_multiple_of(step) };
            (cut < start + size).then_some(cut - start)
        };
        let cut = steps.into_iter().filter(|_| on_quads).find_map(near_middle);
        // Elements that are words by themselves are in no other box's word.
        let anywhere = edges == Edges::Elements || self.element_type.elements_per_word() == 1;
        cut.or_else(|| anywhere.then(|| near_middle(1)).flatten())
    }

    /// Whether the values of each iota in a box have the same upper 32 bits: a kernel counts the
    /// lower ones.
    fn in_one_word(&self, spans: &[Span]) -> bool {
        self.views.iter().zip(spans).all(|(view, span)| !view.is_long_iota || span.in_one_word())
    }

    fn box_spans(&self, part: &Part) -> Vec<Span> {
        self.views.iter().map(|view| box_span(view, &part.start, &part.sizes)).collect()
    }

    /// The box's first element in the result, and the one behind its last.
    fn result_span(&self, part: &Part) -> (u64, u64) {
        let origin = dot(&part.start, &self.strides);
        let last = part.start.iter().zip(&part.sizes).map(|(&start, &size)| start + size - 1);
        let last: Vec<usize> = last.collect();
        (origin, dot(&last, &self.strides) + 1)
    }

    /// Elements of the result between places where a binding may begin.
    fn granule(&self) -> usize {
        (self.element_type.elements_in(self.alignment) as usize).max(4 * self.least)
    }

    /// Whether rows of the result begin where quads do, so that boxes may consist of many pieces.
    fn rows_are_quads(&self) -> bool {
        let inner = self.dims.iter().rev().find(|&&size| size > 1);
        inner.is_some_and(|size| size.is_multiple_of(self.least))
    }

    // ---- ranges --------------------------------------------------------------------------------

    /// The space in ranges of its row-major order that fit.
    fn ranges(&self) -> Result<Vec<Window>, Refusal> {
        let whole = 0..self.dims.iter().map(|&size| size as u64).product();
        let mut windows = Vec::new();
        let mut stack = vec![whole];
        while let Some(range) = stack.pop() {
            if let Some(window) = self.range_window(&range) {
                windows.push(window);
                if windows.len() > MAX_WINDOWS {
                    return Err(Refusal::TooMany);
                }
                continue;
            }
            let middle = range.start + (range.end - range.start) / 2;
            let near_middle = |granule: u64| {
                let below = middle / granule * granule;
                let at = if below > range.start { below } else { range.start + granule };
                (at < range.end).then_some(at)
            };
            let granules = [self.granule() as u64, self.least as u64];
            let at = granules.into_iter().find_map(near_middle).ok_or(Refusal::TooSmall)?;
            stack.extend([at..range.end, range.start..at]);
        }
        Ok(windows)
    }

    /// The window of a range, if it fits.
    fn range_window(&self, range: &Range<u64>) -> Option<Window> {
        let spans: Vec<Span> = self.views.iter().map(|view| self.range_span(view, range)).collect();
        let bytes = self.bind_spans(&spans)?;
        let result_bytes = self.result_bytes(range.start, range.end)?;
        let (start, sizes) = self.around(range);
        // Kernels count in 32 bits, from the box's origin on.
        sizes.iter().try_for_each(|&size| u32::try_from(size).map(drop)).ok()?;
        let origin = dot(&start, &self.strides);
        u32::try_from(range.end - 1 - origin).ok()?;
        let part = Part { start, sizes };
        self.in_one_word(&self.box_spans(&part)).then_some(())?;
        let Part { start, sizes } = part;
        let window = Window {
            offsets: self.offsets(&start, &bytes),
            result_offset: self.result_offset(range.start, &result_bytes)?,
            range: Some(FlatRange {
                start: u32::try_from(range.start - origin).ok()?,
                count: u32::try_from(range.end - range.start).ok()?,
            }),
            start,
            sizes,
            bytes,
            result_bytes,
        };
        (self.is_dispatchable)(&window, true).then_some(window)
    }

    /// The smallest box of whole inner dimensions around a range that begins on a quad.
    fn around(&self, range: &Range<u64>) -> (Vec<usize>, Vec<usize>) {
        let place = |position: u64, dimension: usize| {
            let (size, stride) = (self.dims[dimension], self.strides[dimension]);
            (position / stride as u64 % size as u64) as usize
        };
        let rank = self.dims.len();
        let differ = |d: &usize| place(range.start, *d) != place(range.end - 1, *d);
        let innermost = (0..rank).find(differ).unwrap_or(rank.saturating_sub(1));
        for dimension in (0..=innermost).rev().filter(|&d| d < rank) {
            let mut start: Vec<usize> = (0..=dimension).map(|d| place(range.start, d)).collect();
            start.resize(rank, 0);
            let (low, high) = (start[dimension], place(range.end - 1, dimension));
            for back in (0..self.least).filter(|&back| back <= low) {
                start[dimension] = low - back;
                if dot(&start, &self.strides).is_multiple_of(self.least as u64) {
                    let mut sizes = self.dims.to_vec();
                    sizes[..dimension].fill(1);
                    sizes[dimension] = high - start[dimension] + 1;
                    return (start, sizes);
                }
            }
        }
        (vec![0; rank], self.dims.to_vec())
    }

    /// What a leaf reads for a range of the row-major order.
    fn range_span(&self, view: &View<'_>, range: &Range<u64>) -> Span {
        let rank = self.dims.len();
        // What all places of the dimensions from each one on add to a position.
        let mut reach = vec![Span { first: 0, last: 0 }; rank + 1];
        for (d, (&size, &stride)) in self.dims.iter().zip(view.strides).enumerate().rev() {
            let end = stride as i64 * (size - 1) as i64;
            let inner = reach[d + 1];
            reach[d] = Span { first: inner.first + end.min(0), last: inner.last + end.max(0) };
        }
        // The place along a dimension of an element of its rows, and the rest.
        let divide = |at: u64, d: usize| (at / self.strides[d] as u64, at % self.strides[d] as u64);
        let at = |origin: i64, d: usize, place: u64| origin + view.strides[d] as i64 * place as i64;
        let mut span: Option<Span> = None;
        let mut touch = |origin: i64, reach: Span| {
            let touched = Span { first: origin + reach.first, last: origin + reach.last };
            span = Some(span.map_or(touched, |span| span.join(touched)));
        };

        // Down to the dimension along which the ends differ.
        let (mut origin, mut split) = (view.offset, 0);
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
        // The rest of the first row, and the beginning of the last one.
        let (mut head, mut tail) = (at(origin, split, low), at(origin, split, high));
        for d in split + 1..rank {
            let place;
            (place, first) = divide(first, d);
            let end = self.dims[d] as u64 - 1;
            if place < end {
                touch(at(head, d, place + 1), reach[d + 1]);
                touch(at(head, d, end), reach[d + 1]);
            }
            head = at(head, d, place);
            let place;
            (place, last) = divide(last, d);
            if place > 0 {
                touch(tail, reach[d + 1]);
                touch(at(tail, d, place - 1), reach[d + 1]);
            }
            tail = at(tail, d, place);
        }
        touch(head, reach[rank]);
        touch(tail, reach[rank]);
        span.unwrap_or(Span { first: origin, last: origin })
    }

    /// The first and the last element of a leaf that a range reads.
    #[cfg(test)]
    pub(super) fn read_in(&self, leaf: usize, range: &Range<u64>) -> (i64, i64) {
        let Span { first, last } = self.range_span(&self.views[leaf], range);
        (first, last)
    }

    // ---- bindings ------------------------------------------------------------------------------

    /// What each binding binds for these spans of the leaves, if all fit.
    fn bind_spans(&self, spans: &[Span]) -> Option<Vec<Range<u64>>> {
        (0..self.bindings).map(|binding| self.bind_span(binding, spans)).collect()
    }

    fn bind_span(&self, binding: usize, spans: &[Span]) -> Option<Range<u64>> {
        let bound = |(view, _): &(&View<'_>, &Span)| view.binding == Some(binding);
        let mut views = self.views.iter().zip(spans).filter(bound);
        let mut all: Option<(u64, u64)> = None;
        let mut unit = 1;
        for (view, span) in &mut views {
            // Nothing lies in front of an array's binding.
            let (first, last) = (span.first.max(0) as u64, span.last.max(0) as u64);
            let start = floor_bytes(view.element_type, first)?;
            let end = view.element_type.device_bytes(last.checked_add(1)?)?;
            let (low, high) = all.unwrap_or((start, end));
            all = Some((low.min(start), high.max(end)));
            unit = view.unit;
        }
        let (start, end) = all?;
        self.aligned(start, end, unit)
    }

    fn result_bytes(&self, first: u64, end: u64) -> Option<Range<u64>> {
        // Behind the last element there is padding, behind any other one the next window's; in a
        // PRED array a quad is a word.
        let whole: u64 = self.dims.iter().map(|&size| size as u64).product();
        let unit = if end == whole { ALIGNMENT } else { QUAD_BYTES };
        let start = floor_bytes(self.element_type, first)?;
        self.aligned(start, self.element_type.device_bytes(end)?, unit)
    }

    /// Elements from the start of the result's binding to this one.
    fn result_offset(&self, element: u64, bound: &Range<u64>) -> Option<u32> {
        u32::try_from(element - self.element_type.elements_in(bound.start)).ok()
    }

    fn aligned(&self, start: u64, end: u64, unit: u64) -> Option<Range<u64>> {
        let bound = start - start % self.alignment..end.checked_next_multiple_of(unit)?;
        (bound.end - bound.start <= self.most).then_some(bound)
    }

    fn offsets(&self, start: &[usize], bytes: &[Range<u64>]) -> Vec<i64> {
        self.views
            .iter()
            .map(|view| {
                let bound = view
                    .binding
                    .map_or(0, |number| view.element_type.elements_in(bytes[number].start));
                let steps = start.iter().zip(view.strides);
                let origin = steps.fold(view.offset, |sum, (&place, &stride)| {
                    sum.wrapping_add((place as i64).wrapping_mul(stride as i64))
                });
                origin.wrapping_sub(bound.cast_signed())
            })
            .collect()
    }
}

/// Where the byte begins in which an element does.
fn floor_bytes(element_type: ElementType, element: u64) -> Option<u64> {
    match element_type.bits() {
        4 => Some(element / 2),
        _ => element_type.device_bytes(element),
    }
}

/// What a leaf reads in a box.
fn box_span(view: &View<'_>, start: &[usize], sizes: &[usize]) -> Span {
    let mut span = Span { first: view.offset, last: view.offset };
    if view.binding.is_none() && !view.is_long_iota {
        return span;
    }
    for ((&start, &size), &stride) in start.iter().zip(sizes).zip(view.strides) {
        let stride = stride as i64;
        let (near, far) = (start as i64 * stride, (start + size - 1) as i64 * stride);
        span.first += near.min(far);
        span.last += near.max(far);
    }
    span
}

pub(super) fn is_contiguous(sizes: &[usize], dims: &[usize]) -> bool {
    // Dimensions of size 1 outside, then one that may be cut, then whole ones.
    let mut rest = sizes.iter().zip(dims).skip_while(|&(&size, _)| size == 1);
    rest.next();
    rest.all(|(size, whole)| size == whole)
}

pub(super) fn dot(places: &[usize], strides: &[usize]) -> u64 {
    places.iter().zip(strides).map(|(&place, &stride)| place as u64 * stride as u64).sum()
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

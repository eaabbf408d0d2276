//! Windows: a kernel whose arrays do not fit into one binding each is dispatched over parts of its
//! iteration space that do.
//!
//! A window is a box of the space, halved until the byte span of every operand and of the result
//! fits. Boxes meet where quads of the flat result do as far as that can be had; else their elements
//! are stored one by one. Elements of fewer than 32 bits are less than a word, which two windows must not
//! write: where the inner size is not a multiple of a quad (of two quads for 4 bits), its windows are ranges of the result's row-major
//! order instead.

use std::ops::Range;

use crate::element::ElementType;
use crate::limits::PlanLimits;
use crate::lower::{Fragment, Leaf, Source};
use crate::plan::{Layout, Piece, QUAD};
use crate::shape::Shape;

/// Bytes that windows of the result are a multiple of.
const QUAD_BYTES: u64 = 16;

/// Bytes that the starts of bindings are multiples of, at least, so that a place in a binding is
/// the same place in a word of any size as it is in the array; own arrays are padded to as many.
const ALIGNMENT: u64 = 64;

/// Most windows of one kernel: of 128 MiB each, they make 8 TiB.
const MAX_WINDOWS: usize = 1 << 16;

/// A kernel's windows, and what they bind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Windows {
    /// The array of each binding, besides the result's. One that does not fit into a binding is
    /// bound once for each leaf of it, so that these may be far from each other.
    pub(crate) bindings: Vec<Source>,
    /// The number of each leaf's binding; `None` for an iota.
    pub(crate) leaf_bindings: Vec<Option<usize>>,
    /// None where there is no element.
    pub(crate) windows: Vec<Window>,
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
    /// What is to be planned for this window of the fragment.
    pub(crate) fn piece(&self, fragment: &Fragment, windows: &Windows) -> Piece {
        let space = match self.is_contiguous(&fragment.space) {
            true => Shape::from(self.sizes.clone()),
            false => fragment.space.clone(),
        };
        Piece {
            sizes: self.sizes.clone(),
            bindings: windows.bindings.len(),
            leaf_bindings: windows.leaf_bindings.clone(),
            offsets: self.offsets.clone(),
            result_strides: space.strides().into_iter().map(usize::cast_signed).collect(),
            result_offset: u64::from(self.result_offset),
            range: self
                .range
                .map(|FlatRange { start, count }| start as usize..start as usize + count as usize),
            has_neighbours: windows.windows.len() > 1,
        }
    }

    /// How the result lies in its binding; `spare` is what there is behind the whole array.
    pub(crate) fn result_layout(&self, windows: &Windows, spare: u32) -> Layout {
        let bytes = self.result_bytes.end - self.result_bytes.start;
        let granularity = 1 << bytes.trailing_zeros().min(ALIGNMENT.trailing_zeros());
        let spare = if windows.windows.len() == 1 { spare } else { 0 };
        Layout { offset: 0, granularity, spare }
    }

    /// Whether the box's elements lie one after the other in the result; else each dimension has
    /// the stride that it has in the whole result.
    pub(crate) fn is_contiguous(&self, space: &Shape) -> bool {
        is_contiguous(&self.sizes, space.dims())
    }
}

/// There are no windows that fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unbindable;

/// The windows of a kernel whose arrays lie as `layout` says: one, where everything fits.
pub(crate) fn windows(
    fragment: &Fragment,
    limits: &PlanLimits,
    layout: impl Fn(Source) -> Layout,
) -> Result<Windows, Unbindable> {
    let (bindings, leaf_bindings) = bind(fragment, limits, &layout);
    let dims = fragment.space.dims();
    let element_type = fragment.element_type;
    let most = limits.max_storage_buffer_binding_size;
    let bytes = element_type.device_bytes(elements(&fragment.space)).unwrap_or(u64::MAX);
    if bytes / most.max(1) > MAX_WINDOWS as u64 {
        return Err(Unbindable);
    }
    let mut windows = Vec::new();
    if !dims.contains(&0) {
        let cutter = Cutter {
            dims,
            strides: fragment.space.strides(),
            views: views(fragment, &bindings, &leaf_bindings, &layout),
            bindings: bindings.len(),
            alignment: u64::from(limits.min_storage_buffer_offset_alignment).max(ALIGNMENT),
            most,
            element_type,
            least: element_type.elements_a_word().max(QUAD),
        };
        windows = match cutter.boxes() {
            Some(windows) => windows,
            None => cutter.ranges()?,
        };
    }
    Ok(Windows { bindings, leaf_bindings, windows })
}

/// Which array each binding is of, and which binding each leaf reads.
fn bind(
    fragment: &Fragment,
    limits: &PlanLimits,
    layout: &impl Fn(Source) -> Layout,
) -> (Vec<Source>, Vec<Option<usize>>) {
    let sources = fragment.sources();
    let room = (limits.max_storage_buffers_per_shader_stage as usize).saturating_sub(1);
    let fits = |leaf: &Leaf| {
        let bytes = leaf.element_type.device_bytes(elements(&leaf.shape)).unwrap_or(u64::MAX);
        let end = u64::from(layout(leaf.source).offset).saturating_add(bytes);
        end.saturating_add(QUAD_BYTES) <= limits.max_storage_buffer_binding_size
    };
    let read = |leaf: &&Leaf| leaf.source != Source::Iota;
    let apart = fragment.leaves.iter().filter(read).filter(|&leaf| !fits(leaf)).count();
    let fitting = |source: &&Source| {
        fragment.leaves.iter().find(|leaf| leaf.source == **source).is_some_and(fits)
    };
    let can_part = sources.iter().filter(fitting).count() + apart <= room;
    let mut bindings = sources;
    let mut used = vec![false; bindings.len()];
    let leaf_bindings = fragment
        .leaves
        .iter()
        .map(|leaf| {
            let place = bindings.iter().position(|&source| source == leaf.source)?;
            if used[place] && can_part && !fits(leaf) {
                bindings.push(leaf.source);
                return Some(bindings.len() - 1);
            }
            used[place] = true;
            Some(place)
        })
        .collect();
    (bindings, leaf_bindings)
}

fn elements(shape: &Shape) -> u64 {
    shape.element_count().map_or(u64::MAX, |count| count as u64)
}

/// A leaf, as far as windows go.
struct View<'a> {
    /// `None` for an iota.
    binding: Option<usize>,
    /// Of the element at the space's origin, from the start of the whole array's binding.
    offset: i64,
    strides: &'a [isize],
    element_type: ElementType,
    /// Bytes that the binding's end is a multiple of.
    unit: u64,
}

fn views<'a>(
    fragment: &'a Fragment,
    bindings: &[Source],
    leaf_bindings: &[Option<usize>],
    layout: &impl Fn(Source) -> Layout,
) -> Vec<View<'a>> {
    fragment
        .leaves
        .iter()
        .zip(leaf_bindings)
        .map(|(leaf, &binding)| {
            let lies = binding.map_or(Layout::OWN, |number| layout(bindings[number]));
            View {
                binding,
                offset: leaf.place(lies.offset),
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

struct Cutter<'a> {
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
}

impl Cutter<'_> {
    // ---- boxes ---------------------------------------------------------------------------------

    /// The space in boxes that fit, or `None` where quads forbid the cuts that would be needed.
    fn boxes(&self) -> Option<Vec<Window>> {
        let mut windows = Vec::new();
        let mut stack = vec![Part { start: vec![0; self.dims.len()], sizes: self.dims.to_vec() }];
        while let Some(part) = stack.pop() {
            if let Some(window) = self.window(&part) {
                windows.push(window);
                if windows.len() > MAX_WINDOWS {
                    return None;
                }
                continue;
            }
            let (low, high) = self.halves(&part)?;
            stack.extend([high, low]);
        }
        Some(windows)
    }

    /// The window of a box, if it fits.
    fn window(&self, part: &Part) -> Option<Window> {
        let bytes = self.bind_spans(&self.box_spans(part))?;
        let (origin, end) = self.result_span(part);
        let result_bytes = self.result_bytes(origin, end)?;
        Some(Window {
            offsets: self.offsets(&part.start, &bytes),
            result_offset: self.result_offset(origin, &result_bytes),
            start: part.start.clone(),
            sizes: part.sizes.clone(),
            range: None,
            bytes,
            result_bytes,
        })
    }

    /// The halves of a box, along the dimension along which what does not fit is widest.
    fn halves(&self, part: &Part) -> Option<(Part, Part)> {
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
        let (origin, end) = self.result_span(part);
        if self.result_bytes(origin, end).is_none() {
            widen(&|dimension| self.strides[dimension] as u64, self.element_type);
        }
        let mut order: Vec<usize> = (0..self.dims.len()).filter(|&d| widths[d] > 0).collect();
        order.sort_by_key(|&dimension| std::cmp::Reverse(widths[dimension]));
        order.into_iter().find_map(|dimension| {
            let at = self.cut(part, dimension)?;
            let (mut low, mut high) = (part.clone(), part.clone());
            low.sizes[dimension] = at;
            high.start[dimension] += at;
            high.sizes[dimension] -= at;
            Some((low, high))
        })
    }

    /// How many places of the dimension the first half gets.
    fn cut(&self, part: &Part, dimension: usize) -> Option<usize> {
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
        // Elements that are words by themselves can be stored one by one.
        cut.or_else(|| (self.element_type.elements_a_word() == 1).then(|| near_middle(1)).flatten())
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
    fn ranges(&self) -> Result<Vec<Window>, Unbindable> {
        let whole = 0..self.dims.iter().map(|&size| size as u64).product();
        let mut windows = Vec::new();
        let mut stack = vec![whole];
        while let Some(range) = stack.pop() {
            if let Some(window) = self.range_window(&range) {
                windows.push(window);
                if windows.len() > MAX_WINDOWS {
                    return Err(Unbindable);
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
            let at = granules.into_iter().find_map(near_middle).ok_or(Unbindable)?;
            stack.extend([at..range.end, range.start..at]);
        }
        Ok(windows)
    }

    /// The window of a range, if it fits.
    fn range_window(&self, range: &Range<u64>) -> Option<Window> {
        let spans: Vec<Span> =
            self.views.iter().map(|view| self.range_span(view, range, 0, view.offset)).collect();
        let bytes = self.bind_spans(&spans)?;
        let result_bytes = self.result_bytes(range.start, range.end)?;
        let (start, sizes) = self.around(range);
        // Kernels count in 32 bits.
        sizes.iter().try_for_each(|&size| u32::try_from(size).map(drop)).ok()?;
        let origin = dot(&start, &self.strides);
        Some(Window {
            offsets: self.offsets(&start, &bytes),
            result_offset: self.result_offset(range.start, &result_bytes),
            range: Some(FlatRange {
                start: u32::try_from(range.start - origin).ok()?,
                count: u32::try_from(range.end - range.start).ok()?,
            }),
            start,
            sizes,
            bytes,
            result_bytes,
        })
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

    /// What a leaf reads for a range of the row-major order of the dimensions from this one on,
    /// whose origin is at the element `origin`.
    fn range_span(&self, view: &View<'_>, range: &Range<u64>, from: usize, origin: i64) -> Span {
        let Some(&stride) = self.strides.get(from) else {
            return Span { first: origin, last: origin };
        };
        let stride = stride as u64;
        let at = |place: u64| origin + view.strides[from] as i64 * place as i64;
        let (low, high) = (range.start / stride, (range.end - 1) / stride);
        let first = range.start % stride;
        let last = (range.end - 1) % stride + 1;
        if low == high {
            return self.range_span(view, &(first..last), from + 1, at(low));
        }
        let mut span = self
            .range_span(view, &(first..stride), from + 1, at(low))
            .join(self.range_span(view, &(0..last), from + 1, at(high)));
        if high - low > 1 {
            let whole = |place| self.range_span(view, &(0..stride), from + 1, at(place));
            span = span.join(whole(low + 1)).join(whole(high - 1));
        }
        span
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
    fn result_offset(&self, element: u64, bound: &Range<u64>) -> u32 {
        (element - self.element_type.elements_in(bound.start)) as u32
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
    if view.binding.is_none() {
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

fn is_contiguous(sizes: &[usize], dims: &[usize]) -> bool {
    // Dimensions of size 1 outside, then one that may be cut, then whole ones.
    let mut rest = sizes.iter().zip(dims).skip_while(|&(&size, _)| size == 1);
    rest.next();
    rest.all(|(size, whole)| size == whole)
}

fn dot(places: &[usize], strides: &[usize]) -> u64 {
    places.iter().zip(strides).map(|(&place, &stride)| place as u64 * stride as u64).sum()
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests;

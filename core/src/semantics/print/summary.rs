//! [`Summary`]: the printed elements of an array that is too large to hold.

use std::fmt;
use std::ops::Range;

use crate::semantics::dims::Dims;
use crate::semantics::element::{ElementType, Scalar};
use crate::semantics::error::{Error, Result};
use crate::semantics::literal::size_in_bytes;
use crate::semantics::print::array::{THRESHOLD, shown, write_values};
use crate::semantics::shape::{Shape, ShapeError};

/// The elements that printing an array shows: above 1,000 elements, three at each end of a
/// dimension that has more than six. It prints like the whole [`Literal`](crate::Literal).
///
/// `Array::summary` makes one of an array on the device. Off the web it is also a `ChunkSink`,
/// which keeps these elements of the chunks it is given.
///
/// ```
/// use indim::{ElementType, Summary};
///
/// let mut summary = Summary::new(ElementType::S32, [1_000_000_000])?;
/// for region in summary.regions() {
///     let values: Vec<u8> = region[0].clone().flat_map(|i| (i as i32).to_le_bytes()).collect();
///     summary.take(&region, &values);
/// }
/// assert_eq!(summary.to_string(), "[        0         1         2 ... 999999997 999999998 999999999]");
/// # Ok::<(), indim::Error>(())
/// ```
#[derive(Clone)]
pub struct Summary {
    element_type: ElementType,
    shape: Shape,
    /// The shown indices along each dimension; `None` is the gap between them.
    visible: Vec<Vec<Option<usize>>>,
    /// The shown elements, in row-major order.
    bytes: Vec<u8>,
}

impl Summary {
    /// Returns a summary of an array whose elements are yet to be taken; until then all are 0.
    ///
    /// ```
    /// use indim::{ElementType, Summary};
    ///
    /// let summary = Summary::new(ElementType::S32, [2_000])?;
    /// assert_eq!(summary.to_string(), "[0 0 0 ... 0 0 0]");
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ShapeError::TooManyBytes`] if the shown elements do not fit into memory; rule C1.
    pub fn new(element_type: ElementType, shape: impl Dims) -> Result<Self> {
        let shape = shape.to_shape().map_err(Error::shape("array"))?;
        size_in_bytes(element_type, &shape)?;
        let count = shape.element_count().map_err(Error::shape("array"))?;
        // Sizes of an array without elements may be arbitrarily large.
        let sizes = shape.dims().iter().map(|&size| if count == 0 { 0 } else { size });
        let visible: Vec<_> = sizes.map(|size| shown(size, count > THRESHOLD)).collect();
        let each = element_type.size_in_bytes();
        let mut kept = visible.iter().map(|shown| shown.iter().flatten().count());
        let kept = kept.try_fold(each, usize::checked_mul);
        let mut bytes = Vec::new();
        match kept.filter(|&kept| bytes.try_reserve_exact(kept).is_ok()) {
            Some(kept) => bytes.resize(kept, 0),
            None => {
                let error = ShapeError::TooManyBytes { element_type, shape };
                return Err(Error::shape("array")(error));
            }
        }
        Ok(Self { element_type, shape, visible, bytes })
    }

    /// Returns the type of the elements.
    ///
    /// ```
    /// use indim::{ElementType, Summary};
    ///
    /// assert_eq!(Summary::new(ElementType::S32, [2_000])?.element_type(), ElementType::S32);
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn element_type(&self) -> ElementType {
        self.element_type
    }

    /// Returns the shape of the whole array.
    ///
    /// ```
    /// use indim::{ElementType, Summary};
    ///
    /// assert_eq!(Summary::new(ElementType::S32, [2_000])?.shape().dims(), [2_000]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Returns the shown regions of the array, each with a range of indices for each dimension: one
    /// region, or one for each corner of the array.
    ///
    /// ```
    /// use indim::{ElementType, Summary};
    ///
    /// let summary = Summary::new(ElementType::S32, [2_000, 2])?;
    /// assert_eq!(summary.regions(), [[0..3, 0..2], [1_997..2_000, 0..2]]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn regions(&self) -> Vec<Vec<Range<usize>>> {
        if self.bytes.is_empty() {
            return Vec::new();
        }
        let mut regions: Vec<Vec<Range<usize>>> = vec![Vec::new()];
        for (visible, &size) in self.visible.iter().zip(self.shape.dims()) {
            let gap = visible.iter().position(Option::is_none);
            let ends = match gap {
                Some(edge) => vec![0..edge, size - edge..size],
                None => std::iter::once(0..size).collect(),
            };
            let with = |region: &Vec<Range<usize>>, end: &Range<usize>| {
                region.iter().chain([end]).cloned().collect()
            };
            regions = regions.iter().flat_map(|r| ends.iter().map(|end| with(r, end))).collect();
        }
        regions
    }

    /// Returns the abbreviated dimensions, each with the number of elements shown at either end.
    ///
    /// ```
    /// use indim::{ElementType, Summary};
    ///
    /// assert_eq!(Summary::new(ElementType::S32, [2_000, 2])?.gaps(), [(0, 3)]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn gaps(&self) -> Vec<(usize, usize)> {
        let gap = |visible: &Vec<Option<usize>>| visible.iter().position(Option::is_none);
        let gaps = self.visible.iter().map(gap).enumerate();
        gaps.filter_map(|(dimension, edge)| Some((dimension, edge?))).collect()
    }

    /// Keeps the shown elements, which are given in row-major order.
    ///
    /// ```
    /// use indim::{ElementType, Summary};
    ///
    /// let mut summary = Summary::new(ElementType::U8, [2_000])?;
    /// summary.fill(vec![1, 2, 3, 7, 8, 9]);
    /// assert_eq!(summary.to_string(), "[1 2 3 ... 7 8 9]");
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn fill(&mut self, shown: Vec<u8>) {
        debug_assert_eq!(shown.len(), self.bytes.len());
        self.bytes = shown;
    }

    /// Keeps the shown ones among the elements of a region, given in row-major order. Regions
    /// outside of the array are ignored.
    ///
    /// ```
    /// use indim::{ElementType, Summary};
    ///
    /// let mut summary = Summary::new(ElementType::U8, [2_000])?;
    /// summary.take(&[0..5], &[1, 2, 3, 4, 5]); // two of them are not shown
    /// assert_eq!(summary.to_string(), "[1 2 3 ... 0 0 0]");
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn take(&mut self, region: &[Range<usize>], bytes: &[u8]) {
        let is_within = |(range, &size): (&Range<usize>, &usize)| range.end <= size;
        if region.len() != self.visible.len()
            || !region.iter().zip(self.shape.dims()).all(is_within)
        {
            return;
        }
        // For each dimension, positions among the shown indices and in the region.
        let mut both: Vec<Vec<(usize, usize)>> = Vec::with_capacity(region.len());
        for (visible, range) in self.visible.iter().zip(region) {
            let shown = visible.iter().flatten().enumerate();
            let inside = shown.filter(|(_, index)| range.contains(index));
            both.push(inside.map(|(place, &index)| (place, index - range.start)).collect());
        }
        if both.iter().any(Vec::is_empty) {
            return;
        }
        let sizes = |of: Vec<usize>| Shape::from(of).strides();
        let to = sizes(self.visible.iter().map(|shown| shown.iter().flatten().count()).collect());
        let from = sizes(region.iter().map(Range::len).collect());
        let each = self.element_type.size_in_bytes();
        let mut at = vec![0; both.len()];
        loop {
            let (mut place, mut index) = (0, 0);
            for (d, &i) in at.iter().enumerate() {
                place += both[d][i].0 * to[d];
                index += both[d][i].1 * from[d];
            }
            let kept = self.bytes.get_mut(place * each..(place + 1) * each);
            if let (Some(kept), Some(given)) = (kept, bytes.get(index * each..(index + 1) * each)) {
                kept.copy_from_slice(given);
            }
            let Some(d) = (0..at.len()).rev().find(|&d| at[d] + 1 < both[d].len()) else { return };
            at[d] += 1;
            at[d + 1..].fill(0);
        }
    }
}

impl fmt::Debug for Summary {
    /// Writes type and shape: `Summary(f32[2, 3])`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Summary({}{})", self.element_type, self.shape)
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.bytes.is_empty() {
            return f.write_str("[]");
        }
        let element = |bytes: &[u8]| {
            let mut bits = [0; 8];
            bits[..bytes.len()].copy_from_slice(bytes);
            Scalar::from_bits(self.element_type, u64::from_le_bytes(bits))
        };
        let elements = self.bytes.chunks_exact(self.element_type.size_in_bytes()).map(element);
        write_values(f, self.element_type, &self.visible, elements)
    }
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init, reason = "a region may have one dimension")]
mod tests {
    use super::*;
    use crate::semantics::literal::Literal;

    #[test]
    fn arrays_without_elements_and_regions_that_are_none_take_no_memory() {
        let mut empty = Summary::new(ElementType::F32, [0, 1_usize << 60]).unwrap();
        assert_eq!(empty.regions(), [] as [Vec<Range<usize>>; 0]);
        empty.take(&[0..0, 0..1 << 60], &[]);
        assert_eq!(empty.to_string(), "[]");
        assert!(Summary::new(ElementType::F64, [1_usize << 60, 4]).is_err());
        let mut two = Summary::new(ElementType::U8, [2]).unwrap();
        two.take(&[0..usize::MAX], &[7; 9]);
        two.take(&[1..2], &[5]);
        assert_eq!(two.to_string(), "[0 5]");
    }

    #[test]
    fn a_summary_prints_as_the_array_does() {
        for sizes in [&[][..], &[5], &[0, 3], &[1001], &[40, 50], &[2, 700], &[3, 9, 50], &[7; 4]] {
            let shape = Shape::new(sizes);
            let count = shape.element_count().unwrap();
            let values: Vec<f32> = (0..count).map(|i| i as f32 * 0.37 - 5.0).collect();
            let literal = Literal::from_slice(shape.clone(), &values).unwrap();
            let mut corners = Summary::new(ElementType::F32, shape.clone()).unwrap();
            let strides = shape.strides();
            for region in corners.regions() {
                let sizes = Shape::from(region.iter().map(Range::len).collect::<Vec<_>>());
                let inner = sizes.strides();
                let element = |i: usize| -> f32 {
                    let index =
                        (0..region.len()).map(|d| region[d].start + i / inner[d] % region[d].len());
                    values[index.zip(&strides).map(|(i, stride)| i * stride).sum::<usize>()]
                };
                let piece = (0..sizes.element_count().unwrap()).map(element);
                let piece: Vec<u8> = piece.flat_map(f32::to_le_bytes).collect();
                corners.take(&region, &piece);
            }
            assert_eq!(corners.to_string(), literal.to_string(), "{shape}");
            let mut all = Summary::new(ElementType::F32, shape.clone()).unwrap();
            let whole: Vec<Range<usize>> = sizes.iter().map(|&size| 0..size).collect();
            all.take(&whole, literal.bytes());
            assert_eq!(all.to_string(), literal.to_string(), "{shape}");
        }
    }
}

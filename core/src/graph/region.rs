//! [`Region`]: a box of an array's indices.

use std::ops::Range;

use crate::semantics::shape::Shape;

/// A range of indices along each dimension of an array.
pub type Region = Vec<Range<usize>>;

/// Returns the region of a whole array.
pub fn whole(shape: &Shape) -> Region {
    shape.dims().iter().map(|&size| 0..size).collect()
}

/// Returns the sizes of a region.
pub fn sizes(region: &[Range<usize>]) -> Shape {
    Shape::from(region.iter().map(Range::len).collect::<Vec<_>>())
}

/// Returns the first index of a region along each dimension.
pub fn origin(region: &[Range<usize>]) -> Vec<usize> {
    region.iter().map(|range| range.start).collect()
}

/// Returns true if a region's elements are consecutive in an array of this shape.
pub fn is_contiguous(region: &[Range<usize>], shape: &Shape) -> bool {
    // Dimensions of size 1 come first, then one that may be cut, then whole ones.
    let sides = region.iter().map(Range::len).zip(shape.dims());
    let mut rest = sides.skip_while(|&(size, _)| size == 1);
    rest.next();
    rest.all(|(size, &whole)| size == whole)
}

/// Grows `region` to the smallest box of an array of these sizes whose elements are consecutive and
/// include these. Returns the numbers of all its elements.
pub fn box_around(sizes: &[usize], flat: Range<u64>, region: &mut [Range<usize>]) -> Range<u64> {
    let strides = Shape::new(sizes).strides();
    let (mut start, mut end) = (flat.start, flat.end);
    let mut corner = 0;
    for (d, stride) in strides.into_iter().map(|stride| stride as u64).enumerate() {
        let (first, last) = (start / stride, (end - 1) / stride);
        region[d] = first as usize..last as usize + 1;
        if first != last {
            region[d + 1..].iter_mut().zip(&sizes[d + 1..]).for_each(|(r, &size)| *r = 0..size);
            return corner + first * stride..corner + (last + 1) * stride;
        }
        corner += first * stride;
        (start, end) = (start - first * stride, end - first * stride);
    }
    corner..corner + 1
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init, reason = "a region may have one dimension")]
mod tests {
    use super::*;

    #[test]
    fn a_box_is_around_what_it_is_asked_for() {
        let around = |sizes: &[usize], flat| {
            let mut region = vec![0..0; sizes.len()];
            let flat = box_around(sizes, flat, &mut region);
            (region, flat)
        };
        assert_eq!(around(&[4, 6], 6..18), (vec![1..3, 0..6], 6..18));
        assert_eq!(around(&[4, 6], 7..8), (vec![1..2, 1..2], 7..8));
        assert_eq!(around(&[4, 6], 7..10), (vec![1..2, 1..4], 7..10));
        assert_eq!(around(&[4, 6], 5..7), (vec![0..2, 0..6], 0..12));
        assert_eq!(around(&[2, 3, 4], 13..15), (vec![1..2, 0..1, 1..3], 13..15));
    }
}

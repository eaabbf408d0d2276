//! [`Load`]: an operand of a kernel, with an offset and strides in the kernel's space.
//!
//! Broadcasts and views have disappeared here: a broadcast operand has a stride of 0, a reversed
//! one a negative stride.

use indim_core::graph::computation::NodeId;
use indim_core::semantics::element::{ElementType, Form};
use indim_core::semantics::shape::Shape;

/// An array that is read. What made it is a node in the compiler, and a step in a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ArrayId<Maker = NodeId> {
    /// The array given for this parameter.
    Parameter(usize),
    /// The array in which an earlier kernel stored a value.
    Stored(Maker),
}

/// The source of a load's elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum LoadSource {
    /// An array that the kernel only reads.
    Array(ArrayId),
    /// The existing array that the kernel writes as the output of this number; each element is read
    /// at the position where it is written.
    Destination(usize),
    /// No array: the value is the index along a dimension.
    Iota,
}

/// One operand of a kernel, as its code reads it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Load {
    pub(crate) source: LoadSource,
    pub(crate) element_type: ElementType,
    /// The shape of the array as it is stored.
    pub(crate) shape: Shape,
    /// For each of its dimensions, the corresponding dimension of the kernel's space; `None` after
    /// a reshape that splits or merges dimensions.
    pub(crate) dimensions: Option<Vec<usize>>,
    /// Elements from the array's first one to the one at the origin of the kernel's space; it may
    /// lie outside of the array if the load is clamped.
    pub(crate) offset: isize,
    /// The distance in elements between neighbours, for each dimension of the kernel's space; 0
    /// where the array is broadcast, negative where it is traversed backwards.
    pub(crate) strides: Vec<isize>,
    /// The same for each dimension along which the kernel folds.
    pub(crate) folded: Vec<isize>,
    /// True if the space includes positions outside of the array. Any element may be read there,
    /// since the kernel selects another value.
    pub(crate) clamped: bool,
    /// True for an array of which a kernel reads elements at computed positions, counted from the
    /// offset. Its strides are 0, and all of it is bound.
    pub(crate) table: bool,
}

impl Load {
    /// Returns the array that it reads, unless that is the one that the kernel writes.
    pub(crate) fn array(&self) -> Option<ArrayId> {
        match self.source {
            LoadSource::Array(array) => Some(array),
            LoadSource::Destination(_) | LoadSource::Iota => None,
        }
    }

    /// Returns the number of elements from the start of a binding to the one at the origin, if the
    /// array begins `bytes` after the start.
    pub(crate) fn offset_in_binding(&self, bytes: u32) -> i64 {
        let before = self.element_type.elements_in(u64::from(bytes)).cast_signed();
        before.wrapping_add(self.offset as i64)
    }

    /// Returns true if another load has the same elements.
    pub(crate) fn reads_as(&self, other: &Self) -> bool {
        self.source == other.source
            && self.offset == other.offset
            && self.strides == other.strides
            && self.folded == other.folded
            && self.table == other.table
            && self.element_type == other.element_type
    }

    /// Returns true if an iota of this type needs a 64-bit index: every form does except 32-bit
    /// integers, for which the lower 32 bits suffice.
    pub(crate) fn is_long_as_iota(&self) -> bool {
        !matches!(self.element_type.form(), Form::S32 | Form::U32)
    }
}

/// Returns true if these strides, over a space of these sizes, lead outside of an array.
pub(crate) fn leaves(offset: isize, strides: &[isize], space: &[usize], array: &Shape) -> bool {
    if space.contains(&0) {
        return false;
    }
    let (mut first, mut last) = (offset as i128, offset as i128);
    for (&stride, &size) in strides.iter().zip(space) {
        let reach = stride as i128 * (size as i128 - 1);
        first += reach.min(0);
        last += reach.max(0);
    }
    let count = array.element_count().map_or(i128::MAX, |count| count as i128);
    first < 0 || last >= count
}

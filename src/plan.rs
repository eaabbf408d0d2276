//! Plans one kernel: from its iteration space and strides to the structure that decides the
//! shader's text ([`Kernel`]) and the numbers that only go into its uniform block ([`Launch`]).
//!
//! Dimensions of size 1 are dropped and neighbours that every operand walks through alike are
//! merged, so that most expressions end at rank 1 or 2. Then each operand gets an access mode in
//! the innermost dimension, and the space is cut into quads of four consecutive elements of the
//! flat result, the unit that one invocation writes.

use std::fmt;

use crate::element::{ElementType, Scalar};
use crate::limits::PlanLimits;
use crate::lower::{Fragment, Leaf, Source, Value, ValueRef};

/// Elements that one invocation writes at once. Two invocations never write one word.
pub(crate) const QUAD: usize = 4;

/// How the invocations walk through the iteration space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Schedule {
    /// One dimension: quads of the flat result, a few an invocation.
    Flat,
    /// The inner size is a multiple of 4: an invocation owns one quad of some consecutive rows, and
    /// what does not vary from row to row is loaded and computed once.
    Rows,
    /// Any other inner size: a quad may span rows, so each of its elements finds its operands by
    /// stepping an index with carry.
    Carry,
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Flat => "flat",
            Self::Rows => "rows",
            Self::Carry => "carry",
        })
    }
}

/// How an operand is read for the four elements of a quad.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Access {
    /// Four neighbours in one load.
    Contiguous,
    /// One element for all four.
    Splat,
    /// Each of the four by itself.
    Gather,
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Contiguous => "contiguous",
            Self::Splat => "splat",
            Self::Gather => "gather",
        })
    }
}

/// How an array lies in its buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Elements from the start of the binding.
    pub(crate) offset: u32,
    /// Whether the binding ends at a multiple of the quad (16 bytes; 4 for PRED).
    pub(crate) padded: bool,
}

impl Layout {
    pub(crate) const OWN: Self = Self { offset: 0, padded: true };
}

/// The structure of one kernel: all that its text depends on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Kernel {
    pub(crate) schedule: Schedule,
    /// Number of merged dimensions.
    pub(crate) rank: usize,
    pub(crate) bindings: Vec<Binding>,
    pub(crate) leaves: Vec<KernelLeaf>,
    /// Element types of the constants.
    pub(crate) constants: Vec<ElementType>,
    pub(crate) values: Vec<Value>,
    pub(crate) result: ValueRef,
    pub(crate) element_type: ElementType,
    pub(crate) workgroup_size: u32,
    pub(crate) quads_per_invocation: u32,
    /// In a flat kernel; false in others.
    pub(crate) interleaved: bool,
    /// Whether the parameter block is bound as storage, because it is too large for a uniform.
    pub(crate) params_in_storage: bool,
}

/// A buffer that is read, bound once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Binding {
    /// As quads of 16 bytes; else as words of 4.
    pub(crate) quads: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct KernelLeaf {
    /// Number of the binding; `None` for an iota.
    pub(crate) binding: Option<usize>,
    pub(crate) element_type: ElementType,
    pub(crate) access: Access,
    /// Whether it is the same in every row of a tile.
    pub(crate) hoisted: bool,
}

impl Kernel {
    /// Members of the parameter block in front of the constants; each is one u32.
    pub(crate) fn fields(&self) -> Vec<Field> {
        let mut fields = vec![Field::Zero, Field::Total, Field::Fold];
        if self.schedule == Schedule::Rows {
            fields.extend([Field::TileRows, Field::RowTiles, Field::RowQuads]);
        }
        if self.schedule != Schedule::Flat {
            fields.extend((0..self.rank).map(Field::Size));
        }
        for (number, leaf) in self.leaves.iter().enumerate() {
            fields.push(Field::Offset(number));
            // A contiguous operand of a carry kernel is walked through like the result.
            if self.schedule != Schedule::Carry || leaf.access == Access::Gather {
                fields.extend((0..self.rank).map(|d| Field::Stride(number, d)));
            }
            if self.schedule == Schedule::Carry && leaf.access == Access::Gather {
                fields.extend((0..self.rank - 1).map(|d| Field::CarryStep(number, d)));
            }
        }
        fields
    }

    /// Words in front of the constants, which start at a multiple of 16 bytes.
    pub(crate) fn header_words(&self) -> usize {
        self.fields().len().next_multiple_of(4)
    }

    /// Size of the parameter block in bytes.
    pub(crate) fn block_bytes(&self) -> usize {
        (self.header_words() + self.constants.len().next_multiple_of(4)) * 4
    }
}

/// A member of the parameter block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    /// Always 0, which no compiler knows: it keeps a product's rounding apart from a sum's.
    Zero,
    /// How many quads, or tiles of rows, there are.
    Total,
    /// Workgroups in the first dimension of the dispatch.
    Fold,
    /// Rows a tile.
    TileRows,
    /// Tiles that cover the rows.
    RowTiles,
    /// Quads a row.
    RowQuads,
    /// Size of a merged dimension.
    Size(usize),
    /// Where a leaf starts, in elements.
    Offset(usize),
    /// Stride of a leaf along a dimension, in elements. Modulo 2^32.
    Stride(usize, usize),
    /// What carrying into a dimension adds to a leaf's offset: one step along it, less the whole
    /// next inner one. Modulo 2^32.
    CarryStep(usize, usize),
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Zero => f.write_str("zero"),
            Self::Total => f.write_str("total"),
            Self::Fold => f.write_str("fold"),
            Self::TileRows => f.write_str("tile_rows"),
            Self::RowTiles => f.write_str("row_tiles"),
            Self::RowQuads => f.write_str("row_quads"),
            Self::Size(d) => write!(f, "size_{d}"),
            Self::Offset(leaf) => write!(f, "offset_{leaf}"),
            Self::Stride(leaf, d) => write!(f, "stride_{leaf}_{d}"),
            Self::CarryStep(leaf, d) => write!(f, "carry_{leaf}_{d}"),
        }
    }
}

/// One dispatch of a kernel.
#[derive(Debug, Clone)]
pub(crate) struct Launch {
    pub(crate) kernel: Kernel,
    /// What each binding of the kernel reads.
    pub(crate) sources: Vec<Source>,
    /// The parameter block.
    pub(crate) words: Vec<u32>,
    /// Workgroups; none where there is no element.
    pub(crate) groups: [u32; 2],
    /// The merged iteration space.
    pub(crate) space: Vec<usize>,
    /// Each leaf's strides in it, in elements.
    pub(crate) strides: Vec<Vec<isize>>,
}

/// Plans a kernel over arrays that lie as `layout` says.
pub(crate) fn plan(
    fragment: &Fragment,
    limits: &PlanLimits,
    layout: impl Fn(Source) -> Layout,
) -> Launch {
    let merged = Merged::new(fragment);
    let schedule = match merged.sizes.as_slice() {
        [_] => Schedule::Flat,
        [.., inner] if inner % QUAD == 0 => Schedule::Rows,
        _ => Schedule::Carry,
    };
    let sources = fragment.sources();
    let leaves: Vec<KernelLeaf> = fragment
        .leaves
        .iter()
        .zip(&merged.strides)
        .map(|(leaf, strides)| {
            let access = merged.access(schedule, leaf, strides, layout(leaf.source));
            KernelLeaf {
                binding: sources.iter().position(|&s| s == leaf.source),
                element_type: leaf.element_type,
                access,
                hoisted: match schedule {
                    Schedule::Rows => strides[merged.sizes.len() - 2] == 0,
                    Schedule::Flat | Schedule::Carry => access == Access::Splat,
                },
            }
        })
        .collect();
    let bindings = sources
        .iter()
        .map(|&source| {
            let pred = fragment
                .leaves
                .iter()
                .any(|l| l.source == source && l.element_type == ElementType::Pred);
            Binding { quads: layout(source).padded && !pred }
        })
        .collect();

    let mut kernel = Kernel {
        schedule,
        rank: merged.sizes.len(),
        bindings,
        leaves,
        constants: fragment.constants.iter().map(|c| c.element_type()).collect(),
        values: fragment.values.clone(),
        result: fragment.result,
        element_type: fragment.element_type,
        workgroup_size: limits.workgroup_size.max(1),
        quads_per_invocation: limits.quads_per_invocation.max(1),
        interleaved: limits.interleaved && schedule == Schedule::Flat,
        params_in_storage: false,
    };
    kernel.params_in_storage = kernel.block_bytes() > limits.max_uniform_bytes as usize;
    let walk = Walk::new(&kernel, &merged.sizes, limits);
    let offsets: Vec<u32> =
        fragment.leaves.iter().map(|leaf| first_element(leaf, layout(leaf.source))).collect();
    let words = block(&kernel, &merged, &walk, &offsets, &fragment.constants);
    Launch {
        kernel,
        sources,
        words,
        groups: walk.groups,
        space: merged.sizes,
        strides: merged.strides,
    }
}

/// The iteration space after dropping and merging dimensions, and the leaves' strides in it.
struct Merged {
    sizes: Vec<usize>,
    strides: Vec<Vec<isize>>,
}

impl Merged {
    fn new(fragment: &Fragment) -> Self {
        if fragment.space.dims().contains(&0) {
            // Nothing to walk through; products of the other sizes might overflow.
            return Self { sizes: vec![0], strides: vec![vec![0]; fragment.leaves.len()] };
        }
        let mut sizes: Vec<usize> = Vec::new();
        let mut strides: Vec<Vec<isize>> = vec![Vec::new(); fragment.leaves.len()];
        for (dimension, &size) in fragment.space.dims().iter().enumerate() {
            if size == 1 {
                continue;
            }
            // A step along the dimension outside must be a whole walk through this one, for all.
            let merges = sizes.last().is_some()
                && fragment.leaves.iter().zip(&strides).all(|(leaf, merged)| {
                    let walk = leaf.strides[dimension].checked_mul(size.cast_signed());
                    merged.last().copied() == walk
                });
            match sizes.last_mut() {
                Some(last) if merges => *last *= size,
                _ => sizes.push(size),
            }
            for (leaf, merged) in fragment.leaves.iter().zip(&mut strides) {
                if merges {
                    merged.pop();
                }
                merged.push(leaf.strides[dimension]);
            }
        }
        if sizes.is_empty() {
            sizes.push(1);
            strides.iter_mut().for_each(|s| s.push(0));
        }
        Self { sizes, strides }
    }

    fn access(&self, schedule: Schedule, leaf: &Leaf, strides: &[isize], layout: Layout) -> Access {
        let aligned = layout.padded && first_element(leaf, layout).is_multiple_of(QUAD as u32);
        let is_iota = leaf.source == Source::Iota;
        let (inner, outer) = match strides {
            [outer @ .., inner] => (*inner, outer),
            [] => (0, strides),
        };
        match schedule {
            Schedule::Flat | Schedule::Rows if inner == 0 => Access::Splat,
            Schedule::Flat | Schedule::Rows
                if inner == 1
                    && (is_iota
                        || aligned && outer.iter().all(|s| s % QUAD.cast_signed() == 0)) =>
            {
                Access::Contiguous
            }
            Schedule::Carry if strides.iter().all(|&s| s == 0) => Access::Splat,
            Schedule::Carry if aligned && !is_iota && self.is_dense(strides) => Access::Contiguous,
            _ => Access::Gather,
        }
    }

    /// Whether the strides are the result's own.
    fn is_dense(&self, strides: &[isize]) -> bool {
        let mut step = 1;
        for (&size, &stride) in self.sizes.iter().zip(strides).rev() {
            if stride != step {
                return false;
            }
            step *= size.cast_signed();
        }
        true
    }
}

/// Where in its binding a leaf's element at the origin of the space is; for an iota, its value
/// there. What no binding reaches is meant modulo 2^32, as all positions in a kernel are.
fn first_element(leaf: &Leaf, layout: Layout) -> u32 {
    layout.offset.wrapping_add(leaf.offset as u32)
}

/// How the invocations cover the space.
struct Walk {
    total: usize,
    tile_rows: usize,
    row_tiles: usize,
    row_quads: usize,
    groups: [u32; 2],
}

impl Walk {
    fn new(kernel: &Kernel, sizes: &[usize], limits: &PlanLimits) -> Self {
        let count: usize = sizes.iter().product();
        let quads = count.div_ceil(QUAD);
        let workgroup = kernel.workgroup_size as usize;
        let (mut tile_rows, mut row_tiles, mut row_quads) = (0, 0, 0);
        let (total, per_group) = match (kernel.schedule, sizes) {
            (Schedule::Rows, [outer @ .., rows, inner]) => {
                tile_rows = (limits.tile_rows as usize).clamp(1, (*rows).max(1));
                row_tiles = rows.div_ceil(tile_rows);
                row_quads = inner / QUAD;
                (outer.iter().product::<usize>() * row_tiles * row_quads, workgroup)
            }
            _ => (quads, workgroup * kernel.quads_per_invocation as usize),
        };
        let groups = if count == 0 { 0 } else { total.div_ceil(per_group) };
        Self { total, tile_rows, row_tiles, row_quads, groups: fold(groups, limits) }
    }
}

/// Folds a count of workgroups into two dimensions, with less than one line to spare.
fn fold(groups: usize, limits: &PlanLimits) -> [u32; 2] {
    let most = (limits.max_compute_workgroups_per_dimension as usize).max(1);
    if groups == 0 {
        return [0, 0];
    }
    let lines = groups.div_ceil(most);
    let line = groups.div_ceil(lines);
    let saturate = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    [saturate(line), saturate(lines)]
}

/// Fills the parameter block.
fn block(
    kernel: &Kernel,
    merged: &Merged,
    walk: &Walk,
    offsets: &[u32],
    constants: &[Scalar],
) -> Vec<u32> {
    let mut words = Vec::with_capacity(kernel.block_bytes() / 4);
    for field in kernel.fields() {
        let value = match field {
            Field::Zero => 0,
            Field::Total => walk.total,
            Field::Fold => walk.groups[0] as usize,
            Field::TileRows => walk.tile_rows,
            Field::RowTiles => walk.row_tiles,
            Field::RowQuads => walk.row_quads,
            Field::Size(d) => merged.sizes[d],
            Field::Offset(leaf) => offsets[leaf] as usize,
            Field::Stride(leaf, d) => merged.strides[leaf][d].cast_unsigned(),
            Field::CarryStep(leaf, d) => {
                let strides = &merged.strides[leaf];
                let inner = merged.sizes[d + 1].cast_signed().wrapping_mul(strides[d + 1]);
                strides[d].wrapping_sub(inner).cast_unsigned()
            }
        };
        // Sizes past 2^32 do not reach a device; strides and steps, which may be negative, are
        // meant modulo 2^32.
        words.push(value as u32);
    }
    words.resize(kernel.header_words(), 0);
    words.extend(constants.iter().map(|c| c.bits()));
    words.resize(kernel.block_bytes() / 4, 0);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dispatches_fold_into_two_dimensions() {
        let limits = PlanLimits { max_compute_workgroups_per_dimension: 8, ..Default::default() };
        for groups in 1..=64 {
            let [x, y] = fold(groups, &limits);
            assert!(x <= 8 && y <= 8 && (x * y) as usize >= groups);
            assert!(((x * y) as usize) < groups + y as usize, "less than one line to spare");
        }
        assert_eq!(fold(0, &limits), [0, 0]);
        assert_eq!(fold(65_536, &PlanLimits::default()), [32_768, 2]);
    }
}

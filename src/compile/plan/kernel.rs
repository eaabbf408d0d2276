//! Plans one kernel: from its iteration space and strides to the structure that decides the
//! shader's text ([`Kernel`]) and the numbers that only go into its parameter block ([`Launch`]).
//!
//! The space's dimensions are merged ([`space`]), then it is cut into units of one or more quads of
//! consecutive elements of the result, which are loaded, computed and stored together; the schedule
//! says how invocations walk through the units ([`walk`]), and each operand gets an access mode
//! ([`access`]).

use std::fmt;

use super::access::{Access, Choice, MAX_UNIT, Placed, Reading, Word};
use super::space::{Piece, Space};
use super::walk::{SPARE_ALIGNMENT, Walk, elements};
use super::{access, params, tile};

use crate::compile::cost::{self, MAX_STRAIGHT_LINE};
use crate::compile::kernel_ir::{KernelIr, KernelOp, LoadSource, ValueRef};
use crate::compile::limits::{Division, Half, PlanLimits};
use crate::compile::wgsl::library::Choices;
use crate::semantics::element::ElementType;
use crate::semantics::opcode::Opcode;
use crate::semantics::shape::gcd;

/// Elements of a quad. No word of memory is written by two invocations: a quad is whole words of
/// every element type but S4 and U4, of which two are.
pub(crate) const QUAD: usize = 4;

/// Quads of the largest unit, but for rows of 3 elements.
pub(super) const MAX_QUADS: u32 = 8;

/// Bytes behind an array in which invocations past its end may write: a workgroup's units, which
/// are the largest where rows have 3 elements.
pub(crate) const SPARE_BYTES: usize = 64 * MAX_UNIT * 4;

/// Sizes of rows so short that the text knows them.
pub(super) const SHORT_ROWS: std::ops::RangeInclusive<usize> = 2..=4;

/// How the invocations walk through the iteration space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Schedule {
    /// One dimension: units of the flat result.
    Flat,
    /// The inner size is a multiple of the unit: an invocation owns one unit of some consecutive
    /// rows, and what does not vary from row to row is loaded and computed once.
    Rows,
    /// The inner size is not a multiple of the unit, but that of a few rows together is: the same
    /// with these periods in place of rows.
    Periods,
    /// Rows of 2 to 4 elements: a unit is whole rows, and the text knows where in a row each of its
    /// elements is.
    Short,
    /// An operand is transposed: an invocation owns a square block, a unit in either direction.
    Blocks,
    /// Anything else: quads that may span rows, in which each element finds its operands by
    /// stepping an index with carry.
    Carry,
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Flat => "flat",
            Self::Rows => "rows",
            Self::Periods => "periods",
            Self::Short => "short",
            Self::Blocks => "blocks",
            Self::Carry => "carry",
        })
    }
}

/// How an array lies in its binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Bytes from the start of the binding.
    pub(crate) offset: u32,
    /// Bytes of which the binding's size is a multiple, so that words of that size are whole.
    pub(crate) granularity: u32,
    /// Bytes behind the array, from the next multiple of 64 on, that may be written to.
    pub(crate) spare: u32,
}

impl Layout {
    pub(crate) const OWN: Self =
        Self { offset: 0, granularity: SPARE_ALIGNMENT as u32, spare: SPARE_BYTES as u32 };
}

/// The structure of one kernel: all that its text depends on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Kernel {
    pub(crate) schedule: Schedule,
    /// Number of merged dimensions.
    pub(crate) rank: usize,
    /// The dimension of the rows, where there are any.
    pub(crate) row: usize,
    /// Quads a unit.
    pub(crate) quads: u32,
    /// What each buffer that is read is an array of; bound once each.
    pub(crate) bindings: Vec<Word>,
    pub(crate) leaves: Vec<KernelLeaf>,
    /// Element types of the constants.
    pub(crate) constants: Vec<ElementType>,
    pub(crate) values: Vec<KernelOp>,
    pub(crate) result: ValueRef,
    pub(crate) element_type: ElementType,
    pub(crate) result_word: Word,
    /// Whether elements are stored one by one, each at its place: in a carry kernel over a piece
    /// that does not begin and end with quads of the result. Where several are in a word, others of
    /// them may be written meanwhile, so that it takes atomic operations.
    pub(crate) scattered: bool,
    pub(crate) workgroup_size: u32,
    /// In rows and periods, how many of these an invocation walks through at a time; else 1.
    pub(crate) tile_rows: u32,
    /// Whether these rows lie apart, so that invocations that run together walk through neighbours.
    pub(crate) spread: bool,
    /// In rows and periods without tiles, whether units are numbered as they lie in the result.
    pub(crate) in_order: bool,
    /// Elements of a row in a short kernel; 0 in others.
    pub(crate) short: usize,
    /// In flat and carry kernels; 1 in others.
    pub(crate) units_per_invocation: u32,
    /// In a flat kernel; false in others.
    pub(crate) interleaved: bool,
    pub(crate) branchless: bool,
    /// Whether the parameter block is bound as storage, because it is too large for a uniform.
    pub(crate) params_in_storage: bool,
    /// How quotients and square roots are computed.
    pub(crate) division: Division,
    pub(crate) square_root: Division,
    /// Whether 64-bit integers are the shader's own; else pairs of words.
    pub(crate) int64: bool,
    /// Whether functions with few hard operands are called for a unit at once, whether or not there
    /// is a branch at the kernel's start.
    pub(crate) by_units: bool,
    /// Whether functions go through 64-bit floats where there is such a way.
    pub(crate) through_f64: bool,
    /// Whether all values are F16, and computed in the shader's own 16-bit floats.
    pub(crate) half: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct KernelLeaf {
    /// Number of the binding; `None` for an iota.
    pub(crate) binding: Option<usize>,
    pub(crate) element_type: ElementType,
    pub(crate) access: Access,
    /// Distance in elements of neighbours that are read in words; in short kernels, whether the
    /// elements of a row differ.
    pub(crate) step: i32,
    /// Place of the first of them in its word.
    pub(crate) phase: u32,
    /// Whether it is the same in every row of a tile.
    pub(crate) hoisted: bool,
    /// Whether its elements lie as the result's do.
    pub(crate) dense: bool,
    /// Of an iota, whether its values have upper 32 bits other than 0.
    pub(crate) high: bool,
}

impl KernelLeaf {
    pub(crate) fn reading(&self) -> Reading {
        Reading { access: self.access, step: self.step, phase: self.phase }
    }
}

impl Kernel {
    /// Elements of a unit.
    pub(crate) fn unit(&self) -> usize {
        elements(self.quads)
    }

    /// Whether it stores elements one by one that are less than a word.
    pub(crate) fn stores_in_words(&self) -> bool {
        self.scattered && self.element_type.elements_a_word() > 1
    }

    /// The dimensions around the rows.
    pub(crate) fn outer_dimensions(&self) -> impl DoubleEndedIterator<Item = usize> + '_ {
        (0..self.rank.saturating_sub(1)).filter(|&d| d != self.row)
    }

    /// Which functions its text takes where there are several.
    pub(crate) fn choices(&self) -> Choices {
        Choices {
            division: self.division,
            square_root: self.square_root,
            int64: self.int64,
            through_f64: self.through_f64,
        }
    }

    /// How many blocks side by side, and below each other, a workgroup covers: as square as can be,
    /// so that the lines that a block reads in part are read by its neighbours meanwhile.
    pub(crate) fn block_group(&self) -> [usize; 2] {
        let size = self.workgroup_size as usize;
        let across =
            (1..=size).rev().find(|&n| n * n <= size && size.is_multiple_of(n)).unwrap_or(1);
        [across, size / across]
    }
}

/// One dispatch of a kernel.
#[derive(Debug, Clone)]
pub(crate) struct Launch {
    pub(crate) kernel: Kernel,
    /// What each binding of the kernel reads.
    pub(crate) sources: Vec<LoadSource>,
    /// The parameter block.
    pub(crate) words: Vec<u32>,
    /// Workgroups; none where there is no element.
    pub(crate) groups: [u32; 2],
    /// The merged iteration space.
    pub(crate) space: Vec<usize>,
    /// Each leaf's strides in it, in elements.
    pub(crate) strides: Vec<Vec<isize>>,
}

/// Plans a kernel over the whole of its space and arrays that lie as `layout` and `result` say.
pub(crate) fn plan(
    fragment: &KernelIr,
    limits: &PlanLimits,
    layout: impl Fn(LoadSource) -> Layout,
    result: Layout,
) -> Launch {
    let piece = Piece::whole(fragment, &layout);
    plan_piece(fragment, limits, &piece, layout, result)
}

/// Plans a kernel over a part of its space.
pub(crate) fn plan_piece(
    fragment: &KernelIr,
    limits: &PlanLimits,
    piece: &Piece,
    layout: impl Fn(LoadSource) -> Layout,
    result: Layout,
) -> Launch {
    let space = Space::new(fragment, piece);
    let way = Way::choose(fragment, piece, &space, limits, result);
    let mut kernel = structure(fragment, piece, &space, &way, limits, &layout);
    let bits = fragment.element_type.bits();
    let bytes = kernel.unit() * bits / 8;
    kernel.result_word = Word::dividing(bytes, limits.wide)
        .filter(|word| word.bytes() * 8 >= bits)
        .find(|word| (result.granularity as usize).is_multiple_of(word.bytes()))
        .filter(|_| !kernel.scattered)
        .unwrap_or(Word::least(bits));
    // Past the end every invocation of the last workgroup needs a unit of its own.
    kernel.branchless = limits.branchless
        && kernel.workgroup_size as usize * bytes <= result.spare as usize
        && kernel.units_per_invocation == 1
        && !matches!(kernel.schedule, Schedule::Blocks | Schedule::Carry);
    // Without branches it takes a row's end to be asked for, which periods do.
    let periods = way.schedule == Schedule::Periods;
    kernel.spread = kernel.tile_rows > 1 && (!kernel.branchless || periods);
    // Where nothing is kept from row to row, units are numbered as they lie in the result; all
    // periods are one then.
    let whole = match way.schedule {
        Schedule::Rows => space.is_dense(&space.result, space.rank()),
        Schedule::Periods => kernel.rank == 2,
        _ => false,
    };
    kernel.in_order = whole && kernel.tile_rows == 1;
    let one_period = kernel.in_order && periods;
    let period_rows = if one_period { space.sizes[way.row] } else { way.period_rows };
    kernel.params_in_storage = kernel.block_bytes() > limits.max_uniform_bytes as usize;
    let walk = Walk::new(&kernel, &space, piece, period_rows, limits);
    let words = params::block(&kernel, &space, piece, &walk, &fragment.constants);
    Launch {
        kernel,
        sources: fragment.sources(),
        words,
        groups: walk.groups,
        space: space.sizes,
        strides: space.strides,
    }
}

/// How a space is walked through.
pub(super) struct Way {
    pub(super) schedule: Schedule,
    pub(super) row: usize,
    pub(super) quads: u32,
    pub(super) period_rows: usize,
}

impl Way {
    fn choose(
        fragment: &KernelIr,
        piece: &Piece,
        space: &Space,
        limits: &PlanLimits,
        result: Layout,
    ) -> Self {
        let weight = weight(fragment);
        let least = least_quads(fragment.element_type);
        let allowed = limits.quads_per_unit.clamp(1, 4) * 32 / widest(fragment) as u32;
        let quick =
            |&quads: &u32| quads <= allowed && weight * elements(quads) <= MAX_STRAIGHT_LINE;
        let most = [MAX_QUADS, 4, 2].into_iter().find(quick).unwrap_or(1).max(least);
        let row = space.rank().saturating_sub(2);
        let way = |schedule, quads| Self { schedule, row, quads, period_rows: 1 };
        if piece.range.is_some() {
            return way(Schedule::Carry, least);
        }
        // Units are neighbours in the result, which those of a piece are not if it is cut along the
        // inner dimension down to one. They start at whole ones of the result's binding, and where
        // another piece follows, they end so, too.
        if space.inner() > 1 && space.result.last() != Some(&1) {
            return way(Schedule::Carry, least);
        }
        let count = space.count();
        let fits = |quads: u32, upto: usize| {
            let unit = elements(quads);
            if piece.has_neighbours && !count.is_multiple_of(unit) {
                return false;
            }
            let outer = space.result.iter().take(upto);
            (piece.result_offset as usize).is_multiple_of(unit)
                && outer.copied().all(|stride| stride.unsigned_abs().is_multiple_of(unit))
        };
        let sizes = [most, most / 2, most / 4, most / 8];
        let widest =
            |fits: &dyn Fn(u32) -> bool| sizes.into_iter().find(|&q| q >= least && fits(q));
        if space.rank() == 1 {
            return widest(&|quads| fits(quads, 0))
                .map_or(way(Schedule::Carry, least), |quads| way(Schedule::Flat, quads));
        }
        let inner = space.inner();
        let in_rows =
            |quads: u32| inner.is_multiple_of(elements(quads)) && fits(quads, space.rank() - 1);
        if let Some(blocks) = Self::blocks(fragment, space, limits, &in_rows) {
            return blocks;
        }
        if space.rank() == 2 && SHORT_ROWS.contains(&inner) && space.is_dense(&space.result, 2) {
            let quads = if inner == 3 { 3 * most } else { most };
            let bytes = elements(quads) * fragment.element_type.bits() / 8;
            let room = limits.workgroup_size as usize * bytes <= result.spare as usize;
            let quick = weight * elements(quads) <= MAX_STRAIGHT_LINE;
            if limits.branchless && room && quick && fits(quads, 0) {
                return way(Schedule::Short, quads);
            }
        }
        if in_rows(most) {
            return way(Schedule::Rows, most);
        }
        let period_rows = elements(most) / gcd(inner, elements(most));
        let whole = row == 0 || space.sizes[row].is_multiple_of(period_rows);
        if whole && space.is_dense(&space.result, 2) && fits(most, row) {
            return Self { schedule: Schedule::Periods, row, quads: most, period_rows };
        }
        widest(&in_rows).map_or(way(Schedule::Carry, least), |quads| way(Schedule::Rows, quads))
    }

    /// Square blocks of 8 or 4 elements, where an operand runs along another dimension.
    fn blocks(
        fragment: &KernelIr,
        space: &Space,
        limits: &PlanLimits,
        in_rows: &dyn Fn(u32) -> bool,
    ) -> Option<Self> {
        let row = fragment
            .loads
            .iter()
            .zip(&space.strides)
            .find_map(|(leaf, strides)| access::transposed_along(leaf, strides))?;
        let edges = if limits.wide { &[2, 1][..] } else { &[1] };
        let quads = edges
            .iter()
            .copied()
            .filter(|&quads| quads >= least_quads(fragment.element_type))
            .filter(|&quads| weight(fragment) * elements(quads).pow(2) <= MAX_STRAIGHT_LINE)
            .find(|&quads| in_rows(quads) && space.sizes[row].is_multiple_of(elements(quads)))?;
        Some(Self { schedule: Schedule::Blocks, row, quads, period_rows: 1 })
    }
}

/// Quads that a unit has at least, so that it is whole words of the result.
pub(super) fn least_quads(element_type: ElementType) -> u32 {
    // 8 at most.
    element_type.elements_a_word().div_ceil(QUAD) as u32
}

/// Whether a kernel only adds, subtracts and multiplies F16.
pub(super) fn is_half(fragment: &KernelIr) -> bool {
    let all_arrays = fragment.loads.iter().all(|leaf| leaf.source != LoadSource::Iota);
    let simple = |op| matches!(op, Opcode::Add | Opcode::Sub | Opcode::Mul);
    let mut values = fragment.ops.iter();
    let all_half = values.all(|v| simple(v.opcode) && v.element_type == ElementType::F16);
    all_arrays && all_half && !fragment.ops.is_empty()
}

/// Bits of the widest elements in a kernel's memory: how many elements a unit has goes by these.
pub(super) fn widest(fragment: &KernelIr) -> usize {
    let read = fragment.loads.iter().filter(|leaf| leaf.source != LoadSource::Iota);
    let bits = read.map(|leaf| leaf.element_type.bits());
    bits.chain([fragment.element_type.bits()]).max().unwrap_or(32)
}

/// About how many operations a kernel does on each element; one at least.
pub(super) fn weight(fragment: &KernelIr) -> usize {
    let weights = fragment.ops.iter().map(|op| cost::copy_weight(op.opcode, op.from));
    weights.sum::<usize>().max(1)
}

/// The kernel but for what depends on the result's memory.
pub(super) fn structure(
    fragment: &KernelIr,
    piece: &Piece,
    space: &Space,
    way: &Way,
    limits: &PlanLimits,
    layout: &impl Fn(LoadSource) -> Layout,
) -> Kernel {
    let choice = Choice {
        space,
        schedule: way.schedule,
        row: way.row,
        unit: elements(way.quads),
        wide: limits.wide,
    };
    let placed: Vec<Placed<'_>> = fragment
        .loads
        .iter()
        .zip(&space.strides)
        .zip(&piece.offsets)
        .map(|((leaf, strides), &offset)| Placed { leaf, strides, offset })
        .collect();
    let mut readings: Vec<Reading> = placed.iter().map(|leaf| choice.iota(leaf)).collect();
    let mut bindings = Vec::with_capacity(piece.bindings);
    for binding in 0..piece.bindings {
        let numbers: Vec<usize> = (0..placed.len())
            .filter(|&number| piece.leaf_bindings[number] == Some(binding))
            .collect();
        let leaves: Vec<&Placed<'_>> = numbers.iter().map(|&number| &placed[number]).collect();
        let lies = leaves.first().map_or(Layout::OWN, |placed| layout(placed.leaf.source));
        let (word, chosen) = choice.binding(lies, &leaves);
        bindings.push(word);
        for (number, reading) in numbers.into_iter().zip(chosen) {
            readings[number] = reading;
        }
    }
    let in_rows = !matches!(way.schedule, Schedule::Flat | Schedule::Carry);
    let leaves: Vec<KernelLeaf> = placed
        .iter()
        .zip(readings)
        .zip(&piece.leaf_bindings)
        .map(|((placed, reading), &binding)| KernelLeaf {
            binding,
            high: binding.is_none() && placed.leaf.is_long_as_iota() && placed.offset >> 32 != 0,
            element_type: placed.leaf.element_type,
            access: reading.access,
            step: reading.step,
            phase: reading.phase,
            dense: reading.access == Access::Contiguous
                && space.is_dense(placed.strides, space.rank()),
            hoisted: match in_rows {
                true => placed.strides[way.row] == 0,
                false => reading.access == Access::Splat,
            },
        })
        .collect();
    let tile_rows = tile::rows(way, space, &leaves, fragment, limits);
    let flat = matches!(way.schedule, Schedule::Flat | Schedule::Carry);
    let units = (limits.quads_per_invocation / way.quads).max(1);
    Kernel {
        schedule: way.schedule,
        rank: space.rank(),
        row: way.row,
        quads: way.quads,
        bindings,
        leaves,
        constants: fragment.constants.iter().map(|c| c.element_type()).collect(),
        values: fragment.ops.clone(),
        result: fragment.result,
        element_type: fragment.element_type,
        result_word: Word::Bytes4,
        scattered: way.schedule == Schedule::Carry
            && !piece.is_of_units(space, elements(way.quads)),
        workgroup_size: limits.workgroup_size.max(1),
        tile_rows,
        spread: false,
        in_order: false,
        short: if way.schedule == Schedule::Short { space.inner() } else { 0 },
        units_per_invocation: if flat { units } else { 1 },
        interleaved: limits.interleaved && way.schedule == Schedule::Flat,
        branchless: limits.branchless,
        params_in_storage: false,
        division: limits.division.unwrap_or_default(),
        square_root: limits.square_root.unwrap_or_default(),
        int64: limits.int64,
        by_units: limits.branchless,
        through_f64: limits.through_f64,
        half: limits.half == Some(Half::Native) && is_half(fragment),
    }
}

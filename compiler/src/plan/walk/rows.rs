//! [`Rows`]: rows of whole units.

use super::tile::{Tile, Tiles};
use super::traverse::{Counts, Extent, Traverse};
use crate::kernel::body::ValueRef;
use crate::layout::elements;
use crate::plan::access::KernelLoad;
use crate::plan::field::Field;
use crate::plan::input::PlanInput;
use crate::plan::schedule::Schedule;
use indim_core::semantics::opcode::Cost;

/// The minimum number of bytes that a tile should cover. With less, the invocations that run
/// together visit one page in several spots, which hardware prefetchers do not follow. (Measured on
/// lavapipe: an add of rows of 256 bytes takes 1.4 times as long in tiles of 2 KiB as in 8 KiB.)
const TILE_BYTES: usize = 8 << 10;

/// Operations of one row up to which a longer tile pays. (Measured on lavapipe, in units of 16
/// elements: a sum of two arrays takes 1.04 times as long in tiles of 2 rows as of 4, a compare, a
/// product and a select 1.15 times as long in 4 as in 2.)
const FEW_OPERATIONS: usize = 32;

/// A walk along rows: an invocation computes one unit of each row of a tile, and what does not vary
/// from row to row is loaded and computed once.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Rows(pub(crate) Tiles);

impl Rows {
    /// Returns the walk in units of these quads, once it is known how operands are read.
    pub(super) fn new(input: &PlanInput<'_>, quads: u32, loads: &[KernelLoad]) -> Self {
        let space = input.space;
        let branchless = input.may_pass_end(quads);
        let tile = Tile::new(input, quads, loads, 1, || wanted_rows(input, quads, loads));
        let tile = match tile {
            Tile::One if space.is_dense(&space.result, space.rank()) => Tile::Linear,
            // Without branches nothing checks for the end of rows that are apart.
            Tile::Loop { rows, .. } => Tile::Loop { rows, interleaved: !branchless },
            other => other,
        };
        Self(Tiles { tile, branchless })
    }
}

/// Returns how many rows a tile should have.
fn wanted_rows(input: &PlanInput<'_>, quads: u32, loads: &[KernelLoad]) -> u32 {
    let (space, tuning) = (input.space, &input.limits.tuning);
    let tile = tuning.tile_rows.max(1);
    let [_, widest] = input.ir.narrowest_and_widest_output();
    let row_bits = space.result[space.rank() - 2].unsigned_abs().saturating_mul(widest.bits());
    let near = (row_bits / 8).saturating_mul(tile as usize) < TILE_BYTES;
    let streams = loads.iter().any(|load| load.mode.in_words() && !load.hoisted);
    let straight = input.ir.map.copy_weight() * elements(quads);
    match (near || costs_most(input, loads), streams) {
        // Reading a row again costs less than leaving the order of the memory, and next to nothing
        // with much to compute.
        (true, true) if space.rank() == 2 => 1,
        (true, _) if near => tuning.short_row_tile.max(tile),
        // If rows are far apart and other arrays are read as well, their cache lines displace each
        // other. With more to compute, the kept values do not stay in registers anyway.
        (false, true) if straight > FEW_OPERATIONS => tile.div_ceil(4),
        (false, true) => tile.div_ceil(2),
        _ => tile,
    }
}

/// Returns true if a costly operation is computed for every element, and none of them could be
/// kept.
fn costs_most(input: &PlanInput<'_>, loads: &[KernelLoad]) -> bool {
    let ops = &input.ir.map.ops;
    let mut hoisted: Vec<bool> = Vec::with_capacity(ops.len());
    let mut costly = [false; 2];
    for op in ops {
        let kept = op.operands.iter().all(|&operand| match operand {
            ValueRef::Load(number) => loads[number].hoisted,
            ValueRef::Constant(_) => true,
            ValueRef::Folded(_) => false,
            ValueRef::Op(number) => hoisted[number],
        });
        hoisted.push(kept);
        costly[usize::from(kept)] |= op.cost().class != Cost::Cheap;
    }
    costly == [true, false]
}

impl Traverse for Rows {
    fn schedule(&self) -> Schedule {
        Schedule::Rows
    }

    fn row(&self, rank: usize) -> Option<usize> {
        rank.checked_sub(2)
    }

    fn tile(&self, _: usize) -> usize {
        self.0.tile.rows() as usize
    }

    fn fields(&self, rank: usize) -> Vec<Field> {
        if self.0.tile != Tile::Linear {
            return self.0.fields(rank, &[]);
        }
        let mut fields = vec![Field::Columns, Field::Rows];
        fields.extend((0..rank - 2).map(Field::Size));
        fields.push(Field::ResultOffset);
        fields
    }

    fn counts(&self, extent: &Extent<'_>) -> Counts {
        self.0.counts(extent, 1)
    }
}

//! [`Walk`]: every way of invocations through a space.

use super::blocks::Blocks;
use super::carry::Carry;
use super::flat::Flat;
use super::fold_columns::FoldColumns;
use super::fold_rows::FoldRows;
use super::passes::{Passes, Stores};
use super::periods::Periods;
use super::rows::Rows;
use super::scan::Scan;
use super::short::Short;
use super::tile::Tile;
use super::traverse::Traverse;
use crate::plan::access::KernelLoad;
use crate::plan::input::PlanInput;

/// The rows of several blocks that a workgroup of a processor takes: as many as lavapipe computes at
/// once, in vectors of 256 bits.
const LONG_ROWS: u32 = 8;

/// The rows of one block or less that it takes.
const ROWS_OF_A_BLOCK: u32 = 32;

/// How invocations traverse the space, as far as the text depends on it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Walk {
    Flat(Flat),
    Rows(Rows),
    Periods(Periods),
    Short(Short),
    Blocks(Blocks),
    Carry(Carry),
    FoldRows(FoldRows),
    FoldColumns(FoldColumns),
    Passes(Passes),
    Scan(Scan),
}

impl Walk {
    /// Returns what the planner asks of it.
    pub(crate) fn traverse(&self) -> &dyn Traverse {
        match self {
            Self::Flat(flat) => flat,
            Self::Rows(rows) => rows,
            Self::Periods(periods) => periods,
            Self::Short(short) => short,
            Self::Blocks(blocks) => blocks,
            Self::Carry(carry) => carry,
            Self::FoldRows(rows) => rows,
            Self::FoldColumns(columns) => columns,
            Self::Passes(passes) => passes,
            Self::Scan(scan) => scan,
        }
    }

    /// Returns the walk with the units of one invocation, which may depend on how operands are
    /// read.
    pub(in crate::plan) fn with_units(
        self,
        input: &PlanInput<'_>,
        quads: u32,
        loads: &[KernelLoad],
    ) -> Self {
        match self {
            Self::Flat(_) => Self::Flat(Flat::new(input, quads, loads)),
            Self::Rows(_) => Self::Rows(Rows::new(input, quads, loads)),
            Self::Periods(_) => Self::Periods(Periods::new(input, quads, loads)),
            walk @ (Self::Short(_)
            | Self::Blocks(_)
            | Self::Carry(_)
            | Self::FoldRows(_)
            | Self::FoldColumns(_)
            | Self::Passes(_)
            | Self::Scan(_)) => walk,
        }
    }

    /// Returns true if elements are stored one by one.
    pub(crate) fn stores_elements(&self) -> bool {
        match self {
            Self::Carry(carry) => carry.element_stores,
            Self::FoldRows(_) => true,
            Self::Passes(passes) => passes.stores != Stores::Units,
            _ => false,
        }
    }

    /// Returns true if the text has several units one after the other.
    pub(crate) fn is_unrolled(&self) -> bool {
        match self {
            Self::Flat(flat) => matches!(flat, Flat::Several { unrolled: true, .. }),
            Self::Rows(Rows(tiles)) | Self::Periods(Periods(tiles)) => {
                matches!(tiles.tile, Tile::Unrolled { .. })
            }
            Self::Blocks(blocks) => blocks.unrolled,
            Self::Short(_)
            | Self::Carry(_)
            | Self::FoldRows(_)
            | Self::FoldColumns(_)
            | Self::Passes(_)
            | Self::Scan(_) => false,
        }
    }

    /// Returns the invocations of a workgroup. Those of passes take long, and a processor's driver gives
    /// a workgroup to one thread, so its size is such that 64 rows are several. (Measured on lavapipe
    /// with 2 threads, softmax of 64 rows of 32,768: 2.0 of its floor with 64, 1.2 with 8. Of rows of
    /// 128, 8 cost a twelfth more of the processor's time than 64.)
    pub(in crate::plan) fn workgroup_size(&self, input: &PlanInput<'_>) -> u32 {
        let most = match self {
            Self::Passes(_) if input.limits.tuning.folds_together => u32::MAX,
            Self::Passes(Passes { rows, .. }) if rows.above > 0 => LONG_ROWS,
            Self::Passes(_) => ROWS_OF_A_BLOCK,
            _ => u32::MAX,
        };
        most.min(input.workgroup_size() as u32)
    }

    /// Returns how it folds rows, if it does.
    pub(crate) fn fold_rows(&self) -> Option<&FoldRows> {
        match self {
            Self::FoldRows(rows) | Self::Passes(Passes { rows, .. }) => Some(rows),
            _ => None,
        }
    }
}

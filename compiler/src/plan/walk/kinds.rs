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

    /// Returns how it folds rows, if it does.
    pub(crate) fn fold_rows(&self) -> Option<&FoldRows> {
        match self {
            Self::FoldRows(rows) | Self::Passes(Passes { rows, .. }) => Some(rows),
            _ => None,
        }
    }
}

//! Writes the entry point of each walk, one file each as in `plan/walk/`: from an invocation's
//! number to the positions of its operands, and the loops over its units. A unit ends in
//! `Writer::finish`.
//!
//! [`positions`] has what walks share, [`tiles`] what rows and periods do, and [`copies`] writes
//! units one after the other.
//!
//! Files of this folder import what `wgsl` may, its files `writer`, `store` and `wgsl_type`, and
//! each other in this order: copies, positions, tiles, the walks (of these `fold_rows` before
//! `fold_blocks`, `together` and `passes`, and this and `fold_columns` before `scan`), entry.

mod blocks;
mod carry;
mod copies;
pub(super) mod entry;
mod flat;
mod fold_blocks;
mod fold_columns;
mod fold_rows;
mod passes;
mod periods;
mod positions;
mod rows;
mod scan;
mod short;
mod tiles;
mod together;

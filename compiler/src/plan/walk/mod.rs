//! The walks of invocations through a space, one file each: when it is chosen, its sizes, how it
//! reads operands, its parameters and its workgroups.
//!
//! [`traverse`] is what the planner asks of each, [`tile`] the rows of one invocation, [`unroll`]
//! the copies in a text, [`kinds`] the list of walks, and [`choice`] the order in which they are
//! tried. The text of each is written by the file of the same name in `wgsl/walk/`.
//!
//! Files of this folder import what `plan` may, its files up to field, and each other in this
//! order: traverse, unroll, tile, the walks (of these `fold_rows` before `passes`), kinds, choice.

pub(crate) mod blocks;
pub(crate) mod carry;
pub(super) mod choice;
pub(crate) mod flat;
pub(crate) mod fold_columns;
pub(crate) mod fold_rows;
pub(crate) mod kinds;
pub(crate) mod passes;
pub(crate) mod periods;
pub(crate) mod rows;
pub(crate) mod scan;
pub(crate) mod short;
pub(crate) mod tile;
pub(super) mod traverse;
mod unroll;

//! Plans how a kernel traverses its iteration space, and how it reads each operand.
//!
//! The planner turns one kernel's straight-line code into a [`kernel::Kernel`], the structure that
//! determines the shader's text, and a [`planner::Launch`], the numbers in its parameter block.
//!
//! Files of this folder import `semantics`, `graph`, `arithmetic`, `limits`, `layout`, `cost` and
//! `kernel`; among themselves in this order: window, space, input, schedule, access, field, walk,
//! kernel, loads, dispatch, params, planner.
//!
//! The entry point is `planner::plan`: a kernel's code and a [`window::Window`] of its space go in,
//! a kernel with one launch comes out.

pub mod access;
mod dispatch;
pub(crate) mod field;
mod input;
pub mod kernel;
mod loads;
pub mod params;
pub mod planner;
pub mod schedule;
pub(crate) mod space;
pub(crate) mod walk;
pub mod window;

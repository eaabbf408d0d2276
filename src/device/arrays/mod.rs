//! Arrays on the device: [`mod@array`] and [`typed`] define them, [`storage`] their memory,
//! [`loop_status`] the loops that they depend on; [`import`] makes arrays of other data, and
//! [`view_mut`] defines writable parts.

pub(crate) mod array;
pub(crate) mod import;
pub(crate) mod loop_status;
pub(crate) mod storage;
pub(crate) mod targets;
pub(crate) mod typed;
pub(crate) mod view_mut;

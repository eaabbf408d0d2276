//! Checks the command on any text and on any file.

pub mod batch;
pub mod files;
pub mod npy;
pub mod report;
pub mod soup;
pub mod spell;
pub mod stablehlo;
pub mod text;

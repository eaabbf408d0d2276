//! From a text to a program as data. Imports `report` only.

pub(crate) mod attribute;
pub(crate) mod cursor;
pub(crate) mod dense;
pub(crate) mod form;
pub(crate) mod lexer;
pub(crate) mod location;
pub(crate) mod module;
pub(crate) mod names;
pub(crate) mod parser;
pub(crate) mod resources;
pub(crate) mod types;
pub(crate) mod values;

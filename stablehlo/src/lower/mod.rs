//! From a program as data to a computation. Imports `syntax` and `report`.

pub(crate) mod attributes;
pub(crate) mod calls;
pub(crate) mod checks;
pub(crate) mod constants;
pub(crate) mod dot;
pub(crate) mod elementwise;
pub(crate) mod gather;
pub(crate) mod map;
pub(crate) mod order;
pub(crate) mod precision;
pub(crate) mod program;
pub(crate) mod reduce;
pub(crate) mod reduce_types;
pub(crate) mod results;
pub(crate) mod rules;
pub(crate) mod run;
pub(crate) mod scalar;
pub(crate) mod shapes;
pub(crate) mod state;
pub(crate) mod value;

//! From trees to a computation, by the rules of the library. Imports `syntax` and `report`.

pub(crate) mod advice;
pub(crate) mod calls;
pub(crate) mod compare;
pub(crate) mod composed;
pub(crate) mod functions;
pub(crate) mod integers;
pub(crate) mod keywords;
pub(crate) mod numpy;
pub(crate) mod promote;
pub(crate) mod promotion_notes;
pub(crate) mod random;
pub(crate) mod scope;
pub(crate) mod state;
pub(crate) mod statements;
pub(crate) mod subscript;

//! Calibrates a context: before it computes, probes find out which ways of computing are right on
//! its adapter.
//!
//! WGSL lets a quotient, a square root, an f16 or the f32 of an integer be off by some units in the
//! last place, and a compiler regroup sums. Each of these can be computed in another way that is
//! right everywhere and slower. A probe runs hard cases on the device and chooses the fastest way
//! that gives all of them right. There are three, which [`calibrate`] lists: [`half`] for F16,
//! [`sums`] for those of reductions, and [`arithmetic`] for F32, with one kernel of all operations
//! that are [`tried`], because each kernel takes time. Its cases, and the judges of their results, are in [`division`] for quotients and
//! roots, [`conversion`] for integers, [`subnormals`], and [`guard`] for what keeps compilers from
//! regrouping sums.
//!
//! Files of this folder may import semantics, graph, compile, device and each other. A
//! [`Context`](crate::Context) is what passes through: [`calibrate`] takes one and sets the
//! [`Arithmetic`](crate::plan::Arithmetic) of its plans, unless the caller did.

mod arithmetic;
pub(crate) mod calibrate;
mod conversion;
mod division;
mod guard;
mod half;
pub mod hard_cases;
mod inputs;
mod probe;
mod subnormals;
mod sums;
mod tried;

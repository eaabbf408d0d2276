//! Running: a [`bound`] computation has its arguments. [`execute`] runs it, [`eval_into`] into a
//! [`target`] or several, and [`mod@write`] writes elements of the host there. [`encode`] and
//! [`encode_into`] record it in caller-owned encoders, as [`encoded`] commands, [`texture`] moves
//! between arrays and textures, and [`loops`] passes on the words of loops.

pub(crate) mod bound;
pub(crate) mod encode;
pub(crate) mod encode_into;
pub(crate) mod encoded;
pub(crate) mod eval_into;
pub(crate) mod execute;
pub(crate) mod loops;
pub(crate) mod target;
pub(crate) mod texture;
mod write;

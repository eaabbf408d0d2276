//! Running: [`execute`] runs computations on arrays, [`run_into`] into a [`target`]. [`encode`] and
//! [`encode_into`] record them in caller-owned encoders, as [`encoded`] commands, [`texture`] moves
//! between arrays and textures, and [`loops`] passes on what loops refused.

pub(crate) mod encode;
pub(crate) mod encode_into;
pub(crate) mod encoded;
pub(crate) mod execute;
pub(crate) mod loops;
pub(crate) mod run_into;
pub(crate) mod target;
pub(crate) mod texture;

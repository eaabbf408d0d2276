//! How a kernel walks through its iteration space, and how it reads each operand.
//!
//! Here lives the planner: it turns one kernel's straight-line code into a [`kernel::Kernel`], the
//! structure that decides the shader's text, and a [`kernel::Launch`], the numbers that go into its
//! parameter block.
//!
//! Files of this folder import `semantics`, `limits`, `cost` and `kernel_ir`.

pub(crate) mod access;
pub(crate) mod kernel;
pub(crate) mod params;
pub(crate) mod space;
pub(crate) mod tile;
pub(crate) mod walk;

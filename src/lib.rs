//! stub docs
mod broadcast;
mod computation;
mod element;
mod error;
mod infer;
mod literal;
pub mod numpy;
mod opcode;
mod rule;
mod shape;

pub use broadcast::{BroadcastError, Side};
pub use computation::{Builder, Computation, Op, Parameter};
pub use element::{Bitwise, Element, ElementType, Float, Integer, Number, Scalar, Signed, UnknownElementType};
pub use error::{ArrayError, BuilderError, DeviceError, Error, Result, TypeError};
pub use literal::Literal;
pub use opcode::{OpClass, Opcode};
pub use rule::Rule;
pub use shape::{Shape, ShapeError};
pub use wgpu;

//! Binary operations on operands of two element types. Both are converted to NumPy's
//! [`result_type`](super::result_type()) of the two, in the same kernel, and aligned at the last
//! dimension.
//!
//! The operation itself is XLA's, in that type: [`div`] of integers truncates, where NumPy's `/`
//! returns floats, and types that XLA does not take, as floats for [`and`], are refused (rule T1).
//! A result in F64 needs a device that has it.
//!
//! ```no_run
//! # fn main() -> indim::Result<()> {
//! let gpu = indim::Context::blocking()?;
//! let bytes = gpu.array([2, 2], &[1u8, 2, 3, 255])?;
//! let row = gpu.array([2], &[-1i8, 1])?;
//! let sum = indim::numpy::promoted::add(bytes.as_any(), row.as_any())?; // in S16
//! assert_eq!(sum.downcast::<i16>()?.to_vec_blocking()?, [0, 3, 2, 256]);
//! # Ok(())
//! # }
//! ```

use super::alignment::dimensions;
use super::promotion::result_type;
use crate::device::arrays::array::AnyArray;
use crate::graph::builder::{Builder, Op};
use crate::semantics::element::ElementType;
use crate::semantics::error::Result;
use crate::semantics::opcode::Opcode;

macro_rules! promoted {
    ($($name:ident $opcode:ident,)*) => {$(
        #[doc = concat!("Computes [`Opcode::", stringify!($opcode), "`] in the operands' [`result_type`].")]
        ///
        /// # Errors
        /// [`BroadcastError`](crate::BroadcastError) by rule P1; [`TypeError`](crate::TypeError) by
        /// rules P2 and T1; [`ShapeError`](crate::ShapeError) by rule C1;
        /// [`ArrayError::TwoContexts`](crate::ArrayError::TwoContexts);
        /// [`DeviceError`](crate::DeviceError).
        pub fn $name(lhs: &AnyArray, rhs: &AnyArray) -> Result<AnyArray> {
            binary(Opcode::$opcode, lhs, rhs)
        }
    )*};
}

promoted! {
    add Add, sub Sub, mul Mul, div Div, rem Rem, pow Pow, max Max, min Min, atan2 Atan2,
    floor_divide FloorDivide, remainder Remainder, copysign Copysign, hypot Hypot,
    logaddexp Logaddexp,
    and And, or Or, xor Xor,
    shift_left ShiftLeft, shift_right_logical ShiftRightLogical,
    shift_right_arithmetic ShiftRightArithmetic,
    eq Eq, ne Ne, lt Lt, le Le, gt Gt, ge Ge,
}

fn binary(opcode: Opcode, lhs: &AnyArray, rhs: &AnyArray) -> Result<AnyArray> {
    let to = result_type(&[lhs.element_type(), rhs.element_type()])?;
    let dimensions = dimensions(opcode, lhs.shape(), rhs.shape())?;
    let mut builder = Builder::new();
    let operands = [operand(&mut builder, lhs, to)?, operand(&mut builder, rhs, to)?];
    let root = builder.binary(opcode, operands[0], operands[1], &dimensions)?;
    lhs.context().run(&builder.build(root)?, &[lhs, rhs])
}

/// Adds the array as a parameter, converted to the element type `to`.
fn operand(builder: &mut Builder, array: &AnyArray, to: ElementType) -> Result<Op> {
    let parameter = builder.parameter(array.element_type(), array.shape().clone())?;
    if array.element_type() == to {
        return Ok(parameter);
    }
    builder.convert_element_type(parameter, to)
}

//! Uploads operands, with errors that explain why the device rejects one and what to do.

use indim::{AnyArray, Context, DeviceError};
use indim_expr::{Declared, Diagnostic, Result};

use crate::operand::parse::Operand;
use crate::operand::refused::refused_upload;

/// Makes an operand's elements and uploads them; `None` if only a shape was given. Also returns
/// notes for the user.
pub(crate) fn upload(
    context: &Context,
    operand: Operand,
) -> Result<(Option<AnyArray>, Vec<String>)> {
    let name = operand.declared.name.clone();
    check_size(context, &operand.declared)?;
    let (literal, notes) = operand.literal()?;
    let array = literal.map(|literal| context.upload(&literal)).transpose();
    Ok((array.map_err(|e| refused_upload(&e, &name))?, notes))
}

/// Rejects an array larger than any buffer of the device, before it is made or read.
fn check_size(context: &Context, declared: &Declared) -> Result<()> {
    let Declared { name, element_type, shape } = declared;
    let count = shape.element_count().unwrap_or(usize::MAX) as u64;
    let bytes = (count.saturating_mul(element_type.bits() as u64)).div_ceil(8);
    let allowed = context.device().limits().max_buffer_size;
    if bytes <= allowed {
        return Ok(());
    }
    let (element_type, shape, limit) = (*element_type, shape.clone(), "max_buffer_size");
    let error = DeviceError::TooLarge { element_type, shape, bytes, limit, allowed };
    Err(Diagnostic::new(format!("operand `{name}`: {error}")))
}

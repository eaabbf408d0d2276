//! Runs the library's functions on a type.

use indim::{AnyArray, Builder, Computation, Context, ElementType, Op, Opcode};

use crate::Result;
use crate::function::Operation;
use crate::typed::chunk::Chunk;
use crate::typed::function::Function;

/// Returns the results' bits, or 0 and 1 for truth values, in the order of the operands.
///
/// # Errors
/// The error that the device reports.
pub fn compute(context: &Context, function: &Function, chunk: &Chunk) -> Result<Vec<u64>> {
    let computation = computation(function, chunk)?;
    let mut arguments = vec![upload(context, function.operand, &chunk.lhs)?];
    if !chunk.rhs.is_empty() {
        arguments.push(upload(context, function.operand, &chunk.rhs)?);
    }
    let arguments: Vec<&AnyArray> = arguments.iter().collect();
    let result = context.run(&computation, &arguments)?;
    Ok(match result.element_type() {
        ElementType::U16 => widened(&result.downcast::<u16>()?.to_vec_blocking()?),
        ElementType::U32 => widened(&result.downcast::<u32>()?.to_vec_blocking()?),
        _ => result.downcast::<u64>()?.to_vec_blocking()?,
    })
}

fn widened<T: Copy + Into<u64>>(values: &[T]) -> Vec<u64> {
    values.iter().map(|&value| value.into()).collect()
}

/// Returns the integers that have as many bits as a type.
fn bits_of(element_type: ElementType) -> ElementType {
    match element_type.size_in_bytes() {
        2 => ElementType::U16,
        4 => ElementType::U32,
        _ => ElementType::U64,
    }
}

fn upload(context: &Context, element_type: ElementType, bits: &[u64]) -> Result<AnyArray> {
    let length = [bits.len()];
    Ok(match bits_of(element_type) {
        ElementType::U16 => {
            let bits: Vec<u16> = bits.iter().map(|&bits| bits as u16).collect();
            context.array(length, &bits)?.as_any().clone()
        }
        ElementType::U32 => {
            let bits: Vec<u32> = bits.iter().map(|&bits| bits as u32).collect();
            context.array(length, &bits)?.as_any().clone()
        }
        _ => context.array(length, bits)?.as_any().clone(),
    })
}

/// Runs the function on operands given as bits; results become bits again.
fn computation(function: &Function, chunk: &Chunk) -> indim::Result<Computation> {
    let mut b = Builder::new();
    let operand = |b: &mut Builder, length: usize| -> indim::Result<Op> {
        let bits = b.parameter(bits_of(function.operand), [length])?;
        b.bitcast_convert_type(bits, function.operand)
    };
    let lhs = operand(&mut b, chunk.lhs.len())?;
    let rhs = if chunk.rhs.is_empty() { lhs } else { operand(&mut b, chunk.rhs.len())? };
    let result = match function.operation {
        Operation::Binary(Opcode::NextAfter) => b.next_after(lhs, rhs)?,
        Operation::Binary(opcode) => b.binary(opcode, lhs, rhs, &[])?,
        Operation::Unary(opcode) => b.unary(opcode, lhs)?,
        Operation::Convert(_, to) => b.convert_element_type(lhs, to)?,
        Operation::Reduce(exponent, mantissa) => {
            b.reduce_precision(lhs, exponent.into(), mantissa.into())?
        }
    };
    let bits = match b.element_type(result)? {
        ElementType::Pred => b.convert_element_type(result, ElementType::U32)?,
        of => b.bitcast_convert_type(result, bits_of(of))?,
    };
    b.build(bits)
}

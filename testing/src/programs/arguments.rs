//! The arrays that a program runs on: uploaded, or in a test-owned buffer.

use indim::num_complex::Complex32;
use indim::{AnyArray, Context, Element, ElementType, S4, U4, half, wgpu};

use crate::oracle::value::width;
use crate::programs::compare::literal;
use crate::programs::program::{Parameter, Place, Program, Type};

/// Fills the test's buffer around the elements; it is neither a PRED nor a harmless number.
const FILLER: u8 = 0xee;

/// An array for each of the program's parameters.
pub fn arguments(context: &Context, program: &Program) -> Result<Vec<AnyArray>, String> {
    let parameters: Vec<Parameter<'_>> = program.parameters().collect();
    let mut arrays: Vec<AnyArray> = Vec::new();
    let foreign = Foreign::new(context, &parameters)?;
    for (number, parameter) in parameters.iter().enumerate() {
        // Parameters that are the same are one array, given more than once.
        let same = parameters[..number].iter().position(|earlier| earlier == parameter);
        let array = match (same, foreign.offsets[number]) {
            (Some(earlier), _) => arrays[earlier].clone(),
            (None, Some(offset)) => foreign.array(context, parameter, offset)?,
            (None, None) => {
                let literal = literal(parameter.ty, parameter.data)?;
                let uploaded = context.upload(&literal);
                uploaded.map_err(|e| format!("upload of {}: {e}", parameter.ty))?
            }
        };
        arrays.push(array);
    }
    Ok(arrays)
}

/// The test's buffer.
struct Foreign {
    buffer: wgpu::Buffer,
    /// For each parameter that lies in it, where it starts, in bytes.
    offsets: Vec<Option<u64>>,
}

impl Foreign {
    fn new(context: &Context, parameters: &[Parameter<'_>]) -> Result<Self, String> {
        let mut bytes = Vec::new();
        let mut offsets = Vec::new();
        for parameter in parameters {
            offsets.push(match parameter.place {
                Place::Uploaded => None,
                Place::Foreign { gap } => {
                    let element = parameter.ty.element;
                    bytes.resize(bytes.len() + 4 * gap, FILLER);
                    // Elements of 64 bits are read in one piece.
                    bytes.resize(
                        bytes.len().next_multiple_of(element.size_in_bytes().max(4)),
                        FILLER,
                    );
                    let offset = bytes.len() as u64;
                    let literal = literal(parameter.ty, parameter.data)?;
                    if width(element) == 4 {
                        bytes.extend(pairs(literal.bytes()));
                    } else {
                        bytes.extend_from_slice(literal.bytes());
                    }
                    // Only the last word of narrow elements may be a part of one.
                    bytes.resize(bytes.len().next_multiple_of(4), FILLER);
                    Some(offset)
                }
            });
        }
        // It ends with the last array, so that a quad may reach beyond it.
        bytes.resize(bytes.len().max(4), FILLER);
        let buffer = context.device().create_buffer(&wgpu::BufferDescriptor {
            label: Some("the test's own"),
            size: bytes.len() as u64,
            usage: wgpu::BufferUsages::STORAGE
                | wgpu::BufferUsages::COPY_SRC
                | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        context.queue().write_buffer(&buffer, 0, &bytes);
        Ok(Self { buffer, offsets })
    }

    fn array(
        &self,
        context: &Context,
        parameter: &Parameter<'_>,
        offset: u64,
    ) -> Result<AnyArray, String> {
        in_buffer(context, parameter.ty, self.buffer.clone(), offset)
    }
}

/// The elements of this type in a buffer.
pub fn in_buffer(
    context: &Context,
    ty: &Type,
    buffer: wgpu::Buffer,
    offset: u64,
) -> Result<AnyArray, String> {
    let typed = match ty.element {
        ElementType::Pred => typed::<bool>,
        ElementType::S4 => typed::<S4>,
        ElementType::S8 => typed::<i8>,
        ElementType::S16 => typed::<i16>,
        ElementType::S32 => typed::<i32>,
        ElementType::S64 => typed::<i64>,
        ElementType::U4 => typed::<U4>,
        ElementType::U8 => typed::<u8>,
        ElementType::U16 => typed::<u16>,
        ElementType::U32 => typed::<u32>,
        ElementType::U64 => typed::<u64>,
        ElementType::F16 => typed::<half::f16>,
        ElementType::Bf16 => typed::<half::bf16>,
        ElementType::F32 => typed::<f32>,
        ElementType::F64 => typed::<f64>,
        ElementType::C64 => typed::<Complex32>,
        other => return Err(format!("{other} has no Rust type here")),
    };
    typed(context, ty, buffer, offset)
}

fn typed<T: Element>(
    context: &Context,
    ty: &Type,
    buffer: wgpu::Buffer,
    offset: u64,
) -> Result<AnyArray, String> {
    let array = context.array_from_buffer::<T>(ty.dims.as_slice(), buffer, offset);
    let array = array.map_err(|e| format!("{ty} at {offset}: {e}"))?;
    Ok(array.as_any().clone())
}

/// Elements of 4 bits, which lie two in a byte on the device, the first one low.
fn pairs(bytes: &[u8]) -> impl Iterator<Item = u8> {
    bytes.chunks(2).map(|pair| pair[0] & 15 | pair.get(1).copied().unwrap_or(0) << 4)
}

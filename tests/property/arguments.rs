//! The arrays that a program runs on: uploaded ones, and such as lie in a buffer of the test's own.

use indim::{AnyArray, Context, Element, ElementType, wgpu};

use crate::compare::literal;
use crate::program::{Parameter, Place, Program};

/// What is around the elements in the test's buffer; neither a PRED nor a harmless number.
const FILLER: u8 = 0xee;

/// An array for each of the program's parameters.
pub(crate) fn arguments(context: &Context, program: &Program) -> Result<Vec<AnyArray>, String> {
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
                    bytes.resize(bytes.len() + 4 * gap, FILLER);
                    let offset = bytes.len() as u64;
                    bytes.extend_from_slice(literal(parameter.ty, parameter.data)?.bytes());
                    // Only the last word of a PRED may be a part of one.
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
        match parameter.ty.element {
            ElementType::Pred => self.typed::<bool>(context, parameter, offset),
            ElementType::S32 => self.typed::<i32>(context, parameter, offset),
            ElementType::U32 => self.typed::<u32>(context, parameter, offset),
            ElementType::F32 => self.typed::<f32>(context, parameter, offset),
            other => Err(format!("{other} has no Rust type here")),
        }
    }

    fn typed<T: Element>(
        &self,
        context: &Context,
        parameter: &Parameter<'_>,
        offset: u64,
    ) -> Result<AnyArray, String> {
        let dims = parameter.ty.dims.as_slice();
        let array = context.array_from_buffer::<T>(dims, self.buffer.clone(), offset);
        let array = array.map_err(|e| format!("{} at {offset}: {e}", parameter.ty))?;
        Ok(array.as_any().clone())
    }
}

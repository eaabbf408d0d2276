//! Columns, which compute functions: the library's on some context is here, that of WGSL's plain
//! built-ins in [`crate::builtin`], and other programs in [`crate::peer`].

use std::sync::Arc;

use indim::{AnyArray, Builder, Computation, Context, ElementType, Op, Opcode, Scalar};

use crate::Result;
use crate::chunk::Chunk;
use crate::function::{Function, Operation};

/// Something that computes functions.
pub trait Column {
    /// Returns its name in the tables.
    fn name(&self) -> &str;

    /// Returns the adapter that it computes on.
    fn adapter(&self) -> Adapter;

    /// Returns the results' bits, or 0 and 1 for truth values, in the order of the operands; `None`
    /// if the column lacks the function.
    ///
    /// # Errors
    /// The error that the device reports.
    fn compute(&mut self, function: &Function, chunk: &Chunk) -> Result<Option<Vec<u32>>>;
}

/// The adapter that a column computes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Adapter {
    /// Its name.
    pub name: String,
    /// Its driver, with the version.
    pub driver: String,
    /// The backend.
    pub backend: String,
}

impl Adapter {
    /// Returns the adapter of a context.
    pub fn of(context: &Context) -> Self {
        let info = context.adapter_info();
        let driver = format!("{} {}", info.driver, info.driver_info).trim().to_owned();
        Self { name: info.name, driver, backend: info.backend.to_string() }
    }
}

/// The library's functions on a context.
#[derive(Debug)]
pub struct Library {
    name: String,
    context: Context,
    listed: Option<(Chunk, Vec<AnyArray>)>,
}

impl Library {
    /// Returns a column of this name.
    pub fn new(name: &str, context: Context) -> Self {
        Self { name: name.to_owned(), context, listed: None }
    }

    /// Returns the operands on the device: the start of what it makes itself, or all of them. The
    /// last ones that were listed are kept, since many functions are measured on the same.
    fn arguments(&mut self, chunk: &Chunk) -> Result<Vec<AnyArray>> {
        let (lhs, rhs) = match chunk {
            Chunk::Signed { start, .. } => {
                return Ok(vec![self.context.array([], &[*start])?.as_any().clone()]);
            }
            Chunk::Listed { lhs, rhs } => (lhs, rhs),
        };
        if let Some((Chunk::Listed { lhs: known_lhs, rhs: known_rhs }, arrays)) = &self.listed
            && Arc::ptr_eq(known_lhs, lhs)
            && Arc::ptr_eq(known_rhs, rhs)
        {
            return Ok(arrays.clone());
        }
        let mut arrays = Vec::new();
        for bits in [lhs, rhs].into_iter().filter(|bits| !bits.is_empty()) {
            arrays.push(self.context.array([bits.len()], &bits[..])?.as_any().clone());
        }
        self.listed = Some((chunk.clone(), arrays.clone()));
        Ok(arrays)
    }
}

impl Column for Library {
    fn name(&self) -> &str {
        &self.name
    }

    fn adapter(&self) -> Adapter {
        Adapter::of(&self.context)
    }

    fn compute(&mut self, function: &Function, chunk: &Chunk) -> Result<Option<Vec<u32>>> {
        let computation = computation(function, chunk)?;
        let arguments = self.arguments(chunk)?;
        let arguments: Vec<&AnyArray> = arguments.iter().collect();
        let result = self.context.run(&computation, &arguments)?.downcast::<u32>()?;
        Ok(Some(result.to_vec_blocking()?))
    }
}

/// Runs the function on a chunk's operands, given as bits; results become bits again.
fn computation(function: &Function, chunk: &Chunk) -> indim::Result<Computation> {
    let mut b = Builder::new();
    let from = match function.operation {
        Operation::Convert(from, _) => from,
        _ => ElementType::F32,
    };
    let [lhs, rhs] = operands(&mut b, chunk)?;
    let (lhs, rhs) = (b.bitcast_convert_type(lhs, from)?, b.bitcast_convert_type(rhs, from)?);
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
        _ => b.bitcast_convert_type(result, ElementType::U32)?,
    };
    b.build(bits)
}

/// Returns the operands as U32; without a second one, the first one twice.
fn operands(b: &mut Builder, chunk: &Chunk) -> indim::Result<[Op; 2]> {
    match chunk {
        &Chunk::Signed { step, count, .. } => {
            let sizes = [2, i64::from(count)];
            let start = b.parameter(ElementType::U32, [])?;
            let step = b.constant(Scalar::new(step))?;
            let magnitude = b.iota(ElementType::U32, &sizes, 1)?;
            let magnitude = b.binary(Opcode::Mul, magnitude, step, &[])?;
            let magnitude = b.binary(Opcode::Add, magnitude, start, &[])?;
            let sign = b.iota(ElementType::U32, &sizes, 0)?;
            let top = b.constant(Scalar::new(31u32))?;
            let sign = b.binary(Opcode::ShiftLeft, sign, top, &[])?;
            let bits = b.binary(Opcode::Or, magnitude, sign, &[])?;
            Ok([bits, bits])
        }
        Chunk::Listed { lhs, rhs } => {
            let lhs = b.parameter(ElementType::U32, [lhs.len()])?;
            let rhs = match rhs.len() {
                0 => lhs,
                length => b.parameter(ElementType::U32, [length])?,
            };
            Ok([lhs, rhs])
        }
    }
}

//! Columns: what computes a function. The library's own on some context here; the plain built-ins
//! of WGSL in [`crate::builtin`], other programs in [`crate::peer`].

use indim::{AnyArray, Builder, Context, ElementType, Opcode, Scalar};

use crate::Result;
use crate::chunk::Chunk;
use crate::function::{Function, Operation};

/// Something that computes functions.
pub trait Column {
    /// Its name in the tables.
    fn name(&self) -> &str;

    /// What adapter it computes on.
    fn adapter(&self) -> Adapter;

    /// The results' bits, or 0 and 1 for truth values, in the order of the operands; `None` where
    /// it has no such function.
    ///
    /// # Errors
    /// What the device reports.
    fn compute(&mut self, function: &Function, chunk: &Chunk) -> Result<Option<Vec<u32>>>;
}

/// Which adapter a column computes on.
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
    /// That of a context.
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
    /// A column of this name.
    pub fn new(name: &str, context: Context) -> Self {
        Self { name: name.to_owned(), context, listed: None }
    }

    /// The operands on the device: the start of what it makes itself, or all of them. The last ones
    /// that were listed are kept, since many functions are measured on the same.
    fn arguments(&mut self, chunk: &Chunk) -> Result<Vec<AnyArray>> {
        let upload = |bits: &[u32]| -> Result<AnyArray> {
            Ok(self.context.array([bits.len()], bits)?.as_any().clone())
        };
        let Chunk::Listed { lhs, rhs } = chunk else {
            let &Chunk::Signed { start, .. } = chunk else { return Ok(Vec::new()) };
            return Ok(vec![self.context.array([], &[start])?.as_any().clone()]);
        };
        if let Some((known, arrays)) = &self.listed
            && let Chunk::Listed { lhs: known_lhs, rhs: known_rhs } = known
            && std::sync::Arc::ptr_eq(known_lhs, lhs)
            && std::sync::Arc::ptr_eq(known_rhs, rhs)
        {
            return Ok(arrays.clone());
        }
        let mut arrays = vec![upload(lhs)?];
        if !rhs.is_empty() {
            arrays.push(upload(rhs)?);
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

/// The function on a chunk's operands, given as bits; results become bits again.
fn computation(function: &Function, chunk: &Chunk) -> indim::Result<indim::Computation> {
    let mut b = Builder::new();
    let mut operands = Vec::new();
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
            operands.push(b.binary(Opcode::Or, magnitude, sign, &[])?);
        }
        Chunk::Listed { lhs, rhs } => {
            operands.push(b.parameter(ElementType::U32, [lhs.len()])?);
            if !rhs.is_empty() {
                operands.push(b.parameter(ElementType::U32, [rhs.len()])?);
            }
        }
    }
    let from = match function.operation {
        Operation::Convert(from, _) => from,
        _ => ElementType::F32,
    };
    for operand in &mut operands {
        *operand = b.bitcast_convert_type(*operand, from)?;
    }
    let result = match (function.operation, operands.as_slice()) {
        (Operation::Binary(Opcode::NextAfter), &[from, to]) => b.next_after(from, to)?,
        (Operation::Binary(opcode), &[lhs, rhs]) => b.binary(opcode, lhs, rhs, &[])?,
        (Operation::Unary(opcode), &[operand, ..]) => b.unary(opcode, operand)?,
        (Operation::Reduce(exponent, mantissa), &[operand, ..]) => {
            b.reduce_precision(operand, exponent.into(), mantissa.into())?
        }
        (Operation::Convert(_, to), &[operand, ..]) => b.convert_element_type(operand, to)?,
        // Every chunk has a first operand, and those of binary functions a second one.
        (Operation::Binary(opcode), _) => b.binary(opcode, operands[0], operands[0], &[])?,
        (_, []) => b.constant(Scalar::new(0u32))?,
    };
    let bits = match b.element_type(result)? {
        ElementType::Pred => b.convert_element_type(result, ElementType::U32)?,
        _ => b.bitcast_convert_type(result, ElementType::U32)?,
    };
    b.build(bits)
}

//! Computes on the device with arrays of any type.

use indim::{Builder, Computation, Context, Element, ElementType, Error, Op};

use super::golden::HostArray;

/// The result of a computation of these arguments.
pub fn run(
    context: &Context,
    computation: &Computation,
    operands: &[&HostArray],
) -> Result<HostArray, Error> {
    let uploaded = operands
        .iter()
        .map(|operand| context.upload(&operand.to_literal()?))
        .collect::<Result<Vec<_>, _>>()?;
    let arguments: Vec<_> = uploaded.iter().collect();
    let result = context.run(computation, &arguments)?;
    Ok(HostArray::from_literal(&result.to_literal_blocking()?))
}

/// The computation that `build` makes of parameters like the operands.
pub fn built(
    operands: &[&HostArray],
    build: impl FnOnce(&mut Builder, &[Op]) -> Result<Op, Error>,
) -> Result<Computation, Error> {
    let mut builder = Builder::new();
    let parameters = operands
        .iter()
        .map(|operand| builder.parameter(operand.element_type, &operand.shape[..]))
        .collect::<Result<Vec<_>, _>>()?;
    let root = build(&mut builder, &parameters)?;
    builder.build(root)
}

/// The element types that the adapter has: F64 not everywhere.
pub fn supported(context: &Context) -> Vec<ElementType> {
    let has_f64 = context.array([1], &[1f64]).is_ok();
    let is_there = |element: &ElementType| *element != f64::ELEMENT_TYPE || has_f64;
    ElementType::ALL.iter().copied().filter(is_there).collect()
}

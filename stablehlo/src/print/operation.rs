//! Prints one instruction.

use indim_core::graph::computation::Instruction;
use indim_core::graph::operation::{Move, Operation};
use indim_core::{ElementType, OpClass, Opcode, Scalar, Shape};

use crate::lower::order::identity;
use crate::print::body::{Body, Printed};
use crate::print::decomposition::decomposition;
use crate::print::number::element;
use crate::syntax::names::{OWN, name_of};
use crate::syntax::types::tensor;

/// Prints an instruction, and returns the name of its value; `None` if StableHLO lacks it.
pub(crate) fn print(
    body: &mut Body,
    instruction: &Instruction,
    operands: &[&Printed],
) -> Option<String> {
    let shape = &instruction.shape;
    let of = tensor(instruction.element_type, shape);
    let viewed = |operation: String| {
        operands.first().map(|x| format!("{operation} : ({}) -> {of}", x.tensor()))
    };
    let list =
        |list: &[i64]| -> String { list.iter().map(i64::to_string).collect::<Vec<_>>().join(", ") };
    let x = operands.first().map_or("", |operand| operand.name.as_str());
    let line = match &instruction.operation {
        Operation::Parameter(number) => return Some(format!("%arg{number}")),
        Operation::Constant(value) => return Some(constant(body, *value)),
        Operation::Iota { dimension } => format!("stablehlo.iota dim = {dimension} : {of}"),
        Operation::Binary { opcode, broadcast_dimensions } => {
            return binary(body, instruction, *opcode, broadcast_dimensions, operands);
        }
        Operation::Elementwise(opcode) => return elementwise(body, instruction, *opcode, operands),
        Operation::ReducePrecision { exponent_bits, mantissa_bits } => {
            format!(
                "stablehlo.reduce_precision {x}, format = e{exponent_bits}m{mantissa_bits} : {of}"
            )
        }
        Operation::ConvertElementType => viewed(format!("stablehlo.convert {x}"))?,
        Operation::BitcastConvertType => viewed(format!("stablehlo.bitcast_convert {x}"))?,
        Operation::BroadcastInDim { broadcast_dimensions } => viewed(format!(
            "stablehlo.broadcast_in_dim {x}, dims = [{}]",
            list(broadcast_dimensions)
        ))?,
        Operation::Broadcast => {
            let operand = operands.first()?;
            let first = shape.rank().checked_sub(operand.shape.rank())?;
            return Some(stretched(
                body,
                operand,
                shape,
                &(first..shape.rank()).collect::<Vec<_>>(),
            ));
        }
        Operation::Transpose { permutation } => {
            viewed(format!("stablehlo.transpose {x}, dims = [{}]", list(permutation)))?
        }
        Operation::Slice { start_indices, limit_indices, strides } => {
            let ranges = start_indices.iter().zip(limit_indices).zip(strides);
            let ranges: Vec<String> = ranges
                .map(|((start, limit), stride)| match stride {
                    1 => format!("{start}:{limit}"),
                    stride => format!("{start}:{limit}:{stride}"),
                })
                .collect();
            viewed(format!("stablehlo.slice {x} [{}]", ranges.join(", ")))?
        }
        Operation::Reverse { dimensions } => {
            format!("stablehlo.reverse {x}, dims = [{}] : {of}", list(dimensions))
        }
        Operation::Reshape => viewed(format!("stablehlo.reshape {x}"))?,
        Operation::Move(Move::Pad { low, high, interior }) => {
            let [x, value] = operands else { return None };
            let (low, high, interior) = (list(low), list(high), list(interior));
            format!(
                "stablehlo.pad {}, {}, low = [{low}], high = [{high}], interior = [{interior}] : ({}, {}) -> {of}",
                x.name,
                value.name,
                x.tensor(),
                value.tensor()
            )
        }
        Operation::Move(Move::Concatenate { dimension }) => {
            let pieces: Vec<Printed> = operands.iter().map(|&operand| operand.clone()).collect();
            return Some(concatenated(body, &pieces, *dimension, &of));
        }
        Operation::Move(Move::Roll { shifts, dimensions }) => {
            return rolled(body, operands.first()?, shifts, dimensions);
        }
        Operation::Reduce { opcode, dimensions, .. } => {
            let by = combines_by(*opcode)?;
            let init = constant(body, identity(by, instruction.element_type)?);
            let scalar = tensor(instruction.element_type, &Shape::scalar());
            format!(
                "stablehlo.reduce({x} init: {init}) applies {} across dimensions = [{}] : ({}, {scalar}) -> {of}",
                name_of(by)?,
                list(dimensions),
                operands.first()?.tensor()
            )
        }
        Operation::Call { .. } => return None,
    };
    Some(body.add(&line))
}

/// Prints an operation that StableHLO lacks as a composite, whose decomposition is a function.
fn composite(
    body: &mut Body,
    (opcode, element_type, shape): (Opcode, ElementType, &Shape),
    (operands, types): (&str, &str),
    result: &str,
) -> Option<String> {
    let sizes: Vec<String> = shape.dims().iter().map(usize::to_string).collect();
    let kind = [&[element_type.to_string()], sizes.as_slice()].concat().join("x");
    let name = format!("{OWN}{}", opcode.method());
    let function = format!("{name}_{kind}");
    body.need(&function, || decomposition(opcode, element_type, shape))?;
    Some(body.add(&format!(
        "stablehlo.composite \"{name}\" {operands} {{decomposition = @{function}}} : ({types}) -> {result}"
    )))
}

/// Prints a scalar.
fn constant(body: &mut Body, value: Scalar) -> String {
    let of = tensor(value.element_type(), &Shape::scalar());
    body.add(&format!("stablehlo.constant dense<{}> : {of}", element(value)))
}

/// Prints a broadcast to a shape, where the operand has another one.
fn stretched(body: &mut Body, operand: &Printed, shape: &Shape, dimensions: &[usize]) -> String {
    if operand.shape == *shape {
        return operand.name.clone();
    }
    let dimensions: Vec<String> = dimensions.iter().map(usize::to_string).collect();
    body.add(&format!(
        "stablehlo.broadcast_in_dim {}, dims = [{}] : ({}) -> {}",
        operand.name,
        dimensions.join(", "),
        operand.tensor(),
        tensor(operand.element_type, shape)
    ))
}

/// Prints a binary operation or a comparison, whose operands StableHLO broadcasts apart.
fn binary(
    body: &mut Body,
    instruction: &Instruction,
    opcode: Opcode,
    broadcast_dimensions: &[i64],
    operands: &[&Printed],
) -> Option<String> {
    let &[lhs, rhs] = operands else { return None };
    let shape = &instruction.shape;
    let mut whole = |operand: &Printed| {
        let rank = operand.shape.rank();
        let dimensions: Vec<usize> = match rank {
            rank if rank == shape.rank() => (0..rank).collect(),
            0 => Vec::new(),
            _ => broadcast_dimensions.iter().map(|&d| d as usize).collect(),
        };
        stretched(body, operand, shape, &dimensions)
    };
    let (left, right) = (whole(lhs), whole(rhs));
    let (of, result) = (tensor(lhs.element_type, shape), tensor(instruction.element_type, shape));
    if opcode.class() != OpClass::Compare {
        let Some(name) = name_of(opcode) else {
            let (operands, types) = (format!("{left}, {right}"), format!("{of}, {of}"));
            return composite(
                body,
                (opcode, lhs.element_type, shape),
                (&operands, &types),
                &result,
            );
        };
        return Some(body.add(&format!("{name} {left}, {right} : {result}")));
    }
    let (direction, is_total) = direction(opcode)?;
    let kind = match (lhs.element_type, lhs.element_type.integer_range()) {
        (ElementType::Pred, _) => "UNSIGNED",
        (_, Some((least, _))) if least < 0 => "SIGNED",
        (_, Some(_)) => "UNSIGNED",
        (_, None) if is_total => "TOTALORDER",
        (_, None) => "FLOAT",
    };
    Some(body.add(&format!(
        "stablehlo.compare {direction}, {left}, {right}, {kind} : ({of}, {of}) -> {result}"
    )))
}

/// Returns the direction of a comparison, and whether it is in the total order.
fn direction(opcode: Opcode) -> Option<(&'static str, bool)> {
    Some(match opcode {
        Opcode::Eq => ("EQ", false),
        Opcode::Ne => ("NE", false),
        Opcode::Lt => ("LT", false),
        Opcode::Le => ("LE", false),
        Opcode::Gt => ("GT", false),
        Opcode::Ge => ("GE", false),
        Opcode::EqTotalOrder => ("EQ", true),
        Opcode::NeTotalOrder => ("NE", true),
        Opcode::LtTotalOrder => ("LT", true),
        Opcode::LeTotalOrder => ("LE", true),
        Opcode::GtTotalOrder => ("GT", true),
        Opcode::GeTotalOrder => ("GE", true),
        _ => return None,
    })
}

/// Prints an elementwise operation without attributes.
fn elementwise(
    body: &mut Body,
    instruction: &Instruction,
    opcode: Opcode,
    operands: &[&Printed],
) -> Option<String> {
    let shape = &instruction.shape;
    let of = tensor(instruction.element_type, shape);
    match (opcode, operands) {
        (Opcode::Select, &[pred, on_true, on_false]) => {
            let [on_true, on_false] = [on_true, on_false].map(|x| stretched(body, x, shape, &[]));
            let (pred, kind) = (&pred.name, pred.tensor());
            Some(
                body.add(&format!("stablehlo.select {pred}, {on_true}, {on_false} : {kind}, {of}")),
            )
        }
        (Opcode::Clamp, &[min, x, max]) => {
            let whole = stretched(body, x, shape, &[]);
            let (low, high) = (min.tensor(), max.tensor());
            let (min, max) = (&min.name, &max.name);
            Some(body.add(&format!(
                "stablehlo.clamp {min}, {whole}, {max} : ({low}, {of}, {high}) -> {of}"
            )))
        }
        (Opcode::NextAfter, &[from, to]) => {
            let [from, to] = [from, to].map(|x| stretched(body, x, shape, &[]));
            Some(body.add(&format!("chlo.next_after {from}, {to} : {of}, {of} -> {of}")))
        }
        (Opcode::IsNan, &[x]) => {
            let (x, operand) = (&x.name, x.tensor());
            Some(body.add(&format!(
                "stablehlo.compare NE, {x}, {x}, FLOAT : ({operand}, {operand}) -> {of}"
            )))
        }
        // Their operations of CHLO take floats only, those of real numbers real results.
        (Opcode::Square, &[x]) if !Opcode::Sqrt.accepts(x.element_type) => {
            Some(body.add(&format!("stablehlo.multiply {0}, {0} : {of}", x.name)))
        }
        (Opcode::IsInf, &[x]) if x.element_type == ElementType::C64 => {
            let part = tensor(ElementType::F32, shape);
            let [real, imaginary] = ["real", "imag"].map(|name| {
                let line = format!("stablehlo.{name} {} : ({}) -> {part}", x.name, x.tensor());
                let part_name = body.add(&line);
                body.add(&format!("chlo.is_inf {part_name} : {part} -> {of}"))
            });
            Some(body.add(&format!("stablehlo.or {real}, {imaginary} : {of}")))
        }
        (Opcode::Conj, &[x]) if x.element_type != ElementType::C64 => {
            let name = constant(body, Scalar::from_f64(x.element_type, -0.0)?);
            let zero = Printed { name, element_type: x.element_type, shape: Shape::scalar() };
            let zero = stretched(body, &zero, shape, &[]);
            Some(body.add(&format!("stablehlo.complex {}, {zero} : {of}", x.name)))
        }
        (Opcode::Reciprocal, &[x]) => {
            let one = Scalar::from_i128(x.element_type, 1)?;
            let name = constant(body, one);
            let one = Printed { name, element_type: x.element_type, shape: Shape::scalar() };
            let one = stretched(body, &one, shape, &[]);
            Some(body.add(&format!("stablehlo.divide {one}, {} : {of}", x.name)))
        }
        (_, &[x]) => {
            let operand = x.tensor();
            let Some(name) = name_of(opcode) else {
                let of_operand = (opcode, x.element_type, shape);
                return composite(body, of_operand, (&x.name, &operand), &of);
            };
            let x = &x.name;
            Some(body.add(&match (name.starts_with("chlo."), operand == of) {
                (true, _) => format!("{name} {x} : {operand} -> {of}"),
                (false, true) => format!("{name} {x} : {of}"),
                (false, false) => format!("{name} {x} : ({operand}) -> {of}"),
            }))
        }
        _ => None,
    }
}

/// Prints a concatenation.
fn concatenated(body: &mut Body, pieces: &[Printed], dimension: i64, of: &str) -> String {
    let names: Vec<&str> = pieces.iter().map(|piece| piece.name.as_str()).collect();
    let types: Vec<String> = pieces.iter().map(Printed::tensor).collect();
    let (names, types) = (names.join(", "), types.join(", "));
    body.add(&format!("stablehlo.concatenate {names}, dim = {dimension} : ({types}) -> {of}"))
}

/// Prints a roll as two slices in the other order, along each dimension.
fn rolled(body: &mut Body, x: &Printed, shifts: &[i64], dimensions: &[i64]) -> Option<String> {
    let (mut value, of) = (x.clone(), x.tensor());
    for (&shift, &dimension) in shifts.iter().zip(dimensions) {
        let along = usize::try_from(dimension).ok()?;
        let size = *x.shape.dims().get(along)?;
        let shift = shift.checked_rem_euclid(size as i64).unwrap_or(0) as usize;
        if shift == 0 {
            continue;
        }
        let mut piece = |start: usize, limit: usize| {
            let ranges = value.shape.dims().iter().enumerate().map(|(d, &whole)| {
                if d == along { format!("{start}:{limit}") } else { format!("0:{whole}") }
            });
            let mut sizes = value.shape.dims().to_vec();
            sizes[along] = limit - start;
            let shape = Shape::from(sizes);
            let to = tensor(value.element_type, &shape);
            let ranges = ranges.collect::<Vec<_>>().join(", ");
            let name =
                body.add(&format!("stablehlo.slice {} [{ranges}] : ({of}) -> {to}", value.name));
            Printed { name, element_type: value.element_type, shape }
        };
        let pieces = [piece(size - shift, size), piece(0, size - shift)];
        value.name = concatenated(body, &pieces, dimension, &of);
    }
    Some(value.name)
}

/// Returns the operation by which a reduction combines elements.
fn combines_by(opcode: Opcode) -> Option<Opcode> {
    Some(match opcode {
        Opcode::ReduceSum => Opcode::Add,
        Opcode::ReduceProd => Opcode::Mul,
        Opcode::ReduceMax => Opcode::Max,
        Opcode::ReduceMin => Opcode::Min,
        Opcode::ReduceAnd => Opcode::And,
        Opcode::ReduceOr => Opcode::Or,
        Opcode::ReduceXor => Opcode::Xor,
        _ => return None,
    })
}

//! Plans one binary operation and returns its shape, its index maps and its kernels, which the page
//! shows. None of it needs a GPU.

use indim::plan::{Access, KernelExplanation, OperandExplanation, PlanLimits, Source};
use indim::{Builder, Error, Opcode, Rule, Shape, ShapeError};
use js_sys::{Array, Object, Reflect};
use wasm_bindgen::prelude::*;

use crate::number::integers;
use crate::{element_type, opcode, refused};

/// Returns an object of JavaScript with these properties.
fn object(properties: &[(&str, JsValue)]) -> JsValue {
    let object = Object::new();
    for (name, value) in properties {
        // It fails on frozen objects only.
        let _ = Reflect::set(&object, &(*name).into(), value);
    }
    object.into()
}

fn list<T: Copy>(values: &[T], number: impl Fn(T) -> f64) -> JsValue {
    values.iter().map(|&value| JsValue::from_f64(number(value))).collect::<Array>().into()
}

fn sizes(values: &[usize]) -> JsValue {
    list(values, |size| size as f64)
}

fn strides(values: &[isize]) -> JsValue {
    list(values, |stride| stride as f64)
}

/// Adds to an error which input is at fault: `lhs`, `rhs`, `shapes`, `dimensions` or `type`.
fn at(field: &str, error: JsValue) -> JsValue {
    // It fails on frozen objects only.
    let _ = Reflect::set(&error, &"field".into(), &field.into());
    error
}

/// Returns the input that must change for an operation to be accepted.
fn field_of(error: &Error) -> &'static str {
    match error.rule() {
        Some(Rule::B8 | Rule::C1 | Rule::P1) => "shapes",
        Some(Rule::T1 | Rule::T2 | Rule::P2) => "type",
        _ => "dimensions",
    }
}

/// Returns an error of a parameter's shape with the operand in place of the builder's call.
fn named(operand: &'static str, error: Error) -> JsValue {
    refused(match error {
        Error::Shape { source, .. } => Error::Shape { op: operand, source },
        other => other,
    })
}

/// Returns the shape of an operand. `operand` is in messages.
fn shape(operand: &'static str, numbers: &[f64]) -> Result<Shape, JsValue> {
    let mut dims = Vec::with_capacity(numbers.len());
    for (index, size) in integers(operand, numbers)?.into_iter().enumerate() {
        dims.push(usize::try_from(size).map_err(|_| {
            // WebAssembly has 32-bit sizes, so a 64-bit size may not fit.
            let source = if size < 0 {
                ShapeError::NegativeSize { index, size }
            } else {
                ShapeError::SizeTooLarge { index, size }
            };
            refused(Error::Shape { op: operand, source })
        })?);
    }
    Ok(Shape::from(dims))
}

/// Returns the shape, the index maps and the kernels of a binary operation by XLA's rules, as an
/// object. The error of a refusal has `rule`, its label, and `field`, the input at fault.
#[wasm_bindgen(js_name = planBinary)]
pub fn plan_binary(
    op: &str,
    of_type: &str,
    lhs: &[f64],
    rhs: &[f64],
    broadcast_dimensions: &[f64],
) -> Result<JsValue, JsValue> {
    let opcode = opcode(op)?;
    let of_type = element_type(of_type)?;
    let lhs = shape("lhs", lhs).map_err(|error| at("lhs", error))?;
    let rhs = shape("rhs", rhs).map_err(|error| at("rhs", error))?;
    let dims = integers("broadcast_dimensions", broadcast_dimensions)
        .map_err(|error| at("dimensions", error))?;
    let refusal = |error: Error| {
        let field = field_of(&error);
        at(field, refused(error))
    };

    let mut builder = Builder::new();
    let x = builder.parameter(of_type, &lhs).map_err(|error| at("lhs", named("lhs", error)))?;
    let y = builder.parameter(of_type, &rhs).map_err(|error| at("rhs", named("rhs", error)))?;
    let result = builder.binary(opcode, x, y, &dims).map_err(refusal)?;
    let shape = builder.shape(result).map_err(refusal)?.clone();
    let computation = builder.build(result).map_err(refusal)?;
    let explanation = PlanLimits::default().explain(&computation).map_err(refusal)?;
    let identity: Vec<f64> = (0..shape.rank()).map(|dimension| dimension as f64).collect();
    // An operand of the result's rank keeps its dimensions; the other's go where the call places
    // them.
    let map = |operand: &Shape| {
        let own = operand.rank() == shape.rank();
        list(if own { &identity } else { broadcast_dimensions }, |dimension| dimension)
    };
    let kernels: Array = explanation.kernels.iter().map(kernel).collect();
    Ok(object(&[
        ("elementType", result_type(opcode, &explanation.kernels, of_type)),
        ("shape", sizes(shape.dims())),
        ("lhsDimensions", map(&lhs)),
        ("rhsDimensions", map(&rhs)),
        ("kernels", kernels.into()),
    ]))
}

fn result_type(
    opcode: Opcode,
    kernels: &[KernelExplanation],
    of_type: indim::ElementType,
) -> JsValue {
    let written = kernels.last().and_then(|kernel| kernel.writes.first());
    let compared = opcode.class() == indim::OpClass::Compare;
    let otherwise = if compared { indim::ElementType::Pred } else { of_type };
    written.map_or(otherwise, |written| written.element_type).to_string().into()
}

/// Returns the `broadcast_dimensions` that NumPy's rule means for two shapes. The error of a refusal
/// is as that of [`plan_binary`].
#[wasm_bindgen(js_name = numpyDimensions)]
pub fn numpy_dimensions(lhs: &[f64], rhs: &[f64]) -> Result<Vec<f64>, JsValue> {
    let lhs = shape("lhs", lhs).map_err(|error| at("lhs", error))?;
    let rhs = shape("rhs", rhs).map_err(|error| at("rhs", error))?;
    indim::numpy::broadcast_shapes(&[&lhs, &rhs]).map_err(|error| {
        let field = field_of(&error);
        at(field, refused(error))
    })?;
    let (lower, higher) = (lhs.rank().min(rhs.rank()), lhs.rank().max(rhs.rank()));
    if lower == higher {
        return Ok(Vec::new());
    }
    let dims = indim::numpy::broadcast_dimensions(lower, higher);
    Ok(dims.into_iter().map(|dimension| dimension as f64).collect())
}

fn kernel(kernel: &KernelExplanation) -> JsValue {
    let operands: Array = kernel.operands.iter().map(operand).collect();
    object(&[
        ("space", sizes(&kernel.space)),
        ("iterationSpace", sizes(&kernel.iteration_space)),
        ("schedule", kernel.schedule.to_string().into()),
        ("unit", (kernel.unit as f64).into()),
        ("tile", (kernel.tile as f64).into()),
        ("dispatches", (kernel.dispatches as f64).into()),
        ("workgroups", list(&kernel.workgroups, f64::from)),
        ("bytesRead", (kernel.bytes_read as f64).into()),
        ("bytesWritten", (kernel.bytes_written as f64).into()),
        ("wgsl", kernel.wgsl.as_str().into()),
        ("operands", operands.into()),
    ])
}

fn operand(operand: &OperandExplanation) -> JsValue {
    let source = match operand.source {
        Source::Parameter(0) => "lhs",
        Source::Parameter(_) => "rhs",
        _ => "temporary",
    };
    let access: Access = operand.access;
    object(&[
        ("source", source.into()),
        ("shape", sizes(operand.shape.dims())),
        ("strides", strides(&operand.strides)),
        ("mergedStrides", strides(&operand.merged_strides)),
        ("access", access.to_string().into()),
        ("hoisted", operand.hoisted.into()),
    ])
}

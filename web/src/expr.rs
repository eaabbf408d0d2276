//! Lazy values, whose element types and shapes are checked when they are made.

use indim::numpy::any as numpy;
use indim::{AnyExpr, Literal, OpClass, Precision, Scalar};
use wasm_bindgen::prelude::*;

use crate::number::{self, integers};
use crate::{element_type, opcode, refused};

/// A lazy value with its element type and shape.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Expr {
    pub(crate) inner: AnyExpr,
}

type Made = Result<Expr, JsValue>;

fn made(result: indim::Result<AnyExpr>) -> Made {
    result.map(|inner| Expr { inner }).map_err(refused)
}

fn dimensions(numbers: &[f64]) -> Result<Vec<i64>, JsValue> {
    integers("dimensions", numbers)
}

#[wasm_bindgen]
impl Expr {
    /// Returns elements given by their bytes, in row-major order.
    pub fn literal(of_type: &str, shape: &[f64], bytes: Vec<u8>) -> Made {
        let literal = Literal::new(element_type(of_type)?, number::sizes(shape)?, bytes);
        literal.map(|literal| Self { inner: AnyExpr::literal(literal) }).map_err(refused)
    }

    /// Returns elements given as numbers, in row-major order.
    pub fn numbers(of_type: &str, shape: &[f64], numbers: &[f64]) -> Made {
        let of_type = element_type(of_type)?;
        let width = of_type.size_in_bytes();
        let mut bytes = Vec::with_capacity(numbers.len() * width);
        for &number in numbers {
            let element = number::element(of_type, number)?.bits().to_le_bytes();
            bytes.extend_from_slice(&element[..width]);
        }
        let literal = Literal::new(of_type, number::sizes(shape)?, bytes);
        literal.map(|literal| Self { inner: AnyExpr::literal(literal) }).map_err(refused)
    }

    /// Returns a scalar that is part of the kernel.
    pub fn constant(of_type: &str, number: f64) -> Made {
        let value = number::element(element_type(of_type)?, number)?;
        Ok(Self { inner: AnyExpr::constant(value) })
    }

    /// Returns a scalar of s64 or u64, by its bits.
    #[wasm_bindgen(js_name = constantOfBits)]
    pub fn constant_of_bits(of_type: &str, bits: u64) -> Made {
        Ok(Self { inner: AnyExpr::constant(Scalar::from_bits(element_type(of_type)?, bits)) })
    }

    /// Returns a shape in which each element is its index along a dimension.
    pub fn iota(of_type: &str, shape: &[f64], dimension: f64) -> Made {
        let sizes = integers("shape", shape)?;
        let dimension = dimensions(&[dimension])?;
        made(AnyExpr::iota(element_type(of_type)?, &sizes, dimension[0]))
    }

    /// Returns the same value again, for a call that takes it.
    pub fn copy(&self) -> Self {
        Self { inner: self.inner.clone() }
    }

    /// Returns the same value, computed with WGSL's own functions where they are faster.
    pub fn relaxed(&self) -> Self {
        Self { inner: self.inner.with_precision(Precision::Relaxed) }
    }

    /// The element type's name, such as `f32`.
    #[wasm_bindgen(getter, js_name = elementType)]
    pub fn element_type(&self) -> String {
        self.inner.element_type().to_string()
    }

    /// The sizes of the dimensions.
    #[wasm_bindgen(getter)]
    pub fn shape(&self) -> Vec<f64> {
        self.inner.shape().dims().iter().map(|&size| size as f64).collect()
    }

    /// Returns an operation of one operand.
    pub fn unary(op: &str, x: &Expr) -> Made {
        made(AnyExpr::unary(opcode(op)?, &x.inner))
    }

    /// Returns an operation of two operands, by XLA's broadcasting rules: operands of different
    /// ranks need `broadcast_dimensions`.
    pub fn binary(op: &str, x: &Expr, y: &Expr, broadcast_dimensions: Option<Vec<f64>>) -> Made {
        let opcode = opcode(op)?;
        if opcode.class() == OpClass::Pair {
            return made(AnyExpr::next_after(&x.inner, &y.inner));
        }
        let dims = integers("broadcastDimensions", &broadcast_dimensions.unwrap_or_default())?;
        made(AnyExpr::binary(opcode, &x.inner, &y.inner, &dims))
    }

    /// Returns an operation of two operands, by NumPy's rule.
    pub fn numpy(op: &str, x: &Expr, y: &Expr) -> Made {
        let opcode = opcode(op)?;
        if opcode.class() == OpClass::Pair {
            return made(numpy::next_after(&x.inner, &y.inner));
        }
        made(numpy::binary(opcode, &x.inner, &y.inner))
    }

    /// Returns the elements of one value where a condition holds, else those of the other.
    pub fn select(pred: &Expr, on_true: &Expr, on_false: &Expr) -> Made {
        made(AnyExpr::select(&pred.inner, &on_true.inner, &on_false.inner))
    }

    /// Returns a value held between two others.
    pub fn clamp(min: &Expr, x: &Expr, max: &Expr) -> Made {
        made(AnyExpr::clamp(&min.inner, &x.inner, &max.inner))
    }

    /// Returns the values in another element type.
    #[wasm_bindgen(js_name = convertElementType)]
    pub fn convert_element_type(&self, to: &str) -> Made {
        made(self.inner.convert_element_type(element_type(to)?))
    }

    /// Returns the bits as another element type.
    #[wasm_bindgen(js_name = bitcastConvertType)]
    pub fn bitcast_convert_type(&self, to: &str) -> Made {
        made(self.inner.bitcast_convert_type(element_type(to)?))
    }

    /// Returns the value in another shape, whose dimension `broadcastDimensions[i]` is its dimension
    /// i.
    #[wasm_bindgen(js_name = broadcastInDim)]
    pub fn broadcast_in_dim(&self, shape: &[f64], broadcast_dimensions: &[f64]) -> Made {
        let shape = integers("shape", shape)?;
        let dims = integers("broadcastDimensions", broadcast_dimensions)?;
        made(self.inner.broadcast_in_dim(&shape, &dims))
    }

    /// Returns the value with its dimensions in another order.
    pub fn transpose(&self, permutation: &[f64]) -> Made {
        made(self.inner.transpose(&integers("permutation", permutation)?))
    }

    /// Returns the elements from `starts` to `limits`, every `strides`-th.
    pub fn slice(&self, starts: &[f64], limits: &[f64], strides: &[f64]) -> Made {
        let (starts, limits) = (integers("starts", starts)?, integers("limits", limits)?);
        made(self.inner.slice(&starts, &limits, &integers("strides", strides)?))
    }

    /// Returns the elements in reverse order along some dimensions.
    pub fn reverse(&self, dimensions: &[f64]) -> Made {
        made(self.inner.reverse(&self::dimensions(dimensions)?))
    }

    /// Returns the elements, in row-major order, in another shape.
    pub fn reshape(&self, shape: &[f64]) -> Made {
        made(self.inner.reshape(&integers("shape", shape)?))
    }

    /// Returns the value repeated along new dimensions before its own.
    pub fn broadcast(&self, sizes: &[f64]) -> Made {
        made(self.inner.broadcast(&integers("sizes", sizes)?))
    }

    /// Returns the value with `padding`, a scalar, around it and between its elements.
    pub fn pad(&self, padding: &Expr, low: &[f64], high: &[f64], interior: &[f64]) -> Made {
        let (low, high) = (integers("low", low)?, integers("high", high)?);
        made(self.inner.pad(&padding.inner, &low, &high, &integers("interior", interior)?))
    }

    /// Returns the operands one after the other along a dimension.
    pub fn concatenate(operands: Vec<Expr>, dimension: f64) -> Made {
        let operands: Vec<AnyExpr> = operands.into_iter().map(|expr| expr.inner).collect();
        made(AnyExpr::concatenate(&operands, dimensions(&[dimension])?[0]))
    }

    /// Returns the elements shifted along dimensions, from each end to the other.
    pub fn roll(&self, shifts: &[f64], dimensions: &[f64]) -> Made {
        let shifts = integers("shifts", shifts)?;
        made(self.inner.roll(&shifts, &self::dimensions(dimensions)?))
    }

    /// Returns each element rounded to a format of this many exponent and mantissa bits.
    #[wasm_bindgen(js_name = reducePrecision)]
    pub fn reduce_precision(&self, exponent_bits: f64, mantissa_bits: f64) -> Made {
        let bits = integers("bits", &[exponent_bits, mantissa_bits])?;
        made(self.inner.reduce_precision(bits[0], bits[1]))
    }
}

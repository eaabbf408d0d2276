//! Lazy values, whose element types and shapes are checked when they are made.

use std::cell::RefCell;
use std::rc::Rc;

use indim::{AnyExpr, DotDimensionNumbers, Literal, OpClass, Precision, Scalar, numpy};
use js_sys::{Float64Array, Uint8Array};
use wasm_bindgen::prelude::*;

use crate::number::{self, integers};
use crate::{element_type, memory, opcode, refused, thrown};

/// Numbers that are taken over at a time.
const NUMBERS: u32 = 4096;

/// The operations that are composed of reductions and take nothing but dimensions.
pub(crate) const COMPOSED: &[&str] = &[
    "argmax",
    "argmin",
    "argmax_s64",
    "argmin_s64",
    "mean",
    "var",
    "logsumexp",
    "softmax",
    "log_softmax",
];

/// The operations that accumulate along a dimension.
pub(crate) const CUMULATIVE: &[&str] = &["cumsum", "cumprod", "cummax", "cummin"];

/// A lazy value with its element type and shape.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Expr {
    /// Copies share one value, which is replaced when it moves to another device.
    value: Rc<RefCell<AnyExpr>>,
}

type Made = Result<Expr, JsValue>;

fn made(result: indim::Result<AnyExpr>) -> Made {
    result.map(Expr::of).map_err(refused)
}

impl Expr {
    pub(crate) fn of(value: AnyExpr) -> Self {
        Self { value: Rc::new(RefCell::new(value)) }
    }

    /// Returns the library's value.
    pub(crate) fn value(&self) -> AnyExpr {
        self.value.borrow().clone()
    }

    /// Replaces the library's value by an equal one.
    pub(crate) fn replace(&self, value: AnyExpr) {
        self.value.replace(value);
    }
}

fn dimensions(numbers: &[f64]) -> Result<Vec<i64>, JsValue> {
    integers("dimensions", numbers)
}

#[wasm_bindgen]
impl Expr {
    /// Returns elements given by their bytes, in row-major order.
    pub fn literal(of_type: &str, shape: &[f64], bytes: &Uint8Array) -> Made {
        let (of_type, shape) = (element_type(of_type)?, number::sizes(shape)?);
        let length = bytes.length() as usize;
        let mut copy = memory::reserve(length)?;
        copy.resize(length, 0);
        bytes.copy_to(&mut copy);
        made(Literal::new(of_type, shape, copy).map(AnyExpr::literal))
    }

    /// Returns elements given as numbers, in row-major order.
    pub fn numbers(of_type: &str, shape: &[f64], numbers: &Float64Array) -> Made {
        let (of_type, shape) = (element_type(of_type)?, number::sizes(shape)?);
        let width = of_type.size_in_bytes();
        let mut bytes = memory::reserve((numbers.length() as usize).saturating_mul(width))?;
        for begin in (0..numbers.length()).step_by(NUMBERS as usize) {
            let end = numbers.length().min(begin + NUMBERS);
            for number in numbers.subarray(begin, end).to_vec() {
                let element = number::element(of_type, number)?.bits().to_le_bytes();
                bytes.extend_from_slice(&element[..width]);
            }
        }
        made(Literal::new(of_type, shape, bytes).map(AnyExpr::literal))
    }

    /// Returns a scalar that is part of the kernel.
    pub fn constant(of_type: &str, number: f64) -> Made {
        let value = number::element(element_type(of_type)?, number)?;
        Ok(Self::of(AnyExpr::constant(value)))
    }

    /// Returns a scalar of s64 or u64, by its bits.
    #[wasm_bindgen(js_name = constantOfBits)]
    pub fn constant_of_bits(of_type: &str, bits: u64) -> Made {
        Ok(Self::of(AnyExpr::constant(Scalar::from_bits(element_type(of_type)?, bits))))
    }

    /// Returns a shape in which each element is its index along a dimension.
    pub fn iota(of_type: &str, shape: &[f64], dimension: f64) -> Made {
        let sizes = integers("shape", shape)?;
        let dimension = dimensions(&[dimension])?;
        made(AnyExpr::iota(element_type(of_type)?, &sizes, dimension[0]))
    }

    /// Returns the same value again, for a call that takes it.
    pub fn copy(&self) -> Self {
        Self { value: Rc::clone(&self.value) }
    }

    /// Returns the same value, computed with WGSL's functions where they are faster.
    pub fn relaxed(&self) -> Self {
        Self::of(self.value().with_precision(Precision::Relaxed))
    }

    /// The element type's name, such as `f32`.
    #[wasm_bindgen(getter, js_name = elementType)]
    pub fn element_type(&self) -> String {
        self.value().element_type().to_string()
    }

    /// The sizes of the dimensions.
    #[wasm_bindgen(getter)]
    pub fn shape(&self) -> Vec<f64> {
        self.value().shape().dims().iter().map(|&size| size as f64).collect()
    }

    /// Returns an operation of one operand.
    pub fn unary(op: &str, x: &Expr) -> Made {
        made(AnyExpr::unary(opcode(op)?, &x.value()))
    }

    /// Returns an operation of two operands, by XLA's broadcasting rules: operands of different
    /// ranks need `broadcast_dimensions`.
    pub fn binary(op: &str, x: &Expr, y: &Expr, broadcast_dimensions: Option<Vec<f64>>) -> Made {
        let opcode = opcode(op)?;
        if opcode.class() == OpClass::Pair {
            return made(AnyExpr::next_after(&x.value(), &y.value()));
        }
        let dims = integers("broadcastDimensions", &broadcast_dimensions.unwrap_or_default())?;
        made(AnyExpr::binary(opcode, &x.value(), &y.value(), &dims))
    }

    /// Returns an operation of two operands, by NumPy's rule.
    pub fn numpy(op: &str, x: &Expr, y: &Expr) -> Made {
        made(numpy::apply(opcode(op)?, &[&x.value(), &y.value()]))
    }

    /// Returns the elements of one value where a condition holds, else those of the other.
    pub fn select(pred: &Expr, on_true: &Expr, on_false: &Expr) -> Made {
        made(pred.value().select(&on_true.value(), &on_false.value()))
    }

    /// Returns a value held between two others.
    pub fn clamp(min: &Expr, x: &Expr, max: &Expr) -> Made {
        made(x.value().clamp(&min.value(), &max.value()))
    }

    /// Returns the values in another element type.
    #[wasm_bindgen(js_name = convertElementType)]
    pub fn convert_element_type(&self, to: &str) -> Made {
        made(self.value().convert_element_type(element_type(to)?))
    }

    /// Returns the bits as another element type.
    #[wasm_bindgen(js_name = bitcastConvertType)]
    pub fn bitcast_convert_type(&self, to: &str) -> Made {
        made(self.value().bitcast_convert_type(element_type(to)?))
    }

    /// Returns the value in another shape, whose dimension `broadcastDimensions[i]` is its dimension
    /// i.
    #[wasm_bindgen(js_name = broadcastInDim)]
    pub fn broadcast_in_dim(&self, shape: &[f64], broadcast_dimensions: &[f64]) -> Made {
        let shape = integers("shape", shape)?;
        let dims = integers("broadcastDimensions", broadcast_dimensions)?;
        made(self.value().broadcast_in_dim(&shape, &dims))
    }

    /// Returns the value with its dimensions in another order.
    pub fn transpose(&self, permutation: &[f64]) -> Made {
        made(self.value().transpose(&integers("permutation", permutation)?))
    }

    /// Returns the elements from `starts` to `limits`, every `strides`-th.
    pub fn slice(&self, starts: &[f64], limits: &[f64], strides: &[f64]) -> Made {
        let (starts, limits) = (integers("starts", starts)?, integers("limits", limits)?);
        let strides = integers("strides", strides)?;
        let part = self.value().slice(&starts, &limits);
        made(part.and_then(|part| part.step_by(&strides)))
    }

    /// Returns the elements in reverse order along some dimensions.
    pub fn reverse(&self, dimensions: &[f64]) -> Made {
        made(self.value().reverse(&self::dimensions(dimensions)?))
    }

    /// Returns the elements, in row-major order, in another shape.
    pub fn reshape(&self, shape: &[f64]) -> Made {
        made(self.value().reshape(&integers("shape", shape)?))
    }

    /// Returns the value repeated along new dimensions before its own.
    pub fn broadcast(&self, sizes: &[f64]) -> Made {
        made(self.value().broadcast(&integers("sizes", sizes)?))
    }

    /// Returns the value with `padding`, a scalar, around it and between its elements.
    pub fn pad(&self, padding: &Expr, low: &[f64], high: &[f64], interior: &[f64]) -> Made {
        let (low, high) = (integers("low", low)?, integers("high", high)?);
        made(self.value().pad(&padding.value(), &low, &high, &integers("interior", interior)?))
    }

    /// Returns the operands one after the other along a dimension.
    pub fn concatenate(operands: Vec<Expr>, dimension: f64) -> Made {
        let operands: Vec<AnyExpr> = operands.iter().map(Self::value).collect();
        made(AnyExpr::concatenate(&operands, dimensions(&[dimension])?[0]))
    }

    /// Returns the elements at computed indices along a dimension.
    pub fn take(&self, indices: &Expr, dimension: f64) -> Made {
        made(self.value().take(&indices.value(), dimensions(&[dimension])?[0]))
    }

    /// Returns the elements at an index of their own along a dimension.
    #[wasm_bindgen(js_name = takeAlongDimension)]
    pub fn take_along_dimension(&self, indices: &Expr, dimension: f64) -> Made {
        let dimension = dimensions(&[dimension])?[0];
        made(self.value().take_along_dimension(&indices.value(), dimension))
    }

    /// Returns the product of two vectors or matrices.
    pub fn dot(&self, rhs: &Expr) -> Made {
        made(self.value().dot(&rhs.value()))
    }

    /// Returns sums of products by contracting and batch dimensions of both operands.
    #[wasm_bindgen(js_name = dotGeneral)]
    pub fn dot_general(
        &self,
        rhs: &Expr,
        contracting: Vec<f64>,
        of_rhs: Vec<f64>,
        batch: Vec<f64>,
        batch_of_rhs: Vec<f64>,
    ) -> Made {
        let numbers =
            DotDimensionNumbers::contracting(dimensions(&contracting)?, dimensions(&of_rhs)?)
                .batch(dimensions(&batch)?, dimensions(&batch_of_rhs)?);
        made(self.value().dot_general(&rhs.value(), &numbers))
    }

    /// Returns the elements shifted along dimensions, from each end to the other.
    pub fn roll(&self, shifts: &[f64], dimensions: &[f64]) -> Made {
        let shifts = integers("shifts", shifts)?;
        made(self.value().roll(&shifts, &self::dimensions(dimensions)?))
    }

    /// Returns a reduction, or what is composed of some, along dimensions.
    pub fn reduce(&self, op: &str, dimensions: &[f64]) -> Made {
        let (x, dims) = (self.value(), self::dimensions(dimensions)?);
        made(match op {
            "argmax" => x.argmax(&dims),
            "argmin" => x.argmin(&dims),
            "argmax_s64" => x.argmax_s64(&dims),
            "argmin_s64" => x.argmin_s64(&dims),
            "mean" => x.mean(&dims),
            "var" => x.var(&dims),
            "logsumexp" => x.logsumexp(&dims),
            "softmax" => x.softmax(&dims),
            "log_softmax" => x.log_softmax(&dims),
            _ => AnyExpr::reduce(opcode(op)?, &x, &dims),
        })
    }

    /// Returns what the elements up to each one along a dimension combine to.
    pub fn cumulative(&self, op: &str, dimension: f64) -> Made {
        let (x, dimension) = (self.value(), dimensions(&[dimension])?[0]);
        made(match op {
            "cumsum" => x.cumsum(dimension),
            "cumprod" => x.cumprod(dimension),
            "cummax" => x.cummax(dimension),
            "cummin" => x.cummin(dimension),
            _ => return Err(thrown(format!("unknown operation {op:?}"))),
        })
    }

    /// Returns the value with a mean of 0 and a variance of 1 along dimensions.
    #[wasm_bindgen(js_name = layerNorm)]
    pub fn layer_norm(&self, dimensions: &[f64], epsilon: f64) -> Made {
        made(self.value().layer_norm(&self::dimensions(dimensions)?, epsilon))
    }

    /// Returns the value with a mean of squares of 1 along dimensions.
    #[wasm_bindgen(js_name = rmsNorm)]
    pub fn rms_norm(&self, dimensions: &[f64], epsilon: f64) -> Made {
        made(self.value().rms_norm(&self::dimensions(dimensions)?, epsilon))
    }

    /// Returns the key of a seed, given by its words.
    #[wasm_bindgen(js_name = randomKey)]
    pub fn random_key(high: u32, low: u32) -> Made {
        made(AnyExpr::random_key(u64::from(high) << 32 | u64::from(low)))
    }

    /// Returns what a key draws: an operation of the table without `random_`, its operands, the element
    /// type of the result where they have none, and the sizes.
    pub fn random(&self, op: &str, operands: Vec<Expr>, of_type: &str, sizes: &[f64]) -> Made {
        let (key, of, sizes) = (self.value(), element_type(of_type)?, integers("shape", sizes)?);
        let operands: Vec<AnyExpr> = operands.iter().map(Self::value).collect();
        made(match (op, &operands[..]) {
            ("split", []) => key.random_split(&sizes),
            ("fold_in", [data]) => key.random_fold_in(data),
            ("bits", []) => key.random_bits(of, &sizes),
            ("uniform", [minval, maxval]) => key.random_uniform(minval, maxval, &sizes),
            ("normal", []) => key.random_normal(of, &sizes),
            ("bernoulli", [p]) => key.random_bernoulli(p, &sizes),
            ("randint", [minval, maxval]) => key.random_randint(minval, maxval, &sizes),
            _ => return Err(thrown(format!("unknown operation {op:?}"))),
        })
    }

    /// Returns each element rounded to a format of this many exponent and mantissa bits.
    #[wasm_bindgen(js_name = reducePrecision)]
    pub fn reduce_precision(&self, exponent_bits: f64, mantissa_bits: f64) -> Made {
        let bits = integers("bits", &[exponent_bits, mantissa_bits])?;
        made(self.value().reduce_precision(bits[0], bits[1]))
    }
}

//! Powers with constant exponents that simpler operations compute, with the values that C99 gives to
//! powers at zeros and infinities (F.9.4.4).

use crate::normalize::list::NormalList;
use crate::normalize::normalized::{Attribute, Input, NormalInstruction};
use indim_core::graph::powers::Exponent;
use indim_core::semantics::element::{ElementType, Scalar};
use indim_core::semantics::opcode::Opcode;
use indim_core::semantics::precision::Precision;
use indim_core::semantics::shape::Shape;
use indim_core::semantics::view::View;

/// A power under construction.
pub(super) struct Power<'a> {
    pub(super) list: &'a mut NormalList,
    pub(super) element_type: ElementType,
    pub(super) shape: &'a Shape,
    pub(super) requested: Option<Precision>,
}

impl Power<'_> {
    /// Adds the power of an operand. Returns its value.
    pub(super) fn of(mut self, x: Input, exponent: Exponent) -> usize {
        match exponent {
            Exponent::Zero => {
                let one = self.number(1.0);
                self.push(Opcode::BroadcastInDim, vec![one])
            }
            Exponent::One => self.push(Opcode::BroadcastInDim, vec![x]),
            Exponent::Two => self.push(Opcode::Mul, vec![x.clone(), x]),
            Exponent::Three => self.cube(x),
            Exponent::MinusOne => {
                let one = self.number(1.0);
                self.push(Opcode::Div, vec![one, x])
            }
            Exponent::Half => self.root(Opcode::Sqrt, x),
            Exponent::MinusHalf => self.root(Opcode::Rsqrt, x),
        }
    }

    /// Adds x x x. Narrow floats are multiplied in F32 and rounded once.
    fn cube(&mut self, x: Input) -> usize {
        let own = self.element_type;
        let is_narrow = matches!(own, ElementType::F16 | ElementType::Bf16);
        let x = if is_narrow {
            self.element_type = ElementType::F32;
            let x = self.push(Opcode::ConvertElementType, vec![x]);
            self.value(x)
        } else {
            x
        };
        let square = self.push(Opcode::Mul, vec![x.clone(), x.clone()]);
        let square = self.value(square);
        let cube = self.push(Opcode::Mul, vec![square, x]);
        self.element_type = own;
        if is_narrow {
            let cube = self.value(cube);
            return self.push(Opcode::ConvertElementType, vec![cube]);
        }
        cube
    }

    /// Adds a root, or its reciprocal. Powers of -0 are those of 0, and powers of -inf those of inf.
    fn root(&mut self, opcode: Opcode, x: Input) -> usize {
        let [least, most] = [f64::NEG_INFINITY, f64::INFINITY].map(|value| self.number(value));
        let own = std::mem::replace(&mut self.element_type, ElementType::Pred);
        let is_least = self.push(Opcode::Eq, vec![x.clone(), least]);
        self.element_type = own;
        let is_least = self.value(is_least);
        let x = self.push(Opcode::Select, vec![is_least, most, x]);
        let x = self.value(x);
        let root = self.push(opcode, vec![x]);
        let root = self.value(root);
        self.push(Opcode::Abs, vec![root])
    }

    fn number(&mut self, value: f64) -> Input {
        let zero = Scalar::from_bits(self.element_type, 0);
        let value = Scalar::from_f64(self.element_type, value).unwrap_or(zero);
        Input::scalar(self.list.constant(value))
    }

    /// Returns a value of the result's shape as an operand.
    fn value(&self, node: usize) -> Input {
        Input { node, view: View::identity(self.shape) }
    }

    fn push(&mut self, opcode: Opcode, inputs: Vec<Input>) -> usize {
        self.list.push(NormalInstruction {
            opcode,
            element_type: self.element_type,
            shape: self.shape.clone(),
            inputs,
            attribute: Attribute::None,
            precision: Precision::of(self.requested, opcode, self.element_type),
        })
    }
}

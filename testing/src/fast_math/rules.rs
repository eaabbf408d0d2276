//! Rewrites sums of F32 as compilers do.

use naga::{
    BinaryOperator, Expression, Handle, Literal, MathFunction, Scalar, ScalarKind, TypeInner,
    UnaryOperator,
};

use super::arithmetic::{Grouping, Side};
use super::rebuild::Rebuild;

type Value = Handle<Expression>;

/// The minimum with this number is a guard in `shaders/`.
const GUARD: f32 = f32::from_bits(227 << 23);

/// A sum or a difference of two values.
#[derive(Clone, Copy)]
struct Sum {
    left: Value,
    right: Value,
    /// The right one is subtracted.
    minus: bool,
}

impl Rebuild<'_> {
    /// Makes an expression by the rules.
    pub(super) fn make(&mut self, expression: Expression) -> Value {
        match expression {
            Expression::AccessIndex { base, index } => {
                // A component of a vector that was just composed is that component.
                if let Expression::Compose { components, .. } = self.expression(base)
                    && components
                        .iter()
                        .all(|&part| matches!(self.inner_type(part), TypeInner::Scalar(_)))
                    && matches!(self.inner_type(base), TypeInner::Vector { .. })
                {
                    return components[index as usize];
                }
            }
            Expression::Math { fun: MathFunction::Min, arg, arg1: Some(arg1), .. }
                if self.rules.through_minimum && self.is_literal(arg1, GUARD) =>
            {
                return arg;
            }
            Expression::As { expr, kind: ScalarKind::Float, convert: None }
                if self.rules.through_zero =>
            {
                if let Some(value) = self.unguarded(expr) {
                    return value;
                }
            }
            Expression::Binary { op, left, right } if self.is_f32(left) => {
                let minus = op == BinaryOperator::Subtract;
                if minus || op == BinaryOperator::Add {
                    return self.sum(Sum { left, right, minus });
                }
            }
            _ => {}
        }
        self.emit(expression)
    }

    fn sum(&mut self, sum: Sum) -> Value {
        if let Some(side) = self.rules.contract
            && let Some(value) = self.contracted(sum, side)
        {
            return value;
        }
        if let Some(grouping) = self.rules.regroup
            && let Some(value) = self.cancelled(sum).or_else(|| self.regrouped(sum, grouping))
        {
            return value;
        }
        self.plain(sum)
    }

    fn plain(&mut self, Sum { left, right, minus }: Sum) -> Value {
        let op = if minus { BinaryOperator::Subtract } else { BinaryOperator::Add };
        self.emit(Expression::Binary { op, left, right })
    }

    fn add(&mut self, left: Value, right: Value, minus: bool) -> Value {
        self.plain(Sum { left, right, minus })
    }

    fn negated(&mut self, expr: Value) -> Value {
        self.emit(Expression::Unary { op: UnaryOperator::Negate, expr })
    }

    // ---- contraction ----------------------------------------------------------------------------

    /// Returns `f32(f64(a) * f64(b) + f64(c))` for a sum with a product in it.
    fn contracted(&mut self, sum: Sum, first: Side) -> Option<Value> {
        let (left, right) = (self.product(sum.left), self.product(sum.right));
        let on_the_left = left.is_some() && (first == Side::Left || right.is_none());
        let [mut left, mut right] = [sum.left, sum.right].map(|value| self.wide(value));
        if on_the_left {
            left = self.wide_product(sum.left)?;
        } else {
            right = self.wide_product(sum.right)?;
        }
        let exact = self.add(left, right, sum.minus);
        Some(self.converted(exact, 4))
    }

    fn wide_product(&mut self, value: Value) -> Option<Value> {
        let (left, right, negative) = self.product(value)?;
        let (left, right) = (self.wide(left), self.wide(right));
        let left = if negative { self.negated(left) } else { left };
        Some(self.emit(Expression::Binary { op: BinaryOperator::Multiply, left, right }))
    }

    fn wide(&mut self, value: Value) -> Value {
        self.converted(value, 8)
    }

    fn converted(&mut self, expr: Value, bytes: u8) -> Value {
        self.emit(Expression::As { expr, kind: ScalarKind::Float, convert: Some(bytes) })
    }

    /// Returns the factors of a product, also of one lane of it, and whether it is negated.
    fn product(&mut self, value: Value) -> Option<(Value, Value, bool)> {
        match *self.expression(value) {
            Expression::Binary { op: BinaryOperator::Multiply, left, right } => {
                Some((left, right, false))
            }
            Expression::Unary { op: UnaryOperator::Negate, expr } => {
                self.product(expr).map(|(left, right, negative)| (left, right, !negative))
            }
            Expression::AccessIndex { base, index } => {
                let (left, right, negative) = self.product(base)?;
                Some((self.lane(left, index), self.lane(right, index), negative))
            }
            _ => None,
        }
    }

    fn lane(&mut self, base: Value, index: u32) -> Value {
        match *self.inner_type(base) {
            TypeInner::Vector { .. } => self.make(Expression::AccessIndex { base, index }),
            _ => base,
        }
    }

    // ---- regrouping -----------------------------------------------------------------------------

    /// Returns the rest of a sum if a term cancels: `y` of `(x + y) - x`.
    fn cancelled(&mut self, Sum { left, right, minus }: Sum) -> Option<Value> {
        if let Some(inner) = self.as_sum(left) {
            let (x, y) = (inner.left, inner.right);
            if minus && self.same(x, right) {
                return Some(if inner.minus { self.negated(y) } else { y });
            }
            if inner.minus != minus && self.same(y, right) {
                return Some(x);
            }
        }
        if let Some(inner) = self.as_sum(right) {
            let (x, y) = (inner.left, inner.right);
            if minus && self.same(x, left) {
                return Some(if inner.minus { y } else { self.negated(y) });
            }
            if minus && !inner.minus && self.same(y, left) {
                return Some(self.negated(x));
            }
            if !minus && inner.minus && self.same(y, left) {
                return Some(x);
            }
        }
        None
    }

    /// Returns a sum of three with the constants in it added first, else grouped as the rule says.
    fn regrouped(&mut self, Sum { left, right, minus }: Sum, grouping: Grouping) -> Option<Value> {
        // The terms a, b and c, of which b and c may be subtracted.
        let [(a, _), (b, minus_b), (c, minus_c)] = match (self.as_sum(left), self.as_sum(right)) {
            (Some(inner), _) => [(inner.left, false), (inner.right, inner.minus), (right, minus)],
            (None, Some(inner)) => {
                [(left, false), (inner.left, minus), (inner.right, minus != inner.minus)]
            }
            (None, None) => return None,
        };
        let is_constant = [a, b, c].map(|term| self.is_constant(term));
        let first = match (is_constant, grouping) {
            ([false, true, true], _) => Grouping::Right,
            ([true, false, true], _) => Grouping::MiddleLast,
            ([true, true, false], _) => Grouping::Left,
            (_, grouping) => grouping,
        };
        Some(match first {
            Grouping::Left => {
                let ab = self.add(a, b, minus_b);
                self.add(ab, c, minus_c)
            }
            Grouping::MiddleLast => {
                let ac = self.add(a, c, minus_c);
                self.add(ac, b, minus_b)
            }
            Grouping::Right => {
                let bc = self.add(b, c, minus_b != minus_c);
                self.add(a, bc, minus_b)
            }
        })
    }

    fn as_sum(&self, value: Value) -> Option<Sum> {
        match *self.expression(value) {
            Expression::Binary { op: BinaryOperator::Add, left, right } => {
                Some(Sum { left, right, minus: false })
            }
            Expression::Binary { op: BinaryOperator::Subtract, left, right } => {
                Some(Sum { left, right, minus: true })
            }
            _ => None,
        }
    }

    // ---- what values are ------------------------------------------------------------------------

    fn is_f32(&self, value: Value) -> bool {
        match *self.inner_type(value) {
            TypeInner::Scalar(scalar) | TypeInner::Vector { scalar, .. } => scalar == Scalar::F32,
            _ => false,
        }
    }

    fn is_literal(&self, value: Value, number: f32) -> bool {
        match *self.expression(value) {
            Expression::Literal(Literal::F32(literal)) => literal == number,
            Expression::Splat { value, .. } => self.is_literal(value, number),
            _ => false,
        }
    }

    fn is_constant(&self, value: Value) -> bool {
        match self.expression(value) {
            Expression::Literal(_) | Expression::Constant(_) => true,
            &Expression::Splat { value, .. } => self.is_constant(value),
            &Expression::Unary { op: UnaryOperator::Negate, expr } => self.is_constant(expr),
            Expression::Compose { components, .. } => {
                components.iter().all(|&part| self.is_constant(part))
            }
            _ => false,
        }
    }

    /// Tells whether two values are one.
    fn same(&self, a: Value, b: Value) -> bool {
        if a == b {
            return true;
        }
        match (self.expression(a), self.expression(b)) {
            (Expression::Literal(a), Expression::Literal(b)) => a == b,
            (Expression::Constant(a), Expression::Constant(b)) => a == b,
            (&Expression::Splat { value: a, .. }, &Expression::Splat { value: b, .. }) => {
                self.same(a, b)
            }
            (
                &Expression::AccessIndex { base: a, index: i },
                &Expression::AccessIndex { base: b, index: j },
            ) => i == j && self.same(a, b),
            _ => false,
        }
    }

    /// Returns the float whose bits an or, or an exclusive or, with the parameter block's zero gives.
    fn unguarded(&self, bits: Value) -> Option<Value> {
        let Expression::Binary {
            op: BinaryOperator::ExclusiveOr | BinaryOperator::InclusiveOr,
            left,
            right,
        } = *self.expression(bits)
        else {
            return None;
        };
        match *self.expression(left) {
            Expression::As { expr, kind: ScalarKind::Uint, convert: None }
                if self.is_params_zero(right) =>
            {
                Some(expr)
            }
            _ => None,
        }
    }
}

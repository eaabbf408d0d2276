//! Compares integers as NumPy 2 does if `--numpy` is given: by value, even if no element type holds
//! those of both operands.

use std::cmp::Ordering;

use indim_core::{ElementType, Op, Opcode, Scalar};

use crate::lower::state::{Lowering, NodeValue};
use crate::report::diagnostic::Result;
use crate::syntax::parser::NodeId;

/// A compare.
#[derive(Debug, Clone, Copy)]
struct Compare {
    id: NodeId,
    opcode: Opcode,
    operands: [NodeId; 2],
    values: [NodeValue; 2],
}

impl Lowering<'_> {
    /// Returns the binary operation `id` if it compares integers of which no element type holds
    /// both; otherwise `None`.
    pub(crate) fn exact_compare(
        &mut self,
        id: NodeId,
        opcode: Opcode,
        operands: [NodeId; 2],
        values: [NodeValue; 2],
        given: &[i64],
    ) -> Result<Option<Op>> {
        if !self.numpy || holds(opcode, Ordering::Less).is_none() {
            return Ok(None);
        }
        let compare = Compare { id, opcode, operands, values };
        match values {
            [NodeValue::Op(l), NodeValue::Op(r)] => {
                self.signed_and_unsigned(&compare, [l, r], given)
            }
            [NodeValue::Op(array), NodeValue::Number(number)] => {
                let beyond = number.beyond(self.type_of(compare.id, array)?);
                let side = beyond.map(Ordering::reverse);
                self.all_alike(&compare, array, side, given)
            }
            [NodeValue::Number(number), NodeValue::Op(array)] => {
                let side = number.beyond(self.type_of(compare.id, array)?);
                self.all_alike(&compare, array, side, given)
            }
            _ => Ok(None),
        }
    }

    fn type_of(&self, id: NodeId, op: Op) -> Result<ElementType> {
        self.builder.element_type(op).map_err(self.at(id))
    }

    /// Returns the compare of an array with a number outside of its element type: all elements are
    /// on the same side of it. `side` is that of the left operand.
    fn all_alike(
        &mut self,
        compare: &Compare,
        array: Op,
        side: Option<Ordering>,
        given: &[i64],
    ) -> Result<Option<Op>> {
        let Some(truth) = side.and_then(|side| holds(compare.opcode, side)) else {
            return Ok(None);
        };
        let Compare { id, opcode, operands, values } = *compare;
        let at = self.at(id);
        // A number of the type replaces the other one, so that the given dimensions are checked as
        // in any compare.
        let zero = Scalar::from_bits(self.type_of(id, array)?, 0);
        let zero = self.builder.constant(zero).map_err(&at)?;
        let [lhs, rhs] = match values {
            [NodeValue::Op(_), _] => [array, zero],
            _ => [zero, array],
        };
        let dimensions = self.dimensions(id, opcode, operands, [lhs, rhs], given)?;
        let made = self.builder.binary(opcode, lhs, rhs, &dimensions);
        let made = made.map_err(|error| self.refused(id, operands, false, error))?;
        let shape = self.builder.shape(made).map_err(&at)?;
        let sizes: Vec<i64> = shape.dims().iter().map(|&size| size as i64).collect();
        let truth = self.builder.constant(Scalar::new(truth)).map_err(&at)?;
        self.builder.broadcast(truth, &sizes).map(Some).map_err(at)
    }

    /// Returns the compare of signed integers with U64. Nonnegative values are compared as U64, and
    /// negative ones are less than all others.
    fn signed_and_unsigned(
        &mut self,
        compare: &Compare,
        arrays: [Op; 2],
        given: &[i64],
    ) -> Result<Option<Op>> {
        let Compare { id, opcode, operands, .. } = *compare;
        let types = [self.type_of(id, arrays[0])?, self.type_of(id, arrays[1])?];
        let is_signed = |of: ElementType| of.integer_range().is_some_and(|(least, _)| least < 0);
        let (signed, side) = match types {
            [of, ElementType::U64] if is_signed(of) => (0, Ordering::Less),
            [ElementType::U64, of] if is_signed(of) => (1, Ordering::Greater),
            _ => return Ok(None),
        };
        let at = self.at(id);
        let dimensions = self.dimensions(id, opcode, operands, arrays, given)?;
        let zero = Scalar::from_bits(types[signed], 0);
        let builder = &mut self.builder;
        let zero = builder.constant(zero).map_err(&at)?;
        let negative = builder.binary(Opcode::Lt, arrays[signed], zero, &[]).map_err(&at)?;
        let mut as_u64 = arrays;
        as_u64[signed] =
            builder.convert_element_type(arrays[signed], ElementType::U64).map_err(&at)?;
        let made = builder.binary(opcode, as_u64[0], as_u64[1], &dimensions);
        let made = made.map_err(|error| self.refused(id, operands, false, error))?;
        let builder = &mut self.builder;
        let rank = |op| builder.shape(op).map(|shape| shape.rank());
        let of_higher_rank = rank(negative).map_err(&at)? == rank(made).map_err(&at)?;
        let dimensions = if of_higher_rank { Vec::new() } else { dimensions };
        let (with, mask) = match holds(opcode, side) {
            Some(true) => (Opcode::Or, negative),
            _ => (Opcode::And, builder.unary(Opcode::Not, negative).map_err(&at)?),
        };
        builder.binary(with, made, mask, &dimensions).map(Some).map_err(at)
    }
}

/// Returns whether a compare holds if the left operand is on this side of the right one; `None` if
/// the operation is not one of NumPy's six compares.
fn holds(opcode: Opcode, side: Ordering) -> Option<bool> {
    Some(match opcode {
        Opcode::Eq => side.is_eq(),
        Opcode::Ne => side.is_ne(),
        Opcode::Lt => side.is_lt(),
        Opcode::Le => side.is_le(),
        Opcode::Gt => side.is_gt(),
        Opcode::Ge => side.is_ge(),
        _ => return None,
    })
}
